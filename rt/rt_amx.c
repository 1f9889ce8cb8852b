/* rt_amx.c - has this processor the tile registers of AMX, and may this process use them? Linux gives them to
 * processes that ask, as they make what is saved of each thread eight kilobytes larger.
 */
#define _GNU_SOURCE
#include "rt_kernels.h"

#if defined(__x86_64__) && defined(__linux__) && !defined(FERRITE_SCALAR)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    ASK_PERMISSION = 0x1023, /* ARCH_REQ_XCOMP_PERM */
    TILE_DATA = 18,          /* of the states that are saved, */
    TILES_SAVED = 3 << 17,   /* with that of the shapes */
    LEAF_OF_FEATURES = 7,    /* of cpuid; in edx bf16, tiles and int8: */
    TILE_FEATURES = 1 << 22 | 1 << 24 | 1 << 25,
    SAVES_STATES = 1 << 27 /* of its leaf 1, in ecx */
};

static unsigned saved_states(void)
{
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static int ask(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & SAVES_STATES)) return 0;
    if ((saved_states() & TILES_SAVED) != TILES_SAVED) return 0;
    if (!__get_cpuid_count(LEAF_OF_FEATURES, 0, &a, &b, &c, &d)) return 0;
    if ((d & TILE_FEATURES) != TILE_FEATURES) return 0;
    return syscall(SYS_arch_prctl, ASK_PERMISSION, TILE_DATA) == 0;
}

int rt_amx_here(void)
{
    enum { UNKNOWN, NO, YES };
    static volatile int answer = UNKNOWN; /* the same, whichever thread asks */
    if (answer == UNKNOWN) answer = ask() ? YES : NO;
    return answer == YES;
}
#else
int rt_amx_here(void)
{
    return 0;
}
#endif
