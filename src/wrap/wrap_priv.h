/* wrap_priv.h -- what the files of wrap/ share: the segments of an arena whose sizes the run decides. */
#ifndef FERRITE_WRAP_PRIV_H
#define FERRITE_WRAP_PRIV_H

#include "wrap/wrap.h"

/* define.c */
wrap_line *wrap_add_line(wrap_program *w, wrap_kind kind);
/* Lines for the symbols that the inputs tell. FE_UNSUPPORTED where they do not tell one. */
fe_status wrap_define_inputs(wrap_program *w);

typedef struct wrap_segments {
    uint32_t *first_birth; /* by segment: the group before which it must be placed */
} wrap_segments;

/* numbers.c: lines that look for NaN, where facts ask for them. */
void wrap_check_inputs(wrap_program *w, const wrap_facts *facts);
void wrap_check_results(wrap_program *w, const wrap_facts *facts, const sched_group *group,
                        uint32_t line);
void wrap_check_outputs(wrap_program *w, const wrap_facts *facts);
void wrap_clear_new(wrap_program *w, const wrap_facts *facts, loop_buffer_id id);
void wrap_clear_lent(wrap_program *w, const wrap_facts *facts, uint32_t group);

/* storage.c: what follows from lives, outputs and weights; in a program that is built, constants have theirs
 * later. */
void wrap_set_storage_kinds(wrap_program *w);
void wrap_list_fixed(wrap_program *w);
/* segment.c: fills storage[].segment and w->segment_count from where the schedule defines symbols. */
fe_status wrap_find_segments(wrap_program *w, const sched_schedule *s, wrap_segments *out,
                             arena *memory);

/* check_device.c: what breaks W9 or W10, likewise */
const char *wrap_check_devices(const wrap_program *w, uint32_t *line, const char **law,
                               const char **name);

/* queues.c: lines that let queues of a device wait for each other; what breaks W16, likewise. Layouts are
 * made by then. */
void wrap_order_queues(wrap_program *w);
const char *wrap_check_queues(const wrap_program *w, arena *memory, uint32_t *line,
                              const char **name);
/* device.c: of two words, at the end of a line */
void wrap_print_queue(wrap_queue queue, text *out);
fe_status wrap_parse_queue(lexer *lx, wrap_queue *out);

/* lent.c: what breaks W11, likewise */
const char *wrap_check_lent(const wrap_program *w, arena *memory, uint32_t *line, const char **law,
                            const char **name);

/* device.c: are two segments in the memory of one device? */
bool wrap_share_memory(const wrap_program *w, uint32_t segment, uint32_t other);
/* device.c: moves what is not in the host's common memory into segments of its own. */
/* device.c: fills in w->devices. */
void wrap_find_devices(wrap_program *w);
void wrap_split_segments(wrap_program *w, uint32_t groups, wrap_segments *segments, arena *memory);
/* Lines around a call: where it runs, and what the host waits for first. */
typedef struct wrap_devices {
    ty_device now;
    VEC(loop_buffer_id) pending; /* of copies under way */
} wrap_devices;
void wrap_begin_devices(wrap_devices *d); /* of a part, a region, or what follows one */
void wrap_wait_for(wrap_program *w, wrap_devices *d, loop_buffer_id id);
void wrap_wait_for_all(wrap_program *w, wrap_devices *d);
void wrap_go_to(wrap_program *w, wrap_devices *d, ty_device device);
void wrap_copy(wrap_program *w, wrap_devices *d, const loop_op *op);
void wrap_set_memory(wrap_program *w, uint32_t segment, wrap_memory at);
void wrap_print_memory(wrap_memory at, text *out);
fe_status wrap_parse_memory(lexer *lx, wrap_memory *out);

/* partition.c: a signature, behind the line's name */
void wrap_print_part(const wrap_program *w, const sched_part *part, text *out);
fe_status wrap_parse_part(loop_reader *in, lexer *lx, sched_part *out);
/* What breaks W8, in which line (from 1), and the name of what; NULL: nothing. */
const char *wrap_check_parts(const wrap_program *w, uint32_t *line, const char **name);

/* Many sizes of so much add up to what planning can count. */
#define WRAP_MOST_BYTES ((int64_t)1 << 40)
/* example.c: segments by the lines that place them. */
uint32_t *wrap_placing_order(const wrap_program *w, arena *memory);
/* layout.c: the intervals of one segment, also of a fixed one. Its lives are left empty. */
void wrap_collect_layout(wrap_program *w, uint32_t segment, wrap_layout *out);
/* bound.c: gives every buffer in the arena the place of its largest size. FE_USAGE when it has none;
 * facts, which may be NULL, tell what that comes from. */
fe_status wrap_place_largest(wrap_program *w, const wrap_facts *facts);
/* Fills in w->output_bytes; likewise. */
fe_status wrap_bound_outputs(wrap_program *w, const wrap_facts *facts);
/* Sets w->scratch_bytes and makes lines for what else operators work in; likewise. */
fe_status wrap_set_scratch(wrap_program *w, const wrap_facts *facts);
/* Adds an assertion behind each symbol that the run defines: that it is in its range. */
void wrap_assert_ranges(wrap_program *w);

/* scratch_size.c: what is enough for a thread at all operators that know ahead what they want, and the line
 * of the one that wants most; NULL: none wants any. */
int64_t wrap_scratch_bytes(const wrap_program *w, const wrap_line **largest);
/* Adds the lines that make it larger for the others; what is wrong with them, or NULL, and in which line. */
void wrap_make_scratch_lines(wrap_program *w);
const char *wrap_check_scratch_sizes(const wrap_program *w, uint32_t *line);

/* need.c: law W12: what is broken, or NULL; in which line, and for whom. */
/* written.c: law W15, likewise. */
const char *wrap_check_written(const wrap_program *w, arena *memory, uint32_t *line,
                               const char **name);
const char *wrap_check_needs(const wrap_program *w, uint32_t *line, const char **name);

/* scratch.c: gives each line of an operator the largest memory for scratch that there is, where one thread's
 * fits. */
void wrap_find_scratch(wrap_program *w, const sched_life *lives, uint32_t groups);
/* From where to where a buffer lies in its memory; where a symbol decides, all that its root may have. */
typedef struct wrap_piece {
    int64_t at, end;
} wrap_piece;
wrap_piece wrap_piece_of(const wrap_program *w, loop_buffer_id id);
/* Law W13, but for what else lives there: what is broken, or NULL. */
const char *wrap_check_scratch(const wrap_program *w, const wrap_line *line);

#endif
