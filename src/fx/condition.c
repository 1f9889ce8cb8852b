/* condition.c -- what calls ask of sizes that only the run knows: inference states it, lowering has it
 * asserted. The list belongs to the graph, not to the calls, which passes rewrite.
 */
#include "fx/fx.h"

static bool same_relation(const sym_relation *a, const sym_relation *b)
{
    return a->op == b->op && sym_same(a->left, b->left) && sym_same(a->right, b->right);
}

void fx_add_condition(fx_graph *g, sym_relation relation, const char *what)
{
    uint64_t operands = (uint64_t)relation.left.id << 32 | relation.right.id;
    uint64_t key = HASH_MIX(operands + 1, (uint64_t)relation.op + 1);
    uint32_t known = map_get(&g->known_conditions, key);
    if (known != MAP_NONE && same_relation(&g->conditions.at[known].relation, &relation)) return;
    map_set(g->memory, &g->known_conditions, key, g->conditions.count);
    fx_condition condition = {relation, what};
    vec_push(g->memory, &g->conditions, condition);
}
