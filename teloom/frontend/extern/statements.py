"""The statements of an extern's body: what every way to write one makes, and all that is emitted.

    for i in begin .. end (serial, parallel, vectorized, unrolled) { ... }     Loop
    while condition { ... }                                                    While
    if condition { ... } else { ... }                                          Branch
    assert condition, "message"                                                Check
    buffer[i, ...] = value                                                     Store
    name = value                                                               Keep
    buffer = memory of extents                                                 Allocate
    function(pointer or number, ...)                                           CallStatement

`te.ir_builder` checks them as it notes them, and `te.hybrid` notes those of a script by it; calls
may stand alone. `te.extern` and tensor intrinsics check which buffers they use. Values are
expressions of sizes, positions of loops, elements of buffers and values that were kept.
"""

from __future__ import annotations

from _ctypes import CFuncPtr
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from teloom.backend.call.callbacks import CtypesFunction
from teloom.dialects.loop.kinds import LoopKind
from teloom.errors import Error
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Expr, as_expr, texts, walk
from teloom.frontend.expr.names import function_name
from teloom.frontend.extern.pure_calls import PureCall, call_pure_extern
from teloom.frontend.source_location import SourceLocation
from teloom.frontend.tensor.buffers import Buffer, Pointer
from teloom.frontend.tensor.tensors import TensorRegion, TensorSlice


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
class Local(Expr):
    """Base of the values that have a name in a block, and in those inside of it."""

    name: str
    dtype: str

    def text(self, depth: int) -> str:
        return self.name


class LoopVar(Local):
    """The position of a loop."""


class Kept(Local):
    """A value computed by a statement of its own, for those behind it."""


Argument = Pointer | Expr


@dataclass(frozen=True, eq=False)
class ExternCall:
    """A call of a C function, by its name in this process or as ctypes has it.

    What it returns is of `dtype`, or nothing, and is dropped; as the value of an equation it is
    what the function gives.
    """

    dtype: str | None
    function: str | CtypesFunction
    arguments: tuple[Argument, ...]

    @property
    def name(self) -> str:
        if isinstance(self.function, str):
            return self.function
        return getattr(self.function.function, "__name__", "function")

    def as_scalar(self) -> Expr:
        """The result of the function; raises `teloom.Error` if it gets pointers, or has none."""
        function = self.function if isinstance(self.function, str) else self.function.function
        if self.dtype is None or any(isinstance(one, Pointer) for one in self.arguments):
            raise Error(
                f"call_extern of {self.name} is no value, as it gets pointers or gives nothing; "
                "te.extern runs it"
            )
        return call_pure_extern(self.dtype, function, *self.arguments)


@dataclass(frozen=True, eq=False)
class PackedCall:
    """A call of a Python function with arrays and numbers; what it returns is dropped.

    `Buffer.data` stands for the array, a pointer with an offset for the address of an element.
    """

    function: Callable[..., object]
    arguments: tuple[Argument, ...]

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)


Call = ExternCall | PackedCall


class Statement:
    """Base of what a body does; `location` is the line of the user's program that says it."""

    location: SourceLocation

    def values(self) -> Sequence[Expr]:
        """The expressions that it computes itself, without those in its bodies."""
        return ()

    def bodies(self) -> Sequence[list[Statement]]:
        """The statements that it decides about."""
        return ()

    def named(self) -> Sequence[Buffer]:
        """The buffers that it stores to or passes on itself."""
        return ()

    def written(self) -> Sequence[Buffer]:
        """The buffers among `named` that it may write."""
        return ()

    def stored(self) -> Sequence[Buffer]:
        """The buffers among `written` that code declares to store: they cannot be inputs."""
        return ()


@dataclass(eq=False)
class Store(Statement):
    """`target = value`."""

    target: Element
    value: Expr

    def values(self) -> Sequence[Expr]:
        return (*self.target.indices, self.value)

    def named(self) -> Sequence[Buffer]:
        return (self.target.buffer,)

    written = stored = named


@dataclass(eq=False)
class Keep(Statement):
    """Computes a value once."""

    kept: Kept
    value: Expr

    def values(self) -> Sequence[Expr]:
        return (self.value,)


@dataclass(eq=False)
class Allocate(Statement):
    """A buffer of the body's own, which lives until the end of the statements it is among."""

    buffer: Buffer

    def values(self) -> Sequence[Expr]:
        return self.buffer.extents


@dataclass(eq=False)
class Loop(Statement):
    """Its body for every position from `begin` up to, not including, `end`."""

    var: LoopVar
    begin: Expr
    end: Expr
    kind: LoopKind
    body: list[Statement]

    def values(self) -> Sequence[Expr]:
        return (self.begin, self.end)

    def bodies(self) -> Sequence[list[Statement]]:
        return (self.body,)


