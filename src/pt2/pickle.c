/* pickle.c -- a machine of the few opcodes that torch.save writes for tensors and plain data.
 *
 * It makes data and calls nothing: a global is a name, and the only ones that mean something are
 * the functions that rebuild a tensor. On anything else it stops.
 */
#include "pt2/pickle.h"
#include "pt2/pt2_priv.h"

#include <string.h>

enum {
    MOST_OBJECTS = 1 << 18, /* of one pickle; nothing that torch writes for inputs comes near */
};

typedef struct machine {
    fe_session *session;
    arena *memory;
    zip_directory zip; /* of the torch.save file */
    const char *root;
    const uint8_t *at, *end;
    VEC(pickle_object *) stack;
    VEC(pickle_object *) memo;
    uint32_t made;
    bool bad; /* something that we don't read */
} machine;

/* ---- objects and the stack ---- */

static pickle_object *make(machine *m, pickle_kind kind)
{
    if (++m->made > MOST_OBJECTS) m->bad = true;
    pickle_object *o = NEW(m->memory, pickle_object);
    o->kind = kind;
    return o;
}

static void push(machine *m, pickle_object *o)
{
    vec_push(m->memory, &m->stack, o);
}

static pickle_object *pop(machine *m)
{
    if (m->stack.count == 0) {
        m->bad = true;
        return make(m, PICKLE_OTHER);
    }
    return m->stack.at[--m->stack.count];
}

static pickle_object *top(machine *m)
{
    pickle_object *o = pop(m);
    push(m, o);
    return o;
}

static void push_value(machine *m, pt2_sample value)
{
    pickle_object *o = make(m, PICKLE_VALUE);
    o->value = value;
    push(m, o);
}

static void push_int(machine *m, int64_t value)
{
    push_value(m, (pt2_sample){.kind = PT2_INT, .integer = value});
}

/* Where the items since the last mark begin. */
static uint32_t find_mark(machine *m)
{
    for (uint32_t i = m->stack.count; i > 0; i--)
        if (m->stack.at[i - 1]->kind == PICKLE_MARK) return i - 1;
    m->bad = true;
    return m->stack.count;
}

/* Moves the items behind the mark into `to`, and drops the mark. */
static void take_items(machine *m, pickle_object *to)
{
    uint32_t mark = find_mark(m);
    for (uint32_t i = mark + 1; i < m->stack.count; i++)
        vec_push(m->memory, &to->items, m->stack.at[i]);
    m->stack.count = mark;
}

static void make_tuple(machine *m, uint32_t count)
{
    pickle_object *o = make(m, PICKLE_TUPLE);
    if (m->stack.count < count) {
        m->bad = true;
        return;
    }
    for (uint32_t i = m->stack.count - count; i < m->stack.count; i++)
        vec_push(m->memory, &o->items, m->stack.at[i]);
    m->stack.count -= count;
    push(m, o);
}

/* ---- bytes ---- */

static uint64_t read_number(machine *m, uint32_t bytes)
{
    uint64_t value = 0;
    if ((size_t)(m->end - m->at) < bytes) {
        m->bad = true;
        return 0;
    }
    for (uint32_t i = 0; i < bytes; i++) value |= (uint64_t)m->at[i] << (8 * i);
    m->at += bytes;
    return value;
}

static const char *read_text(machine *m, uint64_t length)
{
    if ((uint64_t)(m->end - m->at) < length || memchr(m->at, 0, (size_t)length)) {
        m->bad = true;
        return "";
    }
    const char *text_at = intern_n(m->session, (const char *)m->at, (size_t)length);
    m->at += length;
    return text_at;
}

static const char *read_line(machine *m)
{
    const uint8_t *newline = m->at < m->end ? memchr(m->at, '\n', (size_t)(m->end - m->at)) : NULL;
    if (!newline) {
        m->bad = true;
        return "";
    }
    const char *line = read_text(m, (uint64_t)(newline - m->at));
    if (!m->bad) m->at++;
    return line;
}

