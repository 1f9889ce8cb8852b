/* loop.c -- tests of the loop IR: text, folding, walks, the laws, and the interpreter. */
#include "unit.h"

#include "loop/loop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- help ---- */

static loop_program *parsed(fe_session *session, const char *source)
{
    loop_program *p = NULL;
    fe_status status = loop_parse(session, session->memory, source, strlen(source), &p);
    EXPECT_INT(status, FE_OK);
    return status == FE_OK ? p : NULL;
}

static const char *printed(loop_program *p)
{
    text out;
    text_init(&out, p->memory);
    loop_print(p, &out);
    return out.at;
}

/* Runs the program on these buffers; NULL ones are made. */
static fe_status interpreted(loop_program *p, void **buffers)
{
    loop_machine machine = {.buffers = buffers, .memory = p->memory};
    return loop_interpret(p, &machine);
}

/* Expects the law's name in the diagnostic of loop_check. */
static void expect_law(fe_session *session, const char *source, const char *law)
{
    loop_program *p = parsed(session, source);
    uint32_t before = session->diag_count;
    if (!p) return;
    EXPECT(loop_check(p, "test") == FE_INTERNAL);
    EXPECT_INT(session->diag_count, before + 1);
    EXPECT(session->last_diag && strstr(session->last_diag->message, law));
}

/* ---- text ---- */

static const char EVERYTHING[] =
    "program main\n"
    "symbol s0 in [2, 64]\n"
    "symbol u0 in [0, 4]\n"
    "input  @x : f32[s0,8] strides [8,1]\n"
    "scalar \"count\" = s0\n"
    "scalar \"scale\" = float 0.5\n"
    "scalar \"mode\" = \"fast\"\n"
    "scalar \"flag\" = bool 1\n"
    "scalar \"left out\" = none\n"
    "input  @ids : i64[4] strides [1] origin 3\n"
    "const  @fc.weight : f32[16,8] strides [8,1] packing gemm_b\n"
    "temp   @buf3 : f32[s0,16] strides [16,1]\n"
    "temp   @buf4 : bool[4] strides [1] elements 16\n"
    "state  @cache : f32[4,8] strides [8,1]\n"
    "assert s0 <= 32 \"too many rows\"\n"
    "define u0 = @ids[]{} + 2 origin 4\n"
    "assert 0 <= u0 \"a count\"\n"
    "assert u0 <= 4 \"the range says so too\"\n"
    "assert (u0 == 1 || s0 <= 7) \"or\"\n"
    "define u1 = 2*u0\n"
    "extern gemm (@x[s0,8]{8,1}, @fc.weight[8,16]{1,8}, none) -> (@buf3[s0,16]{16,1}) "
    "ints [0] floats [0.0,1.5] origin 7\n"
    "nest [i0 < 4, i1 < 8] origin 9 {\n"
    "  %0 = load i64 @ids[i0]\n"
    "  %1 = const 0 : i64\n"
    "  %2 = lt %0, %1 : bool\n"
    "  %3 = index s0 : i64\n"
    "  %4 = add %0, %3 : i64\n"
    "  %5 = where %2, %4, %0 : i64\n"
    "  j0 = indirect %5 < s0\n"
    "  %6 = load f32 @x[8*j0 + i1]\n"
    "  %7 = symfloat 2 : f64\n"
    "  %8 = cast %7 : f32\n"
    "  %9 = mul %6, %8 : f32\n"
    "  @cache[8*i0 + i1] add= %9\n"
    "}\n"
    "nest [i0 < 4] reduce [r0 < 8] {\n"
    "  %0 = load f32 @cache[8*i0 + r0]\n"
    "  %1 = isnan %0 : bool\n"
    "  @buf4[i0] = any %1\n"
    "}\n"
    "output @buf3[s0,4]{16,1} + 4\n"
    "output @buf4[4]{1} as u8\n"
    "output int s0\n"
    "output float 0.5\n"
    "output \"done\"\n"
    "output none\n";

SESSION_TEST(loop_text_with_everything_comes_back_as_it_was)
{
    loop_program *p = parsed(session, EVERYTHING);
    if (!p) return FE_OK;
    EXPECT_TEXT(printed(p), EVERYTHING);
    FE_TRY(loop_check(p, "test"));
    return FE_OK;
}

