/* shim_library.h -- kernels of a dialect as a library of the host. */
#ifndef SHIM_LIBRARY_H
#define SHIM_LIBRARY_H

#include "shim_block.h"

/* A dialect: the header with its names, and flags of the C++ compiler. */
typedef struct shim_language {
    const char *names, *flags;
} shim_language;

/* Makes the library of the text, or finds it in $SHIM_CACHE, a folder; its path goes into `library`. */
int shim_make(const shim_language *language, const char *text, size_t bytes, char *library,
              size_t library_bytes, const fe_device_host *host);
/* The library was opened, or is of no use: it is deleted where there is no $SHIM_CACHE. */
void shim_forget(const char *library);

#endif
