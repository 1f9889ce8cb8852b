/* npy.c -- NumPy's file of one array: a magic, a version, the text of a Python dictionary, the
 * data.
 *
 *     \x93NUMPY 1 0 <length> {'descr': '<f4', 'fortran_order': False, 'shape': (8, 64), }
 */
#include "pt2/tensor_file.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *descr;
    ty_dtype dtype;
} TYPES[] = {
    {"|b1", TY_BOOL}, {"|u1", TY_U8},    {"|i1", TY_I8},   {"<i2", TY_I16},
    {"<i4", TY_I32},  {"<i8", TY_I64},   {"<u2", TY_U16},  {"<u4", TY_U32},
    {"<u8", TY_U64},  {"<f2", TY_F16},   {"<f4", TY_F32},  {"<f8", TY_F64},
    {"<c8", TY_C64},  {"<c16", TY_C128}, {"|V2", TY_BF16}, {"<V2", TY_BF16},
};

static fe_status npy_fail(fe_session *session, const char *path, fe_status status, const char *what,
                          const char *help)
{
    diag d = {.status = status, .stage = "npy", .place = path, .help = help};
    return diag_fail(session, d, "%s", what);
}

/* The text behind `'key':` in the header, or NULL. */
static const char *find_entry(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (!at) return NULL;
    at += strlen(key);
    while (*at == ' ') at++;
    if (*at++ != ':') return NULL;
    while (*at == ' ') at++;
    return at;
}

static bool parse_dtype(const char *at, ty_dtype *out)
{
    const char *end = at && *at == '\'' ? strchr(at + 1, '\'') : NULL;
    for (size_t i = 0; end && i < COUNT_OF(TYPES); i++)
        if (strlen(TYPES[i].descr) == (size_t)(end - at - 1) &&
            memcmp(TYPES[i].descr, at + 1, (size_t)(end - at - 1)) == 0) {
            *out = TYPES[i].dtype;
            return true;
        }
    return false;
}

/* "(8, 64)", "(3,)", "()". */
static bool parse_shape(arena *memory, const char *at, uint32_t *rank, const int64_t **out)
{
    int64_t *shape = NEW_ARRAY(memory, int64_t, TY_MAX_RANK);
    *out = shape;
    *rank = 0;
    if (!at || *at++ != '(') return false;
    for (;;) {
        while (*at == ' ' || *at == ',') at++;
        if (*at == ')') return true;
        char *end;
        long long size = strtoll(at, &end, 10);
        if (end == at || size < 0 || size == INT64_MAX || *rank == TY_MAX_RANK) return false;
        shape[(*rank)++] = size;
        at = *end == 'L' ? end + 1 : end; /* Python 2 wrote 3L */
    }
}

/* Rewrites column-major data in our order. */
static void to_row_major(arena *memory, tensor_entry *t)
{
    uint32_t size = ty_dtype_size(t->dtype);
    const uint8_t *from = t->data;
    uint8_t *to = arena_alloc(memory, t->bytes);
    size_t count = t->bytes / size;
    int64_t index[TY_MAX_RANK] = {0};
    for (size_t i = 0; i < count; i++) { /* i walks the file: the first index is the fastest */
        size_t place = 0;
        for (uint32_t d = 0; d < t->rank; d++)
            place = place * (size_t)t->shape[d] + (size_t)index[d];
        memcpy(to + place * size, from + i * size, size);
        for (uint32_t d = 0; d < t->rank && ++index[d] == t->shape[d]; d++) index[d] = 0;
    }
    t->data = to;
}

/* The header's text and where the data begin; NULL when the file is too short. */
static const char *read_header(arena *memory, const mapped_file *f, size_t *data_at)
{
    if (f->size < 12) return NULL;
    bool is_long = f->data[6] >= 2;
    size_t begin = is_long ? 12 : 10;
    size_t length = (size_t)f->data[8] | (size_t)f->data[9] << 8;
    if (is_long) length |= (size_t)f->data[10] << 16 | (size_t)f->data[11] << 24;
    if (length > f->size - begin) return NULL;
    *data_at = begin + length;
    char *header = arena_alloc(memory, length + 1);
    memcpy(header, f->data + begin, length);
    return header;
}

fe_status npy_read(fe_session *session, arena *memory, tensor_file *file)
{
    const mapped_file *f = &file->file;
    size_t data_at;
    if (f->size > 7 && (f->data[6] < 1 || f->data[6] > 3))
        return npy_fail(session, f->path, FE_UNSUPPORTED, "its .npy version is not known", NULL);
    const char *header = read_header(memory, f, &data_at);
    if (!header)
        return npy_fail(session, f->path, FE_CORRUPT, "the file ends inside its header", NULL);
    tensor_entry *t = NEW(memory, tensor_entry);
    t->name = "";
    if (!parse_dtype(find_entry(header, "'descr'"), &t->dtype))
        return npy_fail(session, f->path, FE_UNSUPPORTED, "its data type is not supported",
                        "use little-endian numbers or bool");
    if (!parse_shape(memory, find_entry(header, "'shape'"), &t->rank, &t->shape))
        return npy_fail(session, f->path, FE_CORRUPT, "its shape cannot be read", NULL);
    if (!tensor_bytes(t->dtype, t->rank, t->shape, &t->bytes) || t->bytes > f->size - data_at)
        return npy_fail(session, f->path, FE_CORRUPT, "the file is shorter than its shape says",
                        NULL);
    t->data = f->data + data_at;
    const char *order = find_entry(header, "'fortran_order'");
    if (order && strncmp(order, "True", 4) == 0 && t->rank > 1)
        to_row_major(memory, t);
    else if ((uintptr_t)t->data % ty_dtype_size(t->dtype))
        t->data = arena_copy(memory, t->data, t->bytes);
    file->tensors = t;
    file->count = 1;
    return FE_OK;
}

fe_status npy_write(fe_session *session, const char *path, const tensor_entry *tensor)
{
    text out;
    const char *descr = NULL;
    for (size_t i = 0; i < COUNT_OF(TYPES) && !descr; i++)
        if (TYPES[i].dtype == tensor->dtype) descr = TYPES[i].descr;
    if (!descr)
        return npy_fail(session, path, FE_UNSUPPORTED, "NumPy has no such data type",
                        "write .safetensors");
    text_init(&out, session->memory);
    text_add_n(&out, "\x93NUMPY\x01\x00\x00\x00", 10);
    text_printf(&out, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (uint32_t i = 0; i < tensor->rank; i++)
        text_printf(&out, "%s%lld%s", i ? " " : "", (long long)tensor->shape[i],
                    i + 1 < tensor->rank || i == 0 ? "," : "");
    text_add(&out, "), }");
    while ((out.length + 1) % 64) text_char(&out, ' ');
    text_char(&out, '\n');
    out.at[8] = (char)((out.length - 10) & 255);
    out.at[9] = (char)((out.length - 10) >> 8);

    char *content = arena_alloc(session->memory, out.length + tensor->bytes);
    memcpy(content, out.at, out.length);
    if (tensor->bytes) memcpy(content + out.length, tensor->data, tensor->bytes);
    return file_write(session, path, content, out.length + tensor->bytes);
}
