/* kern_text.c -- kernel IR as text: every kernel of the recorded programs reads back as it was and
 * makes the same C, and no damaged text does harm. */
#include "archives.h"
#include "kern/legal/legal.h"

#include <stdlib.h>
#include <string.h>

static const char *text_of(const kern_set *set, arena *memory)
{
    text out;
    text_init(&out, memory);
    kern_print(set, &out);
    return out.at;
}

static fe_status read_back(fe_session *session, arena *memory, const kern_set *set,
                           const target_machine *target)
{
    const char *written = text_of(set, memory);
    kern_set *read;
    FE_TRY(kern_parse(session, memory, written, strlen(written), &read));
    EXPECT_TEXT(text_of(read, memory), written);
    FE_TRY(kern_generate(read, target, memory));
    EXPECT_INT(read->kernels.count, set->kernels.count);
    for (uint32_t i = 0; i < set->kernels.count && i < read->kernels.count; i++) {
        EXPECT_TEXT(read->kernels.at[i].name, set->kernels.at[i].name);
        EXPECT_TEXT(read->kernels.at[i].source, set->kernels.at[i].source);
    }
    return FE_OK;
}

static const char *legal_text_of(const kern_set *set, arena *memory)
{
    text out;
    text_init(&out, memory);
    kern_print_legal(set, &out);
    return out.at;
}

/* Behind the name, which has the hash of the text. */
static const char *body_of(const kern_kernel *kernel)
{
    return strchr(kernel->source, '(');
}

static fe_status read_legal_back(fe_session *session, arena *memory, const kern_set *set,
                                 const target_machine *target)
{
    const char *written = legal_text_of(set, memory);
    kern_set *read;
    FE_TRY(kern_parse(session, memory, written, strlen(written), &read));
    FE_TRY(kern_generate(read, target, memory));
    EXPECT_TEXT(legal_text_of(read, memory), written);
    for (uint32_t i = 0; i < set->kernels.count && i < read->kernels.count; i++)
        EXPECT_TEXT(body_of(&read->kernels.at[i]), body_of(&set->kernels.at[i]));
    return FE_OK;
}

/* For languages without a library: at one lane every operation that is no primitive is a call. */
static fe_status lower_scalars(fe_session *session, arena *memory, const kern_set *set,
                               const target_machine *target)
{
    kern_kernel *plain;
    kern_library *library = kern_library_new(target, memory);
    library->scalars = true;
    FE_TRY(kern_scalar(set, memory, &plain));
    for (uint32_t i = 0; i < set->kernels.count; i++)
        FE_TRY(kern_check(kern_legal(plain[i].ir, library, target)));
    for (uint32_t i = 0; i < library->functions.count; i++)
        FE_TRY(kern_check_function(library->functions.at[i], session));
    return FE_OK;
}

static fe_status read_back_all(fe_session *session, driver_program *d)
{
    const target_machine *made_for;
    for (uint32_t i = 0; (made_for = target_at(i)); i++) {
        kern_set *set;
        FE_TRY(kern_build(d->schedule, made_for, d->memory, &set));
        FE_TRY(read_back(session, d->memory, set, made_for));
        FE_TRY(read_legal_back(session, d->memory, set, made_for));
        FE_TRY(lower_scalars(session, d->memory, set, made_for));
    }
    return FE_OK;
}

TEST(kernels_of_recorded_programs_read_back_from_their_text)
{
    unit_each_archive(STAGE_SCHED, read_back_all);
}

/* ---- damage ---- */

static uint32_t random_below(uint64_t *state, size_t limit)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % limit);
}

/* The kernels of test/kern/text.t, as words and what stands between them. */
typedef struct words {
    VEC(const char *) at;
} words;

static fe_status cut_words(fe_session *session, arena *memory, words *out)
{
    static const char BEGIN[] = "--file all.kern--\n";
    char *source;
    size_t length;
    FE_TRY(file_read(session, memory, "test/kern/text.t", &source, &length));
    const char *at = strstr(source, BEGIN), *end = at ? strstr(at, "\n--run--") : NULL;
    if (!EXPECT(at && end)) return FE_OK;
    for (at += sizeof BEGIN - 1; at < end;) {
        size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789.@");
        vec_push(memory, &out->at, arena_printf(memory, "%.*s", (int)(n ? n : 1), at));
        at += n ? n : 1;
    }
    return FE_OK;
}

/* All words but a few, which are left out, said twice or replaced by others. */
static const char *damaged(const words *w, uint64_t *state, arena *memory)
{
    text out;
    text_init(&out, memory);
    uint32_t first = random_below(state, w->at.count), second = random_below(state, w->at.count);
    for (uint32_t i = 0; i < w->at.count; i++) {
        uint32_t what = i == first || i == second ? random_below(state, 4) : 3;
        if (what == 0) continue;
        text_add(&out, what == 1 ? w->at.at[random_below(state, w->at.count)] : w->at.at[i]);
        if (what == 2) text_add(&out, w->at.at[i]);
    }
    return out.at;
}

static fe_status compile_text(fe_session *session, arena *memory, const char *source)
{
    const target_machine *made_for = target_named("x86-64-v3");
    kern_set *set;
    kern_kernel *plain;
    text out;
    FE_TRY(kern_parse(session, memory, source, strlen(source), &set));
    FE_TRY(kern_generate(set, made_for, memory));
    FE_TRY(kern_scalar(set, memory, &plain));
    const kern_kernel **all = NEW_ARRAY(memory, const kern_kernel *, set->kernels.count + 1);
    for (uint32_t i = 0; i < set->kernels.count; i++) all[i] = &set->kernels.at[i];
    text_init(&out, memory);
    kern_prelude(made_for, all, set->kernels.count, &out);
    return read_back(session, memory, set, made_for);
}

SESSION_TEST(damaged_texts_of_kernels_are_refused_or_compiled)
{
    enum { TRIALS = 3000 };
    arena *memory = session->memory;
    words w = {0};
    uint64_t state = 1;
    uint32_t refused = 0;
    FE_TRY(cut_words(session, memory, &w));
    for (int i = 0; i < TRIALS && w.at.count; i++) {
        arena *trial = arena_new(session);
        refused += compile_text(session, trial, damaged(&w, &state, trial)) != FE_OK;
        arena_free(trial);
    }
    EXPECT(refused > TRIALS / 2 && refused < TRIALS);
    return FE_OK;
}
