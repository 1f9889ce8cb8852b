/* given.c -- src/sym/given.c: what it proves from what is given, and, of random expressions over few
 * values, that it proves nothing that does not hold.
 */
#include "sym/sym.h"
#include "unit.h"

#include <string.h>

static sym_expr parse(sym_table *t, fe_session *session, const char *source)
{
    lexer lx;
    sym_expr e = {0};
    lex_init(&lx, session, "test", source, strlen(source));
    EXPECT(sym_parse(t, &lx, &e) == FE_OK);
    return e;
}

typedef struct row {
    const char *small, *large, *given[3]; /* each is at least 0 */
    bool holds;
} row;

static bool is_proven(sym_table *t, fe_session *session, const row *r, const sym_env *env)
{
    sym_expr given[3];
    uint32_t count = 0;
    for (; count < 3 && r->given[count]; count++) given[count] = parse(t, session, r->given[count]);
    return sym_known_less_equal_given(t, parse(t, session, r->small), parse(t, session, r->large),
                                      env, given, count);
}

SESSION_TEST(what_is_given_proves_more)
{
    static const row ROWS[] = {
        {"1", "i0", {"i0 - 1"}, true},
        {"1", "i0", {"i0"}, false},
        {"0", "8*i1 + i0 - 1", {"i0 - 1"}, true},
        {"8*i1 + i0 - 1", "31", {"8 - i0"}, true},
        {"8*i1 + i0 - 1", "30", {"8 - i0"}, false},
        {"s1*i1 + i0", "4*s1 - 1", {"s1 - i0 - 1"}, true},
        {"2*i0 + 3*i1", "20", {"4 - i0", "4 - i1"}, true},
        {"2*i0 + 3*i1", "13", {"5 - i0 - i1"}, true},
        {"2*i0 + 3*i1", "12", {"5 - i0 - i1"}, false},
        {"2*u0 + 2*u1", "18", {"9 - u0 - u1 - u2", "u2"}, true},
        {"2*u0 + 2*u1", "17", {"9 - u0 - u1 - u2", "u2"}, false},
        {"u0 - 5*max(min(u0, 0), -1)", "4", {"u0 + 5", "4 - u0"}, true},
        {"0", "u0 - 5*max(min(u0, 0), -1)", {"u0 + 6", "4 - u0"}, false},
        {"0", "max(u0, -u0)", {0}, true},
        {"s1*(i2 % s0) + i2 // s0", "s0*s1 - 1", {0}, true},
        {"s1*(i2 % s0) + i2 // s0", "s0*s1 - 2", {0}, false},
        {"7", "u0", {"-1"}, true}, /* which holds nowhere */
        {"4611686018427387904*u0", "0", {"4611686018427387904 - u0"}, false},
        {"9223372036854775807*u0", "9223372036854775806", {"1 - u0"}, false},
    };
    sym_table *t = sym_table_new(session->memory);
    for (uint32_t k = 0; k < 3; k++) {
        static const char *const NAMES[] = {"i0", "i1", "i2"};
        sym_symbol(t, NAMES[k], SYM_INDEX, 0, SYM_NO_MAX);
    }
    sym_symbol(t, "s0", SYM_SIZE, 1, SYM_NO_MAX);
    sym_symbol(t, "s1", SYM_SIZE, 1, SYM_NO_MAX);
    const sym_bound bounds[] = {{parse(t, session, "i0"), sym_int(t, 64)},
                                {parse(t, session, "i1"), sym_int(t, 4)},
                                {parse(t, session, "i2"), parse(t, session, "s0*s1")}};
    const sym_env env = {bounds, COUNT_OF(bounds)};
    for (size_t k = 0; k < COUNT_OF(ROWS); k++) {
        bool holds = is_proven(t, session, &ROWS[k], &env);
        EXPECT_TEXT(holds == ROWS[k].holds ? "" : ROWS[k].small, "");
    }
    return FE_OK;
}

/* ---- nothing that does not hold ---- */

enum { SYMBOLS = 4, EXPRS = 4, GIVEN = 3 };

