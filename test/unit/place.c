/* place.c -- rt/rt_place.c: the arena of a program whose sizes are symbols. The program here is made by
 * hand: its segments have the lives that a test gives them, and sizes that are its symbols.
 */
#include "../rt/rt_entry.h"
#include "plan/plan.h"
#include "unit.h"

#include <string.h>

/* What any artifact does with contexts. */
static const rt_program nothing;
RT_ENTRY(place_artifact, nothing)

/* What no memory can hold is to fail here too, as it does without a sanitizer. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

enum { MOST = 100, SEGMENTS = 2, FEW_PLANS = 32 };

static struct {
    plan_template lives[SEGMENTS];
    int planned[SEGMENTS]; /* how often sizes were asked for */
    int64_t factor[MOST];  /* a buffer's bytes for each unit of the symbol */
} made;

static void sizes(uint32_t segment, int64_t symbol, int64_t *size)
{
    made.planned[segment]++;
    for (uint32_t i = 0; i < made.lives[segment].buffer_count; i++)
        size[i] = symbol > INT64_MAX / 1000 ? INT64_MAX : symbol * made.factor[i];
}

static void sizes_0(const rt_segment *segment, const int64_t *symbols, int64_t *size,
                    int64_t *shift)
{
    (void)segment;
    (void)shift;
    sizes(0, symbols[0], size);
}

static void sizes_1(const rt_segment *segment, const int64_t *symbols, int64_t *size,
                    int64_t *shift)
{
    (void)segment;
    (void)shift;
    sizes(1, symbols[1], size);
}

/* Writes over all of a segment. */
static void touch(const rt_frame *f, uint32_t segment)
{
    const rt_block *block = &f->segments[segment];
    for (uint32_t i = 0; i < made.lives[segment].buffer_count; i++) {
        int64_t bytes = f->symbols[segment] * made.factor[i];
        if (bytes > 0) memset(block->memory + block->offsets[i], (int)i, (size_t)bytes);
    }
}

/* The first number is a size, the second one that is known only after that; below 0 they fail. */
static int run(rt_frame *f)
{
    const int64_t *numbers = f->inputs[0];
    f->symbols[0] = numbers[0];
    RT_TRY(rt_place(f, 0));
    touch(f, 0);
    f->symbols[1] = numbers[1];
    if (numbers[1] < 0) return rt_fail(f, FE_RUN_ASSERTION, "below 0");
    RT_TRY(rt_place(f, 1));
    touch(f, 1);
    touch(f, 0);
    return 0;
}

static const fe_port input = {.name = "numbers",
                              .dtype = FE_I64,
                              .rank = 1,
                              .sizes = (const int64_t[]){2},
                              .strides = (const int64_t[]){1},
                              .shape_text = "[2]"};
static const uint32_t symbol_lists[] = {0, 1};
static const rt_segment segments[SEGMENTS] = {
    {.lives = &made.lives[0], .sizes = sizes_0, .symbols = &symbol_lists[0], .symbol_count = 1},
    {.lives = &made.lives[1], .sizes = sizes_1, .symbols = &symbol_lists[1], .symbol_count = 1},
};
static const rt_program program = {.name = "made",
                                   .inputs = &input,
                                   .input_count = 1,
                                   .symbol_count = 2,
                                   .segments = segments,
                                   .segment_count = SEGMENTS,
                                   .run = run};

/* The same with a second segment whose buffer 1 is the first one's buffer 0. */
static void sizes_held(const rt_segment *segment, const int64_t *symbols, int64_t *size,
                       int64_t *shift)
{
    (void)segment;
    (void)shift;
    made.planned[1]++;
    size[0] = symbols[1] * made.factor[0];
    size[1] = symbols[0] * made.factor[0];
}

static int run_held(rt_frame *f)
{
    const int64_t *numbers = f->inputs[0];
    f->symbols[0] = numbers[0];
    RT_TRY(rt_place(f, 0));
    f->symbols[1] = numbers[1];
    RT_TRY(rt_place(f, 1));
    char *held = f->segments[0].memory + f->segments[0].offsets[0],
         *own = f->segments[1].memory + f->segments[1].offsets[0];
    size_t bytes = (size_t)numbers[0] * 64;
    memset(held, 1, bytes);
    memset(own, 2, (size_t)numbers[1] * 64);
    return bytes && memchr(held, 2, bytes) ? rt_fail(f, FE_RUN_ASSERTION, "overwritten") : 0;
}

