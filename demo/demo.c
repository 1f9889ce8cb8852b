/* demo.c -- a compiled network reads handwritten digits that it has never seen.
 *
 *     demo DIGITS.so DIGITS.safetensors RIGHT COUNT
 *
 * Shows some digits as text with the network's answer, then how many of all it gets right beside
 * what PyTorch got (RIGHT of COUNT), and the time of a call. This is also an example of loading an
 * artifact at run time: nothing of ferrite is linked.
 */
#include "ferrite_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 8, PIXELS = SIDE * SIDE, CLASSES = 10, SHOWN = 4 };

/* The whole file in memory; NULL when it cannot be read. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    char *bytes = malloc(size + 1);
    rewind(file);
    if (bytes && fread(bytes, 1, size, file) != size) size = 0;
    if (bytes) bytes[size] = 0;
    fclose(file);
    return bytes;
}

/* The data of one tensor of a safetensors file: 8 bytes of header length, a JSON header, then the
 * tensors. */
static const void *tensor_data(const char *file, const char *name)
{
    uint64_t header;
    char key[64];
    long begin = 0;
    memcpy(&header, file, 8);
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *entry = strstr(file + 8, key);
    const char *offsets = entry ? strstr(entry, "\"data_offsets\":[") : NULL;
    if (!offsets || sscanf(offsets, "\"data_offsets\":[%ld", &begin) != 1) return NULL;
    return file + 8 + header + begin;
}

static void show_digits(const float *images, const int *answers, const int64_t *labels)
{
    static const char shades[] = " .:-=+*#%@";
    for (int row = 0; row < SIDE; row++) {
        for (int k = 0; k < SHOWN; k++) {
            fputs("   ", stdout);
            for (int column = 0; column < SIDE; column++) {
                int shade = (int)(images[k * PIXELS + row * SIDE + column] * 9.0f + 0.5f);
                putchar(shades[shade]);
                putchar(shades[shade]);
            }
        }
        putchar('\n');
    }
    for (int k = 0; k < SHOWN; k++) printf("   reads %d, is %d     ", answers[k], (int)labels[k]);
    puts("\n");
}

static int largest(const float *scores)
{
    int best = 0;
    for (int k = 1; k < CLASSES; k++)
        if (scores[k] > scores[best]) best = k;
    return best;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return fprintf(stderr, "usage: demo DIGITS.so DIGITS.safetensors RIGHT COUNT\n"), 2;
    void *library = dlopen(argv[1], RTLD_NOW);
    const fe_artifact *(*entry)(void);
    *(void **)&entry = library ? dlsym(library, "ferrite_artifact") : NULL;
    char *file = read_file(argv[2]);
    const float *images = file ? tensor_data(file, "x") : NULL;
    const int64_t *labels = file ? tensor_data(file, "y") : NULL;
    if (!entry || !images || !labels)
        return fprintf(stderr, "demo: cannot load %s and %s\n", argv[1], argv[2]), 1;

    const fe_artifact *network = entry();
    fe_model *model;
    fe_context *context;
    if (network->open(NULL, &model) || network->context_new(model, 1, &context))
        return fprintf(stderr, "demo: %s\n", network->error(NULL)), 1;

    int count = atoi(argv[4]), right = 0, answers[SHOWN] = {0};
    int64_t sizes[] = {1, 1, SIDE, SIDE};
    double begin = seconds();
    for (int k = 0; k < count; k++) {
        fe_tensor image = {(void *)(images + k * PIXELS), FE_F32, 4, sizes, NULL}, scores = {0};
        if (network->run(context, &image, 1, &scores, 1))
            return fprintf(stderr, "demo: %s\n", network->error(context)), 1;
        int answer = largest(scores.data);
        if (k < SHOWN) answers[k] = answer;
        right += answer == labels[k];
    }
    double taken = seconds() - begin;

    show_digits(images, answers, labels);
    printf("held-out digits read right: %d of %d (%.2f %%); PyTorch: %s of %d\n", right, count,
           100.0 * right / count, argv[3], count);
    printf("time a call: %.1f us\n", taken * 1e6 / count);
    network->context_free(context);
    network->close(model);
    dlclose(library);
    free(file);
    return right == atoi(argv[3]) ? 0 : 1;
}
