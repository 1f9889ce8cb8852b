/* rt_fault.c - indices out of range, divisors that are zero: how a kernel says so, and what the run does. */
#include "rt_program.h"

#ifndef __STDC_NO_ATOMICS__
#include <stdatomic.h>
static int is_first(rt_fault *fault)
{
    return !atomic_exchange_explicit(&fault->raised, 1, memory_order_relaxed);
}
#else
static int is_first(rt_fault *fault)
{
    return !fault->raised++;
}
#endif

/* Called by any of the threads; what the first one says is read when all have come back. */
void rt_outside(rt_fault *fault, int64_t check, int64_t index, int64_t size)
{
    if (!is_first(fault)) return;
    fault->check = check;
    fault->index = index;
    fault->size = size;
}

int rt_in_range(rt_frame *frame, const rt_check *checks)
{
    const rt_fault *fault = &frame->fault;
    if (!fault->raised) return 0;
    const rt_check *check = &checks[fault->check];
    /* below 0 it was wrapped once: as it was given */
    int64_t size = fault->size, index = fault->index;
    if (check->wraps && index < 0) index -= size;
    if (check->dimension == RT_DIVISOR)
        return rt_fail(frame, FE_RUN_ASSERTION, "%s: an integer is divided by zero", check->where);
    if (check->dimension < 0)
        return rt_fail(frame, FE_RUN_ASSERTION, "%s: index %lld is out of bounds for %lld elements",
                       check->where, (long long)index, (long long)size);
    return rt_fail(frame, FE_RUN_ASSERTION,
                   "%s: index %lld is out of bounds for dimension %d with size %lld", check->where,
                   (long long)index, (int)check->dimension, (long long)size);
}
