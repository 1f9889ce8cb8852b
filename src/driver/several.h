/* several.h -- programs that are shipped together, one or more: where their weights lie, and which kernels
 * they share. several.c makes a library of them, sources.c a folder of C.
 */
#ifndef FERRITE_DRIVER_SEVERAL_H
#define FERRITE_DRIVER_SEVERAL_H

#include "driver/driver.h"

typedef struct several {
    fe_session *session;
    arena *memory; /* of the first program */
    driver_program *const *programs;
    uint32_t count;
    const char *name;       /* of all together: of the file, or of the one program */
    wrap_program *wrappers; /* as they are, but for where weights lie */
    const wrap_program **wrapper_list;
    emit_input *inputs;
    uint64_t key;
} several;

/* For a file or folder at `path`; is_beside: the weights are in a file beside it. FE_USAGE where they are no
 * programs of one library. */
fe_status several_begin(driver_program *const *programs, uint32_t count, const char *path,
                        bool is_beside, several *out);
/* Fills in files, entries and programs of `build`; kernels of each in `parts` files, 0: one for each core. */
fe_status several_emit(several *s, uint32_t parts, driver_build *build);
/* The function that gives all programs of a library, in a file. */
void several_list(const several *s, emit_file *out);
/* Those of all, behind a library or (NULL) alone. */
fe_status several_weights(const several *s, const char *library, const char *path, int64_t *bytes);

#endif
