/* place.c -- which device each node of the graph runs on: where the program was recorded, or is moved (option
 * device), or nodes are by name (option place).
 *
 * What a device has kernels for runs there; all else is on the host. Inputs and outputs are where they were
 * recorded, and so on the host where a program is moved, unless they are to move with it (option
 * device-ports); buffers that the program changes go where their new values are made. Copies are nodes of
 * the graph, `_to_copy`, one for each tensor that crosses. Whether there are kernels is seen when the graph
 * is lowered: calls of runtime operators, and values that the device cannot compute, send their nodes back to
 * the host, until what is lowered has none.
 */
#include "driver/driver.h"
#include "infer/infer.h"
#include "kern/kern.h"
#include "lower/lower.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 16 };

typedef struct placing {
    driver_program *d;
    fx_graph *g;
    ty_device *wanted;      /* by node id: where it is to run */
    ty_device *given;       /* by node id: where its value is when it is an output */
    ty_device ports;        /* where inputs and outputs of a program that is moved are */
    bool is_moved;          /* by an option */
    bool *stays;            /* by node id: on the host, whatever else */
    bool *returned;         /* by node id: a view that is given out, or of which one is */
    VEC(fx_node *) copies;  /* that were put in */
    VEC(fx_node *) sources; /* what each copies */
    map copied;             /* node id and device -> number of its copy */
    uint32_t known;         /* nodes that the graph had */
    bool fails, changed;    /* in this round */
} placing;

/* ---- nodes ---- */

static void move_value(arena *memory, fx_value *v, ty_device device)
{
    if (v->kind == FX_TENSOR && v->tensor && !ty_same_place(v->tensor->device, device)) {
        v->tensor = arena_copy(memory, v->tensor, sizeof *v->tensor);
        v->tensor->device = device;
    }
    for (uint32_t i = 0; v->kind == FX_TUPLE && i < v->count; i++)
        move_value(memory, &v->items[i], device);
}

void place_bring_home(fx_graph *g)
{
    for (fx_node *n = g->first; n; n = n->next) {
        move_value(g->memory, &n->value, TY_HOST);
        for (uint32_t i = 0; i < n->arg_count; i++)
            if (n->args[i].kind == FX_ARG_DEVICE)
                n->args[i].device = TY_HOST;
            else if (n->args[i].kind == FX_ARG_GRAPH)
                place_bring_home(n->args[i].graph);
    }
}

static const ty_tensor *first_tensor(const fx_node *n)
{
    const fx_value *v = &n->value;
    while (v->kind == FX_TUPLE && v->count) v = &v->items[0];
    return v->kind == FX_TENSOR ? v->tensor : NULL;
}

static bool takes_graph(const fx_node *n)
{
    for (uint32_t i = 0; i < n->arg_count; i++)
        if (n->args[i].kind == FX_ARG_GRAPH) return true;
    return false;
}

/* Regions, and what writes to its arguments, run on the host. */
static bool may_move(const fx_node *n)
{
    if (n->kind != FX_CALL || !first_tensor(n) || takes_graph(n)) return false;
    for (uint32_t i = 0; i < n->op->param_count; i++)
        if (n->op->params[i].is_written) return false;
    return true;
}

/* Items of a tuple are where it is, and so are places in the memory of a tensor. */
static ty_device place_of(const placing *p, const fx_node *n)
{
    for (uint32_t i = 0; i < n->arg_count; i++)
        if (n->args[i].kind == FX_ARG_NODE && n->args[i].node->value.kind == FX_TUPLE) {
            const ty_tensor *item = first_tensor(n->args[i].node);
            return item ? item->device : TY_HOST;
        }
    if (fx_is(n, OP_aten_as_strided_default) && fx_arg_tensor(&n->args[0]))
        return fx_arg_tensor(&n->args[0])->device;
    if (!may_move(n) || p->stays[n->id]) return TY_HOST;
    const ty_tensor *base = p->returned[n->id] ? fx_arg_tensor(&n->args[0]) : NULL;
    bool is_kept = base && ty_same_place(base->device, p->given[n->id]);
    return is_kept ? base->device : p->wanted[n->id];
}

