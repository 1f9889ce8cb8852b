/* print.c -- the schedule as text. */
#include "sched/sched.h"

static const char *const reasons[SCHED_REASON_COUNT] = {
    [SCHED_FUSED] = "fused", [SCHED_NOT_NEST] = "not_nest", [SCHED_NO_SHARED_DATA] = "no_shared_data",
    [SCHED_NOT_SAME_OUTER] = "not_same_outer", [SCHED_NOT_SAME_INDEX] = "not_same_index", [SCHED_CYCLE] = "cycle",
    [SCHED_MUTATION] = "mutation", [SCHED_FEW_ROWS] = "few_rows", [SCHED_TOO_LARGE] = "too_large",
    [SCHED_RAISES_PEAK] = "raises_peak",
};

const char *sched_reason_name(sched_reason r)
{
    return r < SCHED_REASON_COUNT ? reasons[r] : "?";
}

static void print_loops(const sched_schedule *s, char letter, uint32_t first, const sym_expr *extents, uint32_t count, text *out)
{
    text_char(out, '[');
    for (uint32_t k = 0; k < count; k++) {
        text_printf(out, "%s%c%u < ", k ? ", " : "", letter, first + k);
        sym_print(s->program->symbols, extents[k], out);
    }
    text_char(out, ']');
}

static void print_phase(const sched_schedule *s, const sched_group *g, const sched_phase *phase, text *out)
{
    text_add(out, "  phase");
    if (phase->inner_axes) {
        text_add(out, " inner ");
        print_loops(s, 'i', g->outer, phase->extents, phase->inner_axes, out);
    }
    if (phase->reduce_axes) {
        text_add(out, " reduce ");
        print_loops(s, 'r', 0, phase->reduce_extents, phase->reduce_axes, out);
    }
    text_add(out, " {");
    for (uint32_t i = 0; i < phase->nest_count; i++)
        text_printf(out, " op %u", phase->nests[i].op);
    text_add(out, " }\n");
}

static void print_group(const sched_schedule *s, uint32_t index, text *out)
{
    static const char *const kinds[] = {[SCHED_KERNEL] = "kernel", [SCHED_EXTERN] = "extern", [SCHED_ASSERT] = "assert"};
    const sched_group *g = &s->groups.at[index];
    text_printf(out, "group %u %s", index, kinds[g->kind]);
    if (g->kind != SCHED_KERNEL) text_printf(out, " op %u", g->extern_op);
    if (g->kind == SCHED_EXTERN) text_printf(out, " %s", s->program->ops.at[g->extern_op].kernel);
    if (g->phase_count) {
        text_add(out, g->kind == SCHED_KERNEL ? " outer " : " epilogue outer ");
        print_loops(s, 'i', 0, g->outer_extents, g->outer, out);
        text_add(out, g->vector == SCHED_VECTOR_OUTER ? " vector outer" : " vector inner");
    }
    text_char(out, '\n');
    for (uint32_t i = 0; i < g->phase_count; i++)
        print_phase(s, g, &g->phases[i], out);
    if (g->local_count) {
        text_add(out, "  local");
        for (uint32_t i = 0; i < g->local_count; i++)
            text_printf(out, " @%s", s->program->buffers.at[g->locals[i]].name);
        text_char(out, '\n');
    }
    if (g->in_place_from != LOOP_NO_BUFFER)
        text_printf(out, "  in_place @%s -> @%s\n", s->program->buffers.at[g->in_place_from].name,
                    s->program->buffers.at[g->in_place_to].name);
}

void sched_print(const sched_schedule *s, text *out)
{
    for (uint32_t g = 0; g < s->groups.count; g++)
        print_group(s, g, out);
    for (uint32_t i = 0; i < s->refusals.count; i++)
        text_printf(out, "refuse %u %u %s\n", s->refusals.at[i].producer, s->refusals.at[i].consumer,
                    sched_reason_name(s->refusals.at[i].reason));
    for (loop_buffer_id b = 0; b < s->program->buffers.count; b++) {
        const sched_life *life = &s->lives[b];
        if (!life->in_arena) continue;
        text_printf(out, "live @%s [%u, %u)", s->program->buffers.at[b].name, life->birth, life->death);
        if (life->root != b) text_printf(out, " in @%s", s->program->buffers.at[life->root].name);
        text_char(out, '\n');
    }
}
