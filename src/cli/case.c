/* case.c -- one recorded case: X.pt2 with X.json (what to expect of each output) and X.safetensors
 * (values). */
#define _GNU_SOURCE
#include "cli/case.h"

#include "cli/compare.h"
#include "cli/property.h"
#include "driver/call.h"
#include "driver/debug/bisect.h"

#include "infer/infer.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct case_files {
    json_object *facts;
    tensor_file values;
    bool has_values;
    compare_distance
        *distance; /* of programs whose weights became integers: measured, not judged */
} case_files;

/* ---- metadata ---- */

/* What the record says otherwise, and rightly so: the layout or the dtype of an operator whose fake tensors
 * have another than its kernel, and offsets into a user's tensor that was a part of a larger one. */
typedef struct excuses {
    bool *layout, *offset, *dtype; /* by node id: of the node, or of what it is made from */
} excuses;

typedef struct excusing {
    const excuses *all;
    bool layout, offset, dtype;
} excusing;

static void note_excuse(void *data, fx_node *argument)
{
    excusing *e = data;
    e->layout |= e->all->layout[argument->id];
    e->offset |= e->all->offset[argument->id];
    e->dtype |= e->all->dtype[argument->id];
}

/* The kernels of views by shape compute strides of dimensions of size 1 anew, fake tensors may keep those
 * of the operand. */
static bool has_own_strides_of_ones(fx_graph *g, const fx_node *n, const fx_value *recorded)
{
    if (!fx_is(n, OP_aten_view_default) && !fx_is(n, OP_aten_reshape_default) &&
        !fx_is(n, OP_aten_flatten_using_ints) && !fx_is(n, OP_aten_unflatten_int))
        return false;
    const ty_tensor *now = fx_tensor(n);
    const ty_tensor *then = recorded && recorded->kind == FX_TENSOR ? recorded->tensor : NULL;
    if (!now || !then || now->rank != then->rank) return false;
    for (uint32_t d = 0; d < now->rank; d++)
        if (!sym_known_equal(g->symbols, now->sizes[d], sym_int(g->symbols, 1)) &&
            !sym_known_equal(g->symbols, now->strides[d], then->strides[d]))
            return false;
    return true;
}

static bool is_excused(fx_graph *g, const fx_node *n, const fx_value *recorded, const char *why,
                       const excuses *all)
{
    excusing e = {.all = all};
    for (uint32_t i = 0; i < n->arg_count; i++) fx_arg_each_node(&n->args[i], note_excuse, &e);
    e.layout |= n->kind == FX_CALL && (n->op->flags & OPF_OWN_LAYOUT);
    e.layout |= n->kind == FX_CALL && has_own_strides_of_ones(g, n, recorded);
    e.dtype |= n->kind == FX_CALL && (n->op->flags & OPF_OWN_DTYPE);
    bool user = n->kind == FX_PLACEHOLDER && n->input_kind == FX_USER_INPUT;
    if (user && recorded && recorded->kind == FX_TENSOR)
        e.offset |= !sym_same(recorded->tensor->offset, sym_int(g->symbols, 0));
    e.offset |= user && n->taken == FX_STORAGE_OF;
    all->layout[n->id] = e.layout;
    all->offset[n->id] = e.offset;
    all->dtype[n->id] = e.dtype;
    bool where = e.offset || e.layout; /* slices begin where the strides say */
    return why && ((e.layout && strcmp(why, "strides") == 0) ||
                   (where && strcmp(why, "offset") == 0) || (e.dtype && strcmp(why, "dtype") == 0));
}

static fe_status check_node(driver_program *d, fx_graph *g, const fx_node *n, const excuses *all)
{
    const fx_value *recorded = pt2_recorded_value(d->archive, n);
    const char *why = NULL;
    bool same =
        n->kind != FX_CALL || !recorded || infer_agrees_with_record(g, &n->value, recorded, &why);
    if (is_excused(g, n, recorded, why, all) || same) return FE_OK;
    text line;
    text_init(&line, d->memory);
    fx_print_node(g, n, &line);
    text_add(&line, ", recorded ");
    if (recorded->kind == FX_TENSOR) ty_print(g->symbols, recorded->tensor, &line);
    text_printf(&line, " (%s)", why ? why : "differs");
    return fx_fail(g, n, "infer", FE_MISMATCH, NULL, "inferred %s", line.at);
}

