"""`loop.dot`: sums of products of neighbouring elements, one for each lane."""

from __future__ import annotations

from typing import ClassVar

from xdsl import irdl
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float32Type,
    IntegerType,
    UnitAttr,
    VectorType,
)
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, opt_prop_def, result_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

_FACTORS = VectorType.constr(irdl.BaseAttr(IntegerType) | irdl.BaseAttr(BFloat16Type))
_SUMS = VectorType.constr(irdl.BaseAttr(IntegerType) | irdl.BaseAttr(Float32Type))


@irdl_op_definition
class DotOp(IRDLOperation):
    """Adds to each lane the products of as many neighbours as the factors have for it.

    With two factors for a lane, lane l gets `a[2 * l] * b[2 * l] + a[2 * l + 1] * b[2 * l + 1]`.
    Factors are converted to the type of the sums first, with their sign unless they are `unsigned`.
    Sums wrap. Factors of bf16 have sums of f32: a product is exact, but for what f32 does not hold,
    and the last neighbour's is added first; each sum is rounded to the nearest, ties to even.
    Numbers below 2^-126 may be taken for 0 there, in factors and in sums: they are by instructions.

    ```mlir
    %a, %b, %s = "test.op"() : () -> (vector<8xi8>, vector<8xi8>, vector<2xi32>)
    %t = loop.dot unsigned %a, %b into %s : vector<8xi8>, vector<8xi8>, vector<2xi32>
    ```

    Shape: as many lanes in both factors, a multiple of those of the sums.
    Refused: other numbers of lanes, factors with more bits than sums, other floats, floats that
    are `unsigned`.
    Like: `vector.contract` of MLIR, whose factors have a dimension for the neighbours.
    """

    name = "loop.dot"

    T: ClassVar = irdl.VarConstraint("T", _SUMS)

    lhs = operand_def(_FACTORS)
    rhs = operand_def(_FACTORS)
    sums = operand_def(T)
    result = result_def(T)
    lhs_unsigned = opt_prop_def(UnitAttr)
    rhs_unsigned = opt_prop_def(UnitAttr)

    assembly_format = (
        "(`unsigned` $lhs_unsigned^)? $lhs `,` (`unsigned` $rhs_unsigned^)? $rhs `into` $sums "
        "attr-dict `:` type($lhs) `,` type($rhs) `,` type($sums)"
    )

    traits = irdl.traits_def(Pure())

    def __init__(self, lhs: SSAValue, rhs: SSAValue, sums: SSAValue, unsigned: tuple[bool, bool]):
        """`unsigned` is of both factors."""
        said = [UnitAttr() if holds else None for holds in unsigned]
        super().__init__(
            operands=[lhs, rhs, sums],
            result_types=[sums.type],
            properties=dict(zip(("lhs_unsigned", "rhs_unsigned"), said, strict=True)),
        )

    @property
    def is_lhs_unsigned(self) -> bool:
        return self.lhs_unsigned is not None

    @property
    def is_rhs_unsigned(self) -> bool:
        return self.rhs_unsigned is not None

    @property
    def lanes(self) -> int:
        """The number of sums."""
        assert isinstance(self.sums.type, VectorType)
        return self.sums.type.element_count()

    @property
    def group(self) -> int:
        """The number of products in each."""
        assert isinstance(self.lhs.type, VectorType)
        return self.lhs.type.element_count() // self.lanes

    def verify_(self) -> None:
        left, right, sums = (one.type for one in self.operands)
        assert isinstance(left, VectorType)
        assert isinstance(right, VectorType)
        assert isinstance(sums, VectorType)
        if left.element_count() % self.lanes or left.shape != right.shape:
            raise VerifyException(f"{left} and {right} for {self.lanes} sums")
        factors = [one.element_type for one in (left, right)]
        is_float = isinstance(sums.element_type, Float32Type)
        if (
            any(isinstance(one, BFloat16Type) != is_float for one in factors)
            or max(one.bitwidth for one in factors) > sums.element_type.bitwidth
        ):
            raise VerifyException(f"products of {left} and {right} for sums of {sums}")
        if is_float and (self.is_lhs_unsigned or self.is_rhs_unsigned):
            raise VerifyException(f"{left} has a sign: floats are never unsigned")
