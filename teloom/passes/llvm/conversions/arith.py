"""Conversions of the `arith` dialect."""

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, builtin
from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, f32, i16, i32
from xdsl.dialects.llvm import FastMathAttr
from xdsl.dialects.utils import FastMathAttrBase
from xdsl.ir import Operation, SSAValue

from teloom.dialects.upstream import llvm
from teloom.dialects.upstream.arith import LANEWISE, IndexCastUIOp
from teloom.errors import PassError
from teloom.passes.llvm.builder import Builder, Conversion
from teloom.passes.llvm.instructions import EQ, NE, SGE, SLT, STRICT, ULE, stated
from teloom.passes.llvm.types import element_type, is_short_float, machine_type


def fastmath_of(op: Operation, default: FastMathAttr = STRICT) -> FastMathAttr:
    """The fast-math flags that `op` carries, together with `default`."""
    flags = op.properties.get("fastmath") or op.properties.get("fastmathFlags")
    if not isinstance(flags, FastMathAttrBase) or not flags.data:
        return default
    return FastMathAttr((*default.data, *flags.data))


def convert_constant(op: Operation, b: Builder) -> SSAValue:
    value = op.properties["value"]
    type = machine_type(op.results[0].type)
    if isinstance(value, IntegerAttr) and isinstance(value.type, builtin.IndexType):
        value = stated(value.value.data)
    if isinstance(value, DenseIntOrFPElementsAttr) and type != value.type:
        assert isinstance(type, builtin.VectorType)
        value = DenseIntOrFPElementsAttr.from_list(type, value.get_values())
    return b.literal(value, type)


def wrapping(kind: type[Operation]) -> Conversion:
    """Converts an addition, subtraction, product or shift, with its overflow flags."""

    def convert(op: Operation, b: Builder) -> SSAValue:
        flags = op.properties.get("overflowFlags")
        if not isinstance(flags, arith.IntegerOverflowAttr) or not flags.data:
            return b.wrapping(kind, op.operands[0], op.operands[1])
        bits = sum({"nsw": 1, "nuw": 2}[flag] for flag in flags.data)
        return b.emit(kind, op.operands, op.operands[0].type, {"overflowFlags": stated(bits, i32)})

    return convert


def binary(kind: type[Operation]) -> Conversion:
    return lambda op, b: b.binary(kind, *op.operands)


def integer_intrinsic(name: str) -> Conversion:
    return lambda op, b: b.intrinsic(name, op.operands, op.operands[0].type)


def constant_lanes(value: SSAValue) -> tuple[int, ...] | None:
    """The integers of a constant, one per lane or one for all; None if it is none."""
    if not isinstance(value.owner, upstream.ConstantOp):
        return None
    match value.owner.value:
        case IntegerAttr(value=number):
            return (number.data,)
        case DenseIntOrFPElementsAttr() as lanes:
            return tuple(map(int, lanes.get_values()))  # pyright: ignore
        case _:
            return None


_WIDEST = 64
"""Of so many bits at most all machines divide integers, and convert them from and to floats."""


def of_machine_integers(convert: Conversion) -> Conversion:
    """Refuses integers for which LLVM calls a compiler's runtime, which need not be there."""

    def checked(op: Operation, b: Builder) -> SSAValue | None:
        for value in (*op.operands, *op.results):
            element = element_type(value.type)
            if isinstance(element, builtin.IntegerType) and element.width.data > _WIDEST:
                raise PassError(
                    f"{op.name} of {element}: integers are divided, and converted from and to "
                    f"floats, in {_WIDEST} bits at most; truncate to i{_WIDEST} before",
                    op,
                )
        return convert(op, b)

    return checked


def shift_of_power_of_two(value: SSAValue) -> int | None:
    """The exponent if `value` is a constant power of two, the same in all lanes."""
    lanes = constant_lanes(value)
    if lanes is None or len({*lanes}) != 1 or lanes[0] <= 0 or lanes[0] & (lanes[0] - 1):
        return None
    return lanes[0].bit_length() - 1


Rounding = Callable[[SSAValue, SSAValue, Builder], SSAValue]
"""Emits a quotient of two integers whose divisor does not trap."""


def division(round: Rounding, signed: bool) -> Conversion:
    """Converts a quotient, rounded by `round`; it is 0 where the divisor is 0.

    The machine traps at a division by 0, and at one of the smallest integer by -1. For the divisors
    0 and -1 the quotient is the product instead: by -1 it wraps, as products do.
    """

    def convert(op: Operation, b: Builder) -> SSAValue:
        lhs, rhs = op.operands
        stops = stops_at(rhs, signed, b)
        if stops is None:
            return round(lhs, rhs, b)
        quotient = round(lhs, b.select(stops, b.constant(1, rhs.type), rhs), b)
        return b.select(stops, b.wrapping(upstream.MulOp, lhs, rhs), quotient)

    return convert


def remainder(kind: type[Operation], signed: bool) -> Conversion:
    """Converts a remainder; it is 0 where the divisor is 0."""

    def convert(op: Operation, b: Builder) -> SSAValue:
        lhs, rhs = op.operands
        stops = stops_at(rhs, signed, b)
        if stops is not None:
            rhs = b.select(stops, b.constant(1, rhs.type), rhs)
        return b.binary(kind, lhs, rhs)

    return convert


