/* json.h -- a JSON document and places in it, over json-c, with diagnostics that name the place:
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

struct json_object;
struct json_tokener;

enum {
    JSON_DEEPEST = 400, /* of nested containers; each level of subgraphs takes seven */
    JSON_INDEXED = 7,   /* depths in the index: down to the items of a node's members */
};

typedef struct json_span {
    const char *start, *end;
} json_span;

/* One JSON record. Its outer containers stay text, found through an index that one scan makes;
 * what is read out of them is parsed piece by piece, so that no document of 100,000 nodes is
 * ever a tree in memory. */
typedef struct json_document {
    fe_session *session;
    arena *memory;
    const char *stage, *record; /* named in diagnostics */
    const char *start, *end;
    VEC(json_span) spans;           /* containers near the root, in the order of their starts */
    VEC(struct json_object *) held; /* trees parsed so far: json_drop() */
    struct json_tokener *tokener;
    struct json_document *next; /* of the owner's */
} json_document;
/* Who closes documents: json-c's memory is not an arena's, so whatever is unwound past must
 * still be found. */
typedef struct json_owner {
    fe_session *session;
    arena *memory;
    json_document *first;
} json_owner;

/* A place in a document, with the way there: "graph_module.graph.nodes[12].inputs[0]". Lives on
 * the stack, as do the places above it. Holds a text until a reader needs it parsed. */
typedef struct json_at {
    json_document *document;
    const struct json_at *parent;
    const char *key; /* in an object; NULL in an array */
    uint32_t key_length;
    uint32_t index;
    struct json_object *value; /* parsed; NULL is JSON null when is_parsed */
    bool is_parsed;
    const char *start, *end; /* text, when not */
} json_at;

typedef struct json_walk {
    const json_at *container;
    uint32_t index, count;
    struct lh_entry *entry; /* of a parsed object */
    const char *next;       /* in a text */
} json_walk;

/* Opens the text data[0, size); `stage` and `record` name it in diagnostics. */
fe_status json_open(json_owner *owner, const char *stage, const char *record, const uint8_t *data,
                    size_t size, json_at *root);
void json_close_all(json_owner *owner);
/* A document without a text, which holds trees made of other texts; json_hold() gives NULL for
 * what is no JSON. */
json_document *json_scratch(json_owner *owner);
struct json_object *json_hold(json_document *document, const char *source);
/* Drops the trees that were parsed since the mark, and with them every place inside. */
uint32_t json_mark(const json_document *document);
void json_drop(json_document *document, uint32_t mark);
fe_status json_load(json_at *at); /* parses what stands here */

/* Every reader below takes a container in either form; scalars are parsed where they stand. */
fe_status json_member(json_at *object, const char *key,
                      json_at *out); /* must be there; may be null */
bool json_find(json_at *object, const char *key,
               json_at *out); /* there and not null; wrong types: false */
fe_status json_walk_object(const json_at *object, json_walk *walk);
fe_status json_walk_array(const json_at *array, json_walk *walk);
bool json_next(json_walk *walk, json_at *child);
fe_status json_count(json_at *array, uint32_t *count); /* parses it */
fe_status json_only_member(json_at *object,
                           json_at *out); /* a union: the one member; out->key tells which */
fe_status json_key(json_at *member, const char **out); /* interned */
bool json_key_is(const json_at *at, const char *key);
bool json_is_null(json_at *at);
fe_status json_int(json_at *at, int64_t *out);
fe_status json_boolean(json_at *at, bool *out);
fe_status json_number(json_at *at,
                      double *out); /* also "Infinity", "-Infinity", "NaN" and integers */
fe_status json_text(json_at *at, const char **out); /* as long as the tree; see json_name */
fe_status json_name(json_at *at, const char **out); /* interned */
fe_status json_text_of(json_at *object, const char *key, const char **out);
fe_status json_name_of(json_at *object, const char *key, const char **out);
fe_status json_int_of(json_at *object, const char *key, int64_t *out);
/* "expected <what>, found <what stands there>". */
fe_status json_expected(json_at *at, const char *what);
fe_status json_fail(const json_at *at, fe_status status, const char *help, const char *format, ...)
    FE_PRINTF(4, 5);
const char *json_place(const json_at *at); /* "models/model.json: graph_module.graph" */

/* ---- json_scan.c: for json.c ---- */
/* Fills the document's spans. NULL when its structure is sound, otherwise what is wrong where. */
const char *json_scan(json_document *d, const char **wrong_at);
bool json_is_space(char c);
const char *json_skip_space(const char *at, const char *end);
/* `at` is behind the opening quote; gives the place behind the closing one, or NULL. */
const char *json_skip_string(const char *at, const char *end);
const char *json_skip_word(const char *at, const char *end); /* a number, true, false, null */

#endif
