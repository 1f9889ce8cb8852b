/* kern.c -- the stage: a kernel for every group, equal ones made once, and how each group calls its
 * own. */
#include "kern/kern_priv.h"

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
        [LOOP_SUM] = "sum",         [LOOP_PROD] = "prod",     [LOOP_REDUCE_MIN] = "least",
        [LOOP_REDUCE_MAX] = "most", [LOOP_ARGMIN] = "argmin", [LOOP_ARGMAX] = "argmax",
        [LOOP_ANY] = "any",         [LOOP_ALL] = "all",       [LOOP_REDUCE_XOR] = "xor"};
    word_list words = {{0}, 0};
    text out;
    text_init(&out, memory);
    for (uint32_t i = 0; i < k->sums.count; i++) add_word(&words, REDUCE[k->sums.at[i].reduce]);
    for (uint32_t i = 1; i < k->values.count; i++)
        if (k->values.at[i].kind == KERN_APPLY && !is_plumbing(k->values.at[i].op))
            add_word(&words, loop_opcode_name(k->values.at[i].op));
    if (!words.count) add_word(&words, "copy");
    text_add(&out, "k");
    for (uint32_t i = 0; i < words.count; i++) text_printf(&out, "_%s", words.at[i]);
    return out.at;
}

/* ---- cost ---- */

typedef struct costing {
    const kern_ir *k;
    sym_expr from[64], to[64];
    uint32_t count;
} costing;

static int64_t extent_of(const costing *c, sym_expr e)
{
    sym_table *t = c->k->program->symbols;
    int64_t value = sym_hint(t, sym_substitute(t, e, c->from, c->to, c->count), 256);
    return value < 1 ? 1 : value;
}

/* Thousandths of a nanosecond for one execution of a value: 64-byte vectors on Zen 5. */
static int64_t apply_cost(loop_opcode op, int64_t lanes)
{
    switch (op) {
    case LOOP_SQRT:
    case LOOP_RSQRT:
    case LOOP_DIV:
    case LOOP_RECIP: return 1200;
    case LOOP_EXP:
    case LOOP_EXP2:
    case LOOP_EXPM1:
    case LOOP_SIGMOID: return 2200;
    case LOOP_SIN:
    case LOOP_COS: return 3000;
    case LOOP_LOG:
    case LOOP_LOG2:
    case LOOP_LOG10:
    case LOOP_LOG1P:
    case LOOP_TANH:
    case LOOP_ERF: return 4000;
    default: break;
    }
    bool by_lane = (op >= LOOP_EXP && op <= LOOP_DIGAMMA) ||
                   (op >= LOOP_FLOORDIV && op <= LOOP_POW) ||
                   (op >= LOOP_ATAN2 && op <= LOOP_GCD && op != LOOP_COPYSIGN);
    return by_lane ? 8000 * lanes : 120;
}

static int64_t value_cost(const kern_ir *k, const kern_value *v)
{
    int64_t lanes = v->vector ? k->lanes : 1;
    switch (v->kind) {
    case KERN_LOAD: return v->access == KERN_LANES ? 500 * lanes : 250;
    case KERN_NUMBER: return v->access == KERN_LANES ? 1000 * lanes : 200;
    case KERN_APPLY: return apply_cost(v->op, lanes);
    default: return 200;
    }
}

static int64_t loop_cost(const costing *c, const kern_loop *loop)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        switch (item->kind) {
        case KERN_DEFINE: total += value_cost(c->k, &c->k->values.at[item->value]); break;
        case KERN_STORE:
            total += item->store.access == KERN_LANES ? 600 * (int64_t)c->k->lanes : 500;
            break;
        case KERN_LOOP: {
            int64_t step = item->loop->kind == KERN_VECTOR ? c->k->lanes : 1;
            int64_t times = item->loop->kind == KERN_ROWS || item->loop->columns
                                ? 1
                                : (extent_of(c, item->loop->extent) + step - 1) / step;
            int64_t body = loop_cost(c, item->loop);
            total += body < INT64_MAX / 4 / times ? body * times : INT64_MAX / 4;
            break;
        }
        default: total += 300; break;
        }
        if (total > INT64_MAX / 4) return INT64_MAX / 4;
    }
    return total;
}

static int64_t cost_of(const kern_ir *k)
{
    costing c = {.k = k};
    for (c.count = 0; c.count < k->params.count && c.count < COUNT_OF(c.from); c.count++) {
        c.to[c.count] = k->params.at[c.count];
        c.from[c.count] = kern_param_symbol(k, c.count);
    }
    int64_t cost = loop_cost(&c, k->body);
    if (k->serial) cost *= extent_of(&c, k->total);
    bool per_vector = k->columns || k->outer_vector;
    cost /= per_vector ? k->lanes : 1;
    return cost < 1 ? 1 : cost;
}

