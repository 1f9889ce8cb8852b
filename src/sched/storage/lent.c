/* lent.c -- which inputs' memory may be used for other things, and the verifier of law S9: what lies
 * there, and in the memory of outputs, keeps to it. It trusts nothing that lend.c concluded.
 */
#include "sched/sched_priv.h"

#include <stdlib.h>

/* ---- which inputs ---- */

static bool writes(const loop_op *op, loop_buffer_id b)
{
    for (uint32_t i = 0; i < op->store_count; i++)
        if (op->stores[i].buffer == b) return true;
    for (uint32_t i = 0; i < op->output_count; i++)
        if (op->outputs[i].buffer == b) return true;
    return false;
}

static bool crosses_devices(const loop_program *p, const loop_op *op, loop_buffer_id b)
{
    return op->kind == LOOP_EXTERN && loop_moves(p, op) && op->inputs[0].buffer == b;
}

/* Between elements may be somebody else's. */
static bool is_dense(loop_program *p, const loop_buffer *b)
{
    ty_tensor t = {.dtype = b->dtype,
                   .rank = b->rank,
                   .sizes = (sym_expr *)b->sizes,
                   .strides = (sym_expr *)b->strides,
                   .offset = sym_int(p->symbols, 0)};
    return ty_is_non_overlapping_and_dense(p->symbols, &t) &&
           sym_known_equal(p->symbols, ty_numel(p->symbols, &t), b->elements);
}

const char *sched_donation_fault(loop_program *p, loop_buffer_id input)
{
    const loop_buffer *b = &p->buffers.at[input];
    if (b->kind != LOOP_INPUT) return "it is no tensor of the caller's";
    if (!ty_is_host(b->device)) return "it is not in the memory of the host";
    if (!is_dense(p, b)) return "its strides leave gaps, which are not its own";
    for (uint32_t k = 0; k < p->inputs.count; k++)
        if (p->inputs.at[k].taken && (p->inputs.at[k].of == b->input || k == b->input))
            return "the storage that it lies in is read from its start";
    for (uint32_t k = 0; k < p->outputs.count; k++)
        if (p->outputs.at[k].kind == LOOP_OUT_TENSOR && p->outputs.at[k].view.buffer == input)
            return "an output is a view of it";
    for (uint32_t k = 0; k < p->ops.count; k++) {
        if (writes(&p->ops.at[k], input)) return "the program changes it in place";
        if (crosses_devices(p, &p->ops.at[k], input)) return "it is copied to another device";
    }
    return NULL;
}

/* Whoever runs a part is given what it uses, and memory that others use meanwhile is not said. */
bool sched_is_cut(const loop_program *p)
{
    for (uint32_t k = 0; k < p->ops.count; k++)
        if (p->ops.at[k].kind == LOOP_CONTROL && p->ops.at[k].control == LOOP_PARTITION)
            return true;
    return false;
}

typedef struct late_search {
    const sym_table *symbols;
    bool found;
} late_search;

static void look_for_unbacked(void *data, sym_expr symbol)
{
    late_search *search = data;
    search->found |= sym_kind_of(search->symbols, symbol) == SYM_UNBACKED;
}

bool lent_is_late(const sched_schedule *s, loop_buffer_id b)
{
    late_search search = {s->program->symbols, false};
    sym_each_symbol(search.symbols, s->program->buffers.at[b].elements, look_for_unbacked, &search);
    sym_each_symbol(search.symbols, sched_place(s, b), look_for_unbacked, &search);
    return search.found;
}

/* ---- S9 ---- */

/* What takes turns in one piece of the memory: buffers that hand it on, and wholes with their parts. */
typedef struct resident {
    loop_buffer_id last; /* where handing on ends */
    loop_buffer_id newest;
    uint32_t birth, death;
    sym_expr begin, end; /* bytes of the input's memory */
} resident;
typedef VEC(resident) resident_list;

static loop_buffer_id last_of(const sched_schedule *s, const loop_buffer_id *heir, loop_buffer_id b)
{
    for (;;) {
        const loop_part *part = s->program->buffers.at[b].part;
        if (!part && heir[b] == LOOP_NO_BUFFER) return b;
        b = part ? part->whole : heir[b];
    }
}

sym_expr lent_bytes(const loop_program *p, loop_buffer_id b, sym_expr elements)
{
    return sym_mul_int(p->symbols, elements, ty_dtype_size(p->buffers.at[b].dtype));
}

/* Whose memory it lies in, or may lie in: that is where it meets most. */
static loop_buffer_id owner_of(const sched_schedule *s, loop_buffer_id b)
{
    loop_buffer_id lender = sched_lender(s->program, s->lives, b);
    return lender == LOOP_NO_BUFFER ? s->lives[b].root : lender;
}

/* In that of an input. */
static bool overwrites_unread(const sched_schedule *s, const loop_buffer_id *heir, loop_buffer_id b,
                              loop_buffer_id owner)
{
    const sched_life *life = &s->lives[b];
    if (life->birth >= s->lives[owner].death || heir[owner] == b) return false;
    return life->root == owner || !may_return_in(s, b, life->birth, owner);
}

