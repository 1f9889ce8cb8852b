#!/usr/bin/env python3
"""Sums, products and convolutions, forward and backward, in float32 are as near to float64 as eager's: of each result the
RMS error is at most 1.2 times eager's, or two units in the last place."""

import os
import sys

import torch
import torch.nn.functional as F

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

import ferrite  # noqa: E402

GRADIENTS = [", of the input", ", of the weight", ", of the bias"]
WORSE, SMALL = 1.2, 2.0**-22

# ---- calls: a name, a function, sizes of its operands ----

PRODUCTS = {
    "mm": (lambda a, b: a @ b, (48, None), (None, 64)),
    "mm of a transposed": (lambda a, b: a @ b.t(), (48, None), (64, None)),
    "row": (lambda a, b: a @ b, (1, None), (None, 200)),
    "mv": (lambda a, b: a @ b, (200, None), (None,)),
    "addmm": (torch.addmm, (64,), (48, None), (None, 64)),
    "bmm": (lambda a, b: a @ b, (3, 20, None), (3, None, 32)),
    "bmm of few rows": (lambda a, b: a @ b, (9, 1, None), (9, None, 32)),
    "dot products": (lambda a, b: (a * b).sum(-1), (200, None), (200, None)),
    "sum of rows": (lambda a: a.sum(-1), (200, None)),
    "sum of columns": (lambda a: a.sum(0), (None, 200)),
    "1x1": (lambda x, w: F.conv2d(x, w), (1, None, 5, 7), (32, None, 1, 1)),
    "1-D": (lambda x, w: F.conv1d(x, w), (1, None, 40), (32, None, 1)),
    "transposed": (lambda x, w: F.conv_transpose2d(x, w, stride=2), (1, None, 4, 5), (None, 8, 2, 2)),
}
FORWARD = {
    "3x3": (lambda x, w: F.conv2d(x, w, padding=1), (1, 256, 10, 10), (32, 256, 3, 3)),
    "few channels": (lambda x, w: F.conv2d(x, w), (1, 3, 24, 24), (16, 3, 7, 7)),
    "grouped": (lambda x, w: F.conv2d(x, w, groups=4), (1, 64, 10, 10), (32, 16, 3, 3)),
    "depthwise": (lambda x, w: F.conv2d(x, w, groups=16, padding=3), (1, 16, 20, 20), (16, 1, 7, 7)),
    "3-D": (lambda x, w: F.conv3d(x, w), (1, 64, 5, 6, 6), (16, 64, 3, 3, 3)),
}
# Small sums beside which the bias is large: it is to be added once, not to be there at every step.
BIASED = {
    "linear": (lambda x, w, b: F.linear(x, w, 1e3 * b), (40, 768), (64, 768), (64,)),
    "linear of a row": (lambda x, w, b: F.linear(x, w, 1e3 * b), (1, 768), (64, 768), (64,)),
    "3x3": (lambda x, w, b: F.conv2d(x, w, 1e3 * b, padding=1), (1, 64, 20, 20), (64, 64, 3, 3), (64,)),
    "5x5": (lambda x, w, b: F.conv2d(x, w, 1e3 * b), (1, 64, 20, 20), (64, 64, 5, 5), (64,)),
    "grouped": (lambda x, w, b: F.conv2d(x, w, 1e3 * b, groups=8), (1, 32, 20, 20), (32, 4, 7, 7), (32,)),
    "depthwise": (lambda x, w, b: F.conv2d(x, w, 1e3 * b, groups=32, padding=5), (1, 32, 20, 20), (32, 1, 11, 11), (32,)),
    "transposed": (lambda x, w, b: F.conv_transpose2d(x, w, 1e3 * b, stride=2), (1, 64, 8, 8), (64, 32, 4, 4), (32,)),
}
# Of a convolution: sizes of input and weight, stride, padding, dilation, groups, is it transposed.
BACKWARD = {
    "3x3": ((4, 16, 16, 16), (24, 16, 3, 3), 1, 1, 1, 1, False),
    "strided": ((4, 16, 32, 32), (24, 16, 3, 3), 2, 1, 1, 1, False),
    "1x1": ((4, 64, 28, 28), (32, 64, 1, 1), 1, 0, 1, 1, False),
    "1x1 strided": ((4, 64, 28, 28), (128, 64, 1, 1), 2, 0, 1, 1, False),
    "depthwise": ((4, 32, 28, 28), (32, 1, 3, 3), 1, 1, 1, 32, False),
    "two for each channel": ((4, 16, 28, 28), (32, 1, 3, 3), 1, 1, 1, 16, False),
    "grouped": ((4, 32, 28, 28), (64, 8, 3, 3), 1, 1, 1, 4, False),
    "1-D": ((8, 32, 400), (16, 32, 7), 1, 3, 1, 1, False),
    "3-D": ((2, 8, 8, 12, 12), (16, 8, 3, 3, 3), 1, 1, 1, 1, False),
    "dilated": ((4, 16, 32, 32), (16, 16, 3, 3), 1, 2, 2, 1, False),
    "patches": ((2, 3, 112, 112), (64, 3, 16, 16), 16, 0, 1, 1, False),
    "wide": ((2, 128, 7, 7), (128, 128, 3, 3), 1, 1, 1, 1, False),
    "large": ((8, 16, 48, 48), (16, 16, 3, 3), 1, 1, 1, 1, False),
    "transposed": ((4, 16, 16, 16), (16, 24, 3, 3), 2, 1, 1, 1, True),
    "transposed, grouped": ((4, 16, 16, 16), (16, 6, 3, 3), 2, 1, 1, 4, True),
    "transposed, 1-D": ((4, 16, 100), (16, 24, 4), 2, 1, 1, 1, True),
}


