/* rt_custom.c - calls of operators that are the user's own. */
#include "rt_entry.h"

#include <string.h>

/* Where the model keeps the function of this name; NULL: the program has none of it. */
static fe_op_function **place_of(const fe_model *model, const char *name)
{
    const rt_program *program = model ? model->program : NULL;
    for (uint32_t k = 0; program && k < program->op_count; k++)
        if (strcmp(program->ops[k], name) == 0) return &model->ops[k];
    return NULL;
}

int rt_set_op(fe_model *model, const char *name, fe_op_function *function)
{
    fe_op_function **place = place_of(model, name);
    if (!place) return FE_RUN_BAD_INPUT;
    *place = function;
    return 0;
}

int rt_custom(rt_frame *frame, const char *name, fe_op_function *function, const fe_arg *args,
              uint32_t arg_count, const fe_tensor *results, uint32_t result_count)
{
    char error[256] = "";
    fe_op_call call = {.args = args,
                       .arg_count = arg_count,
                       .results = results,
                       .result_count = result_count,
                       .error = error,
                       .error_bytes = sizeof error};
    if (!function) {
        fe_op_function **place = place_of(frame->context->model, name);
        if (place) function = *place;
    }
    if (!function)
        return rt_fail(frame, FE_RUN_ASSERTION,
                       "%s: nobody has given the function of this operator (fe_artifact.set_op)",
                       name);
    if (function(&call) == 0) return FE_RUN_OK;
    error[sizeof error - 1] = '\0';
    return rt_fail(frame, FE_RUN_ASSERTION, "%s: %s", name, error[0] ? error : "failed");
}
