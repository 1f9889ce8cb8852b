/* split.c -- a tensor cut into a list of tensors, all views of it.
 *
 * How many there are is decided for the example's sizes when these are symbols, as PyTorch's guards
 * do. The operators that copy (split_copy, ...) take the rows of those that do not.
 */
#include "infer/infer_priv.h"

enum { MOST_PIECES = 65536 };

/* Pieces of these lengths, one behind the other. */
static void give_lengths(infer_call *c, const ty_tensor *x, uint32_t dim, const sym_expr *lengths,
                         uint32_t count)
{
    ty_tensor **pieces = NEW_ARRAY(c->memory, ty_tensor *, count);
    sym_expr start = infer_number(c, 0);
    for (uint32_t i = 0; i < count; i++) {
        pieces[i] = infer_narrow(c, x, dim, start, lengths[i], infer_number(c, 1));
        start = sym_add(c->symbols, start, lengths[i]);
    }
    infer_give_items(c, pieces, count);
}

/* a / b rounded up, written as PyTorch writes it. */
static sym_expr rounded_up(infer_call *c, sym_expr a, sym_expr b)
{
    sym_expr room = sym_add_int(c->symbols, sym_add(c->symbols, a, b), -1);
    return sym_floordiv(c->symbols, room, b);
}

/* How many, decided for the example's sizes when they are symbols. */
static uint32_t settled_count(infer_call *c, sym_expr count)
{
    int64_t number = sym_hint(c->symbols, count, 0);
    if (number < 0 || number > MOST_PIECES) {
        infer_fail(c, "a split into %lld pieces", (long long)number);
        return 0;
    }
    return (uint32_t)number;
}

static void give_pieces_of(infer_call *c, const ty_tensor *x, uint32_t dim, sym_expr length)
{
    sym_table *t = c->symbols;
    uint32_t count = 1;
    if (!infer_is(c, length, 0)) {
        sym_expr pieces = rounded_up(c, x->sizes[dim], length);
        count = settled_count(c, pieces);
        (void)INFER_REQUIRE_EQUAL(c, pieces, infer_number(c, count),
                                  "%s is split into %u pieces along dimension %u",
                                  infer_shape(c, x), count, dim);
    }
    if (count == 0) count = 1;
    sym_expr *lengths = NEW_ARRAY(c->memory, sym_expr, count);
    for (uint32_t i = 0; i + 1 < count; i++) lengths[i] = length;
    lengths[count - 1] = sym_sub(t, x->sizes[dim], sym_mul_int(t, length, (int64_t)count - 1));
    give_lengths(c, x, dim, lengths, count);
}

static bool has_dimension(infer_call *c, const ty_tensor *x)
{
    if (x && x->rank == 0) infer_fail(c, "a split of a tensor without dimensions");
    return x && c->status == FE_OK;
}

void rule_split(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!has_dimension(c, x)) return;
    give_pieces_of(c, x, infer_dim(c, "dim", x->rank), infer_expr(c, "split_size", 1));
}

void rule_split_with_sizes(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    const fx_arg *list = infer_arg(c, "split_sizes");
    if (!has_dimension(c, x) || !list || list->kind != FX_ARG_LIST) return;
    uint32_t count = list->list.count;
    sym_expr *lengths = NEW_ARRAY(c->memory, sym_expr, count);
    if (fx_arg_ints(c->graph, list, lengths, count) < 0)
        infer_fail(c, "'split_sizes' is not a list of integers");
    if (c->status == FE_OK) give_lengths(c, x, infer_dim(c, "dim", x->rank), lengths, count);
}

void rule_chunk(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!has_dimension(c, x)) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    int64_t chunks = infer_int(c, "chunks", 1);
    if (chunks < 1 || chunks > MOST_PIECES) infer_fail(c, "%lld chunks", (long long)chunks);
    if (c->status != FE_OK) return;
    if (infer_is(c, x->sizes[dim], 0)) {
        sym_expr *lengths = NEW_ARRAY(c->memory, sym_expr, chunks);
        for (int64_t i = 0; i < chunks; i++) lengths[i] = x->sizes[dim];
        give_lengths(c, x, dim, lengths, (uint32_t)chunks);
        return;
    }
    give_pieces_of(c, x, dim, rounded_up(c, x->sizes[dim], infer_number(c, chunks)));
}

