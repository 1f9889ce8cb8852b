/* pt2_priv.h -- what the files of src/pt2 share: the zip directory and the reader of one model.
 *
 * Order of work (archive.c: pt2_read): ranges, so that symbols are born with theirs (sig.c); the
 * graph's recorded values (value.c); placeholders with their weights (sig.c, weights.c); nodes
 * (node.c, arg.c); outputs (sig.c).
 */
#ifndef FERRITE_PT2_PRIV_H
#define FERRITE_PT2_PRIV_H

#include "pt2/json.h"
#include "pt2/pt2.h"

/* ---- zip.c ---- */
typedef struct zip_directory {
    pt2_record *records; /* in the directory's order, names as stored */
    uint32_t count;
    map by_hash; /* of the name -> index of the first such record */
} zip_directory;
/* Reads the directory of the zip that lies in data[0, size). NULL when it is good; otherwise
 * what is wrong with it. *unsupported tells a valid zip that we don't read (compressed,
 * encrypted) from a damaged one. */
const char *zip_read(arena *a, const uint8_t *data, size_t size, zip_directory *out,
                     bool *unsupported);
const pt2_record *zip_find(const zip_directory *zip, const char *name);

/* ---- the archive (archive.c) ---- */
struct pt2_archive {
    fe_session *session;
    arena *memory;
    mapped_file file;
    zip_directory zip;
    const char *root; /* "net/" or "" */
    VEC(const char *) models;
    op_registry *ops; /* NULL: one for each graph */
    map recorded;     /* fx_origin -> index */
    VEC(const fx_value *) recorded_values;
};
fe_status archive_fail(pt2_archive *archive, fe_status status, const char *record, const char *help,
                       const char *format, ...) FE_PRINTF(5, 6);
/* ---- foreign.c ---- */
/* Of a file that is no archive with a program: when it is something that we know by name, one diagnostic
 * about that in place of those since `before`; else the status that it has already. */
fe_status foreign_refuse(pt2_archive *archive, fe_status otherwise, diag_mark_t before);

/* The record, its checksum compared; for small ones that are parsed. */
fe_status archive_text(pt2_archive *archive, const char *name, const pt2_record **out);

/* ---- the reader of one model ---- */

/* A name of one graph: what is recorded for it, and the node that gives it once that is made. */
typedef struct binding {
    const char *name;      /* interned */
    const fx_value *value; /* NULL when nothing is recorded */
    fx_node *node;
    /* An output that nobody is known to read: the getitem is made when somebody does. */
    fx_node *tuple;
    uint32_t item;
    const fx_origin *origin;
} binding;

/* A string of the program, and how it is written there. */
typedef struct repeated {
    const char *value; /* interned */
    const char *start; /* as written, quotes included */
    size_t length;
} repeated;

/* A recorded value, and how it is written: most tensors of a program are like another one. */
typedef struct written_value {
    const char *start;
    size_t length;
    const fx_value *value;
} written_value;

typedef struct reader {
    fe_session *session;
    pt2_archive *archive;
    arena *memory; /* of the graph */
    json_owner documents;
    sym_table *symbols;
    op_registry *ops;
    const op_info *getitem;
    map expressions;                 /* interned srepr -> index into expression_values */
    VEC(sym_expr) expression_values; /* none: no expression over integers */
    map stand_ins;                   /* interned text -> index */
    VEC(sym_expr) stand_in_values;
    VEC(const char *) stand_in_texts;
    uint32_t next_unbacked; /* u<N> for what is no integer expression */
    map written;            /* hash of the text -> index */
    VEC(written_value) written_values;
    map ranges; /* interned symbol name -> index */
    VEC(fx_range) symbol_ranges;
    map storages; /* interned record name -> index */
    VEC(const fx_data *) storage_data;
    map unknown; /* interned target -> how often seen */
    uint32_t unsupported;
    uint32_t depth;          /* of subgraphs */
    repeated stack, modules; /* of the previous node: mostly this one's, too */
    const char *last_path, *last_type;
} reader;

