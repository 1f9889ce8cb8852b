/* replan.c -- src/plan/replan.h: how long planning again takes and how near the bound it comes, over kinds of
 * random lives and sizes. UNIT_PLACE=1 in the environment prints both for a few thousand of each kind,
 * and for the programs in the folder that UNIT_ARCHIVES names, each at many sizes.
 */
#include "archives.h"
#include "cuts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 100, RUNS = 5, MOST_SAMPLES = 1 << 16 };

/* ---- what is measured ---- */

typedef struct samples {
    double *ratio, *us;
    uint32_t count;
    uint32_t slow;       /* took longer than 20 us for each hundred blocks */
    uint32_t impossible; /* more than 1 % over the bound, as every plan for them */
    bool proves;         /* where that is asked */
} samples;

static samples samples_new(arena *memory)
{
    return (samples){.ratio = NEW_ARRAY(memory, double, MOST_SAMPLES),
                     .us = NEW_ARRAY(memory, double, MOST_SAMPLES),
                     .proves = getenv("UNIT_PLACE")};
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double quantile(const double *sorted, uint32_t count, double part)
{
    return count ? sorted[(uint32_t)((count - 1) * part)] : 0;
}

static uint32_t above(const double *values, uint32_t count, double limit)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) found += values[i] > limit;
    return found;
}

/* What a kind came to; sorts. */
static void show(const char *kind, samples *s)
{
    double sum = 0;
    qsort(s->us, s->count, sizeof *s->us, ascending);
    qsort(s->ratio, s->count, sizeof *s->ratio, ascending);
    for (uint32_t i = 0; i < s->count; i++) sum += s->us[i];
    if (getenv("UNIT_PLACE"))
        printf("%-20s %5u: us mean %6.2f median %6.2f 99%% %6.2f worst %6.2f, over 20 a hundred "
               "blocks: "
               "%u; ratio 99%% %.4f worst %.4f, over 1%%: %u, %u of them as any plan\n",
               kind, s->count, s->count ? sum / s->count : 0, quantile(s->us, s->count, 0.5),
               quantile(s->us, s->count, 0.99), quantile(s->us, s->count, 1), s->slow,
               quantile(s->ratio, s->count, 0.99), quantile(s->ratio, s->count, 1),
               above(s->ratio, s->count, 1.01), s->impossible);
}

/* Whether search can prove that no plan is within 1 % of the bound. */
static fe_status is_impossible(fe_session *session, arena *memory, const plan_buffer *buffers,
                               uint32_t count, int64_t bound, bool *proven)
{
    plan_result plan;
    plan_options options = {.work = 60000};
    FE_TRY(plan_offsets(session, memory, buffers, count, &options, &plan));
    *proven = plan.optimal && (double)plan.height > 1.01 * (double)bound;
    return FE_OK;
}

/* Plans for these sizes; where time matters, the least of several runs. */
static fe_status measure(fe_session *session, arena *memory, const plan_template *t,
                         const plan_buffer *buffers, samples *s)
{
    uint32_t count = t->buffer_count;
    int64_t *size = NEW_ARRAY(memory, int64_t, count + 1),
            *shift = NEW_ARRAY(memory, int64_t, count + 1),
            *offsets = NEW_ARRAY(memory, int64_t, count + 1), bound;
    for (uint32_t i = 0; i < count; i++) {
        size[i] = buffers[i].size;
        shift[i] = buffers[i].group_offset;
    }
    plan_sizes sizes = {.size = size, .shift = shift, .alignment = PLAN_ALIGNMENT};
    plan_result plan = {.count = count, .offsets = offsets};
    void *scratch = arena_alloc(memory, plan_replan_scratch(t));
    double least = 1;
    for (int run = 0; run < (getenv("UNIT_PLACE") ? RUNS : 1); run++) {
        double start = clock_thread_seconds();
        plan.height = plan_replan(t, &sizes, scratch, offsets, &bound);
        double seconds = clock_thread_seconds() - start;
        if (seconds < least) least = seconds;
    }
    double ratio = bound ? (double)plan.height / (double)bound : 1;
    uint32_t blocks = t->block_count > 100 ? t->block_count : 100;
    if (s->count < MOST_SAMPLES) {
        s->us[s->count] = least * 1e6;
        s->ratio[s->count++] = ratio;
        s->slow += least * 1e6 > 0.2 * blocks;
    }
    if (ratio > 1.01 && s->proves) {
        bool proven;
        FE_TRY(is_impossible(session, memory, buffers, count, bound, &proven));
        s->impossible += proven;
    }
    return plan_verify(session, buffers, count, NULL, &plan);
}

