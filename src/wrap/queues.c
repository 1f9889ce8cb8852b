/* queues.c -- the two queues of a device: what it computes, and copies from it and to it. Where both reach
 * the same memory, and one writes there, the later line waits for the earlier one: for a mark right behind
 * that. What was in the memory before counts too, since a buffer may lie where another has been; where sizes
 * decide that, it does for all that do not live at once.
 *
 * What the host has waited for is done. Copies are by the end of a part, or of an arm of a region (law W10);
 * kernels that were given before it may be under way, and reach all.
 */
#include "wrap/wrap_priv.h"

typedef struct access {
    uint32_t line; /* from 1 on */
    uint32_t device;
    wrap_queue queue;
    loop_buffer_id buffer;
    bool writes;
} access;
typedef VEC(access) access_list;

typedef struct device_order {
    access_list given[WRAP_QUEUE_COUNT]; /* in the order of the lines */
    /* up to this line the other queue's work is done before what comes */
    uint32_t seen[WRAP_QUEUE_COUNT];
} device_order;

typedef struct ordering {
    const wrap_program *w;
    arena *memory;
    wrap_example example;
    device_order *devices; /* by number */
    access_list now;       /* of the line */
    uint32_t begin;        /* the line that this part, or arm, began with; 0: the program */
    bool *is_touched;      /* by buffer, since it came to life */
} ordering;

/* ---- do two buffers reach the same bytes? ---- */

static bool lie_together(const ordering *o, loop_buffer_id a, loop_buffer_id b)
{
    int64_t at = wrap_example_offset(o->w, &o->example, a),
            other = wrap_example_offset(o->w, &o->example, b);
    return at < other + wrap_example_bytes(o->w, o->w->storage[b].bytes) &&
           other < at + wrap_example_bytes(o->w, o->w->storage[a].bytes);
}

static bool meet(const ordering *o, loop_buffer_id a, loop_buffer_id b)
{
    const wrap_storage *x = &o->w->storage[a], *y = &o->w->storage[b];
    if (x->life.root == y->life.root) {
        wrap_piece one = wrap_piece_of(o->w, a), other = wrap_piece_of(o->w, b);
        return one.at < other.end && other.at < one.end;
    }
    if (!x->life.in_arena || !y->life.in_arena || x->segment != y->segment) return false;
    if (o->w->layouts[x->segment].symbol_count == 0) return lie_together(o, a, b);
    return x->life.death <= y->life.birth || y->life.death <= x->life.birth;
}

/* ---- what a line reaches ---- */

static void reach(ordering *o, uint32_t line, wrap_queue queue, loop_buffer_id id, bool writes)
{
    if (id == LOOP_NO_BUFFER) return;
    uint32_t device = wrap_device_number(o->w, o->w->loops->buffers.at[id].device);
    o->is_touched[id] = true;
    if (device) vec_push(o->memory, &o->now, ((access){line, device, queue, id, writes}));
}

/* Where nobody has said what a kernel writes, it is what has come to life for it. */
static void reach_call(ordering *o, uint32_t line, const wrap_call *call)
{
    for (uint32_t i = 0; i < call->buffer_count; i++) {
        loop_buffer_id id = call->buffers[i];
        bool writes =
            call->is_written ? call->is_written[i] : id != LOOP_NO_BUFFER && !o->is_touched[id];
        reach(o, line, WRAP_KERNELS, id, writes);
    }
}

static void find_accesses(ordering *o, uint32_t line)
{
    const wrap_line *l = &o->w->lines.at[line - 1];
    wrap_queue queue = l->kind == WRAP_COPY ? WRAP_COPIES : WRAP_KERNELS;
    o->now.count = 0;
    if (l->kind == WRAP_ALLOC || l->kind == WRAP_REUSE) o->is_touched[l->buffer] = false;
    if (l->kind != WRAP_KERNEL && l->kind != WRAP_EXTERN && l->kind != WRAP_COPY) return;
    for (uint32_t i = 0; l->op && i < l->op->input_count; i++)
        reach(o, line, queue, l->op->inputs[i].buffer, false);
    for (uint32_t i = 0; l->op && i < l->op->output_count; i++)
        reach(o, line, queue, l->op->outputs[i].buffer, true);
    reach_call(o, line, &l->call);
}

/* ---- what it must be behind ---- */

