"""`schedule.fuse_reduction_epilogue`: what is combined with a reduction starts its fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.builder import Builder
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.kinds import is_injective, is_reduction
from teloom.analysis.stages.queries import (
    box_of,
    is_output,
    legal_places,
    name_of,
    places_text,
    reader_of,
    reads_of,
)
from teloom.dialects import schedule, te
from teloom.dialects.affine import polynomials
from teloom.dialects.bodies.equation import yielded
from teloom.dialects.bodies.postorder import operands_of, postorder
from teloom.errors import ScheduleError
from teloom.passes.code.alike_values import merge_alike
from teloom.passes.nests.equation_body import EquationBody, read_again
from teloom.passes.schedule.primitives.handles import Primitive, command_word


class ApplyFuseReductionEpilogue(Primitive):
    """Makes the value that is combined the init region of the reduction, and removes the epilogue.

    The combiner is declared associative and commutative: so it makes no difference whether the
    value comes first or last.
    """

    commands = (schedule.FuseReductionEpilogueOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.FuseReductionEpilogueOp, rewriter: PatternRewriter):
        stage, epilogue = self.stage(op.stage, op), self.stage(op.epilogue, op)
        reason = _why_not(stage, epilogue)
        if reason is not None:
            raise _refusal(stage, epilogue, reason, op)
        merge_alike(epilogue.equation)
        start = _combined_with(stage, epilogue)
        if start is None:
            places = [axis for axis in legal_places(stage) if axis in epilogue.order.axes]
            reason = (
                "it does not combine an element at its own point with a value that does not depend "
                "on others, by the combiner of the reduction; computed in its loops, the reduction "
                f"is complete before it runs: legal places: {places_text(places)}"
            )
            raise _refusal(stage, epilogue, reason, op)
        _start_from(stage, epilogue, start)
        stage.set_reassociated(command_word(op))
        _replace(epilogue, stage)


def _refusal(
    stage: schedule.StageOp, epilogue: schedule.StageOp, reason: str, op: Operation
) -> ScheduleError:
    return ScheduleError(
        f'cannot fuse "{name_of(epilogue)}" into the reduction "{name_of(stage)}": {reason}', op
    )


def _why_not(stage: schedule.StageOp, epilogue: schedule.StageOp) -> str | None:
    if not is_reduction(stage):
        return "that is no reduction"
    if not is_injective(epilogue):
        return "it is no equation of single values"
    if len(stage.tensors) != 1 or len(epilogue.tensors) != 1:
        return "each must have one result"
    if is_output(stage):
        return f'"{name_of(stage)}" is an output, too'
    others = {name_of(reader_of(read)) for read in reads_of(stage)} - {name_of(epilogue)}
    if others:
        return f'"{min(others)}" reads "{name_of(stage)}", too'
    if not epilogue.has_own_loops:
        return "its loops are not those of its equation any more, and would be lost"
    if stage.is_stored_elsewhere or epilogue.is_stored_elsewhere:
        return "one of them is stored further out than it is computed"
    if epilogue.attached or schedule.ahead_in(epilogue):
        return "what is computed or prefetched in its loops would lose its place"
    kept = schedule.OrderOp | schedule.EquationOp
    for op in epilogue.body.block.ops:
        if not isinstance(op, kept):
            return f"{command_word(op)} says more of it, which would be lost"
    if _shape(stage.tensors[0]) != _shape(epilogue.tensors[0]):
        return "its shape is another"
    axes = epilogue.root_axes
    if _domain(stage, axes) != _domain(epilogue, axes):
        return "its domain is another"
    return None


def _shape(tensor: SSAValue) -> tuple[object, list[polynomials.Polynomial]]:
    box, sizes = box_of(tensor)
    return tensor.type, [*polynomials.of_exprs([one for side in box for one in side], sizes)]


def _domain(
    stage: schedule.StageOp, axes: Sequence[SSAValue]
) -> list[list[polynomials.Polynomial]]:
    """The constraints of the domain of a stage, over values that stand for its data axes."""
    where, values = stage.bounds.where(), [*stage.sizes, *axes]
    return [polynomials.of_exprs(part, values) for part in where]


def _combined_with(stage: schedule.StageOp, epilogue: schedule.StageOp) -> SSAValue | None:
    """The value that the epilogue combines with the elements of the reduction; None without one."""
    (pattern,), (value,) = yielded(stage.equation.combine), yielded(epilogue.equation.body)
    found = _matched(pattern, value)
    if found is None:
        return None
    arguments = stage.equation.combine.block.args
    for element, start in (arguments, reversed(arguments)):
        if element in found and start in found and _is_element(found[element], stage, epilogue):
            if not _depends(found[start], stage):
                return found[start]
    return None


def _matched(pattern: SSAValue, value: SSAValue) -> Mapping[SSAValue, SSAValue] | None:
    """The values that stand for the arguments in `pattern`, which `value` computes; None if not."""
    found: dict[SSAValue, SSAValue] = {}
    pending = [(pattern, value)]
    while pending:
        wanted, given = pending.pop()
        if isinstance(wanted, BlockArgument):
            if found.setdefault(wanted, given) is not given:
                return None
            continue
        one, other = wanted.owner, given.owner
        if isinstance(one, Block) or isinstance(other, Block) or one.regions:
            return None
        same = type(one) is type(other) and one.properties == other.properties
        if not same or len(one.operands) != len(other.operands):
            return None
        pending += zip(one.operands, other.operands, strict=True)
    return found


def _is_element(value: SSAValue, stage: schedule.StageOp, epilogue: schedule.StageOp) -> bool:
    """Whether a value is the element of the reduction at the epilogue's own point."""
    read = value.owner
    if not isinstance(read, te.ReadOp) or read.tensor.owner is not stage:
        return False
    axes = epilogue.equation.body.block.args
    subscripts = polynomials.of_exprs(read.map.data.results, read.operands_)
    return [*subscripts] == [polynomials.Polynomial.of(axis) for axis in axes]


