/* own.c -- the runtime as it is linked into this process: all of its operators but those that call
 * LAPACK, which not every process has.
 */
#include "exec/exec.h"

static const rt_function operators[] = {
#define EXTERN(name, ...) {#name, (void (*)(void))(uintptr_t)rt_op_##name},
#define EXTERN_LAPACK(...)
#define EXTERN_USERS(...)
#include "loop/extern.def"
#undef EXTERN
#undef EXTERN_LAPACK
#undef EXTERN_USERS
};

const rt_library exec_own_library = {
    .version = RT_LIBRARY_VERSION,
    .struct_bytes = sizeof(rt_library),
    .operators = operators,
    .operator_count = COUNT_OF(operators),
    .services = &rt_services_here,
};
