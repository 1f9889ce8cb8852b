/* zip.c -- the directory of a zip that is mapped in memory.
 *
 * A record's data is never read here, only placed. Records must be stored. Nothing that the file says of
 * itself is believed before it is held against the file's size.
 */
#include "pt2/pt2_priv.h"

#include <string.h>

enum {
    LONGEST_NAME = 1024,
    LONGEST_COMMENT = 0xFFFF,
    /* bytes of a header before its names: of a record, of its entry in the directory, of the directory's
     * end, of the place of its 64-bit form, and of that */
    LOCAL = 30,
    ENTRY = 46,
    END = 22,
    LOCATOR = 20,
    WIDE_END = 56,
};

static const uint32_t LOCAL_MARK = 0x04034b50, ENTRY_MARK = 0x02014b50, END_MARK = 0x06054b50,
                      LOCATOR_MARK = 0x07064b50, WIDE_END_MARK = 0x06064b50;

typedef struct zip_file {
    const uint8_t *data;
    uint64_t size;
    uint64_t at, left; /* the directory: its next entry, and entries left */
} zip_file;

static uint64_t number_at(const uint8_t *at, uint32_t bytes)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes; i++) value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* Whether a header of so many bytes begins at `at`. */
static bool is_header(const zip_file *f, uint64_t at, uint64_t bytes, uint32_t mark)
{
    return f->size >= bytes && at <= f->size - bytes && number_at(f->data + at, 4) == mark;
}

/* ---- entries ---- */

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

/* Where the data of the record with this directory entry lie. NULL, or what is wrong. */
static const char *place_record(const zip_file *f, const uint8_t *entry, wide w, pt2_record *record)
{
    uint64_t size = widen(&w, number_at(entry + 24, 4));
    uint64_t stored = widen(&w, number_at(entry + 20, 4));
    uint64_t offset = widen(&w, number_at(entry + 42, 4));
    if (w.missing) return "its 64-bit sizes are missing";
    if (size != stored) return "its two sizes differ though it is stored";
    if (offset > f->size) return "it reaches past the end of the file";
    if (!is_header(f, offset, LOCAL, LOCAL_MARK)) return "its header is damaged";
    const uint8_t *header = f->data + offset;
    uint64_t skip = LOCAL + number_at(header + 26, 2) + number_at(header + 28, 2);
    if (skip > f->size - offset || size > f->size - offset - skip)
        return "it reaches past the end of the file";
    record->data = header + skip;
    record->size = (size_t)size;
    return NULL;
}

/* The next entry of the directory. `name` is set when it is known. */
static const char *read_entry(zip_file *f, arena *a, pt2_record *record, const char **name,
                              bool *unsupported)
{
    if (!is_header(f, f->at, ENTRY, ENTRY_MARK)) return "its directory is damaged";
    const uint8_t *entry = f->data + f->at;
    uint64_t name_bytes = number_at(entry + 28, 2), extra = number_at(entry + 30, 2);
    uint64_t bytes = ENTRY + name_bytes + extra + number_at(entry + 32, 2);
    if (bytes > f->size - f->at) return "its directory is damaged";
    f->at += bytes;
    if (name_bytes > LONGEST_NAME) return "a record's name is too long";
    const uint8_t *after = entry + ENTRY + name_bytes;
    if (name_bytes == 0 || memchr(entry + ENTRY, 0, name_bytes))
        return "a record's name is damaged";
    *name = memcpy(arena_alloc(a, name_bytes + 1), entry + ENTRY, name_bytes);
    *record = (pt2_record){.name = *name, .crc = (uint32_t)number_at(entry + 16, 4)};
    if (after[-1] == '/') return NULL; /* a folder */
    *unsupported = true;
    if (number_at(entry + 8, 2) & 1) return "it is encrypted";
    if (number_at(entry + 10, 2) != 0) return "it is compressed; the records of a .pt2 are stored";
    *unsupported = false;
    return place_record(f, entry, find_wide(after, after + extra), record);
}

/* ---- the directory ---- */

/* The 64-bit form of the directory's end, of which a part of that at `end` is all ones. */
static bool find_wide_directory(zip_file *f, uint64_t end)
{
    if (end < LOCATOR || !is_header(f, end - LOCATOR, LOCATOR, LOCATOR_MARK)) return false;
    uint64_t at = number_at(f->data + end - LOCATOR + 8, 8);
    if (!is_header(f, at, WIDE_END, WIDE_END_MARK)) return false;
    f->left = number_at(f->data + at + 32, 8);
    f->at = number_at(f->data + at + 48, 8);
    return true;
}

static bool find_directory(zip_file *f)
{
    if (f->size < END) return false;
    uint64_t end = f->size - END, least = end > LONGEST_COMMENT ? end - LONGEST_COMMENT : 0;
    while (!is_header(f, end, END, END_MARK))
        if (end-- == least) return false;
    f->left = number_at(f->data + end + 10, 2);
    f->at = number_at(f->data + end + 16, 4);
    if (f->left == UINT16_MAX || f->at == UINT32_MAX) return find_wide_directory(f, end);
    return true;
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
    zip_file f = {.data = data, .size = size};
    VEC(pt2_record) records = {0};
    *out = (zip_directory){0};
    *unsupported = false;
    if (!find_directory(&f)) return "it is no zip archive, or its end is missing";
    for (; f.left; f.left--) {
        pt2_record record;
        const char *name = NULL, *wrong = read_entry(&f, a, &record, &name, unsupported);
        if (wrong) return name ? arena_printf(a, "record %s: %s", name, wrong) : wrong;
        if (record.data) vec_push(a, &records, record);
    }
    out->records = records.at;
    out->count = records.count;
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
