/* schema.c -- reads an operator's schema string: PyTorch's own grammar, by recursive descent over
 * the characters.
 *
 *     schema  = space "::" base ["." overload] "(" params ")" "->" returns
 *     params  = "..." | [param {"," param}]            "*" alone: keyword-only from here on
 *     param   = type name ["=" default]
 *     returns = "..." | "()" | "(" type [name] {...} ")" | type [name]
 *     type    = base ["(" alias ")"] { "?" | "[" [number] "]" | "(" alias ")" }
 *     alias   = name {"|" name} ["!"] ["->" name {"|" name}]          "*" is the set of all
 *
 * "..." leaves the list open: no parameters are recorded (higher-order operators).
 */
#include "op/op_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    fe_session *session;
    arena *memory;
    const char *schema;
    const char *at;
    const char *aliases[32]; /* names of alias sets, interned; bit k stands for the k-th */
    uint32_t alias_count;
} parser;

typedef VEC(op_param) param_list;

/* ---- characters and words ---- */

static void skip_spaces(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n') p->at++;
}

/* A diagnostic that shows the schema up to the place and what follows. */
static fe_status fail(parser *p, const char *wanted)
{
    skip_spaces(p);
    const char *place = arena_printf(p->session->memory, "column %d of \"%s\"",
                                     (int)(p->at - p->schema) + 1, p->schema);
    diag d = {.status = FE_CORRUPT,
              .stage = "op",
              .place = place,
              .help = "a schema reads like \"space::name.overload(Tensor x, Tensor(a!) y, int[2] "
                      "size=0) -> Tensor\""};
    int shown = (int)strcspn(p->at, ",)") + 1;
    if (shown > 40) shown = 40;
    if (!*p->at) return diag_fail(p->session, d, "schema: expected %s, found the end", wanted);
    return diag_fail(p->session, d, "schema: expected %s, found '%.*s'", wanted, shown, p->at);
}

static bool is(parser *p, const char *punct)
{
    skip_spaces(p);
    return strncmp(p->at, punct, strlen(punct)) == 0;
}

static bool take(parser *p, const char *punct)
{
    if (!is(p, punct)) return false;
    p->at += strlen(punct);
    return true;
}

static fe_status expect(parser *p, const char *punct)
{
    return take(p, punct) ? FE_OK : fail(p, arena_printf(p->session->memory, "'%s'", punct));
}

static bool is_word_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* [A-Za-z_][A-Za-z0-9_]*, and dots between words when `dotted`. Returns its length, 0 when there is
 * none. */
static size_t word_length(const char *at, bool dotted)
{
    if (!is_word_start(*at)) return 0;
    const char *end = at;
    while (is_word(*end) || (dotted && *end == '.' && is_word(end[1]))) end++;
    return (size_t)(end - at);
}

static bool take_word(parser *p, bool dotted, const char **out)
{
    skip_spaces(p);
    size_t length = word_length(p->at, dotted);
    if (length == 0) return false;
    *out = intern_n(p->session, p->at, length);
    p->at += length;
    return true;
}

/* ---- types ---- */

static const struct {
    const char *name;
    op_base_type base;
    bool symbolic;
} TYPES[] = {
    {"Tensor", OP_TENSOR, false},
    {"int", OP_INT, false},
    {"SymInt", OP_INT, true},
    {"float", OP_FLOAT, false},
    {"SymFloat", OP_FLOAT, true},
    {"bool", OP_BOOL, false},
    {"SymBool", OP_BOOL, true},
    {"Scalar", OP_SCALAR, false},
    {"number", OP_SCALAR, false},
    {"complex", OP_COMPLEX, false},
    {"str", OP_STRING, false},
    {"ScalarType", OP_DTYPE, false},
    {"Device", OP_DEVICE, false},
    {"DeviceIndex", OP_INT, false},
    {"Layout", OP_LAYOUT, false},
    {"MemoryFormat", OP_MEMORY_FORMAT, false},
    {"Generator", OP_GENERATOR, false},
    {"Stream", OP_STREAM, false},
    {"Dimname", OP_DIMNAME, false},
    {"Storage", OP_OBJECT, false},
    {"QScheme", OP_OBJECT, false},
    {"ConstQuantizerBase", OP_OBJECT, false},
    {"Any", OP_ANY, false},
    {"t", OP_ANY, false},
    {"NoneType", OP_ANY, false},
};

