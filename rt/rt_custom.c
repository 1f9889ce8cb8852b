/* rt_custom.c - calls of operators that are the user's own. */
#include "rt_entry.h"

#include <stdlib.h>
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

/* ---- results whose sizes depend on data ---- */

static rt_kept *kept_of(fe_context *context, uint32_t key)
{
    for (uint32_t i = 0; i < context->kept_count; i++)
        if (context->kept[i].key == key) return &context->kept[i];
    return NULL;
}

static rt_kept *new_kept(fe_context *context, uint32_t key)
{
    size_t bytes = (context->kept_count + 1) * sizeof *context->kept;
    rt_kept *grown = realloc(context->kept, bytes);
    if (!grown) return NULL;
    context->kept = grown;
    grown += context->kept_count++;
    *grown = (rt_kept){.key = key};
    return grown;
}

void rt_kept_free(fe_context *context)
{
    for (uint32_t i = 0; i < context->kept_count; i++) rt_memory_free(context->kept[i].memory);
    free(context->kept);
}

size_t rt_kept_bytes(const fe_context *context)
{
    size_t sum = 0;
    for (uint32_t i = 0; i < context->kept_count; i++) sum += context->kept[i].room;
    return sum;
}

/* A call under way. */
typedef struct custom_run {
    rt_frame *frame;
    const fe_tensor *results; /* as the program has them */
    const rt_made *made;
    uint32_t made_count;
} custom_run;

/* Bytes of a tensor; SIZE_MAX: sizes that no memory has. */
static size_t bytes_of(const int64_t *sizes, uint32_t rank, uint32_t dtype)
{
    size_t bytes = rt_dtype_bytes(dtype), most = (size_t)1 << 47;
    int is_empty = 0;
    for (uint32_t d = 0; d < rank; d++) {
        if (sizes[d] < 0) return SIZE_MAX;
        is_empty |= sizes[d] == 0;
    }
    for (uint32_t d = 0; d < rank && !is_empty; d++) {
        if ((uint64_t)sizes[d] > most / bytes) return SIZE_MAX;
        bytes *= (size_t)sizes[d];
    }
    return is_empty ? 0 : bytes;
}

static void *allocate(const fe_op_call *call, uint32_t k, const int64_t *sizes)
{
    const custom_run *r = call->run;
    uint32_t i = 0;
    while (i < r->made_count && r->made[i].result != k) i++;
    rt_kept *kept = i < r->made_count ? kept_of(r->frame->context, r->made[i].key) : NULL;
    if (!kept) return NULL;
    size_t bytes = bytes_of(sizes, kept->rank, kept->dtype);
    if (bytes == SIZE_MAX) return NULL;
    if (bytes >= kept->room) {
        rt_memory_free(kept->memory);
        kept->memory = rt_memory_new(bytes + 1);
        kept->room = kept->memory ? bytes + 1 : 0;
    }
    kept->is_made = kept->memory != NULL;
    memcpy(kept->sizes, sizes, kept->rank * sizeof *sizes);
    memcpy(r->results[k].data, sizes, kept->rank * sizeof *sizes);
    return kept->memory;
}

/* Results as the function sees them: nothing where it makes the memory. */
static int show_results(custom_run *r, fe_tensor *shown, uint32_t count)
{
    memcpy(shown, r->results, count * sizeof *shown);
    for (uint32_t i = 0; i < r->made_count; i++) {
        const rt_made *m = &r->made[i];
        rt_kept *kept = kept_of(r->frame->context, m->key);
        if (!kept) kept = new_kept(r->frame->context, m->key);
        if (!kept) return FE_RUN_NO_MEMORY;
        kept->is_made = 0;
        kept->dtype = m->dtype;
        kept->rank = (uint32_t)r->results[m->result].sizes[0];
        shown[m->result] = (fe_tensor){.dtype = m->dtype, .rank = kept->rank};
    }
    return FE_RUN_OK;
}

static int check_made(const custom_run *r, const char *name)
{
    for (uint32_t i = 0; i < r->made_count; i++)
        if (!kept_of(r->frame->context, r->made[i].key)->is_made)
            return rt_fail(r->frame, FE_RUN_ASSERTION,
                           "%s: it has no memory for result %u (fe_op_call.allocate)", name,
                           r->made[i].result);
    return FE_RUN_OK;
}

int rt_op_take(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *to = &call->out[0];
    const rt_kept *kept = kept_of(frame->context, (uint32_t)call->ints[RT_TAKE_KEY]);
    size_t bytes = bytes_of(to->sizes, to->rank, to->dtype);
    if (!kept || !kept->is_made || bytes_of(kept->sizes, kept->rank, kept->dtype) != bytes)
        return rt_fail(frame, FE_RUN_ASSERTION, "a result of an operator is not there");
    if (bytes) memcpy(to->data, kept->memory, bytes);
    return FE_RUN_OK;
}

/* ---- calls ---- */

static int call_function(custom_run *r, const char *name, fe_op_function *function,
                         fe_op_call *call)
{
    char error[256] = "";
    call->error = error;
    call->error_bytes = sizeof error;
    call->allocate = allocate;
    call->run = r;
    if (function(call) == 0) return check_made(r, name);
    error[sizeof error - 1] = '\0';
    return rt_fail(r->frame, FE_RUN_ASSERTION, "%s: %s", name, error[0] ? error : "failed");
}

/* With what the function makes itself. */
static int call_maker(custom_run *r, const char *name, fe_op_function *function, fe_op_call *call)
{
    enum { FEW = 16 };
    fe_tensor few[FEW],
        *shown = call->result_count <= FEW ? few : malloc(call->result_count * sizeof *shown);
    int code = shown ? show_results(r, shown, call->result_count) : FE_RUN_NO_MEMORY;
    call->results = shown;
    if (code == FE_RUN_OK)
        code = call_function(r, name, function, call);
    else
        rt_fail(r->frame, code, "%s: there is not enough memory", name);
    if (shown != few) free(shown);
    return code;
}

int rt_custom(rt_frame *frame, const char *name, fe_op_function *function, const fe_arg *args,
              uint32_t arg_count, const fe_tensor *results, uint32_t result_count,
              const rt_made *made, uint32_t made_count)
{
    custom_run run = {frame, results, made, made_count};
    fe_op_call call = {
        .args = args, .arg_count = arg_count, .results = results, .result_count = result_count};
    if (!function) {
        fe_op_function **place = place_of(frame->context->model, name);
        if (place) function = *place;
    }
    if (!function)
        return rt_fail(frame, FE_RUN_ASSERTION,
                       "%s: nobody has given the function of this operator (fe_artifact.set_op)",
                       name);
    return made_count ? call_maker(&run, name, function, &call)
                      : call_function(&run, name, function, &call);
}
