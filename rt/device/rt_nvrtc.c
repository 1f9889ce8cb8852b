/* rt_nvrtc.c - the compiler of CUDA's kernels. */
#include "rt_nvrtc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *symbol;
    size_t at;
} ENTRIES[] = {{"nvrtcCreateProgram", offsetof(rt_nvrtc, create)},
               {"nvrtcCompileProgram", offsetof(rt_nvrtc, compile)},
               {"nvrtcGetProgramLogSize", offsetof(rt_nvrtc, log_size)},
               {"nvrtcGetProgramLog", offsetof(rt_nvrtc, log)},
               {"nvrtcGetPTXSize", offsetof(rt_nvrtc, ptx_size)},
               {"nvrtcGetPTX", offsetof(rt_nvrtc, ptx)},
               {"nvrtcGetCUBINSize", offsetof(rt_nvrtc, cubin_size)},
               {"nvrtcGetCUBIN", offsetof(rt_nvrtc, cubin)},
               {"nvrtcGetNumSupportedArchs", offsetof(rt_nvrtc, architecture_count)},
               {"nvrtcGetSupportedArchs", offsetof(rt_nvrtc, architectures)},
               {"nvrtcDestroyProgram", offsetof(rt_nvrtc, destroy)}};

int rt_nvrtc_open(rt_nvrtc *nvrtc)
{
    const char *const names[] = {getenv("CUDA_NVRTC"), "libnvrtc.so", "libnvrtc.so.13",
                                 "libnvrtc.so.12", "libnvrtc.so.11.2"};
    memset(nvrtc, 0, sizeof *nvrtc);
    for (size_t i = 0; i < sizeof names / sizeof *names && !nvrtc->library; i++)
        if (names[i] && *names[i]) nvrtc->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; nvrtc->library && i < sizeof ENTRIES / sizeof *ENTRIES; i++) {
        void *function = dlsym(nvrtc->library, ENTRIES[i].symbol);
        if (!function) {
            rt_nvrtc_close(nvrtc);
            return 0;
        }
        memcpy((char *)nvrtc + ENTRIES[i].at, &function, sizeof function);
    }
    return nvrtc->library != NULL;
}

void rt_nvrtc_close(rt_nvrtc *nvrtc)
{
    if (nvrtc->library) dlclose(nvrtc->library);
    nvrtc->library = NULL;
}

int rt_nvrtc_oldest(const rt_nvrtc *nvrtc)
{
    enum { USUAL = 75 };
    int count = 0, oldest = USUAL;
    if (nvrtc->architecture_count(&count) || count < 1) return USUAL;
    int *all = calloc((size_t)count, sizeof *all);
    if (all && nvrtc->architectures(all) == 0) oldest = all[0];
    for (int i = 1; all && i < count; i++)
        if (all[i] < oldest) oldest = all[i];
    free(all);
    return oldest;
}

/* Its first line. */
static void take_log(const rt_nvrtc *nvrtc, rt_nvrtc_handle program, char *message, size_t bytes)
{
    size_t size = 0;
    nvrtc->log_size(program, &size);
    char *log = calloc(1, size + 1);
    if (log) nvrtc->log(program, log);
    if (log) log[strcspn(log, "\n")] = '\0';
    snprintf(message, bytes, "its compiler refuses the kernels: %s", log ? log : "");
    free(log);
}

static int take_image(const rt_nvrtc *nvrtc, rt_nvrtc_handle program, int is_machine_code,
                      rt_nvrtc_image *out)
{
    int (*size)(rt_nvrtc_handle, size_t *) = is_machine_code ? nvrtc->cubin_size : nvrtc->ptx_size;
    int (*take)(rt_nvrtc_handle, char *) = is_machine_code ? nvrtc->cubin : nvrtc->ptx;
    if (size(program, &out->bytes) || out->bytes == 0) return 0;
    out->data = malloc(out->bytes);
    return out->data && take(program, out->data) == 0;
}

int rt_nvrtc_make(const rt_nvrtc *nvrtc, const char *source, const char *architecture,
                  rt_nvrtc_image *out, char *message, size_t message_bytes)
{
    char option[64];
    const char *options[] = {option, "--fmad=false"};
    rt_nvrtc_handle program;
    int made = 0;
    *out = (rt_nvrtc_image){NULL, 0};
    snprintf(option, sizeof option, "--gpu-architecture=%s", architecture);
    snprintf(message, message_bytes, "no memory to compile kernels");
    if (nvrtc->create(&program, source, "kernels.cu", 0, NULL, NULL) != 0) return 0;
    if (nvrtc->compile(program, 2, options) != 0)
        take_log(nvrtc, program, message, message_bytes);
    else
        made = take_image(nvrtc, program, strncmp(architecture, "sm_", 3) == 0, out);
    nvrtc->destroy(&program);
    if (made) return 1;
    free(out->data);
    *out = (rt_nvrtc_image){NULL, 0};
    return 0;
}
