"""Intrinsics: an equation, and code that computes the same on buffers."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from xdsl.dialects.builtin import StringAttr, SymbolNameConstraint
from xdsl.ir import Region, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, region_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.syntax.attributes_behind import attributes_behind
from teloom.dialects.syntax.shapes import is_static
from teloom.dialects.syntax.upstream_text import parse_argument
from teloom.dialects.te.extern import BufferOp, ExternOp
from teloom.dialects.te.ops import ComputeOp, YieldOp


class Form(StrEnum):
    """What the code of an intrinsic does with its results."""

    BODY = "body"
    """Fills them with what the equation says."""
    RESET = "reset"
    """Fills them with the identity of the equation."""
    UPDATE = "update"
    """Combines what is there with what the equation says."""


@irdl_op_definition
@attributes_behind
class IntrinsicOp(IRDLOperation):
    """Code that does what an equation over some tensors says, for `schedule.tensorize`.

    The region's arguments are the tensors that the equation reads. It holds the equation and up to
    three externs, whose names say what they do: `"body"` computes the equation, `"reset"` fills the
    results with its identity, and `"update"` combines the results with it. The types of their
    buffers demand how the elements of a tile lie in memory. A `te.yield` of all of them ends the
    region, and is not printed.

    ```mlir
    te.intrinsic @dot4 (%x: tensor<4xf32>, %y: tensor<4xf32>) {
      %z = te.compute "z" () reduce (%k = 4) : tensor<f32> {
        %0 = te.read %x[%k] : f32
        %1 = te.read %y[%k] : f32
        %2 = arith.mulf %0, %1 : f32
        te.yield %2 : f32
      } combine (%s: f32, %t: f32) identity [0.0 : f32] {
        %0 = arith.addf %s, %t : f32
        te.yield %0 : f32
      }
      %update = te.extern "update" (%out: tensor<f32>) {
        %a = te.buffer %x[0 : 4] : memref<4xf32, strided<[1], offset: ?>>
        %b = te.buffer %y[0 : 4] : memref<4xf32, strided<[1], offset: ?>>
        %c = te.buffer %out[] : memref<f32, strided<[], offset: ?>>
        %0 = arith.constant 0 : index
        %v = vector.load %a[%0] : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
        %w = vector.load %b[%0] : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
        %p = arith.mulf %v, %w : vector<4xf32>
        %old = memref.load %c[] : memref<f32, strided<[], offset: ?>>
        %new = vector.reduction <add>, %p, %old : vector<4xf32> into f32
        memref.store %new, %c[] : memref<f32, strided<[], offset: ?>>
      }
    }
    ```

    Shape: all tensors are static; the externs fill tensors of the equation's types.
    Refused: another number of equations than one, an equation with `init` or with bounds over
    axes; an extern of another name, with axes, or of another type; a reset that reads; neither a
    body nor an update.
    Like: `te.decl_tensor_intrin` and `TensorIntrin` of TVM.
    """

    name = "te.intrinsic"

    sym_name = prop_def(SymbolNameConstraint())
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(self, name: str, body: Region):
        """The region may lack its `te.yield`."""
        block = body.block
        if not isinstance(block.last_op, YieldOp):
            block.add_op(YieldOp([tensor for op in block.ops for tensor in op.results]))
        super().__init__(properties={"sym_name": StringAttr(name)}, regions=[body])

    @property
    def inputs(self) -> Sequence[SSAValue]:
        """The tensors that the equation reads."""
        return self.body.block.args

    @property
    def equation(self) -> ComputeOp:
        return next(op for op in self.body.block.ops if isinstance(op, ComputeOp))

    def code(self, form: Form) -> ExternOp | None:
        """The code of a form, if there is any."""
        externs = (op for op in self.body.block.ops if isinstance(op, ExternOp))
        return next((op for op in externs if op.stage_name.data == form), None)

    def verify_(self) -> None:
        *ops, last = self.body.block.ops
        made = [tensor for op in ops for tensor in op.results]
        if not isinstance(last, YieldOp) or [*last.operands] != made:
            raise VerifyException("an intrinsic ends in a te.yield of all that is defined in it")
        equations = [op for op in ops if isinstance(op, ComputeOp)]
        externs = [op for op in ops if isinstance(op, ExternOp)]
        if len(equations) != 1 or len(equations) + len(externs) != len(ops):
            raise VerifyException(
                "an intrinsic holds one te.compute and te.externs that do the same"
            )
        types = [*(one.type for one in self.inputs), *(one.type for one in equations[0].tensors)]
        if not all(map(is_static, types)):
            raise VerifyException("the tensors of an intrinsic are static")
        bounds = equations[0].bounds
        if equations[0].data_bounded or bounds.over_axes() or bounds.domain is not None:
            raise VerifyException("the axes of an intrinsic have constant bounds")
        if equations[0].has_init:
            raise VerifyException("the equation of an intrinsic starts from its identity")
        for op in externs:
            self._verify_code(op, equations[0])
        names = [op.stage_name.data for op in externs]
        if len(set(names)) < len(names):
            raise VerifyException("an intrinsic has each of body, reset and update at most once")
        if not {Form.BODY, Form.UPDATE}.intersection(names):
            raise VerifyException('an intrinsic needs an extern "body" or "update"')

    def _verify_code(self, op: ExternOp, equation: ComputeOp) -> None:
        name = op.stage_name.data
        if name not in list(Form):
            raise VerifyException(
                f"an extern of an intrinsic is named {', '.join(Form)}, not {name}"
            )
        if op.axes:
            raise VerifyException(f"the {name} of an intrinsic has no axes")
        if [one.type for one in op.tensors] != [one.type for one in equation.tensors]:
            raise VerifyException(f"the {name} of an intrinsic fills what its equation does")
        reads = (one for one in op.body.block.ops if isinstance(one, BufferOp))
        if name == Form.RESET and any(one.tensor in self.inputs for one in reads):
            raise VerifyException("the reset of an intrinsic reads nothing")
        if name != Form.BODY and not equation.is_reduction:
            raise VerifyException(f"the {name} of an intrinsic needs an equation that reduces")

    @classmethod
    def parse(cls, parser: Parser) -> IntrinsicOp:
        name = parser.parse_symbol_name().data
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parse_argument(parser)
        )
        return IntrinsicOp(name, parser.parse_region(arguments))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" (")
        printer.print_list(self.inputs, printer.print_block_argument)
        printer.print_string(") ")
        printer.print_region(self.body, print_entry_block_args=False, print_block_terminators=False)
