/* guard.c -- src/loop/guard.c: what is not proven gets checks of the run that prove it, and a run whose sizes
 * do not fit ends at these.
 */
#include "loop/loop.h"
#include "unit.h"

#include <string.h>

static const char *say(void *data, uint32_t origin, const sym_relation *r)
{
    (void)origin;
    (void)r;
    return data;
}

/* With `ops` behind these. */
static loop_program *guarded(fe_session *session, const char *ops, fe_status expected)
{
    static const char FRONT[] = "program p\n"
                                "symbol s0 in [0, 64]\n"
                                "symbol s1 in [1, 64]\n"
                                "input  @x : f32[s0] strides [1]\n"
                                "input  @flag : bool[s1] strides [1]\n"
                                "input  @few : f32[8] strides [1]\n"
                                "temp   @y : f32[s1] strides [1]\n"
                                "temp   @z : f32[s0] strides [1]\n";
    text source;
    loop_program *p = NULL;
    text_init(&source, session->memory);
    text_printf(&source, "%s%s", FRONT, ops);
    EXPECT_INT(loop_parse(session, session->memory, source.at, source.length, &p), FE_OK);
    EXPECT_INT(loop_guard(p, "test", say, (void *)(uintptr_t) "unfit"), expected);
    EXPECT(expected != FE_OK || loop_check(p, "test") == FE_OK);
    return p;
}

static const char *printed(loop_program *p)
{
    text out;
    text_init(&out, p->memory);
    for (uint32_t k = 0; k < p->ops.count; k++) loop_print_op(p, &p->ops.at[k], &out);
    return out.at;
}

/* Each access, and the check that it gets. */
SESSION_TEST(accesses_that_are_not_proven_are_checked_by_the_run)
{
    static const struct {
        const char *ops, *checks[2];
    } ROWS[] = {
        {"nest [i0 < s1] {\n  %0 = load f32 @x[i0 + 2]\n  @y[i0] = %0\n}\n",
         {"assert s1 + 2 <= s0 \"unfit\"\n"}},
        {"nest [i0 < s0] {\n  %0 = load f32 @few[s0 - i0 - 1]\n  @z[i0] = %0\n}\n",
         {"assert (s0 <= 0 || s0 <= 8) \"unfit\"\n"}},
        {"nest [i0 < s1] {\n  %0 = load f32 @x[(3*i0) // s1]\n  @y[i0] = %0\n}\n",
         {"assert (-3) // s1 + 4 <= s0 \"unfit\"\n"}},
        {"nest [i0 < s1] {\n  %0 = load f32 @x[(s0 - s1)*i0]\n  @y[i0] = %0\n}\n",
         {"assert 0 <= min(", "assert max("}},
        {"nest [i0 < s1] {\n  %0 = const 0.0 : f32\n  @z[2*i0] = %0\n}\n",
         {"assert 2*s1 - 1 <= s0 \"unfit\"\n"}},
        {"nest [i0 < s1] {\n  %0 = const 0.0 : f32\n  @few[(5*i0) % s1] = %0\n}\n",
         {"= indirect", "@few[j0] = "}},
        {"nest [i0 < s1] {\n  %0 = load bool @flag[i0]\n  %1 = load f32 @x[i0]\n"
         "  %2 = const 0.0 : f32\n  %3 = masked %0, %1, %2 : f32\n  @y[i0] = %3\n}\n",
         {"j0 = indirect %1 < s0\n", "load f32 @x[j0]\n"}},
        {"extern copy (@x[s1]{2} + 1) -> (@y[s1]{1}) ints [0] floats []\n",
         {"assert 2*s1 <= s0 \"unfit\"\n"}},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        const char *got = printed(guarded(session, ROWS[i].ops, FE_OK));
        for (uint32_t k = 0; k < 2; k++)
            if (ROWS[i].checks[k] && !strstr(got, ROWS[i].checks[k]))
                EXPECT_TEXT(got, ROWS[i].checks[k]);
    }
    return FE_OK;
}

SESSION_TEST(accesses_that_are_proven_get_no_check)
{
    loop_program *p = guarded(session,
                              "assert s1 <= s0 \"given\"\n"
                              "nest [i0 < s1] {\n"
                              "  %0 = load f32 @x[i0]\n"
                              "  @y[i0] = %0\n"
                              "}\n"
                              "nest [i0 < s0] {\n"
                              "  %0 = load f32 @y[i0 % s1]\n"
                              "  @z[i0] = %0\n"
                              "}\n",
                              FE_OK);
    EXPECT_INT(p->ops.count, 3);
    EXPECT(!strstr(printed(p), "indirect"));
    return FE_OK;
}

/* What numbers alone tell needs no run. */
SESSION_TEST(accesses_that_never_fit_are_refused)
{
    guarded(session, "nest [i0 < 8] {\n  %0 = load f32 @few[i0 + 1]\n  @few[i0] = %0\n}\n",
            FE_INTERNAL);
    EXPECT(session->last_diag && strstr(session->last_diag->message, "law L1"));
    return FE_OK;
}

typedef struct sizes {
    const loop_program *p;
    int64_t s0, s1;
} sizes;

static bool size_of(void *data, sym_expr symbol, int64_t *value)
{
    const sizes *s = data;
    *value = strcmp(sym_name(s->p->symbols, symbol), "s0") == 0 ? s->s0 : s->s1;
    return true;
}

/* Of y = x[2:s1 + 2], and of y = flag ? x : 0. */
static fe_status run(fe_session *session, const char *ops, int64_t s0, int64_t s1, float *y)
{
    loop_program *p = guarded(session, ops, FE_OK);
    float x[64] = {1, 2, 3, 4, 5, 6};
    uint8_t flag[64] = {0, 1, 1, 0};
    void *buffers[8] = {x, flag, NULL, y};
    sizes at = {p, s0, s1};
    loop_machine machine = {
        .buffers = buffers, .symbol = size_of, .data = &at, .memory = p->memory};
    return loop_interpret(p, &machine);
}

SESSION_TEST(a_run_whose_sizes_do_not_fit_ends_before_it_writes)
{
    static const char SHIFT[] = "nest [i0 < s1] {\n  %0 = load f32 @x[i0 + 2]\n  @y[i0] = %0\n}\n",
                      CHOICE[] = "nest [i0 < s1] {\n  %0 = load bool @flag[i0]\n"
                                 "  %1 = load f32 @x[i0]\n  %2 = const 0.0 : f32\n"
                                 "  %3 = masked %0, %1, %2 : f32\n  @y[i0] = %3\n}\n";
    float y[64] = {0};
    EXPECT_INT(run(session, SHIFT, 6, 4, y), FE_OK);
    EXPECT(y[0] == 3 && y[3] == 6);
    y[0] = -1;
    EXPECT(run(session, SHIFT, 5, 4, y) != FE_OK && y[0] == -1);
    EXPECT(session->last_diag && strstr(session->last_diag->message, "unfit"));
    EXPECT_INT(run(session, CHOICE, 3, 4, y), FE_OK); /* nobody reads the fourth */
    EXPECT(y[0] == 0 && y[2] == 3 && y[3] == 0);
    EXPECT(run(session, CHOICE, 2, 4, y) != FE_OK);
    return FE_OK;
}
