/* c_math.c -- pieces of the prelude: functions of floats. */
#include "kern/kern_priv.h"

#define FLOATS (C_DTYPE(TY_F32) | C_DTYPE(TY_F64))

static const c_piece PIECES[] = {
    /* c10::div_floor_floating, and torch.remainder */
    {"floordiv", FLOATS, 's',
     "static $T floordiv_$S($T a, $T b)\n{\n  if (b == 0) return a / b;\n"
     "  const $T r = __builtin_fmod$f(a, b);\n  $T q = (a - r) / b;\n  if (r != 0 && (b < 0) != (r < 0)) q -= 1;\n"
     "  if (q == 0) return __builtin_copysign$f(0, a / b);\n  const $T w = __builtin_floor$f(q);\n"
     "  return q - w > ($T)0.5 ? w + 1 : w;\n}\n"},
    {"rem", FLOATS, 's',
     "static $T rem_$S($T a, $T b)\n{\n  const $T r = __builtin_fmod$f(a, b);\n"
     "  return r != 0 && (b < 0) != (r < 0) ? r + b : r;\n}\n"},
    /* f16 and bf16 as bits; rounding to nearest even */
    {"frombf", C_DTYPE(TY_F32), 'v',
     "FE $T frombf_$S(@u16:type x) { return ($T)(__builtin_convertvector(x, $I) << 16); }\n"},
    {"tobf", C_DTYPE(TY_F32), 'v',
     "FE @u16:type tobf_$S($T x)\n{\n  const $U u = ($U)x, nan = ($U)(x != x);\n"
     "  return __builtin_convertvector((nan & (u >> 16 | 0x40)) | (~nan & ((u + 0x7fff + (u >> 16 & 1)) >> 16)), @u16:type);\n}\n"},
    {"fromhalf", C_DTYPE(TY_F32), '4',
     "FE $T fromhalf_$S(@u16:type x) { return __builtin_ia32_vcvtph2ps512_mask((@i16:type)x, ($T){0}, -1, 4); }\n"},
    {"tohalf", C_DTYPE(TY_F32), '4',
     "FE @u16:type tohalf_$S($T x) { return (@u16:type)__builtin_ia32_vcvtps2ph512_mask(x, 0, (@i16:type){0}, -1); }\n"},
    {"fromhalf", C_DTYPE(TY_F32), 'v',
     "FE $T fromhalf_$S(@u16:type x)\n{\n  const $I h = __builtin_convertvector(x, $I);\n"
     "  const $T f = ($T)((h & 0x7fff) << 13) * 0x1p112f;\n  const $I big = (h & 0x7c00) == 0x7c00;\n"
     "  return ($T)(($I)f | (big & 0x7f800000) | (h & 0x8000) << 16);\n}\n"},
    {"tohalf", C_DTYPE(TY_F32), 'v',
     "FE @u16:type tohalf_$S($T x)\n{\n  const $I i = ($I)x, a = i & 0x7fffffff, small = a < 0x38800000, nan = a > 0x7f800000;\n"
     "  const $I low = ($I)(($T)a + 0.5f) - 0x3f000000, high = (a + 0xfff + (a >> 13 & 1) - 0x38000000) >> 13;\n"
     "  const $I over = high > 0x7c00;\n  $I r = (small & low) | (~small & ((over & 0x7c00) | (~over & high)));\n"
     "  r = (nan & 0x7e00) | (~nan & r);\n  return __builtin_convertvector(r | (i >> 16 & 0x8000), @u16:type);\n}\n"},
    {"frombf", C_DTYPE(TY_F32), 's', "FE f32 frombf_f32(u16 x) { return ((union { u32 u; f32 f; }){(u32)x << 16}).f; }\n"},
    {"tobf", C_DTYPE(TY_F32), 's',
     "FE u16 tobf_f32(f32 x)\n{\n  const u32 u = ((union { f32 f; u32 u; }){x}).u;\n"
     "  return x != x ? u >> 16 | 0x40 : (u + 0x7fff + (u >> 16 & 1)) >> 16;\n}\n"},
    {"fromhalf", C_DTYPE(TY_F32), 's',
     "FE f32 fromhalf_f32(u16 h)\n{\n  const f32 f = ((union { u32 u; f32 f; }){(h & 0x7fffu) << 13}).f * 0x1p112f;\n"
     "  u32 u = ((union { f32 f; u32 u; }){f}).u;\n  u |= ((h & 0x7c00) == 0x7c00 ? 0x7f800000u : 0) | (h & 0x8000u) << 16;\n"
     "  return ((union { u32 u; f32 f; }){u}).f;\n}\n"},
    {"tohalf", C_DTYPE(TY_F32), 's',
     "static u16 tohalf_f32(f32 x)\n{\n  const u32 i = ((union { f32 f; u32 u; }){x}).u, a = i & 0x7fffffff;\n"
     "  const u32 low = ((union { f32 f; u32 u; }){((union { u32 u; f32 f; }){a}).f + 0.5f}).u - 0x3f000000;\n"
     "  const u32 high = (a + 0xfff + (a >> 13 & 1) - 0x38000000) >> 13;\n"
     "  return (u16)((a > 0x7f800000 ? 0x7e00 : a < 0x38800000 ? low : high > 0x7c00 ? 0x7c00 : high) | (i >> 16 & 0x8000));\n}\n"},
    {"mul", C_DTYPE(TY_C64) | C_DTYPE(TY_C128), 's',
     "FE $T mul_$S($T a, $T b)\n{\n  return __builtin_complex(__real__ a * __real__ b - __imag__ a * __imag__ b,\n"
     "                           __real__ a * __imag__ b + __imag__ a * __real__ b);\n}\n"},
};

const c_piece *c_math_pieces(uint32_t *count)
{
    *count = COUNT_OF(PIECES);
    return PIECES;
}
