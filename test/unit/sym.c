/* sym.c -- src/sym: normal forms as tables of texts, and random programs against plain arithmetic.
 *
 * A row of a table is an expression as it is typed and as it must print. The random tests build
 * the same tree twice, as an expression and as numbers, and compare at random points within the
 * symbols' ranges.
 */
#include "sym/sym.h"
#include "unit.h"

#include <inttypes.h>
#include <string.h>

static sym_expr parse(sym_table *t, fe_session *session, const char *source)
{
    lexer lx;
    sym_expr e = {0};
    lex_init(&lx, session, "test", source, strlen(source));
    bool good = sym_parse(t, &lx, &e) == FE_OK && lex_finish(&lx) == FE_OK;
    return good ? e : (sym_expr){0};
}

static const char *print(const sym_table *t, fe_session *session, sym_expr e)
{
    text out;
    text_init(&out, session->memory);
    sym_print(t, e, &out);
    return out.at;
}

/* i0 < 8, i1 < 56, i2 < 7, i3 < 1 beside the sizes s0..s2 of the loops r0..r2; s9 is at least 2. */
static sym_table *new_table(fe_session *session)
{
    static const int64_t LAST[] = {7, 55, 6, 0};
    sym_table *t = sym_table_new(session->memory);
    for (int i = 0; i < 4; i++) {
        char name[] = {'i', (char)('0' + i), 0};
        sym_symbol(t, name, SYM_INDEX, 0, LAST[i]);
    }
    sym_symbol(t, "s9", SYM_SIZE, 2, SYM_NO_MAX);
    return t;
}

typedef struct row {
    const char *typed, *printed;
} row;

static void check_rows(fe_session *session, const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sym_table *t = new_table(session);
        sym_expr e = parse(t, session, rows[i].typed);
        EXPECT_TEXT(print(t, session, e), rows[i].printed);
        EXPECT(sym_same(parse(t, session, rows[i].printed), e));
        EXPECT(sym_same(parse(t, session, rows[i].typed), e));
    }
}

SESSION_TEST(sums_and_products_have_one_form)
{
    static const row ROWS[] = {
        {"1 + 2*3", "7"},
        {"7 // 2 - -7 // 2 + -7 % 4", "8"},
        {"s0 + 1 + s0 - 2", "2*s0 - 1"},
        {"s0 - s0", "0"},
        {"1 - s0", "-s0 + 1"},
        {"s0 -1", "s0 - 1"},
        {"s0 -8//3", "s0 - 2"},
        {"i1*4*s0", "4*s0*i1"},
        {"s1 + s10 + s2", "s1 + s2 + s10"},
        {"i0 + u0 + s0", "s0 + u0 + i0"},
        {"(s0 + 1)*(s0 - 1)", "s0*s0 - 1"},
        {"(s0 + s1)*(s0 + s1)", "s0*s0 + 2*s0*s1 + s1*s1"},
        {"s0*s1*i0 + i2 + s1*i1", "s0*s1*i0 + s1*i1 + i2"},
        {"-(s0 - 3*s1)", "-s0 + 3*s1"},
        {"0*s0", "0"},
        {"9223372036854775807 + 1", "1 + 9223372036854775807"},
        {"9223372036854775807*2 - 1", "9223372036854775807*2 - 1"},
        {"s0*9223372036854775807*2 - s0*9223372036854775807*2", "0"},
    };
    check_rows(session, ROWS, COUNT_OF(ROWS));
    return FE_OK;
}

