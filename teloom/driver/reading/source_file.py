"""A file of IR: its module, and the text that errors show."""

import sys
from collections.abc import Callable
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import ParseError

from teloom.driver.diagnostics import Mistake, mistake_at_op, mistake_in_text
from teloom.driver.reading.located_parser import LocatedParser
from teloom.driver.registry import context_of, load_universe
from teloom.driver.runner import NotVerifiedError, Runner, explained_in, verify


class SourceFile:
    """A verified module and its text; raises `Mistake` for a file that has none.

    The `path` `-` is standard input.
    """

    def __init__(self, path: str):
        self.name = "stdin" if path == "-" else path
        self.text = read_text(path, self.name)
        self.context = context_of(load_universe().all_dialects)
        self._changes: list[Callable[[ModuleOp], None]] = []
        self.module = self._parsed()
        try:
            verify(self.module)
        except NotVerifiedError as error:
            raise self.mistake(error, error.op) from None

    def change(self, change: Callable[[ModuleOp], None]) -> None:
        """Changes the module before passes run, as options ask; a reproducer has it, too."""
        change(self.module)
        self._changes.append(change)

    def runner(self) -> Runner:
        """A runner of passes on the file; what they refuse is raised as a `Mistake`."""
        return Runner(self.context, explained_in(self.name, self.text), self._original)

    def _parsed(self) -> ModuleOp:
        try:
            return LocatedParser(self.context, self.text, self.name).parse_module()
        except ParseError as error:
            raise mistake_in_text(error) from None

    def _original(self) -> str:
        """The text of the module before passes ran."""
        if not self._changes:
            return self.text
        module = self._parsed()
        for change in self._changes:
            change(module)
        return str(module)

    def mistake(self, error: Exception, op: Operation | None) -> Mistake:
        """The mistake found in an operation of the file."""
        return mistake_at_op(error, op, self.name, self.text)


def read_text(path: str, name: str) -> str:
    """The text of a file, which errors call `name`; the path `-` is standard input.

    It may begin with a byte order mark. Raises `Mistake` if it cannot be read.
    """
    if path == "-" and sys.stdin is None:
        raise Mistake(name, 1, 1, "cannot be read: it is closed")
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise Mistake(name, 1, 1, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise Mistake(name, line, 1, "not UTF-8 text") from None
