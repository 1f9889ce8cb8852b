/* fx.h -- the FX graph: nodes in order, arguments, use lists, fake-tensor metadata, provenance.
 *
 *     graph main {
 *       placeholder %p_weight param "fc.weight" : f32[64,32]
 *       placeholder %x user "x" : f32[8,32]
 *       %linear = aten.linear.default(%x, %p_weight, None) : f32[8,64]
 *       %max_1 = aten.max.dim(%linear, -1, False) : (f32[8], i64[8])
 *       %getitem = _operator.getitem(%max_1, 0) : f32[8]
 *       %sym_size = aten.sym_size.int(%x, 0) : int s0
 *       output (user %getitem, user_input_mutation "x" %linear, user 3)
 *     }
 *
 * A call has exactly one argument for each parameter of its schema, in the schema's order,
 * keyword-only ones included; defaults are filled in. Higher-order operators have their arguments
 * as given. Values: a tensor, a symbolic int, bool or float, a tuple (several returns, or
 * Tensor[]), none.
 *
 * Laws (check.c): F1 a node is defined before it is used. F2 use lists agree with arguments. F3
 * every value has metadata. F4 argument count and kinds agree with the schema. F5 names are unique.
 * F6 (after functionalisation) no mutation but the copy_ epilogue that the output's mutation
 * entries stand for. F7 a symbol that only the run knows is bound before an argument speaks of it: by
 * the value of an input or of a call, but not of one that works element by element or takes an item.
 */
#ifndef FERRITE_FX_H
#define FERRITE_FX_H

#include "op/op.h"

typedef struct fx_graph fx_graph;
typedef struct fx_node fx_node;
typedef struct fx_arg fx_arg;
typedef struct fx_value fx_value;

/* ---- metadata ---- */
typedef enum fx_value_kind {
    FX_NO_VALUE,
    FX_TENSOR,
    FX_INT,
    FX_BOOL,
    FX_FLOAT,
    FX_TUPLE,
    FX_OPAQUE
} fx_value_kind;
/* What a node gives: its fake tensor, or the expression of its number, or a tuple of these. */
struct fx_value {
    fx_value_kind kind;
    ty_tensor *tensor; /* FX_TENSOR */
    sym_expr expr;     /* FX_INT; FX_BOOL as a predicate; none when not known at compile time */
    double number;     /* FX_FLOAT when is_known */
    bool is_known;
    fx_value *items; /* FX_TUPLE */
    uint32_t count;
};

/* ---- arguments ---- */
typedef enum fx_arg_kind {
    FX_ARG_NONE,
    FX_ARG_NODE,
    FX_ARG_INT,
    FX_ARG_FLOAT,
    FX_ARG_BOOL,
    FX_ARG_COMPLEX,
    FX_ARG_STRING,
    FX_ARG_DTYPE,
    FX_ARG_DEVICE,
    FX_ARG_LAYOUT,
    FX_ARG_MEMORY_FORMAT,
    FX_ARG_LIST,
    FX_ARG_GRAPH,
    FX_ARG_OBJECT
} fx_arg_kind;
struct fx_arg {
    fx_arg_kind kind;
    uint32_t use; /* NODE: its place in node->users; kept by graph.c, else without meaning */
    union {
        fx_node *node;
        sym_expr expr; /* INT: often a constant; else an expression over the program's symbols */
        double number; /* FLOAT */
        double complex_[2]; /* COMPLEX: real, imaginary */
        bool boolean;
        const char *string; /* STRING; OBJECT: its name */
        ty_dtype dtype;
        ty_device device;
        ty_memory_format memory_format;
        int64_t layout; /* number in the archive's schema; 7 = strided */
        fx_graph *graph;
        struct {
            fx_arg *items;
            uint32_t count;
        } list;
    };
};

/* ---- provenance: where a node comes from in the user's program ---- */
typedef struct fx_origin {
    const char *node;        /* name of the node as exported */
    const char *target;      /* its operator as exported */
    const char *stack_trace; /* as recorded; may be NULL */
    const char *module_path; /* "encoder.layer.0.attention"; may be NULL */
    const char *module_type; /* "BertAttention"; may be NULL */
    const char *tags; /* what the user said of it, a line each: "stage:late\nrank:1"; may be NULL */
    uint32_t class_;  /* of the parts that the program is to be cut into: fx_set_class() */
} fx_origin;