SESSION_TEST(division_has_one_form)
{
    static const row ROWS[] = {
        {"(4*s0 + 8) // 4", "s0 + 2"},
        {"(4*s0 + 8) % 4", "0"},
        {"(s0 + 11) // 8", "(s0 + 3) // 8 + 1"},
        {"(s0 - 1) // 2 + 1", "(s0 + 1) // 2"},
        {"((s0 - 1) // 2 + 1 - 1) // 2 + 1", "(s0 + 3) // 4"},
        {"(6*s0 + 4) // 8", "(3*s0 + 2) // 4"},
        {"(2*s0 + 1) % 8", "2*(s0 % 4) + 1"},
        {"s0 // 4 // 3", "s0 // 12"},
        {"s0 // s1 // 3", "s0 // (3*s1)"},
        {"s0 // s9 // s9", "s0 // (s9*s9)"},
        {"s0 % 12 // 4", "(s0 // 4) % 3"},
        {"(4*s1 + s0 // 60) // 7", "(s0 + 240*s1) // 420"},
        {"60*((4*s1 + s0 // 60) % 7) + 420*((240*s1 + s0) // 420)", "240*s1 + 60*(s0 // 60)"},
        {"s0 % 12 % 4", "s0 % 4"},
        {"(s0 % 12 + 5) % 4", "(s0 + 1) % 4"},
        {"s0 % 4 % 12", "s0 % 4"},
        {"s0 // 4 * 4 + s0 % 4", "s0"},
        {"s0*s1 // s1", "s0"},
        {"s0*s1 % s1", "0"},
        {"(s0*s1 + s1) // (s0 + 1)", "s1"},
        {"(s0*s0 - 1) // (s0 + 1)", "s0 - 1"},
        {"s0 // s0", "1"},
        {"8*s0 // (4*s1)", "(2*s0) // s1"},
        {"8*s0 % (4*s1)", "4*((2*s0) % s1)"},
        {"s0 // s1 * s1 + s0 % s1", "s0"},
        {"s0 - s0 // 8 * 8", "s0 % 8"},
        {"s0 + 5 - (s0 + 5) // 8 * 8", "(s0 + 5) % 8"},
        {"s0 % 4 + 4*(s0 // 4 % 8)", "s0 % 32"},
        {"3*(s0 % 4) + 12*(s0 // 4) + s1", "3*s0 + s1"},
        {"s0 // -3", "(-s0) // 3"},
        {"s0 % -3", "-((-s0) % 3)"},
        {"s0 // 0", "s0 // 0"},
        {"7 // s0", "7 // s0"},
        {"9*s0 // 8 * 8 + 9*s0 % 8", "9*s0"},
        {"min(s0, 3) // 4", "0"},
    };
    check_rows(session, ROWS, COUNT_OF(ROWS));
    return FE_OK;
}

SESSION_TEST(indices_of_flattened_loops_fall_apart)
{
    static const row ROWS[] = {
        {"(i0*56 + i1) // 56", "i0"},
        {"(i0*56 + i1) % 56", "i1"},
        {"(56*i0 + i1) // 7 % 8", "i1 // 7"},
        {"(64*s0 + 8*i2 + i0) % 64", "i0 + 8*i2"},
        {"(64*s0 + 8*i2 + i0) // 64", "s0"},
        {"(64*s0 + 8*i2 + i0) // 8", "8*s0 + i2"},
        {"(64*s0 + 8*i2 + i0) // 16", "4*s0 + i2 // 2"},
        {"(64*s0 + 8*i2 + i0) % 16", "i0 + 8*(i2 % 2)"},
        {"(8*s0 + i0 + 8) // 8", "s0 + 1"},
        {"(8*s0 + i0 - 8) % 8", "i0"},
        {"(8*s0 + i0 + 3) // 4", "2*s0 + (i0 + 3) // 4"},
        {"(56*i0 + i1) // 448", "0"},
        {"(8*s0 + 5*max(min(s0, 3), 2)) // 16", "(s0 + 1) // 2"},
        {"(8*s0 + 5*max(min(s0, 3), 2)) % 16", "8*((s0 + 1) % 2) + 5*max(min(s0, 3), 2) - 8"},
        {"i3 * 5 + i0 // 8", "5*i3"},
        {"(i1 // 7) * 7 + i1 % 7", "i1"},
    };
    check_rows(session, ROWS, COUNT_OF(ROWS));
    return FE_OK;
}

SESSION_TEST(min_max_and_predicates_have_one_form)
{
    static const row ROWS[] = {
        {"min(4, s0)", "min(s0, 4)"},
        {"min(min(s1, 4), s0, s1)", "min(s0, s1, 4)"},
        {"min(s0, s0 + 1)", "s0"},
        {"max(s0, -3)", "s0"},
        {"max(s9, 2)", "s9"},
        {"max(s0, 1)", "max(s0, 1)"},
        {"max(s0, min(s0, s1))", "s0"},
        {"max(min(s0, 4), 9)", "9"},
        {"s0 < 8", "s0 <= 7"},
        {"8 >= s0", "s0 <= 8"},
        {"s0 > 0", "0 < s0"},
        {"2*s0 <= 9", "s0 <= 4"},
        {"s0 == 2*u0", "s0 == 2*u0"},
        {"2*u0 == s0", "s0 == 2*u0"},
        {"4*s0 == 6", "0"},
        {"s0 + 1 > s1", "s1 <= s0"},
        {"s0 - s1 != 3", "s0 != s1 + 3"},
        {"s0 >= 0", "1"},
        {"!(s0 <= 8)", "9 <= s0"},
        {"!(s0 == 8)", "s0 != 8"},
        {"s0 <= 8 && (u0 == 1 || 3 < u0) && s0 <= 8", "s0 <= 8 && (u0 == 1 || 4 <= u0)"},
        {"s0 == 1 || s0 != 1", "1"},
        {"s0 == 1 && !(s0 == 1)", "0"},
        {"!(s0 == 1 && s1 == 1)", "!(s0 == 1 && s1 == 1)"},
        {"(s0 == 1) + (s1 == 1)", "(s0 == 1) + (s1 == 1)"},
        {"s0 % 4 <= s0", "1"},
        {"s0 // 2 <= s0", "1"},
        {"min(s0, s1) <= s1", "1"},
        {"s9*s0 >= s0", "1"},
        {"s0*s0 - 2*s0*s9 == 5", "s0*s0 == 2*s0*s9 + 5"},
    };
    check_rows(session, ROWS, COUNT_OF(ROWS));
    return FE_OK;
}

