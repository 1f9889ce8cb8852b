/* merge_products.c -- products of one row with several constant matrices become one product with these side
 * by side, and the results its pieces.
 *
 * Of one row alone: there the pieces lie as the results did, and the call is a good part of the time
 * (three maps of 32 by 32 take 0.15 us for 0.23, of 128 by 128 0.98 for 1.07, of 256 by 256 as long).
 * With more rows the pieces are strided, and products of a size to matter take as long one by one.
 * Weights of integers that have the same bits and groups are joined with their scales and zeros; they may
 * have as many bytes, so more elements.
 * The matrices stand side by side from the start; those that something else reads would exist twice
 * and are left as they are, like results that leave the graph, which would share memory.
 */
#include "pass/pass_priv.h"

#include <string.h>

enum { MOST_BYTES = 256 << 10, MOST_STEPS = 16, NO_PART = -1 };

/* What is joined; where these are arguments stands in the rows below. */
typedef enum part_id { WEIGHT, BIAS, SCALES, ZEROS, PARTS } part_id;

typedef struct product_row {
    op_id op;
    uint32_t x;
    int part[PARTS];
    uint32_t column; /* the dim of the matrix that is the result's last */
    bool is_quantised;
} product_row;

static const product_row ROWS[] = {
    {OP_aten_linear_default, 0, {1, 2, NO_PART, NO_PART}, 0, false},
    {OP_aten_mm_default, 0, {1, NO_PART, NO_PART, NO_PART}, 1, false},
    {OP_aten_matmul_default, 0, {1, NO_PART, NO_PART, NO_PART}, 1, false},
    {OP_aten_addmm_default, 1, {2, 0, NO_PART, NO_PART}, 1, false},
    {OP_ferrite_quantised_linear_default, 0, {1, 4, 2, 3}, 0, true},
};
enum { BITS = 5 }; /* argument of the last one */

typedef struct product {
    fx_node *node;
    const uint8_t *part[PARTS]; /* elements; NULL: it has none */
    int64_t columns, groups, bits;
} product;

typedef struct group {
    fx_graph *g;
    const product_row *row;
    int64_t depth, columns; /* columns: of all */
    VEC(product) products;
} group;

static const product_row *row_of(const fx_node *n)
{
    for (size_t i = 0; n->kind == FX_CALL && i < COUNT_OF(ROWS); i++)
        if (fx_is(n, ROWS[i].op)) return &ROWS[i];
    return NULL;
}

/* addmm's factors */
static bool is_plain(const fx_graph *g, const fx_node *n)
{
    double beta, alpha;
    return !fx_is(n, OP_aten_addmm_default) ||
           (fx_arg_number(g, &n->args[3], &beta) && fx_arg_number(g, &n->args[4], &alpha) &&
            beta == 1 && alpha == 1);
}

/* Numbers for each column, in so many rows. */
static bool read_columns(const fx_graph *g, product *p, const product_row *row, part_id part,
                         int64_t rows, ty_dtype d)
{
    int64_t count;
    const fx_arg *a = row->part[part] == NO_PART ? NULL : &p->node->args[row->part[part]];
    if (!a || a->kind == FX_ARG_NONE) return true;
    if (a->kind != FX_ARG_NODE || !fx_tensor(a->node) || fx_tensor(a->node)->dtype != d)
        return false;
    p->part[part] = pass_elements_of(g, a->node, &count);
    return p->part[part] && count == rows * p->columns;
}

static bool read_scaling(const fx_graph *g, product *p, const product_row *row)
{
    const ty_tensor *scales = row->is_quantised ? fx_arg_tensor(&p->node->args[2]) : NULL;
    if (!row->is_quantised) return true;
    return scales && scales->rank == 2 && sym_is_int(g->symbols, scales->sizes[0], &p->groups) &&
           fx_arg_int(g, &p->node->args[BITS], &p->bits) &&
           read_columns(g, p, row, SCALES, p->groups, TY_F32) &&
           read_columns(g, p, row, ZEROS, p->groups, TY_F32);
}

static bool is_weight(const product_row *row, const ty_tensor *w, const ty_tensor *out)
{
    if (!w || !out || w->rank != 2 || !out->rank) return false;
    if (row->is_quantised) return w->dtype == TY_I8;
    return w->dtype == out->dtype && (w->dtype == TY_F32 || w->dtype == TY_F64);
}

