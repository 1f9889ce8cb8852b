/* c_sum.c -- accumulators as C: start, step, joining copies and lanes, compensated totals, arg
 * reductions.
 *
 * Sum 3 is in a3_0, a3_1, ... (independent copies of an unrolled loop); arg reductions keep the
 * places beside them in w3_0; a compensated sum has its total in s3_0 and what was lost in c3_0.
 */
#include "kern/c_priv.h"

static const loop_opcode STEP[LOOP_REDUCE_COUNT] = {
    [LOOP_SUM] = LOOP_ADD,        [LOOP_PROD] = LOOP_MUL,
    [LOOP_REDUCE_MIN] = LOOP_MIN, [LOOP_REDUCE_MAX] = LOOP_MAX,
    [LOOP_ANY] = LOOP_OR,         [LOOP_ALL] = LOOP_AND,
    [LOOP_REDUCE_XOR] = LOOP_XOR, [LOOP_ARGMIN] = LOOP_LE,
    [LOOP_ARGMAX] = LOOP_LE,      [LOOP_LOG_SUM_EXP] = LOOP_LOGADDEXP};
static const char *const JOIN[LOOP_REDUCE_COUNT] = {
    [LOOP_SUM] = "@joinadd($0)",        [LOOP_PROD] = "@joinmul($0)",
    [LOOP_REDUCE_MIN] = "@joinmin($0)", [LOOP_REDUCE_MAX] = "@joinmax($0)",
    [LOOP_ANY] = "@joinor($0)",         [LOOP_ALL] = "@joinand($0)",
    [LOOP_REDUCE_XOR] = "@joinxor($0)", [LOOP_LOG_SUM_EXP] = "@joinlogaddexp($0)"};
/* Of a scan: the prefixes of a vector's lanes. */
static const char *const PREFIX[LOOP_REDUCE_COUNT] = {
    [LOOP_SUM] = "@scanadd($0, $1)",        [LOOP_PROD] = "@scanmul($0, $1)",
    [LOOP_REDUCE_MIN] = "@scanmin($0, $1)", [LOOP_REDUCE_MAX] = "@scanmax($0, $1)",
    [LOOP_ANY] = "@scanor($0, $1)",         [LOOP_ALL] = "@scanand($0, $1)",
    [LOOP_REDUCE_XOR] = "@scanxor($0, $1)", [LOOP_LOG_SUM_EXP] = "@scanlogaddexp($0, $1)"};

loop_opcode kern_c_step(loop_reduce reduce)
{
    return STEP[reduce];
}

/* Scalar sums of floats run in double, like the interpreter's. */
static ty_dtype sum_dtype(const kern_sum *sum)
{
    bool adds =
        sum->reduce == LOOP_SUM || sum->reduce == LOOP_PROD || sum->reduce == LOOP_LOG_SUM_EXP;
    if (sum->vector || !adds) return sum->dtype;
    if (sum->dtype == TY_C64) return TY_C128;
    return sum->dtype == TY_F32 ? TY_F64 : sum->dtype;
}

static uint32_t sum_lanes(const kern_c_printer *pr, const kern_sum *sum)
{
    return sum->vector ? pr->k->lanes : 1;
}

static const char *copy_name(kern_c_printer *pr, uint32_t sum, uint32_t copy)
{
    return arena_printf(pr->needs->memory, "a%u_%u", sum, copy);
}

static kern_c_scope scope_of(kern_c_printer *pr, const kern_sum *sum, const char *a, const char *b)
{
    return (kern_c_scope){sum_dtype(sum), sum_lanes(pr, sum), {a, b, NULL}};
}

/* Totals: one where the copies are partial results. */
static uint32_t total_copies(const kern_sum *sum)
{
    return sum->across ? 1 : sum->copies;
}

/* ---- start ---- */

