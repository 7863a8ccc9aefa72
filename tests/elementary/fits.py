"""Which polynomial each elementary function needs, and how exact it is.

`python -m tests.elementary fits` prints `teloom/passes/elementary/coefficients.py`, with the
greatest error of each polynomial as a part of the unit in the last place of the function.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import NamedTuple

import numpy as np
from elementary.minimax import Real, minimax

ONE = Decimal(1)
TINY = Decimal("1e-9")
LEAST = Decimal("1e-5")
"""Of a weight: at 0 what an error of the polynomial changes is nothing."""


class Fit(NamedTuple):
    """A function of the reduced argument on an interval, and how many coefficients it takes.

    An error of the polynomial, times `weight`, is one of the result, relative to it.
    """

    name: str
    meaning: str
    f: Real
    low: float
    high: float
    weight: Real
    terms: dict[str, int]


def exp_tail(r: Decimal) -> Decimal:
    """(exp(r) - 1 - r) / r^2."""
    if abs(r) < TINY:
        return ONE / 2 + r / 6
    return (r.exp() - 1 - r) / (r * r)


def log_tail(z: Decimal) -> Decimal:
    """(log((1 + s) / (1 - s)) - 2 s) / s^3, for z = s^2."""
    if z < TINY:
        return 2 * (ONE / 3 + z / 5)
    s = z.sqrt()
    return (((1 + s) / (1 - s)).ln() - 2 * s) / (s * z)


def sine_tail(z: Decimal) -> Decimal:
    """(sin(r) - r) / r^3, for z = r^2: its own series."""
    return _series(z, lambda k: -z / ((2 * k + 4) * (2 * k + 5)), -ONE / 6)


def cosine_tail(z: Decimal) -> Decimal:
    """(cos(r) - 1 + r^2 / 2) / r^4, for z = r^2: its own series."""
    return _series(z, lambda k: -z / ((2 * k + 5) * (2 * k + 6)), ONE / 24)


def arctangent_tail(z: Decimal) -> Decimal:
    """(atan(t) - t) / t^3, for z = t^2: its own series, of quotients of neighbours."""
    return _series(z, lambda k: -z * (2 * k + 3) / (2 * k + 5), -ONE / 3)


def arcsine_tail(z: Decimal) -> Decimal:
    """(asin(x) - x) / x^3, for z = x^2: its own series, of quotients of neighbours."""
    return _series(z, lambda k: z * (2 * k + 3) ** 2 / ((2 * k + 4) * (2 * k + 5)), ONE / 6)


def sinh_tail(z: Decimal) -> Decimal:
    """(sinh(x) - x) / x^3, for z = x^2: its own series."""
    return _series(z, lambda k: z / ((2 * k + 4) * (2 * k + 5)), ONE / 6)


def tanh_tail(z: Decimal) -> Decimal:
    """(tanh(x) - x) / x^3, for z = x^2; of its series at 0 two terms."""
    if z < TINY:
        return -ONE / 3 + 2 * z / 15
    x = z.sqrt()
    power = (2 * x).exp()
    return ((power - 1) / (power + 1) - x) / (x * z)


def _series(z: Decimal, quotient, first: Decimal) -> Decimal:
    total, term, k = Decimal(0), first, 0
    while abs(term) > Decimal("1e-45"):
        total += term
        term *= quotient(k)
        k += 1
    return total


@cache
def _pi() -> Decimal:
    # Machin, 1706.
    def arctangent(t: Decimal) -> Decimal:
        return t + t * t * t * arctangent_tail(t * t)

    return 16 * arctangent(ONE / 5) - 4 * arctangent(ONE / 239)


def error_function(x: Decimal) -> Decimal:
    """2 / sqrt(pi) * the integral of exp(-t^2) from 0 to x, by its series."""
    total, power, k = Decimal(0), x, 0
    while abs(power) > Decimal("1e-50"):
        total += power / (2 * k + 1)
        k += 1
        power *= -x * x / k
    return 2 * total / _pi().sqrt()


def erf_near(z: Decimal) -> Decimal:
    """erf(x) / x - 1, for z = x^2."""
    x = max(z, TINY**2).sqrt()
    return error_function(x) / x - 1


@cache
def erf_far(t: Decimal) -> Decimal:
    """-log(1 - erf(a)), for t = a - ERF_CENTER."""
    return -(1 - error_function(t + ERF_CENTER)).ln()


SINH_NEAR = 1.0
TANH_NEAR = 0.625
ERF_NEAR = 0.875
ERF_CENTER = Decimal("1")
HALF_LN2 = 0.3480
QUARTER_PI = 0.7935
SQRT2 = 0.17160

FITS = (
    Fit(
        "EXP",
        "(exp(r) - 1 - r) / r^2 for |r| up to log(2) / 2",
        exp_tail,
        -HALF_LN2,
        HALF_LN2,
        lambda r: r * r / r.exp() + LEAST,
        {"f32": 5, "f64": 11},
    ),
    Fit(
        "EXP_FAST",
        "the same, with fewer terms",
        exp_tail,
        -HALF_LN2,
        HALF_LN2,
        lambda r: r * r / r.exp() + LEAST,
        {"f32": 4, "f64": 9},
    ),
    Fit(
        "EXP_SHORT",
        "the same, for a result of float32",
        exp_tail,
        -HALF_LN2,
        HALF_LN2,
        lambda r: r * r / r.exp() + LEAST,
        {"f64": 6},
    ),
    Fit(
        "LOG",
        "(log((1 + s) / (1 - s)) - 2 s) / s^3 of s^2, for |s| up to 3 - sqrt(8)",
        log_tail,
        0,
        SQRT2**2,
        lambda z: z / 2 + LEAST,
        {"f32": 3, "f64": 7},
    ),
    Fit(
        "LOG_SHORT",
        "the same, for a result of float32",
        log_tail,
        0,
        SQRT2**2,
        lambda z: z / 2 + LEAST,
        {"f64": 5},
    ),
    Fit(
        "SIN",
        "(sin(r) - r) / r^3 of r^2, for |r| up to pi / 4",
        sine_tail,
        0,
        QUARTER_PI**2,
        lambda z: z + LEAST,
        {"f32": 3, "f64": 6},
    ),
    Fit(
        "COS",
        "(cos(r) - 1 + r^2 / 2) / r^4 of r^2, for |r| up to pi / 4",
        cosine_tail,
        0,
        QUARTER_PI**2,
        lambda z: z * z + LEAST,
        {"f32": 3, "f64": 6},
    ),
    Fit(
        "SINH",
        f"(sinh(x) - x) / x^3 of x^2, for |x| up to {SINH_NEAR}",
        sinh_tail,
        0,
        SINH_NEAR**2,
        lambda z: z + LEAST,
        {"f32": 3, "f64": 7},
    ),
    Fit(
        "TANH",
        f"(tanh(x) - x) / x^3 of x^2, for |x| up to {TANH_NEAR}",
        tanh_tail,
        0,
        TANH_NEAR**2,
        lambda z: z + LEAST,
        {"f32": 5, "f64": 11},
    ),
    Fit(
        "ATAN",
        "(atan(t) - t) / t^3 of t^2, for |t| up to 1 / 2",
        arctangent_tail,
        0,
        0.25,
        lambda z: z + LEAST,
        {"f32": 5, "f64": 12},
    ),
    Fit(
        "ASIN",
        "(asin(x) - x) / x^3 of x^2, for |x| up to 1 / 2",
        arcsine_tail,
        0,
        0.25,
        lambda z: z + LEAST,
        {"f32": 5, "f64": 12},
    ),
    Fit(
        "ERF_NEAR",
        f"erf(x) / x - 1 of x^2, for |x| up to {ERF_NEAR}",
        erf_near,
        0,
        ERF_NEAR**2,
        lambda z: ONE,
        {"f32": 6, "f64": 12},
    ),
    Fit(
        "ERF_FAR",
        f"-log(1 - erf(a)) of a - {ERF_CENTER}, for a from {ERF_NEAR} to 6, where erf(a) is 1",
        erf_far,
        ERF_NEAR - float(ERF_CENTER),
        6 - float(ERF_CENTER),
        lambda t: (-erf_far(t)).exp(),
        {"f32": 7, "f64": 20},
    ),
)

PRECISION = {"f32": 24, "f64": 53}
ROUNDED = {"f32": np.float32, "f64": np.float64}


def fitted(fit: Fit, type: str) -> tuple[list[float], float]:
    """The coefficients, rounded to the type, and the greatest error before that, in ulp."""
    exact, error = minimax(fit.f, fit.terms[type], fit.low, fit.high, fit.weight)
    rounded = [float(ROUNDED[type](float(each))) for each in exact]
    return rounded, float(error) * 2 ** PRECISION[type]


HEAD = '''"""Coefficients of the polynomials, the constant one first, by type.

Written by `python -m tests.elementary fits`, which finds the polynomials with the least greatest
error. Each says that error, as a part of the unit in the last place of what it is for.
"""

SINH_NEAR_LIMIT, TANH_NEAR_LIMIT, ERF_NEAR_LIMIT = {sinh}, {tanh}, {erf}
"""Up to where the polynomials near 0 hold."""

ERF_FAR_CENTER = {center}
'''


def _head() -> str:
    return HEAD.format(sinh=SINH_NEAR, tanh=TANH_NEAR, erf=ERF_NEAR, center=float(ERF_CENTER))


def lines() -> Iterator[str]:
    """The lines of the file of coefficients."""
    yield from _head().splitlines()
    for fit in FITS:
        yield ""
        yield f"# {fit.meaning[0].upper()}{fit.meaning[1:]}."
        yield f"{fit.name} = {{"
        for type in fit.terms:
            coefficients, error = fitted(fit, type)
            yield f'    "{type}": (  # {error:.4f} ulp'
            yield from (f"        {_shortest(each, type)}," for each in coefficients)
            yield "    ),"
        yield "}"


def _shortest(number: float, type: str) -> str:
    return str(ROUNDED[type](number))
