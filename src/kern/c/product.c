/* product.c -- rows of a product in tiles, as C of a device: a work-group has a tile of the product,
 * and takes so many steps of its sum at a time from local memory, which all its work-items have filled.
 *
 *     row_from, column_from    where the tile begins
 *     tile_left[s][row]        x of the tile's rows, at step s of those at hand; tile_right its columns'
 *     sums[a][b]               of the rows and columns that are the work-item's: neighbours, in registers
 *
 * The work-items' numbers run along the steps where these are neighbours in memory, else along the rows.
 */
#include "kern/c/c.h"

#include <string.h>

/* Rows of local memory lie apart by so many numbers more than they have: work-items that fill a column of it
 * meet in fewer banks. */
enum { APART = 4 };

/* Of the product: its rows, or its columns. */
typedef struct side {
    const char *name; /* "row", of variables */
    uint32_t axes, size, each;
    kern_ref value;
    const char *tile;
    bool along_steps;
} side;

typedef struct printing {
    kern_c_printer *pr;
    kern_product p;
    side left, right;
    bool *wanted; /* by value: in the lines at hand */
} printing;

static const char *type_of(const printing *t, kern_ref ref)
{
    return kern_c_type_of(t->pr, t->pr->k->values.at[ref].dtype, 1);
}

static bool is_unit(const printing *t, sym_expr index, sym_expr axis)
{
    sym_expr step, rest;
    return !sym_is_none(index) && sym_linear_in(t->pr->k->symbols, index, axis, &step, &rest) &&
           sym_same(step, sym_int(t->pr->k->symbols, 1));
}

/* ---- lines that a value is made of ---- */

static void want(const printing *t, kern_ref ref);

static void want_symbol(void *data, sym_expr symbol)
{
    const printing *t = data;
    kern_ref value = kern_symbol_value(t->pr->k, symbol);
    if (value) want(t, value);
}

static void want(const printing *t, kern_ref ref)
{
    const kern_value *v = &t->pr->k->values.at[ref];
    if (t->wanted[ref]) return;
    t->wanted[ref] = true;
    for (uint32_t i = 0; i < COUNT_OF(v->args); i++)
        if (v->args[i]) want(t, v->args[i]);
    if (v->guard) want(t, v->guard);
    if (!sym_is_none(v->index)) sym_each_symbol(t->pr->t, v->index, want_symbol, (void *)t);
}

static void forget(const printing *t)
{
    memset(t->wanted, 0, t->pr->k->values.count * sizeof *t->wanted);
}

static void print_wanted(printing *t, const kern_loop *loop, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        const kern_item *item = &loop->items.at[i];
        if (item->kind == KERN_DEFINE && t->wanted[item->value] &&
            t->pr->k->values.at[item->value].kind != KERN_VARIABLE)
            kern_c_print_define(t->pr, item->value);
    }
}

/* All that the value is made of, in the row and in the loops. */
static void print_value(printing *t, kern_ref ref)
{
    forget(t);
    want(t, ref);
    print_wanted(t, t->p.rows, 0, t->p.at);
    for (uint32_t i = 0; i < t->p.loop_count; i++)
        print_wanted(t, t->p.loops[i], 0, t->p.loops[i]->items.count);
}

/* ---- axes ---- */

static const char *extent_of(printing *t, uint32_t axes)
{
    const kern_ir *k = t->pr->k;
    const char *made = NULL;
    for (uint32_t i = 0; i < k->outer; i++) {
        if (!(axes >> i & 1)) continue;
        const char *extent = kern_c_index(t->pr, k->extents[i]);
        made = made ? kern_c_format(t->pr, "%s * %s", made, extent) : extent;
    }
    return made ? made : "1";
}

/* The axes of a bit set from the number of an element in them; `rest` is the name of a variable. */
static void print_axes(printing *t, uint32_t axes, const char *number, const char *rest)
{
    const kern_ir *k = t->pr->k;
    text *out = t->pr->out;
    uint32_t left = 0, first = 0;
    for (uint32_t i = k->outer; i-- > 0;)
        if (axes >> i & 1) left++, first = i;
    if (!left) return;
    if (left > 1) text_line(out, "i64 %s = %s;", rest, number);
    for (uint32_t i = k->outer; left > 1 && i-- > first + 1;) {
        if (!(axes >> i & 1)) continue;
        const char *extent = kern_c_index(t->pr, k->extents[i]);
        text_line(out, "const i64 %s = %s %% %s;", sym_name(t->pr->t, k->axes[i]), rest, extent);
        text_line(out, "%s /= %s;", rest, extent);
    }
    text_line(out, "const i64 %s = %s;", sym_name(t->pr->t, k->axes[first]),
              left > 1 ? rest : number);
}