SESSION_TEST(loop_text_names_what_it_cannot_read)
{
    static const char *const WRONG[][2] = {
        {"program m\nnest [i0 < 4] {\n  @none[i0] = %0\n}\n", "no such buffer"},
        {"program m\ntemp @b : f32[4] strides [1]\nnest [i0 < 4] {\n  @b[i0] = %0\n}\n",
         "not defined"},
        {"program m\ntemp @b : f32[4] strides [1]\nnest [i0 < 4] {\n  %0 = frobnicate : f32\n}\n",
         "operation"},
        {"program m\ntemp @b : f32[4] strides [1,1]\n", "1 sizes but 2 strides"},
        {"program m\nextern launch () -> () ints [] floats []\n", "no extern kernel"},
        {"program m\ntemp @b : f32[4] strides [1]\nnest [i0 < 4] {\n  %0 = load f32 @b[j3]\n}\n",
         "j3 is not defined"},
        {"program m\ntemp @b : f33[4] strides [1]\n", "dtype"},
    };
    for (size_t k = 0; k < COUNT_OF(WRONG); k++) {
        loop_program *p;
        fe_status status =
            loop_parse(session, session->memory, WRONG[k][0], strlen(WRONG[k][0]), &p);
        EXPECT(status != FE_OK);
        EXPECT(session->last_diag && strstr(session->last_diag->message, WRONG[k][1]));
    }
    return FE_OK;
}

/* ---- values ---- */

static loop_program *empty_program(fe_session *session)
{
    return loop_program_new(session, session->memory, sym_table_new(session->memory), "test");
}

static loop_value loaded(loop_program *p, loop_buffer_id b)
{
    return loop_load(p, b, loop_axis(p, 0));
}

static loop_buffer_id input_of(loop_program *p, ty_dtype d)
{
    sym_expr size = sym_int(p->symbols, 4), stride = sym_int(p->symbols, 1);
    loop_buffer b = {.kind = LOOP_INPUT,
                     .dtype = d,
                     .rank = 1,
                     .sizes = &size,
                     .strides = &stride,
                     .origin = UINT32_MAX};
    return loop_add_buffer(p, b);
}

SESSION_TEST(loop_equal_values_have_equal_ids)
{
    loop_program *p = empty_program(session);
    loop_value x = loaded(p, input_of(p, TY_F32));
    loop_value a = loop_binary(p, LOOP_ADD, loop_unary(p, LOOP_EXP, x), x);
    loop_value b = loop_binary(p, LOOP_ADD, loop_unary(p, LOOP_EXP, x), x);
    EXPECT_INT(a.id, b.id);
    EXPECT(a.id != loop_binary(p, LOOP_ADD, x, loop_unary(p, LOOP_EXP, x)).id);
    return FE_OK;
}

SESSION_TEST(loop_folds_only_what_is_exact)
{
    loop_program *p = empty_program(session);
    loop_value x = loaded(p, input_of(p, TY_F32)), i = loaded(p, input_of(p, TY_I32));
    loop_value zero = loop_const_float(p, TY_F32, 0), one = loop_const_float(p, TY_F32, 1);
    EXPECT_INT(loop_binary(p, LOOP_MUL, x, one).id, x.id);
    EXPECT_INT(loop_binary(p, LOOP_SUB, x, zero).id, x.id);
    EXPECT(loop_binary(p, LOOP_ADD, x, zero).id != x.id); /* -0.0 + 0.0 is 0.0 */
    EXPECT(loop_binary(p, LOOP_MUL, x, zero).id != zero.id);
    EXPECT_INT(loop_binary(p, LOOP_ADD, i, loop_const_int(p, TY_I32, 0)).id, i.id);
    EXPECT_INT(loop_binary(p, LOOP_ADD, one, one).id, loop_const_float(p, TY_F32, 2).id);
    EXPECT(loop_at(p, loop_unary(p, LOOP_EXP, one))->op == LOOP_EXP);
    EXPECT_INT(loop_cast(p, TY_I32, loop_cast(p, TY_I64, i)).id, i.id);
    EXPECT(loop_cast(p, TY_F32, loop_cast(p, TY_F16, x)).id != x.id);
    EXPECT_INT(loop_where(p, loop_const_int(p, TY_BOOL, 1), x, zero).id, x.id);
    return FE_OK;
}

