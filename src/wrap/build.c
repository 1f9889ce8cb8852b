/* build.c -- from a schedule to wrapper lines: buffers placed in the arena, one line a group, frees
 * right after the last use, outputs last.
 */
#include "wrap/wrap_priv.h"

#include <string.h>

typedef struct builder {
    wrap_program *w;
    const sched_schedule *s;
    const wrap_facts *facts;
    arena *memory;
    wrap_segments segments;
    sched_part *parts;
    uint32_t part_count; /* begun so far */
    wrap_devices devices;
} builder;

static wrap_line *add_line(builder *b, wrap_kind kind)
{
    return wrap_add_line(b->w, kind);
}

/* ---- weights ---- */

static bool same_view(const loop_view *a, const loop_view *b)
{
    if (a->buffer != b->buffer || a->rank != b->rank || !sym_same(a->offset, b->offset))
        return false;
    for (uint32_t d = 0; d < a->rank; d++)
        if (!sym_same(a->sizes[d], b->sizes[d]) || !sym_same(a->strides[d], b->strides[d]))
            return false;
    return true;
}

static uint32_t add_weight(builder *b, wrap_weight weight)
{
    weight.offset = b->w->weights_bytes;
    b->w->weights_bytes += (weight.bytes + 63) / 64 * 64;
    vec_push(b->memory, &b->w->weights, weight);
    return b->w->weights.count - 1;
}

/* The packed form of one operand; made once for all calls that read the same view the same way. */
static uint32_t packed_weight(builder *b, map *seen, const loop_op *op, uint32_t operand,
                              int64_t bytes)
{
    uint32_t first = map_get(seen, op->inputs[operand].buffer);
    for (uint32_t i = first; i != MAP_NONE && i < b->w->weights.count; i++) {
        const wrap_weight *have = &b->w->weights.at[i];
        if (have->packed_for && have->packed_for->kernel == op->kernel &&
            have->operand == operand && have->bytes == bytes &&
            same_view(&have->packed_for->inputs[operand], &op->inputs[operand]))
            return i;
    }
    uint32_t made =
        add_weight(b, (wrap_weight){op->inputs[operand].buffer, op, operand, 0, bytes, false});
    if (first == MAP_NONE) map_set(b->memory, seen, op->inputs[operand].buffer, made);
    return made;
}

static void need_raw(builder *b, loop_buffer_id id)
{
    const loop_program *p = b->w->loops;
    const loop_buffer *buffer = &p->buffers.at[id];
    bool has_bytes = buffer->kind == LOOP_CONSTANT || buffer->kind == LOOP_STATE;
    if (!has_bytes || b->w->storage[id].weight != WRAP_NO_WEIGHT) return;
    int64_t elements = 0;
    CHECK(b->w->session, sym_is_int(p->symbols, buffer->elements, &elements));
    int64_t bytes = elements * (int64_t)ty_dtype_size(buffer->dtype);
    b->w->storage[id].weight = add_weight(b, (wrap_weight){id, NULL, 0, 0, bytes, false});
    if (buffer->kind == LOOP_CONSTANT) b->w->storage[id].kind = WRAP_STORAGE_WEIGHT;
}

/* A context's states begin as what the weights hold. */
static void need_states(builder *b)
{
    for (loop_buffer_id id = 0; id < b->w->loops->buffers.count; id++)
        if (b->w->storage[id].state >= 0) need_raw(b, id);
}

