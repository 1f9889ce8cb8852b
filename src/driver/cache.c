/* cache.c -- made libraries and objects under their names in the cache: whole, or not used.
 *
 * Behind each stands a seal: what it was made from, how many bytes it has, and their hash. It is
 * written and synced before the file gets its name, and looked at whenever the library is used; one
 * that was cut short, changed, or put there by somebody else is made again. Loader and linker pass over it.
 */
#define _GNU_SOURCE
#include "driver/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct cache_seal {
    char magic[16];
    uint64_t key, bytes, hash;
} cache_seal;

static const char SEAL_MAGIC[16] = "ferrite library";

static cache_seal seal_of(const void *data, size_t bytes, uint64_t key)
{
    cache_seal seal = {.key = key, .bytes = bytes, .hash = hash_bytes(data, bytes, key)};
    memcpy(seal.magic, SEAL_MAGIC, sizeof seal.magic);
    return seal;
}

size_t cache_code_bytes(const void *data, size_t bytes)
{
    cache_seal seal;
    if (bytes < sizeof seal) return bytes;
    memcpy(&seal, (const char *)data + bytes - sizeof seal, sizeof seal);
    bool has = memcmp(seal.magic, SEAL_MAGIC, sizeof seal.magic) == 0;
    return has && seal.bytes == bytes - sizeof seal ? seal.bytes : bytes;
}

bool cache_has(fe_session *s, const char *path, uint64_t key)
{
    diag_mark_t mark = diag_mark(s);
    mapped_file file = {0};
    bool is_whole = false;
    if (file_exists(path) && file_map(s, path, &file) == FE_OK) {
        size_t bytes = cache_code_bytes(file.data, file.size);
        cache_seal seal = seal_of(file.data, bytes, key);
        is_whole =
            bytes < file.size && memcmp((const char *)file.data + bytes, &seal, sizeof seal) == 0;
        file_unmap(&file);
    }
    diag_forget_since(s, mark);
    return is_whole;
}

static bool append_seal(const char *path, const cache_seal *seal)
{
    int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    bool good = file >= 0 && write(file, seal, sizeof *seal) == (ssize_t)sizeof *seal &&
                fdatasync(file) == 0;
    if (file >= 0) good &= close(file) == 0;
    return good;
}

fe_status cache_put(fe_session *s, const char *made, const char *path, uint64_t key)
{
    mapped_file file;
    FE_TRY(file_map(s, made, &file));
    cache_seal seal = seal_of(file.data, file.size, key);
    file_unmap(&file);
    if (append_seal(made, &seal) && rename(made, path) == 0) return FE_OK;
    return diag_fail(s, (diag){.status = FE_IO, .stage = "cc", .place = path},
                     "cannot write to the cache: %s", strerror(errno));
}

bool cache_get(fe_session *s, const char *path, const char *to, uint64_t key)
{
    if (!cache_has(s, path, key) || link(path, to) != 0) return false;
    cache_use(path);
    return true;
}

bool cache_keep(fe_session *s, const char *made, const char *path, uint64_t key)
{
    diag_mark_t mark = diag_mark(s);
    mapped_file file;
    bool is_kept = false;
    char again[4096];
    int length = snprintf(again, sizeof again, "%s.kept", made);
    if (length < (int)sizeof again && file_map(s, made, &file) == FE_OK) {
        cache_seal seal = seal_of(file.data, file.size, key);
        file_unmap(&file);
        is_kept = append_seal(made, &seal) && link(made, again) == 0 && rename(again, path) == 0;
    }
    diag_forget_since(s, mark);
    return is_kept;
}

bool cache_file_is(fe_session *s, const char *path, const void *data, size_t size)
{
    diag_mark_t mark = diag_mark(s);
    mapped_file file = {0};
    bool same = false;
    if (file_exists(path) && file_map(s, path, &file) == FE_OK) {
        same = file.size == size && (!size || memcmp(file.data, data, size) == 0);
        file_unmap(&file);
    }
    diag_forget_since(s, mark);
    return same;
}
