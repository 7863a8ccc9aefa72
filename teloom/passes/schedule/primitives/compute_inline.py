"""`schedule.compute_inline`: the equation of a stage replaces every read of it."""

from collections import Counter
from graphlib import TopologicalSorter
from itertools import chain

import islpy as isl
from xdsl.builder import Builder
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.regions.outside import check_everywhere
from teloom.analysis.stages.kinds import word_of_code
from teloom.analysis.stages.queries import (
    definition_of,
    is_output,
    name_of,
    reader_of,
    reads_of,
    states_of,
)
from teloom.analysis.stages.read_maps import ReadMaps
from teloom.dialects import schedule, te
from teloom.errors import ScheduleError
from teloom.passes.code.alike_values import merge_alike
from teloom.passes.nests.equation_body import AffineValue, EquationBody, read_again
from teloom.passes.schedule.primitives.handles import NamedStages, Primitive, stage_names


class ApplyComputeInline(Primitive):
    """Takes the stage out of the function; `inline_all` puts its equation in place of its reads.

    That waits until the last of a row of such commands, as most of the stages that are inlined
    are read by others that are: an equation is then copied once, and not with each of them again.
    For a stage that is inlined already the command does nothing.
    """

    commands = (schedule.ComputeInlineOp,)
    reads_equations = False

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.ComputeInlineOp, rewriter: PatternRewriter):
        if {*stage_names(op.stage)} & self.stages.gone:
            return  # the same command again
        stage = self.stage(op.stage, op)
        reason = _why_not(stage)
        if reason is not None:
            raise ScheduleError(f'cannot inline "{name_of(stage)}": {reason}', op)
        stage.detach()
        self.stages.inlined.append(stage)
        self.stages.gone.add(name_of(stage))


def inline_all(stages: NamedStages) -> None:
    """Copies the equations of all stages that were taken out to every read, and erases them.

    Common subexpressions of an equation are merged. Without that, each of n stages that are inlined
    into one another, and read twice, would double the equation: its size would be 2^n.
    """
    readers = {
        stage: {reader_of(read): None for read in reads_of(stage)} for stage in stages.inlined
    }
    equations = {one.definition: None for one in chain(readers, *readers.values())}
    for equation in equations:
        merge_alike(equation)
    # A stage comes behind those that read it: their equations are where they will stay.
    for stage in TopologicalSorter(readers).static_order():
        if stage in readers:
            _check_domain(stage, stages.func)
            _inline_everywhere(stage)
    for equation in equations:
        if equation.parent is not None:
            merge_alike(equation)
    stages.inlined.clear()


def _check_domain(stage: schedule.StageOp, func: te.FuncOp) -> None:
    """Raises PassError for a read of what is no element: once it is inlined, nothing shows it."""
    if stage.domain is not None:
        accesses = ReadMaps(func, list(func.sizes), isl.Context())
        for read in reads_of(stage):
            check_everywhere(read, accesses)


def _inline_everywhere(stage: schedule.StageOp) -> None:
    several = Counter(definition_of(read) for read in reads_of(stage))
    for equation, count in several.items():
        if count > 1:
            merge_alike(equation)
    for read in list(reads_of(stage)):
        assert isinstance(read, te.ReadOp)
        _inline(stage, read)
    stage.erase()


def _why_not(stage: schedule.StageOp) -> str | None:
    if is_output(stage):
        return "it is an output"
    if states_of(stage):
        return "it is a scan, whose steps read what is stored of it"
    if stage.extern is not None:
        return "it is an extern, which has no equation to put in place of a read"
    if stage.update is not None:
        return "it is an update, whose points read what is stored of it"
    for tensor in stage.tensors:
        for use in tensor.uses:
            if isinstance(use.operation, schedule.AheadOp):
                return f'"{name_of(use.operation.stage)}" {use.operation.WORD} it'
    for read in reads_of(stage):
        if isinstance(read, te.BufferOp):
            reader = reader_of(read)
            return f'"{name_of(reader)}" is {word_of_code(reader)}, which takes a buffer of it'
    if stage.equation.is_reduction:
        return "it is a reduction, which has no value to put in place of a read"
    if stage.attached:
        return f'"{name_of(stage.attached[0])}" is computed inside it'
    made = (axis for relation in stage.relations for axis in relation.results)
    for axis in (*stage.root_axes, *made):
        for use in axis.uses:
            if isinstance(use.operation, schedule.StageOp):
                return f'"{name_of(use.operation)}" is stored inside it'
    return None


def _inline(stage: schedule.StageOp, read: te.ReadOp) -> None:
    block = stage.equation.body.block
    axes: dict[SSAValue, AffineValue] = {
        axis: (subscript, read.operands_)
        for axis, subscript in zip(block.args, read.map.data.results, strict=True)
    }
    body = EquationBody(axes, read_again)
    values = body.copy(block, Builder(InsertPoint.before(read)))
    value_of: dict[SSAValue, SSAValue] = dict(zip(stage.tensors, values, strict=True))
    Rewriter.replace_op(read, [], [value_of[read.tensor]])
