/* build.c -- making a loop program: buffers, ops, and value nodes that are hash-consed.
 *
 * A node is found by a hash of its fields; a hash that is taken by another node probes the next
 * key. Because operands are made before what uses them, a node's id is larger than its operands'
 * and than those of the values behind the indirect symbols in its index.
 */
#include "loop/loop_priv.h"

#include <string.h>

enum { MOST_RANGED = 1 << 22 }; /* elements of a constant that are gone through */

loop_program *loop_program_new(fe_session *s, arena *memory, sym_table *symbols, const char *name)
{
    loop_program *p = NEW(memory, loop_program);
    p->session = s;
    p->memory = memory;
    p->symbols = symbols;
    p->name = intern(s, name);
    p->scratch = NEW(memory, struct loop_scratch);
    vec_push(memory, &p->nodes, (loop_node){0});
    /* Axes come first in every table that has none yet, so that equal programs order their terms
     * equally. */
    for (uint32_t k = 0; k < LOOP_MAX_AXES; k++) (void)loop_axis(p, k);
    for (uint32_t k = 0; k < LOOP_MAX_AXES; k++) (void)loop_reduce_axis(p, k);
    return p;
}

static sym_expr axis(loop_program *p, char letter, uint32_t k)
{
    char name[] = {letter, (char)('0' + k % 10), '\0', '\0'};
    CHECK(p->session, k < LOOP_MAX_AXES);
    if (k >= 10) {
        name[1] = (char)('0' + k / 10);
        name[2] = (char)('0' + k % 10);
    }
    return sym_symbol(p->symbols, name, SYM_INDEX, 0, SYM_NO_MAX);
}

sym_expr loop_axis(loop_program *p, uint32_t k)
{
    return axis(p, 'i', k);
}

sym_expr loop_reduce_axis(loop_program *p, uint32_t k)
{
    return axis(p, 'r', k);
}

/* ---- buffers and ops ---- */

/* The least number of elements that a layout reaches: 1 + sum (size - 1) * stride, or 0 when it is
 * empty. */
sym_expr loop_layout_elements(sym_table *t, const loop_buffer *b)
{
    if (ty_known_empty(t, b->rank, b->sizes)) return sym_int(t, 0);
    sym_expr reach = ty_reach(t, b->rank, b->sizes, b->strides), one = sym_int(t, 1);
    for (uint32_t d = 0; d < b->rank; d++) /* a size that no step leads along may be 0, too */
        if (sym_same(b->strides[d], sym_int(t, 0)) &&
            !sym_known_less_equal(t, one, b->sizes[d], NULL))
            reach = sym_mul(t, reach, sym_min(t, b->sizes[d], one));
    return reach;
}

/* Between which numbers a constant's are, of those that may be indices. */
static const int64_t *range_of(loop_program *p, const loop_buffer *b)
{
    size_t size = ty_dtype_size(b->dtype), count = b->data ? b->data_bytes / size : 0;
    bool counts = ty_is_integral(b->dtype, false) && size > 1 && b->dtype != TY_U64;
    if (b->kind != LOOP_CONSTANT || !counts || !count || count > MOST_RANGED) return b->range;
    int64_t *range = NEW_ARRAY(p->memory, int64_t, 2);
    range[0] = INT64_MAX;
    range[1] = INT64_MIN;
    for (size_t k = 0; k < count; k++) {
        int64_t x = loop_scalar_load(b->dtype, (const char *)b->data + k * size).i;
        if (x < range[0]) range[0] = x;
        if (x > range[1]) range[1] = x;
    }
    return range;
}

loop_buffer_id loop_add_buffer(loop_program *p, loop_buffer b)
{
    loop_buffer_id id = p->buffers.count;
    if (!b.name) b.name = arena_printf(p->memory, "buf%u", id);
    b.name = intern(p->session, b.name);
    b.sizes = arena_copy(p->memory, b.sizes, b.rank * sizeof *b.sizes);
    b.strides = arena_copy(p->memory, b.strides, b.rank * sizeof *b.strides);
    if (sym_is_none(b.elements)) b.elements = loop_layout_elements(p->symbols, &b);
    b.range = range_of(p, &b);
    vec_push(p->memory, &p->buffers, b);
    return id;
}

loop_op *loop_add_op(loop_program *p, loop_op_kind kind)
{
    vec_push(p->memory, &p->ops, (loop_op){.kind = kind, .origin = UINT32_MAX});
    return &vec_last(&p->ops);
}

loop_view loop_view_of(loop_program *p, loop_buffer_id b)
{
    const loop_buffer *buffer = &p->buffers.at[b];
    return (loop_view){.buffer = b,
                       .dtype = buffer->dtype,
                       .rank = buffer->rank,
                       .sizes = buffer->sizes,
                       .strides = buffer->strides,
                       .offset = sym_int(p->symbols, 0)};
}

