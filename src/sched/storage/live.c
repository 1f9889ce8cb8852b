/* live.c -- which buffers stay inside a kernel, which share memory, and how long each lives. */
#include "sched/sched_priv.h"

/* ---- who uses what ---- */

typedef struct walk_state {
    fuser *f;
    usage *u;
    uint32_t position;
} walk_state;

static void touch(walk_state *w, loop_buffer_id b)
{
    if (b == LOOP_NO_BUFFER) return;
    usage *u = w->u;
    if (u->last_use[b] == NEVER) {
        u->only_group[b] = w->position;
        u->first_use[b] = w->position;
    } else if (u->only_group[b] != w->position)
        u->only_group[b] = NEVER;
    u->last_use[b] = w->position;
}

static void touch_load(void *data, loop_value v)
{
    walk_state *w = data;
    const loop_node *n = loop_at(w->f->p, v);
    if (n->op == LOOP_LOAD) touch(w, n->buffer);
}

static void touch_op(walk_state *w, const loop_op *op)
{
    for (uint32_t i = 0; i < op->store_count; i++) {
        loop_each_store_node(w->f->p, &op->stores[i], touch_load, w);
        touch(w, op->stores[i].buffer);
    }
    for (uint32_t i = 0; i < op->input_count; i++) touch(w, op->inputs[i].buffer);
    for (uint32_t i = 0; i < op->output_count; i++) touch(w, op->outputs[i].buffer);
}

/* ---- regions ---- */

/* A repeat of groups begin..end and the one around it. */
typedef struct repeat {
    uint32_t begin, end, around;
} repeat;

typedef struct repeat_list {
    VEC(repeat) all;
    uint32_t *innermost; /* by group; NEVER: in none */
} repeat_list;

static void find_repeats(fuser *f, repeat_list *out)
{
    VEC(uint32_t) open = {0}; /* NEVER for an if */
    uint32_t now = NEVER;
    *out = (repeat_list){.innermost = NEW_ARRAY(f->memory, uint32_t, f->s->groups.count + 1)};
    for (uint32_t g = 0; g < f->s->groups.count; g++) {
        const sched_group *group = &f->s->groups.at[g];
        loop_control what = LOOP_CONTROL_COUNT;
        if (group->kind == SCHED_CONTROL) what = f->p->ops.at[group->extern_op].control;
        if (what == LOOP_REPEAT || what == LOOP_IF) {
            vec_push(f->memory, &open, what == LOOP_REPEAT ? out->all.count : NEVER);
            if (what == LOOP_REPEAT) {
                vec_push(f->memory, &out->all, (repeat){g, g, now});
                now = vec_last(&open);
            }
        }
        out->innermost[g] = now;
        if (what != LOOP_END) continue;
        uint32_t ended = open.at[--open.count];
        if (ended == NEVER) continue;
        out->all.at[ended].end = g;
        now = out->all.at[ended].around;
    }
}

/* The next step reads again what the last one has read: up to the end of a repeat is used what was
 * used before it. */
static void use_through_repeats(fuser *f, usage *u)
{
    repeat_list repeats;
    find_repeats(f, &repeats);
    for (loop_buffer_id b = 0; repeats.all.count && b < f->p->buffers.count; b++) {
        if (u->last_use[b] == NEVER) continue;
        uint32_t r = repeats.innermost[u->last_use[b]];
        for (; r != NEVER && repeats.all.at[r].begin >= u->first_use[b];
             r = repeats.all.at[r].around)
            u->last_use[b] = repeats.all.at[r].end;
    }
}

/* ---- parts ---- */

/* Whoever runs a part has all that it is given until it ends, and room for all that it gives from
 * the beginning, unless sizes are only found out in it. */
typedef struct part_list {
    uint32_t *begin; /* by group: the partition it is in; NEVER: in none */
    uint32_t *last;  /* by group: the last of that */
    map definitions; /* symbols -> the group that defines them */
} part_list;

