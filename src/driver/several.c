/* several.c -- several programs as one library: prompt and step of a language model, encoder and decoder. One
 * runtime serves all, what their weights have in common is there once, and so is a kernel that they share.
 */
#include "driver/several.h"

#include <string.h>

static fe_status refuse(const several *s, const char *place, const char *help, const char *format,
                        const char *what)
{
    return diag_fail(s->session,
                     (diag){.status = FE_USAGE, .stage = "emit", .place = place, .help = help},
                     format, what);
}

static fe_status check(const several *s)
{
    for (uint32_t k = 0; k < s->count; k++) {
        driver_program *d = s->programs[k];
        FE_TRY(driver_need_host(d, true));
        FE_TRY(driver_need_kernels(d));
        if (s->count == 1) return FE_OK;
        if (!d->options.name)
            return refuse(
                s, d->name, "set option name before each is compiled",
                "in a library of several programs each has a name of its own, and %s has none",
                d->name);
        for (uint32_t j = 0; j < k; j++)
            if (strcmp(d->options.name, s->programs[j]->options.name) == 0)
                return refuse(s, d->name, "give them names that differ",
                              "two programs are called %s", d->name);
        if (d->target != s->programs[0]->target)
            return refuse(
                s, d->name, "compile all for one",
                "programs of one library are made for one instruction set, and %s is for another",
                d->name);
    }
    return FE_OK;
}

/* ---- weights ---- */

/* A weight that has its place. */
typedef struct placed {
    const char *made; /* weights_describe() */
    const loop_buffer *buffer;
    int64_t offset;
    uint32_t program, next; /* of the same hash */
} placed;

typedef struct laying {
    VEC(placed) all;
    map by_hash; /* the first of `all` */
    int64_t bytes;
} laying;

static uint64_t hash_of(const loop_buffer *b, const char *made)
{
    size_t edge = b->data && b->data_bytes < 4096 ? b->data_bytes : b->data ? 4096 : 0;
    uint64_t h = hash_bytes(made, strlen(made), b->data_bytes);
    if (!edge) return h;
    h = hash_bytes(b->data, edge, h);
    return hash_bytes((const char *)b->data + b->data_bytes - edge, edge, h);
}

static bool is_same(const placed *p, const loop_buffer *b, const char *made)
{
    if (strcmp(p->made, made) != 0 || p->buffer->data_bytes != b->data_bytes) return false;
    if (p->buffer->device.kind != b->device.kind || p->buffer->device.index != b->device.index)
        return false;
    return p->buffer->data == b->data || !b->data_bytes ||
           (b->data && p->buffer->data && memcmp(p->buffer->data, b->data, b->data_bytes) == 0);
}

static void lay_one(several *s, laying *l, uint32_t program, wrap_weight *weight)
{
    const loop_buffer *b = &s->programs[program]->loops->buffers.at[weight->buffer];
    text made;
    text_init(&made, s->memory);
    weights_describe(&s->wrappers[program], weight, &made);
    uint64_t hash = hash_of(b, made.at);
    uint32_t first = map_get(&l->by_hash, hash);
    for (uint32_t i = first; i != MAP_NONE; i = l->all.at[i].next)
        if (l->all.at[i].program != program && is_same(&l->all.at[i], b, made.at)) {
            weight->offset = l->all.at[i].offset;
            weight->is_shared = true;
            return;
        }
    weight->offset = l->bytes;
    l->bytes += (weight->bytes + 63) / 64 * 64;
    map_set(s->memory, &l->by_hash, hash, l->all.count);
    vec_push(s->memory, &l->all, (placed){made.at, b, weight->offset, program, first});
}

static void lay_weights(several *s)
{
    laying l = {0};
    s->wrappers = NEW_ARRAY(s->memory, wrap_program, s->count);
    s->wrapper_list = NEW_ARRAY(s->memory, const wrap_program *, s->count);
    for (uint32_t k = 0; k < s->count; k++) {
        wrap_program *w = &s->wrappers[k];
        *w = *s->programs[k]->wrapper;
        s->wrapper_list[k] = w;
        w->weights.at =
            arena_copy(s->memory, w->weights.at, w->weights.count * sizeof *w->weights.at);
        for (uint32_t i = 0; i < w->weights.count; i++) lay_one(s, &l, k, &w->weights.at[i]);
    }
    s->key = weights_key_of(&s->wrappers[0]);
    for (uint32_t k = 0; k < s->count; k++) {
        s->wrappers[k].weights_bytes = l.bytes;
        if (k) s->key = HASH_MIX(s->key, weights_key_of(&s->wrappers[k]));
    }
}