SESSION_TEST(bad_expressions_are_refused)
{
    static const char *const BAD[] = {
        "", "1 +", "(s0", "s0)", "min(s0", "* 2", "s0 s1", "!", "99999999999999999999"};
    for (size_t i = 0; i < COUNT_OF(BAD); i++)
        EXPECT(sym_is_none(parse(sym_table_new(session->memory), session, BAD[i])));
    text deep;
    text_init(&deep, session->memory);
    for (int i = 0; i < 100000; i++) text_char(&deep, '(');
    EXPECT(sym_is_none(parse(sym_table_new(session->memory), session, deep.at)));
    text_init(&deep, session->memory);
    text_add(&deep, "u0");
    for (int i = 0; i < 20000; i++) text_add(&deep, " % u1 // u2");
    EXPECT(sym_is_none(parse(sym_table_new(session->memory), session, deep.at)));
    return FE_OK;
}

/* ---- under an environment ---- */

SESSION_TEST(environments_bound_loop_variables)
{
    static const struct {
        const char *typed, *simplified;
    } ROWS[] = {
        {"(s1*r0 + r1) // s1", "r0"},
        {"(s1*r0 + r1) % s1", "r1"},
        {"(s1*s2*r0 + s2*r1 + r2) // (s1*s2)", "r0"},
        {"(s1*s2*r0 + s2*r1 + r2) // s2", "s1*r0 + r1"},
        {"(s1*s2*r0 + s2*r1 + r2) // s2 % s1", "r1"},
        {"(s1*s2*r0 + s2*r1 + r2) % (s1*s2)", "s2*r1 + r2"},
        {"(64*s1*r0 + 64*r1 + r3) // 64", "s1*r0 + r1"},
        {"(64*s1*r0 + 64*r1 + r3) // (64*s1)", "r0"},
        {"(64*s1*r0 + 64*r1 + r3) // 64 % s1", "r1"},
        {"(r1 + 4) // 64", "(r1 + 4) // 64"},
        {"(r3 + 64) // 64 + r3 % 128", "r3 + 1"},
        {"r4", "0"},
        {"max(s1, 1)", "s1"},
        {"min(r1, s1)", "r1"},
        {"max(s0 - 1 - r0, 0)", "s0 - r0 - 1"},
        {"r1 < s1", "1"},
        {"r0*s1 + r1 < s0*s1", "1"},
        {"r0 == s0", "0"},
    };
    sym_table *t = sym_table_new(session->memory);
    static const char *const EXTENTS[] = {"s0", "s1", "s2", "64", "1"};
    sym_bound bounds[COUNT_OF(EXTENTS)];
    for (size_t i = 0; i < COUNT_OF(EXTENTS); i++) {
        char name[] = {'r', (char)('0' + i), 0};
        bounds[i] = (sym_bound){parse(t, session, name), parse(t, session, EXTENTS[i])};
    }
    sym_env env = {bounds, COUNT_OF(bounds)};
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        sym_expr e = sym_simplify(t, parse(t, session, ROWS[i].typed), &env);
        EXPECT_TEXT(print(t, session, e), ROWS[i].simplified);
    }
    EXPECT(sym_known_less_equal(t, parse(t, session, "s1*r0 + r1 + 1"), parse(t, session, "s0*s1"),
                                &env));
    EXPECT(!sym_known_less_equal(t, parse(t, session, "s1*r0 + r1 + 2"), parse(t, session, "s0*s1"),
                                 &env));
    EXPECT(sym_known_less_equal(t, parse(t, session, "(3*s0 + 2) // 3"), parse(t, session, "s0"),
                                NULL));
    EXPECT(!sym_known_less_equal(t, parse(t, session, "(3*s0 + 3) // 3"), parse(t, session, "s0"),
                                 NULL));
    EXPECT(sym_known_less_equal(t, parse(t, session, "s0"), parse(t, session, "(7*s0 + s1) // 7"),
                                NULL));
    EXPECT(!sym_known_less_equal(t, parse(t, session, "s0"), parse(t, session, "(7*s0 - s1) // 7"),
                                 NULL));
    EXPECT(sym_known_less_equal(t, parse(t, session, "2*((s0 + 5) // 3)"),
                                parse(t, session, "s0 + 4"), NULL));
    EXPECT(!sym_known_less_equal(t, parse(t, session, "2*((s0 + 5) // 3)"),
                                 parse(t, session, "s0 - 3"), NULL));
    EXPECT(sym_known_divisible(t, parse(t, session, "6*s0 + 4*s1"), parse(t, session, "2"), NULL));
    EXPECT(!sym_known_divisible(t, parse(t, session, "6*s0 + 3*s1"), parse(t, session, "2"), NULL));
    EXPECT(
        sym_known_divisible(t, parse(t, session, "s0*s1 + 2*s1"), parse(t, session, "s1"), NULL));
    EXPECT(sym_prove(t, parse(t, session, "r0 < s0 && r3 <= 63"), &env) == SYM_TRUE);
    EXPECT(sym_prove(t, parse(t, session, "r0 == 3"), &env) == SYM_UNKNOWN);
    EXPECT(sym_prove(t, parse(t, session, "r3 == 64 || r0 == s0"), &env) == SYM_FALSE);
    return FE_OK;
}

