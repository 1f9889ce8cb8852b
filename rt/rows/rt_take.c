/* rt_take.c - inputs that are taken of others: the storage that a tensor lies in, and where in it the tensor
 * begins.
 */
#include "rt_entry.h"

#include <string.h>

int rt_is_taken_of(const rt_program *program, uint32_t k, uint32_t of)
{
    uint32_t given = program->input_count - program->taken_count;
    return k >= given && program->taken[k - given].of == of;
}

/* Elements from the first to behind the last. */
static int64_t reach_of(const fe_tensor *t)
{
    int64_t reach = 1;
    for (uint32_t d = 0; d < t->rank; d++) {
        if (t->sizes[d] == 0) return 0;
        int64_t step = rt_stride(t, d);
        reach = fe_plus(reach, step > 0 ? fe_times(t->sizes[d] - 1, step) : 0);
    }
    return reach;
}

static int storage_of(rt_frame *f, uint32_t input, fe_storage *out)
{
    const fe_tensor *t = &f->context->all[input];
    const fe_storage none = {0, 0};
    int64_t reach = reach_of(t);
    *out = f->context->call->storages ? f->context->call->storages[input] : none;
    if (out->start >= 0 && out->elements == 0) out->elements = fe_plus(out->start, reach);
    if (out->start >= 0 && fe_plus(out->start, reach) <= out->elements) return 0;
    return rt_fail(
        f, FE_RUN_BAD_INPUT,
        "input '%s' begins at element %lld of its storage, which has %lld, and reaches over %lld",
        f->context->model->program->inputs[input].name, (long long)out->start,
        (long long)out->elements, (long long)reach);
}

int rt_take_inputs(rt_frame *f)
{
    const rt_program *program = f->context->model->program;
    uint32_t given = program->input_count - program->taken_count;
    fe_tensor *all = f->context->all;
    memcpy(all, f->in, given * sizeof *all);
    f->in = all;
    for (uint32_t k = 0; k < program->taken_count; k++) {
        const rt_taken *taken = &program->taken[k];
        const fe_tensor *of = &all[taken->of];
        int64_t *told = f->context->told + (size_t)k * RT_TOLD;
        fe_storage storage;
        RT_TRY(storage_of(f, taken->of, &storage));
        told[0] = taken->is_start ? storage.start : storage.elements;
        told[1] = 1;
        if (taken->is_start)
            all[given + k] = (fe_tensor){told, FE_I64, 0, NULL, NULL};
        else
            all[given + k] = (fe_tensor){
                of->data ? (char *)of->data - storage.start * (int64_t)rt_dtype_bytes(of->dtype)
                         : NULL,
                of->dtype, 1, told, told + 1};
        f->inputs[given + k] = all[given + k].data;
    }
    return 0;
}
