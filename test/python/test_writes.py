#!/usr/bin/env python3
"""Random programs that write through views of views and read all of them afterwards, against eager.

    test_writes.py [--seed N] [--count N] [--only N]

What is viewed is an input, a clone, a buffer; dense, transposed, with gaps, expanded, complex. Where elements of a view meet,
only what is the same in all places is written, as eager leaves the rest open.
"""

import argparse
import logging
import os
import random
import sys
import warnings

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

import ferrite  # noqa: E402

KINDS = ["input", "clone", "buffer", "expanded", "transposed", "gapped", "complex"]
MOST = 200
# What is refused on purpose: writes through parts of another element type that no view operator leads back from.
REFUSED = ("as_strided of a view in another dtype", "a write through this view cannot be turned into a value")


def view(rng, t):
    rank = t.dim()
    d, e = (rng.randrange(rank), rng.randrange(rank)) if rank else (0, 0)
    size = t.shape[d] if rank else 1
    low = rng.randrange(size)
    choices = [
        (f"unsqueeze {d}", lambda x: x.unsqueeze(d)), ("squeeze", lambda x: x.squeeze()), ("expand", lambda x: x.expand(2, *x.shape)),
        ("view_as", lambda x: x.view_as(x)), ("detach", lambda x: x.detach()), ("view", lambda x: x.view(x.shape)), ("[None]", lambda x: x[None])]
    if rank:
        choices += [
            (f"select {d} {low}", lambda x: x.select(d, low)), (f"transpose {d} {e}", lambda x: x.transpose(d, e)), ("[-1]", lambda x: x[-1]),
            (f"{low}::2 of {d}", lambda x: x.movedim(d, 0)[low::2].movedim(0, d)), (f"narrow {d} {low}", lambda x: x.narrow(d, 0, low + 1)),
            ("view(-1)", lambda x: x.view(-1)), (f"chunk {d}", lambda x: x.chunk(2, d)[-1]), (f"unbind {d}", lambda x: x.unbind(d)[low]),
            (f"split {d}", lambda x: x.split(2, d)[0]), ("permute", lambda x: x.permute(*reversed(range(rank)))),
            (f"unflatten {d}", lambda x: x.unflatten(d, (1, -1))), (f"tensor_split {d}", lambda x: x.tensor_split(2, d)[0]),
            (f"swapaxes {d} {e}", lambda x: x.swapaxes(d, e)), (f"movedim {d} {e}", lambda x: x.movedim((d,), (e,)))]
    if size > 1:
        choices += [(f"unfold {d} by 1", lambda x: x.unfold(d, 2, 1)), (f"unfold {d} by 2", lambda x: x.unfold(d, 2, 2))]
    if rank > 1:
        choices += [("diagonal", lambda x: x.diagonal(0, -1, -2)), ("diagonal 1", lambda x: x.diagonal(1)), ("flatten", lambda x: x.flatten(0, 1))]
    if t.numel() > 3:
        choices += [("windows", lambda x: x.as_strided((2, 2), (1, 1), x.storage_offset())), ("two", lambda x: x.as_strided((2,), (1,), x.storage_offset()))]
    if t.dtype == torch.float32:
        choices += [("int32", lambda x: x.view(torch.int32))]
    if t.is_complex():
        choices += [("real", lambda x: x.real), ("imag", lambda x: x.imag), ("pairs", torch.view_as_real), ("conj", lambda x: x.conj())]
    return rng.choice(choices)


def meets(t):
    """Do elements share memory?"""
    places = torch.zeros((), dtype=torch.int64)
    for size, stride in zip(t.shape, t.stride()):
        places = places.unsqueeze(-1) + torch.arange(size) * stride
    return places.unique().numel() < places.numel()


