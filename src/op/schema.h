/* schema.h -- between schema.c and schema_default.c. */
#ifndef FERRITE_OP_SCHEMA_H
#define FERRITE_OP_SCHEMA_H

#include "op/op_priv.h"

typedef struct schema_parser {
    fe_session *session;
    arena *memory;
    const char *schema;
    const char *at;
    const char *aliases[32]; /* names of alias sets, interned; bit k stands for the k-th */
    uint32_t alias_count;
} schema_parser;

void schema_skip_spaces(schema_parser *p);
/* A diagnostic that shows the schema up to the place and what follows. */
fe_status schema_fail(schema_parser *p, const char *wanted);
bool schema_is(schema_parser *p, const char *punct);
bool schema_take(schema_parser *p, const char *punct);
fe_status schema_expect(schema_parser *p, const char *punct);
/* [A-Za-z_][A-Za-z0-9_]*, and dots between words when `dotted`. */
bool schema_take_word(schema_parser *p, bool dotted, const char **out);

/* schema_default.c: what stands behind the = of a parameter. */
fe_status schema_default(schema_parser *p, const op_type *type, op_default *out);

#endif
