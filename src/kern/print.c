/* print.c -- the text form of kernel IR. */
#include "kern/kern_priv.h"

typedef struct printer {
    const kern_ir *k;
    const sym_table *t;
    text *out;
} printer;

static const kern_value *value_at(const printer *pr, kern_ref v)
{
    return &pr->k->values.at[v];
}

/* ---- pieces ---- */

static void print_type(printer *pr, ty_dtype dtype, bool vector)
{
    text_add(pr->out, ty_dtype_name(dtype));
    if (vector) text_printf(pr->out, "x%u", pr->k->lanes);
}

static void print_memory(printer *pr, uint32_t memory)
{
    const kern_memory *m = &pr->k->memories.at[memory];
    text_printf(pr->out, "%c%u", m->is_tile ? 't' : 'b', m->number);
}

static void print_place(printer *pr, uint32_t memory, sym_expr index)
{
    print_memory(pr, memory);
    text_char(pr->out, '[');
    sym_print(pr->t, index, pr->out);
    text_char(pr->out, ']');
}

static void print_constant(printer *pr, const kern_value *v)
{
    if (ty_is_integral(v->dtype, true)) {
        text_printf(pr->out, "%lld", (long long)v->integer);
        return;
    }
    text_double(pr->out, v->number[0]);
    if (!ty_is_complex(v->dtype)) return;
    text_char(pr->out, ':');
    text_double(pr->out, v->number[1]);
}

/* A constant says its dtype where it is not that of the line. */
static void print_operand(printer *pr, kern_ref ref, ty_dtype line)
{
    const kern_value *v = value_at(pr, ref);
    if (v->kind != KERN_CONST) {
        text_printf(pr->out, "v%u", ref);
        return;
    }
    if (v->dtype != line) text_printf(pr->out, "%s ", ty_dtype_name(v->dtype));
    print_constant(pr, v);
}

/* ---- lines ---- */

const char *const kern_pairs_names[KERN_SECONDS + 1] = {"", "pairs", "firsts", "seconds"};

static const char *lanes_name(const printer *pr, const kern_value *v)
{
    if (v->access != KERN_LANES) return v->runs ? "run " : "";
    if (v->repeats) return arena_printf(pr->out->memory, "each %u times ", v->repeats);
    if (v->pairs) return arena_printf(pr->out->memory, "%s ", kern_pairs_names[v->pairs]);
    return v->turned ? "turned " : v->gathers ? "gather " : v->runs ? "runs " : "lanes ";
}

static void print_count(printer *pr, kern_ref count)
{
    if (!count) return;
    text_add(pr->out, " first ");
    print_operand(pr, count, TY_I64);
}

static void print_load(printer *pr, const kern_value *v)
{
    text_printf(pr->out, "load %s", lanes_name(pr, v));
    if (v->gathers) {
        print_memory(pr, v->memory);
        text_char(pr->out, '[');
        if (!sym_is_none(v->index)) {
            sym_print(pr->t, v->index, pr->out);
            text_add(pr->out, "][");
        }
        text_printf(pr->out, "v%u]", v->args[0]);
    } else {
        print_place(pr, v->memory, v->index);
    }
    print_count(pr, v->count);
    if (!v->guard) return;
    text_add(pr->out, " if ");
    print_operand(pr, v->guard, v->dtype);
}

static void print_operands(printer *pr, const kern_value *v, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        text_add(pr->out, i ? ", " : " ");
        print_operand(pr, v->args[i], v->dtype);
    }
}

static void print_shuffle(printer *pr, const kern_value *v)
{
    text_add(pr->out, "shuffle");
    print_operands(pr, v, 2);
    for (uint32_t l = 0; l < pr->k->lanes; l++)
        text_printf(pr->out, l ? ", %u" : " [%u", v->pattern[l]);
    text_char(pr->out, ']');
}

