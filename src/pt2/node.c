/* node.c -- serialized nodes to fx: arguments by schema, outputs, subgraphs, provenance.
 *
 * An archive folds `_operator.getitem` into the node that it reads from: that node has several
 * outputs, named as the getitems were. They are made again here, except for those whose name
 * says that nobody reads them (`topk_unused_1`); one of these is made when somebody does.
 */
#include "pt2/pt2_priv.h"

#include <stdio.h>
#include <string.h>

enum { DEEPEST_SUBGRAPH = 50 };

/* Members of a serialized node. The first three must be there. */
enum { TARGET, INPUTS, OUTPUTS, METADATA, NAME, IS_SINGLE, MEMBER_COUNT };
static const char *const MEMBERS[MEMBER_COUNT] = {
    "target", "inputs", "outputs", "metadata", "name", "is_hop_single_tensor_return",
};

/* A node while it is read. */
typedef struct entry {
    json_at *at;
    json_at members[MEMBER_COUNT];
    bool has[MEMBER_COUNT]; /* and not null */
    const char *target;     /* interned, as recorded */
    const char *name;       /* NULL when the archive gives none */
    const op_info *op;
    const fx_origin *origin;
    uint32_t output_count;
    bool is_single; /* of a higher-order operator: its output is no tuple of one */
    fx_node *node;
} entry;

void node_record(reader *r, fx_node *n, const fx_value *recorded)
{
    pt2_archive *archive = r->archive;
    n->value = *value_copy(r->memory, recorded);
    if (!n->origin) return;
    map_set(archive->memory, &archive->recorded, MAP_KEY(n->origin),
            archive->recorded_values.count);
    vec_push(archive->memory, &archive->recorded_values, recorded);
}

/* ---- arguments ---- */

/* Python functions name their parameters as they like, or not at all: by position. */
static int parameter_of(const entry *e, const char *name, uint32_t position)
{
    if (e->op->flags & OPF_SYMBOLIC || !*name)
        return position < e->op->param_count ? (int)position : -1;
    if (position < e->op->param_count && strcmp(e->op->params[position].name, name) == 0)
        return (int)position;
    return op_param_index(e->op, name);
}

static fe_status read_arguments(scope *s, entry *e, json_at *inputs, fx_arg *args)
{
    json_at input, value;
    json_walk walk;
    const op_info *op = e->op;
    bool *given = NEW_ARRAY(s->reader->memory, bool, op->param_count);
    FE_TRY(json_walk_array(inputs, &walk));
    for (uint32_t position = 0; json_next(&walk, &input); position++) {
        const char *name;
        FE_TRY(json_text_of(&input, "name", &name));
        int i = parameter_of(e, name, position);
        if (i < 0)
            return json_fail(&input, FE_CORRUPT, NULL, "%s has no parameter '%.100s'", op->schema,
                             name);
        if (given[i])
            return json_fail(&input, FE_CORRUPT, NULL, "'%s' of %s is given twice",
                             op->params[i].name, op->schema);
        given[i] = true;
        FE_TRY(json_member(&input, "arg", &value));
        FE_TRY(arg_read(s, &value, &args[i]));
        FE_TRY(arg_fit(s, &value, op, &op->params[i], &args[i]));
    }
    for (uint32_t i = 0; i < op->param_count; i++) {
        if (given[i]) continue;
        if (op->params[i].default_value.kind == OP_DEFAULT_ABSENT)
            return json_fail(inputs, FE_CORRUPT, NULL, "'%s' of %s is not given and has no default",
                             op->params[i].name, op->schema);
        args[i] = arg_default(s, &op->params[i]);
    }
    return FE_OK;
}

/* A higher-order operator's: as they stand, keywords as pairs of name and value. */
static fe_status read_open_arguments(scope *s, json_at *inputs, fx_arg *args)
{
    enum { KEYWORD = 2 };
    json_at input, value, kind;
    json_walk walk;
    FE_TRY(json_walk_array(inputs, &walk));
    for (uint32_t i = 0; json_next(&walk, &input); i++) {
        const char *name;
        int64_t number = 0;
        FE_TRY(json_name_of(&input, "name", &name));
        FE_TRY(json_member(&input, "arg", &value));
        FE_TRY(arg_read(s, &value, &args[i]));
        if (json_find(&input, "kind", &kind)) FE_TRY(json_int(&kind, &number));
        if (number != KEYWORD || !*name) continue;
        fx_arg pair[2] = {fx_string(name), args[i]};
        args[i] = fx_list(s->graph, pair, 2);
    }
    return FE_OK;
}

