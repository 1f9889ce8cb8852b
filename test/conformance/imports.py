"""Imports test modules of another version of PyTorch than the one installed: names that are gone are stood in for.

A decorator that skips or demands something becomes none, a flag becomes False, and anything else skips the test that calls
it. What was stood in for is in STANDINS, for the report."""

import importlib
import re
import sys
import types
import unittest

STANDINS = []
_DECORATOR = re.compile(r"(skip|requires|xfail|expectedFailure|serialTest|slowTest|tf32|parametrize)")


def _no_decorator(*args, **kwargs):
    if len(args) == 1 and callable(args[0]) and not kwargs:
        return args[0]
    return lambda function: function


def _standin(name):
    if _DECORATOR.match(name):
        return _no_decorator
    if name.isupper():
        return False

    def missing(*args, **kwargs):
        raise unittest.SkipTest(f"{name} is not in this version of PyTorch")
    return missing


def _empty_module(name):
    module = types.ModuleType(name)
    module.__path__ = []

    def attribute(key):
        if key.startswith("__"):
            raise AttributeError(key)
        return _standin(key)
    module.__getattr__ = attribute
    return module


def _forget(roots):
    for name in [name for name in sys.modules if name.split(".")[0] in roots]:
        del sys.modules[name]


def _stand_in(error):
    """Puts something in the place of what an import did not find; False where it is not PyTorch's."""
    if isinstance(error, ModuleNotFoundError):
        if not (error.name or "").startswith("torch."):
            return False
        STANDINS.append(error.name)
        sys.modules[error.name] = _empty_module(error.name)
        return True
    found = re.match(r"cannot import name '(\w+)' from '(torch[\w.]*)'", str(error))
    if not found:
        return False
    name, module = found.groups()
    STANDINS.append(f"{module}.{name}")
    setattr(importlib.import_module(module), name, _standin(name))
    return True


def test_module(name):
    """The module, with everything imported that it asks for."""
    while True:
        try:
            return importlib.import_module(name)
        except ImportError as error:
            if not _stand_in(error):
                raise
            _forget({name.split(".")[0]})
