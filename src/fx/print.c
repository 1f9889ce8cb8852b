/* print.c -- the graph as text, in the form that parse.c reads.
 *
 * The operators that the user declared and the symbols with their ranges come first, then the
 * graph, then the graphs that are its arguments, each once, called @name where they are used. fx.h
 * shows a sample, doc/ has the grammar.
 */
#include "fx/fx_priv.h"

#include <string.h>

const char *const fx_input_words[] = {"user",   "param", "buffer",        "constant",
                                      "object", "token", "constant_input"};
const char *const fx_output_words[] = {"user", "buffer_mutation", "param_mutation",
                                       "user_input_mutation", "token"};
const char *const fx_format_words[] = {"torch.contiguous_format", "torch.preserve_format",
                                       "torch.channels_last", "torch.channels_last_3d"};
const char *const fx_layout_words[] = {
    "torch.unknown_layout", "torch.sparse_coo", "torch.sparse_csr",    "torch.sparse_csc",
    "torch.sparse_bsr",     "torch.sparse_bsc", "torch.mkldnn_layout", "torch.strided"};
const char *const fx_flag_words[] = {"pointwise", "random",       "effect",        "symbolic",
                                     "composite", "higher_order", "data_dependent"};
_Static_assert(COUNT_OF(fx_input_words) == FX_INPUT_WORDS, "a word for each kind of input");
_Static_assert(COUNT_OF(fx_output_words) == FX_OUTPUT_WORDS, "a word for each kind of output");
_Static_assert(COUNT_OF(fx_format_words) == FX_FORMAT_WORDS, "a word for each memory format");
_Static_assert(COUNT_OF(fx_layout_words) == FX_LAYOUT_WORDS, "a word for each layout");
_Static_assert(COUNT_OF(fx_flag_words) == FX_FLAG_WORDS && OPF_DATA_DEPENDENT == 1 << 6,
               "a word for each flag");

/* What one printing has met. */
typedef struct printer {
    text *out;
    bool traced;
    sym_table *symbols;
    VEC(const fx_graph *) graphs;
    VEC(const char *) graph_names; /* of `graphs`, unique */
    VEC(const op_info *) customs;
    VEC(sym_expr) symbol_list;
    map seen_symbols, seen_customs;
} printer;

/* ---- what there is to print ---- */

static void meet_symbol(void *data, sym_expr symbol)
{
    printer *p = data;
    if (map_get(&p->seen_symbols, symbol.id) != MAP_NONE) return;
    map_set(p->out->memory, &p->seen_symbols, symbol.id, 0);
    vec_push(p->out->memory, &p->symbol_list, symbol);
}

static void meet_expr(printer *p, sym_expr e)
{
    if (!sym_is_none(e)) sym_each_symbol(p->symbols, e, meet_symbol, p);
}

static void meet_value(printer *p, const fx_value *v)
{
    if (v->kind == FX_INT || v->kind == FX_BOOL) meet_expr(p, v->expr);
    if (v->kind == FX_TENSOR) {
        for (uint32_t d = 0; d < v->tensor->rank; d++) meet_expr(p, v->tensor->sizes[d]);
        for (uint32_t d = 0; d < v->tensor->rank; d++) meet_expr(p, v->tensor->strides[d]);
        meet_expr(p, v->tensor->offset);
    }
    if (v->kind == FX_TUPLE)
        for (uint32_t i = 0; i < v->count; i++) meet_value(p, &v->items[i]);
}

static bool has_graph_name(const printer *p, const char *name)
{
    for (uint32_t i = 0; i < p->graph_names.count; i++)
        if (strcmp(p->graph_names.at[i], name) == 0) return true;
    return false;
}

static void meet_graph(printer *p, const fx_graph *g)
{
    for (uint32_t i = 0; i < p->graphs.count; i++)
        if (p->graphs.at[i] == g) return;
    char *base = arena_strdup(p->out->memory, *g->name ? g->name : "graph");
    for (char *c = base; *c; c++) {
        bool legal = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || *c == '_' || *c == '.';
        if (!legal || (c == base && *c == '.')) *c = '_';
    }
    const char *name = base;
    for (int i = 1; has_graph_name(p, name); i++)
        name = arena_printf(p->out->memory, "%s_%d", base, i);
    vec_push(p->out->memory, &p->graphs, g);
    vec_push(p->out->memory, &p->graph_names, name);
}

