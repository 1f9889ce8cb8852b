/* parse.c -- reads the text form back: recursive descent, one token ahead, the first error told
 * with its line and column.
 *
 *     program  = ["operators" "{" {string {flag}} "}"] ["symbols" "{" {symbol} "}"] graph {graph}
 *     symbol   = name ["unbacked" | "index" | "indirect"] bounds ["hint" int]
 *     bounds   = "in" "[" int|"-inf" "," int|"inf" "]"
 *     graph    = "graph" name "{" {setting} {placeholder | call} [output] "}"
 *     setting  = "functional" | "fills_unwritten" | "range" expr bounds | "guard" string
 *              | "require" relation string | "inputs" string {"," string}
 *              | "in_spec" string | "out_spec" string
 *     placeholder = "placeholder" %name kind string ["non_persistent"] [taken] [":" value]
 *                   ["data" "[" [element {"," element}] "]"]
 *     taken    = ("storage_of" | "start_of") string
 *     call     = %name "=" operator "(" [[name "="] arg {"," ...}] ")" [":" value]
 *     output   = "output" "(" [kind [string] arg {"," ...}] ")"
 *
 * Arguments and values are in parse_arg.c. The first graph is the program; each other one may only
 * be given after an argument @name called for it.
 */
#include "fx/fx_priv.h"

#include <string.h>

typedef VEC(fx_arg) arg_list;

enum { MAX_GRAPH_DEPTH = 64 }; /* of calls from the program on: stages recur over them */

/* ---- calls ---- */

/* Where the next argument goes: by position, or by the name in front of it. */
static fe_status argument_place(fx_parser *p, const op_info *op, bool *by_name, uint32_t position,
                                uint32_t *place)
{
    *place = position;
    if (p->lx.token.kind != LEX_NAME || !fx_next_is(p, '=')) {
        if (*by_name) return lex_fail(&p->lx, "an argument by position after one by name");
        if (position >= op->param_count)
            return lex_fail(&p->lx, "%s takes %u arguments", op->name, op->param_count);
        return FE_OK;
    }
    int index = op_param_index(op, p->lx.token.text);
    if (index < 0) return lex_fail(&p->lx, "%s has no argument of this name", op->name);
    *by_name = true;
    *place = (uint32_t)index;
    lex_next(&p->lx);
    return lex_expect(&p->lx, "=");
}

static fe_status parse_schema_args(fx_parser *p, fx_graph *g, const op_info *op, fx_arg *args)
{
    bool *given = NEW_ARRAY(p->memory, bool, op->param_count), by_name = false;
    for (uint32_t position = 0; !lex_take(&p->lx, ")"); position++) {
        uint32_t place;
        if (position > 0) FE_TRY(lex_expect(&p->lx, ","));
        FE_TRY(argument_place(p, op, &by_name, position, &place));
        if (given[place])
            return lex_fail(&p->lx, "argument %s is given twice", op->params[place].name);
        given[place] = true;
        FE_TRY(fx_parse_arg(p, g, &args[place]));
    }
    for (uint32_t i = 0; i < op->param_count; i++)
        if (!given[i] && !fx_default(g, &op->params[i], &args[i]))
            return lex_fail(&p->lx, "%s lacks its argument %s", op->name, op->params[i].name);
    return FE_OK;
}

static fe_status parse_open_args(fx_parser *p, fx_graph *g, arg_list *args)
{
    while (!lex_take(&p->lx, ")")) {
        fx_arg arg;
        if (args->count > 0) FE_TRY(lex_expect(&p->lx, ","));
        FE_TRY(fx_parse_arg(p, g, &arg));
        vec_push(p->memory, args, arg);
    }
    return FE_OK;
}

/* A %name that is new in the graph. */
static fe_status parse_new_name(fx_parser *p, fx_graph *g, const char **out)
{
    if (p->lx.token.kind == LEX_VALUE && fx_find(g, p->lx.token.text))
        return lex_fail(&p->lx, "this name is taken already");
    return lex_value(&p->lx, out);
}

