/* parts.c -- complex numbers as two reals each: what a group loads, computes and stores of them, by parts.
 *
 * In memory a complex number is its real and its imaginary part, one behind the other: a buffer of complex
 * numbers is one of twice as many reals. A group whose operations on them can be said in operations on their
 * parts is built so, with lanes like any other, and for devices without complex numbers. What remains
 * complex is the value that a store has: the two parts under one node, so that both are known before either
 * is stored.
 */
#include "kern/build_priv.h"

typedef struct dividing {
    loop_program *p;
    arena *memory;
    map reals, parts; /* of a value: what it is in reals; of 2 * value + which: its part */
    bool fails;       /* some operation has no such form */
} dividing;

static loop_value real_of(dividing *d, loop_value v);

static loop_value fail(dividing *d)
{
    d->fails = true;
    return loop_const_int(d->p, TY_I64, 0);
}

static ty_dtype dtype_of(const dividing *d, loop_value v)
{
    return loop_at(d->p, v)->dtype;
}

static loop_value binary(dividing *d, loop_opcode op, loop_value a, loop_value b)
{
    return loop_binary(d->p, op, a, b);
}

/* ---- the parts of what is complex ---- */

typedef struct pair {
    loop_value at[2];
} pair;

static loop_value part(dividing *d, loop_value v, uint32_t which);

static pair both(dividing *d, loop_value v)
{
    return (pair){{part(d, v, 0), part(d, v, 1)}};
}

static loop_value product(dividing *d, pair a, pair b, uint32_t which)
{
    return binary(d, which ? LOOP_ADD : LOOP_SUB, binary(d, LOOP_MUL, a.at[0], b.at[which]),
                  binary(d, LOOP_MUL, a.at[1], b.at[!which]));
}

/* As eager PyTorch divides (R. L. Smith, 1962), which makes no infinity of a part that is NaN, as C does. */
static loop_value quotient(dividing *d, pair a, pair b, uint32_t which)
{
    loop_program *p = d->p;
    ty_dtype dtype = dtype_of(d, a.at[0]);
    loop_value u = loop_unary(p, LOOP_ABS, b.at[0]), v = loop_unary(p, LOOP_ABS, b.at[1]);
    loop_value zero = loop_const_float(p, dtype, 0), x = a.at[0], y = a.at[1];
    loop_value is_zero =
        binary(d, LOOP_AND, binary(d, LOOP_EQ, u, zero), binary(d, LOOP_EQ, v, zero));
    loop_value is_flat = binary(d, LOOP_LE, v, u); /* the real part is the larger */
    loop_value most = loop_where(p, is_flat, b.at[0], b.at[1]);
    loop_value least = loop_where(p, is_flat, b.at[1], b.at[0]);
    loop_value ratio = binary(d, LOOP_DIV, least, most);
    loop_value of = binary(d, LOOP_ADD, most, binary(d, LOOP_MUL, least, ratio));
    loop_value scale = binary(d, LOOP_DIV, loop_const_float(p, dtype, 1), of);
    loop_value flat, steep;
    if (which == 0) {
        flat = binary(d, LOOP_ADD, x, binary(d, LOOP_MUL, y, ratio));
        steep = binary(d, LOOP_ADD, binary(d, LOOP_MUL, x, ratio), y);
    } else {
        flat = binary(d, LOOP_SUB, y, binary(d, LOOP_MUL, x, ratio));
        steep = binary(d, LOOP_SUB, binary(d, LOOP_MUL, y, ratio), x);
    }
    loop_value made = binary(d, LOOP_MUL, loop_where(p, is_flat, flat, steep), scale);
    return loop_where(p, is_zero, binary(d, LOOP_DIV, a.at[which], which ? v : u), made);
}

static loop_value sign(dividing *d, pair a, uint32_t which)
{
    ty_dtype dtype = dtype_of(d, a.at[0]);
    loop_value zero = loop_const_float(d->p, dtype, 0);
    loop_value size = binary(d, LOOP_HYPOT, a.at[0], a.at[1]);
    return loop_where(d->p, binary(d, LOOP_EQ, size, zero), zero,
                      binary(d, LOOP_DIV, a.at[which], size));
}

