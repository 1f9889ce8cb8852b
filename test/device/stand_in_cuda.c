/* stand_in_cuda.c -- a test tool: the functions of libcuda.so.1 and libnvrtc.so that ferrite calls.
 *
 *     cc -shared -fPIC -I include -DSHIM_FOLDER='"test/device"' test/device/stand_in_cuda.c \
 *        test/device/shim_[blm]*.c -o DIR/libcuda.so.1
 *     LD_LIBRARY_PATH=DIR CUDA_NVRTC=DIR/libcuda.so.1 ferrite run model.pt2 --device cuda
 *
 * So ferrite's own driver of CUDA runs, on the host. What the compiler makes is a name of its architecture
 * and the path of a library (shim_library.c), whose kernels a launch runs (shim_block.c). $STAND_IN_SM is the
 * architecture of the device (75); what does not fit it is not loaded. $STAND_IN_LOG is a file that says
 * what was.
 */
#define _GNU_SOURCE
#include "shim_block.h"
#include "shim_library.h"
#include "shim_memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_OF_MEMORY = 2, INVALID = 1, NOT_FOUND = 500, WRONG_IMAGE = 209, MAJOR = 75, MINOR = 76 };

typedef unsigned long long address_of_device;

static shim_memory memory = {.lock = PTHREAD_MUTEX_INITIALIZER};
static char why[400];
static const fe_device_host host = {why, sizeof why};

static int here(void)
{
    const char *sm = getenv("STAND_IN_SM");
    return sm ? atoi(sm) : 75;
}

static void note(const char *what)
{
    const char *log = getenv("STAND_IN_LOG");
    FILE *file = log ? fopen(log, "a") : NULL;
    if (!file) return;
    fprintf(file, "%s\n", what);
    fclose(file);
}

/* ---- the compiler ---- */

struct program {
    char *source;
    char made[600]; /* "sm_90 PATH" */
    int is_machine_code;
};

int nvrtcCreateProgram(struct program **out, const char *source, const char *name, int count,
                       const char *const *headers, const char *const *names)
{
    (void)name, (void)count, (void)headers, (void)names;
    *out = calloc(1, sizeof **out);
    (*out)->source = strdup(source);
    return 0;
}

int nvrtcDestroyProgram(struct program **p)
{
    free((*p)->source);
    free(*p);
    return 0;
}

/* A function for each kernel, which are found by how they begin. */
static char *with_callers(const char *source, size_t *bytes)
{
    static const char BEGINS[] = "KERNEL void ";
    char *text = NULL;
    FILE *file = open_memstream(&text, bytes);
    fputs(source, file);
    for (const char *at = source; (at = strstr(at, BEGINS));) {
        at += sizeof BEGINS - 1;
        int length = (int)strcspn(at, "(");
        fprintf(file, "extern \"C\" void call_%.*s(void **p) { stand_in_call(%.*s, p); }\n", length,
                at, length, at);
    }
    fclose(file);
    return text;
}

int nvrtcCompileProgram(struct program *p, int count, const char *const *options)
{
    static const shim_language language = {"stand_in_cuda.h", "-std=gnu++17"};
    static const char ARCHITECTURE[] = "--gpu-architecture=";
    const char *architecture = "";
    char library[500];
    size_t bytes = 0;
    for (int i = 0; i < count; i++)
        if (strncmp(options[i], ARCHITECTURE, sizeof ARCHITECTURE - 1) == 0)
            architecture = options[i] + sizeof ARCHITECTURE - 1;
    char *text = with_callers(p->source, &bytes);
    int failed = shim_make(&language, text, bytes, library, sizeof library, &host);
    free(text);
    p->is_machine_code = strncmp(architecture, "sm_", 3) == 0;
    snprintf(p->made, sizeof p->made, "%s %s", architecture, library);
    snprintf(why, sizeof why, "made %s", architecture);
    if (!failed) note(why);
    return failed ? 6 : 0;
}

int nvrtcGetProgramLogSize(struct program *p, size_t *bytes)
{
    (void)p;
    *bytes = sizeof why;
    return 0;
}

