/* value.c -- recorded metadata: the fake tensor or number that the archive keeps for each name
 * of a graph. */
#include "pt2/pt2_priv.h"

#include <string.h>

enum { LAYOUT_STRIDED = 7 };

/* ---- scalars ---- */

fe_status value_sym_int(reader *r, json_at *at, sym_expr *out)
{
    json_at kind, hint;
    const char *source;
    int64_t number;
    FE_TRY(json_only_member(at, &kind));
    if (json_key_is(&kind, "as_int")) {
        FE_TRY(json_int(&kind, &number));
        *out = sym_int(r->symbols, number);
        return FE_OK;
    }
    if (!json_key_is(&kind, "as_expr"))
        return json_fail(at, FE_CORRUPT, NULL, "expected as_int or as_expr, found '%.*s'",
                         (int)kind.key_length, kind.key);
    FE_TRY(json_name_of(&kind, "expr_str", &source));
    FE_TRY(symbolic_int(r, &kind, source, out));
    if (sym_op_of(r->symbols, *out) != SYM_SYMBOL || !json_find(&kind, "hint", &hint)) return FE_OK;
    json_at value;
    FE_TRY(json_only_member(&hint, &value));
    if (!json_key_is(&value, "as_int")) return FE_OK;
    FE_TRY(json_int(&value, &number));
    sym_set_hint(r->symbols, *out, number);
    return FE_OK;
}

fe_status value_dtype(json_at *at, ty_dtype *out)
{
    int64_t number;
    FE_TRY(json_int(at, &number));
    *out = ty_dtype_from_number(number);
    if (*out != TY_NO_DTYPE) return FE_OK;
    return json_fail(at, FE_CORRUPT, NULL, "there is no dtype %lld", (long long)number);
}

fe_status value_device(json_at *at, ty_device *out)
{
    const char *type;
    json_at index;
    int64_t number = -1;
    FE_TRY(json_text_of(at, "type", &type));
    if (json_find(at, "index", &index)) {
        FE_TRY(json_int(&index, &number));
        if (number < 0 || number > 1024) return json_expected(&index, "the number of a device");
    }
    out->index = (int32_t)number;
    if (ty_device_kind_of(type, strlen(type), &out->kind)) return FE_OK;
    return json_fail(at, FE_UNSUPPORTED, "export the program on the CPU",
                     "device type '%.40s' is not supported", type);
}

/* ---- tensors ---- */

static fe_status read_extents(reader *r, json_at *meta, const char *key, uint32_t *count,
                              sym_expr **out)
{
    json_at list, item;
    json_walk walk;
    FE_TRY(json_member(meta, key, &list));
    FE_TRY(json_count(&list, count));
    if (*count > TY_MAX_RANK)
        return json_fail(&list, FE_UNSUPPORTED, NULL, "a tensor of %u dimensions; the most is %d",
                         *count, TY_MAX_RANK);
    *out = NEW_ARRAY(r->memory, sym_expr, *count);
    FE_TRY(json_walk_array(&list, &walk));
    for (uint32_t i = 0; json_next(&walk, &item); i++) {
        int64_t number;
        FE_TRY(value_sym_int(r, &item, &(*out)[i]));
        if (sym_is_int(r->symbols, (*out)[i], &number) && number < 0)
            return json_fail(&item, FE_CORRUPT, NULL, "%lld is negative", (long long)number);
        symbolic_is_size(r, (*out)[i]);
    }
    return FE_OK;
}

fe_status value_tensor(reader *r, json_at *meta, ty_tensor **out)
{
    json_at dtype, device, offset, layout, gradient;
    int64_t number;
    uint32_t strides;
    ty_tensor *t = NEW(r->memory, ty_tensor);
    FE_TRY(json_member(meta, "layout", &layout));
    FE_TRY(json_int(&layout, &number));
    if (number != LAYOUT_STRIDED)
        return json_fail(&layout, FE_UNSUPPORTED, NULL,
                         "tensors of layout %lld are not supported, strided ones (%d) are",
                         (long long)number, LAYOUT_STRIDED);
    FE_TRY(json_member(meta, "dtype", &dtype));
    FE_TRY(value_dtype(&dtype, &t->dtype));
    FE_TRY(json_member(meta, "device", &device));
    FE_TRY(value_device(&device, &t->device));
    FE_TRY(read_extents(r, meta, "sizes", &t->rank, &t->sizes));
    FE_TRY(read_extents(r, meta, "strides", &strides, &t->strides));
    if (strides != t->rank)
        return json_fail(meta, FE_CORRUPT, NULL, "the tensor has %u sizes and %u strides", t->rank,
                         strides);
    FE_TRY(json_member(meta, "storage_offset", &offset));
    FE_TRY(value_sym_int(r, &offset, &t->offset));
    if (sym_is_int(r->symbols, t->offset, &number) && number < 0)
        return json_fail(&offset, FE_CORRUPT, NULL, "%lld is negative", (long long)number);
    FE_TRY(json_member(meta, "requires_grad", &gradient));
    FE_TRY(json_boolean(&gradient, &t->requires_grad));
    if (!ty_fits_memory(r->symbols, t))
        return json_fail(meta, FE_CORRUPT, NULL, "the tensor does not fit in any memory");
    *out = t;
    return FE_OK;
}

