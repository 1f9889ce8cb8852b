/* partition.c -- signatures of parts: as text, and law W8, that they say what the lines use. */
#include "wrap/wrap_priv.h"

/* The lists of a signature: buffers, then symbols. In the text those that are empty are left out. */
typedef struct part_field {
    const char *word;
    size_t list, count; /* in sched_part */
} part_field;

#define FIELD(word, list, count)                                      \
    {                                                                 \
        word, offsetof(sched_part, list), offsetof(sched_part, count) \
    }
static const part_field fields[] = {FIELD("reads", reads, read_count),
                                    FIELD("mutates", mutates, mutate_count),
                                    FIELD("makes", makes, make_count),
                                    FIELD("ends", ends, end_count),
                                    FIELD("constants", constants, constant_count),
                                    FIELD("symbols", symbols, symbol_count),
                                    FIELD("defines", defines, define_count)};
#undef FIELD
enum { FIELD_OF_ENDS = 3, FIRST_OF_SYMBOLS = 5 };

static uint32_t *count_of(const sched_part *part, uint32_t field)
{
    return (uint32_t *)((char *)part + fields[field].count);
}

static loop_buffer_id **buffers_of(const sched_part *part, uint32_t field)
{
    return (loop_buffer_id **)((char *)part + fields[field].list);
}

static sym_expr **symbols_of(const sched_part *part, uint32_t field)
{
    return (sym_expr **)((char *)part + fields[field].list);
}

/* ---- text ---- */

void wrap_print_part(const wrap_program *w, const sched_part *part, text *out)
{
    text_char(out, ' ');
    text_quoted(out, part->name);
    for (uint32_t i = 0; i < COUNT_OF(fields); i++) {
        uint32_t count = *count_of(part, i);
        if (count) text_printf(out, " %s [", fields[i].word);
        for (uint32_t k = 0; k < count; k++) {
            if (k) text_add(out, ", ");
            if (i < FIRST_OF_SYMBOLS)
                text_printf(out, "@%s", w->loops->buffers.at[(*buffers_of(part, i))[k]].name);
            else
                text_add(out, sym_name(w->loops->symbols, (*symbols_of(part, i))[k]));
        }
        if (count) text_char(out, ']');
    }
}

static fe_status parse_buffers(loop_reader *in, lexer *lx, sched_part *out, uint32_t field)
{
    VEC(loop_buffer_id) list = {0};
    FE_TRY(lex_expect(lx, "["));
    do {
        loop_buffer_id id;
        FE_TRY(loop_read_buffer(in, &id));
        vec_push(loop_reader_program(in)->memory, &list, id);
    } while (lex_take(lx, ","));
    *buffers_of(out, field) = list.at;
    *count_of(out, field) = list.count;
    return lex_expect(lx, "]");
}

fe_status wrap_parse_part(loop_reader *in, lexer *lx, sched_part *out)
{
    FE_TRY(lex_string(lx, &out->name));
    for (uint32_t i = 0; i < COUNT_OF(fields); i++) {
        if (!lex_take(lx, fields[i].word)) continue;
        if (i < FIRST_OF_SYMBOLS)
            FE_TRY(parse_buffers(in, lx, out, i));
        else
            FE_TRY(loop_read_exprs(in, symbols_of(out, i), count_of(out, i)));
    }
    return FE_OK;
}

/* ---- others in its place ---- */

uint32_t wrap_end_of_part(const wrap_program *w, const wrap_line *partition)
{
    uint32_t at = (uint32_t)(partition - w->lines.at) + 1;
    while (at < w->lines.count && w->lines.at[at].kind != WRAP_PARTITION &&
           !wrap_is_behind_parts(&w->lines.at[at]))
        at++;
    return at;
}

static bool any_elsewhere(const wrap_program *w, const loop_buffer_id *list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (!wrap_is_on_host(w, list[k])) return true;
    return false;
}

bool wrap_can_be_replaced(const wrap_program *w, const wrap_line *partition)
{
    const sched_part *p = partition->part;
    if (any_elsewhere(w, p->reads, p->read_count) || any_elsewhere(w, p->makes, p->make_count) ||
        any_elsewhere(w, p->mutates, p->mutate_count))
        return false;
    const wrap_line *end = w->lines.at + wrap_end_of_part(w, partition);
    if (partition->part->define_count) return false;
    for (const wrap_line *line = partition + 1; line < end; line++)
        if (line->kind == WRAP_PLACE) return false;
    return true;
}

/* ---- law W8 ---- */

enum { LISTED = 1, BORN = 2, ENDS = 4 };

typedef struct part_check {
    const wrap_program *w;
    const sched_part *part;
    uint8_t *state; /* by buffer */
    VEC(loop_buffer_id) touched;
    map symbols;
    arena *memory;
    const char *fault, *name;
} part_check;

