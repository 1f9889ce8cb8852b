"""Which of PyTorch's tests are run, and how each becomes a test of a backend.

A suite is a module below test/ of a PyTorch source tree and the classes of it that are taken. The modules were written for
the compiler that PyTorch ships: what they import from it and a newer torch no longer has is stood in for (imports.py)."""

import importlib
import re
import unittest
from dataclasses import dataclass

import imports


@dataclass(frozen=True)
class Suite:
    module: str
    classes: str  # a regular expression
    door: str = "compile"  # or "export": programs come as a torch.export archive
    ignored: tuple = ()  # decorators that demand what tests with a CPU among their parameters do not need


SUITES = {
    "common": Suite("inductor.test_torchinductor", "CpuTests|SweepInputsCpuTest|TestFull"),
    "dynamic": Suite("inductor.test_torchinductor_dynamic_shapes", "DynamicShapesCpuTests|TestInductorDynamicCPU"),
    "opinfo": Suite("inductor.test_torchinductor_opinfo", "TestInductorOpInfoCPU"),
    "cpu": Suite("inductor.test_cpu_repro", "CPUReproTests"),
    "unbacked": Suite("inductor.test_unbacked_symints", "TestUnbackedSymintsCPU"),
    "control": Suite("inductor.test_control_flow", ".*Tests",
                     ignored=(("torch.testing._internal.triton_utils", "requires_gpu"),)),
    "custom": Suite("inductor.test_auto_functionalize", ".*Tests"),
    "optimizers": Suite("inductor.test_compiled_optimizers", "CompiledOptimizer.*Tests"),
    "foreach": Suite("inductor.test_foreach", "ForeachTests"),
    "export": Suite("inductor.test_aot_inductor", "AOTInductorTestABICompatibleCpu", door="export"),
}
_DEVICES = re.compile(r"_(cuda|xpu|mps|gpu)(_|$)")


def tests_of(name):
    """{"Class.test": a test case} of a suite, in the order of the module."""
    suite = SUITES[name]
    for place, name in suite.ignored:
        setattr(importlib.import_module(place), name, lambda test: test)
    module = imports.test_module(suite.module)
    found = {}
    for case in list(vars(module).values()):
        if not (isinstance(case, type) and issubclass(case, unittest.TestCase) and case.__module__ == module.__name__):
            continue
        if not re.fullmatch(suite.classes, case.__name__):
            continue
        for test in unittest.TestLoader().getTestCaseNames(case):
            if not _DEVICES.search(test):
                found[f"{case.__name__}.{test}"] = (case, test)
    return found
