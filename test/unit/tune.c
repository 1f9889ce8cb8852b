/* tune.c -- src/driver/tune*.c with a timer of the test's own, which says how long each variant takes:
 * what is chosen, and what becomes of records. */
#include "driver/tune/tune.h"
#include "archives.h"

#include <dirent.h>
#include <string.h>

/* Two kernels: a sum over rows of a matrix, and its exponentials. */
static const char PROGRAM[] = "graph main {\n"
                              "  placeholder %x user \"x\" : f32[48,64]\n"
                              "  %s = aten.sum.dim_IntList(%x, [1]) : f32[48]\n"
                              "  %e = aten.exp.default(%s) : f32[48]\n"
                              "  output (user %e)\n"
                              "}\n";

typedef struct fake {
    fe_session *session;
    const char *cache, *machine;
    const char *fast;  /* the variant that is faster than the others, as text */
    double ns;         /* that it takes; the others take 100 */
    const char *wrong; /* the variant whose numbers are wrong */
    double seconds;    /* on the clock; each sample takes some */
    double second_a_sample;
    uint32_t samples, budget_ms;
    bool leave_out, is_late; /* late: no time at all */
} fake;

static bool is_variant(fake *f, const tune_candidate *c, const char *name)
{
    text t;
    text_init(&t, f->session->memory);
    sched_print_variant(&c->variant, &t);
    return name && strcmp(t.at, name) == 0;
}

static double fake_now(void *data)
{
    return ((fake *)data)->seconds;
}

static fe_status fake_open(void *data, tune_plan *plan, uint32_t first, uint32_t end)
{
    (void)data, (void)plan, (void)first, (void)end;
    return FE_OK;
}

static bool fake_begin(void *data, tune_plan *plan, tune_subject *s)
{
    fake *f = data;
    (void)plan;
    for (uint32_t i = 0; i < s->candidates.count; i++)
        s->candidates.at[i].is_wrong = is_variant(f, &s->candidates.at[i], f->wrong);
    return true;
}

/* Every third sample is disturbed. */
static double fake_sample(void *data, tune_subject *s, uint32_t candidate)
{
    fake *f = data;
    f->samples++;
    f->seconds += f->second_a_sample;
    double ns = is_variant(f, &s->candidates.at[candidate], f->fast) ? f->ns : 100;
    return f->samples % 3 ? ns : 5 * ns;
}

static void fake_end(void *data)
{
    (void)data;
}

typedef struct tuned {
    const char *variant; /* of the group */
    driver_tuned figures;
} tuned;

static fe_status compile(fake *f, tuned *out)
{
    tune_timer timer = {f, fake_now, fake_open, fake_begin, fake_sample, fake_end, fake_end};
    driver_options o;
    driver_program *d;
    text t;
    text_init(&t, f->session->memory);
    driver_default_options(f->session->memory, &o);
    o.input = "-";
    o.bytes = PROGRAM;
    o.size = sizeof PROGRAM - 1;
    o.isa = "x86-64-v3";
    o.cache = f->cache;
    o.tune = !f->leave_out;
    if (f->budget_ms || f->is_late) o.tune_budget_ms = f->budget_ms;
    o.tune_timer = &timer;
    o.tune_machine = f->machine ? f->machine : "a machine";
    f->samples = 0;
    FE_TRY(driver_compile(f->session, &o, STAGE_EMIT, arena_new(f->session), &d));
    sched_print_variant(&d->schedule->groups.at[0].variant, &t);
    *out = (tuned){t.at, d->tuned};
    driver_close(d);
    return FE_OK;
}

static fe_status begin(fe_session *session, fake *f)
{
    *f = (fake){.session = session, .ns = 100};
    return file_make_temporary_dir(session, session->memory, &f->cache);
}

SESSION_TEST(the_fastest_variant_is_taken_and_remembered)
{
    fake f;
    tuned first, second, without;
    FE_TRY(begin(session, &f));
    f.fast = "vector outer unroll 2";
    f.ns = 80;
    FE_TRY(compile(&f, &first));
    EXPECT_TEXT(first.variant, f.fast);
    EXPECT_INT(first.figures.kernels, 1);
    EXPECT_INT(first.figures.changed, 1);
    EXPECT_INT(first.figures.recorded, 0);
    EXPECT(first.figures.before_ms == 1e-4 && first.figures.after_ms == 8e-5);
    EXPECT(f.samples > 0);
    f.fast = NULL;
    FE_TRY(compile(&f, &second));
    EXPECT_TEXT(second.variant, "vector outer unroll 2");
    EXPECT_INT(second.figures.recorded, 1);
    EXPECT_INT(f.samples, 0);
    f.leave_out = true;
    FE_TRY(compile(&f, &without));
    EXPECT_TEXT(without.variant, "vector inner");
    EXPECT_INT(without.figures.kernels, 0);
    file_remove_tree(f.cache);
    return FE_OK;
}

