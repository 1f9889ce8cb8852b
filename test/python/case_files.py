"""Writes one recorded case: the program as torch.export.save leaves it, its inputs, and what PyTorch answers.

STEM.pt2          the program, not decomposed
STEM.safetensors  S.in.K, S.out.K: input and eager output K of set S (a dynamic program has a set of other sizes too);
                  S.ref.K: the same output computed in float64; S.mut.K: input K after the call, where the program
                  writes to it; S.buf.NAME: a buffer after the call, where the program writes to it
STEM.json         dtype, shape and stride of each, how far eager is from the float64 run, the operators of the program
K counts all inputs and outputs in order; one that is a Python number, string or None is only described in STEM.json.
An operator's case has one set and no prefix, in.K and out.K, and a tolerance; float64 values of half precision outputs
alone, which eager rounds several times on its way: what is as near to those as eager is right too.
"""

import collections
import copy
import json
import os
import re

import torch
from safetensors.torch import save_file
from torch.utils import _pytree as pytree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOLERANCE = {  # (rtol, atol) as torch.testing has them; a case takes the loosest of its types
    "bfloat16": (1.6e-2, 1e-5),
    "float16": (1e-3, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
}
HALVES = (torch.float16, torch.bfloat16)


def save_program(program, path, frames=0):
    """torch.export.save, with the source files in the recorded stack traces named relative to where they belong, so
    that the archive is the same whoever makes it and wherever. frames: keep only so many, the innermost, of each
    node's stack trace and of its stack of modules; together these are most of a small archive."""
    for part in program.graph_module.modules():
        for node in part.graph.nodes if isinstance(part, torch.fx.GraphModule) else ():
            if trace := node.meta.get("stack_trace"):
                trace = trace.replace(f'File "{ROOT}{os.sep}', 'File "')
                trace = re.sub(r'File "[^"]*/(?:site-packages|python3\.\d+)/', 'File "', trace)
                node.meta["stack_trace"] = "File " + "File ".join(trace.split("File ")[1:][-frames:])
            if modules := node.meta.get("nn_module_stack"):
                node.meta["nn_module_stack"] = dict(list(modules.items())[-frames:])
    torch.export.save(program, path)


def to_double(value):
    if isinstance(value, torch.Tensor) and value.is_complex():
        return value.detach().to(torch.complex128)
    is_real = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.detach().double() if is_real else value


def call(module, args, kwargs, double=False):
    """Runs a copy of the module on copies of the inputs: (outputs, inputs afterwards, buffers afterwards)."""
    module = copy.deepcopy(module)
    args, kwargs = copy.deepcopy((args, kwargs))
    usual = torch.get_default_dtype()
    if double:
        module = module.double()
        args, kwargs = pytree.tree_map(to_double, (args, kwargs))
        torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad():
            outputs = module(*args, **kwargs)
    finally:
        torch.set_default_dtype(usual)
    return pytree.tree_leaves(outputs), pytree.tree_leaves((args, kwargs)), dict(module.named_buffers())


def largest(value):
    finite = (value.abs() if value.is_complex() else value).double().nan_to_num(0.0, posinf=0.0, neginf=0.0)
    return float(f"{float(finite.abs().max()):.4g}") if finite.numel() else 0.0


def distance(a, b):
    wide = torch.complex128 if a.is_complex() else torch.float64
    return largest(a.to(wide) - b.to(wide))


def histogram(program):
    names = collections.Counter()
    for part in program.graph_module.modules():
        if isinstance(part, torch.fx.GraphModule):
            for node in part.graph.nodes:
                if node.op == "call_function":
                    known = isinstance(node.target, torch._ops.OpOverload)
                    names[str(node.target) if known else f"{node.target.__module__}.{node.target.__name__}"] += 1
    return dict(names.most_common())


def changed(before, after):
    return isinstance(before, torch.Tensor) and not torch.equal(before, after)


def write_case(stem, module, sets, dynamic_shapes=None, name=None, op=None, with_samples=True, frames=0, compare="values", double=True,
               functional=False):
    """sets: a list of argument tuples, or of (args, kwargs). double: the program can be run in float64, to compare with.
    functional: saved as run_decompositions() leaves it.
    Returns the side information that STEM.json holds."""
    sets = [s if len(s) == 2 and isinstance(s[1], dict) else (tuple(s), {}) for s in sets]
    blob, described = {}, []

    def record(key, value):
        if not isinstance(value, torch.Tensor):
            return {"name": key, "kind": type(value).__name__, "value": value}
        value = value.detach()
        blob[key] = value.clone(memory_format=torch.contiguous_format)
        about = {"name": key, "kind": "tensor", "dtype": str(value.dtype).removeprefix("torch.")}
        about |= {"shape": list(value.shape), "stride": list(value.stride())}
        return about | {"storage_offset": value.storage_offset()}

    errors = []
    for index, (args, kwargs) in enumerate(sets):
        prefix = "" if op else f"{index}."
        inputs = pytree.tree_leaves((args, kwargs))
        outputs, inputs_after, buffers_after = call(module, args, kwargs)
        exact = call(module, args, kwargs, double)[0]
        about = {"inputs": [record(f"{prefix}in.{k}", value) for k, value in enumerate(inputs)], "outputs": []}
        for k, (value, reference) in enumerate(zip(outputs, exact, strict=True)):
            about["outputs"].append(record(f"{prefix}out.{k}", value))
            if isinstance(value, torch.Tensor) and value.is_floating_point() and (not op or value.dtype in HALVES):
                record(f"{prefix}ref.{k}", reference.double())
                about["outputs"][-1]["max_abs"] = largest(reference)
            if index == 0:
                errors.append(distance(value, reference) if isinstance(value, torch.Tensor) else 0.0)
        written = [k for k, value in enumerate(inputs) if changed(value, inputs_after[k])]
        if written:
            about["mutated_inputs"] = [record(f"{prefix}mut.{k}", inputs_after[k]) for k in written]
        written = [key for key, value in module.named_buffers() if changed(value, buffers_after[key])]
        if written:
            about["mutated_buffers"] = [record(f"{prefix}buf.{key}", buffers_after[key]) for key in written]
        described.append(about)

    args, kwargs = copy.deepcopy(sets[0])
    with torch.no_grad():
        program = torch.export.export(copy.deepcopy(module), args, kwargs or None, dynamic_shapes=dynamic_shapes)
    if functional:
        program = program.run_decompositions({})
    if not with_samples:
        program.example_inputs = None
    save_program(program, f"{stem}.pt2", frames)
    save_file(blob, f"{stem}.safetensors")
    os.chmod(f"{stem}.safetensors", 0o644)

    side = {"op" if op else "name": op or name, "compare": compare}
    if op:
        values = described[0]["inputs"] + described[0]["outputs"]
        side["dtype"] = values[0]["dtype"]
        side["rtol"], side["atol"] = max(TOLERANCE.get(value["dtype"], (0.0, 0.0)) for value in values)
    side |= described[0] if op else {"sets": described}
    side |= {"eager_err_vs_f64": errors, "ops": histogram(program), "torch": torch.__version__}
    with open(f"{stem}.json", "w") as file:
        json.dump(side, file)
        file.write("\n")
    return side
