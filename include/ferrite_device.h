/* ferrite_device.h -- a device as ferrite sees it: a struct of functions.
 *
 * An artifact that was compiled for a device (ferrite compile --device opencl) holds the kernels of that
 * device as source and calls its driver through this struct. ferrite brings the driver of OpenCL along; one
 * of your own is given to a model before it makes its first context:
 *
 *     static const fe_device_driver driver = {FE_DEVICE_VERSION, sizeof driver, "privateuseone", ...};
 *     a->set_driver(model, &driver);
 *
 * privateuseone is PyTorch's name for a device that it does not know. In a library of its own, which says
 * which driver it holds by a function ferrite_device(), ferrite itself loads it (option devices).
 *
 * Kernels of privateuseone come without what stands in front of them in other dialects, and the driver puts
 * that there. They are C99 and use these:
 *
 *     i8 i16 i32 i64 u8 u16 u32 u64 f32 f64   types
 *     FE_KERNEL              in front of a kernel, as __global__
 *     FE                     in front of a function that kernels call, as static inline
 *     FE_CALL                the first parameters, by which the kernel knows fault (a pointer to memory for a
 *                            check), rows and columns (i64)
 *     FE_BUFFER(n)           the parameter that is buffer n
 *     FE_AT(type, n)         a pointer to it;  FE_GLOBAL stands in front of the type of such pointers
 *     FE_INT(name, n)        the parameter that is an integer, an i64 of that name; n counts parameters
 *     FE_ITEM                the number of the work-item
 *     FE_BITS(from, to, x)   the bits of x, of type from, as a number of type to
 *     rt_outside(fault, check, index, size)   a check has failed: see fe_device_launch.fault
 *     the functions of <math.h>, with f behind their names for f32, and INFINITY and NAN
 *
 * Addresses. What a device allocates has an address: a number that no other memory of the process has, so
 * that address + offset says which allocation is meant and where in it. Nobody but the driver reads or writes
 * there; a driver whose memory has no addresses of its own may reserve them (mmap with PROT_NONE), and keep
 * a table.
 *
 * Order. All work goes into a queue and is done in the order in which it was put there. write, read, copy and
 * launch may return before it is done; the host's memory that they name must stay as it is until a mark that
 * was recorded behind them has been waited for. Two queues know nothing of each other, unless the one follows
 * a mark of the other. A context has two of a device whose driver can do that, for kernels and for copies, so
 * that the device does both at once; else it has one.
 *
 * Errors. Functions that may fail return 0 or a fe_result (ferrite_abi.h) and write a message of one line
 * into the buffer that they were opened with (fe_device_host.message), which names what failed and why.
 */
#ifndef FERRITE_DEVICE_H
#define FERRITE_DEVICE_H

#include "ferrite_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised by one whenever a structure below changes but for fields that are added at their ends. */
#define FE_DEVICE_VERSION 1u

typedef struct fe_device fe_device;               /* one that is open: the driver's own */
typedef struct fe_device_queue fe_device_queue;   /* work in its order */
typedef struct fe_device_module fe_device_module; /* kernels that were made ready */
typedef struct fe_device_mark fe_device_mark;     /* a place in a queue */

/* Where messages go; valid as long as the device is open. */
typedef struct fe_device_host {
    char *message;
    size_t message_bytes;
} fe_device_host;

typedef struct fe_device_facts {
    char name[128];       /* of the hardware: "pthread-haswell" */
    int64_t memory_bytes; /* 0: not known */
    uint32_t units;       /* that work side by side; 0: not known */
    uint32_t has_f64;     /* 0: programs with kernels that need double are refused */
} fe_device_facts;

typedef struct fe_device_kernel {
    const char *name;
    uint32_t buffer_count, int_count; /* of its parameters */
} fe_device_kernel;

/* Kernels of a source as they were made when the program was compiled. */
typedef struct fe_device_image {
    const char *architecture; /* of CUDA: "sm_90", machine code; "compute_75", PTX */
    const void *data;
    size_t bytes;
} fe_device_image;

/* Kernels in the language of the device, as one source. */
typedef struct fe_device_code {
    const char *source;
    size_t bytes;
    const fe_device_kernel *kernels;
    uint32_t kernel_count;
    uint32_t needs_f64; /* some compute with double */
    /* ---- not in the first headers of version 1 ---- */
    /* of each kernel: so many work-items are a work-group, which takes a row together; 0: each one by itself,
     * as all of privateuseone do. Or NULL. */
    const uint32_t *groups;
    /* ---- nor in those; ferrite's own drivers alone may count on them ---- */
    const fe_device_image *images;
    uint32_t image_count;
} fe_device_code;