SESSION_TEST(polynomials_of_a_symbol_with_few_values_are_bounded)
{
    sym_table *t = sym_table_new(session->memory);
    sym_expr zero = sym_int(t, 0);
    (void)sym_symbol(t, "s0", SYM_SIZE, 2, 5);
    (void)sym_symbol(t, "s1", SYM_SIZE, 2, 1000);
    EXPECT(sym_known_less_equal(t, zero, parse(t, session, "16*s0*s0 - 144*s0 + 320"),
                                NULL)); /* 4, 5 */
    EXPECT(!sym_known_less_equal(t, zero, parse(t, session, "16*s0*s0 - 144*s0 + 319"), NULL));
    EXPECT(!sym_known_less_equal(t, zero, parse(t, session, "s1*s1 - 9*s1 + 20"), NULL));
    EXPECT(!sym_known_less_equal(t, zero, parse(t, session, "s0*s0 - 9*s0 + s1 + 18"), NULL));
    return FE_OK;
}

SESSION_TEST(distances_have_no_negative_range)
{
    static const struct {
        const char *text;
        int64_t min, max;
    } ROWS[] = {
        {"max(s0 - 3, 3 - s0)", 0, 17},
        {"min(s0 - 3, 3 - s0)", -17, 0},
        {"max(2*s0 - s1 - 3, s1 - 2*s0 + 8)", 3, 38},
        {"min(2*s0 - s1 - 3, s1 - 2*s0 + 8)", -33, 2},
        {"6 - max(6 - max(s0 - 3, 3 - s0), max(s0 - 3, 3 - s0) - 6)", -5, 6},
        {"max(2*s0 - 3, 3 - s0)", -3, 37},
        {"max(s0 - 3, 3 - s1)", -3, 17},
    };
    sym_table *t = sym_table_new(session->memory);
    sym_symbol(t, "s0", SYM_SIZE, 0, 20), sym_symbol(t, "s1", SYM_SIZE, 0, 30);
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        int64_t min;
        int64_t max;
        sym_range(t, parse(t, session, ROWS[i].text), NULL, &min, &max);
        EXPECT_INT(min, ROWS[i].min);
        EXPECT_INT(max, ROWS[i].max);
    }
    return FE_OK;
}

