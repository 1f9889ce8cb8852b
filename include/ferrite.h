/* ferrite.h -- the public interface: compile a PyTorch program, load the result, run it.
 *
 * Compiling needs libferrite (this header's fe_session and fe_compile_*). Running an artifact needs
 * only the artifact itself: see ferrite_abi.h for the structures that cross that border.
 */
#ifndef FERRITE_H
#define FERRITE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call came to. Anything but FE_OK comes with a diagnostic in the session. */
typedef enum fe_status {
    FE_OK = 0,
    FE_USAGE,       /* a wrong option or argument */
    FE_IO,          /* a file cannot be read or written */
    FE_CORRUPT,     /* an archive or text does not hold what it must */
    FE_UNSUPPORTED, /* a valid program that ferrite cannot compile yet */
    FE_MISMATCH,    /* a check failed: metadata, shapes or numbers differ */
    FE_TOOLCHAIN,   /* the C compiler is missing or failed */
    FE_NO_MEMORY,
    FE_INTERNAL /* a fault of ferrite's own: please report it with the text it printed */
} fe_status;

typedef struct fe_session fe_session;

#ifdef __cplusplus
}
#endif

#endif
