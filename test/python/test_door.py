#!/usr/bin/env python3
"""torch.compile(backend="ferrite"): programs through Dynamo and AOTAutograd, held against eager PyTorch, what they change and
their gradients included. Unless a test says otherwise every graph must be compiled by ferrite."""

import contextlib
import dataclasses
import logging
import os
import sys
import tempfile
import threading
import warnings

import torch
import torch.nn.attention.flex_attention as flex
import torch.nn.functional as F
from torch._higher_order_ops.while_loop import while_loop
from torch.nn.functional import dropout

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

import ferrite  # noqa: E402
import ferrite.door  # noqa: E402
import ferrite.text  # noqa: E402
import ferrite_fx  # noqa: E402

TESTS = []
STRICT = {"fallback": "error"}


def test(function):
    TESTS.append(function)
    return function


def copies(values):
    return [value.clone() if isinstance(value, torch.Tensor) else value for value in values]


def same(function, *sets, options=STRICT, **how):
    """The same results and the same changes of the arguments for each set of them; one compile."""
    compiled = torch.compile(function, backend="ferrite", options=options, **how)
    for given in sets:
        ours, theirs = copies(given), copies(given)
        with torch.no_grad():
            results, expected = compiled(*ours), function(*theirs)
        torch.testing.assert_close(results, expected)
        torch.testing.assert_close(ours, theirs)
        for a, b in zip(results if isinstance(results, tuple) else [results], expected if isinstance(expected, tuple) else [expected]):
            if isinstance(b, torch.Tensor):
                assert all(x == y for x, y, n in zip(a.stride(), b.stride(), b.shape) if n > 1), (a.stride(), b.stride())


@test
def results_of_every_kind():
    same(lambda x, y: (x @ y, x.sum(), None, 3, x.argmax(1), x > y.t(), x.to(torch.bfloat16)), (torch.randn(4, 6), torch.randn(6, 4)))
    same(lambda x: {"a": x.t(), "b": [x + 1, x.shape[0]]}["a"], (torch.randn(3, 5),))


@test
def operators_on_lists_of_tensors():
    same(lambda x, y: (torch._foreach_neg([x, y])[1], *torch._foreach_norm(torch._foreach_add([x, y], [y, x], alpha=0.5))), (torch.randn(3, 4),) * 2)


@test
def strides_are_those_that_were_traced():
    image = torch.randn(2, 8, 6, 6)
    same(lambda x: F.relu(x).permute(0, 2, 3, 1) * 2, (image,))
    same(lambda x, w: F.conv2d(x, w), (image.to(memory_format=torch.channels_last), torch.randn(4, 8, 3, 3)))


@test
def arguments_are_changed_in_place():
    def step(x, y):
        x.add_(y)
        y[1:].mul_(2)
        return x * 2, x
    same(step, (torch.randn(4, 3), torch.randn(4, 3)), (torch.ones(4, 3), torch.zeros(4, 3)))


@test
def buffers_keep_their_state():
    model, twin = torch.nn.BatchNorm1d(5), torch.nn.BatchNorm1d(5)
    compiled = torch.compile(model, backend="ferrite", options=STRICT)
    for _ in range(3):
        x = torch.randn(7, 5)
        torch.testing.assert_close(compiled(x), twin(x))
    torch.testing.assert_close(list(model.buffers()), list(twin.buffers()))


@test
def results_that_share_memory():
    def shown(x):
        y = x + 1
        return x.t(), y, y[0], y.view(-1), y[0, :1].squeeze()
    compiled = torch.compile(shown, backend="ferrite", options=STRICT)
    x = torch.randn(3, 4)
    a, b, c, d, e = compiled(x)
    x[0, 1] = 100.
    assert a[1, 0] == 100.
    b[0, 2] = 50.
    assert c[2] == 50. and d[2] == 50.
    b[0, 0] = 7.
    assert e.dim() == 0 and e == 7.


@test
def results_belong_to_the_caller():
    compiled = torch.compile(lambda x: x * 2, backend="ferrite", options=STRICT)
    kept = [compiled(torch.full((3,), float(k))) for k in range(4)]
    assert [value[0].item() for value in kept] == [0., 2., 4., 6.]


