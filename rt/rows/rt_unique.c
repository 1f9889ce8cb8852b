/* rt_unique.c - groups of equal rows.
 *
 * Elements become keys, unsigned numbers in the order of the values: equal values (both zeros) have
 * equal keys, NaN the greatest. Single elements are sorted by their keys, eight bits a pass; rows
 * are merged. Both orders are stable. NaN equals nothing, itself included.
 */
#include "rt_entry.h"
#include "rt_kernels.h"
#include "rt_program.h"
#include "rt_team.h"

#include <string.h>

#define NAN_KEY UINT64_MAX
#define MIDDLE ((uint64_t)1 << 63)

/* ---- keys ---- */

static uint64_t float_key(uint64_t bits, int width, uint64_t infinity)
{
    uint64_t sign = bits >> (width - 1), magnitude = bits & (((uint64_t)1 << (width - 1)) - 1);
    if (magnitude > infinity) return NAN_KEY;
    return sign ? MIDDLE - magnitude : MIDDLE + magnitude;
}

static uint64_t key_of(uint32_t dtype, const void *data, int64_t index)
{
    uint32_t word;
    uint64_t wide;
    switch (dtype) {
    case FE_BOOL:
    case FE_U8: return ((const uint8_t *)data)[index];
    case FE_U16: return ((const uint16_t *)data)[index];
    case FE_U32: return ((const uint32_t *)data)[index];
    case FE_U64: return ((const uint64_t *)data)[index];
    case FE_I8: return MIDDLE + (uint64_t)((const int8_t *)data)[index];
    case FE_I16: return MIDDLE + (uint64_t)((const int16_t *)data)[index];
    case FE_I32: return MIDDLE + (uint64_t)((const int32_t *)data)[index];
    case FE_I64: return MIDDLE + (uint64_t)((const int64_t *)data)[index];
    case FE_F16: return float_key(((const uint16_t *)data)[index], 16, 0x7c00);
    case FE_BF16: return float_key(((const uint16_t *)data)[index], 16, 0x7f80);
    case FE_F32:
        memcpy(&word, (const char *)data + index * 4, 4);
        return float_key(word, 32, 0x7f800000);
    default:
        memcpy(&wide, (const char *)data + index * 8, 8);
        return float_key(wide, 64, (uint64_t)0x7ff << 52);
    }
}

static int may_be_nan(uint32_t dtype)
{
    return dtype == FE_F16 || dtype == FE_BF16 || dtype == FE_F32 || dtype == FE_F64;
}

static uint64_t key_at(const fe_tensor *x, int64_t row, int64_t column)
{
    return key_of(x->dtype, x->data, row * x->strides[0] + column * x->strides[1]);
}

/* -1, 0, 1. *is_nan: one of the elements compared is NaN. */
static int compare_rows(const fe_tensor *x, int64_t a, int64_t b, int *is_nan)
{
    int floats = may_be_nan(x->dtype);
    *is_nan = 0;
    for (int64_t k = 0; k < x->sizes[1]; k++) {
        uint64_t p = key_at(x, a, k), q = key_at(x, b, k);
        if (floats && (p == NAN_KEY || q == NAN_KEY)) *is_nan = 1;
        if (p != q) return p < q ? -1 : 1;
    }
    return 0;
}

/* ---- order ---- */

typedef struct keyed_row {
    uint64_t key;
    int64_t row;
} keyed_row;

/* Sorts `rows`, using `other` of the same length; the result is in one of them. */
static keyed_row *sort_keys(keyed_row *rows, keyed_row *other, int64_t count)
{
    for (int shift = 0; shift < 64; shift += 8) {
        int64_t starts[257] = {0};
        for (int64_t k = 0; k < count; k++) starts[((rows[k].key >> shift) & 255) + 1]++;
        if (starts[((rows[0].key >> shift) & 255) + 1] == count) continue; /* all are the same */
        for (int digit = 0; digit < 256; digit++) starts[digit + 1] += starts[digit];
        for (int64_t k = 0; k < count; k++) other[starts[(rows[k].key >> shift) & 255]++] = rows[k];
        keyed_row *swap = rows;
        rows = other;
        other = swap;
    }
    return rows;
}

static void merge(const fe_tensor *x, const int64_t *from, int64_t *to, int64_t begin,
                  int64_t middle, int64_t end)
{
    int is_nan;
    for (int64_t a = begin, b = middle, k = begin; k < end; k++) {
        int first = a < middle && (b == end || compare_rows(x, from[a], from[b], &is_nan) <= 0);
        to[k] = first ? from[a++] : from[b++];
    }
}

static int64_t *sort_rows(const fe_tensor *x, int64_t *rows, int64_t *other)
{
    int64_t count = x->sizes[0];
    for (int64_t width = 1; width < count; width *= 2) {
        for (int64_t begin = 0; begin < count; begin += 2 * width) {
            int64_t middle = begin + width < count ? begin + width : count;
            int64_t end = middle + width < count ? middle + width : count;
            merge(x, rows, other, begin, middle, end);
        }
        int64_t *swap = rows;
        rows = other;
        other = swap;
    }
    return rows;
}

/* The rows in order, in `room`: four numbers a row. */
static const int64_t *order_rows(const fe_tensor *x, int as_they_stand, int64_t *room)
{
    int64_t count = x->sizes[0];
    keyed_row *keyed = (keyed_row *)room;
    if (!as_they_stand && x->sizes[1] == 1) {
        for (int64_t k = 0; k < count; k++) keyed[k] = (keyed_row){key_at(x, k, 0), k};
        const keyed_row *sorted = sort_keys(keyed, keyed + count, count);
        int64_t *order = sorted == keyed ? room + 2 * count : room;
        for (int64_t k = 0; k < count; k++) order[k] = sorted[k].row;
        return order;
    }
    for (int64_t k = 0; k < count; k++) room[k] = k;
    return as_they_stand ? room : sort_rows(x, room, room + count);
}

/* ---- groups ---- */

static void put(const fe_tensor *out, int64_t k, int64_t value)
{
    if (out->data) ((int64_t *)out->data)[k * out->strides[0]] = value;
}

int rt_op_unique(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *x = &call->in[0], *out = call->out;
    int64_t count = x->sizes[0], groups = 0, members = 0;
    rt_team team = rt_team_of(frame, call);
    rt_scratch scratch;
    if (rt_scratch_take(&team, (size_t)(RT_UNIQUE_NUMBERS * count + 1) * sizeof(int64_t), 0,
                        &scratch))
        return rt_no_room(frame, &team);
    int64_t *room = rt_scratch_shared(&scratch);
    const int64_t *order = count ? order_rows(x, call->ints[RT_UNIQUE_STANDS] != 0, room) : room;
    for (int64_t k = 0; k < count; k++) {
        int is_nan = 0;
        int same = k > 0 && compare_rows(x, order[k - 1], order[k], &is_nan) == 0 && !is_nan;
        members = same ? members + 1 : 1;
        groups += !same;
        put(&out[0], order[k], groups - 1);
        if (!same) put(&out[1], groups - 1, order[k]);
        put(&out[2], groups - 1, members);
    }
    rt_scratch_drop(&team, &scratch);
    *(int64_t *)out[3].data = groups;
    return 0;
}
