/* rt_elsewhere.c - memory of devices as the caller has it: inputs, outputs and states that are there. */
#include "rt_entry.h"

#include <stdlib.h>
#include <string.h>

const char *rt_device_name(const rt_program *program, uint32_t device)
{
    return device ? program->device_names[device - 1] : "the host";
}

/* ---- memory ---- */

static const rt_device_support *support_of(const fe_context *context)
{
    return context->model->program->device_support;
}

void *rt_memory_on(const fe_context *context, uint32_t device, size_t bytes)
{
    return device ? support_of(context)->memory_new(context, device, 0, bytes)
                  : rt_memory_new(bytes);
}

void rt_memory_off(const fe_context *context, uint32_t device, void *memory)
{
    if (device)
        support_of(context)->memory_free(context, device, 0, memory);
    else
        rt_memory_free(memory);
}

int rt_move(rt_frame *frame, uint32_t from_device, const void *from, uint32_t to_device, void *to,
            size_t bytes)
{
    if (bytes == 0) return 0;
    if (from_device || to_device)
        return support_of(frame->context)->move(frame, from_device, from, to_device, to, bytes);
    memcpy(to, from, bytes);
    return 0;
}

int rt_is_on(const fe_context *context, uint32_t device, const void *address)
{
    const rt_device_support *support = support_of(context);
    if (device) return support->owns(context, device, address, 1);
    for (uint32_t k = 1; support && k <= context->model->program->device_count; k++)
        if (support->owns(context, k, address, 0)) return 0;
    return 1;
}

int rt_check_place(rt_frame *f, uint32_t device, const void *data, int code, const char *what,
                   const char *name)
{
    const rt_program *program = f->context->model->program;
    if (!data || rt_is_on(f->context, device, data)) return 0;
    if (!device)
        return rt_fail(f, code, "%s '%s' is on the host, and what is given is memory of a device",
                       what, name);
    return rt_fail(f, code,
                   "%s '%s' is on %s, and what is given is no memory of that device "
                   "(fe_artifact.device_new, device_write)",
                   what, name, rt_device_name(program, device));
}

/* ---- the caller's ---- */

static int check_device(rt_frame *f, uint32_t device)
{
    const rt_program *program = f->context->model->program;
    f->context->error[0] = 0;
    if (device > 0 && device <= program->device_count) return 0;
    return rt_fail(f, FE_RUN_BAD_INPUT, "%s has no device %u", program->name, device);
}

static int device_new(fe_context *context, uint32_t device, int64_t bytes, void **out)
{
    rt_frame frame = {.context = context};
    *out = NULL;
    RT_TRY(check_device(&frame, device));
    *out = rt_memory_on(context, device, bytes > 0 ? (size_t)bytes : 1);
    return *out ? 0 : FE_RUN_NO_MEMORY;
}

static void device_free(fe_context *context, uint32_t device, void *address)
{
    if (address && device > 0 && device <= context->model->program->device_count)
        rt_memory_off(context, device, address);
}

static int device_write(fe_context *context, uint32_t device, void *address, const void *memory,
                        int64_t bytes)
{
    rt_frame frame = {.context = context};
    RT_TRY(check_device(&frame, device));
    return bytes > 0 ? rt_move(&frame, 0, memory, device, address, (size_t)bytes) : 0;
}

static int device_read(fe_context *context, uint32_t device, void *memory, const void *address,
                       int64_t bytes)
{
    rt_frame frame = {.context = context};
    RT_TRY(check_device(&frame, device));
    return bytes > 0 ? rt_move(&frame, device, address, 0, memory, (size_t)bytes) : 0;
}

void rt_describe_devices(const rt_program *p, fe_artifact *out)
{
    out->devices = p->device_names;
    out->device_count = p->device_count;
    out->input_devices = p->input_devices;
    out->output_devices = p->output_devices;
    out->device_new = device_new;
    out->device_free = device_free;
    out->device_write = device_write;
    out->device_read = device_read;
}
