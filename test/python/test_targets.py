#!/usr/bin/env python3
"""Recorded cases through targets that PyTorch can call: each program as a module of the target, its outputs, and the
inputs that it writes to, against the record as `ferrite check` holds them.

    test_targets.py [--target python|fx] [--jobs N] [--ops LIBRARY ...] [--donate INPUT|all] [CASE.pt2 ...]

All targets, test/cases and test/custom_ops without arguments.
"""

import argparse
import concurrent.futures
import importlib
import json
import os
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file
from torch.utils import _pytree as pytree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FERRITE = os.environ.get("FERRITE", os.path.join(ROOT, "build", "ferrite"))
ERROR_FACTOR = 4.0


# ---- what a case says ----


def strided(value, facts):
    stride = facts.get("stride")
    if stride is None or list(value.stride()) == stride:
        return value.clone()
    reach = sum((size - 1) * step for size, step in zip(value.shape, stride)) + 1 if value.numel() else 0
    memory, places = torch.zeros(reach, dtype=value.dtype), torch.zeros(value.shape, dtype=torch.int64)
    for d, (size, step) in enumerate(zip(value.shape, stride)):
        places += (torch.arange(size) * step).view([size if k == d else 1 for k in range(value.dim())])
    memory[places.flatten()] = value.flatten()  # where a stride is 0, all that lie there are equal
    return memory.as_strided(value.shape, stride)


def inputs_of(facts, values, prefix):
    inputs = []
    for k, described in enumerate(facts["inputs"]):
        name = f"{prefix}in.{k}"
        if name in values:
            inputs.append(strided(values[name], described))
        else:
            inputs.append(described.get("value"))
    return inputs


def tolerance(case, described):
    if "rtol" in case:
        return case["rtol"], case.get("atol", 1e-5)
    errors, k = case.get("eager_err_vs_f64"), int(described.get("name", "0").rsplit(".", 1)[-1])
    error = errors[k] if isinstance(errors, list) and k < len(errors) else 0
    return 1e-3, max(1e-5 * described.get("max_abs", 1), 8 * error, 1e-6)


def compare(case, described, ours, theirs, reference, name):
    if list(ours.shape) != described["shape"] or str(ours.dtype) != "torch." + described["dtype"]:
        return f"{name} is {ours.dtype} {list(ours.shape)}, eager gives {described['dtype']} {described['shape']}"
    wrong = [d for d, step in enumerate(described.get("stride", ())) if ours.shape[d] > 1 and ours.stride(d) != step]
    if wrong and ours.numel():
        return f"{name} has strides {ours.stride()}, eager's are {described['stride']}"
    if theirs is None or case.get("compare", "values") != "values":
        return None
    if reference is not None and reference.dtype == torch.float64 and ours.is_floating_point():
        if not ours.numel():
            return None
        finite = reference.isfinite()
        if not torch.equal(torch.where(finite, 0, ours.double()).nan_to_num(nan=7e77),
                           torch.where(finite, 0, reference).nan_to_num(nan=7e77)):
            return f"{name} is not NaN or infinite where the reference is"
        if not finite.any():
            return None
        error, eager = (float((x.double() - reference)[finite].abs().max()) for x in (ours, theirs))
        floor = float(reference[finite].abs().max()) * 2.0 ** -23
        return None if error <= ERROR_FACTOR * max(eager, floor) else f"{name}: error {error}, eager's {eager}"
    if not (ours.is_floating_point() or ours.is_complex()):
        return None if torch.equal(ours, theirs) else f"{name} differs"
    rtol, atol = tolerance(case, described)
    if ours.is_complex():
        ours, theirs = torch.view_as_real(ours.to(torch.complex128)), torch.view_as_real(theirs.to(torch.complex128))
    same = torch.allclose(ours.double(), theirs.double(), rtol=rtol, atol=atol, equal_nan=True)
    return None if same else f"{name} differs by up to {float((ours.double() - theirs.double()).abs().max())}"


def changes(values, name):
    """Is what is recorded behind the call not what went in? (NaN alone makes an input count as changed.)"""
    before, after = values.get(name.replace("mut.", "in.")), values.get(name)
    if before is None or after is None:
        return True
    one, other = ((value.double() if value.is_floating_point() else value).nan_to_num(nan=7e7) for value in (before, after))
    return not torch.equal(one, other)


