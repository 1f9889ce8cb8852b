/* promo.c -- PyTorch's type promotion: c10/core/ScalarType.cpp (promoteTypes) and
 * ATen/native/TypeProperties.cpp (result_type). The table of the former follows from kinds and
 * widths, with three exceptions: two different 16-bit floats meet in f32, u8 meets a signed type
 * in the wider signed one, and u16, u32 and u64 meet floats only.
 */
#include "ty/ty.h"

static bool is_wide_unsigned(ty_dtype d)
{
    return d == TY_U16 || d == TY_U32 || d == TY_U64;
}

static ty_dtype promote_floats(ty_dtype a, ty_dtype b)
{
    if (a == b) return a;
    if (ty_dtype_size(a) == ty_dtype_size(b)) return TY_F32; /* f16 and bf16 */
    return ty_dtype_size(a) > ty_dtype_size(b) ? a : b;
}

static ty_dtype promote_complex(ty_dtype a, ty_dtype b)
{
    ty_dtype c = ty_is_complex(a) ? a : b;
    ty_dtype other = ty_is_complex(a) ? b : a;
    if (ty_is_complex(other) || ty_is_floating(other))
        return ty_real_to_complex(promote_floats(ty_complex_to_real(c), ty_complex_to_real(other)));
    return c;
}

static ty_dtype promote_integers(ty_dtype a, ty_dtype b)
{
    bool both_signed = ty_dtype_kind(a) == ty_dtype_kind(b);
    if (both_signed) return ty_dtype_size(a) > ty_dtype_size(b) ? a : b;
    ty_dtype signed_one = ty_dtype_kind(a) == TY_KIND_SIGNED ? a : b;
    return signed_one == TY_I8 ? TY_I16 : signed_one; /* the other is u8 */
}

ty_dtype ty_promote_types(ty_dtype a, ty_dtype b)
{
    if (a == b || b == TY_NO_DTYPE) return a;
    if (a == TY_NO_DTYPE) return b;
    if (ty_is_float8(a) || ty_is_float8(b)) return TY_NO_DTYPE;
    if (is_wide_unsigned(a) || is_wide_unsigned(b)) {
        if (ty_is_floating(a)) return a;
        return ty_is_floating(b) ? b : TY_NO_DTYPE;
    }
    if (ty_is_complex(a) || ty_is_complex(b)) return promote_complex(a, b);
    if (ty_is_floating(a) && ty_is_floating(b)) return promote_floats(a, b);
    if (ty_is_floating(a) || b == TY_BOOL) return a;
    if (ty_is_floating(b) || a == TY_BOOL) return b;
    return promote_integers(a, b);
}

/* A float or complex number counts as one of the default type, f32. */
static ty_dtype number_dtype(ty_dtype d)
{
    if (ty_is_complex(d)) return TY_C64;
    return ty_is_floating(d) ? TY_F32 : d;
}

/* combine_categories: the lower class only lifts the kind. */
static ty_dtype lift(ty_dtype higher, ty_dtype lower)
{
    if (ty_is_complex(higher)) return higher;
    if (ty_is_floating(higher)) return ty_is_complex(lower) ? ty_real_to_complex(higher) : higher;
    if (ty_is_complex(lower)) return lower;
    if (higher == TY_BOOL || ty_is_floating(lower)) return ty_promote_types(higher, lower);
    return higher == TY_NO_DTYPE ? lower : higher;
}

ty_dtype ty_result_type(const ty_operand *operands, uint32_t count)
{
    enum { WITH_DIMENSIONS, ZERO_DIM, NUMBER, CLASSES };
    ty_dtype classes[CLASSES] = {TY_NO_DTYPE, TY_NO_DTYPE, TY_NO_DTYPE};
    for (uint32_t i = 0; i < count; i++) {
        const ty_operand *o = &operands[i];
        int class = o->is_number ? NUMBER : o->is_zero_dim ? ZERO_DIM : WITH_DIMENSIONS;
        ty_dtype d = o->is_number ? number_dtype(o->dtype) : o->dtype;
        ty_dtype both = ty_promote_types(classes[class], d);
        if (both == TY_NO_DTYPE) return TY_NO_DTYPE;
        classes[class] = both;
    }
    ty_dtype scalars = lift(classes[ZERO_DIM], classes[NUMBER]);
    bool failed = scalars == TY_NO_DTYPE && classes[ZERO_DIM] != TY_NO_DTYPE;
    return failed ? TY_NO_DTYPE : lift(classes[WITH_DIMENSIONS], scalars);
}