SESSION_TEST(ranges_narrow_and_symbols_keep_their_kind)
{
    sym_table *t = sym_table_new(session->memory);
    sym_expr s = sym_symbol(t, "s0", SYM_SIZE, 0, 100), n = sym_symbol(t, "s9", SYM_SIZE, -7, 100);
    int64_t min;
    int64_t max;
    sym_expr e = sym_add_int(t, sym_mul_int(t, s, 4), 1);
    sym_range(t, e, NULL, &min, &max);
    EXPECT(min == 1 && max == 401);
    sym_range(t, n, NULL, &min, &max); /* a number that is given may be negative */
    EXPECT(min == -7 && max == 100);
    sym_set_range(t, s, 10, 20);
    sym_range(t, e, NULL, &min, &max);
    EXPECT(min == 41 && max == 81);
    sym_set_range(t, s, 30, 40); /* contradicts: ignored */
    EXPECT(sym_same(sym_symbol(t, "s0", SYM_INDEX, 0, 15), s));
    sym_range(t, e, NULL, &min, &max);
    EXPECT(min == 41 && max == 61);
    EXPECT(sym_kind_of(t, s) == SYM_SIZE);
    EXPECT(sym_is_none(sym_find_symbol(t, "s1")));
    sym_set_range(t, s, 12, 12);
    EXPECT_TEXT(print(t, session, sym_simplify(t, e, NULL)), "49");
    sym_range(t, sym_mul(t, e, sym_int(t, INT64_MAX)), NULL, &min, &max);
    EXPECT(min > 0 && max == SYM_NO_MAX);
    EXPECT_INT(sym_hint(t, e, 5), 21);
    sym_set_hint(t, s, 12);
    EXPECT_INT(sym_hint(t, e, 5), 49);
    return FE_OK;
}

/* ---- substitution, structure, text ---- */

static void note_symbol(void *data, sym_expr symbol)
{
    sym_expr **next = data;
    *(*next)++ = symbol;
}

SESSION_TEST(substitution_and_linear_parts)
{
    sym_table *t = sym_table_new(session->memory);
    sym_expr a = parse(t, session, "s0");
    sym_expr b = parse(t, session, "s1");
    sym_expr e = parse(t, session, "4*s0*s1 + s0 // 3 + min(s1, 7)");
    sym_expr swapped = sym_substitute(t, e, (sym_expr[]){a, b}, (sym_expr[]){b, a}, 2);
    EXPECT_TEXT(print(t, session, swapped), "4*s0*s1 + s1 // 3 + min(s0, 7)");
    sym_expr numbers =
        sym_substitute(t, e, (sym_expr[]){a, b}, (sym_expr[]){sym_int(t, 5), sym_int(t, 9)}, 2);
    EXPECT_TEXT(print(t, session, numbers), "188");
    sym_expr slope;
    sym_expr rest;
    EXPECT(!sym_linear_in(t, e, a, &slope, &rest));
    EXPECT(sym_linear_in(t, parse(t, session, "4*s0*s1 + s1 // 3 + 2*s0 + 1"), a, &slope, &rest));
    EXPECT_TEXT(print(t, session, slope), "4*s1 + 2");
    EXPECT_TEXT(print(t, session, rest), "s1 // 3 + 1");
    EXPECT(!sym_linear_in(t, parse(t, session, "s0*s0"), a, &slope, &rest));
    EXPECT(sym_contains(t, e, b) && !sym_contains(t, e, parse(t, session, "s2")));
    sym_expr found[4];
    sym_expr *next = found;
    sym_each_symbol(t, e, note_symbol, &next);
    EXPECT(next == found + 2 && sym_same(found[0], a) && sym_same(found[1], b));
    return FE_OK;
}

SESSION_TEST(shared_graphs_are_walked_once)
{
    sym_table *t = sym_table_new(session->memory);
    sym_expr u = parse(t, session, "u0");
    sym_expr v = parse(t, session, "u1");
    sym_expr e = u;
    for (int i = 0; i < 200; i++) /* 2^200 paths */
        e = sym_max(t, sym_floordiv(t, e, v), sym_mod(t, e, sym_add_int(t, v, i)));
    int64_t min;
    int64_t max;
    sym_env env = {&(sym_bound){v, sym_int(t, 9)}, 1};
    sym_range(t, e, &env, &min, &max);
    EXPECT(sym_contains(t, e, u) && !sym_contains(t, e, parse(t, session, "s0")));
    EXPECT_INT(sym_hint(t, e, 3), sym_hint(t, sym_substitute(t, e, &u, &v, 1), 3));
    sym_simplify(t, e, &env);
    return FE_OK;
}

SESSION_TEST(expressions_print_as_c)
{
    static const row ROWS[] = {
        {"4*s0 + 1", "((4 * s0) + 1)"},
        {"s0 // 8 - u0 % 8", "((s0 / 8) + ((-1) * fe_mod(u0, 8)))"},
        {"min(s0, 4) // u1", "fe_floordiv(fe_min(s0, 4), u1)"},
        {"s0 <= 8 && !(s0 == 1 && s1 == 2)", "((s0 <= 8) && (!((s0 == 1) && (s1 == 2))))"},
        {"s0 + 5000000000", "(s0 + 5000000000LL)"},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        sym_table *t = sym_table_new(session->memory);
        text out;
        text_init(&out, session->memory);
        sym_print_c(t, parse(t, session, ROWS[i].typed), &out);
        EXPECT_TEXT(out.at, ROWS[i].printed);
    }
    return FE_OK;
}

