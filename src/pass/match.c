/* match.c -- patterns: read once, then held against nodes. */
#include "pass/match.h"

#include <string.h>

typedef enum term_kind {
    TERM_ANY,
    TERM_NAME,
    TERM_NUMBER,
    TERM_NONE,
    TERM_BOOL,
    TERM_LIST,
    TERM_CALL
} term_kind;

enum { MOST_ITEMS = 10, MOST_OPS = 6 };

typedef struct match_term {
    term_kind kind;
    uint32_t slot;  /* NAME; CALL: + 1, 0 is none */
    double number;  /* NUMBER, BOOL */
    bool is_shared; /* CALL: may have other readers */
    bool is_open;   /* CALL: anything behind the written arguments */
    uint32_t ops[MOST_OPS];
    uint32_t op_count;
    struct match_term *items[MOST_ITEMS];
    uint32_t count;
} match_term;

/* ---- reading ---- */

typedef struct reader {
    fx_graph *g;
    arena *memory;
    lexer lx;
    match_pattern *pattern;
    const char *source;
} reader;

static void bad_pattern(const reader *r, const char *what)
{
    BUG(r->g->session, "pattern %s: %s", r->source, what);
}

static uint32_t slot_of(reader *r, const char *name)
{
    match_pattern *p = r->pattern;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->names[i] == name) return i;
    if (p->count == MATCH_MOST_NAMES) bad_pattern(r, "too many names");
    p->names[p->count] = name;
    return p->count++;
}

static match_term *read_term(reader *r);

static void read_items(reader *r, match_term *t, const char *end)
{
    while (!lex_is(&r->lx, end)) {
        if (lex_take(&r->lx, ".")) { /* ... */
            while (lex_take(&r->lx, ".")) continue;
            t->is_open = true;
            break;
        }
        if (t->count == MOST_ITEMS) bad_pattern(r, "too many arguments");
        t->items[t->count++] = read_term(r);
        if (!lex_take(&r->lx, ",")) break;
    }
    if (!lex_take(&r->lx, end)) bad_pattern(r, "an argument or the end of the list is missing");
}

static void read_op(reader *r, match_term *t, const char *name)
{
    bool has_space = strncmp(name, "ferrite.", 8) == 0 || strncmp(name, "prims.", 6) == 0 ||
                     strncmp(name, "_operator.", 10) == 0;
    const op_info *op =
        op_find(r->g->ops, has_space ? name : arena_printf(r->memory, "aten.%s", name));
    if (!op) bad_pattern(r, arena_printf(r->memory, "there is no operator %s", name));
    if (t->op_count == MOST_OPS) bad_pattern(r, "too many operators");
    t->ops[t->op_count++] = op->id;
}

static match_term *read_call(reader *r, match_term *t)
{
    const char *name = r->lx.token.text;
    t->kind = TERM_CALL;
    lex_next(&r->lx);
    read_op(r, t, name);
    while (lex_take(&r->lx, "|")) {
        read_op(r, t, r->lx.token.text);
        lex_next(&r->lx);
    }
    if (!lex_take(&r->lx, "(")) bad_pattern(r, "a call without arguments");
    read_items(r, t, ")");
    return t;
}

static match_term *read_term(reader *r)
{
    match_term *t = NEW(r->memory, match_term);
    const lex_token *token = &r->lx.token;
    if (token->kind == LEX_INT || token->kind == LEX_FLOAT) {
        *t = (match_term){.kind = TERM_NUMBER};
        t->number = token->kind == LEX_INT ? (double)token->integer : token->number;
        lex_next(&r->lx);
        return t;
    }
    if (lex_take(&r->lx, "[")) {
        t->kind = TERM_LIST;
        read_items(r, t, "]");
        return t;
    }
    if (lex_take(&r->lx, "_")) return t;
    if (lex_take(&r->lx, "None")) {
        t->kind = TERM_NONE;
        return t;
    }
    if (lex_is(&r->lx, "true") || lex_is(&r->lx, "false")) {
        *t = (match_term){.kind = TERM_BOOL, .number = lex_is(&r->lx, "true")};
        lex_next(&r->lx);
        return t;
    }
    if (token->kind == LEX_VALUE) {
        uint32_t slot = slot_of(r, token->text);
        lex_next(&r->lx);
        if (lex_take(&r->lx, "=")) {
            t->slot = slot + 1;
        } else {
            *t = (match_term){.kind = TERM_NAME, .slot = slot};
            return t;
        }
    }
    t->is_shared = lex_take(&r->lx, "&");
    if (token->kind != LEX_NAME) bad_pattern(r, "a term is missing");
    return read_call(r, t);
}

