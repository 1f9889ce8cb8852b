/* load.c -- an artifact in this process, its weights filled in memory: nothing is written but the
 * library in the cache. */
#define _GNU_SOURCE
#include "driver/driver.h"

#include <dlfcn.h>
#include <sys/mman.h>

/* ThreadSanitizer does not see the loader's locks, by which what is unloaded and mapped anew is in
 * order. */
#ifdef __SANITIZE_THREAD__
enum { LOAD = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };
#else
enum { LOAD = RTLD_NOW | RTLD_LOCAL };
#endif

static fe_status find_artifact(driver_program *d, loaded_program *out)
{
    diag where = {.status = FE_TOOLCHAIN, .stage = "load", .place = d->library};
    out->handle = dlopen(d->library, LOAD);
    if (!out->handle) return diag_fail(d->session, where, "%s", dlerror());
    const fe_artifact *(*entry)(void);
    *(void **)&entry = dlsym(out->handle, "ferrite_artifact");
    if (!entry) return diag_fail(d->session, where, "it has no entry point ferrite_artifact");
    out->artifact = entry();
    if (out->artifact->abi_version == FE_ABI_VERSION) return FE_OK;
    return diag_fail(d->session, where, "it has ABI version %u, this ferrite has %u",
                     out->artifact->abi_version, FE_ABI_VERSION);
}

static fe_status fill_weights(driver_program *d, loaded_program *out)
{
    size_t bytes = (size_t)d->wrapper->weights_bytes;
    if (!bytes) return FE_OK;
    out->weights = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (out->weights == MAP_FAILED) {
        out->weights = NULL;
        return diag_fail(d->session, (diag){.status = FE_NO_MEMORY, .stage = "load"},
                         "no memory for %zu bytes of weights", bytes);
    }
    out->weights_bytes = bytes;
    madvise(out->weights, bytes, MADV_HUGEPAGE);
    weights_fill(d->wrapper, out->weights, 0);
    return FE_OK;
}

fe_status driver_load(driver_program *d)
{
    loaded_program *out = &d->loaded;
    if (out->model) return FE_OK;
    driver_unload(d); /* what an earlier failure has left */
    FE_TRY(toolchain_build(d));
    FE_TRY(find_artifact(d, out));
    double begin = clock_seconds();
    FE_TRY(driver_progress(d, STAGE_WEIGHTS, 0, 1));
    FE_TRY(fill_weights(d, out));
    d->ms[STAGE_WEIGHTS] = (clock_seconds() - begin) * 1e3;
    d->artifact_bytes = file_size(d->library) + d->wrapper->weights_bytes;
    if (out->artifact->open_memory(out->weights, (int64_t)out->weights_bytes, &out->model) ==
        FE_RUN_OK)
        return FE_OK;
    return diag_fail(d->session,
                     (diag){.status = FE_TOOLCHAIN, .stage = "load", .place = d->library}, "%s",
                     out->artifact->error(NULL));
}

void driver_unload(driver_program *d)
{
    loaded_program *p = &d->loaded;
    if (p->model) p->artifact->close(p->model);
    if (p->handle) dlclose(p->handle);
    if (p->weights) munmap(p->weights, p->weights_bytes);
    *p = (loaded_program){0};
}
