/* lapack.c -- programs with operators of linear algebra are linked with LAPACK; all others need libc
 * and libm alone.
 *
 * Which one: any that has the Fortran symbols with integers of 32 bits. Where the user names none,
 * the C compiler's -llapack is taken, else -lopenblas. Debian's liblapack.so.3 is a name that the
 * reference LAPACK and OpenBLAS both answer to (update-alternatives), so an artifact linked with one
 * runs with the other: the machine that runs it decides how fast the factorisations are.
 */
#include "driver/driver.h"

#include <string.h>

static const char *const USUAL[] = {"-llapack", "-lopenblas"};
static const char PROBE[] = "void dgetrf_(void);\nvoid (*probe(void))(void)\n"
                            "{\n    return dgetrf_;\n}\n";
static const char HELP[] = "install LAPACK (Debian and Ubuntu: apt-get install liblapack-dev), or "
                           "name it with --lapack FLAGS or FERRITE_LAPACK";

static bool calls_lapack(const wrap_line *line)
{
    return line->kind == WRAP_EXTERN && loop_extern_needs_lapack(line->op->kernel);
}

/* The program's first call, NULL when there is none. */
static const loop_op *first_call(const driver_program *d)
{
    for (uint32_t i = 0; i < d->wrapper->lines.count; i++)
        if (calls_lapack(&d->wrapper->lines.at[i])) return d->wrapper->lines.at[i].op;
    return NULL;
}

bool lapack_source(const char *name)
{
    const char *slash = strrchr(name, '/');
    return strncmp(slash ? slash + 1 : name, "rt_lapack", 9) == 0;
}

static fe_status refuse(driver_program *d, const char *why)
{
    const loop_op *op = first_call(d);
    fx_graph *g = d->graph;
    if (g && op->origin < g->by_id.count && g->by_id.at[op->origin])
        return fx_fail(g, g->by_id.at[op->origin], "link", FE_UNSUPPORTED, HELP,
                       "it needs LAPACK, %s", why);
    return diag_fail(d->session, (diag){.status = FE_UNSUPPORTED, .stage = "link", .help = HELP},
                     "%s needs LAPACK, %s", op->kernel, why);
}

fe_status lapack_choose(driver_program *d)
{
    const char *given = d->options.lapack;
    if (d->lapack || !first_call(d)) return FE_OK;
    if (given && strcmp(given, "none") == 0)
        return refuse(d, "which this compilation is to do without (--lapack none)");
    d->lapack = given ? given : USUAL[0];
    return FE_OK;
}

fe_status lapack_find(driver_program *d, const char *folder)
{
    if (!d->lapack || toolchain_links(d, folder, PROBE, d->lapack)) return FE_OK;
    if (d->options.lapack)
        return refuse(d,
                      arena_printf(d->memory, "which '%s' does not link here", d->options.lapack));
    for (size_t k = 1; k < COUNT_OF(USUAL); k++) {
        d->lapack = USUAL[k];
        if (toolchain_links(d, folder, PROBE, d->lapack)) return FE_OK;
    }
    return refuse(d, "and neither -llapack nor -lopenblas links here");
}

const char *lapack_note(const driver_program *d)
{
    enum { NAMED = 4 };
    uint32_t named = 0, last = UINT32_MAX;
    text out;
    if (!d->lapack) return NULL;
    text_init(&out, d->memory);
    text_printf(&out, "LAPACK (%s), for", d->lapack);
    for (uint32_t i = 0; i < d->wrapper->lines.count; i++) {
        const wrap_line *line = &d->wrapper->lines.at[i];
        if (!calls_lapack(line) || (line->op->origin == last && last != UINT32_MAX)) continue;
        last = line->op->origin;
        const char *note = driver_note((void *)(uintptr_t)d, last);
        if (named++ < NAMED)
            text_printf(&out, "%s %s", named > 1 ? "," : "", note ? note : line->op->kernel);
    }
    if (named > NAMED) text_add(&out, ", ...");
    return out.at;
}
