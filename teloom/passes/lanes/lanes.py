"""The body of a loop, rewritten so that several iterations run at once, as lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

from xdsl.dialects import affine, arith, builtin, memref, scf, vector
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    MemRefType,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.accesses.interleaved import Interleaved, Member
from teloom.analysis.accesses.panels import Panel, panels_in
from teloom.analysis.index.extents import lower_bounds
from teloom.analysis.index.strides import LaneStrides
from teloom.dialects import loop
from teloom.dialects.affine.fold import over_dims
from teloom.dialects.affine.operands import OperandList, substitute
from teloom.dialects.affine.polynomials import Polynomial, to_expr
from teloom.dialects.bodies.postorder import postorder
from teloom.dialects.interfaces import Rules, ScalarOp
from teloom.dialects.target import target_of
from teloom.dialects.upstream.accesses import accesses_of
from teloom.dialects.upstream.arith import LANEWISE
from teloom.passes.code.affine_to_arith import AffineCode
from teloom.passes.code.index_code import IndexCode
from teloom.passes.lanes.shuffles import pick, transpose

INDEX = IndexType()
DIM = AffineExpr.dimension(0)

AffineValue = tuple[AffineExpr, Sequence[SSAValue]]
"""An affine expression and the values that its dimensions stand for."""


class _Wanted(NamedTuple):
    """A value, in every lane or in lane 0."""

    value: SSAValue
    as_vector: bool


_DIVISIONS = (arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp)
_DIVISIONS += (arith.FloorDivSIOp, arith.CeilDivSIOp, arith.CeilDivUIOp)


def is_scalar_arithmetic(op: Operation) -> bool:
    """Whether `op` computes a value from values alone, the same way in every lane."""
    if op.name.startswith(("arith.", "math.")):
        return True
    return isinstance(op, affine.ApplyOp | affine.MinOp | ScalarOp)


def may_trap(op: Operation) -> bool:
    """Whether `op` must not run where the program would not run it."""
    if not isinstance(op, _DIVISIONS):
        return False
    divisor = op.operands[1].owner
    value = divisor.value if isinstance(divisor, arith.ConstantOp) else None
    return not isinstance(value, IntegerAttr) or value.value.data in (0, -1)


def constant(type: Attribute, numbers: Sequence[int | float]) -> arith.ConstantOp:
    """A vector of these numbers, or of one number in every lane."""
    value = builtin.DenseIntOrFPElementsAttr.from_list(type, numbers)  # pyright: ignore
    return arith.ConstantOp.create(result_types=[type], properties={"value": value})


class LaneWriter:
    """Writes ops to the end of `block`, all lanes of a vector at a time.

    Lane 0 is the iteration at `first`. Values are written where they are first needed:
    as one scalar where all lanes agree or an address of lane 0 is wanted, else as a
    vector. With a `mask`, memory is touched only in the lanes where it is set.
    """

    def __init__(
        self,
        strides: LaneStrides,
        first: AffineValue,
        block: Block,
        interleaved: Mapping[Member, Interleaved],
        outer: LaneWriter | None = None,
        mask: SSAValue | None = None,
    ):
        self.strides = strides
        self.interleaved = interleaved
        # What is loaded of a group, until something writes to its buffer.
        self.wholes: dict[Interleaved, tuple[SSAValue, Sequence[SSAValue]]] = {}
        # The buffers of panels of the loops around.
        self.columns: dict[Operation, tuple[Panel, SSAValue]] = dict(outer.columns) if outer else {}
        self.lanes = strides.lanes
        self.first = first
        self.block = block
        self.mask = mask
        # What is written inside a region is not seen outside of it.
        self.scalars: dict[SSAValue, SSAValue] = dict(outer.scalars) if outer else {}
        self.vectors: dict[SSAValue, SSAValue] = dict(outer.vectors) if outer else {}

    def inside(self, block: Block) -> LaneWriter:
        return LaneWriter(self.strides, self.first, block, self.interleaved, self, self.mask)

    # Ops with effects, in program order

    def write(self, ops: Iterable[Operation]) -> None:
        for op in ops:
            if (rule := LANES[type(op)]) is not None:
                rule(self, op)
            elif accesses_of(op):
                self.lane_by_lane(op)
            # Any other is written where its value is needed.
            self._forget_what_changes(op)

    def _forget_what_changes(self, op: Operation) -> None:
        if not self.wholes:
            return
        written = {one.buffer for inner in op.walk() for one in accesses_of(inner) if one.writes}
        self.wholes = {
            group: whole for group, whole in self.wholes.items() if whole[0] not in written
        }

    def _load(self, op: memref.LoadOp) -> None:
        (index,) = op.indices
        stride = self.strides.of(index)
        if stride == 0:
            load = op.clone({op.memref: self.scalar(op.memref), index: self.scalar(index)})
            self.scalars[op.res] = self.emit(load)
        elif op in self.interleaved and self.mask is None:
            self.vectors[op.res] = self._interleaved_load(op, self.interleaved[op])
        elif op in self.columns:
            panel, columns = self.columns[op]
            self.vectors[op.res] = self._vector_load(columns, self._column(panel))
        elif stride != 1:
            self.lane_by_lane(op)
        elif self.mask is None:
            self.vectors[op.res] = self._vector_load(op.memref, self.scalar(index))
        else:
            zeros = self.emit(constant(VectorType(op.res.type, [self.lanes]), [0]))
            load = vector.MaskedLoadOp(op.memref, [self.scalar(index)], self.mask, zeros)
            self.vectors[op.res] = self.emit(load)

    def _store(self, op: memref.StoreOp) -> None:
        (index,) = op.indices
        if op in self.interleaved:
            self._interleaved_store(op, self.interleaved[op])
        elif op in self.columns:
            panel, columns = self.columns[op]
            self._vector_store(op, self.vector(op.value), self._column(panel), columns)
        elif self.strides.of(index) != 1:
            self.lane_by_lane(op)
        else:
            self._vector_store(op, self.vector(op.value), self.scalar(index))

    def _vector_store(
        self, op: memref.StoreOp, value: SSAValue, index: SSAValue, to: SSAValue | None = None
    ) -> None:
        store = vector.StoreOp(value, to or op.memref, [index])
        store.location = op.location
        self.block.add_op(store)

    # Accesses of lanes a few elements apart

    def _interleaved_load(self, op: memref.LoadOp, group: Interleaved) -> SSAValue:
        """The lanes of one access, out of the vectors that hold those of its whole group."""
        if group not in self.wholes:
            vectors = [self._vector_load(op.memref, at) for at in self._begins(op, group)]
            self.wholes[group] = op.memref, vectors
        picked = [group.lane_at(place) for place in group.places(op)]
        return pick(self.wholes[group][1], picked, self.emit)

    def _interleaved_store(self, op: memref.StoreOp, group: Interleaved) -> None:
        """The vectors that all accesses of a group write, where the last of them stands."""
        stores = [*group.members]
        if op is not stores[-1]:
            return
        values = [self.vector(store.operands[0]) for store in stores]
        from_lane = {
            place: (number, lane)
            for number, store in enumerate(stores)
            for lane, place in enumerate(group.places(store))
        }
        for begin, index in zip(group.begins, self._begins(op, group), strict=True):
            picked = [from_lane[begin + lane] for lane in range(self.lanes)]
            self._vector_store(op, pick(values, picked, self.emit), index)

    def _begins(self, op: Member, group: Interleaved) -> list[SSAValue]:
        """The indices of the vectors of a group."""
        first, index = group.begin - group.members[op], self.scalar(op.indices[0])
        return [self._apply(DIM + (first + begin), [index]) for begin in group.begins]

    def _control(self, op: loop.ForOp | loop.IfOp) -> None:
        if any(self.strides.varies(operand) for operand in op.operands):
            self.lane_by_lane(op)
            return
        panels = self._open_panels(op)
        operands = [self.scalar(operand) for operand in op.operands]
        regions = [self._region(region) for region in op.regions]
        new = type(op).create(
            operands=operands, properties=op.properties, attributes=op.attributes, regions=regions
        )
        new.location = op.location
        self.block.add_op(new)
        for panel in panels:
            if isinstance(panel.op, memref.StoreOp):
                self._store_rows(panel)

    # Accesses that are contiguous in a loop inside of the lanes

    def _open_panels(self, op: loop.ForOp | loop.IfOp) -> list[Panel]:
        """The panels of a loop, each with a buffer, and with its rows if these are loaded."""
        if not isinstance(op, loop.ForOp) or self.mask is not None:
            return []
        panels = [
            panel
            for panel in panels_in(op, op.body.block, self.strides)
            if panel.op not in self.interleaved
        ]
        for panel in panels:
            type = panel.op.memref.type
            assert isinstance(type, MemRefType)
            alignment, size = target_of(op).alignment, panel.columns * self.lanes
            slot = self.emit(memref.AllocaOp.get(type.element_type, alignment, [size]))
            self.columns[panel.op] = panel, slot
            if isinstance(panel.op, memref.LoadOp):
                self._load_rows(panel)
        return panels

    def _column(self, panel: Panel) -> SSAValue:
        """Where the column of the iteration at hand begins in the buffer of a panel."""
        (lower,) = lower_bounds(panel.around)
        number = Polynomial.of(panel.around.induction_variable) - lower
        operands = OperandList()
        expr = to_expr(number.times(self.lanes), lambda value: operands.dim(self.scalar(value)))
        return self._apply(expr, operands.values)

    def _load_rows(self, panel: Panel) -> None:
        in_row, (buffer, place) = self._in_row(panel), self._in_column(panel)
        for row, column in panel.squares:
            rows = [
                self._vector_load(panel.op.memref, in_row(row + k, column), panel.side)
                for k in range(panel.side)
            ]
            for k, values in enumerate(transpose(rows, self.emit)):
                self.block.add_op(vector.StoreOp(values, buffer, [place(row, column + k)]))

    def _store_rows(self, panel: Panel) -> None:
        assert isinstance(panel.op, memref.StoreOp)
        in_row, (buffer, place) = self._in_row(panel), self._in_column(panel)
        for row, column in panel.squares:
            columns = [
                self._vector_load(buffer, place(row, column + k), panel.side)
                for k in range(panel.side)
            ]
            for k, values in enumerate(transpose(columns, self.emit)):
                self._vector_store(panel.op, values, in_row(row + k, column))

    def _in_column(self, panel: Panel) -> tuple[SSAValue, Callable[[int, int], SSAValue]]:
        """The buffer of a panel, and the index in it of the element in a row and a column."""
        _, buffer = self.columns[panel.op]
        return buffer, lambda row, column: self._constant(column * self.lanes + row)

    def _in_row(self, panel: Panel) -> Callable[[int, int], SSAValue]:
        """The index in memory of the element in a row and a column of a panel."""
        (index,), (lower,) = panel.op.indices, lower_bounds(panel.around)
        operands, inside = OperandList(), self.inside(self.block)
        first = to_expr(lower, lambda value: operands.dim(self.scalar(value)))
        inside.scalars[panel.around.induction_variable] = self._apply(first, operands.values)
        stride = self.strides.of(index)
        if stride is not None:
            begin = inside.scalar(index)
            return lambda row, column: self._apply(DIM + (stride * row + column), [begin])

        def index_at(row: int, column: int) -> SSAValue:
            lane = _Lane(inside, self._constant(row), self.block)
            return self._apply(DIM + column, [lane.value(index)])

        return index_at

    def _constant(self, value: int) -> SSAValue:
        return self.emit(arith.ConstantOp(IntegerAttr(value, INDEX)))

    def _region(self, region: Region) -> Region:
        block = Block(arg_types=[arg.type for arg in region.block.args])
        inside = self.inside(block)
        for old, new in zip(region.block.args, block.args, strict=True):
            new.name_hint = old.name_hint
            inside.scalars[old] = new
        inside.write(region.block.ops)
        return Region(block)

    def _choice(self, op: scf.IfOp) -> None:
        if not self.strides.varies(op.cond):
            self._uniform_choice(op)
        elif self._fits_mask(op):
            self._masked_choice(op)
        else:
            self.lane_by_lane(op)

    def _uniform_choice(self, op: scf.IfOp) -> None:
        as_vector = [self.strides.varies(result) for result in op.results]
        condition = self.scalar(op.cond)
        branches: list[Region] = []
        for region in op.regions:
            if not region.blocks:
                branches.append(Region())
                continue
            inside = self.inside(Block())
            inside.write(region.block.ops)
            values = region.block.last_op.operands if region.block.last_op else ()
            yielded = [
                inside.vector(value) if wide else inside.scalar(value)
                for value, wide in zip(values, as_vector, strict=True)
            ]
            inside.block.add_op(scf.YieldOp(*yielded))
            branches.append(Region(inside.block))
        types = [
            VectorType(result.type, [self.lanes]) if wide else result.type
            for result, wide in zip(op.results, as_vector, strict=True)
        ]
        new = scf.IfOp(condition, types, branches[0], branches[1])
        self.block.add_op(new)
        for old, result, wide in zip(op.results, new.results, as_vector, strict=True):
            (self.vectors if wide else self.scalars)[old] = result

    def _fits_mask(self, op: scf.IfOp) -> bool:
        """Whether both branches may run in all lanes, if memory is masked."""
        return bool(op.results) and all(
            self.strides.of(inner.indices[0]) == 1
            if isinstance(inner, memref.LoadOp)
            else isinstance(inner, scf.YieldOp)
            or (isinstance(inner, scf.IfOp) and inner.results)
            or (is_scalar_arithmetic(inner) and not may_trap(inner))
            for region in op.regions
            for inner in region.walk()
        )

    def _masked_choice(self, op: scf.IfOp) -> None:
        condition = self.vector(op.cond)
        outer_mask = self.mask
        yielded: list[Sequence[SSAValue]] = []
        reads = any(isinstance(inner, memref.LoadOp) for inner in op.walk())
        for region, holds in zip(op.regions, (True, False), strict=True):
            block = region.block
            if reads:
                mask = condition
                if not holds:
                    ones = self.emit(constant(condition.type, [1]))
                    mask = self.emit(arith.XOrIOp(condition, ones))
                if outer_mask is not None:
                    mask = self.emit(arith.AndIOp(outer_mask, mask))
                self.mask = mask
            self.write(block.ops)
            assert block.last_op is not None
            yielded.append([self.vector(value) for value in block.last_op.operands])
        self.mask = outer_mask
        for result, yes, no in zip(op.results, *yielded, strict=True):
            select = LANEWISE[arith.SelectOp].create(
                operands=[condition, yes, no], result_types=[yes.type]
            )
            self.vectors[result] = self.emit(select)

    # Lane by lane

    def lane_by_lane(self, op: Operation) -> None:
        """Runs `op` as it is, in one lane after the other.

        A short loop, which LLVM unrolls; results go through memory that LLVM keeps in
        registers.
        """
        block = Block(arg_types=[INDEX])
        (number,) = block.args
        number.name_hint = "lane"
        lane = _Lane(self, number, block)
        mapping = {value: lane.value(value) for value in _free_values(op)}
        copy = op.clone(mapping)
        alignment = target_of(op).alignment
        slots = [
            self.emit(memref.AllocaOp.get(result.type, alignment, [self.lanes]))
            for result in op.results
        ]
        block.add_op(copy)
        for result, slot in zip(copy.results, slots, strict=True):
            block.add_op(memref.StoreOp.get(result, slot, [number]))
        self.block.add_op(
            loop.ForOp(
                [AffineExpr.constant(0)],
                [AffineExpr.constant(self.lanes)],
                [],
                Region(block),
                loop.LoopKind.UNROLLED,
            )
        )
        for result, slot in zip(op.results, slots, strict=True):
            self.vectors[result] = self._vector_load(slot, self._constant(0))

    # Values

    def scalar(self, value: SSAValue) -> SSAValue:
        """The value in lane 0, which is the value in all lanes if it does not vary."""
        self._find(_Wanted(value, False))
        return self.scalars[value]

    def vector(self, value: SSAValue) -> SSAValue:
        """The value in every lane, as a vector."""
        self._find(_Wanted(value, True))
        return self.vectors[value]

    def _find(self, wanted: _Wanted) -> None:
        """Writes what is wanted and what that needs, which comes first."""
        for value, as_vector in postorder([wanted], self._needed):
            if as_vector and value not in self.vectors:
                self.vectors[value] = self._write_vector(value)
            elif not as_vector and value not in self.scalars:
                self.scalars[value] = self._write_scalar(value)

    def _needed(self, wanted: _Wanted) -> Sequence[_Wanted]:
        """What `wanted` is computed from, if it is not written yet."""
        value, as_vector = wanted
        op = value.owner
        if value in (self.vectors if as_vector else self.scalars):
            return ()
        if as_vector and (not self.strides.varies(value) or self._stride(value) is not None):
            return () if isinstance(op, arith.ConstantOp) else [_Wanted(value, False)]
        if isinstance(op, Block) or not self._is_inside(op) or not is_scalar_arithmetic(op):
            return ()
        return [
            _Wanted(operand, as_vector and self._is_wide(operand, op)) for operand in op.operands
        ]

    def _stride(self, value: SSAValue) -> int | None:
        return self.strides.of(value) if isinstance(value.type, IndexType) else None

    def _is_wide(self, operand: SSAValue, op: Operation) -> bool:
        """Whether all lanes of an operand are wanted where `op` runs in all lanes."""
        chooses = isinstance(op, arith.SelectOp) and operand is op.cond
        return not chooses or self.strides.varies(operand)

    def _write_scalar(self, value: SSAValue) -> SSAValue:
        if value is self.strides.variable:
            return self._apply(*self.first)
        op = value.owner
        if isinstance(op, Block) or not self._is_inside(op):
            return value
        if isinstance(op, affine.ApplyOp):
            places = {operand: self._place(operand) for operand in op.operands}
            map, operands = substitute(over_dims(op.map.data), op.operands, places)
            return self._apply(map.data.results[0], operands, value.name_hint)
        if not is_scalar_arithmetic(op):
            return self.emit(vector.ExtractOp(self.vectors[value], [0], value.type))
        return self.emit(op.clone({operand: self.scalar(operand) for operand in op.operands}))

    def _place(self, operand: SSAValue) -> AffineValue:
        if operand is self.strides.variable:
            return self.first
        return DIM, [self.scalar(operand)]

    def _apply(
        self, expr: AffineExpr, values: Sequence[SSAValue], name: str | None = None
    ) -> SSAValue:
        return IndexCode(self.block.add_op).expr(expr, values, name)

    def _is_inside(self, op: Operation) -> bool:
        body = self.strides.variable.owner
        assert isinstance(body, Block)
        return body.find_ancestor_op_in_block(op) is not None

    def _write_vector(self, value: SSAValue) -> SSAValue:
        type = VectorType(value.type, [self.lanes])
        op = value.owner
        if not self.strides.varies(value):
            if isinstance(op, arith.ConstantOp):
                return self._splat(op, type)
            return self.emit(vector.BroadcastOp(self.scalar(value), type))
        stride = self._stride(value)
        if stride is not None:
            return self._sequence(self.scalar(value), stride, type)
        assert isinstance(op, Operation)
        if isinstance(op, affine.ApplyOp | affine.MinOp):
            operands = [self.vector(operand) for operand in op.operands]
            code = AffineCode(self.block.add_op, type=type)
            return code.fold(arith.MinSIOp, over_dims(op.map.data), operands)
        return self.emit(self._lanewise(op, type))

    def _lanewise(self, op: Operation, type: VectorType) -> Operation:
        operands = [
            self.vector(operand) if self._is_wide(operand, op) else self.scalar(operand)
            for operand in op.operands
        ]
        new = LANEWISE.get(op.__class__, op.__class__).create(
            operands=operands,
            result_types=[type],
            properties=op.properties,
            attributes=op.attributes,
        )
        new.location = op.location
        new.results[0].name_hint = op.results[0].name_hint
        return new

    def _sequence(self, first: SSAValue, stride: int, type: VectorType) -> SSAValue:
        start = self.emit(vector.BroadcastOp(first, type))
        if stride == 0:
            return start
        steps = constant(type, [stride * lane for lane in range(self.lanes)])
        return self.emit(arith.AddiOp(start, self.emit(steps)))

    def _splat(self, op: arith.ConstantOp, type: VectorType) -> SSAValue:
        assert isinstance(op.value, IntegerAttr | builtin.FloatAttr)
        if not isfinite(op.value.value.data):
            # A dense infinity or NaN prints as bits, which xDSL reads back as a number.
            scalar = self.emit(arith.ConstantOp(op.value))
            return self.emit(vector.BroadcastOp(scalar, type))
        return self.emit(constant(type, [op.value.value.data]))

    def _vector_load(self, buffer: SSAValue, index: SSAValue, lanes: int | None = None) -> SSAValue:
        assert isinstance(buffer.type, MemRefType)
        type = VectorType(buffer.type.element_type, [lanes or self.lanes])
        return self.emit(vector.LoadOp(buffer, [index], type))

    def emit(self, op: Operation) -> SSAValue:
        """Writes an op, and gives its first result."""
        self.block.add_op(op)
        return op.results[0]


LANES: Rules[Callable[[LaneWriter, Any], None]] = Rules(
    {
        memref.LoadOp: LaneWriter._load,
        memref.StoreOp: LaneWriter._store,
        loop.ForOp: LaneWriter._control,
        loop.IfOp: LaneWriter._control,
        scf.IfOp: LaneWriter._choice,
        scf.YieldOp: lambda writer, op: None,  # the op around it asks for its operands
    }
)
"""How each op runs in all lanes, if it is more than arithmetic.