static bool find_parts(fuser *f, part_list *out)
{
    uint32_t now = NEVER, count = f->s->groups.count;
    *out = (part_list){.begin = NEW_ARRAY(f->memory, uint32_t, count + 1),
                       .last = NEW_ARRAY(f->memory, uint32_t, count + 1)};
    for (uint32_t g = 0; g < count; g++) {
        const sched_group *group = &f->s->groups.at[g];
        const loop_op *op = group->kind == SCHED_KERNEL ? NULL : &f->p->ops.at[group->extern_op];
        if (group->kind == SCHED_DEFINE) map_set(f->memory, &out->definitions, op->symbol.id, g);
        if (group->kind == SCHED_CONTROL && op->control == LOOP_PARTITION) now = g;
        out->begin[g] = now;
    }
    for (uint32_t g = count; g-- > 0;)
        out->last[g] = g + 1 < count && out->begin[g + 1] == out->begin[g] ? out->last[g + 1] : g;
    return now != NEVER;
}

static void use_through_parts(fuser *f, usage *u)
{
    part_list parts;
    if (!find_parts(f, &parts)) return;
    for (loop_buffer_id b = 0; b < f->p->buffers.count; b++) {
        if (u->last_use[b] == NEVER) continue;
        uint32_t born = parts.begin[u->first_use[b]], dies = parts.begin[u->last_use[b]];
        if (born == NEVER || (born == dies && !f->is_output[b])) continue;
        if (room_is_known(f->p, &parts.definitions, b, born)) u->first_use[b] = born;
        if (born != dies) u->last_use[b] = parts.last[u->last_use[b]];
    }
}

/* ---- uses ---- */

static usage collect_usage(fuser *f)
{
    uint32_t buffers = f->p->buffers.count + 1;
    usage u = {NEW_ARRAY(f->memory, uint32_t, buffers), NEW_ARRAY(f->memory, uint32_t, buffers),
               NEW_ARRAY(f->memory, uint32_t, buffers)};
    for (uint32_t b = 0; b < buffers; b++) u.first_use[b] = u.last_use[b] = u.only_group[b] = NEVER;
    walk_state w = {f, &u, 0};
    for (uint32_t g = 0; g < f->s->groups.count; g++) {
        const sched_group *group = &f->s->groups.at[g];
        w.position = g;
        if (group->kind != SCHED_KERNEL) touch_op(&w, &f->p->ops.at[group->extern_op]);
        for (uint32_t ph = 0; ph < group->phase_count; ph++)
            for (uint32_t i = 0; i < group->phases[ph].nest_count; i++)
                touch_op(&w, &group->phases[ph].nests[i].nest);
    }
    for (loop_buffer_id b = 0; b < f->p->buffers.count; b++) /* is there from the beginning */
        if (f->p->buffers.at[b].donated && u.last_use[b] != NEVER) u.first_use[b] = 0;
    use_through_repeats(f, &u);
    use_through_parts(f, &u);
    return u;
}

/* ---- outputs ---- */

/* Does the view reach over so many elements? Where one stands in several places it may not. */
static bool reaches(const loop_program *p, const loop_view *v, sym_expr elements)
{
    sym_expr reach = ty_reach(p->symbols, v->rank, v->sizes, v->strides);
    return sym_same(elements, sym_int(p->symbols, 0)) ||
           sym_known_less_equal(p->symbols, elements, reach, NULL);
}

int sched_output_covering(const loop_program *p, loop_buffer_id id)
{
    for (uint32_t k = 0; k < p->outputs.count; k++) {
        const loop_output *o = &p->outputs.at[k];
        if (o->kind != LOOP_OUT_TENSOR || o->view.buffer != id) continue;
        sym_expr numel = sym_product(p->symbols, o->view.sizes, o->view.rank);
        if (sym_same(o->view.offset, sym_int(p->symbols, 0)) &&
            sym_same(numel, p->buffers.at[id].elements) && reaches(p, &o->view, numel))
            return (int)k;
    }
    return -1;
}

