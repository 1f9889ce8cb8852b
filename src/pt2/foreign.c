/* foreign.c -- files that people take for exported programs, told apart by what they hold: what it is, and
 * the lines that make an exported program of what it came from.
 */
#define _GNU_SOURCE
#include "pt2/pt2_priv.h"

#include <string.h>

#define EXPORT                                                                                 \
    "\n      program = torch.export.export(model.eval(), (x,))   # x: an example of its input" \
    "\n      torch.export.save(program, \"model.pt2\")"

static const char EXPORT_MODULE[] = "export the module that it was made from:" EXPORT;
static const char LOAD_AND_EXPORT[] =
    "load it into its module, model.load_state_dict(torch.load(path)), and export that:" EXPORT;
static const char LOAD_TENSORS_AND_EXPORT[] =
    "load it into its module, model.load_state_dict(safetensors.torch.load_file(path)), and export "
    "that:" EXPORT;
static const char UNPICKLE_AND_EXPORT[] =
    "load it where its class is known, model = torch.load(path, weights_only=False), and export "
    "that:" EXPORT;

/* ---- files that begin with a mark ---- */

typedef struct mark {
    size_t at;
    const char *bytes;
    const char *what, *help;
} mark;

static const mark MARKS[] = {
    {0, "\177ELF", "a compiled library",
     "a library that ferrite made is loaded as it is: ferrite.load(path) in Python, dlopen() in C"},
    {0, "GGUF", "a GGUF file: weights without a program", EXPORT_MODULE},
    {0, "\211HDF\r\n", "an HDF5 file, as Keras writes", EXPORT_MODULE},
    {4, "TFL3", "a TensorFlow Lite model", EXPORT_MODULE},
    {0, "\223NUMPY", "a numpy array",
     "inputs are given to the compiled program, not to the compiler"},
};

static bool begins_with(const uint8_t *data, size_t size, const char *bytes)
{
    size_t length = strlen(bytes);
    return size >= length && memcmp(data, bytes, length) == 0;
}

static const mark *find_mark(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < COUNT_OF(MARKS); i++)
        if (size > MARKS[i].at &&
            begins_with(data + MARKS[i].at, size - MARKS[i].at, MARKS[i].bytes))
            return &MARKS[i];
    return NULL;
}

/* ---- protocol buffers of ONNX ---- */

static bool read_varint(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    *out = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return true;
    }
    return false;
}

/* A ModelProto: its version first, and a graph (field 7) among fields that are numbers or have a length. */
static bool is_onnx(const uint8_t *data, size_t size)
{
    enum { VERSION = 1, GRAPH = 7, NUMBER = 0, LENGTH = 2 };
    const uint8_t *at = data, *end = data + size;
    for (bool is_first = true; at < end; is_first = false) {
        uint64_t tag, value;
        if (!read_varint(&at, end, &tag) || !read_varint(&at, end, &value)) return false;
        if (is_first && tag != (VERSION << 3 | NUMBER)) return false;
        if (tag == (GRAPH << 3 | LENGTH)) return true;
        if ((tag & 7) == NUMBER) continue;
        if ((tag & 7) != LENGTH || value > (uint64_t)(end - at)) return false;
        at += value;
    }
    return false;
}

static bool is_safetensors(const uint8_t *data, size_t size)
{
    uint64_t header = 0;
    if (size < 10) return false;
    for (int i = 7; i >= 0; i--) header = header << 8 | data[i];
    return header >= 2 && header <= size - 8 && data[8] == '{';
}

/* ---- what torch.save has pickled ---- */

static const char PICKLE[] = "\200\002"; /* protocol 2 */

/* The object's pickle in a file from before torch 1.6: behind a mark, a version and facts of the machine. */
static const uint8_t *old_pickle(const uint8_t *data, size_t size)
{
    static const char MARK[] = "\200\002\212\nl\374\234F\371 j\250P\031.", NEXT[] = ".\200\002";
    const uint8_t *at = data, *end = data + size;
    if (!begins_with(data, size, MARK)) return NULL;
    for (int i = 0; i < 3 && at; i++)
        if ((at = memmem(at, (size_t)(end - at), NEXT, strlen(NEXT)))) at++;
    return at;
}

