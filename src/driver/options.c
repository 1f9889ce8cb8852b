/* options.c -- options of a session: their defaults, and setting one by its name. */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TUNE_BUDGET_MS = 30000 };
#define CACHE_BYTES (INT64_C(4) << 30)

#define OPTION(name, field, kind, values, placeholder, what) \
    {name, OPTION_##kind, offsetof(driver_options, field), values, placeholder, what},
const option_row option_table[] = {
#include "driver/options.def"
};
#undef OPTION
const uint32_t option_count = COUNT_OF(option_table);

static const char *environment(arena *memory, const char *name)
{
    const char *value = getenv(name);
    return value && *value ? arena_strdup(memory, value) : NULL;
}

/* A home that cannot be written to, as services and containers have it, is as good as none. */
static const char *default_cache(arena *memory)
{
    const char *cache = environment(memory, "FERRITE_CACHE_DIR"),
               *xdg = environment(memory, "XDG_CACHE_HOME"), *home = environment(memory, "HOME");
    if (cache) return cache;
    if (xdg) return arena_printf(memory, "%s/ferrite", xdg);
    return home && access(home, W_OK) == 0 ? arena_printf(memory, "%s/.cache/ferrite", home) : "";
}

/* "300000", "512K", "64M", "2G"; false: anything else */
static bool parse_bytes(const char *value, int64_t *to)
{
    static const char units[] = "KMG";
    char *end;
    unsigned long long number = strtoull(value, &end, 10), unit = 1;
    const char *letter = *end ? strchr(units, *end) : NULL;
    if (letter) unit = 1ull << 10 * (letter - units + 1);
    if (*value < '1' || *value > '9' || end[letter != NULL] || number > PLAN_MOST_BYTES / unit)
        return false;
    *to = (int64_t)(number * unit);
    return true;
}

void driver_default_options(arena *memory, driver_options *o)
{
    const char *cache_size = environment(memory, "FERRITE_CACHE_SIZE");
    const char *cc = environment(memory, "CC");
    const char *isa = environment(memory, "FERRITE_ISA");
    *o = (driver_options){
        .cc = cc ? cc : "cc", .isa = isa ? isa : "native", .tune_budget_ms = TUNE_BUDGET_MS};
    o->cache = default_cache(memory);
    o->cache_size = CACHE_BYTES;
    if (cache_size) (void)parse_bytes(cache_size, &o->cache_size);
    o->lapack = environment(memory, "FERRITE_LAPACK");
}

uint32_t option_values(arena *memory, const option_row *row, const char *const **values)
{
    VEC(const char *) names = {0};
    if (row->kind == OPTION_PASS) {
        for (uint32_t i = 0; i < pass_count; i++) vec_push(memory, &names, pass_table[i].name);
        vec_push(memory, &names, "all");
    }
    for (char *at = arena_strdup(memory, row->values ? row->values : ""); *at;) {
        size_t length = strcspn(at, " ");
        vec_push(memory, &names, at);
        at += length;
        if (*at) *at++ = '\0';
    }
    *values = names.at;
    return names.count;
}

static fe_status wrong_value(fe_session *s, const option_row *row, const char *value,
                             const char *const *names, uint32_t count)
{
    text list;
    text_init(&list, s->memory);
    for (uint32_t i = 0; i < count; i++) text_printf(&list, "%s%s", i ? ", " : "", names[i]);
    const char *meant = nearest_name(value, names, count);
    diag d = {.status = FE_USAGE, .stage = "option"};
    if (meant) d.help = arena_printf(s->memory, "did you mean '%s'?", meant);
    if (!count) return diag_fail(s, d, "%s is a number, not '%s'", row->name, value);
    return diag_fail(s, d, "%s is one of %s, not '%s'", row->name, list.at, value);
}

/* Is the value one of the names? For options without names anything is. */
static bool is_one_of(const char *value, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(value, names[i]) == 0) return true;
    return count == 0;
}

static fe_status set_number(fe_session *s, const option_row *row, uint32_t *to, const char *value)
{
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || number > UINT16_MAX)
        return wrong_value(s, row, value, NULL, 0);
    *to = (uint32_t)number;
    return FE_OK;
}

