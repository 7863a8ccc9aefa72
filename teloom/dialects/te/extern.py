"""The ops of the `te` dialect for bodies that are no equations."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, StringAttr, TensorType
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, prop_def, traits_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine.operands import OperandList
from teloom.dialects.bodies.box_buffers import BoxBufferOp
from teloom.dialects.bodies.extern import (
    Extern,
    ExternParts,
    parse_extern,
    print_extern,
    verify_extern,
)
from teloom.dialects.syntax.attributes_behind import attributes_behind
from teloom.dialects.syntax.stage_header import (
    AxisBounds,
    parse_bounds,
    print_axes,
    scalar_type,
    verify_axes,
)
from teloom.dialects.upstream.arith import i64_attribute


@irdl_op_definition
@attributes_behind
class ExternOp(Extern):
    """Tensors that an opaque body fills: loads and stores, calls of other code.

    The region's arguments are the tensors to fill, each with its shape in brackets where
    that is dynamic. The body sees exactly the buffers that it takes by `te.buffer`. It
    depends on these and sizes alone, reads what it takes of other tensors, and writes all
    elements of its own and nothing else; it may run any number of times.

    ```mlir
    func.func private @hypot(f64, f64) -> f64
    te.func @length(%n: index, %A: tensor<?xf64>[%n], %B: tensor<?xf64>[%n]) -> (tensor<?xf64>) {
      %C = te.extern "C" (%out: tensor<?xf64>[%n]) {
        %a = te.buffer %A[0 : %n] : memref<?xf64>
        %b = te.buffer %B[0 : %n] : memref<?xf64>
        %c = te.buffer %out[0 : %n] : memref<?xf64>
        loop.for %i = 0 to %n {
          %x = memref.load %a[%i] : memref<?xf64>
          %y = memref.load %b[%i] : memref<?xf64>
          %z = func.call @hypot(%x, %y) : (f64, f64) -> f64
          memref.store %z, %c[%i] : memref<?xf64>
        }
      }
      te.return %C : tensor<?xf64>
    }
    ```

    With axes, the body runs once at each point of them, and fills there the slices of the
    results that it takes: those of two points have no element in common, and all together
    are the whole. With reduce axes, `init` runs at each point of the data axes before, and
    the body updates what is there; it may do so in any order of the reduce axes.

    ```mlir
    te.func @row_sums(%A: tensor<4x64xf32>) -> (tensor<4x1xf32>) {
      %C = te.extern "C" (%i = 4) reduce (%k = 8) (%out: tensor<4x1xf32>) {
        %a = te.buffer %A[%i : 1, %k * 8 : 8] : memref<8xf32, strided<[1], offset: ?>>
        %c = te.buffer %out[%i : 1, 0 : 1] : memref<1xf32, strided<[1], offset: ?>>
        %0 = arith.constant 0 : index
        loop.for %j = 0 to 8 {
          %x = memref.load %a[%j] : memref<8xf32, strided<[1], offset: ?>>
          %y = memref.load %c[%0] : memref<1xf32, strided<[1], offset: ?>>
          %z = arith.addf %x, %y : f32
          memref.store %z, %c[%0] : memref<1xf32, strided<[1], offset: ?>>
        }
      } init (%p, %o) {
        %c = te.buffer %o[%p : 1, 0 : 1] : memref<1xf32, strided<[1], offset: ?>>
        %0 = arith.constant 0 : index
        %zero = arith.constant 0.0 : f32
        memref.store %zero, %c[%0] : memref<1xf32, strided<[1], offset: ?>>
      }
      te.return %C : tensor<4x1xf32>
    }
    ```

    Shape: one index argument per axis, and one result per further argument of the region, of
    its type.
    Refused: no result, a store to what is not a result, a `te.read`; data axes that do not
    start at 0; reduce axes without init, init without reduce axes; a slice of a result over
    reduce axes; by `infer-bounds`, slices of a result that meet, or leave elements out, and
    an init that fills what the body does not.
    Like: `linalg.generic` in its place; te.extern of TVM, and its tensor-compute.
    """

    name = "te.extern"

    stage_name = prop_def(StringAttr)
    lowers = prop_def(AffineMapAttr)
    uppers = prop_def(AffineMapAttr)
    data_axes = prop_def(IntegerAttr)
    tensors = var_result_def(TensorType)

    traits = traits_def(Pure(), NoTerminator())

    def __init__(
        self,
        stage_name: str,
        parts: ExternParts,
        result_types: Sequence[Attribute],
        bounds: Sequence[tuple[AffineExpr, AffineExpr]] = (),
        data_axes: int = 0,
    ):
        """`bounds` are (lower, upper) of the axes, over the sizes of the parts."""
        count = len(parts.sizes)
        super().__init__(
            operands=[parts.sizes],
            properties={
                "stage_name": StringAttr(stage_name),
                "shapes": parts.shapes,
                "lowers": AffineMapAttr(AffineMap(count, 0, tuple(one for one, _ in bounds))),
                "uppers": AffineMapAttr(AffineMap(count, 0, tuple(one for _, one in bounds))),
                "data_axes": i64_attribute(data_axes),
            },
            regions=[parts.body, parts.init],
            result_types=[result_types],
        )

    @property
    def bounds(self) -> AxisBounds:
        return AxisBounds(self.lowers, self.uppers, self.sizes)

    @property
    def data_axis_count(self) -> int:
        return self.data_axes.value.data

    def verify_(self) -> None:
        verify_axes(self.bounds, self.data_axis_count)
        types = [tensor.type for tensor in self.tensors]
        verify_extern(self, len(self.bounds.pairs()), self.data_axis_count, types)

    @classmethod
    def parse(cls, parser: Parser) -> ExternOp:
        name = parser.parse_str_literal(" as stage name")
        operands = OperandList()
        bounds: list[tuple[AffineExpr, AffineExpr]] = []
        parts, types, data_axes = parse_extern(
            parser, operands, lambda: bounds.append(parse_bounds(parser, operands)), True
        )
        return ExternOp(name, parts, types, bounds, data_axes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.stage_name.data)
        if self.axes:
            print_axes(printer, self.axes, self.data_axis_count, self.bounds)
        print_extern(printer, self)


@irdl_op_definition
class BufferOp(BoxBufferOp):
    """The memory of a box of a tensor, for the body of an extern.

    The type says how the elements lie: strides and offset that are written must be there,
    those that are `?` are found. Without a layout, the box lies row-major and without gaps
    from the memory's begin. `aligned 64` demands that the memory begins at a multiple of
    64 bytes, `factor 16` that the offset is a multiple of 16 elements.

    ```mlir
    te.func @second_row(%A: tensor<4x8xf32>) -> (tensor<8xf32>) {
      %C = te.extern "C" (%out: tensor<8xf32>) {
        %a = te.buffer %A[1 : 1, 0 : 8] factor 8 : memref<1x8xf32, strided<[8, 1], offset: ?>>
        %c = te.buffer %out[0 : 8] : memref<8xf32>
        %zero = arith.constant 0 : index
        loop.for %i = 0 to 8 {
          %x = memref.load %a[%zero, %i] : memref<1x8xf32, strided<[8, 1], offset: ?>>
          memref.store %x, %c[%i] : memref<8xf32>
        }
      }
      te.return %C : tensor<8xf32>
    }
    ```

    Shape: one pair (offset : extent) per axis, in elements, over the axes of the extern and
    the function's sizes; the buffer has these extents, but for leading ones of 1, which it
    may leave out, and the tensor's elements without a sign.
    Refused: a box outside the tensor, and demands that cannot be proved, by passes; here,
    another place than the body of an extern, another number of pairs than axes.
    Like: `memref.reinterpret_cast`; match_buffer and buffer_bind_scope of TVM.
    """

    name = "te.buffer"

    traits = traits_def(Pure())

    def verify_(self) -> None:
        if not isinstance(self.parent_op(), Extern):
            raise VerifyException("a te.buffer stands in the body of an extern, in no loop of it")
        if not isinstance(self.tensor.type, TensorType):
            raise VerifyException(f"te.buffer needs a tensor, got {self.tensor.type}")
        rank = len(self.tensor.type.get_shape())
        self.verify_buffer(scalar_type(self.tensor.type), rank)
        for operand in self.operands_:
            if isinstance(operand.owner, Operation):
                name = operand.name_hint or "a value"
                raise VerifyException(f"a box is over axes and the function's sizes, not {name}")
