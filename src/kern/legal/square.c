/* square.c -- rows and columns in squares. What is read across its neighbours is read ahead for a whole
 * square, vectors along the rows, into a tile, which is transposed: the rows of the square then find their
 * lanes next to each other.
 */
#include "kern/legal/legal.h"

/* The loop over [n0, n1). */
static const kern_loop *columns_of(const kern_loop *loop)
{
    const kern_loop *found = loop->columns ? loop : NULL;
    for (uint32_t i = 0; i < loop->items.count && !found; i++)
        if (loop->items.at[i].kind == KERN_LOOP) found = columns_of(loop->items.at[i].loop);
    return found;
}

static sym_expr last_axis(const kern_lowering *lo)
{
    return lo->k->axes[lo->k->outer - 1];
}

static void open_block(kern_lowering *lo, kern_loop_kind kind, sym_expr axis, sym_expr number)
{
    kern_loop block = {
        .kind = kind, .symbol = axis, .number = number, .unroll = 1, .in_block = true};
    kern_lower_open(lo, &block);
}

/* ---- tiles ---- */

static void add_tile(kern_lowering *lo, ty_dtype dtype)
{
    kern_ir *k = lo->k;
    vec_push(lo->memory, &k->memories,
             ((kern_memory){.buffer = LOOP_NO_BUFFER,
                            .dtype = dtype,
                            .is_tile = true,
                            .is_read = true,
                            .is_written = true,
                            .number = k->tile_count++,
                            .elements = sym_int(k->symbols, (int64_t)k->lanes * k->lanes)}));
}

/* Where a row of a tile begins. */
static sym_expr place_of_row(const kern_lowering *lo)
{
    return sym_mul_int(lo->k->symbols, lo->square, lo->k->lanes);
}

/* A column of the square, which becomes a row of the tile. */
static void read_ahead(kern_lowering *lo, kern_ref ref, uint32_t tile)
{
    kern_value v = lo->k->values.at[ref];
    v.turned = false;
    v.access = KERN_UNIT;
    v.count = kern_lower_count(lo);
    kern_ref column = kern_lower_value(lo, v);
    kern_store store = {.memory = tile,
                        .access = KERN_UNIT,
                        .index = place_of_row(lo),
                        .value = column,
                        .whole = true};
    kern_lower_into(lo, (kern_item){.kind = KERN_STORE, .store = store});
}

/* What is turned is in tiles from `first` on, in the order of the values. */
static void read_all_ahead(kern_lowering *lo, sym_expr columns, uint32_t count, uint32_t first)
{
    kern_loop *square = lo->loop;
    uint32_t tile = first;
    open_block(lo, KERN_SEQUENCE, columns, lo->square);
    open_block(lo, KERN_VECTOR, last_axis(lo), (sym_expr){0});
    lo->vector = lo->loop;
    for (kern_ref i = 1; i < count; i++)
        if (lo->k->values.at[i].turned) read_ahead(lo, i, tile++);
    lo->vector = NULL;
    lo->loop = square;
    for (uint32_t i = first; i < tile; i++)
        kern_lower_into(lo, (kern_item){.kind = KERN_TRANSPOSE, .store = {.memory = i}});
}

/* The values become loads of their tiles. */
static void read_tiles(kern_lowering *lo, uint32_t count, uint32_t first)
{
    for (kern_ref i = 1; i < count; i++) {
        kern_value *v = &lo->k->values.at[i];
        if (!v->turned) continue;
        v->turned = false;
        v->access = KERN_UNIT;
        v->memory = first++;
        v->index = place_of_row(lo);
    }
}

void kern_lower_squares(kern_lowering *lo, const kern_loop *rows)
{
    kern_ir *k = lo->k;
    uint32_t count = k->values.count, first = k->memories.count;
    kern_loop squares = *rows;
    squares.kind = KERN_SQUARES;
    squares.symbol = columns_of(rows)->symbol;
    k->squares = false;
    lo->square = kern_lower_new_axis(lo);
    for (kern_ref i = 1; i < count; i++)
        if (k->values.at[i].turned) add_tile(lo, k->values.at[i].dtype);
    kern_loop *outside = kern_lower_open(lo, &squares);
    if (k->memories.count > first) read_all_ahead(lo, squares.symbol, count, first);
    read_tiles(lo, count, first);
    open_block(lo, KERN_SEQUENCE, last_axis(lo), lo->square);
    kern_lower_items(lo, rows);
    lo->loop = outside;
}
