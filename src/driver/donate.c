/* donate.c -- option donate: inputs whose memory the program may use for other things. */
#include "driver/driver.h"

#include <string.h>

static fe_status refuse(driver_program *d, const char *help, const char *name, const char *why)
{
    return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "donate", .help = help},
                     "input '%s' cannot be donated: %s", name, why);
}

static const loop_input *find_input(const loop_program *p, const char *name)
{
    for (uint32_t k = 0; k < p->inputs.count; k++)
        if (strcmp(p->inputs.at[k].name, name) == 0) return &p->inputs.at[k];
    return NULL;
}

static fe_status unknown(driver_program *d, const char *name)
{
    const loop_program *p = d->loops;
    VEC(const char *) names = {0};
    for (uint32_t k = 0; k < p->inputs.count; k++)
        vec_push(d->memory, &names, p->inputs.at[k].name);
    const char *meant = nearest_name(name, names.at, names.count),
               *help = meant ? arena_printf(d->memory, "did you mean '%s'?", meant) : NULL;
    return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "donate", .help = help},
                     "the program has no input '%s'", name);
}

static fe_status donate(driver_program *d, const char *name)
{
    loop_program *p = d->loops;
    size_t length = strlen(name);
    bool may_stay = length && name[length - 1] == '?';
    if (may_stay) name = arena_printf(d->memory, "%.*s", (int)length - 1, name);
    const loop_input *input = find_input(p, name);
    if (!input) return unknown(d, name);
    const char *why = input->is_tensor ? sched_donation_fault(p, input->buffer) : "it is a number";
    if (!why)
        p->buffers.at[input->buffer].donated = true;
    else if (!may_stay)
        return refuse(d, arena_printf(d->memory, "`%s?` passes over it, as `all` does", name), name,
                      why);
    return FE_OK;
}

fe_status donate_inputs(driver_program *d)
{
    const option_list *wanted = &d->options.donate;
    loop_program *p = d->loops;
    for (uint32_t i = 0; i < wanted->count; i++) {
        bool is_all = strcmp(wanted->at[i], "all") == 0;
        if (!is_all) FE_TRY(donate(d, wanted->at[i]));
        for (uint32_t k = 0; is_all && k < p->inputs.count; k++)
            if (p->inputs.at[k].is_tensor && !sched_donation_fault(p, p->inputs.at[k].buffer))
                p->buffers.at[p->inputs.at[k].buffer].donated = true;
    }
    return FE_OK;
}

fe_status donate_is_late(driver_program *d)
{
    if (!d->options.donate.count) return FE_OK;
    return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "donate"},
                     "the memory of this text is planned already: it says what is donated");
}
