/* tune_time.c -- the time that kernels take on this machine: made and loaded as artifacts are, and run
 * on all threads of this process, over memory of their own that holds numbers from a fixed seed.
 */
#include "driver/tune/tune.h"

#include "driver/debug/values.h"

#include "../rt/rt_library.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

enum { SEEDED = 1 << 16 /* elements; then they repeat */, MOST_CALLS = 2000 };
static const double SAMPLE_SECONDS = 2e-4;

typedef struct machine_timer {
    arena *memory;
    tune_plan *plan;
    uint32_t *members; /* of the library: numbers in plan->kernels */
    uint32_t member_count;
    void *handle;
    const rt_library *library;
    rt_frame *frame;
    /* of the subject at hand */
    arena *room;
    void **buffers; /* by buffer: where it begins */
    void **seeded;  /* by buffer that is a root and written: what was there */
    void **wanted;  /* by buffer that is a root and written: what the first candidate made of it */
    bool is_changed_by_runs;
    uint32_t calls; /* in a sample */
} machine_timer;

static double now(void *data)
{
    (void)data;
    return clock_seconds();
}

/* ---- the library ---- */

static void write_prelude(void *data, const uint32_t *members, uint32_t count, text *out)
{
    const machine_timer *m = data;
    const tune_plan *plan = m->plan;
    const kern_kernel **kernels = NEW_ARRAY(plan->memory, const kern_kernel *, count + 1);
    for (uint32_t i = 0; i < count; i++) kernels[i] = &plan->kernels->kernels.at[members[i]];
    kern_prelude(plan->d->target, kernels, count, out);
}

static void add_member(machine_timer *m, uint32_t kernel)
{
    for (uint32_t i = 0; i < m->member_count; i++)
        if (m->members[i] == kernel) return;
    m->members[m->member_count++] = kernel;
}

static void find_members(machine_timer *m, uint32_t first, uint32_t end)
{
    const tune_plan *plan = m->plan;
    m->members = NEW_ARRAY(plan->memory, uint32_t, plan->kernels->kernels.count + 1);
    m->member_count = 0;
    for (uint32_t i = first; i < end; i++) {
        const tune_subject *s = &plan->subjects.at[i];
        for (uint32_t k = 0; !s->obstacle && !s->is_decided && k < s->candidates.count; k++)
            add_member(m, s->candidates.at[k].call.kernel);
    }
}

static fe_status open_library(void *data, tune_plan *plan, uint32_t first, uint32_t end)
{
    machine_timer *m = data;
    driver_program *d = plan->d;
    static const char *const shown = "ferrite_library";
    driver_build build = {.entries = &shown, .entry_count = 1};
    wrap_program around = {.session = d->session, .name = d->name, .memory = plan->memory};
    emit_kernel *kernels;
    union {
        void *object;
        const rt_library *(*function)(void);
    } entry;
    m->plan = plan;
    find_members(m, first, end);
    kernels = NEW_ARRAY(plan->memory, emit_kernel, m->member_count + 1);
    for (uint32_t i = 0; i < m->member_count; i++) {
        const kern_kernel *k = &plan->kernels->kernels.at[m->members[i]];
        kernels[i] = (emit_kernel){k->name,      k->source, m->members[i], k->buffer_count,
                                   k->int_count, 0,         false,         NULL};
    }
    emit_input input = {.wrapper = &around,
                        .kernels = kernels,
                        .kernel_count = m->member_count,
                        .prelude = write_prelude,
                        .data = m,
                        .vectors = d->target->name,
                        .producer = "ferrite " FE_VERSION,
                        .parts = m->member_count > 3 ? plan->threads : 1};
    emit_library(&input, plan->memory, &build.files, &build.file_count);
    d->wrapper = &around; /* the program proper has none yet */
    fe_status status = toolchain_build(d, &build);
    d->wrapper = NULL;
    FE_TRY(status);
    FE_TRY(driver_open_library(d, &build, &m->handle, &entry.object));
    m->library = entry.function();
    m->frame = m->library->services->frame_new(plan->threads);
    if (m->frame) return FE_OK;
    return diag_fail(d->session, (diag){.status = FE_NO_MEMORY, .stage = "tune"},
                     "no memory to run kernels");
}

