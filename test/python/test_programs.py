#!/usr/bin/env python3
"""Random programs of PyTorch's operators (op_db: of numbers, of pairs, reductions, and any other on its own sample) with
views, broadcasting, writes through views, indices and conversions between them, against eager and against float64.

    test_programs.py [--seed N] [--count N] [--all] [--only N] [--verbose]

A step is kept where eager takes it and where its result hardly changes when floats do, so that what differs is wrong.
--all: 400 programs; --only: that one, with its text.
"""

import argparse
import logging
import os
import random
import sys
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import BinaryUfuncInfo, ReductionOpInfo, UnaryUfuncInfo

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

import ferrite  # noqa: E402

FLOATS = [torch.float32, torch.float32, torch.float64, torch.float16, torch.bfloat16]
WHOLE = [torch.int64, torch.int32, torch.uint8, torch.int8, torch.bool]
EXACT = {torch.int64, torch.int32, torch.int16, torch.uint8, torch.int8, torch.bool}
STEPS, MOST = 18, 20000
# What draws, has no static size, only PyTorch can call, or is not the same from run to run.
LEFT_OUT = ("rand", "uniform", "dropout", "bernoulli", "multinomial", "normal", "cauchy", "exponential", "geometric", "empty", "sparse", "unique",
            "nonzero", "jiterator", "item", "equal", "allclose", "to_sparse", "rrelu", "new_", "svd", "eig", "lstsq", "pca", "nan",
            "resize", "histogramdd", "_batch_norm", "tensor_split", "masked_select", "argwhere", "polygamma", "airy", "bessel", "qr",
            "combinations", "repeat_interleave", "igamma", "__getitem__", "tensordot", "lu", "cholesky", "inv", "ormqr", "geqrf", "ldl",
            "householder", "stft", "bincount", "as_strided", "searchsorted", "fractional", "torch_ops_aten__safe", "mode", "argsort",
            "sort", "topk", "kthvalue", "median", "msort", "unfold_copy", "view_copy", "ctc", "pinv", "matrix_rank", "solve", "cond",
            "zeta", "cdist", "fft", "rot90", "nextafter", "scaled_dot_product", "special_hermite", "chebyshev", "laguerre", "legendre", "hash", "quantile")


def usable(op):
    return not any(word in op.name for word in LEFT_OUT) and torch.float32 in op.dtypes


UNARY = [op for op in op_db if isinstance(op, UnaryUfuncInfo) and usable(op)]
BINARY = [op for op in op_db if isinstance(op, BinaryUfuncInfo) and usable(op)]
REDUCTIONS = [op for op in op_db if isinstance(op, ReductionOpInfo) and usable(op)]
OTHERS = [op for op in op_db if not isinstance(op, (UnaryUfuncInfo, BinaryUfuncInfo, ReductionOpInfo)) and usable(op)]