/* Steps over "( ... )" with what it nests: the arguments of Dict and Future. */
static fe_status skip_parentheses(parser *p)
{
    int depth = 0;
    do {
        depth += *p->at == '(';
        depth -= *p->at == ')';
        if (!*p->at) return fail(p, "')'");
        p->at++;
    } while (depth > 0);
    return FE_OK;
}

static fe_status parse_base_type(parser *p, op_type *type)
{
    skip_spaces(p);
    const char *start = p->at, *name;
    if (!take_word(p, true, &name)) return fail(p, "a type");
    if (strncmp(name, "__torch__.", 10) == 0) {
        type->base = OP_OBJECT;
        return FE_OK;
    }
    if ((strcmp(name, "Dict") == 0 || strcmp(name, "Future") == 0) && *p->at == '(') {
        type->base = OP_ANY;
        return skip_parentheses(p);
    }
    for (size_t i = 0; i < COUNT_OF(TYPES); i++) {
        if (strcmp(TYPES[i].name, name) != 0) continue;
        type->base = TYPES[i].base;
        type->symbolic = TYPES[i].symbolic;
        return FE_OK;
    }
    p->at = start;
    return fail(p, "a type");
}

/* A name of an alias set, a letter most often: sets are numbered as they come. */
static fe_status parse_alias_name(parser *p, uint32_t *set)
{
    const char *start = p->at, *name;
    uint32_t k = 0;
    if (!islower((unsigned char)*p->at) || !take_word(p, false, &name)) {
        p->at = start;
        return fail(p, "an alias letter");
    }
    while (k < p->alias_count && p->aliases[k] != name) k++;
    if (k == COUNT_OF(p->aliases)) return fail(p, "at most 32 alias sets");
    if (k == p->alias_count) p->aliases[p->alias_count++] = name;
    *set |= 1u << k;
    return FE_OK;
}

/* One side of an alias annotation: letters joined by |, or * for all of them. */
static fe_status parse_alias_set(parser *p, uint32_t *set)
{
    do {
        if (take(p, "*")) {
            *set = UINT32_MAX;
            continue;
        }
        skip_spaces(p);
        FE_TRY(parse_alias_name(p, set));
    } while (take(p, "|"));
    return FE_OK;
}

static fe_status parse_alias(parser *p, op_param *out)
{
    uint32_t after = 0;
    FE_TRY(parse_alias_set(p, &out->alias));
    if (take(p, "!")) out->is_written = true;
    if (take(p, "->"))
        FE_TRY(parse_alias_set(p, &after)); /* what it may alias after the call: nothing asks */
    return expect(p, ")");
}

static fe_status parse_list_suffix(parser *p, op_type *type)
{
    if (type->list) return fail(p, "no second '[]'");
    type->list = true;
    type->optional_elements = type->optional;
    type->optional = false;
    type->list_size = -1;
    skip_spaces(p);
    if (isdigit((unsigned char)*p->at)) {
        char *end;
        long size = strtol(p->at, &end, 10);
        if (size > 1000000) return fail(p, "a list size");
        type->list_size = (int32_t)size;
        p->at = end;
    }
    return expect(p, "]");
}

/* The type and, as they stand inside it, the alias annotations. */
static fe_status parse_type(parser *p, op_param *out)
{
    out->type.list_size = -1;
    FE_TRY(parse_base_type(p, &out->type));
    for (;;) {
        if (*p->at == '(') {
            p->at++;
            FE_TRY(parse_alias(p, out));
        } else if (take(p, "?")) {
            out->type.optional = true;
        } else if (take(p, "[")) {
            FE_TRY(parse_list_suffix(p, &out->type));
        } else {
            return FE_OK;
        }
    }
}

