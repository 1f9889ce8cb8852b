"""A session of the compiler: its options, operators of one's own, and the programs that it makes."""

import os
from ctypes import byref, c_void_p

from ferrite._library import Diagnostic, library


class Error(Exception):
    """ferrite refuses; the message is its diagnostic."""


class Session:
    """One program's session: what it compiled lives as long."""

    def __init__(self):
        self._handle, self.program = library().fe_session_new(), c_void_p()
        self._rows = []  # fe_op_row, read for as long as the session lives
        self._closing = []  # what is done first at the end: the garbage collector keeps no order

    def __del__(self):
        if self._handle and library:  # which is gone when the interpreter ends
            for close, argument in self._closing:
                close(argument)
            library().fe_program_free(self.program)
            library().fe_session_free(self._handle)

    def check(self, status):
        if status:
            raise Error(library().fe_error(self._handle).decode(errors="replace").strip())

    def places(self):
        """Where in the program the diagnostics of the last call point."""
        found, places = Diagnostic(), []
        while library().fe_diagnostic_at(self._handle, len(places), byref(found)):
            places.append((found.place or b"").decode(errors="replace"))
        return places

    def at_end(self, close, argument):
        """Calls close(argument) before the programs of this session are freed."""
        self._closing.append((close, argument))

    def set(self, option, value):
        """An option of `ferrite compile`, with _ for -; True is on."""
        if isinstance(value, bool):
            value = "on" if value else "off"
        self.check(library().fe_set(self._handle, option.replace("_", "-").encode(), str(value).encode()))

    def add_ops(self, ops):
        for op in ops:
            self._rows.append(op)
            self.check(library().fe_add_op(self._handle, byref(op.row)))

    def compile_file(self, path):
        self.check(library().fe_compile_file(self._handle, os.fsencode(path), byref(self.program)))

    def compile_text(self, name, text):
        data = text.encode()
        self.check(library().fe_compile_memory(self._handle, name.encode(), data, len(data), byref(self.program)))
