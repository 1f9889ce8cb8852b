/* sum.c -- accumulators as variables and operations on them: start, step, compensated totals, arg
 * reductions, joining copies and lanes.
 */
#include "kern/legal/legal.h"

#include <math.h>

static const kern_sum *sum_at(const kern_lowering *lo, uint32_t number)
{
    return &lo->k->sums.at[number];
}

/* Scalar sums of floats run in double, like the interpreter's, */
static ty_dtype partial_dtype(const kern_lowering *lo, const kern_sum *sum)
{
    bool adds =
        sum->reduce == LOOP_SUM || sum->reduce == LOOP_PROD || sum->reduce == LOOP_LOG_SUM_EXP;
    if (sum->vector || !adds || lo->no_f64 || lo->k->tiles.rows) return sum->dtype;
    if (sum->dtype == TY_C64) return TY_C128;
    return sum->dtype == TY_F32 ? TY_F64 : sum->dtype;
}

/* and where there is none each step keeps what its rounding has lost. */
static bool is_paired(const kern_lowering *lo, const kern_sum *sum)
{
    return lo->no_f64 && !lo->k->tiles.rows && !sum->vector && sum->reduce == LOOP_SUM &&
           ty_is_floating(sum->dtype);
}

loop_opcode kern_step_of(loop_reduce reduce)
{
    static const loop_opcode STEP[LOOP_REDUCE_COUNT] = {
        [LOOP_SUM] = LOOP_ADD,        [LOOP_PROD] = LOOP_MUL,
        [LOOP_REDUCE_MIN] = LOOP_MIN, [LOOP_REDUCE_MAX] = LOOP_MAX,
        [LOOP_ANY] = LOOP_OR,         [LOOP_ALL] = LOOP_AND,
        [LOOP_REDUCE_XOR] = LOOP_XOR, [LOOP_LOG_SUM_EXP] = LOOP_LOGADDEXP,
        [LOOP_ARGMIN] = LOOP_MIN,     [LOOP_ARGMAX] = LOOP_MAX};
    return STEP[reduce];
}

/* ---- values ---- */

static kern_ref whole(kern_lowering *lo, ty_dtype dtype, bool vector, int64_t number)
{
    return kern_lower_constant(lo,
                               (kern_value){.dtype = dtype, .vector = vector, .integer = number});
}

static bool is_float(ty_dtype dtype)
{
    return !ty_is_integral(dtype, true);
}

static kern_ref zero(kern_lowering *lo, ty_dtype dtype, bool vector)
{
    return is_float(dtype) ? kern_lower_constant(lo, (kern_value){.dtype = dtype, .vector = vector})
                           : whole(lo, dtype, vector, 0);
}

static kern_ref pick(kern_lowering *lo, kern_ref where, kern_ref a, kern_ref b)
{
    const kern_value *x = &lo->k->values.at[a];
    return kern_lower_value(lo, (kern_value){.kind = KERN_APPLY,
                                             .op = LOOP_WHERE,
                                             .dtype = x->dtype,
                                             .vector = x->vector,
                                             .args = {where, a, b}});
}

static kern_value call_of(kern_lowering *lo, const char *how, loop_opcode op, kern_ref x)
{
    const kern_value *v = &lo->k->values.at[x];
    const char *base = op ? arena_printf(lo->memory, "%s%s", how, loop_opcode_name(op)) : how;
    kern_value call = {.kind = KERN_CALL, .dtype = v->dtype, .args = {x}};
    call.callee = kern_library_find(lo->library, base, v->dtype, lo->k->lanes);
    call.vector = !call.callee->scalar;
    return call;
}

static kern_ref variable(kern_lowering *lo, const kern_sum *sum, kern_ref from, uint32_t copies)
{
    kern_value v = {.kind = KERN_VARIABLE, .vector = sum->vector, .copies = copies};
    v.dtype = lo->k->values.at[from].dtype;
    v.args[0] = from;
    return kern_lower_value(lo, v);
}

