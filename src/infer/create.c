/* create.c -- tensors out of nothing, tensors like others, copies and conversions.
 *
 * How much of a layout is kept differs: clone keeps the strides of what is dense, empty_like makes
 * them anew in the same order, functional scatters keep gaps and offset. A conversion that changes
 * nothing gives its argument, as an alias.
 */
#include "infer/infer_priv.h"

#include <math.h>
#include <string.h>

/* A fresh tensor of the call's dtype and device. */
static ty_tensor *made(infer_call *c, ty_dtype fallback, uint32_t rank, const sym_expr *sizes)
{
    return ty_tensor_new(c->memory, c->symbols, infer_dtype(c, "dtype", fallback),
                         infer_device(c, TY_HOST), rank, sizes);
}

/* ---- by sizes ---- */

/* The dtype of a number as torch.tensor() has it. */
static ty_dtype value_dtype(const fx_arg *a, ty_dtype of_int)
{
    if (!a) return TY_F32;
    if (a->kind == FX_ARG_BOOL) return TY_BOOL;
    if (a->kind == FX_ARG_INT) return of_int;
    if (a->kind == FX_ARG_COMPLEX) return TY_C64;
    if (a->kind == FX_ARG_NODE && a->node->value.kind == FX_INT) return of_int;
    if (a->kind == FX_ARG_NODE && a->node->value.kind == FX_BOOL) return TY_BOOL;
    return TY_F32;
}

/* The parameter is the dtype when none is given: of the fill value for TY_NO_DTYPE. */
void rule_filled(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    uint32_t rank = infer_sizes(c, "size", 0, sizes);
    ty_dtype dtype = (ty_dtype)c->param;
    if (dtype == TY_NO_DTYPE) dtype = value_dtype(infer_arg(c, "fill_value"), TY_I64);
    if (c->status != FE_OK) return;
    ty_tensor *out = made(c, dtype, rank, sizes);
    ty_memory_format format = infer_format(c, TY_CONTIGUOUS);
    ty_format_strides(c->symbols, format, rank, sizes, out->strides);
    infer_give(c, out);
}

void rule_scalar_tensor(infer_call *c)
{
    bool by_value =
        op_param_index(c->op, "s") < 0; /* scalar_tensor makes floats of whole numbers too */
    infer_give(c, made(c, by_value ? value_dtype(infer_arg(c, "t"), TY_I64) : TY_F32, 0, NULL));
}

void rule_empty_strided(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    sym_expr strides[TY_MAX_RANK];
    const char *names[] = {"size", "stride", "shape", "strides"};
    bool prims = op_param_index(c->op, "size") < 0;
    uint32_t rank = infer_sizes(c, names[prims ? 2 : 0], 0, sizes);
    if (infer_sizes(c, names[prims ? 3 : 1], 0, strides) != rank)
        infer_fail(c, "as many strides as sizes are needed");
    if (c->status != FE_OK) return;
    ty_tensor *self = infer_tensor(c, "self");
    ty_tensor *out = made(c, self ? self->dtype : TY_F32, rank, sizes);
    if (self) out->device = infer_device(c, self->device);
    memcpy(out->strides, strides, rank * sizeof *strides);
    infer_give(c, out);
}

void rule_empty_permuted(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    uint32_t layout[TY_MAX_RANK];
    const char *name = op_param_index(c->op, "size") < 0 ? "shape" : "size";
    uint32_t rank = infer_sizes(c, name, 0, sizes);
    uint64_t named = 0;
    uint32_t count = infer_dims(c, "physical_layout", rank, false, layout);
    for (uint32_t i = 0; i < count; i++) named |= (uint64_t)1 << layout[i];
    if (count != rank || named != ((uint64_t)1 << rank) - 1)
        infer_fail(c, "a layout that does not name each of %u dimensions once", rank);
    if (c->status != FE_OK) return;
    ty_tensor *out = made(c, TY_F32, rank, sizes);
    sym_expr stride = infer_number(c, 1);
    sym_expr one = stride;
    for (uint32_t i = rank; i-- > 0;) {
        out->strides[layout[i]] = stride;
        stride = sym_mul(c->symbols, stride, sym_max(c->symbols, sizes[layout[i]], one));
    }
    infer_give(c, out);
}

void rule_new(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *self = infer_self(c);
    uint32_t rank = infer_sizes(c, "size", 0, sizes);
    if (!self || c->status != FE_OK) return;
    ty_tensor *out = made(c, self->dtype, rank, sizes);
    out->device = infer_device(c, self->device);
    infer_give(c, out);
}

