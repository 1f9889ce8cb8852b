/* rt_ranges.h - which memory of a device an address is in. */
#ifndef RT_RANGES_H
#define RT_RANGES_H

#include <pthread.h>
#include <stddef.h>

typedef struct rt_range {
    char *address;
    size_t bytes;
    void *memory; /* the driver's own; NULL: there is none */
} rt_range;

typedef struct rt_ranges {
    pthread_mutex_t lock; /* of what follows */
    rt_range *at;         /* by address */
    size_t count, room;
} rt_ranges;

void rt_ranges_begin(rt_ranges *ranges);
void rt_ranges_end(rt_ranges *ranges);
/* 0: there is no memory for it. */
int rt_ranges_add(rt_ranges *ranges, rt_range range);
/* The range that the address is in, or at whose end it is. */
rt_range rt_ranges_find(rt_ranges *ranges, const void *address);
/* The one that begins there is no more. */
rt_range rt_ranges_take(rt_ranges *ranges, const void *address);

#endif
