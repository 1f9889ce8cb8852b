"""Programs as Python has them: compiled in this process, or of a library that was written before."""

import ctypes
import json
import os
import shutil
import tempfile
from ctypes import POINTER, byref, c_void_p

import ferrite_runtime as rt
from ferrite import _tree
from ferrite._caller import Caller, Signature, opened
from ferrite._library import Artifact, Figures, Quantised, library
from ferrite._session import Error

_WRITERS = {".so": "library", ".a": "library", ".py": "python", ".json": "fx", ".html": "report"}


def _bytes(count):
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"


class Report(dict):
    """What a program came to; as text, a line each."""

    def __str__(self):
        lines = []
        if "compile_ms" in self:
            stages = " ".join(f"{name} {ms:.1f}" for name, ms in self["stage_ms"].items() if ms >= 0.05)
            lines.append(f"compiled in {self['compile_ms']:.0f} ms: {stages}")
        lines.append(f"kernels: {self['kernels']} calls, {self['unique_kernels']} distinct")
        lines += [f"fused: {', '.join(fusion['nodes'])} in {fusion['kernel']}" for fusion in self.get("fusions", ())]
        lines += [f"quantised: {weight['name']} to int{weight['bits']}, error {weight['error']:.2%}, the largest {weight['most']:.2%}"
                  for weight in self.get("quantised", ())]
        lines.append(f"memory: {_memory(self)}")
        if self["held_bytes"]:
            lines.append(f"held by now: {_bytes(self['held_bytes'])}")
        return "\n".join(lines)


def _memory(facts):
    arena = "an arena as large as the sizes ask for" if facts["arena_bytes"] < 0 else (
        f"arena {_bytes(facts['arena_bytes'])}, of which {_bytes(facts['arena_lower_bound'])} live at once")
    return f"{arena}; weights {_bytes(facts['weights_bytes'])}"


def _range(symbol, least, most):
    if least is None and most is None:
        return symbol
    if most is None:
        return f"{symbol} >= {least}"
    return f"{symbol} <= {most}" if least is None else f"{symbol} in [{least}, {most}]"


class Program:
    """Called as the exported module is, it runs, one caller at a time; inputs may also be given flat, in the order of the
    program's. Torch tensors give torch tensors, other inputs numpy arrays, or what speaks DLPack where numpy has no such
    elements. What no input and no buffer is told to change stays as it is."""

    def __init__(self, signature, trees=None):
        self.name, self._signature = signature.name, signature
        self._trees = trees or signature.trees  # as texts until the first call
        self._caller = self._positions = None

    def _ready(self):
        if self._caller is None:
            self._trees = [_tree.of(tree) for tree in self._trees]
            self._positions = self._trees[0].positions() if self._trees[0] else None
            self._caller = self._load()
        return self._caller

    def share_states(self, other):
        """From now on buffers that both programs change, and that have one name in both, are those of `other`, what they hold
        by now included: the cache of a decoder's step is that which its prompt has filled. Returns their names. The two do
        not run at the same time."""
        try:
            return self._ready().share_states(other._ready())
        except rt.InputError as error:
            raise Error(str(error)) from None

    def __call__(self, *inputs, **named):
        caller = self._caller or self._ready()
        results = caller(inputs if not named and len(inputs) == self._positions else self._flat(inputs, named))
        if self._trees[1] is None:
            return results[0] if len(results) == 1 else tuple(results)
        return self._trees[1].build(iter(results))

    def _flat(self, inputs, named):
        if self._trees[0] is None and not named:
            return inputs
        try:
            if self._trees[0] is None:
                raise _tree.Mismatch("keywords, which the program does not know")
            return self._trees[0].leaves((inputs, named))
        except _tree.Mismatch as mismatch:
            if not named and len(inputs) == len(self._signature.inputs):
                return inputs
            raise Error(f"the program is called with {mismatch}") from None

    def __repr__(self):
        inputs = ", ".join(f"{port.name}: {port}" for port in self._signature.inputs)
        outputs = ", ".join(map(str, self._signature.outputs))
        lines = [f"<ferrite.Program {self.name}", f"inputs   {inputs or 'none'}", f"outputs  {outputs or 'none'}"]
        if self._signature.symbols:
            lines.append("symbols  " + ", ".join(_range(*symbol) for symbol in self._signature.symbols))
        return "\n  ".join([*lines, f"memory   {_memory(self._facts())}>"])

    def report(self):
        """A Report: milliseconds of the compile, by stage; kernels, and the nodes that share one; bytes of arena (arena_bytes,
        and the most that lives at once, arena_lower_bound; -1: as the sizes ask for), weights, and what is held by now. Of a
        program that was compiled with `quantize`: quantised, each weight with its bits, bytes, error (root of the mean
        square, over that of the weight) and the most that an element is off by (over the largest)."""
        return Report(self._facts(), held_bytes=self._caller.held_bytes() if self._caller else 0)


