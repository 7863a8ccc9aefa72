"""How an op of any dialect, also a plug-in's, becomes known to all passes: interfaces and rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from teloom.errors import PassError

R = TypeVar("R")


class Rules(dict[type, R | None]):
    """What one step of the compiler does with each op: a rule by the op's class.

    The table is open: who defines an op adds its rule, `TABLE[MyOp] = rule`, when the op is
    imported; xDSL's ops and Teloom's own stand in the same table. A rule for a base class, such
    as an interface, is that of the classes below it which have none of their own.

    >>> rules = Rules({Exception: "any", KeyError: "key"})
    >>> rules[KeyError], rules[IndexError], rules[int]
    ('key', 'any', None)
    """

    def __init__(self, rules: Mapping[type, R] = MappingProxyType({})):
        super().__init__(rules)
        self._inherited: set[type] = set()

    def __missing__(self, kind: type) -> R | None:
        bases = (base for base in kind.__mro__[1:] if base in self and base not in self._inherited)
        found = next((self[base] for base in bases), None)
        super().__setitem__(kind, found)
        self._inherited.add(kind)
        return found

    def __setitem__(self, kind: type, rule: R | None) -> None:
        if not isinstance(kind, type):
            raise PassError(f"a rule is for the class of an op, got {kind!r}")
        self._forget_inherited()
        super().__setitem__(kind, rule)

    def __delitem__(self, kind: type) -> None:
        self._forget_inherited()
        super().__delitem__(kind)

    def _forget_inherited(self) -> None:
        for kind in self._inherited:
            super().__delitem__(kind)
        self._inherited.clear()


identity = cache(AffineMap.identity)
"""The map of an access that has one operand per axis."""


class MatrixRows(NamedTuple):
    """So many rows, of `columns` elements one behind the other, that begin a `distance` apart."""

    count: int
    columns: int
    distance: int

    @property
    def span(self) -> int:
        """How many elements there are from the first to the last, with those between rows."""
        return (self.count - 1) * self.distance + self.columns

    @property
    def place(self) -> AffineMap:
        """How far behind the first one an element is, by its number, row by row."""
        number = AffineExpr.dimension(0)
        row, column = number // self.columns, number % self.columns
        return AffineMap(1, 0, (row * self.distance + column,))


class Access(NamedTuple):
    """What an op does with elements of a buffer, or of a tensor of the `loop` dialect.

    The buffer is the operand of `op` at `position`; the operands behind it are those of `map`,
    which gives one subscript per axis. An op on buffers has one operand per axis: passes give
    it others. Without a map it may be any elements, now or later.

    What neither reads nor writes, as a prefetch, needs no element, nor that there is one.
    `value` is the operand that is written, or the result that is read, if there is one. A
    vector is of elements one behind the other on the last axis, or of those that `mask` says.
    With `rows` it is of these, along the only axis.
    """

    op: Operation
    position: int
    map: AffineMap | None = None
    reads: bool = False
    writes: bool = False
    value: SSAValue | None = None
    mask: SSAValue | None = None
    rows: MatrixRows | None = None

    @property
    def buffer(self) -> SSAValue:
        return self.op.operands[self.position]

    @property
    def is_known(self) -> bool:
        """Whether it is to the elements that its subscripts say, and to no others."""
        return self.map is not None

    @property
    def is_needed(self) -> bool:
        """Whether it needs elements, and not just the buffer or its address."""
        return self.reads or self.writes

    @property
    def lanes(self) -> int:
        """How many elements it is to, or at most."""
        if self.rows is not None:
            return self.rows.span
        of, buffer = self.value and self.value.type, self.buffer.type
        if not isinstance(of, VectorType) or not isinstance(buffer, MemRefType):
            return 1
        return 1 if of == buffer.element_type else of.element_count()

    @property
    def subscripts(self) -> Sequence[AffineExpr]:
        """The subscripts of the first element, over `indices`."""
        assert self.map is not None
        return self.map.results

    @property
    def indices(self) -> Sequence[SSAValue]:
        """The values that the subscripts are over: on a buffer, the subscripts themselves."""
        assert self.map is not None
        return self.op.operands[self.position + 1 : self.position + 1 + self.map.num_dims]

    def move(self, buffer: SSAValue, indices: Sequence[SSAValue]) -> None:
        """Lets the op access other elements, or another buffer."""
        behind = self.op.operands[self.position + 1 + len(self.indices) :]
        self.op.operands = [*self.op.operands[: self.position], buffer, *indices, *behind]


class AccessingOp(ABC):
    """An op that touches memory through its operands, and otherwise does nothing but compute.

    All passes that move memory, or change the order of accesses, ask for them: where storage is
    shared or doubled, where loops become lanes, which run such an op one after the other if it has
    no rule for all at once, and where accesses are checked.
    """

    @abstractmethod
    def accesses(self) -> Sequence[Access]:
        """All that it accesses, at least one of each buffer that it has as an operand."""


class ScalarOp(ABC):
    """An op that computes its one result from its operands alone, for each element the same.

    It goes from an equation to machine code: lanes of vectors compute it at once, the
    interpreter evaluates it, and `lower-to-llvm` asks it for its code. Its operands and its
    result may be vectors in the place of scalars, and it has no effect: it is `Pure`.
    """

    @abstractmethod
    def evaluate(self, operands: Sequence[Any]) -> Any:
        """The result at many points, of NumPy arrays that hold an operand at each of these."""

    @abstractmethod
    def to_llvm(self, builder: Any) -> SSAValue:
        """The result, computed by ops of the `llvm` dialect.

        `builder` is a `teloom.passes.llvm.builder.Builder`; the operands are the machine's by
        then: scalars, or vectors of one axis.
        """

    def to_c(self, operands: Sequence[Any], writer: Any) -> Any:
        """The result as an expression of C, of scalars; an op without one is not written in C.

        Operands and result are of `teloom.backend.c.expressions`, and `writer` is a
        `teloom.backend.c.writer.FunctionWriter`. Lanes of vectors are written one by one.
        """
        assert isinstance(self, Operation)
        raise PassError(f"cannot write {self.name} in C", self)


class PluginCommand(ABC):
    """A command of a schedule that is no op of the `schedule` dialect; also a `CommandOp`."""

    @classmethod
    @abstractmethod
    def primitive(cls) -> type[Any]:
        """The pattern that carries it out: a `Primitive` of `passes.schedule.primitives`."""
