/* autocast.c -- the casts that an autocast region on the CPU makes of its operators' floating
 * operands, which an archive does not hold: they become nodes, so that nothing after this needs to
 * know of regions. The column CASTS of ops.def says which; without it operands stay as they are.
 */
#include "infer/infer_priv.h"

#include <string.h>

typedef enum autocast_kind {
    AUTOCAST_NONE,
    AUTOCAST_LOWER,   /* the region's dtype */
    AUTOCAST_FLOAT,   /* f32 */
    AUTOCAST_PROMOTE, /* f32 if one is, else the region's */
    AUTOCAST_INSIDE /* it calls others that are cast, so that its result depends on how it is made of them */
} autocast_kind;

static const uint8_t KINDS[OP_BUILTIN_COUNT] = {
#define OP(id, schema, columns) [OP_##id] = AUTOCAST_NONE columns,
#define CASTS(kind) +AUTOCAST_##kind
#include "op/ops.def"
};

/* ---- the region ---- */

void infer_autocast_region(infer_call *c, fx_graph *sub)
{
    const fx_arg *args = c->node->args;
    sub->autocast = c->graph->autocast;
    if (!fx_is(c->node, OP_higher_order_wrap_with_autocast) || c->node->arg_count < 3) return;
    bool is_cpu = (args[0].kind == FX_ARG_STRING && strcmp(args[0].string, "cpu") == 0) ||
                  (args[0].kind == FX_ARG_DEVICE && ty_is_host(args[0].device));
    if (!is_cpu) return; /* another device's operators: there are none */
    bool enabled = args[2].kind == FX_ARG_BOOL && args[2].boolean;
    ty_dtype dtype = args[1].kind == FX_ARG_DTYPE ? args[1].dtype : TY_BF16;
    sub->autocast = enabled ? dtype : TY_NO_DTYPE;
}

/* ---- one call ---- */

static bool is_cast(const fx_arg *a)
{
    const ty_tensor *x = fx_arg_tensor(a);
    return x && ty_is_floating(x->dtype) && x->dtype != TY_F64;
}

static bool has_float(const fx_arg *a)
{
    if (a->kind == FX_ARG_LIST)
        for (uint32_t i = 0; i < a->list.count; i++)
            if (has_float(&a->list.items[i])) return true;
    return is_cast(a) && fx_arg_tensor(a)->dtype == TY_F32;
}

static fe_status cast_arg(fx_graph *g, fx_node *n, fx_arg *a, ty_dtype to, bool *changed)
{
    if (a->kind == FX_ARG_LIST) {
        *a = fx_list(g, a->list.items, a->list.count);
        for (uint32_t i = 0; i < a->list.count; i++)
            FE_TRY(cast_arg(g, n, &a->list.items[i], to, changed));
    }
    if (!is_cast(a) || fx_arg_tensor(a)->dtype == to) return FE_OK;
    fx_arg args[] = {*a, fx_dtype(to)};
    *a = fx_of(fx_emit(g, n, OP_aten__to_copy_default, n, COUNT_OF(args), args));
    *changed = true;
    return infer_node(g, a->node);
}

static ty_dtype wanted_dtype(const fx_graph *g, const fx_node *n, autocast_kind kind)
{
    bool is_float = kind == AUTOCAST_FLOAT;
    for (uint32_t i = 0; kind == AUTOCAST_PROMOTE && i < n->arg_count; i++)
        is_float |= has_float(&n->args[i]);
    return is_float ? TY_F32 : g->autocast;
}

fe_status infer_autocast(fx_graph *g, fx_node *n)
{
    autocast_kind kind = n->op->id < OP_BUILTIN_COUNT ? KINDS[n->op->id] : AUTOCAST_NONE;
    if (g->autocast == TY_NO_DTYPE || kind == AUTOCAST_NONE) return FE_OK;
    if (kind == AUTOCAST_INSIDE)
        return fx_fail(g, n, "infer", FE_UNSUPPORTED,
                       "leave the autocast region around it, or cast its operands by hand",
                       "which parts of %s an autocast region casts is not known", n->op->name);
    ty_dtype to = wanted_dtype(g, n, kind);
    for (uint32_t i = 0; i < n->arg_count; i++) {
        bool changed = false;
        fx_arg cast = n->args[i];
        FE_TRY(cast_arg(g, n, &cast, to, &changed));
        if (changed) fx_set_arg(n, i, cast, g);
    }
    return FE_OK;
}
