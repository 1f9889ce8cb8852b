/* api.c -- the functions of ferrite.h. Each runs its body under session_guard(), forgets the
 * diagnostics of the call before, and leaves nothing half made behind a failure.
 */
#include "driver/api.h"

#include "driver/inputs.h"
#include "infer/infer.h"

#include <string.h>

/* What a session has beside what the stages see of it. */
typedef struct host {
    driver_options options;
    arena *results;    /* text given to the caller; until the next call */
    const char *error; /* all diagnostics; "" */
} host;

static host *host_of(const fe_session *session)
{
    return session->host;
}

driver_options *api_options(const fe_session *session)
{
    return &host_of(session)->options;
}

arena *api_results(const fe_session *session)
{
    return host_of(session)->results;
}

/* ---- the border ---- */

static fe_status print_error(fe_session *session, void *data)
{
    host *h = data;
    text out;
    text_init(&out, h->results);
    diag_print(session, &out);
    h->error = out.at;
    return FE_OK;
}

static fe_status begin_call(fe_session *session, void *data)
{
    host *h = data;
    arena_free(h->results);
    h->results = NULL;
    h->results = arena_new(session);
    return FE_OK;
}

static fe_status call(fe_session *session, fe_status (*body)(fe_session *, void *), void *data)
{
    host *h = host_of(session);
    h->error = "";
    diag_clear(session);
    fe_status status = session_guard(session, begin_call, h);
    if (status == FE_OK) status = session_guard(session, body, data);
    if (status == FE_OK) return FE_OK;
    if (!h->results || session_guard(session, print_error, h) != FE_OK)
        h->error = "error: memory: out of memory\n";
    return status;
}

/* What a failed call has left lies in arenas made since it began, the first of them for results. */
static void drop_leftovers(fe_session *session)
{
    const host *h = host_of(session);
    while (h->results && session->arenas != h->results) arena_free(session->arenas);
}

fe_status api_call(fe_session *session, fe_status (*body)(fe_session *, void *), void *data)
{
    fe_status status = call(session, body, data);
    if (status != FE_OK) drop_leftovers(session);
    return status;
}

/* ---- sessions ---- */

const char *fe_status_name(fe_status status)
{
    static const char *const names[] = {
        [FE_OK] = "ok",
        [FE_USAGE] = "usage",
        [FE_IO] = "io",
        [FE_CORRUPT] = "corrupt",
        [FE_UNSUPPORTED] = "unsupported",
        [FE_MISMATCH] = "mismatch",
        [FE_TOOLCHAIN] = "toolchain",
        [FE_NO_MEMORY] = "no_memory",
        [FE_INTERNAL] = "internal",
        [FE_STOPPED] = "stopped",
    };
    return (size_t)status < COUNT_OF(names) ? names[status] : "unknown";
}

const char *fe_version(void)
{
    return FE_VERSION;
}

static fe_status make_host(fe_session *session, void *data)
{
    (void)data;
    host *h = NEW(session->memory, host);
    h->error = "";
    driver_default_options(session->memory, &h->options);
    session->host = h;
    return FE_OK;
}

fe_session *fe_session_new(void)
{
    fe_session *session = session_new();
    if (!session || session_guard(session, make_host, NULL) == FE_OK) return session;
    session_free(session);
    return NULL;
}

void fe_session_free(fe_session *session)
{
    session_free(session);
}

typedef struct setting {
    const char *name, *value;
} setting;

static fe_status set_body(fe_session *session, void *data)
{
    const setting *s = data;
    return driver_set_option(session, api_options(session), s->name, s->value);
}

fe_status fe_set(fe_session *session, const char *option, const char *value)
{
    return api_call(session, set_body, &(setting){option, value});
}

static const char *copy_text(fe_session *session, const char *from)
{
    return from ? arena_strdup(session->memory, from) : NULL;
}

/* A copy with one more: programs that are compiled hold on to the list as it was. */
static void *list_with(fe_session *session, const void *list, uint32_t count, const void *one)
{
    const void **all = NEW_ARRAY(session->memory, const void *, count + 1);
    if (count) memcpy(all, list, count * sizeof *all);
    all[count] = one;
    return all;
}

static fe_status add_pass_body(fe_session *session, void *data)
{
    const fe_pass *given = data;
    driver_options *o = api_options(session);
    if (!given) {
        o->added_count = 0;
        return FE_OK;
    }
    fe_pass *kept = NEW(session->memory, fe_pass);
    *kept = *given;
    kept->name = copy_text(session, given->name);
    kept->what = copy_text(session, given->what);
    kept->after = copy_text(session, given->after);
    o->added = list_with(session, o->added, o->added_count++, kept);
    return FE_OK;
}

