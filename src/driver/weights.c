/* weights.c -- the constants of a program in the layout that the artifact maps: raw bytes, or
 * packed for the kernel that reads them. A file ends in a footer (see rt_entry.c): magic, key,
 * offset, bytes.
 */
#define _GNU_SOURCE
#include "driver/driver.h"

#include "../rt/rt_kernels.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char WEIGHTS_MAGIC[16] = "ferrite weights";
enum { PAGE = 4096 };

typedef struct weights_footer {
    char magic[16];
    uint64_t key, offset, bytes;
} weights_footer;

static int64_t number(const loop_program *p, sym_expr e)
{
    int64_t value = 0;
    sym_is_int(p->symbols, e, &value);
    return value;
}

/* What rt_conv_pack_f32 needs to know of a convolution: channels, groups, kernel; of a transposed one the
 * steps between taps too. All are known: loop_can_pack() has said so. */
static void conv_geometry(const loop_program *p, const loop_op *op, rt_conv *conv, int64_t *strides)
{
    const loop_view *w = &op->inputs[1];
    loop_windows ints;
    loop_windows_of(p, op, &ints);
    int64_t groups = number(p, ints.groups), outer = number(p, w->sizes[0]),
            inner = number(p, w->sizes[1]) * groups;
    *conv = (rt_conv){.batch = 1,
                      .groups = groups,
                      .transposed = ints.transposed,
                      .in_channels = ints.transposed ? outer : inner,
                      .out_channels = ints.transposed ? inner : outer};
    strides[0] = number(p, w->strides[0]);
    strides[1] = number(p, w->strides[1]);
    for (int d = 0; d < 3; d++) {
        conv->kernel[d] = conv->in[d] = conv->out[d] = conv->stride[d] = conv->dilation[d] = 1;
        strides[2 + d] = 0;
    }
    for (uint32_t d = 2; d < w->rank; d++) {
        conv->kernel[3 + d - w->rank] = number(p, w->sizes[d]);
        conv->stride[3 + d - w->rank] = number(p, ints.stride[d - 2]);
        conv->dilation[3 + d - w->rank] = number(p, ints.dilation[d - 2]);
        strides[5 + d - w->rank] = number(p, w->strides[d]);
    }
}

static int int_of(const loop_program *p, const loop_op *op, const char *name)
{
    return (int)number(p, op->ints[loop_int_place(op, name)]);
}

static int bits_of(const loop_program *p, const loop_op *op)
{
    return loop_int_place(op, "bits") < 0 ? 8 : int_of(p, op, "bits");
}

/* The same of `winograd`. */
static void tiles_geometry(const loop_program *p, const loop_op *op, rt_conv *conv,
                           int64_t *strides)
{
    const loop_view *w = &op->inputs[1];
    *conv = (rt_conv){.batch = 1,
                      .groups = 1,
                      .out_channels = number(p, w->sizes[0]),
                      .in_channels = number(p, w->sizes[1]),
                      .kernel = {1, 3, 3},
                      .tile = int_of(p, op, "tile")};
    strides[2] = 0;
    for (int d = 0; d < 2; d++) {
        strides[d] = number(p, w->strides[d]);
        strides[3 + d] = number(p, w->strides[2 + d]);
    }
}

int64_t weights_packed_bytes(const loop_program *p, const loop_op *op, uint32_t operand)
{
    int64_t conv_strides[5];
    rt_conv conv;
    const sym_expr *sizes = op->inputs[operand].sizes;
    bool is_double = op->inputs[operand].dtype == TY_F64;
    switch (loop_can_pack(p, op, operand)) {
    case LOOP_PACKS_NOTHING: return 0;
    case LOOP_PACKS_MATRIX:
        return (int64_t)(is_double ? rt_gemm_packed_bytes_f64 : rt_gemm_packed_bytes_f32)(
            number(p, sizes[1]), number(p, sizes[0]));
    case LOOP_PACKS_HALVES:
        return (int64_t)rt_halves_packed_bytes(number(p, sizes[1]), number(p, sizes[0]));
    case LOOP_PACKS_INTEGERS:
        return (int64_t)rt_quantised_packed_bytes(bits_of(p, op), number(p, sizes[1]),
                                                  number(p, sizes[0]));
    case LOOP_PACKS_KERNEL:
        conv_geometry(p, op, &conv, conv_strides);
        if (op->inputs[operand].dtype == TY_BF16) return (int64_t)rt_half_conv_packed_bytes(&conv);
        return (int64_t)(is_double ? rt_conv_packed_bytes_f64 : rt_conv_packed_bytes_f32)(&conv);
    case LOOP_PACKS_TRANSFORMED:
        tiles_geometry(p, op, &conv, conv_strides);
        return (int64_t)rt_conv_packed_bytes_f32(&conv);
    }
    return 0;
}

