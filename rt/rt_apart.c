/* rt_apart.c - what tensors of the caller's lie in one memory: nothing is written over what is still to be
 * read, and nothing over a result.
 *
 * The bytes that inputs reach are kept in the order of their beginnings, which hardly changes from run to
 * run, so that a run looks at each once.
 */
#include "rt_entry.h"

#include <string.h>

/* The bytes that a tensor reaches; none: NULL twice. */
static rt_reach reach_of(const fe_tensor *t, uint32_t number)
{
    int64_t element = (int64_t)rt_dtype_bytes(t->dtype);
    for (uint32_t d = 0; d < t->rank; d++)
        if (t->sizes[d] == 0) return (rt_reach){.number = number};
    if (!t->data) return (rt_reach){.number = number};
    rt_reach r = {t->data, (const char *)t->data + element, NULL, number};
    for (uint32_t d = 0; d < t->rank; d++) {
        int64_t last = (t->sizes[d] - 1) * rt_stride(t, d) * element;
        if (last < 0)
            r.begin += last;
        else
            r.end += last;
    }
    return r;
}

int64_t rt_reach_bytes(const fe_tensor *t)
{
    rt_reach r = reach_of(t, 0);
    return r.end - r.begin;
}

static int meet(const rt_reach *a, const rt_reach *b)
{
    return a->begin < a->end && b->begin < b->end && a->begin < b->end && b->begin < a->end;
}

static int share_memory(const fe_tensor *a, const fe_tensor *b)
{
    rt_reach x = reach_of(a, 0), y = reach_of(b, 0);
    return meet(&x, &y);
}

static int is_behind(const rt_reach *a, const rt_reach *b)
{
    return a->begin != b->begin ? a->begin > b->begin : a->number > b->number;
}

void rt_measure_inputs(rt_frame *f)
{
    const rt_program *program = f->context->model->program;
    rt_reach *all = f->context->reaches;
    const char *most = NULL;
    for (uint32_t i = 0; i < program->input_count; i++) {
        uint32_t k = all[i].number;
        all[i] = program->inputs[k].dtype ? reach_of(&f->in[k], k) : (rt_reach){.number = k};
    }
    for (uint32_t i = 1; i < program->input_count; i++) {
        rt_reach one = all[i];
        uint32_t at = i;
        for (; at > 0 && is_behind(&all[at - 1], &one); at--) all[at] = all[at - 1];
        all[at] = one;
    }
    for (uint32_t i = 0; i < program->input_count; i++) {
        if (all[i].end > most) most = all[i].end;
        all[i].most = most;
    }
}

/* ---- inputs in memory of the context ---- */

static int lies_in(const rt_reach *r, const void *memory, size_t bytes)
{
    rt_reach other = {memory, memory ? (const char *)memory + bytes : NULL, NULL, 0};
    return meet(r, &other);
}

/* Memory that the run writes to, where the last run may have left a result. */
static int is_working_memory(const fe_context *context, const rt_reach *r)
{
    const rt_program *program = context->model->program;
    int found = 0;
    for (uint32_t k = 0; k < program->segment_count; k++)
        found |= lies_in(r, context->segments[k].own, context->segments[k].room);
    for (uint32_t k = 0; k < program->state_count; k++)
        found |= lies_in(r, context->states[k], (size_t)program->weights[program->states[k]].bytes);
    for (uint32_t k = 0; k < context->kept_count; k++)
        found |= lies_in(r, context->kept[k].memory, context->kept[k].room);
    return found;
}

static int copy_input(rt_frame *f, const rt_reach *r)
{
    const rt_program *program = f->context->model->program;
    rt_copy *copy = &f->context->copies[r->number];
    size_t bytes = (size_t)(r->end - r->begin);
    uint32_t device = rt_place_of(program->input_devices, r->number);
    for (uint32_t i = 0; i < program->input_count; i++)
        if (lies_in(&f->context->reaches[i], copy->memory, copy->bytes))
            return rt_fail(f, FE_RUN_BAD_INPUT,
                           "input '%s' lies in memory that this run of the context needs: copy it",
                           program->inputs[f->context->reaches[i].number].name);
    if (copy->bytes < bytes) {
        if (copy->memory) rt_memory_off(f->context, device, copy->memory);
        copy->memory = rt_memory_on(f->context, device, bytes);
        copy->bytes = copy->memory ? bytes : 0;
    }
    if (!copy->memory) return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for a copy of an input");
    RT_TRY(rt_move(f, device, r->begin, device, copy->memory, bytes));
    f->inputs[r->number] = (char *)copy->memory + ((const char *)f->in[r->number].data - r->begin);
    return 0;
}

int rt_keep_inputs(rt_frame *f)
{
    const rt_program *program = f->context->model->program;
    for (uint32_t i = 0; i < program->input_count; i++)
        if (is_working_memory(f->context, &f->context->reaches[i]))
            RT_TRY(copy_input(f, &f->context->reaches[i]));
    return 0;
}

/* ---- what meets ---- */

