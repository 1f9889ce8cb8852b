/* calls.c -- a call's ints by the names that the operator's signature gives them. */
#include "loop/operator.h"
#include "loop/signature.h"

int32_t loop_int_place(const loop_op *op, const char *name)
{
    const loop_operator *row = op->kind == LOOP_EXTERN ? loop_operator_of(op->kernel) : NULL;
    if (!row) return -1;
    int32_t at = sig_int_place(row->signature, name);
    return at < (int32_t)op->int_count ? at : -1;
}

bool loop_known_int(const loop_program *p, const loop_op *op, const char *name, int64_t *out)
{
    int32_t at = loop_int_place(op, name);
    return at >= 0 && sym_is_int(p->symbols, op->ints[at], out);
}

const char *loop_windows_of(const loop_program *p, const loop_op *op, loop_windows *out)
{
    int64_t spatial, transposed = 0;
    bool may_be_transposed = loop_int_place(op, "transposed") >= 0;
    if (!loop_known_int(p, op, "spatial", &spatial) || spatial < 1 || spatial > 3 ||
        (may_be_transposed && !loop_known_int(p, op, "transposed", &transposed)))
        return "its kind is known to the run alone";
    uint32_t named = sig_int_count(loop_operator_of(op->kernel)->signature),
             lists = may_be_transposed ? 4 : 3, each = (uint32_t)spatial;
    if (op->int_count != named + lists * each)
        return "its ints are of another number of dimensions";
    const sym_expr *first = op->ints + named;
    *out = (loop_windows){.spatial = each,
                          .transposed = transposed != 0,
                          .groups = op->ints[loop_int_place(op, "groups")],
                          .stride = first,
                          .padding = first + each,
                          .dilation = first + 2 * each,
                          .more = may_be_transposed ? first + 3 * each : NULL};
    return NULL;
}