static void meet_arg(printer *p, const fx_arg *a)
{
    if (a->kind == FX_ARG_INT) meet_expr(p, a->expr);
    if (a->kind == FX_ARG_GRAPH) meet_graph(p, a->graph);
    if (a->kind == FX_ARG_LIST)
        for (uint32_t i = 0; i < a->list.count; i++) meet_arg(p, &a->list.items[i]);
}

static void meet_node(printer *p, const fx_node *n)
{
    if (n->kind == FX_CALL && n->op->custom) {
        const op_info *declared = n->op->custom->mutating ? n->op->custom->mutating : n->op;
        if (map_get(&p->seen_customs, declared->id) == MAP_NONE) {
            map_set(p->out->memory, &p->seen_customs, declared->id, 0);
            vec_push(p->out->memory, &p->customs, declared);
        }
    }
    for (uint32_t i = 0; i < n->arg_count; i++) meet_arg(p, &n->args[i]);
    meet_value(p, &n->value);
}

static void meet_all(printer *p, const fx_graph *root)
{
    meet_graph(p, root);
    for (uint32_t i = 0; i < p->graphs.count; i++) {
        const fx_graph *g = p->graphs.at[i];
        for (uint32_t k = 0; k < g->ranges.count; k++) meet_expr(p, g->ranges.at[k].expr);
        for (const fx_node *n = g->first; n; n = n->next) meet_node(p, n);
    }
}

/* ---- arguments and values ---- */

static const char *name_of_graph(const printer *p, const fx_graph *g)
{
    for (uint32_t i = 0; i < p->graphs.count; i++)
        if (p->graphs.at[i] == g) return p->graph_names.at[i];
    return g->name;
}

static void print_arg(const printer *p, const fx_arg *a)
{
    text *out = p->out;
    switch (a->kind) {
    case FX_ARG_NONE: text_add(out, "None"); break;
    case FX_ARG_NODE: text_printf(out, "%%%s", a->node ? a->node->name : "?"); break;
    case FX_ARG_INT: sym_print(p->symbols, a->expr, out); break;
    case FX_ARG_FLOAT: text_double(out, a->number); break;
    case FX_ARG_BOOL: text_add(out, a->boolean ? "True" : "False"); break;
    case FX_ARG_STRING: text_quoted(out, a->string); break;
    case FX_ARG_DTYPE: text_add(out, ty_dtype_torch_name(a->dtype)); break;
    case FX_ARG_DEVICE: ty_print_device(a->device, out); break;
    case FX_ARG_MEMORY_FORMAT: text_add(out, fx_format_words[a->memory_format]); break;
    case FX_ARG_GRAPH: text_printf(out, "@%s", name_of_graph(p, a->graph)); break;
    case FX_ARG_LAYOUT:
        text_add(out,
                 fx_layout_words[a->layout >= 0 && a->layout < FX_LAYOUT_WORDS ? a->layout : 0]);
        break;
    case FX_ARG_COMPLEX:
        text_add(out, "complex(");
        text_double(out, a->complex_[0]);
        text_add(out, ", ");
        text_double(out, a->complex_[1]);
        text_char(out, ')');
        break;
    case FX_ARG_OBJECT:
        text_add(out, "object ");
        text_quoted(out, a->string ? a->string : "");
        break;
    case FX_ARG_LIST:
        text_char(out, '[');
        for (uint32_t i = 0; i < a->list.count; i++) {
            if (i > 0) text_add(out, ", ");
            print_arg(p, &a->list.items[i]);
        }
        text_char(out, ']');
        break;
    }
}

static void print_expr_or_unknown(const printer *p, const char *word, sym_expr e)
{
    text_printf(p->out, "%s ", word);
    if (sym_is_none(e))
        text_char(p->out, '?');
    else
        sym_print(p->symbols, e, p->out);
}

static void print_value(const printer *p, const fx_value *v)
{
    switch (v->kind) {
    case FX_NO_VALUE: text_add(p->out, "none"); break;
    case FX_OPAQUE: text_add(p->out, "opaque"); break;
    case FX_TENSOR: ty_print(p->symbols, v->tensor, p->out); break;
    case FX_INT: print_expr_or_unknown(p, "int", v->expr); break;
    case FX_BOOL: print_expr_or_unknown(p, "bool", v->expr); break;
    case FX_FLOAT:
        text_add(p->out, "float ");
        if (v->is_known)
            text_double(p->out, v->number);
        else
            text_char(p->out, '?');
        break;
    case FX_TUPLE:
        text_char(p->out, '(');
        for (uint32_t i = 0; i < v->count; i++) {
            if (i > 0) text_add(p->out, ", ");
            print_value(p, &v->items[i]);
        }
        text_char(p->out, ')');
        break;
    }
}

