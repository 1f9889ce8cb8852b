/* narrow.c -- pieces of the prelude: lanes of a byte as lanes of 32 bits, and back.
 *
 * gcc makes this element by element where the bytes come from memory, or go there: so it is told the
 * instruction.
 */
#include "kern/c/c.h"

#define I32 KERN_DTYPE(TY_I32)
#define CHARS "  typedef char chars __attribute__((vector_size(16)));\n"
/* of 8 bytes, in a register of 16 */
#define LOW                                                              \
    CHARS "  typedef long long pair __attribute__((vector_size(16)));\n" \
          "  const pair low = {(long long)x};\n"

#define FROM_BYTES(name, type, instruction)                                                        \
    {name, I32, 'v',                                                                               \
     "FE $T " name "_$S(@" type ":type x) { return __builtin_convertvector(x, $T); }\n"},          \
        {name, I32, '3',                                                                           \
         "FE $T " name "_$S(@" type ":type x)\n{\n" LOW "  return ($T)__builtin_ia32_" instruction \
         "256((chars)low);\n}\n"},                                                                 \
    {                                                                                              \
        name, I32, '4',                                                                            \
            "FE $T " name "_$S(@" type ":type x)\n{\n" CHARS                                       \
            "  return ($T)__builtin_ia32_" instruction                                             \
            "512_mask((chars)x, ($T){0}, (u16)-1);\n}\n"                                           \
    }

/* The lowest byte of each lane: in both halves of a register the bytes are gathered at the front. */
#define FRONT "0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1"
#define TO_BYTES(name, type)                                                                   \
    {name, I32, 'v',                                                                           \
     "FE @" type ":type " name "_$S($T x) { return __builtin_convertvector(x, @" type          \
     ":type); }\n"},                                                                           \
        {name, I32, '3',                                                                       \
         "FE @" type ":type " name "_$S($T x)\n{\n"                                            \
         "  typedef char chars __attribute__((vector_size(32)));\n"                            \
         "  typedef i32 two __attribute__((vector_size(8)));\n"                                \
         "  const $T front = ($T)__builtin_ia32_pshufb256((chars)x, (chars){" FRONT ", " FRONT \
         "});\n"                                                                               \
         "  return (@" type ":type)(two){front[0], front[4]};\n}\n"},                          \
    {                                                                                          \
        name, I32, '4',                                                                        \
            "FE @" type ":type " name "_$S($T x)\n{\n" CHARS "  return (@" type                \
            ":type)__builtin_ia32_pmovdb512_mask(x, (chars){0}, (u16)-1);\n}\n"                \
    }

static const kern_c_piece PIECES[] = {
    FROM_BYTES("fromu8", "u8", "pmovzxbd"),
    FROM_BYTES("fromi8", "i8", "pmovsxbd"),
    TO_BYTES("tou8", "u8"),
    TO_BYTES("toi8", "i8"),
};

const kern_c_piece *kern_c_narrow_pieces(uint32_t *count)
{
    *count = COUNT_OF(PIECES);
    return PIECES;
}
