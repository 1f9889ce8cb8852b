/* run.c -- runs kernel IR on numbers, functions and legal kernels: one lane, each operation rounded to its
 * dtype, by the arithmetic that constants are folded with. No compiler has a part in it.
 */
#include "kern/legal/legal.h"
#include "loop/loop_priv.h"

#include <math.h>

typedef struct runner {
    const kern_ir *code;
    loop_scalar *values;
} runner;

static loop_scalar run(const kern_function *f, const loop_scalar *args, arena *memory);

static loop_scalar rounded(ty_dtype dtype, double x)
{
    return (loop_scalar){.f = dtype == TY_F32 ? (double)(float)x : x};
}

static loop_scalar constant(const kern_value *v)
{
    ty_dtype part = v->dtype == TY_C64 ? TY_F32 : TY_F64;
    if (ty_is_integral(v->dtype, true)) return (loop_scalar){.i = v->integer};
    if (ty_is_complex(v->dtype))
        return (loop_scalar){.c = {rounded(part, v->number[0]).f, rounded(part, v->number[1]).f}};
    return rounded(v->dtype, v->number[0]);
}

static loop_scalar fused(ty_dtype dtype, const loop_scalar *args)
{
    if (dtype == TY_F64) return (loop_scalar){.f = fma(args[0].f, args[1].f, args[2].f)};
    return (loop_scalar){.f = (double)fmaf((float)args[0].f, (float)args[1].f, (float)args[2].f)};
}

/* a * 2^b, rounded once */
static loop_scalar scaled(ty_dtype dtype, const loop_scalar *args)
{
    const double most = 4096; /* beyond all exponents */
    if (isnan(args[1].f)) return args[1];
    if (isinf(args[1].f)) return rounded(dtype, args[0].f * (args[1].f > 0 ? args[1].f : 0));
    double n = fmin(most, fmax(-most, args[1].f));
    if (dtype == TY_F64) return (loop_scalar){.f = ldexp(args[0].f, (int)n)};
    return (loop_scalar){.f = (double)ldexpf((float)args[0].f, (int)n)};
}

static loop_scalar applied(const runner *r, const kern_value *v, const loop_scalar *args)
{
    ty_dtype operand = r->code->values.at[v->args[0]].dtype;
    loop_scalar out = {0};
    if (v->op == LOOP_WHERE) return args[0].i ? args[1] : args[2];
    if (v->op == LOOP_CAST) return loop_scalar_cast(operand, v->dtype, args[0]);
    if (v->op == LOOP_BITCAST) return loop_scalar_bitcast(operand, v->dtype, args[0]);
    (void)loop_scalar_apply(v->op, operand, args, &out);
    return out;
}

static loop_scalar called(const kern_value *v, loop_scalar *args, arena *memory)
{
    uint32_t count = v->callee->parameter_count;
    for (uint32_t i = 0; i < count && v->wide; i++)
        args[i] = loop_scalar_cast(v->dtype, TY_F64, args[i]);
    loop_scalar result = run(v->callee, args, memory);
    return v->wide ? loop_scalar_cast(TY_F64, v->dtype, result) : result;
}

static loop_scalar value_of(const runner *r, const kern_value *v, arena *memory)
{
    loop_scalar args[COUNT_OF(v->args)];
    for (size_t i = 0; i < COUNT_OF(v->args); i++) args[i] = r->values[v->args[i]];
    switch (v->kind) {
    case KERN_CALL: return called(v, args, memory);
    case KERN_FUSED: return fused(v->dtype, args);
    case KERN_SCALE: return scaled(v->dtype, args);
    case KERN_TABLE: return rounded(v->dtype, v->table[(uint64_t)args[0].i % KERN_TABLE_SIZE]);
    case KERN_HALVES:
        return (loop_scalar){.i = (int64_t)((uint64_t)(uint32_t)args[0].i * (uint32_t)args[1].i)};
    default: return applied(r, v, args);
    }
}

static runner with_constants(const kern_ir *code, arena *memory)
{
    runner r = {code, NEW_ARRAY(memory, loop_scalar, code->values.count)};
    for (uint32_t i = 1; i < code->values.count; i++)
        if (code->values.at[i].kind == KERN_CONST) r.values[i] = constant(&code->values.at[i]);
    return r;
}

