/* within.c -- is an index known to keep its bound whatever the data is? Then kernels need not check
 * it.
 *
 * A value is followed down to what limits it: minima, remainders, axes and sizes, the bytes of
 * constants, what sorts and searches give, and through temps to what is stored there. Two questions
 * are asked of each value: between which numbers it is (range_of), and whether it is at most, or at
 * least, an expression of sizes (bounded). Both answer "not known" rather than look for long.
 */
#include "loop/loop_priv.h"

#include <math.h>
#include <string.h>

enum { MOST_OPS = 4096, MOST_STEPS = 4000, MOST_DEPTH = 40 };
/* Integers beyond may have wrapped around, or not be what a double says; floats beyond may be
 * infinite. */
static const double MOST_INTEGER = 4503599627370496.0, MOST_FLOAT = 1e30;

typedef struct proof {
    loop_program *p;
    const sym_env *env; /* the axes of the nest at hand */
    const loop_facts *facts;
    uint32_t steps, depth;
} proof;

/* No NaN is in a range of floats, unless it is that of all numbers. */
typedef struct range {
    double low, high;
} range;

static const range ANYTHING = {-INFINITY, INFINITY};

static range range_of(proof *f, loop_value v);
static bool bounded(proof *f, loop_value v, sym_expr limit, bool above);

static bool is_integer(ty_dtype d)
{
    return ty_is_integral(d, true);
}

/* ---- ranges ---- */

static range range_of_dtype(ty_dtype d)
{
    if (d == TY_BOOL) return (range){0, 1};
    if (!is_integer(d) || ty_dtype_size(d) == 8) return ANYTHING;
    double half = ldexp(1, (int)(8 * ty_dtype_size(d)) - 1);
    return ty_dtype_kind(d) == TY_KIND_SIGNED ? (range){-half, half - 1} : (range){0, 2 * half - 1};
}

static range joined(range a, range b)
{
    return (range){fmin(a.low, b.low), fmax(a.high, b.high)};
}

/* What arithmetic gives, when that is far from where the dtype ends. */
static range as_computed(ty_dtype d, range r)
{
    double most = is_integer(d) ? MOST_INTEGER : MOST_FLOAT;
    range all = range_of_dtype(d);
    if (!(r.low >= -most && r.high <= most)) return all;
    if (!is_integer(d)) return (range){r.low - fabs(r.low) * 1e-6, r.high + fabs(r.high) * 1e-6};
    return r.low >= all.low && r.high <= all.high ? r : all;
}

static range range_of_expr(proof *f, sym_expr e)
{
    int64_t least, most;
    sym_range(f->p->symbols, e, f->env, &least, &most);
    return (range){least == SYM_NO_MIN ? -INFINITY : (double)least,
                   most == SYM_NO_MAX ? INFINITY : (double)most};
}

static range range_of_cast(proof *f, const loop_node *n)
{
    ty_dtype from = loop_at(f->p, n->args[0])->dtype;
    range r = range_of(f, n->args[0]), all = range_of_dtype(n->dtype);
    if (ty_is_complex(from) || n->dtype == TY_BOOL) return all;
    if (is_integer(n->dtype)) {
        bool fits = r.low >= fmax(all.low, -9e18) && r.high <= fmin(all.high, 9e18);
        if (is_integer(from) && ty_dtype_size(n->dtype) == 8 && from != TY_U64) return r;
        return fits ? (range){trunc(r.low), trunc(r.high)} : all;
    }
    if (is_integer(from)) r = (range){fmax(r.low, -1e19), fmin(r.high, 2e19)};
    return n->dtype == TY_F32 || n->dtype == TY_F64 ? as_computed(n->dtype, r) : ANYTHING;
}

static range product(range a, range b)
{
    double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    range r = {corners[0], corners[0]};
    for (size_t k = 0; k < COUNT_OF(corners); k++) {
        if (isnan(corners[k])) return ANYTHING;
        r = joined(r, (range){corners[k], corners[k]});
    }
    return r;
}

