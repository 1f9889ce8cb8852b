/* rt_rows.c - the rows of a tensor along one of its dimensions. See rt_sort.h. */
#include "rt_sort.h"

#include <string.h>

enum { ROWS_WORK = 1 << 13 };

rt_rows rt_rows_of(const rt_call *call, uint32_t dim)
{
    const fe_tensor *x = &call->in[0];
    rt_rows rows = {x, &call->out[0], &call->out[1], dim, 1, x->sizes[dim]};
    for (uint32_t k = 0; k < x->rank; k++)
        if (k != dim) rows.rows *= x->sizes[k];
    return rows;
}

/* Elements from the first to that of a row's beginning. */
static int64_t offset_of(const rt_rows *rows, const fe_tensor *t, int64_t row)
{
    int64_t offset = 0;
    for (uint32_t k = t->rank; k-- > 0;) {
        if (k == rows->dim) continue;
        offset += row % rows->x->sizes[k] * t->strides[k];
        row /= rows->x->sizes[k];
    }
    return offset;
}

static char *element(const fe_tensor *t, int64_t index)
{
    return (char *)t->data + index * (rt_key_bits(t->dtype) / 8);
}

rt_row rt_rows_row(const rt_rows *rows, int64_t row)
{
    const fe_tensor *x = rows->x;
    return (rt_row){element(x, offset_of(rows, x, row)), x->strides[rows->dim], rows->n, x->dtype};
}

void rt_rows_put(const rt_rows *rows, int64_t row, int64_t k, int64_t place)
{
    const fe_tensor *x = rows->x, *v = rows->values, *p = rows->places;
    uint32_t d = rows->dim;
    if (v->data)
        memcpy(element(v, offset_of(rows, v, row) + k * v->strides[d]),
               element(x, offset_of(rows, x, row) + place * x->strides[d]),
               (size_t)rt_key_bits(x->dtype) / 8);
    if (p->data) ((int64_t *)p->data)[offset_of(rows, p, row) + k * p->strides[d]] = place;
}

#define GATHER(type)                                                            \
    {                                                                           \
        const type *from_row = (const type *)data;                              \
        type *to_row = (type *)to;                                              \
        for (int64_t k = from; k < end; k++)                                    \
            to_row[k * to_stride] = from_row[rt_item_place(items, k) * stride]; \
        break;                                                                  \
    }

static void gather(const void *data, int64_t stride, void *to, int64_t to_stride, int64_t from,
                   int64_t end, const rt_items *items)
{
    switch (items->bits) {
    case 8: GATHER(uint8_t)
    case 16: GATHER(uint16_t)
    case 32: GATHER(uint32_t)
    default: GATHER(uint64_t)
    }
}

void rt_rows_put_items(const rt_rows *rows, int64_t row, int64_t from, int64_t to,
                       const rt_items *items)
{
    const fe_tensor *v = rows->values, *p = rows->places;
    rt_row x = rt_rows_row(rows, row);
    if (v->data)
        gather(x.data, x.stride, element(v, offset_of(rows, v, row)), v->strides[rows->dim], from,
               to, items);
    if (!p->data) return;
    int64_t *places = (int64_t *)p->data + offset_of(rows, p, row), stride = p->strides[rows->dim];
    for (int64_t k = from; k < to; k++) places[k * stride] = rt_item_place(items, k);
}

int rt_rows_are_long(const rt_rows *rows, rt_pool *pool)
{
    int threads = rt_pool_threads(pool);
    return threads > 1 && rows->n >= RT_LONG_ROW && rows->rows < 2 * threads;
}

int64_t rt_rows_grain(const rt_rows *rows)
{
    return rows->n >= ROWS_WORK ? 1 : ROWS_WORK / (rows->n + 1);
}
