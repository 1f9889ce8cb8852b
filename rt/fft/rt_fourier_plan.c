/* rt_fourier_plan.c - plans of lengths: factors, tables of roots of unity, and the plans that are
 * kept.
 *
 * All roots are computed in double, from the first eighth of a turn. The transform of a chirp is
 * computed in double too.
 */
#include "rt_fourier.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PLANS_KEPT = 64, BYTES_KEPT = 256 << 20, ALIGNMENT = 64 };

/* ---- roots of unity ---- */

/* exp(-2 pi i k / n) */
static void root(int64_t k, int64_t n, double *re, double *im)
{
    static const struct {
        signed char swapped, re, im;
    } EIGHTHS[8] = {{0, 1, 1},   {1, 1, 1},   {1, -1, 1}, {0, -1, 1},
                    {0, -1, -1}, {1, -1, -1}, {1, 1, -1}, {0, 1, -1}};
    int64_t eighth = 8 * (k % n) / n, rest = 8 * (k % n) - eighth * n;
    if (eighth % 2) rest = n - rest;
    double angle = (double)rest / (double)n * 0.78539816339744830962;
    double c = cos(angle), s = sin(angle);
    *re = (EIGHTHS[eighth].swapped ? s : c) * EIGHTHS[eighth].re;
    *im = -(EIGHTHS[eighth].swapped ? c : s) * EIGHTHS[eighth].im;
}

/* Tables of a plan, carved from one piece of memory; without memory it only counts. */
typedef struct maker {
    rt_fft_plan *plan;
    char *memory;
    size_t used;
} maker;

static size_t real_bytes(const rt_fft_plan *p)
{
    return p->key.is_double ? sizeof(double) : sizeof(float);
}

/* Vectors may read past its end. */
static void *table(maker *m, int64_t reals)
{
    size_t bytes = (size_t)(reals + RT_FFT_SLACK) * real_bytes(m->plan);
    char *at = m->memory ? m->memory + m->used : NULL;
    m->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
}

static void put(const maker *m, void *reals, int64_t at, double value)
{
    if (m->plan->key.is_double)
        ((double *)reals)[at] = value;
    else
        ((float *)reals)[at] = (float)value;
}

/* ---- passes ---- */

static int64_t lanes_of(const rt_fft_plan *p)
{
    return p->key.vector / (int64_t)real_bytes(p);
}

static void add_pass(rt_fft_plan *p, int64_t radix)
{
    p->passes[p->pass_count++].radix = (int)radix;
}

/* Powers of 2 first: soon the stride is a whole vector's. */
static void factor(rt_fft_plan *p)
{
    int64_t n = p->key.length;
    int twos = 0;
    for (; n % 2 == 0; n /= 2) twos++;
    int fours = twos == 1 ? 0 : twos % 3 == 1 ? 2 : twos % 3 == 2;
    if (twos == 6 && p->key.length / 8 < lanes_of(p)) fours = 3;
    for (int k = 0; k < (twos - 2 * fours) / 3; k++) add_pass(p, 8);
    for (int k = 0; k < fours; k++) add_pass(p, 4);
    for (int64_t f = RT_FFT_LARGEST_FACTOR; f > 2; f--)
        for (; n % f == 0; n /= f) add_pass(p, f);
    if (twos == 1) add_pass(p, 2);
    if (!p->pass_count) add_pass(p, 1);
}

static void classify(const rt_fft_plan *p, rt_fft_pass *pass)
{
    int64_t lanes = lanes_of(p);
    int twos = pass->radix == 4 || pass->radix == 8;
    if (p->key.across || pass->stride >= lanes)
        pass->kind = pass->count == 1 ? RT_FFT_LAST : RT_FFT_WIDE;
    else if (twos && lanes % pass->stride == 0 && pass->stride * pass->count >= lanes)
        pass->kind = RT_FFT_RIFFLE;
    else
        pass->kind = RT_FFT_NARROW;
}

static void fill_wide(maker *m, rt_fft_pass *pass)
{
    int64_t n = pass->count * pass->radix, at = 0;
    void *to = table(m, 2 * pass->count * (pass->radix - 1));
    pass->twiddles = to;
    for (int64_t p = 0; to && p < pass->count; p++)
        for (int k = 1; k < pass->radix; k++, at += 2) {
            double re, im;
            root(p * k, n, &re, &im);
            put(m, to, at, re);
            put(m, to, at + 1, im);
        }
}