static void set(kern_lowering *lo, kern_ref to, kern_ref value)
{
    kern_lower_into(lo, (kern_item){.kind = KERN_SET, .variable = to, .value = value});
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
    case LOOP_ARGMAX: return -(double)INFINITY;
    case LOOP_REDUCE_MIN:
    case LOOP_ARGMIN: return (double)INFINITY;
    default: return 0;
    }
}

/* What changes nothing: of a sum, 0. */
static kern_ref identity(kern_lowering *lo, const kern_sum *sum)
{
    kern_value v = {.dtype = partial_dtype(lo, sum), .vector = sum->vector};
    if (is_float(v.dtype))
        v.number[0] = float_identity(sum);
    else
        v.integer = integer_identity(sum);
    return kern_lower_constant(lo, v);
}

/* Copies that stay apart are those of all that is in their loop. */
static uint32_t copies_of(const kern_sum *sum)
{
    return sum->across ? sum->copies : 1;
}

void kern_lower_start(kern_lowering *lo, uint32_t number)
{
    const kern_sum *sum = sum_at(lo, number);
    kern_parts *p = &lo->parts[number];
    uint32_t copies = copies_of(sum);
    p->partial = variable(lo, sum, identity(lo, sum), copies);
    ty_dtype dtype = partial_dtype(lo, sum);
    if (sum->blocked && !is_paired(lo, sum))
        p->total = variable(lo, sum, zero(lo, dtype, sum->vector), 1);
    if (sum->blocked || is_paired(lo, sum))
        p->lost = variable(lo, sum, zero(lo, dtype, sum->vector), 1);
    if (kern_is_arg(sum->reduce))
        p->place = variable(lo, sum, whole(lo, sum->place, sum->vector, -1), copies);
}

/* ---- step ---- */

/* What rounding loses is kept apart (Knuth's two-sum). */
static void add_exactly(kern_lowering *lo, kern_ref to, kern_ref lost_so_far, kern_ref x)
{
    kern_ref y = kern_lower_apply(lo, LOOP_ADD, to, x), z = kern_lower_apply(lo, LOOP_SUB, y, to);
    kern_ref of_it = kern_lower_apply(lo, LOOP_SUB, to, kern_lower_apply(lo, LOOP_SUB, y, z));
    kern_ref lost = kern_lower_apply(lo, LOOP_ADD, of_it, kern_lower_apply(lo, LOOP_SUB, x, z));
    set(lo, lost_so_far, kern_lower_apply(lo, LOOP_ADD, lost_so_far, lost));
    set(lo, to, y);
}

/* The lanes that there are, where they are joined; 0: all. */
static kern_ref mask(kern_lowering *lo, const kern_sum *sum)
{
    return sum->across ? kern_lower_mask(lo) : 0;
}

/* At once, or lane by lane. */
static bool is_loaded(const kern_ir *k, const kern_value *v)
{
    bool at_once = v->kind == KERN_LOAD && !k->memories.at[v->memory].is_tile;
    return at_once || v->kind == KERN_VARIABLE;
}

/* The value with lanes beyond the end made such that they do not count. */
static kern_ref counted(kern_lowering *lo, const kern_sum *sum, kern_ref value)
{
    bool zero_is_neutral =
        sum->reduce == LOOP_SUM || sum->reduce == LOOP_ANY || sum->reduce == LOOP_REDUCE_XOR;
    kern_ref there = mask(lo, sum); /* of all loads as well, which make it once where it is there */
    if (zero_is_neutral && is_loaded(lo->k, &lo->k->values.at[value]))
        return value; /* load fills up with zeros */
    return there ? pick(lo, there, value, identity(lo, sum)) : value;
}

static kern_ref as_partial(kern_lowering *lo, const kern_sum *sum, kern_ref value)
{
    ty_dtype dtype = partial_dtype(lo, sum);
    if (dtype == sum->dtype) return value;
    return kern_lower_value(
        lo, (kern_value){.kind = KERN_APPLY, .op = LOOP_CAST, .dtype = dtype, .args = {value}});
}