static const rt_held held_list[] = {{0, 0, 0}};
static const rt_segment held_segments[SEGMENTS] = {
    {.lives = &made.lives[0], .sizes = sizes_0, .symbols = &symbol_lists[0], .symbol_count = 1},
    {.lives = &made.lives[1],
     .sizes = sizes_held,
     .symbols = symbol_lists,
     .symbol_count = 2,
     .held = held_list,
     .held_count = 1},
};
static const rt_program held_program = {.name = "held",
                                        .inputs = &input,
                                        .input_count = 1,
                                        .symbol_count = 2,
                                        .segments = held_segments,
                                        .segment_count = SEGMENTS,
                                        .run = run_held};

/* ---- around it ---- */

typedef struct caller {
    fe_model model;
    fe_context *context;
} caller;

/* A random program of `count` buffers a segment. */
static bool begin(fe_session *session, uint32_t count, caller *c)
{
    uint64_t dice = 11;
    plan_buffer buffers[MOST] = {{0}};
    memset(&made, 0, sizeof made);
    for (uint32_t i = 0; i < count; i++) {
        dice = dice * 6364136223846793005u + 1442695040888963407u;
        made.factor[i] = 1 + (int64_t)(dice >> 55);
        buffers[i].birth = (int32_t)(dice >> 40 & 63);
        buffers[i].death = buffers[i].birth + 1 + (int32_t)(dice >> 50 & 15);
    }
    for (int k = 0; k < SEGMENTS; k++)
        plan_template_make(session->memory, buffers, count, &made.lives[k]);
    c->model = (fe_model){.program = &program};
    return place_artifact()->context_new(&c->model, 1, &c->context) == 0;
}

static int call(const caller *c, int64_t first, int64_t second)
{
    int64_t numbers[] = {first, second}, count = 2;
    fe_tensor x = {.data = numbers, .dtype = FE_I64, .rank = 1, .sizes = &count};
    return place_artifact()->run(c->context, &x, 1, NULL, 0);
}

static void end(const caller *c)
{
    place_artifact()->context_free(c->context);
}

/* ---- tests ---- */

SESSION_TEST(sizes_that_were_met_are_not_planned_again)
{
    caller c;
    if (!EXPECT(begin(session, 20, &c))) return FE_OK;
    for (int i = 0; i < 10; i++) {
        EXPECT_INT(call(&c, 3, 7), 0);
        EXPECT_INT(call(&c, 5, 7), 0);
    }
    EXPECT_INT(made.planned[0], 2);
    EXPECT_INT(made.planned[1], 1);
    /* 3 is used between the others, and stays; 5 is not */
    for (int64_t n = 100; n < 100 + FEW_PLANS; n++) {
        EXPECT_INT(call(&c, n, 7), 0);
        EXPECT_INT(call(&c, 3, 7), 0);
    }
    EXPECT_INT(made.planned[0], 2 + FEW_PLANS);
    EXPECT_INT(call(&c, 5, 7), 0);
    EXPECT_INT(made.planned[0], 3 + FEW_PLANS);
    EXPECT_INT(made.planned[1], 1);
    end(&c);
    return FE_OK;
}

SESSION_TEST(a_segment_grows_and_does_not_shrink)
{
    caller c;
    if (!EXPECT(begin(session, 20, &c))) return FE_OK;
    EXPECT_INT(call(&c, 50, 1), 0);
    const rt_block *block = &c.context->segments[0];
    const char *memory = block->memory;
    size_t bytes = block->bytes;
    for (int64_t n = 50; n >= 0; n--) EXPECT_INT(call(&c, n, 1), 0);
    EXPECT(block->memory == memory && block->bytes == bytes);
    EXPECT_INT(call(&c, 51, 1), 0); /* addresses behind it are reserved */
    EXPECT(block->memory == memory && block->bytes > bytes);
    EXPECT_INT(call(&c, 500, 1), 0);
    EXPECT(block->memory == memory && block->bytes > bytes * 9);
    EXPECT_INT(call(&c, 50 * 5000, 1), 0);
    EXPECT(block->memory != memory && block->bytes > bytes * 4000);
    end(&c);
    return FE_OK;
}

