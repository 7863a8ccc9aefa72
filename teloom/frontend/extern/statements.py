"""What an IR builder notes of the body of an extern: statements, and the values in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import FileLineColLoc

from teloom.dialects.loop.kinds import LoopKind
from teloom.frontend.expr.expressions import Expr, texts, walk
from teloom.frontend.extern.extern_calls import Argument, Call, PackedCall
from teloom.frontend.tensor.buffers import Buffer, Pointer


@dataclass(frozen=True, eq=False, repr=False)
class Element(Expr):
    """An element of a buffer, loaded by the statement in which it stands.

    `moment` is when it was made, as its builder counts.
    """

    buffer: Buffer
    indices: tuple[Expr, ...]
    moment: int = 0

    @property
    def dtype(self) -> str:  # type: ignore[override]
        return self.buffer.dtype

    def operands(self) -> tuple[Expr, ...]:
        return self.indices

    def text(self, depth: int) -> str:
        return f"{self.buffer.name}[{', '.join(texts(self.indices, depth))}]"


@dataclass(frozen=True, eq=False, repr=False)
class LoopVar(Expr):
    """The position of a loop."""

    name: str
    dtype: str

    def text(self, depth: int) -> str:
        return self.name


@dataclass(frozen=True, eq=False, repr=False)
class Kept(Expr):
    """A value computed by a statement of its own, for those behind it."""

    name: str
    dtype: str

    def text(self, depth: int) -> str:
        return self.name


class Statement:
    """Base of what a body does; `location` is the line of the user's program that says it."""

    location: FileLineColLoc


@dataclass(eq=False)
class Store(Statement):
    """`target = value`."""

    target: Element
    value: Expr


@dataclass(eq=False)
class Keep(Statement):
    """Computes a value once."""

    kept: Kept
    value: Expr


@dataclass(eq=False)
class Allocate(Statement):
    """A buffer of the body's own, which lives until the end of the statements it is among."""

    buffer: Buffer


@dataclass(eq=False)
class Loop(Statement):
    """Its body for every position from `begin` up to, not including, `end`."""

    var: LoopVar
    begin: Expr
    end: Expr
    kind: LoopKind
    body: list[Statement]


@dataclass(eq=False)
class Branch(Statement):
    """One of two bodies, by a condition; without an `else_body`, one or nothing."""

    condition: Expr
    then_body: list[Statement]
    else_body: list[Statement] | None = None


@dataclass(eq=False)
class CallStatement(Statement):
    """A call of other code."""

    call: Call

    @property
    def written(self) -> list[Buffer]:
        """The buffers that the callee may write."""
        found: list[Buffer] = []
        for argument in self.call.arguments:
            if isinstance(argument, Pointer) and argument.writes:
                found.append(argument.buffer)
            elif isinstance(argument, Buffer) and isinstance(self.call, PackedCall):
                found.append(argument)
        return found


def all_of(statements: Sequence[Statement]) -> Iterator[Statement]:
    """The statements and those in them, in the order of the text."""
    for statement in statements:
        yield statement
        if isinstance(statement, Loop):
            yield from all_of(statement.body)
        elif isinstance(statement, Branch):
            yield from all_of(statement.then_body)
            yield from all_of(statement.else_body or ())


def values_of(statement: Statement) -> list[Expr]:
    """The expressions that a statement computes itself, without those in its bodies."""
    match statement:
        case Store():
            return [*statement.target.indices, statement.value]
        case Keep():
            return [statement.value]
        case Allocate():
            return list(statement.buffer.extents)
        case Loop():
            return [statement.begin, statement.end]
        case Branch():
            return [statement.condition]
        case CallStatement():
            return [n for a in statement.call.arguments if (n := number_of(a)) is not None]
    return []


def buffers_of(statement: Statement) -> list[Buffer]:
    """The buffers that a statement loads, stores or passes on itself."""
    found = [part.buffer for part in walk(tuple(values_of(statement))) if isinstance(part, Element)]
    if isinstance(statement, Store):
        found.append(statement.target.buffer)
    elif isinstance(statement, CallStatement):
        found += [b for a in statement.call.arguments if (b := buffer_of(a)) is not None]
    return found


def written_by(statement: Statement) -> list[Buffer]:
    """The buffers that a statement writes itself."""
    match statement:
        case Store():
            return [statement.target.buffer]
        case CallStatement():
            return statement.written
    return []


def placed(statement: Statement) -> str:
    """`file:line: ` of a statement, for what is said of it."""
    place = statement.location
    return f"{place.filename.data}:{place.line.data}: "


def number_of(argument: Argument) -> Expr | None:
    """The number that an argument of a call is, or the offset of a pointer."""
    number = argument.offset if isinstance(argument, Pointer) else argument
    return number if isinstance(number, Expr) else None


def buffer_of(argument: Argument) -> Buffer | None:
    """The buffer that an argument of a call is, or points into."""
    match argument:
        case Pointer():
            return argument.buffer
        case Buffer():
            return argument
    return None
