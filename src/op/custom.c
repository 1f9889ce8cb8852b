/* custom.c -- operators that the user declares by schema string, and the two forms that belong to
 * them: the functional form of one that mutates, the out variant of one that does not. */
#include "op/op_priv.h"

#include <string.h>

/* ---- the functional form ---- */

bool op_returns_alias(const op_info *op, uint32_t k)
{
    for (uint32_t i = 0; i < op->param_count; i++)
        if (op->params[i].alias & op->returns[k].alias) return true;
    return false;
}

bool op_is_plain_view(const op_info *op)
{
    for (uint32_t k = 0; k < op->return_count; k++)
        if (!op_returns_alias(op, k)) return false;
    return op->return_count > 0 && !op->is_mutating;
}

static op_param unaliased(op_param p)
{
    p.alias = 0;
    p.is_written = false;
    return p;
}

static void add_custom(op_registry *r, op_info *op)
{
    op->id = OP_BUILTIN_COUNT + r->custom.count;
    vec_push(r->memory, &r->custom, op);
    map_set(r->memory, &r->by_name, MAP_KEY(op->name), op->id);
}

/* NULL when the user has an operator of that name. */
static const op_info *add_functional_form(op_registry *r, const op_info *op)
{
    op_info *form = NEW(r->memory, op_info);
    op_custom *custom = NEW(r->memory, op_custom);
    *custom = *op->custom;
    custom->mutating = op;
    *form = *op;
    form->custom = custom;
    form->is_mutating = form->is_view = false;
    const char *overload = strcmp(op->overload, "default") == 0
                               ? "functional"
                               : arena_printf(r->memory, "%s_functional", op->overload);
    form->overload = intern(r->session, overload);
    form->name = intern(r->session,
                        arena_printf(r->memory, "%s.%s.%s", op->space, op->base, form->overload));
    if (map_get(&r->by_name, MAP_KEY(form->name)) != MAP_NONE) return NULL;
    form->params = NEW_ARRAY(r->memory, op_param, op->param_count);
    form->returns = NEW_ARRAY(r->memory, op_param, op->param_count + op->return_count);
    form->return_count = 0;
    for (uint32_t i = 0; i < op->return_count; i++)
        if (!op_returns_alias(op, i)) form->returns[form->return_count++] = op->returns[i];
    for (uint32_t i = 0; i < op->param_count; i++) {
        form->params[i] = unaliased(op->params[i]);
        if (op->params[i].is_written)
            form->returns[form->return_count++] = unaliased(op->params[i]);
    }
    add_custom(r, form);
    return form;
}

/* ---- declarations ---- */

