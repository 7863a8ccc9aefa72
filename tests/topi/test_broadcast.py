"""Operators of two tensors, and Python's operators of tensors."""

import operator
from typing import Any

import numpy as np
import pytest

import teloom
from teloom import te, topi

RNG = np.random.default_rng(0)

ARITHMETIC = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "floor_divide": np.floor_divide,
    "floor_mod": np.mod,
    "mod": np.fmod,
}
COMPARISONS = {
    name: getattr(np, name)
    for name in "greater less equal not_equal greater_equal less_equal".split()
}
LOGIC = {name: getattr(np, name) for name in "logical_and logical_or logical_xor".split()}
BITS = {name: getattr(np, name) for name in "bitwise_and bitwise_or bitwise_xor".split()}
SHIFTS = {name: getattr(np, name) for name in ("left_shift", "right_shift")}


def truncated(x, y):
    with np.errstate(all="ignore"):
        return np.where(y == 0, 0, np.trunc(x.astype("float64") / y)).astype(x.dtype)


def pair(dtype, values):
    arrays = [np.array(values, dtype).reshape(3, -1), np.array(values[:4][::-1], dtype)]
    tensors = [te.placeholder(one.shape, dtype, name) for one, name in zip(arrays, "AB")]
    return tensors, arrays, dict(zip(tensors, arrays))