static void close_library(void *data)
{
    machine_timer *m = data;
    m->library->services->frame_free(m->frame);
    dlclose(m->handle);
}

static fe_kernel function_of(const machine_timer *m, const tune_candidate *c)
{
    const char *name = m->plan->kernels->kernels.at[c->call.kernel].name;
    for (uint32_t i = 0; i < m->library->kernel_count; i++)
        if (strcmp(m->library->kernels[i].name, name) == 0)
            return (fe_kernel)m->library->kernels[i].function;
    BUG(m->plan->d->session, "the library has no kernel %s", name);
}

/* ---- memory ---- */

static void *aligned(arena *room, int64_t bytes)
{
    uintptr_t at = (uintptr_t)arena_alloc(room, (size_t)bytes + 64);
    return (void *)((at + 63) / 64 * 64);
}

/* Floating numbers in [-1, 1), integers 0, truths one and the other. */
static void seed(const tune_buffer *b, char *at)
{
    ty_dtype part = ty_complex_to_real(b->dtype);
    int64_t size = (int64_t)ty_dtype_size(part), count = b->bytes / size, first = count;
    uint64_t state = 1;
    if (first > SEEDED) first = SEEDED;
    for (int64_t i = 0; i < first; i++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        double number = part == TY_BOOL        ? (double)(state >> 63)
                        : ty_is_floating(part) ? ldexp((double)(int64_t)state, -63)
                                               : 0;
        loop_convert(part, at + i * size, TY_F64, &number);
    }
    for (int64_t done = first; done < count;) {
        int64_t more = done < count - done ? done : count - done;
        memcpy(at + done * size, at, (size_t)(more * size));
        done += more;
    }
}

static uint32_t buffer_count(const tune_subject *s)
{
    return s->candidates.at[0].call.buffer_count;
}

/* By root: does a buffer in it say so? */
static bool is_written(const tune_subject *s, uint32_t root)
{
    for (uint32_t i = 0; i < buffer_count(s); i++)
        if (s->buffers[i].root == root && s->buffers[i].is_written) return true;
    return false;
}

static bool is_read(const tune_subject *s, uint32_t root)
{
    for (uint32_t i = 0; i < buffer_count(s); i++)
        if (s->buffers[i].root == root && s->buffers[i].is_read) return true;
    return false;
}

static void make_memory(machine_timer *m, const tune_subject *s)
{
    uint32_t count = buffer_count(s);
    m->room = arena_new(m->plan->d->session);
    m->buffers = NEW_ARRAY(m->room, void *, count + 1);
    m->seeded = NEW_ARRAY(m->room, void *, count + 1);
    m->wanted = NEW_ARRAY(m->room, void *, count + 1);
    m->is_changed_by_runs = false;
    for (uint32_t i = 0; i < count; i++) {
        const tune_buffer *b = &s->buffers[i];
        if (b->root != i) continue;
        m->buffers[i] = aligned(m->room, b->bytes);
        seed(b, m->buffers[i]);
        if (!is_written(s, i)) continue;
        m->seeded[i] = aligned(m->room, b->bytes);
        m->wanted[i] = aligned(m->room, b->bytes);
        memcpy(m->seeded[i], m->buffers[i], (size_t)b->bytes);
        m->is_changed_by_runs |= is_read(s, i);
    }
    for (uint32_t i = 0; i < count; i++)
        if (s->buffers[i].root != i)
            m->buffers[i] = (char *)m->buffers[s->buffers[i].root] + s->buffers[i].place;
}

static void put_back(machine_timer *m, const tune_subject *s)
{
    for (uint32_t i = 0; i < buffer_count(s); i++)
        if (m->seeded[i]) memcpy(m->buffers[i], m->seeded[i], (size_t)s->buffers[i].bytes);
}

/* ---- runs ---- */

/* A candidate's own order of buffers and ints is the first one's where its kernel is: else it names
 * them. */
typedef struct prepared {
    fe_kernel kernel;
    fe_kernel_args args;
    const kern_call *call;
} prepared;

