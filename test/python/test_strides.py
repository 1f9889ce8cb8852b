#!/usr/bin/env python3
"""Every operator of the runtime (src/loop/extern.def) with operands that lie in memory in unusual ways: every second
element, one element for many, dimensions in another order, behind others, odd strides where a size is 1. With names of
programs: these alone, all operands of a call in one layout after the other."""

import os
import sys

import torch
import torch.nn.functional as F

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

import ferrite  # noqa: E402


# ---- layouts: the same values in other memory; `free`: a dimension along which all may be equal ----

def every_second(x, free):
    wide = torch.full([2 * n + 1 for n in x.shape], 7, dtype=x.dtype)
    view = wide[tuple(slice(1, None, 2) for _ in x.shape)]
    return view.copy_(x)


def one_for_many(x, free):
    return x if free is None else x.narrow(free, 0, 1).clone().expand(x.shape)


def other_order(x, free):
    back = list(reversed(range(x.dim())))
    return x.permute(back).contiguous().permute(back)


def behind_others(x, free):
    room = torch.full((x.numel() + 5,), 7, dtype=x.dtype)
    return room.as_strided(x.shape, x.contiguous().stride(), 3).copy_(x)


def odd_where_one(x, free):
    strides = [977 if n == 1 else s for n, s in zip(x.shape, x.contiguous().stride())]
    return torch.full((x.numel() + 977 * x.dim() + 1,), 7, dtype=x.dtype).as_strided(x.shape, strides, 1).copy_(x)


LAYOUTS = [every_second, one_for_many, other_order, behind_others, odd_where_one]


# ---- programs: operands with a dimension that may be expanded, or None ----

class Calls(torch.nn.Module):
    def __init__(self, function, weights=()):
        super().__init__()
        self.function, self.weights = function, torch.nn.ParameterList(weights)

    def forward(self, *args):
        return self.function(*args, *self.weights)


def real(*sizes, free=0, dtype=torch.float32):
    return torch.randn(sizes, dtype=torch.float64).to(dtype), free


def convolutions(x, w, b, g, d, x1, w1, x3, w3, t, g2, half, wide):
    h, o = half.half(), wide.double()
    return (F.conv2d(x, w, b), F.conv2d(x, g, b, groups=2), F.conv2d(x, d, b[:4], groups=4, padding=1),
            F.conv1d(x1, w1, b), F.conv3d(x3, w3, b), F.conv_transpose2d(x, t, b, stride=2),
            F.conv_transpose2d(x, g2, b, groups=2), F.conv2d(h, w.half(), b.half()), F.conv2d(o, w.double(), b.double()),
            F.conv_transpose1d(x1, w1.transpose(0, 1), b, dilation=2), F.conv2d(x, w, b).relu() + 1)


CONVOLUTIONS = [real(2, 4, 5, 6), real(6, 4, 2, 3), real(6), real(6, 2, 3, 3), real(4, 1, 3, 3), real(2, 4, 7),
                real(6, 4, 3), real(1, 4, 3, 4, 5), real(6, 4, 2, 2, 3), real(4, 6, 2, 2), real(4, 3, 3, 3),
                real(2, 4, 5, 6), real(2, 4, 5, 6)]


def products(x, y, v, p, q, k, m, w):
    masked = F.scaled_dot_product_attention(p, q, k, attn_mask=m > 0)
    return (x @ y, torch.addmm(v, x, y), F.linear(x, w, v), F.linear(x, w.t().contiguous().t(), v).relu(),
            torch.bmm(p[0], q[0].transpose(1, 2)), torch.baddbmm(m[0], p[0], q[0].transpose(1, 2)),
            F.scaled_dot_product_attention(p, q, k), F.scaled_dot_product_attention(p, q, k, attn_mask=m), masked,
            F.scaled_dot_product_attention(p, q, k, is_causal=True), torch.addmv(v, y.t(), x[0]), torch.outer(v, x[0]))


PRODUCTS = [real(5, 8), real(8, 7), real(7), real(2, 3, 4, 8), real(2, 3, 6, 8), real(2, 3, 6, 5), real(2, 3, 4, 6),
            real(7, 8)]


def orders(x, k, edges, v, order):
    values, places = torch.sort(x, dim=1, stable=True)
    return (values, places, torch.sort(k, dim=0, descending=True, stable=True)[0], *torch.topk(x, 2, 0), *torch.topk(x, 3, 1),
            torch.kthvalue(x, 2, 1)[0], torch.median(x, 0)[0], torch.nanmedian(x), torch.mode(k, 1)[0],
            torch.searchsorted(edges, v), torch.bucketize(v, edges[0], right=True), torch.argsort(x, dim=0, stable=True),
            torch.searchsorted(edges[0].flip(0), v[0], sorter=order), torch.unique(k), torch.nonzero(k), torch.repeat_interleave(k[0].abs() + 1))


