/* need.c -- what runtime operators work in beside their operands: how much of it all threads of a call
 * share, and how much each of them has to itself, as functions of the operands' shapes.
 *
 * An operator may take one path or another, by instruction set, number of threads or strides: this is
 * the most of what it may come to. rt/rt_need.h has the numbers that both sides go by; the runtime
 * looks at each request, and with sanitizers a run fails that asks for more.
 */
#include "loop/loop_priv.h"

#include "../rt/rt_need.h"

#include <string.h>

typedef struct needing {
    const loop_program *p;
    sym_table *t;
    const loop_op *op;
    loop_need out;
} needing;

enum { FLOAT = 4, NUMBER = 8, POINTER = 8 };

/* ---- expressions ---- */

static sym_expr number(const needing *n, int64_t value)
{
    return sym_int(n->t, value);
}

static sym_expr times(const needing *n, sym_expr a, sym_expr b)
{
    return sym_mul(n->t, a, b);
}

static sym_expr bytes(const needing *n, sym_expr count, int64_t each)
{
    return sym_mul_int(n->t, count, each);
}

static sym_expr up_to(const needing *n, sym_expr e, int64_t unit)
{
    return sym_mul_int(n->t, sym_ceildiv(n->t, e, number(n, unit)), unit);
}

static sym_expr lines(const needing *n, sym_expr e)
{
    return up_to(n, e, RT_LINE);
}

static sym_expr least(const needing *n, sym_expr a, int64_t b)
{
    return sym_min(n->t, a, number(n, b));
}

static sym_expr most(const needing *n, sym_expr a, int64_t b)
{
    return sym_max(n->t, a, number(n, b));
}

static sym_expr over(const needing *n, int64_t a, sym_expr b)
{
    return sym_floordiv(n->t, number(n, a), most(n, b, 1));
}

static bool is(const needing *n, sym_expr e, int64_t value)
{
    int64_t known;
    return sym_is_int(n->t, e, &known) && known == value;
}

static bool may_be(const needing *n, sym_expr e, int64_t from, int64_t to)
{
    int64_t min, max;
    sym_range(n->t, e, NULL, &min, &max);
    return min <= to && max >= from;
}

/* Texts may hold calls that no operator would take: they need nothing. The first inputs, and the first
 * output, have so many dimensions. */
static bool has(const needing *n, uint32_t inputs, uint32_t rank, uint32_t ints)
{
    if (n->op->input_count < inputs || !n->op->output_count || n->op->int_count < ints)
        return false;
    for (uint32_t i = 0; i < inputs; i++)
        if (n->op->inputs[i].rank < rank) return false;
    return true;
}

static void share(needing *n, sym_expr more)
{
    n->out.shared = sym_add(n->t, n->out.shared, lines(n, more));
}

static void give_each(needing *n, sym_expr more)
{
    n->out.each = sym_add(n->t, n->out.each, lines(n, more));
}

static sym_expr int_of(const needing *n, uint32_t k)
{
    return n->op->ints[k];
}

static sym_expr panels(const needing *n, sym_expr columns, sym_expr depth)
{
    return bytes(n, times(n, up_to(n, columns, RT_PANEL), depth), FLOAT);
}

/* ---- weights that are re-laid when the program is compiled ---- */

static bool are_numbers(const loop_program *p, const sym_expr *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!sym_is_int(p->symbols, list[i], NULL)) return false;
    return true;
}

bool loop_can_pack(const loop_program *p, const loop_op *op, uint32_t operand)
{
    const loop_view *v = &op->inputs[operand];
    bool is_gemm = strcmp(op->kernel, "gemm") == 0, is_conv = strcmp(op->kernel, "conv") == 0;
    if (operand != 1 || (!is_gemm && !is_conv) || v->buffer == LOOP_NO_BUFFER ||
        v->dtype != TY_F32 || !sym_is_int(p->symbols, v->offset, NULL) ||
        !are_numbers(p, v->sizes, v->rank) || !are_numbers(p, v->strides, v->rank))
        return false;
    if (is_gemm) return v->rank == 2;
    int64_t transposed;
    return v->rank >= 3 && v->rank <= 5 && are_numbers(p, op->ints, op->int_count) &&
           sym_is_int(p->symbols, op->ints[2], &transposed) && !transposed;
}

