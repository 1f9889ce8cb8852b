/* rt_context.c - contexts: the arena, states and outputs of one caller. */
#define _GNU_SOURCE
#include "rt_entry.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const size_t HUGE_PAGE = (size_t)2 << 20;

void *rt_memory_new(size_t bytes)
{
    void *memory;
    if (bytes < HUGE_PAGE) return aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (posix_memalign(&memory, HUGE_PAGE, bytes) != 0) return NULL;
#ifdef MADV_HUGEPAGE
    /* the last one, of which it is a part, would be resident whole */
    madvise(memory, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
    return memory;
}

void rt_memory_free(void *memory)
{
    free(memory);
}

void *rt_reserve(size_t bytes, size_t soon)
{
#ifdef MAP_NORESERVE
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return NULL;
#ifdef MADV_HUGEPAGE
    if (soon >= HUGE_PAGE) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    (void)soon;
    return memory;
#else
    (void)bytes;
    (void)soon;
    return NULL;
#endif
}

void rt_unreserve(void *memory, size_t bytes)
{
    if (memory) munmap(memory, bytes);
}

static void results_free(fe_context *context)
{
    const rt_program *program = context->model->program;
    for (uint32_t k = 0; context->results && k < program->output_count; k++) {
        uint32_t device = rt_place_of(program->output_devices, k);
        rt_memory_off(context, device, context->results[k].memory);
        rt_memory_off(context, device, context->results[k].spare);
    }
    free(context->results);
}

static void copies_free(fe_context *context)
{
    const rt_program *program = context->model->program;
    for (uint32_t k = 0; context->copies && k < program->input_count; k++)
        if (context->copies[k].memory)
            rt_memory_off(context, rt_place_of(program->input_devices, k),
                          context->copies[k].memory);
    free(context->copies);
}

static void tables_free(fe_context *context)
{
    const rt_program *program = context->model->program;
    if (context->tables) program->tables->drop(context->tables, program->transform_count);
    free(context->tables);
}

void rt_context_free(fe_context *context)
{
    if (!context) return;
    results_free(context);
    copies_free(context);
    rt_states_free(context);
    rt_segments_free(context);
    if (context->devices) context->model->program->device_support->end(context);
    rt_kept_free(context);
    rt_weights_free(context);
    rt_area_free(&context->area);
    tables_free(context);
    free(context->inputs);
    free(context->outputs);
    free(context->symbols);
    free(context->replacements);
    free(context->clock.ns);
    free(context->reaches);
    free(context->all);
    free(context->told);
    free(context);
}

static int outputs_new(fe_context *context)
{
    const rt_program *program = context->model->program;
    context->results = calloc(program->output_count + 1, sizeof *context->results);
    if (!context->results) return 0;
    for (uint32_t k = 0; program->output_bytes && k < program->output_count; k++) {
        rt_result *result = &context->results[k];
        if (program->output_bytes[k] == 0) continue;
        result->memory_bytes = (size_t)program->output_bytes[k];
        result->memory =
            rt_memory_on(context, rt_place_of(program->output_devices, k), result->memory_bytes);
        if (!result->memory) return 0;
    }
    return 1;
}

/* Calls whose areas lie in memory that is free meanwhile need none of the context's. At symbols' values
 * areas may have to grow: rt_make_area. */
int rt_context_area(fe_context *context)
{
    const rt_program *program = context->model->program;
    int64_t each = program->each_bytes;
    for (const rt_room *room = program->rooms; room && room->each; room++)
        if (room->each > each &&
            !rt_area_fits((size_t)room->each, rt_pool_threads(context->pool), (size_t)room->bytes))
            each = room->each;
    context->area.is_whole = 1;
    context->least_area = each;
    return each == 0 ? 0 : rt_area_grow(&context->area, context->pool, (size_t)each);
}

static int tables_new(fe_context *context)
{
    const rt_program *program = context->model->program;
    if (!program->transform_count) return 1;
    const void **tables = calloc(program->transform_count, sizeof *tables);
    if (tables &&
        program->tables->hold(program->transforms, program->transform_count, tables) == 0) {
        context->tables = tables;
        return 1;
    }
    free(tables);
    return 0;
}

static int taken_new(fe_context *context)
{
    const rt_program *program = context->model->program;
    if (!program->taken_count) return 1;
    context->all = calloc(program->input_count, sizeof *context->all);
    context->told = calloc((size_t)program->taken_count * RT_TOLD, sizeof *context->told);
    return context->all && context->told;
}

int rt_set_driver(fe_model *model, const fe_device_driver *driver)
{
    const rt_device_support *support = model->program->device_support;
    return support ? support->set_driver(model, driver) : FE_RUN_BAD_INPUT;
}

static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;

/* The first context of a model opens its devices. */
static int devices_new(fe_context *context, char *message, size_t message_bytes)
{
    fe_model *model = (fe_model *)(uintptr_t)context->model;
    const rt_device_support *support = model->program->device_support;
    int code = 0;
    if (!support) return 0;
    pthread_mutex_lock(&devices_lock);
    if (!model->devices) code = support->open(model, message, message_bytes);
    pthread_mutex_unlock(&devices_lock);
    return code ? code : support->begin(context);
}

int rt_context_new(const fe_model *model, uint32_t threads, char *message, size_t message_bytes,
                   fe_context **out)
{
    const rt_program *program = model->program;
    *out = NULL;
    if (message_bytes) message[0] = 0;
    fe_context *context = calloc(1, sizeof *context);
    if (!context) return FE_RUN_NO_MEMORY;
    context->runtime = rt_here();
    context->model = model;
    context->pool = threads == 1 ? NULL : rt_pool_get((int)threads);
    context->inputs = calloc(program->input_count + 1, sizeof *context->inputs);
    context->outputs = calloc(program->output_count + 1, sizeof *context->outputs);
    context->symbols = calloc(program->symbol_count + 1, sizeof *context->symbols);
    context->clock.ns = calloc(program->step_count + 1, sizeof *context->clock.ns);
    context->copies = calloc(program->input_count + 1, sizeof *context->copies);
    context->reaches = calloc(program->input_count + 1, sizeof *context->reaches);
    for (uint32_t k = 0; context->reaches && k < program->input_count; k++)
        context->reaches[k].number = k;
    int code = devices_new(context, message, message_bytes);
    int ok = code == 0 && context->clock.ns && context->reaches && context->copies &&
             context->inputs && context->outputs && context->symbols && outputs_new(context) &&
             rt_segments_new(context) && rt_context_area(context) == 0 && tables_new(context) &&
             taken_new(context);
    if (ok) code = rt_states_new(context);
    if (!ok || code) {
        if (message_bytes && context->error[0])
            snprintf(message, message_bytes, "%s", context->error);
        rt_context_free(context);
        return code ? code : FE_RUN_NO_MEMORY;
    }
    *out = context;
    return 0;
}

int64_t rt_context_bytes(const fe_context *context)
{
    const rt_program *program = context->model->program;
    size_t sum = rt_scratch_bytes() + rt_area_bytes(&context->area) + rt_kept_bytes(context) +
                 rt_weights_bytes(context);
    if (program->tables) sum += program->tables->bytes();
    for (uint32_t k = 0; k < program->segment_count; k++) sum += context->segments[k].bytes;
    for (uint32_t k = 0; k < program->output_count; k++)
        sum += context->results[k].memory_bytes + context->results[k].spare_bytes;
    for (uint32_t k = 0; k < program->input_count; k++) sum += context->copies[k].bytes;
    return (int64_t)(sum + rt_states_bytes(context));
}

int64_t rt_context_step_ns(const fe_context *context, uint32_t step)
{
    return step < context->model->program->step_count ? context->clock.ns[step] : -1;
}

void rt_describe(const rt_program *p, fe_artifact *out)
{
    *out = (fe_artifact){
        .abi_version = FE_ABI_VERSION,
        .struct_bytes = sizeof *out,
        .name = p->name,
        .producer = "ferrite 0.1",
        .inputs = p->inputs,
        .input_count = p->input_count - p->taken_count,
        .outputs = p->outputs,
        .output_count = p->output_count,
        .weights_bytes = p->weights_bytes,
        .arena_bytes = p->arena_bytes,
        .arena_lower_bound = p->arena_lower_bound,
        .kernel_calls = p->kernel_calls,
        .unique_kernels = p->unique_kernels,
        .context_free = rt_context_free,
        .run = rt_run,
        .parts = p->parts,
        .part_count = p->part_count,
        .replace_part = rt_replace_part,
        .memory_bytes = rt_context_bytes,
        .step_ns = rt_context_step_ns,
        .trace = rt_context_trace,
        .ops = p->ops,
        .op_count = p->op_count,
        .set_op = rt_set_op,
        .set_driver = rt_set_driver,
        .donated = p->donated,
        .donated_count = p->donated_count,
        .output_inputs = p->output_inputs,
        .call = rt_call_program,
        .signature = p->signature,
    };
    rt_describe_devices(p, out);
    rt_describe_states(p, out);
}
