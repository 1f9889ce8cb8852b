/* fold_batch_norm.c -- what scales and shifts each channel of a convolution or a linear map by
 * constants goes into its weight and bias: batch norm in inference, y = x * scale + shift with
 * scale = weight / sqrt(var + eps) and shift = bias - mean * scale, and products and sums with
 * constants, which a batch norm may be spelled out as.
 *
 * Folded in double, rounded once. Only when the map has no other reader, and only where weights do
 * not come to exist twice.
 */
#include "pass/pass_priv.h"

#include <math.h>
#include <string.h>

/* ---- the maps ---- */

typedef enum map_kind { CONVOLUTION, TRANSPOSED, LINEAR, GENERAL } map_kind;
static const struct {
    op_id op;
    map_kind kind;
    uint32_t groups; /* its argument */
} MAPS[] = {
    {OP_aten_conv1d_default, CONVOLUTION, 6},
    {OP_aten_conv1d_padding, CONVOLUTION, 6},
    {OP_aten_conv2d_default, CONVOLUTION, 6},
    {OP_aten_conv2d_padding, CONVOLUTION, 6},
    {OP_aten_conv3d_default, CONVOLUTION, 6},
    {OP_aten_conv3d_padding, CONVOLUTION, 6},
    {OP_aten_conv_transpose1d_default, TRANSPOSED, 6},
    {OP_aten_conv_transpose2d_input, TRANSPOSED, 6},
    {OP_aten_conv_transpose3d_input, TRANSPOSED, 6},
    {OP_aten_convolution_default, GENERAL, 8},
    {OP_aten_linear_default, LINEAR, 0},
};

typedef struct fold {
    fx_graph *g;
    arena *memory;
    fx_node *map, *norm, *input; /* input: what the norm reads, the map or a view of it */
    map_kind kind;
    int64_t channels, groups;
    uint32_t channel_dim; /* of the norm's input */
    double *scale, *shift;
} fold;

static bool find_map(fold *f, fx_node *n)
{
    f->map = n;
    for (size_t i = 0; n->kind == FX_CALL && i < COUNT_OF(MAPS); i++) {
        if (n->op->id != (uint32_t)MAPS[i].op) continue;
        f->kind = MAPS[i].kind;
        f->groups = 1;
        if (f->kind == GENERAL) f->kind = fx_arg_bool(&n->args[6], true) ? TRANSPOSED : CONVOLUTION;
        return f->kind == LINEAR || fx_arg_int(f->g, &n->args[MAPS[i].groups], &f->groups);
    }
    return false;
}

/* A view that cuts the leading dims otherwise and leaves the last one. */
static bool is_view_of_rows(const fx_graph *g, const fx_node *n)
{
    switch (n->kind == FX_CALL ? n->op->id : OP_NONE) {
    case OP_aten_view_default:
    case OP_aten_reshape_default:
    case OP_aten__unsafe_view_default:
    case OP_aten_flatten_using_ints: break;
    default: return false;
    }
    const ty_tensor *a = fx_arg_tensor(&n->args[0]), *b = fx_tensor(n);
    return a && b && a->rank && b->rank &&
           sym_known_equal(g->symbols, a->sizes[a->rank - 1], b->sizes[b->rank - 1]);
}

/* The map whose channels the node's dim `channel` are. */
static bool reach_map(fold *f, fx_node *input)
{
    const ty_tensor *t = fx_tensor(input);
    fx_node *at = input;
    if (!t || input->users.count != 1) return false;
    f->input = input;
    if (!fx_may_join(at, f->norm)) return false;
    if (is_view_of_rows(f->g, at)) at = at->args[0].node;
    if (!fx_may_join(at, f->norm)) return false;
    if (at->users.count != 1 || !find_map(f, at) || (at != input && f->kind != LINEAR))
        return false;
    const fx_node *w = at->args[1].kind == FX_ARG_NODE ? at->args[1].node : NULL;
    const ty_tensor *weight = w ? fx_tensor(w) : NULL;
    if (!weight || weight->rank < 2 || !pass_is_constant(f->g, w)) return false;
    if (weight->dtype != TY_F32 && weight->dtype != TY_F64) return false; /* rounds too much */
    f->channel_dim = f->kind == LINEAR ? t->rank - 1 : t->rank - weight->rank + 1;
    return f->channel_dim < t->rank &&
           sym_is_int(f->g->symbols, t->sizes[f->channel_dim], &f->channels) && f->channels > 0;
}

