"""Writes the body of one function: statements, names, and which values stand where they are used.

A value stands in the expression of its one use, if that is in the same block and nothing lies
between that changes what it reads. Any other one is a variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from teloom.analysis.index.value_ranges import ValueRanges
from teloom.analysis.memory.shared_bytes import is_distinct
from teloom.backend.c.expressions import (
    LANE,
    SUM,
    CExpr,
    binary,
    call,
    cast,
    integer,
    name,
)
from teloom.backend.c.helpers import helper_name
from teloom.backend.c.names import Scopes
from teloom.backend.c.needed import is_one_number
from teloom.backend.c.types import (
    BOOL,
    F32,
    I32,
    POINTER,
    NumberType,
    is_pointer,
    lanes_of,
    number_of,
)
from teloom.dialects.interfaces import Rules
from teloom.dialects.upstream.functions import is_public
from teloom.errors import PassError

LONGEST = 88
"""The characters of the longest expression that a value is written as where it is used."""

_REPEATED = 24
"""The characters of the longest expression that is written at each of several uses."""


class SourceParts:
    """What the functions of one source share: options, and what has to stand in front of them."""

    def __init__(self, extension: bool):
        self.extension = extension
        """Whether vectors are those of the compiler's extension, or else structures."""
        self.functions: dict[str, func.FuncOp] = {}
        self.names: dict[str, str] = {}
        self.failing: frozenset[str] = frozenset()
        self.includes: dict[str, None] = {"stdint.h": None}
        self.helpers: dict[tuple[str, NumberType, NumberType | None], None] = {}
        self.vectors: dict[tuple[NumberType, int], None] = {}
        self.accesses: dict[tuple[NumberType, int, int], None] = {}
        self.macros: dict[str, None] = {}
        self.assertions: list[str] = []
        self.aliased: dict[NumberType, None] = {}
        self.shorts: dict[NumberType, None] = {}
        self.wide: set[str] = set()
        """The functions that use whole registers of vectors."""

    def include(self, header: str) -> None:
        self.includes[header] = None

    def vector_type(self, type: NumberType, lanes: int) -> str:
        """The name of the type of a vector."""
        if self.extension and lanes & (lanes - 1):
            raise PassError(
                f"GCC and Clang have no vectors of {lanes} lanes, only of powers of two; "
                "write the vectors as loops"
            )
        self.vectors[type, lanes] = None
        return f"{type.short}x{lanes}"

    def access_type(self, type: NumberType, lanes: int, alignment: int) -> str:
        """The name of a vector in memory, which begins at a multiple of `alignment` bytes."""
        self.vector_type(type, lanes)
        self.accesses[type, lanes, alignment] = None
        return f"{type.short}x{lanes}_at{alignment}"