SESSION_TEST(loop_constants_wrap_and_round_in_their_dtype)
{
    loop_program *p = empty_program(session);
    EXPECT_INT(loop_at(p, loop_const_int(p, TY_I8, 200))->integer, -56);
    loop_value most = loop_const_int(p, TY_I32, 2147483647);
    loop_value sum = loop_binary(p, LOOP_ADD, most, loop_const_int(p, TY_I32, 1));
    EXPECT_INT(loop_at(p, sum)->integer, -2147483648LL);
    EXPECT(loop_at(p, loop_const_float(p, TY_F32, 0.1))->number[0] == (double)0.1f);
    EXPECT(loop_at(p, loop_const_float(p, TY_F16, 2049))->number[0] == 2048); /* to even */
    EXPECT(loop_at(p, loop_const_float(p, TY_BF16, 257))->number[0] == 256);
    loop_value minus = loop_const_int(p, TY_I64, -7), two = loop_const_int(p, TY_I64, 2);
    EXPECT_INT(loop_at(p, loop_binary(p, LOOP_FLOORDIV, minus, two))->integer, -4);
    EXPECT_INT(loop_at(p, loop_binary(p, LOOP_TRUNCDIV, minus, two))->integer, -3);
    EXPECT_INT(loop_at(p, loop_binary(p, LOOP_REM, minus, two))->integer, 1);
    EXPECT_INT(loop_at(p, loop_binary(p, LOOP_FMOD, minus, two))->integer, -1);
    return FE_OK;
}

SESSION_TEST(loop_substitution_takes_shared_values_once)
{
    loop_program *p = empty_program(session);
    loop_value v = loaded(p, input_of(p, TY_F32));
    /* a tree would have 2^60 leaves */
    for (int k = 0; k < 60; k++) v = loop_binary(p, LOOP_ADD, v, v);
    sym_expr from = loop_axis(p, 0), to = sym_add_int(p->symbols, from, 1);
    uint32_t before = p->nodes.count;
    loop_value moved = loop_substitute(p, v, &from, &to, 1);
    EXPECT(moved.id != v.id);
    EXPECT_INT(loop_node_count(p, moved), 61);
    EXPECT_INT(p->nodes.count, before + 61);
    EXPECT(loop_uses_axis(p, moved, from));
    EXPECT(!loop_uses_axis(p, moved, loop_axis(p, 1)));
    return FE_OK;
}

SESSION_TEST(loop_substitution_reaches_behind_indirect_symbols)
{
    loop_program *p = empty_program(session);
    loop_buffer_id ids = input_of(p, TY_I64), table = input_of(p, TY_F32);
    loop_bound bound = {.size = sym_int(p->symbols, 4), .wraps = true};
    sym_expr j = loop_indirect(p, loaded(p, ids), bound, NULL), axis = loop_axis(p, 0);
    EXPECT(sym_same(j, loop_indirect(p, loaded(p, ids), bound, NULL)));
    EXPECT(sym_same(loop_indirect_bound(p, j)->size, bound.size));
    loop_value v = loop_load(p, table, j);
    sym_expr to = loop_axis(p, 1);
    loop_value moved = loop_substitute(p, v, &axis, &to, 1);
    EXPECT(loop_uses_axis(p, moved, to));
    EXPECT(!loop_uses_axis(p, moved, axis));
    EXPECT_INT(loop_load_count(p, moved), 2);
    return FE_OK;
}

static loop_value twice_index(void *data, loop_program *p, sym_expr index)
{
    (void)data;
    return loop_cast(p, TY_F32, loop_index(p, sym_mul_int(p->symbols, index, 2)));
}

SESSION_TEST(loop_loads_are_replaced_by_what_stands_at_their_index)
{
    loop_program *p = empty_program(session);
    loop_buffer_id a = input_of(p, TY_F32), b = input_of(p, TY_F32);
    loop_value v = loop_binary(p, LOOP_ADD, loaded(p, a), loaded(p, b));
    loop_value replaced = loop_replace_loads(p, v, a, twice_index, NULL);
    EXPECT_INT(loop_load_count(p, replaced), 1);
    EXPECT_INT(loop_at(p, replaced)->args[1].id, loaded(p, b).id);
    return FE_OK;
}

/* ---- the laws ---- */

