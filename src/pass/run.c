/* run.c -- the passes in order, each checked against what it needs, and its result against the
 * graph's laws. */
#include "pass/pass_priv.h"

#include <string.h>

const pass_info pass_table[] = {
#define PASS(name, what, needs, makes, breaks) \
    {#name, what, needs, makes, breaks, pass_##name, false, NULL, NULL},
#define PASS_WITH(name, what, needs, makes, breaks) \
    {#name, what, needs, makes, breaks, NULL, false, pass_##name, NULL},
#include "pass/passes.def"
#undef PASS
#undef PASS_WITH
};
const uint32_t pass_count = COUNT_OF(pass_table);

/* A build for finding faults checks after each pass, asked or not. */
#ifdef FERRITE_DEBUG
enum { ALWAYS_CHECKS = true };
#else
enum { ALWAYS_CHECKS = false };
#endif

/* Which pairs of (input or output, output) share storage: a pass may not add one. */
typedef struct alias_pairs {
    map pairs;
} alias_pairs;

static uint32_t storage_of(const fx_arg *a)
{
    const ty_tensor *t = fx_arg_tensor(a);
    return t ? t->storage : 0;
}

static uint64_t pair_key(bool is_input, uint32_t i, uint32_t k)
{
    return ((uint64_t)is_input << 63) | ((uint64_t)i << 32) | k;
}

static bool is_user_output(const fx_graph *g, uint32_t k)
{
    return k < g->outputs.count && g->outputs.at[k].kind == FX_USER_OUTPUT;
}

/* Calls visit for each pair of user-visible values that share storage; outputs are numbered without
 * the mutated inputs, which functionalisation puts before them.
 */
static void each_alias(const fx_graph *g, void (*visit)(void *, uint64_t key, uint32_t output),
                       void *data)
{
    const fx_node *out = g->output;
    uint32_t number = 0;
    for (uint32_t k = 0; out && k < out->arg_count; k++) {
        uint32_t storage = storage_of(&out->args[k]), other = 0;
        if (!is_user_output(g, k)) continue;
        for (uint32_t i = 0; storage && i < g->inputs.count; i++) {
            const ty_tensor *t = fx_tensor(g->inputs.at[i]);
            if (t && t->storage == storage) visit(data, pair_key(true, i, number), number);
        }
        for (uint32_t i = 0; i < k; i++) {
            if (!is_user_output(g, i)) continue;
            if (storage && storage_of(&out->args[i]) == storage)
                visit(data, pair_key(false, other, number), number);
            other++;
        }
        number++;
    }
}

typedef struct alias_state {
    arena *memory;
    map *known;
    uint32_t added; /* output that shares what it did not, + 1 */
} alias_state;

static void remember_pair(void *data, uint64_t key, uint32_t output)
{
    alias_state *s = data;
    (void)output;
    map_set(s->memory, s->known, key, 1);
}

static void test_pair(void *data, uint64_t key, uint32_t output)
{
    alias_state *s = data;
    if (map_get(s->known, key) == MAP_NONE) s->added = output + 1;
}

static fe_status refuse(fx_graph *g, const pass_info *pass, uint32_t missing)
{
    static const char *const NAMES[] = {"true metadata", "a graph without mutation",
                                        "decomposed operators", "nodes that are numbered"};
    uint32_t k = 0;
    while (k + 1 < COUNT_OF(NAMES) && !(missing >> k & 1)) k++;
    return diag_fail(
        g->session, (diag){.status = FE_INTERNAL, .stage = "pass", .place = pass->name},
        "the pass needs %s, which no pass has made or an earlier one has broken", NAMES[k]);
}

/* On the graph, then on those that are left in it as arguments. */
static fe_status run_deep(fx_graph *g, const pass_info *pass, const pass_services *services,
                          bool *changed)
{
    bool here = false; /* a pass says so of one graph */
    FE_TRY(pass->run ? pass->run(g, &here) : pass->run_with(g, services, pass->data, &here));
    *changed |= here;
    for (fx_node *n = g->first; n; n = n->next)
        for (uint32_t i = 0; i < n->arg_count; i++)
            if (n->args[i].kind == FX_ARG_GRAPH)
                FE_TRY(run_deep(n->args[i].graph, pass, services, changed));
    return FE_OK;
}

/* What the user sees of the results must stay: dtypes, sizes, strides. */
typedef VEC(fx_arg) results;

static results results_of(const fx_graph *g, arena *memory)
{
    results r = {0};
    for (uint32_t k = 0; g->output && k < g->output->arg_count; k++) {
        fx_arg a = g->output->args[k];
        if (!is_user_output(g, k)) continue;
        if (a.kind == FX_ARG_NODE) a.node = arena_copy(memory, a.node, sizeof *a.node);
        vec_push(memory, &r, a);
    }
    return r;
}

/* What is held against the graph that a pass leaves. */
typedef struct snapshot {
    arena *memory;
    map pairs;
    results results;
} snapshot;

static snapshot take_snapshot(const fx_graph *g, arena *memory)
{
    snapshot s = {.memory = memory, .results = results_of(g, memory)};
    alias_state state = {memory, &s.pairs, 0};
    each_alias(g, remember_pair, &state);
    return s;
}

static bool is_unknown(const fx_graph *g, sym_expr e)
{
    return !sym_is_none(e) && sym_has_kind(g->symbols, e, SYM_UNBACKED);
}

/* The same, or known now where only the run knew it. */
static bool is_known_expr(const fx_graph *g, sym_expr was, sym_expr now)
{
    return sym_known_equal(g->symbols, was, now) || is_unknown(g, was);
}

/* Sizes that only the run knew may be known now; all else stays. */
static bool is_known_better(const fx_graph *g, const fx_node *was, const fx_node *now)
{
    const ty_tensor *a = fx_tensor(was), *b = fx_tensor(now);
    if (!a || !b || a->dtype != b->dtype || a->rank != b->rank ||
        !ty_same_device(a->device, b->device))
        return false;
    for (uint32_t d = 0; d < a->rank; d++)
        if (!is_known_expr(g, a->sizes[d], b->sizes[d]) ||
            !is_known_expr(g, a->strides[d], b->strides[d]))
            return false;
    return is_known_expr(g, a->offset, b->offset);
}

static fe_status compare_results(fx_graph *g, const snapshot *s, const pass_info *pass)
{
    const results *before = &s->results;
    results now = results_of(g, s->memory);
    const char *why = "their number";
    uint32_t k = 0;
    bool same = now.count == before->count;
    for (; same && k < now.count; k++) {
        const fx_arg *a = &before->at[k], *b = &now.at[k];
        why = "no tensor";
        bool is_node = b->kind == FX_ARG_NODE, was_node = a->kind == FX_ARG_NODE;
        same = is_node && was_node ? infer_same_value(g, &a->node->value, &b->node->value, &why) ||
                                         is_known_better(g, a->node, b->node)
                                   : is_node == was_node || !pass->is_foreign;
    }
    if (same) return FE_OK;
    return diag_fail(g->session,
                     (diag){.status = FE_INTERNAL, .stage = "pass", .place = pass->name},
                     "output %u is another value than it was: %s", k ? k - 1 : 0, why);
}

static fe_status check_metadata(fx_graph *g, const char *pass)
{
    const char *why;
    const fx_node *n = infer_first_untrue(g, &why);
    if (!n) return FE_OK;
    return fx_fail(g, n, "pass", FE_INTERNAL, NULL, "after %s the metadata of %%%s is not true: %s",
                   pass, n->name, why);
}

/* A fault that a pass of the user's has caused is the user's. */
static fe_status blame(fx_graph *g, const pass_info *pass, fe_status status)
{
    if (!pass->is_foreign || status == FE_OK || status == FE_USAGE || status == FE_NO_MEMORY)
        return status;
    return diag_fail(g->session,
                     (diag){.status = FE_USAGE,
                            .stage = "pass",
                            .place = pass->name,
                            .help = "mend the pass, or leave it out"},
                     "the pass leaves a graph that is not valid, as said above");
}

static fe_status check_after(fx_graph *g, const pass_info *pass, snapshot *before)
{
    alias_state state = {before->memory, &before->pairs, 0};
    FE_TRY(fx_check(g, pass->name));
    FE_TRY(check_metadata(g, pass->name));
    /* what is resized in place is returned so */
    if (!(pass->makes & PASS_FUNCTIONAL)) FE_TRY(compare_results(g, before, pass));
    /* functionalisation turns an input that is returned after its mutation into a value of its own,
     * never the reverse */
    each_alias(g, test_pair, &state);
    if (!state.added) return FE_OK;
    return diag_fail(g->session,
                     (diag){.status = FE_INTERNAL, .stage = "pass", .place = pass->name},
                     "output %u shares storage that it did not share before", state.added - 1);
}

static fe_status run_one(fx_graph *g, const pass_info *pass, const pass_options *o, uint32_t *holds)
{
    bool check = o->check || pass->is_foreign || ALWAYS_CHECKS, changed = false;
    if (pass->needs & ~*holds) return refuse(g, pass, pass->needs & ~*holds);
    arena *memory = arena_new(g->session);
    snapshot before = {0};
    if (check) before = take_snapshot(g, memory);
    fe_status status = run_deep(g, pass, &o->services, &changed);
    if (status == FE_OK) status = infer_refresh(g, NULL);
    *holds = (*holds & ~pass->breaks) | pass->makes;
    if (status == FE_OK && check) status = check_after(g, pass, &before);
    if (o->dump && o->dump_after &&
        (strcmp(o->dump_after, "all") == 0 || strcmp(o->dump_after, pass->name) == 0))
        o->dump(o->data, pass->name, g);
    arena_free(memory);
    return blame(g, pass, status);
}

/* Is there a pass of the name that is to be shown? */
static fe_status check_name(fx_graph *g, const pass_info *passes, uint32_t count, const char *name)
{
    text names;
    if (!name || strcmp(name, "all") == 0) return FE_OK;
    text_init(&names, g->memory);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(passes[i].name, name) == 0) return FE_OK;
        text_printf(&names, "%s%s", i ? ", " : "", passes[i].name);
    }
    return diag_fail(g->session, (diag){.status = FE_USAGE, .stage = "pass"},
                     "there is no pass '%s'; there are %s", name, names.at);
}

fe_status pass_run_table(fx_graph *g, const pass_info *passes, uint32_t count,
                         const pass_options *options)
{
    FE_TRY(check_name(g, passes, count, options->dump_after));
    if (options->check) FE_TRY(fx_check(g, NULL));
    uint32_t holds = PASS_META | (g->is_functional ? PASS_FUNCTIONAL : 0);
    for (uint32_t i = 0; i < count; i++) FE_TRY(run_one(g, &passes[i], options, &holds));
    return FE_OK;
}

fe_status pass_run_all(fx_graph *g, const pass_options *options)
{
    return pass_run_table(g, pass_table, pass_count, options);
}

fe_status pass_run_one(fx_graph *g, const char *name, const pass_options *options)
{
    uint32_t holds = PASS_META | PASS_FUNCTIONAL | PASS_DECOMPOSED;
    for (uint32_t i = 0; i < pass_count; i++)
        if (strcmp(pass_table[i].name, name) == 0)
            return run_one(g, &pass_table[i], options, &holds);
    return diag_fail(g->session, (diag){.status = FE_USAGE, .stage = "pass"},
                     "there is no pass '%s'", name);
}
