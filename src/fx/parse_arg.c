/* parse_arg.c -- the small parts of the text form: arguments, metadata, elements of constants.
 *
 *     arg   = None | True | False | expr | float | string | %name | @graph
 *           | "[" [arg {"," arg}] "]" | torch.<dtype, layout or memory format>
 *           | cpu | cuda[:int] | meta | "complex(" number "," number ")" | "object" string
 *     value = tensor | "int" (expr | "?") | "bool" (expr | "?") | "float" (float | "?")
 *           | "(" [value {"," value}] ")" | "none" | "opaque"
 */
#include "fx/fx_priv.h"

#include <string.h>

typedef VEC(fx_arg) arg_list;

enum { DEEPEST = 100 }; /* lists in lists, tuples in tuples */

static fe_status parse_arg(fx_parser *p, fx_graph *g, int depth, fx_arg *out);

int fx_take_word(fx_parser *p, const char *const *words, int count)
{
    if (p->lx.token.kind != LEX_NAME) return -1;
    for (int i = 0; i < count; i++)
        if (lex_take(&p->lx, words[i])) return i;
    return -1;
}

bool fx_next_is(const fx_parser *p, char punct)
{
    const char *at = p->lx.at, *end = p->lx.end;
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    return at < end && *at == punct && (at + 1 == end || at[1] != '=');
}

/* ---- values ---- */

static fe_status parse_optional_expr(fx_parser *p, sym_expr *out)
{
    return lex_take(&p->lx, "?") ? FE_OK : sym_parse(p->symbols, &p->lx, out);
}

static fe_status parse_float_value(fx_parser *p, fx_value *out)
{
    out->kind = FX_FLOAT;
    if (lex_take(&p->lx, "?")) return FE_OK;
    if (p->lx.token.kind != LEX_FLOAT)
        return lex_fail(&p->lx, "expected a number with a point, or ?");
    out->is_known = true;
    out->number = p->lx.token.number;
    lex_next(&p->lx);
    return FE_OK;
}

static fe_status parse_value(fx_parser *p, fx_graph *g, int depth, fx_value *out)
{
    lexer *lx = &p->lx;
    *out = (fx_value){.kind = FX_NO_VALUE};
    if (depth > DEEPEST) return lex_fail(lx, "tuples too deep");
    if (lex_take(lx, "none")) return FE_OK;
    if (lex_take(lx, "opaque")) {
        out->kind = FX_OPAQUE;
        return FE_OK;
    }
    if (lex_take(lx, "float")) return parse_float_value(p, out);
    bool is_bool = lex_is(lx, "bool") && !fx_next_is(p, '[');
    if (is_bool || lex_is(lx, "int")) {
        lex_next(lx);
        out->kind = is_bool ? FX_BOOL : FX_INT;
        return parse_optional_expr(p, &out->expr);
    }
    if (lex_take(lx, "(")) {
        VEC(fx_value) items = {0};
        while (!lex_take(lx, ")")) {
            fx_value item;
            if (items.count > 0) FE_TRY(lex_expect(lx, ","));
            FE_TRY(parse_value(p, g, depth + 1, &item));
            vec_push(p->memory, &items, item);
        }
        *out = (fx_value){.kind = FX_TUPLE, .items = items.at, .count = items.count};
        return FE_OK;
    }
    out->kind = FX_TENSOR;
    FE_TRY(ty_parse(p->memory, p->symbols, lx, &out->tensor));
    if (out->tensor->storage >= g->next_storage) g->next_storage = out->tensor->storage + 1;
    return FE_OK;
}

/* ---- arguments ---- */

static fe_status parse_number(fx_parser *p, double *out)
{
    if (p->lx.token.kind != LEX_FLOAT && p->lx.token.kind != LEX_INT)
        return lex_fail(&p->lx, "expected a number");
    *out = p->lx.token.number;
    lex_next(&p->lx);
    return FE_OK;
}

/* "(re, im)" */
static fe_status parse_complex(fx_parser *p, double out[2])
{
    FE_TRY(lex_expect(&p->lx, "("));
    FE_TRY(parse_number(p, &out[0]));
    FE_TRY(lex_expect(&p->lx, ","));
    FE_TRY(parse_number(p, &out[1]));
    return lex_expect(&p->lx, ")");
}

