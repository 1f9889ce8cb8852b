/* diag.c -- diagnostics: what is said to the user, and the way out when the fault is ours. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

static void append(fe_session *session, diag *d)
{
    if (session->last_diag)
        session->last_diag->next = d;
    else
        session->first_diag = d;
    session->last_diag = d;
    session->diag_count++;
}

static const char *keep(fe_session *session, const char *string)
{
    return string ? arena_strdup(session->memory, string) : NULL;
}

fe_status diag_fail(fe_session *session, diag d, const char *message, ...)
{
    va_list args, again;
    va_start(args, message);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, message, args);
    CHECK(session, length >= 0);
    char *said = arena_alloc(session->memory, (size_t)length + 1);
    vsnprintf(said, (size_t)length + 1, message, again);
    va_end(again);
    va_end(args);

    diag *kept = NEW(session->memory, diag);
    *kept = (diag){
        .status = d.status,
        .stage = keep(session, d.stage),
        .place = keep(session, d.place),
        .op = keep(session, d.op),
        .source = keep(session, d.source),
        .message = said,
        .help = keep(session, d.help),
    };
    append(session, kept);
    return d.status;
}

void diag_clear(fe_session *session)
{
    session->first_diag = session->last_diag = NULL;
    session->diag_count = 0;
    session->no_memory = (diag){0};
}

diag_mark_t diag_mark(const fe_session *session)
{
    return (diag_mark_t){session->last_diag, session->diag_count};
}

void diag_forget_since(fe_session *session, diag_mark_t mark)
{
    session->last_diag = mark.last;
    session->diag_count = mark.count;
    if (mark.last)
        mark.last->next = NULL;
    else
        session->first_diag = NULL;
}

/* What a stage does with an operator, for "cannot ... aten.foo". */
static const char *verb_of(const char *stage)
{
    static const struct {
        const char *stage, *verb;
    } VERBS[] = {
        {"pt2", "read"},    {"infer", "infer"},        {"pass", "rewrite"},
        {"lower", "lower"}, {"kern", "make code for"},
    };
    for (size_t i = 0; i < COUNT_OF(VERBS); i++)
        if (stage && strcmp(stage, VERBS[i].stage) == 0) return VERBS[i].verb;
    return "handle";
}

static void print_one(const diag *d, text *out)
{
    text_add(out, "error: ");
    if (d->stage) text_printf(out, "%s: ", d->stage);
    if (d->op && d->status == FE_UNSUPPORTED) text_printf(out, "cannot %s ", verb_of(d->stage));
    if (d->op) text_printf(out, "%s: ", d->op);
    text_printf(out, "%s\n", d->message);
    if (d->place) text_printf(out, "  at %s\n", d->place);
    if (d->source) text_printf(out, "  source %s\n", d->source);
    if (d->help) text_printf(out, "  help: %s\n", d->help);
}

void diag_print(const fe_session *session, struct text *out)
{
    for (const diag *d = session->first_diag; d; d = d->next) print_one(d, out);
}

_Noreturn void bug(fe_session *session, const char *file, int line, const char *format, ...)
{
    char said[2000]; /* on the stack: memory may be what is broken */
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    if (session->memory && session->escape) {
        diag d = {.status = FE_INTERNAL,
                  .stage = "internal",
                  .help =
                      "a fault of ferrite's own: please report it with this text and the program"};
        diag_fail(session, d, "%s:%d: %s", file, line, said);
    } else {
        fprintf(stderr, "error: internal: %s:%d: %s\n", file, line, said);
    }
    session_unwind(session, FE_INTERNAL);
}

_Noreturn void session_no_memory(fe_session *session)
{
    diag *d = &session->no_memory; /* part of the session, as there is no memory to make one */
    if (!d->message) {
        *d = (diag){.status = FE_NO_MEMORY, .stage = "memory", .message = "out of memory"};
        append(session, d);
    }
    session_unwind(session, FE_NO_MEMORY);
}
