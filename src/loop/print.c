/* print.c -- the text form of a loop program.
 *
 * Values are numbered anew in each nest, in the order that parsing makes them again: operands
 * first, store by store. Indirect symbols are numbered with them (j0, j1, ...), so that the text
 * does not depend on what else the program holds. Layouts: sizes in [], strides in {}.
 */
#include "loop/loop_priv.h"

#include <string.h>

typedef struct printing {
    const loop_program *p;
    text *out;
    VEC(sym_expr) from, to; /* indirect symbols and those that they print as */
} printing;

static void print_exprs(const loop_program *p, const sym_expr *list, uint32_t count,
                        const char *brackets, text *out)
{
    text_char(out, brackets[0]);
    for (uint32_t k = 0; k < count; k++) {
        if (k) text_add(out, ",");
        sym_print(p->symbols, list[k], out);
    }
    text_char(out, brackets[1]);
}

static void print_axes(const loop_program *p, char letter, const sym_expr *extents, uint32_t count,
                       text *out)
{
    text_char(out, '[');
    for (uint32_t k = 0; k < count; k++) {
        text_printf(out, "%s%c%u < ", k ? ", " : "", letter, k);
        sym_print(p->symbols, extents[k], out);
    }
    text_char(out, ']');
}

void loop_print_view(const loop_program *p, const loop_view *v, text *out)
{
    int64_t offset;
    if (v->buffer == LOOP_NO_BUFFER) {
        text_add(out, "none");
        return;
    }
    text_printf(out, "@%s", p->buffers.at[v->buffer].name);
    print_exprs(p, v->sizes, v->rank, "[]", out);
    print_exprs(p, v->strides, v->rank, "{}", out);
    if (!sym_is_int(p->symbols, v->offset, &offset) || offset != 0) {
        text_add(out, " + ");
        sym_print(p->symbols, v->offset, out);
    }
    if (v->dtype != p->buffers.at[v->buffer].dtype)
        text_printf(out, " as %s", ty_dtype_name(v->dtype));
}

/* ---- nests ---- */

void loop_print_dimension(int32_t dimension, const char *before, const char *after, text *out)
{
    if (dimension == LOOP_DIVISOR) text_printf(out, "%sdivisor%s", before, after);
    if (dimension >= 0) text_printf(out, "%sdim %d%s", before, dimension, after);
}

static void rename_indirect(void *data, sym_expr symbol)
{
    printing *pr = data;
    loop_program *p = (loop_program *)(uintptr_t)pr->p; /* symbols are made, nothing changes */
    if (sym_kind_of(p->symbols, symbol) != SYM_INDIRECT) return;
    for (uint32_t k = 0; k < pr->from.count; k++)
        if (sym_same(pr->from.at[k], symbol)) return;
    const loop_bound *bound = loop_indirect_bound(p, symbol);
    uint32_t value = p->scratch->printing->memo[loop_indirect_value(p, symbol).id];
    text_printf(pr->out, "  j%u = indirect %%%u < ", pr->from.count, value);
    sym_print(p->symbols, bound->size, pr->out);
    loop_print_dimension(bound->dimension, " ", "", pr->out);
    if (bound->wraps) text_add(pr->out, " wraps");
    if (bound->origin != UINT32_MAX) text_printf(pr->out, " origin %u", bound->origin);
    text_char(pr->out, '\n');
    const char *name = arena_printf(p->memory, "j%u", pr->from.count);
    vec_push(p->memory, &pr->from, symbol);
    vec_push(p->memory, &pr->to,
             sym_symbol(p->symbols, name, SYM_INDIRECT, SYM_NO_MIN, SYM_NO_MAX));
}

static void print_index(printing *pr, sym_expr index)
{
    if (pr->from.count)
        index = sym_substitute(pr->p->symbols, index, pr->from.at, pr->to.at, pr->from.count);
    sym_print(pr->p->symbols, index, pr->out);
}

static void print_constant(const loop_node *n, text *out)
{
    if (ty_is_integral(n->dtype, true)) {
        text_printf(out, " %lld", (long long)n->integer);
        return;
    }
    for (int k = 0; k < (ty_is_complex(n->dtype) ? 2 : 1); k++) {
        text_char(out, ' ');
        text_double(out, n->number[k]);
    }
}