static fe_status make_call(scope *s, entry *e, json_at *inputs)
{
    uint32_t count;
    arena *memory = s->reader->memory;
    FE_TRY(json_count(inputs, &count));
    bool is_open = e->op->flags & OPF_HIGHER_ORDER;
    if (!is_open) count = e->op->param_count;
    fx_arg *args = NEW_ARRAY(memory, fx_arg, count);
    FE_TRY(is_open ? read_open_arguments(s, inputs, args) : read_arguments(s, e, inputs, args));
    e->node = fx_call(s->graph, NULL, e->op, e->name ? e->name : e->op->base, args, count);
    e->node->origin = e->origin;
    return FE_OK;
}

/* ---- outputs ---- */

/* {name: "x"} of a tensor, {as_name: "x"} of a number; *out is NULL for a constant number. */
static fe_status output_name(json_at *kind, const char **out)
{
    json_at inner;
    *out = NULL;
    if (json_key_is(kind, "as_tensor") || json_key_is(kind, "as_custom_obj"))
        return json_name_of(kind, "name", out);
    if (!json_key_is(kind, "as_sym_int") && !json_key_is(kind, "as_sym_bool") &&
        !json_key_is(kind, "as_sym_float"))
        return json_fail(kind, FE_CORRUPT, NULL, "'%.*s' is no kind of output",
                         (int)kind->key_length, kind->key);
    FE_TRY(json_only_member(kind, &inner));
    return json_key_is(&inner, "as_name") ? json_name(&inner, out) : FE_OK;
}

/* The binding of a name that is defined here, with what is recorded for it. */
static fe_status define(scope *s, json_at *at, const char *name, binding **out)
{
    *out = scope_bind(s, name);
    if ((*out)->node || (*out)->tuple)
        return json_fail(at, FE_CORRUPT, NULL, "the value '%.200s' is defined twice", name);
    if (!(*out)->value)
        return json_fail(at, FE_CORRUPT, NULL, "nothing is recorded for the value '%.200s'", name);
    return FE_OK;
}

void item_make(scope *s, binding *b)
{
    reader *r = s->reader;
    fx_arg args[2] = {fx_of(b->tuple), fx_int(s->graph, b->item)};
    b->node = fx_call(s->graph, NULL, r->getitem, b->name, args, 2);
    b->node->origin = b->origin;
    node_record(r, b->node, b->value);
}

/* Item i of `tuple`; `unused` is the name that says nobody reads it. */
static fe_status read_item(scope *s, entry *e, json_at *kind, fx_node *tuple, uint32_t i,
                           const char *unused, fx_value *value)
{
    const char *name;
    binding *b;
    if (json_key_is(kind, "as_none")) return FE_OK;
    FE_TRY(output_name(kind, &name));
    if (!name) return FE_OK;
    FE_TRY(define(s, kind, name, &b));
    b->tuple = tuple;
    b->item = i;
    b->origin = origin_like(s->reader, e->origin, name, s->reader->getitem->name);
    *value = *b->value;
    if (strcmp(name, unused) != 0) item_make(s, b);
    return FE_OK;
}

/* Items of a list output: bare names. */
static fe_status read_tensor_items(scope *s, entry *e, json_at *list, fx_node *tuple,
                                   const char *prefix, fx_value *value)
{
    json_at item;
    json_walk walk;
    FE_TRY(json_count(list, &value->count));
    value->kind = FX_TUPLE;
    value->items = NEW_ARRAY(s->reader->memory, fx_value, value->count);
    FE_TRY(json_walk_array(list, &walk));
    for (uint32_t i = 0; json_next(&walk, &item); i++) {
        json_at kind = item; /* read as the content of as_tensor */
        kind.key = "as_tensor";
        kind.key_length = 9;
        FE_TRY(read_item(s, e, &kind, tuple, i, arena_printf(s->reader->memory, "%s_%u", prefix, i),
                         &value->items[i]));
    }
    return FE_OK;
}

