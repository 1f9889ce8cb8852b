/* compile.c -- the story from archive to generated text: one stage a line. */
#define _GNU_SOURCE
#include "driver/tune/tune.h"

#include "infer/infer.h"

#include "../rt/rt_fourier_need.h"

#include <string.h>
#include <unistd.h>

const char *const driver_stage_names[STAGE_COUNT] = {
    [STAGE_READ] = "read",       [STAGE_INFER] = "infer", [STAGE_PASS] = "pass",
    [STAGE_LOWER] = "lower",     [STAGE_SCHED] = "sched", [STAGE_KERN] = "kern",
    [STAGE_WRAP] = "wrap",       [STAGE_EMIT] = "emit",   [STAGE_CC] = "cc",
    [STAGE_WEIGHTS] = "weights",
};

/* "dir/bert-base.pt2" -> "bert_base" */
static const char *program_name(arena *memory, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *stem = arena_strdup(memory, slash ? slash + 1 : path);
    char *dot = strrchr(stem, '.');
    if (dot && dot != stem) *dot = 0;
    if (strcmp(stem, "-") == 0) return "stdin";
    return emit_identifier(memory, stem);
}

static bool is_text(const char *path)
{
    size_t length = strlen(path);
    return strcmp(path, "-") == 0 || (length > 3 && strcmp(path + length - 3, ".fx") == 0);
}

static fe_status stage_read(driver_program *d)
{
    const driver_options *o = &d->options;
    FE_TRY(o->bytes ? pt2_open_memory(d->session, o->input, o->bytes, o->size, &d->archive)
                    : pt2_open(d->session, o->input, &d->archive));
    if (d->ops) pt2_use_ops(d->archive, d->ops);
    return pt2_read(d->session, d->archive, d->options.model, d->memory, &d->graph);
}

/* ---- programs that begin as the text of a stage ---- */

static fe_status read_fx(driver_program *d, const char *source, size_t length)
{
    FE_TRY(fx_parse_with(d->session, d->memory, d->ops, source, length, &d->graph));
    return give_constants(d);
}

static fe_status read_loop(driver_program *d, const char *source, size_t length)
{
    FE_TRY(loop_parse(d->session, d->memory, source, length, &d->loops));
    d->name = d->loops->name;
    FE_TRY(loop_check(d->loops, "reading"));
    return donate_inputs(d);
}

static fe_status read_sched(driver_program *d, const char *source, size_t length)
{
    FE_TRY(sched_parse(d->session, d->memory, source, length, &d->schedule));
    d->loops = d->schedule->program;
    d->name = d->loops->name;
    FE_TRY(loop_check(d->loops, "reading"));
    FE_TRY(donate_is_late(d));
    return sched_check(d->schedule);
}

static fe_status read_wrap(driver_program *d, const char *source, size_t length)
{
    FE_TRY(wrap_parse(d->session, d->memory, source, length, &d->wrapper));
    d->loops = d->wrapper->loops;
    d->name = d->loops->name;
    if (d->options.max_arena && !d->wrapper->is_bounded)
        return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "wrap"},
                         "max-arena: the arena of this text is made already, and not for that");
    FE_TRY(wrap_check(d->wrapper));
    FE_TRY(donate_is_late(d));
    return budget_check(d);
}

/* Kernels alone, without the program that calls them. */
static fe_status read_kern(driver_program *d, const char *source, size_t length)
{
    FE_TRY(kern_parse(d->session, d->memory, source, length, &d->kernels));
    return kern_generate(d->kernels, d->target, d->memory);
}

typedef struct text_form {
    const char *name;
    driver_stage stage; /* that it is the result of */
    driver_stage next;  /* stage that can go on from it */
    fe_status (*read)(driver_program *d, const char *source, size_t length);
} text_form;

static const text_form text_forms[] = {
    {"fx", STAGE_READ, STAGE_INFER, read_fx},       {"loop", STAGE_LOWER, STAGE_SCHED, read_loop},
    {"sched", STAGE_SCHED, STAGE_KERN, read_sched}, {"kern", STAGE_KERN, STAGE_EMIT, read_kern},
    {"wrap", STAGE_WRAP, STAGE_EMIT, read_wrap},
};