uint32_t fx_wanted_graph(fx_parser *p, const char *name, fx_graph *parent)
{
    name = intern(p->session, name);
    uint32_t i = map_get(&p->graph_names, MAP_KEY(name));
    if (i != MAP_NONE) return i;
    fx_graph *made = fx_graph_new(p->session, p->memory, p->symbols, p->ops, name);
    made->parent = parent;
    map_set(p->memory, &p->graph_names, MAP_KEY(name), p->graphs.count);
    vec_push(p->memory, &p->graphs, (fx_wanted){.graph = made});
    return p->graphs.count - 1;
}

static fe_status parse_graph_arg(fx_parser *p, fx_graph *g, fx_arg *out)
{
    out->kind = FX_ARG_GRAPH;
    const char *name;
    FE_TRY(lex_buffer(&p->lx, &name));
    uint32_t called = fx_wanted_graph(p, name, g), caller = fx_wanted_graph(p, g->name, NULL);
    vec_push(p->memory, &p->graph_calls, (fx_graph_call){.caller = caller, .called = called});
    out->graph = p->graphs.at[called].graph;
    return FE_OK;
}

static fe_status parse_list_arg(fx_parser *p, fx_graph *g, int depth, fx_arg *out)
{
    arg_list items = {0};
    FE_TRY(lex_expect(&p->lx, "["));
    while (!lex_take(&p->lx, "]")) {
        fx_arg item;
        if (items.count > 0) FE_TRY(lex_expect(&p->lx, ","));
        FE_TRY(parse_arg(p, g, depth + 1, &item));
        vec_push(p->memory, &items, item);
    }
    out->kind = FX_ARG_LIST;
    out->list.items = items.at;
    out->list.count = items.count;
    return FE_OK;
}

static fe_status parse_device_index(fx_parser *p, ty_device_kind kind, fx_arg *out)
{
    int64_t index = -1;
    if (lex_take(&p->lx, ":")) {
        FE_TRY(lex_int(&p->lx, &index));
        if (index < 0 || index > INT32_MAX)
            return lex_fail(&p->lx, "a device index below 0 or too large");
    }
    *out = (fx_arg){.kind = FX_ARG_DEVICE, .device = {.kind = kind, .index = (int32_t)index}};
    return FE_OK;
}

/* torch.float64, and f64 as types are written elsewhere, unless a symbol is called so. */
static bool is_dtype(const fx_parser *p, ty_dtype *out)
{
    const char *name = p->lx.token.text;
    return ty_dtype_parse(name, out) && sym_is_none(sym_find_symbol(p->symbols, name));
}

/* An argument that starts with a name: a constant of some kind, else an expression. */
static fe_status parse_named_arg(fx_parser *p, fx_arg *out)
{
    lexer *lx = &p->lx;
    ty_dtype dtype;
    int index;
    if (lex_take(lx, "None")) {
        *out = fx_none();
    } else if (lex_is(lx, "True") || lex_is(lx, "False")) {
        *out = fx_bool(lex_is(lx, "True"));
        lex_next(lx);
    } else if (lex_is(lx, "true") || lex_is(lx, "false") || lex_is(lx, "none")) {
        return lex_fail(lx, "no symbol has this name: constants are True, False and None");
    } else if (lex_is(lx, "complex") && fx_next_is(p, '(')) {
        lex_next(lx);
        out->kind = FX_ARG_COMPLEX;
        return parse_complex(p, out->complex_);
    } else if (lex_take(lx, "object")) {
        out->kind = FX_ARG_OBJECT;
        return lex_string(lx, &out->string);
    } else if (is_dtype(p, &dtype)) {
        lex_next(lx);
        *out = fx_dtype(dtype);
    } else if ((index = fx_take_word(p, fx_format_words, FX_FORMAT_WORDS)) >= 0) {
        *out = (fx_arg){.kind = FX_ARG_MEMORY_FORMAT, .memory_format = (ty_memory_format)index};
    } else if ((index = fx_take_word(p, fx_layout_words, FX_LAYOUT_WORDS)) >= 0) {
        *out = (fx_arg){.kind = FX_ARG_LAYOUT, .layout = index};
    } else if ((index = fx_take_word(p, ty_device_words, TY_DEVICE_KINDS)) >= 0) {
        return parse_device_index(p, (ty_device_kind)index, out);
    } else if (strncmp(lx->token.text, "torch.", 6) == 0) {
        return lex_fail(lx, "no dtype, layout or memory format of this name");
    } else {
        out->kind = FX_ARG_INT;
        return sym_parse(p->symbols, lx, &out->expr);
    }
    return FE_OK;
}

