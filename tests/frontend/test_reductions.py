"""Reductions: what they become, and what they refuse."""

import math
from typing import Any

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret
from teloom.backend.machine.codegen import machine_code
from teloom.backend.machine.llvm_text import llvm_text
from teloom.frontend.expr.expressions import Expr
from teloom.frontend.tensor.reductions import Reduce


def argmax_of(A: te.Tensor):
    k = te.reduce_axis((0, A.shape[1]), "k")
    argmax = te.comm_reducer(
        lambda x, y: (te.select(x[1] >= y[1], x[0], y[0]), te.max(x[1], y[1])),
        lambda t0, t1: (te.const(-1, t0), te.min_value(t1)),
        name="argmax",
    )
    return te.compute((A.shape[0],), lambda i: argmax((k, A[i, k]), axis=k), name="T")


def run(tensors, *arrays: np.ndarray) -> list[np.ndarray]:
    return interpret(te.create_schedule(tensors).module, "main", arrays)


def test_matmul(assert_ir):
    n = te.var("n")
    A = te.placeholder((n, 64), name="A")
    B = te.placeholder((64, 32), name="B")
    r = te.reduce_axis((0, 64), "r")
    C = te.compute((n, 32), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C")
    assert_ir(
        C,
        """
        te.func @main(%n: index, %A: tensor<?x64xf32>[%n, 64], %B: tensor<64x32xf32>)
            -> (tensor<?x32xf32>) {
          %C = te.compute "C" (%i = %n, %j = 32) reduce (%r = 64) : tensor<?x32xf32> {
            %a = te.read %A[%i, %r] : f32
            %b = te.read %B[%r, %j] : f32
            %c = arith.mulf %a, %b : f32
            te.yield %c : f32
          } combine (%x: f32, %y: f32) identity [0.0 : f32] {
            %s = arith.addf %x, %y : f32
            te.yield %s : f32
          }
          te.return %C : tensor<?x32xf32>
        }""",
    )


def test_where_and_init(assert_ir):
    A = te.placeholder((4, 8), "int32", name="A")
    k = te.reduce_axis((1, 8), "k")
    S = te.compute((4,), lambda i: te.sum(A[i, k], k, where=k < i, init=A[i, 0]), name="S")
    assert_ir(
        S,
        """
        te.func @main(%A: tensor<4x8xi32>) -> (tensor<4xi32>) {
          %S = te.compute "S" (%i = 4) reduce (%k = 1 to 8) : tensor<4xi32> {
            %c = arith.cmpi slt, %k, %i : index
            %v = scf.if %c -> (i32) {
              %a = te.read %A[%i, %k] : i32
              scf.yield %a : i32
            } else {
              %zero = arith.constant 0 : i32
              scf.yield %zero : i32
            }
            te.yield %v : i32
          } combine (%x: i32, %y: i32) identity [0 : i32] {
            %s = arith.addi %x, %y : i32
            te.yield %s : i32
          } init (%p) {
            %b = te.read %A[%p, 0] : i32
            te.yield %b : i32
          }
          te.return %S : tensor<4xi32>
        }""",
    )
    a = np.arange(32, dtype=np.int32).reshape(4, 8)
    expected = [row[0] + row[1:i].sum() for i, row in enumerate(a)]
    assert run(S, a)[0].tolist() == expected


def test_a_tuple_reduction_has_several_results():
    A = te.placeholder((3, 5), name="A")
    T = argmax_of(A)
    assert [tensor.dtype for tensor in T] == ["int32", "float32"]
    assert [tensor.value_index for tensor in T] == [0, 1]
    assert [tensor.name for tensor in T] == ["T.v0", "T.v1"]
    a = np.random.default_rng(0).normal(size=(3, 5)).astype("float32")
    index, value = run(T[0], a)
    assert index.tolist() == a.argmax(1).tolist()
    assert value.tolist() == a.max(1).tolist()


def least_of(limit: object, A: te.Tensor) -> te.Tensor:
    """The least of each row of a matrix and `limit`, by a reducer whose identity that is."""
    k = te.reduce_axis((0, A.shape[1]), "k")
    least = te.comm_reducer(lambda x, y: te.min(x, y), lambda t: limit, name="least")
    return te.compute((A.shape[0],), lambda i: least(A[i, k], k, where=A[i, k] != 3), name="B")


@pytest.mark.parametrize("columns", [0, 1, 21])
def test_an_identity_may_be_a_size(columns: int):
    m, n = te.var("m"), te.var("n")
    A = te.placeholder((m, n), "int32", name="A")
    B = least_of(2 * m, A)
    s = te.create_schedule(B)
    a = np.random.default_rng(0).integers(2, 30, (6, columns), "int32")
    wanted = np.where(a == 3, 12, a).min(axis=1, initial=12)
    assert interpret(s.module, "main", [a], a.shape)[0].tolist() == wanted.tolist()
    s[B].vectorize(s[B].split(B.op.axis[0], factor=4)[1])
    s[B].unroll(s[B].split(B.op.reduce_axis[0], factor=4)[1])
    teloom.build(s, [A, B])(a, found := np.empty(6, "int32"))
    assert found.tolist() == wanted.tolist()


def test_an_identity_may_be_an_element():
    A, B = te.placeholder((5, 6), name="A"), te.placeholder((5,), name="B")
    k = te.reduce_axis((0, 6), "k")
    S = te.compute(
        (5,),
        lambda i: te.comm_reducer(lambda x, y: x + y, lambda t: B[i])(A[i, k], axis=[k]),
        name="S",
    )
    a, b = (np.arange(number, dtype="float32") for number in (30, 5))
    s = te.create_schedule(S)
    s.cache_read(B, "local", [S])
    s[S].reorder(k, S.op.axis[0])
    teloom.build(s, [A, B, S])(a.reshape(5, 6), b, found := np.empty(5, "float32"))
    np.testing.assert_array_equal(found, a.reshape(5, 6).sum(axis=1) + b)


def clipped_sums(m: Any, n: Any) -> tuple[te.Tensor, te.Tensor, te.Tensor]:
    """Sums of rows that stay below an element of another tensor, and above their number."""
    A, most = te.placeholder((m, n), name="A"), te.placeholder((m,), name="most")
    k = te.reduce_axis((0, n), "k")

    def total(i: te.IterVar) -> Expr:
        def clipped(x: Expr, y: Expr) -> Expr:
            return te.max(te.min(x + y, most[i]), i.astype("float32"))

        return te.comm_reducer(clipped, lambda t: te.const(0, t), name="clipped")(A[i, k], k)

    return A, most, te.compute((m,), total, name="S")


@pytest.mark.parametrize(
    "schedule",
    [
        lambda s, S: None,
        lambda s, S: s[S].vectorize(s[S].split(S.op.axis[0], factor=4)[1]),
        lambda s, S: s[S].unroll(s[S].split(S.op.reduce_axis[0], factor=3)[1]),
        lambda s, S: s[S].reorder(S.op.reduce_axis[0], S.op.axis[0]),
        lambda s, S: s[s.cache_write(S, "local")].unroll(S.op.reduce_axis[0]),
        lambda s, S: s[S].parallel(S.op.axis[0]),
        lambda s, S: s[S].fuse(*S.op.axis, *S.op.reduce_axis),
    ],
    ids=["default", "vectorize", "unroll", "reorder", "cache_write", "parallel", "fuse"],
)
def test_a_combiner_may_use_data_axes(schedule):
    A, most, S = clipped_sums(te.var("m"), 7)
    s = te.create_schedule(S)
    schedule(s, S)
    rng = np.random.default_rng(0)
    a, limit = rng.normal(size=(6, 7)).astype("float32"), np.arange(3, 9, dtype="float32")
    wanted = np.zeros(6, "float32")
    for column in a.T:
        wanted = np.maximum(np.minimum(wanted + column, limit), np.arange(6, dtype="float32"))
    teloom.build(s, [A, most, S])(a, limit, found := np.empty(6, "float32"))
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(interpret(s.module, "main", [a, limit], [6])[0], wanted)


def test_results_of_a_combiner_of_data_axes_apart():
    A, most = te.placeholder((6, 7), name="A"), te.placeholder((6,), name="most")
    k = te.reduce_axis((0, 7), "k")

    def both(i: te.IterVar) -> Any:
        fold = te.comm_reducer(
            lambda x, y: (te.min(x[0] + y[0], most[i]), te.max(x[1], y[1] * i)),
            lambda *dtypes: [te.const(0, one) for one in dtypes],
        )
        return fold((A[i, k], A[i, k]), k)

    P, Q = te.compute((6,), both, name="P")
    s = te.create_schedule(P.op)
    s.fission_results(Q)
    a, limit = (np.random.default_rng(0).random(size, "float32") for size in ((6, 7), 6))
    p, q = np.empty(6, "float32"), np.empty(6, "float32")
    teloom.build(s, [A, most, P, Q])(a, 3 * limit, p, q)
    wanted = np.zeros(6, "float32")
    for column in a.T:
        wanted = np.minimum(wanted + column, 3 * limit)
    np.testing.assert_array_equal(p, wanted)
    np.testing.assert_array_equal(q, np.max(a * np.arange(6, dtype="float32")[:, None], axis=1))


def test_a_combiner_of_data_axes_has_no_partial_results():
    _, _, S = clipped_sums(6, 7)
    s = te.create_schedule(S)
    with pytest.raises(teloom.ScheduleError) as error:
        s.rfactor(S, S.op.reduce_axis[0])
    assert "so partial results have no start" in str(error.value)


def test_an_identity_may_be_a_scalar_that_a_cache_folds_from():
    A, limit = te.placeholder((6, 9), name="A"), te.var("limit", "float32")
    B = least_of(limit, A)
    s = te.create_schedule(B)
    s.cache_write(B, "local")
    a = np.random.default_rng(0).integers(0, 9, (6, 9)).astype("float32")
    teloom.build(s, [A, limit, B])(a, 0.5, found := np.empty(6, "float32"))
    np.testing.assert_array_equal(found, a.min(axis=1, initial=0.5))


def test_an_identity_that_is_no_constant_has_no_partial_results():
    A = te.placeholder((6, 9), "int32", name="A")
    B = least_of(te.var("n"), A)
    s = te.create_schedule(B)
    with pytest.raises(teloom.ScheduleError) as error:
        s.rfactor(B, B.op.reduce_axis[0])
    assert "the identity of its reduction is no constant, so partial results" in str(error.value)


def test_an_equation_may_have_several_results_without_reducing():
    A = te.placeholder((6,), name="A")
    low, high = te.compute((6,), lambda i: (A[i] - 1, A[5 - i] > 2), name="T")
    assert (low.dtype, high.dtype) == ("float32", "bool")
    a = np.arange(6, dtype=np.float32)
    found = run(low, a)
    np.testing.assert_array_equal(found[0], a - 1)
    np.testing.assert_array_equal(found[1], a[::-1] > 2)


def test_several_reduce_axes():
    A = te.placeholder((3, 4, 5), "int64", name="A")
    j, k = te.reduce_axis((0, 4), "j"), te.reduce_axis((2, 5), "k")
    S = te.compute((3,), lambda i: te.sum(A[i, j, k], axis=[k, j]), name="S")
    assert S.op.reduce_axis == [k, j]
    a = np.arange(60).reshape(3, 4, 5)
    np.testing.assert_array_equal(run(S, a)[0], a[:, :, 2:].sum((1, 2)))


@pytest.mark.parametrize(
    ("reducer", "expected", "dtype"),
    [
        (te.sum, np.sum, "float32"),
        (te.prod, np.prod, "float32"),
        (te.max, np.max, "float32"),
        (te.min, np.min, "float32"),
        (te.max, np.max, "int8"),
        (te.min, np.min, "uint8"),
        (te.any, np.any, "bool"),
        (te.all, np.all, "bool"),
    ],
)
def test_reducers(reducer, expected, dtype: str):
    A = te.placeholder((4, 3), dtype, name="A")
    k = te.reduce_axis((0, 3), "k")
    B = te.compute((4,), lambda i: reducer(A[i, k], axis=k), name="B")
    rng = np.random.default_rng(0)
    a = rng.integers(0 if dtype in ("uint8", "bool") else -3, 2, (4, 3)).astype(dtype)
    found = run(B, a)[0]
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, expected(a, axis=1))


