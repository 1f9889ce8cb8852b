#!/usr/bin/env python3
"""Counts the bytes that eager PyTorch, torch.compile and ferrite hold at the peak of a call, on the same archives.

  measure_held.py [--ferrite PATH] [--only NAME ...] [--no-eager] [--no-inductor] [--all] [--json FILE] DIR|MODEL.pt2 ...

Resident sizes (measure_memory.py) are rounded by pages, allocators that keep what is freed, and an interpreter; this
count is exact. heap_count.c is preloaded and stands in front of malloc, aligned_alloc, posix_memalign, mmap and what gives
back: it sees the tensors that PyTorch's allocator hands out (all of them by posix_memalign) and the workspace of the
libraries that it calls as well, which PyTorch's own profile of memory does not, and it is the same instrument for all
three. It adds up what was asked for and keeps the most at once:

  eager, inductor   in a third call, beyond what was held before it
  eager_kept        what the two calls before it left: buffers of libraries, oneDNN's primitives and packed weights, and
                    modules that Python imports late. Left out of the comparison, in eager's favour
  ferrite           since a context was made, over two calls: arena, outputs, tables, working memory of operators, all of
                    which it keeps; without its copy of buffers that the program changes, which are eager's weights
  working           of that, the operators' working memory that lies outside the arena

Weights, inputs and threads were there before, outputs are in it. Left out on all sides are pieces of less than 16 KiB
without alignment (objects and tables; a tensor is aligned) and stacks of threads. Inputs are those that the
archive was exported with.

A line a model, in bytes, with ferrite's arena and the lower bound of that (-1: the sizes decide), then how often ferrite
holds less; --all: all models, else those where it holds more. It fails if there is one.
"""

import argparse
import ctypes
import glob
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KINDS = ("eager", "inductor", "ferrite")
COLUMNS = ("eager", "eager_kept", "inductor", "ferrite", "working", "arena", "bound")
LIMIT_S = 900
STATE = re.compile(r"^state +@\S+ : [a-z]+(\d*)\[([\d,]*)\]", re.M)


# ---- in a candidate's own process, with heap_count.so in front of libc ----


def heap():
    library = ctypes.CDLL(None)
    library.heap_count_most.restype = library.heap_count_again.restype = ctypes.c_int64
    return library


def most(library):
    library.heap_count_end()
    bytes_ = library.heap_count_most()
    if bytes_ < 0:
        raise RuntimeError("too many pieces to count")
    return bytes_


def hold_torch(path, compiled):
    import torch

    torch.set_grad_enabled(False)
    program, count = torch.export.load(path), heap()
    args, kwargs = program.example_inputs
    module = program.module()
    chosen = torch.compile(module) if compiled else module
    if compiled:
        chosen(*args, **kwargs)  # compiles
    count.heap_count_begin()
    for _ in range(2):
        chosen(*args, **kwargs)
    kept = count.heap_count_again()
    result = chosen(*args, **kwargs)
    held = most(count)
    del result
    return {"held": held - kept, "kept": kept}


def as_tensor(leaf):
    """A number as a tensor of rank 0; what a program does not read (None, a string) as any."""
    import torch

    if isinstance(leaf, torch.Tensor):
        return leaf
    number = leaf if isinstance(leaf, (bool, int, float)) else 0
    return torch.tensor(number, dtype=torch.float64 if isinstance(number, float) else None)


def as_inputs(values, ports, kind):
    filled = (kind * len(values))()
    for k, value in enumerate(values):
        room = ctypes.c_int64 * max(value.dim(), 1)
        filled[k] = kind(value.data_ptr(), ports[k].dtype, value.dim(), room(*value.shape), room(*value.stride()))
    return filled


def hold_ferrite(path, library):
    sys.path.insert(0, os.path.join(ROOT, "examples"))
    import torch
    from load import Tensor, load
    from torch.utils import _pytree

    program, artifact, count = torch.export.load(path), load(library), heap()
    values = [as_tensor(leaf) for leaf in _pytree.tree_leaves(program.example_inputs)]
    model = ctypes.c_void_p()
    inputs, outputs = as_inputs(values, artifact.inputs, Tensor), (Tensor * artifact.output_count)()
    if artifact.open(None, ctypes.byref(model)):
        raise RuntimeError(artifact.error(None).decode())

    def held_in(calls):
        context = ctypes.c_void_p()
        count.heap_count_begin()
        if artifact.context_new(model, 0, ctypes.byref(context)):
            raise RuntimeError("no context")
        for _ in range(calls):
            for k in range(artifact.output_count):
                outputs[k] = Tensor()
            if artifact.run(context, inputs, len(inputs), outputs, len(outputs)):
                raise RuntimeError(artifact.error(context).decode())
        held = most(count)
        artifact.context_free(context)
        return held

    held_in(0)  # threads
    held = held_in(2)
    again = held_in(2)  # in the same working memory
    return {"held": held, "working": held - again, "arena": artifact.arena_bytes, "bound": artifact.arena_lower_bound}