/* The element's number as a place; in lanes that run along it each has its own. */
static kern_ref place_of(kern_lowering *lo, const kern_sum *sum, sym_expr flat)
{
    kern_value v = {.kind = KERN_NUMBER, .dtype = sum->place, .index = flat};
    v.vector = sum->across;
    v.access = sum->across ? KERN_UNIT : KERN_ONE;
    kern_ref place = kern_lower_value(lo, v);
    return sum->vector && !sum->across ? kern_lower_splat(lo, place) : place;
}

/* x takes over where it is more extreme than all before, or is the first NaN. */
static void update_arg(kern_lowering *lo, const kern_sum *sum, const kern_parts *p,
                       const kern_item *item)
{
    kern_ref x = item->value, best = p->partial, there = mask(lo, sum);
    bool larger = sum->reduce == LOOP_ARGMAX;
    kern_ref less = kern_lower_apply(lo, LOOP_LE, larger ? x : best, larger ? best : x);
    kern_ref wins = kern_lower_apply(lo, LOOP_NOT, less, 0);
    if (ty_is_floating(sum->dtype))
        wins = kern_lower_apply(lo, LOOP_AND, wins, kern_lower_apply(lo, LOOP_EQ, best, best));
    if (there) wins = kern_lower_apply(lo, LOOP_AND, wins, there);
    kern_ref place = place_of(lo, sum, item->flat);
    set(lo, best, pick(lo, wins, x, best));
    set(lo, p->place, pick(lo, wins, place, p->place));
}

/* A vector of a scan: its own prefixes join what was before, and the last of them goes on in every lane. */
static void update_scan(kern_lowering *lo, const kern_sum *sum, kern_parts *p, kern_ref value)
{
    loop_opcode step = kern_step_of(sum->reduce);
    kern_value prefixes = call_of(lo, "scan", step, counted(lo, sum, value));
    prefixes.args[1] = identity(lo, sum);
    kern_ref own = kern_lower_value(lo, prefixes);
    p->prefixes = kern_lower_apply(lo, step, p->partial, own);
    kern_ref last = kern_lower_value(lo, call_of(lo, "last", LOOP_NOTHING, own));
    set(lo, p->partial, kern_lower_apply(lo, step, p->partial, last));
}

/* x * y of a product in tiles is added as it is, without a rounding; what it was is a line before. */
static bool update_fused(kern_lowering *lo, const kern_parts *p, kern_ref product)
{
    const kern_value v = lo->k->values.at[product];
    bool multiplies = v.kind == KERN_APPLY && v.op == LOOP_MUL && ty_is_floating(v.dtype);
    if (!lo->k->tiles.rows || !multiplies) return false;
    const kern_item *last = &vec_last(&lo->loop->items);
    if (last->kind == KERN_DEFINE && last->value == product) lo->loop->items.count--;
    set(lo, p->partial,
        kern_lower_value(lo, (kern_value){.kind = KERN_FUSED,
                                          .dtype = v.dtype,
                                          .args = {v.args[0], v.args[1], p->partial}}));
    return true;
}

void kern_lower_update(kern_lowering *lo, const kern_item *item)
{
    const kern_sum *sum = sum_at(lo, item->sum);
    kern_parts *p = &lo->parts[item->sum];
    if (kern_is_arg(sum->reduce)) {
        update_arg(lo, sum, p, item);
        return;
    }
    if (sum->running && sum->across) {
        update_scan(lo, sum, p, item->value);
        return;
    }
    if (update_fused(lo, p, item->value)) return;
    kern_ref x = as_partial(lo, sum, counted(lo, sum, item->value));
    if (is_paired(lo, sum)) {
        add_exactly(lo, p->partial, p->lost, x);
        return;
    }
    /* the second of equals, a zero and its negative, is taken: of a scan the later one; else what is
     * accumulated, which is quicker */
    bool extreme = sum->reduce == LOOP_REDUCE_MIN || sum->reduce == LOOP_REDUCE_MAX,
         turned = extreme && sum->vector && !sum->running;
    set(lo, p->partial,
        kern_lower_apply(lo, kern_step_of(sum->reduce), turned ? x : p->partial,
                         turned ? p->partial : x));
}

