"""Facts about equations for the rules: extents, reads as affine maps, work."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import prod
from types import MappingProxyType
from typing import NamedTuple

from xdsl.ir.affine import (
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from teloom.dialects.affine.linear_forms import LinearTerms, linear_terms
from teloom.dialects.bodies.postorder import postorder
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.affine_forms import AffineForms, parts_of_position
from teloom.frontend.expr.expressions import Apply, Cast, Const, Expr, IfThenElse, Var, walk
from teloom.frontend.tensor.data_bounds import is_from_data, is_from_point, reads_data
from teloom.frontend.tensor.reductions import Reduce
from teloom.frontend.tensor.tensors import ComputeOp, IterVar, Operation, Tensor, TensorSlice

SYMBOLIC = 1024
"""The extent that rules assume for an axis that only the call knows, to compare work."""

SLOW = 10
"""The work of an elementary function, in additions."""

HEAVY = 16
"""The work of a term, in additions, beside which that of a loop is nothing."""

SLOW_FUNCTIONS = frozenset(
    "exp erf tanh sigmoid log log1p log2 log10 sin cos tan sinh cosh asin asinh acos acosh atan "
    "atan2 atanh power divide sqrt rsqrt fmod floordiv ceildiv floormod truncdiv truncmod".split()
)


def known(extent: Expr | int) -> int | None:
    """An extent, if it is known."""
    return int(extent) if isinstance(extent, Const | int) else None


def known_extent(axis: IterVar) -> int | None:
    """The extent of an axis, if it is known."""
    return None if axis.dom is None else known(axis.dom.extent)


def extent_of(axis: IterVar) -> int:
    """The extent of an axis, or the assumed one."""
    found = known_extent(axis)
    return SYMBOLIC if found is None else found


def extents_of(tensor: Tensor) -> list[int]:
    """The extents of a tensor, or the assumed ones."""
    found = map(known, tensor.extents)
    return [SYMBOLIC if extent is None else extent for extent in found]


def boxes_in(axes: Sequence[IterVar], sides: Mapping[int | None, int]) -> int:
    """How many boxes cover some axes; `sides` are longer than 1 along those of these numbers."""
    return prod(-(-extent_of(axis) // sides.get(k, 1)) for k, axis in enumerate(axes))


def _is_still(axis: IterVar) -> bool:
    """Whether an axis has position 0 alone."""
    return axis.dom is not None and known_extent(axis) == 1 and known(axis.dom.min) == 0


def bytes_of(tensor: Tensor) -> int:
    """The size of a tensor."""
    return prod(extents_of(tensor)) * dtypes.of(tensor.dtype).bytes


def is_box(op: ComputeOp) -> bool:
    """Whether the axes of an equation are a box: bounded by neither data nor other axes."""
    return not op.domain and not any(map(is_from_point, op.reduce_axis))


def has_data_bounds(op: ComputeOp) -> bool:
    """Whether data bounds an axis of an equation."""
    return any(map(is_from_data, op.reduce_axis))


TensorNow = Callable[[Tensor], Tensor]


def unchanged(tensor: Tensor) -> Tensor:
    """The tensor itself: no command has changed its operation."""
    return tensor


def are_independent(one: Operation, other: Operation, result_now: TensorNow) -> bool:
    """Whether neither of two operations reads the other, also through others."""
    return not _depends(one, other, result_now) and not _depends(other, one, result_now)


def _depends(op: Operation, on: Operation, result_now: TensorNow) -> bool:
    pending, seen = [op], {op}
    while pending:
        for made in {result_now(tensor).op for tensor in pending.pop().input_tensors} - seen:
            if made is on:
                return True
            seen.add(made)
            pending.append(made)
    return False


class Subscript(NamedTuple):
    """A subscript of a read: the axes that it mentions, and its coefficients if it is affine."""

    axes: frozenset[IterVar]
    coefficients: Mapping[IterVar, int] | None
    constant: int
    is_data: bool
    number: int = 0
    """Tells an equation's subscripts apart that are not affine: those that are alike have one."""
    steps: Mapping[IterVar, int] = MappingProxyType({})
    """Of a subscript that is not affine, the coefficients of axes that it adds to the rest."""
    shared: frozenset[IterVar] = frozenset()
    """Axes whose quotients it adds to the rest: neighbours share a position, or go on by one."""

    @property
    def known(self) -> Mapping[IterVar, int]:
        """The coefficients of the axes that have one."""
        return self.steps if self.coefficients is None else self.coefficients

    @property
    def is_axis(self) -> bool:
        """Whether it is an axis itself."""
        found = self.coefficients
        return found is not None and [*found.values()] == [1] and not self.constant

    def is_position(self, axis: IterVar) -> bool:
        """Whether it is the position on an axis; others that it mentions have position 0 alone."""
        found = self.coefficients
        if found is None or self.constant:
            return False
        return {one: of for one, of in found.items() if not _is_still(one)} == {axis: 1}


