/* c_device.c -- devices other than the host in C: their kernels, launches and copies. */
#include "emit/c.h"

#include "target/target.h"

#include <string.h>

/* ---- which there are, and their kernels ---- */

static const emit_module *module_of(const emit_state *s, ty_device device)
{
    for (uint32_t k = 0; k < s->input->module_count; k++)
        if (strcmp(s->input->modules[k].kind, ty_device_words[device.kind]) == 0)
            return &s->input->modules[k];
    return NULL;
}

static void print_source(emit_state *s, const char *source)
{
    for (const char *line = source; *line;) {
        const char *end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) : strlen(line);
        text_add(&s->out, "    ");
        emit_c_text(&s->out, arena_printf(s->memory, "%.*s\n", (int)length, line));
        text_char(&s->out, '\n');
        line += end ? length + 1 : length;
    }
}

static void print_image(emit_state *s, const char *kind, uint32_t number, const emit_image *image)
{
    enum { IN_LINE = 24 };
    text_printf(&s->out, "/* of %s */\nstatic const _Alignas(16) unsigned char %s_image_%u[] = {",
                image->architecture, kind, number);
    for (size_t i = 0; i < image->bytes; i++)
        text_printf(&s->out, "%s%u,", i % IN_LINE ? "" : "\n    ", image->data[i]);
    text_add(&s->out, "\n};\n");
}

static void print_images(emit_state *s, const emit_module *m)
{
    if (!m->image_count) return;
    for (uint32_t k = 0; k < m->image_count; k++) print_image(s, m->kind, k, &m->images[k]);
    text_printf(&s->out, "static const fe_device_image %s_images[] = {\n", m->kind);
    for (uint32_t k = 0; k < m->image_count; k++)
        text_printf(&s->out, "    {\"%s\", %s_image_%u, sizeof %s_image_%u},\n",
                    m->images[k].architecture, m->kind, k, m->kind, k);
    text_add(&s->out, "};\n\n");
}

static void print_module(emit_state *s, const emit_module *m)
{
    text_printf(&s->out, "/* Kernels of %s. */\nstatic const char %s_source[] =\n", m->kind,
                m->kind);
    print_source(s, m->source);
    text_printf(&s->out, "    \"\";\nstatic const fe_device_kernel %s_kernels[] = {\n", m->kind);
    for (uint32_t k = 0; k < m->kernel_count; k++)
        text_printf(&s->out, "    {\"%s\", %u, %u},\n", m->kernels[k].name,
                    m->kernels[k].buffer_count, m->kernels[k].int_count);
    text_printf(&s->out, "};\nstatic const uint32_t %s_groups[] = {", m->kind);
    for (uint32_t k = 0; k < m->kernel_count; k++)
        text_printf(&s->out, "%u, ", m->kernels[k].group_size);
    text_add(&s->out, "};\n\n");
    print_images(s, m);
}

static const char *device_name(const emit_state *s, uint32_t k)
{
    text name;
    text_init(&name, s->memory);
    ty_print_device(s->w->devices.at[k], &name);
    return name.at;
}

/* Where each input, or output, is; all are on the host where nothing is said. */
static void print_places(emit_state *s, const char *table, uint32_t count,
                         uint32_t (*place)(const wrap_program *w, uint32_t k))
{
    bool any = false;
    for (uint32_t k = 0; k < count; k++) any |= place(s->w, k) != 0;
    if (!any) return;
    text_printf(&s->out, "static const uint32_t %s[] = {", table);
    for (uint32_t k = 0; k < count; k++) text_printf(&s->out, "%u, ", place(s->w, k));
    text_add(&s->out, "};\n");
}

static void print_check(void *data, const wrap_check_row *check)
{
    emit_state *s = data;
    text_add(&s->out, "    ");
    emit_c_check(s, check);
    text_add(&s->out, ",\n");
}

void emit_c_devices(emit_state *s)
{
    if (!s->w->devices.count) return;
    for (uint32_t k = 0; k < s->input->module_count; k++) print_module(s, &s->input->modules[k]);
    text_add(&s->out, "static const rt_device device_table[] = {\n");
    for (uint32_t k = 0; k < s->w->devices.count; k++) {
        ty_device device = s->w->devices.at[k];
        const emit_module *m = module_of(s, device);
        const char *kind = ty_device_words[device.kind];
        text_printf(&s->out, "    {\"%s\", \"%s\", %d, ", device_name(s, k), kind, device.index);
        const target_machine *target = target_of_device(kind);
        text_printf(&s->out, target && target->driver ? "&%s, {" : "0, {",
                    target ? target->driver : NULL);
        if (m)
            text_printf(&s->out, "%s_source, sizeof %s_source - 1, %s_kernels, %u, %d, %s_groups",
                        kind, kind, kind, m->kernel_count, m->needs_f64, kind);
        else
            text_add(&s->out, "\"\", 0, 0, 0, 0, 0");
        if (m && m->image_count)
            text_printf(&s->out, ", %s_images, %u", kind, m->image_count);
        else
            text_add(&s->out, ", 0, 0");
        text_add(&s->out, "}},\n");
    }
    text_add(&s->out, "};\nstatic const char *const device_names[] = {");
    for (uint32_t k = 0; k < s->w->devices.count; k++)
        text_printf(&s->out, "\"%s\", ", device_name(s, k));
    text_add(&s->out, "};\n");
    text_add(&s->out, "static const rt_check device_checks[] = {\n");
    wrap_each_device_check(s->w, print_check, s);
    text_add(&s->out, "    {0, 0, 0}};\n");
    print_places(s, "input_devices", s->w->loops->inputs.count, wrap_device_of_input);
    print_places(s, "output_devices", s->w->loops->outputs.count, wrap_device_of_output);
    text_char(&s->out, '\n');
}

