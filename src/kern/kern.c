/* kern.c -- the stage: a kernel for every group, equal ones made once, and how each group calls its
 * own. */
#include "kern/legal/legal.h"

#include <string.h>

/* ---- names ---- */

enum { NAME_WORDS = 4 };

typedef struct word_list {
    const char *at[NAME_WORDS];
    uint32_t count;
} word_list;

static void add_word(word_list *words, const char *word)
{
    for (uint32_t i = 0; i < words->count; i++)
        if (strcmp(words->at[i], word) == 0) return;
    if (words->count < NAME_WORDS) words->at[words->count++] = word;
}

static bool is_plumbing(loop_opcode op)
{
    return op == LOOP_CAST || op == LOOP_WHERE || op == LOOP_AND || op == LOOP_BITCAST;
}

/* What the kernel computes: its first few operations and reductions. */
static const char *words_of(const kern_ir *k, arena *memory)
{
    static const char *const REDUCE[] = {
        [LOOP_SUM] = "sum",        [LOOP_PROD] = "prod",
        [LOOP_REDUCE_MIN] = "min", [LOOP_REDUCE_MAX] = "max",
        [LOOP_ARGMIN] = "argmin",  [LOOP_ARGMAX] = "argmax",
        [LOOP_ANY] = "any",        [LOOP_ALL] = "all",
        [LOOP_REDUCE_XOR] = "xor", [LOOP_LOG_SUM_EXP] = "log_sum_exp"};
    word_list words = {{0}, 0};
    text out;
    text_init(&out, memory);
    for (uint32_t i = 0; i < k->sums.count; i++) add_word(&words, REDUCE[k->sums.at[i].reduce]);
    for (uint32_t i = 1; i < k->values.count; i++) {
        const kern_value *v = &k->values.at[i];
        if (v->kind == KERN_BELOW) add_word(&words, "below");
        if (v->kind == KERN_APPLY && !is_plumbing(v->op)) add_word(&words, loop_opcode_name(v->op));
    }
    if (!words.count) add_word(&words, "copy");
    text_add(&out, "k");
    for (uint32_t i = 0; i < words.count; i++) text_printf(&out, "_%s", words.at[i]);
    return out.at;
}

const char *kern_stem(const kern_kernel *kernel)
{
    return kernel->ir->name;
}

/* ---- calls ---- */

void kern_uses(const kern_kernel *kernel, uint32_t buffer, bool *reads, bool *writes)
{
    const kern_ir *k = kernel->ir;
    *reads = *writes = false;
    for (uint32_t i = 0; i < k->memories.count; i++) {
        const kern_memory *m = &k->memories.at[i];
        if (m->is_tile || m->number != buffer) continue;
        *reads |= m->is_read;
        *writes |= m->is_written;
    }
}

/* Threads share work by its cost. */
static int64_t cost_shared(int64_t cost, sched_share share)
{
    enum { FINER = 4 };
    if (share == SCHED_SHARE_ALONE) return 0;
    return share == SCHED_SHARE_FINE && cost < INT64_MAX / FINER ? FINER * cost : cost;
}

static sym_expr outer_extent(const sched_schedule *s, const sched_group *g)
{
    return sym_product(s->program->symbols, g->outer_extents, g->outer);
}

/* An expression of the kernel's ints in what they are. */
static sym_expr as_called(const kern_ir *k, sym_expr e, arena *memory)
{
    sym_expr *ints = NEW_ARRAY(memory, sym_expr, k->params.count + 1);
    for (uint32_t i = 0; i < k->params.count; i++) ints[i] = kern_param_symbol(k, i);
    return sym_substitute(k->symbols, e, ints, k->params.at, k->params.count);
}

static void fill_call(const sched_schedule *s, const sched_group *g, const kern_ir *k,
                      const target_machine *target, arena *memory, kern_call *call)
{
    sym_table *t = s->program->symbols;
    call->buffers = NEW_ARRAY(memory, loop_buffer_id, k->memories.count);
    for (uint32_t i = 0; i < k->memories.count; i++)
        if (!k->memories.at[i].is_tile)
            call->buffers[call->buffer_count++] = k->memories.at[i].buffer;
    call->ints = k->params.at;
    call->int_count = k->params.count;
    call->check_count = k->checks.count;
    loop_bound *checks = NEW_ARRAY(memory, loop_bound, k->checks.count + 1);
    for (uint32_t i = 0; i < k->checks.count; i++)
        checks[i] = *loop_indirect_bound(s->program, k->checks.at[i]);
    call->checks = checks;
    call->outer = k->serial ? sym_int(t, 1) : outer_extent(s, g);
    if (k->tiles.rows) call->tiles = as_called(k, kern_tile_count(k, memory), memory);
    call->split_inner = k->columns;
    call->inner = k->columns ? g->phases[0].extents[0] : sym_int(t, 1);
    call->cost = cost_shared(kern_cost(k, &target->costs, memory), g->variant.share);
}

