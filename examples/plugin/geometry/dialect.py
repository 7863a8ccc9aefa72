"""The `geometry` dialect: operations on floats and on buffers, and a command of schedules."""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import llvm
from xdsl.dialects.builtin import AnyFloatConstr, IndexType, IntegerAttr, MemRefType, i64
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from teloom.backend.c.expressions import CExpr, binary
from teloom.backend.c.math import library_call
from teloom.backend.c.writer import FunctionWriter
from teloom.dialects.interfaces import Access, AccessingOp, PluginCommand, ScalarOp, identity
from teloom.dialects.schedule.relations import AXIS, CommandOp
from teloom.passes.llvm.builder import Builder
from teloom.passes.schedule.primitives.handles import Primitive

_T = VarConstraint("T", AnyAttr())


@irdl_op_definition
class HypotOp(IRDLOperation, ScalarOp):
    """The length of a vector of two coordinates: `sqrt(x * x + y * y)`.

    Its operands and its result are floats, or vectors of these: the lanes of a loop.
    """

    name = "geometry.hypot"

    x = operand_def(_T)
    y = operand_def(_T)
    result = result_def(_T)

    traits = traits_def(Pure())

    assembly_format = "$x `,` $y attr-dict `:` type($result)"

    def evaluate(self, operands: Sequence[np.ndarray]) -> np.ndarray:
        """For the reference interpreter."""
        return np.hypot(*operands)

    def to_llvm(self, builder: Builder) -> SSAValue:
        """For `lower-to-llvm`."""
        type = self.x.type
        square = builder.binary(llvm.FMulOp, self.x, self.x)
        squares = builder.intrinsic("llvm.fmuladd", (self.y, self.y, square), type)
        return builder.intrinsic("llvm.sqrt", (squares,), type)

    def to_c(self, operands: Sequence[CExpr], writer: FunctionWriter) -> CExpr:
        """For source of C."""
        x, y = (writer.widen(one) for one in operands)
        squares = binary("+", binary("*", x, x, x.type), binary("*", y, y, y.type), x.type)
        return writer.narrow(library_call("sqrt", [squares], writer), operands[0].type)


@irdl_op_definition
class MoveOp(IRDLOperation, AccessingOp):
    """Moves a coordinate of a buffer: it adds to the element that is there.

    What becomes of it stands in `geometry.rules`, a rule for each step of the compiler.
    """

    name = "geometry.move"

    points = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    by = operand_def(AnyFloatConstr)

    assembly_format = "$points `[` $indices `]` `by` $by attr-dict `:` type($points) `,` type($by)"

    def accesses(self) -> Sequence[Access]:
        """For all passes that ask what is read and written."""
        return (Access(self, 0, identity(len(self.indices)), reads=True, writes=True),)


@irdl_op_definition
class LanesOp(CommandOp, PluginCommand):
    """Runs `count` iterations of an axis at once: a split, and a vectorized inner axis.

    Refused: a count below 2.
    """

    name = "geometry.lanes"

    parent_ = operand_def(AXIS)
    count = prop_def(IntegerAttr)
    outer = result_def(AXIS)
    inner = result_def(AXIS)

    assembly_format = "$parent_ `by` $count attr-dict"

    def __init__(self, parent: SSAValue, count: int):
        super().__init__(
            operands=[parent],
            properties={"count": IntegerAttr(count, i64)},
            result_types=[AXIS, AXIS],
        )

    @property
    def consumed(self) -> Sequence[SSAValue]:
        return (self.parent_,)

    def verify_(self) -> None:
        super().verify_()
        if self.count.value.data < 2:
            raise VerifyException(f"{self.count.value.data} lanes; there must be at least 2")

    @classmethod
    def primitive(cls) -> type[Primitive]:
        from geometry.apply_lanes import ApplyLanes  # which needs this op

        return ApplyLanes


Geometry = Dialect("geometry", [HypotOp, MoveOp, LanesOp])
