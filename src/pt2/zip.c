/* zip.c -- the directory of a zip that is mapped in memory, through minizip.
 *
 * minizip reads headers through callbacks that copy out of the mapping; a record's data is never
 * read here, only placed. Records must be stored. Two passes, so that nothing of ours is
 * allocated while minizip holds memory: the first measures the names, the second fills the
 * table.
 */
#include "pt2/pt2_priv.h"

#include <minizip/unzip.h>
#include <string.h>

enum { LONGEST_NAME = 1024 };

/* ---- the mapping as a file for minizip ---- */

typedef struct memory_file {
    const uint8_t *data;
    uint64_t size, position;
} memory_file;

static void *open_memory(void *opaque, const void *path, int mode)
{
    (void)path;
    (void)mode;
    return opaque;
}

static uLong read_memory(void *opaque, void *stream, void *buffer, uLong wanted)
{
    (void)opaque;
    memory_file *f = stream;
    uint64_t left = f->position < f->size ? f->size - f->position : 0;
    uLong got = wanted < left ? wanted : (uLong)left;
    if (got) memcpy(buffer, f->data + f->position, got);
    f->position += got;
    return got;
}

static uLong write_memory(void *opaque, void *stream, const void *buffer, uLong size)
{
    (void)opaque;
    (void)stream;
    (void)buffer;
    (void)size;
    return 0;
}

static ZPOS64_T tell_memory(void *opaque, void *stream)
{
    (void)opaque;
    return ((memory_file *)stream)->position;
}

static long seek_memory(void *opaque, void *stream, ZPOS64_T offset, int origin)
{
    (void)opaque;
    memory_file *f = stream;
    uint64_t base = origin == ZLIB_FILEFUNC_SEEK_CUR   ? f->position
                    : origin == ZLIB_FILEFUNC_SEEK_END ? f->size
                                                       : 0;
    if (offset > f->size || base > f->size - offset) return -1;
    f->position = base + offset;
    return 0;
}

static int close_memory(void *opaque, void *stream)
{
    (void)opaque;
    (void)stream;
    return 0;
}

static unzFile open_zip(memory_file *f)
{
    zlib_filefunc64_def functions = {
        .zopen64_file = open_memory,
        .zread_file = read_memory,
        .zwrite_file = write_memory,
        .ztell64_file = tell_memory,
        .zseek64_file = seek_memory,
        .zclose_file = close_memory,
        .zerror_file = close_memory,
        .opaque = f,
    };
    return unzOpen2_64("", &functions);
}

/* ---- entries ---- */

/* The current entry's name and sizes. NULL when it is good, otherwise what is wrong. */
static const char *read_entry(unzFile zip, char name[LONGEST_NAME + 1], unz_file_info64 *info)
{
    if (unzGetCurrentFileInfo64(zip, info, name, LONGEST_NAME, NULL, 0, NULL, 0) != UNZ_OK)
        return "its directory is damaged";
    if (info->size_filename > LONGEST_NAME) return "a record's name is too long";
    name[info->size_filename] = '\0';
    if (info->size_filename == 0 || strlen(name) != info->size_filename)
        return "a record's name is damaged";
    return NULL;
}

static uint64_t number_at(const uint8_t *at, uint32_t bytes)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes; i++) value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* A field of a directory entry that is all ones stands as 64 bits in an extra field. */
typedef struct wide {
    const uint8_t *at, *end; /* what is left of the extra field's data */
    bool missing;
} wide;

static uint64_t widen(wide *w, uint64_t value)
{
    if (value != UINT32_MAX) return value;
    if (w->end - w->at < 8) {
        w->missing = true;
        return 0;
    }
    w->at += 8;
    return number_at(w->at - 8, 8);
}

/* The data of the 64-bit extra field among the extra fields at [at, end); empty when there is none.
 */
static wide find_wide(const uint8_t *at, const uint8_t *end)
{
    enum { WIDE = 1 };
    while (end - at >= 4) {
        uint64_t id = number_at(at, 2), length = number_at(at + 2, 2);
        at += 4;
        if (length > (uint64_t)(end - at)) break;
        if (id == WIDE) return (wide){.at = at, .end = at + length};
        at += length;
    }
    return (wide){.at = end, .end = end};
}

/* A record with 64-bit fields: archives over 4 GiB. Old releases of minizip (1.1 in Debian 12) do not
 * decode these on 64-bit machines, so they are read from the directory entry itself. */
static const char *place_wide(unzFile zip, const memory_file *f, pt2_record *record)
{
    enum { CENTRAL = 46, LOCAL = 30 };
    unz64_file_pos where;
    if (unzGetFilePos64(zip, &where) != UNZ_OK) return "its directory is damaged";
    uint64_t at = where.pos_in_zip_directory;
    if (f->size < CENTRAL || at > f->size - CENTRAL || number_at(f->data + at, 4) != 0x02014b50)
        return "its place in the directory is not clear";
    const uint8_t *entry = f->data + at;
    uint64_t names = number_at(entry + 28, 2), extras = number_at(entry + 30, 2);
    if (names + extras > f->size - CENTRAL - at) return "its directory is damaged";
    wide w = find_wide(entry + CENTRAL + names, entry + CENTRAL + names + extras);
    uint64_t size = widen(&w, number_at(entry + 24, 4));
    uint64_t stored = widen(&w, number_at(entry + 20, 4));
    uint64_t offset = widen(&w, number_at(entry + 42, 4));
    if (w.missing) return "its 64-bit sizes are missing";
    if (size != stored) return "its two sizes differ though it is stored";
    if (f->size < LOCAL || offset > f->size - LOCAL) return "it reaches past the end of the file";
    const uint8_t *header = f->data + offset;
    if (number_at(header, 4) != 0x04034b50) return "its header is damaged";
    uint64_t skip = LOCAL + number_at(header + 26, 2) + number_at(header + 28, 2);
    if (skip > f->size - offset || size > f->size - offset - skip)
        return "it reaches past the end of the file";
    record->data = header + skip;
    record->size = (size_t)size;
    return NULL;
}

