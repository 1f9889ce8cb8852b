/* zeta.c -- Hurwitz' zeta function, polygamma functions from it, and Chebyshev polynomials in
 * closed form.
 *
 * zeta(x, q) sums the first terms (q + k)^-x and adds the Euler-Maclaurin tail (Cephes), for q below 0
 * by reflection. All compute in double.
 */
#include "lower/compose.h"
#include "lower/rows.h"

#include <math.h>
#include <string.h>

enum { FIRST_TERMS = 16 }; /* reaches past 9 for every q above 0 */

static const double BERNOULLI[] = {/* (2k)! / B(2k) */
                                   12.0,
                                   -720.0,
                                   30240.0,
                                   -1209600.0,
                                   47900160.0,
                                   -1.8924375803183791606e9,
                                   7.47242496e10,
                                   -2.950130727918164224e12,
                                   1.1646782814350067249e14,
                                   -4.5979787224074726105e15,
                                   1.8152105401943546773e17,
                                   -7.1661652561756670113e18};

static loop_value number(lowering *l, double x)
{
    return loop_const_float(l->program, TY_F64, x);
}

static loop_value op2(lowering *l, loop_opcode op, loop_value a, loop_value b)
{
    return lower_op2(l, op, a, b);
}

/* The tail from w = q + FIRST_TERMS on. */
static loop_value zeta_tail(lowering *l, loop_value x, loop_value w)
{
    loop_value power = op2(l, LOOP_POW, w, lower_op1(l, LOOP_NEG, x)), factor = number(l, 1),
               one = number(l, 1);
    loop_value sum = op2(l, LOOP_DIV, op2(l, LOOP_MUL, power, w), op2(l, LOOP_SUB, x, one));
    sum = op2(l, LOOP_ADD, sum, op2(l, LOOP_MUL, number(l, 0.5), power));
    for (size_t k = 0; k < COUNT_OF(BERNOULLI); k++) {
        factor = op2(l, LOOP_MUL, factor, op2(l, LOOP_ADD, x, number(l, 2.0 * (double)k)));
        power = op2(l, LOOP_DIV, power, w);
        sum = op2(l, LOOP_ADD, sum,
                  op2(l, LOOP_DIV, op2(l, LOOP_MUL, factor, power), number(l, BERNOULLI[k])));
        factor = op2(l, LOOP_MUL, factor, op2(l, LOOP_ADD, x, number(l, 2.0 * (double)k + 1)));
        power = op2(l, LOOP_DIV, power, w);
    }
    return sum;
}

/* Below 0, q = f - m has m terms before those of its fraction f. They are (-1)^x (i - f)^-x for i from 1 to
 * m: (-1)^x (zeta(x, 1 - f) - zeta(x, 1 - q)). */
typedef struct zeta_parts {
    loop_value x, below, sign, from, first_mirrored, behind_mirrored;
} zeta_parts;

static zeta_parts zeta_split(lowering *l, loop_value x, loop_value q)
{
    loop_program *p = l->program;
    loop_value zero = number(l, 0), one = number(l, 1),
               fraction = op2(l, LOOP_SUB, q, lower_op1(l, LOOP_FLOOR, q)),
               odd = op2(l, LOOP_EQ, op2(l, LOOP_FMOD, x, number(l, 2)), one);
    zeta_parts z = {.x = x, .below = op2(l, LOOP_LT, q, zero)};
    z.sign = loop_where(p, odd, number(l, -1), one);
    z.from = loop_where(p, z.below, fraction, q);
    z.first_mirrored = op2(l, LOOP_SUB, one, fraction);
    z.behind_mirrored = op2(l, LOOP_SUB, one, q);
    return z;
}

/* What `part` makes of the three places, `ahead` behind each, joined. */
static loop_value zeta_joined(lowering *l, const zeta_parts *z, loop_value ahead,
                              loop_value (*part)(lowering *, loop_value, loop_value))
{
    loop_value mirrored =
        op2(l, LOOP_SUB, part(l, z->x, op2(l, LOOP_ADD, z->first_mirrored, ahead)),
            part(l, z->x, op2(l, LOOP_ADD, z->behind_mirrored, ahead)));
    mirrored = loop_where(l->program, z->below, op2(l, LOOP_MUL, z->sign, mirrored), number(l, 0));
    return op2(l, LOOP_ADD, part(l, z->x, op2(l, LOOP_ADD, z->from, ahead)), mirrored);
}

static loop_value zeta_term(lowering *l, loop_value x, loop_value at)
{
    return op2(l, LOOP_POW, at, lower_op1(l, LOOP_NEG, x));
}

