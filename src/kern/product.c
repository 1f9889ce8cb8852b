/* product.c -- products that work-groups take in tiles: matrix products, convolutions, attention's.
 *
 * A kernel is a product by its lines alone: one sum of x * y a row, in loops right inside each other,
 * where some of the rows' axes are x's alone and others y's. x of a tile's rows and y of its columns
 * are worked out once for so many steps of the sum, put into local memory, and multiplied from there;
 * what x and y are made of does not matter: strides, divisions, masks at the edges of an image,
 * conversions of halves. The IR stays as it was: `by tiles` says how the same rows are taken.
 *
 * Sums of a tile's steps are added up by themselves, then to the total: in the dtype of the sum, with
 * no rounding of products.
 */
#include "kern/kern_priv.h"

enum {
    LEAST_EXTENT = 16, /* rows, columns and steps of a product */
    MOST_WASTE = 4,    /* times as many elements as it has in its tiles */
    SUMMED = 1 << LOOP_MAX_AXES,
    JOINED = 1 << (LOOP_MAX_AXES + 1), /* of the sum itself */
    AXES = SUMMED - 1
};

typedef struct finding {
    const kern_ir *k;
    kern_product *p;
    uint32_t *made_of;
    bool ended; /* what is added up has come */
} finding;

/* ---- what values are made of ---- */

typedef struct visiting {
    const finding *f;
    uint32_t found;
} visiting;

static void visit_symbol(void *data, sym_expr symbol)
{
    visiting *v = data;
    const kern_ir *k = v->f->k;
    kern_ref value = kern_symbol_value(k, symbol);
    if (value) v->found |= v->f->made_of[value];
    if (sym_kind_of(k->symbols, symbol) != SYM_INDEX) return;
    for (uint32_t i = 0; i < k->outer; i++)
        if (sym_same(k->axes[i], symbol)) {
            v->found |= 1u << i;
            return;
        }
    v->found |= SUMMED;
}

static void note_value(const finding *f, kern_ref ref)
{
    const kern_value *v = &f->k->values.at[ref];
    visiting visit = {f, 0};
    if (!sym_is_none(v->index)) sym_each_symbol(f->k->symbols, v->index, visit_symbol, &visit);
    for (uint32_t i = 0; i < COUNT_OF(v->args); i++) visit.found |= f->made_of[v->args[i]];
    visit.found |= f->made_of[v->guard];
    if (v->kind == KERN_RESULT || v->kind == KERN_VARIABLE) visit.found |= JOINED;
    f->made_of[ref] = visit.found;
}

/* ---- lines ---- */

static bool is_plain(const kern_loop *loop)
{
    return loop->kind == KERN_SEQUENCE && !loop->shared && !loop->columns && !loop->in_block &&
           !sym_is_none(loop->extent);
}

static bool end_sum(finding *f, const kern_item *item)
{
    if (f->ended) return false;
    f->ended = true;
    f->p->added = item->value;
    f->p->variable = item->kind == KERN_SET ? item->variable : 0;
    f->p->sum = item->sum;
    return item->kind == KERN_UPDATE || sym_is_none(item->flat);
}

static bool read_loop(finding *f, const kern_loop *loop)
{
    if (!is_plain(loop) || f->p->loop_count == LOOP_MAX_AXES) return false;
    f->p->loops[f->p->loop_count++] = loop;
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        if (f->ended) return false;
        if (item->kind == KERN_DEFINE)
            note_value(f, item->value);
        else if (item->kind == KERN_LOOP ? !read_loop(f, item->loop)
                 : item->kind == KERN_UPDATE || item->kind == KERN_SET
                     ? !end_sum(f, item)
                     : item->kind != KERN_BOUND || !item->bound.is_known)
            return false;
    }
    return f->ended;
}

static bool read_row(finding *f, const kern_loop *rows)
{
    for (uint32_t i = 0; i < rows->items.count; i++) {
        const kern_item *item = &rows->items.at[i];
        switch (item->kind) {
        case KERN_DEFINE: note_value(f, item->value); break;
        case KERN_START: break;
        case KERN_BOUND:
            if (!item->bound.is_known) return false;
            break;
        case KERN_LOOP:
            if (f->ended || !read_loop(f, item->loop)) return false;
            f->p->at = i;
            break;
        case KERN_STORE:
            if (!f->ended) return false;
            break;
        default: return false;
        }
    }
    return f->ended;
}

/* ---- operands ---- */

/* Text that is still to be verified may say that a value is made of itself. */
static const kern_value *stripped(const kern_ir *k, kern_ref ref)
{
    const kern_value *v = &k->values.at[ref];
    for (; v->kind == KERN_APPLY && v->op == LOOP_CAST && v->args[0] < ref; ref = v->args[0])
        v = &k->values.at[v->args[0]];
    return v;
}

/* x and y of what is added up: a0 += x * y; v = fused x, y, v; v = v + x * y. */
static bool find_operands(const kern_ir *k, kern_product *p, kern_ref *x, kern_ref *y)
{
    const kern_value *v = &k->values.at[p->added];
    if (p->variable && v->kind != KERN_FUSED) {
        bool adds = v->kind == KERN_APPLY && v->op == LOOP_ADD && v->args[0] == p->variable;
        if (!adds) return false;
        v = stripped(k, v->args[1]);
    } else if (!p->variable) {
        v = stripped(k, p->added);
    }
    bool fused = v->kind == KERN_FUSED && v->args[2] == p->variable;
    if (!fused && !(v->kind == KERN_APPLY && v->op == LOOP_MUL)) return false;
    *x = v->args[0];
    *y = v->args[1];
    return true;
}