static const char *check_resident(const sched_schedule *s, const loop_buffer_id *heir,
                                  loop_buffer_id b)
{
    loop_program *p = s->program;
    const sched_life *life = &s->lives[b];
    loop_buffer_id owner = owner_of(s, b);
    bool is_input = p->buffers.at[owner].kind == LOOP_INPUT;
    sym_expr begin = sched_place(s, b), end = sym_add(p->symbols, begin, p->buffers.at[b].elements);
    const char *fault = is_input ? sched_donation_fault(p, owner) : NULL;
    if (fault) return fault;
    if (last_of(s, heir, b) == owner) return NULL; /* it hands on to the output: law S6 */
    if (p->buffers.at[b].pinned || !ty_is_host(p->buffers.at[b].device))
        return "it lies in what the caller gives and should be elsewhere";
    if (ty_dtype_alignment(p->buffers.at[b].dtype) > ty_dtype_alignment(p->buffers.at[owner].dtype))
        return "the memory that it lies in is not aligned for it";
    if (!sym_known_less_equal(p->symbols, lent_bytes(p, b, end),
                              lent_bytes(p, owner, p->buffers.at[owner].elements), NULL))
        return "it is not inside the memory that it lies in";
    if (is_input && life->birth < life->death && overwrites_unread(s, heir, b, owner))
        return "it overwrites an input that is read later";
    return NULL;
}

/* By owner: what lies in its memory. */
typedef struct residency {
    const sched_schedule *s;
    const loop_buffer_id *heir;
    arena *memory;
    resident_list *of;
    uint32_t *place; /* by the buffer where handing on ends: its number in the list, from 1 */
} residency;

static void add_resident(residency *y, loop_buffer_id b)
{
    const sched_schedule *s = y->s;
    const loop_program *p = s->program;
    const sched_life *life = &s->lives[b];
    resident_list *list = &y->of[owner_of(s, b)];
    loop_buffer_id last = last_of(s, y->heir, b);
    if (y->place[last]) {
        resident *have = &list->at[y->place[last] - 1];
        have->newest = b;
        if (life->birth < have->birth) have->birth = life->birth;
        if (life->death > have->death) have->death = life->death;
        return;
    }
    sym_expr place = sched_place(s, last);
    resident t = {last,
                  b,
                  life->birth,
                  life->death,
                  lent_bytes(p, last, place),
                  lent_bytes(p, last, sym_add(p->symbols, place, p->buffers.at[last].elements))};
    vec_push(y->memory, list, t);
    y->place[last] = list->count;
}

static int by_birth(const void *a, const void *b)
{
    const resident *x = a, *y = b;
    return (x->birth > y->birth) - (x->birth < y->birth);
}

static bool meet(loop_program *p, const resident *a, const resident *b)
{
    return a->birth < b->death && b->birth < a->death &&
           !sym_known_less_equal(p->symbols, a->end, b->begin, NULL) &&
           !sym_known_less_equal(p->symbols, b->end, a->begin, NULL);
}

/* Do two residents live at once in the same bytes? They are met in the order of their births, each with
 * those that still live. */
static bool any_meet(residency *y, resident_list *list, loop_buffer_id *culprit)
{
    VEC(const resident *) alive = {0};
    if (list->count) qsort(list->at, list->count, sizeof *list->at, by_birth);
    for (uint32_t i = 0; i < list->count; i++) {
        const resident *t = &list->at[i];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < alive.count; k++) {
            const resident *other = alive.at[k];
            if (other->death <= t->birth) continue;
            alive.at[kept++] = other;
            if (!meet(y->s->program, t, other)) continue;
            *culprit = t->newest > other->newest ? t->newest : other->newest;
            return true;
        }
        alive.count = kept;
        vec_push(y->memory, &alive, t);
    }
    return false;
}

/* Are two outputs to begin in one input, or is it no output that is to? */
static const char *check_return(const sched_schedule *s, loop_buffer_id b, bool *is_taken)
{
    const sched_life *life = &s->lives[b];
    loop_buffer_id input = life->else_in;
    if (input == LOOP_NO_BUFFER) return NULL;
    if (!s->program->buffers.at[input].donated) return "it lies in an input that is not donated";
    if (life->root != b || life->in_arena || sched_output_covering(s->program, b) < 0)
        return "it lies in an input and is no output";
    if (is_taken[input]) return "two outputs lie in one input";
    is_taken[input] = true;
    return NULL;
}

const char *check_lent(const sched_schedule *s, const loop_buffer_id *heir, arena *memory,
                       loop_buffer_id *culprit)
{
    loop_program *p = s->program;
    uint32_t count = p->buffers.count;
    residency y = {s, heir, memory, NEW_ARRAY(memory, resident_list, count + 1),
                   NEW_ARRAY(memory, uint32_t, count + 1)};
    bool *has_others = NEW_ARRAY(memory, bool, count + 1),
         *is_taken = NEW_ARRAY(memory, bool, count + 1);
    for (loop_buffer_id b = 0; b < count; b++)
        has_others[s->lives[b].root] |= last_of(s, heir, b) != s->lives[b].root;
    for (loop_buffer_id b = 0; b < count; b++) {
        loop_buffer_id root = s->lives[b].root, owner = owner_of(s, b);
        bool is_input = p->buffers.at[owner].kind == LOOP_INPUT;
        *culprit = b;
        const char *fault = check_return(s, b, is_taken);
        if (fault) return fault;
        if (is_input ? owner == b : s->lives[root].in_arena || !has_others[root]) continue;
        fault = check_resident(s, heir, b);
        if (fault) return fault;
        if (s->lives[b].birth < s->lives[b].death) add_resident(&y, b);
    }
    for (loop_buffer_id b = 0; b < count; b++)
        if (any_meet(&y, &y.of[b], culprit))
            return "two buffers that live at once lie in the same bytes";
    return NULL;
}
