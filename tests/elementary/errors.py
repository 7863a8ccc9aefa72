"""Errors of the elementary functions, in units in the last place of the exact results.

The exact results are those of a wider type: NumPy's float64 for float32, its long double for
float64, which has 11 bits more where it is that of x87; the error function of float64 is computed
in decimal numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cache

import numpy as np
from elementary.fits import error_function

import teloom
from teloom import te

Array = np.ndarray


def _exact_erf(x: Array) -> Array:
    if x.dtype == np.longdouble:
        return np.array([_one_erf(each) for each in x], np.longdouble)
    # Near 0 two terms of the series are enough, far from it the result is 1.
    near, between = np.abs(x) <= 1e-4, (1e-4 < np.abs(x)) & (np.abs(x) < 6)
    found = np.where(near, x * (1 - x * x / 3) * (2 / math.sqrt(math.pi)), np.sign(x))
    found[between] = [math.erf(each) for each in x[between]]
    return found


def _one_erf(x: np.longdouble) -> np.longdouble:
    if not np.isfinite(x) or not 0 < abs(x) < 8:
        return np.copysign(min(abs(x), np.longdouble(1)), x)
    return np.longdouble(str(error_function(Decimal(float(x)))))


def _sigmoid(x: Array) -> Array:
    decay = np.exp(-np.abs(x))
    return np.where(x < 0, decay, 1) / (1 + decay)


EXACT: dict[str, Callable[..., Array]] = {
    **{
        name: getattr(np, name)
        for name in "exp log log1p log2 log10 sqrt sin cos tan sinh cosh tanh power fmod".split()
    },
    **{f"a{name}": getattr(np, f"arc{name}") for name in "sin cos tan tan2 sinh cosh tanh".split()},
    "erf": _exact_erf,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": _sigmoid,
}
"""The functions on arrays of a wider type."""

OF_TWO = ("power", "atan2", "fmod")
"""Those of two numbers."""

OF_ONE = tuple(name for name in EXACT if name not in OF_TWO)

WIDER = {"float32": np.float64, "float64": np.longdouble}


Results = dict[str, Array]
"""The results of functions by their names."""


@cache
def compiled(
    names: tuple[str, ...], dtype: str, level: str = "default", lanes: bool = True
) -> Callable[..., Results]:
    """Functions of one number, or all of two, on arrays: one kernel, vectorized or not."""
    n = te.var("n")
    inputs = [te.placeholder((n,), dtype, name=f"A{k}") for k in range(1 + (names[0] in OF_TWO))]
    outputs = [
        te.compute((n,), lambda i, f=name: getattr(te, f)(*(A[i] for A in inputs)), name=name)
        for name in names
    ]
    s = te.create_schedule(outputs)
    for output in outputs:
        if lanes:
            s[output].vectorize(output.op.axis[0])
    f = teloom.build(s, [*inputs, *outputs], math=level)

    def run(*arrays: Array) -> Results:
        found = {name: np.empty_like(arrays[0]) for name in names}
        f(*arrays, *found.values())
        return found

    return run


def ulps(found: Array, exact: Array) -> Array:
    """How far results are from exact ones, in ulp of these; infinite where only one is NaN.

    An infinity counts as the power of two behind the greatest float.
    """
    info = np.finfo(found.dtype)
    with np.errstate(all="ignore"):
        limit = exact.dtype.type(2) ** info.maxexp
        wide = np.clip(found.astype(exact.dtype), -limit, limit)
        held = np.clip(exact, -limit, limit)
        _, exponent = np.frexp(held)
        last = np.ldexp(exact.dtype.type(1), np.maximum(exponent - 1, info.minexp) - info.nmant)
        error = np.abs(wide - held) / last
    error[np.isnan(found) & np.isnan(exact)] = 0
    error[(found == 0) & (exact == 0) & (np.signbit(found) != np.signbit(exact))] = np.inf
    return np.where(np.isnan(error), np.inf, error)


def errors(name: str, level: str, found: Array, arrays: Sequence[Array]) -> Array:
    """The errors of results of a function at arguments of float32 or float64.

    A result that is the exact one, rounded, has the error 1/2 or less, and counts as 0 here.
    Level "fast" may give 0 for what is denormal, or up to twice the least normal float.
    """
    dtype = found.dtype
    with np.errstate(all="ignore"):
        exact = EXACT[name](*(array.astype(WIDER[str(dtype)]) for array in arrays))
        rounded = exact.astype(dtype)
    integer = f"i{dtype.itemsize}"
    (differ,) = np.nonzero(found.view(integer) != rounded.view(integer))
    error = np.zeros(found.shape, exact.dtype)
    error[differ] = ulps(found[differ], exact[differ])
    if level == "fast":
        error[(found == 0) & (np.abs(exact) < 2 * np.finfo(dtype).smallest_normal)] = 0
    return error
