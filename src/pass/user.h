/* user.h -- passes of the user's (ferrite_passes.h) among those of passes.def. */
#ifndef FERRITE_PASS_USER_H
#define FERRITE_PASS_USER_H

#include "ferrite_passes.h"
#include "pass/pass_priv.h"

/* pass_info.run_with of them; data: the fe_pass. */
fe_status pass_user(fx_graph *g, const pass_services *services, void *data, bool *changed);

#endif
