/* chat.c -- talks with a language model that was compiled to a library: what the user says is read by one
 * program, the reply is made by another, word by word, and both share weights and what was said so far.
 *
 *     chat [-n WORDS] [-t TEMPERATURE] [-s SEED] [-j THREADS] TABLES < what-the-user-says
 */
#define _GNU_SOURCE
#include "chat.h" /* of the library: its programs prompt and step */
#include "tokens.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORDS = 1 << 15 };

typedef struct speaker {
    const fe_artifact *program;
    fe_model *model;
    fe_context *context;
} speaker;

typedef struct chat {
    tokens *table;
    speaker prompt, step;
    int64_t said, room; /* words so far, and how many there may be */
    int64_t *words, *places;
    double temperature;
    uint64_t dice;
    long most;
} chat;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int start(speaker *s, const fe_artifact *program, uint32_t threads)
{
    s->program = program;
    if (program->open(NULL, &s->model) || program->context_new(s->model, threads, &s->context))
        return fprintf(stderr, "%s: %s\n", program->name, program->error(NULL)), 0;
    return 1;
}

static void stop(speaker *s)
{
    if (s->context) s->program->context_free(s->context);
    if (s->model) s->program->close(s->model);
}

/* The scores of all words to come next; NULL: it failed, and said why. */
static const float *listen(chat *c, int64_t count)
{
    const speaker *s = count == 1 ? &c->step : &c->prompt;
    fe_tensor in[] = {{c->words, FE_I64, 2, (int64_t[]){1, count}, NULL},
                      {c->places, FE_I64, 1, &count, NULL}};
    fe_tensor out = {0};
    for (int64_t k = 0; k < count; k++) c->places[k] = c->said + k;
    if (s->program->run(s->context, in, 2, &out, 1)) {
        fprintf(stderr, "%s: %s\n", s->program->name, s->program->error(s->context));
        return NULL;
    }
    c->said += count;
    return out.data;
}

/* In [0, 1). Source: Vigna, splitmix64. */
static double roll(chat *c)
{
    uint64_t z = c->dice += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

static int64_t choose(chat *c, const float *scores)
{
    int64_t best = 0, count = STEP_OUTPUT_0_SIZE_1;
    double sum = 0;
    for (int64_t k = 1; k < count; k++)
        if (scores[k] > scores[best]) best = k;
    if (c->temperature <= 0) return best;
    for (int64_t k = 0; k < count; k++) sum += exp((scores[k] - scores[best]) / c->temperature);
    double left = roll(c) * sum;
    for (int64_t k = 0; k < count; k++)
        if ((left -= exp((scores[k] - scores[best]) / c->temperature)) < 0) return k;
    return best;
}

static int answer(chat *c, const float *scores)
{
    double begin = seconds();
    long made = 0;
    for (; made < c->most && c->said < c->room && scores; made++) {
        size_t length;
        int64_t word = choose(c, scores);
        if (tokens_is_end(c->table, word)) break;
        const char *bytes = tokens_bytes(c->table, word, &length);
        fwrite(bytes, 1, length, stdout);
        fflush(stdout);
        c->words[0] = word;
        scores = listen(c, 1);
    }
    putchar('\n');
    if (isatty(2) && made)
        fprintf(stderr, "(%.0f words a second)\n", (double)made / (seconds() - begin));
    return scores != NULL;
}

static int hear(chat *c, const char *line)
{
    const tokens_frame *frame = tokens_frame_of(c->table);
    char *text;
    int length =
        asprintf(&text, "%s%s%s", c->said ? frame->next : frame->first, line, frame->reply);
    if (length < 0) return 0;
    size_t count = tokens_encode(c->table, text, (size_t)length, c->words, MOST_WORDS);
    free(text);
    if (!count) return 1;
    if (count > MOST_WORDS || c->said + (int64_t)count >= c->room)
        return fprintf(stderr, "there is no room for %zu words more, of %lld\n", count,
                       (long long)c->room),
               0;
    return answer(c, listen(c, (int64_t)count));
}

/* How many places the keys of the first layer have. */
static int64_t room_of(const fe_artifact *program)
{
    return program->state_count ? program->states[0].sizes[2] : 0;
}

static int talk(chat *c)
{
    char *line = NULL;
    size_t room = 0;
    int good = 1;
    ssize_t length;
    while (good && (length = getline(&line, &room, stdin)) > 0) {
        if (line[length - 1] == '\n') line[length - 1] = '\0';
        good = hear(c, line);
    }
    free(line);
    return good;
}

int main(int count, char **words)
{
    chat c = {.most = 256, .dice = 1};
    uint32_t threads = 0;
    for (int option; (option = getopt(count, words, "n:t:s:j:")) != -1;) {
        if (option == 'n') c.most = atol(optarg);
        if (option == 't') c.temperature = atof(optarg);
        if (option == 's') c.dice = strtoull(optarg, NULL, 10);
        if (option == 'j') threads = (uint32_t)atol(optarg);
        if (option == '?') return 2;
    }
    if (optind + 1 != count)
        return fputs("usage: chat [-n WORDS] [-t TEMPERATURE] [-s SEED] [-j THREADS] TABLES\n",
                     stderr),
               2;
    c.table = tokens_read(words[optind]);
    c.words = calloc(2 * MOST_WORDS, sizeof *c.words);
    c.places = c.words + MOST_WORDS;
    int good = c.table && c.words && start(&c.prompt, ferrite_artifact_prompt(), threads) &&
               start(&c.step, ferrite_artifact_step(), threads);
    if (good && c.step.program->share_states(c.step.context, c.prompt.context)) {
        fprintf(stderr, "%s\n", c.step.program->error(c.step.context));
        good = 0;
    }
    c.room = good ? room_of(c.step.program) : 0;
    good = good && talk(&c);
    stop(&c.step);
    stop(&c.prompt);
    tokens_free(c.table);
    free(c.words);
    return !good;
}
