/* base.h -- C without tensors: the only folder that allocates, interns, formats and touches files.
 *
 * A session owns everything that one compile makes. Memory comes from arenas named by lifetime and
 * is freed whole; nothing is freed piecemeal, so no function has clean-up paths. Two failures, two
 * roads:
 *   - the user's input is wrong or unsupported: diag_fail() records a diagnostic and returns a status,
 *     which FE_TRY passes upward;
 *   - we are wrong, or memory is out: BUG()/CHECK() and the arenas unwind to the API border
 *     (session_guard) and the call returns FE_INTERNAL or FE_NO_MEMORY. Nothing ever exits the process.
 */
#ifndef FERRITE_BASE_H
#define FERRITE_BASE_H

#include "ferrite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FE_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Leaves the enclosing function with the status of `call` unless it is FE_OK. */
#define FE_TRY(call)                                        \
    do {                                                    \
        fe_status fe_try_status_ = (call);                  \
        if (fe_try_status_ != FE_OK) return fe_try_status_; \
    } while (0)

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- session (session.c) ------------------------------------------------------------------- */

typedef struct arena arena;
typedef struct diag diag;

/* One diagnostic. Texts live in the session's arena. */
struct diag {
    fe_status status;
    const char *stage;   /* "pt2", "lower", ... */
    const char *place;   /* archive record, text line or node; may be NULL */
    const char *op;      /* operator name; may be NULL */
    const char *source;  /* "file.py:12 in forward", as recorded in the program; may be NULL */
    const char *message; /* what is wrong */
    const char *help;    /* what to do; may be NULL */
    diag *next;
};

/* All state of one compile. Owned by the caller; two threads may each have their own. */
struct fe_session {
    arena *memory; /* lives as long as the session */
    arena *arenas; /* all that are not freed yet: the session frees what is left */
    diag *first_diag, *last_diag;
    uint32_t diag_count;
    struct interner *names;
    jmp_buf *escape; /* where BUG and out-of-memory unwind to; NULL outside session_guard */
    fe_status escape_status;
    size_t bytes_in_arenas; /* held by all arenas now */
    size_t peak_bytes;
    size_t memory_limit; /* arenas fail as out of memory above this; 0: no limit of ours */
    diag no_memory;      /* the diagnostic for that, made ahead */
    void *host;          /* of the public interface, above all stages: options, observer */
};

/* Makes a session. Returns NULL only when memory is out. */
fe_session *session_new(void);
void session_free(fe_session *session);

/* Calls body(session, data) so that BUG and out-of-memory inside it come back as a status. */
fe_status session_guard(fe_session *session, fe_status (*body)(fe_session *, void *), void *data);

/* Records a diagnostic and returns `d.status`; texts are copied. message is a printf format. */
fe_status diag_fail(fe_session *session, diag d, const char *message, ...) FE_PRINTF(3, 4);

/* Forgets all diagnostics. */
void diag_clear(fe_session *session);

/* What is tried and may fail: forgets the diagnostics since diag_mark() was called. */
typedef struct diag_mark_t {
    diag *last;
    uint32_t count;
} diag_mark_t;
diag_mark_t diag_mark(const fe_session *session);
void diag_forget_since(fe_session *session, diag_mark_t mark);

/* All diagnostics as text, one block each ("error: pt2: ...\n  at ...\n  help: ..."), from `out`'s
 * arena. */
struct text;
void diag_print(const fe_session *session, struct text *out);

/* Unwinds as FE_INTERNAL with "file:line: message"; never returns. */
_Noreturn void bug(fe_session *session, const char *file, int line, const char *format, ...)
    FE_PRINTF(4, 5);
