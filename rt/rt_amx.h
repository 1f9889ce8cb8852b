/* rt_amx.h - the tile registers of AMX: eight, each of up to 16 rows of 64 bytes.
 *
 * Registers 0 to 3 hold sums, of 32 rows by 32 columns, 4 and 5 A, 6 and 7 B. A tile of B is 16 lines of a
 * panel as they lie (rt_kernels.h): words of two steps of bf16, or of four of int8. What uses tiles lies
 * between rt_amx_begin() and rt_amx_end(), and takes whole ones: of A and of the sums as many rows as
 * rt_amx_rows() has said last, of B all 16, unless they have begun with
 * fewer lines.
 */
#ifndef RT_AMX_H
#define RT_AMX_H

#include "rt_isa.h"

#if defined(RT_ISA_V4) && !defined(FERRITE_SCALAR) && defined(__x86_64__) && defined(__linux__)
#if defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11
#define RT_HAS_AMX
#endif
#endif

#ifdef RT_HAS_AMX

#define RT_AMX __attribute__((target("amx-tile,amx-bf16,amx-int8")))

enum {
    AMX_ROWS = 16, /* of a tile */
    AMX_BYTES = 64,
    AMX_STRIP = 2 * AMX_ROWS /* rows of the sums */
};
_Static_assert((int)RT_PANEL == 2 * 16, "two tiles of sums are as wide as a panel");

/* Registers by their numbers, 0 to 7, which are parts of instructions. Intrinsics do not tell the compiler
 * which memory they read. */
#define RT_AMX_LOAD(tile, from, stride)                                              \
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #tile ::"r"((const void *)(from)), \
                     "r"((int64_t)(stride))                                          \
                     : "memory")
#define RT_AMX_STORE(tile, to, stride)                                           \
    __asm__ volatile("tilestored %%tmm" #tile ", (%0,%1,1)" ::"r"((void *)(to)), \
                     "r"((int64_t)(stride))                                      \
                     : "memory")
#define RT_AMX_ZERO(tile) __asm__ volatile("tilezero %%tmm" #tile ::)
/* The tile of sums += that of A x that of B. */
#define RT_AMX_BF16(sum, a, b) __asm__ volatile("tdpbf16ps %%tmm" #b ", %%tmm" #a ", %%tmm" #sum ::)
#define RT_AMX_I8(sum, a, b) __asm__ volatile("tdpbssd %%tmm" #b ", %%tmm" #a ", %%tmm" #sum ::)
#define RT_AMX_U8_I8(sum, a, b) __asm__ volatile("tdpbusd %%tmm" #b ", %%tmm" #a ", %%tmm" #sum ::)

/* Rows that tiles of A and of the sums have: of the upper ones, and of the lower ones, 0 where the sums have
 * no more than 16. Lines: of a tile of B, and words of a row of A. */
typedef struct rt_amx_shape {
    int64_t upper, lower, lines;
} rt_amx_shape;

/* Changes the shape, and with it what all tiles hold, if it is another one. */
RT_AMX RT_INLINE void rt_amx_rows(rt_amx_shape *shape, int64_t rows)
{
    struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t row_bytes[16];
        uint8_t rows[16];
    } tiles = {.palette = 1};
    int64_t upper = rt_min(rows, AMX_ROWS), lower = rows - upper;
    if (shape->upper == upper && shape->lower == lower) return;
    shape->upper = upper;
    shape->lower = lower;
    for (int i = 0; i < 8; i++) {
        int is_a = i == 4 || i == 5, is_b = i >= 6, is_lower = i == 2 || i == 3 || i == 5;
        tiles.row_bytes[i] = (uint16_t)(is_a ? 4 * shape->lines : AMX_BYTES);
        tiles.rows[i] = (uint8_t)(is_b ? shape->lines : is_lower && lower ? lower : upper);
    }
    __asm__ volatile("ldtilecfg %0" ::"m"(tiles));
}

/* With tiles of B of so many lines. */
RT_AMX RT_INLINE rt_amx_shape rt_amx_begin_with(int64_t lines)
{
    rt_amx_shape shape = {0, 0, lines};
    rt_amx_rows(&shape, AMX_STRIP);
    return shape;
}

RT_AMX RT_INLINE rt_amx_shape rt_amx_begin(void)
{
    return rt_amx_begin_with(AMX_ROWS);
}

RT_AMX RT_INLINE void rt_amx_end(void)
{
    __asm__ volatile("tilerelease" ::);
}

#endif
#endif