SESSION_TEST(what_is_hardly_faster_is_not_taken)
{
    fake f;
    tuned out;
    FE_TRY(begin(session, &f));
    f.fast = "vector inner unroll 1";
    f.ns = 98;
    FE_TRY(compile(&f, &out));
    EXPECT_TEXT(out.variant, "vector inner");
    EXPECT_INT(out.figures.kernels, 1);
    EXPECT_INT(out.figures.changed, 0);
    file_remove_tree(f.cache);
    return FE_OK;
}

SESSION_TEST(what_computes_other_numbers_is_not_taken)
{
    fake f;
    tuned out;
    FE_TRY(begin(session, &f));
    f.fast = f.wrong = "vector inner half";
    f.ns = 10;
    FE_TRY(compile(&f, &out));
    EXPECT_TEXT(out.variant, "vector inner");
    EXPECT_INT(out.figures.changed, 0);
    file_remove_tree(f.cache);
    return FE_OK;
}

SESSION_TEST(a_record_of_another_machine_is_not_taken)
{
    fake f;
    tuned out;
    FE_TRY(begin(session, &f));
    f.fast = "vector inner alone";
    f.ns = 50;
    FE_TRY(compile(&f, &out));
    EXPECT_TEXT(out.variant, "vector inner alone");
    f.machine = "another machine";
    f.fast = NULL;
    FE_TRY(compile(&f, &out));
    EXPECT_TEXT(out.variant, "vector inner");
    EXPECT_INT(out.figures.recorded, 0);
    EXPECT(f.samples > 0);
    file_remove_tree(f.cache);
    return FE_OK;
}

SESSION_TEST(time_is_kept_to)
{
    fake f;
    tuned out;
    FE_TRY(begin(session, &f));
    f.budget_ms = 1;
    f.seconds = 5;
    f.second_a_sample = 1;
    f.fast = "vector outer";
    f.ns = 50;
    FE_TRY(compile(&f, &out)); /* one kernel is begun within it */
    EXPECT_INT(out.figures.kernels, 1);
    EXPECT(f.samples < 200);
    EXPECT_INT(out.figures.left, 0);
    f.machine = "another machine";
    f.budget_ms = 0;
    f.is_late = true;
    FE_TRY(compile(&f, &out));
    EXPECT_INT(out.figures.kernels, 0);
    EXPECT_INT(out.figures.left, 1);
    EXPECT_INT(f.samples, 0);
    file_remove_tree(f.cache);
    return FE_OK;
}

static const char *record_in(fake *f)
{
    const char *path = NULL;
    DIR *folder = opendir(f->cache);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (strstr(entry->d_name, ".tuned"))
            path = arena_printf(f->session->memory, "%s/%s", f->cache, entry->d_name);
    if (folder) closedir(folder);
    return path;
}

/* Cut anywhere, or with any byte another one: it is read as it was, or timed again. */
SESSION_TEST(a_record_that_is_broken_is_none)
{
    fake f;
    tuned out;
    char *record, *broken;
    size_t length;
    FE_TRY(begin(session, &f));
    f.fast = "vector outer unroll 4";
    f.ns = 50;
    FE_TRY(compile(&f, &out));
    const char *path = record_in(&f);
    if (!EXPECT(path)) return FE_OK;
    FE_TRY(file_read(session, session->memory, path, &record, &length));
    f.fast = "vector inner unroll 1";
    for (size_t cut = 0; cut + 1 < length; cut += 7) {
        FE_TRY(file_write(session, path, record, cut));
        FE_TRY(compile(&f, &out));
        EXPECT_TEXT(out.variant, "vector inner unroll 1");
        EXPECT_INT(out.figures.recorded, 0);
    }
    for (size_t at = 0; at < length; at += 5) {
        broken = arena_copy(session->memory, record, length);
        broken[at] = '#';
        FE_TRY(file_write(session, path, broken, length));
        FE_TRY(compile(&f, &out));
        EXPECT(out.figures.recorded == 1 || strcmp(out.variant, "vector inner unroll 1") == 0);
        EXPECT_INT(out.figures.kernels, 1);
    }
    EXPECT_INT(session->diag_count, 0);
    file_remove_tree(f.cache);
    return FE_OK;
}

static fe_status list_all(fe_session *session, driver_program *d)
{
    tune_plan *plan;
    (void)session;
    FE_TRY(tune_list(d, d->memory, &plan));
    for (uint32_t i = 0; i < plan->subjects.count; i++) {
        const tune_subject *s = &plan->subjects.at[i];
        EXPECT(s->obstacle || s->candidates.count > 0);
    }
    return FE_OK;
}

TEST(kernels_keep_their_laws_in_every_variant)
{
    unit_each_archive(STAGE_KERN, list_all);
}
