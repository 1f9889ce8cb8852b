/* scalar.c -- a kernel at one lane: the same buffers, ints and work, one element at a time, for
 * compilers without vector types.
 *
 * Vector loops become sequences, spread scalars copies, and accumulators lose their partial results.
 * The values keep their numbers and levels, so whatever calls the one kernel can call the other.
 */
#include "kern/kern_priv.h"

/* A call of what one lane has as an operation? */
static bool is_operation(kern_value *call)
{
    return loop_opcode_parse(call->callee->base, &call->op) &&
           loop_operand_count(call->op) == call->callee->parameter_count;
}

static void make_values_scalar(kern_ir *k)
{
    for (uint32_t i = 1; i < k->values.count; i++) {
        kern_value *v = &k->values.at[i];
        v->vector = v->runs = v->turned = false;
        v->pairs = KERN_NO_PAIRS;
        v->repeats = 0;
        v->access = KERN_ONE;
        if (v->kind == KERN_CALL && is_operation(v)) v->kind = KERN_APPLY;
        if (v->kind != KERN_SPLAT) continue;
        v->kind = KERN_APPLY;
        v->op = LOOP_CAST; /* to the same dtype */
    }
    for (uint32_t i = 0; i < k->sums.count; i++) {
        k->sums.at[i].vector = k->sums.at[i].across = false;
        k->sums.at[i].copies = 1;
    }
}

/* ---- values that nothing uses: a C compiler would warn of them ---- */

typedef struct uses {
    const kern_ir *k;
    bool *used;
} uses;

static void use_symbol(void *data, sym_expr symbol)
{
    uses *u = data;
    kern_ref v = kern_symbol_value(u->k, symbol);
    if (v) u->used[v] = true;
}

static void use_index(uses *u, sym_expr index)
{
    if (!sym_is_none(index)) sym_each_symbol(u->k->symbols, index, use_symbol, u);
}

static void use_operands(uses *u, const kern_value *v)
{
    for (uint32_t i = 0; i < COUNT_OF(v->args); i++) u->used[v->args[i]] = true;
    u->used[v->guard] = true;
    use_index(u, v->index);
}

/* Accumulators stay, and so do variables. */
static bool is_wanted(const uses *u, kern_ref ref)
{
    return u->used[ref] || u->k->values.at[ref].kind == KERN_VARIABLE;
}

/* Users stand behind definitions, so one walk from the end sees them first. */
static void drop_unused(uses *u, kern_loop *loop)
{
    uint32_t kept = loop->items.count;
    for (uint32_t i = loop->items.count; i-- > 0;) {
        const kern_item item = loop->items.at[i];
        if (item.kind == KERN_DEFINE && !is_wanted(u, item.value)) continue;
        if (item.kind == KERN_DEFINE) use_operands(u, &u->k->values.at[item.value]);
        if (item.kind == KERN_STORE) u->used[item.store.value] = true;
        if (item.kind == KERN_STORE) use_index(u, item.store.index);
        bool checks = item.kind == KERN_BOUND && !item.bound.is_known;
        if (checks) u->used[item.bound.value] = u->used[item.bound.guard] = true;
        if (item.kind == KERN_UPDATE || item.kind == KERN_SET) u->used[item.value] = true;
        if (item.kind == KERN_SET) u->used[item.variable] = true;
        if (item.kind == KERN_UPDATE) use_index(u, item.flat);
        if (item.kind == KERN_LOOP) u->used[item.loop->condition] = true;
        if (item.kind == KERN_LOOP) drop_unused(u, item.loop);
        loop->items.at[--kept] = item;
    }
    loop->items.at += kept;
    loop->items.count -= kept;
}

/* What is known of values that are gone. */
static void drop_known(const uses *u, kern_loop *loop)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item item = loop->items.at[i];
        const kern_bound *bound = &item.bound;
        bool is_there = u->used[bound->value] && (!bound->guard || u->used[bound->guard]);
        if (item.kind == KERN_BOUND && bound->is_known && !is_there) continue;
        if (item.kind == KERN_LOOP) drop_known(u, item.loop);
        loop->items.at[kept++] = item;
    }
    loop->items.count = kept;
}

/* ---- the kernel ---- */

static kern_loop *scalar_loop(const kern_loop *loop, arena *memory)
{
    kern_loop *made = arena_copy(memory, loop, sizeof *loop);
    if (made->kind == KERN_VECTOR) made->kind = KERN_SEQUENCE;
    made->exact = false;
    made->unroll = 1;
    made->items.at = arena_copy(memory, loop->items.at, loop->items.count * sizeof *loop->items.at);
    for (uint32_t i = 0; i < loop->items.count; i++) {
        kern_item *item = &made->items.at[i];
        if (item->kind == KERN_LOOP) item->loop = scalar_loop(item->loop, memory);
        if (item->kind != KERN_STORE) continue;
        item->store.access = KERN_ONE;
        item->store.whole = false;
    }
    return made;
}

kern_ir *kern_one_lane(kern_ir *vectors, arena *memory)
{
    kern_ir *k = arena_copy(memory, vectors, sizeof *k);
    k->lanes = 1;
    k->outer_vector = k->squares = false;
    k->values.at = arena_copy(memory, k->values.at, k->values.count * sizeof *k->values.at);
    k->sums.at = arena_copy(memory, k->sums.at, k->sums.count * sizeof *k->sums.at);
    make_values_scalar(k);
    k->body = scalar_loop(vectors->body, memory);
    uses u = {k, NEW_ARRAY(memory, bool, k->values.count)};
    drop_unused(&u, k->body);
    drop_known(&u, k->body);
    return k;
}