static fe_status parse_call(fx_parser *p, fx_graph *g)
{
    const char *name;
    arg_list args = {0};
    FE_TRY(parse_new_name(p, g, &name));
    FE_TRY(lex_expect(&p->lx, "="));
    if (p->lx.token.kind != LEX_NAME) return lex_fail(&p->lx, "expected an operator");
    const op_info *op = op_find(p->ops, p->lx.token.text);
    if (!op) return lex_fail(&p->lx, "unknown operator");
    lex_next(&p->lx);
    FE_TRY(lex_expect(&p->lx, "("));
    if (op->flags & OPF_HIGHER_ORDER) {
        FE_TRY(parse_open_args(p, g, &args));
    } else {
        vec_reserve(p->memory, &args, op->param_count);
        args.count = op->param_count;
        FE_TRY(parse_schema_args(p, g, op, args.at));
    }
    fx_node *node = fx_call(g, NULL, op, name, args.at, args.count);
    return lex_take(&p->lx, ":") ? fx_parse_value(p, g, &node->value) : FE_OK;
}

/* ---- placeholders and the output ---- */

static fe_status parse_taken(fx_parser *p, fx_node *node)
{
    if (lex_take(&p->lx, "storage_of"))
        node->taken = FX_STORAGE_OF;
    else if (lex_take(&p->lx, "start_of"))
        node->taken = FX_START_OF;
    return node->taken ? lex_string(&p->lx, &node->taken_of) : FE_OK;
}

static fe_status check_taken(fx_parser *p, const fx_node *node)
{
    const ty_tensor *x = fx_tensor(node);
    if (node->taken == FX_STORAGE_OF && (!x || x->rank != 1))
        return lex_fail(&p->lx, "a storage is a tensor of one dimension");
    if (node->taken == FX_START_OF && node->value.kind != FX_INT)
        return lex_fail(&p->lx, "a storage offset is an int");
    return FE_OK;
}

static fe_status parse_placeholder(fx_parser *p, fx_graph *g)
{
    const char *name, *target;
    FE_TRY(parse_new_name(p, g, &name));
    int kind = fx_take_word(p, fx_input_words, FX_INPUT_WORDS);
    if (kind < 0)
        return lex_fail(&p->lx, "expected a kind of input: user, param, buffer, constant, ...");
    FE_TRY(lex_string(&p->lx, &target));
    fx_node *node = fx_placeholder(g, (fx_input_kind)kind, name, target);
    if (kind == FX_BUFFER && lex_take(&p->lx, "non_persistent")) node->is_persistent = false;
    if (kind == FX_USER_INPUT) FE_TRY(parse_taken(p, node));
    if (lex_take(&p->lx, ":")) FE_TRY(fx_parse_value(p, g, &node->value));
    FE_TRY(check_taken(p, node));
    return lex_take(&p->lx, "data") ? fx_parse_data(p, g, node) : FE_OK;
}

static fe_status parse_output(fx_parser *p, fx_graph *g)
{
    arg_list args = {0};
    VEC(fx_output) outputs = {0};
    FE_TRY(lex_expect(&p->lx, "("));
    while (!lex_take(&p->lx, ")")) {
        fx_output output = {0};
        fx_arg arg;
        if (args.count > 0) FE_TRY(lex_expect(&p->lx, ","));
        int kind = fx_take_word(p, fx_output_words, FX_OUTPUT_WORDS);
        if (kind < 0)
            return lex_fail(&p->lx, "expected a kind of output: user, buffer_mutation, ...");
        output.kind = (fx_output_kind)kind;
        bool mutates = kind == FX_BUFFER_MUTATION || kind == FX_PARAMETER_MUTATION ||
                       kind == FX_USER_INPUT_MUTATION;
        bool names = kind == FX_USER_OUTPUT && p->lx.token.kind == LEX_STRING &&
                     !fx_next_is(p, ',') && !fx_next_is(p, ')'); /* else it is the value */
        if (mutates || names) FE_TRY(lex_string(&p->lx, &output.target));
        FE_TRY(fx_parse_arg(p, g, &arg));
        vec_push(p->memory, &args, arg);
        vec_push(p->memory, &outputs, output);
    }
    fx_set_output(g, args.at, outputs.at, args.count);
    return FE_OK;
}

/* ---- graphs ---- */

static fe_status parse_bound(fx_parser *p, int64_t unbounded, int64_t *out)
{
    if (p->lx.token.kind == LEX_FLOAT && strstr(p->lx.token.text, "inf")) {
        *out = unbounded;
        lex_next(&p->lx);
        return FE_OK;
    }
    return lex_int(&p->lx, out);
}

