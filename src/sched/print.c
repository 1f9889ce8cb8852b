/* print.c -- the schedule as text, behind the text of its program. */
#include "sched/sched.h"

static const char *const reasons[SCHED_REASON_COUNT] = {
    [SCHED_FUSED] = "fused",
    [SCHED_NOT_NEST] = "not_nest",
    [SCHED_OTHER_REGION] = "other_region",
    [SCHED_OTHER_DEVICE] = "other_device",
    [SCHED_WAITS] = "waits",
    [SCHED_NOT_SAME_OUTER] = "not_same_outer",
    [SCHED_NOT_SAME_INDEX] = "not_same_index",
    [SCHED_CYCLE] = "cycle",
    [SCHED_DEFINITION] = "definition",
    [SCHED_MUTATION] = "mutation",
    [SCHED_MAY_FAIL] = "may-fail",
    [SCHED_FEW_ROWS] = "few_rows",
    [SCHED_SHORT] = "short",
    [SCHED_TOO_LARGE] = "too_large",
    [SCHED_AGAIN] = "again",
};
static const char *const group_kinds[] = {[SCHED_KERNEL] = "kernel",
                                          [SCHED_EXTERN] = "extern",
                                          [SCHED_ASSERT] = "assert",
                                          [SCHED_DEFINE] = "define",
                                          [SCHED_CONTROL] = "control"};

const char *sched_reason_name(sched_reason r)
{
    return r < SCHED_REASON_COUNT ? reasons[r] : "?";
}

const char *sched_group_kind_name(sched_group_kind k)
{
    return group_kinds[k];
}

static void print_loops(const sched_schedule *s, char letter, uint32_t first,
                        const sym_expr *extents, uint32_t count, text *out)
{
    text_char(out, '[');
    for (uint32_t k = 0; k < count; k++) {
        text_printf(out, "%s%c%u < ", k ? ", " : "", letter, first + k);
        sym_print(s->program->symbols, extents[k], out);
    }
    text_char(out, ']');
}

static bool same_nest(const loop_op *a, const loop_op *b)
{
    bool same = a->kind == b->kind && a->axes == b->axes && a->reduce_axes == b->reduce_axes &&
                a->store_count == b->store_count && a->origin == b->origin;
    for (uint32_t k = 0; same && k < a->axes; k++) same = sym_same(a->extents[k], b->extents[k]);
    for (uint32_t k = 0; same && k < a->reduce_axes; k++)
        same = sym_same(a->reduce_extents[k], b->reduce_extents[k]);
    for (uint32_t k = 0; same && k < a->store_count; k++) {
        const loop_store *x = &a->stores[k], *y = &b->stores[k];
        same = x->buffer == y->buffer && sym_same(x->index, y->index) &&
               x->value.id == y->value.id && x->reduce == y->reduce && x->mode == y->mode &&
               x->scan == y->scan;
    }
    return same;
}

static bool is_rewritten(const sched_schedule *s, const sched_nest *n)
{
    return !same_nest(&n->nest, &s->program->ops.at[n->op]);
}

/* The nest as loop/ prints it, each line six blanks in but the first. */
static void print_nest(const sched_schedule *s, const loop_op *nest, text *out)
{
    text body;
    text_init(&body, s->memory);
    loop_print_op(s->program, nest, &body);
    for (const char *at = body.at; *at; at++) {
        text_char(out, *at);
        if (*at == '\n' && at[1]) text_add(out, "    ");
    }
}

static void print_phase(const sched_schedule *s, const sched_group *g, const sched_phase *phase,
                        text *out)
{
    bool is_short = true;
    text_add(out, "  phase");
    if (phase->inner_axes) {
        text_add(out, " inner ");
        print_loops(s, 'i', g->outer, phase->extents, phase->inner_axes, out);
    }
    if (phase->reduce_axes) {
        text_add(out, " reduce ");
        print_loops(s, 'r', 0, phase->reduce_extents, phase->reduce_axes, out);
    }
    for (uint32_t i = 0; i < phase->nest_count; i++) is_short &= !is_rewritten(s, &phase->nests[i]);
    text_add(out, is_short ? " {" : " {\n");
    for (uint32_t i = 0; i < phase->nest_count; i++) {
        text_printf(out, "%sop %u", is_short ? " " : "    ", phase->nests[i].op);
        if (is_short) continue;
        text_char(out, is_rewritten(s, &phase->nests[i]) ? ' ' : '\n');
        if (is_rewritten(s, &phase->nests[i])) print_nest(s, &phase->nests[i].nest, out);
    }
    text_add(out, is_short ? " }\n" : "  }\n");
}

