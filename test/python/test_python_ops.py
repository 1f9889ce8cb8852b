#!/usr/bin/env python3
"""Operators that are declared in Python (python/ferrite_ops.py): in a program that runs here, in the modules and
graphs that were written of it, and in C sources whose host gives the function."""

import copy
import ctypes
import importlib.util
import os
import subprocess
import sys
import tempfile

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401  declares the operators
from torch.export import Dim, export

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

import ferrite  # noqa: E402
import ferrite_fx  # noqa: E402
import ferrite_ops  # noqa: E402
import ferrite_runtime  # noqa: E402

TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Calls(torch.nn.Module):
    """A module of one function."""

    def __init__(self, forward):
        super().__init__()
        self.function = forward

    def forward(self, *args):
        return self.function(*args)


def same(ours, theirs):
    ours, theirs = (value if isinstance(value, (tuple, list)) else (value,) for value in (ours, theirs))
    assert len(ours) == len(theirs), (len(ours), len(theirs))
    for a, b in zip(ours, theirs):
        if isinstance(b, torch.Tensor):
            torch.testing.assert_close(a, b)
        else:
            assert a == b, (a, b)


def written(program, folder):
    """Its Python module."""
    path = program.write(os.path.join(folder, "written.py"))
    spec = importlib.util.spec_from_file_location("written", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def everywhere(program, folder, inputs, expected):
    """The program itself, its Python module, its FX graph: each with inputs of its own."""
    def check(run):
        given = [value.clone() for value in inputs]
        outputs, changed = expected
        same(run(*given), outputs)
        same(given, changed)

    check(program)
    check(program)
    check(written(program, folder).run)
    check(ferrite_fx.load(program.write(os.path.join(folder, "graph.json"))))


def eager(module, inputs):
    given = [value.clone() for value in inputs]
    return module(*given), given


@torch.library.custom_op("pyops::stats", mutates_args={"seen"})
def stats(x: torch.Tensor, seen: torch.Tensor, by: float = 2.0) -> tuple[torch.Tensor, torch.Tensor]:
    seen += 1
    return x * by, x.sum(0)


@stats.register_fake
def _(x, seen, by=2.0):
    return torch.empty_like(x), x.new_empty(x.shape[1])


LIBRARY = torch.library.Library("pyops", "FRAGMENT")
LIBRARY.define("halve(Tensor x) -> Tensor")
LIBRARY.define("halve.out(Tensor x, *, Tensor(a!) half) -> Tensor(a!)", tags=(torch.Tag.out,))
LIBRARY.define("split(Tensor x, SymInt[] sizes) -> Tensor[]")
LIBRARY.define("positive(Tensor x) -> SymInt")
LIBRARY.define("bump_(Tensor(a!)[] xs, Tensor(b!)? calls=None, ScalarType? dtype=None) -> ()")
OUT_CALLS = []


def halve_out(x, *, half):
    OUT_CALLS.append(half.shape)
    return half.copy_(x / 2)


def bump_(xs, calls=None, dtype=None):
    assert dtype in (None, torch.float32)
    for x in xs:
        x += 1
    if calls is not None:
        calls += 1


LIBRARY.impl("halve", lambda x: x / 2, "CPU")
LIBRARY.impl("halve.out", halve_out, "CPU")
LIBRARY.impl("split", lambda x, sizes: [part.clone() for part in x.split(list(sizes))], "CPU")
LIBRARY.impl("positive", lambda x: int((x > 0).sum()), "CPU")
LIBRARY.impl("bump_", bump_, "CPU")
torch.library.register_fake("pyops::halve", torch.empty_like, lib=LIBRARY)
torch.library.register_fake("pyops::split", lambda x, sizes: [x.new_empty(n, *x.shape[1:]) for n in sizes], lib=LIBRARY)
torch.library.register_fake("pyops::positive", lambda x: torch.library.get_ctx().new_dynamic_size(), lib=LIBRARY)
torch.library.register_fake("pyops::bump_", lambda xs, calls=None, dtype=None: None, lib=LIBRARY)


@test
def operators_that_pytorch_knows_need_no_declaration(folder):
    def forward(x, seen):
        doubled, sums = torch.ops.pyops.stats(x, seen)
        torch.ops.pyops.bump_([doubled, sums], seen, torch.float32)
        first, second = torch.ops.pyops.split(doubled, [2, x.shape[0] - 2])
        return torch.ops.pyops.halve(first + sums), second.t(), seen * 1

    module, inputs = Calls(forward), (torch.randn(5, 4), torch.zeros(3, dtype=torch.int64))
    for shapes in (None, (({0: Dim("n", min=4, max=64)}, None),)):
        program = ferrite.compile(export(module, inputs, dynamic_shapes=shapes))
        assert not ferrite_ops.declared()
        OUT_CALLS.clear()
        everywhere(program, folder, inputs, eager(module, inputs))
        assert OUT_CALLS == [(2, 4)] * 4, OUT_CALLS  # the out overload did the work
        functional = export(module, inputs, dynamic_shapes=shapes).run_decompositions({})
        assert "auto_functionalized_v2" in str(functional.graph)
        with tempfile.TemporaryDirectory(dir=folder) as another:  # a library is loaded once by its path
            everywhere(ferrite.compile(functional), another, inputs, eager(module, inputs))
        if shapes:
            other = (torch.randn(9, 4), inputs[1])
            everywhere(program, folder, other, eager(module, other))


@test
def operators_of_pytorch_are_its_own_where_the_library_has_none(folder):
    quantised = torch.ops.quantized_decomposed

    def forward(x, scale, zero_point):
        one = quantised.quantize_per_tensor(x, 0.1, 2, -128, 127, torch.int8)
        each = quantised.quantize_per_channel(x, scale, zero_point, 0, -128, 127, torch.int8)
        found, place = quantised.choose_qparams.tensor(x, -128, 127, 1e-5, torch.int8)
        other = torch.ops.aten._standard_gamma_grad(scale, scale + 1)
        return (quantised.dequantize_per_tensor(one, 0.1, 2, -128, 127, torch.int8),
                quantised.dequantize_per_channel(each, scale, zero_point, 0, -128, 127, torch.int8), found, place, other)

    module, inputs = Calls(forward), (torch.randn(4, 3), torch.rand(4) + 0.01, torch.randint(-3, 3, (4,)))
    program = ferrite.compile(export(module, inputs))
    assert not ferrite_ops.declared()
    everywhere(program, folder, inputs, eager(module, inputs))


@test
def derivatives_forward(folder):
    module = Calls(lambda x, y: torch.func.jvp(lambda t: (torch.tanh(t) * t).sum(-1), (x,), (y,)))
    inputs = torch.randn(4, 3), torch.randn(4, 3)
    everywhere(ferrite.compile(export(module, inputs)), folder, inputs, eager(module, inputs))


@test
def numbers_that_a_function_returns(folder):
    module, x = Calls(lambda x: torch.ones(torch.ops.pyops.positive(x)) * 3), torch.randn(4, 4)
    everywhere(ferrite.compile(export(module, (x,))), folder, (x,), eager(module, (x,)))


@test
def graphs_whose_symbols_are_in_strides_and_copies_of_graphs(folder):
    module, x = Calls(torch.relu), torch.randn(6, 8)[:, ::2]
    program = ferrite.compile(export(module, (x,), dynamic_shapes=(({0: Dim.AUTO, 1: Dim.AUTO},),)))
    graph = ferrite_fx.load(program.write(os.path.join(folder, "graph.json")))
    for run in (graph, copy.deepcopy(graph)):
        for value in (torch.randn(5, 10)[:, ::2], torch.randn(3, 8)[:, ::4]):
            same(run(value), module(value))


VIEWS = torch.library.Library("pyviews", "DEF")
VIEWS.define("tail(Tensor(a) x, SymInt n) -> Tensor(a)")
VIEWS.define("turned(Tensor(a) x) -> (Tensor(a), Tensor)")
VIEWS.define("raise_(Tensor(a!) x) -> Tensor(a!)")
VIEWS.impl("tail", lambda x, n: x[n:], "CompositeExplicitAutograd")
VIEWS.impl("turned", lambda x: (x.t(), x.sum(1)), "CompositeExplicitAutograd")
VIEWS.impl("raise_", lambda x: x.add_(1).t(), "CompositeExplicitAutograd")


@test
def views_that_a_function_returns(folder):
    def forward(x, y):
        ops = torch.ops.pyviews
        value = x * 2
        part = ops.tail(value, 1)
        part += 1
        turned, sums = ops.turned(part)
        turned[0] = 5.0
        ops.raise_(value)[0, 0] = 9.0
        ops.tail(y, 2).neg_()
        return value, sums, part, ops.tail(x.cos(), 2), ops.tail(y, 1)

    module, inputs = Calls(forward), (torch.randn(4, 3), torch.randn(3, 2))
    for shapes in (None, (({0: Dim("n", min=4, max=64)}, None),)):
        everywhere(ferrite.compile(export(module, inputs, dynamic_shapes=shapes)), folder, inputs,
                   eager(module, inputs))


@torch.library.custom_op("pyops::where_positive", mutates_args={"seen"})
def where_positive(x: torch.Tensor, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    seen += 1
    return (x > 0).nonzero(), x[x > 0]


@where_positive.register_fake
def _(x, seen):
    count = torch.library.get_ctx().new_dynamic_size()
    return x.new_empty((count, x.dim()), dtype=torch.int64), x.new_empty(count)


@test
def sizes_that_depend_on_data(folder):
    def forward(x, seen):
        places, values = torch.ops.pyops.where_positive(x, seen)
        return places[:, 1] * 2, torch.cat((values, x[0])), torch.ops.pyops.where_positive(x * 2, seen)[1].sum()

    module, seen = Calls(forward), torch.zeros((), dtype=torch.int64)
    x = torch.randn(4, 3)
    for shapes in (None, (({0: Dim("n", min=2, max=64)}, None),)):
        program = ferrite.compile(export(module, (x, seen), dynamic_shapes=shapes))
        for given in (x, x.abs() + 1, -x.abs() - 1):
            everywhere(program, folder, (given, seen), eager(module, (given, seen)))
    ferrite_ops.op("shop::many(Tensor x) -> Tensor", lambda x: x.flatten(), shapes="x[n, m] -> x[?, ?]")
    path = os.path.join(folder, "many.fx")
    with open(path, "w") as file:
        file.write("graph main { placeholder %x user \"x\" : f32[3,2] %y = shop.many.default(%x) output (user %y) }")
    said = refusal(ferrite.compile(path), x[:3, :2].clone())
    assert "result 0 is Tensor of shape [6], the program wants a tensor of 2 dimensions" in said, said
    ferrite_ops.forget()


FX = """operators { "shop::scale(Tensor x, float by, *, Tensor(a!)? log=None) -> (Tensor, SymInt)" }
graph main {
  placeholder %x user "x" : f32[3,2]
  placeholder %log user "log" : i64[]
  %p = shop.scale.default(%x, 2.5, %log)
  %y = _operator.getitem(%p, 0)
  %n = _operator.getitem(%p, 1)
  %z = aten.add.Tensor(%y, %x, 1)
  output (user %z, user %n)
}
"""
SCALE = "shop::scale(Tensor x, float by, *, Tensor(a!)? log=None) -> (Tensor, SymInt)"


def fx_file(folder):
    path = os.path.join(folder, "scale.fx")
    with open(path, "w") as file:
        file.write(FX)
    return path


INPUTS = (torch.randn(3, 2), torch.tensor(4))
EXPECTED = (INPUTS[0] * 3.5, 6), (INPUTS[0], torch.tensor(5))


@test
def a_function_in_python(folder):
    @ferrite_ops.op(SCALE, shapes="x[n, m] -> x[n, m], int")
    def scale(x, by, log=None):
        log += 1
        return x * by, x.numel()

    program = ferrite.compile(fx_file(folder))
    everywhere(program, folder, INPUTS, EXPECTED)
    assert scale(torch.ones(2, 2), 2, torch.tensor(0))[1] == 4
    ferrite_ops.forget()


C = r"""
#include "ferrite_ops.h"
int shop_scale(const fe_op_call *call)
{
    const fe_tensor *x = call->args[0].tensor;
    float *y = call->results[0].data;
    for (int64_t i = 0; i < x->sizes[0]; i++)
        for (int64_t j = 0; j < x->sizes[1]; j++)
            *y++ = ((float *)x->data)[i * x->strides[0] + j * x->strides[1]] * (float)call->args[1].number;
    ++*(int64_t *)call->args[2].tensor->data;
    *(int64_t *)call->results[1].data = x->sizes[0] * x->sizes[1];
    return 0;
}
"""


@test
def a_c_function_by_its_pointer(folder):
    source, library = os.path.join(folder, "scale.c"), os.path.join(folder, "libscale.so")
    with open(source, "w") as file:
        file.write(C)
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-I" + os.path.join(ROOT, "include"), source, "-o",
                    library], check=True)
    handle = ctypes.CDLL(library)
    address = ctypes.cast(handle.shop_scale, ctypes.c_void_p).value
    for function in (handle.shop_scale, address):
        ferrite_ops.op(SCALE, function, shapes="x[n, m] -> x[n, m], int")
        everywhere(ferrite.compile(fx_file(folder)), folder, INPUTS, EXPECTED)
        ferrite_ops.forget()


