/* graph.c -- the functions of ferrite_graph.h. What they are handed is looked at here, and ends in the
 * constructors that the text form and archives end in (fx.h).
 */
#include "driver/graph.h"

#include "driver/api.h"

#include <stdio.h>
#include <string.h>

/* One call of a function: what it is given, and what it gives. */
typedef struct graph_job {
    fe_graph *g;
    fe_status (*body)(struct graph_job *j);
    const char *name, *text, *function, *module;
    int64_t min, max, hint;
    uint32_t kind, count;
    const fe_operand *operands;
    const fe_meta *meta;
    const fe_tensor *tensor;
    fe_node *node, *value;
    fx_node *made;
    fe_graph *subgraph;
    int64_t size;
} graph_job;

fe_status graph_refuse(const fe_graph *g, fe_status status, const char *place, const char *format,
                       ...)
{
    char said[500];
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    return diag_fail(g->graph->session, (diag){.status = status, .stage = "graph", .place = place},
                     "%s", said);
}

/* ---- the border ---- */

/* What was refused first is told again when the graph is to be compiled. */
static void remember(graph_builder *b, const diag *d)
{
    if (!d) return;
    b->failure = *d;
    b->failure.place = d->place ? arena_strdup(b->memory, d->place) : NULL;
    b->failure.op = d->op ? arena_strdup(b->memory, d->op) : NULL;
    b->failure.message = arena_strdup(b->memory, d->message);
    b->failure.help = d->help ? arena_strdup(b->memory, d->help) : NULL;
}

static fe_status run_body(fe_session *session, void *data)
{
    graph_job *j = data;
    fe_status status = j->body(j);
    if (status != FE_OK) remember(j->g->builder, session->first_diag);
    return status;
}

static fe_status build(graph_job *j)
{
    graph_builder *b = j->g ? j->g->builder : NULL;
    if (!b) return FE_USAGE; /* none was made, or a pass is run over it */
    if (b->status == FE_OK) b->status = api_call(b->session, run_body, j);
    return b->status;
}

static fe_node *build_node(graph_job *j)
{
    if (build(j) != FE_OK) return NULL;
    return (fe_node *)j->made;
}

static int64_t build_size(graph_job *j)
{
    return build(j) == FE_OK ? j->size : FE_NOT_KNOWN;
}

/* ---- graphs ---- */

static fe_graph *add_graph(graph_builder *b, fe_graph *parent, sym_table *symbols, const char *name)
{
    fe_graph *g = NEW(b->memory, fe_graph);
    g->graph = fx_graph_new(b->session, b->memory, symbols, b->ops, name);
    g->graph->parent = parent ? parent->graph : NULL;
    g->memory = b->memory;
    g->builder = b;
    g->parent = parent;
    vec_push(b->memory, &b->graphs, g);
    return g;
}

/* Operators of the session's are known as in a program that is compiled. */
static fe_status new_body(fe_session *session, void *data)
{
    graph_job *j = data;
    arena *memory = arena_new(session);
    driver_program known = {.session = session, .memory = memory, .options = *api_options(session)};
    FE_TRY(ops_load(&known));
    graph_builder *b = NEW(memory, graph_builder);
    b->session = session;
    b->memory = memory;
    b->name = arena_strdup(memory, j->name && *j->name ? j->name : "graph");
    b->ops = known.ops ? known.ops : op_registry_new(memory);
    b->holders = 1;
    b->main = add_graph(b, NULL, sym_table_new(memory), b->name);
    j->subgraph = b->main;
    return FE_OK;
}

fe_graph *fe_graph_new(fe_session *session, const char *name)
{
    graph_job j = {.name = name};
    return api_call(session, new_body, &j) == FE_OK ? j.subgraph : NULL;
}

void graph_release(graph_builder *b)
{
    if (b && --b->holders == 0) arena_free(b->memory);
}

void fe_graph_free(fe_graph *graph)
{
    if (graph && graph->builder && !graph->parent) graph_release(graph->builder);
}

static fe_status subgraph_body(graph_job *j)
{
    const char *name = j->name && *j->name ? j->name : "graph";
    j->subgraph = add_graph(j->g->builder, j->g, j->g->graph->symbols, name);
    return FE_OK;
}

