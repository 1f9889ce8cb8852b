/* rt_metal.c - the driver of Metal, by messages to the runtime of Objective-C, which is found with it when a
 * device is opened: nothing here needs a compiler or headers of Apple's.
 *
 * Buffers are shared with the CPU, so that an address is where their contents are, and a copy to or from the
 * host waits for what is in the queue and is a memcpy. Kernels are put into a command buffer until somebody
 * marks the queue; that is when it is handed over.
 */
#include "rt_program.h"
#include "rt_ranges.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is used of Objective-C and Metal ---- */

typedef void *id; /* an object */
typedef void *SEL;
typedef unsigned long NSUInteger;
typedef struct MTLSize {
    NSUInteger width, height, depth;
} MTLSize;

enum {
    UTF8 = 4,
    LANGUAGE_2_4 = (2 << 16) + 4,
    STORAGE_SHARED = 0,
    STATUS_ERROR = 5,
    BLOCK = 256, /* work-items side by side where there are no work-groups */
    FIRST = 3    /* parameters in front of buffers: fault, rows, columns */
};

struct fe_device {
    void *objc, *metal; /* libraries */
    void (*send)(void); /* objc_msgSend: called as the method that a message reaches */
    SEL (*selector)(const char *);
    id (*class_named)(const char *);
    void *(*pool_push)(void);
    void (*pool_pop)(void *);
    fe_device_host host;
    id device;
    rt_ranges buffers;
};

struct fe_device_module {
    fe_device *device;
    id library;
    id *kernels; /* pipelines */
    uint32_t *groups, count;
};

struct fe_device_queue {
    fe_device *device;
    id queue;
    id commands, encoder; /* under way, or NULL */
    id last;              /* that were handed over */
    int copies;           /* the encoder does */
};

struct fe_device_mark {
    fe_device *device;
    id commands; /* the last before it; NULL: there were none */
};

/* The message to the object, as the function that it is: SEND(d, id, (id, SEL, NSUInteger))(object, ...). */
#define SEND(d, result, parameters) ((result(*) parameters)(d)->send)

static id ask(const fe_device *d, id object, const char *what)
{
    return SEND(d, id, (id, SEL))(object, d->selector(what));
}

static NSUInteger number_of(const fe_device *d, id object, const char *what)
{
    return SEND(d, NSUInteger, (id, SEL))(object, d->selector(what));
}

static id kept(const fe_device *d, id object)
{
    return object ? ask(d, object, "retain") : NULL;
}

static void drop(const fe_device *d, id object)
{
    if (object) SEND(d, void, (id, SEL))(object, d->selector("release"));
}

static id string_of(const fe_device *d, const char *at, size_t bytes)
{
    id made = ask(d, d->class_named("NSString"), "alloc");
    return SEND(d, id, (id, SEL, const void *, NSUInteger, NSUInteger))(
        made, d->selector("initWithBytes:length:encoding:"), at, bytes, UTF8);
}

static int say(const fe_device *d, int code, const char *what, const char *why)
{
    snprintf(d->host.message, d->host.message_bytes, "%s%s%s", what, *why ? ": " : "", why);
    return code;
}

/* The first line of an NSError. */
static int fail(const fe_device *d, const char *what, id error)
{
    id text = error ? ask(d, error, "localizedDescription") : NULL;
    const char *why = text ? SEND(d, const char *, (id, SEL))(text, d->selector("UTF8String")) : "";
    say(d, 0, what, why ? why : "");
    d->host.message[strcspn(d->host.message, "\n")] = '\0';
    return FE_RUN_BAD_PROCESSOR;
}

/* ---- devices ---- */

static int find(void *library, const char *name, void *out)
{
    void *function = library ? dlsym(library, name) : NULL;
    memcpy(out, &function, sizeof function);
    return function != NULL;
}

/* The second name is for the loader's path, where tests have one that stands in. */
static void *open_library(const char *path, const char *name)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return library ? library : dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