SMALL = [7, 0, -3, 2, -8, 1, 5, -1, 3, 9, -6, 4]


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64"])
def test_integers(dtype, both):
    (A, B), (a, b), given = pair(dtype, [abs(v) if dtype[0] == "u" else v for v in SMALL])
    functions = ARITHMETIC | COMPARISONS | LOGIC | BITS
    with np.errstate(all="ignore"):
        wanted = [(getattr(topi, name)(A, B), f(a, b)) for name, f in functions.items()]
        wanted.append((topi.divide(A, B), truncated(a, b)))
        wanted.append((topi.true_divide(A, 4), a / np.float64(4)))
        for name, f in SHIFTS.items():
            shift = getattr(topi, name)
            wanted += [
                (shift(A, 3), f(a, 3)),
                (shift(B, A * A), f(b, a * a)),
                (shift(B, A), f(b, a)),
            ]
        wanted.append((topi.bitwise_not(A), ~a))
        wanted.append((topi.logical_not(A), a == 0))
    both(given, wanted)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats(dtype, both):
    values = [0.7, 0.0, -3.5, np.nan, 0.1, 1.0, np.inf, -1.0, -0.3, 9.0, -6.25, -np.inf]
    (A, B), (a, b), given = pair(dtype, values)
    functions = ARITHMETIC | COMPARISONS | LOGIC | {"divide": np.divide, "power": np.power}
    with np.errstate(all="ignore"):
        wanted = [(getattr(topi, name)(A, B), f(a, b)) for name, f in functions.items()]
        wanted.append((topi.floor_divide(A, 0.1), a // a.dtype.type(0.1)))
        wanted.append((topi.floor_mod(0.5, A), a.dtype.type(0.5) % a))
    both(given, wanted)


def test_bools(both):
    (A, B), (a, b), given = pair("bool", [True, False] * 6)
    functions = COMPARISONS | LOGIC | BITS
    wanted = [(getattr(topi, name)(A, B), f(a, b)) for name, f in functions.items()]
    both(given, [*wanted, (topi.bitwise_not(A), ~a), (topi.logical_not(A), ~a)])


@pytest.mark.parametrize(
    "shapes", [[(), (2, 3)], [(3,), (2, 1)], [(1, 3, 1), (2, 1, 4)], [(0, 3), (1, 3)], [(), ()]]
)
def test_shapes(shapes, interpreted):
    arrays = [RNG.normal(size=shape).astype("float32") for shape in shapes]
    A, B = (te.placeholder(shape, name=name) for shape, name in zip(shapes, "AB"))
    a, b = arrays
    interpreted({A: a, B: b}, [(topi.add(A, B), a + b), (topi.subtract(B, A), b - a)])


def test_sizes(symbolic):
    def make(n, m):
        A, B, C = (
            te.placeholder(s, name=k) for s, k in (((n, m), "A"), ((m,), "B"), ((n, 1), "C"))
        )
        wanted = [
            (A + B * C, lambda a, b, c: a + b * c),
            (
                topi.broadcast_to(B, (n, 2, m)),
                lambda a, b, c: np.broadcast_to(b, (len(a), 2, len(b))),
            ),
        ]
        return [A, B, C], wanted

    symbolic(make, "n m", [(3, 5), (1, 1), (0, 4), (2, 0)])


@pytest.mark.parametrize(
    ("left", "right"), [("int8", "uint8"), ("int32", "uint32"), ("int64", "uint64")]
)
def test_integers_are_divided_as_the_numbers_that_they_are(left, right, both):
    a, b = np.array([-1, -6, 100], left), np.array([1, 4, 200], right)
    A, B = (te.placeholder((3,), one.dtype, name) for one, name in ((a, "A"), (b, "B")))
    both({A: a, B: b}, [(topi.true_divide(A, B), a / b), (B / A, b / a), (A / 4, a / 4)])


OPERATORS = {
    operator.add: "add",
    operator.sub: "subtract",
    operator.mul: "multiply",
    operator.truediv: "true_divide",
    operator.floordiv: "floor_divide",
    operator.mod: "floor_mod",
    operator.and_: "bitwise_and",
    operator.or_: "bitwise_or",
    operator.xor: "bitwise_xor",
    operator.lshift: "left_shift",
    operator.rshift: "right_shift",
    operator.pow: "power",
    operator.lt: "less",
    operator.le: "less_equal",
    operator.gt: "greater",
    operator.ge: "greater_equal",
}


def test_operators_of_tensors_are_those_of_topi(interpreted):
    a, b = np.array([[5, 9], [2, 8]], "int32"), np.array([3, 2], "int32")
    A, B = te.placeholder((2, 2), "int32", "A"), te.placeholder((2,), "int32", "B")
    wanted = []
    for function, name in OPERATORS.items():
        results = [function(A, B), function(A, 2), function(B, A), function(9, A)]
        values = [function(a, b), function(a, 2), function(b, a), function(9, a)]
        ours = name if isinstance(9, int) else None
        assert results[0].op.name == ours
        wanted += [*zip(results, values)]
    wanted += [(-A, -a), (~A, ~a), (abs(A - 5), abs(a - 5))]
    wanted += [(A == 2, a == 2), (2 != A, a != 2), (np.int32(3) * A, 3 * a)]
    interpreted({A: a, B: b}, wanted)


def test_a_tensor_without_axes_beside_one_with_axes(interpreted):
    X, A = te.placeholder((), name="X"), te.placeholder((2,), name="A")
    n = te.var("n")
    for result in (X * A, A * X, A[0] * A, n * A, A * (n + 1)):
        assert isinstance(result, te.Tensor)
        assert result.shape == (2,)
    for expression in (X + 1, 1 - X, X * X, X < 2, X == 1, n * X):
        assert not isinstance(expression, te.Tensor)
    x, a = np.array(3, "float32"), np.array([1, 2], "float32")
    interpreted({X: x, A: a}, [(X * A - 1, x * a - 1), (A[1] / A, a[1] / a)])


def test_tensors_are_keys():
    A, B = te.placeholder((2,), name="A"), te.placeholder((2,), name="B")
    assert A == A
    assert A != B
    assert (A == B) is False
    assert {A: 1, B: 2}[B] == 2
    assert [A, B].index(B) == 1
    assert A != "A"
    assert A is not None
    assert (A == None) is False  # noqa: E711
    assert isinstance(topi.equal(A, B), te.Tensor)


def test_tags():
    A, B = te.placeholder((2, 3), name="A"), te.placeholder((3,), name="B")
    assert (A + A).op.tag == (A * 2).op.tag == topi.tag.ELEMWISE
    assert (A + B).op.tag == topi.broadcast_to(B, (2, 3)).op.tag == topi.tag.BROADCAST


A, B = te.placeholder((8, 4), name="A"), te.placeholder((3,), name="B")
NUMBER: Any = 3
TRUE = te.placeholder((4,), "bool", name="T")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: A + B,
            "topi.add: operands A of shape (8, 4) and dtype float32 and B of shape (3,) and dtype "
            "float32: the extents 4 and 3 are not the same, and none is 1",
        ),
        (
            lambda: A * te.placeholder((te.var("n"),), name="N"),
            "the extents 4 and n may differ; sizes that are equal must be the same te.var",
        ),
        (lambda: A & 1, "topi.bitwise_and: bitwise_and is not defined on float32, in bitwise_and("),
        (lambda: TRUE + TRUE, "topi.add: add is not defined on bool"),
        (lambda: topi.left_shift(A, 2), "topi.left_shift: left_shift is not defined on float32"),
        (
            lambda: topi.add(A, np.ones(4)),
            "topi.add: operand array([1., 1., 1., 1.]) is neither a tensor",
        ),
        (
            lambda: topi.add(A, np.timedelta64(1)),
            "topi.add: np.timedelta64(1) of type timedelta64 is not a scalar expression",
        ),
        (lambda: topi.add(A, "x"), "topi.add: operand 'x' is neither a tensor nor a number"),
        (
            lambda: te.compute((8,), lambda i: A[i, 0] + A),
            "the axis i of an equation, but the other",
        ),
        (lambda: topi.broadcast_to(A, (8, 5)), "topi.broadcast_to: data is A of shape (8, 4)"),
        (lambda: topi.broadcast_to(A, (4,)), "which cannot be repeated to (4,)"),
        (lambda: topi.broadcast_to(A, (-1, 4)), "shape is [-1, 4], whose extent 0 is negative"),
        (lambda: topi.broadcast_to(NUMBER, (4,)), "topi.broadcast_to: data is 3, not a tensor"),
        (lambda: topi.add("x", 1), "topi.add: operand 'x' is neither a tensor nor a number"),
        (lambda: topi.add(1, 2**40), "topi.add: operand is 1099511627776: 1099511627776 does not"),
        (lambda: bool(A < 1), "less is a tensor, not a truth value"),
        (
            lambda: A + te.compute(((-1, 3), 4), lambda i, j: i, name="P"),
            "whose axis 0 has no begin 0",
        ),
        (lambda: A / 0 // "a", "topi.floor_divide: operand 'a' is neither"),
    ],
)
def test_refusals(make, words, refuses):
    refuses(make, words)


def test_a_program_that_is_built():
    n = te.var("n")
    A, B = te.placeholder((n,), name="A"), te.placeholder((n,), name="B")
    C = (A + B) * 2
    s = te.create_schedule(C)
    te.schedule.AutoInlineElemWise(s)
    f = teloom.build(s, [A, B, C])
    a, b = np.arange(5, dtype="float32"), np.ones(5, "float32")
    f(a, b, c := np.empty(5, "float32"))
    np.testing.assert_array_equal(c, (a + b) * 2)
