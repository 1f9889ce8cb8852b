/* recurrent.c -- recurrent networks, whole ones and cells, and embedding bags.
 *
 * A network gives the outputs of all steps and the states of all layers; batch_first turns what the
 * kernel makes, which has time in front, so that its result is not contiguous.
 */
#include "infer/infer_priv.h"

/* The networks over padded or packed sequences: outputs, then the states of all layers. */
void rule_recurrent(infer_call *c)
{
    ty_tensor *items[3];
    ty_tensor *states[2] = {infer_tensor(c, "hx"), NULL};
    uint32_t count = 1;
    ty_tensor *x = infer_self(c);
    if (!states[0]) count = infer_list(c, "hx", states, 2);
    if (!x || !states[0] || states[0]->rank != 3 || c->status != FE_OK) {
        infer_fail(c, "a recurrent network over %s", infer_shape(c, x));
        return;
    }
    int64_t directions = infer_flag(c, "bidirectional", false) ? 2 : 1;
    bool packed = op_param_index(c->op, "batch_sizes") >= 0;
    bool batch_first = infer_flag(c, "batch_first", false);
    sym_expr width = sym_mul_int(c->symbols, states[0]->sizes[2], directions);
    if (packed) {
        sym_expr sizes[] = {x->sizes[0], width};
        items[0] = infer_fresh(c, x, x->dtype, 2, sizes);
    } else {
        sym_expr sizes[] = {x->sizes[batch_first ? 1 : 0], x->sizes[batch_first ? 0 : 1], width};
        items[0] = infer_fresh(c, x, x->dtype, 3, sizes);
        if (batch_first) items[0] = infer_transpose(c, items[0], 0, 1);
    }
    for (uint32_t i = 0; i < count; i++)
        items[i + 1] = infer_like(c, states[i], states[i]->dtype, TY_CONTIGUOUS);
    infer_give_items(c, items, count + 1);
}

/* One step: the new state, or both states of an LSTM. */
void rule_recurrent_cell(infer_call *c)
{
    ty_tensor *states[2] = {infer_tensor(c, "hx"), NULL};
    uint32_t count = states[0] ? 1 : infer_list(c, "hx", states, 2);
    for (uint32_t i = 0; i < count; i++)
        states[i] = states[i] ? infer_like(c, states[i], states[i]->dtype, TY_CONTIGUOUS) : NULL;
    if (count == 2)
        infer_give_pair(c, states[0], states[1]);
    else
        infer_give(c, states[0]);
}

/* The fused kernels: states, and what the derivative needs. The parameter: how wide that is. */
void rule_fused_cell(infer_call *c)
{
    ty_tensor *gates = infer_tensor(c, "input_gates");
    ty_tensor *state = infer_tensor(c, c->op->return_count == 3 ? "cx" : "hx");
    if (!gates || !state || state->rank != 2) return;
    sym_expr sizes[] = {state->sizes[0], sym_mul_int(c->symbols, state->sizes[1], c->param)};
    ty_tensor *workspace = infer_fresh(c, gates, gates->dtype, 2, sizes);
    ty_tensor *next = infer_like(c, state, state->dtype, TY_CONTIGUOUS);
    ty_tensor *items[] = {next, infer_like(c, state, state->dtype, TY_CONTIGUOUS), workspace};
    if (c->op->return_count == 3)
        infer_give_items(c, items, 3);
    else
        infer_give_pair(c, next, workspace);
}

/* One direction of a layer of an LSTM, as PyTorch hands it to its library, whose own the last result is. */
void rule_recurrent_layer(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "input"), *h = infer_tensor(c, "hx_"),
              *state = infer_tensor(c, "cx_");
    sym_expr none = infer_number(c, 0);
    if (!x || !h || !state || x->rank != 3) return;
    sym_expr sizes[] = {x->sizes[0], x->sizes[1], h->sizes[h->rank - 1]};
    ty_tensor *items[] = {
        infer_fresh(c, x, x->dtype, 3, sizes), infer_like(c, h, h->dtype, TY_CONTIGUOUS),
        infer_like(c, state, state->dtype, TY_CONTIGUOUS), infer_fresh(c, x, TY_U8, 1, &none)};
    infer_give_items(c, items, 4);
}

