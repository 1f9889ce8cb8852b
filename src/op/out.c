/* out.c -- `out=` operators: made from their functional ones, whose parameters they have, and then
 * one for each result. */
#define _GNU_SOURCE
#include "op/op_priv.h"

#include <string.h>

typedef struct out_form {
    const char *functional,
        *names; /* the overload that it writes the results of; NULL: "out" ... */
} out_form;

static bool is_text(const char *at, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(at, wanted, length) == 0;
}

/* The overload of the row, where its operator is called so: "aten::base.overload(...)". */
static const char *overload_of(arena *memory, const op_row *row, const char *base, size_t length)
{
    static const char SPACE[] = "aten::";
    const char *at = row->schema + sizeof SPACE - 1;
    if (strncmp(row->schema, SPACE, sizeof SPACE - 1) != 0 || strncmp(at, base, length) != 0)
        return NULL;
    at += length;
    if (*at == '(') return "default";
    return *at == '.' ? arena_printf(memory, "%.*s", (int)strcspn(at + 1, "("), at + 1) : NULL;
}

/* As a row says, or the name: sum.IntList_out writes what sum.IntList gives. False when neither says it. */
static bool form_of(arena *memory, const char *base, size_t base_length, const char *overload,
                    size_t length, out_form *out)
{
    for (uint32_t id = OP_NONE + 1; id < OP_BUILTIN_COUNT; id++)
        for (const char *const *form = op_rows[id].outs; form && *form; form += 2) {
            if (!is_text(overload, length, form[0])) continue;
            const char *functional = overload_of(memory, &op_rows[id], base, base_length);
            *out = (out_form){functional, form[1]};
            if (functional) return true;
        }
    *out = (out_form){.functional = "default"};
    if (is_text(overload, length, "out")) return true;
    if (is_text(overload, length, "grad_input")) {
        out->names = "grad_input";
        return true;
    }
    if (length < 5 || memcmp(overload + length - 4, "_out", 4) != 0) return false;
    out->functional = arena_printf(memory, "%.*s", (int)(length - 4), overload);
    return true;
}

static bool gives_tensors(const op_info *op)
{
    bool fine = !op->is_mutating && !op->is_view && op->return_count > 0;
    for (uint32_t k = 0; k < op->return_count; k++)
        fine &= op->returns[k].type.base == OP_TENSOR && !op->returns[k].type.list;
    return fine;
}

/* The k-th of the names, or "out", "out0", ... */
static const char *written_name(op_registry *r, const char *names, uint32_t k, uint32_t count)
{
    if (!names) return intern(r->session, count == 1 ? "out" : arena_printf(r->memory, "out%u", k));
    for (uint32_t i = 0; i < k; i++) {
        const char *space = strchr(names, ' ');
        names = space ? space + 1 : "";
    }
    return intern_n(r->session, names, strcspn(names, " "));
}

static const op_info *writing_form(op_registry *r, const op_info *functional, const char *overload,
                                   const char *names)
{
    op_info *op = NEW(r->memory, op_info);
    uint32_t count = functional->return_count, plain = functional->param_count;
    *op = *functional;
    op->id = OP_BUILTIN_COUNT + r->custom.count;
    op->flags &= ~(uint32_t)(OPF_POINTWISE | OPF_COMPOSITE);
    op->is_mutating = true;
    op->overload = overload;
    op->name =
        intern(r->session, arena_printf(r->memory, "%s.%s.%s", op->space, op->base, overload));
    op->params = NEW_ARRAY(r->memory, op_param, plain + count);
    op->returns = NEW_ARRAY(r->memory, op_param, count);
    memcpy(op->params, functional->params, plain * sizeof *op->params);
    op->param_count = plain + count;
    for (uint32_t k = 0; k < count; k++) {
        op->params[plain + k] = (op_param){.name = written_name(r, names, k, count),
                                           .type = functional->returns[k].type,
                                           .alias = 1u << k,
                                           .is_written = true,
                                           .keyword_only = true};
        op->returns[k] = functional->returns[k];
        op->returns[k].alias = 1u << k;
        op->returns[k].is_written = true;
    }
    vec_push(r->memory, &r->custom, op);
    map_set(r->memory, &r->by_name, MAP_KEY(op->name), op->id);
    return op;
}

const op_info *op_find_out(op_registry *r, const char *name, size_t length)
{
    static const char SPACE[] = "aten.";
    enum { PREFIX = sizeof SPACE - 1 };
    const char *overload = memrchr(name, '.', length);
    out_form form;
    if (length <= PREFIX || memcmp(name, SPACE, PREFIX) != 0 || overload < name + PREFIX)
        return NULL;
    const char *base = name + PREFIX;
    size_t base_length = (size_t)(overload - base), rest = length - (size_t)(overload + 1 - name);
    if (!form_of(r->memory, base, base_length, overload + 1, rest, &form)) return NULL;
    const char *functional =
        arena_printf(r->memory, "aten.%.*s.%s", (int)base_length, base, form.functional);
    uint32_t id = map_get(&r->by_name, MAP_KEY(intern(r->session, functional)));
    if (id == MAP_NONE || !gives_tensors(op_get(r, (op_id)id))) return NULL;
    return writing_form(r, op_get(r, (op_id)id), intern_n(r->session, overload + 1, rest),
                        form.names);
}
