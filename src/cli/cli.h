/* cli.h -- the command: a table of commands, each with a table of options, over ferrite.h.
 *
 * cli.c reads arguments by these tables and help.c prints them; main.c lists the commands. A command
 * gets its options in a structure of its own that begins with a cli_call. Options of a session
 * (driver/options.def) need no rows here: a command names those that it takes.
 */
#ifndef FERRITE_CLI_H
#define FERRITE_CLI_H

#include "driver/api.h"

#include <stdio.h>

typedef struct cli_list {
    const char **at;
    uint32_t count, capacity;
} cli_list;

/* What each command's structure begins with. */
typedef struct cli_call {
    fe_session *session;
    cli_list paths; /* arguments that are no options */
} cli_call;

typedef enum cli_kind { CLI_FLAG, CLI_TEXT, CLI_NUMBER, CLI_REAL, CLI_LIST } cli_kind;

typedef struct cli_option {
    const char *name; /* "--json" */
    cli_kind kind;    /* of the field: bool, const char *, uint32_t, double, cli_list */
    size_t offset;    /* of the field in the command's structure */
    const char *placeholder, *what;
} cli_option;

typedef struct cli_command {
    const char *name, *what;
    const char *usage; /* lines of what stands behind "ferrite " */
    const cli_option *options;
    uint32_t option_count;
    const char *session_options; /* "isa cc cache"; "" for none */
    uint32_t fewest, most;       /* paths */
    int (*run)(cli_call *call);  /* the process's exit status: 0, 1 failure, 2 wrong usage */
    size_t bytes;                /* of its structure */
} cli_command;

extern const cli_command cli_run, cli_compile, cli_inspect, cli_check, cli_plan, cli_bench,
    cli_report, cli_cache;
extern const cli_command *const cli_commands[];
extern const uint32_t cli_command_count;

/* cli.c: a session, the arguments read into the command's structure, the command run. */
int cli_main(const cli_command *command, int argc, char **argv);
/* Does the command take this option of a session? */
bool cli_takes(const cli_command *command, const char *session_option);
/* What the session's last call said, on stderr; 1. */
int cli_failed(fe_session *session);
/* "ferrite run: TEXT", and where to read more, on stderr; 2. */
int cli_mistake(const cli_command *command, const char *format, ...) FE_PRINTF(2, 3);

/* help.c */
void cli_print_help(const cli_command *command, FILE *to); /* NULL: of all commands */

/* progress.c: dumps on stderr, and a line about long work if that is a terminal. */
void cli_show_progress(fe_session *session);
void cli_clear_progress(void);

/* figures.c: what a compile came to, as lines and as members of a JSON object. */
void cli_print_figures(const fe_figures *f, FILE *to);
/* A line about option quantize: weights, bytes, and how far off they are. */
void cli_print_quantised(const fe_program *program, FILE *to);
void cli_print_stages_json(const fe_figures *f, FILE *to); /* {"read": 1.2, ..., "total": 3.4} */
void cli_print_sizes_json(const fe_figures *f, FILE *to);  /* "arena_bytes": ..., ... */
void cli_print_json_text(const char *string, FILE *to);    /* quoted and escaped */

#endif
