"""Where a reduction may fold into partial results.

There is one for each lane of a vectorized loop, or for each chunk of a parallel loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.traits import is_side_effect_free

from teloom.analysis.accesses.lane_counts import lane_count, largest_extent
from teloom.analysis.dot_products import Factor, factors_of, instruction_for
from teloom.analysis.index.extents import extents
from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.index.strides import stride_of
from teloom.analysis.memory.shared_bytes import sharing
from teloom.analysis.memory.storage import byte_width
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial, Quotient
from teloom.dialects.bodies.captured import captured
from teloom.dialects.bodies.equation import is_sum
from teloom.dialects.bodies.postorder import operands_of, postorder
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.loop import LoopKind
from teloom.dialects.target import Target

ACCUMULATORS = 4
"""So many independent vectors of partial results a reduction has, where its extent is long enough.

A sum waits for the one before it, four cycles for floats; in four cycles a core loads eight
vectors, which are four products."""

CHUNKS = 64
"""So many chunks a parallel reduction has, or fewer where it has fewer iterations.

A number of the program and not of a run, so that results depend on no number of threads. 64 occupy
7 threads to 91 %, 48 to 67 %."""

_IN_ORDER = (LoopKind.SERIAL, LoopKind.UNROLLED, LoopKind.VECTORIZED)

Path = tuple[loop.ForOp | loop.IfOp, ...]
"""What is around a reduction, from the outside in."""


@dataclass(frozen=True)
class PartialResults:
    """`count` partial results of `reduce` for each iteration of the loops `data`.

    They are valid in the outermost loop of `path`, which holds what is around the reduction from
    there on. The iterations of the loop `divided` fold into one of them each; `group` of
    them at once, which are neighbours, where the target has an instruction that adds their
    products.
    """

    reduce: loop.ReduceOp
    divided: loop.ForOp
    path: Path
    data: tuple[loop.ForOp, ...]
    count: int
    group: int = 1

    def is_inside(self, value: SSAValue) -> bool:
        """Whether a value is one of the path's, where they are not valid."""
        return self.path[0].is_ancestor(value.owner)

    def computed_from(self, value: SSAValue) -> Sequence[SSAValue]:
        """The operands of the op that computes a value in the path, if it only computes."""
        inside = self.is_inside(value) and is_computed(value)
        return operands_of(value) if inside else ()

    def largest_extents(self, op: loop.ForOp) -> list[Polynomial]:
        """Numbers of iterations that a loop over data never has more of, as sizes of storage."""
        return [
            extent
            for extent in extents(op)
            if all(isinstance(atom, Quotient) or self._is_size(atom) for atom in extent.atoms())
        ]

    def _is_size(self, value: SSAValue) -> bool:
        """Whether a value is a size, or counts a loop around: a limit of it is known."""
        return isinstance(value, BlockArgument) and not self.is_inside(value)

    @property
    def outer(self) -> list[loop.ForOp | loop.IfOp]:
        """The part of the path that decides for which elements there are partial results."""
        tests = (one for one in self.path if isinstance(one, loop.IfOp))
        kept = {*self.data, *(test for test in tests if _is_known(_condition(test), self))}
        return [one for one in self.path if one in kept]


def is_computed(value: SSAValue) -> bool:
    """Whether a value is computed from other index values alone."""
    op = value.owner
    return (
        isinstance(op, Operation)
        and all(one.type == loop.INDEX for one in (value, *op.operands))
        and is_side_effect_free(op)
    )


def values_of(exprs: Sequence[AffineExpr], operands: Sequence[SSAValue]) -> set[SSAValue]:
    """The values that affine expressions of `operands` are computed from."""
    forms = AffineIndexForms().of_exprs(exprs, operands)
    return {value for form in forms for value in form.values()}


def reductions_in(op: loop.ForOp) -> list[loop.ReduceOp]:
    """The reductions in `op` of which all iterations of `op` fold into the same elements."""
    found = ops_in(op.body, loop.ReduceOp)
    outside = (one for one in found if not op.is_ancestor(one.tensors[0].owner))
    return [one for one in outside if not _is_data(op, one)]


def results_of_lanes(
    op: loop.ForOp, reduce: loop.ReduceOp, target: Target, may_flush: bool
) -> PartialResults | None:
    """Partial results of `reduce` for the lanes of `op`; None if there is no place for them.

    They are valid in the outermost loop around `op` that folds into the same elements again, if
    registers hold as many as there are in it. Their number is a multiple of `lane_count`, unless
    `op` is shorter. With `may_flush` instructions for products may take subnormal numbers for 0.
    """
    if reduce.identity is None or lane_count(op, target.vector_bytes) < 2:
        return None
    best: PartialResults | None = None
    for path in _paths(reduce):
        around = path[0]
        if op in path and isinstance(around, loop.ForOp) and not _is_data(around, reduce):
            found = _of_lanes(path, op, reduce, target, may_flush)
            if found is None or not _fits(found, target):
                break
            best = found
    return best


def folds_under_conditions(op: loop.ForOp, reduce: loop.ReduceOp) -> bool:
    """Whether something else than loops, and branches on loops, is around `reduce` in `op`."""
    return not any(op in path for path in _paths(reduce))


def have_places(op: loop.ForOp, reduce: loop.ReduceOp, target: Target) -> bool:
    """Whether registers hold a partial result per lane of `op`, were they right."""
    path = next(path for path in _paths(reduce) if path[0] is op)
    return _places(path, reduce) is not None and _fits(
        _results(path, op, reduce, lane_count(op, target.vector_bytes)), target
    )


