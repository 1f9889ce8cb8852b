"""Descriptors of tensors that a program makes and gives to a Triton kernel (triton.tools.tensor_descriptor). PyTorch captures them
in Dynamo alone: within torch.library.triton_op it takes one for a constant, and drops the call, which writes to nothing then. Here
such a call holds the tensor, and what the descriptor says of it."""

import contextlib
import re
from unittest import mock

import torch

from ferrite._sizes import Unsupported


def _call(original, hopifier, variable, grids, arguments, tx):
    """In the place of TracingTritonHOPifier.call_HOP."""
    from torch._higher_order_ops.triton_kernel_wrap import triton_kernel_wrapper_mutation
    from triton.tools.tensor_descriptor import TensorDescriptor
    found = {name: value for name, value in arguments.items() if isinstance(value, TensorDescriptor)}
    if not found:
        return original(hopifier, variable, grids, arguments, tx)
    metadata = {name: ("stable", (list(d.block_shape), getattr(d, "padding", "") == "nan", getattr(d, "round_f32_to_tf32", False)))
                for name, d in found.items()}
    arguments = {**arguments, **{name: _tensor(d) for name, d in found.items()}}
    graphable, constants = hopifier.store_non_graphable_args(arguments)
    return triton_kernel_wrapper_mutation(kernel_idx=variable.kernel_idx, constant_args_idx=constants, grid=grids,
                                          tma_descriptor_metadata=metadata, kwargs=graphable)


def _tensor(descriptor):
    base, shape, strides = descriptor.base, list(descriptor.shape), list(descriptor.strides)
    if list(base.shape) == shape and list(base.stride()) == strides:
        return base
    return base.as_strided(shape, strides)


@contextlib.contextmanager
def captured():
    """While a program with such calls is traced. What a kernel writes to PyTorch finds only where it sees a device for them."""
    from torch._higher_order_ops.triton_kernel_wrap import TracingTritonHOPifier
    original = TracingTritonHOPifier.call_HOP
    with (mock.patch.object(TracingTritonHOPifier, "call_HOP", lambda *arguments: _call(original, *arguments)),
          mock.patch("torch.utils._triton.has_triton_tensor_descriptor_host_tma", lambda: True)):
        yield


def _said(name, metadata):
    kind, said = metadata
    if kind != "stable":
        raise Unsupported(f"a Triton kernel on descriptor {name} of an address: use triton.tools.tensor_descriptor")
    return said


def type_of(name, dtype, metadata):
    """As the kernel's signature has it."""
    return f"tensordesc<{dtype}{list(_said(name, metadata)[0])}>"


def _number(node, known, operator, dim):
    if isinstance(known, int):
        return known
    made = node.graph.call_function(operator, (node, dim))
    made.meta["val"] = known
    return made


def parameters(name, node, metadata, text):
    """What the kernel's text has in the place of a descriptor: the tensor, and sizes, strides, padding and rounding as it names them."""
    _, *flags = _said(name, metadata)
    value, values = node.meta["val"], [node]
    for what in re.findall(rf"%{re.escape(name)}\.([a-zA-Z0-9.]+)\w*: ", text[text.index("tt.func public"):].split("attributes", 1)[0]):
        kind, _, dim = what.partition(".")
        if kind == "shape":
            values.append(_number(node, value.shape[int(dim)], torch.ops.aten.sym_size.int, int(dim)))
        elif kind == "stride":
            values.append(_number(node, value.stride(int(dim)), torch.ops.aten.sym_stride.int, int(dim)))
        elif kind in ("padding", "roundF32ToTF32"):
            values.append(flags[kind != "padding"])
        else:
            raise Unsupported(f"a Triton kernel on a descriptor that has a {kind}")
    return values
