/* bisect.c -- see bisect.h. What a kernel computes of its inputs is watch.c's to judge: all programs here
 * are compiled alike, but for their passes.
 */
#include "driver/debug/bisect.h"

#include "driver/call.h"
#include "driver/debug/values.h"
#include "driver/inputs.h"

#include <math.h>
#include <string.h>

/* The program with `passes` of its passes, and what it gave. */
typedef struct variant {
    driver_program *program;
    fe_context *context;
    fe_tensor *outputs;
    uint32_t passes;
} variant;

typedef struct bisection {
    driver_program *d;
    bisect_inputs read;
    void *data;
    variant reference;
    value_difference difference; /* of the last two that were compared */
    uint32_t output;
    char index[200];
} bisection;

/* ---- running one ---- */

static void end(variant *v)
{
    if (v->context) v->program->loaded.artifact->context_free(v->context);
    driver_close(v->program);
    *v = (variant){0};
}

static fe_status run(bisection *b, uint32_t passes, bool with_users, variant *out)
{
    fe_session *s = b->d->session;
    driver_options o = b->d->options;
    o.bisect = o.nan_check = o.inf_check = o.lifecycle_check = o.dump_buffers = false;
    o.dump_dir = o.dump_after = NULL;
    o.pass_limit = passes + 1;
    if (!with_users) o.passes.count = o.added_count = 0;
    *out = (variant){.passes = passes};
    FE_TRY(driver_compile(s, &o, STAGE_EMIT, arena_new(s), &out->program));
    driver_program *d = out->program;
    FE_TRY(driver_load(d));
    const fe_artifact *a = d->loaded.artifact;
    fe_tensor *inputs = NEW_ARRAY(d->memory, fe_tensor, a->input_count + 1);
    out->outputs = NEW_ARRAY(d->memory, fe_tensor, a->output_count + 1);
    FE_TRY(b->read(d, b->data, inputs));
    if (a->context_new(d->loaded.model, 0, &out->context) == FE_RUN_OK &&
        call_once(a, out->context, d->memory, inputs, out->outputs) == FE_RUN_OK)
        return FE_OK;
    return diag_fail(s, (diag){.status = FE_MISMATCH, .stage = "bisect"}, "with %u passes: %s",
                     passes, a->error(out->context));
}

/* With as few passes as it takes. */
static fe_status run_fewest(bisection *b, bool with_users, variant *out)
{
    for (uint32_t passes = 0; passes < b->d->pass_total; passes++) {
        diag_mark_t mark = diag_mark(b->d->session);
        fe_status status = run(b, passes, with_users, out);
        if (status != FE_UNSUPPORTED && status != FE_INTERNAL) return status;
        diag_forget_since(b->d->session, mark);
        end(out);
    }
    return run(b, b->d->pass_total, with_users, out);
}

/* ---- comparing two ---- */

/* As a contiguous copy. */
static value_tensor tensor_of(driver_program *d, const fe_tensor *t)
{
    tensor_entry copy = output_entry(d->memory, t, "");
    value_tensor v = {.dtype = copy.dtype, .rank = t->rank, .data = copy.data};
    int64_t step = 1;
    for (uint32_t k = t->rank; k-- > 0; step *= t->sizes[k]) {
        v.sizes[k] = t->sizes[k];
        v.strides[k] = step;
    }
    return v;
}

static double largest(const value_tensor *t)
{
    value_facts f = values_look(t);
    double most = fmax(fabs(f.min), fabs(f.max));
    return isfinite(most) ? most : 0;
}

static bool differs(bisection *b, const variant *v)
{
    const fe_artifact *a = v->program->loaded.artifact;
    for (b->output = 0; b->output < a->output_count; b->output++) {
        const fe_tensor *is = &v->outputs[b->output], *was = &b->reference.outputs[b->output];
        bool same = is->dtype == was->dtype && is->rank == was->rank &&
                    memcmp(is->sizes, was->sizes, is->rank * sizeof *is->sizes) == 0;
        if (!same) return true; /* the passes' own checks say how */
        value_tensor ours = tensor_of(v->program, is), theirs = tensor_of(v->program, was);
        if (!values_differ(&ours, theirs.data, largest(&theirs), TY_NO_DTYPE, &b->difference))
            continue;
        values_index_text(&ours, b->difference.at, b->index, sizeof b->index);
        return true;
    }
    return false;
}

/* ---- what the pass did ---- */

static const char *line_of(const fx_graph *g, const fx_node *n, arena *memory)
{
    text t;
    text_init(&t, memory);
    fx_print_node(g, n, &t);
    return t.at;
}