static bool is_packed(const needing *n, uint32_t operand)
{
    loop_buffer_id id = n->op->inputs[operand].buffer;
    return id != LOOP_NO_BUFFER && n->p->buffers.at[id].kind == LOOP_CONSTANT &&
           loop_can_pack(n->p, n->op, operand);
}

/* ---- products ---- */

static void need_gemm(needing *n)
{
    const loop_view *a = &n->op->inputs[0], *b = &n->op->inputs[1];
    if (!has(n, 2, 2, 0)) return;
    if (!is(n, a->strides[1], 1) && !is(n, a->sizes[1], 1))
        share(n, bytes(n, times(n, a->sizes[0], a->sizes[1]), FLOAT));
    if (!is_packed(n, 1)) share(n, panels(n, b->sizes[1], b->sizes[0]));
}

typedef struct product {
    sym_expr m, n, k;
    bool copies_a, copies_c;
} product;

/* A task's group of panels, and its rows. */
static void need_product(needing *n, const product *p)
{
    sym_expr depth = bytes(n, p->k, RT_PANEL * FLOAT),
             count = sym_ceildiv(n->t, p->n, number(n, RT_PANEL)),
             group = sym_min(n->t, count, most(n, over(n, RT_BMM_GROUP_BYTES, depth), 1)),
             rows = least(n, p->m, RT_BMM_TILES * RT_MOST_ROWS);
    give_each(n, number(n, RT_STATE_BYTES));
    give_each(n, times(n, group, depth));
    if (p->copies_a) give_each(n, bytes(n, times(n, rows, p->k), FLOAT));
    if (p->copies_c) give_each(n, bytes(n, times(n, rows, group), RT_PANEL * FLOAT));
    give_each(n, bytes(n, rows, POINTER));
}

static void need_bmm(needing *n)
{
    const loop_view *a = &n->op->inputs[0], *b = &n->op->inputs[1], *c = &n->op->outputs[0];
    int64_t rows;
    if (!has(n, 2, 3, 0) || c->rank < 3) return;
    bool in_place = is(n, b->strides[2], 1) || (is(n, b->strides[1], 1) && is(n, a->strides[2], 1));
    if (in_place && sym_is_int(n->t, c->sizes[1], &rows) && rows <= RT_BMM_FEW_ROWS) return;
    need_product(n, &(product){c->sizes[1], c->sizes[2], a->sizes[2], !is(n, a->strides[2], 1),
                               !is(n, c->strides[2], 1)});
}

/* ---- convolutions ---- */

/* As rt_conv has it: three axes, right-aligned. */
typedef struct geometry {
    sym_expr batch, in_channels, out_channels, groups, in_each, out_each;
    sym_expr in[3], out[3], kernel[3], stride[3], dilation[3];
    sym_expr in_pixels, out_pixels, taps; /* in_pixels: of one image */
} geometry;

static geometry geometry_of(const needing *n)
{
    const loop_view *x = &n->op->inputs[0], *w = &n->op->inputs[1], *y = &n->op->outputs[0];
    sym_expr one = number(n, 1), groups = most(n, int_of(n, 1), 1);
    uint32_t spatial = x->rank - 2, pad = 3 - spatial;
    geometry g = {.batch = x->sizes[0],
                  .in_channels = x->sizes[1],
                  .out_channels = y->sizes[1],
                  .groups = groups,
                  .in_each = sym_floordiv(n->t, x->sizes[1], groups),
                  .out_each = sym_floordiv(n->t, y->sizes[1], groups)};
    for (uint32_t d = 0; d < 3; d++) {
        bool is_there = d >= pad;
        uint32_t k = is_there ? d - pad : 0;
        g.in[d] = is_there ? x->sizes[2 + k] : one;
        g.out[d] = is_there ? y->sizes[2 + k] : one;
        g.kernel[d] = is_there ? w->sizes[2 + k] : one;
        g.stride[d] = is_there ? int_of(n, 4 + k) : one;
        g.dilation[d] = is_there ? int_of(n, 4 + 2 * spatial + k) : one;
    }
    g.in_pixels = sym_product(n->t, g.in, 3);
    g.taps = sym_product(n->t, g.kernel, 3);
    g.out_pixels = times(n, g.batch, sym_product(n->t, g.out, 3));
    return g;
}

