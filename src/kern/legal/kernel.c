/* kernel.c -- a kernel for a target, line by line: what is a function there becomes a call, loops say how
 * many lanes a step has, blocks of a loop become a loop around it.
 */
#include "kern/legal/legal.h"

/* ---- operations ---- */

static const char *conversion(ty_dtype from, ty_dtype to)
{
    if (to == TY_F32) return from == TY_F16 ? "fromhalf" : from == TY_BF16 ? "frombf" : NULL;
    if (from == TY_F32) return to == TY_F16 ? "tohalf" : to == TY_BF16 ? "tobf" : NULL;
    return NULL;
}

/* What an operation on lanes becomes; NULL: it is the printer's. */
static const kern_function *function_of(kern_library *library, const kern_ir *k,
                                        const kern_value *v)
{
    ty_dtype from = k->values.at[v->args[0]].dtype;
    const char *name = v->op == LOOP_CAST         ? conversion(from, v->dtype)
                       : kern_is_primitive(v->op) ? NULL
                                                  : loop_opcode_name(v->op);
    ty_dtype dtype = v->op == LOOP_CAST ? TY_F32 : v->dtype;
    if (v->op != LOOP_CAST && from != v->dtype) return NULL; /* a part of a complex number */
    return name ? kern_library_find(library, name, dtype, v->vector ? k->lanes : 1) : NULL;
}

/* What is no float32 becomes a half by way of it, and the other way round. */
static void convert_halfway(kern_lowering *lo, kern_value *v)
{
    ty_dtype from = lo->k->values.at[v->args[0]].dtype, to = v->dtype;
    bool stops = from != to && (ty_is_half(from) || ty_is_half(to)) && !conversion(from, to);
    if (v->op != LOOP_CAST || !stops) return;
    v->args[0] = kern_lower_value(lo, (kern_value){.kind = KERN_APPLY,
                                                   .op = LOOP_CAST,
                                                   .dtype = TY_F32,
                                                   .vector = v->vector,
                                                   .args = {v->args[0]}});
}

static void lower_operation(kern_lowering *lo, kern_value *v)
{
    bool lowers = v->kind == KERN_APPLY && (v->vector || lo->library->scalars);
    if (lowers) convert_halfway(lo, v);
    const kern_function *f = lowers ? function_of(lo->library, lo->k, v) : NULL;
    if (!f) return;
    v->kind = KERN_CALL;
    v->callee = f;
}

/* ---- values ---- */

void kern_lower_into(kern_lowering *lo, kern_item item)
{
    vec_push(lo->memory, &lo->loop->items, item);
}

kern_ref kern_lower_value(kern_lowering *lo, kern_value v)
{
    v.level = lo->loop->level;
    lower_operation(lo, &v);
    kern_ref ref = lo->k->values.count;
    vec_push(lo->memory, &lo->k->values, v);
    kern_lower_into(lo, (kern_item){.kind = KERN_DEFINE, .value = ref});
    return ref;
}

kern_ref kern_lower_constant(kern_lowering *lo, kern_value v)
{
    v.kind = KERN_CONST;
    vec_push(lo->memory, &lo->k->values, v);
    return lo->k->values.count - 1;
}

kern_ref kern_lower_apply(kern_lowering *lo, loop_opcode op, kern_ref a, kern_ref b)
{
    const kern_value *x = &lo->k->values.at[a], *y = &lo->k->values.at[b];
    bool compares = op == LOOP_EQ || op == LOOP_LE || op == LOOP_ISNAN;
    return kern_lower_value(lo, (kern_value){.kind = KERN_APPLY,
                                             .op = op,
                                             .dtype = compares ? TY_BOOL : x->dtype,
                                             .vector = x->vector || (b && y->vector),
                                             .args = {a, b}});
}

kern_ref kern_lower_call(kern_lowering *lo, const char *base, kern_ref a, kern_ref b)
{
    ty_dtype dtype = lo->k->values.at[a].dtype;
    return kern_lower_value(
        lo, (kern_value){.kind = KERN_CALL,
                         .dtype = dtype,
                         .vector = true,
                         .callee = kern_library_find(lo->library, base, dtype, lo->k->lanes),
                         .args = {a, b}});
}

