/* triton.c -- kernels of the user's that are written in Triton. */
#include "infer/infer_priv.h"

/* The new values of the tensors that the kernel writes to: laid out as these, in memory of their own. */
void rule_triton_kernel(infer_call *c)
{
    const fx_arg *buffers = infer_arg(c, "buffers"), *written = infer_arg(c, "written");
    if (!buffers || !written || buffers->kind != FX_ARG_LIST || written->kind != FX_ARG_LIST) {
        infer_fail(c, "its lists of tensors are not there");
        return;
    }
    ty_tensor **items = NEW_ARRAY(c->memory, ty_tensor *, written->list.count + 1);
    for (uint32_t k = 0; k < written->list.count; k++) {
        int64_t place = -1;
        bool is_one = fx_arg_int(c->graph, &written->list.items[k], &place) && place >= 0 &&
                      place < buffers->list.count;
        const ty_tensor *x = is_one ? fx_arg_tensor(&buffers->list.items[place]) : NULL;
        if (!x) {
            infer_fail(c, "there is no tensor %ld to be written", (long)place);
            return;
        }
        items[k] = infer_fresh_strided(c, x, x->dtype, x->rank, x->sizes, x->strides);
    }
    infer_give_items(c, items, written->list.count);
}
