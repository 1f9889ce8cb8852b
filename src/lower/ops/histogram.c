/* histogram.c -- how many elements fall into each of some bins. */
#include "lower/compose.h"
#include "lower/ops/order.h"
#include "lower/rows.h"

#include <string.h>

/* ---- bins of one width ---- */

/* v as it would be in the dtype that the operator was given. */
static loop_value rounded(lowering *l, loop_value v, ty_dtype given)
{
    ty_dtype d = loop_at(l->program, v)->dtype;
    return loop_cast(l->program, d, loop_cast(l->program, given, v));
}

/* histc: each element adds one to its bin; those outside add nothing to the first. */
fe_status lower_op_histc(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    ty_dtype d = lower_compute_dtype(out->dtype);
    int64_t bins = lower_int_or(l, "bins", 100);
    double low = lower_number_or(l, "min", 0), high = lower_number_or(l, "max", 0);
    if (!ty_is_floating(d)) return lower_fail(l, "a histogram of %s", ty_dtype_name(d));
    tensor x = lower_cast(l, lower_tensor_of(l, &n->args[0]), d);
    sym_expr size = lower_numel(l, x);
    x = lower_reshape(l, x, 1, &size);
    loop_program *p = l->program;
    loop_value least = loop_const_float(p, d, low), most = loop_const_float(p, d, high),
               one = loop_const_float(p, d, 1);
    if (low == high) {
        lower_share(l, x);
        least = lower_at(l, lower_total(l, LOOP_REDUCE_MIN, x), NULL);
        most = lower_at(l, lower_total(l, LOOP_REDUCE_MAX, x), NULL);
        loop_value flat = lower_op2(l, LOOP_EQ, least, most);
        loop_value down = lower_op2(l, LOOP_SUB, least, one),
                   up = lower_op2(l, LOOP_ADD, most, one);
        least = loop_where(p, flat, down, least);
        most = loop_where(p, flat, up, most);
    }
    tensor counts = lower_value(l, d, 1, out->sizes, loop_const_float(p, d, 0));
    lower_realise(l, counts.box, NULL);
    loop_value v = lower_here(l, x),
               width = rounded(l, lower_op2(l, LOOP_SUB, most, least), out->dtype);
    loop_value inside =
        lower_op2(l, LOOP_AND, lower_op2(l, LOOP_LE, least, v), lower_op2(l, LOOP_LE, v, most));
    loop_value part = rounded(l, lower_op2(l, LOOP_SUB, v, least), out->dtype);
    part = lower_op2(l, LOOP_MUL, part, loop_const_float(p, d, (double)bins));
    part = lower_op2(l, LOOP_DIV, rounded(l, part, out->dtype), width);
    part = rounded(l, part, out->dtype);
    loop_value bin =
        lower_op2(l, LOOP_MIN, loop_cast(p, TY_I64, part), loop_const_int(p, TY_I64, bins - 1));
    bin = loop_where(p, inside, bin, loop_const_int(p, TY_I64, 0));
    sym_expr at = lower_lookup(l, bin, lower_const(l, bins), -1);
    loop_op *op = lower_nest(l, 1, &size, 0, NULL);
    lower_store(l, op,
                (loop_store){.buffer = counts.box->view.buffer,
                             .index = at,
                             .value = loop_cast(p, d, inside),
                             .mode = LOOP_ADD_INTO});
    return lower_give(l, lower_cast(l, counts, out->dtype));
}

/* ---- bins between edges, in one dimension or several ---- */

typedef struct binning {
    tensor x; /* points, coordinates */
    uint32_t rank;
    tensor edges[LOWER_MAX_RANK];
    tensor weight; /* of each point; or absent */
} binning;

