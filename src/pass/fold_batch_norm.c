/* fold_batch_norm.c -- batch norm in inference is y = x * scale + shift for each channel, with
 * scale = weight / sqrt(var + eps) and shift = bias - mean * scale. After a convolution whose
 * weights are constants, both go into them.
 *
 * Folded in double, rounded once. Only when the convolution has no other reader.
 */
#include "pass/pass_priv.h"

#include <math.h>
#include <string.h>

typedef struct fold {
    fx_graph *g;
    fx_node *conv, *norm;
    int64_t channels;
    double *scale, *shift;
} fold;

static bool is_foldable_conv(const fx_node *n)
{
    switch (n->kind == FX_CALL ? n->op->id : OP_NONE) {
    case OP_aten_conv1d_default:
    case OP_aten_conv1d_padding:
    case OP_aten_conv2d_default:
    case OP_aten_conv2d_padding:
    case OP_aten_conv3d_default:
    case OP_aten_conv3d_padding: return true;
    case OP_aten_convolution_default: return !fx_arg_bool(&n->args[6], true);
    default: return false;
    }
}

/* A constant's float32 vector of `count` elements (NULL argument: all `otherwise`) as doubles; NULL
 * when it is something else. */
static double *read_vector(fx_graph *g, arena *memory, const fx_arg *a, int64_t count,
                           double otherwise)
{
    double *out = NEW_ARRAY(memory, double, count + 1);
    if (a->kind == FX_ARG_NONE) {
        for (int64_t i = 0; i < count; i++) out[i] = otherwise;
        return out;
    }
    const fx_node *n = a->kind == FX_ARG_NODE ? a->node : NULL;
    const ty_tensor *t = n ? fx_tensor(n) : NULL;
    int64_t size, stride, offset;
    if (!t || !pass_is_constant(g, n) || t->dtype != TY_F32 || t->rank != 1) return NULL;
    if (!sym_is_int(g->symbols, t->sizes[0], &size) ||
        !sym_is_int(g->symbols, t->strides[0], &stride) ||
        !sym_is_int(g->symbols, t->offset, &offset) || size != count)
        return NULL;
    for (int64_t i = 0; i < count; i++) {
        float x;
        memcpy(&x, n->data->bytes + (size_t)(offset + i * stride) * sizeof x, sizeof x);
        out[i] = (double)x;
    }
    return out;
}

static bool read_statistics(fold *f, arena *memory)
{
    const fx_arg *a = f->norm->args;
    double eps;
    if (fx_arg_bool(&a[5], true) || !fx_arg_number(f->g, &a[7], &eps)) return false;
    double *weight = read_vector(f->g, memory, &a[1], f->channels, 1),
           *bias = read_vector(f->g, memory, &a[2], f->channels, 0);
    double *mean =
        a[3].kind == FX_ARG_NODE ? read_vector(f->g, memory, &a[3], f->channels, 0) : NULL;
    double *variance =
        a[4].kind == FX_ARG_NODE ? read_vector(f->g, memory, &a[4], f->channels, 1) : NULL;
    double *conv_bias = read_vector(f->g, memory, &f->conv->args[2], f->channels, 0);
    if (!weight || !bias || !mean || !variance || !conv_bias) return false;
    f->scale = NEW_ARRAY(memory, double, f->channels + 1);
    f->shift = NEW_ARRAY(memory, double, f->channels + 1);
    for (int64_t c = 0; c < f->channels; c++) {
        f->scale[c] = weight[c] / sqrt(variance[c] + eps);
        f->shift[c] = bias[c] + (conv_bias[c] - mean[c]) * f->scale[c];
    }
    return true;
}

/* The weight, each output channel scaled; contiguous. NULL when it is not a contiguous float32
 * constant. */
static fx_node *scaled_weight(fold *f)
{
    fx_graph *g = f->g;
    const fx_node *n = f->conv->args[1].node;
    const ty_tensor *t = fx_tensor(n);
    int64_t numel, offset, kept = 1;
    if (!pass_is_constant(g, n) || t->dtype != TY_F32 || !ty_is_contiguous(g->symbols, t))
        return NULL;
    if (!sym_is_int(g->symbols, ty_numel(g->symbols, t), &numel) ||
        !sym_is_int(g->symbols, t->offset, &offset))
        return NULL;
    if (f->channels) kept = numel / f->channels;
    float *made = NEW_ARRAY(g->memory, float, numel + 1);
    /* records are aligned to 64 bytes */
    const float *from = (const float *)(const void *)n->data->bytes + offset;
    for (int64_t c = 0; c < f->channels; c++) {
        const float *row = from + c * kept;
        float *out = made + c * kept;
        double scale = f->scale[c];
        for (int64_t k = 0; k < kept; k++) out[k] = (float)((double)row[k] * scale);
    }
    ty_tensor *meta = ty_tensor_new(g->memory, g->symbols, TY_F32, t->device, t->rank, t->sizes);
    return fx_add_constant(g, arena_printf(g->memory, "%s_folded", n->name), meta, made,
                           (size_t)numel * sizeof(float));
}

static fx_node *shift_vector(fold *f)
{
    fx_graph *g = f->g;
    float *made = NEW_ARRAY(g->memory, float, f->channels + 1);
    sym_expr size = sym_int(g->symbols, f->channels);
    for (int64_t c = 0; c < f->channels; c++) made[c] = (float)f->shift[c];
    ty_tensor *meta =
        ty_tensor_new(g->memory, g->symbols, TY_F32, fx_tensor(f->conv)->device, 1, &size);
    return fx_add_constant(g, arena_printf(g->memory, "%s_folded_bias", f->conv->name), meta, made,
                           (size_t)f->channels * sizeof(float));
}

static bool can_fold(fx_graph *g, fx_node *norm, fold *f)
{
    fx_node *conv = norm->args[0].kind == FX_ARG_NODE ? norm->args[0].node : NULL;
    if (!conv || !is_foldable_conv(conv) || conv->users.count != 1 ||
        conv->args[1].kind != FX_ARG_NODE)
        return false;
    const ty_tensor *weight = fx_tensor(conv->args[1].node);
    *f = (fold){.g = g, .conv = conv, .norm = norm};
    return weight && weight->rank >= 3 && sym_is_int(g->symbols, weight->sizes[0], &f->channels);
}

fe_status pass_fold_batch_norm(fx_graph *g, bool *changed)
{
    arena *memory = arena_new(g->session);
    for (fx_node *n = g->first, *next; n; n = next) {
        fold f;
        next = n->next;
        if (!fx_is(n, OP_aten_batch_norm_default) || !can_fold(g, n, &f) ||
            !read_statistics(&f, memory))
            continue;
        fx_node *weight = scaled_weight(&f);
        if (!weight) continue;
        fx_set_arg(f.conv, 1, fx_of(weight), g);
        fx_set_arg(f.conv, 2, fx_of(shift_vector(&f)), g);
        fx_replace_uses(g, n, f.conv);
        fx_erase(g, n);
        *changed = true;
    }
    arena_free(memory);
    return FE_OK;
}
