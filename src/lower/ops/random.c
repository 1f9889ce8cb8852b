/* random.c -- operators that draw numbers, from a counter-based generator.
 *
 * The bits are a function of a seed and of the element's number (loop IR: randbits). The seed is
 * state of the program: a counter that every run moves on, mixed with the number of the node that
 * draws; so runs differ, two operators differ, and the same run of the same program is always the
 * same. It is not PyTorch's stream. In a loop the number of the step is mixed in, too.
 */
#include "lower/compose.h"
#include "lower/ops/order.h"
#include "lower/ragged.h"
#include "lower/rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- the seed ---- */

static loop_value seed_value(lowering *l)
{
    loop_program *p = l->program;
    if (l->seed == LOOP_NO_BUFFER) {
        loop_buffer b = {
            .name = "random.seed", .kind = LOOP_STATE, .dtype = TY_I64, .device = TY_HOST};
        b.data = NEW(l->memory, int64_t);
        b.data_bytes = sizeof(int64_t);
        b.origin = UINT32_MAX;
        l->seed = loop_add_buffer(p, b);
    }
    return loop_load(p, l->seed, l->zero);
}

void lower_random_epilogue(lowering *l)
{
    if (l->seed == LOOP_NO_BUFFER) return;
    loop_value next = lower_op2(l, LOOP_ADD, seed_value(l), loop_const_int(l->program, TY_I64, 1));
    loop_op *op = lower_nest(l, 0, NULL, 0, NULL);
    lower_store(l, op, (loop_store){.buffer = l->seed, .index = l->zero, .value = next});
}

/* ---- loops ---- */

static loop_value mixed(lowering *l, loop_value seed, loop_value counter)
{
    return loop_make(l->program,
                     (loop_node){.op = LOOP_RANDBITS, .dtype = TY_I64, .args = {seed, counter}});
}

static loop_value turn_value(lowering *l, lower_turn *turn)
{
    if (turn->buffer == LOOP_NO_BUFFER)
        turn->buffer = lower_temp_tensor(l, TY_I64, 0, NULL, NULL).box->view.buffer;
    return loop_load(l->program, turn->buffer, l->zero);
}

static void set_turn(lowering *l, const lower_turn *turn, loop_value v)
{
    loop_op *op = lower_nest(l, 0, NULL, 0, NULL);
    lower_store(l, op, (loop_store){.buffer = turn->buffer, .index = l->zero, .value = v});
}

void lower_begin_turns(lowering *l)
{
    lower_turn *turn = NEW(l->memory, lower_turn);
    *turn = (lower_turn){.outer = l->turn, .buffer = LOOP_NO_BUFFER};
    turn->path = HASH_MIX(l->path, l->node->id + 1);
    l->turn = turn;
}

void lower_next_turn(lowering *l)
{
    if (l->turn->buffer == LOOP_NO_BUFFER) return;
    loop_value one = loop_const_int(l->program, TY_I64, 1);
    set_turn(l, l->turn, lower_op2(l, LOOP_ADD, turn_value(l, l->turn), one));
}

/* Only now is it known whether something was drawn; the first turn is set before the loop. */
void lower_end_turns(lowering *l, uint32_t begin)
{
    lower_turn *turn = l->turn;
    loop_program *p = l->program;
    l->turn = turn->outer;
    if (turn->buffer == LOOP_NO_BUFFER) return;
    loop_value first = loop_const_int(p, TY_I64, (int64_t)turn->path);
    if (turn->outer) first = mixed(l, turn_value(l, turn->outer), first);
    set_turn(l, turn, first);
    loop_op op = vec_last(&p->ops);
    for (uint32_t k = p->ops.count - 1; k > begin; k--) p->ops.at[k] = p->ops.at[k - 1];
    p->ops.at[begin] = op;
    lower_note_ops(l);
}

/* ---- distributions, over the axes of the output ---- */

/* 64 bits for the element; `draw` tells several draws of one operator apart. */
static loop_value bits(lowering *l, uint32_t rank, const sym_expr *sizes, uint32_t draw)
{
    sym_expr strides[LOWER_MAX_RANK];
    ty_contiguous_strides(l->symbols, rank, sizes, strides);
    loop_value counter = loop_index(l->program, lower_flat(l, l->axes, strides, rank));
    uint64_t place = l->node->id + l->path;
    loop_value stream =
        loop_const_int(l->program, TY_I64, (int64_t)((place * 8 + draw + 1) * 0x9E3779B1));
    loop_value seed = lower_op2(l, LOOP_ADD, seed_value(l), stream);
    if (l->turn) seed = mixed(l, seed, turn_value(l, l->turn));
    return mixed(l, seed, counter);
}

