/* ops.c -- libraries that declare operators of the user's (ferrite_ops.h). */
#define _GNU_SOURCE
#include "driver/driver.h"
#include "ferrite_ops.h"

#include <dlfcn.h>
#include <string.h>

static const plugin_kind LIBRARY = {"ops", "ferrite_ops", "FE_OP_LIBRARY", FE_OPS_VERSION};

static op_custom facts_of(const plugin *l, const fe_op_row *row)
{
    return (op_custom){.library = l->path,
                       .symbol = row->symbol,
                       .shapes = row->shapes,
                       .out = row->out,
                       .is_out = row->tags & FE_OP_TAG_OUT};
}

static uint32_t flags_of(const fe_op_row *row)
{
    return row->tags & FE_OP_TAG_EFFECT ? OPF_EFFECT : 0;
}

static fe_status declare_row(const plugin *l, const fe_op_row *row)
{
    const op_info *op;
    op_custom custom = facts_of(l, row);
    if (row->symbol && !dlsym(l->handle, row->symbol))
        return plugin_failed(l, "make the function extern, with default visibility",
                             "it does not export the function %s", row->symbol);
    return op_declare_custom(l->d->ops, row->schema, flags_of(row), &custom, &op);
}

/* A row without a function must have an out overload, which may stand in any of the libraries. */
static fe_status check_row(const plugin *l, const fe_op_row *row)
{
    const op_info *op, *out;
    FE_TRY(op_declare_custom(l->d->ops, row->schema, 0, &(op_custom){0}, &op));
    FE_TRY(op_out_variant(l->d->ops, op, &out));
    FE_TRY(op_check_out(l->d->ops, op));
    if (!row->symbol && !row->function && !out && !op_is_plain_view(op))
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

/* ---- rows of the caller's ---- */

/* shop_scale of shop::scale, shop_scale_out of its overload. */
static fe_status symbol_of(driver_program *d, const fe_op_row *row, const char **out)
{
    op_info op;
    *out = row->symbol;
    if (row->symbol || !row->function) return FE_OK;
    FE_TRY(op_schema_parse(d->session, d->memory, arena_strdup(d->memory, row->schema), &op));
    bool plain = strcmp(op.overload, "default") == 0;
    *out = arena_printf(d->memory, "%s_%s%s%s", op.space, op.base, plain ? "" : "_",
                        plain ? "" : op.overload);
    return FE_OK;
}

static fe_status declare_added(const plugin *l, const fe_op_row *row)
{
    const op_info *op;
    op_custom custom = facts_of(l, row);
    custom.library = NULL;
    FE_TRY(symbol_of(l->d, row, &custom.symbol));
    return op_declare_custom(l->d->ops, row->schema, flags_of(row), &custom, &op);
}

static fe_status each_added(driver_program *d,
                            fe_status (*visit)(const plugin *l, const fe_op_row *row))
{
    plugin caller = {.d = d, .kind = &LIBRARY, .path = "fe_add_op()"};
    for (uint32_t i = 0; i < d->options.added_op_count; i++)
        FE_TRY(visit(&caller, d->options.added_ops[i]));
    return FE_OK;
}

fe_op_function *ops_added_function(driver_program *d, const char *symbol)
{
    for (uint32_t i = 0; i < d->options.added_op_count; i++) {
        const fe_op_row *row = d->options.added_ops[i];
        const char *name;
        if (row->function && symbol_of(d, row, &name) == FE_OK && strcmp(name, symbol) == 0)
            return row->function;
    }
    return NULL;
}

fe_status ops_load(driver_program *d)
{
    uint32_t count = d->options.ops.count;
    plugin *libraries = NEW_ARRAY(d->memory, plugin, count + 1);
    if (!count && !d->options.added_op_count) return FE_OK;
    d->ops = op_registry_new(d->memory);
    fe_status status = each_added(d, declare_added);
    for (uint32_t i = 0; i < count && status == FE_OK; i++) {
        status = plugin_open(d, &LIBRARY, d->options.ops.at[i], &libraries[i]);
        if (status == FE_OK) status = each_row(&libraries[i], declare_row);
    }
    if (status == FE_OK) status = each_added(d, check_row);
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

uint32_t ops_libraries_of(const driver_build *build, arena *memory, const char ***out)
{
    VEC(const char *) all = {0};
    for (uint32_t p = 0; p < build->program_count; p++) {
        const char **libraries;
        uint32_t count = ops_libraries(build->programs[p], &libraries);
        for (uint32_t i = 0; i < count; i++) {
            bool known = false;
            for (uint32_t k = 0; k < all.count; k++) known |= strcmp(all.at[k], libraries[i]) == 0;
            if (!known) vec_push(memory, &all, libraries[i]);
        }
    }
    *out = all.at;
    return all.count;
}