void emit_c_device_fields(emit_state *s)
{
    if (!s->w->devices.count) return;
    text_printf(&s->out,
                "    .devices = device_table,\n    .device_names = device_names,\n"
                "    .device_checks = device_checks,\n"
                "    .device_count = %u,\n    .device_support = &rt_devices,\n",
                s->w->devices.count);
    if (wrap_has_inputs_elsewhere(s->w)) text_add(&s->out, "    .input_devices = input_devices,\n");
    if (wrap_has_outputs_elsewhere(s->w))
        text_add(&s->out, "    .output_devices = output_devices,\n");
}

/* ---- lines ---- */

static uint32_t kernel_number(const emit_module *m, const char *name)
{
    for (uint32_t k = 0; m && k < m->kernel_count; k++)
        if (strcmp(m->kernels[k].name, name) == 0) return k;
    return 0; /* of a wrapper that came as text */
}

bool emit_c_is_elsewhere(const emit_state *s, const wrap_call *call)
{
    return !ty_is_host(wrap_device_of_call(s->w, call));
}

void emit_c_launch_on(emit_state *s, const wrap_call *call)
{
    ty_device device = wrap_device_of_call(s->w, call);
    text_printf(&s->out, "    RT_TRY(rt_launch_on(f, %u, %u /* %s */, ",
                wrap_device_number(s->w, device), kernel_number(module_of(s, device), call->kernel),
                call->kernel);
    emit_c_kernel_args(s, call);
    text_printf(&s->out, ", %u, %u, ", call->buffer_count,
                call->int_count + (call->check_count > 0));
    sym_print_c(s->w->loops->symbols, sym_is_none(call->tiles) ? call->outer : call->tiles,
                &s->out);
    text_add(&s->out, ", ");
    if (call->split_inner)
        sym_print_c(s->w->loops->symbols, call->inner, &s->out);
    else
        text_char(&s->out, '1');
    text_add(&s->out, "));\n");
}

uint32_t emit_c_device_of(const emit_state *s, const loop_view *view)
{
    return wrap_device_number(s->w, s->w->loops->buffers.at[view->buffer].device);
}

/* Each call names its device itself. */
void emit_c_device(emit_state *s, const wrap_line *line)
{
    text device;
    text_init(&device, s->memory);
    ty_print_device(ty_is_host(line->device) ? TY_HOST : line->device, &device);
    text_printf(&s->out, "    /* on %s */\n", device.at);
}

void emit_c_copy(emit_state *s, const wrap_line *line)
{
    const loop_view *views[] = {&line->op->inputs[0], &line->op->outputs[0]};
    emit_c_step(s);
    text_add(&s->out, "    RT_TRY(rt_transfer(f");
    for (int k = 0; k < 2; k++) {
        text_add(&s->out, ", &(fe_tensor)");
        emit_c_view(s, views[k]);
        text_printf(&s->out, ", %u", emit_c_device_of(s, views[k]));
    }
    text_add(&s->out, ", ");
    emit_c_pointer(s, wrap_waited_buffer(s->w, line->op));
    text_add(&s->out, "));\n");
}

static void emit_queue(emit_state *s, const wrap_line *line, const char *function)
{
    text_printf(&s->out, "    RT_TRY(%s(f, %u, %s, %u));\n", function,
                wrap_device_number(s->w, line->device),
                line->queue == WRAP_COPIES ? "RT_COPIES" : "RT_KERNELS", line->index);
}

void emit_c_mark(emit_state *s, const wrap_line *line)
{
    emit_queue(s, line, "rt_mark");
}

void emit_c_after(emit_state *s, const wrap_line *line)
{
    emit_queue(s, line, "rt_after");
}

void emit_c_wait(emit_state *s, const wrap_line *line)
{
    text_add(&s->out, "    RT_TRY(rt_wait(f, ");
    emit_c_pointer(s, line->buffer);
    text_add(&s->out, "));\n");
}
