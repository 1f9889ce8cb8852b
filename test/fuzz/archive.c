/* archive.c -- changes to a zip of stored records, as torch.export.save writes them. */
#include "mutate.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LOCAL = 30, CENTRAL = 46, END = 22, ALIGNMENT = 64, MOST_RECORDS = 400 };

typedef struct record {
    bytes name, data;
} record;

typedef struct zip {
    record at[MOST_RECORDS];
    size_t count;
} zip;

static uint32_t get(const char *at, int size)
{
    uint32_t value = 0;
    for (int k = size; k-- > 0;) value = value << 8 | (unsigned char)at[k];
    return value;
}

static void put(bytes *to, uint64_t value, int size)
{
    char little[8];
    for (int k = 0; k < size; k++) little[k] = (char)(value >> 8 * k);
    bytes_add(to, little, (size_t)size);
}

/* Reads an archive that is sound. */
static zip *read_zip(bytes archive)
{
    zip *z = calloc(1, sizeof *z);
    if (!z || archive.size < END) abort();
    const char *end = archive.at + archive.size - END;
    while (end > archive.at && get(end, 4) != 0x06054b50) end--;
    const char *entry = archive.at + get(end + 16, 4);
    for (uint32_t left = get(end + 10, 2); left && z->count < MOST_RECORDS; left--) {
        const char *local = archive.at + get(entry + 42, 4);
        const char *data = local + LOCAL + get(local + 26, 2) + get(local + 28, 2);
        z->at[z->count++] = (record){bytes_copy(entry + CENTRAL, get(entry + 28, 2)),
                                     bytes_copy(data, get(entry + 24, 4))};
        entry += CENTRAL + get(entry + 28, 2) + get(entry + 30, 2) + get(entry + 32, 2);
    }
    return z;
}

static void free_zip(zip *z)
{
    for (size_t k = 0; k < z->count; k++) {
        free(z->at[k].name.at);
        free(z->at[k].data.at);
    }
    free(z);
}

/* What a local header and an entry of the directory have in common. */
static void put_head(bytes *to, const record *r, uint32_t extra)
{
    put(to, 0, 4); /* flags, method */
    put(to, 0, 4); /* time */
    put(to, crc32(0, (const Bytef *)r->data.at, (uInt)r->data.size), 4);
    put(to, r->data.size, 4);
    put(to, r->data.size, 4);
    put(to, r->name.size, 2);
    put(to, extra, 2);
}

static bytes write_zip(const zip *z)
{
    bytes out = {0}, directory = {0};
    for (size_t k = 0; k < z->count; k++) {
        const record *r = &z->at[k];
        size_t from = out.size, head = from + LOCAL + r->name.size + 4;
        uint32_t padding = (uint32_t)(-head % ALIGNMENT);
        put(&out, 0x04034b50, 4);
        put(&out, 20, 2);
        put_head(&out, r, padding + 4);
        bytes_add(&out, r->name.at, r->name.size);
        put(&out, 0x4246, 2);
        put(&out, padding, 2);
        for (uint32_t left = padding; left; left--) put(&out, 'Z', 1);
        bytes_add(&out, r->data.at, r->data.size);
        put(&directory, 0x02014b50, 4);
        put(&directory, 20 | 20 << 16, 4);
        put_head(&directory, r, 0);
        put(&directory, 0, 8);
        put(&directory, 0, 2);
        put(&directory, from, 4);
        bytes_add(&directory, r->name.at, r->name.size);
    }
    size_t at = out.size;
    bytes_add(&out, directory.at, directory.size);
    put(&out, 0x06054b50, 4);
    put(&out, 0, 4);
    put(&out, z->count | z->count << 16, 4);
    put(&out, directory.size, 4);
    put(&out, at, 4);
    put(&out, 0, 2);
    free(directory.at);
    return out;
}

static int ends_with(bytes name, const char *ending)
{
    size_t length = strlen(ending);
    return name.size >= length && memcmp(name.at + name.size - length, ending, length) == 0;
}

/* The program itself most of the time, else another JSON record. */
static record *json_of(random_state *r, zip *z)
{
    int any = random_one_in(r, 5);
    size_t from = random_below(r, z->count);
    for (size_t k = 0; k < z->count; k++) {
        record *one = &z->at[(from + k) % z->count];
        if (ends_with(one->name, ".json") && (any || strstr(one->name.at, "models/"))) return one;
    }
    return &z->at[from];
}

static void change_bytes(random_state *r, bytes *data, size_t from)
{
    for (size_t left = 1 + random_below(r, 6); left && data->size > from; left--) {
        size_t at = from + random_below(r, data->size - from);
        data->at[at] = random_one_in(r, 3) ? (char)0xff : (char)random_next(r);
    }
    if (random_one_in(r, 4)) data->size = from + random_below(r, data->size - from + 1);
}

static void change_records(random_state *r, zip *z)
{
    size_t at = random_below(r, z->count);
    record *one = &z->at[at];
    switch (random_below(r, 5)) {
    case 0: /* it is not there */
        free(one->name.at);
        free(one->data.at);
        *one = z->at[--z->count];
        break;
    case 1: /* it has another's data */
        free(one->data.at);
        at = random_below(r, z->count);
        if (&z->at[at] == one) at = at ? at - 1 : z->count - 1;
        one->data = &z->at[at] == one ? bytes_copy("", 0)
                                      : bytes_copy(z->at[at].data.at, z->at[at].data.size);
        break;
    case 2: change_bytes(r, &one->name, 0); break;
    case 3:
        if (z->count < MOST_RECORDS)
            z->at[z->count++] = (record){bytes_copy(one->name.at, one->name.size),
                                         bytes_copy(one->data.at, one->data.size)};
        break;
    default: change_bytes(r, &one->data, 0);
    }
}

bytes mutate_archive(random_state *r, bytes archive, bytes donor)
{
    zip *z = read_zip(archive), *d = read_zip(donor);
    size_t how = random_below(r, 20);
    if (how < 16 && z->count && d->count) {
        record *one = json_of(r, z);
        bytes changed = mutate_text(r, one->data, json_of(r, d)->data);
        free(one->data.at);
        one->data = changed;
    } else if (how < 18 && z->count) {
        change_records(r, z);
    }
    bytes out = write_zip(z);
    if (how == 18) change_bytes(r, &out, 0);
    if (how == 19) change_bytes(r, &out, out.size > 400 ? out.size - 400 : 0); /* the directory */
    free_zip(z);
    free_zip(d);
    return out;
}
