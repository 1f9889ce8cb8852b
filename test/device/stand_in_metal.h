/* stand_in_metal.h -- kernels as Metal calls them, by what was bound to each index. */
#include <utility>

#include "shim_metal.h"

template <typename T> struct stand_in_bound;
template <> struct stand_in_bound<char *> {
    static char *at(void *bound)
    {
        return (char *)bound;
    }
};
template <> struct stand_in_bound<const long &> {
    static const long &at(void *bound)
    {
        return *(const long *)bound;
    }
};

template <typename... P, size_t... I>
static inline void stand_in_apply(void (*one)(long *, const long &, const long &, uint, uint, P...),
                                  void **b, std::index_sequence<I...>)
{
    one((long *)b[0], *(const long *)b[1], *(const long *)b[2],
        shim_block * shim_width + shim_thread, shim_thread, stand_in_bound<P>::at(b[3 + I])...);
}
template <typename... P>
static inline void stand_in_call(void (*one)(long *, const long &, const long &, uint, uint, P...),
                                 void **bound)
{
    stand_in_apply(one, bound, std::index_sequence_for<P...>());
}
