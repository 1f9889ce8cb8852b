/* custom.c -- operands of extern calls, and calls of the user's functions. */
#include "exec/exec_priv.h"

/* ---- operands ---- */

static int64_t *numbers_of(exec_run *r, const sym_expr *exprs, uint32_t count)
{
    int64_t *at = r->numbers + r->used.numbers;
    for (uint32_t i = 0; i < count; i++) at[i] = exec_number(r, exprs[i]);
    r->used.numbers += count;
    return at;
}

static fe_tensor tensor_of(exec_run *r, const loop_view *view, uint32_t weight)
{
    if (view->buffer == LOOP_NO_BUFFER) return (fe_tensor){0};
    fe_tensor t = {.dtype = (uint32_t)ty_dtype_number(view->dtype), .rank = view->rank};
    t.sizes = numbers_of(r, view->sizes, view->rank);
    t.strides = numbers_of(r, view->strides, view->rank);
    ty_dtype dtype = r->w->loops->buffers.at[view->buffer].dtype;
    if (weight != WRAP_NO_WEIGHT)
        t.data = r->f->weights[weight];
    else
        t.data = (char *)r->buffers[view->buffer] +
                 exec_number(r, view->offset) * (int64_t)ty_dtype_size(dtype);
    return t;
}

fe_tensor *exec_views(exec_run *r, const loop_view *views, const uint32_t *weights, uint32_t count)
{
    fe_tensor *at = r->views + r->used.views;
    r->used.views += count;
    for (uint32_t i = 0; i < count; i++)
        at[i] = tensor_of(r, &views[i], weights ? weights[i] : WRAP_NO_WEIGHT);
    return at;
}

/* ---- arguments ---- */

/* A call's operands, and where its arguments are read to. */
typedef struct argument_reader {
    exec_run *r;
    const loop_op *op;
    loop_arguments letters;
    const fe_tensor *in, *out;
} argument_reader;

static const fe_arg *read_arguments(argument_reader *a, uint32_t count);

static fe_arg read_argument(argument_reader *a)
{
    loop_argument l;
    loop_next_argument(&a->letters, &l);
    switch (l.letter) {
    case 'T': return (fe_arg){FE_ARG_TENSOR, 0, .tensor = &a->in[l.number]};
    case 'M':
    case 'O': return (fe_arg){FE_ARG_TENSOR, 0, .tensor = &a->out[l.number]};
    case 'b':
    case 'i':
        return (fe_arg){l.letter == 'b' ? FE_ARG_BOOL : FE_ARG_INT, 0,
                        .integer = exec_number(a->r, a->op->ints[l.number])};
    case 'f': return (fe_arg){FE_ARG_FLOAT, 0, .number = a->op->floats[l.number]};
    case 's': return (fe_arg){FE_ARG_STRING, 0, .string = a->op->callee->strings[l.number]};
    case '[': {
        fe_arg list = {FE_ARG_LIST, l.number, .items = read_arguments(a, l.number)};
        loop_next_argument(&a->letters, &l); /* the bracket */
        return list;
    }
    default: return (fe_arg){.kind = FE_ARG_NONE};
    }
}

static const fe_arg *read_arguments(argument_reader *a, uint32_t count)
{
    fe_arg *items = a->r->arguments + a->r->used.arguments;
    a->r->used.arguments += count;
    for (uint32_t k = 0; k < count; k++) items[k] = read_argument(a);
    return items;
}

int exec_custom(exec_run *r, const wrap_line *line)
{
    const loop_op *op = line->op;
    argument_reader a = {.r = r, .op = op, .letters = loop_arguments_of(op->callee)};
    uint32_t count = a.letters.count;
    a.in = exec_views(r, op->inputs, line->weights, op->input_count);
    a.out = exec_views(r, op->outputs, NULL, op->output_count);
    const fe_arg *args = read_arguments(&a, count);
    return r->x->facts.library->services->custom(
        r->f, op->callee->symbol, r->step->custom, args, count, a.out + a.letters.outputs,
        op->output_count - a.letters.outputs, r->step->made, op->callee->made_count);
}
