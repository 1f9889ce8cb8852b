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
    int64_t *rows; /* by chunk: the first row of what it finds; before the sums, how many */
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
    for (int64_t i = 0; i < r->length; i++) count += r->at[i * f->inner_stride] != 0;
    return count;
}

static void put_row(const finding *f, const run *r, int64_t row, int64_t last)
{
    const fe_tensor *out = f->out;
    int64_t *to = (int64_t *)out->data + row * out->strides[0];
    uint32_t rank = f->mask->rank;
    for (uint32_t d = 0; d + 1 < rank; d++) to[d * out->strides[1]] = r->place[d];
    if (rank) to[(rank - 1) * out->strides[1]] = last;
}

static int64_t fill_run(const finding *f, const run *r, int64_t row)
{
    uint64_t word;
    for (int64_t i = 0; i < r->length && row < f->out->sizes[0]; i++) {
        if (f->inner_stride == 1 && i + 8 <= r->length) {
            memcpy(&word, r->at + i, sizeof word);
            if (word == 0) {
                i += 7;
                continue;
            }
        }
        if (r->at[i * f->inner_stride]) put_row(f, r, row++, r->first + i);
    }
    return row;
}

static void each_chunk(const finding *f, int64_t begin, int64_t end, int fills)
{
    for (int64_t chunk = begin; chunk < end; chunk++) {
        int64_t k = chunk * f->chunk,
                last = k + f->chunk < f->elements ? k + f->chunk : f->elements;
        int64_t row = fills ? f->rows[chunk] : 0;
        while (k < last) {
            run r = run_at(f, k, last);
            row = fills ? fill_run(f, &r, row) : row + count_run(f, &r);
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
    int64_t rows[MOST_CHUNKS], found = 0;
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
