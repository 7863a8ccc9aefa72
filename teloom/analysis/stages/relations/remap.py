"""The meaning of `remap`."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.index.limits import LARGEST_SIZE, MANY
from teloom.analysis.sets.integer_sets import Constraint, simplified
from teloom.analysis.sets.inverses import (
    Inverse,
    NoInverseError,
    holes,
    image_sides,
    inverse_of,
)
from teloom.analysis.stages.queries import size_names
from teloom.analysis.stages.relations.meaning import (
    MOST_EMPTY,
    Fact,
    Iteration,
    LeafMap,
    MakeSize,
    Meaning,
    Span,
    Spans,
)
from teloom.dialects import schedule
from teloom.dialects.affine.fold import is_linear, replace_dims
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.affine.polynomials import of_expr, over
from teloom.dialects.syntax.stage_header import ZERO
from teloom.errors import ScheduleError


class RemapMeaning(Meaning[schedule.RemapOp]):
    """remapped = map(axes); isl finds the inverse."""

    of = schedule.RemapOp

    def add_spans(
        self, relation: schedule.RemapOp, spans: dict[SSAValue, Span], make: MakeSize
    ) -> None:
        box = [spans[axis] for axis in relation.args]
        exprs = relation.exprs()
        made = [*map(Span._make, image_sides(exprs, box))]
        for axis, (start, extent) in zip(relation.remapped, made, strict=True):
            if isinstance(start, AffineConstantExpr) and abs(start.value) > MANY:
                raise _refused(relation, f"axis {schedule.axis_name(axis)} starts at {start}")
            if isinstance(extent, AffineConstantExpr) and extent.value > LARGEST_SIZE:
                raise _refused(relation, f"axis {schedule.axis_name(axis)} has {extent} iterations")
        most = holes(exprs, box, made)
        if most > MOST_EMPTY:
            raise _refused(relation, f"{most} iterations would do nothing for each that does")
        spans.update(zip(relation.remapped, made, strict=True))

    def own_axes(self, relation: schedule.RemapOp, spans: Spans) -> list[SSAValue]:
        exprs = self._inverse(relation, spans).exprs
        pairs = zip(relation.args, exprs, strict=True)
        return [axis for axis, expr in pairs if not is_linear(expr)]

    def add_values(self, relation: schedule.RemapOp, map: LeafMap) -> None:
        exprs, around = self._inverse(relation, map.spans)
        made = [map.values[axis] for axis in relation.remapped]
        over = [*(AffineExpr.dimension(dim) for dim in around), *made]
        for axis, expr in zip(relation.args, exprs, strict=True):
            value = replace_dims(expr, over.__getitem__)
            if is_linear(expr):
                map.values[axis] = simplified(value)
                continue
            map.add_divided(axis, map.in_loops(value))
            map.facts.append(Fact([axis], [], [Constraint(map.values[axis], True, value)]))
        values = [map.values[axis] for axis in relation.args]
        values += [AffineExpr.dimension(size) for size in range(relation.map.data.num_symbols)]
        for position, expr in zip(made, relation.exprs(), strict=True):
            there = replace_dims(expr, values.__getitem__)
            if simplified(difference(position, there)) != ZERO:
                map.require(relation.remapped[0], [Constraint(position, True, there)])

    def follow(self, relation: schedule.RemapOp, at: Iteration) -> bool:
        sizes = at.sizes[: relation.map.data.num_symbols]
        consumed = over([*(at.positions[axis] for axis in relation.args), *sizes])
        for axis, expr in zip(relation.remapped, relation.exprs(), strict=True):
            at.positions[axis] = of_expr(expr, consumed)
        return True

    @staticmethod
    def _inverse(relation: schedule.RemapOp, spans: Spans) -> Inverse:
        box = tuple((spans[axis].start, spans[axis].extent) for axis in relation.args)
        try:
            return inverse_of(relation.exprs(), box)
        except NoInverseError as error:
            stage = relation.parent_op()
            assert isinstance(stage, schedule.StageOp)
            raise _refused(relation, error.words(size_names(stage))) from None


def _refused(relation: schedule.RemapOp, reason: str) -> ScheduleError:
    return ScheduleError(
        f"remap of axes {schedule.axis_names(relation.args)} by {relation.map.data}: {reason}",
        relation,
    )