def refusal(run, *inputs):
    try:
        run(*inputs)
    except (ferrite.Error, ferrite_runtime.RunError) as error:
        return str(error)
    return "nothing"


@test
def mistakes_are_told(folder):
    path = fx_file(folder)
    functions = [
        (lambda x, by, log=None: x * by, "scale: TypeError: it returns 3 values, its schema has 2"),
        (lambda x, by, log=None: (x[:2], 1), "scale: ValueError: result 0 has shape [2, 2], the program wants [3, 2]"),
        (lambda x, by, log=None: (x.double(), 1), "scale: TypeError: result 0 is torch.float64, the program wants float32"),
        (lambda x, by, log=None: (None, 1), "scale: TypeError: result 0 is NoneType, the program wants a tensor"),
        (lambda x, by: (x, 1), "got an unexpected keyword argument 'log'"),
        (lambda x, by, log=None: 1 / 0, "scale: ZeroDivisionError: division by zero"),
    ]
    for function, wanted in functions:
        ferrite_ops.op(SCALE, function, shapes="x[n, m] -> x[n, m], int")
        said = refusal(ferrite.compile(path), *INPUTS)
        assert wanted in said, (wanted, said)
    ferrite_ops.op(SCALE, functions[0][0], shapes="x[n] -> x[n], int")
    assert "x is f32[3,2]; it must have 1 dimensions" in refusal(ferrite.compile, path)
    ferrite_ops.forget()
    ferrite_ops.op(SCALE, functions[0][0], symbol="elsewhere", shapes="x[n, m] -> x[n, m], int")
    program = ferrite.compile(path)
    run = written(program, folder).run
    ferrite_runtime.HOST_OPS.pop("elsewhere")
    assert "elsewhere: nobody has given the function of this operator" in refusal(run, *INPUTS)
    ferrite_ops.forget()


def main():
    failed = 0
    torch.manual_seed(0)
    for function in TESTS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(folder)
            except Exception as error:  # whatever goes wrong is this test's failure
                failed += 1
                print(f"FAIL {function.__name__}: {type(error).__name__}: {error}")
                if "-v" in sys.argv:
                    raise
    print(f"{len(TESTS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