void rule_like(infer_call *c)
{
    ty_tensor *self = infer_self(c);
    if (!self) return;
    ty_dtype dtype = infer_dtype(c, "dtype", self->dtype);
    ty_memory_format format = infer_format(c, TY_PRESERVE);
    ty_tensor *out = format == TY_PRESERVE ? infer_empty_like(c, self, dtype)
                                           : infer_like(c, self, dtype, format);
    out->device = infer_device(c, self->device);
    infer_give(c, out);
}

/* A square or other matrix of the sizes n and m. */
void rule_eye(infer_call *c)
{
    sym_expr n = infer_expr(c, "n", 0);
    sym_expr sizes[] = {n, infer_arg(c, "m") ? infer_expr(c, "m", 0) : n};
    if (c->status == FE_OK) infer_give(c, made(c, TY_F32, 2, sizes));
}

/* The dtype of a ramp that names none: complex between complex numbers. */
static ty_dtype line_dtype(infer_call *c)
{
    static const char *const ENDS[] = {"start", "end"};
    for (size_t i = 0; i < COUNT_OF(ENDS); i++) {
        const fx_arg *a = op_param_index(c->op, ENDS[i]) < 0 ? NULL : infer_arg(c, ENDS[i]);
        const ty_tensor *t = a ? fx_arg_tensor(a) : NULL;
        if ((a && a->kind == FX_ARG_COMPLEX) || (t && ty_is_complex(t->dtype))) return TY_C64;
    }
    return (ty_dtype)c->param;
}

/* One dimension, of the length that the only size argument gives. */
void rule_line(infer_call *c)
{
    static const char *const NAMES[] = {"n", "steps", "window_length", "length"};
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        if (op_param_index(c->op, NAMES[i]) < 0) continue;
        sym_expr length = infer_expr(c, NAMES[i], 0);
        if (c->status == FE_OK) infer_give(c, made(c, line_dtype(c), 1, &length));
        return;
    }
}

/* Half of the frequencies of n, and that of 0. */
void rule_half_line(infer_call *c)
{
    sym_expr half = sym_floordiv(c->symbols, infer_expr(c, "n", 0), infer_number(c, 2));
    sym_expr length = sym_add_int(c->symbols, half, 1);
    if (c->status == FE_OK) infer_give(c, made(c, line_dtype(c), 1, &length));
}

static bool is_integer(const fx_arg *a)
{
    return !a || value_dtype(a, TY_I64) != TY_F32;
}

void rule_arange(infer_call *c)
{
    sym_table *t = c->symbols;
    const fx_arg *start = infer_arg(c, "start");
    const fx_arg *end = infer_arg(c, "end");
    const fx_arg *step = infer_arg(c, "step");
    bool whole = is_integer(start) && is_integer(end) && is_integer(step);
    bool truncates = infer_dtype(c, "dtype", TY_F32) == TY_I64;
    sym_expr length;
    double from = 0;
    double to = 0;
    double by = 1;
    if (whole) {
        sym_expr span = sym_sub(t, infer_expr(c, "end", 0), infer_expr(c, "start", 0));
        length = sym_ceildiv(t, span, infer_expr(c, "step", 1));
    } else if (fx_arg_number(c->graph, end, &to) &&
               (!start || fx_arg_number(c->graph, start, &from)) &&
               (!step || fx_arg_number(c->graph, step, &by)) && by != 0) {
        if (truncates) {
            from = trunc(from);
            to = trunc(to);
            by = trunc(by);
        }
        length = infer_number(c, (int64_t)ceil((to - from) / by));
    } else {
        length = infer_unbacked(c, 0, 0);
    }
    (void)INFER_REQUIRE(c, SYM_LE, infer_number(c, 0), length,
                        "a range that its step leads away from");
    if (c->status == FE_OK) infer_give(c, made(c, whole ? TY_I64 : TY_F32, 1, &length));
}

/* As arange, and the end is one of them where a step meets it. */
void rule_range(infer_call *c)
{
    double start, end, step = 1;
    const fx_arg *by = infer_arg(c, "step");
    if (!fx_arg_number(c->graph, infer_arg(c, "start"), &start) ||
        !fx_arg_number(c->graph, infer_arg(c, "end"), &end) ||
        (by && !fx_arg_number(c->graph, by, &step))) {
        infer_fail(c, "a range between numbers that only the run knows");
        return;
    }
    if (step == 0)
        infer_fail(c, "step must be nonzero");
    else if ((end - start) / step < 0)
        infer_fail(c, "upper bound and lower bound inconsistent with step sign");
    if (c->status != FE_OK) return;
    sym_expr length = infer_number(c, (int64_t)((end - start) / step) + 1);
    infer_give(c, made(c, TY_F32, 1, &length));
}

