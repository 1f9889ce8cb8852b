/* call.c -- calls from memory of the host, of programs whose inputs and outputs may be on devices: what is
 * there is brought and fetched.
 */
#include "driver/call.h"

#include "../rt/rt_entry.h"

/* Those made before there were any say nothing. */
static uint32_t input_device(const fe_artifact *a, uint32_t k)
{
    bool says = a->struct_bytes > offsetof(fe_artifact, input_devices);
    return says && a->input_devices ? a->input_devices[k] : 0;
}

static uint32_t output_device(const fe_artifact *a, uint32_t k)
{
    bool says = a->struct_bytes > offsetof(fe_artifact, output_devices);
    return says && a->output_devices ? a->output_devices[k] : 0;
}

void call_begin(device_call *c, const fe_artifact *a, fe_context *context, arena *memory)
{
    *c = (device_call){.artifact = a,
                       .context = context,
                       .memory = memory,
                       .given = NEW_ARRAY(memory, fe_tensor, a->input_count + 1),
                       .there = NEW_ARRAY(memory, void *, a->input_count + 1),
                       .here = NEW_ARRAY(memory, void *, a->output_count + 1),
                       .room = NEW_ARRAY(memory, int64_t, a->output_count + 1)};
}

static int bring(device_call *c, uint32_t k, const fe_tensor *input)
{
    const fe_artifact *a = c->artifact;
    uint32_t device = input_device(a, k);
    int64_t bytes = device ? rt_reach_bytes(input) : 0;
    int code = 0;
    c->given[k] = *input;
    if (!bytes) return 0;
    if (!c->there[k]) code = a->device_new(c->context, device, bytes, &c->there[k]);
    c->given[k].data = c->there[k];
    return code ? code : a->device_write(c->context, device, c->there[k], input->data, bytes);
}

/* Its sizes and strides are the context's. */
static int fetch_output(device_call *c, uint32_t k, fe_tensor *output)
{
    const fe_artifact *a = c->artifact;
    uint32_t device = output_device(a, k);
    int64_t bytes = device ? rt_reach_bytes(output) : 0;
    const void *there = output->data;
    if (!bytes) return 0;
    if (c->room[k] < bytes) c->here[k] = arena_alloc(c->memory, (size_t)bytes);
    if (c->room[k] < bytes) c->room[k] = bytes;
    output->data = c->here[k];
    return a->device_read(c->context, device, output->data, there, bytes);
}

/* What a run has changed of it. */
static int fetch_input(device_call *c, uint32_t k, const fe_tensor *input)
{
    const fe_artifact *a = c->artifact;
    if (!c->there[k]) return 0;
    return a->device_read(c->context, a->input_devices[k], input->data, c->there[k],
                          rt_reach_bytes(input));
}

int call_run(device_call *c, const fe_tensor *inputs, fe_tensor *outputs, double *seconds)
{
    const fe_artifact *a = c->artifact;
    int code = 0;
    for (uint32_t k = 0; k < a->input_count && !code; k++) code = bring(c, k, &inputs[k]);
    double begin = clock_seconds();
    if (!code) code = a->run(c->context, c->given, a->input_count, outputs, a->output_count);
    if (seconds) *seconds = clock_seconds() - begin;
    for (uint32_t k = 0; k < a->output_count && !code; k++) code = fetch_output(c, k, &outputs[k]);
    for (uint32_t k = 0; k < a->input_count && !code; k++) code = fetch_input(c, k, &inputs[k]);
    return code;
}

void call_end(device_call *c)
{
    for (uint32_t k = 0; c->artifact && k < c->artifact->input_count; k++)
        if (c->there[k])
            c->artifact->device_free(c->context, c->artifact->input_devices[k], c->there[k]);
    *c = (device_call){0};
}

int call_once(const fe_artifact *a, fe_context *context, arena *memory, const fe_tensor *inputs,
              fe_tensor *outputs)
{
    device_call c;
    call_begin(&c, a, context, memory);
    int code = call_run(&c, inputs, outputs, NULL);
    call_end(&c);
    return code;
}
