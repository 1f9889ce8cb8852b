/* check_recurrent.c -- weights and states of recurrent networks against each other. */
#include "infer/infer_priv.h"

enum { RNN_GATES = 1, GRU_GATES = 3, LSTM_GATES };

/* What the weights of a network are held against. */
typedef struct network {
    infer_call *c;
    const ty_tensor *x;
    sym_expr hidden, rows, output; /* of its cells; gates times that; what a layer gives */
    uint32_t kinds;                /* of weights that a layer has in a direction */
    int64_t layers, directions;
    bool has_biases;
} network;

/* [gates * hidden, in], [gates * hidden, output], two biases, [output, hidden] of projections. */
static void check_weight(const network *n, uint32_t i, const ty_tensor *w)
{
    infer_call *c = n->c;
    uint32_t kind = i % n->kinds;
    bool is_projection = kind == (n->has_biases ? 4u : 2u);
    bool is_matrix = kind < 2 || is_projection, is_first = i / n->kinds < n->directions;
    sym_expr given =
        is_first ? n->x->sizes[n->x->rank - 1] : sym_mul_int(c->symbols, n->output, n->directions);
    sym_expr columns = is_projection ? n->hidden : kind == 1 ? n->output : given;
    sym_expr rows = is_projection ? n->output : n->rows;
    if (!w || w->rank != (is_matrix ? 2u : 1u)) {
        infer_fail(c, "weight %u is %s", i, infer_shape(c, w));
        return;
    }
    (void)INFER_REQUIRE_EQUAL(c, w->sizes[0], rows, "weight %u is %s, its rows have to be %s", i,
                              infer_shape(c, w), infer_written(c, rows));
    if (is_matrix)
        (void)INFER_REQUIRE_EQUAL(c, w->sizes[1], columns,
                                  "weight %u is %s, its columns have to be %s", i,
                                  infer_shape(c, w), infer_written(c, columns));
    if (w->dtype != n->x->dtype)
        infer_fail(c, "weight %u is %s, the input %s: expected the same dtype", i,
                   infer_shape(c, w), infer_shape(c, n->x));
}

static void check_state(const network *n, const ty_tensor *state, sym_expr batch, sym_expr size)
{
    infer_call *c = n->c;
    sym_expr count = infer_number(c, n->layers * n->directions);
    if (state->dtype != n->x->dtype)
        infer_fail(c, "hx is %s, the input %s: expected the same dtype", infer_shape(c, state),
                   infer_shape(c, n->x));
    (void)INFER_REQUIRE_EQUAL(c, state->sizes[0], count, "Expected hidden size (%s, ..), got %s",
                              infer_written(c, count), infer_shape(c, state));
    (void)INFER_REQUIRE_EQUAL(c, state->sizes[1], batch,
                              "Expected a hidden state for each of %s, got %s",
                              infer_written(c, batch), infer_shape(c, state));
    (void)INFER_REQUIRE_EQUAL(c, state->sizes[2], size, "Expected hidden size %s, got %s",
                              infer_written(c, size), infer_shape(c, state));
}

static bool are_states(infer_call *c, const ty_tensor *x, ty_tensor *const *states, bool is_lstm)
{
    bool packed = op_param_index(c->op, "batch_sizes") >= 0;
    if (x->rank != (packed ? 2u : 3u) || (is_lstm && !states[1]))
        infer_fail(c, "a recurrent network over %s", infer_shape(c, x));
    for (uint32_t k = 0; k < 2 && c->status == FE_OK; k++)
        if (states[k] && states[k]->rank != 3)
            infer_fail(c, "hx is %s, which has not three dimensions", infer_shape(c, states[k]));
    return c->status == FE_OK;
}

/* Weights of one layer and direction stand one after the other. */
static void check_network(infer_call *c, int64_t gates)
{
    enum { MOST = 1024 };
    ty_tensor *weights[MOST], *states[2] = {infer_tensor(c, "hx"), NULL};
    network n = {.c = c, .x = infer_tensor(c, "input")};
    if (!n.x) n.x = infer_tensor(c, "data");
    if (!states[0]) infer_list(c, "hx", states, 2);
    uint32_t count = infer_list(c, "params", weights, MOST);
    bool is_lstm = gates == LSTM_GATES;
    bool packed = op_param_index(c->op, "batch_sizes") >= 0;
    n.directions = infer_flag(c, "bidirectional", false) ? 2 : 1;
    n.layers = infer_int(c, "num_layers", 1);
    n.has_biases = infer_flag(c, "has_biases", true);
    n.kinds = n.has_biases ? 4 : 2;
    if (!n.x || !states[0] || c->status != FE_OK || !are_states(c, n.x, states, is_lstm)) return;
    /* An LSTM with projections has a fifth weight, and outputs that are narrower than its cells. */
    if (is_lstm && n.layers * n.directions * (n.kinds + 1) == (int64_t)count) n.kinds++;
    if (n.layers < 1 || n.layers * n.directions * n.kinds != (int64_t)count) {
        infer_fail(c, "%u weights for %lld layers in %lld directions", count, (long long)n.layers,
                   (long long)n.directions);
        return;
    }
    if (!packed)
        (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, 0),
                            n.x->sizes[infer_flag(c, "batch_first", false) ? 1 : 0],
                            "Expected sequence length to be larger than 0 in RNN");
    n.output = states[0]->sizes[2];
    n.hidden = states[1] ? states[1]->sizes[2] : n.output;
    n.rows = sym_mul_int(c->symbols, n.hidden, gates);
    sym_expr batch =
        packed ? states[0]->sizes[1] : n.x->sizes[infer_flag(c, "batch_first", false) ? 0 : 1];
    bool projects = n.kinds == (n.has_biases ? 5u : 3u);
    check_state(&n, states[0], batch, projects ? n.output : n.hidden);
    if (states[1]) check_state(&n, states[1], batch, n.hidden);
    for (uint32_t i = 0; i < count && c->status == FE_OK; i++) check_weight(&n, i, weights[i]);
}

void infer_check_lstm(infer_call *c)
{
    check_network(c, LSTM_GATES);
}
void infer_check_gru(infer_call *c)
{
    check_network(c, GRU_GATES);
}
void infer_check_rnn(infer_call *c)
{
    check_network(c, RNN_GATES);
}
