/* fx_priv.h -- what the files of fx/ share. */
#ifndef FERRITE_FX_PRIV_H
#define FERRITE_FX_PRIV_H

#include "fx/fx.h"

/* graph.c */
#define FX_NO_USE UINT32_MAX
/* A node that is in no list and has no arguments yet, with the next id. */
fx_node *fx_new_node(fx_graph *g, fx_kind kind, const char *name);
void fx_link(fx_graph *g, fx_node *node, fx_node *before); /* before NULL: at the very end */
void fx_take_args(fx_graph *g, fx_node *node, const fx_arg *args,
                  uint32_t count); /* copies and registers */

/* check.c: F7 of a program as it was given; FE_CORRUPT. */
fe_status fx_check_bound(fx_graph *main);
/* args.c. Each graph that the node calls, until one fails. */
fe_status fx_each_called(const fx_node *n, fe_status (*visit)(void *data, fx_graph *g), void *data);
/* FE_CORRUPT: an output is named after what is no input of its kind. */
fe_status fx_check_outputs(fx_graph *g);

/* Constants up to this many elements are printed with their data. */
enum { FX_PRINTED_ELEMENTS = 32 };

/* print.c: words of the text form, indexed by their enum. */
extern const char *const fx_input_words[];  /* FX_CONSTANT_INPUT + 1 of them */
extern const char *const fx_output_words[]; /* FX_TOKEN_OUTPUT + 1 */
extern const char *const fx_format_words[]; /* TY_CHANNELS_LAST_3D + 1 */
extern const char *const fx_layout_words[]; /* 8, by the archive's number */
extern const char *const fx_flag_words[];   /* 7, by bit */
enum {
    FX_INPUT_WORDS = FX_CONSTANT_INPUT + 1,
    FX_OUTPUT_WORDS = FX_TOKEN_OUTPUT + 1,
    FX_FORMAT_WORDS = TY_CHANNELS_LAST_3D + 1,
    FX_LAYOUT_WORDS = 8,
    FX_FLAG_WORDS = 7
};

/* parse.c and parse_arg.c */
typedef struct fx_wanted {
    fx_graph *graph;
    bool given;     /* or only called for by an argument so far */
    uint32_t depth; /* of calls from the program to it */
} fx_wanted;

typedef struct fx_graph_call {
    uint32_t caller, called; /* among the graphs */
} fx_graph_call;

typedef struct fx_parser {
    fe_session *session;
    arena *memory;
    lexer lx;
    sym_table *symbols;
    op_registry *ops;
    VEC(fx_wanted) graphs;
    map graph_names; /* interned name -> index */
    VEC(fx_graph_call) graph_calls;
} fx_parser;

/* The index of the graph of this name; made, with this parent, on first use. */
uint32_t fx_wanted_graph(fx_parser *p, const char *name, fx_graph *parent);

/* The index of the current name among `words`, stepped over; -1 when it is none of them. */
int fx_take_word(fx_parser *p, const char *const *words, int count);
/* Is the character after the current token, on its line, this one (and no ==)? */
bool fx_next_is(const fx_parser *p, char punct);
fe_status fx_parse_value(fx_parser *p, fx_graph *g, fx_value *out);
fe_status fx_parse_arg(fx_parser *p, fx_graph *g, fx_arg *out);
/* A word for a dtype, device, layout or memory format; false when it is none. */
bool fx_parse_word(fx_graph *g, const char *word, fx_arg *out);
fe_status fx_parse_data(fx_parser *p, fx_graph *g, fx_node *n); /* "[1.0, 2.0]" into n->data */

#endif
