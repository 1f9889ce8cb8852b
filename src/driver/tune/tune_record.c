/* tune_record.c -- what was found out about a kernel, in the cache: on which machine, with how many
 * threads, for which kernel and sizes, and what was chosen.
 *
 *     ferrite tuned 1
 *     machine "AMD EPYC 9755, 1a.2.1"
 *     isa "x86-64-v4" threads 2 cc "cc"
 *     kernel "5f3b1c2a90d1e37b" rows 128 columns 1 ints 768
 *     memory 393216 512
 *     was 12034.5
 *     variant vector inner unroll 2
 *     is 9541.0
 *     end
 *
 * The lines up to `was` are the key: its hash is the file's name, and a file with other ones is not
 * read on.
 */
#include "driver/tune/tune.h"

#include <math.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

const char *tune_machine(arena *memory)
{
#if defined(__x86_64__)
    unsigned name[13] = {0}, a, b, c, d;
    for (unsigned i = 0; i < 3; i++)
        if (!__get_cpuid(0x80000002u + i, &name[4 * i], &name[4 * i + 1], &name[4 * i + 2],
                         &name[4 * i + 3]))
            break;
    if (__get_cpuid(1, &a, &b, &c, &d))
        return arena_printf(memory, "%s, %x", (const char *)name, a);
#endif
    return arena_strdup(memory, "this machine");
}

static const char *key_of(const tune_plan *plan, const tune_subject *s)
{
    const driver_program *d = plan->d;
    const kern_call *call = &d->kernels->calls[s->groups.at[0]];
    text t;
    text_init(&t, plan->memory);
    text_add(&t, "ferrite tuned 1\nmachine ");
    text_quoted(&t, plan->machine);
    text_printf(&t, "\nisa \"%s\" threads %u cc ", d->target->name, plan->threads);
    text_quoted(&t, d->options.cc);
    text_printf(&t, "\nkernel \"%016llx\" rows %lld columns %lld ints",
                (unsigned long long)d->kernels->kernels.at[call->kernel].hash, (long long)s->outer,
                (long long)s->inner);
    for (uint32_t i = 0; i < call->int_count; i++) text_printf(&t, " %lld", (long long)s->ints[i]);
    text_add(&t, "\nmemory");
    for (uint32_t i = 0; i < call->buffer_count; i++)
        text_printf(&t, " %lld", (long long)s->buffers[i].bytes);
    text_char(&t, '\n');
    return t.at;
}

/* NULL: no cache. */
static const char *path_of(const tune_plan *plan, const char *key)
{
    const char *folder = plan->d->options.cache;
    if (!*folder) return NULL;
    return arena_printf(plan->memory, "%s/%016llx.tuned", folder,
                        (unsigned long long)hash_bytes(key, strlen(key), 0));
}

static fe_status parse(fe_session *session, const char *source, tune_subject *s)
{
    lexer lx;
    sched_variant variant;
    double was, is;
    lex_init(&lx, session, "tune", source, strlen(source));
    FE_TRY(lex_expect(&lx, "was"));
    FE_TRY(lex_double(&lx, &was));
    FE_TRY(lex_expect(&lx, "variant"));
    FE_TRY(sched_parse_variant(&lx, &variant));
    FE_TRY(lex_expect(&lx, "is"));
    FE_TRY(lex_double(&lx, &is));
    FE_TRY(lex_expect(&lx, "end"));
    FE_TRY(lex_finish(&lx));
    if (!(isfinite(was) && isfinite(is) && was > 0 && is > 0))
        return lex_fail(&lx, "no kernel takes that long");
    for (uint32_t i = 0; i < s->candidates.count; i++) {
        if (!sched_variant_is_same(&s->candidates.at[i].variant, &variant)) continue;
        s->chosen = i;
        s->before_ns = was;
        s->after_ns = is;
        return FE_OK;
    }
    return lex_fail(&lx, "the kernel is not made in this way");
}

bool tune_read_record(const tune_plan *plan, tune_subject *s)
{
    fe_session *session = plan->d->session;
    diag_mark_t mark = diag_mark(session);
    const char *key = key_of(plan, s), *path = path_of(plan, key);
    char *source;
    size_t length;
    bool is_read = path && file_exists(path) &&
                   file_read(session, plan->memory, path, &source, &length) == FE_OK &&
                   strncmp(source, key, strlen(key)) == 0 &&
                   parse(session, source + strlen(key), s) == FE_OK;
    diag_forget_since(session, mark);
    s->is_decided = s->is_recorded = is_read;
    return is_read;
}

void tune_write_record(const tune_plan *plan, const tune_subject *s)
{
    fe_session *session = plan->d->session;
    diag_mark_t mark = diag_mark(session);
    const char *key = key_of(plan, s), *path = path_of(plan, key);
    text t;
    if (!path) return;
    text_init(&t, plan->memory);
    text_printf(&t, "%swas %.1f\nvariant ", key, s->before_ns);
    sched_print_variant(&s->candidates.at[s->chosen].variant, &t);
    text_printf(&t, "\nis %.1f\nend\n", s->after_ns);
    /* without a record it is timed again */
    if (file_make_dirs(session, plan->d->options.cache) == FE_OK)
        (void)file_write(session, path, t.at, t.length);
    diag_forget_since(session, mark);
}
