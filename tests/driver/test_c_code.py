"""C source of functions that are built: what `source("c")` gives, and its options."""

import numpy as np
import pytest
from c_functions import call, library, needs_compiler

import teloom
from teloom import te


def rows_of_exponentials():
    """Sums of rows that go through an elementary function, with a size of the call."""
    n = te.size_var("n")
    A = te.placeholder((n, 37), "float32", name="A")
    B = te.compute((n, 37), lambda i, j: te.exp(A[i, j]) * 2, name="B")
    k = te.reduce_axis((0, 37), "k")
    C = te.compute((n,), lambda i: te.sum(B[i, k], axis=k), name="C")
    s = te.create_schedule(C)
    s[C].parallel(C.op.axis[0])
    s[B].compute_at(s[C], C.op.axis[0])
    s[B].vectorize(B.op.axis[1])
    return teloom.build(s, [A, C], name="rows")


@needs_compiler
@pytest.mark.parametrize("options", [{}, {"math": "default"}, {"vectors": "loops"}])
def test_agrees(options: dict[str, str]):
    f = rows_of_exponentials()
    A = np.random.default_rng(0).uniform(-2, 2, (5, 37)).astype("float32")
    expected, result = np.zeros(5, "float32"), np.zeros(5, "float32")
    f(A, expected)
    source = f.source("c", **options)
    assert ("expf(" in source) == ("math" not in options)
    assert call(library(source, "-fopenmp"), "rows", [5], [A, result]) == 0
    np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_wrong_options():
    f = rows_of_exponentials()
    with pytest.raises(teloom.Error, match=r"no level 'C'; levels: te, .*, asm, c"):
        f.source("C")
    with pytest.raises(teloom.Error, match='no option of "asm" named vectors; there are: none'):
        f.source("asm", vectors="loops")
    with pytest.raises(teloom.Error, match='no option of "c" named vector; did you mean'):
        f.source("c", vector="loops")
    with pytest.raises(teloom.Error, match="no elementary functions in C are 'quick'"):
        f.source("c", math="quick")