static void print_table(printer *pr, const kern_value *v)
{
    text_add(pr->out, "table ");
    print_operand(pr, v->args[0], TY_I32);
    for (uint32_t i = 0; i < KERN_TABLE_SIZE; i++) {
        text_add(pr->out, i ? ", " : " [");
        text_double(pr->out, v->table[i]);
    }
    text_char(pr->out, ']');
}

static void print_expression(printer *pr, const kern_value *v)
{
    switch (v->kind) {
    case KERN_NUMBER:
        text_printf(pr->out, "index %s", lanes_name(pr, v));
        sym_print(pr->t, v->index, pr->out);
        print_count(pr, v->count);
        break;
    case KERN_BELOW:
        text_add(pr->out, "below ");
        sym_print(pr->t, v->index, pr->out);
        break;
    case KERN_LOAD: print_load(pr, v); break;
    case KERN_APPLY:
    case KERN_EACH:
        text_add(pr->out, v->kind == KERN_EACH ? "each " : "");
        text_add(pr->out, loop_opcode_name(v->op));
        print_operands(pr, v, loop_operand_count(v->op));
        break;
    case KERN_CALL:
        text_printf(pr->out, v->wide ? "call wide %s" : "call %s", v->callee->name);
        print_operands(pr, v, v->callee->parameter_count);
        break;
    case KERN_FUSED:
        text_add(pr->out, "fused");
        print_operands(pr, v, 3);
        break;
    case KERN_SHUFFLE: print_shuffle(pr, v); break;
    case KERN_TABLE: print_table(pr, v); break;
    case KERN_FIRST:
        text_add(pr->out, "first");
        print_operands(pr, v, 1);
        break;
    case KERN_LANE:
        text_printf(pr->out, v->access == KERN_UNIT ? "load lane v%u[" : "lane v%u[", v->args[0]);
        sym_print(pr->t, v->index, pr->out);
        text_char(pr->out, ']');
        break;
    case KERN_ANY:
        text_add(pr->out, "any");
        print_operands(pr, v, 1);
        break;
    case KERN_HALF: text_printf(pr->out, "half %u of v%u", v->copy, v->args[0]); break;
    case KERN_SCALE:
    case KERN_HALVES:
        text_add(pr->out, v->kind == KERN_SCALE ? "scale" : "halves");
        print_operands(pr, v, 2);
        break;
    case KERN_READ:
        text_add(pr->out, "read");
        print_operands(pr, v, 1);
        if (value_at(pr, v->args[0])->copies > 1) text_printf(pr->out, " copy %u", v->copy);
        break;
    case KERN_JOIN:
        text_printf(pr->out, "join %s", loop_opcode_name(v->op));
        print_operands(pr, v, 1);
        break;
    case KERN_SPLAT:
        text_add(pr->out, "splat ");
        print_operand(pr, v->args[0], v->dtype);
        break;
    default: text_printf(pr->out, "result a%u", v->sum); break;
    }
}

static void print_define(printer *pr, kern_ref ref)
{
    const kern_value *v = value_at(pr, ref);
    text_printf(pr->out, v->kind == KERN_VARIABLE ? "var v%u : " : "v%u : ", ref);
    print_type(pr, v->dtype, v->vector);
    if (v->copies > 1) text_printf(pr->out, " copies %u", v->copies);
    text_add(pr->out, " = ");
    if (v->kind == KERN_VARIABLE) {
        print_operand(pr, v->args[0], v->dtype);
        return;
    }
    print_expression(pr, v);
}

static void print_leave(printer *pr, const kern_item *item)
{
    text_add(pr->out, "leave ");
    print_operand(pr, item->bound.guard, TY_BOOL);
    text_add(pr->out, " with ");
    print_expression(pr, value_at(pr, item->value));
}

