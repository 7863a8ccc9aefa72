"""From scalar functions to the ops of arith and math; the dtype chooses the op.

Scalars in IR have no sign, so the op carries it: `divsi` or `divui`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, f32, i1
from xdsl.ir import Operation, SSAValue

from teloom.analysis.dtypes import scalar_type
from teloom.dialects.upstream.arith import elementwise
from teloom.frontend.expr.dtypes import BOOL, FLOAT, INT, UINT, DType
from teloom.lazy import loaded

Insert = Callable[[Operation], SSAValue]


# function -> op on floats, on signed integers, on unsigned integers and bool
_BY_KIND: dict[str, tuple[type[Operation] | None, ...]] = {
    "add": (arith.AddfOp, arith.AddiOp, arith.AddiOp),
    "sub": (arith.SubfOp, arith.SubiOp, arith.SubiOp),
    "mul": (arith.MulfOp, arith.MuliOp, arith.MuliOp),
    # NaN wins, as in NumPy's minimum and maximum.
    "minimum": (arith.MinimumfOp, arith.MinSIOp, arith.MinUIOp),
    "maximum": (arith.MaximumfOp, arith.MaxSIOp, arith.MaxUIOp),
    "divide": (arith.DivfOp, None, None),
    "truncdiv": (None, arith.DivSIOp, arith.DivUIOp),
    "truncmod": (None, arith.RemSIOp, arith.RemUIOp),
    "floordiv": (None, arith.FloorDivSIOp, arith.DivUIOp),
    "ceildiv": (None, arith.CeilDivSIOp, arith.CeilDivUIOp),
    "floormod": (None, None, arith.RemUIOp),
    "bitwise_and": (None, arith.AndIOp, arith.AndIOp),
    "bitwise_or": (None, arith.OrIOp, arith.OrIOp),
    "bitwise_xor": (None, arith.XOrIOp, arith.XOrIOp),
    "left_shift": (None, arith.ShLIOp, arith.ShLIOp),
    "right_shift": (None, arith.ShRSIOp, arith.ShRUIOp),
    "copysign": (math_dialect.CopySignOp, None, None),
    "atan2": (math_dialect.Atan2Op, None, None),
    "clz": (None, math_dialect.CountLeadingZerosOp, math_dialect.CountLeadingZerosOp),
    "popcount": (None, math_dialect.CtPopOp, math_dialect.CtPopOp),
    "power": (math_dialect.PowFOp, None, None),
    "negative": (arith.NegfOp, None, None),
    "abs": (math_dialect.AbsFOp, math_dialect.AbsIOp, None),
    "exp": (math_dialect.ExpOp, None, None),
    "erf": (math_dialect.ErfOp, None, None),
    "tanh": (math_dialect.TanhOp, None, None),
    "log": (math_dialect.LogOp, None, None),
    "log2": (math_dialect.Log2Op, None, None),
    "log10": (math_dialect.Log10Op, None, None),
    "log1p": (math_dialect.Log1pOp, None, None),
    "sin": (math_dialect.SinOp, None, None),
    "cos": (math_dialect.CosOp, None, None),
    "tan": (math_dialect.TanOp, None, None),
    "sinh": (math_dialect.SinhOp, None, None),
    "cosh": (math_dialect.CoshOp, None, None),
    "asin": (math_dialect.AsinOp, None, None),
    "asinh": (math_dialect.AsinhOp, None, None),
    "acos": (math_dialect.AcosOp, None, None),
    "acosh": (math_dialect.AcoshOp, None, None),
    "atan": (math_dialect.AtanOp, None, None),
    "atanh": (math_dialect.AtanhOp, None, None),
    "sqrt": (math_dialect.SqrtOp, None, None),
    "rsqrt": (math_dialect.RsqrtOp, None, None),
    "floor": (math_dialect.FloorOp, None, None),
    "ceil": (math_dialect.CeilOp, None, None),
    "trunc": (math_dialect.TruncOp, None, None),
    "round": (math_dialect.RoundOp, None, None),
    "nearbyint": (math_dialect.RoundEvenOp, None, None),
}

# comparison -> predicate on floats, on signed integers and index, on unsigned integers and bool
_PREDICATES = {
    "equal": ("oeq", "eq", "eq"),
    "not_equal": ("une", "ne", "ne"),
    "less": ("olt", "slt", "ult"),
    "less_equal": ("ole", "sle", "ule"),
    "greater": ("ogt", "sgt", "ugt"),
    "greater_equal": ("oge", "sge", "uge"),
}


def _column(dtype: DType) -> int:
    return {FLOAT: 0, INT: 1}.get(dtype.kind, 2)


def is_comparison(function: str) -> bool:
    """Whether the function compares two values."""
    return function in _PREDICATES


def emit(function: str, dtype: DType, values: Sequence[SSAValue], insert: Insert) -> SSAValue:
    """Emits `function` of values of `dtype`; returns its result.

    A comparison of int32 also takes `index` values.
    """
    if is_comparison(function):
        predicate = _PREDICATES[function][_column(dtype)]
        op = arith.CmpfOp if dtype.kind == FLOAT else arith.CmpiOp
        return insert(op(values[0], values[1], predicate))
    if function in _COMPOSED:
        found = _COMPOSED[function](dtype, values, insert)
        if found is not None:
            return found
    op = _BY_KIND[function][_column(dtype)]
    assert op is not None, f"no op for {function} on {dtype.name}"
    return insert(elementwise(op, values))


def constant(value: float, dtype: str) -> IntegerAttr | FloatAttr:
    """The constant `value` as an attribute; an integer that does not fit wraps."""
    type = scalar_type(dtype)
    if isinstance(type, IntegerType):
        return IntegerAttr(int(value), type, truncate_bits=True)
    return FloatAttr(float(value), type)


def number(value: float, dtype: DType, insert: Insert) -> SSAValue:
    """Emits a constant of `dtype`."""
    return insert(arith.ConstantOp(constant(value, dtype.name)))


def _negative(dtype: DType, values: Sequence[SSAValue], insert: Insert) -> SSAValue | None:
    if dtype.kind == FLOAT:
        return None
    return insert(arith.SubiOp(number(0, dtype, insert), values[0]))


def _abs(dtype: DType, values: Sequence[SSAValue], insert: Insert) -> SSAValue | None:
    return values[0] if dtype.kind == UINT else None


def _bitwise_not(dtype: DType, values: Sequence[SSAValue], insert: Insert) -> SSAValue:
    return insert(arith.XOrIOp(values[0], number(-1, dtype, insert)))


def _floormod(dtype: DType, values: Sequence[SSAValue], insert: Insert) -> SSAValue | None:
    if dtype.kind != INT:
        return None
    lhs, rhs = values
    if _constant_number(rhs):
        # x mod y = x - floor(x / y) * y, of which little is left where y is a power of two.
        quotient = insert(arith.FloorDivSIOp(lhs, rhs))
        return insert(arith.SubiOp(lhs, insert(arith.MuliOp(quotient, rhs))))
    # The remainder of a division that truncates has the sign of x, x mod y that of y; where y
    # is 0, both are 0.
    rest = insert(arith.RemSIOp(lhs, rhs))
    zero = number(0, dtype, insert)
    differ = insert(arith.CmpiOp(insert(arith.XOrIOp(rest, rhs)), zero, "slt"))
    left = insert(arith.CmpiOp(rest, zero, "ne"))
    moved = insert(arith.AddiOp(rest, rhs))
    return insert(arith.SelectOp(insert(arith.AndIOp(differ, left)), moved, rest))


def _power(dtype: DType, values: Sequence[SSAValue], insert: Insert) -> SSAValue | None:
    base, exponent = values
    remaining = _constant_number(exponent)
    if dtype.kind == FLOAT:
        # The one power that a product gives without a further rounding.
        return insert(arith.MulfOp(base, base)) if remaining == 2.0 else None
    if remaining is None and dtype.kind == UINT:
        return _unsigned_power(dtype, base, exponent, insert)
    if remaining is None or remaining < 0:
        return insert(math_dialect.IPowIOp(base, exponent))
    # Squaring: x^13 = x^8 * x^4 * x^1.
    square = base
    product = None
    while remaining:
        if remaining & 1:
            product = square if product is None else insert(arith.MuliOp(product, square))
        remaining >>= 1
        if remaining:
            square = insert(arith.MuliOp(square, square))
    return number(1, dtype, insert) if product is None else product


def _unsigned_power(dtype: DType, base: SSAValue, exponent: SSAValue, insert: Insert) -> SSAValue:
    """By the power to half of the exponent: `math.ipowi` takes exponents for signed numbers."""
    one = number(1, dtype, insert)
    half = insert(math_dialect.IPowIOp(base, insert(arith.ShRUIOp(exponent, one))))
    is_odd = insert(arith.TruncIOp(exponent, i1))
    factor = insert(arith.SelectOp(is_odd, base, one))
    return insert(arith.MuliOp(insert(arith.MuliOp(half, half)), factor))


def _constant_number(value: SSAValue) -> Any:
    """The value of a constant, else None."""
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr | FloatAttr):
        return op.value.value.data
    return None


def _sigmoid(dtype: DType, values: Sequence[SSAValue], insert: Insert) -> SSAValue:
    """1 / (1 + e) for x from 0 on, e / (1 + e) below, where e = exp(-|x|) is never infinite."""
    one, zero = number(1.0, dtype, insert), number(0.0, dtype, insert)
    size = insert(math_dialect.AbsFOp(values[0]))
    decay = insert(math_dialect.ExpOp(insert(arith.NegfOp(size))))
    below = insert(arith.CmpfOp(values[0], zero, "olt"))
    numerator = insert(arith.SelectOp(below, decay, one))
    return insert(arith.DivfOp(numerator, insert(arith.AddfOp(one, decay))))


def _isnan(dtype: DType, values: Sequence[SSAValue], insert: Insert) -> SSAValue:
    return insert(arith.CmpfOp(values[0], values[0], "uno"))


def _isinf(dtype: DType, values: Sequence[SSAValue], insert: Insert) -> SSAValue:
    size = insert(math_dialect.AbsFOp(values[0]))
    return insert(arith.CmpfOp(size, number(math.inf, dtype, insert), "oeq"))


def _isfinite(dtype: DType, values: Sequence[SSAValue], insert: Insert) -> SSAValue:
    size = insert(math_dialect.AbsFOp(values[0]))
    return insert(arith.CmpfOp(size, number(math.inf, dtype, insert), "olt"))


def _fmod(dtype: DType, values: Sequence[SSAValue], insert: Insert) -> SSAValue | None:
    """The remainder of floats; only the LLVM dialect has an op for it."""
    return insert(elementwise(loaded("xdsl.dialects.llvm", "FRemOp"), values))


_COMPOSED: dict[str, Callable[[DType, Sequence[SSAValue], Insert], SSAValue | None]] = {
    "negative": _negative,
    "abs": _abs,
    "bitwise_not": _bitwise_not,
    "floormod": _floormod,
    "fmod": _fmod,
    "power": _power,
    "sigmoid": _sigmoid,
    "isnan": _isnan,
    "isinf": _isinf,
    "isfinite": _isfinite,
}


def reinterpreted(value: SSAValue, target: DType, insert: Insert) -> SSAValue:
    """Emits the value of `target` that has the bits of another one."""
    type = scalar_type(target.name)
    if value.type == type:
        return value
    return insert(arith.BitcastOp(value, type))


def convert(value: SSAValue, source: DType, target: DType, insert: Insert) -> SSAValue:
    """Emits the conversion of a value from `source` to `target`."""
    if source.kind == FLOAT:
        return _from_float(value, source, target, insert)
    type = scalar_type(target.name)
    if target.kind == FLOAT:
        op = arith.SIToFPOp if source.kind == INT else arith.UIToFPOp
        return insert(op(value, type))
    if target.kind == BOOL:
        return insert(arith.CmpiOp(value, number(0, source, insert), "ne"))
    if source.bits == target.bits:
        return value
    if source.bits > target.bits:
        return insert(arith.TruncIOp(value, type))
    op = arith.ExtSIOp if source.kind == INT else arith.ExtUIOp
    return insert(op(value, type))


def _from_float(value: SSAValue, source: DType, target: DType, insert: Insert) -> SSAValue:
    if target.kind == BOOL:
        return insert(arith.CmpfOp(value, number(0.0, source, insert), "une"))
    type = scalar_type(target.name)
    if target.kind != FLOAT:
        op = arith.FPToSIOp if target.kind == INT else arith.FPToUIOp
        return insert(op(value, type))
    if source.bits < target.bits:
        return insert(arith.ExtFOp(value, type))
    if source.bits == target.bits:  # float16 and bfloat16 meet in float32
        value = insert(arith.ExtFOp(value, f32))
    return insert(arith.TruncFOp(value, type))