static int load_libraries(fe_device *d)
{
    d->objc = open_library("/usr/lib/libobjc.A.dylib", "libobjc.A.dylib");
    d->metal = open_library("/System/Library/Frameworks/Metal.framework/Metal", "Metal");
    if (find(d->objc, "objc_msgSend", &d->send) &&
        find(d->objc, "sel_registerName", &d->selector) &&
        find(d->objc, "objc_getClass", &d->class_named) &&
        find(d->objc, "objc_autoreleasePoolPush", &d->pool_push) &&
        find(d->objc, "objc_autoreleasePoolPop", &d->pool_pop) && d->metal)
        return 0;
    return say(d, FE_RUN_BAD_PROCESSOR,
               "there is no Metal on this machine: it is a part of Apple's systems", "");
}

static int find_device(fe_device *d, int32_t index)
{
    id (*of_system)(void), (*all)(void);
    id devices = index > 0 && find(d->metal, "MTLCopyAllDevices", &all) ? all() : NULL;
    if (index <= 0 && find(d->metal, "MTLCreateSystemDefaultDevice", &of_system))
        d->device = of_system();
    if (devices && (NSUInteger)index < number_of(d, devices, "count"))
        d->device = kept(d, SEND(d, id, (id, SEL, NSUInteger))(
                                devices, d->selector("objectAtIndex:"), (NSUInteger)index));
    drop(d, devices);
    return d->device ? 0 : say(d, FE_RUN_BAD_PROCESSOR, "Metal has no device of that number", "");
}

static void device_close(fe_device *d)
{
    drop(d, d->device);
    if (d->metal) dlclose(d->metal);
    if (d->objc) dlclose(d->objc);
    rt_ranges_end(&d->buffers);
    free(d);
}

static int device_open(int32_t index, const fe_device_host *host, fe_device **out)
{
    fe_device *d = calloc(1, sizeof *d);
    *out = NULL;
    if (!d) return FE_RUN_NO_MEMORY;
    d->host = *host;
    rt_ranges_begin(&d->buffers);
    int code = load_libraries(d);
    if (code == 0) {
        void *pool = d->pool_push();
        code = find_device(d, index);
        d->pool_pop(pool);
    }
    if (code)
        device_close(d);
    else
        *out = d;
    return code;
}

static void describe(fe_device *d, fe_device_facts *out)
{
    void *pool = d->pool_push();
    id name = ask(d, d->device, "name");
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s",
             SEND(d, const char *, (id, SEL))(name, d->selector("UTF8String")));
    out->memory_bytes =
        SEND(d, int64_t, (id, SEL))(d->device, d->selector("recommendedMaxWorkingSetSize"));
    d->pool_pop(pool);
}

/* ---- memory ---- */

static int allocate(fe_device *d, int64_t bytes, void **address)
{
    rt_range b = {.bytes = bytes > 0 ? (size_t)bytes : 1};
    b.memory = SEND(d, id, (id, SEL, NSUInteger, NSUInteger))(
        d->device, d->selector("newBufferWithLength:options:"), b.bytes, STORAGE_SHARED);
    *address = b.address = b.memory ? ask(d, b.memory, "contents") : NULL;
    if (b.memory && rt_ranges_add(&d->buffers, b)) return 0;
    drop(d, b.memory);
    return say(d, FE_RUN_NO_MEMORY, "no memory of the device", "");
}

static void release(fe_device *d, void *address)
{
    drop(d, rt_ranges_take(&d->buffers, address).memory);
}

static int owns(fe_device *d, const void *address)
{
    rt_range b = rt_ranges_find(&d->buffers, address);
    return b.memory && (const char *)address < b.address + b.bytes;
}

static int allocate_pinned(fe_device *d, int64_t bytes, void **memory)
{
    (void)d;
    *memory = aligned_alloc(64, (size_t)(bytes + 64) / 64 * 64);
    return *memory ? 0 : FE_RUN_NO_MEMORY;
}

