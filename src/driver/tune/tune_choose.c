/* tune_choose.c -- which way to make a kernel, from samples of the time that each takes.
 *
 * All ways are sampled in turn, so that what else the machine does falls on all; of each the least
 * counts. Those that stay far behind are left out soon. What has come out best then meets the cost
 * model's way alone, and is taken only where it is faster by more than chance.
 */
#include "driver/tune/tune.h"

enum { ROUNDS = 9, EARLY = 3, DUEL = 12 };
static const double FAR_BEHIND = 1.2, MARGIN = 0.03;

static void take_sample(const tune_timer *timer, tune_subject *s, uint32_t candidate)
{
    double ns = timer->sample(timer->data, s, candidate), *least = &s->candidates.at[candidate].ns;
    if (ns > 0 && (*least == 0 || ns < *least)) *least = ns;
}

static uint32_t fastest(const tune_subject *s)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < s->candidates.count; i++) {
        const tune_candidate *c = &s->candidates.at[i];
        if (!c->is_wrong && c->ns > 0 && c->ns < s->candidates.at[best].ns) best = i;
    }
    return best;
}

static bool is_in_the_running(const tune_subject *s, uint32_t candidate, uint32_t round)
{
    const tune_candidate *c = &s->candidates.at[candidate];
    if (c->is_wrong) return false;
    return round < EARLY || c->ns <= FAR_BEHIND * s->candidates.at[fastest(s)].ns;
}

void tune_choose(const tune_timer *timer, tune_subject *s)
{
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < s->candidates.count; i++)
            if (is_in_the_running(s, i, round)) take_sample(timer, s, i);
    uint32_t best = fastest(s);
    tune_candidate *own = &s->candidates.at[0], *other = &s->candidates.at[best];
    if (best > 0) own->ns = other->ns = 0;
    for (uint32_t round = 0; round < DUEL && best > 0; round++) {
        take_sample(timer, s, 0);
        take_sample(timer, s, best);
    }
    s->chosen = other->ns < (1 - MARGIN) * own->ns ? best : 0;
    s->before_ns = own->ns;
    s->after_ns = s->candidates.at[s->chosen].ns;
    s->is_decided = true;
}
