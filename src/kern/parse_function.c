/* parse_function.c -- reads functions, as print.c writes them. */
#include "kern/legal/legal.h"
#include "kern/parse_priv.h"

#include <stdlib.h>
#include <string.h>

/* exp_f32x16: exp, f32, 16 */
static fe_status parse_name(kern_reader *in, kern_function *f)
{
    const char *name = in->lx->token.text;
    const char *last = in->lx->token.kind == LEX_NAME ? strrchr(name, '_') : NULL;
    if (!last || strchr(name, '.')) return lex_fail(in->lx, "expected a name as exp_f32x8");
    const char *x = strchr(last, 'x');
    size_t length = x ? (size_t)(x - last - 1) : strlen(last + 1);
    unsigned long lanes = x ? strtoul(x + 1, NULL, 10) : 1;
    if (!ty_dtype_parse(arena_printf(in->memory, "%.*s", (int)length, last + 1), &f->dtype) ||
        lanes < 1 || lanes > KERN_MOST_LANES)
        return lex_fail(in->lx, "expected a dtype and lanes at the end of the name");
    f->base = arena_printf(in->memory, "%.*s", (int)(last - name), name);
    f->name = kern_function_name(f->base, f->dtype, (uint32_t)lanes, in->memory);
    if (strcmp(f->name, name) != 0 || kern_library_named(in->library, name))
        return lex_fail(in->lx, "the function is there, or its name says another");
    in->k->name = f->name;
    in->k->lanes = (uint32_t)lanes;
    return lex_name(in->lx, &name);
}

static fe_status parse_parameters(kern_reader *in, kern_function *f)
{
    enum { MOST = 3 };
    FE_TRY(lex_expect(in->lx, "("));
    do {
        kern_value v = {.kind = KERN_PARAMETER};
        lex_token begin = in->lx->token;
        if (f->parameter_count == MOST) return lex_fail(in->lx, "more than %d parameters", MOST);
        FE_TRY(lex_expect(in->lx, arena_printf(in->memory, "v%u", ++f->parameter_count)));
        FE_TRY(lex_expect(in->lx, ":"));
        FE_TRY(kern_read_type(in, &v.dtype, &v.vector));
        if (f->parameter_count == 1) f->parameter = v.dtype;
        if (v.dtype != f->parameter || v.vector != (in->k->lanes > 1)) {
            in->lx->token = begin;
            return lex_fail(in->lx, "parameters are of one type, of the lanes in the name");
        }
        vec_push(in->memory, &in->k->values, v);
    } while (lex_take(in->lx, ","));
    return lex_expect(in->lx, ")");
}

static fe_status parse_leave(kern_reader *in, const kern_function *f)
{
    bool vector = in->k->lanes > 1;
    kern_item item = {.kind = KERN_LEAVE};
    kern_value v = {.dtype = f->result, .vector = vector};
    FE_TRY(kern_read_operand(in, TY_BOOL, vector, &item.bound.guard));
    FE_TRY(lex_expect(in->lx, "with"));
    FE_TRY(kern_read_expression(in, &v));
    item.value = KERN_CONSTANT + in->constants.count; /* it has no number either */
    vec_push(in->memory, &in->constants, v);
    kern_read_into(in, item);
    return FE_OK;
}

static fe_status parse_line(kern_reader *in, const kern_function *f)
{
    uint32_t number;
    if (in->lx->token.kind == LEX_NAME && kern_is_numbered(in->lx->token.text, 'v', &number))
        return kern_read_define(in);
    if (lex_take(in->lx, "leave")) return parse_leave(in, f);
    kern_item item = {.kind = KERN_RETURN};
    FE_TRY(lex_expect(in->lx, "return"));
    FE_TRY(kern_read_operand(in, f->result, in->k->lanes > 1 && !f->scalar, &item.value));
    kern_read_into(in, item);
    return FE_OK;
}

fe_status kern_read_function(kern_reader *in)
{
    kern_function *f = NEW(in->memory, kern_function);
    in->function = f;
    f->code = in->k;
    in->k->body = in->open[0] = NEW(in->memory, kern_loop);
    in->k->body->unroll = 1;
    vec_push(in->memory, &in->k->values, (kern_value){0});
    FE_TRY(parse_name(in, f));
    FE_TRY(parse_parameters(in, f));
    f->result = f->dtype;
    bool vector = in->k->lanes > 1;
    if (lex_take(in->lx, ":")) FE_TRY(kern_read_type(in, &f->result, &vector));
    f->scalar = vector != (in->k->lanes > 1);
    f->manner = lex_take(in->lx, "apart")  ? KERN_APART
                : lex_take(in->lx, "rare") ? KERN_RARE
                                           : KERN_INLINE;
    FE_TRY(lex_expect(in->lx, "{"));
    while (!lex_is(in->lx, "}")) FE_TRY(parse_line(in, f));
    FE_TRY(lex_expect(in->lx, "}"));
    kern_read_settle(in);
    kern_library_add(in->library, f);
    return FE_OK;
}