/* Which weights each extern line reads packed; every other constant that is read is needed raw. */
static void collect_weights(builder *b)
{
    wrap_program *w = b->w;
    map seen = {0};
    for (uint32_t i = 0; i < w->lines.count; i++) {
        wrap_line *line = &w->lines.at[i];
        if (line->kind == WRAP_EXTERN) {
            const loop_op *op = line->op;
            line->weights = NEW_ARRAY(b->memory, uint32_t, op->input_count);
            for (uint32_t k = 0; k < op->input_count; k++) {
                line->weights[k] = WRAP_NO_WEIGHT;
                loop_buffer_id id = op->inputs[k].buffer;
                if (id == LOOP_NO_BUFFER || w->loops->buffers.at[id].kind != LOOP_CONSTANT)
                    continue;
                int64_t bytes =
                    b->facts->packed_bytes ? b->facts->packed_bytes(w->loops, op, k) : 0;
                if (bytes > 0)
                    line->weights[k] = packed_weight(b, &seen, op, k, bytes);
                else
                    need_raw(b, id);
            }
        }
        if (line->kind == WRAP_CHECK) need_raw(b, line->view->buffer);
        if (line->kind == WRAP_COPY) need_raw(b, line->op->inputs[0].buffer);
        if (line->kind == WRAP_SYMBOL && line->op) need_raw(b, line->op->inputs[0].buffer);
        if (line->kind == WRAP_KERNEL || (line->kind == WRAP_EXTERN && line->call.kernel))
            for (uint32_t k = 0; k < line->call.buffer_count; k++)
                need_raw(b, line->call.buffers[k]);
    }
    for (uint32_t k = 0; k < w->loops->outputs.count; k++) {
        const loop_output *output = &w->loops->outputs.at[k];
        if (output->kind == LOOP_OUT_TENSOR) need_raw(b, output->view.buffer);
    }
}

/* ---- placements ---- */

/* Outputs lend their memory to the temps that they are. */
static void place_outputs(builder *b)
{
    wrap_program *w = b->w;
    const loop_program *p = w->loops;
    for (loop_buffer_id id = 0; id < p->buffers.count; id++)
        if (p->buffers.at[id].kind == LOOP_TEMP && w->storage[id].life.root == id &&
            !w->storage[id].life.in_arena)
            w->storage[id].output = sched_output_covering(p, id);
    for (loop_buffer_id id = 0; id < p->buffers.count; id++)
        w->storage[id].output = w->storage[w->storage[id].life.root].output;
    wrap_set_storage_kinds(w);
}

/* What is placed before the run: only that has sizes to plan with. */
static uint32_t first_segment(const wrap_program *w, plan_buffer *intervals, loop_buffer_id *owners,
                              uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (w->storage[owners[i]].segment == 0) {
            intervals[kept] = intervals[i];
            owners[kept++] = owners[i];
        }
    return kept;
}

/* With where it begins in its root's memory, if that is a constant. */
static int64_t offset_in_root(const wrap_program *w, loop_buffer_id id)
{
    int64_t offset = w->storage[w->storage[id].life.root].offset, shift = 0;
    sym_expr place = wrap_shift(w, id);
    if (offset >= 0 && !sym_is_none(place)) sym_is_int(w->loops->symbols, place, &shift);
    return offset + shift;
}

static fe_status place(builder *b)
{
    wrap_program *w = b->w;
    const loop_program *p = w->loops;
    plan_buffer *intervals;
    loop_buffer_id *owners;
    if (b->facts->max_arena) {
        place_outputs(b);
        FE_TRY(wrap_bound_outputs(w, b->facts));
        return wrap_place_largest(w, b->facts);
    }
    FE_TRY(wrap_find_segments(w, b->s, &b->segments, b->memory));
    wrap_split_segments(w, b->s->groups.count, &b->segments, b->memory);
    for (loop_buffer_id id = 0; id < p->buffers.count; id++)
        if (w->storage[id].life.in_arena && w->storage[id].life.root == id &&
            w->storage[id].segment == 0 && !sym_is_int(p->symbols, w->storage[id].bytes, NULL))
            w->is_dynamic = true;
    place_outputs(b);
    if (w->is_dynamic) {
        w->arena_bytes = w->lower_bound = -1;
        return FE_OK;
    }
    uint32_t count = sched_intervals(b->s, &intervals, &owners, b->memory);
    count = first_segment(w, intervals, owners, count);
    plan_result plan;
    FE_TRY(plan_offsets(w->session, b->memory, intervals, count, NULL, &plan));
    for (uint32_t i = 0; i < count; i++) w->storage[owners[i]].offset = plan.offsets[i];
    for (loop_buffer_id id = 0; id < p->buffers.count; id++)
        if (w->storage[id].offset < 0) w->storage[id].offset = offset_in_root(w, id);
    w->arena_bytes = plan.height;
    w->lower_bound = plan.lower_bound;
    return FE_OK;
}

/* ---- lines ---- */