/* ---- nodes ---- */
typedef enum fx_kind { FX_PLACEHOLDER, FX_CALL, FX_OUTPUT } fx_kind;
typedef enum fx_input_kind {
    FX_USER_INPUT,
    FX_PARAMETER,
    FX_BUFFER,
    FX_CONSTANT,
    FX_OBJECT,
    FX_TOKEN,
    FX_CONSTANT_INPUT
} fx_input_kind;
/* What a run takes of another user input: all of the storage that its elements lie in, as a vector, or how
 * many elements of that come before it. Such inputs stand behind all others. */
typedef enum fx_taken { FX_GIVEN, FX_STORAGE_OF, FX_START_OF } fx_taken;
typedef enum fx_output_kind {
    FX_USER_OUTPUT,
    FX_BUFFER_MUTATION,
    FX_PARAMETER_MUTATION,
    FX_USER_INPUT_MUTATION,
    FX_TOKEN_OUTPUT
} fx_output_kind;

/* A node lives in its graph's arena until the graph goes; erased ones are unlinked. */
struct fx_node {
    uint32_t id; /* unique in the graph, never reused */
    fx_kind kind;
    const char *name;  /* interned, unique in the graph, without % */
    const op_info *op; /* FX_CALL */
    fx_arg *args;
    uint32_t arg_count;
    fx_value value;
    fx_node *prev, *next;
    uint32_t order;          /* position, valid after fx_renumber; grows along the list */
    VEC(fx_node *) users;    /* one entry for each reference: two in add(%x, %x); in no set order */
    const fx_origin *origin; /* may be NULL */
    /* FX_PLACEHOLDER */
    fx_input_kind input_kind;
    const char *target;         /* name of the parameter, buffer or input; "" when none */
    fx_taken taken;             /* of a user input; of the one named `taken_of` */
    const char *taken_of;       /* its target */
    const struct fx_data *data; /* of parameters, buffers, constants; NULL when absent */
    bool is_persistent;
    bool is_stale; /* made, or given other arguments, since its metadata was inferred */
    uint32_t mark; /* scratch for passes: meaning private to the pass that runs */
    /* Of the functional form of a call that writes: the storages of the tensors among its arguments as
     * the program had them, in order, which passes no more tell from those that they put in their place.
     * NULL: they are those of the values. */
    const uint32_t *storages;
    uint32_t storage_count;
};

/* Bytes of a constant: a view (value.tensor gives sizes, strides, offset) into a storage that may
 * be shared by several. */
typedef struct fx_data {
    const uint8_t *bytes; /* the whole storage, mapped from the archive or in the graph's arena */
    size_t size;          /* of the storage */
    const char *record;   /* its name in the archive, or NULL when computed by a pass */
} fx_data;

typedef struct fx_output {
    fx_output_kind kind;
    const char
        *target; /* what is mutated; of user outputs: the mutated input that is returned, or NULL */
    /* The value is the output node's argument of the same index (a node or a constant). */
} fx_output;

/* range_constraints of the archive: expression in [min, max]. */
typedef struct fx_range {
    sym_expr expr;
    int64_t min, max; /* SYM_NO_MAX = unbounded */
} fx_range;

/* What the arguments of a call have to be and only a run can tell: it fails with `what` unless it holds. */
typedef struct fx_condition {
    sym_relation relation;
    const char *what;
} fx_condition;

struct fx_graph {
    fe_session *session;
    arena *memory;
    sym_table *symbols; /* shared with subgraphs */
    op_registry *ops;   /* shared with subgraphs */
    fx_graph *parent;   /* of a subgraph */
    const char *name;
    fx_node *first, *last; /* last is the FX_OUTPUT node once it exists */
    fx_node *output;
    VEC(fx_node *) inputs;  /* placeholders in order */
    VEC(fx_output) outputs; /* one for each argument of the output node */
    VEC(fx_range) ranges;
    VEC(const char *) guards;       /* what the export took for granted: guard.c */
    VEC(fx_condition) conditions;   /* condition.c: they stay when passes rewrite the calls */
    map known_conditions;           /* hash of the relation -> the last condition that is so */
    const char *in_spec, *out_spec; /* pytree JSON; NULL when absent */
    VEC(const char *) input_names;  /* forward's argument names */
    uint32_t next_id;
    uint32_t node_count;   /* linked nodes */
    uint32_t next_storage; /* next fresh alias class; 0 is never used */
    uint32_t next_symbol;  /* for u<N> made by passes */
    map by_name;           /* interned name -> id */
    map suffixes; /* interned name -> the number last tried behind it to make a name unique */
    VEC(fx_node *) by_id; /* NULL where erased */
    bool is_functional;   /* set by functionalise, cleared by reinplace; F6 is checked while set */
    bool fills_unwritten; /* what nothing writes holds NaN, or the largest integer; else zeros */
    /* of a subgraph: the dtype that an autocast region around it computes in; none: no region */
    ty_dtype autocast;
};