static range quotient(loop_opcode op, range a, range b)
{
    if (b.low < 1) return ANYTHING;
    range r = product(a, (range){1 / b.high, 1 / b.low});
    if (op == LOOP_FLOORDIV) r = (range){floor(r.low), ceil(r.high)};
    return r;
}

static range range_of_binary(proof *f, const loop_node *n)
{
    range a = range_of(f, n->args[0]), b = range_of(f, n->args[1]);
    bool integer = is_integer(n->dtype);
    switch (n->op) {
    case LOOP_MIN: /* of floats, NaN where one is */
        if (!integer && (isinf(a.low) || isinf(b.low) || isinf(a.high) || isinf(b.high)))
            return ANYTHING;
        return (range){fmin(a.low, b.low), fmin(a.high, b.high)};
    case LOOP_MAX:
        if (!integer && (isinf(a.low) || isinf(b.low) || isinf(a.high) || isinf(b.high)))
            return ANYTHING;
        return (range){fmax(a.low, b.low), fmax(a.high, b.high)};
    case LOOP_ADD: return as_computed(n->dtype, (range){a.low + b.low, a.high + b.high});
    case LOOP_SUB: return as_computed(n->dtype, (range){a.low - b.high, a.high - b.low});
    case LOOP_MUL: return as_computed(n->dtype, product(a, b));
    case LOOP_DIV:
    case LOOP_FLOORDIV: return as_computed(n->dtype, quotient(n->op, a, b));
    case LOOP_REM: return integer && b.low >= 1 ? (range){0, b.high - 1} : range_of_dtype(n->dtype);
    case LOOP_AND:
        if (!integer || (a.low < 0 && b.low < 0)) return range_of_dtype(n->dtype);
        return (range){0, fmin(a.low >= 0 ? a.high : INFINITY, b.low >= 0 ? b.high : INFINITY)};
    case LOOP_EQ:
        if (a.high < b.low || a.low > b.high) return (range){0, 0};
        return range_of_dtype(n->dtype);
    default: return range_of_dtype(n->dtype);
    }
}

static range range_of_unary(proof *f, const loop_node *n)
{
    range r = range_of(f, n->args[0]);
    switch (n->op) {
    case LOOP_NEG: return as_computed(n->dtype, (range){-r.high, -r.low});
    case LOOP_FLOOR: return as_computed(n->dtype, (range){floor(r.low), floor(r.high)});
    case LOOP_CEIL: return as_computed(n->dtype, (range){ceil(r.low), ceil(r.high)});
    case LOOP_TRUNC:
    case LOOP_ROUND: return as_computed(n->dtype, (range){floor(r.low), ceil(r.high)});
    default: return range_of_dtype(n->dtype);
    }
}

static range range_of_constant(const loop_node *n)
{
    if (ty_is_complex(n->dtype)) return ANYTHING;
    if (n->dtype == TY_U64 && n->integer < 0) return ANYTHING;
    double x = is_integer(n->dtype) ? (double)n->integer : n->number[0];
    return isnan(x) ? ANYTHING : (range){x, x};
}

/* ---- memory ---- */

