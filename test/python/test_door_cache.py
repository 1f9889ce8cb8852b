#!/usr/bin/env python3
"""What torch.compile(backend="ferrite") leaves in PyTorch's cache: another process goes on from there, with the same results, and
only where everything is as it was."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

TESTS, PROGRAMS = [], {}


def test(function):
    TESTS.append(function)
    return function


# ---- in a process of its own: what each does, with a function that compiles; what differs from eager raises ----


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def gradients(torch, function, model, x):
    model.zero_grad()
    x = x.clone().requires_grad_()
    torch.manual_seed(7)
    made = function(x)
    made.square().sum().backward()
    return [made, x.grad, *(p.grad.clone() for p in model.parameters())]


def layers(torch):
    return torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.LayerNorm(16), torch.nn.Linear(16, 4))


@program
def training(torch, compiled):
    model, x = layers(torch), torch.randn(5, 8)
    function = compiled(model)
    for _ in range(2):
        torch.testing.assert_close(gradients(torch, function, model, x), gradients(torch, model, model, x))


@program
def training_of_any_batch(torch, compiled):
    model = layers(torch)
    function = compiled(model, dynamic=True)
    for size in (5, 9, 3):
        x = torch.randn(size, 8)
        torch.testing.assert_close(gradients(torch, function, model, x), gradients(torch, model, model, x))


def gradients_twice(function, model, x):
    made, found = function(x), []
    model.zero_grad()
    for keep in (True, False):
        made.square().sum().backward(retain_graph=keep)
        found.append([p.grad.clone() for p in model.parameters()])
    return found


@program
def graph_that_is_kept(torch, compiled):
    """What may overwrite its arguments finds that it may not."""
    model, x = layers(torch), torch.randn(5, 8)
    torch.testing.assert_close(gradients_twice(compiled(model), model, x), gradients_twice(model, model, x))


@program
def random_numbers(torch, compiled):
    """Operators that PyTorch runs, by name."""
    model, x = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.Dropout(0.5)), torch.randn(5, 8)
    function = compiled(model)
    for _ in range(2):
        torch.testing.assert_close(gradients(torch, function, model, x), gradients(torch, model, model, x))


@program
def constants_and_writes(torch, compiled):
    def function(x, out):
        out.add_(x * torch.tensor([1.0, 2.0, 3.0]))
        return x.view(3, 2), out.t(), torch.arange(4), 3
    x, out = torch.randn(2, 3), torch.zeros(2, 3)
    ours, theirs = out.clone(), out.clone()
    torch.testing.assert_close(compiled(function)(x, ours), function(x, theirs))
    torch.testing.assert_close(ours, theirs)


@program
def sizes_that_values_decide(torch, compiled):
    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    function = compiled(lambda x: x.nonzero() * 2)
    for x in (torch.tensor([0, 1, 2]), torch.tensor([0, 0, 5])):
        torch.testing.assert_close(function(x), x.nonzero() * 2)


@program
def doubled(torch, compiled):
    x = torch.randn(4)
    torch.testing.assert_close(compiled(lambda x: x * 2)(x), x * 2)


@program
def tripled(torch, compiled):
    x = torch.randn(4)
    torch.testing.assert_close(compiled(lambda x: x * 3)(x), x * 3)


def inside(calls):
    """What became of the graphs of each (program, options)."""
    import torch
    import ferrite.door  # noqa: F401
    from torch._dynamo.utils import counters
    found = []
    for name, options in calls:
        torch._dynamo.reset()
        counters.clear()
        torch.manual_seed(1)
        how = {"backend": options.pop("backend", "ferrite"), "options": options or None}
        PROGRAMS[name](torch, lambda what, how=how, **more: torch.compile(what, **how, **more))
        counts = counters["aot_autograd"]
        found.append({kind: counts[counter] for kind, counter in (
            ("graphs", "ok"), ("hits", "autograd_cache_hit"), ("saved", "autograd_cache_saved"))})
    print(json.dumps(found))


# ---- tests ----


def run(folder, *calls, **changed):
    environment = dict(os.environ, TORCHINDUCTOR_CACHE_DIR=os.path.join(folder, "inductor"), XDG_CACHE_HOME=folder, **changed)
    done = subprocess.run([sys.executable, os.path.abspath(__file__), "--inside", json.dumps(calls)], env=environment,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@test
def all_are_found_again():
    calls = [(name, {"fallback": "error"}) for name in PROGRAMS]
    with tempfile.TemporaryDirectory() as folder:
        for (name, _), first, second in zip(calls, run(folder, *calls), run(folder, *calls)):
            assert first["hits"] == 0 and first["saved"] == first["graphs"] > 0, (name, first)
            assert second["hits"] == second["graphs"] == first["graphs"] and second["saved"] == 0, (name, second)


@test
def other_programs_options_and_backends_find_nothing():
    calls = [("doubled", {"backend": "inductor"}), ("doubled", {}), ("tripled", {}), ("doubled", {"fallback": "error"}),
             ("doubled", {"isa": "baseline"})]
    with tempfile.TemporaryDirectory() as folder:
        for call, found in zip(calls, run(folder, *calls)):
            assert found["hits"] == 0 and found["saved"] == 1, (call, found)
        traced = {"trace": os.path.join(folder, "trace")}
        once, again, other = run(folder, ("doubled", traced), ("doubled", traced), ("doubled", {}))
        assert once["hits"] == again["hits"] == once["saved"] == again["saved"] == 0, (once, again)
        assert other["hits"] == 1, other


@test
def where_the_c_compiler_fails_then_pytorch_runs_it():
    with tempfile.TemporaryDirectory() as folder:
        run(folder, ("doubled", {}))
        shutil.rmtree(os.path.join(folder, "ferrite"))
        found, = run(folder, ("doubled", {}), CC="false")
    assert found["hits"] == found["saved"] == 0, found


def main():
    if sys.argv[1:2] == ["--inside"]:
        inside(json.loads(sys.argv[2]))
        return 0
    failed = 0
    for function in TESTS:
        try:
            function()
        except Exception as error:
            failed += 1
            print(f"FAIL {function.__name__}: {type(error).__name__}: {error}")
    print(f"{len(TESTS) - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