SESSION_TEST(loop_check_finds_what_breaks_a_law)
{
    expect_law(session,
               "program m\ninput @x : f32[4] strides [1]\ntemp @b : f32[4] strides [1]\n"
               "nest [i0 < 4] {\n  %0 = load f32 @x[i0 + 1]\n  @b[i0] = %0\n}\n",
               "L1");
    expect_law(session,
               "program m\ninput @x : f32[4] strides [1]\ntemp @b : i32[4] strides [1]\n"
               "nest [i0 < 4] {\n  %0 = load f32 @x[i0]\n  @b[i0] = %0\n}\n",
               "L2");
    expect_law(session,
               "program m\ninput @x : f16[4] strides [1]\ntemp @b : f16[4] strides [1]\n"
               "nest [i0 < 4] {\n  %0 = load f16 @x[i0]\n  %1 = exp %0 : f16\n  @b[i0] = %1\n}\n",
               "L2");
    expect_law(session,
               "program m\ntemp @a : f32[4] strides [1]\ntemp @b : f32[4] strides [1]\n"
               "nest [i0 < 4] {\n  %0 = load f32 @a[i0]\n  @b[i0] = %0\n}\n",
               "L3");
    expect_law(session,
               "program m\ninput @x : f32[4] strides [1]\ntemp @b : f32[16] strides [1]\n"
               "nest [i0 < 4, i1 < i0] {\n  %0 = load f32 @x[i0]\n  @b[4*i0 + i1] = %0\n}\n",
               "L6");
    expect_law(session,
               "program m\ninput @x : f32[4] strides [1]\ntemp @b : f32[4] strides [1]\n"
               "nest [i0 < 4, i1 < 2] {\n  %0 = load f32 @x[i0]\n  @b[i0] = %0\n}\n",
               "L5");
    expect_law(session,
               "program m\ninput @x : f32[4] strides [1]\ntemp @b : f32[4] strides [1]\n"
               "nest [i0 < 4] {\n  %0 = load f32 @x[i0 + u7 - u7 + i3]\n  @b[i0] = %0\n}\n",
               "L6");
    return FE_OK;
}

/* Whatever their numbers: the last five do not fit in 64 bits, or begin before the buffer. */
SESSION_TEST(loop_check_finds_views_that_reach_out)
{
    static const char *const VIEWS[] = {
        "@x[5]{1}",
        "@x[2]{4}",
        "@x[4]{1} + 1",
        "@x[4]{-1}",
        "@x[4]{-1} + 2",
        "@x[-4]{1}",
        "@x[4]{4611686018427387904}",
        "@x[2]{9223372036854775807} + 1",
        "@x[2,2]{9223372036854775807,9223372036854775807}",
        "@x[9223372036854775807]{9223372036854775807}",
        "@x[4]{1} + -9223372036854775808",
    };
    for (size_t k = 0; k < COUNT_OF(VIEWS); k++) {
        char source[300];
        snprintf(source, sizeof source,
                 "program m\ninput @x : f32[4] strides [1]\ntemp @b : f32[4] strides [1]\n"
                 "extern copy (%s) -> (@b[4]{1}) ints [0] floats []\n",
                 VIEWS[k]);
        expect_law(session, source, "L1");
    }
    return FE_OK;
}

SESSION_TEST(loop_check_lets_masked_loads_reach_out)
{
    loop_program *p =
        parsed(session, "program m\ninput @x : f32[4] strides [1]\ntemp @b : f32[6] strides [1]\n"
                        "nest [i0 < 6] {\n  %0 = index i0 : i64\n  %1 = const 4 : i64\n"
                        "  %2 = lt %0, %1 : bool\n  %3 = load f32 @x[i0]\n  %4 = const 9.0 : f32\n"
                        "  %5 = masked %2, %3, %4 : f32\n  @b[i0] = %5\n}\n");
    float x[4] = {1, 2, 3, 4};
    void *buffers[2] = {x, NULL};
    if (!p) return FE_OK;
    FE_TRY(loop_check(p, "test"));
    FE_TRY(interpreted(p, buffers));
    const float *b = buffers[1];
    EXPECT(b[3] == 4 && b[4] == 9 && b[5] == 9);
    return FE_OK;
}

/* ---- the interpreter ---- */

