#!/usr/bin/env python3
"""Times the programs of a bench.tsv (tools/test_gpu.sh) by PyTorch, eager and compiled, and writes ratios.tsv beside it:
name, our microseconds, eager's, Inductor's, theirs over ours.

  gpu_ratios.py DIR CASES [DEVICE]
"""

import os
import sys
import time

import torch
from torch.export.passes import move_to_device_pass

DTYPES = {"f32": torch.float32, "f16": torch.float16}
SECONDS = 0.5
PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "test", "cases", "programs")


def program_of(name, folders, device):
    """A function and its arguments on the device, or None."""
    kind, *rest = name.split()
    if kind == "mm":
        size = int(rest[1])
        return torch.mm, [torch.randn(size, size, device=device).to(DTYPES[rest[0]]) for _ in range(2)]
    if kind == "conv":
        sizes = [int(size) for size in rest[1].split("x")]
        args = [torch.randn(shape, device=device).to(DTYPES[rest[0]]) for shape in (sizes, (64, 64, 3, 3))]
        return lambda x, w: torch.nn.functional.conv2d(x, w, padding=1), args
    for folder in folders:
        path = os.path.join(folder, name + ".pt2")
        if os.path.exists(path):
            program = torch.export.load(path)
            if not program.example_inputs:
                return None
            moved = move_to_device_pass(program, device)
            args, kwargs = moved.example_inputs
            module = moved.module()
            return lambda *given: module(*given, **kwargs), args
    return None


def microseconds(function, args, device):
    wait = torch.cuda.synchronize if device != "cpu" else lambda: None
    times = []
    for _ in range(3):
        function(*args)
    wait()
    end = time.perf_counter() + SECONDS
    while len(times) < 5 or time.perf_counter() < end:
        begun = time.perf_counter()
        function(*args)
        wait()
        times.append(time.perf_counter() - begun)
    return sorted(times)[len(times) // 2] * 1e6


def main():
    folder, cases, device = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "cuda"
    with open(os.path.join(folder, "bench.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    with open(os.path.join(folder, "ratios.tsv"), "w", encoding="utf-8") as out:
        print("name", "ours_us", "eager_us", "inductor_us", "eager/ours", "inductor/ours", sep="\t", file=out)
        for name, ours, *_ in rows:
            with torch.no_grad():
                try:
                    found = program_of(name, (PROGRAMS, cases), device)
                    if not found:
                        continue
                    function, args = found
                    eager = microseconds(function, args, device)
                    compiled = microseconds(torch.compile(function), args, device)
                except Exception as error:  # a program that PyTorch does not move or compile leaves the others be
                    print(name, type(error).__name__, str(error).split("\n")[0], sep="\t", file=out)
                    continue
            ratios = [f"{theirs / float(ours):.2f}" for theirs in (eager, compiled)]
            print(name, ours, f"{eager:.1f}", f"{compiled:.1f}", *ratios, sep="\t", file=out, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