/* The first node that the graph before did not have, or had otherwise. */
static const fx_node *first_changed(const fx_graph *before, const fx_graph *after, arena *memory)
{
    for (const fx_node *n = after->first; n; n = n->next) {
        const fx_node *old = n->kind == FX_CALL ? fx_find(before, n->name) : n;
        if (n->kind != FX_CALL) continue;
        if (!old || strcmp(line_of(before, old, memory), line_of(after, n, memory)) != 0) return n;
    }
    return NULL;
}

/* "%gelu (encoder), model.py:12 in forward, in kernel k_gelu_12ab" */
static const char *describe(driver_program *d, const fx_node *n, driver_program *with)
{
    const fx_node *now = fx_find(d->graph, n->name);
    const char *source = driver_source(with, n->id), *kernel = NULL;
    text t;
    text_init(&t, d->memory);
    for (uint32_t i = 0; now && !kernel && i < d->wrapper->lines.count; i++)
        if (provenance_has(d, i, now->id)) kernel = provenance_called(&d->wrapper->lines.at[i]);
    text_printf(&t, "%%%s", driver_note(with, n->id));
    if (source) text_printf(&t, ", %s", source);
    if (kernel) text_printf(&t, ", in %s", kernel);
    return t.at;
}

static fe_status blame(bisection *b, uint32_t pass)
{
    driver_program *d = b->d;
    variant before = {0}, after = {0};
    fe_status status = run(b, pass, true, &before);
    if (status == FE_OK) status = run(b, pass + 1, true, &after);
    if (status == FE_OK) {
        bool is_measured = differs(b, &after);
        const fx_node *n = first_changed(before.program->graph, after.program->graph, d->memory);
        const value_difference *v = &b->difference;
        status = diag_fail(
            d->session,
            (diag){.status = FE_MISMATCH, .stage = "bisect", .place = d->pass_names[pass]},
            "the pass changes output %u: element %s is %.9g where it was %.9g, %.3g ulp away, and "
            "%lld of %lld are wrong; the first node that it made or changed is %s",
            b->output, is_measured ? b->index : "?", v->ours, v->wanted, v->ulps,
            (long long)v->count, (long long)v->elements,
            n ? describe(d, n, after.program) : "gone by then");
    }
    end(&before);
    end(&after);
    return status;
}

/* Between `right` passes, with which outputs are as they should be, and `wrong` ones. */
static fe_status search(bisection *b, uint32_t right, uint32_t wrong)
{
    while (wrong - right > 1) {
        uint32_t middle = right + (wrong - right) / 2;
        variant v;
        fe_status status = run(b, middle, true, &v);
        bool is_wrong = status == FE_OK && differs(b, &v);
        end(&v);
        FE_TRY(status);
        if (is_wrong)
            wrong = middle;
        else
            right = middle;
    }
    return blame(b, right);
}

/* The program cannot be compiled without passes that stand behind the user's, and these are wrong. */
static fe_status blame_users(bisection *b, uint32_t passes)
{
    const driver_program *d = b->d;
    for (uint32_t i = 0; i < passes; i++)
        for (uint32_t k = 0; k <= pass_count; k++) {
            if (k < pass_count && strcmp(d->pass_names[i], pass_table[k].name) == 0) break;
            if (k < pass_count) continue;
            return diag_fail(
                d->session,
                (diag){.status = FE_MISMATCH, .stage = "bisect", .place = d->pass_names[i]},
                "the pass, or another of yours before %s, changes output %u: element "
                "%s is %.9g where it is %.9g without, %.3g ulp away",
                d->pass_names[passes - 1], b->output, b->index, b->difference.ours,
                b->difference.wanted, b->difference.ulps);
        }
    return FE_OK;
}

static fe_status find_pass(bisection *b)
{
    variant v;
    fe_status status = run_fewest(b, true, &v);
    uint32_t fewest = v.passes;
    bool is_wrong = status == FE_OK && differs(b, &v);
    end(&v);
    FE_TRY(status);
    return is_wrong ? blame_users(b, fewest) : search(b, fewest, b->d->pass_total);
}

fe_status bisect_passes(driver_program *d, bisect_inputs read, void *data)
{
    bisection b = {.d = d, .read = read, .data = data};
    variant all = {0};
    if (!d->graph || !d->pass_total) return FE_OK; /* a text behind the passes */
    fe_status status = run_fewest(&b, false, &b.reference);
    if (status == FE_OK) status = run(&b, d->pass_total, true, &all);
    bool is_wrong = status == FE_OK && differs(&b, &all);
    end(&all);
    if (is_wrong) status = find_pass(&b);
    end(&b.reference);
    return status;
}