class Read(NamedTuple):
    """An element that an equation reads."""

    tensor: Tensor
    subscripts: tuple[Subscript, ...]

    @property
    def is_data_dependent(self) -> bool:
        """Whether data decides which element it is."""
        return any(one.is_data for one in self.subscripts)

    def mentions(self, axis: IterVar) -> bool:
        """Whether the element depends on the position on an axis."""
        return any(axis in one.axes for one in self.subscripts)

    def dimension(self, axis: IterVar) -> int | None:
        """The dimension whose position is that on an axis, which no other dimension mentions."""
        found = [number for number, one in enumerate(self.subscripts) if axis in one.axes]
        is_alone = len(found) == 1 and self.subscripts[found[0]].is_position(axis)
        return found[0] if is_alone else None

    def steps_by_one(self, axis: IterVar) -> bool:
        """Whether the next iteration of an axis reads the next position of one dimension."""
        found = [one.coefficients for one in self.subscripts if axis in one.axes]
        return len(found) == 1 and found[0] is not None and found[0][axis] == 1

    def is_contiguous(self, axis: IterVar) -> bool:
        """Whether neighbours along an axis read neighbours, or share them: halves of a byte do."""
        along = [number for number, one in enumerate(self.subscripts) if axis in one.axes]
        is_last = along == [self.tensor.ndim - 1]
        return self.stride(axis) == 1 or (is_last and axis in self.subscripts[-1].shared)

    def stride(self, axis: IterVar) -> int | None:
        """The elements of a row-major tensor between two iterations of an axis, if known."""
        distance, stride = 0, 1
        extents = extents_of(self.tensor)
        for subscript, extent in zip(self.subscripts[::-1], extents[::-1], strict=True):
            if axis in subscript.axes:
                if axis not in subscript.known:
                    return None
                distance += subscript.known[axis] * stride
            stride *= extent
        return distance