/* ---- the tables of a graph ---- */

static fe_status read_tensor_value(reader *r, json_at *at, fx_value *v)
{
    v->kind = FX_TENSOR;
    return value_tensor(r, at, &v->tensor);
}

static fe_status read_int_value(reader *r, json_at *at, fx_value *v)
{
    v->kind = FX_INT;
    return value_sym_int(r, at, &v->expr);
}

static fe_status read_bool_value(reader *r, json_at *at, fx_value *v)
{
    json_at kind;
    bool truth;
    const char *source;
    v->kind = FX_BOOL;
    FE_TRY(json_only_member(at, &kind));
    if (json_key_is(&kind, "as_bool")) {
        FE_TRY(json_boolean(&kind, &truth));
        v->expr = sym_int(r->symbols, truth);
        return FE_OK;
    }
    FE_TRY(json_name_of(&kind, "expr_str", &source));
    return symbolic_parse(r, &kind, source, &v->expr);
}

static fe_status read_float_value(reader *r, json_at *at, fx_value *v)
{
    json_at kind;
    (void)r;
    v->kind = FX_FLOAT;
    FE_TRY(json_only_member(at, &kind));
    if (!json_key_is(&kind, "as_float")) return FE_OK;
    v->is_known = true;
    return json_number(&kind, &v->number);
}

static fe_status read_object_value(reader *r, json_at *at, fx_value *v)
{
    (void)r;
    (void)at;
    v->kind = FX_OPAQUE;
    return FE_OK;
}

typedef fe_status value_reader(reader *r, json_at *at, fx_value *v);

/* Equal texts of one table share one value. */
static fe_status read_value(reader *r, json_at *at, value_reader *read, uint64_t table,
                            const fx_value **out)
{
    const char *start = at->start;
    size_t length = (size_t)(at->end - start);
    uint64_t hash = hash_bytes(start, length, table);
    uint32_t i = map_get(&r->written, hash);
    if (i != MAP_NONE) {
        const written_value *w = &r->written_values.at[i];
        *out = w->value;
        if (w->length == length && memcmp(w->start, start, length) == 0) return FE_OK;
    }
    fx_value *v = NEW(r->memory, fx_value);
    *out = v;
    FE_TRY(read(r, at, v));
    map_set(r->memory, &r->written, hash, r->written_values.count);
    vec_push(r->memory, &r->written_values, (written_value){start, length, v});
    return FE_OK;
}

fe_status values_read(scope *s, json_at *graph)
{
    static const struct {
        const char *table;
        value_reader *read;
    } TABLES[] = {
        {"tensor_values", read_tensor_value},     {"sym_int_values", read_int_value},
        {"sym_bool_values", read_bool_value},     {"sym_float_values", read_float_value},
        {"custom_obj_values", read_object_value},
    };
    for (size_t i = 0; i < COUNT_OF(TABLES); i++) {
        json_at table, entry;
        json_walk walk;
        if (!json_find(graph, TABLES[i].table, &table)) continue;
        FE_TRY(json_walk_object(&table, &walk));
        while (json_next(&walk, &entry)) {
            arena_mark_t mark = json_mark(entry.document);
            const char *name;
            const fx_value *value;
            FE_TRY(json_key(&entry, &name));
            FE_TRY(read_value(s->reader, &entry, TABLES[i].read, i, &value));
            scope_bind(s, name)->value = value;
            json_drop(entry.document, mark);
        }
    }
    return FE_OK;
}

fx_value *value_copy(arena *a, const fx_value *v)
{
    fx_value *copy = arena_copy(a, v, sizeof *v);
    if (v->kind == FX_TENSOR) copy->tensor = arena_copy(a, v->tensor, sizeof *v->tensor);
    if (v->kind == FX_TUPLE) copy->items = NEW_ARRAY(a, fx_value, v->count);
    for (uint32_t i = 0; v->kind == FX_TUPLE && i < v->count; i++)
        copy->items[i] = *value_copy(a, &v->items[i]);
    return copy;
}
