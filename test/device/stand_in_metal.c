/* stand_in_metal.c -- a test tool: the runtime of Objective-C and Metal, as ferrite's driver knows them.
 *
 *     cc -shared -fPIC -I include -DSHIM_FOLDER='"test/device"' test/device/stand_in_metal.c \
 *        test/device/shim_[blm]*.c -o DIR/Metal && ln -s Metal DIR/libobjc.A.dylib
 *     LD_LIBRARY_PATH=DIR ferrite run model.pt2 --device mps
 *
 * So ferrite's own driver of Metal runs. Objects count who keeps them; a message that an object does not
 * know, or that comes at the wrong time, ends the process. Commands are run when somebody waits for them.
 * $STAND_IN_LOG is a file that says in the end how many objects were left.
 */
#define _GNU_SOURCE
#include "shim_block.h"
#include "shim_library.h"
#include "shim_memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BOUND = 31, MOST_WORKS = 4096, MOST_POOLED = 65536, STATUS_DONE = 4, STATUS_ERROR = 5 };

typedef unsigned long NSUInteger;
typedef const char *SEL;
typedef struct MTLSize {
    NSUInteger width, height, depth;
} MTLSize;

typedef struct object object;

/* A launch, or a copy where it has no kernel. */
typedef struct work {
    object *kernel;
    void *bound[MOST_BOUND];
    char bytes[MOST_BOUND][8];
    int is_bytes[MOST_BOUND];
    MTLSize groups, threads;
    void *to;
    const void *from;
    size_t count;
} work;

struct object {
    const char *kind;
    int kept;
    char *text;         /* strings, errors, names of kernels */
    void *memory;       /* buffers */
    size_t bytes;       /* of it */
    void *handle;       /* libraries */
    shim_blocks blocks; /* of their kernels */
    void (*call)(void **bound);
    object *of;        /* what it was made by */
    work *works, next; /* commands; an encoder's next launch */
    uint32_t work_count;
    int has_open_encoder, is_committed, status;
    struct object *before; /* commands that were committed before these */
};

static shim_memory memory = {.lock = PTHREAD_MUTEX_INITIALIZER};
static char why[400];
static const fe_device_host host = {why, sizeof why};
static int alive;

static void die(const char *what, const char *which)
{
    fprintf(stderr, "stand-in of Metal: %s: %s\n", what, which);
    abort();
}

static object *make(const char *kind, object *of)
{
    object *o = calloc(1, sizeof *o);
    o->kind = kind;
    o->kept = 1;
    o->of = of;
    if (of) of->kept++;
    alive++;
    return o;
}

static object *retain(object *o, SEL s)
{
    (void)s;
    o->kept++;
    return o;
}

static void release(object *o, SEL s)
{
    if (!o || --o->kept) return;
    if (o->handle) dlclose(o->handle);
    if (o->memory) shim_release(&memory, o->memory);
    if (o->works) free(o->works);
    object *of = o->of, *before = o->before;
    free(o->text);
    free(o);
    alive--;
    release(of, s);
    release(before, s);
}

/* ---- pools ---- */

static __thread object *pooled[MOST_POOLED];
static __thread size_t pooled_count;

static object *later(object *o)
{
    if (pooled_count == MOST_POOLED) die("a pool is full", o->kind);
    return pooled[pooled_count++] = o;
}

void *objc_autoreleasePoolPush(void)
{
    return (void *)(pooled_count + 1);
}

void objc_autoreleasePoolPop(void *pool)
{
    while (pooled_count > (size_t)pool - 1) release(pooled[--pooled_count], "release");
}

/* ---- strings ---- */

static object *string_new(const char *text)
{
    object *o = later(make("NSString", NULL));
    o->text = strdup(text);
    return o;
}

static object *string_init(object *o, SEL s, const void *at, NSUInteger length, NSUInteger encoding)
{
    if (encoding != 4) die(s, "not UTF-8");
    o->text = strndup(at, length);
    return o;
}

static const char *string_text(object *o, SEL s)
{
    (void)s;
    return o->text;
}

static object *error_text(object *o, SEL s)
{
    (void)s;
    return string_new(o->text);
}

static object *error_new(const char *text)
{
    object *o = later(make("NSError", NULL));
    o->text = strdup(text);
    return o;
}

