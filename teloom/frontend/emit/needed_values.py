"""Which parts of an expression are computed in any case, whatever its conditions are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, NamedTuple, TypeVar

from teloom.dialects.bodies.postorder import postorder

Node = TypeVar("Node", bound=Hashable)


class Parts(NamedTuple, Generic[Node]):
    """The parts of a node: those that it always needs, and two of which it needs one."""

    always: Sequence[Node]
    branches: tuple[Node, Node] | None = None

    @property
    def all(self) -> Sequence[Node]:
        return [*self.always, *(self.branches or ())]


class NeededValues(Generic[Node]):
    """The nodes that others need in any case, as the bits of numbers.

    >>> parts = {
    ...     "if": Parts(["c"], ("x + 1", "x * 2")),
    ...     "x + 1": Parts(["x"]),
    ...     "x * 2": Parts(["x"]),
    ... }
    >>> needed = NeededValues(lambda node: parts.get(node, Parts([])))
    >>> needed.by_both("x + 1", "x * 2")
    ['x']
    """

    def __init__(self, parts: Callable[[Node], Parts[Node]]):
        self._parts = parts
        self._nodes: list[Node] = []
        self._needed: dict[Node, int] = {}

    def by_both(self, first: Node, second: Node) -> list[Node]:
        """The nodes that both need, or are, each behind what it needs itself."""
        left = self._of(first) & self._of(second)
        found: list[Node] = []
        while left:
            lowest = left & -left
            found.append(self._nodes[lowest.bit_length() - 1])
            left ^= lowest
        return found

    def _of(self, root: Node) -> int:
        if root not in self._needed:
            for node in postorder([root], self._new_parts):
                self._add(node)
        return self._needed[root]

    def _new_parts(self, node: Node) -> Sequence[Node]:
        return () if node in self._needed else self._parts(node).all

    def _add(self, node: Node) -> None:
        if node in self._needed:
            return
        always, branches = self._parts(node)
        needed = 1 << len(self._nodes)
        self._nodes.append(node)
        for part in always:
            needed |= self._needed[part]
        if branches is not None:
            needed |= self._needed[branches[0]] & self._needed[branches[1]]
        self._needed[node] = needed