/* One graph or subgraph while it is read. */
typedef struct scope {
    reader *reader;
    fx_graph *graph;
    map names; /* interned name -> index */
    VEC(binding *) bindings;
} scope;

/* symint.c */
/* The value of `Mul(Integer(2), Symbol('s0', ...))`. What is no expression over integers gets
 * expr none. `at` is for diagnostics; only text that is no expression at all is an error. */
fe_status symbolic_parse(reader *r, json_at *at, const char *source, sym_expr *out);
/* As symbolic_parse, but what is no integer expression becomes an unbacked symbol, the same for
 * the same text. */
fe_status symbolic_int(reader *r, json_at *at, const char *source, sym_expr *out);
void symbolic_is_size(reader *r, sym_expr e);           /* what is a size is not negative */
fe_status ranges_read(reader *r, json_at *constraints); /* notes the symbols' ranges */
/* Numbers among the inputs of the graph have no least value but one that the module asks for. */
fe_status ranges_open_numbers(reader *r, json_at *graph);
fe_status ranges_keep(reader *r, json_at *constraints,
                      fx_graph *g); /* all of them, for the graph */

/* value.c: recorded metadata */
fe_status value_sym_int(reader *r, json_at *at, sym_expr *out); /* {as_int} or {as_expr} */
fe_status value_tensor(reader *r, json_at *meta, ty_tensor **out);
fe_status value_dtype(json_at *at, ty_dtype *out);
fe_status value_device(json_at *at, ty_device *out);
fe_status values_read(scope *s, json_at *graph);   /* all of tensor_values, sym_int_values, ... */
fx_value *value_copy(arena *a, const fx_value *v); /* so that nobody writes into the record */

/* arg.c */
binding *scope_bind(scope *s, const char *name); /* the binding, made on first use */
binding *scope_find(scope *s, const char *name); /* NULL when absent */
fe_status scope_node(scope *s, json_at *at, const char *name,
                     fx_node **out);                     /* defined before here */
fe_status arg_read(scope *s, json_at *arg, fx_arg *out); /* {as_tensor: ...}, as given */
fe_status arg_fit(scope *s, json_at *at, const op_info *op, const op_param *param,
                  fx_arg *arg); /* to the schema */
fx_arg arg_default(scope *s, const op_param *param);

/* node.c */
fe_status nodes_read(scope *s, json_at *graph);
fe_status subgraph_read(scope *outer, json_at *graph, const char *name, fx_graph **out);
void item_make(scope *s, binding *b); /* the getitem of an output that is read after all */
void node_record(reader *r, fx_node *n, const fx_value *recorded); /* value and the record of it */

/* floats.c: sizes that no node gives, and guards, of expressions over floats become calls */
void floats_write(reader *r, fx_graph *g);

/* origin.c */
fe_status origin_read(reader *r, const char *node, const char *target, json_at *metadata,
                      const fx_origin **out); /* metadata may be NULL */
const fx_origin *origin_of_input(reader *r, const char *name);
/* That of another output of the same node. */
const fx_origin *origin_like(reader *r, const fx_origin *like, const char *node,
                             const char *target);

/* sig.c */
fe_status inputs_read(scope *s, json_at *graph, json_at *signature, const char *model);
fe_status constant_read(scope *s, json_at *value, const fx_value **result); /* {as_int: 3} */
fe_status outputs_read(scope *s, json_at *graph, json_at *signature);
fe_status structure_read(scope *s, json_at *module);

/* weights.c */
typedef struct weight {
    const fx_data *data;
    ty_tensor *meta;
} weight;
/* The configuration of one folder of weights. Does not move: its places refer to each other. */
typedef struct weight_table {
    const char *folder; /* "weights", "constants" */
    const char *record; /* the configuration's name */
    json_at root, config;
    map names; /* interned -> entry */
    VEC(json_at) entries;
} weight_table;
/* data/<folder>/<model>_<folder>_config.json; an empty table when there is none. */
fe_status weights_open(reader *r, const char *folder, const char *model, weight_table *out);
fe_status weights_find(reader *r, weight_table *table, const char *name, weight *out, bool *found);

#endif