def check_set(run, case, facts, values, prefix, donated=False):
    inputs = inputs_of(facts, values, prefix)
    outputs = run(*inputs)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    if len(outputs) != len(facts["outputs"]):
        return f"{len(outputs)} outputs, eager gives {len(facts['outputs'])}"
    for k, (ours, described) in enumerate(zip(outputs, facts["outputs"])):
        name = f"{prefix}out.{k}"
        if described.get("kind", "tensor") != "tensor":
            if "value" in described and not isinstance(described["value"], str) and ours != described["value"]:
                if abs(ours - described["value"]) > 1e-6 * abs(ours):
                    return f"{name} is {ours}, eager gives {described['value']}"
            continue
        if not isinstance(ours, torch.Tensor):
            ours = torch.from_dlpack(ours)
        theirs = values.get(name)
        if k > 0 and case.get("ties") and ours.dtype == torch.int64:
            theirs = None
        problem = compare(case, described, ours, theirs, values.get(f"{prefix}ref.{k}"), name)
        if problem:
            return problem
    for described in facts.get("mutated_inputs", ()):
        k = int(described["name"].rsplit(".", 1)[-1])
        if donated and not changes(values, described["name"]):
            continue
        problem = compare(case, described, inputs[k], values.get(described["name"]), None, described["name"])
        if problem:
            return problem
    return None


def check_case(new_runner, stem, donated=False):
    with open(stem + ".json") as file:
        case = json.load(file)
    values = load_file(stem + ".safetensors")
    sets = case.get("sets") or [case]
    for number, facts in enumerate(sets):
        named = next((i["name"] for i in facts["inputs"] if "in." in i.get("name", "")), "")
        prefix = named[:named.index("in.")] if named else (f"{number}." if "sets" in case else "")
        problem = check_set(new_runner(), case, facts, values, prefix, donated)
        if problem:
            return problem
    return None


# ---- targets ----


def python_runner(folder, stem):
    module = importlib.import_module(stem)
    return lambda: module.Context(returns="torch")


def fx_runner(folder, stem):
    fx = importlib.import_module("ferrite_fx")
    return lambda: fx.load(os.path.join(folder, stem + ".json"))


TARGETS = {"python": (".py", python_runner), "fx": (".json", fx_runner)}


def module_name(path):
    return "case_" + os.path.basename(path)[:-4]


def compile_case(target, path, folder, *options):
    out = os.path.join(folder, module_name(path) + TARGETS[target][0])
    done = subprocess.run([FERRITE, "compile", path, "--emit", target, "-o", out, "--quiet", "--jobs", "1",
                           *options], capture_output=True, text=True)
    return None if done.returncode == 0 else done.stderr


def check_target(target, paths, jobs, ops=(), split=None, donate=None):
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        sys.path.insert(0, folder)
        words = [word for library in ops for word in ("--ops", library)]
        words += (["--split", split] if split else []) + (["--donate", donate] if donate else [])
        compiled = [pool.submit(compile_case, target, path, folder, *words) for path in paths]
        for path, future in zip(paths, compiled):
            problem = future.result()
            sys.modules.pop(module_name(path), None)  # of the same program, made otherwise
            try:
                runner = problem or TARGETS[target][1](folder, module_name(path))
                problem = problem or check_case(runner, path[:-4], donate is not None)
            except Exception as error:  # whatever a target raises is this case's failure
                problem = f"{type(error).__name__}: {error}"
            passed, failed = passed + (not problem), failed + bool(problem)
            if problem:
                print(f"FAIL {target} {path}: {problem}")
        sys.path.remove(folder)
    print(f"{target}: {passed} of {len(paths)}")
    return passed, failed


def check_examples():
    """The backends of examples/fx_backend run a graph."""
    wanted = {"counting_backend.py": "output [1, 10] finite", "reading_backend.py": "output [1, 10] as the library's\n3 kernels of its own, 0 left"}
    passed = 0
    with tempfile.TemporaryDirectory() as folder:
        graph = os.path.join(folder, "digits.json")
        archive = os.path.join(ROOT, "demo", "digits.pt2")
        subprocess.run([FERRITE, "compile", archive, "--emit", "fx", "-o", graph, "--quiet"], check=True)
        for example, said in wanted.items():
            done = subprocess.run([sys.executable, os.path.join(ROOT, "examples", "fx_backend", example), graph],
                                  capture_output=True, text=True, env={**os.environ, "PYTHONPATH": folder})
            good = done.returncode == 0 and said in done.stdout
            print(f"examples/fx_backend/{example}: good" if good else f"FAIL {example}: {done.stdout}{done.stderr}")
            passed += good
    return passed, len(wanted) - passed