static loop_value part_of(dividing *d, const loop_node *n, uint32_t which)
{
    loop_program *p = d->p;
    ty_dtype dtype = ty_complex_to_real(n->dtype);
    loop_node load = *n;
    switch (n->op) {
    case LOOP_CONST: return loop_const_float(p, dtype, n->number[which]);
    case LOOP_LOAD:
        load.dtype = dtype;
        load.index = kern_part_index(p->symbols, n->index, which);
        return loop_make(p, load);
    case LOOP_COMPLEX: return loop_cast(p, dtype, real_of(d, n->args[which]));
    case LOOP_CAST:
        if (ty_is_complex(dtype_of(d, n->args[0])))
            return loop_cast(p, dtype, part(d, n->args[0], which));
        return which ? loop_const_float(p, dtype, 0) : loop_cast(p, dtype, real_of(d, n->args[0]));
    case LOOP_NEG: return loop_unary(p, LOOP_NEG, part(d, n->args[0], which));
    case LOOP_ADD:
    case LOOP_SUB: return binary(d, n->op, part(d, n->args[0], which), part(d, n->args[1], which));
    case LOOP_MUL: return product(d, both(d, n->args[0]), both(d, n->args[1]), which);
    case LOOP_DIV: return quotient(d, both(d, n->args[0]), both(d, n->args[1]), which);
    case LOOP_SIGN: return sign(d, both(d, n->args[0]), which);
    case LOOP_WHERE:
        return loop_where(p, real_of(d, n->args[0]), part(d, n->args[1], which),
                          part(d, n->args[2], which));
    case LOOP_MASKED:
        return loop_masked(p, real_of(d, n->args[0]), part(d, n->args[1], which),
                           part(d, n->args[2], which));
    default: return fail(d);
    }
}

static loop_value part(dividing *d, loop_value v, uint32_t which)
{
    uint32_t known = map_get(&d->parts, 2 * (uint64_t)v.id + which);
    if (known != MAP_NONE) return (loop_value){known};
    loop_node n = *loop_at(d->p, v);
    loop_value made = part_of(d, &n, which);
    map_set(d->memory, &d->parts, 2 * (uint64_t)v.id + which, made.id);
    return made;
}

/* ---- what is real, of complex operands or not ---- */

static loop_value of_complex(dividing *d, const loop_node *n)
{
    loop_program *p = d->p;
    pair a = both(d, n->args[0]), b;
    loop_value zero = loop_const_float(p, dtype_of(d, a.at[0]), 0);
    switch (n->op) {
    case LOOP_REALPART: return a.at[0];
    case LOOP_IMAGPART: return a.at[1];
    case LOOP_ABS: return binary(d, LOOP_HYPOT, a.at[0], a.at[1]);
    case LOOP_ISNAN:
    case LOOP_ISINF:
        return binary(d, LOOP_OR, loop_unary(p, n->op, a.at[0]), loop_unary(p, n->op, a.at[1]));
    case LOOP_EQ:
    case LOOP_NE:
        b = both(d, n->args[1]);
        return binary(d, n->op == LOOP_EQ ? LOOP_AND : LOOP_OR, binary(d, n->op, a.at[0], b.at[0]),
                      binary(d, n->op, a.at[1], b.at[1]));
    case LOOP_CAST:
        if (n->dtype != TY_BOOL) return loop_cast(p, n->dtype, a.at[0]);
        return binary(d, LOOP_OR, binary(d, LOOP_NE, a.at[0], zero),
                      binary(d, LOOP_NE, a.at[1], zero));
    default: return fail(d);
    }
}

static loop_value remade(dividing *d, loop_value v)
{
    loop_node n = *loop_at(d->p, v);
    uint32_t count = loop_operand_count(n.op);
    bool differs = false;
    for (uint32_t i = 0; i < count; i++)
        if (ty_is_complex(dtype_of(d, n.args[i]))) return of_complex(d, &n);
    for (uint32_t i = 0; i < count; i++) {
        loop_value arg = real_of(d, n.args[i]);
        differs |= arg.id != n.args[i].id;
        n.args[i] = arg;
    }
    return differs ? loop_make(d->p, n) : v;
}

static loop_value real_of(dividing *d, loop_value v)
{
    uint32_t known = map_get(&d->reals, v.id);
    if (known != MAP_NONE) return (loop_value){known};
    loop_value made = remade(d, v);
    map_set(d->memory, &d->reals, v.id, made.id);
    return made;
}

/* ---- a group ---- */

typedef struct complex_search {
    const loop_program *p;
    bool found;
} complex_search;

static void look_at(void *data, loop_value v)
{
    complex_search *s = data;
    s->found |= ty_is_complex(loop_at(s->p, v)->dtype);
}

