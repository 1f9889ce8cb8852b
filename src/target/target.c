/* target.c -- the rows of target.def. */
#include "target/target.h"

#include <stddef.h>
#include <string.h>

enum { VECTORS, PLAIN };
enum { NOTHING, FUSED = TARGET_FUSED, SCALES = TARGET_SCALES, TABLES = TARGET_TABLES };

/* Measured on Zen 3 and Zen 5; their ratios decide, and those differ little between x86-64 CPUs. */
#define CPU_LIMITS                                                         \
    {                                                                      \
        .nodes = 600, .tile_bytes = 64 << 10, .lane_tile_bytes = 256 << 10 \
    }
#define CPU_COSTS                                                                           \
    {                                                                                       \
        .load = 250, .store = 500, .load_lane = 500, .store_lane = 600, .index_lane = 1000, \
        .index = 200, .splat = 200, .check = 300, .other = 300, .mask = 700, .loop = 2500   \
    }
#define CPU_MOVES                                         \
    {                                                     \
        .start = 4, .join = 8, .prefix = 10, .node = 0.25 \
    }

/* A work-item works on a row, or an element of it, by itself, and has no memory for tiles. */
#define DEVICE_LIMITS(most)              \
    {                                    \
        .nodes = 600, .parameters = most \
    }

static const target_machine TARGETS[] = {
#define TARGET(name, vector_bytes, plain, can, ...)                 \
    {name, vector_bytes, plain,      can, false,     {__VA_ARGS__}, \
     NULL, NULL,         CPU_LIMITS, {0}, CPU_COSTS, CPU_MOVES},
#define DEVICE(kind, dialect, driver, f64, parameters, ...)
#include "target/target.def"
#undef TARGET
#undef DEVICE
};
enum { TARGET_COUNT = sizeof TARGETS / sizeof *TARGETS };

static const target_machine DEVICES[] = {
#define TARGET(...)
#define DRIVER(name) #name
#define GIVEN NULL
#define F64 false
#define NO_F64 true
#define MANY 0
#define TILES(...)  \
    {               \
        __VA_ARGS__ \
    }
#define WHOLE \
    {         \
        0     \
    }
#define DEVICE(kind, dialect, driver, f64, parameters, ...) \
    {kind,        16,        true,                          \
     NOTHING,     f64,       {NULL},                        \
     dialect,     driver,    DEVICE_LIMITS(parameters),     \
     __VA_ARGS__, CPU_COSTS, CPU_MOVES},
#include "target/target.def"
#undef TARGET
#undef DEVICE
#undef DRIVER
#undef GIVEN
#undef F64
#undef NO_F64
#undef MANY
#undef TILES
#undef WHOLE
};
enum { DEVICE_COUNT = sizeof DEVICES / sizeof *DEVICES };

const target_machine *target_at(uint32_t number)
{
    return number < TARGET_COUNT ? &TARGETS[number] : NULL;
}

const target_machine *target_named(const char *name)
{
    for (uint32_t i = 0; name && i < TARGET_COUNT; i++)
        if (strcmp(TARGETS[i].name, name) == 0) return &TARGETS[i];
    return NULL;
}

const target_machine *target_device_at(uint32_t number)
{
    return number < DEVICE_COUNT ? &DEVICES[number] : NULL;
}

const target_machine *target_of_device(const char *kind)
{
    for (uint32_t i = 0; i < DEVICE_COUNT; i++)
        if (strcmp(DEVICES[i].name, kind) == 0) return &DEVICES[i];
    return NULL;
}

bool target_runs(const target_machine *made_for, const target_machine *here)
{
    return made_for >= here;
}