int nvrtcGetProgramLog(struct program *p, char *to)
{
    (void)p;
    memcpy(to, why, sizeof why);
    return 0;
}

static int take(const struct program *p, int wanted, char *to)
{
    if (p->is_machine_code != wanted) return INVALID;
    memcpy(to, p->made, sizeof p->made);
    return 0;
}

int nvrtcGetPTXSize(struct program *p, size_t *bytes)
{
    *bytes = p->is_machine_code ? 0 : sizeof p->made;
    return 0;
}

int nvrtcGetPTX(struct program *p, char *to)
{
    return take(p, 0, to);
}

int nvrtcGetCUBINSize(struct program *p, size_t *bytes)
{
    *bytes = p->is_machine_code ? sizeof p->made : 0;
    return 0;
}

int nvrtcGetCUBIN(struct program *p, char *to)
{
    return take(p, 1, to);
}

int nvrtcGetNumSupportedArchs(int *count)
{
    *count = 2;
    return 0;
}

int nvrtcGetSupportedArchs(int *to)
{
    to[0] = 75;
    to[1] = 90;
    return 0;
}

/* ---- the driver ---- */

int cuInit(unsigned flags)
{
    return (int)flags;
}

int cuGetErrorString(int status, const char **out)
{
    *out = status == OUT_OF_MEMORY ? "out of memory"
           : status == WRONG_IMAGE ? "no kernel image is available for the device"
           : why[0]                ? why
                                   : "the stand-in says no";
    return 0;
}

int cuDeviceGet(int *out, int number)
{
    *out = number;
    return 0;
}

int cuDeviceGetCount(int *out)
{
    *out = 1;
    return 0;
}

int cuDeviceGetName(char *to, int bytes, int device)
{
    (void)device;
    snprintf(to, (size_t)bytes, "a stand-in of sm_%d", here());
    return 0;
}

int cuDeviceTotalMem_v2(size_t *out, int device)
{
    (void)device;
    *out = 1u << 30;
    return 0;
}

int cuDeviceGetAttribute(int *out, int which, int device)
{
    (void)device;
    *out = which == MAJOR ? here() / 10 : which == MINOR ? here() % 10 : 1;
    return 0;
}

int cuDevicePrimaryCtxRetain(void **out, int device)
{
    (void)device;
    *out = &memory;
    return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    return device;
}

int cuCtxSetCurrent(void *context)
{
    return context == &memory ? 0 : INVALID;
}

int cuMemAlloc_v2(address_of_device *out, size_t bytes)
{
    *out = (address_of_device)(uintptr_t)shim_allocate(&memory, bytes);
    return *out ? 0 : OUT_OF_MEMORY;
}

int cuMemFree_v2(address_of_device at)
{
    if (!shim_holds(&memory, (void *)(uintptr_t)at, 0)) return INVALID;
    shim_release(&memory, (void *)(uintptr_t)at);
    return 0;
}

int cuPointerGetAttribute(void *out, int which, address_of_device at)
{
    enum { MEMORY_TYPE = 2, ON_DEVICE = 2 };
    if (!shim_holds(&memory, (void *)(uintptr_t)at, 1)) return INVALID;
    *(unsigned *)out = which == MEMORY_TYPE ? ON_DEVICE : 0;
    return 0;
}

int cuMemHostAlloc(void **out, size_t bytes, unsigned flags)
{
    (void)flags;
    *out = aligned_alloc(64, (bytes + 63) / 64 * 64);
    return *out ? 0 : OUT_OF_MEMORY;
}

int cuMemFreeHost(void *at)
{
    free(at);
    return 0;
}

struct module {
    void *handle;
    shim_blocks blocks;
    struct function *functions;
};

struct function {
    struct module *module;
    void (*call)(void **parameters);
    char name[300];
    struct function *next; /* of the module */
};

/* Machine code runs on its generation from where it was made on, PTX on all from there. */
static int runs_here(const char *image)
{
    int made = 0, at = here();
    if (sscanf(image, "sm_%d ", &made) == 1) return made <= at && made / 10 == at / 10;
    return sscanf(image, "compute_%d ", &made) == 1 && made <= at;
}

