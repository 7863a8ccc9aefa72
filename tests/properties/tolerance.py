"""How far two ways to compute one program may be apart."""

import math

import numpy as np
from properties.program import Program

from teloom.passes.elementary.accuracy import FUNCTIONS, greatest_error

NUMPY_ERROR = 4  # ulps of NumPy's functions
FUNCTION_ERROR = NUMPY_ERROR + max(
    greatest_error(name, type, "default") for name in FUNCTIONS for type in ("f32", "f64")
)


def assert_agrees(
    found: np.ndarray, expected: np.ndarray, program: Program, magnitude: float
) -> None:
    """Integers are equal; floats as far apart as the order of summation can bring them.

    A sum of k terms errs by at most k ulps of the sum of their magnitudes, and every stage
    passes such an error on. `magnitude` is the largest such sum in any stage; where no float is as
    large, one order overflows and another does not, and only finite numbers are compared.
    """
    assert found.dtype == expected.dtype
    if found.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected)
        return
    dtypes = {tensor.dtype for stage in program.stages for tensor in stage.results}
    kind = np.finfo("float32" if "float32" in dtypes else "float64")
    terms = sum(math.prod(e.value for _, e in stage.reduce_axes) for stage in program.stages)
    error = float(kind.eps) * magnitude * (terms + FUNCTION_ERROR)
    if magnitude + error > kind.max:
        are_finite = np.isfinite(found) & np.isfinite(expected)
        found, expected = found[are_finite], expected[are_finite]
    np.testing.assert_allclose(found, expected, rtol=0, atol=error)
