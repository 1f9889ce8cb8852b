/* rt_nonzero.c - where a mask is set, and numbers repeated: operators whose results another one has
 * counted before.
 *
 * A long mask is cut into chunks; threads count what is set in each, sums tell each chunk where its
 * rows begin, and threads fill.
 */
#include "rt_entry.h"
#include "rt_kernels.h"
#include "rt_program.h"

#include <string.h>

enum { LEAST_CHUNK = 1 << 15, MOST_CHUNKS = 256 };

typedef struct finding {
    const fe_tensor *mask, *out;
    int64_t elements, inner; /* of the mask; of its last dimension */
    int64_t inner_stride;
    int64_t chunk; /* elements of one */
    int64_t *
        rows; /* by chunk: the first row of what it finds; before the sums, how many; behind the last, all */
} finding;

/* A run of elements along the last dimension: where it stands and how long it is. */
typedef struct run {
    const uint8_t *at;
    int64_t first, length;
    int64_t place[RT_MAX_RANK]; /* along the other dimensions */
} run;

/* The run that begins at element k and ends with its row, or at `end`. */
static run run_at(const finding *f, int64_t k, int64_t end)
{
    const fe_tensor *mask = f->mask;
    run r = {.first = k % f->inner};
    int64_t row = k / f->inner, offset = r.first * f->inner_stride;
    r.length = f->inner - r.first < end - k ? f->inner - r.first : end - k;
    for (uint32_t d = mask->rank ? mask->rank - 1 : 0; d-- > 0;) {
        r.place[d] = row % mask->sizes[d];
        row /= mask->sizes[d];
        offset += r.place[d] * mask->strides[d];
    }
    r.at = (const uint8_t *)mask->data + offset;
    return r;
}

static int64_t count_run(const finding *f, const run *r)
{
    int64_t count = 0;
    if (f->inner_stride == 1)
        for (int64_t i = 0; i < r->length; i++) count += r->at[i] != 0;
    else
        for (int64_t i = 0; i < r->length; i++) count += r->at[i * f->inner_stride] != 0;
    return count;
}

/* Their places along the last dimension into rows [row, end); returns the row behind them. As long as
 * there is room for all of a few elements, each is put down whether it is set or not: whether a row stays
 * is no branch. */
static int64_t put_last(const finding *f, const run *r, int64_t row, int64_t end)
{
    int64_t step = f->out->strides[0], stride = f->inner_stride, i = 0;
    int64_t *to = (int64_t *)f->out->data + (f->mask->rank - 1) * f->out->strides[1];
    uint64_t word;
    for (; stride == 1 && i + 8 <= r->length && row + 8 <= end; i += 8) {
        memcpy(&word, r->at + i, sizeof word);
        if (word == 0) continue;
        for (int64_t k = i; k < i + 8; k++) {
            to[row * step] = r->first + k;
            row += r->at[k] != 0;
        }
    }
    for (; i < r->length && row < end; i++)
        if (r->at[i * stride]) to[row++ * step] = r->first + i;
    return row;
}

static int64_t fill_run(const finding *f, const run *r, int64_t row, int64_t end)
{
    const fe_tensor *out = f->out;
    uint32_t rank = f->mask->rank;
    if (rank == 0) return row + count_run(f, r);
    int64_t behind = put_last(f, r, row, end);
    for (uint32_t d = 0; d + 1 < rank; d++) {
        int64_t *to = (int64_t *)out->data + d * out->strides[1];
        for (int64_t k = row; k < behind; k++) to[k * out->strides[0]] = r->place[d];
    }
    return behind;
}

static void each_chunk(const finding *f, int64_t begin, int64_t end, int fills)
{
    for (int64_t chunk = begin; chunk < end; chunk++) {
        int64_t k = chunk * f->chunk,
                last = k + f->chunk < f->elements ? k + f->chunk : f->elements;
        int64_t row = fills ? f->rows[chunk] : 0, full = 0;
        if (fills)
            full = f->rows[chunk + 1] < f->out->sizes[0] ? f->rows[chunk + 1] : f->out->sizes[0];
        while (k < last) {
            run r = run_at(f, k, last);
            row = fills ? fill_run(f, &r, row, full) : row + count_run(f, &r);
            k += r.length;
        }
        if (!fills) f->rows[chunk] = row;
    }
}

static void count_chunks(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    each_chunk(context, begin, end, 0);
}

static void fill_chunks(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    each_chunk(context, begin, end, 1);
}

int rt_op_nonzero(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *mask = &call->in[0], *out = &call->out[0];
    finding f = {.mask = mask, .out = out, .elements = 1, .inner = 1, .inner_stride = 1};
    for (uint32_t d = 0; d < mask->rank; d++) f.elements *= mask->sizes[d];
    if (mask->rank) {
        f.inner = mask->sizes[mask->rank - 1];
        f.inner_stride = mask->strides[mask->rank - 1];
    }
    int64_t rows[MOST_CHUNKS + 1], found = 0;
    f.rows = rows;
    f.chunk = (f.elements + MOST_CHUNKS - 1) / MOST_CHUNKS;
    if (f.chunk < LEAST_CHUNK) f.chunk = LEAST_CHUNK;
    int64_t chunks = (f.elements + f.chunk - 1) / f.chunk;
    rt_parallel(frame->pool, count_chunks, &f, chunks, 2);
    for (int64_t k = 0; k < chunks; k++) {
        int64_t count = f.rows[k];
        f.rows[k] = found;
        found += count;
    }
    rows[chunks] = found;
    rt_parallel(frame->pool, fill_chunks, &f, chunks, 1);
    for (int64_t row = found; row < out->sizes[0]; row++)
        for (uint32_t d = 0; d < mask->rank; d++)
            ((int64_t *)out->data)[row * out->strides[0] + d * out->strides[1]] =
                call->ints[RT_NONZERO_FILL];
    return 0;
}

int rt_op_repeat(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *repeats = &call->in[0], *out = &call->out[0];
    const int64_t *times = repeats->data;
    int64_t *to = out->data, row = 0;
    (void)frame;
    for (int64_t k = 0; k < repeats->sizes[0]; k++) {
        int64_t end = row + times[k * repeats->strides[0]];
        if (end > out->sizes[0]) end = out->sizes[0];
        while (row < end) to[row++ * out->strides[0]] = k;
    }
    return 0;
}
