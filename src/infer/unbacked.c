/* unbacked.c -- what only the run knows: sizes that depend on values.
 *
 * They are fresh symbols u0, u1, ..., or those that an archive recorded for the node: what else the
 * program does with them (checks, ranges, other nodes) speaks of these.
 */
#include "infer/infer_priv.h"

#include <stdio.h>

static sym_expr new_symbol(infer_call *c, int64_t min)
{
    char name[32];
    do {
        snprintf(name, sizeof name, "u%u", c->graph->next_symbol++);
    } while (!sym_is_none(sym_find_symbol(c->symbols, name)));
    return sym_symbol(c->symbols, name, SYM_UNBACKED, min, SYM_NO_MAX);
}

static const fx_value *recorded_item(const infer_call *c, uint32_t item)
{
    const fx_value *v = &c->recorded;
    if (v->kind == FX_TUPLE) v = item < v->count ? &v->items[item] : NULL;
    return v && v->kind == FX_TENSOR ? v : NULL;
}

sym_expr infer_unbacked(infer_call *c, uint32_t item, uint32_t dim)
{
    const fx_value *v = recorded_item(c, item);
    if (v && dim < v->tensor->rank) return v->tensor->sizes[dim];
    return new_symbol(c, 0);
}

sym_expr infer_unbacked_offset(infer_call *c, uint32_t item, sym_expr base)
{
    const fx_value *v = recorded_item(c, item);
    return v ? v->tensor->offset : sym_add(c->symbols, base, new_symbol(c, 0));
}

/* ---- what the program has checked ---- */

typedef struct symbol_subset {
    const sym_table *symbols;
    sym_expr whole;
    bool holds;
} symbol_subset;

static void look_up_symbol(void *data, sym_expr symbol)
{
    symbol_subset *s = data;
    s->holds = s->holds && sym_contains(s->symbols, s->whole, symbol);
}

/* The recorded expression instead of the inferred one, where they may be the same for what the run
 * decides: PyTorch knows more of unbacked symbols, by the checks that stand in the program; the
 * run is asked. Not where the record speaks of other symbols: then it is older than the arguments. */
static sym_expr settled(infer_call *c, sym_expr now, sym_expr recorded, const char *what)
{
    symbol_subset subset = {c->symbols, now, true};
    if (sym_is_none(recorded) || sym_known_equal(c->symbols, now, recorded)) return now;
    if (!infer_has_unbacked(c, 1, &now) || !infer_may_equal(c, now, recorded)) return now;
    sym_each_symbol(c->symbols, recorded, look_up_symbol, &subset);
    if (!subset.holds) return now;
    (void)INFER_REQUIRE_EQUAL(c, now, recorded,
                              "the %s recorded for its result is %s, and is %s here", what,
                              infer_written(c, recorded), infer_written(c, now));
    return recorded;
}

static bool has_unbacked(const infer_call *c, const ty_tensor *x)
{
    return infer_has_unbacked(c, x->rank, x->sizes) || infer_has_unbacked(c, x->rank, x->strides) ||
           infer_has_unbacked(c, 1, &x->offset);
}

/* Strides follow the sizes. Where a tensor begins is as it is inferred: texts may leave it out. */
static ty_tensor *settled_tensor(infer_call *c, ty_tensor *now, const ty_tensor *recorded)
{
    ty_tensor *out = ty_tensor_copy(c->memory, now);
    bool changed = false;
    if (now->rank != recorded->rank) return now;
    for (uint32_t i = 0; i < now->rank; i++) {
        out->sizes[i] = settled(c, now->sizes[i], recorded->sizes[i], "size");
        changed = changed || !sym_same(out->sizes[i], now->sizes[i]);
    }
    for (uint32_t i = 0; changed && i < now->rank; i++)
        out->strides[i] = settled(c, now->strides[i], recorded->strides[i], "stride");
    return changed ? out : now;
}

void infer_settle(infer_call *c, fx_value *now, const fx_value *recorded)
{
    if (now->kind != recorded->kind) return;
    if (now->kind == FX_TENSOR && has_unbacked(c, now->tensor))
        now->tensor = settled_tensor(c, now->tensor, recorded->tensor);
    for (uint32_t i = 0; now->kind == FX_TUPLE && i < now->count && i < recorded->count; i++)
        infer_settle(c, &now->items[i], &recorded->items[i]);
}

/* ---- numbers read out of tensors ---- */

sym_expr infer_new_number(infer_call *c, fx_value_kind kind)
{
    if (kind == FX_INT) return new_symbol(c, SYM_NO_MIN);
    return sym_compare(c->symbols, SYM_EQ, new_symbol(c, 0), infer_number(c, 1));
}