loop_value lower_uniform(lowering *l, uint32_t rank, const sym_expr *sizes, uint32_t draw,
                         ty_dtype d)
{
    loop_value high =
        lower_op2(l, LOOP_SHR, bits(l, rank, sizes, draw), loop_const_int(l->program, TY_I64, 40));
    high = lower_op2(l, LOOP_AND, high, loop_const_int(l->program, TY_I64, 0xFFFFFF));
    high = loop_cast(l->program, TY_I32, high); /* cheap to convert */
    return lower_op2(l, LOOP_MUL, loop_cast(l->program, d, high),
                     loop_const_float(l->program, d, 1.0 / 16777216));
}

static loop_value uniform(lowering *l, const ty_tensor *out, uint32_t draw, ty_dtype d)
{
    return lower_uniform(l, out->rank, out->sizes, draw, d);
}

/* In (0, 1]: what logarithms are taken of. */
static loop_value positive_uniform(lowering *l, const ty_tensor *out, uint32_t draw, ty_dtype d)
{
    return lower_op2(l, LOOP_SUB, loop_const_float(l->program, d, 1), uniform(l, out, draw, d));
}

/* Box and Muller, from two draws */
static loop_value normal(lowering *l, const ty_tensor *out, uint32_t draw, ty_dtype d)
{
    loop_value log_u = lower_op1(l, LOOP_LOG, positive_uniform(l, out, draw, d));
    loop_value radius =
        lower_op1(l, LOOP_SQRT, lower_op2(l, LOOP_MUL, loop_const_float(l->program, d, -2), log_u));
    loop_value angle =
        lower_op2(l, LOOP_MUL, loop_const_float(l->program, d, 6.28318530717958647693),
                  uniform(l, out, draw + 1, d));
    return lower_op2(l, LOOP_MUL, radius, lower_op1(l, LOOP_COS, angle));
}

/* ---- rows ---- */

static ty_dtype real_of(const ty_tensor *out)
{
    ty_dtype d = ty_complex_to_real(out->dtype);
    return ty_is_floating(d) ? lower_compute_dtype(d) : TY_F32;
}

static fe_status give_drawn(lowering *l, loop_value v)
{
    const ty_tensor *out = fx_tensor(l->node);
    tensor t =
        lower_value(l, out->dtype, out->rank, out->sizes, loop_cast(l->program, out->dtype, v));
    lower_realise(l, t.box, lower_wanted(l, 0)); /* drawn once, whoever reads it */
    return lower_give(l, t);
}

static double param(lowering *l, const char *name, double fallback)
{
    return op_param_index(l->node->op, name) >= 0 ? lower_number_or(l, name, fallback) : fallback;
}

static loop_value complex_of(lowering *l, loop_value re, loop_value im)
{
    ty_dtype d = ty_real_to_complex(loop_at(l->program, re)->dtype);
    return loop_make(l->program, (loop_node){.op = LOOP_COMPLEX, .dtype = d, .args = {re, im}});
}

/* low + (high - low) * u */
static loop_value between(lowering *l, loop_value u, double low, double high)
{
    ty_dtype d = loop_at(l->program, u)->dtype;
    loop_value v = lower_op2(l, LOOP_MUL, u, loop_const_float(l->program, d, high - low));
    return lower_op2(l, LOOP_ADD, v, loop_const_float(l->program, d, low));
}

fe_status lower_op_draw_uniform(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    ty_dtype d = real_of(out);
    double low = param(l, "from", 0), high = param(l, "to", 1);
    loop_value v = between(l, uniform(l, out, 0, d), low, high);
    if (!ty_is_complex(out->dtype)) return give_drawn(l, v);
    return give_drawn(l, complex_of(l, v, between(l, uniform(l, out, 1, d), low, high)));
}

static loop_value operand(lowering *l, const char *name, double fallback, const ty_tensor *out,
                          ty_dtype d)
{
    if (op_param_index(l->node->op, name) < 0) return loop_const_float(l->program, d, fallback);
    const fx_arg *a = fx_get(l->graph, l->node, name);
    if (!fx_arg_tensor(a)) return lower_scalar(l, a, d);
    return loop_cast(l->program, d,
                     lower_broadcast(l, lower_tensor_of(l, a), out->rank, out->sizes));
}

