"""Loads an artifact and runs it on zeros, with nothing but Python: load.py ./model.so"""

import ctypes as c
import sys

ABI_VERSION = 1
ELEMENT_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 2, 7: 4, 8: 8, 9: 4, 10: 8, 11: 16, 12: 1, 13: 2, 28: 2, 34: 4,
                 35: 8}


class Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("dtype", c.c_uint32), ("rank", c.c_uint32),
                ("sizes", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64))]


class Port(c.Structure):
    _fields_ = [("name", c.c_char_p), ("dtype", c.c_uint32), ("rank", c.c_uint32),
                ("sizes", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64)), ("shape_text", c.c_char_p)]


class Artifact(c.Structure):
    _fields_ = [("abi_version", c.c_uint32), ("struct_bytes", c.c_uint32), ("name", c.c_char_p),
                ("producer", c.c_char_p), ("inputs", c.POINTER(Port)), ("input_count", c.c_uint32),
                ("outputs", c.POINTER(Port)), ("output_count", c.c_uint32), ("weights_bytes", c.c_int64),
                ("arena_bytes", c.c_int64), ("arena_lower_bound", c.c_int64), ("kernel_calls", c.c_uint32),
                ("unique_kernels", c.c_uint32),
                ("open", c.CFUNCTYPE(c.c_int, c.c_char_p, c.POINTER(c.c_void_p))),
                ("open_memory", c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_int64, c.POINTER(c.c_void_p))),
                ("close", c.CFUNCTYPE(None, c.c_void_p)),
                ("context_new", c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_uint32, c.POINTER(c.c_void_p))),
                ("context_free", c.CFUNCTYPE(None, c.c_void_p)),
                ("run", c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(Tensor), c.c_uint32, c.POINTER(Tensor), c.c_uint32)),
                ("error", c.CFUNCTYPE(c.c_char_p, c.c_void_p))]


def load(path):
    library = c.CDLL(path)
    library.ferrite_artifact.restype = c.POINTER(Artifact)
    artifact = library.ferrite_artifact().contents
    if artifact.abi_version != ABI_VERSION:
        sys.exit(f"{path} has ABI version {artifact.abi_version}, this program {ABI_VERSION}")
    return artifact


def zeros(port):
    """A tensor of the declared sizes, 1 where these are dynamic."""
    sizes = (c.c_int64 * port.rank)(*(max(port.sizes[k], 1) if port.sizes[k] < 0 else port.sizes[k]
                                      for k in range(port.rank)))
    elements = 1
    for size in sizes:
        elements *= size
    memory = c.create_string_buffer(elements * ELEMENT_BYTES[port.dtype] + 1)
    tensor = Tensor(c.cast(memory, c.c_void_p), port.dtype, port.rank, sizes, None)
    tensor.keep = memory, sizes
    return tensor


def main():
    a = load(sys.argv[1])
    model, context = c.c_void_p(), c.c_void_p()
    if a.open(None, model) or a.context_new(model, 0, context):
        sys.exit(a.error(None).decode())
    kept = [zeros(a.inputs[k]) for k in range(a.input_count)]
    inputs, outputs = (Tensor * len(kept))(*kept), (Tensor * a.output_count)()
    if a.run(context, inputs, len(kept), outputs, a.output_count):
        sys.exit(a.error(context).decode())
    for k, y in enumerate(outputs):
        print(f"{a.outputs[k].name.decode()}: {[y.sizes[d] for d in range(y.rank)]}, first value at {y.data:#x}")
    a.context_free(context)
    a.close(model)


if __name__ == "__main__":
    main()