/* An output that is itself a list, among several: its getitem's name is not recorded. */
static fe_status read_list_output(scope *s, entry *e, json_at *kind, uint32_t i, const char *prefix,
                                  fx_value *value)
{
    reader *r = s->reader;
    const char *name = intern(r->session, arena_printf(r->memory, "%s_%u", e->node->name, i));
    fx_arg args[2] = {fx_of(e->node), fx_int(s->graph, i)};
    fx_node *list = fx_call(s->graph, NULL, r->getitem, name, args, 2);
    list->origin = origin_like(r, e->origin, list->name, r->getitem->name);
    FE_TRY(read_tensor_items(s, e, kind, list, prefix, value));
    node_record(r, list, value);
    return FE_OK;
}

static fe_status read_tuple(scope *s, entry *e, fx_value *value)
{
    json_at output, kind;
    json_walk walk;
    value->kind = FX_TUPLE;
    value->count = e->output_count;
    value->items = NEW_ARRAY(s->reader->memory, fx_value, value->count);
    FE_TRY(json_walk_array(&e->members[OUTPUTS], &walk));
    for (uint32_t i = 0; json_next(&walk, &output); i++) {
        const char *unused = arena_printf(s->reader->memory, "%s_unused_%u", e->node->name, i);
        FE_TRY(json_only_member(&output, &kind));
        if (json_key_is(&kind, "as_tensors"))
            FE_TRY(read_list_output(s, e, &kind, i, unused, &value->items[i]));
        else
            FE_TRY(read_item(s, e, &kind, e->node, i, unused, &value->items[i]));
    }
    return FE_OK;
}

/* The only output, which the node itself stands for. */
static fe_status read_single(scope *s, entry *e, json_at *kind, const fx_value **value)
{
    const char *name;
    binding *b;
    if (json_key_is(kind, "as_none")) return FE_OK;
    FE_TRY(output_name(kind, &name));
    if (!name) return FE_OK;
    FE_TRY(define(s, kind, name, &b));
    b->node = e->node;
    *value = b->value;
    return FE_OK;
}

/* Does the first output, of this kind, go with the schema's returns? */
static bool fits_returns(const entry *e, const json_at *kind)
{
    const op_info *op = e->op;
    bool is_list = json_key_is(kind, "as_tensors");
    if (op->flags & OPF_HIGHER_ORDER) return true;
    if (e->output_count == 1 && json_key_is(kind, "as_none")) return true;
    if (op->return_count == 0) return false;
    if (op->returns[0].type.base == OP_ANY) return true;
    return e->output_count == op->return_count && is_list == op->returns[0].type.list;
}

static fe_status read_outputs(scope *s, entry *e)
{
    json_at output, kind;
    json_walk walk;
    fx_value *tuple = NEW(s->reader->memory, fx_value);
    const fx_value *value = tuple; /* of no kind: nothing is returned */
    bool is_open = e->op->flags & OPF_HIGHER_ORDER;
    FE_TRY(json_walk_array(&e->members[OUTPUTS], &walk));
    if (json_next(&walk, &output)) {
        FE_TRY(json_only_member(&output, &kind));
        if (!fits_returns(e, &kind))
            return json_fail(&e->members[OUTPUTS], FE_CORRUPT, NULL,
                             "these are not the outputs of %s", e->op->schema);
        bool is_tuple =
            e->output_count > 1 || (is_open && !json_key_is(&kind, "as_none") && !e->is_single);
        const char *prefix = arena_printf(s->reader->memory, "%s_unused", e->node->name);
        if (e->output_count == 1 && json_key_is(&kind, "as_tensors"))
            FE_TRY(read_tensor_items(s, e, &kind, e->node, prefix, tuple));
        else if (is_tuple)
            FE_TRY(read_tuple(s, e, tuple));
        else
            FE_TRY(read_single(s, e, &kind, &value));
        if (value == tuple && tuple->kind == FX_NO_VALUE && e->op->return_count > 0)
            tuple->kind = FX_OPAQUE; /* None, though the schema says otherwise */
    } else if (!is_open && e->op->return_count > 0) {
        return json_fail(&e->members[OUTPUTS], FE_CORRUPT, NULL, "no outputs for %s",
                         e->op->schema);
    }
    node_record(s->reader, e->node, value);
    return FE_OK;
}

