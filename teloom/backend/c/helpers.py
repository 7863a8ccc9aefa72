"""Small functions of C that operations become where C's own operators mean something else.

Each is written once, into the sources that call it. They have no undefined behaviour: arithmetic
is on unsigned integers, which wrap, and what an operator does not define is tested for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from teloom.backend.c.types import NumberType


class Helper(NamedTuple):
    """The text of a function, and the functions that it calls."""

    text: str
    calls: tuple[tuple[str, NumberType, NumberType | None], ...] = ()
    includes: tuple[str, ...] = ()


def helper_name(kind: str, type: NumberType, source: NumberType | None = None) -> str:
    """The name of a helper on a type, or from one type to another."""
    return f"{source.short}_to_{type.short}" if source else f"{kind}_{type.short}"


def helper(kind: str, type: NumberType, source: NumberType | None = None) -> Helper:
    """The helper of a `kind` on numbers of a type, or from numbers of another type."""
    return HELPERS[kind](type, source)


def _function(kind: str, type: NumberType, parameters: str, body: str, result: str = "") -> str:
    spelled = result or type.spelled
    typed = ", ".join(f"{type.spelled} {name}" for name in parameters.split())
    return f"static inline {spelled} {helper_name(kind, type)}({typed}) {{\n{body}}}\n"


def _select(kind: str, test: str) -> Callable[[NumberType, NumberType | None], Helper]:
    return lambda type, _: Helper(_function(kind, type, "a b", f"  return {test} ? a : b;\n"))


def _division(kind: str, on_rest: str) -> Callable[[NumberType, NumberType | None], Helper]:
    def make(type: NumberType, _: NumberType | None) -> Helper:
        unsigned = type.of("u").spelled
        lines = ["  if (b == 0) return 0;\n"]
        if type.family == "i":
            lines.append(f"  if (b == -1) return ({type.spelled})(0u - ({unsigned})a);\n")
        quotient = f"({type.spelled})(a / b)" if type.bits < 32 else "a / b"
        lines.append(f"  return {quotient}{on_rest};\n")
        return Helper(_function(kind, type, "a b", "".join(lines)))

    return make


def _remainder(type: NumberType, _: NumberType | None) -> Helper:
    stops = "b == 0 || b == -1" if type.family == "i" else "b == 0"
    remainder = f"({type.spelled})(a % b)" if type.bits < 32 else "a % b"
    return Helper(_function("rem", type, "a b", f"  return {stops} ? 0 : {remainder};\n"))


def _shift(kind: str, operator: str) -> Callable[[NumberType, NumberType | None], Helper]:
    def make(type: NumberType, _: NumberType | None) -> Helper:
        amount = f"(b & {type.bits - 1})"
        shifted = f"({type.spelled})(a {operator} {amount})"
        return Helper(_function(kind, type, "a b", f"  return {shifted};\n"))

    return make


def _ordered(
    kind: str, sign: str, passes_nan: bool
) -> Callable[[NumberType, NumberType | None], Helper]:
    """A maximum or minimum of floats."""

    def make(type: NumberType, _: NumberType | None) -> Helper:
        if passes_nan:
            body = f"  return a {sign} b || b != b ? a : b;\n"
            return Helper(_function(kind, type, "a b", body))
        first = "!signbit(a)" if sign == ">" else "signbit(a)"
        body = (
            "  if (a != a || b != b) return a + b;\n"
            f"  return a {sign} b || (a == b && {first}) ? a : b;\n"
        )
        return Helper(_function(kind, type, "a b", body), includes=("math.h",))

    return make


def _below(type: NumberType, _: NumberType | None) -> Helper:
    return Helper(_function("below", type, "a b", "  return a < b;\n", "bool"))


def _bits(type: NumberType, source: NumberType | None) -> Helper:
    assert source is not None
    name = helper_name("bits", type)
    members = f"{source.spelled} from; {type.spelled} to;"
    return Helper(
        f"static inline {type.spelled} {name}({source.spelled} x) {{\n"
        f"  union {{ {members} }} bits = {{x}};\n"
        "  return bits.to;\n}\n"
    )


def _to_integer(type: NumberType, source: NumberType | None) -> Helper:
    assert source is not None
    end = f"{2.0 ** (type.bits - (type.family == 'i'))!r}{'f' if source.bits == 32 else ''}"
    least = f"INT{type.bits}_MIN" if type.family == "i" else "0"
    begin = f"-{end}" if type.family == "i" else "-1.0" + ("f" if source.bits == 32 else "")
    above = ">=" if type.family == "i" else ">"
    if source.bits == 64 and type.bits == 32 and type.family == "i":
        begin, above = "-2147483649.0", ">"
    return Helper(
        f"static inline {type.spelled} {helper_name('', type, source)}({source.spelled} x) {{\n"
        f"  return x {above} {begin} && x < {end} ? ({type.spelled})x : {least};\n}}\n"
    )


def _power(type: NumberType, _: NumberType | None) -> Helper:
    unsigned = type.of("u").spelled
    body = (
        "  if (exponent < 0 && base != 1 && base != -1) return 0;\n"
        "  uint64_t square = (uint64_t)base, power = 1;\n"
        f"  for ({unsigned} rest = ({unsigned})exponent; rest; rest >>= 1) {{\n"
        "    if (rest & 1) power *= square;\n"
        "    square *= square;\n  }\n"
        f"  return ({type.spelled})({unsigned})power;\n"
    )
    return Helper(_function("power", type, "base exponent", body))


def _absolute(type: NumberType, _: NumberType | None) -> Helper:
    unsigned = type.of("u").spelled
    negated = f"({type.spelled})({unsigned})(0u - ({unsigned})a)"
    return Helper(_function("abs", type, "a", f"  return a < 0 ? {negated} : a;\n"))


def _ones(type: NumberType, _: NumberType | None) -> Helper:
    body = "  uint64_t rest = a;\n"
    for shift, mask in ((1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F)):
        body += f"  rest = (rest & 0x{mask:x}u) + (rest >> {shift} & 0x{mask:x}u);\n"
    body += f"  return ({type.spelled})(rest * 0x101010101010101u >> 56);\n"
    return Helper(_function("ones", type, "a", body))


def _leading(type: NumberType, _: NumberType | None) -> Helper:
    body = f"  {type.spelled} count = 0;\n"
    body += f"  for (uint64_t bit = UINT64_C(1) << {type.bits - 1}; bit && !(a & bit); bit >>= 1) "
    body += "++count;\n  return count;\n"
    return Helper(_function("leading_zeros", type, "a", body))


def _trailing(type: NumberType, _: NumberType | None) -> Helper:
    below = f"({type.spelled})(a - 1u)"
    body = f"  return ones_{type.short}(({type.spelled})(~a & {below}));\n"
    return Helper(_function("trailing_zeros", type, "a", body), calls=(("ones", type, None),))


_HALF_TO_FLOAT = """\
static inline float f16_to_f32(f16 x) {
  const uint32_t sign = (uint32_t)(x & 0x8000u) << 16, rest = x & 0x7fffu;
  union { uint32_t bits; float value; } number = {rest << 13};
  if (rest < 0x7c00u) {
    number.value *= 0x1p112f;
  } else {
    number.bits |= rest > 0x7c00u ? 0x7fc00000u : 0x7f800000u;
  }
  number.bits |= sign;
  return number.value;
}
"""

_FLOAT_TO_HALF = """\
static inline f16 f32_to_f16(float x) {
  union { float value; uint32_t bits; } number = {x};
  const uint32_t sign = number.bits >> 16 & 0x8000u;
  number.bits &= 0x7fffffffu;
  const uint32_t rest = number.bits, odd = rest >> 13 & 1u;
  uint32_t half = (rest - 0x38000000u + 0xfffu + odd) >> 13;
  if (rest > 0x7f800000u) {
    half = 0x7e00u | (rest >> 13 & 0x3ffu);
  } else if (rest >= 0x47800000u) {
    half = 0x7c00u;
  } else if (rest < 0x38800000u) {
    number.value += 0.5f;
    half = number.bits - 0x3f000000u;
  }
  return (f16)(sign | half);
}
"""

_DOUBLE_TO_HALF = """\
static inline f16 f64_to_f16(double x) {
  union { double value; uint64_t bits; } number = {x};
  /* Rounded to odd first, it is as if it were rounded once. */
  number.bits |= (number.bits & 0x1fffffffu) + 0x1fffffffu;
  number.bits &= ~(uint64_t)0x1fffffffu;
  return f32_to_f16((float)number.value);
}
"""

_BFLOAT_TO_FLOAT = """\
static inline float bf16_to_f32(bf16 x) {
  union { uint32_t bits; float value; } number = {(uint32_t)x << 16};
  return number.value;
}
"""

_FLOAT_TO_BFLOAT = """\
static inline bf16 f32_to_bf16(float x) {
  union { float value; uint32_t bits; } number = {x};
  const uint32_t high = number.bits >> 16;
  return (bf16)(x != x ? high | 0x40u : (number.bits + 0x7fffu + (high & 1u)) >> 16);
}
"""

_DOUBLE_TO_BFLOAT = """\
static inline bf16 f64_to_bf16(double x) {
  return f32_to_bf16((float)x);
}
"""

_TO_DOUBLE = """\
static inline double {short}_to_f64({short} x) {{
  return {short}_to_f32(x);
}}
"""

_SHORT = {
    ("f16", "f32"): Helper(_HALF_TO_FLOAT),
    ("f32", "f16"): Helper(_FLOAT_TO_HALF),
    ("bf16", "f32"): Helper(_BFLOAT_TO_FLOAT),
    ("f32", "bf16"): Helper(_FLOAT_TO_BFLOAT),
}


def _convert(type: NumberType, source: NumberType | None) -> Helper:
    assert source is not None
    if source.bits == 64:
        text = _DOUBLE_TO_HALF if type.family == "f" else _DOUBLE_TO_BFLOAT
        return Helper(text, calls=(("convert", type, NumberType("f", 32)),))
    if type.bits == 64:
        text = _TO_DOUBLE.format(short=source.short)
        return Helper(text, calls=(("convert", NumberType("f", 32), source),))
    return _SHORT[source.short, type.short]


_ALLOCATE = """\
static inline void *teloom_allocate(int64_t count, size_t width, size_t alignment) {
  if (count < 0 || (uint64_t)count > (SIZE_MAX / 2 - alignment) / width) return NULL;
  return aligned_alloc(alignment, ((size_t)count * width / alignment + 1) * alignment);
}
"""


def _allocate(type: NumberType, _: NumberType | None) -> Helper:
    return Helper(_ALLOCATE, includes=("stdlib.h",))


HELPERS: dict[str, Callable[[NumberType, NumberType | None], Helper]] = {
    "min": _select("min", "a < b"),
    "max": _select("max", "a > b"),
    "div": _division("div", ""),
    "floordiv": _division("floordiv", " - (a % b != 0 && (a < 0) != (b < 0))"),
    "ceildiv": _division("ceildiv", " + (a % b != 0 && (a < 0) == (b < 0))"),
    "ceildivu": _division("ceildivu", " + (a % b != 0)"),
    "rem": _remainder,
    "shl": _shift("shl", "<<"),
    "shr": _shift("shr", ">>"),
    "maxnum": _ordered("maxnum", ">", True),
    "minnum": _ordered("minnum", "<", True),
    "maximum": _ordered("maximum", ">", False),
    "minimum": _ordered("minimum", "<", False),
    "below": _below,
    "bits": _bits,
    "to_integer": _to_integer,
    "convert": _convert,
    "power": _power,
    "abs": _absolute,
    "ones": _ones,
    "leading_zeros": _leading,
    "trailing_zeros": _trailing,
    "allocate": _allocate,
}
"""Makes the text of a helper for the types that it is called on."""
