/* ferrite_passes.h -- passes of your own over the graph, in C: given to a session by fe_add_pass(),
 * or by a library that --passes names.
 *
 *     #include "ferrite_passes.h"
 *
 *     // x * 1 is x
 *     static int drop_ones(fe_graph *graph, const fe_graph_calls *c, void *data)
 *     {
 *         int changed = 0;
 *         for (fe_node *next, *n = c->first(graph); n; n = next) {
 *             fe_operand by = c->operand(graph, n, 1);
 *             next = c->next(n);
 *             if (!c->is_call(n, "aten.mul.Tensor") || by.kind != FE_OPERAND_INT) continue;
 *             if (by.integer != 1) continue;
 *             c->replace_uses(graph, n, c->operand(graph, n, 0).node);
 *             c->erase(graph, n);
 *             changed = 1;
 *         }
 *         return changed;
 *     }
 *     static const fe_pass passes[] = {{.name = "drop_ones", .what = "x * 1 is x", .run = drop_ones}};
 *     FE_PASS_LIBRARY(passes)
 *
 *     cc -shared -fPIC mine.c -o libmine.so;  ferrite compile model.pt2 --passes ./libmine.so -o model.so
 *
 * The graph is a list of nodes: inputs (weights and constants are inputs too), calls, and one output
 * node whose operands are what the program gives. A call has an operand for each parameter of its
 * operator's schema, in order, defaults filled in. Operators are named "aten.add.Tensor"; "default"
 * is written out.
 *
 * After a pass that says that it changed something the graph is inferred again and checked: values
 * are defined before they are used, calls agree with their schemas, results have the dtypes, sizes
 * and strides that they had and share memory with nothing that they did not share it with. A pass
 * that breaks this ends the compilation with FE_USAGE and a diagnostic that names it.
 */
#ifndef FERRITE_PASSES_H
#define FERRITE_PASSES_H

#include "ferrite_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised by one whenever a structure below changes. A library of another number is refused. */
#define FE_PASSES_VERSION 1u

typedef struct fe_graph fe_graph; /* one graph; that of a branch or loop is a graph of its own */
typedef struct fe_node fe_node;

typedef enum fe_node_kind { FE_NODE_INPUT, FE_NODE_CALL, FE_NODE_OUTPUT } fe_node_kind;

typedef enum fe_operand_kind {
    FE_OPERAND_NONE,
    FE_OPERAND_NODE,
    FE_OPERAND_INT,
    FE_OPERAND_FLOAT,
    FE_OPERAND_BOOL,
    FE_OPERAND_STRING,
    FE_OPERAND_DTYPE,
    FE_OPERAND_LIST,
    /* a size that only the run knows, a device, a layout, a graph: to be handed on as it is */
    FE_OPERAND_OTHER,
    /* handed in alone: */
    FE_OPERAND_DEFAULT, /* what the schema says */
    FE_OPERAND_COMPLEX,
    FE_OPERAND_WORD, /* "torch.channels_last", "torch.strided", "torch.float16", "cpu", "cuda:1" */
    FE_OPERAND_SIZE, /* of a graph that is being built (ferrite_graph.h), as the next */
    FE_OPERAND_GRAPH
} fe_operand_kind;

typedef struct fe_operand {
    fe_operand_kind kind;
    uint32_t count; /* LIST */
    union {
        fe_node *node;
        int64_t integer; /* INT, BOOL, SIZE; DTYPE: an fe_dtype */
        double number;
        const char *string; /* STRING, WORD */
        const struct fe_operand *items;
        const double *parts; /* COMPLEX: real and imaginary */
        fe_graph *graph;
        const void *other;
    };
} fe_operand;

static inline fe_operand fe_operand_none(void)
{
    fe_operand o = {FE_OPERAND_NONE, 0, {0}};
    return o;
}
static inline fe_operand fe_operand_node(fe_node *node)
{
    fe_operand o = {FE_OPERAND_NODE, 0, {0}};
    o.node = node;
    return o;
}
static inline fe_operand fe_operand_int(int64_t value)
{
    fe_operand o = {FE_OPERAND_INT, 0, {0}};
    o.integer = value;
    return o;
}
static inline fe_operand fe_operand_bool(int value)
{
    fe_operand o = {FE_OPERAND_BOOL, 0, {0}};
    o.integer = value != 0;
    return o;
}
static inline fe_operand fe_operand_float(double value)
{
    fe_operand o = {FE_OPERAND_FLOAT, 0, {0}};
    o.number = value;
    return o;
}
static inline fe_operand fe_operand_string(const char *string)
{
    fe_operand o = {FE_OPERAND_STRING, 0, {0}};
    o.string = string;
    return o;
}
static inline fe_operand fe_operand_dtype(uint32_t dtype)
{
    fe_operand o = {FE_OPERAND_DTYPE, 0, {0}};
    o.integer = dtype;
    return o;
}
static inline fe_operand fe_operand_default(void)
{
    fe_operand o = {FE_OPERAND_DEFAULT, 0, {0}};
    return o;
}
static inline fe_operand fe_operand_complex(const double *parts)
{
    fe_operand o = {FE_OPERAND_COMPLEX, 0, {0}};
    o.parts = parts;
    return o;
}
static inline fe_operand fe_operand_word(const char *word)
{
    fe_operand o = {FE_OPERAND_WORD, 0, {0}};
    o.string = word;
    return o;
}
static inline fe_operand fe_operand_size(int64_t size)
{
    fe_operand o = {FE_OPERAND_SIZE, 0, {0}};
    o.integer = size;
    return o;
}
static inline fe_operand fe_operand_graph(fe_graph *graph)
{
    fe_operand o = {FE_OPERAND_GRAPH, 0, {0}};
    o.graph = graph;
    return o;
}
static inline fe_operand fe_operand_list(const fe_operand *items, uint32_t count)
{
    fe_operand o = {FE_OPERAND_LIST, 0, {0}};
    o.count = count;
    o.items = items;
    return o;
}

