/* arg.c -- serialized arguments: names of a graph, the kinds of argument, and their fitting to
 * an operator's schema.
 *
 * An archive writes an argument as an object of one member whose name is its kind: {"as_ints":
 * [2, 2]}. It is read as it stands and then fitted to its parameter: a number for a list of
 * known length becomes that list, an integer for a float a float, a value that the parameter
 * cannot take an error.
 */
#include "pt2/pt2_priv.h"

/* ---- names ---- */

binding *scope_find(scope *s, const char *name)
{
    uint32_t i = map_get(&s->names, MAP_KEY(name));
    return i == MAP_NONE ? NULL : s->bindings.at[i];
}

binding *scope_bind(scope *s, const char *name)
{
    binding *b = scope_find(s, name);
    if (b) return b;
    b = NEW(s->reader->memory, binding);
    b->name = name;
    map_set(s->reader->memory, &s->names, MAP_KEY(name), s->bindings.count);
    vec_push(s->reader->memory, &s->bindings, b);
    return b;
}

fe_status scope_node(scope *s, json_at *at, const char *name, fx_node **out)
{
    binding *b = scope_find(s, name);
    if (b && !b->node && b->tuple) item_make(s, b);
    if (!b || !b->node)
        return json_fail(at, FE_CORRUPT, NULL, "the value '%.200s' is used before it is defined",
                         name);
    *out = b->node;
    return FE_OK;
}

/* ---- kinds: each reads what stands behind its name ---- */

typedef fe_status kind_reader(scope *s, json_at *at, fx_arg *out);

static fe_status read_list(scope *s, json_at *at, fx_arg *out, kind_reader *read)
{
    json_at item;
    json_walk walk;
    uint32_t count;
    FE_TRY(json_count(at, &count));
    *out = (fx_arg){.kind = FX_ARG_LIST};
    out->list.items = NEW_ARRAY(s->reader->memory, fx_arg, count);
    FE_TRY(json_walk_array(at, &walk));
    while (json_next(&walk, &item)) FE_TRY(read(s, &item, &out->list.items[out->list.count++]));
    return FE_OK;
}

static fe_status read_none(scope *s, json_at *at, fx_arg *out)
{
    (void)s;
    (void)at;
    *out = fx_none();
    return FE_OK;
}

static fe_status read_tensor(scope *s, json_at *at, fx_arg *out)
{
    const char *name;
    fx_node *node;
    FE_TRY(json_name_of(at, "name", &name));
    FE_TRY(scope_node(s, at, name, &node));
    *out = fx_of(node);
    return FE_OK;
}

static fe_status read_int(scope *s, json_at *at, fx_arg *out)
{
    int64_t value;
    FE_TRY(json_int(at, &value));
    *out = fx_int(s->graph, value);
    return FE_OK;
}

static fe_status read_float(scope *s, json_at *at, fx_arg *out)
{
    double value;
    (void)s;
    FE_TRY(json_number(at, &value));
    *out = fx_float(value);
    return FE_OK;
}

static fe_status read_bool(scope *s, json_at *at, fx_arg *out)
{
    bool value;
    (void)s;
    FE_TRY(json_boolean(at, &value));
    *out = fx_bool(value);
    return FE_OK;
}

static fe_status read_string(scope *s, json_at *at, fx_arg *out)
{
    const char *value;
    (void)s;
    FE_TRY(json_name(at, &value));
    *out = fx_string(value);
    return FE_OK;
}

static fe_status read_complex(scope *s, json_at *at, fx_arg *out)
{
    json_at part;
    (void)s;
    *out = (fx_arg){.kind = FX_ARG_COMPLEX};
    FE_TRY(json_member(at, "real", &part));
    FE_TRY(json_number(&part, &out->complex_[0]));
    FE_TRY(json_member(at, "imag", &part));
    return json_number(&part, &out->complex_[1]);
}

/* {as_name: "sym_size"} or a constant: {as_int: 3}, {as_float: 0.5}, {as_bool: true}. */
static fe_status read_symbolic(scope *s, json_at *at, fx_arg *out)
{
    json_at kind;
    const char *name;
    fx_node *node;
    FE_TRY(json_only_member(at, &kind));
    if (json_key_is(&kind, "as_int")) return read_int(s, &kind, out);
    if (json_key_is(&kind, "as_float")) return read_float(s, &kind, out);
    if (json_key_is(&kind, "as_bool")) return read_bool(s, &kind, out);
    if (!json_key_is(&kind, "as_name"))
        return json_fail(at, FE_CORRUPT, NULL, "expected as_name or a constant, found '%.*s'",
                         (int)kind.key_length, kind.key);
    FE_TRY(json_name(&kind, &name));
    FE_TRY(scope_node(s, &kind, name, &node));
    *out = fx_of(node);
    return FE_OK;
}