/* What an extern kernel writes into one of its outputs is in [0, size); none: not known. */
static sym_expr places_below(proof *f, const loop_op *op, uint32_t output, sym_expr at)
{
    sym_table *t = f->p->symbols;
    const char *kernel = op->kernel;
    const loop_view *in = &op->inputs[0], *out = &op->outputs[output];
    int64_t dim;
    bool ranks = strcmp(kernel, "sort") == 0 || strcmp(kernel, "topk") == 0 ||
                 strcmp(kernel, "select") == 0 || strcmp(kernel, "mode") == 0;
    if (ranks && output == 1 && sym_is_int(t, op->ints[0], &dim) && dim >= 0 && dim < in->rank)
        return in->sizes[dim];
    if (strcmp(kernel, "repeat") == 0) return in->sizes[0];
    if (strcmp(kernel, "unique") == 0 && output < 2) return in->sizes[0];
    if (strcmp(kernel, "search") == 0 && in->rank)
        return sym_add_int(t, in->sizes[in->rank - 1], 1);
    if (strcmp(kernel, "unpack_pivots") == 0) return out->sizes[out->rank - 1];
    if (strcmp(kernel, "nonzero") != 0 || !sym_is_int(t, op->ints[0], &dim) || dim != 0)
        return (sym_expr){0};
    /* a column for each dimension, one behind the other */
    if (in->rank == 1) return in->sizes[0];
    for (uint32_t k = 0; k < in->rank && !sym_is_none(at); k++) {
        sym_expr column = sym_add(t, out->offset, sym_mul_int(t, out->strides[1], k));
        sym_expr row = sym_sub(t, at, column), last = sym_add_int(t, out->sizes[0], -1);
        if (sym_known_less_equal(t, sym_int(t, 0), row, f->env) &&
            sym_known_less_equal(t, row, sym_mul(t, last, out->strides[0]), f->env))
            return in->sizes[k];
    }
    return (sym_expr){0};
}

/* One who writes into a buffer: a store of a nest, or an output of an extern kernel. */
typedef struct writer {
    const loop_op *op;
    const loop_store *store; /* or NULL */
    uint32_t output;
} writer;
typedef VEC(writer) writer_list;

static bool is_nonempty(const proof *f, const loop_op *op)
{
    for (uint32_t k = 0; k < op->reduce_axes; k++) {
        int64_t least, most;
        sym_range(f->p->symbols, op->reduce_extents[k], NULL, &least, &most);
        if (least < 1) return false;
    }
    return true;
}

/* Does the buffer then hold nothing but the values stored, or their places? */
static bool keeps_values(const proof *f, const loop_op *op, const loop_store *st)
{
    if (st->mode != LOOP_SET && st->mode != LOOP_MIN_INTO && st->mode != LOOP_MAX_INTO)
        return false;
    if (st->reduce == LOOP_NO_REDUCE) return true;
    return is_nonempty(f, op) && (st->reduce == LOOP_REDUCE_MIN || st->reduce == LOOP_REDUCE_MAX ||
                                  st->reduce == LOOP_ARGMIN || st->reduce == LOOP_ARGMAX);
}

/* All who write into the buffer, what it is a piece of, or the pieces of that; false: it is not known
 * what they write, or it would take long to find out. */
static bool writers_of(proof *f, loop_buffer_id buffer, writer_list *out)
{
    loop_program *p = f->p;
    loop_buffer_id whole = loop_whole_of(p, buffer, NULL);
    if (p->buffers.at[whole].kind != LOOP_TEMP || p->ops.count > MOST_OPS) return false;
    for (uint32_t k = 0; k < p->ops.count; k++) {
        const loop_op *op = &p->ops.at[k];
        for (uint32_t i = 0; op->kind == LOOP_NEST && i < op->store_count; i++) {
            if (loop_whole_of(p, op->stores[i].buffer, NULL) != whole) continue;
            if (!keeps_values(f, op, &op->stores[i])) return false;
            vec_push(p->memory, out, (writer){op, &op->stores[i], 0});
        }
        for (uint32_t i = 0; op->kind == LOOP_EXTERN && i < op->output_count; i++) {
            loop_buffer_id to = op->outputs[i].buffer;
            if (to == LOOP_NO_BUFFER || loop_whole_of(p, to, NULL) != whole) continue;
            if (to != buffer || op->callee) return false;
            vec_push(p->memory, out, (writer){op, NULL, i});
        }
    }
    return out->count > 0;
}

static uint32_t axes_of(loop_program *p, const loop_op *op, sym_bound *bounds)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < op->axes; k++)
        bounds[count++] = (sym_bound){loop_axis(p, k), op->extents[k]};
    for (uint32_t k = 0; k < op->reduce_axes; k++)
        bounds[count++] = (sym_bound){loop_reduce_axis(p, k), op->reduce_extents[k]};
    return count;
}

