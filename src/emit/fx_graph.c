/* fx_graph.c -- graphs of the FX printer: nodes, what one graph takes from another, numbers as nodes. */
#include "emit/fx.h"

#include <math.h>
#include <string.h>

/* A graph under way. */
typedef struct emit_fx_part {
    const char *name;
    text nodes;
    map defined; /* names that it has, by interned pointer */
    VEC(const char *) taken;
    map expr_index; /* expression id -> node */
    VEC(const char *) expr_names;
    map memory_index; /* root -> node */
    VEC(const char *) memory_names;
    VEC(loop_buffer_id) memory_roots;
} emit_fx_part;

typedef struct emit_fx_state {
    VEC(emit_fx_part) parts; /* the innermost last */
    text done;               /* graphs that have ended */
    uint32_t fresh;
    const char *note;
} emit_fx_state;

static emit_fx_state *state_of(const emit_state *s)
{
    return s->own;
}

static emit_fx_part *innermost(const emit_state *s)
{
    return &vec_last(&state_of(s)->parts);
}

void emit_fx_text(emit_state *s, text *out)
{
    text_init(out, s->memory);
}

static const char *interned(const emit_state *s, const char *name)
{
    return intern(s->w->session, name);
}

static bool has(const emit_fx_part *part, const char *name)
{
    return map_get(&part->defined, MAP_KEY(name)) != MAP_NONE;
}

/* ---- literals ---- */

void emit_fx_string(text *out, const char *value)
{
    text_json(out, value);
}

void emit_fx_double(text *out, double value)
{
    if (isnan(value) || isinf(value))
        text_printf(out, "{\"float\": \"%s\"}", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    else
        text_double(out, value);
}

void emit_fx_dtype(ty_dtype dtype, text *out)
{
    text_printf(out, "{\"dtype\": \"%s\"}", ty_dtype_torch_name(dtype));
}

/* ---- graphs and nodes ---- */

static void open_part(emit_state *s, const char *name)
{
    emit_fx_part part = {.name = name};
    emit_fx_text(s, &part.nodes);
    vec_push(s->memory, &state_of(s)->parts, part);
}

void emit_fx_open(emit_state *s, const char *name)
{
    open_part(s, emit_fx_fresh(s, name));
}

void emit_fx_open_part(emit_state *s, const char *name)
{
    open_part(s, name);
}

const char *emit_fx_graph_name(const emit_state *s)
{
    return innermost(s)->name;
}

static void print_node(text *out, const char *op, const char *name, const char *target,
                       const text *args, const text *kwargs, const char *note)
{
    text_printf(out,
                "%s\n    {\"op\": \"%s\", \"name\": \"%s\", \"target\": \"%s\", \"args\": [%s]",
                out->length ? "," : "", op, name, target, args && args->length ? args->at : "");
    if (kwargs && kwargs->length) text_printf(out, ", \"kwargs\": {%s}", kwargs->at);
    if (note) {
        text_add(out, ", \"note\": ");
        emit_fx_string(out, note);
    }
    text_char(out, '}');
}

void emit_fx_node(emit_state *s, const char *op, const char *name, const char *target,
                  const text *args, const text *kwargs)
{
    emit_fx_part *part = innermost(s);
    map_set(s->memory, &part->defined, MAP_KEY(interned(s, name)), 1);
    print_node(&part->nodes, op, name, target, args, kwargs, state_of(s)->note);
}

void emit_fx_call(emit_state *s, const char *name, const char *target, const text *args,
                  const text *kwargs)
{
    emit_fx_node(s, "call_function", name, target, args, kwargs);
}

void emit_fx_note(emit_state *s, const char *note)
{
    state_of(s)->note = note;
}

const char *emit_fx_fresh(emit_state *s, const char *stem)
{
    return arena_printf(s->memory, "%s__%u", stem, state_of(s)->fresh++);
}

/* The graph ends: its placeholders, which are known now, and its nodes. */
static void finish(emit_state *s, const text *result)
{
    emit_fx_part *part = innermost(s);
    text *done = &state_of(s)->done, front;
    emit_fx_text(s, &front);
    for (uint32_t i = 0; i < part->taken.count; i++)
        print_node(&front, "placeholder", part->taken.at[i], part->taken.at[i], NULL, NULL, NULL);
    print_node(&part->nodes, "output", "output", "output", result, NULL, NULL);
    text_printf(done, "%s\n  \"%s\": [%s%s%s\n  ]", done->length ? "," : "", part->name,
                front.length ? front.at : "", front.length && part->nodes.at[0] != ',' ? "," : "",
                part->nodes.at);
}

static void print_refs(emit_state *s, const char *const *names, uint32_t count, text *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i) text_add(out, ", ");
        emit_fx_ref(s, names[i], out);
    }
}