/* PyTorch 2.13 records a shape for unique_consecutive along a negative dimension that no run gives: it
 * cuts the sizes in two at the number as it stands. */
static bool is_recorded_wrong(const fx_graph *g, const fx_node *n)
{
    int64_t dim;
    return fx_is(n, OP_aten_unique_consecutive_default) &&
           fx_arg_int(g, fx_get(g, n, "dim"), &dim) && dim < 0;
}

typedef struct doubt {
    bool *wrong; /* by node id: what is recorded follows from something wrong */
    bool found;
} doubt;

static void look_at_operand(void *data, fx_node *operand)
{
    doubt *state = data;
    state->found |= state->wrong[operand->id];
}

/* All nodes, those of subgraphs among them. */
static fe_status check_metadata(driver_program *d, fx_graph *g)
{
    excuses all = {NEW_ARRAY(d->memory, bool, g->next_id + 1),
                   NEW_ARRAY(d->memory, bool, g->next_id + 1),
                   NEW_ARRAY(d->memory, bool, g->next_id + 1)};
    doubt state = {.wrong = NEW_ARRAY(d->memory, bool, g->next_id + 1)};
    for (const fx_node *n = g->first; n; n = n->next) {
        for (uint32_t i = 0; i < n->arg_count; i++)
            if (n->args[i].kind == FX_ARG_GRAPH) FE_TRY(check_metadata(d, n->args[i].graph));
        state.found = is_recorded_wrong(g, n);
        for (uint32_t k = 0; k < n->arg_count; k++)
            fx_arg_each_node(&n->args[k], look_at_operand, &state);
        state.wrong[n->id] = state.found;
        if (!state.found) FE_TRY(check_node(d, g, n, &all));
    }
    return FE_OK;
}

/* ---- what the case says ---- */

static json_object *member(json_object *o, const char *name)
{
    json_object *found = NULL;
    return o && json_object_object_get_ex(o, name, &found) ? found : NULL;
}

static double number_of(json_object *o, const char *name, double fallback)
{
    json_object *found = member(o, name);
    return found ? json_object_get_double(found) : fallback;
}

static compare_tolerance tolerance_of(json_object *facts, json_object *output, uint32_t k)
{
    if (member(facts, "rtol"))
        return (compare_tolerance){number_of(facts, "rtol", 1.3e-6),
                                   number_of(facts, "atol", 1e-5)};
    json_object *errors = member(facts, "eager_err_vs_f64");
    double error = 0, largest = number_of(output, "max_abs", 1);
    if (errors && json_object_is_type(errors, json_type_array) &&
        k < json_object_array_length(errors))
        error = json_object_get_double(json_object_array_get_idx(errors, k));
    double absolute = fmax(fmax(1e-5 * largest, 8 * error), 1e-6);
    return (compare_tolerance){1e-3, absolute};
}

static fe_status check_stride(driver_program *d, const fe_tensor *t, json_object *output,
                              const char *name)
{
    json_object *stride = member(output, "stride");
    if (!stride || json_object_array_length(stride) != t->rank) return FE_OK;
    for (uint32_t k = 0; k < t->rank; k++)
        if (t->sizes[k] == 0) return FE_OK;
    for (uint32_t k = 0; k < t->rank; k++) {
        int64_t expected = json_object_get_int64(json_object_array_get_idx(stride, k));
        if (t->sizes[k] > 1 && t->strides[k] != expected)
            return compare_mismatch(d,
                                    arena_printf(d->memory, "stride %u is %lld, eager's is %lld", k,
                                                 (long long)t->strides[k], (long long)expected),
                                    name);
    }
    return FE_OK;
}

