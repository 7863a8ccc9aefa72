"""Conversions of short floats, with a machine's instructions and without."""

import ctypes

import numpy as np
import pytest
from standard_kernels import run

from teloom.backend.machine import compiler_runtime, cpus, jit
from teloom.backend.machine.codegen import machine_code

CALLS = """
declare float @__extendhfsf2(half)
declare half @__truncsfhf2(float)

define void @widen(ptr %from, ptr %to) {
  %x = load half, ptr %from
  %y = call float @__extendhfsf2(half %x)
  store float %y, ptr %to
  ret void
}

define void @narrow(ptr %from, ptr %to) {
  %x = load float, ptr %from
  %y = call half @__truncsfhf2(float %x)
  store half %y, ptr %to
  ret void
}
"""

HALVES = np.arange(2**16, dtype="uint16").view("float16")


def each(name: str, values: np.ndarray, dtype: str) -> np.ndarray:
    """What a function of `CALLS` makes of each value."""
    code = machine_code.emit_object(CALLS, cpus.host())
    library = jit.Library([code], ("widen", "narrow"), compiler_runtime.OWN.addresses())
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(library.address(name))
    results = np.zeros(values.shape, dtype)
    for at in range(len(values)):
        function(
            values.ctypes.data + at * values.itemsize, results.ctypes.data + at * results.itemsize
        )
    return results


def around(values: np.ndarray) -> np.ndarray:
    """These, and their nearest neighbours on both sides."""
    up, down = values.dtype.type(np.inf), values.dtype.type(-np.inf)
    return np.concatenate([values, np.nextafter(values, up), np.nextafter(values, down)])


def hard_cases(dtype: str) -> np.ndarray:
    """Every f16, the middle between each two, the numbers beside them, and extreme ones."""
    with np.errstate(all="ignore"):
        numbers = np.sort(HALVES[np.isfinite(HALVES)].astype(dtype))
        middles = (numbers[1:] + numbers[:-1]) / 2
        limits = np.array([65519, 65520, 65536, 1e-45, 1e-40, 3e38], dtype)
        info = np.finfo(dtype)
        ends = np.array([info.max, info.tiny, info.smallest_subnormal, np.inf], dtype)
        chosen = around(np.concatenate([numbers, middles, limits, -limits, ends, -ends]))
        return np.concatenate([chosen, np.array([np.nan, -np.nan], dtype)])


def assert_same_bits(actual: np.ndarray, expected: np.ndarray) -> None:
    """Equal to the sign of zero; a NaN is any NaN."""
    number = ~np.isnan(expected)
    assert np.isnan(actual[~number]).all()
    unsigned = f"uint{8 * expected.itemsize}"
    np.testing.assert_array_equal(actual[number].view(unsigned), expected[number].view(unsigned))


def test_f16_becomes_f32_without_instructions_for_it():
    assert_same_bits(each("widen", HALVES, "float32"), HALVES.astype("float32"))


def test_f32_becomes_f16_without_instructions_for_it():
    values = hard_cases("float32")[::3].copy()
    with np.errstate(over="ignore"):
        assert_same_bits(each("narrow", values, "float16"), values.astype("float16"))


@pytest.mark.parametrize("lanes", [0, 8])
@pytest.mark.parametrize("source", ["f32", "f64"])
def test_every_f16_is_reached_by_one_rounding(source, lanes):
    values = hard_cases("float32" if source == "f32" else "float64")
    values = np.resize(values, -(-len(values) // 8) * 8)
    wrap = f"vector<{lanes}x{{}}>" if lanes else "{}"
    body = f"%r = arith.truncf %x0 : {wrap.format(source)} to {wrap.format('f16')}"
    with np.errstate(over="ignore"):
        expected = values.astype("float16")
    assert_same_bits(run(body, [(source, values)], "f16", lanes), expected)


def test_an_f64_with_a_payload_in_its_low_bits_stays_a_nan():
    values = np.array([0x7FF0000000000001, 0xFFF8000000000000, 0x7FF8000000000000], "uint64")
    body = "%r = arith.truncf %x0 : f64 to f16"
    assert np.isnan(run(body, [("f64", values.view("float64"))], "f16", 0)).all()
