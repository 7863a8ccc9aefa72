"""Elementary functions are as exact as the table says, and the same in lanes and in scalars."""

from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest
from elementary.errors import EXACT, OF_ONE, OF_TWO, Array, compiled, errors

import teloom
from teloom import te
from teloom.passes.elementary.accuracy import FUNCTIONS, LEVELS, greatest_error

AT_LEVEL = {
    "default": OF_ONE,
    "fast": ("exp", "sin", "cos", "sigmoid"),
    "precise": ("exp", "log1p", "log10", "sin", "tanh", "asin"),
}
"""The functions of one number; at other levels than "default" those of other formulas."""


EDGES = [0.0, np.inf, np.nan, 0.5, 0.625, 0.875, 1.0, 2.0, 4.0, 6.0, 2.0**16, 2.0**28, 2.0**30]
EDGES += [1 - np.sqrt(0.5), np.sqrt(2) - 1]
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
        assert_exact("power", "precise", found, given)


@pytest.mark.parametrize("level", ["default", "precise"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_with_a_number_as_exponent(dtype: str, level: str):
    exponents = [-4, -2.5, -2, -1, -0.5, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5]
    x = np.concatenate([edges(dtype), sample(dtype, 3000)])
    X = te.placeholder(x.shape, dtype, name="X")
    outputs = [
        te.compute(x.shape, lambda i, y=y: te.power(X[i], te.const(y, dtype)), name=f"y{number}")
        for number, y in enumerate(exponents)
    ]
    found = [np.empty_like(x) for _ in outputs]
    teloom.build(outputs, [X, *outputs], math=level)(x, *found)
    for y, values in zip(exponents, found, strict=True):
        assert_exact("power", level, values, [x, np.full_like(x, y)])


def points(dtype: str) -> Iterator[tuple[Array, Array]]:
    """Ordinates and abscissas, of both signs: special ones, of any size, and of every angle."""
    info = np.finfo(dtype)
    least, limit = info.smallest_subnormal, 2.0 ** (64 if dtype == "float32" else 512)
    special = np.array([2 * least, 3 * least, 5 * least, info.max / 2, limit], dtype)
    special = np.concatenate([special, -special, edges(dtype)])
    yield tuple(map(np.ravel, np.meshgrid(special, special)))  # type: ignore[misc]
    rng = np.random.default_rng(2)
    y, x = sample(dtype, 9999), sample(dtype, 9999)
    yield rng.permutation(y), rng.permutation(x)
    # The formula changes where a coordinate is half of the other one.
    for low, high in ((0.2, 0.3), (0.49, 0.53), (0.5, 1), (1, 2), (2, 5), (1e-9, 1e9)):
        quotient = np.exp(rng.uniform(np.log(low), np.log(high), 9999))
        x = rng.uniform(1, 2, 9999) * rng.choice([-1, 1], 9999)
        yield (x * quotient).astype(dtype), x.astype(dtype)
    # Angles from the least number on, and some that are less.
    logs = rng.uniform(np.log(float(least)) - 1, 0, 9999)
    x = np.exp(rng.uniform(0, -np.log(float(least)) / 2, 9999))
    yield (x * np.exp(logs)).astype(dtype), x.astype(dtype)


@pytest.mark.parametrize("level", ["default", "precise"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_angles_of_points(dtype: str, level: str):
    for arrays in points(dtype):
        given = [array.copy() for array in arrays]
        found = compiled(("atan2",), dtype, level)(*given)["atan2"]
        assert_exact("atan2", level, found, given)


def dividends_and_divisors(dtype: str) -> Iterator[tuple[Array, Array]]:
    """Special ones, of any size, integers, and such whose quotient is next to an integer."""
    rng, info = np.random.default_rng(3), np.finfo(dtype)
    some = np.concatenate([edges(dtype), np.array([3, 5, 7, 1e9, info.smallest_normal], dtype)])
    yield tuple(map(np.ravel, np.meshgrid(some, some)))  # type: ignore[misc]
    x = sample(dtype, 9999)
    yield x, rng.permutation(x)
    yield rng.integers(-(2**24), 2**24, 9999).astype(dtype), rng.integers(1, 99, 9999).astype(dtype)
    y = rng.uniform(1, 2, 9999).astype(dtype)
    for most in (4, 2**12, 2**30, 2**60):
        times = (rng.uniform(0, 1, 9999) * most).round() + rng.choice([0, 0.5], 9999)
        x = (y * times).astype(dtype)
        for beside in (x, *(np.nextafter(x, x.dtype.type(end)) for end in (0, np.inf))):
            yield beside, y


@pytest.mark.parametrize("lanes", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_remainders_are_exact(dtype: str, lanes: bool):
    for x, y in dividends_and_divisors(dtype):
        found = compiled(("fmod",), dtype, lanes=lanes)(x.copy(), y.copy())["fmod"]
        with np.errstate(all="ignore"):
            exact = np.fmod(x, y)
        same = (found == exact) & (np.signbit(found) == np.signbit(exact))
        wrong = ~(same | (np.isnan(found) & np.isnan(exact)))
        assert not wrong.any(), f"fmod({x[wrong][0]!r}, {y[wrong][0]!r}) is {found[wrong][0]}"


def short_kind(dtype: str) -> np.dtype:
    return np.dtype(np.float16 if dtype == "float16" else ml_dtypes.bfloat16)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_short_floats(dtype: str):
    """All 65536 numbers, of which one kernel computes all functions."""
    x = np.arange(1 << 16, dtype=np.uint16).view(short_kind(dtype))
    names = tuple(name for name in FUNCTIONS if name not in OF_TWO)
    for name, result in compiled(names, dtype)(x).items():
        assert_short(name, result, [x])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", OF_TWO)
def test_two_short_floats(name: str, dtype: str):
    """Each of the 65536 numbers in both places, beside others in any order."""
    x = np.arange(1 << 16, dtype=np.uint16).view(short_kind(dtype))
    y = np.random.default_rng(0).permutation(x)
    assert_short(name, compiled((name,), dtype)(y, x)[name], [y, x])


def assert_short(name: str, found: Array, arrays: list[Array]) -> None:
    with np.errstate(all="ignore"):
        exact = EXACT[name](*(array.astype(np.float64) for array in arrays))
    error = short_ulps(found, exact)
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
    y = np.random.default_rng(0).permutation(x)
    for names in (OF_ONE, *((name,) for name in OF_TWO)):
        given = (x, y) if names[0] in OF_TWO else (x,)
        scalars, lanes = (compiled(names, dtype, lanes=lanes)(*given) for lanes in (False, True))
        for name in names:
            same = scalars[name].view(f"i{x.itemsize}") == lanes[name].view(f"i{x.itemsize}")
            same |= np.isnan(scalars[name]) & np.isnan(lanes[name])
            assert same.all(), f"{name}({x[~same][0]!r})"


def test_without_fused_multiplication(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TELOOM_CPU", "x86-64")
    names = ("exp", "log", "log1p", "sin", "erf", "atan")
    for dtype in ("float32", "float64"):
        x = sample(dtype, 100)
        for name, found in compiled.__wrapped__(names, dtype)(x).items():
            assert_exact(name, "default", found, [x])
        y = np.random.default_rng(0).permutation(x)
        found = compiled.__wrapped__(("atan2",), dtype)(y, x)["atan2"]
        assert_exact("atan2", "default", found, [y, x])


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
