/* check_image.c -- what operators on images, bags and batches ask of sizes beyond a form, paddings too. */
#include "infer/infer_priv.h"

#include <string.h>

/* A kernel is no larger than the image, paddings left out. */
void infer_check_kernel_within(infer_call *c)
{
    enum { SPATIAL = 3 };
    sym_expr kernel[SPATIAL];
    const ty_tensor *x = infer_tensor(c, "self");
    infer_sizes(c, "kernel_size", SPATIAL, kernel);
    for (uint32_t d = 0; x && x->rank >= SPATIAL && d < SPATIAL && c->status == FE_OK; d++)
        (void)INFER_REQUIRE(c, SYM_LE, kernel[d], x->sizes[x->rank - SPATIAL + d],
                            "input image %s smaller than kernel size %s", infer_shape(c, x),
                            infer_written(c, kernel[d]));
}

/* adaptive_avg_pool: one average is a mean, of anything; more are those of images, with something in them. */
void infer_check_averaged(infer_call *c)
{
    enum { SPATIAL = 3 };
    sym_expr sizes[SPATIAL];
    const ty_tensor *x = infer_tensor(c, "self");
    uint32_t spatial = infer_sizes(c, "output_size", 0, sizes);
    bool whole = true;
    for (uint32_t d = 0; d < spatial; d++) whole &= infer_is(c, sizes[d], 1);
    if (!x || whole || c->status != FE_OK) return;
    if (x->rank != spatial + 1 && x->rank != spatial + 2)
        infer_fail(c, "adaptive_avg_pool%ud(): Expected %uD or %uD tensor, but got %s", spatial,
                   spatial + 1, spatial + 2, infer_shape(c, x));
    for (uint32_t d = 1; d < x->rank && c->status == FE_OK; d++)
        (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), x->sizes[d],
                            "Expected input to have non-zero size for non-batch dimensions, but "
                            "input is %s",
                            infer_shape(c, x));
}

void infer_check_bags(infer_call *c)
{
    if (infer_tensor(c, "per_sample_weights") && infer_int(c, "mode", 0) != 0)
        infer_fail(c, "embedding_bag: per_sample_weights only supported with mode='sum'");
    const ty_tensor *bags = infer_tensor(c, "offset2bag"), *indices = infer_tensor(c, "indices");
    if (bags && indices && !infer_is(c, ty_numel(c->symbols, bags), 0))
        (void)INFER_REQUIRE_EQUAL(c, ty_numel(c->symbols, bags), ty_numel(c->symbols, indices),
                                  "offset2bag is %s, indices are %s", infer_shape(c, bags),
                                  infer_shape(c, indices));
}

/* A row that counts for nothing, which may be counted from the end. */
void infer_check_padding_row(infer_call *c)
{
    static const char WITHIN[] = "padding_idx must be within the number of embeddings: %s";
    const ty_tensor *weight = infer_tensor(c, "weight");
    if (!weight || !infer_arg(c, "padding_idx")) return;
    sym_expr padding = infer_expr(c, "padding_idx", 0), rows = weight->sizes[0];
    sym_expr least = sym_sub(c->symbols, infer_number(c, 0), rows);
    (void)INFER_REQUIRE(c, SYM_LE, least, padding, WITHIN, infer_shape(c, weight));
    (void)INFER_REQUIRE(c, SYM_LT, padding, rows, WITHIN, infer_shape(c, weight));
}

void infer_check_some_batch(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "input");
    if (x && x->rank)
        (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), x->sizes[0], "a batch of %s",
                            infer_shape(c, x));
}

/* constant_pad_nd: cuts from either end leave something, or nothing, of what there is. */
void infer_check_cut(infer_call *c)
{
    sym_expr pad[2 * TY_MAX_RANK], zero = infer_number(c, 0);
    sym_table *t = c->symbols;
    const ty_tensor *x = infer_tensor(c, "self");
    const fx_arg *list = infer_arg(c, "pad");
    int count = x && list ? fx_arg_ints(c->graph, list, pad, 2 * x->rank) : 0;
    for (int i = 0; i + 1 < count && c->status == FE_OK; i += 2) {
        sym_expr left = x->sizes[x->rank - 1 - (uint32_t)i / 2];
        for (int k = i; k < i + 2; k++) {
            left = sym_add(t, left, sym_min(t, pad[k], zero));
            (void)INFER_REQUIRE(c, SYM_LE, zero, left, "narrow(): length must be non-negative: %s",
                                infer_shape(c, x));
        }
    }
}

/* Dimensions that are not 1, from the last. */
static uint32_t squeezed(infer_call *c, const ty_tensor *x, uint32_t *dims)
{
    uint32_t count = 0;
    for (uint32_t d = x->rank; d-- > 0;)
        if (!infer_is(c, x->sizes[d], 1)) dims[count++] = x->rank - 1 - d;
    return count;
}

