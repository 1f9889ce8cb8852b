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
    sym_expr unknown; /* one of those that the part does not read */
} known_symbols;

static void check_symbol(void *data, sym_expr symbol)
{
    known_symbols *s = data;
    bool found = false;
    for (uint32_t k = 0; k < s->part->symbol_count; k++)
        found |= sym_same(s->part->symbols[k], symbol);
    if (!found) s->unknown = symbol;
}

static sym_expr unknown_symbol(const sched_part *part, const sym_table *t, sym_expr e)
{
    known_symbols s = {.part = part};
    sym_each_symbol(t, e, check_symbol, &s);
    return s.unknown;
}

/* Does the assertion speak of nothing but symbols that the part reads? In the place of another one it is made
 * to speak of that one's bound, where this keeps what it says true: u0 + u1 <= 9 becomes u0 <= 9. */
static bool can_assert(const sched_part *part, loop_program *p, loop_op *op)
{
    sym_table *t = p->symbols;
    sym_relation *r = &op->relation;
    sym_expr unknown, factor, rest;
    int64_t slope, least, most;
    if (op->kind != LOOP_ASSERT) return false;
    sym_expr difference = sym_sub(t, r->right, r->left);
    if (sym_is_none(unknown_symbol(part, t, difference)) &&
        sym_is_none(unknown_symbol(part, t, r->left)))
        return true;
    if (r->op == SYM_NE) return false;
    if (r->op == SYM_LT) difference = sym_add_int(t, difference, -1);
    while (!sym_is_none(unknown = unknown_symbol(part, t, difference))) {
        if (!sym_linear_in(t, difference, unknown, &factor, &rest) ||
            !sym_is_int(t, factor, &slope))
            return false;
        sym_range(t, unknown, NULL, &least, &most);
        int64_t bound = slope < 0 ? least : most;
        if (bound == SYM_NO_MIN || bound == SYM_NO_MAX) return false;
        sym_expr limit = sym_int(t, bound);
        difference = sym_substitute(t, difference, &unknown, &limit, 1);
    }
    if (sym_is_int(t, difference, NULL)) return false;
    *r = (sym_relation){sym_int(t, 0), difference, SYM_LE};
    return true;
}

/* What a call of the whole keeps of inputs that are storages the caller of a part has to keep: it is said
 * behind all ops. */
static void say_storages(loop_program *p)
{
    sym_relation inside;
    for (uint32_t i = loop_given_count(p); i < p->inputs.count; i++) {
        if (!loop_storage_relation(p, i, &inside)) continue;
        loop_op *op = loop_add_op(p, LOOP_ASSERT);
        op->origin = UINT32_MAX;
        op->relation = inside;
        op->message = "an input reaches beyond its storage";
    }
}

/* The assertions outside of regions that the ops make and the part can. */
static uint32_t keep_assertions(loop_program *p, const sched_part *part, const loop_op *ops,
                                uint32_t count, uint32_t kept)
{
    uint32_t depth = 0;
    for (uint32_t k = 0; k < count; k++) {
        const loop_op *op = &ops[k];
        if (op->kind == LOOP_CONTROL && (op->control == LOOP_IF || op->control == LOOP_REPEAT))
            depth++;
        if (op->kind == LOOP_CONTROL && op->control == LOOP_END) depth--;
        loop_op copy = *op;
        if (!depth && can_assert(part, p, &copy)) p->ops.at[kept++] = copy;
    }
    return kept;
}

/* Those of the part, behind what was asserted before them. */
static void keep_ops(loop_program *p, const sched_part *part, uint32_t op_count)
{
    loop_op *own =
        arena_copy(p->memory, &p->ops.at[part->first], (part->end - part->first) * sizeof *own);
    uint32_t storages = p->ops.count - op_count, kept = 0;
    loop_op *said = arena_copy(p->memory, &p->ops.at[op_count], storages * sizeof *said);
    loop_op *before = arena_copy(p->memory, p->ops.at, part->first * sizeof *before);
    for (uint32_t k = 0; k < storages; k++)
        if (can_assert(part, p, &said[k])) p->ops.at[kept++] = said[k];
    kept = keep_assertions(p, part, before, part->first, kept);
    for (uint32_t k = 0; k < part->end - part->first; k++) p->ops.at[kept++] = own[k];
    p->ops.count = kept;
}

fe_status sched_extract(loop_program *p, uint32_t number)
{
    sched_part *parts;
    uint32_t count = sched_parts(p, p->memory, &parts);
    if (number >= count)
        return diag_fail(p->session, (diag){.status = FE_USAGE, .stage = "sched"},
                         "the program has no part %u; the last is %d", number, (int)count - 1);
    const sched_part *part = &parts[number];
    uint32_t op_count = p->ops.count;
    say_storages(p);
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
    keep_ops(p, part, op_count);
    return loop_check(p, "extract");
}