static fe_status check_shape(driver_program *d, const tensor_entry *ours, json_object *output,
                             const char *name)
{
    json_object *shape = member(output, "shape"), *dtype = member(output, "dtype");
    ty_dtype expected;
    if (dtype && ty_dtype_parse(json_object_get_string(dtype), &expected) &&
        expected != ours->dtype)
        return compare_mismatch(d,
                                arena_printf(d->memory, "dtype is %s, eager's is %s",
                                             ty_dtype_torch_name(ours->dtype),
                                             ty_dtype_torch_name(expected)),
                                name);
    if (!shape) return FE_OK;
    bool same = json_object_array_length(shape) == ours->rank;
    for (uint32_t k = 0; same && k < ours->rank; k++)
        same = json_object_get_int64(json_object_array_get_idx(shape, k)) == ours->shape[k];
    return same ? FE_OK : compare_mismatch(d, "the shape differs from eager's", name);
}

/* An int, a float or a bool: the value that is recorded. */
static fe_status check_number(driver_program *d, const case_files *files, json_object *output,
                              const char *name, uint32_t k, const fe_tensor *t)
{
    json_object *value = member(output, "value");
    if (!value || t->rank != 0 || json_object_is_type(value, json_type_string)) return FE_OK;
    double theirs = json_object_get_double(value), ours = 0;
    if (t->dtype == FE_F64) ours = *(const double *)t->data;
    if (t->dtype == FE_I64) ours = (double)*(const int64_t *)t->data;
    if (t->dtype == FE_BOOL) ours = *(const uint8_t *)t->data;
    if (d->quantised.count) {
        tensor_entry a = {.dtype = TY_F64, .bytes = sizeof ours, .data = &ours}, b = a;
        b.data = &theirs;
        return compare_measure(d, &a, &b, name, files->distance);
    }
    bool same = t->dtype == FE_F64
                    ? compare_is_close(ours, theirs, tolerance_of(files->facts, output, k))
                    : ours == theirs;
    if (same) return FE_OK;
    return compare_mismatch(
        d, arena_printf(d->memory, "it is %.17g, eager gives %.17g", ours, theirs), name);
}

static fe_status check_output(driver_program *d, const case_files *files, json_object *output,
                              const char *prefix, uint32_t k, const fe_tensor *t)
{
    const char *name = arena_printf(d->memory, "%sout.%u", prefix, k);
    json_object *kind = member(output, "kind"), *compare = member(files->facts, "compare");
    if (kind && strcmp(json_object_get_string(kind), "tensor") != 0)
        return check_number(d, files, output, name, k, t);
    tensor_entry ours = output_entry(d->memory, t, name);
    FE_TRY(check_shape(d, &ours, output, name));
    FE_TRY(check_stride(d, t, output, name));
    const tensor_entry *theirs = tensor_file_find(&files->values, name);
    if (!theirs || (compare && strcmp(json_object_get_string(compare), "values") != 0))
        return FE_OK;
    if (theirs->bytes != ours.bytes)
        return compare_mismatch(d, "the recorded values are of another size", name);
    /* Among equal values PyTorch promises no order: places (integers behind the values) are only
     * checked for shape. */
    json_object *ties = member(files->facts, "ties");
    if (k > 0 && ties && json_object_get_boolean(ties) && ours.dtype == TY_I64) return FE_OK;
    if (d->quantised.count) return compare_measure(d, &ours, theirs, name, files->distance);
    const tensor_entry *reference =
        tensor_file_find(&files->values, arena_printf(d->memory, "%sref.%u", prefix, k));
    compare_tolerance close = tolerance_of(files->facts, output, k);
    if (!reference || !ty_is_floating(ours.dtype) || reference->dtype != TY_F64)
        return compare_values(d, &ours, theirs, close, name);
    bool of_operator = member(files->facts, "rtol") != NULL;
    if (of_operator && compare_are_close(&ours, theirs, close)) return FE_OK;
    return compare_reference(d, &ours, theirs, reference, close, name);
}

static const int64_t *contiguous_strides(arena *memory, const fe_tensor *t)
{
    int64_t *strides = NEW_ARRAY(memory, int64_t, t->rank + 1), step = 1;
    for (uint32_t d = t->rank; d-- > 0; step *= t->sizes[d]) strides[d] = step;
    return strides;
}

static bool is_donated(const fe_artifact *a, uint32_t input)
{
    for (uint32_t i = 0; i < a->donated_count; i++)
        if (a->donated[i] == input) return true;
    return false;
}