def backward(x, w, stride, padding, dilation, groups, transposed):
    every = lambda n: [n] * (len(x) - 2)  # noqa: E731
    tail = (every(stride), every(padding), every(dilation), transposed, every(0), groups)
    made = torch.ops.aten.convolution(torch.zeros(x), torch.zeros(w), None, *tail)

    def call(g, x, w):
        return torch.ops.aten.convolution_backward(g, x, w, [g.shape[1]], *tail, [True, True, True])
    return call, made.shape, x, w


def calls():
    for k in (64, 1024, 16384):
        for name, (function, *sizes) in PRODUCTS.items():
            yield f"{name} over {k}", function, [[k if n is None else n for n in size] for size in sizes]
    for name, (function, *sizes) in FORWARD.items():
        yield f"convolution, {name}", function, sizes
    for name, (function, *sizes) in BIASED.items():
        yield f"with a large bias, {name}", function, sizes
    for name, given in BACKWARD.items():
        function, *sizes = backward(*given)
        yield f"gradients of a convolution, {name}", function, sizes


# ---- the comparison ----


class All(torch.nn.Module):
    def __init__(self, functions, counts):
        super().__init__()
        self.functions, self.counts = functions, counts

    def forward(self, *args):
        out, at = [], 0
        for function, count in zip(self.functions, self.counts):
            made = function(*args[at : at + count])
            out += made if isinstance(made, (tuple, list)) else (made,)
            at += count
        return out


def error(got, exact):
    return float((got.double() - exact).norm() / exact.norm())


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    listed = [c for c in calls() if len(sys.argv) < 2 or sys.argv[1] in c[0]]
    names, functions, sizes = zip(*listed)
    module = All(functions, [len(s) for s in sizes])
    args = [torch.randn(*size) for s in sizes for size in s]
    program = ferrite.compile(torch.export.export(module, tuple(args), strict=False), cache="")
    ours, theirs, exact = program(*args), module(*args), module(*[a.double() for a in args])
    passed = failed = 0
    results = [f"{name}{part}" for name in names for part in (GRADIENTS if "gradients" in name else [""])]
    assert len(results) == len(ours) == len(theirs)
    for name, a, b, e in zip(results, ours, theirs, exact):
        mine, eager = error(a, e), error(b, e)
        is_near = mine <= max(WORSE * eager, SMALL)
        passed += is_near
        failed += not is_near
        if not is_near or len(sys.argv) > 1:
            print(f"{name}: {mine:.3g} from float64, eager {eager:.3g}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
