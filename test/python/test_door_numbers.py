#!/usr/bin/env python3
"""torch.compile(backend="ferrite"): numbers that come of floats, sizes that only the run knows, graphs in graphs and those that
PyTorch runs as calls of the compiled graph."""

import sys

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.utils.checkpoint import checkpoint

from test_door import STRICT, listening, main_of, same

TESTS = []


def test(function):
    TESTS.append(function)
    return function


@test
def sizes_come_of_floats():
    def cut(x):
        n = x.shape[0]
        return x[:round(n / 3 + 1.0)] + int(n * 0.7), x.new_ones(int(n * 1.5), 2) * 2, x.view(int(n / 6), 6)
    same(cut, *((torch.randn(size),) for size in (12, 18, 6, 36)), dynamic=True)


@test
def gradients_of_sizes_that_come_of_floats():
    def sharpened(x):
        return torch.nn.functional.interpolate(x.sin(), size=(int(x.shape[2] * 1.7), int(x.shape[3] * 0.6)), mode="bilinear").cos()
    compiled = torch.compile(sharpened, backend="ferrite", options=STRICT, dynamic=True)
    for sizes in ((2, 3, 8, 9), (1, 3, 11, 7), (4, 2, 5, 5)):
        ours = torch.randn(sizes, requires_grad=True)
        theirs = ours.detach().clone().requires_grad_()
        got, expected = compiled(ours), sharpened(theirs)
        torch.testing.assert_close(got, expected)
        got.sum().backward()
        expected.sum().backward()
        torch.testing.assert_close(ours.grad, theirs.grad)


@test
def numbers_are_rounded_to_digits_as_python_rounds():
    numbers = [x * sign for x in (2.675, 0.285, 1.005, 25.0, 35.0, 15.5, 123.4567, 5e-4, 0.15, 1e17, 4.5e13 + 0.0078125, 0.0, 2**52 + 0.5,
                                  float("inf")) for sign in (1.0, -1.0)]
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        for digits in (0, 1, 2, 3, -1, -2, 15):
            rounded = eval(f"lambda y, x: y * round(x.item(), {digits})")
            compiled = torch.compile(rounded, backend="ferrite", options=STRICT)
            for x in numbers:
                y, x = torch.ones(1, dtype=torch.float64), torch.tensor(x, dtype=torch.float64)
                assert repr(compiled(y, x)) == repr(rounded(y, x)), (x, digits, compiled(y, x))


@test
def graphs_in_graphs_may_have_one_name():
    def nested(p, q, r, x):
        def negative(x):
            return torch.cond(q, lambda x: x - 1, lambda x: -x, (x,))

        def positive(x):
            return torch.cond(r, lambda x: x * 3, lambda x: x / 2, (x,))
        return torch.cond(p, negative, positive, (x,))
    flags = [torch.tensor(False), torch.tensor(True)]
    same(nested, *((p, q, r, torch.randn(4)) for p in flags for q in flags for r in flags))


@test
def sizes_of_a_run_go_into_graphs_and_come_out():
    def into(p, x):
        n = x.nonzero().size(0)
        torch._check(n > 1)
        return torch.cond(p, lambda y: y.cos(), lambda y: y.sin(), (x.new_ones(n, 3),))

    def out(p, x):
        return torch.cond(p, lambda y: y.new_ones(y.nonzero().size(0), 3).cos(), lambda y: y.new_ones((y > 0).nonzero().size(0), 3), (x,))

    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        for made in (into, out):
            same(made, *((torch.tensor(p), x) for p in (True, False) for x in (torch.randn(5, 2), torch.ones(2, 2))), dynamic=True)


@test
def memory_that_nothing_writes_is_filled_where_eager_fills_it():
    def unwritten(x):
        few = torch.ops.aten.resize(x, [2, 5])
        return few, x.new_empty(3), torch.empty(2, dtype=torch.int16), torch.empty_like(x, dtype=torch.bool), torch.cat([x.new_empty(2, 3), x])

    torch.use_deterministic_algorithms(True)
    try:
        compiled = torch.compile(unwritten, backend="ferrite", options=STRICT)
        x = torch.randn(2, 3)
        for got, expected in zip(compiled(x), unwritten(x), strict=True):
            torch.testing.assert_close(got, expected, equal_nan=True)
    finally:
        torch.use_deterministic_algorithms(False)


def nothing_falls_back(run):
    """Calls may run as PyTorch runs them, graphs may not."""
    with listening() as told:
        run()
    assert not any(line.startswith("a graph") for line in told), told


@test
def parts_that_draw_are_drawn_again_in_the_backward():
    layer = torch.nn.Linear(8, 8)

    def drawn(y):
        y = torch.nn.functional.dropout(layer(y).relu(), 0.5, True).sin()
        return y * torch.rand_like(y).cos()

    def checkpointed(x):
        return checkpoint(drawn, x, use_reentrant=False).sum()

    def gradients(function):
        torch.manual_seed(3)
        made = function(x)
        return made, *torch.autograd.grad(made, (x, *layer.parameters()))

    x = torch.randn(4, 8, requires_grad=True)
    compiled = torch.compile(checkpointed, backend="ferrite")
    nothing_falls_back(lambda: torch.testing.assert_close(gradients(compiled), gradients(checkpointed)))


@test
def graphs_in_graphs_draw():
    def drawn(p, x):
        return torch.cond(p, lambda y: y + torch.rand_like(y), lambda y: y * 2, (x,)) + torch.rand(4)

    def seeded(function, p):
        torch.manual_seed(5)
        return function(torch.tensor(p), torch.ones(4))

    compiled = torch.compile(drawn, backend="ferrite", options=STRICT)
    for p in (True, False, True):
        torch.testing.assert_close(seeded(compiled, p), seeded(drawn, p))


@test
def attention_with_a_function_of_its_scores():
    q, k, v = (torch.randn(1, 2, 128, 16) for _ in range(3))
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 128, 128, device="cpu")
    bias = torch.randn(2)

    def attended(q, k, v):
        return flex_attention(q * 2, k, v, score_mod=lambda s, b, h, i, j: s + (i - j) * bias[h], block_mask=mask).sin()

    compiled = torch.compile(attended, backend="ferrite")
    nothing_falls_back(lambda: torch.testing.assert_close(compiled(q, k, v), attended(q, k, v)))


@test
def norms_of_half_precision_learn_as_in_eager():
    """Their statistics are of single precision where weights are, though fake tensors are not: of rows far from 0 a gradient tells."""
    layers = torch.nn.LayerNorm(16), torch.nn.GroupNorm(2, 8), torch.nn.BatchNorm1d(8)
    for layer, shape in zip(layers, ((4, 16), (3, 8, 5), (6, 8, 5))):
        x = (30 + torch.rand(shape)).bfloat16().requires_grad_()
        weight = torch.rand(shape)

        def gradients(function):
            return torch.autograd.grad((function(x * 1.0) * weight).sum(), (x, *layer.parameters()))

        compiled = torch.compile(lambda x: layer(x), backend="ferrite", options=STRICT)
        for got, want in zip(gradients(compiled), gradients(layer)):
            assert got.dtype == want.dtype
            torch.testing.assert_close(got, want, rtol=0.02, atol=0.02)

    def statistics(x, weight):
        return torch.ops.aten.native_layer_norm(x, [16], weight, None, 1e-5)
    same(statistics, (torch.randn(4, 16).bfloat16(), torch.rand(16)))


if __name__ == "__main__":
    sys.exit(main_of(TESTS))
