/* lent.c -- which inputs' memory may be used for other things, and the verifier of law S9: what lies
 * there, and in the memory of outputs, keeps to it. It trusts nothing that lend.c concluded.
 */
#include "sched/sched_priv.h"

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
    if (b->device.kind != TY_CPU) return "it is not in the memory of the host";
    if (!is_dense(p, b)) return "its strides leave gaps, which are not its own";
    for (uint32_t k = 0; k < p->outputs.count; k++)
        if (p->outputs.at[k].kind == LOOP_OUT_TENSOR && p->outputs.at[k].view.buffer == input)
            return "an output is a view of it";
    for (uint32_t k = 0; k < p->ops.count; k++) {
        if (writes(&p->ops.at[k], input)) return "the program changes it in place";
        if (crosses_devices(p, &p->ops.at[k], input)) return "it is copied to another device";
    }
    return NULL;
}

/* ---- S9 ---- */

/* What takes turns in one piece of the memory: buffers that hand it on, and wholes with their parts. */
typedef struct tenant {
    loop_buffer_id last; /* where handing on ends */
    uint32_t birth, death;
    sym_expr begin, end; /* bytes of the input's memory */
} tenant;
typedef VEC(tenant) tenant_list;

static loop_buffer_id last_of(const sched_schedule *s, const loop_buffer_id *heir, loop_buffer_id b)
{
    for (;;) {
        const loop_part *part = s->program->buffers.at[b].part;
        if (!part && heir[b] == LOOP_NO_BUFFER) return b;
        b = part ? part->whole : heir[b];
    }
}

static sym_expr bytes_of(const loop_program *p, loop_buffer_id b, sym_expr elements)
{
    return sym_mul_int(p->symbols, elements, ty_dtype_size(p->buffers.at[b].dtype));
}

static uint32_t alignment(ty_dtype d)
{
    return ty_dtype_size(d) / (ty_is_complex(d) ? 2 : 1);
}

static const char *check_tenant(const sched_schedule *s, const loop_buffer_id *heir,
                                loop_buffer_id b)
{
    loop_program *p = s->program;
    const sched_life *life = &s->lives[b];
    loop_buffer_id host = life->root;
    bool is_input = p->buffers.at[host].kind == LOOP_INPUT;
    sym_expr begin = sched_place(s, b), end = sym_add(p->symbols, begin, p->buffers.at[b].elements);
    const char *fault = is_input ? sched_donation_fault(p, host) : NULL;
    if (fault) return fault;
    if (last_of(s, heir, b) == host) return NULL; /* it hands on to the output: law S6 */
    if (p->buffers.at[b].pinned || p->buffers.at[b].device.kind != TY_CPU)
        return "it lies in what the caller gives and should be elsewhere";
    if (alignment(p->buffers.at[b].dtype) > alignment(p->buffers.at[host].dtype))
        return "the memory that it lies in is not aligned for it";
    if (!sym_known_less_equal(p->symbols, bytes_of(p, b, end),
                              bytes_of(p, host, p->buffers.at[host].elements), NULL))
        return "it is not inside the memory that it lies in";
    if (is_input && life->birth < s->lives[host].death && heir[host] != b)
        return "it overwrites an input that is read later";
    return NULL;
}

static void add_tenant(const sched_schedule *s, const loop_buffer_id *heir, loop_buffer_id b,
                       tenant_list *list, arena *memory)
{
    const loop_program *p = s->program;
    const sched_life *life = &s->lives[b];
    loop_buffer_id last = last_of(s, heir, b);
    sym_expr place = sched_place(s, last);
    tenant t = {last, life->birth, life->death, bytes_of(p, last, place),
                bytes_of(p, last, sym_add(p->symbols, place, p->buffers.at[last].elements))};
    for (uint32_t i = 0; i < list->count; i++) {
        tenant *have = &list->at[i];
        if (have->last != last) continue;
        if (t.birth < have->birth) have->birth = t.birth;
        if (t.death > have->death) have->death = t.death;
        return;
    }
    vec_push(memory, list, t);
}

static bool meet(loop_program *p, const tenant *a, const tenant *b)
{
    return a->birth < b->death && b->birth < a->death &&
           !sym_known_less_equal(p->symbols, a->end, b->begin, NULL) &&
           !sym_known_less_equal(p->symbols, b->end, a->begin, NULL);
}

const char *check_lent(const sched_schedule *s, const loop_buffer_id *heir, arena *memory,
                       loop_buffer_id *culprit)
{
    loop_program *p = s->program;
    tenant_list *of = NEW_ARRAY(memory, tenant_list, p->buffers.count + 1);
    bool *has_others = NEW_ARRAY(memory, bool, p->buffers.count + 1);
    for (loop_buffer_id b = 0; b < p->buffers.count; b++)
        has_others[s->lives[b].root] |= last_of(s, heir, b) != s->lives[b].root;
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) {
        loop_buffer_id root = s->lives[b].root;
        bool is_input = p->buffers.at[root].kind == LOOP_INPUT;
        if (is_input ? root == b : s->lives[root].in_arena || !has_others[root]) continue;
        *culprit = b;
        const char *fault = check_tenant(s, heir, b);
        if (fault) return fault;
        if (s->lives[b].birth < s->lives[b].death) add_tenant(s, heir, b, &of[root], memory);
        for (uint32_t i = 0; i < of[root].count; i++)
            for (uint32_t k = 0; k < i; k++)
                if (meet(p, &of[root].at[i], &of[root].at[k]))
                    return "two buffers that live at once lie in the same bytes";
    }
    return NULL;
}