static fe_status read_text(driver_program *d, driver_stage last, driver_stage *next)
{
    const char *from = d->options.from ? d->options.from : "fx";
    const text_form *form = NULL;
    char *source = NULL;
    size_t length = d->options.size;
    for (size_t i = 0; i < COUNT_OF(text_forms); i++)
        if (strcmp(text_forms[i].name, from) == 0) form = &text_forms[i];
    if (!form)
        return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "read"},
                         "there is no text form '%s'", from);
    if (form->stage > last)
        return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "read"},
                         "a program that begins as the text of stage %s has no stage before it",
                         from);
    if (last > form->stage && last < form->next)
        return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "read"},
                         "the text of stage %s has no program around it", from);
    *next = form->next;
    if (form->stage > STAGE_PASS) FE_TRY(quantise_is_late(d));
    if (d->options.bytes)
        source = arena_copy(d->memory, d->options.bytes, length);
    else
        FE_TRY(file_read(d->session, d->memory, d->options.input, &source, &length));
    return form->read(d, source, length);
}

/* Option `name` goes before what the text says. */
static void name_text(driver_program *d)
{
    if (!d->options.name) return;
    d->name = d->options.name;
    if (d->loops) d->loops->name = d->name;
    if (d->wrapper) d->wrapper->name = d->name;
}

static void dump_pass(void *data, const char *pass, fx_graph *g)
{
    const driver_program *d = data;
    const fe_observer *observer = &d->options.observer;
    text out;
    text_init(&out, g->memory);
    fx_print(g, &out);
    observer->dump(observer->data, pass, out.at, out.length);
}

static fe_status stage_pass(driver_program *d)
{
    pass_options options = {.check = d->options.verify,
                            .dump_after = d->options.dump_after,
                            .dump = d->options.observer.dump ? dump_pass : NULL,
                            .data = d,
                            .services = {.evaluate = constants_evaluate,
                                         .compute = constants_compute,
                                         .data = d,
                                         .lanes = toolchain_lanes_here()}};
    FE_TRY(split_classify(d));
    FE_TRY(quantise_begin(d, &options.services));
    if (d->options.passes.is_off) return FE_OK;
    FE_TRY(passes_run(d, &options));
    return quantise_check(d);
}

static fe_status stage_sched(driver_program *d)
{
    /* a look at each result names the node that made it: nodes share no kernel */
    sched_options options = {.target = d->target,
                             .apart = driver_looks_at_results(&d->options),
                             .for_host = d->for_host,
                             .memory_budget = d->options.memory_budget};
    return split_build(d, &options);
}

/* Provenance of an op: the FX node it was lowered from and where that stands in the user's program.
 */
const char *driver_note(void *program, uint32_t origin)
{
    driver_program *d = program;
    if (!d->graph || origin >= d->graph->by_id.count || !d->graph->by_id.at[origin]) return NULL;
    const fx_node *n = d->graph->by_id.at[origin];
    const fx_origin *o = n->origin;
    if (o && o->module_path && *o->module_path)
        return arena_printf(d->memory, "%s (%s)", n->name, o->module_path);
    return n->name;
}

const char *driver_source(driver_program *d, uint32_t origin)
{
    if (!d->graph || origin >= d->graph->by_id.count || !d->graph->by_id.at[origin]) return NULL;
    const fx_node *n = d->graph->by_id.at[origin];
    return n->origin ? fx_origin_line(d->graph, n->origin) : NULL;
}

/* For messages of the run. */
static const char *place_of(driver_program *d, uint32_t origin)
{
    bool known = d->graph && origin < d->graph->by_id.count && d->graph->by_id.at[origin];
    const fx_node *n = known ? d->graph->by_id.at[origin] : NULL;
    return n && n->kind == FX_CALL ? fx_call_line(d->graph, n) : "an index";
}

static const wrap_check_row *checks_of(driver_program *d, const kern_call *call)
{
    wrap_check_row *checks = NEW_ARRAY(d->memory, wrap_check_row, call->check_count + 1);
    for (uint32_t i = 0; i < call->check_count; i++) {
        const loop_bound *bound = &call->checks[i];
        checks[i] = (wrap_check_row){bound->dimension, bound->wraps, place_of(d, bound->origin)};
    }
    return checks;
}

/* Which of its buffers the kernel of a group stores to. */
static const bool *written_by(driver_program *d, uint32_t g, const kern_call *call)
{
    const sched_group *group = &d->schedule->groups.at[g];
    bool *is_written = NEW_ARRAY(d->memory, bool, call->buffer_count + 1);
    for (uint32_t ph = 0; ph < group->phase_count; ph++)
        for (uint32_t i = 0; i < group->phases[ph].nest_count; i++) {
            const loop_op *nest = &group->phases[ph].nests[i].nest;
            for (uint32_t k = 0; k < nest->store_count; k++)
                for (uint32_t b = 0; b < call->buffer_count; b++)
                    is_written[b] |= call->buffers[b] == nest->stores[k].buffer;
        }
    return is_written;
}

