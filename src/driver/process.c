/* process.c -- a program run in this process as the lines that it is made of: kernels and operators from
 * a library that the C compiler makes, or, where there is none, from this process.
 */
#include "driver/driver.h"

#include <dlfcn.h>
#include <string.h>

static fe_status open_kernels(driver_program *d, exec_facts *facts)
{
    union {
        void *object;
        const rt_library *(*function)(void);
    } entry;
    FE_TRY(driver_build_kernels(d));
    FE_TRY(driver_open_library(d, &d->kernels_only, &d->loaded.handle, &entry.object));
    facts->library = entry.function();
    d->artifact_bytes = file_size(d->kernels_only.library) + d->wrapper->weights_bytes;
    if (facts->library->version == RT_LIBRARY_VERSION) return FE_OK;
    return diag_fail(
        d->session,
        (diag){.status = FE_TOOLCHAIN, .stage = "load", .place = d->kernels_only.library},
        "it was made by another ferrite");
}

/* The user's function of this name: the caller's, or from the libraries that the program calls. */
static fe_op_function *find_custom(void *data, const char *symbol)
{
    driver_program *d = data;
    const loaded_program *loaded = &d->loaded;
    union {
        void *object;
        fe_op_function *function;
    } found = {NULL};
    fe_op_function *added = ops_added_function(d, symbol);
    if (added) return added;
    for (uint32_t i = 0; i < loaded->user_handle_count && !found.object; i++)
        found.object = dlsym(loaded->user_handles[i], symbol);
    return found.function;
}

static fe_status open_user_libraries(driver_program *d)
{
    loaded_program *loaded = &d->loaded;
    const char **paths;
    uint32_t count = ops_libraries(d, &paths);
    loaded->user_handles = NEW_ARRAY(d->memory, void *, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        void *handle = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
        if (!handle)
            return diag_fail(d->session,
                             (diag){.status = FE_USAGE, .stage = "ops", .place = paths[i]}, "%s",
                             dlerror());
        loaded->user_handles[loaded->user_handle_count++] = handle;
    }
    return FE_OK;
}

static fe_device_code code_of(driver_program *d, const emit_module *m)
{
    fe_device_kernel *kernels = NEW_ARRAY(d->memory, fe_device_kernel, m->kernel_count + 1);
    uint32_t *groups = NEW_ARRAY(d->memory, uint32_t, m->kernel_count + 1);
    for (uint32_t i = 0; i < m->kernel_count; i++) {
        const emit_kernel *k = &m->kernels[i];
        kernels[i] = (fe_device_kernel){k->name, k->buffer_count, k->int_count};
        groups[i] = k->group_size;
    }
    fe_device_image *images = NEW_ARRAY(d->memory, fe_device_image, m->image_count + 1);
    for (uint32_t i = 0; i < m->image_count; i++)
        images[i] =
            (fe_device_image){m->images[i].architecture, m->images[i].data, m->images[i].bytes};
    return (fe_device_code){.source = m->source,
                            .bytes = strlen(m->source),
                            .kernels = kernels,
                            .kernel_count = m->kernel_count,
                            .needs_f64 = m->needs_f64,
                            .groups = groups,
                            .images = images,
                            .image_count = m->image_count};
}

static void give_modules(driver_program *d, exec_facts *facts)
{
    uint32_t count;
    const emit_module *from = driver_modules(d, &count);
    exec_module *modules = NEW_ARRAY(d->memory, exec_module, count + 1);
    for (uint32_t k = 0; k < count; k++)
        modules[k] = (exec_module){from[k].kind, code_of(d, &from[k])};
    facts->modules = modules;
    facts->module_count = count;
}

fe_status driver_load_process(driver_program *d)
{
    exec_facts facts = {.library = &exec_own_library, .custom = find_custom, .data = d};
    if (d->options.no_cc) {
        if (!d->schedule)
            return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "load"},
                             "the text of a wrapper has no kernels that could be interpreted");
        facts.schedule = d->schedule;
        FE_TRY(open_user_libraries(d));
    } else
        FE_TRY(open_kernels(d, &facts));
    FE_TRY(driver_fill_weights(d));
    facts.weights = d->loaded.weights;
    give_modules(d, &facts);
    FE_TRY(watch_observers(d, &facts));
    FE_TRY(exec_new(d->wrapper, &facts, d->memory, &d->loaded.exec));
    d->loaded.artifact = exec_artifact(d->loaded.exec);
    d->loaded.model = exec_model(d->loaded.exec);
    return FE_OK;
}