static bool holds_complex(const loop_program *p, loop_value v)
{
    complex_search s = {p, false};
    loop_each_node(p, v, look_at, &s);
    return s.found;
}

bool kern_has_complex(const loop_program *p, const sched_group *g)
{
    for (uint32_t i = 0; i < g->phase_count; i++)
        for (uint32_t n = 0; n < g->phases[i].nest_count; n++) {
            const loop_op *nest = &g->phases[i].nests[n].nest;
            for (uint32_t k = 0; k < nest->store_count; k++)
                if (holds_complex(p, nest->stores[k].value)) return true;
        }
    return false;
}

/* The operations of part_of() and of_complex(). */
bool kern_has_parts(loop_opcode op)
{
    static const loop_opcode OPS[] = {
        LOOP_CONST, LOOP_LOAD,  LOOP_COMPLEX, LOOP_CAST,  LOOP_NEG,    LOOP_ADD,      LOOP_SUB,
        LOOP_MUL,   LOOP_DIV,   LOOP_SIGN,    LOOP_WHERE, LOOP_MASKED, LOOP_REALPART, LOOP_IMAGPART,
        LOOP_ABS,   LOOP_ISNAN, LOOP_ISINF,   LOOP_EQ,    LOOP_NE};
    for (size_t i = 0; i < COUNT_OF(OPS); i++)
        if (OPS[i] == op) return true;
    return false;
}

bool kern_stores_parts(loop_reduce reduce, loop_store_mode mode)
{
    return (!reduce || reduce == LOOP_SUM) && (mode == LOOP_SET || mode == LOOP_ADD_INTO);
}

static bool divide_store(dividing *d, loop_store *st)
{
    loop_program *p = d->p;
    loop_value parts[2];
    if (!ty_is_complex(dtype_of(d, st->value))) {
        st->value = real_of(d, st->value);
        return !d->fails && !holds_complex(p, st->value);
    }
    if (!kern_stores_parts(st->reduce, st->mode)) return false;
    loop_node whole = {.op = LOOP_COMPLEX, .dtype = dtype_of(d, st->value)};
    for (uint32_t k = 0; k < 2; k++) {
        parts[k] = whole.args[k] = part(d, st->value, k);
        if (d->fails || holds_complex(p, parts[k])) return false;
    }
    st->value = loop_make(p, whole);
    return true;
}

static bool divide_nest(dividing *d, loop_op *nest)
{
    loop_store *stores = NEW_ARRAY(d->memory, loop_store, nest->store_count + 1);
    for (uint32_t k = 0; k < nest->store_count; k++) {
        stores[k] = nest->stores[k];
        if (!divide_store(d, &stores[k])) return false;
    }
    nest->stores = stores;
    return true;
}

const sched_group *kern_in_parts(loop_program *p, const sched_group *g, arena *memory)
{
    dividing d = {.p = p, .memory = memory};
    sched_group *out = NEW(memory, sched_group);
    *out = *g;
    out->phases = NEW_ARRAY(memory, sched_phase, g->phase_count + 1);
    for (uint32_t i = 0; i < g->phase_count; i++) {
        sched_phase *ph = &out->phases[i];
        *ph = g->phases[i];
        ph->nests = NEW_ARRAY(memory, sched_nest, ph->nest_count + 1);
        for (uint32_t n = 0; n < ph->nest_count; n++) {
            ph->nests[n] = g->phases[i].nests[n];
            if (!divide_nest(&d, &ph->nests[n].nest)) return NULL;
        }
    }
    return out;
}

/* ---- what a store stores ---- */

sym_expr kern_part_index(sym_table *t, sym_expr index, uint32_t which)
{
    return sym_add_int(t, sym_mul_int(t, index, 2), which);
}

uint32_t kern_parts_of(kern_builder *b, const loop_store *st, loop_store out[2])
{
    const loop_node *n = loop_at(b->p, st->value);
    out[0] = *st;
    if (!b->in_parts || !ty_is_complex(n->dtype)) return 1;
    loop_node whole = *n;
    ty_dtype dtype = ty_complex_to_real(whole.dtype);
    for (uint32_t k = 0; k < 2; k++) {
        out[k] = *st;
        out[k].index = kern_part_index(b->t, st->index, k);
        out[k].value =
            whole.op == LOOP_CONST ? loop_const_float(b->p, dtype, whole.number[k]) : whole.args[k];
    }
    return 2;
}
