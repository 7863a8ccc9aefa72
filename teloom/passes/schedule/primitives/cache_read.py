"""`schedule.cache_read`: some stages read a tensor from a copy in other memory."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.queries import Read, box_of, name_of, reader_of
from teloom.dialects import schedule, te
from teloom.dialects.syntax.stage_header import ZERO, AxisBounds, scalar_type
from teloom.dialects.upstream.arith import CASTS
from teloom.errors import ScheduleError
from teloom.passes.schedule.caches import copying, finish, new_name, reads_by
from teloom.passes.schedule.named_tensor import named_tensor
from teloom.passes.schedule.primitives.handles import Primitive
from teloom.passes.schedule.unscheduled_stage import unscheduled_stage


class ApplyCacheRead(Primitive):
    """Creates a stage at the root that copies the tensor; the named readers read the copy.

    A copy as another type holds what they convert each element to.
    """

    commands = (schedule.CacheReadOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.CacheReadOp, rewriter: PatternRewriter):
        source = named_tensor(self, op, op.stage)
        readers = [self.stage(reader, op) for reader in op.readers]
        tensors, called = [source.value], source.name
        reads = [read for one in readers for read in reads_by(one, tensors, called, op)]
        bounds = _bounds(self.func, source.value)
        axes = [f"ax{number}" for number in range(len(bounds.pairs()))]
        name = new_name(self, op, called)
        parts = copying(tensors, axes)
        type = source.value.type
        assert isinstance(type, TensorType)
        if op.element is not None and op.element.element != type.element_type:
            type = TensorType(op.element.element, type.shape)
            _convert_once(reads, _conversions(op, called, type, reads), parts.body.block)
        cache = unscheduled_stage(name, axes, bounds, len(axes), parts, [type])
        finish(self, op, cache, tensors, reader=readers[0])
        for read in reads:
            read.operands[0] = cache.tensors[0]


def _conversions(
    op: schedule.CacheReadOp, called: str, to: TensorType, reads: Sequence[Read]
) -> list[Operation]:
    """The ops that convert all that is read to an element of the copy, in one way.

    Raises ScheduleError, at the command, if what is read is used otherwise.
    """
    type = scalar_type(to)
    used = {
        one: read
        for read in reads
        for one in ([use.operation for use in read.results[0].uses] or [read])
    }
    first = next((one for one in used if _converts_to(one, type)), None)
    for one, read in used.items():
        if first is None or not _converts_to(one, type) or not _are_alike(one, first):
            known = "" if first is None else f"{first.name} and in "
            raise ScheduleError(
                f'cannot copy "{called}" as {to.element_type}: "{name_of(reader_of(read))}" uses '
                f"elements of it in {known}{one.name}; the readers have to convert each to {type}, "
                "all by the same op",
                op,
            )
    return [*used]


def _converts_to(op: Operation, type: Attribute) -> bool:
    return isinstance(op, CASTS) and op.results[0].type == type


def _are_alike(one: Operation, other: Operation) -> bool:
    """Whether two ops convert in the same way, also where they round."""
    return (one.name, one.properties) == (other.name, other.properties)


def _convert_once(reads: Sequence[Read], conversions: Sequence[Operation], copied: Block) -> None:
    """Converts what an equation copies; what is read of the copy is not converted again."""
    terminator, type = copied.last_op, conversions[0].results[0].type
    assert terminator is not None
    once = conversions[0].clone({conversions[0].operands[0]: terminator.operands[0]})
    Rewriter.insert_op(once, InsertPoint.before(terminator))
    terminator.operands = once.results
    for read in reads:
        Rewriter.replace_value_with_new_type(read.results[0], type)
    for conversion in conversions:
        Rewriter.replace_op(conversion, [], conversion.operands)


def _bounds(func: te.FuncOp, tensor: SSAValue) -> AxisBounds:
    """The bounds of the axes of a copy of `tensor`."""
    if isinstance(tensor.owner, schedule.StageOp):
        box, sizes = box_of(tensor)
        bounds = [(start, start + extent) for start, extent in box]
        return AxisBounds.of(bounds, sizes, tensor.owner.bounds.where())
    shape = func.shape_of(list(func.tensors).index(tensor))
    return AxisBounds.of([(ZERO, extent) for extent in shape], func.sizes)