static prepared prepare(machine_timer *m, const tune_subject *s, const tune_candidate *c)
{
    const kern_call *own = &s->candidates.at[0].call, *call = &c->call;
    void **buffers = NEW_ARRAY(m->room, void *, call->buffer_count + 1);
    int64_t *ints = NEW_ARRAY(m->room, int64_t, call->int_count + 1);
    for (uint32_t i = 0; i < call->buffer_count; i++)
        for (uint32_t k = 0; k < own->buffer_count; k++)
            if (own->buffers[k] == call->buffers[i]) buffers[i] = m->buffers[k];
    for (uint32_t i = 0; i < call->int_count; i++) ints[i] = c->ints[i];
    return (prepared){
        function_of(m, c), {buffers, ints, m->library->services->fault(m->frame)}, call};
}

static void run(machine_timer *m, const tune_candidate *c, const prepared *p)
{
    m->library->services->launch(m->frame, p->kernel, &p->args, c->outer, c->inner,
                                 p->call->split_inner, p->call->cost);
}

static void measure(machine_timer *m, tune_subject *s)
{
    prepared p = prepare(m, s, &s->candidates.at[0]);
    double begin = clock_seconds();
    run(m, &s->candidates.at[0], &p);
    double seconds = clock_seconds() - begin, calls = SAMPLE_SECONDS / (seconds + 1e-9);
    m->calls = calls < 1 ? 1 : calls > MOST_CALLS ? MOST_CALLS : (uint32_t)calls;
}

static bool is_as_wanted(machine_timer *m, const tune_subject *s)
{
    for (uint32_t i = 0; i < buffer_count(s); i++) {
        const tune_buffer *b = &s->buffers[i];
        uint32_t root = b->root;
        value_difference difference;
        if (!b->is_written) continue;
        int64_t count = (s->buffers[root].bytes - b->place) / (int64_t)ty_dtype_size(b->dtype);
        value_tensor made = {.dtype = b->dtype, .rank = 1, .data = m->buffers[i]};
        made.sizes[0] = count;
        made.strides[0] = 1;
        if (values_differ(&made, (char *)m->wanted[root] + b->place, 1, TY_NO_DTYPE, &difference))
            return false;
    }
    return true;
}

/* Each candidate once, from the same memory. */
static bool begin(void *data, tune_plan *plan, tune_subject *s)
{
    machine_timer *m = data;
    (void)plan;
    make_memory(m, s);
    for (uint32_t k = 0; k < s->candidates.count; k++) {
        tune_candidate *c = &s->candidates.at[k];
        prepared p = prepare(m, s, c);
        put_back(m, s);
        run(m, c, &p);
        if (p.args.fault->raised) {
            s->obstacle = "what it checks holds of the run's data alone";
            return false;
        }
        for (uint32_t i = 0; k == 0 && i < buffer_count(s); i++)
            if (m->wanted[i]) memcpy(m->wanted[i], m->buffers[i], (size_t)s->buffers[i].bytes);
        c->is_wrong = k > 0 && !is_as_wanted(m, s);
    }
    measure(m, s);
    return true;
}

static double sample(void *data, tune_subject *s, uint32_t candidate)
{
    machine_timer *m = data;
    const tune_candidate *c = &s->candidates.at[candidate];
    arena_mark_t mark = arena_mark(m->room);
    prepared p = prepare(m, s, c);
    if (m->is_changed_by_runs) put_back(m, s);
    double start = clock_seconds();
    for (uint32_t i = 0; i < m->calls; i++) run(m, c, &p);
    double ns = (clock_seconds() - start) * 1e9 / m->calls;
    arena_release(m->room, mark);
    return ns;
}

static void finish(void *data)
{
    machine_timer *m = data;
    arena_free(m->room);
    m->room = NULL;
}

tune_timer *tune_timer_new(arena *memory)
{
    tune_timer *timer = NEW(memory, tune_timer);
    machine_timer *m = NEW(memory, machine_timer);
    m->memory = memory;
    *timer = (tune_timer){m, now, open_library, begin, sample, finish, close_library};
    return timer;
}
