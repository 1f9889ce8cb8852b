/* dtype.c -- the rows of dtype.def as functions. */
#include "ty/ty.h"

#include <math.h>
#include <string.h>

typedef struct dtype_row {
    const char *name, *torch_name, *c_name;
    uint32_t bytes;
    ty_kind kind;
    int number;
} dtype_row;

static const dtype_row ROWS[TY_DTYPE_COUNT] = {
    [TY_NO_DTYPE] = {"none", "none", "void", 0, TY_KIND_BOOL, 0},
#define DTYPE(id, text, torch, bytes, kind, number, c_type) \
    [TY_##id] = {text, torch, c_type, bytes, kind, number},
#include "ty/dtype.def"
#undef DTYPE
};

static const dtype_row *row_of(ty_dtype d)
{
    return &ROWS[(unsigned)d < TY_DTYPE_COUNT ? d : TY_NO_DTYPE];
}

const char *ty_dtype_name(ty_dtype d)
{
    return row_of(d)->name;
}

const char *ty_dtype_torch_name(ty_dtype d)
{
    return row_of(d)->torch_name;
}

const char *ty_dtype_c_name(ty_dtype d)
{
    return row_of(d)->c_name;
}

uint32_t ty_dtype_size(ty_dtype d)
{
    return row_of(d)->bytes;
}

uint32_t ty_dtype_alignment(ty_dtype d)
{
    return ty_dtype_size(d) / (ty_is_complex(d) ? 2 : 1);
}

ty_kind ty_dtype_kind(ty_dtype d)
{
    return row_of(d)->kind;
}

int ty_dtype_number(ty_dtype d)
{
    return row_of(d)->number;
}

bool ty_dtype_parse(const char *text_or_torch_name, ty_dtype *out)
{
    static const char PREFIX[] = "torch.";
    const size_t prefix = sizeof PREFIX - 1;
    const char *name = text_or_torch_name;
    if (strncmp(name, PREFIX, prefix) == 0) name += prefix;
    for (int d = TY_NO_DTYPE + 1; d < TY_DTYPE_COUNT; d++) {
        bool own = strcmp(text_or_torch_name, ROWS[d].name) == 0;
        if (!own && strcmp(name, ROWS[d].torch_name + prefix) != 0) continue;
        *out = (ty_dtype)d;
        return true;
    }
    return false;
}

ty_dtype ty_dtype_from_number(int64_t number)
{
    for (int d = TY_NO_DTYPE + 1; d < TY_DTYPE_COUNT; d++)
        if (ROWS[d].number == number) return (ty_dtype)d;
    return TY_NO_DTYPE;
}

double ty_dtype_most(ty_dtype d)
{
    int bits = (int)ty_dtype_size(d) * 8 - (ty_dtype_kind(d) == TY_KIND_SIGNED);
    switch (d) {
    case TY_F16: return 0x1.ffcp15;
    case TY_BF16: return 0x1.fep127;
    case TY_F32: return 0x1.fffffep127;
    case TY_F64: return 0x1.fffffffffffffp1023;
    default: break;
    }
    if (!ty_is_integral(d, false)) return 0;
    return ldexp(1, bits) - (bits < 53);
}

bool ty_is_half(ty_dtype d)
{
    return d == TY_F16 || d == TY_BF16;
}

bool ty_is_floating(ty_dtype d)
{
    return ty_dtype_kind(d) == TY_KIND_FLOAT;
}

bool ty_is_complex(ty_dtype d)
{
    return ty_dtype_kind(d) == TY_KIND_COMPLEX;
}

bool ty_is_integral(ty_dtype d, bool include_bool)
{
    ty_kind kind = ty_dtype_kind(d);
    if (d == TY_NO_DTYPE) return false;
    return kind == TY_KIND_UNSIGNED || kind == TY_KIND_SIGNED ||
           (include_bool && kind == TY_KIND_BOOL);
}

ty_dtype ty_complex_to_real(ty_dtype d)
{
    switch (d) {
    case TY_C32: return TY_F16;
    case TY_C64: return TY_F32;
    case TY_C128: return TY_F64;
    default: return d;
    }
}

ty_dtype ty_real_to_complex(ty_dtype d)
{
    switch (d) {
    case TY_F16: return TY_C32;
    case TY_BF16:
    case TY_F32: return TY_C64;
    case TY_F64: return TY_C128;
    default: return d;
    }
}
