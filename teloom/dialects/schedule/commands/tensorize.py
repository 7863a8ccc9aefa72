"""Tensorized loops of a stage: the command, what it asks of the stage, and the code for it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import ClassVar

from xdsl.dialects.builtin import (
    AffineMapAttr,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.constraints import ConditionOp, exprs_and_counts, parse_condition
from teloom.dialects.bodies.extern import (
    Extern,
    ExternParts,
    parse_extern,
    print_extern,
    verify_extern,
)
from teloom.dialects.bodies.preorder import ops_of
from teloom.dialects.schedule.relations import AXIS, CommandOp, axis_name, axis_names
from teloom.dialects.schedule.stages.parent_stage import OpInStage
from teloom.dialects.schedule.stages.stage import StageOp
from teloom.dialects.syntax.attributes_behind import attributes_behind


class IntrinsicPart(StrEnum):
    """The part of a stage that the code of an intrinsic does, in the place of loops."""

    FILLS = "fills"
    """All that the stage does for these elements."""
    RESETS = "resets"
    """The init part of a reduction."""
    UPDATES = "updates"
    """A part of the update part of a reduction."""


@irdl_op_definition
class TensorizeOp(CommandOp):
    """Puts the code of an intrinsic in the place of the loop of an axis and all those inside it.

    What the loops compute has to be what the equation of the intrinsic says, for the same extents.
    Where a tile is smaller, as the last one of an axis, the loops themselves run.

    ```mlir
    schedule.sequence @tiles on @f {
      %C = schedule.get "C"
      %i, %k = schedule.axes 2 of %C
      %io, %ii = schedule.split %i factor 8
      %ko, %ki = schedule.split %k factor 4
      schedule.reorder %io, %ko, %ii, %ki
      schedule.tensorize %ii by @gemv
    }
    ```

    Shape: the data axes of the intrinsic are the last of those that have loops inside, in their
    order; the reduce axes in any order.
    Refused: by `apply-schedule`, an axis that is no leaf, an extern or a scan, a second one of a
    stage, a stage that is computed or something prefetched inside, a vectorized loop around; by
    `match-intrinsics`, an unknown intrinsic, loops of other extents, an equation that computes
    something else; an intrinsic without an update if a reduce axis is around.
    Like: `Stage.tensorize` of TVM.
    """

    name = "schedule.tensorize"

    var = operand_def(AXIS)
    tensor_intrin = prop_def(SymbolRefAttr)

    assembly_format = "$var `by` $tensor_intrin attr-dict"

    def __init__(self, var: SSAValue, tensor_intrin: str):
        super().__init__(operands=[var], properties={"tensor_intrin": SymbolRefAttr(tensor_intrin)})


@irdl_op_definition
class TensorizedOp(OpInStage):
    """In a stage: the intrinsic whose code shall stand in the place of the loop of an axis.

    ```mlir
    te.func @double(%A: tensor<20xf32>) -> (tensor<20xf32>) {
      %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
        %io, %ii = schedule.split %i factor 4
        schedule.order %io, %ii
        schedule.tensorized %ii by @double4
        schedule.equation (%p) {
          %a = te.read %A[%p] : f32
          %b = arith.addf %a, %a : f32
          te.yield %b : f32
        }
      }
      te.return %C : tensor<20xf32>
    }
    ```

    Shape: `match-intrinsics` replaces it by one `schedule.code` or two.
    Refused: an axis that is no leaf of the stage.
    Like: the attribute of an axis that TVM's tensorize leaves.
    """

    name = "schedule.tensorized"

    COMMAND: ClassVar = "tensorize"

    axis = operand_def(AXIS)
    intrinsic = prop_def(SymbolRefAttr)

    assembly_format = "$axis `by` $intrinsic attr-dict"

    def __init__(self, axis: SSAValue, intrinsic: SymbolRefAttr):
        super().__init__(operands=[axis], properties={"intrinsic": intrinsic})

    def verify_(self) -> None:
        _verify_leaf(self)


@irdl_op_definition
@attributes_behind
class CodeOp(ConditionOp, Extern, OpInStage):
    """In a stage: code that runs in the place of the loop of an axis, and of all loops inside it.

    It runs where the condition holds, with the leaves at which the tile starts; elsewhere, the
    loops do. Its region gets the root axes at the first point of the tile: of a part that `resets`,
    the data axes alone. Boxes of tensors are over these, and over the function's sizes.

    ```mlir
    te.func @ones(%n: index) -> (tensor<?xf32>) {
      %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
        %io, %ii = schedule.split %i factor 4
        schedule.order %io, %ii
        schedule.region [0 : %n]
        schedule.range %io = 0 to %n ceildiv 4
        schedule.range %ii = 0 to min(4, %n - %io * 4)
        schedule.value %i = %io * 4 + %ii
        schedule.code fills %ii from [%ii = 0] when (%n - %io * 4 - 4 >= 0)
            (%p) (%out: tensor<?xf32>[%n]) {
          %c = te.buffer %out[%p : 4] : memref<4xf32, strided<[1], offset: ?>>
          %0 = arith.constant 0 : index
          %one = arith.constant dense<1.0> : vector<4xf32>
          vector.store %one, %c[%0] : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
        }
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %C : tensor<?xf32>
    }
    ```

    Shape: a start for each leaf inside, of a part that resets for those of data axes; one index
    argument per root axis, and one argument per result of the stage, of its type.
    Refused: an axis that is no leaf, starts of other leaves, two codes of one part.
    Like: the body of TVM's tensorized loops.
    """

    name = "schedule.code"

    COMMAND: ClassVar = "tensorize"

    axis = operand_def(AXIS)
    leaves = var_operand_def(AXIS)
    part = prop_def(StringAttr)
    starts = prop_def(AffineMapAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(NoTerminator())

    def __init__(
        self,
        part: IntrinsicPart,
        axis: SSAValue,
        starts: Sequence[tuple[SSAValue, AffineExpr]],
        condition: Sequence[Conjunction],
        values: Sequence[SSAValue],
        code: ExternParts,
    ):
        """Starts of leaves and the condition, of which nothing always holds, are over `values`."""
        exprs, counts = exprs_and_counts(condition)
        (places, constraints), operands = affine.pack_lists(
            [[expr for _, expr in starts], exprs], values
        )
        super().__init__(
            operands=[axis, [leaf for leaf, _ in starts], operands, code.sizes],
            properties={
                "part": StringAttr(part),
                "starts": places,
                "constraints": constraints,
                "counts": counts,
                "shapes": code.shapes,
            },
            regions=[code.body, code.init],
        )

    @property
    def does(self) -> IntrinsicPart:
        return IntrinsicPart(self.part.data)

    def verify_(self) -> None:
        _verify_leaf(self)
        stage = self.stage
        if self.part.data not in list(IntrinsicPart):
            raise VerifyException(f"{self.part.data} is none of {', '.join(IntrinsicPart)}")
        leaves = list(stage.order.axes)
        inside = leaves[leaves.index(self.axis) :]
        some = self.does is IntrinsicPart.RESETS  # reduce axes do not run then
        if list(self.leaves) != [leaf for leaf in inside if not some or leaf in self.leaves]:
            raise VerifyException(
                f"starts of {axis_names(self.leaves)}, but the loops in its place are those of "
                f"{axis_names(inside)}"
            )
        affine.verify_map(self.starts, self.operands_, "starts")
        if len(self.starts.data.results) != len(self.leaves):
            raise VerifyException("each leaf has one start")
        if self.counts.get_values():
            super().verify_()
        if [op for op in codes_of(stage) if op.part == self.part] != [self]:
            raise VerifyException(f"two codes of a stage {self.part.data} a part of it")
        count = stage.data_axis_count if self.does is IntrinsicPart.RESETS else len(stage.root_axes)
        # The tensors may hold something already, and no reduce axis is one of its own.
        verify_extern(self, count, count, [tensor.type for tensor in stage.tensors])

    @classmethod
    def parse(cls, parser: Parser) -> CodeOp:
        part = IntrinsicPart(
            parser.parse_optional_keyword_in(list(IntrinsicPart)) or parser.raise_error(_PARTS)
        )
        axis = affine.parse_operand(parser)
        operands, starts = affine.OperandList(), list[tuple[SSAValue, AffineExpr]]()

        def parse_start() -> None:
            leaf = affine.parse_operand(parser)
            parser.parse_punctuation("=")
            starts.append((leaf, affine.parse_expr(parser, operands)))

        parser.parse_keyword("from")
        parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parse_start)
        has_condition = parser.parse_optional_keyword("when") is not None
        condition = parse_condition(parser, operands) if has_condition else []
        code, _, _ = parse_extern(parser, affine.OperandList())
        return CodeOp(part, axis, starts, condition, operands.values, code)

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.part.data} ")
        printer.print_operand(self.axis)

        def print_start(start: tuple[SSAValue, AffineExpr]) -> None:
            printer.print_operand(start[0])
            printer.print_string(" = ")
            affine.print_expr(printer, start[1], self.operands_)

        printer.print_string(" from [")
        starts = zip(self.leaves, self.starts.data.results, strict=True)
        printer.print_list([*starts], print_start)
        printer.print_string("]")
        if self.counts.get_values():
            printer.print_string(" when ")
            self.print_condition(printer)
        if self.axes:
            printer.print_string(" (")
            printer.print_list(self.axes, printer.print_operand)
            printer.print_string(")")
        print_extern(printer, self)


_PARTS = f"one of {', '.join(IntrinsicPart)} expected"


def codes_of(stage: StageOp) -> list[CodeOp]:
    """The code that runs in the place of loops of a stage."""
    return ops_of(stage.body.block, CodeOp)


def tensorized_in(stage: StageOp) -> list[TensorizedOp]:
    """The requests to tensorize loops of a stage."""
    return ops_of(stage.body.block, TensorizedOp)


def _verify_leaf(op: TensorizedOp | CodeOp) -> None:
    if op.axis not in op.stage.order.axes:
        raise VerifyException(
            f"is at {axis_name(op.axis)}, which is no leaf axis of stage "
            f'"{op.stage.stage_name.data}"'
        )
