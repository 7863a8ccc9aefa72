"""The `arith` dialect in C."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from xdsl.dialects import arith, builtin
from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation

from teloom.analysis.index.value_ranges import signed
from teloom.backend.c.expressions import (
    ATOM,
    UNARY,
    CExpr,
    as_signed,
    as_unsigned,
    binary,
    call,
    cast,
    choice,
    integer,
    truth,
    unary,
)
from teloom.backend.c.lanewise import (
    Scalar,
    Whole,
    converted,
    lanewise,
    mask_for,
    scalar_part,
    vector_binary,
    vector_cast,
)
from teloom.backend.c.needed import of_one_value
from teloom.backend.c.types import (
    BOOL,
    F32,
    U32,
    NumberType,
    float_literal,
    integer_range,
    lanes_of,
    number_of,
)
from teloom.backend.c.writer import FunctionWriter, Rule
from teloom.dialects.upstream.arith import LANEWISE, IndexCastUIOp
from teloom.errors import PassError
from teloom.passes.llvm.types import element_type

# Constants


def constant(value: Any, type: Attribute, w: FunctionWriter) -> CExpr:
    """A number of the IR as a literal."""
    number = number_of(type)
    if number.family == "b":
        return truth(bool(value))
    if number.is_integer:
        return integer(signed(int(value), element_type(type)), number)
    if number.is_short:
        return w.narrow(constant(value, builtin.f32, w), number)
    text = float_literal(value, number)
    if "N" in text:  # NAN or INFINITY
        w.parts.include("math.h")
    return CExpr(text, UNARY if text[0] in "-(" else ATOM, number)


def write_constant(op: arith.ConstantOp, w: FunctionWriter) -> None:
    type = op.result.type
    lanes = lanes_of(type)
    match op.value:
        case IntegerAttr() | FloatAttr():
            w.define(op.result, constant(op.value.value.data, element_type(type), w))
        case DenseIntOrFPElementsAttr() if lanes:
            numbers = list(op.value.get_values())
            found = [constant(one, element_type(type), w) for one in numbers]
            if len({one.text for one in found}) == 1:
                w.define(op.result, replace(found[0], lanes=lanes, form="splat"))
            else:
                _write_lanes(op, found, w)
        case _:
            raise PassError(f"cannot write the constant {op.value} in C", op)


def _write_lanes(op: arith.ConstantOp, found: list[CExpr], w: FunctionWriter) -> None:
    number = found[0].type
    named = w.scopes.new(op.result.name_hint)
    lanes = ", ".join(one.text for one in found)
    if not w.parts.extension:
        lanes = f"{{{lanes}}}"
    is_mask = number.family == "b" and w.parts.extension
    vector = w.type_text(number, len(found))
    w.line(f"const {vector} {named} = {{{lanes}}};")
    expr = CExpr(
        named, ATOM, NumberType("m", 8) if is_mask else number, lanes=len(found), form="whole"
    )
    if is_mask:
        expr = replace(expr, type=BOOL)
    w.define(op.result, expr)


# Integers


def wrapping(operator: str) -> Scalar:
    """A sum, a difference or a product, which wraps."""

    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
        number = number_of(op.results[0].type)
        left, right = given
        if number.family == "b":
            return binary("!=" if operator != "*" else "&&", left, right, BOOL)
        low, high = _exact_range(op, w)
        least, most = integer_range(number)
        if least <= low and high <= most and left.type.family == right.type.family == "i":
            return binary(operator, left, right, number)
        return _wrapped(operator, left, right, number)

    return compute


def _exact_range(op: Operation, w: FunctionWriter) -> tuple[int, int]:
    """The range of the result, if it did not wrap."""
    if lanes_of(op.results[0].type):
        return -(2**200), 2**200
    return w.ranges.exact(type(op), *op.operands)


def _wrapped(operator: str, left: CExpr, right: CExpr, number: NumberType) -> CExpr:
    """The operation on unsigned integers."""
    unsigned = number.of("u")
    if number.bits < 32:
        # Below 32 bits, C computes with int: only a product of 16 bits may leave it.
        if operator == "*" and number.bits == 16:
            left = cast(as_unsigned(left), U32)
        return cast(binary(operator, left, right, number), unsigned)
    if "u" not in (left.type.family, right.type.family) or left.literal is not None:
        left = as_unsigned(left)
    if number.bits == 64 and left.literal is not None:
        # C widens a literal to the type of the other operand.
        right = as_unsigned(right)
    return binary(operator, left, right, unsigned)


def wrapping_lanes(operator: str) -> Whole:
    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
        number = number_of(op.results[0].type)
        if number.family == "b":
            return None
        unsigned = number.of("u")
        left, right = (vector_cast(scalar_part(one, w), unsigned, w) for one in given)
        return vector_binary(operator, left, right, unsigned)

    return compute


def bitwise(operator: str, logical: str) -> Scalar:
    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
        number = number_of(op.results[0].type)
        left, right = given
        if number.family != "b":
            left, right, unsigned = as_unsigned(left), as_unsigned(right), number.of("u")
            if operator == "^" and right.literal == 2**number.bits - 1:
                # Of a complement that is promoted to int, compilers warn in comparisons.
                return binary("-", right, left, unsigned)
            return binary(operator, left, right, unsigned)
        if logical == "!=" and right.literal is not None:
            return unary("!", left, BOOL) if right.literal else left
        return binary(logical, left, right, BOOL)

    return compute


def bitwise_lanes(operator: str) -> Whole:
    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
        number = number_of(op.results[0].type)
        if number.family != "b":
            return wrapping_lanes(operator)(op, given, w)
        if operator == "^" and given[1].literal == 1 and given[0].type.family == "m":
            return replace(unary("~", w.whole(given[0]), given[0].type), literal=None)
        if any(one.type.family != "m" for one in given):
            return None
        bits = given[0].type.bits
        left, right = (mask_for(w.whole(one), bits, w) for one in given)
        return vector_binary(operator, left, right, left.type)

    return compute


def shift(operator: str, family: str) -> Scalar:
    """A shift; by a constant that is less than the width it is C's own."""

    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
        number = number_of(op.results[0].type)
        value, amount = given
        if number.family == "b":
            # By 1, as far as it is wide, it leaves the sign, or nothing.
            return value if family == "i" else binary("&&", value, unary("!", amount, BOOL), BOOL)
        number = number.of(family)
        value = as_unsigned(value) if family == "u" else as_signed(value)
        if amount.literal is not None and 0 <= amount.literal < number.bits:
            if operator == "<<" and number.bits < 32:
                return cast(binary(operator, value, amount, number), number)
            return binary(operator, value, amount, number)
        as_number = as_unsigned(amount) if family == "u" else as_signed(amount)
        return w.help("shl" if operator == "<<" else "shr", number, [value, as_number])

    return compute


