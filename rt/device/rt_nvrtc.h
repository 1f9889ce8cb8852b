/* rt_nvrtc.h - NVRTC, CUDA's compiler as a library, where a program runs and where it is compiled. */
#ifndef RT_NVRTC_H
#define RT_NVRTC_H

#include <stddef.h>

typedef struct rt_nvrtc_program *rt_nvrtc_handle;

typedef struct rt_nvrtc {
    void *library; /* NULL: it is not open */
    int (*create)(rt_nvrtc_handle *, const char *, const char *, int, const char *const *,
                  const char *const *);
    int (*compile)(rt_nvrtc_handle, int, const char *const *);
    int (*log_size)(rt_nvrtc_handle, size_t *);
    int (*log)(rt_nvrtc_handle, char *);
    int (*ptx_size)(rt_nvrtc_handle, size_t *);
    int (*ptx)(rt_nvrtc_handle, char *);
    int (*cubin_size)(rt_nvrtc_handle, size_t *);
    int (*cubin)(rt_nvrtc_handle, char *);
    int (*architecture_count)(int *);
    int (*architectures)(int *);
    int (*destroy)(rt_nvrtc_handle *);
} rt_nvrtc;

/* The caller's to free; PTX ends with a zero byte. */
typedef struct rt_nvrtc_image {
    char *data;
    size_t bytes;
} rt_nvrtc_image;

/* 0: there is none, or one that lacks something; $CUDA_NVRTC says where it is. */
int rt_nvrtc_open(rt_nvrtc *nvrtc);
void rt_nvrtc_close(rt_nvrtc *nvrtc);
/* The oldest architecture that it compiles for: 75. */
int rt_nvrtc_oldest(const rt_nvrtc *nvrtc);
/* "sm_90": machine code; "compute_75": PTX. 0: the message says why there is none. */
int rt_nvrtc_make(const rt_nvrtc *nvrtc, const char *source, const char *architecture,
                  rt_nvrtc_image *out, char *message, size_t message_bytes);

#endif
