/* order.c -- operators that put the elements of a row in order, or take some of it: sorting, the k
 * first, medians, quantiles. The rows are the business of extern kernels (sort, topk, select, mode,
 * search); quantiles are nests over sorted rows.
 */
#include "lower/ops/order.h"
#include "lower/compose.h"
#include "lower/rows.h"

#include <math.h>
#include <string.h>

/* ---- rows ---- */

tensor lower_at_least_1d(lowering *l, tensor t)
{
    return t.rank ? t : lower_reshape(l, t, 1, &l->one);
}

/* The first argument and the dimension that the operator goes along; `rank`: as it was given. */
static fe_status begin(lowering *l, tensor *x, uint32_t *dim, uint32_t *rank)
{
    *x = lower_tensor_of(l, &l->node->args[0]);
    *rank = x->rank;
    *x = lower_at_least_1d(l, *x);
    *dim = op_param_index(l->node->op, "dim") < 0
               ? 0
               : lower_dim(l, lower_int_or(l, "dim", -1), x->rank);
    if (ty_is_complex(lower_dtype(*x))) return lower_fail(l, "an order of complex numbers");
    return FE_OK;
}

/* What is wanted of an extern kernel over rows. */
typedef struct row_call {
    const char *kernel;
    tensor x;
    uint32_t dim;
    sym_expr size; /* of the results along dim */
    uint32_t int_count;
    loop_int ints[2];           /* beside the dimension */
    bool values, places;        /* which of them */
    const sym_expr *strides[2]; /* of the results, or NULL */
} row_call;

static lower_ranked call_rows(lowering *l, const row_call *c)
{
    lower_ranked r = {{0}, {0}};
    sym_expr sizes[LOWER_MAX_RANK];
    const loop_int ints[] = {{"dim", lower_const(l, c->dim)}, c->ints[0], c->ints[1]};
    loop_view input = lower_strided(l, c->x), outputs[2] = {lower_no_view(l), lower_no_view(l)};
    memcpy(sizes, c->x.sizes, c->x.rank * sizeof *sizes);
    sizes[c->dim] = c->size;
    if (c->values) {
        r.values = lower_temp_tensor(l, lower_dtype(c->x), c->x.rank, sizes, c->strides[0]);
        outputs[0] = r.values.box->view;
    }
    if (c->places) {
        r.places = lower_temp_tensor(l, TY_I64, c->x.rank, sizes, c->strides[1]);
        outputs[1] = r.places.box->view;
    }
    lower_extern_op(l, (loop_op){.kernel = c->kernel,
                                 .inputs = &input,
                                 .input_count = 1,
                                 .outputs = outputs,
                                 .output_count = 2,
                                 .ints = loop_ints(l->program, c->kernel, ints, 1 + c->int_count),
                                 .int_count = 1 + c->int_count});
    return r;
}

lower_ranked lower_sorted(lowering *l, tensor x, uint32_t dim, bool descending, bool places)
{
    return call_rows(l, &(row_call){.kernel = "sort",
                                    .x = x,
                                    .dim = dim,
                                    .size = x.sizes[dim],
                                    .int_count = 1,
                                    .ints = {{"descending", lower_const(l, descending)}},
                                    .values = true,
                                    .places = places});
}

tensor lower_first_places(lowering *l, tensor x, uint32_t dim, sym_expr count)
{
    return call_rows(l, &(row_call){.kernel = "topk",
                                    .x = x,
                                    .dim = dim,
                                    .size = count,
                                    .int_count = 2,
                                    .ints = {{"descending", l->one}, {"k", count}},
                                    .places = true})
        .places;
}

/* Which results of the node the call has to make, and in what layout. */
static void want_items(lowering *l, row_call *c)
{
    c->values = lower_is_used(l, 0);
    c->places = lower_is_used(l, 1);
    for (uint32_t k = 0; k < 2; k++) {
        const ty_tensor *meta = lower_meta(l, k);
        c->strides[k] = meta->rank == c->x.rank ? lower_wanted(l, k) : NULL;
    }
}

