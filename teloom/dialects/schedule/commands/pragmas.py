"""Notes on loops by their names, for hooks and for LLVM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, DictionaryAttr, FloatAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import AnyOf, base, irdl_op_definition, operand_def, opt_prop_def, prop_def

from teloom.dialects.schedule.relations import AXIS, CommandOp
from teloom.dialects.schedule.stages.parent_stage import OpInStage

VALUE = AnyOf((base(IntegerAttr), base(FloatAttr), base(StringAttr)))
"""What a pragma may say: a truth value, a number or a word."""

VALUES = {IntegerAttr, FloatAttr, StringAttr}
"""The classes of these."""


@irdl_op_definition
class PragmaOp(CommandOp):
    """Notes a value under a name for the loop of an axis, which becomes what a hook makes of it.

    The loop keeps the note, `loop.pragmas`, until `apply-pragmas` hands it to the hook of that
    name: one of LLVM's loop metadata, such as `llvm.loop.unroll.count`, one of Teloom's, such as
    `auto_unroll_max_step`, or that of a plug-in. A note that has no hook stays, and does nothing.

    ```mlir
    schedule.sequence @notes on @f {
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      schedule.pragma %i "llvm.loop.unroll.count" = 4 : i64
      schedule.pragma %j "unroll_explicit"
    }
    ```

    Shape: a leaf axis; without a value the note is `true`.
    Refused: by `apply-schedule`, an axis that is no leaf; by `apply-pragmas`, a value that a hook
    cannot use.
    Like: `Stage.pragma` of TVM, `annotate` of its `tir.Schedule`.
    """

    name = "schedule.pragma"

    var = operand_def(AXIS)
    pragma_type = prop_def(StringAttr)
    pragma_value = opt_prop_def(VALUE)

    assembly_format = "$var $pragma_type (`=` $pragma_value^)? attr-dict"

    def __init__(self, var: SSAValue, pragma_type: str, pragma_value: Attribute | None = None):
        super().__init__(
            operands=[var],
            properties={"pragma_type": StringAttr(pragma_type), "pragma_value": pragma_value},
        )

    @property
    def value(self) -> Attribute:
        """The value of the pragma."""
        return BoolAttr.from_bool(True) if self.pragma_value is None else self.pragma_value


@irdl_op_definition
class PragmasOp(OpInStage):
    """The notes on an axis, in a stage.

    ```mlir
    te.func @ones() -> (tensor<4xf32>) {
      %A = schedule.stage "A" (%i = 4) : tensor<4xf32> {
        schedule.pragmas %i {"llvm.loop.unroll.count" = 4 : i64}
        schedule.order %i
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<4xf32>
    }
    ```

    Shape: an axis of the stage, and a value for each name; one op for an axis.
    Refused: a place outside of a stage.
    Like: `iter_var_attrs` of TVM.
    """

    name = "schedule.pragmas"

    COMMAND: ClassVar = "pragma"

    axis = operand_def(AXIS)
    values = prop_def(DictionaryAttr)

    assembly_format = "$axis $values attr-dict"

    def __init__(self, axis: SSAValue, values: Mapping[str, Attribute]):
        super().__init__(operands=[axis], properties={"values": DictionaryAttr(dict(values))})
