/* sig.c -- the signature: what each input and output of the graph is to the user's module.
 *
 * graph.inputs and signature.input_specs run side by side, as do the outputs. Every parameter,
 * buffer and tensor constant gets its data here.
 */
#include "pt2/pt2_priv.h"

#include <string.h>

/* ---- inputs ---- */

typedef struct input_reader {
    scope *s;
    weight_table weights, constants;
} input_reader;

/* Kinds of input specs. */
static const struct input_row {
    const char *spec;
    fx_input_kind kind;
    const char *target; /* the member that names what it is; NULL: the placeholder's name */
    bool has_data;
} INPUTS[] = {
    {"user_input", FX_USER_INPUT, NULL, false},
    {"parameter", FX_PARAMETER, "parameter_name", true},
    {"buffer", FX_BUFFER, "buffer_name", true},
    {"tensor_constant", FX_CONSTANT, "tensor_constant_name", true},
    {"constant_input", FX_CONSTANT_INPUT, NULL, false},
    {"custom_obj", FX_OBJECT, "custom_obj_name", false},
    {"token", FX_TOKEN, NULL, false},
};

/* The name in {name: "x"} or {as_name: "x"}, behind the kind or not; NULL for a constant. */
static fe_status argument_name(json_at *argument, const char **out)
{
    json_at inner, name;
    *out = NULL;
    if (json_find(argument, "name", &name) || json_find(argument, "as_name", &name))
        return json_name(&name, out);
    FE_TRY(json_only_member(argument, &inner));
    if (json_find(&inner, "name", &name) || json_find(&inner, "as_name", &name))
        return json_name(&name, out);
    return FE_OK;
}

fe_status constant_read(scope *s, json_at *value, const fx_value **result)
{
    fx_arg arg;
    FE_TRY(arg_read(s, value, &arg));
    fx_value *out = NEW(s->reader->memory, fx_value);
    *result = out;
    switch (arg.kind) {
    case FX_ARG_NONE: out->kind = FX_NO_VALUE; return FE_OK;
    case FX_ARG_INT:
        out->kind = FX_INT;
        out->expr = arg.expr;
        return FE_OK;
    case FX_ARG_BOOL:
        out->kind = FX_BOOL;
        out->expr = sym_int(s->reader->symbols, arg.boolean);
        return FE_OK;
    case FX_ARG_FLOAT:
        out->kind = FX_FLOAT;
        out->is_known = true;
        out->number = arg.number;
        return FE_OK;
    default: out->kind = FX_OPAQUE; return FE_OK;
    }
}

static bool same_sizes(const ty_tensor *a, const ty_tensor *b)
{
    if (a->dtype != b->dtype || a->rank != b->rank) return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (!sym_same(a->sizes[i], b->sizes[i])) return false;
    return true;
}

/* The stored tensor. Its layout is the data's; the recorded one stays in the record. */
static fe_status attach_data(input_reader *in, json_at *spec, fx_node *n)
{
    scope *s = in->s;
    weight w;
    bool found;
    FE_TRY(weights_find(s->reader, &in->weights, n->target, &w, &found));
    if (!found) FE_TRY(weights_find(s->reader, &in->constants, n->target, &w, &found));
    if (!found)
        return json_fail(spec, FE_CORRUPT, NULL, "neither %s nor %s has an entry for '%s'",
                         in->weights.record, in->constants.record, n->target);
    if (n->value.kind != FX_TENSOR)
        return json_fail(spec, FE_CORRUPT, NULL, "'%s' is no tensor", n->target);
    if (!same_sizes(w.meta, n->value.tensor)) {
        text stored, wanted;
        text_init(&stored, s->reader->memory);
        text_init(&wanted, s->reader->memory);
        ty_print(s->reader->symbols, w.meta, &stored);
        ty_print(s->reader->symbols, n->value.tensor, &wanted);
        return json_fail(spec, FE_CORRUPT, NULL, "weight '%s' is %s, the program takes %s",
                         n->target, stored.at, wanted.at);
    }
    n->value.tensor->strides = w.meta->strides;
    n->value.tensor->offset = w.meta->offset;
    n->data = w.data;
    return FE_OK;
}

