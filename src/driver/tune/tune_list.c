/* tune_list.c -- what there is to tune: distinct kernels with their sizes, the machine that they run
 * on, and the ways in which each may be made.
 *
 * Sizes are the example's. One that only the run knows is as large as the other tensors of the call are
 * in the same dimension, else as their largest, within its range.
 */
#define _GNU_SOURCE
#include "driver/tune/tune.h"

#include <sched.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30 /* of all memory of a call */ };

typedef struct listing {
    tune_plan *plan;
    driver_program *d;
    tune_subject *s; /* at hand */
    const kern_call *call;
    bool with_unknown; /* sizes that were found count too */
} listing;

/* ---- sizes ---- */

static bool has_hint(const sym_table *t, sym_expr symbol)
{
    return sym_hint(t, symbol, 1) == sym_hint(t, symbol, 2);
}

static bool look_up(void *data, sym_expr symbol, int64_t *value)
{
    const listing *l = data;
    const sym_table *t = l->d->loops->symbols;
    *value = sym_usual(t, symbol);
    if (has_hint(t, symbol)) return true;
    for (uint32_t i = 0; l->with_unknown && i < l->s->sizes.count; i++) {
        *value = l->s->sizes.at[i].value;
        if (sym_same(l->s->sizes.at[i].symbol, symbol)) return true;
    }
    return false;
}

static bool value_of(listing *l, sym_expr e, int64_t *value)
{
    return sym_eval(l->d->loops->symbols, e, look_up, l, value);
}

/* What the other buffers of the call say of a symbol: the largest of those in the dimensions where it
 * stands, else of all. */
static int64_t from_others(listing *l, sym_expr symbol)
{
    const loop_program *p = l->d->loops;
    int64_t beside = 0, largest = 0, value;
    bool stands[TY_MAX_RANK] = {false};
    for (uint32_t b = 0; b < l->call->buffer_count; b++) {
        const loop_buffer *buffer = &p->buffers.at[l->call->buffers[b]];
        for (uint32_t k = 0; k < buffer->rank; k++)
            stands[k] |= sym_contains(p->symbols, buffer->sizes[k], symbol);
    }
    for (uint32_t b = 0; b < l->call->buffer_count; b++) {
        const loop_buffer *buffer = &p->buffers.at[l->call->buffers[b]];
        for (uint32_t k = 0; k < buffer->rank; k++) {
            if (!value_of(l, buffer->sizes[k], &value)) continue;
            if (value > largest) largest = value;
            if (stands[k] && value > beside) beside = value;
        }
    }
    return beside > 1 ? beside : largest > 1 ? largest : SYM_USUAL_SIZE;
}

static void find_size(void *data, sym_expr symbol)
{
    listing *l = data;
    const sym_table *t = l->d->loops->symbols;
    int64_t value, least, most;
    l->with_unknown = true;
    if (look_up(l, symbol, &value)) return;
    l->with_unknown = false;
    value = from_others(l, symbol);
    sym_range(t, symbol, NULL, &least, &most);
    if (most != SYM_NO_MAX && value > most) value = most;
    if (least != SYM_NO_MIN && value < least) value = least;
    vec_push(l->plan->memory, &l->s->sizes, (tune_size){symbol, value});
}

static void find_sizes(listing *l)
{
    const sym_table *t = l->d->loops->symbols;
    const kern_call *call = l->call;
    sym_each_symbol(t, call->outer, find_size, l);
    sym_each_symbol(t, call->inner, find_size, l);
    for (uint32_t i = 0; i < call->int_count; i++) sym_each_symbol(t, call->ints[i], find_size, l);
    for (uint32_t b = 0; b < call->buffer_count; b++) {
        loop_buffer_id root = l->d->schedule->lives[call->buffers[b]].root;
        sym_each_symbol(t, l->d->loops->buffers.at[root].elements, find_size, l);
        sym_each_symbol(t, sched_place(l->d->schedule, call->buffers[b]), find_size, l);
    }
    l->with_unknown = true;
}

/* Does all that is asserted of sizes hold of these? */
static bool are_allowed(listing *l)
{
    static const sym_op ASKED[] = {SYM_EQ, SYM_NE, SYM_LT, SYM_LE};
    const loop_program *p = l->d->loops;
    for (uint32_t i = 0; i < p->ops.count && l->s->sizes.count; i++) {
        const sym_relation *r = &p->ops.at[i].relation;
        int64_t left, right;
        if (p->ops.at[i].kind != LOOP_ASSERT) continue;
        if (!value_of(l, r->left, &left) || !value_of(l, r->right, &right)) continue;
        bool holds[COUNT_OF(ASKED)] = {left == right, left != right, left < right, left <= right};
        for (uint32_t k = 0; k < COUNT_OF(ASKED); k++)
            if (r->op == ASKED[k] && !holds[k]) return false;
    }
    return true;
}

/* ---- one call ---- */