/* PREFIXmut.K: what input K holds after the call, where the program writes to it. */
static fe_status check_inputs(driver_program *d, const case_files *files, json_object *set,
                              const char *prefix, const fe_tensor *inputs)
{
    const fe_artifact *a = d->loaded.artifact;
    uint32_t count = a->input_count;
    json_object *written = member(set, "mutated_inputs");
    for (size_t i = 0; written && i < json_object_array_length(written); i++) {
        json_object *facts = json_object_array_get_idx(written, i);
        const char *name = json_object_get_string(member(facts, "name"));
        const tensor_entry *theirs = name ? tensor_file_find(&files->values, name) : NULL;
        uint32_t k = 0;
        while (k < count && theirs &&
               strcmp(name, arena_printf(d->memory, "%smut.%u", prefix, k)) != 0)
            k++;
        if (!theirs || k == count)
            return compare_mismatch(d, "a mutated input is not recorded",
                                    name ? name : "mutated_inputs");
        fe_tensor input = inputs[k];
        if (is_donated(a, k)) continue;
        if (!input.strides) input.strides = contiguous_strides(d->memory, &input);
        tensor_entry ours = output_entry(d->memory, &input, name);
        FE_TRY(check_shape(d, &ours, facts, name));
        if (theirs->bytes != ours.bytes)
            return compare_mismatch(d, "the recorded values are of another size", name);
        /* Among equal values PyTorch promises no order: places (integers behind the values) are only
         * checked for shape. */
        json_object *ties = member(files->facts, "ties");
        if (k > 0 && ties && json_object_get_boolean(ties) && ours.dtype == TY_I64) return FE_OK;
        json_object *compare = member(files->facts, "compare");
        if (compare && strcmp(json_object_get_string(compare), "values") != 0) continue;
        FE_TRY(d->quantised.count
                   ? compare_measure(d, &ours, theirs, name, files->distance)
                   : compare_values(d, &ours, theirs, tolerance_of(files->facts, facts, UINT32_MAX),
                                    name));
    }
    return FE_OK;
}

/* ---- running it ---- */

/* Inputs that are numbers stand in the set itself. */
static void take_numbers(driver_program *d, json_object *described, fe_tensor *inputs)
{
    size_t count = described ? json_object_array_length(described) : 0;
    for (uint32_t k = 0; k < loop_given_count(d->loops) && k < count; k++) {
        json_object *value = member(json_object_array_get_idx(described, k), "value");
        if (value && !d->loops->inputs.at[k].is_tensor)
            inputs[k] =
                input_number(d, k, json_object_get_double(value), json_object_get_int64(value));
    }
}

typedef struct set_inputs {
    const case_files *files;
    json_object *set;
    const char *prefix;
} set_inputs;

static fe_status read_set(driver_program *d, void *data, fe_tensor *inputs)
{
    const set_inputs *from = data;
    FE_TRY(inputs_from_file(d, &from->files->values, from->prefix, inputs));
    take_numbers(d, member(from->set, "inputs"), inputs);
    return FE_OK;
}

static fe_status run_set(case_job *job, const case_files *files, json_object *set,
                         const char *prefix)
{
    driver_program *d = job->program;
    const fe_artifact *a = job->program->loaded.artifact;
    fe_tensor *inputs = NEW_ARRAY(d->memory, fe_tensor, a->input_count + 1);
    fe_tensor *outputs = NEW_ARRAY(d->memory, fe_tensor, a->output_count + 1);
    json_object *expected = member(set, "outputs");
    set_inputs from = {files, set, prefix};
    FE_TRY(read_set(d, &from, inputs));
    if (job->context && d->wrapper->state_count) { /* each set was recorded from the first state */
        a->context_free(job->context);
        job->context = NULL;
    }
    if (!job->context) FE_TRY(driver_context(d, a, d->loaded.model, 0, &job->context));
    FE_TRY(case_replace(job));
    if (call_once(a, job->context, d->memory, inputs, outputs) != FE_RUN_OK)
        return compare_mismatch(d, a->error(job->context), "run");
    size_t count = expected ? json_object_array_length(expected) : 0;
    if (expected && count != a->output_count)
        return compare_mismatch(
            d, arena_printf(d->memory, "%u outputs, eager gives %zu", a->output_count, count),
            "outputs");
    fe_status status = FE_OK;
    for (uint32_t k = 0; k < count && status == FE_OK; k++)
        status =
            check_output(d, files, json_object_array_get_idx(expected, k), prefix, k, &outputs[k]);
    if (status == FE_MISMATCH && d->options.bisect) bisect_passes(d, read_set, &from);
    FE_TRY(status);
    json_object *compare = member(files->facts, "compare");
    if (compare && strcmp(json_object_get_string(compare), "ambiguous") == 0) {
        compare_tolerance t = tolerance_of(files->facts, NULL, 0);
        fe_tensor *before = NEW_ARRAY(d->memory, fe_tensor, a->input_count + 1);
        FE_TRY(read_set(d, &from, before));
        FE_TRY(property_check(d, before, outputs, t.relative, t.absolute));
    }
    return check_inputs(d, files, set, prefix, inputs);
}

