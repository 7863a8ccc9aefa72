"""Diagnostics: `file:line:col: error: message`, the source line, a caret."""

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import (
    ModuleOp,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException

from teloom.errors import Error, PassError, Remark
from teloom.locations import location_of, place_of


@dataclass(frozen=True)
class Diagnostic:
    """A message of a tool about its input.

    `kind` is error, warning, remark or note. `place` is file, line and column, counted from 1, if
    it is known.
    """

    kind: str
    place: tuple[str, int, int] | None
    message: str

    def text(self, tool: str) -> str:
        """One line; a message without a place begins with the name of the tool."""
        place = tool if self.place is None else ":".join(map(str, self.place))
        return f"{place}: {self.kind}: {self.message}"


@contextmanager
def one_line_warnings(tool: str) -> Iterator[None]:
    """Inside, each Python warning is shown as one line on stderr, `tool: warning: message`.

    A remark is shown as `file:line:col: remark: message`, if its place is known.
    """
    with told_of_warnings(lambda shown: print(shown.text(tool), file=sys.stderr)):
        yield


@contextmanager
def told_of_warnings(tell: Callable[[Diagnostic], None]) -> Iterator[None]:
    """Inside, `tell` gets every Python warning and every remark."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        kind, place = "warning", None
        if isinstance(message, Remark):
            kind, found = "remark", location_of(message.op)
            if found is not None:
                place = (found.filename.data, found.line.data, found.column.data)
        tell(Diagnostic(kind, place, " ".join(str(message).split())))

    with warnings.catch_warnings():
        warnings.showwarning = show
        warnings.simplefilter("always", Remark)
        yield


USER_MISTAKES = (ParseError, DiagnosticException, Error)
"""The exceptions of a mistake in the input; every other one is a fault of the tool."""


_MOST_SHOWN = 200
"""How many characters of a line are shown in front of a mistake, of it, and behind it."""


@dataclass
class Mistake(Exception):
    """A user's mistake with its place; `line` and `column` count from 1.

    Its text is the whole report: the error in one line and, if `source_line` is known, that line
    with a caret of `width` characters. A mistake `nowhere` is shown at the start of the file.
    """

    file: str
    line: int
    column: int
    message: str
    width: int = 1
    source_line: str = ""
    nowhere: bool = False

    def diagnostic(self) -> Diagnostic:
        """The mistake without its source line."""
        place = None if self.nowhere else (self.file, self.line, self.column)
        return Diagnostic("error", place, tidy(self.message))

    def __str__(self) -> str:
        head = self.diagnostic().text(f"{self.file}:{self.line}:{self.column}")
        text = self.source_line.rstrip()
        if not text:
            return head
        before = text[: self.column - 1].ljust(self.column - 1)
        width = max(1, min(self.width, len(text) - len(before), _MOST_SHOWN))
        begin, end = max(0, len(before) - _MOST_SHOWN), len(before) + width + _MOST_SHOWN
        ends = ("..." if begin else "", "..." if end < len(text) else "")
        indent = "".join(c if c == "\t" else " " for c in ends[0] + before[begin:])
        return f"{head}\n{ends[0]}{text[begin:end]}{ends[1]}\n{indent}{'^' * width}"


def mistake_in_text(error: ParseError, line_offset: int = 0) -> Mistake:
    """The mistake that a parser found in a text that begins `line_offset` lines into its file."""
    place = error.span.get_location()
    source = error.span.input.content
    text = source if isinstance(source, str) else source.decode(errors="replace")
    line = text.split("\n")[place.line - 1]
    return Mistake(place.file, place.line + line_offset, place.col, error.msg, error.span.len, line)


def mistake_at_op(
    error: Exception, op: Operation | None, file: str, text: str, context: str = ""
) -> Mistake:
    """The mistake found in `op`, at its location or at that of the nearest enclosing op.

    If the error knows the line of a command on it, it is there. Without any it is at the start of
    `file`, whose contents are `text`. `context` comes before the message.
    """
    place = (place_of(error) if isinstance(error, PassError) else None) or location_of(op)
    message = context + tidy(str(error))
    if place is None:
        return Mistake(file, 1, 1, message, nowhere=True)
    name, line = place.filename.data, place.line.data
    lines = (text if name == file else _text_of(name)).split("\n")
    source_line = lines[line - 1] if 0 < line <= len(lines) else ""
    return Mistake(name, line, place.column.data, message, source_line=source_line)


def _text_of(file: str) -> str:
    """The text of another file, a schedule's; empty if it cannot be read any more."""
    try:
        return Path(file).read_text()
    except (OSError, UnicodeDecodeError):
        return ""


def op_that_fails(module: ModuleOp, error: VerifyException) -> Operation | None:
    """The op for which `module.verify()` raised `error`; the exception does not tell."""
    for op in module.walk(region_first=True):
        try:
            for region in op.regions:
                for block in region.blocks:
                    if block.is_empty:
                        block.verify()
            op.verify(verify_nested_ops=False)
        except VerifyException as found:
            if str(found) == str(error):
                return _second_of_its_name(op) if "Redefinition" in str(error) else op
    return None


def _second_of_its_name(table: Operation) -> Operation:
    """The op that defines a symbol again, in an op with a table of symbols."""
    names: list[Attribute | None] = []
    for op in table.regions[0].block.ops:
        name = op.get_attr_or_prop("sym_name")
        if name is not None and name in names:
            return op
        names.append(name)
    return table


def tidy(message: str) -> str:
    """One line, lower-case start, no final period or exclamation mark; names stay as they are.

    >>> tidy("Expected an operand.")
    'expected an operand'
    >>> tidy("SSA value %x is\\nunknown")
    'SSA value %x is unknown'
    >>> tidy("Rows.npy is no file")
    'Rows.npy is no file'
    """
    message = " ".join(message.split()).rstrip(".!")
    first = message.partition(" ")[0].rstrip(",:")
    if first[1:2].islower() and first.isalpha():
        message = message[0].lower() + message[1:]
    return message
