"""The blocks of a body that are open, and which values and elements can be used in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from teloom.errors import Error
from teloom.frontend.expr.expressions import Apply, Cast, Const, IfThenElse, Var, walk
from teloom.frontend.extern.statements import (
    CallStatement,
    Element,
    Kept,
    LoopVar,
    Statement,
    Store,
    buffer_of,
    values_of,
    written_by,
)
from teloom.frontend.tensor.buffers import Buffer

Given = TypeVar("Given")

_VALUES = (Const, Var, Apply, Cast, IfThenElse, Element, LoopVar, Kept)


@dataclass(eq=False)
class OpenBlock:
    """A block to which statements are added; `made` are its own values and buffers.

    Of a loop, `repeats_from` is the moment when it was opened, and `loaded` are the elements
    from before that, which its body uses.
    """

    name: str
    statements: list[Statement]
    repeats_from: int | None = None
    made: set[object] = field(default_factory=set)
    loaded: dict[Buffer, Element] = field(default_factory=dict)


class OpenBlocks:
    """The blocks around the next statement; `moment` counts what changes elements."""

    def __init__(self) -> None:
        self._blocks = [OpenBlock("the body", [])]
        self.moment = 0
        self._written: dict[Buffer, int] = {}
        self._buffers: set[object] = set()

    @property
    def outermost(self) -> OpenBlock:
        """The block of the body."""
        return self._blocks[0]

    @property
    def innermost(self) -> OpenBlock:
        """The block in which the next statement stands."""
        return self._blocks[-1]

    def make(self, leaf: Buffer | Kept) -> None:
        """From here on, a value or a buffer is there, up to the end of the innermost block."""
        self.innermost.made.add(leaf)
        if isinstance(leaf, Buffer):
            self._buffers.add(leaf)

    @contextmanager
    def inside(
        self, name: str, statements: list[Statement], given: Given, repeats: bool = False
    ) -> Iterator[Given]:
        """A block that is open while the caller is inside; it makes `given`."""
        self.moment += 1
        block = OpenBlock(name, statements, self.moment if repeats else None, {given})
        self._blocks.append(block)
        try:
            yield given
        finally:
            self._blocks.pop()

    def add(self, statement: Statement) -> None:
        """Adds a statement to the innermost block.

        Raises `teloom.Error` for values that are not there, or not any more.
        """
        self._check(statement)
        self.innermost.statements.append(statement)
        for buffer in written_by(statement):
            self._write(buffer)

    def _check(self, statement: Statement) -> None:
        for part in walk(tuple(values_of(statement))):
            if not isinstance(part, _VALUES):
                raise Error(
                    f"{part} is no value in the body of an extern; take the tensor as an input, "
                    "and elements of its buffer"
                )
            if isinstance(part, LoopVar | Kept) and not self._is_open(part):
                raise Error(f"{part} is used outside of the block in which it is made")
            if isinstance(part, Element):
                self._check_open(part.buffer)
                self._load(part)
        if isinstance(statement, Store):
            self._check_open(statement.target.buffer)
        if isinstance(statement, CallStatement):
            for argument in statement.call.arguments:
                if (buffer := buffer_of(argument)) is not None:
                    self._check_open(buffer)

    def _is_open(self, leaf: object) -> bool:
        return any(leaf in block.made for block in self._blocks)

    def _check_open(self, buffer: Buffer) -> None:
        if buffer in self._buffers and not self._is_open(buffer):
            raise Error(
                f"buffer {buffer.name!r} is used outside of the block in which it is allocated"
            )

    def _load(self, element: Element) -> None:
        """Refuses an element that may be another now than where the text has it."""
        if self._written.get(element.buffer, 0) > element.moment:
            raise Error(_stale(element))
        for block in self._blocks:
            if block.repeats_from is not None and element.moment < block.repeats_from:
                block.loaded[element.buffer] = element

    def _write(self, buffer: Buffer) -> None:
        for block in self._blocks:
            if buffer in block.loaded:
                raise Error(_stale(block.loaded[buffer]))
        self.moment += 1
        self._written[buffer] = self.moment


def _stale(element: Element) -> str:
    return (
        f"{element} is taken before {element.buffer.name!r} is written, and used behind that; "
        "keep its value with let, or take it again"
    )