/* Those of the loops from the number of a step. */
static void print_step(printing *t)
{
    text *out = t->pr->out;
    uint32_t count = t->p.loop_count;
    text_line(out, "const i64 step = fe_min(step_from + in_step, step_count - 1);");
    if (count > 1) text_line(out, "i64 steps_left = step;");
    for (uint32_t i = count; i-- > 1;) {
        const char *name = sym_name(t->pr->t, t->p.loops[i]->symbol),
                   *extent = kern_c_index(t->pr, t->p.loops[i]->extent);
        text_line(out, "const i64 %s = steps_left %% %s;", name, extent);
        text_line(out, "steps_left /= %s;", extent);
    }
    text_line(out, "const i64 %s = %s;", sym_name(t->pr->t, t->p.loops[0]->symbol),
              count > 1 ? "steps_left" : "step");
}

/* ---- filling local memory ---- */

static void open(printing *t, const char *line)
{
    text_line(t->pr->out, "%s", line);
    t->pr->out->indent++;
}

static void close(printing *t)
{
    t->pr->out->indent--;
    text_line(t->pr->out, "}");
}

static void print_place(printing *t, const side *s)
{
    print_axes(t, s->axes, s->name, kern_c_format(t->pr, "%ss_left", s->name, NULL));
}

/* A work-item has one step, or one row, while it fills. Beyond the edges the last row and the last step are
 * taken once more: rows that there are not are not stored, steps count for 0. */
static void print_fill(printing *t, const side *s)
{
    text *out = t->pr->out;
    const char *name = s->name, *type = type_of(t, s->value);
    uint32_t depth = t->pr->k->tiles.depth, items = kern_tile_items(t->pr->k);
    kern_need(t->pr->needs, "fe_min");
    open(t, "{");
    if (s->along_steps) {
        text_line(out, "const int in_step = (int)FE_MEMBER %% %u;", depth);
        print_step(t);
    }
    text_line(out, "#pragma unroll");
    text_line(out, "for (int at = 0; at < %u; at += %u) {", depth * s->size, items);
    out->indent++;
    if (s->along_steps) {
        text_line(out, "const int in_%s = (at + (int)FE_MEMBER) / %u;", name, depth);
    } else {
        text_line(out, "const int in_step = (at + (int)FE_MEMBER) / %u;", s->size);
        text_line(out, "const int in_%s = (at + (int)FE_MEMBER) %% %u;", name, s->size);
        print_step(t);
    }
    text_line(out, "const i64 %s = fe_min(%s_from + in_%s, %s_count - 1);", name, name, name, name);
    print_place(t, s);
    print_value(t, s->value);
    text_line(out, "%s[in_step * %u + in_%s] = step_from + in_step < step_count ? %s : (%s)0;",
              s->tile, s->size + APART, name, kern_c_operand(t->pr, s->value), type);
    close(t);
    close(t);
}

/* What a work-item multiplies are neighbours, which are loaded at once from where that is aligned. */
static void print_tile(kern_c_printer *pr, const char *name, kern_ref value, uint32_t size)
{
    text_line(pr->out, "FE_LOCAL %s %s[%u] __attribute__((aligned(16)));",
              kern_c_type_of(pr, pr->k->values.at[value].dtype, 1), name,
              pr->k->tiles.depth * (size + APART));
}

void kern_c_print_tile_memory(kern_c_printer *pr)
{
    kern_product p;
    CHECK(sym_session(pr->t), kern_find_product(pr->k, pr->needs->memory, &p));
    print_tile(pr, "tile_left", p.left, pr->k->tiles.rows);
    print_tile(pr, "tile_right", p.right, pr->k->tiles.columns);
}

/* ---- multiplying ---- */