/* mean + std * z; parameter 1: its exponential */
fe_status lower_op_draw_normal(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    bool is_complex = ty_is_complex(out->dtype);
    ty_dtype d = real_of(out), whole = is_complex ? ty_real_to_complex(d) : d;
    loop_value z = normal(l, out, 0, d);
    if (is_complex) { /* each part has half the variance */
        loop_value half = loop_const_float(l->program, d, sqrt(0.5));
        z = complex_of(l, lower_op2(l, LOOP_MUL, z, half),
                       lower_op2(l, LOOP_MUL, normal(l, out, 2, d), half));
    }
    loop_value v = lower_op2(l, LOOP_MUL, operand(l, "std", 1, out, whole), z);
    v = lower_op2(l, LOOP_ADD, operand(l, "mean", 0, out, whole), v);
    return give_drawn(l, row->parameter ? lower_op1(l, LOOP_EXP, v) : v);
}

/* low + floor(u * (high - low)) */
fe_status lower_op_draw_integer(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    loop_program *p = l->program;
    loop_value low = loop_const_int(p, TY_I64, 0), high = loop_const_int(p, TY_I64, 1 << 24);
    static const char *const LOWS[] = {"low", "from"}, *const HIGHS[] = {"high", "to"};
    for (int k = 0; k < 2; k++) {
        bool has_low = op_param_index(n->op, LOWS[k]) >= 0,
             has_high = op_param_index(n->op, HIGHS[k]) >= 0;
        if (has_low) low = lower_scalar(l, fx_get(l->graph, n, LOWS[k]), TY_I64);
        if (has_high && !lower_is_none(l, HIGHS[k]))
            high = lower_scalar(l, fx_get(l->graph, n, HIGHS[k]), TY_I64);
    }
    loop_value span = loop_cast(p, TY_F64, lower_op2(l, LOOP_SUB, high, low));
    loop_value v =
        lower_op1(l, LOOP_FLOOR, lower_op2(l, LOOP_MUL, uniform(l, out, 0, TY_F64), span));
    return give_drawn(l, lower_op2(l, LOOP_ADD, low, loop_cast(p, TY_I64, v)));
}

/* u < p; p is an argument, or (parameter 1) the operand itself */
fe_status lower_op_draw_bernoulli(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    loop_value p = operand(l, row->parameter ? "self" : "p", 0.5, out, TY_F32);
    return give_drawn(l, lower_op2(l, LOOP_LT, uniform(l, out, 0, TY_F32), p));
}

fe_status lower_op_draw_by_inversion(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    ty_dtype d = real_of(out);
    loop_program *p = l->program;
    loop_value v;
    if (row->parameter == CAUCHY) {
        loop_value half = loop_const_float(p, d, 0.5),
                   pi = loop_const_float(p, d, 3.14159265358979323846);
        v = lower_op1(
            l, LOOP_TAN,
            lower_op2(l, LOOP_MUL, pi, lower_op2(l, LOOP_SUB, uniform(l, out, 0, d), half)));
        v = lower_op2(l, LOOP_MUL, loop_const_float(p, d, param(l, "sigma", 1)), v);
        return give_drawn(l,
                          lower_op2(l, LOOP_ADD, loop_const_float(p, d, param(l, "median", 0)), v));
    }
    v = lower_op1(l, LOOP_LOG, positive_uniform(l, out, 0, d));
    if (row->parameter == EXPONENTIAL)
        return give_drawn(
            l, lower_op2(l, LOOP_MUL, loop_const_float(p, d, -1 / param(l, "lambd", 1)), v));
    v = lower_op2(l, LOOP_DIV, v, loop_const_float(p, d, log1p(-param(l, "p", 0.5))));
    return give_drawn(
        l, lower_op2(l, LOOP_MAX, lower_op1(l, LOOP_CEIL, v), loop_const_float(p, d, 1)));
}

/* ---- distributions that are drawn by rejection: a value operation each ---- */

/* Random bits of the element as that operation takes them. */
static loop_value bits_of(lowering *l, const ty_tensor *out)
{
    loop_node cast = {
        .op = LOOP_BITCAST, .dtype = TY_F64, .args = {bits(l, out->rank, out->sizes, 0)}};
    return loop_make(l->program, cast);
}

fe_status lower_op_draw_by_rejection(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    loop_node drawn = {.op = (loop_opcode)row->parameter, .dtype = TY_F64};
    drawn.args[0] = bits_of(l, out);
    for (uint32_t k = 0; k + 1 < loop_operand_count(drawn.op); k++)
        drawn.args[k + 1] = operand(l, n->op->params[k].name, 0, out, TY_F64);
    return give_drawn(l, loop_make(l->program, drawn));
}

