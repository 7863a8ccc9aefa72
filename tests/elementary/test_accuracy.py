"""Elementary functions are as exact as the table says, and the same in lanes and in scalars."""

from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest
from elementary.errors import EXACT, Array, compiled, errors

import teloom
from teloom import te
from teloom.passes.elementary.accuracy import FUNCTIONS, LEVELS, greatest_error

NAMES = tuple(name for name in EXACT if name != "power")

AT_LEVEL = {
    "default": NAMES,
    "fast": ("exp", "sin", "cos", "sigmoid"),
    "precise": ("exp", "log10", "sin", "tanh", "asin"),
}
"""The functions of one number; at other levels than "default" those of other formulas."""


EDGES = [0.0, np.inf, np.nan, 0.5, 0.625, 0.875, 1.0, 2.0, 4.0, 6.0, 2.0**16, 2.0**28, 2.0**30]
"""Where formulas change."""


def edges(dtype: str) -> Array:
    """Both signs of where formulas change, of the least and greatest floats, and what is beside."""
    info = np.finfo(dtype)
    limits = [np.log(np.array(each, np.longdouble)) for each in (info.max, info.smallest_subnormal)]
    sizes = [*EDGES, *limits, info.max, info.smallest_normal, info.smallest_subnormal]
    at = np.abs(np.array(sizes, dtype))
    with np.errstate(all="ignore"):
        beside = np.concatenate([at, np.nextafter(at, 0), np.nextafter(at, at.dtype.type(np.inf))])
    return np.concatenate([beside, -beside])


def sample(dtype: str, count: int) -> Array:
    """Floats of every exponent and sign, more of them from -8 to 8, and edges."""
    rng = np.random.default_rng(0)
    size = np.dtype(dtype).itemsize
    bits = rng.integers(0, 1 << (8 * size), count, dtype=f"u{size}").view(dtype)
    return np.concatenate([edges(dtype), bits, rng.uniform(-8, 8, count).astype(dtype)])


def assert_exact(name: str, level: str, found: Array, arrays: list[Array]) -> None:
    allowed = greatest_error(name, {"float32": "f32", "float64": "f64"}[str(found.dtype)], level)
    error = errors(name, level, found, arrays)
    worst = int(np.argmax(error))
    at = ", ".join(repr(array[worst]) for array in arrays)
    assert error[worst] <= allowed, f"{name}({at}) is off by {error[worst]} ulp"


@pytest.mark.parametrize("level", LEVELS)
def test_float32(level: str):
    x = sample("float32", 1 << 15)
    for name, found in compiled(AT_LEVEL[level], "float32", level)(x).items():
        assert_exact(name, level, found, [x])


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="needs a wider type than float64")
@pytest.mark.parametrize("level", LEVELS)
def test_float64(level: str):
    x = sample("float64", 1 << 13)
    for name, found in compiled(AT_LEVEL[level], "float64", level)(x).items():
        # Of the exact error function each takes a millisecond.
        some = slice(None, None, 50 if name == "erf" else 1)
        assert_exact(name, level, found[some], [x[some]])


def bases_and_exponents(dtype: str) -> Iterator[tuple[Array, Array]]:
    special = np.array([0.5, 1.5, 2.0, 3.0, 16777215.0, 33554432.0, 1e30], dtype)
    special = np.concatenate([special, -special, edges(dtype)])
    yield tuple(map(np.ravel, np.meshgrid(special, special)))  # type: ignore[misc]
    rng = np.random.default_rng(1)
    yield rng.uniform(0, 4, 9999).astype(dtype), rng.uniform(-60, 60, 9999).astype(dtype)
    near_one = rng.uniform(0.999, 1.001, 9999).astype(dtype)
    yield near_one, rng.uniform(-9e4, 9e4, 9999).astype(dtype)
    # Results from the least number to the greatest.
    info = np.finfo(dtype)
    least, most = np.log(float(info.smallest_subnormal)), np.log(float(info.max))
    logs = rng.uniform(-20, 20, 9999)
    yield np.exp(logs).astype(dtype), (rng.uniform(least, most, 9999) / logs).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers(dtype: str):
    for arrays in bases_and_exponents(dtype):
        given = [array.copy() for array in arrays]
        found = compiled(("power",), dtype)(*given)["power"]
        assert_exact("power", "default", found, given)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_short_floats(dtype: str):
    """All 65536 numbers, of which one kernel computes all functions."""
    kind = np.dtype(np.float16 if dtype == "float16" else ml_dtypes.bfloat16)
    x = np.arange(1 << 16, dtype=np.uint16).view(kind)
    names = tuple(name for name in FUNCTIONS if name != "power")
    for name, result in compiled(names, dtype)(x).items():
        with np.errstate(all="ignore"):
            exact = EXACT[name](x.astype(np.float64))
        error = short_ulps(result, exact)
        assert error.max() <= greatest_error(name, "f16", "default"), name


def short_ulps(found: Array, exact: Array) -> Array:
    """The errors of 16-bit floats: those that are the exact result, rounded, count as 0."""
    info = ml_dtypes.finfo(found.dtype)
    with np.errstate(all="ignore"):
        rounded = exact.astype(np.float32).astype(found.dtype)
        nan = np.isnan(exact) & np.isnan(found.astype(np.float64))
        same = (found.view(np.int16) == rounded.view(np.int16)) | nan
        _, exponent = np.frexp(exact)
        last = np.ldexp(1.0, np.maximum(exponent - 1, info.minexp) - info.nmant)
        error = np.abs(found.astype(np.float64) - exact) / last
    return np.where(same, 0, error)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_lane_has_the_bits_of_a_scalar(dtype: str):
    x = sample(dtype, 1000)
    scalars, lanes = (compiled(NAMES, dtype, "default", lanes)(x) for lanes in (False, True))
    for name in NAMES:
        same = scalars[name].view(f"i{x.itemsize}") == lanes[name].view(f"i{x.itemsize}")
        same |= np.isnan(scalars[name]) & np.isnan(lanes[name])
        assert same.all(), f"{name}({x[~same][0]!r})"


def test_without_fused_multiplication(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TELOOM_CPU", "x86-64")
    names = ("exp", "log", "sin", "erf", "atan")
    for dtype in ("float32", "float64"):
        x = sample(dtype, 100)
        for name, found in compiled.__wrapped__(names, dtype)(x).items():
            assert_exact(name, "default", found, [x])


@pytest.mark.parametrize("level", ["quick", "", 1, True])
def test_a_level_that_there_is_not(level: str):
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: te.exp(A[i]), name="B")
    s = te.create_schedule(B)
    for request in (
        lambda: teloom.build(s, [A, B], math=level),
        lambda: teloom.lower(s, [A, B], math=level),
        lambda: teloom.build(s, [A, B], options={"expand-math": {"level": level}}),
        lambda: teloom.compile(teloom.lower(s, [A, B]), options={"expand-math": {"level": level}}),
    ):
        with pytest.raises(teloom.Error, match=f"no level {level!r} of functions; levels: precise"):
            request()


def test_precise_is_never_further_off_than_default_or_that_than_fast():
    for name in EXACT:
        for type in ("f32", "f64"):
            found = [greatest_error(name, type, level) for level in LEVELS]
            assert found == sorted(found), name
