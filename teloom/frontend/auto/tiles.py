"""The tile of a reduction: which axes are its lanes and its rows, and how large it is."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

from teloom.frontend.auto.facts import (
    EquationFacts,
    Read,
    boxes_in,
    bytes_of,
    extent_of,
    known_extent,
)
from teloom.frontend.auto.machine import AccumulatorTile, Machine
from teloom.frontend.expr import dtypes
from teloom.frontend.tensor.tensors import IterVar, PlaceholderOp, Tensor

WINDOWS, SHARING_WINDOWS = 2, 4
"""Rows of a tile that is no product: what two overlapping windows share is read once. There are
more if all rows read the same vectors, too, such as the weights of channels."""

REUSE = 4
"""The least number of tiles that read a packed operand; if lanes are apart, the least number of
rows."""

PACKING = 4
"""The time to copy an element, in products; four times as much where lanes are apart."""

TURNING = 12
"""The time to store an element of a tile whose rows are contiguous, in products."""

APART = 0.15
"""The share of its speed that a tile keeps if its lanes are read from places that are apart."""

CROWDED = 0.8
"""The share that it keeps if terms are read from few sets of a cache."""

LONG = 256
"""The least elements of a row of memory that is added to others as a whole."""

LOW = 128
"""The most rows of a product in packed chunks."""

PARTS = 4
"""The least number of chunks beside each other, for threads."""


class Choice(NamedTuple):
    """The numbers of the axes that are lanes and rows of a tile, and the tile."""

    lanes: int
    row: int | None
    tile: AccumulatorTile


FEW_TERMS, LEAST_ROW = 8, 8
"""The most terms, and the least vectors of a row, of a product that is computed as written."""


def choice_of_tile(equation: EquationFacts, machine: Machine) -> Choice:
    """The tile of a reduction.

    Lanes are the last axis, along which results are contiguous. If that fills vectors badly, the
    lanes of a product may be another axis; the last one is then the axis of rows.
    """
    axes, dtype = equation.op.axis, equation.op.outputs[0].dtype
    last = equation.last
    if equation.is_product and (equation.is_part or is_by_itself(equation)):
        row, results = axes.index(equation.reused[-1]), len(equation.op.outputs)
        tiles = machine.dividing_tiles(dtype, equation.is_fused, results)
        extents = extent_of(axes[row]), extent_of(axes[last])
        share = AccumulatorTile.share_of_triangle if equation.is_part else AccumulatorTile.share
        return Choice(last, row, max(tiles, key=lambda one: share(one, *extents)))
    if has_few_terms(equation, machine):
        return Choice(last, None, _chains(equation, machine))
    if folds_rows(equation):
        others = prod(extent_of(axis) for axis in axes if axis is not axes[last])
        kinds = [output.dtype for output in equation.op.outputs]
        return Choice(last, None, machine.row(kinds, extent_of(axes[last]), others))
    if not equation.is_product:
        rows = [axis for axis in axes[:last] if axis in equation.space and extent_of(axis) > 1]
        long = [] if equation.is_scattered else [*map(axes.index, rows)]
        if not long:
            return Choice(last, None, _chains(equation, machine))
        row, lanes = axes[long[-1]], axes[last]
        vectors = (read for read in equation.reads if read.stride(lanes) == 1)
        is_shared = not all(read.mentions(row) for read in vectors)
        most = SHARING_WINDOWS if is_shared else WINDOWS
        tile = machine.tile(dtype, extent_of(row), extent_of(lanes), most)
        return Choice(last, long[-1], tile)
    return max(_tiles_of_product(equation, machine), key=lambda one: one[0])[1]


def _chains(equation: EquationFacts, machine: Machine) -> AccumulatorTile:
    """A row of results, without other rows."""
    lanes, dtype = equation.op.axis[equation.last], equation.op.outputs[0].dtype
    return machine.chains(dtype, extent_of(lanes), _are_lines(equation, lanes))


def has_few_terms(equation: EquationFacts, machine: Machine) -> bool:
    """Whether a product writes about as much as it computes, so that rows of it are written."""
    lanes = equation.op.axis[equation.last]
    terms = prod(map(extent_of, equation.op.reduce_axis))
    is_long = extent_of(lanes) >= LEAST_ROW * machine.lanes(equation.op.outputs[0].dtype)
    is_few = terms <= FEW_TERMS and _are_lines(equation, lanes)
    return equation.is_product and is_few and is_long


def _are_lines(equation: EquationFacts, lanes: IterVar) -> bool:
    """Whether what lanes read is contiguous, or one element."""
    return all(read.stride(lanes) in (0, 1) for read in equation.reads)


def speed_of_tile(equation: EquationFacts, machine: Machine) -> float:
    """The share of its speed that the best tile of a product keeps."""
    return max(speed for speed, _ in _tiles_of_product(equation, machine))


def _tiles_of_product(equation: EquationFacts, machine: Machine) -> Iterator[tuple[float, Choice]]:
    """The best tile of a product for each axis of lanes, and the share of its speed that it keeps.

    If lanes are not the last axis, that is the axis of rows.
    """
    axes, dtype = equation.op.axis, equation.op.outputs[0].dtype
    last = equation.last
    for lanes in reversed(range(len(axes))):
        rows = [axes.index(one) for one in equation.rows_for(lanes)]
        if lanes != last:
            rows = [one for one in rows if one == last]
        if rows:
            extents = [max(1, extent_of(axes[number])) for number in (rows[-1], lanes)]
            most = _most_rows(equation, lanes, rows[-1], machine)
            # What of a turned tile is outside of the result is left out lane by lane.
            is_turned = lanes != last
            results = len(equation.op.outputs)
            tile = machine.product_tile(
                dtype, *extents, most, equation.is_fused, is_turned, results
            )
            choice = Choice(lanes, rows[-1], tile)
            yield tile.share(*extents) * _ease(equation, choice, machine), choice


def is_by_itself(equation: EquationFacts) -> bool:
    """Whether it multiplies rows of tensors by rows of the same tensors."""
    tensors = [read.tensor for read in equation.reads]
    return all(tensors.count(one) == 2 for one in tensors)


def folds_rows(equation: EquationFacts) -> bool:
    """Whether it adds long rows of memory to each other, as a sum over the first axis does."""
    op = equation.op
    if equation.is_product or not op.axis or not op.reduce_axis:
        return False
    last = op.axis[equation.last]
    is_long = extent_of(last) >= LONG and extent_of(op.reduce_axis[-1]) >= LONG // 8
    return is_long and all(read.stride(last) in (0, 1) for read in equation.reads)


def _most_rows(equation: EquationFacts, lanes: int, row: int, machine: Machine) -> int | None:
    """The most rows whose numbers stay in the first cache together; None if there is no limit."""
    axes = equation.op.axis
    for read in equation.reads:
        step = read.stride(axes[row]) if not read.mentions(axes[lanes]) else None
        if step:
            most = machine.room(step * dtypes.of(read.tensor.dtype).bytes)
            if most is not None and most < machine.registers:
                return most
    return None


def _ease(equation: EquationFacts, choice: Choice, machine: Machine) -> float:
    """The share of its speed that a tile keeps, given how it is read and written."""
    axis = equation.op.axis[choice.lanes]
    terms = max(1, prod(map(extent_of, equation.op.reduce_axis)))
    is_turned = choice.lanes != equation.last
    ease = 1 / (1 + TURNING / terms) if is_turned else 1.0
    chunks = chunks_of(equation, choice, machine)
    for read in equation.reads:
        is_apart = read.stride(axis) not in (0, 1)
        if is_packed(equation, read, choice, machine):
            ease /= 1 + copying(equation, read, choice.lanes) / readers(equation, read)
        elif is_apart:
            ease *= APART
        elif chunks is not None or read.mentions(axis):
            pass  # lanes use whole lines at once; those of a chunk stay for all of its tiles
        elif is_turned_for_rows(equation, read, choice, machine):
            ease /= 1 + PACKING * 4 / readers(equation, read)
        elif _is_read_again(equation, read, choice, machine):
            ease *= CROWDED
    return ease


def copying(equation: EquationFacts, read: Read, lanes: int) -> int:
    """The time to pack an element, in products."""
    is_apart = read.stride(equation.op.axis[lanes]) not in (0, 1)
    return PACKING * (4 if is_apart else 1)


def _is_read_again(equation: EquationFacts, read: Read, choice: Choice, machine: Machine) -> bool:
    """Whether lines of an operand of rows, whose numbers are read one by one, do not stay."""
    if is_crowded(equation, read, machine):
        return True
    is_large = bytes_of(read.tensor) > machine.second_cache
    return is_large and _is_far(equation, read, choice, machine)


def terms_of(equation: EquationFacts, lanes: int) -> list[int]:
    """The reduce axes, by number, outermost first: rows of a product are contiguous in the last."""
    axes = equation.op.reduce_axis
    numbers = [*range(len(axes))]
    if not equation.is_product:
        return numbers
    axis = equation.op.axis[lanes]
    of_rows = [one for one in equation.reads if not one.mentions(axis)]

    def place(number: int) -> tuple[bool, int]:
        distances = (abs(one.stride(axes[number]) or 0) for one in of_rows)
        return extent_of(axes[number]) > 1, -max(distances, default=0)

    return sorted(numbers, key=place)


def is_turned_for_rows(
    equation: EquationFacts, read: Read, choice: Choice, machine: Machine
) -> bool:
    """Whether an operand of rows is transposed first: its lines are read by several tiles."""
    is_again = extent_of(equation.op.axis[choice.lanes]) >= 2 * choice.tile.columns
    return is_again and _is_far(equation, read, choice, machine)


def _is_far(equation: EquationFacts, read: Read, choice: Choice, machine: Machine) -> bool:
    """Whether the terms of a tile read its rows from more cache lines than stay for the next."""
    lanes, row, _ = choice
    axes = equation.op.axis
    if row is None or read.mentions(axes[lanes]):
        return False
    term = equation.op.reduce_axis[terms_of(equation, lanes)[-1]]
    is_matrix = read.stride(axes[row]) == 1 and all(one.is_axis for one in read.subscripts)
    is_once = equation.reads_once(read.tensor)
    if not is_matrix or not is_once or not read.mentions(term):
        return False
    if not is_stored_before(equation, read.tensor):
        return False
    is_long = extent_of(term) * machine.line > machine.caches[0] // 2
    return is_long or is_crowded(equation, read, machine)


def is_crowded(equation: EquationFacts, read: Read, machine: Machine) -> bool:
    """Whether innermost terms read too many cache lines of an operand one after the other.

    If further terms are inside, all of them read a line while it is in the cache.
    """
    terms = [term for term in equation.op.reduce_axis if extent_of(term) > 1]
    step = read.stride(terms[-1]) if terms else None
    if not step:
        return False
    most = machine.room(step * dtypes.of(read.tensor.dtype).bytes)
    return most is not None and extent_of(terms[-1]) > most


def is_packed(equation: EquationFacts, read: Read, choice: Choice, machine: Machine) -> bool:
    """Whether an operand of lanes is packed first: it exists, and is read often, in parts."""
    lanes, row, tile = choice
    axes = equation.op.axis
    # A packed operand is one region: for two reads it would be the hull of both.
    reads = equation.reads_of([read.tensor])
    is_once = len([one for one in reads if one.mentions(axes[lanes])]) == 1
    is_given = is_stored_before(equation, read.tensor)
    if row is None or not is_given or not is_once or not equation.rows_for(lanes):
        return False
    if not read.steps_by_one(axes[lanes]) or read.mentions(axes[row]):
        return False
    is_whole = extent_of(axes[lanes]) <= tile.columns and read.stride(axes[lanes]) == 1
    if is_whole:
        return False
    return is_near(equation, read, choice, machine) or is_read_by_many(equation, read, choice)


def is_near(equation: EquationFacts, read: Read, choice: Choice, machine: Machine) -> bool:
    """Whether rows of lanes come from the last cache, in time for the first of few tiles.

    The panels that it packs stay in the second cache for the others.
    """
    lanes, row, tile = choice
    axes = equation.op.axis
    if row is None or read.stride(axes[lanes]) != 1:
        return False
    bytes, rows = bytes_of(read.tensor), extent_of(axes[row])
    panel = bytes * tile.columns // max(1, extent_of(axes[lanes]))
    has_parts = extent_of(axes[lanes]) >= PARTS * machine.threads * tile.columns
    is_between = machine.second_cache < bytes <= FAR * machine.second_cache
    return (
        is_between
        and has_parts
        and 2 * tile.rows <= rows <= LOW
        and 4 * panel <= machine.second_cache
    )


class Chunks(NamedTuple):
    """How many terms at a time are added to how many columns of all rows of a product.

    What lanes read of these terms `is_packed` first. A tile of rows meets all columns before the
    next one if it is `by_rows`, so that rows are read once; else all rows meet a tile of columns.
    """

    terms: int
    columns: int
    is_packed: bool
    by_rows: bool = False

    @property
    def is_held(self) -> bool:
        """Whether tiles read a chunk from caches, one after the other."""
        return self.is_packed or self.by_rows


TERMS = 8
"""Rows of memory that are added at a time to results that stay in the first cache. More would be in
too few of its sets, if they are whole pages apart."""

PACKED = Chunks(128, 256, is_packed=True)
"""Chunks that are packed into part of a cache, with the most columns."""


NARROW = 2
"""The most vectors in a row of tiles for which numbers of many rows come too slowly."""

FAR = 8
"""What a core has of the last cache, in second caches."""

LEAST_COLUMNS = 512
"""The least columns in a chunk that many rows meet: so many pay for reading them again."""


def chunks_of(equation: EquationFacts, choice: Choice, machine: Machine) -> Chunks | None:
    """The chunks of a product of rows by a matrix that no cache of one core holds.

    If there are few rows, panels of it would be parts of its rows, one below the other, which are
    read at half the speed of whole rows. Packing pays if several tiles read a chunk. The results
    stay in a cache meanwhile; those of many rows would be read and written too often.

    If no cache holds the rows either, each panel reads all of them from memory again. Where tiles
    are narrow, that takes longer than their products; then results are read and written again. So
    they are where a tile has so many terms that no cache holds what it reads for the next one.
    """
    lanes, row, tile = choice
    axes = equation.op.axis
    if row is None or lanes != equation.last or len(equation.op.reduce_axis) != 1:
        return None
    of_lanes = [read for read in equation.reads if read.mentions(axes[lanes])]
    columns = extent_of(axes[lanes])
    others = prod(extent_of(axis) for axis in axes if axis not in (axes[lanes], axes[row]))
    parts = -(-machine.threads // max(1, others))
    if len(of_lanes) != 1:
        return None
    (read,) = of_lanes
    is_matrix = all(one.is_axis for one in read.subscripts) and read.stride(axes[lanes]) == 1
    is_large = bytes_of(read.tensor) > machine.second_cache
    is_given = not read.mentions(axes[row]) and is_stored_before(equation, read.tensor)
    if not (is_matrix and is_large and is_given):
        return None
    if _has_many_terms(equation, read, choice, machine):
        each = max(-(-columns // parts), LEAST_COLUMNS // 2)
        together = min(-(-each // tile.columns) * tile.columns, columns, 2 * LEAST_COLUMNS)
        is_short = columns * dtypes.of(read.tensor.dtype).bytes <= 2 * machine.line
        return Chunks(_held_terms(read, tile, machine), together, not is_short, by_rows=True)
    if columns < 2 * tile.columns or is_near(equation, read, choice, machine):
        return None
    if not is_packed(equation, read, choice, machine):
        bytes = extent_of(axes[row]) * dtypes.of(equation.op.outputs[0].dtype).bytes
        most = max(1, machine.caches[0] // bytes // tile.columns)
        each = -(-columns // (parts * tile.columns))
        return Chunks(TERMS, min(most, each) * tile.columns, is_packed=False)
    terms = extent_of(equation.op.reduce_axis[0])
    of_rows = sum(bytes_of(one.tensor) for one in equation.reads if one is not read)
    if tile.vectors <= NARROW and of_rows > FAR * machine.second_cache:
        many = _held_terms(read, tile, machine)
        width = min(columns // parts, 2 * LEAST_COLUMNS) // tile.columns * tile.columns
        is_wide = 2 * terms >= many and width >= LEAST_COLUMNS
        return Chunks(many, width, is_packed=True, by_rows=True) if is_wide else None
    is_low = extent_of(axes[row]) <= LOW and terms > PACKED.terms
    most = min(PACKED.columns, columns // max(PARTS, parts)) // tile.columns
    return PACKED._replace(columns=most * tile.columns) if is_low and most else None


def _held_terms(read: Read, tile: AccumulatorTile, machine: Machine) -> int:
    """The terms that lanes of a tile read from the first cache, if these are side by side."""
    return machine.caches[0] // (tile.columns * dtypes.of(read.tensor.dtype).bytes)


def _has_many_terms(equation: EquationFacts, read: Read, choice: Choice, machine: Machine) -> bool:
    """Whether tiles have so many terms that no cache has what they read for the next tile.

    Few results stay in the first cache. Of more, tiles for all terms take long if a panel of what
    lanes read is larger than the second cache.
    """
    lanes, _, tile = choice
    bytes = dtypes.of(read.tensor.dtype).bytes
    if None in map(known_extent, equation.axes) or readers(equation, read) < REUSE * tile.rows:
        return False
    # A copy of a chunk has all that rows and lanes read of it.
    is_once = equation.reads_once(read.tensor)
    is_whole = is_by_itself(equation) and extent_of(equation.op.axis[lanes]) <= 2 * LEAST_COLUMNS
    if not is_once and not is_whole:
        return False
    terms = prod(map(extent_of, equation.op.reduce_axis))
    results = bytes * prod(map(extent_of, equation.op.axis))
    is_far = terms * tile.columns * bytes > machine.second_cache or results <= machine.caches[0]
    return is_far and terms >= 2 * _held_terms(read, tile, machine)


def tiles_in(equation: EquationFacts, choice: Choice, machine: Machine) -> int:
    """How many tiles the results are, or chunks of columns of all rows."""
    chunks = chunks_of(equation, choice, machine)
    axes, width = equation.op.axis, choice.tile.columns if chunks is None else chunks.columns
    factors = {choice.row: choice.tile.rows, choice.lanes: width}
    if chunks is not None and choice.row is not None:
        factors[choice.row] = extent_of(axes[choice.row])
    return boxes_in(axes, factors)


def group_of(equation: EquationFacts, machine: Machine) -> int | None:
    """How many terms an instruction adds to a lane, if their factors are narrow integers."""
    factors = equation.factors
    return None if factors is None else machine.group(*factors)


def multiplies_tiles(equation: EquationFacts, machine: Machine) -> bool:
    """Whether the machine multiplies matrices of such factors in registers for tiles."""
    factors = equation.factors
    return factors is not None and machine.multiplies_tiles(*factors)


def is_stored_before(equation: EquationFacts, tensor: Tensor) -> bool:
    """Whether a tensor exists when the loops of an equation begin."""
    return isinstance(tensor.op, PlaceholderOp) or tensor.op in equation.stored


def is_read_by_many(equation: EquationFacts, read: Read, choice: Choice) -> bool:
    """Whether enough tiles read an element for a copy of it to pay."""
    return readers(equation, read) >= least_readers(equation, read, choice)


def least_readers(equation: EquationFacts, read: Read, choice: Choice) -> int:
    """How many have to read an element for a copy of it to pay."""
    is_apart = read.stride(equation.op.axis[choice.lanes]) not in (0, 1)
    return REUSE * (1 if is_apart else choice.tile.rows)


def readers(equation: EquationFacts, read: Read) -> int:
    """How many elements of the result read one element."""
    return prod(extent_of(axis) for axis in equation.op.axis if not read.mentions(axis))
