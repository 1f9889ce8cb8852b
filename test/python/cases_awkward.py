"""Operator cases on awkward values: NaN, repeats, numbers at the ends of their types. See make_cases.py."""

import torch

from cases_ops import INF, NAN, i32, op, real, values, whole


@op(values(0.0, INF, NAN, 3.0, -INF, 3.0), real(40), whole(33, dtype=i32))
def memberships(x, y, k):
    holes = torch.cat([y, x, torch.full((25,), NAN)])
    found = torch.isin(x, holes), torch.isin(holes.half(), y.half(), invert=True), torch.isin(k, NAN)
    return *found, torch.isin(x[:0], y), torch.isin(y[0], y.double()), torch.isin(0.1, k)


@op(values(0.0, 1.0, NAN, 3.0, 1.0, 3.0), real(40), whole(33, dtype=i32), whole(5, high=2**40))
def memberships_of_repeats(x, y, k, large):
    """Out of contract, but of one answer: repeats, elements that are equal after conversion, numbers out of range."""
    twice = torch.isin(x, y, assume_unique=True), torch.isin(k, x, assume_unique=True, invert=True)
    return *twice, torch.isin(large, (large[:1] + 1).float().expand(20)), torch.isin(257, k.to(torch.uint8))


@op(whole(4, 5, dtype=torch.int8), real(3, 4))
def truths_of_bytes(k, x):
    return k.bool().long(), torch.count_nonzero(k, 1), torch.count_nonzero(k), k.bool().sum(0), (k.bool().byte() * 3)


@op(real(3, 4), real(4, 3))
def overlapping_windows(x, y):
    """Results whose elements share memory, of an operand that ends there."""
    return x.exp().cumsum(0).reciprocal().unfold(0, 2, 1).unsqueeze(0), y.sin().neg().as_strided((3, 3), (3, 1))


@op(real(3, 4), real(2, 4), whole(2, 2, dtype=torch.uint8, low=0))
def writes_to_one_place(x, y, k):
    first = torch.zeros(2, 4, dtype=torch.int64)
    wide = k.clone().expand(3, 2, 2)
    wide.narrow(1, 0, 1).fill_(2)
    return x.scatter(0, first, 5.0), x[:, 0].scatter(0, first[0], -1.0), wide.to(torch.int16)


@op(real(3, 4), real(2, 3, 4, 5), whole(4))
def resized(x, images, k):
    """resize_ shows storage: of what was permuted, through views made before, longer than there was."""
    y, t, first = x + 1, x.t().clone(), x * 2
    row, part, k = y[1], first[1:], k * 1
    t.resize_(2, 3), y.resize_(4, 5), part.resize_(3, 4), k.resize_(6)
    y[:2].mul_(3), row.add_(1), part[:2].neg_(), k.fill_(7)
    format = {"memory_format": torch.channels_last}
    shown = images.exp().resize_(1, 2, 3, 4, **format), torch.ops.aten.resize(x.t()[1:], (2, 2))
    return t, y[:2], row, first, part[:2], k, *shown, torch.ops.aten.resize_as(x.sin(), k)


@op(whole(1, 3, 6, 7, dtype=torch.uint8, low=0, high=256), whole(1, 5, 1, 9, dtype=torch.uint8, low=0, high=256))
def bytes_resampled(u, v):
    """In fixed point, rounded after each dimension; without antialiasing what is beyond the border counts there."""
    size = torch.nn.functional.interpolate
    lines = size(u, (13, 5), mode="bilinear"), size(v, (4, 17), mode="bilinear", align_corners=True)
    cubic = size(u, scale_factor=1.7, mode="bicubic"), size(v, (1, 4), mode="bicubic", align_corners=True)
    return *lines, *cubic, size(u.to(memory_format=torch.channels_last), (3, 14), mode="bicubic")
