/* expr.c -- the table of expressions: hash-consing, symbols, the order of expressions, looking
 * inside.
 *
 * Nodes live in one array; id 0 is a dummy. An open-addressing table maps (op, args, value) to the
 * id. Small constants have an array of their own, since static programs ask for little else.
 * Arguments are kept apart from the nodes and never move, so pointers to them stay good while
 * nodes are made.
 */
#include "sym/sym_priv.h"

#include <string.h>

sym_table *sym_table_new(arena *memory)
{
    sym_table *t = NEW(memory, sym_table);
    t->memory = memory;
    t->session = arena_session(memory);
    t->epoch = 1;
    t->ranges = NEW(memory, sym_memo);
    t->rewrites = NEW(memory, sym_memo);
    t->values = NEW(memory, sym_memo);
    vec_push(memory, &t->nodes, (sym_node){.op = SYM_CONST});
    t->zero = sym_int(t, 0);
    t->one = sym_int(t, 1);
    return t;
}

sym_table *sym_table_copy(const sym_table *t, arena *memory)
{
    sym_table *copy = sym_table_new(memory);
    copy->epoch = t->epoch;
    copy->nodes.count = copy->symbols.count = 0;
    for (uint32_t id = 0; id < t->nodes.count; id++) {
        sym_node n = t->nodes.at[id];
        if (n.count) n.args = arena_copy(memory, n.args, n.count * sizeof *n.args);
        vec_push(memory, &copy->nodes, n);
    }
    for (uint32_t i = 0; i < t->symbols.count; i++)
        vec_push(memory, &copy->symbols, t->symbols.at[i]);
    copy->by_name = map_copy(memory, &t->by_name);
    copy->slot_count = t->slot_count;
    copy->slots = arena_copy(memory, t->slots, t->slot_count * sizeof *t->slots);
    memcpy(copy->small, t->small, sizeof t->small);
    return copy;
}

fe_session *sym_session(const sym_table *t)
{
    return t->session;
}

/* ---- nodes ---- */

static uint32_t hash_parts(sym_op op, const sym_expr *args, uint32_t count, int64_t value)
{
    uint64_t h = HASH_MIX((uint64_t)op + 1, value);
    for (uint32_t i = 0; i < count; i++) h = HASH_MIX(h, args[i].id);
    return (uint32_t)(h ^ (h >> 32));
}

static bool has_parts(const sym_node *n, uint32_t hash, sym_op op, const sym_expr *args,
                      uint32_t count, int64_t value)
{
    return n->hash == hash && n->op == op && n->count == count && n->value == value &&
           (count == 0 || memcmp(n->args, args, count * sizeof *args) == 0);
}

static void grow_slots(sym_table *t)
{
    uint32_t grown = t->slot_count ? t->slot_count * 2 : 256;
    uint32_t *slots = NEW_ARRAY(t->memory, uint32_t, grown);
    for (uint32_t id = 1; id < t->nodes.count; id++) {
        uint32_t i = t->nodes.at[id].hash & (grown - 1);
        while (slots[i]) i = (i + 1) & (grown - 1);
        slots[i] = id;
    }
    t->slots = slots;
    t->slot_count = grown;
}

/* The slot that holds the node with these parts, or the free one where it belongs. */
static uint32_t find_slot(const sym_table *t, uint32_t hash, sym_op op, const sym_expr *args,
                          uint32_t count, int64_t value)
{
    uint32_t i = hash & (t->slot_count - 1);
    while (t->slots[i] && !has_parts(&t->nodes.at[t->slots[i]], hash, op, args, count, value))
        i = (i + 1) & (t->slot_count - 1);
    return i;
}

sym_expr sym_lookup(const sym_table *t, sym_op op, const sym_expr *args, uint32_t count,
                    int64_t value)
{
    if (t->slot_count == 0) return (sym_expr){0};
    uint32_t hash = hash_parts(op, args, count, value);
    return (sym_expr){t->slots[find_slot(t, hash, op, args, count, value)]};
}

