"""The command that divides a padding into a fill and a copy."""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from teloom.dialects.schedule.relations import StageCommand


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
