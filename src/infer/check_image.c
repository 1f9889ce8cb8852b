/* check_image.c -- what operators on images, bags and batches ask of sizes beyond a form. */
#include "infer/infer_priv.h"

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

void infer_check_bags(infer_call *c)
{
    if (infer_tensor(c, "per_sample_weights") && infer_int(c, "mode", 0) != 0)
        infer_fail(c, "embedding_bag: per_sample_weights only supported with mode='sum'");
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