/* Views of inputs that are given out stay what they are. */
static void find_returned(placing *p)
{
    for (fx_node *n = p->g->last; n; n = n->prev) {
        if (n->kind != FX_CALL || !op_is_plain_view(n->op)) continue;
        for (uint32_t i = 0; i < n->users.count; i++) {
            const fx_node *user = n->users.at[i];
            p->returned[n->id] |= user->kind == FX_OUTPUT || p->returned[user->id];
        }
    }
}

/* The input or buffer that an output is the new value of; NULL: it is no such output, or is returned. */
static fx_node *changed_by(const placing *p, const fx_output *o)
{
    if (o->kind != FX_BUFFER_MUTATION && o->kind != FX_PARAMETER_MUTATION &&
        o->kind != FX_USER_INPUT_MUTATION)
        return NULL;
    for (uint32_t k = 0; o->target && k < p->g->inputs.count; k++) {
        fx_node *in = p->g->inputs.at[k];
        if ((in->target && strcmp(in->target, o->target) == 0) || strcmp(in->name, o->target) == 0)
            return in;
    }
    return NULL;
}

/* ---- copies ---- */

static fx_arg copy_of(placing *p, fx_node *from, fx_node *before, ty_device to)
{
    uint64_t key = (uint64_t)from->id << 32 | (uint64_t)to.kind << 24 | (uint32_t)(to.index + 1);
    uint32_t known = map_get(&p->copied, key);
    if (known != MAP_NONE) return fx_of(p->copies.at[known]);
    fx_arg args[] = {fx_of(from), fx_none(),    fx_none(), {.kind = FX_ARG_DEVICE, .device = to},
                     fx_none(),   fx_bool(true)};
    fx_node *made = fx_emit(p->g, before, OP_aten__to_copy_default, from, COUNT_OF(args), args);
    ty_tensor *meta = arena_copy(p->g->memory, fx_tensor(from), sizeof *meta);
    meta->device = to;
    meta->offset = sym_int(p->g->symbols, 0);
    meta->storage = p->g->next_storage++;
    made->value = (fx_value){.kind = FX_TENSOR, .tensor = meta};
    made->is_stale = false;
    map_set(p->d->memory, &p->copied, key, p->copies.count);
    vec_push(p->d->memory, &p->copies, made);
    vec_push(p->d->memory, &p->sources, from);
    return fx_of(made);
}

static fx_arg bring(placing *p, fx_node *user, ty_device device, fx_arg arg)
{
    if (arg.kind == FX_ARG_LIST) {
        fx_arg *items = NEW_ARRAY(p->g->memory, fx_arg, arg.list.count + 1);
        for (uint32_t i = 0; i < arg.list.count; i++)
            items[i] = bring(p, user, device, arg.list.items[i]);
        arg.list.items = items;
        return arg;
    }
    const ty_tensor *t = fx_arg_tensor(&arg);
    if (!t || ty_same_place(t->device, device)) return arg;
    return copy_of(p, arg.node, user, device);
}

/* Where output i is to be: with what it is the new value of, else where it was given. */
static ty_device place_of_output(const placing *p, uint32_t i)
{
    const fx_output *o = &p->g->outputs.at[i];
    const fx_node *input = changed_by(p, o), *value = p->g->output->args[i].node;
    if (input && first_tensor(input)) return first_tensor(input)->device;
    return value->id < p->known ? p->given[value->id] : p->ports;
}

/* Arguments come to where the node runs. A conversion that moves is done where its argument is, and where
 * that cannot, here. */
