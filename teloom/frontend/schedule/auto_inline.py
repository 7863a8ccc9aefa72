"""Inlines the simple stages of a schedule: one function per class of them, as TVM has.

A stage is left as it is if it is an output, if a command names it or one of its axes, or if it
cannot be inlined: a reduction, a scan, an extern, what one of these takes as a buffer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from teloom.analysis.stages.kinds import ONLY, Subscripts, all_broadcast, all_elementwise
from teloom.frontend.expr.expressions import Const, Expr, Extent, walk
from teloom.frontend.schedule.schedules import Schedule, checked_schedule
from teloom.frontend.tensor.tensors import ComputeOp, ExternOp, ScanOp, TensorSlice


def auto_inline_elementwise(sch: Schedule) -> None:
    """Inlines every stage that reads at its own axes, in their order.

    Raises `teloom.Error` for what is no schedule. Source: TVM's te.schedule.AutoInlineElemWise.

    >>> from teloom import te
    >>> A = te.placeholder((8, 4), name="A")
    >>> B = te.compute((8, 4), lambda i, j: A[i, j] * 2, name="B")
    >>> C = te.compute((4, 8), lambda i, j: B[j, i] + 1, name="C")
    >>> s = te.create_schedule(C)
    >>> te.schedule.AutoInlineElemWise(s)
    >>> s[B].leaf_iter_vars
    []
    """
    _inline(sch, _is_elementwise)


def auto_inline_broadcast(sch: Schedule) -> None:
    """Inlines every stage that reads at some of its own axes, in their order.

    Raises `teloom.Error` for what is no schedule. Source: TVM's AutoInlineBroadcast.

    >>> from teloom import te
    >>> A, b = te.placeholder((8, 4), name="A"), te.placeholder((4,), name="b")
    >>> B = te.compute((8, 4), lambda i, j: A[i, j] + b[j], name="B")
    >>> C = te.compute((8, 4), lambda i, j: B[i, j] + 1, name="C")
    >>> s = te.create_schedule(C)
    >>> te.schedule.AutoInlineBroadcast(s)
    >>> s[B].leaf_iter_vars
    []
    """
    _inline(sch, _is_broadcast)


def auto_inline_injective(sch: Schedule) -> None:
    """Inlines every stage that is no reduction, whatever it reads.

    Raises `teloom.Error` for what is no schedule. Source: TVM's te.schedule.AutoInlineInjective.

    >>> from teloom import te
    >>> A = te.placeholder((8, 4), name="A")
    >>> B = te.compute((4, 8), lambda i, j: A[j, i], name="B")
    >>> C = te.compute((4, 8), lambda i, j: B[i, j] + 1, name="C")
    >>> s = te.create_schedule(C)
    >>> te.schedule.AutoInlineInjective(s)
    >>> s[B].leaf_iter_vars
    []
    """
    _inline(sch, _is_injective)


def _is_elementwise(op: ComputeOp) -> bool:
    return all_elementwise(_reads_of(op), len(op.axis))


def _is_broadcast(op: ComputeOp) -> bool:
    return all_broadcast(_reads_of(op))


def _is_injective(op: ComputeOp) -> bool:
    return not op.reduce_axis


def _reads_of(op: ComputeOp) -> Iterator[Subscripts]:
    numbers: dict[Expr, int] = {axis: number for number, axis in enumerate(op.axis)}
    for read in walk(tuple(op.body)):
        if isinstance(read, TensorSlice):
            sides = zip(read.indices, read.tensor.shape, strict=True)
            yield [ONLY if _is_only(one, extent) else numbers.get(one) for one, extent in sides]


def _is_only(subscript: Expr, extent: object) -> bool:
    """Whether a subscript is 0 on an axis of one element."""
    is_one = isinstance(extent, Extent) and extent == 1
    return is_one and isinstance(subscript, Const) and subscript.value == 0


def _inline(sch: Schedule, suits: Callable[[ComputeOp], bool]) -> None:
    taken = {
        tensor.op
        for stage in checked_schedule(sch).stages
        if isinstance(stage.op, ExternOp | ScanOp)
        for tensor in stage.op.input_tensors
    }
    for stage in sch.stages:
        op = stage.op
        if isinstance(op, ComputeOp) and _is_injective(op) and suits(op):
            if not (stage.is_output or stage.is_scheduled or stage.origin_op in taken):
                stage.compute_inline()