/* The last line of the other queue that is still to be waited for; 0: none. */
static uint32_t line_before(const ordering *o, const access *a)
{
    const device_order *d = &o->devices[a->device];
    const access_list *others = &d->given[a->queue == WRAP_KERNELS ? WRAP_COPIES : WRAP_KERNELS];
    uint32_t seen = d->seen[a->queue];
    for (uint32_t i = others->count; i-- > 0 && others->at[i].line > seen;)
        if ((a->writes || others->at[i].writes) && meet(o, a->buffer, others->at[i].buffer))
            return others->at[i].line;
    return a->queue == WRAP_COPIES && o->begin > seen ? o->begin : 0;
}

static void see(ordering *o, uint32_t device, wrap_queue queue, uint32_t line)
{
    uint32_t *seen = &o->devices[device].seen[queue];
    if (line > *seen) *seen = line;
}

/* The host has waited for all of the device. */
static void finish(ordering *o, uint32_t device, uint32_t line)
{
    for (wrap_queue q = 0; device && q < WRAP_QUEUE_COUNT; q++) {
        o->devices[device].given[q].count = 0;
        see(o, device, q, line);
    }
}

static void begin_at(ordering *o, uint32_t line)
{
    for (uint32_t k = 1; k <= o->w->devices.count; k++)
        for (wrap_queue q = 0; q < WRAP_QUEUE_COUNT; q++) {
            o->devices[k].given[q].count = 0;
            o->devices[k].seen[q] = 0;
        }
    o->begin = line;
}

/* The host waits for copies from, or to, this buffer of its own. */
static void host_waits(ordering *o, loop_buffer_id id)
{
    for (uint32_t k = 1; k <= o->w->devices.count; k++) {
        const access_list *copies = &o->devices[k].given[WRAP_COPIES];
        for (uint32_t i = copies->count; i-- > 0;) {
            uint32_t line = copies->at[i].line;
            if (wrap_waited_buffer(o->w, o->w->lines.at[line - 1].op) != id) continue;
            see(o, k, WRAP_KERNELS, line);
            break;
        }
    }
}

/* The line has been given to its queues, and what the host waits for in it is done. */
static void pass(ordering *o, uint32_t line)
{
    const wrap_line *l = &o->w->lines.at[line - 1];
    for (uint32_t i = 0; i < o->now.count; i++)
        vec_push(o->memory, &o->devices[o->now.at[i].device].given[o->now.at[i].queue],
                 o->now.at[i]);
    if (wrap_is_control(l->kind) || l->kind == WRAP_PARTITION) begin_at(o, line);
    if (l->kind == WRAP_WAIT) host_waits(o, l->buffer);
    if (l->kind == WRAP_CHECK || l->kind == WRAP_CLEAR)
        finish(o, wrap_device_number(o->w, o->w->loops->buffers.at[l->view->buffer].device), line);
    if (l->kind != WRAP_COPY || wrap_waited_buffer(o->w, l->op) != LOOP_NO_BUFFER) return;
    for (uint32_t i = 0; i < o->now.count; i++) finish(o, o->now.at[i].device, line);
}

static ordering ordering_new(const wrap_program *w, arena *memory)
{
    ordering o = {.w = w,
                  .memory = memory,
                  .devices = NEW_ARRAY(memory, device_order, w->devices.count + 1),
                  .is_touched = NEW_ARRAY(memory, bool, w->loops->buffers.count + 1)};
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++)
        o.is_touched[id] = w->loops->buffers.at[id].kind != LOOP_TEMP;
    if (w->devices.count) wrap_place_example(w, memory, &o.example);
    return o;
}

/* ---- lines ---- */

/* A queue waits, before a line, for a mark that is behind another. */
typedef struct waiting {
    uint32_t before, behind, device, mark;
    wrap_queue queue;
} waiting;
typedef VEC(waiting) waiting_list;

static void find_waiting(ordering *o, waiting_list *out)
{
    for (uint32_t line = 1; line <= o->w->lines.count; line++) {
        find_accesses(o, line);
        for (uint32_t i = 0; i < o->now.count; i++) {
            const access *a = &o->now.at[i];
            uint32_t behind = line_before(o, a);
            if (!behind) continue;
            see(o, a->device, a->queue, behind);
            waiting *last = out->count ? &vec_last(out) : NULL;
            if (last && last->before == line && last->device == a->device) {
                if (behind > last->behind) last->behind = behind;
            } else
                vec_push(o->memory, out, ((waiting){line, behind, a->device, 0, a->queue}));
        }
        pass(o, line);
    }
}