static void print_node(printing *pr, const loop_workspace *w, const loop_node *n, uint32_t number)
{
    text *out = pr->out;
    bool indexed = n->op == LOOP_LOAD || n->op == LOOP_INDEX;
    if (indexed) sym_each_symbol(pr->p->symbols, n->index, rename_indirect, pr);
    text_printf(out, "  %%%u = %s", number, loop_opcode_name(n->op));
    if (n->op == LOOP_LOAD) {
        text_printf(out, " %s @%s[", ty_dtype_name(n->dtype), pr->p->buffers.at[n->buffer].name);
        print_index(pr, n->index);
        text_add(out, "]\n");
        return;
    }
    for (uint32_t k = 0; k < loop_operand_count(n->op); k++)
        text_printf(out, "%s %%%u", k ? "," : "", w->memo[n->args[k].id]);
    if (n->op == LOOP_CONST) print_constant(n, out);
    if (n->op == LOOP_SYMFLOAT) text_printf(out, " %u", n->buffer);
    if (n->op == LOOP_INDEX) {
        text_char(out, ' ');
        print_index(pr, n->index);
    }
    text_printf(out, " : %s\n", ty_dtype_name(n->dtype));
}

static void print_store(printing *pr, const loop_workspace *w, const loop_store *st)
{
    text *out = pr->out;
    sym_each_symbol(pr->p->symbols, st->index, rename_indirect, pr);
    text_printf(out, "  @%s[", pr->p->buffers.at[st->buffer].name);
    print_index(pr, st->index);
    text_printf(out, "] %s=", st->mode == LOOP_SET ? "" : loop_store_mode_name(st->mode));
    if (st->scan) text_add(out, " scan");
    if (st->reduce) text_printf(out, " %s", loop_reduce_name(st->reduce));
    text_printf(out, " %%%u\n", w->memo[st->value.id]);
}

typedef struct add_state {
    const loop_program *p;
    loop_workspace *w;
} add_state;

static void add_indirect(void *data, sym_expr symbol)
{
    add_state *state = data;
    loop_value v = loop_indirect_value(state->p, symbol);
    if (v.id) loop_work_add(state->p, state->w, v);
}

static void print_again(const loop_op *op, text *out)
{
    if (op->again) text_printf(out, " again %u", op->again);
}

static void print_nest(const loop_program *p, const loop_op *op, text *out)
{
    text_add(out, "nest ");
    print_axes(p, 'i', op->extents, op->axes, out);
    if (op->reduce_axes) {
        text_add(out, " reduce ");
        print_axes(p, 'r', op->reduce_extents, op->reduce_axes, out);
    }
    print_again(op, out);
    if (op->origin != UINT32_MAX) text_printf(out, " origin %u", op->origin);
    text_add(out, " {\n");
    printing pr = {.p = p, .out = out};
    loop_workspace *w = loop_work_begin(p);
    p->scratch->printing = w;
    uint32_t done = 0;
    for (uint32_t k = 0; k < op->store_count; k++) {
        const loop_store *st = &op->stores[k];
        loop_work_add(p, w, st->value);
        sym_each_symbol(p->symbols, st->index, add_indirect, &(add_state){p, w});
        for (; done < w->order.count; done++) {
            uint32_t id = w->order.at[done];
            w->memo[id] = done;
            print_node(&pr, w, &p->nodes.at[id], done);
        }
        print_store(&pr, w, st);
    }
    loop_work_end(p, w);
    text_add(out, "}\n");
}

/* ---- the other ops ---- */

static void print_views(const loop_program *p, const loop_view *views, uint32_t count, text *out)
{
    text_char(out, '(');
    for (uint32_t k = 0; k < count; k++) {
        if (k) text_add(out, ", ");
        loop_print_view(p, &views[k], out);
    }
    text_char(out, ')');
}

void loop_print_callee(const loop_callee *callee, text *out)
{
    text_add(out, " calls ");
    text_quoted(out, callee->symbol);
    text_char(out, ' ');
    text_quoted(out, callee->arguments);
    if (callee->has_effect) text_add(out, " effect");
    if (callee->string_count) text_add(out, " strings [");
    for (uint32_t k = 0; k < callee->string_count; k++) {
        if (k) text_char(out, ',');
        text_quoted(out, callee->strings[k]);
    }
    if (callee->string_count) text_char(out, ']');
    if (callee->made_count) text_add(out, " makes [");
    for (uint32_t k = 0; k < callee->made_count; k++) {
        const loop_made *m = &callee->made[k];
        text_printf(out, "%s%u %s key %u", k ? ", " : "", m->result, ty_dtype_name(m->dtype),
                    m->key);
    }
    if (callee->made_count) text_char(out, ']');
}