class FunctionWriter:
    """Writes one function."""

    def __init__(self, parts: SourceParts, rules: Rules[Rule], scopes: Scopes):
        self.parts, self.rules, self.scopes = parts, rules, scopes
        self.lines: list[str] = []
        self.indent = 1
        self.values: dict[SSAValue, CExpr] = {}
        self.elements: dict[SSAValue, NumberType] = {}
        """What buffers hold, of those of which the signature says it."""
        self.constant: set[SSAValue] = set()
        """The buffers that nothing writes."""
        self.roots: dict[SSAValue, SSAValue] = {}
        self.ranges = ValueRanges()
        self.live: list[str] = []
        """The allocated buffers that a failure has to free, the oldest first."""
        self.failure: str | None = None
        """In a parallel loop, the label behind the body; a failure cannot return there."""
        self.live_outside = 0
        self.is_parallel = False
        """Whether a parallel loop is around: one in it is serial."""
        self.returns_status = True
        self.streams = False
        self.stack_bytes = 0
        self.has_vectors = False
        self.needed: set[Operation] = set()
        """The ops that are written; the others give what nothing uses."""
        self._pending: dict[SSAValue, None] = {}
        self._labels = 0

    # Lines

    def line(self, text: str) -> None:
        self.lines.append(text if text.startswith("#") else "  " * self.indent + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """The lines written inside stand in braces behind `head`."""
        self.line(f"{head} {{")
        self.scopes.enter()
        self.indent += 1
        yield
        self.indent -= 1
        self.scopes.leave()
        self.line("}")

    def label(self) -> str:
        """A new label."""
        self._labels += 1
        return f"failed{self._labels}"

    # Values

    def use(self, value: SSAValue) -> CExpr:
        """The expression of a value; one that was deferred now stands where this one is put."""
        self._pending.pop(value, None)
        return self.values[value]

    def atom(self, value: SSAValue) -> CExpr:
        """The value as a name or a literal."""
        found = self.use(value)
        if not found.is_atom:
            found = self.values[value] = self.variable(found, value.name_hint)
        return found

    def scalars(self, op: Operation) -> list[CExpr]:
        """The operands of an op; of vectors, the lane at `LANE`."""
        return [self.lane(self.use(operand)) for operand in op.operands]

    def define(self, value: SSAValue, expr: CExpr) -> None:
        """Says what a value is; it becomes a variable where it cannot stand at its uses."""
        uses = [use for use in value.uses if use.operation in self.needed]
        if not uses:
            return
        if (expr.is_atom and expr.form != "lane") or self._may_repeat(expr, uses):
            self.values[value] = expr
        elif len(uses) == 1 and self._may_wait(value, uses[0].operation, expr):
            self.values[value] = expr
            self._pending[value] = None
        else:
            self.values[value] = self.variable(expr, value.name_hint)

    def is_used(self, value: SSAValue) -> bool:
        """Whether an op that is written uses a value."""
        return any(use.operation in self.needed for use in value.uses)

    def _may_repeat(self, expr: CExpr, uses: Sequence[Any]) -> bool:
        is_small = expr.rank >= SUM and len(expr.text) <= _REPEATED and "(" not in expr.text
        return is_small and expr.type.is_integer and not (expr.reads or expr.lanes)

    def _may_wait(self, value: SSAValue, user: Operation, expr: CExpr) -> bool:
        owner = value.owner
        here = owner if isinstance(owner, Block) else owner.parent
        return user.parent is here and len(expr.text) <= LONGEST

    def variable(self, expr: CExpr, hint: str | None = None) -> CExpr:
        """A new variable that holds the value of an expression."""
        named = self.scopes.new(hint)
        if not expr.lanes:
            self.line(f"{_constant_text(expr.type)}{named} = {expr.text};")
            return name(named, expr.type)
        if expr.form == "lane":
            self.declare(named, expr.type, expr.lanes)
            self.assign(named, expr)
        else:
            whole = self.whole(expr)
            self.line(f"const {self.type_text(whole.type, expr.lanes)} {named} = {whole.text};")
        return replace(name(named, expr.type), lanes=expr.lanes, form="whole")

    def type_text(self, type: NumberType, lanes: int) -> str:
        """A scalar, or a vector, as a variable holds it."""
        return self.parts.vector_type(type, lanes) if lanes else type.spelled

    def declare(self, named: str, type: NumberType, lanes: int = 0) -> None:
        """A variable without a value yet."""
        self.line(f"{self.type_text(type, lanes)} {named};")

    def assign(self, target: str, expr: CExpr) -> None:
        """`target = expr`, lane by lane where the vector is one of lanes."""
        if expr.lanes and expr.form == "lane":
            element = f"{target}{self._member}[{LANE}]"
            self.each_lane(expr.lanes, f"{element} = {expr.text};")
        else:
            self.line(f"{target} = {self.whole(expr).text};")

    def each_lane(self, lanes: int, statement: str) -> None:
        """A loop over the lanes of a vector."""
        self.line(f"for (int {LANE} = 0; {LANE} < {lanes}; ++{LANE}) {statement}")

    @property
    def _member(self) -> str:
        return "" if self.parts.extension else ".lane"

    def element(self, vector: CExpr, at: str) -> CExpr:
        """The lane of a vector that is a variable."""
        text = f"{vector.text}{self._member}[{at}]"
        if at == LANE and self.parts.extension and vector.type.family != "b":
            # In memory: a lane of a register with a variable number is slow.
            self.parts.aliased[vector.type] = None
            text = f"((const {vector.type.short}_aliased *)&{vector.text})[{at}]"
        if vector.type.family == "m":
            return replace(binary("!=", name(text, I32), integer(0, I32), BOOL), lanes=0)
        return name(text, vector.type)

    def lane(self, expr: CExpr) -> CExpr:
        """A vector as the text of its lane at `LANE`; a scalar as it is."""
        match expr.form:
            case "":
                return expr
            case "splat":
                return replace(expr, lanes=0, form="")
            case "lane":
                return replace(expr, lanes=0, form="")
            case _:
                return self.element(self.held(expr), LANE)

    def whole(self, expr: CExpr) -> CExpr:
        """A vector as one value of the compiler; a scalar as it is."""
        if not expr.lanes or expr.form == "whole":
            return expr
        if expr.form == "splat" and self.parts.extension and expr.type.family != "b":
            zero = f"({self.parts.vector_type(expr.type, expr.lanes)}){{0}}"
            if expr.text in ("0", "0.0", "0.0f"):
                return replace(name(zero, expr.type), lanes=expr.lanes, form="whole")
            scalar = replace(expr, lanes=0, form="")
            # Subtraction: the sum of -0.0 and 0.0 is 0.0.
            whole = binary("-", scalar, name(zero, expr.type), expr.type)
            return replace(whole, lanes=expr.lanes, form="whole", literal=None)
        return self.variable(replace(expr, form="lane"))

    def held(self, expr: CExpr) -> CExpr:
        """A vector as a variable."""
        whole = self.whole(expr)
        return whole if whole.text.isidentifier() and not whole.reads else self.variable(whole)

    # Effects

    def root(self, buffer: SSAValue) -> SSAValue:
        """The buffer that `buffer` is a view of, or itself."""
        return self.roots.get(buffer, buffer)

    def settle(self, written: SSAValue | None = None) -> None:
        """Gives variables to the values that wait and read memory, before it is written.

        Without `written` it may be any memory.
        """
        for value in [*self._pending]:
            reads = self.values[value].reads
            if reads and (written is None or any(self.may_meet(one, written) for one in reads)):
                self.atom_of_pending(value)

    def atom_of_pending(self, value: SSAValue) -> None:
        self.values[value] = self.variable(self.use(value), value.name_hint)

    def may_meet(self, one: SSAValue, other: SSAValue) -> bool:
        """Whether two buffers that are no views may have an element in common."""
        if one is other:
            return True
        return not (self.is_apart(one) or self.is_apart(other))

    def is_apart(self, buffer: SSAValue) -> bool:
        """Whether no other buffer, but its views, has an element in common with a buffer."""
        if is_distinct(buffer):
            return True
        function = buffer.owner.parent_op()
        is_given = isinstance(buffer, BlockArgument)
        return is_given and isinstance(function, func.FuncOp) and is_public(function)

    # Failure

    def fail_if(self, condition: str, status: str) -> None:
        """Leaves the function with a status, or the body of a parallel loop, where it fails."""
        with self.block(f"if ({condition})"):
            for named in reversed(self.live[self.live_outside :]):
                self.line(f"free({named});")
            if self.failure is None:
                self.line(f"return {status};")
                return
            self.line("#ifdef _OPENMP")
            self.line("#pragma omp atomic write")
            self.line("#endif")
            self.line(f"status = {status};")
            self.line(f"goto {self.failure};")

    # Helpers

    def help(
        self, kind: str, type: NumberType, operands: list[CExpr], source: NumberType | None = None
    ):
        """A call of a helper on operands of `type`, or of `source`."""
        self.parts.helpers[kind, type, source] = None
        named = source if kind in ("to_integer", "convert") else None
        return call(helper_name(kind, type, named), operands, type)

    def widen(self, value: CExpr) -> CExpr:
        """A float of 16 bits as one of 32; any other as it is."""
        if not value.type.is_short:
            return value
        return replace(self.help("convert", F32, [value], value.type), lanes=0)

    def narrow(self, value: CExpr, type: NumberType) -> CExpr:
        """A float in another type of floats."""
        if value.type == type:
            return value
        if value.type.is_short or type.is_short:
            return self.help("convert", type, [value], value.type)
        return cast(value, type)

    # Ops

    def ops(self, block: Block) -> None:
        """Writes all ops of a block but its terminator, which `yielded` is for."""
        for op in block.ops:
            if op is block.last_op and op.name in _TERMINATORS:
                return
            self.op(op)

    def op(self, op: Operation) -> None:
        """Writes one op, by its rule."""
        if op not in self.needed:
            return
        self.has_vectors |= any(isinstance(one.type, VectorType) for one in op.results)
        if is_one_number(op, self.ranges):
            (result,) = op.results
            self.values[result] = integer(self.ranges.of(result)[0], number_of(result.type))
            return
        rule = self.rules[type(op)]
        if rule is None:
            raise PassError(f"cannot write {op.name} in C", op)
        try:
            rule(op, self)
        except PassError as error:
            raise error.at(op)

    def argument(self, value: SSAValue, hint: str | None = None) -> CExpr:
        """Names a block argument, as `hint` or itself says; that name is its value then."""
        named = self.scopes.new(hint or value.name_hint)
        if is_pointer(value.type):
            self.values[value] = name(named, POINTER)
        else:
            lanes = lanes_of(value.type)
            found = name(named, number_of(value.type))
            self.values[value] = replace(found, lanes=lanes, form="whole" if lanes else "")
        return self.values[value]

    def results(self, values: Iterable[SSAValue]) -> list[CExpr]:
        """Declares the variables that hold the results of an op with regions."""
        found: list[CExpr] = []
        for value in values:
            expr = self.argument(value)
            self.declare(expr.text, expr.type, expr.lanes)
            found.append(expr)
        return found

    def set_all(self, targets: Sequence[CExpr], values: Sequence[CExpr]) -> None:
        """Assigns values to variables, as if at once."""
        pairs = [(t, v) for t, v in zip(targets, values, strict=True) if t.text != v.text]
        late = [_mentions(v.text, (t for t, _ in pairs[:k])) for k, (_, v) in enumerate(pairs)]
        settled = [
            (t, self.variable(self.typed(v, t)) if is_late else v)
            for (t, v), is_late in zip(pairs, late, strict=True)
        ]
        for target, value in settled:
            self.assign(target.text, self.typed(value, target))

    def typed(self, value: CExpr, like: CExpr) -> CExpr:
        """A value in the type of a variable: a mask becomes lanes of truth values."""
        if value.type == like.type or not value.lanes or value.form != "whole":
            return value
        if value.type.family == "m":
            return replace(self.lane(value), lanes=value.lanes, form="lane")
        vector = self.parts.vector_type(like.type, like.lanes)
        return replace(value, text=f"({vector}){value.at_least(8)}", rank=8, type=like.type)


def _constant_text(type: NumberType) -> str:
    return "void *const " if type == POINTER else f"const {type.spelled} "


def _mentions(text: str, names: Iterable[CExpr]) -> bool:
    words = set(_words(text))
    return any(one.text in words for one in names)


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() or c == "_" else " " for c in text).split()


_TERMINATORS = frozenset({"scf.yield", "scf.condition", "scf.reduce"})

Rule = Callable[[Any, FunctionWriter], None]
"""Writes one op."""
