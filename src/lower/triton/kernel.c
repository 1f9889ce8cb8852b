/* kernel.c -- the call of a kernel: its arguments, its operations one by one, and what it leaves in the
 * memory that it wrote. */
#include "lower/triton/region.h"

#include <stdio.h>
#include <string.h>

static triton_rule *const RULES[TTIR_CODE_COUNT] = {
#define TTIR(id, name, form, operands, result, rule, parameter) [TTIR_##id] = triton_##rule,
#include "ttir/ttir.def"
};

static const int PARAMETERS[TTIR_CODE_COUNT] = {
#define LOOP_0 0
#define TTIR(id, name, form, operands, result, rule, parameter) [TTIR_##id] = LOOP_##parameter,
#include "ttir/ttir.def"
};

fe_status triton_fail(triton *t, const char *format, ...)
{
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    const char *place = t->op->place;
    return lower_fail(t->l, "its kernel %s: %s%s%s: %s", t->kernel->name, ttir_name(t->op->code),
                      *place ? " at " : "", place, message);
}

fe_status triton_run(triton *t, const ttir_block *block)
{
    for (uint32_t k = 0; k < block->ops.count; k++) {
        const ttir_op *op = &block->ops.at[k];
        t->op = op;
        FE_TRY(RULES[op->code](t, op, PARAMETERS[op->code]));
    }
    return FE_OK;
}

loop_value triton_joined(triton *t, ttir_code code, loop_value a, loop_value b)
{
    return loop_binary(t->p, (loop_opcode)PARAMETERS[code], a, b);
}

fe_status triton_nothing(triton *t, const ttir_op *op, int parameter)
{
    (void)t, (void)op, (void)parameter;
    return FE_OK;
}

/* ---- arguments ---- */

/* What is left of the lists of arguments. */
typedef struct arguments {
    const fx_arg *buffers;
    uint32_t buffer;
    sym_expr integers[64];
    int integer_count, integer;
    const fx_arg *numbers;
    uint32_t number;
} arguments;

static fe_status fail_count(triton *t, const char *what)
{
    return lower_fail(t->l, "its kernel %s takes another number of %s", t->kernel->name, what);
}

bool triton_fits(ty_dtype tensor, ty_dtype pointer)
{
    return tensor == pointer || (ty_dtype_size(tensor) == ty_dtype_size(pointer) &&
                                 ty_is_integral(tensor, true) && ty_is_integral(pointer, true));
}

static fe_status take_buffer(triton *t, arguments *given, ttir_value v)
{
    if (given->buffer == given->buffers->list.count) return fail_count(t, "tensors");
    uint32_t k = given->buffer++;
    const ty_tensor *tensor = fx_arg_tensor(&given->buffers->list.items[k]);
    ty_dtype d = triton_type(t, v)->dtype;
    if (!tensor || d == TY_NO_DTYPE || !triton_fits(tensor->dtype, d))
        return lower_fail(t->l, "its kernel %s takes another dtype than that of tensor %u",
                          t->kernel->name, k);
    loop_view view = lower_strided(t->l, lower_item(t->l, given->buffers, k));
    if (!lower_has_strides(t->l, &view, tensor))
        view = lower_copied(t->l, lower_viewed(t->l, view), tensor->strides).box->view;
    t->memories[k] = (triton_memory){.tensor = tensor, .view = view};
    t->values[v] = (triton_value){.argument = k + 1};
    t->values[v].t =
        lower_value(t->l, TY_I32, t->lead_count, t->lead, loop_const_int(t->p, TY_I32, 0));
    return FE_OK;
}

static fe_status take_number(triton *t, arguments *given, ttir_value v)
{
    ty_dtype d = triton_type(t, v)->dtype;
    loop_value value;
    if (d == TY_NO_DTYPE)
        return lower_fail(t->l, "its kernel %s takes an argument of another type", t->kernel->name);
    if (ty_is_integral(d, true)) {
        if (given->integer == given->integer_count) return fail_count(t, "integers");
        value = triton_index(t, d, given->integers[given->integer++]);
    } else {
        if (given->number == given->numbers->list.count) return fail_count(t, "numbers");
        value = lower_scalar(t->l, &given->numbers->list.items[given->number++], d);
    }
    t->values[v].t = lower_value(t->l, d, t->lead_count, t->lead, value);
    return FE_OK;
}

static fe_status take_arguments(triton *t)
{
    lowering *l = t->l;
    const ttir_block *body = &t->kernel->body;
    arguments given = {.buffers = fx_get(l->graph, l->node, "buffers"),
                       .numbers = fx_get(l->graph, l->node, "numbers")};
    given.integer_count = lower_ints(l, "integers", given.integers, COUNT_OF(given.integers));
    if (given.integer_count < 0)
        return lower_fail(l, "more than %zu integers", COUNT_OF(given.integers));
    t->memory_count = given.buffers->list.count;
    t->memories = NEW_ARRAY(l->memory, triton_memory, t->memory_count);
    for (uint32_t k = 0; k < body->argument_count; k++) {
        ttir_value v = body->arguments[k];
        FE_TRY(triton_type(t, v)->is_pointer ? take_buffer(t, &given, v)
                                             : take_number(t, &given, v));
    }
    if (given.buffer != t->memory_count) return fail_count(t, "tensors");
    if (given.integer != given.integer_count) return fail_count(t, "integers");
    return given.number == given.numbers->list.count ? FE_OK : fail_count(t, "numbers");
}