/* "2." where the inputs of the set are called 2.in.0, ...; else its number. */
static const char *prefix_of(driver_program *d, json_object *set, size_t number)
{
    json_object *inputs = member(set, "inputs");
    json_object *first =
        inputs && json_object_array_length(inputs) ? json_object_array_get_idx(inputs, 0) : NULL;
    const char *name = member(first, "name") ? json_object_get_string(member(first, "name")) : NULL;
    const char *end = name ? strstr(name, "in.") : NULL;
    if (end) return arena_printf(d->memory, "%.*s", (int)(end - name), name);
    return arena_printf(d->memory, "%zu.", number);
}

static fe_status run_sets(case_job *job, void *data)
{
    const case_files *files = data;
    json_object *sets = member(files->facts, "sets");
    if (!sets) return run_set(job, files, files->facts, "");
    for (size_t i = 0; i < json_object_array_length(sets); i++)
        FE_TRY(run_set(job, files, json_object_array_get_idx(sets, i),
                       prefix_of(job->program, json_object_array_get_idx(sets, i), i)));
    return FE_OK;
}

static const char *beside(driver_program *d, const char *extension)
{
    const char *path = d->options.input;
    size_t length = strlen(path);
    return arena_printf(d->memory, "%.*s%s", (int)(length > 4 ? length - 4 : length), path,
                        extension);
}

static void say_distance(case_job *job, const compare_distance *at)
{
    if (!job->program->quantised.count) {
        snprintf(job->message, job->message_bytes, "it has no weights to quantise");
        return;
    }
    int length =
        snprintf(job->message, job->message_bytes,
                 "weights are quantised: outputs are off by %.3g %%, one element by %.3g %% "
                 "of the largest",
                 100 * at->error, 100 * at->most);
    if (at->other && length > 0 && (size_t)length < job->message_bytes)
        snprintf(job->message + length, job->message_bytes - (size_t)length,
                 "; %zu of %zu integers differ", at->other, at->integers);
}

fe_status case_body(fe_session *session, void *data)
{
    case_job *job = data;
    arena *memory = arena_new(session);
    case_files files = {0};
    FE_TRY(driver_compile(session, job->options, STAGE_INFER, memory, &job->program));
    driver_program *d = job->program;
    FE_TRY(check_metadata(d, d->graph));
    if (job->metadata_only) return FE_OK;
    FE_TRY(driver_advance(d, STAGE_PASS, STAGE_EMIT));
    FE_TRY(driver_load(d));
    const char *facts = beside(d, ".json"), *values = beside(d, ".safetensors");
    if (!file_exists(facts) || !file_exists(values)) return FE_OK;
    files.facts = json_object_from_file(facts);
    FE_TRY(tensor_file_open(session, memory, values, &files.values));
    compare_distance distance = {0};
    files.distance = &distance;
    fe_status status = run_sets(job, &files);
    if (status == FE_OK && job->replaces) status = case_each_part(job, run_sets, &files);
    if (status == FE_OK && d->options.quantize.count) say_distance(job, &distance);
    json_object_put(files.facts);
    tensor_file_close(&files.values);
    return status;
}

void case_close(case_job *job)
{
    if (job->context) job->program->loaded.artifact->context_free(job->context);
    driver_close(job->program);
}
