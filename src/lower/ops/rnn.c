/* rnn.c -- recurrent layers (lstm, gru, rnn) and their cells, one time step after the other.
 *
 * The products of all inputs with a layer's input weights are one product; each step then has one
 * more, with the state. The steps of a short sequence follow each other in the program; each stores
 * its state into its place in the layer's output, where the next one reads it. Those of a longer one
 * are a region that repeats, whose state has memory of its own.
 */
#include "lower/compose.h"
#include "lower/control.h"
#include "lower/rows.h"

#include <string.h>

enum { MOST_IN_A_ROW = 4 };

typedef struct cell {
    cell_kind kind;
    tensor w_ih, w_hh, b_ih, b_hh; /* biases may be absent */
    tensor w_hr;                   /* lstm: of the projection, or absent */
    ty_dtype given;                /* lstm: of the states between steps, and of the sum of biases */
} cell;

/* h and (lstm) c, [batch, hidden] */
typedef struct state {
    tensor h, c;
} state;

static const tensor NONE = {0};

/* Columns part * size .. of gates. */
static tensor gate(lowering *l, tensor gates, uint32_t part, sym_expr size)
{
    sym_expr start = sym_mul_int(l->symbols, size, part);
    return lower_slice(l, gates, gates.rank - 1, start, size, l->one);
}

static tensor sigmoid(lowering *l, tensor x)
{
    return lower_unary(l, LOOP_SIGMOID, x);
}

static tensor hyperbolic(lowering *l, tensor x)
{
    return lower_unary(l, LOOP_TANH, x);
}

static state lstm_step(lowering *l, tensor gates, state s)
{
    sym_expr size = s.c.sizes[1];
    tensor in = sigmoid(l, gate(l, gates, 0, size)), forget = sigmoid(l, gate(l, gates, 1, size));
    tensor fresh = hyperbolic(l, gate(l, gates, 2, size)),
           out = sigmoid(l, gate(l, gates, 3, size));
    tensor c = T_ADD(T_MUL(forget, s.c), T_MUL(in, fresh));
    lower_realise(l, c.box, NULL);
    return (state){T_MUL(out, hyperbolic(l, c)), c};
}

static tensor gru_step(lowering *l, tensor x, tensor hidden, tensor h)
{
    sym_expr size = h.sizes[1];
    tensor reset = sigmoid(l, T_ADD(gate(l, x, 0, size), gate(l, hidden, 0, size)));
    tensor update = sigmoid(l, T_ADD(gate(l, x, 1, size), gate(l, hidden, 1, size)));
    tensor fresh =
        hyperbolic(l, T_ADD(gate(l, x, 2, size), T_MUL(reset, gate(l, hidden, 2, size))));
    lower_settle(l, fresh.box, 2);
    return T_ADD(T_MUL(T_SUB(h, fresh), update), fresh);
}

/* `x` are the gates' parts that come from the input, its bias included. */
static state exact_step(lowering *l, const cell *k, tensor x, state s)
{
    tensor hidden = lower_matmul(l, s.h, lower_transpose(l, k->w_hh, 0, 1), k->b_hh, NULL);
    if (k->kind == GRU) return (state){gru_step(l, x, hidden, s.h), s.c};
    tensor gates = T_ADD(x, hidden);
    if (k->kind == LSTM) {
        s = lstm_step(l, gates, s);
        if (!lower_absent(k->w_hr))
            s.h = lower_matmul(l, s.h, lower_transpose(l, k->w_hr, 0, 1), NONE, NULL);
        return s;
    }
    tensor h = k->kind == RNN_TANH ? hyperbolic(l, gates) : T_MAX(gates, T_NUM(gates, 0));
    return (state){h, s.c};
}

static tensor rounded(lowering *l, tensor x, ty_dtype given)
{
    return lower_absent(x) ? x : lower_cast(l, lower_cast(l, x, given), lower_dtype(x));
}

/* One step. The states of an LSTM are numbers of the dtype that it was given, as in eager's. */
static state step(lowering *l, const cell *k, tensor x, state s)
{
    state next = exact_step(l, k, x, s);
    if (k->kind != LSTM) return next;
    return (state){rounded(l, next.h, k->given), rounded(l, next.c, k->given)};
}

static tensor input_product(lowering *l, const cell *k, tensor x)
{
    return lower_matmul(l, x, lower_transpose(l, k->w_ih, 0, 1), k->b_ih, NULL);
}

/* ---- layers ---- */

/* One direction of a layer. */
typedef struct direction {
    cell k;
    tensor products; /* of all inputs with the input weights: [steps, batch, gates] */
    bool backwards;
    tensor out; /* [steps, batch, all directions]; its states go from `column` on */
    sym_expr column;
} direction;

static tensor place_of(lowering *l, const direction *d, sym_expr at, sym_expr size)
{
    return lower_slice(l, lower_select(l, d->out, 0, at), 1, d->column, size, l->one);
}

