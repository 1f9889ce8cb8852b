/* vmap_levels.c -- which values of a program with vmaps are one item's, and of which levels.
 *
 * A value is one item's when it depends on a hidden dimension. Sizes do not, nor does what is filled
 * with one number.
 */
#include "pass/vmap.h"

#include <string.h>

bool vmap_is_border(const fx_node *n)
{
    return fx_is(n, OP_predispatch_add_batch_dim) || fx_is(n, OP_predispatch_remove_batch_dim);
}

typedef struct join {
    const vmapping *u;
    uint32_t levels;
} join;

static void join_levels(void *data, fx_node *a)
{
    join *j = data;
    if (a->id < j->u->known) j->levels |= j->u->levels[a->id];
}

static bool is_number(const fx_node *n)
{
    return n->value.kind == FX_INT || n->value.kind == FX_BOOL || n->value.kind == FX_FLOAT;
}

/* Levels around a call at which each item draws numbers of its own. */
typedef struct drawing {
    uint32_t levels, depth;
} drawing;

static void follow_nesting(const fx_node *n, drawing *d)
{
    if (fx_is(n, OP_predispatch_vmap_increment_nesting)) {
        d->depth++;
        if (n->arg_count > 1 && n->args[1].kind == FX_ARG_STRING && d->depth < VMAP_MOST_LEVELS &&
            strcmp(n->args[1].string, "different") == 0)
            d->levels |= 1u << d->depth;
    }
    if (fx_is(n, OP_predispatch_vmap_decrement_nesting) && d->depth) {
        d->levels &= ~(1u << d->depth);
        d->depth--;
    }
}

static fe_status find_levels(vmapping *u)
{
    drawing drawn = {0, 0};
    u->level = VMAP_MOST_LEVELS;
    for (fx_node *n = u->g->first; n; n = n->next) {
        join j = {u, 0};
        int64_t level = -1;
        follow_nesting(n, &drawn);
        for (uint32_t i = 0; n->kind == FX_CALL && i < n->arg_count; i++)
            fx_arg_each_node(&n->args[i], join_levels, &j);
        bool adds = fx_is(n, OP_predispatch_add_batch_dim),
             removes = fx_is(n, OP_predispatch_remove_batch_dim);
        if (adds || removes) fx_arg_int(u->g, &n->args[adds ? 2 : 1], &level);
        if ((adds || removes) && (level < 0 || level >= VMAP_MOST_LEVELS))
            return fx_fail(u->g, n, "vmap", FE_UNSUPPORTED, NULL, "a level that is no number");
        if (adds) j.levels |= 1u << level;
        if (removes) j.levels &= ~(1u << level);
        if (n->kind == FX_CALL && (n->op->flags & OPF_RANDOM)) j.levels |= drawn.levels;
        u->levels[n->id] = is_number(n) ? 0 : j.levels;
        if ((adds || removes) && level < u->level) u->level = level;
    }
    return FE_OK;
}

/* Sizes are the same for all items: where one is asked for, its expression will do. */
static void replace_numbers(vmapping *u)
{
    for (fx_node *n = u->g->first, *next; n; n = next) {
        join j = {u, 0};
        next = n->next;
        if (n->kind != FX_CALL || n->value.kind != FX_INT || sym_is_none(n->value.expr)) continue;
        for (uint32_t i = 0; i < n->arg_count; i++) fx_arg_each_node(&n->args[i], join_levels, &j);
        if (!j.levels) continue;
        fx_replace_uses_by_arg(u->g, n, fx_expr(n->value.expr));
        fx_erase(u->g, n);
    }
}

/* ---- what is filled with one number ---- */

typedef struct fill {
    op_id op;
    int32_t at; /* the argument that is the number, or -1: it is this one */
    int32_t number;
} fill;
static const fill FILLS[] = {
    {OP_aten_new_ones_default, -1, 1},   {OP_aten_new_zeros_default, -1, 0},
    {OP_aten_new_full_default, 2, 0},    {OP_aten_ones_like_default, -1, 1},
    {OP_aten_zeros_like_default, -1, 0}, {OP_aten_full_like_default, 1, 0},
};

static bool is_written(const fx_node *n)
{
    uint32_t storage = fx_tensor(n)->storage;
    for (const fx_node *w = n->next; w; w = w->next)
        for (uint32_t i = 0; w->kind == FX_CALL && w->op->is_mutating && i < w->arg_count; i++) {
            const ty_tensor *x = fx_arg_tensor(&w->args[i]);
            if (x && x->storage == storage && w->op->params[i].is_written) return true;
        }
    return false;
}

static fe_status replace_fill(vmapping *u, fx_node *n)
{
    const fill *f = NULL;
    for (size_t k = 0; k < COUNT_OF(FILLS) && n->kind == FX_CALL; k++)
        if (fx_is(n, FILLS[k].op)) f = &FILLS[k];
    const ty_tensor *t = fx_tensor(n);
    if (!f || !t || !u->levels[n->id] || is_written(n)) return FE_OK;
    fx_node *made;
    fx_arg args[] = {fx_int_list(u->g, t->sizes, t->rank),
                     f->at < 0 ? fx_int(u->g, f->number) : n->args[f->at], fx_dtype(t->dtype)};
    FE_TRY(pass_emit(u->g, n, OP_aten_full_default, n, COUNT_OF(args), args, &made));
    fx_replace_uses(u->g, n, made);
    fx_erase(u->g, n);
    return FE_OK;
}

fe_status vmap_find_levels(vmapping *u)
{
    u->known = u->g->next_id;
    u->levels = NEW_ARRAY(u->memory, uint32_t, u->known);
    FE_TRY(find_levels(u));
    for (fx_node *n = u->g->first, *next; n; n = next) {
        next = n->next;
        FE_TRY(replace_fill(u, n));
    }
    replace_numbers(u);
    u->known = u->g->next_id;
    u->levels = NEW_ARRAY(u->memory, uint32_t, u->known);
    u->is_wanted = NEW_ARRAY(u->memory, bool, u->known);
    u->is_done = NEW_ARRAY(u->memory, bool, u->known);
    return find_levels(u);
}