def fit(t, shape, dtype):
    """Numbers of t, again and again where they are too few."""
    count = 1
    for size in shape:
        count *= size
    return t.reshape(-1).repeat(count // max(t.numel(), 1) + 1)[:count].reshape(shape).to(dtype)


# ---- steps: (text, function of a list of tensors, which) ----


def dim_of(rng, t):
    return rng.randrange(-t.dim(), t.dim()) if t.dim() else 0


def view(rng, t):
    d, e = dim_of(rng, t), dim_of(rng, t)
    size = t.shape[d] if t.dim() else 1
    low, step = rng.randrange(size) if size else 0, rng.choice([1, 1, 2, 3])
    order = rng.sample(range(t.dim()), t.dim())
    return rng.choice([
        (f".transpose({d}, {e})", lambda x: x.transpose(d, e)), (f".permute({order})", lambda x: x.permute(order)),
        (f"[{low}::{step}] of {d}", lambda x: x.movedim(d, 0)[low::step].movedim(0, d)), (".unsqueeze(0)", lambda x: x.unsqueeze(0)),
        (f".unsqueeze({d})", lambda x: x.unsqueeze(d)), (f".select({d}, {low})", lambda x: x.select(d, low)),
        (".flatten()", lambda x: x.flatten()), (f".flip({d})", lambda x: x.flip(d)), (f".roll(1, {d})", lambda x: x.roll(1, d)),
        (f".diagonal(0, {d}, {e})", lambda x: x.diagonal(0, d, e)), (".contiguous()", lambda x: x.contiguous()),
        (f".expand(3, *{tuple(t.shape)})", lambda x: x.expand(3, *t.shape)), (f".unfold({d}, 2, 1)", lambda x: x.unfold(d, 2, 1)),
        (f".reshape(-1, {size})", lambda x: x.reshape(-1, size)), (".squeeze()", lambda x: x.squeeze()),
        (f".narrow({d}, {low}, 1)", lambda x: x.narrow(d, low, 1)), (f".cumsum({d})", lambda x: x.cumsum(d)),
        (f".movedim({d}, {e})", lambda x: x.movedim(d, e)), (f".tril of {d}", lambda x: x.tril(1))])


def write(rng, t):
    d = dim_of(rng, t)
    low = rng.randrange(t.shape[d]) if t.dim() and t.shape[d] else 0
    where, part = rng.choice([("", lambda x: x), (f".select({d}, {low})", lambda x: x.select(d, low)), (".T", lambda x: x.mT),
                              (f".narrow({d}, {low}, 1)", lambda x: x.narrow(d, low, 1)), ("[::2]", lambda x: x[::2]),
                              (".view(-1)", lambda x: x.view(-1)), (".diagonal()", lambda x: x.diagonal())])
    what, change = rng.choice([
        (".add_(1)", lambda x, y: x.add_(1)), (".mul_(y)", lambda x, y: x.mul_(y)), (".copy_(y)", lambda x, y: x.copy_(y)), (".zero_()", lambda x, y: x.zero_()),
        (".sub_(y)", lambda x, y: x.sub_(y)), (".clamp_(-1, 1)", lambda x, y: x.clamp_(-1, 1)), (".fill_(2)", lambda x, y: x.fill_(2)),
        (".masked_fill_(y > 0, 3)", lambda x, y: x.masked_fill_(y > 0, 3)), (".neg_()", lambda x, y: x.neg_())])

    def call(x, y):
        made = x.clone()
        change(part(made), y)
        return made + 0 if made.dtype != torch.bool else made
    return f"clone{where}{what}", call


def index(rng, t):
    d = dim_of(rng, t)
    size = max(t.shape[d], 1) if t.dim() else 1
    at = lambda y: (y.flatten()[:4].nan_to_num(0).to(torch.int64) % size)  # noqa: E731
    return rng.choice([
        (f".index_select({d}, at(y))", lambda x, y: x.index_select(d, at(y))), ("[at(y)]", lambda x, y: x[y.flatten()[:4].to(torch.int64) % x.shape[0]]),
        (f".index_add({d}, at(y), itself)", lambda x, y: x.index_add(d, at(y), x.index_select(d, at(y)))),
        (f".index_fill({d}, at(y), 1)", lambda x, y: x.index_fill(d, at(y), 1)),
        (f".gather({d})", lambda x, y: x.gather(d, fit(y, x.shape, torch.int64) % size)),
        (f".scatter_add({d})", lambda x, y: x.scatter_add(d, fit(y, x.shape, torch.int64) % size, x)),
        ("where(y > 0)", lambda x, y: torch.where(fit(y, x.shape, y.dtype) > 0, x, 0)),
        (f"cat {d}", lambda x, y: torch.cat([x, fit(y, x.shape, y.dtype)], d)), ("stack", lambda x, y: torch.stack([x, fit(y, x.shape, x.dtype)])),
        ("x @ y", lambda x, y: x @ fit(y, (x.shape[-1], 5), x.dtype)), ("linear", lambda x, y: torch.nn.functional.linear(x, fit(y, (3, x.shape[-1]), x.dtype)))])


def sample_of(rng, op):
    samples = [s for _, s in zip(range(12), op.sample_inputs("cpu", torch.float32, requires_grad=False))]
    s = rng.choice(samples)
    if not isinstance(s.input, torch.Tensor):
        raise ValueError
    shape, dtype = tuple(s.input.shape), s.input.dtype
    return f"{op.formatted_name} of its sample {shape}", lambda x: op(fit(x, shape, dtype) if dtype.is_floating_point else s.input, *s.args, **s.kwargs)


def step(rng, pool):
    """Text, function, operands."""
    kind = rng.random()
    one, two = rng.randrange(len(pool)), rng.randrange(len(pool))
    t = pool[one]
    if kind < 0.2:
        op = rng.choice(UNARY)
        return op.formatted_name, lambda x: op(x), [one]
    if kind < 0.38:
        op = rng.choice(BINARY)
        if rng.random() < 0.5:
            return op.formatted_name, lambda x, y: op(x, y), [one, two]
        return f"{op.formatted_name}, fitted", lambda x, y: op(x, fit(y, x.shape[-1:], y.dtype)), [one, two]
    if kind < 0.48:
        op, d, keep = rng.choice(REDUCTIONS), dim_of(rng, t), rng.random() < 0.5
        return f"{op.formatted_name} {d}", lambda x: op(x, dim=d, keepdim=keep), [one]
    if kind < 0.62:
        text, call = view(rng, t)
        return text, call, [one]
    if kind < 0.7:
        text, call = write(rng, t)
        return text, call, [one, two]
    if kind < 0.78:
        text, call = index(rng, t)
        return text, call, [one, two]
    if kind < 0.86:
        dtype = rng.choice(FLOATS + WHOLE)
        return f".to({dtype})", lambda x: x.to(dtype), [one]
    text, call = sample_of(rng, rng.choice(OTHERS))
    return text, call, [one]


# ---- programs ----


def shaken(rng, t):
    """Floats in the last places."""
    if not t.is_floating_point():
        return t
    eps = torch.finfo(t.dtype).eps
    return (t.double() * (1 + (torch.rand(t.shape, dtype=torch.float64) - 0.5) * 8 * eps)).to(t.dtype)


def near(a, b, rtol):
    if a.dtype in EXACT:
        return torch.equal(a, b)
    wide = torch.complex128 if a.is_complex() else torch.float64
    a, b = a.to(wide), b.to(wide)
    finite = b[b.isfinite()].abs()
    scale = float(finite.max()) if finite.numel() else 0
    return torch.allclose(a, b, rtol=rtol, atol=rtol * max(scale, 1e-3), equal_nan=True)


def tolerance(dtype, times):
    real = dtype.to_real() if dtype.is_complex else dtype
    return times * torch.finfo(real).eps if real.is_floating_point else 0


def is_kept(rng, call, operands, made):
    if not isinstance(made, torch.Tensor) or made.layout != torch.strided or made.numel() > MOST or made.numel() == 0:
        return False
    if made.is_floating_point() and float(made.isfinite().double().mean()) < 0.7:
        return False
    if made.is_floating_point() and float(made[made.isfinite()].abs().max()) > 1e4:
        return False
    for _ in range(2):
        if not near(call(*[shaken(rng, x) for x in operands]), made, tolerance(made.dtype, 60)):
            return False
    return torch.equal(call(*operands).nan_to_num() if made.is_floating_point() else call(*operands), made.nan_to_num() if made.is_floating_point() else made)


class Random(torch.nn.Module):
    def __init__(self, seed):
        super().__init__()
        rng = random.Random(seed)
        torch.manual_seed(seed)
        self.steps, self.texts = [], []
        self.inputs = [self.operand(rng) for _ in range(3)]
        pool = list(self.inputs)
        for _ in range(STEPS * 6):
            if len(self.steps) == STEPS:
                break
            try:
                text, call, which = step(rng, pool)
                operands = [pool[k] for k in which]
                made = call(*operands)
                if not is_kept(rng, call, operands, made):
                    continue
            except Exception:  # noqa: BLE001
                continue
            self.steps.append((call, which))
            self.texts.append(f"v{len(pool)} = {text} {['v%d' % k for k in which]}: {str(made.dtype)[6:]}{list(made.shape)}")
            pool.append(made)
        last = len(pool) - 1
        self.shown = sorted({last, *rng.sample(range(3, last), min(4, last - 3))}) if self.steps else []
        for k in self.shown:
            self.texts[k - 3] += "  <- shown"

    def operand(self, rng):
        shape = [rng.choice([1, 2, 3, 4, 5, 8, 17, 33]) for _ in range(rng.choice([1, 2, 2, 3, 4]))]
        kind = rng.random()
        if kind < 0.7:
            made = (torch.randn(shape) * rng.choice([0.5, 1, 3])).to(rng.choice(FLOATS))
        else:
            made = torch.randint(-3, 6, shape).to(rng.choice(WHOLE))
        return made.mT.contiguous().mT if rng.random() < 0.3 and made.dim() > 1 else made

    def run(self, values):
        pool = list(values)
        for call, which in self.steps:
            pool.append(call(*[pool[k] for k in which]))
        return [pool[k] for k in self.shown]

    def forward(self, *values):
        return self.run(values)


def wide_results(program):
    """In float64, where the program has no conversions that say otherwise."""
    try:
        return program.run([x.double() if x.is_floating_point() else x for x in program.inputs])
    except Exception:  # noqa: BLE001
        return [None] * len(program.shown)


def differences(program, got):
    eager, wide = program.run(program.inputs), wide_results(program)
    for k, a, b, exact in zip(program.shown, got, eager, wide):
        if a.dtype != b.dtype or a.shape != b.shape:
            yield k, f"is {a.dtype}{list(a.shape)}, not {b.dtype}{list(b.shape)}"
        elif not near(a, b, tolerance(b.dtype, 2000)):
            if exact is not None and exact.shape == a.shape and b.is_floating_point() and exact.is_floating_point():
                mine, theirs = (a.double() - exact).abs().nan_to_num(0).max(), (b.double() - exact).abs().nan_to_num(0).max()
                if torch.equal(a.isnan(), b.isnan()) and mine <= 2 * theirs:
                    continue
            wrong = (a != b) & ~((a != a) & (b != b))
            yield k, f"{int(wrong.sum())} of {a.numel()}: {a[wrong][:4].tolist()} not {b[wrong][:4].tolist()}"


def judge(seed, verbose):
    program = Random(seed)
    if not program.steps:
        return 0
    try:
        exported = torch.export.export(program, tuple(program.inputs), strict=False)
    except Exception as error:  # noqa: BLE001
        if verbose:
            print(f"{seed}: no export: {str(error)[:200]}")
        return 0
    inputs = "\n".join(f"v{k}: {str(x.dtype)[6:]}{list(x.shape)}{x.stride()}" for k, x in enumerate(program.inputs))
    try:
        got = ferrite.compile(exported, cache="", jobs=1)(*[x.clone(memory_format=torch.preserve_format) for x in program.inputs])
        found = list(differences(program, got if isinstance(got, (list, tuple)) else [got]))
    except Exception as error:  # noqa: BLE001
        found = [(0, f"{type(error).__name__}: {str(error)[:600]}")]
    if verbose or found:
        print(f"---- {seed}", inputs, *program.texts, *[f"v{k} {text}" for k, text in found], sep="\n", flush=True)
    return bool(found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", type=int)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.ERROR)  # exports that do not succeed
    torch.set_num_threads(1)
    seeds = [args.only] if args.only is not None else range(args.seed, args.seed + (400 if args.all else args.count))
    failed = sum(judge(seed, args.verbose or args.only is not None) for seed in seeds)
    print(f"{len(seeds) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
