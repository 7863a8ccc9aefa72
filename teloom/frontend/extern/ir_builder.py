"""`te.ir_builder`: the body of an extern, statement by statement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from teloom.dialects.loop.kinds import LoopKind
from teloom.dialects.syntax.scopes import GLOBAL
from teloom.errors import Error
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.affine_forms import WIDE
from teloom.frontend.expr.expressions import (
    Apply,
    Cast,
    Const,
    Expr,
    IfThenElse,
    Var,
    as_expr,
    cast,
    walk,
)
from teloom.frontend.expr.names import checked_text
from teloom.frontend.extern.statements import (
    Allocate,
    Branch,
    Call,
    CallStatement,
    Check,
    Element,
    Keep,
    Kept,
    Local,
    Loop,
    LoopVar,
    Statement,
    Store,
    While,
)
from teloom.frontend.functions.op_calls import OpCall
from teloom.frontend.missing_names import OF_BUILDERS, missing
from teloom.frontend.source_location import SourceLocation, user_location
from teloom.frontend.tensor.buffers import Buffer, decl_buffer
from teloom.frontend.tensor.reductions import as_condition
from teloom.frontend.tensor.tensors import integer_expr, subscript_expr

Given = TypeVar("Given")

KINDS = {
    "serial": LoopKind.SERIAL,
    "parallel": LoopKind.PARALLEL,
    "vectorize": LoopKind.VECTORIZED,
    "unroll": LoopKind.UNROLLED,
}
"""The kinds of loops, by TVM's names."""

_VALUES = (Const, Var, Apply, Cast, IfThenElse, Element, Local, OpCall)


def element_of(buffer: Buffer, subscripts: object, moment: int = 0) -> Element:
    """An element of a buffer, with one subscript per axis, as it is at a moment of a builder."""
    listed = subscripts if isinstance(subscripts, tuple) else (subscripts,)
    if len(listed) != buffer.ndim:
        raise Error(
            f"{len(listed)} subscripts for the {buffer.ndim} axes of buffer {buffer.name!r}"
        )
    indices = tuple(_subscript(one, buffer, axis) for axis, one in enumerate(listed))
    return Element(buffer, indices, moment)


class BufferVar:
    """A buffer in a body: `x[i, j]` is an element, `x[i, j] = value` stores one.

    An element is loaded by the statement that uses it. One that was written in between is
    refused: `IRBuilder.let` keeps a value.
    """

    __iter__ = None

    def __init__(self, builder: IRBuilder, buffer: Buffer):
        self._builder = builder
        self.buffer = buffer

    @property
    def shape(self) -> tuple[Any, ...]:
        """The extents, in elements: integers, and expressions where they are symbolic."""
        return self.buffer.shape

    @property
    def dtype(self) -> str:
        """The dtype of the elements."""
        return self.buffer.dtype

    def __getitem__(self, subscripts: object) -> Element:
        return self._builder.element(self.buffer, subscripts)

    def __setitem__(self, subscripts: object, value: object) -> None:
        self._builder.store(self.buffer, subscripts, value)

    def __repr__(self) -> str:
        return f"BufferVar({self.buffer.name})"


@dataclass(frozen=True)
class Body:
    """The statements that a builder has noted, for te.extern."""

    statements: Sequence[Statement]


@dataclass(eq=False)
class _Block:
    """A block to which statements are added; `made` are its own values and buffers.

    Of a loop, `repeats_from` is the moment when it was opened, and `loaded` are the elements
    from before that, which its body uses. `written_before_branch` says when each buffer was written
    before the last branch in it.
    """

    name: str
    statements: list[Statement]
    made: set[object] = field(default_factory=set)
    repeats_from: int | None = None
    loaded: dict[Buffer, Element] = field(default_factory=dict)
    written_before_branch: dict[Buffer, int] = field(default_factory=dict)


def create() -> IRBuilder:
    """A new builder. Source: TVM's tir.ir_builder.create.

    >>> ib = create()
    >>> with ib.for_range(0, 4, name="i") as i:
    ...     print(i * 2)
    (i * 2)
    """
    return IRBuilder()


