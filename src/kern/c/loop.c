/* loop.c -- loops of a kernel as C.
 *
 * A vector loop runs its one body in two passes: whole vectors first, then once with what is left,
 * `n` being the number of elements of a step, of which counts and masks are made. In an unrolled loop
 * each vector is there several times.
 */
#include "kern/c/c.h"

void kern_c_print_body(kern_c_printer *pr, const kern_loop *loop)
{
    pr->out->indent++;
    kern_c_print_items(pr, loop);
    pr->out->indent--;
}

static void print_sequence(kern_c_printer *pr, const kern_loop *loop, const char *from,
                           const char *to)
{
    const char *name = sym_name(pr->t, loop->symbol), *number = NULL;
    if (!sym_is_none(loop->number)) number = sym_name(pr->t, loop->number);
    if (loop->shared)
        kern_c_print_shared(pr, name, from, to);
    else if (number)
        text_line(pr->out, "for (i64 %s = %s, %s = 0; %s < %s; %s++, %s++) {", name, from, number,
                  name, to, name, number);
    else
        text_line(pr->out, "for (i64 %s = %s; %s < %s; %s++) {", name, from, name, to, name);
    pr->out->indent += loop->shared;
    kern_c_print_body(pr, loop);
    if (loop->shared) text_line(pr->out, "}");
    pr->out->indent -= loop->shared;
    text_line(pr->out, "}");
}

/* Of n lanes, those of the copy at hand. */
static void print_count(kern_c_printer *pr, const kern_loop *loop)
{
    const char *name = kern_c_name(pr, loop->count);
    uint32_t lanes = pr->k->lanes;
    if (loop->unroll == 1) {
        text_line(pr->out, "const i64 %s = n;", name);
        return;
    }
    kern_need(pr->needs, "fe_min");
    kern_need(pr->needs, "fe_max");
    text_line(pr->out, "const i64 %s = fe_max(fe_min(n - %u, %u), 0);", name, pr->copy * lanes,
              lanes);
}

void kern_c_print_tail(kern_c_printer *pr, const kern_loop *loop)
{
    kern_c_scope scope = {TY_I32, pr->k->lanes, {NULL, NULL, NULL}};
    for (pr->copy = 0; pr->copy < loop->unroll; pr->copy++) {
        if (loop->count) print_count(pr, loop);
        if (!loop->mask) continue;
        scope.args[0] = kern_c_name(pr, loop->mask);
        scope.args[1] = kern_c_name(pr, loop->count);
        text_line(pr->out, "%s", kern_c_text(pr, "const $T $0 = @tail($1);", &scope));
    }
    pr->copy = 0;
}

static bool is_of_square(const kern_loop *loop)
{
    return loop->in_block && sym_is_none(loop->extent);
}

/* All of a square's lanes along it. */
static void print_one_step(kern_c_printer *pr, const kern_loop *loop, const char *from,
                           const char *to)
{
    text_line(pr->out, "{");
    pr->out->indent++;
    text_line(pr->out, "const i64 %s = %s, n = %s - %s;", sym_name(pr->t, loop->symbol), from, to,
              from);
    kern_c_print_tail(pr, loop);
    kern_c_print_items(pr, loop);
    pr->out->indent--;
}

/* Is the call one to 16 bits, or from them? */
static bool converts(const kern_ir *k, kern_ref call)
{
    const kern_value *v = &k->values.at[call];
    return ty_is_half(v->dtype) || ty_is_half(k->values.at[v->args[0]].dtype);
}

/* A body of a few lines stands there twice, for whole vectors and for what is left: whole ones ask nothing
 * then, which in a copy of short rows is most of the time. Conversions are an instruction or two. */
static uint32_t lines_in(const kern_ir *k, const kern_loop *loop)
{
    uint32_t lines = loop->items.count;
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        const kern_function *f = k->values.at[item->value].callee;
        if (item->kind == KERN_LOOP && item->loop->kind != KERN_EACH_LANE)
            lines += lines_in(k, item->loop);
        else if (item->kind == KERN_LOOP)
            lines += k->lanes * item->loop->items.count;
        if (item->kind == KERN_DEFINE && f && f->manner == KERN_INLINE && !converts(k, item->value))
            lines += f->code->body->items.count;
    }
    return lines;
}

/* Without mask registers a part of a vector of 16 bits is stored by halves of halves, and whether it is one
 * is asked each time. */
static bool stores_narrow(const kern_ir *k, const kern_loop *loop)
{
    enum { MASKED_LANES = 16 };
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        if (item->kind == KERN_STORE && ty_is_half(k->values.at[item->store.value].dtype))
            return k->lanes < MASKED_LANES;
    }
    return false;
}

