/* moot.c -- copies that are views where a size is 1.
 *
 * reshape, contiguous and their like copy what they cannot show, and [3,s0,2] with its first two
 * dimensions swapped can be shown where s0 is 1. A program has one of the two compiled in: the copy. Who
 * writes to it, or to what it is a copy of, and looks at the other one then, needs the sizes to be others
 * than 1, where 1 makes a view.
 */
#include "pass/functionalise.h"

void functionalise_note_copy(functionaliser *f, const fx_node *n)
{
    const ty_tensor *to = fx_tensor(n);
    if (n->kind != FX_CALL || n->op->param_count == 0 || !to || !op_returns_alias(n->op, 0)) return;
    const ty_tensor *from = fx_arg_tensor(&n->args[0]);
    if (!from || from->storage == to->storage || from->dtype != to->dtype) return;
    uint32_t base = map_get(&f->base_of_storage, from->storage),
             made = map_get(&f->base_of_storage, to->storage);
    bool is_open = false;
    for (uint32_t d = 0; d < from->rank; d++)
        is_open |= !sym_is_int(f->g->symbols, from->sizes[d], NULL);
    if (is_open && base != MAP_NONE && made != MAP_NONE)
        vec_push(f->memory, &f->copies, ((moot_copy){n, from, base, made}));
}

/* Does the rest of the program look at this storage, or the caller? */
static bool is_looked_at(const functionaliser *f, uint32_t base)
{
    for (uint32_t i = 1; i < f->aliases.count; i++) {
        const alias *a = &f->aliases.at[i];
        if (a->base != base) continue;
        if (a->node->kind == FX_PLACEHOLDER && a->node->input_kind != FX_CONSTANT) return true;
        for (uint32_t k = 0; k < a->node->users.count; k++)
            if (a->node->users.at[k]->order > f->at->order) return true;
    }
    return false;
}

enum { MOST_SYMBOLS = 12 };

/* Numbers for the symbols of a copy: 1 for some, for the others what nothing else is a multiple of. */
typedef struct trial {
    sym_expr symbols[MOST_SYMBOLS], numbers[MOST_SYMBOLS];
    uint32_t count;
} trial;

static void add(sym_table *t, trial *at, sym_expr symbol, int64_t number)
{
    if (at->count == MOST_SYMBOLS) return;
    at->symbols[at->count] = symbol;
    at->numbers[at->count++] = sym_int(t, number);
}

static bool is_among(const trial *at, sym_expr symbol)
{
    for (uint32_t k = 0; k < at->count; k++)
        if (sym_same(at->symbols[k], symbol)) return true;
    return false;
}

typedef struct filling {
    sym_table *t;
    trial *at;
} filling;

static void add_other(void *data, sym_expr symbol)
{
    static const int64_t PRIMES[MOST_SYMBOLS] = {101, 103, 107, 109, 113, 127,
                                                 131, 137, 139, 149, 151, 157};
    filling *f = data;
    if (!is_among(f->at, symbol)) add(f->t, f->at, symbol, PRIMES[f->at->count % MOST_SYMBOLS]);
}

/* Gives numbers to all the symbols of x. */
static void fill(sym_table *t, trial *at, const ty_tensor *x)
{
    filling f = {t, at};
    for (uint32_t d = 0; d < x->rank; d++) {
        sym_each_symbol(t, x->sizes[d], add_other, &f);
        sym_each_symbol(t, x->strides[d], add_other, &f);
    }
}

static ty_tensor *tried(functionaliser *f, const ty_tensor *x, const trial *at)
{
    ty_tensor *out = ty_tensor_copy(f->memory, x);
    sym_table *t = f->g->symbols;
    for (uint32_t d = 0; d < x->rank; d++) {
        out->sizes[d] = sym_substitute(t, x->sizes[d], at->symbols, at->numbers, at->count);
        out->strides[d] = sym_substitute(t, x->strides[d], at->symbols, at->numbers, at->count);
    }
    return out;
}

