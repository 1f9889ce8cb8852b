/* merge_products.c -- products of one row with several constant matrices become one product with these side
 * by side, and the results its pieces.
 *
 * Of one row alone: there the pieces lie as the results did, and the call is a good part of the time
 * (three maps of 32 by 32 take 0.15 us for 0.23, of 128 by 128 0.98 for 1.07, of 256 by 256 as long).
 * With more rows the pieces are strided, and products of a size to matter take as long one by one.
 * The matrices stand side by side from the start; those that something else reads would exist twice
 * and are left as they are, like results that leave the graph, which would share memory.
 */
#include "pass/pass_priv.h"

#include <string.h>

enum { MOST_BYTES = 256 << 10, NO_BIAS = -1 };

typedef struct product_row {
    op_id op;
    uint32_t x, w; /* arguments */
    int bias;
    uint32_t column; /* the dim of the matrix that is the result's last */
} product_row;

static const product_row ROWS[] = {
    {OP_aten_linear_default, 0, 1, 2, 0},
    {OP_aten_mm_default, 0, 1, NO_BIAS, 1},
    {OP_aten_matmul_default, 0, 1, NO_BIAS, 1},
    {OP_aten_addmm_default, 1, 2, 0, 1},
};

typedef struct product {
    fx_node *node;
    fx_node *bias; /* NULL: none */
    const uint8_t *weight, *offset;
    int64_t columns;
} product;

typedef struct group {
    fx_graph *g;
    const product_row *row;
    bool has_bias;
    ty_dtype dtype;
    int64_t depth, columns; /* columns: of all */
    VEC(product) products;
} group;

/* The elements of a contiguous constant, or NULL. */
static const uint8_t *elements_of(const fx_graph *g, const fx_node *n, int64_t *count)
{
    const ty_tensor *t = fx_tensor(n);
    int64_t offset;
    if (!t || !pass_is_constant(g, n) || (t->dtype != TY_F32 && t->dtype != TY_F64) ||
        !sym_is_int(g->symbols, ty_numel(g->symbols, t), count) ||
        !sym_is_int(g->symbols, t->offset, &offset) || !ty_is_contiguous(g->symbols, t))
        return NULL;
    size_t size = ty_dtype_size(t->dtype);
    if (*count < 1 || offset < 0 || (size_t)(offset + *count) > n->data->size / size) return NULL;
    return n->data->bytes + (size_t)offset * size;
}

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

static bool read_bias(const fx_graph *g, const product_row *row, product *p)
{
    int64_t count;
    const fx_arg *a = row->bias == NO_BIAS ? NULL : &p->node->args[row->bias];
    if (!a || a->kind == FX_ARG_NONE) return true;
    if (a->kind != FX_ARG_NODE || !fx_tensor(a->node)) return false;
    p->bias = a->node;
    p->offset = elements_of(g, p->bias, &count);
    return p->offset && fx_tensor(p->bias)->rank == 1 && count == p->columns;
}

/* A product of x with a constant that nothing else reads. */
static bool read_product(const fx_graph *g, const fx_node *x, fx_node *n, product *out)
{
    const product_row *row = row_of(n);
    const ty_tensor *w = row ? fx_arg_tensor(&n->args[row->w]) : NULL, *t = fx_tensor(n);
    int64_t count;
    *out = (product){.node = n};
    if (!w || !t || w->rank != 2 || !t->rank || !is_plain(g, n)) return false;
    if (n->args[row->x].kind != FX_ARG_NODE || n->args[row->x].node != x) return false;
    const fx_node *weight = n->args[row->w].node;
    out->weight = weight->users.count == 1 ? elements_of(g, weight, &count) : NULL;
    return out->weight && w->dtype == t->dtype &&
           sym_is_int(g->symbols, w->sizes[row->column], &out->columns) && read_bias(g, row, out) &&
           !pass_leaves(g, n);
}

/* ---- one of several ---- */

