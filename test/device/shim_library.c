/* shim_library.c -- compiles kernels of a dialect by the host's C++ compiler ($CXX, else c++). */
#define _GNU_SOURCE
#include "shim_library.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t hash_of(const char *text, size_t bytes, uint64_t hash)
{
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash;
}

/* What stands in the headers is part of what a library is made of. */
static uint64_t hash_of_headers(const char *names, uint64_t hash)
{
    const char *const headers[] = {names, "shim.h", "shim_cuda.h", "shim_metal.h"};
    for (int i = 0; i < 4; i++) {
        char text[32768];
        snprintf(text, sizeof text, "%s/%s", SHIM_FOLDER, headers[i]);
        FILE *file = fopen(text, "r");
        size_t bytes = file ? fread(text, 1, sizeof text, file) : 0;
        if (file) fclose(file);
        hash = hash_of(text, bytes, hash);
    }
    return hash;
}

/* The compiler's first error. */
static int refused(const fe_device_host *host, const char *log)
{
    char line[400] = "";
    FILE *file = fopen(log, "r");
    while (file && fgets(line, sizeof line, file) && !strstr(line, "error")) continue;
    if (file) fclose(file);
    line[strcspn(line, "\n")] = '\0';
    snprintf(host->message, host->message_bytes, "the C++ compiler refuses the kernels: %s", line);
    return FE_RUN_BAD_PROCESSOR;
}

static int make_library(const shim_language *language, const char *text, size_t bytes,
                        const char *library, const fe_device_host *host)
{
    char folder[] = "/tmp/shim-XXXXXX", source[64], made[64], log[64], command[1024];
    const char *compiler = getenv("CXX");
    if (!mkdtemp(folder)) return FE_RUN_NO_MEMORY;
    snprintf(source, sizeof source, "%s/k.cpp", folder);
    snprintf(made, sizeof made, "%s/k.so", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    FILE *file = fopen(source, "w");
    if (file)
        fprintf(file, "#include \"%s/%s\"\n#line 1 \"kernels\"\n", SHIM_FOLDER, language->names);
    if (file) fwrite(text, 1, bytes, file);
    if (file) fclose(file);
    snprintf(
        command, sizeof command,
        "%s %s -I%s -w -O1 -ffp-contract=off -fno-strict-aliasing -fno-exceptions -shared -fPIC "
        "-Wl,-Bsymbolic %s -o %s -lm >%s 2>&1 && mv %s %s",
        compiler ? compiler : "c++", language->flags, SHIM_FOLDER, source, made, log, made,
        library);
    int code = file && system(command) == 0 ? 0 : refused(host, log);
    unlink(source);
    unlink(made);
    unlink(log);
    rmdir(folder);
    return code;
}

int shim_make(const shim_language *language, const char *text, size_t bytes, char *library,
              size_t library_bytes, const fe_device_host *host)
{
    const char *cache = getenv("SHIM_CACHE");
    uint64_t hash = hash_of(text, bytes, hash_of_headers(language->names, 0xcbf29ce484222325u));
    snprintf(library, library_bytes, "%s/shim-%016llx.so", cache ? cache : "/tmp",
             (unsigned long long)(cache ? hash : hash ^ (uint64_t)getpid() << 32));
    if (cache && access(library, R_OK) == 0) return 0;
    return make_library(language, text, bytes, library, host);
}

void shim_forget(const char *library)
{
    if (!getenv("SHIM_CACHE")) unlink(library);
}
