"""How far each elementary function may be off, and what computes it: the one table.

An error is in ulp, units in the last place of the exact result: one that is rounded once has 1/2.
The table's numbers hold for all arguments, and for all results: NaN and infinities are exact, and
denormal results as near as others. At level "fast" what is less than twice the least normal float
may be 0 instead. How they are checked says docs/testing.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, cast

from xdsl.dialects import llvm
from xdsl.dialects import math as math_dialect
from xdsl.ir import Operation

from teloom.errors import PassError, did_you_mean
from teloom.passes.elementary import (
    error_function,
    exponentials,
    hyperbolic,
    inverse_hyperbolic,
    inverse_trigonometric,
    logarithms,
    powers,
    remainders,
    trigonometric,
)
from teloom.passes.elementary.numbers import FORMATS, Format, LaneMask, Number

Level = Literal["precise", "default", "fast"]
LEVELS: tuple[Level, ...] = ("precise", "default", "fast")


def checked_level(name: str) -> Level:
    """The level of that name; raises `PassError` if there is none."""
    if name not in LEVELS:
        hint = did_you_mean(name, LEVELS) or f"; levels: {', '.join(LEVELS)}"
        raise PassError(f"no level {name!r} of functions{hint}")
    return cast(Level, name)


def flushes(name: str) -> bool:
    """Whether what is denormal may be 0 at the level of that name."""
    return checked_level(name) == "fast"


Formula = Callable[..., Number]
"""What writes a function, of one number or two."""


class Errors(NamedTuple):
    """The greatest errors of results of a type, in ulp, at each level."""

    precise: float
    default: float
    fast: float


class Accuracy(NamedTuple):
    """The greatest errors of a function; results of 16 bits are off by at most `SHORT`."""

    f32: Errors
    f64: Errors


SHORT = 0.51
"""In ulp of a type of 16 bits: rounded once, from float32."""

_ONCE = 0.51
"""The same, from float64."""


class ElementaryFunction(NamedTuple):
    """An elementary function, its formulas and their errors.

    `fast` is another formula, for level "fast". `wide` says that float32 is computed in float64
    at all levels. Where arguments are `beyond` the formula, the C library computes it. At level
    "precise" it computes float64 where it is nearer, unless an `own_precise` formula is as near.
    """

    op: type[Operation]
    formula: Formula
    accuracy: Accuracy
    fast: Formula | None = None
    wide: bool = False
    beyond: Callable[..., LaneMask] | None = None
    own_precise: bool = False

    def computed_in(self, element: str, level: Level) -> Format | None:
        """The format in which it is computed for a type; None where the C library does it.

        At level "precise" float32 is computed in float64, and float64 by whatever is nearer.
        """
        if element == "f64":
            errors = self.accuracy.f64
            is_worse = errors.precise < errors.default and not self.own_precise
            return None if level == "precise" and is_worse else FORMATS["f64"]
        if element not in ("f16", "bf16", "f32"):
            return None
        once = element == "f32" and level == "precise"
        return FORMATS["f64" if once or self.wide else "f32"]

    def formula_at(self, level: Level) -> Formula:
        """The formula that writes it at a level."""
        return self.fast if level == "fast" and self.fast is not None else self.formula


def _same(f32: float, f64: float, library: float | None = None) -> Accuracy:
    """The errors of a function whose level "fast" is "default"; those of the library, if less."""
    precise = f64 if library is None else library
    return Accuracy(Errors(_ONCE, f32, f32), Errors(precise, f64, f64))


FUNCTIONS: dict[str, ElementaryFunction] = {
    "exp": ElementaryFunction(
        math_dialect.ExpOp,
        exponentials.exp,
        Accuracy(Errors(_ONCE, 1.2, 4), Errors(1, 1.2, 4)),
        exponentials.exp_fast,
    ),
    "log": ElementaryFunction(math_dialect.LogOp, logarithms.log, _same(1, 1)),
    "log1p": ElementaryFunction(math_dialect.Log1pOp, logarithms.log1p, _same(1, 1)),
    "log2": ElementaryFunction(math_dialect.Log2Op, logarithms.log2, _same(1, 1)),
    "log10": ElementaryFunction(math_dialect.Log10Op, logarithms.log10, _same(1, 1)),
    "sin": ElementaryFunction(
        math_dialect.SinOp,
        trigonometric.sin,
        Accuracy(Errors(_ONCE, 1, 2.5), Errors(1, 1, 2.5)),
        trigonometric.sin_fast,
        beyond=trigonometric.is_beyond,
    ),
    "cos": ElementaryFunction(
        math_dialect.CosOp,
        trigonometric.cos,
        Accuracy(Errors(_ONCE, 1, 2.5), Errors(1, 1, 2.5)),
        trigonometric.cos_fast,
        beyond=trigonometric.is_beyond,
    ),
    "tan": ElementaryFunction(
        math_dialect.TanOp,
        trigonometric.tan,
        Accuracy(Errors(_ONCE, 2.5, 2.5), Errors(1, 2.5, 2.5)),
        beyond=trigonometric.is_beyond,
    ),
    "asin": ElementaryFunction(
        math_dialect.AsinOp, inverse_trigonometric.asin, _same(2, 2, library=1)
    ),
    "acos": ElementaryFunction(
        math_dialect.AcosOp, inverse_trigonometric.acos, _same(1.5, 1.5, library=1)
    ),
    "atan": ElementaryFunction(
        math_dialect.AtanOp, inverse_trigonometric.atan, _same(1.5, 1.5, library=1)
    ),
    "atan2": ElementaryFunction(
        math_dialect.Atan2Op, inverse_trigonometric.atan2, _same(1.7, 1.7, library=1)
    ),
    "sinh": ElementaryFunction(math_dialect.SinhOp, hyperbolic.sinh, _same(2, 2)),
    "cosh": ElementaryFunction(math_dialect.CoshOp, hyperbolic.cosh, _same(2, 2)),
    "tanh": ElementaryFunction(math_dialect.TanhOp, hyperbolic.tanh, _same(1.5, 1.5)),
    "asinh": ElementaryFunction(
        math_dialect.AsinhOp, inverse_hyperbolic.asinh, _same(_ONCE, 2.2, library=2), wide=True
    ),
    "acosh": ElementaryFunction(
        math_dialect.AcoshOp, inverse_hyperbolic.acosh, _same(_ONCE, 2.2, library=2), wide=True
    ),
    "atanh": ElementaryFunction(
        math_dialect.AtanhOp, inverse_hyperbolic.atanh, _same(_ONCE, 2.2, library=2), wide=True
    ),
    "erf": ElementaryFunction(math_dialect.ErfOp, error_function.erf, _same(1.2, 1)),
    "power": ElementaryFunction(
        math_dialect.PowFOp, powers.power, _same(1.5, 1.5, library=1), own_precise=True
    ),
    "fmod": ElementaryFunction(
        llvm.FRemOp,
        remainders.fmod,
        Accuracy(Errors(0, 0, 0), Errors(0, 0, 0)),
        beyond=remainders.is_far,
    ),
}
"""The functions that `expand-math` writes, by their names in `te`."""

COMPOSED: dict[str, Accuracy] = {
    "sqrt": Accuracy(Errors(0.5, 0.5, 0.5), Errors(0.5, 0.5, 0.5)),
    "rsqrt": Accuracy(Errors(1.5, 1.5, 1.5), Errors(1.5, 1.5, 1.5)),
    "sigmoid": Accuracy(Errors(3, 3, 5), Errors(3, 3, 5)),
}
"""The errors of functions that are a few operations, of which one may be one of `FUNCTIONS`."""

NAMES = {function.op: name for name, function in FUNCTIONS.items()}
"""The functions by the op that they are."""


def greatest_error(name: str, type: str, level: Level) -> float:
    """The greatest error of a function of `te`, in ulp; `type` is f16, bf16, f32 or f64."""
    accuracy = FUNCTIONS[name].accuracy if name in FUNCTIONS else COMPOSED[name]
    if type in ("f32", "f64"):
        errors = accuracy.f32 if type == "f32" else accuracy.f64
        return getattr(errors, level)
    # Each of the operations of a composed function rounds to 16 bits.
    return SHORT if name in FUNCTIONS or name == "sqrt" else getattr(accuracy.f32, level)