kern_ref kern_lower_splat(kern_lowering *lo, kern_ref x)
{
    return kern_lower_value(lo, (kern_value){.kind = KERN_SPLAT,
                                             .dtype = lo->k->values.at[x].dtype,
                                             .vector = true,
                                             .args = {x}});
}

/* ---- axes ---- */

static bool runs_over(const kern_loop *loop, sym_expr axis)
{
    bool found = !sym_is_none(loop->symbol) && sym_same(loop->symbol, axis);
    for (uint32_t i = 0; i < loop->items.count && !found; i++)
        found = loop->items.at[i].kind == KERN_LOOP && runs_over(loop->items.at[i].loop, axis);
    return found;
}

static bool is_axis(const kern_lowering *lo, sym_expr axis)
{
    bool found = runs_over(lo->from->body, axis);
    for (uint32_t i = 0; i < lo->k->outer && !found; i++) found = sym_same(lo->k->axes[i], axis);
    return found || (!sym_is_none(lo->square) && sym_same(lo->square, axis));
}

sym_expr kern_lower_new_axis(const kern_lowering *lo)
{
    for (uint32_t i = 0;; i++) {
        const char *name = arena_printf(lo->memory, "r%u", i);
        sym_expr axis = sym_symbol(lo->k->symbols, name, SYM_INDEX, 0, SYM_NO_MAX);
        if (!is_axis(lo, axis)) return axis;
    }
}

/* ---- tails ---- */

sym_expr kern_lower_axis(const kern_lowering *lo)
{
    const kern_ir *k = lo->k;
    return lo->vector->kind == KERN_ROWS ? k->axes[k->outer - 1] : lo->vector->symbol;
}

static kern_ref given(kern_lowering *lo, kern_ref *ref, kern_value v)
{
    v.level = lo->vector->level;
    if (!*ref) {
        *ref = lo->k->values.count;
        vec_push(lo->memory, &lo->k->values, v);
    }
    return *ref;
}

kern_ref kern_lower_count(kern_lowering *lo)
{
    if (lo->vector->exact) return 0;
    return given(lo, &lo->vector->count, (kern_value){.kind = KERN_COUNT, .dtype = TY_I64});
}

kern_ref kern_lower_mask(kern_lowering *lo)
{
    if (!kern_lower_count(lo)) return 0;
    return given(lo, &lo->vector->mask,
                 (kern_value){.kind = KERN_TAIL, .dtype = TY_BOOL, .vector = true});
}

/* A tile has room for whole vectors. */
static void count_lanes(kern_lowering *lo, kern_ref ref)
{
    const kern_value *v = &lo->k->values.at[ref];
    bool is_tile = v->kind == KERN_LOAD && lo->k->memories.at[v->memory].is_tile;
    bool loads = v->kind == KERN_LOAD && (v->access == KERN_LANES || !is_tile);
    bool numbers = v->kind == KERN_NUMBER && v->access == KERN_LANES;
    if (!v->vector || v->runs || (!loads && !numbers)) return;
    kern_ref count = kern_lower_count(lo);
    lo->k->values.at[ref].count = count;
}

static void lower_store(kern_lowering *lo, kern_item item)
{
    if (item.store.access == KERN_LANES) {
        kern_lower_store_lanes(lo, item.store);
        return;
    }
    bool is_cut = item.store.access != KERN_ONE && !item.store.whole && !item.store.runs;
    if (is_cut) item.store.count = kern_lower_count(lo);
    kern_lower_into(lo, item);
}

static void lower_bound(kern_lowering *lo, kern_item item)
{
    const kern_bound *bound = &item.bound;
    const kern_value *values = lo->k->values.at;
    bool in_lanes = values[bound->value].vector || (bound->guard && values[bound->guard].vector);
    if (in_lanes && !bound->is_known) item.bound.among = kern_lower_mask(lo);
    kern_lower_into(lo, item);
}

/* ---- lines ---- */