static void fill_narrow(maker *m, rt_fft_pass *pass)
{
    int64_t n = pass->count * pass->radix, part = pass->count * pass->stride;
    void *to = table(m, 2 * part * (pass->radix - 1));
    pass->twiddles = to;
    for (int k = 1; to && k < pass->radix; k++)
        for (int64_t at = 0; at < part; at++) {
            double re, im;
            root(at / pass->stride * k, n, &re, &im);
            put(m, to, (2 * k - 2) * part + at, re);
            put(m, to, (2 * k - 1) * part + at, im);
        }
}

/* Cosines and sines of 2 pi k / n for k < count. */
static void *fill_turns(maker *m, int64_t n, int64_t count)
{
    void *to = table(m, 2 * count);
    for (int64_t k = 0; to && k < count; k++) {
        double re, im;
        root(k, n, &re, &im);
        put(m, to, k, re);
        put(m, to, count + k, -im);
    }
    return to;
}

static void fill_passes(maker *m)
{
    rt_fft_plan *p = m->plan;
    int64_t stride = 1;
    for (uint32_t i = 0; i < p->pass_count; i++) {
        rt_fft_pass *pass = &p->passes[i];
        pass->stride = stride;
        pass->count = p->key.length / stride / pass->radix;
        classify(p, pass);
        if (pass->kind == RT_FFT_WIDE) fill_wide(m, pass);
        if (pass->kind == RT_FFT_NARROW || pass->kind == RT_FFT_RIFFLE) fill_narrow(m, pass);
        if (pass->radix > 5 && pass->radix % 2)
            pass->roots = fill_turns(m, pass->radix, pass->radix);
        stride *= pass->radix;
    }
}

/* ---- convolutions ---- */

/* exp(-pi i k^2 / n), for one k after the other. */
typedef struct chirping {
    int64_t n, k, square; /* square: modulo 2 n */
} chirping;

static void next_chirp(chirping *c, double *re, double *im)
{
    root(c->square, 2 * c->n, re, im);
    c->square = (c->square + 2 * c->k + 1) % (2 * c->n);
    c->k++;
}

static rt_fft_plan *plan_new(const rt_fft_key *key);
static void plan_free(rt_fft_plan *p);