static emit_fx_part close_part(emit_state *s, const text *result)
{
    finish(s, result);
    emit_fx_part part = *innermost(s);
    state_of(s)->parts.count--;
    return part;
}

void emit_fx_close(emit_state *s, const char *result, text *call)
{
    text args;
    emit_fx_text(s, &args);
    if (result) emit_fx_ref(s, result, &args);
    emit_fx_part part = close_part(s, &args);
    text_printf(call, "{\"graph\": \"%s\"}, [", part.name);
    print_refs(s, part.taken.at, part.taken.count, call);
    text_char(call, ']');
}

bool emit_fx_is_made_here(const emit_state *s, const char *name)
{
    const emit_fx_part *part = innermost(s);
    const char *known = interned(s, name);
    for (uint32_t i = 0; i < part->taken.count; i++)
        if (part->taken.at[i] == known) return false;
    return has(part, known);
}

void emit_fx_close_part(emit_state *s, const char *const *results, uint32_t count, const char *note)
{
    text args;
    emit_fx_text(s, &args);
    text_add(&args, "{\"tuple\": [");
    print_refs(s, results, count, &args);
    text_add(&args, "]}");
    emit_fx_part part = close_part(s, &args);
    const char *call = emit_fx_fresh(s, part.name);
    emit_fx_text(s, &args);
    print_refs(s, part.taken.at, part.taken.count, &args);
    emit_fx_note(s, note);
    emit_fx_node(s, "call_module", call, part.name, &args, NULL);
    emit_fx_note(s, NULL);
    for (uint32_t i = 0; i < count; i++) {
        emit_fx_text(s, &args);
        emit_fx_ref(s, call, &args);
        text_printf(&args, ", %u", i);
        emit_fx_call(s, results[i], "operator.getitem", &args, NULL);
    }
    for (uint32_t i = 0; i < part.memory_names.count; i++)
        if (has(innermost(s), interned(s, part.memory_names.at[i])))
            emit_fx_set_memory(s, part.memory_roots.at[i], part.memory_names.at[i]);
}

void emit_fx_ref(emit_state *s, const char *name, text *out)
{
    emit_fx_state *state = state_of(s);
    const char *known = interned(s, name);
    uint32_t at = state->parts.count;
    while (at > 0 && !has(&state->parts.at[at - 1], known)) at--;
    CHECK(s->w->session, at > 0);
    for (; at < state->parts.count; at++) {
        map_set(s->memory, &state->parts.at[at].defined, MAP_KEY(known), 1);
        vec_push(s->memory, &state->parts.at[at].taken, known);
    }
    text_printf(out, "{\"node\": \"%s\"}", name);
}

void emit_fx_begin(emit_state *s)
{
    emit_fx_state *state = NEW(s->memory, emit_fx_state);
    s->own = state;
    emit_fx_text(s, &state->done);
    open_part(s, "main");
}

void emit_fx_end(emit_state *s)
{
    emit_fx_state *state = state_of(s);
    text_printf(&s->out, "\"graphs\": {%s%s\n  \"main\": [%s\n  ]\n}",
                state->done.length ? state->done.at : "", state->done.length ? "," : "",
                innermost(s)->nodes.at);
}

/* ---- memory that several buffers share ---- */

const char *emit_fx_memory_of(const emit_state *s, loop_buffer_id root)
{
    const emit_fx_state *state = state_of(s);
    for (uint32_t at = state->parts.count; at > 0; at--) {
        const emit_fx_part *part = &state->parts.at[at - 1];
        uint32_t k = map_get(&part->memory_index, root);
        if (k != MAP_NONE) return part->memory_names.at[k];
    }
    return NULL;
}