/* graph.c */
fx_graph *fx_graph_new(fe_session *s, arena *memory, sym_table *symbols, op_registry *ops,
                       const char *name);
/* New nodes stand before `before` (NULL: at the end, before the output node when there is one),
 * placeholders behind the last placeholder. `name` (NULL: that of the operator) is made unique by a
 * suffix _1, _2, ...; characters that the text form has no place for become _. Args are copied,
 * lists and all; users are registered. value is left FX_NO_VALUE. */
fx_node *fx_placeholder(fx_graph *g, fx_input_kind kind, const char *name, const char *target);
fx_node *fx_call(fx_graph *g, fx_node *before, const op_info *op, const char *name,
                 const fx_arg *args, uint32_t count);
/* Convenience for passes: by operator id, name derived from the operator, origin copied from `like`
 * (may be NULL). Missing trailing arguments are filled from the schema's defaults. */
fx_node *fx_emit(fx_graph *g, fx_node *before, op_id op, const fx_node *like, uint32_t count,
                 const fx_arg *args);
fx_node *fx_set_output(fx_graph *g, const fx_arg *values, const fx_output *kinds, uint32_t count);
/* The whole argument; lists are replaced whole. */
void fx_set_arg(fx_node *user, uint32_t index, fx_arg arg, fx_graph *g);
/* Every use, outputs included, but for those by `with` itself (which may be made from `old`). */
void fx_replace_uses(fx_graph *g, fx_node *old, fx_node *with);
void fx_replace_uses_if(fx_graph *g, fx_node *old, fx_node *with,
                        bool (*want)(const fx_node *user, void *), void *data);
void fx_move_before(fx_graph *g, fx_node *node, fx_node *before);
void fx_erase(fx_graph *g, fx_node *node); /* must have no users */
void fx_renumber(fx_graph *g);
fx_node *fx_find(const fx_graph *g, const char *name);
/* The call becomes another one, in place. */
void fx_set_op(fx_graph *g, fx_node *node, const op_info *op, const fx_arg *args, uint32_t count);
/* With its subgraphs, over the same symbols and operators; node ids are kept. Bytes of constants
 * are shared. */
fx_graph *fx_clone(fx_graph *g, arena *memory);
/* The same over a copy of the symbols: nothing that is found out of the one holds in the other. */
fx_graph *fx_clone_apart(fx_graph *g, arena *memory);
/* rename.c. Every expression in metadata, arguments and ranges, those of subgraphs included. */
void fx_each_expr(fx_graph *g, void (*visit)(void *data, sym_expr *e), void *data);
/* Of a graph that shares no metadata with others: a clone. Guards stay. */
void fx_rename_symbols(fx_graph *g, const sym_expr *from, const sym_expr *to, uint32_t count);
fx_value fx_renamed_value(fx_graph *g, const fx_value *v, const sym_expr *from, const sym_expr *to,
                          uint32_t count);
/* A constant made by a pass: a placeholder of kind FX_CONSTANT whose bytes are `data` (kept, not
 * copied). */
fx_node *fx_add_constant(fx_graph *g, const char *name, const ty_tensor *meta, const void *data,
                         size_t size);