/* The transform of the chirp as a filter, over the inner length. */
static int fill_response(maker *m, void *to)
{
    rt_fft_plan *p = m->plan;
    int64_t n = p->key.length, room = p->inner->key.length;
    const rt_fft_kernels *kernels = rt_fft_kernels_of(1);
    rt_fft_key key = {.length = room, .is_double = 1, .vector = kernels->vector};
    rt_fft_plan *wide = plan_new(&key);
    size_t part = (size_t)(room + RT_FFT_SLACK) * sizeof(double);
    double *re =
        wide ? aligned_alloc(ALIGNMENT, (4 * part + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT) : NULL;
    if (!re) {
        plan_free(wide);
        return -1;
    }
    memset(re, 0, 4 * part);
    double *im = re + room + RT_FFT_SLACK;
    chirping chirp = {.n = n};
    for (int64_t k = 0; k < n; k++) {
        double c, s;
        next_chirp(&chirp, &c, &s);
        int64_t mirror = (room - k) % room;
        re[k] = re[mirror] = c / (double)room;
        im[k] = im[mirror] = -s / (double)room;
    }
    kernels->plain(wide, re, im, im + room + RT_FFT_SLACK);
    for (int64_t k = 0; k < room; k++) {
        put(m, to, k, re[k]);
        put(m, to, room + k, im[k]);
    }
    plan_free(wide);
    free(re);
    return 0;
}

static int fill_convolution(maker *m)
{
    rt_fft_plan *p = m->plan;
    int64_t n = p->key.length;
    void *chirps = table(m, 2 * n), *response = table(m, 2 * p->inner->key.length);
    p->chirp = chirps;
    p->response = response;
    chirping chirp = {.n = n};
    for (int64_t k = 0; chirps && k < n; k++) {
        double re, im;
        next_chirp(&chirp, &re, &im);
        put(m, chirps, k, re);
        put(m, chirps, n + k, im);
    }
    return response ? fill_response(m, response) : 0;
}

/* ---- plans ---- */

static int fill(maker *m)
{
    rt_fft_plan *p = m->plan;
    if (p->inner && fill_convolution(m)) return -1;
    if (!p->inner) fill_passes(m);
    if (p->key.is_half) p->turns = fill_turns(m, 2 * p->key.length, p->key.length + 1);
    return 0;
}

static void plan_free(rt_fft_plan *p)
{
    if (!p) return;
    if (p->inner) rt_fft_plan_put(p->inner);
    free(p->tables);
    free(p);
}

rt_fft_key rt_fft_inner_key(const rt_fft_key *key)
{
    rt_fft_key inner = *key;
    inner.length = rt_fft_smooth_length(2 * key->length - 1);
    inner.is_half = 0;
    return inner;
}

static size_t count_bytes(rt_fft_plan *p)
{
    maker m = {.plan = p};
    if (!p->inner) factor(p);
    fill(&m);
    return m.used + ALIGNMENT;
}

size_t rt_fft_plan_bytes(const rt_fft_key *key)
{
    rt_fft_plan inner = {.key = rt_fft_inner_key(key)}, p = {.key = *key};
    if (!rt_fft_is_smooth(key->length)) p.inner = &inner;
    return sizeof p + count_bytes(&p);
}

static rt_fft_plan *plan_new(const rt_fft_key *key)
{
    int is_smooth = rt_fft_is_smooth(key->length);
    rt_fft_plan *p = calloc(1, sizeof *p);
    rt_fft_key inner = rt_fft_inner_key(key);
    if (!p) return NULL;
    p->key = *key;
    if (!is_smooth && !(p->inner = rt_fft_plan_get(&inner))) {
        plan_free(p);
        return NULL;
    }
    size_t bytes = count_bytes(p);
    maker m = {.plan = p, .memory = aligned_alloc(ALIGNMENT, bytes)};
    p->tables = m.memory;
    p->bytes = sizeof *p + bytes;
    if (m.memory) memset(m.memory, 0, bytes);
    if (!m.memory || fill(&m)) {
        plan_free(p);
        return NULL;
    }
    return p;
}

/* ---- those that are kept ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static rt_fft_plan *plans;
static uint32_t plan_count;
static size_t plan_bytes;
static uint64_t uses;

static void drop_plans(void)
#ifdef __GNUC__
    __attribute__((destructor))
#endif
    ;

int rt_fft_same_key(const rt_fft_key *a, const rt_fft_key *b)
{
    return a->length == b->length && a->is_double == b->is_double && a->across == b->across &&
           a->is_half == b->is_half && a->vector == b->vector;
}

static rt_fft_plan *find(const rt_fft_key *key)
{
    for (rt_fft_plan *p = plans; p; p = p->next)
        if (rt_fft_same_key(&p->key, key)) return p;
    return NULL;
}

/* Takes the one that was not used for longest out of the list; NULL when all are in use. */
static rt_fft_plan *take_oldest(void)
{
    rt_fft_plan **best = NULL;
    for (rt_fft_plan **at = &plans; *at; at = &(*at)->next)
        if (!(*at)->users && (!best || (*at)->last_use < (*best)->last_use)) best = at;
    if (!best) return NULL;
    rt_fft_plan *p = *best;
    *best = p->next;
    plan_count--;
    plan_bytes -= p->bytes;
    return p;
}

/* Returns those that have to go, as a list. */
static rt_fft_plan *keep(rt_fft_plan *made)
{
    rt_fft_plan *gone = NULL, *p;
    while ((plan_count >= PLANS_KEPT || plan_bytes + made->bytes > BYTES_KEPT) &&
           (p = take_oldest())) {
        p->next = gone;
        gone = p;
    }
    made->next = plans;
    plans = made;
    plan_count++;
    plan_bytes += made->bytes;
#ifndef __GNUC__
    static int drops_at_exit;
    if (!drops_at_exit) drops_at_exit = atexit(drop_plans) == 0;
#endif
    return gone;
}

static void free_all(rt_fft_plan *list)
{
    while (list) {
        rt_fft_plan *next = list->next;
        plan_free(list);
        list = next;
    }
}

const rt_fft_plan *rt_fft_plan_get(const rt_fft_key *key)
{
    pthread_mutex_lock(&lock);
    rt_fft_plan *p = find(key), *gone = NULL;
    if (!p) {
        pthread_mutex_unlock(&lock);
        rt_fft_plan *made = plan_new(key);
        if (!made) return NULL;
        pthread_mutex_lock(&lock);
        p = find(key); /* another thread's may have come first */
        gone = p ? made : keep(made);
        if (!p) p = made;
    }
    p->users++;
    p->last_use = ++uses;
    pthread_mutex_unlock(&lock);
    free_all(gone);
    return p;
}

void rt_fft_plan_put(const rt_fft_plan *plan)
{
    pthread_mutex_lock(&lock);
    ((rt_fft_plan *)(uintptr_t)plan)->users--;
    pthread_mutex_unlock(&lock);
}

size_t rt_fft_plans_bytes(void)
{
    pthread_mutex_lock(&lock);
    size_t bytes = plan_bytes;
    pthread_mutex_unlock(&lock);
    return bytes;
}

static void drop_plans(void)
{
    rt_fft_plan *p;
    while ((p = take_oldest())) plan_free(p);
}
