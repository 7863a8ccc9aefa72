"""What one scalar operation computes, on arrays that hold one value per lane.

The operations are those of arith and math, and `llvm.frem`.

`iN` is a signed NumPy integer of N bits, also where the program means an unsigned one; `i1` is a
bool, `index` is int64, and floats are NumPy's (bfloat16 is that of ml_dtypes). Unsigned
operations view the same bits as unsigned. Floats of 16 bits are computed in float32 and rounded
back.

Where `arith` leaves a value open, as of a shift by the width or of a float that fits no integer,
the lane gets some value. Every division is defined: quotient and remainder by 0 are 0, and the
smallest integer by -1 wraps.
"""

import math
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
from xdsl.dialects import arith, builtin, llvm
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation

from teloom.dialects.interfaces import Rules, ScalarOp
from teloom.dialects.upstream.arith import IndexCastUIOp

try:
    import ml_dtypes
except ImportError:  # only bfloat16 needs it
    ml_dtypes = None

Lanes = np.ndarray


Value = Callable[[Any, Sequence[Lanes]], list[Lanes]]
"""Computes the results of an op from its operands."""


class Unsupported(Exception):
    """An operation or type that has no meaning here."""


class Undefined(Exception):
    """An operation without a result in some lane, which makes the whole program undefined."""

    def __init__(self, message: str, lane: int):
        super().__init__(message)
        self.lane = lane


def storage_dtype(type: Attribute) -> np.dtype:
    """The dtype of arrays of this element type: `ui8` is uint8, `i8` and `si8` are int8."""
    if isinstance(type, IntegerType) and type.signedness.data is builtin.Signedness.UNSIGNED:
        return np.dtype(f"uint{scalar_dtype(type).itemsize * 8}")
    return scalar_dtype(type)


def scalar_dtype(type: Attribute) -> np.dtype:
    """The dtype of lanes that hold scalars of this type, or vectors of them."""
    match type:
        case builtin.VectorType():
            return scalar_dtype(type.element_type)
        case builtin.IndexType():
            return np.dtype(np.int64)
        case IntegerType() if type.width.data == 1:
            return np.dtype(np.bool_)
        case IntegerType() if type.width.data in (8, 16, 32, 64):
            return np.dtype(f"int{type.width.data}")
        case builtin.Float16Type():
            return np.dtype(np.float16)
        case builtin.Float32Type():
            return np.dtype(np.float32)
        case builtin.Float64Type():
            return np.dtype(np.float64)
        case builtin.BFloat16Type() if ml_dtypes is not None:
            return np.dtype(ml_dtypes.bfloat16)
        case builtin.BFloat16Type():
            raise Unsupported("bf16 needs the Python package ml_dtypes")
        case _:
            raise Unsupported(f"the interpreter has no scalars of type {type}")


def constant(value: Attribute) -> np.ndarray:
    """The scalar that a constant attribute stands for, with no axes."""
    match value:
        case IntegerAttr():
            dtype = scalar_dtype(value.type)
            if dtype == np.bool_:
                return np.asarray(value.value.data & 1, dtype)
            wrapped = value.value.data % 2 ** (8 * dtype.itemsize)
            return np.asarray(wrapped, np.uint64).astype(dtype)
        case builtin.FloatAttr():
            return np.asarray(value.value.data, np.float64).astype(scalar_dtype(value.type))
        case _:
            raise Unsupported(f"{value} is not a scalar constant")


def evaluate(op: Operation, operands: Sequence[Lanes]) -> list[Lanes]:
    """The results of a scalar operation, lane by lane.

    Raises `Unsupported` for other operations.
    """
    rule = VALUES[type(op)]
    if rule is None:
        raise Unsupported(f"the interpreter knows no operation {op.name}")
    return rule(op, operands)


def _signed(lanes: Lanes) -> Lanes:
    """Integers as signed numbers; a true i1 is -1."""
    return -lanes.astype(np.int8) if lanes.dtype == np.bool_ else lanes