typedef struct world {
    sym_table *t;
    uint64_t state;
    sym_expr symbols[SYMBOLS]; /* i0 < s0, i1 < 5, u0 is anything, s0 is in [1, 4] */
    int64_t at[SYMBOLS];
} world;

static int64_t draw(world *w, int64_t low, int64_t high)
{
    w->state = w->state * 6364136223846793005u + 1442695040888963407u;
    return low + (int64_t)((w->state >> 33) % (uint64_t)(high - low + 1));
}

static sym_expr random_expr(world *w, int depth)
{
    if (depth == 0)
        return draw(w, 0, 3) ? w->symbols[draw(w, 0, SYMBOLS - 1)] : sym_int(w->t, draw(w, -6, 6));
    sym_expr a = random_expr(w, depth - 1), b = random_expr(w, (int)draw(w, 0, depth - 1));
    switch (draw(w, 0, 8)) {
    case 0: return sym_min(w->t, a, b);
    case 1: return sym_max(w->t, a, b);
    case 2:
        return sym_floordiv(w->t, a, draw(w, 0, 1) ? sym_int(w->t, draw(w, 1, 3)) : w->symbols[3]);
    case 3: return sym_mod(w->t, a, draw(w, 0, 1) ? sym_int(w->t, draw(w, 1, 3)) : w->symbols[3]);
    case 4: return sym_mul(w->t, a, w->symbols[3]);
    case 5:
    case 6: return sym_sub(w->t, a, sym_mul_int(w->t, b, draw(w, 1, 3)));
    default: return sym_add(w->t, a, sym_mul_int(w->t, b, draw(w, 1, 3)));
    }
}

static bool look_up(void *data, sym_expr symbol, int64_t *value)
{
    const world *w = data;
    for (uint32_t k = 0; k < SYMBOLS; k++)
        if (sym_same(symbol, w->symbols[k])) *value = w->at[k];
    return true;
}

static int64_t value_of(world *w, sym_expr e)
{
    int64_t value = 0;
    EXPECT(sym_eval(w->t, e, look_up, w, &value));
    return value;
}

/* Is e[0] <= e[1] wherever the others are at least 0? */
static bool holds_everywhere(world *w, const sym_expr *e, uint32_t given)
{
    int64_t *at = w->at;
    for (at[3] = 1; at[3] <= 4; at[3]++)
        for (at[0] = 0; at[0] < at[3]; at[0]++)
            for (at[1] = 0; at[1] < 5; at[1]++)
                for (at[2] = -9; at[2] <= 9; at[2]++) {
                    bool is_here = true;
                    for (uint32_t k = 0; k < given && is_here; k++)
                        is_here = value_of(w, e[2 + k]) >= 0;
                    if (is_here && value_of(w, e[0]) > value_of(w, e[1])) return false;
                }
    return true;
}

SESSION_TEST(nothing_is_proven_that_does_not_hold)
{
    uint32_t proven = 0, wrong = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        world w = {.t = sym_table_new(session->memory), .state = seed * 7919};
        sym_expr e[2 + GIVEN];
        w.symbols[3] = sym_symbol(w.t, "s0", SYM_SIZE, 1, 4);
        w.symbols[0] = sym_symbol(w.t, "i0", SYM_INDEX, 0, SYM_NO_MAX);
        w.symbols[1] = sym_symbol(w.t, "i1", SYM_INDEX, 0, SYM_NO_MAX);
        w.symbols[2] = sym_symbol(w.t, "u0", SYM_UNBACKED, SYM_NO_MIN, SYM_NO_MAX);
        const sym_bound bounds[] = {{w.symbols[0], w.symbols[3]}, {w.symbols[1], sym_int(w.t, 5)}};
        const sym_env env = {bounds, COUNT_OF(bounds)};
        for (uint32_t k = 0; k < 2 + GIVEN; k++) e[k] = random_expr(&w, k < 2 ? 2 : 1);
        if (!sym_known_less_equal_given(w.t, e[0], e[1], &env, e + 2, GIVEN)) continue;
        proven++;
        wrong += !holds_everywhere(&w, e, GIVEN);
    }
    EXPECT_INT(wrong, 0);
    EXPECT(proven > 40);
    return FE_OK;
}