/* Big-endian, unlike everything else in a pickle. */
static double read_double(machine *m)
{
    uint64_t bits = __builtin_bswap64(read_number(m, 8));
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int64_t read_long(machine *m)
{
    uint32_t bytes = (uint32_t)read_number(m, 1);
    if (bytes > 8) m->bad = true;
    if (m->bad || bytes == 0) return 0;
    uint64_t value = read_number(m, bytes);
    uint32_t unused = 64 - 8 * bytes;
    return (int64_t)(value << unused) >> unused; /* sign-extended */
}

/* ---- what a few globals make ---- */

/* The storage ('storage', torch.FloatStorage, '0', 'cpu', 12) -> the record data/0 of the
 * torch.save file. */
static void load_storage(machine *m)
{
    static const struct {
        const char *name;
        ty_dtype dtype; /* NO_DTYPE: bytes; the tensor says which */
    } CLASSES[] = {
        {"torch FloatStorage", TY_F32},
        {"torch LongStorage", TY_I64},
        {"torch BoolStorage", TY_BOOL},
        {"torch DoubleStorage", TY_F64},
        {"torch IntStorage", TY_I32},
        {"torch ShortStorage", TY_I16},
        {"torch CharStorage", TY_I8},
        {"torch ByteStorage", TY_U8},
        {"torch HalfStorage", TY_F16},
        {"torch BFloat16Storage", TY_BF16},
        {"torch ComplexFloatStorage", TY_C64},
        {"torch ComplexDoubleStorage", TY_C128},
        {"torch.storage UntypedStorage", TY_NO_DTYPE},
    };
    pickle_object *id = pop(m);
    pickle_object *storage = make(m, PICKLE_STORAGE);
    m->bad = m->bad || id->kind != PICKLE_TUPLE || id->items.count != 5 ||
             id->items.at[1]->kind != PICKLE_GLOBAL || id->items.at[2]->value.kind != PT2_STRING;
    if (m->bad) return;
    bool known = false;
    for (size_t i = 0; i < COUNT_OF(CLASSES) && !known; i++) {
        known = strcmp(id->items.at[1]->name, CLASSES[i].name) == 0;
        storage->value.dtype = CLASSES[i].dtype;
    }
    const char *key = id->items.at[2]->value.string;
    const pt2_record *record =
        zip_find(&m->zip, arena_printf(m->memory, "%sdata/%s", m->root, key));
    m->bad = !known || !record;
    if (m->bad) return;
    storage->value.storage = record->data;
    storage->value.storage_size = record->size;
    push(m, storage);
}

/* A tuple of integers. */
static bool read_extents(machine *m, const pickle_object *tuple, uint32_t *count,
                         const int64_t **out)
{
    if (tuple->kind != PICKLE_TUPLE || tuple->items.count > TY_MAX_RANK) return false;
    int64_t *values = NEW_ARRAY(m->memory, int64_t, tuple->items.count);
    for (uint32_t i = 0; i < tuple->items.count; i++) {
        const pt2_sample *item = &tuple->items.at[i]->value;
        if (item->kind != PT2_INT || item->integer < 0) return false;
        values[i] = item->integer;
    }
    *count = tuple->items.count;
    *out = values;
    return true;
}

/* Does every element lie inside the storage? */
static bool is_inside(const pt2_sample *t)
{
    int64_t last = t->offset, step;
    bool empty = false;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (t->sizes[i] == 0) empty = true;
        if (empty) continue;
        if (__builtin_mul_overflow(t->sizes[i] - 1, t->strides[i], &step)) return false;
        if (__builtin_add_overflow(last, step, &last)) return false;
    }
    return empty || (uint64_t)last < t->storage_size / ty_dtype_size(t->dtype);
}

/* _rebuild_tensor_v2(storage, offset, sizes, strides, requires_grad, hooks); v3 has the dtype as
 * its seventh. */