static void bring_arguments(placing *p, fx_node *n)
{
    const ty_tensor *t = first_tensor(n);
    ty_device device = n->kind == FX_CALL && t ? t->device : TY_HOST;
    bool moves =
        n->kind == FX_CALL && (n->op->flags & OPF_MOVES) && !(n->id < p->known && p->stays[n->id]);
    for (uint32_t i = moves; i < n->arg_count; i++) {
        if (n->kind == FX_OUTPUT && n->args[i].kind == FX_ARG_NODE) device = place_of_output(p, i);
        fx_arg arg = bring(p, n, device, n->args[i]);
        bool is_same = arg.kind == n->args[i].kind && arg.kind != FX_ARG_LIST &&
                       (arg.kind != FX_ARG_NODE || arg.node == n->args[i].node);
        if (!is_same) fx_set_arg(n, i, arg, p->g);
    }
}

static void take_copies_out(placing *p)
{
    for (uint32_t k = p->copies.count; k-- > 0;) {
        fx_replace_uses(p->g, p->copies.at[k], p->sources.at[k]);
        fx_erase(p->g, p->copies.at[k]);
    }
    p->copies.count = p->sources.count = 0;
    p->copied = (map){0};
}

/* ---- what cannot run there ---- */

/* The node that an op was lowered from runs on the host; where that is a copy, what it copies does. */
static void send_back(placing *p, uint32_t origin)
{
    for (uint32_t k = 0; k < p->copies.count; k++)
        if (p->copies.at[k]->id == origin) origin = p->sources.at[k]->id;
    p->fails = true;
    if (origin >= p->known) return;
    const fx_node *n = p->g->by_id.at[origin];
    if (n && n->arg_count && n->args[0].kind == FX_ARG_NODE &&
        n->args[0].node->value.kind == FX_TUPLE)
        origin = n->args[0].node->id;
    if (p->stays[origin]) return;
    p->stays[origin] = true;
    p->changed = true;
}

bool place_holds(ty_device device, ty_dtype dtype)
{
    const target_machine *there = target_of_device(ty_device_words[device.kind]);
    return !there || kern_holds(there, dtype);
}

typedef struct look {
    const placing *p;
    ty_device device; /* that the nest runs on */
    bool fails;
} look;

static void look_at_value(void *data, loop_value v)
{
    look *k = data;
    const loop_program *loops = k->p->d->loops;
    const loop_node *n = loop_at(loops, v);
    if (n->op == LOOP_LOAD)
        k->fails |= !ty_same_place(loops->buffers.at[n->buffer].device, k->device);
    if (ty_is_host(k->device)) return;
    const target_machine *there = target_of_device(ty_device_words[k->device.kind]);
    k->fails |= !place_holds(k->device, n->dtype);
    if (loop_operand_count(n->op) == 0 || n->op == LOOP_MASKED)
        return; /* loads, or where they are */
    ty_dtype operand = loop_at(loops, n->args[n->op == LOOP_WHERE])->dtype;
    k->fails |= !kern_can(there, n->op, operand);
}

static bool stores_there(const placing *p, const loop_store *st, ty_device device)
{
    const target_machine *there = target_of_device(ty_device_words[device.kind]);
    return !there ||
           kern_can_store(there, loop_at(p->d->loops, st->value)->dtype, st->reduce, st->mode);
}

static bool is_elsewhere(const placing *p, loop_buffer_id id)
{
    return id != LOOP_NO_BUFFER && !ty_is_host(p->d->loops->buffers.at[id].device);
}

static bool runs_there(const placing *p, const loop_op *op)
{
    look k = {.p = p};
    if (op->kind == LOOP_NEST) {
        for (uint32_t i = 0; i < op->store_count; i++) {
            const loop_store *st = &op->stores[i];
            k.device = p->d->loops->buffers.at[st->buffer].device;
            k.fails |= !stores_there(p, st, k.device);
            loop_each_store_node(p->d->loops, &op->stores[i], look_at_value, &k);
        }
        return !k.fails;
    }
    if (op->kind == LOOP_EXTERN && loop_moves(p->d->loops, op)) return true;
    for (uint32_t i = 0; i < op->input_count; i++)
        if (is_elsewhere(p, op->inputs[i].buffer)) return false;
    for (uint32_t i = 0; i < op->output_count; i++)
        if (is_elsewhere(p, op->outputs[i].buffer)) return false;
    return true;
}