bool loop_moves(const loop_program *p, const loop_op *op)
{
    return loop_can(op, LOOP_MOVES) && !ty_same_place(p->buffers.at[op->inputs[0].buffer].device,
                                                      p->buffers.at[op->outputs[0].buffer].device);
}

/* ---- hash-consing ---- */

static uint64_t hash_of(const loop_node *n)
{
    uint64_t h = HASH_MIX((uint64_t)n->op << 8 | (uint64_t)n->dtype,
                          (uint64_t)n->args[0].id << 32 | n->args[1].id);
    h = HASH_MIX(h, (uint64_t)n->args[2].id << 32 | n->buffer);
    h = HASH_MIX(h, n->index.id);
    h = HASH_MIX(h, n->integer);
    uint64_t high;
    memcpy(&high, &n->number[1], sizeof high);
    return HASH_MIX(h, high);
}

static bool same_node(const loop_node *a, const loop_node *b)
{
    return a->op == b->op && a->dtype == b->dtype && a->buffer == b->buffer &&
           a->index.id == b->index.id && memcmp(a->args, b->args, sizeof a->args) == 0 &&
           memcmp(a->number, b->number, sizeof a->number) == 0;
}

loop_value loop_make(loop_program *p, loop_node n)
{
    bool is_integer_constant = n.op == LOOP_CONST && ty_is_integral(n.dtype, true);
    if (n.op != LOOP_CONST || is_integer_constant) {
        int64_t integer = is_integer_constant ? n.integer : 0;
        memset(n.number, 0, sizeof n.number);
        n.integer = integer;
    }
    uint64_t key = hash_of(&n);
    for (uint32_t id; (id = map_get(&p->node_index, key)) != MAP_NONE; key++)
        if (same_node(&p->nodes.at[id], &n)) return (loop_value){id};
    uint32_t id = p->nodes.count;
    vec_push(p->memory, &p->nodes, n);
    map_set(p->memory, &p->node_index, key, id);
    return (loop_value){id};
}

/* ---- leaves ---- */

static loop_value constant(loop_program *p, ty_dtype from, ty_dtype d, loop_scalar v)
{
    loop_node n = {.op = LOOP_CONST, .dtype = d};
    v = loop_scalar_cast(from, d, v);
    if (ty_is_integral(d, true)) {
        n.integer = v.i;
    } else {
        n.number[0] = v.c[0];
        n.number[1] = ty_is_complex(d) ? v.c[1] : 0;
    }
    return loop_make(p, n);
}

loop_value loop_const_int(loop_program *p, ty_dtype d, int64_t value)
{
    return constant(p, d == TY_U64 ? TY_U64 : TY_I64, d, (loop_scalar){.i = value});
}

loop_value loop_const_float(loop_program *p, ty_dtype d, double value)
{
    return constant(p, TY_F64, d, (loop_scalar){.f = value});
}

loop_value loop_const_complex(loop_program *p, ty_dtype d, double re, double im)
{
    return constant(p, TY_C128, d, (loop_scalar){.c = {re, im}});
}

loop_value loop_const_data(loop_program *p, ty_dtype d, const void *element)
{
    return constant(p, d, d, loop_scalar_load(d, element));
}

/* A bare indirect symbol is the value that it stands for, unless it is there for its bound alone. */
static bool is_bare_index(const loop_program *p, sym_expr e)
{
    return sym_op_of(p->symbols, e) == SYM_SYMBOL && sym_kind_of(p->symbols, e) == SYM_INDIRECT &&
           loop_indirect_bound(p, e)->dimension != LOOP_DIVISOR;
}

loop_value loop_index(loop_program *p, sym_expr e)
{
    int64_t value;
    if (sym_is_int(p->symbols, e, &value)) return loop_const_int(p, TY_I64, value);
    if (is_bare_index(p, e)) return loop_indirect_value(p, e);
    return loop_make(p, (loop_node){.op = LOOP_INDEX, .dtype = TY_I64, .index = e});
}

loop_value loop_load(loop_program *p, loop_buffer_id b, sym_expr index)
{
    CHECK(p->session, b < p->buffers.count && !sym_is_none(index));
    return loop_make(
        p,
        (loop_node){.op = LOOP_LOAD, .dtype = p->buffers.at[b].dtype, .buffer = b, .index = index});
}

/* ---- indirect symbols ---- */

static loop_value wrapped(loop_program *p, loop_value v, sym_expr size)
{
    loop_value zero = loop_const_int(p, TY_I64, 0);
    loop_value from_end = loop_binary(p, LOOP_ADD, v, loop_index(p, size));
    return loop_where(p, loop_binary(p, LOOP_LT, v, zero), from_end, v);
}

