/* lower.c -- the driver: inputs, each node by its row, outputs, and reading a node's arguments. */
#include "lower/ragged.h"
#include "lower/rows.h"

#include <stdio.h>
#include <string.h>

static const lower_row ROWS[OP_BUILTIN_COUNT] = {
#define OP(id, schema, columns) [OP_##id] = {.op = OP_##id, columns},
#define LOWER(rule, its) .lower = lower_op_##rule, .parameter = its,
#define VIEW(rule, its) .lower = lower_op_##rule, .parameter = its, .is_view = true,
#define CODE(opcode) .lower = lower_pointwise, .parameter = LOOP_##opcode,
#define FORMULA(f, places) .lower = lower_pointwise, .formula = formula_of_##f, .operands = places,
#define WORKS(its) .promotion = LOWER_##its,
#include "op/ops.def"
};

enum { IS_LOWERING, IS_INFERENCE };
#define OP(id, schema, columns) \
    _Static_assert(0 columns,   \
                   #id ": one of DECOMPOSE, LOWER, VIEW, CODE, FORMULA, NUMBER, BY, LACKS");
#define WRITER(id, schema, columns)
#define DECOMPOSE(rule, operator) +1
#define LOWER(rule, parameter) +1
#define VIEW(rule, parameter) +1
#define CODE(opcode) +1
#define FORMULA(f, places) +1
#define NUMBER(rule, opcode) +1
#define BY(who) +1
#define LACKS(what) +(IS_##what == IS_LOWERING)
#include "op/ops.def"

static const lower_row *row_of(const fx_node *n)
{
    bool has_row = n->kind == FX_CALL && n->op->id < OP_BUILTIN_COUNT && ROWS[n->op->id].lower;
    return has_row ? &ROWS[n->op->id] : NULL;
}

fe_status lower_fail(lowering *l, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *message = arena_alloc(l->memory, (size_t)length + 1);
    vsnprintf(message, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return fx_fail(l->graph, l->node, "lower", FE_UNSUPPORTED,
                   "replace it in the model, or register the operator as a custom operator with "
                   "its own kernel",
                   "%s", message);
}

/* ---- who reads a node, and what shows in the outputs ---- */

static bool is_getitem(const fx_node *n)
{
    return fx_is(n, OP_operator_getitem);
}

static bool looks_through(const fx_node *n)
{
    const lower_row *row = row_of(n);
    return is_getitem(n) || (row && row->is_view);
}

/* From the last node to the first: a view's readers are its operand's. */
static void count_readers(lowering *l)
{
    for (fx_node *n = l->graph->last; n; n = n->prev) {
        uint32_t count = 0;
        for (uint32_t k = 0; k < n->users.count; k++) {
            const fx_node *user = n->users.at[k];
            bool through = looks_through(user);
            count += through ? l->readers[user->id] : 1;
            if (user->kind == FX_OUTPUT || (through && l->shows[user->id])) l->shows[n->id] = 1;
        }
        l->readers[n->id] = count;
    }
}

bool lower_has_strides(lowering *l, const loop_view *v, const ty_tensor *meta)
{
    for (uint32_t k = 0; k < v->rank; k++) {
        if (sym_same(v->strides[k], meta->strides[k]) || lower_is_one(l, v->sizes[k])) continue;
        if (!sym_known_equal(l->symbols, v->strides[k], meta->strides[k])) return false;
    }
    return true;
}

bool lower_repeats(lowering *l, const ty_tensor *t)
{
    for (uint32_t k = 0; k < t->rank; k++)
        if (lower_is_zero(l, t->strides[k]) && !lower_is_one(l, t->sizes[k])) return true;
    return false;
}

/* The copy of it that all else reads in its place; or itself. */
static const fx_node *copy_of(const fx_node *n)
{
    const fx_node *user = n->users.count == 1 ? n->users.at[0] : NULL;
    bool is_copy =
        user && (fx_is(user, OP_aten_clone_default) || fx_is(user, OP_aten_contiguous_default));
    return is_copy ? user : n;
}

const sym_expr *lower_wanted(lowering *l, uint32_t item)
{
    const fx_value *v = &l->node->value;
    const fx_node *shown = l->node;
    if (v->kind == FX_TUPLE) {
        shown = NULL;
        for (uint32_t k = 0; k < l->node->users.count && !shown; k++) {
            int64_t number;
            fx_node *user = l->node->users.at[k];
            if (is_getitem(user) && fx_arg_int(l->graph, &user->args[1], &number) &&
                number == (int64_t)item)
                shown = user;
        }
        v = item < v->count ? &v->items[item] : NULL;
    }
    if (!shown || !v || v->kind != FX_TENSOR) return NULL;
    shown = copy_of(shown);
    if (!l->shows[shown->id]) return NULL;
    if (fx_tensor(shown)) v = &shown->value;
    return lower_repeats(l, v->tensor) ? NULL : v->tensor->strides;
}

/* ---- results ---- */

static uint32_t readers_of_item(lowering *l, uint32_t item)
{
    uint32_t readers = 0;
    for (uint32_t k = 0; k < l->node->users.count; k++) {
        int64_t number;
        fx_node *user = l->node->users.at[k];
        if (!is_getitem(user))
            readers++;
        else if (!fx_arg_int(l->graph, &user->args[1], &number) || number == (int64_t)item ||
                 number + l->node->value.count == (int64_t)item)
            readers += l->readers[user->id];
    }
    return readers;
}

bool lower_is_used(lowering *l, uint32_t item)
{
    return readers_of_item(l, item) > 0;
}

fe_status lower_give(lowering *l, lower_tensor t)
{
    lower_tensor *item = arena_copy(l->memory, &t, sizeof t);
    l->results[l->node->id] = (lower_result){.present = true, .count = 1, .items = item};
    if (!t.box->realised && !t.map && t.box->maker == l->node) {
        if (!t.box->wanted) t.box->wanted = lower_wanted(l, 0);
        lower_settle(l, t.box, l->readers[l->node->id]);
    }
    return FE_OK;
}

/* What is read was computed, and is what was recorded. */
static fe_status check_item(lowering *l, lower_tensor item, uint32_t number)
{
    const fx_value *v = &l->node->value;
    if (!lower_is_used(l, number)) return FE_OK;
    if (lower_absent(item)) return lower_fail(l, "its result %u", number);
    if (v->kind != FX_TUPLE || number >= v->count || v->items[number].kind != FX_TENSOR)
        return FE_OK;
    CHECK(l->session, item.rank == v->items[number].tensor->rank);
    return FE_OK;
}

fe_status lower_give_items(lowering *l, const lower_tensor *items, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) FE_TRY(check_item(l, items[k], k));
    lower_tensor *copy = arena_copy(l->memory, items, count * sizeof *items);
    l->results[l->node->id] = (lower_result){.present = true, .count = count, .items = copy};
    for (uint32_t k = 0; k < count; k++) {
        lower_box *box = items[k].box;
        if (!box || box->realised || items[k].map || box->maker != l->node) continue;
        if (!box->wanted) box->wanted = lower_wanted(l, k);
        lower_settle(l, box, readers_of_item(l, k));
    }
    return FE_OK;
}

ty_tensor *lower_meta(lowering *l, uint32_t item)
{
    const fx_value *v = &l->node->value;
    if (v->kind == FX_TUPLE) v = item < v->count ? &v->items[item] : v;
    return v->kind == FX_TENSOR ? v->tensor : NULL;
}

void lower_take_up(lowering *l, fx_node *n)
{
    l->node = n;
    const fx_value *v = n ? &n->value : NULL;
    while (v && v->kind == FX_TUPLE && v->count) v = v->items;
    l->device = v && v->kind == FX_TENSOR ? v->tensor->device : TY_HOST;
}

/* ---- placeholders ---- */

static const char *buffer_name(lowering *l, const fx_node *n)
{
    const char *from = n->target && *n->target ? n->target : n->name;
    char *name = arena_strdup(l->memory, from);
    for (char *c = name; *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || *c == '_' || *c == '.';
        if (!plain) *c = '_';
    }
    bool like_temp =
        strncmp(name, "buf", 3) == 0 && strspn(name + 3, "0123456789") == strlen(name + 3);
    const char *unique =
        intern(l->session, like_temp ? arena_printf(l->memory, "%s_", name) : name);
    for (uint32_t k = 1; map_get(&l->names, MAP_KEY(unique)) != MAP_NONE; k++)
        unique = intern(l->session, arena_printf(l->memory, "%s_%u", name, k));
    map_set(l->memory, &l->names, MAP_KEY(unique), 1);
    return unique;
}

static bool is_mutated(const lowering *l, const fx_node *n)
{
    const fx_node *output = l->graph->last;
    for (uint32_t k = 0; k < l->graph->outputs.count; k++) {
        const fx_output *o = &l->graph->outputs.at[k];
        if (output->args[k].kind == FX_ARG_NODE && output->args[k].node == n) continue;
        if (o->kind != FX_USER_OUTPUT && o->kind != FX_TOKEN_OUTPUT && o->target && n->target &&
            strcmp(o->target, n->target) == 0)
            return true;
    }
    return false;
}

/* Of which input it is taken, where the caller does not give it by itself. */
static void note_taken(lowering *l, const fx_node *n, loop_input *in)
{
    if (!n->taken) return;
    for (uint32_t k = 0; k < l->graph->inputs.count; k++) {
        const fx_node *of = l->graph->inputs.at[k];
        if (of->taken || of->input_kind != FX_USER_INPUT || strcmp(of->target, n->taken_of) != 0)
            continue;
        in->taken = n->taken == FX_STORAGE_OF ? LOOP_STORAGE_OF : LOOP_START_OF;
        in->of = l->program->buffers.at[l->results[of->id].items[0].box->view.buffer].input;
    }
}

/* What an argument shows is told by every call, also where an earlier run's values have decided it. */
static void note_told(void *data, sym_expr symbol)
{
    lowering *l = data;
    map_set(l->memory, &l->defined, symbol.id, 1);
}

static fe_status add_tensor(lowering *l, const fx_node *n, loop_buffer_kind kind)
{
    const ty_tensor *meta = n->value.tensor;
    if (meta->rank > LOWER_MAX_RANK)
        return lower_fail(l, "%s has %u dimensions; at most %d are supported", n->name, meta->rank,
                          LOWER_MAX_RANK);
    loop_buffer b = {.name = buffer_name(l, n),
                     .kind = kind,
                     .dtype = meta->dtype,
                     .device = meta->device,
                     .rank = meta->rank,
                     .sizes = meta->sizes,
                     .strides = meta->strides,
                     .input = kind == LOOP_INPUT ? l->program->inputs.count : UINT32_MAX,
                     .origin = n->id};
    if (kind != LOOP_INPUT && n->data) {
        int64_t offset = 0;
        sym_is_int(l->symbols, meta->offset, &offset);
        size_t skipped = (size_t)offset * ty_dtype_size(meta->dtype);
        b.data = n->data->bytes ? n->data->bytes + skipped : NULL;
        b.data_bytes = n->data->size > skipped ? n->data->size - skipped : 0;
    }
    loop_buffer_id id = loop_add_buffer(l->program, b);
    lower_tensor t = lower_viewed(l, loop_view_of(l->program, id));
    loop_input in = {.name = b.name, .is_tensor = true, .buffer = id};
    note_taken(l, n, &in);
    if (kind == LOOP_INPUT) vec_push(l->memory, &l->program->inputs, in);
    for (uint32_t d = 0; kind == LOOP_INPUT && d < meta->rank; d++) {
        sym_each_symbol(l->symbols, meta->sizes[d], note_told, l);
        sym_each_symbol(l->symbols, meta->strides[d], note_told, l);
    }
    return lower_give(l, t);
}

static void add_number(lowering *l, const fx_node *n)
{
    const fx_value *v = &n->value;
    loop_input in = {.name = n->target && *n->target ? n->target : n->name,
                     .buffer = LOOP_NO_BUFFER,
                     .dtype = TY_NO_DTYPE};
    if ((v->kind == FX_INT || v->kind == FX_BOOL) && !sym_is_none(v->expr)) {
        in.dtype = v->kind == FX_INT ? TY_I64 : TY_BOOL;
        in.expr = v->expr;
    }
    if (v->kind == FX_FLOAT && v->is_known) {
        in.dtype = TY_F64;
        in.number = v->number;
    }
    note_taken(l, n, &in);
    if (!sym_is_none(in.expr)) sym_each_symbol(l->symbols, in.expr, note_told, l);
    vec_push(l->memory, &l->program->inputs, in);
}

/* A number that no symbol stands for: memory of rank 0 that kernels read. */
static bool is_read_from_memory(const fx_node *n)
{
    const fx_value *v = &n->value;
    return (v->kind == FX_FLOAT && !v->is_known) || (v->kind == FX_BOOL && sym_is_none(v->expr));
}

static fe_status add_number_in_memory(lowering *l, const fx_node *n)
{
    ty_tensor meta = {.dtype = n->value.kind == FX_FLOAT ? TY_F64 : TY_BOOL,
                      .device = TY_HOST,
                      .offset = l->zero};
    fx_node as_tensor = *n;
    as_tensor.value = (fx_value){.kind = FX_TENSOR, .tensor = &meta};
    return add_tensor(l, &as_tensor, LOOP_INPUT);
}

static fe_status lower_placeholder(lowering *l, fx_node *n)
{
    bool tensor = n->value.kind == FX_TENSOR;
    switch (n->input_kind) {
    case FX_USER_INPUT:
        if (tensor) return add_tensor(l, n, LOOP_INPUT);
        if (is_read_from_memory(n)) return add_number_in_memory(l, n);
        add_number(l, n);
        return FE_OK;
    case FX_CONSTANT_INPUT: add_number(l, n); return FE_OK;
    case FX_TOKEN: /* an order of effects, which the program's own order keeps */
        if (!tensor) return FE_OK;
        return lower_give(l, lower_value(l, n->value.tensor->dtype, n->value.tensor->rank,
                                         n->value.tensor->sizes,
                                         loop_const_int(l->program, n->value.tensor->dtype, 0)));
    case FX_PARAMETER:
    case FX_BUFFER:
    case FX_CONSTANT:
        if (!tensor || (!n->users.count && !is_mutated(l, n))) return FE_OK;
        return add_tensor(l, n, is_mutated(l, n) ? LOOP_STATE : LOOP_CONSTANT);
    default: return FE_OK;
    }
}

/* ---- nodes ---- */

static bool has_numbers_only(const fx_node *n)
{
    fx_value_kind kind = n->value.kind;
    return kind == FX_INT || kind == FX_BOOL || kind == FX_FLOAT || kind == FX_NO_VALUE;
}

/* Tensors in a value; tuples in tuples lie flat in a result. */
static uint32_t count_tensors(const fx_value *v)
{
    uint32_t count = 0;
    if (v->kind != FX_TUPLE) return 1;
    for (uint32_t k = 0; k < v->count; k++) count += count_tensors(&v->items[k]);
    return count;
}

static fe_status lower_getitem(lowering *l, fx_node *n)
{
    int64_t number;
    if (n->args[0].kind != FX_ARG_NODE || !fx_arg_int(l->graph, &n->args[1], &number))
        return lower_fail(l, "the item's number is not a constant");
    const lower_result *from = &l->results[n->args[0].node->id];
    const fx_value *v = &n->args[0].node->value;
    uint32_t items = v->kind == FX_TUPLE ? v->count : from->count, first = 0, count = 1;
    if (number < 0) number += items;
    if (number < 0 || number >= (int64_t)items)
        return lower_fail(l, "there is no item %lld", (long long)number);
    for (uint32_t k = 0; k < (uint32_t)number; k++)
        first += v->kind == FX_TUPLE ? count_tensors(&v->items[k]) : 1;
    if (v->kind == FX_TUPLE) count = count_tensors(&v->items[number]);
    CHECK(l->session, first + count <= from->count);
    l->results[n->id] =
        (lower_result){.present = true, .count = count, .items = from->items + first};
    return FE_OK;
}

typedef struct missing {
    lowering *l;
    bool any;
} missing;

static void note_missing(void *data, fx_node *n)
{
    missing *m = data;
    const fx_value *v = &n->value;
    bool is_tensors = v->kind == FX_TENSOR || v->kind == FX_TUPLE,
         is_open_number = (v->kind == FX_FLOAT && !v->is_known) ||
                          ((v->kind == FX_INT || v->kind == FX_BOOL) && sym_is_none(v->expr));
    m->any |= (is_tensors || is_open_number) && !m->l->results[n->id].present;
}

/* An operand that could not be lowered has been reported; what hangs on it is not reported again. */
static bool lacks_operand(lowering *l, const fx_node *n)
{
    missing m = {.l = l};
    for (uint32_t k = 0; k < n->arg_count; k++) fx_arg_each_node(&n->args[k], note_missing, &m);
    l->passes_over |= m.any;
    return m.any;
}

static fe_status check_ranks(lowering *l, const fx_value *v)
{
    if (v->kind == FX_TENSOR && v->tensor->rank > LOWER_MAX_RANK)
        return lower_fail(l, "a tensor of %u dimensions; at most %d are supported", v->tensor->rank,
                          LOWER_MAX_RANK);
    for (uint32_t k = 0; v->kind == FX_TUPLE && k < v->count; k++)
        FE_TRY(check_ranks(l, &v->items[k]));
    return FE_OK;
}

static bool is_number_known(const lowering *l, const fx_node *n)
{
    const fx_value *v = &n->value;
    if (!has_numbers_only(n) || row_of(n) || n->op->custom) return false;
    return v->is_known ||
           (!sym_is_none(v->expr) && !sym_has_kind(l->symbols, v->expr, SYM_UNBACKED));
}

bool lower_moves_nothing(const lowering *l, const fx_node *n)
{
    if (n->kind != FX_CALL) return false;
    if (is_getitem(n) || is_number_known(l, n)) return true;
    const fx_value *v = &n->value;
    while (v->kind == FX_TUPLE && v->count) v = v->items;
    const ty_tensor *seen = n->arg_count ? fx_arg_tensor(&n->args[0]) : NULL;
    return v->kind == FX_TENSOR && seen && v->tensor->storage &&
           v->tensor->storage == seen->storage &&
           !(n->op->flags & (OPF_DATA_DEPENDENT | OPF_HIGHER_ORDER)) && !n->op->custom;
}

static fe_status lower_call(lowering *l, fx_node *n)
{
    const lower_row *row = row_of(n);
    if (!row && n->op->is_mutating)
        return fx_fail(l->graph, n, "lower", FE_UNSUPPORTED,
                       "leave the passes on: functionalise makes it return what it writes",
                       "it writes to an argument");
    if (!row && !is_getitem(n) && !n->op->custom) {
        if (n->op->flags & OPF_SYMBOLIC) {
            if (lacks_operand(l, n)) return FE_OK;
            FE_TRY(lower_symbolic(l, n));
            lower_leave_part(l, n);
            return FE_OK;
        }
        if (has_numbers_only(n) && n->value.kind != FX_NO_VALUE && !sym_is_none(n->value.expr))
            return FE_OK;
        if (!n->users.count && !(n->op->flags & OPF_EFFECT) && !n->op->is_mutating) return FE_OK;
        return lower_fail(l, "there is no lowering for this operator yet");
    }
    if (lacks_operand(l, n)) return FE_OK;
    FE_TRY(check_ranks(l, &n->value));
    if (is_getitem(n)) return lower_getitem(l, n);
    FE_TRY(n->op->custom ? lower_custom(l, n) : row->lower(l, n, row));
    fe_status status = lower_check_results(l, n);
    if (status != FE_OK) l->results[n->id].present = false;
    lower_leave_part(l, n);
    return status;
}

void lower_enter(lowering *l, fx_graph *g)
{
    uint32_t count = g->next_id + 1;
    l->graph = g;
    l->results = NEW_ARRAY(l->memory, lower_result, count);
    l->readers = NEW_ARRAY(l->memory, uint32_t, count);
    l->shows = NEW_ARRAY(l->memory, uint8_t, count);
    count_readers(l);
}

static void prepare(lowering *l, fx_graph *g, arena *memory)
{
    *l = (lowering){
        .session = g->session, .symbols = g->symbols, .memory = memory, .seed = LOOP_NO_BUFFER};
    l->program = loop_program_new(g->session, memory, g->symbols, g->name ? g->name : "main");
    l->asserts = NEW(memory, lower_asserts);
    l->zero = sym_int(l->symbols, 0);
    l->one = sym_int(l->symbols, 1);
    for (uint32_t k = 0; k < LOWER_MAX_RANK; k++) {
        l->axes[k] = loop_axis(l->program, k);
        l->reduce_axes[k] = loop_reduce_axis(l->program, k);
    }
    lower_enter(l, g);
}

/* Every operator that is not supported has its diagnostic. */
fe_status lower_nodes(lowering *l)
{
    fe_status status = FE_OK;
    for (fx_node *n = l->graph->first; n; n = n->next) {
        fe_status one = FE_OK;
        lower_take_up(l, n);
        if (n->kind == FX_PLACEHOLDER && !l->caller) one = lower_placeholder(l, n);
        if (n->kind == FX_CALL) one = lower_call(l, n);
        if (one != FE_OK && one != FE_UNSUPPORTED) return one;
        if (one != FE_OK) status = one;
    }
    lower_take_up(l, l->graph->output);
    lower_conditions(l);
    CHECK(l->session, status != FE_OK || !l->passes_over || l->caller);
    return status;
}

fe_status lower_graph(fx_graph *g, arena *memory, const lower_split *split,
                      const lower_choices *choices, loop_program **out)
{
    lowering *l = NEW(memory, lowering);
    prepare(l, g, memory);
    l->results_kept = choices->results;
    l->direct_convolution = choices->direct_convolution;
    l->for_host = choices->for_host;
    l->holds = choices->holds;
    if (split) lower_find_parts(l, split);
    lower_guards(l);
    FE_TRY(lower_nodes(l));
    FE_TRY(lower_outputs(l));
    lower_group_parts(l);
    lower_finish_symbols(l);
    *out = l->program;
    return loop_guard(l->program, "lower", lower_say_unfit, l);
}
