"""The op of the `te` dialect for recurrences over a first axis."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IndexType, StringAttr, TensorType
from xdsl.ir import Attribute, BlockArgument, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
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
from xdsl.utils.lexer import Span

from teloom.dialects.affine import operands as affine
from teloom.dialects.bodies.equation import yielded
from teloom.dialects.bodies.update import parse_states, resolve_states
from teloom.dialects.syntax.attributes_behind import attributes_behind
from teloom.dialects.syntax.shapes import is_static, parse_said_shape, static_shape
from teloom.dialects.syntax.stage_header import (
    ZERO,
    AxisBounds,
    StageHeader,
    print_header,
    verify_axes,
    verify_extents,
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

    Results may also have shapes of their own, which stand in brackets where a type does not say
    them. The axes are then the first ones of all of them. There is no `init`: the region yields
    the elements of all times.

    ```mlir
    te.func @areas(%m: index, %X: tensor<?xf32>[%m]) -> (tensor<?xf32>, tensor<?x4xf32>) {
      %S, %R = te.scan "S" (%t = %m) state %s, %r : tensor<?xf32>[%m], tensor<?x4xf32>[%m, 4] {
        %sum = te.compute "sum" (%u = %m) : tensor<?xf32> {
          %zero = arith.constant 0 : index
          %is_first = arith.cmpi eq, %u, %zero : index
          %total = scf.if %is_first -> (f32) {
            %x = te.read %X[%u] : f32
            scf.yield %x : f32
          } else {
            %before = te.read %s[%u - 1] : f32
            %row = te.read %r[%u - 1, 3] : f32
            %new = arith.addf %before, %row : f32
            scf.yield %new : f32
          }
          te.yield %total : f32
        }
        %rows = te.compute "rows" (%u = %m, %j = 4) : tensor<?x4xf32> {
          %x = te.read %sum[%u] : f32
          te.yield %x : f32
        }
        te.yield %sum, %rows : tensor<?xf32>, tensor<?x4xf32>
      }
      te.return %S, %R : tensor<?xf32>, tensor<?x4xf32>
    }
    ```

    Shape: all results have one, with time first, or as is said; so have the states, and what is
    yielded. `init` has `until` steps, or more.
    Refused: no axis; an `init` of results of different shapes; an op of the region that is no
    `te.compute`, nor a `te.extern` with an axis; a use of an axis, which only the name of a loop
    is; by `infer-bounds`, a step that reads a state at its own time or at a later one.
    Like: `te.scan` of TVM, `scf.for` with values that it carries.
    """

    name = "te.scan"

    stage_name = prop_def(StringAttr)
    lowers = prop_def(AffineMapAttr)
    uppers = prop_def(AffineMapAttr)
    until_map = prop_def(AffineMapAttr)
    shapes = opt_prop_def(ArrayAttr[AffineMapAttr])
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
        shapes: Sequence[Sequence[AffineExpr]] = (),
    ):
        """`until` is over `until_values`; the region's arguments are axes, then states.

        `shapes` are those of the results, over the operands of the bounds, if they are no box of
        the axes.
        """
        count = len(bounds.operands)
        maps = [AffineMapAttr(AffineMap(count, 0, tuple(shape))) for shape in shapes]
        map, used = affine.pack([until], until_values)
        super().__init__(
            operands=[bounds.operands, used, inits],
            properties={
                "stage_name": StringAttr(stage_name),
                "lowers": bounds.lowers,
                "uppers": bounds.uppers,
                "until_map": map,
                "shapes": ArrayAttr(maps) if maps else None,
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

    def shape_of(self, position: int) -> Sequence[AffineExpr]:
        """The extents of result `position`; dimension k stands for `sizes[k]`."""
        if self.shapes is None:
            return [extent for _, extent in self.bounds.box(len(self.axes))]
        return self.shapes.data[position].data.results

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
        if self.shapes is None:
            verify_header(self.bounds, axes, types)
        else:
            self._verify_shapes(self.shapes.data, types)
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

    def _verify_shapes(self, shapes: Sequence[AffineMapAttr], types: Sequence[Attribute]) -> None:
        if self.inits:
            raise VerifyException(
                "a scan whose results have different shapes has no init: its steps say how they "
                "begin"
            )
        if len(shapes) != len(types):
            raise VerifyException(f"{len(shapes)} shapes for {len(types)} results")
        common = [extent for _, extent in self.bounds.box(len(self.axes))]
        if all(len(map.data.results) == len(common) for map in shapes):
            raise VerifyException("results with no other axes than the scan need no shapes")
        for map, type in zip(shapes, types, strict=True):
            assert isinstance(type, TensorType)
            if map.data.num_dims != len(self.sizes):
                raise VerifyException("a shape's map does not fit its operands")
            verify_extents(map.data.results, type)
            if [*map.data.results[: len(common)]] != common:
                raise VerifyException(f"the first axes of {type} are not those of the scan")

    def _verify_inits(self, types: Sequence[Attribute]) -> None:
        if not self.inits:
            if self.until != ZERO:
                raise VerifyException("initial times need an init")
            return
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
        inits: list[SSAValue] = []
        operands, until = affine.OperandList(), ZERO
        if parser.parse_optional_keyword("init"):
            inits = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, lambda: affine.parse_operand(parser)
            )
            parser.parse_keyword("until")
            until = affine.parse_expr(parser, operands)
        states = parse_states(parser)
        place = parser.pos
        parser.parse_punctuation(":")
        sizes = affine.OperandList(header.bounds.operands)
        types, shapes = _parse_results(parser, len(header.axes), sizes)
        arguments = [axis.resolve(INDEX) for axis in header.axes]
        arguments += resolve_states(parser, states, types, place)
        body = parser.parse_region(arguments)
        bounds = header.bounds.over(sizes.values)
        return ScanOp(header.stage_name, bounds, inits, until, operands.values, body, types, shapes)

    def print(self, printer: Printer) -> None:
        axes = len(self.uppers.data.results)
        print_header(printer, self.stage_name.data, self.axes, axes, self.bounds)
        if self.inits:
            printer.print_string(" init ")
            printer.print_list(self.inits, printer.print_operand)
            printer.print_string(" until ")
            affine.print_expr(printer, self.until, self.until_sizes)
        printer.print_string(" state ")
        printer.print_list(self.states, printer.print_operand)
        printer.print_string(" : ")
        printer.print_list(
            range(len(self.tensors)), lambda number: self._print_result(printer, number)
        )
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)

    def _print_result(self, printer: Printer, number: int) -> None:
        type = self.tensors[number].type
        printer.print_attribute(type)
        if self.shapes is not None and not is_static(type):
            affine.print_exprs(printer, self.shape_of(number), self.sizes)


def _parse_results(
    parser: Parser, axes: int, sizes: affine.OperandList
) -> tuple[list[Attribute], list[list[AffineExpr]]]:
    """The types of the results, and their shapes if they have more axes than the scan."""
    types: list[Attribute] = []
    shapes: list[list[AffineExpr] | None] = []
    place = parser.pos

    def parse_result() -> None:
        types.append(parser.parse_type())
        shapes.append(parse_said_shape(parser, sizes))

    parser.parse_comma_separated_list(parser.Delimiter.NONE, parse_result)
    ranks = [type.get_num_dims() for type in types if isinstance(type, TensorType)]
    if shapes == [None] * len(types) and ranks == [axes] * len(types):
        return types, []
    results = Span(place, parser.pos, parser.lexer.input)
    return types, [
        static_shape(parser, type, "a result", results) if shape is None else shape
        for type, shape in zip(types, shapes, strict=True)
    ]