/* ---- operators that we don't know ---- */

/* One diagnostic for each, at its first place. Its outputs become placeholders of a graph that
 * nobody will get. */
static fe_status stand_in(scope *s, json_at *kind)
{
    const char *name;
    binding *b;
    json_at item;
    json_walk walk;
    if (json_key_is(kind, "as_tensors")) {
        FE_TRY(json_walk_array(kind, &walk));
        while (json_next(&walk, &item)) {
            item.key = "as_tensor";
            item.key_length = 9;
            FE_TRY(stand_in(s, &item));
        }
        return FE_OK;
    }
    if (json_key_is(kind, "as_none")) return FE_OK;
    FE_TRY(output_name(kind, &name));
    if (!name) return FE_OK;
    FE_TRY(define(s, kind, name, &b));
    b->node = fx_placeholder(s->graph, FX_USER_INPUT, name, name);
    b->node->value = *value_copy(s->reader->memory, b->value);
    return FE_OK;
}

/* What stands around derivatives taken forward is PyTorch's to resolve, what quantised weights are made of
 * by, torchao's. */
static const char *how_to_know(const char *target)
{
    static const char TRANSFORMS[] = "torch._functorch.predispatch.", AO[] = "torch.ops.torchao.";
    if (strncmp(target, TRANSFORMS, sizeof TRANSFORMS - 1) == 0)
        return "call run_decompositions({}) of the exported program before it is saved";
    if (strncmp(target, AO, sizeof AO - 1) == 0)
        return "call run_decompositions() of the exported program before it is saved, or declare "
               "it in "
               "a library (--ops)";
    return "declare it in a library of your own (ferrite_ops.h), and give that with --ops";
}

static fe_status report_unknown(scope *s, entry *e)
{
    reader *r = s->reader;
    json_at output, kind;
    json_walk walk;
    r->unsupported++;
    if (map_get(&r->unknown, MAP_KEY(e->target)) == MAP_NONE) {
        map_set(r->memory, &r->unknown, MAP_KEY(e->target), 1);
        diag d = {.status = FE_UNSUPPORTED,
                  .stage = "pt2",
                  .place = json_place(e->at),
                  .op = e->target,
                  .source = fx_origin_line(s->graph, e->origin),
                  .help = how_to_know(e->target)};
        diag_fail(r->session, d, "this operator is not known");
    }
    FE_TRY(json_walk_array(&e->members[OUTPUTS], &walk));
    while (json_next(&walk, &output)) {
        FE_TRY(json_only_member(&output, &kind));
        FE_TRY(stand_in(s, &kind));
    }
    return FE_OK;
}

/* ---- nodes and subgraphs ---- */

/* Nodes have names since torch 2.7; before, one with a single output was named as that. */
static fe_status name_entry(entry *e)
{
    json_at output, kind;
    json_walk walk;
    if (e->has[NAME]) return json_name(&e->members[NAME], &e->name);
    FE_TRY(json_walk_array(&e->members[OUTPUTS], &walk));
    if (e->output_count != 1 || !json_next(&walk, &output)) return FE_OK;
    FE_TRY(json_only_member(&output, &kind));
    if (json_key_is(&kind, "as_none") || json_key_is(&kind, "as_tensors")) return FE_OK;
    return output_name(&kind, &e->name);
}

static fe_status find_members(entry *e)
{
    json_at member;
    json_walk walk;
    FE_TRY(json_walk_object(e->at, &walk));
    while (json_next(&walk, &member))
        for (int i = 0; i < MEMBER_COUNT; i++)
            if (json_key_is(&member, MEMBERS[i])) {
                e->members[i] = member;
                e->has[i] = !json_is_null(&member);
            }
    for (int i = 0; i <= OUTPUTS; i++)
        if (!e->has[i])
            return json_fail(e->at, FE_CORRUPT, NULL, "the member '%s' is missing", MEMBERS[i]);
    return FE_OK;
}