static void note_group(builder *b, const sched_group *group)
{
    if (!b->facts->note) return;
    text line;
    text_init(&line, b->memory);
    const char *last = NULL;
    if (group->kind == SCHED_EXTERN) {
        last = b->facts->note(b->facts->data, b->s->program->ops.at[group->extern_op].origin);
        if (last) text_add(&line, last);
    }
    for (uint32_t i = 0; i < group->phase_count; i++)
        for (uint32_t j = 0; j < group->phases[i].nest_count; j++) {
            const char *one = b->facts->note(b->facts->data, group->phases[i].nests[j].nest.origin);
            if (!one || (last && strcmp(one, last) == 0)) continue;
            text_printf(&line, "%s%s", line.length ? ", " : "", one);
            last = one;
        }
    if (!line.length) return;
    add_line(b, WRAP_COMMENT)->text = line.at;
}

/* Buffers that are born in the place of another, whoever has it first. */
static void emit_reuses(builder *b, const sched_group *g)
{
    bool *done = NEW_ARRAY(b->memory, bool, g->reuse_count + 1);
    for (uint32_t left = g->reuse_count; left;) {
        uint32_t before = left;
        for (uint32_t i = 0; i < g->reuse_count; i++) {
            bool waits = done[i];
            for (uint32_t k = 0; k < g->reuse_count && !waits; k++)
                waits = !done[k] && g->reuses[k].to == g->reuses[i].from;
            if (waits) continue;
            done[i] = true;
            left--;
            if (!b->w->storage[g->reuses[i].to].life.in_arena) continue;
            wrap_wait_for(b->w, &b->devices, g->reuses[i].from);
            wrap_line *line = add_line(b, WRAP_REUSE);
            line->old_buffer = g->reuses[i].from;
            line->buffer = g->reuses[i].to;
        }
        CHECK(b->w->session, left < before);
    }
}

/* All of it that the host waits for is there, and it runs where it writes. */
static void prepare_call(builder *b, uint32_t g)
{
    const sched_group *group = &b->s->groups.at[g];
    const wrap_call *call = &b->facts->calls[g];
    const loop_op *op =
        group->kind == SCHED_EXTERN ? &b->s->program->ops.at[group->extern_op] : NULL;
    loop_buffer_id written = op && op->output_count ? op->outputs[0].buffer : LOOP_NO_BUFFER;
    for (uint32_t i = 0; op && i < op->input_count; i++)
        wrap_wait_for(b->w, &b->devices, op->inputs[i].buffer);
    for (uint32_t i = 0; op && i < op->output_count; i++) {
        wrap_wait_for(b->w, &b->devices, op->outputs[i].buffer);
        if (written == LOOP_NO_BUFFER) written = op->outputs[i].buffer;
    }
    for (uint32_t i = 0; i < call->buffer_count; i++) {
        wrap_wait_for(b->w, &b->devices, call->buffers[i]);
        if (!op && (i == 0 || (call->is_written && call->is_written[i])))
            written = call->buffers[i];
    }
    if (written == LOOP_NO_BUFFER || (op && loop_moves(b->s->program, op))) return;
    wrap_go_to(b->w, &b->devices, b->w->loops->buffers.at[written].device);
}

static void emit_group(builder *b, uint32_t g)
{
    const sched_group *group = &b->s->groups.at[g];
    if (group->kind == SCHED_ASSERT) {
        const loop_op *op = &b->s->program->ops.at[group->extern_op];
        wrap_line *line = add_line(b, WRAP_ASSERT);
        line->relation = op->relation;
        line->text = op->message;
        return;
    }
    if (group->kind == SCHED_DEFINE) {
        const loop_op *op = &b->s->program->ops.at[group->extern_op];
        if (op->input_count) wrap_wait_for(b->w, &b->devices, op->inputs[0].buffer);
        wrap_line *line = add_line(b, WRAP_SYMBOL);
        line->symbol = op->symbol;
        line->expr = op->expr;
        line->op = op->input_count ? op : NULL;
        return;
    }
    if (group->kind == SCHED_CONTROL) {
        const loop_op *op = &b->s->program->ops.at[group->extern_op];
        wrap_wait_for_all(b->w, &b->devices);
        wrap_begin_devices(&b->devices);
        wrap_line *line = add_line(b, wrap_of_control(op->control));
        line->op = op;
        if (line->kind == WRAP_PARTITION) line->part = &b->parts[b->part_count++];
        return;
    }
    note_group(b, group);
    prepare_call(b, g);
    if (group->kind == SCHED_EXTERN &&
        loop_moves(b->s->program, &b->s->program->ops.at[group->extern_op])) {
        wrap_copy(b->w, &b->devices, &b->s->program->ops.at[group->extern_op]);
        return;
    }
    wrap_line *line = add_line(b, group->kind == SCHED_KERNEL ? WRAP_KERNEL : WRAP_EXTERN);
    line->call = b->facts->calls[g];
    line->call.group = g;
    if (group->kind == SCHED_EXTERN) line->op = sched_activated(b->s, group, b->memory);
    b->w->kernel_calls++;
    wrap_check_results(b->w, b->facts, group, b->w->lines.count - 1);
}

