/* schema_default.c -- defaults of a schema's parameters. */
#include "op/schema.h"

#include <stdlib.h>
#include <string.h>

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
static fe_status word_default(schema_parser *p, const op_type *type, const char *start,
                              const char *word, op_default *out)
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
        return schema_fail(p, "a default of the parameter's type");
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

static fe_status number_default(schema_parser *p, const op_type *type, op_default *out)
{
    const char *start = p->at;
    char *end_of_int, *end;
    int64_t integer = strtoll(start, &end_of_int, 10);
    double number = strtod(start, &end);
    if (end == start) return schema_fail(p, "a default");
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
    return schema_fail(p, "a whole number");
}

static fe_status string_default(schema_parser *p, const op_type *type, op_default *out)
{
    char quote = *p->at++;
    const char *start = p->at;
    while (*p->at && *p->at != quote) p->at += p->at[0] == '\\' && p->at[1] ? 2 : 1;
    if (!*p->at) return schema_fail(p, "the end of the string");
    out->kind = type->base == OP_DEVICE ? OP_DEFAULT_DEVICE : OP_DEFAULT_STRING;
    out->string = intern_n(p->session, start, (size_t)(p->at - start));
    p->at++;
    return FE_OK;
}

static fe_status one_default(schema_parser *p, const op_type *type, op_default *out)
{
    const char *word;
    schema_skip_spaces(p);
    const char *start = p->at;
    if (*p->at == '"' || *p->at == '\'') return string_default(p, type, out);
    if (schema_take_word(p, true, &word)) return word_default(p, type, start, word, out);
    return number_default(p, type, out);
}

static fe_status list_default(schema_parser *p, const op_type *type, op_default *out)
{
    VEC(int64_t) items = {0};
    VEC(double) numbers = {0};
    while (!schema_take(p, "]")) {
        op_default item = {0};
        const char *start = p->at;
        if (items.count > 0) FE_TRY(schema_expect(p, ","));
        FE_TRY(one_default(p, type, &item));
        bool is_number = item.kind == OP_DEFAULT_FLOAT && type->base == OP_FLOAT;
        if (!is_number && item.kind != OP_DEFAULT_INT && item.kind != OP_DEFAULT_BOOL) {
            p->at = start;
            return schema_fail(p, "a whole number or a bool");
        }
        vec_push(p->memory, &items, item.integer);
        vec_push(p->memory, &numbers, item.number);
    }
    *out = (op_default){.kind = OP_DEFAULT_LIST, .list = items.at, .count = items.count};
    if (type->base == OP_FLOAT) out->numbers = numbers.at;
    return FE_OK;
}

/* A single number as default of T[n] stands for n of them. */
static void spread_default(schema_parser *p, const op_type *type, op_default *d)
{
    uint32_t count = type->list_size > 0 ? (uint32_t)type->list_size : 1;
    int64_t *items = NEW_ARRAY(p->memory, int64_t, count);
    double *numbers = NEW_ARRAY(p->memory, double, count);
    for (uint32_t i = 0; i < count; i++) {
        items[i] = d->integer;
        numbers[i] = d->number;
    }
    *d = (op_default){.kind = OP_DEFAULT_LIST,
                      .list = items,
                      .numbers = d->kind == OP_DEFAULT_FLOAT ? numbers : NULL,
                      .count = count};
}

static bool default_fits(const op_type *type, op_default_kind kind)
{
    op_base_type base = type->base;
    bool is_any = base == OP_SCALAR || base == OP_ANY;
    switch (kind) {
    case OP_DEFAULT_ABSENT: return true;
    case OP_DEFAULT_NONE: return type->optional || base == OP_ANY;
    case OP_DEFAULT_LIST: return type->list;
    case OP_DEFAULT_INT: return base == OP_INT || is_any;
    case OP_DEFAULT_FLOAT: return base == OP_FLOAT || base == OP_COMPLEX || is_any;
    case OP_DEFAULT_BOOL: return base == OP_BOOL || is_any;
    case OP_DEFAULT_STRING: return base == OP_STRING || base == OP_ANY;
    case OP_DEFAULT_MEMORY_FORMAT: return base == OP_MEMORY_FORMAT;
    case OP_DEFAULT_DTYPE: return base == OP_DTYPE;
    case OP_DEFAULT_LAYOUT: return base == OP_LAYOUT;
    case OP_DEFAULT_DEVICE: return base == OP_DEVICE;
    }
    return false;
}

fe_status schema_default(schema_parser *p, const op_type *type, op_default *out)
{
    schema_skip_spaces(p);
    const char *start = p->at;
    if (type->list && schema_take(p, "[")) return list_default(p, type, out);
    FE_TRY(one_default(p, type, out));
    bool fits = default_fits(type, out->kind);
    bool is_number = out->kind == OP_DEFAULT_INT || out->kind == OP_DEFAULT_BOOL ||
                     out->kind == OP_DEFAULT_FLOAT;
    if (fits && type->list && is_number) spread_default(p, type, out);
    if (fits && (!type->list || out->kind == OP_DEFAULT_LIST || out->kind == OP_DEFAULT_NONE))
        return FE_OK;
    p->at = start;
    return schema_fail(p, "a default of the parameter's type");
}