void emit_fx_set_memory(emit_state *s, loop_buffer_id root, const char *name)
{
    emit_fx_part *part = innermost(s);
    map_set(s->memory, &part->memory_index, root, part->memory_names.count);
    vec_push(s->memory, &part->memory_names, name);
    vec_push(s->memory, &part->memory_roots, root);
}

/* ---- numbers ---- */

typedef struct known_search {
    const emit_state *s;
    bool is_known;
} known_search;

static void look_for_symbol(void *data, sym_expr symbol)
{
    known_search *search = data;
    const emit_fx_state *state = state_of(search->s);
    const char *name = interned(search->s, sym_name(search->s->w->loops->symbols, symbol));
    bool found = false;
    for (uint32_t i = 0; i < state->parts.count; i++) found |= has(&state->parts.at[i], name);
    search->is_known &= found;
}

bool emit_fx_is_known(const emit_state *s, sym_expr e)
{
    known_search search = {s, true};
    sym_each_symbol(s->w->loops->symbols, e, look_for_symbol, &search);
    return search.is_known;
}

static const char *const functions[] = {
    [SYM_ADD] = "operator.add",  [SYM_MUL] = "operator.mul", [SYM_FLOORDIV] = "ferrite.div",
    [SYM_MOD] = "ferrite.mod",   [SYM_MIN] = "ferrite.min",  [SYM_MAX] = "ferrite.max",
    [SYM_EQ] = "operator.eq",    [SYM_NE] = "operator.ne",   [SYM_LT] = "operator.lt",
    [SYM_LE] = "operator.le",    [SYM_AND] = "ferrite.both", [SYM_OR] = "ferrite.either",
    [SYM_NOT] = "operator.not_",
};

/* A node for the expression; operations of many are taken two at a time. */
static const char *number_node(emit_state *s, sym_expr e)
{
    const sym_table *t = s->w->loops->symbols;
    uint32_t known = map_get(&innermost(s)->expr_index, e.id), count = sym_arg_count(t, e);
    const char *name = NULL;
    if (known != MAP_NONE) return innermost(s)->expr_names.at[known];
    for (uint32_t i = count > 1 ? 1 : 0; i < count; i++) {
        text args;
        emit_fx_text(s, &args);
        if (name)
            emit_fx_ref(s, name, &args);
        else
            emit_fx_expr(s, sym_arg(t, e, 0), &args);
        if (count > 1) {
            text_add(&args, ", ");
            emit_fx_expr(s, sym_arg(t, e, i), &args);
        }
        name = emit_fx_fresh(s, "ps");
        emit_fx_call(s, name, functions[sym_op_of(t, e)], &args, NULL);
    }
    emit_fx_part *part = innermost(s);
    map_set(s->memory, &part->expr_index, e.id, part->expr_names.count);
    vec_push(s->memory, &part->expr_names, name);
    return name;
}

void emit_fx_expr(emit_state *s, sym_expr e, text *out)
{
    const sym_table *t = s->w->loops->symbols;
    int64_t value;
    if (sym_is_int(t, e, &value))
        text_printf(out, "%lld", (long long)value);
    else
        emit_fx_ref(s, sym_op_of(t, e) == SYM_SYMBOL ? sym_name(t, e) : number_node(s, e), out);
}

void emit_fx_exprs(emit_state *s, const sym_expr *exprs, uint32_t count, text *out)
{
    text_char(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i) text_add(out, ", ");
        emit_fx_expr(s, exprs[i], out);
    }
    text_char(out, ']');
}

void emit_fx_relation(emit_state *s, const sym_relation *r, text *out)
{
    text args;
    const char *name = emit_fx_fresh(s, "holds");
    emit_fx_text(s, &args);
    emit_fx_expr(s, r->left, &args);
    text_add(&args, ", ");
    emit_fx_expr(s, r->right, &args);
    emit_fx_call(s, name, functions[r->op], &args, NULL);
    emit_fx_ref(s, name, out);
}
