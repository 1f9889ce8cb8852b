/* delayed.c -- a device of one's own (ferrite_device.h): memory that the host cannot touch, and work that is
 * done as late as it may be.
 *
 *     cc -shared -fPIC -I include examples/device/delayed.c -o delayed.so
 *     ferrite run model.pt2 --device privateuseone --devices ./delayed.so
 *
 * It runs kernels on the CPU, compiled by `cc`, and is made to find mistakes rather than to be fast: nothing
 * in a queue is done before somebody waits for it; then it is done on another thread, while which alone the
 * memory of the device can be touched. What a copy to the device reads is read then, however the host has
 * changed it meanwhile, and what the host reads too early is noise. Its queues know nothing of each other
 * but by the marks that they follow: of another queue no more is done than up to such a mark.
 * $DELAYED_ORDER=ahead lets the others do all that they may before the one that is waited for; a number lets
 * chance decide (of one context: it is for tests).
 *
 * Its clock is that of a machine whose queues work side by side: a microsecond for each work-item of a
 * kernel, and for each byte that is copied.
 *
 * With -DONE_QUEUE it has no queues that follow each other, and programs use one.
 *
 * $DELAYED_FAULT=CALL:N lets the N-th call of a kind fail: open, allocate, pinned, load, queue, write, read,
 * copy, launch, record, follow, wait; lost:N that one and all behind it, f64: there is no double.
 */
#define _GNU_SOURCE
#include "ferrite_device.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- memory: out of reach but while work is done ---- */

typedef struct block {
    char *address;
    size_t bytes;
    int is_pinned;
    struct block *next;
} block;

struct fe_device {
    fe_device_host host;
    int32_t index;
    block *blocks;
    pthread_mutex_t lock;
    int is_lost;   /* and does nothing any more */
    int64_t ticks; /* by its clock: what the host has waited for was done then */
    fe_device_queue *queues;
};

enum { NOISE = 0xa5 };

static int say(fe_device *d, int code, const char *what)
{
    snprintf(d->host.message, d->host.message_bytes, "%s", what);
    return code;
}

/* ---- faults that are asked for ---- */

static const char *wanted_fault(const char *kind)
{
    const char *fault = getenv("DELAYED_FAULT");
    size_t length = strlen(kind);
    return fault && strncmp(fault, kind, length) == 0 && (fault[length] == ':' || !fault[length])
               ? fault + length
               : NULL;
}

static int fails(fe_device *d, const char *kind, int code)
{
    static int calls, of_kind;
    const char *this = wanted_fault(kind), *lost = wanted_fault("lost");
    if (lost && ++calls >= atoi(lost + 1)) {
        d->is_lost = 1;
        return say(d, FE_RUN_BAD_PROCESSOR, "the device is lost");
    }
    if (!this || ++of_kind != atoi(this + 1)) return 0;
    snprintf(d->host.message, d->host.message_bytes, "a fault of %s, as wanted", kind);
    return code;
}