static uint32_t find_kernel(const kern_set *set, uint64_t hash, const char *identity,
                            const target_machine *target)
{
    for (uint32_t i = 0; i < set->kernels.count; i++) {
        const kern_kernel *known = &set->kernels.at[i];
        if (known->hash == hash && known->target == target &&
            strcmp(known->identity, identity) == 0)
            return i;
    }
    return UINT32_MAX;
}

static bool name_taken(const kern_set *set, const char *name)
{
    for (uint32_t i = 0; i < set->kernels.count; i++)
        if (strcmp(set->kernels.at[i].name, name) == 0) return true;
    return false;
}

/* The C function without its name: "(const fe_kernel_args *args, ..." */
static const char *body_of(const kern_ir *legal, kern_library *library,
                           const target_machine *target, arena *memory, const kern_needs **out)
{
    kern_needs *needs = NEW(memory, kern_needs);
    text source;
    text_init(&source, memory);
    needs->memory = memory;
    needs->plain = target->plain;
    needs->dialect = target->dialect;
    needs->library = library;
    kern_print_c(legal, "", &source, needs);
    *out = needs;
    return strchr(source.at, '(');
}

/* Those that no kernel before has called. */
static fe_status check_functions(kern_library *library)
{
    fe_session *session = arena_session(library->memory);
    for (; library->verified < library->functions.count; library->verified++)
        FE_TRY(kern_check_function(library->functions.at[library->verified], session));
    return FE_OK;
}

/* The kernel lowered for its target, and verified once more. */
static fe_status lower(const kern_ir *k, kern_library *library, const target_machine *target,
                       kern_ir **out)
{
    *out = kern_legal(k, library, target);
    FE_TRY(check_functions(library));
    return kern_check(*out);
}

static bool reports_in(const kern_loop *loop)
{
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        if (item->kind == KERN_BOUND && !item->bound.is_known) return true;
        if (item->kind == KERN_LOOP && reports_in(item->loop)) return true;
    }
    return false;
}

bool kern_reports(const kern_ir *k)
{
    return reports_in(k->body);
}

static fe_status check_parameters(const kern_kernel *made, const kern_ir *k)
{
    uint32_t most = made->target->limits.parameters, count = made->buffer_count + made->int_count;
    diag d = {.status = FE_UNSUPPORTED,
              .stage = "kern",
              .help = "option place leaves an operator on the cpu: --place 'cat*=cpu'"};
    if (!most || count <= most) return FE_OK;
    return diag_fail(sym_session(k->symbols), d,
                     "%s has %u buffers and sizes, and a kernel of %s takes %u", made->name, count,
                     made->target->name, most);
}

static bool is_of_groups(const kern_ir *k)
{
    return k->by_groups || k->tiles.rows;
}

static fe_status add_kernel(kern_set *set, kern_ir *k, const target_machine *target, arena *memory,
                            uint32_t *kernel)
{
    text identity;
    text_init(&identity, memory);
    kern_print_identity(k, &identity);
    uint64_t hash = hash_bytes(identity.at, identity.length, 0);
    *kernel = find_kernel(set, hash, identity.at, target);
    if (*kernel != UINT32_MAX) return FE_OK;
    const char *stem =
        arena_printf(memory, "%s_%06llx", k->name, (unsigned long long)(hash & 0xffffff));
    const char *name = stem;
    for (uint32_t n = 2; name_taken(set, name); n++) name = arena_printf(memory, "%s_%u", stem, n);
    kern_kernel made = {.name = name,
                        .identity = identity.at,
                        .hash = hash,
                        .buffer_count = k->buffer_count,
                        .int_count = k->params.count + (target->dialect && kern_reports(k)),
                        .group_size = is_of_groups(k) ? kern_group_size(target) : 0,
                        .ir = k,
                        .target = target};
    FE_TRY(check_parameters(&made, k));
    FE_TRY(lower(k, set->library, target, &made.legal));
    const char *body = body_of(made.legal, set->library, target, memory, &made.needs);
    const char *what = !target->dialect ? "" : is_of_groups(k) ? "FE_GROUP_KERNEL " : "FE_KERNEL ";
    made.source = arena_printf(memory, "%svoid %s%s", what, name, body);
    *kernel = set->kernels.count;
    vec_push(memory, &set->kernels, made);
    return FE_OK;
}

static fe_status check_lanes(const kern_ir *k)
{
    diag d = {.status = FE_UNSUPPORTED,
              .stage = "kern",
              .help = "give --isa for a target with so many lanes, or the text of --stage kern"};
    if (!kern_is_lowered(k)) return FE_OK;
    return diag_fail(sym_session(k->symbols), d, "%s is lowered for %u lanes, and cannot have one",
                     k->name, k->lanes);
}

/* A device may take products in tiles, and few rows by groups; how many rows there are is not known of
 * what is read from text, which says it itself. */
