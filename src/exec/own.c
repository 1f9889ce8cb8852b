/* own.c -- the runtime as it is linked into this process. */
#include "exec/exec.h"

#define OWN(name)                                      \
    {                                                  \
#name, (void (*)(void))(uintptr_t)rt_op_##name \
    }

static const rt_function operators[] = {
    OWN(gemm),        OWN(bmm),           OWN(conv),       OWN(sdpa),
    OWN(copy),        OWN(sort),          OWN(topk),       OWN(select),
    OWN(mode),        OWN(search),        OWN(segment),    OWN(triangular_solve),
    OWN(nonzero),     OWN(repeat),        OWN(matrix_exp), OWN(unique),
    OWN(fourier),     OWN(unpack_pivots), OWN(check_info), OWN(take),
    OWN(conv_weight),
};

const rt_library exec_own_library = {
    .version = RT_LIBRARY_VERSION,
    .struct_bytes = sizeof(rt_library),
    .operators = operators,
    .operator_count = COUNT_OF(operators),
    .services = &rt_services_here,
};
