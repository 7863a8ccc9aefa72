"""`schedule.cache_read`: some stages read a tensor from a copy in other memory."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages import Read, name_of, reader_of, reads_of_tensor, root_of, shape_of
from teloom.dialects import schedule, te
from teloom.dialects.stage_header import ZERO, AxisBounds
from teloom.errors import ScheduleError
from teloom.passes.primitives.caches import copying, finish, new_name
from teloom.passes.primitives.handles import Primitive, quoted
from teloom.passes.unscheduled_stage import unscheduled_stage


class Source(NamedTuple):
    """A tensor that can be cached: its name, and the bounds of the axes of a copy."""

    value: SSAValue
    name: str
    bounds: AxisBounds


class ApplyCacheRead(Primitive):
    """Makes a stage at the root that copies the tensor; the readers read that."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.CacheReadOp, rewriter: PatternRewriter):
        source = self._source(op)
        readers = [self.stage(reader, op) for reader in op.readers]
        reads = [read for reader in readers for read in _reads(reader, source, op)]
        axes = [f"ax{number}" for number in range(len(source.bounds.pairs()))]
        name = new_name(self, op, source.name)
        parts = copying([source.value], axes)
        types = [source.value.type]
        cache = unscheduled_stage(name, axes, source.bounds, len(axes), parts, types)
        finish(op, cache, [source.value], before=root_of(readers[0]))
        for read in reads:
            read.operands[0] = cache.tensors[0]

    def _source(self, op: schedule.CacheReadOp) -> Source:
        if op.stage is None:
            assert op.argument is not None
            return _argument(self.func, self.argument(op.argument, op))
        stage = self.stage(op.stage, op)
        name, count = name_of(stage), len(stage.tensors)
        if op.result is None and count > 1:
            raise ScheduleError(
                f'cache_read of stage "{name}", which has {count} results: name one of result '
                f"0..{count - 1}",
                op,
            )
        number = 0 if op.result is None else op.result.value.data
        if number not in range(count):
            raise ScheduleError(
                f'cache_read of result {number} of stage "{name}", which has result 0..{count - 1}',
                op,
            )
        tensor = stage.tensors[number]
        extents, sizes = shape_of(tensor)
        bounds = AxisBounds.of([(ZERO, extent) for extent in extents], sizes)
        return Source(tensor, f"{name}.v{number}" if count > 1 else name, bounds)


def _argument(func: te.FuncOp, number: int) -> Source:
    bounds = [(ZERO, extent) for extent in func.shape_of(number)]
    value = func.tensors[number]
    return Source(value, value.name_hint or f"argument{number}", AxisBounds.of(bounds, func.sizes))


def _reads(reader: schedule.StageOp, source: Source, op: schedule.CacheReadOp) -> list[Read]:
    """The reads of the tensor in the equation of one reader; there is one."""
    reads = list(reads_of_tensor(source.value))
    found = [read for read in reads if reader_of(read) is reader]
    if found:
        return found
    stages = dict.fromkeys(reader_of(read) for read in reads)
    raise ScheduleError(
        f'"{name_of(reader)}" does not read "{source.name}"; stages that do: '
        + (quoted([name_of(stage) for stage in stages]) or "none"),
        op,
    )
