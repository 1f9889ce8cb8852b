/* artifact.c -- what is shipped of one program: a shared library, or an archive, with its header. */
#include "driver/driver.h"

#include <string.h>

static bool ends_with(const char *name, const char *end)
{
    size_t a = strlen(name), b = strlen(end);
    return a >= b && strcmp(name + a - b, end) == 0;
}

static fe_status write_header(driver_program *d, const char *path)
{
    emit_input input;
    driver_emit_input(d, &input);
    emit_file header;
    FE_TRY(emit_header(&input, 1, d->wrapper->name, d->memory, &header));
    return file_write(d->session, path, header.text, header.length);
}

static const char *sibling(driver_program *d, const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    int stem = dot && (!slash || dot > slash) ? (int)(dot - path) : (int)strlen(path);
    return arena_printf(d->memory, "%.*s%s", stem, path, extension);
}

/* NAME.h and NAME.weights, which the program looks for under its name, in the folder of `path`. */
static const char *path_beside(driver_program *d, const char *path, const char *extension)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    return arena_printf(d->memory, "%.*s%s%s", folder, path, d->wrapper->name, extension);
}

static fe_status write_weights(driver_program *d, const char *library, const char *path)
{
    const wrap_program *programs = d->wrapper;
    double begin = clock_seconds();
    FE_TRY(driver_progress(d, STAGE_WEIGHTS, 0, 1));
    FE_TRY(weights_write(&programs, 1, d->weights_key, library, path, &d->artifact_bytes));
    d->ms[STAGE_WEIGHTS] = (clock_seconds() - begin) * 1e3;
    return FE_OK;
}

/* NAME.a to be linked into programs; the weights, which are mapped from a file, lie beside it. */
static fe_status write_archive(driver_program *d, const char *path)
{
    driver_build build = d->whole;
    mapped_file made;
    build.is_static = true;
    build.library = NULL;
    FE_TRY(toolchain_build(d, &build));
    FE_TRY(file_map(d->session, build.library, &made));
    size_t bytes = cache_code_bytes(made.data, made.size);
    fe_status status = file_write(d->session, path, made.data, bytes);
    file_unmap(&made);
    FE_TRY(status);
    FE_TRY(write_header(d, path_beside(d, path, ".h")));
    if (d->wrapper->weights_bytes) FE_TRY(write_weights(d, NULL, path_beside(d, path, ".weights")));
    d->artifact_bytes = (int64_t)bytes + d->wrapper->weights_bytes;
    return FE_OK;
}

fe_status artifact_write_library(driver_program *d, const char *path)
{
    FE_TRY(driver_need_host(d, true));
    FE_TRY(driver_need_kernels(d));
    if (ends_with(path, ".a")) return write_archive(d, path);
    FE_TRY(toolchain_build(d, &d->whole));
    FE_TRY(write_weights(d, d->whole.library, path));
    return write_header(d, sibling(d, path, ".h"));
}