def stops_at(divisor: SSAValue, signed: bool, b: Builder) -> SSAValue | None:
    """Whether a divisor may trap: 0 or a signed -1. None if it is a constant that does not."""
    lanes = constant_lanes(divisor)
    if lanes is not None and not {0, -1}.intersection(lanes):
        return None
    if not signed:
        return b.compare(EQ, divisor, b.constant(0, divisor.type))
    one = b.constant(1, divisor.type)
    return b.compare(ULE, b.add(divisor, one), one)


def truncated(kind: type[Operation]) -> Rounding:
    return lambda lhs, rhs, b: b.binary(kind, lhs, rhs)


def off_by_one(signs: int, extend: type[Operation]) -> Rounding:
    """Corrects the quotient of sdiv, which rounds towards zero, by one if a remainder is left.

    `signs` is the comparison with 0 of remainder xor divisor, which is negative if their signs
    differ.
    """

    def round(lhs: SSAValue, rhs: SSAValue, b: Builder) -> SSAValue:
        quotient = b.binary(upstream.SDivOp, lhs, rhs)
        zero = b.constant(0, lhs.type)
        rest = b.binary(upstream.SRemOp, lhs, rhs)
        differ = b.compare(signs, b.binary(upstream.XOrOp, rest, rhs), zero)
        off = b.binary(upstream.AndOp, b.compare(NE, rest, zero), differ)
        return b.add(quotient, b.cast(extend, off, element_type(lhs.type)))

    return round


def floored(lhs: SSAValue, rhs: SSAValue, b: Builder) -> SSAValue:
    if (shift := shift_of_power_of_two(rhs)) is not None:
        return b.binary(upstream.AShrOp, lhs, b.constant(shift, lhs.type))
    return off_by_one(SLT, upstream.SExtOp)(lhs, rhs, b)


def ceiled_unsigned(lhs: SSAValue, rhs: SSAValue, b: Builder) -> SSAValue:
    rest = b.binary(upstream.URemOp, lhs, rhs)
    up = b.compare(NE, rest, b.constant(0, lhs.type))
    quotient = b.binary(upstream.UDivOp, lhs, rhs)
    return b.add(quotient, b.cast(upstream.ZExtOp, up, element_type(lhs.type)))


def convert_cmpf(op: arith.CmpfOp, b: Builder) -> SSAValue:
    lhs, rhs = (b.widen(value) for value in op.operands)
    return b.compare_floats(op.predicate.value.data, lhs, rhs, fastmath_of(op))


def in_f32(compute: Callable[[Operation, Sequence[SSAValue], Builder], SSAValue]) -> Conversion:
    """Applies `compute` to operands widened to f32, and rounds the result once to their type."""

    def convert(op: Operation, b: Builder) -> SSAValue:
        wide = [b.widen(value) for value in op.operands]
        return b.narrow(compute(op, wide, b), op.operands[0].type)

    return convert


def float_arithmetic(kind: type[Operation], contracts: bool = False) -> Conversion:
    """Converts a float operation, which `contracts` with others; bf16 is computed in f32.

    f16 is left to LLVM: one correctly rounded operation gives the same with or without f32. LLVM
    has bf16, too, but its code for x86 is not always right.
    """

    def compute(op: Operation, operands: Sequence[SSAValue], b: Builder) -> SSAValue:
        flags = {"fastmathFlags": fastmath_of(op, b.contraction if contracts else STRICT)}
        return b.emit(kind, operands, operands[0].type, flags)

    rounded = in_f32(compute)

    def convert(op: Operation, b: Builder) -> SSAValue | None:
        is_bfloat = isinstance(element_type(op.operands[0].type), builtin.BFloat16Type)
        return rounded(op, b) if is_bfloat else compute(op, op.operands, b)

    return convert


def float_intrinsic(name: str) -> Conversion:
    """An intrinsic on floats; on 16-bit floats it is computed in f32."""
    return in_f32(lambda op, wide, b: b.intrinsic(name, wide, wide[0].type, fastmath_of(op)))


def convert_negf(op: Operation, b: Builder) -> SSAValue:
    (value,) = op.operands
    if not isinstance(element_type(value.type), builtin.BFloat16Type):
        return b.emit(upstream.FNegOp, (value,), value.type, {"fastmathFlags": fastmath_of(op)})
    bits = b.cast(upstream.BitcastOp, value, i16)
    negated = b.binary(upstream.XOrOp, bits, b.constant(-(1 << 15), bits.type))
    return b.emit(upstream.BitcastOp, (negated,), value.type)


def from_integer(kind: type[Operation]) -> Conversion:
    """A float from an integer; a 16-bit one by way of f32.

    For f16 this is exact enough: an integer that f32 rounds is infinite in f16.
    """

    def convert(op: Operation, b: Builder) -> SSAValue:
        type = op.results[0].type
        if not is_short_float(type):
            return b.emit(kind, op.operands, type)
        return b.narrow(b.cast(kind, op.operands[0], f32), type)

    return convert