/* The expression when v is one already (an index or a constant); none otherwise. */
static sym_expr plain_index(loop_program *p, loop_value v)
{
    const loop_node *n = loop_at(p, v);
    if (n->op == LOOP_INDEX) return n->index;
    return n->op == LOOP_CONST ? sym_int(p->symbols, n->integer) : (sym_expr){0};
}

/* A name that no other program with the same symbols has taken: its bounds are not those of this one. */
static const char *fresh_name(const loop_program *p)
{
    for (uint32_t k = p->indirect.count;; k++) {
        const char *name = arena_printf(p->memory, "indirect%u", k);
        if (sym_is_none(sym_find_symbol(p->symbols, name))) return name;
    }
}

/* Is e in [0, size) by the ranges of what it is made of? */
static bool keeps(loop_program *p, sym_expr e, sym_expr size, const sym_env *env)
{
    sym_table *t = p->symbols;
    return sym_known_less_equal(t, sym_int(t, 0), e, env) &&
           sym_known_less_equal(t, e, sym_add_int(t, size, -1), env);
}

sym_expr loop_indirect_wrapped(loop_program *p, loop_value v, loop_bound bound, const sym_env *env)
{
    sym_expr plain = plain_index(p, v);
    if (!sym_is_none(plain) && keeps(p, plain, bound.size, env)) return plain;
    /* Found again by value and size; the keys do not meet those of symbols. */
    uint64_t key = (uint64_t)v.id << 32 | bound.size.id | (uint64_t)1 << 63;
    uint32_t k = map_get(&p->indirect_index, key);
    if (k != MAP_NONE) return p->indirect_symbols.at[k];
    k = p->indirect.count;
    int64_t least, most;
    sym_range(p->symbols, bound.size, NULL, &least, &most);
    /* Where there can be but one value it still is a symbol, which keeps its bound. */
    if (most != SYM_NO_MAX) most = most > 2 ? most - 1 : 1;
    sym_expr symbol = sym_symbol(p->symbols, fresh_name(p), SYM_INDIRECT, 0, most);
    vec_push(p->memory, &p->indirect, v);
    vec_push(p->memory, &p->indirect_symbols, symbol);
    vec_push(p->memory, &p->indirect_bounds, bound);
    map_set(p->memory, &p->indirect_index, key, k);
    map_set(p->memory, &p->indirect_index, symbol.id, k);
    return symbol;
}

sym_expr loop_indirect(loop_program *p, loop_value v, loop_bound bound, const sym_env *env)
{
    v = loop_cast(p, TY_I64, v);
    sym_expr plain = plain_index(p, v);
    if (!sym_is_none(plain) && bound.wraps) {
        int64_t least, most;
        sym_range(p->symbols, plain, env, &least, &most);
        bound.wraps = least < 0;
        if (most < 0)
            return loop_indirect_wrapped(p, loop_index(p, sym_add(p->symbols, plain, bound.size)),
                                         bound, env);
    }
    return loop_indirect_wrapped(p, bound.wraps ? wrapped(p, v, bound.size) : v, bound, env);
}

loop_value loop_indirect_value(const loop_program *p, sym_expr symbol)
{
    uint32_t k = map_get(&p->indirect_index, symbol.id);
    return k == MAP_NONE ? (loop_value){0} : p->indirect.at[k];
}

const loop_bound *loop_indirect_bound(const loop_program *p, sym_expr symbol)
{
    uint32_t k = map_get(&p->indirect_index, symbol.id);
    return k == MAP_NONE ? NULL : &p->indirect_bounds.at[k];
}

uint32_t loop_given_count(const loop_program *p)
{
    uint32_t count = p->inputs.count;
    while (count && p->inputs.at[count - 1].taken) count--;
    return count;
}

bool loop_storage_relation(loop_program *p, uint32_t input, sym_relation *out)
{
    const loop_input *storage = &p->inputs.at[input], *start = NULL;
    sym_table *t = p->symbols;
    for (uint32_t k = 0; k < p->inputs.count; k++)
        if (p->inputs.at[k].taken == LOOP_START_OF && p->inputs.at[k].of == storage->of)
            start = &p->inputs.at[k];
    if (storage->taken != LOOP_STORAGE_OF || !start) return false;
    const loop_buffer *x = &p->buffers.at[p->inputs.at[storage->of].buffer];
    sym_expr end = sym_add(t, start->expr, ty_reach(t, x->rank, x->sizes, x->strides));
    *out = (sym_relation){end, p->buffers.at[storage->buffer].elements, SYM_LE};
    return true;
}
