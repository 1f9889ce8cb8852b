/* graph.c -- nodes and their uses: making, moving, replacing, erasing.
 *
 * Each reference to a node, wherever in the argument lists it stands, knows its place in that
 * node's list of users, so that a use is dropped in constant time: the last entry moves into the
 * hole. Lists inside arguments belong to one node alone.
 */
#include "fx/fx_priv.h"

#include <ctype.h>
#include <string.h>

fx_graph *fx_graph_new(fe_session *s, arena *memory, sym_table *symbols, op_registry *ops,
                       const char *name)
{
    fx_graph *g = NEW(memory, fx_graph);
    g->session = s;
    g->memory = memory;
    g->symbols = symbols;
    g->ops = ops;
    g->name = intern(s, name);
    g->next_storage = 1;
    return g;
}

/* ---- names ---- */

static const char *legal_name(fx_graph *g, const char *wanted)
{
    if (!*wanted) return intern(g->session, "node");
    const char *at = wanted;
    while (isalnum((unsigned char)*at) || *at == '_' || *at == '.') at++;
    if (!*at) return intern(g->session, wanted);
    char *copy = arena_strdup(g->memory, wanted);
    for (char *c = copy; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.') *c = '_';
    return intern(g->session, copy);
}

static const char *unique_name(fx_graph *g, const char *wanted)
{
    const char *base = legal_name(g, wanted), *name = base;
    uint32_t suffix = map_get(&g->suffixes, MAP_KEY(base));
    if (suffix == MAP_NONE) suffix = 0;
    while (map_get(&g->by_name, MAP_KEY(name)) != MAP_NONE) {
        name = intern(g->session, arena_printf(g->memory, "%s_%u", base, ++suffix));
        map_set(g->memory, &g->suffixes, MAP_KEY(base), suffix);
    }
    return name;
}

fx_node *fx_find(const fx_graph *g, const char *name)
{
    uint32_t id = map_get(&g->by_name, MAP_KEY(intern(g->session, name)));
    return id == MAP_NONE ? NULL : g->by_id.at[id];
}

/* ---- the list of nodes ---- */

fx_node *fx_new_node(fx_graph *g, fx_kind kind, const char *name)
{
    fx_node *node = NEW(g->memory, fx_node);
    node->id = g->next_id++;
    node->kind = kind;
    node->name = unique_name(g, name);
    node->target = "";
    map_set(g->memory, &g->by_name, MAP_KEY(node->name), node->id);
    while (g->by_id.count <= node->id) vec_push(g->memory, &g->by_id, NULL);
    g->by_id.at[node->id] = node;
    return node;
}

void fx_link(fx_graph *g, fx_node *node, fx_node *before)
{
    node->next = before;
    node->prev = before ? before->prev : g->last;
    *(node->prev ? &node->prev->next : &g->first) = node;
    *(before ? &before->prev : &g->last) = node;
    g->node_count++;
}

static void unlink_node(fx_graph *g, fx_node *node)
{
    *(node->prev ? &node->prev->next : &g->first) = node->next;
    *(node->next ? &node->next->prev : &g->last) = node->prev;
    node->prev = node->next = NULL;
    g->node_count--;
}

void fx_move_before(fx_graph *g, fx_node *node, fx_node *before)
{
    if (before == node) return;
    unlink_node(g, node);
    fx_link(g, node, before ? before : g->output);
}

void fx_renumber(fx_graph *g)
{
    uint32_t order = 0;
    for (fx_node *n = g->first; n; n = n->next) n->order = order++;
}

/* ---- uses ---- */

static fx_arg copy_arg(fx_graph *g, const fx_arg *a)
{
    fx_arg copy = *a;
    copy.use = FX_NO_USE;
    if (a->kind != FX_ARG_LIST) return copy;
    copy.list.items = NEW_ARRAY(g->memory, fx_arg, a->list.count);
    for (uint32_t i = 0; i < a->list.count; i++)
        copy.list.items[i] = copy_arg(g, &a->list.items[i]);
    return copy;
}

static void add_uses(fx_graph *g, fx_node *user, fx_arg *a)
{
    if (a->kind == FX_ARG_NODE) {
        CHECK(g->session, a->node != NULL);
        a->use = a->node->users.count;
        vec_push(g->memory, &a->node->users, user);
    } else if (a->kind == FX_ARG_LIST) {
        for (uint32_t i = 0; i < a->list.count; i++) add_uses(g, user, &a->list.items[i]);
    }
}

/* The reference to `node` among `args` that stands at `use` in its list of users, or NULL. */
static fx_arg *find_reference(fx_arg *args, uint32_t count, const fx_node *node, uint32_t use)
{
    for (uint32_t i = 0; i < count; i++) {
        fx_arg *a = &args[i];
        if (a->kind == FX_ARG_NODE && a->node == node && a->use == use) return a;
        if (a->kind != FX_ARG_LIST) continue;
        fx_arg *inside = find_reference(a->list.items, a->list.count, node, use);
        if (inside) return inside;
    }
    return NULL;
}

static fx_arg *reference_at(fx_graph *g, const fx_node *node, uint32_t use)
{
    fx_node *user = node->users.at[use];
    fx_arg *a = find_reference(user->args, user->arg_count, node, use);
    if (!a)
        BUG(g->session, "%%%s is not used by %%%s as its list of users says", node->name,
            user->name);
    return a;
}

static void drop_uses(fx_graph *g, fx_arg *a)
{
    if (a->kind == FX_ARG_NODE) {
        fx_node *node = a->node;
        uint32_t hole = a->use, last = node->users.count - 1;
        CHECK(g->session, hole <= last && node->users.count > 0);
        a->use = FX_NO_USE;
        if (hole != last) {
            reference_at(g, node, last)->use = hole;
            node->users.at[hole] = node->users.at[last];
        }
        node->users.count--;
    } else if (a->kind == FX_ARG_LIST) {
        for (uint32_t i = 0; i < a->list.count; i++) drop_uses(g, &a->list.items[i]);
    }
}

/* A number where the schema wants a bool: 1 for True. */
static void read_bool(const fx_graph *g, const op_info *op, uint32_t index, fx_arg *a)
{
    int64_t value;
    bool wanted = op && index < op->param_count && op->params[index].type.base == OP_BOOL &&
                  !op->params[index].type.list && !(op->flags & OPF_HIGHER_ORDER);
    if (wanted && a->kind == FX_ARG_INT && sym_is_int(g->symbols, a->expr, &value))
        *a = fx_bool(value != 0);
}

void fx_take_args(fx_graph *g, fx_node *node, const fx_arg *args, uint32_t count)
{
    fx_arg *copies = NEW_ARRAY(g->memory, fx_arg, count);
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = copy_arg(g, &args[i]);
        read_bool(g, node->op, i, &copies[i]);
    }
    for (uint32_t i = 0; i < node->arg_count; i++) drop_uses(g, &node->args[i]);
    node->args = copies;
    node->arg_count = count;
    node->is_stale = true;
    for (uint32_t i = 0; i < count; i++) add_uses(g, node, &copies[i]);
}

