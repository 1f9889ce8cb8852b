/* shim.c -- a test tool: kernels of CUDA, or of Metal (-DSHIM_METAL), on a machine that has neither.
 *
 *     cc -shared -fPIC -I include -DSHIM_FOLDER='"test/device"' test/device/shim*.c -o build/shim_cuda.so
 *     ferrite check test/cases --device cuda --devices build/shim_cuda.so
 *
 * A driver (ferrite_device.h) in place of ferrite's own. It takes the kernels as they are printed, compiles
 * them by the host's C++ compiler ($CXX, else c++) behind a header that gives them the names of their
 * dialect (shim_cuda.h, shim_metal.h), and runs them: shim_block.c. Memory of the device ends at a page that
 * nobody may touch. Work is done when it is put into a queue: examples/device/delayed.c is late.
 */
#define _GNU_SOURCE
#include "shim_block.h"
#include "shim_library.h"
#include "shim_memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SHIM_METAL
#define KIND "mps"
#define NAMES "shim_metal.h"
/* literals without a suffix are float there */
#define FLAGS "-std=gnu++14 -fsingle-precision-constant"
enum { HAS_F64 = 0 };
#else
#define KIND "cuda"
#define NAMES "shim_cuda.h"
#define FLAGS "-std=gnu++17"
enum { HAS_F64 = 1 };
#endif

enum { BLOCK = 256 };

/* ---- devices and their memory ---- */

struct fe_device {
    fe_device_host host;
    shim_memory memory;
};

static int say(fe_device *d, int code, const char *what)
{
    snprintf(d->host.message, d->host.message_bytes, "%s", what);
    return code;
}

static int device_open(int32_t index, const fe_device_host *host, fe_device **out)
{
    fe_device *d = *out = calloc(1, sizeof *d);
    (void)index;
    if (!d) return FE_RUN_NO_MEMORY;
    d->host = *host;
    shim_memory_begin(&d->memory);
    return 0;
}

static void device_close(fe_device *d)
{
    if (shim_memory_end(&d->memory))
        fprintf(stderr, "shim: memory of the device was not released\n");
    free(d);
}

static void describe(fe_device *d, fe_device_facts *out)
{
    (void)d;
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "the host's shim of %s", KIND);
    out->units = 1;
    out->has_f64 = HAS_F64;
}

static int allocate(fe_device *d, int64_t bytes, void **address)
{
    *address = shim_allocate(&d->memory, (size_t)bytes);
    return *address ? 0 : say(d, FE_RUN_NO_MEMORY, "no memory");
}

static void release(fe_device *d, void *address)
{
    shim_release(&d->memory, address);
}

static int holds(fe_device *d, const void *address, int64_t bytes)
{
    return shim_holds(&d->memory, address, (size_t)bytes);
}

static int owns(fe_device *d, const void *address)
{
    return holds(d, address, 1);
}

static int allocate_pinned(fe_device *d, int64_t bytes, void **memory)
{
    *memory = aligned_alloc(64, ((size_t)bytes + 64) / 64 * 64);
    return *memory ? 0 : say(d, FE_RUN_NO_MEMORY, "no memory");
}

static void release_pinned(fe_device *d, void *memory)
{
    (void)d;
    free(memory);
}

/* ---- kernels: a library, with a function for each that takes its parameters in two arrays ---- */

/* A kernel with its parameters in two arrays. */
typedef void kernel_caller(int64_t *fault, int64_t rows, int64_t columns, void *const *buffers,
                           const int64_t *ints);

struct fe_device_module {
    fe_device *device;
    void *handle;
    kernel_caller **callers;
    char **names;
    uint32_t *groups, count;
    shim_blocks blocks;
};

static void write_caller(FILE *file, const fe_device_kernel *k)
{
    fprintf(
        file,
        "extern \"C\" void call_%s(i64 *fault, i64 rows, i64 columns, void *const *b, const i64 "
        "*p)\n{\n  %s(SHIM_FIRST",
        k->name, k->name);
    for (uint32_t i = 0; i < k->buffer_count; i++) fprintf(file, ", SHIM_BUFFER(b[%u])", i);
    for (uint32_t i = 0; i < k->int_count; i++) fprintf(file, ", p[%u]", i);
    fprintf(file, ");\n}\n");
}

static char *text_of(const fe_device_code *code, size_t *bytes)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, bytes);
    if (!file) return NULL;
    fwrite(code->source, 1, code->bytes, file);
    for (uint32_t k = 0; k < code->kernel_count; k++) write_caller(file, &code->kernels[k]);
    fclose(file);
    return text;
}

/* Words of C++ that the dialect has not, where a header cannot tell. */
static int has_foreign_words(const fe_device_code *code)
{
    return !HAS_F64 && (strstr(code->source, "long long") || strstr(code->source, "ull "));
}

static int compile(fe_device *d, const fe_device_code *code, fe_device_module *m)
{
    static const shim_language language = {NAMES, FLAGS};
    if (has_foreign_words(code)) return say(d, FE_RUN_BAD_PROCESSOR, "Metal has no long long");
    size_t bytes = 0;
    char *text = text_of(code, &bytes), library[512];
    if (!text) return FE_RUN_NO_MEMORY;
    int result = shim_make(&language, text, bytes, library, sizeof library, &d->host);
    if (result == 0) m->handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (result == 0 && !m->handle) result = say(d, FE_RUN_BAD_PROCESSOR, dlerror());
    if (result == 0) shim_forget(library);
    free(text);
    return result;
}

static void *find(const fe_device_module *m, const char *name)
{
    char symbol[512];
    snprintf(symbol, sizeof symbol, "call_%s", name);
    return dlsym(m->handle, symbol);
}