def results_of_chunks(op: loop.ForOp, reduce: loop.ReduceOp) -> PartialResults | None:
    """Partial results of `reduce` for chunks of `op`; None if they cannot be told apart."""
    path = next((path for path in _paths(reduce) if path[0] is op), None)
    if path is None:
        return None
    most = largest_extent(op)
    found = _results(path, op, reduce, CHUNKS if most is None else min(CHUNKS, most))
    is_right = _are_right(found) and all(found.largest_extents(one) for one in found.data)
    return found if is_right else None


def _paths(reduce: loop.ReduceOp) -> Iterator[Path]:
    """The loops and branches around a reduction, as growing lists from the innermost one out."""
    path: Path = ()
    around = reduce.parent_op()
    while isinstance(around, loop.ForOp | loop.IfOp):
        path = (around, *path)
        yield path
        around = around.parent_op()


def _of_lanes(
    path: Path, op: loop.ForOp, reduce: loop.ReduceOp, target: Target, may_flush: bool
) -> PartialResults | None:
    """Partial results that are valid in `path[0]`, if that is right."""
    places = _places(path, reduce)
    if places is None:
        return None
    lanes, most = lane_count(op, target.vector_bytes), largest_extent(op)
    group = _group(op, reduce, target, lanes, may_flush)
    if most is not None and lanes * group > most:
        group = 1
    count = lanes * max(1, ACCUMULATORS // places)
    while most is not None and count * group > most:
        count //= 2
    found = _results(path, op, reduce, count, group)
    return found if _are_right(found) else None


def _places(path: Path, reduce: loop.ReduceOp) -> int | None:
    """How many elements iterations of the loops of a path fold into, in order; None if unknown."""
    loops = [one for one in path if isinstance(one, loop.ForOp)]
    if any(one.kind.data not in _IN_ORDER for one in loops):
        return None
    return prod(largest_extent(one) or 0 for one in loops if _is_data(one, reduce)) or None


def _results(
    path: Path, op: loop.ForOp, reduce: loop.ReduceOp, count: int, group: int = 1
) -> PartialResults:
    loops = [one for one in path if isinstance(one, loop.ForOp)]
    data = tuple(one for one in loops if _is_data(one, reduce))
    return PartialResults(reduce, op, path, data, count, group)


def _are_right(found: PartialResults) -> bool:
    """Whether partial results give what the reduction gives."""
    reduce, path, data = found.reduce, found.path, found.data
    return (
        reduce.identity is not None
        and _is_known(values_of(reduce.subscripts, reduce.operands_), found)
        and all(_is_known(_bounds(one), found) for one in data)
        and all(len(one.lower.data.results) == 1 for one in data)
        and all(_is_copied_or_left_out(one, found) for one in path if isinstance(one, loop.IfOp))
        and _is_known(set(reduce.tensors), found)
        and not any(is_used_otherwise(tensor, path[0], reduce) for tensor in reduce.tensors)
        and _is_known(captured(reduce.combine), found)
    )


def _group(
    op: loop.ForOp, reduce: loop.ReduceOp, target: Target, lanes: int, may_flush: bool
) -> int:
    """How many neighbours an instruction of the target adds to a lane, if it adds products."""
    factors = factors_of(reduce.values[0])
    if factors is None or reduce.parent_op() is not op or not is_sum(reduce.combine):
        return 1
    instruction = instruction_for(factors.kinds, target, lanes, may_flush)
    is_row = all(_is_row(factor, op) for factor in factors)
    return instruction.group if instruction is not None and is_row else 1


def _is_row(factor: Factor, op: loop.ForOp) -> bool:
    """Whether iterations of `op` load one element behind the other, each of them."""
    load = factor.load
    if not isinstance(load, loop.LoadOp) or factor.condition is not None:
        return False
    subscripts = AffineIndexForms().of_exprs(load.subscripts, load.operands_)
    return stride_of(subscripts, op.induction_variable) == 1


def _fits(found: PartialResults, target: Target) -> bool:
    places = prod(largest_extent(one) or 0 for one in found.data)
    width = sum(byte_width(value.type) for value in found.reduce.values)
    return target.fits_registers(places * found.count * width)


def _is_data(op: loop.ForOp, reduce: loop.ReduceOp) -> bool:
    """Whether iterations of `op` fold into different elements."""
    subscripts = values_of(reduce.subscripts, reduce.operands_)
    return op.induction_variable in postorder(subscripts, operands_of)


def _is_known(values: Iterable[SSAValue], found: PartialResults) -> bool:
    """Whether these values can be computed outside of the path, in loops over `data`."""
    variables = {one.induction_variable for one in found.data}
    return all(
        value in variables or not found.is_inside(value) or is_computed(value)
        for value in postorder(values, found.computed_from)
    )


def _bounds(op: loop.ForOp) -> set[SSAValue]:
    return values_of((*op.lower.data.results, *op.upper.data.results), op.operands_)


def _condition(op: loop.IfOp) -> set[SSAValue]:
    return values_of([e for a in op.alternatives for part in a for e in part], op.operands_)


def _is_copied_or_left_out(test: loop.IfOp, found: PartialResults) -> bool:
    """Whether a test is either of data loops or of reduce loops, and not of both.

    Elements of which no reduction is done have partial results all the same, if a test of reduce
    loops says so: these are the identity.
    """
    values = _condition(test)
    if _is_known(values, found):
        return test.then_body.is_ancestor(found.reduce)
    return values.isdisjoint(one.induction_variable for one in found.data)


def is_used_otherwise(tensor: SSAValue, around: Operation, reduce: loop.ReduceOp) -> bool:
    """Whether an op in `around` uses memory into which `reduce` folds, other than itself."""
    users = (use.operation for one in sharing(tensor) for use in one.uses)
    return any(user is not reduce and around.is_ancestor(user) for user in users)