@dataclass(eq=False)
class While(Statement):
    """Its body again and again, as long as a condition holds that is computed before each time."""

    condition: Expr
    body: list[Statement]

    def values(self) -> Sequence[Expr]:
        return (self.condition,)

    def bodies(self) -> Sequence[list[Statement]]:
        return (self.body,)


@dataclass(eq=False)
class Check(Statement):
    """Ends the call with a message, unless a condition holds."""

    condition: Expr
    message: str

    def values(self) -> Sequence[Expr]:
        return (self.condition,)


@dataclass(eq=False)
class Branch(Statement):
    """One of two bodies, by a condition; without an `else_body`, one or nothing."""

    condition: Expr
    then_body: list[Statement]
    else_body: list[Statement] | None = None

    def values(self) -> Sequence[Expr]:
        return (self.condition,)

    def bodies(self) -> Sequence[list[Statement]]:
        return (self.then_body, self.else_body or [])


@dataclass(eq=False)
class CallStatement(Statement):
    """A call of other code."""

    call: Call

    def values(self) -> Sequence[Expr]:
        numbers = [a.offset if isinstance(a, Pointer) else a for a in self.call.arguments]
        return [number for number in numbers if number is not None]

    def named(self) -> Sequence[Buffer]:
        return [pointer.buffer for pointer in self._pointers]

    def written(self) -> Sequence[Buffer]:
        return [pointer.buffer for pointer in self._pointers if pointer.writes]

    def stored(self) -> Sequence[Buffer]:
        elements = [pointer for pointer in self._pointers if pointer.offset is not None]
        return [pointer.buffer for pointer in elements if pointer.writes]

    @property
    def _pointers(self) -> Sequence[Pointer]:
        return [one for one in self.call.arguments if isinstance(one, Pointer)]


def all_of(statements: Sequence[Statement]) -> Iterator[Statement]:
    """The statements and those in them, in the order of the text."""
    for statement in statements:
        yield statement
        for body in statement.bodies():
            yield from all_of(body)


def elements_in(statement: Statement) -> list[Element]:
    """The elements that a statement loads itself."""
    return [part for part in walk(tuple(statement.values())) if isinstance(part, Element)]


def call_extern(dtype: str, func_name: object, *args: object) -> ExternCall | PureCall:
    """A call of a C function: its name, or a function of ctypes; it returns `dtype` or "void".

    In an equation, among the arguments elements of tensors, it is `te.call_pure_extern`. In the
    body of an extern it is a statement:

    An argument is a pointer, `buffer.access_ptr("r")`, a buffer, of which the address of
    the first element is passed, or a number, which is passed as its dtype says. The result
    is dropped. The function reads and writes nothing but what it gets pointers to.
    Raises `teloom.Error` for other arguments. Source: TVM's tir.call_extern.

    >>> call_extern("float64", "hypot", 3.0, 4.0).name
    'hypot'
    """
    known = None if dtype in ("", "void") else dtypes.checked_name(dtype)
    if known is not None and any(map(_has_elements, args)):
        return call_pure_extern(known, func_name, *args)
    if isinstance(func_name, str):
        name = function_name(func_name)
        return ExternCall(known, name, _arguments(args, name))
    if not isinstance(func_name, CFuncPtr):
        raise Error(f"call_extern wants a name or a function of ctypes, got {func_name!r}")
    name = getattr(func_name, "__name__", "the function")
    return ExternCall(known, CtypesFunction(func_name), _arguments(args, name))


def call_packed(function: Callable[..., object], *args: object) -> PackedCall:
    """A call of a Python function; a buffer, or its `data`, is a NumPy array, a number a number.

    What `access_ptr` gives is the address of an element, as a number.

    The arrays have the shape and strides of the buffers and use their memory; those of
    inputs are read-only. They are valid during the call only. If the function raises, the
    compiled function stops, and raises `teloom.KernelError` from that.
    Raises `teloom.Error` for other arguments. Source: TVM's tir.call_packed.

    >>> call_packed(print, 1).name
    'print'
    """
    if not callable(function):
        raise Error(f"call_packed wants a function of Python, got {function!r}")
    name = getattr(function, "__name__", "the function")
    arrays = [value.data if isinstance(value, Buffer) else value for value in args]
    return PackedCall(function, _arguments(arrays, name))


def _has_elements(value: object) -> bool:
    """Whether a value of an equation is computed from elements of tensors."""
    return isinstance(value, Expr) and any(isinstance(one, TensorSlice) for one in walk((value,)))


def _arguments(values: Sequence[object], name: str) -> tuple[Argument, ...]:
    return tuple(_argument(value, name) for value in values)


def _argument(value: object, name: str) -> Argument:
    if isinstance(value, Buffer):
        return value.access_ptr("r")
    if isinstance(value, Pointer):
        return value
    expr = as_expr(value)
    for part in walk((expr,)):
        if isinstance(part, TensorSlice | TensorRegion):
            raise Error(f"{name} gets {part}, which is no number in an extern; pass a buffer")
    return expr
