/* quantity.c -- what SymPy's functions make of fractions of integer expressions.
 *
 * A function is a row of the table at the end and a few lines above it. Each keeps the value for
 * every assignment of the symbols, or gives up: unknown in, unknown out.
 */
#include "pt2/quantity.h"

#include <string.h>

enum { LARGEST_SUM = 2000 }; /* terms that an expansion may have; beyond it is unknown */

static const quantity UNKNOWN = {.terms = 1};

quantity quantity_unknown(void)
{
    return UNKNOWN;
}

quantity quantity_int(sym_table *t, int64_t value)
{
    return (quantity){.over = sym_int(t, 1), .expr = sym_int(t, value), .terms = 1};
}

quantity quantity_of(sym_table *t, sym_expr e)
{
    return (quantity){.over = sym_int(t, 1), .expr = e, .terms = 1};
}

static bool is_unknown(const quantity *q)
{
    return sym_is_none(q->expr);
}

static bool constant_over(sym_table *t, const quantity *q, int64_t *out)
{
    return !is_unknown(q) && sym_is_int(t, q->over, out) && *out > 0;
}

bool quantity_is_int(sym_table *t, const quantity *q)
{
    int64_t over;
    return constant_over(t, q, &over) && over == 1;
}

/* May it be added and multiplied without rounding? */
static bool is_exact(sym_table *t, const quantity *q, int64_t *over)
{
    if (!constant_over(t, q, over) || *over > (int64_t)1 << 40) return false;
    return !q->is_float || (*over & (*over - 1)) == 0;
}

/* A value that floats hold exactly, as a fraction. */
quantity quantity_float(sym_table *t, double value)
{
    int64_t over = 1;
    while (over < (int64_t)1 << 40 && value != (double)(int64_t)value && value < 1e9 &&
           value > -1e9) {
        value *= 2;
        over *= 2;
    }
    if (!(value < 1e15 && value > -1e15) || value != (double)(int64_t)value) return UNKNOWN;
    return (quantity){
        .over = sym_int(t, over), .expr = sym_int(t, (int64_t)value), .terms = 1, .is_float = true};
}

/* ---- functions: each takes its arguments and gives a quantity ---- */

static quantity add_two(sym_table *t, const quantity *a, const quantity *b)
{
    int64_t over_a, over_b;
    if (!is_exact(t, a, &over_a) || !is_exact(t, b, &over_b)) return UNKNOWN;
    if (a->terms + b->terms > LARGEST_SUM) return UNKNOWN;
    quantity q = {.terms = a->terms + b->terms, .is_float = a->is_float || b->is_float};
    if (over_a == over_b) {
        q.over = a->over;
        q.expr = sym_add(t, a->expr, b->expr);
        return q;
    }
    q.over = sym_mul(t, a->over, b->over);
    q.expr = sym_add(t, sym_mul(t, a->expr, b->over), sym_mul(t, b->expr, a->over));
    return q;
}

static quantity multiply_two(sym_table *t, const quantity *a, const quantity *b)
{
    int64_t over_a, over_b;
    if (!is_exact(t, a, &over_a) || !is_exact(t, b, &over_b)) return UNKNOWN;
    if ((uint64_t)a->terms * b->terms > LARGEST_SUM) return UNKNOWN;
    return (quantity){
        .over = sym_mul(t, a->over, b->over),
        .expr = sym_mul(t, a->expr, b->expr),
        .terms = a->terms * b->terms,
        .is_float = a->is_float || b->is_float,
    };
}

quantity quantity_add(sym_table *t, const quantity *a, uint32_t n)
{
    quantity sum = quantity_int(t, 0);
    for (uint32_t i = 0; i < n; i++) sum = add_two(t, &sum, &a[i]);
    return sum;
}

quantity quantity_multiply(sym_table *t, const quantity *a, uint32_t n)
{
    quantity product = quantity_int(t, 1);
    for (uint32_t i = 0; i < n; i++) product = multiply_two(t, &product, &a[i]);
    return product;
}

quantity quantity_negate(sym_table *t, const quantity *a, uint32_t n)
{
    quantity minus = quantity_int(t, -1);
    (void)n;
    return multiply_two(t, &minus, &a[0]);
}

