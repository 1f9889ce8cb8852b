/* calls.c -- a call's numbers by the names that the operator's signature gives them. */
#include "loop/operator.h"
#include "loop/signature.h"

#include <string.h>

static const char *signature_of(const loop_op *op)
{
    const loop_operator *row = op->kind == LOOP_EXTERN ? loop_operator_of(op->kernel) : NULL;
    return row ? row->signature : "..";
}

int32_t loop_int_place(const loop_op *op, const char *name)
{
    int32_t at = sig_place(signature_of(op), SIG_INTS, name);
    return at < (int32_t)op->int_count ? at : -1;
}

bool loop_known_int(const loop_program *p, const loop_op *op, const char *name, int64_t *out)
{
    int32_t at = loop_int_place(op, name);
    return at >= 0 && sym_is_int(p->symbols, op->ints[at], out);
}

/* Of a row's numbers, each of which is given once. */
static uint32_t place_of(const loop_program *p, const char *kernel, sig_numbers which,
                         const char *name, uint32_t count)
{
    const char *row = loop_operator_of(kernel)->signature;
    int32_t at = sig_place(row, which, name);
    CHECK(sym_session(p->symbols), at >= 0 && count == sig_count(row, which));
    return (uint32_t)at;
}

sym_expr *loop_ints(loop_program *p, const char *kernel, const loop_int *given, uint32_t count)
{
    sym_expr *ints = NEW_ARRAY(p->memory, sym_expr, count + 1);
    for (uint32_t k = 0; k < count; k++)
        ints[place_of(p, kernel, SIG_INTS, given[k].name, count)] = given[k].value;
    return ints;
}

double *loop_floats(loop_program *p, const char *kernel, const loop_float *given, uint32_t count)
{
    double *floats = NEW_ARRAY(p->memory, double, count + 1);
    for (uint32_t k = 0; k < count; k++)
        floats[place_of(p, kernel, SIG_FLOATS, given[k].name, count)] = given[k].value;
    return floats;
}

/* ---- windows: named ints, and then the lists, a number a dimension in each ---- */

enum { MOST_LISTS = 4 };

void loop_set_windows(loop_program *p, loop_op *op, const loop_windows *w)
{
    const char *row = loop_operator_of(op->kernel)->signature;
    const sym_expr *const lists[MOST_LISTS] = {w->stride, w->padding, w->dilation, w->more};
    uint32_t named = sig_count(row, SIG_INTS), each = w->spatial;
    const loop_int all[] = {{"spatial", sym_int(p->symbols, each)},
                            {"groups", w->groups},
                            {"transposed", sym_int(p->symbols, w->transposed)},
                            {"activation", sym_int(p->symbols, 0)},
                            {"tile", sym_int(p->symbols, w->tile)}};
    op->ints = NEW_ARRAY(p->memory, sym_expr, named + MOST_LISTS * each);
    for (uint32_t k = 0; k < COUNT_OF(all); k++) {
        int32_t at = sig_place(row, SIG_INTS, all[k].name);
        if (at >= 0) op->ints[at] = all[k].value;
    }
    op->int_count = named;
    for (uint32_t k = 0; k < MOST_LISTS && lists[k]; k++, op->int_count += each)
        memcpy(op->ints + op->int_count, lists[k], each * sizeof(sym_expr));
}

const char *loop_windows_of(const loop_program *p, const loop_op *op, loop_windows *out)
{
    int64_t spatial, transposed = 0;
    bool may_be_transposed = loop_int_place(op, "transposed") >= 0;
    if (!loop_known_int(p, op, "spatial", &spatial) || spatial < 1 || spatial > 3 ||
        (may_be_transposed && !loop_known_int(p, op, "transposed", &transposed)))
        return "its kind is known to the run alone";
    uint32_t named = sig_count(signature_of(op), SIG_INTS),
             lists = may_be_transposed ? MOST_LISTS : MOST_LISTS - 1, each = (uint32_t)spatial;
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
