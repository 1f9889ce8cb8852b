/* test_kernels.c - every kernel of rt_kernels.h against naive loops in a wider type, over odd shapes, on
 * every instruction set this machine has, with one thread, two and three. Prints "N passed, N failed";
 * exits nonzero on a failure. The tests are in files for families of kernels.
 *
 *     test_kernels [ISA [THREADS]]      of that one alone, with so many threads
 *     test_kernels --isas               the names of those that there are, from the best on
 */
#include "test_kernels.h"

#include <string.h>

struct tests tests = {.random = 12345};

/* Of doubles there are these alone. */
void test_products_f64(void);
void test_convs_f64(void);
void test_long_sums_f64(void);

static void test_all(int threads)
{
    tests.pool = rt_pool_get(threads);
    test_pool(tests.pool, &tests.passed, &tests.failed);
    test_products_f32();
    test_quantiseds();
    test_products_of_integers();
    test_conv_weights();
    test_convs_f32();
    test_tiles();
    test_sdpas();
    test_long_sums_f32();
    test_half_convs();
    if (threads < 3) test_halves(tests.pool, &tests.passed, &tests.failed);
    if (threads != 2) return;
    test_products_f64();
    test_convs_f64();
    test_long_sums_f64();
}

int main(int count, char **arguments)
{
    static const char *const isas[] = {"native", "x86-64-v4", "x86-64-v3", "baseline"};
    const char *only = count > 1 ? arguments[1] : "";
    int wanted = count > 2 ? atoi(arguments[2]) : 0;
    for (int isa = rt_amx_here() ? 0 : 1; isa < 4; isa++) {
        if (rt_isa_force(isas[isa]) != 0) continue;
        if (strcmp(only, "--isas") == 0) puts(isas[isa]);
        if (*only && strcmp(only, isas[isa]) != 0) continue;
        for (int threads = 1; threads <= 3; threads++)
            if (!wanted || threads == wanted) test_all(threads);
    }
    if (strcmp(only, "--isas") == 0) return 0;
    rt_pool_shutdown();
    tests.pool = rt_pool_get(2);
    test_pool(tests.pool, &tests.passed, &tests.failed);
    printf("%d passed, %d failed\n", tests.passed, tests.failed);
    return tests.failed != 0;
}
