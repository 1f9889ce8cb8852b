/* names.c -- identifiers for generated code: the program's own names, made legal and unique. */
#include "emit/emit.h"

#include <string.h>

/* Words that a buffer may not be called: C's, macros of some compilers, and what `run` calls its own. */
static const char *const reserved[] = {
    "auto",     "break",  "case",   "char",     "const",    "continue", "default",  "do",
    "double",   "else",   "enum",   "extern",   "float",    "for",      "goto",     "if",
    "inline",   "int",    "long",   "register", "restrict", "return",   "short",    "signed",
    "sizeof",   "static", "struct", "switch",   "typedef",  "union",    "unsigned", "void",
    "volatile", "while",  "f",      "arena",    "run",      "main",     "linux",    "unix",
    "i386",     "NULL",   "asm",    "typeof",
};
/* How names begin that generated code takes from elsewhere. */
static const char *const prefixes[] = {"rt_", "RT_", "fe_", "FE_", "k_", "__", "INT", "UINT"};

static bool is_reserved(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(reserved); i++)
        if (strcmp(name, reserved[i]) == 0) return true;
    return false;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

const char *emit_identifier(arena *memory, const char *name)
{
    size_t length = strlen(name);
    char *made = arena_alloc(memory, length + 3);
    size_t at = 0;
    if (length == 0 || (name[0] >= '0' && name[0] <= '9')) made[at++] = '_';
    for (size_t i = 0; i < length; i++) made[at++] = is_word(name[i]) ? name[i] : '_';
    if (is_reserved(made)) made[at++] = '_';
    return made;
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

const char **emit_names(const wrap_program *w, arena *memory)
{
    uint32_t count = w->loops->buffers.count;
    const char **names = NEW_ARRAY(memory, const char *, count + 1);
    map taken = {0};
    for (uint32_t id = 0; id < count; id++) {
        const char *base =
            free_name(w, memory, emit_identifier(memory, w->loops->buffers.at[id].name));
        const char *name = intern(w->session, base);
        for (uint32_t k = 1; map_get(&taken, MAP_KEY(name)) != MAP_NONE; k++)
            name = intern(w->session, arena_printf(memory, "%s_%u", base, k));
        map_set(memory, &taken, MAP_KEY(name), id);
        names[id] = name;
    }
    return names;
}
