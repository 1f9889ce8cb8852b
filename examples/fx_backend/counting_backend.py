"""A backend outside of ferrite: it overrides one function, how a generated kernel is run, and otherwise takes the graph
as it is. This one counts what passes through it and hands the call on; an accelerator would look the kernel up by its
name, and run it on its own device over `grid` rows (and columns).

    ferrite compile model.pt2 --emit fx -o out/model.json
    PYTHONPATH=out:examples/fx_backend python examples/fx_backend/counting_backend.py out/model.json
"""

import collections
import sys

import torch

import ferrite_fx


class CountingBackend(ferrite_fx.Backend):
    def __init__(self, library):
        super().__init__(library)
        self.calls = collections.Counter()
        self.bytes_written = 0

    def kernel(self, name, buffers, ints, grid, mutated, cost, checks=()):
        self.calls[name] += 1
        self.bytes_written += sum(buffers[k].numel() * buffers[k].element_size() for k in mutated)
        super().kernel(name, buffers, ints, grid, mutated, cost, checks)


def sample_inputs(module):
    """Ones in the shapes that the graph's input nodes state; 3 where a size is dynamic."""
    nodes = [n for n in module.graph.nodes if n.target is ferrite_fx.input]
    return [torch.ones([3 if size < 0 else size for size in n.args[3]], dtype=n.args[2]) for n in nodes]


def main(path):
    module = ferrite_fx.load(path, backend=CountingBackend)
    outputs = module(*sample_inputs(module))
    for output in outputs if isinstance(outputs, tuple) else (outputs,):
        print("output", list(output.shape), "finite" if bool(output.isfinite().all()) else "not finite")
    backend = module.library
    for name, count in sorted(backend.calls.items()):
        notes = {n.meta["note"] for n in module.graph.nodes if n.target is ferrite_fx.kernel and n.args[1] == name}
        print(f"{count} x {name}: {'; '.join(sorted(notes)) or '-'}")
    print(backend.bytes_written, "bytes written by kernels")


if __name__ == "__main__":
    main(sys.argv[1])
