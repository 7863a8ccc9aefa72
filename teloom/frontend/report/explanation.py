"""`explain`: what a schedule computes, where, how often, and at what cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, mul
from typing import Any, Literal, Self, overload

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.memory.register_tiles import register_tile
from teloom.analysis.regions.iterations import iterations_around, where_run
from teloom.analysis.regions.slices import elements_filled, filled_box
from teloom.analysis.sets.counts import count
from teloom.analysis.sets.layouts import Region, physical_box
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.queries import name_of, stage_of
from teloom.analysis.stages.read_maps import ReadMaps
from teloom.analysis.stages.threads import without_relaxed
from teloom.backend.machine.cpus import HERE, target_asked
from teloom.dialects import schedule as dialect
from teloom.dialects.target import ANY_CPU, Target
from teloom.errors import check_names
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Expr
from teloom.frontend.report.inferred import InferredSchedule, inferred, partial_tiles
from teloom.frontend.report.layers import layers
from teloom.frontend.report.sides import sides
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import IterVar, Range, Tensor
from teloom.passes.loops.infer_bounds import remarks_on

UNKNOWN = "?"


@dataclass(frozen=True)
class StageCost:
    """The cost of one stage of a schedule; a count is None if it is unknown.

    - `name` is that of the stage.
    - `at` is the axis in whose loop it is computed, such as `C.i.outer`, or `the root`; with the
      innermost of the loops that it shares with another stage, as in `the root with B.j`.
    - `times` is the number of times that the program reaches this place. Threads that see one
      copy reach it together.
    - `region` is the box that is stored there, per data axis; for an extern, the box of points.
    - `mode` is the part of it that is computed: `exact` for what is read, all of a convex `hull`,
      or all of the `box`.
    - `taken_whole` are axes of readers whose relation to the place is not affine: what is read at
      any of their positions is computed.
    - `computed` is the number of elements computed, over all times; `needed` is the number of
      different elements that are read.
    - `stored` is in bytes, at one time.
    """

    name: str
    at: str
    times: int | None
    region: tuple[Range, ...]
    mode: str
    taken_whole: tuple[IterVar, ...]
    computed: int | None
    needed: int | None
    stored: int | Expr

    @property
    def redundancy(self) -> float | None:
        """Elements computed per element needed: 1.0 if none is computed twice or in vain."""
        if self.computed is None or not self.needed:
            return None
        return self.computed / self.needed


class Explanation(tuple[StageCost, ...]):
    """The costs of the stages of a schedule, in program order; as text, a table.

    `remarks`, below the table, name stages that compute or store more than is needed or asked
    for, and give the reason. `tiles` are lines about axes whose tiles are not all whole: which
    iterations are, and how the others run.
    """

    remarks: tuple[str, ...]
    tiles: tuple[str, ...]

    def __new__(
        cls, stages: Iterable[StageCost], remarks: Iterable[str] = (), tiles: Iterable[str] = ()
    ) -> Self:
        made = super().__new__(cls, stages)
        made.remarks, made.tiles = tuple(remarks), tuple(tiles)
        return made

    def __str__(self) -> str:
        head = ["stage", "at", "times", "computed", "needed", "redundancy", "bytes", "region"]
        rows = [head, *(_row(stage) for stage in self)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [_line(row, widths) for row in rows]
        remarks = (f"remark: {remark}" for remark in self.remarks)
        return "\n".join([*lines, *(f"axis {tile}" for tile in self.tiles), *remarks])


def _row(stage: StageCost) -> list[str]:
    redundancy = UNKNOWN if stage.redundancy is None else f"{stage.redundancy:.2f}"
    box = ", ".join(f"{side.min} : {side.extent}" for side in stage.region)
    mode = "" if stage.mode == dialect.Mode.EXACT else f"{stage.mode} "
    counts = [_number(stage.times), _number(stage.computed), _number(stage.needed)]
    whole = ", ".join(axis.name for axis in stage.taken_whole)
    region = f"{mode}[{box}]" + (f" for all of {whole}" if whole else "")
    return [stage.name, stage.at, *counts, redundancy, str(stage.stored), region]


def _number(value: int | None) -> str:
    return UNKNOWN if value is None else str(value)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    """One line of the table: names are flush left, numbers flush right, the region is last."""
    *cells, last = row
    left, right = 2, len(cells)
    shown = [cell.ljust(width) for cell, width in zip(cells[:left], widths, strict=False)]
    numbers = zip(cells[left:], widths[left:right], strict=True)
    return "  ".join([*shown, *(cell.rjust(width) for cell, width in numbers), last])


@overload
def explain(
    s: Schedule, what: Literal["cost"] = "cost", target: str | Target | None = HERE
) -> Explanation: ...
@overload
def explain(s: Schedule, what: str, target: str | Target | None = HERE) -> Explanation | str: ...
def explain(
    s: Schedule, what: str = "cost", target: str | Target | None = HERE
) -> Explanation | str:
    """What a schedule computes, and at which cost, in which order, or why so much of each stage.

    With `what="cost"`, for each stage: where it is computed, which region, how often, and at what
    cost. Inlined stages are left out: they are part of their readers. Counts are None (`?` in the
    text) if sizes are symbolic, if counting takes too long, and for an extern without axes, which
    fills all that it stores. For an extern with axes, whole slices count. Counts are of the ranges
    at level `schedule`: what tails compute besides is not among them.

    A remark names a tile of a vectorized reduction whose partial results are more than the
    registers of `target` hold, by default of a CPU with 32 of 64 bytes. They are MR rows of NV
    vectors; a step also takes a row of what it reads, and one element: MR * NV + NV + 1 registers.
    Of each axis with partial tiles a line says which iterations are whole, and how others run: a
    last tile may begin in the one before, and compute that part again.

    With `"maps"`, a text of isl sets and maps in Tiramisu's four layers: the domains of equations,
    the times of instances, what they read and write, and which loops run at the same time. A time
    is a vector of static positions and loops in turn. With `"regions"`, a text that says of each
    side of each region which read reaches it, and where.

    Raises what `teloom.lower` raises, and `teloom.Error` for another word.

    >>> from teloom import te
    >>> A = te.placeholder((34,), name="A")
    >>> B = te.compute((34,), lambda i: A[i] + 1, name="B")
    >>> C = te.compute((32,), lambda i: B[i] + B[i + 2], name="C")
    >>> s = te.create_schedule(C)
    >>> outer, inner = s[C].split(C.op.axis[0], factor=8)
    >>> s[B].compute_at(s[C], outer)
    >>> print(te.explain(s))
    stage  at         times  computed  needed  redundancy  bytes  region
    B      C.i.outer      4        40      34        1.18     40  [(i.outer * 8) : 10]
    C      the root       1        32      32        1.00    128  [0 : 32]
    >>> print(te.explain(s, "maps"))
    layer I: what is computed
      { B[i] : 0 <= i <= 33 }
      { C[i] : 0 <= i <= 31 }
    ...
    >>> print(te.explain(s, "regions"))
    C.i from 0: it is an output, of which all is computed
    C.i to 31: it is an output, of which all is computed
    B.i from i.outer * 8: C reads i.outer * 8 + i.inner at i.inner = 0
    B.i to i.outer * 8 + 9: C reads i.outer * 8 + i.inner + 2 at i.inner = 7
    """
    check_names("explanation", [what], ["cost", *_TEXTS])
    machine = target_asked(target) or ANY_CPU
    found = inferred(s)
    if what in _TEXTS:
        return _TEXTS[what](found)
    stages = found.applied.stages
    costs = [_cost(found, stage, stages[stage.name]) for stage in s.stages if stage.name in stages]
    remarks = [
        *(message for op in found.regions for message, _ in remarks_on(op, found.regions)),
        *filter(None, (_tile_remark(found, op, machine) for op in found.regions)),
    ]
    return Explanation(costs, remarks, partial_tiles(found, machine))


_TEXTS: dict[str, Callable[[InferredSchedule], str]] = {"maps": layers, "regions": sides}
"""What is explained by a text."""


def _tile_remark(found: InferredSchedule, op: dialect.StageOp, machine: Target) -> str | None:
    """The remark on a tile that registers do not hold."""
    extents = found.regions[op].extents
    constants = {
        axis: extent.value
        for axis, extent in extents.items()
        if isinstance(extent, AffineConstantExpr)
    }
    tile, most = register_tile(op, constants, machine), machine.vector_registers
    if tile is None or tile.registers <= most:
        return None
    fitting = [f"{rows} x {columns}" for rows, columns in tile.fitting(most)]
    fits = f"; {' or '.join(fitting)} would fit" if fitting else ""
    return (
        f'stage "{name_of(op)}" keeps {tile.rows} x {tile.columns} partial results per step of '
        f"{found.applied.axes[tile.axis].name}: with what a step reads they take {tile.registers} "
        f"registers, and {machine.name} has {most}{fits}"
    )


def _cost(found: InferredSchedule, stage: Stage, op: dialect.StageOp) -> StageCost:
    region = found.regions[op]
    computed, place = region.computed, region.within
    ranges = tuple(
        Range(found.expr(offset, region), found.expr(extent, region))
        for offset, extent in region.stored.box
    )
    if op.extern is not None:
        stored = reduce(add, [_filled_bytes(found, op, tensor) for tensor in stage.op.outputs])
    else:
        stored = _bytes(_stored_extents(found, op), stage.op.outputs)
    times = iterations_around(op, place, found.regions)
    elements = where_run(computed.elements, op, place, found.regions)
    relaxed = {*place.values}.difference(without_relaxed(op, place.values))
    different = computed.needed.without(place.values[place.sizes :])
    return StageCost(
        name=stage.name,
        at=_place(found, op),
        times=count(times.without(relaxed).set, place.sizes),
        region=ranges,
        mode=computed.mode.value,
        taken_whole=tuple(found.applied.axes[axis] for axis in computed.taken_whole),
        computed=_count(found, op, elements.without(relaxed)),
        needed=_count(found, op, different),
        stored=stored,
    )


def _count(found: InferredSchedule, op: dialect.StageOp, points: Points) -> int | None:
    """The number of elements filled at `points`; None for an extern without axes."""
    if op.extern is not None and not op.root_axes:
        return None
    place = found.regions[op].place
    accesses = ReadMaps(found.applied.func, place.values[: place.sizes], points.set.get_ctx())
    return count(elements_filled(points, op.tensors[0], accesses).set, place.sizes)


def _stored_extents(found: InferredSchedule, op: dialect.StageOp) -> list[Any]:
    """Numbers whose product is the number of elements in memory, gaps of a layout included."""
    region, layout = found.regions[op], op.storage.own_layout
    extents = [extent for _, extent in region.stored.box]
    for axis, factor in region.stored.folds.items():
        extents[axis] = AffineExpr.constant(factor)
    if layout is not None:
        box = physical_box(Region(extents, len(region.values)), layout)
        extents = [extent for _, extent in box]
    numbers: list[Any] = [found.expr(extent, region) for extent in extents]
    if layout is None or not layout.triangle:
        return numbers
    rows = layout.edge_of(numbers)
    return [*numbers[:-2], rows * (rows + 1) // 2]


def _filled_bytes(found: InferredSchedule, op: dialect.StageOp, tensor: Tensor) -> Any:
    """The bytes stored of one tensor of an extern: the box around the slices of its points."""
    assert op.extern is not None
    region = found.regions[op]
    box, _ = filled_box(op.extern, tensor.value_index, region.stored.box, region.values)
    return _bytes([found.expr(extent, region) for _, extent in box], [tensor])


def _bytes(extents: Sequence[Any], tensors: Sequence[Tensor]) -> Any:
    """The bytes of all `tensors` in a box with these extents."""
    width: Any = sum(dtypes.of(tensor.dtype).bytes for tensor in tensors)
    return reduce(mul, extents, width)


def _place(found: InferredSchedule, op: dialect.StageOp) -> str:
    place = "the root"
    if op.at is not None:
        place = _axis(found, op.at)
    front = op.prev_op
    if op.shared and isinstance(front, dialect.StageOp):
        place += f" with {_axis(found, front.order.axes[len(op.shared) - 1])}"
    return place


def _axis(found: InferredSchedule, axis: SSAValue) -> str:
    return f"{name_of(stage_of(axis))}.{found.applied.axes[axis].name}"
