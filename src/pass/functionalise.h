/* functionalise.h -- between functionalise.c, inverse.c, in_place.c, several.c, moot.c
 * and custom.c. */
#ifndef FERRITE_PASS_FUNCTIONALISE_H
#define FERRITE_PASS_FUNCTIONALISE_H

#include "pass/pass_priv.h"

/* One tensor value that stands on a storage. */
typedef struct alias {
    fx_node *node; /* as written in the program */
    const fx_arg
        *args;       /* of a view: what it shows as written, the rest as it was when it was made */
    uint32_t parent; /* index of the alias that it is a view of; NO_ALIAS: a base */
    uint32_t base;
    fx_node *current; /* its value at `version` */
    uint32_t version;
    uint32_t stretch; /* base only: in which it was written last */
    bool written;     /* base only: somebody wrote */
    bool is_window;   /* shows its base by its strides, whatever made it */
} alias;
enum { NO_ALIAS = 0 };

/* What a base was before the write of another stretch: where the program is cut, what one part has written
 * is there for the next. */
typedef struct written_version {
    uint32_t base;
    fx_node *value;
} written_version;

/* A copy that is a view where a size is 1 (moot.c): of the base `base`, a base itself. */
typedef struct moot_copy {
    const fx_node *node;
    const ty_tensor *from;
    uint32_t base, made;
} moot_copy;

typedef struct functionaliser {
    fx_graph *g;
    arena *memory;
    VEC(alias) aliases; /* [0] unused */
    VEC(written_version) versions;
    VEC(moot_copy) copies;
    /* runs of calls of one class, counted; 0 where the program is not cut */
    uint32_t stretch, class_;
    map stretch_of;      /* node id -> that it is in */
    map of_node;         /* node id -> alias */
    map base_of_storage; /* storage number -> alias */
    fx_node **returned;  /* by output: the input that it is, as the caller gave it; or NULL */
    fx_node *at;         /* where new calls go */
    fe_status status;
    bool changed;
} functionaliser;

/* The value of node n now; `data` is the functionaliser. */
fx_node *functionalise_current(void *data, fx_node *n);
/* A value of the program, with its arguments as written: a base, or a view of one. */
void functionalise_register(functionaliser *f, fx_node *n);
/* From here on `written`, a node of the program, is `value`, and so is all that looks at its memory. */
void functionalise_write(functionaliser *f, const fx_node *written, fx_node *value);
/* Takes n for a view of another alias; of NO_ALIAS: for a base. */
uint32_t functionalise_add_alias(functionaliser *f, fx_node *n, uint32_t parent);
/* moot.c: n is in the program, and its arguments as written; `base` is written by the call at f->at. */
void functionalise_note_copy(functionaliser *f, const fx_node *n);
void functionalise_keep_apart(functionaliser *f, uint32_t base);
/* resize.c: a call that gives its argument, or a copy of it, another size. */
bool functionalise_is_resize(const fx_node *n);
fe_status functionalise_resize(functionaliser *f, fx_node *n);
/* custom.c: a mutating operator of the user's becomes its functional form. */
fe_status functionalise_custom(functionaliser *f, fx_node *n);
/* custom_view.c: does it return arguments, or views of them? Then: readers of these read the argument,
 * or a part of it, and the call is erased where that is all; *next: the first of what now follows. */
bool functionalise_returns_alias(const fx_node *n);
fe_status functionalise_views(fx_graph *g, fx_node *n, fx_node **next);

/* Is there a way back through this view operator? */
bool functionalise_has_inverse(const fx_node *view);
/* Does it show other values than lie in the memory that it looks at? */
bool functionalise_changes_values(const fx_node *view);
/* `parent` with the part that `view` shows replaced by `value`, as new calls before `before`.
 * Without an inverse, or by its strides alone: `parent` is the base of the view. */
fe_status functionalise_inverse(fx_graph *g, fx_node *before, const fx_node *view, fx_node *parent,
                                fx_node *value, bool by_strides_alone, fx_node **out);
/* in_place.c: an in-place call without a functional sibling as writes through views, in its place.
 * *first: where they begin; NULL: it has one. */
fe_status functionalise_expand(fx_graph *g, fx_node *n, fx_node **first);

/* several.c: does the call write several arguments, or one besides its results? Then: values[i] is
 * the new value of argument i, NULL where it stays; calls are made before n, and when *is_replaced
 * nobody uses n any more. */
bool functionalise_is_several(fx_graph *g, const fx_node *n);
/* Readers of what is an argument that the call wrote read the argument. */
void functionalise_returned(fx_graph *g, fx_node *n);
fe_status functionalise_several(fx_graph *g, fx_node *n, fx_node **values, bool *is_replaced);

#endif