/* What is known of a value that is a tensor. */
#define FE_NOT_KNOWN INT64_MIN /* a size or stride that depends on the run */
#define FE_MOST_DIMS 16
typedef struct fe_tensor_facts {
    uint32_t dtype; /* fe_dtype */
    uint32_t rank;
    int64_t sizes[FE_MOST_DIMS], strides[FE_MOST_DIMS];
    /* the bytes of a constant that nothing changes, from the element at all zeros on; else NULL */
    const void *data;
} fe_tensor_facts;

/* What a pass looks at and changes a graph with. Nodes and texts last as long as the pass runs; lists
 * of operands that are handed in are copied. */
typedef struct fe_graph_calls {
    uint32_t version; /* FE_PASSES_VERSION */

    /* -- looking -- */
    fe_node *(*first)(fe_graph *graph);
    fe_node *(*next)(fe_node *node); /* NULL behind the output node */
    fe_node_kind (*kind)(const fe_node *node);
    const char *(*name)(const fe_node *node);   /* unique in its graph */
    const char *(*target)(const fe_node *node); /* a call's operator, the name of a weight; or "" */
    int (*is_call)(const fe_node *node, const char *target);
    uint32_t (*operand_count)(const fe_node *node);
    /* NONE where there is none. */
    fe_operand (*operand)(fe_graph *graph, const fe_node *node, uint32_t index);
    /* By the schema's name of the parameter. */
    fe_operand (*operand_named)(fe_graph *graph, const fe_node *node, const char *parameter);
    uint32_t (*user_count)(const fe_node *node); /* a user counts once for each time it reads */
    fe_node *(*user)(const fe_node *node, uint32_t index);
    /* 1, or 0 where the value is no tensor or has more than FE_MOST_DIMS dims. */
    int (*tensor)(const fe_graph *graph, const fe_node *node, fe_tensor_facts *facts);
    int (*same)(const fe_operand *a, const fe_operand *b); /* the same node or constant */

    /* -- changing -- */
    /* A new call, in front of `before`; operands that are left out at the end have their defaults.
     * Its value is inferred. NULL: there is no such operator, or it cannot be called so; the
     * compilation then fails with a diagnostic that says why. */
    fe_node *(*call)(fe_graph *graph, fe_node *before, const char *target,
                     const fe_operand *operands, uint32_t count);
    /* A constant from a tensor (copied). NULL as above. */
    fe_node *(*constant)(fe_graph *graph, const char *name, const fe_tensor *value);
    /* Nonzero: there is no such operand. */
    int (*set_operand)(fe_graph *graph, fe_node *node, uint32_t index, fe_operand operand);
    /* All that read `node` read `with` instead, outputs included, but for `with` itself. */
    void (*replace_uses)(fe_graph *graph, fe_node *node, fe_node *with);
    /* Nonzero: it has users, is no call, or has effects. */
    int (*erase)(fe_graph *graph, fe_node *node);
    /* Says why the pass gives up; to be followed by `return -1`. */
    void (*fail)(fe_graph *graph, const char *why);
} fe_graph_calls;

/* Returns 1 when it changed the graph, 0 when it did not, -1 when it failed. */
typedef int fe_pass_function(fe_graph *graph, const fe_graph_calls *calls, void *data);

/* What a pass may need to hold of a graph, or break. */
enum { FE_GRAPH_FUNCTIONAL = 2 /* no call writes to its operands */ };

typedef struct fe_pass {
    const char *name; /* as --dump-after and diagnostics have it; no built-in pass's */
    const char *what; /* what it does, in a few words; may be NULL */
    /* It runs behind the pass of this name. NULL: behind decompose, before what cleans up; "": first,
     * on the graph as it was exported. `ferrite help passes` has the names. */
    const char *after;
    uint32_t needs, breaks; /* FE_GRAPH_... */
    fe_pass_function *run;
    void *data; /* handed to it */
} fe_pass;

typedef struct fe_pass_library {
    uint32_t version; /* FE_PASSES_VERSION */
    uint32_t count;
    const fe_pass *passes;
} fe_pass_library;

/* The one function that a library exports. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const fe_pass_library *
ferrite_passes(void);

#define FE_PASS_LIBRARY(passes)                                                              \
    const fe_pass_library *ferrite_passes(void)                                              \
    {                                                                                        \
        static const fe_pass_library library = {FE_PASSES_VERSION,                           \
                                                sizeof(passes) / sizeof(passes)[0], passes}; \
        return &library;                                                                     \
    }

#ifdef __cplusplus
}
#endif

#endif
