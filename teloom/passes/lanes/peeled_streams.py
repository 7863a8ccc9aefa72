"""Streamed stores to rows that begin anywhere: whole cache lines are streamed, the ends are not.

A cache line that is partly streamed and partly written otherwise goes to memory several times. So
where a loop writes contiguous vectors from an unaligned address on, only its whole cache lines are
streamed. Unaligned vectors of the same size write the two ends, so that some elements are computed
twice, from the same values.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from math import lcm
from typing import NamedTuple

from xdsl.dialects import arith, memref, vector
from xdsl.dialects.builtin import BoolAttr, IndexType, IntegerAttr, MemRefType, VectorType, i64
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.index.extents import constant_extent, extents, lower_bounds
from teloom.analysis.index.forms import IndexForms
from teloom.analysis.loops.iteration_sets import is_inside
from teloom.analysis.memory.storage import byte_width
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.postorder import postorder
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.target import target_of
from teloom.passes.code.code_motion import only_computes
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.loop_bounds import set_bounds

_SERIAL = loop.LoopKindAttr(loop.LoopKind.SERIAL)

_LEAST = 8
"""The least number of cache lines of a run, if its length is known, for which streaming pays."""


class Run(NamedTuple):
    """A loop in which a store writes contiguous elements, `step` in each iteration."""

    op: loop.ForOp
    store: vector.StoreOp
    step: int


class Pieces(NamedTuple):
    """How a run is divided, in elements: `middle` elements from `start` on are streamed.

    The run has `all` elements. Each end has no element, or at least those of one iteration.
    """

    all: SSAValue
    start: SSAValue
    middle: SSAValue


def peel(store: vector.StoreOp, boundary: int) -> vector.StoreOp | None:
    """Streams the whole cache lines that a store writes in the loops around it.

    The store itself writes the ends. Returns the streamed store, whose vectors begin at multiples
    of `boundary`. Returns None if no loop around the store writes contiguous vectors, or if the
    loop reads what it writes.
    """
    run = _longest_run(store)
    if run is None:
        return None
    code = IndexCode.before(run.op)
    first = code.of(code.one_of(arith.MaxSIOp, lower_bounds(run.op)))
    pieces = _pieces(run, first, code)
    streamed = _stream_middle(run, first, pieces, code)
    streamed.attributes["alignment"] = IntegerAttr(boundary, i64)
    _leave_ends(run, first, pieces, code)
    return streamed


def _longest_run(store: vector.StoreOp) -> Run | None:
    """The outermost loop that writes contiguous elements; None if there is none."""
    found, op = None, store.parent_op()
    line = target_of(store).line_bytes
    while isinstance(op, loop.ForOp) and not op.kind.data.at_the_same_time:
        run = _run_of(op, store)
        if run is None:
            break
        extent, bytes = constant_extent(op), run.step * _width(store)
        if extent is None or extent * bytes >= _LEAST * line:
            found = run
        op = op.parent_op()
    return found


def _width(store: vector.StoreOp) -> int:
    assert isinstance(store.base.type, MemRefType)
    return byte_width(store.base.type.element_type)


def _run_of(op: loop.ForOp, store: vector.StoreOp) -> Run | None:
    """A loop as a run, if its iterations write contiguous elements and may run twice."""
    forms = IndexForms()
    place = forms.of(store.indices[0])
    step = _step(op, store, place)
    if step is None or not isinstance(store.base, BlockArgument):
        return None
    written = {_memory(one.base) for one in preorder(op) if isinstance(one, vector.StoreOp)}
    if all(_moves_along(inner, op, place, forms, written) for inner in preorder(op.body)):
        return Run(op, store, step)
    return None


def _step(op: loop.ForOp, store: vector.StoreOp, place: Polynomial) -> int | None:
    """How many elements a store at index `place` writes in an iteration, if contiguous."""
    assert isinstance(store.vector.type, VectorType)
    (size,) = store.vector.type.get_shape()
    around = store.parent_op()
    while isinstance(around, loop.ForOp):
        counter = around.induction_variable
        if place.terms.get((counter,)) != size:
            return None
        place = place - Polynomial({(counter,): size})
        if around is op:
            return size if _is_fixed(place, op) else None
        extent = constant_extent(around)
        if extent is None or [one.as_constant() for one in lower_bounds(around)] != [0]:
            return None
        size *= extent
        around = around.parent_op()
    return None


def _is_fixed(index: Polynomial, op: Operation) -> bool:
    """Whether an index is invariant in a loop and in the loops inside of it."""
    return not any(is_inside(value, op) for value in index.values())


def _memory(buffer: SSAValue) -> SSAValue:
    """The buffer that a view is part of, or the buffer itself."""
    while isinstance(owner := buffer.owner, Operation):
        parts = [one for one in owner.operands if isinstance(one.type, MemRefType)]
        if not parts:
            break
        buffer = parts[0]
    return buffer


def _moves_along(
    inner: Operation,
    op: loop.ForOp,
    place: Polynomial,
    forms: IndexForms,
    written: Container[SSAValue],
) -> bool:
    """Whether an op in a run moves by as many elements as the store at index `place`."""
    match inner:
        case loop.ForOp():
            return not any(is_inside(value, op) for value in inner.operands_)
        case vector.LoadOp() | vector.StoreOp():
            is_along = _is_fixed(forms.of(inner.indices[0]) - place, op) and len(inner.indices) == 1
            return is_along and (
                isinstance(inner, vector.StoreOp) or _memory(inner.base) not in written
            )
        case memref.LoadOp():
            is_same = all(_is_fixed(forms.of(index), op) for index in inner.indices)
            return is_same and _memory(inner.memref) not in written
        case _ if not only_computes(inner):
            return False
        case _ if isinstance(inner.results[0].type, IndexType):
            return True  # what it is for decides
        case _:
            used = (value for value in inner.operands if isinstance(value.type, IndexType))
            return all(_is_fixed(forms.of(value), op) for value in used)


def _pieces(run: Run, first: SSAValue, code: IndexCode) -> Pieces:
    """Where the whole cache lines begin and end, an iteration or more away from the ends of a run.

    All of a run that is too short lies in front of them.
    """
    line, width, step = target_of(run.store).line_bytes, _width(run.store), run.step
    unit = lcm(line // width, step)
    shortest = code.constant(2 * step + line // width + unit)
    zero = code.constant(0)
    count = code.largest([code.least(extents(run.op)), zero])
    all = code.multiply(count, code.constant(step))
    is_long = code.emit(arith.CmpiOp(all, shortest, "sge"))
    # The address behind the first iteration, and how much further the next line begins.
    begin = code.emit(memref.ExtractAlignedPointerAsIndexOp.get(run.store.base))
    index = code.add(_first_index(run, first, code), code.constant(step))
    address = code.add(begin, code.multiply(index, code.constant(width)))
    behind = code.binary(arith.RemUIOp, address, code.constant(line))
    missing = code.binary(arith.SubiOp, code.constant(line), behind)
    missing = code.binary(arith.RemUIOp, missing, code.constant(line))
    missing = code.binary(arith.DivUIOp, missing, code.constant(width))
    start = code.add(missing, code.constant(step))
    start = code.emit(arith.SelectOp(is_long, start, all))
    most = code.binary(arith.SubiOp, all, code.add(start, code.constant(step)))
    units = code.binary(arith.DivUIOp, code.largest([most, zero]), code.constant(unit))
    return Pieces(all, start, code.multiply(units, code.constant(unit)))


def _first_index(run: Run, first: SSAValue, code: IndexCode) -> SSAValue:
    """Computes in front of a run the index of the first element that it writes."""
    op, around = run.op, run.store.parent_op()
    known: dict[SSAValue, SSAValue] = {op.induction_variable: first}
    while isinstance(around, loop.ForOp) and around is not op:
        known[around.induction_variable] = code.constant(0)
        around = around.parent_op()

    def parts(value: SSAValue) -> Sequence[SSAValue]:
        owner = value.owner
        return owner.operands if isinstance(owner, Operation) and is_inside(value, op) else ()

    (index,) = run.store.indices
    for value in [*postorder([index], parts)]:
        if isinstance(value.owner, Operation) and is_inside(value, op):
            known[value] = code.emit(value.owner.clone(known))
    return known.get(index, index)


def _stream_middle(run: Run, first: SSAValue, pieces: Pieces, code: IndexCode) -> vector.StoreOp:
    """Puts a copy of a run in front of it, which streams the elements between the ends."""
    position = [*preorder(run.op)].index(run.store)
    copy = run.op.clone()
    count = code.binary(arith.DivUIOp, pieces.middle, code.constant(run.step))
    begin, length = map(AffineExpr.dimension, range(2))
    set_bounds(copy, [begin], [begin + length], [first, count])
    copy.kind = _SERIAL
    Rewriter.insert_op(copy, InsertPoint.before(run.op))
    streamed = [*preorder(copy)][position]
    assert isinstance(streamed, vector.StoreOp)
    _move(copy, pieces.start)
    streamed.properties["nontemporal"] = BoolAttr.from_bool(True)
    return streamed


def _leave_ends(run: Run, first: SSAValue, pieces: Pieces, code: IndexCode) -> None:
    """Shortens a run to the two ends, in front of the streamed elements and behind them.

    The last iteration of each end is moved so that it ends where the end does.
    """
    op, step = run.op, code.constant(run.step)
    behind = code.add(pieces.start, pieces.middle)
    before = code.binary(arith.CeilDivUIOp, pieces.start, step)
    remaining = code.binary(arith.SubiOp, pieces.all, behind)
    count = code.add(before, code.binary(arith.CeilDivUIOp, remaining, step))
    ends = [code.binary(arith.SubiOp, end, step) for end in (pieces.start, pieces.all)]
    number = op.induction_variable
    number.replace_all_uses_with(first)
    start = InsertPoint.at_start(op.body.block)
    inside = IndexCode(lambda new: Rewriter.insert_op(new, start))
    is_before = inside.emit(arith.CmpiOp(number, before, "slt"))
    later = inside.binary(arith.SubiOp, number, before)
    places = [
        inside.multiply(number, step),
        inside.add(behind, inside.multiply(later, step)),
    ]
    found = [
        inside.binary(arith.MinSIOp, place, end) for place, end in zip(places, ends, strict=True)
    ]
    _move(op, inside.emit(arith.SelectOp(is_before, *found)))
    dim = AffineExpr.dimension(0)
    set_bounds(op, [AffineExpr.constant(0)], [dim], [count])
    op.kind = _SERIAL


def _move(op: loop.ForOp, distance: SSAValue) -> None:
    """Moves the vectors that a run loads and stores by a number of elements."""
    for one in [*preorder(op.body)]:
        if isinstance(one, vector.LoadOp | vector.StoreOp):
            one.attributes.pop("alignment", None)
            (index,) = one.indices
            place = [*one.operands].index(index)
            one.operands[place] = IndexCode.before(one).add(index, distance)
            if isinstance(one, vector.StoreOp):
                one.properties.pop("nontemporal", None)