static void lower_define(kern_lowering *lo, const kern_item *item)
{
    kern_value v = lo->k->values.at[item->value];
    v.level = lo->loop->level;
    lower_operation(lo, &v);
    lo->k->values.at[item->value] = v;
    if (v.kind == KERN_RESULT) {
        kern_lower_result(lo, item->value);
        return;
    }
    kern_lower_gather(lo, item->value);
    v = lo->k->values.at[item->value];
    if (v.access == KERN_LANES && !v.gathers) {
        kern_lower_load_lanes(lo, item->value);
        return;
    }
    count_lanes(lo, item->value);
    kern_lower_into(lo, *item);
}

/* ---- 1 + e^x ---- */

static bool uses(const kern_item *item, kern_ref ref)
{
    bool found = item->kind != KERN_DEFINE && item->value == ref;
    found |= item->kind == KERN_STORE && item->store.value == ref;
    found |= item->kind == KERN_BOUND && (item->bound.value == ref || item->bound.guard == ref);
    for (uint32_t i = 0; item->kind == KERN_LOOP && !found && i < item->loop->items.count; i++)
        found = item->loop->condition == ref || uses(&item->loop->items.at[i], ref);
    return found;
}

/* Does nothing but one value use this one? */
static bool is_used_once(const kern_ir *k, kern_ref ref)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < k->values.count; i++) {
        const kern_value *v = &k->values.at[i];
        count += v->guard == ref;
        for (size_t a = 0; a < COUNT_OF(v->args); a++) count += v->args[a] == ref;
    }
    kern_item all = {.kind = KERN_LOOP, .loop = k->body};
    return count == 1 && !uses(&all, ref);
}

static bool is_one(const kern_value *v)
{
    return v->kind == KERN_CONST && ty_is_floating(v->dtype) && v->number[0] == 1;
}

/* An exponential and the line behind it, which adds 1 to it: what is too small for that need not be right,
 * which is less work where processors do not scale by powers of 2. */
static bool lower_one_more(kern_lowering *lo, const kern_item *item, const kern_item *next)
{
    if (item->kind != KERN_DEFINE || next->kind != KERN_DEFINE) return false;
    const kern_value *all = lo->k->values.at, *e = &all[item->value];
    kern_value sum = all[next->value];
    bool adds = e->kind == KERN_APPLY && e->op == LOOP_EXP && e->vector && sum.kind == KERN_APPLY &&
                sum.op == LOOP_ADD &&
                ((sum.args[0] == item->value && is_one(&all[sum.args[1]])) ||
                 (sum.args[1] == item->value && is_one(&all[sum.args[0]])));
    if (!adds || e->dtype != TY_F32 || (lo->library->target->can & TARGET_SCALES) ||
        !is_used_once(lo->from, item->value))
        return false;
    kern_value call = {.kind = KERN_CALL,
                       .dtype = sum.dtype,
                       .vector = true,
                       .level = lo->loop->level,
                       .args = {e->args[0]},
                       .callee =
                           kern_library_find(lo->library, "exponemore", TY_F32, lo->k->lanes)};
    lo->k->values.at[item->value].kind = KERN_NOTHING;
    lo->k->values.at[next->value] = call;
    kern_lower_into(lo, *next);
    return true;
}

kern_loop *kern_lower_open(kern_lowering *lo, const kern_loop *like)
{
    kern_loop *outside = lo->loop, *loop = arena_copy(lo->memory, like, sizeof *like);
    loop->level = outside->level + 1;
    loop->items.at = NULL;
    loop->items.count = loop->items.capacity = loop->drains.count = 0;
    kern_lower_into(lo, (kern_item){.kind = KERN_LOOP, .loop = loop});
    lo->loop = loop;
    return outside;
}

static kern_loop *open_blocks(kern_lowering *lo, const kern_loop *loop)
{
    kern_loop blocks = *loop;
    blocks.kind = KERN_BLOCKS;
    blocks.exact = false;
    blocks.unroll = 1;
    return kern_lower_open(lo, &blocks);
}

