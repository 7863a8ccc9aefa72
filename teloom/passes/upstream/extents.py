"""The extents of the tensors and buffers of a function, over the sizes that it will have."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from xdsl.dialects import affine, arith, memref, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, MemRefType, TensorType
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from teloom.dialects.affine.fold import over_dims
from teloom.dialects.affine.polynomials import Polynomial, of_expr, over, to_expr
from teloom.errors import PassError
from teloom.passes.upstream.structured import Structured


class Extents:
    """Which extents are equal, and what they are.

    A node is an axis of a value, or an `index` argument. Equal extents are in one class; each class
    is a constant, an expression of sizes, or a size.
    """

    def __init__(self, arguments: Sequence[SSAValue]):
        self.arguments = arguments
        self._above: dict[Hashable, Hashable] = {}
        self._known: dict[Hashable, Polynomial | SSAValue] = {}
        self.sizes: dict[Hashable, SSAValue] = {}

    # Classes

    def class_of(self, node: Hashable) -> Hashable:
        """The node that stands for all that are equal to this one."""
        while (above := self._above.get(node, node)) != node:
            node = above
        return node

    def unite(self, one: Hashable, other: Hashable) -> None:
        """Says that two nodes are equal; what is known of the first is kept."""
        one, other = self.class_of(one), self.class_of(other)
        if one == other:
            return
        self._above[other] = one
        known = self._known.pop(other, None)
        if known is not None:
            self._known.setdefault(one, known)

    def axis(self, value: SSAValue, axis: int) -> Hashable:
        """The node of an axis of a tensor or buffer."""
        assert isinstance(value.type, TensorType | MemRefType)
        extent = value.type.get_shape()[axis]
        node = self.class_of((value, axis))
        if extent != DYNAMIC_INDEX:
            self._known[node] = Polynomial.constant(extent)
        return node

    # What ops say

    def read_allocation(self, op: tensor.EmptyOp | memref.AllocOp | memref.AllocaOp) -> None:
        """The extents of new memory are what its operands say."""
        (value,) = op.results
        assert isinstance(value.type, TensorType | MemRefType)
        given = iter(op.dynamic_sizes)
        for axis, extent in enumerate(value.type.get_shape()):
            if extent == DYNAMIC_INDEX:
                self._read_index(next(given), (value, axis))

    def _read_index(self, value: SSAValue, node: Hashable) -> None:
        if isinstance(value, BlockArgument):
            self.unite(value, node)
        elif isinstance(op := value.owner, memref.DimOp | tensor.DimOp):
            self.unite(self.axis(op.source, self._axis_of(op)), node)
        else:
            self._known[self.class_of(node)] = value

    def _axis_of(self, op: memref.DimOp | tensor.DimOp) -> int:
        axis = self.form(op.index).as_constant()
        assert isinstance(op.source.type, TensorType | MemRefType)
        if axis is None or axis not in range(len(op.source.type.get_shape())):
            raise PassError(f"{op.name} of an axis that is not a constant of the type", op)
        return axis

    def read_structured(self, said: Structured) -> None:
        """Axes that one loop runs over are equal."""
        first: dict[int, Hashable] = {}
        for value, map in zip([*said.inputs, *said.outputs], said.maps, strict=True):
            for axis, expr in enumerate(map.results):
                if not isinstance(expr, AffineDimExpr):
                    continue
                node = self.axis(value, axis)
                if expr.position in first:
                    self.unite(first[expr.position], node)
                first.setdefault(expr.position, node)
        for output, result in zip(said.outputs, said.op.results):
            self.unite_axes(output, result)

    def unite_axes(self, one: SSAValue, other: SSAValue) -> None:
        """Says that two tensors or buffers have the same shape."""
        assert isinstance(one.type, TensorType | MemRefType)
        for axis in range(len(one.type.get_shape())):
            self.unite(self.axis(one, axis), self.axis(other, axis))

    # Expressions

    def form(self, value: SSAValue) -> Polynomial:
        """An index value as an expression of nodes; raises `PassError` where it is none."""
        match value.owner:
            case arith.ConstantOp(value=IntegerAttr() as number):
                return Polynomial.constant(number.value.data)
            case memref.DimOp() | tensor.DimOp() as op:
                return self.extent(self.axis(op.source, self._axis_of(op)))
            case arith.AddiOp() as op:
                return self.form(op.lhs) + self.form(op.rhs)
            case arith.SubiOp() as op:
                return self.form(op.lhs) + self.form(op.rhs).times(-1)
            case arith.MuliOp() as op:
                one, other = self.form(op.lhs), self.form(op.rhs)
                if (factor := other.as_constant()) is not None:
                    return one.times(factor)
                if (factor := one.as_constant()) is not None:
                    return other.times(factor)
            case affine.ApplyOp() as op if isinstance(value.type, IndexType):
                return of_expr(over_dims(op.map.data)[0], over(list(map(self.form, op.operands))))
            case _:
                if isinstance(value, BlockArgument) and value in self.arguments:
                    return self.extent(value)
        raise PassError("an extent must be computed from sizes and extents, by affine arithmetic")

    def extent(self, node: Hashable) -> Polynomial:
        """The extent of a node, over sizes that `name_sizes` made."""
        node = self.class_of(node)
        known = self._known.get(node)
        if known is not None:
            return known if isinstance(known, Polynomial) else self.form(known)
        if node in self.sizes:
            return Polynomial.of(self.sizes[node])
        raise PassError("an extent is not known from the arguments of the function")

    def loop_extent(self, said: Structured, loop: int) -> Polynomial:
        """How many iterations a loop has; raises `PassError` if no axis says it."""
        for value, map in zip([*said.inputs, *said.outputs], said.maps, strict=True):
            for axis, expr in enumerate(map.results):
                if isinstance(expr, AffineDimExpr) and expr.position == loop:
                    return self.extent(self.axis(value, axis))
        raise PassError(f"no operand of {said.op.name} has an axis that loop d{loop} runs over")

    def open_axes(self) -> list[tuple[Hashable, SSAValue, int]]:
        """The classes of axes of arguments that are not known, each by its first axis."""
        found: dict[Hashable, tuple[Hashable, SSAValue, int]] = {}
        for value in self.arguments:
            if not isinstance(value.type, TensorType | MemRefType):
                continue
            for axis in range(len(value.type.get_shape())):
                node = self.axis(value, axis)
                if node not in self._known:
                    found.setdefault(node, (node, value, axis))
        return [*found.values()]


def exprs_over(forms: Sequence[Polynomial], sizes: Sequence[SSAValue]) -> list[AffineExpr]:
    """Expressions whose dimension k stands for size k."""
    positions = {size: position for position, size in enumerate(sizes)}
    return [to_expr(form, lambda size: AffineExpr.dimension(positions[size])) for form in forms]
