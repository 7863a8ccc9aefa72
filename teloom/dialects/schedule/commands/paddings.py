"""The commands on paddings: one divided into a fill and a copy, and one that rounds axes up."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.schedule.numbers import NUMBER, NumberAttr
from teloom.dialects.schedule.relations import RootAxisCommand, StageCommand, axis_name


@irdl_op_definition
class DecomposePaddingOp(StageCommand):
    """Fills a padded stage with its constant, and then copies the inside.

    The stage is `if inside then value else constant`, of which the inside is a box. It becomes an
    update: its data axes, over which it begins as the constant, and behind them an axis for each,
    over the inside, at whose points the value is written. So no loop asks where it is.

    ```mlir
    schedule.sequence @padded on @f {
      %P = schedule.get "P"
      schedule.decompose_padding %P
      %i, %j, %ii, %ji = schedule.axes 4 of %P
      schedule.vectorize %j
      schedule.vectorize %ji
    }
    ```

    Shape: a stage of one result, with as many axes of the inside as data axes.
    Refused: by `apply-schedule`, a stage that is no such choice, whose condition is not affine in
    axes and sizes, or whose inside is no box; one whose axes a command has changed, or at whose
    axes another is computed.
    Like: `decompose_padding` of TVM's TensorIR.
    """

    name = "schedule.decompose_padding"


@irdl_op_definition
class PadEinsumOp(RootAxisCommand):
    """Rounds the extent of an axis of an einsum up to a multiple; what it reads is padded by zeros.

    An einsum is a sum of products of elements, or a product of them, each read at axes as they
    are. What is read along the axis are caches, or other stages that only the einsum reads: they
    are zero beyond the old extent. So the sum is the same, and a data axis has elements that
    nobody reads. The einsum is a temporary stage: a `schedule.cache_write` cuts what it writes.

    ```mlir
    schedule.sequence @padded on @f {
      %C = schedule.get "C"
      %P = schedule.cache_write %C "global"
      %A = schedule.cache_read argument 0 "global" readers %P
      %i, %k = schedule.axes 2 of %P
      schedule.pad_einsum %k by 16
    }
    ```

    Shape: a root axis from 0; the extent becomes the next multiple of the factor, also at the
    place where the stage is computed.
    Refused: a factor below 1; by `apply-schedule`, what is no einsum, with the reason.
    Like: `pad_einsum` of TVM's `tir.Schedule`.
    """

    name = "schedule.pad_einsum"

    factor = prop_def(NUMBER)

    assembly_format = "$axis `by` $factor attr-dict"

    def __init__(self, axis: SSAValue, factor: int):
        super().__init__(operands=[axis], properties={"factor": NumberAttr.of(factor)})

    def verify_(self) -> None:
        super().verify_()
        if self.factor.get() < 1:
            raise VerifyException(
                f"pad_einsum of axis {axis_name(self.axis)} by {self.factor.get()}: "
                "a factor must be at least 1"
            )
