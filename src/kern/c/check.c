/* check.c -- is there C for all that a kernel does? */
#include "kern/c/c.h"
#include "kern/legal/legal.h"

static fe_status refuse(const kern_ir *k, const char *name, ty_dtype dtype)
{
    diag d = {.status = FE_UNSUPPORTED, .stage = "kern"};
    return diag_fail(sym_session(k->symbols), d, "cannot generate %s of %s", name,
                     ty_dtype_name(dtype));
}

static fe_status check_stores(const kern_ir *k, const kern_loop *loop)
{
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        const kern_store *st = &item->store;
        if (item->kind == KERN_LOOP) FE_TRY(check_stores(k, item->loop));
        if (item->kind != KERN_STORE || st->mode == LOOP_SET) continue;
        ty_dtype dtype = k->memories.at[st->memory].dtype;
        if (!kern_has_c(kern_c_combine(st->mode), dtype))
            return refuse(k, loop_store_mode_name(st->mode), dtype);
    }
    return FE_OK;
}

fe_status kern_check_c(const kern_ir *k)
{
    for (uint32_t i = 1; i < k->values.count; i++) {
        const kern_value *v = &k->values.at[i];
        if (v->kind != KERN_APPLY) continue;
        ty_dtype operand = k->values.at[v->args[v->op == LOOP_WHERE]].dtype;
        if (!kern_has_c(v->op, operand)) return refuse(k, loop_opcode_name(v->op), operand);
    }
    for (uint32_t i = 0; i < k->sums.count; i++) {
        const kern_sum *sum = &k->sums.at[i];
        if (!kern_has_c(kern_step_of(sum->reduce), sum->dtype))
            return refuse(k, loop_reduce_name(sum->reduce), sum->dtype);
    }
    return check_stores(k, k->body);
}
