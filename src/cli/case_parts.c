/* case_parts.c -- the parts of a case's program, each in turn run by somebody else: by itself, compiled
 * alone and interpreted. What the whole gives then has to be what was recorded.
 */
#define _GNU_SOURCE
#include "cli/case.h"

#include "cli/compare.h"

#include <stdio.h>
#include <string.h>

/* A part as a program of its own. */
struct case_part {
    driver_program *whole, *alone;
    uint32_t number;
    fe_context *context;
};

static fe_status refuse(const case_part *p, const char *why)
{
    const char *name = p->whole->loaded.artifact->parts[p->number].name;
    return compare_mismatch(p->whole, why,
                            arena_printf(p->whole->memory, "part %u, '%s'", p->number, name));
}

/* Symbols come first among the inputs, then what the part reads and changes; outputs are the same. */
static fe_status check_ports(const case_part *p)
{
    const fe_artifact *a = p->alone->loaded.artifact;
    const fe_part *part = &p->whole->loaded.artifact->parts[p->number];
    if (a->input_count != part->symbol_count + part->input_count)
        return refuse(p, "alone it has other inputs than in the whole");
    if (a->output_count != part->output_count)
        return refuse(p, "alone it has other outputs than in the whole");
    for (uint32_t k = 0; k < part->input_count; k++)
        if (strcmp(a->inputs[part->symbol_count + k].name, part->inputs[k].name) != 0)
            return refuse(p, "alone an input has another name than in the whole");
    return FE_OK;
}

static fe_status compile_alone(case_part *p, bool interpreted)
{
    driver_options options = p->whole->options;
    arena *memory = arena_new(p->whole->session);
    options.part = arena_printf(memory, "%u", p->number);
    if (interpreted) options.target = "process";
    FE_TRY(driver_compile(p->whole->session, &options, STAGE_EMIT, memory, &p->alone));
    p->alone->options.no_cc |= interpreted; /* what is computed of constants is so in both */
    return driver_load(p->alone);
}

/* What no process can interpret is compiled as the whole was. */
static fe_status open_alone(case_part *p)
{
    fe_status status = compile_alone(p, true);
    if (status == FE_UNSUPPORTED && !p->whole->options.no_cc) {
        diag_clear(p->whole->session);
        driver_close(p->alone);
        p->alone = NULL;
        status = compile_alone(p, false);
    }
    FE_TRY(status);
    FE_TRY(check_ports(p));
    const loaded_program *loaded = &p->alone->loaded;
    if (loaded->artifact->context_new(loaded->model, 1, &p->context) == FE_RUN_OK) return FE_OK;
    return refuse(p, "no memory for it");
}

static int run_alone(void *data, const fe_tensor *inputs, fe_tensor *outputs,
                     const int64_t *symbols)
{
    const case_part *p = data;
    const fe_artifact *a = p->alone->loaded.artifact;
    const fe_part *part = &p->whole->loaded.artifact->parts[p->number];
    arena *memory = arena_new(p->whole->session);
    fe_tensor *all = NEW_ARRAY(memory, fe_tensor, a->input_count + 1);
    for (uint32_t k = 0; k < part->symbol_count; k++)
        all[k] =
            (fe_tensor){.data = arena_copy(memory, &symbols[k], sizeof *symbols), .dtype = FE_I64};
    for (uint32_t k = 0; k < part->input_count; k++) all[part->symbol_count + k] = inputs[k];
    int code = a->run(p->context, all, a->input_count, outputs, a->output_count);
    if (code) fprintf(stderr, "part %u alone: %s\n", p->number, a->error(p->context));
    arena_free(memory);
    return code;
}

fe_status case_replace(case_job *job)
{
    const case_part *p = job->replaced;
    if (!p) return FE_OK;
    int code =
        p->whole->loaded.artifact->replace_part(job->context, p->number, run_alone, job->replaced);
    return code ? refuse(p, "it cannot be replaced") : FE_OK;
}

static void close_alone(case_job *job, case_part *p)
{
    if (p->context) p->alone->loaded.artifact->context_free(p->context);
    driver_close(p->alone);
    if (job->context) p->whole->loaded.artifact->context_free(job->context);
    job->context = NULL;
    job->replaced = NULL;
}

fe_status case_each_part(case_job *job, fe_status (*run)(case_job *job, void *data), void *data)
{
    const fe_artifact *a = job->program->loaded.artifact;
    fe_status status = FE_OK;
    for (uint32_t k = 0; k < a->part_count && status == FE_OK; k++) {
        case_part p = {.whole = job->program, .number = k};
        if (!a->parts[k].can_be_replaced) continue;
        if (job->context) a->context_free(job->context);
        job->context = NULL;
        job->replaced = &p;
        status = open_alone(&p);
        if (status == FE_OK) status = run(job, data);
        close_alone(job, &p);
    }
    return status;
}