/* ---- the whole ---- */

/* Of a program that is moved. */
static void place_changed_buffers(placing *p)
{
    for (uint32_t i = 0; p->is_moved && i < p->g->outputs.count; i++) {
        fx_node *buffer = changed_by(p, &p->g->outputs.at[i]);
        const fx_arg *value = &p->g->output->args[i];
        if (!buffer || buffer->input_kind == FX_USER_INPUT || value->kind != FX_ARG_NODE) continue;
        move_value(p->g->memory, &buffer->value,
                   value->node->kind == FX_CALL ? place_of(p, value->node) : TY_HOST);
    }
}

static fe_status lower_placed(placing *p)
{
    driver_program *d = p->d;
    place_changed_buffers(p);
    for (fx_node *n = p->g->first; n; n = n->next)
        if (n->kind == FX_CALL) move_value(p->g->memory, &n->value, place_of(p, n));
    for (fx_node *n = p->g->first; n; n = n->next) bring_arguments(p, n);
    FE_TRY(split_lower(d, d->split));
    p->fails = p->changed = false;
    for (uint32_t i = 0; i < d->loops->ops.count; i++)
        if (!runs_there(p, &d->loops->ops.at[i])) send_back(p, d->loops->ops.at[i].origin);
    return FE_OK;
}

/* ---- options ---- */

static const char *devices_help(arena *memory)
{
    const target_machine *t;
    text out;
    text_init(&out, memory);
    text_add(&out, "devices: recorded, cpu");
    for (uint32_t i = 0; (t = target_device_at(i)) != NULL; i++)
        text_printf(&out, ", %s%s", t->name, t->driver ? "" : " (ferrite_device.h)");
    text_add(&out, "; with :N the one of that number");
    return out.at;
}

static fe_status read_device(driver_program *d, const char *option, const char *name,
                             ty_device *out)
{
    const char *colon = strchr(name, ':');
    size_t length = colon ? (size_t)(colon - name) : strlen(name);
    char none[1] = "", *end = none;
    long index = colon ? strtol(colon + 1, &end, 10) : -1;
    bool is_known = ty_device_kind_of(name, length, &out->kind) &&
                    (out->kind == TY_CPU || target_of_device(ty_device_words[out->kind]));
    out->index = (int32_t)index;
    if (is_known && !*end && (!colon || (colon[1] && index >= 0 && index < 1 << 20))) return FE_OK;
    return diag_fail(d->session,
                     (diag){.status = FE_USAGE, .stage = "lower", .help = devices_help(d->memory)},
                     "%s: kernels are made for no device '%s'", option, name);
}

static bool matches(const char *pattern, const fx_node *n)
{
    const char *module = n->origin && n->origin->module_path ? n->origin->module_path : "";
    return n->kind == FX_CALL &&
           (fnmatch(pattern, n->op->name, 0) == 0 || fnmatch(pattern, n->op->base, 0) == 0 ||
            (*module && fnmatch(pattern, module, 0) == 0));
}

/* PATTERN=DEVICE of all nodes that it matches; the last that does decides. */
static fe_status read_place(placing *p, const char *option)
{
    const char *equals = strrchr(option, '=');
    ty_device device;
    bool any = false;
    if (!equals)
        return diag_fail(p->d->session, (diag){.status = FE_USAGE, .stage = "lower"},
                         "place: '%s' is no PATTERN=DEVICE", option);
    const char *pattern = arena_printf(p->d->memory, "%.*s", (int)(equals - option), option);
    FE_TRY(read_device(p->d, "place", equals + 1, &device));
    for (fx_node *n = p->g->first; n; n = n->next) {
        if (!matches(pattern, n)) continue;
        p->wanted[n->id] = device;
        any = true;
    }
    if (any) return FE_OK;
    return diag_fail(p->d->session,
                     (diag){.status = FE_USAGE,
                            .stage = "lower",
                            .help = "patterns are of operators (aten.mul.Tensor, mul*) or modules "
                                    "(encoder.layers.*)"},
                     "place: '%s' is the name of no operator or module of the program", pattern);
}

