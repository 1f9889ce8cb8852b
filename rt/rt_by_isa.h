/* rt_by_isa.h - tables of kernels that are compiled once for each instruction set and type of numbers
 * (rt_KIND_f32_v3, ...), and the one that calls go to.
 *
 * RT_KERNELS_BY_ISA(kind, RT_OF_REALS or RT_OF_ALL_TYPES) defines
 * `const rt_kind_kernels *rt_kind_kernels_of(int type)`, for RT_F32 and RT_F64, or for the complex types too;
 * with RT_OF_ONE there is one table, rt_KIND_v3, and type is 0.
 */
#ifndef RT_BY_ISA_H
#define RT_BY_ISA_H

#include "rt_kernels.h"

#define RT_OF_REALS(kind, isa)                                                        \
    extern const rt_##kind##_kernels rt_##kind##_f32_##isa, rt_##kind##_f64_##isa;    \
    static const rt_##kind##_kernels *const kind##_##isa[] = {&rt_##kind##_f32_##isa, \
                                                              &rt_##kind##_f64_##isa};

#define RT_OF_ONE(kind, isa)                            \
    extern const rt_##kind##_kernels rt_##kind##_##isa; \
    static const rt_##kind##_kernels *const kind##_##isa[] = {&rt_##kind##_##isa};

#define RT_OF_ALL_TYPES(kind, isa)                                                 \
    extern const rt_##kind##_kernels rt_##kind##_f32_##isa, rt_##kind##_f64_##isa, \
        rt_##kind##_c64_##isa, rt_##kind##_c128_##isa;                             \
    static const rt_##kind##_kernels *const kind##_##isa[] = {                     \
        &rt_##kind##_f32_##isa, &rt_##kind##_f64_##isa, &rt_##kind##_c64_##isa,    \
        &rt_##kind##_c128_##isa};

#if defined __x86_64__ && !defined RT_ONLY_BASE && !defined FERRITE_SCALAR
#define RT_KERNELS_BY_ISA(kind, TABLE)                                                    \
    TABLE(kind, base)                                                                     \
    TABLE(kind, v3)                                                                       \
    TABLE(kind, v4)                                                                       \
    const rt_##kind##_kernels *rt_##kind##_kernels_of(int type)                           \
    {                                                                                     \
        const rt_##kind##_kernels *const *tables[] = {kind##_base, kind##_v3, kind##_v4}; \
        return tables[rt_isa_level()][type];                                              \
    }
#else
#define RT_KERNELS_BY_ISA(kind, TABLE)                          \
    TABLE(kind, base)                                           \
    const rt_##kind##_kernels *rt_##kind##_kernels_of(int type) \
    {                                                           \
        return kind##_base[type];                               \
    }
#endif

#endif
