/* rt_ranges.c - a table of a device's memory, by address. */
#include "rt_ranges.h"

#include <stdlib.h>
#include <string.h>

void rt_ranges_begin(rt_ranges *ranges)
{
    pthread_mutex_init(&ranges->lock, NULL);
}

void rt_ranges_end(rt_ranges *ranges)
{
    pthread_mutex_destroy(&ranges->lock);
    free(ranges->at);
}

/* The first that begins behind the address. */
static size_t behind(const rt_ranges *ranges, const char *address)
{
    size_t low = 0, high = ranges->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges->at[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int rt_ranges_add(rt_ranges *ranges, rt_range range)
{
    int ok = 1;
    pthread_mutex_lock(&ranges->lock);
    if (ranges->count == ranges->room) {
        size_t room = ranges->room ? 2 * ranges->room : 64;
        rt_range *more = realloc(ranges->at, room * sizeof *more);
        ok = more != NULL;
        if (ok) ranges->at = more, ranges->room = room;
    }
    if (ok) {
        size_t at = behind(ranges, range.address);
        memmove(&ranges->at[at + 1], &ranges->at[at], (ranges->count - at) * sizeof range);
        ranges->at[at] = range;
        ranges->count++;
    }
    pthread_mutex_unlock(&ranges->lock);
    return ok;
}

rt_range rt_ranges_find(rt_ranges *ranges, const void *address)
{
    pthread_mutex_lock(&ranges->lock);
    size_t at = behind(ranges, address);
    rt_range found = {0};
    if (at > 0 &&
        (size_t)((const char *)address - ranges->at[at - 1].address) <= ranges->at[at - 1].bytes)
        found = ranges->at[at - 1];
    pthread_mutex_unlock(&ranges->lock);
    return found;
}

rt_range rt_ranges_take(rt_ranges *ranges, const void *address)
{
    pthread_mutex_lock(&ranges->lock);
    size_t at = behind(ranges, address) - 1;
    rt_range taken = ranges->at[at];
    ranges->count--;
    memmove(&ranges->at[at], &ranges->at[at + 1], (ranges->count - at) * sizeof taken);
    pthread_mutex_unlock(&ranges->lock);
    return taken;
}
