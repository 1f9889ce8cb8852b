/* shapes.c -- rt/rt_place.c over many shapes: thousands of runs of random programs, each of which looks
 * whether what lives at once lies apart; and how long it takes to find a plan that is there, which
 * UNIT_PLACE=1 prints.
 */
#include "../rt/rt_entry.h"
#include "plan/plan.h"
#include "unit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* What any artifact does with contexts. */
static const rt_program nothing;
RT_ENTRY(shapes_artifact, nothing)

enum { OWN = 30, MOST_HELD = OWN, STEPS = 40, PLACED_AT = 20, RUNS = 2000 };

typedef struct dice {
    uint64_t state;
} dice;

static uint32_t roll(dice *d, uint32_t sides)
{
    d->state = d->state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((d->state >> 33) % sides);
}

/* A buffer's bytes: so many for each value of the first symbol, the second, their product; and some more. */
typedef struct factors {
    int64_t first, second, both, more;
} factors;

/* Two segments, the second of which is placed at a step at which some of the first one's are alive. */
static struct {
    plan_buffer buffers[2][OWN + MOST_HELD];
    factors of[2][OWN];
    plan_template lives[2];
    rt_held held[MOST_HELD];
    uint32_t held_count;
    rt_segment segments[2];
} made;

static int64_t bytes_of(const factors *f, int64_t first, int64_t second)
{
    int64_t sum = fe_plus(fe_times(f->first, first), fe_times(f->second, second));
    return fe_plus(fe_plus(sum, f->more), fe_times(f->both, fe_times(first, second)));
}

/* The first symbol is in the sizes of both segments. */
static int64_t size_of(uint32_t segment, uint32_t k, const int64_t *symbols)
{
    return bytes_of(&made.of[segment][k], symbols[0], symbols[1 + segment]);
}

static void sizes(uint32_t segment, const int64_t *symbols, int64_t *size)
{
    for (uint32_t k = 0; k < OWN; k++) size[k] = size_of(segment, k, symbols);
    for (uint32_t k = 0; segment == 1 && k < made.held_count; k++)
        size[OWN + k] = size_of(0, made.held[k].slot, symbols);
}

static void sizes_0(const rt_segment *segment, const int64_t *symbols, int64_t *size,
                    int64_t *shift)
{
    (void)segment;
    (void)shift;
    sizes(0, symbols, size);
}

static void sizes_1(const rt_segment *segment, const int64_t *symbols, int64_t *size,
                    int64_t *shift)
{
    (void)segment;
    (void)shift;
    sizes(1, symbols, size);
}

static const uint32_t SYMBOLS[] = {0, 1, 0, 1, 2}; /* of the first, of the second */

/* ---- a run looks at where its buffers lie ---- */

typedef struct room {
    const char *from, *to;
    int32_t birth, death;
} room;

static bool meet(const room *a, const room *b)
{
    return a->birth < b->death && b->birth < a->death && a->from < b->to && b->from < a->to;
}