/* How many inputs begin before it ends. */
static uint32_t count_before(const rt_reach *all, uint32_t count, const rt_reach *r)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (all[middle].begin < r->end)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Does an input lie there? */
static int is_read(const rt_frame *f, const rt_program *program, const fe_tensor *output)
{
    const rt_reach *all = f->context->reaches;
    rt_reach r = reach_of(output, 0);
    uint32_t low = count_before(all, program->input_count, &r);
    return r.begin < r.end && low > 0 && all[low - 1].most > r.begin;
}

/* The numbers of donated inputs rise. */
static int is_donated(const rt_program *program, uint32_t input)
{
    uint32_t low = 0, high = program->donated_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (program->donated[middle] == input) return 1;
        if (program->donated[middle] < input)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

int rt_check_donated(rt_frame *f)
{
    const rt_program *program = f->context->model->program;
    const rt_reach *all = f->context->reaches, *last = NULL, *last_donated = NULL;
    for (uint32_t i = 0; program->donated_count && i < program->input_count; i++) {
        const rt_reach *one = &all[i];
        int donated = is_donated(program, one->number);
        const rt_reach *other = donated ? last : last_donated;
        if (one->begin == one->end) continue;
        if (other && meet(one, other)) {
            uint32_t own = other == last_donated ? other->number : one->number;
            uint32_t guest = other == last_donated ? one->number : other->number;
            return rt_fail(f, FE_RUN_BAD_INPUT,
                           "input '%s' is donated, and input '%s' lies in its memory",
                           program->inputs[own].name, program->inputs[guest].name);
        }
        if (!last || one->end > last->end) last = one;
        if (donated && (!last_donated || one->end > last_donated->end)) last_donated = one;
    }
    return 0;
}

int rt_check_mutated(rt_frame *f)
{
    const rt_program *program = f->context->model->program;
    const rt_reach *all = f->context->reaches;
    for (uint32_t k = 0; k < program->mutated_count; k++) {
        uint32_t own = program->mutated[k];
        rt_reach r = reach_of(&f->in[own], own);
        uint32_t i = count_before(all, program->input_count, &r);
        while (r.begin < r.end && i-- > 0 && all[i].most > r.begin) {
            uint32_t other = all[i].number;
            if (other == own || rt_is_taken_of(program, own, other) || !meet(&r, &all[i]) ||
                !rt_elements_meet(&f->in[own], &f->in[other]))
                continue;
            return rt_fail(f, FE_RUN_BAD_INPUT,
                           "input '%s' gets a new value, and input '%s' lies in its memory: give a "
                           "copy of one of them",
                           program->inputs[own].name, program->inputs[other].name);
        }
    }
    return 0;
}

/* ---- outputs ---- */

/* The input that output k lies in where it is given no memory; -1. */
static int64_t input_of(const rt_program *program, uint32_t k)
{
    return program->output_inputs ? program->output_inputs[k] : -1;
}

int rt_is_in_the_way(const rt_frame *f, uint32_t k, const fe_tensor *output)
{
    const rt_program *program = f->context->model->program;
    int64_t own = input_of(program, k);
    if (own >= 0 && program->output_moves[k] && output->data == f->in[own].data) return 0;
    return is_read(f, program, output);
}

/* Is it a tensor at all, of the kind of output k? Else the run fails before anything is written there. */
static int is_given(const fe_port *port, const fe_tensor *t)
{
    return t->data && t->dtype == port->dtype && t->rank == port->rank && (!t->rank || t->sizes);
}

/* Is memory given there for another output, or for this one in another way than it would lie? */
static int is_asked_for(const rt_frame *f, const rt_program *program, const fe_tensor *input,
                        const fe_tensor *outputs)
{
    for (uint32_t k = 0; k < program->output_count; k++)
        if (is_given(&program->outputs[k], &outputs[k]) && f->outputs[k] != outputs[k].data &&
            share_memory(&outputs[k], input))
            return 1;
    return 0;
}

void rt_return_in_inputs(rt_frame *f, const fe_tensor *outputs)
{
    const rt_program *program = f->context->model->program;
    for (uint32_t k = 0; program->output_inputs && k < program->output_count; k++) {
        if (input_of(program, k) < 0 || !program->output_moves[k] || f->outputs[k]) continue;
        const fe_tensor *input = &f->in[input_of(program, k)];
        if (f->inputs[input_of(program, k)] != input->data) continue;
        if (!is_asked_for(f, program, input, outputs)) f->outputs[k] = input->data;
    }
}

int rt_check_apart(rt_frame *f, uint32_t k, const fe_tensor *out)
{
    const rt_program *program = f->context->model->program;
    const rt_result *results = f->context->results;
    if (!is_given(&program->outputs[k], out) || out->data == results[k].data) return 0;
    for (uint32_t other = 0; other < program->output_count; other++) {
        const rt_result *r = &results[other];
        const fe_port *port = &program->outputs[other];
        fe_tensor made = {r->data, port->dtype, port->rank, r->sizes, r->strides};
        if (port->dtype && share_memory(out, &made))
            return rt_fail(f, FE_RUN_BAD_OUTPUT,
                           "the memory given for output '%s' is where output '%s' lies",
                           program->outputs[k].name, port->name);
    }
    return 0;
}
