/* tensor_file.c -- opens a file of tensors in whichever of the two formats it is.
 *
 * A .npy is known by its magic; anything else must be a .safetensors, whose reader says if not.
 */
#include "pt2/tensor_file.h"

#include <string.h>

bool tensor_bytes(ty_dtype dtype, uint32_t rank, const int64_t *shape, size_t *bytes)
{
    size_t total = ty_dtype_size(dtype);
    bool fits = true;
    for (uint32_t i = 0; i < rank; i++) {
        if (shape[i] < 0) return false;
        if (shape[i] == 0) {
            *bytes = 0;
            return true;
        }
        fits = fits && !__builtin_mul_overflow(total, (size_t)shape[i], &total);
    }
    *bytes = total;
    return fits && total <= INT64_MAX;
}

fe_status tensor_file_open(fe_session *session, arena *memory, const char *path, tensor_file *out)
{
    static const char NPY[] = "\x93NUMPY";
    *out = (tensor_file){0};
    FE_TRY(file_map(session, path, &out->file));
    if (out->file.size > 6 && memcmp(out->file.data, NPY, 6) == 0)
        return npy_read(session, memory, out);
    return safetensors_read(session, memory, out);
}

void tensor_file_close(tensor_file *file)
{
    file_unmap(&file->file);
    file->tensors = NULL;
    file->count = 0;
}

const tensor_entry *tensor_file_find(const tensor_file *file, const char *name)
{
    for (uint32_t i = 0; i < file->count; i++)
        if (strcmp(file->tensors[i].name, name) == 0) return &file->tensors[i];
    return NULL;
}