static void describe_windows(const rt_conv *conv, const int64_t *strides, text *out)
{
    text_printf(out, " %lld %d %lld %lld %lld", (long long)conv->groups, conv->transposed,
                (long long)conv->in_channels, (long long)conv->out_channels, (long long)conv->tile);
    for (int d = 0; d < 3; d++)
        text_printf(out, " %lld/%lld/%lld", (long long)conv->kernel[d], (long long)conv->stride[d],
                    (long long)conv->dilation[d]);
    for (int d = 0; d < 5; d++) text_printf(out, " %lld", (long long)strides[d]);
}

void weights_describe(const wrap_program *w, const wrap_weight *weight, text *out)
{
    const loop_program *p = w->loops;
    int64_t strides[5] = {0};
    rt_conv conv;
    text_printf(out, "%lld", (long long)weight->bytes);
    if (!weight->packed_for) return;
    const loop_view *v = &weight->packed_for->inputs[weight->operand];
    loop_packing kind = loop_can_pack(p, weight->packed_for, weight->operand);
    text_printf(out, " packed %d %d %lld", (int)kind, (int)v->dtype,
                (long long)number(p, v->offset));
    for (uint32_t d = 0; d < v->rank; d++)
        text_printf(out, " %lld/%lld", (long long)number(p, v->sizes[d]),
                    (long long)number(p, v->strides[d]));
    switch (kind) {
    case LOOP_PACKS_NOTHING:
    case LOOP_PACKS_MATRIX:
    case LOOP_PACKS_HALVES: return;
    case LOOP_PACKS_INTEGERS: text_printf(out, " %d", bits_of(p, weight->packed_for)); return;
    case LOOP_PACKS_KERNEL: conv_geometry(p, weight->packed_for, &conv, strides); break;
    case LOOP_PACKS_TRANSFORMED: tiles_geometry(p, weight->packed_for, &conv, strides); break;
    }
    describe_windows(&conv, strides, out);
}

uint64_t weights_key_of(const wrap_program *w)
{
    uint64_t key = 0x66657272697465ull;
    for (uint32_t k = 0; k < w->weights.count; k++) {
        const wrap_weight *weight = &w->weights.at[k];
        const loop_buffer *b = &w->loops->buffers.at[weight->buffer];
        size_t edge = b->data_bytes < 256 ? b->data_bytes : 256;
        key = hash_bytes(b->name, strlen(b->name), key);
        key = HASH_MIX(key, weight->bytes);
        key = HASH_MIX(key, weight->offset);
        if (edge) key = hash_bytes(b->data, edge, key);
        if (edge) key = hash_bytes((const char *)b->data + b->data_bytes - edge, edge, key);
    }
    return key ? key : 1;
}

static void pack_matrix(const loop_program *p, const loop_view *v, const char *from, char *to,
                        rt_pool *pool)
{
    int64_t k = number(p, v->sizes[0]), n = number(p, v->sizes[1]),
            stride_k = number(p, v->strides[0]), stride_n = number(p, v->strides[1]);
    if (v->dtype == TY_F16 || v->dtype == TY_BF16)
        rt_halves_pack(pool, v->dtype == TY_BF16, n, k, (const uint16_t *)from, stride_n, stride_k,
                       (uint32_t *)to);
    else if (v->dtype == TY_F64)
        rt_gemm_pack_f64(pool, n, k, (const double *)from, stride_n, stride_k, (double *)to);
    else
        rt_gemm_pack_f32(pool, n, k, (const float *)from, stride_n, stride_k, (float *)to);
}

