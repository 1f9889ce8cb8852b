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