static void mark_outputs(fuser *f)
{
    f->is_output = NEW_ARRAY(f->memory, bool, f->p->buffers.count + 1);
    for (uint32_t k = 0; k < f->p->outputs.count; k++)
        if (f->p->outputs.at[k].kind == LOOP_OUT_TENSOR)
            f->is_output[f->p->outputs.at[k].view.buffer] = true;
}

/* ---- lifetimes ---- */

static void own_lives(fuser *f, const usage *u)
{
    const loop_program *p = f->p;
    bool *local = NEW_ARRAY(f->memory, bool, p->buffers.count + 1);
    for (uint32_t g = 0; g < f->s->groups.count; g++)
        for (uint32_t i = 0; i < f->s->groups.at[g].local_count; i++)
            local[f->s->groups.at[g].locals[i]] = true;
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) {
        sched_life *life = &f->s->lives[b];
        life->root = b;
        life->else_in = LOOP_NO_BUFFER;
        if (u->last_use[b] != NEVER) {
            life->birth = u->first_use[b];
            life->death = u->last_use[b] + 1;
        }
        if (f->is_output[b]) life->death = f->s->groups.count + 1; /* read after the last group */
        life->in_arena = p->buffers.at[b].kind == LOOP_TEMP && !local[b] && u->last_use[b] != NEVER;
    }
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) /* of some only the parts are used */
        for (loop_buffer_id up = b; p->buffers.at[up].part;) {
            up = p->buffers.at[up].part->whole;
            f->s->lives[up].in_arena |= f->s->lives[b].in_arena;
        }
}

/* Follows the roots of b up to the last, adding up places; all on the way then point to it. */
static void settle_root(sym_table *t, sched_life *lives, loop_buffer_id b, arena *memory)
{
    VEC(loop_buffer_id) path = {0};
    for (; lives[b].root != b; b = lives[b].root) vec_push(memory, &path, b);
    for (uint32_t i = path.count; i-- > 0;) {
        sched_life *life = &lives[path.at[i]], *next = &lives[life->root];
        if (next->root == life->root) continue; /* the last but one */
        if (!sym_is_none(next->place))
            life->place =
                sym_is_none(life->place) ? next->place : sym_add(t, life->place, next->place);
        life->root = next->root;
    }
}

/* A part lies in its whole; else the last heir's memory is everyone's: it may be that of an output.
 */
static void find_roots(fuser *f)
{
    sched_life *lives = f->s->lives;
    int64_t start;
    for (uint32_t g = 0; g < f->s->groups.count; g++) {
        const sched_group *group = &f->s->groups.at[g];
        for (uint32_t i = 0; i < group->reuse_count; i++)
            lives[group->reuses[i].from].root = group->reuses[i].to;
    }
    for (loop_buffer_id b = 0; b < f->p->buffers.count; b++) {
        const loop_part *part = f->p->buffers.at[b].part;
        if (!part) continue;
        lives[b].root = part->whole;
        if (!sym_is_int(f->p->symbols, part->at, &start) || start != 0) lives[b].place = part->at;
    }
    for (loop_buffer_id b = 0; b < f->p->buffers.count; b++)
        settle_root(f->p->symbols, lives, b, f->memory);
}

/* What a whole's readers read is in its parts. A whole that only its parts write is born with its
 * first reader. */
static void keep_parts(fuser *f)
{
    sched_life *lives = f->s->lives;
    for (loop_buffer_id b = 0; b < f->p->buffers.count; b++)
        for (loop_buffer_id up = b; f->p->buffers.at[up].part;) {
            up = f->p->buffers.at[up].part->whole;
            if (lives[up].death > lives[b].death) lives[b].death = lives[up].death;
        }
}

sym_expr sched_place(const sched_schedule *s, loop_buffer_id b)
{
    sym_expr place = s->lives[b].place;
    return sym_is_none(place) ? sym_int(s->program->symbols, 0) : place;
}

