/* operand.c -- operands that a user hands in become arguments; what is none is told in words. */
#include "fx/operand.h"

#include "fx/fx_priv.h"

enum { DEEPEST = 100 }; /* lists in lists, as in the text form */

static const char *read_operand(fe_graph *g, fx_own_operand *own, const fe_operand *o, int depth,
                                fx_arg *out);

static const char *read_list(fe_graph *g, fx_own_operand *own, const fe_operand *o, int depth,
                             fx_arg *out)
{
    if (depth == DEEPEST) return "is too deep a list";
    if (o->count && !o->items) return "is a list without its items";
    fx_arg *items = NEW_ARRAY(g->graph->memory, fx_arg, o->count);
    for (uint32_t i = 0; i < o->count; i++) {
        const char *wrong = read_operand(g, own, &o->items[i], depth + 1, &items[i]);
        if (wrong) return wrong;
    }
    *out = (fx_arg){.kind = FX_ARG_LIST, .list = {items, o->count}};
    return NULL;
}

static const char *read_word(fe_graph *g, const char *word, fx_arg *out)
{
    return word && fx_parse_word(g->graph, word, out)
               ? NULL
               : "is no word for a dtype, device, layout or memory format";
}

static const char *read_operand(fe_graph *g, fx_own_operand *own, const fe_operand *o, int depth,
                                fx_arg *out)
{
    fx_graph *x = g->graph;
    *out = fx_none();
    switch (o->kind) {
    case FE_OPERAND_NONE: return NULL;
    case FE_OPERAND_INT: *out = fx_int(x, o->integer); return NULL;
    case FE_OPERAND_FLOAT: *out = fx_float(o->number); return NULL;
    case FE_OPERAND_BOOL: *out = fx_bool(o->integer != 0); return NULL;
    case FE_OPERAND_STRING:
        if (!o->string) return "is a string without its text";
        *out = fx_string(intern(x->session, o->string));
        return NULL;
    case FE_OPERAND_DTYPE:
        *out = fx_dtype(ty_dtype_from_number(o->integer));
        return out->dtype == TY_NO_DTYPE ? "is no dtype" : NULL;
    case FE_OPERAND_COMPLEX:
        if (!o->parts) return "is a complex number without its parts";
        *out = (fx_arg){.kind = FX_ARG_COMPLEX, .complex_ = {o->parts[0], o->parts[1]}};
        return NULL;
    case FE_OPERAND_WORD: return read_word(g, o->string, out);
    case FE_OPERAND_LIST: return read_list(g, own, o, depth, out);
    case FE_OPERAND_NODE:
    case FE_OPERAND_SIZE:
    case FE_OPERAND_GRAPH:
    case FE_OPERAND_OTHER: return own(g, o, out);
    case FE_OPERAND_DEFAULT: return "is left to its default and has none";
    }
    return "is of no kind";
}

const char *fx_read_operand(fe_graph *g, fx_own_operand *own, const fe_operand *o, fx_arg *out)
{
    return read_operand(g, own, o, 0, out);
}

/* ---- those of a call ---- */

static void note_unknown(void *data, fx_node *n)
{
    if (n->kind == FX_CALL && n->value.kind == FX_NO_VALUE) *(bool *)data = true;
}

static bool has_graph(const fx_arg *a)
{
    for (uint32_t i = 0; a->kind == FX_ARG_LIST && i < a->list.count; i++)
        if (has_graph(&a->list.items[i])) return true;
    return a->kind == FX_ARG_GRAPH;
}

static bool fits(const fx_arg *a, const op_type *t)
{
    bool unknown = false;
    fx_arg_each_node(a, note_unknown, &unknown);
    return !has_graph(a) && (unknown || fx_arg_fits(a, t));
}

static const char *read_open(fe_graph *g, fx_own_operand *own, const op_info *op,
                             const fe_operand *operands, uint32_t count, fx_arg *args)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *wrong = fx_read_operand(g, own, &operands[i], &args[i]);
        if (wrong) return arena_printf(g->memory, "operand %u of %s %s", i, op->name, wrong);
    }
    return NULL;
}

static const char *read_schema(fe_graph *g, fx_own_operand *own, const op_info *op,
                               const fe_operand *operands, uint32_t count, fx_arg *args)
{
    for (uint32_t i = 0; i < op->param_count; i++) {
        const op_param *p = &op->params[i];
        bool given = i < count && operands[i].kind != FE_OPERAND_DEFAULT;
        const char *wrong = NULL;
        if (given)
            wrong = fx_read_operand(g, own, &operands[i], &args[i]);
        else if (!fx_default(g->graph, p, &args[i]))
            wrong = "is missing";
        if (!wrong && !fits(&args[i], &p->type)) wrong = "is of another kind";
        if (wrong) return arena_printf(g->memory, "operand %s of %s %s", p->name, op->name, wrong);
    }
    return NULL;
}

const char *fx_read_operands(fe_graph *g, fx_own_operand *own, const op_info *op,
                             const fe_operand *operands, uint32_t count, fx_arg **args,
                             uint32_t *arg_count)
{
    bool is_open = op->flags & OPF_HIGHER_ORDER;
    *arg_count = is_open ? count : op->param_count;
    if (count && !operands) return arena_printf(g->memory, "%s without its operands", op->name);
    if (count > *arg_count)
        return arena_printf(g->memory, "too many operands for %s, which takes %u", op->name,
                            op->param_count);
    *args = NEW_ARRAY(g->memory, fx_arg, *arg_count + 1);
    return is_open ? read_open(g, own, op, operands, count, *args)
                   : read_schema(g, own, op, operands, count, *args);
}