static const char *device_obstacle(const listing *l)
{
    for (uint32_t b = 0; b < l->call->buffer_count; b++) {
        const loop_buffer *buffer = &l->d->loops->buffers.at[l->call->buffers[b]];
        if (!ty_is_host(buffer->device))
            return arena_printf(l->plan->memory, "it runs on %s, not here",
                                ty_device_name(l->plan->memory, buffer->device));
    }
    return NULL;
}

static bool read_buffers(listing *l)
{
    const kern_call *call = l->call;
    const sched_schedule *schedule = l->d->schedule;
    const loop_program *p = l->d->loops;
    int64_t total = 0, elements, place;
    l->s->buffers = NEW_ARRAY(l->plan->memory, tune_buffer, call->buffer_count + 1);
    for (uint32_t b = 0; b < call->buffer_count; b++) {
        loop_buffer_id id = call->buffers[b], root = schedule->lives[id].root;
        tune_buffer *out = &l->s->buffers[b];
        if (!value_of(l, p->buffers.at[root].elements, &elements) ||
            !value_of(l, sched_place(schedule, id), &place) || elements < 0 || place < 0)
            return false;
        if (elements > MOST_BYTES) return false;
        *out = (tune_buffer){.root = b,
                             .dtype = p->buffers.at[id].dtype,
                             .place = place * (int64_t)ty_dtype_size(p->buffers.at[id].dtype),
                             .bytes = elements * (int64_t)ty_dtype_size(p->buffers.at[root].dtype)};
        kern_uses(&l->d->kernels->kernels.at[call->kernel], b, &out->is_read, &out->is_written);
        for (uint32_t k = b; k-- > 0;)
            if (schedule->lives[call->buffers[k]].root == root) out->root = k;
        total += out->root == b ? out->bytes : 0;
    }
    return total <= MOST_BYTES;
}

static bool read_sizes(listing *l)
{
    tune_subject *s = l->s;
    find_sizes(l);
    if (!are_allowed(l) || !value_of(l, l->call->outer, &s->outer) ||
        !value_of(l, l->call->inner, &s->inner))
        return false;
    s->ints = NEW_ARRAY(l->plan->memory, int64_t, l->call->int_count + 1);
    for (uint32_t i = 0; i < l->call->int_count; i++)
        if (!value_of(l, l->call->ints[i], &s->ints[i])) return false;
    return read_buffers(l);
}

static const char *obstacle_of(listing *l)
{
    const char *device = device_obstacle(l);
    if (device) return device;
    if (!kern_takes_zeros(&l->d->kernels->kernels.at[l->call->kernel]))
        return "what it does not check holds of the run's data alone";
    if (!read_sizes(l)) return "its sizes are not known, or too large";
    return l->s->outer > 0 && l->s->inner > 0 ? NULL : "it has nothing to do";
}

static bool has_buffer(const kern_call *call, loop_buffer_id id)
{
    for (uint32_t i = 0; i < call->buffer_count; i++)
        if (call->buffers[i] == id) return true;
    return false;
}

/* The sizes of a candidate's call, which uses the same memory. */
static bool read_call(listing *l, tune_candidate *c)
{
    const kern_call *own = &l->d->kernels->calls[l->s->groups.at[0]], *call = &c->call;
    if (!value_of(l, call->outer, &c->outer) || !value_of(l, call->inner, &c->inner)) return false;
    c->ints = NEW_ARRAY(l->plan->memory, int64_t, call->int_count + 1);
    for (uint32_t i = 0; i < call->int_count; i++)
        if (!value_of(l, call->ints[i], &c->ints[i])) return false;
    for (uint32_t i = 0; i < call->buffer_count; i++)
        if (!has_buffer(own, call->buffers[i])) return false;
    return true;
}

static bool is_same_call(const kern_call *a, const tune_subject *s, const kern_call *b,
                         const tune_subject *t)
{
    if (a->kernel != b->kernel || !s->obstacle != !t->obstacle) return false;
    if (s->obstacle) return strcmp(s->obstacle, t->obstacle) == 0;
    if (s->outer != t->outer || s->inner != t->inner || a->buffer_count != b->buffer_count)
        return false;
    for (uint32_t i = 0; i < a->int_count; i++)
        if (s->ints[i] != t->ints[i]) return false;
    for (uint32_t i = 0; i < a->buffer_count; i++)
        if (s->buffers[i].bytes != t->buffers[i].bytes ||
            s->buffers[i].root != t->buffers[i].root || s->buffers[i].place != t->buffers[i].place)
            return false;
    return true;
}

/* The ways that come out as another kernel, or as another share of it. */
static fe_status add_candidates(listing *l)
{
    sched_group changed = l->d->schedule->groups.at[l->s->groups.at[0]];
    sched_variant *variants;
    uint32_t count = sched_variants(l->d->schedule, &changed, l->d->target->vector_bytes,
                                    l->plan->memory, &variants);
    for (uint32_t i = 0; i < count; i++) {
        tune_candidate c = {.variant = variants[i]};
        changed.variant = variants[i];
        FE_TRY(kern_add(l->plan->kernels, l->d->schedule, &changed, l->s->groups.at[0],
                        l->d->target, l->plan->memory, &c.call));
        bool is_new = read_call(l, &c);
        for (uint32_t k = 0; k < l->s->candidates.count; k++) {
            const kern_call *known = &l->s->candidates.at[k].call;
            is_new &= known->kernel != c.call.kernel || known->cost != c.call.cost;
        }
        if (is_new) vec_push(l->plan->memory, &l->s->candidates, c);
    }
    return FE_OK;
}

