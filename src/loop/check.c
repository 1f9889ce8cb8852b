/* check.c -- the laws of loop.h, with the op at fault printed in the diagnostic. */
#include "loop/check_priv.h"

#include <string.h>

#include <stdio.h>

fe_status loop_broken(loop_checking *c, const char *law, const char *format, ...)
{
    text where;
    va_list args;
    va_start(args, format);
    char message[1000];
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    text_init(&where, c->p->memory);
    if (c->op) loop_print_op(c->p, c->op, &where);
    diag d = {.status = FE_INTERNAL, .stage = "loop", .place = c->after};
    return diag_fail(c->p->session, d, "law %s: %s%s%s", law, message, c->op ? " in\n" : "",
                     where.at ? where.at : "");
}

/* ---- L6: symbols ---- */

static bool is_defined(const loop_checking *c, sym_expr symbol)
{
    return map_get(&c->known, symbol.id) != MAP_NONE;
}

void loop_note_defined(loop_checking *c, sym_expr symbol)
{
    if (is_defined(c, symbol)) return;
    vec_push(c->p->memory, &c->defined, symbol);
    map_set(c->p->memory, &c->known, symbol.id, 1);
}

void loop_forget_defined(loop_checking *c, uint32_t kept)
{
    while (c->defined.count > kept) map_remove(&c->known, c->defined.at[--c->defined.count].id);
}

static void check_symbol(void *data, sym_expr symbol)
{
    loop_checking *c = data;
    const sym_table *t = c->p->symbols;
    bool fine = true;
    switch (sym_kind_of(t, symbol)) {
    case SYM_INDEX:
        fine = false;
        for (uint32_t k = 0; k < c->bounds.count && !fine; k++)
            fine = sym_same(c->bounds.at[k].symbol, symbol) &&
                   (c->allow_reduce_axes || sym_name(t, symbol)[0] != 'r');
        break;
    case SYM_INDIRECT: fine = c->op != NULL && loop_indirect_value(c->p, symbol).id != 0; break;
    case SYM_UNBACKED: fine = is_defined(c, symbol); break;
    case SYM_SIZE: break;
    }
    if (!fine) c->bad_symbol = sym_name(t, symbol);
}

fe_status loop_check_expr(loop_checking *c, sym_expr e)
{
    c->bad_symbol = NULL;
    if (sym_is_none(e)) return loop_broken(c, "L6", "an expression is missing");
    sym_each_symbol(c->p->symbols, e, check_symbol, c);
    if (c->bad_symbol) return loop_broken(c, "L6", "symbol %s is not known here", c->bad_symbol);
    return FE_OK;
}

fe_status loop_check_exprs(loop_checking *c, const sym_expr *list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) FE_TRY(loop_check_expr(c, list[k]));
    return FE_OK;
}

/* ---- L1: bounds ---- */

bool loop_is_empty_nest(const loop_checking *c)
{
    for (uint32_t k = 0; k < c->bounds.count; k++) {
        int64_t extent;
        if (sym_is_int(c->p->symbols, c->bounds.at[k].extent, &extent) && extent == 0) return true;
    }
    return false;
}

static fe_status check_access(loop_checking *c, loop_buffer_id buffer, sym_expr index,
                              const char *what)
{
    if (buffer >= c->p->buffers.count)
        return loop_broken(c, "L1", "%s of buffer %u, which does not exist", what, buffer);
    FE_TRY(loop_check_expr(c, index));
    return FE_OK;
}

/* ---- L2: dtypes ---- */

static fe_status check_dtypes(loop_checking *c, const loop_node *n)
{
    const char *name = loop_opcode_name(n->op);
    ty_dtype dtypes[3] = {TY_NO_DTYPE}, result = n->dtype;
    for (uint32_t k = 0; k < loop_operand_count(n->op); k++) {
        if (!n->args[k].id || n->args[k].id >= c->p->nodes.count)
            return loop_broken(c, "L2", "%s lacks operand %u", name, k);
        dtypes[k] = loop_at(c->p, n->args[k])->dtype;
    }
    if (n->op == LOOP_INDEX) result = TY_I64;
    if (n->op == LOOP_LOAD && n->buffer < c->p->buffers.count)
        result = c->p->buffers.at[n->buffer].dtype;
    if (result != n->dtype)
        return loop_broken(c, "L2", "%s gives %s, not %s", name, ty_dtype_name(result),
                           ty_dtype_name(n->dtype));
    const char *fault = loop_dtype_fault(n->op, dtypes, n->dtype, c->p->memory);
    return fault ? loop_broken(c, "L2", "%s", fault) : FE_OK;
}