static void open_each(printing *t, const char *index, uint32_t count)
{
    text_line(t->pr->out, "#pragma unroll");
    open(t, arena_printf(t->pr->needs->memory, "for (int %s = 0; %s < %u; %s++) {", index, index,
                         count, index));
}

/* The lines of both sides, as they stand in the innermost loop. */
static void print_both(printing *t)
{
    const kern_loop *inner = t->p.loops[t->p.loop_count - 1];
    for (uint32_t i = 0; i < inner->items.count; i++) {
        const kern_item *item = &inner->items.at[i];
        if (item->kind == KERN_DEFINE && kern_is_of_both(&t->p, item->value))
            kern_c_print_define(t->pr, item->value);
        if (item->kind == KERN_SET) kern_c_print_set(t->pr, item);
    }
}

static void print_multiply(printing *t)
{
    const kern_ir *k = t->pr->k;
    const target_tiles *tiles = &k->tiles;
    text *out = t->pr->out;
    const char *sum = kern_c_name(t->pr, t->p.variable), *type = type_of(t, t->p.variable);
    open(t, "{");
    text_line(out, "%s parts[%u][%u];", type, tiles->each_rows, tiles->each_columns);
    open_each(t, "a", tiles->each_rows);
    open_each(t, "b", tiles->each_columns);
    text_line(out, "parts[a][b] = 0;");
    close(t);
    close(t);
    open_each(t, "s", tiles->depth);
    text_line(out, "%s of_left[%u], of_right[%u];", type_of(t, t->p.left), tiles->each_rows,
              tiles->each_columns);
    text_line(out, "#pragma unroll");
    text_line(out, "for (int a = 0; a < %u; a++) of_left[a] = tile_left[s * %u + my_row + a];",
              tiles->each_rows, tiles->rows + APART);
    text_line(out, "#pragma unroll");
    text_line(out, "for (int b = 0; b < %u; b++) of_right[b] = tile_right[s * %u + my_column + b];",
              tiles->each_columns, tiles->columns + APART);
    open_each(t, "a", tiles->each_rows);
    open_each(t, "b", tiles->each_columns);
    text_line(out, "const %s %s = of_left[a];", type_of(t, t->p.left),
              kern_c_name(t->pr, t->p.left));
    if (t->p.right != t->p.left)
        text_line(out, "const %s %s = of_right[b];", type_of(t, t->p.right),
                  kern_c_name(t->pr, t->p.right));
    text_line(out, "%s %s = parts[a][b];", type, sum);
    print_both(t);
    text_line(out, "parts[a][b] = %s;", sum);
    close(t);
    close(t);
    close(t);
    open_each(t, "a", tiles->each_rows);
    open_each(t, "b", tiles->each_columns);
    text_line(out, "sums[a][b] += parts[a][b];");
    close(t);
    close(t);
    close(t);
}

/* ---- results ---- */

static void want_item(const printing *t, const kern_item *item)
{
    if (item->kind == KERN_DEFINE) want(t, item->value);
    if (item->kind != KERN_STORE) return;
    want(t, item->store.value);
    sym_each_symbol(t->pr->t, item->store.index, want_symbol, (void *)t);
}

/* Axes are worked out for elements that there are not too: not once for each result. */
static void open_result(printing *t, const side *s, const char *index)
{
    const char *name = s->name;
    open_each(t, index, s->each);
    text_line(t->pr->out, "const i64 at_%s = %s_from + my_%s + %s;", name, name, name, index);
    text_line(t->pr->out, "const i64 %s = fe_min(at_%s, %s_count - 1);", name, name, name);
    print_place(t, s);
}

/* What stands in front of the loops, as far as the lines behind need it, and these. */
static void print_results(printing *t)
{
    const kern_loop *rows = t->p.rows;
    text *out = t->pr->out;
    open_result(t, &t->right, "b");
    open_result(t, &t->left, "a");
    /* one condition: of one in another, in unrolled loops, LLVM 15 for AVX-512 stores more than they let */
    open(t, "if (at_row < row_count && at_column < column_count) {");
    text_line(out, "%s %s = sums[a][b];", type_of(t, t->p.variable),
              kern_c_name(t->pr, t->p.variable));
    forget(t);
    for (uint32_t i = t->p.at + 1; i < rows->items.count; i++) want_item(t, &rows->items.at[i]);
    print_wanted(t, rows, 0, t->p.at);
    for (uint32_t i = t->p.at + 1; i < rows->items.count; i++) {
        const kern_item *item = &rows->items.at[i];
        if (item->kind == KERN_DEFINE) kern_c_print_define(t->pr, item->value);
        if (item->kind == KERN_STORE) kern_c_print_store(t->pr, &item->store);
    }
    close(t);
    close(t);
    close(t);
}

