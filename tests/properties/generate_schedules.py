"""Random schedules of a generated program, as lines of its script."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, permutations, takewhile
from string import ascii_lowercase
from typing import TypeVar

from hypothesis import strategies as st
from properties.generate_programs import RARELY, Draw, programs
from properties.program import Program, Stage

FACTORS = (1, 2, 3, 4, 5, 8, 16)
OFFSETS = (-17, -3, -1, 1, 2, 4)
AHEAD = (0, 1, 1, 2, 5)
SCOPES = ("shared", "warp", "local", "global.vtcm", "global.vtcm", "local.acc")
SKEWS = (-2, -1, 1, 1, 3)
MAPS = (
    ("b", "a + 3"),
    ("a + b", "b"),
    ("a + b", "a - b"),
    ("2 * a", "b"),
    ("a // 3", "b", "a % 3"),
    ("a // 2", "b // 4", "b % 4", "a % 2"),
    ("a * 5 + b",),
    ("(a + b) % 4", "a"),
)
"""The last ones are injective on few axes, and otherwise refused."""
TIMES = (
    ("{a}", "{b}"),
    ("-{a}", "{b}"),
    ("{a} + {b}", "{b}"),
    ("{a} - {b}", "{b}"),
    ("2 * {a} + 1", "{b} + 3"),
    ("floor({a} / 3)", "{b}", "{a} mod 3"),
    ("0", "{b}", "{a}"),
)
"""When the points of a pair of axes run, of a map in isl's language; the others are as they are."""
TAILS = (*[None] * 8, "guard", "cut", "predicate", "round_up", "shift_inwards")
POLICIES = (*[None] * 6, "auto", "never", "always")
NOTES = ('"auto_unroll_max_step", 8', '"unroll_explicit"', '"unroll.count", 2')
CONDITIONS = ("% 4 == 0", "% 3 == 1", ">= 5", "== 8")
RARE = (
    "align_bounds",
    "blockize",
    "cache_loops",
    "clone_in",
    "between",
    "compute_with",
    "declare_memory",
    "decompose_padding",
    "decompose_reduction",
    "early_kind",
    "fission_results",
    "fuse_mixed",
    "fuse_reduction_epilogue",
    "fuse_with",
    "group",
    "kept_output",
    "pad_einsum",
    "partial_results",
    "pragma",
    "remap",
    "reverse_compute",
    "rfactor",
    "separate_at",
    "set_mode",
    "set_schedule",
    "singleton",
    "sized_tiles",
    "specialize",
    "storage_align",
    "tensorize",
    "transform_block_layout",
    "update_order",
    "vthread",
)
"""What few programs fit: each schedule draws two of them and leaves the others out, or most
would be refused for one or another."""
T = TypeVar("T")
MOST_COPIES = 8  # of an unrolled body

WINDOWS = (*[None] * 6, "rolling_buffer()", "store_root()")
"""Where a stage that is computed in a loop is stored; None is there."""

MODES = "exact", "hull", "box"
ALIGNED = ("", "", ', align="start"', ', align="end"')

DECLARED = ("alignment=8", "alignment=256", "limit=1_000_000", "limit=1_000_000, alignment=64")
"""Of memories; no program of known sizes needs more than the limit."""

PACKED = {
    "te.all(i1 <= i0)": [(0, 1, "lower"), (1, 0, "upper")],
    "te.all(i0 < i1)": [(0, 1, "upper"), (1, 0, "lower")],
}
"""The row, the column and the triangle of packed layouts, by the domain of a stage."""


@dataclass(frozen=True)
class Leaf:
    """An axis of a stage as text, and its extent where the schedule makes it constant."""

    text: str
    reduces: bool
    extent: int | None


@dataclass(frozen=True)
class ScheduledProgram:
    """A program and the commands that schedule it; its repr is the script of both."""

    program: Program
    commands: tuple[str, ...]

    def lines(self) -> list[str]:
        return [*self.program.lines(), *self.commands]

    def __repr__(self) -> str:
        return "\n".join([f"{self.program!r}", *self.commands, ""])

    def _repr_pretty_(self, printer, cycle) -> None:
        printer.text(repr(self))  # Hypothesis would print the fields


@st.composite
def scheduled_programs(draw: Draw, partly: bool = False) -> ScheduledProgram:
    """A program with commands, most of which are legal together; `partly` leaves stages alone."""
    generator = _Generator(draw, draw(programs()))
    program = generator.keep_outputs()
    generator.declare_memory()
    inputs = [Stage(tensor.name, (tensor,), (), "", ()) for tensor in program.inputs]
    stages = [*program.stages]
    if partly:
        inputs, stages = generator.some_of(inputs), generator.some_of(stages)
    # Consumers first, so that a producer can be placed at one of their axes.
    for stage in reversed(stages):
        generator.schedule_stage(stage)
    for stage in inputs:
        generator.cache_reads(stage)
    for stage in [*inputs, *stages]:
        generator.prefetch(stage)
    for stage in stages:
        generator.tensorize(stage)
    generator.share_loops()
    return ScheduledProgram(program, tuple(generator.lines))