static fe_status read_dtype(scope *s, json_at *at, fx_arg *out)
{
    ty_dtype dtype;
    (void)s;
    FE_TRY(value_dtype(at, &dtype));
    *out = fx_dtype(dtype);
    return FE_OK;
}

static fe_status read_memory_format(scope *s, json_at *at, fx_arg *out)
{
    static const ty_memory_format FORMATS[] = {
        TY_CONTIGUOUS, TY_CONTIGUOUS, TY_CHANNELS_LAST, TY_CHANNELS_LAST_3D,
        TY_PRESERVE}; /* by the archive's number; 0 is no format */
    int64_t number;
    (void)s;
    FE_TRY(json_int(at, &number));
    if (number < 1 || number >= (int64_t)COUNT_OF(FORMATS))
        return json_fail(at, FE_CORRUPT, NULL, "there is no memory format %lld", (long long)number);
    *out = (fx_arg){.kind = FX_ARG_MEMORY_FORMAT, .memory_format = FORMATS[number]};
    return FE_OK;
}

static fe_status read_layout(scope *s, json_at *at, fx_arg *out)
{
    (void)s;
    *out = (fx_arg){.kind = FX_ARG_LAYOUT};
    FE_TRY(json_int(at, &out->layout));
    if (out->layout < 0 || out->layout > 7)
        return json_fail(at, FE_CORRUPT, NULL, "there is no layout %lld", (long long)out->layout);
    return FE_OK;
}

static fe_status read_device(scope *s, json_at *at, fx_arg *out)
{
    (void)s;
    *out = (fx_arg){.kind = FX_ARG_DEVICE};
    return value_device(at, &out->device);
}

static fe_status read_graph(scope *s, json_at *at, fx_arg *out)
{
    json_at graph;
    const char *name;
    FE_TRY(json_name_of(at, "name", &name));
    FE_TRY(json_member(at, "graph", &graph));
    *out = (fx_arg){.kind = FX_ARG_GRAPH};
    return subgraph_read(s, &graph, name, &out->graph);
}

static fe_status read_object(scope *s, json_at *at, fx_arg *out)
{
    const char *name;
    FE_TRY(json_name_of(at, "name", &name));
    binding *b = scope_find(s, name);
    *out = b && b->node ? fx_of(b->node) : (fx_arg){.kind = FX_ARG_OBJECT, .string = name};
    return FE_OK;
}

static fe_status read_optional_tensor(scope *s, json_at *at, fx_arg *out)
{
    json_at kind;
    FE_TRY(json_only_member(at, &kind));
    if (json_key_is(&kind, "as_none")) return read_none(s, &kind, out);
    if (json_key_is(&kind, "as_tensor")) return read_tensor(s, &kind, out);
    return json_fail(at, FE_CORRUPT, NULL, "expected as_tensor or as_none, found '%.*s'",
                     (int)kind.key_length, kind.key);
}

/* A dictionary becomes a list of pairs: ["key", value]. */
static fe_status read_dictionary(scope *s, json_at *at, fx_arg *out)
{
    json_at entry;
    json_walk walk;
    VEC(fx_arg) pairs = {0};
    FE_TRY(json_walk_object(at, &walk));
    while (json_next(&walk, &entry)) {
        fx_arg pair[2];
        const char *key;
        FE_TRY(json_key(&entry, &key));
        pair[0] = fx_string(key);
        FE_TRY(arg_read(s, &entry, &pair[1]));
        vec_push(s->reader->memory, &pairs, fx_list(s->graph, pair, 2));
    }
    *out = fx_list(s->graph, pairs.at, pairs.count);
    return FE_OK;
}

/* The rows of the table below that read lists, and lists of lists. */
#define LIST_OF(name, read)                                   \
    static fe_status name(scope *s, json_at *at, fx_arg *out) \
    {                                                         \
        return read_list(s, at, out, read);                   \
    }
