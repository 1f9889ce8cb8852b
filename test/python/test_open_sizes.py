#!/usr/bin/env python3
"""Programs exported with open sizes and numbers, at sizes that the export did not have in mind: 0, 1, negative numbers. What
the exported module gives, we give; where it raises, so do we; where a size decides of what shape a result is, or what is
written, we may refuse.

    test_open_sizes.py [PATTERN]
"""

import os
import sys
import warnings

import torch
import torch.nn.functional as F
from torch.export import Dim
from torch.utils import _pytree as pytree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))
import ferrite  # noqa: E402

SIZES = (4, 1, 0, 2, 7)


def decided(f):
    """What f gives hangs on a size being 1: it may be refused."""
    f.may_refuse = True
    return f


PROGRAMS = {  # of x [3, n, 6]
    "views": lambda x: (x.transpose(0, 1).reshape(-1, 6).sum(1), x.transpose(1, 2).contiguous().view(3, 6, -1) * 2),
    "pairs": lambda x: x[:, :, None] * x[:, None] + x.unsqueeze(1).expand(-1, x.shape[1], -1, -1),
    "attention": lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True),
    "statistics": lambda x: (x.std(1), x.var((1, 2)), F.layer_norm(x, (6,)), x.softmax(1)),
    "joined": lambda x: torch.cat([x, x * 2, x.flip(1)], 1).cumsum(1),
    "products": lambda x: (x.transpose(1, 2) @ x, torch.einsum("bnd,cnd->bcn", x, x)),
    "ramps": lambda x: torch.arange(x.shape[1], -x.shape[1], -2) * torch.ones(x.shape[1], x.shape[1]).tril().sum(),
    "reflected": lambda x: F.pad(x.transpose(1, 2), (1, 1), mode="reflect"),
    "repeated": lambda x: F.pad(x.transpose(1, 2), (1, 2), mode="replicate"),
    "squeezed": decided(lambda x: x.squeeze(1)),
    "written": decided(lambda x: (x.transpose(0, 1).contiguous().mul_(2), x + 1)),
}
CUTS = {  # the same, where a named dimension is refused by PyTorch
    "cut": lambda x: (x[:, 1:] * 2, x[:, :-1].sum(1), x[:, -2:].softmax(1), x[:, :1].sum(1), x.diff(dim=1)),
    "shifted": lambda x: (torch.cat([x[:, -1:], x[:, :-1]], 1), x[:, :1].expand(3, x.shape[1], 6) - x),
    "cut off": lambda x: F.pad(x, (0, 0, 2, -1)),
}
NUMBERS = {  # of x [3, 6] and a number
    "arithmetic": lambda x, k: (x * k, k // 4, k % 4, -k // 3, k // -3, 7 / k, k ** 3),
    "chosen": lambda x, k: (torch.sym_max(k, 2), torch.sym_min(k, -1), x * torch.sym_ite(k > 0, k, -2 * k)),
    "tensors": lambda x, k: (torch.full((3,), k), torch.tensor([k, 1]), torch.arange(k, k + 4), x.roll(k, 0)),
}


def same(got, want):
    if not isinstance(want, torch.Tensor):
        return (got.item() if isinstance(got, torch.Tensor) else got) == want
    return got.dtype == want.dtype and got.shape == want.shape and torch.allclose(got, want, 1e-4, 1e-5, equal_nan=True)


def result(f, args):
    try:
        return f(*[a.clone() if isinstance(a, torch.Tensor) else a for a in args])
    except Exception as error:
        return error


def judge(name, f, calls, shapes):
    class Program(torch.nn.Module):
        def forward(self, *args):
            return f(*args)
    exported = torch.export.export(Program(), calls[0], dynamic_shapes=(shapes,))
    program, module, wrong = ferrite.compile(exported), exported.module(), 0
    for args in calls:
        want, got = result(module, args), result(program, args)
        raised = isinstance(want, Exception), isinstance(got, Exception)
        if raised == (False, True) and hasattr(f, "may_refuse") and args[0].shape[1] == 1 or all(raised):
            continue
        pairs = [] if any(raised) else list(zip(pytree.tree_leaves(got), pytree.tree_leaves(want), strict=True))
        if any(raised) or not all(same(*pair) for pair in pairs):
            print(f"{name} at {[list(a.shape) if isinstance(a, torch.Tensor) else a for a in args]}: {got} for {want}")
            wrong = 1
    return wrong


def main():
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    pattern = sys.argv[1] if len(sys.argv) > 1 else ""
    jobs = [(f"{name}, {dim}", f, [(torch.randn(3, n, 6),) for n in SIZES], ({1: Dim.AUTO if dim == "AUTO" else Dim("n")},))
            for name, f in PROGRAMS.items() for dim in ("AUTO", "Dim")]
    jobs += [(name, f, [(torch.randn(3, n, 6),) for n in SIZES], ({1: Dim.AUTO},)) for name, f in CUTS.items()]
    jobs += [(name, f, [(torch.randn(3, 6), k) for k in (5, -7, 3, -2, 1)], (None, Dim.AUTO)) for name, f in NUMBERS.items()]
    jobs = [job for job in jobs if pattern in job[0]]
    failed = sum(judge(*job) for job in jobs)
    print(f"{len(jobs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
