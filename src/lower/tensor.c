/* tensor.c -- boxes: in which layout a value gets memory, and how a tensor reads its box. Layouts come
 * from what the value loads, as PyTorch's TensorIterator would choose; realise.c says when there is memory.
 */
#include "lower/lower_priv.h"

#include <string.h>

/* ---- small things ---- */

sym_expr lower_const(lowering *l, int64_t v)
{
    return sym_int(l->symbols, v);
}

bool lower_is_one(lowering *l, sym_expr e)
{
    return sym_same(e, l->one);
}

bool lower_is_zero(lowering *l, sym_expr e)
{
    return sym_same(e, l->zero);
}

sym_expr lower_numel(lowering *l, lower_tensor t)
{
    return sym_product(l->symbols, t.sizes, t.rank);
}

sym_expr lower_flat(lowering *l, const sym_expr *index, const sym_expr *strides, uint32_t count)
{
    sym_expr sum = l->zero;
    for (uint32_t k = 0; k < count; k++)
        sum = sym_add(l->symbols, sum, sym_mul(l->symbols, index[k], strides[k]));
    return sum;
}

sym_expr *lower_sizes_copy(lowering *l, const sym_expr *sizes, uint32_t count)
{
    return arena_copy(l->memory, sizes, count * sizeof *sizes);
}

ty_dtype lower_compute_dtype(ty_dtype d)
{
    if (d == TY_C32) return TY_C64;
    return ty_is_half(d) || ty_is_float8(d) ? TY_F32 : d;
}

static sym_env env_of(lowering *l, sym_bound *bounds, const sym_expr *axes, const sym_expr *extents,
                      uint32_t count)
{
    (void)l;
    for (uint32_t k = 0; k < count; k++) bounds[k] = (sym_bound){axes[k], extents[k]};
    return (sym_env){bounds, count};
}

sym_expr lower_simplified(lowering *l, sym_expr e, uint32_t rank, const sym_expr *sizes)
{
    sym_bound bounds[LOWER_MAX_RANK];
    sym_env env = env_of(l, bounds, l->axes, sizes, rank);
    return sym_simplify(l->symbols, e, &env);
}

loop_view lower_no_view(lowering *l)
{
    return (loop_view){.buffer = LOOP_NO_BUFFER, .offset = l->zero};
}

/* ---- making ---- */

static lower_tensor seen_whole(lower_box *box)
{
    return (lower_tensor){.box = box, .rank = box->rank, .sizes = box->sizes};
}

loop_value lower_complex(lowering *l, ty_dtype d, loop_value re, loop_value im)
{
    ty_dtype wide = lower_compute_dtype(d), part = ty_complex_to_real(wide);
    loop_node n = {.op = LOOP_COMPLEX, .dtype = wide};
    n.args[0] = loop_cast(l->program, part, re);
    n.args[1] = loop_cast(l->program, part, im);
    return loop_cast(l->program, d, loop_make(l->program, n));
}

lower_tensor lower_value(lowering *l, ty_dtype d, uint32_t rank, const sym_expr *sizes,
                         loop_value v)
{
    lower_box *box = NEW(l->memory, lower_box);
    CHECK(l->session, rank <= LOWER_MAX_RANK && loop_at(l->program, v)->dtype == d);
    *box = (lower_box){
        .dtype = d, .rank = rank, .sizes = lower_sizes_copy(l, sizes, rank), .value = v};
    box->device = l->device;
    box->origin = lower_origin(l);
    box->maker = l->node;
    return seen_whole(box);
}

lower_tensor lower_viewed(lowering *l, loop_view view)
{
    lower_box *box = NEW(l->memory, lower_box);
    *box = (lower_box){.dtype = view.dtype,
                       .rank = view.rank,
                       .sizes = view.sizes,
                       .realised = true,
                       .view = view};
    box->origin = lower_origin(l);
    box->maker = l->node;
    return seen_whole(box);
}