/* ---- all of them ---- */

static double work_of(const listing *l, const tune_subject *s)
{
    const kern_call *call = &l->d->kernels->calls[s->groups.at[0]];
    return (double)call->cost * (double)s->outer * (double)s->inner * s->groups.count;
}

/* What takes longest comes first, as time may not be enough for all. */
static void sort(const listing *l)
{
    for (uint32_t i = 1; i < l->plan->subjects.count; i++) {
        tune_subject moved = l->plan->subjects.at[i];
        uint32_t k = i;
        for (; k > 0 && work_of(l, &l->plan->subjects.at[k - 1]) < work_of(l, &moved); k--)
            l->plan->subjects.at[k] = l->plan->subjects.at[k - 1];
        l->plan->subjects.at[k] = moved;
    }
}

static void add_group(listing *l, uint32_t group)
{
    tune_subject s = {0};
    l->s = &s;
    l->call = &l->d->kernels->calls[group];
    s.obstacle = obstacle_of(l);
    for (uint32_t i = 0; i < l->plan->subjects.count; i++) {
        tune_subject *known = &l->plan->subjects.at[i];
        if (!is_same_call(l->call, &s, &l->d->kernels->calls[known->groups.at[0]], known)) continue;
        vec_push(l->plan->memory, &known->groups, group);
        return;
    }
    vec_push(l->plan->memory, &s.groups, group);
    vec_push(l->plan->memory, &l->plan->subjects, s);
}

static uint32_t processors(void)
{
    cpu_set_t mine;
    return sched_getaffinity(0, sizeof mine, &mine) == 0 ? (uint32_t)CPU_COUNT(&mine) : 1;
}

fe_status tune_list(driver_program *d, arena *memory, tune_plan **out)
{
    tune_plan *plan = *out = NEW(memory, tune_plan);
    listing l = {.plan = plan, .d = d};
    *plan = (tune_plan){.d = d,
                        .memory = memory,
                        .kernels = NEW(memory, kern_set),
                        .machine = d->options.tune_machine ? d->options.tune_machine
                                                           : tune_machine(memory),
                        .threads = processors()};
    for (uint32_t g = 0; g < d->schedule->groups.count; g++)
        if (d->schedule->groups.at[g].kind == SCHED_KERNEL &&
            d->kernels->calls[g].kernel != UINT32_MAX)
            add_group(&l, g);
    sort(&l);
    for (uint32_t i = 0; i < plan->subjects.count; i++) {
        l.s = &plan->subjects.at[i];
        if (l.s->obstacle) continue;
        FE_TRY(add_candidates(&l));
    }
    return FE_OK;
}

/* ---- text ---- */

static void print_numbers(const char *name, const int64_t *numbers, uint32_t count, text *out)
{
    text_printf(out, " %s [", name);
    for (uint32_t i = 0; i < count; i++)
        text_printf(out, "%s%lld", i ? ", " : "", (long long)numbers[i]);
    text_char(out, ']');
}

static void print_subject(const tune_plan *plan, const tune_subject *s, text *out)
{
    const driver_program *d = plan->d;
    const kern_call *call = &d->kernels->calls[s->groups.at[0]];
    int64_t *bytes = NEW_ARRAY(plan->memory, int64_t, call->buffer_count + 1);
    text_printf(out, "kernel %s %u %s%s", kern_stem(&d->kernels->kernels.at[call->kernel]),
                s->groups.count, s->groups.count == 1 ? "call" : "calls",
                s->obstacle ? "" : " on cpu\n");
    if (s->obstacle) {
        text_printf(out, " not timed: %s\n", s->obstacle);
        return;
    }
    for (uint32_t i = 0; i < s->sizes.count; i++)
        text_printf(out, "  %s = %lld\n", sym_name(d->loops->symbols, s->sizes.at[i].symbol),
                    (long long)s->sizes.at[i].value);
    text_printf(out, "  rows %lld columns %lld", (long long)s->outer, (long long)s->inner);
    print_numbers("ints", s->ints, call->int_count, out);
    for (uint32_t i = 0; i < call->buffer_count; i++) bytes[i] = s->buffers[i].bytes;
    print_numbers("memory", bytes, call->buffer_count, out);
    text_char(out, '\n');
    for (uint32_t i = 0; i < s->candidates.count; i++) {
        text_add(out, "  variant ");
        sched_print_variant(&s->candidates.at[i].variant, out);
        text_char(out, '\n');
    }
}

void tune_print(driver_program *d, text *out)
{
    tune_plan *plan;
    if (tune_list(d, d->memory, &plan) != FE_OK)
        BUG(d->session, "a kernel cannot be made in a way that its group admits");
    for (uint32_t i = 0; i < plan->subjects.count; i++)
        print_subject(plan, &plan->subjects.at[i], out);
}