/* ---- kernels ---- */

static const emit_kernel *kernel_named(const emit_input *input, const char *name)
{
    for (uint32_t i = 0; i < input->kernel_count; i++)
        if (strcmp(input->kernels[i].name, name) == 0) return &input->kernels[i];
    return NULL;
}

/* Names have a hash of what kernels do, of which two may be alike by chance. */
static void share_kernels(several *s, uint32_t program)
{
    emit_input *input = &s->inputs[program];
    emit_kernel *own = arena_copy(s->memory, input->kernels, input->kernel_count * sizeof *own);
    for (uint32_t i = 0; i < input->kernel_count; i++) {
        const char *name = own[i].name;
        bool is_taken = false;
        for (uint32_t j = 0; j < program && !own[i].is_shared; j++) {
            const emit_kernel *theirs = kernel_named(&s->inputs[j], name);
            if (!theirs || theirs->renamed) continue;
            own[i].is_shared = strcmp(theirs->source, own[i].source) == 0;
            is_taken |= !own[i].is_shared;
        }
        if (is_taken && !own[i].is_shared)
            own[i].renamed = arena_printf(s->memory, "%s_of_%s", name, input->stem);
    }
    input->kernels = own;
}

/* ---- files ---- */

static void prepare(several *s, bool is_beside)
{
    s->inputs = NEW_ARRAY(s->memory, emit_input, s->count);
    for (uint32_t k = 0; k < s->count; k++) {
        emit_input *input = &s->inputs[k];
        driver_emit_input(s->programs[k], input);
        input->wrapper = &s->wrappers[k];
        input->weights_key = s->key;
        if (s->count == 1) return;
        input->stem = s->programs[k]->options.name;
        input->weights_name = is_beside ? s->name : NULL;
        share_kernels(s, k);
    }
}

/* "dir/llm.so": llm; "dir/libllm.a": llm; "dir/llm/": llm. */
static const char *name_of(arena *memory, const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    const char *whole = arena_printf(memory, "%.*s", (int)length, path);
    const char *slash = strrchr(whole, '/'), *last = slash ? slash + 1 : whole;
    const char *dot = strrchr(last, '.');
    if (dot && strcmp(dot, ".a") == 0 && strncmp(last, "lib", 3) == 0) last += 3;
    if (!dot || dot < last) dot = last + strlen(last);
    return emit_identifier(memory, arena_printf(memory, "%.*s", (int)(dot - last), last));
}

fe_status several_begin(driver_program *const *programs, uint32_t count, const char *path,
                        bool is_beside, several *out)
{
    *out = (several){.session = programs[0]->session,
                     .memory = programs[0]->memory,
                     .programs = programs,
                     .count = count};
    FE_TRY(check(out));
    out->name = count == 1 ? programs[0]->wrapper->name : name_of(out->memory, path);
    lay_weights(out);
    prepare(out, is_beside);
    return FE_OK;
}

fe_status several_emit(several *s, uint32_t parts, driver_build *build)
{
    VEC(emit_file) files = {0};
    const char **entries = NEW_ARRAY(s->memory, const char *, s->count + 1);
    for (uint32_t k = 0; k < s->count; k++) {
        emit_file *made;
        uint32_t count;
        if (parts) s->inputs[k].parts = parts;
        FE_TRY(emit_program(&emit_target_c, &s->inputs[k], s->memory, &made, &count));
        for (uint32_t i = 0; i < count; i++) vec_push(s->memory, &files, made[i]);
        entries[build->entry_count++] = s->inputs[k].entry;
    }
    build->entries = entries;
    build->files = files.at;
    build->file_count = files.count;
    build->programs = s->programs;
    build->program_count = s->count;
    return FE_OK;
}

/* For hosts that open the library and do not know what is in it. */
void several_list(const several *s, emit_file *out)
{
    text t;
    text_init(&t, s->memory);
    text_printf(&t, "/* The programs of %s. */\n#include \"rt_program.h\"\n\n", s->name);
    for (uint32_t k = 0; k < s->count; k++)
        text_printf(&t, "const fe_artifact *%s(void);\n", s->inputs[k].entry);
    text_add(&t,
             "\nFE_ARTIFACT const fe_artifact *ferrite_artifacts(uint32_t number);\n"
             "const fe_artifact *ferrite_artifacts(uint32_t number)\n{\n    switch (number) {\n");
    for (uint32_t k = 0; k < s->count; k++)
        text_printf(&t, "    case %u: return %s();\n", k, s->inputs[k].entry);
    text_add(&t, "    default: return 0;\n    }\n}\n");
    *out = (emit_file){"programs.c", t.at, t.length, false};
}