@test
def sizes_that_change():
    def pooled(x, n):
        return F.softmax(x.view(x.shape[0], -1), 1) * n, x.shape[0] * 2 + x.shape[1]
    same(pooled, *[(torch.randn(a, b, 3), a) for a, b in ((2, 5), (7, 4), (3, 9))], dynamic=True)
    same(lambda x: x[: x.shape[0] // 2].flip(0), (torch.randn(8),), (torch.randn(10),), (torch.randn(7),))
    same(lambda x: (F.pdist(x), F.pdist(x, 1.)), *[(torch.randn(n, 3),) for n in (5, 2, 9)], dynamic=True)


@test
def sizes_that_values_decide():
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        same(lambda x: (x[x > 0] * 2, x.nonzero()), (torch.tensor([1., -1., 2.]),), (torch.tensor([-1., -1., 3.]),))


@test
def rows_that_are_handed_to_experts():
    """How many each gets is known to the graph behind a break: the parts are of one whole, and lie in it."""
    experts = torch.randn(4, 6, 3)

    def mixture(x, chosen):
        parts = x.split(chosen.bincount(minlength=4).tolist(), 0)
        return torch.cat([part @ weight for part, weight in zip(parts, experts)], 0)

    same(mixture, *[(torch.randn(n, 6), torch.randint(4, (n,))) for n in (20, 20, 9, 30)])


@test
def sizes_that_an_earlier_graph_has_decided():
    def head(w, i):
        n = i.item()
        torch._check(n >= 0)
        torch._check(n <= w.shape[0])
        return (w[:n] * w[:n].sum()).sum()

    def masked(w, i):
        kept = w[w > i]
        return (kept.sum() * kept).sum()
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        for function in (head, masked):
            compiled = torch.compile(function, backend="ferrite", options=STRICT)
            for k in (3, 5, 1):
                ours = torch.arange(6.).requires_grad_()
                theirs = torch.arange(6.).requires_grad_()
                compiled(ours, torch.tensor(k)).backward()
                function(theirs, torch.tensor(k)).backward()
                torch.testing.assert_close(ours.grad, theirs.grad)
    compiled = torch.compile(lambda x: (x.relu() * 2, x.shape[0] * 3), backend="ferrite", options=STRICT)
    for n in (7, 1, 9):
        x = torch.randn(n, 4)
        torch._dynamo.decorators.mark_unbacked(x, 0)
        torch.testing.assert_close(compiled(x), (x.relu() * 2, n * 3))


@test
def sizes_that_depend_on_each_other():
    same(lambda x, y: torch.cat([x.sin(), F.max_pool2d(y, 2)], 1),
         *[(torch.randn(1, 5, n, n), torch.randn(1, 3, 2 * n, 2 * n)) for n in (8, 5, 7)], dynamic=True)


@test
def gradients():
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.GELU(),
                                torch.nn.AdaptiveAvgPool2d(2), torch.nn.Flatten(), torch.nn.Linear(32, 5))
    compiled = torch.compile(model, backend="ferrite", options=STRICT)
    x, y = torch.randn(4, 3, 8, 8), torch.randint(5, (4,))
    found = []
    for run in (compiled, model):
        model.zero_grad()
        F.cross_entropy(run(x), y).backward()
        found.append([p.grad.clone() for p in model.parameters()])
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-5)


@test
def signals_of_their_short_time_transforms():
    """Which PyTorch traces as the gradient of windows, those of one window for each signal."""
    window, signals = torch.hann_window(16), torch.randn(2, 100)
    same(lambda z: torch.istft(z, 16, 4, window=window), (torch.stft(signals, 16, 4, window=window, return_complex=True),))


@test
def views_of_what_eager_lays_out_otherwise():
    """The gradient of a loss has the strides of its argument where PyTorch traces it, and is contiguous where eager runs it."""
    def loss(x, y):
        return F.mse_loss(x.reshape(2, 4, 3, 8).permute(0, 3, 1, 2), y)

    x, y = torch.randn(24, 8, requires_grad=True), torch.randn(2, 8, 4, 3)
    ours, theirs = (torch.autograd.grad(run(x, y), x)[0] for run in (torch.compile(loss, backend="ferrite", options=STRICT), loss))
    torch.testing.assert_close(ours, theirs)


@test
def gradients_under_autocast():
    """Of half precision, with weights and statistics of single precision: no further from float64 than twice eager's."""
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.grouped, self.layer = torch.nn.GroupNorm(2, 8), torch.nn.LayerNorm(8)
            self.attention, self.conv = torch.nn.MultiheadAttention(8, 2, batch_first=True), torch.nn.Conv1d(8, 8, 3, padding=1)

        def forward(self, x):
            x = self.layer(self.grouped(self.conv(x)).transpose(1, 2))
            return x + self.attention(x, x, x, need_weights=False)[0]

    model, x, weight = Block(), torch.randn(4, 8, 10), torch.randn(4, 10, 8)
    compiled = torch.compile(model, backend="ferrite", options=STRICT)

    def found(run, enabled, dtype):
        model.to(dtype).zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            result = run(x.to(dtype))
        (result * weight).sum().backward()
        return [p.grad.double() for p in model.parameters()]

    exact, ours, eager = found(model, False, torch.double), found(compiled, True, torch.float), found(model, True, torch.float)
    for e, a, b in zip(exact, ours, eager):
        assert (a - e).square().mean() <= 4 * (b - e).square().mean() + 1e-5, (a.shape, (a - e).square().mean(), (b - e).square().mean())


