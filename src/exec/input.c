/* input.c -- the symbols that the inputs of a call give, and whether all of it fits the program: with the
 * words of generated C.
 */
#include "exec/exec_priv.h"

#include <stdio.h>

/* The number that an input gives: one of its sizes, or itself. */
int64_t exec_input_number(const exec_run *r, const wrap_line *line)
{
    const void *data = r->f->inputs[line->input];
    if (line->is_stride) return rt_stride(&r->f->in[line->input], (uint32_t)line->dimension);
    if (line->dimension >= 0) return r->f->in[line->input].sizes[line->dimension];
    if (r->w->loops->inputs.at[line->input].dtype == TY_BOOL) return *(const uint8_t *)data;
    return *(const int64_t *)data;
}

static const char *bounds_text(char *room, size_t bytes, int64_t min, int64_t max)
{
    if (max == SYM_NO_MAX)
        snprintf(room, bytes, "at least %lld", (long long)min);
    else if (min == -INT64_MAX)
        snprintf(room, bytes, "at most %lld", (long long)max);
    else
        snprintf(room, bytes, "in [%lld, %lld]", (long long)min, (long long)max);
    return room;
}

static int check_symbol_range(exec_run *r, const wrap_line *line, uint32_t number)
{
    const rt_symbol *symbol = &r->x->program.symbols[number];
    const char *input = r->w->loops->inputs.at[line->input].name;
    int64_t value = r->f->symbols[number];
    char bounds[80];
    if (!wrap_asks_range(line, symbol->min, symbol->max)) return 0;
    if (value >= symbol->min && value <= symbol->max) return 0;
    bounds_text(bounds, sizeof bounds, symbol->min, symbol->max);
    if (line->dimension < 0)
        return rt_fail(r->f, FE_RUN_BAD_INPUT, "input '%s' is %lld: %s must be %s", input,
                       (long long)value, symbol->name, bounds);
    long long given = (long long)exec_input_number(r, line);
    const char *what = line->is_stride ? "stride" : "size";
    if (sym_is_none(line->scale))
        return rt_fail(r->f, FE_RUN_BAD_INPUT,
                       "input '%s' has %s %lld in dimension %d: %s must be %s", input, what, given,
                       line->dimension, symbol->name, bounds);
    return rt_fail(r->f, FE_RUN_BAD_INPUT,
                   "input '%s' has %s %lld in dimension %d, so %s is %lld: %s must be %s", input,
                   what, given, line->dimension, symbol->name, (long long)value, symbol->name,
                   bounds);
}

/* An expression as the program's text has it. */
typedef struct shown {
    char text[200];
} shown;

/* Texts are made in memory of their own: sessions are not shared by threads. */
static const char *show(const exec_run *r, sym_expr e, shown *out)
{
    fe_session *session = session_new();
    out->text[0] = '\0';
    if (!session) return out->text;
    text t;
    text_init(&t, session->memory);
    sym_print(r->w->loops->symbols, e, &t);
    snprintf(out->text, sizeof out->text, "%s", t.at);
    session_free(session);
    return out->text;
}

static int check_size(exec_run *r, uint32_t k, uint32_t d, sym_expr expected)
{
    const fe_tensor *in = &r->f->in[k];
    shown as;
    if (sym_is_int(r->w->loops->symbols, expected, NULL)) return 0;
    int64_t size = exec_number(r, expected);
    if (in->sizes[d] == size) return 0;
    return rt_fail(r->f, FE_RUN_BAD_INPUT,
                   "input '%s' has size %lld in dimension %u, expected %s = %lld",
                   r->w->loops->inputs.at[k].name, (long long)in->sizes[d], d,
                   show(r, expected, &as), (long long)size);
}

static int check_stride(exec_run *r, uint32_t k, uint32_t d, sym_expr expected)
{
    shown as;
    if (sym_is_int(r->w->loops->symbols, expected, NULL)) return 0;
    return rt_check_stride(r->f, k, d, exec_number(r, expected), show(r, expected, &as));
}

/* A number: what the program was exported with, where it is not a symbol. */
static int check_number(exec_run *r, uint32_t k)
{
    const loop_input *input = &r->w->loops->inputs.at[k];
    const wrap_line line = {.input = (int32_t)k, .dimension = -1};
    if (input->dtype == TY_NO_DTYPE) return 0;
    if (input->dtype == TY_F64) {
        double given = *(const double *)r->f->inputs[k];
        if (rt_same_float(given, input->number)) return 0;
        return rt_fail(r->f, FE_RUN_BAD_INPUT, "input '%s' is %.17g, the program is made for %.17g",
                       input->name, given, input->number);
    }
    if (sym_op_of(r->w->loops->symbols, input->expr) == SYM_SYMBOL) return 0;
    int64_t given = exec_input_number(r, &line);
    shown expected;
    if (given == exec_number(r, input->expr)) return 0;
    return rt_fail(r->f, FE_RUN_BAD_INPUT, "input '%s' is %lld, the program is made for %s",
                   input->name, (long long)given, show(r, input->expr, &expected));
}

int exec_check_inputs(exec_run *r)
{
    const loop_program *p = r->w->loops;
    uint32_t next = 0;
    for (uint32_t i = 0; i < r->x->input_symbols; i++) {
        r->step = &r->x->steps[i];
        RT_TRY(exec_lines[WRAP_SYMBOL](r, &r->w->lines.at[i], &next));
    }
    for (uint32_t i = 0; i < r->x->input_symbols; i++)
        RT_TRY(check_symbol_range(r, &r->w->lines.at[i], i));
    for (uint32_t k = 0; k < p->inputs.count; k++) {
        if (!p->inputs.at[k].is_tensor) {
            RT_TRY(check_number(r, k));
            continue;
        }
        const loop_buffer *b = &p->buffers.at[p->inputs.at[k].buffer];
        for (uint32_t d = 0; d < b->rank; d++) RT_TRY(check_size(r, k, d, b->sizes[d]));
        for (uint32_t d = 0; d < b->rank; d++) RT_TRY(check_stride(r, k, d, b->strides[d]));
    }
    return 0;
}

static void make_returned(exec_program *x)
{
    uint32_t outputs = x->w->loops->outputs.count;
    int32_t *inputs = NEW_ARRAY(x->memory, int32_t, outputs + 1);
    uint8_t *moves = NEW_ARRAY(x->memory, uint8_t, outputs + 1);
    if (!wrap_returns_inputs(x->w)) return;
    for (uint32_t k = 0; k < outputs; k++) {
        inputs[k] = wrap_input_of_output(x->w, k);
        moves[k] = wrap_output_moves(x->w, k);
    }
    x->program.output_inputs = inputs;
    x->program.output_moves = moves;
}

void exec_make_donated(exec_program *x)
{
    const loop_program *p = x->w->loops;
    uint32_t *donated = NEW_ARRAY(x->memory, uint32_t, p->inputs.count + 1);
    for (uint32_t k = 0; k < p->inputs.count; k++)
        if (p->inputs.at[k].is_tensor && wrap_is_overwritten(x->w, p->inputs.at[k].buffer))
            donated[x->program.donated_count++] = k;
    x->program.donated = donated;
    uint32_t *mutated = NEW_ARRAY(x->memory, uint32_t, p->inputs.count + 1);
    for (uint32_t k = wrap_next_mutated(x->w, 0); k < p->inputs.count;
         k = wrap_next_mutated(x->w, k + 1))
        mutated[x->program.mutated_count++] = k;
    x->program.mutated = mutated;
    make_returned(x);
}