fe_status fe_add_pass(fe_session *session, const struct fe_pass *pass)
{
    return api_call(session, add_pass_body, (void *)(uintptr_t)pass);
}

static fe_status add_op_body(fe_session *session, void *data)
{
    const fe_op_row *given = data;
    driver_options *o = api_options(session);
    if (!given) {
        o->added_op_count = 0;
        return FE_OK;
    }
    fe_op_row *kept = NEW(session->memory, fe_op_row);
    *kept = *given;
    kept->schema = given->schema ? copy_text(session, given->schema) : "";
    kept->symbol = copy_text(session, given->symbol);
    kept->shapes = copy_text(session, given->shapes);
    kept->out = copy_text(session, given->out);
    o->added_ops = list_with(session, o->added_ops, o->added_op_count++, kept);
    return FE_OK;
}

fe_status fe_add_op(fe_session *session, const struct fe_op_row *row)
{
    return api_call(session, add_op_body, (void *)(uintptr_t)row);
}

typedef struct constant_job {
    const char *name;
    const fe_tensor *value;
} constant_job;

static const int64_t *copy_dims(fe_session *session, const int64_t *dims, uint32_t rank)
{
    return dims ? arena_copy(session->memory, dims, rank * sizeof *dims) : NULL;
}

static fe_status add_constant_body(fe_session *session, void *data)
{
    const constant_job *j = data;
    driver_options *o = api_options(session);
    if (!j->value) {
        o->given_count = 0;
        return FE_OK;
    }
    given_constant *kept = NEW(session->memory, given_constant);
    *kept = (given_constant){copy_text(session, j->name), *j->value};
    kept->value.sizes = copy_dims(session, j->value->sizes, j->value->rank);
    kept->value.strides = copy_dims(session, j->value->strides, j->value->rank);
    o->given = list_with(session, o->given, o->given_count++, kept);
    return FE_OK;
}

fe_status fe_add_constant(fe_session *session, const char *name, const fe_tensor *value)
{
    return api_call(session, add_constant_body, &(constant_job){name, value});
}

static fe_status clear_cache_body(fe_session *session, void *data)
{
    const driver_options *o = api_options(session);
    (void)data;
    if (*o->cache) cache_clear(session, o->cache);
    return FE_OK;
}

fe_status fe_clear_cache(fe_session *session)
{
    return api_call(session, clear_cache_body, NULL);
}

static fe_status cache_figures_body(fe_session *session, void *data)
{
    const driver_options *o = api_options(session);
    fe_cache_figures *figures = data;
    cache_figures counted = {0};
    if (*o->cache) cache_measure(session, o->cache, &counted);
    *figures = (fe_cache_figures){o->cache, counted.programs, counted.bytes, o->cache_size};
    return FE_OK;
}

fe_status fe_cache_figures_of(fe_session *session, fe_cache_figures *figures)
{
    return api_call(session, cache_figures_body, figures);
}

typedef struct op_question {
    const char *name;
    bool is_known;
} op_question;

static fe_status knows_op_body(fe_session *session, void *data)
{
    op_question *q = data;
    q->is_known = op_find(op_registry_new(session->memory), q->name) != NULL;
    return FE_OK;
}

int fe_knows(const char *op)
{
    op_question question = {op, false};
    fe_session *session = session_new();
    if (session) (void)session_guard(session, knows_op_body, &question);
    session_free(session);
    return question.is_known;
}

void fe_observe(fe_session *session, const fe_observer *observer)
{
    api_options(session)->observer = observer ? *observer : (fe_observer){0};
}

const char *fe_error(const fe_session *session)
{
    return host_of(session)->error;
}

int fe_diagnostic_at(const fe_session *session, uint32_t index, fe_diagnostic *out)
{
    const diag *d = session->first_diag;
    while (d && index--) d = d->next;
    if (!d) return 0;
    *out = (fe_diagnostic){d->status, d->stage, d->place, d->op, d->source, d->message, d->help};
    return 1;
}

/* ---- compiling ---- */

/* What to compile, and what becomes of it. */
typedef struct job {
    const char *name;
    const void *bytes; /* NULL: name is a path */
    size_t size;
    const char *stage; /* inspect: its text goes to `text` */
    text text;
    fe_program *program;
} compile_job;