@test
def gradients_of_attention_of_any_width():
    for scale in (lambda width: None, lambda width: width ** -0.25):
        def attend(q, k, v):
            return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale(q.shape[-1]))
        compiled = torch.compile(attend, backend="ferrite", options=STRICT, dynamic=True)
        for width in (16, 24, 8):
            given = [torch.randn(2, 3, 5 + width // 8, width, requires_grad=True) for _ in range(3)]
            ours, theirs = (torch.autograd.grad((run(*given) * torch.linspace(-1, 1, width)).sum(), given) for run in (compiled, attend))
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


@test
def groups_of_heads_that_only_the_run_knows():
    def attend(q, k, v):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)

    for dtype in (torch.float32, torch.float64):
        heads = ((8, 2, 33), (6, 3, 10), (12, 4, 50))
        same(attend, *[[torch.randn(3, count, size, 16, dtype=dtype) for count in (whole, part, part)] for whole, part, size in heads],
             dynamic=True)


@test
def matrices_without_columns():
    same(torch.ormqr, (torch.randn(5, 0), torch.randn(0), torch.randn(5, 0)), (torch.randn(5, 0), torch.randn(0), torch.randn(5, 3)))
    same(torch.linalg.householder_product, (torch.randn(5, 0), torch.randn(0)))


@test
def what_eager_does_not_make_is_none():
    q, weight, bias, out = torch.randn(1, 3, 6), torch.randn(18, 6), torch.randn(18), torch.randn(6, 6)
    for wanted in (False, True):
        same(lambda q, w, b, o: torch._native_multi_head_attention(q, q, q, 6, 2, w, b, o, b[:6], None, wanted), (q, weight, bias, out))


@test
def an_lstm_in_bfloat16_rounds_where_eager_does():
    with torch.autocast("cpu", dtype=torch.bfloat16):
        try:
            torch.nn.LSTM(4, 6)(torch.zeros(1, 1, 4))
        except RuntimeError:
            return  # oneDNN has none on this machine
    torch._dynamo.config.allow_rnn = True
    try:
        for layers, bias in ((1, True), (2, True), (2, False)):
            model = torch.nn.LSTM(4, 6, layers, bidirectional=True, bias=bias).eval()

            def run(x):
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    return model(x)[0]
            same(run, (torch.randn(5, 2, 4),))
    finally:
        torch._dynamo.config.allow_rnn = False


@test
def gradients_of_a_pools_gradient():
    x = torch.randn(1, 2, 8, 8)
    made, places = torch.nn.functional.max_pool2d(x, 2, return_indices=True)

    def back(grad):
        return torch.ops.aten.max_pool2d_with_indices_backward(grad, x, [2, 2], [2, 2], [0, 0], [1, 1], False, places)

    grads = [torch.ones_like(made, requires_grad=True) for _ in range(2)]
    for run, grad in zip((torch.compile(back, backend="ferrite", options=STRICT), back), grads):
        run(grad).square().sum().backward()
    torch.testing.assert_close(grads[0].grad, grads[1].grad)


@test
def training_follows_the_same_curve():
    def curve(compile_it):
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Embedding(50, 16), torch.nn.TransformerEncoderLayer(
            16, 2, 32, dropout=0., batch_first=True), torch.nn.Linear(16, 50))
        run = torch.compile(model, backend="ferrite", options=STRICT) if compile_it else model
        optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
        words, losses = torch.randint(50, (4, 12)), []
        for _ in range(8):
            loss = F.cross_entropy(run(words).flatten(0, 1), words.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses
    torch.testing.assert_close(curve(True), curve(False), rtol=1e-4, atol=1e-5)


@test
def an_optimizer_is_a_graph():
    def trained(compile_it):
        torch.manual_seed(0)
        weights = [torch.randn(5, 3, requires_grad=True), torch.randn(3, requires_grad=True)]
        optimizer = torch.optim.Adam(weights, 0.1)
        step = torch.compile(optimizer.step, backend="ferrite", options=STRICT) if compile_it else optimizer.step
        for k in range(3):
            for weight in weights:
                weight.grad = torch.sin(weight.detach() + k)
            step()
        return [weight.detach() for weight in weights]
    torch.testing.assert_close(trained(True), trained(False))


@test
def operators_of_torch_library():
    @torch.library.custom_op("door::twice_and_count", mutates_args={"count"})
    def twice(x: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        count += 1
        return x * 2

    @twice.register_fake
    def _(x, count):
        return torch.empty_like(x)

    same(lambda x, count: twice(x + 1, count) - 1, (torch.randn(3), torch.zeros(1)))

    def fill(x, out):
        out.copy_(x)

    torch.library.define("door::fill", "(Tensor x, Tensor(a!) out) -> None")
    torch.library.impl("door::fill", "CPU", fill)
    torch.library.register_fake("door::fill", lambda x, out: None)

    def filled(x, out):
        torch.ops.door.fill(x * 2, out)
        return out + 1
    same(filled, (torch.randn(3), torch.zeros(3)))


@test
def operators_of_torch_library_write_to_windows_whose_start_changes():
    @torch.library.custom_op("ferrite_test::double", mutates_args=("x",))
    def double(x: torch.Tensor) -> None:
        x.mul_(2)

    def part(x, n):
        double(x[n:n + 2])
        return x + 1

    same(part, *[(torch.randn(size), n) for n, size in ((1, 6), (2, 9), (3, 7))], dynamic=True)
    compiled = torch.compile(part, backend="ferrite", dynamic=True)
    for n in (1, 2):  # of a storage that begins before it
        ours, theirs = (torch.arange(9.0)[n:] for _ in range(2))
        torch.testing.assert_close((compiled(ours, n), ours), (part(theirs, n), theirs))


@test
def operators_of_torch_library_get_the_strides_that_were_traced():
    @torch.library.custom_op("door::strides", mutates_args=())
    def strides(x: torch.Tensor) -> torch.Tensor:
        return torch.tensor(x.stride())

    @strides.register_fake
    def _(x):
        return torch.empty(x.dim(), dtype=torch.int64)

    x = torch.randn(2, 4, 3)
    for laid_out in (lambda x: x.transpose(0, 1).contiguous(), lambda x: x.transpose(0, 1), lambda x: x[:, ::2].clone(),
                     lambda x: x.expand(5, *x.shape), lambda x: (x.transpose(1, 2) * 2), lambda x: (x * 2).transpose(0, 2).contiguous(),
                     lambda x: torch.nn.functional.pad(x, (1, 1)).permute(2, 0, 1).contiguous() + 1):
        same(lambda x: strides(laid_out(x)), (x,))
        same(lambda x: strides(laid_out(x)), (x,), (torch.randn(3, 6, 3),), dynamic=True)


@test
def windows_on_arguments_move_with_them():
    """Unless the program counts from the start of a storage: of which start a graph does not say."""
    torch.library.define("door::bump", "(Tensor(a!) x) -> ()")
    torch.library.impl("door::bump", "CPU", lambda x: (x.add_(1), None)[1])
    torch.library.register_fake("door::bump", lambda x: None)

    def moving(x):
        torch.ops.door.bump(x.view(2, 3).t()[1:])
        return x * 2

    def standing(x):
        torch.ops.door.bump(x.as_strided((2, 2), (1, 3), 1))
        return x * 2

    def at(f, start):
        whole = torch.arange(12.)
        return f(whole[start:start + 6]), whole

    for starts in (0, 4), (4, 0):
        torch._dynamo.reset()
        compiled = torch.compile(moving, backend="ferrite", options=STRICT)
        for start in starts:
            torch.testing.assert_close(at(compiled, start), at(moving, start))
    compiled = torch.compile(standing, backend="ferrite", options=STRICT)
    torch.testing.assert_close(at(compiled, 0), at(standing, 0))
    try:
        at(compiled, 4)
    except RuntimeError as error:
        assert "from a later element on" in str(error), error
        return
    raise AssertionError("an argument from behind the start of its storage was taken")


@test
def an_assertion_is_raised_as_eager_raises_it():
    compiled = torch.compile(lambda x, i: x[i] + 1, backend="ferrite", options=STRICT)
    x = torch.randn(4)
    compiled(x, torch.tensor([3]))
    try:
        compiled(x, torch.tensor([4]))
    except (RuntimeError, IndexError):
        return
    raise AssertionError("an index out of range was taken")


@test
def forward_derivatives_are_compiled():
    """Those of glu are an operator of their own; those of a solution are checked between tokens."""
    x, v = torch.randn(4, 4), torch.randn(4, 4)
    jvp = torch.func.jvp
    same(lambda x, v: jvp(lambda a: torch.nn.functional.glu(a, -1).softmax(0), (x,), (v,)), (x, v))
    solved = torch.compile(lambda x, v: jvp(lambda a: torch.linalg.solve(a, v), (x,), (v,)), backend="ferrite", options=STRICT)
    torch.testing.assert_close(solved(x + 4 * torch.eye(4), v), jvp(lambda a: torch.linalg.solve(a, v), (x + 4 * torch.eye(4),), (v,)))
    try:
        solved(torch.zeros(4, 4), v)
    except RuntimeError as error:
        assert "singular" in str(error), error
    else:
        raise AssertionError("a matrix without an inverse was taken")


@contextlib.contextmanager
def listening():
    """What the door tells meanwhile."""
    told, handler = [], logging.Handler()
    handler.emit = lambda record: told.append(record.getMessage())
    ferrite.door.log.addHandler(handler)
    ferrite.door.log.propagate = False
    try:
        yield told
    finally:
        ferrite.door.log.removeHandler(handler)
        ferrite.door.log.propagate = True


@test
def a_c_compiler_that_fails_is_told_of_at_the_first_call():
    def f(x):
        return (x.sin() * 2).sum(0)
    x = torch.randn(4, 5, requires_grad=True)
    broken = {"cc": "/no/such/cc"}
    with listening() as messages:
        made = torch.compile(f, backend="ferrite", options=broken)(x)
        made.sum().backward()
    torch.testing.assert_close(made, f(x))
    torch.testing.assert_close(x.grad, (x.cos() * 2).detach())
    assert any("/no/such/cc" in message for message in messages), messages
    torch._dynamo.reset()
    try:
        torch.compile(f, backend="ferrite", options={**broken, "fallback": "error"})(x)
    except ferrite.door.Error as error:
        assert "/no/such/cc" in str(error)
    else:
        raise AssertionError("nothing was refused")


@test
def what_is_not_compiled_runs_and_is_told_once():
    with listening() as told:
        for _ in range(2):
            torch._dynamo.reset()
            compiled = torch.compile(abstract, backend="ferrite")
            torch.testing.assert_close(*(one(ABSTRACT_GIVEN)[0] for one in (compiled, abstract)))
    assert len(told) == 1 and "meta" in told[0], told


ABSTRACT_GIVEN = torch.eye(4)


def abstract(x):
    """A tensor without data is on no device that is compiled for."""
    return x * 2, torch.empty_like(x, device="meta")


def seeded(function, x, seed=1):
    torch.manual_seed(seed)
    return function(x)


@test
def random_numbers_are_those_of_pytorchs_generator_in_the_programs_order():
    x = torch.rand(4, 5)
    functions = {
        "fresh": lambda x: (torch.rand(3), torch.randn(2, 3) * 2, torch.randint(0, 9, (4,)), torch.randperm(7)),
        "alike": lambda x: (torch.randn_like(x), torch.rand_like(x.t(), dtype=torch.float64), torch.randn(x.shape[0], 2)),
        "in place": lambda x: (x.clone().uniform_(0, 2), x.clone().bernoulli_(0.4), x.clone().exponential_()),
        "of values": lambda x: (torch.bernoulli(x), torch.multinomial(x, 2), torch.normal(x, 1.0), dropout(x.t(), 0.3)),
    }
    for dynamic in (None, True):
        for name, function in functions.items():
            torch._dynamo.reset()
            compiled = torch.compile(function, backend="ferrite", dynamic=dynamic, options=STRICT)
            for seed in (1, 2, 1):
                for one, other in zip(seeded(compiled, x, seed), seeded(function, x, seed)):
                    torch.testing.assert_close(one, other, msg=lambda said, name=name: f"{name}: {said}")
                    assert one.stride() == other.stride(), name
                torch.testing.assert_close(compiled(x)[0], seeded(lambda x: [function(x), function(x)][1], x, seed)[0])


@test
def dropout_draws_what_eager_draws_and_its_gradient_has_the_same_mask():
    model = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    x, compiled = torch.randn(2, 3, 8), torch.compile(model, backend="ferrite", options=STRICT)

    def trained(one, seed):
        model.zero_grad()
        result = seeded(one, x, seed)
        result.square().sum().backward()
        return [result.detach(), *(parameter.grad.clone() for parameter in model.parameters())]
    for seed in (1, 2, 1):
        torch.testing.assert_close(trained(compiled, seed), trained(model, seed))


@test
def an_operator_that_is_not_compiled_is_called_from_the_graph():
    x, y = torch.randn(4, 6), torch.randn(3, 6)
    with listening() as told:
        same(lambda x, y: torch.ops.aten._add_relu.Tensor(x * 2, x, alpha=2) + 1, (x, y), (-x, y), options={})
        same(lambda x, y: [v * 2 for v in torch.ops.aten._foreach_add.Scalar([x + 1, y], 3.5)][1], (x, y), options={})
        same(lambda x, y: (torch.ops.aten._add_relu.Tensor(x, x) - 1).sum(0), (x, y), (y, x), options={}, dynamic=True)
    assert len(told) == 1 and "_add_relu" in told[0] and "a call in a graph" in told[0], told
    try:
        torch.compile(lambda x: torch.ops.aten._add_relu.Tensor(x, x), backend="ferrite", options=STRICT)(x)
    except Exception as error:
        assert "_add_relu" in str(error), error
    else:
        raise AssertionError("it ran")


@test
def what_pytorch_refuses_is_refused():
    compiled = torch.compile(lambda x: F.adaptive_max_pool2d(x * 2, 2) + 1, backend="ferrite")
    try:
        with listening():
            compiled(torch.ones(1, 1, 4, 6, dtype=torch.int64))
    except RuntimeError as error:
        assert "not implemented for 'Long'" in str(error), error
    else:
        raise AssertionError("it ran")


@test
def places_are_counted_from_the_start_of_a_storage():
    def shown(x):
        return torch.as_strided(x, (3,), (1,), 2) * 1, x + 1
    for how in ({}, {"dynamic": True}):
        compiled = torch.compile(shown, backend="ferrite", options=STRICT, **how)
        for whole, part in ((torch.arange(20.), slice(4, 10)), (torch.arange(10.), slice(0, 6)), (-torch.arange(30.), slice(7, 13))):
            torch.testing.assert_close(compiled(whole[part]), shown(whole[part]))
    compiled = torch.compile(lambda x: x.as_strided((3,), (1,), 18) * 1, backend="ferrite", options=STRICT)
    compiled(torch.arange(21.)[4:10])
    try:
        compiled(torch.arange(20.)[4:10])
    except RuntimeError as error:
        assert "out of bounds" in str(error), error
    else:
        raise AssertionError("it was read beyond the end of a storage")


@test
def writes_go_to_a_storage():
    def step(x):
        x.as_strided((2,), (1,), 3).add_(100)
        x.mul_(2)
        return x.sum()
    ours, theirs = torch.arange(12.), torch.arange(12.)
    compiled = torch.compile(step, backend="ferrite", options=STRICT)
    torch.testing.assert_close(compiled(ours[:6]), step(theirs[:6]))
    torch.testing.assert_close(ours, theirs)


@test
def storages_in_every_target():
    class Shown(torch.nn.Module):
        def forward(self, x):
            return x.as_strided((3,), (1,), 2) * 2, x.t() + 1
    whole = torch.arange(40.)
    x, y = whole[4:16].view(3, 4), whole[9:21].view(3, 4)
    program = ferrite.compile(torch.export.export(Shown(), (x,)))
    with tempfile.TemporaryDirectory() as folder:
        graph = ferrite_fx.load(program.write(os.path.join(folder, "shown.json")))
        for run in (program, graph):
            for given in (x, y):
                torch.testing.assert_close(tuple(run(given)), Shown()(given))


@dataclasses.dataclass
class Pair:
    a: torch.Tensor
    b: torch.Tensor


torch.export.register_dataclass(Pair, serialized_type_name="test_door.Pair")


class Nested(torch.nn.Module):
    def forward(self, pair, named, *, scale=None, k=2):
        a, b = pair
        return {"sum": a + b * k, "list": [named["x"], None, a.sum()], "one": (named["y"] * scale,)}


class Swapped(torch.nn.Module):
    def forward(self, pair):
        return Pair(pair.b + 1, pair.a * 2),


@test
def exported_programs_are_called_as_the_module_is():
    x = torch.randn(3)
    given, named = ((x, x + 1), {"y": x - 1, "x": x * 3}), {"scale": x, "k": 3}
    program = ferrite.compile(torch.export.export(Nested(), given, named))
    torch.testing.assert_close(program(*given, **named), Nested()(*given, **named))
    for wrong, said in ((((x,), given[1]), "a tuple of 1 where (*, *)"), ((given[0], {"x": x}), "{'x': ...} where")):
        try:
            program(*wrong, **named)
        except ferrite.Error as error:
            assert said in str(error), error
        else:
            raise AssertionError("arguments of another shape were taken")
    (pair,) = ferrite.compile(torch.export.export(Swapped(), (Pair(x, x + 1),)))(Pair(x, x + 1))
    torch.testing.assert_close((pair.a, pair.b), (x + 2, x * 2))


@test
def frozen_weights_that_change_after_all():
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 8, 3, groups=2),
                                torch.nn.Flatten(), torch.nn.Linear(32, 24), torch.nn.BatchNorm1d(24), torch.nn.Linear(24, 24)).eval()
    compiled = torch.compile(model, backend="ferrite", options={**STRICT, "freezing": True})
    x = torch.randn(2, 3, 4, 4)

    def check():
        for _ in range(2):
            torch.testing.assert_close(compiled(x), model(x))
    with torch.no_grad():
        check()
        for k in (0, 2, 4, 6):
            model[k].weight.mul_(1.5)
            check()
        model[6].weight = torch.nn.Parameter(torch.randn(24, 24))
        check()
        model[4].weight, model[6].bias = torch.nn.Parameter(torch.randn(24, 32)), torch.nn.Parameter(torch.randn(24))
        check()


