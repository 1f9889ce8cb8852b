/* check_region.c -- law L9: regions nest, and what is written or defined in one. */
#include "loop/check_priv.h"

/* What has been written since the list was so long counts as unwritten. */
static void forget_written(loop_checking *c, uint32_t since)
{
    for (uint32_t k = since; k < c->journal.count; k++) c->written[c->journal.at[k]] = 0;
    c->journal.count = since;
}

static fe_status check_test(loop_checking *c, const loop_op *op)
{
    if (!loop_control_tests(op->control)) return FE_OK;
    if (op->input_count == 0) return loop_check_expr(c, op->expr);
    FE_TRY(loop_check_view(c, &op->inputs[0]));
    if (op->inputs[0].dtype != TY_BOOL || op->inputs[0].rank != 0)
        return loop_broken(c, "L9", "what is tested is no single bool");
    return loop_check_read(c, op->inputs[0].buffer);
}

/* The numbers of all steps are in the range of their symbol. */
static fe_status check_steps(loop_checking *c, const loop_op *op)
{
    int64_t min, max, least, steps;
    const sym_table *t = c->p->symbols;
    if (sym_is_none(op->symbol)) return FE_OK;
    sym_range(t, op->symbol, NULL, &min, &max);
    sym_range(t, op->ints[0], NULL, &least, &steps);
    if (min <= 0 && (max >= SYM_NO_MAX - 1 || steps - 1 <= max)) return FE_OK;
    return loop_broken(c, "L6", "the steps leave the range of %s", sym_name(t, op->symbol));
}

static fe_status begin_region(loop_checking *c, const loop_op *op)
{
    FE_TRY(loop_check_exprs(c, op->ints, op->int_count));
    FE_TRY(check_steps(c, op));
    vec_push(c->p->memory, &c->regions,
             (loop_region){.begin = op,
                           .journal = c->journal.count,
                           .defined = c->defined.count,
                           .given = c->given.count,
                           .choices = c->choices.count});
    if (!sym_is_none(op->symbol)) {
        loop_note_defined(c, op->symbol);
        loop_note_relation(c, &(sym_relation){op->symbol, op->ints[0], SYM_LT});
    }
    for (uint32_t k = 0; k < op->output_count; k++) {
        FE_TRY(loop_check_view(c, &op->outputs[k]));
        if (op->control == LOOP_REPEAT) loop_note_written(c, op->outputs[k].buffer);
    }
    return FE_OK;
}

static fe_status second_arm(loop_checking *c)
{
    loop_region *r = c->regions.count ? &vec_last(&c->regions) : NULL;
    if (!r || r->begin->control != LOOP_IF || r->is_second_arm)
        return loop_broken(c, "L9", "an else without its if");
    r->is_second_arm = true;
    for (uint32_t k = r->journal; k < c->journal.count; k++)
        vec_push(c->p->memory, &r->first, c->journal.at[k]);
    forget_written(c, r->journal);
    loop_forget_defined(c, r->defined);
    c->given.count = r->given;
    c->choices.count = r->choices;
    return FE_OK;
}

static bool wrote(const loop_region *r, loop_buffer_id buffer)
{
    for (uint32_t k = 0; k < r->first.count; k++)
        if (r->first.at[k] == buffer) return true;
    return false;
}

static fe_status end_region(loop_checking *c)
{
    if (c->regions.count == 0) return loop_broken(c, "L9", "an end without its beginning");
    loop_region r = c->regions.at[--c->regions.count];
    const loop_op *op = r.begin;
    if (op->control == LOOP_IF && !r.is_second_arm)
        return loop_broken(c, "L9", "an if without its else");
    for (uint32_t k = 0; k < op->output_count; k++) {
        loop_buffer_id b = op->outputs[k].buffer;
        bool both = c->written[b] && (op->control == LOOP_REPEAT || wrote(&r, b));
        if (!both)
            return loop_broken(c, "L9", "an arm does not write @%s", c->p->buffers.at[b].name);
    }
    forget_written(c, r.journal);
    loop_forget_defined(c, r.defined);
    c->given.count = r.given;
    c->choices.count = r.choices;
    for (uint32_t k = 0; k < op->output_count; k++) loop_note_written(c, op->outputs[k].buffer);
    return FE_OK;
}

fe_status loop_check_control(loop_checking *c, const loop_op *op)
{
    FE_TRY(check_test(c, op));
    switch (op->control) {
    case LOOP_IF:
    case LOOP_REPEAT: return begin_region(c, op);
    case LOOP_ELSE: return second_arm(c);
    case LOOP_END: return end_region(c);
    case LOOP_WHILE:
        if (c->regions.count && vec_last(&c->regions).begin->control == LOOP_REPEAT) return FE_OK;
        return loop_broken(c, "L9", "a while that is not directly in a repeat");
    case LOOP_PARTITION:
        if (c->regions.count == 0) return FE_OK;
        return loop_broken(c, "L9", "a partition that begins in a region");
    case LOOP_CONTROL_COUNT: break;
    }
    return FE_OK;
}