/* The buffers in the arena whose memory is not another's before (or after) them, by the group that
 * their life begins (or ends) with; those in outputs of late sizes, once for all that share one. */
typedef struct life_index {
    uint32_t *first; /* first[g] .. first[g+1]: entries of group g */
    loop_buffer_id *ids;
} life_index;

static bool *handed_on(builder *b, wrap_kind kind)
{
    bool *handed = NEW_ARRAY(b->memory, bool, b->w->loops->buffers.count + 1);
    for (uint32_t g = 0; g < b->s->groups.count; g++)
        for (uint32_t i = 0; i < b->s->groups.at[g].reuse_count; i++) {
            sched_reuse take = b->s->groups.at[g].reuses[i];
            handed[kind == WRAP_ALLOC ? take.to : take.from] = true;
        }
    return handed;
}

/* By the buffer whose memory is that of an output of late size: the group where the first of all that
 * lie there comes to life; UINT32_MAX for others. */
static uint32_t *late_births(builder *b)
{
    const wrap_program *w = b->w;
    uint32_t *births = NEW_ARRAY(b->memory, uint32_t, w->loops->buffers.count + 1);
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) births[id] = UINT32_MAX;
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        loop_buffer_id root = w->storage[id].life.root;
        if (w->loops->buffers.at[id].kind != LOOP_TEMP || w->storage[root].output < 0 ||
            w->storage[root].life.in_arena || !w->storage[root].is_unbacked)
            continue;
        if (w->storage[id].life.birth < births[root]) births[root] = w->storage[id].life.birth;
    }
    return births;
}

static life_index index_lives(builder *b, wrap_kind kind)
{
    uint32_t groups = b->s->groups.count, buffers = b->w->loops->buffers.count;
    const bool *handed = handed_on(b, kind);
    const uint32_t *lates = late_births(b);
    life_index index = {NEW_ARRAY(b->memory, uint32_t, groups + 2),
                        NEW_ARRAY(b->memory, loop_buffer_id, buffers + 1)};
    for (int pass = 0; pass < 2; pass++) {
        for (loop_buffer_id id = 0; id < buffers; id++) {
            const sched_life *life = &b->w->storage[id].life;
            bool is_unbacked = kind == WRAP_ALLOC && lates[id] != UINT32_MAX;
            if (!is_unbacked && (!life->in_arena || handed[id] || life->birth == life->death))
                continue;
            uint32_t g = is_unbacked          ? lates[id]
                         : kind == WRAP_ALLOC ? life->birth
                                              : life->death - 1;
            if (g >= groups) continue; /* an output is never freed */
            if (pass == 0)
                index.first[g + 1]++;
            else
                index.ids[index.first[g]++] = id;
        }
        if (pass == 0)
            for (uint32_t g = 0; g < groups; g++) index.first[g + 1] += index.first[g];
    }
    for (uint32_t g = groups; g > 0; g--) index.first[g] = index.first[g - 1];
    index.first[0] = 0;
    return index;
}

static void emit_indexed(builder *b, const life_index *index, uint32_t g, wrap_kind kind)
{
    for (uint32_t i = index->first[g]; i < index->first[g + 1]; i++) {
        if (kind == WRAP_FREE) wrap_wait_for(b->w, &b->devices, index->ids[i]);
        add_line(b, kind)->buffer = index->ids[i];
        if (kind == WRAP_ALLOC) wrap_clear_new(b->w, b->facts, index->ids[i]);
    }
}