/* ---- kinds of lives and sizes ---- */

/* Lives and sizes that have nothing to do with each other. */
static void make_any(dice *d, plan_buffer *buffers)
{
    for (uint32_t i = 0; i < BUFFERS; i++) {
        int32_t birth = (int32_t)roll(d, 100);
        buffers[i] = (plan_buffer){.birth = birth,
                                   .death = birth + 1 + (int32_t)roll(d, 100 - (uint32_t)birth)};
        buffers[i].size = 1 + roll(d, roll(d, 4) ? 20000 : 400000);
    }
}

static int32_t life(dice *d)
{
    uint32_t kind = roll(d, 10);
    return 1 + (int32_t)(kind < 7 ? 1 + roll(d, 2) : kind < 9 ? roll(d, 12) : roll(d, 60));
}

/* A program's: one value a step, most read soon, some late; a few sizes that are powers of a symbol times a
 * number of channels. */
static void make_net(dice *d, plan_buffer *buffers)
{
    int64_t n = 1 + roll(d, 200);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        int32_t birth = (int32_t)(i * 3 / 4);
        int64_t channels = 4 * ((int64_t)1 << roll(d, 9));
        uint32_t power = roll(d, 6);
        buffers[i] = (plan_buffer){.birth = birth, .death = birth + life(d)};
        buffers[i].size = channels * (power == 0 ? 64 : power == 1 ? n * n : n);
    }
}

/* Several of one size, lives that overlap much. */
static void make_few_sizes(dice *d, plan_buffer *buffers)
{
    make_any(d, buffers);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        buffers[i].size = 1000 * (1 + roll(d, 7));
        if (roll(d, 3)) buffers[i].death = buffers[i].birth + 1 + (int32_t)roll(d, 10);
    }
}

/* Parts that are written where the whole will be. */
static void make_groups(dice *d, plan_buffer *buffers)
{
    make_net(d, buffers);
    for (uint32_t i = 0; i + 3 < BUFFERS; i += 1 + roll(d, 9)) {
        plan_buffer *whole = &buffers[i + 2];
        for (uint32_t k = i; k < i + 3; k++) buffers[k].group = i + 1;
        buffers[i + 1].group_offset = (buffers[i].size + 63) / 64 * 64;
        whole->size = buffers[i + 1].group_offset + buffers[i + 1].size;
        buffers[i].death = buffers[i + 1].death = whole->birth + 1;
        i += 2;
    }
}

/* A rectangle cut into others: a plan without gaps exists. */
static void cut(dice *d, plan_buffer whole, uint32_t pieces, plan_buffer *out, uint32_t *count)
{
    int64_t life = whole.death - whole.birth;
    if (pieces == 1 || (life < 2 && whole.size < 2)) {
        out[(*count)++] = whole;
        return;
    }
    plan_buffer rest = whole;
    uint32_t share = 1 + roll(d, pieces - 1);
    if (life > 1 && (whole.size < 2 || roll(d, 2))) {
        rest.birth = whole.death = whole.birth + 1 + (int32_t)roll(d, (uint32_t)life - 1);
    } else {
        whole.size = 1 + roll(d, (uint32_t)whole.size - 1);
        rest.size -= whole.size;
    }
    cut(d, whole, share, out, count);
    cut(d, rest, pieces - share, out, count);
}

static void make_cut(dice *d, plan_buffer *buffers)
{
    uint32_t count = 0;
    cut(d, (plan_buffer){.size = 20000, .death = 100}, BUFFERS, buffers, &count);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        if (i >= count) buffers[i] = (plan_buffer){.death = 1};
        buffers[i].size *= 64;
    }
}

/* Perfect plans of which no two blocks need fit each other. */
static void make_round(dice *d, plan_buffer *buffers)
{
    uint32_t count = 1;
    buffers[0] = (plan_buffer){.size = 20000, .death = 100};
    for (int tries = 0; tries < 1000 && count + 4 <= BUFFERS; tries++)
        if (cut_round(d, &buffers[roll(d, count)], buffers + count)) count += 4;
    for (uint32_t i = 0; i < BUFFERS; i++) {
        if (i >= count) buffers[i] = (plan_buffer){.death = 1};
        buffers[i].size *= 64;
    }
}

static const struct {
    const char *name;
    void (*make)(dice *, plan_buffer *);
    double far; /* most of them that may be more than 1 % above the bound */
} KINDS[] = {
    {"any", make_any, 0.01},       {"net", make_net, 0.01}, {"few sizes", make_few_sizes, 0.01},
    {"groups", make_groups, 0.01}, {"cut", make_cut, 0.01}, {"cut round", make_round, 0.7}};

