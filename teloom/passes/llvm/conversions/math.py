"""Conversions of the `math` dialect."""

from collections.abc import Sequence

from xdsl.dialects import builtin, math
from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import f64, i1, i64
from xdsl.dialects.llvm import FastMathAttr
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue

from teloom.passes.llvm.builder import Builder, Conversion
from teloom.passes.llvm.conversions.arith import (
    fastmath_of,
    float_arithmetic,
    float_intrinsic,
    in_f32,
    integer_intrinsic,
)
from teloom.passes.llvm.instructions import NE, SLT
from teloom.passes.llvm.types import element_type, is_short_float, like


def library_function(name: str) -> Conversion:
    """A call of the C library, lane by lane; the form for f32 ends in `f`."""

    def call(op: Operation, wide: Sequence[SSAValue], b: Builder) -> SSAValue:
        is_f32 = isinstance(element_type(wide[0].type), builtin.Float32Type)
        return _each_lane(name + "f" if is_f32 else name, wide, b)

    return in_f32(call)


def of_angle(name: str) -> Conversion:
    return unless_in_branch(float_intrinsic(f"llvm.{name}"), name)


def unless_in_branch(conversion: Conversion, name: str) -> Conversion:
    """`conversion`; in an elementary function, which has the op in a branch, a call.

    LLVM would compute an intrinsic or instruction where the branch is not taken, too.
    """
    call = library_function(name)
    return lambda op, b: (call if b.is_elementary else conversion)(op, b)


def _each_lane(callee: str, values: Sequence[SSAValue], b: Builder) -> SSAValue:
    type = values[0].type
    if not isinstance(type, builtin.VectorType):
        result = b.call_runtime(callee, values, type)
        assert result is not None
        return result
    lanes = b.poison(type)
    for lane in range(type.get_shape()[0]):
        position = b.constant(lane, i64)
        parts = [b.extract(value, position) for value in values]
        result = b.call_runtime(callee, parts, type.element_type)
        assert result is not None
        lanes = b.insert(lanes, result, position)
    return lanes


def with_false(name: str) -> Conversion:
    """An integer intrinsic that is defined for every operand, as its flag says."""

    return lambda op, b: b.intrinsic(name, (*op.operands, b.constant(0, i1)), op.operands[0].type)


def power(op: Operation, operands: Sequence[SSAValue], b: Builder) -> SSAValue:
    """`llvm.pow`, with the fast-math flags of `op`, but for `afn`.

    That one would let LLVM make `llvm.powi` of it, which is a call into the compiler's
    runtime, and for vectors has no code at all.
    """
    flags = tuple(flag for flag in fastmath_of(op).data if flag is not FastMathFlag.APPROX_FUNC)
    return b.intrinsic("llvm.pow", operands, operands[0].type, FastMathAttr(flags))


def multiply_and_add(op: Operation, operands: Sequence[SSAValue], b: Builder) -> SSAValue:
    """`llvm.fma`; where it may also be two operations, the faster of both."""
    flags = fastmath_of(op)
    name = "llvm.fmuladd" if FastMathFlag.ALLOW_CONTRACT in flags.data else "llvm.fma"
    return b.intrinsic(name, operands, operands[0].type, flags)


def reciprocal_root(op: Operation, wide: Sequence[SSAValue], b: Builder) -> SSAValue:
    type, flags = wide[0].type, {"fastmathFlags": fastmath_of(op)}
    root = b.intrinsic("llvm.sqrt", wide, type)
    return b.emit(upstream.FDivOp, (b.constant(1.0, type), root), type, flags)


def convert_fpowi(op: Operation, b: Builder) -> SSAValue:
    # Through pow in f64, which holds every i32 exponent.
    base, exponent = op.operands
    type = base.type
    wide = b.widen(base)
    if wide.type != like(type, f64):
        wide = b.cast(upstream.FPExtOp, wide, f64)
    result = power(op, (wide, b.cast(upstream.SIToFPOp, exponent, f64)), b)
    if is_short_float(type):
        return b.narrow(result, type)
    return result if type == result.type else b.emit(upstream.FPTruncOp, (result,), type)