static fe_status stage_wrap(driver_program *d)
{
    const kern_set *k = d->kernels;
    wrap_call *calls = NEW_ARRAY(d->memory, wrap_call, k->call_count + 1);
    for (uint32_t g = 0; g < k->call_count; g++) {
        const kern_call *c = &k->calls[g];
        if (c->kernel == UINT32_MAX) continue;
        calls[g] = (wrap_call){k->kernels.at[c->kernel].name,
                               c->buffers,
                               c->buffer_count,
                               c->ints,
                               c->int_count,
                               c->outer,
                               c->tiles,
                               c->inner,
                               c->split_inner,
                               c->cost,
                               checks_of(d, c),
                               c->check_count,
                               written_by(d, g, c),
                               g};
    }
    wrap_facts facts = {.input_tree = d->graph ? d->graph->in_spec : NULL,
                        .output_tree = d->graph ? d->graph->out_spec : NULL,
                        .calls = calls,
                        .unique_kernels = k->kernels.count,
                        .packed_bytes = weights_packed_bytes,
                        .max_arena = d->options.max_arena,
                        .check_nan = d->options.nan_check,
                        .check_infinity = d->options.inf_check,
                        .result_name = driver_result_name,
                        .note = driver_note,
                        .data = d};
    FE_TRY(wrap_build(d->schedule, &facts, d->memory, &d->wrapper));
    return budget_check(d);
}

static void write_prelude(void *data, const uint32_t *members, uint32_t count, text *out)
{
    driver_program *d = data;
    const kern_kernel **kernels = NEW_ARRAY(d->memory, const kern_kernel *, count + 1);
    for (uint32_t i = 0; i < count; i++) kernels[i] = &d->kernels->kernels.at[members[i]];
    kern_prelude(d->target, kernels, count, out);
}

static void write_kernel_ir(void *data, uint32_t kernel, text *out)
{
    driver_program *d = data;
    kern_print_scalar(d->kernels, kernel, d->memory, out);
}

/* Kernels that were read as text are all that there is. */
static fe_status emit_kernels(driver_program *d)
{
    uint32_t count = d->kernels->kernels.count;
    uint32_t *all = NEW_ARRAY(d->memory, uint32_t, count + 1);
    text out;
    text_init(&out, d->memory);
    for (uint32_t i = 0; i < count; i++) all[i] = i;
    write_prelude(d, all, count, &out);
    for (uint32_t i = 0; i < count; i++)
        text_printf(&out, "\n%s", d->kernels->kernels.at[i].source);
    d->whole.files = NEW(d->memory, emit_file);
    d->whole.files[d->whole.file_count++] = (emit_file){"kernels.c", out.at, out.length, true};
    return FE_OK;
}

/* Those that are made for a device, as its row of target.def has it; NULL: for the host. */
static const emit_kernel *kernels_for(const driver_program *d, const target_machine *device,
                                      uint32_t *count)
{
    uint32_t all = d->kernels ? d->kernels->kernels.count : 0;
    emit_kernel *kernels = NEW_ARRAY(d->memory, emit_kernel, all + 1);
    *count = 0;
    for (uint32_t i = 0; i < all; i++) {
        const kern_kernel *k = &d->kernels->kernels.at[i];
        if (k->target == device || (!device && !k->target->dialect))
            kernels[(*count)++] = (emit_kernel){k->name,      k->source,     i,     k->buffer_count,
                                                k->int_count, k->group_size, false, NULL};
    }
    return kernels;
}

/* For anything but its name. */
static bool uses_f64(const char *source)
{
    bool is_named = strstr(source, "typedef double f64;") != NULL;
    return text_count_word(source, "f64") > is_named;
}

/* The kernels of one kind of device with what stands in front of them. */
static emit_module module_for(driver_program *d, const target_machine *device)
{
    emit_module m = {.kind = device->name, .dialect = device->dialect};
    text source;
    text_init(&source, d->memory);
    m.kernels = kernels_for(d, device, &m.kernel_count);
    const kern_kernel **kernels = NEW_ARRAY(d->memory, const kern_kernel *, m.kernel_count + 1);
    for (uint32_t i = 0; i < m.kernel_count; i++)
        kernels[i] = &d->kernels->kernels.at[m.kernels[i].number];
    kern_prelude(device, kernels, m.kernel_count, &source);
    for (uint32_t i = 0; i < m.kernel_count; i++) text_printf(&source, "\n%s", m.kernels[i].source);
    m.source = source.at;
    m.needs_f64 = uses_f64(m.source);
    return m;
}

