"""Reductions in tiles that stay in registers, with packed operands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import prod

from teloom.frontend.auto.axes.changed_axes import ChangedAxes
from teloom.frontend.auto.facts import (
    EquationFacts,
    Read,
    bytes_of,
    extent_of,
    extents_of,
    known,
    known_extent,
)
from teloom.frontend.auto.panels import (
    GroupedPanels,
    Panels,
    packed_together,
    panels_along,
    panels_of,
    vectorize_along,
    with_last,
)
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.auto.threads.sharing import InnerCopy, outermost, several, sharing_of
from teloom.frontend.auto.tiles import (
    TERMS,
    Choice,
    Chunks,
    choice_of_tile,
    chunks_of,
    copying,
    folds_rows,
    is_crowded,
    is_near,
    is_packed,
    is_stored_before,
    is_turned_for_rows,
    readers,
    terms_of,
)
from teloom.frontend.expr import dtypes
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import IterVar, PlaceholderOp, Tensor

STEPS = 4
"""Terms of a sum per unrolled iteration; half as many for products without a fused instruction."""

MOST_UNROLLED = 10
"""The most iterations of reduce axes that are unrolled all together."""

USES = 2
"""How many numbers that are shared may take turns in a register."""

FEW_READERS = 256
"""The most results that read an element of a panel, for the time to pack it to matter."""

VECTORS = 4
"""Vectors of results that are accumulated together, where rows share nothing."""


class TileRule:
    """Tiles a stage whose elements are those of a reduction, which it computes tile by tile.

    `copy` is that stage, and `tensor` the result of the reduction. `lead` are the numbers of axes
    whose loops stay outermost. A copy `is_inside` that is computed in loops of another stage.
    With `changed` axes the equation is their model.
    """

    is_in_vectors = True
    """Whether the rows of a tile are vectors in registers, from which they are copied at once."""

    def __init__(
        self,
        rules: ScheduleWriter,
        equation: EquationFacts,
        tensor: Tensor,
        copy: Stage,
        lead: Sequence[int] = (),
        is_inside: bool = False,
        changed: ChangedAxes | None = None,
    ):
        self.rules, self.equation, self.tensor = rules, equation, tensor
        self.copy, self.lead, self.is_inside, self.changed = copy, lead, is_inside, changed
        self.choice = self._choice()
        self.lanes, self.row, self.tile = self.choice
        self.loops: dict[int, IterVar] = {}
        """The loops of the copy around a tile, by number of the axis."""
        self._copies: dict[Tensor, Stage] = {}
        """The stages of copies that tiles read in the place of tensors."""
        self.shared: list[IterVar] = []
        """The loops that threads share, outermost first."""

    def _choice(self) -> Choice:
        """The axes of a tile, and the tile."""
        return choice_of_tile(self.equation, self.rules.machine)

    @property
    def _is_turned(self) -> bool:
        """Whether the rows of a tile are contiguous in the result, and its lanes are not."""
        return self.lanes != self.equation.last

    @property
    def _is_of_rows(self) -> bool:
        """Whether a tile is a part of a row, too long for registers."""
        return self.row is None and folds_rows(self.equation)

    @cached_property
    def _chunks(self) -> Chunks | None:
        """The chunks of terms of a product whose tiles have all rows: too many for registers."""
        if self.lead or self.is_inside:
            return None
        found = chunks_of(self.equation, self.choice, self.rules.machine)
        is_stored = any(read.tensor.op in self.rules.alone for read in self.equation.reads)
        return None if found is not None and found.is_held and is_stored else found

    def schedule(self, sharable: int = 0) -> None:
        """Writes the commands.

        Threads share at most `sharable` loops, the outermost ones. One of these may be divided for
        that if none of `lead` has to be outermost.
        """
        copy, tile = self.copy, self.tile
        # Stages in the leading loops have no elements behind the last.
        tail = None if self.lead else "round_up"
        outer = dict(enumerate(copy.op.axis if self.changed is None else self.changed.write(copy)))
        inner: list[IterVar] = []
        if self._chunks is not None and self.row is not None:
            inner.append(outer.pop(self.row))
        elif self.row is not None:
            outer[self.row], rows = copy.split(outer[self.row], factor=tile.rows, tail=tail)
            if self.is_in_vectors:
                copy.unroll(rows)
            inner.append(rows)
        width = tile.columns if self._chunks is None else self._chunks.columns
        if extent_of(outer[self.lanes]) > width:
            are_whole = not self._is_of_rows and (self._chunks is None or self.equation.is_part)
            outer[self.lanes], columns = copy.split(
                outer[self.lanes], factor=width, tail=tail if are_whole else None
            )
        else:
            columns = outer.pop(self.lanes)
        copy.vectorize(columns)
        loops = self.loops = {number: outer[number] for number in self._order([*outer])}
        tile_axes = [columns, *inner] if self._is_turned else [*inner, columns]
        panels: list[IterVar] = []
        if self._panels_together > 1:
            loops[self.lanes], *panels = copy.split(loops[self.lanes], factor=self._panels_together)
        copy.reorder(*loops.values(), *panels, *tile_axes)
        self._share(loops, sharable)
        stage = self.rules.s[self.tensor]
        if around := [*loops.values(), *panels]:
            stage.compute_at(copy, around[-1])
        self._schedule_inside(stage)
        self.rules.say(stage, self._reason())
        self._pack(loops)
        self._fetch_rows(loops)
        self.rules.run_on_threads(copy, self.shared)

    def vectorize_read(self, stage: Stage, tensor: Tensor) -> None:
        """Vectorizes a stage in the loops around tiles that read it; their lanes lie together."""
        lanes = self.equation.op.axis[self.lanes]
        for read in self.equation.reads_of([tensor]):
            if read.steps_by_one(lanes) and read.stride(lanes) != 1 and not self._is_again:
                vectorize_along(stage, read, lanes, self.rules.machine)
                return
        stage.vectorize(stage.op.axis[-1])

    def _fetch_rows(self, loops: dict[int, IterVar]) -> None:
        """Asks for the rows that windows of the next tiles read, before those of these.

        A tile reads a short part of each row, so a prefetcher that follows lines sees jumps.
        """
        if self.row not in loops or self.equation.is_product or self.lead or self.is_inside:
            return
        loop, machine = loops[self.row], self.rules.machine
        if machine.threads > 1 and loop in self.shared:
            return
        for tensor in self.equation.tensors:
            is_far = bytes_of(tensor) > machine.second_cache
            reads = self.equation.reads_of([tensor] if is_far else [])
            is_read = is_stored_before(self.equation, tensor) and tensor not in self._copies
            if is_read and any(map(self._has_windows, reads)):
                self.copy.prefetch(tensor, loop, 1)
                self.rules.say(self.copy, f"the next rows of {tensor.name} are prefetched")

    def _has_windows(self, read: Read) -> bool:
        """Whether elements are folded from windows, of rows and columns, of a few rows of memory.

        Where lanes have no windows, what tiles read is one run of memory for each line of them.
        """
        if self.row is None:
            return False
        axes, terms = self.equation.op.axis, {*self.equation.op.reduce_axis}
        row, lanes = axes[self.row], axes[self.lanes]
        windows = [one.axes - terms for one in read.subscripts if one.axes & terms]
        step = read.stride(row)
        if not step or not all(any(axis in one for one in windows) for axis in (row, lanes)):
            return False
        bytes = step * self.tile.rows * dtypes.of(read.tensor.dtype).bytes
        return bytes <= self.rules.machine.caches[0] // 2

    def _share(self, loops: dict[int, IterVar], most: int) -> None:
        """Decides which loops threads share; of the first one that they do not, perhaps parts."""
        sharable = [*loops][:most]
        if not sharable:
            return
        threads, around = self.rules.machine.threads, [loops[number] for number in sharable]
        panels = self._panels(sharable)
        way = sharing_of(self.copy, around, threads, panels, may_divide=not self.lead)
        if way.parts == 1:
            self.shared = outermost(self.copy, around, way.whole)
            return
        number = sharable[way.whole]
        part, loops[number] = self.copy.split(loops[number], nparts=way.parts, tail="guard")
        self.shared = [*several(self.copy, around[: way.whole]), part]

    def _panels(self, loops: Sequence[int]) -> Iterator[InnerCopy]:
        """What is packed in loops around tiles."""
        axes, rows = self.equation.op.axis, self.tile.rows
        for read in self.equation.reads:
            around = [place for place, number in enumerate(loops) if read.mentions(axes[number])]
            if around and self._is_packed_in_loops(read):
                yield InnerCopy(around[-1], copying(self.equation, read, self.lanes) / rows)

    def _reason(self) -> str:
        if self._is_of_rows:
            return f"{TERMS} rows at a time are added, of {self.tile.columns} elements at most"
        if self._chunks is not None:
            terms, columns, *_ = self._chunks
            return f"{terms} terms at a time are added to {columns} columns"
        size = f"{self.tile.rows} x {self.tile.columns} elements"
        turned = ", whose rows are contiguous," if self._is_turned else ""
        return f"tiles of {size} of {self.copy.name}{turned} stay in registers for all terms"

    def _order(self, loops: Sequence[int]) -> list[int]:
        """The numbers of the axes, outermost first: of packed operands, rows, then others."""
        shared = self._shared_by_rows()

        def place(number: int) -> tuple[int, int]:
            if number in self.lead:
                return 0, self.lead.index(number)
            if number == self.row:
                return 4, number
            if number == self.lanes:
                is_inner = self.row is None or self._is_by_rows or not self.equation.is_product
                return 5 if is_inner else 2, number
            return (1 if number in shared else 3), number

        return sorted(loops, key=place)

    @cached_property
    def _is_by_rows(self) -> bool:
        """Whether a tile of rows meets all lanes before the next tile of rows begins.

        So it is for a matrix, if the second cache holds what lanes read, and not what rows read.
        """
        equation, axes = self.equation, self.equation.op.axis
        if self.row is None or self.lead or self.is_inside or equation.op.domain:
            return False
        if not all(one.is_axis for read in equation.reads for one in read.subscripts):
            return False
        of_lanes = [read for read in equation.reads if read.mentions(axes[self.lanes])]
        of_rows = [read for read in equation.reads if read not in of_lanes]
        is_matrix = all(
            one.tensor.ndim == 2 and not one.mentions(axes[self.row]) for one in of_lanes
        )
        second = self.rules.machine.second_cache
        is_small = sum(bytes_of(read.tensor) for read in of_lanes) <= second // 2
        return is_matrix and is_small and sum(bytes_of(one.tensor) for one in of_rows) > second

    def _shared_by_rows(self) -> set[int]:
        """The data axes, by number, of the reads that do not depend on the row."""
        if self.row is None:
            return set()
        axes = self.equation.op.axis
        shared = [one for one in self.equation.reads if not one.mentions(axes[self.row])]
        return {
            number for number, axis in enumerate(axes) if any(one.mentions(axis) for one in shared)
        }

    def _schedule_inside(self, stage: Stage) -> None:
        """The loops of a tile: terms outside, rows and vectors inside."""
        others = [*stage.op.axis]
        self._turn(stage)
        lanes, rows = others[self.lanes], [] if self.row is None else [others[self.row]]
        others = [axis for axis in others if axis is not lanes and axis not in rows]
        terms = [stage.op.reduce_axis[number] for number in self._terms]
        if self._is_of_rows:
            outer, inner = stage.split(terms.pop(), factor=TERMS)
            vectors, lane = stage.split(lanes, factor=self.tile.lanes)
            stage.reorder(*others, *terms, outer, vectors, inner, lane)
            stage.unroll(inner)
            stage.vectorize(lane)
            return
        if self._chunks is not None:
            self._schedule_chunks(stage, self._chunks, others, *terms, *rows, lanes)
            return
        unrolled: Sequence[IterVar] = ()
        if self._is_window_of_rows() and not self._has_room_for_shared_numbers:
            stage.pragma(terms[-1], "llvm.loop.unroll.disable", True)
        elif not self.equation.is_scattered:
            unrolled = _short(terms, self._most_unrolled())
            is_halved = self.equation.is_product and not self.equation.is_fused
            steps = STEPS // 2 if is_halved else STEPS
            is_rolled = not any(extent_of(axis) > 1 for axis in unrolled)
            if is_rolled and any(map(self._is_packed_by_tile, self.equation.reads)):
                terms[-1:] = stage.split(terms[-1], factor=STEPS // 2)
                unrolled = terms[-1:]
            elif is_rolled and not self._is_turned and divides(steps, terms[-1]):
                stage.pragma(terms[-1], "llvm.loop.unroll.count", steps)
        stage.reorder(*others, *terms, *rows, lanes)
        for axis in (*unrolled, *rows):
            stage.unroll(axis)
        stage.vectorize(lanes)

    def _schedule_chunks(
        self,
        stage: Stage,
        chunks: Chunks,
        others: Sequence[IterVar],
        term: IterVar,
        row: IterVar,
        lanes: IterVar,
    ) -> None:
        """The loops of a tile to which chunks of terms are added, each of which may be packed."""
        chunk, step = stage.split(term, factor=chunks.terms)
        # What is left over at a diagonal would be masked, and then stay in memory.
        tail = "round_up" if self.equation.is_part else None
        tiles, row = stage.split(row, factor=self.tile.rows, tail=tail)
        vectors, lane = stage.split(lanes, factor=self.tile.columns, tail=tail)
        outer = (tiles, vectors) if chunks.by_rows else (vectors, tiles)
        stage.reorder(*others, chunk, *outer, step, row, lane)
        stage.unroll(row)
        stage.vectorize(lane)
        if chunks.is_held:
            stage.pragma(step, "llvm.loop.unroll.count", STEPS)
        if chunks.is_packed:
            axis = self.equation.op.axis[self.lanes]
            (read,) = (one for one in self.equation.reads if one.mentions(axis))
            panel = self._copy(read.tensor)
            panel.compute_at(stage, chunk)
            panels_along(read, axis, self.tile).schedule(panel, self.rules.machine, None)
            self.rules.say(panel, f"{chunks.terms} of its rows are packed at a time")
        if chunks.by_rows:
            self._copy_rows(stage, tiles)

    def _copy_rows(self, stage: Stage, tiles: IterVar) -> None:
        """Copies the rows of a tile: those that are pages apart share a few lines of a cache."""
        assert self.row is not None
        row, term = self.equation.op.axis[self.row], self.equation.op.reduce_axis[-1]
        for read in self.equation.reads:
            is_of_axes = all(one.is_axis for one in read.subscripts)
            is_apart = read.stride(term) == 1 or is_crowded(self.equation, read, self.rules.machine)
            is_once = self.equation.reads_once(read.tensor)
            if is_of_axes and read.mentions(row) and is_apart and is_once:
                rows = self._copy(read.tensor)
                rows.compute_at(stage, tiles)
                rows.vectorize(rows.op.axis[-1])
                self.rules.say(rows, "the rows of a tile lie side by side")

    def _turn(self, stage: Stage) -> None:
        """Stores lanes side by side."""
        if self._is_turned:
            stage.transform_layout(lambda *at: with_last(at, self.lanes))

    @cached_property
    def _terms(self) -> list[int]:
        return terms_of(self.equation, self.lanes)

    def _is_window_of_rows(self) -> bool:
        """Whether rows of a product share elements, which they read in different terms."""
        if self.row is None or not self.equation.is_product:
            return False
        row, term = self.equation.op.axis[self.row], self.equation.op.reduce_axis[self._terms[-1]]
        places = (one for read in self.equation.reads for one in read.subscripts)
        return any({row, term} <= one.axes for one in places)

    @property
    def _has_room_for_shared_numbers(self) -> bool:
        """Whether registers are left for the numbers that taps of a tile's rows share."""
        taken = (self.tile.rows + 1) * self.tile.vectors
        taps = self.equation.op.reduce_axis[self._terms[-1]]
        shared = self.tile.rows + extent_of(taps) - 1
        return shared <= USES * (self.rules.machine.registers - taken)

    def _most_unrolled(self) -> int:
        """The most unrolled iterations: fewer in windows, and where partial tiles need code."""
        extents = self.equation.op.outputs[0].extents
        is_known = all(known(extent) is not None for extent in extents)
        return MOST_UNROLLED if self.equation.is_product and is_known else MOST_UNROLLED // 2

    def _pack(self, loops: dict[int, IterVar]) -> None:
        """Packs what lanes read, and many rows, so that it is read in the order of memory."""
        if self._chunks is not None and self._chunks.is_held:
            return
        for tensor, one in self._shared_panels.items():
            self._store(tensor, one)
        for read in self.equation.reads:
            if self._is_packed(read):
                self._pack_read(read, loops)
            elif self._is_turned_for_rows(read):
                self._turn_for_rows(read)

    @cached_property
    def _shared_panels(self) -> dict[Tensor, Panels]:
        """The panels of tensors that both rows and lanes read."""
        return {} if self.lead else panels_of(self.equation, self.choice)

    @cached_property
    def _panels_together(self) -> int:
        """How many panels of an operand are packed at a time, which each tile of rows meets."""
        is_within = self.lead or self.is_inside
        if is_within or self._chunks is not None or not self.equation.is_product:
            return 1
        lanes, machine = self.equation.op.axis[self.lanes], self.rules.machine
        counts = (
            packed_together(read, lanes, self.tile, machine)
            for read in self.equation.reads
            if self._is_packed_in_loops(read)
            and not is_near(self.equation, read, self.choice, machine)
        )
        return max(counts, default=1)

    def _is_turned_for_rows(self, read: Read) -> bool:
        """Whether an operand of rows is transposed first."""
        is_alone = not self.lead and not self.is_inside
        return is_alone and is_turned_for_rows(self.equation, read, self.choice, self.rules.machine)

    def _turn_for_rows(self, read: Read) -> None:
        stage = self._copy(read.tensor)
        last = self.equation.op.reduce_axis[self._terms[-1]]
        outer = vectorize_along(stage, read, last, self.rules.machine)
        self.rules.share(stage, [outer], prod(extents_of(read.tensor)))
        self.rules.say(stage, f"transposed, so that {last.name} is contiguous for each row")

    def _pack_read(self, read: Read, loops: dict[int, IterVar]) -> None:
        equation, lanes = self.equation, self.equation.op.axis[self.lanes]
        if self._is_stored_first(read):
            self._store(read.tensor, panels_along(read, lanes, self.tile))
            return
        is_once = equation.reads_once(read.tensor)
        if self._is_again and (not is_once or read.stride(lanes) == 1):
            return
        panel = self._copy(read.tensor)
        axes = equation.op.axis
        around = [one for number, one in loops.items() if read.mentions(axes[number])]
        if around:
            # Nothing is between loops that threads share.
            at = self.shared[-1] if around[-1] in self.shared else around[-1]
            if self._is_packed_by_tile(read):
                self._pack_by_tile(panel, read, at)
                return
            panel.compute_at(self.copy, at)
        if self._panels_together > 1:
            panels_along(read, lanes, self.tile).schedule(panel, self.rules.machine, None)
            self.rules.say(panel, f"{self._panels_together} panels are packed at a time")
            return
        outer = vectorize_along(panel, read, lanes, self.rules.machine)
        if not around:
            self.rules.share(panel, [outer], prod(extents_of(read.tensor)))
        self.rules.say(panel, "a panel is read once per tile, in the order of memory")

    def _is_packed_by_tile(self, read: Read) -> bool:
        """Whether the first tile that reads a panel packs it: rows that lanes read as they are."""
        equation, lanes = self.equation, self.equation.op.axis[self.lanes]
        if self._panels_together > 1 or self._is_again:
            return False
        if equation.has_choices or equation.has_cases or None in map(known_extent, equation.axes):
            return False  # parts of loops would be told apart in the tile, not around it
        dtype = read.tensor.dtype
        are_lines = self.tile.columns * dtypes.of(dtype).bytes >= self.rules.machine.line
        are_rows = read.stride(lanes) == 1 and read.dimension(lanes) is not None
        is_part = extent_of(lanes) > self.tile.columns and self._is_packed_in_loops(read)
        is_for_few = readers(equation, read) <= FEW_READERS
        return is_part and are_rows and are_lines and is_for_few and dtype == self.tensor.dtype

    def _pack_by_tile(self, panel: Stage, read: Read, at: IterVar) -> None:
        """Packs a panel in the loop of the terms of a tile, for all tiles in a loop around it.

        So elements come from memory, and go to the panel, while others are multiplied.
        """
        number, stage = read.dimension(self.equation.op.axis[self.lanes]), self.rules.s[self.tensor]
        assert number is not None
        *_, term, _, _ = stage.leaf_iter_vars  # inside of it are the rows and lanes of a tile
        panel.compute_at(stage, term)
        panel.store_at(self.copy, at)
        leaves = self.copy.leaf_iter_vars
        inside = {*leaves[leaves.index(at) + 1 :]}
        for loop in filter(inside.__contains__, self.loops.values()):
            self.copy.never_partition(loop)  # code for the first tile alone would take long to make
        panel.vectorize(panel.op.axis[number])
        self.rules.say(panel, "a panel is packed by the first tile that reads it")

    @property
    def _is_again(self) -> bool:
        """Whether a panel would be copied for each row, in loops over rows."""
        return self.row in self.lead or self.is_inside

    def _is_stored_first(self, read: Read) -> bool:
        """Whether all panels of an operand are stored before the loops around tiles."""
        if read.dimension(self.equation.op.axis[self.lanes]) is None:
            return False  # lanes of a window would be in two panels
        is_alone = read.tensor.op in self.rules.alone and read.tensor.ndim > 1
        is_shared = not (self._is_again or self.equation.reads_once(read.tensor))
        return is_alone or self._is_by_rows or is_shared

    def _is_packed_in_loops(self, read: Read) -> bool:
        """Whether an operand of lanes is packed part by part, in loops around tiles."""
        return not self._is_stored_first(read) and self._is_packed(read)

    def _is_packed(self, read: Read) -> bool:
        """Whether an operand of lanes is packed, by itself."""
        is_shared = read.tensor in self._shared_panels
        return not is_shared and is_packed(self.equation, read, self.choice, self.rules.machine)

    def _store(self, tensor: Tensor, panels: Panels | GroupedPanels) -> None:
        """Stores a stage in panels if it has no other readers; else a copy of the tensor."""
        if tensor.op in self.rules.alone:
            self.rules.panels[tensor.op] = panels
        elif isinstance(tensor.op, PlaceholderOp) or tensor.op in self.equation.stored:
            schedule_panels(self.rules, self._copy(tensor), panels)

    def _copy(self, tensor: Tensor) -> Stage:
        """Adds the stage of a copy of a tensor."""
        s = self.rules.s
        copy = None if self.changed is None else self.changed.copy(s, tensor, self.tensor)
        made = s.cache_read(tensor, "global", [self.tensor]) if copy is None else copy
        self._copies[tensor] = s[made]
        return s[made]


