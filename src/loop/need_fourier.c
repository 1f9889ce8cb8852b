/* need_fourier.c -- what Fourier transforms work in. */
#include "loop/need_priv.h"

/* Rows are grouped, and lengths taken apart, as the instruction set wants it. */
void need_fourier(needing *n)
{
    bool has_window = n->op->input_count > 1 && n->op->inputs[1].buffer != LOOP_NO_BUFFER;
    if (has_window && n->op->int_count > 2)
        need_share(n, need_bytes(n, need_int(n, 2), NEED_NUMBER));
    n->out.is_open = true;
}