void fx_set_arg(fx_node *user, uint32_t index, fx_arg arg, fx_graph *g)
{
    CHECK(g->session, index < user->arg_count);
    fx_arg copy = copy_arg(g, &arg);
    drop_uses(g, &user->args[index]);
    user->args[index] = copy;
    user->is_stale = true;
    add_uses(g, user, &user->args[index]);
}

void fx_replace_uses_if(fx_graph *g, fx_node *old, fx_node *with,
                        bool (*want)(const fx_node *user, void *), void *data)
{
    if (old == with) return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < old->users.count; i++) {
        fx_node *user = old->users.at[i];
        bool moves = user != with && (!want || want(user, data));
        if (!moves && kept == i) {
            kept++;
            continue;
        }
        fx_arg *a = reference_at(g, old, i);
        if (moves) {
            a->node = with;
            user->is_stale = true;
            add_uses(g, user, a);
        } else {
            a->use = kept;
            old->users.at[kept++] = user;
        }
    }
    old->users.count = kept;
}

void fx_replace_uses(fx_graph *g, fx_node *old, fx_node *with)
{
    fx_replace_uses_if(g, old, with, NULL, NULL);
}

/* ---- making and erasing nodes ---- */

fx_node *fx_placeholder(fx_graph *g, fx_input_kind kind, const char *name, const char *target)
{
    fx_node *behind = g->inputs.count > 0 ? vec_last(&g->inputs) : NULL;
    fx_node *node = fx_new_node(g, FX_PLACEHOLDER, name);
    node->input_kind = kind;
    node->target = intern(g->session, target ? target : "");
    node->is_persistent = kind == FX_BUFFER;
    fx_link(g, node, behind ? behind->next : g->first);
    vec_push(g->memory, &g->inputs, node);
    return node;
}