def in_child(kind, path, library):
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print goes elsewhere
    row = hold_ferrite(path, library) if kind == "ferrite" else hold_torch(path, kind == "inductor")
    print(json.dumps(row), file=answer)


# ---- from outside ----


def run(command, what, **settings):
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()] or ["it said nothing"]
        raise RuntimeError(f"{what}: {said[-1][:150]}")
    return done.stdout


def changed_bytes(path, ferrite):
    """Of the buffers that a call changes, as a context has them."""
    text, total = run([ferrite, "inspect", path, "--stage", "loop"], "inspect"), 0
    for bits, sizes in STATE.findall(text):
        total += (math.prod(map(int, filter(None, sizes.split(",")))) * int(bits or 8) // 8 + 64) // 64 * 64
    return total


def hold(kind, path, folder, options):
    library = os.path.join(folder, hashlib.sha256(path.encode()).hexdigest()[:16] + ".so")
    if kind == "ferrite":
        run([options.ferrite, "compile", path, "-o", library], "compile")
    child = [sys.executable, os.path.abspath(__file__), "--child", kind, path, library]
    try:
        said = run(child, kind, LD_PRELOAD=os.path.join(folder, "heap_count.so"), PYTHONWARNINGS="ignore",
                   TORCHINDUCTOR_CACHE_DIR=os.path.join(folder, "inductor"))
    finally:
        for made in glob.glob(library[:-3] + "*"):
            os.unlink(made)
    row = json.loads(said.strip().splitlines()[-1])
    if kind == "ferrite":
        row["held"] -= changed_bytes(path, options.ferrite)
    return row


def measure(path, kinds, folder, options):
    row = {}
    for kind in kinds:
        try:
            answer = hold(kind, path, folder, options)
            row[kind] = answer.pop("held")
            row.update({f"{kind}_kept" if key == "kept" else key: value for key, value in answer.items()})
        except (RuntimeError, subprocess.SubprocessError) as error:
            row[kind + "_error"] = str(error)[:200]
    return row


def is_more(row, kind):
    return kind in row and "ferrite" in row and row["ferrite"] > row[kind]


def show(name, row):
    figures = " ".join(f"{row.get(key, '-'):>12}" for key in COLUMNS)
    errors = "; ".join(row[key] for key in row if key.endswith("_error"))
    marks = " ".join(f"more than {kind}" for kind in KINDS[:2] if is_more(row, kind))
    print(f"{name:36} {figures}  {marks} {errors}".rstrip(), flush=True)


def summary(rows, kind):
    both = [row for row in rows if kind in row and "ferrite" in row]
    if both:
        mean = math.exp(sum(math.log(max(row["ferrite"], 1) / max(row[kind], 1)) for row in both) / len(both))
        print(f"ferrite and {kind}: {len(both)} models, ferrite holds less on {sum(r['ferrite'] < r[kind] for r in both)}, "
              f"as much on {sum(r['ferrite'] == r[kind] for r in both)}, more on {sum(is_more(r, kind) for r in both)}; "
              f"geometric mean of its bytes / theirs {mean:.3f}")


def find(places):
    for place in places:
        yield from [place] if place.endswith(".pt2") else sorted(glob.glob(os.path.join(place, "*.pt2")))


def main():
    if sys.argv[1:2] == ["--child"]:
        in_child(*sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", nargs="+")
    parser.add_argument("--ferrite", default=os.path.join(ROOT, "build", "ferrite"))
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--json")
    for kind in KINDS:
        parser.add_argument(f"--no-{kind}", action="store_true")
    options = parser.parse_args()
    kinds = [kind for kind in KINDS if not getattr(options, f"no_{kind}")]
    rows = {}
    print(f"{'model':36} " + " ".join(f"{key:>12}" for key in COLUMNS) + "  bytes")
    with tempfile.TemporaryDirectory() as folder:
        counter = os.path.join(folder, "heap_count.so")
        run(["cc", "-O2", "-shared", "-fPIC", "-o", counter, os.path.join(HERE, "heap_count.c")], "cc")
        for path in find(options.places):
            name = os.path.basename(path)[: -len(".pt2")]
            if options.only and name not in options.only:
                continue
            rows[name] = measure(path, kinds, folder, options)
            if options.all or any(is_more(rows[name], kind) for kind in KINDS) or any(k.endswith("_error") for k in rows[name]):
                show(name, rows[name])
            if options.json:
                with open(options.json, "w", encoding="utf-8") as file:
                    json.dump(rows, file, indent=1)
    for kind in KINDS[:2]:
        summary(rows.values(), kind)
    return 1 if any(is_more(row, kind) for row in rows.values() for kind in KINDS[:2]) else 0


if __name__ == "__main__":
    sys.exit(main())