/* Also Pow(x, -1), which SymPy writes for a quotient. */
quantity quantity_power(sym_table *t, const quantity *a, uint32_t n)
{
    int64_t exponent;
    (void)n;
    if (is_unknown(&a[0]) || !quantity_is_int(t, &a[1]) || !sym_is_int(t, a[1].expr, &exponent))
        return UNKNOWN;
    if (exponent < -8 || exponent > 62) return UNKNOWN;
    quantity power = quantity_int(t, 1);
    for (int64_t i = 0; i < (exponent < 0 ? -exponent : exponent); i++)
        power = multiply_two(t, &power, &a[0]);
    if (exponent >= 0 || is_unknown(&power)) return power;
    sym_expr expr = power.expr;
    int64_t value;
    if (!sym_is_int(t, expr, &value) || value <= 0) return UNKNOWN;
    power.expr = power.over;
    power.over = expr;
    return power;
}

/* A true division: the fraction itself. Rounding to a double cannot carry it over an integer
 * (sizes are below 2^53). */
static quantity f_divide(sym_table *t, const quantity *a, uint32_t n)
{
    (void)n;
    if (!quantity_is_int(t, &a[0]) || !quantity_is_int(t, &a[1])) return UNKNOWN;
    return (quantity){.over = a[1].expr, .expr = a[0].expr, .terms = a[0].terms, .is_float = true};
}

quantity quantity_rational(sym_table *t, const quantity *a, uint32_t n)
{
    quantity q = f_divide(t, a, n);
    q.is_float = false;
    return q;
}

static bool is_zero(sym_table *t, sym_expr e)
{
    int64_t value;
    return sym_is_int(t, e, &value) && value == 0;
}

static quantity f_floor(sym_table *t, const quantity *a, uint32_t n)
{
    (void)n;
    if (is_unknown(a) || is_zero(t, a->over)) return UNKNOWN;
    return quantity_is_int(t, a) ? quantity_of(t, a->expr)
                                 : quantity_of(t, sym_floordiv(t, a->expr, a->over));
}

static quantity f_ceiling(sym_table *t, const quantity *a, uint32_t n)
{
    (void)n;
    if (is_unknown(a) || is_zero(t, a->over)) return UNKNOWN;
    return quantity_is_int(t, a) ? quantity_of(t, a->expr)
                                 : quantity_of(t, sym_ceildiv(t, a->expr, a->over));
}

/* Towards zero: floor when the fraction is known to be positive. */
static quantity f_truncate(sym_table *t, const quantity *a, uint32_t n)
{
    int64_t least, most, over_least;
    if (is_unknown(a) || quantity_is_int(t, a)) return f_floor(t, a, n);
    sym_range(t, a->expr, NULL, &least, &most);
    sym_range(t, a->over, NULL, &over_least, &most);
    return least >= 0 && over_least > 0 ? f_floor(t, a, n) : UNKNOWN;
}

static quantity f_round(sym_table *t, const quantity *a, uint32_t n)
{
    (void)n;
    return quantity_is_int(t, a) ? quantity_of(t, a->expr) : UNKNOWN;
}

static quantity f_to_float(sym_table *t, const quantity *a, uint32_t n)
{
    quantity q = a[0];
    (void)t;
    (void)n;
    q.is_float = true;
    return q;
}

static quantity f_same(sym_table *t, const quantity *a, uint32_t n)
{
    (void)t;
    (void)n;
    return a[0];
}

static bool are_integers(sym_table *t, const quantity *a, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!quantity_is_int(t, &a[i]) || a[i].is_float) return false;
    return true;
}

static bool are_divisible(sym_table *t, const quantity *a, uint32_t n)
{
    return are_integers(t, a, n) && !is_zero(t, a[1].expr);
}

quantity quantity_floordiv(sym_table *t, const quantity *a, uint32_t n)
{
    return are_divisible(t, a, n) ? quantity_of(t, sym_floordiv(t, a[0].expr, a[1].expr)) : UNKNOWN;
}