def test_the_maximum_of_nothing_but_minus_infinity():
    A = te.placeholder((1, 3), name="A")
    k = te.reduce_axis((0, 3), "k")
    B = te.compute((1,), lambda i: te.max(A[i, k], axis=k), name="B")
    assert run(B, np.full((1, 3), -np.inf, np.float32))[0].tolist() == [-math.inf]


def test_values_are_combined_where_no_axis_is_given():
    assert str(te.sum(te.var("a"), 2, 3)) == "((a + 2) + 3)"
    assert str(te.max(te.var("a"), te.var("b"))) == "maximum(a, b)"
    pixel = te.placeholder((4,), "uint8", name="A")[0]
    assert te.max(pixel, 0).dtype == te.min(0, pixel).dtype == "uint8"
    assert te.all(te.var("a") > 1).dtype == "bool"


def test_the_symbolic_begin_of_a_reduce_axis():
    n, m = te.var("n"), te.var("m")
    k = te.reduce_axis((n, m), "k")
    A = te.placeholder((m,), "int32", name="A")
    S = te.compute((), lambda: te.sum(A[k] + n, axis=k), name="S")
    text = str(te.create_schedule(S))
    assert "() reduce (%k = %n to %m)" in text


A = te.placeholder((4, 8), name="A")
k = te.reduce_axis((0, 8), "k")
h = te.reduce_axis((0, 8), "h")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: te.compute((4,), lambda i: te.sum(A[i, k], axis=k) + 1, name="B"),
            "sum(A[i, k], axis=[k]) stands inside the expression of 'B'",
        ),
        (
            lambda: te.compute((4,), lambda i: te.sum(te.max(A[i, k], axis=k), axis=h), name="B"),
            "a reduction must be the whole of it",
        ),
        (
            lambda: te.compute((4,), lambda i: (te.sum(A[i, k], axis=k), A[i, 0]), name="B"),
            "'B' mixes reductions with plain expressions",
        ),
        (
            lambda: te.compute(
                (4,), lambda i: (te.sum(A[i, k], axis=k), te.sum(A[i, h], axis=h)), name="B"
            ),
            "the outputs of 'B' come from different reductions",
        ),
        (
            lambda: te.compute((4,), lambda i: argmax_of(A)[0].op.body[0], name="B"),
            "'B' gives 1 of the 2 values of its reduction",
        ),
        (
            lambda: te.compute((4,), lambda i: A[i, k], name="B"),
            "'B' uses axis k, which is not one of its axes (i); name it in the axis= of",
        ),
        (lambda: te.sum(A[0, k], axis=3), "sum wants reduce axes for axis=, got 3"),
        (
            lambda: te.compute((4,), lambda i: te.sum(A[i, k], axis=i)),
            "sum cannot reduce over the data axis i; make a te.reduce_axis",
        ),
        (lambda: te.sum(A[0, k], axis=[k, k]), "sum has an axis twice in axis=[k, k]"),
        (lambda: te.sum(A[0, k], axis=[]), "sum over no axis"),
        (lambda: te.sum(A[0, k], k, None, None, 3), "takes expr, axis, where and init"),
        (lambda: te.sum(A[0, 0], 1, where=k > 2), "sum of single values takes no where="),
        (lambda: te.sum(A[0, k], k, where=A[0, k]), "the condition A[0, k] is float32, not bool"),
        (lambda: te.any(A[0, k], axis=k), "te.any and te.all want bool, got float32"),
        (
            lambda: te.comm_reducer(lambda x, y: x, lambda t: te.var("n"), name="f")(A[0, k], k),
            "the identity of f gives int32 for a value of float32; cast it",
        ),
        (
            lambda: te.comm_reducer(lambda x, y: x > y, lambda t: te.const(0, t), name="f")(
                A[0, k], k
            ),
            "the combiner of f gives bool for a value of float32",
        ),
        (
            lambda: te.comm_reducer(
                lambda x, y: x, lambda *t: [te.const(0, one) for one in t], name="f"
            )((A[0, k], A[1, k], A[2, k])[:2], k, init=[0.0]),
            "f reduces 2 values, but was given 1",
        ),
        (
            lambda: te.comm_reducer(
                lambda x, y: x + A[y.astype("int32"), 0], lambda t: te.const(0, t), name="f"
            )(A[0, k], k),
            "the combiner of f uses A[int32(y), 0]; it may compute with its two arguments, with",
        ),
        (
            lambda: te.compute(
                (4,), lambda i: te.comm_reducer(lambda x, y: x + y * k, te.min_value)(A[i, k], k)
            ),
            "'compute' uses axis k, which is not one of its axes (i)",
        ),
        (
            lambda: te.compute((4,), lambda i: te.sum(A[i, k], axis=k, init=A[i, k]), name="B"),
            "'B' uses axis k, which is not one of its axes (i)",
        ),
        (
            lambda: te.reduce_axis((5, 2), "k"),
            "axis k runs from 5 to 2: that is never an iteration",
        ),
        (lambda: te.reduce_axis(8, "k"), "reduce_axis 'k' wants a pair (begin, end), got 8"),
        (lambda: te.reduce_axis((0, 2.5), "k"), "end 2.5 of 'k' is float32, not an integer"),
        (lambda: te.reduce_axis((0, 8), "k", "threadIdx.x"), "cannot be bound to the thread"),
    ],
)
def test_refuses(make, words: str):
    with pytest.raises(teloom.Error) as error:
        make()
    assert words in str(error.value)


