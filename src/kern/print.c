/* print.c -- the text form of kernel IR. */
#include "kern/kern_priv.h"

typedef struct printer {
    const kern_ir *k;
    const sym_table *t;
    text *out;
} printer;

static void indent(printer *pr)
{
    for (int i = 0; i < pr->out->indent; i++) text_add(pr->out, "  ");
}

static void print_type(printer *pr, const kern_value *v)
{
    text_add(pr->out, ty_dtype_name(v->dtype));
    if (v->vector) text_printf(pr->out, "x%u", pr->k->lanes);
}

static void print_place(printer *pr, uint32_t memory, sym_expr index)
{
    const kern_memory *m = &pr->k->memories.at[memory];
    text_printf(pr->out, "%c%u[", m->is_tile ? 't' : 'b', m->number);
    sym_print(pr->t, index, pr->out);
    text_char(pr->out, ']');
}

static void print_operand(printer *pr, kern_ref ref)
{
    const kern_value *v = &pr->k->values.at[ref];
    if (v->kind != KERN_CONST)
        text_printf(pr->out, "v%u", ref);
    else if (ty_is_integral(v->dtype, true))
        text_printf(pr->out, "%lld", (long long)v->integer);
    else
        text_double(pr->out, v->number[0]);
    if (v->kind == KERN_CONST && ty_is_complex(v->dtype)) {
        text_add(pr->out, ":");
        text_double(pr->out, v->number[1]);
    }
}

static const char *access_name(kern_access access)
{
    return access == KERN_LANES ? " lanes" : "";
}

static void print_define(printer *pr, kern_ref ref)
{
    const kern_value *v = &pr->k->values.at[ref];
    indent(pr);
    text_printf(pr->out, "v%u : ", ref);
    print_type(pr, v);
    text_add(pr->out, " = ");
    switch (v->kind) {
    case KERN_NUMBER:
        text_printf(pr->out, "index%s ", access_name(v->access));
        sym_print(pr->t, v->index, pr->out);
        break;
    case KERN_LOAD:
        text_printf(pr->out, "load%s ", access_name(v->access));
        print_place(pr, v->memory, v->index);
        if (v->guard) text_add(pr->out, " if "), print_operand(pr, v->guard);
        break;
    case KERN_APPLY:
        text_add(pr->out, loop_opcode_name(v->op));
        for (uint32_t i = 0; i < loop_operand_count(v->op); i++) {
            text_add(pr->out, i ? ", " : " ");
            print_operand(pr, v->args[i]);
        }
        break;
    case KERN_SPLAT:
        text_add(pr->out, "splat ");
        print_operand(pr, v->args[0]);
        break;
    default: text_printf(pr->out, "result a%u", v->sum); break;
    }
    text_char(pr->out, '\n');
}

static const char *reduce_name(loop_reduce reduce)
{
    static const char *const NAMES[] = {"",       "sum",    "prod", "min_of", "max_of",
                                        "argmin", "argmax", "any",  "all",    "xor_of"};
    return NAMES[reduce];
}

static void print_store(printer *pr, const kern_store *st)
{
    static const char *const MODES[] = {"=", "add=", "mul=", "min=", "max="};
    indent(pr);
    text_printf(pr->out, "store%s ", access_name(st->access));
    print_place(pr, st->memory, st->index);
    text_printf(pr->out, " %s ", MODES[st->mode]);
    print_operand(pr, st->value);
    text_char(pr->out, '\n');
}

static void print_start(printer *pr, uint32_t number)
{
    const kern_sum *sum = &pr->k->sums.at[number];
    indent(pr);
    text_printf(pr->out, "acc a%u : %s", number, ty_dtype_name(sum->dtype));
    if (sum->vector) text_printf(pr->out, "x%u", pr->k->lanes);
    text_printf(pr->out, " %s", reduce_name(sum->reduce));
    if (sum->copies > 1) text_printf(pr->out, " copies %u", sum->copies);
    if (sum->blocked) text_add(pr->out, " compensated");
    text_char(pr->out, '\n');
}