static quantity f_ceildiv(sym_table *t, const quantity *a, uint32_t n)
{
    return are_divisible(t, a, n) ? quantity_of(t, sym_ceildiv(t, a[0].expr, a[1].expr)) : UNKNOWN;
}

quantity quantity_mod(sym_table *t, const quantity *a, uint32_t n)
{
    return are_divisible(t, a, n) ? quantity_of(t, sym_mod(t, a[0].expr, a[1].expr)) : UNKNOWN;
}

static quantity f_modular_indexing(sym_table *t, const quantity *a, uint32_t n)
{
    if (!are_divisible(t, a, n) || is_zero(t, a[2].expr)) return UNKNOWN;
    return quantity_of(t, sym_mod(t, sym_floordiv(t, a[0].expr, a[1].expr), a[2].expr));
}

static quantity f_min(sym_table *t, const quantity *a, uint32_t n)
{
    if (!are_integers(t, a, n)) return UNKNOWN;
    sym_expr e = a[0].expr;
    for (uint32_t i = 1; i < n; i++) e = sym_min(t, e, a[i].expr);
    return quantity_of(t, e);
}

static quantity f_max(sym_table *t, const quantity *a, uint32_t n)
{
    if (!are_integers(t, a, n)) return UNKNOWN;
    sym_expr e = a[0].expr;
    for (uint32_t i = 1; i < n; i++) e = sym_max(t, e, a[i].expr);
    return quantity_of(t, e);
}

static quantity f_absolute(sym_table *t, const quantity *a, uint32_t n)
{
    if (!are_integers(t, a, n)) return UNKNOWN;
    return quantity_of(t, sym_max(t, a[0].expr, sym_mul_int(t, a[0].expr, -1)));
}

static bool shift_of(sym_table *t, const quantity *a, int64_t *power)
{
    int64_t bits;
    if (!are_integers(t, a, 2) || !sym_is_int(t, a[1].expr, &bits) || bits < 0 || bits > 40)
        return false;
    *power = (int64_t)1 << bits;
    return true;
}

static quantity f_shift_left(sym_table *t, const quantity *a, uint32_t n)
{
    int64_t power;
    (void)n;
    return shift_of(t, a, &power) ? quantity_of(t, sym_mul_int(t, a[0].expr, power)) : UNKNOWN;
}

static quantity f_shift_right(sym_table *t, const quantity *a, uint32_t n)
{
    int64_t power;
    (void)n;
    return shift_of(t, a, &power) ? quantity_of(t, sym_floordiv(t, a[0].expr, sym_int(t, power)))
                                  : UNKNOWN;
}

static quantity compare(sym_table *t, sym_op op, const quantity *a, const quantity *b)
{
    int64_t over_a, over_b;
    if (!is_exact(t, a, &over_a) || !is_exact(t, b, &over_b)) return UNKNOWN;
    sym_expr left = over_b == 1 ? a->expr : sym_mul_int(t, a->expr, over_b);
    sym_expr right = over_a == 1 ? b->expr : sym_mul_int(t, b->expr, over_a);
    return quantity_of(t, sym_compare(t, op, left, right));
}

static quantity f_equal(sym_table *t, const quantity *a, uint32_t n)
{
    (void)n;
    return compare(t, SYM_EQ, &a[0], &a[1]);
}

static quantity f_unequal(sym_table *t, const quantity *a, uint32_t n)
{
    (void)n;
    return compare(t, SYM_NE, &a[0], &a[1]);
}

static quantity f_less(sym_table *t, const quantity *a, uint32_t n)
{
    (void)n;
    return compare(t, SYM_LT, &a[0], &a[1]);
}

static quantity f_less_equal(sym_table *t, const quantity *a, uint32_t n)
{
    (void)n;
    return compare(t, SYM_LE, &a[0], &a[1]);
}

static quantity f_greater(sym_table *t, const quantity *a, uint32_t n)
{
    (void)n;
    return compare(t, SYM_LT, &a[1], &a[0]);
}

static quantity f_greater_equal(sym_table *t, const quantity *a, uint32_t n)
{
    (void)n;
    return compare(t, SYM_LE, &a[1], &a[0]);
}

