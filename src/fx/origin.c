/* origin.c -- provenance: the user's source line of a node, and diagnostics that carry it. */
#include "fx/fx_priv.h"

#include <stdio.h>
#include <string.h>

void fx_set_class(fx_graph *g, fx_node *n, uint32_t class_)
{
    fx_origin *own = NEW(g->memory, fx_origin);
    if (n->origin)
        *own = *n->origin;
    else
        *own = (fx_origin){.node = n->name, .target = n->kind == FX_CALL ? n->op->name : ""};
    own->class_ = class_;
    n->origin = own;
}

/* One line of a Python stack trace: File "PATH", line N, in FUNCTION. */
typedef struct frame {
    const char *path, *function;
    int path_length, function_length, line;
} frame;

static bool parse_frame(const char *at, const char *end, frame *out)
{
    static const char FILE_[] = "File \"", LINE[] = "\", line ";
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    if (strncmp(at, FILE_, sizeof FILE_ - 1) != 0) return false;
    const char *path = at + sizeof FILE_ - 1;
    const char *after = strstr(path, LINE);
    if (!after || after > end) return false;
    out->path = path;
    out->path_length = (int)(after - path);
    out->line = 0;
    for (at = after + sizeof LINE - 1; *at >= '0' && *at <= '9' && out->line < 100000000; at++)
        out->line = out->line * 10 + (*at - '0');
    out->function = strncmp(at, ", in ", 5) == 0 ? at + 5 : NULL;
    out->function_length = out->function ? (int)(end - out->function) : 0;
    return true;
}

/* Is the frame PyTorch's own code rather than the user's? Archives may hold paths that are relative to
 * where packages lie. */
static bool is_torch(const frame *f)
{
    static const char *const PARTS[] = {
        "site-packages/torch/", "dist-packages/torch/", "torch/nn/", "torch/_", "torch/fx/",
        "torch/export/"};
    for (size_t i = 0; i < COUNT_OF(PARTS); i++) {
        const char *found = strstr(f->path, PARTS[i]);
        bool is_whole = found && (found == f->path || found[-1] == '/');
        if (is_whole && found < f->path + f->path_length) return true;
    }
    return false;
}

const char *fx_origin_line(fx_graph *g, const fx_origin *o)
{
    if (!o || !o->stack_trace) return NULL;
    frame best = {0}, last = {0};
    for (const char *at = o->stack_trace; *at;) {
        const char *end = at + strcspn(at, "\n");
        frame f = {0};
        if (parse_frame(at, end, &f)) {
            last = f;
            if (!is_torch(&f)) best = f;
        }
        at = *end ? end + 1 : end;
    }
    if (!best.path) best = last;
    if (!best.path) return NULL;
    const char *file = best.path, *path_end = best.path + best.path_length;
    for (const char *c = best.path; c < path_end; c++)
        if (*c == '/' || *c == '\\') file = c + 1;
    const char *in = best.function ? " in " : "";
    return arena_printf(g->memory, "%.*s:%d%s%.*s", (int)(path_end - file), file, best.line, in,
                        best.function_length, best.function ? best.function : "");
}

const char *fx_call_line(fx_graph *g, const fx_node *call)
{
    const char *line = fx_origin_line(g, call->origin);
    return arena_printf(g->memory, "%s (%%%s%s%s)", call->op->name, call->name, line ? ", " : "",
                        line ? line : "");
}

fe_status fx_fail(fx_graph *g, const fx_node *n, const char *stage, fe_status status,
                  const char *help, const char *format, ...)
{
    char said[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    diag d = {.status = status, .stage = stage, .help = help};
    if (n) {
        d.op = n->kind == FX_CALL ? n->op->name : NULL;
        d.place = arena_printf(g->memory, "%%%s in graph %s", n->name, g->name);
        if (n->origin && n->origin->node && strcmp(n->origin->node, n->name) != 0)
            d.place = arena_printf(g->memory, "%s, made of %%%s", d.place, n->origin->node);
        d.source = fx_origin_line(g, n->origin);
    }
    return diag_fail(g->session, d, "%s", said);
}
