/* rt_cuda.c - the driver of CUDA: the driver's library is found when a device is opened. Kernels are loaded
 * as they were made when the program was compiled, where that fits the device; else their source is
 * compiled. Memory of a device has addresses of its own, so that they are what programs calculate with.
 */
#include "rt_nvrtc.h"
#include "rt_program.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is used of CUDA's driver API ---- */

typedef int CUresult, CUdevice;
typedef struct cu_context *CUcontext;
typedef struct cu_module *CUmodule;
typedef struct cu_function *CUfunction;
typedef struct cu_stream *CUstream;
typedef struct cu_event *CUevent;
typedef unsigned long long CUdeviceptr;

enum {
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
    CU_MEMORYTYPE_DEVICE = 2
};

#define DRIVER(X)                                                                                  \
    X(Init, "cuInit", (unsigned))                                                                  \
    X(GetErrorString, "cuGetErrorString", (CUresult, const char **))                               \
    X(DeviceGet, "cuDeviceGet", (CUdevice *, int))                                                 \
    X(DeviceGetCount, "cuDeviceGetCount", (int *))                                                 \
    X(DeviceGetName, "cuDeviceGetName", (char *, int, CUdevice))                                   \
    X(DeviceTotalMem, "cuDeviceTotalMem_v2", (size_t *, CUdevice))                                 \
    X(DeviceGetAttribute, "cuDeviceGetAttribute", (int *, int, CUdevice))                          \
    X(PrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice))                       \
    X(PrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice))                               \
    X(CtxSetCurrent, "cuCtxSetCurrent", (CUcontext))                                               \
    X(MemAlloc, "cuMemAlloc_v2", (CUdeviceptr *, size_t))                                          \
    X(MemFree, "cuMemFree_v2", (CUdeviceptr))                                                      \
    X(PointerGetAttribute, "cuPointerGetAttribute", (void *, int, CUdeviceptr))                    \
    X(MemHostAlloc, "cuMemHostAlloc", (void **, size_t, unsigned))                                 \
    X(MemFreeHost, "cuMemFreeHost", (void *))                                                      \
    X(ModuleLoadData, "cuModuleLoadData", (CUmodule *, const void *))                              \
    X(ModuleUnload, "cuModuleUnload", (CUmodule))                                                  \
    X(ModuleGetFunction, "cuModuleGetFunction", (CUfunction *, CUmodule, const char *))            \
    X(StreamCreate, "cuStreamCreate", (CUstream *, unsigned))                                      \
    X(StreamDestroy, "cuStreamDestroy_v2", (CUstream))                                             \
    X(StreamSynchronize, "cuStreamSynchronize", (CUstream))                                        \
    X(StreamWaitEvent, "cuStreamWaitEvent", (CUstream, CUevent, unsigned))                         \
    X(MemcpyHtoD, "cuMemcpyHtoDAsync_v2", (CUdeviceptr, const void *, size_t, CUstream))           \
    X(MemcpyDtoH, "cuMemcpyDtoHAsync_v2", (void *, CUdeviceptr, size_t, CUstream))                 \
    X(MemcpyDtoD, "cuMemcpyDtoDAsync_v2", (CUdeviceptr, CUdeviceptr, size_t, CUstream))            \
    X(LaunchKernel, "cuLaunchKernel",                                                              \
      (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, \
       void **, void **))                                                                          \
    X(EventCreate, "cuEventCreate", (CUevent *, unsigned))                                         \
    X(EventRecord, "cuEventRecord", (CUevent, CUstream))                                           \
    X(EventSynchronize, "cuEventSynchronize", (CUevent))                                           \
    X(EventElapsedTime, "cuEventElapsedTime", (float *, CUevent, CUevent))                         \
    X(EventDestroy, "cuEventDestroy_v2", (CUevent))

typedef struct functions {
#define X(name, symbol, parameters) int(*name) parameters;
    DRIVER(X)
#undef X
} functions;

typedef struct entry {
    const char *symbol;
    size_t at;
} entry;
#define X(name, symbol, parameters) {symbol, offsetof(functions, name)},
static const entry ENTRIES[] = {DRIVER(X)};
#undef X

/* ---- the driver's structures ---- */

struct fe_device {
    void *driver; /* a library */
    functions cu;
    fe_device_host host;
    CUdevice id;
    CUcontext context;
};

struct fe_device_module {
    fe_device *device;
    CUmodule module;
    CUfunction *kernels;
};

struct fe_device_queue {
    fe_device *device;
    CUstream stream;
    int is_timed;
};

struct fe_device_mark {
    fe_device *device;
    CUevent event;
};

