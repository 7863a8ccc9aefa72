"""The op of the `te` dialect for recurrences over a first axis."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, IndexType, StringAttr, TensorType
from xdsl.ir import Attribute, BlockArgument, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.bodies.equation import yielded
from teloom.dialects.syntax.attributes_behind import attributes_behind
from teloom.dialects.syntax.stage_header import (
    AxisBounds,
    StageHeader,
    parse_result_types,
    print_header,
    verify_axes,
    verify_header,
)
from teloom.dialects.te.extern import ExternOp
from teloom.dialects.te.ops import ComputeOp

INDEX = IndexType()


@irdl_op_definition
@attributes_behind
class ScanOp(IRDLOperation):
    """Tensors whose first axis is time: each step is computed from earlier ones.

    At times below `until` an element is that of `init`, at all others that of the tensor
    that the region yields. The equations of the region read the result through a state,
    which has, at each step, the elements of earlier times.

    ```mlir
    te.func @sums(%m: index, %X: tensor<?x4xf32>[%m, 4]) -> (tensor<?x4xf32>) {
      %first = te.compute "first" (%t = 1, %i = 4) : tensor<1x4xf32> {
        %x = te.read %X[%t, %i] : f32
        te.yield %x : f32
      }
      %S = te.scan "S" (%t = %m, %i = 4) init %first until 1 state %s : tensor<?x4xf32> {
        %next = te.compute "next" (%u = %m, %j = 4) : tensor<?x4xf32> {
          %sum = te.read %s[%u - 1, %j] : f32
          %x = te.read %X[%u, %j] : f32
          %new = arith.addf %sum, %x : f32
          te.yield %new : f32
        }
        te.yield %next : tensor<?x4xf32>
      }
      te.return %S : tensor<?x4xf32>
    }
    ```

    Shape: all results have one, with time first; so have the states, and what is yielded.
    `init` has `until` steps, or more.
    Refused: no axis; an op of the region that is no `te.compute`, nor a `te.extern` with an axis; a
    use of an axis, which only the name of a loop is; by `infer-bounds`, a step that reads a state
    at its own time or at a later one.
    Like: `te.scan` of TVM, `scf.for` with values that it carries.
    """

    name = "te.scan"

    stage_name = prop_def(StringAttr)
    lowers = prop_def(AffineMapAttr)
    uppers = prop_def(AffineMapAttr)
    until_map = prop_def(AffineMapAttr)
    sizes = var_operand_def(INDEX)
    until_sizes = var_operand_def(INDEX)
    inits = var_operand_def(TensorType)
    tensors = var_result_def(TensorType)
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(Pure())

    def __init__(
        self,
        stage_name: str,
        bounds: AxisBounds,
        inits: Sequence[SSAValue],
        until: AffineExpr,
        until_values: Sequence[SSAValue],
        body: Region,
        result_types: Sequence[Attribute],
    ):
        """`until` is over `until_values`; the region's arguments are axes, then states."""
        map, used = affine.pack([until], until_values)
        super().__init__(
            operands=[bounds.operands, used, inits],
            properties={
                "stage_name": StringAttr(stage_name),
                "lowers": bounds.lowers,
                "uppers": bounds.uppers,
                "until_map": map,
            },
            regions=[body],
            result_types=[result_types],
        )

    @property
    def bounds(self) -> AxisBounds:
        return AxisBounds(self.lowers, self.uppers, self.sizes)

    @property
    def axes(self) -> Sequence[BlockArgument]:
        """Time, and the others; only their names count."""
        return self.body.block.args[: len(self.uppers.data.results)]

    @property
    def states(self) -> Sequence[BlockArgument]:
        """The results, as the steps read them."""
        return self.body.block.args[len(self.uppers.data.results) :]

    @property
    def until(self) -> AffineExpr:
        """The first time that is no initial one; dimension k stands for `until_sizes[k]`."""
        return self.until_map.data.results[0]

    @property
    def updates(self) -> Sequence[SSAValue]:
        """What the steps compute, one tensor per result."""
        return yielded(self.body)

    def verify_(self) -> None:
        types = [tensor.type for tensor in self.tensors]
        axes = len(self.uppers.data.results)
        if not axes:
            raise VerifyException("a scan needs an axis, which is time")
        verify_axes(self.bounds, axes)
        verify_header(self.bounds, axes, types)
        if len(self.until_map.data.results) != 1 or self.until_map.data.num_dims != len(
            self.until_sizes
        ):
            raise VerifyException("the map of `until` does not fit its operands")
        arguments = [argument.type for argument in self.body.block.args]
        if arguments != [*[INDEX] * axes, *types]:
            raise VerifyException("the region needs an index per axis, and a state per result")
        if any(any(axis.uses) for axis in self.axes):
            raise VerifyException("an axis of a scan has no uses: its equations have their own")
        self._verify_inits(types)
        self._verify_steps(types)

    def _verify_inits(self, types: Sequence[Attribute]) -> None:
        if len(self.inits) != len(types):
            raise VerifyException(f"{len(self.inits)} inits for {len(types)} results")
        for init, type in zip(self.inits, types, strict=True):
            assert isinstance(init.type, TensorType)
            assert isinstance(type, TensorType)
            if (
                init.type.get_element_type() != type.get_element_type()
                or init.type.get_num_dims() != type.get_num_dims()
            ):
                raise VerifyException(f"an init of type {init.type} for a result of type {type}")

    def _verify_steps(self, types: Sequence[Attribute]) -> None:
        for op in self.body.block.ops:
            if op is self.body.block.last_op:
                continue
            if not isinstance(op, ComputeOp | ExternOp):
                raise VerifyException(
                    f"the steps of a scan are te.computes and te.externs, found {op.name}"
                )
            if isinstance(op, ExternOp) and not op.data_axis_count:
                raise VerifyException("an extern that is a step has an axis, which is time")
            verify_axes(op.bounds, op.data_axes.value.data)
        if self.body.block.last_op is None or self.body.block.last_op.name != "te.yield":
            raise VerifyException("the region must end in te.yield")
        found = [update.type for update in self.updates]
        if found != list(types):
            raise VerifyException(
                f"the region yields ({', '.join(map(str, found))}), "
                f"expected ({', '.join(map(str, types))})"
            )

    @classmethod
    def parse(cls, parser: Parser) -> ScanOp:
        header = StageHeader.parse_of_box(parser)
        parser.parse_keyword("init")
        inits = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, lambda: affine.parse_operand(parser)
        )
        parser.parse_keyword("until")
        operands = affine.OperandList()
        until = affine.parse_expr(parser, operands)
        parser.parse_keyword("state")
        states = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, lambda: parser.parse_argument(expect_type=False)
        )
        place = parser.pos
        parser.parse_punctuation(":")
        types = parse_result_types(parser)
        if len(states) != len(types):
            parser.raise_error(f"{len(states)} states for {len(types)} results", place)
        arguments = [axis.resolve(INDEX) for axis in header.axes]
        arguments += [one.resolve(type) for one, type in zip(states, types, strict=True)]
        body = parser.parse_region(arguments)
        return ScanOp(header.stage_name, header.bounds, inits, until, operands.values, body, types)

    def print(self, printer: Printer) -> None:
        axes = len(self.uppers.data.results)
        print_header(printer, self.stage_name.data, self.axes, axes, self.bounds)
        printer.print_string(" init ")
        printer.print_list(self.inits, printer.print_operand)
        printer.print_string(" until ")
        affine.print_expr(printer, self.until, self.until_sizes)
        printer.print_string(" state ")
        printer.print_list(self.states, printer.print_operand)
        printer.print_string(" : ")
        printer.print_list(self.tensors, lambda t: printer.print_attribute(t.type))
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
