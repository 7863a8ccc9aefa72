"""The `vector` dialect: xDSL's, and the op and the checks of upstream MLIR's that it lacks."""

from collections.abc import Sequence
from functools import cache

from xdsl import irdl
from xdsl.dialects import vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    IndexType,
    IntegerType,
    MemRefType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, var_operand_def
from xdsl.traits import MemoryReadEffect, OpTrait
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.interfaces import Access, AccessingOp


@cache
def vector_type(element: Attribute, lanes: int) -> VectorType:
    """The type of a vector. It is cached: to make one takes longer than to make most ops."""
    return VectorType(element, [lanes])


_NUMBER = irdl.BaseAttr(IndexType) | irdl.BaseAttr(IntegerType)


@irdl_op_definition
class GatherOp(IRDLOperation, AccessingOp):
    """Load an element for each lane, from as far behind an element as the lane says.

    Lanes whose mask bit is not set load nothing, and come from a vector.

    ```mlir
    %A, %i = "test.op"() : () -> (memref<?xf32>, index)
    %at, %m, %v = "test.op"() : () -> (vector<4xindex>, vector<4xi1>, vector<4xf32>)
    %x = vector.gather %A[%i] [%at], %m, %v
        : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    ```

    Shape: one offset per axis; as many distances and bits as lanes.
    Refused: another number of offsets, distances or bits; elements of another type.
    Like: upstream's.
    """

    name = "vector.gather"

    base = operand_def(MemRefType)
    offsets = var_operand_def(IndexType())
    indices = operand_def(VectorType.constr(_NUMBER))
    mask = operand_def(VectorType.constr(irdl.EqAttrConstraint(i1)))
    pass_thru = operand_def(VectorType)
    result = result_def(VectorType)

    assembly_format = (
        "$base `[` $offsets `]` `[` $indices `]` `,` $mask `,` $pass_thru attr-dict `:` "
        "type($base) `,` type($indices) `,` type($mask) `,` type($pass_thru) `into` type($result)"
    )

    traits = irdl.traits_def(MemoryReadEffect())

    def __init__(
        self,
        base: SSAValue,
        offsets: Sequence[SSAValue],
        indices: SSAValue,
        mask: SSAValue,
        pass_thru: SSAValue,
    ):
        super().__init__(
            operands=[base, offsets, indices, mask, pass_thru], result_types=[pass_thru.type]
        )

    def accesses(self) -> Sequence[Access]:
        return (Access(self, 0, reads=True, value=self.result),)

    def verify_(self) -> None:
        buffer, of = self.base.type, self.result.type
        assert isinstance(buffer, MemRefType)
        assert isinstance(of, VectorType)
        if len(self.offsets) != len(buffer.get_shape()):
            raise VerifyException(f"{len(self.offsets)} offsets for {buffer}")
        if of.element_type != buffer.element_type or self.pass_thru.type != of:
            raise VerifyException(f"{of} and {self.pass_thru.type} out of {buffer}")
        for lanes in (self.indices.type, self.mask.type):
            if isinstance(lanes, VectorType) and lanes.shape != of.shape:
                raise VerifyException(f"{lanes} for the lanes of {of}")


_POISON = -1
"""Upstream's position of no element."""


class NamesElements(OpTrait):
    """The constant positions of an element, or of a part, are in the vector."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, vector.ExtractOp | vector.InsertOp)
        whole = (op.vector if isinstance(op, vector.ExtractOp) else op.dest).type
        assert isinstance(whole, VectorType)
        for axis, position in enumerate(op.static_position.get_values()):
            lanes = whole.get_shape()[axis]
            if position not in range(lanes) and position not in (_POISON, DYNAMIC_INDEX):
                raise VerifyException(
                    f"position {position} is outside 0..{lanes - 1}, those of axis {axis} of "
                    f"{whole}"
                )


_OF_FLOATS = ("add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf")
_OF_INTEGERS = ("add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor")


class ReducesItsElements(OpTrait):
    """A reduction is one of the elements' type."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, vector.ReductionOp)
        element, kind = op.dest.type, op.kind.data.value
        known = _OF_FLOATS if isinstance(element, AnyFloat) else _OF_INTEGERS
        if kind not in known:
            raise VerifyException(
                f"a reduction <{kind}> of {op.vector.type}; of {element} there are "
                f"{', '.join(known)}"
            )


vector.ReductionOp.traits.add_trait(ReducesItsElements())
vector.ExtractOp.traits.add_trait(NamesElements())
vector.InsertOp.traits.add_trait(NamesElements())

Vector = Dialect("vector", [*vector.Vector.operations, GatherOp], list(vector.Vector.attributes))
