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
static const uint32_t NO_DIM = UINT32_MAX;
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

static void check_select(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x || !infer_arg(c, "index")) return;
    if (x->rank == 0) infer_fail(c, "select() cannot be applied to a 0-dim tensor.");
    uint32_t dim = infer_dim(c, "dim", x->rank);
    sym_expr index = infer_expr(c, "index", 0);
    if (c->status != FE_OK || infer_has_unbacked(c, 1, &index))
        return; /* the run checks what it reads */
    sym_expr size = x->sizes[dim], least = sym_mul_int(c->symbols, size, -1);
    if (INFER_REQUIRE(c, SYM_LT, index, size,
                      "select(): index %s out of range for tensor of size %s at dimension %u",
                      written(c, index), infer_shape(c, x), dim))
        (void)INFER_REQUIRE(c, SYM_LE, least, index,
                            "select(): index %s out of range for tensor of size %s at dimension %u",
                            written(c, index), infer_shape(c, x), dim);
}

static void check_narrow(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x || infer_tensor(c, "start")) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    sym_expr start = infer_expr(c, "start", 0), size = size_of(c, x, dim);
    if (c->status != FE_OK || infer_has_unbacked(c, 1, &start)) return;
    if (INFER_REQUIRE(c, SYM_LE, start, size, "start out of range for %s: %s", infer_shape(c, x),
                      written(c, start)))
        (void)INFER_REQUIRE(c, SYM_LE, sym_mul_int(c->symbols, size, -1), start,
                            "start out of range for %s: %s", infer_shape(c, x), written(c, start));
}

/* As many shifts as dimensions, or one over all elements. */
static void check_roll(infer_call *c)
{
    sym_expr numbers[TY_MAX_RANK];
    const fx_arg *shifts = infer_arg(c, "shifts"), *dims = infer_arg(c, "dims");
    int by = shifts ? fx_arg_ints(c->graph, shifts, numbers, TY_MAX_RANK) : 0;
    int along = dims ? fx_arg_ints(c->graph, dims, numbers, TY_MAX_RANK) : 0;
    if (by < 1 || (by != along && !(along == 0 && by == 1)))
        infer_fail(c, "shifts and dimensions must align. shifts: %d, dims:%d", by, along);
}

static void must_divide(infer_call *c, sym_expr size, sym_expr by, const char *says)
{
    (void)INFER_REQUIRE_EQUAL(c, sym_mod(c->symbols, size, by), infer_number(c, 0), "%s. Got %s",
                              says, written(c, size));
}

static void check_shuffle(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (x)
        must_divide(c, x->sizes[1], infer_expr(c, "groups", 1),
                    "Number of channels must be divisible by groups");
}

static void check_halves(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (x && x->rank)
        must_divide(c, x->sizes[infer_dim(c, "dim", x->rank)], infer_number(c, 2),
                    "Halving dimension must be even");
}

/* The extreme of nothing is none. */
static void check_reducible(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x || x->rank == 0) return;
    uint64_t dims = infer_dim_set(c, "dim", x->rank);
    for (uint32_t d = 0; d < x->rank && c->status == FE_OK; d++)
        if (dims >> d & 1)
            (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), x->sizes[d],
                                "%s(): Expected reduction dim %u to have non-zero size",
                                c->op->base, d);
}

/* One slope, or one for each channel. */
static void check_slopes(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *weight = infer_tensor(c, "weight");
    if (!x || !weight) return;
    sym_expr count = ty_numel(c->symbols, weight);
    if (weight->rank > 1)
        infer_fail(c, "prelu: Expected `weight` to be a scalar or 1D tensor, but got %s",
                   infer_shape(c, weight));
    if (c->status != FE_OK || infer_is(c, count, 1)) return;
    sym_expr channels = x->rank > 1 ? x->sizes[1] : infer_number(c, 1);
    (void)INFER_REQUIRE_EQUAL(
        c, count, channels,
        "Mismatch of parameter numbers and input channel size. Found parameter numbers = %s "
        "and channel size = %s",
        written(c, count), written(c, channels));
}

static void check_repeats(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *repeats = infer_tensor(c, "repeats");
    if (!x || !repeats || repeats->rank == 0 || infer_is(c, ty_numel(c->symbols, repeats), 1))
        return;
    bool flat = !infer_arg(c, "dim");
    sym_expr size = flat ? ty_numel(c->symbols, x) : size_of(c, x, infer_dim(c, "dim", x->rank));
    if (repeats->rank != 1) infer_fail(c, "repeats must be 0-dim or 1-dim tensor");
    if (c->status == FE_OK)
        (void)INFER_REQUIRE_EQUAL(
            c, repeats->sizes[0], size,
            "repeats must have the same size as input along dim, but got %s and %s",
            infer_shape(c, repeats), infer_shape(c, x));
}