/* ---- L3, L4, L5 and the ops ---- */

fe_status loop_check_read(loop_checking *c, loop_buffer_id buffer)
{
    const loop_buffer *b = &c->p->buffers.at[buffer];
    int64_t elements;
    if (b->is_work) return loop_broken(c, "L10", "@%s is what an operator works in", b->name);
    bool empty = sym_is_int(c->p->symbols, b->elements, &elements) && elements == 0;
    if (b->kind == LOOP_TEMP && !c->written[buffer] && !empty)
        return loop_broken(c, "L3", "@%s is read before it is written", b->name);
    return FE_OK;
}

void loop_note_written(loop_checking *c, loop_buffer_id b)
{
    for (const loop_part *part = NULL;; b = part->whole) {
        if (!c->written[b]) vec_push(c->p->memory, &c->journal, b);
        c->written[b] = 1;
        part = c->p->buffers.at[b].part;
        if (!part) return;
    }
}

static fe_status check_values(loop_checking *c, loop_workspace *w, const loop_store *st)
{
    for (uint32_t k = 0; k < w->order.count; k++) {
        uint32_t id = w->order.at[k];
        const loop_node *n = &c->p->nodes.at[id];
        FE_TRY(check_dtypes(c, n));
        if (n->op == LOOP_INDEX) FE_TRY(loop_check_expr(c, n->index));
        if (n->op != LOOP_LOAD) continue;
        FE_TRY(check_access(c, n->buffer, n->index, "a load"));
        FE_TRY(loop_check_read(c, n->buffer));
    }
    return loop_check_loads(c, w, st);
}

/* Two points that store to one place: provable when some axis of extent 2 or more does not move
 * the index. */
static fe_status check_injective(loop_checking *c, const loop_op *op, const loop_store *st)
{
    if (st->mode != LOOP_SET) return FE_OK;
    for (uint32_t k = 0; k < op->axes; k++) {
        int64_t extent;
        if (!sym_is_int(c->p->symbols, op->extents[k], &extent) || extent < 2 ||
            loop_is_empty_nest(c))
            continue;
        if (!sym_contains(c->p->symbols, st->index, loop_axis(c->p, k)) &&
            !loop_uses_axis(c->p, loop_index(c->p, st->index), loop_axis(c->p, k)))
            return loop_broken(c, "L5", "the store to @%s does not move with i%u",
                               c->p->buffers.at[st->buffer].name, k);
    }
    return FE_OK;
}

/* A scan is of a reduction with a running value, and moves on with it. */
static fe_status check_scan(loop_checking *c, const loop_op *op, const loop_store *st)
{
    const char *name = c->p->buffers.at[st->buffer].name;
    if (!st->reduce || st->reduce == LOOP_ARGMIN || st->reduce == LOOP_ARGMAX ||
        st->mode != LOOP_SET)
        return loop_broken(c, "L5", "the store to @%s cannot be a scan", name);
    for (uint32_t k = 0; k < op->reduce_axes; k++) {
        int64_t extent;
        if (sym_is_int(c->p->symbols, op->reduce_extents[k], &extent) && extent < 2) continue;
        if (!sym_contains(c->p->symbols, st->index, loop_reduce_axis(c->p, k)))
            return loop_broken(c, "L5", "the scan to @%s does not move with r%u", name, k);
    }
    return FE_OK;
}

