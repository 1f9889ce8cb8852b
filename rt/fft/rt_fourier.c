/* rt_fourier.c - the operator: transforms along one dimension of views with any strides.
 *
 * The other dimensions are rows. Rows are transformed side by side, as many as fill vectors, where
 * that is how they lie in memory or where they are short; else one by one, with vectors along the
 * row. Which of the two depends on sizes and strides alone, so results do not depend on threads.
 */
#include "rt_fourier.h"
#include "rt_by_isa.h"
#include "rt_entry.h"
#include "rt_program.h"
#include "rt_team.h"

#include <math.h>
#include <string.h>

/* ---- kernels ---- */

RT_KERNELS_BY_ISA(fft, RT_OF_REALS)

/* ---- rows ---- */

static int64_t distance(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

static void set_row_dim(rt_fft_job *job, uint32_t at, int64_t size, int64_t in, int64_t out)
{
    job->sizes[at] = size;
    job->in_strides[at] = in;
    job->out_strides[at] = out;
}

/* Dimensions that lie in each other on both sides become one. */
static void merge_dims(rt_fft_job *job)
{
    uint32_t kept = 0;
    for (uint32_t d = 1; d < job->dims; d++) {
        int64_t size = job->sizes[d], in = job->in_strides[d], out = job->out_strides[d];
        if (job->in_strides[kept] == size * in && job->out_strides[kept] == size * out)
            size *= job->sizes[kept];
        else
            kept++;
        set_row_dim(job, kept, size, in, out);
    }
    if (job->dims) job->dims = kept + 1;
}

/* The dimensions but `dim`, those with the shortest steps last. */
static void set_rows(rt_fft_job *job, const fe_tensor *x, const fe_tensor *y, uint32_t dim)
{
    job->rows = 1;
    for (uint32_t d = 0; d < x->rank; d++) {
        if (d == dim || x->sizes[d] == 1) continue;
        uint32_t at = job->dims++;
        for (; at > 0 && distance(job->in_strides[at - 1]) < distance(x->strides[d]); at--)
            set_row_dim(job, at, job->sizes[at - 1], job->in_strides[at - 1],
                        job->out_strides[at - 1]);
        set_row_dim(job, at, x->sizes[d], x->strides[d], y->strides[d]);
        job->rows *= x->sizes[d];
    }
    merge_dims(job);
}

static void ramp(int64_t *at, int64_t count, int64_t start, int64_t step)
{
    for (int64_t k = 0; k < count; k++) at[k] = start + k * step;
}

int rt_fft_rows_at(const rt_fft_job *job, int64_t first, int64_t count, int64_t *in, int64_t *out)
{
    int runs = 0;
    const int64_t in_width = 1 + job->in.is_complex, out_width = 1 + job->out.is_complex;
    for (int64_t k = 0, run = 1; k < count;
         k += run, runs++) { /* a run: along the last dimension */
        int64_t x = 0, y = 0, dx = 0, dy = 0, rest = first + k;
        for (uint32_t d = job->dims; d-- > 0; rest /= job->sizes[d]) {
            int64_t place = rest % job->sizes[d];
            x += place * job->in_strides[d];
            y += place * job->out_strides[d];
            if (d + 1 < job->dims) continue;
            run = job->sizes[d] - place < count - k ? job->sizes[d] - place : count - k;
            dx = job->in_strides[d];
            dy = job->out_strides[d];
        }
        ramp(in + k, run, x * in_width, dx * in_width);
        ramp(out + k, run, y * out_width, dy * out_width);
    }
    ramp(in + count, job->lanes - count, in[0], 0);
    ramp(out + count, job->lanes - count, out[0], 0);
    return runs;
}

/* ---- the call ---- */

typedef struct running {
    rt_fft_job job;
    const rt_fft_kernels *kernels;
    rt_scratch scratch;
} running;

static void run_groups(void *context, int64_t begin, int64_t end, int worker)
{
    const running *r = context;
    void *work = rt_scratch_worker(&r->scratch, worker);
    for (int64_t k = begin; k < end; k++) r->kernels->transform(&r->job, k, work);
}

/* A chunk of a parallel region must outlast the handing over. */
static int64_t grain_of(const rt_fft_job *job)
{
    const rt_fft_plan *plan = job->plan->inner ? job->plan->inner : job->plan;
    double length = (double)plan->key.length, work = length * log2(length + 1) * (double)job->lanes;
    return (int64_t)(100000 / work) + 1;
}

/* The window as planar factors. */
static void set_window(running *r, const fe_tensor *window, char *room)
{
    rt_fft_job *job = &r->job;
    int is_double = job->plan->key.is_double, half = job->plan->key.is_half;
    int64_t count = job->plan->key.length, step = window->strides[0];
    size_t bytes = is_double ? sizeof(double) : sizeof(float);
    for (int64_t k = 0; k < job->length; k++) {
        int64_t to = half ? k / 2 + k % 2 * count : k;
        memcpy(room + (size_t)to * bytes, (const char *)window->data + k * step * (int64_t)bytes,
               bytes);
    }
    job->window[0] = room;
    job->window[1] = half ? room + (size_t)count * bytes : room;
}

static int run(rt_team *team, running *r, size_t each, const fe_tensor *window)
{
    rt_fft_job *job = &r->job;
    size_t shared = window->data ? (size_t)job->length * sizeof(double) : 0;
    if (rt_scratch_take(team, shared, each, &r->scratch)) return -1;
    if (window->data) set_window(r, window, rt_scratch_shared(&r->scratch));
    int64_t groups = (job->rows + job->lanes - 1) / job->lanes;
    rt_parallel(team->pool, run_groups, r, groups, grain_of(job));
    rt_scratch_drop(team, &r->scratch);
    return 0;
}

static rt_fft_side side_of(const fe_tensor *t, uint32_t dim)
{
    return (rt_fft_side){t->data, t->dtype == FE_C64 || t->dtype == FE_C128, t->sizes[dim],
                         t->strides[dim]};
}

static double scale_of(const int64_t *ints)
{
    double elements = (double)ints[RT_FOURIER_ELEMENTS];
    return ints[RT_FOURIER_NORM] == 1   ? 1 / sqrt(elements)
           : ints[RT_FOURIER_NORM] == 2 ? 1 / elements
                                        : 1;
}

/* Real transforms of even lengths are complex ones of half the length. */
static rt_fft_shape shape_of(const rt_fft_job *job, const fe_tensor *y)
{
    int both = job->in.is_complex && job->out.is_complex, half = !both && job->length % 2 == 0;
    return (rt_fft_shape){.length = half ? job->length / 2 : job->length,
                          .rows = job->rows,
                          .most = job->out.is_complex ? job->out.count : job->length / 2 + 1,
                          .is_half = half,
                          .is_double = y->dtype == FE_F64 || y->dtype == FE_C128,
                          .dense = job->in.step == 1 && job->out.step == 1};
}

rt_fft_key rt_fft_key_of(const rt_fft_shape *shape)
{
    int vector = rt_fft_kernels_of(shape->is_double)->vector;
    return (rt_fft_key){.length = shape->length,
                        .is_double = shape->is_double,
                        .across = rt_fft_goes_across(shape, vector),
                        .is_half = shape->is_half,
                        .vector = vector};
}

int rt_op_fourier(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *x = &call->in[0], *y = &call->out[0];
    const int64_t *ints = call->ints;
    uint32_t dim = (uint32_t)ints[RT_FOURIER_DIM];
    running r = {.job = {.length = ints[RT_FOURIER_LENGTH], .scale = scale_of(ints)}};
    rt_fft_job *job = &r.job;
    if (job->length < 1)
        return rt_fail(frame, FE_RUN_ASSERTION, "a Fourier transform of %lld points",
                       (long long)job->length);
    job->in = side_of(x, dim);
    job->out = side_of(y, dim);
    set_rows(job, x, y, dim);
    if (job->rows == 0) return 0;
    int both = job->in.is_complex && job->out.is_complex, backward = ints[RT_FOURIER_BACKWARD] != 0;
    job->exchange = both ? backward : !job->out.is_complex;
    job->conjugate = !both && backward != job->exchange;
    rt_fft_shape shape = shape_of(job, y);
    rt_fft_key key = rt_fft_key_of(&shape);
    r.kernels = rt_fft_kernels_of(key.is_double);
    job->lanes = rt_fft_lanes(&shape, key.vector);
    job->room = rt_fft_room_of(&shape);
    job->plan = rt_fft_plan_get(&key);
    rt_team team = rt_team_of(frame, call);
    size_t each = (size_t)rt_fft_work_bytes(&shape, job->lanes);
    int failed = !job->plan || run(&team, &r, each, &call->in[1]);
    if (job->plan) rt_fft_plan_put(job->plan);
    return failed ? rt_no_room(frame, &team) : 0;
}
