"""`schedule.precompute`: parts of an equation that some of its axes decide become a stage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AffineMapAttr, AnyFloat, IndexType, IntegerType, TensorType, i1
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.kinds import has_own_equation
from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule, te
from teloom.dialects.bodies.captured import captured
from teloom.dialects.bodies.equation import EquationParts
from teloom.dialects.bodies.postorder import postorder
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.syntax.stage_header import ZERO, AxisBounds, shape_in_type
from teloom.errors import ScheduleError
from teloom.passes.code.alike_values import merge_alike
from teloom.passes.code.code_motion import only_computes
from teloom.passes.schedule.caches import insert_producer
from teloom.passes.schedule.primitives.handles import Primitive
from teloom.passes.schedule.unscheduled_stage import unscheduled_stage

INDEX = IndexType()

BRANCHES = scf.IfOp, scf.YieldOp

SUFFIX = "pre"


class ApplyPrecompute(Primitive):
    """Moves the parts to a new stage at the root, whose elements the equation reads.

    The bounds of its axes are those of the old stage from 0 on. What it computes, and whether it
    may, follows from what is read.
    """

    commands = (schedule.PrecomputeOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.PrecomputeOp, rewriter: PatternRewriter):
        stage = self.stage(op.stage, op)
        for axis in op.axes:
            self.stage_of(axis, op)  # refuses an axis of a stage that was inlined
        if reason := _why_not(stage, op.axes):
            raise _refused(stage, op, reason)
        positions = [list(stage.root_axes).index(axis) for axis in op.axes]
        merge_alike(stage.equation)
        parts = _PartsOfAxes(stage.equation.body.block, positions).largest()
        if not parts:
            raise _refused(stage, op, "its equation computes nothing of these alone")
        name = schedule.derived_name(name_of(stage), SUFFIX, self.stages.names)
        made = _stage_of(stage, positions, parts, name)
        assert isinstance(op.parts, OpResult)
        insert_producer(self, op.parts, made, stage)
        _read_instead(stage, positions, parts, made)


def _refused(stage: schedule.StageOp, op: schedule.PrecomputeOp, reason: str) -> ScheduleError:
    axes = schedule.axis_names(op.axes)
    return ScheduleError(f'cannot precompute parts of "{name_of(stage)}" over {axes}: {reason}', op)


def _why_not(stage: schedule.StageOp, axes: Sequence[SSAValue]) -> str | None:
    if not has_own_equation(stage):
        return "it has no equation of its own"
    over_axes, bounds = stage.bounds.over_axes(), stage.bounds.pairs()
    for axis in axes:
        name = schedule.axis_name(axis)
        if axis not in stage.root_axes:
            known = schedule.axis_names(stage.root_axes)
            return f"{name} is no axis of its equation; those are {known}"
        position = list(stage.root_axes).index(axis)
        if position in over_axes:
            return f"the bounds of {name} are over other axes"
        if position in stage.equation.data_bounded:
            return f"the bounds of {name} are read from data"
        lower, _ = bounds[position]
        if not (isinstance(lower, AffineConstantExpr) and lower.value >= 0):
            return f"{name} may begin below 0"
    return None


class _PartsOfAxes:
    """The values of an equation that depend on some of its axes alone."""

    def __init__(self, block: Block, positions: Sequence[int]):
        self.block = block
        others = [axis for k, axis in enumerate(block.args) if k not in positions]
        self.varying: set[SSAValue] = {*others}
        """The values that depend on other axes, or that do more than compute."""
        self.computed: set[SSAValue] = set()
        """Those that take more than integer arithmetic on positions."""
        for op in block.ops:
            used = _used_by(op)
            if not _only_computes(op) or not self.varying.isdisjoint(used):
                self.varying |= {*op.results}
            if _is_of_elements(op) or not self.computed.isdisjoint(used):
                self.computed |= {*op.results}

    def largest(self) -> list[SSAValue]:
        """Those that are part of no larger one, in the order in which the equation has them."""
        terminator = self.block.last_op
        assert terminator is not None
        return [*filter(self._is_part, postorder(terminator.operands, self._needed))]

    def _is_part(self, value: SSAValue) -> bool:
        is_alone = value in self.computed and value not in self.varying
        return is_alone and not isinstance(value.owner, te.ReadOp) and _is_number(value.type)

    def _needed(self, value: SSAValue) -> Sequence[SSAValue]:
        """What a value that is no part is made of, but for positions and branches."""
        op = value.owner
        if self._is_part(value) or isinstance(op, Block | te.ReadOp) or value.type == INDEX:
            return ()
        return op.operands


def _used_by(op: Operation) -> Iterable[SSAValue]:
    """The values that `op`, or an op in it, is computed from."""
    return captured(op) if op.regions else op.operands


def _only_computes(op: Operation) -> bool:
    """Whether `op`, with all that is in it, computes values and does nothing else."""
    return all(only_computes(one) or isinstance(one, BRANCHES) for one in preorder(op))


def _is_of_elements(op: Operation) -> bool:
    """Whether `op`, or one in it, reads an element or computes a float."""
    inner = (one for one in preorder(op) if not isinstance(one, arith.ConstantOp))
    return any(
        isinstance(one, te.ReadOp) or any(isinstance(it.type, AnyFloat) for it in one.results)
        for one in inner
    )


def _is_number(type: Attribute) -> bool:
    return isinstance(type, AnyFloat | IntegerType) and type != i1


def _stage_of(
    stage: schedule.StageOp, positions: Sequence[int], parts: Sequence[SSAValue], name: str
) -> schedule.StageOp:
    """A new stage that computes parts of an equation over the axes at these positions."""
    block = stage.equation.body.block
    axes, uppers = zip(*((block.args[k], stage.bounds.pairs()[k][1]) for k in positions))
    shape = shape_in_type(uppers)
    made = unscheduled_stage(
        name,
        [stage.root_axes[k].name_hint for k in positions],
        AxisBounds.of([(ZERO, upper) for upper in uppers], stage.bounds.operands),
        len(positions),
        EquationParts(Region(_computing(block, parts, axes)), Region(), None, Region()),
        [TensorType(part.type, shape) for part in parts],
    )
    for tensor in made.tensors:
        tensor.name_hint = stage.tensors[0].name_hint and f"{stage.tensors[0].name_hint}.{SUFFIX}"
    return made


def _computing(old: Block, parts: Sequence[SSAValue], axes: Sequence[SSAValue]) -> Block:
    """A block over axes of an old one that yields parts of it."""
    block = Block(arg_types=[INDEX] * len(axes))
    known: dict[SSAValue, SSAValue] = dict(zip(axes, block.args, strict=True))
    for axis, argument in known.items():
        argument.name_hint = axis.name_hint
    needed, kept = {*parts}, list[Operation]()
    for op in reversed(list(old.ops)):
        if not needed.isdisjoint(op.results):
            needed.update(_used_by(op))
            kept.append(op)
    block.add_ops([op.clone(known) for op in reversed(kept)])
    block.add_op(te.YieldOp([known[part] for part in parts]))
    return block


def _read_instead(
    stage: schedule.StageOp,
    positions: Sequence[int],
    parts: Iterable[SSAValue],
    made: schedule.StageOp,
) -> None:
    """Lets an equation read the elements of a new stage in the place of its parts."""
    block, map = stage.equation.body.block, AffineMapAttr(AffineMap.identity(len(positions)))
    axes = [block.args[k] for k in positions]
    for part, tensor in zip(parts, made.tensors, strict=True):
        read, op = te.ReadOp(tensor, map, axes), part.owner
        assert isinstance(op, Operation)
        Rewriter.insert_op(read, InsertPoint.before(op))
        part.replace_all_uses_with(read.value)
    for op in reversed(list(block.ops)):
        if _only_computes(op) and not any(result.uses for result in op.results):
            Rewriter.erase_op(op)