/* In [0, size): places among reduced elements, or what an extern kernel says; none: it is values. */
static sym_expr written_places(proof *f, const writer *w, sym_expr at)
{
    if (!w->store) return places_below(f, w->op, w->output, at);
    bool is_place = w->store->reduce == LOOP_ARGMIN || w->store->reduce == LOOP_ARGMAX;
    return is_place ? sym_product(f->p->symbols, w->op->reduce_extents, w->op->reduce_axes)
                    : (sym_expr){0};
}

/* The proof goes on where a writer is: other axes, and no facts. */
static proof in_nest(const proof *f, const sym_env *env)
{
    return (proof){f->p, env, NULL, f->steps, f->depth};
}

static range range_of_load(proof *f, const loop_node *n)
{
    const loop_buffer *b = &f->p->buffers.at[n->buffer];
    range all = range_of_dtype(n->dtype), r = {INFINITY, -INFINITY};
    writer_list list = {0};
    if (!is_integer(n->dtype)) return ANYTHING;
    if (b->kind == LOOP_CONSTANT && b->range)
        return as_computed(b->dtype, (range){(double)b->range[0], (double)b->range[1]});
    if (!writers_of(f, n->buffer, &list)) return all;
    for (uint32_t k = 0; k < list.count; k++) {
        const writer *w = &list.at[k];
        sym_bound bounds[2 * LOOP_MAX_AXES];
        sym_expr size = written_places(f, w, n->index);
        const sym_env env = {bounds, axes_of(f->p, w->op, bounds)};
        if (!sym_is_none(size))
            r = joined(r, (range){0, range_of_expr(f, size).high - 1});
        else if (!w->store)
            return all;
        else {
            proof there = in_nest(f, &env);
            r = joined(r, range_of(&there, w->store->value));
            f->steps = there.steps;
        }
    }
    return as_computed(n->dtype, r);
}

/* ---- facts ---- */

static double just_below(ty_dtype d, double x)
{
    if (is_integer(d)) return x - 1;
    return d == TY_F64 ? nextafter(x, -INFINITY) : (double)nextafterf((float)x, -INFINITY);
}

/* What `small <= large`, or `small < large`, leaves of the range of v, which is one of them. */
static range after_comparison(proof *f, range r, const loop_node *n, loop_value small,
                              loop_value large, loop_value v)
{
    ty_dtype d = loop_at(f->p, v)->dtype;
    bool strict = n->op == LOOP_LT;
    range other = range_of(f, small.id == v.id ? large : small);
    if (!is_integer(d) && d != TY_F32 && d != TY_F64) return r;
    if (small.id == v.id && !isinf(other.high))
        r.high = fmin(r.high, strict ? just_below(d, other.high) : other.high);
    if (large.id == v.id && !isinf(other.low))
        r.low = fmax(r.low, strict ? -just_below(d, -other.low) : other.low);
    return r;
}

/* Comparisons that hold where v is used; none of them holds for NaN. */
static range range_by_facts(proof *f, loop_value v, range r)
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

static range range_of(proof *f, loop_value v)
{
    const loop_node *n = loop_at(f->p, v);
    range all = range_of_dtype(n->dtype), r;
    if (f->steps++ > MOST_STEPS || f->depth >= MOST_DEPTH) return all;
    f->depth++;
    switch (n->op) {
    case LOOP_CONST: r = range_of_constant(n); break;
    case LOOP_INDEX: r = range_of_expr(f, n->index); break;
    case LOOP_LOAD: r = range_of_load(f, n); break;
    case LOOP_CAST: r = range_of_cast(f, n); break;
    case LOOP_WHERE:
    case LOOP_MASKED: r = joined(range_of(f, n->args[1]), range_of(f, n->args[2])); break;
    default:
        r = all;
        if (loop_operand_count(n->op) == 1) r = range_of_unary(f, n);
        if (loop_operand_count(n->op) == 2) r = range_of_binary(f, n);
    }
    f->depth--;
    return range_by_facts(f, v, r);
}

/* ---- limits ---- */

