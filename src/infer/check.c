/* check.c -- what arguments have to be where a form of sizes (contract.c) cannot say it: places along a
 * dimension, parts of a tensor, square matrices, weights of layers.
 */
#include "infer/infer_priv.h"

#include <string.h>

static const char *written(infer_call *c, sym_expr e)
{
    text out;
    text_init(&out, c->memory);
    sym_print(c->symbols, e, &out);
    return out.at;
}

static sym_expr size_of(infer_call *c, const ty_tensor *x, uint32_t dim)
{
    return x->rank ? x->sizes[dim] : infer_number(c, 1);
}

static uint32_t counted_rank(const ty_tensor *x)
{
    return x->rank ? x->rank : 1;
}

/* ---- places along a dimension ---- */

/* As many dimensions, none longer but that one (NONE: none at all). */
enum { NO_DIM = UINT32_MAX };
static void fits_within(infer_call *c, const ty_tensor *index, const ty_tensor *x, const char *name,
                        uint32_t but)
{
    if (infer_is(c, ty_numel(c->symbols, index), 0)) return;
    if (counted_rank(index) != counted_rank(x)) {
        infer_fail(c,
                   "Index tensor must have the same number of dimensions as %s tensor: %s and %s",
                   name, infer_shape(c, index), infer_shape(c, x));
        return;
    }
    for (uint32_t d = 0; d < counted_rank(x); d++)
        if (d != but)
            (void)INFER_REQUIRE(
                c, SYM_LE, size_of(c, index, d), size_of(c, x, d),
                "Size does not match at dimension %u expected index %s to be no larger than "
                "%s %s apart from dimension %u",
                d, infer_shape(c, index), name, infer_shape(c, x), but);
}

static void check_gather(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *index = infer_tensor(c, "index");
    if (!x || !index) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    bool empty = infer_is(c, ty_numel(c->symbols, index), 0);
    if (!empty && index->dtype != TY_I64 && index->dtype != TY_I32)
        infer_fail(c, "%s(): Expected dtype int32/int64 for index, but it is %s", c->op->base,
                   infer_shape(c, index));
    fits_within(c, index, x, "self", dim);
}

static void check_scatter(infer_call *c)
{
    const ty_tensor *index = infer_tensor(c, "index"), *source = infer_tensor(c, "src");
    check_gather(c);
    if (index && source && c->status == FE_OK) fits_within(c, index, source, "src", NO_DIM);
}

/* index_add and its kin: the source has the sizes of self, but along the dimension those of the index. */
static void check_rows(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *index = infer_tensor(c, "index");
    const ty_tensor *source = infer_tensor(c, "source");
    if (!x || !index || !source) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    if (index->rank > 1)
        infer_fail(c, "Index is supposed to be 1-dimensional or a number, but is %s",
                   infer_shape(c, index));
    if (counted_rank(x) != counted_rank(source) && source->rank)
        infer_fail(c, "self %s and source %s must have the same number of dimensions",
                   infer_shape(c, x), infer_shape(c, source));
    if (c->status != FE_OK) return;
    sym_expr count = ty_numel(c->symbols, index);
    (void)INFER_REQUIRE_EQUAL(c, count, size_of(c, source, source->rank ? dim : 0),
                              "Number of indices (%s) should be equal to source.size(dim): %s",
                              written(c, count), infer_shape(c, source));
    for (uint32_t d = 0; d < x->rank && source->rank; d++)
        if (d != dim)
            (void)INFER_REQUIRE_EQUAL(
                c, source->sizes[d], x->sizes[d],
                "Source/destination tensor must have same slice shapes: %s and %s at dimension %u",
                infer_shape(c, x), infer_shape(c, source), d);
}

static void check_index(infer_call *c)
{
    const ty_tensor *index = infer_tensor(c, "index");
    if (index && index->rank > 1)
        infer_fail(c, "Index is supposed to be a vector, but is %s", infer_shape(c, index));
}

/* put: one element of the source for each index. */
static void check_put(infer_call *c)
{
    const ty_tensor *index = infer_tensor(c, "index"), *source = infer_tensor(c, "source");
    if (!index || !source) return;
    (void)INFER_REQUIRE_EQUAL(c, ty_numel(c->symbols, index), ty_numel(c->symbols, source),
                              "put_(): Expected source and index to have the same number of "
                              "elements, but they are %s and %s",
                              infer_shape(c, source), infer_shape(c, index));
}

/* ---- parts of a tensor ---- */

/* The source is sized as the part of self that it takes the place of. */
static void check_part(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *source = infer_tensor(c, "src"), *shown = NULL;
    const char *base = c->op->base;
    if (!x || !source) return;
    if (!strcmp(base, "slice_scatter")) {
        shown = infer_slice(c, x);
    } else if (!strcmp(base, "select_scatter")) {
        shown = infer_select(c, x, infer_dim(c, "dim", x->rank), infer_expr(c, "index", 0));
    } else if (!strcmp(base, "diagonal_scatter")) {
        uint32_t a = infer_dim(c, "dim1", x->rank), b = infer_dim(c, "dim2", x->rank);
        shown = infer_diagonal(c, x, infer_int(c, "offset", 0), a, b);
    }
    if (!shown || c->status != FE_OK) return;
    if (shown->rank != source->rank)
        infer_fail(c,
                   "expected src to have a size equal to the slice of self. src is %s, slice is %s",
                   infer_shape(c, source), infer_shape(c, shown));
    for (uint32_t d = 0; d < shown->rank && c->status == FE_OK; d++)
        (void)INFER_REQUIRE_EQUAL(
            c, source->sizes[d], shown->sizes[d],
            "expected src to have a size equal to the slice of self. src is %s, slice is %s",
            infer_shape(c, source), infer_shape(c, shown));
}