/* ---- classes and options ---- */

static object *class_alloc(object *o, SEL s)
{
    (void)s;
    return make(o->text, NULL);
}

static object *same(object *o, SEL s)
{
    (void)s;
    return o;
}

static void want_no_fast_math(object *o, SEL s, signed char on)
{
    (void)o;
    if (on) die(s, "numbers would not be as they are written");
}

static void want_2_4(object *o, SEL s, NSUInteger version)
{
    (void)o;
    if (version != (2 << 16) + 4) die(s, "another language");
}

/* ---- devices, buffers and libraries ---- */

static object *device_name(object *o, SEL s)
{
    (void)o, (void)s;
    return string_new("a stand-in of Metal");
}

static uint64_t device_memory(object *o, SEL s)
{
    (void)o, (void)s;
    return 1u << 30;
}

static object *new_buffer(object *o, SEL s, NSUInteger bytes, NSUInteger mode)
{
    if (mode != 0 || bytes == 0) die(s, "not shared, or empty");
    object *made = make("MTLBuffer", o);
    made->memory = shim_allocate(&memory, bytes);
    made->bytes = bytes;
    return made;
}

static void *buffer_contents(object *o, SEL s)
{
    (void)s;
    return o->memory;
}

static object *new_library(object *o, SEL s, object *source, object *options, object **error)
{
    static const shim_language language = {"stand_in_metal.h",
                                           "-std=gnu++14 -fsingle-precision-constant"};
    static const char BEGINS[] = "KERNEL void ";
    char *text = NULL, library[500];
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    if (strcmp(options->kind, "MTLCompileOptions") != 0) die(s, "no options");
    fputs(source->text, file);
    for (const char *at = source->text; (at = strstr(at, BEGINS));) {
        at += sizeof BEGINS - 1;
        int length = (int)strcspn(at, "(");
        fprintf(file, "extern \"C\" void call_%.*s(void **b) { stand_in_call(%.*s, b); }\n", length,
                at, length, at);
    }
    fclose(file);
    int failed = shim_make(&language, text, bytes, library, sizeof library, &host);
    free(text);
    object *made = failed ? NULL : make("MTLLibrary", o);
    if (made) made->handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (made && made->handle) shim_find_blocks(made->handle, &made->blocks);
    if (failed) *error = error_new(why);
    return made;
}

static object *new_function(object *o, SEL s, object *name)
{
    char symbol[400];
    (void)s;
    snprintf(symbol, sizeof symbol, "call_%s", name->text);
    void *found = dlsym(o->handle, symbol);
    if (!found) return NULL;
    object *made = make("MTLFunction", o);
    memcpy(&made->call, &found, sizeof found);
    made->text = strdup(name->text);
    return made;
}

static object *new_pipeline(object *o, SEL s, object *function, object **error)
{
    (void)o, (void)s, (void)error;
    return make("MTLComputePipelineState", function);
}

static NSUInteger most_threads(object *o, SEL s)
{
    (void)o, (void)s;
    return 256;
}

/* ---- queues and commands ---- */

static object *new_queue(object *o, SEL s)
{
    (void)s;
    return make("MTLCommandQueue", o);
}

static object *new_commands(object *o, SEL s)
{
    (void)s;
    return later(make("MTLCommandBuffer", o));
}

static object *new_encoder(object *o, SEL s)
{
    if (o->has_open_encoder || o->is_committed) die(s, "an encoder is open, or it was committed");
    o->has_open_encoder = 1;
    return later(make(*s == 'b' ? "blit" : "compute", o));
}

static void end_encoding(object *o, SEL s)
{
    if (!o->of->has_open_encoder) die(s, "it has ended");
    o->of->has_open_encoder = 0;
}

static void set_kernel(object *o, SEL s, object *pipeline)
{
    (void)s;
    o->next.kernel = pipeline;
}

static void check_index(SEL s, NSUInteger index)
{
    if (index >= MOST_BOUND) die(s, "there are 31 places");
}

static void set_buffer(object *o, SEL s, object *buffer, NSUInteger offset, NSUInteger index)
{
    check_index(s, index);
    if (offset > buffer->bytes) die(s, "behind the buffer");
    o->next.bound[index] = (char *)buffer->memory + offset;
    o->next.is_bytes[index] = 0;
}