const emit_module *driver_modules(driver_program *d, uint32_t *count)
{
    emit_module *modules = NEW_ARRAY(d->memory, emit_module, TY_DEVICE_KINDS);
    *count = 0;
    for (uint32_t k = 0; d->kernels && k < TY_DEVICE_KINDS; k++) {
        const target_machine *device = target_of_device(ty_device_words[k]);
        if (!device) continue;
        modules[*count] = module_for(d, device);
        images_give(d, &modules[*count]);
        *count += modules[*count].kernel_count > 0;
    }
    return modules;
}

void driver_emit_input(driver_program *d, emit_input *out)
{
    /* none behind the text of a wrapper */
    uint32_t count;
    const emit_kernel *kernels = kernels_for(d, NULL, &count);
    uint32_t cores = d->options.jobs ? d->options.jobs : (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t module_count;
    const char *slash = strrchr(d->options.input, '/');
    *out = (emit_input){
        .wrapper = d->wrapper,
        .kernels = kernels,
        .kernel_count = count,
        .modules = driver_modules(d, &module_count),
        .prelude = write_prelude,
        .kernel_ir = write_kernel_ir,
        .data = d,
        .vectors = d->target->name,
        .producer = "ferrite " FE_VERSION,
        .entry = d->options.name ? arena_printf(d->memory, "ferrite_artifact_%s", d->options.name)
                                 : "ferrite_artifact",
        .source = slash ? slash + 1 : d->options.input,
        .weights_key = d->weights_key,
        .parts = count > 3 ? cores : 1,
        .profile = d->options.profile};
    out->module_count = module_count;
}

static int64_t count_tables(const driver_program *d)
{
    uint32_t count;
    const loop_transform *all = wrap_transforms(d->wrapper, d->memory, &count);
    rt_fft_shape *shapes = NEW_ARRAY(d->memory, rt_fft_shape, count + 1);
    for (uint32_t k = 0; k < count; k++)
        shapes[k] = (rt_fft_shape){all[k].length,  all[k].rows,      all[k].most,
                                   all[k].is_half, all[k].is_double, all[k].dense};
    return rt_fft_tables_bytes(shapes, count);
}

/* Of the functions in its library, this one is seen from outside. */
static void show(driver_program *d, driver_build *build, const char *entry)
{
    const char **entries = NEW(d->memory, const char *);
    entries[0] = entry;
    build->entries = entries;
    build->entry_count = 1;
}

static fe_status stage_emit(driver_program *d)
{
    emit_input input;
    if (!d->wrapper) return emit_kernels(d);
    text signature;
    text_init(&signature, d->memory);
    wrap_describe(d->wrapper, &signature);
    d->signature = signature.at;
    d->table_bytes = count_tables(d);
    d->weights_key = weights_key_of(d->wrapper);
    FE_TRY(images_make(d));
    driver_emit_input(d, &input);
    show(d, &d->whole, input.entry);
    return emit_program(&emit_target_c, &input, d->memory, &d->whole.files, &d->whole.file_count);
}

fe_status driver_build_kernels(driver_program *d)
{
    emit_input input;
    driver_build *build = &d->kernels_only;
    driver_emit_input(d, &input);
    if (!build->files) emit_library(&input, d->memory, &build->files, &build->file_count);
    show(d, build, "ferrite_library");
    return toolchain_build(d, build);
}

fe_status driver_need_host(driver_program *d, bool or_devices)
{
    const loop_program *p = d->loops;
    static const char HELP[] =
        "with --device cpu it is made for the cpu, with --device opencl as C or a library for "
        "OpenCL; a graph (--emit fx) is made for all";
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) {
        const loop_buffer *b = &p->buffers.at[id];
        const char *note = driver_note(d, b->origin);
        if (ty_is_host(b->device) ||
            (or_devices && target_of_device(ty_device_words[b->device.kind])))
            continue;
        return diag_fail(d->session,
                         (diag){.status = FE_UNSUPPORTED, .stage = "emit", .help = HELP},
                         or_devices ? "%s is on %s, which no kernels are made for"
                                    : "%s is on %s, and this target runs on the cpu alone",
                         note ? arena_printf(d->memory, "%%%s", note) : b->name,
                         ty_device_name(d->memory, b->device));
    }
    return FE_OK;
}