/* The node's results; nobody asked for one that is absent. */
static fe_status give_ranked(lowering *l, lower_ranked r, uint32_t dim, bool keep, uint32_t rank)
{
    tensor items[2] = {r.values, r.places};
    for (uint32_t k = 0; k < 2; k++) {
        const ty_tensor *meta = lower_meta(l, k);
        if (lower_absent(items[k])) {
            loop_value zero = loop_const_int(l->program, TY_I64, 0);
            zero = loop_cast(l->program, meta->dtype, zero);
            items[k] = lower_value(l, meta->dtype, meta->rank, meta->sizes, zero);
        } else if (!keep || !rank) {
            items[k] = lower_squeeze(l, items[k], dim);
        }
    }
    return lower_give_items(l, items, 2);
}

/* ---- sort, topk ---- */

/* sort, msort (values only: 1), argsort (places only: 2) */
fe_status lower_op_sort(lowering *l, fx_node *n, const lower_row *row)
{
    row_call c = {.kernel = "sort", .int_count = 1};
    uint32_t rank;
    FE_TRY(begin(l, &c.x, &c.dim, &rank));
    bool descending = op_param_index(n->op, "descending") >= 0 && lower_bool(l, "descending");
    c.size = c.x.sizes[c.dim];
    c.ints[0] = (loop_int){"descending", lower_const(l, descending)};
    if (!row->parameter) {
        want_items(l, &c);
        return give_ranked(l, call_rows(l, &c), c.dim, true, rank);
    }
    c.values = row->parameter == 1;
    c.places = row->parameter == 2;
    if (rank) c.strides[row->parameter - 1] = lower_wanted(l, 0);
    lower_ranked r = call_rows(l, &c);
    tensor given = c.values ? r.values : r.places;
    return lower_give(l, rank ? given : lower_squeeze(l, given, 0));
}

fe_status lower_op_topk(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    row_call c = {.kernel = "topk", .int_count = 2};
    uint32_t rank;
    FE_TRY(begin(l, &c.x, &c.dim, &rank));
    c.size = lower_size(l, "k");
    if (sym_is_none(c.size)) return lower_fail(l, "a number of elements that is not known");
    if (rank == 0) c.size = l->one; /* whatever k is */
    c.ints[0] = (loop_int){"descending", lower_const(l, lower_bool(l, "largest"))};
    c.ints[1] = (loop_int){"k", c.size};
    want_items(l, &c);
    return give_ranked(l, call_rows(l, &c), c.dim, true, rank);
}

/* ---- one element of each row ---- */

fe_status lower_op_kthvalue(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    row_call c = {.kernel = "select", .size = l->one, .int_count = 2};
    uint32_t rank;
    FE_TRY(begin(l, &c.x, &c.dim, &rank));
    sym_expr k = lower_size(l, "k");
    if (sym_is_none(k)) return lower_fail(l, "a position that is not known");
    c.ints[0] = (loop_int){"what", lower_const(l, THIS_PLACE)};
    c.ints[1] = (loop_int){"place", sym_add_int(l->symbols, k, -1)};
    want_items(l, &c);
    return give_ranked(l, call_rows(l, &c), c.dim, lower_bool(l, "keepdim"), rank);
}

fe_status lower_op_mode(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    row_call c = {.kernel = "mode", .size = l->one};
    uint32_t rank;
    FE_TRY(begin(l, &c.x, &c.dim, &rank));
    want_items(l, &c);
    return give_ranked(l, call_rows(l, &c), c.dim, lower_bool(l, "keepdim"), rank);
}

static fe_status median_of_all(lowering *l, row_call *c)
{
    tensor x = lower_tensor_of(l, &l->node->args[0]);
    ty_dtype d = lower_dtype(x);
    if (ty_is_complex(d)) return lower_fail(l, "an order of complex numbers");
    sym_expr size = lower_numel(l, x);
    if (lower_is_zero(l, size)) {
        if (!ty_is_floating(d)) return lower_fail(l, "the median of nothing");
        return lower_give(l,
                          lower_value(l, d, 0, NULL, loop_const_float(l->program, d, (double)NAN)));
    }
    c->x = lower_reshape(l, x, 1, &size);
    c->values = true;
    return lower_give(l, lower_squeeze(l, call_rows(l, c).values, 0));
}