/* A kernel over rows * columns work-items. Item m * columns + n works on row m and, in kernels that are cut
 * along columns too, on column n. Where work-groups take rows, columns is how many items they have. The
 * kernel's parameters are these, in this order. */
typedef struct fe_device_launch {
    fe_device_module *module;
    uint32_t kernel; /* index among the code's */
    void *
        fault; /* 32 bytes of the device: a check that fails writes 1, its number, the index, the size;
                * while the first is not 0 kernels do nothing */
    int64_t rows, columns;
    void *const *buffers; /* addresses of the device */
    uint32_t buffer_count;
    const int64_t *ints;
    uint32_t int_count;
} fe_device_launch;

typedef struct fe_device_driver {
    uint32_t version;      /* FE_DEVICE_VERSION */
    uint32_t struct_bytes; /* sizeof(fe_device_driver) */
    const char *kind;      /* as programs name it: "opencl" */
    /* The device of that number (-1: the first). */
    int (*open)(int32_t index, const fe_device_host *host, fe_device **out);
    void (*close)(fe_device *device);
    void (*describe)(fe_device *device, fe_device_facts *out);
    /* Memory of the device, aligned to 64 bytes. */
    int (*allocate)(fe_device *device, int64_t bytes, void **address);
    void (*release)(fe_device *device, void *address);
    /* Memory of the host, aligned to 64 bytes, that write and read reach best. */
    int (*allocate_pinned)(fe_device *device, int64_t bytes, void **memory);
    void (*release_pinned)(fe_device *device, void *memory);
    int (*load)(fe_device *device, const fe_device_code *code, fe_device_module **out);
    void (*unload)(fe_device_module *module);
    int (*queue_new)(fe_device *device, fe_device_queue **out);
    void (*queue_free)(fe_device_queue *queue); /* waits for what is in it */
    int (*write)(fe_device_queue *queue, void *address, const void *memory, int64_t bytes);
    int (*read)(fe_device_queue *queue, void *memory, const void *address, int64_t bytes);
    int (*copy)(fe_device_queue *queue, void *to, const void *from,
                int64_t bytes); /* on the device */
    int (*launch)(fe_device_queue *queue, const fe_device_launch *launch);
    /* A mark behind all that is in the queue by now; wait returns when that is done, and frees the mark. */
    int (*record)(fe_device_queue *queue, fe_device_mark **out);
    int (*wait)(fe_device_mark *mark);
    /* ---- not in the first drivers of version 1: see struct_bytes; NULL: nobody can ask ---- */
    /* 1 where an address is in memory of this device, as which a program may be given it; else 0. */
    int (*owns)(fe_device *device, const void *address);
    /* A queue whose marks tell the time (option profile), and the nanoseconds of the device's clock from one
     * mark to a later one of it. Waits for both, and frees them, also where it fails. */
    int (*timed_queue_new)(fe_device *device, fe_device_queue **out);
    int (*elapsed)(fe_device_mark *from, fe_device_mark *to, int64_t *nanoseconds);
    /* ---- nor in the next; both or none ---- */
    /* What the queue is given from now on begins when what is before the mark, of another queue of the
     * device, is done. May return before. The mark stays. */
    int (*follow)(fe_device_queue *queue, fe_device_mark *mark);
    /* Frees a mark that nobody waits for; queues that follow it do so still. */
    void (*forget)(fe_device_mark *mark);
} fe_device_driver;

/* Of OpenCL 1.2 and later: found when a program is opened (libOpenCL.so.1), on the CPU too (PoCL). */
extern const fe_device_driver fe_opencl_driver;
/* Of CUDA: libcuda.so.1, and libnvrtc.so, which compiles the kernels when a program is opened, where they
 * were not made for the device before. */
extern const fe_device_driver fe_cuda_driver;

/* Of Metal, on Apple's systems; anywhere else open() says that there is none. */
extern const fe_device_driver fe_metal_driver;

/* What a library with a driver is asked for. */
FE_ARTIFACT const fe_device_driver *ferrite_device(void);

#ifdef __cplusplus
}
#endif

#endif
