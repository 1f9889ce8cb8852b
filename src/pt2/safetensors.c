/* safetensors.c -- named tensors behind a JSON header:
 *
 *     <8 bytes: length>
 *     {"in.0": {"dtype": "F32", "shape": [8, 64], "data_offsets": [0, 2048]}, ...}
 *     <data>
 */
#include "pt2/json.h"
#include "pt2/tensor_file.h"

#include <string.h>

static const struct {
    const char *name;
    ty_dtype dtype;
} TYPES[] = {
    {"BOOL", TY_BOOL},
    {"U8", TY_U8},
    {"I8", TY_I8},
    {"I16", TY_I16},
    {"U16", TY_U16},
    {"F16", TY_F16},
    {"BF16", TY_BF16},
    {"I32", TY_I32},
    {"U32", TY_U32},
    {"F32", TY_F32},
    {"F64", TY_F64},
    {"I64", TY_I64},
    {"U64", TY_U64},
    {"C64", TY_C64},
    {"C128", TY_C128},
    {"F8_E4M3", TY_F8E4M3FN},
    {"F8_E5M2", TY_F8E5M2},
    {"F8_E4M3FNUZ", TY_F8E4M3FNUZ},
    {"F8_E5M2FNUZ", TY_F8E5M2FNUZ},
    {"F8_E8M0", TY_F8E8M0FNU},
};

enum { LENGTH_BYTES = 8 };

static fe_status read_dtype(json_at *at, ty_dtype *out)
{
    const char *name;
    FE_TRY(json_text(at, &name));
    for (size_t i = 0; i < COUNT_OF(TYPES); i++)
        if (strcmp(TYPES[i].name, name) == 0) {
            *out = TYPES[i].dtype;
            return FE_OK;
        }
    return json_fail(at, FE_UNSUPPORTED, NULL, "data type '%.40s' is not supported", name);
}

static fe_status read_numbers(arena *memory, json_at *list, uint32_t most, uint32_t *count,
                              const int64_t **out)
{
    json_at item;
    json_walk walk;
    FE_TRY(json_count(list, count));
    if (*count > most)
        return json_fail(list, FE_CORRUPT, NULL, "expected at most %u numbers, found %u", most,
                         *count);
    int64_t *numbers = NEW_ARRAY(memory, int64_t, *count);
    *out = numbers;
    FE_TRY(json_walk_array(list, &walk));
    while (json_next(&walk, &item)) {
        FE_TRY(json_int(&item, numbers));
        if (*numbers++ < 0) return json_fail(&item, FE_CORRUPT, NULL, "the number is negative");
    }
    return FE_OK;
}

static fe_status read_tensor(arena *memory, json_at *entry, const uint8_t *data, size_t size,
                             tensor_entry *t)
{
    json_at member;
    const int64_t *offsets;
    uint32_t count;
    FE_TRY(json_key(entry, &t->name));
    FE_TRY(json_member(entry, "dtype", &member));
    FE_TRY(read_dtype(&member, &t->dtype));
    FE_TRY(json_member(entry, "shape", &member));
    FE_TRY(read_numbers(memory, &member, TY_MAX_RANK, &t->rank, &t->shape));
    FE_TRY(json_member(entry, "data_offsets", &member));
    FE_TRY(read_numbers(memory, &member, 2, &count, &offsets));
    if (count != 2 || offsets[0] > offsets[1] || (uint64_t)offsets[1] > size)
        return json_fail(&member, FE_CORRUPT, NULL, "the tensor's data are not inside the file");
    if (!tensor_bytes(t->dtype, t->rank, t->shape, &t->bytes) ||
        t->bytes != (uint64_t)(offsets[1] - offsets[0]))
        return json_fail(entry, FE_CORRUPT, NULL,
                         "the tensor's shape and its %lld bytes of data do not fit",
                         (long long)(offsets[1] - offsets[0]));
    t->data = data + offsets[0];
    if ((uintptr_t)t->data % ty_dtype_size(t->dtype))
        t->data = arena_copy(memory, t->data, t->bytes);
    return FE_OK;
}

static fe_status read_entries(arena *memory, json_at *root, tensor_file *file, const uint8_t *data,
                              size_t size)
{
    json_at entry;
    json_walk walk;
    VEC(tensor_entry) tensors = {0};
    FE_TRY(json_walk_object(root, &walk));
    while (json_next(&walk, &entry)) {
        tensor_entry t = {0};
        arena_mark_t mark = json_mark(entry.document);
        if (json_key_is(&entry, "__metadata__")) continue;
        FE_TRY(read_tensor(memory, &entry, data, size, &t));
        json_drop(entry.document, mark);
        vec_push(memory, &tensors, t);
    }
    file->tensors = tensors.at;
    file->count = tensors.count;
    return FE_OK;
}

