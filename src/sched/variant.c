/* variant.c -- the ways in which the kernel of a group may be made, as a table, and their text.
 *
 * A group admits a way only where the cost model could have chosen it, for other sizes or another
 * target; so all of them are right, and only time tells them apart.
 */
#include "sched/sched.h"

static const char *const vectors[] = {
    [SCHED_VECTOR_NONE] = "none", [SCHED_VECTOR_INNER] = "inner", [SCHED_VECTOR_OUTER] = "outer"};
static const char *const shares[] = {
    [SCHED_SHARE_BY_COST] = "", [SCHED_SHARE_ALONE] = "alone", [SCHED_SHARE_FINE] = "fine"};

enum { MOST_COPIES = 4, LEAST_VECTOR_BYTES = 16 };

/* ---- text ---- */

void sched_print_variant(const sched_variant *v, text *out)
{
    text_printf(out, "vector %s", vectors[v->vector]);
    if (v->unroll) text_printf(out, " unroll %u", v->unroll);
    if (v->half) text_add(out, " half");
    if (v->straight) text_add(out, " straight");
    if (v->share) text_printf(out, " %s", shares[v->share]);
}

fe_status sched_parse_variant(lexer *lx, sched_variant *out)
{
    int64_t copies = 0;
    *out = (sched_variant){0};
    FE_TRY(lex_expect(lx, "vector"));
    while (!lex_take(lx, vectors[out->vector]))
        if (++out->vector > SCHED_VECTOR_OUTER)
            return lex_fail(lx, "expected none, inner or outer");
    if (lex_take(lx, "unroll")) {
        if (lx->token.kind == LEX_INT && (lx->token.integer < 1 || lx->token.integer > MOST_COPIES))
            return lex_fail(lx, "copies are 1, 2 or %d", MOST_COPIES);
        FE_TRY(lex_int(lx, &copies));
    }
    out->unroll = (uint32_t)copies;
    out->half = lex_take(lx, "half");
    out->straight = lex_take(lx, "straight");
    for (uint32_t i = SCHED_SHARE_ALONE; i < SCHED_SHARE_COUNT; i++)
        if (lex_take(lx, shares[i])) out->share = (sched_share)i;
    return FE_OK;
}

bool sched_variant_is_same(const sched_variant *a, const sched_variant *b)
{
    return a->vector == b->vector && a->unroll == b->unroll && a->half == b->half &&
           a->straight == b->straight && a->share == b->share;
}

bool sched_variant_is_known(const sched_variant *v)
{
    return v->unroll <= MOST_COPIES && v->unroll != 3;
}

/* ---- what a group admits ---- */

static bool reduces(const sched_group *g)
{
    for (uint32_t i = 0; i < g->phase_count; i++)
        if (g->phases[i].reduce_axes) return true;
    return false;
}

/* A store that an order of the rows may change. */
static bool has_ordered_store(const sched_schedule *s, const sched_group *g)
{
    for (uint32_t ph = 0; ph < g->phase_count; ph++)
        for (uint32_t i = 0; i < g->phases[ph].nest_count; i++) {
            const loop_op *nest = &g->phases[ph].nests[i].nest;
            for (uint32_t k = 0; k < nest->store_count; k++)
                if (nest->stores[k].mode != LOOP_SET ||
                    sym_has_kind(s->program->symbols, nest->stores[k].index, SYM_INDIRECT))
                    return true;
        }
    return false;
}

/* Tiles were made for vectors along the inner loops, of one row at a time. */
static bool has_tile(const sched_schedule *s, const sched_group *g)
{
    for (uint32_t i = 0; i < g->local_count; i++)
        if (sched_local_kind(s->program, g, g->locals[i]) != SCHED_LOCAL_REGISTERS) return true;
    return false;
}

static bool may_go_across(const sched_schedule *s, const sched_group *g)
{
    if (g->kind != SCHED_KERNEL || g->outer == 0 || has_tile(s, g)) return false;
    if (reduces(g)) return true;
    return g->phase_count == 1 && g->phases[0].inner_axes == 1 && !has_ordered_store(s, g);
}

typedef struct admission {
    bool along, across, copies, squares, halves;
} admission;

static admission admission_of(const sched_schedule *s, const sched_group *g, uint32_t vector_bytes)
{
    bool across = may_go_across(s, g), has_loops = false;
    for (uint32_t i = 0; i < g->phase_count; i++)
        has_loops |= g->phases[i].inner_axes + g->phases[i].reduce_axes > 0;
    return (admission){
        .along = has_loops,
        .across = across,
        .copies = reduces(g),
        .squares = g->kind == SCHED_KERNEL && !reduces(g),
        .halves = vector_bytes > LEAST_VECTOR_BYTES,
    };
}

typedef VEC(sched_variant) variant_list;

static void add(arena *memory, variant_list *list, sched_variant v)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (sched_variant_is_same(&list->at[i], &v)) return;
    vec_push(memory, list, v);
}

/* One choice at a time away from the cost model's, but for copies, which each direction has of its
 * own. */
uint32_t sched_variants(const sched_schedule *s, const sched_group *g, uint32_t vector_bytes,
                        arena *memory, sched_variant **out)
{
    static const sched_vector DIRECTIONS[] = {SCHED_VECTOR_INNER, SCHED_VECTOR_OUTER};
    admission admits = admission_of(s, g, vector_bytes);
    sched_variant own = g->variant, changed;
    variant_list list = {0};
    add(memory, &list, own);
    for (uint32_t d = 0; d < COUNT_OF(DIRECTIONS) && own.vector != SCHED_VECTOR_NONE; d++) {
        bool is_admitted = DIRECTIONS[d] == SCHED_VECTOR_INNER ? admits.along : admits.across;
        if (!is_admitted && DIRECTIONS[d] != own.vector) continue;
        changed = own;
        changed.vector = DIRECTIONS[d];
        add(memory, &list, changed);
        for (changed.unroll = 1; admits.copies && changed.unroll <= MOST_COPIES;
             changed.unroll *= 2)
            add(memory, &list, changed);
        changed.unroll = own.unroll;
        changed.half = !own.half;
        if (admits.halves) add(memory, &list, changed);
    }
    changed = own;
    changed.straight = !own.straight;
    if (admits.squares) add(memory, &list, changed);
    for (uint32_t i = 0; i < SCHED_SHARE_COUNT && g->kind == SCHED_KERNEL; i++) {
        changed = own;
        changed.share = (sched_share)i;
        add(memory, &list, changed);
    }
    *out = list.at;
    return list.count;
}
