#!/usr/bin/env python3
"""Measures the memory of eager PyTorch, torch.compile, AOTInductor, ONNX Runtime and ferrite on the same archives.

  measure_memory.py [--models DIR] [--ferrite PATH] [--only NAME ...] [--no-KIND ...] [--check]

DIR (default build/models) is what export_models.py fills. Each candidate loads a model and calls it three times, in a
process of its own that finds everything compiled. The host is Python, but for ferrite_c, a program of C that loads the
same artifact (memory_host.c), which is what artifacts are for. A line a model and candidate, in MiB:

  peak   the most that the process had resident
  base   what it had before it loaded the model: Python and its libraries, or the host's own
  own    peak without base: what the model costs
  run    what calling added at most to what it had when the model was loaded; with weights that are mapped, as ferrite's
         are, that is the weights as well

ferrite's line has its arena and the lower bound of that as well. At the end: on how many models ferrite's own part, in
both hosts, is no larger than that of each other candidate, which is what --check asks for on all. Bytes instead of pages:
measure_held.py.
"""

import argparse
import ctypes
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KINDS = ("eager", "inductor", "aoti", "onnx", "ferrite", "ferrite_c")
OURS = ("ferrite", "ferrite_c")
DTYPES = {"U8": 1, "I8": 2, "I16": 3, "I32": 4, "I64": 5, "F16": 6, "F32": 7, "F64": 8, "BOOL": 12, "BF16": 13}
CALLS = 3
FIGURES = ("peak", "base", "own", "run")


# ---- in a candidate's own process ----


def resident(field):
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field))


def forget_peak():
    """From now on VmHWM is the most since now, without what was freed before."""
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w", encoding="ascii") as control:
        control.write("5")


def measured(load):
    base = resident("VmRSS")
    call = load()
    peak = resident("VmHWM")
    forget_peak()
    loaded = resident("VmRSS")
    for _ in range(CALLS):
        call()
    run = resident("VmHWM")
    return {"base": base, "peak": max(peak, run), "run": run - loaded}


def sample_inputs(stem):
    from safetensors.torch import load_file

    recorded = load_file(f"{stem}.safetensors")
    return tuple(recorded[f"0.in.{k}"] for k in range(sum(key.startswith("0.in.") for key in recorded)))


def torch_program(stem):
    import torch

    torch.set_grad_enabled(False)
    return torch, torch.export.load(f"{stem}.pt2")


def make_aoti(stem, folder):
    torch, program = torch_program(stem)
    torch._inductor.aoti_compile_and_package(program, package_path=os.path.join(folder, "aoti.pt2"))


def make_onnx(stem, folder):
    torch, program = torch_program(stem)
    path = os.path.join(folder, "model.onnx")
    torch.onnx.export(program, sample_inputs(stem), path, dynamo=True, external_data=True, verbose=False)


def run_torch(stem, compiled):
    import safetensors.torch  # noqa: F401  what is imported counts as base
    import torch

    if compiled:
        import torch._inductor.compile_fx  # noqa: F401

    def load():
        _, program = torch_program(stem)
        inputs, module = sample_inputs(stem), program.module()
        chosen = torch.compile(module) if compiled else module
        if compiled:
            chosen(*inputs)  # finds what was compiled
        return lambda: chosen(*inputs)

    return measured(load)


def run_aoti(stem, folder):
    import safetensors.torch  # noqa: F401
    import torch

    torch.set_grad_enabled(False)

    def load():
        model, inputs = torch._inductor.aoti_load_package(os.path.join(folder, "aoti.pt2")), sample_inputs(stem)
        return lambda: model(*inputs)

    return measured(load)


def run_onnx(stem, folder):
    import numpy  # noqa: F401
    import onnxruntime
    from safetensors.numpy import load_file

    def load():
        recorded = load_file(f"{stem}.safetensors")
        session = onnxruntime.InferenceSession(os.path.join(folder, "model.onnx"), providers=["CPUExecutionProvider"])
        feed = {one.name: recorded[f"0.in.{k}"] for k, one in enumerate(session.get_inputs())}
        return lambda: session.run(None, feed)

    return measured(load)


def run_ferrite(stem, folder):
    sys.path.insert(0, os.path.join(ROOT, "examples"))
    from load import Tensor, load as open_artifact
    from safetensors.numpy import load_file

    def load():
        recorded = load_file(f"{stem}.safetensors")
        artifact = open_artifact(os.path.join(folder, "model.so"))
        model, context = ctypes.c_void_p(), ctypes.c_void_p()
        assert artifact.open(None, ctypes.byref(model)) == 0
        assert artifact.context_new(model, 0, ctypes.byref(context)) == 0
        inputs, outputs = (Tensor * artifact.input_count)(), (Tensor * artifact.output_count)()
        for k in range(artifact.input_count):
            value = recorded[f"0.in.{k}"]
            sizes = recorded[f"sizes.{k}"] = (ctypes.c_int64 * max(value.ndim, 1))(*value.shape)
            inputs[k] = Tensor(value.ctypes.data, artifact.inputs[k].dtype, value.ndim, sizes, None)

        def call():
            for k in range(artifact.output_count):
                outputs[k] = Tensor()
            assert artifact.run(context, inputs, len(inputs), outputs, len(outputs)) == 0

        call.kept = recorded  # what the inputs point to
        return call

    return measured(load)


