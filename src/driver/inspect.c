/* inspect.c -- `ferrite inspect`: any stage as text, from an archive or from the text of an earlier
 * stage. */
#include "driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show_fx(driver_program *d, text *out)
{
    fx_print(d->graph, out);
}

static void show_loop(driver_program *d, text *out)
{
    loop_print(d->loops, out);
}

static void show_sched(driver_program *d, text *out)
{
    sched_print(d->schedule, out);
}

static void show_plan(driver_program *d, text *out)
{
    const wrap_program *w = d->wrapper;
    text_printf(out, "plan %s arena %lld bound %lld\n", w->name, (long long)w->arena_bytes,
                (long long)w->lower_bound);
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        const sched_life *life = &w->lives[id];
        if (!life->in_arena) continue;
        text_printf(out, "@%s live [%u, %u) at %lld bytes ", w->loops->buffers.at[id].name,
                    life->birth, life->death, (long long)w->offsets[id]);
        sym_print(w->loops->symbols, w->bytes[id], out);
        text_char(out, '\n');
    }
}

static void show_wrap(driver_program *d, text *out)
{
    wrap_print(d->wrapper, out);
}

static void show_kern(driver_program *d, text *out)
{
    kern_print(d->kernels, out);
}

static void show_c(driver_program *d, text *out)
{
    for (uint32_t i = 0; i < d->file_count; i++)
        text_printf(out, "/* ---- %s ---- */\n%s\n", d->files[i].name, d->files[i].text);
}

typedef struct stage_row {
    const char *name;
    driver_stage last;
    void (*show)(driver_program *d, text *out);
} stage_row;

static const stage_row stage_table[] = {
    {"read", STAGE_READ, show_fx},    {"fx", STAGE_PASS, show_fx},
    {"loop", STAGE_LOWER, show_loop}, {"sched", STAGE_SCHED, show_sched},
    {"plan", STAGE_WRAP, show_plan},  {"wrap", STAGE_WRAP, show_wrap},
    {"kern", STAGE_KERN, show_kern},  {"c", STAGE_EMIT, show_c},
};

typedef struct inspect_job {
    driver_options options;
    const stage_row *stage;
    bool no_passes;
    driver_program *program;
} inspect_job;

static fe_status inspect_body(fe_session *session, void *data)
{
    inspect_job *job = data;
    arena *memory = arena_new(session);
    text out;
    text_init(&out, memory);
    bool before_passes = job->no_passes && job->stage->last == STAGE_PASS;
    driver_stage last = before_passes ? STAGE_INFER : job->stage->last;
    fe_status status = driver_compile(session, &job->options, last, memory, &job->program);
    if (job->options.dump_after && job->program) fputs(job->program->dumps.at, stdout);
    if (status != FE_OK || job->options.dump_after) return status;
    job->stage->show(job->program, &out);
    fwrite(out.at, 1, out.length, stdout);
    return FE_OK;
}

static int inspect_usage(void)
{
    fprintf(stderr,
            "usage: ferrite inspect MODEL.pt2|FILE.fx|- --stage "
            "read|fx|loop|sched|kern|plan|wrap|c [--no-passes]\n"
            "       ferrite inspect FILE|- --from fx|loop|sched|kern|wrap --stage ...   the "
            "text of a stage\n"
            "       ferrite inspect MODEL.pt2 --dump-after PASS|all [--verify]\n");
    return 2;
}

int command_inspect(int argc, char **argv)
{
    inspect_job job = {.stage = &stage_table[1]};
    driver_default_options(&job.options);
    for (int i = 0; i < argc; i++) {
        int eaten = cli_common_option(&job.options, argc, argv, i);
        if (eaten < 0) return 2;
        if (eaten > 0) {
            i += eaten - 1;
        } else if (strcmp(argv[i], "--stage") == 0 && i + 1 < argc) {
            job.stage = NULL;
            for (size_t k = 0; k < COUNT_OF(stage_table); k++)
                if (strcmp(stage_table[k].name, argv[i + 1]) == 0) job.stage = &stage_table[k];
            if (!job.stage) return inspect_usage();
            i++;
        } else if (strcmp(argv[i], "--from") == 0 && i + 1 < argc)
            job.options.from = argv[++i];
        else if (strcmp(argv[i], "--no-passes") == 0)
            job.no_passes = true;
        else
            return inspect_usage();
    }
    if (!job.options.input) return inspect_usage();
    fe_session *session = session_new();
    if (!session) return 1;
    int status = session_guard(session, inspect_body, &job) == FE_OK ? 0 : cli_failed(session);
    driver_close(job.program);
    session_free(session);
    return status;
}