static fe_status read_node(scope *s, json_at *at)
{
    entry e = {.at = at};
    FE_TRY(find_members(&e));
    FE_TRY(json_name(&e.members[TARGET], &e.target));
    FE_TRY(json_count(&e.members[OUTPUTS], &e.output_count));
    FE_TRY(name_entry(&e));
    if (e.has[IS_SINGLE]) FE_TRY(json_boolean(&e.members[IS_SINGLE], &e.is_single));
    e.op = op_find(s->reader->ops, e.target);
    FE_TRY(origin_read(s->reader, e.name, e.target, e.has[METADATA] ? &e.members[METADATA] : NULL,
                       &e.origin));
    if (!e.op) return report_unknown(s, &e);
    FE_TRY(make_call(s, &e, &e.members[INPUTS]));
    return read_outputs(s, &e);
}

fe_status nodes_read(scope *s, json_at *graph)
{
    json_at nodes, node;
    json_walk walk;
    FE_TRY(json_member(graph, "nodes", &nodes));
    FE_TRY(json_walk_array(&nodes, &walk));
    while (json_next(&walk, &node)) {
        arena_mark_t mark = json_mark(node.document);
        FE_TRY(read_node(s, &node));
        json_drop(node.document, mark);
    }
    return FE_OK;
}

static fe_status read_subgraph_input(scope *s, json_at *input, uint32_t index)
{
    json_at kind;
    const char *name = NULL;
    const fx_value *value;
    fx_input_kind input_kind = FX_USER_INPUT;
    FE_TRY(json_only_member(input, &kind));
    if (json_key_is(&kind, "as_tensor") || json_key_is(&kind, "as_custom_obj") ||
        json_key_is(&kind, "as_sym_int"))
        FE_TRY(output_name(&kind, &name));
    binding *b = NULL;
    if (name) {
        FE_TRY(define(s, &kind, name, &b));
        value = b->value;
    } else { /* a constant */
        input_kind = FX_CONSTANT_INPUT;
        name = intern(s->reader->session, arena_printf(s->reader->memory, "arg%u", index));
        FE_TRY(constant_read(s, input, &value));
    }
    fx_node *n = fx_placeholder(s->graph, input_kind, name, name);
    n->origin = origin_of_input(s->reader, n->name);
    node_record(s->reader, n, value);
    if (b) b->node = n;
    return FE_OK;
}

static fe_status read_subgraph_inputs(scope *s, json_at *graph)
{
    json_at inputs, input;
    json_walk walk;
    FE_TRY(json_member(graph, "inputs", &inputs));
    FE_TRY(json_walk_array(&inputs, &walk));
    for (uint32_t i = 0; json_next(&walk, &input); i++) FE_TRY(read_subgraph_input(s, &input, i));
    return FE_OK;
}

static fe_status read_subgraph_outputs(scope *s, json_at *graph)
{
    json_at outputs, output;
    json_walk walk;
    uint32_t count;
    FE_TRY(json_member(graph, "outputs", &outputs));
    FE_TRY(json_count(&outputs, &count));
    fx_arg *values = NEW_ARRAY(s->reader->memory, fx_arg, count);
    fx_output *kinds = NEW_ARRAY(s->reader->memory, fx_output, count); /* zero: user outputs */
    FE_TRY(json_walk_array(&outputs, &walk));
    for (uint32_t i = 0; json_next(&walk, &output); i++) FE_TRY(arg_read(s, &output, &values[i]));
    fx_set_output(s->graph, values, kinds, count);
    return FE_OK;
}

fe_status subgraph_read(scope *outer, json_at *graph, const char *name, fx_graph **out)
{
    reader *r = outer->reader;
    if (r->depth == DEEPEST_SUBGRAPH)
        return json_fail(graph, FE_UNSUPPORTED, NULL, "more than %d graphs inside each other",
                         DEEPEST_SUBGRAPH);
    scope *s = NEW(r->memory, scope);
    s->reader = r;
    s->graph = fx_graph_new(r->session, r->memory, r->symbols, r->ops, name);
    s->graph->parent = outer->graph;
    r->depth++;
    FE_TRY(values_read(s, graph));
    FE_TRY(read_subgraph_inputs(s, graph));
    FE_TRY(nodes_read(s, graph));
    FE_TRY(read_subgraph_outputs(s, graph));
    r->depth--;
    *out = s->graph;
    return FE_OK;
}