/* Records are aligned in the file; in memory they are if the file is. */
static const void *aligned(arena *memory, const void *bytes, size_t size)
{
    enum { ALIGNMENT = 64 };
    if ((uintptr_t)bytes % ALIGNMENT == 0) return bytes;
    uintptr_t at = (uintptr_t)arena_alloc(memory, size + ALIGNMENT);
    at = (at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return memcpy((void *)at, bytes, size);
}

static fe_status compile_body(fe_session *session, void *data)
{
    compile_job *j = data;
    arena *memory = arena_new(session);
    driver_options options = *api_options(session);
    options.input = arena_strdup(memory, j->name);
    options.bytes = j->bytes ? aligned(memory, j->bytes, j->size) : NULL;
    options.size = j->size;
    if (!j->stage) {
        FE_TRY(driver_compile(session, &options, STAGE_EMIT, memory, &j->program));
        if (j->program->wrapper) return FE_OK;
        diag d = {.status = FE_USAGE, .stage = "compile"};
        d.help = "inspect shows it as C: --from kern --stage c";
        return diag_fail(session, d, "the text of kernels is no whole program");
    }
    text_init(&j->text, host_of(session)->results);
    return driver_inspect(session, &options, j->stage, memory, &j->program, &j->text);
}

fe_status api_program(fe_session *session, fe_status (*body)(fe_session *, void *), void *data,
                      driver_program **made, fe_program **out)
{
    fe_status status = call(session, body, data);
    *out = status == FE_OK ? *made : NULL;
    if (status == FE_OK) return FE_OK;
    driver_close(*made);
    drop_leftovers(session);
    return status;
}

static fe_status compile(fe_session *session, compile_job *j, fe_program **out)
{
    return api_program(session, compile_body, j, &j->program, out);
}

fe_status fe_compile_file(fe_session *session, const char *path, fe_program **program)
{
    return compile(session, &(compile_job){.name = path}, program);
}

fe_status fe_compile_memory(fe_session *session, const char *name, const void *bytes, size_t size,
                            fe_program **program)
{
    return compile(session, &(compile_job){.name = name, .bytes = bytes ? bytes : "", .size = size},
                   program);
}

const char *fe_program_name(const fe_program *program)
{
    return program->name;
}

void fe_program_free(fe_program *program)
{
    driver_close(program);
}

/* ---- what becomes of a program ---- */

typedef struct path_job {
    fe_program *program;
    const char *path;
    fe_status (*write)(driver_program *d, const char *path);
} path_job;

static fe_status write_body(fe_session *session, void *data)
{
    path_job *j = data;
    (void)session;
    return j->write(j->program, j->path);
}

typedef struct programs_job {
    fe_program *const *programs;
    uint32_t count;
    const char *path;
    fe_status (*write)(driver_program *const *programs, uint32_t count, const char *path);
} programs_job;

static fe_status write_programs_body(fe_session *session, void *data)
{
    const programs_job *j = data;
    for (uint32_t k = 0; k < j->count; k++)
        if (j->programs[k]->session != session)
            return diag_fail(session, (diag){.status = FE_USAGE, .stage = "emit"},
                             "programs of one library are of one session");
    return j->write(j->programs, j->count, j->path);
}

fe_status fe_write_library(fe_program *program, const char *path)
{
    programs_job job = {&program, 1, path, several_write};
    return api_call(program->session, write_programs_body, &job);
}

fe_status fe_write_programs(fe_program *const *programs, uint32_t count, const char *path)
{
    size_t length = strlen(path);
    bool is_folder = length > 0 && path[length - 1] == '/';
    programs_job job = {programs, count, path, is_folder ? sources_write : several_write};
    return api_call(programs[0]->session, write_programs_body, &job);
}

typedef struct names_job {
    const char *path;
    const char *const **names;
    uint32_t *count;
} names_job;

static fe_status names_body(fe_session *session, void *data)
{
    const names_job *j = data;
    pt2_archive *archive;
    FE_TRY(pt2_open(session, j->path, &archive));
    uint32_t count = pt2_model_count(archive);
    const char **names = NEW_ARRAY(session->memory, const char *, count + 1);
    for (uint32_t k = 0; k < count; k++) names[k] = pt2_model_name(archive, k);
    pt2_close(archive);
    *j->names = names;
    *j->count = count;
    return FE_OK;
}

fe_status fe_model_names(fe_session *session, const char *path, const char *const **names,
                         uint32_t *count)
{
    names_job job = {path, names, count};
    *names = NULL;
    *count = 0;
    return api_call(session, names_body, &job);
}

fe_status fe_write_sources(fe_program *program, const char *folder)
{
    programs_job job = {&program, 1, folder, sources_write};
    return api_call(program->session, write_programs_body, &job);
}

fe_status fe_write_trace(fe_program *program, const char *path)
{
    path_job job = {program, path, trace_write};
    return api_call(program->session, write_body, &job);
}

fe_status fe_write_report(fe_program *program, const char *path)
{
    path_job job = {program, path, report_write};
    return api_call(program->session, write_body, &job);
}

fe_status fe_write_python(fe_program *program, const char *path)
{
    path_job job = {program, path, module_write_python};
    return api_call(program->session, write_body, &job);
}

fe_status fe_write_fx(fe_program *program, const char *path)
{
    path_job job = {program, path, module_write_fx};
    return api_call(program->session, write_body, &job);
}

fe_status fe_write_provenance(fe_program *program, const char *path)
{
    path_job job = {program, path, provenance_write};
    return api_call(program->session, write_body, &job);
}

static fe_status load_body(fe_session *session, void *data)
{
    (void)session;
    return driver_load(data);
}

fe_status fe_load(fe_program *program, const fe_artifact **artifact, fe_model **model)
{
    fe_status status = api_call(program->session, load_body, program);
    *artifact = status == FE_OK ? program->loaded.artifact : NULL;
    *model = status == FE_OK ? program->loaded.model : NULL;
    return status;
}

typedef struct sample_job {
    fe_program *program;
    fe_tensor *inputs;
} sample_job;

static fe_status sample_body(fe_session *session, void *data)
{
    sample_job *j = data;
    (void)session;
    return inputs_from_samples(j->program, j->inputs);
}

fe_status fe_sample_inputs(fe_program *program, fe_tensor *inputs)
{
    return api_call(program->session, sample_body, &(sample_job){program, inputs});
}

void fe_figures_of(const fe_program *program, fe_figures *figures)
{
    const wrap_program *w = program->wrapper;
    bool is_fixed = w->segment_count == 1;
    *figures = (fe_figures){.stage_count = STAGE_COUNT,
                            .stage_names = driver_stage_names,
                            .stage_ms = program->ms,
                            .input_count = loop_given_count(program->loops),
                            .output_count = program->loops->outputs.count,
                            .kernels = w->kernel_calls,
                            .unique_kernels = w->unique_kernels,
                            .arena_bytes = is_fixed ? w->arena_bytes : -1,
                            .arena_lower_bound = is_fixed ? w->lower_bound : -1,
                            .weights_bytes = w->weights_bytes,
                            .artifact_bytes = program->artifact_bytes,
                            .libraries = lapack_note(program),
                            .tuned_kernels = program->tuned.kernels,
                            .tuned_recorded = program->tuned.recorded,
                            .tuned_changed = program->tuned.changed,
                            .tuned_left = program->tuned.left,
                            .tuned_before_ms = program->tuned.before_ms,
                            .tuned_after_ms = program->tuned.after_ms};
    for (int i = 0; i < STAGE_COUNT; i++) figures->compile_ms += program->ms[i];
}

int64_t fe_thread_bytes(const fe_program *program)
{
    return program->wrapper->scratch_bytes;
}

uint32_t fe_threads_within(const fe_program *program)
{
    return program->wrapper->scratch_bytes ? wrap_scratch_threads(program->wrapper) : 0;
}

int64_t fe_table_bytes(const fe_program *program)
{
    return program->table_bytes;
}

int64_t fe_donated_bytes(const fe_program *program)
{
    return wrap_donated_bytes(program->wrapper);
}

const char *fe_input_tree(const fe_program *program)
{
    return program->wrapper->input_tree;
}

const char *fe_output_tree(const fe_program *program)
{
    return program->wrapper->output_tree;
}

const char *fe_signature(const fe_program *program)
{
    return program->signature;
}

static fe_status inspect(fe_session *session, compile_job *j, const char **out, size_t *length)
{
    fe_program *program;
    fe_status status = compile(session, j, &program);
    fe_program_free(program);
    *out = status == FE_OK ? j->text.at : NULL;
    if (length) *length = status == FE_OK ? j->text.length : 0;
    return status;
}

fe_status fe_inspect_file(fe_session *session, const char *path, const char *stage,
                          const char **out, size_t *length)
{
    return inspect(session, &(compile_job){.name = path, .stage = stage}, out, length);
}

fe_status fe_inspect_memory(fe_session *session, const char *name, const void *bytes, size_t size,
                            const char *stage, const char **out, size_t *length)
{
    return inspect(
        session,
        &(compile_job){.name = name, .bytes = bytes ? bytes : "", .size = size, .stage = stage},
        out, length);
}
