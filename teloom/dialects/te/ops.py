"""The `te` dialect: producer-consumer equations over index domains (level 1)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    StringAttr,
    SymbolNameConstraint,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.affine.canonical import canonical
from teloom.dialects.bodies.equation import (
    Equation,
    EquationParts,
    parse_parts,
    print_parts,
    verify_equation,
)
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.faults import OpFault
from teloom.dialects.syntax.argument_names import argument_names
from teloom.dialects.syntax.attributes_behind import attributes_behind
from teloom.dialects.syntax.placements import (
    USUAL,
    Placement,
    parse_placement,
    print_placement,
    verify_maps,
    verify_placement,
)
from teloom.dialects.syntax.shapes import is_static, parse_shape
from teloom.dialects.syntax.stage_header import (
    AxisBounds,
    StageHeader,
    parse_result_types,
    print_header,
    scalar_type,
    verify_extents,
    verify_header,
)
from teloom.dialects.syntax.upstream_text import print_location
from teloom.dialects.upstream.arith import i64_attribute

INDEX = IndexType()


def _is_size(argument: SSAValue) -> bool:
    return argument.type == INDEX


@irdl_op_definition
@attributes_behind
class FuncOp(IRDLOperation):
    """A tensor program: tensors in, tensors out, and the equations between.

    Leading `index` arguments are sizes: they are non-negative. A tensor argument with
    dynamic dimensions states its shape in brackets, as affine expressions of sizes.
    The function is called with its tensor arguments and then its results, in that
    order; `order [...]` gives another, numbering arguments (sizes included), then
    results. Sizes that are not in the order are found from the arrays.

    `strides [...]` behind a tensor or a result says how many elements neighbours on each
    axis are apart in the caller's array, `offset` how many the first one lies behind the
    start of its memory, `factor` of what that is a multiple, and `aligned` of how many
    bytes the start is. Without them an array is row-major, with no gaps. `layout` behind an
    argument says that it is so in the physical coordinates that the map gives. `broadcast` says
    that an array of one element on an axis stands for any number, by the stride 0.

    ```mlir
    te.func @sum(%n: index, %s: index, %A: tensor<?x4xf32>[%n, 4] strides [%s, 1] aligned 64,
        %B: tensor<?x4xf32>[%n, 4] layout affine_map<(d0, d1) -> (d1, d0)>)
        -> (tensor<?x4xf32> strides [1, %n]) {
      %C = te.compute "C" (%i = %n, %j = 4) : tensor<?x4xf32> {
        %a = te.read %A[%i, %j] : f32
        %b = te.read %B[%i, %j] : f32
        %c = arith.addf %a, %b : f32
        te.yield %c : f32
      }
      te.return %C : tensor<?x4xf32>
    }
    ```

    Shape: argument k has the extents in brackets, in elements.
    Refused: a size after a tensor, a shape whose constants differ from the type's; another
    number of strides than axes, stride 0 of a result, an alignment that is no power of
    two, an offset that is negative or no multiple of its factor; a layout of another number
    of axes, or of a result; a broadcast of a result, or without strides.
    Like: `func.func`, `decl_buffer` of TVM.
    """

    name = "te.func"

    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    shapes = prop_def(ArrayAttr[AffineMapAttr])
    order = opt_prop_def(DenseArrayBase.constr(i64))
    placements = opt_prop_def(ArrayAttr[DictionaryAttr])
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        function_type: FunctionType,
        shapes: Sequence[AffineMapAttr],
        body: Region,
        order: Sequence[int] | None = None,
        placements: Sequence[Placement] = (),
    ):
        """`placements` are of the tensors, then of the results; without any all are usual."""
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "function_type": function_type,
                "shapes": ArrayAttr(shapes),
                "order": None if order is None else DenseArrayBase.from_list(i64, list(order)),
            },
            regions=[body],
        )
        self.place(placements)

    @property
    def sizes(self) -> Sequence[SSAValue]:
        """The leading index arguments."""
        return [*takewhile(_is_size, self.body.block.args)]

    @property
    def size_names(self) -> list[str]:
        """The names of the sizes, each another one."""
        return argument_names(self)[: len(self.sizes)]

    def name_of_size(self, size: SSAValue) -> str:
        """The name of one of the sizes in messages."""
        return self.size_names[self.sizes.index(size)]

    @property
    def tensors(self) -> Sequence[SSAValue]:
        """The tensor arguments, behind the sizes."""
        return self.body.block.args[len(self.sizes) :]

    def add_size(self, name: str) -> SSAValue:
        """Adds a size behind the others, which no shape names; the call has to pass it."""
        count, inputs = len(self.sizes), [*self.function_type.inputs]
        size = self.body.block.insert_arg(INDEX, count)
        size.name_hint = name
        outputs = self.function_type.outputs.data
        self.function_type = FunctionType.from_lists(
            [*inputs[:count], INDEX, *inputs[count:]], outputs
        )
        self.shapes = ArrayAttr(
            AffineMapAttr(AffineMap(count + 1, 0, shape.data.results)) for shape in self.shapes
        )
        return size

    def replace_size(self, position: int, extent: AffineExpr) -> None:
        """Takes a size away that shapes alone name, and has `extent` in its place.

        In the extent, dimension k stands for size k, as before. Types of tensors stay as they are.
        """
        count = len(self.sizes)
        dims = [AffineExpr.dimension(k - (k > position)) for k in range(count)]
        dims[position] = extent.replace_dims_and_symbols(dims, ())
        shapes = (
            [one.replace_dims_and_symbols(dims, ()) for one in map.data.results]
            for map in self.shapes
        )
        self.shapes = ArrayAttr(
            AffineMapAttr(AffineMap(count - 1, 0, tuple(map(canonical, shape)))) for shape in shapes
        )
        self.body.block.erase_arg(self.body.block.args[position])

    def shape_of(self, position: int) -> tuple[AffineExpr, ...]:
        """Extents of tensor argument `position`; dimension k stands for size k."""
        return self.shapes.data[position].data.results

    def place(self, placements: Sequence[Placement]) -> None:
        """Sets how tensors, then results, lie in memory; dimension k stands for size k."""
        said = [DictionaryAttr(one.attributes(len(self.sizes))) for one in placements]
        self.placements = ArrayAttr(said) if any(one.data for one in said) else None

    def placement_of(self, position: int) -> Placement:
        """How tensor argument `position` lies in memory; results count on from the tensors."""
        if self.placements is None:
            return USUAL
        dims = [AffineExpr.dimension(k) for k in range(len(self.sizes))]
        said = Placement.of(self.placements.data[position])
        return said.over(lambda expr: expr.replace_dims_and_symbols((), dims))

    @property
    def return_op(self) -> ReturnOp:
        last = self.body.block.last_op
        assert isinstance(last, ReturnOp)
        return last

    def verify_(self) -> None:
        arguments = self.body.block.args
        inputs = self.function_type.inputs.data
        if tuple(arg.type for arg in arguments) != inputs:
            raise VerifyException("the entry block's arguments differ from the type's")
        sizes = len(self.sizes)
        if any(arg.type == INDEX for arg in arguments[sizes:]):
            raise VerifyException("sizes come before tensors")
        tensors = inputs[sizes:]
        if len(self.shapes) != len(tensors):
            raise VerifyException(f"{len(self.shapes)} shapes for {len(tensors)} tensor arguments")
        for position, type in enumerate(tensors):
            if not isinstance(type, TensorType):
                raise VerifyException(f"argument of type {type} is not a tensor")
            map = self.shapes.data[position].data
            if map.num_dims != sizes:
                raise VerifyException(
                    f"shape {position} is over {map.num_dims} sizes, the function has {sizes}"
                )
            verify_extents(map.results, type)
        last = self.body.block.last_op
        if not isinstance(last, ReturnOp):
            raise VerifyException("a te.func must end in te.return")
        returned = tuple(value.type for value in last.values)
        if returned != self.function_type.outputs.data:
            raise VerifyException("te.return's types differ from the function's results")
        self._verify_order()
        self._verify_returned(last)
        self._verify_placements(last)
        self._verify_stage_names()

    def _verify_placements(self, last: ReturnOp) -> None:
        if self.placements is None:
            return
        values = [*self.tensors, *last.values]
        if len(self.placements) != len(values):
            raise VerifyException(
                f"{len(self.placements)} placements for {len(values)} tensors and results"
            )
        for said in self.placements:
            verify_maps(said, len(self.sizes))
        for position, value in enumerate(values):
            written = position >= len(self.tensors)
            kind = "result" if written else "argument"
            assert isinstance(value.type, TensorType)
            name = value.name_hint or f"{kind} {position}"
            verify_placement(self.placement_of(position), value.type.get_shape(), name, written)

    def _verify_returned(self, last: ReturnOp) -> None:
        for position, value in enumerate(last.values):
            name = value.name_hint or f"result {position}"
            if isinstance(value.owner, Block):
                raise VerifyException(f"returns its argument {name}; compute a copy of it")
            if value in last.values[:position]:
                raise VerifyException(f"returns {name} twice; compute a copy of it")

    def _verify_stage_names(self) -> None:
        names: set[str] = set()
        for op in preorder(self.body):
            name = op.properties.get("stage_name")
            # Memory of an extern's body has a name, too, but gives no tensor.
            if not isinstance(name, StringAttr) or not isinstance(op.results[0].type, TensorType):
                continue
            if name.data in names:
                raise OpFault(f'two stages are named "{name.data}"', op)
            names.add(name.data)

    def _verify_order(self) -> None:
        if self.order is None:
            return
        count = len(self.body.block.args) + len(self.return_op.values)
        order = list(self.order.get_values())
        needed = set(range(len(self.sizes), count))
        if len(set(order)) != len(order) or not needed <= set(order) <= set(range(count)):
            raise VerifyException(
                f"order {order} must name each of {min(needed, default=0)}.."
                f"{count - 1} once (sizes before it may be left out)"
            )

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        name = parser.parse_symbol_name().data
        sizes: list[str] = []
        shapes: list[AffineMap] = []
        placements: list[Placement] = []

        def parse_argument() -> Parser.Argument:
            argument = parser.parse_argument()
            if argument.type == INDEX:
                sizes.append(argument.name.text)
                argument.location = parser.parse_optional_location()
                return argument
            extents = parse_shape(parser, argument, "argument", _SizeNames(sizes))
            shapes.append(AffineMap(len(sizes), 0, tuple(extents)))
            placements.append(parse_placement(parser, _SizeNames(sizes)))
            argument.location = parser.parse_optional_location()
            return argument

        def parse_result() -> Attribute:
            type = parser.parse_type()
            placements.append(parse_placement(parser, _SizeNames(sizes)))
            return type

        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_argument)
        parser.parse_punctuation("->")
        outputs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_result)
        order = None
        if parser.parse_optional_keyword("order"):
            order = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        body = parser.parse_region(arguments)
        inputs = [argument.type for argument in arguments]
        padded = [AffineMapAttr(AffineMap(len(sizes), 0, shape.results)) for shape in shapes]
        return FuncOp(
            name, FunctionType.from_lists(inputs, outputs), padded, body, order, placements
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string("(")
        sizes = self.sizes

        def print_argument(position: int) -> None:
            argument = self.body.block.args[position]
            printer.print_operand(argument)
            printer.print_string(": ")
            printer.print_attribute(argument.type)
            number = position - len(sizes)
            if number >= 0:
                if not is_static(argument.type):
                    affine.print_exprs(printer, self.shape_of(number), sizes)
                print_placement(printer, self.placement_of(number), sizes)
            print_location(printer, argument)

        def print_result(position: int) -> None:
            printer.print_attribute(self.function_type.outputs.data[position])
            print_placement(printer, self.placement_of(len(self.tensors) + position), sizes)

        printer.print_list(range(len(self.body.block.args)), print_argument)
        printer.print_string(") -> (")
        printer.print_list(range(len(self.function_type.outputs)), print_result)
        printer.print_string(") ")
        if self.order is not None:
            printer.print_string("order [")
            printer.print_list(self.order.get_values(), lambda n: printer.print_string(str(n)))
            printer.print_string("] ")
        printer.print_region(self.body, print_entry_block_args=False)


class _SizeNames(affine.OperandList):
    """Sizes by name, for expressions parsed before the arguments are values."""

    def __init__(self, names: Sequence[str]):
        super().__init__()
        self.names = names

    def parse(self, parser: Parser) -> AffineExpr:
        found = parser.parse_unresolved_operand()
        name = f"%{found.operand_name}"
        if name not in self.names:
            parser.raise_error(
                f"{name} is not a size of this function; its sizes: "
                f"{', '.join(self.names) or 'none'}",
                found.span,
            )
        return AffineExpr.dimension(self.names.index(name))


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """The results of a `te.func`, each a tensor computed in it.

    ```mlir
    te.func @nothing() -> () {
      te.return
    }
    ```

    Shape: one operand per function result, of its type.
    Refused: outside `te.func`.
    Like: `func.return`.
    """

    name = "te.return"

    values = var_operand_def(TensorType)

    traits = traits_def(IsTerminator(), HasParent(FuncOp))

    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, values: Sequence[SSAValue]):
        Operation.__init__(self, operands=values)


@irdl_op_definition
@attributes_behind
class ComputeOp(Equation):
    """A tensor given by an equation: its value at every point of its axes.

    Data axes run from 0 to their extent; reduce axes over `lower to upper`, or from 0. Behind them,
    `where (%i - %j >= 0)` leaves out points of data axes, which are then no elements.
    With reduce axes the value at a point is the fold of the body over them, in
    lexicographic order, by the combine region, starting from the init region or,
    without one, from the identity. A fold that has an init may say no identity. Then its body may
    yield more than the values, for further arguments of the combine region: what is the same at all
    points of one fold.

    ```mlir
    te.func @row_sum(%A: tensor<4x8xf32>) -> (tensor<4xf32>) {
      %S = te.compute "S" (%i = 4) reduce (%k = 8) : tensor<4xf32> {
        %a = te.read %A[%i, %k] : f32
        te.yield %a : f32
      } combine (%x: f32, %y: f32) identity [0.0 : f32] {
        %s = arith.addf %x, %y : f32
        te.yield %s : f32
      }
      te.return %S : tensor<4xf32>
    }
    ```

    Shape: every result has one dimension per data axis, of that axis's extent.
    Refused: results of different shapes, a body that yields another element type, a domain over
    reduce axes.
    Like: `linalg.generic`; te.compute of TVM.
    """

    name = "te.compute"

    stage_name = prop_def(StringAttr)
    lowers = prop_def(AffineMapAttr)
    uppers = prop_def(AffineMapAttr)
    domain = opt_prop_def(AffineSetAttr)
    data_axes = prop_def(IntegerAttr)
    sizes = var_operand_def(INDEX)
    tensors = var_result_def(TensorType)

    traits = traits_def(Pure())

    def __init__(
        self,
        stage_name: str,
        bounds: AxisBounds,
        data_axes: int,
        parts: EquationParts,
        result_types: Sequence[Attribute],
    ):
        super().__init__(
            parts,
            operands=[bounds.operands],
            properties={
                "stage_name": StringAttr(stage_name),
                "lowers": bounds.lowers,
                "uppers": bounds.uppers,
                "domain": bounds.domain,
                "data_axes": i64_attribute(data_axes),
            },
            result_types=[result_types],
        )

    @property
    def bounds(self) -> AxisBounds:
        return AxisBounds(self.lowers, self.uppers, self.sizes, self.domain)

    def verify_(self) -> None:
        verify_header(
            self.bounds,
            self.data_axes.value.data,
            [tensor.type for tensor in self.tensors],
        )
        verify_equation(
            self,
            len(self.lowers.data.results),
            self.data_axes.value.data,
            [scalar_type(tensor.type) for tensor in self.tensors],
        )

    @classmethod
    def parse(cls, parser: Parser) -> ComputeOp:
        header = StageHeader.parse(parser)
        parser.parse_punctuation(":")
        types = parse_result_types(parser)
        parts = parse_parts(parser, [name.resolve(INDEX) for name in header.axes])
        return ComputeOp(header.stage_name, header.bounds, header.data_axes, parts, types)

    def print(self, printer: Printer) -> None:
        print_header(
            printer,
            self.stage_name.data,
            self.body.block.args,
            self.data_axes.value.data,
            self.bounds,
        )
        printer.print_string(" : ")
        printer.print_list(self.tensors, lambda t: printer.print_attribute(t.type))
        print_parts(printer, self)


def verify_subscripts(tensor: SSAValue, map: AffineMap, operands: Sequence[SSAValue]) -> None:
    """Raises VerifyException unless a map of operands has a subscript for each axis of a tensor."""
    assert isinstance(tensor.type, TensorType)
    rank = len(tensor.type.get_shape())
    if len(map.results) != rank:
        raise VerifyException(f"{len(map.results)} subscripts for the {rank} axes of {tensor.type}")
    if map.num_dims != len(operands):
        raise VerifyException("the subscripts' map does not fit their operands")


@irdl_op_definition
class ReadOp(IRDLOperation):
    """One element of a tensor, at affine subscripts.

    A subscript is an affine expression of axes, sizes and any other index values; one
    of the last kind makes the read a gather.

    ```mlir
    te.func @gather(%A: tensor<9x4xf32>, %B: tensor<5xi32>) -> (tensor<5x4xf32>) {
      %G = te.compute "G" (%i = 5, %j = 4) : tensor<5x4xf32> {
        %b = te.read %B[%i] : i32
        %row = arith.index_cast %b : i32 to index
        %a = te.read %A[%row, %j] : f32
        te.yield %a : f32
      }
      te.return %G : tensor<5x4xf32>
    }
    ```

    Shape: one subscript per dimension of the tensor; the result is its element type,
    without a sign (`tensor<4xui8>` gives `i8`).
    Refused: another number of subscripts, another result type.
    Like: `tensor.extract` with the subscripts of `affine.load`.
    """

    name = "te.read"

    tensor = operand_def(TensorType)
    operands_ = var_operand_def(INDEX)
    map = prop_def(AffineMapAttr)
    value = result_def()

    traits = traits_def(Pure())

    def __init__(self, tensor: SSAValue, map: AffineMapAttr, operands: Sequence[SSAValue]):
        assert isinstance(tensor.type, TensorType)
        Operation.__init__(
            self,
            operands=[tensor, *operands],
            properties={"map": map},
            result_types=[scalar_type(tensor.type)],
        )

    def verify_(self) -> None:
        verify_subscripts(self.tensor, self.map.data, self.operands_)
        if self.value.type != scalar_type(self.tensor.type):
            raise VerifyException(f"reads {self.value.type} from {self.tensor.type}")

    @classmethod
    def parse(cls, parser: Parser) -> ReadOp:
        place = parser.pos
        tensor = affine.parse_operand(parser)
        if not isinstance(tensor.type, TensorType):
            parser.raise_error(f"te.read needs a tensor, got {tensor.type}", place, parser.pos)
        operands = affine.OperandList()
        exprs = affine.parse_exprs(parser, operands)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        place = parser.pos
        type = parser.parse_type()
        read = ReadOp(tensor, affine.map_of(exprs, operands.values), operands.values)
        if type != read.value.type:
            parser.raise_error(
                f"te.read of {tensor.type} gives {read.value.type}, not {type}", place, parser.pos
            )
        read.attributes.update(attributes)
        return read

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.tensor)
        affine.print_exprs(printer, self.map.data.results, self.operands_)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)


@irdl_op_definition
@attributes_behind
class BoundedOp(IRDLOperation):
    """A value with bounds that the program promises: a subscript computed from data.

    ```mlir
    te.func @band(%A: tensor<9x64xf32>, %B: tensor<9xi32>) -> (tensor<9xf32>) {
      %G = te.compute "G" (%i = 9) : tensor<9xf32> {
        %b = te.read %B[%i] : i32
        %near = arith.index_cast %b : i32 to index
        %column = te.bounded %near in %i to %i + 16
        %a = te.read %A[%i, %column] : f32
        te.yield %a : f32
      }
      te.return %G : tensor<9xf32>
    }
    ```

    Shape: the value, from the lower bound up to the upper one, which is excluded; both
    are affine expressions of axes, sizes and other index values.
    Refused: by the interpreter, a value that is not there; compiled code does not look.
    Like: `promise_clamped` of Halide.
    """

    name = "te.bounded"

    value = operand_def(INDEX)
    operands_ = var_operand_def(INDEX)
    map = prop_def(AffineMapAttr)
    bounded = result_def(INDEX)

    traits = traits_def(Pure())

    def __init__(self, value: SSAValue, bounds: AffineMapAttr, operands: Sequence[SSAValue]):
        """`bounds` has two results, over `operands`."""
        super().__init__(
            operands=[value, operands], properties={"map": bounds}, result_types=[INDEX]
        )

    def verify_(self) -> None:
        if len(self.map.data.results) != 2 or self.map.data.num_dims != len(self.operands_):
            raise VerifyException("the bounds' map does not fit its operands")

    @classmethod
    def parse(cls, parser: Parser) -> BoundedOp:
        value = affine.parse_operand(parser)
        parser.parse_keyword("in")
        operands = affine.OperandList()
        lower = affine.parse_expr(parser, operands)
        parser.parse_keyword("to")
        upper = affine.parse_expr(parser, operands)
        return BoundedOp(value, affine.map_of([lower, upper], operands.values), operands.values)

    def print(self, printer: Printer) -> None:
        lower, upper = self.map.data.results
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(" in ")
        affine.print_expr(printer, lower, self.operands_)
        printer.print_string(" to ")
        affine.print_expr(printer, upper, self.operands_)


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The scalars that a region of an equation gives, one per result.

    ```mlir
    te.func @ones() -> (tensor<4xf32>) {
      %A = te.compute "A" (%i = 4) : tensor<4xf32> {
        %one = arith.constant 1.0 : f32
        te.yield %one : f32
      }
      te.return %A : tensor<4xf32>
    }
    ```

    Shape: one scalar per result of the enclosing equation.
    Refused: another number or type of scalars.
    Like: `linalg.yield`.
    """

    name = "te.yield"

    values = var_operand_def()

    traits = traits_def(IsTerminator(), Pure())

    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, values: Sequence[SSAValue]):
        Operation.__init__(self, operands=values)