/* Does x lie as y does, of the same sizes, but for dimensions of size 1? */
static bool lies_as(sym_table *t, const ty_tensor *x, const ty_tensor *y)
{
    for (uint32_t d = 0; d < x->rank; d++)
        if (!sym_known_equal(t, x->sizes[d], sym_int(t, 1)) &&
            !sym_known_equal(t, x->strides[d], y->strides[d]))
            return false;
    return true;
}

static bool is_view_at(functionaliser *f, const moot_copy *copy, const trial *ones)
{
    sym_expr strides[TY_MAX_RANK];
    trial at = *ones;
    fill(f->g->symbols, &at, copy->from);
    fill(f->g->symbols, &at, fx_tensor(copy->node));
    if (at.count == MOST_SYMBOLS) return true; /* too many to tell */
    const ty_tensor *from = tried(f, copy->from, &at), *to = tried(f, fx_tensor(copy->node), &at);
    if (fx_is(copy->node, OP_aten_contiguous_default)) return lies_as(f->g->symbols, from, to);
    return ty_view_strides(f->g->symbols, from, to->rank, to->sizes, strides);
}

static bool may_be_one(sym_table *t, sym_expr size)
{
    return sym_prove(t, sym_compare(t, SYM_NE, size, sym_int(t, 1)), NULL) == SYM_UNKNOWN;
}

/* The symbols, of those that sizes are, which make the copy a view by being 1 all together and not each by
 * itself. False: a size is another expression. */
static bool together(functionaliser *f, const moot_copy *copy, trial *out)
{
    sym_table *t = f->g->symbols;
    *out = (trial){.count = 0};
    for (uint32_t d = 0; d < copy->from->rank; d++) {
        sym_expr size = copy->from->sizes[d];
        trial alone = {.count = 0};
        if (!may_be_one(t, size) || is_among(out, size)) continue;
        if (sym_op_of(t, size) != SYM_SYMBOL) return false;
        add(t, &alone, size, 1);
        if (!is_view_at(f, copy, &alone)) add(t, out, size, 1);
    }
    if (!is_view_at(f, copy, out)) out->count = 0;
    return true;
}

static void need(functionaliser *f, const moot_copy *copy, uint32_t d, sym_relation r)
{
    const char *line = fx_origin_line(f->g, copy->node->origin);
    fx_add_condition(f->g, r,
                     arena_printf(f->g->memory,
                                  "%s: what is written where dimension %u has size 1 is a view, of "
                                  "what the program is made to copy (%s%s%s)",
                                  copy->node->op->name, d, copy->node->name, line ? ", " : "",
                                  line ? line : ""));
}

static void need_copy(functionaliser *f, const moot_copy *copy)
{
    sym_table *t = f->g->symbols;
    sym_expr one = sym_int(t, 1);
    trial joint;
    bool is_plain = together(f, copy, &joint), is_pair = joint.count == 2;
    for (uint32_t d = 0; d < copy->from->rank; d++) {
        sym_expr size = copy->from->sizes[d];
        trial alone = {.count = 0};
        if (!may_be_one(t, size)) continue;
        add(t, &alone, size, 1);
        if (is_plain && is_among(&joint, size)) {
            sym_expr most = is_pair ? sym_max(t, joint.symbols[0], joint.symbols[1]) : size;
            need(f, copy, d,
                 is_pair ? (sym_relation){one, most, SYM_LT} : (sym_relation){size, one, SYM_NE});
        } else if (!is_plain || is_view_at(f, copy, &alone)) {
            need(f, copy, d, (sym_relation){size, one, SYM_NE});
        }
    }
}

void functionalise_keep_apart(functionaliser *f, uint32_t base)
{
    for (uint32_t i = 0; i < f->copies.count; i++) {
        const moot_copy *copy = &f->copies.at[i];
        if (base != copy->base && base != copy->made) continue;
        if (is_looked_at(f, base == copy->base ? copy->made : copy->base)) need_copy(f, copy);
    }
}