# The C side of the programs in test/custom_ops.
LIBRARIES = [os.path.join(ROOT, *path) for path in (
    ("examples", "custom_ops", "moe.c"), ("examples", "custom_ops", "quant.c"), ("test", "custom_ops", "bag.c"),
    ("test", "custom_ops", "returns.c"), ("test", "custom_ops", "views.c"),
    ("test", "custom_ops", "sizes.c"))]


def check_custom(targets, jobs):
    """Programs that call operators of the user's."""
    with tempfile.TemporaryDirectory() as folder:
        libraries = [os.path.join(folder, f"lib{os.path.basename(source)[:-2]}.so") for source in LIBRARIES]
        for source, library in zip(LIBRARIES, libraries):
            subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-I" + os.path.join(ROOT, "include"), source,
                            "-lm", "-o", library], check=True)
        return [check_target(target, cases_under(os.path.join(ROOT, "test", "custom_ops")), jobs, libraries)
                for target in targets]


def check_parts():
    """A part of a Python module is run by the caller; programs that are cut give the same in other targets."""
    with tempfile.TemporaryDirectory() as folder:
        archive = os.path.join(ROOT, "demo", "digits.pt2")
        compile_case("python", archive, folder, "--split", "op=relu")
        sys.path.insert(0, folder)
        module, calls = importlib.import_module("case_digits"), []
        sys.path.remove(folder)
    x, context = torch.arange(64, dtype=torch.float32).reshape(1, 1, 8, 8) % 16, module.Context(returns="torch")

    def relu(inputs, outputs, symbols):
        calls.append(len(symbols))
        torch.clamp(inputs[0], min=0, out=outputs[0])

    whole = context(x).clone()
    context.replace_part(1, relu)
    replaced = context(x).clone()
    context.replace_part(1, None)
    good = torch.equal(whole, replaced) and torch.equal(whole, context(x)) and calls == [0]
    print("a part run by the caller: good" if good else f"FAIL a part run by the caller: {calls}")
    return int(good), int(not good)


def check_modules():
    """Parts of a graph are modules: a backend takes one of them, and passes may drop what nobody uses."""
    with tempfile.TemporaryDirectory() as folder:
        archive = os.path.join(ROOT, "demo", "digits.pt2")
        compile_case("fx", archive, folder, "--split", "op=relu")
        sys.path.insert(0, folder)
        fx, calls = importlib.import_module("ferrite_fx"), []
        sys.path.remove(folder)
        whole, module = (fx.load(os.path.join(folder, "case_digits.json")) for _ in range(2))
        x = torch.arange(64, dtype=torch.float32).reshape(1, 1, 8, 8) % 16
        wanted = whole(x)
        module.graph.eliminate_dead_code()
        for name, part in list(module.named_children()):
            part.graph.eliminate_dead_code()

            class Mine(torch.nn.Module):
                def forward(self, *given, part=part):
                    calls.append([tuple(g.shape) for g in given])
                    return part(*given)

            module.add_module(name, Mine())
        module.recompile()
        got = module(x)
    parts = sum(node.op == "call_module" for node in module.graph.nodes)
    good = torch.equal(wanted, got) and parts == len(calls) == 9
    print("parts of a graph: good" if good else f"FAIL parts of a graph: {parts} parts, {calls}")
    return int(good), int(not good)


def check_numbers():
    """A program that is made to look for NaN says where the first is, in each target alike."""
    wanted = "NaN in input 'a': 1 of 7 elements, the first at [1]"
    stem = os.path.join(ROOT, "test", "cases", "ops", "nan_rules")
    inputs = inputs_of(json.load(open(stem + ".json")), load_file(stem + ".safetensors"), "")
    passed = 0
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        for target, (_, runner) in TARGETS.items():
            compile_case(target, stem + ".pt2", folder, "--nan-check")
            sys.modules.pop(module_name(stem + ".pt2"), None)  # of the same program without checks
            try:
                runner(folder, module_name(stem + ".pt2"))()(*inputs)
                said = "nothing"
            except RuntimeError as error:
                said = str(error)
            passed += said == wanted
            print(f"NaN is found by {target}" if said == wanted else f"FAIL NaN, {target}: {said}")
        sys.modules.pop(module_name(stem + ".pt2"), None)
        sys.path.remove(folder)
    return passed, len(TARGETS) - passed


TWO_DEVICES = """graph main {
  placeholder %x user "x" : f32[4,8]
  %d = aten._to_copy.default(%x, device=cuda:0, non_blocking=True) : f32[4,8]:cuda0
  %e = aten.exp.default(%d) : f32[4,8]:cuda0
  %b = aten._to_copy.default(%e, dtype=torch.float64, device=cpu, non_blocking=True) : f64[4,8]
  %s = aten.sum.dim_IntList(%b, [1]) : f64[4]
  output (user %s)
}
"""


