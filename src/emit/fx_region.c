/* fx_region.c -- the lines of regions in the FX printer: a graph each.
 *
 *     ferrite.cond(test, then, [...], otherwise, [...])
 *     ferrite.repeat(count or null, body, [...])     # a counted body takes the number of its step last
 *     ferrite.go_on(test, rest, [...])               # while: what is behind it in the body
 *
 * Each arm and body is given what it takes from outside and changes buffers where they lie. A body
 * returns whether another step follows: true, or what its go_on gives.
 */
#include "emit/fx.h"

/* A region under way. */
typedef struct emit_fx_open_region {
    wrap_kind kind;     /* IF, REPEAT, WHILE */
    text before, first; /* the test or the count; the first arm */
} emit_fx_open_region;

typedef VEC(emit_fx_open_region) region_list;

static region_list *regions_of(emit_state *s)
{
    if (!s->regions) s->regions = NEW(s->memory, region_list);
    return s->regions;
}

static void print_test(emit_state *s, const loop_op *op, text *out)
{
    text args;
    const char *name = emit_fx_fresh(s, "test");
    if (op->input_count == 0) {
        emit_fx_expr(s, op->expr, out);
        return;
    }
    emit_fx_text(s, &args);
    emit_fx_view(s, &op->inputs[0], WRAP_NO_WEIGHT, &args);
    emit_fx_call(s, name, "ferrite.item", &args, NULL);
    emit_fx_ref(s, name, out);
}

static emit_fx_open_region *push(emit_state *s, wrap_kind kind)
{
    emit_fx_open_region region = {.kind = kind};
    emit_fx_text(s, &region.before);
    emit_fx_text(s, &region.first);
    vec_push(s->memory, regions_of(s), region);
    return &vec_last(regions_of(s));
}

static emit_fx_open_region pop(emit_state *s)
{
    region_list *list = regions_of(s);
    return list->at[--list->count];
}

static void begin_repeat(emit_state *s, const loop_op *op)
{
    emit_fx_open_region *region = push(s, WRAP_REPEAT);
    bool counts = !sym_is_none(op->symbol);
    if (counts)
        emit_fx_expr(s, op->ints[0], &region->before);
    else
        text_add(&region->before, "null");
    emit_fx_open(s, "body");
    if (!counts) return;
    const char *step = sym_name(s->w->loops->symbols, op->symbol);
    emit_fx_node(s, "placeholder", step, step, NULL, NULL);
}

/* A call of the graph that ends; its node. */
static const char *call_closed(emit_state *s, const emit_fx_open_region *region, const char *target,
                               const char *result)
{
    text args;
    const char *name = emit_fx_fresh(s, "done");
    emit_fx_text(s, &args);
    text_printf(&args, "%s, ", region->before.at);
    if (region->first.length) text_printf(&args, "%s, ", region->first.at);
    emit_fx_close(s, result, &args);
    if (region->kind == WRAP_IF && !region->first.length) text_add(&args, ", null, []");
    emit_fx_call(s, name, target, &args, NULL);
    return name;
}

static void end_region(emit_state *s)
{
    emit_fx_open_region region = pop(s);
    const char *result = NULL;
    for (; region.kind == WRAP_WHILE; region = pop(s))
        result = call_closed(s, &region, "ferrite.go_on", result);
    call_closed(s, &region, region.kind == WRAP_IF ? "ferrite.cond" : "ferrite.repeat", result);
}

void emit_fx_region(emit_state *s, const wrap_line *line)
{
    emit_fx_open_region *region;
    switch (line->kind) {
    case WRAP_IF:
    case WRAP_WHILE: {
        text test;
        emit_fx_text(s, &test);
        print_test(s, line->op, &test);
        region = push(s, line->kind);
        region->before = test;
        emit_fx_open(s, line->kind == WRAP_IF ? "then" : "rest");
        break;
    }
    case WRAP_ELSE:
        region = &vec_last(regions_of(s));
        emit_fx_close(s, NULL, &region->first);
        emit_fx_open(s, "otherwise");
        break;
    case WRAP_REPEAT: begin_repeat(s, line->op); break;
    default: end_region(s); break;
    }
}
