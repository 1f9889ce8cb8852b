/* need_product.c -- what products of matrices and attention work in. */
#include "loop/need_priv.h"

#include "../rt/rt_need.h"

void need_gemm(needing *n)
{
    const loop_view *a = &n->op->inputs[0], *b = &n->op->inputs[1];
    if (!need_has(n, 2, 2)) return;
    if (!need_is(n, a->strides[1], 1) && !need_is(n, a->sizes[1], 1))
        need_share(n, need_bytes(n, need_times(n, a->sizes[0], a->sizes[1]), need_real(n)));
    if (!need_is_packed(n, 1)) need_share(n, need_panels(n, b->sizes[1], b->sizes[0]));
    need_split(n, a->sizes[0], b->sizes[1], b->sizes[0]);
}

/* Few rows as floats; of more rows a worker's part of A, and a piece of a panel as floats. */
void need_halves(needing *n, sym_expr rows, sym_expr depth)
{
    sym_expr most = need_number(n, RT_HALVES_TILES * RT_MOST_ROWS);
    if (need_may_be(n, rows, 1, RT_HALVES_FEW_ROWS))
        need_share(n, need_bytes(n, need_times(n, need_least(n, rows, RT_HALVES_FEW_ROWS), depth),
                                 NEED_FLOAT));
    need_give_each(n, need_number(n, RT_HALVES_DEPTH * RT_PANEL * NEED_FLOAT));
    need_give_each(n, need_bytes(n,
                                 need_times(n, sym_min(n->t, rows, most),
                                            need_least(n, depth, RT_HALVES_DEPTH)),
                                 NEED_FLOAT));
}

/* And B's panels. */
void need_half_gemm(needing *n)
{
    const loop_view *a = &n->op->inputs[0], *b = &n->op->inputs[1];
    if (!need_has(n, 2, 2)) return;
    sym_expr rows = a->sizes[0], depth = a->sizes[1];
    need_halves(n, rows, depth);
    bool may_lie = need_is(n, b->strides[0], 1) || need_is(n, b->strides[1], 1);
    if (!need_is_packed(n, 1) &&
        (!may_lie || need_may_be(n, rows, RT_HALVES_PLACE_ROWS + 1, INT64_MAX)))
        need_share(n, need_panels(n, b->sizes[1], sym_ceildiv(n->t, depth, need_number(n, 2))));
}

/* Few rows times integers of 4 bits: A again, and the sums of its groups. */
static void need_few_rows(needing *n)
{
    sym_expr rows = n->op->inputs[0].sizes[0], depth = n->op->inputs[1].sizes[0],
             groups = n->op->inputs[2].sizes[0];
    if (need_is(n, need_int(n, "bits"), 8) || !need_may_be(n, rows, 1, RT_QUANTISED_FEW_ROWS))
        return;
    need_share(n, need_bytes(n,
                             need_times(n, need_least(n, rows, RT_QUANTISED_FEW_ROWS),
                                        sym_add(n->t, depth, groups)),
                             NEED_FLOAT));
}

/* And what of a panel becomes floats, where there are rows enough. */
void need_quantised_gemm(needing *n)
{
    const loop_view *a = &n->op->inputs[0], *b = &n->op->inputs[1];
    if (!need_has(n, 3, 2)) return;
    need_few_rows(n);
    if (!need_is_packed(n, 1)) {
        sym_expr words = sym_ceildiv(n->t, b->sizes[0],
                                     sym_floordiv(n->t, need_number(n, 32), need_int(n, "bits")));
        need_share(n, need_panels(n, b->sizes[1], words));
    }
    if (need_may_be(n, a->sizes[0], RT_QUANTISED_FEW_ROWS + 1, INT64_MAX))
        need_give_each(n, need_bytes(n, need_least(n, b->sizes[0], RT_QUANTISED_DEPTH),
                                     RT_PANEL * NEED_FLOAT));
}

/* A as words of four steps, or two for each; rows are a line apart at least (rt_integers.c). */
void need_integer_gemm(needing *n)
{
    const loop_view *a = &n->op->inputs[0], *b = &n->op->inputs[1];
    if (!need_has(n, 2, 2)) return;
    sym_expr words = sym_ceildiv(n->t, b->sizes[0], need_number(n, 4)),
             row = need_up_to(n, need_bytes(n, words, NEED_NUMBER), RT_LINE);
    need_share(n, need_times(n, a->sizes[0], sym_add_int(n->t, row, RT_LINE)));
    if (!need_is_packed(n, 1)) need_share(n, need_panels(n, b->sizes[1], words));
}

typedef struct product {
    sym_expr m, n, k;
    bool copies_a, copies_c;
} product;

