"""What `infer-bounds` says of a stage: ranges, values, region, guards and promises."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, IndexType, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.constraints import ConditionOp, pack_condition, parse_condition
from teloom.dialects.schedule.commands.modes import Mode
from teloom.dialects.schedule.relations import AXIS, axis_name, axis_names
from teloom.dialects.schedule.stages.parent_stage import OpInStage
from teloom.dialects.syntax.attributes_behind import attributes_behind
from teloom.dialects.syntax.boxes import pack_box, parse_box, print_box

INDEX = IndexType()


@irdl_op_definition
@attributes_behind
class BoundsOp(OpInStage):
    """What the bounds region of the stage's equation yields; inserted by `infer-bounds`.

    Ranges and guards are over these values where bounds of reduce axes depend on data.

    ```mlir
    te.func @sums(%P: tensor<5xi32>, %A: tensor<9xf32>) -> (tensor<4xf32>) {
      %S = schedule.stage "S" (%i = 4) reduce (%k = 9) : tensor<4xf32> {
        schedule.order %i, %k
        %first, %end = schedule.bounds %k
        schedule.region [0 : 4]
        schedule.range %i = 0 to 4
        schedule.range %k = %first to %end
        schedule.equation (%p, %q) {
          %a = te.read %A[%q] : f32
          te.yield %a : f32
        } combine (%x: f32, %y: f32) identity [0.0 : f32] {
          %s = arith.addf %x, %y : f32
          te.yield %s : f32
        } bounds %q (%r) {
          %0 = te.read %P[%r] : i32
          %1 = te.read %P[%r + 1] : i32
          %2 = arith.index_cast %0 : i32 to index
          %3 = arith.index_cast %1 : i32 to index
          te.yield %2, %3 : index, index
        }
      }
      te.return %S : tensor<4xf32>
    }
    ```

    Shape: two index values per axis, in the order of the equation's bounds.
    Refused: other axes than those of which the equation says bounds.
    Like: the bounds of `scf.for`.
    """

    name = "schedule.bounds"

    axes = var_operand_def(AXIS)
    values = var_result_def(INDEX)

    def __init__(self, axes: Sequence[SSAValue]):
        super().__init__(operands=[axes], result_types=[[INDEX] * (2 * len(axes))])
        for number, value in enumerate(self.values):
            name = axes[number // 2].name_hint
            value.name_hint = name and f"{name}.{'end' if number % 2 else 'first'}"

    def verify_(self) -> None:
        if list(self.axes) != self.stage.data_bounded_axes:
            raise VerifyException(
                f"bounds of {axis_names(self.axes)}, but the equation says those of "
                f"{axis_names(self.stage.data_bounded_axes)}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> BoundsOp:
        return BoundsOp(
            parser.parse_comma_separated_list(
                parser.Delimiter.NONE, lambda: parser.parse_operand(AXIS)
            )
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.axes, printer.print_operand)


@irdl_op_definition
@attributes_behind
class RangeOp(OpInStage):
    """The range of an axis, over the axes of the loops around it; inserted by `infer-bounds`.

    ```mlir
    te.func @ones(%n: index) -> (tensor<?xf32>) {
      %A = schedule.stage "A" (%i = %n) : tensor<?xf32> {
        %io, %ii = schedule.split %i factor 8
        schedule.order %io, %ii
        schedule.range %io = 0 to %n ceildiv 8
        schedule.range %ii = 0 to min(8, %io * -8 + %n)
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<?xf32>
    }
    ```

    Shape: from the maximum of the lower bounds to the minimum of the upper bounds, the end
    excluded.
    Refused: a map that does not fit its operands.
    Like: the result of TVM's InferBound.
    """

    name = "schedule.range"

    axis = operand_def(AXIS)
    operands_ = var_operand_def()
    lower = prop_def(AffineMapAttr)
    upper = prop_def(AffineMapAttr)

    def __init__(
        self,
        axis: SSAValue,
        lower: Sequence[AffineExpr],
        upper: Sequence[AffineExpr],
        values: Sequence[SSAValue],
    ):
        """Bounds are expressions of `values`, which are axes and sizes."""
        (first, end), operands = affine.pack_lists([lower, upper], values)
        Operation.__init__(
            self, operands=[axis, *operands], properties={"lower": first, "upper": end}
        )

    def verify_(self) -> None:
        for map in (self.lower.data, self.upper.data):
            if not map.results or map.num_dims != len(self.operands_):
                raise VerifyException("the bounds' maps do not fit their operands")

    @classmethod
    def parse(cls, parser: Parser) -> RangeOp:
        axis = affine.parse_operand(parser)
        parser.parse_punctuation("=")
        operands = affine.OperandList()
        lower, upper = affine.parse_range(parser, operands)
        return RangeOp(axis, lower, upper, operands.values)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.axis)
        printer.print_string(" = ")
        affine.print_range(printer, self.lower, self.upper, self.operands_)


@irdl_op_definition
@attributes_behind
class ValueOp(OpInStage):
    """The value of a consumed axis, over the axes that replaced it; inserted by `infer-bounds`.

    ```mlir
    te.func @ones() -> (tensor<9xf32>) {
      %A = schedule.stage "A" (%i = 9) : tensor<9xf32> {
        %io, %ii = schedule.split %i factor 3
        schedule.order %io, %ii
        schedule.region [0 : 9]
        schedule.range %io = 0 to 3
        schedule.range %ii = 0 to 3
        schedule.value %i = %io * 3 + %ii
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<9xf32>
    }
    ```

    Shape: an affine expression of axes and sizes. A consumed root axis without a value is computed
    from its relation: an extent in it is symbolic, so its value is not affine.
    Refused: a leaf axis.
    Like: the relations of TVM's stages, solved for the root.
    """

    name = "schedule.value"

    axis = operand_def(AXIS)
    operands_ = var_operand_def()
    map = prop_def(AffineMapAttr)

    def __init__(self, axis: SSAValue, value: AffineExpr, values: Sequence[SSAValue]):
        """`value` is an expression of `values`, which are axes and sizes."""
        map, operands = affine.pack([value], values)
        Operation.__init__(self, operands=[axis, *operands], properties={"map": map})

    def verify_(self) -> None:
        if self.axis in self.stage.leaf_axes:
            raise VerifyException(f"{axis_name(self.axis)} is a leaf axis")
        if len(self.map.data.results) != 1 or self.map.data.num_dims != len(self.operands_):
            raise VerifyException("the value's map does not fit its operands")

    @classmethod
    def parse(cls, parser: Parser) -> ValueOp:
        axis = affine.parse_operand(parser)
        parser.parse_punctuation("=")
        operands = affine.OperandList()
        value = affine.parse_expr(parser, operands)
        return ValueOp(axis, value, operands.values)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.axis)
        printer.print_string(" = ")
        affine.print_expr(printer, self.map.data.results[0], self.operands_)


@irdl_op_definition
@attributes_behind
class RegionOp(OpInStage):
    """The box of a stage's elements that is stored; inserted by `infer-bounds`.

    ```mlir
    te.func @ones() -> (tensor<4x8xf32>) {
      %A = schedule.stage "A" (%i = 4, %j = 8) : tensor<4x8xf32> {
        schedule.order %i, %j
        schedule.region [0 : 4, 0 : 8]
        schedule.range %i = 0 to 4
        schedule.range %j = 0 to 8
        schedule.equation (%p, %q) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<4x8xf32>
    }
    ```

    The ranges and guards of the stage run through exactly the elements that its readers need
    (`exact`, not printed), through a convex `hull` of them, or through all of a `box`.

    Shape: (offset : extent) per data axis, in elements, over enclosing axes and sizes.
    Refused: another number of pairs than data axes.
    Like: the bounds of TVM's ProducerRealize.
    """

    name = "schedule.region"

    operands_ = var_operand_def()
    offsets = prop_def(AffineMapAttr)
    extents = prop_def(AffineMapAttr)
    mode = prop_def(StringAttr)

    def __init__(
        self,
        box: Sequence[tuple[AffineExpr, AffineExpr]],
        values: Sequence[SSAValue],
        mode: Mode = Mode.EXACT,
    ):
        """`box` holds (offset, extent) per data axis, over `values`."""
        operands, offsets, extents = pack_box(box, values)
        Operation.__init__(
            self,
            operands=operands,
            properties={"offsets": offsets, "extents": extents, "mode": StringAttr(mode)},
        )

    def verify_(self) -> None:
        if self.mode.data not in list(Mode):
            raise VerifyException(f"mode {self.mode.data} is none of {', '.join(Mode)}")
        count = self.stage.data_axis_count
        for map in (self.offsets.data, self.extents.data):
            if map.num_dims != len(self.operands_):
                raise VerifyException("the region's maps do not fit their operands")
            if len(map.results) != count:
                raise VerifyException(f"{len(map.results)} pairs for {count} data axes")

    @classmethod
    def parse(cls, parser: Parser) -> RegionOp:
        word = parser.parse_optional_keyword_in(list(Mode))
        mode = Mode(word) if word is not None else Mode.EXACT
        operands = affine.OperandList()
        box = parse_box(parser, operands)
        return RegionOp(box, operands.values, mode)

    def print(self, printer: Printer) -> None:
        printer.print_string(" " if self.mode.data == Mode.EXACT else f" {self.mode.data} ")
        print_box(printer, self.offsets, self.extents, self.operands_)


@irdl_op_definition
@attributes_behind
class GuardOp(ConditionOp, OpInStage):
    """A condition for an instance to run, beyond the ranges of its axes; by `infer-bounds`.

    ```mlir
    te.func @ones() -> (tensor<9xf32>) {
      %A = schedule.stage "A" (%i = 9) : tensor<9xf32> {
        %io, %ii = schedule.split %i factor 4
        schedule.order %ii, %io
        schedule.range %ii = 0 to 4
        schedule.range %io = 0 to 3
        schedule.guard (%io * -4 - %ii + 8 >= 0)
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<9xf32>
    }
    ```

    Shape: alternatives over axes and sizes, one of which must hold. Of several guards all must
    hold.
    Refused: no constraint.
    Like: `affine.if`.
    """

    name = "schedule.guard"

    def __init__(self, alternatives: Sequence[Conjunction], values: Sequence[SSAValue]):
        """The condition is an expression of `values`."""
        operands, constraints, counts = pack_condition(alternatives, values)
        super().__init__(
            operands=[operands],
            properties={"constraints": constraints, "counts": counts},
        )

    @classmethod
    def parse(cls, parser: Parser) -> GuardOp:
        operands = affine.OperandList()
        return GuardOp(parse_condition(parser, operands), operands.values)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_condition(printer)


@irdl_op_definition
@attributes_behind
class PromisedOp(ConditionOp, OpInStage):
    """A condition on sizes that a schedule promises, and that each call checks; by `infer-bounds`.

    ```mlir
    te.func @ones(%n: index) -> (tensor<?xf32>) {
      %A = schedule.stage "A" (%i = %n) : tensor<?xf32> {
        schedule.bounded %i from 0 extent 32
        schedule.order %i
        schedule.region [0 : 32]
        schedule.range %i = 0 to %n
        schedule.promised (%n * -1 + 32 >= 0)
        schedule.equation (%p) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<?xf32>
    }
    ```

    Shape: alternatives over sizes, one of which must hold, and what a call says of which none does.
    Refused: no constraint.
    Like: `require` of Halide.
    """

    name = "schedule.promised"

    words = opt_prop_def(StringAttr)

    def __init__(
        self, alternatives: Sequence[Conjunction], words: str | None, sizes: Sequence[SSAValue]
    ):
        """The condition is over `sizes`."""
        operands, constraints, counts = pack_condition(alternatives, sizes)
        said = None if words is None else StringAttr(words)
        super().__init__(
            operands=[operands],
            properties={"constraints": constraints, "counts": counts, "words": said},
        )

    @classmethod
    def parse(cls, parser: Parser) -> PromisedOp:
        operands = affine.OperandList()
        condition = parse_condition(parser, operands)
        words = parser.parse_optional_str_literal()
        return PromisedOp(condition, words, operands.values)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_condition(printer)
        if self.words is not None:
            printer.print_string(" ")
            printer.print_string_literal(self.words.data)