class IRBuilder:
    """Notes statements, in order, from which the body of an extern is made, and checks them.

    Values are expressions of sizes, positions of loops and elements of buffers.
    All methods raise `teloom.Error` for what cannot stand in a body.
    """

    def __init__(self, locate: Callable[[], SourceLocation] = user_location) -> None:
        """`locate` gives the line of the user's program of the statement that is noted."""
        self.locate = locate
        self._blocks = [_Block("the body", [])]
        self._allocated: set[Buffer] = set()
        self._moment = 0  # counts what changes elements
        self._written: dict[Buffer, int] = {}

    def __getattr__(self, name: str) -> object:
        raise missing("an ir_builder", name, OF_BUILDERS)

    def get(self) -> Body:
        """The noted statements, as te.extern takes them."""
        outermost, *inner = self._blocks
        if inner:
            raise Error(f"get() is called in {inner[-1].name}, which is not closed")
        return Body(outermost.statements)

    def buffer_ptr(self, buffer: Buffer) -> BufferVar:
        """A buffer of the extern, to load and store its elements."""
        if not isinstance(buffer, Buffer):
            raise Error(f"buffer_ptr wants a buffer, as ins and outs of te.extern, got {buffer!r}")
        return BufferVar(self, buffer)

    def allocate(
        self, dtype: object, shape: object, name: str = "buf", scope: str = ""
    ) -> BufferVar:
        """A buffer of the body's own, valid in the block in which it is allocated.

        Its elements are undefined at first.
        """
        buffer = decl_buffer(shape, dtype, name, scope=scope or GLOBAL)
        self._add(Allocate(buffer), buffer)
        self._allocated.add(buffer)
        return BufferVar(self, buffer)

    def let(self, name: str, value: object) -> Expr:
        """`value` as it is now, whatever is written behind this statement."""
        checked_text(name, "name of let")
        expr = as_expr(value)
        if _is_position(expr):
            return expr
        kept = Kept(name, expr.dtype)
        self._add(Keep(kept, expr), kept)
        return kept

    def emit(self, call: object) -> None:
        """A te.call_extern or te.call_packed."""
        if not isinstance(call, Call):
            raise Error(f"emit wants te.call_extern(...) or te.call_packed(...), got {call!r}")
        self._add(CallStatement(call))

    def for_range(
        self,
        begin: object,
        end: object,
        name: str = "i",
        dtype: object = "int32",
        kind: str = "serial",
    ) -> AbstractContextManager[LoopVar]:
        """A loop from `begin` up to, not including, `end`; gives its position.

        `kind` is serial, parallel, vectorize or unroll. No iteration of a parallel loop
        reads or writes an element that another one writes: the caller promises that.
        """
        checked_text(name, "name of for_range")
        known = dtypes.checked_name(dtype)
        if known not in WIDE:
            raise Error(f"loop {name!r} has the dtype {known}; it must be int32 or int64")
        if kind not in KINDS:
            raise Error(f"loop {name!r} has the kind {kind!r}; kinds are {', '.join(KINDS)}")
        var = LoopVar(name, known)
        first, last = (
            integer_expr(bound, word, f"loop {name}")
            for bound, word in ((begin, "begin"), (end, "end"))
        )
        loop = Loop(var, first, last, KINDS[kind], [])
        self._add(loop)
        return self._inside(f"the loop {name!r}", loop.body, var, repeats=True)

    def while_loop(self, condition: object) -> AbstractContextManager[None]:
        """A scope whose statements are repeated as long as `condition` holds.

        The elements in the condition are loaded anew each time.
        """
        statement = While(as_condition(condition), [])
        self._add(statement)
        return self._inside("a while_loop", statement.body, None, repeats=True)

    def assert_that(self, condition: object, message: str) -> None:
        """Ends the call by a `teloom.KernelError` with the message, unless `condition` holds."""
        checked_text(message, "message of assert_that")
        self._add(Check(as_condition(condition), message))

    def if_scope(self, cond: object) -> AbstractContextManager[None]:
        """A scope whose statements run where `cond` holds."""
        branch = Branch(as_condition(cond), [])
        self._add(branch)
        self._blocks[-1].written_before_branch = {**self._written}
        return self._inside("an if_scope", branch.then_body, None)

    def else_scope(self) -> AbstractContextManager[None]:
        """A scope whose statements run where those of the if_scope just before did not."""
        statements = self._blocks[-1].statements
        branch = statements[-1] if statements else None
        if not isinstance(branch, Branch) or branch.else_body is not None:
            raise Error("an else_scope stands directly behind an if_scope")
        return self._otherwise(branch)

    @contextmanager
    def _otherwise(self, branch: Branch) -> Iterator[None]:
        """The other block of a branch: what the first one writes is not written there."""
        first, self._written = self._written, self._blocks[-1].written_before_branch
        branch.else_body = []
        with self._inside("an else_scope", branch.else_body, None):
            yield
        for buffer, moment in first.items():
            self._written[buffer] = max(moment, self._written.get(buffer, 0))

    def element(self, buffer: Buffer, subscripts: object) -> Element:
        """An element of a buffer, with one subscript per axis."""
        return element_of(buffer, subscripts, self._moment)

    def store(self, buffer: Buffer, subscripts: object, value: object) -> None:
        """Writes an element of a buffer."""
        target = self.element(buffer, subscripts)
        expr = as_expr(value, buffer.dtype)
        if isinstance(expr, Const) and dtypes.holds(buffer.dtype, expr.value):
            expr = cast(expr, buffer.dtype)
        if expr.dtype != buffer.dtype:
            raise Error(
                f"{target} holds {buffer.dtype}, but {expr} is {expr.dtype}; cast it to that"
            )
        self._add(Store(target, expr))

    @contextmanager
    def _inside(
        self, name: str, statements: list[Statement], given: Given, repeats: bool = False
    ) -> Iterator[Given]:
        """A block that is open while the caller is inside; it makes `given`."""
        self._moment += 1
        block = _Block(name, statements, {given}, self._moment if repeats else None)
        self._blocks.append(block)
        try:
            yield given
        finally:
            self._blocks.pop()

    def _add(self, statement: Statement, *makes: object) -> None:
        """Adds a statement to the innermost block; what it makes is there from then on.

        Raises `teloom.Error` for values that are not there, or not any more.
        """
        statement.location = self.locate()
        for buffer in statement.named():
            self._check_open(buffer)
        for part in walk(tuple(statement.values())):
            self._check_value(part)
        self._blocks[-1].statements.append(statement)
        self._blocks[-1].made.update(makes)
        for buffer in statement.written():
            self._write(buffer)

    def _check_value(self, part: Expr) -> None:
        if not isinstance(part, _VALUES):
            raise Error(
                f"{part} is no value in the body of an extern; take the tensor as an input, "
                "and elements of its buffer"
            )
        if isinstance(part, Local) and not self._is_open(part):
            raise Error(f"{part} is used outside of the block in which it is made")
        if isinstance(part, Element):
            self._check_open(part.buffer)
            self._load(part)

    def _is_open(self, leaf: object) -> bool:
        return any(leaf in block.made for block in self._blocks)

    def _check_open(self, buffer: Buffer) -> None:
        if buffer in self._allocated and not self._is_open(buffer):
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
        self._moment += 1
        self._written[buffer] = self._moment


def _stale(element: Element) -> str:
    return (
        f"{element} is taken before {element.buffer.name!r} is written, and used behind that; "
        "keep its value with let, or take it again"
    )


def _is_position(expr: Expr) -> bool:
    """Whether a value follows from sizes and positions of loops alone, so that it stays."""
    return expr.dtype in WIDE and not any(
        isinstance(part, Element | Kept) for part in walk((expr,))
    )


def _subscript(value: object, buffer: Buffer, axis: int) -> Expr:
    expr = subscript_expr(value, buffer.name, f"buffer {buffer.name!r}")
    extent = buffer.extents[axis]
    if isinstance(expr, Const) and (
        expr.value < 0 or (isinstance(extent, Const) and expr.value >= extent.value)
    ):
        raise Error(
            f"subscript {axis} of buffer {buffer.name!r} is {expr}, outside of its {extent}"
        )
    return expr
