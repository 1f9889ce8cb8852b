/* nearest.c -- which name was meant: the one that the fewest slips of the finger lead away from. */
#include "base/base.h"

#include <string.h>

enum { LONGEST = 40 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Letters left out, put in, exchanged, or swapped with their neighbour. */
static size_t slips(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1], n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST) return SIZE_MAX;
    for (size_t j = 0; j <= m; j++) rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

/* A part of a name means that name. */
static bool is_part(const char *word, const char *name)
{
    return strlen(word) >= 2 && strstr(name, word);
}

const char *nearest_name(const char *word, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t fewest = strlen(word) / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        size_t n = is_part(word, names[i]) ? 1 : slips(word, names[i]);
        if (n > fewest || (nearest && n == fewest)) continue;
        nearest = names[i];
        fewest = n;
    }
    return nearest;
}
