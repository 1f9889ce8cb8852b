/* tables.c -- what generated C has as constants: ports, weights, symbols, segments. */
#include "exec/exec_priv.h"

/* ---- ports ---- */

static const char *shape_text(exec_program *x, const sym_expr *sizes, uint32_t rank)
{
    text t;
    text_init(&t, x->memory);
    text_char(&t, '[');
    for (uint32_t d = 0; d < rank; d++) {
        if (d) text_add(&t, ", ");
        sym_print(x->w->loops->symbols, sizes[d], &t);
    }
    text_char(&t, ']');
    return t.at;
}

static const int64_t *fixed_dims(exec_program *x, const sym_expr *dims, uint32_t rank)
{
    int64_t *values = NEW_ARRAY(x->memory, int64_t, rank + 1);
    for (uint32_t d = 0; d < rank; d++)
        if (!sym_is_int(x->w->loops->symbols, dims[d], &values[d])) values[d] = -1;
    return values;
}

fe_port exec_port(exec_program *x, const char *name, ty_dtype dtype, uint32_t rank,
                  const sym_expr *sizes, const sym_expr *strides)
{
    return (fe_port){.name = name,
                     .dtype = dtype == TY_NO_DTYPE ? 0 : (uint32_t)ty_dtype_number(dtype),
                     .rank = rank,
                     .sizes = fixed_dims(x, sizes, rank),
                     .strides = fixed_dims(x, strides, rank),
                     .shape_text = shape_text(x, sizes, rank)};
}

static void make_input_ports(exec_program *x)
{
    const loop_program *p = x->w->loops;
    fe_port *ports = NEW_ARRAY(x->memory, fe_port, p->inputs.count + 1);
    for (uint32_t k = 0; k < p->inputs.count; k++) {
        const loop_input *input = &p->inputs.at[k];
        const loop_buffer *b = input->is_tensor ? &p->buffers.at[input->buffer] : NULL;
        ports[k] = b ? exec_port(x, input->name, b->dtype, b->rank, b->sizes, b->strides)
                     : exec_port(x, input->name, input->dtype, 0, NULL, NULL);
    }
    x->program.inputs = ports;
    x->program.input_count = p->inputs.count;
    rt_taken *taken = NEW_ARRAY(x->memory, rt_taken, p->inputs.count + 1);
    for (uint32_t k = loop_given_count(p); k < p->inputs.count; k++)
        taken[x->program.taken_count++] =
            (rt_taken){p->inputs.at[k].of, p->inputs.at[k].taken == LOOP_START_OF};
    x->program.taken = taken;
}

typedef struct late_search {
    const exec_program *x;
    bool is_unbacked;
} late_search;

static void look_for_late(void *data, sym_expr symbol)
{
    late_search *search = data;
    search->is_unbacked |= exec_symbol_place(search->x, symbol) >= search->x->input_symbols;
}

static void make_output_ports(exec_program *x)
{
    const loop_program *p = x->w->loops;
    fe_port *ports = NEW_ARRAY(x->memory, fe_port, p->outputs.count + 1);
    uint8_t *late = NEW_ARRAY(x->memory, uint8_t, p->outputs.count + 1);
    for (uint32_t k = 0; k < p->outputs.count; k++) {
        const loop_output *o = &p->outputs.at[k];
        const char *name = arena_printf(x->memory, "output_%u", k);
        ty_dtype number = o->kind == LOOP_OUT_FLOAT  ? TY_F64
                          : o->kind == LOOP_OUT_BOOL ? TY_BOOL
                                                     : TY_I64;
        if (o->kind != LOOP_OUT_TENSOR) {
            ports[k] = exec_port(x, name, number, 0, NULL, NULL);
            continue;
        }
        late_search search = {.x = x};
        ports[k] = exec_port(x, name, o->view.dtype, o->view.rank, o->view.sizes, o->view.strides);
        for (uint32_t d = 0; d < o->view.rank; d++)
            sym_each_symbol(p->symbols, o->view.sizes[d], look_for_late, &search);
        late[k] = search.is_unbacked;
    }
    x->program.outputs = ports;
    x->program.output_count = p->outputs.count;
    x->program.late_outputs = late;
}

