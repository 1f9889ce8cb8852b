/* given.c -- constants that the caller has in memory, for graphs that name them and do not hold them. */
#include "driver/driver.h"

#include <string.h>

static const given_constant *find(const driver_program *d, const char *target)
{
    for (uint32_t i = d->options.given_count; i-- > 0;)
        if (strcmp(d->options.given[i]->name, target) == 0) return d->options.given[i];
    return NULL;
}

static bool is_same(const fx_graph *g, const ty_tensor *x, const fe_tensor *given)
{
    int64_t size, stride, contiguous = 1;
    if (ty_dtype_number(x->dtype) != (int)given->dtype || x->rank != given->rank) return false;
    for (uint32_t d = x->rank; d-- > 0;) {
        if (!sym_is_int(g->symbols, x->sizes[d], &size) || size != given->sizes[d]) return false;
        if (!sym_is_int(g->symbols, x->strides[d], &stride)) return false;
        if (size > 1 && stride != (given->strides ? given->strides[d] : contiguous)) return false;
        contiguous *= size;
    }
    return sym_is_int(g->symbols, x->offset, &size) && size == 0;
}

static fe_status give(driver_program *d, fx_node *n)
{
    const ty_tensor *x = fx_tensor(n);
    const given_constant *given = find(d, n->target);
    int64_t bytes;
    if (!given) return FE_OK;
    if (!x || !is_same(d->graph, x, &given->value) ||
        !sym_is_int(d->graph->symbols, ty_storage_bytes(d->graph->symbols, x), &bytes))
        return diag_fail(d->session,
                         (diag){.status = FE_USAGE,
                                .stage = "read",
                                .place = arena_printf(d->memory, "%%%s", n->name)},
                         "the constant %s that was given is of another type, shape or layout",
                         n->target);
    fx_data *data = NEW(d->memory, fx_data);
    *data = (fx_data){.bytes = given->value.data, .size = (size_t)bytes};
    n->data = data;
    return FE_OK;
}

fe_status give_constants(driver_program *d)
{
    for (fx_node *n = d->graph->first; n && d->options.given_count; n = n->next)
        if (fx_is_weight(n) && !n->data) FE_TRY(give(d, n));
    return FE_OK;
}