static pickle_object *rebuild_tensor(machine *m, const pickle_object *args)
{
    pickle_object *o = make(m, PICKLE_VALUE);
    pt2_sample *t = &o->value;
    uint32_t strides;
    m->bad = m->bad || args->kind != PICKLE_TUPLE || args->items.count < 4 ||
             args->items.at[0]->kind != PICKLE_STORAGE ||
             args->items.at[1]->value.kind != PT2_INT || args->items.at[1]->value.integer < 0;
    if (m->bad) return o;
    *t = args->items.at[0]->value;
    t->kind = PT2_TENSOR;
    t->offset = args->items.at[1]->value.integer;
    if (args->items.count > 6 && args->items.at[6]->kind == PICKLE_GLOBAL) {
        const char *name = args->items.at[6]->name;
        if (strncmp(name, "torch ", 6) != 0 || !ty_dtype_parse(name + 6, &t->dtype)) m->bad = true;
    }
    m->bad = m->bad || t->dtype == TY_NO_DTYPE ||
             !read_extents(m, args->items.at[2], &t->rank, &t->sizes) ||
             !read_extents(m, args->items.at[3], &strides, &t->strides) || strides != t->rank ||
             !is_inside(t);
    return o;
}

static pickle_object *make_complex(machine *m, const pickle_object *args)
{
    pickle_object *o = make(m, PICKLE_VALUE);
    m->bad = m->bad || args->items.count != 2 || args->items.at[0]->value.kind != PT2_FLOAT ||
             args->items.at[1]->value.kind != PT2_FLOAT;
    if (m->bad) return o;
    o->value = (pt2_sample){.kind = PT2_COMPLEX,
                            .number = args->items.at[0]->value.number,
                            .imaginary = args->items.at[1]->value.number};
    return o;
}

/* function(*args), for the functions that we know. */
static void call(machine *m)
{
    const pickle_object *args = pop(m);
    const pickle_object *function = pop(m);
    pickle_object *made = make(m, PICKLE_OTHER);
    if (args->kind != PICKLE_TUPLE || function->kind != PICKLE_GLOBAL) m->bad = true;
    if (m->bad) return;
    const char *name = function->name;
    if (strcmp(name, "torch._tensor _rebuild_from_type_v2") == 0 && args->items.count >= 3 &&
        args->items.at[0]->kind == PICKLE_GLOBAL) { /* (function, type, args, state) */
        name = args->items.at[0]->name;
        args = args->items.at[2];
        if (args->kind != PICKLE_TUPLE) m->bad = true;
    }
    if (strcmp(name, "torch._utils _rebuild_parameter") == 0 && args->items.count >= 1)
        made = args->items.at[0];
    else if (strcmp(name, "torch._utils _rebuild_tensor_v2") == 0 ||
             strcmp(name, "torch._utils _rebuild_tensor_v3") == 0)
        made = rebuild_tensor(m, args);
    else if (strcmp(name, "collections OrderedDict") == 0 && args->items.count == 0)
        made = make(m, PICKLE_DICT);
    else if (strcmp(name, "torch Size") == 0 && args->items.count == 1)
        made = args->items.at[0];
    else if (strcmp(name, "builtins complex") == 0 || strcmp(name, "__builtin__ complex") == 0)
        made = make_complex(m, args);
    push(m, made);
}

/* ---- the machine ---- */

static void put_memo(machine *m, uint64_t i)
{
    if (i != m->memo.count) { /* torch numbers them in order */
        m->bad = true;
        return;
    }
    vec_push(m->memory, &m->memo, top(m));
}

static void get_memo(machine *m, uint64_t i)
{
    if (i < m->memo.count)
        push(m, m->memo.at[i]);
    else
        m->bad = true;
}

static void append(machine *m, pickle_kind kind, uint32_t count)
{
    pickle_object *items = make(m, PICKLE_TUPLE);
    if (count == 0) {
        take_items(m, items);
    } else {
        make_tuple(m, count);
        items = pop(m);
    }
    pickle_object *to = top(m);
    if (to->kind != kind || (kind == PICKLE_DICT && items->items.count % 2)) m->bad = true;
    for (uint32_t i = 0; i < items->items.count && !m->bad; i++)
        vec_push(m->memory, &to->items, items->items.at[i]);
}

static void read_global(machine *m)
{
    pickle_object *o = make(m, PICKLE_GLOBAL);
    const char *module = read_line(m);
    const char *name = read_line(m);
    o->name = arena_printf(m->memory, "%s %s", module, name);
    push(m, o);
}

