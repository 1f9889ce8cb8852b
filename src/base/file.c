/* file.c -- the only place that opens, maps and writes files, and reads the clock. */
#define _GNU_SOURCE
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* "cannot <verb> <path>: <errno's sentence>". Nothing is held any more. */
static fe_status io_fail(fe_session *session, const char *verb, const char *path)
{
    if (errno == ENOMEM) session_no_memory(session);
    diag d = {.status = FE_IO, .stage = "file"};
    return diag_fail(session, d, "cannot %s %s: %s", verb, path, strerror(errno));
}

fe_status file_map(fe_session *session, const char *path, mapped_file *out)
{
    *out = (mapped_file){.path = intern(session, path)};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return io_fail(session, "open", path);

    struct stat about;
    void *data = MAP_FAILED;
    bool known = fstat(fd, &about) == 0;
    if (known && !S_ISREG(about.st_mode)) {
        known = false;
        errno = S_ISDIR(about.st_mode) ? EISDIR : ENODEV;
    }
    if (known && about.st_size > 0)
        data = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    int reason = errno;
    close(fd); /* the mapping stays */
    errno = reason;
    if (known && about.st_size == 0) return FE_OK;
    if (data == MAP_FAILED) return io_fail(session, "read", path);
    out->data = data;
    out->size = (size_t)about.st_size;
    return FE_OK;
}

void file_unmap(mapped_file *file)
{
    if (file->data && !file->borrowed) munmap((void *)(uintptr_t)file->data, file->size);
    *file = (mapped_file){0};
}

/* Reads to the end of `fd`, which may be a pipe. Returns false with errno set. */
static bool read_all(int fd, text *content)
{
    char chunk[1 << 16];
    for (;;) {
        ssize_t got = read(fd, chunk, sizeof chunk);
        if (got == 0) return true;
        if (got > 0)
            text_add_n(content, chunk, (size_t)got);
        else if (errno != EINTR)
            return false;
    }
}

fe_status file_read(fe_session *session, arena *a, const char *path, char **out, size_t *length)
{
    bool standard_input = strcmp(path, "-") == 0;
    int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return io_fail(session, "open", path);
    text content;
    text_init(&content, a);
    bool good = read_all(fd, &content);
    int reason = errno;
    if (!standard_input) close(fd);
    errno = reason;
    if (!good) return io_fail(session, "read", path);
    *out = content.at;
    if (length) *length = content.length;
    return FE_OK;
}

/* Writes everything and closes `fd`. Returns false with errno set. */
static bool write_and_close(int fd, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t put = write(fd, at, size);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) break;
        at += put;
        size -= (size_t)put;
    }
    int reason = errno;
    int closed = close(fd);
    if (size > 0) errno = reason;
    return size == 0 && closed == 0;
}

/* A name beside `path` that no other thread or process takes. */
const char *file_temporary_beside(fe_session *session, const char *path)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return arena_printf(session->memory, "%s.%ld.%lx.%lx.tmp", path, (long)getpid(),
                        (unsigned long)now.tv_nsec, (unsigned long)(uintptr_t)session);
}

fe_status file_write(fe_session *session, const char *path, const void *data, size_t size)
{
    struct stat about;
    bool special = stat(path, &about) == 0 && !S_ISREG(about.st_mode);
    if (special) { /* a device or a pipe is written to, not replaced */
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0 || !write_and_close(fd, data, size)) return io_fail(session, "write", path);
        return FE_OK;
    }
    const char *temporary = file_temporary_beside(session, path);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return io_fail(session, "write", path);
    if (write_and_close(fd, data, size) && rename(temporary, path) == 0) return FE_OK;
    int reason = errno;
    unlink(temporary);
    errno = reason;
    return io_fail(session, "write", path);
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

int64_t file_size(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (int64_t)about.st_size : 0;
}

fe_status file_make_dirs(fe_session *session, const char *path)
{
    char *prefix = arena_strdup(session->memory, path);
    for (char *at = prefix; *at; at++) {
        bool ends_part = *at != '/' && (at[1] == '/' || at[1] == '\0');
        if (!ends_part) continue;
        char after = at[1];
        at[1] = '\0';
        if (mkdir(prefix, 0777) != 0 && errno != EEXIST)
            return io_fail(session, "make folder", path);
        at[1] = after;
    }
    struct stat about;
    if (*path && stat(path, &about) != 0) return io_fail(session, "make folder", path);
    if (*path && !S_ISDIR(about.st_mode)) {
        errno = ENOTDIR;
        return io_fail(session, "make folder", path);
    }
    return FE_OK;
}

fe_status file_make_unique_dir(fe_session *session, arena *a, const char *prefix, const char **out)
{
    char *path = arena_printf(a, "%sXXXXXX", prefix);
    *out = path;
    return mkdtemp(path) ? FE_OK : io_fail(session, "make folder", path);
}

fe_status file_make_temporary_dir(fe_session *session, arena *a, const char **out)
{
    const char *folder = getenv("TMPDIR");
    const char *prefix = arena_printf(a, "%s/ferrite-", folder && *folder ? folder : "/tmp");
    return file_make_unique_dir(session, a, prefix, out);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    (void)where;
    remove(path);
    return 0;
}

void file_remove_tree(const char *path)
{
    enum { OPEN_FOLDERS = 8 };
    nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

double clock_thread_seconds(void)
{
#ifdef CLOCK_THREAD_CPUTIME_ID
    struct timespec used;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) == 0)
        return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
#endif
    return clock_seconds();
}

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