/* The input's name, which graph and signature must agree on, and whether it is a constant. */
static fe_status read_input_name(scope *s, json_at *input, json_at *spec,
                                 const struct input_row *row, const char **name, bool *is_constant)
{
    json_at argument;
    const char *given;
    *is_constant = row->kind == FX_CONSTANT_INPUT;
    if (*is_constant) return json_name_of(spec, "name", name);
    FE_TRY(json_member(spec, "arg", &argument));
    FE_TRY(argument_name(&argument, name));
    if (!*name) { /* a number as a user input */
        *is_constant = true;
        uint32_t index = s->graph->inputs.count;
        *name = intern(s->reader->session, arena_printf(s->reader->memory, "arg%u", index));
        return FE_OK;
    }
    FE_TRY(argument_name(input, &given));
    if (given == *name) return FE_OK;
    return json_fail(input, FE_CORRUPT, NULL,
                     "the graph's input is '%.100s', the signature's '%.100s'",
                     given ? given : "a constant", *name);
}

static fe_status read_input_value(scope *s, json_at *input, const struct input_row *row,
                                  const binding *b, bool is_constant, const fx_value **value)
{
    *value = b->value;
    if (is_constant) return constant_read(s, input, value);
    if (*value) return FE_OK;
    if (row->kind != FX_OBJECT && row->kind != FX_TOKEN)
        return json_fail(input, FE_CORRUPT, NULL, "nothing is recorded for the input '%.200s'",
                         b->name);
    fx_value *opaque = NEW(s->reader->memory, fx_value);
    opaque->kind = FX_OPAQUE;
    *value = opaque;
    return FE_OK;
}

static fe_status make_input(input_reader *in, json_at *input, json_at *spec,
                            const struct input_row *row)
{
    scope *s = in->s;
    json_at persistent;
    const char *name, *target;
    const fx_value *value;
    bool is_constant;
    FE_TRY(read_input_name(s, input, spec, row, &name, &is_constant));
    target = name;
    if (row->target) FE_TRY(json_name_of(spec, row->target, &target));
    binding *b = scope_bind(s, name);
    if (b->node) return json_fail(input, FE_CORRUPT, NULL, "two inputs are named '%.200s'", name);
    FE_TRY(read_input_value(s, input, row, b, is_constant, &value));
    b->node = fx_placeholder(s->graph, is_constant ? FX_CONSTANT_INPUT : row->kind, name, target);
    b->node->origin = origin_of_input(s->reader, b->node->name);
    node_record(s->reader, b->node, value);
    if (json_find(spec, "persistent", &persistent))
        FE_TRY(json_boolean(&persistent, &b->node->is_persistent));
    return row->has_data ? attach_data(in, spec, b->node) : FE_OK;
}

static fe_status read_input(input_reader *in, json_at *input, json_at *spec)
{
    json_at content;
    FE_TRY(json_only_member(spec, &content));
    for (size_t i = 0; i < COUNT_OF(INPUTS); i++)
        if (json_key_is(&content, INPUTS[i].spec))
            return make_input(in, input, &content, &INPUTS[i]);
    return json_fail(spec, FE_CORRUPT, NULL, "'%.*s' is no kind of input", (int)content.key_length,
                     content.key);
}

/* Loads two arrays that run side by side. */
static fe_status pair_up(json_at *first, json_at *second, uint32_t *count)
{
    uint32_t others;
    FE_TRY(json_count(first, count));
    FE_TRY(json_count(second, &others));
    if (*count == others) return FE_OK;
    return json_fail(first, FE_CORRUPT, NULL, "the graph has %u of these, its signature %u", *count,
                     others);
}

fe_status inputs_read(scope *s, json_at *graph, json_at *signature, const char *model)
{
    json_at inputs, specs, input, spec;
    json_walk walk, spec_walk;
    uint32_t count;
    input_reader *in = NEW(s->reader->memory, input_reader);
    in->s = s;
    FE_TRY(weights_open(s->reader, "weights", model, &in->weights));
    FE_TRY(weights_open(s->reader, "constants", model, &in->constants));
    FE_TRY(json_member(graph, "inputs", &inputs));
    FE_TRY(json_member(signature, "input_specs", &specs));
    FE_TRY(pair_up(&inputs, &specs, &count));
    FE_TRY(json_walk_array(&inputs, &walk));
    FE_TRY(json_walk_array(&specs, &spec_walk));
    while (json_next(&walk, &input) && json_next(&spec_walk, &spec))
        FE_TRY(read_input(in, &input, &spec));
    return FE_OK;
}

/* ---- outputs ---- */

