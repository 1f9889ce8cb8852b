/* sched_priv.h -- what the files of sched/ share: nests as lists of loops, and groups under
 * construction. */
#ifndef FERRITE_SCHED_PRIV_H
#define FERRITE_SCHED_PRIV_H

#include "sched/sched.h"

/* A nest as a list of loops, outermost first: parallel axes, then reduction axes. Its stores'
 * indices and values are in terms of the axis symbols i0.. and r0.. in that order, so loop k is
 * i<k> for k < parallel, else r<k - parallel>. */
typedef struct loop_form {
    uint32_t op;
    uint32_t parallel, count; /* count = parallel + reduction loops */
    sym_expr extents[LOOP_MAX_AXES];
    loop_store *stores;
    uint32_t store_count;
    uint32_t origin;
} loop_form;

/* One array access of a form. */
typedef struct access {
    loop_buffer_id buffer;
    sym_expr index;
    bool is_store;
} access;
typedef VEC(access) access_list;

/* ---- form.c ---- */
sym_expr form_symbol(loop_program *p, const loop_form *f, uint32_t loop);
/* The nest in normal form: extents of 1 dropped, loops in order of falling stride, adjacent ones
 * merged where every access is linear in them. */
loop_form form_of(loop_program *p, uint32_t op, arena *memory);
/* Loop order[k] becomes loop k; parallel loops stay in front. */
void form_reorder(loop_program *p, loop_form *f, const uint32_t *order, arena *memory);
/* The same nest with its loops cut to `extents` (each loop is the product of the consecutive ones
 * it covers). False when that does not come out. `parallel_of` returns how many of the new loops
 * are parallel. */
bool form_split(loop_program *p, const loop_form *f, const sym_expr *extents, uint32_t count,
                arena *memory, loop_form *out);
/* The coarsest list of loops that both lists can be cut to, from the outside in; what is left of
 * the longer one is appended. Returns the number of loops in out, or -1 when the lists do not
 * agree. *pieces_a: how many leading loops of out cover a. */
int form_common(loop_program *p, const sym_expr *a, uint32_t count_a, const sym_expr *b,
                uint32_t count_b, sym_expr *out, uint32_t *pieces_a, uint32_t *pieces_b);
/* Leading loops that two nests have in common, at most `most` of them, and what is left of each. */
typedef struct form_prefix {
    sym_expr loops[LOOP_MAX_AXES], rest_a[LOOP_MAX_AXES], rest_b[LOOP_MAX_AXES];
    uint32_t count, rest_a_count, rest_b_count;
} form_prefix;
void form_common_prefix(loop_program *p, const loop_form *a, const loop_form *b, uint32_t most,
                        form_prefix *out);
/* Every load and store (indices), loads behind indirect symbols included. */
void form_accesses(loop_program *p, const loop_form *f, arena *memory, access_list *out);
/* The same, and the expressions that are read as values, for questions of linearity. */
void form_indices(loop_program *p, const loop_form *f, arena *memory, access_list *out);
/* q with a == q * b, or none. */
sym_expr form_quotient(loop_program *p, sym_expr a, sym_expr b);
sym_env form_env(loop_program *p, const loop_form *f, sym_bound *room);

/* ---- reinplace.c: states are changed where they lie, not in a copy ---- */
bool reinplace(loop_program *p);
/* ---- invariant.c: what few loops of a nest change is made in front of it, where that pays ---- */
bool move_invariants(loop_program *p);
/* ---- slices.c: operands of concatenations are made in the result ---- */
bool slice_joins(loop_program *p, const bool *refused);
/* ---- lend.c: moves what it can from the arena's peak into memory of outputs and donated inputs ---- */
struct fuser;
void use_lent(struct fuser *f);
/* ---- return.c: finds the donated inputs that outputs begin in; returns the bytes of these outputs ---- */
int64_t return_in_donated(struct fuser *f);
/* Of outputs that lie in donated inputs where the caller gives them no memory; sizes at their hints. */
int64_t returned_bytes(const sched_schedule *s);
/* May what is born in group `birth` (first: it alone) begin where the input lies? */
bool may_return_in(const sched_schedule *s, loop_buffer_id first, uint32_t birth,
                   loop_buffer_id input);
/* ---- lent.c: so many elements of the buffer's dtype, in bytes; what breaks S9, and whose name (NULL:
 * nothing) ---- */
sym_expr lent_bytes(const loop_program *p, loop_buffer_id b, sym_expr elements);
/* Is it compiled in parts? Then no memory is lent. */
bool sched_is_cut(const loop_program *p);
/* Does only the run know its size? Then it has no place before. */
bool lent_is_late(const sched_schedule *s, loop_buffer_id b);
const char *check_lent(const sched_schedule *s, const loop_buffer_id *heir, arena *memory,
                       loop_buffer_id *culprit);