def write(rng, t):
    choices = [("zero_", lambda x: x.zero_()), ("fill_", lambda x: x.fill_(2))]
    if not meets(t):
        choices += [
            ("add_", lambda x: x.add_(1)), ("mul_", lambda x: x.mul_(2)), ("neg_", lambda x: x.neg_()), ("add_ itself", lambda x: x.add_(x)),
            ("copy_", lambda x: x.copy_(torch.arange(x.numel()).view(x.shape))), ("[...] =", lambda x: x.__setitem__(..., 5)),
            ("masked_fill_", lambda x: x.masked_fill_(torch.ones_like(x, dtype=torch.bool), 3))]
        if t.dim():
            choices += [("cumsum_", lambda x: x.cumsum_(0)), ("index_fill_", lambda x: x.index_fill_(0, torch.tensor([0]), 4)),
                        ("[0] =", lambda x: x.__setitem__(0, 5))]
    return rng.choice(choices)


class Writes(torch.nn.Module):
    def __init__(self, seed):
        super().__init__()
        rng = random.Random(seed)
        self.seed, self.kind = seed, rng.choice(KINDS)
        self.shape = [rng.choice([1, 2, 3, 4]) for _ in range(rng.randint(1, 3))]
        if self.kind == "buffer":
            self.register_buffer("base", self.operand())
        pool = [self.operand()]
        self.steps, wanted = [], rng.randint(4, 9)
        for _ in range(8 * wanted):
            k = rng.randrange(len(pool))
            is_view = rng.random() < 0.6
            try:
                text, call = view(rng, pool[k]) if is_view else write(rng, pool[k])
                made = call(pool[k])
            except Exception:  # noqa: BLE001  of no such shape or layout
                continue
            if is_view and 0 < made.numel() <= MOST:
                pool.append(made)
            if not is_view or 0 < made.numel() <= MOST:
                self.steps.append((is_view, k, text, call))
            if len(self.steps) == wanted:
                break

    def operand(self):
        generator = torch.Generator().manual_seed(self.seed)
        x = torch.randn([2 * size for size in self.shape], generator=generator, dtype=torch.complex64 if self.kind == "complex" else torch.float32)
        x = x[tuple(slice(None, None, 2) for _ in self.shape)]
        if self.kind == "gapped":
            return x
        x = x.contiguous()
        if self.kind == "expanded":
            return x[:1].expand(self.shape)
        back = list(reversed(range(x.dim())))
        return x.permute(back).contiguous().permute(back) if self.kind == "transposed" else x

    def forward(self, x):
        pool = [self.base if self.kind == "buffer" else x.clone() if self.kind == "clone" else x]
        for is_view, k, _, call in self.steps:
            made = call(pool[k])
            if is_view:
                pool.append(made)
        return [x + 0 for x in pool[1:]] + [pool[0] * 1] + pool[-2:]

    def text(self):
        return f"{self.seed}: {self.kind} {self.shape}: " + "; ".join(f"{'view' if v else 'write'} v{k} {text}" for v, k, text, _ in self.steps)


def same(a, b):
    a, b = (torch.view_as_real(x.resolve_conj()) if x.is_complex() else x for x in (a, b))
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(a.nan_to_num(), b.nan_to_num())


def judge(seed):
    """Passed, failed or skipped."""
    program = Writes(seed)
    given, ours = program.operand(), program.operand()
    try:
        wanted = program(given)
        exported = torch.export.export(Writes(seed), (program.operand(),))
    except Exception:  # noqa: BLE001  eager raises, or PyTorch does not export it
        return "skipped"
    try:
        got = ferrite.compile(exported, cache="")(ours)
    except Exception as e:  # noqa: BLE001  whatever it is, the program that it is of is wanted
        if any(text in str(e) for text in REFUSED):
            return "skipped"
        print(f"{program.text()}\n    {e!r}")
        return "failed"
    if all(same(a, b) for a, b in zip(wanted, got)) and same(given, ours):
        return "passed"
    print(f"{program.text()}\n    {[same(a, b) for a, b in zip(wanted, got)]}, the input {same(given, ours)}")
    return "failed"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--only", type=int)
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.ERROR)  # exports that do not succeed
    torch.set_num_threads(1)
    seeds = [args.only] if args.only is not None else range(args.seed, args.seed + args.count)
    verdicts = [judge(seed) for seed in seeds]
    print(", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in ("passed", "failed", "skipped")))
    return "failed" in verdicts


if __name__ == "__main__":
    sys.exit(main())
