"""Ops that a definition accepts: those without regions, if one with the same parts was right.

What traits say depends on the IR around an op: they are asked for each.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Attribute, Operation
from xdsl.irdl import OpDef
from xdsl.irdl.operations import AttrSizedSegments

from teloom.dialects.quick_ir.attributes import is_about_type
from teloom.dialects.quick_ir.replaced import XDSL, is_method_of

MOST_KEPT = 4096
"""The most ops of a definition that are remembered as right."""


class _Accepted:
    """What a definition has accepted."""

    def __init__(self, definition: OpDef):
        self._definition = definition
        said = {**definition.properties, **definition.attributes}
        by_class = {name for name, one in said.items() if is_about_type(one.constr)}
        segments = (one for one in definition.options if isinstance(one, AttrSizedSegments))
        self._by_class = by_class - {one.attribute_name for one in segments}
        self._traits = definition.traits  # traits may come later
        self._parts = set[tuple[object, ...]]()

    def verify(self, op: Operation) -> None:
        """Verifies an op: as xDSL does, or, if its parts were right before, what traits say."""
        parts = self._parts_of(op)
        if parts in self._parts:
            for trait in self._traits:
                trait.verify(op)
            return
        XDSL[OpDef, "verify"](self._definition, op)
        if len(self._parts) == MOST_KEPT:
            self._parts.clear()
        self._parts.add(parts)

    def _parts_of(self, op: Operation) -> tuple[object, ...]:
        """What a definition looks at in an op without regions."""
        return (
            *(operand.type for operand in op.operands),
            len(op.results),
            *(result.type for result in op.results),
            len(op.successors),
            *self._named(op.properties),
            None,
            *self._named(op.attributes),
        )

    def _named(self, said: dict[str, Attribute]) -> Iterator[object]:
        for name, one in said.items():
            yield name
            yield type(one) if name in self._by_class else one


@is_method_of(OpDef)
def verify(self: OpDef, op: Operation) -> None:
    if op.regions:
        XDSL[OpDef, "verify"](self, op)
        return
    accepted: _Accepted | None = vars(self).get("_accepted")
    if accepted is None:
        accepted = vars(self)["_accepted"] = _Accepted(self)
    accepted.verify(op)