loop_buffer_id lower_temp(lowering *l, ty_dtype d, uint32_t rank, const sym_expr *sizes,
                          const sym_expr *strides)
{
    loop_buffer b = {.kind = LOOP_TEMP,
                     .dtype = d,
                     .device = l->device,
                     .rank = rank,
                     .sizes = sizes,
                     .strides = strides};
    sym_expr contiguous[LOWER_MAX_RANK];
    if (!strides) {
        ty_contiguous_strides(l->symbols, rank, sizes, contiguous);
        b.strides = contiguous;
    }
    b.origin = lower_origin(l);
    return loop_add_buffer(l->program, b);
}

lower_tensor lower_temp_tensor(lowering *l, ty_dtype d, uint32_t rank, const sym_expr *sizes,
                               const sym_expr *strides)
{
    return lower_viewed(l, loop_view_of(l->program, lower_temp(l, d, rank, sizes, strides)));
}

loop_op *lower_nest(lowering *l, uint32_t axes, const sym_expr *extents, uint32_t reduce_axes,
                    const sym_expr *reduce_extents)
{
    CHECK(l->session, axes <= LOOP_MAX_AXES && reduce_axes <= LOOP_MAX_AXES);
    loop_op *op = loop_add_op(l->program, LOOP_NEST);
    op->axes = axes;
    op->reduce_axes = reduce_axes;
    if (axes) memcpy(op->extents, extents, axes * sizeof *extents);
    if (reduce_axes)
        memcpy(op->reduce_extents, reduce_extents, reduce_axes * sizeof *reduce_extents);
    op->origin = lower_origin(l);
    return op;
}

void lower_store(lowering *l, loop_op *op, loop_store st)
{
    sym_bound bounds[2 * LOOP_MAX_AXES];
    sym_env env = env_of(l, bounds, l->axes, op->extents, op->axes);
    env_of(l, bounds + op->axes, l->reduce_axes, op->reduce_extents, op->reduce_axes);
    env.count += op->reduce_axes;
    st.value = loop_simplify(l->program, st.value, &env);
    st.index = sym_simplify(l->symbols, st.index, &env);
    loop_store *stores = NEW_ARRAY(l->memory, loop_store, op->store_count + 1);
    if (op->store_count) memcpy(stores, op->stores, op->store_count * sizeof *stores);
    stores[op->store_count++] = st;
    op->stores = stores;
}

/* An input in the layout that its operator takes. */
static loop_view as_taken(lowering *l, const char *kernel, uint32_t input, loop_view v)
{
    sym_expr strides[LOWER_MAX_RANK];
    if (v.buffer == LOOP_NO_BUFFER || !v.rank || !loop_needs_unit_stride(kernel, input)) return v;
    if (lower_is_one(l, v.strides[v.rank - 1]) || lower_is_one(l, v.sizes[v.rank - 1])) return v;
    ty_contiguous_strides(l->symbols, v.rank, v.sizes, strides);
    return lower_copied(l, lower_viewed(l, v), strides).box->view;
}

void lower_extern_op(lowering *l, loop_op call)
{
    CHECK(l->session, loop_extern_known(call.kernel));
    for (uint32_t k = 0; k < call.output_count; k++)
        if (call.outputs[k].buffer != LOOP_NO_BUFFER)
            map_set(l->memory, &l->extern_made, call.outputs[k].buffer, 1);
    call.kind = LOOP_EXTERN;
    call.kernel = intern(l->session, call.kernel);
    call.inputs = arena_copy(l->memory, call.inputs, call.input_count * sizeof *call.inputs);
    for (uint32_t k = 0; k < call.input_count; k++)
        call.inputs[k] = as_taken(l, call.kernel, k, call.inputs[k]);
    call.outputs = arena_copy(l->memory, call.outputs, call.output_count * sizeof *call.outputs);
    call.origin = lower_origin(l);
    *loop_add_op(l->program, LOOP_EXTERN) = call;
}