static int look(rt_frame *f)
{
    room rooms[2 * OWN];
    uint32_t count = 0;
    for (uint32_t s = 0; s < 2; s++) {
        const rt_block *block = &f->segments[s];
        for (uint32_t k = 0; k < OWN; k++) {
            int64_t bytes = size_of(s, k, f->symbols);
            if (bytes <= 0) continue;
            const char *at = block->memory + block->offsets[k];
            if (block->offsets[k] < 0 || block->offsets[k] % 64)
                return rt_fail(f, FE_RUN_ASSERTION, "an offset is %lld",
                               (long long)block->offsets[k]);
            if (block->own && block->offsets[k] + bytes > (int64_t)block->bytes)
                return rt_fail(f, FE_RUN_ASSERTION, "a buffer ends behind the memory");
            rooms[count++] =
                (room){at, at + bytes, made.buffers[s][k].birth, made.buffers[s][k].death};
        }
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (meet(&rooms[i], &rooms[k])) return rt_fail(f, FE_RUN_ASSERTION, "two buffers meet");
    return 0;
}

static int run(rt_frame *f)
{
    const int64_t *numbers = f->inputs[0];
    f->symbols[0] = numbers[0];
    f->symbols[1] = numbers[1];
    RT_TRY(rt_place(f, 0));
    if (numbers[2] < 0) return rt_fail(f, FE_RUN_ASSERTION, "below 0");
    f->symbols[2] = numbers[2];
    RT_TRY(rt_place(f, 1));
    return numbers[3] ? 0 : look(f);
}

static const fe_port input = {.name = "numbers",
                              .dtype = FE_I64,
                              .rank = 1,
                              .sizes = (const int64_t[]){4},
                              .strides = (const int64_t[]){1},
                              .shape_text = "[4]"};
static const rt_program program = {.name = "shapes",
                                   .inputs = &input,
                                   .input_count = 1,
                                   .symbol_count = 3,
                                   .segments = made.segments,
                                   .segment_count = 2,
                                   .run = run};

/* ---- making one ---- */

static void make_buffers(dice *d, uint32_t segment, int32_t from)
{
    for (uint32_t k = 0; k < OWN; k++) {
        int32_t birth = from + (int32_t)roll(d, (uint32_t)(STEPS - from));
        uint32_t kind = roll(d, 6);
        made.buffers[segment][k] =
            (plan_buffer){.birth = birth, .death = birth + 1 + (int32_t)roll(d, 12)};
        made.of[segment][k] = (factors){.first = kind < 3 ? 4 * (int64_t)roll(d, 60) : 0,
                                        .second = kind == 2 || kind == 3 ? roll(d, 300) : 0,
                                        .both = kind == 4 ? roll(d, 9) : 0,
                                        .more = kind == 5 ? roll(d, 5000) : 0};
    }
}

static void make_program(fe_session *session, uint64_t seed)
{
    dice d = {seed};
    made.held_count = 0;
    make_buffers(&d, 0, 0);
    make_buffers(&d, 1, PLACED_AT);
    for (uint32_t k = 0; k < OWN; k++) {
        if (made.buffers[0][k].death <= PLACED_AT) continue;
        made.buffers[1][OWN + made.held_count] = made.buffers[0][k];
        made.held[made.held_count++] = (rt_held){.segment = 0, .slot = k};
    }
    plan_template_make(session->memory, made.buffers[0], OWN, &made.lives[0]);
    plan_template_make(session->memory, made.buffers[1], OWN + made.held_count, &made.lives[1]);
    made.segments[0] = (rt_segment){
        .lives = &made.lives[0], .sizes = sizes_0, .symbols = SYMBOLS, .symbol_count = 2};
    made.segments[1] = (rt_segment){.lives = &made.lives[1],
                                    .sizes = sizes_1,
                                    .symbols = SYMBOLS + 2,
                                    .symbol_count = 3,
                                    .held = made.held,
                                    .held_count = made.held_count};
}

/* ---- callers ---- */

typedef struct caller {
    fe_context *context;
    uint64_t seed;
    int wrong; /* runs that were not as they should be */
} caller;

static int call(fe_context *context, const int64_t *numbers)
{
    int64_t count = 4;
    fe_tensor x = {.data = (void *)numbers, .dtype = FE_I64, .rank = 1, .sizes = &count};
    return shapes_artifact()->run(context, &x, 1, NULL, 0);
}

static int64_t pick(dice *d)
{
    return roll(d, 8) ? roll(d, 8) * 5 : roll(d, 300);
}

/* Shapes that come again, new ones, too large ones, and runs that fail in the middle. */
static void *run_many(void *data)
{
    caller *c = data;
    dice d = {c->seed};
    for (int i = 0; i < RUNS; i++) {
        int64_t numbers[] = {pick(&d), pick(&d), pick(&d), 0};
        uint32_t what = roll(&d, 50);
        int wanted = 0;
        if (what == 0) {
            numbers[roll(&d, 2)] = INT64_MAX / 2 + roll(&d, 1000);
            wanted = FE_RUN_NO_MEMORY;
        } else if (what == 1) {
            numbers[2] = -1;
            wanted = FE_RUN_ASSERTION;
        } else if (what == 2) {
            numbers[2] *= 3000;
        }
        int got = call(c->context, numbers);
        if (got == wanted) continue;
        /* what a size is multiplied by may be 0 */
        if (what != 0 || got != 0) c->wrong++;
        if (c->wrong == 1)
            printf("%lld %lld %lld: %s\n", (long long)numbers[0], (long long)numbers[1],
                   (long long)numbers[2], shapes_artifact()->error(c->context));
    }
    return NULL;
}

SESSION_TEST(buffers_lie_apart_in_every_shape)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        make_program(session, seed);
        fe_model model = {.program = &program};
        caller callers[2] = {{.seed = 11 * seed}, {.seed = 13 * seed}};
        pthread_t threads[2];
        for (int k = 0; k < 2; k++)
            EXPECT_INT(shapes_artifact()->context_new(&model, 1, &callers[k].context), 0);
        for (int k = 0; k < 2; k++)
            EXPECT_INT(pthread_create(&threads[k], NULL, run_many, &callers[k]), 0);
        for (int k = 0; k < 2; k++) {
            EXPECT_INT(pthread_join(threads[k], NULL), 0);
            EXPECT_INT(callers[k].wrong, 0);
            shapes_artifact()->context_free(callers[k].context);
        }
    }
    return FE_OK;
}

