/* retype.c -- view.dtype: the same bytes as elements of another type.
 *
 *     f32 [4, 3]  as  i16 [4, 6]      element j: the bits of j // 2, shifted down by 16 * (j mod 2)
 *     u8  [4, 8]  as  f32 [4, 2]      element j: bytes 4*j, 4*j + 1, ..., each shifted to its place
 *
 * Complex numbers are pairs of real ones, before and after. Bytes lie as the processors that are
 * compiled for have them, the lowest first.
 */
#include "lower/compose.h"
#include "lower/ragged.h"

#include <string.h>

static ty_dtype word_of(ty_dtype d)
{
    static const ty_dtype WORDS[] = {[1] = TY_U8, [2] = TY_U16, [4] = TY_U32, [8] = TY_U64};
    return WORDS[ty_dtype_size(d)];
}

static loop_value bitcast(lowering *l, loop_value v, ty_dtype to)
{
    if (loop_at(l->program, v)->dtype == to) return v;
    return loop_make(l->program, (loop_node){.op = LOOP_BITCAST, .dtype = to, .args = {v}});
}

static loop_value shifted(lowering *l, loop_opcode op, loop_value v, loop_value by)
{
    return lower_op2(l, op, v, loop_cast(l->program, loop_at(l->program, v)->dtype, by));
}

/* t with its last dimension counted in `last` elements, of type d, element j of which is v. */
static tensor retyped(lowering *l, tensor t, ty_dtype d, sym_expr last, loop_value v)
{
    sym_expr *sizes = lower_sizes_copy(l, t.sizes, t.rank);
    sizes[t.rank - 1] = last;
    return lower_value(l, d, t.rank, sizes, bitcast(l, v, d));
}

/* t where its last axis stands at `last`. */
static loop_value word_at(lowering *l, tensor t, sym_expr last)
{
    sym_expr at[LOWER_MAX_RANK];
    memcpy(at, l->axes, t.rank * sizeof *at);
    at[t.rank - 1] = last;
    return bitcast(l, lower_at(l, t, at), word_of(lower_dtype(t)));
}

/* Elements that are `ratio` times as small. */
static tensor finer(lowering *l, tensor t, ty_dtype d, int64_t ratio)
{
    sym_table *s = l->symbols;
    sym_expr axis = l->axes[t.rank - 1], by = lower_const(l, ratio);
    loop_value bits =
        loop_index(l->program, sym_mul_int(s, sym_mod(s, axis, by), 8 * (int64_t)ty_dtype_size(d)));
    loop_value word = shifted(l, LOOP_SHR, word_at(l, t, sym_floordiv(s, axis, by)), bits);
    return retyped(l, t, d, sym_mul(s, t.sizes[t.rank - 1], by),
                   loop_cast(l->program, word_of(d), word));
}

static tensor coarser(lowering *l, tensor t, ty_dtype d, int64_t ratio)
{
    sym_table *s = l->symbols;
    sym_expr size = t.sizes[t.rank - 1], by = lower_const(l, ratio);
    sym_expr first = sym_mul(s, l->axes[t.rank - 1], by);
    loop_value word = {0};
    lower_store_unless_plain(l, t);
    for (int64_t k = 0; k < ratio; k++) {
        loop_value piece = word_at(l, t, sym_add_int(s, first, k));
        loop_value by_bits =
            loop_const_int(l->program, TY_I64, 8 * k * (int64_t)ty_dtype_size(lower_dtype(t)));
        piece = shifted(l, LOOP_SHL, loop_cast(l->program, word_of(d), piece), by_bits);
        word = k ? lower_op2(l, LOOP_OR, word, piece) : piece;
    }
    return retyped(l, t, d, sym_floordiv(s, size, by), word);
}

/* Between real types. */
static tensor as_real_type(lowering *l, tensor t, ty_dtype d)
{
    int64_t was = ty_dtype_size(lower_dtype(t)), is = ty_dtype_size(d);
    if (was > is) return finer(l, t, d, was / is);
    if (was < is) return coarser(l, t, d, is / was);
    return lower_value(l, d, t.rank, t.sizes, bitcast(l, lower_here(l, t), d));
}

/* Complex numbers as twice as many real ones in the last dimension. */
static tensor parts_of(lowering *l, tensor t)
{
    tensor pairs = lower_pairs(l, t);
    sym_expr *sizes = lower_sizes_copy(l, pairs.sizes, pairs.rank);
    uint32_t rank = t.rank ? t.rank : 1;
    sizes[rank - 1] = t.rank ? sym_mul_int(l->symbols, sizes[rank - 1], 2) : lower_const(l, 2);
    return lower_reshape(l, pairs, rank, sizes);
}

static tensor from_parts(lowering *l, tensor t, ty_dtype d)
{
    sym_table *s = l->symbols;
    sym_expr at[LOWER_MAX_RANK], *sizes = lower_sizes_copy(l, t.sizes, t.rank);
    loop_value parts[2];
    uint32_t last = t.rank - 1;
    memcpy(at, l->axes, t.rank * sizeof *at);
    lower_share(l, t);
    for (uint32_t k = 0; k < 2; k++) {
        at[last] = sym_add_int(s, sym_mul_int(s, l->axes[last], 2), k);
        parts[k] = lower_at(l, t, at);
    }
    sizes[last] = sym_floordiv(s, t.sizes[last], lower_const(l, 2));
    return lower_value(l, d, t.rank, sizes, lower_complex(l, d, parts[0], parts[1]));
}

/* What inference could not prove. */
static void require_ratio(lowering *l, const ty_tensor *x, ty_dtype to)
{
    int64_t was = ty_dtype_size(x->dtype), is = ty_dtype_size(to);
    sym_table *s = l->symbols;
    if (was >= is) return;
    sym_expr by = lower_const(l, is / was);
    for (uint32_t k = 0; k < x->rank; k++) {
        bool is_last = k + 1 == x->rank;
        sym_expr e = is_last ? x->sizes[k] : x->strides[k];
        lower_require(l, sym_mod(s, e, by), SYM_EQ, l->zero,
                      is_last ? "the last size must be a multiple of how much larger elements are"
                              : "a stride must be a multiple of how much larger elements are");
    }
    lower_require(l, sym_mod(s, x->offset, by), SYM_EQ, l->zero,
                  "the storage offset must be a multiple of how much larger elements are");
}

fe_status lower_op_view_dtype(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    tensor t = lower_first(l);
    const ty_tensor *out = fx_tensor(n);
    ty_dtype to = out->dtype;
    if (lower_dtype(t) == to) return lower_give(l, t);
    require_ratio(l, fx_arg_tensor(&n->args[0]), to);
    if (ty_is_complex(to) && t.rank == 0) t = lower_unsqueeze(l, t, 0);
    if (ty_is_complex(lower_dtype(t))) t = parts_of(l, t);
    t = as_real_type(l, t, ty_is_complex(to) ? ty_complex_to_real(to) : to);
    if (ty_is_complex(to)) t = from_parts(l, t, to);
    return lower_give(l, lower_reshape(l, t, out->rank, out->sizes));
}