static block *add_block(fe_device *d, size_t bytes, int is_pinned)
{
    block *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->bytes = bytes ? bytes : 1;
    b->is_pinned = is_pinned;
    b->address = mmap(NULL, b->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (b->address == MAP_FAILED) {
        free(b);
        return NULL;
    }
    memset(b->address, NOISE, b->bytes);
    if (!is_pinned) mprotect(b->address, b->bytes, PROT_NONE);
    pthread_mutex_lock(&d->lock);
    b->next = d->blocks;
    d->blocks = b;
    pthread_mutex_unlock(&d->lock);
    return b;
}

/* The block that all these bytes are in. */
static block *find_block(fe_device *d, const void *address, int64_t bytes, int is_pinned)
{
    block *found = NULL;
    pthread_mutex_lock(&d->lock);
    for (block *b = d->blocks; b; b = b->next) {
        size_t at = (size_t)((const char *)address - b->address);
        if (b->is_pinned == is_pinned && (const char *)address >= b->address && at <= b->bytes &&
            (size_t)bytes <= b->bytes - at)
            found = b;
    }
    pthread_mutex_unlock(&d->lock);
    return found;
}

static void free_block(fe_device *d, void *address)
{
    pthread_mutex_lock(&d->lock);
    for (block **at = &d->blocks; *at; at = &(*at)->next) {
        block *b = *at;
        if (b->address != address) continue;
        *at = b->next;
        munmap(b->address, b->bytes);
        free(b);
        break;
    }
    pthread_mutex_unlock(&d->lock);
}

static int allocate(fe_device *d, int64_t bytes, void **address)
{
    int code = fails(d, "allocate", FE_RUN_NO_MEMORY);
    block *b = code ? NULL : add_block(d, (size_t)bytes, 0);
    *address = b ? b->address : NULL;
    return b || code ? code : say(d, FE_RUN_NO_MEMORY, "no memory");
}

static int allocate_pinned(fe_device *d, int64_t bytes, void **memory)
{
    int code = fails(d, "pinned", FE_RUN_NO_MEMORY);
    block *b = code ? NULL : add_block(d, (size_t)bytes, 1);
    *memory = b ? b->address : NULL;
    return b || code ? code : say(d, FE_RUN_NO_MEMORY, "no memory");
}

/* ---- devices ---- */

static int device_open(int32_t index, const fe_device_host *host, fe_device **out)
{
    fe_device *d = calloc(1, sizeof *d);
    *out = d;
    if (!d) return FE_RUN_NO_MEMORY;
    d->host = *host;
    d->index = index < 0 ? 0 : index;
    pthread_mutex_init(&d->lock, NULL);
    int code = fails(d, "open", FE_RUN_BAD_PROCESSOR);
    if (!code && d->index < 2) return 0;
    *out = NULL;
    if (!code) code = say(d, FE_RUN_BAD_PROCESSOR, "there are two devices, 0 and 1");
    free(d);
    return code;
}

static void device_close(fe_device *d)
{
    if (d->blocks) fprintf(stderr, "delayed: memory of device %d was not released\n", d->index);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

static void describe(fe_device *d, fe_device_facts *out)
{
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "delayed %d", d->index);
    out->units = 1;
    out->has_f64 = wanted_fault("f64") == NULL;
}

/* ---- kernels: compiled by cc, each called by a function that takes all parameters in two arrays ---- */

typedef void kernel_caller(int64_t *fault, int64_t rows, int64_t columns, int64_t item,
                           void *const *buffers, const int64_t *ints);

struct fe_device_module {
    fe_device *device;
    void *handle;
    kernel_caller **callers;
};

static const char HEAD[] =
    "#include <math.h>\n#include <stdint.h>\n"
    "typedef int8_t i8;\ntypedef int16_t i16;\ntypedef int32_t i32;\ntypedef int64_t i64;\n"
    "typedef uint8_t u8;\ntypedef uint16_t u16;\ntypedef uint32_t u32;\ntypedef uint64_t u64;\n"
    "typedef float f32;\ntypedef double f64;\n"
    "#define FE static inline\n#define FE_KERNEL static\n#define FE_GLOBAL\n"
    "#define FE_CALL i64 *fault, const i64 rows, const i64 columns, const i64 number\n"
    "#define FE_BUFFER(n) void *g##n\n#define FE_AT(type, n) ((type *)g##n)\n"
    "#define FE_INT(name, n) const i64 name\n#define FE_ITEM number\n"
    "#define FE_BITS(from, to, x) (((union { from a; to b; }){x}).b)\n"
    "FE void rt_outside(i64 *fault, i64 check, i64 index, i64 size)\n{\n"
    "  if (fault[0]) return;\n  fault[0] = 1;\n  fault[1] = check;\n  fault[2] = index;\n"
    "  fault[3] = size;\n}\n";

static void write_caller(FILE *file, const fe_device_kernel *k)
{
    fprintf(file,
            "void call_%s(i64 *fault, i64 rows, i64 columns, i64 item, void *const *b, const i64 "
            "*p)\n{\n  (void)b, (void)p;\n  %s(fault, rows, columns, item",
            k->name, k->name);
    for (uint32_t i = 0; i < k->buffer_count; i++) fprintf(file, ", b[%u]", i);
    for (uint32_t i = 0; i < k->int_count; i++) fprintf(file, ", p[%u]", i);
    fprintf(file, ");\n}\n");
}

static void unload(fe_device_module *m)
{
    if (m->handle) dlclose(m->handle);
    free(m->callers);
    free(m);
}

static int compile(fe_device *d, const fe_device_code *code, fe_device_module *m)
{
    char folder[] = "/tmp/delayed-XXXXXX", source[64], library[64], command[256];
    if (!mkdtemp(folder)) return say(d, FE_RUN_NO_MEMORY, "no folder for the kernels");
    snprintf(source, sizeof source, "%s/k.c", folder);
    snprintf(library, sizeof library, "%s/k.so", folder);
    snprintf(command, sizeof command, "cc -w -O1 -ffp-contract=off -shared -fPIC %s -o %s -lm",
             source, library);
    FILE *file = fopen(source, "w");
    int ok = file != NULL;
    if (ok) {
        fputs(HEAD, file);
        fwrite(code->source, 1, code->bytes, file);
        for (uint32_t k = 0; k < code->kernel_count; k++) write_caller(file, &code->kernels[k]);
        ok = fclose(file) == 0 && system(command) == 0;
    }
    if (ok) m->handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    unlink(source);
    unlink(library);
    rmdir(folder);
    return m->handle ? 0 : say(d, FE_RUN_BAD_PROCESSOR, "cc refuses the kernels");
}

static int load(fe_device *d, const fe_device_code *code, fe_device_module **out)
{
    fe_device_module *m = calloc(1, sizeof *m);
    *out = NULL;
    int fault = fails(d, "load", FE_RUN_BAD_PROCESSOR);
    if (!m || fault) return free(m), fault ? fault : FE_RUN_NO_MEMORY;
    m->device = d;
    m->callers = calloc(code->kernel_count + 1, sizeof *m->callers);
    int result = m->callers ? compile(d, code, m) : FE_RUN_NO_MEMORY;
    for (uint32_t k = 0; result == 0 && k < code->kernel_count; k++) {
        char name[512];
        snprintf(name, sizeof name, "call_%s", code->kernels[k].name);
        void *found = dlsym(m->handle, name);
        memcpy(&m->callers[k], &found, sizeof found);
        if (!found) result = say(d, FE_RUN_BAD_PROCESSOR, "a kernel is missing");
    }
    if (result)
        unload(m);
    else
        *out = m;
    return result;
}

/* ---- queues: work waits until somebody waits for it ---- */

typedef struct work {
    enum { WRITE, READ, COPY, LAUNCH, FOLLOW } kind;
    void *to;
    const void *from;
    int64_t bytes;
    kernel_caller *caller;
    int64_t *fault;
    int64_t rows, columns;
    void **buffers;
    int64_t *ints;
    uint32_t buffer_count;
    fe_device_queue *other; /* FOLLOW: all of its works before this one are done first */
    size_t behind;
} work;

struct fe_device_queue {
    fe_device *device;
    work *works;
    size_t count, room, done; /* works that were put there ever, and were done */
    size_t first;             /* number of works[0] */
    int64_t ticks;            /* by the clock: all that was put there is done then */
    fe_device_queue *next;
};

struct fe_device_mark {
    fe_device_queue *queue;
    size_t behind; /* all works before this one */
    int64_t ticks;
};

static void reach(fe_device *d, int protection)
{
    for (block *b = d->blocks; b; b = b->next)
        if (!b->is_pinned) mprotect(b->address, b->bytes, protection);
}

static void do_work(const work *w)
{
    switch (w->kind) {
    case WRITE:
    case READ:
    case COPY: memmove(w->to, w->from, (size_t)w->bytes); break;
    case LAUNCH: /* from the last item to the first: they may not ask who comes first */
        for (int64_t item = w->rows * w->columns; item-- > 0;)
            w->caller(w->fault, w->rows, w->columns, item, w->buffers, w->ints);
        break;
    case FOLLOW: break;
    }
}

typedef struct errand {
    fe_device_queue *queue;
    size_t behind;
} errand;

static int may_do_next(const fe_device_queue *q)
{
    const work *w = &q->works[q->done - q->first];
    return q->done < q->count && (w->kind != FOLLOW || w->other->done >= w->behind);
}

static void do_next(fe_device_queue *q)
{
    work *w = &q->works[q->done++ - q->first];
    if (!q->device->is_lost) do_work(w);
    free(w->buffers);
    free(w->ints);
}

/* What other queues do before this one goes on. */
static void let_others(const fe_device_queue *q)
{
    static unsigned chance;
    const char *order = getenv("DELAYED_ORDER");
    if (!order) return;
    int is_ahead = strcmp(order, "ahead") == 0;
    if (!chance) chance = is_ahead ? 1 : (unsigned)atoi(order);
    for (fe_device_queue *other = q->device->queues; other; other = other->next)
        while (other != q && may_do_next(other)) {
            chance = chance * 1103515245u + 12345u;
            if (!is_ahead && (chance >> 16 & 1)) break;
            do_next(other);
        }
}

/* Another queue does what this one follows. */
static void go_on(fe_device_queue *q, size_t behind)
{
    while (q->done < behind) {
        let_others(q);
        const work *w = &q->works[q->done - q->first];
        if (w->kind == FOLLOW) go_on(w->other, w->behind);
        if (q->done < behind) do_next(q);
    }
}

static void *run_errand(void *data)
{
    const errand *e = data;
    reach(e->queue->device, PROT_READ | PROT_WRITE);
    go_on(e->queue, e->behind);
    reach(e->queue->device, PROT_NONE);
    return NULL;
}

static int do_until(fe_device_queue *q, size_t behind)
{
    pthread_t thread;
    errand e = {q, behind};
    if (q->done >= behind) return 0;
    if (pthread_create(&thread, NULL, run_errand, &e) != 0)
        return say(q->device, FE_RUN_NO_MEMORY, "no thread");
    pthread_join(thread, NULL);
    return 0;
}

static int put(fe_device_queue *q, const work *w)
{
    if (q->done == q->count) q->first = q->count;
    if (q->count - q->first == q->room) {
        size_t room = q->room ? 2 * q->room : 64;
        work *more = realloc(q->works, room * sizeof *more);
        if (!more) return say(q->device, FE_RUN_NO_MEMORY, "no memory");
        q->works = more;
        q->room = room;
    }
    q->works[q->count++ - q->first] = *w;
    if (q->ticks < q->device->ticks) q->ticks = q->device->ticks;
    q->ticks += w->rows * w->columns + w->bytes;
    return 0;
}

static int queue_new(fe_device *d, fe_device_queue **out)
{
    int fault = fails(d, "queue", FE_RUN_NO_MEMORY);
    *out = fault ? NULL : calloc(1, sizeof **out);
    if (!*out) return fault ? fault : FE_RUN_NO_MEMORY;
    (*out)->device = d;
    pthread_mutex_lock(&d->lock);
    (*out)->next = d->queues;
    d->queues = *out;
    pthread_mutex_unlock(&d->lock);
    return 0;
}

/* All that was put into a queue is done: who follows it need not ask any more. */
static void end_follows(fe_device_queue *of)
{
    for (fe_device_queue *q = of->device->queues; q; q = q->next)
        for (size_t i = q->done; i < q->count; i++) {
            work *w = &q->works[i - q->first];
            if (w->kind == FOLLOW && w->other == of) w->other = q, w->behind = 0;
        }
}

static void queue_free(fe_device_queue *q)
{
    do_until(q, q->count);
    pthread_mutex_lock(&q->device->lock);
    end_follows(q);
    fe_device_queue **at = &q->device->queues;
    while (*at != q) at = &(*at)->next;
    *at = q->next;
    pthread_mutex_unlock(&q->device->lock);
    free(q->works);
    free(q);
}

static int not_mine(fe_device_queue *q)
{
    return say(q->device, FE_RUN_BAD_INPUT, "an address is in no memory of this device");
}

static int owns(fe_device *d, const void *address)
{
    return find_block(d, address, 1, 0) != NULL;
}

static int write_memory(fe_device_queue *q, void *address, const void *memory, int64_t bytes)
{
    int fault = fails(q->device, "write", FE_RUN_BAD_PROCESSOR);
    if (fault) return fault;
    if (!find_block(q->device, address, bytes, 0)) return not_mine(q);
    return put(q, &(work){.kind = WRITE, .to = address, .from = memory, .bytes = bytes});
}

/* Until then the host finds noise. */
static int read_memory(fe_device_queue *q, void *memory, const void *address, int64_t bytes)
{
    int fault = fails(q->device, "read", FE_RUN_BAD_PROCESSOR);
    if (fault) return fault;
    if (!find_block(q->device, address, bytes, 0)) return not_mine(q);
    memset(memory, NOISE, (size_t)bytes);
    return put(q, &(work){.kind = READ, .to = memory, .from = address, .bytes = bytes});
}

static int copy_memory(fe_device_queue *q, void *to, const void *from, int64_t bytes)
{
    int fault = fails(q->device, "copy", FE_RUN_BAD_PROCESSOR);
    if (fault) return fault;
    if (!find_block(q->device, to, bytes, 0) || !find_block(q->device, from, bytes, 0))
        return not_mine(q);
    return put(q, &(work){.kind = COPY, .to = to, .from = from, .bytes = bytes});
}

static int launch(fe_device_queue *q, const fe_device_launch *l)
{
    int fault = fails(q->device, "launch", FE_RUN_BAD_PROCESSOR);
    if (fault) return fault;
    work w = {.kind = LAUNCH,
              .caller = l->module->callers[l->kernel],
              .fault = l->fault,
              .rows = l->rows,
              .columns = l->columns,
              .buffers = calloc(l->buffer_count + 1, sizeof *w.buffers),
              .ints = calloc(l->int_count + 1, sizeof *w.ints)};
    if (!w.buffers || !w.ints) return say(q->device, FE_RUN_NO_MEMORY, "no memory");
    for (uint32_t i = 0; i < l->buffer_count; i++) {
        if (l->buffers[i] && !find_block(q->device, l->buffers[i], 0, 0)) return not_mine(q);
        w.buffers[i] = l->buffers[i];
    }
    for (uint32_t i = 0; i < l->int_count; i++) w.ints[i] = l->ints[i];
    return put(q, &w);
}

static int record(fe_device_queue *q, fe_device_mark **out)
{
    int fault = fails(q->device, "record", FE_RUN_BAD_PROCESSOR);
    *out = fault ? NULL : calloc(1, sizeof **out);
    if (!*out) return fault ? fault : FE_RUN_NO_MEMORY;
    if (q->ticks < q->device->ticks) q->ticks = q->device->ticks;
    (*out)->queue = q;
    (*out)->behind = q->count;
    (*out)->ticks = q->ticks;
    return 0;
}

static int wait_for(fe_device_mark *mark)
{
    int fault = fails(mark->queue->device, "wait", FE_RUN_BAD_PROCESSOR);
    int code = do_until(mark->queue, mark->behind);
    if (mark->queue->device->ticks < mark->ticks) mark->queue->device->ticks = mark->ticks;
    free(mark);
    return fault ? fault : code;
}

static int follow(fe_device_queue *q, fe_device_mark *mark)
{
    int fault = fails(q->device, "follow", FE_RUN_BAD_PROCESSOR);
    if (fault) return fault;
    if (q->ticks < mark->ticks) q->ticks = mark->ticks;
    return put(q, &(work){.kind = FOLLOW, .other = mark->queue, .behind = mark->behind});
}

static void forget(fe_device_mark *mark)
{
    free(mark);
}

static int elapsed(fe_device_mark *from, fe_device_mark *to, int64_t *nanoseconds)
{
    *nanoseconds = 1000 * (to->ticks - from->ticks);
    int first = wait_for(from), second = wait_for(to);
    return first ? first : second;
}

const fe_device_driver *ferrite_device(void)
{
    static const fe_device_driver driver = {.version = FE_DEVICE_VERSION,
                                            .struct_bytes = sizeof driver,
                                            .kind = "privateuseone",
                                            .open = device_open,
                                            .close = device_close,
                                            .describe = describe,
                                            .allocate = allocate,
                                            .release = free_block,
                                            .allocate_pinned = allocate_pinned,
                                            .release_pinned = free_block,
                                            .load = load,
                                            .unload = unload,
                                            .queue_new = queue_new,
                                            .queue_free = queue_free,
                                            .write = write_memory,
                                            .read = read_memory,
                                            .copy = copy_memory,
                                            .launch = launch,
                                            .record = record,
                                            .wait = wait_for,
                                            .owns = owns,
                                            .timed_queue_new = queue_new,
                                            .elapsed = elapsed,
#ifndef ONE_QUEUE
                                            .follow = follow,
                                            .forget = forget
#endif
    };
    return &driver;
}
