"""A session of the compiler: its options, operators of one's own, and the programs that it makes."""

import os
from ctypes import byref, c_char_p, c_size_t, c_void_p, string_at

from ferrite._library import Diagnostic, library


class Error(Exception):
    """ferrite refuses; the message is its diagnostic."""


class Session:
    """One program's session: what it compiled lives as long."""

    def __init__(self):
        self._handle, self.program = library().fe_session_new(), c_void_p()
        self._kept = []  # what is read for as long as the session lives
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

    def keep(self, value):
        """It lives as long as the session."""
        self._kept.append(value)
        return value

    def set(self, option, value):
        """An option of `ferrite compile`, with _ for -; True is on. Of a list or tuple: each, one after another."""
        if isinstance(value, (list, tuple)):
            for one in value:
                self.set(option, one)
            return
        if isinstance(value, bool):
            value = "on" if value else "off"
        self.check(library().fe_set(self._handle, option.replace("_", "-").encode(), str(value).encode()))

    def add_ops(self, ops):
        for op in ops:
            self.keep(op)
            self.check(library().fe_add_op(self._handle, byref(op.row)))

    def add_constant(self, name, descriptor, owner):
        """Of a text that is compiled then; the owner of its memory lives as long as this session."""
        self.keep(owner)
        self.check(library().fe_add_constant(self._handle, name.encode(), byref(descriptor)))

    def compile_file(self, path):
        self._source = library().fe_inspect_file, (os.fsencode(path),)
        self.check(library().fe_compile_file(self._handle, os.fsencode(path), byref(self.program)))

    def compile_text(self, name, text):
        data = text.encode()
        self._source = library().fe_inspect_memory, (name.encode(), data, len(data))
        self.check(library().fe_compile_memory(self._handle, name.encode(), data, len(data), byref(self.program)))

    def inspect(self, stage):
        """The text of a stage of what was compiled last, which is compiled that far again."""
        text, length = c_char_p(), c_size_t()
        function, source = self._source
        self.check(function(self._handle, *source, stage.encode(), byref(text), byref(length)))
        return string_at(text, length.value)

    def write(self, writer, path):
        """fe_write_WRITER."""
        self.check(getattr(library(), f"fe_write_{writer}")(self.program, os.fsencode(path)))

    def clear_cache(self):
        self.check(library().fe_clear_cache(self._handle))
