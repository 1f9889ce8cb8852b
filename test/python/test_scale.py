#!/usr/bin/env python3
"""Compile work grows linearly with the number of nodes: graphs of several shapes and growing sizes go through all stages
but the C compiler. Shows the curve; processor time is compared, since the machine may be busy, and the least of a few runs,
since neighbours take caches and clock from it as well."""

import os
import resource
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
FERRITE = os.path.join(ROOT, "build", "ferrite")
SIZES = (6250, 25000, 100000)
LIMIT_GROWTH = 8  # from one size to the next: half way between linear work (4) and quadratic (16)
RUNS = 4  # at most


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


def program(symbols, lines, result, subgraphs=""):
    given = "\n".join(f"  {name} in [0, 4096]" for name in symbols)
    return "\n".join([f"symbols {{\n{given}\n}}" if symbols else "", "graph main {", "functional", *lines,
                      f"output (user {result})", "}", subgraphs])


def sized(nodes):
    """Blocks over a dimension that is a symbol."""
    lines = ['placeholder %x user "x" : f32[s0,64]', 'placeholder %w user "w" : f32[64,64]']
    value = "%x"
    for i in range(nodes // 5):
        lines += [f"%a{i} = aten.mm.default({value}, %w) : f32[s0,64]",
                  f"%b{i} = aten.relu.default(%a{i}) : f32[s0,64]",
                  f"%c{i} = aten.sum.dim_IntList(%b{i}, [1], True) : f32[s0,1]",
                  f"%d{i} = aten.div.Tensor(%b{i}, %c{i}) : f32[s0,64]",
                  f"%e{i} = aten.add.Tensor(%d{i}, {value}) : f32[s0,64]"]
        value = f"%e{i}"
    return program(["s0"], lines, value)


def found(nodes):
    """Sizes that the run decides, each by what is computed from the one before."""
    lines = ['placeholder %x user "x" : f32[s0,8]', 'placeholder %m user "m" : bool[s0]']
    value = "%x"
    for i in range(nodes // 5):
        lines += [f"%a{i} = aten.index.Tensor({value}, [%m]) : f32[u{i},8]",
                  f"%b{i} = aten.relu.default(%a{i}) : f32[u{i},8]",
                  f"%c{i} = aten.sum.dim_IntList(%b{i}, [0]) : f32[8]",
                  f"%d{i} = aten.neg.default(%c{i}) : f32[8]",
                  f"%e{i} = aten.add.Tensor({value}, %d{i}) : f32[s0,8]"]
        value = f"%e{i}"
    return program(["s0", *(f"u{i} unbacked" for i in range(nodes // 5))], lines, value)


def branches(nodes):
    lines, subgraphs, value = ['placeholder %x user "x" : f32[64]', 'placeholder %p user "p" : bool[]'], [], "%x"
    for i in range(nodes // 6):
        for arm, name in (("t", "sin"), ("f", "cos")):
            subgraphs.append(f'graph {arm}{i} {{\nplaceholder %x user ""\n%a = aten.{name}.default(%x) : f32[64]\n'
                             "%b = aten.neg.default(%a) : f32[64]\noutput (user %b)\n}")
        lines += [f"%c{i} = higher_order.cond(%p, @t{i}, @f{i}, [{value}]) : (f32[64])",
                  f"%g{i} = _operator.getitem(%c{i}, 0) : f32[64]"]
        value = f"%g{i}"
    return program([], lines, value, "\n".join(subgraphs) + "\n")


def compile_seconds(text):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [FERRITE, "inspect", "-", "--from", "fx", "--stage", "c"]
    subprocess.run(command, input=text, text=True, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    passed = failed = 0
    for shape in (chain, blocks, fan, sized, found, branches):
        texts, seconds, good = [shape(nodes) for nodes in SIZES], [float("inf")] * len(SIZES), False
        for _ in range(RUNS):
            seconds = [min(least, compile_seconds(text)) for least, text in zip(seconds, texts)]
            growth = max(b / max(a, 0.05) for a, b in zip(seconds, seconds[1:]))
            good = growth < LIMIT_GROWTH
            if good:
                break
        curve = ", ".join(f"{nodes} nodes {took:.2f} s" for nodes, took in zip(SIZES, seconds))
        print(f"{'' if good else 'FAIL '}{shape.__name__}: {curve}; worst growth by 4 times the nodes: {growth:.1f}")
        passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