class EquationFacts:
    """An equation as the rules see it.

    On the first `steps` data axes it is computed position by position, like a step of a scan.
    `result_now` gives what a command made of a tensor. A part of the elements is computed, such as
    a triangle, if the equation has a domain or its readers want no others: `is_part`.
    """

    def __init__(
        self,
        op: ComputeOp,
        steps: int = 0,
        result_now: TensorNow = unchanged,
        is_part: bool = False,
    ):
        self.op, self._result_now = op, result_now
        self.is_part = is_part or bool(op.domain)
        self.space = op.axis[steps:]
        """The data axes along which elements are computed together."""
        self.axes = [*op.axis, *op.reduce_axis]
        """Data axes, then reduce axes."""
        places = {axis: number for number, axis in enumerate(self.axes)}

        def leaf(expr: Expr) -> AffineExpr | None:
            if isinstance(expr, Var):
                return AffineExpr.dimension(places.setdefault(expr, len(places)))  # pyright: ignore
            return AffineExpr.dimension(places[expr]) if expr in places else None  # pyright: ignore

        self._forms: AffineForms[AffineExpr | None] = AffineForms(leaf)
        self._sums: AffineForms[AffineExpr] = AffineForms(
            lambda expr: AffineExpr.constant(0) if (form := leaf(expr)) is None else form
        )
        """The same without the terms that have none."""
        self._numbers: dict[object, int] = {}
        self._number_of: dict[Expr, int] = {}
        self.stored: Container[Operation] = ()
        """Stages that are computed completely before the loops of this one begin."""

    def read_through(self, reads: list[Read], has_cases: bool, stored: Container[Operation]):
        """Replaces the reads in its text by these, which are of stored tensors."""
        self.reads, self.has_cases, self.stored = reads, has_cases, stored
        self.__dict__.pop("reused", None)

    @property
    def points(self) -> int:
        """How many points are computed together."""
        return prod(map(extent_of, (*self.space, *self.op.reduce_axis)))

    @property
    def tensors(self) -> list[Tensor]:
        """The tensors that are read, each once."""
        return [*dict.fromkeys(read.tensor for read in self.reads)]

    @cached_property
    def reads(self) -> list[Read]:
        """The different elements that a point reads."""
        slices = (one for one in walk(tuple(self.op.body)) if isinstance(one, TensorSlice))
        return distinct(
            Read(self._result_now(one.tensor), tuple(map(self._subscript, one.indices)))
            for one in slices
        )

    def place(self, read: Read) -> object:
        """The element that a point reads, by numbers of axes; that of another equation is equal."""
        numbers = {axis: number for number, axis in enumerate(self.axes)}
        parts: list[object] = []
        for one in read.subscripts:
            if one.coefficients is None:
                return _key_of(read)
            by_number = frozenset((numbers[axis], by) for axis, by in one.coefficients.items())
            parts.append((by_number, one.constant))
        return read.tensor, *parts

    def reads_of(self, tensors: Sequence[Tensor]) -> Iterator[Read]:
        """The reads of some tensors."""
        return (read for read in self.reads if read.tensor in tensors)

    def reads_once(self, tensor: Tensor) -> bool:
        """Whether a point reads one element of a tensor."""
        return len([*self.reads_of([tensor])]) == 1

    @cached_property
    def work(self) -> int:
        """The work of a point, in additions."""
        return work_of(self.op.body) + len(self.op.reduce_axis[:1])

    @property
    def total(self) -> int:
        """The work of all points, at least an addition for each."""
        return self.points * max(1, self.work)

    @property
    def is_scattered(self) -> bool:
        """Whether a term takes long and lanes read it here and there: a copy would be much code."""
        lanes = self.op.axis[-1:]
        return self.work > HEAVY and any(
            read.stride(one) is None for one in lanes for read in self.reads
        )

    def rows_for(self, lanes: int) -> list[IterVar]:
        """Data axes along which each of two reads is reused: by lanes of that axis, and by rows."""
        axes = self.op.axis
        if not self.op.reduce_axis or lanes not in range(len(axes) - len(self.space), len(axes)):
            return []
        if extent_of(axes[lanes]) == 1:
            return []
        with_lanes = [read for read in self.reads if read.mentions(axes[lanes])]
        others = [read for read in self.reads if not read.mentions(axes[lanes])]
        return [
            row
            for row in self.space
            if row is not axes[lanes]
            and extent_of(row) > 1
            and not all(read.mentions(row) for read in with_lanes)
            and any(read.mentions(row) for read in others)
        ]

    @cached_property
    def last(self) -> int:
        """The data axis, by number, along which results are contiguous: the last with several."""
        axes = self.op.axis
        numbers = range(len(axes) - 1, len(axes) - len(self.space) - 1, -1)
        return next((k for k in numbers if extent_of(axes[k]) > 1), max(0, len(axes) - 1))

    @cached_property
    def reused(self) -> list[IterVar]:
        """The rows for lanes of the axis along which results are contiguous."""
        return self.rows_for(self.last)

    @property
    def is_product(self) -> bool:
        """Whether a tile of its elements reads fewer elements than it has points."""
        return bool(self.reused)

    @property
    def is_fused(self) -> bool:
        """Whether a term of its sum is a product of two elements, which one instruction adds.

        There are such instructions for floats, and for narrow integers that are cast.
        """
        found = self.op.body[0]
        if not isinstance(found, Reduce) or len(found.source) > 1:
            return False
        (term,), (combined,) = found.source, found.reduction.combined
        is_sum = isinstance(combined, Apply) and combined.function == "add"
        is_product = isinstance(term, Apply) and term.function == "mul"
        is_direct = dtypes.of(term.dtype).kind == dtypes.FLOAT
        return is_sum and is_product and self.work <= 2 and (is_direct or self._is_widened(term))

    def _is_widened(self, term: Apply) -> bool:
        return all(isinstance(factor, Cast) for factor in term.arguments)

    @property
    def factors(self) -> tuple[str, str, str] | None:
        """The dtypes of two elements and of the term that is their product, if both are cast."""
        found = self.op.body[0]
        if not self.is_fused or not isinstance(found, Reduce):
            return None
        (term,) = found.source
        casts = [part.value for part in term.operands() if isinstance(part, Cast)]
        elements = [part.dtype for part in casts if isinstance(part, TensorSlice)]
        return (elements[0], elements[1], term.dtype) if len(elements) == 2 else None

    @property
    def is_bordered(self) -> bool:
        """Whether conditions on its last axis choose how an element is computed, as at borders."""
        parts = (part for one in self._choices for part in walk((one.condition,)))
        return bool(self.op.axis) and any(part is self.op.axis[-1] for part in parts)

    @property
    def moves(self) -> bool:
        """Whether it only moves elements of another tensor."""
        is_read = [isinstance(one, TensorSlice) for one in self.op.body]
        return is_read[:1] == [True] and not self.op.reduce_axis

    @property
    def transposes(self) -> bool:
        """Whether it moves contiguous elements to places that are apart."""
        if not self.moves or not self.op.axis:
            return False
        return any(read.stride(self.op.axis[-1]) not in (0, 1) for read in self.reads)

    @property
    def is_apart(self) -> bool:
        """Whether its reads along its last axis are known not to be contiguous."""
        last = self.op.axis[-1:]
        return any(read.stride(axis) not in (0, 1, None) for axis in last for read in self.reads)

    @property
    def contiguous_axis(self) -> int:
        """The data axis, by number, along which most of what is read is contiguous, or the last."""
        largest = max((bytes_of(read.tensor) for read in self.reads), default=0)
        reads = [read for read in self.reads if bytes_of(read.tensor) == largest]
        numbers = reversed(range(len(self.op.axis)))
        found = (k for k in numbers if any(read.stride(self.op.axis[k]) == 1 for read in reads))
        return next(found, len(self.op.axis) - 1)

    @cached_property
    def has_cases(self) -> bool:
        """Whether conditions on axes choose what a point is."""
        return any(not reads_data(one.condition) for one in self._choices)

    @property
    def has_choices(self) -> bool:
        """Whether a point is one of several values, which axes or data choose."""
        return bool(self._choices)

    @cached_property
    def _choices(self) -> list[IfThenElse]:
        return [one for one in walk(tuple(self.op.body)) if isinstance(one, IfThenElse)]

    def _subscript(self, expr: Expr) -> Subscript:
        form = self._forms.of(expr)
        terms = None if form is None else linear_terms((form, 1))
        if terms is None or terms.divisions:
            is_data, number = reads_data(expr), self._number(expr)
            shared = self._shared(terms) if terms is not None else frozenset[IterVar]()
            return Subscript(axes_in(expr), None, 0, is_data, number, self._steps(expr), shared)
        inside = {at: of for at, of in terms.linear.items() if at < len(self.axes)}
        coefficients = {self.axes[at]: of for at, of in inside.items()}
        return Subscript(frozenset(coefficients), coefficients, terms.constant, False)

    def _shared(self, terms: LinearTerms) -> frozenset[IterVar]:
        """The axes of which a sum has a quotient, and nothing else."""
        quotients = [
            part.lhs.position
            for part, factor in terms.divisions
            if factor == 1 and part.kind is AffineBinaryOpKind.FloorDiv
            if isinstance(part.lhs, AffineDimExpr) and isinstance(part.rhs, AffineConstantExpr)
        ]
        used = [at for part, _ in terms.divisions for at in part.used_dims()] + [*terms.linear]
        alone = (at for at in quotients if at < len(self.axes) and used.count(at) == 1)
        return frozenset(self.axes[at] for at in alone)

    def _steps(self, expr: Expr) -> Mapping[IterVar, int]:
        """The coefficients of axes that are added to the rest of a subscript."""
        linear, _, divisions = linear_terms((self._sums.of(expr), 1))
        divided = {at for division, _ in divisions for at in division.used_dims()}
        terms = (one for one in postorder([expr], parts_of_position) if not parts_of_position(one))
        others = (one for one in terms if not isinstance(one, IterVar))
        rest = frozenset(axis for one in others for axis in axes_in(one))
        return {
            axis: factor
            for at, factor in linear.items()
            if at < len(self.axes) and at not in divided and (axis := self.axes[at]) not in rest
        }

    def _number(self, expr: Expr) -> int:
        """The number of an expression, and of all that are made of the same parts in one way."""
        found = self._number_of
        for one in postorder([expr], lambda one: () if one in found else one.operands()):
            if one not in found:
                labels = (each for each in vars(one).values() if _is_label(each))
                made = type(one), *labels, *(found[part] for part in one.operands())
                key = one if isinstance(one, Var) else made
                found[one] = self._numbers.setdefault(key, len(self._numbers))
        return found[expr]