static uint32_t most_rank(const ttir_kernel *kernel)
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < kernel->types.count; v++)
        if (kernel->types.at[v].rank > most) most = kernel->types.at[v].rank;
    return most;
}

static fe_status take_grid(triton *t)
{
    int count = lower_ints(t->l, "grid", t->grid, 3);
    if (count < 1) return lower_fail(t->l, "a grid of more than three axes");
    for (int k = count; k < 3; k++) t->grid[k] = t->l->one;
    for (uint32_t k = 0; k < 3; k++) {
        t->id[k] = t->l->zero;
        if (lower_is_one(t->l, t->grid[k]) || triton_has_turns(t->kernel)) continue;
        t->id[k] = t->l->axes[t->lead_count];
        t->lead[t->lead_count++] = t->grid[k];
    }
    t->grid_axes = t->lead_count;
    t->most_rank = most_rank(t->kernel);
    if (t->lead_count + t->most_rank > LOWER_MAX_RANK)
        return lower_fail(t->l, "its kernel %s has blocks of more than %u dimensions",
                          t->kernel->name, LOWER_MAX_RANK - t->lead_count);
    return FE_OK;
}

/* ---- results ---- */

static fe_status give_written(triton *t)
{
    int64_t places[LOWER_MAX_RANK * 2];
    int count = lower_constants(t->l, "written", places, COUNT_OF(places));
    if (count < 0) return lower_fail(t->l, "more than %zu written tensors", COUNT_OF(places));
    lower_tensor *items = NEW_ARRAY(t->l->memory, lower_tensor, count + 1);
    for (int k = 0; k < count; k++) {
        triton_memory *m = &t->memories[places[k]];
        m->is_written = false;
        items[k] = lower_viewed(t->l, m->view);
    }
    for (uint32_t k = 0; k < t->memory_count; k++)
        if (t->memories[k].is_written)
            return lower_fail(t->l,
                              "its kernel %s writes to tensor %u, which is not said to be written",
                              t->kernel->name, k);
    return lower_give_items(t->l, items, (uint32_t)count);
}

/* What a kernel is given, to begin with it anew. */
typedef struct beginning {
    triton state;
    triton_memory *memories;
    triton_value *values;
    uint32_t ops, buffers;
} beginning;

static triton_value *copied_values(triton *t, const triton_value *values)
{
    uint32_t count = t->kernel->types.count;
    triton_value *made = arena_copy(t->l->memory, values, count * sizeof *made);
    for (uint32_t k = 0; k < count; k++)
        if (made[k].t.box)
            made[k].t.box = arena_copy(t->l->memory, made[k].t.box, sizeof *made[k].t.box);
    return made;
}

static beginning begin(triton *t)
{
    beginning b = {.state = *t, .ops = t->p->ops.count, .buffers = t->p->buffers.count};
    b.memories = arena_copy(t->l->memory, t->memories, t->memory_count * sizeof *b.memories);
    b.values = copied_values(t, t->values);
    return b;
}

static void begin_anew(triton *t, const beginning *b)
{
    triton found = *t;
    control_end_scope(t->l, b->ops);
    t->p->ops.count = b->ops;
    t->p->buffers.count = b->buffers;
    lower_note_ops(t->l);
    *t = b->state;
    memcpy(&t->in_order, &found.in_order, sizeof found.in_order);
    memcpy(t->memories, b->memories, t->memory_count * sizeof *t->memories);
    t->values = copied_values(t, b->values);
}

/* One program instance after the other, the first axis of the grid the fastest. */
static fe_status run_in_turn(triton *t, int axis)
{
    if (axis < 0) return triton_run(t, &t->kernel->body);
    if (lower_is_one(t->l, t->grid[axis])) return run_in_turn(t, axis - 1);
    uint32_t begin = control_begin_repeat(t->l, t->grid[axis], &t->id[axis]);
    FE_TRY(run_in_turn(t, axis - 1));
    control_end_repeat(t->l, begin);
    return FE_OK;
}

static fe_status run_once(triton *t)
{
    triton_region region;
    if (!triton_has_turns(t->kernel)) return triton_run(t, &t->kernel->body);
    FE_TRY(triton_enter(t, NULL, &region));
    FE_TRY(run_in_turn(t, 2));
    triton_leave(&region);
    return FE_OK;
}

/* The operations. Where the order of a loop's steps turns out to matter they are made anew. */
static fe_status run_all(triton *t)
{
    const beginning b = begin(t);
    FE_TRY(run_once(t));
    while (t->is_out_of_order) {
        begin_anew(t, &b);
        FE_TRY(run_once(t));
    }
    return FE_OK;
}

fe_status lower_op_triton_kernel(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n, (void)row;
    const char *fault = NULL;
    triton t = {.l = l, .p = l->program, .s = l->symbols};
    t.kernel = ttir_read(l->session, l->memory, fx_get(l->graph, l->node, "ir")->string, &fault);
    if (!t.kernel) return lower_fail(l, "its kernel: %s", fault);
    t.values = NEW_ARRAY(l->memory, triton_value, t.kernel->types.count);
    FE_TRY(take_grid(&t));
    FE_TRY(take_arguments(&t));
    FE_TRY(run_all(&t));
    return give_written(&t);
}
