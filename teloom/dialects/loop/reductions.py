"""Reductions into elements of tensor regions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsTerminator,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.interfaces import Access, AccessingOp
from teloom.dialects.loop.control import INDEX
from teloom.dialects.loop.regions import TensorType
from teloom.dialects.syntax.attributes_behind import attributes_behind


@irdl_op_definition
@attributes_behind
class ReduceOp(IRDLOperation, AccessingOp):
    """Combines values with the elements at one place of tensor regions, and stores the results.

    The region takes the elements and then the values. It is associative and commutative: the
    reductions into an element may run in any order, or fold into partial results first, which
    start from the `identity`, if it is known.

    ```mlir
    func.func @largest(%i: index, %v: f32, %at: i32, %m: memref<8xf32>, %n: memref<8xi32>) {
      %M = loop.bind %m [0 : 8] : memref<8xf32>
      %N = loop.bind %n [0 : 8] : memref<8xi32>
      loop.reduce %v, %at into %M, %N[%i] : f32, i32 combine (%x, %p, %y, %q)
          identity [-1.0e+30 : f32, 0 : i32] {
        %larger = arith.cmpf ogt, %x, %y : f32
        %most = arith.select %larger, %x, %y : f32
        %where = arith.select %larger, %p, %q : i32
        loop.yield %most, %where : f32, i32
      }
      func.return
    }
    ```

    Shape: one tensor per value, of its type; one subscript per axis, of all tensors the same.
    Refused: no value, another number of tensors, of subscripts, of yielded values or of constants
    of the identity, another element type.
    Like: `te.compute`'s combiner, `memref.generic_atomic_rmw`.
    """

    name = "loop.reduce"

    values = var_operand_def()
    tensors = var_operand_def(TensorType)
    operands_ = var_operand_def(INDEX)
    map = prop_def(AffineMapAttr)
    identity = opt_prop_def(ArrayAttr)
    combine = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        values: Sequence[SSAValue],
        tensors: Sequence[SSAValue],
        subscripts: Sequence[AffineExpr],
        operands: Sequence[SSAValue],
        combine: Region,
        identity: ArrayAttr | None = None,
    ):
        """`subscripts` are expressions of `operands`; `identity` has a constant per tensor."""
        map, used = affine.pack(subscripts, operands)
        super().__init__(
            operands=[values, tensors, used],
            properties={"map": map, "identity": identity},
            regions=[combine],
        )

    def accesses(self) -> Sequence[Access]:
        first, last = len(self.values), len(self.values) + len(self.tensors) - 1
        # An access finds the operands of its map behind its tensor: only the last tensor has them.
        maps = [None] * (last - first) + [self.map.data]
        return [
            Access(self, first + number, map, reads=True, writes=True)
            for number, map in enumerate(maps)
        ]

    @property
    def subscripts(self) -> Sequence[AffineExpr]:
        """One expression per axis, over `operands_`."""
        return self.map.data.results

    @property
    def combined(self) -> Sequence[SSAValue]:
        """The values that the region yields."""
        assert self.combine.block.last_op is not None
        return self.combine.block.last_op.operands

    def verify_(self) -> None:
        types = [value.type for value in self.values]
        if not types or len(types) != len(self.tensors):
            raise VerifyException(f"{len(types)} values for {len(self.tensors)} tensors")
        affine.verify_map(self.map, self.operands_, "subscript")
        for type, tensor in zip(types, self.tensors, strict=True):
            assert isinstance(tensor.type, TensorType)
            if tensor.type != TensorType.of(len(self.subscripts), type):
                raise VerifyException(
                    f"{type} at {len(self.subscripts)} subscripts is no element of {tensor.type}"
                )
        for what, found, wanted in (
            ("takes", [one.type for one in self.combine.block.args], [*types, *types]),
            ("yields", [one.type for one in self.combined], types),
        ):
            if found != wanted:
                raise VerifyException(f"combine {what} {_list(found)}, expected {_list(wanted)}")
        self._verify_identity(types)

    def _verify_identity(self, types: Sequence[Attribute]) -> None:
        if self.identity is None:
            return
        if len(self.identity) != len(types):
            raise VerifyException(f"{len(self.identity)} identity values for {len(types)} tensors")
        for value, type in zip(self.identity, types, strict=True):
            if not isinstance(value, IntegerAttr | FloatAttr) or value.type != type:
                raise VerifyException(f"identity {value} is not a constant of type {type}")

    @classmethod
    def parse(cls, parser: Parser) -> ReduceOp:
        def parse_operands() -> list[SSAValue]:
            return parser.parse_comma_separated_list(
                parser.Delimiter.NONE, lambda: affine.parse_operand(parser)
            )

        values = parse_operands()
        parser.parse_keyword("into")
        tensors = parse_operands()
        operands = affine.OperandList()
        subscripts = affine.parse_exprs(parser, operands)
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        parser.parse_keyword("combine")
        names = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        if len(names) != 2 * len(types):
            parser.raise_error(f"{len(names)} arguments to combine {len(types)} values")
        arguments = [name.resolve(type) for name, type in zip(names, types * 2, strict=True)]
        identity = None
        if parser.parse_optional_keyword("identity"):
            identity = ArrayAttr(
                parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_attribute)
            )
        combine = parser.parse_region(arguments)
        return ReduceOp(values, tensors, subscripts, operands.values, combine, identity)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.values, printer.print_operand)
        printer.print_string(" into ")
        printer.print_list(self.tensors, printer.print_operand)
        affine.print_exprs(printer, self.subscripts, self.operands_)
        printer.print_string(f" : {_list([value.type for value in self.values])} combine (")
        printer.print_list(self.combine.block.args, printer.print_operand)
        printer.print_string(") ")
        if self.identity is not None:
            printer.print_string("identity [")
            printer.print_list(self.identity, printer.print_attribute)
            printer.print_string("] ")
        printer.print_region(self.combine, print_entry_block_args=False)


def _list(types: Sequence[Attribute]) -> str:
    return ", ".join(map(str, types))


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends the region of a `loop.reduce` and yields the new values of the elements.

    ```mlir
    func.func @count(%data: memref<1xi32>, %n: i32) {
      %C = loop.bind %data [] : memref<1xi32>
      loop.reduce %n into %C[] : i32 combine (%x, %y) {
        %s = arith.addi %x, %y : i32
        loop.yield %s : i32
      }
      func.return
    }
    ```

    Shape: one value per tensor.
    Refused: another number or type of values.
    Like: `linalg.yield`.
    """

    name = "loop.yield"

    results_ = var_operand_def()

    traits = traits_def(IsTerminator(), HasParent(ReduceOp), NoMemoryEffect())

    assembly_format = "($results_^ `:` type($results_))? attr-dict"

    def __init__(self, values: Sequence[SSAValue]):
        super().__init__(operands=[values])


def combining(tensors: Sequence[SSAValue]) -> Block:
    """An empty block whose arguments are elements of these tensors, then values to combine."""
    types: list[Attribute] = []
    for tensor in tensors:
        assert isinstance(tensor.type, TensorType)
        types.append(tensor.type.element_type)
    return Block(arg_types=[*types, *types])