fx_node *fx_call(fx_graph *g, fx_node *before, const op_info *op, const char *name,
                 const fx_arg *args, uint32_t count)
{
    fx_node *node = fx_new_node(g, FX_CALL, name ? name : op->base);
    node->op = op;
    fx_take_args(g, node, args, count);
    fx_link(g, node, before ? before : g->output);
    return node;
}

fx_node *fx_emit(fx_graph *g, fx_node *before, op_id id, const fx_node *like, uint32_t count,
                 const fx_arg *args)
{
    const op_info *op = op_get(g->ops, id);
    fx_node *node;
    if (op->flags & OPF_HIGHER_ORDER) {
        node = fx_call(g, before, op, NULL, args, count);
    } else {
        CHECK(g->session, count <= op->param_count);
        fx_arg *all = NEW_ARRAY(g->memory, fx_arg, op->param_count);
        if (count > 0) memcpy(all, args, count * sizeof *all);
        for (uint32_t i = count; i < op->param_count; i++)
            if (!fx_default(g, &op->params[i], &all[i]))
                BUG(g->session, "%s made without its argument %s", op->name, op->params[i].name);
        node = fx_call(g, before, op, NULL, all, op->param_count);
    }
    node->origin = like ? like->origin : NULL;
    return node;
}

fx_node *fx_set_output(fx_graph *g, const fx_arg *values, const fx_output *kinds, uint32_t count)
{
    if (!g->output) {
        g->output = fx_new_node(g, FX_OUTPUT, "output");
        fx_link(g, g->output, NULL);
    }
    fx_take_args(g, g->output, values, count);
    fx_output *copies = NEW_ARRAY(g->memory, fx_output, count); /* `kinds` may be the graph's own */
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = kinds[i];
        if (kinds[i].target) copies[i].target = intern(g->session, kinds[i].target);
    }
    g->outputs.at = copies;
    g->outputs.count = g->outputs.capacity = count;
    return g->output;
}

void fx_erase(fx_graph *g, fx_node *node)
{
    if (node->users.count > 0)
        BUG(g->session, "%%%s erased while %%%s uses it", node->name, node->users.at[0]->name);
    CHECK(g->session, g->by_id.at[node->id] == node);
    for (uint32_t i = 0; i < node->arg_count; i++) drop_uses(g, &node->args[i]);
    node->arg_count = 0;
    unlink_node(g, node);
    g->by_id.at[node->id] = NULL;
    map_remove(&g->by_name, MAP_KEY(node->name));
    if (node->kind == FX_PLACEHOLDER) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < g->inputs.count; i++)
            if (g->inputs.at[i] != node) g->inputs.at[kept++] = g->inputs.at[i];
        g->inputs.count = kept;
    } else if (node->kind == FX_OUTPUT) {
        g->output = NULL;
        g->outputs.count = 0;
    }
}

void fx_set_op(fx_graph *g, fx_node *node, const op_info *op, const fx_arg *args, uint32_t count)
{
    CHECK(g->session, node->kind == FX_CALL);
    node->op = op;
    fx_take_args(g, node, args, count);
}

fx_node *fx_add_constant(fx_graph *g, const char *name, const ty_tensor *meta, const void *data,
                         size_t size)
{
    fx_node *node = fx_placeholder(g, FX_CONSTANT, name, NULL);
    node->target = node->name;
    ty_tensor *tensor = ty_tensor_copy(g->memory, meta);
    if (tensor->storage == 0) tensor->storage = g->next_storage++;
    node->value = (fx_value){.kind = FX_TENSOR, .tensor = tensor};
    fx_data *kept = NEW(g->memory, fx_data);
    *kept = (fx_data){.bytes = data, .size = size};
    node->data = kept;
    return node;
}
