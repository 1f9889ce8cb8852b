/* example.c -- the arena as the run would place it for the sizes of the example, to show and to check. */
#include "wrap/wrap_priv.h"

/* Those without a line that places them, which only a wrong program has, come last. */
uint32_t *wrap_placing_order(const wrap_program *w, arena *memory)
{
    uint32_t *order = NEW_ARRAY(memory, uint32_t, w->segment_count + 1), count = 1;
    bool *seen = NEW_ARRAY(memory, bool, w->segment_count + 1);
    seen[0] = true;
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_line *line = &w->lines.at[i];
        if (line->kind != WRAP_PLACE || seen[line->index]) continue;
        seen[line->index] = true;
        order[count++] = line->index;
    }
    for (uint32_t k = 0; k < w->segment_count; k++)
        if (!seen[k]) order[count++] = k;
    return order;
}

int64_t wrap_example_bytes(const wrap_program *w, sym_expr bytes)
{
    int64_t value = sym_is_none(bytes) ? 0 : sym_usual(w->loops->symbols, bytes);
    return value < 0 ? 0 : value > WRAP_MOST_BYTES ? WRAP_MOST_BYTES : value;
}

static int64_t held_offset(const wrap_example *e, const wrap_held *held)
{
    return held->slot == WRAP_NO_SLOT ? held->offset : e->offsets[held->segment][held->slot];
}

static void place_segment(const wrap_program *w, uint32_t segment, arena *memory, wrap_example *out)
{
    const wrap_layout *layout = &w->layouts[segment];
    uint32_t count = layout->count + layout->held_count;
    int64_t *size = NEW_ARRAY(memory, int64_t, count + 1),
            *shift = NEW_ARRAY(memory, int64_t, count + 1),
            *fixed = NEW_ARRAY(memory, int64_t, count + 1), bytes, bound;
    void *scratch = arena_alloc(memory, plan_replan_scratch(&layout->lives));
    out->offsets[segment] = NEW_ARRAY(memory, int64_t, count + 1);
    for (uint32_t k = 0; k < count; k++) {
        size[k] = wrap_example_bytes(w, w->storage[layout->buffers[k]].bytes);
        if (layout->intervals[k].group)
            shift[k] = wrap_example_bytes(w, wrap_shift(w, layout->buffers[k]));
        fixed[k] = k < layout->count ? -1 : held_offset(out, &layout->held[k - layout->count]);
    }
    plan_sizes sizes = {.size = size, .shift = shift, .alignment = PLAN_ALIGNMENT};
    if (layout->held_count) sizes.fixed = fixed;
    bytes = plan_replan(&layout->lives, &sizes, scratch, out->offsets[segment], &bound);
    out->bound = w->segment_count == 1 ? bound : 0;
    if (bytes > out->bytes) out->bytes = bytes;
}

void wrap_place_example(const wrap_program *w, arena *memory, wrap_example *out)
{
    const uint32_t *order = wrap_placing_order(w, memory);
    *out = (wrap_example){.offsets = NEW_ARRAY(memory, int64_t *, w->segment_count + 1)};
    if (wrap_is_fixed(w, 0)) {
        out->bytes = w->arena_bytes;
        out->bound = w->segment_count == 1 ? w->lower_bound : 0;
    }
    for (uint32_t i = 0; i < w->segment_count; i++)
        if (!wrap_is_fixed(w, order[i])) place_segment(w, order[i], memory, out);
}

int64_t wrap_example_offset(const wrap_program *w, const wrap_example *e, loop_buffer_id id)
{
    uint32_t segment = w->storage[id].segment;
    if (wrap_is_fixed(w, segment)) return w->storage[id].offset;
    int64_t offset =
        w->storage[id].slot == WRAP_NO_SLOT ? 0 : e->offsets[segment][w->storage[id].slot];
    if (wrap_offset_has_place(w, id)) return offset;
    return offset + wrap_example_bytes(w, wrap_shift(w, id));
}