/* Is x so great that the tail is nothing beside the first terms? Its factors may be infinite then. */
static loop_value zeta_vanishes(lowering *l, const zeta_parts *z, loop_value first)
{
    loop_value zero = number(l, 0),
               next = zeta_term(l, z->x, op2(l, LOOP_ADD, z->from, number(l, FIRST_TERMS)));
    return op2(l, LOOP_AND, op2(l, LOOP_NE, first, zero), op2(l, LOOP_EQ, next, zero));
}

/* zeta of values over the axes of a tensor of these sizes. */
static loop_value zeta_value(lowering *l, loop_value x, loop_value q, uint32_t rank,
                             const sym_expr *sizes)
{
    loop_program *p = l->program;
    zeta_parts z = zeta_split(l, x, q);
    sym_expr extent = lower_const(l, FIRST_TERMS);
    loop_value k = loop_cast(p, TY_F64, loop_index(p, l->reduce_axes[0]));
    loop_value term = zeta_joined(l, &z, k, zeta_term);
    tensor first = lower_temp_tensor(l, TY_F64, rank, sizes, NULL);
    loop_op *op = lower_nest(l, rank, sizes, 1, &extent);
    sym_expr at = lower_flat(l, l->axes, first.box->view.strides, rank);
    lower_store(
        l, op,
        (loop_store){
            .buffer = first.box->view.buffer, .index = at, .value = term, .reduce = LOOP_SUM});
    loop_value sum = lower_here(l, first), one = number(l, 1),
               infinite = number(l, (double)INFINITY);
    loop_value last = number(l, FIRST_TERMS), tail = zeta_joined(l, &z, last, zeta_tail);
    loop_value v = loop_where(p, zeta_vanishes(l, &z, sum), sum, op2(l, LOOP_ADD, sum, tail));
    loop_value whole_q = op2(l, LOOP_EQ, q, lower_op1(l, LOOP_FLOOR, q)),
               whole_x = op2(l, LOOP_EQ, x, lower_op1(l, LOOP_FLOOR, x));
    loop_value low = loop_where(p, whole_x, v, number(l, (double)NAN));
    low = loop_where(p, whole_q, infinite, low);
    v = loop_where(p, op2(l, LOOP_LE, q, number(l, 0)), low, v);
    v = loop_where(p, op2(l, LOOP_LT, x, one), number(l, (double)NAN), v);
    return loop_where(p, op2(l, LOOP_EQ, x, one), infinite, v);
}

static loop_value wide_operand(lowering *l, const fx_arg *a, const ty_tensor *out)
{
    tensor t = lower_tensor_of(l, a);
    if (!fx_arg_tensor(a)) return lower_scalar(l, a, TY_F64);
    return loop_cast(l->program, TY_F64, lower_broadcast(l, t, out->rank, out->sizes));
}

fe_status lower_op_zeta(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    loop_value x = wide_operand(l, &n->args[0], out), q = wide_operand(l, &n->args[1], out);
    loop_value v = zeta_value(l, x, q, out->rank, out->sizes);
    return lower_give(
        l, lower_value(l, out->dtype, out->rank, out->sizes, loop_cast(l->program, out->dtype, v)));
}

/* Order 1: reflected below one half, six steps of the recurrence, and the asymptotic series. */
static loop_value trigamma(lowering *l, loop_value x)
{
    const double pi = 3.14159265358979323846;
    loop_program *p = l->program;
    loop_value low = op2(l, LOOP_LT, x, number(l, 0.5)), one = number(l, 1);
    loop_value sine = lower_op1(l, LOOP_SIN, op2(l, LOOP_MUL, number(l, pi), x));
    loop_value mirror = op2(l, LOOP_DIV, number(l, -pi * pi), op2(l, LOOP_MUL, sine, sine));
    loop_value y = loop_where(p, low, op2(l, LOOP_SUB, one, x), x),
               sum = loop_where(p, low, mirror, number(l, 0));
    for (int k = 0; k < 6; k++) {
        sum = op2(l, LOOP_ADD, sum, op2(l, LOOP_DIV, one, op2(l, LOOP_MUL, y, y)));
        y = op2(l, LOOP_ADD, y, one);
    }
    loop_value i = op2(l, LOOP_DIV, one, op2(l, LOOP_MUL, y, y));
    loop_value series =
        op2(l, LOOP_SUB, number(l, 1.0 / 30), op2(l, LOOP_MUL, i, number(l, 1.0 / 42)));
    series = op2(l, LOOP_SUB, number(l, 1.0 / 6), op2(l, LOOP_MUL, i, series));
    series = op2(l, LOOP_ADD, op2(l, LOOP_DIV, number(l, 0.5), y), op2(l, LOOP_MUL, i, series));
    sum = op2(l, LOOP_ADD, sum, op2(l, LOOP_DIV, op2(l, LOOP_ADD, one, series), y));
    return loop_where(p, low, lower_op1(l, LOOP_NEG, sum), sum);
}