/* ---- numbers out of tensors ---- */

static void check_element(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (x)
        (void)INFER_REQUIRE_EQUAL(c, ty_numel(c->symbols, x), infer_number(c, 1),
                                  "a Tensor with %s elements cannot be converted to Scalar",
                                  written(c, ty_numel(c->symbols, x)));
}

/* ---- matrices ---- */

static void check_square(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "A");
    if (!x) x = infer_tensor(c, "self");
    if (!x) return;
    if (x->rank < 2)
        infer_fail(c, "The input tensor A must have at least 2 dimensions, but is %s",
                   infer_shape(c, x));
    if (c->status != FE_OK) return;
    (void)INFER_REQUIRE_EQUAL(c, x->sizes[x->rank - 1], x->sizes[x->rank - 2],
                              "A must be batches of square matrices, but they are %s",
                              infer_shape(c, x));
}

/* ---- layers ---- */

/* Weights of one layer and direction stand one after the other: [gates * hidden, in],
 * [gates * hidden, hidden], and two biases. */
static void check_recurrent(infer_call *c)
{
    enum { MOST = 1024 };
    ty_tensor *weights[MOST], *states[2] = {infer_tensor(c, "hx"), NULL};
    sym_table *t = c->symbols;
    const ty_tensor *x = infer_tensor(c, "input");
    if (!x) x = infer_tensor(c, "data");
    if (!states[0]) infer_list(c, "hx", states, 2);
    uint32_t count = infer_list(c, "params", weights, MOST);
    int64_t gates = strstr(c->op->base, "lstm") ? 4 : strstr(c->op->base, "gru") ? 3 : 1;
    int64_t directions = infer_flag(c, "bidirectional", false) ? 2 : 1;
    int64_t layers = infer_int(c, "num_layers", 1);
    bool packed = op_param_index(c->op, "batch_sizes") >= 0;
    bool has_biases = infer_flag(c, "has_biases", true);
    bool is_lstm = gates == 4;
    if (!x || !states[0] || c->status != FE_OK) return;
    if (x->rank != (packed ? 2u : 3u) || (is_lstm && !states[1]))
        infer_fail(c, "a recurrent network over %s", infer_shape(c, x));
    for (uint32_t k = 0; k < 2 && c->status == FE_OK; k++)
        if (states[k] && states[k]->rank != 3)
            infer_fail(c, "hx is %s, which has not three dimensions", infer_shape(c, states[k]));
    if (c->status != FE_OK) return;
    sym_expr hidden = states[0]->sizes[2], rows = sym_mul_int(t, hidden, gates);
    sym_expr batch =
        packed ? states[0]->sizes[1] : x->sizes[infer_flag(c, "batch_first", false) ? 0 : 1];
    /* An LSTM with projections has a fifth weight, and outputs that are narrower than its cells. */
    int64_t each = has_biases ? 4 : 2;
    bool projects = is_lstm && layers * directions * (each + 1) == (int64_t)count;
    if (layers < 1 || (!projects && layers * directions * each != (int64_t)count)) {
        infer_fail(c, "%u weights for %lld layers in %lld directions", count, (long long)layers,
                   (long long)directions);
        return;
    }
    for (uint32_t k = 0; k < 2; k++)
        if (states[k]) {
            (void)INFER_REQUIRE_EQUAL(c, states[k]->sizes[0], infer_number(c, layers * directions),
                                      "Expected hidden size (%lld, ..), got %s",
                                      (long long)(layers * directions), infer_shape(c, states[k]));
            (void)INFER_REQUIRE_EQUAL(c, states[k]->sizes[1], batch,
                                      "Expected a hidden state for each of %s, got %s",
                                      written(c, batch), infer_shape(c, states[k]));
        }
    if (projects) return;
    for (uint32_t i = 0; i < count && c->status == FE_OK; i++) {
        const ty_tensor *w = weights[i];
        int64_t layer = i / each / directions, kind = i % each;
        sym_expr in = kind == 1 ? hidden
                      : layer   ? sym_mul_int(t, hidden, directions)
                                : x->sizes[x->rank - 1];
        if (!w || w->rank != (kind < 2 ? 2u : 1u)) {
            infer_fail(c, "weight %u is %s", i, infer_shape(c, w));
            return;
        }
        (void)INFER_REQUIRE_EQUAL(c, w->sizes[0], rows, "weight %u is %s, its rows have to be %s",
                                  i, infer_shape(c, w), written(c, rows));
        if (kind < 2)
            (void)INFER_REQUIRE_EQUAL(c, w->sizes[1], in,
                                      "weight %u is %s, its columns have to be %s", i,
                                      infer_shape(c, w), written(c, in));
        if (w->dtype != x->dtype)
            infer_fail(c, "weight %u is %s, the input %s: expected the same dtype", i,
                       infer_shape(c, w), infer_shape(c, x));
    }
}

static const struct {
    const char *name;
    void (*check)(infer_call *c);
} CHECKS[] = {
    {"gather", check_gather},   {"scatter", check_scatter},
    {"rows", check_rows},       {"index", check_index},
    {"put", check_put},         {"part", check_part},
    {"square", check_square},   {"recurrent", check_recurrent},
    {"element", check_element},
};

void infer_check(infer_call *c, const char *name)
{
    for (size_t i = 0; i < COUNT_OF(CHECKS); i++)
        if (strcmp(CHECKS[i].name, name) == 0) {
            CHECKS[i].check(c);
            return;
        }
    BUG(c->graph->session, "no check is called %s", name);
}
