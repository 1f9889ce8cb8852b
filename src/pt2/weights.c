/* weights.c -- parameters, buffers and constants: views into the mapping, tied ones sharing a
 * storage.
 *
 * A configuration record maps names to storage records; an entry is read only when the program's
 * signature asks for its name. Each view is checked against its record's length.
 */
#include "pt2/pt2_priv.h"

#include <string.h>

fe_status weights_open(reader *r, const char *folder, const char *model, weight_table *out)
{
    json_at entry;
    json_walk walk;
    const pt2_record *record;
    *out = (weight_table){.folder = folder};
    out->record = arena_printf(r->memory, "data/%s/%s_%s_config.json", folder, model, folder);
    if (!pt2_find(r->archive, out->record)) return FE_OK; /* an error when a weight is wanted */
    FE_TRY(archive_text(r->archive, out->record, &record));
    FE_TRY(json_open(&r->documents, "pt2", out->record, record->data, record->size, &out->root));
    FE_TRY(json_member(&out->root, "config", &out->config));
    FE_TRY(json_walk_object(&out->config, &walk));
    while (json_next(&walk, &entry)) {
        const char *name;
        FE_TRY(json_key(&entry, &name));
        map_set(r->memory, &out->names, MAP_KEY(name), out->entries.count);
        vec_push(r->memory, &out->entries, entry);
    }
    return FE_OK;
}

/* One fx_data for each storage record, so that tied weights share it. */
static const fx_data *storage_of(reader *r, const pt2_record *record, uint32_t alignment)
{
    const char *name = intern(r->session, record->name);
    uint32_t i = map_get(&r->storages, MAP_KEY(name));
    if (i != MAP_NONE) return r->storage_data.at[i];
    fx_data *data = NEW(r->memory, fx_data);
    data->bytes = record->data;
    data->size = record->size;
    data->record = name;
    /* torch aligns records to 64 bytes; only an archive that another tool packed again needs
     * this copy */
    if (alignment && (uintptr_t)data->bytes % alignment)
        data->bytes = arena_copy(r->memory, record->data, record->size);
    map_set(r->memory, &r->storages, MAP_KEY(name), r->storage_data.count);
    vec_push(r->memory, &r->storage_data, data);
    return data;
}

/* Elements from the storage's start that the view reaches; -1 when a size is no constant. */
static int64_t reach_of(reader *r, const ty_tensor *t)
{
    int64_t reach = 1, size, stride;
    bool empty = false;
    if (!sym_is_int(r->symbols, t->offset, &size)) return -1;
    reach += size;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (!sym_is_int(r->symbols, t->sizes[i], &size) ||
            !sym_is_int(r->symbols, t->strides[i], &stride))
            return -1;
        if (size == 0) empty = true;
        if (!empty) reach += (size - 1) * stride; /* no overflow: value_tensor() has looked */
    }
    return empty ? 0 : reach;
}

static fe_status read_entry(reader *r, const weight_table *table, json_at *entry, const char *name,
                            weight *out)
{
    json_at pickle, meta;
    bool is_pickled;
    const char *path;
    FE_TRY(json_member(entry, "use_pickle", &pickle));
    FE_TRY(json_boolean(&pickle, &is_pickled));
    if (is_pickled)
        return json_fail(entry, FE_UNSUPPORTED,
                         "call run_decompositions() of the exported program before it is saved: it "
                         "then has the plain tensors that the weight is made of",
                         "weight '%s' is pickled: a tensor subclass cannot be read without Python",
                         name);
    FE_TRY(json_text_of(entry, "path_name", &path));
    FE_TRY(json_member(entry, "tensor_meta", &meta));
    FE_TRY(value_tensor(r, &meta, &out->meta));

    const char *record_name = arena_printf(r->memory, "data/%s/%s", table->folder, path);
    const pt2_record *record = pt2_find(r->archive, record_name);
    if (!record)
        return json_fail(entry, FE_CORRUPT, NULL,
                         "weight '%s' is in the record %s, which is missing", name, record_name);
    int64_t reach = reach_of(r, out->meta);
    uint32_t element = ty_dtype_size(out->meta->dtype);
    if (reach < 0)
        return json_fail(&meta, FE_CORRUPT, NULL, "weight '%s' has sizes that are no numbers",
                         name);
    if ((uint64_t)reach > record->size / element)
        return json_fail(entry, FE_CORRUPT, NULL,
                         "weight '%s' needs %llu bytes, record %s holds %zu", name,
                         (unsigned long long)reach * element, record_name, record->size);
    out->data = storage_of(r, record, element);
    return FE_OK;
}

fe_status weights_find(reader *r, weight_table *table, const char *name, weight *out, bool *found)
{
    uint32_t i = map_get(&table->names, MAP_KEY(name));
    *found = i != MAP_NONE;
    if (!*found) return FE_OK;
    json_at entry = table->entries.at[i];
    entry.parent = &table->config;
    arena_mark_t mark = json_mark(entry.document);
    FE_TRY(read_entry(r, table, &entry, name, out));
    json_drop(entry.document, mark);
    return FE_OK;
}
