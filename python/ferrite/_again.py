"""Calls that are like one before: torch tensors that lie as those did, and results in memory of their own or in that of inputs.
All that is the same from call to call is told to the artifact once; each has addresses alone to tell."""

import ctypes
import sys

import ferrite_runtime as rt
from ferrite._library import Call, Tensor


def described(values):
    """How these tensors lie; None of anything but plain tensors of the host, with elements as they are."""
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    plain = torch.Tensor, torch.nn.Parameter
    if not all(type(value) in plain and value.is_cpu and not value.is_conj() and not value.is_neg() for value in values):
        return None
    return [(value.dtype, value.shape, value.stride()) for value in values]


def _guard(values):
    """A function that is true of tensors that lie as these do, and quick; it may be false of some. None where PyTorch has
    none."""
    torch = sys.modules["torch"]
    guards = getattr(torch._C._dynamo.guards, "TensorGuards", None)
    try:
        return guards(*values, dynamic_dims_sizes=[list(value.shape) for value in values],
                      dynamic_dims_strides=[list(value.stride()) for value in values]).check
    except Exception:  # what it takes is PyTorch's own affair
        return None


def of(caller, values, lies, outputs):
    """A function of calls whose inputs lie as these values do, which is told in `lies`; outputs: (dtype, sizes, strides, the input that it shows or None, from which
    element on or None for all of it) of each. It gives their results; None where inputs lie otherwise, or the artifact says
    something against them."""
    torch = sys.modules["torch"]
    run, context, turn, numbers = caller._run, caller._context.value, caller._turn, []

    def arrays(ports):
        """They as the artifact takes them, with words of their memory; and where the sizes and strides of each stand."""
        tensors, places = (Tensor * max(1, len(ports)))(), []
        for tensor, (dtype, sizes, strides, *_) in zip(tensors, ports):
            numbers.append((ctypes.c_int64 * (2 * len(sizes) or 1))(*sizes, *strides))
            places.append((ctypes.addressof(numbers[-1]), ctypes.addressof(numbers[-1]) + 8 * len(sizes)))
            tensor.dtype, tensor.rank = rt._BY_NAME[str(dtype)[len("torch."):]], len(sizes)
            tensor.sizes, tensor.strides = (ctypes.cast(place, ctypes.POINTER(ctypes.c_int64)) for place in places[-1])
        return tensors, memoryview(tensors).cast("B").cast("Q"), places
    (ins, given, _), (outs, made, places) = arrays(lies), arrays(outputs)
    call = Call(ctypes.sizeof(Call), len(lies), len(outputs), ctypes.addressof(ins), ctypes.addressof(outs), None, None, None, None)
    where, words = ctypes.addressof(call), ctypes.sizeof(Tensor) // 8
    sizes_word, strides_word = Tensor.sizes.offset // 8, Tensor.strides.offset // 8
    wanted = [(k * words, min(dtype.itemsize, 8) - 1) for k, (dtype, *_) in enumerate(lies)]
    are_like = _guard(values) or (lambda *values: False)
    results = [(k * words, *port, *place) for k, (port, place) in enumerate(zip(outputs, places)) if port[3] is None]
    views = [(k, k * words, whose * words, port) for k, port in enumerate(outputs) if (whose := port[3]) is not None]
    empty = getattr(torch._C._dynamo.guards, "_empty_strided_cpu", None) or (  # the first costs less
        lambda sizes, strides, dtype: torch.empty_strided(sizes, strides, dtype=dtype))

    def again(values, _alive=(call, ins, outs, numbers)):
        with turn:
            if not are_like(*values) and described(values) != lies:
                return None
            for value, (word, mask) in zip(values, wanted):
                given[word] = address = value.data_ptr()
                if address & mask:
                    return None
            shown = []
            for word, dtype, sizes, strides, _, _, sizes_at, strides_at in results:
                shown.append(result := empty(sizes, strides, dtype))
                # the run before has let sizes and strides point elsewhere
                made[word], made[word + sizes_word], made[word + strides_word] = result.data_ptr(), sizes_at, strides_at
            for _, word, *_ in views:
                made[word] = 0
            if run(context, where):
                return None
            for k, word, whole, port in views:
                if (result := _shown(values[port[3]], made[word] - given[whole], port)) is None:
                    return None
                shown.insert(k, result)
            return shown

    return again


def _shown(whole, bytes_on, port):
    """What shows the input's memory so many bytes on; None where that is not as it was."""
    dtype, sizes, strides, _, start = port
    if bytes_on != (start or 0) * dtype.itemsize:
        return None
    return whole if start is None else part(whole, start, sizes, strides)


def part(whole, start, sizes, strides):
    """A tensor that shows another one's memory from its element `start` on."""
    return (whole.detach() if whole.requires_grad else whole).as_strided(sizes, strides, whole.storage_offset() + start)