/* The derivatives of a training step are results like its loss. */
static const struct output_row {
    const char *spec;
    fx_output_kind kind;
    const char *target;    /* of a mutation: the member that names what is mutated */
    fx_input_kind mutated; /* and the kind of input that this is */
} OUTPUTS[] = {
    {"user_output", FX_USER_OUTPUT, NULL, 0},
    {"loss_output", FX_USER_OUTPUT, NULL, 0},
    {"buffer_mutation", FX_BUFFER_MUTATION, "buffer_name", FX_BUFFER},
    {"parameter_mutation", FX_PARAMETER_MUTATION, "parameter_name", FX_PARAMETER},
    {"user_input_mutation", FX_USER_INPUT_MUTATION, "user_input_name", FX_USER_INPUT},
    {"token", FX_TOKEN_OUTPUT, NULL, 0},
    {"gradient_to_parameter", FX_USER_OUTPUT, NULL, 0},
    {"gradient_to_user_input", FX_USER_OUTPUT, NULL, 0},
};

static uint64_t input_key(const char *target, fx_input_kind kind)
{
    return HASH_MIX(MAP_KEY(target), kind);
}

/* A mutation is of an input of its kind, and has a tensor. */
static fe_status check_mutation(json_at *spec, const map *inputs, const struct output_row *row,
                                const fx_output *out, const fx_arg *value)
{
    if (map_get(inputs, input_key(out->target, row->mutated)) == MAP_NONE)
        return json_fail(spec, FE_CORRUPT, NULL, "'%.200s' is mutated but no input of that kind",
                         out->target);
    if (!fx_arg_tensor(value))
        return json_fail(spec, FE_CORRUPT, NULL, "'%.200s' is mutated by what is no tensor",
                         out->target);
    return FE_OK;
}

static fe_status read_output(json_at *spec, const map *inputs, const fx_arg *value, fx_output *out)
{
    json_at content;
    FE_TRY(json_only_member(spec, &content));
    for (size_t i = 0; i < COUNT_OF(OUTPUTS); i++) {
        const struct output_row *row = &OUTPUTS[i];
        if (!json_key_is(&content, row->spec)) continue;
        out->kind = row->kind;
        if (!row->target) return FE_OK;
        FE_TRY(json_name_of(&content, row->target, &out->target));
        return check_mutation(spec, inputs, row, out, value);
    }
    return json_fail(spec, FE_CORRUPT, NULL, "'%.*s' is no kind of output", (int)content.key_length,
                     content.key);
}

fe_status outputs_read(scope *s, json_at *graph, json_at *signature)
{
    json_at outputs, specs, output, spec;
    json_walk walk, spec_walk;
    uint32_t count;
    map inputs = {0};
    for (uint32_t i = 0; i < s->graph->inputs.count; i++) {
        const fx_node *n = s->graph->inputs.at[i];
        map_set(s->reader->memory, &inputs, input_key(n->target, n->input_kind), i);
    }
    FE_TRY(json_member(graph, "outputs", &outputs));
    FE_TRY(json_member(signature, "output_specs", &specs));
    FE_TRY(pair_up(&outputs, &specs, &count));
    fx_arg *values = NEW_ARRAY(s->reader->memory, fx_arg, count);
    fx_output *kinds = NEW_ARRAY(s->reader->memory, fx_output, count);
    FE_TRY(json_walk_array(&outputs, &walk));
    FE_TRY(json_walk_array(&specs, &spec_walk));
    for (uint32_t i = 0; json_next(&walk, &output) && json_next(&spec_walk, &spec); i++) {
        FE_TRY(arg_read(s, &output, &values[i]));
        FE_TRY(read_output(&spec, &inputs, &values[i], &kinds[i]));
    }
    fx_set_output(s->graph, values, kinds, count);
    return FE_OK;
}

/* ---- nested structure ---- */

static fe_status read_signature(scope *s, json_at *signature)
{
    fx_graph *g = s->graph;
    json_at names, name;
    json_walk walk;
    FE_TRY(json_name_of(signature, "in_spec", &g->in_spec));
    FE_TRY(json_name_of(signature, "out_spec", &g->out_spec));
    if (!json_find(signature, "forward_arg_names", &names)) return FE_OK;
    FE_TRY(json_walk_array(&names, &walk));
    while (json_next(&walk, &name)) {
        const char *argument;
        FE_TRY(json_name(&name, &argument));
        vec_push(g->memory, &g->input_names, argument);
    }
    return FE_OK;
}

fe_status structure_read(scope *s, json_at *module)
{
    json_at calls, call, signature;
    json_walk walk;
    if (!json_find(module, "module_call_graph", &calls)) return FE_OK;
    FE_TRY(json_walk_array(&calls, &walk));
    while (json_next(&walk, &call)) {
        const char *path;
        FE_TRY(json_text_of(&call, "fqn", &path));
        if (*path == '\0' && json_find(&call, "signature", &signature))
            return read_signature(s, &signature);
    }
    return FE_OK;
}
