/* range.c -- between which numbers a value is: from dtypes, arithmetic, axes and sizes, the bytes of
 * constants, what is stored in temps, and comparisons that hold where it is used.
 */
#include "loop/operator.h"
#include "loop/within_priv.h"

#include <math.h>

enum { MOST_OPS = 4096 };
static const double MOST_FLOAT = 1e30; /* beyond may be infinite */
static const loop_range ANYTHING = {-INFINITY, INFINITY};

static loop_range range_of_dtype(ty_dtype d)
{
    if (d == TY_BOOL) return (loop_range){0, 1};
    if (!ty_is_integral(d, true) || ty_dtype_size(d) == 8) return ANYTHING;
    double half = ldexp(1, (int)(8 * ty_dtype_size(d)) - 1);
    return ty_dtype_kind(d) == TY_KIND_SIGNED ? (loop_range){-half, half - 1}
                                              : (loop_range){0, 2 * half - 1};
}

static loop_range joined(loop_range a, loop_range b)
{
    return (loop_range){fmin(a.low, b.low), fmax(a.high, b.high)};
}

/* What arithmetic gives, when that is far from where the dtype ends. */
static loop_range as_computed(ty_dtype d, loop_range r)
{
    double most = ty_is_integral(d, true) ? PROOF_MOST_INTEGER : MOST_FLOAT;
    loop_range all = range_of_dtype(d);
    if (!(r.low >= -most && r.high <= most)) return all;
    if (!ty_is_integral(d, true))
        return (loop_range){r.low - fabs(r.low) * 1e-6, r.high + fabs(r.high) * 1e-6};
    return r.low >= all.low && r.high <= all.high ? r : all;
}

loop_range loop_range_of_expr(loop_proof *f, sym_expr e)
{
    int64_t least, most;
    sym_range(f->p->symbols, e, f->env, &least, &most);
    return (loop_range){least == SYM_NO_MIN ? -INFINITY : (double)least,
                        most == SYM_NO_MAX ? INFINITY : (double)most};
}

static loop_range range_of_cast(loop_proof *f, const loop_node *n)
{
    ty_dtype from = loop_at(f->p, n->args[0])->dtype;
    loop_range r = loop_range_of(f, n->args[0]), all = range_of_dtype(n->dtype);
    if (ty_is_complex(from) || n->dtype == TY_BOOL) return all;
    if (ty_is_integral(n->dtype, true)) {
        bool fits = r.low >= fmax(all.low, -9e18) && r.high <= fmin(all.high, 9e18);
        if (ty_is_integral(from, true) && ty_dtype_size(n->dtype) == 8 && from != TY_U64) return r;
        return fits ? (loop_range){trunc(r.low), trunc(r.high)} : all;
    }
    if (ty_is_integral(from, true)) r = (loop_range){fmax(r.low, -1e19), fmin(r.high, 2e19)};
    return n->dtype == TY_F32 || n->dtype == TY_F64 ? as_computed(n->dtype, r) : ANYTHING;
}

static loop_range product(loop_range a, loop_range b)
{
    double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    loop_range r = {corners[0], corners[0]};
    for (size_t k = 0; k < COUNT_OF(corners); k++) {
        if (isnan(corners[k])) return ANYTHING;
        r = joined(r, (loop_range){corners[k], corners[k]});
    }
    return r;
}

static loop_range quotient(loop_opcode op, loop_range a, loop_range b)
{
    if (b.low < 1) return ANYTHING;
    loop_range r = product(a, (loop_range){1 / b.high, 1 / b.low});
    if (op == LOOP_FLOORDIV) r = (loop_range){floor(r.low), ceil(r.high)};
    return r;
}

static loop_range range_of_binary(loop_proof *f, const loop_node *n)
{
    loop_range a = loop_range_of(f, n->args[0]), b = loop_range_of(f, n->args[1]);
    bool integer = ty_is_integral(n->dtype, true);
    switch (n->op) {
    case LOOP_MIN: /* of floats, NaN where one is */
        if (!integer && (isinf(a.low) || isinf(b.low) || isinf(a.high) || isinf(b.high)))
            return ANYTHING;
        return (loop_range){fmin(a.low, b.low), fmin(a.high, b.high)};
    case LOOP_MAX:
        if (!integer && (isinf(a.low) || isinf(b.low) || isinf(a.high) || isinf(b.high)))
            return ANYTHING;
        return (loop_range){fmax(a.low, b.low), fmax(a.high, b.high)};
    case LOOP_ADD: return as_computed(n->dtype, (loop_range){a.low + b.low, a.high + b.high});
    case LOOP_SUB: return as_computed(n->dtype, (loop_range){a.low - b.high, a.high - b.low});
    case LOOP_MUL: return as_computed(n->dtype, product(a, b));
    case LOOP_DIV:
    case LOOP_FLOORDIV: return as_computed(n->dtype, quotient(n->op, a, b));
    case LOOP_REM:
        return integer && b.low >= 1 ? (loop_range){0, b.high - 1} : range_of_dtype(n->dtype);
    case LOOP_AND:
        if (!integer || (a.low < 0 && b.low < 0)) return range_of_dtype(n->dtype);
        return (loop_range){0,
                            fmin(a.low >= 0 ? a.high : INFINITY, b.low >= 0 ? b.high : INFINITY)};
    case LOOP_EQ:
        if (a.high < b.low || a.low > b.high) return (loop_range){0, 0};
        return range_of_dtype(n->dtype);
    default: return range_of_dtype(n->dtype);
    }
}