static wrap_line line_of(const wrap_program *w, wrap_kind kind, const waiting *at)
{
    bool is_other = (kind == WRAP_MARK) == (at->queue == WRAP_KERNELS);
    return (wrap_line){.kind = kind,
                       .buffer = LOOP_NO_BUFFER,
                       .old_buffer = LOOP_NO_BUFFER,
                       .input = -1,
                       .dimension = -1,
                       .index = at->mark,
                       .device = w->devices.at[at->device - 1],
                       .queue = is_other ? WRAP_COPIES : WRAP_KERNELS};
}

/* Marks stand behind their line; several may wait for one. */
static void add_marks(wrap_program *w, wrap_line_list *out, uint32_t line, waiting_list *all,
                      uint32_t *next, const uint32_t *first, const uint32_t *following)
{
    for (uint32_t k = first[line]; k; k = following[k]) {
        waiting *at = &all->at[k - 1];
        uint32_t same = first[line];
        while (same != k && all->at[same - 1].device != at->device) same = following[same];
        at->mark = same == k ? (*next)++ : all->at[same - 1].mark;
        if (same == k) vec_push(w->memory, out, line_of(w, WRAP_MARK, at));
    }
}

void wrap_order_queues(wrap_program *w)
{
    if (!w->devices.count) return;
    arena *memory = arena_new(w->session);
    ordering o = ordering_new(w, memory);
    waiting_list all = {0};
    wrap_line_list lines = {0};
    find_waiting(&o, &all);
    uint32_t *first = NEW_ARRAY(memory, uint32_t, w->lines.count + 1),
             *following = NEW_ARRAY(memory, uint32_t, all.count + 1), next = 0, at = 0;
    for (uint32_t k = all.count; k-- > 0;) {
        following[k + 1] = first[all.at[k].behind];
        first[all.at[k].behind] = k + 1;
    }
    for (uint32_t line = 1; all.count && line <= w->lines.count; line++) {
        for (; at < all.count && all.at[at].before == line; at++)
            vec_push(w->memory, &lines, line_of(w, WRAP_AFTER, &all.at[at]));
        vec_push(w->memory, &lines, w->lines.at[line - 1]);
        add_marks(w, &lines, line, &all, &next, first, following);
    }
    if (all.count) w->lines = lines;
    arena_free(memory);
}

/* ---- law W16 ---- */

typedef struct mark_place {
    uint32_t line; /* 0: not yet, in this part */
    ty_device device;
    wrap_queue queue;
} mark_place;

static const char *check_after(ordering *o, const wrap_line *l, const mark_place *mark)
{
    uint32_t device = wrap_device_number(o->w, l->device);
    if (!mark->line || mark->line < o->begin) return "a mark is waited for before it is there";
    if (!ty_same_place(mark->device, l->device) || mark->queue == l->queue)
        return "a mark is not in the other queue of the device";
    see(o, device, l->queue, mark->line);
    return NULL;
}

static const char *check_mark(const ordering *o, uint32_t line, mark_place *marks)
{
    const wrap_line *l = &o->w->lines.at[line - 1];
    if (l->index >= o->w->lines.count) return "a mark has no number that a line could have";
    if (l->kind == WRAP_AFTER) return NULL;
    if (marks[l->index].line) return "two marks have one number";
    marks[l->index] = (mark_place){line, l->device, l->queue};
    return wrap_device_number(o->w, l->device) ? NULL : "a mark is in no queue of a device";
}

const char *wrap_check_queues(const wrap_program *w, arena *memory, uint32_t *line,
                              const char **name)
{
    ordering o = ordering_new(w, memory);
    mark_place *marks = NEW_ARRAY(memory, mark_place, w->lines.count + 1);
    const char *fault = NULL;
    *name = "";
    for (*line = 1; *line <= w->lines.count && !fault; ++*line) {
        const wrap_line *l = &w->lines.at[*line - 1];
        if (l->kind == WRAP_MARK || l->kind == WRAP_AFTER) fault = check_mark(&o, *line, marks);
        if (l->kind == WRAP_AFTER && !fault) fault = check_after(&o, l, &marks[l->index]);
        find_accesses(&o, *line);
        for (uint32_t i = 0; i < o.now.count && !fault; i++) {
            if (!line_before(&o, &o.now.at[i])) continue;
            fault = "memory is reached before the other queue of its device is done with it";
            *name = w->loops->buffers.at[o.now.at[i].buffer].name;
        }
        if (fault) return fault;
        pass(&o, *line);
    }
    return NULL;
}