def convert_ipowi(op: Operation, b: Builder) -> SSAValue:
    """Repeated squaring, one step per bit of the exponent.

    A negative exponent gives the reciprocal, rounded towards zero: 0 but for a base
    of 1 or -1, where the sign bit of the exponent acts as one more even power.
    """
    base, exponent = op.operands
    type = base.type
    zero, one = b.constant(0, type), b.constant(1, type)
    bits = element_type(type).bitwidth  # pyright: ignore
    square, result = base, one
    for bit in range(bits):
        mask = b.constant(1 << bit, type)
        chosen = b.compare(NE, b.binary(upstream.AndOp, exponent, mask), zero)
        factor = b.select(chosen, square, one)
        result = b.wrapping(upstream.MulOp, result, factor)
        square = b.wrapping(upstream.MulOp, square, square)
    negative = b.compare(SLT, exponent, zero)
    magnitude = b.intrinsic("llvm.abs", (base, b.constant(0, i1)), type)
    vanishes = b.binary(upstream.AndOp, negative, b.compare(NE, magnitude, one))
    return b.select(vanishes, zero, result)


CONVERSIONS: dict[type[Operation], Conversion] = {
    math.AbsFOp: float_intrinsic("llvm.fabs"),
    math.AcosOp: float_intrinsic("llvm.acos"),
    math.AsinOp: float_intrinsic("llvm.asin"),
    math.AtanOp: float_intrinsic("llvm.atan"),
    math.Atan2Op: float_intrinsic("llvm.atan2"),
    math.CeilOp: float_intrinsic("llvm.ceil"),
    math.CopySignOp: float_intrinsic("llvm.copysign"),
    math.CosOp: of_angle("cos"),
    math.CoshOp: float_intrinsic("llvm.cosh"),
    math.ExpOp: float_intrinsic("llvm.exp"),
    math.Exp2Op: float_intrinsic("llvm.exp2"),
    math.FloorOp: float_intrinsic("llvm.floor"),
    math.FmaOp: in_f32(multiply_and_add),
    math.LogOp: float_intrinsic("llvm.log"),
    math.Log2Op: float_intrinsic("llvm.log2"),
    math.Log10Op: float_intrinsic("llvm.log10"),
    math.PowFOp: in_f32(power),
    math.RoundOp: float_intrinsic("llvm.round"),
    math.RoundEvenOp: float_intrinsic("llvm.roundeven"),
    math.SinOp: of_angle("sin"),
    math.SinhOp: float_intrinsic("llvm.sinh"),
    math.SqrtOp: float_intrinsic("llvm.sqrt"),
    math.TanOp: of_angle("tan"),
    math.TanhOp: float_intrinsic("llvm.tanh"),
    math.TruncOp: float_intrinsic("llvm.trunc"),
    math.AcoshOp: library_function("acosh"),
    math.AsinhOp: library_function("asinh"),
    math.AtanhOp: library_function("atanh"),
    math.CbrtOp: library_function("cbrt"),
    math.ErfOp: library_function("erf"),
    math.ExpM1Op: library_function("expm1"),
    math.Log1pOp: library_function("log1p"),
    upstream.FRemOp: unless_in_branch(float_arithmetic(upstream.FRemOp), "fmod"),
    math.RsqrtOp: in_f32(reciprocal_root),
    math.FPowIOp: convert_fpowi,
    math.IPowIOp: convert_ipowi,
    math.AbsIOp: with_false("llvm.abs"),
    math.CountLeadingZerosOp: with_false("llvm.ctlz"),
    math.CountTrailingZerosOp: with_false("llvm.cttz"),
    math.CtPopOp: integer_intrinsic("llvm.ctpop"),
}
