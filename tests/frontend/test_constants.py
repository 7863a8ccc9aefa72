"""Constants: they compare, fold and convert as numbers of their dtype."""

import itertools
import operator
from collections.abc import Callable, Sequence

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.frontend.expr.expressions import Const, Expr

n, m = te.var("n"), te.var("m")
A = te.placeholder((4, n), name="A")
B = te.placeholder((n, m), name="B")


def test_a_constant_is_a_truth_value():
    assert te.const(3) == 3
    assert te.const(3) != 4
    assert 1 < te.const(3) < 5
    assert te.const(3) in (1, 2, 3)
    assert not te.const(0)
    assert te.max(te.const(2), 3) > 2


def test_extents_compare():
    assert A.shape[0] == 4
    assert A.shape[0] < 5
    assert A.shape == (4, n)
    assert A.shape[1] == B.shape[0]
    assert te.placeholder((A.shape[0],)).domain[0].extent == 4
    assert A.shape[1] != B.shape[1]
    assert n + 1 == n + 1
    assert (n + 1) * m != (n + 2) * m
    assert n // 2 == te.floordiv(n, 2)
    assert n // 2 != te.truncdiv(n, 2)


def test_a_deep_expression_compares():
    def grown() -> Expr:
        expr: Expr = n
        for _ in range(3000):
            expr = expr * m + expr
        return expr

    assert grown() == grown()


def test_a_symbol_is_no_truth_value():
    with pytest.raises(teloom.Error, match=r"\(n < 3\) is an expression, not a truth value"):
        bool(n < 3)


