"""Proves that all accesses of a region that is stored as a triangle are in it, or refuses one."""

from __future__ import annotations

from teloom.analysis.loops.longer_loops import Harm, Touched, box_of, harm_to, held_by
from teloom.dialects import loop
from teloom.dialects.affine.operands import text
from teloom.dialects.syntax.layouts import LayoutAttr
from teloom.dialects.upstream.accesses import accesses_to
from teloom.errors import ScheduleError


def check_triangle(op: loop.TensorRegionOp) -> None:
    """Raises ScheduleError for an access of a packed region that may be outside of its triangle."""
    layout = op.stored.own_layout
    if layout is None or not layout.triangle:
        return
    tensor = op.results[0]
    touched = Touched()
    box = box_of(tensor, touched.context)
    beside = box.without_those_of(held_by(tensor, touched.context))
    for access in accesses_to(tensor):
        if not access.is_needed or not access.is_known:
            continue
        elements = touched.of(access.op, tensor).intersect(beside)
        word = "is written" if access.writes else "is read"
        harm = harm_to(access.op, tensor, elements, word)
        if harm is not None:
            raise ScheduleError(_text(op, layout, harm), access.op)


def _text(op: loop.TensorRegionOp, layout: LayoutAttr, harm: Harm) -> str:
    start = ", ".join(text(offset, op.operands_) for offset in op.offsets.data.results)
    return (
        f"{harm.text}, but the layout {layout.bare} has no place for it: of row r it has "
        f"{layout.columns}, counted from [{start}], where the region starts; access only these, or "
        "store the whole box"
    )
