#!/usr/bin/env python3
"""Writes good_calls.txt: for each row of ops.def one or two calls that PyTorch runs, of what recorded cases, PyTorch's own
operator tests and calls drawn by the schema (test_layouts.py) have.

    collect_calls.py FOLDER...       # of recorded cases, test/cases too
"""

import glob
import logging
import os
import re
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.utils._python_dispatch import TorchDispatchMode

import test_layouts
from calls import NAMES, Call, Spec, leaves
from test_mismatch import HERE, ROOT, asked_eager, each, rows

MOST = 2  # calls of a row
TYPE = r"(\w+)\[([\d,]*)\]"


# ---- of recorded cases ----


def texts(path):
    run = subprocess.run([test_layouts.FERRITE, "inspect", path, "--stage", "fx", "--no-passes"], capture_output=True, text=True)
    return run.stdout


def calls_of_text(text):
    types = {}
    for line in text.split("\n"):
        made = re.match(r"  (?:placeholder )?%(\w+) .*?: (\w+\[[\d,]*\])\{[^:]*$", line)
        if made:
            types[made[1]] = made[2]
        call = re.match(r"  %\w+ = ((?:aten|prims|quantized_decomposed)\.\w+\.\w+\(.*\)) :", line)
        if not call:
            continue
        said = re.sub(r"%(\w+)", lambda m: types.get(m[1], "unknown"), call[1])
        if "unknown" not in said and "@" not in said:
            yield said


def recorded(folders):
    paths = [p for folder in folders for p in glob.glob(os.path.join(folder, "**", "*.pt2"), recursive=True)]
    with ThreadPoolExecutor(2) as pool:
        for text in pool.map(texts, sorted(paths)):
            yield from calls_of_text(text)


# ---- of PyTorch's operator tests ----


def as_spec(value):
    if isinstance(value, torch.Tensor):
        if value.dtype not in NAMES or value.layout != torch.strided:
            raise ValueError
        return Spec(NAMES[value.dtype], value.shape)
    if isinstance(value, (list, tuple)):
        return [as_spec(item) for item in value]
    return value


class Recorder(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.lines = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        try:
            arguments = []
            for k, p in enumerate(function._schema.arguments):
                arguments.append(args[k] if k < len(args) and not p.kwarg_only else kwargs.get(p.name, p.default_value))
            self.lines.append(Call(str(function), [as_spec(a) for a in arguments]).text())
        except (ValueError, AttributeError):
            pass
        return function(*args, **kwargs)


def of_operator_tests():
    from torch.testing._internal.common_methods_invocations import op_db
    for info in op_db:
        try:
            samples = list(info.sample_inputs("cpu", torch.float32, requires_grad=False))[:12]
        except Exception:
            continue
        for sample in samples:
            with Recorder() as recorder:
                try:
                    info.op(sample.input, *sample.args, **sample.kwargs)
                except Exception:
                    pass
            yield from recorder.lines


def drawn():
    class Arguments:
        seed, tries, samples, only = 0, 20, 2, None
    for sample in test_layouts.draw_samples(Arguments)[0]:
        types = dict(re.findall(r"placeholder %(\w+) .*?: (\w+\[[\d,]*\])", "\n".join(sample.inputs)))
        said = sample.call.split(" = ", 1)[1]
        yield re.sub(r"%(\w+)", lambda m: types[m[1]], said)


def of_file():
    """Those that are there, written by hand or before."""
    path = os.path.join(HERE, "good_calls.txt")
    for line in open(path, encoding="utf-8") if os.path.exists(path) else []:
        if line.strip() and not line.startswith("#"):
            yield line.strip()


def in_place(kept):
    """Calls of functional operators, for those in place."""
    for name in kept:
        space, base, overload = name.split(".")
        for line in kept.get(f"{space}.{base[:-1]}.{overload}", ()) if base.endswith("_") else ():
            yield f"{name}({line.split('(', 1)[1]}"


# ---- those that are kept ----


def is_small(call):
    return all(torch.Size(s.sizes).numel() <= 600 for s in call.specs())


def working(line):
    """The call with a bound of its integers by which PyTorch runs it, or None."""
    for below in (10, 4, 3, 2, 1):
        call = Call.read(re.sub(r"\b(i64|i32|u8|i8|i16)(\[[\d,]*\])(?!<)", rf"\1\2<{below}", line))
        if all(asked_eager(call, call.values(seed))[1] is None for seed in range(3)):
            return [call.text()]
    return []


def is_usual(line):
    """0 where the first tensor is of the usual dtype and not empty."""
    return not re.match(r"[^[]*\(\[?f32\[(?!.*\b0\b.*)", line)


def signature(call):
    return [(s.dtype, len(s.sizes)) for s in call.specs()]


def main():
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    kept = {name: [] for name in rows()}
    cases = [os.path.join(ROOT, "test", "cases"), *sys.argv[1:]]
    for source in (of_file(), recorded(cases), of_operator_tests(), drawn(), in_place(kept)):
        candidates = {}
        for line in source:
            name = line.split("(")[0]
            if name not in kept or len(kept[name]) >= MOST or line in candidates.get(name, ()) or len(line) > 400:
                continue
            try:
                call = Call.read(line)
                if call.specs() and is_small(call) and call.operator():
                    candidates.setdefault(name, []).append(line)
            except Exception:
                continue
        lines = [line for name in candidates for line in sorted(candidates[name], key=is_usual)[:12]]
        for line, found in zip(lines, each([lambda tell, line=line: working(line) for line in lines])):
            name = line.split("(")[0]
            if not isinstance(found, list) or not found or len(kept[name]) >= MOST:
                continue
            call = Call.read(found[0])
            if signature(call) not in [signature(Call.read(other)) for other in kept[name]]:
                kept[name].append(found[0])
        print(sum(map(bool, kept.values())), "rows of", len(kept), file=sys.stderr)
    with open(os.path.join(HERE, "good_calls.txt"), "w", encoding="utf-8") as out:
        out.write("# Calls that PyTorch runs, by rows of ops.def: see calls.py. Made by collect_calls.py, added to by hand.\n")
        for name in kept:
            out.writelines(line + "\n" for line in kept[name])
    print("without:", *(name for name in kept if not kept[name]), file=sys.stderr)


if __name__ == "__main__":
    main()