static void share_rows(kern_ir *k, int64_t rows, const target_machine *target, arena *memory)
{
    uint32_t group = kern_group_size(target);
    if (!group || (k->tiles.rows && kern_tile_items(k) != group)) kern_take_alone(k);
    if (rows) kern_tile_product(k, target, memory);
    if (rows && !k->tiles.rows) kern_share_rows(k, rows, group, memory);
}

/* The kernel of k, verified, made or found. */
static fe_status generate(kern_set *set, kern_ir **k, int64_t rows, const target_machine *target,
                          arena *memory, uint32_t *kernel)
{
    FE_TRY(kern_check(*k));
    if (target->plain) {
        FE_TRY(check_lanes(*k));
        *k = kern_one_lane(*k, memory);
        share_rows(*k, rows, target, memory);
        FE_TRY(kern_check(*k));
    }
    FE_TRY(kern_check_c(*k));
    return add_kernel(set, *k, target, memory, kernel);
}

fe_status kern_generate(kern_set *set, const target_machine *target, arena *memory)
{
    uint32_t kernel;
    set->library->target = target;
    FE_TRY(check_functions(set->library));
    for (uint32_t i = 0; i < set->irs.count; i++)
        FE_TRY(generate(set, &set->irs.at[i], 0, target, memory, &kernel));
    return FE_OK;
}

/* ---- plain C ---- */

fe_status kern_scalar(const kern_set *set, arena *memory, kern_kernel **out)
{
    const target_machine *plain = target_named("scalar");
    *out = NEW_ARRAY(memory, kern_kernel, set->kernels.count + 1);
    for (uint32_t i = 0; i < set->kernels.count; i++) {
        kern_kernel *made = &(*out)[i];
        *made = set->kernels.at[i];
        if (made->target->dialect) continue;
        made->target = plain;
        FE_TRY(check_lanes(made->ir));
        made->ir = kern_one_lane(made->ir, memory);
        FE_TRY(kern_check(made->ir));
        FE_TRY(lower(made->ir, set->library, plain, &made->legal));
        const char *body = body_of(made->legal, set->library, plain, memory, &made->needs);
        made->source = arena_printf(memory, "void %s%s", made->name, body);
    }
    return FE_OK;
}

void kern_print_scalar(const kern_set *set, uint32_t kernel, arena *memory, text *out)
{
    kern_ir one = *kern_one_lane(set->kernels.at[kernel].ir, memory);
    kern_take_alone(&one);
    one.name = set->kernels.at[kernel].name;
    kern_print_ir(&one, out);
}

/* ---- the stage ---- */

static bool has_kernel(const sched_schedule *s, const sched_group *g)
{
    sched_activation does;
    return (g->kind == SCHED_KERNEL || g->kind == SCHED_EXTERN) && g->phase_count > 0 &&
           !sched_activation_of(s, g, &does);
}

fe_status kern_add(kern_set *set, const sched_schedule *s, const sched_group *g, uint32_t number,
                   const target_machine *target, arena *memory, kern_call *call)
{
    kern_ir *k;
    if (!set->library) set->library = kern_library_new(target, memory);
    FE_TRY(kern_lower(s, g, target, memory, &k));
    k->name = words_of(k, memory);
    k->group = number;
    int64_t rows = sym_usual(s->program->symbols, outer_extent(s, g));
    FE_TRY(generate(set, &k, rows < 1 ? 1 : rows, target, memory, &call->kernel));
    vec_push(memory, &set->irs, k);
    fill_call(s, g, k, target, memory, call);
    return FE_OK;
}

fe_status kern_build(const sched_schedule *s, const target_machine *target, arena *memory,
                     kern_set **out)
{
    kern_set *set = *out = NEW(memory, kern_set);
    set->library = kern_library_new(target, memory);
    set->call_count = s->groups.count;
    set->calls = NEW_ARRAY(memory, kern_call, s->groups.count);
    for (uint32_t i = 0; i < s->groups.count; i++) {
        const sched_group *g = &s->groups.at[i];
        set->calls[i].kernel = UINT32_MAX;
        if (has_kernel(s, g))
            FE_TRY(kern_add(set, s, g, i, sched_target_of(s, g, target), memory, &set->calls[i]));
    }
    return FE_OK;
}

static void print_functions(const kern_set *set, uint32_t count, text *out)
{
    for (uint32_t i = 0; i < count; i++) kern_print_code(set->library->functions.at[i], out);
}

void kern_print(const kern_set *set, text *out)
{
    print_functions(set, set->read_count, out);
    for (uint32_t i = 0; i < set->irs.count; i++) kern_print_ir(set->irs.at[i], out);
}

void kern_print_legal(const kern_set *set, text *out)
{
    print_functions(set, set->library->functions.count, out);
    for (uint32_t i = 0; i < set->kernels.count; i++) kern_print_ir(set->kernels.at[i].legal, out);
}