static void release_pinned(fe_device *d, void *memory)
{
    (void)d;
    free(memory);
}

/* ---- kernels ---- */

static void unload(fe_device_module *m)
{
    for (uint32_t k = 0; m->kernels && k < m->count; k++) drop(m->device, m->kernels[k]);
    drop(m->device, m->library);
    free(m->kernels);
    free(m->groups);
    free(m);
}

/* Numbers are computed as they are written. */
static id make_options(const fe_device *d)
{
    id options = ask(d, ask(d, d->class_named("MTLCompileOptions"), "alloc"), "init");
    SEND(d, void, (id, SEL, signed char))(options, d->selector("setFastMathEnabled:"), 0);
    SEND(d, void, (id, SEL, NSUInteger))(options, d->selector("setLanguageVersion:"), LANGUAGE_2_4);
    return options;
}

static int make_library(fe_device_module *m, const fe_device_code *code)
{
    const fe_device *d = m->device;
    id error = NULL, options = make_options(d), source = string_of(d, code->source, code->bytes);
    m->library = SEND(d, id, (id, SEL, id, id, id *))(
        d->device, d->selector("newLibraryWithSource:options:error:"), source, options, &error);
    drop(d, source);
    drop(d, options);
    return m->library ? 0 : fail(d, "its compiler refuses the kernels", error);
}

static int make_kernel(fe_device_module *m, const char *name, uint32_t k)
{
    const fe_device *d = m->device;
    id error = NULL, text = string_of(d, name, strlen(name));
    id function = SEND(d, id, (id, SEL, id))(m->library, d->selector("newFunctionWithName:"), text);
    if (function)
        m->kernels[k] = SEND(d, id, (id, SEL, id, id *))(
            d->device, d->selector("newComputePipelineStateWithFunction:error:"), function, &error);
    drop(d, function);
    drop(d, text);
    if (!m->kernels[k]) return fail(d, name, error);
    if (number_of(d, m->kernels[k], "maxTotalThreadsPerThreadgroup") < m->groups[k])
        return say(d, FE_RUN_BAD_PROCESSOR, name, "the device has no groups of so many threads");
    return 0;
}

static int load(fe_device *d, const fe_device_code *code, fe_device_module **out)
{
    fe_device_module *m = calloc(1, sizeof *m);
    void *pool = d->pool_push();
    int result = FE_RUN_NO_MEMORY;
    *out = NULL;
    if (m) {
        m->device = d;
        m->count = code->kernel_count;
        m->kernels = calloc(m->count + 1, sizeof *m->kernels);
        m->groups = calloc(m->count + 1, sizeof *m->groups);
        result = m->kernels && m->groups ? make_library(m, code) : FE_RUN_NO_MEMORY;
    }
    for (uint32_t k = 0; result == 0 && k < m->count; k++) {
        m->groups[k] = code->groups ? code->groups[k] : 0;
        result = make_kernel(m, code->kernels[k].name, k);
    }
    if (result && m) unload(m);
    if (result == 0) *out = m;
    d->pool_pop(pool);
    return result;
}

/* ---- queues ---- */

static int queue_new(fe_device *d, fe_device_queue **out)
{
    fe_device_queue *q = *out = calloc(1, sizeof *q);
    if (!q) return FE_RUN_NO_MEMORY;
    q->device = d;
    q->queue = ask(d, d->device, "newCommandQueue");
    if (q->queue) return 0;
    *out = NULL;
    free(q);
    return say(d, FE_RUN_NO_MEMORY, "making a queue", "");
}

static void end_encoder(fe_device_queue *q)
{
    if (!q->encoder) return;
    SEND(q->device, void, (id, SEL))(q->encoder, q->device->selector("endEncoding"));
    drop(q->device, q->encoder);
    q->encoder = NULL;
}

