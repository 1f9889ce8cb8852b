/* rt_fourier.h - discrete Fourier transforms of any length: the plan of a length, the work of one
 * call, and the kernels that do it.
 *
 * A plan factors its length into passes (Stockham's order: from one buffer to another, no reversal
 * of digits), or turns a length with a large prime factor into a convolution (Bluestein). Plans
 * only go forward: a backward transform is one with the real and imaginary parts exchanged.
 *
 * Numbers are worked on in planar form, real parts and imaginary parts apart, element i of lane q
 * at [i * lanes + q]: one row (one lane, vectors along it), or as many rows side by side as make
 * whole vectors.
 */
#ifndef RT_FOURIER_H
#define RT_FOURIER_H

#include "rt_fourier_need.h"
#include "rt_pool.h"

/* ---- plans ---- */

typedef enum rt_fft_pass_kind {
    RT_FFT_WIDE,   /* vectors along the `stride` numbers that have the same twiddles */
    RT_FFT_LAST,   /* the same without twiddles */
    RT_FFT_NARROW, /* fewer of them than a vector has lanes: vectors across twiddles */
    RT_FFT_RIFFLE, /* the same for powers of 2, stored through shuffles */
    RT_FFT_PASS_KINDS
} rt_fft_pass_kind;

/* y[q + stride (radix p + k)] = w^(p k) sum over j of x[q + stride (p + count j)] v^(j k), with w the
 * root of unity of radix * count, v that of radix. Tables are arrays of the plan's type. */
typedef struct rt_fft_pass {
    rt_fft_pass_kind kind;
    int radix;
    int64_t count, stride;
    /* WIDE: [count][radix - 1] pairs; NARROW: [radix - 1][2][count * stride], parts apart */
    const void *twiddles;
    const void *roots; /* of radix: cosines, then sines */
} rt_fft_pass;

enum { RT_FFT_MOST_PASSES = 64 };

typedef struct rt_fft_key {
    int64_t length;
    int is_double;
    int across;  /* for rows side by side */
    int is_half; /* of a real transform of twice the length */
    int vector;  /* bytes of a vector */
} rt_fft_key;

typedef struct rt_fft_plan {
    rt_fft_key key;
    uint32_t pass_count;
    rt_fft_pass passes[RT_FFT_MOST_PASSES];
    /* a convolution: */
    const struct rt_fft_plan *inner; /* NULL: there are passes */
    const void *chirp;               /* [2][length] */
    const void *response;            /* [2][length of inner]: the chirp's transform, scaled */
    /* of a half: */
    const void *turns; /* [2][length + 1]: roots of unity of twice the length */
    struct rt_fft_plan *next;
    int users;
    uint64_t last_use;
    void *tables;
    size_t bytes; /* of it, with its tables */
} rt_fft_plan;

/* With the instruction set that was chosen at load. */
rt_fft_key rt_fft_key_of(const rt_fft_shape *shape);

/* Made on first use and kept while there is room; NULL: no memory. Give it back with _put. */
const rt_fft_plan *rt_fft_plan_get(const rt_fft_key *key);
void rt_fft_plan_put(const rt_fft_plan *plan);
/* All that plans hold by now. */
size_t rt_fft_plans_bytes(void);

int rt_fft_same_key(const rt_fft_key *a, const rt_fft_key *b);
/* Of the convolution that a length with a large prime factor becomes. */
rt_fft_key rt_fft_inner_key(const rt_fft_key *key);
/* What the plan of a key would hold, without those that it needs. */
size_t rt_fft_plan_bytes(const rt_fft_key *key);

/* Numbers of a planar array that works on one row (without slack). */
static inline int64_t rt_fft_room(const rt_fft_plan *plan)
{
    int64_t own = plan->key.length + plan->key.is_half;
    return plan->inner && plan->inner->key.length > own ? plan->inner->key.length : own;
}

/* ---- the work of a call ---- */

typedef struct rt_fft_side {
    char *data;
    int is_complex;
    int64_t count; /* along the transformed dimension */
    int64_t step;  /* from one to the next, in elements */
} rt_fft_side;

enum { RT_FFT_MOST_DIMS = 25 };

typedef struct rt_fft_job {
    const rt_fft_plan *plan;
    int64_t length; /* of the transform */
    rt_fft_side in, out;
    int exchange;  /* real and imaginary parts, on the way in and out */
    int conjugate; /* the half spectrum that is read or written */
    double scale;
    const void *window[2]; /* of the plan's length: for real and imaginary parts; or NULL */
    int64_t lanes;         /* rows a group */
    int64_t rows, room;    /* room: numbers of a planar array that works on one (without slack) */
    uint32_t dims;         /* the others, the last one fastest */
    int64_t sizes[RT_FFT_MOST_DIMS], in_strides[RT_FFT_MOST_DIMS], out_strides[RT_FFT_MOST_DIMS];
} rt_fft_job;

/* Where rows begin, in reals; what is beyond `count` lanes begins as the first. Returns how many runs
 * along the last dimension they are. */
int rt_fft_rows_at(const rt_fft_job *job, int64_t first, int64_t count, int64_t *in, int64_t *out);

/* ---- kernels of one type and instruction set ---- */

typedef struct rt_fft_kernels {
    int vector; /* bytes */
    /* rows [group * lanes, ...) of the job; work: 64-byte aligned */
    void (*transform)(const rt_fft_job *job, int64_t group, void *work);
    /* of planar data: [room] reals each, with slack; the result replaces the data */
    void (*plain)(const rt_fft_plan *plan, void *re, void *im, void *work);
} rt_fft_kernels;

/* Of the instruction set that was chosen at load. */
const rt_fft_kernels *rt_fft_kernels_of(int is_double);

#endif
