"""Whether PyTorch's answer to a call is one: what its meta function says of it, and whether the answer depends on memory
that is none of the call's (what lies around the operands, what fresh memory holds)."""

import ctypes
import re

import torch

AROUND = 4096  # bytes
FILLS = (0x00, 0x40)  # 0; 3.0 as a float, much as an index
M_PERTURB = -6
# Errors that say that there is no meta function, or none without the numbers.
NO_META = re.compile(r"[Mm]eta|data.dependent|_local_scalar_dense|fake impl|not implemented for|expected device|on the same device")


def asked_meta(call, tensors):
    """(results, None), (None, its message), or (None, None) where there is no meta function."""
    try:
        with torch.no_grad():
            return call.run([t.to("meta") for t in tensors]), None
    except NotImplementedError:
        return None, None
    except Exception as error:
        message = f"{type(error).__name__}: {str(error)[:200]}"
        return None, None if NO_META.search(message) else message


def amid(tensor, fill):
    """The same with bytes all around."""
    size = tensor.numel() * tensor.element_size()
    room = torch.full((size + 2 * AROUND,), fill, dtype=torch.uint8)
    within = room[AROUND:AROUND + size].view(tensor.dtype).view(tensor.shape)
    return within.copy_(tensor)


def same(a, b):
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, torch.Tensor):
        return a.shape == b.shape and torch.equal(torch.nan_to_num(a, nan=77), torch.nan_to_num(b, nan=77))
    return a == b or a != a


def is_read_elsewhere(call, tensors):
    """Two runs of eager that differ in memory alone give different things."""
    answers = []
    for fill in FILLS:
        ctypes.CDLL(None).mallopt(M_PERTURB, 0xFF ^ fill)  # fresh memory holds the complement
        torch.manual_seed(0)
        try:
            with torch.no_grad():
                answers.append((call.run([amid(t, fill) for t in tensors]), None))
        except Exception as error:
            answers.append((None, type(error).__name__))
        ctypes.CDLL(None).mallopt(M_PERTURB, 0)
    return not same(answers[0], answers[1])
