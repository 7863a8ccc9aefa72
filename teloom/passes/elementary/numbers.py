"""Arithmetic on values of IR, written as arithmetic: `fma(x, y, z)`, `a < b`, `x + y`.

What is written here is what runs: in a function of `expand-math` nothing else is fused, so that
a scalar and a lane of a vector have the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from struct import pack, unpack
from typing import Any, ClassVar, NamedTuple

from xdsl.dialects import arith, builtin, llvm
from xdsl.dialects import math as math_dialect
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, VectorType
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue

from teloom.analysis.scaling import ROUNDED_AS_SAID, mask_type, scaling_instruction
from teloom.dialects.target import ANY_CPU, Target
from teloom.dialects.upstream.arith import LANEWISE
from teloom.dialects.upstream.vector import vector_type

_MAY_BE_TWO = FastMathFlagsAttr((FastMathFlag.ALLOW_CONTRACT,))
_STRICT = FastMathFlagsAttr("none")
_NO_OVERFLOW = arith.IntegerOverflowAttr("none")


class Format(NamedTuple):
    """A format of IEEE 754: its types, and the bits of a significand behind the first."""

    name: str
    float_type: Attribute
    integer_type: builtin.IntegerType
    fraction_bits: int
    bias: int

    def bits_of(self, number: float) -> int:
        """The representation of a number, as an integer."""
        code = {"f32": ("<f", "<I"), "f64": ("<d", "<Q")}[self.name]
        return unpack(code[1], pack(code[0], number))[0]

    @property
    def least_normal(self) -> float:
        return 2.0 ** (1 - self.bias)

    @property
    def magic(self) -> float:
        """What, added to a number and taken away again, leaves the nearest integer.

        The sum has that integer in its low bits, too.
        """
        return 1.5 * 2.0**self.fraction_bits


FORMATS = {
    "f32": Format("f32", builtin.f32, builtin.i32, 23, 127),
    "f64": Format("f64", builtin.f64, builtin.i64, 52, 1023),
}


class Code:
    """Appends operations to the end of a block; of one format, as scalars or as vectors."""

    def __init__(self, format: Format, lanes: int | None, block: Block, target: Target = ANY_CPU):
        self.format = format
        self.lanes = lanes
        self.block = block
        self.target = target
        self._constants: dict[tuple[float | str, bool], SSAValue] = {}

    def shaped(self, element: Attribute) -> Attribute:
        """`element`, or the vector of it."""
        return element if self.lanes is None else vector_type(element, self.lanes)

    @property
    def type(self) -> Attribute:
        """The type of its floats."""
        return self.shaped(self.format.float_type)

    @property
    def scaling(self) -> str | None:
        """The instruction that multiplies its floats by powers of two, if the machine has it."""
        return scaling_instruction(self.target, self.type)

    def emit(
        self,
        kind: type[Operation],
        operands: Sequence[SSAValue],
        element: Attribute,
        properties: dict[str, Attribute] | None = None,
    ) -> SSAValue:
        """Append an op, whose result has `element` in each lane."""
        kind = kind if self.lanes is None else LANEWISE.get(kind, kind)
        op = kind.create(
            operands=operands, result_types=[self.shaped(element)], properties=properties or {}
        )
        self.block.add_op(op)
        return op.results[0]

    def number(self, value: float) -> Number:
        """A float in every lane."""
        # These print as bits where they are dense, which xDSL reads back as a number.
        if not isfinite(value) or (abs(value) >= 1e6 and value == int(value)):
            return self.integer(self.format.bits_of(value)).as_float()
        return Number(self, self._constant(value, self.format.float_type))

    def integer(self, value: int) -> Integer:
        """An integer of the width of a float in every lane."""
        return Integer(self, self._constant(value, self.format.integer_type))

    def _constant(self, value: float, element: Attribute) -> SSAValue:
        key: tuple[float | str, bool] = value, isinstance(element, builtin.IntegerType)
        if value == 0 and not key[1]:
            key = (str(value), False)
        if key not in self._constants:
            attribute: Attribute
            if isinstance(element, builtin.IntegerType):
                attribute = IntegerAttr(int(value), element, truncate_bits=True)
            else:
                attribute = FloatAttr(value, element)
            type = self.shaped(element)
            if isinstance(type, VectorType):
                attribute = DenseIntOrFPElementsAttr.from_list(type, [attribute.value.data])
            self._constants[key] = self.emit(arith.ConstantOp, (), element, {"value": attribute})
        return self._constants[key]


@dataclass(frozen=True, eq=False)
class LaneMask:
    """Whether something holds, in each lane."""

    code: Code
    value: SSAValue

    def choose(self, yes: Number, no: Number) -> Number:
        """`yes` in the lanes where it holds, `no` in the others."""
        operands = (self.value, yes.value, no.value)
        code = self.code
        return Number(code, code.emit(arith.SelectOp, operands, code.format.float_type))

    def __and__(self, other: LaneMask) -> LaneMask:
        return self._with(arith.AndIOp, other)

    def __or__(self, other: LaneMask) -> LaneMask:
        return self._with(arith.OrIOp, other)

    def _with(self, kind: type[Operation], other: LaneMask) -> LaneMask:
        return LaneMask(self.code, self.code.emit(kind, (self.value, other.value), builtin.i1))


@dataclass(frozen=True, eq=False)
class Integer:
    """Integers of the width of a float, without a sign; they wrap."""

    code: Code
    value: SSAValue

    def _with(self, kind: type[Operation], other: Integer | int) -> Integer:
        other = other if isinstance(other, Integer) else self.code.integer(other)
        wraps = kind in (arith.AddiOp, arith.SubiOp, arith.ShLIOp)
        said: dict[str, Attribute] = {"overflowFlags": _NO_OVERFLOW} if wraps else {}
        type = self.code.format.integer_type
        return Integer(self.code, self.code.emit(kind, (self.value, other.value), type, said))

    def __add__(self, other: Integer | int) -> Integer:
        return self._with(arith.AddiOp, other)

    def __sub__(self, other: Integer | int) -> Integer:
        return self._with(arith.SubiOp, other)

    def __and__(self, other: Integer | int) -> Integer:
        return self._with(arith.AndIOp, other)

    def __or__(self, other: Integer | int) -> Integer:
        return self._with(arith.OrIOp, other)

    def __xor__(self, other: Integer | int) -> Integer:
        return self._with(arith.XOrIOp, other)

    def __lshift__(self, other: int) -> Integer:
        return self._with(arith.ShLIOp, other)

    def __rshift__(self, other: int) -> Integer:
        return self._with(arith.ShRUIOp, other)

    def is_not_zero(self) -> LaneMask:
        """Whether a bit is set."""
        said: dict[str, Attribute] = {"predicate": IntegerAttr(1, builtin.i64)}
        operands = (self.value, self.code.integer(0).value)
        return LaneMask(self.code, self.code.emit(arith.CmpiOp, operands, builtin.i1, said))

    def as_float(self) -> Number:
        """The float that these bits represent."""
        type = self.code.format.float_type
        return Number(self.code, self.code.emit(arith.BitcastOp, (self.value,), type))

    def to_float(self) -> Number:
        """The float of the same value, for integers of up to `fraction_bits`.

        These are the bits that 2 ** fraction_bits leaves free; machines seldom convert 64 bits.
        """
        format = self.code.format
        whole = 2.0**format.fraction_bits
        return (self | format.bits_of(whole)).as_float() - whole


@dataclass(frozen=True, eq=False)
class Number:
    """A float in each lane. An operator rounds once, as IEEE 754 says."""

    code: Code
    value: SSAValue

    PREDICATES: ClassVar = {"==": 1, ">": 2, ">=": 3, "<": 4, "<=": 5, "!=": 13, "unordered": 14}

    def _number(self, other: Number | float) -> Number:
        return other if isinstance(other, Number) else self.code.number(other)

    def _of(self, kind: type[Operation], *others: Number | float, flags: Any = _STRICT) -> Number:
        operands = [self.value, *(self._number(other).value for other in others)]
        said: dict[str, Attribute] = {"fastmath": flags}
        code = self.code
        return Number(code, code.emit(kind, operands, code.format.float_type, said))

    def __add__(self, other: Number | float) -> Number:
        return self._of(arith.AddfOp, other)

    def __radd__(self, other: float) -> Number:
        return self.code.number(other) + self

    def __sub__(self, other: Number | float) -> Number:
        return self._of(arith.SubfOp, other)

    def __rsub__(self, other: float) -> Number:
        return self.code.number(other) - self

    def __mul__(self, other: Number | float) -> Number:
        return self._of(arith.MulfOp, other)

    def __rmul__(self, other: float) -> Number:
        return self.code.number(other) * self

    def __truediv__(self, other: Number | float) -> Number:
        return self._of(arith.DivfOp, other)

    def __rtruediv__(self, other: float) -> Number:
        return self.code.number(other) / self

    def __neg__(self) -> Number:
        return self._of(arith.NegfOp)

    def __abs__(self) -> Number:
        return self._of(math_dialect.AbsFOp)

    def root(self) -> Number:
        """The square root, rounded once."""
        return self._of(math_dialect.SqrtOp)

    def times_plus(self, factor: Number | float, addend: Number | float) -> Number:
        """`self * factor + addend`, rounded once or twice, whichever the machine does faster."""
        return self._of(math_dialect.FmaOp, factor, addend, flags=_MAY_BE_TWO)

    def times_plus_once(self, factor: Number | float, addend: Number | float) -> Number:
        """`self * factor + addend`, rounded once: a call where the machine has no instruction."""
        return self._of(math_dialect.FmaOp, factor, addend)

    def scaled(self, n: Number) -> Number:
        """`self` times 2^n, rounded once, by the instruction of a machine that has it."""
        code = self.code
        name = code.scaling
        assert name is not None
        assert isinstance(code.type, VectorType)
        flags = IntegerAttr(-1, mask_type(code.type)), IntegerAttr(ROUNDED_AS_SAID, builtin.i32)
        more = [arith.ConstantOp(flag) for flag in flags]
        call = llvm.CallIntrinsicOp(name, [self.value, n.value, self.value, *more], [code.type])
        code.block.add_ops([*more, call])
        return Number(code, call.results[0])

    def polynomial(self, coefficients: Sequence[float]) -> Number:
        """The polynomial with these coefficients, the constant one first, by Horner's rule."""
        *rest, last = coefficients
        total = self.code.number(last)
        for coefficient in reversed(rest):
            total = total.times_plus(self, coefficient)
        return total

    def _compare(self, predicate: str, other: Number | float) -> LaneMask:
        said: dict[str, Attribute] = {
            "predicate": IntegerAttr(self.PREDICATES[predicate], builtin.i64),
            "fastmath": _STRICT,
        }
        operands = (self.value, self._number(other).value)
        return LaneMask(self.code, self.code.emit(arith.CmpfOp, operands, builtin.i1, said))

    def __lt__(self, other: Number | float) -> LaneMask:
        return self._compare("<", other)

    def __le__(self, other: Number | float) -> LaneMask:
        return self._compare("<=", other)

    def __gt__(self, other: Number | float) -> LaneMask:
        return self._compare(">", other)

    def __ge__(self, other: Number | float) -> LaneMask:
        return self._compare(">=", other)

    def equals(self, other: Number | float) -> LaneMask:
        return self._compare("==", other)

    def unordered(self, other: Number) -> LaneMask:
        """Whether one of the two is NaN."""
        return self._compare("unordered", other)

    def converted(self, format: Format) -> Number:
        """The float of another format, rounded once where that has less bits."""
        code = Code(format, self.code.lanes, self.code.block, self.code.target)
        wider = format.fraction_bits > self.code.format.fraction_bits
        kind = arith.ExtFOp if wider else arith.TruncFOp
        return Number(code, code.emit(kind, (self.value,), format.float_type))

    def bits(self) -> Integer:
        """The bits that represent it."""
        type = self.code.format.integer_type
        return Integer(self.code, self.code.emit(arith.BitcastOp, (self.value,), type))

    def at_most(self, limit: float) -> Number:
        """The lesser of it and `limit`; NaN stays."""
        return (self > limit).choose(self._number(limit), self)

    def at_least(self, limit: float) -> Number:
        """The greater of it and `limit`; NaN stays."""
        return (self < limit).choose(self._number(limit), self)

    def sign(self) -> Integer:
        """The bit of its sign, alone."""
        width = self.code.format.integer_type.width.data
        return self.bits() & (1 << (width - 1))

    def with_sign(self, sign: Integer) -> Number:
        """Its negative where `sign` has the bit."""
        return (self.bits() ^ sign).as_float()