def check_devices():
    """A graph of two devices, one standing for the other: the kernels here are the host's."""
    with tempfile.TemporaryDirectory() as folder:
        source, graph = os.path.join(folder, "two.fx"), os.path.join(folder, "two.json")
        with open(source, "w") as file:
            file.write(TWO_DEVICES)
        subprocess.run([FERRITE, "compile", source, "--emit", "fx", "-o", graph, "--quiet"], check=True)
        sys.path.insert(0, folder)
        fx = importlib.import_module("ferrite_fx")
        x = torch.arange(32, dtype=torch.float32).reshape(4, 8) / 16
        good = torch.allclose(fx.load(graph, devices={"cuda:0": "cpu"})(x), x.exp().double().sum(1), rtol=1e-6)
        try:
            fx.load(graph, devices={"cuda:0": "meta"})(x)
            said = ""
        except RuntimeError as error:
            said = str(error)
        moved, archive = [], os.path.join(ROOT, "demo", "digits.pt2")
        for device in "cpu", "opencl":
            compile_case("fx", archive, folder, "--device", device)
            image = torch.arange(64, dtype=torch.float32).reshape(1, 1, 8, 8) % 16
            moved.append(fx.load(os.path.join(folder, "case_digits.json"), devices={"opencl": "cpu"})(image))
        good = good and torch.allclose(*moved, rtol=1e-6)
        sys.path.remove(folder)
    good = good and "this backend's kernels are the cpu's, and the program runs on meta" in said
    print("two devices: good" if good else f"FAIL two devices: {said}")
    return int(good), int(not good)


def shared(inputs, outputs):
    """Which pairs of results, or of an input and a result, lie in one memory."""
    tensors = [x if isinstance(x, torch.Tensor) else torch.from_dlpack(x) for x in (*inputs, *outputs)]
    places = [(x.data_ptr(), x.data_ptr() + sum((n - 1) * s for n, s in zip(x.shape, x.stride())) * x.element_size())
              for x in tensors]
    return [(i, k) for k in range(len(inputs), len(places)) for i in range(k)
            if places[i][0] <= places[k][1] and places[k][0] <= places[i][1]]


def check_aliases():
    """Results share memory in each target as in eager."""
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        for target, (_, runner) in TARGETS.items():
            for name in ("copies_stay_copies", "aliasing_outputs"):
                stem = os.path.join(ROOT, "test", "cases", "programs", name)
                inputs = inputs_of(json.load(open(stem + ".json"))["sets"][0], load_file(stem + ".safetensors"), "0.")
                sys.modules.pop(module_name(stem + ".pt2"), None)
                compile_case(target, stem + ".pt2", folder)
                theirs = shared(inputs, pytree.tree_leaves(torch.export.load(stem + ".pt2").module()(*inputs)))
                ours = shared(inputs, runner(folder, module_name(stem + ".pt2"))()(*inputs))
                good = bool(theirs) and ours == theirs
                print(f"memory of {name} in {target}: good" if good else f"FAIL {name}, {target}: {ours}, eager {theirs}")
                passed, failed = passed + good, failed + (not good)
        sys.path.remove(folder)
    return passed, failed


def cases_under(folder):
    found = (os.path.join(where, name) for where, _, names in os.walk(folder) for name in names if name.endswith(".pt2"))
    return sorted(path for path in found if os.path.exists(path[:-4] + ".json"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", choices=TARGETS, action="append")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--ops", action="append", default=[])
    parser.add_argument("--donate")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    paths = [p for case in options.cases for p in (cases_under(case) if os.path.isdir(case) else [case])]
    targets = options.target or list(TARGETS)
    every = cases_under(os.path.join(ROOT, "test", "cases"))
    counts = [check_target(target, paths or every, options.jobs, options.ops, donate=options.donate)
              for target in targets]
    if not paths:
        counts += check_custom(targets, options.jobs)
    if not paths and not options.target:
        programs = cases_under(os.path.join(ROOT, "test", "cases", "programs"))
        counts += [check_target(target, programs, options.jobs, split="nodes=1") for target in TARGETS]
        counts += [check_target(target, every, options.jobs, donate="all") for target in TARGETS]
        counts += [check_examples(), check_numbers(), check_devices(), check_parts(), check_modules(),
                   check_aliases()]
    print(f"{sum(p for p, _ in counts)} passed, {sum(f for _, f in counts)} failed")
    return 1 if any(f for _, f in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