/* args.c: construction and reading */
static inline fx_arg fx_none(void)
{
    return (fx_arg){.kind = FX_ARG_NONE};
}
static inline fx_arg fx_of(fx_node *n)
{
    return (fx_arg){.kind = FX_ARG_NODE, .node = n};
}
static inline fx_arg fx_bool(bool b)
{
    return (fx_arg){.kind = FX_ARG_BOOL, .boolean = b};
}
static inline fx_arg fx_float(double x)
{
    return (fx_arg){.kind = FX_ARG_FLOAT, .number = x};
}
static inline fx_arg fx_expr(sym_expr e)
{
    return (fx_arg){.kind = FX_ARG_INT, .expr = e};
}
static inline fx_arg fx_dtype(ty_dtype d)
{
    return (fx_arg){.kind = FX_ARG_DTYPE, .dtype = d};
}
static inline fx_arg fx_string(const char *s)
{
    return (fx_arg){.kind = FX_ARG_STRING, .string = s};
}
fx_arg fx_int(fx_graph *g, int64_t value);
/* The default of a parameter as an argument; false when it has none. */
bool fx_default(fx_graph *g, const op_param *param, fx_arg *out);
fx_arg fx_list(fx_graph *g, const fx_arg *items, uint32_t count);
fx_arg fx_int_list(fx_graph *g, const sym_expr *items, uint32_t count);
/* The argument as an expression: INT, BOOL (0/1), or a node whose value is an int; else false. */
bool fx_arg_expr(const fx_graph *g, const fx_arg *a, sym_expr *out);
bool fx_arg_int(const fx_graph *g, const fx_arg *a, int64_t *out);   /* ... when it is a constant */
bool fx_arg_number(const fx_graph *g, const fx_arg *a, double *out); /* INT, FLOAT, BOOL constant */
bool fx_arg_bool(const fx_arg *a, bool fallback);                    /* NONE gives the fallback */
/* The tensor behind a NODE argument, or NULL. */
static inline ty_tensor *fx_arg_tensor(const fx_arg *a)
{
    return a->kind == FX_ARG_NODE && a->node->value.kind == FX_TENSOR ? a->node->value.tensor
                                                                      : NULL;
}
/* Reads an int list of any form (INT for a list of one when the schema allows; items may be nodes)
 * into out[], at most `room`; -1 when it is not one. */
int fx_arg_ints(const fx_graph *g, const fx_arg *a, sym_expr *out, uint32_t room);
/* By the schema's parameter name; BUG when there is none such. */
const fx_arg *fx_get(const fx_graph *g, const fx_node *n, const char *param);
/* Calls visit for each node that the argument refers to, lists included. */
/* Each symbol of a value's sizes, strides, offset and number, of its items' too. */
void fx_each_symbol(const sym_table *t, const fx_value *v,
                    void (*visit)(void *data, sym_expr symbol), void *data);
void fx_arg_each_node(const fx_arg *a, void (*visit)(void *data, fx_node *n), void *data);
/* An input that the program comes with: a parameter, buffer or constant. */
static inline bool fx_is_weight(const fx_node *n)
{
    return n->kind == FX_PLACEHOLDER &&
           (n->input_kind == FX_PARAMETER || n->input_kind == FX_BUFFER ||
            n->input_kind == FX_CONSTANT);
}
static inline ty_tensor *fx_tensor(const fx_node *n)
{
    return n->value.kind == FX_TENSOR ? n->value.tensor : NULL;
}
static inline bool fx_is(const fx_node *n, op_id op)
{
    return n->kind == FX_CALL && n->op->id == (uint32_t)op;
}

/* data.c: one element of a tensor's storage, of any dtype; a complex one has two parts. */
typedef struct fx_element {
    bool is_float; /* numbers, else integer */
    int64_t integer;
    double number[2];
} fx_element;
fx_element fx_element_read(ty_dtype dtype, const uint8_t *at);
void fx_element_write(ty_dtype dtype, uint8_t *at, const fx_element *e);
/* So many elements times a number, in double, rounded once. */
void fx_elements_scale(ty_dtype dtype, uint8_t *to, const uint8_t *from, size_t count, double by);
/* Byte offsets of all elements in row-major order; -1 when sizes are not constants, more than
 * `room`, or outside `size`. */
int64_t fx_element_offsets(const fx_graph *g, const ty_tensor *x, size_t size, size_t *offsets,
                           uint32_t room);

/* The value of a constant with one element, or of a number known at compile time; false when there
 * is none such. */
bool fx_constant_number(const fx_graph *g, const fx_node *n, double *out);

/* subgraph.c. The subgraph that gives a higher-order call's results (of cond all do, of loops the
 * body), and what it is called with: the arguments behind it, lists taken apart. */
typedef struct fx_subcall {
    fx_graph *graph; /* NULL: what runs is no graph of ours */
    VEC(fx_arg) operands;
} fx_subcall;
bool fx_is_keyword(const fx_arg *a); /* "name", value */
void fx_subcall_of(const fx_node *n, arena *memory, fx_subcall *out);
/* The calls of `sub` as new nodes before `before`, with operands for its placeholders; gives its
 * outputs as arguments of g's. Their values are copies, to be inferred again: alias classes are
 * those of g only then. */
