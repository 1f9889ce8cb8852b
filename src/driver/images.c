/* images.c -- kernels of CUDA made when the program is compiled, by NVRTC (option cuda-arch): machine code
 * for each architecture that is named, and PTX of the last, which later ones take; without the option PTX of
 * the oldest that NVRTC knows, where there is NVRTC. The source stays beside them.
 */
#include "driver/driver.h"

#include "../rt/device/rt_nvrtc.h"

#include <stdlib.h>
#include <string.h>

static bool takes_images(const emit_module *m)
{
    return strcmp(m->dialect, "cuda") == 0;
}

void images_give(const driver_program *d, emit_module *m)
{
    if (!takes_images(m)) return;
    m->images = d->images.at;
    m->image_count = d->images.count;
}

static fe_status make_one(driver_program *d, const rt_nvrtc *nvrtc, const emit_module *m,
                          const char *architecture)
{
    char why[400];
    rt_nvrtc_image made;
    diag at = {.status = FE_TOOLCHAIN, .stage = "cc", .place = architecture};
    if (!rt_nvrtc_make(nvrtc, m->source, architecture, &made, why, sizeof why))
        return diag_fail(d->session, at, "NVRTC: %s", why);
    vec_push(d->memory, &d->images,
             (emit_image){architecture, arena_copy(d->memory, made.data, made.bytes), made.bytes});
    free(made.data);
    return FE_OK;
}

/* "80,90": sm_80, sm_90, compute_90 */
static fe_status make_named(driver_program *d, const rt_nvrtc *nvrtc, const emit_module *m)
{
    const char *at = d->options.cuda_arch;
    for (;;) {
        size_t digits = strspn(at, "0123456789");
        if (digits < 2 || digits > 3 || (at[digits] && at[digits] != ','))
            return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "option"},
                             "cuda-arch is none, or numbers of architectures as 80,90, not '%s'",
                             d->options.cuda_arch);
        FE_TRY(make_one(d, nvrtc, m, arena_printf(d->memory, "sm_%.*s", (int)digits, at)));
        if (!at[digits])
            return make_one(d, nvrtc, m, arena_printf(d->memory, "compute_%.*s", (int)digits, at));
        at += digits + 1;
    }
}

static fe_status make_all(driver_program *d, const emit_module *m)
{
    rt_nvrtc nvrtc;
    bool is_asked_for = d->options.cuda_arch != NULL;
    if (!rt_nvrtc_open(&nvrtc)) {
        diag at = {.status = FE_TOOLCHAIN,
                   .stage = "cc",
                   .help = "the CUDA toolkit has it; $CUDA_NVRTC may say where it is"};
        return is_asked_for ? diag_fail(d->session, at, "cuda-arch: there is no libnvrtc.so")
                            : FE_OK;
    }
    fe_status status =
        is_asked_for ? make_named(d, &nvrtc, m)
                     : make_one(d, &nvrtc, m,
                                arena_printf(d->memory, "compute_%d", rt_nvrtc_oldest(&nvrtc)));
    rt_nvrtc_close(&nvrtc);
    return status;
}

fe_status images_make(driver_program *d)
{
    uint32_t count;
    d->images.count = 0;
    const emit_module *modules = driver_modules(d, &count);
    if (d->options.artifact) return FE_OK; /* it has its own */
    if (d->options.cuda_arch && strcmp(d->options.cuda_arch, "none") == 0) return FE_OK;
    for (uint32_t k = 0; k < count; k++)
        if (takes_images(&modules[k])) return make_all(d, &modules[k]);
    return FE_OK;
}
