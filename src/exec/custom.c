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

/* Letters of a callee's arguments (loop.h) turned into fe_arg values, left to right. */
typedef struct argument_reader {
    exec_run *r;
    const loop_op *op;
    const char *at;
    const fe_tensor *in, *out;
    uint32_t inputs, outputs, ints, floats, strings;
} argument_reader;

static const fe_arg *read_arguments(argument_reader *a, uint32_t *count);

static fe_arg read_list(argument_reader *a)
{
    fe_arg list = {.kind = FE_ARG_LIST};
    list.items = read_arguments(a, &list.count);
    a->at++; /* the bracket */
    return list;
}

static fe_arg read_argument(argument_reader *a)
{
    fe_arg arg = {.kind = FE_ARG_NONE};
    switch (*a->at++) {
    case 'T':
        arg.kind = FE_ARG_TENSOR;
        arg.tensor = &a->in[a->inputs++];
        break;
    case 'M': a->inputs++; /* fall through */
    case 'O':
        arg.kind = FE_ARG_TENSOR;
        arg.tensor = &a->out[a->outputs++];
        break;
    case 'b':
    case 'i':
        arg.kind = a->at[-1] == 'b' ? FE_ARG_BOOL : FE_ARG_INT;
        arg.integer = exec_number(a->r, a->op->ints[a->ints++]);
        break;
    case 'f':
        arg.kind = FE_ARG_FLOAT;
        arg.number = a->op->floats[a->floats++];
        break;
    case 's':
        arg.kind = FE_ARG_STRING;
        arg.string = a->op->callee->strings[a->strings++];
        break;
    case '[': return read_list(a);
    default: break;
    }
    return arg;
}

static uint32_t count_arguments(const char *at)
{
    uint32_t count = 0, depth = 0;
    for (; *at && !(*at == ']' && depth == 0); at++) {
        if (*at == ']') depth--;
        count += depth == 0 && *at != ']';
        if (*at == '[') depth++;
    }
    return count;
}

static const fe_arg *read_arguments(argument_reader *a, uint32_t *count)
{
    *count = count_arguments(a->at);
    fe_arg *items = a->r->arguments + a->r->used.arguments;
    a->r->used.arguments += *count;
    for (uint32_t k = 0; k < *count; k++) items[k] = read_argument(a);
    return items;
}

int exec_custom(exec_run *r, const wrap_line *line)
{
    const loop_op *op = line->op;
    uint32_t count;
    argument_reader a = {.r = r, .op = op, .at = op->callee->arguments};
    a.in = exec_views(r, op->inputs, line->weights, op->input_count);
    a.out = exec_views(r, op->outputs, NULL, op->output_count);
    const fe_arg *args = read_arguments(&a, &count);
    return r->x->facts.library->services->custom(r->f, op->callee->symbol, r->step->custom, args,
                                                 count, a.out + a.outputs,
                                                 op->output_count - a.outputs);
}
