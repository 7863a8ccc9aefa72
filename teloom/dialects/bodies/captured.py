"""What ops use of the values around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, Region, SSAValue

from teloom.dialects.bodies.preorder import preorder

Operand = tuple[Operation, int]
"""An op and the number of one of its operands."""

Captured = Mapping[SSAValue, Sequence[Operand]]
"""Values from around an op that it uses, each with the ops that do and the number of the operand.

They stand in the order of their first use.
"""


def captured(root: Operation | Region) -> Captured:
    """The values from around `root` that an op in it, or itself, uses."""
    found: dict[SSAValue, list[Operand]] = {}
    for op in preorder(root):
        for number, value in enumerate(op.operands):
            found.setdefault(value, []).append((op, number))
    return {value: uses for value, uses in found.items() if not root.is_ancestor(value.owner)}