/* a <= b, or the other way round */
static bool ordered(proof *f, sym_expr a, sym_expr b, bool above)
{
    return sym_known_less_equal(f->p->symbols, above ? a : b, above ? b : a, f->env);
}

/* The expression of an index or a constant; none of anything else. */
static sym_expr plain(proof *f, loop_value v)
{
    const loop_node *n = loop_at(f->p, v);
    if (n->op == LOOP_INDEX) return n->index;
    return n->op == LOOP_CONST && n->dtype == TY_I64 ? sym_int(f->p->symbols, n->integer)
                                                     : (sym_expr){0};
}

/* x + e (or x - e) against the limit: x against what is left of it. On the way there nothing may wrap
 * around from the other end of the integers. */
static bool shifted(proof *f, loop_value x, sym_expr e, bool minus, sym_expr limit, bool above)
{
    sym_table *t = f->p->symbols;
    range r = range_of(f, x), by = range_of_expr(f, e);
    bool towards = above != minus ? by.low >= 0 : by.high <= 0;
    bool small = fabs(by.low) < 9e18 && (fabs(by.high) < 9e18 || !sym_has_kind(t, e, SYM_UNBACKED));
    bool far = small && (above ? r.low >= -MOST_INTEGER : r.high <= MOST_INTEGER);
    return (towards || far) &&
           bounded(f, x, minus ? sym_add(t, limit, e) : sym_sub(t, limit, e), above);
}

static bool bounded_sum(proof *f, const loop_node *n, sym_expr limit, bool above)
{
    sym_expr left = plain(f, n->args[0]), right = plain(f, n->args[1]);
    if (n->dtype != TY_I64) return false;
    if (!sym_is_none(right)) return shifted(f, n->args[0], right, n->op == LOOP_SUB, limit, above);
    return n->op == LOOP_ADD && !sym_is_none(left) &&
           shifted(f, n->args[1], left, false, limit, above);
}

/* where(x < 0, x + size, x): what is wrapped is in [x + size, size). */
static bool bounded_wrap(proof *f, const loop_node *n, sym_expr limit, bool above)
{
    sym_table *t = f->p->symbols;
    const loop_node *test = loop_at(f->p, n->args[0]), *sum = loop_at(f->p, n->args[1]);
    sym_expr zero = sym_int(t, 0), size, against;
    if (test->op != LOOP_LT || test->args[0].id != n->args[2].id) return false;
    against = plain(f, test->args[1]);
    if (sym_is_none(against) || !sym_same(against, zero)) return false;
    bool natural = bounded(f, n->args[2], zero, false);
    if (natural) return bounded(f, n->args[2], limit, above);
    if (sum->op != LOOP_ADD || sum->args[0].id != n->args[2].id) return false;
    size = plain(f, sum->args[1]);
    if (sym_is_none(size)) return false;
    if (above)
        return ordered(f, sym_add_int(t, size, -1), limit, true) &&
               bounded(f, n->args[2], limit, true);
    return ordered(f, zero, limit, false) && bounded(f, n->args[2], sym_sub(t, limit, size), false);
}

static bool bounded_load(proof *f, const loop_node *n, sym_expr limit, bool above)
{
    sym_table *t = f->p->symbols;
    writer_list list = {0};
    if (sym_has_kind(t, limit, SYM_INDEX) || sym_has_kind(t, limit, SYM_INDIRECT)) return false;
    if (!writers_of(f, n->buffer, &list)) return false;
    for (uint32_t k = 0; k < list.count; k++) {
        const writer *w = &list.at[k];
        sym_bound bounds[2 * LOOP_MAX_AXES];
        sym_expr size = written_places(f, w, n->index);
        const sym_env env = {bounds, axes_of(f->p, w->op, bounds)};
        bool fits;
        if (!sym_is_none(size))
            fits = ordered(f, above ? sym_add_int(t, size, -1) : sym_int(t, 0), limit, above);
        else if (!w->store)
            fits = false;
        else {
            proof there = in_nest(f, &env);
            fits = bounded(&there, w->store->value, limit, above);
            f->steps = there.steps;
        }
        if (!fits) return false;
    }
    return true;
}

