/* plan_view.c -- see plan_view.h. The text:
 *
 *     plan small: arena 4096 bytes, bound 3840, 3840 in use at once (step 2), 3 buffers, order proven least
 *     step 0 live 1024 linear (fc1)
 *     ...
 *     @buf3 live [0, 3) at 1024 bytes 1024 peak
 *
 * "order proven least": no order of the steps has less in use at once; "order best found (3840, none below
 * 3584)": none that was tried, and it is proven that none is below 3584. Both speak of what lies in the
 * arena, not in memory of outputs and donated inputs, and of the example's sizes.
 */
#include "driver/report/plan_view.h"

#include <string.h>

/* ---- steps ---- */

static const char *step_name(const wrap_program *w, const wrap_line *line, const char *note)
{
    if (wrap_is_control(line->kind) || line->kind == WRAP_PARTITION)
        return wrap_kind_name(line->kind);
    switch (line->kind) {
    case WRAP_ASSERT: return "assert";
    case WRAP_SYMBOL: return sym_name(w->loops->symbols, line->symbol);
    case WRAP_KERNEL: return note ? note : line->call.kernel;
    default: return note ? note : line->op->kernel;
    }
}

static void collect_steps(plan_view *v, arena *memory)
{
    const wrap_program *w = v->w;
    const char *note = NULL;
    v->steps = NEW_ARRAY(memory, plan_step, w->lines.count + 1);
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_line *line = &w->lines.at[i];
        if (line->kind == WRAP_COMMENT) note = line->text;
        if (!wrap_is_step(line)) continue;
        v->steps[v->step_count].what = step_name(w, line, note);
        v->steps[v->step_count++].line = line;
        if (line->kind == WRAP_KERNEL || line->kind == WRAP_EXTERN) note = NULL;
    }
}

/* ---- blocks ---- */

/* For the example's sizes; the most where there is room for that. */
static int64_t bytes_of(const plan_view *v, loop_buffer_id id)
{
    int64_t bytes;
    if (v->w->is_bounded && wrap_largest_bytes(v->w, id, &bytes)) return bytes;
    return sym_usual(v->w->loops->symbols, v->w->storage[id].bytes);
}

static const char *note_of(driver_program *d, const loop_buffer *buffer, arena *memory)
{
    const char *note = driver_note(d, buffer->origin);
    return note && buffer->is_work ? arena_printf(memory, "working memory of %s", note) : note;
}

static void collect_blocks(plan_view *v, driver_program *d, arena *memory)
{
    const wrap_program *w = v->w;
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        const sched_life *life = &w->storage[id].life;
        const loop_buffer *buffer = &w->loops->buffers.at[id];
        uint32_t death = life->death < v->step_count ? life->death : v->step_count;
        if (!life->in_arena || life->birth >= death) continue;
        vec_push(memory, &v->blocks,
                 ((plan_block){buffer->name, life->birth, death, w->storage[id].offset,
                               bytes_of(v, id), id, life->root, w->storage[id].segment,
                               note_of(d, buffer, memory), driver_source(d, buffer->origin)}));
    }
}

/* Places for the example's sizes. */
static void place_blocks(plan_view *v, arena *memory)
{
    wrap_example example;
    wrap_place_example(v->w, memory, &example);
    for (uint32_t i = 0; i < v->blocks.count; i++)
        v->blocks.at[i].offset = wrap_example_offset(v->w, &example, v->blocks.at[i].buffer);
    v->arena_bytes = example.bytes;
    v->bound = example.bound;
    v->of_example = v->w->is_dynamic || v->w->segment_count > 1;
}

/* ---- what is in use ---- */

enum { UNIT = PLAN_ALIGNMENT };

typedef struct reach {
    int64_t low, high;
    uint32_t step; /* + 1, that these belong to */
} reach;

/* Blocks by the step that they begin with: those of step t are at[first[t]] on. */
static uint32_t *index_births(const plan_view *v, uint32_t *first, arena *memory)
{
    uint32_t *at = NEW_ARRAY(memory, uint32_t, v->blocks.count + 1);
    for (uint32_t i = 0; i < v->blocks.count; i++) first[v->blocks.at[i].birth + 2]++;
    for (uint32_t t = 2; t < v->step_count + 2; t++) first[t] += first[t - 1];
    for (uint32_t i = 0; i < v->blocks.count; i++) at[first[v->blocks.at[i].birth + 1]++] = i;
    return at;
}

static int64_t units_of(const reach *r)
{
    return r->high > r->low ? (r->high + UNIT - 1) / UNIT * UNIT - r->low / UNIT * UNIT : 0;
}