@pytest.mark.parametrize(
    ("expr", "number"),
    [
        (te.truncdiv(8, 2), 4),
        (te.truncdiv(-7, 2), -3),
        (te.truncmod(-7, 2), -1),
        (te.div(7, 2), 3),
        (te.const(7) // -2, -4),
        (te.power(2, 10), 1024),
        (te.const(64) / te.const(32, "float32"), 2.0),
        (te.const(1) << 4, 16),
        (te.const(12) & 10, 8),
        (~te.const(5), -6),
        (te.abs(te.const(-3)), 3),
        (te.popcount(te.const(7)), 3),
        (te.all(te.const(1) < 2, te.const(3) > 4), False),
        (te.if_then_else(te.const(1) < 2, 3, 4), 3),
        (te.select(te.const(False, "bool"), 3, 4), 4),
        (n * 0, 0),
        (n % 1, 0),
    ],
)
def test_constants_fold(expr: Expr, number: float):
    assert isinstance(expr, Const)
    assert expr.value == number


@pytest.mark.parametrize(
    "expr", [n + 0, 0 + n, n - 0, n * 1, 1 * n, n // 1, (n * 4) // 4, te.truncdiv(n * 4, 4)]
)
def test_a_neutral_element_leaves_a_value(expr: Expr):
    assert expr is n


def test_what_may_wrap_stays():
    data = te.placeholder((4,), "int32", name="data")
    assert str((data[0] * 4) // 4) == "((data[0] * 4) // 4)"
    assert str(te.const(100, "int8") + te.const(100, "int8")) == "(100 + 100)"
    assert str(te.min_value("int32") // -1) == "(-2147483648 // -1)"
    assert str(te.const(3e38, "float32") * 10) == "(3e+38 * 10.0)"
    assert str(te.const(1.5, "float32") / 0) == "(1.5 / 0.0)"


FUNCTIONS = [te.truncdiv, te.truncmod, operator.floordiv, operator.mod, operator.add, operator.mul]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64"])
def test_folds_are_what_is_computed(dtype: str):
    """Each function of a constant pair, next to the compiled one of the same numbers."""
    numbers = [1, 2, 3, 7, 126] if dtype == "uint8" else [-7, -3, -1, 1, 2, 7, 126]
    pairs = list(itertools.product(numbers, numbers))
    X, Y = (te.placeholder((len(pairs),), dtype, name=name) for name in "XY")
    functions = [*FUNCTIONS, *COMPARISONS]
    results = te.compute(X.shape, lambda i: [f(X[i], Y[i]) for f in functions], name="R")
    x, y = (np.array(column, dtype) for column in zip(*pairs, strict=True))
    outs = [np.empty(len(pairs), one.dtype) for one in results]
    teloom.build(te.create_schedule(results[0].op), [X, Y, *results])(x, y, *outs)
    for function, out in zip(functions, outs, strict=True):
        for (a, b), computed in zip(pairs, out, strict=True):
            known = function(te.const(a, dtype), te.const(b, dtype))
            assert not isinstance(known, Const) or known.value == computed


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_floats_fold_to_the_rounded_result(dtype: str):
    numbers = [0.1, -0.3, 1 / 3, 7.7, 1e-3]
    kind = np.dtype(dtype).type
    for a, b in itertools.product(numbers, numbers):
        for function in (operator.add, operator.sub, operator.mul, operator.truediv):
            found = function(te.const(a, dtype), te.const(b, dtype))
            assert float(found) == function(kind(a), kind(b))
    assert te.const(0.1, dtype) == 0.1


def test_a_dtype_without_bits_has_32():
    assert te.placeholder((4,), "float").dtype == "float32"
    assert te.const(1, "int").dtype == "int32"
    assert A[0, 0].astype("uint").dtype == "uint32"
    assert te.var("n", "int").dtype == "int32"


def test_the_values_of_a_choice_meet_as_operands():
    assert te.if_then_else(n > 3, n, A[0, 0]).dtype == "float32"
    assert te.select(n > 3, 1, te.const(2, "int64")).dtype == "int64"


def test_a_folded_extent():
    P = te.placeholder((te.truncdiv(te.const(16), 2), (n * 4) // 4), name="P")
    assert P.shape == (8, n)
    C = te.compute(P.shape, lambda i, j: te.if_then_else(i < 4, i, P[i, j]), name="C")
    x = np.arange(40, dtype="float32").reshape(8, 5) + 100
    teloom.build(te.create_schedule(C), [P, C])(x, y := np.empty_like(x))
    rows = np.arange(8)[:, None]
    np.testing.assert_array_equal(y, np.where(rows < 4, rows, x))


@pytest.mark.parametrize(
    ("narrow", "wide"), [("float16", "float64"), ("bfloat16", "float32"), ("float32", "float64")]
)
def test_a_cast_constant_is_the_number_of_its_dtype(narrow: str, wide: str):
    """It is rounded first, as an element of an array is."""
    third = te.const(1 / 3, narrow)
    X = te.placeholder((1,), narrow, name="X")
    folded = te.compute((1,), lambda i: third.astype(wide), name="folded")
    given = te.compute((1,), lambda i: X[i] * 0 + third, name="given")
    computed = te.compute((1,), lambda i: given[i].astype(wide), name="computed")
    results = [np.empty(1, wide), np.empty(1, wide)]
    s = te.create_schedule([folded, computed])
    x = teloom.zeros((1,), narrow)
    teloom.build(s, [X, folded, computed])(x, *results)
    assert results[0] == results[1] != 1 / 3


def _results(of: Callable[..., Sequence[Expr]], dtype: str, numbers: Sequence[int]):
    """The results of `of` of constants, and of the same numbers where they are elements."""
    X = te.placeholder((len(numbers),), dtype, name="X")
    constants = [te.const(number, dtype) for number in numbers]
    elements = [X[k] for k in range(len(numbers))]
    results = te.compute((2,), lambda i: [*of(i, *constants), *of(i, *elements)], name="R")
    outs = [np.empty(2, one.dtype) for one in results]
    teloom.build([X, *results])(np.array(numbers, dtype), *outs)
    return outs[: len(outs) // 2], outs[len(outs) // 2 :]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
def test_constants_wrap_as_elements_do(dtype: str):
    """Where a result is no number of the dtype; also below a sum, a comparison or a wider dtype."""

    def of(i: Expr, large: Expr, seven: Expr, lowest: Expr) -> Sequence[Expr]:
        sums = [large + seven, large * seven, lowest - seven, -lowest, (large + seven) - seven]
        return [
            *sums,
            *(one.astype("int64") for one in sums),
            *(one > 0 for one in sums),
            te.max(large + seven, seven) > seven,
            te.select(large + seven > 0, seven, lowest),
            large + seven + i.astype(dtype),
            (large + seven + i.astype(dtype)) > 0,
        ]

    info = np.iinfo(dtype)
    constant, given = _results(of, dtype, [info.max, 7, info.min])
    for one, other in zip(constant, given, strict=True):
        np.testing.assert_array_equal(one, other)
    assert constant[0][0] == np.array([info.max], dtype) + np.array([7], dtype)


def test_a_cast_of_a_constant_cuts_as_of_an_element():
    def of(i: Expr, large: Expr) -> Sequence[Expr]:
        cut = large.astype("int32")
        return [cut, cut > 0, cut.astype("int64")]

    for one, other in zip(*_results(of, "int64", [2**40 + 5]), strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_extent_of_constants_does_not_wrap():
    large = te.placeholder((te.const(65536) * 65536,), name="large")
    C = te.compute((1,), lambda i: large[i], name="C")
    assert "memref<4294967296xf32>" in str(teloom.lower([large, C]))


def test_a_subscript_of_more_than_64_bits_is_refused():
    far = te.const(2**63 - 1, "int64") + 1
    with pytest.raises(teloom.Error, match=rf"needs the number {2**63}, which does not fit"):
        teloom.build([A, te.compute((1,), lambda i: A[far, i], name="C")])


def test_a_domain_does_not_depend_on_what_wraps():
    large = te.const(2**31 - 1, "int32") + 7
    with pytest.raises(
        teloom.Error, match=r"\(i < \(2147483647 \+ 7\)\) is no comparison of affine"
    ):
        te.compute((4,), lambda i: A[i, 0], name="D", domain=lambda i: i < large)