def shift_lanes(operator: str, family: str) -> Whole:
    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
        number = number_of(op.results[0].type)
        if number.family == "b":
            return None
        number = number.of(family)
        value, amount = given
        literal = amount.literal
        if amount.form != "splat" or literal is None or not 0 <= literal < number.bits:
            return None
        left = vector_cast(w.whole(value), number, w)
        return vector_binary(operator, left, integer(literal, number), number)

    return compute


def division(kind: str, family: str, operator: str = "/") -> Scalar:
    """A quotient or a rest: C's own where that is the same."""

    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
        number = number_of(op.results[0].type)
        if number.family == "b":
            return _of_truths(op.name, given)
        left, right = (as_signed(one) for one in given)
        if _is_plain(op, kind, family, w):
            if kind == "floordiv" and w.ranges.of(op.operands[0])[0] < 0:
                assert right.literal is not None
                return binary(">>", left, integer(right.literal.bit_length() - 1, number), number)
            return binary(operator, left, right, number)
        typed = number.of(family)
        if family == "u":
            left, right = (as_unsigned(one) for one in given)
            if right.literal and kind != "ceildivu":
                return binary(operator, left, right, typed)
        return w.help(kind, typed, [left, right])

    return compute


def division_lanes(family: str, operator: str) -> Whole:
    """C's own, by a constant that is neither 0 nor -1."""

    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
        number = number_of(op.results[0].type).of(family)
        divisor = given[1].literal
        if given[1].form != "splat" or divisor in (None, 0, -1):
            return None
        value = vector_cast(w.whole(given[0]), number, w)
        literal = vector_cast(scalar_part(given[1], w), number, w)
        return vector_binary(operator, value, literal, number)

    return compute


def _of_truths(name: str, given: list[CExpr]) -> CExpr:
    """The quotient of two integers of one bit is their product, and no rest is left."""
    return truth(False) if "rem" in name else binary("&&", given[0], given[1], BOOL)


