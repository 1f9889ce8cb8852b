/* signature.c -- what a part of the program needs and gives, and a part as a program of its own. */
#include "sched/sched_priv.h"

#include <stdlib.h>

enum { READ = 1, WRITTEN = 2 };

typedef struct survey {
    loop_program *p;
    arena *memory;
    uint32_t part;            /* that is looked at, + 1 */
    uint32_t *first, *last;   /* by buffer: parts that use it, + 1 */
    bool knows_uses;          /* they are those of the whole program */
    uint8_t *use;             /* by buffer: in the part that is looked at */
    VEC(loop_buffer_id) used; /* in it */
    map symbols;              /* in it: known from before (1), defined there (2) */
    VEC(sym_expr) read, made; /* symbols */
} survey;

static void use_symbol(void *data, sym_expr symbol)
{
    survey *s = data;
    if (sym_kind_of(s->p->symbols, symbol) == SYM_INDEX) return;
    if (sym_kind_of(s->p->symbols, symbol) == SYM_INDIRECT) {
        const loop_bound *bound = loop_indirect_bound(s->p, symbol);
        if (bound) sym_each_symbol(s->p->symbols, bound->size, use_symbol, s);
        return;
    }
    if (map_get(&s->symbols, symbol.id) != MAP_NONE) return;
    map_set(s->memory, &s->symbols, symbol.id, 1);
    vec_push(s->memory, &s->read, symbol);
}

static void use_expr(survey *s, sym_expr e)
{
    if (!sym_is_none(e)) sym_each_symbol(s->p->symbols, e, use_symbol, s);
}

static void use_exprs(survey *s, const sym_expr *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) use_expr(s, list[i]);
}

static void use_buffer(survey *s, loop_buffer_id b, uint8_t how)
{
    if (b == LOOP_NO_BUFFER) return;
    const loop_buffer *buffer = &s->p->buffers.at[b];
    if (!s->use[b]) vec_push(s->memory, &s->used, b);
    /* what is read first and then written was there before */
    s->use[b] |= how;
    if (!s->knows_uses && !s->first[b]) s->first[b] = s->part;
    if (!s->knows_uses) s->last[b] = s->part;
    use_expr(s, buffer->elements);
    use_exprs(s, buffer->sizes, buffer->rank);
    use_exprs(s, buffer->strides, buffer->rank);
    if (buffer->part) {
        use_expr(s, buffer->part->at);
        use_buffer(s, buffer->part->whole, how);
    }
}

static void use_view(survey *s, const loop_view *v, uint8_t how)
{
    use_buffer(s, v->buffer, how);
    use_exprs(s, v->sizes, v->rank);
    use_exprs(s, v->strides, v->rank);
    use_expr(s, v->offset);
}

static void use_value(void *data, loop_value v)
{
    survey *s = data;
    const loop_node *n = loop_at(s->p, v);
    if (n->op == LOOP_LOAD) use_buffer(s, n->buffer, READ);
    use_expr(s, n->index);
}

static void use_op(survey *s, const loop_op *op)
{
    use_exprs(s, op->extents, op->axes);
    use_exprs(s, op->reduce_extents, op->reduce_axes);
    for (uint32_t i = 0; i < op->store_count; i++) {
        loop_each_store_node(s->p, &op->stores[i], use_value, s);
        use_expr(s, op->stores[i].index);
        use_buffer(s, op->stores[i].buffer, WRITTEN);
    }
    for (uint32_t i = 0; i < op->input_count; i++) use_view(s, &op->inputs[i], READ);
    for (uint32_t i = 0; i < op->output_count; i++) use_view(s, &op->outputs[i], WRITTEN);
    use_exprs(s, op->ints, op->int_count);
    use_expr(s, op->expr);
    if (op->kind == LOOP_ASSERT) {
        use_expr(s, op->relation.left);
        use_expr(s, op->relation.right);
    }
    if (op->kind == LOOP_DEFINE) {
        map_set(s->memory, &s->symbols, op->symbol.id, 2);
        vec_push(s->memory, &s->made, op->symbol);
    } else if (!sym_is_none(op->symbol)) { /* counts the steps of a repeat */
        map_set(s->memory, &s->symbols, op->symbol.id, 2);
    }
}

