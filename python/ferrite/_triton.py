"""Kernels of the user's that are written in Triton: calls of them as calls of ferrite::triton_kernel, with the text that Triton's own
compiler makes of a kernel before it knows a device. No GPU is needed for that, and nothing of Triton when the program runs."""

import contextlib
import copy
import functools
import importlib.util
import operator

import torch

from ferrite import _descriptors
from ferrite._sizes import Unsupported

_CALL = "triton_kernel_wrapper_functional"
_DTYPES = {torch.float16: "fp16", torch.bfloat16: "bf16", torch.float32: "fp32", torch.float64: "fp64", torch.bool: "i1",
           torch.int8: "i8", torch.uint8: "u8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64",
           torch.uint16: "u16", torch.uint32: "u32", torch.uint64: "u64", torch.float8_e4m3fn: "fp8e4nv", torch.float8_e5m2: "fp8e5",
           torch.float8_e4m3fnuz: "fp8e4b8", torch.float8_e5m2fnuz: "fp8e5b16"}


@functools.cache
def is_here():
    return importlib.util.find_spec("triton") is not None


def _target():
    """The device that texts are made for: one with floats of 8 bits, and without descriptors of tensors, which are pointers in
    its text then."""
    from triton.backends.compiler import GPUTarget
    return GPUTarget("cuda", 89, 32)


class _Driver:
    """In the place of a device's."""

    def get_current_target(self):
        return _target()


@contextlib.contextmanager
def device():
    """PyTorch asks Triton which tensors a kernel writes to, for the device that there is. Where there is none, it is told of one."""
    if not is_here():
        yield
        return
    from triton.runtime import driver
    with _descriptors.captured():
        try:
            driver.active.get_current_target()
        except Exception:
            driver.set_active(_Driver())
            try:
                yield
            finally:
                driver._active = None  # as it was: the next one who asks looks for devices
        else:
            yield


# -- exported programs --

def written_out(exported, overloads):
    """The program with operators of torch.library.triton_op as the kernels that they call; it itself where it has none."""
    from torch._library.triton import get_triton_kernels_for_op
    if not is_here() or not any(get_triton_kernels_for_op(overload._schema.name) for overload in overloads):
        return exported
    with device():
        return exported.run_decompositions({}, decompose_custom_triton_ops=True)


# -- one kernel --

def _parameter_type(parameter, value, descriptor):
    """As the signature has it."""
    if isinstance(value, torch.Tensor):
        if value.dtype not in _DTYPES:
            raise Unsupported(f"a Triton kernel on a tensor of {value.dtype}")
        dtype = _DTYPES[value.dtype]
        return _descriptors.type_of(parameter.name, dtype, descriptor) if descriptor else "*" + dtype
    if parameter.annotation_type:
        return parameter.annotation_type
    if isinstance(value, (bool, torch.SymBool)):
        return "i1"
    if isinstance(value, (int, torch.SymInt)):
        number = value if isinstance(value, int) else value.node.hint
        return "i64" if number is not None and not -2**31 <= number < 2**31 else "i32"
    if isinstance(value, (float, torch.SymFloat)):
        return "fp32"
    raise Unsupported(f"a Triton kernel on an argument of type {type(value).__name__}")


def _ir(kernel, values, descriptors):
    """The text of a kernel, a triton.JITFunction, for values by parameter; and names of the parameters that it has."""
    from triton._C.libtriton import ir
    from triton.compiler.compiler import ASTSource, make_backend
    fixed = {parameter.name for parameter in kernel.params if parameter.is_constexpr or values[parameter.name] is None}
    signature = {parameter.name: "constexpr" if parameter.name in fixed else _parameter_type(parameter, values[parameter.name], descriptors.get(parameter.name))
                 for parameter in kernel.params}
    source = ASTSource(kernel, signature, {name: values[name] for name in fixed})
    backend, context, stages = make_backend(_target()), ir.context(), {}
    options = backend.parse_options({})
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = source.make_ir(_target(), options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
    backend.add_stages(stages, options, source.language)
    return str(stages["ttir"](module, {})), [name for name in signature if name not in fixed]


def _chosen(kernel):
    """The function, and arguments that its first configuration gives: which one is best on a device is not asked."""
    from triton.runtime.autotuner import Autotuner, Heuristics
    given = {}
    while isinstance(kernel, Autotuner) and kernel.configs:
        given = {**kernel.configs[0].kwargs, **given}
        kernel = kernel.fn
    if isinstance(kernel, Heuristics):
        raise Unsupported("a Triton kernel with heuristics")
    return kernel, given


# -- calls --

def default():
    raise NotImplementedError("ferrite::triton_kernel is compiled, never called")


default.__module__ = "ferrite.triton_kernel"  # its name in texts


def _meta(value):
    return value.meta["val"] if isinstance(value, torch.fx.Node) else value


def _arguments(node):
    """Of the operator: buffers, text, grid, integers, numbers, places of what is written."""
    from torch._higher_order_ops.triton_kernel_wrap import kernel_side_table
    call = node.kwargs
    descriptors = call["tma_descriptor_metadata"] or {}
    kernel, given = _chosen(kernel_side_table.get_kernel(call["kernel_idx"]))
    given = {**given, **call["kwargs"], **kernel_side_table.get_constant_args(call["constant_args_idx"])}
    given.update({parameter.name: parameter.default for parameter in kernel.params
                  if parameter.name not in given and parameter.has_default})
    try:
        text, names = _ir(kernel, {parameter.name: _meta(given[parameter.name]) for parameter in kernel.params}, descriptors)
    except Unsupported:
        raise
    except Exception as error:
        raise Unsupported(f"the Triton kernel {kernel.__name__}, which Triton does not compile: {error}") from error
    tensors, integers, numbers = [], [], []
    for name in names:
        told = name in descriptors
        for value in _descriptors.parameters(name, given[name], descriptors[name], text) if told else [given[name]]:
            kind = _meta(value)
            if isinstance(kind, torch.Tensor):
                tensors.append((name, value))
            else:
                (numbers if isinstance(kind, (float, torch.SymFloat)) else integers).append(value)
    places = {name: k for k, (name, _) in enumerate(tensors)}
    written = [places[name] for name in call["tensors_to_clone"]]
    return [value for _, value in tensors], text, list(call["grid"][0]), list(map(_integer, integers)), numbers, written


def _integer(value):
    return int(value) if isinstance(value, bool) else value


def _replace(node):
    names = node.kwargs["tensors_to_clone"]
    with node.graph.inserting_before(node):
        call = node.graph.call_function(default, _arguments(node))
    call.meta = {**node.meta, "val": [node.meta["val"][name] for name in names]}
    for user in list(node.users):
        if user.target is not operator.getitem:
            raise Unsupported("a Triton kernel whose results are not taken one by one")
        user.args = (call, names.index(user.args[1]))
    node.graph.erase_node(node)


def told(module):
    """The module, or a copy in which calls of Triton kernels are calls of ferrite::triton_kernel."""
    if not is_here() or not any(getattr(node.target, "_name", None) == _CALL for node in module.graph.nodes):
        return module
    module = torch.fx.GraphModule(module, copy.deepcopy(module.graph))
    for node in list(module.graph.nodes):
        if getattr(node.target, "_name", None) == _CALL:
            _replace(node)
    return module