def _is_plain(op: Operation, kind: str, family: str, w: FunctionWriter) -> bool:
    """Whether C's division of numbers with a sign gives the same."""
    if lanes_of(op.results[0].type):
        value, divisor = (integer_range(number_of(op.results[0].type)),) * 2
    else:
        value, divisor = map(w.ranges.of, op.operands)
    is_power = divisor[0] == divisor[1] > 0 and divisor[0] & (divisor[0] - 1) == 0
    match kind, family:
        case (("div" | "rem"), "i"):
            return divisor[0] > 0 or divisor[1] < -1
        case (("div" | "rem"), "u"):
            return value[0] >= 0 and divisor[0] > 0
        case "floordiv", _:
            return is_power or (value[0] >= 0 and divisor[0] > 0)
        case _:
            return False


def extreme(kind: str, family: str) -> Scalar:
    """The lesser or the greater of two integers."""

    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
        number = number_of(op.results[0].type)
        if number.family == "b":
            # As signed numbers, true is less than false.
            is_and = (kind == "min") == (family == "u")
            return binary("&&" if is_and else "||", given[0], given[1], BOOL)
        if of_one_value(op):
            return given[0]
        convert = as_unsigned if family == "u" else as_signed
        return w.help(kind, number.of(family), [convert(one) for one in given])

    return compute


def extreme_lanes(operator: str, family: str) -> Whole:
    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
        if number_of(op.results[0].type).family == "b":
            return None
        if of_one_value(op):
            return w.whole(given[0])
        number = number_of(op.results[0].type).of(family)
        left, right = (w.held(vector_cast(w.whole(one), number, w)) for one in given)
        mask = vector_binary(operator, left, right, NumberType("m", number.bits))
        return selected(replace(mask, lanes=left.lanes, form="whole"), left, right, w)

    return compute


_SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _predicate(op: Any) -> tuple[str, str]:
    """The operator of an integer comparison, and the family of its operands."""
    word = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
    return _SIGNS[word[-2:]], word[0] if len(word) == 3 else ""


def write_comparison(op: Any, w: FunctionWriter) -> None:
    """Writes a comparison of integers; one of a value with itself does not need that value."""
    if not of_one_value(op):
        lanewise(_compare, _compare_lanes)(op, w)
        return
    found, lanes = truth(_predicate(op)[0] in ("==", "<=", ">=")), lanes_of(op.result.type)
    w.define(op.result, replace(found, lanes=lanes, form="splat") if lanes else found)


def _compare(op: Any, given: list[CExpr], w: FunctionWriter) -> CExpr:
    operator, sign = _predicate(op)
    left, right = given
    if not sign:
        if left.type.family != right.type.family:
            left, right = as_unsigned(left), as_unsigned(right)
        return binary(operator, left, right, BOOL)
    if left.type.family == right.type.family == "b":
        return _compare_truths(operator if sign == "u" else _TURNED[operator], left, right)
    is_positive = all(not lanes_of(one.type) and w.ranges.of(one)[0] >= 0 for one in op.operands)
    if sign == "s" or (is_positive and left.type.family == right.type.family == "i"):
        return _ordered(operator, as_signed(left), as_signed(right), w)
    return _ordered(operator, as_unsigned(left), as_unsigned(right), w)


_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
"""Comparisons the other way round: with a sign, true is -1."""


def _compare_truths(operator: str, left: CExpr, right: CExpr) -> CExpr:
    """Whether a truth value is below another one, or the like; true is above false."""
    joined = "&&" if operator in ("<", ">") else "||"
    if operator in ("<", "<="):
        return binary(joined, unary("!", left, BOOL), right, BOOL)
    return binary(joined, left, unary("!", right, BOOL), BOOL)


def _ordered(operator: str, left: CExpr, right: CExpr, w: FunctionWriter) -> CExpr:
    """A comparison; by a function if it is one that is always true, of which compilers warn."""
    if operator in (">", "<="):
        lower, upper = right, left
    else:
        lower, upper = left, right
    # It asks whether `lower < upper`, or whether that is not so.
    least, most = integer_range(left.type)
    if left.type.family == "u":
        least, most = 0, most - least
    if upper.literal != least and lower.literal != most:
        return binary(operator, left, right, BOOL)
    below = replace(w.help("below", left.type, [lower, upper]), type=BOOL)
    return unary("!", below, BOOL) if operator in (">=", "<=") else below


