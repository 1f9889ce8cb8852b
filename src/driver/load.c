/* load.c -- an artifact in this process, its weights filled in memory: nothing is written but the
 * library in the cache. */
#define _GNU_SOURCE
#include "driver/driver.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

/* ThreadSanitizer does not see the loader's locks, by which what is unloaded and mapped anew is in
 * order. */
#ifdef __SANITIZE_THREAD__
enum { LOAD = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };
#else
enum { LOAD = RTLD_NOW | RTLD_LOCAL };
#endif

fe_status driver_open_library(driver_program *d, const driver_build *build, void **handle,
                              void **entry)
{
    diag where = {.status = FE_TOOLCHAIN, .stage = "load", .place = build->library};
    *handle = dlopen(build->library, LOAD);
    if (!*handle) return diag_fail(d->session, where, "%s", dlerror());
    *entry = dlsym(*handle, build->entries[0]);
    if (*entry) return FE_OK;
    return diag_fail(d->session, where, "it has no entry point %s", build->entries[0]);
}

static bool has_ports(const loop_program *p, const fe_artifact *a)
{
    if (a->input_count != loop_given_count(p) || a->output_count != p->outputs.count) return false;
    for (uint32_t k = 0; k < a->input_count; k++) {
        const loop_input *in = &p->inputs.at[k];
        if (!in->is_tensor) continue;
        const loop_buffer *b = &p->buffers.at[in->buffer];
        if (a->inputs[k].dtype != (uint32_t)ty_dtype_number(b->dtype) ||
            a->inputs[k].rank != b->rank)
            return false;
    }
    return true;
}

/* Option `artifact` may name anything. */
static fe_status check_given(driver_program *d, const fe_artifact *a)
{
    if (!d->options.artifact ||
        (a->weights_bytes == d->wrapper->weights_bytes && has_ports(d->loops, a)))
        return FE_OK;
    return diag_fail(d->session,
                     (diag){.status = FE_USAGE, .stage = "load", .place = d->options.artifact},
                     "it was not made of this program with these options");
}

static fe_status find_artifact(driver_program *d, loaded_program *out)
{
    union { /* what POSIX promises and ISO C has no cast for */
        void *object;
        const fe_artifact *(*function)(void);
    } entry;
    FE_TRY(driver_open_library(d, &d->whole, &out->handle, &entry.object));
    out->artifact = entry.function();
    if (out->artifact->abi_version == FE_ABI_VERSION) return check_given(d, out->artifact);
    return diag_fail(
        d->session, (diag){.status = FE_TOOLCHAIN, .stage = "load", .place = d->whole.library},
        "it has ABI version %u, this ferrite has %u", out->artifact->abi_version, FE_ABI_VERSION);
}

static fe_status map_weights(driver_program *d)
{
    loaded_program *out = &d->loaded;
    size_t bytes = (size_t)d->wrapper->weights_bytes;
    if (!bytes) return FE_OK;
    FE_TRY(weights_check(d->wrapper));
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

fe_status driver_fill_weights(driver_program *d)
{
    double begin = clock_seconds();
    FE_TRY(driver_progress(d, STAGE_WEIGHTS, 0, 1));
    FE_TRY(map_weights(d));
    d->ms[STAGE_WEIGHTS] = (clock_seconds() - begin) * 1e3;
    return FE_OK;
}

/* Operators that no library has are the caller's. */
static void give_functions(driver_program *d)
{
    const fe_artifact *a = d->loaded.artifact;
    for (uint32_t k = 0; k < a->op_count; k++)
        a->set_op(d->loaded.model, a->ops[k], ops_added_function(d, a->ops[k]));
}

/* The loader looks for a name without a folder elsewhere. */
static const char *path_to_load(arena *memory, const char *path)
{
    return strchr(path, '/') ? path : arena_printf(memory, "./%s", path);
}

static fe_status load_artifact(driver_program *d)
{
    loaded_program *out = &d->loaded;
    if (d->options.artifact) d->whole.library = path_to_load(d->memory, d->options.artifact);
    FE_TRY(toolchain_build(d, &d->whole));
    FE_TRY(find_artifact(d, out));
    FE_TRY(driver_fill_weights(d));
    d->artifact_bytes = file_size(d->whole.library) + d->wrapper->weights_bytes;
    if (out->artifact->open_memory(out->weights, (int64_t)out->weights_bytes, &out->model) ==
        FE_RUN_OK) {
        give_functions(d);
        return FE_OK;
    }
    return diag_fail(d->session,
                     (diag){.status = FE_TOOLCHAIN, .stage = "load", .place = d->whole.library},
                     "%s", out->artifact->error(NULL));
}

fe_status driver_load(driver_program *d)
{
    const char *target = d->options.target;
    bool in_process = d->options.no_cc || (target && strcmp(target, "process") == 0) ||
                      watch_is_wanted(&d->options);
    if (d->loaded.model) return FE_OK;
    FE_TRY(driver_need_host(d, true));
    FE_TRY(driver_need_kernels(d));
    if (!d->options.no_cc) FE_TRY(toolchain_check_machine(d, "load"));
    driver_unload(d); /* what an earlier failure has left */
    FE_TRY(in_process ? driver_load_process(d) : load_artifact(d));
    return devices_give(d);
}

fe_status driver_context(driver_program *d, const fe_artifact *a, const fe_model *model,
                         uint32_t threads, fe_context **out)
{
    exec_program *x = d->loaded.exec;
    int code = a->context_new(model, threads, out);
    if (code == FE_RUN_OK) return FE_OK;
    const char *why = x && model == exec_model(x) ? exec_error(x) : a->error(NULL);
    fe_status status = code == FE_RUN_NO_MEMORY ? FE_NO_MEMORY : FE_UNSUPPORTED;
    if (!*why) why = "no memory for the arena";
    return diag_fail(d->session, (diag){.status = status, .stage = "run"}, "%s", why);
}

void driver_unload(driver_program *d)
{
    loaded_program *p = &d->loaded;
    if (p->model && !p->exec) p->artifact->close(p->model);
    exec_free(p->exec);
    if (p->handle) dlclose(p->handle);
    for (uint32_t i = 0; i < p->user_handle_count; i++) dlclose(p->user_handles[i]);
    for (uint32_t i = 0; i < p->device_handle_count; i++) dlclose(p->device_handles[i]);
    if (p->weights) munmap(p->weights, p->weights_bytes);
    *p = (loaded_program){0};
}