static const char *name_of(const sched_schedule *s, loop_buffer_id id)
{
    return s->program->buffers.at[id].name;
}

static void print_group(const sched_schedule *s, uint32_t index, text *out)
{
    const sched_group *g = &s->groups.at[index];
    text_printf(out, "group %u %s", index, group_kinds[g->kind]);
    if (g->kind != SCHED_KERNEL) text_printf(out, " op %u", g->extern_op);
    if (g->kind == SCHED_EXTERN) text_printf(out, " %s", s->program->ops.at[g->extern_op].kernel);
    if (g->kind == SCHED_CONTROL)
        text_printf(out, " %s", loop_control_name(s->program->ops.at[g->extern_op].control));
    if (g->phase_count) {
        text_add(out, g->kind == SCHED_KERNEL ? " outer " : " epilogue outer ");
        print_loops(s, 'i', 0, g->outer_extents, g->outer, out);
        text_char(out, ' ');
        sched_print_variant(&g->variant, out);
    }
    text_char(out, '\n');
    for (uint32_t i = 0; i < g->phase_count; i++) print_phase(s, g, &g->phases[i], out);
    if (g->local_count) {
        text_add(out, "  local");
        for (uint32_t i = 0; i < g->local_count; i++)
            text_printf(out, " @%s", name_of(s, g->locals[i]));
        text_char(out, '\n');
    }
    for (uint32_t i = 0; i < g->reuse_count; i++)
        text_printf(out, "  in_place @%s -> @%s\n", name_of(s, g->reuses[i].from),
                    name_of(s, g->reuses[i].to));
}

/* Lives of temps that have memory of their own; that of locals is inside their kernel. */
static void print_lives(const sched_schedule *s, text *out)
{
    const loop_program *p = s->program;
    bool *is_local = NEW_ARRAY(s->memory, bool, p->buffers.count + 1);
    for (uint32_t g = 0; g < s->groups.count; g++)
        for (uint32_t i = 0; i < s->groups.at[g].local_count; i++)
            is_local[s->groups.at[g].locals[i]] = true;
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) {
        const sched_life *life = &s->lives[b];
        bool is_given = p->buffers.at[life->root].kind == LOOP_INPUT;
        if (p->buffers.at[b].kind != LOOP_TEMP && !p->buffers.at[b].donated) continue;
        if (is_local[b] || life->birth == life->death) continue;
        text_printf(out, "live @%s [%u, %u)", name_of(s, b), life->birth, life->death);
        if (life->root != b) text_printf(out, " in @%s", name_of(s, life->root));
        if (!sym_is_none(life->place)) {
            text_add(out, " at ");
            sym_print(p->symbols, life->place, out);
        }
        if (!life->in_arena) text_add(out, is_given ? " donated" : " output");
        if (life->else_in != LOOP_NO_BUFFER)
            text_printf(out, " else in @%s", name_of(s, life->else_in));
        text_char(out, '\n');
    }
}

void sched_print(const sched_schedule *s, text *out)
{
    loop_print(s->program, out);
    text_add(out, "schedule\n");
    if (s->order.peak)
        text_printf(out, "order peak %lld bound %lld\n", (long long)s->order.peak,
                    (long long)s->order.bound);
    for (uint32_t g = 0; g < s->groups.count; g++) print_group(s, g, out);
    for (uint32_t i = 0; i < s->refusals.count; i++)
        text_printf(out, "refuse %u %u %s\n", s->refusals.at[i].producer,
                    s->refusals.at[i].consumer, sched_reason_name(s->refusals.at[i].reason));
    print_lives(s, out);
}
