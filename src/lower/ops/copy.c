/* copy.c -- copies, conversions, and operators that leave values as they are. In a functional
 * graph a copy is its operand: what must be memory of its own (an output that does not alias) is
 * copied where the output is made.
 */
#include "lower/lower_priv.h"

/* A constant that is on the other device from the beginning. */
static loop_view constant_there(lowering *l, loop_view source, ty_device device)
{
    loop_program *p = l->program;
    loop_buffer there = p->buffers.at[source.buffer];
    there.name = intern(l->session, arena_printf(l->memory, "%s.%s", there.name,
                                                 ty_device_name(l->memory, device)));
    for (loop_buffer_id id = 0; id < p->buffers.count; id++)
        if (p->buffers.at[id].name == there.name) {
            source.buffer = id;
            return source;
        }
    there.device = device;
    there.packing = NULL;
    source.buffer = loop_add_buffer(p, there);
    return source;
}

/* Elements of a tensor side by side in some order, as devices copy them. */
static loop_view dense_memory(lowering *l, lower_tensor t)
{
    loop_view view = lower_strided(l, t);
    const ty_tensor shape = {.dtype = view.dtype,
                             .rank = view.rank,
                             .sizes = (sym_expr *)(uintptr_t)view.sizes,
                             .strides = (sym_expr *)(uintptr_t)view.strides};
    if (ty_is_non_overlapping_and_dense(l->symbols, &shape)) return view;
    return lower_copied(l, t, NULL).box->view;
}

/* Between devices: from memory of the one, in the dtype that is wanted, into memory of the other, in the same
 * order. What the host does not wait for is in memory that stays where it is. */
static fe_status transfer(lowering *l, fx_node *n)
{
    const ty_tensor *to = fx_tensor(n);
    const ty_device from = fx_arg_tensor(&n->args[0])->device;
    loop_program *p = l->program;
    sym_expr waits_not = lower_const(l, lower_bool(l, "non_blocking"));
    int64_t is_asynchronous = 0;
    l->device = from;
    lower_tensor value = lower_cast(l, lower_tensor_of(l, &n->args[0]), to->dtype);
    if (!value.box->realised && !value.map && ty_is_non_overlapping_and_dense(l->symbols, to))
        lower_realise(l, value.box, to->strides);
    loop_view source = dense_memory(l, value);
    l->device = to->device;
    bool is_held = !l->holds || (l->holds(from, to->dtype) && l->holds(to->device, to->dtype));
    if (is_held && p->buffers.at[source.buffer].kind == LOOP_CONSTANT)
        return lower_give(l, lower_viewed(l, constant_there(l, source, to->device)));
    /* what devices cannot compute with gets the strides that are wanted on its way, by way of the host */
    bool is_carried = !is_held && ty_is_non_overlapping_and_dense(l->symbols, to);
    lower_tensor made = lower_temp_tensor(l, to->dtype, to->rank, to->sizes,
                                          is_carried ? to->strides : source.strides);
    sym_is_int(l->symbols, waits_not, &is_asynchronous);
    loop_buffer *host = &p->buffers.at[ty_is_host(from) ? source.buffer : made.box->view.buffer];
    host->pinned |= is_asynchronous && host->kind == LOOP_TEMP && ty_is_host(host->device);
    lower_extern(l, "copy", 1, &source, made.box->view, 1, &(loop_int){"waits_not", waits_not}, 0,
                 NULL);
    return lower_give(l, made);
}

static bool moves(const fx_node *n)
{
    const ty_tensor *from = fx_arg_tensor(&n->args[0]), *to = fx_tensor(n);
    return from && to && !ty_same_place(from->device, to->device);
}

/* Converted to the recorded dtype; the layout is the business of whoever gives it memory. */
fe_status lower_op_convert(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    if (moves(n)) return transfer(l, n);
    return lower_give(l, lower_cast(l, lower_tensor_of(l, &n->args[0]), fx_tensor(n)->dtype));
}

/* copy(self, src): src in self's shape and dtype. */
fe_status lower_op_copy(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    lower_tensor t = lower_expand(l, lower_arg(l, "src"), out->rank, out->sizes);
    return lower_give(l, lower_cast(l, t, out->dtype));
}

/* What export leaves to say about metadata: checked already when the graph was read. The last of
 * tokens: effects are in order as they stand. */
fe_status lower_op_nothing(lowering *l, fx_node *n, const lower_row *row)
{
    (void)l;
    (void)n;
    (void)row;
    return FE_OK;
}