static void store_state(lowering *l, tensor place, tensor h)
{
    loop_view to;
    bool strided = lower_try_strided(l, place, &to);
    CHECK(l->session, strided);
    loop_op *op = lower_nest(l, 2, place.sizes, 0, NULL);
    sym_expr index = sym_add(l->symbols, to.offset, lower_flat(l, l->axes, to.strides, 2));
    lower_store(l, op,
                (loop_store){.buffer = to.buffer, .index = index, .value = lower_here(l, h)});
}

static state run_in_a_row(lowering *l, const direction *d, int64_t steps, state s)
{
    sym_expr size = s.h.sizes[1];
    for (int64_t t = 0; t < steps; t++) {
        sym_expr at = lower_const(l, d->backwards ? steps - 1 - t : t);
        s = step(l, &d->k, lower_select(l, d->products, 0, at), s);
        tensor place = place_of(l, d, at, size);
        store_state(l, place, s.h);
        s.h = place;
    }
    return s;
}

/* Memory that begins as x. */
static tensor begun_as(lowering *l, tensor x)
{
    tensor to = lower_temp_tensor(l, lower_dtype(x), x.rank, x.sizes, NULL);
    control_store(l, to, x, l->zero);
    return to;
}

static void give_memory(lowering *l, tensor x)
{
    if (!lower_absent(x)) lower_realise(l, x.box, NULL);
}

static state run_repeated(lowering *l, const direction *d, sym_expr steps, state first)
{
    bool has_c = !lower_absent(first.c);
    state s = {begun_as(l, first.h), has_c ? begun_as(l, first.c) : NONE};
    sym_expr run, last = sym_add_int(l->symbols, steps, -1);
    control_list written = {0};
    give_memory(l, d->products);
    give_memory(l, d->k.w_hh);
    give_memory(l, d->k.b_hh);
    give_memory(l, d->k.w_hr);
    uint32_t begin = control_begin_repeat(l, steps, &run);
    vec_push(l->memory, &written, d->out);
    control_set_outputs(l, &l->program->ops.at[begin], &written);
    sym_expr at = d->backwards ? sym_sub(l->symbols, last, run) : run;
    state next = step(l, &d->k, lower_select(l, d->products, 0, at), s);
    give_memory(l, next.h);
    store_state(l, place_of(l, d, at, s.h.sizes[1]), next.h);
    control_store(l, s.h, next.h, l->zero);
    if (has_c) control_store(l, s.c, next.c, l->zero);
    control_end_repeat(l, begin);
    return s;
}

typedef struct recurrence {
    cell_kind kind;
    ty_dtype d;
    const fx_arg *params;
    uint32_t per_cell; /* parameters of one direction of a layer */
    uint32_t directions;
    bool is_projected;
    int64_t layers;
    tensor h0, c0; /* [layers * directions, batch, hidden] */
} recurrence;

static cell cell_of(lowering *l, const recurrence *r, uint32_t number)
{
    cell k = {.kind = r->kind, .given = lower_meta(l, 0)->dtype};
    uint32_t first = number * r->per_cell;
    k.w_ih = lower_cast(l, lower_item(l, r->params, first), r->d);
    k.w_hh = lower_cast(l, lower_item(l, r->params, first + 1), r->d);
    if (r->per_cell >= 4) {
        k.b_ih = lower_cast(l, lower_item(l, r->params, first + 2), r->d);
        k.b_hh = lower_cast(l, lower_item(l, r->params, first + 3), r->d);
    }
    if (k.kind == LSTM && k.given != r->d && !lower_absent(k.b_ih)) {
        k.b_ih = rounded(l, T_ADD(k.b_ih, k.b_hh), k.given);
        k.b_hh = NONE;
    }
    if (r->is_projected)
        k.w_hr = lower_cast(l, lower_item(l, r->params, first + r->per_cell - 1), r->d);
    return k;
}

static tensor run_layers(lowering *l, const recurrence *r, tensor x, tensor *last_h, tensor *last_c)
{
    sym_expr hidden = r->h0.sizes[2];
    int64_t steps;
    bool in_a_row = sym_is_int(l->symbols, x.sizes[0], &steps) && steps <= MOST_IN_A_ROW;
    for (uint32_t layer = 0; layer < (uint32_t)r->layers; layer++) {
        sym_expr sizes[3] = {x.sizes[0], x.sizes[1],
                             sym_mul_int(l->symbols, hidden, r->directions)};
        tensor out = lower_temp_tensor(l, r->d, 3, sizes, NULL);
        lower_store_unless_plain(l, x);
        for (uint32_t way = 0; way < r->directions; way++) {
            uint32_t number = layer * r->directions + way;
            direction d = {.k = cell_of(l, r, number), .backwards = way == 1, .out = out};
            d.products = input_product(l, &d.k, x);
            d.column = sym_mul_int(l->symbols, hidden, way);
            state s = {.h = lower_select(l, r->h0, 0, lower_const(l, number))};
            if (!lower_absent(r->c0)) s.c = lower_select(l, r->c0, 0, lower_const(l, number));
            s = in_a_row ? run_in_a_row(l, &d, steps, s) : run_repeated(l, &d, x.sizes[0], s);
            last_h[number] = lower_unsqueeze(l, s.h, 0);
            if (!lower_absent(s.c)) last_c[number] = lower_unsqueeze(l, s.c, 0);
        }
        x = out;
    }
    return x;
}