fe_graph *fe_graph_subgraph(fe_graph *graph, const char *name)
{
    graph_job j = {.g = graph, .body = subgraph_body, .name = name};
    return build(&j) == FE_OK ? j.subgraph : NULL;
}

/* ---- sizes ---- */

static fe_status symbol_body(graph_job *j)
{
    return graph_symbol(j->g, j->name, (sym_kind)j->kind, j->min, j->max, j->hint, &j->size);
}

int64_t fe_graph_symbol(fe_graph *graph, const char *name, int64_t min, int64_t max, int64_t hint)
{
    return build_size(&(graph_job){.g = graph,
                                   .body = symbol_body,
                                   .name = name,
                                   .kind = SYM_SIZE,
                                   .min = min,
                                   .max = max,
                                   .hint = hint});
}

int64_t fe_graph_unbacked(fe_graph *graph, const char *name, int64_t min, int64_t max)
{
    return build_size(&(graph_job){.g = graph,
                                   .body = symbol_body,
                                   .name = name,
                                   .kind = SYM_UNBACKED,
                                   .min = min,
                                   .max = max,
                                   .hint = FE_NOT_KNOWN});
}

static fe_status size_body(graph_job *j)
{
    return graph_size(j->g, j->text, &j->size);
}

int64_t fe_graph_size(fe_graph *graph, const char *expression)
{
    return build_size(&(graph_job){.g = graph, .body = size_body, .text = expression});
}

static fe_status require_body(graph_job *j)
{
    return graph_require(j->g, j->text, j->name);
}

fe_status fe_graph_require(fe_graph *graph, const char *condition, const char *message)
{
    return build(
        &(graph_job){.g = graph, .body = require_body, .text = condition, .name = message});
}

/* ---- nodes ---- */

static fx_node *known_node(const fe_graph *g, const fe_node *n)
{
    return n && map_get(&g->nodes, MAP_KEY(n)) != MAP_NONE ? (fx_node *)(uintptr_t)n : NULL;
}

static fe_status give_node(graph_job *j, fx_node *n)
{
    map_set(j->g->memory, &j->g->nodes, MAP_KEY(n), 1);
    j->made = n;
    return FE_OK;
}

static const char *own_graph(fe_graph *g, const fe_graph *wanted, fx_arg *out)
{
    const graph_builder *b = g->builder;
    for (uint32_t i = 0; i < b->graphs.count; i++) {
        if (b->graphs.at[i] != wanted || wanted->parent != g) continue;
        *out = (fx_arg){.kind = FX_ARG_GRAPH, .graph = wanted->graph};
        return NULL;
    }
    return "is no subgraph of this graph";
}

/* What of an operand belongs to the graph: fx_own_operand. */
static const char *own_operand(fe_graph *g, const fe_operand *o, fx_arg *out)
{
    fx_node *n;
    switch (o->kind) {
    case FE_OPERAND_GRAPH: return own_graph(g, o->graph, out);
    case FE_OPERAND_SIZE:
        out->kind = FX_ARG_INT;
        return graph_read_size(g, o->integer, SYM_NO_MIN, &out->expr);
    case FE_OPERAND_NODE:
        n = known_node(g, o->node);
        if (n) *out = fx_of(n);
        return n ? NULL : "is no node of this graph";
    default: return "is nothing that a graph which is built can hold";
    }
}

/* An input or weight: its name is the only one. */
static fe_status add_input(graph_job *j, fx_input_kind kind, const fe_meta *meta)
{
    fe_graph *g = j->g;
    fx_value value;
    const char *wrong = graph_read_meta(g, meta, &value);
    if (!j->name || !*j->name) return graph_refuse(g, FE_USAGE, NULL, "an input without a name");
    if (wrong) return graph_refuse(g, FE_USAGE, j->name, "the input %s", wrong);
    if (value.kind == FX_TUPLE)
        return graph_refuse(g, FE_USAGE, j->name, "an input is a tensor, a number or None");
    const char *target = intern(g->graph->session, j->name);
    bool is_named = !g->parent && kind != FX_TOKEN;
    if (is_named && map_get(&g->builder->targets, MAP_KEY(target)) != MAP_NONE)
        return graph_refuse(g, FE_USAGE, j->name, "there is an input of this name");
    if (is_named) map_set(g->memory, &g->builder->targets, MAP_KEY(target), 1);
    fx_node *n = fx_placeholder(g->graph, kind, target, is_named ? target : "");
    n->value = value;
    return give_node(j, n);
}

