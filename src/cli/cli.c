/* cli.c -- arguments read by the tables of cli.h; every mistake says what was meant, most likely. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

int cli_failed(fe_session *session)
{
    cli_clear_progress();
    fputs(fe_error(session), stderr);
    return 1;
}

int cli_mistake(const cli_command *command, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "ferrite %s: ", command->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n'ferrite help %s' says more.\n", command->name);
    return 2;
}

bool cli_takes(const cli_command *command, const char *session_option)
{
    size_t length = strlen(session_option);
    for (const char *at = command->session_options; (at = strstr(at, session_option)); at += length)
        if ((at == command->session_options || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

/* ---- one option ---- */

/* Arguments as they are read. */
typedef struct reader {
    const cli_command *command;
    cli_call *call;
    char **at, **end;
} reader;

/* An argument cut at '=', so that --name=value is --name value. */
typedef struct argument {
    const char *name, *value;
} argument;

static argument cut(reader *r, const char *word)
{
    const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    if (!equals) return (argument){word, NULL};
    return (argument){arena_printf(r->call->session->memory, "%.*s", (int)(equals - word), word),
                      equals + 1};
}

static bool take_value(reader *r, argument *a)
{
    if (!a->value && r->at < r->end) a->value = *r->at++;
    return a->value != NULL;
}

static bool read_number(const char *value, uint32_t *to)
{
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    *to = (uint32_t)number;
    return *value >= '0' && *value <= '9' && !*end && number <= INT32_MAX;
}

static bool read_real(const char *value, double *to)
{
    char *end;
    *to = strtod(value, &end);
    return end != value && !*end && *to >= 0;
}

static int set_own(reader *r, const cli_option *option, argument a)
{
    void *field = (char *)r->call + option->offset;
    if (option->kind == CLI_FLAG) {
        *(bool *)field = true;
        return a.value ? cli_mistake(r->command, "%s takes no value", a.name) : 0;
    }
    if (!take_value(r, &a))
        return cli_mistake(r->command, "%s needs a value: %s", a.name, option->placeholder);
    if (option->kind == CLI_TEXT) *(const char **)field = a.value;
    if (option->kind == CLI_LIST) vec_push(r->call->session->memory, (cli_list *)field, a.value);
    if ((option->kind == CLI_NUMBER && !read_number(a.value, field)) ||
        (option->kind == CLI_REAL && !read_real(a.value, field)))
        return cli_mistake(r->command, "%s takes a number, not '%s'", a.name, a.value);
    return 0;
}

/* --NAME VALUE; a switch is --NAME or --no-NAME. */
static int set_of_session(reader *r, const option_row *row, argument a)
{
    bool is_switch = row->kind == OPTION_SWITCH;
    if (is_switch && a.value) return cli_mistake(r->command, "%s takes no value", a.name);
    if (!is_switch && strcmp(a.name + 2, row->name) != 0) {
        if (a.value) return cli_mistake(r->command, "%s takes no value", a.name);
        a.value = "off";
    }
    if (is_switch) a.value = strcmp(a.name + 2, row->name) == 0 ? "on" : "off";
    if (!take_value(r, &a))
        return cli_mistake(r->command, "%s needs a value: %s", a.name, row->placeholder);
    if (fe_set(r->call->session, row->name, a.value) == FE_OK) return 0;
    cli_failed(r->call->session);
    return 2;
}

static const option_row *find_of_session(const cli_command *command, const char *name)
{
    for (uint32_t i = 0; i < option_count; i++) {
        const option_row *row = &option_table[i];
        if (strncmp(name, "--", 2) != 0 || !cli_takes(command, row->name)) continue;
        bool can_be_off = row->kind == OPTION_SWITCH || (row->kind == OPTION_LIST && row->values);
        bool is_negated =
            can_be_off && strncmp(name, "--no-", 5) == 0 && strcmp(name + 5, row->name) == 0;
        if (is_negated || strcmp(name + 2, row->name) == 0) return row;
    }
    return NULL;
}

static int unknown(reader *r, const char *name)
{
    arena *memory = r->call->session->memory;
    VEC(const char *) names = {0};
    for (uint32_t i = 0; i < r->command->option_count; i++)
        vec_push(memory, &names, r->command->options[i].name);
    for (uint32_t i = 0; i < option_count; i++)
        if (cli_takes(r->command, option_table[i].name))
            vec_push(memory, &names, arena_printf(memory, "--%s", option_table[i].name));
    const char *meant = nearest_name(name, names.at, names.count);
    if (meant)
        return cli_mistake(r->command, "there is no option %s; did you mean %s?", name, meant);
    return cli_mistake(r->command, "there is no option %s", name);
}

static int read_option(reader *r, const char *word)
{
    argument a = cut(r, word);
    const option_row *row = find_of_session(r->command, a.name);
    for (uint32_t i = 0; i < r->command->option_count; i++)
        if (strcmp(r->command->options[i].name, a.name) == 0)
            return set_own(r, &r->command->options[i], a);
    return row ? set_of_session(r, row, a) : unknown(r, a.name);
}

/* ---- all of them ---- */

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

static int read_all(reader *r)
{
    cli_list *paths = &r->call->paths;
    bool options_ended = false;
    while (r->at < r->end) {
        const char *word = *r->at++;
        int status = 0;
        if (!options_ended && strcmp(word, "--") == 0)
            options_ended = true;
        else if (!options_ended && word[0] == '-' && word[1])
            status = read_option(r, word);
        else
            vec_push(r->call->session->memory, paths, word);
        if (status) return status;
    }
    if (paths->count > r->command->most)
        return cli_mistake(r->command, "one at a time: '%s' and '%s'",
                           paths->at[r->command->most - 1], paths->at[r->command->most]);
    if (paths->count >= r->command->fewest) return 0;
    cli_print_help(r->command, stderr);
    return 2;
}

typedef struct job {
    const cli_command *command;
    int argc;
    char **argv;
    int status;
} job;

static fe_status read_and_run(fe_session *session, void *data)
{
    job *j = data;
    cli_call *call = arena_alloc(session->memory, j->command->bytes);
    call->session = session;
    reader r = {j->command, call, j->argv, j->argv + j->argc};
    j->status = read_all(&r);
    if (j->status == 0) j->status = j->command->run(call);
    return FE_OK;
}

int cli_main(const cli_command *command, int argc, char **argv)
{
    if (asks_for_help(argc, argv)) {
        cli_print_help(command, stdout);
        return 0;
    }
    fe_session *session = fe_session_new();
    job j = {command, argc, argv, 1};
    if (!session || session_guard(session, read_and_run, &j) != FE_OK)
        fputs("ferrite: out of memory\n", stderr);
    fe_session_free(session);
    return j.status;
}