class Compiled(Program):
    """A program that was compiled in this process."""

    def __init__(self, session, trees=None):
        self._session = session
        super().__init__(Signature(library().fe_signature(session.program).decode()), trees)

    def save(self, path):
        """Writes the program; what is written follows from the name: .so (or .a), .py, .json (FX), .html (a report), else a
        folder of C sources. Returns the path; ferrite.load() reads a .so."""
        path = os.fspath(path)
        writer = _WRITERS.get(os.path.splitext(path)[1], "sources")
        self._session.write(writer, path)
        return path

    write = save

    def report(self):
        return Report(super().report(), fusions=self._fusions(), quantised=self._quantised())

    def _quantised(self):
        weight, weights = Quantised(), []
        while library().fe_quantised_at(self._session.program, len(weights), byref(weight)):
            facts = {name: getattr(weight, name) for name, _ in weight._fields_}
            weights.append(facts | {"name": weight.name.decode()})
        return weights

    def _fusions(self):
        with tempfile.TemporaryDirectory(prefix="ferrite-") as folder:
            path = os.path.join(folder, "provenance.json")
            self._session.write("provenance", path)
            with open(path) as file:
                lines = json.load(file)["lines"]
        return [{"kernel": line.get("kernel") or line.get("operator"), "nodes": line["nodes"] + line["inlined"]}
                for line in lines if len(line["nodes"] + line["inlined"]) > 1]

    def _facts(self):
        figures = Figures()
        library().fe_figures_of(self._session.program, byref(figures))
        stages = {figures.stage_names[k].decode(): figures.stage_ms[k] for k in range(figures.stage_count)}
        counted = ("kernels", "unique_kernels", "arena_bytes", "arena_lower_bound", "weights_bytes", "artifact_bytes")
        return {"compile_ms": figures.compile_ms, "stage_ms": stages, **{name: getattr(figures, name) for name in counted}}

    def _load(self):
        artifact, model = POINTER(Artifact)(), c_void_p()
        self._session.check(library().fe_load(self._session.program, byref(artifact), byref(model)))
        return Caller(artifact.contents, model, self._signature, self._session)


class _Closing:
    """What is closed at the end, the last first."""

    def __init__(self):
        self._closing = []

    def at_end(self, close, argument):
        self._closing.append((close, argument))

    def __del__(self):
        while self._closing and ctypes:
            close, argument = self._closing.pop()
            close(argument)


class Loaded(Program):
    """A library that ferrite has written."""

    def __init__(self, path, name=None):
        self._path, self._alive = os.path.abspath(path), _Closing()
        stem = os.path.splitext(os.path.basename(self._path))[0]
        try:
            self._artifact, self._model = opened(rt._load(self._path), self._alive, name, stem)
        except (OSError, rt.InputError, rt.RunError) as error:
            raise Error(f"{path}: {error}") from None
        super().__init__(Signature(self._artifact.signature.decode()))

    def save(self, path):
        """A copy of the library."""
        if os.path.splitext(path)[1] != ".so":
            raise Error(f"{self.name} was loaded from a library, and can be saved as one alone: a path that ends in .so")
        return shutil.copyfile(self._path, path)

    write = save

    def _facts(self):
        artifact = self._artifact
        return {"kernels": artifact.kernel_calls, "unique_kernels": artifact.unique_kernels, "arena_bytes": artifact.arena_bytes,
                "arena_lower_bound": artifact.arena_lower_bound, "weights_bytes": artifact.weights_bytes,
                "artifact_bytes": os.path.getsize(self._path)}

    def _load(self):
        return Caller(self._artifact, self._model, self._signature, self._alive)


def is_library(path):
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False