static void print_loop(printer *pr, const kern_loop *loop);

static void print_items(printer *pr, const kern_loop *loop)
{
    pr->out->indent++;
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        switch (item->kind) {
        case KERN_DEFINE: print_define(pr, item->value); break;
        case KERN_STORE: print_store(pr, &item->store); break;
        case KERN_START: print_start(pr, item->sum); break;
        case KERN_UPDATE:
            indent(pr);
            text_printf(pr->out, "a%u += ", item->sum);
            print_operand(pr, item->value);
            text_char(pr->out, '\n');
            break;
        case KERN_LOOP: print_loop(pr, item->loop); break;
        }
    }
    pr->out->indent--;
}

static void print_loop(printer *pr, const kern_loop *loop)
{
    const kern_ir *k = pr->k;
    indent(pr);
    if (loop->kind == KERN_ROWS) {
        text_add(pr->out, k->serial         ? "rows serial ("
                          : k->outer_vector ? "rows vector ("
                                            : "rows (");
        for (uint32_t i = 0; i < k->outer; i++) {
            text_add(pr->out, i ? ", " : "");
            sym_print(pr->t, k->axes[i], pr->out);
            if (sym_is_none(k->extents[i])) continue;
            text_add(pr->out, " < ");
            sym_print(pr->t, k->extents[i], pr->out);
        }
        text_add(pr->out, ")");
        if (loop->unroll > 1) text_printf(pr->out, " unroll %u", loop->unroll);
    } else {
        text_add(pr->out, loop->kind == KERN_VECTOR ? "vector " : "loop ");
        sym_print(pr->t, loop->symbol, pr->out);
        text_add(pr->out, loop->columns ? " in columns" : " < ");
        if (!loop->columns) sym_print(pr->t, loop->extent, pr->out);
        if (loop->exact) text_add(pr->out, " exact");
        if (loop->unroll > 1) text_printf(pr->out, " unroll %u", loop->unroll);
        if (loop->block) text_printf(pr->out, " blocks of %lld", (long long)loop->block);
        for (uint32_t i = 0; i < loop->drains.count; i++)
            text_printf(pr->out, "%sa%u", i ? ", " : " drain ", loop->drains.at[i]);
    }
    text_add(pr->out, " {\n");
    print_items(pr, loop);
    text_line(pr->out, "}");
}

static void print_buffers(printer *pr)
{
    text_add(pr->out, " buffers [");
    bool first = true;
    for (uint32_t i = 0; i < pr->k->memories.count; i++) {
        const kern_memory *m = &pr->k->memories.at[i];
        if (m->is_tile) continue;
        text_printf(pr->out, "%s%s %s%s @%s", first ? "" : ", ", ty_dtype_name(m->dtype),
                    m->is_read ? "in" : "", m->is_written ? "out" : "",
                    pr->k->program->buffers.at[m->buffer].name);
        first = false;
    }
    text_add(pr->out, "]");
}

void kern_print_ir(const kern_ir *k, const char *name, text *out)
{
    printer pr = {k, k->program->symbols, out};
    text_printf(out, "kernel %s lanes %u", name, k->lanes);
    print_buffers(&pr);
    text_add(out, " ints [");
    for (uint32_t i = 0; i < k->params.count; i++) {
        text_add(out, i ? ", " : "");
        sym_print(pr.t, k->params.at[i], out);
    }
    text_add(out, "]\n");
    for (uint32_t i = 0; i < k->memories.count; i++) {
        const kern_memory *m = &k->memories.at[i];
        if (!m->is_tile) continue;
        text_printf(out, "  tile t%u : %s[", m->number, ty_dtype_name(m->dtype));
        sym_print(pr.t, m->elements, out);
        text_add(out, "]\n");
    }
    print_items(&pr, k->body);
}