static int find_all(fe_device_module *m, const fe_device_code *code)
{
    shim_find_blocks(m->handle, &m->blocks);
    for (; m->count < code->kernel_count; m->count++) {
        void *caller = find(m, code->kernels[m->count].name);
        if (!caller) return say(m->device, FE_RUN_BAD_PROCESSOR, "a kernel is missing");
        memcpy(&m->callers[m->count], &caller, sizeof caller);
        m->names[m->count] = strdup(code->kernels[m->count].name);
        m->groups[m->count] = code->groups ? code->groups[m->count] : 0;
    }
    return 0;
}

static void unload(fe_device_module *m)
{
    if (m->handle) dlclose(m->handle);
    for (uint32_t k = 0; k < m->count; k++) free(m->names[k]);
    free(m->callers);
    free(m->names);
    free(m->groups);
    free(m);
}

static int load(fe_device *d, const fe_device_code *code, fe_device_module **out)
{
    fe_device_module *m = calloc(1, sizeof *m);
    *out = NULL;
    if (!m) return FE_RUN_NO_MEMORY;
    m->device = d;
    m->callers = calloc(code->kernel_count + 1, sizeof *m->callers);
    m->names = calloc(code->kernel_count + 1, sizeof *m->names);
    m->groups = calloc(code->kernel_count + 1, sizeof *m->groups);
    int result = m->callers && m->names && m->groups ? compile(d, code, m) : FE_RUN_NO_MEMORY;
    if (result == 0) result = find_all(m, code);
    if (result)
        unload(m);
    else
        *out = m;
    return result;
}

/* ---- queues: all is done at once ---- */

struct fe_device_queue {
    fe_device *device;
    int64_t ticks; /* work-items and bytes so far: its clock */
};

struct fe_device_mark {
    int64_t ticks;
};

typedef struct called {
    kernel_caller *caller;
    const fe_device_launch *launch;
} called;

static void call(const void *data)
{
    const called *c = data;
    const fe_device_launch *l = c->launch;
    c->caller(l->fault, l->rows, l->columns, l->buffers, l->ints);
}

static int launch(fe_device_queue *q, const fe_device_launch *l)
{
    fe_device *d = q->device;
    uint32_t group = l->module->groups[l->kernel];
    const called data = {l->module->callers[l->kernel], l};
    shim_launch w = {.blocks = &l->module->blocks,
                     .call = call,
                     .data = &data,
                     .name = l->module->names[l->kernel],
                     .width = group ? group : BLOCK,
                     .is_in_step = group != 0,
                     .host = &d->host};
    w.count = (l->rows * l->columns + w.width - 1) / w.width;
    for (uint32_t i = 0; i < l->buffer_count; i++)
        if (l->buffers[i] && !holds(d, l->buffers[i], 0))
            return say(d, FE_RUN_BAD_INPUT, "a buffer is in no memory of this device");
    if (group && l->columns != group)
        return say(d, FE_RUN_BAD_INPUT, "a work-group is not as large as its kernel says");
    q->ticks += l->rows * l->columns;
    return shim_run(&w);
}

static int move(fe_device_queue *q, void *to, const void *from, int64_t bytes, int is_mine)
{
    if (!is_mine)
        return say(q->device, FE_RUN_BAD_INPUT, "an address is in no memory of this device");
    memmove(to, from, (size_t)bytes);
    q->ticks += bytes;
    return 0;
}

static int write_memory(fe_device_queue *q, void *address, const void *memory, int64_t bytes)
{
    return move(q, address, memory, bytes, holds(q->device, address, bytes));
}

static int read_memory(fe_device_queue *q, void *memory, const void *address, int64_t bytes)
{
    return move(q, memory, address, bytes, holds(q->device, address, bytes));
}

static int copy_memory(fe_device_queue *q, void *to, const void *from, int64_t bytes)
{
    return move(q, to, from, bytes, holds(q->device, to, bytes) && holds(q->device, from, bytes));
}

static int queue_new(fe_device *d, fe_device_queue **out)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return FE_RUN_NO_MEMORY;
    (*out)->device = d;
    return 0;
}

static void queue_free(fe_device_queue *q)
{
    free(q);
}

static int record(fe_device_queue *q, fe_device_mark **out)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return FE_RUN_NO_MEMORY;
    (*out)->ticks = q->ticks;
    return 0;
}

static int wait_for(fe_device_mark *mark)
{
    free(mark);
    return 0;
}

static int elapsed(fe_device_mark *from, fe_device_mark *to, int64_t *nanoseconds)
{
    *nanoseconds = 1000 * (to->ticks - from->ticks);
    free(from);
    free(to);
    return 0;
}

const fe_device_driver *ferrite_device(void)
{
    static const fe_device_driver driver = {.version = FE_DEVICE_VERSION,
                                            .struct_bytes = sizeof driver,
                                            .kind = KIND,
                                            .open = device_open,
                                            .close = device_close,
                                            .describe = describe,
                                            .allocate = allocate,
                                            .release = release,
                                            .allocate_pinned = allocate_pinned,
                                            .release_pinned = release_pinned,
                                            .load = load,
                                            .unload = unload,
                                            .queue_new = queue_new,
                                            .queue_free = queue_free,
                                            .write = write_memory,
                                            .read = read_memory,
                                            .copy = copy_memory,
                                            .launch = launch,
                                            .record = record,
                                            .wait = wait_for,
                                            .owns = owns,
                                            .timed_queue_new = queue_new,
                                            .elapsed = elapsed};
    return &driver;
}
