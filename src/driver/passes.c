/* passes.c -- the passes of a compilation: the built-in ones, and the user's from libraries
 * (ferrite_passes.h) and from fe_add_pass(). Libraries stay loaded while the passes run. */
#define _GNU_SOURCE
#include "driver/driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct pass_loader {
    driver_program *d;
    const char *path;
    void *handle;
    const fe_pass_library *library;
} pass_loader;

static fe_status load_failed(const pass_loader *l, const char *help, const char *format,
                             const char *what)
{
    return diag_fail(l->d->session,
                     (diag){.status = FE_USAGE, .stage = "pass", .place = l->path, .help = help},
                     format, what ? what : "");
}

static fe_status open_library(pass_loader *l)
{
    char *full = realpath(l->path, NULL);
    if (!full)
        return load_failed(l, "give the path of a shared library", "cannot be found%s", NULL);
    l->path = arena_strdup(l->d->memory, full);
    free(full);
    l->handle = dlopen(l->path, RTLD_NOW | RTLD_LOCAL);
    if (!l->handle)
        return load_failed(l, "build it with -shared -fPIC", "cannot be loaded: %s", dlerror());
    union { /* what POSIX promises and ISO C has no cast for */
        void *object;
        const fe_pass_library *(*function)(void);
    } entry = {.object = dlsym(l->handle, "ferrite_passes")};
    if (!entry.object)
        return load_failed(l, "end it with FE_PASS_LIBRARY (ferrite_passes.h)",
                           "it has no function ferrite_passes%s", NULL);
    l->library = entry.function();
    if (l->library->version != FE_PASSES_VERSION)
        return load_failed(l, "compile it again with the ferrite_passes.h of this ferrite",
                           "it was made for another version of ferrite_passes.h%s", NULL);
    return FE_OK;
}

typedef struct pass_list {
    pass_info *table;
    uint32_t count;
} pass_list;

static fe_status collect(driver_program *d, const pass_loader *loaders, pass_list *all)
{
    const driver_options *o = &d->options;
    uint32_t most = pass_count + o->added_count;
    for (uint32_t i = 0; i < o->passes.count; i++) most += loaders[i].library->count;
    all->table = NEW_ARRAY(d->memory, pass_info, most);
    all->count = pass_count;
    memcpy(all->table, pass_table, pass_count * sizeof *all->table);
    for (uint32_t i = 0; i < o->passes.count; i++)
        for (uint32_t k = 0; k < loaders[i].library->count; k++)
            FE_TRY(pass_insert(d->graph, &loaders[i].library->passes[k], all->table, &all->count));
    for (uint32_t i = 0; i < o->added_count; i++)
        FE_TRY(pass_insert(d->graph, o->added[i], all->table, &all->count));
    return FE_OK;
}

fe_status passes_run(driver_program *d, const pass_options *options)
{
    pass_loader loaders[OPTION_LIST_MOST] = {0};
    uint32_t count = d->options.passes.count;
    pass_list all;
    fe_status status = FE_OK;
    for (uint32_t i = 0; i < count && status == FE_OK; i++) {
        loaders[i] = (pass_loader){.d = d, .path = d->options.passes.at[i]};
        status = open_library(&loaders[i]);
    }
    if (status == FE_OK) status = collect(d, loaders, &all);
    if (status == FE_OK) status = pass_run_table(d->graph, all.table, all.count, options);
    for (uint32_t i = 0; i < count; i++)
        if (loaders[i].handle) dlclose(loaders[i].handle);
    return status;
}
