/* ops.c -- libraries that declare operators of the user's (ferrite_ops.h). */
#define _GNU_SOURCE
#include "driver/driver.h"
#include "ferrite_ops.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct op_loader {
    driver_program *d;
    const char *path;
    void *handle;
    const fe_op_library *library;
} op_loader;

static fe_status load_failed(op_loader *l, const char *help, const char *format, const char *what)
{
    return diag_fail(l->d->session,
                     (diag){.status = FE_USAGE, .stage = "ops", .place = l->path, .help = help},
                     format, what ? what : "");
}

static fe_status open_library(op_loader *l, const char *given)
{
    l->path = given;
    char *full = realpath(given, NULL);
    if (!full)
        return load_failed(l, "give the path of a shared library", "cannot be found%s", NULL);
    l->path = arena_strdup(l->d->memory, full);
    free(full);
    l->handle = dlopen(l->path, RTLD_NOW | RTLD_LOCAL);
    if (!l->handle)
        return load_failed(l, "build it with -shared -fPIC", "cannot be loaded: %s", dlerror());
    union { /* what POSIX promises and ISO C has no cast for */
        void *object;
        const fe_op_library *(*function)(void);
    } entry = {.object = dlsym(l->handle, "ferrite_ops")};
    if (!entry.object)
        return load_failed(l, "end it with FE_OP_LIBRARY (ferrite_ops.h)",
                           "it has no function ferrite_ops%s", NULL);
    l->library = entry.function();
    if (l->library->version != FE_OPS_VERSION)
        return load_failed(l, "compile it again with the ferrite_ops.h of this ferrite",
                           "it was made for another version of ferrite_ops.h%s", NULL);
    return FE_OK;
}

static fe_status declare_row(op_loader *l, const fe_op_row *row)
{
    const op_info *op;
    op_custom custom = {
        .library = l->path, .symbol = row->symbol, .shapes = row->shapes, .out = row->out};
    if (row->symbol && !dlsym(l->handle, row->symbol))
        return load_failed(l, "make the function extern, with default visibility",
                           "it does not export the function %s", row->symbol);
    return op_declare_custom(l->d->ops, row->schema, 0, &custom, &op);
}

/* A row without a function must have an out overload, which may stand in any of the libraries. */
static fe_status check_row(op_loader *l, const fe_op_row *row)
{
    const op_info *op, *out;
    FE_TRY(op_declare_custom(l->d->ops, row->schema, 0, &(op_custom){0}, &op));
    FE_TRY(op_out_variant(l->d->ops, op, &out));
    if (!row->symbol && !out)
        return load_failed(l, "name its function, or declare the overload that writes into outputs",
                           "%s has neither a function nor an out overload", op->name);
    return FE_OK;
}

static fe_status each_row(op_loader *l, fe_status (*visit)(op_loader *l, const fe_op_row *row))
{
    for (uint32_t i = 0; i < l->library->row_count; i++) FE_TRY(visit(l, &l->library->rows[i]));
    return FE_OK;
}

fe_status ops_load(driver_program *d)
{
    uint32_t count = d->options.ops.count;
    op_loader loaders[OPTION_LIST_MOST] = {0};
    fe_status status = FE_OK;
    if (!count) return FE_OK;
    d->ops = op_registry_new(d->memory);
    for (uint32_t i = 0; i < count && status == FE_OK; i++) {
        loaders[i].d = d;
        status = open_library(&loaders[i], d->options.ops.at[i]);
        if (status == FE_OK) status = each_row(&loaders[i], declare_row);
    }
    for (uint32_t i = 0; i < count && status == FE_OK; i++)
        status = each_row(&loaders[i], check_row);
    for (uint32_t i = 0; i < count; i++)
        if (loaders[i].handle) dlclose(loaders[i].handle);
    return status;
}

uint32_t ops_libraries(driver_program *d, const char ***out)
{
    VEC(const char *) paths = {0};
    for (uint32_t i = 0; i < d->wrapper->lines.count; i++) {
        const wrap_line *line = &d->wrapper->lines.at[i];
        if (line->kind != WRAP_EXTERN || !line->op->callee || !line->op->callee->library) continue;
        const char *path = line->op->callee->library;
        bool known = false;
        for (uint32_t k = 0; k < paths.count; k++) known |= strcmp(paths.at[k], path) == 0;
        if (!known) vec_push(d->memory, &paths, path);
    }
    *out = paths.at;
    return paths.count;
}