/* Fills in what follows from the arguments. */
static void derive(const sym_table *t, sym_node *n)
{
    n->division = n->op == SYM_FLOORDIV || n->op == SYM_MOD;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        const sym_node *arg = sym_node_of(t, n->args[i]);
        n->symbols |= arg->symbols;
        if (arg->depth > depth) depth = arg->depth;
        if ((n->op == SYM_MUL || n->op == SYM_ADD) && arg->division) n->division = true;
    }
    n->depth = (uint16_t)(depth < UINT16_MAX ? depth + 1 : depth);
    if (n->op == SYM_SYMBOL) n->symbols = (uint64_t)1 << ((uint64_t)n->value % 64);
}

sym_expr sym_make(sym_table *t, sym_op op, const sym_expr *args, uint32_t count, int64_t value,
                  uint32_t rest)
{
    if ((uint64_t)t->nodes.count * 2 >= t->slot_count) grow_slots(t);
    uint32_t hash = hash_parts(op, args, count, value);
    uint32_t slot = find_slot(t, hash, op, args, count, value);
    if (t->slots[slot]) return (sym_expr){t->slots[slot]};

    uint32_t id = t->nodes.count;
    sym_node n = {
        .value = value, .rest = rest ? rest : id, .count = count, .hash = hash, .op = (uint8_t)op};
    if (count) n.args = arena_copy(t->memory, args, count * sizeof *args);
    derive(t, &n);
    vec_push(t->memory, &t->nodes, n);
    t->slots[slot] = id;
    return (sym_expr){id};
}

sym_expr sym_make2(sym_table *t, sym_op op, sym_expr a, sym_expr b)
{
    return sym_make(t, op, (sym_expr[]){a, b}, 2, 0, 0);
}

sym_expr sym_int(sym_table *t, int64_t value)
{
    if (value < SYM_SMALL_MIN || value > SYM_SMALL_MAX)
        return sym_make(t, SYM_CONST, NULL, 0, value, 0);
    uint32_t *known = &t->small[value - SYM_SMALL_MIN];
    if (!*known) *known = sym_make(t, SYM_CONST, NULL, 0, value, 0).id;
    return (sym_expr){*known};
}

/* ---- symbols ---- */

sym_symbol_data *sym_data(const sym_table *t, sym_expr symbol)
{
    const sym_node *n = sym_node_of(t, symbol);
    CHECK(t->session, n->op == SYM_SYMBOL);
    return &t->symbols.at[n->value];
}

sym_expr sym_find_symbol(const sym_table *t, const char *name)
{
    uint32_t index = map_get(&t->by_name, MAP_KEY(intern(t->session, name)));
    return index == MAP_NONE ? (sym_expr){0} : t->symbols.at[index].expr;
}

sym_expr sym_symbol(sym_table *t, const char *name, sym_kind kind, int64_t min, int64_t max)
{
    const char *interned = intern(t->session, name);
    uint32_t index = map_get(&t->by_name, MAP_KEY(interned));
    if (index != MAP_NONE) {
        sym_expr known = t->symbols.at[index].expr;
        sym_set_range(t, known, min, max);
        return known;
    }
    index = t->symbols.count;
    sym_expr e = sym_make(t, SYM_SYMBOL, NULL, 0, index, 0);
    sym_interval range = {min, max < min ? min : max};
    vec_push(t->memory, &t->symbols,
             (sym_symbol_data){.name = interned, .kind = kind, .range = range, .expr = e});
    map_set(t->memory, &t->by_name, MAP_KEY(interned), index);
    return e;
}

void sym_make_given(sym_table *t, sym_expr symbol)
{
    sym_symbol_data *data = sym_data(t, symbol);
    uint32_t index = map_get(&t->by_name, MAP_KEY(data->name));
    data->kind = SYM_SIZE;
    data->name = intern(t->session, arena_printf(t->memory, "%s_given", data->name));
    map_set(t->memory, &t->by_name, MAP_KEY(data->name), index);
    t->epoch++;
}

void sym_set_range(sym_table *t, sym_expr symbol, int64_t min, int64_t max)
{
    sym_interval *range = &sym_data(t, symbol)->range;
    if (min < range->min) min = range->min;
    if (max > range->max) max = range->max;
    bool changes = min != range->min || max != range->max;
    if (!changes || min > max) return;
    *range = (sym_interval){min, max};
    t->epoch++;
}