class _Generator:
    def __init__(self, draw: Draw, program: Program):
        self.draw = draw
        self.program = program
        self.lines: list[str] = []
        self.leaves: dict[str, list[Leaf]] = defaultdict(list)
        self.inlined: set[str] = set()
        self.computing: dict[str, Stage] = {}
        """The stages that compute in caches what these others copy."""
        self.readers: dict[str, list[Stage]] = {}
        """Who reads a stage, where caches have changed that."""
        self.parts: dict[str, Stage] = {}
        """What computes a result apart from the others of a stage."""
        self.with_kind: set[str] = set()
        """Axes that are parallel or unrolled."""
        self.parallel: set[str] = set()
        self.places: dict[str, Leaf] = {}
        """The loops in which stages are computed."""
        self.joined: dict[str, Stage | None] = {}
        """The producers whose loops another stage takes, and which if it still has to."""
        self.count = 0
        self.rare = draw(st.lists(st.sampled_from(RARE), max_size=2, unique=True))

    def keep_outputs(self) -> Program:
        """Makes outputs of some stages that others read; the program."""
        if "kept_output" in self.rare:
            read = [one for one in self.program.stages if self.program.consumers(one)]
            whole = [one.name for one in read if not one.domain]
            kept = tuple(name for name in whole if self.pick((True, False)))
            self.program = replace(self.program, kept=kept)
        return self.program

    def declare_memory(self) -> None:
        """Limits or aligns the memory of a tagged scope."""
        if "declare_memory" in self.rare:
            scope = self.pick([scope for scope in SCOPES if "." in scope])
            said = self.pick(DECLARED[:2] if self.program.sizes else DECLARED)
            self.lines.append(f's.declare_memory("{scope}", {said})')

    def wants(self, rare: str) -> bool:
        """Whether to use, here, what few programs fit."""
        return rare in self.rare and self.pick((True, False))

    def some_of(self, stages: Sequence[Stage]) -> list[Stage]:
        return [stage for stage in stages if self.pick((True, False))]

    def pick(self, choices: Sequence[T]) -> T:
        return self.draw(st.sampled_from(choices))

    def command(self, stage: Stage, text: str) -> None:
        self.lines.append(f"s[{stage.results[0].name}].{text}")

    def schedule_stage(self, stage: Stage) -> None:
        """Schedules a stage and, before and behind it, those of its caches."""
        if self.fuse_into_reduction(stage):
            return
        self.clone_in(stage)
        stage = self.fission_results(stage)
        self.cache_reads(stage)
        producer = self.elementwise_producer(stage)
        if producer is not None and self.wants("reverse_compute"):
            self.join(stage, producer)
            return
        is_own = not stage.start and stage.name not in self.joined
        if is_own and not stage.start and len(stage.results) == 1 and self.wants("pad_einsum"):
            count = len(stage.extents) + len(stage.reduce_axes)
            factors = ", ".join(str(self.pick(FACTORS)) for _ in range(count))
            stages = self.cache_write(stage, f"*_ = s.pad_einsum({{}}, [{factors}])")
        elif is_own and self.pick((True, *[False] * 5)):
            stages = self.cache_write(stage)
        else:
            stages = [stage]
        for one in stages:
            self.schedule_one(one)

    def elementwise_producer(self, stage: Stage) -> Stage | None:
        """The only stage that a stage reads, if it reads one element of it, as it seems."""
        producers = {one.name: one for one in self.program.stages if one.name in stage.reads}
        if len(producers) != 1 or stage.reduce_axes or len(stage.results) > 1:
            return None
        (producer,) = producers.values()
        reads = stage.body.count(f"{producer.results[0].name}[")
        alone = self.program.consumers(producer) == [stage] and len(producer.results) == 1
        is_plain = reads == 1 and alone and "if_then_else" not in stage.body
        return producer if is_plain and stage.name not in self.joined else None

    def join(self, stage: Stage, producer: Stage) -> None:
        """Lets a stage take the loops of its producer, all of them or the outer ones."""
        self.readers[producer.name] = self.final_consumers(stage)
        self.leaves[stage.name] = []
        if producer.reduce_axes or self.pick((True, False)):
            self.joined[producer.name] = stage
        else:
            self.joined[producer.name] = None
            self.command(stage, "reverse_compute_inline()")

    def fuse_into_reduction(self, stage: Stage) -> bool:
        """Makes a reduction of what is combined with it; False for a stage that is left alone."""
        found = [
            one
            for one in self.program.stages
            if one.reduce_axes and not one.start and self.final_consumers(one) == [stage]
        ]
        if stage.reduce_axes or not found or not self.wants("fuse_reduction_epilogue"):
            return False
        self.command(found[0], f"fuse_reduction_epilogue(s[{stage.results[0].name}])")
        self.inlined.add(stage.name)
        return True

    def cache_write(self, stage: Stage, pad: str = "") -> list[Stage]:
        """The stage, which becomes a copy, and the one that computes it in a cache."""
        names = self.new_names(len(stage.results))
        whole = ", ".join(result.name for result in stage.results)
        of = whole if len(names) == 1 else f"[{whole}]"
        call = pad.format(of) if pad else f'= s.cache_write({of}, "local")'
        self.lines.append(f"{', '.join(names)}{', ' * bool(pad)} {call}")
        pairs = zip(stage.results, names, strict=True)
        results = tuple(replace(result, name=name) for result, name in pairs)
        computing = replace(stage, name=names[0], results=results)
        copy = replace(stage, reduce_axes=())
        self.computing[stage.name] = computing
        self.readers[computing.name] = [copy]
        return [copy, computing]

    def prefetch(self, stage: Stage) -> None:
        """Lets a reader of a stage prefetch it."""
        readers = [one for one in self.final_consumers(stage) if self.leaves.get(one.name)]
        if stage.name in self.inlined or not readers or not self.pick((True, *[False] * 4)):
            return
        reader = self.pick(readers)
        leaves = self.leaves[reader.name]
        if (place := self.places.get(stage.name)) in leaves:
            leaves = leaves[leaves.index(place) + 1 :]
        axes = [leaf.text for leaf in leaves if leaf.text not in self.parallel]
        if axes:
            tensor = self.pick(stage.results).name
            self.command(reader, f"prefetch({tensor}, {self.pick(axes)}, {self.pick(AHEAD)})")

    def share_loops(self) -> None:
        """Lets two stages at the root share loops, or puts them in an order; maybe apart again."""
        found = [
            stage
            for stage in self.program.stages
            if stage.name not in self.inlined and stage.name not in self.places
        ]
        if len(found) > 2 and self.wants("between"):
            self.put_between(found)
        if self.wants("fuse_with"):
            self.fuse_with(found)
        if len(found) < 2 or not self.wants("compute_with"):
            return
        chosen = self.draw(st.permutations(range(len(found))))[:2]
        other, stage = (found[number] for number in sorted(chosen))
        leaves, others = (self.leaves.get(one.name, []) for one in (stage, other))
        name, word = f"s[{other.results[0].name}]", self.pick(ALIGNED)
        depth = self.pick(range(min(len(leaves), len(others)) + 1))
        if not depth:
            self.command(stage, f"after({name})")
            return
        at = others[depth - 1].text
        merged = f"merge({leaves[depth - 1].text}, {name}, {at})"
        calls = (f"compute_with({name}, {at}{word})", f"after({name}, {at})", merged)
        self.command(stage, self.pick((calls[0], *calls)))
        if self.pick((True, *[False] * 4)):
            self.command(other, f"fission({at})")
        if other.extents and self.pick((True, False)):
            self.command(other, f"fold_storage({_roots(other)[0].text})")

    def fuse_with(self, found: Sequence[Stage]) -> None:
        """Lets a stage at the root share all its loops with one that it does not read."""
        pairs = [
            (other, stage)
            for other, stage in combinations(found, 2)
            if not {one.name for one in other.results} & {*stage.reads}
        ]
        if pairs:
            other, stage = self.pick(pairs)
            self.command(stage, f"fuse_with(s[{other.results[0].name}]{self.pick(ALIGNED)})")

    def put_between(self, found: Sequence[Stage]) -> None:
        """Runs a stage at the root in loops of one before it and of one behind it."""
        chosen = self.draw(st.permutations(range(len(found))))[:3]
        before, stage, behind = (found[number] for number in sorted(chosen))
        sides = [(one, self.leaves.get(one.name, [])) for one in (before, behind)]
        if all(leaves for _, leaves in sides):
            places = [f"s[{one.results[0].name}], {leaves[0].text}" for one, leaves in sides]
            self.command(stage, f"between({', '.join(places)})")

    def tensorize(self, stage: Stage) -> None:
        """Makes blocks of loops, or puts code in their place that computes what they do now."""
        stage = self.computing.get(stage.name, stage)
        leaves = self.leaves.get(stage.name, [])
        taken = [leaves.index(place) for place in self.places.values() if place in leaves]
        leaves = leaves[max(taken, default=-1) + 1 :]
        if leaves and not stage.start and self.wants("blockize"):
            self.command(stage, f"blockize({self.pick(leaves).text})")
        elif leaves and self.wants("tensorize"):
            name, axis = stage.results[0].name, self.pick(leaves).text
            self.lines.append(f"tensorize_by_itself(s, {name}, {axis})")

    def cache_reads(self, stage: Stage) -> None:
        """Lets some readers of a tensor read a copy, and schedules that."""
        readers = self.final_consumers(stage)
        if not readers or len(stage.results) > 1 or not self.pick((True, *[False] * 5)):
            return
        chosen = [reader for reader in readers if self.pick((True, False))] or readers[:1]
        (name,) = self.new_names(1)
        listed = ", ".join(reader.results[0].name for reader in chosen)
        tensor = stage.results[0]
        self.lines.append(f'{name} = s.cache_read({tensor.name}, "shared", [{listed}])')
        cache = Stage(name, (replace(tensor, name=name),), (), "", ())
        self.readers[cache.name] = chosen
        self.readers[stage.name] = [cache, *(one for one in readers if one not in chosen)]
        self.schedule_one(cache)

    def clone_in(self, stage: Stage) -> None:
        """Lets some readers of a stage read a second computation of it, and schedules that."""
        readers = self.final_consumers(stage)
        if not readers or not self.wants("clone_in"):
            return
        chosen = [reader for reader in readers if self.pick((True, False))] or readers[:1]
        names = self.new_names(len(stage.results))
        listed = ", ".join(reader.results[0].name for reader in chosen)
        call = f"s.clone_in({stage.results[0].name}, [{listed}])"
        self.lines.append(f"{', '.join(names)} = {call}")
        pairs = zip(stage.results, names, strict=True)
        results = tuple(replace(result, name=name) for result, name in pairs)
        axes = [
            (f"{names[0]}.op.reduce_axis[{k}]", e) for k, (_, e) in enumerate(stage.reduce_axes)
        ]
        clone = replace(stage, name=names[0], results=results, reduce_axes=tuple(axes))
        self.readers[clone.name] = chosen
        self.readers[stage.name] = [one for one in readers if one not in chosen]
        self.schedule_one(clone)

    def fission_results(self, stage: Stage) -> Stage:
        """Maybe computes the last result in a stage of its own; the stage of the others."""
        is_kept = stage.name in self.program.kept
        if len(stage.results) < 2 or stage.reduce_axes or is_kept:
            return stage  # those of an argmax need each other
        if not self.wants("fission_results"):
            return stage
        *others, last = stage.results
        (name,) = self.new_names(1)
        self.lines.append(f"{name} = s.fission_results({last.name})")
        part = replace(stage, name=name, results=(replace(last, name=name),))
        rest = replace(stage, results=tuple(others))
        readers, left = self.direct_consumers(stage), {one.name for one in others}
        self.readers[part.name] = [one for one in readers if last.name in one.reads]
        self.readers[rest.name] = [one for one in readers if left & {*one.reads}]
        self.parts[stage.name] = part
        self.schedule_one(part)
        return rest

    def schedule_one(self, stage: Stage) -> None:
        if stage.name in self.joined:
            self.schedule_joined(stage, self.change(stage, _roots(stage)))
            return
        if not self.place(stage):
            return
        leaves = self.decompose_padding(stage) or self.new_loops(stage)
        leaves = leaves or self.layout(stage, _roots(stage))
        self.set_early_kind(stage, leaves)
        leaves = self.change(stage, leaves)
        producer = None
        is_new = not stage.start and stage.name not in self.computing
        folds = not stage.start and any(leaf.reduces for leaf in leaves)
        if folds and self.wants("rfactor"):
            leaves, producer = self.rfactor(stage, leaves)
        elif folds and self.wants("partial_results"):
            leaves = self.partial_results(stage, leaves)
        elif is_new and self.wants("cache_loops"):
            leaves, producer = self.cache_loops(stage, leaves)
        self.leaves[stage.name] = self.set_kinds(stage, leaves)
        if producer is not None:
            self.schedule_producer(*producer)
        if self.program.sizes and self.wants("specialize"):
            size = self.pick(sorted(self.program.sizes))
            self.command(stage, f"specialize({size} {self.pick(CONDITIONS)})")
        self.bound(stage)
        at_root = not stage.reduce_axes and stage.name not in self.places
        if at_root and self.pick((True, *[False] * 4)):
            self.command(stage, "stream_stores()")

    def decompose_padding(self, stage: Stage) -> list[Leaf]:
        """The axes of a fill and a copy, of a stage that is padded; none of any other."""
        is_padded = "if_then_else" in stage.body and not stage.reduce_axes and stage.extents
        if not is_padded or not self.wants("decompose_padding"):
            return []
        name, names = stage.results[0].name, self.new_names(len(stage.extents))
        self.lines.append(f"{', '.join(names)}, = s[{name}].decompose_padding()")
        data = [f"s[{name}].op.axis[{k}]" for k in range(len(stage.extents))]
        return [Leaf(text, False, None) for text in [*data, *names]]  # nothing is reduced

    def new_loops(self, stage: Stage) -> list[Leaf]:
        """The loops of a map to time, or of one of the data axes; none of most stages."""
        is_movable = not stage.start or stage.is_reorderable
        is_named = any(one.name == stage.name for one in self.program.stages)
        if is_movable and is_named and self.wants("set_schedule"):
            return self.set_schedule(stage)
        data = [leaf for leaf in _roots(stage) if not leaf.reduces]
        if is_movable and len(data) > 1 and self.wants("transform_block_layout"):
            exprs = [*self.pick(MAPS), *ascii_lowercase[2 : len(data)]]
            names, axes = self.new_names(len(exprs)), ", ".join(ascii_lowercase[: len(data)])
            self.lines.append(
                f"{', '.join(names)}, = s[{stage.results[0].name}].transform_block_layout("
                f"lambda {axes}: [{', '.join(exprs)}])"
            )
            return [Leaf(name, False, None) for name in names] + _roots(stage)[len(data) :]
        return []

    def set_schedule(self, stage: Stage) -> list[Leaf]:
        """The loops of a map from points to time, in any order."""
        roots = _roots(stage)
        axes = [*stage.axes, *(name for name, _ in stage.reduce_axes)]
        times = [replace(leaf, text=axis) for axis, leaf in zip(axes, roots, strict=True)]
        pairs = [(a, b) for a, b in permutations(times, 2) if a.reduces == b.reduces]
        if pairs:
            a, b = self.pick(pairs)
            texts = [one.format(a=a.text, b=b.text) for one in self.pick(TIMES)]
            made = [Leaf(text, a.reduces, None) for text in texts]
            times = [*made, *(time for time in times if time not in (a, b))]
        if not times:
            return []
        times = self.draw(st.permutations(times))
        names, to = self.new_names(len(times)), ", ".join(time.text for time in times)
        map = f"{{ {stage.name}[{', '.join(axes)}] -> [{to}] }}"
        self.lines.append(f'{", ".join(names)}, = s[{stage.results[0].name}].set_schedule("{map}")')
        return [replace(time, text=name) for name, time in zip(names, times, strict=True)]

    def schedule_joined(self, stage: Stage, leaves: list[Leaf]) -> None:
        """Kinds of the loops that another stage has too, or all of which it has already."""
        places = self.set_kinds(stage, leaves)
        outer = [*takewhile(lambda leaf: not leaf.reduces, places)]
        self.leaves[stage.name] = []
        if (reader := self.joined[stage.name]) is not None and outer:
            of = f"s[{stage.results[0].name}], {self.pick(outer).text}"
            self.command(reader, f"reverse_compute_at({of})")

    def bound(self, stage: Stage) -> None:
        """Bounds of the region of a temporary; extents are promised where none is a size."""
        data = [leaf for leaf in _roots(stage) if not leaf.reduces]
        if data and self.final_consumers(stage) and self.wants("align_bounds"):
            axis = self.pick(data).text
            if self.program.sizes or self.pick((True, True, False)):
                self.command(stage, f"align_bounds({axis}, {self.pick(FACTORS)})")
            else:
                self.command(stage, f"bound_extent({axis}, {self.pick(FACTORS)})")
        if data and self.final_consumers(stage) and self.wants("storage_align"):
            axis, factor = self.pick(data).text, self.pick(FACTORS)
            self.command(stage, f"storage_align({axis}, {factor}, {self.pick(range(factor))})")
        if self.final_consumers(stage) and self.wants("set_mode"):
            self.command(stage, f"set_mode({self.pick(MODES)!r})")

    def set_early_kind(self, stage: Stage, leaves: list[Leaf]) -> None:
        """A kind of an axis that later commands may consume."""
        if leaves and self.wants("early_kind"):
            kind = self.pick(("vectorize", "parallel", "unroll"))
            self.command(stage, f"{kind}({self.pick(leaves).text})")

    def change(self, stage: Stage, leaves: list[Leaf]) -> list[Leaf]:
        moves = [self.shift, self.reverse, self.skew, *[self.remap] * ("remap" in self.rare)]
        changes = [self.split, self.split, self.fuse]
        if self.wants("singleton"):
            changes.append(self.singleton)
        if not stage.start or stage.is_reorderable or self.wants("update_order"):
            changes += [self.tile, self.reorder, *moves]
        for _ in range(self.pick((0, 1, 1, 2, 3))):
            leaves = self.pick(changes)(stage, leaves)
        if (tail := self.pick(TAILS)) is None:
            return leaves
        return self.split(stage, leaves, f', tail="{tail}"')  # the last change: it is of a loop

    def rfactor(
        self, stage: Stage, leaves: list[Leaf]
    ) -> tuple[list[Leaf], tuple[Stage, list[Leaf]]]:
        """Makes a reduce leaf a data axis; its leaves, and the partial results with theirs."""
        factored = self.pick([leaf for leaf in leaves if leaf.reduces])
        position = self.pick(range(len(stage.extents) + 1))
        names, (v,) = self.new_names(len(stage.results)), self.new_names(1)
        whole = stage.results[0].name
        call = f"s.rfactor({whole}, {factored.text}, {position})"
        self.lines.append(f"{', '.join(names)} = {call}")
        self.lines.append(f"{v} = s[{whole}].op.reduce_axis[0]")
        pairs = zip(stage.results, names, strict=True)
        results = tuple(replace(result, name=name) for result, name in pairs)
        others = [leaf for leaf in leaves if leaf.reduces and leaf is not factored]
        reduce_axes = stage.reduce_axes if others else ()
        partial = replace(stage, name=names[0], results=results, reduce_axes=reduce_axes)
        self.readers[partial.name] = [stage]
        reading = [name for name, one in self.computing.items() if one is stage] or [stage.name]
        self.computing |= dict.fromkeys(reading, partial)
        made = [replace(leaf, reduces=False) for leaf in _roots(replace(stage, reduce_axes=()))]
        made.insert(position, replace(factored, reduces=False))
        made += others
        texts = self.new_names(len(made))
        self.lines.append(f"{', '.join(texts)}, = s[{names[0]}].leaf_iter_vars")
        made = [replace(leaf, text=text) for leaf, text in zip(made, texts, strict=True)]
        left = [leaf for leaf in leaves if not leaf.reduces or leaf is factored]
        return _replaced(left, [factored], [replace(factored, text=v)]), (partial, made)

    def partial_results(self, stage: Stage, leaves: list[Leaf]) -> list[Leaf]:
        """Folds a reduce leaf into several accumulators; the leaves around these."""
        folded = self.pick([leaf for leaf in leaves if leaf.reduces])
        names = self.new_names(len(stage.results))
        call = f"partial_results({folded.text}, {self.pick((1, 2, 3, 4))})"
        self.lines.append(f"{', '.join(names)} = s[{stage.results[0].name}].{call}")
        pairs = zip(stage.results, names, strict=True)
        results = tuple(replace(result, name=name) for result, name in pairs)
        partial = replace(stage, name=names[0], results=results)
        self.readers[partial.name] = [stage]
        reading = [name for name, one in self.computing.items() if one is stage] or [stage.name]
        self.computing |= dict.fromkeys(reading, partial)
        outer = [*takewhile(lambda leaf: not leaf.reduces, leaves)]
        count = len(stage.extents) + 1 + sum(leaf.reduces for leaf in leaves)
        texts = self.new_names(count)
        self.lines.append(f"{', '.join(texts)}, = s[{names[0]}].leaf_iter_vars")
        self.leaves[partial.name] = [Leaf(text, False, None) for text in texts]
        self.places[partial.name] = outer[-1] if outer else Leaf("root", False, 1)
        return outer

    def cache_loops(
        self, stage: Stage, leaves: list[Leaf]
    ) -> tuple[list[Leaf], tuple[Stage, list[Leaf]]]:
        """Gives the loops of a stage to a cache; the leaves of both, and the cache."""
        copy, computing = self.cache_write(stage)
        texts = self.new_names(len(leaves))
        if leaves:
            self.lines.append(f"{', '.join(texts)}, = s[{computing.name}].leaf_iter_vars")
        made = [replace(leaf, text=text) for leaf, text in zip(leaves, texts, strict=True)]
        return _roots(copy), (computing, made)

    def schedule_producer(self, stage: Stage, leaves: list[Leaf]) -> None:
        """Places what computes partial results, or the elements of a copy, and schedules it."""
        if self.place(stage):
            self.leaves[stage.name] = self.set_kinds(stage, self.change(stage, leaves))

    def place(self, stage: Stage) -> bool:
        """Places a stage; False if there is nothing more to say about it."""
        consumers = self.final_consumers(stage)
        if not consumers:
            return True
        is_output = stage.name in self.program.kept
        place = self.pick(("root", "at" if is_output else "inline", "at", "at", "at"))
        if place == "inline" and not stage.reduce_axes and len(stage.results) == 1:
            self.command(stage, "compute_inline()")
            self.inlined.add(stage.name)
            return False
        is_start = any(reader.start in [one.name for one in stage.results] for reader in consumers)
        if is_start:  # it is read in front of the loops
            return True
        if place == "at" and len(consumers) == 1 and self.leaves[consumers[0].name]:
            reader, around = consumers[0].results[0].name, self.leaves[consumers[0].name]
            axis = self.pick(around)
            self.compute_at(stage, f"s[{reader}], {axis.text}")
            self.places[stage.name] = axis
            if is_output:
                return True
            if axis.text not in self.with_kind and self.pick((True, False, False)):
                self.command(stage, self.pick(("double_buffer()", "ring_buffer(3)")))
            elif (window := self.pick(WINDOWS)) is not None:
                self.command(stage, window)
            elif outer := around[: around.index(axis)] if self.pick(RARELY) else []:
                self.command(stage, f"store_at(s[{reader}], {self.pick(outer).text})")
        elif place == "root":
            self.command(stage, "compute_root()")
        if self.pick((True, *[False] * 5)):
            self.command(stage, f'set_scope("{self.pick(SCOPES)}")')
        return True

    def compute_at(self, stage: Stage, place: str) -> None:
        """Places a stage, by itself or as the group of what is between its inputs and it."""
        if stage.reads and stage.name.startswith("S") and self.wants("group"):
            group = f"s.create_group({stage.results[0].name}, [{', '.join({*stage.reads})}])"
            self.lines.append(f"{group}.compute_at({place})")
        else:
            self.command(stage, f"compute_at({place})")

    def layout(self, stage: Stage, leaves: list[Leaf]) -> list[Leaf]:
        """A layout of a temporary, one axis in blocks; the loops follow it."""
        data = [leaf for leaf in leaves if not leaf.reduces]
        is_output = stage.name in self.program.kept
        few = 1 <= len(data) <= 3 and self.final_consumers(stage) and not is_output
        if few and stage.domain in PACKED and self.pick((True, False)):
            return self.packed(stage, data)
        if not few or not self.pick((True, *[False] * 5)):
            return leaves
        first, *others = self.draw(st.permutations(range(len(data))))
        factor = self.pick(FACTORS)
        exprs = [f"i{first} // {factor}", *(f"i{k}" for k in others), f"i{first} % {factor}"]
        extents = [_divided(data[first].extent, factor), *(data[k].extent for k in others), None]
        names = self.new_names(len(exprs))
        if self.pick((True, False)):
            exprs.insert(self.pick(range(1, len(exprs))), "te.AXIS_SEPARATOR")
        parameters = ", ".join(f"i{k}" for k in range(len(data)))
        self.lines.append(
            f"{', '.join(names)} = s[{stage.results[0].name}].transform_layout("
            f"lambda {parameters}: [{', '.join(exprs)}])"
        )
        made = [Leaf(name, False, e) for name, e in zip(names, extents, strict=True)]
        return made + [leaf for leaf in leaves if leaf.reduces]

    def packed(self, stage: Stage, data: Sequence[Leaf]) -> list[Leaf]:
        """A triangle in rows, or one for each position on the last of three axes."""
        row, column, triangle = self.pick(PACKED[stage.domain])
        order = [*range(2, len(data)), row, column]
        exprs = [*(f"i{k}" for k in order[:-2]), f'te.packed(i{row}, i{column}, "{triangle}")']
        names = self.new_names(len(data))
        parameters = ", ".join(f"i{k}" for k in range(len(data)))
        self.lines.append(
            f"{', '.join(names)} = s[{stage.results[0].name}].transform_layout("
            f"lambda {parameters}: [{', '.join(exprs)}])"
        )
        return [Leaf(name, False, data[k].extent) for name, k in zip(names, order, strict=True)]

    def final_consumers(self, stage: Stage) -> list[Stage]:
        """The stages that read it, directly or through inlined ones."""
        found: dict[str, Stage] = {}
        for consumer in self.direct_consumers(stage):
            further = [consumer]
            if consumer.name in self.inlined:
                further = self.final_consumers(consumer)
            found |= {one.name: one for one in further}
        return list(found.values())

    def direct_consumers(self, stage: Stage) -> list[Stage]:
        """The stages that read it themselves."""
        readers = self.readers.get(stage.name)
        if readers is None:
            parted = self.program.consumers(stage)
            parted += [self.parts[one.name] for one in parted if one.name in self.parts]
            readers = [self.computing.get(reader.name, reader) for reader in parted]
        return readers

    def new_names(self, count: int) -> list[str]:
        self.count += 1
        return [f"x{self.count}{letter}" for letter in ascii_lowercase[:count]]

    def split(self, stage: Stage, leaves: list[Leaf], tail: str = "") -> list[Leaf]:
        if not leaves:
            return leaves
        leaf = self.pick(leaves)
        outer, inner = self.new_names(2)
        size = self.pick(FACTORS)
        sizes = [name for name, value in self.program.sizes.items() if value]
        known = self.pick(sizes) if sizes and self.wants("sized_tiles") else size
        word = self.pick(("factor", "factor", "nparts"))
        call = f"s[{stage.results[0].name}].split({leaf.text}, {word}={known}{tail})"
        self.lines.append(f"{outer}, {inner} = {call}")
        other = _divided(leaf.extent, size)
        extents = (other, size) if word == "factor" else (size, other)
        if known != size:
            extents = None, None
        pair = [
            Leaf(outer, leaf.reduces, extents[0]),
            Leaf(inner, leaf.reduces, extents[1]),
        ]
        return _replaced(leaves, [leaf], pair)

    def fuse(self, stage: Stage, leaves: list[Leaf]) -> list[Leaf]:
        is_mixed = self.wants("fuse_mixed")
        pairs = [
            (outer, inner)
            for outer, inner in pairwise(leaves)
            if (outer.reduces != inner.reduces) == is_mixed
        ]
        if not pairs:
            return leaves
        outer, inner = self.pick(pairs)
        (fused,) = self.new_names(1)
        stage_text = f"s[{stage.results[0].name}]"
        self.lines.append(f"{fused} = {stage_text}.fuse({outer.text}, {inner.text})")
        extent = None
        if outer.extent is not None and inner.extent is not None:
            extent = outer.extent * inner.extent
        reduces = outer.reduces or inner.reduces
        return _replaced(leaves, [outer, inner], [Leaf(fused, reduces, extent)])

    def singleton(self, stage: Stage, leaves: list[Leaf]) -> list[Leaf]:
        (name,) = self.new_names(1)
        self.lines.append(f"{name} = s[{stage.results[0].name}].fuse()")
        return [Leaf(name, False, 1), *leaves]

    def tile(self, stage: Stage, leaves: list[Leaf]) -> list[Leaf]:
        pairs = [(y, x) for y, x in pairwise(leaves) if not y.reduces and not x.reduces]
        if not pairs:
            return leaves
        y, x = self.pick(pairs)
        names = self.new_names(4)
        sizes = self.pick(FACTORS), self.pick(FACTORS)
        stage_text = f"s[{stage.results[0].name}]"
        call = f"{stage_text}.tile({y.text}, {x.text}, {sizes[0]}, {sizes[1]})"
        self.lines.append(f"{', '.join(names)} = {call}")
        outer = [_divided(leaf.extent, size) for leaf, size in zip((y, x), sizes, strict=True)]
        extents = [*outer, *sizes]
        made = [Leaf(name, False, extent) for name, extent in zip(names, extents, strict=True)]
        return _replaced(leaves, [y, x], made)

    def shift(self, stage: Stage, leaves: list[Leaf]) -> list[Leaf]:
        if not leaves:
            return leaves
        leaf = self.pick(leaves)
        call = f"shift({leaf.text}, {self.pick(OFFSETS)})"
        return self.move(stage, leaves, leaf, call, leaf.extent)

    def reverse(self, stage: Stage, leaves: list[Leaf]) -> list[Leaf]:
        if not leaves:
            return leaves
        leaf = self.pick(leaves)
        return self.move(stage, leaves, leaf, f"reverse({leaf.text})", leaf.extent)

    def skew(self, stage: Stage, leaves: list[Leaf]) -> list[Leaf]:
        pairs = [pair for pair in permutations(leaves, 2) if pair[0].reduces == pair[1].reduces]
        if not pairs:
            return leaves
        leaf, along = self.pick(pairs)
        factor = self.pick(SKEWS)
        extent = None
        if leaf.extent is not None and along.extent is not None:
            extent = leaf.extent + abs(factor) * (along.extent - 1)
        call = f"skew({leaf.text}, {along.text}, {factor})"
        return self.move(stage, leaves, leaf, call, extent)

    def remap(self, stage: Stage, leaves: list[Leaf]) -> list[Leaf]:
        pairs = [pair for pair in permutations(leaves, 2) if pair[0].reduces == pair[1].reduces]
        if not pairs:
            return leaves
        pair = self.pick(pairs)
        results = self.pick(MAPS)
        names = self.new_names(len(results))
        self.lines.append(
            f"{', '.join(names)}{',' * (len(names) == 1)} = s[{stage.results[0].name}].remap("
            f"lambda a, b: [{', '.join(results)}], {pair[0].text}, {pair[1].text})"
        )
        first = min(map(leaves.index, pair))
        made = [Leaf(name, pair[0].reduces, None) for name in names]
        return [*leaves[:first], *made, *(leaf for leaf in leaves[first:] if leaf not in pair)]

    def move(
        self, stage: Stage, leaves: list[Leaf], leaf: Leaf, call: str, extent: int | None
    ) -> list[Leaf]:
        """A command that makes one axis, of this extent, of another."""
        (name,) = self.new_names(1)
        self.lines.append(f"{name} = s[{stage.results[0].name}].{call}")
        return _replaced(leaves, [leaf], [Leaf(name, leaf.reduces, extent)])

    def reorder(self, stage: Stage, leaves: list[Leaf]) -> list[Leaf]:
        if len(leaves) < 2:
            return leaves
        order = self.draw(st.permutations(leaves))
        self.command(stage, f"reorder({', '.join(leaf.text for leaf in order)})")
        return list(order)

    def set_kinds(self, stage: Stage, leaves: list[Leaf]) -> list[Leaf]:
        """Kinds for some loops; the leaves at which something can still be computed."""
        free = list(leaves)
        outer = [*takewhile(lambda leaf: not leaf.reduces, leaves)]
        folds = not stage.start and 0 < len(outer) < len(leaves)
        if folds and self.wants("decompose_reduction"):
            self.command(stage, f"decompose_reduction({self.pick(outer).text})")
        if leaves and (policy := self.pick(POLICIES)) is not None:
            self.command(stage, f'partition({self.pick(leaves).text}, "{policy}")')
        if leaves and self.wants("separate_at"):
            point = self.pick((-1, 0, 1, 2, 5, 16))
            self.command(stage, f"separate_at({self.pick(leaves).text}, {point})")
        if leaves and self.wants("pragma"):
            self.command(stage, f"pragma({self.pick(leaves).text}, {self.pick(NOTES)})")
        places = [k for k, leaf in enumerate(free) if leaf.extent and leaf.reduces]
        places += [len(free) - 1] * bool(free and free[-1].extent)
        if places and self.pick((True, False)):
            at = self.pick(places)
            self.command(stage, f"vectorize({free[at].text})")
            free = free[:at]
        if free and self.pick((True, False, False)):
            shared = self.pick([free[0], *(leaf for leaf in free[1:] if leaf.reduces)]).text
            chunk = self.pick(("", "", ', "dynamic"'))
            self.command(stage, f"parallel({shared}{chunk})")
            self.with_kind.add(shared)
            self.parallel.add(shared)
            return free
        few = [leaf for leaf in free if leaf.extent and leaf.extent <= MOST_COPIES]
        threads = [leaf for leaf in few if not leaf.reduces]
        if threads and self.wants("vthread"):
            chosen = self.pick(threads).text
            self.command(stage, f'bind({chosen}, te.thread_axis("vthread"))')
            self.with_kind.add(chosen)
            self.parallel.add(chosen)
            return free
        if few and self.pick((True, False, False)):
            chosen = self.pick(few).text
            self.command(stage, f"unroll({chosen})")
            self.with_kind.add(chosen)
        return free


def _divided(extent: int | None, size: int) -> int | None:
    return None if extent is None else -(-extent // size)


def _roots(stage: Stage) -> list[Leaf]:
    def extent(value):
        return None if value.base else value.value

    operation = f"{stage.results[0].name}.op"
    data = [
        Leaf(f"{operation}.axis[{position}]", False, extent(one))
        for position, one in enumerate(stage.extents)
    ]
    return data + [Leaf(name, True, extent(one)) for name, one in stage.reduce_axes]


def _replaced(leaves: list[Leaf], old: list[Leaf], new: list[Leaf]) -> list[Leaf]:
    """The leaves with `new` in the place of `old`, which are neighbours."""
    position = leaves.index(old[0])
    return [*leaves[:position], *new, *leaves[position + len(old) :]]