static double smallest(ty_dtype d)
{
    return d == TY_F64 ? DBL_MIN : d == TY_F16 ? 0x1p-14 : (double)FLT_MIN;
}

/* in f64; never 0 */
static loop_value gamma_of(lowering *l, const ty_tensor *out)
{
    loop_node drawn = {.op = LOOP_DRAWGAMMA, .dtype = TY_F64};
    drawn.args[0] = bits_of(l, out);
    drawn.args[1] = operand(l, "self", 0, out, TY_F64);
    return lower_op2(l, LOOP_MAX, loop_make(l->program, drawn),
                     loop_const_float(l->program, TY_F64, smallest(out->dtype)));
}

fe_status lower_op_standard_gamma(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    return give_drawn(l, gamma_of(l, fx_tensor(n)));
}

/* Gamma numbers over their sum along the last dimension, inside (0, 1). */
fe_status lower_op_dirichlet(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    bool summed[LOWER_MAX_RANK] = {false};
    if (out->rank == 0) return lower_fail(l, "concentrations without a dimension");
    summed[out->rank - 1] = true;
    tensor parts = lower_value(l, TY_F64, out->rank, out->sizes, gamma_of(l, out));
    lower_realise(l, parts.box, NULL);
    tensor sums = lower_reduced(l, LOOP_SUM, parts, summed, true, NULL);
    loop_value v = lower_op2(l, LOOP_DIV, lower_here(l, parts),
                             lower_broadcast(l, sums, out->rank, out->sizes));
    double least = smallest(out->dtype),
           most = out->dtype == TY_F64 ? 1 - DBL_EPSILON / 2 : 1 - (double)FLT_EPSILON / 2;
    v = lower_op2(l, LOOP_MAX, v, loop_const_float(l->program, TY_F64, least));
    v = lower_op2(l, LOOP_MIN, v, loop_const_float(l->program, TY_F64, most));
    return give_drawn(l, v);
}

/* With replacement: a number below the sum of the weights is looked up among their running sums. */
static tensor drawn_with_replacement(lowering *l, tensor weights, const ty_tensor *out)
{
    uint32_t last = weights.rank - 1;
    loop_program *p = l->program;
    tensor sums = lower_scan(l, lower_cast(l, weights, TY_F64), last, LOOP_SUM, TY_F64, NULL);
    sym_expr at[LOWER_MAX_RANK], most = sym_add_int(l->symbols, weights.sizes[last], -1);
    memcpy(at, l->axes, last * sizeof *at);
    at[last] = most;
    loop_value below = lower_op2(l, LOOP_MUL, uniform(l, out, 0, TY_F64), lower_at(l, sums, at));
    tensor drawn = lower_value(l, TY_F64, out->rank, out->sizes, below);
    tensor places = lower_search(l, sums, drawn, (tensor){0}, LOWER_BEHIND_EQUALS, NULL);
    loop_value v = lower_op2(l, LOOP_MIN, lower_here(l, places), loop_index(p, most));
    return lower_value(l, TY_I64, out->rank, out->sizes, v);
}

/* Without: the weights race, each over an exponential time; the first to arrive are drawn. */
static tensor drawn_without_replacement(lowering *l, tensor weights, sym_expr count)
{
    ty_dtype d = lower_dtype(weights);
    ty_tensor like = {
        .dtype = d, .rank = weights.rank, .sizes = (sym_expr *)(uintptr_t)weights.sizes};
    loop_value time =
        lower_op1(l, LOOP_NEG, lower_op1(l, LOOP_LOG, positive_uniform(l, &like, 0, d)));
    time = lower_op2(l, LOOP_MAX, time, loop_const_float(l->program, d, 1e-30));
    loop_value v = lower_op2(l, LOOP_DIV, lower_here(l, weights), time);
    tensor speeds = lower_value(l, d, weights.rank, weights.sizes, v);
    lower_realise(l, speeds.box, NULL);
    return lower_first_places(l, speeds, weights.rank - 1, count);
}

fe_status lower_op_multinomial(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    tensor weights = lower_arg(l, "self");
    sym_expr count = lower_size(l, "num_samples");
    if (!ty_is_floating(lower_dtype(weights)) || weights.rank == 0)
        return lower_fail(l, "weights of %s", ty_dtype_name(lower_dtype(weights)));
    if (sym_is_none(count)) return lower_fail(l, "a number of samples that is not known");
    weights = lower_cast(l, weights, lower_compute_dtype(lower_dtype(weights)));
    return lower_give(l, lower_bool(l, "replacement")
                             ? drawn_with_replacement(l, weights, out)
                             : drawn_without_replacement(l, weights, count));
}