SESSION_TEST(loop_interpreter_reduces)
{
    loop_program *p = parsed(
        session, "program m\ninput @x : f32[2,3] strides [3,1]\ntemp @s : f32[2] strides [1]\n"
                 "temp @m : i64[2] strides [1]\ntemp @p : f32[] strides []\n"
                 "nest [i0 < 2] reduce [r0 < 3] {\n  %0 = load f32 @x[3*i0 + r0]\n"
                 "  @s[i0] = sum %0\n  @m[i0] = argmax %0\n}\n"
                 "nest [] reduce [r0 < 2, r1 < 3] {\n  %0 = load f32 @x[3*r0 + r1]\n"
                 "  @p[0] = prod %0\n}\n");
    float x[6] = {1, 5, 5, 2, (float)NAN, 3};
    void *buffers[4] = {x};
    if (!p) return FE_OK;
    FE_TRY(interpreted(p, buffers));
    EXPECT(((float *)buffers[1])[0] == 11 && isnan(((float *)buffers[1])[1]));
    EXPECT_INT(((int64_t *)buffers[2])[0], 1); /* the first of equals */
    EXPECT_INT(((int64_t *)buffers[2])[1], 1); /* NaN is extreme */
    EXPECT(isnan(((float *)buffers[3])[0]));
    return FE_OK;
}

SESSION_TEST(loop_interpreter_scans)
{
    loop_program *p = parsed(
        session, "program m\ninput @x : f32[2,3] strides [3,1]\ntemp @s : f32[2,3] strides [3,1]\n"
                 "temp @l : f64[2,3] strides [3,1]\n"
                 "nest [i0 < 2] reduce [r0 < 3] {\n  %0 = load f32 @x[3*i0 + r0]\n"
                 "  %1 = cast %0 : f64\n  @s[3*i0 + r0] = scan sum %1\n"
                 "  @l[3*i0 - r0 + 2] = scan log_sum_exp %1\n}\n");
    float x[6] = {1, 5, 5, 2, -(float)INFINITY, 3};
    void *buffers[3] = {x};
    if (!p) return FE_OK;
    FE_TRY(loop_check(p, "test"));
    FE_TRY(interpreted(p, buffers));
    const float *s = buffers[1];
    const double *l = buffers[2];
    EXPECT(s[0] == 1 && s[1] == 6 && s[2] == 11 && s[3] == 2 && isinf(s[5]));
    EXPECT(l[2] == 1 && fabs(l[0] - (5 + log(2 + exp(-4)))) < 1e-14 && l[4] == 2);
    return FE_OK;
}

SESSION_TEST(loop_check_refuses_scans_that_stand_still)
{
    static const char *const WRONG[] = {"  @s[i0] = scan sum %0\n", "  @s[3*i0 + r0] = scan %0\n",
                                        "  @s[3*i0 + r0] add= scan sum %0\n",
                                        "", /* nothing at all */
                                        "  @s[3*i0 + r0] = scan argmax %0\n"};
    for (size_t k = 0; k < COUNT_OF(WRONG); k++) {
        loop_program *p =
            parsed(session, arena_printf(session->memory,
                                         "program m\ninput @x : f32[2,3] strides [3,1]\n"
                                         "state @s : f32[2,3] strides [3,1]\n"
                                         "nest [i0 < 2] reduce [r0 < 3] {\n"
                                         "  %%0 = load f32 @x[3*i0 + r0]\n%s}\n",
                                         WRONG[k]));
        if (!p) continue;
        EXPECT(loop_check(p, "test") == FE_INTERNAL);
        EXPECT(session->last_diag && strstr(session->last_diag->message, "law L5"));
    }
    return FE_OK;
}

SESSION_TEST(loop_interpreter_follows_indices_and_refuses_wrong_ones)
{
    loop_program *p = parsed(
        session, "program m\ninput @x : f32[4] strides [1]\ninput @ids : i64[3] strides [1]\n"
                 "temp @b : f32[3] strides [1]\n"
                 "nest [i0 < 3] {\n  %0 = load i64 @ids[i0]\n  j0 = indirect %0 < 4\n"
                 "  %1 = load f32 @x[j0]\n  @b[i0] = %1\n}\n");
    float x[4] = {10, 11, 12, 13};
    int64_t ids[3] = {3, 0, 2};
    void *buffers[3] = {x, ids, NULL};
    if (!p) return FE_OK;
    FE_TRY(interpreted(p, buffers));
    const float *b = buffers[2];
    EXPECT(b[0] == 13 && b[1] == 10 && b[2] == 12);
    ids[1] = 4;
    EXPECT(interpreted(p, buffers) == FE_MISMATCH);
    EXPECT(session->last_diag && strstr(session->last_diag->message, "index 4 is out of bounds"));
    return FE_OK;
}