static bool is_partition(const loop_op *op)
{
    return op->kind == LOOP_CONTROL && op->control == LOOP_PARTITION;
}

static uint32_t first_part(const loop_program *p)
{
    uint32_t at = 0;
    while (at < p->ops.count && !is_partition(&p->ops.at[at])) at++;
    return at;
}

/* Looks at the ops of the part that begins at `at`; returns where it ends. */
static uint32_t look_at(survey *s, uint32_t at)
{
    for (uint32_t i = 0; i < s->used.count; i++) s->use[s->used.at[i]] = 0;
    s->used.count = s->read.count = s->made.count = 0;
    s->symbols = (map){0};
    s->part++;
    for (at++; at < s->p->ops.count && !is_partition(&s->p->ops.at[at]); at++)
        use_op(s, &s->p->ops.at[at]);
    return at;
}

/* ---- signatures ---- */

typedef VEC(loop_buffer_id) buffer_list;

static int by_id(const void *a, const void *b)
{
    loop_buffer_id x = *(const loop_buffer_id *)a, y = *(const loop_buffer_id *)b;
    return (x > y) - (x < y);
}

static void give(buffer_list *list, loop_buffer_id **out, uint32_t *count)
{
    *out = list->at;
    *count = list->count;
}

static void sign(survey *s, const bool *is_output, sched_part *out)
{
    buffer_list reads = {0}, makes = {0}, mutates = {0}, ends = {0}, constants = {0};
    if (s->used.count) qsort(s->used.at, s->used.count, sizeof *s->used.at, by_id);
    for (uint32_t i = 0; i < s->used.count; i++) {
        loop_buffer_id b = s->used.at[i];
        const loop_buffer *buffer = &s->p->buffers.at[b];
        bool is_old = buffer->kind != LOOP_TEMP || s->first[b] < s->part;
        bool goes_on = is_output[b] || s->last[b] > s->part;
        if (buffer->kind == LOOP_CONSTANT) {
            vec_push(s->memory, &constants, b);
            continue;
        }
        if (is_old && s->use[b] & WRITTEN) vec_push(s->memory, &mutates, b);
        if (is_old && !(s->use[b] & WRITTEN)) vec_push(s->memory, &reads, b);
        if (!is_old && goes_on) vec_push(s->memory, &makes, b);
        if (is_old && buffer->kind == LOOP_TEMP && !goes_on) vec_push(s->memory, &ends, b);
    }
    give(&reads, &out->reads, &out->read_count);
    give(&makes, &out->makes, &out->make_count);
    give(&mutates, &out->mutates, &out->mutate_count);
    give(&ends, &out->ends, &out->end_count);
    give(&constants, &out->constants, &out->constant_count);
    out->symbols = arena_copy(s->memory, s->read.at, s->read.count * sizeof *s->read.at);
    out->symbol_count = s->read.count;
    out->defines = arena_copy(s->memory, s->made.at, s->made.count * sizeof *s->made.at);
    out->define_count = s->made.count;
}

static const bool *find_outputs(const loop_program *p, arena *memory)
{
    bool *is_output = NEW_ARRAY(memory, bool, p->buffers.count + 1);
    for (uint32_t k = 0; k < p->outputs.count; k++)
        if (p->outputs.at[k].kind == LOOP_OUT_TENSOR)
            is_output[p->outputs.at[k].view.buffer] = true;
    return is_output;
}

uint32_t sched_parts(loop_program *p, arena *memory, sched_part **out)
{
    uint32_t count = 0, at = first_part(p);
    const bool *is_output = find_outputs(p, memory);
    for (uint32_t k = 0; k < p->ops.count; k++) count += is_partition(&p->ops.at[k]);
    *out = NEW_ARRAY(memory, sched_part, count + 1);
    survey s = {.p = p,
                .memory = memory,
                .first = NEW_ARRAY(memory, uint32_t, p->buffers.count + 1),
                .last = NEW_ARRAY(memory, uint32_t, p->buffers.count + 1),
                .use = NEW_ARRAY(memory, uint8_t, p->buffers.count + 1)};
    for (uint32_t k = 0; k < count; k++) at = look_at(&s, at);
    s.knows_uses = true;
    s.part = 0;
    at = first_part(p);
    for (uint32_t k = 0; k < count; k++) {
        sched_part *part = &(*out)[k];
        part->name = p->ops.at[at].message;
        part->first = at + 1;
        part->end = at = look_at(&s, at);
        sign(&s, is_output, part);
    }
    return count;
}

