/* rt_opencl.c - the driver of OpenCL (1.2 and later), which is found when a device is opened.
 *
 * Buffers of OpenCL have no addresses. Each gets addresses of its own, reserved and out of everybody's
 * reach, and a table says which buffer is where: so a pointer of a program is a buffer and an offset, and a
 * host that reads through it stops at once.
 */
#define _GNU_SOURCE
#include "rt_program.h"
#include "rt_ranges.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- what is used of OpenCL (Khronos, OpenCL 1.2 API) ---- */

typedef struct cl_platform *cl_platform_id;
typedef struct cl_device *cl_device_id;
typedef struct cl_ctx *cl_context;
typedef struct cl_queue *cl_command_queue;
typedef struct cl_buffer *cl_mem;
typedef struct cl_prog *cl_program;
typedef struct cl_kern *cl_kernel;
typedef struct cl_ev *cl_event;
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;

enum {
    CL_DEVICE_TYPE_ALL = -1, /* all bits */
    CL_DEVICE_NAME = 0x102B,
    CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
    CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
    CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
    CL_MEM_READ_WRITE = 1,
    CL_PROGRAM_BUILD_LOG = 0x1183,
    CL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
    CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
    CL_OUT_OF_RESOURCES = -5,
    CL_OUT_OF_HOST_MEMORY = -6,
    CL_INVALID_BUFFER_SIZE = -61
};

#define FUNCTIONS(X)                                                                               \
    X(GetPlatformIDs, (cl_uint, cl_platform_id *, cl_uint *))                                      \
    X(GetDeviceIDs, (cl_platform_id, uint64_t, cl_uint, cl_device_id *, cl_uint *))                \
    X(GetDeviceInfo, (cl_device_id, cl_uint, size_t, void *, size_t *))                            \
    X(ReleaseContext, (cl_context))                                                                \
    X(ReleaseMemObject, (cl_mem))                                                                  \
    X(BuildProgram, (cl_program, cl_uint, const cl_device_id *, const char *,                      \
                     void (*)(cl_program, void *), void *))                                        \
    X(GetProgramBuildInfo, (cl_program, cl_device_id, cl_uint, size_t, void *, size_t *))          \
    X(ReleaseProgram, (cl_program))                                                                \
    X(GetKernelWorkGroupInfo, (cl_kernel, cl_device_id, cl_uint, size_t, void *, size_t *))        \
    X(SetKernelArg, (cl_kernel, cl_uint, size_t, const void *))                                    \
    X(ReleaseKernel, (cl_kernel))                                                                  \
    X(ReleaseCommandQueue, (cl_command_queue))                                                     \
    X(EnqueueWriteBuffer, (cl_command_queue, cl_mem, cl_uint, size_t, size_t, const void *,        \
                           cl_uint, const cl_event *, cl_event *))                                 \
    X(EnqueueReadBuffer, (cl_command_queue, cl_mem, cl_uint, size_t, size_t, void *, cl_uint,      \
                          const cl_event *, cl_event *))                                           \
    X(EnqueueCopyBuffer, (cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint,       \
                          const cl_event *, cl_event *))                                           \
    X(EnqueueNDRangeKernel, (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, \
                             const size_t *, cl_uint, const cl_event *, cl_event *))               \
    X(EnqueueMarkerWithWaitList, (cl_command_queue, cl_uint, const cl_event *, cl_event *))        \
    X(EnqueueBarrierWithWaitList, (cl_command_queue, cl_uint, const cl_event *, cl_event *))       \
    X(WaitForEvents, (cl_uint, const cl_event *))                                                  \
    X(ReleaseEvent, (cl_event))                                                                    \
    X(GetEventProfilingInfo, (cl_event, cl_uint, size_t, void *, size_t *))                        \
    X(Flush, (cl_command_queue))                                                                   \
    X(Finish, (cl_command_queue))

typedef struct opencl {
    void *library;
#define X(name, parameters) cl_int(*name) parameters;
    FUNCTIONS(X)
#undef X
    cl_context (*CreateContext)(const intptr_t *, cl_uint, const cl_device_id *,
                                void (*)(const char *, const void *, size_t, void *), void *,
                                cl_int *);
    cl_command_queue (*CreateCommandQueue)(cl_context, cl_device_id, uint64_t, cl_int *);
    cl_mem (*CreateBuffer)(cl_context, uint64_t, size_t, void *, cl_int *);
    cl_program (*CreateProgramWithSource)(cl_context, cl_uint, const char **, const size_t *,
                                          cl_int *);
    cl_kernel (*CreateKernel)(cl_program, const char *, cl_int *);
} opencl;

