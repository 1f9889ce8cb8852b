/* embed.h -- files that the compiler carries in itself, so that one binary is all a user needs.
 *
 * "rt.a" is the runtime for linking, all instruction sets in one; "rt/NAME.c", "rt/NAME.h",
 * "src/plan/replan.c" and "include/ferrite_abi.h" are its text, for artifacts that are shipped as
 * source. There the first folder of a name goes. tools/embed.c writes the table while ferrite is
 * being built.
 */
#ifndef FERRITE_EMBED_H
#define FERRITE_EMBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct embedded_file {
    const char *name;
    const unsigned char *data; /* 16-byte aligned, and followed by a NUL that `size` leaves out */
    size_t size;
};
extern const struct embedded_file embedded_files[];
extern const size_t embedded_file_count;
/* Of rt.a, and of all headers: what objects and libraries depend on. */
extern const uint64_t embedded_library_hash, embedded_headers_hash;

/* What programs are compiled and linked with: rt.a and the headers. */
static inline bool embedded_is_for_building(const struct embedded_file *file)
{
    size_t length = strlen(file->name);
    return length > 2 && (strcmp(file->name + length - 2, ".a") == 0 ||
                          strcmp(file->name + length - 2, ".h") == 0);
}

/* In an artifact the runtime is one folder: "rt/fft/rt_fourier.c" -> "rt_fourier.c", but
 * "src/plan/replan.c" -> "plan/replan.c". */
static inline const char *embedded_path(const struct embedded_file *file)
{
    const char *first = strchr(file->name, '/'), *last = strrchr(file->name, '/');
    if (!first) return file->name;
    return strncmp(file->name, "src/", 4) == 0 ? first + 1 : last + 1;
}

#endif
