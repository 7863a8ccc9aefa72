"""Chains of three stages, the last one in threads, and which thread needs which element.

D reads C, which reads B; C and B are computed in loops of D, some of them over threads,
and stored in scopes. What threads see of a scope is a table here, elements are sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from analysis.stage_graphs import Linear, Read, Stage, StageGraph, Subscript
from hypothesis import strategies as st

Index = tuple[int, ...]
Computed = dict[Index, set[Index]]
"""What is computed, by where the loops around are."""

BLOCKS = ("blockIdx.x", "blockIdx.y", "blockIdx.z")
THREADS = ("threadIdx.x", "threadIdx.y", "threadIdx.z")
SEEN_BY = {
    "global": (*BLOCKS, *THREADS),
    "shared": THREADS,
    "warp": ("threadIdx.x",),
    "local": (),
}
"""The thread axes whose threads all see one copy of what is in a scope."""


@dataclass
class Leaf:
    """A leaf of D: an axis, or one `part` of a split of it by `word` and `number`."""

    name: str
    axis: int
    extent: Linear
    part: str = ""
    word: str = ""
    number: int = 1
    kind: str = ""

    def at(self, point: Index, n: int) -> int:
        factor = self.number
        if self.word == "nparts":
            factor = max(1, -(-self.extent.at(n) // self.number))
        coordinate = point[self.axis]
        return {"": coordinate, "o": coordinate // factor, "i": coordinate % factor}[self.part]

    @property
    def is_opaque(self) -> bool:
        """Whether the axis is no affine expression of its leaves."""
        return self.word == "nparts" and self.extent.of_n > 0


@dataclass
class ThreadedGraph:
    """The program, the leaves of D in order, and for B and C how many of them are around."""

    graph: StageGraph
    leaves: list[Leaf]
    depths: dict[str, int]
    scopes: dict[str, str]

    def scope(self, name: str) -> str:
        """The scope of a stage, also where the schedule leaves it out."""
        kinds = [leaf.kind for leaf in self.leaves[: self.depths[name]]]
        if name in self.scopes:
            return self.scopes[name]
        if any(kind in THREADS for kind in kinds):
            return "local"
        return "shared" if any(kind in BLOCKS for kind in kinds) else "global"

    def needed(self, name: str, readers: Iterable[tuple[Index, Index]], n: int) -> Computed:
        """What a stage has to compute where, for readers at (loops around, point)."""
        depth, seen = self.depths[name], SEEN_BY[self.scope(name)]
        of_reader = {"C": "D", "B": "C"}[name]
        needs: Computed = {}
        for at, point in readers:
            key = self._without(at[:depth], seen)
            for read in self.graph.by_name[of_reader].reads:
                element = tuple(subscript.at(point, n) for subscript in read.subscripts)
                needs.setdefault(key, set()).add(element)
        return needs

    def expected(self, name: str, at: Index, needs: Computed) -> set[Index]:
        """What a stage computes where the loops around are at `at`."""
        return needs.get(self._without(at, SEEN_BY[self.scope(name)]), set())

    def _without(self, at: Index, seen: Sequence[str]) -> Index:
        """`at`, without where the threads are that see one copy."""
        kinds = [leaf.kind for leaf in self.leaves]
        return tuple(k if kind not in seen else -1 for k, kind in zip(at, kinds, strict=False))

    def instances(self, n: int) -> list[tuple[Index, Index]]:
        """The points of D, each with the values of its leaves."""
        extents = [extent.at(n) for extent in self.graph.by_name["D"].extents]
        points = product(*(range(extent) for extent in extents))
        return [(tuple(leaf.at(point, n) for leaf in self.leaves), point) for point in points]

    @property
    def is_exact(self) -> bool:
        """Whether no more is computed than what is needed."""
        return not any(leaf.is_opaque for leaf in self.leaves)

    def _repr_pretty_(self, printer, cycle) -> None:
        printer.text(self.graph.text())


@st.composite
def threaded_graphs(draw: Callable) -> ThreadedGraph:
    """A chain with a legal schedule; each read is inside its tensor."""
    rows = draw(st.sampled_from((Linear(1, 0), Linear(2, 1), Linear(0, 5))))
    d = Stage("D", [rows, Linear(0, draw(st.integers(1, 7)))], [])
    c = _producer(draw, "C", d)
    b = _producer(draw, "B", c)
    argument = _producer(draw, "A", b).extents
    leaves = draw(_leaves(d))
    depth = draw(st.integers(1, len(leaves)))
    depths = {"C": depth, "B": draw(st.integers(1, depth))}
    scopes: dict[str, str] = {}
    for stage in (c, b):
        stage.commands.append(
            f"schedule.compute_at %{stage.name}, %D, {leaves[depths[stage.name] - 1].name}"
        )
        scope = draw(st.sampled_from((None, *SEEN_BY)))
        if scope is not None:
            stage.commands.append(f'schedule.set_scope %{stage.name} "{scope}"')
            scopes[stage.name] = scope
    return ThreadedGraph(StageGraph([b, c, d], argument), leaves, depths, scopes)


def _producer(draw: Callable, name: str, reader: Stage) -> Stage:
    """A stage of one or two axes that `reader` reads once or twice."""
    rank = draw(st.integers(1, 2))
    extents = [Linear(0, 0)] * rank
    for _ in range(draw(st.integers(1, 2))):
        subscripts: list[Subscript] = []
        for axis in range(rank):
            factors = tuple(draw(st.sampled_from((0, 1, 1, 2))) for _ in reader.extents)
            offset = draw(st.integers(0, 3))
            subscripts.append(Subscript(factors, Linear(0, offset)))
            # Where a reader has no points the extent is only to be not negative.
            last = Linear(
                sum(f * e.of_n for f, e in zip(factors, reader.extents, strict=True)),
                sum(f * e.constant for f, e in zip(factors, reader.extents, strict=True)),
            )
            extents[axis] = Linear(
                max(extents[axis].of_n, last.of_n),
                max(extents[axis].constant, last.constant + offset + 1),
            )
        reader.reads.append(Read(name, tuple(subscripts), None))
    return Stage(name, extents, [])


@st.composite
def _leaves(draw: Callable, stage: Stage) -> list[Leaf]:
    """The leaves of a stage, split, ordered and bound by commands."""
    leaves: list[Leaf] = []
    for position, (axis, extent) in enumerate(zip(stage.axes, stage.extents, strict=True)):
        number = draw(st.sampled_from((None, 1, 2, 3, 4)))
        if number is None:
            leaves.append(Leaf(axis, position, extent))
            continue
        word = draw(st.sampled_from(("factor", "factor", "nparts")))
        made = [Leaf(f"{axis}{part}", position, extent, part, word, number) for part in "oi"]
        names = ", ".join(leaf.name for leaf in made)
        stage.commands.append(f"{names} = schedule.split {axis} {word} {number}")
        leaves += made
    leaves = draw(st.permutations(leaves))
    stage.commands.append(f"schedule.reorder {', '.join(leaf.name for leaf in leaves)}")
    tags = draw(st.permutations([*BLOCKS, *THREADS]))
    for leaf, tag in zip(leaves, tags, strict=False):
        if draw(st.integers(0, 3)):
            leaf.kind = tag
            stage.commands.append(f'schedule.bind {leaf.name} "{tag}"')
    return leaves
