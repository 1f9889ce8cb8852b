"""Operator cases of what programs seldom ask for: bytes seen as other types, odd windows and packed lists. See make_cases.py."""

import torch
from torch.func import vmap

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


@op(whole(3, low=0, high=6), real(4, 5))
def batches_within_batches(p, x):
    """Masks as attention makes them: a level for each of batch, head, query and key, not all of which are asked for."""

    def of_all(rule):
        for dims in ((None, None, None, 0), (None, None, 0, None), (None, 0, None, None), (0, None, None, None)):
            rule = vmap(rule, in_dims=dims)
        return rule(torch.arange(2), torch.arange(1), p, torch.arange(7))

    causal = of_all(lambda b, h, q, k: k <= q)
    near = of_all(lambda b, h, q, k: q.new_ones((), dtype=torch.bool) & (k > q - 3) & (k <= q + b))
    same = of_all(lambda b, h, q, k: q.new_zeros((), dtype=torch.bool))
    sums = vmap(lambda a: vmap(lambda b: a.sum())(x))(x), vmap(lambda a: vmap(lambda b: b.softmax(0))(x) + a[0])(x)
    written = vmap(lambda a: a.new_zeros(5).add_(a).mul_(2))(x)
    return causal, near, same, *sums, written