ORDERS = [real(5, 6, free=None), (torch.randint(-3, 3, (5, 6)), None), (torch.randn(4, 9).sort(1)[0], None), real(4, 3),
          (torch.arange(8, -1, -1), None)]


def rows(table, i, offsets, s, x, lengths):
    return (F.embedding_bag(i, table, offsets), F.embedding_bag(i, table, offsets, mode='max'),
            F.embedding_bag(i, table, offsets, mode='sum', per_sample_weights=s), F.embedding(i, table),
            torch.segment_reduce(x, 'max', lengths=lengths, axis=0))


ROWS = [real(7, 5, free=1), (torch.randint(0, 7, (9,)), 0), (torch.tensor([0, 2, 2, 5]), None), real(9), real(6, 3),
        (torch.tensor([2, 2, 2]), 0)]


def spectra(x, w, z):
    return (torch.fft.rfft(x, dim=0), torch.fft.fft(z, dim=1), torch.fft.irfft(z, n=9), torch.fft.fft2(z),
            torch.stft(x[0], 8, 4, window=w, return_complex=True), torch.fft.ifft(x, n=5, dim=0))


SPECTRA = [real(5, 24), real(8), real(3, 6, dtype=torch.complex64)]


def matrices(a, b, s, v):
    spd = s @ s.mT + 9 * torch.eye(3)
    factors, pivots = torch.linalg.lu_factor(a)
    ld, turns = torch.linalg.ldl_factor(spd)
    q, r = torch.linalg.qr(a)
    return (torch.linalg.solve(a, b), torch.linalg.lu_solve(factors, pivots, b), torch.linalg.cholesky(spd),
            torch.linalg.ldl_solve(ld, turns, b), q, r, torch.linalg.eigvalsh(spd), torch.linalg.svdvals(b),
            torch.linalg.det(a), torch.linalg.inv(a), torch.linalg.eigvals(spd).real.sort(-1)[0],
            torch.linalg.householder_product(b[..., :2], v), torch.ormqr(b[..., :2], v, b))


def triangles(a, b):
    return (torch.linalg.solve_triangular(a, b, upper=True), torch.linalg.matrix_exp(a),
            torch.linalg.solve_triangular(a, b.mT, upper=False, left=False, unitriangular=True))


def regular(*sizes):
    x = torch.randn(sizes)
    return x + 3 * torch.eye(sizes[-1]), 0


MATRICES = [regular(2, 3, 3), real(2, 3, 4), real(2, 3, 3), real(2, 2)]
PROGRAMS = [(convolutions, CONVOLUTIONS), (products, PRODUCTS), (orders, ORDERS), (rows, ROWS), (spectra, SPECTRA),
            (triangles, [regular(2, 3, 3), real(2, 3, 4)]), (matrices, MATRICES)]


# ---- the comparison ----

def flat(value):
    return [t for v in value for t in flat(v)] if isinstance(value, (tuple, list)) else [value]


def differences(function, operands, layouts, as_weights):
    values = [layouts[k % len(layouts)](x, free) for k, (x, free) in enumerate(operands)]
    floats = [k for k, v in enumerate(values) if v.is_floating_point()]
    weights = [torch.nn.Parameter(values[k], requires_grad=False) for k in floats[-1:]] if as_weights else []
    inputs = values[:-1] if weights and floats[-1] == len(values) - 1 else values
    module = Calls(function, weights if len(inputs) < len(values) else ())
    exported = torch.export.export(module, tuple(inputs), strict=False)
    ours, theirs = flat(ferrite.compile(exported, cache="", jobs=1)(*inputs)), flat(module(*inputs))
    assert len(ours) == len(theirs)
    for k, (a, b) in enumerate(zip(ours, theirs)):
        try:
            close = 3e-2 if b.dtype == torch.float16 else 1e-4
            torch.testing.assert_close(a, b, rtol=close, atol=close, equal_nan=True)
        except AssertionError as error:
            yield f"{function.__name__}, result {k}, {layouts[0].__name__}: {error}"


def main():
    torch.manual_seed(3)
    torch.set_num_threads(1)
    passed = failed = skipped = 0
    wanted = sys.argv[1:]
    turns = [LAYOUTS[k:] + LAYOUTS[:k] for k in (0, 2)]
    for function, operands in PROGRAMS:
        if wanted and function.__name__ not in wanted:
            continue
        for k, layouts in enumerate([[each] for each in LAYOUTS] if wanted else turns):
            try:
                found = list(differences(function, operands, layouts, k % 2 == 1))
            except Exception as error:  # noqa: BLE001
                if "LAPACK" in str(error):
                    skipped += 1
                    continue
                found = [f"{function.__name__}, {layouts[0].__name__}: {type(error).__name__}: {str(error)[:600]}"]
            for text in found:
                print("FAIL:", text)
            passed += not found
            failed += bool(found)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