SESSION_TEST(the_form_does_not_depend_on_what_was_made_before)
{
    static const char *const TEXTS[] = {"s1*i1 + i0 + 7", "s0*s1 + s1 // 3 + s0 % 5",
                                        "min(s1, u0, 4*i0 + 9)"};
    for (size_t i = 0; i < COUNT_OF(TEXTS); i++) {
        sym_table *t = sym_table_new(session->memory);
        (void)parse(t, session, "i0 + 4*i0 + u0 + s1 % 7 + s1 + s0 % 5 + s0");
        sym_table *fresh = sym_table_new(session->memory);
        EXPECT_TEXT(print(t, session, parse(t, session, TEXTS[i])),
                    print(fresh, session, parse(fresh, session, TEXTS[i])));
    }
    return FE_OK;
}

/* ---- random programs ---- */

typedef struct random_state {
    uint64_t state;
} random_state;

static uint64_t draw(random_state *r, uint64_t below)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (r->state >> 33) % below;
}

enum { SYMBOLS = 6, POINTS = 12, POOL = 6, MOST_TERMS = 8 };

/* An expression and its values at the points; undefined where something divided by 0. */
typedef struct sample {
    sym_expr e;
    __extension__ __int128 at[POINTS];
    bool defined[POINTS];
} sample;

typedef struct world {
    sym_table *t;
    random_state random;
    sym_expr symbols[SYMBOLS];
    sym_env env;
    bool environment; /* the points respect env too */
    int64_t points[POINTS][SYMBOLS];
    sample pool[POOL]; /* made before, to be used again: parts that belong together must meet */
    uint32_t pooled;
} world;

static bool look_up(void *data, sym_expr symbol, int64_t *value)
{
    const int64_t *point = ((const int64_t **)data)[0];
    const world *w = ((world **)data)[1];
    for (int i = 0; i < SYMBOLS; i++)
        if (sym_same(symbol, w->symbols[i])) *value = point[i];
    return true;
}

static sample combine(world *w, int op, const sample *a, const sample *b);

static sample sample_int(world *w, int64_t value)
{
    sample s = {.e = sym_int(w->t, value)};
    for (int i = 0; i < POINTS; i++) {
        s.at[i] = value;
        s.defined[i] = true;
    }
    return s;
}

static sample sample_symbol(world *w)
{
    uint64_t which = draw(&w->random, SYMBOLS + 2);
    if (which >= SYMBOLS) return sample_int(w, (int64_t)draw(&w->random, 24) - 4);
    sample s = {.e = w->symbols[which]};
    for (int i = 0; i < POINTS; i++) {
        s.at[i] = w->points[i][which];
        s.defined[i] = true;
    }
    return s;
}

/* One of COEFFICIENTS times x. */
static sample sample_multiple(world *w, const sample *x)
{
    static const int COEFFICIENTS[] = {1, -1, 2, 3, 4, -4, 6, 8, -8, 12, 16, 24};
    sample c = sample_int(w, COEFFICIENTS[draw(&w->random, COUNT_OF(COEFFICIENTS))]);
    return combine(w, SYM_MUL, &c, x);
}

/* A sum of multiples of symbols, as in an index. */
static sample sample_linear(world *w)
{
    sample total = sample_int(w, (int64_t)draw(&w->random, 40) - 20);
    for (uint64_t terms = 1 + draw(&w->random, 3); terms > 0; terms--) {
        sample x = sample_symbol(w);
        sample multiple = sample_multiple(w, &x);
        total = combine(w, SYM_ADD, &total, &multiple);
    }
    return total;
}