/* Where a buffer lies does not depend on what was run before. */
SESSION_TEST(offsets_follow_from_sizes_alone)
{
    make_program(session, 5);
    fe_model model = {.program = &program};
    fe_context *old, *new;
    dice d = {3};
    EXPECT_INT(shapes_artifact()->context_new(&model, 1, &old), 0);
    for (int i = 0; i < 200; i++) {
        int64_t numbers[] = {pick(&d), pick(&d), pick(&d), 0};
        EXPECT_INT(shapes_artifact()->context_new(&model, 1, &new), 0);
        EXPECT_INT(call(old, numbers), 0);
        EXPECT_INT(call(new, numbers), 0);
        for (uint32_t k = 0; k < OWN; k++)
            if (!EXPECT(old->segments[0].offsets[k] == new->segments[0].offsets[k])) break;
        shapes_artifact()->context_free(new);
    }
    shapes_artifact()->context_free(old);
    return FE_OK;
}

/* ---- how long it takes ---- */

/* Nanoseconds a call, the least and the median of many batches. */
typedef struct pace {
    double least, median;
} pace;

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

enum { BATCHES = 200, CALLS = 500 };

/* So many shapes in turns: of the look-ups alone, or of whole runs. */
static pace measure(fe_context *context, uint32_t shapes, bool whole)
{
    double ns[BATCHES];
    for (int b = 0; b < BATCHES; b++) {
        int64_t numbers[] = {0, 7, 9, 1};
        rt_frame f = {
            .segments = context->segments, .symbols = context->symbols, .context = context};
        double start = clock_thread_seconds();
        for (uint32_t i = 0; i < CALLS; i++) {
            numbers[0] = i % shapes;
            context->symbols[0] = numbers[0];
            if (whole)
                call(context, numbers);
            else
                rt_place(&f, 0);
        }
        ns[b] = (clock_thread_seconds() - start) / CALLS * 1e9;
    }
    qsort(ns, BATCHES, sizeof *ns, ascending);
    return (pace){ns[0], ns[BATCHES / 2]};
}

SESSION_TEST(plans_that_are_there_are_found_in_nanoseconds)
{
    static const uint32_t shapes[] = {1, 2, 8, 32};
    make_program(session, 7);
    fe_model model = {.program = &program};
    fe_context *context;
    EXPECT_INT(shapes_artifact()->context_new(&model, 1, &context), 0);
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        pace whole = measure(context, shapes[i], true);
        pace place = measure(context, shapes[i], false);
        if (getenv("UNIT_PLACE"))
            printf("%2u shapes in turns: a plan found in %.1f ns (median %.1f); a run that does "
                   "nothing "
                   "else, of two segments, takes %.1f ns (median %.1f)\n",
                   shapes[i], place.least, place.median, whole.least, whole.median);
        EXPECT(place.least < 5000); /* 50 are what it should take; not when others are at work */
    }
    shapes_artifact()->context_free(context);
    return FE_OK;
}