/* One sequence for all, or one for each row. */
static void check_sorted(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *sorted = infer_tensor(c, "sorted_sequence");
    if (!x || !sorted || sorted->rank == 1) return;
    if (x->rank != sorted->rank)
        infer_fail(c,
                   "boundaries tensor should be 1 dimension or the first N-1 dimensions of "
                   "boundaries tensor "
                   "and input value tensor must match, but we got %s and %s",
                   infer_shape(c, sorted), infer_shape(c, x));
    for (uint32_t d = 0; c->status == FE_OK && d + 1 < x->rank; d++)
        (void)INFER_REQUIRE_EQUAL(
            c, x->sizes[d], sorted->sizes[d],
            "the first N-1 dimensions of boundaries tensor and input value tensor must match, "
            "but we got %s and %s",
            infer_shape(c, sorted), infer_shape(c, x));
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

static void check_cross(infer_call *c)
{
    const ty_tensor *a = infer_tensor(c, "self"), *b = infer_tensor(c, "other");
    if (!a || !b) return;
    if (a->rank != b->rank || a->rank == 0)
        infer_fail(c, "inputs must have the same number of dimensions: %s and %s",
                   infer_shape(c, a), infer_shape(c, b));
    if (c->status != FE_OK || !infer_arg(c, "dim")) return;
    uint32_t dim = infer_dim(c, "dim", a->rank);
    (void)INFER_REQUIRE_EQUAL(c, a->sizes[dim], infer_number(c, 3),
                              "inputs dimension %u must have length 3: %s", dim, infer_shape(c, a));
    (void)INFER_REQUIRE_EQUAL(c, b->sizes[dim], infer_number(c, 3),
                              "inputs dimension %u must have length 3: %s", dim, infer_shape(c, b));
}

static void check_inner(infer_call *c)
{
    const ty_tensor *a = infer_tensor(c, "self"), *b = infer_tensor(c, "other");
    if (!a || !b || !a->rank || !b->rank) return;
    (void)INFER_REQUIRE_EQUAL(
        c, a->sizes[a->rank - 1], b->sizes[b->rank - 1],
        "inner() the last dimension must match on both input tensors but got shapes %s and %s",
        infer_shape(c, a), infer_shape(c, b));
}

/* ---- losses ---- */

/* A class for each row of [n, c, ...] or for [c]; or, as large as those, probabilities. */
static void check_classes(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *target = infer_tensor(c, "target");
    const ty_tensor *gradient = infer_tensor(c, "grad_output"), *weight = infer_tensor(c, "weight");
    if (!x || !target || !x->rank) return;
    bool probabilities = !strcmp(c->op->base, "cross_entropy_loss") && target->rank == x->rank &&
                         ty_is_floating(target->dtype);
    uint32_t classes = x->rank == 1 ? 0 : 1, from = 0;
    uint32_t wanted = probabilities ? x->rank : x->rank - 1;
    if (x->rank == 1 && target->rank == 1 && !probabilities) {
        (void)INFER_REQUIRE_EQUAL(c, target->sizes[0], infer_number(c, 1),
                                  "expected one target, got %s", infer_shape(c, target));
    } else if (target->rank != wanted) {
        infer_fail(c, "Expected target of %u dimensions for input %s, got %s", wanted,
                   infer_shape(c, x), infer_shape(c, target));
    } else {
        for (uint32_t d = 0; d < x->rank && c->status == FE_OK; d++) {
            if (d == classes && !probabilities) continue;
            (void)INFER_REQUIRE_EQUAL(
                c, x->sizes[d], target->sizes[from],
                "Expected input batch_size to match target batch_size: %s and %s",
                infer_shape(c, x), infer_shape(c, target));
            from++;
        }
    }
    if (!probabilities && target->dtype != TY_I64 && target->dtype != TY_U8)
        infer_fail(c, "expected scalar type Long but target is %s", infer_shape(c, target));
    if (weight && (weight->rank != 1 || weight->dtype != x->dtype))
        infer_fail(
            c, "weight tensor should be defined either for all classes or no classes but got %s",
            infer_shape(c, weight));
    if (weight && c->status == FE_OK)
        (void)INFER_REQUIRE_EQUAL(c, weight->sizes[0], x->sizes[classes],
                                  "weight tensor should be defined for all classes of %s but is %s",
                                  infer_shape(c, x), infer_shape(c, weight));
    if (!gradient || c->status != FE_OK) return;
    bool none = infer_int(c, "reduction", 1) == 0 && x->rank > 1;
    if (gradient->rank != (none ? target->rank : 0))
        infer_fail(c, "the gradient of the loss is %s", infer_shape(c, gradient));
    for (uint32_t d = 0; none && d < target->rank && c->status == FE_OK; d++)
        (void)INFER_REQUIRE_EQUAL(c, gradient->sizes[d], target->sizes[d],
                                  "size mismatch (got grad_output: %s target: %s)",
                                  infer_shape(c, gradient), infer_shape(c, target));
}

/* ---- derivatives of padding ---- */

static void check_padded(infer_call *c)
{
    sym_expr pad[6];
    const ty_tensor *x = infer_tensor(c, "self"), *gradient = infer_tensor(c, "grad_output");
    const fx_arg *list = infer_arg(c, "padding");
    int count = list ? fx_arg_ints(c->graph, list, pad, 6) : 0;
    uint32_t spatial = strstr(c->op->base, "3d") ? 3 : strstr(c->op->base, "2d") ? 2 : 1;
    if (!x) return;
    if (count != (int)spatial * 2 || x->rank < spatial + 1 || x->rank > spatial + 2 ||
        (gradient && gradient->rank != x->rank)) {
        infer_fail(c, "padding size is expected to be %u: %d paddings of %s", spatial * 2, count,
                   infer_shape(c, x));
        return;
    }
    bool reflects = strstr(c->op->base, "reflection") != NULL;
    for (uint32_t d = 0; d < x->rank && c->status == FE_OK; d++) {
        uint32_t from_end = x->rank - 1 - d;
        sym_expr size = x->sizes[d];
        for (uint32_t k = 0; from_end < spatial && k < 2; k++) {
            sym_expr by = pad[2 * from_end + k];
            if (reflects)
                (void)INFER_REQUIRE(
                    c, SYM_LT, by, x->sizes[d],
                    "Padding size should be less than the corresponding input dimension, "
                    "but got %s at dimension %u of input %s",
                    written(c, by), d, infer_shape(c, x));
            size = sym_add(c->symbols, size, by);
        }
        if (from_end < spatial)
            (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), size,
                                "input %s is too small. Calculated output size: %s",
                                infer_shape(c, x), written(c, size));
        if (gradient)
            (void)INFER_REQUIRE_EQUAL(c, gradient->sizes[d], size,
                                      "grad_output is %s where dimension %u has to be %s",
                                      infer_shape(c, gradient), d, written(c, size));
    }
}

