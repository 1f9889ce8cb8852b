/* recorded.h -- the inputs of a recorded case: CASE.safetensors beside CASE.pt2. */
#ifndef TEST_RECORDED_H
#define TEST_RECORDED_H

#include "ferrite_abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Zeroed memory for an input. */
typedef void *input_memory(size_t bytes);

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    size_t bytes = (size_t)ftell(file);
    char *content = calloc(1, bytes + 1);
    rewind(file);
    if (fread(content, 1, bytes, file) != bytes) content[0] = 0;
    fclose(file);
    return content;
}

/* Elements from the first to the last, gaps between them included. */
static int64_t extent_of(uint32_t rank, const int64_t *sizes, const int64_t *strides)
{
    int64_t extent = 1;
    for (uint32_t d = 0; d < rank; d++) {
        if (sizes[d] == 0) return 0;
        extent += (sizes[d] - 1) * strides[d];
    }
    return extent;
}

/* Elements of the file are in a row, the program's where its strides say. */
static void spread(const fe_tensor *t, uint32_t dimension, char *to, const char **from,
                   int64_t bytes)
{
    if (dimension == t->rank) {
        memcpy(to, *from, (size_t)bytes);
        *from += bytes;
        return;
    }
    for (int64_t k = 0; k < t->sizes[dimension]; k++)
        spread(t, dimension + 1, to + k * t->strides[dimension] * bytes, from, bytes);
}

/* Reads "in.K":{"dtype":"F32","shape":[3,40],"data_offsets":[0,480]}. */
static int read_input(const char *content, const fe_port *port, uint32_t k, input_memory *memory,
                      fe_tensor *input)
{
    char key[32];
    uint64_t header;
    memcpy(&header, content, sizeof header);
    snprintf(key, sizeof key, "\"in.%u\":", k);
    const char *at = strstr(content + sizeof header, key);
    if (!at) return port->dtype == 0;
    int64_t *sizes = calloc(2 * (size_t)port->rank + 1, sizeof *sizes),
            *strides = sizes + port->rank, count = 1;
    at = strstr(at, "\"shape\":[") + 8;
    for (uint32_t d = 0; d < port->rank; d++)
        sizes[d] = strtoll(at + 1, (char **)(uintptr_t)&at, 10);
    for (uint32_t d = port->rank; d-- > 0; count *= sizes[d])
        strides[d] = port->strides[d] < 0 ? count : port->strides[d];
    at = strstr(at, "\"data_offsets\":[") + 16;
    int64_t begin = strtoll(at, (char **)(uintptr_t)&at, 10), end = strtoll(at + 1, NULL, 10);
    int64_t bytes = count ? (end - begin) / count : 1;
    void *data = memory((size_t)(extent_of(port->rank, sizes, strides) * bytes));
    *input = (fe_tensor){data, port->dtype, port->rank, sizes, strides};
    const char *from = content + sizeof header + header + begin;
    if (count) spread(input, 0, input->data, &from, bytes);
    return 1;
}

/* All inputs of the program at `path`; 0 where nothing is recorded. */
static int read_inputs(const char *path, const fe_artifact *artifact, input_memory *memory,
                       fe_tensor *inputs)
{
    char recorded[4096];
    snprintf(recorded, sizeof recorded, "%.*s.safetensors", (int)strlen(path) - 4, path);
    char *content = read_file(recorded);
    int is_there = content != NULL;
    for (uint32_t k = 0; is_there && k < artifact->input_count; k++)
        is_there = read_input(content, &artifact->inputs[k], k, memory, &inputs[k]);
    free(content);
    return is_there;
}

#endif