static fe_status parse_bounds(fx_parser *p, int64_t *min, int64_t *max)
{
    FE_TRY(lex_expect(&p->lx, "in"));
    FE_TRY(lex_expect(&p->lx, "["));
    FE_TRY(parse_bound(p, SYM_NO_MIN, min));
    FE_TRY(lex_expect(&p->lx, ","));
    FE_TRY(parse_bound(p, SYM_NO_MAX, max));
    if (*min > *max) return lex_fail(&p->lx, "a range with nothing in it");
    return lex_expect(&p->lx, "]");
}

static fe_status parse_names(fx_parser *p, fx_graph *g)
{
    do {
        const char *name;
        FE_TRY(lex_string(&p->lx, &name));
        vec_push(p->memory, &g->input_names, name);
    } while (lex_take(&p->lx, ","));
    return FE_OK;
}

/* What the list of symbols does not have gets its bounds here. */
static fe_status parse_range(fx_parser *p, fx_graph *g)
{
    fx_range range;
    bool is_new =
        p->lx.token.kind == LEX_NAME && sym_is_none(sym_find_symbol(p->symbols, p->lx.token.text));
    FE_TRY(sym_parse(p->symbols, &p->lx, &range.expr));
    FE_TRY(parse_bounds(p, &range.min, &range.max));
    if (is_new && sym_op_of(p->symbols, range.expr) == SYM_SYMBOL)
        sym_set_range(p->symbols, range.expr, range.min, range.max);
    vec_push(p->memory, &g->ranges, range);
    return FE_OK;
}

static fe_status parse_condition(fx_parser *p, fx_graph *g)
{
    sym_relation relation;
    const char *what;
    FE_TRY(sym_parse_relation(p->symbols, &p->lx, &relation));
    FE_TRY(lex_string(&p->lx, &what));
    fx_add_condition(g, relation, what);
    return FE_OK;
}

/* One setting of the graph; *found is false when there is none at the lexer. */
static fe_status parse_setting(fx_parser *p, fx_graph *g, bool *found)
{
    lexer *lx = &p->lx;
    *found = true;
    if (lex_take(lx, "functional")) {
        g->is_functional = true;
        return FE_OK;
    }
    if (lex_take(lx, "fills_unwritten")) {
        g->fills_unwritten = true;
        return FE_OK;
    }
    if (lex_take(lx, "range")) return parse_range(p, g);
    if (lex_take(lx, "guard")) {
        const char *guard;
        FE_TRY(lex_string(lx, &guard));
        vec_push(p->memory, &g->guards, guard);
        return FE_OK;
    }
    if (lex_take(lx, "require")) return parse_condition(p, g);
    if (lex_take(lx, "inputs")) return parse_names(p, g);
    if (lex_take(lx, "in_spec")) return lex_string(lx, &g->in_spec);
    if (lex_take(lx, "out_spec")) return lex_string(lx, &g->out_spec);
    *found = false;
    return FE_OK;
}

static fe_status parse_body(fx_parser *p, fx_graph *g)
{
    lexer *lx = &p->lx;
    for (bool found = true; found;) FE_TRY(parse_setting(p, g, &found));
    while (!lex_is(lx, "}")) {
        if (g->output) return lex_fail(lx, "the output must be last");
        if (lex_take(lx, "placeholder"))
            FE_TRY(parse_placeholder(p, g));
        else if (lex_take(lx, "output"))
            FE_TRY(parse_output(p, g));
        else if (lx->token.kind == LEX_VALUE)
            FE_TRY(parse_call(p, g));
        else
            return lex_fail(lx, "expected a placeholder, a call or the output");
    }
    if (!g->output && g != p->graphs.at[0].graph)
        return lex_fail(lx, "a graph that is called ends in its output");
    lex_next(lx);
    fx_renumber(g);
    return FE_OK;
}

/* The graph of this name: the program when it is the first one, else one that an argument called
 * for. */
static fe_status find_graph(fx_parser *p, fx_graph **out)
{
    const char *name = p->lx.token.text;
    if (p->lx.token.kind != LEX_NAME) return lex_fail(&p->lx, "expected the name of a graph");
    bool is_first = p->graphs.count == 0;
    if (!is_first && map_get(&p->graph_names, MAP_KEY(intern(p->session, name))) == MAP_NONE)
        return lex_fail(&p->lx, "no argument before this place calls for this graph");
    uint32_t index = fx_wanted_graph(p, name, NULL);
    fx_wanted *w = &p->graphs.at[index];
    if (w->given) return lex_fail(&p->lx, "this graph is given twice");
    w->given = true;
    *out = w->graph;
    lex_next(&p->lx);
    return FE_OK;
}