/* ---- a part alone ---- */

static void add_input(loop_program *p, loop_buffer_id b)
{
    loop_buffer *buffer = &p->buffers.at[b];
    buffer->kind = LOOP_INPUT;
    buffer->data = NULL; /* of a state: the caller's */
    buffer->data_bytes = 0;
    buffer->donated = false; /* another part may read it */
    buffer->input = p->inputs.count;
    vec_push(p->memory, &p->inputs,
             (loop_input){.name = buffer->name, .is_tensor = true, .buffer = b});
}

typedef struct known_symbols {
    const sched_part *part;
    bool all;
} known_symbols;

static void check_symbol(void *data, sym_expr symbol)
{
    known_symbols *s = data;
    bool found = false;
    for (uint32_t k = 0; k < s->part->symbol_count; k++)
        found |= sym_same(s->part->symbols[k], symbol);
    s->all &= found;
}

/* Does the assertion speak of nothing but symbols that the part reads? */
static bool knows_symbols(const sched_part *part, const loop_program *p, const loop_op *op)
{
    known_symbols s = {part, op->kind == LOOP_ASSERT};
    if (!s.all) return false;
    sym_each_symbol(p->symbols, op->relation.left, check_symbol, &s);
    sym_each_symbol(p->symbols, op->relation.right, check_symbol, &s);
    return s.all;
}

fe_status sched_extract(loop_program *p, uint32_t number)
{
    sched_part *parts;
    uint32_t count = sched_parts(p, p->memory, &parts);
    if (number >= count)
        return diag_fail(p->session, (diag){.status = FE_USAGE, .stage = "sched"},
                         "the program has no part %u; the last is %d", number, (int)count - 1);
    const sched_part *part = &parts[number];
    uint32_t first = first_part(p);
    p->inputs.count = p->outputs.count = 0;
    for (uint32_t k = 0; k < part->symbol_count; k++)
        vec_push(p->memory, &p->inputs,
                 (loop_input){.name = sym_name(p->symbols, part->symbols[k]),
                              .buffer = LOOP_NO_BUFFER,
                              .dtype = TY_I64,
                              .expr = part->symbols[k]});
    for (uint32_t k = 0; k < part->symbol_count; k++)
        if (sym_kind_of(p->symbols, part->symbols[k]) == SYM_UNBACKED)
            sym_make_given(p->symbols, part->symbols[k]);
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) p->buffers.at[b].mutated = false;
    for (uint32_t k = 0; k < part->read_count; k++) add_input(p, part->reads[k]);
    for (uint32_t k = 0; k < part->mutate_count; k++) {
        add_input(p, part->mutates[k]);
        p->buffers.at[part->mutates[k]].mutated = true;
    }
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) /* what other parts change */
        if (p->buffers.at[b].kind == LOOP_STATE) p->buffers.at[b].kind = LOOP_CONSTANT;
    for (uint32_t k = 0; k < part->make_count; k++)
        vec_push(p->memory, &p->outputs,
                 (loop_output){.kind = LOOP_OUT_TENSOR, .view = loop_view_of(p, part->makes[k])});
    for (uint32_t k = 0; k < part->define_count; k++)
        vec_push(p->memory, &p->outputs,
                 (loop_output){.kind = LOOP_OUT_INT, .expr = part->defines[k]});
    uint32_t kept = 0;
    for (uint32_t k = 0; k < first; k++)
        if (knows_symbols(part, p, &p->ops.at[k])) p->ops.at[kept++] = p->ops.at[k];
    for (uint32_t k = part->first; k < part->end; k++) p->ops.at[kept++] = p->ops.at[k];
    p->ops.count = kept;
    return loop_check(p, "extract");
}