/* ---- calls ---- */

static void fill_call(const sched_schedule *s, const sched_group *g, const kern_ir *k,
                      arena *memory, kern_call *call)
{
    sym_table *t = s->program->symbols;
    call->buffers = NEW_ARRAY(memory, loop_buffer_id, k->memories.count);
    for (uint32_t i = 0; i < k->memories.count; i++)
        if (!k->memories.at[i].is_tile)
            call->buffers[call->buffer_count++] = k->memories.at[i].buffer;
    call->ints = k->params.at;
    call->int_count = k->params.count;
    call->outer = k->serial ? sym_int(t, 1) : sym_product(t, g->outer_extents, g->outer);
    call->split_inner = k->columns;
    call->inner = k->columns ? g->phases[0].extents[0] : sym_int(t, 1);
    call->cost = cost_of(k);
}

static uint32_t find_kernel(const kern_set *set, uint64_t hash, const char *body)
{
    for (uint32_t i = 0; i < set->kernels.count; i++) {
        const kern_kernel *known = &set->kernels.at[i];
        if (known->hash == hash && strcmp(strchr(known->source, '('), body) == 0) return i;
    }
    return UINT32_MAX;
}

static bool name_taken(const kern_set *set, const char *name)
{
    for (uint32_t i = 0; i < set->kernels.count; i++)
        if (strcmp(set->kernels.at[i].name, name) == 0) return true;
    return false;
}

static uint32_t add_kernel(kern_set *set, const kern_ir *k, arena *memory)
{
    kern_needs *needs = NEW(memory, kern_needs);
    text source;
    text_init(&source, memory);
    needs->memory = memory;
    kern_print_c(k, "", &source, needs);
    const char *body = strchr(source.at, '(');
    uint64_t hash = hash_bytes(body, strlen(body), 0);
    uint32_t known = find_kernel(set, hash, body);
    if (known != UINT32_MAX) return known;
    const char *words = words_of(k, memory);
    const char *name =
        arena_printf(memory, "%s_%06llx", words, (unsigned long long)(hash & 0xffffff));
    for (uint32_t n = 2; name_taken(set, name); n++)
        name =
            arena_printf(memory, "%s_%06llx_%u", words, (unsigned long long)(hash & 0xffffff), n);
    kern_kernel made = {.name = name,
                        .hash = hash,
                        .buffer_count = k->buffer_count,
                        .int_count = k->params.count,
                        .needs = needs};
    made.source = arena_printf(memory, "void %s%s", name, body);
    vec_push(memory, &set->kernels, made);
    return set->kernels.count - 1;
}

/* Says which operation of the kernel cannot be generated. */
static fe_status check_operations(const kern_ir *k)
{
    for (uint32_t i = 1; i < k->values.count; i++) {
        const kern_value *v = &k->values.at[i];
        if (v->kind != KERN_APPLY) continue;
        ty_dtype operand = k->values.at[v->args[v->op == LOOP_WHERE]].dtype;
        diag d = {.status = FE_UNSUPPORTED, .stage = "kern"};
        if (!kern_has_c(v->op, operand))
            return diag_fail(k->program->session, d, "cannot generate %s of %s",
                             loop_opcode_name(v->op), ty_dtype_name(operand));
    }
    return FE_OK;
}

static bool has_kernel(const sched_group *g)
{
    return g->kind != SCHED_ASSERT && g->phase_count > 0;
}

fe_status kern_build(const sched_schedule *s, const kern_target *target, arena *memory,
                     kern_set **out)
{
    kern_set *set = *out = NEW(memory, kern_set);
    set->call_count = s->groups.count;
    set->calls = NEW_ARRAY(memory, kern_call, s->groups.count);
    for (uint32_t i = 0; i < s->groups.count; i++) {
        const sched_group *g = &s->groups.at[i];
        kern_ir *k;
        set->calls[i].kernel = UINT32_MAX;
        if (!has_kernel(g)) continue;
        FE_TRY(kern_lower(s, g, target, memory, &k));
        FE_TRY(check_operations(k));
        set->calls[i].kernel = add_kernel(set, k, memory);
        fill_call(s, g, k, memory, &set->calls[i]);
    }
    return FE_OK;
}

fe_status kern_print(const sched_schedule *s, const kern_target *target, arena *memory, text *out)
{
    for (uint32_t i = 0; i < s->groups.count; i++) {
        kern_ir *k;
        if (!has_kernel(&s->groups.at[i])) continue;
        FE_TRY(kern_lower(s, &s->groups.at[i], target, memory, &k));
        kern_print_ir(k, arena_printf(memory, "%s group %u", words_of(k, memory), i), out);
    }
    return FE_OK;
}
