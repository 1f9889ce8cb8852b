/* rt_part.c - parts of a program that somebody else runs: a captured graph, another device. */
#include "rt_entry.h"

#include <stdio.h>
#include <stdlib.h>

int rt_replace_part(fe_context *context, uint32_t part, fe_part_run *run, void *data)
{
    const rt_program *program = context->model->program;
    if (part >= program->part_count || !program->parts[part].can_be_replaced) {
        snprintf(context->error, RT_ERROR_BYTES, "%s has no part %u%s", program->name, part,
                 part < program->part_count ? " that can be replaced" : "");
        return FE_RUN_BAD_INPUT;
    }
    if (!context->replacements)
        context->replacements = calloc(program->part_count, sizeof *context->replacements);
    if (!context->replacements) return FE_RUN_NO_MEMORY;
    context->replacements[part] = (rt_replacement){run, data};
    return 0;
}

int rt_is_replaced(const rt_frame *frame, uint32_t part)
{
    const rt_replacement *replacements = frame->context->replacements;
    return replacements && replacements[part].run;
}

int rt_run_replacement(rt_frame *frame, uint32_t part, const fe_tensor *inputs, fe_tensor *outputs,
                       const int64_t *symbols)
{
    const rt_replacement *by = &frame->context->replacements[part];
    int code = by->run(by->data, inputs, outputs, symbols);
    if (code == 0) return 0;
    return rt_fail(frame, code, "what runs in place of part %u, '%s', failed", part,
                   frame->context->model->program->parts[part].name);
}