/* ---- groups ---- */

static void check_groups(infer_call *c)
{
    sym_table *t = c->symbols;
    const ty_tensor *x = infer_tensor(c, "input");
    sym_expr n = infer_expr(c, "N", 1), channels = infer_expr(c, "C", 1),
             rest = infer_expr(c, "HxW", 1);
    if (!x || c->status != FE_OK) return;
    (void)INFER_REQUIRE_EQUAL(c, ty_numel(t, x), sym_mul(t, sym_mul(t, n, channels), rest),
                              "Expected X.numel() == N * C * HxW to be true, but X is %s",
                              infer_shape(c, x));
    if (x->rank >= 2)
        (void)INFER_REQUIRE_EQUAL(c, x->sizes[1], channels, "input is %s and C %s",
                                  infer_shape(c, x), written(c, channels));
    (void)INFER_REQUIRE_EQUAL(c, sym_mod(t, channels, infer_expr(c, "group", 1)),
                              infer_number(c, 0),
                              "Expected number of channels in input to be divisible by num_groups");
}

static void check_triangular(infer_call *c)
{
    const ty_tensor *a = infer_tensor(c, "self"), *b = infer_tensor(c, "B");
    if (!a || !b || a->rank < 2 || b->rank < 2) return;
    sym_expr size = b->sizes[b->rank - (infer_flag(c, "left", true) ? 2 : 1)];
    (void)INFER_REQUIRE_EQUAL(c, a->sizes[a->rank - 1], size,
                              "Incompatible shapes of A and B for the equation AX = B: %s and %s",
                              infer_shape(c, a), infer_shape(c, b));
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
    {"gather", check_gather},
    {"scatter", check_scatter},
    {"rows", check_rows},
    {"index", check_index},
    {"put", check_put},
    {"part", check_part},
    {"square", check_square},
    {"recurrent", check_recurrent},
    {"element", check_element},
    {"reducible", check_reducible},
    {"slopes", check_slopes},
    {"repeats", check_repeats},
    {"sorted", check_sorted},
    {"triangular", check_triangular},
    {"select", check_select},
    {"narrow", check_narrow},
    {"roll", check_roll},
    {"shuffle", check_shuffle},
    {"halves", check_halves},
    {"cross", check_cross},
    {"inner", check_inner},
    {"classes", check_classes},
    {"padded", check_padded},
    {"groups", check_groups},
    {"pool_gradient", infer_check_pool_gradient},
    {"index_put", infer_check_index_put},
    {"convolution_gradient", infer_check_convolution_gradient},
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