def test_a_reduction_is_an_expression_of_its_source():
    assert isinstance(te.sum(A[0, k], axis=k), Reduce)
    assert te.sum(A[0, k].astype("float64"), axis=k).dtype == "float64"


ROW_WITH_NAN = np.array([[math.nan, 1, math.nan, 5, -2, math.nan, 3, 4]], np.float32)


@pytest.mark.parametrize("reversed_", [False, True])
@pytest.mark.parametrize(
    ("reducer", "expected"),
    [(te.max, np.fmax), (te.min, np.fmin), (te.maximum, np.maximum), (te.minimum, np.minimum)],
)
def test_extremes_of_a_row_with_nan_whatever_the_order(reducer, expected, reversed_: bool):
    """`max` and `min` pass over NaN, `maximum` and `minimum` give it, in every order of terms."""
    A = te.placeholder((1, 8), name="A")
    k = te.reduce_axis((0, 8), "k")
    B = te.compute((1,), lambda i: reducer(A[i, k], axis=k), name="B")
    s = te.create_schedule(B)
    if reversed_:
        s[B].reverse(s[B].op.reduce_axis[0])
    b = np.empty(1, np.float32)
    teloom.build(s, [A, B])(ROW_WITH_NAN, b)
    np.testing.assert_array_equal(b, expected.reduce(ROW_WITH_NAN, axis=1))