# ---- from outside ----


def child(what, kind, stem, folder):
    command = [sys.executable, os.path.abspath(__file__), "--child", what, kind, stem, folder]
    settings = {"TORCHINDUCTOR_CACHE_DIR": os.path.join(folder, "inductor"), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, timeout=900, check=False)
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        raise RuntimeError((done.stderr.strip().splitlines() or ["it said nothing"])[-1][:150])
    return json.loads(lines[-1])


def stored_inputs(path):
    """DTYPE:OFFSET:SIZES of 0.in.0, 0.in.1, ... in the file."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        entries = json.loads(file.read(length))
    count = sum(name.startswith("0.in.") for name in entries)
    for entry in (entries[f"0.in.{k}"] for k in range(count)):
        sizes = ",".join(map(str, entry["shape"]))
        yield f"{DTYPES[entry['dtype']]}:{8 + length + entry['data_offsets'][0]}:{sizes}"


def run_host(stem, folder):
    host = os.path.join(folder, "memory_host")
    include = "-I" + os.path.join(ROOT, "include")
    subprocess.run(["cc", "-O1", include, "-o", host, os.path.join(HERE, "memory_host.c"), "-ldl"], check=True)
    inputs = f"{stem}.safetensors"
    done = subprocess.run([host, os.path.join(folder, "model.so"), str(CALLS), inputs, *stored_inputs(inputs)],
                          capture_output=True, text=True, timeout=900, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-150:])
    return json.loads(done.stdout)


def measure_one(kind, stem, folder, ferrite):
    facts = {}
    if kind in OURS:
        done = subprocess.run([ferrite, "compile", f"{stem}.pt2", "-o", os.path.join(folder, "model.so")], check=True,
                              capture_output=True, text=True)
        facts = {"more": next(line for line in done.stdout.splitlines() if line.startswith("arena"))}
    elif kind != "eager":
        child("make", kind, stem, folder)
    row = run_host(stem, folder) if kind == "ferrite_c" else child("run", kind, stem, folder)
    return {**row, "own": row["peak"] - row["base"], **facts}


def in_child(what, kind, stem, folder):
    if what == "make":
        makers = {"aoti": make_aoti, "onnx": make_onnx, "inductor": lambda s, _: run_torch(s, True)}
        makers[kind](stem, folder)
        return {}
    if kind in ("eager", "inductor"):
        return run_torch(stem, kind == "inductor")
    return {"aoti": run_aoti, "onnx": run_onnx, "ferrite": run_ferrite}[kind](stem, folder)


def summary(rows):
    """{other candidate: models where ours is larger}, and says so."""
    larger = {}
    for kind in KINDS:
        if kind in OURS:
            continue
        both = [name for name in rows if kind in rows[name] and any(ours in rows[name] for ours in OURS)]
        larger[kind] = [name for name in both
                        if any(rows[name][ours]["own"] > rows[name][kind]["own"] for ours in OURS if ours in rows[name])]
        if both:
            print(f"no more than {kind}: {len(both) - len(larger[kind])} of {len(both)} {' '.join(larger[kind])}".rstrip())
    return larger


def models(options):
    for path in sorted(glob.glob(os.path.join(options.models, "*.pt2"))):
        if not options.only or os.path.basename(path)[: -len(".pt2")] in options.only:
            yield path[: -len(".pt2")]


def measure(stem, kind, ferrite):
    """Its row, or None; says which."""
    folder = tempfile.mkdtemp()
    try:
        row = measure_one(kind, stem, folder, ferrite)
        figures = " ".join(f"{row[key] / 1024:8.1f}" for key in FIGURES)
        print(f"{os.path.basename(stem):24} {kind:10} {figures}   {row.get('more', '')}".rstrip(), flush=True)
        return row
    except (RuntimeError, OSError, KeyError, subprocess.SubprocessError) as error:
        print(f"{os.path.basename(stem):24} {kind:10} {error}", flush=True)
        return None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    if sys.argv[1:2] == ["--child"]:
        answer = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)  # what libraries print goes elsewhere
        print(json.dumps(in_child(*sys.argv[2:])), file=answer)
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=os.path.join(ROOT, "build", "models"))
    parser.add_argument("--ferrite", default=os.path.join(ROOT, "build", "ferrite"))
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--check", action="store_true")
    for kind in KINDS:
        parser.add_argument(f"--no-{kind}", action="store_true")
    options = parser.parse_args()
    print(f"{'model':24} {'candidate':10} {' '.join(f'{key:>8}' for key in FIGURES)}   MiB")
    rows = {}
    for stem in models(options):
        for kind in KINDS:
            row = None if getattr(options, f"no_{kind}") else measure(stem, kind, options.ferrite)
            if row:
                rows.setdefault(os.path.basename(stem), {})[kind] = row
    larger = summary(rows)
    sys.exit(1 if options.check and any(larger.values()) else 0)


if __name__ == "__main__":
    main()
