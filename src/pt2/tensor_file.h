/* tensor_file.h -- files of plain tensors: .npy (one) and .safetensors (many, with names), read
 * mapped and written.
 *
 *     in.0   f32[8,64]   "model inputs and outputs of the command line, and of recorded cases"
 *     out.0  i64[8]
 *
 * Tensors are contiguous and little-endian. Every shape and offset is checked against the file.
 */
#ifndef FERRITE_TENSOR_FILE_H
#define FERRITE_TENSOR_FILE_H

#include "ty/ty.h"

typedef struct tensor_entry {
    const char *name; /* "" in .npy */
    ty_dtype dtype;
    uint32_t rank;
    const int64_t *shape;
    const void *data; /* aligned to the element; in the mapping where that allows it */
    size_t bytes;
} tensor_entry;

typedef struct tensor_file {
    mapped_file file;
    tensor_entry *tensors; /* in the file's order */
    uint32_t count;
} tensor_file;

/* Opens either format, told apart by the file's first bytes. The entries live in `memory` and
 * are good until tensor_file_close(), which is called whatever this returns. */
fe_status tensor_file_open(fe_session *session, arena *memory, const char *path, tensor_file *out);
void tensor_file_close(tensor_file *file);
const tensor_entry *tensor_file_find(const tensor_file *file,
                                     const char *name); /* NULL when absent */
/* Bytes of a contiguous tensor of these sizes; false when a size is negative or the product does
 * not fit. */
bool tensor_bytes(ty_dtype dtype, uint32_t rank, const int64_t *shape, size_t *bytes);

/* npy.c: versions 1 to 3 are read, 1 is written. bfloat16 stands as the two-byte raw type |V2. */
fe_status npy_read(fe_session *session, arena *memory, tensor_file *file);
fe_status npy_write(fe_session *session, const char *path, const tensor_entry *tensor);

/* safetensors.c */
fe_status safetensors_read(fe_session *session, arena *memory, tensor_file *file);
fe_status safetensors_write(fe_session *session, const char *path, const tensor_entry *tensors,
                            uint32_t count);

#endif