int cuModuleLoadData(struct module **out, const void *image)
{
    char said[64];
    const char *path = strchr(image, ' ');
    if (!path || !runs_here(image)) return WRONG_IMAGE;
    struct module *m = *out = calloc(1, sizeof *m);
    m->handle = dlopen(path + 1, RTLD_NOW | RTLD_LOCAL);
    if (!m->handle) return NOT_FOUND;
    shim_find_blocks(m->handle, &m->blocks);
    snprintf(said, sizeof said, "loaded %.*s", (int)(path - (const char *)image),
             (const char *)image);
    note(said);
    return 0;
}

int cuModuleUnload(struct module *m)
{
    for (struct function *f = m->functions, *next; f; f = next) {
        next = f->next;
        free(f);
    }
    dlclose(m->handle);
    free(m);
    return 0;
}

int cuModuleGetFunction(struct function **out, struct module *m, const char *name)
{
    struct function *f = *out = calloc(1, sizeof *f);
    snprintf(f->name, sizeof f->name, "call_%s", name);
    f->module = m;
    f->next = m->functions;
    m->functions = f;
    void *found = dlsym(m->handle, f->name);
    memcpy(&f->call, &found, sizeof found);
    return found ? 0 : NOT_FOUND;
}

typedef struct called {
    const struct function *function;
    void **parameters;
} called;

static void call(const void *data)
{
    const called *c = data;
    c->function->call(c->parameters);
}

int cuLaunchKernel(struct function *f, unsigned x, unsigned y, unsigned z, unsigned width,
                   unsigned depth, unsigned height, unsigned shared, void *stream,
                   void **parameters, void **more)
{
    const called data = {f, parameters};
    const shim_launch w = {.blocks = &f->module->blocks,
                           .call = call,
                           .data = &data,
                           .name = f->name,
                           .count = x,
                           .width = width,
                           .is_in_step = 1,
                           .host = &host};
    if (y != 1 || z != 1 || depth != 1 || height != 1 || shared || !stream || more) return INVALID;
    return shim_run(&w) ? NOT_FOUND : 0;
}

/* All is done when it is asked for. */
int cuStreamCreate(void **out, unsigned flags)
{
    (void)flags;
    *out = malloc(1);
    return 0;
}

int cuStreamDestroy_v2(void *stream)
{
    free(stream);
    return 0;
}

int cuStreamSynchronize(void *stream)
{
    return stream ? 0 : INVALID;
}

static int copy(void *to, const void *from, size_t bytes, const void *there, const void *stream)
{
    if (!stream || !shim_holds(&memory, there, bytes)) return INVALID;
    memmove(to, from, bytes);
    return 0;
}

int cuMemcpyHtoDAsync_v2(address_of_device to, const void *from, size_t bytes, void *stream)
{
    void *there = (void *)(uintptr_t)to;
    return copy(there, from, bytes, there, stream);
}

int cuMemcpyDtoHAsync_v2(void *to, address_of_device from, size_t bytes, void *stream)
{
    const void *there = (void *)(uintptr_t)from;
    return copy(to, there, bytes, there, stream);
}

int cuMemcpyDtoDAsync_v2(address_of_device to, address_of_device from, size_t bytes, void *stream)
{
    void *target = (void *)(uintptr_t)to;
    const void *source = (void *)(uintptr_t)from;
    if (!shim_holds(&memory, source, bytes)) return INVALID;
    return copy(target, source, bytes, target, stream);
}

int cuEventCreate(void **out, unsigned flags)
{
    return cuStreamCreate(out, flags);
}

int cuEventRecord(void *event, void *stream)
{
    return event && stream ? 0 : INVALID;
}

int cuEventSynchronize(void *event)
{
    return event ? 0 : INVALID;
}

int cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    return event && stream && !flags ? 0 : INVALID;
}

int cuEventElapsedTime(float *out, void *from, void *to)
{
    *out = 1;
    return from && to ? 0 : INVALID;
}

int cuEventDestroy_v2(void *event)
{
    free(event);
    return 0;
}