/* ---- snapshot.c ---- */
typedef struct program_snapshot {
    const loop_op *ops;
    const loop_buffer *buffers;
    uint32_t op_count, buffer_count;
} program_snapshot;
program_snapshot snapshot_take(const loop_program *p, arena *memory);
void snapshot_put_back(loop_program *p, const program_snapshot *shot);
/* ---- peak.c: bytes of the arena in use while each group runs, and after the last ---- */
int64_t *live_bytes(const sched_schedule *s, arena *memory);
/* What the planner makes of it; of very many intervals, the most bytes in use. */
fe_status arena_bytes_of(const sched_schedule *s, int64_t *bytes);
/* ---- recompute.c: values are made again where that brings the plan within the target's budget ---- */
fe_status recompute_to_fit(loop_program *p, const sched_options *options, arena *memory,
                           sched_schedule **s);
/* ---- choose.c: a schedule with the joins in place that save memory ---- */
fe_status choose_joins(loop_program *p, const sched_options *options, arena *memory,
                       sched_schedule **out);
/* ---- sched.c: a schedule of the program as it is ---- */
fe_status sched_make(loop_program *p, const sched_options *options, arena *memory,
                     sched_schedule **out);

/* ---- deps.c: which earlier ops an op must follow ---- */
typedef struct op_deps {
    uint32_t *first; /* deps of op k: at[first[k]] .. at[first[k+1]] */
    VEC(uint32_t) at;
} op_deps;
void deps_build(loop_program *p, arena *memory, op_deps *out);

/* ---- arrival.c: see there ---- */
uint32_t *find_arrivals(const loop_program *p, const op_deps *deps, arena *memory);

/* ---- room.c: is the size of a buffer's memory known when `before` begins? ---- */
/* definitions: the symbols that values decide -> the op, or the group, that defines them; `before`
 * counts in the same. */
bool room_is_known(const loop_program *p, const map *definitions, loop_buffer_id id,
                   uint32_t before);
/* The same for a part that begins at `at` in `whole`. */
bool room_is_known_at(const loop_program *p, const map *definitions, loop_buffer_id whole,
                      sym_expr at, uint32_t before);

/* ---- fuse.c ---- */
typedef struct work_phase {
    VEC(loop_form) forms; /* all have the same loops */
} work_phase;
typedef struct work_group {
    sched_group_kind kind;
    VEC(uint32_t) ops; /* members, in program order */
    uint32_t outer;    /* leading loops shared by all phases; only once has_reduction or epilogue */
    bool has_reduction;
    VEC(work_phase) phases;
} work_group;
typedef VEC(work_group) group_list;

typedef struct fuser {
    loop_program *p;
    const sched_options *options;
    const target_machine *target; /* options->target */
    sched_schedule *s;
    arena *memory;
    op_deps deps;
    uint32_t *group_of;  /* by op */
    uint32_t *region_of; /* by op: how many control ops stand before it */
    uint32_t *arrivals;  /* by op: how often what it reads has come from elsewhere; or NULL */
    group_list groups;
    bool *is_output; /* by buffer */
    bool *has_parts; /* by buffer */
    bool adds_apart; /* products have memory of their own, whatever they are added to */
} fuser;
void fuse_all(fuser *f);
/* groups.c: group indices in an order that respects dependences. */
void order_groups(fuser *f, uint32_t *order);
/* order.c: the schedule's groups in the order that needs least memory, lives built, memory lent. */
fe_status order_for_peak(fuser *f);
struct order_problem *order_problem_of(fuser *f, arena *memory);

/* ---- finish.c: a work group as the schedule's ---- */
sched_group finish_group(fuser *f, work_group *g);
/* ---- period.c: where indices take a loop of a phase that reduces nothing apart, it is cut ---- */
void cut_at_periods(loop_program *p, work_group *g, arena *memory);
/* direction.c */
sched_vector choose_direction(fuser *f, const work_group *g, uint32_t outer);
/* ---- live.c: locals of each kernel group, then lifetimes ---- */
#define NEVER UINT32_MAX
typedef struct usage {
    uint32_t *first_use, *last_use; /* group positions, by buffer */
    uint32_t *only_group;           /* the one group that uses it, NEVER when several */
} usage;
void live_build(fuser *f);
/* hold.c: behind copies from devices, see there */
fe_status hold_sources(fuser *f);
/* locals.c */
void find_locals(fuser *f, const usage *u);
/* share.c: the takeovers of each group */
void share_memory(fuser *f, const usage *u);

#endif