static bool compute(int op, sample *out, const sample *a, const sample *b, int i)
{
    __extension__ __int128 x = a->at[i];
    __extension__ __int128 y = b->at[i];
    if (!a->defined[i] || !b->defined[i] || ((op == SYM_FLOORDIV || op == SYM_MOD) && y == 0))
        return false;
    __extension__ __int128 quotient = op == SYM_FLOORDIV || op == SYM_MOD ? x / y : 0;
    if (quotient * y != x && (x < 0) != (y < 0)) quotient--;
    switch (op) {
    case SYM_ADD: out->at[i] = x + y; break;
    case SYM_CONST: out->at[i] = x - y; break;
    case SYM_MUL: out->at[i] = x * y; break;
    case SYM_FLOORDIV: out->at[i] = quotient; break;
    case SYM_MOD: out->at[i] = x - quotient * y; break;
    case SYM_MIN: out->at[i] = x < y ? x : y; break;
    case SYM_MAX: out->at[i] = x > y ? x : y; break;
    case SYM_EQ: out->at[i] = x == y; break;
    case SYM_NE: out->at[i] = x != y; break;
    case SYM_LT: out->at[i] = x < y; break;
    case SYM_LE: out->at[i] = x <= y; break;
    case SYM_AND: out->at[i] = x != 0 && y != 0; break;
    default: out->at[i] = x != 0 || y != 0; break;
    }
    return true;
}

static sym_expr build(sym_table *t, int op, sym_expr a, sym_expr b)
{
    switch (op) {
    case SYM_ADD: return sym_add(t, a, b);
    case SYM_CONST: return sym_sub(t, a, b);
    case SYM_MUL: return sym_mul(t, a, b);
    case SYM_FLOORDIV: return sym_floordiv(t, a, b);
    case SYM_MOD: return sym_mod(t, a, b);
    case SYM_MIN: return sym_min(t, a, b);
    case SYM_MAX: return sym_max(t, a, b);
    default: return sym_compare(t, (sym_op)op, a, b);
    }
}

static sample combine(world *w, int op, const sample *a, const sample *b)
{
    sample s = {.e = build(w->t, op, a->e, b->e)};
    for (int i = 0; i < POINTS; i++) s.defined[i] = compute(op, &s, a, b, i);
    return s;
}

static sample sample_divisor(world *w)
{
    static const int DIVISORS[] = {2, 3, 4, 6, 8, 12, 16, 24, -4};
    return sample_int(w, DIVISORS[draw(&w->random, COUNT_OF(DIVISORS))]);
}

/* c*(x % n) and d*(x // n), or one of them and x. */
static sample sample_parts(world *w, const sample *x)
{
    sample n = draw(&w->random, 3) ? sample_divisor(w) : sample_symbol(w);
    sample q = combine(w, SYM_FLOORDIV, x, &n);
    sample whole = combine(w, SYM_MUL, &q, &n);
    sample r = draw(&w->random, 2) ? combine(w, SYM_MOD, x, &n) : *x;
    if (draw(&w->random, 3) == 0) whole = sample_multiple(w, &whole);
    if (draw(&w->random, 3) == 0) r = sample_multiple(w, &r);
    return combine(w, draw(&w->random, 2) ? SYM_ADD : SYM_CONST, &r, &whole);
}

static sample random_sample(world *w, int depth)
{
    static const int OPS[] = {SYM_ADD,      SYM_ADD, SYM_ADD,      SYM_CONST, SYM_MUL, SYM_MUL,
                              SYM_FLOORDIV, SYM_MOD, SYM_FLOORDIV, SYM_MOD,   SYM_MIN, SYM_MAX,
                              SYM_LE,       SYM_LT,  SYM_EQ,       SYM_AND,   SYM_OR,  SYM_NE};
    if (w->pooled > 0 && draw(&w->random, 6) == 0) return w->pool[draw(&w->random, w->pooled)];
    if (depth == 0) return draw(&w->random, 3) ? sample_symbol(w) : sample_linear(w);
    bool arithmetic = draw(&w->random, 4) != 0;
    int op = OPS[draw(&w->random, arithmetic ? 10 : COUNT_OF(OPS))];
    sample a = random_sample(w, depth - 1);
    if (draw(&w->random, 6) == 0) return sample_parts(w, &a);
    sample b = random_sample(w, depth - 1);
    if ((op == SYM_FLOORDIV || op == SYM_MOD) && draw(&w->random, 3) != 0) b = sample_divisor(w);
    sample s = combine(w, op, &a, &b);
    if (sym_arg_count(w->t, s.e) > MOST_TERMS) return sample_linear(w); /* no monsters */
    w->pool[w->pooled < POOL ? w->pooled++ : draw(&w->random, POOL)] = s;
    return s;
}

static void report(world *w, fe_session *session, const char *what, sym_expr e, int point)
{
    text out;
    text_init(&out, session->memory);
    sym_print(w->t, e, &out);
    for (int i = 0; i < SYMBOLS; i++)
        text_printf(&out, ", %s = %" PRId64, sym_name(w->t, w->symbols[i]), w->points[point][i]);
    EXPECT_TEXT(out.at, what);
}