def test_the_partial_extremes_of_a_row_with_nan():
    """A part of nothing but NaN has the identity, which changes no other part's extreme."""
    A = te.placeholder((4, 2), name="A")
    inner, outer = te.reduce_axis((0, 2), "inner"), te.reduce_axis((0, 4), "outer")
    parts = te.compute((4,), lambda i: te.max(A[i, inner], axis=inner), name="parts")
    whole = te.compute((), lambda: te.max(parts[outer], axis=outer), name="whole")
    row = np.array([math.nan, math.nan, 1, math.nan, -3, 7, 2, math.nan], np.float32)
    assert run(whole, row.reshape(4, 2))[0] == 7


def test_the_extreme_of_two_floats_is_that_of_python():
    """The first value, unless the other one is beyond it."""
    nan = math.nan
    pairs = [(1, 2), (2, 1), (nan, 1), (1, nan), (0.0, -0.0), (-0.0, 0.0)]
    a, b = np.array(pairs, np.float32).T.copy()
    for of_te, of_python in (te.max, max), (te.min, min):
        A, B = te.placeholder((6,), name="A"), te.placeholder((6,), name="B")
        C = te.compute((6,), lambda i, of=of_te, A=A, B=B: of(A[i], B[i]), name="C")
        s = te.create_schedule(C)
        s[C].vectorize(C.op.axis[0])
        c = np.empty(6, np.float32)
        teloom.build(s, [A, B, C])(a, b, c)
        expected = np.array([of_python(*pair) for pair in pairs], np.float32)
        np.testing.assert_array_equal(c.view(np.int32), expected.view(np.int32))