def axes_in(expr: Expr) -> frozenset[IterVar]:
    """The axes that an expression uses."""
    return frozenset(one for one in walk((expr,)) if isinstance(one, IterVar))


def _is_label(value: object) -> bool:
    """Whether it is no part of an expression."""
    return not isinstance(value, Expr | tuple)


def distinct(reads: Iterable[Read]) -> list[Read]:
    """The reads of different elements."""
    found: dict[object, Read] = {}
    for read in reads:
        found.setdefault(_key_of(read), read)
    return [*found.values()]


def _key_of(read: Read) -> object:
    return read.tensor, *map(_key, read.subscripts)


def _key(subscript: Subscript) -> object:
    if subscript.coefficients is None:
        return subscript.axes, subscript.is_data, subscript.number
    return frozenset(subscript.coefficients.items()), subscript.constant


def _computed(expr: Expr) -> Sequence[Expr]:
    """The operands that cost work: a condition on axes costs none, as it holds for whole loops."""
    match expr:
        case TensorSlice():
            return ()
        case IfThenElse() if not reads_data(expr.condition):
            return expr.then_value, expr.else_value
    return expr.operands()


def work_of(exprs: Iterable[Expr]) -> int:
    """The work of expressions, in additions."""
    return sum(map(_work, postorder(exprs, _computed)))


def _work(expr: Expr) -> int:
    if isinstance(expr, Apply):
        return SLOW if expr.function in SLOW_FUNCTIONS else 1
    return 0