static loop_range range_of_unary(loop_proof *f, const loop_node *n)
{
    loop_range r = loop_range_of(f, n->args[0]);
    switch (n->op) {
    case LOOP_NEG: return as_computed(n->dtype, (loop_range){-r.high, -r.low});
    case LOOP_FLOOR: return as_computed(n->dtype, (loop_range){floor(r.low), floor(r.high)});
    case LOOP_CEIL: return as_computed(n->dtype, (loop_range){ceil(r.low), ceil(r.high)});
    case LOOP_ROUNDED: return r;
    case LOOP_TRUNC:
    case LOOP_ROUND: return as_computed(n->dtype, (loop_range){floor(r.low), ceil(r.high)});
    default: return range_of_dtype(n->dtype);
    }
}

static loop_range range_of_constant(const loop_node *n)
{
    if (ty_is_complex(n->dtype)) return ANYTHING;
    if (n->dtype == TY_U64 && n->integer < 0) return ANYTHING;
    double x = ty_is_integral(n->dtype, true) ? (double)n->integer : n->number[0];
    return isnan(x) ? ANYTHING : (loop_range){x, x};
}

/* ---- memory ---- */

/* What a call writes into one of its outputs is in [0, size); none: not known. */
static sym_expr places_below(loop_proof *f, const loop_op *op, uint32_t output, sym_expr at)
{
    const loop_operator *row = loop_operator_of(op->kernel);
    return row && row->below ? row->below(f->p, op, output, at, f->env) : (sym_expr){0};
}

static bool is_nonempty(const loop_proof *f, const loop_op *op)
{
    for (uint32_t k = 0; k < op->reduce_axes; k++) {
        int64_t least, most;
        sym_range(f->p->symbols, op->reduce_extents[k], NULL, &least, &most);
        if (least < 1) return false;
    }
    return true;
}

/* Does the buffer then hold nothing but the values stored, or their places? */
static bool keeps_values(const loop_proof *f, const loop_op *op, const loop_store *st)
{
    if (st->mode != LOOP_SET && st->mode != LOOP_MIN_INTO && st->mode != LOOP_MAX_INTO)
        return false;
    if (st->reduce == LOOP_NO_REDUCE) return true;
    return is_nonempty(f, op) && (st->reduce == LOOP_REDUCE_MIN || st->reduce == LOOP_REDUCE_MAX ||
                                  st->reduce == LOOP_ARGMIN || st->reduce == LOOP_ARGMAX);
}

bool loop_writers_of(loop_proof *f, loop_buffer_id buffer, loop_writers *out)
{
    loop_program *p = f->p;
    loop_buffer_id whole = loop_whole_of(p, buffer, NULL);
    if (p->buffers.at[whole].kind != LOOP_TEMP || p->ops.count > MOST_OPS) return false;
    for (uint32_t k = 0; k < p->ops.count; k++) {
        const loop_op *op = &p->ops.at[k];
        for (uint32_t i = 0; op->kind == LOOP_NEST && i < op->store_count; i++) {
            if (loop_whole_of(p, op->stores[i].buffer, NULL) != whole) continue;
            if (!keeps_values(f, op, &op->stores[i])) return false;
            vec_push(p->memory, out, (loop_writer){op, &op->stores[i], 0});
        }
        for (uint32_t i = 0; op->kind == LOOP_EXTERN && i < op->output_count; i++) {
            loop_buffer_id to = op->outputs[i].buffer;
            if (to == LOOP_NO_BUFFER || loop_whole_of(p, to, NULL) != whole) continue;
            if (to != buffer || op->callee) return false;
            vec_push(p->memory, out, (loop_writer){op, NULL, i});
        }
    }
    return out->count > 0;
}

uint32_t loop_axes_of(loop_program *p, const loop_op *op, sym_bound *bounds)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < op->axes; k++)
        bounds[count++] = (sym_bound){loop_axis(p, k), op->extents[k]};
    for (uint32_t k = 0; k < op->reduce_axes; k++)
        bounds[count++] = (sym_bound){loop_reduce_axis(p, k), op->reduce_extents[k]};
    return count;
}