/* The lower median; any NaN wins, or with parameter NAN_MEDIAN none counts. */
fe_status lower_op_median(lowering *l, fx_node *n, const lower_row *row)
{
    row_call c = {.kernel = "select", .size = l->one, .int_count = 2};
    uint32_t rank;
    c.ints[0] = (loop_int){"what", lower_const(l, row->parameter)};
    c.ints[1] = (loop_int){"place", l->zero};
    if (op_param_index(n->op, "dim") < 0) return median_of_all(l, &c);
    FE_TRY(begin(l, &c.x, &c.dim, &rank));
    want_items(l, &c);
    return give_ranked(l, call_rows(l, &c), c.dim, lower_bool(l, "keepdim"), rank);
}

/* ---- places among sorted rows ---- */

tensor lower_search(lowering *l, tensor edges, tensor values, tensor order, uint32_t flags,
                    const sym_expr *wanted)
{
    loop_view inputs[3] = {lower_strided(l, edges), lower_strided(l, values), lower_no_view(l)};
    if (!lower_absent(order)) inputs[2] = lower_strided(l, order);
    tensor places = lower_temp_tensor(l, TY_I64, values.rank, values.sizes, wanted);
    sym_expr how = lower_const(l, flags);
    lower_extern(l, "search", 3, inputs, places.box->view, 1, &(loop_int){"how", how}, 0, NULL);
    if (!lower_absent(order)) vec_last(&l->program->ops).message = fx_call_line(l->graph, l->node);
    return places;
}

/* bucketize, searchsorted: parameter is the number of the argument that holds the values. */
fe_status lower_op_search(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    bool right = lower_bool(l, "right");
    if (row->parameter && !lower_is_none(l, "side"))
        right = strcmp(fx_get(l->graph, n, "side")->string, "right") == 0;
    ty_operand operands[2] = {lower_operand(l, &n->args[0]), lower_operand(l, &n->args[1])};
    ty_dtype d = ty_result_type(operands, 2);
    if (ty_is_complex(d)) return lower_fail(l, "an order of complex numbers");
    tensor x = lower_tensor_in(l, &n->args[row->parameter], d),
           edges = lower_tensor_in(l, &n->args[1 - row->parameter], d);
    uint32_t rank = x.rank;
    x = lower_at_least_1d(l, x);
    tensor order = {0};
    if (row->parameter && !lower_is_none(l, "sorter"))
        order = lower_cast(l, lower_arg(l, "sorter"), TY_I64);
    const sym_expr *wanted = rank && out->dtype == TY_I64 ? lower_wanted(l, 0) : NULL;
    tensor places = lower_search(l, edges, x, order, right ? LOWER_BEHIND_EQUALS : 0, wanted);
    return lower_give(l, lower_cast(l, rank ? places : lower_squeeze(l, places, 0), out->dtype));
}

/* ---- quantiles ---- */

/* From a to b by the part, from the nearer of them, as aten.lerp does it. */
static loop_value between(lowering *l, loop_value a, loop_value b, loop_value part)
{
    ty_dtype d = loop_at(l->program, a)->dtype;
    loop_value half = loop_const_float(l->program, d, 0.5),
               one = loop_const_float(l->program, d, 1);
    loop_value difference = lower_op2(l, LOOP_SUB, b, a);
    loop_value near_a = lower_op2(l, LOOP_ADD, a, lower_op2(l, LOOP_MUL, part, difference));
    loop_value rest = lower_op2(l, LOOP_SUB, one, part);
    loop_value near_b = lower_op2(l, LOOP_SUB, b, lower_op2(l, LOOP_MUL, difference, rest));
    return loop_where(l->program, lower_op2(l, LOOP_LT, part, half), near_a, near_b);
}