/* Nothing comes of it: what was made of a weight before the product was one of integers. */
static bool is_dead(const fx_node *n, int steps)
{
    if (n->kind != FX_CALL || pass_has_effect(n) || !steps) return false;
    for (uint32_t i = 0; i < n->users.count; i++)
        if (!is_dead(n->users.at[i], steps - 1)) return false;
    return true;
}

static bool has_one_reader(const fx_node *weight)
{
    uint32_t readers = 0;
    for (uint32_t i = 0; i < weight->users.count; i++)
        readers += !is_dead(weight->users.at[i], MOST_STEPS);
    return readers == 1;
}

/* A product of x with a constant that nothing else reads. */
static bool read_product(const fx_graph *g, const fx_node *x, fx_node *n, product *out)
{
    const product_row *row = row_of(n);
    const fx_arg *weight = row ? &n->args[row->part[WEIGHT]] : NULL;
    const ty_tensor *w = row ? fx_arg_tensor(weight) : NULL, *t = fx_tensor(n);
    int64_t count;
    *out = (product){.node = n};
    if (!row || !is_weight(row, w, t) || !is_plain(g, n)) return false;
    if (n->args[row->x].kind != FX_ARG_NODE || n->args[row->x].node != x) return false;
    if (!has_one_reader(weight->node)) return false;
    out->part[WEIGHT] = pass_elements_of(g, weight->node, &count);
    return out->part[WEIGHT] && sym_is_int(g->symbols, w->sizes[row->column], &out->columns) &&
           read_columns(g, out, row, BIAS, 1, t->dtype) && read_scaling(g, out, row) &&
           !pass_leaves(g, n);
}

/* ---- one of several ---- */

/* A constant of `lines`, in each of which the products' parts stand side by side, `each` elements a column: a
 * line of the weight for every depth or one for all, of the others one for every group. */
static fx_node *joined(const group *p, part_id part, const char *name, int64_t lines, int64_t each,
                       uint32_t rank, const sym_expr *sizes)
{
    fx_graph *g = p->g;
    const fx_node *first = p->products.at[0].node;
    const ty_tensor *like = fx_arg_tensor(&first->args[p->row->part[part]]);
    size_t size = ty_dtype_size(like->dtype) * (size_t)each, at = 0,
           bytes = (size_t)(lines * p->columns) * size;
    uint8_t *made = arena_alloc(g->memory, bytes);
    for (int64_t line = 0; line < lines; line++)
        for (uint32_t i = 0; i < p->products.count; i++) {
            const product *one = &p->products.at[i];
            size_t length = (size_t)one->columns * size;
            memcpy(made + at, one->part[part] + (size_t)line * length, length);
            at += length;
        }
    ty_tensor *t =
        ty_tensor_new(g->memory, g->symbols, like->dtype, fx_tensor(first)->device, rank, sizes);
    return fx_add_constant(g, name, t, made, bytes);
}

static fx_node *joined_weight(const group *p)
{
    sym_expr columns = sym_int(p->g->symbols, p->columns), depth = sym_int(p->g->symbols, p->depth);
    sym_expr by_rows[] = {columns, depth}, by_columns[] = {depth, columns};
    return p->row->column == 0 ? joined(p, WEIGHT, "joined_weight", 1, p->depth, 2, by_rows)
                               : joined(p, WEIGHT, "joined_weight", p->depth, 1, 2, by_columns);
}

static void join_parts(const group *p, fx_arg *args)
{
    const product *first = &p->products.at[0];
    sym_table *symbols = p->g->symbols;
    sym_expr sizes[] = {sym_int(symbols, first->groups), sym_int(symbols, p->columns)};
    const int *to = p->row->part;
    args[to[WEIGHT]] = fx_of(joined_weight(p));
    if (first->part[BIAS])
        args[to[BIAS]] = fx_of(joined(p, BIAS, "joined_bias", 1, 1, 1, &sizes[1]));
    if (first->part[SCALES])
        args[to[SCALES]] = fx_of(joined(p, SCALES, "joined_scales", first->groups, 1, 2, sizes));
    if (first->part[ZEROS])
        args[to[ZEROS]] = fx_of(joined(p, ZEROS, "joined_zeros", first->groups, 1, 2, sizes));
}

