"""The values of a loop's body, for all lanes of a vector at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects import affine, arith, builtin, memref, vector
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.strides import LaneStrides
from teloom.dialects.affine.fold import over_dims
from teloom.dialects.affine.operands import OperandList, substitute
from teloom.dialects.affine.polynomials import Polynomial, to_expr
from teloom.dialects.bodies.postorder import postorder
from teloom.dialects.interfaces import ScalarOp
from teloom.dialects.upstream.arith import LANEWISE, constant_index, constant_op, fits_lanes
from teloom.dialects.upstream.vector import vector_type
from teloom.passes.code.affine_to_arith import AffineCode
from teloom.passes.code.index_code import IndexCode

INDEX = IndexType()
DIM = AffineExpr.dimension(0)


AffineValue = tuple[AffineExpr, Sequence[SSAValue]]
"""An affine expression and the values that its dimensions stand for."""


class _WantedValue(NamedTuple):
    """A value that is wanted, in every lane or in lane 0."""

    value: SSAValue
    as_vector: bool


def is_scalar_arithmetic(op: Operation) -> bool:
    """Whether `op` computes a value from values alone, the same way in every lane."""
    if op.name.startswith(("arith.", "math.")):
        return True
    return isinstance(op, affine.ApplyOp | affine.MinOp | ScalarOp)


def constant(type: Attribute, numbers: Sequence[int | float]) -> arith.ConstantOp:
    """A vector of these numbers, or of one number in every lane."""
    return constant_op(builtin.DenseIntOrFPElementsAttr.from_list(type, numbers))  # pyright: ignore


class LaneValues:
    """Writes values to the end of `block`, where they are first needed.

    Lane 0 is the iteration at `first`. A value is one scalar where all lanes agree or an address
    of lane 0 is wanted, else a vector.
    """

    def __init__(
        self,
        strides: LaneStrides,
        first: AffineValue,
        block: Block,
        outer: LaneValues | None = None,
    ):
        self.strides = strides
        self.lanes = strides.lanes
        self.first = first
        self.block = block
        # What is written inside a region is not seen outside of it.
        self.scalars: dict[SSAValue, SSAValue] = dict(outer.scalars) if outer else {}
        self.vectors: dict[SSAValue, SSAValue] = dict(outer.vectors) if outer else {}
        self._constants: dict[int, SSAValue] = {}

    def scalar(self, value: SSAValue) -> SSAValue:
        """The value in lane 0, which is the value in all lanes if it does not vary."""
        if value not in self.scalars:
            self._find(_WantedValue(value, False))
        return self.scalars[value]

    def vector(self, value: SSAValue) -> SSAValue:
        """The value in every lane, as a vector."""
        if value not in self.vectors:
            self._find(_WantedValue(value, True))
        return self.vectors[value]

    def _find(self, wanted: _WantedValue) -> None:
        """Writes what is wanted and what that needs, which comes first."""
        # Most values need nothing that is not there.
        ready = not self._needed(wanted)
        for value, as_vector in [wanted] if ready else postorder([wanted], self._needed):
            if as_vector and value not in self.vectors:
                self.vectors[value] = self._write_vector(value)
            elif not as_vector and value not in self.scalars:
                self.scalars[value] = self._write_scalar(value)

    def _needed(self, wanted: _WantedValue) -> Sequence[_WantedValue]:
        """The values that `wanted` is computed from; none if it is written already."""
        value, as_vector = wanted
        op = value.owner
        if value in (self.vectors if as_vector else self.scalars):
            return ()
        if as_vector and (not self.strides.varies(value) or self._stride(value) is not None):
            return () if isinstance(op, arith.ConstantOp) else [_WantedValue(value, False)]
        if isinstance(op, Block) or not self._is_inside(op) or not is_scalar_arithmetic(op):
            return ()
        operands = op.operands
        if isinstance(op, affine.ApplyOp) and not as_vector:
            operands = [one for one in operands if one is not self.strides.variable]  # see `_place`
        return [
            _WantedValue(operand, as_vector and self._is_wide(operand, op)) for operand in operands
        ]

    def _stride(self, value: SSAValue) -> int | None:
        return self.strides.of(value) if isinstance(value.type, IndexType) else None

    def _is_wide(self, operand: SSAValue, op: Operation) -> bool:
        """Whether `op` needs all lanes of an operand when it runs in all lanes."""
        chooses = isinstance(op, arith.SelectOp) and operand is op.cond
        return not chooses or self.strides.varies(operand)

    def _write_scalar(self, value: SSAValue) -> SSAValue:
        if value is self.strides.variable:
            return self.apply(*self.first)
        op = value.owner
        if isinstance(op, Block) or not self._is_inside(op):
            return value
        if isinstance(op, affine.ApplyOp):
            places = {operand: self._place(operand) for operand in op.operands}
            map, operands = substitute(over_dims(op.map.data), op.operands, places)
            return self.apply(map.data.results[0], operands, value.name_hint)
        if not is_scalar_arithmetic(op):
            return self.emit(vector.ExtractOp(self.vectors[value], [0], value.type))
        return self.emit(op.clone({operand: self.scalar(operand) for operand in op.operands}))

    def _place(self, operand: SSAValue) -> AffineValue:
        if operand is self.strides.variable:
            return self.first
        return DIM, [self.scalar(operand)]

    def apply(
        self, expr: AffineExpr, values: Sequence[SSAValue], name: str | None = None
    ) -> SSAValue:
        return IndexCode(self.block.add_op).expr(expr, values, name)

    def _is_inside(self, op: Operation) -> bool:
        body = self.strides.variable.owner
        assert isinstance(body, Block)
        return body.find_ancestor_op_in_block(op) is not None

    def _write_vector(self, value: SSAValue) -> SSAValue:
        type = vector_type(value.type, self.lanes)
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
        if not fits_lanes(op.value):
            scalar = self.emit(arith.ConstantOp(op.value))
            return self.emit(vector.BroadcastOp(scalar, type))
        return self.emit(constant(type, [op.value.value.data]))

    def load(self, buffer: SSAValue, index: SSAValue, lanes: int | None = None) -> SSAValue:
        """Contiguous elements, as many as there are lanes."""
        assert isinstance(buffer.type, MemRefType)
        type = vector_type(buffer.type.element_type, lanes or self.lanes)
        return self.emit(vector.LoadOp.create(operands=(buffer, index), result_types=(type,)))

    def masked_load(self, buffer: SSAValue, index: SSAValue, mask: SSAValue) -> SSAValue:
        """Contiguous elements, one for each lane of the mask; zeros where it is not set."""
        assert isinstance(buffer.type, MemRefType)
        assert isinstance(mask.type, VectorType)
        type = vector_type(buffer.type.element_type, mask.type.element_count())
        zeros = self.emit(constant(type, [0]))
        return self.emit(vector.MaskedLoadOp(buffer, [index], mask, zeros))

    def store(
        self, op: memref.StoreOp, value: SSAValue, index: SSAValue, to: SSAValue | None = None
    ) -> None:
        """Stores a vector in the way `op` stores elements, or to another buffer."""
        store = vector.StoreOp.create(operands=(value, to or op.memref, index))
        if to is None and (streamed := op.properties.get("nontemporal")) is not None:
            store.properties["nontemporal"] = streamed
        store.location = op.location
        self.block.add_op(store)

    def masked_store(
        self, op: memref.StoreOp, value: SSAValue, index: SSAValue, mask: SSAValue
    ) -> None:
        """Stores the lanes of a mask to where `op` stores elements."""
        store = vector.MaskedStoreOp(op.memref, [index], mask, value)
        store.location = op.location
        self.block.add_op(store)

    def constant(self, value: int) -> SSAValue:
        """An index, written where it is first needed."""
        if value not in self._constants:
            self._constants[value] = self.emit(constant_index(value))
        return self._constants[value]

    def of(self, form: Polynomial) -> SSAValue:
        """An affine form, in lane 0."""
        operands = OperandList()
        expr = to_expr(form, lambda value: operands.dim(self.scalar(value)))
        return self.apply(expr, operands.values)

    def emit(self, op: Operation) -> SSAValue:
        """Writes an op, and gives its first result."""
        self.block.add_op(op)
        return op.results[0]


class OneLane:
    """Values in the lane with a number known only when the program runs."""

    def __init__(self, values: LaneValues, number: SSAValue, block: Block):
        self.values = values
        self.number = number
        self.block = block
        self.known: dict[SSAValue, SSAValue] = {}

    def value(self, value: SSAValue) -> SSAValue:
        for one in postorder([value], self._needed):
            if one not in self.known:
                self.known[one] = self._write(one)
        return self.known[value]

    def _needed(self, value: SSAValue) -> Sequence[SSAValue]:
        """The values that `value` is computed from in the lane; none if it is written already."""
        op = value.owner
        if value in self.known or isinstance(op, Block) or not self._is_cheap(value, op):
            return ()
        return op.operands

    def _is_cheap(self, value: SSAValue, op: Operation) -> bool:
        """Whether a value is cheaper to compute again than to extract from a vector."""
        varies = self.values.strides.varies(value)
        is_index = isinstance(value.type, IndexType) or _compares_indices(op)
        return varies and is_index and is_scalar_arithmetic(op)

    def _write(self, value: SSAValue) -> SSAValue:
        strides = self.values.strides
        if not strides.varies(value):
            return self.values.scalar(value)
        if value is strides.variable:
            expr, values = self.values.first
            lane = AffineExpr.dimension(len(values))
            return IndexCode(self.block.add_op).expr(expr + lane, [*values, self.number])
        op = value.owner
        assert isinstance(op, Operation)
        if self._is_cheap(value, op):
            return self._emit(op.clone({o: self.value(o) for o in op.operands}))
        lanes = self.values.vector(value)
        return self._emit(vector.ExtractOp(lanes, [self.number], value.type))

    def _emit(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]


def _compares_indices(op: Operation) -> bool:
    return isinstance(op, arith.CmpiOp) and isinstance(op.lhs.type, IndexType)
