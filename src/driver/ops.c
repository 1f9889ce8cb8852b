/* ops.c -- libraries that declare operators of the user's (ferrite_ops.h). */
#define _GNU_SOURCE
#include "driver/driver.h"
#include "ferrite_ops.h"

#include <dlfcn.h>
#include <string.h>

static const plugin_kind LIBRARY = {"ops", "ferrite_ops", "FE_OP_LIBRARY", FE_OPS_VERSION};

static fe_status declare_row(const plugin *l, const fe_op_row *row)
{
    const op_info *op;
    op_custom custom = {
        .library = l->path, .symbol = row->symbol, .shapes = row->shapes, .out = row->out};
    if (row->symbol && !dlsym(l->handle, row->symbol))
        return plugin_failed(l, "make the function extern, with default visibility",
                             "it does not export the function %s", row->symbol);
    return op_declare_custom(l->d->ops, row->schema, 0, &custom, &op);
}

/* A row without a function must have an out overload, which may stand in any of the libraries. */
static fe_status check_row(const plugin *l, const fe_op_row *row)
{
    const op_info *op, *out;
    FE_TRY(op_declare_custom(l->d->ops, row->schema, 0, &(op_custom){0}, &op));
    FE_TRY(op_out_variant(l->d->ops, op, &out));
    if (!row->symbol && !out)
        return plugin_failed(l,
                             "name its function, or declare the overload that writes into outputs",
                             "%s has neither a function nor an out overload", op->name);
    return FE_OK;
}

static fe_status each_row(const plugin *l,
                          fe_status (*visit)(const plugin *l, const fe_op_row *row))
{
    const fe_op_library *library = l->library;
    for (uint32_t i = 0; i < library->row_count; i++) FE_TRY(visit(l, &library->rows[i]));
    return FE_OK;
}

fe_status ops_load(driver_program *d)
{
    uint32_t count = d->options.ops.count;
    plugin libraries[OPTION_LIST_MOST] = {0};
    fe_status status = FE_OK;
    if (!count) return FE_OK;
    d->ops = op_registry_new(d->memory);
    for (uint32_t i = 0; i < count && status == FE_OK; i++) {
        status = plugin_open(d, &LIBRARY, d->options.ops.at[i], &libraries[i]);
        if (status == FE_OK) status = each_row(&libraries[i], declare_row);
    }
    for (uint32_t i = 0; i < count && status == FE_OK; i++)
        status = each_row(&libraries[i], check_row);
    for (uint32_t i = 0; i < count; i++) plugin_close(&libraries[i]);
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