/* Steps of an outer repeat, each with an inner one that doubles until a bound, and two arms. */
static const char REGIONS[] =
    "program m\ninput  @x : f32[3] strides [1]\ntemp   @c : f32[] strides []\n"
    "temp   @more : bool[] strides []\ntemp   @even : bool[] strides []\n"
    "temp   @y : f32[3] strides [1]\ntemp   @z : f32[] strides []\n"
    "repeat u0 < 3 -> (@y[3]{1})\n"
    "nest [] {\n  %0 = load f32 @x[u0]\n  @c[0] = %0\n"
    "  %1 = index u0 : i64\n  %2 = const 1 : i64\n  %3 = eq %1, %2 : bool\n  @even[0] = %3\n}\n"
    "repeat forever\n"
    "nest [] {\n  %0 = load f32 @c[0]\n  %1 = const 10.0 : f32\n  %2 = lt %0, %1 : bool\n"
    "  @more[0] = %2\n}\n"
    "while @more[]{}\n"
    "nest [] {\n  %0 = load f32 @c[0]\n  %1 = add %0, %0 : f32\n  @c[0] = %1\n}\n"
    "end\n"
    "if @even[]{} -> (@z[]{})\n"
    "nest [] {\n  %0 = load f32 @c[0]\n  %1 = neg %0 : f32\n  @z[0] = %1\n}\n"
    "else\n"
    "nest [] {\n  %0 = load f32 @c[0]\n  @z[0] = %0\n}\n"
    "end\n"
    "nest [] {\n  %0 = load f32 @z[0]\n  @y[u0] = %0\n}\n"
    "end\n"
    "output @y[3]{1}\n";

SESSION_TEST(loop_interpreter_runs_regions)
{
    loop_program *p = parsed(session, REGIONS);
    float x[3] = {1, 3, 20};
    void *buffers[7] = {x};
    if (!p) return FE_OK;
    FE_TRY(loop_check(p, "test"));
    EXPECT_TEXT(printed(p), REGIONS);
    FE_TRY(interpreted(p, buffers));
    const float *y = buffers[4];
    EXPECT(y[0] == 16 && y[1] == -12 && y[2] == 20);
    return FE_OK;
}

SESSION_TEST(loop_check_finds_regions_that_do_not_nest)
{
    static const char *const FRONT =
        "program m\ninput @p : bool[] strides []\ninput @x : f32[] strides []\n"
        "temp @y : f32[] strides []\n";
    static const char *const WRITE = "nest [] {\n  %0 = load f32 @x[0]\n  @y[0] = %0\n}\n";
    static const char *const WRONG[] = {
        "end\n",
        "else\n",
        "while @p[]{}\n",
        "repeat forever\n",
        "if @p[]{}\nend\n",
        "if @x[]{}\nelse\nend\n",
        "repeat forever\nif @p[]{}\nwhile @p[]{}\nelse\nend\nend\n",
        "if @p[]{} -> (@y[]{})\n*else\nend\n",
    };
    for (size_t k = 0; k < COUNT_OF(WRONG); k++) {
        text source;
        text_init(&source, session->memory);
        text_add(&source, FRONT);
        for (const char *c = WRONG[k]; *c; c++)
            if (*c == '*')
                text_add(&source, WRITE);
            else
                text_char(&source, *c);
        expect_law(session, source.at, "L9");
    }
    expect_law(session,
               "program m\ninput @p : bool[] strides []\ntemp @y : f32[] strides []\n"
               "temp @z : f32[] strides []\nif @p[]{}\n"
               "nest [] {\n  %0 = const 1.0 : f32\n  @y[0] = %0\n}\nelse\nend\n"
               "nest [] {\n  %0 = load f32 @y[0]\n  @z[0] = %0\n}\n",
               "L3");
    return FE_OK;
}

SESSION_TEST(loop_interpreter_adds_into_what_is_there)
{
    loop_program *p;
    p = parsed(
        session,
        "program m\ninput @x : f16[4] strides [1]\nstate @b : i8[1] strides [1]\n"
        "nest [i0 < 4] {\n  %0 = load f16 @x[i0]\n  %1 = cast %0 : i8\n  @b[0] add= %1\n}\n");
    uint16_t x[4] = {0x3c00, 0x4000, 0x4200, 0x5630}; /* 1, 2, 3, 99 */
    int8_t b = 100;
    void *buffers[2] = {x, &b};
    if (!p) return FE_OK;
    FE_TRY(interpreted(p, buffers));
    EXPECT_INT(b, (int8_t)205);
    return FE_OK;
}