def schedule_panels(
    rules: ScheduleWriter,
    stage: Stage,
    panels: Panels | GroupedPanels,
    contiguous: int | None = None,
) -> None:
    """Stores a stage in panels, with loops in the order of memory.

    Its reads are contiguous along dimension `contiguous`; without it, the stage is a copy.
    """
    tensor = stage.op.outputs[0]
    outer = panels.schedule(stage, rules.machine, contiguous)
    rules.share(stage, [outer], prod(extents_of(tensor)))
    rules.say(stage, f"panels of {panels.columns} are in the order in which tiles read them")


def _short(terms: Sequence[IterVar], most: int) -> list[IterVar]:
    """The innermost reduce axes with at most `most` iterations together, the innermost first."""
    found: list[IterVar] = []
    iterations = 1
    for axis in reversed(terms):
        iterations *= extent_of(axis)
        if iterations > most:
            break
        found.append(axis)
    return found


def divides(factor: int, axis: IterVar) -> bool:
    """Whether the extent of an axis is known to be a multiple of a factor."""
    extent = known_extent(axis)
    return extent is not None and extent % factor == 0


def keep_vectors(rules: ScheduleWriter, equation: EquationFacts, stage: Stage) -> None:
    """Keeps some vectors of results in registers for all terms."""
    lanes = equation.space[-1]
    columns = VECTORS * rules.machine.lanes(equation.op.outputs[0].dtype)
    outer, inner = stage.split(lanes, factor=columns)
    stage.reorder(outer, *stage.op.reduce_axis, inner)
    stage.vectorize(inner)
    rules.say(stage, f"{columns} elements of {lanes.name} stay in registers for all terms")