void loop_print_workspace(const loop_program *p, const loop_op *op, text *out)
{
    const loop_view *work = loop_workspace_of(p, op);
    if (work) text_printf(out, " workspace @%s", p->buffers.at[work->buffer].name);
}

static void print_extern(const loop_program *p, const loop_op *op, text *out)
{
    text_printf(out, "extern %s ", op->kernel);
    print_views(p, op->inputs, op->input_count, out);
    text_add(out, " -> ");
    print_views(p, op->outputs, loop_result_count(p, op), out);
    loop_print_workspace(p, op, out);
    text_add(out, " ints ");
    print_exprs(p, op->ints, op->int_count, "[]", out);
    text_add(out, " floats [");
    for (uint32_t k = 0; k < op->float_count; k++) {
        if (k) text_char(out, ',');
        text_double(out, op->floats[k]);
    }
    text_char(out, ']');
    if (op->message) {
        text_add(out, " text ");
        text_quoted(out, op->message);
    }
    if (op->callee) loop_print_callee(op->callee, out);
    print_again(op, out);
    if (op->origin != UINT32_MAX) text_printf(out, " origin %u", op->origin);
    text_char(out, '\n');
}

void loop_print_op(const loop_program *p, const loop_op *op, text *out)
{
    switch (op->kind) {
    case LOOP_NEST: print_nest(p, op, out); break;
    case LOOP_EXTERN: print_extern(p, op, out); break;
    case LOOP_ASSERT:
        text_add(out, "assert ");
        sym_print_relation(p->symbols, &op->relation, out);
        text_char(out, ' ');
        text_quoted(out, op->message ? op->message : "");
        if (op->origin != UINT32_MAX) text_printf(out, " origin %u", op->origin);
        text_char(out, '\n');
        break;
    case LOOP_DEFINE:
        text_printf(out, "define %s = ", sym_name(p->symbols, op->symbol));
        if (op->input_count)
            loop_print_view(p, &op->inputs[0], out);
        else
            sym_print(p->symbols, op->expr, out);
        if (op->origin != UINT32_MAX) text_printf(out, " origin %u", op->origin);
        text_char(out, '\n');
        break;
    case LOOP_CONTROL:
        loop_print_control(p, op, out);
        if (op->origin != UINT32_MAX) text_printf(out, " origin %u", op->origin);
        text_char(out, '\n');
        break;
    }
}

/* ---- the program ---- */

static void print_buffer(const loop_program *p, const loop_buffer *b, text *out)
{
    static const char *const KINDS[] = {"input  ", "const  ", "temp   ", "state  "};
    text_printf(out, "%s@%s : %s", KINDS[b->kind], b->name, ty_dtype_name(b->dtype));
    print_exprs(p, b->sizes, b->rank, "[]", out);
    text_add(out, " strides ");
    print_exprs(p, b->strides, b->rank, "[]", out);
    if (!sym_same(b->elements, loop_layout_elements(p->symbols, b))) {
        text_add(out, " elements ");
        sym_print(p->symbols, b->elements, out);
    }
    ty_print_place(b->device, out);
    if (b->pinned) text_add(out, " pinned");
    if (b->donated) text_add(out, " donated");
    if (b->mutated) text_add(out, " mutated");
    if (b->kind == LOOP_INPUT && p->inputs.at[b->input].taken)
        text_printf(out, " storage_of %u", p->inputs.at[b->input].of);
    if (b->packing) text_printf(out, " packing %s", b->packing);
    if (b->range)
        text_printf(out, " values [%lld, %lld]", (long long)b->range[0], (long long)b->range[1]);
    if (b->origin != UINT32_MAX) text_printf(out, " origin %u", b->origin);
    text_char(out, '\n');
}

static void print_scalar_input(const loop_program *p, const loop_input *in, text *out)
{
    text_add(out, "scalar ");
    text_quoted(out, in->name ? in->name : "");
    text_add(out, " = ");
    if (in->string)
        text_quoted(out, in->string);
    else if (in->dtype == TY_F64) {
        text_add(out, "float ");
        text_double(out, in->number);
    } else if (in->dtype == TY_NO_DTYPE)
        text_add(out, "none");
    else {
        if (in->dtype == TY_BOOL) text_add(out, "bool ");
        sym_print(p->symbols, in->expr, out);
        if (in->taken) text_printf(out, " start_of %u", in->of);
    }
    text_char(out, '\n');
}