@test
def what_is_not_compiled_can_be_an_error():
    try:
        torch.compile(abstract, backend="ferrite", options=STRICT)(ABSTRACT_GIVEN)
    except Exception as error:
        assert "meta" in str(error), error
        return
    raise AssertionError("it ran")


@test
def options_are_those_of_the_compiler():
    same(lambda x: torch.tanh(x) * 2, (torch.randn(9),), options={**STRICT, "isa": "baseline"})
    try:
        torch.compile(lambda x: x + 1, backend="ferrite", options={"isa": "none such"})(torch.zeros(3))
    except Exception as error:
        assert "none such" in str(error), error
        return
    raise AssertionError("an isa that is none was taken")


@test
def weights_that_are_arguments_are_not_quantised():
    try:
        torch.compile(lambda x: x + 1, backend="ferrite", options={"quantize": "int8"})(torch.zeros(3))
    except Exception as error:
        assert "quantize=" in str(error), error
        return
    raise AssertionError("an option without effect was taken")


@test
def the_text_of_a_graph_is_a_program():
    with tempfile.TemporaryDirectory() as folder:
        compiled = torch.compile(lambda x: x.relu() + x.shape[0], backend="ferrite", options={**STRICT, "trace": folder}, dynamic=True)
        compiled(torch.randn(3, 4))
        program = ferrite.compile(os.path.join(folder, "graph_1.fx"))
        assert "aten.relu.default" in open(os.path.join(folder, "graph_1.fx")).read()
        del program