static fe_status check_store(loop_checking *c, loop_workspace *w, const loop_op *op,
                             const loop_store *st)
{
    if (!st->value.id || st->value.id >= c->p->nodes.count)
        return loop_broken(c, "L2", "a store lacks its value");
    loop_work_add(c->p, w, st->value);
    loop_work_add(c->p, w, loop_index(c->p, st->index));
    c->allow_reduce_axes = true;
    FE_TRY(check_values(c, w, st));
    c->allow_reduce_axes = st->scan;
    FE_TRY(check_access(c, st->buffer, st->index, "a store"));
    FE_TRY(loop_check_store(c, st->buffer, st->index));
    c->allow_reduce_axes = false;
    FE_TRY(check_injective(c, op, st));
    if (st->scan) FE_TRY(check_scan(c, op, st));
    ty_dtype value = loop_at(c->p, st->value)->dtype, stored = c->p->buffers.at[st->buffer].dtype;
    if (st->reduce == LOOP_ARGMIN || st->reduce == LOOP_ARGMAX) value = TY_I64;
    if (value != stored && !st->scan)
        return loop_broken(c, "L2", "%s is stored as %s", ty_dtype_name(value),
                           ty_dtype_name(stored));
    if (st->reduce == LOOP_NO_REDUCE)
        for (uint32_t k = 0; k < op->reduce_axes; k++)
            if (loop_uses_axis(c->p, st->value, loop_reduce_axis(c->p, k)))
                return loop_broken(c, "L6", "a store without reduction uses r%u", k);
    if (c->p->buffers.at[st->buffer].kind == LOOP_CONSTANT)
        return loop_broken(c, "L3", "a store to a constant");
    if (st->mode != LOOP_SET) FE_TRY(loop_check_read(c, st->buffer));
    return FE_OK;
}

static fe_status check_nest(loop_checking *c, const loop_op *op)
{
    c->bounds.count = 0;
    FE_TRY(loop_check_exprs(c, op->extents, op->axes)); /* L4: no axis is in sight yet */
    FE_TRY(loop_check_exprs(c, op->reduce_extents, op->reduce_axes));
    for (uint32_t k = 0; k < op->axes; k++)
        vec_push(c->p->memory, &c->bounds, (sym_bound){loop_axis(c->p, k), op->extents[k]});
    for (uint32_t k = 0; k < op->reduce_axes; k++)
        vec_push(c->p->memory, &c->bounds,
                 (sym_bound){loop_reduce_axis(c->p, k), op->reduce_extents[k]});
    loop_enter_axes(c);
    if (op->store_count == 0) return loop_broken(c, "L5", "a nest stores nothing");
    for (uint32_t k = 0; k < op->store_count; k++) do {
            loop_workspace *w = loop_work_begin(c->p);
            FE_TRY(check_store(c, w, op, &op->stores[k]));
            loop_work_end(c->p, w);
        } while (loop_guard_apply(c, &op->stores[k]));
    for (uint32_t k = 0; k < op->store_count; k++) loop_note_written(c, op->stores[k].buffer);
    loop_leave_axes(c);
    return FE_OK;
}

fe_status loop_check_view(loop_checking *c, const loop_view *v)
{
    if (v->buffer == LOOP_NO_BUFFER) return FE_OK;
    if (v->buffer >= c->p->buffers.count)
        return loop_broken(c, "L1", "a view of buffer %u, which does not exist", v->buffer);
    FE_TRY(loop_check_exprs(c, v->sizes, v->rank));
    FE_TRY(loop_check_exprs(c, v->strides, v->rank));
    FE_TRY(loop_check_expr(c, v->offset));
    FE_TRY(loop_check_part(c, v->buffer));
    return loop_check_reach(c, v);
}

/* In the place of what the function makes stands a vector of integers, for its sizes. */
static fe_status check_made(loop_checking *c, const loop_op *op, uint32_t first)
{
    for (uint32_t k = 0; k < op->callee->made_count; k++) {
        uint64_t at = (uint64_t)first + op->callee->made[k].result;
        const loop_view *v = at < op->output_count ? &op->outputs[at] : NULL;
        if (!v || v->buffer == LOOP_NO_BUFFER || v->dtype != TY_I64 || v->rank != 1)
            return loop_broken(c, "L7", "%s: no place for the sizes of what it makes",
                               op->callee->symbol);
    }
    return FE_OK;
}