void sym_set_hint(sym_table *t, sym_expr symbol, int64_t hint)
{
    sym_symbol_data *data = sym_data(t, symbol);
    data->hint = hint;
    data->has_hint = true;
}

/* ---- the order ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* s0 before u0 before i0: sizes, then what is known only while running, then loop variables. */
static int name_class(const char *name)
{
    if (!is_digit(name[0] ? name[1] : '\0')) return 0;
    return *name == 'u' ? 1 : *name == 'i' || *name == 'r' ? 2 : 0;
}

/* Digits count as numbers: s2 before s10. */
static int order_names(const char *a, const char *b)
{
    int by_class = name_class(a) - name_class(b);
    if (by_class) return by_class;
    const char *x = a;
    const char *y = b;
    while (*x && *y) {
        if (is_digit(*x) && is_digit(*y)) {
            while (*x == '0') x++;
            while (*y == '0') y++;
            size_t m = strspn(x, "0123456789");
            size_t n = strspn(y, "0123456789");
            if (m != n) return m < n ? -1 : 1;
            int by_digits = strncmp(x, y, m);
            if (by_digits) return by_digits;
            x += m;
            y += n;
        } else {
            if (*x != *y) return *x < *y ? -1 : 1;
            x++;
            y++;
        }
    }
    if (*x || *y) return *x ? 1 : -1;
    return strcmp(a, b);
}

static int order_lists(const sym_table *t, const sym_expr *a, uint32_t a_count, const sym_expr *b,
                       uint32_t b_count)
{
    for (uint32_t i = 0; i < a_count && i < b_count; i++)
        if (a[i].id != b[i].id) return sym_order(t, a[i], b[i]);
    return a_count < b_count ? -1 : a_count > b_count;
}

/* Unequal ids mean unequal structure, so the first pair of arguments that differ decides: one path
 * down. */
int sym_order(const sym_table *t, sym_expr a, sym_expr b)
{
    if (a.id == b.id) return 0;
    const sym_node *x = sym_node_of(t, a);
    const sym_node *y = sym_node_of(t, b);
    if (x->op == SYM_CONST && y->op == SYM_CONST) return x->value < y->value ? -1 : 1;
    if (x->op == SYM_CONST || y->op == SYM_CONST) return x->op == SYM_CONST ? 1 : -1;
    if (x->op == SYM_SYMBOL && y->op == SYM_SYMBOL)
        return order_names(t->symbols.at[x->value].name, t->symbols.at[y->value].name);
    if (x->op != y->op) return x->op < y->op ? -1 : 1;
    int by_args = order_lists(t, x->args, x->count, y->args, y->count);
    if (by_args) return by_args;
    return x->value < y->value ? -1 : 1;
}

int sym_order_products(const sym_table *t, sym_expr a, sym_expr b)
{
    if (a.id == b.id) return 0;
    sym_expr single_a;
    sym_expr single_b;
    uint32_t m;
    uint32_t n;
    const sym_expr *x = sym_factors(t, a, &single_a, &m);
    const sym_expr *y = sym_factors(t, b, &single_b, &n);
    if (m != n) return m > n ? -1 : 1;
    return order_lists(t, x, m, y, n);
}

/* ---- looking inside ---- */

sym_op sym_op_of(const sym_table *t, sym_expr e)
{
    return (sym_op)sym_node_of(t, e)->op;
}

uint32_t sym_id_end(const sym_table *t)
{
    return t->nodes.count;
}

uint32_t sym_arg_count(const sym_table *t, sym_expr e)
{
    return sym_node_of(t, e)->count;
}

sym_expr sym_arg(const sym_table *t, sym_expr e, uint32_t i)
{
    const sym_node *n = sym_node_of(t, e);
    CHECK(t->session, i < n->count);
    return n->args[i];
}

bool sym_is_int(const sym_table *t, sym_expr e, int64_t *value)
{
    const sym_node *n = sym_node_of(t, e);
    if (n->op != SYM_CONST || e.id == 0) return false;
    if (value) *value = n->value;
    return true;
}

const char *sym_name(const sym_table *t, sym_expr symbol)
{
    return sym_data(t, symbol)->name;
}

sym_kind sym_kind_of(const sym_table *t, sym_expr symbol)
{
    return sym_data(t, symbol)->kind;
}