static fe_status join(const group *p, fx_node *first)
{
    fx_graph *g = p->g;
    fx_node *all, *piece;
    fx_arg args[6];
    int64_t at = 0;
    CHECK(g->session, first->arg_count <= COUNT_OF(args));
    memcpy(args, first->args, first->arg_count * sizeof *args);
    join_parts(p, args);
    FE_TRY(pass_emit(g, first, p->row->op, first, first->arg_count, args, &all));
    for (uint32_t i = 0; i < p->products.count; i++) {
        const product *one = &p->products.at[i];
        const ty_tensor *t = fx_tensor(one->node);
        fx_arg cut[] = {fx_of(all), fx_int_list(g, t->sizes, t->rank),
                        fx_int_list(g, t->strides, t->rank), fx_int(g, at)};
        FE_TRY(pass_emit(g, first, OP_aten_as_strided_default, one->node, 4, cut, &piece));
        fx_replace_uses(g, one->node, piece);
        at += one->columns;
    }
    for (uint32_t i = 0; i < p->products.count; i++) fx_erase(g, p->products.at[i].node);
    return FE_OK;
}

/* ---- which ---- */

/* One row, of a length that is known. */
static bool is_row(const fx_graph *g, const ty_tensor *x, int64_t *length)
{
    int64_t count;
    return x && x->rank >= 2 && sym_is_int(g->symbols, x->sizes[x->rank - 1], length) &&
           sym_is_int(g->symbols, ty_numel(g->symbols, x), &count) && *length > 0 &&
           count == *length;
}

/* In the order of the program: users come in none. */
static void add_in_order(arena *memory, group *p, const product *one)
{
    uint32_t k = p->products.count;
    vec_push(memory, &p->products, *one);
    for (; k > 0 && p->products.at[k - 1].node->order > one->node->order; k--)
        p->products.at[k] = p->products.at[k - 1];
    p->products.at[k] = *one;
    p->columns += one->columns;
}

/* Bytes of a product's weight, as it is packed. */
static int64_t bytes_of(const group *p, const product *one)
{
    int64_t bits = one->bits ? one->bits : 8 * (int64_t)ty_dtype_size(fx_tensor(one->node)->dtype);
    return p->depth * one->columns * bits / 8;
}

/* Of the same parts as the first, if there is one. */
static bool is_alike(const group *p, const product *one)
{
    if (!p->products.count) return true;
    const product *first = &p->products.at[0];
    for (int part = BIAS; part < PARTS; part++)
        if (!one->part[part] != !first->part[part]) return false;
    return one->groups == first->groups && one->bits == first->bits &&
           fx_may_join(one->node, first->node);
}

/* Those like x's user `from`, and of what comes behind it. */
static fe_status join_products_of(fx_graph *g, arena *memory, const fx_node *x, uint32_t from,
                                  bool *joined)
{
    group p = {.g = g, .row = row_of(x->users.at[from])};
    int64_t left = MOST_BYTES;
    *joined = false;
    if (!p.row || !is_row(g, fx_tensor(x), &p.depth)) return FE_OK;
    for (uint32_t i = from; i < x->users.count; i++) {
        product one;
        bool fits = row_of(x->users.at[i]) == p.row && read_product(g, x, x->users.at[i], &one) &&
                    is_alike(&p, &one) && bytes_of(&p, &one) <= left;
        if (!fits && i == from) return FE_OK;
        if (!fits) continue;
        left -= bytes_of(&p, &one);
        add_in_order(memory, &p, &one);
    }
    *joined = p.products.count > 1;
    return *joined ? join(&p, p.products.at[0].node) : FE_OK;
}

fe_status pass_merge_products(fx_graph *g, bool *changed)
{
    arena *memory = arena_new(g->session);
    fe_status status = FE_OK;
    fx_renumber(g);
    for (fx_node *x = g->first; x && status == FE_OK; x = x->next)
        for (uint32_t i = 0; i + 1 < x->users.count && status == FE_OK;) {
            bool joined;
            status = join_products_of(g, memory, x, i, &joined);
            *changed |= joined;
            i = joined ? 0 : i + 1;
        }
    arena_free(memory);
    return status;
}