/* The letters of a custom call take all of its inputs, numbers and strings. */
static fe_status check_callee(loop_checking *c, const loop_op *op)
{
    loop_argument argument;
    loop_arguments a = loop_arguments_of(op->callee);
    int64_t depth = 0;
    while (loop_next_argument(&a, &argument)) {
        depth += argument.letter == '[' ? 1 : argument.letter == ']' ? -1 : 0;
        if (depth < 0) break;
        if (argument.letter == 'M' &&
            (a.inputs > op->input_count || a.outputs > op->output_count ||
             op->inputs[a.inputs - 1].buffer != op->outputs[argument.number].buffer))
            return loop_broken(c, "L7", "an argument that is changed in place has two buffers");
        if (!strchr("TOMifbs-[]", argument.letter))
            return loop_broken(c, "L7", "an argument of kind %c", argument.letter);
    }
    if (depth != 0 || a.inputs != op->input_count || a.outputs > op->output_count ||
        a.ints != op->int_count || a.floats != op->float_count ||
        a.strings != op->callee->string_count)
        return loop_broken(c, "L7", "%s: the operands are not those that \"%s\" takes",
                           op->callee->symbol, op->callee->arguments);
    return check_made(c, op, a.outputs);
}

/* L10. One that another op has written to is its, too. */
static fe_status check_work(loop_checking *c, const loop_op *op)
{
    const char *fault = loop_work_fault(c->p, op);
    const loop_view *work = loop_workspace_of(c->p, op);
    if (fault) return loop_broken(c, "L10", "%s", fault);
    if (work && c->written[work->buffer])
        return loop_broken(c, "L10", "another op works in its working memory");
    for (uint32_t k = 0; k < loop_result_count(c->p, op); k++)
        if (op->outputs[k].buffer != LOOP_NO_BUFFER &&
            c->p->buffers.at[op->outputs[k].buffer].is_work)
            return loop_broken(c, "L10", "a result lies in the working memory of an operator");
    return FE_OK;
}

static fe_status check_extern(loop_checking *c, const loop_op *op)
{
    if (!op->kernel || !loop_extern_known(op->kernel))
        return loop_broken(c, "L6", "there is no extern kernel %s",
                           op->kernel ? op->kernel : "(none)");
    if (loop_can(op, LOOP_USERS) != (op->callee != NULL))
        return loop_broken(c, "L7", "a custom call, and no other, has a function of the user's");
    if (op->callee) FE_TRY(check_callee(c, op));
    for (uint32_t k = 0; k < op->input_count; k++) {
        FE_TRY(loop_check_view(c, &op->inputs[k]));
        if (op->inputs[k].buffer != LOOP_NO_BUFFER)
            FE_TRY(loop_check_read(c, op->inputs[k].buffer));
    }
    FE_TRY(loop_check_exprs(c, op->ints, op->int_count));
    for (uint32_t k = 0; k < op->output_count; k++) FE_TRY(loop_check_view(c, &op->outputs[k]));
    const char *fault = loop_call_fault(c->p, op);
    if (fault) return loop_broken(c, "L11", "%s", fault);
    FE_TRY(check_work(c, op));
    for (uint32_t k = 0; k < op->output_count; k++) {
        if (op->outputs[k].buffer != LOOP_NO_BUFFER) loop_note_written(c, op->outputs[k].buffer);
    }
    return FE_OK;
}

/* Symbols that the inputs bring along need no definition. */
static void define_symbol(void *data, sym_expr symbol)
{
    loop_note_defined(data, symbol);
}

/* Does the assertion keep the symbol from going beyond the limit, by itself? */
static bool asserts_limit(const loop_checking *c, const loop_op *op, sym_expr symbol, int64_t limit,
                          bool above)
{
    const sym_relation *r = &op->relation;
    bool is_left = sym_same(r->left, symbol), is_right = sym_same(r->right, symbol);
    if (is_left == is_right || r->op == SYM_NE || (r->op != SYM_EQ && is_left != above))
        return false;
    sym_expr other = is_left ? r->right : r->left;
    int64_t min, max;
    if (sym_contains(c->p->symbols, other, symbol)) return false;
    sym_range(c->p->symbols, other, NULL, &min, &max);
    return above ? max - (r->op == SYM_LT) <= limit : min + (r->op == SYM_LT) >= limit;
}

