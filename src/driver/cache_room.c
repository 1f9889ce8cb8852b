/* cache_room.c -- how much the cache holds, and what goes when that is too much: what was used longest ago.
 *
 * Whoever uses a file of the cache gives it a new time. Files are removed one by one, whoever else is at
 * work in the folder: a library that is gone is made again, and one that is loaded stays loaded. What has
 * none of the names that we give is not ours.
 */
#define _GNU_SOURCE
#include "driver/driver.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME_DIGITS = 16, ABANDONED_AFTER = 3600 /* seconds */ };

typedef struct entry {
    const char *path;
    int64_t bytes, used;                /* nanoseconds */
    bool is_object, is_folder, is_work; /* made by a compile that is under way, or was cut off */
} entry;

typedef VEC(entry) entry_list;

/* 0123456789abcdef.so and the like */
static bool is_file_of_ours(const char *name)
{
    static const char *const ENDS[] = {".so", ".a", ".o", ".tuned"};
    if (strspn(name, "0123456789abcdef") != NAME_DIGITS) return false;
    for (size_t i = 0; i < COUNT_OF(ENDS); i++)
        if (strcmp(name + NAME_DIGITS, ENDS[i]) == 0) return true;
    return false;
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static int64_t time_of(const struct stat *facts)
{
    return (int64_t)facts->st_mtim.tv_sec * 1000000000 + facts->st_mtim.tv_nsec;
}

static int64_t folder_bytes(arena *memory, const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *child;
    struct stat facts;
    int64_t sum = 0;
    while (folder && (child = readdir(folder))) {
        const char *at = arena_printf(memory, "%s/%s", path, child->d_name);
        if (child->d_name[0] == '.' || lstat(at, &facts) != 0) continue;
        sum += S_ISDIR(facts.st_mode) ? folder_bytes(memory, at) : (int64_t)facts.st_size;
    }
    if (folder) closedir(folder);
    return sum;
}

static void list(arena *memory, const char *cache, entry_list *out)
{
    DIR *folder = opendir(cache);
    struct dirent *child;
    struct stat facts;
    while (folder && (child = readdir(folder))) {
        const char *name = child->d_name;
        bool is_work = begins(name, "work-"), is_folder = is_work || begins(name, "rt-");
        if (!is_folder && !is_file_of_ours(name)) continue;
        entry e = {arena_printf(memory, "%s/%s", cache, name), .is_folder = is_folder,
                   .is_work = is_work};
        if (lstat(e.path, &facts) != 0 || is_folder != (bool)S_ISDIR(facts.st_mode)) continue;
        e.is_object = !is_folder && name[NAME_DIGITS + 1] == 'o';
        e.used = time_of(&facts);
        e.bytes = is_folder ? folder_bytes(memory, e.path) : (int64_t)facts.st_size;
        vec_push(memory, out, e);
    }
    if (folder) closedir(folder);
}

static int by_use(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return x->used < y->used ? -1 : x->used > y->used;
}

static void drop(const entry *e)
{
    if (e->is_folder)
        file_remove_tree(e->path);
    else
        unlink(e->path);
}

static bool is_abandoned(const entry *e)
{
    return e->is_work && e->used / 1000000000 + ABANDONED_AFTER < (int64_t)time(NULL);
}

void cache_use(const char *path)
{
    (void)utimensat(AT_FDCWD, path, NULL, 0);
}

void cache_measure(fe_session *session, const char *cache, cache_figures *out)
{
    arena *memory = arena_new(session);
    entry_list all = {0};
    list(memory, cache, &all);
    *out = (cache_figures){0};
    for (uint32_t i = 0; i < all.count; i++) {
        out->bytes += all.at[i].bytes;
        out->programs += !all.at[i].is_folder && !all.at[i].is_object;
    }
    arena_free(memory);
}

static int64_t trim(fe_session *session, const char *cache, int64_t most, const char *keep)
{
    arena *memory = arena_new(session);
    entry_list all = {0};
    int64_t bytes = 0;
    bool is_at_work = false;
    list(memory, cache, &all);
    if (all.count) qsort(all.at, all.count, sizeof *all.at, by_use);
    for (uint32_t i = 0; i < all.count; i++) {
        bytes += all.at[i].bytes;
        is_at_work |= all.at[i].is_work && !is_abandoned(&all.at[i]);
    }
    for (uint32_t i = 0; i < all.count; i++) {
        const entry *e = &all.at[i];
        /* a compile that is under way keeps its folder, and the runtime that it links */
        if (e->is_work ? !is_abandoned(e) : e->is_folder && is_at_work) continue;
        if (!e->is_work && bytes <= most) continue;
        if (keep && strcmp(e->path, keep) == 0) continue;
        drop(e);
        bytes -= e->bytes;
    }
    arena_free(memory);
    return bytes;
}

/* ---- without looking through the folder each time ---- */

/* What the cache held when it was looked through last, with what was put there since. Who writes this at once
 * with another one loses a number, until the hour is over. */
typedef struct room {
    long long bytes, looked; /* seconds */
} room;

static const char *room_path(arena *memory, const char *cache)
{
    return arena_printf(memory, "%s/.room", cache);
}

static bool read_room(fe_session *session, arena *memory, const char *cache, room *out)
{
    char *source;
    size_t length;
    const char *path = room_path(memory, cache);
    return file_exists(path) && file_read(session, memory, path, &source, &length) == FE_OK &&
           sscanf(source, "%lld %lld", &out->bytes, &out->looked) == 2;
}

void cache_count(fe_session *session, const char *cache, int64_t most, const char *made,
                 int64_t more)
{
    arena *memory = arena_new(session);
    diag_mark_t mark = diag_mark(session);
    long long now = (long long)time(NULL);
    room r = {0};
    bool is_known = read_room(session, memory, cache, &r) && now - r.looked < ABANDONED_AFTER;
    r.bytes += file_size(made) + more;
    if (!is_known || r.bytes > most) {
        /* to less than there may be: not again with the next one */
        r = (room){trim(session, cache, is_known ? most - most / 16 : most, made), now};
    }
    const char *said = arena_printf(memory, "%lld %lld\n", r.bytes, r.looked);
    (void)file_write(session, room_path(memory, cache), said, strlen(said));
    diag_forget_since(session, mark);
    arena_free(memory);
}

void cache_clear(fe_session *session, const char *cache)
{
    arena *memory = arena_new(session);
    (void)trim(session, cache, -1, NULL);
    unlink(room_path(memory, cache));
    arena_free(memory);
}