/* ---- defaults ---- */

static bool word_in(const char *word, const char *const *list, size_t count, int64_t *index)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], word) == 0) {
            *index = (int64_t)i;
            return true;
        }
    return false;
}

/* A default written as a name: None, True, Mean, contiguous_format, float32, ... */
static fe_status word_default(parser *p, const op_type *type, const char *start, const char *word,
                              op_default *out)
{
    static const char *const REDUCTIONS[] = {"none", "Mean", "Sum"};
    static const char *const FORMATS[] = {"contiguous_format", "preserve_format", "channels_last",
                                          "channels_last_3d"};
    ty_dtype dtype;
    if (strcmp(word, "None") == 0) {
        out->kind = OP_DEFAULT_NONE;
    } else if (strcmp(word, "True") == 0 || strcmp(word, "False") == 0) {
        out->kind = OP_DEFAULT_BOOL;
        out->integer = word[0] == 'T';
    } else if (type->base == OP_INT &&
               word_in(word, REDUCTIONS, COUNT_OF(REDUCTIONS), &out->integer)) {
        out->kind = OP_DEFAULT_INT;
    } else if (type->base == OP_MEMORY_FORMAT &&
               word_in(word, FORMATS, COUNT_OF(FORMATS), &out->integer)) {
        out->kind = OP_DEFAULT_MEMORY_FORMAT; /* the order of ty_memory_format */
    } else if (type->base == OP_DTYPE && ty_dtype_parse(word, &dtype)) {
        out->kind = OP_DEFAULT_DTYPE;
        out->integer = dtype;
    } else if (type->base == OP_LAYOUT && strcmp(word, "strided") == 0) {
        out->kind = OP_DEFAULT_LAYOUT;
        out->integer = 7;
    } else if (type->base == OP_DEVICE) {
        out->kind = OP_DEFAULT_DEVICE;
        out->string = word;
    } else if (type->base == OP_FLOAT && (strcmp(word, "inf") == 0 || strcmp(word, "nan") == 0)) {
        out->kind = OP_DEFAULT_FLOAT;
        out->number = strtod(word, NULL);
    } else {
        p->at = start;
        return fail(p, "a default of the parameter's type");
    }
    return FE_OK;
}

/* PyTorch's own numbers of dtypes (c10::ScalarType), as schemas print the default of a ScalarType.
 * */
static ty_dtype dtype_from_c10(int64_t number)
{
    static const ty_dtype DTYPES[] = {
        TY_U8,  TY_I8,  TY_I16,  TY_I32,  TY_I64,      TY_F16,      TY_F32,      TY_F64,
        TY_C32, TY_C64, TY_C128, TY_BOOL, TY_NO_DTYPE, TY_NO_DTYPE, TY_NO_DTYPE, TY_BF16};
    return number >= 0 && number < (int64_t)COUNT_OF(DTYPES) ? DTYPES[number] : TY_NO_DTYPE;
}

static fe_status number_default(parser *p, const op_type *type, op_default *out)
{
    const char *start = p->at;
    char *end_of_int, *end;
    int64_t integer = strtoll(start, &end_of_int, 10);
    double number = strtod(start, &end);
    if (end == start) return fail(p, "a default");
    p->at = end;
    bool is_integer = end == end_of_int;
    *out = (op_default){.kind = is_integer ? OP_DEFAULT_INT : OP_DEFAULT_FLOAT,
                        .integer = integer,
                        .number = number};
    if (!is_integer) out->integer = 0;
    switch (type->base) {
    case OP_FLOAT:
    case OP_COMPLEX: out->kind = OP_DEFAULT_FLOAT; return FE_OK;
    case OP_BOOL: out->kind = OP_DEFAULT_BOOL; break;
    case OP_MEMORY_FORMAT: out->kind = OP_DEFAULT_MEMORY_FORMAT; break;
    case OP_LAYOUT: out->kind = OP_DEFAULT_LAYOUT; break;
    case OP_DTYPE:
        out->kind = OP_DEFAULT_DTYPE;
        out->integer = dtype_from_c10(integer);
        break;
    case OP_INT: break;
    default: return FE_OK; /* Scalar, Any */
    }
    if (is_integer) return FE_OK;
    p->at = start;
    return fail(p, "a whole number");
}