sym_expr loop_written_places(loop_proof *f, const loop_writer *w, sym_expr at)
{
    if (!w->store) return places_below(f, w->op, w->output, at);
    bool is_place = w->store->reduce == LOOP_ARGMIN || w->store->reduce == LOOP_ARGMAX;
    return is_place ? sym_product(f->p->symbols, w->op->reduce_extents, w->op->reduce_axes)
                    : (sym_expr){0};
}

loop_proof loop_proof_in(const loop_proof *f, const sym_env *env)
{
    return (loop_proof){f->p, env, NULL, f->steps, f->depth};
}

static loop_range range_of_load(loop_proof *f, const loop_node *n)
{
    const loop_buffer *b = &f->p->buffers.at[n->buffer];
    loop_range all = range_of_dtype(n->dtype), r = {INFINITY, -INFINITY};
    loop_writers list = {0};
    if (!ty_is_integral(n->dtype, true)) return ANYTHING;
    if (b->kind == LOOP_CONSTANT && b->range)
        return as_computed(b->dtype, (loop_range){(double)b->range[0], (double)b->range[1]});
    if (!loop_writers_of(f, n->buffer, &list)) return all;
    for (uint32_t k = 0; k < list.count; k++) {
        const loop_writer *w = &list.at[k];
        sym_bound bounds[2 * LOOP_MAX_AXES];
        sym_expr size = loop_written_places(f, w, n->index);
        const sym_env env = {bounds, loop_axes_of(f->p, w->op, bounds)};
        if (!sym_is_none(size))
            r = joined(r, (loop_range){0, loop_range_of_expr(f, size).high - 1});
        else if (!w->store)
            return all;
        else {
            loop_proof there = loop_proof_in(f, &env);
            r = joined(r, loop_range_of(&there, w->store->value));
            f->steps = there.steps;
        }
    }
    return as_computed(n->dtype, r);
}

/* ---- facts ---- */

static double just_below(ty_dtype d, double x)
{
    if (ty_is_integral(d, true)) return x - 1;
    return d == TY_F64 ? nextafter(x, -INFINITY) : (double)nextafterf((float)x, -INFINITY);
}

/* What `small <= large`, or `small < large`, leaves of the range of v, which is one of them. */
static loop_range after_comparison(loop_proof *f, loop_range r, const loop_node *n,
                                   loop_value small, loop_value large, loop_value v)
{
    ty_dtype d = loop_at(f->p, v)->dtype;
    bool strict = n->op == LOOP_LT;
    loop_range other = loop_range_of(f, small.id == v.id ? large : small);
    if (!ty_is_integral(d, true) && d != TY_F32 && d != TY_F64) return r;
    if (small.id == v.id && !isinf(other.high))
        r.high = fmin(r.high, strict ? just_below(d, other.high) : other.high);
    if (large.id == v.id && !isinf(other.low))
        r.low = fmax(r.low, strict ? -just_below(d, -other.low) : other.low);
    return r;
}

/* Comparisons that hold where v is used; none of them holds for NaN. */
static loop_range range_by_facts(loop_proof *f, loop_value v, loop_range r)
{
    const loop_facts *facts = f->facts;
    f->facts = NULL;
    for (uint32_t i = 0; facts && i < facts->count; i++) {
        const loop_node *n = loop_at(f->p, facts->at[i]);
        loop_value a = n->args[0], b = n->args[1];
        if ((n->op == LOOP_LE || n->op == LOOP_LT) && (a.id == v.id || b.id == v.id))
            r = after_comparison(f, r, n, a, b, v);
    }
    f->facts = facts;
    return r;
}

loop_range loop_range_of(loop_proof *f, loop_value v)
{
    const loop_node *n = loop_at(f->p, v);
    loop_range all = range_of_dtype(n->dtype), r;
    if (f->steps++ > PROOF_MOST_STEPS || f->depth >= PROOF_MOST_DEPTH) return all;
    f->depth++;
    switch (n->op) {
    case LOOP_CONST: r = range_of_constant(n); break;
    case LOOP_INDEX: r = loop_range_of_expr(f, n->index); break;
    case LOOP_LOAD: r = range_of_load(f, n); break;
    case LOOP_CAST: r = range_of_cast(f, n); break;
    case LOOP_WHERE:
    case LOOP_MASKED: r = joined(loop_range_of(f, n->args[1]), loop_range_of(f, n->args[2])); break;
    default:
        r = all;
        if (loop_operand_count(n->op) == 1) r = range_of_unary(f, n);
        if (loop_operand_count(n->op) == 2) r = range_of_binary(f, n);
    }
    f->depth--;
    return range_by_facts(f, v, r);
}
