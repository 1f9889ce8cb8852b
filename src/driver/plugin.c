/* plugin.c -- libraries of the user's that a compilation loads: operators, passes. Each exports one
 * function, which returns a structure whose first field is its version.
 */
#define _GNU_SOURCE
#include "driver/driver.h"

#include <dlfcn.h>
#include <stdlib.h>

fe_status plugin_failed(const plugin *l, const char *help, const char *format, const char *what)
{
    return diag_fail(
        l->d->session,
        (diag){.status = FE_USAGE, .stage = l->kind->stage, .place = l->path, .help = help}, format,
        what ? what : "");
}

fe_status plugin_open(driver_program *d, const plugin_kind *kind, const char *path, plugin *out)
{
    *out = (plugin){.d = d, .kind = kind, .path = path};
    char *full = realpath(path, NULL);
    if (!full)
        return plugin_failed(out, "give the path of a shared library", "cannot be found%s", NULL);
    out->path = arena_strdup(d->memory, full);
    free(full);
    out->handle = dlopen(out->path, RTLD_NOW | RTLD_LOCAL);
    if (!out->handle)
        return plugin_failed(out, "build it with -shared -fPIC", "cannot be loaded: %s", dlerror());
    union { /* what POSIX promises and ISO C has no cast for */
        void *object;
        const uint32_t *(*function)(void);
    } entry = {.object = dlsym(out->handle, kind->entry)};
    if (!entry.object)
        return plugin_failed(
            out, arena_printf(d->memory, "end it with %s (%s.h)", kind->macro, kind->entry),
            "it has no function %s", kind->entry);
    const uint32_t *version = entry.function();
    out->library = version;
    if (*version != kind->version)
        return plugin_failed(
            out,
            arena_printf(d->memory, "compile it again with the %s.h of this ferrite", kind->entry),
            "it was made for another version of %s.h", kind->entry);
    return FE_OK;
}

void plugin_close(plugin *l)
{
    if (l->handle) dlclose(l->handle);
}
