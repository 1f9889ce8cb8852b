/* json.h -- a JSON document and places in it, with diagnostics that name the place:
 *
 *     models/model.json: graph_module.graph.nodes[12].inputs[0].arg: expected an integer, found "x"
 *
 * A reader walks down from the root: json_member() and json_next() give places, json_int() and
 * its like read what stands there. Wrong types, missing members and malformed text are errors of
 * these calls, never of their callers.
 */
#ifndef FERRITE_PT2_JSON_H
#define FERRITE_PT2_JSON_H

#include "base/base.h"

enum {
    JSON_DEEPEST = 400, /* of nested containers; each level of subgraphs takes seven */
    JSON_INDEXED = 7,   /* depths in the index: down to the items of a node's members */
};

typedef struct json_span {
    const char *start, *end;
} json_span;

/* One JSON record, which stays text: one scan looks at its structure and makes an index of the outer
 * containers, and what stands at a place is read when it is asked for. So no document of 100,000 nodes
 * is ever a tree in memory, and all memory is an arena's. */
typedef struct json_document {
    fe_session *session;
    arena *memory;
    const char *stage, *record; /* named in diagnostics */
    const char *start, *end;
    VEC(json_span) spans;       /* containers near the root, in the order of their starts */
    arena *strings;             /* that were read so far, without their escapes: json_drop() */
    struct json_document *next; /* of the owner's */
} json_document;
/* Who closes documents. */
typedef struct json_owner {
    fe_session *session;
    arena *memory;
    json_document *first;
} json_owner;

/* A place in a document, with the way there: "graph_module.graph.nodes[12].inputs[0]". Lives on
 * the stack, as do the places above it. */
typedef struct json_at {
    json_document *document;
    const struct json_at *parent;
    const char *key; /* in an object, as written; NULL in an array */
    uint32_t key_length;
    uint32_t index;
    uint32_t depth; /* containers around it */
    const char *start, *end;
} json_at;

typedef struct json_walk {
    const json_at *container;
    uint32_t index;
    const char *next;
} json_walk;

/* Opens the text data[0, size); `stage` and `record` name it in diagnostics. */
fe_status json_open(json_owner *owner, const char *stage, const char *record, const uint8_t *data,
                    size_t size, json_at *root);
void json_close_all(json_owner *owner);
/* Drops the strings that were read since the mark. */
arena_mark_t json_mark(const json_document *document);
void json_drop(json_document *document, arena_mark_t mark);

fe_status json_member(json_at *object, const char *key,
                      json_at *out); /* must be there; may be null */
bool json_find(json_at *object, const char *key,
               json_at *out); /* there and not null; wrong types: false */
fe_status json_walk_object(const json_at *object, json_walk *walk);
fe_status json_walk_array(const json_at *array, json_walk *walk);
bool json_next(json_walk *walk, json_at *child);
fe_status json_count(json_at *array, uint32_t *count);
fe_status json_only_member(json_at *object,
                           json_at *out); /* a union: the one member; out->key tells which */
fe_status json_key(json_at *member, const char **out); /* interned */
bool json_key_is(const json_at *at, const char *key);
bool json_is_null(json_at *at);
fe_status json_int(json_at *at, int64_t *out);
fe_status json_boolean(json_at *at, bool *out);
fe_status json_number(json_at *at,
                      double *out); /* also "Infinity", "-Infinity", "NaN" and integers */
fe_status json_text(json_at *at, const char **out); /* until json_drop(); see json_name */
fe_status json_name(json_at *at, const char **out); /* interned */
fe_status json_text_of(json_at *object, const char *key, const char **out);
fe_status json_name_of(json_at *object, const char *key, const char **out);
fe_status json_int_of(json_at *object, const char *key, int64_t *out);
/* "expected <what>, found <what stands there>". */
fe_status json_expected(json_at *at, const char *what);
fe_status json_fail(const json_at *at, fe_status status, const char *help, const char *format, ...)
    FE_PRINTF(4, 5);
const char *json_place(const json_at *at); /* "models/model.json: graph_module.graph" */

/* ---- json_scan.c and json_scalar.c: for json.c ---- */
/* Fills the document's spans. NULL when its structure is sound, otherwise what is wrong where. */
const char *json_scan(json_document *d, const char **wrong_at);
bool json_is_space(char c);
const char *json_skip_space(const char *at, const char *end);
/* `at` is behind the opening quote; gives the place behind the closing one, or NULL. */
const char *json_skip_string(const char *at, const char *end);
const char *json_skip_word(const char *at, const char *end); /* a number, true, false, null */
/* The same of a container, in a text whose structure is sound. */
const char *json_skip_container(const char *at, const char *end);

typedef enum json_kind {
    JSON_NULL,
    JSON_BOOLEAN,
    JSON_INTEGER,
    JSON_REAL, /* also Infinity, -Infinity, NaN */
    JSON_STRING,
    JSON_OBJECT,
    JSON_ARRAY,
    JSON_MALFORMED
} json_kind;
/* By how it is written; of strings and containers the first character alone. */
json_kind json_kind_of(const char *start, const char *end);
/* The string between the quotes at `start` and before `end`, without escapes, in `memory`. NULL where it is
 * malformed: then *wrong_at is where. */
char *json_unescape(arena *memory, const char *start, const char *end, size_t *length,
                    const char **wrong_at);

#endif
