/* far.c -- memory of a run that is on a device, for those who look at it. */
#include "exec/exec_priv.h"

#include <stdint.h>

uint32_t exec_device_of(const exec_run *r, loop_buffer_id id)
{
    return wrap_device_number(r->w, r->w->loops->buffers.at[id].device);
}

bool exec_bring(const exec_run *r, uint32_t device, const void *from, int64_t bytes, exec_near *out)
{
    enum { PHASE = 8 }; /* addresses are alike in so many bytes */
    *out = (exec_near){.at = from};
    if (!device || !from || bytes <= 0) return true;
    out->block = rt_memory_new((size_t)bytes + PHASE);
    if (!out->block) {
        rt_fail(r->f, FE_RUN_NO_MEMORY, "no memory to look at a device's");
        return false;
    }
    out->at = (char *)out->block + (uintptr_t)from % PHASE;
    if (rt_move(r->f, device, from, 0, (void *)(uintptr_t)out->at, (size_t)bytes) == 0) return true;
    exec_put_down(out);
    return false;
}

void exec_put_down(exec_near *near)
{
    rt_memory_free(near->block);
    near->block = NULL;
}

bool exec_send(const exec_run *r, uint32_t device, void *to, const void *from, int64_t bytes)
{
    return bytes <= 0 || rt_move(r->f, 0, from, device, to, (size_t)bytes) == 0;
}

const char *exec_why(const exec_run *r)
{
    return r->f->context->error;
}