static void need_transposed(needing *n)
{
    geometry g = geometry_of(n);
    sym_expr columns = times(n, g.out_each, g.taps);
    share(n, bytes(n, times(n, g.in_pixels, g.in_each), FLOAT));
    share(n, bytes(n, times(n, g.in_pixels, columns), FLOAT));
    need_product(n, &(product){g.in_pixels, columns, g.in_each, false, false});
}

/* Pixels in order, images too, channels innermost? */
static bool has_pixel_order(const needing *n, const loop_view *y)
{
    sym_expr expected = {0};
    if (!is(n, y->sizes[1], 1) && !is(n, y->strides[1], 1)) return false;
    for (uint32_t d = y->rank; d-- > 2;) {
        if (is(n, y->sizes[d], 1)) continue;
        if (sym_is_none(expected)) expected = y->strides[d];
        if (!sym_same(y->strides[d], expected)) return false;
        expected = times(n, expected, y->sizes[d]);
    }
    if (sym_is_none(expected)) expected = y->sizes[1];
    return is(n, y->sizes[0], 1) || sym_same(y->strides[0], expected);
}

/* A table of pointers to input pixels, and zeros. */
static sym_expr indirect_bytes(const needing *n, const geometry *g)
{
    sym_expr rows = over(n, RT_CONV_TABLE_ENTRIES, g->taps);
    rows = most(n, least(n, rows, RT_CONV_TILES * RT_MOST_ROWS), RT_MOST_ROWS);
    rows = sym_min(n->t, rows, g->out_pixels);
    sym_expr table = bytes(n, times(n, rows, g->taps), POINTER);
    return sym_add(n->t, sym_add_int(n->t, table, RT_STATE_BYTES), bytes(n, g->in_each, FLOAT));
}

/* Of `count` output positions along an axis: the input positions under them. */
static sym_expr reach(const needing *n, const geometry *g, uint32_t axis, sym_expr count)
{
    sym_expr steps = times(n, sym_add_int(n->t, count, -1), g->stride[axis]),
             window = times(n, sym_add_int(n->t, g->kernel[axis], -1), g->dilation[axis]);
    return sym_add_int(n->t, sym_add(n->t, steps, window), 1);
}

/* Rows of the input under some rows of the output, and a table of pointers into them. */
static sym_expr band_bytes(const needing *n, const geometry *g)
{
    sym_expr width = reach(n, g, 2, g->out[2]);
    sym_expr row[] = {g->kernel[0], g->stride[1], width, g->in_each},
             few = sym_ceildiv(n->t, number(n, RT_CONV_BAND_FEW), most(n, g->out[2], 1));
    sym_expr fit = over(n, RT_CONV_BAND_BYTES, bytes(n, sym_product(n->t, row, 4), FLOAT));
    fit = sym_min(n->t, sym_max(n->t, fit, few), over(n, RT_CONV_BAND_PIXELS, g->out[2]));
    sym_expr strip = most(n, sym_min(n->t, fit, g->out[1]), 1);
    sym_expr factors[] = {g->kernel[0], reach(n, g, 1, strip), width, g->in_each};
    sym_expr band = bytes(n, sym_product(n->t, factors, 4), FLOAT);
    bool whole_rows = is(n, g->dilation[2], 1);
    sym_expr taps = whole_rows ? times(n, g->kernel[0], g->kernel[1]) : g->taps;
    sym_expr table = times(n, times(n, strip, g->out[2]), taps);
    return sym_add(n->t, lines(n, band), bytes(n, table, POINTER));
}