/* e has the sample's values, which lie in the range that env gives. */
static void check_values(world *w, fe_session *session, const char *what, sym_expr e,
                         const sample *s, const sym_env *env)
{
    int64_t min;
    int64_t max;
    sym_range(w->t, e, env, &min, &max);
    for (int i = 0; i < POINTS; i++) {
        int64_t value;
        const void *data[] = {w->points[i], w};
        if (!s->defined[i] || !sym_eval(w->t, e, look_up, data, &value)) continue;
        if (value != s->at[i]) report(w, session, what, e, i);
        if (value < min || value > max) report(w, session, "out of range", e, i);
    }
}

static void check_proofs(world *w, fe_session *session, const sample *a, const sample *b)
{
    const sym_env *env = w->environment ? &w->env : NULL;
    bool below = sym_known_less_equal(w->t, a->e, b->e, env);
    bool divisible = sym_known_divisible(w->t, a->e, b->e, env);
    bool equal = sym_known_equal(w->t, a->e, b->e);
    for (int i = 0; i < POINTS; i++) {
        if (!a->defined[i] || !b->defined[i]) continue;
        if (below && a->at[i] > b->at[i])
            report(w, session, "not <=", sym_sub(w->t, a->e, b->e), i);
        if (equal && a->at[i] != b->at[i])
            report(w, session, "not ==", sym_sub(w->t, a->e, b->e), i);
        if (divisible && b->at[i] && a->at[i] % b->at[i])
            report(w, session, "not divisible", a->e, i);
    }
}

/* s0 and s1 may be 0 outside of loops; r0 < s0 and r1 < 12 where the environment holds. */
static void set_up(world *w, fe_session *session, uint64_t seed, bool environment)
{
    static const char *const NAMES[SYMBOLS] = {"s0", "s1", "u0", "r0", "r1", "r2"};
    static const int64_t LAST[SYMBOLS] = {40, 9, 20, 60, 60, 7};
    *w = (world){.t = sym_table_new(session->memory), .random = {seed}, .environment = environment};
    for (int i = 0; i < SYMBOLS; i++)
        w->symbols[i] = sym_symbol(w->t, NAMES[i],
                                   i < 2    ? SYM_SIZE
                                   : i == 2 ? SYM_UNBACKED
                                            : SYM_INDEX,
                                   i == 2 ? SYM_NO_MIN : 0, i == 5 ? LAST[i] : SYM_NO_MAX);
    sym_bound *bounds = NEW_ARRAY(session->memory, sym_bound, 2);
    bounds[0] = (sym_bound){w->symbols[3], w->symbols[0]};
    bounds[1] = (sym_bound){w->symbols[4], sym_int(w->t, 12)};
    w->env = (sym_env){bounds, 2};
    for (int p = 0; p < POINTS; p++) {
        int64_t *at = w->points[p];
        for (int i = 0; i < SYMBOLS; i++) at[i] = (int64_t)draw(&w->random, (uint64_t)LAST[i] + 1);
        at[2] -= 10;
        if (!environment) continue;
        at[0] += 1;
        at[3] = (int64_t)draw(&w->random, (uint64_t)at[0]);
        at[4] = (int64_t)draw(&w->random, 12);
    }
}

static void check_random(fe_session *session, uint64_t seed, bool environment)
{
    world w;
    set_up(&w, session, seed, environment);
    const sym_env *env = environment ? &w.env : NULL;
    for (int round = 0; round < 20; round++) {
        sample a = random_sample(&w, 1 + (int)draw(&w.random, 4));
        sample b = random_sample(&w, 1 + (int)draw(&w.random, 2));
        check_values(&w, session, "built", a.e, &a, NULL);
        check_values(&w, session, "simplified", sym_simplify(w.t, a.e, env), &a, env);
        check_proofs(&w, session, &a, &b);
        check_proofs(&w, session, &b, &a);
        sample bound = sample_linear(&w);
        check_proofs(&w, session, &a, &bound);
        check_proofs(&w, session, &bound, &a);
        sym_expr again = parse(w.t, session, print(w.t, session, a.e));
        if (!sym_same(again, a.e))
            EXPECT_TEXT(print(w.t, session, again), print(w.t, session, a.e));
        sym_expr none = sym_substitute(w.t, a.e, w.symbols, w.symbols, SYMBOLS);
        check_values(&w, session, "substituted", none, &a, NULL);
    }
}

SESSION_TEST(random_expressions_keep_their_values)
{
    for (uint64_t seed = 0; seed < 150; seed++) {
        check_random(session, seed, false);
        check_random(session, seed, true);
    }
    return FE_OK;
}