static fe_status parse_arg(fx_parser *p, fx_graph *g, int depth, fx_arg *out)
{
    lexer *lx = &p->lx;
    *out = (fx_arg){.kind = FX_ARG_INT};
    if (depth > DEEPEST) return lex_fail(lx, "lists too deep");
    switch (lx->token.kind) {
    case LEX_VALUE:
        *out = fx_of(fx_find(g, lx->token.text));
        if (!out->node) return lex_fail(lx, "nothing is defined under this name yet");
        lex_next(lx);
        return FE_OK;
    case LEX_FLOAT:
        *out = fx_float(lx->token.number);
        lex_next(lx);
        return FE_OK;
    case LEX_STRING: out->kind = FX_ARG_STRING; return lex_string(lx, &out->string);
    case LEX_BUFFER: return parse_graph_arg(p, g, out);
    case LEX_NAME: return parse_named_arg(p, out);
    default:
        return lex_is(lx, "[") ? parse_list_arg(p, g, depth, out)
                               : sym_parse(p->symbols, lx, &out->expr);
    }
}

fe_status fx_parse_value(fx_parser *p, fx_graph *g, fx_value *out)
{
    return parse_value(p, g, 0, out);
}

fe_status fx_parse_arg(fx_parser *p, fx_graph *g, fx_arg *out)
{
    return parse_arg(p, g, 0, out);
}

bool fx_parse_word(fx_graph *g, const char *word, fx_arg *out)
{
    fx_parser p = {
        .session = g->session, .memory = g->memory, .symbols = g->symbols, .ops = g->ops};
    diag_mark_t mark = diag_mark(g->session);
    lex_init(&p.lx, g->session, "fx", word, strlen(word));
    bool is_name = p.lx.token.kind == LEX_NAME;
    if (is_name && parse_named_arg(&p, out) == FE_OK && lex_finish(&p.lx) == FE_OK)
        return out->kind == FX_ARG_DTYPE || out->kind == FX_ARG_DEVICE ||
               out->kind == FX_ARG_LAYOUT || out->kind == FX_ARG_MEMORY_FORMAT;
    diag_forget_since(g->session, mark);
    return false;
}

/* ---- elements of constants ---- */

static fe_status parse_element(fx_parser *p, ty_dtype dtype, fx_element *out)
{
    lexer *lx = &p->lx;
    *out = (fx_element){0};
    if (ty_is_complex(dtype)) {
        FE_TRY(lex_expect(lx, "complex"));
        return parse_complex(p, out->number);
    }
    if (ty_is_floating(dtype)) return parse_number(p, &out->number[0]);
    if (dtype != TY_BOOL) return lex_int(lx, &out->integer);
    out->integer = lex_is(lx, "True");
    if (!lex_is(lx, "True") && !lex_is(lx, "False")) return lex_fail(lx, "expected True or False");
    lex_next(lx);
    return FE_OK;
}

fe_status fx_parse_data(fx_parser *p, fx_graph *g, fx_node *n)
{
    lexer *lx = &p->lx;
    const ty_tensor *x = fx_tensor(n);
    VEC(fx_element) elements = {0};
    int64_t bytes = 0;
    bool known =
        x && fx_is_weight(n) && sym_is_int(g->symbols, ty_storage_bytes(g->symbols, x), &bytes);
    if (!known || bytes < 0) return lex_fail(lx, "only weights of a known size have data");
    FE_TRY(lex_expect(lx, "["));
    while (!lex_take(lx, "]")) {
        fx_element e;
        if (elements.count > 0) FE_TRY(lex_expect(lx, ","));
        FE_TRY(parse_element(p, x->dtype, &e));
        vec_push(p->memory, &elements, e);
    }
    /* A storage far larger than its elements would only be a way to ask for all memory. */
    if (bytes > (int64_t)(64 + 64 * (size_t)elements.count) * 1024)
        return lex_fail(lx, "the storage is too large for its data");
    size_t *offsets = NEW_ARRAY(p->memory, size_t, elements.count);
    if (fx_element_offsets(g, x, (size_t)bytes, offsets, elements.count) != (int64_t)elements.count)
        return lex_fail(lx, "the data must have one element for each of the tensor's");
    uint8_t *storage = arena_alloc(p->memory, (size_t)bytes);
    for (uint32_t i = 0; i < elements.count; i++)
        fx_element_write(x->dtype, storage + offsets[i], &elements.at[i]);
    fx_data *data = NEW(p->memory, fx_data);
    *data = (fx_data){.bytes = storage, .size = (size_t)bytes};
    n->data = data;
    return FE_OK;
}
