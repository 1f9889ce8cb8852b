/* lower.h -- from the FX graph to the loop program; the only folder that knows both.
 *
 *     %gelu = aten.gelu.default(%x)                 nest [i0 < 8, i1 < 64] {
 *     %sum = aten.sum.dim_IntList(%gelu, [1])         %0 = load f32 @x[64*i0 + i1]
 *                                             ->      ...
 *                                                     @buf0[64*i0 + i1] = %9
 *                                                   }
 *                                                   nest [i0 < 8] reduce [r0 < 64] { ... @buf1[i0] = sum %0 }
 *
 * A tensor is lowered to a box seen through an index map. A box is either unrealised (a value over
 * its axes i0, i1, ..., which consumers inline) or realised (a strided view on a buffer). A view
 * operator composes maps and moves nothing. A box is realised when a graph output, an extern
 * kernel or a reduction asks for memory, or when inlining it into several consumers would cost
 * more than storing it (tensor.c: lower_settle). Every operator that can be lowered has a row in
 * the table of its family (pointwise.c, view.c, reduce.c, ...); what has none is reported, all of
 * it at once.
 */
#ifndef FERRITE_LOWER_H
#define FERRITE_LOWER_H

#include "fx/fx.h"
#include "loop/loop.h"

/* Where the program is cut into parts: each begins with an op of control LOOP_PARTITION. */
typedef struct lower_split {
    const char *(*name_of)(void *data, uint32_t class_); /* for messages and signatures */
    void *data;
    bool gathers; /* nodes are reordered so that the parts are few */
} lower_split;

/* Does each node leave its result in memory, or those alone whose memory is of use? */
typedef enum lower_results { LOWER_RESULTS_OF_USE, LOWER_RESULTS_ALL } lower_results;

typedef struct lower_choices {
    lower_results results;
    bool direct_convolution; /* never by Winograd's algorithm */
    bool for_host;           /* whatever device a tensor is on, its kernels are the host's */
    /* Do kernels of the device compute with values of the dtype? NULL: all do, with all. What they do not is
     * copied to the device and away from it, as bytes. */
    bool (*holds)(ty_device device, ty_dtype dtype);
} lower_choices;

/* The graph is functional: mutation only as the output's mutation entries. `memory` holds the
 * program. Diagnoses every operator that has no lowering before it gives up with FE_UNSUPPORTED.
 * split NULL: the program is not cut. */
fe_status lower_graph(fx_graph *g, arena *memory, const lower_split *split,
                      const lower_choices *choices, loop_program **out);
/* part.c: are the parts fewer when they gather? */
bool lower_gathers(fx_graph *g);

#endif