/* By what it is defined by, or by an assertion right behind that. */
static bool keeps_limit(const loop_checking *c, const loop_op *op, int64_t limit, bool above)
{
    int64_t min, max;
    const loop_op *end = c->p->ops.at + c->p->ops.count;
    if (op->input_count == 0) {
        sym_range(c->p->symbols, op->expr, NULL, &min, &max);
        if (above ? max <= limit : min >= limit) return true;
    }
    for (const loop_op *behind = op + 1; behind < end && behind->kind == LOOP_ASSERT; behind++)
        if (asserts_limit(c, behind, op->symbol, limit, above)) return true;
    return false;
}

static fe_status check_range(loop_checking *c, const loop_op *op)
{
    int64_t min, max;
    sym_range(c->p->symbols, op->symbol, NULL, &min, &max);
    if ((min == SYM_NO_MIN || keeps_limit(c, op, min, false)) &&
        (max >= SYM_NO_MAX - 1 || keeps_limit(c, op, max, true)))
        return FE_OK;
    return loop_broken(c, "L6", "nothing keeps %s in its range: it wants an assertion behind it",
                       sym_name(c->p->symbols, op->symbol));
}

static fe_status check_define(loop_checking *c, const loop_op *op)
{
    const char *name = sym_name(c->p->symbols, op->symbol);
    if (sym_kind_of(c->p->symbols, op->symbol) != SYM_UNBACKED)
        return loop_broken(c, "L6", "%s is no symbol that the run defines", name);
    if (is_defined(c, op->symbol)) return loop_broken(c, "L6", "symbol %s is defined twice", name);
    if (op->input_count == 0) {
        FE_TRY(loop_check_expr(c, op->expr));
    } else {
        FE_TRY(loop_check_view(c, &op->inputs[0]));
        FE_TRY(loop_check_read(c, op->inputs[0].buffer));
        if (op->inputs[0].rank != 0 || !ty_is_integral(op->inputs[0].dtype, true))
            return loop_broken(c, "L2", "a symbol is defined by one integer");
    }
    FE_TRY(check_range(c, op));
    loop_note_defined(c, op->symbol);
    if (op->input_count == 0) loop_note_relation(c, &(sym_relation){op->symbol, op->expr, SYM_EQ});
    return FE_OK;
}

static fe_status check_assert(loop_checking *c, const loop_op *op)
{
    FE_TRY(loop_check_expr(c, op->relation.left));
    FE_TRY(loop_check_expr(c, op->relation.right));
    loop_note_relation(c, &op->relation);
    return FE_OK;
}

static fe_status check_output(loop_checking *c, const loop_output *o)
{
    if (o->kind == LOOP_OUT_TENSOR) {
        FE_TRY(loop_check_view(c, &o->view));
        return o->view.buffer == LOOP_NO_BUFFER ? loop_broken(c, "L3", "an output has no buffer")
                                                : loop_check_read(c, o->view.buffer);
    }
    return o->kind == LOOP_OUT_INT || o->kind == LOOP_OUT_BOOL ? loop_check_expr(c, o->expr)
                                                               : FE_OK;
}

static void note_symbol(void *data, sym_expr symbol)
{
    (void)symbol;
    *(bool *)data = true;
}

/* What a buffer is made of is the same in every step of a loop. */
static void refuse_index(void *data, sym_expr symbol)
{
    loop_checking *c = data;
    sym_kind kind = sym_kind_of(c->p->symbols, symbol);
    if (kind == SYM_INDEX || kind == SYM_INDIRECT) c->bad_symbol = sym_name(c->p->symbols, symbol);
}

