"""The `arith` dialect: xDSL's, and its ops on vectors that xDSL's own refuse.

Upstream MLIR has all of these lane by lane. The classes here stand for the vector
forms alone: what is written on scalars is built as xDSL's class, which rewrites and
tables know.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import isfinite
from typing import Any, ClassVar

from xdsl import irdl
from xdsl.dialects import arith, builtin
from xdsl.dialects.builtin import IntegerAttr, IntegerType, VectorType, i1, i64
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

INDEX = builtin.IndexType()


# A program says few numbers, each often. As MLIR, we make one attribute of those that are equal.
@lru_cache(4096)
def index_attribute(value: int) -> IntegerAttr:
    """A number of type `index`."""
    return IntegerAttr(value, INDEX)


@lru_cache(4096)
def i64_attribute(value: int) -> IntegerAttr:
    """A number of type `i64`, as of bytes."""
    return IntegerAttr(value, i64)


def constant_op(
    value: IntegerAttr | builtin.FloatAttr | builtin.DenseIntOrFPElementsAttr,
) -> arith.ConstantOp:
    """A constant. xDSL's constructors take several times as long as `create`."""
    return arith.ConstantOp.create(result_types=(value.type,), properties={"value": value})


def fits_lanes(number: IntegerAttr | builtin.FloatAttr) -> bool:
    """Whether xDSL's dense constants hold a number in each lane, and read it back.

    They have elements of 64 bits at most, and an infinity or NaN in them prints as bits.
    """
    type = number.type
    is_wide = not isinstance(type, builtin.IndexType) and type.bitwidth > 64
    return not is_wide and isfinite(number.value.data)


def constant_index(value: int) -> arith.ConstantOp:
    """A constant of type `index`."""
    return constant_op(index_attribute(value))


def elementwise(kind: type[Operation], operands: Sequence[SSAValue]) -> Operation:
    """An op whose result has the type of its first operand, and all else is as usual."""
    return kind.create(operands=operands, result_types=(operands[0].type,))


def zero_of(
    type: Attribute,
) -> builtin.DenseIntOrFPElementsAttr | builtin.FloatAttr | IntegerAttr:
    """The zero of a type of numbers, or of vectors of them."""
    if isinstance(type, VectorType):
        return builtin.DenseIntOrFPElementsAttr.from_list(type, [0])
    if isinstance(type, builtin.AnyFloat):
        return builtin.FloatAttr(0.0, type)
    assert isinstance(type, IntegerType | builtin.IndexType)
    return IntegerAttr(0, type)


IntegerConstr = irdl.base(IntegerType)
IndexConstr = irdl.base(builtin.IndexType) | IntegerConstr


def lanes(element: irdl.AttrConstraint) -> irdl.AttrConstraint:
    """`element` on its own, or a vector of it."""
    return element | VectorType.constr(element)


class LanewiseOp(irdl.IRDLOperation):
    """Base of our ops: an op of the same name, of xDSL's class where it is scalar."""

    SCALAR: ClassVar[type[irdl.IRDLOperation]]

    traits = irdl.traits_def(Pure())

    @classmethod
    def create(cls, **parts: Any) -> Operation:
        # A clone gets its operands later.
        types = [operand.type for operand in parts.get("operands", ())]
        types += parts.get("result_types", ())
        if not any(isinstance(type, VectorType) for type in types):
            return cls.SCALAR.create(**parts)
        return super().create(**parts)

    @classmethod
    def build(cls, **parts: Any) -> irdl.IRDLOperation:
        op = super().build(**parts)
        if any(isinstance(type, VectorType) for type in (*op.operand_types, *op.result_types)):
            return op
        op.drop_all_references()  # it is not the one to stay
        return cls.SCALAR.build(**parts)


def truth_type(type: Attribute) -> Attribute:
    """What a comparison of two values of `type` gives."""
    return VectorType(i1, type.shape) if isinstance(type, VectorType) else i1


