/* bound.c -- one arena for all sizes that the ranges of symbols allow (option max-arena): every buffer
 * gets the room of its largest size, at one place, so that a context allocates once.
 *
 * A plan for the largest sizes holds for all smaller ones: what lies in a region lies in the larger
 * one. What the run defines is held to its range by an assertion, sizes of inputs are checked anyway.
 */
#include "wrap/wrap_priv.h"

/* ---- what has no bound ---- */

typedef struct open_search {
    const wrap_program *w;
    sym_expr open; /* the first symbol without an upper bound */
} open_search;

static int64_t largest(const wrap_program *w, sym_expr e)
{
    int64_t min, max;
    sym_range(w->loops->symbols, e, NULL, &min, &max);
    return max < 0 ? 0 : max;
}

static void find_open(void *data, sym_expr symbol)
{
    open_search *search = data;
    if (sym_is_none(search->open) && largest(search->w, symbol) == SYM_NO_MAX)
        search->open = symbol;
}

/* What the run's definition of the symbol comes from; NULL when that is not known. */
static const char *definition_of(const wrap_program *w, const wrap_facts *facts, sym_expr symbol)
{
    for (uint32_t k = 0; facts && facts->note && k < w->loops->ops.count; k++) {
        const loop_op *op = &w->loops->ops.at[k];
        if (op->kind == LOOP_DEFINE && sym_same(op->symbol, symbol))
            return facts->note(facts->data, op->origin);
    }
    return NULL;
}

/* "s0 (dimension 0 of input 'x')", "u0 (nonzero)" */
static const char *describe(const wrap_program *w, const wrap_facts *facts, sym_expr symbol)
{
    const loop_program *p = w->loops;
    const char *name = sym_name(p->symbols, symbol), *from = definition_of(w, facts, symbol);
    if (from) return arena_printf(w->memory, "%s (%s)", name, from);
    for (uint32_t k = 0; k < p->inputs.count; k++) {
        const loop_input *input = &p->inputs.at[k];
        if (!input->is_tensor && !sym_is_none(input->expr) && sym_same(input->expr, symbol))
            return arena_printf(w->memory, "%s (input '%s')", name, input->name);
        for (uint32_t d = 0; input->is_tensor && d < p->buffers.at[input->buffer].rank; d++)
            if (sym_contains(p->symbols, p->buffers.at[input->buffer].sizes[d], symbol))
                return arena_printf(w->memory, "%s (dimension %u of input '%s')", name, d,
                                    input->name);
    }
    return name;
}

static fe_status refuse(const wrap_program *w, const wrap_facts *facts, sym_expr bytes,
                        const char *what)
{
    open_search search = {.w = w};
    diag d = {.status = FE_USAGE, .stage = "wrap"};
    text size;
    text_init(&size, w->memory);
    sym_print(w->loops->symbols, bytes, &size);
    sym_each_symbol(w->loops->symbols, bytes, find_open, &search);
    if (sym_is_none(search.open)) {
        d.help = "export the program with smaller ranges, or leave max-arena out";
        return diag_fail(w->session, d,
                         "max-arena: no memory holds the largest size of %s, %s bytes", what,
                         size.at);
    }
    d.help = sym_kind_of(w->loops->symbols, search.open) == SYM_UNBACKED
                 ? "bound it in the program, torch._check(n <= ...), or leave max-arena out"
                 : "give it a maximum where the program is exported, Dim(..., max=...), or leave "
                   "max-arena out";
    return diag_fail(w->session, d, "max-arena: %s has no upper bound, and %s takes %s bytes",
                     describe(w, facts, search.open), what, size.at);
}

bool wrap_largest_bytes(const wrap_program *w, loop_buffer_id id, int64_t *bytes)
{
    *bytes = largest(w, w->storage[id].bytes);
    return *bytes <= PLAN_MOST_BYTES;
}

static fe_status bytes_of(const wrap_program *w, const wrap_facts *facts, loop_buffer_id id,
                          int64_t *bytes)
{
    if (wrap_largest_bytes(w, id, bytes)) return FE_OK;
    return refuse(w, facts, w->storage[id].bytes,
                  arena_printf(w->memory, "@%s", w->loops->buffers.at[id].name));
}

/* ---- outputs ---- */

/* What the context keeps ready for each output that is not memory of something else. */
fe_status wrap_bound_outputs(wrap_program *w, const wrap_facts *facts)
{
    const loop_program *p = w->loops;
    w->output_bytes = NEW_ARRAY(w->memory, int64_t, p->outputs.count + 1);
    for (uint32_t k = 0; k < p->outputs.count; k++)
        if (p->outputs.at[k].kind != LOOP_OUT_TENSOR) w->output_bytes[k] = 8;
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) {
        if (p->buffers.at[id].kind == LOOP_TEMP && w->storage[id].output >= 0 &&
            w->storage[id].life.root == id && w->storage[id].life.else_in == LOOP_NO_BUFFER)
            FE_TRY(bytes_of(w, facts, id, &w->output_bytes[w->storage[id].output]));
    }
    return FE_OK;
}

