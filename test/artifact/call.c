/* call.c -- call MODEL.so: calls an artifact as a script on standard input says, and prints what comes back.
 *
 *     in 0 f32 [2,6] {1,2}     input 0: a tensor of its own, filled with a pattern; strides may be left out
 *     in 1 i64 [2] = 0 3       ... with these values
 *     in 0 f32 [2,6] null      ... without data
 *     out 0 f32 [2,7] {14,1}   output 0 goes to memory of the caller
 *     out 0 none               ... of the context again (the beginning)
 *     context 1                calls from here on use context 1 (of 4)
 *     ready                    makes the context that the next call uses, if it is not there
 *     inputs 2                 tells the artifact that so many inputs are given; outputs N likewise
 *     threads 2                contexts that are made from here on have so many (1)
 *     run                      a call; prints the message when it fails
 *     allocates                a call; prints whether it allocated (link with -rdynamic)
 *     show in 0                sizes, strides and values of an input; show out 0: of an output, nothing
 *                              behind a call that failed
 *     holds                    what the context holds by now
 *     release                  gives contexts, model and library back, prints what is held that was not
 *                              held before, and opens them again (link with -rdynamic); release quietly:
 *                              prints nothing, as the loader and libc's threads keep some for next time
 */
#include "counting.h"
#include "ferrite_abi.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, RANK = 8, BYTES = 1 << 16 };

typedef struct tensor {
    fe_tensor t;
    int64_t sizes[RANK], strides[RANK];
    _Alignas(64) char data[BYTES];
} tensor;

static const char *path;
static void *library;
static const fe_artifact *artifact;
static fe_model *model;
static fe_context *contexts[4];
static int current, threads = 1;
static long blocks, files; /* held before the model was opened */
static tensor in[MOST], out[MOST];
static fe_tensor got[MOST]; /* outputs as the last call left them */
static bool has_results;    /* the last call did not fail */
static uint32_t in_count, out_count;

static const struct {
    const char *name;
    uint32_t dtype;
    size_t bytes;
} dtypes[] = {{"f32", FE_F32, 4},
              {"f64", FE_F64, 8},
              {"i64", FE_I64, 8},
              {"i32", FE_I32, 4},
              {"bool", FE_BOOL, 1}};

static size_t bytes_of(uint32_t dtype)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (dtypes[i].dtype == dtype) return dtypes[i].bytes;
    return 0;
}

static void put(uint32_t dtype, void *at, double value)
{
    switch (dtype) {
    case FE_F32: *(float *)at = (float)value; break;
    case FE_F64: *(double *)at = value; break;
    case FE_I64: *(int64_t *)at = (int64_t)value; break;
    case FE_I32: *(int32_t *)at = (int32_t)value; break;
    default: *(uint8_t *)at = value != 0;
    }
}

static double get(uint32_t dtype, const void *at)
{
    switch (dtype) {
    case FE_F32: return (double)*(const float *)at;
    case FE_F64: return *(const double *)at;
    case FE_I64: return (double)*(const int64_t *)at;
    case FE_I32: return *(const int32_t *)at;
    default: return *(const uint8_t *)at;
    }
}

/* Calls visit with the address of each element, in order. */
static void each(const fe_tensor *t, uint32_t d, char *at,
                 void (*visit)(uint32_t dtype, void *at, void *data), void *data)
{
    if (d == t->rank) {
        visit(t->dtype, at, data);
        return;
    }
    for (int64_t i = 0; i < t->sizes[d]; i++)
        each(t, d + 1, at + i * t->strides[d] * (int64_t)bytes_of(t->dtype), visit, data);
}

static void fill(uint32_t dtype, void *at, void *data)
{
    int *n = data;
    put(dtype, at, dtype == FE_F32 || dtype == FE_F64 ? ((*n * 7 + 3) % 11 - 5) / 4.0 : *n % 3);
    ++*n;
}

static void take(uint32_t dtype, void *at, void *data)
{
    char **text = data;
    put(dtype, at, strtod(*text, text));
}

static void print(uint32_t dtype, void *at, void *data)
{
    (void)data;
    printf(" %.3f", get(dtype, at) + 0.0);
}

/* "[2,6]": how many numbers; the text goes on behind it. */
static uint32_t read_list(char **text, int64_t *list)
{
    uint32_t count = 0;
    for (++*text; **text && !strchr("]}", **text);) {
        list[count++] = strtoll(*text, text, 10);
        if (**text == ',') ++*text;
    }
    ++*text;
    return count;
}

/* f32 [2,6] {6,1} null: from the text behind the number. */
static void describe(tensor *x, char *text)
{
    char name[8];
    int length = 0, n = 0;
    memset(x, 0, sizeof *x);
    if (sscanf(text, " %7s%n", name, &length) != 1 || strcmp(name, "none") == 0) return;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (strcmp(dtypes[i].name, name) == 0) x->t.dtype = dtypes[i].dtype;
    text = strchr(text + length, '[');
    x->t.rank = read_list(&text, x->sizes);
    int64_t step = 1;
    for (uint32_t d = x->t.rank; d-- > 0; step *= x->sizes[d]) x->strides[d] = step;
    char *strides = strchr(text, '{');
    if (strides) read_list(&strides, x->strides);
    x->t.sizes = x->sizes;
    x->t.strides = x->strides;
    x->t.data = x->data;
    char *values = strchr(text, '=');
    if (values) values++;
    each(&x->t, 0, x->data, values ? take : fill, values ? (void *)&values : (void *)&n);
    if (!strides) x->t.strides = NULL; /* contiguous */
    if (strstr(text, "null")) x->t.data = NULL;
    if (strstr(text, "odd")) x->t.data = x->data + 1;
}

