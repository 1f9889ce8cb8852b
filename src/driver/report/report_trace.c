/* report_trace.c -- what was done when in one run: fe_write_trace().
 *
 * The JSON is that of Chrome's tracing ("Trace Event Format"): a thread for the host, and two a device, for
 * its kernels and for copies, one event a step.
 */
#include "driver/report/report.h"

enum { WARM_RUNS = 2, MOST_EVENTS = 1 << 20 };

static void name_thread(text *out, uint32_t thread, const char *name)
{
    text_printf(
        out,
        "{\"ph\": \"M\", \"pid\": 0, \"tid\": %u, \"name\": \"thread_name\", \"args\": {\"name\": ",
        thread);
    text_json(out, name);
    text_add(out, "}},\n");
}

static uint32_t thread_of(const report *r, const fe_event *e)
{
    bool is_copy = e->device && r->view.steps[e->step].line->kind == WRAP_COPY;
    return e->device + (is_copy ? r->d->loaded.artifact->device_count : 0);
}

static void add_event(const report *r, const fe_event *e, text *out)
{
    const report_step *step = &r->steps[e->step];
    text_printf(
        out, "{\"ph\": \"X\", \"pid\": 0, \"tid\": %u, \"ts\": %.3f, \"dur\": %.3f, \"name\": ",
        thread_of(r, e), (double)e->begin_ns / 1e3, (double)(e->end_ns - e->begin_ns) / 1e3);
    text_json(out, step->what);
    text_printf(out, ", \"args\": {\"step\": %u, \"kernel\": ", e->step);
    text_json(out, step->kernel ? step->kernel : "");
    text_add(out, ", \"source\": ");
    text_json(out, step->source ? step->source : "");
    text_add(out, "}}");
}

static void print_trace(const report *r, const fe_event *events, int64_t count, text *out)
{
    const fe_artifact *a = r->d->loaded.artifact;
    text_add(out, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
    for (uint32_t k = 0; k < a->device_count; k++) {
        name_thread(out, k + 1, a->devices[k]);
        name_thread(out, a->device_count + k + 1,
                    arena_printf(r->d->memory, "%s, copies", a->devices[k]));
    }
    name_thread(out, 0, "host");
    bool is_first = true;
    for (int64_t i = 0; i < count; i++) {
        if (events[i].step >= r->view.step_count) continue;
        if (!is_first) text_add(out, ",\n");
        is_first = false;
        add_event(r, &events[i], out);
    }
    text_add(out, "\n]}\n");
}

static fe_status trace(report *r, fe_context *context, inputs_kept *inputs, text *out)
{
    driver_program *d = r->d;
    const fe_artifact *a = d->loaded.artifact;
    for (uint32_t i = 0; i < WARM_RUNS; i++) FE_TRY(report_call(d, context, inputs));
    fe_event *events = NEW_ARRAY(d->memory, fe_event, MOST_EVENTS);
    if (a->trace(context, events, MOST_EVENTS) < 0)
        return diag_fail(
            d->session,
            (diag){.status = FE_USAGE, .stage = "run", .help = "compile it with option profile"},
            "the program was not made to tell what it does when");
    FE_TRY(report_call(d, context, inputs));
    print_trace(r, events, a->trace(context, NULL, 0), out);
    return FE_OK;
}

fe_status trace_write(driver_program *d, const char *path)
{
    report r = {.d = d, .run_ns = -1, .held = -1};
    fe_context *context;
    inputs_kept inputs;
    text out;
    text_init(&out, d->memory);
    FE_TRY(plan_view_of(d, d->memory, &r.view));
    report_collect_steps(&r);
    FE_TRY(report_begin_calls(d, &context, &inputs));
    fe_status status = trace(&r, context, &inputs, &out);
    d->loaded.artifact->context_free(context);
    FE_TRY(status);
    return file_write(d->session, path, out.at, out.length);
}
