"""Operator cases of floats of 8 bits: every one opened, floats about the borders between them closed, and moves. See make_cases.py."""

import torch
import torch.nn.functional as F

from cases_ops import INF, NAN, SINGLE, i64, op, real, values, whole

SINGLE.update({"products_with_scales", "floats_of_8_bits", "floats_of_8_bits_moved", "floats_of_8_bits_written"})
E4M3, E5M2, POWER = torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e8m0fnu
FORMS = (E4M3, E5M2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz, POWER)


def every_byte():
    return torch.arange(256, dtype=torch.uint8)


def borders():
    """Each value of each form, what lies half way to the next, and its neighbours; what is too large and too small."""
    made = [torch.tensor([0.0, -0.0, INF, -INF, NAN, 1e9, -1e9, 464.0, 465.0, 61440.0, 61441.0, 1e-45, -1e-45, 3e-39, 6e-39])]
    for form in FORMS:
        known = every_byte().view(form).float()
        known = known[known.isfinite()].sort().values[::3]
        middle = (known[1:] + known[:-1]) / 2
        made += [known, middle, *(torch.nextafter(middle, torch.tensor(end)) for end in (INF, -INF))]
    return torch.cat(made)[:2040]


@op(every_byte, borders, whole(40, low=-300, high=300), real(64, low=-500, high=500))
def floats_of_8_bits(byte, x, n, y):
    opened = [byte.view(form).float() for form in FORMS]
    others = byte.view(E4M3).half(), byte.view(E5M2).bfloat16(), byte.view(E4M3).double(), byte.view(E5M2).to(torch.bool)
    between = byte.view(E4M3).to(E5M2), byte.view(torch.float8_e5m2fnuz).to(E4M3)
    return *opened, *(x.to(form) for form in FORMS), *others, *between, *(n.to(form) for form in FORMS), y.half().to(E4M3), y.double().to(E5M2)


@op(real(5, 7, dtype=E4M3), real(5, 7, dtype=E4M3), whole(3, dtype=i64, low=0, high=5))
def floats_of_8_bits_moved(x, y, at):
    moved = x.t().contiguous(), x[1:4, ::2].clone(), torch.cat((x, y.roll(1, 0))), torch.stack((x, y), 1), F.pad(x, (1, 2))
    chosen = x[at], x.index_select(1, at), torch.where(at[:, None, None] > 2, x, y), F.embedding(at, y), x.view(torch.uint8)
    computed = x * y, x == y, x != y, x.isnan(), x.abs(), x[:, None].expand(5, 2, 7).reshape(10, 7)
    return *moved, *chosen, *computed, x[0].float() @ y[1].float()


@op(real(5, 7, dtype=E5M2), real(7), values(3.7))
def floats_of_8_bits_written(x, y, scale):
    a = x.clone()
    a[0] = y
    a[1:3].copy_(a[2:4].float() * scale)
    a[4, 2:5].fill_(1.3)
    a[torch.tensor([3])] = (y * 2).to(E5M2)
    made = torch.zeros(3, dtype=E4M3), torch.full((2,), 0.3, dtype=E4M3), x.new_full((2,), -5.1), torch.zeros_like(x)
    x.mul_(x)
    return a, *made, (y / scale).to(E4M3).float() * scale


@op(real(16, 32, dtype=torch.float32), real(8, 32, dtype=torch.float32), values(0.5), values(0.25), real(8))
def products_with_scales(a, b, scale_a, scale_b, bias):
    """Of the whole, and of each row and column."""
    a, b = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn).t()
    rows, columns = torch.arange(1, 17).reshape(16, 1) / 8, torch.arange(1, 9).reshape(1, 8) / 16
    whole = torch._scaled_mm(a, b, scale_a, scale_b, out_dtype=torch.float32)
    return whole, torch._scaled_mm(a, b, rows, columns, bias.bfloat16(), out_dtype=torch.bfloat16), torch._scaled_mm(a, b, scale_a, scale_b).float()
