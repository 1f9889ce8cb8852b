# the shim of CUDA (shim.c) runs a block's threads in step: sums in memory of the block are right with barriers, wrong without; threads that part at a barrier are named, and so is a compiler that refuses; memory of a block is noise when it begins
--skip-if-missing-- c++
--once--
--run-- ${FERRITE_TEST_CC:-cc} -shared -fPIC -I$ROOT/include -DSHIM_FOLDER="\"$ROOT/test/device\"" $ROOT/test/device/shim*.c -o shim.so -lpthread && ${FERRITE_TEST_CC:-cc} -I$ROOT/include host.c -o host -ldl && ./host
--file host.c--
#include "ferrite_device.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#define HEAD "typedef long long i64;\n" \
    "#define PARAMETERS i64 *fault, const i64 rows, const i64 columns, char *b\n" \
    "#define T ((int)threadIdx.x)\n"
#define KERNEL(name) "extern \"C\" __global__ void " name "(PARAMETERS)\n{\n"
static const char text[] = HEAD
    KERNEL("joined") "  __shared__ int s[8];\n  s[T] = T;\n  __syncthreads();\n"
    "  for (int w = 4; w > 0; w /= 2) {\n    if (T < w) s[T] += s[T + w];\n    __syncthreads();\n  }\n"
    "  if (T == 0) ((i64 *)b)[blockIdx.x] = s[0];\n}\n"
    KERNEL("hasty") "  __shared__ int s[8];\n  s[T] = T;\n"
    "  for (int w = 4; w > 0; w /= 2) {\n    if (T < w) s[T] += s[T + w];\n  }\n"
    "  if (T == 0) ((i64 *)b)[blockIdx.x] = s[0] == 28;\n}\n"
    KERNEL("parted") "  if (T < 3) __syncthreads();\n  else\n    __syncthreads();\n}\n"
    KERNEL("gone") "  if (T == 5) return;\n  __syncthreads();\n}\n"
    KERNEL("stale") "  __shared__ int s;\n  ((i64 *)b)[blockIdx.x] = s;\n  __syncthreads();\n  s = 1;\n}\n"
    KERNEL("lonely") "  __syncthreads();\n}\n"
    KERNEL("counted") "  if (blockIdx.x * blockDim.x + T < 300) atomicAdd((int *)b, 1);\n}\n";
static char message[500];
static const fe_device_driver *d;
static fe_device *device;
static void run(const char *name, const char *source, uint32_t group)
{
    const fe_device_kernel kernel = {name, 1, 0};
    const fe_device_code code = {source, strlen(source), &kernel, 1, 0, &group};
    const fe_device_host host = {message, sizeof message};
    int64_t zeroes[4] = {0}, seen[4];
    void *address;
    fe_device_module *m;
    fe_device_queue *q;
    if (d->open(0, &host, &device) || d->load(device, &code, &m)) {
        puts(strstr(message, "refuses") ? "its compiler refuses it" : message);
        return;
    }
    d->queue_new(device, &q);
    d->allocate(device, sizeof zeroes, &address);
    d->write(q, address, zeroes, sizeof zeroes);
    fe_device_launch l = {m, 0, address, group ? 2 : 300, group ? group : 1, &address, 1, NULL, 0};
    int failed = d->launch(q, &l);
    d->read(q, seen, address, sizeof seen);
    if (failed) puts(message);
    else printf("%s: %lld %lld\n", name, (long long)seen[0], (long long)seen[1]);
    d->queue_free(q);
    d->unload(m);
    d->release(device, address);
    d->close(device);
}
int main(void)
{
    const fe_device_driver *(*entry)(void);
    *(void **)&entry = dlsym(dlopen("./shim.so", RTLD_NOW), "ferrite_device");
    d = entry();
    run("joined", text, 8);
    run("hasty", text, 8);
    run("parted", text, 8);
    run("gone", text, 8);
    run("joined", text, 8);
    run("stale", text, 8);
    run("lonely", text, 0);
    run("counted", text, 0);
    run("wrong", HEAD KERNEL("wrong") "  shared = 1;\n}\n", 8);
    return 0;
}
--out--
joined: 28 28
hasty: 0 0
parted: threads of block 1 part at a barrier: thread 0 waits at line 26, thread 3 waits at line 28
gone: threads of block 1 part at a barrier: thread 0 waits at line 33, thread 5 has ended
joined: 28 28
stale: -1515870811 -1515870811
lonely: a barrier in a kernel without work-groups
counted: 300 0
its compiler refuses it