void rule_item(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    if (c->recorded.kind == FX_INT || c->recorded.kind == FX_BOOL || c->recorded.kind == FX_FLOAT) {
        c->value = c->recorded;
    } else if (x->dtype == TY_BOOL) {
        infer_give_bool(c, infer_new_number(c, FX_BOOL));
    } else if (ty_is_integral(x->dtype, false)) {
        infer_give_int(c, infer_new_number(c, FX_INT));
    } else {
        c->value = (fx_value){.kind = FX_FLOAT};
    }
}

/* A bool that the data decides. */
void rule_undecided(infer_call *c)
{
    if (c->recorded.kind == FX_BOOL)
        c->value = c->recorded;
    else
        infer_give_bool(c, infer_new_number(c, FX_BOOL));
}

/* ---- tensors whose sizes the data decides ---- */

void rule_nonzero(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    sym_expr sizes[] = {infer_unbacked(c, 0, 0), infer_number(c, x->rank)};
    sym_expr strides[] = {infer_number(c, 1), sizes[0]};
    if (c->recorded.kind == FX_TENSOR) { /* transposed or not is up to the kernel */
        infer_give(c, infer_fresh_strided(c, x, TY_I64, 2, sizes, c->recorded.tensor->strides));
        return;
    }
    infer_give(c, infer_fresh_strided(c, x, TY_I64, 2, sizes, strides));
}

/* The columns of what nonzero gives; a number counts as a vector. */
void rule_nonzero_list(infer_call *c)
{
    ty_tensor *items[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t count = x->rank ? x->rank : 1;
    sym_expr length = infer_unbacked(c, 0, 0);
    sym_expr one = infer_number(c, 1);
    uint32_t storage = c->graph->next_storage++;
    for (uint32_t i = 0; i < count; i++) {
        items[i] = infer_fresh_strided(c, x, TY_I64, 1, &length, &one);
        items[i]->offset = sym_mul_int(c->symbols, length, i);
        items[i]->storage = storage;
    }
    infer_give_items(c, items, count);
}

void rule_nonzero_static(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    sym_expr sizes[] = {infer_expr(c, "size", 0), infer_number(c, x->rank)};
    infer_give(c, infer_fresh(c, x, TY_I64, 2, sizes));
}

void rule_masked_select(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    sym_expr length = infer_unbacked(c, 0, 0);
    if (x) infer_give(c, infer_fresh(c, x, x->dtype, 1, &length));
}

void rule_bincount(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    ty_tensor *weights = infer_tensor(c, "weights");
    sym_expr length = infer_unbacked(c, 0, 0);
    if (!x) return;
    bool unweighted = !weights || ty_known_empty(c->symbols, x->rank, x->sizes);
    ty_dtype dtype = unweighted ? TY_I64 : weights->dtype == TY_F32 ? TY_F32 : TY_F64;
    infer_give(c, infer_fresh(c, x, dtype, 1, &length));
}

/* As if the dimension stood in front of the others. (PyTorch 2.13 records contiguous strides; its
 * kernels lay them out so.) */
static void lay_out_in_front(infer_call *c, ty_tensor *x, uint32_t dim)
{
    sym_expr step = infer_number(c, 1);
    for (uint32_t i = x->rank; i-- > 0;) {
        if (i == dim) continue;
        x->strides[i] = step;
        step = sym_mul(c->symbols, step, sym_max(c->symbols, x->sizes[i], infer_number(c, 1)));
    }
    x->strides[dim] = step;
}

/* Values, inverse, counts; of the whole or along a dimension. The latter two are empty unless asked
 * for, or given anyway: along a dimension the CPU's kernel has no choice. */
void rule_unique(infer_call *c)
{
    ty_tensor *items[3];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    sym_expr none = infer_number(c, 0);
    bool along = infer_arg(c, "dim") && x->rank;
    uint32_t dim = along ? infer_dim(c, "dim", x->rank) : 0;
    sym_expr length = infer_unbacked(c, 0, dim);
    if (c->status != FE_OK) return;
    if (along) {
        sym_expr sizes[TY_MAX_RANK];
        for (uint32_t i = 0; i < x->rank; i++) sizes[i] = i == dim ? length : x->sizes[i];
        items[0] = infer_fresh(c, x, x->dtype, x->rank, sizes);
        if (dim > 0) lay_out_in_front(c, items[0], dim);
    } else {
        items[0] = infer_fresh(c, x, x->dtype, 1, &length);
    }
    bool always = along && ty_is_host(x->device);
    bool inverse = always || infer_flag(c, "return_inverse", false);
    bool counts = always || infer_flag(c, "return_counts", false);
    uint32_t inverse_rank = !inverse || along ? 1 : x->rank;
    items[1] = infer_fresh(c, x, TY_I64, inverse_rank, !inverse ? &none : &x->sizes[dim]);
    items[2] = infer_fresh(c, x, TY_I64, 1, counts ? &length : &none);
    infer_give_items(c, items, c->op->return_count);
}
