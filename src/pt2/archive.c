/* archive.c -- opening an archive, choosing a model in it, and the order in which a model is
 * read.
 *
 * Format and versions are checked before anything else, so that a file from another tool or a
 * later torch is refused by what it is and not by the first thing that looks odd in it.
 */
#include "pt2/pt2_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Versions that this reader knows. The schema's minor number grows with compatible changes. */
enum { SCHEMA_MAJOR = 8, OPSET_ATEN = 10, CONTAINER_NEWEST = 10 };

fe_status archive_fail(pt2_archive *archive, fe_status status, const char *record, const char *help,
                       const char *format, ...)
{
    diag d = {.status = status, .stage = "pt2", .place = record, .help = help};
    char said[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    return diag_fail(archive->session, d, "%s", said);
}

/* ---- records ---- */

const pt2_record *pt2_find(const pt2_archive *archive, const char *name)
{
    return zip_find(&archive->zip, name);
}

fe_status archive_text(pt2_archive *archive, const char *name, const pt2_record **out)
{
    const pt2_record *record = pt2_find(archive, name);
    if (!record)
        return archive_fail(archive, FE_CORRUPT, archive->file.path, NULL,
                            "the record %s is missing", name);
    if (record->crc && record->crc != crc32_z(crc32_z(0, NULL, 0), record->data, record->size))
        return archive_fail(archive, FE_CORRUPT, name, "copy or export the file again",
                            "the record's checksum does not fit its bytes: the file is damaged");
    *out = record;
    return FE_OK;
}

/* The content of a short record without the newline at its end; NULL when it is missing or long. */
static const char *short_text(pt2_archive *archive, const char *name)
{
    const pt2_record *record = pt2_find(archive, name);
    if (!record || record->size > 100) return NULL;
    size_t length = record->size;
    while (length && (record->data[length - 1] == '\n' || record->data[length - 1] == ' '))
        length--;
    if (memchr(record->data, 0, length)) return NULL;
    char *out =
        arena_copy(archive->memory, record->data, length + 1 <= record->size ? length + 1 : length);
    if (length + 1 <= record->size) {
        out[length] = '\0';
        return out;
    }
    return arena_printf(archive->memory, "%.*s", (int)length, (const char *)record->data);
}

/* Records are asked for without the root folder, which is the first record's. */
static fe_status strip_root(pt2_archive *archive)
{
    zip_directory *zip = &archive->zip;
    archive->root = "";
    if (zip->count == 0)
        return archive_fail(archive, FE_CORRUPT, archive->file.path, NULL,
                            "the archive has no records");
    const char *slash = strchr(zip->records[0].name, '/');
    if (!slash) return FE_OK;
    size_t length = (size_t)(slash + 1 - zip->records[0].name);
    archive->root = arena_printf(archive->memory, "%.*s", (int)length, zip->records[0].name);
    zip->by_hash = (map){0};
    for (uint32_t i = 0; i < zip->count; i++) {
        pt2_record *record = &zip->records[i];
        if (strncmp(record->name, archive->root, length) != 0)
            return archive_fail(archive, FE_CORRUPT, record->name, NULL,
                                "the record is outside the archive's folder %s", archive->root);
        record->name += length;
        uint64_t hash = hash_bytes(record->name, strlen(record->name), 0);
        if (map_get(&zip->by_hash, hash) == MAP_NONE)
            map_set(archive->memory, &zip->by_hash, hash, i);
    }
    return FE_OK;
}

/* ---- format and versions ---- */

static fe_status check_container(pt2_archive *archive)
{
    const char *version = short_text(archive, ".data/version");
    if (!version) version = short_text(archive, "version");
    if (!version) return FE_OK;
    char *end;
    long number = strtol(version, &end, 10);
    if (*end || number < 1 || number > CONTAINER_NEWEST)
        return archive_fail(archive, FE_UNSUPPORTED, archive->file.path, NULL,
                            "container version %s is not known; this ferrite reads 1 to %d",
                            version, CONTAINER_NEWEST);
    return FE_OK;
}

static fe_status check_format(pt2_archive *archive)
{
    static const char SAVE_AGAIN[] =
        "save the program again with torch.export.save (torch 2.8 or later)";
    const char *format = short_text(archive, "archive_format");
    if (!format) {
        if (pt2_find(archive, "serialized_exported_program.json"))
            return archive_fail(archive, FE_UNSUPPORTED, archive->file.path, SAVE_AGAIN,
                                "this is the archive format from before torch 2.8");
        return archive_fail(archive, FE_CORRUPT, archive->file.path,
                            "a .pt2 comes from torch.export.save",
                            "this zip is no .pt2 archive: it has no record archive_format");
    }
    if (strcmp(format, "pt2") != 0)
        return archive_fail(archive, FE_UNSUPPORTED, archive->file.path, NULL,
                            "archive format '%s' is not known", format);
    const char *version = short_text(archive, "archive_version");
    if (!version || strcmp(version, "0") != 0)
        return archive_fail(archive, FE_UNSUPPORTED, archive->file.path, NULL,
                            "archive version %s is not known; this ferrite reads 0",
                            version ? version : "(none)");
    const char *order = short_text(archive, "byteorder");
    if (order && strcmp(order, "little") != 0)
        return archive_fail(archive, FE_UNSUPPORTED, archive->file.path,
                            "export on a little-endian machine", "byte order '%s' is not supported",
                            order);
    return check_container(archive);
}

static fe_status check_schema(json_at *root)
{
    json_at version, opset, aten;
    int64_t major, minor;
    FE_TRY(json_member(root, "schema_version", &version));
    FE_TRY(json_int_of(&version, "major", &major));
    FE_TRY(json_int_of(&version, "minor", &minor));
    if (major != SCHEMA_MAJOR)
        return json_fail(&version, FE_UNSUPPORTED,
                         "save the program with the torch release that this ferrite is for",
                         "schema version %lld.%lld is not known; this ferrite reads %d.x",
                         (long long)major, (long long)minor, SCHEMA_MAJOR);
    if (!json_find(root, "opset_version", &opset) || !json_find(&opset, "aten", &aten))
        return FE_OK;
    int64_t number;
    FE_TRY(json_int(&aten, &number));
    if (number < 1 || number > OPSET_ATEN)
        return json_fail(&aten, FE_UNSUPPORTED, NULL,
                         "operator set aten %lld is not known; this ferrite reads up to %d",
                         (long long)number, OPSET_ATEN);
    return FE_OK;
}

/* ---- models ---- */

static void find_models(pt2_archive *archive)
{
    static const char FOLDER[] = "models/", ENDING[] = ".json";
    const size_t before = strlen(FOLDER), after = strlen(ENDING);
    for (uint32_t i = 0; i < archive->zip.count; i++) {
        const char *name = archive->zip.records[i].name;
        size_t length = strlen(name);
        if (length <= before + after || strncmp(name, FOLDER, before) != 0) continue;
        if (strcmp(name + length - after, ENDING) != 0) continue;
        vec_push(archive->memory, &archive->models,
                 intern_n(archive->session, name + before, length - before - after));
    }
}

uint32_t pt2_model_count(const pt2_archive *archive)
{
    return archive->models.count;
}

const char *pt2_model_name(const pt2_archive *archive, uint32_t i)
{
    return archive->models.at[i];
}

static fe_status choose_model(pt2_archive *archive, const char **model)
{
    text names;
    text_init(&names, archive->memory);
    for (uint32_t i = 0; i < archive->models.count; i++) {
        if (*model && strcmp(*model, archive->models.at[i]) == 0) return FE_OK;
        text_printf(&names, "%s%s", i ? ", " : "", archive->models.at[i]);
    }
    if (archive->models.count == 0)
        return archive_fail(archive, FE_UNSUPPORTED, archive->file.path,
                            "save the exported program itself",
                            "the archive holds no exported program (no models/*.json)");
    if (*model)
        return archive_fail(archive, FE_USAGE, archive->file.path, NULL,
                            "there is no model '%s'; the archive holds %s", *model, names.at);
    if (archive->models.count > 1)
        return archive_fail(archive, FE_USAGE, archive->file.path, "name one of them",
                            "the archive holds several models: %s", names.at);
    *model = archive->models.at[0];
    return FE_OK;
}

/* ---- open and close ---- */

static pt2_archive *archive_new(fe_session *session)
{
    pt2_archive *archive = NEW(session->memory, pt2_archive);
    archive->session = session;
    archive->memory = arena_new(session);
    return archive;
}

static fe_status read_whole(pt2_archive *archive)
{
    const mapped_file *file = &archive->file;
    bool unsupported;
    const char *wrong =
        zip_read(archive->memory, file->data, file->size, &archive->zip, &unsupported);
    if (wrong)
        return archive_fail(archive, unsupported ? FE_UNSUPPORTED : FE_CORRUPT, file->path, NULL,
                            "cannot read the archive: %s", wrong);
    FE_TRY(strip_root(archive));
    FE_TRY(check_format(archive));
    find_models(archive);
    return FE_OK;
}

static fe_status read_directory(pt2_archive *archive)
{
    diag_mark_t before = diag_mark(archive->session);
    fe_status status = read_whole(archive);
    bool is_program = status == FE_OK && archive->models.count > 0;
    return is_program ? FE_OK : foreign_refuse(archive, status, before);
}

fe_status pt2_open(fe_session *session, const char *path, pt2_archive **out)
{
    *out = archive_new(session);
    FE_TRY(file_map(session, path, &(*out)->file));
    return read_directory(*out);
}

fe_status pt2_open_memory(fe_session *session, const char *name, const void *bytes, size_t size,
                          pt2_archive **out)
{
    *out = archive_new(session);
    (*out)->file =
        (mapped_file){.data = bytes, .size = size, .path = intern(session, name), .borrowed = true};
    return read_directory(*out);
}

void pt2_close(pt2_archive *archive)
{
    if (!archive) return;
    file_unmap(&archive->file);
    arena_free(archive->memory);
    archive->memory = NULL;
}

void pt2_use_ops(pt2_archive *archive, op_registry *ops)
{
    archive->ops = ops;
}

const fx_value *pt2_recorded_value(const pt2_archive *archive, const fx_node *node)
{
    if (!node->origin || node->origin->node != node->name) return NULL;
    uint32_t i = map_get(&archive->recorded, MAP_KEY(node->origin));
    return i == MAP_NONE ? NULL : archive->recorded_values.at[i];
}

/* ---- reading ---- */

static fe_status read_guards(fx_graph *g, json_at *root)
{
    json_at guards, guard;
    json_walk walk;
    if (!json_find(root, "guards_code", &guards)) return FE_OK;
    FE_TRY(json_walk_array(&guards, &walk));
    while (json_next(&walk, &guard)) {
        const char *code;
        FE_TRY(json_name(&guard, &code));
        vec_push(g->memory, &g->guards, code);
    }
    return FE_OK;
}

static fe_status read_program(reader *r, json_at *root, const char *model, fx_graph *g)
{
    json_at constraints, module, graph, signature;
    scope *s = NEW(r->memory, scope);
    s->reader = r;
    s->graph = g;
    FE_TRY(check_schema(root));
    FE_TRY(json_member(root, "range_constraints", &constraints));
    FE_TRY(ranges_read(r, &constraints));
    FE_TRY(json_member(root, "graph_module", &module));
    FE_TRY(json_member(&module, "graph", &graph));
    FE_TRY(json_member(&module, "signature", &signature));
    FE_TRY(ranges_open_numbers(r, &graph));
    FE_TRY(values_read(s, &graph));
    FE_TRY(inputs_read(s, &graph, &signature, model));
    FE_TRY(nodes_read(s, &graph));
    FE_TRY(outputs_read(s, &graph, &signature));
    FE_TRY(structure_read(s, &module));
    FE_TRY(ranges_keep(r, &constraints, g));
    FE_TRY(read_guards(g, root));
    floats_write(r, g);
    g->next_symbol = r->next_unbacked;
    return fx_check_sizes(g);
}

fe_status pt2_read(fe_session *session, pt2_archive *archive, const char *model, arena *memory,
                   fx_graph **out)
{
    const pt2_record *record;
    json_at root;
    uint32_t diags = session->diag_count;
    *out = NULL;
    CHECK(session, archive->session == session);
    FE_TRY(choose_model(archive, &model));
    FE_TRY(archive_text(archive, arena_printf(archive->memory, "models/%s.json", model), &record));

    reader *r = NEW(memory, reader);
    r->session = session;
    r->archive = archive;
    r->memory = memory;
    r->documents = (json_owner){.session = session, .memory = archive->memory};
    r->symbols = sym_table_new(memory);
    r->ops = archive->ops ? archive->ops : op_registry_new(memory);
    r->getitem = op_find(r->ops, "_operator.getitem");
    CHECK(session, r->getitem);
    fx_graph *g = fx_graph_new(session, memory, r->symbols, r->ops, "main");
    fe_status status =
        json_open(&r->documents, "pt2", record->name, record->data, record->size, &root);
    if (status == FE_OK) status = read_program(r, &root, model, g);
    json_close_all(&r->documents);
    if (status == FE_OK && r->unsupported) status = FE_UNSUPPORTED;
    if (status == FE_OK && session->diag_count != diags) status = session->last_diag->status;
    if (status == FE_OK) *out = g;
    return status;
}
