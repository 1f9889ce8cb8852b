/* c_segment.c -- the segments of the arena as C. For those whose offsets are found during the run: which
 * buffers live when, as a plan_template, and a function that tells their sizes.
 */
#include "emit/c.h"

/* ---- what no size changes ---- */

enum { IN_A_LINE = 16 };

static void print_row(emit_state *s, const uint32_t *row, uint32_t count, bool broken)
{
    for (uint32_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count && !broken;
        if (broken && i % IN_A_LINE == 0)
            text_add(&s->out, "\n    ");
        else if (i > 0)
            text_char(&s->out, ' ');
        if (row[i] == UINT32_MAX)
            text_add(&s->out, "UINT32_MAX");
        else
            text_printf(&s->out, "%u", row[i]);
        if (!is_last) text_char(&s->out, ',');
    }
}

/* A row a line, longer ones in several. */
static void print_table(emit_state *s, const char *name, uint32_t segment, const uint32_t *table,
                        uint32_t rows, uint32_t count)
{
    bool broken = rows > 1 || count > IN_A_LINE;
    text_printf(&s->out, "static const uint32_t %s_%u[] = {", name, segment);
    for (uint32_t r = 0; r < rows; r++) print_row(s, table + (size_t)r * count, count, broken);
    text_add(&s->out, count == 0 ? "0};\n" : broken ? "\n};\n" : "};\n");
}

static void print_stretches(emit_state *s, uint32_t segment, const wrap_layout *layout)
{
    const plan_template *t = &layout->lives;
    text_printf(&s->out, "static const plan_stretch stretches_%u[] = {\n", segment);
    for (uint32_t k = 0; k < t->stretch_count; k++) {
        const plan_stretch *stretch = &t->stretches[k];
        text_printf(&s->out, "    {%u, %u, %u, %u}, /*", stretch->low, stretch->high, stretch->from,
                    stretch->to);
        for (uint32_t m = stretch->from; m < stretch->to; m++)
            text_printf(&s->out, " %s", s->names[layout->buffers[t->members[m]]]);
        text_add(&s->out, " */\n");
    }
    text_add(&s->out, "    {0}};\n");
}

static void print_lives(emit_state *s, uint32_t segment, const wrap_layout *layout)
{
    const plan_template *t = &layout->lives;
    text_printf(&s->out,
                "/* Segment %u of the arena: who lives when, in orders that are good whatever the "
                "sizes. See plan/replan.h. */\n",
                segment);
    print_table(s, "first", segment, t->first, 1, t->block_count + 1);
    print_stretches(s, segment, layout);
    print_table(s, "members", segment, t->members, 1,
                t->stretch_count ? t->stretches[t->stretch_count - 1].to : 0);
    print_table(s, "block_of", segment, t->block_of, 1, t->buffer_count);
    print_table(s, "orders", segment, t->orders, t->order_count, t->block_count);
    if (t->stack_count)
        print_table(s, "stacks", segment, t->stacks, t->stack_count, t->block_count);
    text_printf(&s->out,
                "static const plan_template lives_%u = {\n"
                "    .buffer_count = %u,\n    .block_count = %u,\n    .stretch_count = %u,\n"
                "    .section_count = %u,\n    .order_count = %u,\n    .first = first_%u,\n"
                "    .stretches = stretches_%u,\n    .members = members_%u,\n"
                "    .block_of = block_of_%u,\n    .orders = orders_%u,\n",
                segment, t->buffer_count, t->block_count, t->stretch_count, t->section_count,
                t->order_count, segment, segment, segment, segment, segment);
    if (t->stack_count)
        text_printf(&s->out, "    .stack_count = %u,\n    .stacks = stacks_%u,\n", t->stack_count,
                    segment);
    if (t->rule) text_printf(&s->out, "    .rule = %u,\n", t->rule);
    text_add(&s->out, "};\n\n");
}

/* ---- sizes ---- */

/* Where the interval begins in its block, where that is not 0. */
static sym_expr shift_of(const wrap_program *w, const wrap_layout *layout, uint32_t slot)
{
    bool is_part = layout->intervals[slot].group != 0;
    return is_part ? wrap_shift(w, layout->buffers[slot]) : (sym_expr){0};
}

static bool is_in_sizes(const wrap_program *w, const wrap_layout *layout, sym_expr symbol)
{
    for (uint32_t k = 0; k < layout->count + layout->held_count; k++) {
        sym_expr shift = shift_of(w, layout, k);
        if (sym_contains(w->loops->symbols, w->storage[layout->buffers[k]].bytes, symbol) ||
            (!sym_is_none(shift) && sym_contains(w->loops->symbols, shift, symbol)))
            return true;
    }
    return false;
}