/* By the first thing that the pickle makes: an object of a class, or a dictionary of tensors. */
static void tell_pickle(pt2_archive *archive, const uint8_t *data, size_t size, const char **what,
                        const char **help)
{
    static const char TENSOR[] = "ctorch._utils\n";
    *what = "weights without a program, as torch.save writes a state dict";
    *help = LOAD_AND_EXPORT;
    if (!begins_with(data, size, PICKLE)) return;
    /* before torch 1.6 with its source: ("module", class, ...) */
    static const char OLD_MODULE[] = "\200\002(X\006\0\0\0moduleq\0";
    size_t ahead = sizeof OLD_MODULE - strlen(PICKLE) - 1;
    if (size > ahead && memcmp(data, OLD_MODULE, sizeof OLD_MODULE - 1) == 0) {
        data += ahead;
        size -= ahead;
    }
    if (size < 3 || data[2] != 'c') return;
    const char *name = (const char *)data + 3;
    const char *end = memchr(name, '\n', size - 3);
    const char *last =
        end ? memchr(end + 1, '\n', size - (size_t)(end + 1 - (const char *)data)) : NULL;
    if (!last || begins_with(data + 2, size - 2, "ccollections\nOrderedDict\n")) return;
    if (begins_with(data + 2, size - 2, TENSOR)) {
        *what = "a tensor that torch.save has written";
        *help = "inputs are given to the compiled program, not to the compiler";
        return;
    }
    *what = arena_printf(archive->memory,
                         "a pickled object of the class %.*s.%.*s, as torch.save writes a module",
                         (int)(end - name), name, (int)(last - end - 1), end + 1);
    *help = UNPICKLE_AND_EXPORT;
}

/* ---- zips ---- */

/* The directory is at the end: it is looked through as it is, for we may not read all of such a zip. */
static bool zip_names(const mapped_file *file, const char *name)
{
    enum { MOST = 8 << 20 };
    size_t length = file->size < MOST ? file->size : MOST;
    return memmem(file->data + file->size - length, length, name, strlen(name)) != NULL;
}

static bool tell_zip(pt2_archive *archive, const char **what, const char **help)
{
    const mapped_file *file = &archive->file;
    const pt2_record *pickle = pt2_find(archive, "data.pkl");
    *help = EXPORT_MODULE;
    if (zip_names(file, "/constants.pkl") && zip_names(file, "/code/")) {
        *what = "a TorchScript module";
    } else if (zip_names(file, "/data/aotinductor/")) {
        *what = "a package of AOTInductor, which holds machine code and no program";
        *help = "save the exported program that it was compiled from:" EXPORT;
    } else if (zip_names(file, "/.data/extern_modules")) {
        *what = "a package of torch.package";
    } else if (pickle) {
        tell_pickle(archive, pickle->data, pickle->size, what, help);
    } else
        return false;
    return true;
}

fe_status foreign_refuse(pt2_archive *archive, fe_status otherwise, diag_mark_t before)
{
    static const uint8_t NOTHING[1];
    size_t size = archive->file.size;
    const uint8_t *data = size ? archive->file.data : NOTHING;
    const uint8_t *old = old_pickle(data, size);
    const mark *m = find_mark(data, size);
    const char *what = NULL, *help = EXPORT_MODULE;
    if (m) {
        what = m->what;
        help = m->help;
    } else if (old) {
        tell_pickle(archive, old, (size_t)(data + size - old), &what, &help);
    } else if (is_safetensors(data, size)) {
        what = "a file of safetensors: weights without a program";
        help = LOAD_TENSORS_AND_EXPORT;
    } else if (is_onnx(data, size)) {
        what = "an ONNX model";
    } else if (!begins_with(data, size, "PK") || !tell_zip(archive, &what, &help))
        return otherwise;
    diag_forget_since(archive->session, before);
    return archive_fail(archive, FE_USAGE, archive->file.path, help,
                        "this is no exported program, but %s", what);
}