static id encoder_of(fe_device_queue *q, int copies)
{
    const fe_device *d = q->device;
    if (!q->commands) q->commands = kept(d, ask(d, q->queue, "commandBuffer"));
    if (q->encoder && q->copies != copies) end_encoder(q);
    if (!q->encoder && q->commands)
        q->encoder =
            kept(d, ask(d, q->commands, copies ? "blitCommandEncoder" : "computeCommandEncoder"));
    q->copies = copies;
    return q->encoder;
}

/* All that was put there goes to the device. */
static void hand_over(fe_device_queue *q)
{
    if (!q->commands) return;
    end_encoder(q);
    SEND(q->device, void, (id, SEL))(q->commands, q->device->selector("commit"));
    drop(q->device, q->last);
    q->last = q->commands;
    q->commands = NULL;
}

static int wait_until_done(const fe_device *d, id commands)
{
    if (!commands) return 0;
    SEND(d, void, (id, SEL))(commands, d->selector("waitUntilCompleted"));
    return number_of(d, commands, "status") == STATUS_ERROR
               ? fail(d, "work on the device", ask(d, commands, "error"))
               : 0;
}

static int finish(fe_device_queue *q)
{
    void *pool = q->device->pool_push();
    hand_over(q);
    int code = wait_until_done(q->device, q->last);
    q->device->pool_pop(pool);
    return code;
}

static void queue_free(fe_device_queue *q)
{
    finish(q);
    drop(q->device, q->last);
    drop(q->device, q->queue);
    free(q);
}

static int unknown(const fe_device *d)
{
    return say(d, FE_RUN_BAD_INPUT, "an address is in no memory of this device", "");
}

static int write_memory(fe_device_queue *q, void *address, const void *memory, int64_t bytes)
{
    if (bytes == 0) return 0;
    if (!owns(q->device, address)) return unknown(q->device);
    int code = finish(q);
    if (code == 0) memcpy(address, memory, (size_t)bytes);
    return code;
}

static int read_memory(fe_device_queue *q, void *memory, const void *address, int64_t bytes)
{
    if (bytes == 0) return 0;
    if (!owns(q->device, address)) return unknown(q->device);
    int code = finish(q);
    if (code == 0) memcpy(memory, address, (size_t)bytes);
    return code;
}

/* The device copies words. */
static int copy_memory(fe_device_queue *q, void *to, const void *from, int64_t bytes)
{
    fe_device *d = q->device;
    rt_range source = rt_ranges_find(&d->buffers, from), target = rt_ranges_find(&d->buffers, to);
    if (bytes == 0) return 0;
    if (!source.memory || !target.memory) return unknown(d);
    NSUInteger source_at = (NSUInteger)((const char *)from - source.address),
               target_at = (NSUInteger)((char *)to - target.address);
    if ((source_at | target_at | (NSUInteger)bytes) % 4) {
        int code = finish(q);
        if (code == 0) memmove(to, from, (size_t)bytes);
        return code;
    }
    void *pool = d->pool_push();
    id encoder = encoder_of(q, 1);
    if (encoder) SEND(d, void, (id, SEL, id, NSUInteger, id, NSUInteger, NSUInteger))
    (encoder, d->selector("copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:"),
     source.memory, source_at, target.memory, target_at, (NSUInteger)bytes);
    d->pool_pop(pool);
    return encoder ? 0 : say(d, FE_RUN_NO_MEMORY, "a copy on the device", "");
}

static int set_buffer(fe_device *d, id encoder, const void *address, const void *otherwise,
                      NSUInteger at)
{
    const void *there = address ? address : otherwise;
    rt_range b = rt_ranges_find(&d->buffers, there);
    if (!b.memory) return 0;
    SEND(d, void, (id, SEL, id, NSUInteger, NSUInteger))
    (encoder, d->selector("setBuffer:offset:atIndex:"), b.memory,
     (NSUInteger)((const char *)there - b.address), at);
    return 1;
}

