/* arrival.c -- how often what a value is made of has come from another device.
 *
 * A kernel begins when all that it reads is there. If one of its nests waits for a value that another device
 * has still to compute, all of them do; so a nest that comes behind more such arrivals does not join a group
 * that could begin before. What is only brought (an input, a constant) counts for nothing: that is under way
 * from the beginning.
 */
#include "sched/sched_priv.h"

/* By op; NULL in programs of one device. */
uint32_t *find_arrivals(const loop_program *p, const op_deps *deps, arena *memory)
{
    bool moves = false;
    for (uint32_t op = 0; op < p->ops.count && !moves; op++) moves = loop_moves(p, &p->ops.at[op]);
    if (!moves) return NULL;
    uint32_t *arrivals = NEW_ARRAY(memory, uint32_t, p->ops.count + 1);
    for (uint32_t op = 0; op < p->ops.count; op++) {
        bool is_computed = false;
        for (uint32_t i = deps->first[op]; i < deps->first[op + 1]; i++) {
            uint32_t before = deps->at.at[i];
            if (arrivals[before] > arrivals[op]) arrivals[op] = arrivals[before];
            is_computed |= p->ops.at[before].kind != LOOP_CONTROL;
        }
        arrivals[op] += is_computed && loop_moves(p, &p->ops.at[op]);
    }
    return arrivals;
}