LIST_OF(read_tensors, read_tensor)
LIST_OF(read_optional_tensors, read_optional_tensor)
LIST_OF(read_nested_tensors, read_tensors)
LIST_OF(read_ints, read_int)
LIST_OF(read_int_lists, read_ints)
LIST_OF(read_floats, read_float)
LIST_OF(read_float_lists, read_floats)
LIST_OF(read_bools, read_bool)
LIST_OF(read_strings, read_string)
LIST_OF(read_symbolics, read_symbolic)

static const struct {
    const char *name;
    kind_reader *read;
} KINDS[] = {
    {"as_tensor", read_tensor},
    {"as_int", read_int},
    {"as_ints", read_ints},
    {"as_none", read_none},
    {"as_bool", read_bool},
    {"as_float", read_float},
    {"as_sym_int", read_symbolic},
    {"as_sym_ints", read_symbolics},
    {"as_tensors", read_tensors},
    {"as_scalar_type", read_dtype},
    {"as_device", read_device},
    {"as_layout", read_layout},
    {"as_memory_format", read_memory_format},
    {"as_string", read_string},
    {"as_optional_tensors", read_optional_tensors},
    {"as_optional_tensor", read_optional_tensor},
    {"as_floats", read_floats},
    {"as_bools", read_bools},
    {"as_strings", read_strings},
    {"as_sym_float", read_symbolic},
    {"as_sym_floats", read_symbolics},
    {"as_sym_bool", read_symbolic},
    {"as_sym_bools", read_symbolics},
    {"as_complex", read_complex},
    {"as_graph", read_graph},
    {"as_custom_obj", read_object},
    {"as_operator", read_string},
    {"as_nested_tensors", read_nested_tensors},
    {"as_int_lists", read_int_lists},
    {"as_float_lists", read_float_lists},
    {"as_string_to_argument", read_dictionary},
};

fe_status arg_read(scope *s, json_at *arg, fx_arg *out)
{
    json_at kind;
    FE_TRY(json_only_member(arg, &kind));
    for (size_t i = 0; i < COUNT_OF(KINDS); i++)
        if (json_key_is(&kind, KINDS[i].name)) return KINDS[i].read(s, &kind, out);
    return json_fail(arg, FE_CORRUPT, NULL,
                     "expected one of as_tensor, as_int, as_ints, ..., found '%.*s'",
                     (int)kind.key_length, kind.key);
}

/* ---- fitting to the schema ---- */

/* A node whose value is a number. Tensors are never taken for one: programs call item() first. */
static bool is_number_node(const fx_arg *a)
{
    if (a->kind != FX_ARG_NODE) return false;
    fx_value_kind kind = a->node->value.kind;
    return kind == FX_INT || kind == FX_BOOL || kind == FX_FLOAT;
}

static bool is_number(const fx_arg *a)
{
    return a->kind == FX_ARG_INT || a->kind == FX_ARG_FLOAT || a->kind == FX_ARG_BOOL ||
           a->kind == FX_ARG_COMPLEX || is_number_node(a);
}

static bool to_int(scope *s, fx_arg *a)
{
    if (a->kind == FX_ARG_BOOL) *a = fx_int(s->graph, a->boolean);
    return a->kind == FX_ARG_INT || (is_number_node(a) && a->node->value.kind != FX_FLOAT);
}

static bool to_float(scope *s, fx_arg *a)
{
    double number;
    if ((a->kind == FX_ARG_INT || a->kind == FX_ARG_BOOL) && fx_arg_number(s->graph, a, &number))
        *a = fx_float(number);
    return a->kind == FX_ARG_FLOAT || is_number_node(a);
}

static bool to_bool(scope *s, fx_arg *a)
{
    int64_t value;
    if (a->kind == FX_ARG_INT && fx_arg_int(s->graph, a, &value)) *a = fx_bool(value != 0);
    return a->kind == FX_ARG_BOOL || (is_number_node(a) && a->node->value.kind != FX_FLOAT);
}

static bool is_object(const fx_arg *a)
{
    return a->kind == FX_ARG_OBJECT || (a->kind == FX_ARG_NODE && a->node->value.kind == FX_OPAQUE);
}

