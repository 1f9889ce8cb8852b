/* pt2.h -- the archive that torch.export.save writes: records mapped, never copied; JSON to fx;
 * weights as views.
 *
 * An archive is a zip of stored records under one root folder:
 *
 *     net/archive_format                "pt2"
 *     net/archive_version               "0"
 *     net/byteorder                     "little"
 *     net/.data/version                 "3\n", the container's own (or net/version)
 *     net/models/model.json             the program: graph, signature, ranges, guards; schema 8.x
 *     net/data/weights/model_weights_config.json   {"config": {"fc.weight": {"path_name": ...}}}
 *     net/data/weights/weight_0         the bytes of one storage; tied weights name the same one
 *     net/data/constants/...            likewise: constants, and buffers that are not persistent
 *     net/data/sample_inputs/model.pt   a zip in a record: what the program was exported with
 *
 * A model becomes the fx graph that torch.export had, with three things made explicit: every
 * call has one argument for each parameter of its schema (the archive leaves defaults out),
 * `_operator.getitem` nodes stand where the archive folds them into their producer's outputs
 * (none for outputs that nobody reads), and a keyword argument of a higher-order operator is a
 * list of its name and its value, as its items are in a dictionary argument.
 *
 * The recorded ranges of unbacked symbols (u0 in [0, 99]) are what the program's own assertions
 * establish. A predicate may be true by them and its assertion must run all the same.
 *
 * Laws. P1 No byte outside a record is read through it: every offset and length is checked
 * against the file. P2 What is wrong with an archive comes back as one diagnostic that names the
 * record and the place in it; operators that we don't know come back together, one diagnostic
 * each with its recorded source line. P3 Weights are views into the mapping, so the archive
 * stays open as long as they are used. P4 The same archive gives the same graph.
 */
#ifndef FERRITE_PT2_H
#define FERRITE_PT2_H

#include "fx/fx.h"

/* An open archive. It belongs to its session: close it before the session goes. */
typedef struct pt2_archive pt2_archive;

/* One record: a view into the mapping. */
typedef struct pt2_record {
    const char *name; /* without the root folder */
    const uint8_t *data;
    size_t size;
    uint32_t crc; /* as the directory has it; 0 where the writer left it out */
} pt2_record;

/* ---- archive.c ---- */
/* Maps the file, reads its directory and checks the format and its versions. *out is set even on
 * failure (NULL or to be closed), so that one pt2_close() serves every way out. */
fe_status pt2_open(fe_session *session, const char *path, pt2_archive **out);
/* The same for an archive in memory, aligned to 64 bytes, which must outlive it. */
fe_status pt2_open_memory(fe_session *session, const char *name, const void *bytes, size_t size,
                          pt2_archive **out);
void pt2_close(pt2_archive *archive); /* NULL is fine; graphs read from it lose their weights */
uint32_t pt2_model_count(const pt2_archive *archive);
const char *pt2_model_name(const pt2_archive *archive, uint32_t i);
/* The record of this name ("models/model.json"), or NULL. */
const pt2_record *pt2_find(const pt2_archive *archive, const char *name);
/* Operators declared by the user, for all following pt2_read(); without it each graph has a
 * registry of its own. */
void pt2_use_ops(pt2_archive *archive, op_registry *ops);
/* Reads a model (NULL: the only one) into `memory`: nodes, recorded metadata, signature, symbols
 * with ranges, weights. */
fe_status pt2_read(fe_session *session, pt2_archive *archive, const char *model, arena *memory,
                   fx_graph **out);

/* What the archive records for this node of a graph that pt2_read() made, subgraphs included; NULL
 * for nodes that were made since, or renamed, and for those of clones. It stays when inference or a
 * pass replaces node->value. */
const fx_value *pt2_recorded_value(const pt2_archive *archive, const fx_node *node);

/* ---- sample.c: the inputs that the program was exported with ---- */
typedef enum pt2_sample_kind {
    PT2_NONE,
    PT2_TENSOR,
    PT2_INT,
    PT2_FLOAT,
    PT2_BOOL,
    PT2_COMPLEX,
    PT2_STRING
} pt2_sample_kind;
typedef struct pt2_sample {
    pt2_sample_kind kind;
    int64_t integer;    /* INT, BOOL */
    double number;      /* FLOAT; COMPLEX: the real part */
    double imaginary;   /* COMPLEX */
    const char *string; /* STRING */
    /* TENSOR: a view into a storage that may be shared by several; every element lies inside it. */
    ty_dtype dtype;
    uint32_t rank;
    const int64_t *sizes, *strides; /* elements */
    int64_t offset;                 /* elements */
    const uint8_t *storage;         /* in the mapping; not aligned */
    size_t storage_size;
} pt2_sample;
/* One value for each user input of the model that `g` was read from, constant ones included, in
 * the order of its placeholders. False when the archive has no sample inputs or holds them in a
 * form that we don't read; that is not an error. */
bool pt2_sample_inputs(pt2_archive *archive, const char *model, const fx_graph *g, arena *memory,
                       const pt2_sample **samples, uint32_t *count);

#endif