fe_status driver_need_kernels(driver_program *d)
{
    for (uint32_t i = 0; !d->kernels && i < d->wrapper->lines.count; i++) {
        const char *kernel = d->wrapper->lines.at[i].call.kernel;
        if (!kernel) continue;
        return diag_fail(d->session,
                         (diag){.status = FE_UNSUPPORTED,
                                .stage = "emit",
                                .help = "compile from the text of an earlier stage (sched, loop, "
                                        "fx), or the program itself"},
                         "the text of a wrapper does not hold its kernels, and calls %s", kernel);
    }
    return FE_OK;
}

static fe_status stage_infer(driver_program *d)
{
    if (place_is_asked_for(&d->options)) place_bring_home(d->graph);
    if (!d->graph->output)
        return fx_fail(d->graph, NULL, "fx", FE_CORRUPT,
                       "a graph ends with what it gives: output (...)", "graph %s has no output",
                       d->graph->name);
    FE_TRY(infer_graph(d->graph));
    return infer_take_storages(d->graph);
}

static fe_status stage_lower(driver_program *d)
{
    if (!d->for_host && place_is_wanted(d)) return place_and_lower(d);
    return split_lower(d, d->split);
}

static fe_status stage_kern(driver_program *d)
{
    FE_TRY(kern_build(d->schedule, d->target, d->memory, &d->kernels));
    return d->options.tune ? tune_kernels(d) : FE_OK;
}

static fe_status (*const stages[STAGE_CC])(driver_program *) = {
    [STAGE_READ] = stage_read,   [STAGE_INFER] = stage_infer, [STAGE_PASS] = stage_pass,
    [STAGE_LOWER] = stage_lower, [STAGE_SCHED] = stage_sched, [STAGE_KERN] = stage_kern,
    [STAGE_WRAP] = stage_wrap,   [STAGE_EMIT] = stage_emit,
};

fe_status driver_progress(driver_program *d, driver_stage stage, uint32_t done, uint32_t total)
{
    const fe_observer *o = &d->options.observer;
    if (!o->progress || o->progress(o->data, driver_stage_names[stage], done, total) == 0)
        return FE_OK;
    return diag_fail(d->session, (diag){.status = FE_STOPPED, .stage = driver_stage_names[stage]},
                     "stopped by the observer");
}

fe_status driver_advance(driver_program *d, driver_stage first, driver_stage last)
{
    for (driver_stage stage = first; stage <= last && stage < STAGE_CC; stage++) {
        double begin = clock_seconds();
        FE_TRY(driver_progress(d, stage, 0, 1));
        FE_TRY(stages[stage](d));
        d->ms[stage] = (clock_seconds() - begin) * 1e3;
    }
    return FE_OK;
}

fe_status driver_begin(fe_session *s, const driver_options *o, arena *memory, driver_program **out)
{
    driver_program *d = NEW(memory, driver_program);
    *out = d;
    d->session = s;
    d->memory = memory;
    d->options = *o;
    d->name = o->name ? o->name : program_name(memory, o->input);
    FE_TRY(driver_check_isa(s, o));
    FE_TRY(driver_check_name(s, o));
    d->target = toolchain_target(o->isa);
    return tune_check_options(d);
}

fe_status driver_compile(fe_session *s, const driver_options *o, driver_stage last, arena *memory,
                         driver_program **out)
{
    driver_stage next = STAGE_INFER;
    FE_TRY(driver_begin(s, o, memory, out));
    driver_program *d = *out;
    FE_TRY(ops_load(d));
    if (!o->from && !is_text(o->input)) return driver_advance(d, STAGE_READ, last);
    FE_TRY(read_text(d, last, &next));
    name_text(d);
    return driver_advance(d, next, last);
}

fe_status driver_for_host(driver_program *d, driver_program **out)
{
    uint32_t count;
    *out = d;
    driver_modules(d, &count);
    if (!count && !d->recorded) return FE_OK;
    driver_program *host = *out = NEW(d->memory, driver_program);
    *host = *d;
    host->for_host = true;
    if (d->recorded) host->graph = d->recorded;
    host->whole = host->kernels_only = (driver_build){0};
    if (d->graph) return driver_advance(host, STAGE_LOWER, STAGE_EMIT);
    host->schedule = NEW(d->memory, sched_schedule);
    *host->schedule = *d->schedule;
    host->schedule->for_host = true;
    return driver_advance(host, STAGE_KERN, STAGE_EMIT);
}

void driver_close(driver_program *d)
{
    if (!d) return;
    driver_unload(d);
    pt2_close(d->archive);
    if (d->temporary) file_remove_tree(d->temporary);
    struct graph_builder *builder = d->builder;
    arena_free(d->memory); /* and with it d itself */
    graph_release(builder);
}