/* From least to most, from both ends so that it is symmetric. */
static tensor even_edges(lowering *l, ty_dtype d, sym_expr count, loop_value least, loop_value most)
{
    loop_program *p = l->program;
    loop_value same = lower_op2(l, LOOP_EQ, least, most), half = loop_const_float(p, d, 0.5);
    loop_value low = loop_where(p, same, lower_op2(l, LOOP_SUB, least, half), least),
               high = loop_where(p, same, lower_op2(l, LOOP_ADD, most, half), most);
    sym_expr intervals = sym_add_int(l->symbols, count, -1),
             back = sym_sub(l->symbols, intervals, l->axes[0]);
    loop_value i = loop_index(p, l->axes[0]);
    loop_value step = lower_op2(l, LOOP_DIV, lower_op2(l, LOOP_SUB, high, low),
                                loop_cast(p, d, loop_index(p, intervals)));
    loop_value up = lower_op2(l, LOOP_ADD, low, lower_op2(l, LOOP_MUL, step, loop_cast(p, d, i)));
    loop_value down = lower_op2(l, LOOP_SUB, high,
                                lower_op2(l, LOOP_MUL, step, loop_cast(p, d, loop_index(p, back))));
    sym_expr middle = sym_floordiv(l->symbols, count, lower_const(l, 2));
    loop_value first_half = lower_op2(l, LOOP_LT, i, loop_index(p, middle));
    tensor edges = lower_value(l, d, 1, &count, loop_where(p, first_half, up, down));
    lower_realise(l, edges.box, NULL);
    return edges;
}

/* Edges for coordinate k: between the ends of `range`, or the extremes of the data. */
static tensor edges_of(lowering *l, const binning *b, uint32_t k, sym_expr bins)
{
    ty_dtype d = lower_dtype(b->x);
    const fx_arg *range = fx_get(l->graph, l->node, "range");
    sym_expr count = sym_add_int(l->symbols, bins, 1);
    if (range->kind == FX_ARG_LIST)
        return even_edges(l, d, count, lower_scalar(l, &range->list.items[2 * k], d),
                          lower_scalar(l, &range->list.items[2 * k + 1], d));
    if (lower_is_zero(l, b->x.sizes[0]))
        return even_edges(l, d, count, loop_const_float(l->program, d, 0),
                          loop_const_float(l->program, d, 1));
    tensor column = lower_select(l, b->x, 1, lower_const(l, k));
    lower_share(l, column);
    return even_edges(l, d, count, lower_at(l, lower_total(l, LOOP_REDUCE_MIN, column), NULL),
                      lower_at(l, lower_total(l, LOOP_REDUCE_MAX, column), NULL));
}

/* The bin of each point, in the flattened histogram of these sizes; *inside: it is in one. */
static loop_value bin_of(lowering *l, const binning *b, const sym_expr *sizes, loop_value *inside)
{
    loop_program *p = l->program;
    loop_value flat = loop_const_int(p, TY_I64, 0);
    *inside = loop_const_int(p, TY_BOOL, 1);
    for (uint32_t k = 0; k < b->rank; k++) {
        tensor edges = b->edges[k], column = lower_select(l, b->x, 1, lower_const(l, k));
        sym_expr last = sizes[k];
        loop_value v = lower_here(l, column), first_edge = lower_at(l, edges, &l->zero),
                   last_edge = lower_at(l, edges, &last);
        *inside = lower_op2(l, LOOP_AND, *inside, lower_op2(l, LOOP_LE, first_edge, v));
        *inside = lower_op2(l, LOOP_AND, *inside, lower_op2(l, LOOP_LE, v, last_edge));
        loop_value place =
            lower_here(l, lower_search(l, edges, column, (tensor){0}, LOWER_BEHIND_EQUALS, NULL));
        /* The last bin has its last edge. */
        place = lower_op2(l, LOOP_MIN, place, loop_index(p, last));
        place = lower_op2(l, LOOP_SUB, place, loop_const_int(p, TY_I64, 1));
        flat = lower_op2(l, LOOP_ADD, lower_op2(l, LOOP_MUL, flat, loop_index(p, sizes[k])), place);
    }
    return loop_where(p, *inside, flat, loop_const_int(p, TY_I64, 0));
}