static void set_int(const fe_device *d, id encoder, int64_t value, NSUInteger at)
{
    SEND(d, void, (id, SEL, const void *, NSUInteger, NSUInteger))
    (encoder, d->selector("setBytes:length:atIndex:"), &value, sizeof value, at);
}

/* Absent buffers are the fault's. */
static int set_arguments(fe_device *d, id encoder, const fe_device_launch *l)
{
    int known = set_buffer(d, encoder, l->fault, NULL, 0);
    set_int(d, encoder, l->rows, 1);
    set_int(d, encoder, l->columns, 2);
    for (uint32_t k = 0; k < l->buffer_count; k++)
        known &= set_buffer(d, encoder, l->buffers[k], l->fault, FIRST + k);
    for (uint32_t k = 0; k < l->int_count; k++)
        set_int(d, encoder, l->ints[k], FIRST + l->buffer_count + k);
    return known;
}

static int launch(fe_device_queue *q, const fe_device_launch *l)
{
    fe_device *d = q->device;
    id kernel = l->module->kernels[l->kernel];
    NSUInteger group = l->module->groups[l->kernel], items = (NSUInteger)(l->rows * l->columns);
    if (items > UINT32_MAX)
        return say(d, FE_RUN_BAD_PROCESSOR, "a kernel has too many work-items", "");
    void *pool = d->pool_push();
    NSUInteger most = number_of(d, kernel, "maxTotalThreadsPerThreadgroup");
    if (!group) group = most < BLOCK ? most : BLOCK;
    const MTLSize groups = {(items + group - 1) / group, 1, 1}, threads = {group, 1, 1};
    id encoder = encoder_of(q, 0);
    int code = encoder ? 0 : say(d, FE_RUN_NO_MEMORY, "starting a kernel", "");
    if (encoder)
        SEND(d, void, (id, SEL, id))(encoder, d->selector("setComputePipelineState:"), kernel);
    if (encoder && !set_arguments(d, encoder, l)) code = unknown(d);
    if (!code) SEND(d, void, (id, SEL, MTLSize, MTLSize))
    (encoder, d->selector("dispatchThreadgroups:threadsPerThreadgroup:"), groups, threads);
    d->pool_pop(pool);
    return code;
}

static int record(fe_device_queue *q, fe_device_mark **out)
{
    fe_device_mark *mark = *out = calloc(1, sizeof *mark);
    if (!mark) return FE_RUN_NO_MEMORY;
    void *pool = q->device->pool_push();
    hand_over(q);
    mark->device = q->device;
    mark->commands = kept(q->device, q->last);
    q->device->pool_pop(pool);
    return 0;
}

static int wait_for(fe_device_mark *mark)
{
    fe_device *d = mark->device;
    void *pool = d->pool_push();
    int code = wait_until_done(d, mark->commands);
    drop(d, mark->commands);
    d->pool_pop(pool);
    free(mark);
    return code;
}

static double time_of(const fe_device *d, id commands, const char *which)
{
    return SEND(d, double, (id, SEL))(commands, d->selector(which));
}

/* From the end of the commands before the one mark to the end of those before the other. */
static int elapsed(fe_device_mark *from, fe_device_mark *to, int64_t *nanoseconds)
{
    const fe_device *d = from->device;
    int code = wait_until_done(d, to->commands);
    double seconds = 0;
    if (!code && to->commands && to->commands != from->commands)
        seconds = time_of(d, to->commands, "GPUEndTime") -
                  (from->commands ? time_of(d, from->commands, "GPUEndTime")
                                  : time_of(d, to->commands, "GPUStartTime"));
    *nanoseconds = (int64_t)(1e9 * seconds);
    int first = wait_for(from), second = wait_for(to);
    return code ? code : first ? first : second;
}

const fe_device_driver fe_metal_driver = {.version = FE_DEVICE_VERSION,
                                          .struct_bytes = sizeof fe_metal_driver,
                                          .kind = "mps",
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