/* As equal as can be, the first ones longer by one. */
static void give_sections(infer_call *c, const ty_tensor *x, uint32_t dim, int64_t sections)
{
    sym_table *t = c->symbols;
    sym_expr by = infer_number(c, sections);
    if (sections < 1 || sections > MOST_PIECES)
        infer_fail(c, "a split into %lld", (long long)sections);
    if (c->status != FE_OK) return;
    sym_expr *lengths = NEW_ARRAY(c->memory, sym_expr, sections);
    sym_expr least = sym_floordiv(t, x->sizes[dim], by);
    sym_expr rest = sym_mod(t, x->sizes[dim], by);
    int64_t longer = sym_hint(t, rest, 0);
    (void)infer_holds(c, SYM_EQ, rest, infer_number(c, longer));
    for (int64_t i = 0; i < sections; i++) lengths[i] = sym_add_int(t, least, i < longer);
    give_lengths(c, x, dim, lengths, (uint32_t)sections);
}

/* Cut before these positions: each part is the slice from one to the next. */
static void give_cuts(infer_call *c, const ty_tensor *x, uint32_t dim, const fx_arg *cuts)
{
    uint32_t count = cuts->list.count;
    ty_tensor **pieces = NEW_ARRAY(c->memory, ty_tensor *, count + 1);
    sym_expr start = infer_number(c, 0);
    for (uint32_t i = 0; i <= count; i++) {
        sym_expr end = infer_number(c, INT64_MAX);
        if (i < count && !fx_arg_expr(c->graph, &cuts->list.items[i], &end))
            infer_fail(c, "a position of the split is not an integer");
        pieces[i] = infer_between(c, x, dim, start, end, infer_number(c, 1));
        start = end;
    }
    infer_give_items(c, pieces, count + 1);
}

/* The same where only the run knows the positions. */
static void give_late_cuts(infer_call *c, const ty_tensor *x, uint32_t dim, const ty_tensor *cuts)
{
    int64_t count;
    if (cuts->rank != 1 || !sym_is_int(c->symbols, cuts->sizes[0], &count) ||
        count >= MOST_PIECES) {
        c->status = fx_fail(c->graph, c->node, "infer", FE_UNSUPPORTED, "give positions as numbers",
                            "cannot split into a number of parts that only the run knows");
        return;
    }
    ty_tensor **pieces = NEW_ARRAY(c->memory, ty_tensor *, count + 1);
    sym_expr zero = infer_number(c, 0), one = infer_number(c, 1);
    for (uint32_t i = 0; i <= count; i++) {
        pieces[i] = infer_narrow(c, x, dim, zero, infer_unbacked(c, i, dim), one);
        if (i) pieces[i]->offset = infer_unbacked_offset(c, i, x->offset);
    }
    infer_give_items(c, pieces, (uint32_t)count + 1);
}

/* tensor_split and, along the dimension of the parameter, hsplit (1), vsplit (0), dsplit (2). */
static void give_tensor_split(infer_call *c, const ty_tensor *x, uint32_t dim)
{
    const fx_arg *cuts = infer_arg(c, "indices");
    const ty_tensor *late = op_param_index(c->op, "tensor_indices_or_sections") >= 0
                                ? infer_tensor(c, "tensor_indices_or_sections")
                                : NULL;
    if (late)
        give_late_cuts(c, x, dim, late);
    else if (cuts && cuts->kind == FX_ARG_LIST)
        give_cuts(c, x, dim, cuts);
    else
        give_sections(c, x, dim, infer_int(c, "sections", 1));
}

void rule_tensor_split(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (has_dimension(c, x)) give_tensor_split(c, x, infer_dim(c, "dim", x->rank));
}

void rule_split_along(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!has_dimension(c, x)) return;
    uint32_t dim = x->rank == 1 ? 0 : infer_wrap(c, c->param, x->rank);
    if (c->status == FE_OK) give_tensor_split(c, x, dim);
}

void rule_unbind(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!has_dimension(c, x)) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    uint32_t count = settled_count(c, x->sizes[dim]);
    (void)INFER_REQUIRE_EQUAL(c, x->sizes[dim], infer_number(c, count),
                              "%s is %u tensors along dimension %u", infer_shape(c, x), count, dim);
    ty_tensor **items = NEW_ARRAY(c->memory, ty_tensor *, count);
    for (uint32_t i = 0; i < count; i++) items[i] = infer_select(c, x, dim, infer_number(c, i));
    infer_give_items(c, items, count);
}