static void set_bytes(object *o, SEL s, const void *at, NSUInteger length, NSUInteger index)
{
    check_index(s, index);
    if (length != 8) die(s, "not 8");
    memcpy(o->next.bytes[index], at, length);
    o->next.is_bytes[index] = 1;
}

static void put(object *encoder, SEL s, const work *w)
{
    object *c = encoder->of;
    if (!c->has_open_encoder) die(s, "the encoder has ended");
    if (!c->works) c->works = calloc(MOST_WORKS, sizeof *c->works);
    if (c->work_count == MOST_WORKS) die(s, "too many");
    c->works[c->work_count++] = *w;
}

static void dispatch(object *o, SEL s, MTLSize groups, MTLSize threads)
{
    if (groups.height != 1 || groups.depth != 1 || threads.height != 1 || threads.depth != 1)
        die(s, "more than one dimension");
    o->next.groups = groups;
    o->next.threads = threads;
    put(o, s, &o->next);
}

static void copy(object *o, SEL s, object *from, NSUInteger from_at, object *to, NSUInteger to_at,
                 NSUInteger bytes)
{
    if ((from_at | to_at | bytes) % 4) die(s, "the device copies words");
    if (from_at + bytes > from->bytes || to_at + bytes > to->bytes) die(s, "behind the buffer");
    put(o, s,
        &(work){.to = (char *)to->memory + to_at,
                .from = (char *)from->memory + from_at,
                .count = bytes});
}

/* The queue's last commands are those after which these come. */
static void commit(object *o, SEL s)
{
    if (o->has_open_encoder || o->is_committed) die(s, "an encoder is open, or it was committed");
    o->is_committed = 1;
    o->before = o->of->before;
    o->of->before = retain(o, s);
}

static void call_kernel(const void *data)
{
    const work *w = data;
    w->kernel->of->call((void **)(uintptr_t)w->bound);
}

static void run(object *o)
{
    for (uint32_t k = 0; k < o->work_count; k++) {
        work *w = &o->works[k];
        if (!w->kernel) {
            memmove(w->to, w->from, w->count);
            continue;
        }
        for (int i = 0; i < MOST_BOUND; i++)
            if (w->is_bytes[i]) w->bound[i] = w->bytes[i];
        const shim_launch launch = {.blocks = &w->kernel->of->of->blocks,
                                    .call = call_kernel,
                                    .data = w,
                                    .name = w->kernel->of->text,
                                    .count = (int64_t)w->groups.width,
                                    .width = (unsigned)w->threads.width,
                                    .is_in_step = 1,
                                    .host = &host};
        if (shim_run(&launch)) o->status = STATUS_ERROR;
    }
}

static void wait_until_done(object *o, SEL s)
{
    if (!o->is_committed) die(s, "it was not committed");
    if (o->status) return;
    if (o->before) wait_until_done(o->before, s);
    release(o->before, s);
    o->before = NULL;
    o->status = STATUS_DONE;
    run(o);
    if (o->of->before != o) return;
    o->of->before = NULL;
    release(o, s);
}

static NSUInteger status(object *o, SEL s)
{
    (void)s;
    return (NSUInteger)o->status;
}

static object *commands_error(object *o, SEL s)
{
    (void)o, (void)s;
    return error_new(why);
}

static double time_of(object *o, SEL s)
{
    (void)o;
    return strcmp(s, "GPUEndTime") == 0 ? 2e-6 : 1e-6;
}

/* ---- messages ---- */

typedef void method(void);
#define METHOD(kind, selector, function)     \
    {                                        \
        kind, selector, (method *)(function) \
    }
