/* api.h -- the border to ferrite.h, for the command: how what is no function of ferrite.h comes to be
 * called like one. */
#ifndef FERRITE_DRIVER_API_H
#define FERRITE_DRIVER_API_H

#include "driver/driver.h"

/* Calls body(session, data) as the functions of ferrite.h are called: diagnostics start afresh, and
 * fe_error() has them afterwards. For sessions of fe_session_new(). */
fe_status api_call(fe_session *session, fe_status (*body)(fe_session *, void *), void *data);
/* The same for a body that makes a program, and puts it into *made as soon as it begins: *out is that, or
 * NULL when it failed and is gone. */
fe_status api_program(fe_session *session, fe_status (*body)(fe_session *, void *), void *data,
                      driver_program **made, fe_program **out);
/* Memory until the next call. */
arena *api_results(const fe_session *session);
driver_options *api_options(const fe_session *session);

#endif