void lower_extern(lowering *l, const char *kernel, uint32_t input_count, const loop_view *inputs,
                  loop_view output, uint32_t int_count, const loop_int *ints, uint32_t float_count,
                  const loop_float *floats)
{
    lower_extern_op(l, (loop_op){.kernel = kernel,
                                 .inputs = (loop_view *)(uintptr_t)inputs,
                                 .input_count = input_count,
                                 .outputs = &output,
                                 .output_count = 1,
                                 .ints = loop_ints(l->program, kernel, ints, int_count),
                                 .int_count = int_count,
                                 .floats = loop_floats(l->program, kernel, floats, float_count),
                                 .float_count = float_count});
}

/* ---- reading ---- */

/* An element of a weight at a fixed place is a number. */
static bool known_element(lowering *l, loop_buffer_id buffer, sym_expr flat, loop_value *out)
{
    const loop_buffer *b = &l->program->buffers.at[buffer];
    int64_t at;
    size_t size = ty_dtype_size(b->dtype);
    if (b->kind != LOOP_CONSTANT || !b->data || !sym_is_int(l->symbols, flat, &at)) return false;
    if (at < 0 || ((size_t)at + 1) * size > b->data_bytes) return false;
    *out = loop_const_data(l->program, b->dtype, (const char *)b->data + (size_t)at * size);
    return true;
}

loop_value lower_at(lowering *l, lower_tensor t, const sym_expr *index)
{
    const lower_box *box = t.box;
    sym_expr at[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < box->rank; k++)
        at[k] = t.map ? sym_substitute(l->symbols, t.map[k], l->axes, index, t.rank) : index[k];
    if (!box->realised) {
        lower_check_border(l, box);
        return loop_substitute(l->program, box->value, l->axes, at, box->rank);
    }
    sym_expr flat =
        sym_add(l->symbols, box->view.offset, lower_flat(l, at, box->view.strides, box->rank));
    loop_value v;
    if (!known_element(l, box->view.buffer, flat, &v))
        v = loop_load(l->program, box->view.buffer, flat);
    if (loop_at(l->program, v)->dtype == box->dtype) return v;
    return loop_make(l->program, (loop_node){.op = LOOP_BITCAST, .dtype = box->dtype, .args = {v}});
}

loop_value lower_here(lowering *l, lower_tensor t)
{
    return lower_at(l, t, l->axes);
}

loop_value lower_broadcast(lowering *l, lower_tensor t, uint32_t rank, const sym_expr *sizes)
{
    sym_expr index[LOWER_MAX_RANK];
    CHECK(l->session, t.rank <= rank);
    for (uint32_t k = 0; k < t.rank; k++) {
        uint32_t axis = k + rank - t.rank;
        bool stays = ty_at_most_one(l->symbols, t.sizes[k]) && !lower_is_one(l, sizes[axis]);
        index[k] = stays ? l->zero : l->axes[axis];
    }
    return lower_at(l, t, index);
}

/* ---- layouts ---- */

typedef struct load_list {
    lowering *l;
    const lower_box *box;
    const ty_tensor *at[8];
    uint32_t count;
} load_list;

bool lower_load_strides(lowering *l, sym_expr index, uint32_t rank, const sym_expr *sizes,
                        sym_expr *strides)
{
    bool whole = true;
    for (uint32_t k = 0; k < rank; k++) {
        strides[k] = l->zero;
        if (!sym_contains(l->symbols, index, l->axes[k])) {
            whole &= lower_is_one(l, sizes[k]);
            continue;
        }
        if (!sym_linear_in(l->symbols, index, l->axes[k], &strides[k], &index)) return false;
        for (uint32_t j = 0; j < rank; j++)
            if (sym_contains(l->symbols, strides[k], l->axes[j])) return false;
    }
    return whole;
}

/* Positions that are computed from one axis alone, as a resampling looks them up, go along with it. */
typedef struct position_list {
    lowering *l;
    uint32_t rank, count;
    bool has_load;
    sym_expr symbols[LOWER_MAX_RANK], axes[LOWER_MAX_RANK];
} position_list;

static void find_load(void *data, loop_value v)
{
    position_list *list = data;
    list->has_load |= loop_at(list->l->program, v)->op == LOOP_LOAD;
}

