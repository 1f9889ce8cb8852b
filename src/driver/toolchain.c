/* toolchain.c -- the C compiler as a process: generated files to objects side by side, objects to a
 * shared library, both kept in a cache under the hash of everything that went in.
 *
 * A cache folder holds rt-HASH/ (the runtime archive and its headers, unpacked from this library
 * once), HASH.so, and HASH.o of each file in it (cache.c): a program that has such a file too, or is linked
 * otherwise, has it from there. Without a cache the same lies in a folder that goes with the program.
 * Each build works in a folder of its own, so threads and processes may build the same thing at once.
 */
#define _GNU_SOURCE
#include "driver/driver.h"
#include "driver/embed.h"

#include "../rt/rt_kernels.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MAX_ARGS = 64, MAX_LAPACK = 16, LARGE_PROGRAM = 40000 };

const target_machine *toolchain_target(const char *isa)
{
    const target_machine *named = target_named(isa);
    return named ? named : target_named(rt_isa_here());
}

uint32_t toolchain_lanes_here(void)
{
    uint32_t lanes = toolchain_target(rt_isa_here())->vector_bytes / 4;
    return lanes < 8 ? 0 : lanes;
}

fe_status toolchain_check_machine(driver_program *d, const char *stage)
{
    if (target_runs(d->target, toolchain_target(NULL))) return FE_OK;
    return diag_fail(
        d->session,
        (diag){.status = FE_USAGE, .stage = stage, .help = "--isa native is what it can run"},
        "this machine cannot run what is made for %s", d->target->name);
}

/* ---- processes ---- */

/* Starts a command with its output in `log`. -1 when it cannot be started. */
static pid_t start(const char *const *args, const char *log)
{
    posix_spawn_file_actions_t actions;
    pid_t process = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (posix_spawnp(&process, args[0], &actions, NULL, (char *const *)(uintptr_t)args, environ) !=
        0)
        process = -1;
    posix_spawn_file_actions_destroy(&actions);
    return process;
}