static int64_t clamped(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* How many elements of a matrix are not above the diagonal: row i has i + shift + 1 of them. */
static int64_t lower_elements(int64_t rows, int64_t columns, int64_t shift)
{
    int64_t first = clamped(-shift, 0, rows); /* rows before have none */
    int64_t full = clamped(columns - shift - 1, first, rows);
    int64_t growing = (full - first) * (first + full + 2 * shift + 1) / 2;
    return growing + (rows - full) * columns;
}

/* Indices of the lower (0) or upper (1) triangle. */
void rule_triangle_indices(infer_call *c)
{
    int64_t rows = infer_int(c, "row", 0);
    int64_t columns = infer_int(c, "col", 0);
    int64_t shift = infer_int(c, "offset", 0);
    if (rows < 0 || columns < 0) infer_fail(c, "a triangle of negative size");
    if (c->status != FE_OK) return;
    int64_t count = lower_elements(rows, columns, shift - c->param);
    if (c->param) count = rows * columns - count;
    sym_expr sizes[] = {infer_number(c, 2), infer_number(c, count)};
    infer_give(c, made(c, TY_I64, 2, sizes));
}

/* ---- copies ---- */

void rule_clone(infer_call *c)
{
    infer_give(c, infer_clone(c, infer_self(c), infer_format(c, TY_PRESERVE)));
}

void rule_contiguous(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    ty_tensor *out = infer_contiguous(c, x, infer_format(c, TY_CONTIGUOUS));
    infer_give(c, out == x ? infer_alias(c, x) : out);
}

/* It has no results. */
void rule_nothing(infer_call *c)
{
    (void)c;
}

/* The next four: as self is, with other values. They differ in how much of its layout they keep. */
void rule_same(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (x) infer_give(c, infer_empty_like(c, x, x->dtype));
}

void rule_same_clone(infer_call *c)
{
    infer_give(c, infer_clone(c, infer_self(c), TY_PRESERVE));
}

void rule_same_contiguous(infer_call *c)
{
    infer_give(c, infer_clone(c, infer_self(c), TY_CONTIGUOUS));
}

/* Of what is repeated it is a copy that is not. */
void rule_same_layout(infer_call *c)
{
    const ty_tensor *self = infer_self(c);
    if (self && ty_is_repeated(c->symbols, self)) {
        infer_give(c, infer_like(c, self, self->dtype, TY_PRESERVE));
        return;
    }
    /* The offset is as recorded (the argument's, or 0 behind functionalisation); 0 for new nodes. */
    ty_tensor *out = infer_in_place_of(c, infer_self(c));
    const ty_tensor *recorded = c->recorded.kind == FX_TENSOR ? c->recorded.tensor : NULL;
    if (out) out->offset = recorded ? recorded->offset : infer_number(c, 0);
    infer_give(c, out);
}

/* Conversion; itself when nothing changes, unless the parameter asks for a copy. */
void rule_to(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    ty_tensor *other = infer_tensor(c, "other");
    if (!x) return;
    ty_dtype dtype = infer_dtype(c, "dtype", other ? other->dtype : x->dtype);
    ty_device device = infer_device(c, other ? other->device : x->device);
    if (device.kind == x->device.kind && device.index < 0) device = x->device;
    ty_memory_format format = infer_format(c, TY_PRESERVE);
    if ((format == TY_CHANNELS_LAST && x->rank != 4) ||
        (format == TY_CHANNELS_LAST_3D && x->rank != 5))
        infer_fail(c, "required rank %u tensor to use channels_last format, got %s",
                   format == TY_CHANNELS_LAST ? 4 : 5, infer_shape(c, x));
    bool copies = c->param || infer_flag(c, "copy", false);
    bool same = dtype == x->dtype && ty_same_device(device, x->device);
    bool has_format = format == TY_PRESERVE || ty_suggested_format(c->symbols, x) == format;
    if (!copies && same && has_format) {
        infer_give(c, infer_alias(c, x));
        return;
    }
    ty_tensor *out = infer_like(c, x, dtype, format);
    out->device = device;
    infer_give(c, out);
}

void rule_half_complex(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (x) infer_give(c, infer_like(c, x, TY_C32, infer_format(c, TY_PRESERVE)));
}

static bool is_idle(infer_call *c)
{
    double p = 0;
    const fx_arg *rate = infer_arg(c, "p");
    return !infer_flag(c, "train", true) || (rate && fx_arg_number(c->graph, rate, &p) && p == 0);
}

/* Dropout of whole features: itself when it does nothing. */
void rule_feature_dropout(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (x) infer_give(c, is_idle(c) ? infer_alias(c, x) : infer_empty_like(c, x, x->dtype));
}

/* When it does nothing, PyTorch runs it as itself and records it as a clone: an alias unless the
 * clone is laid out otherwise. */
void rule_dropout(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    ty_tensor *out = is_idle(c) ? infer_clone(c, x, TY_PRESERVE) : infer_empty_like(c, x, x->dtype);
    bool same = is_idle(c);
    for (uint32_t i = 0; same && i < x->rank; i++) same = sym_same(out->strides[i], x->strides[i]);
    infer_give(c, same ? infer_alias(c, x) : out);
}

/* ---- other sizes ---- */

/* A class number becomes a vector with one 1. */
void rule_one_hot(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x || x->rank == TY_MAX_RANK) return;
    memcpy(sizes, x->sizes, x->rank * sizeof *sizes);
    int64_t classes = infer_int(c, "num_classes", -1);
    sizes[x->rank] = classes < 0 ? infer_unbacked(c, 0, x->rank) : infer_number(c, classes);
    infer_give(c, infer_fresh(c, x, TY_I64, x->rank + 1, sizes));
}

