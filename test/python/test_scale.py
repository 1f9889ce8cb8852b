#!/usr/bin/env python3
"""Compile work grows linearly with the number of nodes: graphs of three shapes and growing sizes go through all stages
but the C compiler. Shows the curve; processor time is compared, since the machine may be busy."""

import os
import resource
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
FERRITE = os.path.join(ROOT, "build", "ferrite")
SIZES = (6250, 25000, 100000)
LIMIT_S = 10  # for the largest
LIMIT_GROWTH = 4 * 1.75  # from one size to the next; memory that grows past the caches costs some of it


class Graph:
    """FX text of nodes over f32[64,64]."""

    def __init__(self):
        self.lines, self.count = [], 0
        self.placeholder("x")

    def value(self, sizes, strides):
        self.count += 1
        return f"f32[{sizes}]{{{strides}}}@{self.count}"

    def placeholder(self, name):
        self.lines.append(f'placeholder %{name} user "{name}" : {self.value("64,64", "64,1")}')

    def call(self, expression, sizes="64,64", strides="64,1"):
        name = f"%n{self.count}"
        self.lines.append(f"{name} = {expression} : {self.value(sizes, strides)}")
        return name

    def text(self, result):
        return "\n".join(["graph main {", "functional", *self.lines, f"output (user {result})", "}", ""])


def chain(nodes):
    graph, value = Graph(), "%x"
    for i in range(nodes):
        value = graph.call(f"aten.{('relu', 'neg', 'tanh')[i % 3]}.default({value})")
    return graph.text(value)


def blocks(nodes):
    graph, value = Graph(), "%x"
    graph.placeholder("w")
    for _ in range(nodes // 5):
        product = graph.call(f"aten.mm.default({value}, %w)")
        positive = graph.call(f"aten.relu.default({product})")
        total = graph.call(f"aten.sum.dim_IntList({positive}, [1], True)", "64,1", "1,1")
        share = graph.call(f"aten.div.Tensor({positive}, {total})")
        value = graph.call(f"aten.add.Tensor({share}, {value})")
    return graph.text(value)


def fan(nodes):
    graph = Graph()
    parts = [graph.call(f"aten.mul.Scalar(%x, {i}.5)") for i in range(nodes // 2)]
    value = parts[0]
    for part in parts[1:]:
        value = graph.call(f"aten.add.Tensor({value}, {part})")
    return graph.text(value)


def compile_seconds(text):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [FERRITE, "inspect", "-", "--from", "fx", "--stage", "c"]
    subprocess.run(command, input=text, text=True, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    passed = failed = 0
    for shape in (chain, blocks, fan):
        seconds = [compile_seconds(shape(nodes)) for nodes in SIZES]
        curve = ", ".join(f"{nodes} nodes {took:.2f} s" for nodes, took in zip(SIZES, seconds))
        growth = max(b / max(a, 0.05) for a, b in zip(seconds, seconds[1:]))
        good = seconds[-1] < LIMIT_S and growth < LIMIT_GROWTH
        print(f"{'' if good else 'FAIL '}{shape.__name__}: {curve}; worst growth by 4 times the nodes: {growth:.1f}")
        passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