/* ---- end ---- */

static kern_ref copy_of(kern_lowering *lo, kern_ref of, uint32_t copy)
{
    kern_value v = lo->k->values.at[of];
    return v.copies > 1 ? kern_lower_value(lo, (kern_value){.kind = KERN_READ,
                                                            .dtype = v.dtype,
                                                            .vector = v.vector,
                                                            .args = {of},
                                                            .copy = copy})
                        : of;
}

/* Values, one for each copy, as one. */
static kern_ref folded(kern_lowering *lo, loop_opcode op, kern_ref *copies, uint32_t count)
{
    for (uint32_t step = 1; step < count; step *= 2)
        for (uint32_t c = 0; c + step < count; c += 2 * step)
            copies[c] = kern_lower_apply(lo, op, copies[c], copies[c + step]);
    return copies[0];
}

/* All copies of the variable as one value. */
static kern_ref fold(kern_lowering *lo, kern_ref of, loop_opcode op, uint32_t count)
{
    kern_ref copies[KERN_MOST_COPIES];
    for (uint32_t c = 0; c < count; c++) copies[c] = copy_of(lo, of, c);
    return folded(lo, op, copies, count);
}

void kern_lower_drain(kern_lowering *lo, uint32_t number)
{
    const kern_sum *sum = sum_at(lo, number);
    const kern_parts *p = &lo->parts[number];
    if (is_paired(lo, sum)) return;
    add_exactly(lo, p->total, p->lost, fold(lo, p->partial, LOOP_ADD, copies_of(sum)));
    set(lo, p->partial, identity(lo, sum));
}

/* The result's value becomes v. */
static void give(kern_lowering *lo, kern_ref ref, kern_value v)
{
    const kern_value *result = &lo->k->values.at[ref];
    v.level = result->level;
    v.dtype = result->dtype;
    v.vector = result->vector;
    lo->k->values.at[ref] = v;
    kern_lower_into(lo, (kern_item){.kind = KERN_DEFINE, .value = ref});
}

static void give_read(kern_lowering *lo, kern_ref ref, kern_ref x)
{
    give(lo, ref, (kern_value){.kind = KERN_READ, .args = {x}});
}

static void give_cast(kern_lowering *lo, kern_ref ref, kern_ref x)
{
    if (lo->k->values.at[x].dtype == lo->k->values.at[ref].dtype)
        give_read(lo, ref, x);
    else
        give(lo, ref, (kern_value){.kind = KERN_APPLY, .op = LOOP_CAST, .args = {x}});
}

/* Where nothing was taken the place is -1, and the result 0. */
static void give_place(kern_lowering *lo, kern_ref ref, kern_ref place)
{
    const kern_value v = lo->k->values.at[place];
    give_cast(lo, ref, kern_lower_apply(lo, LOOP_MAX, place, whole(lo, v.dtype, v.vector, 0)));
}

/* The first place of those that hold the best. */
static void give_best(kern_lowering *lo, kern_ref ref, const kern_sum *sum, const kern_parts *p)
{
    loop_opcode step = kern_step_of(sum->reduce);
    kern_ref places[KERN_MOST_COPIES];
    kern_ref joined = fold(lo, p->partial, step, sum->copies);
    kern_ref best = kern_lower_splat(lo, kern_lower_value(lo, call_of(lo, "join", step, joined)));
    kern_ref none = whole(lo, sum->place, true, sum->place == TY_I32 ? INT32_MAX : INT64_MAX);
    for (uint32_t c = 0; c < sum->copies; c++) {
        kern_ref x = copy_of(lo, p->partial, c), holds = kern_lower_apply(lo, LOOP_EQ, x, best);
        if (ty_is_floating(sum->dtype)) /* the best is NaN then */
            holds = kern_lower_apply(lo, LOOP_OR, holds, kern_lower_apply(lo, LOOP_ISNAN, x, 0));
        places[c] = pick(lo, holds, copy_of(lo, p->place, c), none);
    }
    kern_ref first = folded(lo, LOOP_MIN, places, sum->copies);
    give_place(lo, ref, kern_lower_value(lo, call_of(lo, "join", LOOP_MIN, first)));
}