@test
def numbers_made_into_tensors_are_numbers_of_the_graph():
    def attend(q, k, v, seen):
        scores = q @ k.transpose(-1, -2) / torch.tensor(8.0)
        scores = torch.where(seen, scores, torch.tensor(float("-inf")))
        return torch.softmax(scores, -1) @ v + torch.tensor(3) + torch.tensor(True)

    q, k, v = (torch.randn(2, 3, 20, 64) for _ in range(3))
    with tempfile.TemporaryDirectory() as folder:
        same(attend, (q, k, v, torch.ones(20, 20).tril() > 0), options={**STRICT, "trace": folder})
        assert "ferrite.attention" in open(os.path.join(folder, "graph_1", "passes.fx")).read()


@test
def rows_of_ragged_lengths():
    linear, norm = torch.nn.Linear(8, 8), torch.nn.LayerNorm(8)

    def attend(x):
        heads = linear(norm(x)).unflatten(-1, [2, 4]).transpose(1, 2)
        return torch.nn.functional.scaled_dot_product_attention(heads, heads, heads).transpose(1, 2).flatten(-2) + x

    def ragged(*lengths):
        rows = [torch.linspace(-1, length, 8 * length).reshape(length, 8) for length in lengths]
        return torch.nested.nested_tensor(rows, layout=torch.jagged, requires_grad=True)

    compiled = torch.compile(attend, backend="ferrite", options=STRICT)
    for lengths in ((3, 5, 2), (4, 7)):
        values = []
        for run in (compiled, attend):
            x = ragged(*lengths)
            made = run(x).values()
            made.square().sum().backward()
            values.append((made.detach(), x.grad.values()))
        torch.testing.assert_close(*values)


