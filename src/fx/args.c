/* args.c -- arguments: lists and defaults made, numbers and lists read back whatever form they
 * have. */
#include "fx/fx_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- construction ---- */

fx_arg fx_int(fx_graph *g, int64_t value)
{
    return fx_expr(sym_int(g->symbols, value));
}

fx_arg fx_list(fx_graph *g, const fx_arg *items, uint32_t count)
{
    fx_arg a = {.kind = FX_ARG_LIST};
    a.list.items = arena_copy(g->memory, items, count * sizeof *items);
    a.list.count = count;
    return a;
}

fx_arg fx_int_list(fx_graph *g, const sym_expr *items, uint32_t count)
{
    fx_arg a = {.kind = FX_ARG_LIST};
    a.list.items = NEW_ARRAY(g->memory, fx_arg, count);
    a.list.count = count;
    for (uint32_t i = 0; i < count; i++) a.list.items[i] = fx_expr(items[i]);
    return a;
}

static fx_arg default_list(fx_graph *g, const op_param *p)
{
    const op_default *d = &p->default_value;
    fx_arg a = {.kind = FX_ARG_LIST};
    a.list.items = NEW_ARRAY(g->memory, fx_arg, d->count);
    a.list.count = d->count;
    for (uint32_t i = 0; i < d->count; i++)
        a.list.items[i] = d->numbers                ? fx_float(d->numbers[i])
                          : p->type.base == OP_BOOL ? fx_bool(d->list[i] != 0)
                                                    : fx_int(g, d->list[i]);
    return a;
}

/* "cuda:1"; what is not known is taken for the CPU, as no default of PyTorch's names another
 * device. */
static ty_device device_of(const char *name)
{
    ty_device device = TY_HOST;
    const char *colon = strchr(name, ':');
    (void)ty_device_kind_of(name, colon ? (size_t)(colon - name) : strlen(name), &device.kind);
    if (colon) device.index = (int32_t)strtol(colon + 1, NULL, 10);
    return device;
}

bool fx_default(fx_graph *g, const op_param *param, fx_arg *out)
{
    const op_default *d = &param->default_value;
    switch (d->kind) {
    case OP_DEFAULT_ABSENT: return false;
    case OP_DEFAULT_NONE: *out = fx_none(); break;
    case OP_DEFAULT_INT: *out = fx_int(g, d->integer); break;
    case OP_DEFAULT_FLOAT: *out = fx_float(d->number); break;
    case OP_DEFAULT_BOOL: *out = fx_bool(d->integer != 0); break;
    case OP_DEFAULT_STRING: *out = fx_string(d->string); break;
    case OP_DEFAULT_LIST: *out = default_list(g, param); break;
    case OP_DEFAULT_MEMORY_FORMAT:
        *out =
            (fx_arg){.kind = FX_ARG_MEMORY_FORMAT, .memory_format = (ty_memory_format)d->integer};
        break;
    case OP_DEFAULT_DTYPE: *out = fx_dtype((ty_dtype)d->integer); break;
    case OP_DEFAULT_LAYOUT: *out = (fx_arg){.kind = FX_ARG_LAYOUT, .layout = d->integer}; break;
    case OP_DEFAULT_DEVICE:
        *out = (fx_arg){.kind = FX_ARG_DEVICE, .device = device_of(d->string)};
        break;
    }
    return true;
}

/* ---- reading ---- */

bool fx_arg_expr(const fx_graph *g, const fx_arg *a, sym_expr *out)
{
    sym_expr e = {0};
    if (a->kind == FX_ARG_INT)
        e = a->expr;
    else if (a->kind == FX_ARG_BOOL)
        e = sym_int(g->symbols, a->boolean);
    else if (a->kind == FX_ARG_NODE &&
             (a->node->value.kind == FX_INT || a->node->value.kind == FX_BOOL))
        e = a->node->value.expr;
    if (sym_is_none(e)) return false;
    *out = e;
    return true;
}

bool fx_arg_int(const fx_graph *g, const fx_arg *a, int64_t *out)
{
    sym_expr e;
    return fx_arg_expr(g, a, &e) && sym_is_int(g->symbols, e, out);
}

bool fx_arg_number(const fx_graph *g, const fx_arg *a, double *out)
{
    int64_t integer;
    if (a->kind == FX_ARG_FLOAT) {
        *out = a->number;
    } else if (a->kind == FX_ARG_NODE && a->node->value.kind == FX_FLOAT &&
               a->node->value.is_known) {
        *out = a->node->value.number;
    } else if (fx_arg_int(g, a, &integer)) {
        *out = (double)integer;
    } else {
        return false;
    }
    return true;
}

bool fx_arg_bool(const fx_arg *a, bool fallback)
{
    return a->kind == FX_ARG_BOOL ? a->boolean : fallback;
}

int fx_arg_ints(const fx_graph *g, const fx_arg *a, sym_expr *out, uint32_t room)
{
    if (a->kind != FX_ARG_LIST) {
        if (room == 0 || !fx_arg_expr(g, a, out)) return -1;
        return 1;
    }
    if (a->list.count > room) return -1;
    for (uint32_t i = 0; i < a->list.count; i++)
        if (!fx_arg_expr(g, &a->list.items[i], &out[i])) return -1;
    return (int)a->list.count;
}

const fx_arg *fx_get(const fx_graph *g, const fx_node *n, const char *param)
{
    CHECK(g->session, n->kind == FX_CALL);
    int index = op_param_index(n->op, param);
    if (index < 0 || (uint32_t)index >= n->arg_count)
        BUG(g->session, "%%%s = %s has no argument %s", n->name, n->op->name, param);
    return &n->args[index];
}

void fx_each_symbol(const sym_table *t, const fx_value *v,
                    void (*visit)(void *data, sym_expr symbol), void *data)
{
    const ty_tensor *x = v->tensor;
    if (!sym_is_none(v->expr)) sym_each_symbol(t, v->expr, visit, data);
    for (uint32_t d = 0; x && d < x->rank; d++) sym_each_symbol(t, x->sizes[d], visit, data);
    for (uint32_t d = 0; x && x->strides && d < x->rank; d++)
        if (!sym_is_none(x->strides[d])) sym_each_symbol(t, x->strides[d], visit, data);
    if (x && !sym_is_none(x->offset)) sym_each_symbol(t, x->offset, visit, data);
    for (uint32_t i = 0; i < v->count; i++) fx_each_symbol(t, &v->items[i], visit, data);
}

void fx_arg_each_node(const fx_arg *a, void (*visit)(void *data, fx_node *n), void *data)
{
    if (a->kind == FX_ARG_NODE)
        visit(data, a->node);
    else if (a->kind == FX_ARG_LIST)
        for (uint32_t i = 0; i < a->list.count; i++)
            fx_arg_each_node(&a->list.items[i], visit, data);
}

static fe_status each_called(const fx_arg *a, fe_status (*visit)(void *data, fx_graph *g),
                             void *data)
{
    for (uint32_t i = 0; a->kind == FX_ARG_LIST && i < a->list.count; i++)
        FE_TRY(each_called(&a->list.items[i], visit, data));
    return a->kind == FX_ARG_GRAPH ? visit(data, a->graph) : FE_OK;
}

fe_status fx_each_called(const fx_node *n, fe_status (*visit)(void *data, fx_graph *g), void *data)
{
    for (uint32_t i = 0; i < n->arg_count; i++) FE_TRY(each_called(&n->args[i], visit, data));
    return FE_OK;
}