/* Did it end well? Where the host has its children reaped by the system, `made` tells. */
static bool wait_for(pid_t process, const char *made)
{
    int status = 0;
    while (process > 0 && waitpid(process, &status, 0) < 0)
        if (errno != EINTR) return errno == ECHILD && file_exists(made);
    return process > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static fe_status tool_failed(driver_program *d, const char *log, const char *doing)
{
    char *output = NULL;
    size_t length = 0;
    if (file_exists(log)) file_read(d->session, d->memory, log, &output, &length);
    if (length > 2000) output[2000] = 0;
    return diag_fail(
        d->session,
        (diag){.status = FE_TOOLCHAIN,
               .stage = "cc",
               .place = doing,
               .help = "name a working C compiler with --cc or the CC variable; `ferrite run "
                       "--no-cc` needs none"},
        "%s failed%s%s", d->options.cc, length ? ":\n" : "", length ? output : "");
}

/* ---- the runtime, unpacked where it is not there whole ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static fe_status unpack_runtime(driver_program *d, const char *folder)
{
    FE_TRY(file_make_dirs(d->session, arena_printf(d->memory, "%s/plan", folder)));
    for (size_t i = 0; i < embedded_file_count; i++) {
        const struct embedded_file *file = &embedded_files[i];
        if (!embedded_is_for_building(file)) continue;
        const char *path = arena_printf(d->memory, "%s/%s", folder, embedded_path(file));
        if (!cache_file_is(d->session, path, file->data, file->size))
            FE_TRY(file_write(d->session, path, file->data, file->size));
    }
    return FE_OK;
}

/* ---- compile and link ---- */

typedef struct builder {
    driver_program *d;
    driver_build *build;
    const char *cc[MAX_ARGS / 2]; /* the compiler and its own arguments */
    int cc_count;
    const char *runtime; /* folder with rt.a and headers */
    const char *work;    /* folder for sources and objects */
    const char *library; /* to make */
    uint64_t key;        /* of all that goes in */
    const char *objects; /* folder in which they are kept, or NULL */
    int64_t kept;        /* bytes that were put there */
} builder;

int toolchain_split(arena *memory, const char *words, const char **out, int room)
{
    int count = 0;
    for (char *at = arena_strdup(memory, words);;) {
        at += strspn(at, " ");
        if (!*at || count == room) return count;
        out[count++] = at;
        at += strcspn(at, " ");
        if (*at) *at++ = '\0';
    }
}

/* "ccache gcc -m64" is three arguments. */
static void split_compiler(builder *b)
{
    b->cc_count = toolchain_split(b->d->memory, b->d->options.cc, b->cc, (int)COUNT_OF(b->cc));
}

static const char *path_in(builder *b, const char *name)
{
    return arena_printf(b->d->memory, "%s/%s", b->work, name);
}

static const char *object_of(builder *b, const emit_file *file)
{
    return arena_printf(b->d->memory, "%s/%s.o", b->work, file->name);
}

static const char *log_of(builder *b, const emit_file *file)
{
    return arena_printf(b->d->memory, "%s/%s.log", b->work, file->name);
}

/* All but the names of files. */
static int flags_of(const builder *b, const emit_file *file, const char **args)
{
    int n = 0;
    args[n++] = "-c";
    /* The lines around the kernels cost nothing to run in a large program, and most of its compile
     * time. */
    args[n++] = file->is_kernels ? "-O2" : file->length > LARGE_PROGRAM ? "-O0" : "-O1";
    for (int i = 0; file->is_kernels && i < 3 && b->d->target->flags[i]; i++)
        args[n++] = b->d->target->flags[i];
    static const char *const common[] = {"-std=gnu11",
                                         "-w",
                                         "-fPIC",
                                         "-fvisibility=hidden",
                                         "-fno-math-errno",
                                         "-fno-trapping-math",
                                         "-ffp-contract=fast",
                                         "-fno-semantic-interposition"};
    for (size_t i = 0; i < COUNT_OF(common); i++) args[n++] = common[i];
    return n;
}

static pid_t start_compile(builder *b, const emit_file *file)
{
    const char *args[MAX_ARGS];
    int n = 0;
    for (int i = 0; i < b->cc_count; i++) args[n++] = b->cc[i];
    n += flags_of(b, file, args + n);
    args[n++] = "-I";
    args[n++] = b->runtime;
    args[n++] = path_in(b, file->name);
    args[n++] = "-o";
    args[n++] = object_of(b, file);
    args[n] = NULL;
    return start(args, log_of(b, file));
}

static uint64_t object_key(const builder *b, const emit_file *file)
{
    const char *flags[MAX_ARGS], *cc = b->d->options.cc;
    int count = flags_of(b, file, flags);
    uint64_t h = hash_bytes(cc, strlen(cc), embedded_headers_hash);
    for (int i = 0; i < count; i++) h = hash_bytes(flags[i], strlen(flags[i]), h);
    h = hash_bytes(file->name, strlen(file->name), h);
    return hash_bytes(file->text, file->length, h);
}

static const char *kept_object(builder *b, uint64_t key)
{
    return arena_printf(b->d->memory, "%s/%016llx.o", b->objects, (unsigned long long)key);
}

/* From the cache, or by a process that is begun: 0, or its number. */
static pid_t get_object(builder *b, const emit_file *file)
{
    if (b->objects) {
        uint64_t key = object_key(b, file);
        const char *kept = kept_object(b, key);
        if (cache_get(b->d->session, kept, object_of(b, file), key)) return 0;
    }
    return start_compile(b, file);
}

static void keep_object(builder *b, const emit_file *file)
{
    uint64_t key = object_key(b, file);
    const char *object = object_of(b, file);
    if (b->objects && cache_keep(b->d->session, object, kept_object(b, key), key))
        b->kept += file_size(object);
}

static void stop_all(const pid_t *running, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (running[i] > 0) kill(running[i], SIGTERM);
}

static fe_status compile_all(builder *b)
{
    driver_program *d = b->d;
    uint32_t jobs = d->options.jobs ? d->options.jobs : (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    pid_t *running = NEW_ARRAY(d->memory, pid_t, b->build->file_count + 1);
    fe_status status = FE_OK;
    /* Files are started largest first; each wait is for the oldest one. */
    for (uint32_t begun = 0, ended = 0; ended < b->build->file_count; ended++) {
        for (; begun < b->build->file_count && begun < ended + jobs; begun++)
            running[begun] = status == FE_OK ? get_object(b, &b->build->files[begun]) : 0;
        const emit_file *file = &b->build->files[ended];
        bool is_new = running[ended] != 0;
        bool good = !is_new || wait_for(running[ended], object_of(b, file));
        if (status != FE_OK) continue;
        if (good && is_new) keep_object(b, file);
        status = good ? driver_progress(d, STAGE_CC, ended + 1, b->build->file_count)
                      : tool_failed(d, log_of(b, file), file->name);
        if (status != FE_OK) stop_all(running, ended + 1, begun);
    }
    return status;
}

/* With functions of the user's. */
static uint32_t libraries_of(const builder *b, const char ***out)
{
    return b->build->program_count ? ops_libraries_of(b->build, b->d->memory, out)
                                   : ops_libraries(b->d, out);
}

static const char *exported(const builder *b)
{
    text t;
    text_init(&t, b->d->memory);
    text_add(&t, "{ global:");
    for (uint32_t i = 0; i < b->build->entry_count; i++)
        text_printf(&t, " %s;", b->build->entries[i]);
    text_add(&t, " local: *; };\n");
    return t.at;
}

static fe_status link_all(builder *b, const char *library)
{
    driver_program *d = b->d;
    const char **libraries;
    uint32_t library_count = libraries_of(b, &libraries);
    const char **args = NEW_ARRAY(d->memory, const char *,
                                  b->build->file_count + 4 * library_count + MAX_ARGS + MAX_LAPACK);
    const char *log = path_in(b, "link.log"), *exports = path_in(b, "exports.map");
    const char *only = exported(b);
    int n = 0;
    FE_TRY(file_write(d->session, exports, only, strlen(only)));
    static const char *const flags[] = {"-shared", "-Wl,--gc-sections", "-Wl,-Bsymbolic",
                                        "-Wl,-z,noexecstack"};
    for (int i = 0; i < b->cc_count; i++) args[n++] = b->cc[i];
    for (size_t i = 0; i < COUNT_OF(flags); i++) args[n++] = flags[i];
    args[n++] = arena_printf(d->memory, "-Wl,--version-script=%s", exports);
    for (uint32_t i = 0; i < b->build->file_count; i++)
        args[n++] = object_of(b, &b->build->files[i]);
    args[n++] = arena_printf(d->memory, "%s/rt.a", b->runtime);
    if (d->lapack) n += toolchain_split(d->memory, d->lapack, args + n, MAX_LAPACK);
    args[n++] = "-lm";
    /* found where it was when the program was compiled, or beside the artifact */
    for (uint32_t i = 0; i < library_count; i++) {
        const char *name = base_name(libraries[i]);
        int folder = (int)(name - libraries[i] - 1);
        args[n++] = arena_printf(d->memory, "-L%.*s", folder, libraries[i]);
        args[n++] = arena_printf(d->memory, "-l:%s", name);
        args[n++] = arena_printf(d->memory, "-Wl,-rpath,%.*s", folder, libraries[i]);
        args[n++] = "-Wl,-rpath,$ORIGIN";
    }
    args[n++] = "-o";
    args[n++] = library;
    args[n] = NULL;
    if (!wait_for(start(args, log), library)) return tool_failed(d, log, "link");
    return FE_OK;
}

/* The same as an archive of one object, in which the names of all but the entry point are its own. */
static fe_status archive_all(builder *b, const char *archive)
{
    driver_program *d = b->d;
    const char *log = path_in(b, "link.log"), *object = path_in(b, "all.o");
    const char **args = NEW_ARRAY(d->memory, const char *, b->build->file_count + MAX_ARGS);
    const char **hide = NEW_ARRAY(d->memory, const char *, b->build->entry_count + 3);
    const char *put[] = {"ar", "rcs", archive, object, NULL};
    int n = 0;
    hide[n++] = "objcopy";
    for (uint32_t i = 0; i < b->build->entry_count; i++)
        hide[n++] = arena_printf(d->memory, "--keep-global-symbol=%s", b->build->entries[i]);
    hide[n] = object;
    n = 0;
    for (int i = 0; i < b->cc_count; i++) args[n++] = b->cc[i];
    args[n++] = "-r";
    args[n++] = "-nostdlib";
    for (uint32_t i = 0; i < b->build->file_count; i++)
        args[n++] = object_of(b, &b->build->files[i]);
    args[n++] = arena_printf(d->memory, "%s/rt.a", b->runtime);
    args[n++] = "-o";
    args[n++] = object;
    args[n] = NULL;
    if (!wait_for(start(args, log), object)) return tool_failed(d, log, "link");
    if (!wait_for(start(hide, log), object) || !wait_for(start(put, log), archive))
        return diag_fail(d->session,
                         (diag){.status = FE_TOOLCHAIN, .stage = "cc", .place = archive},
                         "objcopy and ar, of binutils, are needed to make it");
    return FE_OK;
}

bool toolchain_links(driver_program *d, const char *folder, const char *source, const char *flags)
{
    builder b = {.d = d, .work = folder};
    const char *args[MAX_ARGS + MAX_LAPACK], *file = path_in(&b, "probe.c");
    const char *made = path_in(&b, "probe.so"), *log = path_in(&b, "probe.log");
    int n = 0;
    split_compiler(&b);
    if (file_write(d->session, file, source, strlen(source)) != FE_OK) return false;
    for (int i = 0; i < b.cc_count; i++) args[n++] = b.cc[i];
    args[n++] = "-shared";
    args[n++] = "-fPIC";
    args[n++] = "-Wl,-z,defs";
    args[n++] = file;
    n += toolchain_split(d->memory, flags, args + n, MAX_LAPACK);
    args[n++] = "-o";
    args[n++] = made;
    args[n] = NULL;
    return wait_for(start(args, log), made);
}

static uint64_t content_hash(const builder *b, uint64_t runtime)
{
    driver_program *d = b->d;
    uint64_t h = hash_bytes(d->options.cc, strlen(d->options.cc), runtime);
    h = hash_bytes(d->target->name, strlen(d->target->name), h);
    const char **libraries;
    uint32_t library_count = libraries_of(b, &libraries);
    for (uint32_t i = 0; i < library_count; i++)
        h = hash_bytes(libraries[i], strlen(libraries[i]), h);
    const char *lapack = d->lapack ? d->lapack : "";
    h = hash_bytes(lapack, strlen(lapack), h);
    for (uint32_t i = 0; i < b->build->file_count; i++)
        h = hash_bytes(b->build->files[i].text, b->build->files[i].length, h);
    return h;
}

/* Makes b->library in the folder b->work, whole before it has its name. */
static fe_status make(builder *b)
{
    driver_program *d = b->d;
    const char *made = path_in(b, "made.so");
    split_compiler(b);
    if (b->cc_count == 0)
        return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "cc"},
                         "no C compiler is named");
    FE_TRY(driver_progress(d, STAGE_CC, 0, b->build->file_count));
    FE_TRY(lapack_find(d, b->work));
    FE_TRY(unpack_runtime(d, b->runtime));
    cache_use(b->runtime);
    for (uint32_t i = 0; i < b->build->file_count; i++)
        FE_TRY(file_write(d->session, path_in(b, b->build->files[i].name), b->build->files[i].text,
                          b->build->files[i].length));
    FE_TRY(compile_all(b));
    FE_TRY(b->build->is_static ? archive_all(b, made) : link_all(b, made));
    return cache_put(d->session, made, b->library, b->key);
}

