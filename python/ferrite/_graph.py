"""What the door gives to AOTAutograd for a graph: something to call that PyTorch can keep in its cache of AOTAutograd's results. A
process that finds it there neither traces nor partitions; it compiles the graph's text, whose code is in ferrite's own cache."""

import functools
import logging
import operator
import os

import torch
from torch._dynamo.utils import dynamo_timed
from torch._functorch._aot_autograd.autograd_cache import BypassAOTAutogradCache
from torch._inductor.output_code import OutputCode
from torch._subclasses.fake_tensor import FakeTensor

import ferrite_ops
from ferrite import _library
from ferrite._call import Program
from ferrite._handed import WholeCall
from ferrite._session import Session

log = logging.getLogger("ferrite")
_told = set()  # reasons, each of which is told once


def tell(reason, message, *about):
    if reason not in _told:
        _told.add(reason)
        log.warning(message, *about, reason)


def _declared(operators):
    """What ferrite is told of operators that are not its own: they call PyTorch's kernels."""
    overloads = [overload for operator in operators for overload in ferrite_ops._of_pytorch(operator.overloadpacket)
                 if not _library.is_own(overload)]
    made = [ferrite_ops._torch_op(overload, None, None) for overload in overloads]
    ferrite_ops.forget(*made)
    return made


def _handed(operators):
    """The same of operators of PyTorch's own, under names of their own."""
    made = [ferrite_ops.op(what.schema, what, tags=ferrite_ops.TAG_EFFECT) if isinstance(what, WholeCall) else
            ferrite_ops.op("torch_" + str(what._schema), what, tags=ferrite_ops.tags_of(what)) for what in operators]
    ferrite_ops.forget(*made) if made else None
    return made


def _overload(name):
    """Of the name that str() gives an OpOverload."""
    return operator.attrgetter(name)(torch.ops)


def session_with(options):
    session = Session()
    for option, value in options.items():
        session.set(option, value)
    return session


class Source:
    """What a graph is compiled from."""

    def __init__(self, written, options, donated):
        """written: a text.Text. donated: names of arguments that may be overwritten."""
        self.text, self.options, self.donated = str(written), options, tuple(donated)
        self._operators, self._handed = list(written.operators.values()), list(written.handed.values())
        self.signature = None  # once it has been compiled

    def compile_in(self, session):
        """session: one with the options."""
        for name in self.donated:
            session.set("donate", name + "?")
        session.add_ops(_declared(self._operators))
        session.add_ops(_handed(self._handed))
        session.compile_text("graph.fx", self.text)

    def compiled(self):
        """Its Program, with nothing to call instead."""
        session = session_with(self.options)
        self.compile_in(session)
        return self.program(session)

    def program(self, session, refused=None):
        """session: in which it has been compiled. refused: as of Program."""
        return Program(session, self.signature, refused, self._spared if self.donated else None)

    def _spared(self):
        """The same program, which overwrites nothing."""
        kept = Source.__new__(Source)
        kept.__dict__.update(self.__dict__, donated=())
        return kept.compiled().call

    def is_kept(self):
        """Can another process compile it?"""
        return (not any(isinstance(what, WholeCall) for what in self._handed) and
                not any(isinstance(value, FakeTensor) for value in self.signature.constants.values()))

    def __getstate__(self):
        return {**self.__dict__, "_operators": list(map(str, self._operators)), "_handed": list(map(str, self._handed))}

    def __setstate__(self, state):
        self.__dict__ = {**state, "_operators": list(map(_overload, state["_operators"])),
                         "_handed": list(map(_overload, state["_handed"]))}


class Instead:
    """In the place of a Program: another function."""

    def __init__(self, run):
        self.run = run


class Refused:
    """In the place of a Program: the error, when it is called."""

    def __init__(self, error):
        self._error = error

    def run(self, arguments):
        raise self._error


class Graph(OutputCode):
    """A compiled graph, and what it comes from: None, where no other process can make it."""

    def __init__(self, program, source=None, remarks=()):
        """program.run is called. remarks: arguments of tell(), in each process again."""
        self._program, self._source, self._remarks = program, source, list(remarks)
        self._boxed_call = True

    def __call__(self, arguments):
        return self._program.run(arguments)

    def load(self):
        """Begins to make its code."""
        self._program.load()

    def prepare_for_serialization(self):
        if self._source is None or not self._source.is_kept():
            raise BypassAOTAutogradCache("ferrite: the graph has parts that only this process has")

    def __getstate__(self):
        return {"_source": self._source, "_remarks": self._remarks, "_boxed_call": True}

    def post_compile(self, example_inputs, constants, graph_kwargs):
        """Behind its reading from the cache. What fails here makes PyTorch compile the graph anew."""
        with dynamo_timed("ferrite_compile"):
            self._program = self._source.compiled()
            if not graph_kwargs.get("is_backward"):  # which may never be called
                self._program.wait()
        log.debug("a graph is read from PyTorch's cache")
        for remark in self._remarks:
            tell(*remark)

    def set_triton_bundle(self, triton_bundle):
        pass


@functools.cache
def version():
    """Of all that makes code of a graph: two installations that differ have different ones."""
    folder = os.path.dirname(os.path.abspath(__file__))
    files = [_library.library()._name, *sorted(entry.path for entry in os.scandir(folder) if entry.name.endswith(".py"))]
    stats = [os.stat(file) for file in files if os.path.exists(file)]
    numbers = " ".join(f"{stat.st_size}:{stat.st_mtime_ns}" for stat in stats)
    return f"{_library.library().fe_version().decode()} {numbers}"