static fe_status input_body(graph_job *j)
{
    return add_input(j, (fx_input_kind)j->kind, j->meta);
}

fe_node *fe_graph_input(fe_graph *graph, const char *name, fe_meta value)
{
    return build_node(&(graph_job){
        .g = graph, .body = input_body, .kind = FX_USER_INPUT, .name = name, .meta = &value});
}

fe_node *fe_graph_token(fe_graph *graph, const char *name)
{
    fe_meta none = fe_meta_of(FE_META_NONE);
    return build_node(&(graph_job){
        .g = graph, .body = input_body, .kind = FX_TOKEN, .name = name, .meta = &none});
}

static fe_status weight_body(graph_job *j)
{
    static const fx_input_kind KINDS[] = {[FE_WEIGHT_PARAMETER] = FX_PARAMETER,
                                          [FE_WEIGHT_BUFFER] = FX_BUFFER,
                                          [FE_WEIGHT_CONSTANT] = FX_CONSTANT};
    fx_graph *x = j->g->graph;
    int64_t bytes;
    if (j->g->parent) return graph_refuse(j->g, FE_USAGE, j->name, "a subgraph has no weights");
    if (j->kind >= COUNT_OF(KINDS) || !j->tensor)
        return graph_refuse(j->g, FE_USAGE, j->name, "a weight without its kind or tensor");
    fe_meta meta = fe_meta_of(FE_META_TENSOR);
    meta.tensor = *j->tensor;
    FE_TRY(add_input(j, KINDS[j->kind], &meta));
    const ty_tensor *t = j->made->value.tensor;
    for (uint32_t i = 0; i < t->rank; i++)
        if (!sym_is_int(x->symbols, t->sizes[i], NULL) ||
            !sym_is_int(x->symbols, t->strides[i], NULL))
            return graph_refuse(j->g, FE_USAGE, j->name,
                                "sizes and strides of a weight are numbers");
    if (!sym_is_int(x->symbols, ty_storage_bytes(x->symbols, t), &bytes))
        return graph_refuse(j->g, FE_USAGE, j->name, "the weight does not fit in any memory");
    if (!j->tensor->data) return FE_OK;
    fx_data *data = NEW(x->memory, fx_data);
    *data = (fx_data){.bytes = j->tensor->data, .size = (size_t)bytes};
    j->made->data = data;
    return FE_OK;
}

fe_node *fe_graph_weight(fe_graph *graph, fe_weight_kind kind, const char *name,
                         const fe_tensor *value)
{
    return build_node(&(graph_job){
        .g = graph, .body = weight_body, .kind = (uint32_t)kind, .name = name, .tensor = value});
}

static fe_status call_body(graph_job *j)
{
    fx_graph *x = j->g->graph;
    fx_arg *args;
    uint32_t count;
    const op_info *op = j->text ? op_find(x->ops, j->text) : NULL;
    if (!op)
        return graph_refuse(j->g, FE_UNSUPPORTED, j->name, "there is no operator %s",
                            j->text ? j->text : "");
    const char *wrong =
        fx_read_operands(j->g, own_operand, op, j->operands, j->count, &args, &count);
    if (wrong) return graph_refuse(j->g, FE_USAGE, j->name, "%s", wrong);
    return give_node(j, fx_call(x, NULL, op, j->name && *j->name ? j->name : NULL, args, count));
}

fe_node *fe_graph_call(fe_graph *graph, const char *name, const char *op,
                       const fe_operand *operands, uint32_t count)
{
    return build_node(&(graph_job){.g = graph,
                                   .body = call_body,
                                   .name = name,
                                   .text = op,
                                   .operands = operands,
                                   .count = count});
}

