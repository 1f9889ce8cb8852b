/* room.c -- whether the size of a buffer's memory is known at a point of the program.
 *
 * A part lies in a whole, so its memory is there only when the size of the whole is known, and where
 * in the whole the part begins.
 */
#include "sched/sched_priv.h"

typedef struct room_search {
    const map *definitions;
    uint32_t before;
    bool known;
} room_search;

static void check_symbol(void *data, sym_expr symbol)
{
    room_search *search = data;
    uint32_t definition = map_get(search->definitions, symbol.id);
    search->known &= definition == MAP_NONE || definition < search->before;
}

bool room_is_known(const loop_program *p, const map *definitions, loop_buffer_id id,
                   uint32_t before)
{
    room_search search = {definitions, before, true};
    for (const loop_buffer *b = &p->buffers.at[id];; b = &p->buffers.at[b->part->whole]) {
        sym_each_symbol(p->symbols, b->elements, check_symbol, &search);
        if (!b->part) return search.known;
        sym_each_symbol(p->symbols, b->part->at, check_symbol, &search);
    }
}

bool room_is_known_at(const loop_program *p, const map *definitions, loop_buffer_id whole,
                      sym_expr at, uint32_t before)
{
    room_search search = {definitions, before, true};
    sym_each_symbol(p->symbols, at, check_symbol, &search);
    return search.known && room_is_known(p, definitions, whole, before);
}