/* The entry of node `id`; not of this walk unless its stamp is memo->now. */
sym_memo_entry *sym_memo_at(const sym_table *t, sym_memo *memo, uint32_t id)
{
    if (id >= memo->entries.count) {
        vec_reserve(t->memory, &memo->entries, t->nodes.capacity);
        memo->entries.count = memo->entries.capacity;
    }
    return &memo->entries.at[id];
}

static bool contains(const sym_table *t, sym_expr e, sym_expr symbol)
{
    const sym_node *n = sym_node_of(t, e);
    if (e.id == symbol.id) return true;
    if (!(n->symbols & sym_node_of(t, symbol)->symbols) || n->count == 0) return false;
    sym_memo_entry *seen = sym_memo_at(t, t->values, e.id);
    if (seen->stamp == t->values->now) return false;
    seen->stamp = t->values->now;
    for (uint32_t i = 0; i < n->count; i++)
        if (contains(t, n->args[i], symbol)) return true;
    return false;
}

bool sym_contains(const sym_table *t, sym_expr e, sym_expr symbol)
{
    t->values->now++;
    return contains(t, e, symbol);
}

uint32_t sym_weight(const sym_table *t, sym_expr e, uint32_t most)
{
    const sym_node *n = sym_node_of(t, e);
    uint32_t weight = n->op == SYM_SYMBOL;
    for (uint32_t i = 0; i < n->count && weight < most && n->symbols; i++)
        weight += sym_weight(t, n->args[i], most - weight);
    return weight;
}

/* Counts e's symbols, and writes them down where there is room. */
static void collect_symbols(const sym_table *t, sym_expr e, sym_expr *found, uint32_t room,
                            uint32_t *count)
{
    const sym_node *n = sym_node_of(t, e);
    if (n->symbols == 0) return;
    sym_memo_entry *seen = sym_memo_at(t, t->values, e.id);
    if (seen->stamp == t->values->now) return;
    seen->stamp = t->values->now;
    if (n->op == SYM_SYMBOL) {
        if (*count < room) found[*count] = e;
        ++*count;
    }
    for (uint32_t i = 0; i < n->count; i++) collect_symbols(t, n->args[i], found, room, count);
}

void sym_each_symbol(const sym_table *t, sym_expr e, void (*visit)(void *data, sym_expr symbol),
                     void *data)
{
    enum { FEW = 64 };
    sym_expr few[FEW];
    sym_expr *found = few;
    uint32_t count = 0;
    t->values->now++;
    collect_symbols(t, e, few, FEW, &count);
    if (count > FEW) {
        uint32_t room = count;
        found = NEW_ARRAY(t->memory, sym_expr, room);
        count = 0;
        t->values->now++;
        collect_symbols(t, e, found, room, &count);
    }
    for (uint32_t i = 0; i < count; i++)
        visit(data, found[i]); /* which may ask the table anything */
}

typedef struct kind_search {
    const sym_table *t;
    sym_kind kind;
    bool found;
} kind_search;

static void check_kind(void *data, sym_expr symbol)
{
    kind_search *search = data;
    search->found |= sym_kind_of(search->t, symbol) == search->kind;
}

bool sym_has_kind(const sym_table *t, sym_expr e, sym_kind kind)
{
    kind_search search = {t, kind, false};
    sym_each_symbol(t, e, check_kind, &search);
    return search.found;
}

/* ---- symbols of relations ---- */

typedef struct symbol_list {
    arena *memory;
    VEC(sym_expr) all;
} symbol_list;

static void add_to_list(void *data, sym_expr symbol)
{
    symbol_list *list = data;
    for (uint32_t i = 0; i < list->all.count; i++)
        if (sym_same(list->all.at[i], symbol)) return;
    vec_push(list->memory, &list->all, symbol);
}

uint32_t sym_relation_symbols(const sym_table *t, const sym_relation *r, arena *memory,
                              sym_expr **out)
{
    symbol_list list = {.memory = memory};
    sym_each_symbol(t, r->left, add_to_list, &list);
    sym_each_symbol(t, r->right, add_to_list, &list);
    *out = list.all.at;
    return list.all.count;
}