fe_status safetensors_read(fe_session *session, arena *memory, tensor_file *file)
{
    const mapped_file *f = &file->file;
    json_at root;
    uint64_t length = 0;
    for (size_t i = 0; i < LENGTH_BYTES && i < f->size; i++)
        length |= (uint64_t)f->data[i] << (8 * i);
    if (f->size < LENGTH_BYTES || length > f->size - LENGTH_BYTES || length == 0) {
        diag d = {.status = FE_CORRUPT, .stage = "safetensors", .place = f->path};
        return diag_fail(session, d, "the file is no .safetensors, or ends inside its header");
    }
    const uint8_t *data = f->data + LENGTH_BYTES + length;
    size_t size = f->size - LENGTH_BYTES - (size_t)length;
    json_owner header = {.session = session, .memory = memory};
    fe_status status =
        json_open(&header, "safetensors", f->path, f->data + LENGTH_BYTES, (size_t)length, &root);
    if (status == FE_OK) status = read_entries(memory, &root, file, data, size);
    json_close_all(&header);
    return status;
}

/* ---- writing ---- */

static const char *type_name(ty_dtype dtype)
{
    for (size_t i = 0; i < COUNT_OF(TYPES); i++)
        if (TYPES[i].dtype == dtype) return TYPES[i].name;
    return NULL;
}

static void write_name(text *out, const char *name)
{
    text_char(out, '"');
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            text_printf(out, "\\%c", *name);
        else if ((unsigned char)*name < ' ')
            text_printf(out, "\\u%04x", (unsigned)*name);
        else
            text_char(out, *name);
    }
    text_char(out, '"');
}

/* Largest elements first, so that each tensor is aligned. */
static void sort_by_element(const tensor_entry *tensors, uint32_t count, uint32_t *order)
{
    uint32_t placed = 0;
    for (uint32_t size = 16; size > 0; size /= 2)
        for (uint32_t i = 0; i < count; i++)
            if (ty_dtype_size(tensors[i].dtype) == size) order[placed++] = i;
}

static void write_header(text *out, const tensor_entry *tensors, const uint32_t *order,
                         uint32_t count)
{
    size_t at = 0;
    text_char(out, '{');
    for (uint32_t i = 0; i < count; i++) {
        const tensor_entry *t = &tensors[order[i]];
        if (i) text_char(out, ',');
        write_name(out, t->name);
        text_printf(out, ":{\"dtype\":\"%s\",\"shape\":[", type_name(t->dtype));
        for (uint32_t d = 0; d < t->rank; d++)
            text_printf(out, "%s%lld", d ? "," : "", (long long)t->shape[d]);
        text_printf(out, "],\"data_offsets\":[%zu,%zu]}", at, at + t->bytes);
        at += t->bytes;
    }
    text_char(out, '}');
    while (out->length % LENGTH_BYTES) text_char(out, ' ');
}

fe_status safetensors_write(fe_session *session, const char *path, const tensor_entry *tensors,
                            uint32_t count)
{
    text out;
    for (uint32_t i = 0; i < count; i++)
        if (!type_name(tensors[i].dtype)) {
            diag d = {.status = FE_UNSUPPORTED, .stage = "safetensors", .place = path};
            return diag_fail(session, d, "tensor '%s': the format has no %s", tensors[i].name,
                             ty_dtype_name(tensors[i].dtype));
        }
    uint32_t *order = NEW_ARRAY(session->memory, uint32_t, count);
    sort_by_element(tensors, count, order);
    text_init(&out, session->memory);
    text_add_n(&out, "\0\0\0\0\0\0\0\0", LENGTH_BYTES);
    write_header(&out, tensors, order, count);
    for (uint32_t i = 0; i < LENGTH_BYTES; i++)
        out.at[i] = (char)((out.length - LENGTH_BYTES) >> (8 * i));

    size_t size = out.length;
    for (uint32_t i = 0; i < count; i++) size += tensors[i].bytes;
    char *content = arena_alloc(session->memory, size), *at = content + out.length;
    memcpy(content, out.at, out.length);
    for (uint32_t i = 0; i < count; i++) {
        const tensor_entry *t = &tensors[order[i]];
        if (t->bytes) memcpy(at, t->data, t->bytes);
        at += t->bytes;
    }
    return file_write(session, path, content, size);
}
