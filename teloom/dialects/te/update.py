"""The ops of the `te` dialect for tensors that are changed element by element, in order."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    IndexType,
    IntegerAttr,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryWriteEffect, NoTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.bodies.update import (
    Update,
    UpdateParts,
    is_state,
    parse_update,
    print_update,
    verify_update,
)
from teloom.dialects.syntax.attributes_behind import attributes_behind
from teloom.dialects.syntax.stage_header import (
    AxisBounds,
    StageHeader,
    print_header,
    scalar_type,
    verify_header,
)
from teloom.dialects.te.ops import verify_subscripts
from teloom.dialects.upstream.arith import i64_attribute

INDEX = IndexType()


@irdl_op_definition
@attributes_behind
class UpdateOp(Update):
    """Tensors that are changed, element by element, at the points of a domain, one by one.

    At each point of the data axes, the `init` region yields what an element begins as. The axes
    after `reduce` are the domain. Its points come in lexicographic order, the first axis slowest.
    At each of them the body reads the *state*, which is the tensor as it is then, and writes
    elements of it.

    ```mlir
    te.func @histogram(%n: index, %X: tensor<?xi32>[%n]) -> (tensor<10xi32>) {
      %H = te.update "H" (%i = 10) reduce (%r = %n) state %h reorderable : tensor<10xi32> {
        %x = te.read %X[%r] : i32
        %at = arith.index_cast %x : i32 to index
        %bin = te.bounded %at in 0 to 10
        %old = te.read %h[%bin] : i32
        %one = arith.constant 1 : i32
        %new = arith.addi %old, %one : i32
        te.write %new, %h[%bin] : i32
      } init {
        %zero = arith.constant 0 : i32
        te.yield %zero : i32
      }
      te.return %H : tensor<10xi32>
    }
    ```

    With `reorderable` the program declares that the points give the same in any order. `until`
    ends the loop of an axis early: it is evaluated before each of its iterations, for this axis
    and those before it, and yields whether there are no more.

    ```mlir
    te.func @halved(%A: tensor<1xf32>) -> (tensor<1xf32>) {
      %H = te.update "H" (%i = 1) reduce (%t = 100) state %h : tensor<1xf32> {
        %old = te.read %h[0] : f32
        %half = arith.constant 0.5 : f32
        %new = arith.mulf %old, %half : f32
        te.write %new, %h[0] : f32
      } until (%u) state %g {
        %now = te.read %g[0] : f32
        %one = arith.constant 1.0 : f32
        %small = arith.cmpf olt, %now, %one : f32
        te.yield %small : i1
      } init {
        %a = te.read %A[%i] : f32
        te.yield %a : f32
      }
      te.return %H : tensor<1xf32>
    }
    ```

    Of the points of the data axes only those are elements at which the conditions behind `where`
    hold, as in `(%i = 8, %j = 8) reduce (%r = 8) where (%i - %j >= 0)`.

    Shape: all results have the extents of the data axes. `init` has these as arguments, and the
    body those of the domain, then a state per result.
    Refused: no domain; another number of states than results; a read of a state behind a write;
    by `infer-bounds`, a read or a write outside.
    Like: an update definition of Halide; `scf.for` around `tensor.insert`.
    """

    name = "te.update"

    stage_name = prop_def(StringAttr)
    lowers = prop_def(AffineMapAttr)
    uppers = prop_def(AffineMapAttr)
    domain = opt_prop_def(AffineSetAttr)
    data_axes = prop_def(IntegerAttr)
    sizes = var_operand_def(INDEX)
    tensors = var_result_def(TensorType)

    traits = traits_def(Pure(), NoTerminator())

    def __init__(
        self,
        stage_name: str,
        bounds: AxisBounds,
        data_axes: int,
        parts: UpdateParts,
        result_types: Sequence[Attribute],
    ):
        super().__init__(
            operands=[bounds.operands],
            properties={
                "stage_name": StringAttr(stage_name),
                "lowers": bounds.lowers,
                "uppers": bounds.uppers,
                "domain": bounds.domain,
                "data_axes": i64_attribute(data_axes),
                "reorderable": UnitAttr() if parts.is_reorderable else None,
            },
            regions=[parts.body, parts.until, parts.init],
            result_types=[result_types],
        )

    @property
    def bounds(self) -> AxisBounds:
        return AxisBounds(self.lowers, self.uppers, self.sizes, self.domain)

    @property
    def data_axis_count(self) -> int:
        return self.data_axes.value.data

    def verify_(self) -> None:
        types = [tensor.type for tensor in self.tensors]
        data = self.data_axis_count
        verify_header(self.bounds, data, types)
        verify_update(self, data, len(self.bounds.pairs()) - data, types)

    @classmethod
    def parse(cls, parser: Parser) -> UpdateOp:
        header = StageHeader.parse(parser)
        axes = [axis.resolve(INDEX) for axis in header.axes]
        parts, types = parse_update(parser, axes[header.data_axes :], axes[: header.data_axes])
        return UpdateOp(header.stage_name, header.bounds, header.data_axes, parts, types)

    def print(self, printer: Printer) -> None:
        print_header(printer, self.stage_name.data, self.axes, self.data_axis_count, self.bounds)
        print_update(printer, self, with_axes=False)


@irdl_op_definition
@attributes_behind
class WriteOp(IRDLOperation):
    """Sets one element of a state of an update; the points that follow read it.

    ```mlir
    te.func @sums(%A: tensor<9xf32>) -> (tensor<9xf32>) {
      %S = te.update "S" (%i = 9) reduce (%r = 1 to 9) state %s : tensor<9xf32> {
        %before = te.read %s[%r - 1] : f32
        %own = te.read %s[%r] : f32
        %sum = arith.addf %before, %own : f32
        te.write %sum, %s[%r] : f32
      } init {
        %a = te.read %A[%i] : f32
        te.yield %a : f32
      }
      te.return %S : tensor<9xf32>
    }
    ```

    Shape: one subscript per dimension of the state, as of a `te.read`; the value is of its
    element type, without a sign. In a branch of `scf.if` that is not taken nothing is written.
    Refused: what is no state of the update, or is in its `until`; a read of a state behind it;
    another number of subscripts; a value of another type; by `infer-bounds`, a subscript outside.
    Like: `memref.store`.
    """

    name = "te.write"

    value = operand_def()
    tensor = operand_def(TensorType)
    operands_ = var_operand_def(INDEX)
    map = prop_def(AffineMapAttr)

    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self, value: SSAValue, tensor: SSAValue, map: AffineMapAttr, operands: Sequence[SSAValue]
    ):
        super().__init__(operands=[value, tensor, operands], properties={"map": map})

    def verify_(self) -> None:
        assert isinstance(self.tensor.type, TensorType)
        if not is_state(self.tensor):
            raise VerifyException("writes what is no state of an update")
        update = self.tensor.owner.parent_op()
        assert isinstance(update, Update)
        if update.has_until and self.tensor.owner is update.until.block:
            raise VerifyException("until only reads")
        verify_subscripts(self.tensor, self.map.data, self.operands_)
        if self.value.type != scalar_type(self.tensor.type):
            raise VerifyException(f"writes {self.value.type} to {self.tensor.type}")

    @classmethod
    def parse(cls, parser: Parser) -> WriteOp:
        value = affine.parse_operand(parser)
        parser.parse_punctuation(",")
        place = parser.pos
        tensor = affine.parse_operand(parser)
        if not isinstance(tensor.type, TensorType):
            parser.raise_error(f"te.write needs a state, got {tensor.type}", place, parser.pos)
        operands = affine.OperandList()
        exprs = affine.parse_exprs(parser, operands)
        parser.parse_punctuation(":")
        place = parser.pos
        if (type := parser.parse_type()) != value.type:
            parser.raise_error(f"a value of type {value.type}, not {type}", place, parser.pos)
        return WriteOp(value, tensor, affine.map_of(exprs, operands.values), operands.values)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(", ")
        printer.print_operand(self.tensor)
        affine.print_exprs(printer, self.map.data.results, self.operands_)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