static const struct {
    const char *name;
    size_t at;
} ENTRIES[] = {
#define X(name, parameters) {"cl" #name, offsetof(opencl, name)},
    FUNCTIONS(X)
#undef X
        {"clCreateContext", offsetof(opencl, CreateContext)},
    {"clCreateCommandQueue", offsetof(opencl, CreateCommandQueue)},
    {"clCreateBuffer", offsetof(opencl, CreateBuffer)},
    {"clCreateProgramWithSource", offsetof(opencl, CreateProgramWithSource)},
    {"clCreateKernel", offsetof(opencl, CreateKernel)}};

/* ---- the driver's structures ---- */

struct fe_device {
    opencl cl;
    fe_device_host host;
    cl_device_id id;
    cl_context context;
    rt_ranges buffers; /* by the addresses that are reserved */
};

struct fe_device_module {
    fe_device *device;
    cl_program program;
    cl_kernel *kernels;
    size_t *group; /* work-items that a group of each may have */
    uint32_t count;
    pthread_mutex_t lock; /* arguments of kernels belong to who holds it */
};

struct fe_device_queue {
    fe_device *device;
    cl_command_queue queue;
};

struct fe_device_mark {
    fe_device *device;
    cl_event event;
};

static int fail(const fe_device *d, int code, const char *what, cl_int status)
{
    snprintf(d->host.message, d->host.message_bytes, "%s failed with OpenCL's code %d", what,
             (int)status);
    if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES ||
        status == CL_OUT_OF_HOST_MEMORY || status == CL_INVALID_BUFFER_SIZE)
        return FE_RUN_NO_MEMORY;
    return code;
}

/* ---- devices ---- */

static int load_library(fe_device *d)
{
    d->cl.library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!d->cl.library) {
        snprintf(d->host.message, d->host.message_bytes,
                 "there is no libOpenCL.so.1 on this machine (Debian: ocl-icd-libopencl1, and a "
                 "driver such as pocl-opencl-icd)");
        return FE_RUN_BAD_PROCESSOR;
    }
    for (size_t i = 0; i < sizeof ENTRIES / sizeof *ENTRIES; i++) {
        void *function = dlsym(d->cl.library, ENTRIES[i].name);
        if (!function) {
            snprintf(d->host.message, d->host.message_bytes, "libOpenCL.so.1 has no %s",
                     ENTRIES[i].name);
            return FE_RUN_BAD_PROCESSOR;
        }
        memcpy((char *)&d->cl + ENTRIES[i].at, &function, sizeof function);
    }
    return 0;
}

/* The devices of all platforms count on. */
static int find_device(fe_device *d, int32_t index)
{
    enum { MOST = 64 };
    cl_platform_id platforms[MOST];
    cl_device_id devices[MOST];
    cl_uint platform_count = 0, total = 0, wanted = index < 0 ? 0 : (cl_uint)index;
    if (d->cl.GetPlatformIDs(MOST, platforms, &platform_count) != 0) platform_count = 0;
    if (platform_count > MOST) platform_count = MOST;
    for (cl_uint p = 0; p < platform_count; p++) {
        cl_uint count = 0;
        if (d->cl.GetDeviceIDs(platforms[p], (uint32_t)CL_DEVICE_TYPE_ALL, MOST, devices, &count))
            continue;
        if (wanted < total + count) {
            d->id = devices[wanted - total];
            return 0;
        }
        total += count;
    }
    snprintf(d->host.message, d->host.message_bytes,
             "there is no device number %u; OpenCL has %u (see the command clinfo)", wanted, total);
    return FE_RUN_BAD_PROCESSOR;
}

static void device_close(fe_device *d)
{
    if (d->context) d->cl.ReleaseContext(d->context);
    if (d->cl.library) dlclose(d->cl.library);
    rt_ranges_end(&d->buffers);
    free(d);
}

static int device_open(int32_t index, const fe_device_host *host, fe_device **out)
{
    cl_int status = 0;
    fe_device *d = calloc(1, sizeof *d);
    *out = NULL;
    if (!d) return FE_RUN_NO_MEMORY;
    d->host = *host;
    rt_ranges_begin(&d->buffers);
    int code = load_library(d);
    if (code == 0) code = find_device(d, index);
    if (code == 0) {
        d->context = d->cl.CreateContext(NULL, 1, &d->id, NULL, NULL, &status);
        if (!d->context) code = fail(d, FE_RUN_BAD_PROCESSOR, "making a context", status);
    }
    if (code) {
        device_close(d);
        return code;
    }
    *out = d;
    return 0;
}

