/* scratch_size.c -- scratch of threads where operators state what they work in as functions of sizes: lines
 * that make it large enough as soon as the symbols are known, so that no operator allocates.
 *
 * Operators whose last symbol is the same share a line, which stands behind that symbol and what is asserted
 * of it, or in front of all where it is an input's. In a program that was cut each operator's stands
 * before it: its part knows its symbols, and may know no others.
 */
#include "wrap/wrap_priv.h"

#include <string.h>

enum { IN_A_LINE = 16 };

typedef struct area_finder {
    const wrap_program *w;
    arena *memory;
    const wrap_line **lines; /* but those that make scratch */
    uint32_t *part;          /* of each, counted from 0 */
    uint32_t count, head;
    map defined; /* symbol -> the line that gives it its value */
    uint32_t found;
    VEC(sym_expr) wanted; /* by line: what is wanted before it, and the next one that is */
    VEC(uint32_t) next;
    uint32_t *first;
} area_finder;

#define NONE UINT32_MAX

static void collect_lines(area_finder *f)
{
    const wrap_program *w = f->w;
    bool is_head = true;
    f->lines = NEW_ARRAY(f->memory, const wrap_line *, w->lines.count + 1);
    f->part = NEW_ARRAY(f->memory, uint32_t, w->lines.count + 1);
    f->first = NEW_ARRAY(f->memory, uint32_t, w->lines.count + 1);
    for (uint32_t i = 0, part = 0; i < w->lines.count; i++) {
        const wrap_line *line = &w->lines.at[i];
        if (line->kind == WRAP_SCRATCH) continue;
        part += line->kind == WRAP_PARTITION;
        is_head &= wrap_is_input_symbol(line) || line->kind == WRAP_ASSERT;
        f->head += is_head;
        sym_expr symbol = line->kind == WRAP_SYMBOL     ? line->symbol
                          : wrap_is_control(line->kind) ? line->op->symbol
                                                        : (sym_expr){0};
        if (!sym_is_none(symbol)) map_set(f->memory, &f->defined, symbol.id, f->count);
        f->first[f->count] = NONE;
        f->part[f->count] = part;
        f->lines[f->count++] = line;
    }
}

static void look_up(void *data, sym_expr symbol)
{
    area_finder *f = data;
    uint32_t line = map_get(&f->defined, symbol.id);
    if (line != MAP_NONE && line + 1 > f->found) f->found = line + 1;
}

static bool is_said_of_symbols(wrap_kind kind)
{
    return kind == WRAP_ASSERT || kind == WRAP_COMMENT;
}

/* The line before which an operator's scratch is made. */
static uint32_t place_of(area_finder *f, uint32_t at, sym_expr each)
{
    f->found = f->head;
    sym_each_symbol(f->w->loops->symbols, each, look_up, f);
    for (uint32_t i = f->found; i < at && is_said_of_symbols(f->lines[i]->kind); i++)
        if (f->lines[i]->kind == WRAP_ASSERT) f->found = i + 1;
    return f->found <= at && f->part[f->found] == f->part[at] ? f->found : at;
}

static void want(area_finder *f, uint32_t line, sym_expr each)
{
    for (uint32_t k = f->first[line]; k != NONE; k = f->next.at[k])
        if (sym_same(f->wanted.at[k], each)) return;
    vec_push(f->memory, &f->next, f->first[line]);
    vec_push(f->memory, &f->wanted, each);
    f->first[line] = f->wanted.count - 1;
}

/* Is it a number, or does one arena for all sizes hold the most of it? */
static bool is_number(const wrap_program *w, sym_expr each, int64_t *most)
{
    int64_t least;
    sym_range(w->loops->symbols, each, NULL, &least, most);
    return least == *most || w->is_bounded;
}

static area_finder area_finder_new(const wrap_program *w)
{
    area_finder f = {.w = w, .memory = w->memory};
    collect_lines(&f);
    for (uint32_t i = 0; i < f.count; i++) {
        const wrap_line *line = f.lines[i];
        int64_t most;
        if (line->kind != WRAP_EXTERN || line->op->callee) continue;
        sym_expr each = loop_need_of(w->loops, line->op).each;
        if (!is_number(w, each, &most)) want(&f, place_of(&f, i, each), each);
    }
    return f;
}

/* The next line's worth of what is wanted. */
static sym_expr take(area_finder *f, uint32_t *k)
{
    sym_expr most = f->wanted.at[*k];
    for (uint32_t i = 0; *k != NONE && i < IN_A_LINE; i++, *k = f->next.at[*k])
        most = sym_max(f->w->loops->symbols, most, f->wanted.at[*k]);
    return most;
}

void wrap_make_scratch_lines(wrap_program *w)
{
    area_finder f = area_finder_new(w);
    wrap_line_list lines = {0};
    if (!f.wanted.count) return;
    for (uint32_t i = 0; i < f.count; i++) {
        for (uint32_t k = f.first[i]; k != NONE;) {
            wrap_line line = {.kind = WRAP_SCRATCH,
                              .buffer = LOOP_NO_BUFFER,
                              .old_buffer = LOOP_NO_BUFFER,
                              .input = -1,
                              .dimension = -1};
            line.expr = take(&f, &k);
            vec_push(w->memory, &lines, line);
        }
        vec_push(w->memory, &lines, *f.lines[i]);
    }
    w->lines = lines;
}

const char *wrap_check_scratch_sizes(const wrap_program *w, uint32_t *line)
{
    area_finder f = area_finder_new(w);
    for (uint32_t i = 0, at = 0; i < f.count; i++, at++) {
        for (uint32_t k = f.first[i]; k != NONE; at++) {
            const wrap_line *made = &w->lines.at[at];
            *line = at + 1;
            if (made->kind != WRAP_SCRATCH || !sym_same(made->expr, take(&f, &k)))
                return "threads have other scratch than operators state";
        }
        *line = at + 1;
        if (w->lines.at[at].kind == WRAP_SCRATCH) return "scratch is made that no operator wants";
    }
    return NULL;
}

/* ---- what is known ahead ---- */

static bool is_listed(const loop_transform *list, uint32_t count, const loop_transform *shape)
{
    for (uint32_t k = 0; k < count; k++)
        if (memcmp(&list[k], shape, sizeof *shape) == 0) return true;
    return false;
}

loop_transform *wrap_transforms(const wrap_program *w, arena *memory, uint32_t *count)
{
    VEC(loop_transform) list = {0};
    for (uint32_t i = 0; i < w->lines.count; i++) {
        loop_transform shapes[2];
        if (w->lines.at[i].kind != WRAP_EXTERN) continue;
        uint32_t found = loop_transforms(w->loops, w->lines.at[i].op, shapes);
        for (uint32_t k = 0; k < found; k++)
            if (!is_listed(list.at, list.count, &shapes[k])) vec_push(memory, &list, shapes[k]);
    }
    *count = list.count;
    return list.at;
}

int64_t wrap_scratch_bytes(const wrap_program *w, const wrap_line **largest)
{
    int64_t bytes = 0;
    *largest = NULL;
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_line *line = &w->lines.at[i];
        int64_t most;
        if (line->kind != WRAP_EXTERN || line->op->callee) continue;
        if (!is_number(w, loop_need_of(w->loops, line->op).each, &most) || most <= bytes) continue;
        bytes = most;
        *largest = line;
    }
    return bytes;
}