static bool same_string(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Text that declares an operator by its schema alone agrees with every declaration of that schema. */
static bool same_declaration(const op_info *a, const op_info *b)
{
    const op_custom *x = a->custom, *y = b->custom;
    if (strcmp(a->schema, b->schema) != 0 || (a->flags | b->flags) != a->flags || !x) return false;
    return !y->library ||
           (same_string(x->library, y->library) && same_string(x->symbol, y->symbol));
}

static const char *kept(op_registry *r, const char *s)
{
    return s ? arena_strdup(r->memory, s) : NULL;
}

uint32_t op_implied_flags(const op_info *op)
{
    return op->is_mutating || !op->return_count ? OPF_EFFECT : 0;
}

fe_status op_declare_custom(op_registry *r, const char *schema, uint32_t flags,
                            const op_custom *custom, const op_info **out)
{
    op_info *op = NEW(r->memory, op_info);
    op_custom *own = NEW(r->memory, op_custom);
    FE_TRY(op_schema_parse(r->session, r->memory, arena_strdup(r->memory, schema), op));
    *own = (op_custom){.library = kept(r, custom->library),
                       .symbol = kept(r, custom->symbol),
                       .shapes = kept(r, custom->shapes),
                       .out = kept(r, custom->out),
                       .is_out = custom->is_out};
    op->flags = flags | op_implied_flags(op);
    op->custom = own;

    uint32_t known = map_get(&r->by_name, MAP_KEY(op->name));
    if (known != MAP_NONE) {
        const op_info *before = op_get(r, (op_id)known);
        if (!same_declaration(before, op))
            return diag_fail(
                r->session,
                (diag){.status = FE_USAGE,
                       .stage = "op",
                       .op = op->name,
                       .help = "declare an operator once, or each time in the same way"},
                "declared before as \"%s\"", before->schema);
        *out = before;
        return FE_OK;
    }
    add_custom(r, op);
    if (op->is_mutating || op->is_view) own->functional = add_functional_form(r, op);
    *out = op;
    return FE_OK;
}

fe_status op_declare(op_registry *r, const char *schema, uint32_t flags, const op_info **out)
{
    return op_declare_custom(r, schema, flags, &(op_custom){0}, out);
}

/* ---- out variants ---- */

static bool same_default(const op_default *a, const op_default *b)
{
    if (a->kind != b->kind || a->count != b->count) return false;
    return a->integer == b->integer && a->number == b->number &&
           same_string(a->string, b->string) &&
           (!a->count || memcmp(a->list, b->list, a->count * sizeof *a->list) == 0) &&
           (!a->numbers || memcmp(a->numbers, b->numbers, a->count * sizeof *a->numbers) == 0);
}

/* A tensor, an optional one, a list of them. */
static bool same_kind(const op_type *a, const op_type *b)
{
    return a->base == b->base && a->list == b->list && a->optional == b->optional;
}

/* What the outputs of `candidate` lack to be those of `op`; NULL: nothing. */
static const char *outputs_differ(const op_info *op, const op_info *candidate)
{
    uint32_t written = 0;
    for (uint32_t i = 0; i < candidate->param_count; i++) {
        const op_param *p = &candidate->params[i];
        if (!p->is_written) continue;
        if (!p->keyword_only) return "its outputs are not keyword-only";
        if (p->type.base != OP_TENSOR) return "its outputs are not tensors";
        if (written < op->return_count && !same_kind(&p->type, &op->returns[written].type))
            return "its outputs are of other kinds than the returns";
        if (candidate->return_count &&
            (written >= candidate->return_count || candidate->returns[written].alias != p->alias))
            return "it does not return its outputs in their order";
        written++;
    }
    if (written != op->return_count) return "it has not one output for each return";
    return NULL;
}

/* Why `candidate` cannot do the work of `op`; NULL: it can. */
static const char *differs(const op_info *op, const op_info *candidate)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < candidate->param_count; i++) {
        const op_param *p = &candidate->params[i];
        if (p->is_written) continue;
        if (taken == op->param_count) return "it has more parameters";
        const op_param *q = &op->params[taken++];
        if (p->name != q->name) return "its parameters have other names";
        if (!same_kind(&p->type, &q->type)) return "its parameters have other types";
        if (!same_default(&p->default_value, &q->default_value))
            return "its parameters have other defaults";
    }
    if (taken != op->param_count) return "it has fewer parameters";
    return outputs_differ(op, candidate);
}

static fe_status cannot_stand(op_registry *r, const op_info *op, const char *candidate,
                              const char *why)
{
    return diag_fail(r->session,
                     (diag){.status = FE_USAGE,
                            .stage = "op",
                            .op = op->name,
                            .help = "give the out overload the parameters of the functional one, "
                                    "then *, Tensor(a!) ... for each return"},
                     "\"%s\" cannot stand for \"%s\": %s", candidate, op->schema, why);
}

static fe_status named_out(op_registry *r, const op_info *op, const op_info **out)
{
    const char *name = arena_printf(r->memory, "%s.%s.%s", op->space, op->base, op->custom->out);
    const op_info *found = op_find(r, name);
    const char *why = found ? differs(op, found) : "there is no such operator";
    if (why) return cannot_stand(r, op, found ? found->schema : name, why);
    *out = found;
    return FE_OK;
}

static bool is_functional(const op_info *op)
{
    return op->custom && !op->is_mutating && !op->is_view && !op->custom->mutating;
}

fe_status op_out_variant(op_registry *r, const op_info *op, const op_info **out)
{
    *out = NULL;
    if (!is_functional(op)) return FE_OK;
    if (op->custom->out) return named_out(r, op, out);
    for (uint32_t i = 0; i < r->custom.count; i++) {
        const op_info *candidate = r->custom.at[i];
        if (candidate->space != op->space || candidate->base != op->base ||
            !candidate->is_mutating || !candidate->custom || !candidate->custom->symbol ||
            differs(op, candidate))
            continue;
        if (!*out || (candidate->custom->is_out && !(*out)->custom->is_out)) *out = candidate;
    }
    return FE_OK;
}

fe_status op_check_out(op_registry *r, const op_info *out)
{
    const op_info *other = NULL;
    if (!out->custom->is_out) return FE_OK;
    for (uint32_t i = 0; i < r->custom.count; i++) {
        const op_info *op = r->custom.at[i];
        if (op->space != out->space || op->base != out->base || !is_functional(op)) continue;
        if (!differs(op, out)) return FE_OK;
        other = op;
    }
    if (other) return cannot_stand(r, other, out->schema, differs(other, out));
    return diag_fail(r->session,
                     (diag){.status = FE_USAGE,
                            .stage = "op",
                            .op = out->name,
                            .help = "declare the functional operator too, or leave the tag out"},
                     "\"%s\" is tagged as an out overload, and no functional operator has its name",
                     out->schema);
}