/* ---- the arena ---- */

/* A part lies where its offset says, with where it begins in its root, if that is a constant. */
static void set_offsets(wrap_program *w, const wrap_layout *layout, const int64_t *offsets)
{
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        uint32_t slot = w->storage[id].slot;
        sym_expr shift = wrap_shift(w, id);
        int64_t begin = 0;
        if (slot == WRAP_NO_SLOT) continue;
        if (!layout->intervals[slot].group && !sym_is_none(shift))
            sym_is_int(w->loops->symbols, shift, &begin);
        w->storage[id].offset = offsets[slot] + begin;
        w->storage[id].slot = WRAP_NO_SLOT;
    }
}

fe_status wrap_place_largest(wrap_program *w, const wrap_facts *facts)
{
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++)
        if (!wrap_is_on_host(w, id))
            return diag_fail(w->session, (diag){.status = FE_UNSUPPORTED, .stage = "wrap"},
                             "max-arena: '%s' is on another device than the cpu",
                             w->loops->buffers.at[id].name);
    wrap_layout layout;
    plan_result plan;
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) w->storage[id].segment = 0;
    w->segment_count = 1;
    w->is_bounded = true;
    wrap_collect_layout(w, 0, &layout);
    for (uint32_t k = 0; k < layout.count; k++) {
        plan_buffer *interval = &layout.intervals[k];
        sym_expr shift = wrap_shift(w, layout.buffers[k]);
        FE_TRY(bytes_of(w, facts, layout.buffers[k], &interval->size));
        if (interval->group && !sym_is_none(shift))
            CHECK(w->session, sym_is_int(w->loops->symbols, shift, &interval->group_offset));
    }
    FE_TRY(plan_offsets(w->session, w->memory, layout.intervals, layout.count, NULL, &plan));
    set_offsets(w, &layout, plan.offsets);
    w->arena_bytes = plan.height;
    w->lower_bound = plan.lower_bound;
    return FE_OK;
}

/* ---- what operators work in ---- */

fe_status wrap_set_scratch(wrap_program *w, const wrap_facts *facts)
{
    const wrap_line *largest;
    w->scratch_bytes = wrap_scratch_bytes(w, &largest);
    if (w->scratch_bytes > PLAN_MOST_BYTES)
        return refuse(w, facts, loop_need_of(w->loops, largest->op).each,
                      arena_printf(w->memory, "what %s works in", largest->op->kernel));
    wrap_make_scratch_lines(w);
    return FE_OK;
}

/* ---- assertions ---- */

/* Does one of the assertions right behind line `at` say it? */
static bool is_asserted(const wrap_program *w, uint32_t at, const sym_relation *relation)
{
    for (uint32_t i = at + 1; i < w->lines.count && w->lines.at[i].kind == WRAP_ASSERT; i++) {
        const sym_relation *r = &w->lines.at[i].relation;
        if (r->op == relation->op && sym_same(r->left, relation->left) &&
            sym_same(r->right, relation->right))
            return true;
    }
    return false;
}

static void assert_range(wrap_program *w, uint32_t at, wrap_line_list *out)
{
    sym_table *t = w->loops->symbols;
    sym_expr symbol = w->lines.at[at].symbol;
    int64_t min, max;
    sym_range(t, symbol, NULL, &min, &max);
    sym_relation low = {sym_int(t, min), symbol, SYM_LE}, high = {symbol, sym_int(t, max), SYM_LE};
    wrap_line line = {.kind = WRAP_ASSERT,
                      .buffer = LOOP_NO_BUFFER,
                      .old_buffer = LOOP_NO_BUFFER,
                      .input = -1,
                      .dimension = -1,
                      .text = "a size is not in its range"};
    line.relation = low;
    if (min != SYM_NO_MIN && !is_asserted(w, at, &low)) vec_push(w->memory, out, line);
    line.relation = high;
    if (max != SYM_NO_MAX && !is_asserted(w, at, &high)) vec_push(w->memory, out, line);
}

/* Lives count steps: now the assertions that have come to them too. added[s]: those before step s. */
static void count_lives_anew(wrap_program *w, const uint32_t *added, uint32_t steps)
{
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        sched_life *life = &w->storage[id].life;
        life->birth += added[life->birth < steps ? life->birth : steps];
        life->death += added[life->death < steps ? life->death : steps];
    }
}

void wrap_assert_ranges(wrap_program *w)
{
    wrap_line_list lines = {0};
    uint32_t *added = NEW_ARRAY(w->memory, uint32_t, w->lines.count + 1), steps = 0;
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_line *line = &w->lines.at[i];
        vec_push(w->memory, &lines, *line);
        if (line->kind == WRAP_SYMBOL && !wrap_is_input_symbol(line)) assert_range(w, i, &lines);
        if (wrap_is_step(line)) added[++steps] = lines.count - i - 1;
    }
    w->lines = lines;
    count_lives_anew(w, added, steps);
}
