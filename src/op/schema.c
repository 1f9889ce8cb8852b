/* schema.c -- reads an operator's schema string: PyTorch's own grammar, by recursive descent over
 * the characters.
 *
 *     schema  = space "::" base ["." overload] "(" params ")" "->" returns
 *     params  = "..." | [param {"," param}]            "*" alone: keyword-only from here on
 *     param   = type name ["=" default]
 *     returns = "..." | "()" | "None" | "(" type [name] {...} ")" | type [name]
 *     type    = base ["(" alias ")"] { "?" | "[" [number] "]" | "(" alias ")" }
 *     alias   = name {"|" name} ["!"] ["->" name {"|" name}]          "*" is the set of all
 *
 * "..." leaves the list open: no parameters are recorded (higher-order operators).
 */
#include "op/schema.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef VEC(op_param) param_list;

/* ---- characters and words ---- */

void schema_skip_spaces(schema_parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n') p->at++;
}

/* A diagnostic that shows the schema up to the place and what follows. */
fe_status schema_fail(schema_parser *p, const char *wanted)
{
    schema_skip_spaces(p);
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

bool schema_is(schema_parser *p, const char *punct)
{
    schema_skip_spaces(p);
    return strncmp(p->at, punct, strlen(punct)) == 0;
}

bool schema_take(schema_parser *p, const char *punct)
{
    if (!schema_is(p, punct)) return false;
    p->at += strlen(punct);
    return true;
}

fe_status schema_expect(schema_parser *p, const char *punct)
{
    return schema_take(p, punct) ? FE_OK
                                 : schema_fail(p, arena_printf(p->session->memory, "'%s'", punct));
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

bool schema_take_word(schema_parser *p, bool dotted, const char **out)
{
    schema_skip_spaces(p);
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
static fe_status skip_parentheses(schema_parser *p)
{
    int depth = 0;
    do {
        depth += *p->at == '(';
        depth -= *p->at == ')';
        if (!*p->at) return schema_fail(p, "')'");
        p->at++;
    } while (depth > 0);
    return FE_OK;
}

static fe_status parse_base_type(schema_parser *p, op_type *type)
{
    schema_skip_spaces(p);
    const char *start = p->at, *name;
    if (!schema_take_word(p, true, &name)) return schema_fail(p, "a type");
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
    return schema_fail(p, "a type");
}

/* A name of an alias set, a letter most often: sets are numbered as they come. */
static fe_status parse_alias_name(schema_parser *p, uint32_t *set)
{
    const char *start = p->at, *name;
    uint32_t k = 0;
    if (!islower((unsigned char)*p->at) || !schema_take_word(p, false, &name)) {
        p->at = start;
        return schema_fail(p, "an alias letter");
    }
    while (k < p->alias_count && p->aliases[k] != name) k++;
    if (k == COUNT_OF(p->aliases)) return schema_fail(p, "at most 32 alias sets");
    if (k == p->alias_count) p->aliases[p->alias_count++] = name;
    *set |= 1u << k;
    return FE_OK;
}

/* One side of an alias annotation: letters joined by |, or * for all of them. */
static fe_status parse_alias_set(schema_parser *p, uint32_t *set)
{
    do {
        if (schema_take(p, "*")) {
            *set = UINT32_MAX;
            continue;
        }
        schema_skip_spaces(p);
        FE_TRY(parse_alias_name(p, set));
    } while (schema_take(p, "|"));
    return FE_OK;
}

static fe_status parse_alias(schema_parser *p, op_param *out)
{
    uint32_t after = 0;
    FE_TRY(parse_alias_set(p, &out->alias));
    if (schema_take(p, "!")) out->is_written = true;
    if (schema_take(p, "->"))
        FE_TRY(parse_alias_set(p, &after)); /* what it may alias after the call: nothing asks */
    return schema_expect(p, ")");
}

static fe_status parse_list_suffix(schema_parser *p, op_type *type)
{
    if (type->list) return schema_fail(p, "no second '[]'");
    type->list = true;
    type->optional_elements = type->optional;
    type->optional = false;
    type->list_size = -1;
    schema_skip_spaces(p);
    if (isdigit((unsigned char)*p->at)) {
        char *end;
        long size = strtol(p->at, &end, 10);
        if (size > 1000000) return schema_fail(p, "a list size");
        type->list_size = (int32_t)size;
        p->at = end;
    }
    return schema_expect(p, "]");
}

/* The type and, as they stand inside it, the alias annotations. */
static fe_status parse_type(schema_parser *p, op_param *out)
{
    out->type.list_size = -1;
    FE_TRY(parse_base_type(p, &out->type));
    for (;;) {
        if (*p->at == '(') {
            p->at++;
            FE_TRY(parse_alias(p, out));
        } else if (schema_take(p, "?")) {
            out->type.optional = true;
        } else if (schema_take(p, "[")) {
            FE_TRY(parse_list_suffix(p, &out->type));
        } else {
            return FE_OK;
        }
    }
}

/* ---- parameters, returns, the whole ---- */

static bool has_param(const param_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i].name == name) return true;
    return false;
}

static fe_status parse_params(schema_parser *p, op_info *out)
{
    param_list params = {0};
    bool keyword_only = false, first = true;
    FE_TRY(schema_expect(p, "("));
    if (schema_take(p, "...")) return schema_expect(p, ")");
    while (!schema_take(p, ")")) {
        if (!first) FE_TRY(schema_expect(p, ","));
        first = false;
        if (!keyword_only && schema_take(p, "*")) {
            keyword_only = true;
            continue;
        }
        op_param param = {.keyword_only = keyword_only};
        FE_TRY(parse_type(p, &param));
        schema_skip_spaces(p);
        const char *start = p->at;
        if (!schema_take_word(p, false, &param.name)) return schema_fail(p, "a parameter name");
        if (has_param(&params, param.name)) {
            p->at = start;
            return schema_fail(p, "a parameter name that is not used before");
        }
        if (schema_take(p, "=")) FE_TRY(schema_default(p, &param.type, &param.default_value));
        vec_push(p->memory, &params, param);
    }
    out->params = params.at;
    out->param_count = params.count;
    return FE_OK;
}

static fe_status parse_return(schema_parser *p, param_list *list)
{
    op_param ret = {0};
    FE_TRY(parse_type(p, &ret));
    (void)schema_take_word(p, false, &ret.name);
    vec_push(p->memory, list, ret);
    return FE_OK;
}

/* "-> None" is "-> ()": so operators of torch.library say it. */
static bool take_none(schema_parser *p)
{
    const char *start = p->at, *word;
    if (schema_take_word(p, true, &word) &&
        (strcmp(word, "NoneType") == 0 || strcmp(word, "None") == 0))
        return true;
    p->at = start;
    return false;
}

static fe_status parse_returns(schema_parser *p, op_info *out)
{
    param_list returns = {0};
    FE_TRY(schema_expect(p, "->"));
    if (schema_take(p, "...")) return FE_OK;
    if (schema_take(p, "(")) {
        while (!schema_take(p, ")")) {
            if (returns.count > 0) FE_TRY(schema_expect(p, ","));
            FE_TRY(parse_return(p, &returns));
        }
    } else if (!take_none(p)) {
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

static fe_status parse_name(schema_parser *p, op_info *out)
{
    size_t space, base, overload;
    schema_skip_spaces(p);
    if (!split_name(p->at, &space, &base, &overload)) return schema_fail(p, "\"space::name\"");
    out->name = op_schema_name(p->session, p->at);
    if (!out->name) return schema_fail(p, "a shorter name");
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
    schema_parser p = {.session = s, .memory = a, .schema = schema, .at = schema};
    *out = (op_info){.schema = schema};
    FE_TRY(parse_name(&p, out));
    FE_TRY(parse_params(&p, out));
    FE_TRY(parse_returns(&p, out));
    schema_skip_spaces(&p);
    if (*p.at) return schema_fail(&p, "the end");

    uint32_t plain = 0, written = 0;
    for (uint32_t i = 0; i < out->param_count; i++)
        *(out->params[i].is_written ? &written : &plain) |= out->params[i].alias;
    out->is_mutating = written != 0;
    for (uint32_t i = 0; i < out->return_count; i++)
        if (out->returns[i].alias & plain & ~written) out->is_view = true;
    return FE_OK;
}
