/* signature.h -- the signatures of extern.def, read: what an operand of a runtime operator must be. */
#ifndef FERRITE_LOOP_SIGNATURE_H
#define FERRITE_LOOP_SIGNATURE_H

#include "loop/loop_priv.h"

/* A part of a signature's text. */
typedef struct sig_text {
    const char *at;
    uint32_t length;
} sig_text;

typedef enum sig_layout { SIG_ANY_STRIDES, SIG_UNIT, SIG_COLUMNS } sig_layout;

typedef struct sig_operand {
    sig_text name, type, sizes; /* sizes: without its brackets */
    sig_layout layout;
    bool may_be_absent, may_be_left_out;
    char together; /* the letter of those that are there together, or 0 */
} sig_operand;

enum { SIG_MOST_OPERANDS = 5, SIG_MOST_NUMBERS = 5 };

typedef struct sig_int {
    sig_text name;
    bool is_axis;
    int64_t low, high;
} sig_int;

typedef struct signature {
    bool takes_anything;
    sig_operand in[SIG_MOST_OPERANDS], out[SIG_MOST_OPERANDS];
    uint32_t in_count, out_count;
    sig_int ints[SIG_MOST_NUMBERS];
    uint32_t int_count, float_count;
    bool more_ints;
    sig_text relations;
} signature;

/* signature.c */
signature sig_read(const char *row);
typedef enum sig_numbers { SIG_INTS, SIG_FLOATS } sig_numbers;
/* Where the number of this name stands, -1: there is none; how many have names. */
int32_t sig_place(const char *row, sig_numbers which, const char *name);
uint32_t sig_count(const char *row, sig_numbers which);
/* One input alone; false: it has not so many. */
bool sig_read_input(const char *row, uint32_t input, sig_operand *out);
/* The next word of a list that spaces or commas part; false: there is none. */
bool sig_next(sig_text *list, char separator, sig_text *word);
bool sig_is(sig_text word, const char *name);
/* Does a class of dtypes have this one? `is_same`: a call has one of them. */
bool sig_has_dtype(sig_text type, ty_dtype d, bool *is_same);

#endif
