/* rt_custom.c - calls of operators that are the user's own. */
#include "rt_program.h"

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
    if (function(&call) == 0) return FE_RUN_OK;
    error[sizeof error - 1] = '\0';
    return rt_fail(frame, FE_RUN_ASSERTION, "%s: %s", name, error[0] ? error : "failed");
}