/* What fails leaves nothing behind (the sanitizer looks), and the next call is as any other. */
SESSION_TEST(a_run_that_fails_spoils_nothing)
{
    caller c;
    if (!EXPECT(begin(session, 20, &c))) return FE_OK;
    EXPECT_INT(call(&c, 4, -1), FE_RUN_ASSERTION);
    EXPECT_INT(call(&c, 4, 5), 0);
    EXPECT_INT(call(&c, INT64_MAX - 1, 5), FE_RUN_NO_MEMORY);
    EXPECT_TEXT(place_artifact()->error(c.context), "the sizes of this run are too large");
    EXPECT_INT(call(&c, INT64_MAX - 1, 5), FE_RUN_NO_MEMORY);
    EXPECT_INT(call(&c, (int64_t)1 << 42, 5), FE_RUN_NO_MEMORY);
    EXPECT(strstr(place_artifact()->error(c.context), "no memory for ") != NULL);
    EXPECT_INT(call(&c, 4, (int64_t)1 << 42), FE_RUN_NO_MEMORY);
    EXPECT_INT(call(&c, -4, 5), 0); /* nothing is there */
    EXPECT_INT(call(&c, 4, 5), 0);
    end(&c);
    return FE_OK;
}

/* The lives of two segments, the second of which finds buffer 0 of the first one taken. */
static bool begin_held(fe_session *session, caller *c)
{
    const plan_buffer first[] = {{.birth = 0, .death = 9}, {.birth = 0, .death = 2}},
                      second[] = {{.birth = 4, .death = 6}, {.birth = 0, .death = 9}};
    memset(&made, 0, sizeof made);
    made.factor[0] = made.factor[1] = 64;
    plan_template_make(session->memory, first, 2, &made.lives[0]);
    plan_template_make(session->memory, second, 2, &made.lives[1]);
    c->model = (fe_model){.program = &held_program};
    return place_artifact()->context_new(&c->model, 1, &c->context) == 0;
}

SESSION_TEST(a_later_segment_lies_in_gaps_of_the_arena)
{
    caller c;
    if (!EXPECT(begin_held(session, &c))) return FE_OK;
    const rt_block *blocks = c.context->segments;
    EXPECT_INT(call(&c, 10, 5), 0);
    EXPECT(blocks[1].memory == blocks[0].memory && !blocks[1].own);
    EXPECT_INT(blocks[0].bytes, 2 * 640); /* in the place of what has died */
    EXPECT_INT(blocks[0].offsets[0], 0);
    EXPECT_INT(blocks[1].offsets[0], 640);
    EXPECT_INT(call(&c, 10, 100), 0); /* grows behind what lives */
    EXPECT(blocks[1].memory == blocks[0].memory);
    EXPECT_INT(blocks[0].bytes, 640 + 6400);
    EXPECT_INT(call(&c, 10, 1000000), 0); /* more than was reserved */
    EXPECT(blocks[1].memory == blocks[1].own && blocks[1].own);
    EXPECT_INT(blocks[1].bytes, 64000000);
    EXPECT_INT(blocks[1].offsets[0], 0);
    EXPECT_INT(call(&c, 10, 5), 0);
    EXPECT(blocks[1].memory == blocks[0].memory);
    EXPECT_INT(call(&c, 1000000, 1000000), 0); /* a larger arena has room for it */
    EXPECT(blocks[1].memory == blocks[0].memory);
    EXPECT_INT(call(&c, 10, 1000000), 0);
    EXPECT(blocks[1].memory == blocks[0].memory);
    EXPECT_INT(blocks[1].offsets[0], 640);
    EXPECT(!blocks[1].own);
    EXPECT_INT(made.planned[1], 6);
    end(&c);
    return FE_OK;
}

/* 100 buffers: 20 us are what it should take, and about a quarter of it is usual; the limit here is for
 * machines that are busy, and sanitizers. */
#ifdef __SANITIZE_ADDRESS__
static const double MOST_SECONDS = 2e-3;
#else
static const double MOST_SECONDS = 500e-6;
#endif
SESSION_TEST(a_plan_for_new_sizes_takes_microseconds)
{
    caller c;
    double best = 1;
    if (!EXPECT(begin(session, MOST, &c))) return FE_OK;
    for (int64_t n = 1; n <= 200; n++) {
        double start = clock_seconds();
        c.context->symbols[0] = n;
        rt_frame f = {
            .segments = c.context->segments, .symbols = c.context->symbols, .context = c.context};
        EXPECT_INT(rt_place(&f, 0), 0);
        double seconds = clock_seconds() - start;
        if (n > 100 && seconds < best) best = seconds;
    }
    EXPECT_INT(made.planned[0], 200);
    EXPECT(best < MOST_SECONDS);
    end(&c);
    return FE_OK;
}
