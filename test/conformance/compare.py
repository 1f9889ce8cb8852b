#!/usr/bin/env python3
"""Holds results of run.py against those of a backend without faults, and prints a table and each failure.

    compare.py ferrite.json ... --baseline aot_eager.json ... > doc/conformance.md

Of several results of one test the last one counts. A test counts as fair where PyTorch's own operators pass it behind the same
door. What fails there looks at generated code, at other internals of PyTorch's compiler, or is broken by the version of PyTorch
that is installed. causes.txt says why what is known to fail does so."""

import argparse
import collections
import json
import os
import re

GOOD = ("pass", "unexpected success")  # the latter is expected to fail behind the compiler that PyTorch ships


CAUSES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "causes.txt")


def load(paths):
    suites = {}
    for path in paths:
        with open(path) as file:
            for suite, results in json.load(file)["suites"].items():
                suites.setdefault(suite, {}).update(results)
    return suites


def causes():
    """[(what a test's name or a reason holds, the cause)]"""
    with open(CAUSES) as file:
        lines = [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
    return [(re.compile(pattern), cause) for pattern, cause in lines]


def cause_of(said, *about):
    return next((cause for pattern, cause in causes() if any(pattern.search(text) for text in about)), said)


class Suite:
    """The fair tests of one suite, sorted by what became of them."""

    def __init__(self, name, ours, baseline):
        self.name, self.tests = name, len(ours)
        unasked = {"outcome": "pass"}  # of the baseline: what fails counts
        self.fair = {test: result for test, result in ours.items() if result["outcome"] in GOOD or
                     result["outcome"] != "skip" and baseline.get(test, unasked)["outcome"] in GOOD}
        reached = [result for result in self.fair.values() if result.get("graphs")]
        self.reached = len(reached)
        self.passed = sum(result["outcome"] in GOOD for result in reached)
        self.compiled = sum(result["outcome"] in GOOD and not result.get("fallbacks") for result in reached)
        self.failures = {test: result for test, result in self.fair.items() if result["outcome"] not in GOOD}
        self.fallbacks = collections.Counter(reason for result in reached for reason in result.get("fallbacks") or ())


def share(part, whole):
    return f"{part} ({100 * part / whole:.1f} %)" if whole else str(part)


def table(suites):
    yield "| suite | tests | fair, with a graph | pass | pass, every graph compiled |"
    yield "|---|---|---|---|---|"
    for suite in suites:
        yield (f"| {suite.name} | {suite.tests} | {suite.reached} | {share(suite.passed, suite.reached)} | "
               f"{share(suite.compiled, suite.reached)} |")


def one_line(text):
    return " ".join(text.split())[:240].replace("|", "\\|")


def details(suite):
    if suite.failures:
        yield f"\n### {suite.name}: failures\n"
        for test, result in sorted(suite.failures.items()):
            said = f"{result['outcome']}: {one_line(result['why'])}"
            yield f"- `{test}`: {cause_of(said, test, result['why'])}"
    if suite.fallbacks:
        yield f"\n### {suite.name}: graphs that PyTorch ran, by reason\n"
        for reason, count in suite.fallbacks.most_common():
            yield f"- {count}: {cause_of(one_line(reason), reason)}"


HEADING = """# PyTorch's own tests

Made by `test/conformance/run.py` and `compare.py`. A test is fair where PyTorch's own operators (`aot_eager`) pass it through
the same door, or ferrite does; the others look at the code that PyTorch's compiler generates or do not run beside the installed version.
A graph counts as compiled where it was not left whole to PyTorch: calls of operators that ferrite has not, and draws of random numbers, may run
as PyTorch runs them. `opinfo` is the whole suite, gradients included, with the inputs that it takes by itself.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+")
    parser.add_argument("--baseline", nargs="+", required=True)
    options = parser.parse_args()
    ours, baseline = load(options.results), load(options.baseline)
    suites = [Suite(name, ours[name], baseline.get(name, {})) for name in ours]
    print(HEADING)
    print("\n".join(table(suites)))
    for suite in suites:
        print("\n".join(details(suite)))


if __name__ == "__main__":
    main()