static fe_status check_shape(loop_checking *c, const loop_buffer *b)
{
    c->bad_symbol = NULL;
    for (uint32_t d = 0; d < b->rank; d++) {
        sym_each_symbol(c->p->symbols, b->sizes[d], refuse_index, c);
        if (!sym_is_none(b->strides[d]))
            sym_each_symbol(c->p->symbols, b->strides[d], refuse_index, c);
    }
    if (!c->bad_symbol) return FE_OK;
    return loop_broken(c, "L6", "the shape of @%s has the index %s", b->name, c->bad_symbol);
}

/* It holds what its sizes and strides reach, and its bytes can be counted. */
static fe_status check_buffer(loop_checking *c, loop_buffer_id id)
{
    const loop_buffer *b = &c->p->buffers.at[id];
    int64_t elements, bytes;
    FE_TRY(check_shape(c, b));
    for (uint32_t d = 0; d < b->rank; d++)
        if (sym_is_int(c->p->symbols, b->sizes[d], &elements) && elements < 0)
            return loop_broken(c, "L1", "a size of @%s is less than 0", b->name);
    bool is_number = sym_is_int(c->p->symbols, b->elements, &elements), has_symbol = is_number;
    if (!is_number) sym_each_symbol(c->p->symbols, b->elements, note_symbol, &has_symbol);
    if (!has_symbol) return loop_broken(c, "L1", "the elements of @%s cannot be counted", b->name);
    if (is_number && (elements < 0 ||
                      __builtin_mul_overflow(elements, (int64_t)ty_dtype_size(b->dtype), &bytes)))
        return loop_broken(c, "L1", "@%s has %lld elements", b->name, (long long)elements);
    return loop_check_layout(c, id);
}

fe_status loop_check_with(loop_program *p, const char *after, loop_guards *guards)
{
    loop_checking c = {.p = p,
                       .after = after,
                       .guards = guards,
                       .written = NEW_ARRAY(p->memory, uint8_t, p->buffers.count),
                       .loose = NEW_ARRAY(p->memory, bool, p->buffers.count)};
    const char *why;
    loop_buffer_id bad = loop_misplaced_part(p, &why);
    if (bad != LOOP_NO_BUFFER)
        return loop_broken(&c, "L8", "%s: @%s", why, p->buffers.at[bad].name);
    for (uint32_t k = 0; k < p->buffers.count; k++) FE_TRY(check_buffer(&c, k));
    for (uint32_t k = 0; k < p->inputs.count; k++) {
        const loop_input *in = &p->inputs.at[k];
        if (!sym_is_none(in->expr)) sym_each_symbol(p->symbols, in->expr, define_symbol, &c);
    }
    for (uint32_t k = 0; k < p->buffers.count; k++)
        for (uint32_t d = 0; d < p->buffers.at[k].rank && p->buffers.at[k].kind == LOOP_INPUT;
             d++) {
            sym_each_symbol(p->symbols, p->buffers.at[k].sizes[d], define_symbol, &c);
            sym_each_symbol(p->symbols, p->buffers.at[k].strides[d], define_symbol, &c);
        }
    loop_note_storages(&c);
    for (uint32_t k = 0; k < p->ops.count; k++) {
        c.op = &p->ops.at[k];
        switch (c.op->kind) {
        case LOOP_NEST: FE_TRY(check_nest(&c, c.op)); break;
        case LOOP_EXTERN: FE_TRY(check_extern(&c, c.op)); break;
        case LOOP_ASSERT: FE_TRY(check_assert(&c, c.op)); break;
        case LOOP_DEFINE: FE_TRY(check_define(&c, c.op)); break;
        case LOOP_CONTROL: FE_TRY(loop_check_control(&c, c.op)); break;
        }
    }
    if (c.regions.count) return loop_broken(&c, "L9", "a region does not end");
    c.op = NULL;
    c.place = p->ops.count;
    for (uint32_t k = 0; k < p->outputs.count; k++) FE_TRY(check_output(&c, &p->outputs.at[k]));
    bad = loop_meeting_part(p);
    return bad == LOOP_NO_BUFFER
               ? FE_OK
               : loop_broken(&c, "L8", "what is written into a buffer that has parts may meet: @%s",
                             p->buffers.at[bad].name);
}

fe_status loop_check(loop_program *p, const char *after)
{
    return loop_check_with(p, after, NULL);
}
