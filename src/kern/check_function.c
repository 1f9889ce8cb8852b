/* check_function.c -- law K8: calls, and the lines of functions. */
#include "kern/check_priv.h"

static fe_status check_all(kern_checker *c, const kern_value *v, uint32_t count, ty_dtype dtype,
                           bool vectors)
{
    for (uint32_t i = 0; i < count; i++) FE_TRY(kern_use_as(c, v->args[i], dtype, vectors));
    return FE_OK;
}

static fe_status check_args(kern_checker *c, const kern_value *v, uint32_t count, ty_dtype dtype)
{
    return check_all(c, v, count, dtype, v->vector);
}

static fe_status check_callee(kern_checker *c, const kern_value *v)
{
    const kern_function *f = v->callee;
    uint32_t lanes = v->vector || f->scalar ? c->k->lanes : 1, others = f->code->lanes;
    bool lanes_fit = others == lanes || (v->wide && 2 * others == lanes);
    bool widens = f->parameter == TY_F64 && f->result == TY_F64 && ty_dtype_size(v->dtype) == 4;
    if (!lanes_fit) return kern_broken(c, "K8", "%s is of %u lanes", f->name, others);
    if (f->scalar && (v->vector || c->function))
        return kern_broken(c, "K8", "%s gives one number", f->name);
    if (v->wide ? !widens : f->result != v->dtype)
        return kern_broken(c, "K8", "%s gives %s", f->name, ty_dtype_name(f->result));
    return check_all(c, v, f->parameter_count, v->wide ? v->dtype : f->parameter,
                     v->vector || f->scalar);
}

/* Of a product in tiles. */
static fe_status check_fused(kern_checker *c, const kern_value *v)
{
    if (!ty_is_floating(v->dtype)) return kern_broken(c, "K2", "floats alone are fused");
    return check_args(c, v, 3, v->dtype);
}

fe_status kern_check_call(kern_checker *c, const kern_value *v)
{
    if (v->kind == KERN_CALL) return check_callee(c, v);
    if (!c->function && v->kind == KERN_FUSED && c->k->tiles.rows) return check_fused(c, v);
    if (!c->function) return kern_broken(c, "K8", "this is for functions alone");
    if (v->kind == KERN_SHUFFLE) return check_args(c, v, 2, v->dtype);
    if (v->kind == KERN_FIRST) return kern_use_as(c, v->args[0], v->dtype, c->k->lanes > 1);
    if (v->kind == KERN_TABLE) {
        if (v->dtype != TY_F32) return kern_broken(c, "K8", "a table is of f32");
        return check_args(c, v, 1, TY_I32);
    }
    bool halves = v->kind == KERN_HALVES, floats = v->kind == KERN_FUSED || v->kind == KERN_SCALE;
    if (v->dtype != (halves ? TY_U64 : c->function->dtype) || (floats && !ty_is_floating(v->dtype)))
        return kern_broken(c, "K8", "this is of another dtype than the function");
    uint32_t count = v->kind == KERN_EACH    ? loop_operand_count(v->op)
                     : v->kind == KERN_FUSED ? 3
                                             : 2;
    return check_args(c, v, count, v->dtype);
}

static fe_status check_line(kern_checker *c, const kern_item *item)
{
    const kern_value *v = &c->k->values.at[item->value];
    bool vector = c->k->lanes > 1;
    c->item = item;
    switch (item->kind) {
    case KERN_DEFINE:
        if (c->in_scope[item->value]) return kern_broken(c, "K1", "v%u is there", item->value);
        if (v->vector != (vector && v->kind != KERN_FIRST))
            return kern_broken(c, "K8", "a function has one number of lanes");
        if (v->kind == KERN_LOAD || v->kind == KERN_NUMBER || v->kind == KERN_BELOW ||
            v->kind == KERN_RESULT)
            return kern_broken(c, "K8", "functions know no memory and no loops");
        FE_TRY(kern_check_value(c, v));
        c->in_scope[item->value] = true;
        return FE_OK;
    case KERN_LEAVE:
        FE_TRY(kern_use_as(c, item->bound.guard, TY_BOOL, vector));
        if (v->kind != KERN_CALL || v->dtype != c->function->result)
            return kern_broken(c, "K8", "a function is left with a call that gives its result");
        return kern_check_value(c, v);
    case KERN_RETURN:
        return kern_use_as(c, item->value, c->function->result, vector && !c->function->scalar);
    default: return kern_broken(c, "K8", "functions are straight lines");
    }
}

static fe_status check_lines(kern_checker *c)
{
    const kern_ir *k = c->k;
    uint32_t count = k->body->items.count;
    ty_dtype dtype = c->function->dtype;
    if (ty_is_complex(dtype)) return kern_broken(c, "K8", "functions are of real numbers");
    if (k->lanes > 1) FE_TRY(kern_check_vector(c, c->function->dtype));
    for (uint32_t i = 1; i <= c->function->parameter_count; i++) c->in_scope[i] = true;
    for (uint32_t i = 0; i < count; i++) {
        const kern_item *item = &k->body->items.at[i];
        FE_TRY(check_line(c, item));
        if ((item->kind == KERN_RETURN) != (i + 1 == count))
            return kern_broken(c, "K8", "a function ends where it returns");
    }
    return count ? FE_OK : kern_broken(c, "K8", "a function returns a value");
}

fe_status kern_check_function(const kern_function *f, fe_session *session)
{
    arena *memory = arena_new(session);
    kern_checker c = {.k = f->code,
                      .t = f->code->symbols,
                      .memory = memory,
                      .copies = 1,
                      .function = f,
                      .in_scope = NEW_ARRAY(memory, bool, f->code->values.count + 1)};
    fe_status status = check_lines(&c);
    arena_free(memory);
    return status;
}
