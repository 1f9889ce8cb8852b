/* run.c -- runs functions of kernel IR on numbers: one lane, each operation rounded to its dtype, by the
 * arithmetic that constants are folded with. No compiler has a part in it.
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
    if (ty_is_integral(v->dtype, true)) return (loop_scalar){.i = v->integer};
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
    case KERN_HALVES:
        return (loop_scalar){.i = (int64_t)((uint64_t)(uint32_t)args[0].i * (uint32_t)args[1].i)};
    default: return applied(r, v, args);
    }
}

static loop_scalar run(const kern_function *f, const loop_scalar *args, arena *memory)
{
    const kern_ir *code = f->code;
    runner r = {code, NEW_ARRAY(memory, loop_scalar, code->values.count)};
    for (uint32_t i = 0; i < f->parameter_count; i++) r.values[i + 1] = args[i];
    for (uint32_t i = 1; i < code->values.count; i++)
        if (code->values.at[i].kind == KERN_CONST) r.values[i] = constant(&code->values.at[i]);
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
