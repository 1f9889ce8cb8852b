/* need_fourier.c -- what Fourier transforms work in. Where the length is known it is what
 * rt/rt_fourier_need.h says for the instruction set that wants most; else a bound of that.
 */
#include "loop/need_priv.h"

#include "../rt/rt_fourier_need.h"

typedef struct transform {
    const loop_view *x, *y;
    uint32_t dim;
    bool from_complex, to_complex, is_double, is_dense;
    int64_t real; /* bytes */
    sym_expr rows;
} transform;

static bool find_transform(const needing *n, transform *out)
{
    int64_t dim;
    if (!need_has(n, 1, 1) || !loop_known_int(n->p, n->op, "dim", &dim)) return false;
    *out = (transform){.x = &n->op->inputs[0], .y = &n->op->outputs[0], .rows = need_number(n, 1)};
    if (dim < 0 || dim >= (int64_t)out->x->rank || out->y->rank != out->x->rank) return false;
    out->dim = (uint32_t)dim;
    out->from_complex = ty_is_complex(out->x->dtype);
    out->to_complex = ty_is_complex(out->y->dtype);
    out->real = ty_dtype_size(out->y->dtype) / (out->to_complex ? 2 : 1);
    out->is_double = out->real == 8;
    out->is_dense = need_is(n, out->x->strides[dim], 1) && need_is(n, out->y->strides[dim], 1);
    for (uint32_t d = 0; d < out->x->rank; d++)
        if (d != out->dim) out->rows = need_times(n, out->rows, out->x->sizes[d]);
    return true;
}

/* ---- lengths that are known ---- */

static bool find_shape(const needing *n, const transform *t, int64_t rows, rt_fft_shape *out)
{
    int64_t length, count;
    if (!sym_is_int(n->t, need_int(n, "length"), &length) || length < 1 ||
        !sym_is_int(n->t, t->y->sizes[t->dim], &count))
        return false;
    bool is_half = !(t->from_complex && t->to_complex) && length % 2 == 0;
    *out = (rt_fft_shape){.length = is_half ? length / 2 : length,
                          .rows = rows,
                          .most = t->to_complex ? count : length / 2 + 1,
                          .is_half = is_half,
                          .is_double = t->is_double,
                          .dense = t->is_dense};
    return length < INT32_MAX;
}

static int64_t most_bytes(const rt_fft_shape *shape)
{
    int64_t bytes = rt_fft_work_bytes(shape, rt_fft_lanes(shape, rt_fft_real_bytes(shape)));
    for (int64_t vector = 16; vector <= RT_FFT_WIDEST_VECTOR; vector *= 2) {
        int64_t by = rt_fft_work_bytes(shape, rt_fft_lanes(shape, vector));
        if (by > bytes) bytes = by;
    }
    return bytes;
}

/* ---- others ---- */

/* A convolution's length is at most a quarter, and RT_FFT_LEAST_LENGTH, above what it must be. */
static sym_expr room_of(const needing *n, const transform *t, sym_expr length)
{
    sym_expr inner =
        sym_add(n->t, need_bytes(n, length, 2), sym_ceildiv(n->t, length, need_number(n, 2)));
    return sym_max(n->t, sym_add_int(n->t, inner, RT_FFT_LEAST_LENGTH), t->y->sizes[t->dim]);
}

/* Of `lanes` rows side by side, whose lengths add up to `numbers` at most. */
static sym_expr group_of(const needing *n, sym_expr room, int64_t lanes, int64_t numbers)
{
    int64_t most_numbers = numbers * 2 + numbers / 2 + lanes * (RT_FFT_LEAST_LENGTH + 1);
    return need_least(n, need_bytes(n, room, lanes), most_numbers);
}

/* Of a planar array: a row alone, a vector's side by side where they fit the cache, or several vectors' where
 * they are near. Each grows with the length, so that the longest takes most. Long dense rows are side by side
 * only where they are smooth. */
static sym_expr numbers_of(const needing *n, const transform *t, sym_expr length)
{
    sym_expr room = room_of(n, t, length), vector_room = room;
    int64_t lanes = RT_FFT_WIDEST_VECTOR / t->real, fit = RT_FFT_CACHE / RT_FFT_ARRAYS / t->real,
            near = RT_FFT_NEAR / RT_FFT_ARRAYS / t->real;
    if (need_is(n, t->rows, 1)) return room;
    if (t->is_dense) {
        sym_expr whole = sym_max(n->t, sym_add_int(n->t, length, 1), t->y->sizes[t->dim]);
        int64_t convolved = 2 * RT_FFT_SHORT + RT_FFT_SHORT / 2 + RT_FFT_LEAST_LENGTH;
        vector_room = sym_max(n->t, need_least(n, room, convolved), whole);
    }
    sym_expr side_by_side = group_of(n, vector_room, lanes, fit);
    sym_expr several = group_of(n, room, RT_FFT_MOST_VECTORS * lanes, near);
    return sym_max(n->t, room, sym_max(n->t, side_by_side, several));
}

static sym_expr bound_of(const needing *n, const transform *t, sym_expr length)
{
    int64_t lanes = RT_FFT_MOST_VECTORS * RT_FFT_WIDEST_VECTOR / t->real;
    sym_expr numbers = sym_add_int(n->t, numbers_of(n, t, length), RT_FFT_SLACK);
    return sym_add_int(n->t, need_bytes(n, numbers, RT_FFT_ARRAYS * t->real),
                       lanes * 2 * (int64_t)sizeof(int64_t));
}

void need_fourier(needing *n)
{
    transform t;
    rt_fft_shape shape;
    int64_t rows, few;
    if (!find_transform(n, &t)) return;
    sym_expr length = need_int(n, "length");
    bool has_window = n->op->input_count > 1 && n->op->inputs[1].buffer != LOOP_NO_BUFFER;
    if (has_window) need_share(n, need_bytes(n, length, 8));
    sym_range(n->t, t.rows, NULL, &few, &rows);
    if (find_shape(n, &t, rows, &shape)) {
        need_give_each(n, need_number(n, most_bytes(&shape)));
        return;
    }
    sym_expr each = bound_of(n, &t, length);
    if (!t.from_complex || !t.to_complex) {
        sym_expr half = sym_floordiv(n->t, length, need_number(n, 2));
        each = sym_max(n->t, each, bound_of(n, &t, half));
    }
    need_give_each(n, each);
}

/* ---- tables ---- */

/* Where the run decides how many rows there are, those for few and for many. */
uint32_t loop_transforms(const loop_program *p, const loop_op *op, loop_transform *out)
{
    needing n = {.p = p, .t = p->symbols, .op = op};
    transform t;
    rt_fft_shape s;
    int64_t many, few;
    if (!loop_can(op, LOOP_TABLES) || !find_transform(&n, &t)) return 0;
    sym_range(n.t, t.rows, NULL, &few, &many);
    if (many < 1 || !find_shape(&n, &t, many, &s)) return 0;
    out[0] = (loop_transform){s.length, many, s.most, s.is_half, s.is_double, s.dense};
    out[1] = out[0];
    out[1].rows = few < 1 ? 1 : few;
    return out[1].rows == many ? 1 : 2;
}