@test
def several_threads_call_one_program():
    compiled = torch.compile(lambda x: (x @ x).softmax(0), backend="ferrite", options=STRICT)
    inputs = [torch.randn(24, 24) for _ in range(4)]
    expected = [(x @ x).softmax(0) for x in inputs]
    compiled(inputs[0])
    wrong = []

    def work(k):
        for _ in range(50):
            if not torch.allclose(compiled(inputs[k]), expected[k], atol=1e-5):
                wrong.append(k)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


@test
def lazily_conjugated_and_gapped_arguments():
    x = torch.randn(4, 5, dtype=torch.complex64)
    same(lambda v: v * 2 + 1, (x.conj(),), (x.t().conj().t(),))
    same(lambda v: v.sum(1), (torch.randn(10, 10)[2:7:2, 3:],))


@test
def results_are_parts_of_an_argument_whatever_its_size():
    compiled = torch.compile(lambda x: (*x.chunk(4), x[1:], x.view(-1, 1)), backend="ferrite", options=STRICT, dynamic=True)
    for size in (8, 12, 7, 20):
        x = torch.randn(size + 3)[3:]
        expected = (*x.chunk(4), x[1:], x.view(-1, 1))
        for got, want in zip(compiled(x), expected, strict=True):
            assert torch.equal(got, want) and got.data_ptr() == want.data_ptr(), (size, got, want)