bool place_is_asked_for(const driver_options *o)
{
    return o->place.count || (o->device && strcmp(o->device, "recorded") != 0);
}

typedef struct device_search {
    bool any, all_have_kernels;
} device_search;

static void look_for_devices(device_search *search, const fx_value *v)
{
    if (v->kind == FX_TENSOR && v->tensor && !ty_is_host(v->tensor->device)) {
        search->any = true;
        search->all_have_kernels &=
            target_of_device(ty_device_words[v->tensor->device.kind]) != NULL;
    }
    for (uint32_t i = 0; v->kind == FX_TUPLE && i < v->count; i++)
        look_for_devices(search, &v->items[i]);
}

/* A program that was recorded on devices runs there where there are kernels for all of them. */
bool place_is_wanted(const driver_program *d)
{
    device_search search = {.all_have_kernels = true};
    if (place_is_asked_for(&d->options)) return true;
    for (const fx_node *n = d->graph->first; n; n = n->next) look_for_devices(&search, &n->value);
    return search.any && search.all_have_kernels;
}

static fe_status read_options(placing *p)
{
    const driver_options *o = &p->d->options;
    ty_device device = TY_HOST;
    if (o->device && strcmp(o->device, "recorded") != 0)
        FE_TRY(read_device(p->d, "device", o->device, &device));
    p->is_moved = place_is_asked_for(o);
    p->ports = o->device_ports ? device : TY_HOST;
    for (fx_node *n = p->g->first; n; n = n->next) {
        const ty_tensor *t = first_tensor(n);
        if (p->is_moved && n->kind == FX_PLACEHOLDER && n->input_kind == FX_USER_INPUT)
            move_value(p->g->memory, &n->value, p->ports);
        p->wanted[n->id] = p->is_moved || !t ? device : t->device;
        p->given[n->id] = p->is_moved || !t ? p->ports : t->device;
    }
    for (uint32_t i = 0; i < o->place.count; i++) FE_TRY(read_place(p, o->place.at[i]));
    return FE_OK;
}

/* ---- the stage ---- */

/* Graphs for others (driver_for_host) are made of what was recorded. Regions run on the host. */
static void keep_recorded(driver_program *d)
{
    d->recorded = fx_clone_apart(d->graph, d->memory);
    for (fx_node *n = d->graph->first; n; n = n->next)
        for (uint32_t i = 0; i < n->arg_count; i++)
            if (n->args[i].kind == FX_ARG_GRAPH) place_bring_home(n->args[i].graph);
}

fe_status place_and_lower(driver_program *d)
{
    uint32_t known = d->graph->by_id.count;
    placing p = {.d = d,
                 .g = d->graph,
                 .known = known,
                 .wanted = NEW_ARRAY(d->memory, ty_device, known + 1),
                 .given = NEW_ARRAY(d->memory, ty_device, known + 1),
                 .stays = NEW_ARRAY(d->memory, bool, known + 1),
                 .returned = NEW_ARRAY(d->memory, bool, known + 1)};
    FE_TRY(read_options(&p));
    if (!p.is_moved) keep_recorded(d);
    find_returned(&p);
    for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
        FE_TRY(lower_placed(&p));
        if (!p.fails) return FE_OK;
        take_copies_out(&p);
        if (!p.changed) break;
    }
    memset(p.stays, true, known);
    return lower_placed(&p);
}