/* A task's group of panels, and its rows. */
static void need_product(needing *n, const product *p)
{
    sym_expr depth = need_bytes(n, p->k, RT_PANEL * need_real(n)),
             count = sym_ceildiv(n->t, p->n, need_number(n, RT_PANEL)),
             group = sym_min(n->t, count, need_most(n, need_over(n, RT_BMM_GROUP_BYTES, depth), 1)),
             rows = need_least(n, p->m, RT_BMM_TILES * RT_MOST_ROWS);
    need_give_each(n, need_number(n, RT_STATE_BYTES));
    need_give_each(n, need_times(n, group, depth));
    if (p->copies_a) need_give_each(n, need_bytes(n, need_times(n, rows, p->k), need_real(n)));
    if (p->copies_c)
        need_give_each(n, need_bytes(n, need_times(n, rows, group), RT_PANEL * need_real(n)));
    need_give_each(n, need_bytes(n, rows, NEED_POINTER));
    need_split(n, rows, p->n, p->k);
}

/* A group of panels, and rows: as floats, or as words, of which less depth than a tile takes as much. */
void need_half_bmm(needing *n)
{
    const loop_view *a = &n->op->inputs[0], *b = &n->op->inputs[1];
    int64_t rows;
    if (!need_has(n, 2, 3)) return;
    bool in_place = need_is(n, b->strides[2], 1) || need_is(n, b->strides[1], 1);
    if (in_place && sym_is_int(n->t, a->sizes[1], &rows) && rows <= RT_BMM_FEW_ROWS)
        need_give_each(n, need_bytes(n, need_times(n, a->sizes[1], a->sizes[2]), NEED_FLOAT));
    else
        need_product(n, &(product){.m = a->sizes[1],
                                   .n = b->sizes[2],
                                   .k = need_most(n, a->sizes[2], RT_HALF_BMM_DEPTH),
                                   .copies_a = true});
}

void need_bmm(needing *n)
{
    const loop_view *a = &n->op->inputs[0], *b = &n->op->inputs[1], *c = &n->op->outputs[0];
    int64_t rows;
    if (!need_has(n, 2, 3) || c->rank < 3) return;
    bool in_place = need_is(n, b->strides[2], 1) ||
                    (need_is(n, b->strides[1], 1) && need_is(n, a->strides[2], 1));
    if (in_place && sym_is_int(n->t, c->sizes[1], &rows) && rows <= RT_BMM_FEW_ROWS) return;
    need_product(n, &(product){c->sizes[1], c->sizes[2], a->sizes[2], !need_is(n, a->strides[2], 1),
                               !need_is(n, c->strides[2], 1)});
}

/* ---- attention ---- */

/* Of words for tiles of bf16 a row is a whole tile of depth at least, and rows of scores lie apart. */
void need_sdpa(needing *n)
{
    const loop_view *q = &n->op->inputs[0], *k = &n->op->inputs[1], *v = &n->op->inputs[2];
    if (!need_has(n, 3, 4)) return;
    sym_expr rows = need_least(n, q->sizes[2], RT_SDPA_TILES * RT_MOST_ROWS), keys = k->sizes[2],
             width = need_up_to(n, v->sizes[3], RT_PANEL), padded = need_up_to(n, keys, RT_PANEL);
    sym_expr block = need_least(n, need_up_to(n, need_most(n, keys, 1), RT_PANEL), RT_SDPA_KEYS),
             depth = q->sizes[3];
    int64_t queries;
    bool few = sym_is_int(n->t, q->sizes[2], &queries) && queries <= RT_SDPA_FEW_QUERIES;
    bool may_be_few = need_may_be(n, q->sizes[2], 0, RT_SDPA_FEW_QUERIES),
         is_float = q->dtype == TY_F32;
    if (!is_float) {
        depth = need_most(n, depth, RT_SDPA_TILE_DEPTH / 2);
        block = sym_add_int(n->t, block, RT_SDPA_TILE_GAP);
    }
    need_give_each(n, need_number(n, RT_STATE_BYTES));
    if (!few) {
        need_give_each(n, need_bytes(n, need_times(n, padded, depth), NEED_FLOAT));
        need_give_each(n, need_bytes(n, need_times(n, padded, width), NEED_FLOAT));
    }
    if (may_be_few || !is_float || !need_is(n, q->strides[3], 1))
        need_give_each(n, need_bytes(n, need_times(n, rows, q->sizes[3]), NEED_FLOAT));
    need_give_each(n, need_bytes(n, need_times(n, rows, block), NEED_FLOAT));
    need_give_each(n, need_bytes(n, need_times(n, rows, width), NEED_FLOAT));
    need_give_each(n, need_bytes(n, rows, 2 * NEED_FLOAT));
    need_give_each(n, need_bytes(n, rows, NEED_POINTER));
}