/* Sequences of different lengths made one tensor. */
void rule_pad_sequence(infer_call *c)
{
    enum { MOST = 4096 };
    sym_expr sizes[TY_MAX_RANK + 1];
    ty_tensor **items = NEW_ARRAY(c->memory, ty_tensor *, MOST);
    uint32_t count = infer_list(c, "sequences", items, MOST);
    if (count == 0 || !items[0] || items[0]->rank == 0 || items[0]->rank == TY_MAX_RANK) {
        infer_fail(c, "no sequences to pad");
        return;
    }
    sym_expr longest = items[0]->sizes[0];
    for (uint32_t i = 1; i < count; i++)
        if (items[i] && items[i]->rank) longest = sym_max(c->symbols, longest, items[i]->sizes[0]);
    bool batch_first = infer_flag(c, "batch_first", false);
    sizes[batch_first ? 0 : 1] = infer_number(c, count);
    sizes[batch_first ? 1 : 0] = longest;
    for (uint32_t i = 1; i < items[0]->rank; i++) sizes[i + 1] = items[0]->sizes[i];
    infer_give(c, infer_fresh(c, items[0], items[0]->dtype, items[0]->rank + 1, sizes));
}

/* ---- embedding bags ---- */

enum { BAG_SUM, BAG_MEAN, BAG_MAX };

/* Does the CPU's kernel sum rows without looking at which bag each belongs to? */
static bool is_fast_sum(infer_call *c, const ty_tensor *weight)
{
    ty_tensor *scale = infer_tensor(c, "per_sample_weights");
    bool dtype = weight->dtype == TY_F32 || weight->dtype == TY_F16;
    bool dense =
        infer_is(c, weight->strides[1], 1) && (!scale || infer_is(c, scale->strides[0], 1));
    bool counts_back =
        c->op->id == OP_aten_embedding_bag_padding_idx && infer_arg(c, "padding_idx");
    return dtype && dense && !counts_back && infer_int(c, "padding_idx", -1) < 0;
}

void rule_embedding_bag(infer_call *c)
{
    ty_tensor *weight = infer_tensor(c, "weight");
    ty_tensor *indices = infer_tensor(c, "indices");
    ty_tensor *offsets = infer_tensor(c, "offsets");
    if (!weight || !indices || !offsets || weight->rank != 2 || offsets->rank != 1) {
        infer_fail(c, "embedding bags of %s", infer_shape(c, weight));
        return;
    }
    sym_expr none = infer_number(c, 0);
    int64_t mode = infer_int(c, "mode", BAG_SUM);
    sym_expr bags = offsets->sizes[0];
    if (infer_flag(c, "include_last_offset", false)) bags = sym_add_int(c->symbols, bags, -1);
    sym_expr sizes[] = {bags, weight->sizes[1]};
    bool fast = mode == BAG_SUM && is_fast_sum(c, weight);
    ty_dtype index = ty_promote_types(indices->dtype, offsets->dtype);
    ty_tensor *items[] = {
        infer_fresh(c, weight, weight->dtype, 2, sizes),
        infer_fresh(c, offsets, index, 1, fast ? &none : &indices->sizes[0]),
        infer_fresh(c, offsets, index, 1, c->param ? &offsets->sizes[0] : &bags), /* forward only */
        infer_fresh(c, offsets, index, mode == BAG_MAX ? 2 : 1, sizes),
    };
    infer_give_items(c, items, 4);
}

void rule_bag_weights_backward(infer_call *c)
{
    ty_tensor *g = infer_self(c), *indices = infer_tensor(c, "indices");
    if (g && indices && indices->rank == 1)
        infer_give(c, infer_fresh(c, g, g->dtype, 1, indices->sizes));
}

void rule_embedding_dense_backward(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x || x->rank == 0) return;
    sym_expr sizes[] = {infer_expr(c, "num_weights", 0), x->sizes[x->rank - 1]};
    infer_give(c, infer_fresh(c, x, x->dtype, 2, sizes));
}