static void note_position(void *data, sym_expr symbol)
{
    position_list *list = data;
    lowering *l = list->l;
    uint32_t used = 0, last = 0;
    if (sym_kind_of(l->symbols, symbol) != SYM_INDIRECT || list->count == LOWER_MAX_RANK) return;
    loop_value v = loop_indirect_value(l->program, symbol);
    list->has_load = false;
    loop_each_node(l->program, v, find_load, list);
    for (uint32_t k = 0; k < list->rank; k++)
        if (loop_uses_axis(l->program, v, l->axes[k])) used++, last = k;
    if (list->has_load || used != 1) return;
    list->symbols[list->count] = symbol;
    list->axes[list->count++] = l->axes[last];
}

static sym_expr along_axes(lowering *l, sym_expr index, uint32_t rank)
{
    position_list list = {.l = l, .rank = rank};
    sym_each_symbol(l->symbols, index, note_position, &list);
    return sym_substitute(l->symbols, index, list.symbols, list.axes, list.count);
}

static void note_load(void *data, loop_value v)
{
    load_list *list = data;
    lowering *l = list->l;
    const loop_node *n = loop_at(l->program, v);
    if (n->op != LOOP_LOAD || list->count == COUNT_OF(list->at)) return;
    ty_tensor *t = NEW(l->memory, ty_tensor);
    *t = (ty_tensor){.dtype = n->dtype, .rank = list->box->rank};
    t->sizes = lower_sizes_copy(l, list->box->sizes, t->rank);
    t->strides = NEW_ARRAY(l->memory, sym_expr, t->rank);
    sym_expr index = along_axes(l, n->index, t->rank);
    if (lower_load_strides(l, index, t->rank, t->sizes, t->strides)) list->at[list->count++] = t;
}

/* As what the value is computed from has them; false when that does not say. */
static bool strides_of_loads(lowering *l, const lower_box *box, sym_expr *strides)
{
    load_list list = {.l = l, .box = box};
    if (box->rank > 1) loop_each_node(l->program, box->value, note_load, &list);
    if (list.count)
        ty_pointwise_strides(l->symbols, list.at, list.count, box->rank, box->sizes, strides);
    return list.count > 0;
}

static void choose_strides(lowering *l, const lower_box *box, sym_expr *strides)
{
    if (!strides_of_loads(l, box, strides))
        ty_contiguous_strides(l->symbols, box->rank, box->sizes, strides);
}

bool lower_layout_of(lowering *l, lower_tensor t, sym_expr *strides)
{
    loop_view v;
    if (t.box->realised) {
        if (!lower_try_strided(l, t, &v)) return false;
        memcpy(strides, v.strides, t.rank * sizeof *strides);
        return true;
    }
    lower_box here = {.rank = t.rank, .sizes = t.sizes, .value = lower_here(l, t)};
    return strides_of_loads(l, &here, strides);
}

void lower_realise(lowering *l, lower_box *box, const sym_expr *strides)
{
    sym_expr chosen[LOWER_MAX_RANK];
    if (box->realised) return;
    if (!strides) strides = box->wanted;
    if (!strides) {
        choose_strides(l, box, chosen);
        strides = chosen;
    }
    loop_buffer_id buffer = lower_temp(l, box->dtype, box->rank, box->sizes, strides);
    l->program->buffers.at[buffer].origin = box->origin;
    l->program->buffers.at[buffer].device = box->device;
    loop_op *op = lower_nest(l, box->rank, box->sizes, 0, NULL);
    op->origin = box->origin;
    lower_store(l, op,
                (loop_store){.buffer = buffer,
                             .index = lower_flat(l, l->axes, strides, box->rank),
                             .value = box->value});
    box->view = loop_view_of(l->program, buffer);
    box->realised = true;
}

