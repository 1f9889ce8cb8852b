"""Sizes as FX text has them: expressions over symbols, which are Python too, for who evaluates them, and where a call's
arguments tell them."""

import hashlib

import torch
from torch.utils._sympy.printers import PythonPrinter


class Unsupported(Exception):
    """The graph holds something that ferrite has no word for."""


_INFIX = {"Add": " + ", "Mul": "*", "FloorDiv": " // ", "CleanDiv": " // ", "IntTrueDiv": " // ", "Mod": " % ",
          "PythonMod": " % ", "Equality": " == ", "Unequality": " != ", "StrictLessThan": " < ", "LessThan": " <= ",
          "StrictGreaterThan": " > ", "GreaterThan": " >= "}
_CALLS = {"Min": "min", "Max": "max"}
_ROUNDED = ("TruncToInt", "FloorToInt", "CeilToInt", "RoundToInt")  # whole numbers that come of floats


def is_rounded(expr):
    return type(expr).__name__ in _ROUNDED


def _is_atom(expr):
    """A number with a name of its own: a symbol of PyTorch's, or what comes of floats, which sizes go on with as with symbols."""
    return expr.is_Symbol or is_rounded(expr)


def atom_name(expr):
    return str(expr) if expr.is_Symbol else "w" + hashlib.sha256(str(expr).encode()).hexdigest()[:24]


def atoms(expr):
    return {expr} if _is_atom(expr) else set().union(*map(atoms, expr.args))


def formula(atom):
    """The Python expression of an atom that comes of floats."""
    return PythonPrinter().doprint(atom).replace("torch.sym_float(", "float(")


def expression(value):
    """An int, SymInt or sympy expression."""
    expr = value.node.expr if isinstance(value, (torch.SymInt, torch.SymBool)) else value
    if isinstance(expr, int):
        return str(int(expr)) if expr >= 0 else f"({int(expr)})"
    if expr.is_Integer:
        return expression(int(expr))
    if _is_atom(expr):
        return atom_name(expr)
    kind, parts = type(expr).__name__, [expression(part) for part in expr.args]
    if kind in ("Pow", "PowByNatural") and expr.args[1].is_Integer and int(expr.args[1]) > 0:
        return "(" + "*".join(parts[:1] * int(expr.args[1])) + ")"
    if kind in _INFIX:
        return "(" + _INFIX[kind].join(parts) + ")"
    if kind in _CALLS:
        return f"{_CALLS[kind]}({', '.join(parts)})"
    if kind == "Identity":
        return parts[0]
    raise Unsupported(f"the size {expr}")


def symbols_in(value):
    """(atom, its ShapeEnv) of every size in a piece of metadata."""
    if isinstance(value, torch.Tensor):
        if value._has_symbolic_sizes_strides:
            for size in (*value.shape, *value.stride(), value.storage_offset()):
                yield from symbols_in(size)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from symbols_in(item)
    elif isinstance(value, (torch.SymInt, torch.SymBool, torch.SymFloat)):
        for atom in atoms(value.node.expr):
            yield atom, value.node.shape_env


def told(values):
    """The atoms that arguments of a call tell by themselves: (name, number of the argument, "size", "stride" or None,
    dimension)."""
    def named(number):
        return isinstance(number, torch.SymInt) and _is_atom(number.node.expr)
    for k, value in enumerate(values):
        if named(value):
            yield atom_name(value.node.expr), k, None, None
    for k, value in enumerate(values):
        if isinstance(value, torch.Tensor):
            for what, numbers in (("size", value.shape), ("stride", value.stride())):
                for dimension, number in enumerate(numbers):
                    if named(number):
                        yield atom_name(number.node.expr), k, what, dimension
