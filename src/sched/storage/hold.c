/* hold.c -- what is copied from a device keeps its memory for a while behind the copy, where there is room.
 *
 * The copy is done beside the kernels that are given to the device later. One that takes over the memory
 * which is copied from would have to wait, so that is not free yet, as long as no more of the device's
 * memory is in use than before.
 */
#include "sched/sched_priv.h"

enum { FEW_GROUPS = 4 };

typedef struct holder {
    sched_schedule *s;
    arena *memory;
    int64_t *live; /* by group: of the memory that is looked at */
} holder;

static int64_t bytes_of(const holder *h, loop_buffer_id b)
{
    const loop_program *p = h->s->program;
    int64_t elements = sym_usual(p->symbols, p->buffers.at[b].elements);
    int64_t bytes = elements * (int64_t)ty_dtype_size(p->buffers.at[b].dtype);
    return (bytes + PLAN_ALIGNMENT - 1) / PLAN_ALIGNMENT * PLAN_ALIGNMENT;
}

/* Fills h->live; false where only the run knows a size. */
static bool find_live(holder *h, ty_device device, int64_t *peak)
{
    const loop_program *p = h->s->program;
    uint32_t groups = h->s->groups.count;
    sched_life *roots = NEW_ARRAY(h->memory, sched_life, p->buffers.count + 1);
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) {
        const sched_life *life = &h->s->lives[b];
        sched_life *root = &roots[life->root];
        if (!life->in_arena || life->birth >= life->death ||
            !ty_same_place(p->buffers.at[life->root].device, device))
            continue;
        if (!sym_is_int(p->symbols, p->buffers.at[life->root].elements, NULL)) return false;
        if (!root->in_arena || life->birth < root->birth) root->birth = life->birth;
        if (life->death > root->death) root->death = life->death;
        root->in_arena = true;
    }
    for (uint32_t g = 0; g < groups; g++) h->live[g] = 0;
    for (loop_buffer_id b = 0; b < p->buffers.count; b++)
        for (uint32_t g = roots[b].birth; g < roots[b].death && g < groups; g++)
            h->live[g] += bytes_of(h, b);
    *peak = 0;
    for (uint32_t g = 0; g < groups; g++)
        if (h->live[g] > *peak) *peak = h->live[g];
    return true;
}

/* What the copy reads and few others read behind it, all of its memory; LOOP_NO_BUFFER: there is no such
 * thing. */
static loop_buffer_id soon_free(const holder *h, const bool *is_shared, uint32_t g)
{
    const loop_program *p = h->s->program;
    const sched_group *group = &h->s->groups.at[g];
    if (group->kind != SCHED_EXTERN) return LOOP_NO_BUFFER;
    const loop_op *op = &p->ops.at[group->extern_op];
    int64_t waits_not = 0;
    if (!loop_moves(p, op) || !loop_known_int(p, op, "waits_not", &waits_not) || !waits_not)
        return LOOP_NO_BUFFER;
    loop_buffer_id from = op->inputs[0].buffer;
    const sched_life *life = &h->s->lives[from];
    bool is_own = !ty_is_host(p->buffers.at[from].device) && life->in_arena && !is_shared[from];
    return is_own && life->death > g && life->death - g <= FEW_GROUPS ? from : LOOP_NO_BUFFER;
}

/* Buffers whose memory is another's too, or becomes it. */
static bool *find_shared(const holder *h)
{
    const sched_schedule *s = h->s;
    bool *is_shared = NEW_ARRAY(h->memory, bool, s->program->buffers.count + 1);
    for (loop_buffer_id b = 0; b < s->program->buffers.count; b++)
        if (s->lives[b].root != b) is_shared[b] = is_shared[s->lives[b].root] = true;
    for (uint32_t g = 0; g < s->groups.count; g++)
        for (uint32_t i = 0; i < s->groups.at[g].reuse_count; i++)
            is_shared[s->groups.at[g].reuses[i].from] = is_shared[s->groups.at[g].reuses[i].to] =
                true;
    return is_shared;
}

static void hold(holder *h, ty_device device, const bool *is_shared)
{
    const loop_program *p = h->s->program;
    uint32_t groups = h->s->groups.count;
    int64_t peak;
    if (!find_live(h, device, &peak)) return;
    for (uint32_t g = 0; g < groups; g++) {
        loop_buffer_id from = soon_free(h, is_shared, g);
        if (from == LOOP_NO_BUFFER || !ty_same_place(p->buffers.at[from].device, device)) continue;
        sched_life *life = &h->s->lives[from];
        int64_t bytes = bytes_of(h, from);
        while (life->death < groups && h->s->groups.at[life->death].kind != SCHED_CONTROL &&
               h->live[life->death] + bytes <= peak)
            h->live[life->death++] += bytes;
    }
}

fe_status hold_sources(fuser *f)
{
    sched_schedule *s = f->s;
    const loop_program *p = s->program;
    if (!f->arrivals) return FE_OK;
    holder h = {.s = s, .memory = arena_new(p->session)};
    h.live = NEW_ARRAY(h.memory, int64_t, s->groups.count + 1);
    const bool *is_shared = find_shared(&h);
    sched_life *before = NEW_ARRAY(h.memory, sched_life, p->buffers.count + 1);
    VEC(ty_device) seen = {0};
    int64_t bytes, held;
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) before[b] = s->lives[b];
    fe_status status = arena_bytes_of(s, &bytes);
    for (loop_buffer_id b = 0; b < p->buffers.count && status == FE_OK; b++) {
        ty_device device = p->buffers.at[b].device;
        uint32_t k = 0;
        while (k < seen.count && !ty_same_place(seen.at[k], device)) k++;
        if (ty_is_host(device) || k < seen.count) continue;
        vec_push(h.memory, &seen, device);
        hold(&h, device, is_shared);
    }
    if (status == FE_OK) status = arena_bytes_of(s, &held);
    if (status == FE_OK && held > bytes)
        for (loop_buffer_id b = 0; b < p->buffers.count; b++) s->lives[b] = before[b];
    arena_free(h.memory);
    return status;
}