static const struct {
    const char *kind, *selector;
    method *function;
} METHODS[] = {METHOD("", "retain", retain),
               METHOD("", "release", release),
               METHOD("class", "alloc", class_alloc),
               METHOD("NSString", "initWithBytes:length:encoding:", string_init),
               METHOD("NSString", "UTF8String", string_text),
               METHOD("NSError", "localizedDescription", error_text),
               METHOD("MTLCompileOptions", "init", same),
               METHOD("MTLCompileOptions", "setFastMathEnabled:", want_no_fast_math),
               METHOD("MTLCompileOptions", "setLanguageVersion:", want_2_4),
               METHOD("MTLDevice", "name", device_name),
               METHOD("MTLDevice", "recommendedMaxWorkingSetSize", device_memory),
               METHOD("MTLDevice", "newBufferWithLength:options:", new_buffer),
               METHOD("MTLDevice", "newLibraryWithSource:options:error:", new_library),
               METHOD("MTLDevice", "newComputePipelineStateWithFunction:error:", new_pipeline),
               METHOD("MTLDevice", "newCommandQueue", new_queue),
               METHOD("MTLBuffer", "contents", buffer_contents),
               METHOD("MTLLibrary", "newFunctionWithName:", new_function),
               METHOD("MTLComputePipelineState", "maxTotalThreadsPerThreadgroup", most_threads),
               METHOD("MTLCommandQueue", "commandBuffer", new_commands),
               METHOD("MTLCommandBuffer", "computeCommandEncoder", new_encoder),
               METHOD("MTLCommandBuffer", "blitCommandEncoder", new_encoder),
               METHOD("MTLCommandBuffer", "commit", commit),
               METHOD("MTLCommandBuffer", "waitUntilCompleted", wait_until_done),
               METHOD("MTLCommandBuffer", "status", status),
               METHOD("MTLCommandBuffer", "error", commands_error),
               METHOD("MTLCommandBuffer", "GPUEndTime", time_of),
               METHOD("MTLCommandBuffer", "GPUStartTime", time_of),
               METHOD("compute", "setComputePipelineState:", set_kernel),
               METHOD("compute", "setBuffer:offset:atIndex:", set_buffer),
               METHOD("compute", "setBytes:length:atIndex:", set_bytes),
               METHOD("compute", "dispatchThreadgroups:threadsPerThreadgroup:", dispatch),
               METHOD("compute", "endEncoding", end_encoding),
               METHOD("blit", "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:", copy),
               METHOD("blit", "endEncoding", end_encoding)};

/* Called with the arguments of the message at hand, which the method is given as they are. */
__attribute__((visibility("hidden"), used)) method *stand_in_method(const object *o, SEL selector)
{
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++)
        if ((!*METHODS[i].kind || strcmp(METHODS[i].kind, o->kind) == 0) &&
            strcmp(METHODS[i].selector, selector) == 0)
            return METHODS[i].function;
    die(o->kind, selector);
    return NULL;
}

#if defined(__x86_64__)
__asm__(".text\n.globl objc_msgSend\n.type objc_msgSend, @function\nobjc_msgSend:\n"
        "  push %rdi\n  push %rsi\n  push %rdx\n  push %rcx\n  push %r8\n  push %r9\n"
        "  sub $8, %rsp\n  call stand_in_method\n  add $8, %rsp\n"
        "  pop %r9\n  pop %r8\n  pop %rcx\n  pop %rdx\n  pop %rsi\n  pop %rdi\n  jmp *%rax\n");
#elif defined(__aarch64__)
__asm__(".text\n.globl objc_msgSend\n.type objc_msgSend, %function\nobjc_msgSend:\n"
        "  stp x29, x30, [sp, #-80]!\n  stp x0, x1, [sp, #16]\n  stp x2, x3, [sp, #32]\n"
        "  stp x4, x5, [sp, #48]\n  stp x6, x7, [sp, #64]\n  bl stand_in_method\n  mov x16, x0\n"
        "  ldp x0, x1, [sp, #16]\n  ldp x2, x3, [sp, #32]\n  ldp x4, x5, [sp, #48]\n"
        "  ldp x6, x7, [sp, #64]\n  ldp x29, x30, [sp], #80\n  br x16\n");
#endif

SEL sel_registerName(const char *name)
{
    return name;
}

object *objc_getClass(const char *name)
{
    static object classes[] = {{.kind = "class", .kept = 1, .text = (char *)"NSString"},
                               {.kind = "class", .kept = 1, .text = (char *)"MTLCompileOptions"}};
    return &classes[strcmp(name, "NSString") != 0];
}

object *MTLCreateSystemDefaultDevice(void)
{
    return make("MTLDevice", NULL);
}

__attribute__((destructor)) static void say_what_is_left(void)
{
    const char *log = getenv("STAND_IN_LOG");
    FILE *file = log ? fopen(log, "a") : NULL;
    if (!file) return;
    fprintf(file, "%d objects are left\n", alive);
    fclose(file);
}