static void device_describe(fe_device *d, fe_device_facts *out)
{
    cl_ulong bytes = 0, doubles = 0;
    cl_uint units = 0;
    memset(out, 0, sizeof *out);
    d->cl.GetDeviceInfo(d->id, CL_DEVICE_NAME, sizeof out->name - 1, out->name, NULL);
    d->cl.GetDeviceInfo(d->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    d->cl.GetDeviceInfo(d->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    d->cl.GetDeviceInfo(d->id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, NULL);
    out->memory_bytes = (int64_t)bytes;
    out->units = units;
    out->has_f64 = doubles != 0;
}

/* ---- memory ---- */

static int allocate(fe_device *d, int64_t bytes, void **address)
{
    cl_int status = 0;
    rt_range b = {.bytes = bytes > 0 ? (size_t)bytes : 1};
    *address = NULL;
    b.memory = d->cl.CreateBuffer(d->context, CL_MEM_READ_WRITE, b.bytes, NULL, &status);
    if (!b.memory) return fail(d, FE_RUN_NO_MEMORY, "allocating memory of the device", status);
    b.address = mmap(NULL, b.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (b.address != MAP_FAILED && rt_ranges_add(&d->buffers, b)) {
        *address = b.address;
        return 0;
    }
    if (b.address != MAP_FAILED) munmap(b.address, b.bytes);
    d->cl.ReleaseMemObject(b.memory);
    return FE_RUN_NO_MEMORY;
}

static void release(fe_device *d, void *address)
{
    rt_range b = rt_ranges_take(&d->buffers, address);
    d->cl.ReleaseMemObject(b.memory);
    munmap(b.address, b.bytes);
}

static int allocate_pinned(fe_device *d, int64_t bytes, void **memory)
{
    (void)d;
    *memory = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64);
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
    const opencl *cl = &m->device->cl;
    for (uint32_t k = 0; m->kernels && k < m->count; k++)
        if (m->kernels[k]) cl->ReleaseKernel(m->kernels[k]);
    if (m->program) cl->ReleaseProgram(m->program);
    pthread_mutex_destroy(&m->lock);
    free(m->kernels);
    free(m->group);
    free(m);
}

/* The first line of what the compiler says. */
static int build_failed(const fe_device *d, cl_program program, cl_int status)
{
    char log[240] = "";
    d->cl.GetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    log[strcspn(log, "\n")] = '\0';
    snprintf(d->host.message, d->host.message_bytes,
             "its compiler refuses the kernels (code %d): %s", (int)status, log);
    return FE_RUN_BAD_PROCESSOR;
}

static int make_kernels(fe_device_module *m, const fe_device_code *code)
{
    fe_device *d = m->device;
    cl_int status = 0;
    for (uint32_t k = 0; k < code->kernel_count; k++) {
        m->kernels[k] = d->cl.CreateKernel(m->program, code->kernels[k].name, &status);
        if (!m->kernels[k]) return fail(d, FE_RUN_BAD_PROCESSOR, code->kernels[k].name, status);
        d->cl.GetKernelWorkGroupInfo(m->kernels[k], d->id, CL_KERNEL_WORK_GROUP_SIZE,
                                     sizeof m->group[k], &m->group[k], NULL);
    }
    return 0;
}

static int load(fe_device *d, const fe_device_code *code, fe_device_module **out)
{
    cl_int status = 0;
    fe_device_module *m = calloc(1, sizeof *m);
    *out = NULL;
    if (!m) return FE_RUN_NO_MEMORY;
    m->device = d;
    m->count = code->kernel_count;
    m->kernels = calloc(m->count + 1, sizeof *m->kernels);
    m->group = calloc(m->count + 1, sizeof *m->group);
    pthread_mutex_init(&m->lock, NULL);
    int result = m->kernels && m->group ? 0 : FE_RUN_NO_MEMORY;
    if (result == 0) {
        const char *source = code->source;
        size_t bytes = code->bytes;
        m->program = d->cl.CreateProgramWithSource(d->context, 1, &source, &bytes, &status);
        if (!m->program) result = fail(d, FE_RUN_NO_MEMORY, "making a program", status);
    }
    if (result == 0) {
        status = d->cl.BuildProgram(m->program, 1, &d->id, "-cl-std=CL1.2", NULL, NULL);
        if (status) result = build_failed(d, m->program, status);
    }
    if (result == 0) result = make_kernels(m, code);
    if (result)
        unload(m);
    else
        *out = m;
    return result;
}

/* ---- queues ---- */

static int new_queue(fe_device *d, uint64_t properties, fe_device_queue **out)
{
    cl_int status = 0;
    fe_device_queue *q = calloc(1, sizeof *q);
    *out = NULL;
    if (!q) return FE_RUN_NO_MEMORY;
    q->device = d;
    q->queue = d->cl.CreateCommandQueue(d->context, d->id, properties, &status);
    if (!q->queue) {
        free(q);
        return fail(d, FE_RUN_NO_MEMORY, "making a queue", status);
    }
    *out = q;
    return 0;
}

static int queue_new(fe_device *d, fe_device_queue **out)
{
    return new_queue(d, 0, out);
}

static int timed_queue_new(fe_device *d, fe_device_queue **out)
{
    enum { QUEUE_PROFILING_ENABLE = 2 };
    return new_queue(d, QUEUE_PROFILING_ENABLE, out);
}

static void queue_free(fe_device_queue *q)
{
    q->device->cl.Finish(q->queue);
    q->device->cl.ReleaseCommandQueue(q->queue);
    free(q);
}

static int unknown(const fe_device *d)
{
    snprintf(d->host.message, d->host.message_bytes, "an address is in no memory of this device");
    return FE_RUN_BAD_INPUT;
}

static int owns(fe_device *d, const void *address)
{
    rt_range b = rt_ranges_find(&d->buffers, address);
    return b.memory && (const char *)address < b.address + b.bytes;
}

static int write_memory(fe_device_queue *q, void *address, const void *memory, int64_t bytes)
{
    fe_device *d = q->device;
    rt_range b = rt_ranges_find(&d->buffers, address);
    if (bytes == 0) return 0;
    if (!b.memory) return unknown(d);
    cl_int status =
        d->cl.EnqueueWriteBuffer(q->queue, b.memory, 0, (size_t)((char *)address - b.address),
                                 (size_t)bytes, memory, 0, NULL, NULL);
    return status ? fail(d, FE_RUN_BAD_PROCESSOR, "a copy to the device", status) : 0;
}

static int read_memory(fe_device_queue *q, void *memory, const void *address, int64_t bytes)
{
    fe_device *d = q->device;
    rt_range b = rt_ranges_find(&d->buffers, address);
    if (bytes == 0) return 0;
    if (!b.memory) return unknown(d);
    cl_int status =
        d->cl.EnqueueReadBuffer(q->queue, b.memory, 0, (size_t)((const char *)address - b.address),
                                (size_t)bytes, memory, 0, NULL, NULL);
    return status ? fail(d, FE_RUN_BAD_PROCESSOR, "a copy from the device", status) : 0;
}

static int copy_memory(fe_device_queue *q, void *to, const void *from, int64_t bytes)
{
    fe_device *d = q->device;
    rt_range source = rt_ranges_find(&d->buffers, from), target = rt_ranges_find(&d->buffers, to);
    if (bytes == 0) return 0;
    if (!source.memory || !target.memory) return unknown(d);
    cl_int status = d->cl.EnqueueCopyBuffer(
        q->queue, source.memory, target.memory, (size_t)((const char *)from - source.address),
        (size_t)((char *)to - target.address), (size_t)bytes, 0, NULL, NULL);
    return status ? fail(d, FE_RUN_BAD_PROCESSOR, "a copy on the device", status) : 0;
}

/* A buffer is two arguments, itself and where in it the address is; absent ones are the fault's. */
static cl_int set_arguments(fe_device *d, cl_kernel kernel, const fe_device_launch *l)
{
    const int64_t extents[] = {l->rows, l->columns};
    rt_range fault = rt_ranges_find(&d->buffers, l->fault);
    cl_uint n = 0;
    cl_int status = d->cl.SetKernelArg(kernel, n++, sizeof fault.memory, &fault.memory);
    for (int k = 0; k < 2; k++)
        status |= d->cl.SetKernelArg(kernel, n++, sizeof(int64_t), &extents[k]);
    for (uint32_t k = 0; k < l->buffer_count; k++) {
        rt_range b = rt_ranges_find(&d->buffers, l->buffers[k]);
        int64_t at = b.memory ? (char *)l->buffers[k] - b.address : 0;
        if (!b.memory && l->buffers[k]) return -1;
        status |=
            d->cl.SetKernelArg(kernel, n++, sizeof b.memory, b.memory ? &b.memory : &fault.memory);
        status |= d->cl.SetKernelArg(kernel, n++, sizeof at, &at);
    }
    for (uint32_t k = 0; k < l->int_count; k++)
        status |= d->cl.SetKernelArg(kernel, n++, sizeof(int64_t), &l->ints[k]);
    return status;
}

static int launch(fe_device_queue *q, const fe_device_launch *l)
{
    enum { GROUP = 64 };
    fe_device *d = q->device;
    fe_device_module *m = l->module;
    cl_kernel kernel = m->kernels[l->kernel];
    size_t group = m->group[l->kernel] < GROUP ? m->group[l->kernel] : GROUP;
    size_t items = (size_t)(l->rows * l->columns);
    if (group == 0) group = 1;
    if (items < group) group = items;
    size_t all = (items + group - 1) / group * group;
    pthread_mutex_lock(&m->lock);
    cl_int status = set_arguments(d, kernel, l);
    if (status == 0)
        status = d->cl.EnqueueNDRangeKernel(q->queue, kernel, 1, NULL, &all, &group, 0, NULL, NULL);
    if (status == 0)
        status = d->cl.Flush(q->queue); /* the host may be busy before it comes again */
    pthread_mutex_unlock(&m->lock);
    return status ? fail(d, FE_RUN_BAD_PROCESSOR, "starting a kernel", status) : 0;
}

static int record(fe_device_queue *q, fe_device_mark **out)
{
    fe_device *d = q->device;
    fe_device_mark *mark = calloc(1, sizeof *mark);
    *out = NULL;
    if (!mark) return FE_RUN_NO_MEMORY;
    mark->device = d;
    cl_int status = d->cl.EnqueueMarkerWithWaitList(q->queue, 0, NULL, &mark->event);
    if (status == 0) status = d->cl.Flush(q->queue);
    if (status) {
        free(mark);
        return fail(d, FE_RUN_BAD_PROCESSOR, "marking a queue", status);
    }
    *out = mark;
    return 0;
}

static int wait(fe_device_mark *mark)
{
    fe_device *d = mark->device;
    cl_int status = d->cl.WaitForEvents(1, &mark->event);
    d->cl.ReleaseEvent(mark->event);
    free(mark);
    return status ? fail(d, FE_RUN_BAD_PROCESSOR, "work on the device", status) : 0;
}

/* The queue of the mark was flushed when it was made. */
static int follow(fe_device_queue *q, fe_device_mark *mark)
{
    cl_int status = q->device->cl.EnqueueBarrierWithWaitList(q->queue, 1, &mark->event, NULL);
    return status ? fail(q->device, FE_RUN_BAD_PROCESSOR, "waiting for another queue", status) : 0;
}

static void forget(fe_device_mark *mark)
{
    mark->device->cl.ReleaseEvent(mark->event);
    free(mark);
}

static int elapsed(fe_device_mark *from, fe_device_mark *to, int64_t *nanoseconds)
{
    enum { PROFILING_COMMAND_END = 0x1283 };
    fe_device *d = from->device;
    cl_event events[] = {from->event, to->event};
    uint64_t begin = 0, end = 0;
    cl_int status = d->cl.WaitForEvents(2, events);
    if (status == 0)
        status = d->cl.GetEventProfilingInfo(events[0], PROFILING_COMMAND_END, 8, &begin, NULL);
    if (status == 0)
        status = d->cl.GetEventProfilingInfo(events[1], PROFILING_COMMAND_END, 8, &end, NULL);
    for (int k = 0; k < 2; k++) d->cl.ReleaseEvent(events[k]);
    free(from);
    free(to);
    *nanoseconds = (int64_t)(end - begin);
    return status ? fail(d, FE_RUN_BAD_PROCESSOR, "telling the time", status) : 0;
}

const fe_device_driver fe_opencl_driver = {.version = FE_DEVICE_VERSION,
                                           .struct_bytes = sizeof fe_opencl_driver,
                                           .kind = "opencl",
                                           .open = device_open,
                                           .close = device_close,
                                           .describe = device_describe,
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
                                           .wait = wait,
                                           .owns = owns,
                                           .timed_queue_new = timed_queue_new,
                                           .elapsed = elapsed,
                                           .follow = follow,
                                           .forget = forget};
