"""Updates with random places: which elements begin, and what the points make of them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import islpy as isl
import numpy as np
from budget import EXAMPLES
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import teloom
from teloom import te
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.first_accesses import beginning, first_reads
from teloom.analysis.stages.read_maps import ReadMaps
from teloom.frontend.schedule.applied import Applied, applied
from teloom.passes.nests.forward_inits import forward

Place = tuple[tuple[int, int, int], ...]
"""A subscript for each dimension: factors of both axes of the domain, and a number."""

LEAST_SHORTER = 0.2  # of the updates: a pass that lets all elements begin would pass otherwise


def at(place: Place, i, j) -> tuple:
    return tuple(a * i + b * j + c for a, b, c in place)


@dataclass(frozen=True)
class Update:
    """A point (i, j) writes what it reads, from the elements and from an input, added up."""

    shape: tuple[int, ...]
    domain: tuple[tuple[int, int], ...]
    write: Place
    reads: tuple[Place, ...]
    condition: int | None
    """Points whose i and j add up to less write nothing."""

    def points(self) -> list[tuple[int, int]]:
        (first, end), (other, last) = self.domain
        return [*product(range(first, end), range(other, last))]

    def writes(self, i: int, j: int) -> bool:
        return self.condition is None or i + j >= self.condition

    def is_inside(self) -> bool:
        places = [at(one, *p) for one in (self.write, *self.reads) for p in self.points()]
        return all(0 <= k < n for one in places for k, n in zip(one, self.shape, strict=True))

    def tensors(self) -> list[te.Tensor]:
        A, B = (te.placeholder(self.shape, "int32", name=name) for name in "AB")
        axes = [
            te.reduce_axis(bounds, name) for bounds, name in zip(self.domain, "ij", strict=True)
        ]

        def step(S, i, j):
            place = at(self.write, i, j)
            total = B[place]
            for read in self.reads:
                total = total + S[at(read, i, j)]
            if self.condition is None:
                return place, total
            return place, total, i + j >= self.condition

        return [A, B, te.update(A, axes, step, name="S")]

    def expected(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        result = a.copy()
        for i, j in self.points():
            if self.writes(i, j):
                place = at(self.write, i, j)
                result[place] = b[place] + sum(result[at(one, i, j)] for one in self.reads)
        return result

    def first_reads(self) -> list[Place]:
        """The reads that find elements as they begin, all of which are written."""
        certain = self._certain()
        return [
            read
            for read in self.reads
            if self.condition is None
            and all(at(read, *p) in certain and at(read, *p) not in w for p, w in self._before())
        ]

    def beginning(self) -> set[tuple[int, ...]]:
        """The elements that have to begin, where `first_reads` do not read them."""
        first, certain = self.first_reads(), self._certain()
        elements = {*product(*map(range, self.shape))} - certain
        for read in self.reads:
            if read not in first:
                elements |= {at(read, *p) for p, w in self._before() if at(read, *p) not in w}
        return elements

    def _certain(self) -> set[tuple[int, ...]]:
        return set() if self.condition is not None else {at(self.write, *p) for p in self.points()}

    def _before(self) -> Iterator[tuple[tuple[int, int], set[tuple[int, ...]]]]:
        """Each point, with the elements that earlier ones have written."""
        written = set[tuple[int, ...]]()
        for point in self.points():
            yield point, written
            if self.writes(*point):
                written = written | {at(self.write, *point)}


@st.composite
def updates(draw: st.DrawFn) -> Update:
    rank = draw(st.integers(1, 2))
    starts = [draw(st.integers(0, 2)) for _ in range(2)]
    domain = tuple((start, start + draw(st.integers(0, 4))) for start in starts)
    unit = st.sampled_from([(1, 0), (0, 1), (1, 1), (-1, 0), (2, 0), (0, 0), (1, -1)])

    def place() -> Place:
        return tuple((*draw(unit), draw(st.integers(0, 6))) for _ in range(rank))

    write = place()
    near = st.tuples(*[st.integers(-2, 1)] * rank)
    moves = [draw(near) for _ in range(draw(st.integers(1, 2)))]
    reads = [
        tuple((a, b, c + d) for (a, b, c), d in zip(write, move, strict=True)) for move in moves
    ]
    if draw(st.booleans()):
        reads.append(place())
    condition = draw(st.none() | st.integers(0, 6))
    found = Update((14,) * rank, domain, write, tuple(dict.fromkeys(reads)), condition)
    assume(found.is_inside())
    return found


def elements_in(points: Points | None, shape: tuple[int, ...]) -> set[tuple[int, ...]]:
    if points is None:
        return {*product(*map(range, shape))}
    found = set[tuple[int, ...]]()

    def add(point: isl.Point) -> None:
        numbers = (point.get_coordinate_val(isl.dim_type.set, dim) for dim in range(len(shape)))
        found.add(tuple(number.to_python() for number in numbers))

    points.set.foreach_point(add)
    return found


def accesses_of(program: Applied) -> ReadMaps:
    return ReadMaps(program.func, [*program.func.sizes], isl.Context())


def test_elements_begin_if_they_are_read_before_they_are_written_or_stay():
    count = Counter[str]()

    @settings(max_examples=EXAMPLES)
    @given(updates())
    def check(update: Update):
        tensors = update.tensors()
        s = te.create_schedule(tensors[-1])
        program = applied(s)
        stage = program.stages["S"]
        forwarded = len(first_reads(stage, accesses_of(program)))
        assert forwarded == len(update.first_reads())
        forward(stage, accesses_of(program))
        begin = elements_in(beginning(stage, accesses_of(program)), update.shape)
        assert begin == update.beginning()
        rng = np.random.default_rng(0)
        a, b = rng.integers(-9, 9, (2, *update.shape)).astype("int32")
        with np.errstate(over="ignore"):
            expected = update.expected(a, b)
        teloom.build(s, tensors)(a, b, found := np.full_like(a, 77))
        np.testing.assert_array_equal(found, expected)
        count["all"] += 1
        count["forwarded"] += forwarded > 0
        count["shorter"] += len(begin) < a.size

    check()
    assert count["shorter"] >= LEAST_SHORTER * count["all"]
    assert count["forwarded"]