/* Where the current entry's data lie. */
static const char *place_entry(unzFile zip, const memory_file *f, const unz_file_info64 *info,
                               pt2_record *record, bool *unsupported)
{
    *unsupported = true;
    if (info->flag & 1) return "it is encrypted";
    if (info->compression_method != 0) return "it is compressed; the records of a .pt2 are stored";
    *unsupported = false;
    record->crc = (uint32_t)info->crc;
    int method, level;
    bool is_open = unzOpenCurrentFile2(zip, &method, &level, 1) == UNZ_OK;
    uint64_t position = is_open ? unzGetCurrentFileZStreamPos64(zip) : 0;
    if (is_open) unzCloseCurrentFile(zip);
    if (info->compressed_size >= UINT32_MAX || info->uncompressed_size >= UINT32_MAX ||
        position >= UINT32_MAX || (!is_open && info->size_file_extra > 0))
        return place_wide(zip, f, record);
    if (!is_open) return "its header is damaged";
    if (info->compressed_size != info->uncompressed_size)
        return "its two sizes differ though it is stored";
    if (position > f->size || info->uncompressed_size > f->size - position)
        return "it reaches past the end of the file";
    record->data = f->data + position;
    record->size = (size_t)info->uncompressed_size;
    return NULL;
}

/* How many records and bytes of names there are. */
static const char *measure(unzFile zip, uint32_t *count, size_t *name_bytes)
{
    char name[LONGEST_NAME + 1];
    unz_file_info64 info;
    int status = unzGoToFirstFile(zip);
    for (; status == UNZ_OK; status = unzGoToNextFile(zip)) {
        const char *wrong = read_entry(zip, name, &info);
        if (wrong) return wrong;
        if (*count == UINT32_MAX - 1) return "it has too many records";
        (*count)++;
        *name_bytes += info.size_filename + 1;
    }
    return status == UNZ_END_OF_LIST_OF_FILE ? NULL : "its directory is damaged";
}

/* Second pass. `wrong_at` is the record that the answer is about. */
static const char *fill(unzFile zip, const memory_file *f, uint32_t count, char *names,
                        size_t name_bytes, zip_directory *out, const char **wrong_at,
                        bool *unsupported)
{
    char name[LONGEST_NAME + 1];
    unz_file_info64 info;
    int status = unzGoToFirstFile(zip);
    for (; status == UNZ_OK && out->count < count; status = unzGoToNextFile(zip)) {
        const char *wrong = read_entry(zip, name, &info);
        if (wrong) return wrong;
        if (info.size_filename + 1 > name_bytes) return "its directory is damaged";
        memcpy(names, name, info.size_filename + 1);
        *wrong_at = names;
        names += info.size_filename + 1;
        name_bytes -= info.size_filename + 1;
        if (name[info.size_filename - 1] == '/') continue; /* a folder */
        pt2_record *record = &out->records[out->count];
        record->name = *wrong_at;
        wrong = place_entry(zip, f, &info, record, unsupported);
        if (wrong) return wrong;
        out->count++;
    }
    *wrong_at = NULL;
    return NULL;
}

static uint64_t hash_name(const char *name)
{
    return hash_bytes(name, strlen(name), 0);
}

/* NULL, or the name that stands twice. */
static const char *index_names(arena *a, zip_directory *zip)
{
    for (uint32_t i = 0; i < zip->count; i++) {
        const char *name = zip->records[i].name;
        if (zip_find(zip, name)) return name;
        uint64_t hash = hash_name(name);
        if (map_get(&zip->by_hash, hash) == MAP_NONE) map_set(a, &zip->by_hash, hash, i);
    }
    return NULL;
}

const char *zip_read(arena *a, const uint8_t *data, size_t size, zip_directory *out,
                     bool *unsupported)
{
    memory_file f = {.data = data, .size = size};
    uint32_t count = 0;
    size_t name_bytes = 0;
    *out = (zip_directory){0};
    *unsupported = false;

    unzFile zip = size ? open_zip(&f) : NULL;
    if (!zip) return "it is no zip archive, or its end is missing";
    const char *wrong = measure(zip, &count, &name_bytes);
    unzClose(zip);
    if (wrong) return wrong;

    out->records = NEW_ARRAY(a, pt2_record, count);
    char *names = arena_alloc(a, name_bytes);
    const char *wrong_at = NULL;
    zip = open_zip(&f);
    if (!zip) return "it cannot be read";
    wrong = fill(zip, &f, count, names, name_bytes, out, &wrong_at, unsupported);
    unzClose(zip);
    if (wrong) return wrong_at ? arena_printf(a, "record %s: %s", wrong_at, wrong) : wrong;

    const char *twice = index_names(a, out);
    return twice ? arena_printf(a, "record %s is there twice", twice) : NULL;
}

const pt2_record *zip_find(const zip_directory *zip, const char *name)
{
    uint32_t i = map_get(&zip->by_hash, hash_name(name));
    if (i == MAP_NONE) return NULL;
    for (; i < zip->count; i++) /* the first step finds it unless two names share a hash */
        if (strcmp(zip->records[i].name, name) == 0) return &zip->records[i];
    return NULL;
}