static int say(const fe_device *d, const char *what, const char *why)
{
    snprintf(d->host.message, d->host.message_bytes, "%s%s%s", what, *why ? ": " : "", why);
    return FE_RUN_BAD_PROCESSOR;
}

static int fail(const fe_device *d, const char *what, CUresult status)
{
    const char *why = NULL;
    d->cu.GetErrorString(status, &why);
    say(d, what, why ? why : "an error without a name");
    return status == CUDA_ERROR_OUT_OF_MEMORY ? FE_RUN_NO_MEMORY : FE_RUN_BAD_PROCESSOR;
}

/* Calls are about the context of their thread. */
static void take(const fe_device *d)
{
    d->cu.CtxSetCurrent(d->context);
}

/* ---- devices ---- */

static int load_library(fe_device *d)
{
    d->driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!d->driver)
        return say(d, "there is no libcuda.so.1 on this machine: NVIDIA's driver has it", "");
    for (size_t i = 0; i < sizeof ENTRIES / sizeof *ENTRIES; i++) {
        void *function = dlsym(d->driver, ENTRIES[i].symbol);
        if (!function) return say(d, "CUDA's library lacks a function", ENTRIES[i].symbol);
        memcpy((char *)&d->cu + ENTRIES[i].at, &function, sizeof function);
    }
    return 0;
}

static int find_device(fe_device *d, int32_t index)
{
    int count = 0, wanted = index < 0 ? 0 : index;
    CUresult status = d->cu.Init(0);
    if (status == 0) status = d->cu.DeviceGetCount(&count);
    if (status) return fail(d, "CUDA does not start", status);
    if (wanted >= count) return say(d, "there is no device of that number (see nvidia-smi)", "");
    status = d->cu.DeviceGet(&d->id, wanted);
    if (status == 0) status = d->cu.PrimaryCtxRetain(&d->context, d->id);
    return status ? fail(d, "the device cannot be opened", status) : 0;
}

static void device_close(fe_device *d)
{
    if (d->context) d->cu.PrimaryCtxRelease(d->id);
    if (d->driver) dlclose(d->driver);
    free(d);
}

static int device_open(int32_t index, const fe_device_host *host, fe_device **out)
{
    fe_device *d = calloc(1, sizeof *d);
    *out = NULL;
    if (!d) return FE_RUN_NO_MEMORY;
    d->host = *host;
    int code = load_library(d);
    if (code == 0) code = find_device(d, index);
    if (code)
        device_close(d);
    else
        *out = d;
    return code;
}

static int attribute(const fe_device *d, int which)
{
    int value = 0;
    d->cu.DeviceGetAttribute(&value, which, d->id);
    return value;
}

static void describe(fe_device *d, fe_device_facts *out)
{
    size_t bytes = 0;
    memset(out, 0, sizeof *out);
    d->cu.DeviceGetName(out->name, sizeof out->name, d->id);
    d->cu.DeviceTotalMem(&bytes, d->id);
    out->memory_bytes = (int64_t)bytes;
    out->units = (uint32_t)attribute(d, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    out->has_f64 = 1;
}

/* ---- memory ---- */

static int allocate(fe_device *d, int64_t bytes, void **address)
{
    CUdeviceptr at = 0;
    take(d);
    CUresult status = d->cu.MemAlloc(&at, bytes > 0 ? (size_t)bytes : 1);
    *address = (void *)(uintptr_t)at;
    return status ? fail(d, "allocating memory of the device", status) : 0;
}

static void release(fe_device *d, void *address)
{
    take(d);
    d->cu.MemFree((uintptr_t)address);
}

/* Of whoever has allocated it: all of the process share one context of the device. */
static int owns(fe_device *d, const void *address)
{
    unsigned type = 0;
    int ordinal = -1;
    CUdeviceptr at = (uintptr_t)address;
    take(d);
    return d->cu.PointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at) == 0 &&
           type == CU_MEMORYTYPE_DEVICE &&
           d->cu.PointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at) == 0 &&
           ordinal == d->id;
}

static int allocate_pinned(fe_device *d, int64_t bytes, void **memory)
{
    take(d);
    CUresult status = d->cu.MemHostAlloc(memory, bytes > 0 ? (size_t)bytes : 1, 0);
    return status ? fail(d, "allocating pinned memory", status) : 0;
}

static void release_pinned(fe_device *d, void *memory)
{
    take(d);
    d->cu.MemFreeHost(memory);
}

/* ---- kernels ---- */