/* ---- constants ---- */

/* The constant that the value is, or is a view of. */
static const fx_node *base_of(const fx_node *n)
{
    for (const ty_tensor *t = fx_tensor(n); t && n->kind == FX_CALL && n->arg_count;) {
        const ty_tensor *base = fx_arg_tensor(&n->args[0]);
        if (!base || base->storage != t->storage || base->dtype != t->dtype) break;
        n = n->args[0].node;
        t = base;
    }
    return n;
}

/* `count` elements of a constant, as numbers; NULL when it is none of a real floating dtype. */
static double *read_constant(fold *f, const fx_node *n, int64_t count)
{
    const ty_tensor *t = n ? fx_tensor(n) : NULL;
    const fx_node *base = t ? base_of(n) : NULL;
    if (!t || !pass_is_constant(f->g, base) || !ty_is_floating(t->dtype) || count < 1) return NULL;
    size_t *offsets = NEW_ARRAY(f->memory, size_t, count);
    if (fx_element_offsets(f->g, t, base->data->size, offsets, (uint32_t)count) != count)
        return NULL;
    double *out = NEW_ARRAY(f->memory, double, count);
    for (int64_t i = 0; i < count; i++)
        out[i] = fx_element_read(t->dtype, base->data->bytes + offsets[i]).number[0];
    return out;
}

/* One number for each channel; none: all `otherwise`. */
static double *read_vector(fold *f, const fx_arg *a, double otherwise)
{
    if (a->kind == FX_ARG_NODE) {
        const ty_tensor *t = fx_tensor(a->node);
        return t && t->rank == 1 ? read_constant(f, a->node, f->channels) : NULL;
    }
    double *out = NEW_ARRAY(f->memory, double, f->channels);
    for (int64_t i = 0; i < f->channels; i++) out[i] = otherwise;
    return out;
}

/* The operand of a product or sum: a number, or a constant that differs from channel to channel
 * alone. */
static double *read_operand(fold *f, const fx_arg *a)
{
    double number;
    if (fx_arg_number(f->g, a, &number) ||
        (a->kind == FX_ARG_NODE && fx_constant_number(f->g, a->node, &number)))
        return read_vector(f, &(fx_arg){.kind = FX_ARG_NONE}, number);
    const ty_tensor *t = fx_arg_tensor(a), *x = fx_tensor(f->input);
    if (!t || t->dtype != x->dtype || t->rank > x->rank) return NULL;
    uint32_t missing = x->rank - t->rank;
    for (uint32_t k = 0; k < t->rank; k++) {
        int64_t size;
        if (!sym_is_int(f->g->symbols, t->sizes[k], &size)) return NULL;
        if (size != (k + missing == f->channel_dim ? f->channels : 1)) return NULL;
    }
    return f->channel_dim >= missing ? read_constant(f, a->node, f->channels) : NULL;
}

/* ---- what follows a map ---- */

static bool by_batch_norm(fold *f, uint32_t training, uint32_t eps_at)
{
    const fx_arg *a = f->norm->args;
    double eps;
    if (training && fx_arg_bool(&a[training], true)) return false;
    if (!fx_arg_number(f->g, &a[eps_at], &eps) || f->channel_dim != 1) return false;
    if (a[3].kind != FX_ARG_NODE || a[4].kind != FX_ARG_NODE) return false;
    double *weight = read_vector(f, &a[1], 1), *bias = read_vector(f, &a[2], 0),
           *mean = read_vector(f, &a[3], 0), *variance = read_vector(f, &a[4], 1);
    if (!weight || !bias || !mean || !variance) return false;
    for (int64_t c = 0; c < f->channels; c++) {
        f->scale[c] = weight[c] / sqrt(variance[c] + eps);
        f->shift[c] = bias[c] - mean[c] * f->scale[c];
    }
    return true;
}