static fe_status set_bytes(fe_session *s, const option_row *row, int64_t *to, const char *value)
{
    if (parse_bytes(value, to)) return FE_OK;
    return diag_fail(s, (diag){.status = FE_USAGE, .stage = "option"},
                     "%s is a number of bytes, as 300000, 512K, 64M or 2G, not '%s'", row->name,
                     value);
}

static fe_status set_value(fe_session *s, driver_options *o, const option_row *row,
                           const char *value)
{
    void *to = (char *)o + row->offset;
    const char *const *names;
    uint32_t count = option_values(s->memory, row, &names);
    if (row->kind == OPTION_NUMBER) return set_number(s, row, to, value);
    if (row->kind == OPTION_BYTES) return set_bytes(s, row, to, value);
    if (row->kind == OPTION_LIST && count && is_one_of(value, names, count)) {
        ((option_list *)to)->is_off = strcmp(value, "off") == 0;
        return FE_OK;
    }
    if (row->kind == OPTION_LIST) {
        vec_push(s->memory, (option_list *)to, arena_strdup(s->memory, value));
        return FE_OK;
    }
    /* names of passes that the user adds are not known yet */
    if (row->kind == OPTION_PASS && (o->passes.count || o->added_count)) count = 0;
    if (!is_one_of(value, names, count)) return wrong_value(s, row, value, names, count);
    if (row->kind == OPTION_SWITCH)
        *(bool *)to = strcmp(value, "on") == 0;
    else
        *(const char **)to = arena_strdup(s->memory, value);
    return FE_OK;
}

static void copy_field(driver_options *to, const driver_options *from, const option_row *row)
{
    size_t size = row->kind == OPTION_NUMBER   ? sizeof(uint32_t)
                  : row->kind == OPTION_BYTES  ? sizeof(int64_t)
                  : row->kind == OPTION_SWITCH ? sizeof(bool)
                  : row->kind == OPTION_LIST   ? sizeof(option_list)
                                               : sizeof(const char *);
    memcpy((char *)to + row->offset, (const char *)from + row->offset, size);
}

fe_status driver_check_name(fe_session *s, const driver_options *o)
{
    const char *name = o->name;
    if (!name) return FE_OK;
    for (const char *at = name; *at; at++)
        if (!(*at == '_' || (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
              (at > name && *at >= '0' && *at <= '9')))
            name = "";
    if (*name) return FE_OK;
    return diag_fail(s, (diag){.status = FE_USAGE, .stage = "option"},
                     "name becomes part of a C function's: letters, digits and _, not '%s'",
                     o->name);
}

/* What the environment says was not looked at when it was read. */
fe_status driver_check_isa(fe_session *s, const driver_options *o)
{
    const char *const *names;
    for (uint32_t i = 0; i < option_count; i++) {
        const option_row *row = &option_table[i];
        if (strcmp(row->name, "isa") != 0) continue;
        uint32_t count = option_values(s->memory, row, &names);
        if (!o->isa || is_one_of(o->isa, names, count)) continue;
        return diag_fail(s, (diag){.status = FE_USAGE, .stage = "option"},
                         "the environment's FERRITE_ISA is '%s', which is none of %s", o->isa,
                         row->values);
    }
    return FE_OK;
}

fe_status driver_set_option(fe_session *s, driver_options *o, const char *name, const char *value)
{
    const char *names[COUNT_OF(option_table)], *meant;
    for (uint32_t i = 0; i < option_count; i++) {
        const option_row *row = &option_table[i];
        driver_options defaults;
        names[i] = row->name;
        if (strcmp(row->name, name) != 0) continue;
        if (value) return set_value(s, o, row, value);
        driver_default_options(s->memory, &defaults);
        copy_field(o, &defaults, row);
        return FE_OK;
    }
    meant = nearest_name(name, names, option_count);
    diag d = {.status = FE_USAGE, .stage = "option"};
    if (meant) d.help = arena_printf(s->memory, "did you mean '%s'?", meant);
    return diag_fail(s, d, "there is no option '%s'", name);
}