/* 90 */
static int architecture_of(const fe_device *d)
{
    return 10 * attribute(d, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
           attribute(d, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

/* Machine code is for one generation and what came later of it, PTX for all that came later. */
static int fits(const fe_device_image *image, int here)
{
    int made = 0, is_code = sscanf(image->architecture, "sm_%d", &made) == 1;
    if (!is_code && sscanf(image->architecture, "compute_%d", &made) != 1) return 0;
    return made <= here && (!is_code || made / 10 == here / 10) ? 2 * made + is_code : 0;
}

/* The one that is nearest to the device; NULL: none is for it. */
static const fe_device_image *image_for(const fe_device *d, const fe_device_code *code)
{
    const fe_device_image *best = NULL;
    int here = architecture_of(d);
    for (uint32_t k = 0; k < code->image_count; k++)
        if (fits(&code->images[k], here) > (best ? fits(best, here) : 0)) best = &code->images[k];
    return best;
}

/* What was made is for others, and there is no compiler. */
static int no_compiler(const fe_device *d, const fe_device_code *code)
{
    char made[200] = "";
    size_t at = 0;
    for (uint32_t k = 0; k < code->image_count && at + 32 < sizeof made; k++)
        at += (size_t)snprintf(made + at, sizeof made - at, "%s%.24s", k ? ", " : "",
                               code->images[k].architecture);
    if (!code->image_count)
        return say(d, "there is no libnvrtc.so, which compiles kernels: the CUDA toolkit has it",
                   "");
    snprintf(d->host.message, d->host.message_bytes,
             "its kernels were made for %s, and this device is sm_%d; libnvrtc.so, which would "
             "make them "
             "here, is not there: the CUDA toolkit has it (or compile with option cuda-arch)",
             made, architecture_of(d));
    return FE_RUN_BAD_PROCESSOR;
}

static int load_source(fe_device *d, const fe_device_code *code, fe_device_module *m)
{
    char architecture[32];
    rt_nvrtc nvrtc;
    rt_nvrtc_image ptx;
    if (!rt_nvrtc_open(&nvrtc)) return no_compiler(d, code);
    snprintf(architecture, sizeof architecture, "compute_%d", architecture_of(d));
    int made = rt_nvrtc_make(&nvrtc, code->source, architecture, &ptx, d->host.message,
                             d->host.message_bytes);
    CUresult status = made ? d->cu.ModuleLoadData(&m->module, ptx.data) : 0;
    free(ptx.data);
    rt_nvrtc_close(&nvrtc);
    if (!made) return FE_RUN_BAD_PROCESSOR;
    return status ? fail(d, "loading kernels", status) : 0;
}

static void unload(fe_device_module *m)
{
    take(m->device);
    if (m->module) m->device->cu.ModuleUnload(m->module);
    free(m->kernels);
    free(m);
}

static int load(fe_device *d, const fe_device_code *code, fe_device_module **out)
{
    fe_device_module *m = calloc(1, sizeof *m);
    *out = NULL;
    if (!m) return FE_RUN_NO_MEMORY;
    m->device = d;
    m->kernels = calloc(code->kernel_count + 1, sizeof(CUfunction));
    take(d);
    const fe_device_image *image = image_for(d, code);
    int result = m->kernels ? 0 : FE_RUN_NO_MEMORY;
    /* a driver may be too old for PTX that is newer */
    if (!result && !(image && d->cu.ModuleLoadData(&m->module, image->data) == 0))
        result = load_source(d, code, m);
    CUresult status = 0;
    for (uint32_t k = 0; !result && !status && k < code->kernel_count; k++)
        status = d->cu.ModuleGetFunction(&m->kernels[k], m->module, code->kernels[k].name);
    if (status) result = fail(d, "loading kernels", status);
    if (result)
        unload(m);
    else
        *out = m;
    return result;
}

/* ---- queues ---- */

static int queue_new(fe_device *d, fe_device_queue **out)
{
    fe_device_queue *q = calloc(1, sizeof *q);
    *out = NULL;
    if (!q) return FE_RUN_NO_MEMORY;
    q->device = d;
    take(d);
    CUresult status = d->cu.StreamCreate(&q->stream, 1 /* not in step with others */);
    if (status) {
        free(q);
        return fail(d, "making a queue", status);
    }
    *out = q;
    return 0;
}

static int timed_queue_new(fe_device *d, fe_device_queue **out)
{
    int code = queue_new(d, out);
    if (code == 0) (*out)->is_timed = 1;
    return code;
}

static void queue_free(fe_device_queue *q)
{
    take(q->device);
    q->device->cu.StreamSynchronize(q->stream);
    q->device->cu.StreamDestroy(q->stream);
    free(q);
}

static int write_memory(fe_device_queue *q, void *address, const void *memory, int64_t bytes)
{
    take(q->device);
    CUresult status =
        q->device->cu.MemcpyHtoD((uintptr_t)address, memory, (size_t)bytes, q->stream);
    return status ? fail(q->device, "a copy to the device", status) : 0;
}

static int read_memory(fe_device_queue *q, void *memory, const void *address, int64_t bytes)
{
    take(q->device);
    CUresult status =
        q->device->cu.MemcpyDtoH(memory, (uintptr_t)address, (size_t)bytes, q->stream);
    return status ? fail(q->device, "a copy from the device", status) : 0;
}

static int copy_memory(fe_device_queue *q, void *to, const void *from, int64_t bytes)
{
    take(q->device);
    CUresult status =
        q->device->cu.MemcpyDtoD((uintptr_t)to, (uintptr_t)from, (size_t)bytes, q->stream);
    return status ? fail(q->device, "a copy on the device", status) : 0;
}

static int launch(fe_device_queue *q, const fe_device_launch *l)
{
    enum { BLOCK = 256, MOST = 256, ROOM = 3 };
    fe_device *d = q->device;
    void *parameters[MOST];
    uint32_t n = 0;
    int64_t extents[] = {l->rows, l->columns}, items = l->rows * l->columns;
    void *fault = l->fault;
    if (ROOM + l->buffer_count + l->int_count > MOST)
        return say(d, "a kernel has too many parameters", "");
    if (items > (int64_t)BLOCK * INT32_MAX) return say(d, "a kernel has too many work-items", "");
    parameters[n++] = &fault;
    parameters[n++] = &extents[0];
    parameters[n++] = &extents[1];
    for (uint32_t k = 0; k < l->buffer_count; k++)
        parameters[n++] = (void *)(uintptr_t)&l->buffers[k];
    for (uint32_t k = 0; k < l->int_count; k++) parameters[n++] = (void *)(uintptr_t)&l->ints[k];
    take(d);
    CUresult status =
        d->cu.LaunchKernel(l->module->kernels[l->kernel], (unsigned)((items + BLOCK - 1) / BLOCK),
                           1, 1, BLOCK, 1, 1, 0, q->stream, parameters, NULL);
    return status ? fail(d, "starting a kernel", status) : 0;
}

static int record(fe_device_queue *q, fe_device_mark **out)
{
    fe_device *d = q->device;
    fe_device_mark *mark = calloc(1, sizeof *mark);
    *out = NULL;
    if (!mark) return FE_RUN_NO_MEMORY;
    mark->device = d;
    take(d);
    CUresult status = d->cu.EventCreate(&mark->event, q->is_timed ? 0 : CU_EVENT_DISABLE_TIMING);
    if (status == 0) status = d->cu.EventRecord(mark->event, q->stream);
    if (status) {
        if (mark->event) d->cu.EventDestroy(mark->event);
        free(mark);
        return fail(d, "marking a queue", status);
    }
    *out = mark;
    return 0;
}

static int wait_for(fe_device_mark *mark)
{
    fe_device *d = mark->device;
    take(d);
    CUresult status = d->cu.EventSynchronize(mark->event);
    d->cu.EventDestroy(mark->event);
    free(mark);
    return status ? fail(d, "work on the device", status) : 0;
}

static int follow(fe_device_queue *q, fe_device_mark *mark)
{
    take(q->device);
    CUresult status = q->device->cu.StreamWaitEvent(q->stream, mark->event, 0);
    return status ? fail(q->device, "waiting for another queue", status) : 0;
}

static void forget(fe_device_mark *mark)
{
    take(mark->device);
    mark->device->cu.EventDestroy(mark->event);
    free(mark);
}

static int elapsed(fe_device_mark *from, fe_device_mark *to, int64_t *nanoseconds)
{
    fe_device *d = from->device;
    float milliseconds = 0;
    take(d);
    CUresult status = d->cu.EventSynchronize(to->event);
    if (status == 0) status = d->cu.EventElapsedTime(&milliseconds, from->event, to->event);
    d->cu.EventDestroy(from->event);
    d->cu.EventDestroy(to->event);
    free(from);
    free(to);
    *nanoseconds = (int64_t)(1e6 * (double)milliseconds);
    return status ? fail(d, "telling the time", status) : 0;
}

const fe_device_driver fe_cuda_driver = {.version = FE_DEVICE_VERSION,
                                         .struct_bytes = sizeof fe_cuda_driver,
                                         .kind = "cuda",
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
                                         .timed_queue_new = timed_queue_new,
                                         .elapsed = elapsed,
                                         .follow = follow,
                                         .forget = forget};
