/* archives.h -- a test over every program under test/cases. */
#ifndef FERRITE_UNIT_ARCHIVES_H
#define FERRITE_UNIT_ARCHIVES_H

#include "driver/driver.h"
#include "unit.h"

/* Takes each archive there, and in the folders that UNIT_ARCHIVES names (a ':' between two; with all
 * that is in them), through the stages up to `last`, in a session of its own, and calls `body`.
 * One that cannot be compiled is passed over. Fails when there are none, or on what `body` says. */
void unit_each_archive(driver_stage last, fe_status (*body)(fe_session *, driver_program *));

#endif