fe_status several_weights(const several *s, const char *library, const char *path, int64_t *bytes)
{
    driver_program *first = s->programs[0];
    double begin = clock_seconds();
    FE_TRY(driver_progress(first, STAGE_WEIGHTS, 0, 1));
    FE_TRY(weights_write(s->wrapper_list, s->count, s->key, library, path, bytes));
    first->ms[STAGE_WEIGHTS] = (clock_seconds() - begin) * 1e3;
    return FE_OK;
}

/* ---- a library ---- */

/* "dir/x.so": dir/x.h */
static const char *sibling(const several *s, const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    int stem = dot && (!slash || dot > slash) ? (int)(dot - path) : (int)strlen(path);
    return arena_printf(s->memory, "%.*s%s", stem, path, extension);
}

/* NAME.h and NAME.weights, which programs look for under that name, in the folder of `path`. */
static const char *beside(const several *s, const char *path, const char *extension)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    return arena_printf(s->memory, "%.*s%s%s", folder, path, s->name, extension);
}

/* Who needs LAPACK is at work, or the first. */
static fe_status choose_builder(const several *s, driver_program **out)
{
    *out = s->programs[0];
    for (uint32_t k = 0; k < s->count; k++) FE_TRY(lapack_choose(s->programs[k]));
    for (uint32_t k = s->count; k-- > 0;)
        if (s->programs[k]->lapack) *out = s->programs[k];
    return FE_OK;
}

static fe_status write_header(const several *s, const char *path)
{
    emit_file header;
    FE_TRY(emit_header(s->inputs, s->count, s->name, s->memory, &header));
    return file_write(s->session, path, header.text, header.length);
}

/* To be linked into programs; the weights, which are mapped from a file, lie beside it. */
static fe_status write_archive(const several *s, const driver_build *build, const char *path,
                               int64_t *bytes)
{
    mapped_file made;
    int64_t beside_it;
    FE_TRY(file_map(s->session, build->library, &made));
    size_t code = cache_code_bytes(made.data, made.size);
    fe_status status = file_write(s->session, path, made.data, code);
    file_unmap(&made);
    FE_TRY(status);
    *bytes = (int64_t)code + s->wrappers[0].weights_bytes;
    if (s->wrappers[0].weights_bytes)
        FE_TRY(several_weights(s, NULL, beside(s, path, ".weights"), &beside_it));
    return write_header(s, beside(s, path, ".h"));
}

static fe_status write_shared(const several *s, const driver_build *build, const char *path,
                              int64_t *bytes)
{
    FE_TRY(several_weights(s, build->library, path, bytes));
    return write_header(s, sibling(s, path, ".h"));
}

/* What a shared library has more than an archive, whose other names are its own. */
static void add_list(several *s, driver_build *build)
{
    emit_file *files = NEW_ARRAY(s->memory, emit_file, build->file_count + 1);
    const char **entries = NEW_ARRAY(s->memory, const char *, build->entry_count + 1);
    memcpy(files, build->files, build->file_count * sizeof *files);
    memcpy(entries, build->entries, build->entry_count * sizeof *entries);
    several_list(s, &files[build->file_count++]);
    entries[build->entry_count++] = "ferrite_artifacts";
    build->files = files;
    build->entries = entries;
}

/* What the program has emitted already, where it is one. */
static fe_status build_for(several *s, bool is_static, driver_build *build)
{
    *build = s->count == 1 ? s->programs[0]->whole : (driver_build){0};
    build->is_static = is_static;
    if (is_static) build->library = NULL;
    if (s->count == 1) return FE_OK;
    FE_TRY(several_emit(s, 0, build));
    if (!is_static) add_list(s, build);
    return FE_OK;
}

fe_status several_write(driver_program *const *programs, uint32_t count, const char *path)
{
    size_t length = strlen(path);
    bool is_static = length > 2 && strcmp(path + length - 2, ".a") == 0;
    driver_build build;
    driver_program *builder;
    int64_t bytes;
    several s;
    FE_TRY(several_begin(programs, count, path, is_static, &s));
    FE_TRY(build_for(&s, is_static, &build));
    FE_TRY(choose_builder(&s, &builder));
    FE_TRY(toolchain_build(builder, &build));
    if (count == 1 && !is_static) programs[0]->whole = build;
    FE_TRY(is_static ? write_archive(&s, &build, path, &bytes)
                     : write_shared(&s, &build, path, &bytes));
    for (uint32_t k = 0; k < count; k++) programs[k]->artifact_bytes = bytes;
    return FE_OK;
}