static fe_status string_default(parser *p, const op_type *type, op_default *out)
{
    char quote = *p->at++;
    const char *start = p->at;
    while (*p->at && *p->at != quote) p->at += p->at[0] == '\\' && p->at[1] ? 2 : 1;
    if (!*p->at) return fail(p, "the end of the string");
    out->kind = type->base == OP_DEVICE ? OP_DEFAULT_DEVICE : OP_DEFAULT_STRING;
    out->string = intern_n(p->session, start, (size_t)(p->at - start));
    p->at++;
    return FE_OK;
}

static fe_status one_default(parser *p, const op_type *type, op_default *out)
{
    const char *word;
    skip_spaces(p);
    const char *start = p->at;
    if (*p->at == '"' || *p->at == '\'') return string_default(p, type, out);
    if (take_word(p, true, &word)) return word_default(p, type, start, word, out);
    return number_default(p, type, out);
}

static fe_status list_default(parser *p, const op_type *type, op_default *out)
{
    VEC(int64_t) items = {0};
    while (!take(p, "]")) {
        op_default item = {0};
        const char *start = p->at;
        if (items.count > 0) FE_TRY(expect(p, ","));
        FE_TRY(one_default(p, type, &item));
        if (item.kind != OP_DEFAULT_INT && item.kind != OP_DEFAULT_BOOL) {
            p->at = start;
            return fail(p, "a whole number or a bool");
        }
        vec_push(p->memory, &items, item.integer);
    }
    *out = (op_default){.kind = OP_DEFAULT_LIST, .list = items.at, .count = items.count};
    return FE_OK;
}

/* A single number as default of T[n] stands for n of them. */
static void spread_default(parser *p, const op_type *type, op_default *d)
{
    uint32_t count = type->list_size > 0 ? (uint32_t)type->list_size : 1;
    int64_t *items = NEW_ARRAY(p->memory, int64_t, count);
    for (uint32_t i = 0; i < count; i++) items[i] = d->integer;
    *d = (op_default){.kind = OP_DEFAULT_LIST, .list = items, .count = count};
}

static fe_status parse_default(parser *p, const op_type *type, op_default *out)
{
    if (type->list && take(p, "[")) return list_default(p, type, out);
    FE_TRY(one_default(p, type, out));
    if (type->list && (out->kind == OP_DEFAULT_INT || out->kind == OP_DEFAULT_BOOL))
        spread_default(p, type, out);
    return FE_OK;
}

/* ---- parameters, returns, the whole ---- */

static bool has_param(const param_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i].name == name) return true;
    return false;
}

static fe_status parse_params(parser *p, op_info *out)
{
    param_list params = {0};
    bool keyword_only = false, first = true;
    FE_TRY(expect(p, "("));
    if (take(p, "...")) return expect(p, ")");
    while (!take(p, ")")) {
        if (!first) FE_TRY(expect(p, ","));
        first = false;
        if (!keyword_only && take(p, "*")) {
            keyword_only = true;
            continue;
        }
        op_param param = {.keyword_only = keyword_only};
        FE_TRY(parse_type(p, &param));
        skip_spaces(p);
        const char *start = p->at;
        if (!take_word(p, false, &param.name)) return fail(p, "a parameter name");
        if (has_param(&params, param.name)) {
            p->at = start;
            return fail(p, "a parameter name that is not used before");
        }
        if (take(p, "=")) FE_TRY(parse_default(p, &param.type, &param.default_value));
        vec_push(p->memory, &params, param);
    }
    out->params = params.at;
    out->param_count = params.count;
    return FE_OK;
}

