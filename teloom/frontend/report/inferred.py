"""A schedule with its regions inferred, in the user's terms."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.regions.inference import infer_regions
from teloom.analysis.regions.stage_loops import StageRegion
from teloom.analysis.stages.relations.meaning import CeilQuotient, Product
from teloom.dialects import schedule as dialect
from teloom.dialects.affine.canonical import canonical
from teloom.dialects.target import Target
from teloom.driver.runner import runner_of
from teloom.errors import depth_checked
from teloom.frontend.expr.expressions import Expr, Var, apply
from teloom.frontend.expr.of_affine import expr_of
from teloom.frontend.schedule.applied import Applied, applied
from teloom.frontend.schedule.schedules import Schedule, checked_schedule
from teloom.passes.loops.infer_bounds import InferBoundsPass, size_of, write_ranges
from teloom.passes.nests.build_loops import BuildLoopsPass
from teloom.passes.partition.partition_loops import PartitionLoopsPass, partition
from teloom.passes.schedule.apply_schedule import ApplySchedulePass


class InferredSchedule(NamedTuple):
    """The regions of an applied schedule; `exprs` maps values to the user's sizes and axes."""

    applied: Applied
    regions: dict[dialect.StageOp, StageRegion]
    exprs: dict[SSAValue, int | Expr]

    def expr(self, expr: AffineExpr, region: StageRegion) -> int | Expr:
        """An affine expression of a region's values as a te expression, or an int if constant."""
        return expr_of(canonical(expr), region.values, self.exprs)


@depth_checked()
def inferred(s: Schedule) -> InferredSchedule:
    """Carries out a copy of a schedule's commands and infers its regions.

    Raises what `teloom.lower` raises, and `teloom.Error` for an object that is no schedule.
    """
    found = applied(checked_schedule(s))
    exprs: dict[SSAValue, int | Expr] = {**found.sizes, **found.axes}

    def extent(expr: AffineExpr, sizes: Sequence[SSAValue]) -> int | Expr:
        return _extent(expr_of(expr, sizes, exprs))

    def emit(asked: Product | CeilQuotient, sizes: Sequence[SSAValue]) -> SSAValue:
        size = size_of(found.func, asked, sizes)
        if isinstance(asked, Product):
            factors = (extent(factor, sizes) for factor in asked.factors)
            exprs[size] = reduce(operator.mul, factors)
        else:
            number = extent(asked.size, sizes)
            exprs[size] = (extent(asked.extent, sizes) + number - 1) // number
        return size

    runner = runner_of(lambda: str(s.module))
    runner.done.append(ApplySchedulePass())
    with runner.explained(InferBoundsPass()):
        return InferredSchedule(found, infer_regions(found.func, emit), exprs)


@depth_checked()
def partial_tiles(found: InferredSchedule, target: Target) -> list[str]:
    """The notes of `partition-loops` on the loops of a schedule."""
    write_ranges(found.regions)
    module = found.applied.func.parent_op()
    assert isinstance(module, ModuleOp)
    target.put(module)
    runner = runner_of(lambda: str(module))
    runner.run(module, [BuildLoopsPass()])
    with runner.explained(PartitionLoopsPass()):
        functions = (op for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks)
        return [line for function in functions for line in partition(function)]


def _extent(expr: int | Expr) -> int | Expr:
    """A factor of an extent: as in the IR, a negative one counts as 0. Sizes never are negative."""
    if isinstance(expr, int):
        return max(expr, 0)
    return expr if isinstance(expr, Var) else apply("maximum", expr, 0)