/* The place `rank` (a float) of each sorted row; between its two neighbours, or one of them, as
 * `interpolation` says. */
static loop_value interpolated(lowering *l, tensor values, uint32_t dim, sym_expr *at,
                               loop_value rank)
{
    loop_program *p = l->program;
    const fx_arg *a = fx_get(l->graph, l->node, "interpolation");
    const char *mode = a->kind == FX_ARG_STRING ? a->string : "linear";
    loop_value below = lower_op1(l, LOOP_FLOOR, rank), above = lower_op1(l, LOOP_CEIL, rank);
    loop_value part = lower_op2(l, LOOP_SUB, rank, below);
    bool is_midpoint = strcmp(mode, "midpoint") == 0;
    if (is_midpoint) part = loop_const_float(p, loop_at(p, rank)->dtype, 0.5);
    if (strcmp(mode, "higher") == 0) below = above;
    if (strcmp(mode, "nearest") == 0) below = lower_op1(l, LOOP_ROUND, rank);
    at[dim] = lower_lookup(l, loop_cast(p, TY_I64, below), values.sizes[dim], (int32_t)dim);
    loop_value low = lower_at(l, values, at);
    if (!is_midpoint && strcmp(mode, "linear") != 0) return low;
    at[dim] = lower_lookup(l, loop_cast(p, TY_I64, above), values.sizes[dim], (int32_t)dim);
    return between(l, low, lower_at(l, values, at), part);
}

/* quantile: a row with NaN gives NaN; nanquantile (1) leaves them out. q's dimension comes first. */
fe_status lower_op_quantile(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    tensor x = lower_arg(l, "self"),
           q = lower_tensor_in(l, fx_get(l->graph, n, "q"), lower_dtype(x));
    loop_program *p = l->program;
    sym_expr size = lower_numel(l, x), at[LOWER_MAX_RANK];
    bool whole = lower_is_none(l, "dim") || x.rank == 0, keep = lower_bool(l, "keepdim");
    uint32_t lead = q.rank, rank = x.rank;
    if (whole) x = lower_reshape(l, x, 1, &size);
    uint32_t dim = whole ? 0 : lower_dim(l, lower_int_or(l, "dim", 0), rank);
    ty_dtype d = lower_dtype(x);
    if (d != TY_F32 && d != TY_F64) return lower_fail(l, "quantiles of %s", ty_dtype_name(d));
    lower_ranked s = lower_sorted(l, x, dim, false, false);
    loop_value is_nan = lower_op1(l, LOOP_ISNAN, lower_here(l, x));
    tensor nans = lower_value(l, TY_I64, x.rank, x.sizes, loop_cast(p, TY_I64, is_nan));
    tensor count = lower_along(l, LOOP_SUM, nans, dim, true);
    /* Axes of the result: q's, then x's without or with size 1 at dim. */
    for (uint32_t k = 0; k < x.rank; k++)
        at[k] = k == dim ? l->zero : l->axes[lead + (whole ? 0 : k - (k > dim && !keep))];
    loop_value missing = lower_at(l, count, at),
               last = loop_index(p, sym_add_int(l->symbols, x.sizes[dim], -1));
    if (row->parameter)
        last = lower_op2(l, LOOP_MAX, lower_op2(l, LOOP_SUB, last, missing),
                         loop_const_int(p, TY_I64, 0));
    loop_value part = loop_cast(p, d, lower_at(l, q, l->axes));
    loop_value v =
        interpolated(l, s.values, dim, at, lower_op2(l, LOOP_MUL, part, loop_cast(p, d, last)));
    loop_value zero = loop_const_int(p, TY_I64, 0), bad = lower_op2(l, LOOP_LT, zero, missing);
    if (row->parameter) bad = lower_op2(l, LOOP_EQ, missing, loop_index(p, x.sizes[dim]));
    v = loop_where(p, bad, loop_const_float(p, d, (double)NAN), v);
    return lower_give(
        l, lower_value(l, out->dtype, out->rank, out->sizes, loop_cast(p, out->dtype, v)));
}