static fe_status parse_return(parser *p, param_list *list)
{
    op_param ret = {0};
    FE_TRY(parse_type(p, &ret));
    (void)take_word(p, false, &ret.name);
    vec_push(p->memory, list, ret);
    return FE_OK;
}

static fe_status parse_returns(parser *p, op_info *out)
{
    param_list returns = {0};
    FE_TRY(expect(p, "->"));
    if (take(p, "...")) return FE_OK;
    if (take(p, "(")) {
        while (!take(p, ")")) {
            if (returns.count > 0) FE_TRY(expect(p, ","));
            FE_TRY(parse_return(p, &returns));
        }
    } else {
        FE_TRY(parse_return(p, &returns));
    }
    out->returns = returns.at;
    out->return_count = returns.count;
    return FE_OK;
}

/* Finds "space::base[.overload]" at the start; lengths are 0 where a part is missing. */
static bool split_name(const char *schema, size_t *space, size_t *base, size_t *overload)
{
    *space = word_length(schema, true);
    if (*space == 0 || strncmp(schema + *space, "::", 2) != 0) return false;
    *base = word_length(schema + *space + 2, false);
    if (*base == 0) return false;
    const char *rest = schema + *space + 2 + *base;
    *overload = *rest == '.' ? word_length(rest + 1, false) : 0;
    return *rest != '.' || *overload > 0;
}

const char *op_schema_name(fe_session *s, const char *schema)
{
    enum { LONGEST = 400 };
    char name[LONGEST];
    size_t space, base, overload, length;
    if (!split_name(schema, &space, &base, &overload)) return NULL;
    if (space + base + overload + sizeof ".default" + 1 > LONGEST) return NULL;
    memcpy(name, schema, space);
    name[space] = '.';
    memcpy(name + space + 1, schema + space + 2, base);
    length = space + 1 + base;
    if (overload > 0) {
        memcpy(name + length, schema + space + 2 + base, overload + 1);
        length += overload + 1;
    } else if (op_space_has_overloads(schema, space)) {
        memcpy(name + length, ".default", sizeof ".default" - 1);
        length += sizeof ".default" - 1;
    }
    return intern_n(s, name, length);
}

static fe_status parse_name(parser *p, op_info *out)
{
    size_t space, base, overload;
    skip_spaces(p);
    if (!split_name(p->at, &space, &base, &overload)) return fail(p, "\"space::name\"");
    out->name = op_schema_name(p->session, p->at);
    if (!out->name) return fail(p, "a shorter name");
    out->space = intern_n(p->session, p->at, space);
    out->base = intern_n(p->session, p->at + space + 2, base);
    p->at += space + 2 + base;
    out->overload = "default";
    if (overload > 0) {
        out->overload = intern_n(p->session, p->at + 1, overload);
        p->at += overload + 1;
    }
    return FE_OK;
}

fe_status op_schema_parse(fe_session *s, arena *a, const char *schema, op_info *out)
{
    parser p = {.session = s, .memory = a, .schema = schema, .at = schema};
    *out = (op_info){.schema = schema};
    FE_TRY(parse_name(&p, out));
    FE_TRY(parse_params(&p, out));
    FE_TRY(parse_returns(&p, out));
    skip_spaces(&p);
    if (*p.at) return fail(&p, "the end");

    uint32_t plain = 0, written = 0;
    for (uint32_t i = 0; i < out->param_count; i++)
        *(out->params[i].is_written ? &written : &plain) |= out->params[i].alias;
    out->is_mutating = written != 0;
    for (uint32_t i = 0; i < out->return_count; i++)
        if (out->returns[i].alias & plain & ~written) out->is_view = true;
    return FE_OK;
}
