/* module.c -- a program as a module of another language: its text, and beside it a library of kernels with
 * the weights at its end, and what the text calls.
 */
#include "driver/driver.h"
#include "driver/embed.h"

#include <string.h>

/* "dir/net.py": module net in dir; "dir": the program's name. */
typedef struct module_place {
    const char *folder, *name;
} module_place;

static module_place place_of(driver_program *d, const char *path, const char *extension)
{
    const char *slash = strrchr(path, '/');
    const char *last = slash ? slash + 1 : path;
    size_t length = strlen(last), end = strlen(extension);
    if (length <= end || strcmp(last + length - end, extension) != 0)
        return (module_place){path, d->wrapper->name};
    const char *folder = slash ? arena_printf(d->memory, "%.*s", (int)(slash - path), path) : ".";
    const char *stem = arena_printf(d->memory, "%.*s", (int)(length - end), last);
    return (module_place){*folder ? folder : "/", emit_identifier(d->memory, stem)};
}

static const struct embedded_file *embedded(const char *name)
{
    for (size_t i = 0; i < embedded_file_count; i++)
        if (strcmp(embedded_path(&embedded_files[i]), name) == 0) return &embedded_files[i];
    return NULL;
}

/* Library with weights, and the embedded files that the module imports. */
static fe_status write_support(driver_program *d, const module_place *to, const char *const *names)
{
    const wrap_program *programs = d->wrapper;
    FE_TRY(driver_need_kernels(d));
    FE_TRY(driver_build_kernels(d));
    FE_TRY(file_make_dirs(d->session, to->folder));
    FE_TRY(weights_write(&programs, 1, d->weights_key, d->kernels_only.library,
                         arena_printf(d->memory, "%s/%s_kernels.so", to->folder, to->name),
                         &d->artifact_bytes));
    for (; *names; names++) {
        const struct embedded_file *file = embedded(*names);
        CHECK(d->session, file != NULL);
        FE_TRY(file_write(d->session, arena_printf(d->memory, "%s/%s", to->folder, *names),
                          file->data, file->size));
    }
    return FE_OK;
}

static fe_status write_text(driver_program *d, const module_place *to, const emit_target *target)
{
    emit_input input;
    emit_file *files;
    uint32_t count;
    driver_emit_input(d, &input);
    input.module = to->name;
    FE_TRY(emit_program(target, &input, d->memory, &files, &count));
    for (uint32_t i = 0; i < count; i++)
        FE_TRY(file_write(d->session, arena_printf(d->memory, "%s/%s", to->folder, files[i].name),
                          files[i].text, files[i].length));
    return FE_OK;
}

/* What declares functions in Python, where the program calls some that no library has. */
static const char *ops_of_host(const driver_program *d)
{
    for (uint32_t i = 0; i < d->wrapper->lines.count; i++) {
        const wrap_line *line = &d->wrapper->lines.at[i];
        if (line->kind == WRAP_EXTERN && line->op->callee && !line->op->callee->library)
            return "ferrite_ops.py";
    }
    return NULL;
}

fe_status module_write_python(driver_program *d, const char *path)
{
    const char *support[] = {"ferrite_runtime.py", ops_of_host(d), NULL};
    module_place to = place_of(d, path, ".py");
    FE_TRY(driver_need_host(d, false));
    FE_TRY(write_support(d, &to, support));
    return write_text(d, &to, &emit_target_python);
}

fe_status module_write_fx(driver_program *d, const char *path)
{
    const char *support[] = {"ferrite_runtime.py", "ferrite_fx.py", ops_of_host(d), NULL};
    module_place to = place_of(d, path, ".json");
    driver_program *host;
    FE_TRY(driver_for_host(d, &host));
    fe_status status = write_support(host, &to, support);
    d->temporary = host->temporary;
    return status == FE_OK ? write_text(host, &to, &emit_target_fx) : status;
}
