/* rt_device.c - lines of programs for several devices, where the host is the only one there is. */
#include "rt_program.h"

#include <string.h>

static int is_host(const char *device)
{
    return strcmp(device, "cpu") == 0;
}

int rt_on_device(rt_frame *frame, const char *device)
{
    if (is_host(device)) return 0;
    return rt_fail(frame, FE_RUN_BAD_INPUT,
                   "the program runs on %s, and this runtime has the cpu alone", device);
}

int rt_transfer(rt_frame *frame, const fe_tensor *from, const char *from_device,
                const fe_tensor *to, const char *to_device, int async)
{
    (void)async; /* it is done when this returns */
    RT_TRY(rt_on_device(frame, from_device));
    RT_TRY(rt_on_device(frame, to_device));
    return rt_op_copy(frame, &(rt_call){.in = from, .in_count = 1, .out = to, .out_count = 1});
}