/* Opcodes of numbers, strings and constants. False when it is none of these. */
static bool step_scalar(machine *m, uint8_t opcode)
{
    switch (opcode) {
    case 'N': push_value(m, (pt2_sample){.kind = PT2_NONE}); return true;
    case 0x88: push_value(m, (pt2_sample){.kind = PT2_BOOL, .integer = 1}); return true;
    case 0x89: push_value(m, (pt2_sample){.kind = PT2_BOOL, .integer = 0}); return true;
    case 'K': push_int(m, (int64_t)read_number(m, 1)); return true;
    case 'M': push_int(m, (int64_t)read_number(m, 2)); return true;
    case 'J': push_int(m, (int32_t)read_number(m, 4)); return true;
    case 0x8a: push_int(m, read_long(m)); return true;
    case 'G': push_value(m, (pt2_sample){.kind = PT2_FLOAT, .number = read_double(m)}); return true;
    case 'X':
        push_value(m, (pt2_sample){.kind = PT2_STRING, .string = read_text(m, read_number(m, 4))});
        return true;
    case 0x8c:
        push_value(m, (pt2_sample){.kind = PT2_STRING, .string = read_text(m, read_number(m, 1))});
        return true;
    default: return false;
    }
}

static void step(machine *m, uint8_t opcode)
{
    if (step_scalar(m, opcode)) return;
    switch (opcode) {
    case 0x80: read_number(m, 1); return; /* the protocol's number */
    case '(': push(m, make(m, PICKLE_MARK)); return;
    case ')': push(m, make(m, PICKLE_TUPLE)); return;
    case ']': push(m, make(m, PICKLE_LIST)); return;
    case '}': push(m, make(m, PICKLE_DICT)); return;
    case 0x85: make_tuple(m, 1); return;
    case 0x86: make_tuple(m, 2); return;
    case 0x87: make_tuple(m, 3); return;
    case 't': {
        pickle_object *o = make(m, PICKLE_TUPLE);
        take_items(m, o);
        push(m, o);
        return;
    }
    case 'a': append(m, PICKLE_LIST, 1); return;
    case 'e': append(m, PICKLE_LIST, 0); return;
    case 's': append(m, PICKLE_DICT, 2); return;
    case 'u': append(m, PICKLE_DICT, 0); return;
    case 'q': put_memo(m, read_number(m, 1)); return;
    case 'r': put_memo(m, read_number(m, 4)); return;
    case 'h': get_memo(m, read_number(m, 1)); return;
    case 'j': get_memo(m, read_number(m, 4)); return;
    case 'c': read_global(m); return;
    case 'Q': load_storage(m); return;
    case 'R': call(m); return;
    case 'b': pop(m); return; /* the state of an object: attributes that we don't need */
    default: m->bad = true;
    }
}

static pickle_object *unpickle(machine *m)
{
    while (!m->bad && m->at < m->end) {
        uint8_t opcode = *m->at++;
        if (opcode == '.') return m->stack.count == 1 ? pop(m) : NULL;
        step(m, opcode);
    }
    return NULL;
}

/* Sets the machine up on data.pkl of the torch.save file in the record. */
static bool start(machine *m, const pt2_record *record)
{
    bool unsupported;
    if (zip_read(m->memory, record->data, record->size, &m->zip, &unsupported) || m->zip.count == 0)
        return false;
    const char *slash = strchr(m->zip.records[0].name, '/');
    m->root = "";
    if (slash)
        m->root = arena_printf(m->memory, "%.*s", (int)(slash + 1 - m->zip.records[0].name),
                               m->zip.records[0].name);
    const pt2_record *pickle = zip_find(&m->zip, arena_printf(m->memory, "%sdata.pkl", m->root));
    if (!pickle) return false;
    m->at = pickle->data;
    m->end = m->at + pickle->size;
    return true;
}

const pickle_object *pickle_read(fe_session *session, arena *memory, const pt2_record *record)
{
    machine m = {.session = session, .memory = memory};
    const pickle_object *o = start(&m, record) ? unpickle(&m) : NULL;
    return m.bad ? NULL : o;
}