static int64_t integer_identity(const kern_sum *sum)
{
    int bits = sum->dtype == TY_BOOL ? 1 : 8 * (int)ty_dtype_size(sum->dtype);
    bool has_sign = ty_dtype_kind(sum->dtype) == TY_KIND_SIGNED;
    switch (sum->reduce) {
    case LOOP_PROD:
    case LOOP_ALL: return 1;
    case LOOP_REDUCE_MAX:
    case LOOP_ARGMAX: return has_sign ? (int64_t)(~0ull << (bits - 1)) : 0;
    case LOOP_REDUCE_MIN:
    case LOOP_ARGMIN: return (int64_t)(~0ull >> (has_sign ? 65 - bits : 64 - bits));
    default: return 0;
    }
}

static double float_identity(const kern_sum *sum)
{
    switch (sum->reduce) {
    case LOOP_PROD: return 1;
    case LOOP_LOG_SUM_EXP:
    case LOOP_REDUCE_MAX:
    case LOOP_ARGMAX: return -(double)__builtin_inf();
    case LOOP_REDUCE_MIN:
    case LOOP_ARGMIN: return (double)__builtin_inf();
    default: return 0;
    }
}

/* What changes nothing: of a sum, 0. */
static const char *identity(kern_c_printer *pr, const kern_sum *sum)
{
    text out;
    uint32_t lanes = sum_lanes(pr, sum);
    kern_value v = {.kind = KERN_CONST, .dtype = sum_dtype(sum), .vector = lanes > 1};
    if (ty_is_integral(v.dtype, true))
        v.integer = integer_identity(sum);
    else
        v.number[0] = float_identity(sum);
    text_init(&out, pr->needs->memory);
    kern_c_constant(&out, pr->needs, &v, lanes);
    return out.at;
}

void kern_c_print_start(kern_c_printer *pr, uint32_t number)
{
    const kern_sum *sum = &pr->k->sums.at[number];
    const char *type = kern_c_type_of(pr, sum_dtype(sum), sum_lanes(pr, sum));
    for (uint32_t c = 0; c < sum->copies; c++)
        text_line(pr->out, "%s a%u_%u = %s;", type, number, c, identity(pr, sum));
    for (uint32_t c = 0; sum->blocked && c < total_copies(sum); c++)
        text_line(pr->out, "%s s%u_%u = {0}, c%u_%u = {0};", type, number, c, number, c);
    const char *place =
        kern_is_arg(sum->reduce) ? kern_c_type_of(pr, sum->place, sum_lanes(pr, sum)) : NULL;
    for (uint32_t c = 0; place && c < sum->copies; c++)
        text_line(pr->out, sum_lanes(pr, sum) == 1 ? "%s w%u_%u = -1;" : "%s w%u_%u = (%s){0} - 1;",
                  place, number, c, place);
}

/* ---- step ---- */

/* The value with lanes beyond the end made such that they do not count; m masks the others. */
static const char *counted(kern_c_printer *pr, const kern_sum *sum, kern_ref ref)
{
    const kern_value *v = &pr->k->values.at[ref];
    const char *value = kern_c_operand(pr, ref);
    if (!sum->across || pr->exact) return value;
    bool zero_is_neutral =
        sum->reduce == LOOP_SUM || sum->reduce == LOOP_ANY || sum->reduce == LOOP_REDUCE_XOR;
    bool is_loaded = v->kind == KERN_LOAD && !pr->k->memories.at[v->memory].is_tile;
    if (zero_is_neutral && is_loaded) return value; /* load fills up with zeros */
    const char *mask = pr->copies > 1 ? arena_printf(pr->needs->memory, "m_%u", pr->copy) : "m";
    kern_c_scope scope = {v->dtype, pr->k->lanes, {mask, value, identity(pr, sum)}};
    bool same_width = v->dtype != TY_BOOL && ty_dtype_size(v->dtype) == 4;
    if (zero_is_neutral && same_width) return kern_c_text(pr, "($T)(($I)$1 & $0)", &scope);
    return arena_printf(pr->needs->memory, "(%s)",
                        kern_c_applied(pr, LOOP_WHERE, v->dtype, &scope));
}