bool kern_c_is_short(const kern_ir *k, const kern_loop *loop)
{
    enum { FEW_LINES = 18, MORE_LINES = 80 };
    return lines_in(k, loop) <= (stores_narrow(k, loop) ? MORE_LINES : FEW_LINES);
}

static void print_steps_apart(kern_c_printer *pr, const kern_loop *loop, const char *from,
                              const char *to)
{
    const char *name = sym_name(pr->t, loop->symbol);
    text_line(pr->out, "{");
    pr->out->indent++;
    text_line(pr->out, "i64 %s = %s;", name, from);
    text_line(pr->out, "for (const i64 n = %u; %s + n <= %s; %s += n) {", pr->k->lanes, name, to,
              name);
    pr->out->indent++;
    kern_c_print_tail(pr, loop);
    kern_c_print_items(pr, loop);
    pr->out->indent--;
    text_line(pr->out, "}");
    text_line(pr->out, "if (%s < %s) {", name, to);
    pr->out->indent++;
    text_line(pr->out, "const i64 n = %s - %s;", to, name);
    kern_c_print_tail(pr, loop);
    kern_c_print_items(pr, loop);
    pr->out->indent--;
    text_line(pr->out, "}");
    pr->out->indent--;
}

static void print_vector(kern_c_printer *pr, const kern_loop *loop, const char *from,
                         const char *to)
{
    const char *name = sym_name(pr->t, loop->symbol);
    uint32_t step = pr->k->lanes * loop->unroll;
    kern_c_printer before = *pr;
    pr->vector_axis = loop->symbol;
    pr->copies = loop->unroll;
    pr->copied = loop->level;
    pr->in_copy = false;
    if (is_of_square(loop)) {
        print_one_step(pr, loop, from, to);
    } else if (loop->exact) {
        text_line(pr->out, "for (i64 %s = %s; %s < %s; %s += %u) {", name, from, name, to, name,
                  step);
        kern_c_print_body(pr, loop);
    } else if (loop->unroll == 1 && kern_c_is_short(pr->k, loop)) {
        print_steps_apart(pr, loop, from, to);
    } else {
        text_line(pr->out, "for (i64 %s = %s, n = %u; %s < %s; n = %s - %s) {", name, from, step,
                  name, to, to, name);
        pr->out->indent++;
        kern_c_print_tail(pr, loop);
        text_line(pr->out, "for (; %s + n <= %s; %s += n) {", name, to, name);
        kern_c_print_body(pr, loop);
        text_line(pr->out, "}");
        pr->out->indent--;
    }
    text_line(pr->out, "}");
    text *out = pr->out;
    *pr = before;
    pr->out = out;
}

void kern_c_print_blocks(kern_c_printer *pr, const kern_loop *loop)
{
    const char *name = sym_name(pr->t, loop->symbol), *to = kern_c_index(pr, loop->extent);
    kern_need(pr->needs, "fe_min");
    text_line(pr->out, "for (i64 %s_from = 0; %s_from < %s; %s_from += %lld) {", name, name, to,
              name, (long long)loop->block);
    text_line(pr->out, "  const i64 %s_to = fe_min(%s_from + %lld, %s);", name, name,
              (long long)loop->block, to);
    kern_c_print_body(pr, loop);
    text_line(pr->out, "}");
}

/* Those of [n0, n1) that the loop is over, counted from where it begins. */
static void find_cut(kern_c_printer *pr, const kern_loop *loop, const char **from, const char **to)
{
    const char *at = kern_c_index(pr, loop->at), *extent = kern_c_index(pr, loop->extent);
    kern_need(pr->needs, "fe_min");
    kern_need(pr->needs, "fe_max");
    *from = arena_printf(pr->needs->memory, "fe_max(n0 - (%s), 0)", at);
    *to = arena_printf(pr->needs->memory, "fe_min(n1 - (%s), %s)", at, extent);
}

void kern_c_print_loop(kern_c_printer *pr, const kern_loop *loop)
{
    const char *from = "0", *to = "n1", *name = sym_name(pr->t, loop->symbol);
    if (loop->shared) pr->in_shared++;
    if (loop->columns) from = "n0";
    if (loop->columns && !sym_is_none(loop->extent)) find_cut(pr, loop, &from, &to);
    if (loop->in_block) from = kern_c_format(pr, "%s_from", name, NULL);
    if (!loop->columns)
        to = loop->in_block ? kern_c_format(pr, "%s_to", name, NULL)
                            : kern_c_index(pr, loop->extent);
    if (loop->kind == KERN_VECTOR)
        print_vector(pr, loop, from, to);
    else
        print_sequence(pr, loop, from, to);
    if (loop->shared) pr->in_shared--;
}