def _unsigned(lanes: Lanes) -> Lanes:
    """Integers as unsigned numbers; a true i1 is 1."""
    return lanes.view(np.uint8 if lanes.dtype == np.bool_ else f"uint{8 * lanes.dtype.itemsize}")


def _narrow(lanes: Lanes, dtype: np.dtype) -> Lanes:
    """Integers as values of their type, which keeps the low bits."""
    return (lanes & 1).astype(dtype) if dtype == np.bool_ else lanes.astype(dtype)


def _wide(lanes: Lanes) -> Lanes:
    return lanes.astype(np.float32) if lanes.dtype.itemsize == 2 else lanes


def _extended(view: Callable[[Lanes], Lanes]) -> Value:
    """The low and the high half of a product, through Python's unbounded integers."""

    def halves(op: Operation, operands: Sequence[Lanes]) -> list[Lanes]:
        lhs, rhs = (view(lanes).astype(object) for lanes in operands)
        dtype = operands[0].dtype
        bits = 1 if dtype == np.bool_ else 8 * dtype.itemsize
        parts = (lhs * rhs >> shift for shift in (0, bits))
        return [(part % 2**bits).astype(np.uint64).astype(dtype) for part in parts]

    return halves


def _sum_and_carry(op: Operation, operands: Sequence[Lanes]) -> list[Lanes]:
    total = operands[0] + operands[1]
    return [total, _unsigned(total) < _unsigned(operands[0])]


def _truncated_quotient(lhs: Lanes, rhs: Lanes) -> Lanes:
    return (lhs - np.fmod(lhs, rhs)) // rhs


def _ceiled_quotient(lhs: Lanes, rhs: Lanes) -> Lanes:
    return lhs // rhs + (lhs % rhs != 0)


def _compare_integers(op: arith.CmpiOp, operands: Sequence[Lanes]) -> list[Lanes]:
    compare, unsigned = _INTEGER_ORDER[op.predicate.value.data]
    return [compare(*map(_unsigned if unsigned else _signed, operands))]


def _compare_floats(op: arith.CmpfOp, operands: Sequence[Lanes]) -> list[Lanes]:
    lhs, rhs = map(_wide, operands)
    relations = {
        "=": lhs == rhs,
        ">": lhs > rhs,
        "<": lhs < rhs,
        "?": np.isnan(lhs) | np.isnan(rhs),
    }
    accepted = np.zeros(lhs.shape, np.bool_)
    for relation in _ACCEPTED_RELATIONS[op.predicate.value.data]:
        accepted |= relations[relation]
    return [accepted]


def _round_half_away(x: Lanes) -> Lanes:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1.0, x), whole)


def _integer_power(base: Lanes, exponent: Lanes) -> Lanes:
    """A negative exponent gives the truncated reciprocal, 1 / base**n."""
    power = np.power(base, np.maximum(exponent, 0))
    odd_sign = np.where(exponent % 2 == 0, 1, base)
    reciprocal = np.where(np.abs(base) == 1, odd_sign, 0).astype(base.dtype)
    return np.where(exponent < 0, reciprocal, power)


def _leading_zeros(x: Lanes) -> Lanes:
    bits = 8 * x.dtype.itemsize
    return np.sum([x >> position == 0 for position in range(bits)], axis=0)


def _trailing_zeros(x: Lanes) -> Lanes:
    # x - 1 turns exactly the trailing zeros into ones.
    return np.bitwise_count(~x & (x - np.ones_like(x)))


_erf = np.vectorize(math.erf, otypes=[np.float64])

_ORDERS = (np.less, np.less_equal, np.greater, np.greater_equal)

# By predicate of arith.cmpi: the comparison, and whether it is unsigned.
_INTEGER_ORDER: list[tuple[Callable, bool]] = [
    *((compare, False) for compare in (np.equal, np.not_equal, *_ORDERS)),
    *((compare, True) for compare in _ORDERS),
]

# By predicate of arith.cmpf: false oeq ogt oge olt ole one ord, then the same but
# unordered lanes accepted (ueq ugt uge ult ule une), uno, true.
_ACCEPTED_RELATIONS = [
    *("", "=", ">", ">=", "<", "<=", "<>", "<=>"),
    *("?=", "?>", "?>=", "?<", "?<=", "?<>"),
    *("?", "?<=>"),
]