fx_arg *fx_inline(fx_graph *g, fx_node *before, const fx_graph *sub, const fx_arg *operands,
                  uint32_t count);
/* The call in another graph, before `before`: of[id] stands for the node of that id in its arguments. Its
 * value is a copy, to be inferred again. */
fx_node *fx_copy_call(fx_graph *g, fx_node *before, const fx_node *n, const fx_arg *of);
/* As fx_replace_uses, by a constant or a node. */
void fx_replace_uses_by_arg(fx_graph *g, fx_node *old, fx_arg with);

/* guard.c. What a guard asks of the symbols in the inputs' sizes joins the list: all of it must hold, in
 * order. False when it is about something else. */
typedef VEC(sym_relation) fx_relation_list;
bool fx_guard_relations(const fx_graph *g, const char *guard, arena *memory, fx_relation_list *out);
/* The size, stride or number that is read at `at`, L['x'].size()[0]; moves on behind it. */
bool fx_guard_input(const fx_graph *g, arena *memory, const char **at, sym_expr *out);

/* floats.c. The first node that is no input, or NULL. */
fx_node *fx_first_call(const fx_graph *g);
/* Calls in front of `before` for an expression over floats in a notation of exports; false, and none, where
 * some of it is not known. */
bool fx_write_floats(fx_graph *g, fx_node *before, const char *source, fx_arg *out);
/* Guards about floats become calls that compute them, and assertions, there. */
void fx_write_float_guards(fx_graph *g, fx_node *before);

/* condition.c. Adds a condition, once. The run asks it as soon as it knows the symbols. */
void fx_add_condition(fx_graph *g, sym_relation relation, const char *what);

/* origin.c. Where the program is to be cut, a part holds nodes of one class. It hangs on the origin, so
 * that what passes make of a node has its class. */
enum { FX_ANY_CLASS = 0 }; /* of all nodes where nothing is cut */
static inline uint32_t fx_class(const fx_node *n)
{
    return n->origin ? n->origin->class_ : FX_ANY_CLASS;
}
void fx_set_class(fx_graph *g, fx_node *n, uint32_t class_);
/* May n be made a part of `into`, or go with it? Nodes of two classes never become one. */
static inline bool fx_may_join(const fx_node *n, const fx_node *into)
{
    return n->kind == FX_PLACEHOLDER || fx_class(n) == fx_class(into);
}
/* A diagnostic about a node (or NULL): stage, op and recorded source line filled in. */
fe_status fx_fail(fx_graph *g, const fx_node *n, const char *stage, fe_status status,
                  const char *help, const char *format, ...) FE_PRINTF(6, 7);
/* The innermost line of a stack trace that is the user's, as "m.py:12 in forward"; may be NULL. */
const char *fx_origin_line(fx_graph *g, const fx_origin *o);
/* "aten.gather.default (%gather, net.py:12 in forward)" */
const char *fx_call_line(fx_graph *g, const fx_node *call);

/* print.c, parse.c, check.c */
void fx_print(const fx_graph *g, text *out);
/* The same, each call with a comment that says where it comes from. */
void fx_print_traced(const fx_graph *g, text *out);
void fx_print_node(const fx_graph *g, const fx_node *n, text *out); /* one line, without newline */
/* Parses what fx_print writes. Constants come back without data unless the text gives it:
 * `data [1.0, 2.0]`. More is understood than is printed: trailing arguments may be left to their
 * defaults or given as `name=value`, and a node may lack its metadata. */
fe_status fx_parse(fe_session *s, arena *memory, const char *source, size_t length, fx_graph **out);
/* The same with operators that the user declared; NULL: none. */
fe_status fx_parse_with(fe_session *s, arena *memory, op_registry *ops, const char *source,
                        size_t length, fx_graph **out);
/* whole.c. All graphs of a program are there, the program's own first: the number that new symbols u<N>
 * start from, and FE_CORRUPT for a size that no input has. */
fe_status fx_whole(fx_graph *const *graphs, uint32_t count);
/* FE_CORRUPT for a size that no input has and no node before it gives, and for a weight whose size is no
 * number. */
fe_status fx_check_sizes(fx_graph *main);
/* Is the argument of a kind that the parameter takes? */
bool fx_arg_fits(const fx_arg *a, const op_type *t);
/* FE_INTERNAL with the law and the node; `after` names the pass. FE_CORRUPT where none has run: NULL. */
fe_status fx_check(fx_graph *g, const char *after);

#endif
