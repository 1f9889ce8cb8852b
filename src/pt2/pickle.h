/* pickle.h -- the Python objects of a torch.save file, as data: nothing is ever called or imported.
 *
 * Read are tensors, numbers, strings, None, and nested lists, tuples and dictionaries of them.
 */
#ifndef FERRITE_PT2_PICKLE_H
#define FERRITE_PT2_PICKLE_H

#include "pt2/pt2.h"

typedef enum pickle_kind {
    PICKLE_MARK,
    PICKLE_VALUE,
    PICKLE_LIST,
    PICKLE_TUPLE,
    PICKLE_DICT,
    PICKLE_GLOBAL,
    PICKLE_STORAGE,
    PICKLE_OTHER
} pickle_kind;

typedef struct pickle_object pickle_object;
struct pickle_object {
    pickle_kind kind;
    pt2_sample value;           /* VALUE; STORAGE: bytes and dtype */
    const char *name;           /* GLOBAL: "module name" */
    VEC(pickle_object *) items; /* LIST, TUPLE; DICT: key, value, key, value, ... */
};

/* The object in the torch.save file that lies in the record; NULL when it holds anything else. */
const pickle_object *pickle_read(fe_session *session, arena *memory, const pt2_record *record);

#endif