@test
def results_are_other_elements_of_an_argument():
    def shown(x, z):
        return x.view(torch.int16)[1:], x.t(), torch.view_as_real(z)[1:], z.conj()[2:], z.conj().imag, z.imag

    compiled = torch.compile(shown, backend="ferrite", options=STRICT, dynamic=True)
    for size in (5, 8, 12):
        x, z = torch.randn(size + 3, 4)[3:], torch.randn(size + 1, 4, dtype=torch.complex64)[1:]
        for got, want in zip(compiled(x, z), shown(x, z), strict=True):
            torch.testing.assert_close(got, want, rtol=0, atol=0, check_stride=True)
            assert got.data_ptr() == want.data_ptr() and got.is_conj() == want.is_conj() and got.is_neg() == want.is_neg()


@test
def layers_of_a_transformer_in_one_call():
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, norm_first=True, activation="gelu").eval()
    model, x, hidden = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval(), torch.randn(2, 5, 16), torch.zeros(2, 5)
    hidden[1, 3:] = 1
    weights = [0.2 * torch.randn(size) for size in ((48, 16), (48,), (16, 16), (16,))]
    with torch.no_grad():
        same(model, (x,))
        same(lambda v: model(v, src_key_padding_mask=hidden.bool()), (x,))
        for mask, kind in ((None, None), (torch.ones(5, 5).triu(1).bool(), 0), (hidden.bool(), 1), (torch.arange(100).view(2, 2, 5, 5) % 3 == 1, 2)):
            for average in (True, False):
                same(lambda q, k: torch.ops.aten._native_multi_head_attention(q, k, x, 16, 2, *weights, mask, True, average, kind),
                     (x, x + 1))
            same(lambda q: torch.ops.aten._native_multi_head_attention(q, q, q, 16, 2, *weights, mask, False, True, kind)[0], (x,))
        weights[2:] = torch.randn(24, 16), torch.randn(24)  # a projection to another width
        same(lambda q: torch.ops.aten._native_multi_head_attention(q, q, q, 16, 2, *weights, None, False)[0], (x,))
        same(lambda v: torch._masked_softmax(v, torch.arange(60).view(3, 4, 5) % 3 == 1, 1, 2), (torch.randn(3, 4, 5),))


@test
def layers_of_an_lstm():
    for how in ({}, {"bidirectional": True, "num_layers": 2, "batch_first": True}, {"bias": False}):
        model, x = torch.nn.LSTM(5, 7, **how), torch.randn(3, 4, 5)
        same(model, (x,))
        compiled = torch.compile(model, backend="ferrite")  # a training call runs as PyTorch runs it
        for got, expected in zip(*(torch.autograd.grad(run(x)[0].sum(), tuple(model.parameters())) for run in (compiled, model))):
            torch.testing.assert_close(got, expected)
        torch._dynamo.reset()


