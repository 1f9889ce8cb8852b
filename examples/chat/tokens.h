/* tokens.h -- text to the numbers that a language model takes, and back: byte-level BPE by tables that
 * export.py writes, as GPT-2, Llama 3, Qwen and many others have it. */
#ifndef TOKENS_H
#define TOKENS_H

#include <stddef.h>
#include <stdint.h>

typedef struct tokens tokens;

/* What stands around what the two say: in front of the first thing that the user says, in front of the
 * next ones, and in front of a reply. */
typedef struct tokens_frame {
    const char *first, *next, *reply;
} tokens_frame;

/* NULL, and a message on stderr, where the file cannot be read or does not hold what it must. */
tokens *tokens_read(const char *path);
void tokens_free(tokens *t);

const tokens_frame *tokens_frame_of(const tokens *t);
/* Writes at most `room` numbers and returns how many there are, which may be more. Words of the frame
 * (<|im_start|>) are single numbers. */
size_t tokens_encode(const tokens *t, const char *text, size_t length, int64_t *out, size_t room);
/* The bytes of a number, which need not be whole characters. They are the table's. */
const char *tokens_bytes(const tokens *t, int64_t token, size_t *length);
/* Does it end a reply? */
int tokens_is_end(const tokens *t, int64_t token);

#endif
