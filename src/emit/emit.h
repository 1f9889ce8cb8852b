/* emit.h -- wrapper IR to text of a language. Pure printers: nothing is decided here.
 *
 * A target is a struct of functions, one slot for each row of wrap.def; a test walks the table and
 * fails on an empty slot. Kernel sources arrive as text (kern/ made them); this folder does not
 * know kern/.
 */
#ifndef FERRITE_EMIT_H
#define FERRITE_EMIT_H

#include "wrap/wrap.h"

/* A kernel as the printers see it: a name to call and, for C, its source. */
typedef struct emit_kernel {
    const char *name;
    const char *source;
    uint32_t number; /* by which the functions of emit_input know it */
    uint32_t buffer_count, int_count;
    uint32_t group_size; /* kern_kernel.group_size */
    /* In a library of several programs: another one has the same; another one has something else of its name,
     * so that this is called so; NULL: as it is */
    bool is_shared;
    const char *renamed;
} emit_kernel;

/* fe_device_image */
typedef struct emit_image {
    const char *architecture;
    const unsigned char *data;
    size_t bytes;
} emit_image;

/* Kernels of a kind of device, in its own language. */
typedef struct emit_module {
    const char *kind, *dialect; /* "opencl" */
    const char *source;         /* all of them and what stands in front */
    const emit_kernel *kernels;
    uint32_t kernel_count;
    bool needs_f64;
    const emit_image *images;
    uint32_t image_count;
} emit_module;

typedef struct emit_input {
    const wrap_program *wrapper;
    const emit_kernel *kernels; /* of the host */
    uint32_t kernel_count;
    const emit_module *modules; /* of other devices */
    uint32_t module_count;
    /* Writes what must stand in front of these kernels (numbers) in one file. */
    void (*prelude)(void *data, const uint32_t *kernels, uint32_t count, text *out);
    /* Writes the kernel (a number) as kernel IR, for backends that make their own of it. */
    void (*kernel_ir)(void *data, uint32_t kernel, text *out);
    void *data;
    const char *vectors;  /* instruction set the kernels were made for: "x86-64-v4" */
    const char *producer; /* "ferrite 0.1" */
    const char *entry;    /* the artifact's one visible function: "ferrite_artifact" */
    const char *source;   /* the program's file name, for the head comment; may be NULL */
    const char *module;   /* what files of a module are called; NULL: as the program */
    const char *stem;     /* of the names of C files, one of several programs: NULL: there is one */
    uint64_t weights_key;
    const char *weights_name; /* of the file beside the program; NULL: as the program */
    uint32_t parts;           /* kernel files to make, at least 1 */
    bool profile;             /* the time of each step is kept */
} emit_input;

typedef struct emit_file {
    const char *name; /* "model.c" */
    const char *text;
    size_t length;
    bool is_kernels; /* of the host, in its instruction set */
} emit_file;

typedef struct emit_state emit_state;
typedef void (*emit_line)(emit_state *state, const wrap_line *line);

/* One language. */
typedef struct emit_target {
    const char *name;
    const char *const *reserved; /* words that no buffer may be called; NULL at the end */
    void (*begin)(emit_state *state);
    emit_line line[WRAP_KIND_COUNT];
    void (*end)(emit_state *state);
} emit_target;

/* What a printer works on: the input, the text under way, the files done. */
struct emit_state {
    const emit_input *input;
    const wrap_program *w;
    arena *memory;
    text out;
    VEC(emit_file) files;
    const char **names;     /* a C identifier for each buffer */
    map symbols;            /* symbol -> its number, that of its definition */
    uint32_t input_symbols; /* how many lines at the top read symbols from the inputs */
    uint32_t step;          /* the one that the line belongs to; at the end, how many there are */
    uint32_t head_lines; /* so many are printed by `begin`: symbols of inputs, what holds of them */
    text behind;         /* what stands behind `out` in the same file; parts change the two */
    uint32_t parts_begun;
    bool in_part;
    uint32_t *declared_in; /* by buffer: the function that declared it last, of so many */
    uint32_t scopes;
    uint32_t depth; /* of regions, in languages that indent */
    bool is_open;   /* nothing stands in the innermost region yet */
    void *own;      /* the target's */
    void *regions;  /* under way, where the target keeps a list of them */
};

extern const emit_target emit_target_c, emit_target_python, emit_target_fx;

/* What a module is called. */
static inline const char *emit_module_name(const emit_input *input)
{
    return input->module ? input->module : input->wrapper->name;
}

/* emit.c: walks the lines; files come back in `state.files`' order. */
fe_status emit_program(const emit_target *target, const emit_input *input, arena *memory,
                       emit_file **files, uint32_t *file_count);
/* c_head.c: `#define`s for kernels whose names another program of the library has for something else. */
void emit_c_rename_kernels(const emit_input *input, text *out);
/* library.c: kernels and what they need, for targets that call them; "library.c" and kernel files. */
void emit_library(const emit_input *input, arena *memory, emit_file **files, uint32_t *file_count);
/* header.c: NAME.h with names, dtypes and shapes of inputs and outputs of all programs of a library. */
fe_status emit_header(const emit_input *inputs, uint32_t count, const char *name, arena *memory,
                      emit_file *out);
/* names.c: identifiers that are legal in C and not reserved, unique, and near the program's own
 * names. */
const char **emit_names(const wrap_program *w, const char *const *reserved, arena *memory);
extern const char *const emit_c_words[], *const emit_python_words[];
const char *emit_identifier(arena *memory, const char *name);

#endif
