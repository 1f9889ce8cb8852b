/* vmap.h -- what the files of the pass vmap share: see vmap.c. */
#ifndef FERRITE_PASS_VMAP_H
#define FERRITE_PASS_VMAP_H

#include "pass/pass_priv.h"

enum { VMAP_MOST_LEVELS = 32 };

typedef struct vmapping {
    fx_graph *g;
    arena *memory;
    int64_t level;    /* the outermost; VMAP_MOST_LEVELS: there is none */
    uint32_t *levels; /* by node id: bit k: the value is one item's of level k */
    uint32_t known;   /* ids below this one */
    bool *is_wanted;  /* by node id: to go into the map at hand */
    bool *is_done;    /* by node id: it went into an earlier one */
} vmapping;

/* vmap_levels.c */
/* Does n begin or end the vmap of a level? */
bool vmap_is_border(const fx_node *n);
/* Levels anew, of the graph as it is; what is the same for all items is made free of them first. */
fe_status vmap_find_levels(vmapping *u);

#endif