@test
def layers_of_an_lstm_in_the_graph():
    with torch._dynamo.config.patch(allow_rnn=True):
        for sizes in ((1, 7, 7, 5), (2, 4, 3, 3), (3, 5, 6, 4)):
            inputs, hidden, batch, steps = sizes
            for more in ({}, {"num_layers": 2, "bidirectional": True}, {"bias": False}):
                for batch_first in (True, False):
                    layers = torch.nn.LSTM(inputs, hidden, batch_first=batch_first, **more).eval()
                    x = torch.randn(batch, steps, inputs) if batch_first else torch.randn(steps, batch, inputs)
                    same(lambda x: layers(x)[0], (x,))
                    torch._dynamo.reset()


@test
def attention_with_scores_and_masks_of_the_users():
    queries, keys, values = (torch.randn(2, 4, 96, 16) for _ in range(3))
    bias, document = torch.randn(4), torch.randint(0, 3, (96,)).sort()[0]

    def in_document(b, h, query, key):
        return (document[query] == document[key]) & (query >= key)

    mask = flex.create_block_mask(in_document, None, None, 96, 96, device="cpu")
    alibi = flex.create_block_mask(lambda b, h, query, key: query - key < 20, None, None, 96, 96, device="cpu")
    for how in ({}, {"score_mod": lambda score, b, h, query, key: score + (query - key) * 0.01}, {"block_mask": mask}, {"block_mask": alibi, "scale": 0.5},
                {"score_mod": lambda score, b, h, query, key: 20 * torch.tanh(score / 20) + bias[h], "block_mask": mask}):
        same(lambda q, k, v: flex.flex_attention(q, k, v, **how), (queries, keys, values))
        same(lambda q, k, v: flex.flex_attention(q, k[:, :2], v[:, :2], enable_gqa=True, **how), (queries, keys, values))
        same(lambda q, k, v: flex.flex_attention(q, k, v, return_lse=True, **how), (queries, keys, values))
        torch._dynamo.reset()
    same(lambda q, k, v: flex.flex_attention(q, k, v, return_lse=True), tuple(x.double() for x in (queries, keys, values)))
    short = tuple(x[:, :, :50] for x in (queries, keys, values))
    same(lambda q, k, v: flex.flex_attention(q, k, v, score_mod=lambda score, b, h, query, key: score - query), (queries, keys, values), short, dynamic=True)


@test
def attention_of_the_users_in_branches_and_loops():
    def attend(q, k, v):
        return flex.flex_attention(q, k, v, score_mod=lambda score, b, h, query, key: score + (query - key) * 0.01)

    def branch(ask, q, k, v):
        return torch.cond(ask, attend, lambda q, k, v: q * 2, (q, k, v))

    def loop(q, k, v):
        return while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, attend(x, k, v)), (torch.tensor(0), q))[1]

    given = tuple(torch.randn(1, 2, 32, 8) for _ in range(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ask in (True, False):
            same(branch, (torch.tensor(ask), *given))
        same(loop, given)


@test
def what_attention_hides_is_hidden_as_in_eager_even_if_it_is_no_number():
    document = torch.arange(70) // 20
    mask = flex.create_block_mask(lambda b, h, query, key: (document[query] == document[key]) & (query != 3), None, None, 70, 70, device="cpu")
    seen = document[:, None] == document
    attends = [lambda q, k, v: flex.flex_attention(q, k, v, block_mask=mask),
               lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)]
    for bad in (float("nan"), float("inf")):
        for dtype in (torch.float32, torch.float64):
            q, k, v = (torch.randn(1, 2, 70, 8, dtype=dtype) for _ in range(3))
            k[0, 0, 65, 0] = bad
            for attend in attends:
                torch._dynamo.reset()
                with torch.no_grad():
                    got, want = torch.compile(attend, backend="ferrite", options=STRICT)(q, k, v), attend(q, k, v)
                torch.testing.assert_close(got, want, equal_nan=True)


@test
def exported_attention_with_scores_of_the_users():
    class Attention(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.bias = torch.nn.Parameter(torch.randn(4))

        def forward(self, q, k, v):
            return flex.flex_attention(q, k, v, score_mod=lambda score, b, h, query, key: score + self.bias[h] * (key - query))

    given = tuple(torch.randn(2, 4, 32, 8) for _ in range(3))
    with torch.no_grad():
        module = Attention()
        exported = torch.export.export(module, given)
        for program in (ferrite.compile(exported), ferrite.compile(module, given)):
            torch.testing.assert_close(program(*given), module(*given))
        torch.testing.assert_close(exported.module()(*given), module(*given))  # as it was


def main_of(tests):
    passed = failed = 0
    for run in tests:
        torch._dynamo.reset()
        try:
            run()
            passed += 1
        except Exception as error:
            failed += 1
            print(f"FAIL {run.__name__}: {type(error).__name__}: {str(error)[:1500]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main_of(TESTS))
