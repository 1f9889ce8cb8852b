/* pass.h -- FX passes: each rewrites the graph and keeps its metadata and aliasing true.
 *
 * The order, and what each needs and breaks, is the table passes.def; the runner refuses an order
 * that breaks a need, and after each pass has the metadata of what the pass changed inferred again, as
 * far as the change reaches. When checking is on (tests, `--verify`, `make SAN=1`) it then verifies the
 * graph's laws, that all metadata is what inference finds from scratch, that the results have the
 * dtypes, sizes and strides that they had, and that no inputs and outputs, or two outputs, share
 * storage that did not before.
 */
#ifndef FERRITE_PASS_H
#define FERRITE_PASS_H

#include "ferrite_passes.h"
#include "fx/fx.h"

enum pass_property {
    PASS_META = 1 << 0,       /* every node has true metadata */
    PASS_FUNCTIONAL = 1 << 1, /* no mutation but the copy_ epilogue */
    PASS_DECOMPOSED = 1 << 2, /* only operators that lowering knows */
    PASS_ORDERED = 1 << 3     /* node->order is valid */
};

typedef void pass_task(void *context, int64_t begin, int64_t end, int worker);

enum { PASS_DYNAMIC_BITS = -8 /* 8, and the activations' are made when the program runs */ };

/* What passes ask of stages that come after them, and of the options. Any may be NULL: then passes do
 * without. */
typedef struct pass_services {
    /* The values of a graph without inputs, one tensor for each output, `bytes[k]` of memory laid out
     * as its metadata says. False: it cannot be known. */
    bool (*evaluate)(void *data, fx_graph *calls, void *const *bytes);
    /* The same where there is much to do, in a moment that does not depend on how much. */
    bool (*compute)(void *data, fx_graph *calls, void *const *bytes);
    void *data;
    uint32_t lanes; /* floats of a vector that PyTorch packs weights for on this machine; 0: none */
    /* The bits that a weight, which this product or embedding reads, is to have: 8, PASS_DYNAMIC_BITS, 4,
     * or 0: it stays float. */
    int (*weight_bits)(void *data, const fx_node *weight, const fx_node *reader);
    /* With weight_bits: one that has become integers; its name is the graph's. */
    void (*keep_weight)(void *data, const fe_quantised *weight);
    /* Calls task() for parts of [0, count), side by side by up to so many workers, each with its number. */
    void (*parallel)(void *data, int64_t count, pass_task *task, void *context);
    uint32_t workers;
} pass_services;

typedef struct pass_info {
    const char *name;
    const char *what;
    uint32_t needs, makes, breaks;
    fe_status (*run)(fx_graph *g, bool *changed);
    bool is_foreign; /* the user's: what it leaves is always checked, and refused as its mistake */
    /* instead of run(): a pass that needs services, or data of its own */
    fe_status (*run_with)(fx_graph *g, const pass_services *services, void *data, bool *changed);
    void *data;
} pass_info;

extern const pass_info pass_table[];
extern const uint32_t pass_count;

/* inline.c: is it a call whose subgraph takes its place? */
bool pass_runs_once(const fx_node *n);

typedef struct pass_options {
    bool check;             /* verify after each pass */
    const char *dump_after; /* name of a pass, "all", or NULL */
    void (*dump)(void *data, const char *pass, fx_graph *g);
    void *data;
    pass_services services;
} pass_options;

/* Runs the table in order. The graph must have metadata. */
fe_status pass_run_all(fx_graph *g, const pass_options *options);
/* The same for any table: FE_INTERNAL with a diagnostic when what a pass needs does not hold. */
fe_status pass_run_table(fx_graph *g, const pass_info *passes, uint32_t count,
                         const pass_options *options);
/* Puts a pass of the user's (kept, not copied) in its place in a table that has room for it. */
fe_status pass_insert(fx_graph *g, const fe_pass *user, pass_info *table, uint32_t *count);
/* One pass by name, for tests. FE_USAGE when there is none such. */
fe_status pass_run_one(fx_graph *g, const char *name, const pass_options *options);

#endif
