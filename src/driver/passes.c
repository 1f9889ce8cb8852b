/* passes.c -- the passes of a compilation: the built-in ones, and the user's from libraries
 * (ferrite_passes.h) and from fe_add_pass(). Libraries stay loaded while the passes run. */
#include "driver/driver.h"

#include <string.h>

static const plugin_kind LIBRARY = {"pass", "ferrite_passes", "FE_PASS_LIBRARY", FE_PASSES_VERSION};

typedef struct pass_list {
    pass_info *table;
    uint32_t count;
} pass_list;

static const fe_pass_library *passes_of(const plugin *l)
{
    return l->library;
}

static fe_status collect(driver_program *d, const plugin *libraries, pass_list *all)
{
    const driver_options *o = &d->options;
    uint32_t most = pass_count + o->added_count;
    for (uint32_t i = 0; i < o->passes.count; i++) most += passes_of(&libraries[i])->count;
    all->table = NEW_ARRAY(d->memory, pass_info, most);
    all->count = pass_count;
    memcpy(all->table, pass_table, pass_count * sizeof *all->table);
    for (uint32_t i = 0; i < o->passes.count; i++)
        for (uint32_t k = 0; k < passes_of(&libraries[i])->count; k++)
            FE_TRY(pass_insert(d->graph, &passes_of(&libraries[i])->passes[k], all->table,
                               &all->count));
    for (uint32_t i = 0; i < o->added_count; i++)
        FE_TRY(pass_insert(d->graph, o->added[i], all->table, &all->count));
    return FE_OK;
}

/* Libraries do not stay. */
static void keep_names(driver_program *d, const pass_list *all)
{
    d->pass_names = NEW_ARRAY(d->memory, const char *, all->count + 1);
    d->pass_total = all->count;
    for (uint32_t i = 0; i < all->count; i++)
        d->pass_names[i] = arena_strdup(d->memory, all->table[i].name);
}

fe_status passes_run(driver_program *d, const pass_options *options)
{
    uint32_t count = d->options.passes.count;
    plugin *libraries = NEW_ARRAY(d->memory, plugin, count + 1);
    pass_list all;
    fe_status status = FE_OK;
    for (uint32_t i = 0; i < count && status == FE_OK; i++)
        status = plugin_open(d, &LIBRARY, d->options.passes.at[i], &libraries[i]);
    if (status == FE_OK) status = collect(d, libraries, &all);
    if (status == FE_OK) {
        keep_names(d, &all);
        uint32_t most = d->options.pass_limit ? d->options.pass_limit - 1 : all.count;
        status = pass_run_table(d->graph, all.table, most < all.count ? most : all.count, options);
    }
    for (uint32_t i = 0; i < count; i++) plugin_close(&libraries[i]);
    return status;
}