/* polygamma(n, x): digamma, trigamma, or (-1)^(n + 1) n! zeta(n + 1, x) */
fe_status lower_op_polygamma(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    int64_t order = lower_int_or(l, "n", -1);
    loop_value x = wide_operand(l, &n->args[1], out), v;
    if (order < 0) return lower_fail(l, "polygamma of order %lld", (long long)order);
    if (order == 0) {
        v = lower_op1(l, LOOP_DIGAMMA, x);
    } else if (order == 1) {
        v = trigamma(l, x);
    } else {
        double factor = order % 2 ? tgamma((double)order + 1) : -tgamma((double)order + 1);
        v = zeta_value(l, number(l, (double)order + 1), x, out->rank, out->sizes);
        v = op2(l, LOOP_MUL, number(l, factor), v);
    }
    return lower_give(
        l, lower_value(l, out->dtype, out->rank, out->sizes, loop_cast(l->program, out->dtype, v)));
}

/* ---- Chebyshev polynomials ---- */

/* f((n + shift) angle) / g(part * angle), with f and g the cosine (even) or sine (odd), of real or
 * imaginary angles. */
static loop_value quotient(lowering *l, loop_value n, loop_value angle, chebyshev_kind kind,
                           bool imaginary)
{
    static const double SHIFT[] = {0, 1, 0.5, 0.5}, PART[] = {0, 1, 0.5, 0.5};
    bool even = kind == FIRST || kind == THIRD;
    loop_opcode wave = imaginary ? (even ? LOOP_COSH : LOOP_SINH) : (even ? LOOP_COS : LOOP_SIN);
    loop_value top =
        lower_op1(l, wave, op2(l, LOOP_MUL, op2(l, LOOP_ADD, n, number(l, SHIFT[kind])), angle));
    if (kind == FIRST) return top;
    return op2(l, LOOP_DIV, top,
               lower_op1(l, wave, op2(l, LOOP_MUL, number(l, PART[kind]), angle)));
}

/* The value at 1 (for -1: times (-1)^n, third and fourth kind exchanged). */
static loop_value at_one(lowering *l, loop_value n, chebyshev_kind kind)
{
    if (kind == SECOND) return op2(l, LOOP_ADD, n, number(l, 1));
    if (kind == FOURTH) return op2(l, LOOP_ADD, op2(l, LOOP_MUL, number(l, 2), n), number(l, 1));
    return number(l, 1);
}

static chebyshev_kind mirrored(chebyshev_kind kind)
{
    return kind == THIRD ? FOURTH : kind == FOURTH ? THIRD : kind;
}

fe_status lower_op_chebyshev(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    loop_program *p = l->program;
    chebyshev_kind kind = (chebyshev_kind)(row->parameter & 3);
    loop_value x = wide_operand(l, &n->args[0], out),
               order = lower_op1(l, LOOP_TRUNC, wide_operand(l, &n->args[1], out));
    if (row->parameter & SHIFTED)
        x = op2(l, LOOP_SUB, op2(l, LOOP_MUL, number(l, 2), x), number(l, 1));
    loop_value size = lower_op1(l, LOOP_ABS, x), one = number(l, 1), zero = number(l, 0);
    loop_value negative = op2(l, LOOP_LT, x, zero),
               odd = op2(l, LOOP_NE, op2(l, LOOP_FMOD, order, number(l, 2)), zero);
    loop_value sign = loop_where(p, op2(l, LOOP_AND, negative, odd), number(l, -1), one);
    loop_value inside = quotient(l, order, lower_op1(l, LOOP_ACOS, x), kind, false);
    loop_value turn = lower_op1(l, LOOP_ACOSH, size);
    loop_value outside = loop_where(p, negative, quotient(l, order, turn, mirrored(kind), true),
                                    quotient(l, order, turn, kind, true));
    loop_value edge =
        loop_where(p, negative, at_one(l, order, mirrored(kind)), at_one(l, order, kind));
    loop_value v =
        loop_where(p, op2(l, LOOP_LT, size, one), inside, op2(l, LOOP_MUL, sign, outside));
    v = loop_where(p, op2(l, LOOP_EQ, size, one), op2(l, LOOP_MUL, sign, edge), v);
    v = loop_where(p, op2(l, LOOP_LT, order, zero), zero, v);
    tensor t = lower_value(l, out->dtype, out->rank, out->sizes, loop_cast(p, out->dtype, v));
    return lower_give(l, t);
}