static void print_store(printer *pr, const kern_store *st)
{
    const kern_memory *m = &pr->k->memories.at[st->memory];
    const char *mode = st->mode == LOOP_SET ? "" : loop_store_mode_name(st->mode);
    text_add(pr->out, "store ");
    if (st->atomic) text_add(pr->out, "atomic ");
    if (st->whole) text_add(pr->out, "whole ");
    if (st->runs) text_add(pr->out, "run ");
    if (st->access == KERN_LANES) text_add(pr->out, "lanes ");
    print_place(pr, st->memory, st->index);
    print_count(pr, st->count);
    text_add(pr->out, " : ");
    print_type(pr, m->dtype, st->access != KERN_ONE);
    text_printf(pr->out, " %s= ", mode);
    print_operand(pr, st->value, m->dtype);
}

static void print_start(printer *pr, uint32_t number)
{
    const kern_sum *sum = &pr->k->sums.at[number];
    text_printf(pr->out, "acc a%u : ", number);
    print_type(pr, sum->dtype, sum->vector);
    text_printf(pr->out, " %s", loop_reduce_name(sum->reduce));
    if (kern_is_arg(sum->reduce)) text_printf(pr->out, " places %s", ty_dtype_name(sum->place));
    if (sum->copies > 1) text_printf(pr->out, " copies %u", sum->copies);
    if (sum->blocked) text_add(pr->out, " compensated");
    if (sum->running) text_add(pr->out, " running");
    if (sum->shared) text_add(pr->out, " shared");
}

static void print_update(printer *pr, const kern_item *item)
{
    text_printf(pr->out, "a%u += ", item->sum);
    print_operand(pr, item->value, pr->k->sums.at[item->sum].dtype);
    if (sym_is_none(item->flat)) return;
    text_add(pr->out, " at ");
    sym_print(pr->t, item->flat, pr->out);
}

static void print_set(printer *pr, const kern_item *item)
{
    text_printf(pr->out, "set v%u", item->variable);
    if (!sym_is_none(item->flat)) {
        text_char(pr->out, '[');
        sym_print(pr->t, item->flat, pr->out);
        text_char(pr->out, ']');
    }
    text_add(pr->out, " = ");
    print_operand(pr, item->value, value_at(pr, item->variable)->dtype);
}

static void print_tail(printer *pr, const kern_loop *loop)
{
    if (loop->count) text_printf(pr->out, " count v%u", loop->count);
    if (loop->mask) text_printf(pr->out, " mask v%u", loop->mask);
}

static void print_axes(printer *pr)
{
    const kern_ir *k = pr->k;
    text_char(pr->out, '(');
    for (uint32_t i = 0; i < k->outer; i++) {
        text_add(pr->out, i ? ", " : "");
        sym_print(pr->t, k->axes[i], pr->out);
        if (sym_is_none(k->extents[i])) continue;
        text_add(pr->out, " < ");
        sym_print(pr->t, k->extents[i], pr->out);
    }
    text_char(pr->out, ')');
}

static void print_rows(printer *pr, const kern_loop *loop)
{
    const kern_ir *k = pr->k;
    text_add(pr->out, k->outer_vector ? "rows vector " : "rows ");
    print_axes(pr);
    if (k->squares) text_add(pr->out, " in squares");
    if (loop->unroll > 1) text_printf(pr->out, " unroll %u", loop->unroll);
    print_tail(pr, loop);
    if (k->by_groups) text_add(pr->out, " by groups");
    if (k->tiles.rows)
        text_printf(pr->out, " by tiles %u x %u x %u each %u x %u", k->tiles.rows, k->tiles.columns,
                    k->tiles.depth, k->tiles.each_rows, k->tiles.each_columns);
    if (!k->serial) return;
    text_add(pr->out, " serial of ");
    sym_print(pr->t, k->total, pr->out);
}

static void print_squares(printer *pr, const kern_loop *loop)
{
    text_add(pr->out, "squares ");
    print_axes(pr);
    text_add(pr->out, " by ");
    sym_print(pr->t, loop->symbol, pr->out);
}

