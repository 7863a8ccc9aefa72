"""The order in which the parts of a program can be computed, however deep they are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

from xdsl.ir import Block, SSAValue

Node = TypeVar("Node", bound=Hashable)


def postorder(roots: Iterable[Node], parts: Callable[[Node], Sequence[Node]]) -> Iterator[Node]:
    """Every node that `roots` are made of, once, behind its parts; from left to right.

    Takes as long as the graph is large: nodes that are shared are met once, and a chain may
    be deeper than Python's stack. What is computed of a node may be asked for in `parts` of
    those that come later.

    >>> parts = {"sum": ["x", "y"], "y": ["x"], "x": []}
    >>> list(postorder(["sum"], parts.__getitem__))
    ['x', 'y', 'sum']
    """
    done: set[Node] = set()
    pending = [(root, False) for root in roots][::-1]
    while pending:
        node, is_ready = pending.pop()
        if node in done:
            continue
        inner = () if is_ready else parts(node)
        if not inner:
            done.add(node)
            yield node
            continue
        pending.append((node, True))
        pending += [(part, False) for part in reversed(inner)]


def operands_of(value: SSAValue) -> Sequence[SSAValue]:
    """The parts of an SSA value: what its op computes it from, nothing of an argument."""
    return () if isinstance(value.owner, Block) else value.owner.operands
