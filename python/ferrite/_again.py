"""Calls that are like one before: torch tensors that lie as those did, and results in memory of their own. All that is the
same from call to call is told to the artifact once; each has addresses alone to tell."""

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


def of(caller, lies, outputs):
    """A function of calls whose inputs lie so; outputs: (dtype, sizes, strides) of each. It gives their results; None where
    inputs lie otherwise, or the artifact says something against them."""
    torch = sys.modules["torch"]
    run, context, turn, numbers = caller._run, caller._context.value, caller._turn, []

    def arrays(ports):
        """They as the artifact takes them, with words of their memory; and where the sizes and strides of each stand."""
        tensors, places = (Tensor * max(1, len(ports)))(), []
        for tensor, (dtype, sizes, strides) in zip(tensors, ports):
            numbers.append((ctypes.c_int64 * (2 * len(sizes) or 1))(*sizes, *strides))
            places.append((ctypes.addressof(numbers[-1]), ctypes.addressof(numbers[-1]) + 8 * len(sizes)))
            tensor.dtype, tensor.rank = rt._BY_NAME[str(dtype)[len("torch."):]], len(sizes)
            tensor.sizes, tensor.strides = (ctypes.cast(place, ctypes.POINTER(ctypes.c_int64)) for place in places[-1])
        return tensors, memoryview(tensors).cast("B").cast("Q"), places
    (ins, given, _), (outs, made, places) = arrays(lies), arrays(outputs)
    call = Call(ctypes.sizeof(Call), len(lies), len(outputs), ctypes.addressof(ins), ctypes.addressof(outs), None, None, None, None)
    where, words = ctypes.addressof(call), ctypes.sizeof(Tensor) // 8
    sizes_word, strides_word = Tensor.sizes.offset // 8, Tensor.strides.offset // 8
    wanted = [(k * words, *port, min(port[0].itemsize, 8) - 1) for k, port in enumerate(lies)]
    results = [(k * words, *port, *place) for k, (port, place) in enumerate(zip(outputs, places))]
    empty = getattr(torch._C._dynamo.guards, "_empty_strided_cpu", None) or (  # the first costs less
        lambda sizes, strides, dtype: torch.empty_strided(sizes, strides, dtype=dtype))
    plain = torch.Tensor, torch.nn.Parameter

    def again(values, _alive=(call, ins, outs, numbers)):
        with turn:
            for value, (word, dtype, sizes, strides, mask) in zip(values, wanted):
                if (type(value) not in plain or value.dtype is not dtype or value.shape != sizes or value.stride() != strides
                        or not value.is_cpu or value.is_neg() or value.is_conj()):
                    return None
                given[word] = address = value.data_ptr()
                if address & mask:
                    return None
            shown = []
            for word, dtype, sizes, strides, sizes_at, strides_at in results:
                shown.append(result := empty(sizes, strides, dtype))
                # the run before has let sizes and strides point elsewhere
                made[word], made[word + sizes_word], made[word + strides_word] = result.data_ptr(), sizes_at, strides_at
            return None if run(context, where) else shown

    return again