static fe_status meta_body(graph_job *j)
{
    fx_node *n = known_node(j->g, j->node);
    fx_value value;
    if (!n || n->kind != FX_CALL)
        return graph_refuse(j->g, FE_USAGE, NULL, "metadata of what is no call of this graph");
    const char *wrong = graph_read_meta(j->g, j->meta, &value);
    if (wrong) return graph_refuse(j->g, FE_USAGE, n->name, "the result %s", wrong);
    n->value = value;
    return FE_OK;
}

fe_status fe_graph_set_meta(fe_graph *graph, fe_node *call, fe_meta value)
{
    return build(&(graph_job){.g = graph, .body = meta_body, .node = call, .meta = &value});
}

static fe_status source_body(graph_job *j)
{
    arena *memory = j->g->graph->memory;
    fx_node *n = known_node(j->g, j->node);
    if (!n || !j->text)
        return graph_refuse(j->g, FE_USAGE, NULL, "the source of what is no node of this graph");
    fx_origin *o = NEW(memory, fx_origin);
    *o = (fx_origin){.node = n->name, .target = n->kind == FX_CALL ? n->op->name : ""};
    o->stack_trace = arena_printf(memory, "File \"%s\", line %u%s%s", j->text, j->count,
                                  j->function ? ", in " : "", j->function ? j->function : "");
    o->module_path = j->module ? arena_strdup(memory, j->module) : NULL;
    n->origin = o;
    return FE_OK;
}

fe_status fe_graph_set_source(fe_graph *graph, fe_node *node, const char *file, uint32_t line,
                              const char *function, const char *module)
{
    return build(&(graph_job){.g = graph,
                              .body = source_body,
                              .node = node,
                              .text = file,
                              .count = line,
                              .function = function,
                              .module = module});
}

/* ---- what comes out ---- */

static fe_status add_result(graph_job *j, fx_arg value, fx_output kind)
{
    vec_push(j->g->memory, &j->g->results, value);
    vec_push(j->g->memory, &j->g->result_kinds, kind);
    return FE_OK;
}

static fe_status output_body(graph_job *j)
{
    fx_arg value;
    const char *wrong = fx_read_operand(j->g, own_operand, j->operands, &value);
    bool is_value = value.kind == FX_ARG_NODE || value.kind == FX_ARG_NONE ||
                    value.kind == FX_ARG_INT || value.kind == FX_ARG_FLOAT ||
                    value.kind == FX_ARG_BOOL;
    if (!wrong && !is_value) wrong = "is no tensor, number or None";
    if (wrong) return graph_refuse(j->g, FE_USAGE, NULL, "the output %s", wrong);
    return add_result(j, value, (fx_output){.kind = FX_USER_OUTPUT});
}

fe_status fe_graph_output(fe_graph *graph, fe_operand value)
{
    return build(&(graph_job){.g = graph, .body = output_body, .operands = &value});
}

static fe_status token_body(graph_job *j)
{
    fx_node *n = known_node(j->g, j->node);
    if (!n) return graph_refuse(j->g, FE_USAGE, NULL, "the token is no node of this graph");
    return add_result(j, fx_of(n), (fx_output){.kind = FX_TOKEN_OUTPUT});
}

fe_status fe_graph_output_token(fe_graph *graph, fe_node *token)
{
    return build(&(graph_job){.g = graph, .body = token_body, .node = token});
}

static fe_status mutate_body(graph_job *j)
{
    static const struct {
        fx_input_kind input;
        fx_output_kind output;
    } KINDS[] = {{FX_USER_INPUT, FX_USER_INPUT_MUTATION},
                 {FX_BUFFER, FX_BUFFER_MUTATION},
                 {FX_PARAMETER, FX_PARAMETER_MUTATION}};
    fx_node *input = known_node(j->g, j->node), *value = known_node(j->g, j->value);
    if (j->g->parent)
        return graph_refuse(j->g, FE_USAGE, NULL, "a subgraph returns what it computes");
    if (!input || !value)
        return graph_refuse(j->g, FE_USAGE, NULL, "what is no node of this graph is not mutated");
    for (size_t i = 0; i < COUNT_OF(KINDS); i++) {
        fx_output kind = {.kind = KINDS[i].output, .target = input->target};
        if (input->kind == FX_PLACEHOLDER && input->input_kind == KINDS[i].input &&
            input->value.kind == FX_TENSOR)
            return add_result(j, fx_of(value), kind);
    }
    return graph_refuse(j->g, FE_USAGE, input->name,
                        "what is mutated is a tensor: an input, parameter or buffer");
}