static fe_status read_recurrence(lowering *l, recurrence *r, cell_kind kind)
{
    *r = (recurrence){.kind = kind, .d = lower_compute_dtype(lower_meta(l, 0)->dtype)};
    r->params = fx_get(l->graph, l->node, "params");
    r->layers = lower_int_or(l, "num_layers", 1);
    r->directions = lower_bool(l, "bidirectional") ? 2 : 1;
    r->per_cell = lower_bool(l, "has_biases") ? 4 : 2;
    r->is_projected = r->params->list.count > r->per_cell * r->directions * (uint32_t)r->layers;
    r->per_cell += r->is_projected;
    if (lower_bool(l, "train") && lower_number_or(l, "dropout", 0) != 0 && r->layers > 1)
        return lower_fail(l, "dropout in training");
    const fx_arg *hx = fx_get(l->graph, l->node, "hx");
    r->h0 = lower_cast(l, kind == LSTM ? lower_item(l, hx, 0) : lower_tensor_of(l, hx), r->d);
    r->c0 = kind == LSTM ? lower_cast(l, lower_item(l, hx, 1), r->d) : NONE;
    return FE_OK;
}

static tensor as_recorded(lowering *l, uint32_t item, tensor t)
{
    const ty_tensor *meta = lower_meta(l, item);
    return lower_cast(l, lower_reshape(l, t, meta->rank, meta->sizes), meta->dtype);
}

/* The states that cells end with; not made where nobody reads them. */
static tensor last_states(lowering *l, uint32_t item, const tensor *states, uint32_t cells,
                          ty_dtype d)
{
    if (!lower_is_used(l, item)) return states[0];
    return as_recorded(l, item, lower_joined(l, states, cells, 0, d));
}

fe_status lower_op_recurrent_layer(lowering *l, fx_node *n, const lower_row *row)
{
    recurrence r;
    FE_TRY(read_recurrence(l, &r, (cell_kind)row->parameter));
    tensor x = lower_computed_arg(l, "input");
    bool batched = x.rank == 3, batch_first = lower_bool(l, "batch_first");
    if (!batched) {
        x = lower_unsqueeze(l, x, 1);
        r.h0 = lower_unsqueeze(l, r.h0, 1);
        if (!lower_absent(r.c0)) r.c0 = lower_unsqueeze(l, r.c0, 1);
    } else if (batch_first) {
        x = lower_transpose(l, x, 0, 1);
    }
    uint32_t cells = (uint32_t)r.layers * r.directions;
    tensor *last_h = NEW_ARRAY(l->memory, tensor, cells),
           *last_c = NEW_ARRAY(l->memory, tensor, cells), items[3];
    tensor y = run_layers(l, &r, x, last_h, last_c);
    if (batched && batch_first) y = lower_transpose(l, y, 0, 1);
    items[0] = as_recorded(l, 0, y);
    items[1] = last_states(l, 1, last_h, cells, r.d);
    if (r.kind == LSTM) items[2] = last_states(l, 2, last_c, cells, r.d);
    return lower_give_items(l, items, n->value.count);
}

/* ---- cells ---- */

fe_status lower_op_recurrent_cell(lowering *l, fx_node *n, const lower_row *row)
{
    cell k = {.kind = (cell_kind)row->parameter};
    const fx_arg *hx = fx_get(l->graph, n, "hx");
    ty_dtype d = k.given = lower_compute_dtype(lower_meta(l, 0)->dtype);
    tensor x = lower_computed_arg(l, "input");
    state s = {
        .h = lower_cast(l, k.kind == LSTM ? lower_item(l, hx, 0) : lower_tensor_of(l, hx), d)};
    if (k.kind == LSTM) s.c = lower_cast(l, lower_item(l, hx, 1), d);
    k.w_ih = lower_computed_arg(l, "w_ih");
    k.w_hh = lower_computed_arg(l, "w_hh");
    k.b_ih = lower_computed_arg(l, "b_ih");
    k.b_hh = lower_computed_arg(l, "b_hh");
    bool batched = x.rank == 2;
    if (!batched) {
        x = lower_unsqueeze(l, x, 0);
        s.h = lower_unsqueeze(l, s.h, 0);
        if (k.kind == LSTM) s.c = lower_unsqueeze(l, s.c, 0);
    }
    s = step(l, &k, input_product(l, &k, x), s);
    tensor items[2] = {s.h, s.c};
    if (k.kind != LSTM) return lower_give_as_recorded(l, s.h);
    for (uint32_t j = 0; j < 2; j++) {
        if (!batched) items[j] = lower_squeeze(l, items[j], 0);
        items[j] = lower_cast(l, items[j], lower_meta(l, j)->dtype);
    }
    return lower_give_items(l, items, 2);
}
