"""Random stages computed at loops of each other, as text: what the inference of bounds is for.

Two to four equations read each other at subscripts of many forms. Their axes are split, fused,
moved and reordered, and they are computed, stored and cached in each other's loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from random import Random

from analysis.stage_graphs import Linear, at_least, common_start

from teloom.passes.loops.infer_bounds import InferBoundsPass

GATHERED = 3
"""What a gather reads of a tensor: its first elements along an axis, this many."""

MOST_POINTS = 250
"""Of all stages together: a stage may be computed again in each iteration of a loop."""

LARGEST = 3
"""The largest size that a symbolic program runs with."""

INFERENCES = (
    *(InferBoundsPass() for _ in range(4)),
    *(InferBoundsPass(mode=mode) for mode in ("exact", "hull", "box")),
    *(InferBoundsPass(budget=budget) for budget in (1, 300, 3000)),
)

SUBSCRIPTS = ("scaled", "sum", "sum", "back", "apart", "div", "mod", "nested", "fix")
"""Besides axes and an offset."""

Place = tuple[str, str]
"""A stage, and an axis of it."""


@dataclass(frozen=True)
class Attached:
    """A `te.func @f` with its schedule as text, and the pass that infers its bounds."""

    text: str
    inference: InferBoundsPass

    def __str__(self) -> str:
        passes = f"apply-schedule,{self.inference.pipeline_pass_spec()},build-loops"
        return f"// RUN: teloom-opt %s -p '{passes}'\n{self.text}"


@dataclass
class _Stage:
    """An equation, and the leaves of its loops as far as it is scheduled."""

    name: str
    extents: list[Linear]
    reduces: list[Linear]
    body: list[str] = field(default_factory=list)
    reads: set[str] = field(default_factory=set)

    @property
    def ends(self) -> list[Linear]:
        return [*self.extents, *self.reduces]

    @property
    def axes(self) -> list[str]:
        name = self.name.lower()
        data = [f"%{name}{k}" for k in range(len(self.extents))]
        return data + [f"%{name}r{k}" for k in range(len(self.reduces))]

    def lines(self) -> list[str]:
        axes = list(zip(self.axes, self.ends, strict=True))
        data, reduce = axes[: len(self.extents)], axes[len(self.extents) :]
        header = f'  %{self.name} = te.compute "{self.name}" ({_ranges(data)})'
        if reduce:
            header += f" reduce ({_ranges(reduce)})"
        lines = [f"{header} : {tensor_type(self.extents)} {{", *self.body]
        if reduce:
            lines += [
                "  } combine (%x: i64, %y: i64) identity [0 : i64] {",
                "    %s = arith.addi %x, %y : i64",
                "    te.yield %s : i64",
            ]
        return [*lines, "  }"]


def attached(seed: int) -> Attached:
    """The pair of that number."""
    random = Random(seed)
    program = Program(random)
    while program.points() > MOST_POINTS:
        program = Program(random)
    lines = [*program.lines(), *_Schedule(random, program).lines()]
    return Attached("\n".join([*lines, ""]), random.choice(INFERENCES))


class Program:
    """The equations, consumers made first: they say how large their producers are."""

    def __init__(self, random: Random):
        self.random = random
        self.is_symbolic = random.random() < 0.2
        names = "BCDE"[: random.choice((2, 2, 2, 3, 3, 4))]
        self.extents = {name: [Linear(0, 0)] * random.choice((1, 2, 2, 2, 3)) for name in names}
        self.extents |= {"A": [Linear(0, 0)] * random.choice((1, 2)), "I": [Linear(0, 0)]}
        self.extents[names[-1]] = [self.extent() for _ in self.extents[names[-1]]]
        # Of some kinds only: pairs of many kinds have few of each.
        self.subscripts = (
            "axis",
            "axis",
            *random.sample(SUBSCRIPTS, random.choice((0, 1, 1, 2, 9))),
        )
        self.computes = random.random() < 0.2
        self.stages: list[_Stage] = []
        for position in reversed(range(len(names))):
            producers = list(names[:position]) or ["A"]
            self.stages.insert(0, self.stage(names[position], producers))
        self.has_gather = any("I" in stage.reads for stage in self.stages)

    def points(self) -> int:
        return sum(prod(end.at(LARGEST) for end in stage.ends) for stage in self.stages)

    def extent(self) -> Linear:
        if self.is_symbolic and self.random.random() < 0.5:
            return Linear(1, self.random.choice((0, 0, 1)))
        return Linear(0, self.random.choice((1, 2, 3, 3, 4, 5, 6)))

    def stage(self, name: str, producers: Sequence[str]) -> _Stage:
        random = self.random
        reduces = [self.extent() for _ in range(random.choice((0, 0, 0, 0, 1, 2)))]
        stage = _Stage(name, self.extents[name], reduces)
        # Each producer has a reader, the nearest of the stages behind it.
        tensors = [producers[-1], *random.choices([*producers, "A"], k=random.choice((0, 0, 1, 2)))]
        stage.body = ["    %three = arith.constant 3 : i64"]
        if stage.axes:
            stage.body.append(f"    %t0 = arith.index_cast {stage.axes[0]} : index to i64")
        else:
            stage.body.append("    %t0 = arith.constant 1 : i64")
        for number, tensor in enumerate(tensors):
            self.read(stage, number, tensor)
        stage.body.append(f"    te.yield %t{len(tensors)} : i64")
        return stage

    def read(self, stage: _Stage, number: int, tensor: str) -> None:
        """Adds a read to a body, inside of what it makes the tensor be."""
        subscripts: list[str] = []
        condition = ""
        for axis in range(len(self.extents[tensor])):
            if not stage.axes:
                subscript, end = "0", Linear(0, 1)
            elif self.computes and self.random.random() < 0.3:
                subscript, end = self.computed(stage, f"{number}_{axis}_")
            else:
                subscript, end = self.affine(stage)
                if not condition and self.random.random() < 0.1:
                    condition = subscript
            self.extents[tensor][axis] = at_least(self.extents[tensor][axis], end)
            subscripts.append(subscript)
        stage.reads.add(tensor)
        plain = f"te.read %{tensor}[{', '.join(subscripts)}] : i64"
        if condition:
            stage.body += self.guarded(stage, number, condition, plain)
        else:
            stage.body.append(f"    %r{number} = {plain}")
        stage.body += [
            f"    %m{number} = arith.muli %t{number}, %three : i64",
            f"    %t{number + 1} = arith.addi %m{number}, %r{number} : i64",
        ]

    def guarded(self, stage: _Stage, number: int, subscript: str, plain: str) -> list[str]:
        """A read that happens where a subscript is at least, or below, some number."""
        word, limit = self.random.choice(("sge", "slt")), self.random.choice((1, 2, 3))
        return [
            apply(f"%at{number}", subscript, stage.axes),
            f"    %limit{number} = arith.constant {limit} : index",
            f"    %is{number} = arith.cmpi {word}, %at{number}, %limit{number} : index",
            f"    %r{number} = scf.if %is{number} -> (i64) {{",
            f"      %v{number} = {plain}",
            f"      scf.yield %v{number} : i64",
            "    } else {",
            f"      %pad{number} = arith.constant 5 : i64",
            f"      scf.yield %pad{number} : i64",
            "    }",
        ]

    def affine(self, stage: _Stage) -> tuple[str, Linear]:
        """A subscript that is never negative, and an extent that holds all its values."""
        random = self.random
        axis, end = random.choice(list(zip(stage.axes, stage.ends, strict=True)))
        other, other_end = random.choice(list(zip(stage.axes, stage.ends, strict=True)))
        offset = random.choice((0, 0, 0, 0, 1, 2))
        start = f"{axis} + {offset}" if offset else axis
        match random.choice(self.subscripts):
            case "scaled":
                factor = random.choice((2, 2, 3))
                last = Linear(factor * end.of_n, factor * (end.constant - 1))
                return f"{axis} * {factor} + {offset}", _plus(last, offset + 1)
            case "sum":
                factor = random.choice((1, 1, 2))
                last = Linear(
                    end.of_n + factor * other_end.of_n,
                    end.constant - 1 + factor * (other_end.constant - 1),
                )
                return f"{start} + {other} * {factor}", _plus(last, offset + 1)
            case "back":
                # n - 1 - i; where n is 0 nothing runs.
                return f"{axis} * -1 + {_plus(end, -1)}", end
            case "apart" if axis != other:
                last = Linear(end.of_n + other_end.of_n, end.constant + other_end.constant - 1)
                return f"{axis} + {other} * -1 + {_plus(other_end, -1)}", _plus(last, 1)
            case "div":
                divisor = random.choice((2, 2, 3))
                return f"({start}) floordiv {divisor}", _quotient(_plus(end, offset), divisor)
            case "mod":
                divisor = random.choice((2, 3, 4))
                return f"({start}) mod {divisor}", Linear(0, divisor)
            case "nested":
                # In blocks of two: the block, and the place in it the other way round.
                text = f"({start}) floordiv 2 * 2 + ({start}) mod 2 * -1 + 1"
                return text, _plus(end, offset + 1)
            case "fix":
                return str(offset), Linear(0, offset + 1)
        return start, _plus(end, offset)

    def computed(self, stage: _Stage, name: str) -> tuple[str, Linear]:
        """A subscript that is clamped, or data."""
        axis = self.random.randrange(len(stage.axes))
        at, end = stage.axes[axis], stage.ends[axis]
        if self.random.random() < 0.5:
            low = self.random.choice((0, 0, 1))
            high = low + self.random.choice((0, 1, 3))
            stage.body += [
                apply(f"%from{name}", f"{at} + -1", stage.axes),
                f"    %low{name} = arith.constant {low} : index",
                f"    %high{name} = arith.constant {high} : index",
                f"    %up{name} = arith.maxsi %from{name}, %low{name} : index",
                f"    %c{name} = arith.minsi %up{name}, %high{name} : index",
            ]
            return f"%c{name}", Linear(0, high + 1)
        self.extents["I"] = [at_least(self.extents["I"][0], end)]
        stage.reads.add("I")
        stage.body += [
            f"    %data{name} = te.read %I[{at}] : i64",
            f"    %near{name} = arith.index_cast %data{name} : i64 to index",
            f"    %c{name} = te.bounded %near{name} in 0 to {GATHERED}",
        ]
        return f"%c{name}", Linear(0, GATHERED)

    def arguments(self) -> list[str]:
        return ["A", "I"] if self.has_gather else ["A"]

    def lines(self) -> list[str]:
        arguments = [
            f"%{name}: {tensor_type(self.extents[name])}[{', '.join(map(str, self.extents[name]))}]"
            for name in self.arguments()
        ]
        size = ["%n: index"] if self.is_symbolic else []
        output = self.stages[-1]
        result = tensor_type(output.extents)
        lines = [f"te.func @f({', '.join([*size, *arguments])}) -> ({result}) {{"]
        for stage in self.stages:
            lines += stage.lines()
        return [*lines, f"  te.return %{output.name} : {result}", "}"]


def apply(name: str, text: str, axes: Sequence[str]) -> str:
    """An op for an affine expression of axes and of `%n`."""
    used = [
        axis for axis in [*axes, "%n"] if axis in text.replace("(", " ").replace(")", " ").split()
    ]
    for position, axis in enumerate(used):
        text = text.replace(axis, f"d{position}")
    dims = ", ".join(f"d{position}" for position in range(len(used)))
    return f"    {name} = affine.apply affine_map<({dims}) -> ({text})> ({', '.join(used)})"


def tensor_type(extents: Sequence[Linear]) -> str:
    return f"tensor<{''.join(f'{_size(extent)}x' for extent in extents)}i64>"


def _size(extent: Linear) -> str:
    return "?" if extent.of_n else str(extent.constant)


def _ranges(axes: Sequence[tuple[str, Linear]]) -> str:
    return ", ".join(f"{axis} = {end}" for axis, end in axes)


def _plus(extent: Linear, offset: int) -> Linear:
    return Linear(extent.of_n, extent.constant + offset)


def _quotient(end: Linear, divisor: int) -> Linear:
    """How many values `x floordiv divisor` has for x below `end`, or more."""
    if end.of_n:
        return end
    return Linear(0, -(-end.constant // divisor))


MAPS = (
    ("d1", "d0 + 3"),
    ("d0 + d1", "d1"),
    ("d0 + d1", "d0 - d1"),
    ("d0 * 2", "d1"),
    ("d0 floordiv 3", "d1", "d0 mod 3"),
    ("d0 floordiv 2", "d1 floordiv 4", "d1 mod 4", "d0 mod 2"),
    ("d0 * 9 + d1",),
    ("(d0 * 9 + d1) floordiv 4", "(d0 * 9 + d1) mod 4"),
)
"""Of two axes; the last two are injective where the second is short, and otherwise refused."""


class _Schedule:
    """Commands for all stages and their caches, consumers first."""

    def __init__(self, random: Random, program: Program):
        self.random, self.program = random, program
        self.commands: list[str] = []
        self.leaves: dict[str, list[str]] = {}
        self.places: dict[str, Place] = {}
        self.reducing: set[str] = set()
        self.readers = {
            name: [stage.name for stage in program.stages if name in stage.reads]
            for name in [*program.arguments(), *(stage.name for stage in program.stages)]
        }
        self.count = 0
        # Of some kinds only: pairs of many kinds have few of each.
        moves = (self.shift, self.reverse, self.skew, self.remap)
        self.moves = random.sample(moves, random.choice((0, 0, 1, 2, 3)))
        self.cached = random.choice((0, 0, 0.3))
        self.stored = random.choice(("there", "there", "there", "root", "loop", "rolling"))
        for stage in reversed(program.stages):
            self.schedule(stage)
        for number, name in enumerate(program.arguments()):
            self.cache_read(name, f"argument {number}", len(program.extents[name]))

    def lines(self) -> list[str]:
        return ["schedule.sequence @s on @f {", *(f"  {one}" for one in self.commands), "}"]

    def schedule(self, stage: _Stage) -> None:
        data, reduce = len(stage.extents), len(stage.reduces)
        self.commands.append(f'%{stage.name} = schedule.get "{stage.name}"')
        if self.readers[stage.name]:
            self.cache_read(stage.name, f"%{stage.name}", data)
        computing = stage.name
        if self.random.random() < self.cached:
            computing += "L"
            self.commands.append(f'%{computing} = schedule.cache_write %{stage.name} "local"')
            self.readers[computing] = [stage.name]
            for name, readers in self.readers.items():
                if name in stage.reads:
                    self.readers[name] = [computing if r == stage.name else r for r in readers]
            self.transform(stage.name, data, 0)
        self.transform(computing, data, reduce)

    def cache_read(self, name: str, handle: str, rank: int) -> None:
        """Lets some readers of a tensor read a copy, which is placed too."""
        if self.random.random() >= self.cached or not self.readers[name]:
            return
        chosen = [one for one in self.readers[name] if self.random.random() < 0.6]
        chosen = chosen or self.readers[name][:1]
        cache = self.new(f"{name}S").removeprefix("%")
        readers = ", ".join(f"%{one}" for one in chosen)
        self.commands.append(f'%{cache} = schedule.cache_read {handle} "shared" readers {readers}')
        others = [one for one in self.readers[name] if one not in chosen]
        self.readers[cache], self.readers[name] = chosen, [cache, *others]
        self.transform(cache, rank, 0)

    def new(self, start: str) -> str:
        self.count += 1
        return f"%{start}{self.count}"

    def transform(self, name: str, data: int, reduce: int) -> None:
        """Splits, fuses, moves, reorders and places what `%name` is."""
        leaves = [f"%{name.lower()}_{k}" for k in range(data + reduce)]
        self.reducing |= set(leaves[data:])
        if leaves:
            self.commands.append(f"{', '.join(leaves)} = schedule.axes {len(leaves)} of %{name}")
        roots = leaves[:data]
        self.leaves[name] = leaves = list(leaves)
        for change in self.choose_changes(name) if leaves else ():
            change(leaves)
        if self.readers[name]:
            self.place(name, roots)

    def choose_changes(self, name: str) -> list[Callable[[list[str]], None]]:
        """What is done to the loops of a stage, in this order."""
        random = self.random
        of_stages = [readers for of, readers in self.readers.items() if of not in "AI"]
        if not any(name in readers for readers in of_stages):
            # Nothing is computed in its loops.
            return random.choices((self.split, self.fuse, self.reorder), k=random.choice((0, 0, 1)))
        moves = random.choices(self.moves, k=random.choice((0, 1, 2))) if self.moves else []
        splits = [self.split] * random.choice((0, 1, 1, 2))
        fuses = [self.fuse] * random.choice((0, 1, 1, 2))
        changes = [*splits, *fuses, *moves]
        if random.random() < 0.5:
            random.shuffle(changes)
        later = random.choices((self.split, self.fuse, self.reorder), k=random.choice((0, 0, 0, 2)))
        return [*changes, self.reorder, *later] if random.random() < 0.8 else [*changes, *later]

    def replace(self, leaves: list[str], old: Sequence[str], made: Sequence[str]) -> None:
        """Puts the axes that a command makes where those are that it takes, neighbours."""
        if old[0] in self.reducing:
            self.reducing |= set(made)
        position = leaves.index(old[0])
        leaves[position : position + len(old)] = made

    def split(self, leaves: list[str]) -> None:
        axis = self.random.choice(leaves)
        made = [self.new("o"), self.new("i")]
        word = self.random.choice(("factor", "factor", "nparts"))
        number = self.random.choice((1, 2, 2, 2, 3, 3, 3, 4, 5))
        self.commands.append(f"{', '.join(made)} = schedule.split {axis} {word} {number}")
        self.replace(leaves, [axis], made)

    def fuse(self, leaves: list[str]) -> None:
        count = self.random.choice((2, 2, 2, 3))
        runs = [leaves[k : k + count] for k in range(len(leaves) - count + 1)]
        runs = [run for run in runs if len({axis in self.reducing for axis in run}) == 1]
        if runs:
            run = self.random.choice(runs)
            fused = self.new("f")
            self.commands.append(f"{fused} = schedule.fuse {', '.join(run)}")
            self.replace(leaves, run, [fused])

    def shift(self, leaves: list[str]) -> None:
        self.move(leaves, self.random.choice(leaves), f"shift {{}} by {self.choose(-9, -1, 1, 4)}")

    def reverse(self, leaves: list[str]) -> None:
        self.move(leaves, self.random.choice(leaves), "reverse {}")

    def skew(self, leaves: list[str]) -> None:
        axis, along = self.random.choice(leaves), self.random.choice(leaves)
        if axis != along and (axis in self.reducing) == (along in self.reducing):
            self.move(leaves, axis, f"skew {{}} along {along} factor {self.choose(-2, -1, 1, 2)}")

    def remap(self, leaves: list[str]) -> None:
        axes = self.random.choice(leaves), self.random.choice(leaves)
        if axes[0] == axes[1] or (axes[0] in self.reducing) != (axes[1] in self.reducing):
            return
        exprs = self.random.choice(MAPS)
        made = [self.new("p") for _ in exprs]
        map = f"affine_map<(d0, d1) -> ({', '.join(exprs)})>"
        self.commands.append(f"{', '.join(made)} = schedule.remap {', '.join(axes)} by {map}")
        outer, inner = sorted(axes, key=leaves.index)
        leaves.remove(inner)
        self.replace(leaves, [outer], made)

    def choose(self, *numbers: int) -> int:
        return self.random.choice(numbers)

    def move(self, leaves: list[str], axis: str, command: str) -> None:
        made = self.new("m")
        self.commands.append(f"{made} = schedule.{command.format(axis)}")
        self.replace(leaves, [axis], [made])

    def reorder(self, leaves: list[str]) -> None:
        if len(leaves) > 1:
            self.random.shuffle(leaves)
            self.commands.append(f"schedule.reorder {', '.join(leaves)}")

    def place(self, name: str, roots: Sequence[str]) -> None:
        """Computes a stage at a loop around all its readers, and stores it there or further out."""
        legal = list(common_start([self.loops_around(one) for one in self.readers[name]]))
        if not legal or self.random.random() < 0.1:
            return
        self.places[name] = place = self.random.choice(legal)
        self.commands.append(f"schedule.compute_at %{name}, %{place[0]}, {place[1]}")
        around = self.loops_around(place[0])
        around = around[: around.index(place) + 1]
        match self.random.choice(("there", self.stored)):
            case "rolling":
                self.commands.append(f"schedule.rolling_buffer %{name}")
            case "root":
                self.commands.append(f"schedule.store_root %{name}")
                self.fold(roots)
            case "loop":
                of, axis = self.random.choice(around)
                self.commands.append(f"schedule.store_at %{name}, %{of}, {axis}")
                self.fold(roots)

    def fold(self, roots: Sequence[str]) -> None:
        for axis in roots:
            if self.random.random() < 0.4:
                self.commands.append(f"schedule.fold_storage {axis}")

    def loops_around(self, name: str) -> list[Place]:
        """The loops around the equation of a stage, outermost first."""
        own = [(name, leaf) for leaf in self.leaves[name]]
        if name not in self.places:
            return own
        outside = self.loops_around(self.places[name][0])
        return outside[: outside.index(self.places[name]) + 1] + own
