#!/usr/bin/env python3
"""What a training step under torch.compile(backend="ferrite") keeps between forward and backward: no more than it needs, with
numbers that stay eager's."""

import copy
import functools
import sys
from unittest import mock

import torch
from torch import nn

from test_door import STRICT, main_of
import ferrite.door
from ferrite._session import Error

TESTS = []
CHANNELS = 16


def test(function):
    @functools.wraps(function)
    def seeded():
        torch.manual_seed(0)
        function()
    TESTS.append(seeded)
    return function


def kept(result):
    """What the backward graph is given but inputs and parameters: one tensor for each piece of memory."""
    found = {tensor.untyped_storage().data_ptr(): tensor for tensor in result.grad_fn.saved_tensors if not tensor.requires_grad}
    return list(found.values())


def step(run, model, x, **autocast):
    """The result and what autograd and the call leave behind."""
    x = x.detach().clone(memory_format=torch.preserve_format).requires_grad_()
    with torch.autocast("cpu", **autocast) if autocast else torch.enable_grad():
        result = run(x)
    count = kept(result) if run is not model else []
    weights = torch.linspace(-1, 2, result.numel(), dtype=torch.float32).reshape(result.shape).to(result.dtype)
    (result * weights).sum().backward()
    state = {**{name: value.clone() for name, value in model.named_buffers()}, "input": x.grad, "result": result.detach()}
    return {**state, **{name: p.grad for name, p in model.named_parameters()}}, count


def same_step(model, x, dynamic=False, **autocast):
    """As eager, and as exact against double precision; what was kept."""
    ours, exact = copy.deepcopy(model), copy.deepcopy(model).double()
    torch._dynamo.reset()
    got, count = step(torch.compile(ours, backend="ferrite", options=STRICT, dynamic=dynamic), ours, x, **autocast)
    want, _ = step(model, model, x, **autocast)
    best, _ = step(exact, exact, x.double())
    for name, value in want.items():
        assert (got[name].dtype, got[name].stride()) == (value.dtype, value.stride()), name
        if not value.is_floating_point():
            assert torch.equal(got[name], value), name
            continue
        size = best[name].abs().max().item() + 1e-6
        wrong, allowed = ((given[name].double() - best[name]).abs().max().item() / size for given in (got, want))
        assert wrong <= 3 * allowed + 4e-6, (name, wrong, allowed)
    return count


class Block(nn.Module):
    """A norm between two convolutions, behind an activation whose gradient reads the norm's result."""

    def __init__(self, norm, activation):
        super().__init__()
        self.enter, self.leave = nn.Conv2d(3, CHANNELS, 3, padding=1, bias=False), nn.Conv2d(CHANNELS, 4, 1)
        self.norm, self.activation = norm, activation

    def forward(self, x):
        return self.leave(self.activation(self.norm(self.enter(x))))