static void show(const char *what, int k)
{
    bool is_input = strcmp(what, "in") == 0;
    fe_tensor t = is_input ? in[k].t : got[k];
    if (is_input ? !t.sizes : !has_results) {
        printf("%s %d: nothing\n", what, k);
        return;
    }
    if (!t.strides) t.strides = is_input ? in[k].strides : out[k].strides;
    printf("%s %d [", what, k);
    for (uint32_t d = 0; d < t.rank; d++) printf("%s%lld", d ? "," : "", (long long)t.sizes[d]);
    printf("]{");
    for (uint32_t d = 0; d < t.rank; d++) printf("%s%lld", d ? "," : "", (long long)t.strides[d]);
    printf("}:");
    each(&t, 0, t.data, print, NULL);
    printf("\n");
}

static void make_ready(void)
{
    if (!contexts[current] && artifact->context_new(model, (uint32_t)threads, &contexts[current]))
        exit(1);
}

static void call(void)
{
    fe_tensor inputs[MOST], outputs[MOST];
    make_ready();
    for (int k = 0; k < MOST; k++) {
        inputs[k] = in[k].t;
        outputs[k] = out[k].t;
    }
    int code = artifact->run(contexts[current], inputs, in_count, outputs, out_count);
    has_results = !code;
    if (code) {
        printf("failed %d: %s\n", code, artifact->error(contexts[current]));
        return;
    }
    for (uint32_t k = 0; k < out_count; k++) {
        got[k] = outputs[k];
        if (!out[k].t.data || out[k].t.data != (void *)out[k].data) out[k].t = outputs[k];
    }
}

static void give_back(void)
{
    for (int i = 0; i < 4; i++) {
        if (contexts[i]) artifact->context_free(contexts[i]);
        contexts[i] = NULL;
    }
    artifact->close(model);
    for (int k = 0; k < MOST; k++)
        if (out[k].t.data != (void *)out[k].data) memset(&out[k].t, 0, sizeof out[k].t);
    has_results = false;
}

static int load(void)
{
    const fe_artifact *(*entry)(void);
    blocks = atomic_load(&blocks_held);
    files = files_held();
    library = path ? dlopen(path, RTLD_NOW) : NULL;
    *(void **)&entry = library ? dlsym(library, "ferrite_artifact") : NULL;
    if (!entry) return printf("cannot load: %s\n", dlerror()), 1;
    artifact = entry();
    if (artifact->open(NULL, &model)) return printf("%s\n", artifact->error(NULL)), 1;
    return 0;
}

static int release(bool is_quiet)
{
    give_back();
    dlclose(library);
    if (!is_quiet)
        printf("%ld blocks and %ld files are left\n", atomic_load(&blocks_held) - blocks,
               files_held() - files);
    return load();
}

static int obey(char *line)
{
    char what[8];
    int k = 0, length = 0;
    if (sscanf(line, "in %d%n", &k, &length) == 1 && length)
        describe(&in[k], line + length);
    else if (sscanf(line, "out %d%n", &k, &length) == 1 && length)
        describe(&out[k], line + length);
    else if (sscanf(line, "show %7s %d", what, &k) == 2)
        show(what, k);
    else if (sscanf(line, "context %d", &current) == 1 || sscanf(line, "threads %d", &threads) == 1)
        return 0;
    else if (strncmp(line, "release", 7) == 0)
        return release(strstr(line, "quietly") != NULL);
    else if (sscanf(line, "inputs %u", &in_count) == 1 ||
             sscanf(line, "outputs %u", &out_count) == 1)
        return 0;
    else if (strncmp(line, "ready", 5) == 0)
        make_ready();
    else if (strncmp(line, "run", 3) == 0)
        call();
    else if (strncmp(line, "allocates", 9) == 0) {
        long before = atomic_load(&allocations);
        call();
        printf("%s\n", atomic_load(&allocations) > before ? "it allocated" : "no allocation");
    } else if (strncmp(line, "holds", 5) == 0)
        printf("%lld bytes\n", (long long)artifact->memory_bytes(contexts[current]));
    else
        return printf("what is '%s'?\n", line), 1;
    return 0;
}

int main(int argc, char **argv)
{
    static char reading[BUFSIZ], writing[BUFSIZ];
    char line[1000];
    setvbuf(stdin, reading, _IOFBF, sizeof reading);
    setvbuf(stdout, writing, _IOFBF, sizeof writing);
    path = argc > 1 ? argv[1] : NULL;
    if (load()) return 1;
    in_count = artifact->input_count;
    out_count = artifact->output_count;
    while (fgets(line, sizeof line, stdin))
        if (obey(line)) return 1;
    give_back();
    return 0;
}
