/* session.c -- the state of one compile, and the border at which failures of our own come to rest.
 *
 * session_guard() is the only setjmp in ferrite. Whatever goes wrong below it by BUG or by lack of
 * memory jumps back here; everything that was made since then sits in arenas, so nothing has to be
 * undone.
 */
#define _GNU_SOURCE /* uselocale */
#include "base/base.h"

#include <locale.h>
#include <stdlib.h>

static fe_status make_memory(fe_session *session, void *data)
{
    (void)data;
    session->memory = arena_new(session);
    (void)intern(session, ""); /* makes the table, so that it is there when memory runs short */
    return FE_OK;
}

fe_session *session_new(void)
{
    fe_session *session = calloc(1, sizeof *session);
    if (!session) return NULL;
    if (session_guard(session, make_memory, NULL) == FE_OK) return session;
    session_free(session);
    return NULL;
}

void session_free(fe_session *session)
{
    if (!session) return;
    while (session->arenas) arena_free(session->arenas);
    free(session);
}

fe_status session_guard(fe_session *session, fe_status (*body)(fe_session *, void *), void *data)
{
    jmp_buf here;
    jmp_buf *const outer = session->escape;
    /* Numbers read and print with a point, whatever the host program chose. The "C" locale of libc is
     * static: this allocates nothing. */
    locale_t const plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t const host = plain ? uselocale(plain) : (locale_t)0;
    fe_status status;

    session->escape = &here;
    if (setjmp(here) == 0)
        status = body(session, data);
    else
        status = session->escape_status;
    session->escape = outer;
    if (plain) {
        uselocale(host);
        freelocale(plain);
    }
    return status;
}

_Noreturn void session_unwind(fe_session *session, fe_status status)
{
    session->escape_status = status;
    if (session->escape) longjmp(*session->escape, 1);
    abort(); /* a caller of ours forgot session_guard; there is nowhere to go back to */
}