static void print_lanes(printer *pr, const kern_loop *loop)
{
    text_add(pr->out, "lanes ");
    sym_print(pr->t, loop->symbol, pr->out);
    print_count(pr, loop->count);
    if (loop->unroll > 1) text_add(pr->out, " unroll");
}

static void print_when(printer *pr, const kern_loop *loop)
{
    text_add(pr->out, "when ");
    print_operand(pr, loop->condition, TY_BOOL);
}

/* < p0; in columns; < p0 in columns at p1; in block */
static void print_range(printer *pr, const kern_loop *loop)
{
    bool is_cut = loop->columns && !sym_is_none(loop->extent);
    if (!loop->in_block && (!loop->columns || is_cut)) {
        text_add(pr->out, " < ");
        sym_print(pr->t, loop->extent, pr->out);
    }
    if (loop->columns || loop->in_block)
        text_add(pr->out, loop->columns ? " in columns" : " in block");
    if (!is_cut) return;
    text_add(pr->out, " at ");
    sym_print(pr->t, loop->at, pr->out);
}

static void print_loop(printer *pr, const kern_loop *loop)
{
    static const char *const KINDS[] = {
        [KERN_SEQUENCE] = "loop ", [KERN_VECTOR] = "vector ", [KERN_BLOCKS] = "blocks "};
    text_add(pr->out, KINDS[loop->kind]);
    sym_print(pr->t, loop->symbol, pr->out);
    print_range(pr, loop);
    if (!sym_is_none(loop->number)) {
        text_add(pr->out, " number ");
        sym_print(pr->t, loop->number, pr->out);
    }
    if (loop->shared && loop->kind != KERN_BLOCKS) text_add(pr->out, " shared");
    if (loop->exact) text_add(pr->out, " exact");
    if (loop->unroll > 1) text_printf(pr->out, " unroll %u", loop->unroll);
    print_tail(pr, loop);
    if (loop->kind == KERN_BLOCKS)
        text_printf(pr->out, " by %lld", (long long)loop->block);
    else if (loop->block)
        text_printf(pr->out, " blocks of %lld", (long long)loop->block);
    for (uint32_t i = 0; i < loop->drains.count; i++)
        text_printf(pr->out, "%sa%u", i ? ", " : " drain ", loop->drains.at[i]);
}

static void print_bound(printer *pr, const kern_bound *bound)
{
    if (bound->is_known)
        text_add(pr->out, "known ");
    else
        text_printf(pr->out, "check %u ", bound->number);
    print_operand(pr, bound->value, TY_I64);
    text_add(pr->out, " < ");
    sym_print(pr->t, bound->size, pr->out);
    if (bound->guard) {
        text_add(pr->out, " if ");
        print_operand(pr, bound->guard, TY_BOOL);
    }
    if (bound->among) text_printf(pr->out, " among v%u", bound->among);
}

/* What stands in front of its lines. */
static void print_head(printer *pr, const kern_loop *loop)
{
    switch (loop->kind) {
    case KERN_ROWS: print_rows(pr, loop); break;
    case KERN_SQUARES: print_squares(pr, loop); break;
    case KERN_EACH_LANE: print_lanes(pr, loop); break;
    case KERN_WHEN: print_when(pr, loop); break;
    case KERN_OTHERWISE: text_add(pr->out, "otherwise"); break;
    default: print_loop(pr, loop); break;
    }
}

static void print_item(printer *pr, const kern_item *item)
{
    switch (item->kind) {
    case KERN_BOUND: print_bound(pr, &item->bound); break;
    case KERN_DEFINE: print_define(pr, item->value); break;
    case KERN_STORE: print_store(pr, &item->store); break;
    case KERN_START: print_start(pr, item->sum); break;
    case KERN_UPDATE: print_update(pr, item); break;
    case KERN_LOOP: print_head(pr, item->loop); break;
    case KERN_SET: print_set(pr, item); break;
    case KERN_TRANSPOSE:
        text_add(pr->out, "transpose ");
        print_memory(pr, item->store.memory);
        break;
    case KERN_BARRIER: text_add(pr->out, "barrier"); break;
    case KERN_LEAVE: print_leave(pr, item); break;
    case KERN_RETURN:
        text_add(pr->out, "return ");
        print_operand(pr, item->value, value_at(pr, item->value)->dtype);
        break;
    }
}

