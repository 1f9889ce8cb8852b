/* sched.c -- src/sched: the text of every program's schedule comes back. What the scheduler decides
 * is tested by texts in test/sched. */
#include "archives.h"

static fe_status round_trip(fe_session *session, driver_program *d)
{
    text first, second;
    sched_schedule *again;
    text_init(&first, d->memory);
    text_init(&second, d->memory);
    sched_print(d->schedule, &first);
    FE_TRY(sched_parse(session, d->memory, first.at, first.length, &again));
    sched_print(again, &second);
    EXPECT_TEXT(second.at, first.at);
    return sched_check(again);
}

TEST(sched_text_of_every_program_comes_back)
{
    unit_each_archive(STAGE_SCHED, round_trip);
}

/* What later stages make of the schedule that was read is what they make of the one that was built.
 */
static fe_status same_wrapper(fe_session *session, driver_program *d)
{
    text source, first, second;
    text_init(&source, d->memory);
    text_init(&first, d->memory);
    text_init(&second, d->memory);
    d->graph = NULL; /* provenance is not in the text */
    sched_print(d->schedule, &source);
    FE_TRY(driver_advance(d, STAGE_KERN, STAGE_WRAP));
    wrap_print(d->wrapper, &first);
    FE_TRY(sched_parse(session, d->memory, source.at, source.length, &d->schedule));
    d->loops = d->schedule->program;
    FE_TRY(driver_advance(d, STAGE_KERN, STAGE_WRAP));
    wrap_print(d->wrapper, &second);
    EXPECT_TEXT(second.at, first.at);
    return FE_OK;
}

TEST(sched_text_holds_all_that_later_stages_need)
{
    unit_each_archive(STAGE_SCHED, same_wrapper);
}
