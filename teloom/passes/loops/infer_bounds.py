"""Pass `infer-bounds`: every axis gets its range, exactly what is needed at its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.regions.ahead import changes_with
from teloom.analysis.regions.inference import BUDGET, MOST_OPERATIONS, infer_regions
from teloom.analysis.regions.iterations import Regions, newly_needed, where_run
from teloom.analysis.regions.stage_loops import StageRegion
from teloom.analysis.sets.counts import OPERATIONS, count
from teloom.analysis.sets.guard_cost import NO_GUARD
from teloom.analysis.sets.integer_sets import simplified
from teloom.analysis.sets.modes import found_in_time
from teloom.analysis.stages.queries import name_of, qualified
from teloom.analysis.stages.relations.meaning import CeilQuotient, Product
from teloom.analysis.stages.threads import scope_of
from teloom.dialects import loop, schedule, te
from teloom.dialects.syntax.scopes import GLOBAL
from teloom.errors import PassError, placed
from teloom.passes.code.index_code import IndexCode
from teloom.passes.expected_level import refuse
from teloom.remarks import remark


def write_ranges(regions: Mapping[schedule.StageOp, StageRegion]) -> None:
    """Inserts the inferred ops behind the order of each stage, in place of others; ops ahead too.

    A stage comes behind the one in whose loops it is.
    """
    for stage in reversed([*regions]):
        for old in reversed(stage.inferred):
            Rewriter.erase_op(old)
    for stage, region in regions.items():
        _write_ranges(stage, region)


def _write_ranges(stage: schedule.StageOp, region: StageRegion) -> None:
    with placed(stage, f'axes of stage "{name_of(stage)}"'):
        ranges = _inferred_ops(stage, region)
    Rewriter.insert_op(ranges, InsertPoint.after(stage.order))
    stage.set_storage(_settled(stage, region.stored.folds))
    for asked, (bounds, values) in zip(schedule.ahead_in(stage), region.ahead, strict=True):
        offset = asked.offset.value.data
        found = type(asked)(asked.tensor, asked.axis, offset, bounds, values)
        found.location = asked.location
        Rewriter.replace_op(asked, found)


def _inferred_ops(stage: schedule.StageOp, region: StageRegion) -> list[Operation]:
    values = region.values
    computed = region.computed
    ops: list[Operation] = [] if region.from_data is None else [region.from_data]
    ops.append(schedule.RegionOp(region.stored.box, values, computed.mode))
    for axis, bounds in region.bounds.items():
        ops.append(schedule.RangeOp(axis, bounds.lower, bounds.upper, values))
    for axis, extent in region.extents.items():
        if axis not in region.bounds:
            start = region.starts[axis]
            # The end of a root axis keeps the form of its box: offset + extent, not simplified.
            end = start + extent if axis in stage.root_axes else simplified(start + extent)
            ops.append(schedule.RangeOp(axis, [start], [end], values))
    for axis, value in region.axis_values.items():
        ops.append(schedule.ValueOp(axis, value, values))
    ops += [schedule.GuardOp(guard.alternatives, values) for guard in region.guards]
    ops += [schedule.PromisedOp(*promise, values) for promise in region.promises]
    for op in ops:
        op.location = stage.location
    return ops


def _settled(stage: schedule.StageOp, factors: Mapping[int, int]) -> loop.StorageAttr:
    """The storage of a stage with its scope and fold factors; the global scope is the default."""
    storage, scope = stage.storage, scope_of(stage)
    if scope != GLOBAL:
        storage = storage.in_scope(scope)
    return storage.folded_by(factors)


def _excess(stage: schedule.StageOp, regions: Regions) -> str:
    """How much more is computed than needed, as text; empty if that is not known."""
    within, found = regions[stage].within, regions[stage].computed
    computed = count(where_run(found.elements, stage, within, regions).set, within.sizes)
    find = partial(newly_needed, stage, regions)
    new = found_in_time(found.needed.set.get_ctx(), OPERATIONS, find, None)
    needed = None if new is None else count(new.set, within.sizes)
    if computed is None or needed is None:
        return ""
    if computed == needed:
        return f"; that costs nothing: all {computed} elements that are computed are needed"
    return f"; at all places together {computed} elements are computed, {needed} are needed"


def size_of(func: te.FuncOp, found: Product | CeilQuotient, sizes: Sequence[SSAValue]) -> SSAValue:
    """Computes an extent that is no affine expression of sizes, at the start of the function.

    A negative extent counts as 0: then there is nothing to run.
    """
    first_stage = next(
        op for op in func.body.block.ops if isinstance(op, schedule.StageOp | te.ReturnOp)
    )
    code = IndexCode.before(first_stage)
    zero = code.constant(0)
    if isinstance(found, CeilQuotient):
        whole = code.largest([code.expr(found.extent, sizes), zero])
        return code.parts(whole, code.expr(found.size, sizes))
    extents = [code.largest([code.expr(factor, sizes), zero]) for factor in found.factors]
    return code.joined(arith.MuliOp, extents)


def remarks_on(stage: schedule.StageOp, regions: Regions) -> Iterator[tuple[str, Operation]]:
    """Remarks on regions that are larger than needed, each with the op that it is about.

    A stage at the root goes without a guard and without a remark: no command asked for that place.
    """
    name, computed = name_of(stage), regions[stage].computed
    is_usual = stage.at is None and computed.reason == NO_GUARD
    if computed.mode is not schedule.Mode.EXACT and not is_usual:
        excess = _excess(stage, regions)
        yield f'stage "{name}" is computed as a {computed.mode}, {computed.reason}{excess}', stage
    folded = stage.storage.folds
    if folded and not regions[stage].stored.folds:
        axes = schedule.axis_names(stage.root_axes[fold.axis.data] for fold in folded)
        mode = computed.mode
        of_all = "" if mode is schedule.Mode.EXACT else f", of all that is computed as a {mode}"
        yield (
            f'stage "{name}" is not folded along {axes}: no factor below the extent is '
            f"proved to keep apart what is needed at the same time{of_all}",
            stage,
        )
    for op, found in zip(schedule.ahead_in(stage), regions[stage].ahead, strict=True):
        if not changes_with(op.axis, found):
            yield (
                f'stage "{name}" {op.WORD} the same of {op.tensor.name_hint or "a tensor"} in '
                f"all iterations of {schedule.axis_name(op.axis)}: what these read does not "
                "depend on it, as far as is known",
                op,
            )
    if computed.taken_whole:
        yield (
            f'stage "{name}" is computed for all of {qualified(computed.taken_whole)}: how they '
            "follow from the loops around it is not affine, for an extent is symbolic",
            stage,
        )


@dataclass(frozen=True)
class InferBoundsPass(ModulePass):
    """Infer the range of every axis, and the region of every stage that is stored.

    A stage that is computed in a loop of another one computes exactly what is read there.
    Regions are integer sets, not intervals; bounds are read off their projections.

    A region is computed exactly, as a convex hull, or as a box: the first mode that isl can do
    within the budget. A hull is also taken if the guard of an exact region would save too few
    elements. Storage is always the box.

    Order: after `apply-schedule`, before `build-loops`, which turns ranges into loops.

    Options:
        mode: `exact`, `hull` or `box`, for every stage without a mode of its own.
        budget: isl operations per stage and mode; one takes about a microsecond.

    Example: `infer-bounds`
    ```mlir
    te.func @shift(%A: tensor<21xf32>) -> (tensor<20xf32>) {
      %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
        %io, %ii = schedule.split %i factor 16
        schedule.order %io, %ii
        %B = schedule.stage "B" at %io (%j = 21) : tensor<21xf32> {
          schedule.order %j
          schedule.equation (%p) {
            %a = te.read %A[%p] : f32
            te.yield %a : f32
          }
        }
        schedule.equation (%q) {
          %b = te.read %B[%q + 1] : f32
          te.yield %b : f32
        }
      }
      te.return %C : tensor<20xf32>
    }
    ```
    becomes
    ```mlir
    te.func @shift(%A: tensor<21xf32>) -> (tensor<20xf32>) {
      %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
        %io, %ii = schedule.split %i factor 16
        schedule.order %io, %ii
        schedule.region [0 : 20]
        schedule.range %io = 0 to 2
        schedule.range %ii = 0 to min(16, %io * -16 + 20)
        schedule.range %i = 0 to 20
        schedule.value %i = %io * 16 + %ii
        %B = schedule.stage "B" at %io (%j = 21) : tensor<21xf32> {
          schedule.order %j
          schedule.region [%io * 16 + 1 : 16]
          schedule.range %j = %io * 16 + 1 to min(21, %io * 16 + 17)
          schedule.equation (%p) {
            %a = te.read %A[%p] : f32
            te.yield %a : f32
          }
        }
        schedule.equation (%q) {
          %b = te.read %B[%q + 1] : f32
          te.yield %b : f32
        }
      }
      te.return %C : tensor<20xf32>
    }
    ```
    Refused: `infer-bounds`
    ```mlir
    te.func @shift(%A: tensor<20xf32>) -> (tensor<20xf32>) {
      %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
        schedule.order %i
        schedule.equation (%q) {
          %a = te.read %A[%q + 1] : f32
          te.yield %a : f32
        }
      }
      te.return %C : tensor<20xf32>
    }
    ```
    with "stage "C" at [19] reads A[20], but axis 0 of A runs from 0 to 19"
    """

    name = "infer-bounds"

    mode: str | None = None
    budget: int = BUDGET

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        modes = self._modes()
        refuse(op, (te.ComputeOp, te.UpdateOp, te.ExternOp, te.ScanOp), "apply-schedule")
        for func in op.ops:
            if isinstance(func, te.FuncOp):
                regions = infer_regions(func, partial(size_of, func), modes, self.budget)
                for stage in regions:
                    for message, place in remarks_on(stage, regions):
                        remark(message, place)
                write_ranges(regions)

    def _modes(self) -> tuple[schedule.Mode, ...]:
        """The modes to try, in this order."""
        if not 1 <= self.budget <= MOST_OPERATIONS:
            raise PassError(
                f"a budget of {self.budget} operations: it must be in 1 .. {MOST_OPERATIONS}"
            )
        if self.mode is None:
            return tuple(schedule.Mode)
        if self.mode not in list(schedule.Mode):
            raise PassError(f"no mode {self.mode!r}; modes: {', '.join(schedule.Mode)}")
        return (schedule.Mode(self.mode),)