/* x * c, x / c, x + c, x - c; c - x and c + x too. */
static bool by_arithmetic(fold *f)
{
    const fx_node *n = f->norm;
    bool is_first = n->args[0].kind == FX_ARG_NODE && n->args[0].node == f->input;
    double alpha = 1, *c = read_operand(f, &n->args[is_first ? 1 : 0]);
    bool adds = fx_is(n, OP_aten_add_Tensor), subtracts = fx_is(n, OP_aten_sub_Tensor),
         divides = fx_is(n, OP_aten_div_Tensor);
    if (!c || f->map->args[1].node->users.count != 1 || (divides && !is_first)) return false;
    if ((adds || subtracts) && !fx_arg_number(f->g, &n->args[2], &alpha)) return false;
    for (int64_t i = 0; i < f->channels; i++) {
        double other = is_first ? alpha : 1, own = is_first ? 1 : alpha;
        if (subtracts && is_first) other = -other;
        if (subtracts && !is_first) own = -own;
        f->scale[i] = adds || subtracts ? own : divides ? 1 / c[i] : c[i];
        f->shift[i] = adds || subtracts ? other * c[i] : 0;
    }
    return true;
}

/* Reads f->scale and f->shift off the call. */
static bool read_norm(fold *f)
{
    switch (f->norm->op->id) {
    case OP_aten_batch_norm_default: return by_batch_norm(f, 5, 7);
    case OP_aten_native_batch_norm_default: return by_batch_norm(f, 5, 7);
    case OP_aten__native_batch_norm_legit_no_training_default: return by_batch_norm(f, 0, 6);
    default: return by_arithmetic(f);
    }
}

static bool is_norm(const fx_node *n)
{
    switch (n->kind == FX_CALL ? n->op->id : OP_NONE) {
    case OP_aten_batch_norm_default:
    case OP_aten_native_batch_norm_default:
    case OP_aten__native_batch_norm_legit_no_training_default:
    case OP_aten_mul_Tensor:
    case OP_aten_div_Tensor:
    case OP_aten_add_Tensor:
    case OP_aten_sub_Tensor: return true;
    default: return false;
    }
}

/* ---- the new weight and bias ---- */

static fx_node *new_constant(fold *f, const char *name, const ty_tensor *like, uint32_t rank,
                             const sym_expr *sizes, const double *values, int64_t count)
{
    fx_graph *g = f->g;
    uint32_t size = ty_dtype_size(like->dtype);
    uint8_t *made = arena_alloc(g->memory, (size_t)count * size);
    for (int64_t i = 0; i < count; i++) {
        fx_element e = {.is_float = true, .number = {values[i], 0}};
        fx_element_write(like->dtype, made + (size_t)i * size, &e);
    }
    ty_tensor *meta = ty_tensor_new(g->memory, g->symbols, like->dtype, like->device, rank, sizes);
    return fx_add_constant(g, name, meta, made, (size_t)count * size);
}

/* The channel that an element of the weight, in row-major order, counts for. */
static int64_t channel_of(const fold *f, int64_t i, int64_t rows, int64_t numel)
{
    if (f->kind != TRANSPOSED) return i / (numel / f->channels);
    /* [in, out / groups, ..]: the rows of a group give its channels */
    int64_t within = f->channels / f->groups, row = i / (numel / rows);
    int64_t inner = numel / rows / within;
    return row / (rows / f->groups) * within + i / inner % within;
}

static int64_t elements_of_channel(const fold *f, int64_t rows, int64_t numel)
{
    int64_t within = f->kind == TRANSPOSED ? f->channels / f->groups * rows : f->channels;
    return numel / within;
}