static void fault(part_check *c, const char *what, const char *name)
{
    if (c->fault) return;
    c->fault = what;
    c->name = name;
}

static void read_symbol(void *data, sym_expr symbol)
{
    part_check *c = data;
    if (map_get(&c->symbols, symbol.id) == MAP_NONE)
        fault(c, "a symbol is read that the signature does not name",
              sym_name(c->w->loops->symbols, symbol));
}

static void read_expr(part_check *c, sym_expr e)
{
    if (!sym_is_none(e)) sym_each_symbol(c->w->loops->symbols, e, read_symbol, c);
}

static void mark(part_check *c, loop_buffer_id id, uint8_t what)
{
    if (!c->state[id]) vec_push(c->memory, &c->touched, id);
    c->state[id] |= what;
}

static void use_buffer(part_check *c, loop_buffer_id id)
{
    if (id == LOOP_NO_BUFFER) return;
    loop_buffer_id root = c->w->storage[id].life.root;
    bool is_free =
        c->w->loops->buffers.at[id].kind == LOOP_TEMP && !c->w->storage[root].life.in_arena;
    bool is_local = is_free && c->w->storage[id].output < 0;
    /* what lies in an output has no memory of its own */
    uint8_t state = c->state[id] | (is_free ? c->state[root] : 0);
    if (!(state & (LISTED | BORN)) && !is_local)
        fault(c, "a buffer is used that the signature does not name",
              c->w->loops->buffers.at[id].name);
}

static void use_views(part_check *c, const loop_view *views, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        use_buffer(c, views[i].buffer);
        if (views[i].buffer == LOOP_NO_BUFFER) continue;
        for (uint32_t d = 0; d < views[i].rank; d++) {
            read_expr(c, views[i].sizes[d]);
            read_expr(c, views[i].strides[d]);
        }
        read_expr(c, views[i].offset);
    }
}

static void check_part_line(part_check *c, const wrap_line *line)
{
    for (uint32_t i = 0; i < line->call.buffer_count; i++) use_buffer(c, line->call.buffers[i]);
    for (uint32_t i = 0; i < line->call.int_count; i++) read_expr(c, line->call.ints[i]);
    if (line->kind == WRAP_FREE && !(c->state[line->buffer] & (BORN | ENDS)))
        fault(c, "a buffer ends that the signature does not say so of",
              c->w->loops->buffers.at[line->buffer].name);
    if (line->kind == WRAP_ALLOC || line->kind == WRAP_REUSE) mark(c, line->buffer, BORN);
    if (line->kind == WRAP_SYMBOL || (line->op && line->op->kind == LOOP_CONTROL))
        map_set(c->memory, &c->symbols,
                line->kind == WRAP_SYMBOL ? line->symbol.id : line->op->symbol.id, 1);
    if (line->kind == WRAP_SYMBOL || line->kind == WRAP_SCRATCH) read_expr(c, line->expr);
    if (line->kind == WRAP_ASSERT) {
        read_expr(c, line->relation.left);
        read_expr(c, line->relation.right);
    }
    if (line->view) use_views(c, line->view, 1);
    if (!line->op) return;
    use_views(c, line->op->inputs, line->op->input_count);
    use_views(c, line->op->outputs, line->op->output_count);
    for (uint32_t i = 0; i < line->op->int_count; i++) read_expr(c, line->op->ints[i]);
}

static void begin_part(part_check *c, const sched_part *part)
{
    while (c->touched.count) c->state[c->touched.at[--c->touched.count]] = 0;
    c->part = part;
    c->symbols = (map){0};
    for (uint32_t i = 0; i < COUNT_OF(fields); i++)
        for (uint32_t k = 0; k < *count_of(part, i); k++)
            if (i < FIRST_OF_SYMBOLS)
                mark(c, (*buffers_of(part, i))[k], i == FIELD_OF_ENDS ? ENDS : LISTED);
            else
                map_set(c->memory, &c->symbols, (*symbols_of(part, i))[k].id, 1);
}

const char *wrap_check_parts(const wrap_program *w, uint32_t *line, const char **name)
{
    arena *memory = arena_new(w->session);
    part_check c = {
        .w = w, .memory = memory, .state = NEW_ARRAY(memory, uint8_t, w->loops->buffers.count + 1)};
    for (uint32_t i = 0; i < w->lines.count && !c.fault; i++) {
        const wrap_line *at = &w->lines.at[i];
        *line = i + 1;
        if (at->kind == WRAP_PARTITION)
            begin_part(&c, at->part);
        else if (c.part && !wrap_is_behind_parts(at))
            check_part_line(&c, at);
    }
    *name = c.name;
    arena_free(memory);
    return c.fault;
}
