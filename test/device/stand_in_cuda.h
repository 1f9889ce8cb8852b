/* stand_in_cuda.h -- kernels as CUDA's driver calls them, by an array of pointers to their parameters. */
#include "shim_cuda.h"

#include <utility>

template <typename... P, size_t... I>
static inline void stand_in_apply(void (*kernel)(P...), void **p, std::index_sequence<I...>)
{
    kernel(*(P *)p[I]...);
}
template <typename... P> static inline void stand_in_call(void (*kernel)(P...), void **p)
{
    stand_in_apply(kernel, p, std::index_sequence_for<P...>());
}