static void print_items(printer *pr, const kern_loop *loop)
{
    pr->out->indent++;
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        for (int k = 0; k < pr->out->indent; k++) text_add(pr->out, "  ");
        print_item(pr, item);
        text_add(pr->out, item->kind == KERN_LOOP ? " {\n" : "\n");
        if (item->kind != KERN_LOOP) continue;
        print_items(pr, item->loop);
        text_line(pr->out, "}");
    }
    pr->out->indent--;
}

/* ---- the kernel ---- */

/* Without the buffers' names where only what the kernel does counts. */
static void print_memories(printer *pr, bool names)
{
    for (uint32_t i = 0; i < pr->k->memories.count; i++) {
        const kern_memory *m = &pr->k->memories.at[i];
        text_add(pr->out, m->is_tile ? "  tile " : "  buffer ");
        print_memory(pr, i);
        text_printf(pr->out, " : %s", ty_dtype_name(m->dtype));
        if (m->is_tile) {
            text_char(pr->out, '[');
            sym_print(pr->t, m->elements, pr->out);
            text_add(pr->out, "]\n");
        } else {
            text_printf(pr->out, " %s%s", m->is_read ? "in" : "", m->is_written ? "out" : "");
            text_printf(pr->out, names ? " @%s\n" : "\n", m->name);
        }
    }
}

static void print_list(printer *pr, const sym_expr *list, uint32_t count)
{
    text_char(pr->out, '[');
    for (uint32_t i = 0; i < count; i++) {
        text_add(pr->out, i ? ", " : "");
        sym_print(pr->t, list[i], pr->out);
    }
    text_add(pr->out, "]\n");
}

static void print_kernel(printer *pr, bool names)
{
    const kern_ir *k = pr->k;
    print_memories(pr, names);
    print_items(pr, k->body);
    if (!k->nonnegative.count) return;
    text_add(pr->out, "  nonnegative ");
    print_list(pr, k->nonnegative.at, k->nonnegative.count);
}

void kern_print_ir(const kern_ir *k, text *out)
{
    printer pr = {k, k->symbols, out};
    text_printf(out, "kernel %s group %u lanes %u ints ", k->name, k->group, k->lanes);
    print_list(&pr, k->params.at, k->params.count);
    print_kernel(&pr, true);
}

void kern_print_identity(const kern_ir *k, text *out)
{
    printer pr = {k, k->symbols, out};
    text_printf(out, "kernel lanes %u ints %u\n", k->lanes, k->params.count);
    print_kernel(&pr, false);
}

void kern_print_item(const kern_ir *k, const kern_item *item, text *out)
{
    printer pr = {k, k->symbols, out};
    print_item(&pr, item);
}

void kern_print_code(const kern_function *f, text *out)
{
    static const char *const MANNERS[] = {
        [KERN_INLINE] = "", [KERN_APART] = " apart", [KERN_RARE] = " rare"};
    printer pr = {f->code, f->code->symbols, out};
    text_printf(out, "function %s (", f->name);
    for (uint32_t i = 1; i <= f->parameter_count; i++) {
        text_printf(out, i > 1 ? ", v%u : " : "v%u : ", i);
        print_type(&pr, f->parameter, f->code->lanes > 1);
    }
    text_char(out, ')');
    if (f->result != f->dtype || f->scalar) {
        text_add(out, " : ");
        print_type(&pr, f->result, f->code->lanes > 1 && !f->scalar);
    }
    text_printf(out, "%s {\n", MANNERS[f->manner]);
    print_items(&pr, f->code->body);
    text_add(out, "}\n");
}