static void lower_loop(kern_lowering *lo, const kern_loop *from)
{
    if (from->kind == KERN_ROWS && lo->k->squares) {
        kern_lower_squares(lo, from);
        return;
    }
    kern_loop *outside = lo->loop, *vector = lo->vector;
    bool in_blocks = from->block && from->kind != KERN_BLOCKS;
    if (in_blocks) open_blocks(lo, from);
    kern_loop *around = kern_lower_open(lo, from);
    if (in_blocks) lo->loop->in_block = true;
    if (in_blocks) lo->loop->block = 0;
    if (from->columns && !sym_is_none(lo->square)) {
        lo->loop->columns = false;
        lo->loop->in_block = true;
    }
    if (from->kind == KERN_VECTOR || from->kind == KERN_ROWS) lo->vector = lo->loop;
    kern_lower_items(lo, from);
    lo->vector = vector;
    lo->loop = around;
    for (uint32_t i = 0; i < from->drains.count; i++) kern_lower_drain(lo, from->drains.at[i]);
    lo->loop = outside;
}

void kern_lower_items(kern_lowering *lo, const kern_loop *from)
{
    for (uint32_t i = 0; i < from->items.count; i++) {
        const kern_item *item = &from->items.at[i];
        if (i + 1 < from->items.count &&
            (kern_lower_pair(lo, item, item + 1) || lower_one_more(lo, item, item + 1))) {
            i++;
            continue;
        }
        switch (item->kind) {
        case KERN_DEFINE: lower_define(lo, item); break;
        case KERN_STORE: lower_store(lo, *item); break;
        case KERN_BOUND: lower_bound(lo, *item); break;
        case KERN_START: kern_lower_start(lo, item->sum); break;
        case KERN_UPDATE: kern_lower_update(lo, item); break;
        case KERN_LOOP: lower_loop(lo, item->loop); break;
        default: kern_lower_into(lo, *item); break;
        }
    }
}

/* ---- the kernel ---- */

/* The last value that a line defines: whatever is behind has no number in the text. */
static kern_ref last_defined(const kern_loop *loop)
{
    kern_ref last = loop->mask > loop->count ? loop->mask : loop->count;
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        kern_ref here = item->kind == KERN_DEFINE ? item->value
                        : item->kind == KERN_LOOP ? last_defined(item->loop)
                                                  : 0;
        if (here > last) last = here;
    }
    return last;
}

/* What no line defines goes, but for constants. */
static void drop_behind(kern_ir *k, kern_ref last)
{
    for (uint32_t i = last + 1; i < k->values.count; i++)
        if (k->values.at[i].kind != KERN_CONST) k->values.at[i].kind = KERN_NOTHING;
}

kern_ir *kern_legal(const kern_ir *k, kern_library *library, const target_machine *target)
{
    arena *memory = library->memory;
    kern_lowering lo = {.library = library, .memory = memory, .from = k, .no_f64 = target->no_f64};
    lo.k = arena_copy(memory, k, sizeof *k);
    lo.k->values.capacity = k->values.count;
    lo.k->memories.capacity = k->memories.count;
    lo.k->nonnegative.capacity = k->nonnegative.count;
    lo.k->nonnegative.at =
        arena_copy(memory, k->nonnegative.at, k->nonnegative.count * sizeof *k->nonnegative.at);
    lo.k->values.at = arena_copy(memory, k->values.at, k->values.count * sizeof *k->values.at);
    kern_ref last = last_defined(k->body);
    drop_behind(lo.k, last);
    lo.k->body = lo.loop = NEW(memory, kern_loop);
    lo.k->body->unroll = 1;
    lo.parts = NEW_ARRAY(memory, kern_parts, k->sums.count + 1);
    kern_lower_items(&lo, k->body);
    lo.k->sums.count = 0;
    kern_renumber(lo.k, last, memory);
    return lo.k;
}

static bool has_lowered_loop(const kern_loop *loop)
{
    bool found =
        loop->kind == KERN_EACH_LANE || loop->kind == KERN_SQUARES || loop->kind == KERN_WHEN;
    for (uint32_t i = 0; i < loop->items.count && !found; i++)
        found = loop->items.at[i].kind == KERN_LOOP && has_lowered_loop(loop->items.at[i].loop);
    return found;
}

bool kern_is_lowered(const kern_ir *k)
{
    if (k->lanes > 1 && has_lowered_loop(k->body)) return true;
    for (uint32_t i = 1; i < k->values.count && k->lanes > 1; i++) {
        const kern_value *v = &k->values.at[i];
        if (v->kind == KERN_VARIABLE || v->kind == KERN_COUNT || v->gathers) return true;
    }
    return false;
}