static bool is_depthwise(const needing *n, const geometry *g)
{
    return sym_same(g->groups, g->in_channels) && sym_same(g->groups, g->out_channels) &&
           !may_be(n, g->groups, 0, 1);
}

static void need_conv_weights(needing *n, const geometry *g)
{
    if (is_packed(n, 1)) return;
    if (is_depthwise(n, g)) {
        share(n, panels(n, g->out_channels, g->taps));
        return;
    }
    sym_expr group = panels(n, g->out_each, times(n, g->taps, g->in_each));
    sym_expr all = times(n, g->groups, group);
    /* depthwise at some sizes only */
    if (!sym_is_int(n->t, g->groups, NULL) || !sym_is_int(n->t, g->in_channels, NULL))
        all = sym_max(n->t, all, panels(n, g->out_channels, g->taps));
    share(n, all);
}

static void need_conv(needing *n)
{
    const loop_view *x = &n->op->inputs[0], *y = &n->op->outputs[0];
    if (!has(n, 2, 3, 4) || x->rank > 5 || y->rank != x->rank || n->op->inputs[1].rank != x->rank ||
        !has(n, 2, 3, 4 + 3 * (x->rank - 2)))
        return;
    if (!is(n, int_of(n, 2), 0)) {
        need_transposed(n);
        return;
    }
    geometry g = geometry_of(n);
    need_conv_weights(n, &g);
    if (!has_pixel_order(n, y)) share(n, bytes(n, times(n, g.out_pixels, g.out_channels), FLOAT));
    bool depthwise = is_depthwise(n, &g);
    bool in_bands = !depthwise && may_be(n, g.in_each, 0, RT_CONV_BAND_CHANNELS - 1);
    bool beyond = depthwise || may_be(n, g.in_each, RT_CONV_BAND_CHANNELS, INT64_MAX);
    if (beyond && !is(n, x->strides[1], 1) && !is(n, x->sizes[1], 1))
        share(n, bytes(n, times(n, g.batch, times(n, g.in_pixels, g.in_channels)), FLOAT));
    sym_expr each = number(n, 0);
    if (in_bands) each = band_bytes(n, &g);
    if (beyond && !depthwise) each = sym_max(n->t, each, indirect_bytes(n, &g));
    give_each(n, each);
}

/* ---- attention ---- */

static void need_sdpa(needing *n)
{
    const loop_view *q = &n->op->inputs[0], *k = &n->op->inputs[1], *v = &n->op->inputs[2];
    if (!has(n, 3, 4, 0)) return;
    sym_expr rows = least(n, q->sizes[2], RT_SDPA_TILES * RT_MOST_ROWS), keys = k->sizes[2],
             width = up_to(n, v->sizes[3], RT_PANEL), padded = up_to(n, keys, RT_PANEL);
    sym_expr block = least(n, up_to(n, most(n, keys, 1), RT_PANEL), RT_SDPA_KEYS);
    int64_t queries;
    bool few = sym_is_int(n->t, q->sizes[2], &queries) && queries <= RT_SDPA_FEW_QUERIES;
    bool may_be_few = may_be(n, q->sizes[2], 0, RT_SDPA_FEW_QUERIES);
    give_each(n, number(n, RT_STATE_BYTES));
    if (!few) {
        give_each(n, bytes(n, times(n, padded, q->sizes[3]), FLOAT));
        give_each(n, bytes(n, times(n, padded, width), FLOAT));
    }
    if (may_be_few || !is(n, q->strides[3], 1))
        give_each(n, bytes(n, times(n, rows, q->sizes[3]), FLOAT));
    give_each(n, bytes(n, times(n, rows, block), FLOAT));
    give_each(n, bytes(n, times(n, rows, width), FLOAT));
    give_each(n, bytes(n, rows, 2 * FLOAT));
    give_each(n, bytes(n, rows, POINTER));
}