static bool same_sizes(infer_call *c, const ty_tensor *x, uint32_t rank, const sym_expr *sizes)
{
    bool same = x->rank == rank;
    for (uint32_t k = 0; same && k < rank; k++)
        same = infer_holds(c, SYM_EQ, x->sizes[k], sizes[k]);
    return same;
}

/* The same memory with other sizes, as much of it as there is; in place the storage stays. What has
 * these sizes already keeps its strides, unless a format is asked for. */
void rule_resize(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    ty_tensor *like = infer_tensor(c, "the_template");
    if (!x) return;
    uint32_t rank = like ? like->rank : infer_sizes(c, "size", 0, sizes);
    if (like) memcpy(sizes, like->sizes, rank * sizeof *sizes);
    if (c->status != FE_OK) return;
    ty_tensor *out = infer_fresh(c, x, x->dtype, rank, sizes);
    ty_memory_format format = infer_format(c, TY_CONTIGUOUS);
    if (format == TY_PRESERVE && like) format = ty_suggested_format(c->symbols, like);
    if (infer_arg(c, "memory_format"))
        ty_format_strides(c->symbols, format, rank, sizes, out->strides);
    else if (same_sizes(c, x, rank, sizes))
        memcpy(out->strides, x->strides, rank * sizeof *out->strides);
    if (c->param) {
        out->offset = x->offset;
        out->storage = x->storage;
    }
    infer_give(c, out);
}

/* Another tensor's memory, or none. */
void rule_set(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    ty_tensor *source = infer_tensor(c, "source");
    sym_expr none = infer_number(c, 0);
    if (x) infer_give(c, source ? infer_alias(c, source) : infer_fresh(c, x, x->dtype, 1, &none));
}

/* Dimensions of size 1 with a stride below 0 have the one that follows from the dimension behind. */
static void step_on(infer_call *c, const ty_tensor *x, sym_expr *strides)
{
    sym_expr step = infer_number(c, 1);
    for (uint32_t d = x->rank; d-- > 0;) {
        int64_t stride;
        if (sym_is_int(c->symbols, strides[d], &stride) && stride < 0) strides[d] = step;
        step =
            sym_mul(c->symbols, strides[d], sym_max(c->symbols, x->sizes[d], infer_number(c, 1)));
    }
}

/* With the strides that the call names. */
void rule_restrided(infer_call *c)
{
    sym_expr strides[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    if (infer_sizes(c, "stride", 0, strides) != x->rank)
        infer_fail(c, "not a stride for each dimension of %s", infer_shape(c, x));
    if (c->status == FE_OK) step_on(c, x, strides);
    if (c->status == FE_OK)
        infer_give(c, infer_fresh_strided(c, x, x->dtype, x->rank, x->sizes, strides));
}

/* A number that only stands for an order of effects. */
void rule_token(infer_call *c)
{
    sym_expr none = infer_number(c, 0);
    ty_tensor *x = infer_tensor(c, "dep_token");
    infer_give(c, x ? infer_like(c, x, x->dtype, TY_CONTIGUOUS) : made(c, TY_F32, 1, &none));
}

/* Seeds of random numbers: one, or (1) as many as `count` says. */
void rule_seeds(infer_call *c)
{
    sym_expr count = infer_expr(c, "count", 1);
    if (c->status == FE_OK) infer_give(c, made(c, TY_I64, c->param ? 1 : 0, &count));
}

void rule_lookup_seed(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (x) infer_give(c, infer_fresh(c, x, x->dtype, 0, NULL));
}
