"""Arguments and results as the exported module takes and returns them: a tree of tuples, lists and dicts, told by the text
that PyTorch's exports hold. Classes that were registered with PyTorch are its own to take apart."""

import json
import sys
from collections import OrderedDict, namedtuple

_LEAF = None
_KINDS = {"builtins.tuple": tuple, "builtins.list": list, "builtins.dict": dict, "collections.OrderedDict": OrderedDict}


class Mismatch(Exception):
    """A value is not built as the tree says."""


def of(told):
    """The tree of a text, or of what it is the text of, a TreeSpec; None of none."""
    if told is None:
        return None
    return (_of_text(json.loads(told)[1]) if isinstance(told, str) else _of_spec(told)) or _OfTorch(told)


def _of_text(spec):
    """None: there are classes in it that PyTorch is told to take apart."""
    parts = [_of_text(part) for part in spec["children_spec"]]
    if spec["type"] not in (_LEAF, *_KINDS) or None in parts:
        return None
    kind = spec["type"] and _KINDS[spec["type"]]
    return _Plain(kind, parts, json.loads(spec["context"]) if kind in (dict, OrderedDict) else None)


def _of_spec(spec):
    if spec.is_leaf():
        return _Plain(_LEAF, [])
    parts = [_of_spec(part) for part in (spec.children() if hasattr(spec, "children") else spec.children_specs)]
    kind = spec.context if spec.type is namedtuple else spec.type
    if None in parts or not (kind in _KINDS.values() or spec.type is namedtuple or _is_struct(kind)):
        return None
    return _Plain(kind, parts, list(spec.context) if kind in (dict, OrderedDict) else None)


def _is_struct(kind):
    """As torch.return_types has for the results of operators: made of a sequence, and nobody can derive from it."""
    return getattr(kind, "__bases__", None) == (tuple,) and kind.__module__ == "torch.return_types" and hasattr(kind, "n_fields")


class _Plain:
    """Built here, without PyTorch, which takes ten times as long."""

    def __init__(self, kind, parts, keys=None):
        self.kind, self.parts, self.keys = kind, parts, keys
        self._make = getattr(kind, "_make", kind)  # a named tuple takes its items one by one

    def positions(self):
        """How many arguments by position it is, each a leaf, with none by name; None: it is not."""
        if self.kind is not tuple or len(self.parts) != 2 or self.parts[0].kind is not tuple or self.parts[1].kind is not dict:
            return None
        return None if self.parts[1].parts or any(part.kind for part in self.parts[0].parts) else len(self.parts[0].parts)

    def leaves(self, value):
        if self.kind is None:
            return [value]
        if not isinstance(value, self.kind) or len(value) != len(self.parts):
            raise Mismatch(f"{_told(value)} where {self} is expected")
        if self.keys is not None:
            if set(value) != set(self.keys):
                raise Mismatch(f"{_told(value)} where {self} is expected")
            value = [value[key] for key in self.keys]
        return [leaf for part, item in zip(self.parts, value) for leaf in part.leaves(item)]

    def build(self, leaves):
        """Takes its leaves from the iterator."""
        if self.kind is None:
            return next(leaves)
        items = [part.build(leaves) for part in self.parts]
        return self._make(items) if self.keys is None else self.kind(zip(self.keys, items))

    def __str__(self):
        if self.kind is None:
            return "*"
        if self.keys is not None:
            return "{" + ", ".join(f"{key!r}: {part}" for key, part in zip(self.keys, self.parts)) + "}"
        inside = ", ".join(map(str, self.parts))
        return f"[{inside}]" if self.kind is list else f"({inside},)" if len(self.parts) == 1 else f"({inside})"


class _OfTorch:
    def __init__(self, spec):
        if "torch" not in sys.modules:
            raise Mismatch("arguments of a class that PyTorch knows how to take apart: import torch first")
        self._pytree = sys.modules["torch"].utils._pytree
        self._spec = self._pytree.treespec_loads(spec) if isinstance(spec, str) else spec

    def positions(self):
        return None

    def leaves(self, value):
        leaves, spec = self._pytree.tree_flatten(value)
        if spec != self._spec:
            raise Mismatch(f"{spec} where {self._spec} is expected")
        return leaves

    def build(self, leaves):
        return self._pytree.tree_unflatten(list(leaves), self._spec)


def _told(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: ..." for key in value) + "}"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    return f"a {type(value).__name__}"
