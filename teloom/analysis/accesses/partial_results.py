"""Where a reduction may fold into partial results, one per lane of a vectorized loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith
from xdsl.ir import Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.accesses.lane_counts import lane_count, largest_extent
from teloom.analysis.dot_products import Factor, factors_of, instruction_for
from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.memory.storage import byte_width
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Quotient
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.loop import LoopKind
from teloom.dialects.target import Target

ACCUMULATORS = 4
"""So many independent vectors of partial results a reduction has, where its extent is long enough.

A sum waits for the one before it, four cycles for floats; in four cycles a core loads eight
vectors, which are four products."""

_IN_ORDER = (LoopKind.SERIAL, LoopKind.UNROLLED, LoopKind.VECTORIZED)


@dataclass(frozen=True)
class PartialResults:
    """`count` partial results of `reduce` for each iteration of the loops `data`.

    They are valid in the outermost loop of `path`, which holds what is around the reduction from
    there on. Iterations of the vectorized loop in it fold `lanes` at a time. Each lane folds
    `group` neighbours where the target has an instruction that adds their products.
    """

    reduce: loop.ReduceOp
    vectorized: loop.ForOp
    path: tuple[loop.ForOp | loop.IfOp, ...]
    data: tuple[loop.ForOp, ...]
    lanes: int
    count: int
    group: int

    @property
    def outer(self) -> list[loop.ForOp | loop.IfOp]:
        """What of the path says for which elements there are partial results."""
        tests = (one for one in self.path if isinstance(one, loop.IfOp))
        kept = {*self.data, *(test for test in tests if _is_known(_condition(test), self))}
        return [one for one in self.path if one in kept]


def values_of(exprs: Sequence[AffineExpr], operands: Sequence[SSAValue]) -> set[SSAValue]:
    """The values that affine expressions of `operands` are computed from."""
    forms = AffineIndexForms().of_exprs(exprs, operands)
    return {a for form in forms for a in form.atoms() if not isinstance(a, Quotient)}


def reduction_in(op: loop.ForOp) -> loop.ReduceOp | None:
    """The only reduction in `op`, if all iterations of `op` fold into the same elements."""
    found = [inner for inner in preorder(op.body) if isinstance(inner, loop.ReduceOp)]
    return found[0] if len(found) == 1 and not _is_data(op, found[0]) else None


def partial_results(op: loop.ForOp, reduce: loop.ReduceOp, target: Target) -> PartialResults | None:
    """Partial results of `reduce` for the lanes of `op`; None if there is no place for them.

    They are valid in the outermost loop around `op` that folds into the same elements again, if
    registers hold as many as there are in it.
    """
    if reduce.identity is None or lane_count(op, target.vector_bytes) < 2:
        return None
    best: PartialResults | None = None
    path: tuple[loop.ForOp | loop.IfOp, ...] = ()
    around = reduce.parent_op()
    while isinstance(around, loop.ForOp | loop.IfOp):
        path = (around, *path)
        if op in path and isinstance(around, loop.ForOp) and not _is_data(around, reduce):
            found = _within(path, op, reduce, target)
            if found is None or not _fits(found, target):
                break
            best = found
        around = around.parent_op()
    return best


def _within(
    path: tuple[loop.ForOp | loop.IfOp, ...],
    op: loop.ForOp,
    reduce: loop.ReduceOp,
    target: Target,
) -> PartialResults | None:
    """Partial results that are valid in `path[0]`, if that is right."""
    loops = [one for one in path if isinstance(one, loop.ForOp)]
    data = tuple(one for one in loops if _is_data(one, reduce))
    places = prod(largest_extent(one) or 0 for one in data)
    if not places or any(one.kind.data not in _IN_ORDER for one in loops):
        return None
    lanes, most = lane_count(op, target.vector_bytes), largest_extent(op)
    group = _group(op, reduce, target, lanes)
    if most is not None and lanes * group > most:
        group = 1
    count = lanes * max(1, ACCUMULATORS // places)
    while most is not None and count * group > most:
        count //= 2
    found = PartialResults(reduce, op, path, data, lanes, count, group)
    is_right = (
        _is_known(values_of(reduce.subscripts, reduce.operands_), found)
        and all(_is_known(_bounds(one), found) for one in data)
        and not any(_varies(one.lower.data.results, one, found) for one in data)
        and all(_is_copied_or_left_out(one, found) for one in path if isinstance(one, loop.IfOp))
        and _is_known(set(reduce.tensors), found)
        and not any(_is_used_otherwise(tensor, path[0], reduce) for tensor in reduce.tensors)
        and _is_known(_taken_by(reduce.combine), found)
    )
    return found if is_right else None


def _group(op: loop.ForOp, reduce: loop.ReduceOp, target: Target, lanes: int) -> int:
    """How many neighbours an instruction of the target adds to a lane, if it adds products."""
    factors = factors_of(reduce.values[0])
    if factors is None or reduce.parent_op() is not op or not _is_sum(reduce.combine):
        return 1
    instruction = instruction_for(factors.kinds, target, lanes)
    is_row = all(_is_row(factor, op) for factor in factors)
    return instruction.group if instruction is not None and is_row else 1


def _is_sum(combine: Region) -> bool:
    first = combine.block.first_op
    return isinstance(first, arith.AddiOp) and {*first.operands} == {*combine.block.args}


def _is_row(factor: Factor, op: loop.ForOp) -> bool:
    """Whether iterations of `op` load one element behind the other."""
    load, variable = factor.load, op.induction_variable
    if not isinstance(load, loop.LoadOp) or not load.subscripts:
        return False
    *others, last = AffineIndexForms().of_exprs(load.subscripts, load.operands_)
    once = last.terms.get((variable,)) == 1 and [*last.atoms()].count(variable) == 1
    return once and not any(one.uses(variable) for one in others)


def _fits(found: PartialResults, target: Target) -> bool:
    places = prod(largest_extent(one) or 0 for one in found.data)
    width = sum(byte_width(value.type) for value in found.reduce.values)
    return places * found.count * width <= target.register_bytes


def _is_data(op: loop.ForOp, reduce: loop.ReduceOp) -> bool:
    """Whether iterations of `op` fold into different elements."""
    return op.induction_variable in values_of(reduce.subscripts, reduce.operands_)


def _is_known(values: set[SSAValue], found: PartialResults) -> bool:
    """Whether these values are there outside of the path, in loops over `data`."""
    variables = {one.induction_variable for one in found.data}
    return not any(found.path[0].is_ancestor(value.owner) for value in values - variables)


def _varies(exprs: Sequence[AffineExpr], op: loop.ForOp, found: PartialResults) -> bool:
    """Whether the begin of a data loop is not one value for all partial results."""
    inside = any(found.path[0].is_ancestor(v.owner) for v in values_of(exprs, op.operands_))
    return inside or len(exprs) > 1


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


def _taken_by(region: Region) -> set[SSAValue]:
    """The values of outside that ops in `region` use."""
    used = {operand for op in preorder(region) for operand in op.operands}
    return {value for value in used if not region.is_ancestor(value.owner)}


def _is_used_otherwise(tensor: SSAValue, around: Operation, reduce: loop.ReduceOp) -> bool:
    return any(
        use.operation is not reduce and around.is_ancestor(use.operation) for use in tensor.uses
    )