static void print_sizes(emit_state *s, uint32_t segment, const wrap_layout *layout)
{
    const wrap_program *w = s->w;
    text_printf(&s->out,
                "static void sizes_%u(const rt_segment *segment, const int64_t *symbols, int64_t "
                "*size, int64_t *shift)\n{\n    (void)segment;\n",
                segment);
    uint32_t used = 0;
    for (uint32_t i = 0; i < layout->symbol_count; i++)
        if (is_in_sizes(w, layout, layout->symbols[i]) && ++used)
            text_printf(&s->out, "    const int64_t %s = symbols[%u];\n",
                        sym_name(w->loops->symbols, layout->symbols[i]),
                        emit_c_symbol_index(s, layout->symbols[i]));
    if (!used) text_add(&s->out, "    (void)symbols;\n");
    if (!layout->has_parts) text_add(&s->out, "    (void)shift;\n");
    for (uint32_t k = 0; k < layout->count + layout->held_count; k++) {
        sym_expr shift = shift_of(w, layout, k);
        text_printf(&s->out, "    size[%u] = ", k);
        sym_print_c_size(w->loops->symbols, w->storage[layout->buffers[k]].bytes, &s->out);
        text_printf(&s->out, "; /* %s */\n", s->names[layout->buffers[k]]);
        if (!layout->has_parts) continue;
        text_printf(&s->out, "    shift[%u] = ", k);
        if (sym_is_none(shift))
            text_char(&s->out, '0');
        else
            sym_print_c_size(w->loops->symbols, shift, &s->out);
        text_add(&s->out, ";\n");
    }
    text_add(&s->out, "}\n\n");
}

/* ---- the table ---- */

static void print_key(emit_state *s, uint32_t segment, const wrap_layout *layout)
{
    text_printf(&s->out, "static const uint32_t symbols_%u[] = {", segment);
    for (uint32_t i = 0; i < layout->symbol_count; i++)
        text_printf(&s->out, "%u, ", emit_c_symbol_index(s, layout->symbols[i]));
    text_add(&s->out, "0};\n\n");
}

/* What lies where already, and in which places of the others' plans that stands. */
static void print_held(emit_state *s, uint32_t segment, const wrap_layout *layout)
{
    if (!layout->held_count) return;
    text_printf(&s->out, "static const rt_held held_%u[] = {\n", segment);
    for (uint32_t k = 0; k < layout->held_count; k++) {
        const wrap_held *held = &layout->held[k];
        text_printf(&s->out, "    {%u, ", held->segment);
        if (held->slot == WRAP_NO_SLOT)
            text_printf(&s->out, "UINT32_MAX, %lld}", (long long)held->offset);
        else
            text_printf(&s->out, "%u, 0}", held->slot);
        text_printf(&s->out, ", /* %s */\n", s->names[layout->buffers[layout->count + k]]);
    }
    text_add(&s->out, "};\n\n");
}

static void print_row_of(emit_state *s, uint32_t k)
{
    const wrap_layout *layout = &s->w->layouts[k];
    text_printf(&s->out,
                "    {.lives = &lives_%u, .sizes = sizes_%u, .has_parts = %d, .symbols = "
                "symbols_%u, .symbol_count = %u",
                k, k, layout->has_parts, k, layout->symbol_count);
    if (layout->held_count)
        text_printf(&s->out, ", .held = held_%u, .held_count = %u", k, layout->held_count);
    if (s->w->memory_of) {
        const wrap_memory *at = &s->w->memory_of[k];
        text_printf(&s->out, ", .device = %u, .is_pinned = %d",
                    at->pinned ? 1 : wrap_device_number(s->w, at->device), at->pinned);
    }
    text_add(&s->out, "},\n");
}

void emit_c_segments(emit_state *s)
{
    const wrap_program *w = s->w;
    for (uint32_t k = 0; k < w->segment_count; k++) {
        const wrap_layout *layout = &w->layouts[k];
        if (wrap_is_fixed(w, k)) continue;
        print_lives(s, k, layout);
        print_held(s, k, layout);
        print_key(s, k, layout);
        print_sizes(s, k, layout);
    }
    text_add(&s->out, "static const rt_segment segment_table[] = {\n");
    for (uint32_t k = 0; k < w->segment_count; k++)
        if (wrap_is_fixed(w, k))
            text_printf(&s->out, "    {.bytes = %lld},\n", (long long)w->arena_bytes);
        else
            print_row_of(s, k);
    text_add(&s->out, "};\n\n");
}