/* part @a in @b at 64 */
static void print_part(const loop_program *p, const loop_buffer *b, text *out)
{
    text_printf(out, "part @%s in @%s at ", b->name, p->buffers.at[b->part->whole].name);
    sym_print(p->symbols, b->part->at, out);
    text_char(out, '\n');
}

static void print_output(const loop_program *p, const loop_output *o, text *out)
{
    text_add(out, "output ");
    switch (o->kind) {
    case LOOP_OUT_TENSOR: loop_print_view(p, &o->view, out); break;
    case LOOP_OUT_INT:
    case LOOP_OUT_BOOL:
        text_add(out, o->kind == LOOP_OUT_INT ? "int " : "bool ");
        sym_print(p->symbols, o->expr, out);
        break;
    case LOOP_OUT_FLOAT:
        text_add(out, "float ");
        text_double(out, o->number);
        break;
    case LOOP_OUT_STRING: text_quoted(out, o->string); break;
    case LOOP_OUT_NONE: text_add(out, "none"); break;
    }
    text_char(out, '\n');
}

/* `symbol s0 in [2, 64] hint 8` for a size of which more is known than its kind says. */
static void print_range(void *data, sym_expr symbol)
{
    printing *pr = data;
    const sym_table *t = pr->p->symbols;
    int64_t least, most;
    for (uint32_t k = 0; k < pr->from.count; k++)
        if (sym_same(pr->from.at[k], symbol)) return;
    vec_push(pr->p->memory, &pr->from, symbol);
    sym_range(t, symbol, NULL, &least, &most);
    int64_t hint = sym_hint(t, symbol, INT64_MIN);
    if (least == SYM_NO_MIN && most == SYM_NO_MAX && hint == INT64_MIN) return;
    text_printf(pr->out, "symbol %s in [", sym_name(t, symbol));
    if (least != SYM_NO_MIN) text_printf(pr->out, "%lld", (long long)least);
    text_add(pr->out, ", ");
    if (most != SYM_NO_MAX) text_printf(pr->out, "%lld", (long long)most);
    text_char(pr->out, ']');
    if (hint != INT64_MIN) text_printf(pr->out, " hint %lld", (long long)hint);
    text_char(pr->out, '\n');
}

static void print_symbols(const loop_program *p, const sym_expr *more, uint32_t count, text *out)
{
    printing pr = {.p = p, .out = out};
    for (uint32_t k = 0; k < p->buffers.count; k++)
        for (uint32_t d = 0; d < p->buffers.at[k].rank; d++)
            sym_each_symbol(p->symbols, p->buffers.at[k].sizes[d], print_range, &pr);
    for (uint32_t k = 0; k < p->inputs.count; k++)
        if (!sym_is_none(p->inputs.at[k].expr))
            sym_each_symbol(p->symbols, p->inputs.at[k].expr, print_range, &pr);
    for (uint32_t k = 0; k < count; k++) print_range(&pr, more[k]);
}

void loop_print_front(const loop_program *p, const sym_expr *defined, uint32_t count, text *out)
{
    text_printf(out, "program %s\n", p->name);
    print_symbols(p, defined, count, out);
    for (uint32_t k = 0; k < p->inputs.count; k++) {
        const loop_input *in = &p->inputs.at[k];
        if (in->is_tensor)
            print_buffer(p, &p->buffers.at[in->buffer], out);
        else
            print_scalar_input(p, in, out);
    }
    for (uint32_t k = 0; k < p->buffers.count; k++)
        if (p->buffers.at[k].kind != LOOP_INPUT) print_buffer(p, &p->buffers.at[k], out);
    for (uint32_t k = 0; k < p->buffers.count; k++)
        if (p->buffers.at[k].part) print_part(p, &p->buffers.at[k], out);
}

void loop_print(const loop_program *p, text *out)
{
    VEC(sym_expr) defined = {0};
    for (uint32_t k = 0; k < p->ops.count; k++)
        if (p->ops.at[k].kind == LOOP_DEFINE) vec_push(p->memory, &defined, p->ops.at[k].symbol);
    loop_print_front(p, defined.at, defined.count, out);
    for (uint32_t k = 0; k < p->ops.count; k++) loop_print_op(p, &p->ops.at[k], out);
    for (uint32_t k = 0; k < p->outputs.count; k++) print_output(p, &p->outputs.at[k], out);
}