/* One value, not a list. Numbers stand for tensors, too. */
static bool fits_base(scope *s, op_base_type base, fx_arg *a)
{
    switch (base) {
    case OP_ANY: return true;
    case OP_TENSOR: return fx_arg_tensor(a) || is_number(a);
    case OP_SCALAR:
    case OP_COMPLEX: return is_number(a);
    case OP_INT: return to_int(s, a);
    case OP_FLOAT: return to_float(s, a);
    case OP_BOOL: return to_bool(s, a);
    case OP_STRING:
    case OP_DIMNAME: return a->kind == FX_ARG_STRING;
    case OP_DTYPE: return a->kind == FX_ARG_DTYPE;
    case OP_DEVICE: return a->kind == FX_ARG_DEVICE;
    case OP_LAYOUT: return a->kind == FX_ARG_LAYOUT;
    case OP_MEMORY_FORMAT: return a->kind == FX_ARG_MEMORY_FORMAT;
    case OP_OBJECT: return a->kind == FX_ARG_OBJECT || a->kind == FX_ARG_NODE;
    case OP_GENERATOR:
        return is_object(a);      /* what is drawn is ferrite's own stream whoever draws */
    case OP_STREAM: return false; /* none alone */
    }
    return false;
}

/* A single number for T[2] stands for all; the list is written out. */
static void spread(scope *s, const op_type *type, fx_arg *a)
{
    fx_arg same[TY_MAX_RANK];
    if (a->kind == FX_ARG_LIST || type->list_size < 1 || type->list_size > TY_MAX_RANK) return;
    if (type->base == OP_TENSOR || a->kind == FX_ARG_NONE) return;
    for (int32_t i = 0; i < type->list_size; i++) same[i] = *a;
    *a = fx_list(s->graph, same, (uint32_t)type->list_size);
}

static bool fits(scope *s, const op_type *type, fx_arg *a)
{
    if (a->kind == FX_ARG_NONE &&
        (type->optional || type->base == OP_GENERATOR || type->base == OP_ANY))
        return true;
    if (!type->list) return a->kind != FX_ARG_NONE && fits_base(s, type->base, a);
    spread(s, type, a);
    if (a->kind != FX_ARG_LIST) return type->base == OP_ANY;
    for (uint32_t i = 0; i < a->list.count; i++) {
        fx_arg *item = &a->list.items[i];
        if (item->kind == FX_ARG_NONE ? !type->optional_elements : !fits_base(s, type->base, item))
            return false;
    }
    return true;
}

fe_status arg_fit(scope *s, json_at *at, const op_info *op, const op_param *param, fx_arg *arg)
{
    if (fits(s, &param->type, arg)) return FE_OK;
    return json_fail(at, FE_CORRUPT, NULL, "this is no value for '%s' of %s", param->name,
                     op->schema);
}

/* ---- defaults ---- */

static fx_arg list_default(scope *s, const op_param *param)
{
    const op_default *d = &param->default_value;
    fx_arg list = {.kind = FX_ARG_LIST};
    list.list.count = d->count;
    list.list.items = NEW_ARRAY(s->reader->memory, fx_arg, d->count);
    for (uint32_t i = 0; i < d->count; i++)
        list.list.items[i] = d->numbers                    ? fx_float(d->numbers[i])
                             : param->type.base == OP_BOOL ? fx_bool(d->list[i] != 0)
                                                           : fx_int(s->graph, d->list[i]);
    return list;
}

fx_arg arg_default(scope *s, const op_param *param)
{
    const op_default *d = &param->default_value;
    fx_arg arg = fx_none();
    switch (d->kind) {
    case OP_DEFAULT_ABSENT:
    case OP_DEFAULT_NONE: return arg;
    case OP_DEFAULT_INT: arg = fx_int(s->graph, d->integer); break;
    case OP_DEFAULT_FLOAT: arg = fx_float(d->number); break;
    case OP_DEFAULT_BOOL: arg = fx_bool(d->integer != 0); break;
    case OP_DEFAULT_STRING: arg = fx_string(d->string); break;
    case OP_DEFAULT_LIST: arg = list_default(s, param); break;
    case OP_DEFAULT_MEMORY_FORMAT:
        arg = (fx_arg){.kind = FX_ARG_MEMORY_FORMAT, .memory_format = (ty_memory_format)d->integer};
        break;
    case OP_DEFAULT_DTYPE: arg = fx_dtype((ty_dtype)ty_dtype_from_number(d->integer)); break;
    case OP_DEFAULT_LAYOUT: arg = (fx_arg){.kind = FX_ARG_LAYOUT, .layout = d->integer}; break;
    case OP_DEFAULT_DEVICE: arg = (fx_arg){.kind = FX_ARG_DEVICE, .device = TY_HOST}; break;
    }
    CHECK(s->reader->session, fits(s, &param->type, &arg)); /* a row of ops.def says otherwise */
    return arg;
}