/* ---- weights, states, symbols, segments ---- */

static void make_weights(exec_program *x)
{
    const wrap_program *w = x->w;
    rt_weight *weights = NEW_ARRAY(x->memory, rt_weight, w->weights.count + 1);
    uint32_t *states = NEW_ARRAY(x->memory, uint32_t, w->state_count + 1);
    x->model.weights = NEW_ARRAY(x->memory, void *, w->weights.count + 1);
    for (uint32_t k = 0; k < w->weights.count; k++) {
        const wrap_weight *weight = &w->weights.at[k];
        const loop_buffer *b = &w->loops->buffers.at[weight->buffer];
        weights[k] =
            (rt_weight){b->name, weight->offset, weight->bytes, wrap_device_number(w, b->device)};
        x->model.weights[k] = (char *)(uintptr_t)x->facts.weights + weight->offset;
    }
    for (uint32_t k = 0; k < w->state_count; k++) states[k] = wrap_weight_of_state(w, k);
    x->program.weights = weights;
    x->program.weight_count = w->weights.count;
    x->program.weights_bytes = w->weights_bytes;
    fe_port *ports = NEW_ARRAY(x->memory, fe_port, w->state_count + 1);
    for (uint32_t k = 0; k < w->state_count; k++) {
        const loop_buffer *b = &w->loops->buffers.at[wrap_buffer_of_state(w, k)];
        ports[k] = exec_port(x, b->name, b->dtype, b->rank, b->sizes, b->strides);
    }
    x->program.states = states;
    x->program.state_ports = ports;
    x->program.state_count = w->state_count;
}

/* Those of lines in their order, as in generated C; behind them the steps of repeats. */
static void make_symbols(exec_program *x)
{
    const wrap_program *w = x->w;
    uint32_t count = 0;
    rt_symbol *symbols = NEW_ARRAY(x->memory, rt_symbol, w->lines.count + 1);
    while (x->input_symbols < w->lines.count &&
           wrap_is_input_symbol(&w->lines.at[x->input_symbols]))
        x->input_symbols++;
    for (int steps = 0; steps < 2; steps++)
        for (uint32_t i = 0; i < w->lines.count; i++) {
            const wrap_line *line = &w->lines.at[i];
            bool is_step = line->kind == WRAP_REPEAT && !sym_is_none(line->op->symbol);
            if (steps ? !is_step : line->kind != WRAP_SYMBOL) continue;
            sym_expr symbol = is_step ? line->op->symbol : line->symbol;
            rt_symbol *s = &symbols[count];
            s->name = sym_name(w->loops->symbols, symbol);
            sym_range(w->loops->symbols, symbol, NULL, &s->min, &s->max);
            if (s->min < -INT64_MAX) s->min = -INT64_MAX;
            map_set(x->memory, &x->symbol_places, symbol.id, count);
            x->steps[i].symbol = count++;
        }
    x->program.symbols = symbols;
    x->program.symbol_count = count;
}

/* A segment whose sizes the run knows. */
typedef struct segment_facts {
    const exec_program *x;
    uint32_t number;
    const sym_expr *places; /* by interval: where it begins in its block, in elements; or none */
} segment_facts;

static void measure_segment(const rt_segment *segment, const int64_t *symbols, int64_t *size,
                            int64_t *shift)
{
    const segment_facts *facts = segment->data;
    const wrap_program *w = facts->x->w;
    const wrap_layout *layout = &w->layouts[facts->number];
    for (uint32_t k = 0; k < layout->count + layout->held_count; k++) {
        loop_buffer_id id = layout->buffers[k];
        int64_t element = (int64_t)ty_dtype_size(w->loops->buffers.at[id].dtype);
        size[k] = exec_size_value(facts->x, symbols, w->storage[id].bytes);
        if (!layout->has_parts) continue;
        shift[k] = sym_is_none(facts->places[k])
                       ? 0
                       : fe_times(exec_size_value(facts->x, symbols, facts->places[k]), element);
    }
}