/* The cache, or a folder that goes with the program. */
static fe_status find_folder(driver_program *d, const char **out)
{
    *out = d->options.cache;
    if (**out) return file_make_dirs(d->session, *out);
    if (!d->temporary) FE_TRY(file_make_temporary_dir(d->session, d->memory, &d->temporary));
    *out = d->temporary;
    return FE_OK;
}

fe_status toolchain_build(driver_program *d, driver_build *build)
{
    builder b = {.d = d, .build = build};
    double begin = clock_seconds();
    const char *folder;
    /* what lies in the cache may be gone by now */
    if (build->library && file_exists(build->library)) return FE_OK;
    FE_TRY(lapack_choose(d));
    FE_TRY(find_folder(d, &folder));
    uint64_t runtime = HASH_MIX(embedded_library_hash, embedded_headers_hash);
    uint64_t hash = content_hash(&b, runtime);
    const char *library = arena_printf(d->memory, "%s/%016llx.%s", folder, (unsigned long long)hash,
                                       build->is_static ? "a" : "so");
    fe_status status = FE_OK;
    if (!cache_has(d->session, library, hash)) {
        b.library = library;
        b.key = hash;
        b.objects = d->temporary ? NULL : folder;
        b.runtime = arena_printf(d->memory, "%s/rt-%016llx", folder, (unsigned long long)runtime);
        FE_TRY(file_make_unique_dir(d->session, d->memory,
                                    arena_printf(d->memory, "%s/work-", folder), &b.work));
        status = make(&b);
        file_remove_tree(b.work);
        if (status == FE_OK && !d->temporary)
            cache_count(d->session, folder, d->options.cache_size, library, b.kept);
    } else
        cache_use(library);
    if (status == FE_OK) build->library = library;
    d->ms[STAGE_CC] = (clock_seconds() - begin) * 1e3;
    return status;
}