#define BUG(session, ...) bug((session), __FILE__, __LINE__, __VA_ARGS__)
#define CHECK(session, condition)                                                             \
    do {                                                                                      \
        if (!(condition)) bug((session), __FILE__, __LINE__, "check failed: %s", #condition); \
    } while (0)

/* Below BUG and the arenas: back to session_guard with this status; for lack of memory, after a
 * diagnostic. */
_Noreturn void session_unwind(fe_session *session, fe_status status);
_Noreturn void session_no_memory(fe_session *session);

/* ---- memory by lifetime (arena.c) ---------------------------------------------------------- */

/* A bump allocator. Allocations are zeroed and 16-byte aligned; memory is returned whole. When the
 * system has no memory the session unwinds, so no caller checks for NULL. */
arena *arena_new(fe_session *session);
void arena_free(arena *a); /* NULL is fine */
fe_session *arena_session(const arena *a);
void *arena_alloc(arena *a, size_t bytes);
void *arena_copy(arena *a, const void *data, size_t bytes);
char *arena_strdup(arena *a, const char *text);
char *arena_printf(arena *a, const char *format, ...) FE_PRINTF(2, 3);
#define NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define NEW_ARRAY(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

/* Everything allocated after arena_mark() is dropped (and poisoned in debug builds) by
 * arena_release(). */
typedef struct arena_mark_t {
    void *block;
    size_t used;
} arena_mark_t;
arena_mark_t arena_mark(arena *a);
void arena_release(arena *a, arena_mark_t mark);

/* ---- growable arrays (vec.c) --------------------------------------------------------------- */

/* VEC(int) v = {0}; vec_push(arena, &v, 3); v.at[0]; v.count. Grows by doubling inside the arena.
 * Pointers into `at` do not survive a push. Zero-initialised is empty. */
#define VEC(type)          \
    struct {               \
        type *at;          \
        uint32_t count;    \
        uint32_t capacity; \
    }
void vec_grow(arena *a, void **at, uint32_t *capacity, uint32_t needed, size_t element_size);
#define vec_reserve(a, v, n) \
    ((v)->capacity >= (n)    \
         ? (void)0           \
         : vec_grow((a), (void **)&(v)->at, &(v)->capacity, (n), sizeof(*(v)->at)))
#define vec_push(a, v, ...) \
    (vec_reserve((a), (v), (v)->count + 1), (void)((v)->at[(v)->count++] = (__VA_ARGS__)))
#define vec_last(v) ((v)->at[(v)->count - 1])

/* ---- names and maps (intern.c, map.c) ------------------------------------------------------ */

/* The one copy of a string in this session: equal texts give equal pointers. */
const char *intern(fe_session *session, const char *text);
const char *intern_n(fe_session *session, const char *text, size_t length);

/* Hash map from a 64-bit key to a 32-bit value. Zero-initialised is empty. Iteration, if needed, is
 * over the caller's own insertion-ordered array; the map itself has no order. */
typedef struct map {
    uint64_t *keys;
    uint32_t *values;
    uint8_t *used;
    uint32_t count, capacity;
} map;
#define MAP_NONE UINT32_MAX
uint32_t map_get(const map *m, uint64_t key); /* MAP_NONE when absent */
void map_set(arena *a, map *m, uint64_t key, uint32_t value);
bool map_remove(map *m, uint64_t key);
map map_copy(arena *a, const map *m);
/* Key of an interned string. */
#define MAP_KEY(pointer) ((uint64_t)(uintptr_t)(pointer))
uint64_t hash_bytes(const void *data, size_t bytes, uint64_t seed);
#define HASH_MIX(h, x) \
    (((h) ^ (uint64_t)(x)) * 0x9E3779B97F4A7C15ull ^ (((h) ^ (uint64_t)(x)) >> 29))

/* The name that a mistyped word most likely stands for, or NULL (nearest.c). */
const char *nearest_name(const char *word, const char *const *names, size_t count);

/* ---- text out (text.c) --------------------------------------------------------------------- */

/* A growing, always NUL-terminated text in an arena. text_init first. */
typedef struct text {
    arena *memory;
    char *at;
    size_t length, capacity;
    int indent; /* levels of two spaces put in front of each line by text_line */
} text;
void text_init(text *t, arena *memory);
void text_add(text *t, const char *string);
void text_add_n(text *t, const char *string, size_t length);
void text_char(text *t, char c);
void text_printf(text *t, const char *format, ...) FE_PRINTF(2, 3);
void text_line(text *t, const char *format, ...) FE_PRINTF(2, 3); /* indent + text + newline */
/* A JSON string; bytes that are no UTF-8 become U+FFFD. */
void text_json(text *t, const char *string);
/* As it stands, in one line of UTF-8: control characters become blanks, bytes that are none '?'. */
void text_plain(text *t, const char *string);
void text_quoted(text *t, const char *string); /* "..." with \" \\ \n \t \xNN escapes */
/* How often the word stands in C, not as a part of another one. */
uint32_t text_count_word(const char *source, const char *word);
/* The shortest decimal that reads back as exactly this double ("1.0", "0.1", "inf", "-inf", "nan").
 */
void text_double(text *t, double value);

/* ---- text in (lex.c) ----------------------------------------------------------------------- */

typedef enum lex_kind {
    LEX_END,
    LEX_NAME,   /* [A-Za-z_][A-Za-z0-9_.]* */
    LEX_VALUE,  /* %name */
    LEX_BUFFER, /* @name */
    LEX_INT,    /* -12 (a minus directly before a digit belongs to the number) */
    LEX_FLOAT,  /* 1.5e-3, inf, nan (as names they lex as LEX_FLOAT), -inf */
    LEX_STRING, /* "..." */
    LEX_PUNCT   /* one character, or one of -> == <= >= != // && || << >> */
} lex_kind;

/* The token that `lexer` stands on. */
typedef struct lex_token {
    lex_kind kind;
    const char *text; /* interned; without the leading % or @, and unescaped for strings */
    int64_t integer;
    double number;
    uint32_t line, column;
    bool first_on_line;
} lex_token;

/* The one tokenizer under all text IRs. `#` starts a comment that runs to the end of the line. */
typedef struct lexer {
    fe_session *session;
    const char *stage; /* named in diagnostics */
    const char *at, *end;
    uint32_t line;
    const char *line_start;
    bool bad; /* an error has been reported */
    lex_token token;
} lexer;
void lex_init(lexer *lx, fe_session *session, const char *stage, const char *source, size_t length);
void lex_next(lexer *lx);
bool lex_is(const lexer *lx,
            const char *punct_or_name);              /* is the token this punctuation or name? */
bool lex_take(lexer *lx, const char *punct_or_name); /* the same, and step over it */
fe_status lex_expect(lexer *lx, const char *punct_or_name);
fe_status lex_name(lexer *lx, const char **out);   /* a LEX_NAME, stepped over */
fe_status lex_value(lexer *lx, const char **out);  /* a %name, stepped over */
fe_status lex_buffer(lexer *lx, const char **out); /* a @name, stepped over */
fe_status lex_int(lexer *lx, int64_t *out);
fe_status lex_double(lexer *lx, double *out); /* a LEX_FLOAT or a LEX_INT, stepped over */
fe_status lex_string(lexer *lx, const char **out);
/* The text ends here and had no error: what a parser of a whole text returns. */
fe_status lex_finish(lexer *lx);
/* A diagnostic at the current token: "line L, column C: message (found 'x')". */
fe_status lex_fail(lexer *lx, const char *format, ...) FE_PRINTF(2, 3);

/* ---- files (file.c) ------------------------------------------------------------------------ */

/* A file mapped read-only. `data` is NULL for an empty file. */
typedef struct mapped_file {
    const uint8_t *data;
    size_t size;
    const char *path;
    bool borrowed; /* memory of the caller: not unmapped */
} mapped_file;
fe_status file_map(fe_session *session, const char *path, mapped_file *out);
void file_unmap(mapped_file *file);
/* Reads a whole text file ("-": standard input) into `a`, NUL-terminated. */
fe_status file_read(fe_session *session, arena *a, const char *path, char **out, size_t *length);
/* Writes to a temporary beside `path` and renames, so that readers see the old file or the whole
 * new one. */
fe_status file_write(fe_session *session, const char *path, const void *data, size_t size);
const char *file_temporary_beside(fe_session *session, const char *path);
bool file_exists(const char *path);
int64_t file_size(const char *path);                             /* 0 when there is none */
fe_status file_make_dirs(fe_session *session, const char *path); /* mkdir -p */
/* A new folder of this user alone, PREFIX and a unique ending; the name is in `a`. */
fe_status file_make_unique_dir(fe_session *session, arena *a, const char *prefix, const char **out);
/* The same in $TMPDIR or /tmp. */
fe_status file_make_temporary_dir(fe_session *session, arena *a, const char **out);
void file_remove_tree(const char *path); /* what cannot be removed stays */
/* Monotonic clock, seconds. */
double clock_seconds(void);
/* Processor time of this thread, seconds. */
double clock_thread_seconds(void);

#endif