fe_status fe_graph_mutate(fe_graph *graph, fe_node *input, fe_node *value)
{
    return build(&(graph_job){.g = graph, .body = mutate_body, .node = input, .value = value});
}

/* ---- what becomes of it ---- */

static void finish(const graph_builder *b)
{
    for (uint32_t i = 0; i < b->graphs.count; i++) {
        fe_graph *g = b->graphs.at[i];
        fx_set_output(g->graph, g->results.at, g->result_kinds.at, g->results.count);
        fx_renumber(g->graph);
    }
}

typedef struct print_job {
    fe_graph *g;
    text text;
} print_job;

static fe_status print_body(fe_session *session, void *data)
{
    print_job *j = data;
    finish(j->g->builder);
    text_init(&j->text, api_results(session));
    fx_print(j->g->graph, &j->text);
    return FE_OK;
}

fe_status fe_graph_print(fe_graph *graph, const char **out, size_t *length)
{
    print_job j = {.g = graph};
    graph_builder *b = graph ? graph->builder : NULL;
    fe_status status = b ? api_call(b->session, print_body, &j) : FE_USAGE;
    *out = status == FE_OK ? j.text.at : NULL;
    if (length) *length = status == FE_OK ? j.text.length : 0;
    return status;
}

/* Graphs that are called give something. */
static fe_status check_called(const fe_graph *g, const fx_arg *a)
{
    const graph_builder *b = g->builder;
    for (uint32_t i = 0; a->kind == FX_ARG_LIST && i < a->list.count; i++)
        FE_TRY(check_called(g, &a->list.items[i]));
    for (uint32_t i = 0; a->kind == FX_ARG_GRAPH && i < b->graphs.count; i++)
        if (b->graphs.at[i]->graph == a->graph && b->graphs.at[i]->results.count == 0)
            return graph_refuse(g, FE_USAGE, a->graph->name,
                                "a graph that is called has an output");
    return FE_OK;
}

static fe_status check_all(const graph_builder *b)
{
    fx_graph **all = NEW_ARRAY(b->memory, fx_graph *, b->graphs.count);
    for (uint32_t i = 0; i < b->graphs.count; i++) {
        all[i] = b->graphs.at[i]->graph;
        for (const fx_node *n = all[i]->first; n; n = n->next)
            for (uint32_t k = 0; k < n->arg_count; k++)
                FE_TRY(check_called(b->graphs.at[i], &n->args[k]));
    }
    return fx_whole(all, b->graphs.count);
}

typedef struct compile_job {
    fe_graph *g;
    fe_program *program;
} compile_job;

static fe_status compile_body(fe_session *session, void *data)
{
    compile_job *j = data;
    graph_builder *b = j->g->builder;
    if (b->status != FE_OK)
        return diag_fail(session, b->failure, "%s",
                         b->failure.message ? b->failure.message : "a call ended without memory");
    if (j->g->parent)
        return graph_refuse(j->g, FE_USAGE, NULL, "a subgraph is compiled with its program");
    finish(b);
    FE_TRY(check_all(b));
    arena *memory = arena_new(session);
    driver_options options = *api_options(session);
    options.input = b->name;
    FE_TRY(driver_begin(session, &options, memory, &j->program));
    j->program->builder = b;
    b->holders++;
    j->program->ops = b->ops;
    j->program->graph = fx_clone_apart(j->g->graph, memory);
    FE_TRY(give_constants(j->program));
    return driver_advance(j->program, STAGE_INFER, STAGE_EMIT);
}

fe_status fe_compile_graph(fe_graph *graph, fe_program **program)
{
    compile_job j = {.g = graph};
    *program = NULL;
    if (!graph || !graph->builder) return FE_USAGE;
    return api_program(graph->builder->session, compile_body, &j, &j.program, program);
}
