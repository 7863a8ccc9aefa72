"""Commands that are drawn with no care for legality: how many of the right ones are accepted.

A program of the family `attach` gets a few commands, on any stages and loops that could be theirs.
What is accepted has to be right. Of what `check-schedule` refuses there is a text: the oracle of
the family `legality` says whether it would have been right. What `infer-bounds` refuses may be the
factor of a fold: then the text is that without folds, in which they are written by hand. Of all
else there is no text: `apply-schedule` says that a command has no meaning there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from soak.attach import LARGEST, MAPS, MOST_POINTS, Attached, Program
from soak.bounds import check_loops, parsed
from soak.legality import Changed, is_right
from soak.refusals import ILLEGAL, LEGAL, UNSAID, Refusal
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from teloom.dialects import schedule
from teloom.errors import PassError
from teloom.passes.checks.check_schedule import CheckSchedulePass
from teloom.passes.loops.infer_bounds import InferBoundsPass
from teloom.passes.schedule.apply_schedule import ApplySchedulePass
from teloom.remarks import heard

MOST = LARGEST + 3
"""The largest size with which what is refused runs: it may be wrong for large ones only."""


@dataclass(frozen=True)
class Careless:
    """A program, and commands that may fit it or not."""

    program: str
    commands: tuple[str, ...]

    def __str__(self) -> str:
        passes = "apply-schedule,infer-bounds,check-schedule"
        return f"// RUN: teloom-opt %s -p '{passes}'\n{self.text}"

    @property
    def text(self) -> str:
        lines = ["schedule.sequence @s on @f {", *(f"  {one}" for one in self.commands), "}"]
        return "\n".join([self.program, *lines, ""])


def careless(seed: int) -> Careless:
    """The pair of that number."""
    random = Random(seed)
    program = Program(random)
    while program.points() > MOST_POINTS:
        program = Program(random)
    return Careless("\n".join(program.lines()), tuple(_Commands(random, program).lines))


def check_careless(pair: Careless) -> None:
    """Raises `AssertionError` if wrong commands are accepted, and `Refusal` if any are refused."""
    module = parsed(pair.text)
    with heard():
        _apply(ApplySchedulePass(), module)
        folded = str(module)
        try:
            InferBoundsPass().apply(Context(), module)
        except PassError as error:
            raise Refusal(_verdict(pair, _folded_by_hand(folded)), str(error)) from None
        text = str(module)
        try:
            CheckSchedulePass().apply(Context(), module)
        except PassError as error:
            raise Refusal(_verdict(pair, text), str(error)) from None
    if _has_update(text):  # the oracle of texts knows none
        check_loops(Attached(pair.text, InferBoundsPass()))
    else:
        assert is_right(Changed(pair.program, text)), "accepted, but wrong"


def _apply(step: ModulePass, module: ModuleOp) -> None:
    try:
        step.apply(Context(), module)
    except PassError as error:
        raise Refusal(UNSAID, str(error)) from None


def _folded_by_hand(text: str) -> str | None:
    """The stages of a text with the ranges of those without folds; None if there are none."""
    module = parsed(text)
    stages = [op for op in module.walk() if isinstance(op, schedule.StageOp)]
    said = [stage.storage.factors for stage in stages]
    if not any(said):
        return None
    for stage in stages:
        stage.set_storage(stage.storage.folded_by({}))
    try:
        InferBoundsPass().apply(Context(), module)
    except PassError:
        return None
    for stage, factors in zip(stages, said, strict=True):
        stage.set_storage(stage.storage.folded_by(factors))
    return str(module)


def _verdict(pair: Careless, text: str | None) -> str:
    """What a refusal was, by the scheduled text; None if there is none."""
    if text is None or _has_update(text):
        return UNSAID
    return LEGAL if is_right(Changed(pair.program, text), MOST) else ILLEGAL


def _has_update(text: str) -> bool:
    return "schedule.update" in text


class _Commands:
    """A few commands that have a meaning, each on stages and axes that could be those of it."""

    def __init__(self, random: Random, program: Program):
        self.random = random
        self.lines: list[str] = []
        self.leaves: dict[str, list[str]] = {}
        self.roots: dict[str, list[str]] = {}
        self.reducing: set[str] = set()
        self.places: dict[str, str] = {}
        """The stages in whose loops others are computed."""
        self.count = 0
        stages = program.stages
        self.readers = {
            f"%{one.name}": [f"%{other.name}" for other in stages if one.name in other.reads]
            for one in stages
        }
        for stage in stages:
            self.lines.append(f'%{stage.name} = schedule.get "{stage.name}"')
            self.name_axes(f"%{stage.name}", len(stage.extents), len(stage.reduces))
        wanted = len(self.lines) + random.choice((1, 2, 3, 4, 5))
        while len(self.lines) < wanted:
            random.choice(_COMMANDS)(self)

    def name_axes(self, stage: str, data: int, reduce: int) -> None:
        """Names the root axes of a stage, the first `data` of which are data axes."""
        axes = self.new(data + reduce)
        if axes:
            self.lines.append(f"{', '.join(axes)} = schedule.axes {len(axes)} of {stage}")
        self.leaves[stage], self.roots[stage] = [*axes], axes[:data]
        self.reducing |= {*axes[data:]}

    def new(self, count: int) -> list[str]:
        self.count += count
        return [f"%x{self.count - k}" for k in reversed(range(count))]

    def say(self, text: str) -> None:
        self.lines.append(f"schedule.{text}")

    def producer(self) -> str | None:
        """A stage that others read."""
        found = [stage for stage, readers in self.readers.items() if readers]
        return self.random.choice(found) if found else None

    def group(self, count: int) -> tuple[str, list[str]] | None:
        """A stage and neighbours among its leaves, seldom data and reduce axes; None if none."""
        stage = self.random.choice([*self.leaves])
        leaves = self.leaves[stage]
        found = [leaves[k : k + count] for k in range(len(leaves) - count + 1)]
        if self.random.random() < 0.9:
            found = [one for one in found if len({leaf in self.reducing for leaf in one}) == 1]
        return (stage, self.random.choice(found)) if found else None

    def relation(self, count: int, made: int, text: str) -> None:
        """Replaces so many leaves of a stage by so many others."""
        if (found := self.group(count)) is None:
            return
        stage, old = found
        new = self.new(made)
        self.lines.append(f"{', '.join(new)} = schedule.{text.format(*old)}")
        first = self.leaves[stage].index(old[0])
        self.leaves[stage][first : first + count] = new
        self.reducing |= {*new} if old[0] in self.reducing else set()

    def split(self) -> None:
        word = self.random.choice(("factor", "factor", "nparts"))
        self.relation(1, 2, f"split {{}} {word} {self.random.choice((1, 2, 2, 3, 4))}")

    def fuse(self) -> None:
        self.relation(2, 1, "fuse {}, {}")

    def shift(self) -> None:
        self.relation(1, 1, f"shift {{}} by {self.random.choice((-2, -1, 1, 3))}")

    def reverse(self) -> None:
        self.relation(1, 1, "reverse {}")

    def remap(self) -> None:
        results = self.random.choice(MAPS)
        map = f"affine_map<(d0, d1) -> ({', '.join(results)})>"
        self.relation(2, len(results), f"remap {{}}, {{}} by {map}")

    def skew(self) -> None:
        if (found := self.group(2)) is not None:
            stage, (along, leaf) = found
            (new,) = self.new(1)
            factor = self.random.choice((-2, -1, 1, 1, 2))
            self.lines.append(f"{new} = schedule.skew {leaf} along {along} factor {factor}")
            leaves = self.leaves[stage]
            leaves[leaves.index(leaf)] = new
            self.reducing |= {new} if leaf in self.reducing else set()

    def reorder(self) -> None:
        stage = self.random.choice([*self.leaves])
        leaves = self.leaves[stage]
        if len(leaves) > 1:
            self.random.shuffle(leaves)
            self.say(f"reorder {', '.join(leaves)}")

    def kind(self) -> None:
        if (found := self.group(1)) is not None:
            word = self.random.choice(("parallel", "parallel", "vectorize", "unroll"))
            self.say(f"{word} {found[1][0]}")

    def compute_at(self) -> None:
        if (stage := self.producer()) is not None:
            around = self.random.choice(self.readers[stage])
            if leaves := self.leaves[around]:
                self.say(f"compute_at {stage}, {around}, {self.random.choice(leaves)}")
                self.places[stage] = around

    def store_at(self) -> None:
        if self.places:
            stage = self.random.choice([*self.places])
            around = self.places[stage]
            words = [f"store_at {stage}, {around}, {leaf}" for leaf in self.leaves[around]]
            self.say(self.random.choice([*words, f"store_root {stage}", f"rolling_buffer {stage}"]))

    def reverse_compute(self) -> None:
        if (stage := self.producer()) is not None:
            reader = self.readers[stage][0]
            if self.random.random() < 0.5:
                self.say(f"reverse_compute_inline {reader}")
                self.leaves[reader] = self.leaves[stage]
                self.forget(stage)
            elif leaves := self.leaves[stage]:
                self.say(f"reverse_compute_at {reader}, {stage}, {self.random.choice(leaves)}")

    def compute_inline(self) -> None:
        if (stage := self.producer()) is not None:
            self.say(f"compute_inline {stage}")
            self.forget(stage)

    def forget(self, stage: str) -> None:
        """Its readers, which are there, read what it has read; it is no stage any more."""
        behind = self.readers.pop(stage)
        self.readers = {
            one: [
                *dict.fromkeys(r for name in readers for r in (behind if name == stage else [name]))
            ]
            for one, readers in self.readers.items()
        }
        for known in (self.leaves, self.roots, self.places):
            known.pop(stage, None)

    def window(self) -> None:
        """A stage in a loop, and stored outside; something then happens to the loops around."""
        self.compute_at()
        self.store_at()
        for _ in range(self.random.choice((0, 1, 2))):
            self.random.choice((_Commands.kind, _Commands.reorder, _Commands.fold_storage))(self)

    def fold_storage(self) -> None:
        if (stage := self.producer()) is not None and self.roots[stage]:
            factor = self.random.choice(("", " factor 1", " factor 2", " factor 3", " factor 5"))
            self.say(f"fold_storage {self.random.choice(self.roots[stage])}{factor}")

    def cache_read(self) -> None:
        if (stage := self.producer()) is not None:
            (made,) = self.new(1)
            reader = self.random.choice(self.readers[stage])
            self.lines.append(f'{made} = schedule.cache_read {stage} "local" readers {reader}')
            self.name_axes(made, len(self.roots[stage]), 0)
            self.readers[made] = [reader]
            self.readers[stage] = [made, *(one for one in self.readers[stage] if one != reader)]

    def rfactor(self) -> None:
        stage = self.random.choice([*self.leaves])
        if reduce := [leaf for leaf in self.leaves[stage] if leaf in self.reducing]:
            leaf, (made, v) = self.random.choice(reduce), self.new(2)
            position = self.random.randrange(len(self.roots[stage]) + 1)
            self.lines.append(f"{made}, {v} = schedule.rfactor {stage}, {leaf} at {position}")
            self.reducing.add(v)
            self.leaves[stage] = [
                v if one == leaf else one
                for one in self.leaves[stage]
                if one == leaf or one not in reduce
            ]


_COMMANDS: tuple[Callable[[_Commands], None], ...] = (
    *(_Commands.split, _Commands.split, _Commands.fuse, _Commands.shift, _Commands.reverse),
    *(_Commands.remap, _Commands.skew, _Commands.reorder, _Commands.reorder, _Commands.kind),
    *(_Commands.kind, _Commands.compute_at, _Commands.compute_at, _Commands.window),
    *(_Commands.window, _Commands.window, _Commands.compute_inline, _Commands.cache_read),
    *(_Commands.fold_storage, _Commands.rfactor, _Commands.reverse_compute),
)