static fx_node *joined_weight(const group *p)
{
    fx_graph *g = p->g;
    size_t size = ty_dtype_size(p->dtype), bytes = (size_t)(p->depth * p->columns) * size, at = 0;
    uint8_t *made = arena_alloc(g->memory, bytes);
    bool by_rows = p->row->column == 0; /* one after the other, else row by row */
    int64_t lines = by_rows ? 1 : p->depth;
    for (int64_t line = 0; line < lines; line++)
        for (uint32_t i = 0; i < p->products.count; i++) {
            const product *one = &p->products.at[i];
            size_t length = (size_t)(by_rows ? p->depth * one->columns : one->columns) * size;
            memcpy(made + at, one->weight + (size_t)line * length, length);
            at += length;
        }
    sym_expr columns = sym_int(g->symbols, p->columns), depth = sym_int(g->symbols, p->depth);
    sym_expr sizes[] = {by_rows ? columns : depth, by_rows ? depth : columns};
    const ty_tensor *like = fx_tensor(p->products.at[0].node);
    return fx_add_constant(g, "joined_weight",
                           ty_tensor_new(g->memory, g->symbols, p->dtype, like->device, 2, sizes),
                           made, bytes);
}

static fx_node *joined_bias(const group *p)
{
    fx_graph *g = p->g;
    size_t size = ty_dtype_size(p->dtype), bytes = (size_t)p->columns * size, at = 0;
    uint8_t *made = arena_alloc(g->memory, bytes);
    sym_expr columns = sym_int(g->symbols, p->columns);
    for (uint32_t i = 0; i < p->products.count; i++) {
        size_t length = (size_t)p->products.at[i].columns * size;
        memcpy(made + at, p->products.at[i].offset, length);
        at += length;
    }
    const ty_tensor *like = fx_tensor(p->products.at[0].node);
    return fx_add_constant(
        g, "joined_bias", ty_tensor_new(g->memory, g->symbols, p->dtype, like->device, 1, &columns),
        made, bytes);
}

static fe_status join(const group *p, fx_node *first)
{
    fx_graph *g = p->g;
    fx_node *all, *piece;
    fx_arg args[5];
    int64_t at = 0;
    CHECK(g->session, first->arg_count <= COUNT_OF(args));
    memcpy(args, first->args, first->arg_count * sizeof *args);
    args[p->row->w] = fx_of(joined_weight(p));
    if (p->has_bias) args[p->row->bias] = fx_of(joined_bias(p));
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

static fe_status join_products_of(fx_graph *g, arena *memory, const fx_node *x,
                                  const product_row *row, bool has_bias, bool *changed)
{
    group p = {.g = g, .row = row, .has_bias = has_bias};
    if (!is_row(g, fx_tensor(x), &p.depth)) return FE_OK;
    p.dtype = fx_tensor(x)->dtype;
    int64_t most = MOST_BYTES / ((int64_t)ty_dtype_size(p.dtype) * p.depth);
    for (uint32_t i = 0; i < x->users.count; i++) {
        product one;
        if (row_of(x->users.at[i]) != row || !read_product(g, x, x->users.at[i], &one)) continue;
        if (!!one.bias == has_bias && p.columns + one.columns <= most &&
            (!p.products.count || fx_may_join(one.node, p.products.at[0].node)))
            add_in_order(memory, &p, &one);
    }
    if (p.products.count < 2) return FE_OK;
    *changed = true;
    return join(&p, p.products.at[0].node);
}

fe_status pass_merge_products(fx_graph *g, bool *changed)
{
    arena *memory = arena_new(g->session);
    fe_status status = FE_OK;
    fx_renumber(g);
    for (fx_node *x = g->first; x && status == FE_OK; x = x->next)
        for (size_t i = 0; i < COUNT_OF(ROWS) && x->users.count > 1 && status == FE_OK; i++) {
            status = join_products_of(g, memory, x, &ROWS[i], false, changed);
            if (status == FE_OK) status = join_products_of(g, memory, x, &ROWS[i], true, changed);
        }
    arena_free(memory);
    return status;
}