static void fill_one(const wrap_program *w, const wrap_weight *weight, char *out, rt_pool *pool)
{
    const loop_program *p = w->loops;
    const loop_buffer *b = &p->buffers.at[weight->buffer];
    char *to = out + weight->offset;
    if (weight->is_shared) return;
    if (!weight->packed_for) {
        CHECK(w->session, (int64_t)b->data_bytes >= weight->bytes || weight->bytes == 0);
        if (weight->bytes) memcpy(to, b->data, (size_t)weight->bytes);
        return;
    }
    const loop_view *v = &weight->packed_for->inputs[weight->operand];
    const char *from = (const char *)b->data + number(p, v->offset) * ty_dtype_size(v->dtype);
    int64_t strides[5];
    rt_conv conv;
    switch (loop_can_pack(p, weight->packed_for, weight->operand)) {
    case LOOP_PACKS_NOTHING: CHECK(w->session, false); return;
    case LOOP_PACKS_MATRIX:
    case LOOP_PACKS_HALVES: pack_matrix(p, v, from, to, pool); return;
    case LOOP_PACKS_INTEGERS:
        rt_quantised_pack(pool, bits_of(p, weight->packed_for), number(p, v->sizes[1]),
                          number(p, v->sizes[0]), (const int8_t *)from, number(p, v->strides[1]),
                          number(p, v->strides[0]), (uint32_t *)to);
        return;
    case LOOP_PACKS_KERNEL:
        conv_geometry(p, weight->packed_for, &conv, strides);
        if (v->dtype == TY_F64)
            rt_conv_pack_f64(pool, &conv, (const double *)from, strides, (double *)to);
        else if (v->dtype == TY_BF16)
            rt_half_conv_pack(pool, &conv, (const uint16_t *)from, strides, (uint32_t *)to);
        else
            rt_conv_pack_f32(pool, &conv, (const float *)from, strides, (float *)to);
        return;
    case LOOP_PACKS_TRANSFORMED:
        tiles_geometry(p, weight->packed_for, &conv, strides);
        rt_conv_pack_f32(pool, &conv, (const float *)from, strides, (float *)to);
    }
}

void weights_fill(const wrap_program *w, void *out, uint32_t threads)
{
    rt_pool *pool = threads == 1 ? NULL : rt_pool_get((int)threads);
    for (uint32_t k = 0; k < w->weights.count; k++) fill_one(w, &w->weights.at[k], out, pool);
}

static fe_status write_failed(const wrap_program *w, const char *path, int reason)
{
    if (reason == ENOMEM) session_no_memory(w->session);
    return diag_fail(w->session, (diag){.status = FE_IO, .stage = "emit", .place = path},
                     "cannot write the artifact: %s", strerror(reason));
}

/* A new file of this size, mapped, its blocks taken: a page that finds no room would be a signal. */
static int map_new(const char *path, size_t bytes, int *file, char **out)
{
    *file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0777);
    if (*file < 0) return errno;
    int reason = posix_fallocate(*file, 0, (off_t)bytes);
    if (reason) return reason;
    *out = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
    return *out == MAP_FAILED ? errno : 0;
}

/* The library, room up to a whole page, the weights packed straight into the file's pages, the
 * footer. */
static void fill_file(const wrap_program *const *programs, uint32_t count, const uint8_t *code,
                      size_t code_bytes, uint64_t key, size_t begin, char *to)
{
    weights_footer footer = {
        .key = key, .offset = begin, .bytes = (size_t)programs[0]->weights_bytes};
    if (code_bytes) memcpy(to, code, code_bytes);
    for (uint32_t k = 0; k < count; k++) weights_fill(programs[k], to + begin, 0);
    memcpy(footer.magic, WEIGHTS_MAGIC, sizeof footer.magic);
    memcpy(to + begin + footer.bytes, &footer, sizeof footer);
}

fe_status weights_check(const wrap_program *w)
{
    for (uint32_t k = 0; k < w->weights.count; k++) {
        const loop_buffer *b = &w->loops->buffers.at[w->weights.at[k].buffer];
        if (!b->data && w->weights.at[k].bytes > 0)
            return diag_fail(w->session,
                             (diag){.status = FE_USAGE, .stage = "weights", .place = b->name},
                             "the text does not hold the numbers of this constant");
    }
    return FE_OK;
}

fe_status weights_write(const wrap_program *const *programs, uint32_t count, uint64_t key,
                        const char *library, const char *path, int64_t *written)
{
    const wrap_program *w = programs[0];
    struct stat about;
    for (uint32_t k = 0; k < count; k++) FE_TRY(weights_check(programs[k]));
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return write_failed(w, path, S_ISDIR(about.st_mode) ? EISDIR : ENODEV);
    mapped_file code = {0};
    if (library) FE_TRY(file_map(w->session, library, &code));
    size_t machine_code = cache_code_bytes(code.data, code.size);
    size_t begin = (machine_code + PAGE - 1) / PAGE * PAGE;
    size_t total = begin + (size_t)w->weights_bytes + sizeof(weights_footer);
    const char *temporary = file_temporary_beside(w->session, path);
    char *bytes = NULL;
    int file, reason = map_new(temporary, total, &file, &bytes);
    if (!reason) {
        fill_file(programs, count, code.data, machine_code, key, begin, bytes);
        munmap(bytes, total);
    }
    if (file >= 0) close(file);
    if (!reason && rename(temporary, path) != 0) reason = errno;
    if (reason && file >= 0) unlink(temporary);
    file_unmap(&code);
    *written = (int64_t)total;
    return reason ? write_failed(w, path, reason) : FE_OK;
}