static bool is_partition(const sched_schedule *s, uint32_t g)
{
    return s->groups.at[g].kind == SCHED_CONTROL &&
           s->program->ops.at[s->groups.at[g].extern_op].control == LOOP_PARTITION;
}

/* The segments that are placed before a group, by group: the first, and behind it the next one. */
typedef struct placements {
    uint32_t *first, *next;
} placements;

static placements index_placements(builder *b)
{
    uint32_t groups = b->s->groups.count;
    placements p = {NEW_ARRAY(b->memory, uint32_t, groups + 1),
                    NEW_ARRAY(b->memory, uint32_t, b->w->segment_count + 1)};
    for (uint32_t k = b->w->segment_count; k-- > 1;) {
        uint32_t g = b->segments.first_birth[k];
        if (g >= groups) continue;
        p.next[k] = p.first[g];
        p.first[g] = k;
    }
    return p;
}

wrap_program *wrap_program_new(loop_program *p, arena *memory)
{
    wrap_program *w = NEW(memory, wrap_program);
    uint32_t buffers = p->buffers.count;
    *w = (wrap_program){.session = p->session,
                        .loops = p,
                        .memory = memory,
                        .name = p->name,
                        .storage = NEW_ARRAY(memory, wrap_storage, buffers + 1),
                        .segment_count = 1};
    for (loop_buffer_id id = 0; id < buffers; id++) {
        const loop_buffer *buffer = &p->buffers.at[id];
        w->storage[id] = (wrap_storage){
            .bytes = sym_mul_int(p->symbols, buffer->elements, ty_dtype_size(buffer->dtype)),
            .life = {.root = id, .else_in = LOOP_NO_BUFFER},
            .slot = WRAP_NO_SLOT,
            .offset = -1,
            .output = -1,
            .state = buffer->kind == LOOP_STATE ? (int32_t)w->state_count++ : -1,
            .weight = WRAP_NO_WEIGHT};
    }
    wrap_find_devices(w);
    return w;
}

fe_status wrap_build(const sched_schedule *s, const wrap_facts *facts, arena *memory,
                     wrap_program **out)
{
    loop_program *p = s->program;
    wrap_program *w = wrap_program_new(p, memory);
    builder b = {.w = w, .s = s, .facts = facts, .memory = memory};
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) w->storage[id].life = s->lives[id];
    w->unique_kernels = facts->unique_kernels;
    w->input_tree = facts->input_tree;
    w->output_tree = facts->output_tree;
    FE_TRY(place(&b));
    FE_TRY(wrap_define_inputs(w));
    wrap_check_inputs(w, facts);
    wrap_begin_devices(&b.devices);
    life_index births = index_lives(&b, WRAP_ALLOC), deaths = index_lives(&b, WRAP_FREE);
    sched_parts(p, memory, &b.parts);
    placements placed = index_placements(&b);
    for (uint32_t g = 0; g < s->groups.count; g++) {
        bool begins_part = is_partition(s, g); /* what it makes is allocated within */
        if (begins_part) emit_group(&b, g);
        for (uint32_t k = placed.first[g]; k; k = placed.next[k])
            add_line(&b, WRAP_PLACE)->index = k;
        emit_indexed(&b, &births, g, WRAP_ALLOC);
        wrap_clear_lent(w, facts, g);
        emit_reuses(&b, &s->groups.at[g]);
        if (!begins_part) emit_group(&b, g);
        emit_indexed(&b, &deaths, g, WRAP_FREE);
    }
    wrap_wait_for_all(w, &b.devices);
    wrap_check_outputs(w, facts);
    for (uint32_t k = 0; k < p->outputs.count; k++) add_line(&b, WRAP_OUTPUT)->index = k;
    need_states(&b);
    collect_weights(&b);
    wrap_list_fixed(w);
    if (w->is_bounded) wrap_assert_ranges(w);
    FE_TRY(wrap_set_scratch(w, facts));
    FE_TRY(wrap_make_layouts(w));
    wrap_find_scratch(w, s->lives, s->groups.count);
    wrap_order_queues(w);
    *out = w;
    return wrap_check(w);
}