static tensor counted(lowering *l, const binning *b)
{
    sym_expr sizes[LOWER_MAX_RANK], points = b->x.sizes[0];
    loop_program *p = l->program;
    ty_dtype d = lower_dtype(b->x);
    loop_value inside, zero = loop_const_float(p, d, 0), one = loop_const_float(p, d, 1);
    for (uint32_t k = 0; k < b->rank; k++)
        sizes[k] = sym_add_int(l->symbols, b->edges[k].sizes[0], -1);
    sym_expr total = sym_product(l->symbols, sizes, b->rank);
    tensor counts = lower_value(l, d, 1, &total, zero);
    lower_realise(l, counts.box, NULL);
    sym_expr at = lower_lookup(l, bin_of(l, b, sizes, &inside), total, -1);
    loop_value weight = lower_absent(b->weight) ? one : lower_here(l, b->weight);
    loop_op *op = lower_nest(l, 1, &points, 0, NULL);
    lower_store(l, op,
                (loop_store){.buffer = counts.box->view.buffer,
                             .index = at,
                             .value = loop_where(p, inside, weight, zero),
                             .mode = LOOP_ADD_INTO});
    return lower_reshape(l, counts, b->rank, sizes);
}

/* Shares of the whole, by the width of the bins. */
static tensor densities(lowering *l, const binning *b, tensor counts)
{
    lower_share(l, counts);
    counts = T_DIV(counts, lower_total(l, LOOP_SUM, counts));
    for (uint32_t k = 0; k < b->rank; k++) {
        sym_expr at = l->axes[k], next = sym_add_int(l->symbols, l->axes[k], 1);
        loop_value width =
            lower_op2(l, LOOP_SUB, lower_at(l, b->edges[k], &next), lower_at(l, b->edges[k], &at));
        loop_value v = lower_op2(l, LOOP_DIV, lower_here(l, counts), width);
        counts = lower_value(l, lower_dtype(counts), counts.rank, counts.sizes, v);
    }
    return counts;
}

static fe_status find_edges(lowering *l, binning *b)
{
    const fx_arg *bins = fx_get(l->graph, l->node, "bins");
    bool is_list = bins->kind == FX_ARG_LIST;
    if (is_list && bins->list.count != b->rank)
        return lower_fail(l, "bins for another number of dimensions");
    for (uint32_t k = 0; k < b->rank; k++) {
        const fx_arg *a = is_list ? &bins->list.items[k] : bins;
        sym_expr count = {0};
        if (fx_arg_tensor(a))
            b->edges[k] = lower_cast(l, lower_tensor_of(l, a), lower_dtype(b->x));
        else if (fx_arg_expr(l->graph, a, &count))
            b->edges[k] = edges_of(l, b, k, count);
        else
            return lower_fail(l, "a number of bins that is not known");
    }
    return FE_OK;
}

/* histogram, histogramdd and its parts; the parameter: what they give, and whether the last
 * dimension holds the coordinates of points. */
fe_status lower_op_histogram(lowering *l, fx_node *n, const lower_row *row)
{
    binning b = {.rank = 1};
    tensor x = lower_arg(l, "self");
    ty_dtype d = lower_dtype(x);
    if (d != TY_F32 && d != TY_F64) return lower_fail(l, "a histogram of %s", ty_dtype_name(d));
    sym_expr sizes[2] = {lower_numel(l, x), l->one};
    if (row->parameter & POINTS) {
        int64_t rank;
        sizes[1] = x.sizes[x.rank - 1];
        sizes[0] = sym_product(l->symbols, x.sizes, x.rank - 1);
        if (!sym_is_int(l->symbols, sizes[1], &rank) || rank < 1 || rank > LOWER_MAX_RANK)
            return lower_fail(l, "a histogram of this many dimensions");
        b.rank = (uint32_t)rank;
    }
    b.x = lower_reshape(l, x, 2, sizes);
    lower_share(l, b.x);
    b.weight = lower_arg(l, "weight");
    if (!lower_absent(b.weight)) b.weight = lower_reshape(l, lower_cast(l, b.weight, d), 1, sizes);
    FE_TRY(find_edges(l, &b));
    tensor items[LOWER_MAX_RANK + 1];
    uint32_t count = 0;
    if (row->parameter & COUNTS) {
        items[count] = counted(l, &b);
        if (lower_bool(l, "density")) items[count] = densities(l, &b, items[count]);
        count++;
    }
    for (uint32_t k = 0; k < b.rank && row->parameter & EDGES; k++) items[count++] = b.edges[k];
    return n->value.kind == FX_TUPLE ? lower_give_items(l, items, count) : lower_give(l, items[0]);
}
