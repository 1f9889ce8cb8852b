/* device.c -- the lines of several devices, run in this process. */
#include "exec/exec_priv.h"

#include "../rt/rt_device.h"

#include <string.h>

static const exec_module *module_of(const exec_program *x, ty_device device)
{
    for (uint32_t k = 0; k < x->facts.module_count; k++)
        if (strcmp(x->facts.modules[k].kind, ty_device_words[device.kind]) == 0)
            return &x->facts.modules[k];
    return NULL;
}

/* ferrite's own; those of others are given (fe_artifact.set_driver). */
static const fe_device_driver *driver_of(const char *kind)
{
    static const struct {
        const char *kind;
        const fe_device_driver *driver;
    } OWN[] = {
#define TARGET(...)
#define DRIVER(name) &name
#define GIVEN NULL
#define DEVICE(kind, dialect, driver, f64, parameters, ...) {kind, driver},
#include "target/target.def"
#undef TARGET
#undef DRIVER
#undef GIVEN
#undef DEVICE
    };
    for (size_t i = 0; i < COUNT_OF(OWN); i++)
        if (strcmp(OWN[i].kind, kind) == 0) return OWN[i].driver;
    return NULL;
}

static const uint32_t *places(const exec_program *x, uint32_t count,
                              uint32_t (*place)(const wrap_program *w, uint32_t k))
{
    uint32_t *numbers = NEW_ARRAY(x->memory, uint32_t, count + 1);
    for (uint32_t k = 0; k < count; k++) numbers[k] = place(x->w, k);
    return numbers;
}

typedef struct check_list {
    rt_check *at;
    uint32_t count;
} check_list;

static void add_check(void *data, const wrap_check_row *check)
{
    check_list *list = data;
    if (list->at) list->at[list->count] = (rt_check){check->dimension, check->wraps, check->where};
    list->count++;
}

static const rt_check *all_checks(const exec_program *x)
{
    check_list list = {0};
    wrap_each_device_check(x->w, add_check, &list);
    list = (check_list){.at = NEW_ARRAY(x->memory, rt_check, list.count + 1)};
    wrap_each_device_check(x->w, add_check, &list);
    return list.at;
}

void exec_make_devices(exec_program *x)
{
    uint32_t count = x->w->devices.count;
    if (!count) return;
    rt_device *devices = NEW_ARRAY(x->memory, rt_device, count);
    for (uint32_t k = 0; k < count; k++) {
        ty_device device = x->w->devices.at[k];
        const exec_module *m = module_of(x, device);
        text name;
        text_init(&name, x->memory);
        ty_print_device(device, &name);
        devices[k] = (rt_device){
            .name = name.at, .kind = ty_device_words[device.kind], .index = device.index};
        devices[k].driver = driver_of(devices[k].kind);
        if (m) devices[k].code = m->code;
    }
    const char **names = NEW_ARRAY(x->memory, const char *, count);
    for (uint32_t k = 0; k < count; k++) names[k] = devices[k].name;
    x->program.device_names = names;
    if (wrap_has_inputs_elsewhere(x->w))
        x->program.input_devices = places(x, x->w->loops->inputs.count, wrap_device_of_input);
    if (wrap_has_outputs_elsewhere(x->w))
        x->program.output_devices = places(x, x->w->loops->outputs.count, wrap_device_of_output);
    x->program.devices = devices;
    x->program.device_checks = all_checks(x);
    x->program.device_count = count;
    x->program.device_support = &rt_devices;
}

fe_status exec_find_device_kernel(exec_program *x, const wrap_call *call, exec_step *step)
{
    ty_device device = wrap_device_of_call(x->w, call);
    const exec_module *m = module_of(x, device);
    step->device = wrap_device_number(x->w, device);
    step->first_check = wrap_first_check(x->w, call);
    while (m && step->device_kernel < m->code.kernel_count &&
           strcmp(m->code.kernels[step->device_kernel].name, call->kernel) != 0)
        step->device_kernel++;
    if (m && step->device_kernel < m->code.kernel_count) return FE_OK;
    return diag_fail(x->w->session, (diag){.status = FE_UNSUPPORTED, .stage = "load"},
                     "kernel %s has no code for its device", call->kernel);
}

int exec_launch_on(exec_run *r, const wrap_call *call, const fe_kernel_args *args)
{
    bool checks = call->check_count > 0;
    fe_kernel_args own = {args->buffers, args->ints, checks ? args->fault : NULL};
    return rt_launch_on(r->f, r->step->device, r->step->device_kernel, &own, call->buffer_count,
                        call->int_count + checks,
                        exec_size(r, sym_is_none(call->tiles) ? call->outer : call->tiles),
                        call->split_inner ? exec_size(r, call->inner) : 1);
}

int exec_wait(exec_run *r, const wrap_line *line, uint32_t *next)
{
    (void)next;
    return rt_wait(r->f, r->buffers[line->buffer]);
}

static rt_queue queue_of(const wrap_line *line)
{
    return line->queue == WRAP_COPIES ? RT_COPIES : RT_KERNELS;
}

int exec_mark(exec_run *r, const wrap_line *line, uint32_t *next)
{
    (void)next;
    return rt_mark(r->f, wrap_device_number(r->w, line->device), queue_of(line), line->index);
}

int exec_after(exec_run *r, const wrap_line *line, uint32_t *next)
{
    (void)next;
    return rt_after(r->f, wrap_device_number(r->w, line->device), queue_of(line), line->index);
}

/* Each call names its device itself. */
int exec_device(exec_run *r, const wrap_line *line, uint32_t *next)
{
    (void)r, (void)line, (void)next;
    return 0;
}

int exec_copy(exec_run *r, const wrap_line *line, uint32_t *next)
{
    const loop_op *op = line->op;
    (void)next;
    const fe_tensor *from = exec_views(r, op->inputs, NULL, 1),
                    *to = exec_views(r, op->outputs, NULL, 1);
    /* who looks sees what is there */
    loop_buffer_id later =
        r->x->facts.observer_count ? LOOP_NO_BUFFER : wrap_waited_buffer(r->w, op);
    return rt_transfer(r->f, from, exec_device_of(r, op->inputs[0].buffer), to,
                       exec_device_of(r, op->outputs[0].buffer),
                       later == LOOP_NO_BUFFER ? NULL : r->buffers[later]);
}