static fx_node *scaled_weight(fold *f)
{
    const fx_node *n = f->map->args[1].node;
    const ty_tensor *t = fx_tensor(n);
    int64_t numel, rows, offset = 0;
    if (!sym_is_int(f->g->symbols, ty_numel(f->g->symbols, t), &numel) || numel > UINT32_MAX ||
        !sym_is_int(f->g->symbols, t->sizes[0], &rows) || rows < 1 || f->groups < 1 ||
        f->channels % f->groups || rows % f->groups || numel % f->channels)
        return NULL;
    uint32_t size = ty_dtype_size(t->dtype);
    if (!ty_is_contiguous(f->g->symbols, t) || !sym_is_int(f->g->symbols, t->offset, &offset) ||
        (size_t)(offset + numel) * size > n->data->size)
        return NULL;
    const uint8_t *from = n->data->bytes + (size_t)offset * size;
    uint8_t *made = arena_alloc(f->g->memory, (size_t)numel * size);
    int64_t each = elements_of_channel(f, rows, numel); /* side by side */
    for (int64_t i = 0; i < numel; i += each)
        fx_elements_scale(t->dtype, made + (size_t)i * size, from + (size_t)i * size, (size_t)each,
                          f->scale[channel_of(f, i, rows, numel)]);
    ty_tensor *meta =
        ty_tensor_new(f->g->memory, f->g->symbols, t->dtype, t->device, t->rank, t->sizes);
    return fx_add_constant(f->g, arena_printf(f->g->memory, "%s_folded", n->name), meta, made,
                           (size_t)numel * size);
}

static bool apply(fold *f)
{
    fx_graph *g = f->g;
    const ty_tensor *t = fx_tensor(f->map);
    sym_expr size = sym_int(g->symbols, f->channels);
    double *bias = read_vector(f, &f->map->args[2], 0);
    bool same_scale = true;
    if (!bias) return false;
    for (int64_t c = 0; c < f->channels; c++) {
        bias[c] = bias[c] * f->scale[c] + f->shift[c];
        if (!isfinite(bias[c]) || !isfinite(f->scale[c])) return false;
        same_scale &= f->scale[c] == 1;
    }
    fx_node *weight = same_scale ? f->map->args[1].node : scaled_weight(f);
    if (!weight) return false;
    const char *name = arena_printf(g->memory, "%s_folded_bias", f->map->name);
    fx_set_arg(f->map, 1, fx_of(weight), g);
    fx_set_arg(f->map, 2, fx_of(new_constant(f, name, t, 1, &size, bias, f->channels)), g);
    return true;
}

/* ---- the pass ---- */

/* The value that the norm gives: itself, or the first item of several; NULL when others are read. */
static fx_node *result_of(const fx_graph *g, fx_node *norm)
{
    int64_t item;
    if (norm->value.kind != FX_TUPLE) return norm;
    if (norm->users.count != 1) return NULL;
    fx_node *user = norm->users.at[0];
    bool is_first =
        fx_is(user, OP_operator_getitem) && fx_arg_int(g, &user->args[1], &item) && !item;
    return is_first ? user : NULL;
}

static bool fold_one(fold *f)
{
    fx_node *result = result_of(f->g, f->norm);
    bool found = false;
    for (uint32_t i = 0; result && !found && i < 2; i++)
        found = f->norm->args[i].kind == FX_ARG_NODE && reach_map(f, f->norm->args[i].node);
    if (!found) return false;
    const ty_tensor *t = fx_tensor(f->input), *y = fx_tensor(result);
    if (!y || t->dtype != y->dtype || !ty_known_same_layout(f->g->symbols, t, y)) return false;
    f->scale = NEW_ARRAY(f->memory, double, f->channels);
    f->shift = NEW_ARRAY(f->memory, double, f->channels);
    if (!read_norm(f) || !apply(f)) return false;
    fx_replace_uses(f->g, result, f->input);
    fx_erase(f->g, result);
    if (result != f->norm) fx_erase(f->g, f->norm);
    return true;
}

fe_status pass_fold_batch_norm(fx_graph *g, bool *changed)
{
    arena *memory = arena_new(g->session);
    for (fx_node *n = g->first, *next; n; n = next) {
        next = n->next;
        if (!is_norm(n)) continue;
        fold f = {.g = g, .memory = memory, .norm = n};
        while (next && next->users.count && fx_is(next, OP_operator_getitem) &&
               next->args[0].node == n)
            next = next->next;
        arena_mark_t mark = arena_mark(memory);
        *changed |= fold_one(&f);
        arena_release(memory, mark);
    }
    arena_free(memory);
    return FE_OK;
}