static bool is_number(ty_dtype dtype)
{
    return ty_is_integral(dtype, false) || dtype == TY_F32 || dtype == TY_F64;
}

static bool is_sum(const kern_ir *k, const kern_product *p)
{
    const kern_sum *sum = &k->sums.at[p->sum];
    if (p->variable) return k->sums.count == 0;
    return k->sums.count == 1 && sum->reduce == LOOP_SUM && !sum->running && !sum->shared &&
           is_number(sum->dtype);
}

bool kern_find_product(const kern_ir *k, arena *memory, kern_product *out)
{
    finding f = {.k = k, .p = out, .made_of = NEW_ARRAY(memory, uint32_t, k->values.count)};
    kern_ref x, y;
    *out = (kern_product){.made_of = f.made_of};
    if (k->lanes > 1 || k->serial || k->columns || k->squares || k->by_groups || k->tile_count ||
        k->body->items.count != 1 || k->body->items.at[0].kind != KERN_LOOP)
        return false;
    out->rows = k->body->items.at[0].loop;
    if (out->rows->kind != KERN_ROWS || !read_row(&f, out->rows) || !is_sum(k, out) ||
        !find_operands(k, out, &x, &y))
        return false;
    uint32_t of_x = f.made_of[x], of_y = f.made_of[y];
    if (!is_number(k->values.at[x].dtype) || !is_number(k->values.at[y].dtype)) return false;
    bool turned = (of_x & ~of_y & AXES) >> (k->outer - 1);
    out->left = turned ? y : x;
    out->right = turned ? x : y;
    out->left_axes = f.made_of[out->left] & ~f.made_of[out->right] & AXES;
    out->right_axes = f.made_of[out->right] & ~f.made_of[out->left] & AXES;
    return out->left_axes && out->right_axes && !((of_x | of_y) & JOINED);
}

bool kern_is_of_both(const kern_product *p, kern_ref v)
{
    uint32_t of = p->made_of[v];
    return (of & JOINED) || ((of & p->left_axes) && (of & p->right_axes));
}

/* ---- tiles ---- */

static sym_expr extent_of(const kern_ir *k, uint32_t axes)
{
    sym_expr extent = sym_int(k->symbols, 1);
    for (uint32_t i = 0; i < k->outer; i++)
        if (axes >> i & 1) extent = sym_mul(k->symbols, extent, k->extents[i]);
    return extent;
}

static sym_expr tiles_in(const kern_ir *k, uint32_t axes, uint32_t size)
{
    return sym_ceildiv(k->symbols, extent_of(k, axes), sym_int(k->symbols, size));
}

sym_expr kern_tile_count(const kern_ir *k, arena *memory)
{
    kern_product p;
    if (!kern_find_product(k, memory, &p)) return (sym_expr){0};
    uint32_t all = (1u << k->outer) - 1;
    sym_expr count = extent_of(k, all & ~p.left_axes & ~p.right_axes);
    count = sym_mul(k->symbols, count, tiles_in(k, p.left_axes, k->tiles.rows));
    return sym_mul(k->symbols, count, tiles_in(k, p.right_axes, k->tiles.columns));
}

static bool is_worth_it(const kern_ir *k, const kern_product *p, const target_tiles *tiles,
                        arena *memory)
{
    int64_t rows = kern_usual(k, extent_of(k, p->left_axes), memory),
            columns = kern_usual(k, extent_of(k, p->right_axes), memory), steps = 1;
    for (uint32_t i = 0; i < p->loop_count; i++)
        steps *= kern_usual(k, p->loops[i]->extent, memory);
    if (rows < LEAST_EXTENT || columns < LEAST_EXTENT || steps < LEAST_EXTENT) return false;
    double taken = (double)((rows - 1) / tiles->rows + 1) * tiles->rows *
                   ((double)((columns - 1) / tiles->columns + 1) * tiles->columns);
    return taken <= MOST_WASTE * (double)rows * (double)columns;
}

/* The sum has no blocks of its own then. */
static void take_tiles(kern_ir *k, const kern_product *p, const target_tiles *tiles, arena *memory)
{
    k->tiles = *tiles;
    k->sums.at = arena_copy(memory, k->sums.at, k->sums.count * sizeof *k->sums.at);
    k->sums.at[p->sum].blocked = false;
    kern_loop *loop = k->body->items.at[0].loop->items.at[p->at].loop;
    for (uint32_t depth = 0; depth < p->loop_count; depth++) {
        loop->block = 0;
        loop->drains.count = 0;
        for (uint32_t i = 0; i < loop->items.count; i++)
            if (loop->items.at[i].kind == KERN_LOOP) {
                loop = loop->items.at[i].loop;
                break;
            }
    }
}

void kern_tile_product(kern_ir *k, const target_machine *target, arena *memory)
{
    kern_product p;
    if (!target->tiles.rows || !kern_find_product(k, memory, &p)) return;
    if (sym_is_none(k->extents[0]) && !sym_is_none(k->first_extent))
        k->extents[0] = kern_param_expr(k, k->first_extent, NULL, memory);
    for (uint32_t i = 0; i < k->outer; i++)
        if (sym_is_none(k->extents[i])) return;
    if (is_worth_it(k, &p, &target->tiles, memory)) take_tiles(k, &p, &target->tiles, memory);
}
