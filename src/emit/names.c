/* names.c -- identifiers for generated code: the program's own names, made legal and unique. */
#include "emit/emit.h"

#include <string.h>

/* Words that a buffer may not be called: C's, macros of some compilers, and what `run` calls its own. */
const char *const emit_c_words[] = {
    "auto",     "break",  "case",   "char",     "const",    "continue", "default",  "do",
    "double",   "else",   "enum",   "extern",   "float",    "for",      "goto",     "if",
    "inline",   "int",    "long",   "register", "restrict", "return",   "short",    "signed",
    "sizeof",   "static", "struct", "switch",   "typedef",  "union",    "unsigned", "void",
    "volatile", "while",  "f",      "arena",    "run",      "main",     "linux",    "unix",
    "i386",     "NULL",   "asm",    "typeof",   NULL,
};
/* Python's, functions of it that sizes are made with, and what the module calls its own. */
const char *const emit_python_words[] = {
    "False",   "None",     "True",     "and",    "as",   "assert", "async",  "await",
    "break",   "class",    "continue", "def",    "del",  "elif",   "else",   "except",
    "finally", "for",      "from",     "global", "if",   "import", "in",     "is",
    "lambda",  "nonlocal", "not",      "or",     "pass", "raise",  "return", "try",
    "while",   "with",     "yield",    "match",  "case", "min",    "max",    "range",
    "bool",    "int",      "float",    "f",      "rt",   "ins",    "outs",   "arena",
    "lines",   "library",  "program",  "run",    "inf",  "nan",    NULL,
};
/* How names begin that generated code takes from elsewhere. */
static const char *const prefixes[] = {"rt_", "RT_",  "fe_", "FE_",     "k_",     "__",
                                       "INT", "UINT", "op_", "custom_", "places_"};

static bool is_reserved(const char *const *reserved, const char *name)
{
    while (*reserved && strcmp(name, *reserved) != 0) reserved++;
    return *reserved != NULL;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *identifier(arena *memory, const char *const *reserved, const char *name)
{
    size_t length = strlen(name);
    char *made = arena_alloc(memory, length + 3);
    size_t at = 0;
    if (length == 0 || (name[0] >= '0' && name[0] <= '9')) made[at++] = '_';
    for (size_t i = 0; i < length; i++) made[at++] = is_word(name[i]) ? name[i] : '_';
    if (is_reserved(reserved, made)) made[at++] = '_';
    return made;
}

const char *emit_identifier(arena *memory, const char *name)
{
    return identifier(memory, emit_c_words, name);
}

/* Not what generated code has a meaning for: a runtime function, a type, a symbol of the program. */
static const char *free_name(const wrap_program *w, arena *memory, const char *name)
{
    size_t length = strlen(name);
    bool clashes = !sym_is_none(sym_find_symbol(w->loops->symbols, name)) ||
                   (length > 2 && strcmp(name + length - 2, "_t") == 0);
    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        clashes |= strncmp(name, prefixes[i], strlen(prefixes[i])) == 0;
    return clashes ? arena_printf(memory, "b_%s", name) : name;
}

const char **emit_names(const wrap_program *w, const char *const *reserved, arena *memory)
{
    uint32_t count = w->loops->buffers.count;
    const char **names = NEW_ARRAY(memory, const char *, count + 1);
    map taken = {0};
    for (uint32_t id = 0; id < count; id++) {
        const char *base =
            free_name(w, memory, identifier(memory, reserved, w->loops->buffers.at[id].name));
        const char *name = intern(w->session, base);
        for (uint32_t k = 1; map_get(&taken, MAP_KEY(name)) != MAP_NONE; k++)
            name = intern(w->session, arena_printf(memory, "%s_%u", base, k));
        map_set(memory, &taken, MAP_KEY(name), id);
        names[id] = name;
    }
    return names;
}