@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3", "znver4"])
@pytest.mark.parametrize(("reducer", "instruction"), [(te.max, "maxps"), (te.min, "minps")])
def test_an_extreme_of_floats_is_one_instruction(reducer, instruction: str, cpu: str):
    A = te.placeholder((16, 64), name="A")
    k = te.reduce_axis((0, 16), "k")
    B = te.compute((64,), lambda i: reducer(A[k, i], axis=k), name="B")
    s = te.create_schedule(B)
    s[B].reorder(s[B].op.reduce_axis[0], B.op.axis[0])
    s[B].vectorize(B.op.axis[0])
    module = teloom.lower(s, [A, B], level="llvm", target=cpu)
    code = machine_code.assembly(llvm_text(module), teloom.target(cpu))
    assert instruction in code
    assert "cmpunord" not in code
    assert "blend" not in code


@pytest.mark.parametrize(
    ("dtype", "init"), [("int32", 1.75), ("float32", te.const(1e300, "float64")), ("uint8", 300)]
)
def test_a_start_that_the_dtype_does_not_hold(dtype: str, init: object):
    A, k = te.placeholder((4,), dtype, name="A"), te.reduce_axis((0, 4), "k")
    with pytest.raises(teloom.Error, match=f"the init of sum is .*, which is no {dtype}|not fit"):
        te.sum(A[k], axis=k, init=init)