_SIGNED: dict[type[Operation], Callable] = {
    arith.AddiOp: np.add,
    arith.SubiOp: np.subtract,
    arith.MuliOp: np.multiply,
    arith.DivSIOp: _truncated_quotient,
    arith.FloorDivSIOp: np.floor_divide,
    arith.CeilDivSIOp: _ceiled_quotient,
    arith.RemSIOp: np.fmod,
    arith.MinSIOp: np.minimum,
    arith.MaxSIOp: np.maximum,
    arith.AndIOp: np.bitwise_and,
    arith.OrIOp: np.bitwise_or,
    arith.XOrIOp: np.bitwise_xor,
    arith.ShLIOp: np.left_shift,
    arith.ShRSIOp: np.right_shift,
    math_dialect.AbsIOp: np.abs,
    math_dialect.IPowIOp: _integer_power,
}

_UNSIGNED: dict[type[Operation], Callable] = {
    arith.DivUIOp: np.floor_divide,
    arith.CeilDivUIOp: _ceiled_quotient,
    arith.RemUIOp: np.remainder,
    arith.MinUIOp: np.minimum,
    arith.MaxUIOp: np.maximum,
    arith.ShRUIOp: np.right_shift,
}

_BIT_COUNTS: dict[type[Operation], Callable] = {
    math_dialect.CtPopOp: np.bitwise_count,
    math_dialect.CountLeadingZerosOp: _leading_zeros,
    math_dialect.CountTrailingZerosOp: _trailing_zeros,
}

_FLOAT: dict[type[Operation], Callable] = {
    arith.AddfOp: np.add,
    arith.SubfOp: np.subtract,
    arith.MulfOp: np.multiply,
    arith.DivfOp: np.divide,
    arith.NegfOp: np.negative,
    llvm.FRemOp: np.fmod,
    arith.MinimumfOp: np.minimum,
    arith.MaximumfOp: np.maximum,
    arith.MinnumfOp: np.fmin,
    arith.MaxnumfOp: np.fmax,
    math_dialect.AbsFOp: np.abs,
    math_dialect.AcosOp: np.arccos,
    math_dialect.AcoshOp: np.arccosh,
    math_dialect.AsinOp: np.arcsin,
    math_dialect.AsinhOp: np.arcsinh,
    math_dialect.AtanOp: np.arctan,
    math_dialect.Atan2Op: np.arctan2,
    math_dialect.AtanhOp: np.arctanh,
    math_dialect.CbrtOp: np.cbrt,
    math_dialect.CeilOp: np.ceil,
    math_dialect.CopySignOp: np.copysign,
    math_dialect.CosOp: np.cos,
    math_dialect.CoshOp: np.cosh,
    math_dialect.ErfOp: _erf,
    math_dialect.ExpOp: np.exp,
    math_dialect.Exp2Op: np.exp2,
    math_dialect.ExpM1Op: np.expm1,
    math_dialect.FloorOp: np.floor,
    # The product of f32 is exact; that of f64 is rounded, so the result is within an ulp.
    math_dialect.FmaOp: lambda x, y, z: x.astype(np.float64) * y + z,
    math_dialect.FPowIOp: lambda x, n: np.power(x.astype(np.float64), n),
    math_dialect.LogOp: np.log,
    math_dialect.Log10Op: np.log10,
    math_dialect.Log1pOp: np.log1p,
    math_dialect.Log2Op: np.log2,
    math_dialect.PowFOp: np.power,
    math_dialect.RoundOp: _round_half_away,
    math_dialect.RoundEvenOp: np.rint,
    math_dialect.RsqrtOp: lambda x: 1 / np.sqrt(x),
    math_dialect.SinOp: np.sin,
    math_dialect.SinhOp: np.sinh,
    math_dialect.SqrtOp: np.sqrt,
    math_dialect.TanOp: np.tan,
    math_dialect.TanhOp: np.tanh,
    math_dialect.TruncOp: np.trunc,
}

