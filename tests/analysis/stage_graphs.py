"""Small programs of one to four stages with their schedules, as text and as plain functions.

Extents are `a * n + b` for one size n. What a stage computes is known without IR:
`StageGraph.value` is the oracle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations, product

from hypothesis import strategies as st


@dataclass(frozen=True)
class Linear:
    """`of_n * n + constant`."""

    of_n: int
    constant: int

    def at(self, n: int) -> int:
        return self.of_n * n + self.constant

    def __str__(self) -> str:
        if not self.of_n:
            return str(self.constant)
        term = "%n" if self.of_n == 1 else f"%n * {self.of_n}"
        return f"{term} + {self.constant}" if self.constant else term


def at_least(left: Linear, right: Linear) -> Linear:
    """A bound of both."""
    return Linear(max(left.of_n, right.of_n), max(left.constant, right.constant))


@dataclass(frozen=True)
class Subscript:
    """`sum(coefficient * axis) + offset`, then divided or taken modulo."""

    coefficients: tuple[int, ...]
    offset: Linear
    operation: str = ""
    divisor: int = 1

    def at(self, axes: tuple[int, ...], n: int) -> int:
        value = self.offset.at(n) + sum(c * a for c, a in zip(self.coefficients, axes, strict=True))
        if self.operation == "floordiv":
            return value // self.divisor
        return value % self.divisor if self.operation == "mod" else value

    def text(self, names: list[str]) -> str:
        terms = [
            name if c == 1 else f"{name} * {c}"
            for name, c in zip(names, self.coefficients, strict=True)
            if c
        ]
        if self.offset != Linear(0, 0) or not terms:
            terms.append(str(self.offset))
        total = " + ".join(terms)
        return f"({total}) {self.operation} {self.divisor}" if self.operation else total


@dataclass(frozen=True)
class Limit:
    """A condition of a read: subscript `axis` is in 0..extent - 1."""

    axis: int
    extent: Linear


@dataclass(frozen=True)
class Read:
    """A read of `tensor`, only where its conditions hold: 5 stands for it elsewhere.

    `ordered` are two axes of the reader of which the first is at most the second.
    """

    tensor: str
    subscripts: tuple[Subscript, ...]
    limit: Limit | None = None
    ordered: tuple[int, int] | None = None

    def happens(self, axes: tuple[int, ...], index: tuple[int, ...], n: int) -> bool:
        if self.ordered is not None:
            first, second = self.ordered
            if axes[first] > axes[second]:
                return False
        limit = self.limit
        return limit is None or 0 <= index[limit.axis] < limit.extent.at(n)


@dataclass
class Stage:
    """An equation: a mix of its reads and its axes, summed over its reduce axes."""

    name: str
    extents: list[Linear]
    reduces: list[tuple[Linear, Linear]]
    reads: list[Read] = field(default_factory=list)
    starts_from: Read | None = None
    commands: list[str] = field(default_factory=list)

    @property
    def axes(self) -> list[str]:
        """The names of its axes."""
        name = self.name.lower()
        data = [f"%{name}{k}" for k in range(len(self.extents))]
        return data + [f"%{name}r{k}" for k in range(len(self.reduces))]

    @property
    def is_stored_outside(self) -> bool:
        """Whether it is stored in a loop further out than it is computed."""
        return any("store_" in command or "rolling" in command for command in self.commands)

    def reduce_points(self, n: int) -> list[tuple[int, ...]]:
        ranges = [range(lower.at(n), upper.at(n)) for lower, upper in self.reduces]
        return list(product(*ranges))


@dataclass
class StageGraph:
    """Stages, producers first, over the argument A; the last one is the output."""

    stages: list[Stage]
    argument: list[Linear]

    @cached_property
    def by_name(self) -> dict[str, Stage]:
        return {stage.name: stage for stage in self.stages}

    @staticmethod
    def element(index: tuple[int, ...]) -> int:
        """An element of A: no two near each other are alike."""
        return sum((17 * axis + 3) * at + at * at for axis, at in enumerate(index)) + 1

    def evaluator(self, n: int) -> Callable[[str, tuple[int, ...]], int]:
        """Gives an element of any stage."""
        known: dict[tuple[str, tuple[int, ...]], int] = {}

        def value(name: str, index: tuple[int, ...]) -> int:
            if name == "A":
                return self.element(index)
            if (name, index) not in known:
                known[name, index] = compute(self.by_name[name], index)
            return known[name, index]

        def compute(stage: Stage, index: tuple[int, ...]) -> int:
            if not stage.reduces:
                return body(stage.reads, index)
            start = body([stage.starts_from], index) if stage.starts_from else 0
            points = stage.reduce_points(n)
            return start + sum(body(stage.reads, index + point) for point in points)

        def body(reads: list[Read], axes: tuple[int, ...]) -> int:
            total = axes[0] if axes else 1
            for read in reads:
                total = total * 3 + one(read, axes)
            return total

        def one(read: Read, axes: tuple[int, ...]) -> int:
            index = tuple(subscript.at(axes, n) for subscript in read.subscripts)
            return value(read.tensor, index) if read.happens(axes, index, n) else 5

        return value

    def text(self) -> str:
        """The function and its schedule."""
        output = self.stages[-1]
        lines = [
            f"te.func @f(%n: index, %A: {_type(self.argument)}{_extents(self.argument)})"
            f" -> ({_type(output.extents)}) {{"
        ]
        for stage in self.stages:
            lines += _stage_lines(stage, self.by_name)
        lines += [f"  te.return %{output.name} : {_type(output.extents)}", "}"]
        lines.append("schedule.sequence @s on @f {")
        for stage in self.stages:
            lines.append(f'  %{stage.name} = schedule.get "{stage.name}"')
            if stage.axes:
                axes = ", ".join(stage.axes)
                lines.append(f"  {axes} = schedule.axes {len(stage.axes)} of %{stage.name}")
        for stage in reversed(self.stages):
            lines += [f"  {command}" for command in stage.commands]
        return "\n".join([*lines, "}", ""])

    def _repr_pretty_(self, printer, cycle) -> None:
        printer.text(self.text())  # Hypothesis would print the fields


def _type(extents: list[Linear]) -> str:
    return "tensor<" + "".join(f"{'?' if e.of_n else e.constant}x" for e in extents) + "i64>"


def _extents(extents: list[Linear]) -> str:
    return f"[{', '.join(map(str, extents))}]"


def _stage_lines(stage: Stage, by_name: dict[str, Stage]) -> list[str]:
    data = len(stage.extents)
    axes = stage.axes
    header = ", ".join(f"{a} = {e}" for a, e in zip(axes[:data], stage.extents, strict=True))
    lines = [f'  %{stage.name} = te.compute "{stage.name}" ({header})']
    if stage.reduces:
        reduces = zip(axes[data:], stage.reduces, strict=True)
        lines[-1] += f" reduce ({', '.join(f'{a} = {lo} to {up}' for a, (lo, up) in reduces)})"
    lines[-1] += f" : {_type(stage.extents)} {{"
    lines += _body_lines(stage.reads, axes)
    if stage.reduces:
        lines += [
            "  } combine (%x: i64, %y: i64) identity [0 : i64] {",
            "    %s = arith.addi %x, %y : i64",
            "    te.yield %s : i64",
        ]
    if stage.starts_from:
        lines.append("  } init " + (f"({', '.join(axes[:data])}) {{"))
        lines += _body_lines([stage.starts_from], axes[:data])
    return [*lines, "  }"]


def _body_lines(reads: list[Read], axes: list[str]) -> list[str]:
    lines = ["    %three = arith.constant 3 : i64"]
    if axes:
        lines.append(f"    %t0 = arith.index_cast {axes[0]} : index to i64")
    else:
        lines.append("    %t0 = arith.constant 1 : i64")
    for k, read in enumerate(reads):
        subscripts = ", ".join(s.text(axes) for s in read.subscripts)
        plain = f"%r{k} = te.read %{read.tensor}[{subscripts}] : i64"
        if read.limit is None and read.ordered is None:
            lines.append(f"    {plain}")
        else:
            lines += _guarded_lines(k, read, axes, plain)
        lines.append(f"    %m{k} = arith.muli %t{k}, %three : i64")
        lines.append(f"    %t{k + 1} = arith.addi %m{k}, %r{k} : i64")
    return [*lines, f"    te.yield %t{len(reads)} : i64"]


def _guarded_lines(k: int, read: Read, axes: list[str], plain: str) -> list[str]:
    """A read that 5 stands for where its conditions do not hold."""

    def apply(name: str, text: str) -> str:
        used = [axis for axis in [*axes, "%n"] if axis in text.replace("(", " ").split()]
        for position, axis in enumerate(used):
            text = text.replace(axis, f"d{position}")
        dims = ", ".join(f"d{position}" for position in range(len(used)))
        return f"    {name} = affine.apply affine_map<({dims}) -> ({text})> ({', '.join(used)})"

    lines: list[str] = []
    conditions: list[str] = []
    if read.limit is not None:
        lines += [
            apply(f"%at{k}", read.subscripts[read.limit.axis].text(axes)),
            apply(f"%limit{k}", str(read.limit.extent)),
            f"    %zero{k} = arith.constant 0 : index",
            f"    %low{k} = arith.cmpi sge, %at{k}, %zero{k} : index",
            f"    %high{k} = arith.cmpi slt, %at{k}, %limit{k} : index",
        ]
        conditions += [f"%low{k}", f"%high{k}"]
    if read.ordered is not None:
        first, second = (axes[axis] for axis in read.ordered)
        lines.append(f"    %ordered{k} = arith.cmpi sle, {first}, {second} : index")
        conditions.append(f"%ordered{k}")
    inside, *others = conditions
    for number, condition in enumerate(others):
        lines.append(f"    %in{k}_{number}_ = arith.andi {inside}, {condition} : i1")
        inside = f"%in{k}_{number}_"
    return [
        *lines,
        f"    %r{k} = scf.if {inside} -> (i64) {{",
        f"      %v{k} = {plain.removeprefix(f'%r{k} = ')}",
        f"      scf.yield %v{k} : i64",
        "    } else {",
        f"      %pad{k} = arith.constant 5 : i64",
        f"      scf.yield %pad{k} : i64",
        "    }",
    ]


# --- generated graphs -----------------------------------------------------------------

_EXTENTS = st.one_of(
    st.builds(Linear, st.just(0), st.integers(1, 7)),
    st.builds(Linear, st.just(0), st.integers(1, 7)),
    st.builds(Linear, st.integers(1, 2), st.integers(0, 1)),
)


@st.composite
def stage_graphs(draw: Callable) -> StageGraph:
    """A program of one to four stages with a schedule; some schedules are illegal."""
    count = draw(st.integers(1, 4))
    names = ["B", "C", "D", "E"][4 - count :]
    ranks = {name: draw(st.integers(1, 2)) for name in names} | {"A": draw(st.integers(1, 2))}
    needed: dict[str, list[Linear]] = {name: [Linear(0, 0)] * rank for name, rank in ranks.items()}
    needed[names[-1]] = [draw(_EXTENTS) for _ in range(ranks[names[-1]])]
    stages: list[Stage] = []
    for position in reversed(range(count)):
        stage = Stage(names[position], needed[names[position]], draw(_reduces()))
        producers = names[:position] or ["A"]
        # Each producer has a reader, the nearest of the stages behind it.
        tensors = [producers[-1], *draw(st.lists(st.sampled_from(producers), max_size=2))]
        stage.reads = [draw(_read(stage, tensor, needed)) for tensor in tensors]
        if stage.reduces and draw(st.integers(0, 3)) == 0:
            without = Stage(stage.name, stage.extents, [])
            stage.starts_from = draw(_read(without, draw(st.sampled_from(producers)), needed))
        stages.insert(0, stage)
    graph = StageGraph(stages, needed["A"])
    _Schedules(draw, graph).generate()
    return graph


@st.composite
def _reduces(draw: Callable) -> list[tuple[Linear, Linear]]:
    found: list[tuple[Linear, Linear]] = []
    for _ in range(draw(st.sampled_from((0, 0, 0, 1, 1, 2)))):
        lower = Linear(0, draw(st.sampled_from((0, 0, 2))))
        length = draw(_EXTENTS)
        upper = Linear(length.of_n, min(length.constant, 4) + lower.constant)
        found.append((lower, upper))
    return found


@st.composite
def _read(draw: Callable, stage: Stage, tensor: str, needed: dict[str, list[Linear]]) -> Read:
    """A read that stays inside what it makes `tensor` be."""
    ends = [*stage.extents, *(upper for _, upper in stage.reduces)]
    rank = len(needed[tensor])
    limit = None
    limited = draw(st.sampled_from([None] * 3 * rank + list(range(rank))))
    ordered = None
    if len(ends) > 1 and draw(st.integers(0, 5)) == 0:
        first, second, *_ = draw(st.permutations(range(len(ends))))
        ordered = first, second
    subscripts: list[Subscript] = []
    for axis in range(rank):
        subscript, extent = draw(_subscript(ends))
        if axis == limited:
            back = draw(st.integers(0, 2))
            offset = Linear(subscript.offset.of_n, subscript.offset.constant - back)
            if (not subscript.operation and offset.constant >= 0) or offset.of_n == 0:
                subscript = Subscript(subscript.coefficients, offset)
            limit = Limit(axis, draw(_EXTENTS))
            extent = limit.extent
        needed[tensor][axis] = at_least(needed[tensor][axis], extent)
        subscripts.append(subscript)
    return Read(tensor, tuple(subscripts), limit, ordered)


@st.composite
def _subscript(draw: Callable, ends: list[Linear]) -> tuple[Subscript, Linear]:
    """A subscript that is never negative, and an extent that holds all its values."""
    kind = draw(st.sampled_from(("axis", "axis", "axis", "sum", "sum", "back", "div", "mod")))
    coefficients = [0] * len(ends)
    offset = Linear(0, draw(st.integers(0, 2)))
    chosen = draw(st.integers(0, len(ends) - 1))
    coefficients[chosen] = 1
    end = ends[chosen]
    if kind == "back":
        # n - 1 - i; where n is 0 nothing runs.
        coefficients[chosen] = -1
        return Subscript(tuple(coefficients), Linear(end.of_n, end.constant - 1)), end
    if kind == "mod":
        divisor = draw(st.integers(2, 4))
        return Subscript(tuple(coefficients), offset, "mod", divisor), Linear(0, divisor)
    if kind == "div":
        divisor = draw(st.integers(2, 3))
        extent = Linear(end.of_n, end.constant + 2)
        return Subscript(tuple(coefficients), offset, "floordiv", divisor), extent
    if kind == "sum":
        coefficients[chosen] = draw(st.integers(1, 3))
        coefficients[draw(st.integers(0, len(ends) - 1))] = draw(st.integers(0, 2))
    total = Linear(0, offset.constant + 1)
    for coefficient, end in zip(coefficients, ends, strict=True):
        total = Linear(
            total.of_n + coefficient * end.of_n,
            total.constant + coefficient * (end.constant - 1),
        )
    # An axis of extent n + 0 gives n - 1 + ..., which may be below 0 where nothing runs.
    return Subscript(tuple(coefficients), offset), Linear(total.of_n, max(total.constant, 0))


MAPS = (
    ("d1", "d0 + 3"),
    ("d0 + d1", "d1"),
    ("d0 + d1", "d0 - d1"),
    ("d0 * 2", "d1"),
    ("d0 floordiv 3", "d1", "d0 mod 3"),
    ("d0 floordiv 2 + d1", "d1", "d0 mod 2"),
)
"""Injective functions of two axes."""


class _Schedules:
    """Draws commands for every stage, consumers first."""

    def __init__(self, draw: Callable, graph: StageGraph):
        self.draw, self.graph = draw, graph
        self.leaves: dict[str, list[str]] = {}
        self.places: dict[str, tuple[str, str]] = {}

    def pick(self, choices):
        return self.draw(st.sampled_from(choices))

    def generate(self) -> None:
        moves = (self.shift, self.reverse, self.skew, self.remap)
        changes = (self.split, self.split, self.fuse, self.reorder, *moves)
        for stage in reversed(self.graph.stages):
            leaves = list(stage.axes)
            for _ in range(self.pick((0, 1, 2, 2, 3, 4))):
                change = self.pick(changes)
                change(stage, leaves)
            self.leaves[stage.name] = leaves
            if stage is not self.graph.stages[-1]:
                self.place(stage)

    def split(self, stage: Stage, leaves: list[str]) -> None:
        axis = self.pick(leaves)
        made = [f"{axis}o", f"{axis}i"]
        word = self.pick(("factor", "factor", "nparts"))
        number = self.pick((1, 2, 3, 4, 5, 8))
        stage.commands.append(f"{', '.join(made)} = schedule.split {axis} {word} {number}")
        position = leaves.index(axis)
        leaves[position : position + 1] = made

    def fuse(self, stage: Stage, leaves: list[str]) -> None:
        pairs = [
            position
            for position in range(len(leaves) - 1)
            if self.reduces(stage, leaves[position]) == self.reduces(stage, leaves[position + 1])
        ]
        if not pairs:
            return
        first = self.pick(pairs)
        fused = f"{leaves[first]}f{len(stage.commands)}"
        joined = ", ".join(leaves[first : first + 2])
        stage.commands.append(f"{fused} = schedule.fuse {joined}")
        leaves[first : first + 2] = [fused]

    def shift(self, stage: Stage, leaves: list[str]) -> None:
        offset = self.pick((-9, -3, -1, 1, 2, 4))
        self.move(stage, leaves, self.pick(leaves), "shift {} by " + str(offset))

    def reverse(self, stage: Stage, leaves: list[str]) -> None:
        self.move(stage, leaves, self.pick(leaves), "reverse {}")

    def skew(self, stage: Stage, leaves: list[str]) -> None:
        pairs = [
            (axis, along)
            for axis, along in permutations(leaves, 2)
            if self.reduces(stage, axis) == self.reduces(stage, along)
        ]
        if pairs:
            axis, along = self.pick(pairs)
            factor = self.pick((-2, -1, 1, 1, 3))
            self.move(stage, leaves, axis, f"skew {{}} along {along} factor {factor}")

    def remap(self, stage: Stage, leaves: list[str]) -> None:
        pairs = [
            pair
            for pair in permutations(leaves, 2)
            if self.reduces(stage, pair[0]) == self.reduces(stage, pair[1])
        ]
        if not pairs:
            return
        pair, exprs = self.pick(pairs), self.pick(MAPS)
        made = [f"{pair[0]}p{len(stage.commands)}_{number}" for number in range(len(exprs))]
        map = f"affine_map<(d0, d1) -> ({', '.join(exprs)})>"
        stage.commands.append(f"{', '.join(made)} = schedule.remap {', '.join(pair)} by {map}")
        outer, inner = sorted(pair, key=leaves.index)
        leaves.remove(inner)
        position = leaves.index(outer)
        leaves[position : position + 1] = made

    @staticmethod
    def move(stage: Stage, leaves: list[str], axis: str, command: str) -> None:
        """A command that replaces `axis` by one other axis."""
        moved = f"{axis}m{len(stage.commands)}"
        stage.commands.append(f"{moved} = schedule.{command.format(axis)}")
        leaves[leaves.index(axis)] = moved

    @staticmethod
    def reduces(stage: Stage, axis: str) -> bool:
        return axis.startswith(f"%{stage.name.lower()}r")

    def reorder(self, stage: Stage, leaves: list[str]) -> None:
        leaves[:] = self.draw(st.permutations(leaves))
        stage.commands.append(f"schedule.reorder {', '.join(leaves)}")

    def place(self, stage: Stage) -> None:
        """Puts a stage at a loop around all that read it, sometimes at any loop of a reader."""
        readers = [
            reader.name
            for reader in self.graph.stages
            if any(
                read.tensor == stage.name for read in [*reader.reads, reader.starts_from] if read
            )
        ]
        if not self.pick((True, True, True, False)):
            return
        legal = list(common_start([self.loops_around(reader) for reader in readers]))
        if self.pick((True,) * 7 + (False,)) and legal:
            place = self.pick(legal)
        else:
            reader = self.pick(readers)
            place = reader, self.pick(self.leaves[reader])
        self.places[stage.name] = place
        stage.commands.append(f"schedule.compute_at %{stage.name}, %{place[0]}, {place[1]}")
        self.store(stage)

    def store(self, stage: Stage) -> None:
        """Stores a stage in a loop further out, folded or not."""
        kind = self.pick(("there", "there", "there", "root", "loop", "rolling"))
        if kind == "root":
            stage.commands.append(f"schedule.store_root %{stage.name}")
        elif kind == "rolling":
            stage.commands.append(f"schedule.rolling_buffer %{stage.name}")
        elif kind == "loop":
            outside = self.loops_around(self.places[stage.name][0])
            around, axis = self.pick(outside[: outside.index(self.places[stage.name]) + 1])
            stage.commands.append(f"schedule.store_at %{stage.name}, %{around}, {axis}")
        if kind in ("root", "loop"):
            for axis in stage.axes[: len(stage.extents)]:
                if self.pick((True, False)):
                    stage.commands.append(f"schedule.fold_storage {axis}")

    def loops_around(self, name: str) -> list[tuple[str, str]]:
        """The loops around the equation of a stage, outermost first, each with its stage."""
        own = [(name, leaf) for leaf in self.leaves[name]]
        if name not in self.places:
            return own
        outside = self.loops_around(self.places[name][0])
        return outside[: outside.index(self.places[name]) + 1] + own


def common_start(lists: list[list[tuple[str, str]]]) -> Iterator[tuple[str, str]]:
    """What all lists begin with."""
    for first, *others in zip(*lists, strict=False):
        if any(other != first for other in others):
            return
        yield first
