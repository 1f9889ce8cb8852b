/* return.c -- which outputs lie in the memory of a donated input, where the caller gives them none.
 *
 * Behind its last reader the input's memory is free, and an output that is no larger and born by then, or
 * with that reader at the same indices, may begin there: the next value of a cache, of a weight, of a
 * state. Outputs and inputs are paired so that the most bytes have a place: the largest output first, each
 * moving those before it to other inputs where these suit them too.
 */
#include "sched/legal.h"

#include <stdlib.h>

/* Inputs that are looked at, over all outputs, to move others: then the pairs are as good as they are. */
enum { MOST_STEPS = 1 << 22 };

typedef struct returner {
    sched_schedule *s;
    loop_program *p;
    uint32_t *birth;       /* by root: when the first that lies there comes to life; NEVER */
    loop_buffer_id *first; /* by root: it, where it comes alone */
    loop_buffer_id *taken; /* by input: the output that begins there, or LOOP_NO_BUFFER */
    bool *seen;            /* by input: this search has been there */
    VEC(loop_buffer_id) inputs;
    uint32_t steps;
} returner;

typedef struct candidate {
    loop_buffer_id output;
    int64_t bytes; /* at hints */
} candidate;

/* ---- what may begin where ---- */

static void find_first(returner *r)
{
    for (loop_buffer_id b = 0; b < r->p->buffers.count; b++) {
        const sched_life *life = &r->s->lives[b];
        loop_buffer_id root = life->root;
        if (life->birth == life->death || life->birth > r->birth[root]) continue;
        r->first[root] = life->birth == r->birth[root] ? LOOP_NO_BUFFER : b;
        r->birth[root] = life->birth;
    }
}

static bool is_no_larger(const returner *r, loop_buffer_id output, loop_buffer_id input)
{
    const loop_program *p = r->p;
    const loop_buffer *a = &p->buffers.at[output], *b = &p->buffers.at[input];
    return ty_dtype_alignment(a->dtype) <= ty_dtype_alignment(b->dtype) &&
           sym_known_less_equal(p->symbols, lent_bytes(p, output, a->elements),
                                lent_bytes(p, input, b->elements), NULL);
}

bool may_return_in(const sched_schedule *s, loop_buffer_id first, uint32_t birth,
                   loop_buffer_id input)
{
    uint32_t death = s->lives[input].death;
    if (birth >= death) return true;
    return birth + 1 == death && first != LOOP_NO_BUFFER && sym_is_none(s->lives[first].place) &&
           legal_reuse(s->program, &s->groups.at[birth], input, first);
}

static bool suits(returner *r, loop_buffer_id output, loop_buffer_id input)
{
    return is_no_larger(r, output, input) &&
           may_return_in(r->s, r->first[output], r->birth[output], input);
}

static bool is_exact(const returner *r, loop_buffer_id output, loop_buffer_id input)
{
    const loop_buffer *a = &r->p->buffers.at[output], *b = &r->p->buffers.at[input];
    return a->dtype == b->dtype && sym_same(a->elements, b->elements);
}

/* ---- pairs ---- */

static bool find_input(returner *r, loop_buffer_id output);

/* Of its own shape first: a larger one may be all that another output has. */
static bool take_free(returner *r, loop_buffer_id output)
{
    for (int exact = 1; exact >= 0; exact--)
        for (uint32_t i = 0; i < r->inputs.count; i++) {
            loop_buffer_id input = r->inputs.at[i];
            if (r->taken[input] != LOOP_NO_BUFFER || is_exact(r, output, input) != exact ||
                !suits(r, output, input))
                continue;
            r->taken[input] = output;
            return true;
        }
    return false;
}

/* One that another output has which can go elsewhere. */
static bool take_over(returner *r, loop_buffer_id output)
{
    for (uint32_t i = 0; i < r->inputs.count && r->steps < MOST_STEPS; i++) {
        loop_buffer_id input = r->inputs.at[i], other = r->taken[input];
        r->steps++;
        if (r->seen[input] || other == LOOP_NO_BUFFER || !suits(r, output, input)) continue;
        r->seen[input] = true;
        if (!find_input(r, other)) continue;
        r->taken[input] = output;
        return true;
    }
    return false;
}

static bool find_input(returner *r, loop_buffer_id output)
{
    return take_free(r, output) || take_over(r, output);
}

static bool may_move(const returner *r, loop_buffer_id b)
{
    const loop_buffer *buffer = &r->p->buffers.at[b];
    const sched_life *life = &r->s->lives[b];
    return buffer->kind == LOOP_TEMP && life->root == b && !life->in_arena &&
           r->birth[b] != NEVER && ty_is_host(buffer->device) && !buffer->pinned &&
           sched_output_covering(r->p, b) >= 0;
}

static int by_bytes(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return (x->output > y->output) - (x->output < y->output);
}

int64_t returned_bytes(const sched_schedule *s)
{
    loop_program *p = s->program;
    int64_t sum = 0;
    for (loop_buffer_id b = 0; b < p->buffers.count; b++)
        if (s->lives[b].root == b && s->lives[b].else_in != LOOP_NO_BUFFER)
            sum += sym_usual(p->symbols, lent_bytes(p, b, p->buffers.at[b].elements));
    return sum;
}

int64_t return_in_donated(fuser *f)
{
    loop_program *p = f->p;
    uint32_t count = p->buffers.count + 1;
    returner r = {.s = f->s,
                  .p = p,
                  .birth = NEW_ARRAY(f->memory, uint32_t, count),
                  .first = NEW_ARRAY(f->memory, loop_buffer_id, count),
                  .taken = NEW_ARRAY(f->memory, loop_buffer_id, count),
                  .seen = NEW_ARRAY(f->memory, bool, count)};
    VEC(candidate) outputs = {0};
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) {
        r.birth[b] = NEVER;
        r.first[b] = r.taken[b] = LOOP_NO_BUFFER;
        if (p->buffers.at[b].donated && !sched_donation_fault(p, b))
            vec_push(f->memory, &r.inputs, b);
    }
    if (!r.inputs.count) return 0;
    find_first(&r);
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) {
        if (!may_move(&r, b) || lent_is_late(f->s, b)) continue;
        candidate one = {b, sym_usual(p->symbols, lent_bytes(p, b, p->buffers.at[b].elements))};
        vec_push(f->memory, &outputs, one);
    }
    if (outputs.count) qsort(outputs.at, outputs.count, sizeof *outputs.at, by_bytes);
    int64_t sum = 0;
    for (uint32_t i = 0; i < outputs.count; i++) {
        for (uint32_t k = 0; k < r.inputs.count; k++) r.seen[r.inputs.at[k]] = false;
        if (find_input(&r, outputs.at[i].output)) sum += outputs.at[i].bytes;
    }
    for (uint32_t k = 0; k < r.inputs.count; k++)
        if (r.taken[r.inputs.at[k]] != LOOP_NO_BUFFER)
            f->s->lives[r.taken[r.inputs.at[k]]].else_in = r.inputs.at[k];
    return sum;
}
