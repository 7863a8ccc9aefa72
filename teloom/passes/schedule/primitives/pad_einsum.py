"""`schedule.pad_einsum`: an axis of an einsum is rounded up, and what it reads padded by zeros."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.kinds import has_own_equation, is_injective
from teloom.analysis.stages.queries import (
    is_output,
    name_of,
    reader_of,
    reads_of,
)
from teloom.dialects import schedule, te
from teloom.dialects.affine.canonical import canonical
from teloom.dialects.affine.polynomials import of_exprs
from teloom.dialects.bodies.equation import is_sum, yielded
from teloom.dialects.syntax.stage_header import ZERO, AxisBounds, shape_in_type
from teloom.dialects.upstream.arith import CASTS, zero_of
from teloom.errors import ScheduleError
from teloom.passes.code.index_code import IndexCode
from teloom.passes.schedule.primitives.handles import Primitive, quoted


class ApplyPadEinsum(Primitive):
    """Rounds the axis up in the einsum, and in all stages that are read along it."""

    commands = (schedule.PadEinsumOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.PadEinsumOp, rewriter: PatternRewriter):
        stage = self.stage_of(op.axis, op)
        if op.axis not in stage.root_axes:
            raise _refused(stage, op, "it is no axis of its equation")
        number, factor = list(stage.root_axes).index(op.axis), op.factor.get()
        if (reason := _why_no_einsum(stage, number)) is not None:
            raise _refused(stage, op, reason)
        lower, extent = stage.bounds.pairs()[number]
        if lower != ZERO:
            raise _refused(stage, op, "it does not begin at 0")
        along = list(_along(stage, number))
        for read, position in along:
            if (reason := _why_not_padded(read, position, stage, extent)) is not None:
                raise _refused(stage, op, reason)
        factors = [one for one in stage.equation.body.walk() if isinstance(one, te.ReadOp)]
        if number >= stage.data_axis_count and len(along) < len(factors):
            others = {one.tensor.name_hint or "a tensor" for one in factors}
            others -= {read.tensor.name_hint or "a tensor" for read, _ in along}
            raise _refused(
                stage,
                op,
                f"{quoted(sorted(others))} is not read along it, and zero times an infinity is "
                "not zero",
            )
        places = ((read.tensor.owner, position) for read, position in along)
        for producer, position in dict.fromkeys(places):
            assert isinstance(producer, schedule.StageOp)
            _fill_with_zeros(producer, position)
            _round_up(producer, position, factor)
        _round_up(stage, number, factor)
        if number < stage.data_axis_count:
            whole = schedule.BoundedOp(op.axis, modulus=factor, remainder=0)
            whole.location = op.location
            Rewriter.insert_op(whole, InsertPoint.before(stage.order))


def _refused(stage: schedule.StageOp, op: schedule.PadEinsumOp, reason: str) -> ScheduleError:
    axis = schedule.axis_name(op.axis)
    return ScheduleError(f'cannot pad axis {axis} of "{name_of(stage)}": {reason}', op)


def _why_no_einsum(stage: schedule.StageOp, number: int) -> str | None:
    """Why a stage is no einsum along an axis, with extents of its own; None if it is one."""
    if not has_own_equation(stage):
        return "it has no equation of its own"
    if is_output(stage):
        return "it is an output, of which the caller knows the extents; pad a cache that it copies"
    if stage.bounds.over_axes() or stage.equation.data_bounded:
        return "its axes are no box"
    if stage.equation.has_init:
        return "its init is no zero"
    if len(stage.tensors) != 1 or (stage.equation.is_reduction and not _is_sum(stage.equation)):
        return "it is no sum of products"
    (value,) = yielded(stage.equation.body)
    if not _is_product(value):
        return "it is no sum of products of elements"
    axes = stage.equation.body.block.args
    for read in stage.equation.body.walk():
        if isinstance(read, te.ReadOp) and not _is_plain(read, axes, axes[number]):
            return f"{quoted([read.tensor.name_hint or ''])} is not read at the axis as it is"
    return None


def _is_sum(equation: schedule.EquationOp) -> bool:
    """Whether it folds by addition, from zero."""
    (start,) = equation.starts
    return start.value.data == 0 and is_sum(equation.combine)


def _is_product(value: SSAValue) -> bool:
    """Whether a value is a product of elements that are read, also cast."""
    pending = [value]
    while pending:
        op = pending.pop().owner
        if isinstance(op, (arith.MulfOp, arith.MuliOp, *CASTS)):
            pending += op.operands
        elif not isinstance(op, te.ReadOp):
            return False
    return True


def _is_plain(read: te.ReadOp, axes: Sequence[SSAValue], axis: SSAValue) -> bool:
    """Whether subscripts are affine in axes, and one at most has `axis` in it: as it is."""
    if not {*read.operands_} <= {*axes}:
        return False
    dims = {number for number, operand in enumerate(read.operands_) if operand is axis}
    along = [expr for expr in read.map.data.results if dims & expr.used_dims()]
    return len(along) <= 1 and all(isinstance(expr, AffineDimExpr) for expr in along)


def _along(stage: schedule.StageOp, number: int) -> Iterator[tuple[te.ReadOp, int]]:
    """The reads along an axis, each with the axis of the tensor that is it."""
    axis = stage.equation.body.block.args[number]
    for read in stage.equation.body.walk():
        if isinstance(read, te.ReadOp):
            for position, expr in enumerate(read.map.data.results):
                if isinstance(expr, AffineDimExpr) and read.operands_[expr.position] is axis:
                    yield read, position


def _why_not_padded(
    read: te.ReadOp, position: int, stage: schedule.StageOp, extent: AffineExpr
) -> str | None:
    """Why what is read cannot be padded along one of its axes; None if it can."""
    producer, name = read.tensor.owner, read.tensor.name_hint or "a tensor"
    first = f'"{name}", which is read along it, '
    if not isinstance(producer, schedule.StageOp):
        return first + "is an argument; read a cache of it"
    if not is_injective(producer) or len(producer.tensors) != 1:
        return first + "is no equation of one element; read a cache of it"
    others = [one for one in map(reader_of, reads_of(producer)) if one is not stage]
    if others or is_output(producer):
        others_too = quoted([name_of(one) for one in others]) or "the caller"
        return f"{first}is read by {others_too}, too; read a cache of it"
    lower, own = producer.bounds.pairs()[position]
    is_same = lower == ZERO and of_exprs([own], producer.sizes) == of_exprs([extent], stage.sizes)
    return None if is_same else first + "has another extent there"


def _fill_with_zeros(producer: schedule.StageOp, position: int) -> None:
    """Makes the equation zero beyond the extent of one of its axes."""
    body, extent = producer.equation.body.block, producer.bounds.pairs()[position][1]
    terminator = body.last_op
    assert terminator is not None
    (value,) = terminator.operands
    inside, outside = Block(), Block()
    for op in list(body.ops)[:-1]:
        op.detach()
        inside.add_op(op)
    inside.add_op(scf.YieldOp(value))
    zero = arith.ConstantOp(zero_of(value.type))
    outside.add_ops([zero, scf.YieldOp(zero.result)])
    code = IndexCode(lambda op: Rewriter.insert_op(op, InsertPoint.before(terminator)))
    end = code.expr(extent, producer.sizes)
    is_inside = code.emit(arith.CmpiOp(body.args[position], end, "slt"))
    choice = scf.IfOp(is_inside, [value.type], [inside], [outside])
    Rewriter.insert_op(choice, InsertPoint.before(terminator))
    terminator.operands = choice.results


def _round_up(stage: schedule.StageOp, position: int, factor: int) -> None:
    """Rounds the extent of an axis that begins at 0, also in the types of results."""
    pairs = stage.bounds.pairs()
    _, extent = pairs[position]
    pairs[position] = ZERO, canonical(extent.ceil_div(factor) * factor)
    stage.set_bounds(AxisBounds.of(pairs, stage.sizes))
    shape = shape_in_type([size for _, size in stage.bounds.box(stage.data_axis_count)])
    for tensor in stage.tensors:
        assert isinstance(tensor.type, TensorType)
        name, type = tensor.name_hint, TensorType(tensor.type.element_type, shape)
        Rewriter.replace_value_with_new_type(tensor, type).name_hint = name