static bool by_operation(proof *f, const loop_node *n, sym_expr limit, bool above)
{
    sym_table *t = f->p->symbols;
    const loop_value *a = n->args;
    switch (n->op) {
    case LOOP_CONST:
    case LOOP_INDEX: return false;
    case LOOP_MIN:
    case LOOP_MAX:
        if ((n->op == LOOP_MIN) == above)
            return bounded(f, a[0], limit, above) || bounded(f, a[1], limit, above);
        return bounded(f, a[0], limit, above) && bounded(f, a[1], limit, above);
    case LOOP_WHERE:
        if (bounded_wrap(f, n, limit, above)) return true;
        return bounded(f, a[1], limit, above) && bounded(f, a[2], limit, above);
    case LOOP_MASKED: return bounded(f, a[1], limit, above) && bounded(f, a[2], limit, above);
    case LOOP_CAST:
        return n->dtype == TY_I64 && is_integer(loop_at(f->p, a[0])->dtype) &&
               loop_at(f->p, a[0])->dtype != TY_U64 && bounded(f, a[0], limit, above);
    case LOOP_ADD:
    case LOOP_SUB: return bounded_sum(f, n, limit, above);
    case LOOP_REM:
        return above && range_of(f, a[1]).low >= 1 &&
               bounded(f, a[1], sym_add_int(t, limit, 1), true);
    case LOOP_LOAD: return bounded_load(f, n, limit, above);
    default: return false;
    }
}

/* Is v at most the limit (above), or at least it? */
static bool bounded(proof *f, loop_value v, sym_expr limit, bool above)
{
    const loop_node *n = loop_at(f->p, v);
    if (f->steps++ > MOST_STEPS || f->depth >= MOST_DEPTH || !is_integer(n->dtype)) return false;
    sym_expr e = plain(f, v);
    if (!sym_is_none(e) && ordered(f, e, limit, above)) return true;
    range r = range_of(f, v), of_limit = range_of_expr(f, limit);
    if (above ? r.high <= of_limit.low : r.low >= of_limit.high) return true;
    f->depth++;
    bool found = by_operation(f, n, limit, above);
    f->depth--;
    return found;
}

void loop_add_fact(loop_program *p, loop_facts *facts, loop_value condition)
{
    const loop_node *n = loop_at(p, condition);
    if (n->op != LOOP_AND) {
        vec_push(p->memory, facts, condition);
        return;
    }
    loop_add_fact(p, facts, n->args[0]);
    loop_add_fact(p, facts, n->args[1]);
}

bool loop_is_within(loop_program *p, sym_expr symbol, const sym_env *env, const loop_facts *facts)
{
    proof f = {.p = p, .env = env, .facts = facts};
    const loop_bound *bound = loop_indirect_bound(p, symbol);
    loop_value v = loop_indirect_value(p, symbol);
    if (!bound || sym_has_kind(p->symbols, bound->size, SYM_INDEX)) return false;
    return bounded(&f, v, sym_int(p->symbols, 0), false) &&
           bounded(&f, v, sym_add_int(p->symbols, bound->size, -1), true);
}

typedef struct doubt {
    loop_program *p;
    const sym_env *env;
    bool found;
} doubt;

static void doubt_symbol(void *data, sym_expr symbol)
{
    doubt *d = data;
    if (!d->found && loop_indirect_bound(d->p, symbol))
        d->found = !loop_is_within(d->p, symbol, d->env, NULL);
}

static void doubt_node(void *data, loop_value v)
{
    doubt *d = data;
    const loop_node *n = loop_at(d->p, v);
    if (n->op == LOOP_LOAD || n->op == LOOP_INDEX)
        sym_each_symbol(d->p->symbols, n->index, doubt_symbol, d);
}

bool loop_may_fail(loop_program *p, loop_value v, const sym_env *env)
{
    doubt d = {p, env, false};
    loop_each_node(p, v, doubt_node, &d);
    return d.found;
}