class CompareOp(LanewiseOp):
    """Base of the comparisons."""

    result = result_def(lanes(irdl.EqAttrConstraint(i1)))
    predicate = prop_def(IntegerAttr)

    PREDICATES: ClassVar[list[str]]

    def verify_(self) -> None:
        lhs, rhs = self.operands
        if lhs.type != rhs.type or self.result.type != truth_type(lhs.type):
            raise VerifyException(
                f"{self.name} of {lhs.type} and {rhs.type} does not give {self.result.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        place = parser.pos
        word = parser.parse_identifier()
        if word not in cls.PREDICATES:
            parser.raise_error(f"{word} is none of {', '.join(cls.PREDICATES)}", place, parser.pos)
        parser.parse_punctuation(",")
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        predicate = IntegerAttr(cls.PREDICATES.index(word), 64)
        properties: dict[str, Attribute] = {"predicate": predicate}
        if "fastmath" in cls.get_irdl_definition().properties:
            fastmath = arith.FastMathFlagsAttr("none")
            if parser.parse_optional_keyword("fastmath"):
                fastmath = arith.FastMathFlagsAttr(arith.FastMathFlagsAttr.parse_parameter(parser))
            properties["fastmath"] = fastmath
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(
            operands=parser.resolve_operands([lhs, rhs], [type, type], parser.pos),
            result_types=[truth_type(type)],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.PREDICATES[self.predicate.value.data]}, ")
        printer.print_list(self.operands, printer.print_operand)
        fastmath = self.properties.get("fastmath")
        if isinstance(fastmath, arith.FastMathFlagsAttr) and fastmath.data:
            printer.print_string(" fastmath")
            fastmath.print_parameter(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operands[0].type)


@irdl_op_definition
class CmpiOp(CompareOp):
    """Compares integers or indices, lane by lane.

    ```mlir
    %a, %b = "test.op"() : () -> (vector<4xindex>, vector<4xindex>)
    %c = arith.cmpi slt, %a, %b : vector<4xindex>
    ```

    Like: `arith.cmpi` upstream.
    """

    name = "arith.cmpi"
    SCALAR: ClassVar = arith.CmpiOp
    PREDICATES: ClassVar = arith.CMPI_COMPARISON_OPERATIONS

    lhs = operand_def(lanes(IndexConstr))
    rhs = operand_def(lanes(IndexConstr))


@irdl_op_definition
class CmpfOp(CompareOp):
    """Compares floats, lane by lane.

    ```mlir
    %a, %b = "test.op"() : () -> (vector<4xf32>, vector<4xf32>)
    %c = arith.cmpf olt, %a, %b : vector<4xf32>
    ```

    Like: `arith.cmpf` upstream.
    """

    name = "arith.cmpf"
    SCALAR: ClassVar = arith.CmpfOp
    PREDICATES: ClassVar = arith.CMPF_COMPARISON_OPERATIONS

    lhs = operand_def(lanes(builtin.AnyFloatConstr))
    rhs = operand_def(lanes(builtin.AnyFloatConstr))
    fastmath = prop_def(arith.FastMathFlagsAttr, default_value=arith.FastMathFlagsAttr("none"))


@irdl_op_definition
class SelectOp(LanewiseOp):
    """One of two values, chosen for every lane on its own.

    ```mlir
    %c, %a, %b = "test.op"() : () -> (vector<4xi1>, vector<4xf32>, vector<4xf32>)
    %v = arith.select %c, %a, %b : vector<4xi1>, vector<4xf32>
    ```

    Like: `arith.select` upstream.
    """

    name = "arith.select"
    SCALAR: ClassVar = arith.SelectOp

    T: ClassVar = irdl.VarConstraint("T", irdl.AnyAttr())

    cond = operand_def(lanes(irdl.EqAttrConstraint(i1)))
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    def verify_(self) -> None:
        cond, type = self.cond.type, self.result.type
        if isinstance(cond, VectorType) and cond != truth_type(type):
            raise VerifyException(f"{cond} does not choose lanes of {type}")

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        first = parser.parse_type()
        cond = first if parser.parse_optional_punctuation(",") else i1
        type = first if cond is i1 else parser.parse_type()
        return cls.create(
            operands=parser.resolve_operands(operands, [cond, type, type], parser.pos),
            result_types=[type],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if isinstance(self.cond.type, VectorType):
            printer.print_attribute(self.cond.type)
            printer.print_string(", ")
        printer.print_attribute(self.result.type)


class CastOp(LanewiseOp):
    """Base of the conversions: as many lanes out as in."""

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def verify_(self) -> None:
        (source,), (target,) = self.operand_types, self.result_types
        if not isinstance(source, VectorType) or not isinstance(target, VectorType):
            raise VerifyException(f"{self.name} does not turn {source} into {target}")
        _check_lanes(source, target)
        self.verify_elements(source.element_type, target.element_type)

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        """Checks what the types of one lane have to do with each other."""


def _check_lanes(source: VectorType, target: VectorType) -> None:
    if source.shape != target.shape:
        raise VerifyException(f"{source} and {target} have different numbers of lanes")


def _check_index_cast(source: Attribute, target: Attribute) -> None:
    if isinstance(source, builtin.IndexType) == isinstance(target, builtin.IndexType):
        raise VerifyException(f"one of {source} and {target} has to be index")


def _bits(type: Attribute) -> int:
    assert isinstance(type, IntegerType)
    return type.width.data


class ResizeOp(CastOp):
    """Base of the conversions to more or fewer bits."""

    input = operand_def(lanes(IntegerConstr))
    result = result_def(lanes(IntegerConstr))

    WIDER: ClassVar = True

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        larger = _bits(target) - _bits(source)
        if (larger if self.WIDER else -larger) <= 0:
            raise VerifyException(
                f"{target} is not {'wider' if self.WIDER else 'narrower'} than {source}"
            )


class IntegerToFloatOp(CastOp):
    """Base of the conversions of integers to floats."""

    input = operand_def(lanes(IntegerConstr))
    result = result_def(lanes(builtin.AnyFloatConstr))


class FloatToIntegerOp(CastOp):
    """Base of the conversions of floats to integers."""

    input = operand_def(lanes(builtin.AnyFloatConstr))
    result = result_def(lanes(IntegerConstr))


@irdl_op_definition
class ExtSIOp(ResizeOp):
    """Widens signed integers, lane by lane.

    ```mlir
    %a = "test.op"() : () -> vector<4xi8>
    %b = arith.extsi %a : vector<4xi8> to vector<4xi32>
    ```

    Like: `arith.extsi` upstream.
    """

    name = "arith.extsi"
    SCALAR: ClassVar = arith.ExtSIOp


@irdl_op_definition
class ExtUIOp(ResizeOp):
    """Widens unsigned integers, lane by lane.

    ```mlir
    %a = "test.op"() : () -> vector<4xi1>
    %b = arith.extui %a : vector<4xi1> to vector<4xi8>
    ```

    Like: `arith.extui` upstream.
    """

    name = "arith.extui"
    SCALAR: ClassVar = arith.ExtUIOp


@irdl_op_definition
class TruncIOp(ResizeOp):
    """Drops the high bits of integers, lane by lane.

    ```mlir
    %a = "test.op"() : () -> vector<4xi32>
    %b = arith.trunci %a : vector<4xi32> to vector<4xi8>
    ```

    Like: `arith.trunci` upstream.
    """

    name = "arith.trunci"
    SCALAR: ClassVar = arith.TruncIOp

    WIDER: ClassVar = False


@irdl_op_definition
class IndexCastOp(CastOp):
    """Turns indices into signed integers or back, lane by lane.

    ```mlir
    %a = "test.op"() : () -> vector<4xi32>
    %b = arith.index_cast %a : vector<4xi32> to vector<4xindex>
    ```

    Like: `arith.index_cast` upstream.
    """

    name = "arith.index_cast"
    SCALAR: ClassVar = arith.IndexCastOp

    input = operand_def(lanes(IndexConstr))
    result = result_def(lanes(IndexConstr))

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        _check_index_cast(source, target)


@irdl_op_definition
class IndexCastUIOp(irdl.IRDLOperation):
    """Turns indices into unsigned integers or back; xDSL has it neither for scalars nor for lanes.

    ```mlir
    %a = "test.op"() : () -> i8
    %b = arith.index_castui %a : i8 to index
    ```

    Like: `arith.index_castui` upstream.
    """

    name = "arith.index_castui"

    input = operand_def(lanes(IndexConstr))
    result = result_def(lanes(IndexConstr))

    traits = irdl.traits_def(Pure())

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def verify_(self) -> None:
        source, target = self.input.type, self.result.type
        if isinstance(source, VectorType) and isinstance(target, VectorType):
            _check_lanes(source, target)
            source, target = source.element_type, target.element_type
        _check_index_cast(source, target)


@irdl_op_definition
class SIToFPOp(IntegerToFloatOp):
    """Turns signed integers into floats, lane by lane.

    ```mlir
    %a = "test.op"() : () -> vector<4xi32>
    %b = arith.sitofp %a : vector<4xi32> to vector<4xf32>
    ```

    Like: `arith.sitofp` upstream.
    """

    name = "arith.sitofp"
    SCALAR: ClassVar = arith.SIToFPOp


@irdl_op_definition
class UIToFPOp(IntegerToFloatOp):
    """Turns unsigned integers into floats, lane by lane.

    ```mlir
    %a = "test.op"() : () -> vector<4xi32>
    %b = arith.uitofp %a : vector<4xi32> to vector<4xf32>
    ```

    Like: `arith.uitofp` upstream.
    """

    name = "arith.uitofp"
    SCALAR: ClassVar = arith.UIToFPOp


@irdl_op_definition
class FPToSIOp(FloatToIntegerOp):
    """Turns floats into signed integers, rounding towards zero, lane by lane.

    ```mlir
    %a = "test.op"() : () -> vector<4xf32>
    %b = arith.fptosi %a : vector<4xf32> to vector<4xi32>
    ```

    Like: `arith.fptosi` upstream.
    """

    name = "arith.fptosi"
    SCALAR: ClassVar = arith.FPToSIOp


@irdl_op_definition
class FPToUIOp(FloatToIntegerOp):
    """Turns floats into unsigned integers, rounding towards zero, lane by lane.

    ```mlir
    %a = "test.op"() : () -> vector<4xf32>
    %b = arith.fptoui %a : vector<4xf32> to vector<4xi32>
    ```

    Like: `arith.fptoui` upstream.
    """

    name = "arith.fptoui"
    SCALAR: ClassVar = arith.FPToUIOp


_CASTS = (ExtSIOp, ExtUIOp, TruncIOp, IndexCastOp, SIToFPOp, UIToFPOp, FPToSIOp, FPToUIOp)

CASTS = (
    *(kind.SCALAR for kind in _CASTS if kind is not IndexCastOp),
    arith.ExtFOp,
    arith.TruncFOp,
)
"""Ops that convert one number of a type that arrays have; they make zero of zero."""

_COMMUTATIVE = (
    arith.AddiOp,
    arith.MuliOp,
    arith.AndIOp,
    arith.OrIOp,
    arith.XOrIOp,
    arith.MinSIOp,
    arith.MaxSIOp,
    arith.MinUIOp,
    arith.MaxUIOp,
    arith.AddfOp,
    arith.MulfOp,
    arith.MinimumfOp,
    arith.MaximumfOp,
    arith.MinnumfOp,
    arith.MaxnumfOp,
)
"""Ops of two operands, whose order makes no difference."""

_EVEN = frozenset("eq ne oeq one ord ueq une uno".split())
"""The comparisons whose answer is that for the operands in the other order."""


def is_commutative(op: Operation) -> bool:
    """Whether an op gives the same for its operands in the other order.

    NaNs and signed zeros count alike.
    """
    match op:
        case arith.CmpiOp():
            return arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data] in _EVEN
        case arith.CmpfOp():
            return arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data] in _EVEN
    return isinstance(op, _COMMUTATIVE)


LANEWISE: dict[type[Operation], type[LanewiseOp]] = {
    kind.SCALAR: kind for kind in (CmpiOp, CmpfOp, SelectOp, *_CASTS)
}
"""Our class for the vector form of an op, by xDSL's class for the scalar one."""

Arith = Dialect(
    "arith",
    [*(LANEWISE.get(op, op) for op in arith.Arith.operations), IndexCastUIOp],
    list(arith.Arith.attributes),
)