static void measure(plan_view *v, arena *memory)
{
    reach *of = NEW_ARRAY(memory, reach, v->w->loops->buffers.count + 1);
    uint32_t *first = NEW_ARRAY(memory, uint32_t, v->step_count + 3);
    const uint32_t *births = index_births(v, first, memory);
    VEC(uint32_t) alive = {0};
    int64_t least = 0; /* bytes of whole units */
    for (uint32_t step = 0; step < v->step_count; step++) {
        int64_t live = 0, units = 0;
        uint32_t kept = 0;
        for (uint32_t i = first[step]; i < first[step + 1]; i++)
            vec_push(memory, &alive, births[i]);
        for (uint32_t i = 0; i < alive.count; i++) {
            const plan_block *b = &v->blocks.at[alive.at[i]];
            reach *r = &of[b->root];
            if (step >= b->death) continue;
            alive.at[kept++] = alive.at[i];
            if (r->step != step + 1) *r = (reach){b->offset, b->offset, step + 1};
            int64_t before = r->high - r->low, units_before = units_of(r);
            if (b->offset < r->low) r->low = b->offset;
            if (b->offset + b->bytes > r->high) r->high = b->offset + b->bytes;
            live += r->high - r->low - before;
            units += units_of(r) - units_before;
        }
        alive.count = kept;
        v->steps[step].live = live;
        if (units > least) least = units;
        if (live <= v->most) continue;
        v->most = live;
        v->peak = step;
    }
    if (v->w->segment_count > 1) v->bound = least;
}

fe_status plan_view_of(driver_program *d, arena *memory, plan_view *out)
{
    *out = (plan_view){.w = d->wrapper,
                       .sizes_are_given = d->options.sizes != NULL,
                       .order = d->schedule ? d->schedule->order : (sched_order){0},
                       .arena_bytes = d->wrapper->arena_bytes};
    collect_steps(out, memory);
    collect_blocks(out, d, memory);
    place_blocks(out, memory);
    measure(out, memory);
    return FE_OK;
}

/* ---- text ---- */

/* What lies in the memory of inputs. */
static void print_donated(const plan_view *v, text *out)
{
    const loop_program *p = v->w->loops;
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) {
        const sched_life *life = &v->w->storage[id].life;
        sym_expr at = wrap_begin(v->w, id);
        loop_buffer_id input = wrap_lender(v->w, id);
        if (p->buffers.at[id].kind != LOOP_TEMP || input == LOOP_NO_BUFFER) continue;
        text_printf(out, "@%s live [%u, %u) at ", p->buffers.at[id].name, life->birth, life->death);
        sym_print(p->symbols, at, out);
        text_add(out, " bytes ");
        sym_print(p->symbols, v->w->storage[id].bytes, out);
        text_printf(out, " in input @%s%s\n", p->buffers.at[input].name,
                    wrap_is_given(v->w, id) ? "" : ", if no memory is given");
    }
}

/* arena N bytes + M a thread + donated L */
static void print_beside(const plan_view *v, text *out)
{
    int64_t bytes = wrap_donated_bytes(v->w);
    if (v->w->scratch_bytes) text_printf(out, " + %lld a thread", (long long)v->w->scratch_bytes);
    if (bytes > 0) text_printf(out, " + donated %lld", (long long)bytes);
    if (bytes < 0) text_add(out, " + donated inputs");
}

static void print_order(const plan_view *v, text *out)
{
    if (!v->order.peak || v->sizes_are_given) return;
    if (v->order.peak == v->order.bound)
        text_add(out, ", order proven least");
    else if (!v->order.bound)
        text_add(out, ", order best found");
    else
        text_printf(out, ", order best found (%lld, none below %lld)", (long long)v->order.peak,
                    (long long)v->order.bound);
}

void plan_view_text(const plan_view *v, text *out)
{
    const sym_table *t = v->w->loops->symbols;
    text_printf(out, "plan %s: arena %lld bytes", v->w->name, (long long)v->arena_bytes);
    print_beside(v, out);
    text_printf(out, ", bound %lld, %lld in use at once (step %u), %u buffers", (long long)v->bound,
                (long long)v->most, v->peak, v->blocks.count);
    print_order(v, out);
    text_printf(out, "%s\n",
                v->of_example ? v->sizes_are_given ? "; for the sizes that were given"
                                                   : "; for the sizes of the example"
                              : "");
    for (uint32_t i = 0; i < v->step_count; i++)
        text_printf(out, "step %u live %lld %s\n", i, (long long)v->steps[i].live,
                    v->steps[i].what);
    for (uint32_t i = 0; i < v->blocks.count; i++) {
        const plan_block *b = &v->blocks.at[i];
        text_printf(out, "@%s live [%u, %u) at %lld bytes %lld", b->name, b->birth, b->death,
                    (long long)b->offset, (long long)b->bytes);
        if (!sym_is_int(t, v->w->storage[b->buffer].bytes, NULL)) {
            text_add(out, " = ");
            sym_print(t, v->w->storage[b->buffer].bytes, out);
        }
        if (b->root != b->buffer)
            text_printf(out, " in @%s", v->w->loops->buffers.at[b->root].name);
        if (b->segment) text_printf(out, " segment %u", b->segment);
        text_add(out, v->peak >= b->birth && v->peak < b->death ? " peak\n" : "\n");
    }
    print_donated(v, out);
}