/* ---- nodes ---- */

static void print_element(ty_dtype dtype, const fx_element *e, text *out)
{
    if (ty_is_complex(dtype)) {
        text_add(out, "complex(");
        text_double(out, e->number[0]);
        text_add(out, ", ");
        text_double(out, e->number[1]);
        text_char(out, ')');
    } else if (e->is_float) {
        text_double(out, e->number[0]);
    } else if (dtype == TY_BOOL) {
        text_add(out, e->integer ? "True" : "False");
    } else {
        text_printf(out, "%lld", (long long)e->integer);
    }
}

static void print_data(const fx_graph *g, const fx_node *n, text *out)
{
    const ty_tensor *x = fx_tensor(n);
    size_t offsets[FX_PRINTED_ELEMENTS];
    if (!x || !n->data || n->input_kind != FX_CONSTANT) return;
    int64_t count = fx_element_offsets(g, x, n->data->size, offsets, FX_PRINTED_ELEMENTS);
    if (count < 0) return;
    text_add(out, " data [");
    for (int64_t i = 0; i < count; i++) {
        fx_element e = fx_element_read(x->dtype, n->data->bytes + offsets[i]);
        if (i > 0) text_add(out, ", ");
        print_element(x->dtype, &e, out);
    }
    text_char(out, ']');
}

static void print_output(const printer *p, const fx_graph *g, const fx_node *n)
{
    text_add(p->out, "output (");
    for (uint32_t i = 0; i < n->arg_count; i++) {
        const fx_output *output = i < g->outputs.count ? &g->outputs.at[i] : &(fx_output){0};
        text_printf(p->out, "%s%s ", i > 0 ? ", " : "", fx_output_words[output->kind]);
        if (output->target) {
            text_quoted(p->out, output->target);
            text_char(p->out, ' ');
        }
        print_arg(p, &n->args[i]);
    }
    text_char(p->out, ')');
}

static void print_node(const printer *p, const fx_graph *g, const fx_node *n)
{
    text *out = p->out;
    switch (n->kind) {
    case FX_PLACEHOLDER:
        text_printf(out, "placeholder %%%s %s ", n->name, fx_input_words[n->input_kind]);
        text_quoted(out, n->target ? n->target : "");
        if (n->input_kind == FX_BUFFER && !n->is_persistent) text_add(out, " non_persistent");
        if (n->taken) {
            text_add(out, n->taken == FX_STORAGE_OF ? " storage_of " : " start_of ");
            text_quoted(out, n->taken_of);
        }
        break;
    case FX_CALL:
        text_printf(out, "%%%s = %s(", n->name, n->op->name);
        for (uint32_t i = 0; i < n->arg_count; i++) {
            if (i > 0) text_add(out, ", ");
            print_arg(p, &n->args[i]);
        }
        text_char(out, ')');
        break;
    case FX_OUTPUT: print_output(p, g, n); return;
    }
    if (n->value.kind != FX_NO_VALUE) {
        text_add(out, " : ");
        print_value(p, &n->value);
    }
    if (n->kind == FX_PLACEHOLDER) print_data(g, n, out);
}

void fx_print_node(const fx_graph *g, const fx_node *n, text *out)
{
    printer p = {.out = out, .symbols = g->symbols};
    print_node(&p, g, n);
}

static void print_origin(const fx_graph *g, const fx_node *n, text *out)
{
    const fx_origin *o = n->origin;
    if (!o) return;
    text_printf(out, "  # from %s", o->node ? o->node : "?");
    if (o->target) text_printf(out, " = %s", o->target);
    const char *line = fx_origin_line((fx_graph *)(uintptr_t)g, o); /* only its arena is written */
    if (line) text_printf(out, " at %s", line);
    if (o->module_path && *o->module_path) text_printf(out, ", %s", o->module_path);
    if (o->module_type && *o->module_type) text_printf(out, " (%s)", o->module_type);
}

/* ---- graphs ---- */

static void print_bounds(int64_t min, int64_t max, text *out)
{
    text_add(out, " in [");
    if (min == SYM_NO_MIN)
        text_add(out, "-inf, ");
    else
        text_printf(out, "%lld, ", (long long)min);
    if (max == SYM_NO_MAX)
        text_add(out, "inf]");
    else
        text_printf(out, "%lld]", (long long)max);
}

