/* data.c -- the elements of constants, one by one: for the text form and for what a pass must know
 * of a number. */
#include "fx/fx_priv.h"

#include <math.h>
#include <string.h>

/* ---- elements ---- */

#define READ(type, at) ((type *)memcpy(&(type){0}, (at), sizeof(type)))[0]
#define WRITE(type, at, value) (void)memcpy((at), &(type){(type)(value)}, sizeof(type))

fx_element fx_element_read(ty_dtype dtype, const uint8_t *at)
{
    fx_element e = {.is_float = ty_is_floating(dtype) || ty_is_complex(dtype)};
    switch (dtype) {
    case TY_U8:
    case TY_BOOL: e.integer = READ(uint8_t, at); break;
    case TY_I8: e.integer = READ(int8_t, at); break;
    case TY_I16: e.integer = READ(int16_t, at); break;
    case TY_U16: e.integer = READ(uint16_t, at); break;
    case TY_I32: e.integer = READ(int32_t, at); break;
    case TY_U32: e.integer = READ(uint32_t, at); break;
    case TY_I64: e.integer = READ(int64_t, at); break;
    case TY_U64: e.integer = (int64_t)READ(uint64_t, at); break;
    case TY_F16: e.number[0] = ty_half_value(TY_F16, READ(uint16_t, at)); break;
    case TY_BF16: e.number[0] = ty_half_value(TY_BF16, READ(uint16_t, at)); break;
    case TY_F32: e.number[0] = (double)READ(float, at); break;
    case TY_F64: e.number[0] = READ(double, at); break;
    case TY_C32:
        e.number[0] = ty_half_value(TY_F16, READ(uint16_t, at));
        e.number[1] = ty_half_value(TY_F16, READ(uint16_t, at + 2));
        break;
    case TY_C64:
        e.number[0] = (double)READ(float, at);
        e.number[1] = (double)READ(float, at + 4);
        break;
    case TY_C128:
        e.number[0] = READ(double, at);
        e.number[1] = READ(double, at + 8);
        break;
    default:
        if (ty_is_float8(dtype)) e.number[0] = ty_float8_value(dtype, *at);
        break;
    }
    return e;
}

void fx_element_write(ty_dtype dtype, uint8_t *at, const fx_element *e)
{
    switch (dtype) {
    case TY_U8:
    case TY_BOOL: WRITE(uint8_t, at, e->integer); break;
    case TY_I8: WRITE(int8_t, at, e->integer); break;
    case TY_I16: WRITE(int16_t, at, e->integer); break;
    case TY_U16: WRITE(uint16_t, at, e->integer); break;
    case TY_I32: WRITE(int32_t, at, e->integer); break;
    case TY_U32: WRITE(uint32_t, at, e->integer); break;
    case TY_I64: WRITE(int64_t, at, e->integer); break;
    case TY_U64: WRITE(uint64_t, at, e->integer); break;
    case TY_F16: WRITE(uint16_t, at, ty_half_bits(TY_F16, e->number[0])); break;
    case TY_BF16: WRITE(uint16_t, at, ty_half_bits(TY_BF16, e->number[0])); break;
    case TY_F32: WRITE(float, at, e->number[0]); break;
    case TY_F64: WRITE(double, at, e->number[0]); break;
    case TY_C32:
        WRITE(uint16_t, at, ty_half_bits(TY_F16, e->number[0]));
        WRITE(uint16_t, at + 2, ty_half_bits(TY_F16, e->number[1]));
        break;
    case TY_C64:
        WRITE(float, at, e->number[0]);
        WRITE(float, at + 4, e->number[1]);
        break;
    case TY_C128:
        WRITE(double, at, e->number[0]);
        WRITE(double, at + 8, e->number[1]);
        break;
    default:
        if (ty_is_float8(dtype)) *at = ty_float8_bits(dtype, e->number[0]);
        break;
    }
}

void fx_elements_scale(ty_dtype dtype, uint8_t *to, const uint8_t *from, size_t count, double by)
{
    size_t size = ty_dtype_size(dtype);
    if (dtype == TY_F32) { /* nearly every weight */
        for (size_t i = 0; i < count; i++)
            WRITE(float, to + i * size, READ(float, from + i * size) * by);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        fx_element e = fx_element_read(dtype, from + i * size);
        e.number[0] *= by;
        e.number[1] *= by;
        fx_element_write(dtype, to + i * size, &e);
    }
}

int64_t fx_element_offsets(const fx_graph *g, const ty_tensor *x, size_t size, size_t *offsets,
                           uint32_t room)
{
    int64_t sizes[TY_MAX_RANK], strides[TY_MAX_RANK], start, count = 1,
                                                             width = ty_dtype_size(x->dtype);
    if (x->rank > TY_MAX_RANK || width == 0 || !sym_is_int(g->symbols, x->offset, &start))
        return -1;
    for (uint32_t d = 0; d < x->rank; d++) {
        if (!sym_is_int(g->symbols, x->sizes[d], &sizes[d]) ||
            !sym_is_int(g->symbols, x->strides[d], &strides[d]))
            return -1;
        if (sizes[d] < 0 || sizes[d] > (int64_t)room) count = sizes[d] = (int64_t)room + 1;
        if (sizes[d] == 0) return 0;
        count = count > (int64_t)room ? count : count * sizes[d];
    }
    if (count > (int64_t)room) return -1;
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, place = start, product;
        for (uint32_t d = x->rank; d-- > 0; rest /= sizes[d])
            if (__builtin_mul_overflow(rest % sizes[d], strides[d], &product) ||
                __builtin_add_overflow(place, product, &place))
                return -1;
        if (place < 0 || place >= (int64_t)(size / (size_t)width)) return -1;
        offsets[i] = (size_t)place * (size_t)width;
    }
    return count;
}

bool fx_constant_number(const fx_graph *g, const fx_node *n, double *out)
{
    const ty_tensor *x = fx_tensor(n);
    if (!x)
        return fx_arg_number(g, &(fx_arg){.kind = FX_ARG_NODE, .node = (fx_node *)(uintptr_t)n},
                             out);
    size_t offset;
    bool constant = n->kind == FX_PLACEHOLDER && n->input_kind == FX_CONSTANT && n->data;
    if (!constant || ty_is_complex(x->dtype)) return false;
    if (fx_element_offsets(g, x, n->data->size, &offset, 1) != 1) return false;
    fx_element e = fx_element_read(x->dtype, n->data->bytes + offset);
    *out = e.is_float ? e.number[0] : (double)e.integer;
    return true;
}
