/* args.c -- a node's arguments as the lowerings want them: tensors, sizes, constants, scalar
 * values. */
#include "lower/ragged.h"

#include <string.h>

lower_tensor lower_tensor_of(lowering *l, const fx_arg *a)
{
    lower_tensor none = {0};
    if (a->kind == FX_ARG_NONE) return none;
    if (a->kind == FX_ARG_NODE && a->node->value.kind == FX_TENSOR) {
        const lower_result *r = &l->results[a->node->id];
        CHECK(l->session, r->present && r->count == 1);
        return r->items[0];
    }
    ty_dtype d = lower_operand(l, a).dtype;
    return d == TY_NO_DTYPE ? none : lower_value(l, d, 0, NULL, lower_scalar(l, a, d));
}

lower_tensor lower_tensor_in(lowering *l, const fx_arg *a, ty_dtype d)
{
    if (fx_arg_tensor(a)) return lower_cast(l, lower_tensor_of(l, a), d);
    return lower_value(l, d, 0, NULL, lower_scalar(l, a, d));
}

lower_tensor lower_first(lowering *l)
{
    return lower_tensor_of(l, &l->node->args[0]);
}

lower_tensor lower_arg(lowering *l, const char *param)
{
    return lower_tensor_of(l, fx_get(l->graph, l->node, param));
}

lower_tensor lower_item(lowering *l, const fx_arg *list, uint32_t k)
{
    return lower_tensor_of(l, &list->list.items[k]);
}

bool lower_is_none(lowering *l, const char *param)
{
    return fx_get(l->graph, l->node, param)->kind == FX_ARG_NONE;
}

bool lower_int(lowering *l, const char *param, int64_t *out)
{
    return fx_arg_int(l->graph, fx_get(l->graph, l->node, param), out);
}

int64_t lower_int_or(lowering *l, const char *param, int64_t fallback)
{
    int64_t value;
    return lower_int(l, param, &value) ? value : fallback;
}

double lower_number_or(lowering *l, const char *param, double fallback)
{
    double value;
    return fx_arg_number(l->graph, fx_get(l->graph, l->node, param), &value) ? value : fallback;
}

bool lower_bool(lowering *l, const char *param)
{
    return fx_arg_bool(fx_get(l->graph, l->node, param), false);
}

sym_expr lower_size(lowering *l, const char *param)
{
    sym_expr e = {0};
    const fx_arg *a = fx_get(l->graph, l->node, param);
    return fx_arg_expr(l->graph, a, &e) ? e : (sym_expr){0};
}

int lower_ints(lowering *l, const char *param, sym_expr *out, uint32_t room)
{
    const fx_arg *a = fx_get(l->graph, l->node, param);
    return a->kind == FX_ARG_NONE ? -1 : fx_arg_ints(l->graph, a, out, room);
}

/* -1: None; -2: not all constants. */
int lower_constants(lowering *l, const char *param, int64_t *out, uint32_t room)
{
    sym_expr items[LOWER_MAX_RANK * 2];
    int count =
        lower_ints(l, param, items, room < COUNT_OF(items) ? room : (uint32_t)COUNT_OF(items));
    for (int k = 0; k < count; k++)
        if (!sym_is_int(l->symbols, items[k], &out[k])) return -2;
    return count;
}

uint32_t lower_dim(lowering *l, int64_t dim, uint32_t rank)
{
    int64_t whole = rank ? (int64_t)rank : 1;
    if (dim < 0) dim += whole;
    CHECK(l->session, dim >= 0 && dim < whole);
    return (uint32_t)dim;
}

/* A number: an element that the program reads or computes, an expression, a constant. */
static loop_value number_value(lowering *l, const fx_node *n)
{
    const fx_value *v = &n->value;
    if (lower_is_computed(l, n)) return lower_at(l, l->results[n->id].items[0], NULL);
    if (v->kind == FX_FLOAT) {
        CHECK(l->session, v->is_known);
        return loop_const_float(l->program, TY_F64, v->number);
    }
    CHECK(l->session, !sym_is_none(v->expr));
    return loop_index(l->program, v->expr);
}

loop_value lower_scalar(lowering *l, const fx_arg *a, ty_dtype d)
{
    loop_program *p = l->program;
    switch (a->kind) {
    case FX_ARG_INT: return loop_cast(p, d, loop_index(p, a->expr));
    case FX_ARG_BOOL: return loop_const_int(p, d, a->boolean);
    case FX_ARG_FLOAT: return loop_const_float(p, d, a->number);
    case FX_ARG_COMPLEX: return loop_const_complex(p, d, a->complex_[0], a->complex_[1]);
    case FX_ARG_NODE: {
        const fx_value *v = &a->node->value;
        if (v->kind == FX_INT || v->kind == FX_BOOL || v->kind == FX_FLOAT)
            return loop_cast(p, d, number_value(l, a->node));
        lower_tensor t = lower_tensor_of(l, a);
        sym_expr index[LOWER_MAX_RANK];
        for (uint32_t k = 0; k < t.rank; k++) index[k] = l->zero;
        return loop_cast(p, d, lower_at(l, t, index));
    }
    default: BUG(l->session, "argument of kind %d is not a number", (int)a->kind);
    }
}

ty_operand lower_operand(lowering *l, const fx_arg *a)
{
    (void)l;
    ty_operand o = {.dtype = TY_NO_DTYPE, .is_number = true};
    fx_value_kind kind = a->kind == FX_ARG_NODE ? a->node->value.kind : FX_NO_VALUE;
    if (kind == FX_TENSOR)
        return (ty_operand){.dtype = a->node->value.tensor->dtype,
                            .is_zero_dim = a->node->value.tensor->rank == 0};
    if (a->kind == FX_ARG_INT || kind == FX_INT) o.dtype = TY_I64;
    if (a->kind == FX_ARG_FLOAT || kind == FX_FLOAT) o.dtype = TY_F32;
    if (a->kind == FX_ARG_BOOL || kind == FX_BOOL) o.dtype = TY_BOOL;
    if (a->kind == FX_ARG_COMPLEX) o.dtype = TY_C64;
    return o;
}
