"""The ops of the `te` dialect for bodies that are no equations."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr, TensorType
from xdsl.ir import Attribute, Operation
from xdsl.irdl import irdl_op_definition, prop_def, traits_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.box_buffers import BoxBufferOp
from teloom.dialects.extern import Extern, ExternParts, parse_extern, print_extern, verify_extern
from teloom.dialects.stage_header import scalar_type


@irdl_op_definition
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

    Shape: one result per argument of the region, of its type.
    Refused: no result, a store to what is not a result, a `te.read`.
    Like: `linalg.generic` in its place; te.extern of TVM.
    """

    name = "te.extern"

    stage_name = prop_def(StringAttr)
    tensors = var_result_def(TensorType)

    traits = traits_def(Pure(), NoTerminator())

    def __init__(self, stage_name: str, parts: ExternParts, result_types: Sequence[Attribute]):
        super().__init__(
            operands=[parts.sizes],
            properties={"stage_name": StringAttr(stage_name), "shapes": parts.shapes},
            regions=[parts.body],
            result_types=[result_types],
        )

    def verify_(self) -> None:
        verify_extern(self, [tensor.type for tensor in self.tensors])

    @classmethod
    def parse(cls, parser: Parser) -> ExternOp:
        name = parser.parse_str_literal("stage name")
        return ExternOp(name, *parse_extern(parser))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.stage_name.data)
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

    Shape: one pair (offset : extent) per axis, in elements, over the function's sizes; the
    buffer has these extents, and the tensor's elements without a sign.
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
                raise VerifyException(f"a box is over the function's sizes, {name} is not one")
