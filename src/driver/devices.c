/* devices.c -- drivers of devices of one's own, from libraries (ferrite_device.h). */
#include "driver/driver.h"

#include <dlfcn.h>

static fe_status open_driver(driver_program *d, const char *path, const fe_device_driver **out)
{
    union {
        void *object;
        const fe_device_driver *(*function)(void);
    } entry = {NULL};
    loaded_program *loaded = &d->loaded;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    diag at = {.status = FE_USAGE, .stage = "devices", .place = path};
    if (!handle) return diag_fail(d->session, at, "%s", dlerror());
    loaded->device_handles[loaded->device_handle_count++] = handle;
    entry.object = dlsym(handle, "ferrite_device");
    if (!entry.object)
        return diag_fail(d->session, at, "it has no function ferrite_device() (ferrite_device.h)");
    *out = entry.function();
    if ((*out)->version == FE_DEVICE_VERSION) return FE_OK;
    return diag_fail(d->session, at, "its driver is of version %u, this ferrite has %u",
                     (*out)->version, FE_DEVICE_VERSION);
}

fe_status devices_give(driver_program *d)
{
    const option_list *paths = &d->options.devices;
    loaded_program *loaded = &d->loaded;
    loaded->device_handles = NEW_ARRAY(d->memory, void *, paths->count + 1);
    for (uint32_t i = 0; i < paths->count; i++) {
        const fe_device_driver *driver = NULL;
        FE_TRY(open_driver(d, paths->at[i], &driver));
        if (d->wrapper->devices.count) loaded->artifact->set_driver(loaded->model, driver);
    }
    return FE_OK;
}
