/* op_priv.h -- what the files of op/ share: the registry and the name part of a schema. */
#ifndef FERRITE_OP_PRIV_H
#define FERRITE_OP_PRIV_H

#include "op/op.h"

/* What ops.def says of an operator's names. Lists end in NULL; NULL: there is none. */
typedef struct op_row {
    const char *schema;
    uint32_t flags;
    const char *const *aliases;
    const char *const *outs; /* overload, written arguments, ... */
} op_row;
extern const op_row op_rows[OP_BUILTIN_COUNT];

struct op_registry {
    fe_session *session;
    arena *memory;
    map by_name;                 /* interned name -> id */
    op_info **builtin;           /* by id; NULL until first asked for */
    VEC(const op_info *) custom; /* id - OP_BUILTIN_COUNT */
    map functional; /* id -> id of the functional operator (0: none), as far as asked */
};

/* op.c: is `space` Python functions or higher-order operators, which have no overloads? */
bool op_space_has_overloads(const char *space, size_t length);

/* out.c: the operator that writes into arguments what one of the rows gives, aten.add.out; NULL when
 * the name is none such. Made when first asked for. */
const op_info *op_find_out(op_registry *r, const char *name, size_t length);

/* schema.c: the name before the parameters as "space.base.overload", interned; NULL when it is not
 * a name. */
const char *op_schema_name(fe_session *s, const char *schema);

#endif
