"""Operator cases of what programs seldom ask for: bytes seen as other types, odd windows and packed lists. See make_cases.py."""

import torch

from cases_ops import SINGLE, f64, i64, op, real, whole

SINGLE.update({"bytes_as_other_types", "written_as_other_types"})


@op(real(3, 4, 6), whole(2, 8, dtype=torch.uint8, low=0, high=63), real(4, 8, dtype=torch.bfloat16), real(5, 4, dtype=f64))
def bytes_as_other_types(x, bytes, half, wide):
    """Smaller and larger elements, of slices and of what is computed, and complex numbers both ways."""
    smaller = x.view(torch.int16), x[:, 1:].view(torch.uint8), wide.view(torch.int32), (wide * 2).view(torch.int8)
    larger = bytes.view(torch.int32), bytes[:, 4:].view(torch.int16), half.view(torch.int64), (half + 1).view(torch.int32)
    pairs = x.view(torch.complex64), torch.complex(wide, wide).view(torch.int64), (bytes + 1).view(torch.complex64)
    return *smaller, *larger, *pairs, torch.complex(x[0, 0, 0], x[1, 0, 0]).view(i64), wide.view(torch.complex128).imag * 2


@op(real(4, 8), real(4, 8))
def written_as_other_types(x, y):
    bits, low = x.view(torch.int32), y[:, 2:6].view(torch.int16)[:, ::2]
    bits.bitwise_and_(0x7FFFFFFF)
    low.zero_()
    y.view(torch.complex64)[2].mul_(2j)
    return x + 1, bits, y * 1, low
