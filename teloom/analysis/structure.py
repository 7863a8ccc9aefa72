"""What an operation says, as a text to compare: other than its printed form, whole and quick."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from xdsl.ir import Block, Operation, SSAValue

from teloom.dialects.bodies.preorder import preorder

_text_of = lru_cache(16384)(str)
"""The text of an attribute: a program has few, each of them often."""


def structure_of(root: Operation, names: bool = False) -> str:
    """A text that is equal for two operations that are alike, with all in them, and for no others.

    Locations do not count, and the names of values only with `names`. Values from outside count
    by their types, and by where they are used.
    """
    return "\n".join(_Structure(names).lines(root))


class Seen(NamedTuple):
    """The structure of an operation, and the values from outside that it uses, in their order."""

    structure: str
    outside: list[SSAValue]


def seen_in(root: Operation) -> Seen:
    """The result of `structure_of`, and the values that it knows by their types alone."""
    found = _Structure(False)
    return Seen("\n".join(found.lines(root)), found.outside)


class _Structure:
    def __init__(self, names: bool):
        self.names = names
        self.values: dict[SSAValue, str] = {}
        self.outside: list[SSAValue] = []
        self.blocks: dict[Block | None, int] = {}

    def lines(self, root: Operation) -> Iterator[str]:
        """A line per operation: its block, itself, its results, and the blocks in it."""
        for op in preorder(root):
            attributes = op.properties | op.attributes
            said = [f"{name}={_text_of(one)}" for name, one in attributes.items()]
            inner = [
                f"{number}^{self._block(block)}({self._values(block.args)})"
                for number, region in enumerate(op.regions)
                for block in region.blocks
            ]
            self.outside += (value for value in op.operands if value not in self.values)
            goals = [self._block(block) for block in op.successors]
            block = -1 if op is root else self._block(op.parent)
            yield (
                f"{block} {op.name} {self._values(op.operands)} {goals} {' '.join(sorted(said))}"
                f" -> {self._values(op.results)} {len(op.regions)} {inner}"
            )

    def _block(self, block: Block | None) -> int:
        return self.blocks.setdefault(block, len(self.blocks))

    def _values(self, values: Iterable[SSAValue]) -> str:
        return ",".join([self.values.get(value) or self._new(value) for value in values])

    def _new(self, value: SSAValue) -> str:
        """The number of a value, which stands for all that is said where it is first seen."""
        number = self.values[value] = str(1 + len(self.values))
        hint = f" {value.name_hint}" if self.names else ""
        return f"{number}:{_text_of(value.type)}{hint}"