/* ---- the tile ---- */

/* Are its elements neighbours along the steps, or along its own last axis? */
static bool runs_along_steps(printing *t, const side *s)
{
    const kern_ir *k = t->pr->k;
    sym_expr own = {0}, step = t->p.loops[t->p.loop_count - 1]->symbol;
    bool steps = false, owns = false;
    for (uint32_t i = 0; i < k->outer; i++)
        if (s->axes >> i & 1) own = k->axes[i];
    forget(t);
    want(t, s->value);
    for (uint32_t i = 1; i < k->values.count; i++) {
        const kern_value *v = &k->values.at[i];
        if (!t->wanted[i] || v->kind != KERN_LOAD) continue;
        steps |= is_unit(t, v->index, step);
        owns |= is_unit(t, v->index, own);
    }
    return steps && !owns;
}

static void print_where(printing *t)
{
    const kern_ir *k = t->pr->k;
    const target_tiles *tiles = &k->tiles;
    text *out = t->pr->out;
    uint32_t all = (1u << k->outer) - 1, across = tiles->columns / tiles->each_columns;
    text_line(out, "const i64 row_count = %s, column_count = %s;", extent_of(t, t->left.axes),
              extent_of(t, t->right.axes));
    const char *steps = kern_c_index(t->pr, t->p.loops[0]->extent);
    for (uint32_t i = 1; i < t->p.loop_count; i++)
        steps = kern_c_format(t->pr, "%s * %s", steps, kern_c_index(t->pr, t->p.loops[i]->extent));
    text_line(out, "const i64 step_count = %s;", steps);
    text_line(out, "const i64 across = (column_count + %u) / %u, down = (row_count + %u) / %u;",
              tiles->columns - 1, tiles->columns, tiles->rows - 1, tiles->rows);
    text_line(out, "const i64 tile = FE_ITEM / FE_GROUP, product = tile / across / down;");
    text_line(out,
              "const i64 column_from = tile %% across * %u, row_from = tile / across %% down * %u;",
              tiles->columns, tiles->rows);
    text_line(out,
              "const int my_row = (int)FE_MEMBER / %u * %u, my_column = (int)FE_MEMBER %% %u * %u;",
              across, tiles->each_rows, across, tiles->each_columns);
    print_axes(t, all & ~t->left.axes & ~t->right.axes, "product", "products_left");
}

void kern_c_print_tiles(kern_c_printer *pr)
{
    const kern_ir *k = pr->k;
    const target_tiles *tiles = &k->tiles;
    printing t = {.pr = pr, .wanted = NEW_ARRAY(pr->needs->memory, bool, k->values.count)};
    CHECK(sym_session(pr->t), kern_find_product(k, pr->needs->memory, &t.p));
    t.left =
        (side){"row", t.p.left_axes, tiles->rows, tiles->each_rows, t.p.left, "tile_left", false};
    t.right = (side){"column",  t.p.right_axes, tiles->columns, tiles->each_columns,
                     t.p.right, "tile_right",   false};
    t.left.along_steps = runs_along_steps(&t, &t.left);
    t.right.along_steps = runs_along_steps(&t, &t.right);
    print_where(&t);
    text_line(pr->out, "%s sums[%u][%u];", type_of(&t, t.p.variable), tiles->each_rows,
              tiles->each_columns);
    open_each(&t, "a", tiles->each_rows);
    open_each(&t, "b", tiles->each_columns);
    text_line(pr->out, "sums[a][b] = 0;");
    close(&t);
    close(&t);
    open(&t, arena_printf(pr->needs->memory,
                          "for (i64 step_from = 0; step_from < step_count; step_from += %u) {",
                          tiles->depth));
    print_fill(&t, &t.left);
    print_fill(&t, &t.right);
    text_line(pr->out, "FE_BARRIER;");
    print_multiply(&t);
    text_line(pr->out, "FE_BARRIER;");
    close(&t);
    print_results(&t);
}
