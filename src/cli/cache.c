/* cache.c -- `ferrite cache`: what the cache holds; `ferrite cache clear` empties it. */
#include "cli/cli.h"

#include <string.h>

static int show(fe_session *session)
{
    fe_cache_figures figures;
    if (fe_cache_figures_of(session, &figures) != FE_OK) return cli_failed(session);
    if (!*figures.folder) return puts("no cache: option cache is ''") < 0;
    printf("%s: %u files, %lld bytes, at most %lld\n", figures.folder, figures.files,
           (long long)figures.bytes, (long long)figures.most);
    return 0;
}

static int cache(cli_call *call)
{
    const char *word = call->paths.count ? call->paths.at[0] : NULL;
    if (!word) return show(call->session);
    if (strcmp(word, "clear") != 0) return cli_mistake(&cli_cache, "'%s' is not 'clear'", word);
    return fe_clear_cache(call->session) == FE_OK ? 0 : cli_failed(call->session);
}

const cli_command cli_cache = {
    .name = "cache",
    .what = "says what the cache of made libraries holds, or clears it",
    .usage = "cache\ncache clear\n",
    .session_options = "cache cache-size",
    .most = 1,
    .run = cache,
    .bytes = sizeof(cli_call),
};
