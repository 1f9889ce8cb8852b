/* region.c -- the lines of regions: which line to go on with.
 *
 * Partners: of an if its else or, without one, its end; of an else its end; of a repeat its end, and
 * the other way round; of a while the end of the repeat that it leaves. The end of an if has none.
 */
#include "exec/exec_priv.h"

enum { NO_PARTNER = -1 };

void exec_find_partners(exec_program *x)
{
    const wrap_program *w = x->w;
    uint32_t *open = NEW_ARRAY(x->memory, uint32_t, w->lines.count + 1), depth = 0;
    for (uint32_t i = 0; i < w->lines.count; i++) {
        wrap_kind kind = w->lines.at[i].kind;
        x->steps[i].partner = (uint32_t)NO_PARTNER;
        if (kind == WRAP_IF || kind == WRAP_REPEAT || kind == WRAP_WHILE) open[depth++] = i;
        if (kind == WRAP_ELSE) {
            x->steps[open[depth - 1]].partner = i;
            open[depth - 1] = i;
        }
        if (kind != WRAP_END) continue;
        while (w->lines.at[open[depth - 1]].kind == WRAP_WHILE) x->steps[open[--depth]].partner = i;
        depth--;
        x->steps[open[depth]].partner = i;
        if (w->lines.at[open[depth]].kind == WRAP_REPEAT) x->steps[i].partner = open[depth];
    }
}

static bool test(const exec_run *r, const loop_op *op)
{
    if (op->input_count == 0) return exec_number(r, op->expr) != 0;
    const uint8_t *at = r->buffers[op->inputs[0].buffer];
    return at[exec_number(r, op->inputs[0].offset)] != 0;
}

/* Into the next step of the repeat that begins in line `begin`, or behind its end. */
static void go_on(exec_run *r, uint32_t begin, uint32_t *next)
{
    const loop_op *op = r->w->lines.at[begin].op;
    const exec_step *step = &r->x->steps[begin];
    bool counts = !sym_is_none(op->symbol);
    *next = begin + 1;
    if (!counts) return;
    if (r->counters[begin] >= exec_number(r, op->ints[0]))
        *next = step->partner + 1;
    else
        r->f->symbols[step->symbol] = r->counters[begin];
}

int exec_region(exec_run *r, const wrap_line *line, uint32_t *next)
{
    uint32_t partner = r->step->partner, here = *next - 1;
    switch (line->kind) {
    case WRAP_IF:
        if (!test(r, line->op)) *next = partner + 1;
        break;
    case WRAP_ELSE: *next = partner + 1; break;
    case WRAP_REPEAT:
        r->counters[here] = 0;
        go_on(r, here, next);
        break;
    case WRAP_WHILE:
        if (!test(r, line->op)) *next = partner + 1;
        break;
    default:
        if (partner == (uint32_t)NO_PARTNER) break;
        r->counters[partner]++;
        go_on(r, partner, next);
        break;
    }
    return 0;
}