static void print_customs(const printer *p)
{
    if (p->customs.count == 0) return;
    text_add(p->out, "operators {\n");
    for (uint32_t i = 0; i < p->customs.count; i++) {
        const op_info *op = p->customs.at[i];
        text_add(p->out, "  ");
        text_quoted(p->out, op->schema);
        uint32_t said = op->flags & ~op_implied_flags(op);
        for (int bit = 0; bit < FX_FLAG_WORDS; bit++)
            if (said >> bit & 1) text_printf(p->out, " %s", fx_flag_words[bit]);
        text_char(p->out, '\n');
    }
    text_add(p->out, "}\n");
}

static void print_symbols(const printer *p)
{
    static const char *const KINDS[] = {
        [SYM_UNBACKED] = " unbacked", [SYM_INDEX] = " index", [SYM_INDIRECT] = " indirect"};
    if (p->symbol_list.count == 0) return;
    text_add(p->out, "symbols {\n");
    for (uint32_t i = 0; i < p->symbol_list.count; i++) {
        sym_expr symbol = p->symbol_list.at[i];
        const char *name = sym_name(p->symbols, symbol);
        sym_kind kind = sym_kind_of(p->symbols, symbol);
        int64_t min, max, hint = sym_hint(p->symbols, symbol, 0);
        sym_range(p->symbols, symbol, NULL, &min, &max);
        text_printf(p->out, "  %s%s", name, kind == SYM_SIZE ? "" : KINDS[kind]);
        print_bounds(min, max, p->out);
        if (hint == sym_hint(p->symbols, symbol, 1))
            text_printf(p->out, " hint %lld", (long long)hint);
        text_char(p->out, '\n');
    }
    text_add(p->out, "}\n");
}

static void print_signature(const printer *p, const fx_graph *g)
{
    text *out = p->out;
    if (g->is_functional) text_add(out, "  functional\n");
    if (g->fills_unwritten) text_add(out, "  fills_unwritten\n");
    for (uint32_t i = 0; i < g->ranges.count; i++) {
        text_add(out, "  range ");
        sym_print(p->symbols, g->ranges.at[i].expr, out);
        print_bounds(g->ranges.at[i].min, g->ranges.at[i].max, out);
        text_char(out, '\n');
    }
    for (uint32_t i = 0; i < g->guards.count; i++) {
        text_add(out, "  guard ");
        text_quoted(out, g->guards.at[i]);
        text_char(out, '\n');
    }
    for (uint32_t i = 0; i < g->conditions.count; i++) {
        text_add(out, "  require ");
        sym_print_relation(p->symbols, &g->conditions.at[i].relation, out);
        text_char(out, ' ');
        text_quoted(out, g->conditions.at[i].what);
        text_char(out, '\n');
    }
    if (g->input_names.count > 0) text_add(out, "  inputs ");
    for (uint32_t i = 0; i < g->input_names.count; i++) {
        text_quoted(out, g->input_names.at[i]);
        text_add(out, i + 1 < g->input_names.count ? ", " : "\n");
    }
    const char *specs[] = {g->in_spec, g->out_spec};
    for (int i = 0; i < 2; i++) {
        if (!specs[i]) continue;
        text_add(out, i == 0 ? "  in_spec " : "  out_spec ");
        text_quoted(out, specs[i]);
        text_char(out, '\n');
    }
}

static void print_graph(const printer *p, const fx_graph *g, const char *name)
{
    text_printf(p->out, "graph %s {\n", name);
    print_signature(p, g);
    for (const fx_node *n = g->first; n; n = n->next) {
        text_add(p->out, "  ");
        print_node(p, g, n);
        if (p->traced) print_origin(g, n, p->out);
        text_char(p->out, '\n');
    }
    text_add(p->out, "}\n");
}

static void print_program(const fx_graph *g, bool traced, text *out)
{
    printer p = {.out = out, .traced = traced, .symbols = g->symbols};
    meet_all(&p, g);
    print_customs(&p);
    print_symbols(&p);
    for (uint32_t i = 0; i < p.graphs.count; i++)
        print_graph(&p, p.graphs.at[i], p.graph_names.at[i]);
}

void fx_print(const fx_graph *g, text *out)
{
    print_program(g, false, out);
}

void fx_print_traced(const fx_graph *g, text *out)
{
    print_program(g, true, out);
}