_CASTS: dict[type[Operation], Callable[[Lanes, np.dtype], Lanes]] = {
    arith.BitcastOp: lambda x, dtype: x.view(dtype),
    arith.IndexCastOp: lambda x, dtype: _narrow(_signed(x), dtype),
    IndexCastUIOp: lambda x, dtype: _narrow(_unsigned(x), dtype),
    arith.ExtSIOp: lambda x, dtype: _signed(x).astype(dtype),
    arith.ExtUIOp: lambda x, dtype: _unsigned(x).astype(dtype),
    arith.TruncIOp: _narrow,
    arith.SIToFPOp: lambda x, dtype: _signed(x).astype(dtype),
    arith.UIToFPOp: lambda x, dtype: _unsigned(x).astype(dtype),
    arith.FPToSIOp: lambda x, dtype: _narrow(np.trunc(_wide(x)).astype(np.int64), dtype),
    arith.FPToUIOp: lambda x, dtype: _narrow(np.trunc(_wide(x)).astype(np.uint64), dtype),
    arith.ExtFOp: lambda x, dtype: x.astype(dtype),
    arith.TruncFOp: lambda x, dtype: x.astype(dtype),
}


def _integers(view: Callable[[Lanes], Lanes], compute: Callable) -> Value:
    """A function of integers, seen as signed or unsigned; its result keeps the low bits."""
    return lambda op, operands: [_narrow(compute(*map(view, operands)), _dtype(op))]


def _floats(compute: Callable) -> Value:
    return lambda op, operands: [compute(*map(_wide, operands)).astype(_dtype(op))]


def _cast(convert: Callable[[Lanes, np.dtype], Lanes]) -> Value:
    return lambda op, operands: [convert(operands[0], _dtype(op))]


def _bit_count(count: Callable) -> Value:
    def rule(op: Operation, operands: Sequence[Lanes]) -> list[Lanes]:
        if _dtype(op) == np.bool_:
            raise Unsupported(f"the interpreter does not count the bits of an i1 by {op.name}")
        return counted(op, operands)

    counted = _integers(_unsigned, count)
    return rule


def _said(op: Any, operands: Sequence[Lanes]) -> list[Lanes]:
    """What an op of a plug-in evaluates to."""
    found, wanted = op.evaluate(operands), _dtype(op)
    if not isinstance(found, np.generic | np.ndarray):
        raise Unsupported(f"{op.name} evaluates to {type(found).__name__}, not to numbers of NumPy")
    shape = np.broadcast_shapes(*(lanes.shape for lanes in operands))
    if any(one not in (1, of) for one, of in zip_longest(found.shape[::-1], shape[::-1])):
        raise Unsupported(f"{op.name} evaluates to shape {found.shape}, its operands have {shape}")
    if found.dtype != wanted and not np.can_cast(found.dtype, wanted, "same_kind"):
        raise Unsupported(f"{op.name} evaluates to {found.dtype}, not to {wanted}")
    return [np.asarray(found, wanted)]


def _dtype(op: Operation) -> np.dtype:
    return scalar_dtype(op.results[0].type)


VALUES: Rules[Value] = Rules(
    {kind: _integers(_signed, compute) for kind, compute in _SIGNED.items()}
    | {kind: _integers(_unsigned, compute) for kind, compute in _UNSIGNED.items()}
    | {kind: _bit_count(count) for kind, count in _BIT_COUNTS.items()}
    | {kind: _floats(compute) for kind, compute in _FLOAT.items()}
    | {kind: _cast(convert) for kind, convert in _CASTS.items()}
    | {
        ScalarOp: _said,
        arith.CmpiOp: _compare_integers,
        arith.CmpfOp: _compare_floats,
        arith.SelectOp: lambda op, operands: [np.where(*operands)],
        arith.AddUIExtendedOp: _sum_and_carry,
        arith.MulUIExtendedOp: _extended(_unsigned),
        arith.MulSIExtendedOp: _extended(_signed),
    }
)
"""How each op is evaluated."""