static kern_ref joined(kern_lowering *lo, loop_opcode op, kern_ref x)
{
    return kern_lower_value(
        lo,
        (kern_value){.kind = KERN_JOIN, .op = op, .dtype = lo->k->values.at[x].dtype, .args = {x}});
}

/* Of the places that the work-items of a group have found; -1, which none has, is the largest of all. */
static void give_best_of_group(kern_lowering *lo, kern_ref ref, const kern_sum *sum,
                               const kern_parts *p)
{
    kern_ref none = whole(lo, sum->place, false, sum->place == TY_I32 ? INT32_MAX : INT64_MAX),
             zero_place = whole(lo, sum->place, false, 0);
    kern_ref best = joined(lo, kern_step_of(sum->reduce), p->partial);
    kern_ref holds = kern_lower_apply(lo, LOOP_EQ, p->partial, best);
    if (ty_is_floating(sum->dtype)) /* the best is NaN then */
        holds =
            kern_lower_apply(lo, LOOP_OR, holds, kern_lower_apply(lo, LOOP_ISNAN, p->partial, 0));
    holds =
        kern_lower_apply(lo, LOOP_AND, holds, kern_lower_apply(lo, LOOP_LE, zero_place, p->place));
    kern_ref first = joined(lo, LOOP_MIN, pick(lo, holds, p->place, none));
    kern_ref found = kern_lower_apply(lo, LOOP_EQ, first, none);
    give_place(lo, ref, pick(lo, found, zero_place, first));
}

/* What was lost is NaN once an infinity was added, and means nothing then. */
static kern_ref whole_sum(kern_lowering *lo, const kern_sum *sum, const kern_parts *p, kern_ref x)
{
    bool paired = is_paired(lo, sum);
    if (!sum->blocked && !paired) return x;
    kern_ref lost = sum->vector ? kern_lower_value(lo, call_of(lo, "known", LOOP_NOTHING, p->lost))
                                : pick(lo, kern_lower_apply(lo, LOOP_EQ, p->lost, p->lost), p->lost,
                                       zero(lo, partial_dtype(lo, sum), false));
    x = kern_lower_apply(lo, LOOP_ADD, x, lost);
    return paired ? x : kern_lower_apply(lo, LOOP_ADD, p->total, x);
}

void kern_lower_result(kern_lowering *lo, kern_ref ref)
{
    uint32_t number = lo->k->values.at[ref].sum;
    const kern_sum *sum = sum_at(lo, number);
    const kern_parts *p = &lo->parts[number];
    loop_opcode step = kern_step_of(sum->reduce);
    if (kern_is_arg(sum->reduce) && sum->shared) {
        give_best_of_group(lo, ref, sum, p);
    } else if (kern_is_arg(sum->reduce) && sum->across) {
        give_best(lo, ref, sum, p);
    } else if (kern_is_arg(sum->reduce)) {
        give_place(lo, ref, p->place);
    } else if (sum->running && sum->across) {
        give_read(lo, ref, p->prefixes);
    } else {
        kern_ref x = whole_sum(lo, sum, p, fold(lo, p->partial, step, copies_of(sum)));
        if (sum->shared) x = joined(lo, step, x);
        if (sum->across)
            give(lo, ref, call_of(lo, "join", step, x));
        else
            give_cast(lo, ref, x);
    }
}