/* ---- the order of rows ---- */

/* The elements of the input along its dimension, and how many rows of them there are. */
static sym_expr row_length(const needing *n, sym_expr *rows)
{
    const loop_view *x = &n->op->inputs[0];
    int64_t dim = 0;
    *rows = number(n, 1);
    if (!has(n, 1, 1, 1) || !sym_is_int(n->t, int_of(n, 0), &dim) || dim < 0 ||
        dim >= (int64_t)x->rank)
        return number(n, 0);
    for (uint32_t d = 0; d < x->rank; d++)
        if (d != (uint32_t)dim) *rows = times(n, *rows, x->sizes[d]);
    return x->sizes[dim];
}

/* Items of a row that is no longer than 2^32, and as much room again. */
static sym_expr items_bytes(const needing *n, sym_expr room)
{
    int64_t words = ty_dtype_size(n->op->inputs[0].dtype) <= 4 ? 1 : 2;
    return bytes(n, room, 2 * NUMBER * words);
}

/* A single row has what threads share, others the areas of theirs. */
static void need_items(needing *n, sym_expr rows, sym_expr size)
{
    if (may_be(n, rows, 1, 1)) share(n, size);
    if (!is(n, rows, 1)) give_each(n, size);
}

static void need_sort(needing *n)
{
    sym_expr rows, length = row_length(n, &rows);
    need_items(n, rows, items_bytes(n, length));
    if (may_be(n, length, RT_LONG_ROW, INT64_MAX)) give_each(n, number(n, RT_SORT_COUNTS));
}

static void need_mode(needing *n)
{
    sym_expr rows, length = row_length(n, &rows);
    need_items(n, rows, items_bytes(n, length));
}

static void need_select(needing *n)
{
    sym_expr rows, length = row_length(n, &rows);
    need_items(n, rows,
               sym_add_int(n->t, items_bytes(n, length), (int64_t)NUMBER << RT_SELECT_BITS));
}

static void need_topk(needing *n)
{
    if (!has(n, 1, 1, 3)) return;
    sym_expr rows, length = row_length(n, &rows), wanted = bytes(n, int_of(n, 2), 2);
    sym_expr room = sym_min(n->t, sym_add_int(n->t, wanted, RT_TOPK_MORE + RT_KEY_BLOCK), length);
    sym_expr size = items_bytes(n, room);
    bool may_be_long = may_be(n, length, RT_LONG_ROW, INT64_MAX);
    if (may_be(n, rows, 1, 1)) share(n, size);
    if (!is(n, rows, 1) || may_be_long) give_each(n, size);
}

/* ---- others ---- */

static void need_unique(needing *n)
{
    if (!has(n, 1, 1, 0)) return;
    sym_expr count = n->op->inputs[0].sizes[0];
    share(n, bytes(n, sym_add_int(n->t, bytes(n, count, RT_UNIQUE_NUMBERS), 1), NUMBER));
}

static void need_triangular_solve(needing *n)
{
    const loop_view *a = &n->op->inputs[0];
    if (!has(n, 1, 2, 0)) return;
    sym_expr size = times(n, a->sizes[a->rank - 2], a->sizes[a->rank - 1]);
    give_each(n, bytes(n, size, ty_dtype_size(a->dtype)));
}

/* In double: five matrices. */
static void need_matrix_exp(needing *n)
{
    const loop_view *a = &n->op->inputs[0];
    if (!has(n, 1, 2, 0)) return;
    sym_expr size = times(n, a->sizes[a->rank - 2], a->sizes[a->rank - 1]);
    sym_expr matrix = lines(n, bytes(n, size, ty_is_complex(a->dtype) ? 16 : 8));
    give_each(n, bytes(n, matrix, 5));
}