static const char *tail_mask(kern_c_printer *pr, const kern_sum *sum)
{
    if (!sum->across || pr->exact) return "";
    return pr->copies > 1 ? arena_printf(pr->needs->memory, " & m_%u", pr->copy) : " & m";
}

static void print_arg_scalar(kern_c_printer *pr, const kern_item *item, const char *x)
{
    const kern_sum *sum = &pr->k->sums.at[item->sum];
    kern_c_scope scope = scope_of(pr, sum, x, copy_name(pr, item->sum, 0));
    const char *test = sum->reduce == LOOP_ARGMAX ? "if (!($0 <= $1)" : "if (!($0 >= $1)";
    text_line(pr->out, "%s%s) {", kern_c_text(pr, test, &scope),
              ty_is_floating(sum->dtype) ? kern_c_text(pr, " && $1 == $1", &scope) : "");
    text_line(pr->out, "  a%u_0 = %s;", item->sum, x);
    text_line(pr->out, "  w%u_0 = %s;", item->sum, kern_c_index(pr, item->flat));
    text_line(pr->out, "}");
}

/* Does the larger of two accumulated values win? A true lane of a mask is -1, below a false one. */
static bool larger_wins(const kern_sum *sum)
{
    bool is_mask = sum->dtype == TY_BOOL && sum->vector;
    return (sum->reduce == LOOP_ARGMAX) != is_mask;
}

/* x takes over where it is more extreme than all before, or is the first NaN. */
static void print_arg_update(kern_c_printer *pr, const kern_item *item)
{
    const kern_sum *sum = &pr->k->sums.at[item->sum];
    const char *x = kern_c_operand(pr, item->value), *best = copy_name(pr, item->sum, pr->copy);
    if (!sum->vector) {
        print_arg_scalar(pr, item, x);
        return;
    }
    const char *mask = kern_c_type_of(pr, TY_BOOL, pr->k->lanes);
    kern_c_scope scope = {sum->dtype, pr->k->lanes, {x, best, NULL}};
    kern_c_scope places = {sum->place, pr->k->lanes, {kern_c_index(pr, item->flat), NULL, NULL}};
    const char *test = kern_c_text(pr, larger_wins(sum) ? "~($0 <= $1)" : "~($0 >= $1)", &scope);
    if (ty_is_floating(sum->dtype))
        test = kern_c_text(pr, arena_printf(pr->needs->memory, "%s & ($1 == $1)", test), &scope);
    text_line(pr->out, "{");
    text_line(pr->out, "  const %s u = __builtin_convertvector(%s, %s)%s;", mask, test, mask,
              tail_mask(pr, sum));
    text_line(pr->out, "%s",
              kern_c_text(pr,
                          sum->across ? "  const $T f = @iota() + ($E)($0);"
                                      : "  const $T f = ($E)($0) - ($T){0};",
                          &places));
    scope = (kern_c_scope){sum->dtype, pr->k->lanes, {"u", x, best}};
    text_line(pr->out, "  %s = %s;", best, kern_c_applied(pr, LOOP_WHERE, sum->dtype, &scope));
    places.args[0] = "u";
    places.args[1] = "f";
    places.args[2] = arena_printf(pr->needs->memory, "w%u_%u", item->sum, pr->copy);
    text_line(pr->out, "  %s = %s;", places.args[2],
              kern_c_applied(pr, LOOP_WHERE, sum->place, &places));
    text_line(pr->out, "}");
}

/* A vector of a scan: e3 are its own prefixes, q3 the results, and a3 keeps the last of them in every
 * lane. */