SESSION_TEST(replan_is_near_the_bound_in_microseconds)
{
    int rounds = getenv("UNIT_PLACE") ? 2000 : 100;
    for (size_t k = 0; k < COUNT_OF(KINDS); k++) {
        dice d = {k + 7};
        samples s = samples_new(session->memory);
        for (int round = 0; round < rounds; round++) {
            arena *memory = arena_new(session);
            plan_buffer buffers[BUFFERS];
            plan_template t;
            KINDS[k].make(&d, buffers);
            plan_template_make(memory, buffers, BUFFERS, &t);
            FE_TRY(measure(session, memory, &t, buffers, &s));
            arena_free(memory);
        }
        show(KINDS[k].name, &s);
        EXPECT(above(s.ratio, s.count, 1.01) <= KINDS[k].far * s.count);
    }
    return FE_OK;
}

/* ---- programs ---- */

static struct {
    samples s;
    dice d;
} programs;

/* Each symbol so many times its example, or where its range begins or ends. */
typedef struct lot {
    const sym_table *symbols;
    uint64_t seed;
} lot;

static bool draw(void *data, sym_expr symbol, int64_t *value)
{
    const lot *l = data;
    dice d = {l->seed + symbol.id * 7919u};
    static const double scales[] = {0.1, 0.25, 0.5, 0.75, 1, 1.3, 1.5, 2, 3, 5, 8, 16};
    int64_t least, most;
    roll(&d, 2);
    sym_range(l->symbols, symbol, NULL, &least, &most);
    *value =
        (int64_t)((double)sym_hint(l->symbols, symbol, 64) * scales[roll(&d, COUNT_OF(scales))]) +
        (roll(&d, 4) == 0);
    *value = *value < least ? least : *value > most ? most : *value;
    return true;
}

/* False where sizes do not fit. */
static bool drawn(const wrap_program *w, const wrap_layout *layout, lot *l, plan_buffer *intervals)
{
    for (uint32_t k = 0; k < layout->count; k++) {
        sym_expr shift = wrap_shift(w, layout->buffers[k]);
        plan_buffer *interval = &intervals[k];
        *interval = layout->intervals[k];
        interval->group_offset = 0;
        if (!sym_eval(l->symbols, w->storage[layout->buffers[k]].bytes, draw, l, &interval->size) ||
            interval->size > (int64_t)1 << 44)
            return false;
        if (interval->size < 0) interval->size = 0;
        if (interval->group && !sym_is_none(shift) &&
            (!sym_eval(l->symbols, shift, draw, l, &interval->group_offset) ||
             interval->group_offset < 0 || interval->group_offset > (int64_t)1 << 44))
            return false;
    }
    return true;
}

static fe_status measure_program(fe_session *session, driver_program *p)
{
    const wrap_program *w = p->wrapper;
    for (uint32_t k = 0; k < w->segment_count; k++) {
        const wrap_layout *layout = &w->layouts[k];
        if (wrap_is_fixed(w, k) || layout->held_count) continue;
        plan_buffer *intervals = NEW_ARRAY(session->memory, plan_buffer, layout->count + 1);
        for (int round = 0; round < 30; round++) {
            lot l = {w->loops->symbols, (uint64_t)round * 104729};
            arena *memory = arena_new(session);
            uint32_t before = programs.s.count;
            if (drawn(w, layout, &l, intervals))
                FE_TRY(measure(session, memory, &layout->lives, intervals, &programs.s));
            if (programs.s.count > before && getenv("UNIT_PLACE") &&
                (programs.s.us[before] > 0.2 * layout->lives.block_count + 20 ||
                 programs.s.ratio[before] > 1.01))
                printf("%s: %u blocks, %u stretches, %u sections: %.2f us, %.6f\n",
                       p->options.input, layout->lives.block_count, layout->lives.stretch_count,
                       layout->lives.section_count, programs.s.us[before],
                       programs.s.ratio[before]);
            arena_free(memory);
        }
    }
    return FE_OK;
}

SESSION_TEST(replan_of_programs_is_near_the_bound)
{
    programs.s = samples_new(session->memory);
    programs.s.proves = true;
    unit_each_archive(STAGE_WRAP, measure_program);
    show("programs", &programs.s);
    EXPECT_INT(above(programs.s.ratio, programs.s.count, 1.01), programs.s.impossible);
    return FE_OK;
}