/* Rows are grouped, and lengths taken apart, as the instruction set wants it. */
static void need_fourier(needing *n)
{
    bool has_window = n->op->input_count > 1 && n->op->inputs[1].buffer != LOOP_NO_BUFFER;
    if (has_window && n->op->int_count > 2) share(n, bytes(n, int_of(n, 2), NUMBER));
    n->out.is_open = true;
}

/* What a library decides. */
static void need_unknown(needing *n)
{
    n->out.is_open = true;
}

static void need_nothing(needing *n)
{
    (void)n;
}

/* ---- the table ---- */

typedef struct need_row {
    const char *name;
    void (*state)(needing *n);
} need_row;

static const need_row rows[] = {
#define EXTERN(name, inputs, outputs, need, help) {name, need_##need},
#include "loop/extern.def"
#undef EXTERN
#undef EXTERN_LAPACK
};

loop_need loop_need_of(const loop_program *p, const loop_op *op)
{
    needing n = {.p = p, .t = p->symbols, .op = op};
    n.out.shared = n.out.each = sym_int(n.t, 0);
    for (size_t k = 0; k < COUNT_OF(rows) && op->kind == LOOP_EXTERN; k++)
        if (strcmp(rows[k].name, op->kernel) == 0) rows[k].state(&n);
    return n.out;
}

/* ---- as an operand ---- */

uint32_t loop_result_count(const loop_program *p, const loop_op *op)
{
    return loop_work_of(p, op) ? op->output_count - 1 : op->output_count;
}

const loop_view *loop_work_of(const loop_program *p, const loop_op *op)
{
    if (op->kind != LOOP_EXTERN || op->output_count == 0) return NULL;
    const loop_view *last = &op->outputs[op->output_count - 1];
    return last->buffer != LOOP_NO_BUFFER && p->buffers.at[last->buffer].is_work ? last : NULL;
}

void loop_add_work(loop_program *p, loop_op *op, loop_buffer_id work)
{
    loop_view *outputs = NEW_ARRAY(p->memory, loop_view, op->output_count + 1);
    for (uint32_t k = 0; k < op->output_count; k++) outputs[k] = op->outputs[k];
    p->buffers.at[work].is_work = true;
    outputs[op->output_count++] = loop_view_of(p, work);
    op->outputs = outputs;
}

/* One buffer for each operator that works in memory that its threads share. */
void loop_add_works(loop_program *p)
{
    for (uint32_t k = 0; k < p->ops.count; k++) {
        const loop_op *op = &p->ops.at[k];
        if (op->kind != LOOP_EXTERN || op->callee || loop_work_of(p, op)) continue;
        sym_expr size = loop_need_of(p, op).shared;
        int64_t known;
        if (sym_is_int(p->symbols, size, &known) && known <= 0) continue;
        sym_expr *shape = NEW_ARRAY(p->memory, sym_expr, 2);
        shape[0] = size;
        shape[1] = sym_int(p->symbols, 1);
        loop_buffer work = {.kind = LOOP_TEMP,
                            .dtype = TY_U8,
                            .device = {TY_CPU, -1},
                            .rank = 1,
                            .sizes = &shape[0],
                            .strides = &shape[1],
                            .elements = size,
                            .origin = op->origin};
        loop_add_work(p, &p->ops.at[k], loop_add_buffer(p, work));
    }
}

const char *loop_work_fault(const loop_program *p, const loop_op *op)
{
    const loop_view *work = loop_work_of(p, op);
    sym_expr stated = loop_need_of(p, op).shared;
    int64_t bytes = 0;
    if (op->callee && work) return "a function of the user's states no working memory";
    if (!work) return NULL;
    const loop_buffer *b = &p->buffers.at[work->buffer];
    if (b->kind != LOOP_TEMP || b->dtype != TY_U8 || b->part)
        return "working memory is a buffer of bytes, and all of it";
    if (sym_is_int(p->symbols, stated, &bytes) && bytes <= 0) return "it works in no memory";
    return sym_known_equal(p->symbols, stated, b->elements)
               ? NULL
               : "its working memory is not as large as the operator states";
}
