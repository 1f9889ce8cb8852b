/* stage_text.c -- any stage as text, from an archive or from the text of an earlier stage. */
#include "driver/report/plan_view.h"
#include "driver/tune/tune.h"

#include <string.h>

static void show_fx(driver_program *d, text *out)
{
    fx_print(d->graph, out);
}

static void show_loop(driver_program *d, text *out)
{
    loop_print(d->loops, out);
}

static void show_sched(driver_program *d, text *out)
{
    sched_print(d->schedule, out);
}

static plan_view planned(driver_program *d)
{
    plan_view view;
    if (plan_view_of(d, d->memory, &view) != FE_OK)
        BUG(d->session, "a plan that was made cannot be made again");
    return view;
}

static void show_plan(driver_program *d, text *out)
{
    plan_view view = planned(d);
    plan_view_text(&view, out);
}

static void show_plot(driver_program *d, text *out)
{
    plan_view view = planned(d);
    plan_view_svg(&view, out);
}

static void show_wrap(driver_program *d, text *out)
{
    wrap_print(d->wrapper, out);
}

static void show_kern(driver_program *d, text *out)
{
    kern_print(d->kernels, out);
}

static void show_legal(driver_program *d, text *out)
{
    kern_print_legal(d->kernels, out);
}

/* As the compilers of devices get them. */
static void show_device(driver_program *d, text *out)
{
    uint32_t count;
    const emit_module *modules = driver_modules(d, &count);
    for (uint32_t k = 0; k < count; k++)
        text_printf(out, "/* ---- kernels of %s ---- */\n%s\n", modules[k].kind, modules[k].source);
}

static void show_c(driver_program *d, text *out)
{
    for (uint32_t i = 0; i < d->whole.file_count; i++)
        text_printf(out, "/* ---- %s ---- */\n%s\n", d->whole.files[i].name,
                    d->whole.files[i].text);
}

static void show_target(driver_program *d, const emit_target *target, text *out)
{
    emit_input input;
    emit_file *files;
    uint32_t count;
    driver_emit_input(d, &input);
    if (emit_program(target, &input, d->memory, &files, &count) != FE_OK)
        BUG(d->session, "what is printed as C cannot be printed as %s", target->name);
    text_add_n(out, files[0].text, files[0].length);
}

static void show_python(driver_program *d, text *out)
{
    show_target(d, &emit_target_python, out);
}

static void show_graph(driver_program *d, text *out)
{
    show_target(d, &emit_target_fx, out);
}

const stage_row stage_table[] = {
    {"read", STAGE_READ, show_fx},
    {"fx", STAGE_PASS, show_fx},
    {"loop", STAGE_LOWER, show_loop},
    {"sched", STAGE_SCHED, show_sched},
    {"plan", STAGE_WRAP, show_plan},
    {"plot", STAGE_WRAP, show_plot},
    {"wrap", STAGE_WRAP, show_wrap},
    {"kern", STAGE_KERN, show_kern},
    {"legal", STAGE_KERN, show_legal},
    {"variants", STAGE_KERN, tune_print},
    {"device", STAGE_KERN, show_device},
    {"c", STAGE_EMIT, show_c},
    {"python", STAGE_WRAP, show_python},
    {"graph", STAGE_WRAP, show_graph},
    {"provenance", STAGE_WRAP, provenance_print},
};

const uint32_t stage_count = COUNT_OF(stage_table);

fe_status driver_find_stage(fe_session *s, const char *name, const stage_row **out)
{
    const char *names[COUNT_OF(stage_table)];
    text list;
    text_init(&list, s->memory);
    for (uint32_t i = 0; i < stage_count; i++) {
        *out = &stage_table[i];
        if (strcmp(stage_table[i].name, name) == 0) return FE_OK;
        names[i] = stage_table[i].name;
        text_printf(&list, "%s%s", i ? ", " : "", names[i]);
    }
    const char *meant = nearest_name(name, names, stage_count);
    diag d = {.status = FE_USAGE, .stage = "inspect"};
    if (meant) d.help = arena_printf(s->memory, "did you mean '%s'?", meant);
    return diag_fail(s, d, "there is no stage '%s'; there are %s", name, list.at);
}

fe_status driver_inspect(fe_session *s, const driver_options *o, const char *stage, arena *memory,
                         driver_program **program, text *out)
{
    const stage_row *row;
    FE_TRY(driver_find_stage(s, stage, &row));
    /* variants are chosen when there are kernels */
    driver_stage last = o->tune && row->show == show_sched ? STAGE_KERN : row->last;
    FE_TRY(driver_compile(s, o, last, memory, program));
    if (row->show == show_plan || row->show == show_plot) FE_TRY(plan_sizes_set(*program));
    row->show(*program, out);
    return FE_OK;
}
