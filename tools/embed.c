/* embed.c -- embed OUT.c [NAME=]PATH...: writes the C source of the table that src/driver/embed.h
 * declares.
 *
 * The bytes are taken in by the assembler (.incbin) when OUT.c is compiled, which costs no time
 * however large the files are. Paths are relative to the folder in which the compiler runs. They are
 * read here once for their hashes, which every compile needs.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void write_bytes(FILE *out, int index, const char *path)
{
    fprintf(out,
            "__asm__(\".section .rodata\\n\"\n"
            "        \".balign 16\\n\"\n"
            "        \"ferrite_embedded_%d: .incbin \\\"%s\\\"\\n\"\n"
            "        \".byte 0\\n\"\n"
            "        \".text\\n\");\n"
            "extern const unsigned char ferrite_embedded_%d[] "
            "__attribute__((visibility(\"hidden\")));\n",
            index, path, index);
}

/* FNV-1a, of 64 bits, of the file's bytes. */
static uint64_t hash_file(const char *path, uint64_t h)
{
    FILE *in = fopen(path, "rb");
    for (int c; in && (c = getc(in)) != EOF;) h = (h ^ (unsigned char)c) * 0x100000001b3ull;
    if (in) fclose(in);
    return h;
}

static int ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), most = strlen(end);
    return length >= most && strcmp(path + length - most, end) == 0;
}

int main(int argc, char **argv)
{
    uint64_t headers = 0xcbf29ce484222325ull, library = headers;
    FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (!out) {
        fprintf(stderr, "usage: embed OUT.c [NAME=]PATH...\n");
        return 1;
    }
    fprintf(out, "/* Made by tools/embed.c. */\n#include \"driver/embed.h\"\n\n");
    for (int i = 2; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        write_bytes(out, i - 2, equals ? equals + 1 : argv[i]);
    }
    fprintf(out, "\nconst struct embedded_file embedded_files[] = {\n");
    for (int i = 2; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        const char *path = equals ? equals + 1 : argv[i];
        int name_length = (int)(equals ? (size_t)(equals - argv[i]) : strlen(path));
        struct stat about;
        if (stat(path, &about) != 0) {
            perror(path);
            return 1;
        }
        fprintf(out, "    {\"%.*s\", ferrite_embedded_%d, %lld},\n", name_length, argv[i], i - 2,
                (long long)about.st_size);
        if (ends_with(path, ".h")) headers = hash_file(path, headers);
        if (ends_with(path, ".a")) library = hash_file(path, library);
    }
    fprintf(out, "    {0, 0, 0},\n};\nconst size_t embedded_file_count = %d;\n", argc - 2);
    fprintf(out, "const uint64_t embedded_headers_hash = 0x%llxull;\n",
            (unsigned long long)headers);
    fprintf(out, "const uint64_t embedded_library_hash = 0x%llxull;\n",
            (unsigned long long)library);
    return fclose(out) == 0 ? 0 : 1;
}