static loop_scalar run(const kern_function *f, const loop_scalar *args, arena *memory)
{
    const kern_ir *code = f->code;
    runner r = with_constants(code, memory);
    for (uint32_t i = 0; i < f->parameter_count; i++) r.values[i + 1] = args[i];
    for (uint32_t i = 0; i < code->body->items.count; i++) {
        const kern_item *item = &code->body->items.at[i];
        if (item->kind == KERN_RETURN) return r.values[item->value];
        if (item->kind == KERN_LEAVE && !r.values[item->bound.guard].i) continue;
        r.values[item->value] = value_of(&r, &code->values.at[item->value], memory);
        if (item->kind == KERN_LEAVE) return r.values[item->value];
    }
    return r.values[0]; /* not reached: functions return */
}

kern_number kern_function_run(const kern_function *f, const kern_number *args, arena *memory)
{
    loop_scalar given[COUNT_OF(f->code->values.at->args)];
    bool from_whole = ty_is_integral(f->parameter, false);
    arena_mark_t mark = arena_mark(memory);
    for (uint32_t i = 0; i < f->parameter_count; i++)
        given[i] =
            from_whole ? (loop_scalar){.i = args[i].integer} : (loop_scalar){.f = args[i].real};
    loop_scalar result = run(f, given, memory);
    arena_release(memory, mark);
    bool whole = ty_is_integral(f->result, false);
    return whole ? (kern_number){.integer = result.i} : (kern_number){.real = result.f};
}

/* ---- kernels ---- */

typedef struct machine {
    runner r;
    const kern_ir *k;
    const kern_piece *piece;
    arena *memory;
    char **memories; /* where each begins */
    struct {
        sym_expr axis;
        int64_t at;
    } open[KERN_MOST_LEVELS + LOOP_MAX_AXES];
    uint32_t open_count;
    int64_t block_from, block_to;
    bool is_left; /* by a check */
} machine;

static bool look_up(void *data, sym_expr symbol, int64_t *value)
{
    const machine *m = data;
    kern_ref ref = kern_symbol_value(m->k, symbol);
    uint32_t number;
    if (ref) {
        *value = m->r.values[ref].i;
        return true;
    }
    for (uint32_t i = 0; i < m->open_count; i++)
        if (sym_same(m->open[i].axis, symbol)) {
            *value = m->open[i].at;
            return true;
        }
    if (!kern_is_numbered(sym_name(m->k->symbols, symbol), 'p', &number)) return false;
    *value = m->piece->ints[number];
    return true;
}

static int64_t index_of(machine *m, sym_expr e)
{
    int64_t value = 0;
    CHECK(arena_session(m->memory), sym_eval(m->k->symbols, e, look_up, m, &value));
    return value;
}

static bool holds(const machine *m, kern_ref guard)
{
    return !guard || m->r.values[guard].i;
}

static char *element(machine *m, uint32_t memory, sym_expr index)
{
    int64_t size = (int64_t)ty_dtype_size(m->k->memories.at[memory].dtype);
    return m->memories[memory] + index_of(m, index) * size;
}

static loop_scalar defined(machine *m, const kern_value *v)
{
    switch (v->kind) {
    case KERN_NUMBER: return (loop_scalar){.i = index_of(m, v->index)};
    case KERN_BELOW: return (loop_scalar){.i = index_of(m, v->index) > 0};
    case KERN_VARIABLE:
    case KERN_ANY:
    case KERN_JOIN: /* of a group of one */
    case KERN_READ: return m->r.values[v->args[0]];
    case KERN_LOAD:
        if (!holds(m, v->guard)) return (loop_scalar){0};
        return loop_scalar_load(v->dtype, element(m, v->memory, v->index));
    default: return value_of(&m->r, v, m->memory);
    }
}

/* Of two that are equal, a zero and its negative, the second is taken: the one that is there. */
static loop_scalar combined(loop_store_mode mode, ty_dtype dtype, loop_scalar old,
                            loop_scalar value)
{
    static const loop_opcode COMBINE[] = {[LOOP_ADD_INTO] = LOOP_ADD,
                                          [LOOP_MUL_INTO] = LOOP_MUL,
                                          [LOOP_MIN_INTO] = LOOP_MIN,
                                          [LOOP_MAX_INTO] = LOOP_MAX};
    bool extreme = mode == LOOP_MIN_INTO || mode == LOOP_MAX_INTO;
    loop_scalar args[] = {extreme ? value : old, extreme ? old : value, {0}}, out = value;
    if (mode != LOOP_SET) (void)loop_scalar_apply(COMBINE[mode], dtype, args, &out);
    return out;
}

static void store(machine *m, const kern_store *st)
{
    ty_dtype dtype = m->k->memories.at[st->memory].dtype;
    char *at = element(m, st->memory, st->index);
    loop_scalar old = st->mode == LOOP_SET ? (loop_scalar){0} : loop_scalar_load(dtype, at);
    loop_scalar_store(dtype, at, combined(st->mode, dtype, old, m->r.values[st->value]));
}

