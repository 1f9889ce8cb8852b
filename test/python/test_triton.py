#!/usr/bin/env python3
"""Operators of the user's that call Triton kernels, without a GPU: torch.compile(backend="ferrite") and ferrite.compile() for every
instruction set and on OpenCL, held against Triton's interpreter, which runs in a process of its own. Skipped where there is no triton.

    test_triton.py [NAME ...]    names of cases"""

import functools
import importlib.util
import os
import subprocess
import sys
import tempfile

import torch

from test_door import STRICT, main_of

ISAS = ("native", "x86-64-v3", "baseline", "scalar")


def copies(values):
    return [value.clone() for value in values]


def interpreted(names):
    """name -> (results, arguments afterwards), a pair for each set of arguments"""
    with tempfile.TemporaryDirectory() as folder:
        path, script = os.path.join(folder, "results.pt"), os.path.join(os.path.dirname(os.path.abspath(__file__)), "triton_interpreted.py")
        subprocess.run([sys.executable, script, path, *names], env={**os.environ, "TRITON_INTERPRET": "1"}, check=True)
        return torch.load(path)


def comparable(values):
    """Floats of 8 bits by their bits."""
    return [value.view(torch.uint8) if value.is_floating_point() and value.itemsize == 1 else value for value in values]


def agree(got, expected, dtype):
    tolerance = {"rtol": 2e-3, "atol": 2e-3} if dtype == torch.float16 else {"rtol": 1e-4, "atol": 1e-4}
    torch.testing.assert_close(comparable(got), comparable(expected), **tolerance)


@functools.cache
def on_opencl():
    """Options for that, where there is some."""
    try:
        torch.compile(torch.neg, backend="ferrite", options={**STRICT, "device": "opencl"})(torch.ones(3))
    except Exception as error:
        print("not on OpenCL:", str(error).splitlines()[0])
        return []
    return [{"device": "opencl"}]


def hold(function, sets, expected, **how):
    for target in [{"isa": isa} for isa in ISAS] + (on_opencl() if len(sets) == 1 else []):
        torch._dynamo.reset()
        compiled = torch.compile(function, backend="ferrite", options={**STRICT, **target}, **how)
        for given, (results, afterwards) in zip(sets, expected):
            ours = copies(given)
            got = compiled(*ours)
            agree(got if isinstance(got, tuple) else (got,), results, given[-1].dtype)
            agree(ours, afterwards, given[-1].dtype)


def through_the_door(kernels, expected, name):
    def test():
        function, sets = kernels.CASES[name]
        hold(function, sets[:1], expected[name][:1])
        if len(sets) > 1:
            hold(function, sets, expected[name], dynamic=True)
    test.__name__ = name
    return test


def exported(kernels, expected, name):
    def test():
        import ferrite
        function, sets = kernels.CASES[name]
        ours = copies(sets[0])
        got = ferrite.compile(function, tuple(copies(sets[0])))(*ours)
        agree(got if isinstance(got, tuple) else (got,), expected[name][0][0], sets[0][-1].dtype)
        agree(ours, expected[name][0][1], sets[0][-1].dtype)
    test.__name__ = f"exported_{name}"
    return test


def library_functions(kernels):
    def test():
        x = kernels.floats(90)
        got = torch.compile(kernels.library, backend="ferrite", options=STRICT)(x)
        agree([got], [x.tanh() + x.abs() ** 1.5], x.dtype)
    test.__name__ = "library"
    return test


def refused(kernels):
    def test():
        torch._dynamo.reset()
        try:
            torch.compile(kernels.refused, backend="ferrite", options=STRICT)(kernels.floats(64))
        except Exception as error:
            assert "tt.elementwise_inline_asm at triton_kernels.py:" in str(error), error
        else:
            raise AssertionError("assembly is compiled")
    test.__name__ = "refused"
    return test


def main(names):
    if importlib.util.find_spec("triton") is None:
        print("skipped: there is no triton")
        return 0
    import triton_descriptors  # noqa: F401: notes its cases
    import triton_kernels
    import triton_library  # noqa: F401
    import triton_loops  # noqa: F401
    import triton_models  # noqa: F401
    import triton_more  # noqa: F401
    import triton_numbers  # noqa: F401
    expected = interpreted(names)
    names = names or list(expected)
    tests = [make(triton_kernels, expected, name) for name in names for make in (through_the_door, exported)]
    return main_of([*tests, library_functions(triton_kernels), refused(triton_kernels)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