static void print_scan_update(kern_c_printer *pr, const kern_item *item)
{
    const kern_sum *sum = &pr->k->sums.at[item->sum];
    const char *type = kern_c_type_of(pr, sum->dtype, pr->k->lanes);
    const char *before = copy_name(pr, item->sum, 0);
    const char *own = arena_printf(pr->needs->memory, "e%u", item->sum),
               *last = arena_printf(pr->needs->memory, "@last(e%u)", item->sum);
    kern_c_scope scope = scope_of(pr, sum, counted(pr, sum, item->value), identity(pr, sum));
    text_line(pr->out, "const %s %s = %s;", type, own,
              kern_c_text(pr, PREFIX[sum->reduce], &scope));
    scope = scope_of(pr, sum, before, own);
    text_line(pr->out, "const %s q%u = %s;", type, item->sum,
              kern_c_applied(pr, STEP[sum->reduce], sum->dtype, &scope));
    scope = scope_of(pr, sum, before, kern_c_text(pr, last, &scope));
    text_line(pr->out, "%s = %s;", before,
              kern_c_applied(pr, STEP[sum->reduce], sum->dtype, &scope));
}

void kern_c_print_update(kern_c_printer *pr, const kern_item *item)
{
    const kern_sum *sum = &pr->k->sums.at[item->sum];
    if (kern_is_arg(sum->reduce)) {
        print_arg_update(pr, item);
        return;
    }
    if (sum->running && sum->across) {
        print_scan_update(pr, item);
        return;
    }
    const char *to = copy_name(pr, item->sum, pr->copy), *x = counted(pr, sum, item->value);
    /* the second of equals, a zero and its negative, is taken: of a scan the later one; else what is
     * accumulated, which is quicker */
    bool extreme = sum->reduce == LOOP_REDUCE_MIN || sum->reduce == LOOP_REDUCE_MAX,
         turned = extreme && sum->vector && !sum->running;
    kern_c_scope scope = scope_of(pr, sum, turned ? x : to, turned ? to : x);
    text_line(pr->out, "%s = %s;", to,
              kern_c_applied(pr, kern_c_step(sum->reduce), scope.dtype, &scope));
}

/* ---- end ---- */

/* All copies in copy 0. */
static void fold_copies(kern_c_printer *pr, uint32_t number)
{
    const kern_sum *sum = &pr->k->sums.at[number];
    if (!sum->across) return;
    for (uint32_t step = 1; step < sum->copies; step *= 2)
        for (uint32_t c = 0; c + step < sum->copies; c += 2 * step) {
            const char *to = copy_name(pr, number, c);
            kern_c_scope scope = scope_of(pr, sum, to, copy_name(pr, number, c + step));
            text_line(pr->out, "%s = %s;", to,
                      kern_c_applied(pr, kern_c_step(sum->reduce), scope.dtype, &scope));
        }
}

/* The partial sums go to the total with what rounding loses kept apart (Knuth's two-sum). */
void kern_c_print_drain(kern_c_printer *pr, uint32_t number)
{
    const kern_sum *sum = &pr->k->sums.at[number];
    const char *type = kern_c_type_of(pr, sum_dtype(sum), sum_lanes(pr, sum));
    fold_copies(pr, number);
    for (uint32_t c = 0; c < total_copies(sum); c++) {
        const char *id = arena_printf(pr->needs->memory, "%u_%u", number, c);
        text_line(pr->out, "{");
        text_line(pr->out, "  const %s x = a%s, y = s%s + x, z = y - s%s;", type, id, id, id);
        text_line(pr->out, "  c%s += (s%s - (y - z)) + (x - z);", id, id);
        text_line(pr->out, "  s%s = y;", id);
        text_line(pr->out, "}");
    }
    for (uint32_t c = 0; c < sum->copies; c++)
        text_line(pr->out, "a%u_%u = %s;", number, c, identity(pr, sum));
}