static void check(machine *m, const kern_bound *bound)
{
    int64_t value = m->r.values[bound->value].i;
    bool is_outside = value < 0 || value >= index_of(m, bound->size);
    m->is_left |= !bound->is_known && holds(m, bound->guard) && is_outside;
}

static void run_items(machine *m, const kern_loop *loop);

static void run_steps(machine *m, const kern_loop *loop, int64_t from, int64_t to)
{
    uint32_t at = m->open_count++;
    m->open[at].axis = loop->symbol;
    for (int64_t i = from; i < to && !m->is_left; i++) {
        m->open[at].at = i;
        run_items(m, loop);
    }
    m->open_count = at;
}

static void run_blocks(machine *m, const kern_loop *loop)
{
    int64_t extent = index_of(m, loop->extent);
    for (int64_t from = 0; from < extent && !m->is_left; from += loop->block) {
        m->block_from = from;
        m->block_to = from + loop->block < extent ? from + loop->block : extent;
        run_items(m, loop);
    }
}

/* The outer axes of a row. */
static void open_row(machine *m, int64_t row)
{
    for (uint32_t i = m->k->outer; i-- > 0;) {
        int64_t extent = i ? index_of(m, m->k->extents[i]) : row + 1;
        m->open[i].axis = m->k->axes[i];
        m->open[i].at = row % extent;
        row /= extent;
    }
    m->open_count = m->k->outer;
}

static void run_rows(machine *m, const kern_loop *loop)
{
    int64_t from = m->piece->m0, to = m->piece->m1;
    if (from >= to) return;
    if (m->k->serial) from = 0, to = index_of(m, m->k->total);
    if (!m->k->outer) to = from + 1;
    for (int64_t row = from; row < to && !m->is_left; row++) {
        open_row(m, row);
        run_items(m, loop);
    }
    m->open_count = 0;
}

/* Those of the columns that it is over. */
static void run_cut(machine *m, const kern_loop *loop)
{
    int64_t at = index_of(m, loop->at), extent = index_of(m, loop->extent);
    int64_t from = m->piece->n0 - at, to = m->piece->n1 - at;
    run_steps(m, loop, from > 0 ? from : 0, to < extent ? to : extent);
}

static void run_loop(machine *m, const kern_loop *loop)
{
    if (loop->kind == KERN_ROWS)
        run_rows(m, loop);
    else if (loop->kind == KERN_BLOCKS)
        run_blocks(m, loop);
    else if (loop->kind == KERN_WHEN || loop->kind == KERN_OTHERWISE)
        run_items(m, loop);
    else if (loop->columns && !sym_is_none(loop->extent))
        run_cut(m, loop);
    else if (loop->columns)
        run_steps(m, loop, m->piece->n0, m->piece->n1);
    else if (loop->in_block)
        run_steps(m, loop, m->block_from, m->block_to);
    else
        run_steps(m, loop, 0, index_of(m, loop->extent));
}

static bool goes_into(const machine *m, const kern_item *item)
{
    return item->loop->kind == KERN_OTHERWISE ? !holds(m, item[-1].loop->condition)
                                              : holds(m, item->loop->condition);
}

static void run_items(machine *m, const kern_loop *loop)
{
    for (uint32_t i = 0; i < loop->items.count && !m->is_left; i++) {
        const kern_item *item = &loop->items.at[i];
        arena_mark_t mark = arena_mark(m->memory);
        switch (item->kind) {
        case KERN_DEFINE:
            m->r.values[item->value] = defined(m, &m->k->values.at[item->value]);
            break;
        case KERN_SET: m->r.values[item->variable] = m->r.values[item->value]; break;
        case KERN_STORE: store(m, &item->store); break;
        case KERN_BOUND: check(m, &item->bound); break;
        case KERN_LOOP:
            if (goes_into(m, item)) run_loop(m, item->loop);
            break;
        default: break; /* of functions, or lowered */
        }
        arena_release(m->memory, mark);
    }
}

bool kern_run(const kern_ir *k, const kern_piece *piece, arena *memory)
{
    machine m = {.r = with_constants(k, memory), .k = k, .piece = piece, .memory = memory};
    m.memories = NEW_ARRAY(memory, char *, k->memories.count + 1);
    for (uint32_t i = 0; i < k->memories.count; i++) {
        const kern_memory *of = &k->memories.at[i];
        m.memories[i] =
            of->is_tile ? NEW_ARRAY(memory, char,
                                    (size_t)index_of(&m, of->elements) * ty_dtype_size(of->dtype))
                        : piece->buffers[of->number];
    }
    run_items(&m, k->body);
    return !m.is_left;
}
