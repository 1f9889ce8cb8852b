// Loads an artifact and runs it on zeros: CGO_CFLAGS=-I../include go run load.go ./model.so
package main

/*
#cgo LDFLAGS: -ldl
#include "ferrite_abi.h"
#include <dlfcn.h>
#include <stdlib.h>

// Go calls C functions by name, not through pointers.
static const fe_artifact *load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    const fe_artifact *(*entry)(void) = NULL;
    if (library) *(void **)&entry = dlsym(library, "ferrite_artifact");
    return entry ? entry() : NULL;
}
static int open_model(const fe_artifact *a, fe_model **out) { return a->open(NULL, out); }
static int new_context(const fe_artifact *a, fe_model *m, fe_context **out) { return a->context_new(m, 0, out); }
static int run(const fe_artifact *a, fe_context *c, fe_tensor *in, fe_tensor *out)
{
    return a->run(c, in, a->input_count, out, a->output_count);
}
static const char *error_of(const fe_artifact *a, fe_context *c) { return a->error(c); }
static void end(const fe_artifact *a, fe_model *m, fe_context *c) { a->context_free(c); a->close(m); }
*/
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}

// Tensors of the declared sizes, 1 where these are dynamic. What C reads lies in C's memory.
func zeros(ports []C.fe_port) *C.fe_tensor {
	first := (*C.fe_tensor)(C.calloc(C.size_t(len(ports)+1), C.sizeof_fe_tensor))
	for k, tensor := range unsafe.Slice(first, len(ports)) {
		port, elements := ports[k], C.size_t(1)
		sizes := (*C.int64_t)(C.calloc(C.size_t(port.rank)+1, 8))
		for d, size := range unsafe.Slice(port.sizes, port.rank) {
			if size < 0 {
				size = 1
			}
			unsafe.Slice(sizes, port.rank)[d] = size
			elements *= C.size_t(size)
		}
		tensor = C.fe_tensor{data: C.calloc(elements+1, 16), dtype: port.dtype, rank: port.rank, sizes: sizes}
		unsafe.Slice(first, len(ports))[k] = tensor
	}
	return first
}

func main() {
	if len(os.Args) < 2 {
		fail("usage: load ./MODEL.so")
	}
	a := C.load(C.CString(os.Args[1]))
	if a == nil {
		fail("usage: load ./MODEL.so")
	}
	if a.abi_version != C.FE_ABI_VERSION {
		fail(fmt.Sprintf("%s has ABI version %d, this program %d", os.Args[1], a.abi_version, C.FE_ABI_VERSION))
	}
	var model *C.fe_model
	var context *C.fe_context
	if C.open_model(a, &model) != 0 || C.new_context(a, model, &context) != 0 {
		fail(C.GoString(C.error_of(a, nil)))
	}
	outputs := (*C.fe_tensor)(C.calloc(C.size_t(a.output_count), C.sizeof_fe_tensor))
	if C.run(a, context, zeros(unsafe.Slice(a.inputs, a.input_count)), outputs) != 0 {
		fail(C.GoString(C.error_of(a, context)))
	}
	ports := unsafe.Slice(a.outputs, a.output_count)
	for k, y := range unsafe.Slice(outputs, a.output_count) {
		fmt.Printf("%s: %v, first value at %p\n", C.GoString(ports[k].name), unsafe.Slice(y.sizes, y.rank), y.data)
	}
	C.end(a, model, context)
}