def _depends(value: SSAValue, stage: schedule.StageOp) -> bool:
    """Whether a value depends on the reduction; what is in branches may."""
    return any(
        (isinstance(part.owner, te.ReadOp) and part.owner.tensor.owner is stage)
        or (not isinstance(part.owner, Block) and part.owner.regions)
        for part in postorder([value], operands_of)
    )


def _start_from(stage: schedule.StageOp, epilogue: schedule.StageOp, start: SSAValue) -> None:
    """Makes `start`, a value of the epilogue, combined with an init that is there, the init."""
    body = epilogue.equation.body.block
    body.last_op.operands[0] = start
    for op in reversed(list(body.ops)):
        if op.results and not any(result.uses for result in op.results):
            Rewriter.erase_op(op)
    block = Block(arg_types=[IndexType()] * len(body.args))
    builder = Builder(InsertPoint.at_end(block))
    axes = {
        old: (AffineExpr.dimension(0), [new])
        for old, new in zip(body.args, block.args, strict=True)
    }
    for old, new in zip(body.args, block.args, strict=True):
        new.name_hint = old.name_hint
    (value,) = EquationBody(axes, read_again).copy(body, builder)
    equation = stage.equation
    if equation.has_init:
        value = _with_init(stage, block, value, builder)
    block.add_op(te.YieldOp([value]))
    parts = equation.detach_parts()._replace(init=Region(block))
    Rewriter.replace_op(equation, schedule.EquationOp(parts))


def _with_init(
    stage: schedule.StageOp, block: Block, value: SSAValue, builder: Builder
) -> SSAValue:
    """The init of the reduction, combined with a value."""
    equation = stage.equation
    init = equation.init.block
    axes = {
        old: (AffineExpr.dimension(0), [new])
        for old, new in zip(init.args, block.args, strict=True)
    }
    (first,) = EquationBody(axes, read_again).copy(init, builder)
    combine = EquationBody({}, read_again)
    combine.values |= dict(zip(equation.combine.block.args, (first, value), strict=True))
    (both,) = combine.copy(equation.combine.block, builder)
    init.parent.drop_all_references()
    return both


def _replace(epilogue: schedule.StageOp, stage: schedule.StageOp) -> None:
    """Puts the reduction in the place of the epilogue."""
    stage.detach()
    stage.set_at(epilogue.at)
    Rewriter.insert_op(stage, InsertPoint.before(epilogue))
    stage.set_storage(epilogue.storage)
    said = ("mode", "budget")
    stage.properties |= {
        name: epilogue.properties[name] for name in said if name in epilogue.properties
    }
    epilogue.equation.body.drop_all_references()
    stage.tensors[0].name_hint = epilogue.tensors[0].name_hint
    epilogue.tensors[0].replace_all_uses_with(stage.tensors[0])
    Rewriter.erase_op(epilogue)