def _compare_lanes(op: Any, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
    operator, sign = _predicate(op)
    number = number_of(op.operands[0].type).of("u" if sign == "u" else "i")
    if number_of(op.operands[0].type).family == "b":
        return None
    left, right = (vector_cast(scalar_part(one, w), number, w) for one in given)
    return vector_binary(operator, left, right, NumberType("m", number.bits))


# Floats


def _in_f32(compute: Callable[[list[CExpr]], CExpr]) -> Scalar:
    """Applies `compute` to operands widened to 32 bits, and rounds once to the result's type."""

    def write(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
        number = number_of(op.results[0].type)
        return w.narrow(compute([w.widen(one) for one in given]), number)

    return write


def float_arithmetic(operator: str) -> Scalar:
    return _in_f32(lambda wide: binary(operator, wide[0], wide[1], wide[0].type))


def float_lanes(operator: str) -> Whole:
    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
        number = number_of(op.results[0].type)
        if number.is_short:
            return None
        left, right = (scalar_part(one, w) for one in given)
        return vector_binary(operator, left, right, number)

    return compute


def negate(op: arith.NegfOp, given: list[CExpr], w: FunctionWriter) -> CExpr:
    (value,) = given
    number = value.type
    if not number.is_short:
        return unary("-", value, number)
    sign = binary("^", value, CExpr("0x8000u", ATOM, number), number)
    return cast(sign, number)


def negate_lanes(op: arith.NegfOp, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
    number = given[0].type
    return None if number.is_short else unary("-", w.whole(given[0]), number)


def float_extreme(kind: str) -> Scalar:
    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
        wide = [w.widen(one) for one in given]
        return w.narrow(w.help(kind, wide[0].type, wide), number_of(op.results[0].type))

    return compute


def number_extreme_lanes(operator: str) -> Whole:
    """A maximum or minimum that passes over NaN."""

    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
        number = number_of(op.results[0].type)
        if number.is_short:
            return None
        left, right = (w.held(one) for one in given)
        mask_type = NumberType("m", number.bits)
        beyond = vector_binary(operator, left, right, mask_type)
        is_nan = vector_binary("!=", right, right, mask_type)
        mask = replace(vector_binary("|", beyond, is_nan, mask_type), lanes=left.lanes)
        return selected(replace(mask, form="whole"), left, right, w)

    return compute


_ORDERED = {"oeq": "==", "olt": "<", "ole": "<=", "ogt": ">", "oge": ">=", "une": "!="}
_NEGATED = {"ult": ">=", "ule": ">", "ugt": "<=", "uge": "<"}


def compare_floats(op: Any, given: list[CExpr], w: FunctionWriter) -> CExpr:
    word = arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
    left, right = (w.widen(one) for one in given)
    if word in ("false", "true"):
        return truth(word == "true")
    if word in _ORDERED:
        return binary(_ORDERED[word], left, right, BOOL)
    if word in _NEGATED:
        return unary("!", binary(_NEGATED[word], left, right, BOOL), BOOL)
    w.parts.include("math.h")
    function = "isunordered" if word in ("ord", "uno") else "islessgreater"
    # As macros these may name their operands twice.
    found = call(function, [left, right], BOOL)
    is_negated = word in ("ord", "ueq")
    return unary("!", found, BOOL) if is_negated else binary("!=", found, integer(0, U32), BOOL)


def compare_float_lanes(op: Any, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
    word = arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
    if given[0].type.is_short or word not in (*_ORDERED, *_NEGATED):
        return None
    left, right = (scalar_part(one, w) for one in given)
    mask = NumberType("m", given[0].type.bits)
    if word in _ORDERED:
        return vector_binary(_ORDERED[word], left, right, mask)
    return unary("~", vector_binary(_NEGATED[word], left, right, mask), mask)


# Choices and conversions


def select(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
    test, yes, no = given
    if yes.type != no.type:
        yes, no = as_signed(yes), as_signed(no)
    return choice(test, yes, no, yes.type)


def select_lanes(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
    test, yes, no = given
    if test.type.family != "m" or yes.type.family in ("b", "m"):
        return None
    if yes.type != no.type:
        return None
    return selected(test, w.whole(yes), w.whole(no), w)


def selected(mask: CExpr, yes: CExpr, no: CExpr, w: FunctionWriter) -> CExpr:
    """The lanes of `yes` where a mask is set, else those of `no`; all are whole vectors."""
    number = yes.type
    mask = w.held(mask_for(mask, number.bits, w))
    bits = mask.type
    taken = vector_binary("&", mask, vector_cast(yes, bits, w), bits)
    left = vector_binary("&", unary("~", mask, bits), vector_cast(no, bits, w), bits)
    both = vector_binary("|", taken, left, bits)
    both = replace(both, lanes=yes.lanes, form="whole")
    return vector_cast(both, number, w)


def extend(family: str) -> Scalar:
    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
        number = number_of(op.results[0].type).of(family)
        value = as_signed(given[0]) if family == "i" else as_unsigned(given[0])
        if value.literal is not None:
            return integer(value.literal, number)
        return cast(value, number)

    return compute


def extend_lanes(family: str) -> Whole:
    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
        number = number_of(op.results[0].type).of(family)
        if given[0].type.family == "b" or (given[0].type.family == "m" and family == "u"):
            return None
        value = w.whole(given[0])
        source = value.type.of(family)
        return converted(vector_cast(value, source, w), number, w)

    return compute


def truncate(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
    number = number_of(op.results[0].type)
    (value,) = given
    if number.family == "b":
        low = binary("&", value, integer(1, value.type.of("i")), value.type)
        return binary("!=", low, integer(0, value.type), BOOL)
    if value.literal is not None:
        return integer(signed(value.literal, element_type(op.results[0].type)), number)
    return cast(value, number.of("u"))


def truncate_lanes(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
    number = number_of(op.results[0].type)
    return None if number.family == "b" else converted(w.whole(given[0]), number.of("u"), w)


def index_cast(family: str) -> Scalar:
    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
        source, target = given[0].type, number_of(op.results[0].type)
        if target.family == "b" or target.bits < source.bits:
            return truncate(op, given, w)
        is_same = target.bits == source.bits and source.family != "b"
        return given[0] if is_same else extend(family)(op, given, w)

    return compute


def index_cast_lanes(family: str) -> Whole:
    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
        source, target = given[0].type, number_of(op.results[0].type)
        if target.family == "b" or source.family in ("b", "m"):
            return None
        if target.bits == source.bits:
            return w.whole(given[0])
        if target.bits < source.bits:
            return truncate_lanes(op, given, w)
        return extend_lanes(family)(op, given, w)

    return compute


def from_integer(family: str) -> Scalar:
    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
        number = number_of(op.results[0].type)
        value = as_signed(given[0]) if family == "i" else as_unsigned(given[0])
        wide = F32 if number.is_short else number
        return w.narrow(cast(value, wide), number)

    return compute


def from_integer_lanes(family: str) -> Whole:
    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
        number = number_of(op.results[0].type)
        if number.is_short or given[0].type.family in ("b", "m"):
            return None
        value = w.whole(given[0])
        return converted(vector_cast(value, value.type.of(family), w), number, w)

    return compute


def to_integer(family: str) -> Scalar:
    """An integer of a float, without its fraction; what has none in it is some integer."""

    def compute(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
        number = number_of(op.results[0].type)
        wide = w.widen(given[0])
        bits = 64 if number.bits == 64 else 32
        if family == "u" and number.bits == 32:
            bits = 64
        target = NumberType(family if bits == number.bits else "i", bits)
        found = w.help("to_integer", target, [wide], wide.type)
        if number.family == "b":
            return truncate(op, [found], w)
        return found if bits == number.bits else cast(found, number.of("u"))

    return compute


def convert_float(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
    return w.narrow(given[0], number_of(op.results[0].type))


def convert_float_lanes(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
    number = number_of(op.results[0].type)
    if number.is_short or given[0].type.is_short:
        return None
    return converted(w.whole(given[0]), number, w)


def bitcast(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
    (value,) = given
    return bits_as(value, number_of(op.results[0].type), w)


def bits_as(value: CExpr, number: NumberType, w: FunctionWriter) -> CExpr:
    """The bits of a number as another one."""
    source = value.type
    is_plain = source.is_integer or source.is_short
    if source.family == number.family or "b" in (source.family, number.family):
        return value
    if is_plain and (number.is_integer or number.is_short):
        if source.is_integer and number.is_integer:
            return value
        return cast(value, number)
    value = as_unsigned(value)  # one function for both families
    return w.help("bits", number, [value], value.type)


def bitcast_lanes(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr | None:
    number = number_of(op.results[0].type)
    if "b" in (number.family, given[0].type.family):
        return None
    return vector_cast(w.whole(given[0]), number, w)


def remainder_of_floats(op: Operation, given: list[CExpr], w: FunctionWriter) -> CExpr:
    w.parts.include("math.h")
    wide = [w.widen(one) for one in given]
    name = "fmodf" if wide[0].type == F32 else "fmod"
    return w.narrow(call(name, wide, wide[0].type), number_of(op.results[0].type))


_SCALAR: dict[type[Operation], Rule] = {
    arith.ConstantOp: write_constant,
    arith.AddiOp: lanewise(wrapping("+"), wrapping_lanes("+")),
    arith.SubiOp: lanewise(wrapping("-"), wrapping_lanes("-")),
    arith.MuliOp: lanewise(wrapping("*"), wrapping_lanes("*")),
    arith.ShLIOp: lanewise(shift("<<", "u"), shift_lanes("<<", "u")),
    arith.ShRUIOp: lanewise(shift(">>", "u"), shift_lanes(">>", "u")),
    arith.ShRSIOp: lanewise(shift(">>", "i"), shift_lanes(">>", "i")),
    arith.AndIOp: lanewise(bitwise("&", "&&"), bitwise_lanes("&")),
    arith.OrIOp: lanewise(bitwise("|", "||"), bitwise_lanes("|")),
    arith.XOrIOp: lanewise(bitwise("^", "!="), bitwise_lanes("^")),
    arith.DivSIOp: lanewise(division("div", "i"), division_lanes("i", "/")),
    arith.DivUIOp: lanewise(division("div", "u"), division_lanes("u", "/")),
    arith.RemSIOp: lanewise(division("rem", "i", "%"), division_lanes("i", "%")),
    arith.RemUIOp: lanewise(division("rem", "u", "%"), division_lanes("u", "%")),
    arith.FloorDivSIOp: lanewise(division("floordiv", "i")),
    arith.CeilDivSIOp: lanewise(division("ceildiv", "i")),
    arith.CeilDivUIOp: lanewise(division("ceildivu", "u")),
    arith.MinSIOp: lanewise(extreme("min", "i"), extreme_lanes("<", "i")),
    arith.MaxSIOp: lanewise(extreme("max", "i"), extreme_lanes(">", "i")),
    arith.MinUIOp: lanewise(extreme("min", "u"), extreme_lanes("<", "u")),
    arith.MaxUIOp: lanewise(extreme("max", "u"), extreme_lanes(">", "u")),
    arith.CmpiOp: write_comparison,
    arith.CmpfOp: lanewise(compare_floats, compare_float_lanes),
    arith.SelectOp: lanewise(select, select_lanes),
    arith.AddfOp: lanewise(float_arithmetic("+"), float_lanes("+")),
    arith.SubfOp: lanewise(float_arithmetic("-"), float_lanes("-")),
    arith.MulfOp: lanewise(float_arithmetic("*"), float_lanes("*")),
    arith.DivfOp: lanewise(float_arithmetic("/"), float_lanes("/")),
    upstream.FRemOp: lanewise(remainder_of_floats),
    arith.NegfOp: lanewise(negate, negate_lanes),
    arith.MaximumfOp: lanewise(float_extreme("maximum")),
    arith.MinimumfOp: lanewise(float_extreme("minimum")),
    arith.MaxnumfOp: lanewise(float_extreme("maxnum"), number_extreme_lanes(">")),
    arith.MinnumfOp: lanewise(float_extreme("minnum"), number_extreme_lanes("<")),
    arith.ExtFOp: lanewise(convert_float, convert_float_lanes),
    arith.TruncFOp: lanewise(convert_float, convert_float_lanes),
    arith.SIToFPOp: lanewise(from_integer("i"), from_integer_lanes("i")),
    arith.UIToFPOp: lanewise(from_integer("u"), from_integer_lanes("u")),
    arith.FPToSIOp: lanewise(to_integer("i")),
    arith.FPToUIOp: lanewise(to_integer("u")),
    arith.ExtSIOp: lanewise(extend("i"), extend_lanes("i")),
    arith.ExtUIOp: lanewise(extend("u"), extend_lanes("u")),
    arith.TruncIOp: lanewise(truncate, truncate_lanes),
    arith.BitcastOp: lanewise(bitcast, bitcast_lanes),
    arith.IndexCastOp: lanewise(index_cast("i"), index_cast_lanes("i")),
    IndexCastUIOp: lanewise(index_cast("u"), index_cast_lanes("u")),
}

RULES: dict[type[Operation], Rule] = _SCALAR | {
    vector: _SCALAR[scalar] for scalar, vector in LANEWISE.items()
}
