/* moot.c -- copies that are views where a size is 1.
 *
 * reshape, contiguous and their like copy what they cannot show, and [3,s0,2] with its first two
 * dimensions swapped can be shown where s0 is 1. A program has one of the two compiled in: the copy. Who
 * writes to it, or to what it is a copy of, and looks at the other one then, needs the sizes to be others
 * than 1.
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

static void need_copy(functionaliser *f, const moot_copy *copy)
{
    sym_table *t = f->g->symbols;
    sym_expr one = sym_int(t, 1);
    for (uint32_t d = 0; d < copy->from->rank; d++) {
        sym_expr size = copy->from->sizes[d];
        if (sym_prove(t, sym_compare(t, SYM_NE, size, one), NULL) != SYM_UNKNOWN) continue;
        const char *line = fx_origin_line(f->g, copy->node->origin);
        fx_add_condition(
            f->g, (sym_relation){size, one, SYM_NE},
            arena_printf(f->g->memory,
                         "%s: what is written where dimension %u has size 1 is a view, of what the "
                         "program is made to copy (%s%s%s)",
                         copy->node->op->name, d, copy->node->name, line ? ", " : "",
                         line ? line : ""));
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
