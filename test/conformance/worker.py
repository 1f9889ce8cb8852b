#!/usr/bin/env python3
"""Runs tests of one suite in this process and writes a line of JSON before and after each: run.py starts it.

    worker.py SUITE BACKEND RESULTS    (names of tests on standard input; --list: names on standard output)"""

import importlib
import json
import os
import re
import sys
import time
import traceback
import unittest
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "python")]

import torch  # noqa: E402

import seam  # noqa: E402
import suites  # noqa: E402

_ERROR = re.compile(r"^[\w.]*(Error|Exception|Failed|Unsupported|Exit)\b")


def _without_broken_modules():
    """torchvision's wheel does not import beside every build of torch: then it counts as absent."""
    try:
        importlib.import_module("torchvision")
    except Exception:
        sys.modules["torchvision"] = None


def _paths():
    tree = os.path.join(os.environ["PYTORCH_SRC"], "test")
    sys.path[:0] = [tree, os.path.join(tree, "inductor")]


def _reason(text):
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [number for number, line in enumerate(lines) if _ERROR.match(line)]
    return "\n".join(lines[errors[-1]:][:4] if errors else lines[-1:])[:600]


def outcome(case, test):
    """(what became of the test, why)"""
    result = unittest.TestResult()
    try:
        torch._dynamo.reset()
        unittest.TestSuite([case(test)]).run(result)
    except Exception:
        return "fail", _reason(traceback.format_exc())
    if result.skipped:
        return "skip", result.skipped[0][1][:200]
    if result.failures or result.errors:
        return "fail", _reason((result.failures + result.errors)[0][1])
    if result.unexpectedSuccesses:
        return "unexpected success", ""
    return "pass", "as it is expected to fail" if result.expectedFailures else ""


def run(suite, backend, results, names):
    tests, counts = suites.tests_of(suite), seam.Counts()
    (seam.put_archive if suites.SUITES[suite].door == "export" else seam.put_backend)(backend, counts)
    for name in names:
        results.write(json.dumps({"test": name}) + "\n")
        counts.reset()
        start = time.time()
        what, why = outcome(*tests[name])
        results.write(json.dumps({"test": name, "outcome": what, "why": why, "seconds": round(time.time() - start, 2),
                                  "graphs": counts.graphs, "fallbacks": dict(counts.reasons)}) + "\n")


def main(arguments):
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    _paths()
    _without_broken_modules()
    if arguments[0] == "--list":
        print("\n".join(suites.tests_of(arguments[1])))
        return
    suite, backend, results = arguments
    if backend == "ferrite":
        import ferrite.door  # noqa: F401
    with open(results, "a", buffering=1) as file:
        run(suite, backend, file, sys.stdin.read().split())


if __name__ == "__main__":
    main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # threads of tests do not hold the process