void lower_realise_each_once(lowering *l, lower_box *box)
{
    if (box->realised) return;
    sym_expr *sizes = NEW_ARRAY(l->memory, sym_expr, box->rank),
             *strides = NEW_ARRAY(l->memory, sym_expr, box->rank);
    bool differs[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < box->rank; k++) {
        differs[k] = loop_uses_axis(l->program, box->value, l->axes[k]);
        sizes[k] = differs[k] ? box->sizes[k] : l->one;
    }
    lower_box once = *box;
    once.sizes = sizes;
    once.wanted = NULL;
    lower_realise(l, &once, NULL);
    for (uint32_t k = 0; k < box->rank; k++)
        strides[k] = differs[k] ? once.view.strides[k] : l->zero;
    box->view = once.view;
    box->view.sizes = box->sizes;
    box->view.strides = strides;
    box->realised = true;
}

lower_tensor lower_copied(lowering *l, lower_tensor t, const sym_expr *strides)
{
    lower_tensor copy = lower_value(l, lower_dtype(t), t.rank, t.sizes, lower_here(l, t));
    lower_realise(l, copy.box, strides);
    return copy;
}

static bool depends_on_axes(lowering *l, sym_expr e, uint32_t rank)
{
    for (uint32_t k = 0; k < rank; k++)
        if (sym_contains(l->symbols, e, l->axes[k])) return true;
    return false;
}

static void count_indirect(void *data, sym_expr symbol)
{
    load_list *list = data;
    list->count += sym_kind_of(list->l->symbols, symbol) == SYM_INDIRECT;
}

bool lower_try_strided(lowering *l, lower_tensor t, loop_view *out)
{
    const lower_box *box = t.box;
    if (!box->realised) return false;
    *out = box->view;
    if (!t.map) return true;
    sym_expr total =
        lower_simplified(l, lower_flat(l, t.map, box->view.strides, box->rank), t.rank, t.sizes);
    sym_expr *strides = NEW_ARRAY(l->memory, sym_expr, t.rank);
    for (uint32_t k = 0; k < t.rank; k++) {
        strides[k] = l->zero;
        if (!sym_contains(l->symbols, total, l->axes[k])) continue;
        if (!sym_linear_in(l->symbols, total, l->axes[k], &strides[k], &total)) return false;
        if (depends_on_axes(l, strides[k], t.rank)) return false;
    }
    load_list indirect = {.l = l};
    sym_each_symbol(l->symbols, total, count_indirect, &indirect);
    if (depends_on_axes(l, total, t.rank) || indirect.count) return false;
    out->rank = t.rank;
    out->sizes = t.sizes;
    out->strides = strides;
    out->offset = sym_add(l->symbols, box->view.offset, total);
    return true;
}

/* Is the view much smaller than its box, so that only the view is worth storing? */
static bool is_small_part(lowering *l, lower_tensor t)
{
    int64_t part, whole;
    sym_expr box_size = sym_product(l->symbols, t.box->sizes, t.box->rank);
    return t.map && sym_is_int(l->symbols, lower_numel(l, t), &part) &&
           sym_is_int(l->symbols, box_size, &whole) && part * 2 <= whole;
}

loop_view lower_strided(lowering *l, lower_tensor t)
{
    loop_view view;
    if (!t.box->realised && !is_small_part(l, t)) lower_realise(l, t.box, NULL);
    if (lower_try_strided(l, t, &view)) return view;
    return lower_copied(l, t, NULL).box->view;
}

bool lower_is_constant(lowering *l, lower_tensor t)
{
    return t.box->realised && l->program->buffers.at[t.box->view.buffer].kind == LOOP_CONSTANT;
}

/* ---- values ---- */

loop_value lower_op1(lowering *l, loop_opcode op, loop_value a)
{
    return loop_unary(l->program, op, a);
}

loop_value lower_op2(lowering *l, loop_opcode op, loop_value a, loop_value b)
{
    return loop_binary(l->program, op, a, b);
}

loop_value lower_is_inside(lowering *l, sym_expr e, sym_expr low, sym_expr high)
{
    loop_value v = loop_index(l->program, e);
    loop_value above = lower_op2(l, LOOP_LE, loop_index(l->program, low), v);
    return lower_op2(l, LOOP_AND, above, lower_op2(l, LOOP_LT, v, loop_index(l->program, high)));
}
