/* integer.c -- pieces of the prelude: primitives of integers, and their arithmetic one at a time,
 * for every operand. */
#include "kern/c/c.h"

#define SIGNED (KERN_DTYPE(TY_I8) | KERN_DTYPE(TY_I16) | KERN_DTYPE(TY_I32) | KERN_DTYPE(TY_I64))
#define UNSIGNED (KERN_DTYPE(TY_U8) | KERN_DTYPE(TY_U16) | KERN_DTYPE(TY_U32) | KERN_DTYPE(TY_U64))

/* Of a selection compilers make two instructions. */
#define EXTREME(name, wins)                                                                  \
    {name, KERN_DTYPE(TY_I32), '3',                                                          \
     "FE $T " name "_$S($T a, $T b) { return ($T)__builtin_ia32_p" name "sd256(a, b); }\n"}, \
        {name, KERN_DTYPE(TY_I32), '4',                                                      \
         "FE $T " name "_$S($T a, $T b) { return ($T)__builtin_ia32_p" name                  \
         "sd512_mask(a, b, a, -1); }\n"},                                                    \
        {name, KERN_DTYPE(TY_I64), '4',                                                      \
         "FE $T " name "_$S($T a, $T b)\n"                                                   \
         "{\n"                                                                               \
         "  typedef long long wide __attribute__((vector_size(64)));\n"                      \
         "  return ($T)__builtin_ia32_p" name "sq512_mask((wide)a, (wide)b, (wide)a, -1);\n" \
         "}\n"},                                                                             \
    {                                                                                        \
        name, SIGNED | UNSIGNED, 'v',                                                        \
            "FE $T " name "_$S($T a, $T b) { const $I m = a " wins                           \
            " b; return ($T)((m & ($I)a) | (~m & ($I)b)); }\n"                               \
    }

static const kern_c_piece PIECES[] = {
    EXTREME("min", "<"),
    EXTREME("max", ">"),
    /* a float cut to an integer: compilers that see it come back make one truncation of both, which keeps
     * what is too large and NaN, and the sign of -0.3 */
    {"settled", KERN_DTYPE(TY_I64), 'v',
     "FE $T settled_$S($T a)\n{\n  __asm__(\"\" : \"+m\"(a));\n  return a;\n}\n"},
    {"settled", KERN_DTYPE(TY_I64), '3',
     "FE $T settled_$S($T a)\n{\n  __asm__(\"\" : \"+x\"(a));\n  return a;\n}\n"},
    {"settled", KERN_DTYPE(TY_I64), '4',
     "FE $T settled_$S($T a)\n{\n  __asm__(\"\" : \"+v\"(a));\n  return a;\n}\n"},
    /* products of the low halves of 64 bits */
    {"lowhalves", KERN_DTYPE(TY_I64), '4',
     "FE $T lowhalves_$S($T a, $T b)\n"
     "{\n"
     "  typedef int half __attribute__((vector_size(64)));\n"
     "  typedef long long wide __attribute__((vector_size(64)));\n"
     "  return ($T)__builtin_ia32_pmuludq512_mask((half)a, (half)b, (wide){0}, -1);\n"
     "}\n"},
    {"lowhalves", KERN_DTYPE(TY_I64), '3',
     "FE $T lowhalves_$S($T a, $T b)\n"
     "{\n"
     "  typedef int half __attribute__((vector_size(32)));\n"
     "  return ($T)__builtin_ia32_pmuludq256((half)a, (half)b);\n"
     "}\n"},
    {"lowhalves", KERN_DTYPE(TY_I64), '2',
     "FE $T lowhalves_$S($T a, $T b)\n"
     "{\n"
     "  typedef int half __attribute__((vector_size(16)));\n"
     "  return ($T)__builtin_ia32_pmuludq128((half)a, (half)b);\n"
     "}\n"},
    {"lowhalves", KERN_DTYPE(TY_I64), 'v',
     "FE $T lowhalves_$S($T a, $T b) { return ($T)(($U)(a & 0xffffffff) * ($U)(b & 0xffffffff)); "
     "}\n"},
    /* one at a time */
    {"floordiv", SIGNED, 's',
     "FE $T floordiv_$S($T a, $T b)\n{\n  if (b == 0) return 0;\n  if (b == -1) return ($T)(0 - "
     "($U)a);\n"
     "  return ($T)(a / b - ((a % b != 0) & ((a < 0) != (b < 0))));\n}\n"},
    {"truncdiv", SIGNED, 's',
     "FE $T truncdiv_$S($T a, $T b) { return b == 0 ? 0 : b == -1 ? ($T)(0 - ($U)a) : ($T)(a / b); "
     "}\n"},
    {"rem", SIGNED, 's',
     "FE $T rem_$S($T a, $T b)\n{\n  if (b == 0 || b == -1) return 0;\n  $T r = a % b;\n"
     "  return r && (r < 0) != (b < 0) ? ($T)(r + b) : r;\n}\n"},
    {"fmod", SIGNED, 's',
     "FE $T fmod_$S($T a, $T b) { return b == 0 || b == -1 ? 0 : ($T)(a % b); }\n"},
    {"floordiv", UNSIGNED, 's', "FE $T floordiv_$S($T a, $T b) { return b ? ($T)(a / b) : 0; }\n"},
    {"truncdiv", UNSIGNED, 's', "FE $T truncdiv_$S($T a, $T b) { return b ? ($T)(a / b) : 0; }\n"},
    {"rem", UNSIGNED, 's', "FE $T rem_$S($T a, $T b) { return b ? ($T)(a % b) : 0; }\n"},
    {"fmod", UNSIGNED, 's', "FE $T fmod_$S($T a, $T b) { return b ? ($T)(a % b) : 0; }\n"},
    {"pow", SIGNED, 's',
     "static $T pow_$S($T a, $T b)\n{\n  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) "
     ": 0;\n"
     "  u64 r = 1, f = (u64)a;\n  for (u64 e = (u64)b; e; e >>= 1, f *= f) if (e & 1) r *= f;\n  "
     "return ($T)r;\n}\n"},
    {"pow", UNSIGNED, 's',
     "static $T pow_$S($T a, $T b)\n{\n  u64 r = 1, f = (u64)a;\n"
     "  for (u64 e = (u64)b; e; e >>= 1, f *= f) if (e & 1) r *= f;\n  return ($T)r;\n}\n"},
    {"gcd", SIGNED | UNSIGNED, 's',
     "static $T gcd_$S($T a, $T b)\n{\n  u64 x = (i64)a < 0 ? 0 - (u64)a : (u64)a, y = (i64)b < 0 "
     "? 0 - (u64)b : (u64)b;\n"
     "  while (y) { u64 r = x % y; x = y; y = r; }\n  return ($T)x;\n}\n"},
    {"shl", SIGNED | UNSIGNED, 's',
     "FE $T shl_$S($T a, $T b) { return b < 0 || b >= ($T)(8 * sizeof a) ? 0 : ($T)(($U)a << b); "
     "}\n"},
    {"shr", SIGNED, 's',
     "FE $T shr_$S($T a, $T b) { return ($T)(a >> (b < 0 || b >= ($T)(8 * sizeof a) ? ($T)(8 * "
     "sizeof a) - 1 : b)); }\n"},
    {"shr", UNSIGNED, 's',
     "FE $T shr_$S($T a, $T b) { return b >= 8 * sizeof a ? 0 : ($T)(a >> b); }\n"},
};

const kern_c_piece *kern_c_integer_pieces(uint32_t *count)
{
    *count = COUNT_OF(PIECES);
    return PIECES;
}