def to_integer(kind: type[Operation]) -> Conversion:
    return lambda op, b: b.emit(kind, (b.widen(op.operands[0]),), op.results[0].type)


def convert_extf(op: Operation, b: Builder) -> SSAValue:
    wide, type = b.widen(op.operands[0]), op.results[0].type
    return wide if wide.type == type else b.emit(upstream.FPExtOp, (wide,), type)


def convert_truncf(op: Operation, b: Builder) -> SSAValue:
    (value,) = op.operands
    type = op.results[0].type
    if is_short_float(type):
        return b.narrow(value, type)
    return b.emit(upstream.FPTruncOp, (value,), type)


def index_cast(extension: type[Operation]) -> Conversion:
    """An integer in as many bits as the result has, by this op where these are more."""

    def convert(op: Operation, b: Builder) -> SSAValue:
        (value,), type = op.operands, machine_type(op.results[0].type)
        source, target = element_type(value.type), element_type(type)
        assert isinstance(source, builtin.IntegerType)
        assert isinstance(target, builtin.IntegerType)
        if source.width.data == target.width.data:
            return value
        if source.width.data < target.width.data:
            return b.emit(extension, (value,), type)
        return b.truncate(value, target)

    return convert


def cast(kind: type[Operation]) -> Conversion:
    return lambda op, b: b.emit(kind, op.operands, machine_type(op.results[0].type))


_SCALAR: dict[type[Operation], Conversion] = {
    arith.ConstantOp: convert_constant,
    arith.AddiOp: wrapping(upstream.AddOp),
    arith.SubiOp: wrapping(upstream.SubOp),
    arith.MuliOp: wrapping(upstream.MulOp),
    arith.ShLIOp: wrapping(upstream.ShlOp),
    arith.ShRUIOp: binary(upstream.LShrOp),
    arith.ShRSIOp: binary(upstream.AShrOp),
    arith.AndIOp: binary(upstream.AndOp),
    arith.OrIOp: binary(upstream.OrOp),
    arith.XOrIOp: binary(upstream.XOrOp),
    arith.DivSIOp: of_machine_integers(division(truncated(upstream.SDivOp), signed=True)),
    arith.DivUIOp: of_machine_integers(division(truncated(upstream.UDivOp), signed=False)),
    arith.RemSIOp: of_machine_integers(remainder(upstream.SRemOp, signed=True)),
    arith.RemUIOp: of_machine_integers(remainder(upstream.URemOp, signed=False)),
    arith.FloorDivSIOp: of_machine_integers(division(floored, signed=True)),
    arith.CeilDivSIOp: of_machine_integers(division(off_by_one(SGE, upstream.ZExtOp), signed=True)),
    arith.CeilDivUIOp: of_machine_integers(division(ceiled_unsigned, signed=False)),
    arith.MinSIOp: integer_intrinsic("llvm.smin"),
    arith.MaxSIOp: integer_intrinsic("llvm.smax"),
    arith.MinUIOp: integer_intrinsic("llvm.umin"),
    arith.MaxUIOp: integer_intrinsic("llvm.umax"),
    arith.CmpiOp: lambda op, b: b.compare(op.predicate.value.data, *op.operands),
    arith.CmpfOp: convert_cmpf,
    arith.SelectOp: lambda op, b: b.select(*op.operands),
    arith.AddfOp: float_arithmetic(upstream.FAddOp, contracts=True),
    arith.SubfOp: float_arithmetic(upstream.FSubOp, contracts=True),
    arith.MulfOp: float_arithmetic(upstream.FMulOp, contracts=True),
    arith.DivfOp: float_arithmetic(upstream.FDivOp),
    arith.NegfOp: convert_negf,
    arith.MaximumfOp: float_intrinsic("llvm.maximum"),
    arith.MinimumfOp: float_intrinsic("llvm.minimum"),
    arith.MaxnumfOp: float_intrinsic("llvm.maxnum"),
    arith.MinnumfOp: float_intrinsic("llvm.minnum"),
    arith.ExtFOp: convert_extf,
    arith.TruncFOp: convert_truncf,
    arith.SIToFPOp: of_machine_integers(from_integer(upstream.SIToFPOp)),
    arith.UIToFPOp: of_machine_integers(from_integer(llvm.UIToFPOp)),
    arith.FPToSIOp: of_machine_integers(to_integer(llvm.FPToSIOp)),
    arith.FPToUIOp: of_machine_integers(to_integer(llvm.FPToUIOp)),
    arith.ExtSIOp: cast(upstream.SExtOp),
    arith.ExtUIOp: cast(upstream.ZExtOp),
    arith.TruncIOp: cast(upstream.TruncOp),
    arith.BitcastOp: cast(upstream.BitcastOp),
    arith.IndexCastOp: index_cast(upstream.SExtOp),
    IndexCastUIOp: index_cast(upstream.ZExtOp),
}

CONVERSIONS = _SCALAR | {lanewise: _SCALAR[scalar] for scalar, lanewise in LANEWISE.items()}