void live_build(fuser *f)
{
    loop_program *p = f->p;
    sched_schedule *s = f->s;
    mark_outputs(f);
    usage u = collect_usage(f);
    find_locals(f, &u);
    share_memory(f, &u);
    s->lives = NEW_ARRAY(s->memory, sched_life, p->buffers.count + 1);
    own_lives(f, &u);
    keep_parts(f);
    find_roots(f);
    for (loop_buffer_id b = 0; b < p->buffers.count; b++)
        if (f->is_output[b] && s->lives[b].root == b && sched_output_covering(p, b) >= 0)
            s->lives[b].in_arena = false;
    for (loop_buffer_id b = 0; b < p->buffers.count; b++)
        if (s->lives[b].root != b) s->lives[b].in_arena = s->lives[s->lives[b].root].in_arena;
}

/* ---- intervals ---- */

/* Is it known which bytes of its root the buffer lies on, if only the size of the root is? */
static bool is_piece_placed(const sched_schedule *s, loop_buffer_id b)
{
    const loop_program *p = s->program;
    int64_t n;
    return !sym_is_int(p->symbols, p->buffers.at[s->lives[b].root].elements, &n) ||
           (sym_is_int(p->symbols, p->buffers.at[b].elements, &n) &&
            sym_is_int(p->symbols, sched_place(s, b), &n));
}

/* Does something lie in this root's memory that is only a piece of it, and may be planned as one? */
static bool *pieced_roots(const sched_schedule *s, arena *memory)
{
    const loop_program *p = s->program;
    bool *is_pieced = NEW_ARRAY(memory, bool, p->buffers.count + 1);
    for (loop_buffer_id b = 0; b < p->buffers.count; b++)
        if (p->buffers.at[b].part) is_pieced[s->lives[b].root] = true;
    for (loop_buffer_id b = 0; b < p->buffers.count; b++)
        if (!is_piece_placed(s, b)) is_pieced[s->lives[b].root] = false;
    return is_pieced;
}

static bool interval_of(const sched_schedule *s, loop_buffer_id b, plan_buffer *out)
{
    const loop_buffer *buffer = &s->program->buffers.at[b];
    int64_t width = ty_dtype_size(buffer->dtype),
            elements = sym_usual(s->program->symbols, buffer->elements);
    if (!s->lives[b].in_arena) return false;
    if (elements < 0) elements = 0;
    *out = (plan_buffer){.size = elements * width,
                         .birth = (int32_t)s->lives[b].birth,
                         .death = (int32_t)s->lives[b].death};
    return true;
}

/* Buffers that hand all their memory on have one interval; those that share it in pieces have one
 * each, in a group. */
uint32_t sched_intervals(const sched_schedule *s, plan_buffer **intervals, loop_buffer_id **owners,
                         arena *memory)
{
    const loop_program *p = s->program;
    uint32_t count = 0;
    uint32_t *index = NEW_ARRAY(memory, uint32_t, p->buffers.count + 1);
    const bool *is_pieced = pieced_roots(s, memory);
    *intervals = NEW_ARRAY(memory, plan_buffer, p->buffers.count + 1);
    *owners = NEW_ARRAY(memory, loop_buffer_id, p->buffers.count + 1);
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) {
        loop_buffer_id root = s->lives[b].root;
        index[b] = UINT32_MAX;
        if ((!is_pieced[root] && root != b) || !interval_of(s, b, &(*intervals)[count])) continue;
        if (is_pieced[root]) {
            int64_t place = sym_usual(p->symbols, sched_place(s, b));
            (*intervals)[count].group = root + 1;
            (*intervals)[count].group_offset = place * ty_dtype_size(p->buffers.at[b].dtype);
        }
        index[b] = count;
        (*owners)[count++] = b;
    }
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) {
        const sched_life *life = &s->lives[b];
        if (!life->in_arena || is_pieced[life->root] || index[life->root] == UINT32_MAX) continue;
        plan_buffer *interval = &(*intervals)[index[life->root]];
        if ((int32_t)life->birth < interval->birth) interval->birth = (int32_t)life->birth;
        if ((int32_t)life->death > interval->death) interval->death = (int32_t)life->death;
    }
    return count;
}
