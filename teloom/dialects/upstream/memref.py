"""The `memref` dialect: xDSL's, and the op and the checks of upstream MLIR's that it lacks."""

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    i32,
)
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.interfaces import Access, AccessingOp, identity

NEAREST = 3
"""The locality of what is wanted in all caches."""


@irdl_op_definition
class PrefetchOp(IRDLOperation, AccessingOp):
    """Start to bring the memory of an element near, for a read or a write to come.

    ```mlir
    %A, %i = "test.op"() : () -> (memref<8x4xf32>, index)
    memref.prefetch %A[%i, %i], read, locality<3>, data : memref<8x4xf32>
    ```

    Shape: one index per axis; the element may be outside of the buffer.
    Refused: another number of indices, a locality that is not in 0 .. 3.
    Like: upstream's.
    """

    name = "memref.prefetch"

    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    isWrite = prop_def(BoolAttr)
    localityHint = prop_def(IntegerAttr.constr(type=i32))
    isDataCache = prop_def(BoolAttr)

    def __init__(
        self,
        memref: SSAValue,
        indices: Sequence[SSAValue],
        *,
        is_write: bool = False,
        locality: int = NEAREST,
        is_data: bool = True,
    ):
        super().__init__(
            operands=[memref, indices],
            properties={
                "isWrite": BoolAttr.from_bool(is_write),
                "localityHint": IntegerAttr(locality, i32),
                "isDataCache": BoolAttr.from_bool(is_data),
            },
        )

    def accesses(self) -> Sequence[Access]:
        return (Access(self, 0, identity(len(self.indices))),)

    def verify_(self) -> None:
        assert isinstance(self.memref.type, MemRefType)
        rank = len(self.memref.type.get_shape())
        if len(self.indices) != rank:
            raise VerifyException(f"{len(self.indices)} indices for {self.memref.type}")
        locality = self.localityHint.value.data
        if not 0 <= locality <= NEAREST:
            raise VerifyException(f"locality {locality}: it must be in 0 .. {NEAREST}")

    @classmethod
    def parse(cls, parser: Parser) -> "PrefetchOp":
        def word(*words: str) -> str:
            return parser.expect(
                lambda: parser.parse_optional_keyword_in(words), f"expected {' or '.join(words)}"
            )

        buffer = parser.parse_unresolved_operand()
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        parser.parse_punctuation(",")
        is_write = word("read", "write") == "write"
        parser.parse_punctuation(",")
        parser.parse_keyword("locality")
        with parser.in_angle_brackets():
            locality = parser.parse_integer(allow_boolean=False, allow_negative=False)
        parser.parse_punctuation(",")
        is_data = word("data", "instr") == "data"
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        op = PrefetchOp(
            parser.resolve_operand(buffer, type),
            [parser.resolve_operand(index, IndexType()) for index in indices],
            is_write=is_write,
            locality=locality,
            is_data=is_data,
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.memref)
        printer.print_string("[")
        printer.print_list(self.indices, printer.print_operand)
        kind = "write" if self.isWrite.value.data else "read"
        cache = "data" if self.isDataCache.value.data else "instr"
        printer.print_string(f"], {kind}, locality<{self.localityHint.value.data}>, {cache}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


class SaysEachAxis(OpTrait):
    """A view says as many offsets, sizes and strides as upstream asks for."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, memref.SubviewOp | memref.ReinterpretCastOp)
        is_subview = isinstance(op, memref.SubviewOp)
        viewed = (op.source if is_subview else op.result).type
        assert isinstance(viewed, MemRefType)
        rank = viewed.get_num_dims()
        offsets = rank if is_subview else 1
        _check_count("offsets", op.static_offsets, offsets, viewed)
        _check_count("sizes", op.static_sizes, rank, viewed)
        _check_count("strides", op.static_strides, rank, viewed)


def _check_count(what: str, said: DenseArrayBase, wanted: int, viewed: MemRefType) -> None:
    if len(said) != wanted:
        raise VerifyException(f"{len(said)} {what} for {viewed}, which needs {wanted}")


memref.SubviewOp.traits.add_trait(SaysEachAxis())
memref.ReinterpretCastOp.traits.add_trait(SaysEachAxis())

MemRef = Dialect("memref", [*memref.MemRef.operations, PrefetchOp], list(memref.MemRef.attributes))
