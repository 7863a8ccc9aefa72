"""Whether an equation computes in a tile of its points the same as the equation of an intrinsic.

Both are compared op by op, from the results to the reads. Operands of a commutative op may be in
any order, and names do not matter. A read matches if its subscripts are those of the intrinsic
behind a start that is the same in the whole tile, whatever form both are written in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue

from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.intrinsics.texts import op_text, value_text
from teloom.dialects import te
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.equation import Equation, yielded
from teloom.dialects.upstream.arith import is_commutative


class InputWindow(NamedTuple):
    """Where an input of an intrinsic begins in a tensor: a coordinate per axis.

    Coordinates are over the axes of the equation at the first point of the tile.
    """

    tensor: SSAValue
    begins: tuple[Polynomial, ...]


Windows = Mapping[SSAValue, InputWindow]
"""By the input of the intrinsic."""


class Differs(Exception):
    """The equations compute different things; the message says where, with both sides."""


def windows_of(
    ours: Equation,
    intrinsic: te.IntrinsicOp,
    positions: Sequence[int],
    starts: Mapping[int, int],
) -> Windows:
    """The windows that are the inputs of an intrinsic in a tile of an equation.

    Axis `positions[k]` of the equation counts axis k of the intrinsic within the tile; -1 is none.
    `starts` are axes of the equation that start at a constant in every tile: subscripts that
    divide them can be compared. Raises `Differs` if the equation computes something else there.
    """
    if ours.is_reduction != intrinsic.equation.is_reduction:
        kinds = {True: "a reduction", False: "no reduction"}
        raise Differs(
            f"it is {kinds[ours.is_reduction]}, and that of @{intrinsic.sym_name.data} is "
            f"{kinds[not ours.is_reduction]}"
        )
    comparison = _Comparison(intrinsic, _coordinates(ours, intrinsic, positions, starts))
    if ours.is_reduction:
        comparison.require_same_combination(ours)
    return comparison.windows(yielded(ours.body))


def _coordinates(
    ours: Equation,
    intrinsic: te.IntrinsicOp,
    positions: Sequence[int],
    starts: Mapping[int, int],
) -> dict[SSAValue, Polynomial]:
    """The axes in a tile; those of the equation are its first point plus a point inside.

    An axis of the intrinsic is its own atom there, so that subscripts of both can be subtracted;
    one of extent 1 that is none of the equation is a number.
    """
    found: dict[SSAValue, Polynomial] = {}
    arguments = intrinsic.equation.body.block.args
    bounds = intrinsic.equation.bounds.pairs()
    for axis, (lower, _), position in zip(arguments, bounds, positions, strict=True):
        start = Polynomial.constant(lower.value)  # pyright: ignore
        if position >= 0:
            argument = ours.body.block.args[position]
            known = starts.get(position)
            first = Polynomial.of(argument) if known is None else Polynomial.constant(known)
            found[argument] = first + Polynomial.of(axis) - start
        else:
            found[axis] = start
    return found


class _Comparison:
    """Compares values of an equation with those of an intrinsic."""

    def __init__(self, intrinsic: te.IntrinsicOp, coordinates: Mapping[SSAValue, Polynomial]):
        self.intrinsic, self.coordinates = intrinsic, coordinates
        self.forms = AffineIndexForms()
        self.same: dict[SSAValue, SSAValue] = {}
        """Arguments of combinations, by those of the intrinsic."""
        self.first: tuple[int, Differs] | None = None
        """The first difference of those behind the most reads that are the same."""

    def windows(self, results: Sequence[SSAValue]) -> Windows:
        """The windows with which all results are the same."""
        theirs = yielded(self.intrinsic.equation.body)
        for found in self._all_same(list(zip(results, theirs, strict=False)), {}):
            if len(results) == len(theirs):
                return found
        if self.first is not None:
            raise self.first[1]
        raise Differs(
            f"it has {len(results)} results, @{self.intrinsic.sym_name.data} has {len(theirs)}"
        )

    def require_same_combination(self, ours: Equation) -> None:
        """Raises `Differs` unless both combine alike, from the same identity."""
        theirs = self.intrinsic.equation
        if ours.identity != theirs.identity:
            start = "its init" if ours.identity is None else ours.identity
            raise Differs(f"it starts from {start}, the intrinsic from {theirs.identity}")
        block, other = ours.combine.block, theirs.combine.block
        self.same = dict(zip(other.args, block.args, strict=True))
        pairs = list(zip(yielded(ours.combine), yielded(theirs.combine), strict=True))
        if next(self._all_same(pairs, {}), None) is None:
            assert self.first is not None
            raise self.first[1]

    def _all_same(
        self, pairs: Sequence[tuple[SSAValue, SSAValue]], windows: Windows
    ) -> Iterator[Windows]:
        """The windows, each with those given, with which both values of every pair are the same."""
        if not pairs:
            yield windows
            return
        first, *others = pairs
        for found in self._same(*first, windows):
            yield from self._all_same(others, found)

    def _same(self, ours: SSAValue, theirs: SSAValue, windows: Windows) -> Iterator[Windows]:
        op, other = ours.owner, theirs.owner
        if isinstance(op, te.ReadOp) and isinstance(other, te.ReadOp):
            yield from self._same_read(op, other, windows)
            return
        if isinstance(op, Block) or isinstance(other, Block):
            if self.same.get(theirs) is ours:
                yield windows
            else:
                self._differ(value_text(ours), value_text(theirs), windows)
            return
        if not _is_alike(op, other):
            self._differ(op_text(op), op_text(other), windows)
            return
        for operands in _orders(op):
            yield from self._all_same(list(zip(operands, other.operands, strict=True)), windows)

    def _same_read(self, ours: te.ReadOp, theirs: te.ReadOp, windows: Windows) -> Iterator[Windows]:
        found = self._window(ours, theirs)
        known = windows.get(theirs.tensor)
        if found is None or known not in (None, found):
            again = "" if found is None else ", from another start than before"
            self._differ(value_text(ours.value), value_text(theirs.value) + again, windows)
            return
        yield {**windows, theirs.tensor: found}

    def _window(self, ours: te.ReadOp, theirs: te.ReadOp) -> InputWindow | None:
        """The window of the input of a read; None if no start fits, or the read is not affine."""
        left_out = len(ours.map.data.results) - len(theirs.map.data.results)
        if left_out < 0 or ours.value.type != theirs.value.type:
            return None
        if _element(ours.tensor) != _element(theirs.tensor):
            return None
        mine, other = self._subscripts(ours), self._subscripts(theirs)
        zeros = [Polynomial.constant(0)] * left_out
        begins = tuple(one - two for one, two in zip(mine, [*zeros, *other], strict=True))
        block = ours.parent
        assert block is not None
        if not all(_is_place(atom, block) for form in begins for atom in form.atoms()):
            return None
        return InputWindow(ours.tensor, begins)

    def _subscripts(self, read: te.ReadOp) -> list[Polynomial]:
        """The subscripts of a read in a tile."""
        found = self.forms.of_exprs(read.map.data.results, read.operands_)
        for axis, coordinate in self.coordinates.items():
            found = [form.substitute(axis, coordinate) for form in found]
        return found

    def _differ(self, ours: str, theirs: str, windows: Windows) -> None:
        """Notes a difference; of other orders of operands, those count that come as far."""
        if self.first is None or self.first[0] < len(windows):
            name = self.intrinsic.sym_name.data
            text = f"it computes {ours} where @{name} computes {theirs}"
            self.first = len(windows), Differs(text)


def _orders(op: Operation) -> Iterator[Sequence[SSAValue]]:
    """The operands in each order that gives the same."""
    yield op.operands
    if is_commutative(op):
        yield [op.operands[1], op.operands[0]]


def _is_alike(op: Operation, other: Operation) -> bool:
    """Whether two ops do the same with operands; those with regions do not."""
    return (
        type(op) is type(other)
        and op.properties == other.properties
        and not op.regions
        and [one.type for one in op.operands] == [one.type for one in other.operands]
        and [one.type for one in op.results] == [one.type for one in other.results]
    )


def _element(tensor: SSAValue) -> object:
    assert isinstance(tensor.type, TensorType)
    return tensor.type.get_element_type()


def _is_place(atom: object, block: Block) -> bool:
    """Whether an atom of a start is an axis of the equation, a size, or a division."""
    if not isinstance(atom, SSAValue):
        return True
    owner = atom.owner
    return isinstance(owner, Block) and (owner is block or isinstance(owner.parent_op(), te.FuncOp))