def images(found, x):
    """Those of the size of what lies between the two convolutions."""
    return [tensor for tensor in found if tensor.numel() >= x.numel() // x.shape[1] * CHANNELS]


def batch_norm(**options):
    norm = nn.BatchNorm2d(CHANNELS, **options)
    for value in (norm.weight, norm.bias, norm.running_mean):
        if value is not None:
            nn.init.uniform_(value, 0.5, 1.5)
    return norm


def norms():
    yield "batch", batch_norm()
    yield "batch, bare", batch_norm(affine=False)
    yield "batch, of momentum", batch_norm(momentum=0.3)
    yield "batch, no running statistics", batch_norm(track_running_stats=False)
    yield "batch, of constants", batch_norm().eval()
    yield "batch, of constants, bare", batch_norm(affine=False).eval()
    yield "groups", nn.GroupNorm(4, CHANNELS)
    yield "groups, bare", nn.GroupNorm(4, CHANNELS, affine=False)
    yield "one group", nn.GroupNorm(1, CHANNELS)
    yield "groups of one", nn.GroupNorm(CHANNELS, CHANNELS)
    yield "instances", nn.InstanceNorm2d(CHANNELS, affine=True)


@test
def a_norms_result_is_made_again():
    """Kept are the norm's input, which its gradients read, and that of the second convolution."""
    x = torch.randn(4, 3, 12, 12)
    for name, norm in norms():
        model = Block(norm, nn.SiLU())
        for dynamic in (False, True):
            found = images(same_step(model, x, dynamic), x)
            assert len(found) == 2, (name, dynamic, [t.shape for t in found])


@test
def norms_in_mixed_precision_are_made_again_from_exact_statistics():
    x = torch.randn(4, 3, 12, 12)
    for name, norm in norms():
        found = images(same_step(Block(norm, nn.SiLU()), x, dtype=torch.bfloat16), x)
        has_rounded_statistics = name == "groups, bare"  # nothing of single precision stands beside its input
        assert len(found) == 2 + has_rounded_statistics, (name, [(t.shape, t.dtype) for t in found])


@test
def norms_of_half_precision_alone_are_as_exact_as_eagers():
    for name, norm in norms():
        same_step(Block(norm, nn.SiLU()).bfloat16(), torch.randn(4, 3, 12, 12).bfloat16())


class Alone(nn.Module):
    def __init__(self, norm, enter=nn.Identity()):
        super().__init__()
        self.enter, self.norm = enter, norm

    def forward(self, x):
        return nn.functional.silu(self.norm(self.enter(x)))


@test
def norms_of_any_shape_are_as_exact_as_eagers():
    rows, images, volumes = torch.randn(9, 8), torch.randn(3, 8, 5, 6), torch.randn(2, 8, 3, 4, 5)
    for dtype in (torch.float32, torch.float64):
        for norm, x in ((nn.BatchNorm1d(8), rows), (nn.BatchNorm1d(8), images[..., 0]), (nn.BatchNorm3d(8), volumes),
                        (nn.BatchNorm2d(8), images.contiguous(memory_format=torch.channels_last)), (nn.GroupNorm(2, 8), rows),
                        (nn.GroupNorm(2, 8), volumes), (nn.LayerNorm((5, 6)), images), (nn.LayerNorm(6, bias=False), images),
                        (nn.LayerNorm((3, 4, 5), elementwise_affine=False), volumes), (nn.RMSNorm(6), images)):
            for dynamic in (False, True):
                same_step(Alone(norm).to(dtype), x.to(dtype), dynamic)
        same_step(Alone(nn.LayerNorm((24, 6)), nn.Flatten(1, 2)).to(dtype), images.permute(2, 0, 1, 3).to(dtype))  # of a view


@test
def activations_behind_norms_keep_nothing():
    x = torch.randn(4, 3, 12, 12)
    for activation in (nn.ReLU6(), nn.Hardswish(), nn.Hardsigmoid(), nn.LeakyReLU(), nn.ELU(), nn.Softplus(), nn.Mish(), nn.GELU()):
        found = images(same_step(Block(batch_norm(), activation), x), x)
        assert len(found) == 2, (activation, [t.shape for t in found])


@test
def pools_keep_neither_their_input_nor_wide_places():
    for size, dtype in ((24, torch.int16), (200, torch.int32)):
        for pool in (nn.MaxPool2d(3, 2, 1), nn.MaxPool2d(2, ceil_mode=True), nn.MaxPool2d(2, dilation=2)):
            model = nn.Sequential(nn.Conv2d(3, CHANNELS, 3, padding=1, bias=False), batch_norm(), nn.ReLU(), pool, nn.Conv2d(CHANNELS, 4, 1))
            x = torch.randn(2, 3, size, size)
            found = same_step(model, x)
            assert len(images(found, x)) == 1, [t.shape for t in found]  # the norm's input
            assert [t.dtype for t in found if not t.is_floating_point()] == [dtype]
        same_step(model, x, dynamic=True)


@test
def what_is_detached_is_what_it_was():
    class Detached(nn.Module):
        def forward(self, x):
            y = x.sin()
            return y * y.detach() + torch.sigmoid(x).detach(), y.detach()

    x = torch.randn(3, 4)
    given, wanted = (run(x.clone().requires_grad_()) for run in (torch.compile(Detached(), backend="ferrite", options=STRICT), Detached()))
    for got, want in zip(given, wanted):
        torch.testing.assert_close(got, want)
        assert got.requires_grad == want.requires_grad


@test
def graphs_that_pytorch_runs_are_written_for_it_too():
    """As they are where ferrite refuses one."""
    def refused(compiler, module, frozen=(), donated=()):
        raise Error("refused")

    images = torch.randn(4, 3, 12, 12)
    blocks = [Block(norm, nn.SiLU()) for _, norm in norms()]
    pooled = nn.Sequential(nn.Conv2d(3, CHANNELS, 3), nn.ReLU6(), nn.MaxPool2d(2))
    with mock.patch.object(ferrite.door.Compiler, "compile", refused), mock.patch.dict(STRICT, fallback="eager"):
        for model in (*blocks, pooled):
            same_step(model, images)
        for model in blocks:
            same_step(model, images, dtype=torch.bfloat16)
        same_step(Attention(), torch.randn(3, 20, 16))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter, self.leave = nn.Linear(16, 48), nn.Linear(16, 16)

    def forward(self, x):
        q, k, v = (y.view(*y.shape[:2], 2, 8).transpose(1, 2) for y in self.enter(x).chunk(3, -1))
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.leave(y.transpose(1, 2).flatten(2))


@test
def parts_of_one_result_are_kept_in_its_memory():
    for dynamic in (False, True):
        found = same_step(Attention(), torch.randn(3, 20, 16), dynamic)
        wide = [t for t in found if t.dim() == 4 and t.stride(2) == 48]
        assert len({t.untyped_storage().data_ptr() for t in wide}) == 1 and wide[0].untyped_storage().nbytes() == 3 * 20 * 48 * 4


@test
def parts_that_are_given_lie_as_in_eager():
    def parts(x, w):
        y = torch.mm(x, w)
        return y[:, 4:8], y[:, :4], y[:, 8:].t(), (y + 1).chunk(2), (y * 2)[:, 1]
    compiled = torch.compile(parts, backend="ferrite", options=STRICT)
    x, w = torch.randn(6, 5), torch.randn(5, 12)
    given, wanted = ([*outputs[:3], *outputs[3], outputs[4]] for outputs in (compiled(x, w), parts(x, w)))
    for got, want in zip(given, wanted):
        torch.testing.assert_close(got, want)
        assert got.stride() == want.stride()
    assert len({part.untyped_storage().data_ptr() for part in given[:3]}) == 1
    before = given[1].clone()
    given[0].zero_()
    assert torch.equal(given[1], before)


if __name__ == "__main__":
    sys.exit(main_of(TESTS))
