#!/usr/bin/env python3
"""The runner of PyTorch's tests, on a source tree of four tests: one that passes, one that fails, one that ends its process,
one that takes too long."""

import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUN, COMPARE = (os.path.join(ROOT, "test", "conformance", name) for name in ("run.py", "compare.py"))

MODULE = """
import os, time, unittest
import torch
from torch._inductor.compile_fx import compile_fx
from torch._inductor.utils import a_name_that_is_gone

class CpuTests(unittest.TestCase):
    def twice(self, function):
        x = torch.arange(6.0)
        self.assertEqual(torch._dynamo.optimize(lambda g, i: compile_fx(g, i))(function)(x).sum().item(), 30)

    def test_passes(self):
        self.twice(lambda x: x * 2)
        self.assertEqual(torch.compile(lambda x: x + 1)(torch.ones(2)).sum().item(), 4)

    def test_fails(self):
        self.twice(lambda x: x * 3)

    def test_gone(self):
        a_name_that_is_gone()

    def test_ends(self):
        os._exit(3)

    def test_sleeps(self):
        time.sleep(1000)
"""
EXPECTED = {"CpuTests.test_passes": ("pass", 2), "CpuTests.test_fails": ("fail", 1), "CpuTests.test_gone": ("skip", 0),
            "CpuTests.test_ends": ("crash", 1), "CpuTests.test_sleeps": ("timeout", 1)}


def page(tree):
    """Of two results, the later of which has one test again, against a baseline: its lines."""
    def write(name, **outcomes):
        path = os.path.join(tree, name)
        with open(path, "w") as file:
            json.dump({"suites": {"common": {test: {"test": test, "outcome": what, "why": "reason", "graphs": 1, "fallbacks": {}}
                                             for test, what in outcomes.items()}}}, file)
        return path
    ours = [write("a.json", one="pass", two="fail", test_normal_functional="fail", unfair="fail"), write("b.json", two="pass")]
    theirs = write("c.json", one="pass", two="pass", test_normal_functional="pass", unfair="fail")
    return subprocess.run([sys.executable, COMPARE, *ours, "--baseline", theirs], capture_output=True, text=True, check=True).stdout


def wrong_in_page(tree):
    said = page(tree)
    wanted = ("| common | 4 | 3 | 2 (66.7 %) |", "`test_normal_functional`: an artifact draws")
    return [line for line in wanted if line not in said] + (["unfair"] if "`unfair`" in said else [])


def main():
    with tempfile.TemporaryDirectory() as tree:
        os.makedirs(os.path.join(tree, "test", "inductor"))
        with open(os.path.join(tree, "test", "inductor", "test_torchinductor.py"), "w") as file:
            file.write(MODULE)
        out = os.path.join(tree, "out.json")
        made = subprocess.run([sys.executable, RUN, "--suites", "common", "--limit", "20", "--out", out],
                              env={**os.environ, "PYTORCH_SRC": tree}, capture_output=True, text=True, check=False)
        if made.returncode:
            sys.exit(made.stdout + made.stderr)
        with open(out) as file:
            results = json.load(file)["suites"]["common"]
        missing = wrong_in_page(tree)
    failed = 0
    if missing:
        failed += 1
        print(f"FAIL the page: {missing}")
    for test, wanted in EXPECTED.items():
        got = (results[test]["outcome"], results[test]["graphs"]) if test in results else None
        if got != wanted:
            failed += 1
            print(f"FAIL {test}: {got}, wanted {wanted}: {results.get(test)}")
    print(f"{len(EXPECTED) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
