/* abi_1.c -- an artifact as version 1 of the ABI had it when it was first given out. The structures are
 * written down here so that they stay as they were when ferrite_abi.h goes on. It gives back its
 * input's first element, doubled.
 */
#include <stddef.h>
#include <stdint.h>

typedef struct tensor {
    void *data;
    uint32_t dtype, rank;
    const int64_t *sizes, *strides;
} tensor;

typedef struct port {
    const char *name;
    uint32_t dtype, rank;
    const int64_t *sizes, *strides;
    const char *shape_text;
} port;

typedef struct artifact {
    uint32_t abi_version, struct_bytes;
    const char *name, *producer;
    const port *inputs;
    uint32_t input_count;
    const port *outputs;
    uint32_t output_count;
    int64_t weights_bytes, arena_bytes, arena_lower_bound;
    uint32_t kernel_calls, unique_kernels;
    int (*open)(const char *weights_path, void **out);
    int (*open_memory)(const void *weights, int64_t bytes, void **out);
    void (*close)(void *model);
    int (*context_new)(const void *model, uint32_t threads, void **out);
    void (*context_free)(void *context);
    int (*run)(void *context, const tensor *inputs, uint32_t input_count, tensor *outputs,
               uint32_t output_count);
    const char *(*error)(const void *context);
} artifact;

static const int64_t ONE[] = {1};
static float result;

static int open_path(const char *path, void **out)
{
    (void)path;
    *out = &result;
    return 0;
}

static int open_memory(const void *weights, int64_t bytes, void **out)
{
    (void)weights, (void)bytes;
    *out = &result;
    return 0;
}

static void end(void *what)
{
    (void)what;
}

static int context_new(const void *model, uint32_t threads, void **out)
{
    (void)model, (void)threads;
    *out = &result;
    return 0;
}

static int run(void *context, const tensor *inputs, uint32_t input_count, tensor *outputs,
               uint32_t output_count)
{
    (void)context;
    if (input_count != 1 || output_count != 1) return 1;
    result = 2 * *(const float *)inputs[0].data;
    outputs[0] = (tensor){&result, 7, 1, ONE, ONE};
    return 0;
}

static const char *error(const void *context)
{
    (void)context;
    return "";
}

const artifact *ferrite_artifact(void);
const artifact *ferrite_artifact(void)
{
    static const port input = {"x", 7, 1, ONE, ONE, "[1]"}, output = {"y", 7, 1, ONE, ONE, "[1]"};
    static const artifact made = {
        1, sizeof made, "doubled", "ferrite 0.1", &input,      1,   &output,     1,   0,   0,
        0, 0,           0,         open_path,     open_memory, end, context_new, end, run, error};
    return &made;
}
