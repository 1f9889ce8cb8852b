/* plan.c -- src/plan: plans against brute force and by proof, what it refuses, its text form,
 * planning again. */
#include <string.h>

#include "cuts.h"
#include "plan/plan.h"
#include "unit.h"

/* ---- random problems ---- */

static plan_buffer random_buffer(dice *d, uint32_t steps, uint32_t size)
{
    int32_t birth = (int32_t)roll(d, steps);
    int32_t death = birth + 1 + (int32_t)roll(d, steps - (uint32_t)birth);
    return (plan_buffer){.size = 1 + roll(d, size), .birth = birth, .death = death};
}

/* ---- brute force ---- */

typedef struct brute {
    const plan_buffer *buffers;
    uint32_t count;
    int64_t alignment;
    int64_t offsets[8];
    bool placed[8];
    int64_t best;
} brute;

static int64_t up(int64_t value, int64_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

/* Every optimal packing can be dropped into one that comes of placing buffers one by one, each
 * on top of what it meets, in some order. */
static void try_orders(brute *b, uint32_t left, int64_t height)
{
    if (height >= b->best) return;
    if (!left) b->best = height;
    for (uint32_t i = 0; i < b->count && left; i++) {
        if (b->placed[i]) continue;
        const plan_buffer *x = &b->buffers[i];
        int64_t alignment = x->alignment ? x->alignment : b->alignment;
        int64_t offset = 0;
        for (uint32_t k = 0; k < b->count; k++) {
            const plan_buffer *y = &b->buffers[k];
            int64_t own = y->alignment ? y->alignment : b->alignment;
            if (!b->placed[k] || x->birth >= y->death || y->birth >= x->death) continue;
            if (b->offsets[k] + up(y->size, own) > offset)
                offset = b->offsets[k] + up(y->size, own);
        }
        offset = up(offset, alignment);
        b->offsets[i] = offset;
        b->placed[i] = true;
        int64_t top = offset + up(x->size, alignment);
        try_orders(b, left - 1, top > height ? top : height);
        b->placed[i] = false;
    }
}

static int64_t least_height(const plan_buffer *buffers, uint32_t count, int64_t alignment)
{
    brute b = {.buffers = buffers, .count = count, .alignment = alignment, .best = INT64_MAX};
    try_orders(&b, count, 0);
    return b.best;
}

/* ---- plans ---- */

SESSION_TEST(plan_of_nothing_and_of_one)
{
    plan_result plan;
    FE_TRY(plan_offsets(session, session->memory, NULL, 0, NULL, &plan));
    EXPECT_INT(plan.height, 0);
    EXPECT(plan.optimal && plan.fits);
    plan_buffer one = {.size = 100, .birth = 3, .death = 4};
    FE_TRY(plan_offsets(session, session->memory, &one, 1, NULL, &plan));
    EXPECT_INT(plan.height, 128);
    EXPECT_INT(plan.lower_bound, 128);
    EXPECT_INT(plan.offsets[0], 0);
    return FE_OK;
}

SESSION_TEST(plan_gives_no_room_to_empty_buffers)
{
    plan_buffer buffers[] = {{.size = 0, .birth = 0, .death = 9},
                             {.size = 64, .birth = 2, .death = 2},
                             {.size = 64, .birth = 0, .death = 9}};
    plan_result plan;
    FE_TRY(plan_offsets(session, session->memory, buffers, 3, NULL, &plan));
    EXPECT_INT(plan.height, 64);
    FE_TRY(plan_verify(session, buffers, 3, NULL, &plan));
    return FE_OK;
}

SESSION_TEST(plan_is_as_low_as_brute_force)
{
    dice d = {1};
    for (int round = 0; round < 400; round++) {
        plan_buffer buffers[7];
        uint32_t count = 1 + roll(&d, COUNT_OF(buffers));
        plan_options options = {.alignment = 1 << roll(&d, 3)};
        for (uint32_t i = 0; i < count; i++) {
            buffers[i] = random_buffer(&d, 8, 20);
            if (round % 2) buffers[i].alignment = 1 << roll(&d, 5);
        }
        plan_result plan;
        FE_TRY(plan_offsets(session, session->memory, buffers, count, &options, &plan));
        if (!EXPECT(plan.height == least_height(buffers, count, options.alignment))) break;
        EXPECT(plan.optimal);
    }
    return FE_OK;
}

/* Cuts the rectangle of steps [birth, death) and bytes into pieces without waste. */
static void cut(arena *memory, dice *d, plan_buffer whole, uint32_t pieces, plan_buffer *out,
                uint32_t *count)
{
    int32_t life = whole.death - whole.birth;
    if (pieces < 2 || (life < 2 && whole.size < 2)) {
        out[(*count)++] = whole;
        return;
    }
    plan_buffer rest = whole;
    if (life >= 2 && (whole.size < 2 || roll(d, 2))) {
        whole.death = rest.birth = whole.birth + 1 + (int32_t)roll(d, (uint32_t)life - 1);
    } else {
        whole.size = 1 + roll(d, (uint32_t)whole.size - 1);
        rest.size -= whole.size;
    }
    uint32_t share = 1 + roll(d, pieces - 1);
    cut(memory, d, whole, share, out, count);
    cut(memory, d, rest, pieces - share, out, count);
}

SESSION_TEST(plan_finds_perfect_packings)
{
    dice d = {2};
    for (int round = 0; round < 600; round++) {
        plan_buffer buffers[64];
        uint32_t count = 0;
        plan_options options = {.alignment = 1};
        cut(session->memory, &d, (plan_buffer){.size = 1000, .death = 60}, 8 + roll(&d, 40),
            buffers, &count);
        for (uint32_t i = count; i > 1; i--) {
            uint32_t k = roll(&d, i);
            plan_buffer other = buffers[k];
            buffers[k] = buffers[i - 1];
            buffers[i - 1] = other;
        }
        plan_result plan;
        FE_TRY(plan_offsets(session, session->memory, buffers, count, &options, &plan));
        EXPECT_INT(plan.lower_bound, 1000);
        EXPECT_INT(plan.height, 1000);
    }
    return FE_OK;
}

SESSION_TEST(plan_of_many_is_proven_and_repeatable)
{
    dice d = {3};
    for (uint32_t count = 500; count <= 4000; count += 3500) {
        plan_buffer *buffers = NEW_ARRAY(session->memory, plan_buffer, count);
        for (uint32_t i = 0; i < count; i++) {
            buffers[i] = random_buffer(&d, 1000, 1 << 20);
            if (roll(&d, 8)) buffers[i].death = buffers[i].birth + 1 + (int32_t)roll(&d, 20);
        }
        plan_options options = {.work = 20000};
        plan_result plan;
        plan_result again;
        FE_TRY(plan_offsets(session, session->memory, buffers, count, &options, &plan));
        FE_TRY(plan_offsets(session, session->memory, buffers, count, &options, &again));
        FE_TRY(plan_verify(session, buffers, count, &options, &plan));
        EXPECT(plan.height >= plan.lower_bound);
        EXPECT((double)plan.height < 1.1 * (double)plan.lower_bound);
        EXPECT(memcmp(plan.offsets, again.offsets, count * sizeof(*plan.offsets)) == 0);
    }
    return FE_OK;
}

SESSION_TEST(plan_stops_at_a_capacity)
{
    dice d = {4};
    plan_buffer buffers[100];
    for (uint32_t i = 0; i < COUNT_OF(buffers); i++) buffers[i] = random_buffer(&d, 60, 100);
    plan_options options = {.alignment = 1};
    int64_t bound;
    FE_TRY(plan_lower_bound(session, buffers, COUNT_OF(buffers), &options, &bound));
    plan_result plan;
    options.capacity = 2 * bound;
    FE_TRY(plan_offsets(session, session->memory, buffers, COUNT_OF(buffers), &options, &plan));
    EXPECT(plan.fits && plan.height <= options.capacity && plan.work == 0);
    EXPECT_INT(plan.lower_bound, bound);
    options.capacity = bound - 1;
    options.work = 1000;
    FE_TRY(plan_offsets(session, session->memory, buffers, COUNT_OF(buffers), &options, &plan));
    EXPECT(!plan.fits && plan.height >= bound);
    return FE_OK;
}

/* ---- groups and fixed buffers ---- */

SESSION_TEST(plan_uses_the_gap_in_a_group)
{
    /* The group lives in steps 0 and 2; the other buffer fits between. */
    plan_buffer buffers[] = {{.size = 64, .birth = 0, .death = 1, .group = 7},
                             {.size = 64, .birth = 2, .death = 3, .group = 7},
                             {.size = 64, .birth = 1, .death = 2}};
    plan_result plan;
    FE_TRY(plan_offsets(session, session->memory, buffers, 3, NULL, &plan));
    EXPECT_INT(plan.height, 64);
    EXPECT_INT(plan.offsets[0], plan.offsets[1]);
    return FE_OK;
}

SESSION_TEST(plan_writes_slices_into_their_whole)
{
    plan_buffer buffers[] = {{.size = 64, .birth = 0, .death = 3, .group = 1, .group_offset = 0},
                             {.size = 64, .birth = 1, .death = 3, .group = 1, .group_offset = 64},
                             {.size = 128, .birth = 2, .death = 4, .group = 1},
                             {.size = 64, .birth = 0, .death = 1}};
    plan_result plan;
    FE_TRY(plan_offsets(session, session->memory, buffers, 4, NULL, &plan));
    EXPECT_INT(plan.height, 128);
    EXPECT_INT(plan.offsets[1], plan.offsets[0] + 64);
    EXPECT_INT(plan.offsets[2], plan.offsets[0]);
    return FE_OK;
}

SESSION_TEST(plan_goes_around_fixed_buffers)
{
    plan_buffer buffers[] = {
        {.size = 64, .birth = 0, .death = 4, .fixed = true, .fixed_offset = 64},
        {.size = 64, .birth = 0, .death = 2},
        {.size = 128, .birth = 1, .death = 4}};
    plan_result plan;
    FE_TRY(plan_offsets(session, session->memory, buffers, 3, NULL, &plan));
    EXPECT_INT(plan.offsets[0], 64);
    EXPECT_INT(plan.offsets[1], 0);
    EXPECT_INT(plan.offsets[2], 128);
    EXPECT_INT(plan.height, 256);
    return FE_OK;
}

SESSION_TEST(plan_of_mixed_rules_is_proven)
{
    dice d = {5};
    for (int round = 0; round < 150; round++) {
        plan_buffer buffers[60];
        uint32_t count = 1 + roll(&d, COUNT_OF(buffers));
        int64_t fixed_top = 0;
        bool fixed_group[8] = {false};
        for (uint32_t i = 0; i < count; i++) {
            plan_buffer b = random_buffer(&d, 40, 5000);
            if (roll(&d, 4) == 0) b.alignment = 1 << roll(&d, 13);
            if (roll(&d, 3) == 0) {
                b.group = 1 + roll(&d, 7);
                b.group_offset = roll(&d, 3) * 100;
            }
            if (roll(&d, 8) == 0 && !fixed_group[b.group]) {
                fixed_group[b.group] = b.group != 0;
                b.fixed = true;
                b.fixed_offset = up(fixed_top, 1 << 13) + b.group_offset;
                fixed_top = b.fixed_offset + 10000;
            }
            buffers[i] = b;
        }
        plan_result plan;
        plan_options options = {.work = 2000};
        FE_TRY(plan_offsets(session, session->memory, buffers, count, &options, &plan));
        FE_TRY(plan_verify(session, buffers, count, &options, &plan));
        EXPECT(plan.height >= plan.lower_bound);
    }
    return FE_OK;
}

/* ---- what is refused ---- */

static void expect_refused(fe_session *session, const plan_buffer *buffers, uint32_t count,
                           const char *message)
{
    plan_result plan;
    uint32_t before = session->diag_count;
    EXPECT_INT(plan_offsets(session, session->memory, buffers, count, NULL, &plan), FE_CORRUPT);
    if (EXPECT(session->diag_count == before + 1))
        EXPECT_TEXT(session->last_diag->message, message);
}

SESSION_TEST(plan_refuses_wrong_buffers)
{
    const int64_t much = PLAN_MOST_BYTES / 2 + 1;
    plan_buffer late = {.size = 1, .birth = 3, .death = 2};
    expect_refused(session, &late, 1, "dies before its birth at step 3");
    plan_buffer negative = {.size = -5, .death = 2};
    expect_refused(session, &negative, 1, "negative size -5");
    plan_buffer crooked = {.size = 5, .death = 2, .alignment = 24};
    expect_refused(session, &crooked, 1, "alignment 24 is not a power of two");
    plan_buffer largest = {.size = INT64_MAX, .death = 2};
    expect_refused(session, &largest, 1, "sizes add up to more than 1152921504606846976 bytes");
    plan_buffer large[] = {{.size = much, .death = 2}, {.size = much, .death = 2}};
    expect_refused(session, large, 2, "sizes add up to more than 1152921504606846976 bytes");
    plan_buffer apart = {.size = 1, .death = 2, .group_offset = 64};
    expect_refused(session, &apart, 1, "offset 64 in a group is negative or without a group");
    plan_buffer askew = {.size = 1, .death = 2, .fixed = true, .fixed_offset = 8};
    expect_refused(session, &askew, 1, "fixed offset 8 is not aligned");
    plan_buffer both[] = {
        {.size = 100, .death = 2, .fixed = true, .fixed_offset = 64},
        {.size = 100, .birth = 1, .death = 3, .fixed = true, .fixed_offset = 128}};
    expect_refused(session, both, 2, "its fixed place meets that of buffer 1");
    plan_buffer twice[] = {{.size = 64, .death = 2, .group = 1, .fixed = true},
                           {.size = 64, .death = 2, .group = 1, .fixed = true}};
    expect_refused(session, twice, 2, "a second fixed buffer in group 1");
    return FE_OK;
}

SESSION_TEST(plan_takes_the_largest_sizes)
{
    plan_buffer large[] = {{.size = PLAN_MOST_BYTES / 4, .death = 2},
                           {.size = PLAN_MOST_BYTES / 4 + 1, .death = 2}};
    plan_result plan;
    FE_TRY(plan_offsets(session, session->memory, large, 2, NULL, &plan));
    EXPECT_INT(plan.height, PLAN_MOST_BYTES / 2 + 64);
    plan_buffer far[] = {{.size = 1, .birth = INT32_MIN, .death = INT32_MAX},
                         {.size = 1, .birth = -1, .death = 1}};
    FE_TRY(plan_offsets(session, session->memory, far, 2, NULL, &plan));
    EXPECT_INT(plan.height, 128);
    return FE_OK;
}

SESSION_TEST(plan_verify_finds_each_fault)
{
    plan_buffer buffers[] = {{.size = 64, .birth = 0, .death = 2},
                             {.size = 64, .birth = 1, .death = 3},
                             {.size = 64, .birth = 5, .death = 6, .group = 1},
                             {.size = 64, .birth = 7, .death = 8, .group = 1}};
    int64_t faults[][4] = {
        {0, 0, 0, 0}, {0, 32, 0, 0}, {0, 64, 0, 64}, {0, 128, 0, 0}, {-64, 64, 0, 0}};
    for (size_t f = 0; f < COUNT_OF(faults); f++) {
        plan_result plan = {.height = 128, .offsets = faults[f], .count = 4};
        EXPECT_INT(plan_verify(session, buffers, 4, NULL, &plan), FE_MISMATCH);
    }
    int64_t good[] = {64, 0, 64, 64};
    plan_result plan = {.height = 128, .offsets = good, .count = 4};
    EXPECT_INT(plan_verify(session, buffers, 4, NULL, &plan), FE_OK);
    return FE_OK;
}

/* ---- text ---- */

SESSION_TEST(plan_text_reads_back)
{
    const char *texts[] = {"id,lower,upper,size\na,0,3,100\nb,2,5,7\n",
                           "id,lower,upper,size,offset\na,0,3,100,0\nb,2,5,7,128\n",
                           ("id,lower,upper,size,alignment,group,group_offset,fixed,offset\na,0,3,"
                            "100,64,2,0,1,256\nb,2,5,7,0,2,64,0,\n")};
    for (size_t t = 0; t < COUNT_OF(texts); t++) {
        plan_text plan;
        text out;
        text_init(&out, session->memory);
        FE_TRY(plan_parse(session->memory, texts[t], strlen(texts[t]), &plan));
        plan_print(&plan, &out);
        EXPECT_TEXT(out.at, texts[t]);
    }
    const char *loose = "size, end ,start,id\r\n 5 , 3, 1,x\r\n\r\n6,9,2,y";
    plan_text plan;
    FE_TRY(plan_parse(session->memory, loose, strlen(loose), &plan));
    EXPECT_INT(plan.count, 2);
    EXPECT_INT(plan.buffers[0].death, 4);
    EXPECT_INT(plan.buffers[1].size, 6);
    EXPECT_TEXT(plan.ids[1], "y");
    return FE_OK;
}

SESSION_TEST(plan_text_says_what_is_wrong)
{
    static const struct {
        const char *source, *place, *message;
    } CASES[] = {
        {"", "line 1", "cannot use the column ''"},
        {"id,lower,upper\n", "line 1", "the header must name lower, upper and size"},
        {"id,lower,upper,size,colour\n", "line 1", "cannot use the column 'colour'"},
        {"id,lower,upper,size,size\n", "line 1", "a second 'size' column"},
        {"id,lower,upper,size\na,1,2\n", "line 2", "fewer cells than the header has"},
        {"id,lower,upper,size\na,1,2,3,4\n", "line 2", "more cells than the header has"},
        {"id,lower,upper,size\na,1,2,3\nb,1,x,4\n", "line 3", "'x' is no number that fits here"},
        {"id,lower,upper,size\na,1,99999999999,3\n", "line 2",
         "'99999999999' is no number that fits here"},
        {"id,lower,upper,size\na,1,2,99999999999999999999\n", "line 2",
         "'99999999999999999999' is no number that fits here"},
        {"id,lower,upper,size,fixed\na,1,2,3,1\n", "line 2", "fixed, but without an offset"},
    };
    for (size_t c = 0; c < COUNT_OF(CASES); c++) {
        plan_text plan;
        EXPECT(plan_parse(session->memory, CASES[c].source, strlen(CASES[c].source), &plan) !=
               FE_OK);
        EXPECT_TEXT(session->last_diag->place, CASES[c].place);
        EXPECT_TEXT(session->last_diag->message, CASES[c].message);
    }
    return FE_OK;
}

SESSION_TEST(plan_command_plans_a_text)
{
    const char *source = "id,lower,upper,size\na,0,2,10\nb,1,3,5\nc,2,4,10\n";
    plan_options options = {.capacity = 15};
    text figures;
    text csv;
    text_init(&figures, session->memory);
    text_init(&csv, session->memory);
    FE_TRY(plan_command(session->memory, source, strlen(source), &options, &figures, &csv));
    EXPECT(strstr(figures.at, "height       15\n") != NULL);
    EXPECT(strstr(figures.at, "ratio        1.000000 (no plan is lower)\n") != NULL);
    EXPECT(strstr(figures.at, "capacity     15, fits\n") != NULL);
    plan_text plan;
    FE_TRY(plan_parse(session->memory, csv.at, csv.length, &plan));
    EXPECT(plan.offsets != NULL);
    options.capacity = 14;
    EXPECT_INT(plan_command(session->memory, source, strlen(source), &options, NULL, NULL),
               FE_MISMATCH);
    EXPECT_TEXT(session->last_diag->message, "15 bytes do not fit in 14");
    const char *wrong = "id,lower,upper,size,offset\na,0,2,10,0\nb,1,3,5,8\n";
    EXPECT_INT(plan_command(session->memory, wrong, strlen(wrong), NULL, NULL, NULL), FE_MISMATCH);
    return FE_OK;
}

/* ---- planning again ---- */

SESSION_TEST(replan_holds_for_all_sizes)
{
    dice d = {6};
    plan_buffer buffers[80];
    int64_t size[COUNT_OF(buffers)];
    int64_t shift[COUNT_OF(buffers)];
    int64_t offsets[COUNT_OF(buffers)];
    for (int round = 0; round < 100; round++) {
        uint32_t count = roll(&d, COUNT_OF(buffers) + 1);
        for (uint32_t i = 0; i < count; i++) {
            buffers[i] = random_buffer(&d, 60, 100);
            if (roll(&d, 9) == 0) buffers[i].death = buffers[i].birth;
            if (roll(&d, 3) == 0) buffers[i].group = 1 + roll(&d, 6);
        }
        plan_template t;
        plan_template_make(session->memory, buffers, count, &t);
        void *scratch = arena_alloc(session->memory, plan_replan_scratch(&t));
        for (int again = 0; again < 3; again++) {
            for (uint32_t i = 0; i < count; i++) {
                size[i] = buffers[i].size = roll(&d, 4) ? 1 + roll(&d, 10000) : 0;
                shift[i] = buffers[i].group_offset = buffers[i].group ? roll(&d, 2) * 100 : 0;
            }
            plan_sizes sizes = {.size = size, .shift = shift, .alignment = 64};
            int64_t bound;
            int64_t exact;
            plan_result plan = {.count = count, .offsets = offsets};
            plan.height = plan_replan(&t, &sizes, scratch, offsets, &bound);
            FE_TRY(plan_verify(session, buffers, count, NULL, &plan));
            FE_TRY(plan_lower_bound(session, buffers, count, NULL, &exact));
            EXPECT(plan.height >= bound && bound >= exact);
        }
    }
    return FE_OK;
}

SESSION_TEST(replan_comes_near_the_bound)
{
    dice d = {9};
    plan_buffer buffers[100];
    int64_t size[COUNT_OF(buffers)];
    int64_t offsets[COUNT_OF(buffers)];
    double ratios = 0;
    uint32_t far = 0;
    for (int round = 0; round < 200; round++) {
        uint32_t count = COUNT_OF(buffers);
        int64_t bound;
        for (uint32_t i = 0; i < count; i++) {
            buffers[i] = random_buffer(&d, 100, 100);
            size[i] = 1 + roll(&d, roll(&d, 4) ? 20000 : 400000);
        }
        plan_template t;
        plan_template_make(session->memory, buffers, count, &t);
        void *scratch = arena_alloc(session->memory, plan_replan_scratch(&t));
        plan_sizes sizes = {.size = size, .alignment = 64};
        double height = (double)plan_replan(&t, &sizes, scratch, offsets, &bound);
        ratios += height / (double)bound;
        far += height / (double)bound > 1.01;
        plan_result plan = {.count = count, .offsets = offsets, .height = (int64_t)height};
        for (uint32_t i = 0; i < count; i++) buffers[i].size = size[i];
        FE_TRY(plan_verify(session, buffers, count, NULL, &plan));
    }
    EXPECT(ratios / 200 < 1.005);
    EXPECT(far < 25);
    return FE_OK;
}

/* The height over the bound of a template's own plan for these sizes, times so many. */
static fe_status replan_ratio(fe_session *session, const plan_template *t, plan_buffer *buffers,
                              uint32_t count, int64_t times, double *ratio, uint32_t *steps)
{
    int64_t size[60], offsets[60], bound;
    plan_sizes sizes = {.size = size, .alignment = 64};
    plan_result plan = {.count = count, .offsets = offsets};
    for (uint32_t i = 0; i < count; i++) buffers[i].size = size[i] = buffers[i].size * times;
    void *scratch = arena_alloc(session->memory, plan_replan_scratch(t));
    plan.height = plan_replan_counted(t, &sizes, scratch, offsets, &bound, steps);
    FE_TRY(plan_verify(session, buffers, count, NULL, &plan));
    *ratio = (double)plan.height / (double)bound;
    return FE_OK;
}

/* Perfect packings, of which the orders of a template alone miss some. */
SESSION_TEST(replan_has_stacks_of_what_search_found)
{
    dice d = {11};
    uint32_t found = 0;
    for (int round = 0; round < 20; round++) {
        plan_buffer buffers[60] = {{.size = 6400, .birth = 0, .death = 100}};
        uint32_t count = 1;
        double ratio, scaled, missed;
        uint32_t steps, fewer, same;
        plan_template t;
        while (count < 32)
            if (cut_round(&d, &buffers[roll(&d, count)], buffers + count)) count += 4;
        for (uint32_t i = 0; i < count; i++) buffers[i].size *= 64;
        plan_template_make(session->memory, buffers, count, &t);
        FE_TRY(replan_ratio(session, &t, buffers, count, 1, &ratio, &steps));
        FE_TRY(plan_template_stack(session, session->memory, buffers, count, &t));
        EXPECT(t.stack_count <= (ratio > 1 || steps > 4 * count));
        if (!t.stack_count) continue;
        found++;
        missed = ratio;
        FE_TRY(replan_ratio(session, &t, buffers, count, 1, &ratio, &fewer));
        FE_TRY(replan_ratio(session, &t, buffers, count, 7, &scaled, &same));
        EXPECT(ratio < missed || (ratio == missed && fewer <= steps / 2));
        EXPECT(scaled == ratio && same == fewer);
    }
    EXPECT(found > 0);
    return FE_OK;
}

/* What is at the bound, but was long to find, is begun with. */
SESSION_TEST(replan_has_stacks_of_what_is_long_to_find)
{
    dice d = {5};
    uint32_t found = 0;
    for (int round = 0; round < 600; round++) {
        plan_buffer buffers[60] = {{.size = 6400, .birth = 0, .death = 100}};
        uint32_t count = 1, steps, fewer;
        double ratio, again;
        plan_template t;
        while (count < 48)
            if (cut_round(&d, &buffers[roll(&d, count)], buffers + count)) count += 4;
        for (uint32_t i = 0; i < count; i++) buffers[i].size *= 64;
        plan_template_make(session->memory, buffers, count, &t);
        FE_TRY(replan_ratio(session, &t, buffers, count, 1, &ratio, &steps));
        if (ratio > 1 || steps <= 4 * count) continue;
        FE_TRY(plan_template_stack(session, session->memory, buffers, count, &t));
        FE_TRY(replan_ratio(session, &t, buffers, count, 1, &again, &fewer));
        EXPECT(again == 1 && fewer <= steps);
        found += t.stack_count > 0;
    }
    EXPECT(found > 0);
    return FE_OK;
}

SESSION_TEST(replan_leaves_fixed_buffers_where_they_are)
{
    plan_buffer buffers[] = {{.size = 1, .birth = 0, .death = 4},
                             {.size = 1, .birth = 1, .death = 3},
                             {.size = 1, .birth = 2, .death = 6}};
    const int64_t size[] = {100, 50, 200};
    const int64_t fixed[] = {64, -1, -1};
    int64_t offsets[3];
    plan_template t;
    plan_template_make(session->memory, buffers, 3, &t);
    void *scratch = arena_alloc(session->memory, plan_replan_scratch(&t));
    plan_sizes sizes = {.size = size, .fixed = fixed, .alignment = 64};
    EXPECT_INT(plan_replan(&t, &sizes, scratch, offsets, NULL), 448);
    EXPECT_INT(offsets[0], 64);
    EXPECT_INT(offsets[1], 0);
    EXPECT_INT(offsets[2], 192);
    return FE_OK;
}
