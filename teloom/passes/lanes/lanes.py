"""The body of a loop, rewritten so that several iterations run at once, as lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import Any, NamedTuple

from xdsl.dialects import affine, arith, builtin, memref, scf, vector
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, VectorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.strides import LaneStrides
from teloom.dialects import loop
from teloom.dialects.affine.fold import over_dims
from teloom.dialects.affine.operands import substitute
from teloom.dialects.bodies.postorder import postorder
from teloom.dialects.interfaces import Rules, ScalarOp
from teloom.dialects.target import target_of
from teloom.dialects.upstream.accesses import accesses_of
from teloom.dialects.upstream.arith import LANEWISE
from teloom.passes.code.affine_to_arith import AffineCode
from teloom.passes.code.index_code import IndexCode

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
        outer: LaneWriter | None = None,
        mask: SSAValue | None = None,
    ):
        self.strides = strides
        self.lanes = strides.lanes
        self.first = first
        self.block = block
        self.mask = mask
        # What is written inside a region is not seen outside of it.
        self.scalars: dict[SSAValue, SSAValue] = dict(outer.scalars) if outer else {}
        self.vectors: dict[SSAValue, SSAValue] = dict(outer.vectors) if outer else {}

    def inside(self, block: Block) -> LaneWriter:
        return LaneWriter(self.strides, self.first, block, self, self.mask)

    # Ops with effects, in program order

    def write(self, ops: Iterable[Operation]) -> None:
        for op in ops:
            if (rule := LANES[type(op)]) is not None:
                rule(self, op)
            elif accesses_of(op):
                self.lane_by_lane(op)
            # Any other is written where its value is needed.

    def _load(self, op: memref.LoadOp) -> None:
        (index,) = op.indices
        stride = self.strides.of(index)
        if stride == 0:
            load = op.clone({op.memref: self.scalar(op.memref), index: self.scalar(index)})
            self.scalars[op.res] = self.emit(load)
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
        if self.strides.of(index) != 1:
            self.lane_by_lane(op)
            return
        value, indices = self.vector(op.value), [self.scalar(index)]
        if self.mask is None:
            store = vector.StoreOp(value, op.memref, indices)
        else:
            store = vector.MaskedStoreOp(op.memref, indices, self.mask, value)
        store.location = op.location
        self.block.add_op(store)

    def _control(self, op: loop.ForOp | loop.IfOp) -> None:
        if any(self.strides.varies(operand) for operand in op.operands):
            self.lane_by_lane(op)
            return
        operands = [self.scalar(operand) for operand in op.operands]
        regions = [self._region(region) for region in op.regions]
        new = type(op).create(
            operands=operands, properties=op.properties, attributes=op.attributes, regions=regions
        )
        new.location = op.location
        self.block.add_op(new)

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
        return all(
            self.strides.of(inner.indices[0]) == 1
            if isinstance(inner, memref.LoadOp | memref.StoreOp)
            else isinstance(inner, scf.YieldOp | scf.IfOp)
            or (is_scalar_arithmetic(inner) and not may_trap(inner))
            for region in op.regions
            for inner in region.walk()
        )

    def _masked_choice(self, op: scf.IfOp) -> None:
        condition = self.vector(op.cond)
        outer_mask = self.mask
        yielded: list[Sequence[SSAValue]] = []
        has_accesses = any(isinstance(one, memref.LoadOp | memref.StoreOp) for one in op.walk())
        for region, holds in zip(op.regions, (True, False), strict=True):
            if not region.blocks:
                continue
            block = region.block
            if has_accesses:
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
        for result, yes, no in zip(op.results, *yielded, strict=True) if op.results else ():
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
            zero = self.emit(arith.ConstantOp(IntegerAttr(0, INDEX)))
            self.vectors[result] = self._vector_load(slot, zero)

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

    def _vector_load(self, buffer: SSAValue, index: SSAValue) -> SSAValue:
        assert isinstance(buffer.type, MemRefType)
        type = VectorType(buffer.type.element_type, [self.lanes])
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