/* binary_cross_entropy_backward: PyTorch leaves dimensions of 1 out before it broadcasts. */
void infer_check_squeezed(infer_call *c)
{
    static const char *const NAMES[] = {"target", "grad_output"};
    uint32_t own[TY_MAX_RANK], dims[TY_MAX_RANK];
    const ty_tensor *x = infer_tensor(c, "self");
    uint32_t count = x ? squeezed(c, x, own) : 0;
    for (size_t i = 0; x && i < COUNT_OF(NAMES); i++) {
        const ty_tensor *y = infer_tensor(c, NAMES[i]);
        uint32_t kept = y ? squeezed(c, y, dims) : 0;
        bool fits = kept <= count;
        for (uint32_t k = 0; fits && k < kept; k++) fits = dims[k] == own[k];
        if (!fits)
            infer_fail(c, "%s is %s where self is %s", NAMES[i], infer_shape(c, y),
                       infer_shape(c, x));
    }
}

/* ---- padding and its derivatives ---- */

/* Borders of `spatial` dimensions that are filled from within; reflections reach less far than the size. */
static void need_padded(infer_call *c, const sym_expr *pad, uint32_t spatial, bool reflects)
{
    const ty_tensor *x = infer_tensor(c, "self"), *gradient = infer_tensor(c, "grad_output");
    sym_expr all = infer_number(c, 0);
    for (uint32_t d = 0; d < x->rank && c->status == FE_OK; d++) {
        uint32_t from_end = x->rank - 1 - d;
        sym_expr size = x->sizes[d];
        bool is_batch = d == 0 && x->rank == spatial + 2;
        if (!is_batch)
            (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), size,
                                "Expected a tensor with possibly 0 batch size and other non-zero "
                                "dimensions for input, but got: %s",
                                infer_shape(c, x));
        for (uint32_t k = 0; from_end < spatial && k < 2; k++) {
            sym_expr by = pad[2 * from_end + k];
            if (reflects)
                (void)INFER_REQUIRE(
                    c, SYM_LT, by, x->sizes[d],
                    "Padding size should be less than the corresponding input dimension, "
                    "but got %s at dimension %u of input %s",
                    infer_written(c, by), d, infer_shape(c, x));
            size = sym_add(c->symbols, size, by);
        }
        if (from_end < spatial)
            (void)INFER_REQUIRE(c, SYM_LE, infer_number(c, 0), size,
                                "input %s is too small. Calculated output size: %s",
                                infer_shape(c, x), infer_written(c, size));
        if (from_end < spatial) all = sym_add(c->symbols, all, size);
        if (gradient)
            (void)INFER_REQUIRE_EQUAL(c, gradient->sizes[d], size,
                                      "grad_output is %s where dimension %u has to be %s",
                                      infer_shape(c, gradient), d, infer_written(c, size));
    }
    (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, 0),
                        all, /* as PyTorch has it: not all of them 0 */
                        "input %s is too small. Calculated output size: 0", infer_shape(c, x));
}

static void check_borders(infer_call *c, const char *name, bool reflects)
{
    enum { MOST = 3 };
    sym_expr pad[2 * MOST];
    const ty_tensor *x = infer_tensor(c, "self"), *gradient = infer_tensor(c, "grad_output");
    const fx_arg *list = infer_arg(c, name);
    int count = list ? fx_arg_ints(c->graph, list, pad, 2 * MOST) : 0;
    uint32_t spatial = count > 0 ? (uint32_t)count / 2 : 0;
    if (!x || c->status != FE_OK) return;
    if (count <= 0 || count % 2 || spatial > MOST || x->rank < spatial + 1 ||
        x->rank > spatial + 2 || (gradient && gradient->rank != x->rank))
        infer_fail(c, "%d paddings of %s", count, infer_shape(c, x));
    else if (!reflects && !strcmp(infer_string(c, "mode", ""), "circular"))
        return; /* which is made of parts */
    else
        need_padded(c, pad, spatial, reflects);
}

void infer_check_reflected(infer_call *c)
{
    check_borders(c, "padding", true);
}
void infer_check_replicated(infer_call *c)
{
    check_borders(c, "padding", false);
}

/* pad: by its mode. */
void infer_check_padded(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    const char *mode = infer_string(c, "mode", "constant");
    bool is_constant = !strcmp(mode, "constant"), wraps = !strcmp(mode, "circular");
    if (x && x->dtype == TY_BOOL && !is_constant && !wraps)
        infer_fail(c, "\"%s\" padding is not implemented for 'Bool'", mode);
    if (!is_constant) check_borders(c, "pad", !strcmp(mode, "reflect"));
}