One that has no rule, and says what it accesses, runs in one lane after the other.
"""


class _Lane:
    """Values in the lane with a number known only when the program runs."""

    def __init__(self, writer: LaneWriter, number: SSAValue, block: Block):
        self.writer = writer
        self.number = number
        self.block = block
        self.known: dict[SSAValue, SSAValue] = {}

    def value(self, value: SSAValue) -> SSAValue:
        for one in postorder([value], self._needed):
            if one not in self.known:
                self.known[one] = self._write(one)
        return self.known[value]

    def _needed(self, value: SSAValue) -> Sequence[SSAValue]:
        """What `value` is computed from in the lane, if it is not written yet."""
        op = value.owner
        if value in self.known or isinstance(op, Block) or not self._is_cheap(value, op):
            return ()
        return op.operands

    def _is_cheap(self, value: SSAValue, op: Operation) -> bool:
        """Whether it is cheaper to compute again than to take out of a vector."""
        varies = self.writer.strides.varies(value)
        return varies and isinstance(value.type, IndexType) and is_scalar_arithmetic(op)

    def _write(self, value: SSAValue) -> SSAValue:
        strides = self.writer.strides
        if not strides.varies(value):
            return self.writer.scalar(value)
        if value is strides.variable:
            expr, values = self.writer.first
            lane = AffineExpr.dimension(len(values))
            return IndexCode(self.block.add_op).expr(expr + lane, [*values, self.number])
        op = value.owner
        assert isinstance(op, Operation)
        if self._is_cheap(value, op):
            return self._emit(op.clone({o: self.value(o) for o in op.operands}))
        lanes = self.writer.vector(value)
        return self._emit(vector.ExtractOp(lanes, [self.number], value.type))

    def _emit(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]


def _free_values(op: Operation) -> list[SSAValue]:
    """The values that `op` uses and does not define itself."""
    defined: set[SSAValue] = set()
    used: dict[SSAValue, None] = {}
    for inner in op.walk():
        for region in inner.regions:
            for block in region.blocks:
                defined.update(block.args)
        defined.update(inner.results)
        used.update(dict.fromkeys(inner.operands))
    return [value for value in used if value not in defined]