static const rt_held *held_of(const exec_program *x, const wrap_layout *layout)
{
    rt_held *held = NEW_ARRAY(x->memory, rt_held, layout->held_count + 1);
    for (uint32_t k = 0; k < layout->held_count; k++)
        held[k] = (rt_held){layout->held[k].segment, layout->held[k].slot, layout->held[k].offset};
    return held;
}

static void make_segment(exec_program *x, uint32_t number, rt_segment *out)
{
    const wrap_program *w = x->w;
    const wrap_layout *layout = &w->layouts[number];
    uint32_t *key = NEW_ARRAY(x->memory, uint32_t, layout->symbol_count + 1);
    sym_expr *places = NEW_ARRAY(x->memory, sym_expr, layout->count + layout->held_count + 1);
    for (uint32_t k = 0; k < layout->symbol_count; k++)
        key[k] = exec_symbol_place(x, layout->symbols[k]);
    for (uint32_t k = 0; k < layout->count; k++)
        if (layout->intervals[k].group) places[k] = w->storage[layout->buffers[k]].life.place;
    segment_facts *facts = NEW(x->memory, segment_facts);
    *facts = (segment_facts){x, number, places};
    *out = (rt_segment){.lives = &layout->lives,
                        .sizes = measure_segment,
                        .has_parts = layout->has_parts,
                        .symbols = key,
                        .symbol_count = layout->symbol_count,
                        .held = held_of(x, layout),
                        .held_count = layout->held_count,
                        .data = facts};
    if (!w->memory_of) return;
    const wrap_memory *at = &w->memory_of[number];
    out->is_pinned = at->pinned;
    out->device = at->pinned ? 1 : wrap_device_number(w, at->device);
}

static void make_segments(exec_program *x)
{
    const wrap_program *w = x->w;
    rt_segment *segments = NEW_ARRAY(x->memory, rt_segment, w->segment_count + 1);
    for (uint32_t k = 0; k < w->segment_count; k++)
        if (wrap_is_fixed(w, k))
            segments[k].bytes = w->arena_bytes;
        else
            make_segment(x, k, &segments[k]);
    x->program.segments = segments;
    x->program.segment_count = w->segment_count;
}

static void make_rooms(exec_program *x)
{
    const wrap_scratch_row *row;
    VEC(rt_room) rooms = {0};
    x->program.each_bytes = wrap_scratch_rows(x->w, x->memory, &row);
    for (; row->each; row++) vec_push(x->memory, &rooms, (rt_room){row->each, row->bytes});
    vec_push(x->memory, &rooms, (rt_room){0});
    x->program.rooms = rooms.at;
}

static void make_companions(exec_program *x)
{
    const wrap_program *w = x->w;
    uint32_t count = w->loops->buffers.count;
    x->companion = NEW_ARRAY(x->memory, loop_buffer_id, count + 1);
    x->next_companion = NEW_ARRAY(x->memory, loop_buffer_id, count + 1);
    for (loop_buffer_id id = 0; id < count; id++) x->companion[id] = LOOP_NO_BUFFER;
    for (loop_buffer_id id = count; id-- > 0;) {
        loop_buffer_id root = w->storage[id].life.root;
        if (root >= count || !wrap_comes_with(w, id, root)) continue;
        x->next_companion[id] = x->companion[root];
        x->companion[root] = id;
    }
}

void exec_make_tables(exec_program *x)
{
    text signature;
    text_init(&signature, x->memory);
    wrap_describe(x->w, &signature);
    x->program.signature = signature.at;
    make_rooms(x);
    make_symbols(x);
    exec_make_terms(x);
    make_input_ports(x);
    make_output_ports(x);
    exec_make_donated(x);
    exec_make_devices(x);
    make_weights(x);
    make_segments(x);
    make_companions(x);
}