/* The best of the lanes, the first of equals. Lanes that saw only the identity have place -1. */
static void print_arg_result(kern_c_printer *pr, kern_ref ref)
{
    uint32_t number = pr->k->values.at[ref].sum;
    const kern_sum *sum = &pr->k->sums.at[number];
    const char *element = kern_c_type_of(pr, sum->dtype, 1);
    const char *relation = larger_wins(sum) ? ">" : "<";
    text_line(pr->out, "i64 v%u = -1;", ref);
    text_line(pr->out, "{");
    text_line(pr->out, "  %s x = 0;", element);
    for (uint32_t c = 0; c < sum->copies; c++) {
        text_line(pr->out, "  for (int l = 0; l < %u; l++) {", pr->k->lanes);
        text_line(pr->out, "    const %s y = a%u_%u[l];", element, number, c);
        text_line(pr->out, "    const i64 w = w%u_%u[l];", number, c);
        text_line(pr->out, "    const int more = v%u < 0 || y %s x || (y != y && x == x);", ref,
                  relation);
        text_line(pr->out, "    const int same = w < v%u && (y == x || (y != y && x != x));", ref);
        text_line(pr->out, "    if (w >= 0 && (more || same)) x = y, v%u = w;", ref);
        text_line(pr->out, "  }");
    }
    text_line(pr->out, "  if (v%u < 0) v%u = 0;", ref, ref);
    text_line(pr->out, "}");
}

/* The places of lanes that stay apart, and of a scalar. */
static void print_arg_places(kern_c_printer *pr, kern_ref ref)
{
    uint32_t number = pr->k->values.at[ref].sum;
    const kern_sum *sum = &pr->k->sums.at[number];
    const char *type = kern_c_type_of(pr, TY_I64, sum_lanes(pr, sum));
    const char *name = kern_c_name(pr, ref);
    const char *place = arena_printf(pr->needs->memory, "w%u_%u", number, pr->copy);
    int sign = 8 * (int)ty_dtype_size(sum->place) - 1;
    if (sum->vector)
        text_line(pr->out, "%s %s = __builtin_convertvector(%s & ~(%s >> %d), %s);", type, name,
                  place, place, sign, type);
    else
        text_line(pr->out, "%s %s = %s < 0 ? 0 : %s;", type, name, place, place);
}

/* What was lost is NaN once an infinity was added, and means nothing then. */
static void print_total(kern_c_printer *pr, const kern_sum *sum, uint32_t number)
{
    const char *id = arena_printf(pr->needs->memory, "%u_%u", number, pr->copy);
    kern_c_scope scope = scope_of(pr, sum, arena_printf(pr->needs->memory, "c%s", id), NULL);
    const char *lost =
        kern_c_text(pr, sum->vector ? "($T)(($I)$0 & ($0 == $0))" : "($0 == $0 ? $0 : 0)", &scope);
    text_line(pr->out, "a%s = s%s + (a%s + %s);", id, id, id, lost);
}

void kern_c_print_result(kern_c_printer *pr, kern_ref ref)
{
    const kern_value *v = &pr->k->values.at[ref];
    const kern_sum *sum = &pr->k->sums.at[v->sum];
    if (kern_is_arg(sum->reduce)) {
        (sum->across ? print_arg_result : print_arg_places)(pr, ref);
        return;
    }
    if (sum->running && sum->across) {
        text_line(pr->out, "const %s %s = q%u;", kern_c_type_of(pr, v->dtype, pr->k->lanes),
                  kern_c_name(pr, ref), v->sum);
        return;
    }
    fold_copies(pr, v->sum);
    if (sum->blocked) print_total(pr, sum, v->sum);
    kern_c_scope scope = {sum->dtype, pr->k->lanes, {copy_name(pr, v->sum, pr->copy), NULL, NULL}};
    const char *type = kern_c_type_of(pr, v->dtype, v->vector ? pr->k->lanes : 1);
    const char *form = sum->across ? JOIN[sum->reduce] : sum->vector ? "$0" : "($E)$0";
    text_line(pr->out, "%s %s = %s;", type, kern_c_name(pr, ref), kern_c_text(pr, form, &scope));
}