static quantity join(sym_table *t, sym_op op, const quantity *a, uint32_t n)
{
    if (!are_integers(t, a, n)) return UNKNOWN;
    sym_expr e = a[0].expr;
    for (uint32_t i = 1; i < n; i++) e = sym_compare(t, op, e, a[i].expr);
    return quantity_of(t, e);
}

static quantity f_and(sym_table *t, const quantity *a, uint32_t n)
{
    return join(t, SYM_AND, a, n);
}

static quantity f_or(sym_table *t, const quantity *a, uint32_t n)
{
    return join(t, SYM_OR, a, n);
}

static quantity f_not(sym_table *t, const quantity *a, uint32_t n)
{
    return are_integers(t, a, n) ? quantity_of(t, sym_not(t, a[0].expr)) : UNKNOWN;
}

/* A function that is not in this table gives an unknown value, whatever its arguments. */
static const struct {
    const char *name;
    uint32_t least, most;
    quantity_function *apply;
    bool is_int; /* gives an integer whatever its arguments are */
} FUNCTIONS[] = {
    {"Add", 1, UINT32_MAX, quantity_add, false},
    {"Mul", 1, UINT32_MAX, quantity_multiply, false},
    {"Integer", 1, 1, f_same, false},
    {"Rational", 2, 2, quantity_rational, false},
    {"Pow", 2, 2, quantity_power, false},
    {"PowByNatural", 2, 2, quantity_power, true},
    {"FloorDiv", 2, 2, quantity_floordiv, true},
    {"CleanDiv", 2, 2, quantity_floordiv, true},
    {"CeilDiv", 2, 2, f_ceildiv, true},
    {"Mod", 2, 2, quantity_mod, true},
    {"PythonMod", 2, 2, quantity_mod, true},
    {"ModularIndexing", 3, 3, f_modular_indexing, true},
    {"Min", 1, UINT32_MAX, f_min, false},
    {"Max", 1, UINT32_MAX, f_max, false},
    {"Abs", 1, 1, f_absolute, false},
    {"LShift", 2, 2, f_shift_left, true},
    {"RShift", 2, 2, f_shift_right, true},
    {"Identity", 1, 1, f_same, false},
    {"ToFloat", 1, 1, f_to_float, false},
    {"IntTrueDiv", 2, 2, f_divide, false},
    {"FloatTrueDiv", 2, 2, f_divide, false},
    {"FloorToInt", 1, 1, f_floor, true},
    {"floor", 1, 1, f_floor, true},
    {"CeilToInt", 1, 1, f_ceiling, true},
    {"ceiling", 1, 1, f_ceiling, true},
    {"TruncToInt", 1, 1, f_truncate, true},
    {"RoundToInt", 1, 1, f_round, true},
    {"Equality", 2, 2, f_equal, false},
    {"Eq", 2, 2, f_equal, false},
    {"Unequality", 2, 2, f_unequal, false},
    {"Ne", 2, 2, f_unequal, false},
    {"StrictLessThan", 2, 2, f_less, false},
    {"LessThan", 2, 2, f_less_equal, false},
    {"StrictGreaterThan", 2, 2, f_greater, false},
    {"GreaterThan", 2, 2, f_greater_equal, false},
    {"And", 1, UINT32_MAX, f_and, false},
    {"Or", 1, UINT32_MAX, f_or, false},
    {"Not", 1, 1, f_not, false},
};

bool quantity_apply(sym_table *t, const char *name, size_t length, const quantity *a, uint32_t n,
                    quantity *out, bool *is_int)
{
    *out = UNKNOWN;
    *is_int = false;
    for (size_t i = 0; i < COUNT_OF(FUNCTIONS); i++) {
        if (strlen(FUNCTIONS[i].name) != length) continue;
        if (memcmp(FUNCTIONS[i].name, name, length) != 0) continue;
        if (n < FUNCTIONS[i].least) return false;
        *is_int = FUNCTIONS[i].is_int;
        if (n <= FUNCTIONS[i].most) *out = FUNCTIONS[i].apply(t, a, n);
        break;
    }
    return true;
}