/* ---- the program ---- */

static fe_status parse_operators(fx_parser *p)
{
    FE_TRY(lex_expect(&p->lx, "{"));
    while (!lex_take(&p->lx, "}")) {
        const char *schema;
        const op_info *op;
        uint32_t flags = 0;
        FE_TRY(lex_string(&p->lx, &schema));
        for (int bit; (bit = fx_take_word(p, fx_flag_words, FX_FLAG_WORDS)) >= 0;)
            flags |= 1u << bit;
        FE_TRY(op_declare(p->ops, schema, flags, &op));
    }
    return FE_OK;
}

static fe_status parse_symbol(fx_parser *p)
{
    static const char *const KINDS[] = {"unbacked", "index",
                                        "indirect"}; /* as sym_kind from SYM_UNBACKED on */
    const char *name;
    int64_t min, max, hint;
    FE_TRY(lex_name(&p->lx, &name));
    int said = fx_take_word(p, KINDS, (int)COUNT_OF(KINDS));
    sym_kind kind = said < 0 ? sym_kind_of_name(name) : (sym_kind)(SYM_UNBACKED + said);
    FE_TRY(parse_bounds(p, &min, &max));
    sym_expr symbol = sym_symbol(p->symbols, name, kind, min, max);
    if (!lex_take(&p->lx, "hint")) return FE_OK;
    FE_TRY(lex_int(&p->lx, &hint));
    sym_set_hint(p->symbols, symbol, hint);
    return FE_OK;
}

/* None calls for itself, through others either, and none is deeper than the stages go. */
static fe_status check_graph_calls(fx_parser *p)
{
    for (bool deeper = true; deeper;) {
        deeper = false;
        for (uint32_t i = 0; i < p->graph_calls.count; i++) {
            const fx_graph_call *call = &p->graph_calls.at[i];
            fx_wanted *called = &p->graphs.at[call->called];
            uint32_t depth = p->graphs.at[call->caller].depth + 1;
            if (depth <= called->depth) continue;
            if (depth > MAX_GRAPH_DEPTH)
                return lex_fail(&p->lx,
                                "graph %s is called without an end, or through more than %d graphs",
                                called->graph->name, MAX_GRAPH_DEPTH);
            called->depth = depth;
            deeper = true;
        }
    }
    return FE_OK;
}

static fe_status parse_program(fx_parser *p)
{
    lexer *lx = &p->lx;
    if (lex_take(lx, "operators")) FE_TRY(parse_operators(p));
    if (lex_take(lx, "symbols")) {
        FE_TRY(lex_expect(lx, "{"));
        while (!lex_take(lx, "}")) FE_TRY(parse_symbol(p));
    }
    do {
        fx_graph *g = NULL;
        FE_TRY(lex_expect(lx, "graph"));
        FE_TRY(find_graph(p, &g));
        FE_TRY(lex_expect(lx, "{"));
        FE_TRY(parse_body(p, g));
    } while (lx->token.kind != LEX_END);
    for (uint32_t i = 0; i < p->graphs.count; i++)
        if (!p->graphs.at[i].given)
            return lex_fail(lx, "graph %s is called for and not given",
                            p->graphs.at[i].graph->name);
    FE_TRY(check_graph_calls(p));
    return lex_finish(lx);
}

fe_status fx_parse(fe_session *s, arena *memory, const char *source, size_t length, fx_graph **out)
{
    return fx_parse_with(s, memory, NULL, source, length, out);
}

fe_status fx_parse_with(fe_session *s, arena *memory, op_registry *ops, const char *source,
                        size_t length, fx_graph **out)
{
    fx_parser p = {.session = s,
                   .memory = memory,
                   .symbols = sym_table_new(memory),
                   .ops = ops ? ops : op_registry_new(memory)};
    lex_init(&p.lx, s, "fx", source, length);
    FE_TRY(parse_program(&p));

    fx_graph **graphs = NEW_ARRAY(memory, fx_graph *, p.graphs.count);
    for (uint32_t i = 0; i < p.graphs.count; i++) graphs[i] = p.graphs.at[i].graph;
    *out = graphs[0];
    fx_write_float_guards(*out, fx_first_call(*out));
    return fx_whole(graphs, p.graphs.count);
}