match_pattern *match_compile(fx_graph *g, arena *memory, const char *source)
{
    reader r = {.g = g, .memory = memory, .source = source};
    r.pattern = NEW(memory, match_pattern);
    lex_init(&r.lx, g->session, "pattern", source, strlen(source));
    r.pattern->root = read_term(&r);
    if (r.lx.token.kind != LEX_END || r.pattern->root->kind != TERM_CALL)
        bad_pattern(&r, "it is not one call");
    return r.pattern;
}

/* ---- matching ---- */

static bool is_op(const match_term *t, const fx_node *n)
{
    for (uint32_t i = 0; i < t->op_count; i++)
        if (n->op->id == t->ops[i]) return true;
    return false;
}

/* Does the order of the first two operands not matter? */
static bool is_commutative(const fx_node *n)
{
    return fx_is(n, OP_aten_add_Tensor) || fx_is(n, OP_aten_mul_Tensor);
}

static bool is_default(fx_graph *g, const fx_node *n, uint32_t index)
{
    fx_arg d;
    double a, b;
    if (!fx_default(g, &n->op->params[index], &d)) return false;
    if (fx_arg_number(g, &d, &a) && fx_arg_number(g, &n->args[index], &b)) return a == b;
    return pass_same_arg(&n->args[index], &d);
}

static bool match_call(fx_graph *g, const match_term *t, fx_node *n, match *m);

static bool match_term_at(fx_graph *g, const match_term *t, const fx_arg *a, match *m)
{
    double number;
    switch (t->kind) {
    case TERM_ANY: return true;
    case TERM_NAME:
        if (m->is_bound[t->slot]) return pass_same_arg(&m->bound[t->slot], a);
        m->is_bound[t->slot] = true;
        m->bound[t->slot] = *a;
        return true;
    case TERM_NUMBER: return fx_arg_number(g, a, &number) && number == t->number;
    case TERM_NONE: return a->kind == FX_ARG_NONE;
    case TERM_BOOL: return a->kind == FX_ARG_BOOL && a->boolean == (t->number != 0);
    case TERM_LIST:
        if (a->kind != FX_ARG_LIST || a->list.count < t->count ||
            (a->list.count > t->count && !t->is_open))
            return false;
        for (uint32_t i = 0; i < t->count; i++)
            if (!match_term_at(g, t->items[i], &a->list.items[i], m)) return false;
        return true;
    case TERM_CALL: return a->kind == FX_ARG_NODE && match_call(g, t, a->node, m);
    }
    return false;
}

static bool match_args(fx_graph *g, const match_term *t, const fx_node *n, bool swapped, match *m)
{
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t k = swapped && i < 2 ? 1 - i : i;
        if (!match_term_at(g, t->items[i], &n->args[k], m)) return false;
    }
    for (uint32_t i = t->count; i < n->arg_count && !t->is_open; i++)
        if (!is_default(g, n, i)) return false;
    return true;
}

static bool match_call(fx_graph *g, const match_term *t, fx_node *n, match *m)
{
    if (n->kind != FX_CALL || !is_op(t, n) || n->arg_count < t->count) return false;
    if (n != m->root && !t->is_shared && n->users.count != 1) return false;
    if (!fx_may_join(n, m->root)) return false;
    match before = *m;
    bool fits = match_args(g, t, n, false, m);
    if (!fits && t->count >= 2 && is_commutative(n)) {
        *m = before;
        fits = match_args(g, t, n, true, m);
    }
    if (fits && t->slot) {
        m->bound[t->slot - 1] = fx_of(n);
        m->is_bound[t->slot - 1] = true;
    }
    return fits;
}

bool match_node(fx_graph *g, const match_pattern *p, fx_node *n, match *out)
{
    if (n->kind != FX_CALL || !is_op(p->root, n)) return false;
    *out = (match){.pattern = p, .root = n};
    return match_call(g, p->root, n, out);
}

const fx_arg *match_arg(const match *m, const char *name)
{
    for (uint32_t i = 0; i < m->pattern->count; i++)
        if (m->is_bound[i] && strcmp(m->pattern->names[i], name) == 0) return &m->bound[i];
    return NULL;
}

fx_node *match_named(const match *m, const char *name)
{
    const fx_arg *a = match_arg(m, name);
    return a && a->kind == FX_ARG_NODE ? a->node : NULL;
}
