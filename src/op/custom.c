/* custom.c -- operators that the user declares by schema string. */
#include "op/op_priv.h"

#include <string.h>

fe_status op_declare(op_registry *r, const char *schema, uint32_t flags, const op_info **out)
{
    op_info *op = NEW(r->memory, op_info);
    FE_TRY(op_schema_parse(r->session, r->memory, arena_strdup(r->memory, schema), op));
    op->flags = flags;

    uint32_t known = map_get(&r->by_name, MAP_KEY(op->name));
    if (known != MAP_NONE) {
        const op_info *before = op_get(r, (op_id)known);
        if (strcmp(before->schema, op->schema) != 0 || before->flags != op->flags)
            return diag_fail(
                r->session,
                (diag){.status = FE_USAGE,
                       .stage = "op",
                       .op = op->name,
                       .help = "declare an operator once, or each time in the same way"},
                "declared before as \"%s\"", before->schema);
        *out = before;
        return FE_OK;
    }
    op->id = OP_BUILTIN_COUNT + r->custom.count;
    vec_push(r->memory, &r->custom, op);
    map_set(r->memory, &r->by_name, MAP_KEY(op->name), op->id);
    *out = op;
    return FE_OK;
}
