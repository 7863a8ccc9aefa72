"""What TVM's programs of te ask of tensors, schedules and axes."""

import json
import pickle

import numpy as np
import pytest

import teloom.tvm_compat as tvm
from teloom.tvm_compat import te


def test_constants_of_bounds_have_a_value():
    A = te.placeholder((te.var("n"),), name="A")
    B = te.compute(A.shape, lambda i: A[i] + 1, name="B")
    C = te.compute(A.shape, lambda i: B[i] * 2, name="C")
    s = te.create_schedule(C.op)
    outer, inner = s[C].split(C.op.axis[0], factor=8)
    s[B].compute_at(s[C], outer)
    bounds = te.schedule.InferBound(s)
    assert bounds[inner].extent.value == 8
    assert (bounds[B.op.axis[0]].extent.value, bounds[C.op.axis[0]].extent) == (8, A.shape[0])


def chain():
    A = te.placeholder((64,), name="A")
    B = te.compute((64,), lambda i: A[i] + 1, name="B")
    C = te.compute((64,), lambda i: B[i] * 2, name="C")
    D = te.compute((64,), lambda i: C[i] + 3, name="D")
    return B, C, te.create_schedule(D.op)


def test_groups_are_in_groups():
    B, C, s = chain()
    inner = s.create_group(outputs=C, inputs=B)
    outer = s.create_group(outputs=C, inputs=B, include_inputs=True)
    assert s[C].group is inner
    assert s[B].group is outer
    assert inner.group is outer
    assert outer.group is None
    assert [one.num_child_stages for one in (inner, outer, s[B])] == [1, 2, 0]


def test_groups_of_the_same_stages_are_in_no_other():
    B, C, s = chain()
    one, other = (s.create_group(outputs=C, inputs=B) for _ in range(2))
    assert one.group is other.group is None
    assert s[C].group is one


def test_what_is_said_of_a_loop_names_pragmas_and_intrinsics():
    def vadd(n):
        x, y = te.placeholder((n,), name="x"), te.placeholder((n,), name="y")
        z = te.compute((n,), lambda i: x[i] + y[i], name="z")
        return te.decl_tensor_intrin(
            z.op, lambda ins, outs: tvm.tir.call_packed("vadd", *ins, *outs), "vadd"
        )

    A, B = te.placeholder((64,), name="A"), te.placeholder((64,), name="B")
    C = te.compute((64,), lambda i: A[i] + B[i], name="C")
    s = te.create_schedule(C.op)
    outer, inner = s[C].split(C.op.axis[0], factor=16)
    s[C].pragma(outer, "auto_unroll_max_step", 4)
    intrin = vadd(16)
    s[C].tensorize(inner, intrin)
    said = s[C].iter_var_attrs
    assert said[outer].pragma_keys == ("auto_unroll_max_step",)
    assert said[outer].pragma_keys[0].value == "auto_unroll_max_step"
    assert said[outer].pragma_values[0].value == 4
    assert said[inner].iter_type == te.schedule.IterVar.Tensorized
    assert said[inner].tensor_intrin is intrin


@pytest.mark.parametrize(("shape", "is_inlined"), [((1,), True), ((2,), False)])
def test_an_axis_of_one_element_is_repeated(shape, is_inlined: bool):
    A, B = te.placeholder(shape, name="A"), te.placeholder((8, 4), name="B")
    T = te.compute((8, 4), lambda i, j: A[0] * B[i, j], name="T")
    C = te.compute((8, 4), lambda i, j: T[i, j] + 1, name="C")
    s = te.create_schedule(C.op)
    te.schedule.AutoInlineBroadcast(s)
    assert int(s[T].attach_type) == (2 if is_inlined else 1)


def by_quotients(rows: int):
    """An equation whose subscripts divide both axes, and code that computes 9 x 9 of it."""

    def value(x):
        div, mod = tvm.tir.indexdiv, tvm.tir.indexmod
        return lambda *at: x(*at[:-2], div(at[-1], 3) + mod(at[-2], 3), mod(at[-1], 3))

    def code(x, z):
        i, j = np.indices((9, 9))
        z[...] = x[j // 3 + i % 3, j % 3]

    x = te.placeholder((5, 3), name="x")
    z = te.compute((9, 9), value(x), name="z")
    intrin = te.decl_tensor_intrin(z.op, lambda i, o: tvm.tir.call_packed(code, i[0], o[0]))
    X = te.placeholder((rows, 5, 3), name="X")
    return X, te.compute((rows, 9, 9), value(X), name="Z"), intrin


@pytest.mark.parametrize("rows", [1, 3])
def test_an_intrinsic_may_read_by_quotients(rows: int):
    X, Z, intrin = by_quotients(rows)
    s = te.create_schedule(Z.op)
    s[Z].tensorize(Z.op.axis[1], intrin)
    assert "loop.load" not in str(tvm.lower(s, [X, Z]))
    x, z = (
        np.random.default_rng(0).random((rows, 5, 3), "float32"),
        np.zeros((rows, 9, 9), "float32"),
    )
    tvm.build(s, [X, Z])(x, z)
    i, j = np.indices((9, 9))
    np.testing.assert_array_equal(z, x[:, j // 3 + i % 3, j % 3])


def test_quotients_of_a_tile_that_moves_are_not_those_of_an_intrinsic():
    x = te.placeholder((2,), name="x")
    z = te.compute((4,), lambda i: x[i // 2], name="z")
    intrin = te.decl_tensor_intrin(z.op, lambda i, o: tvm.tir.call_packed(print, i[0], o[0]))
    X = te.placeholder((6,), name="X")
    Z = te.compute((12,), lambda i: X[i // 2], name="Z")
    s = te.create_schedule(Z.op)
    _, inner = s[Z].split(Z.op.axis[0], factor=4)
    s[Z].tensorize(inner, intrin)
    with pytest.raises(tvm.TVMError, match=r"it computes X\[i floordiv 2\] where @tensor_intrin"):
        tvm.lower(s, [X, Z])


def test_an_intrinsic_says_which_part_of_an_input_it_reads():
    x = te.placeholder((4,), name="x")
    z = te.compute((4,), lambda i: x[i // 2], name="z")
    intrin = te.decl_tensor_intrin(z.op, lambda i, o: tvm.tir.call_packed(print, i[0], o[0]))
    X = te.placeholder((4,), name="X")
    Z = te.compute((4,), lambda i: X[i // 2], name="Z")
    s = te.create_schedule(Z.op)
    s[Z].tensorize(Z.op.axis[0], intrin)
    with pytest.raises(tvm.TVMError, match="reads x from 0 to 1 along axis 0, which has 4 elem"):
        tvm.lower(s, [X, Z])


def test_programs_are_texts():
    A, k = te.placeholder((4, te.var("n")), name="A"), te.reduce_axis((0, 4), "k")
    B = te.compute((4,), lambda i: te.sum(A[k, i], axis=k), name="B", attrs={"arr": [10, 12]})
    loaded = tvm.ir.load_json(tvm.ir.save_json(B))
    assert isinstance(loaded, te.tensor.Tensor)
    assert (str(loaded), loaded.op.attrs["arr"][0].value) == (str(B), 10)
    s = te.create_schedule(B.op)
    s[B].split(B.op.axis[0], factor=2)
    again = tvm.ir.load_json(tvm.ir.save_json(s))
    assert again.schedule_record == pickle.loads(pickle.dumps(s)).schedule_record
    with pytest.raises(tvm.TVMError, match=r"'\[1\]' is no text of tvm.ir.save_json"):
        tvm.ir.load_json("[1]")


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        ("floor", (2.5, -0.5), ("2.0", "-1.0")),
        ("ceil", (2.5, -0.5), ("3.0", "-0.0")),
        ("trunc", (2.5, -0.5), ("2.0", "-0.0")),
        ("round", (2.5, -0.5, 0.49999997), ("3.0", "-1.0", "0.0")),
        ("nearbyint", (2.5, 3.5, -0.5), ("2.0", "4.0", "-0.0")),
        ("isnan", (0.0, np.nan), ("False", "True")),
        ("isinf", (0.0, -np.inf), ("False", "True")),
        ("isfinite", (0.0, np.inf), ("True", "False")),
    ],
)
def test_constants_are_rounded_at_once(function: str, arguments, expected):
    apply = getattr(te, function)
    assert [str(apply(te.const(one, "float32"))) for one in arguments] == [*expected]
    assert str(te.floor(te.const(np.inf, "float32"))) == "inf"


def test_expressions_are_asked_by_tvms_names():
    n = te.var("n")
    assert (n + 0).same_as(n)
    assert not (n + 1).same_as(n + 1)
    assert str(n.equal(3)) == "(n == 3)"
    with pytest.raises(ValueError, match="n is an expression, not a truth value"):
        bool(n)


@pytest.mark.parametrize("given", ["a word", 7, 1.5, True])
def test_what_a_pragma_says_has_a_value(given):
    A = te.placeholder((64,), name="A")
    B = te.compute((64,), lambda i: A[i] + 1, name="B")
    s = te.create_schedule(B.op)
    s[B].pragma(B.op.axis[0], "note", given)
    said = s[B].iter_var_attrs[B.op.axis[0]].pragma_values[0]
    assert said.value == given
    assert isinstance(said, tvm.tir.StringImm) == isinstance(given, str)


@pytest.mark.parametrize("word", ["unroll", "vectorize"])
def test_some_pragmas_are_commands(word: str):
    A = te.placeholder((64,), name="A")
    B = te.compute((64,), lambda i: A[i] + 1, name="B")
    s, t = te.create_schedule(B.op), te.create_schedule(B.op)
    s[B].pragma(B.op.axis[0], word)
    getattr(t[B], word)(B.op.axis[0])
    assert s.schedule_record == t.schedule_record


def test_attributes_of_an_operation_are_json():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i], attrs={"words": ["a", "b"], "number": 3})
    assert json.loads(str(B.op.attrs)) == {"words": ["a", "b"], "number": 3}
    assert B.op.attrs["words"][1].value == "b"


def test_an_analyzer_simplifies_sums_of_sizes():
    n, m = te.var("n"), te.var("m")
    analyzer = tvm.arith.Analyzer()
    assert isinstance(analyzer.simplify(4), tvm.tir.IntImm)
    assert analyzer.simplify(n * 2 - n * 2).value == 0
    assert str(analyzer.canonical_simplify(n + m - n)) == "m"
    assert str(analyzer.simplify(n < 3)) == "(n < 3)"
    assert analyzer.can_prove_equal(n * 2, n + n)
    assert not analyzer.can_prove_equal(n, m)


def test_expressions_are_walked_from_their_operands_on():
    n, seen = te.var("n"), []
    tvm.tir.stmt_functor.post_order_visit(te.max(n + 1, 4), lambda one: seen.append(str(one)))
    assert seen == ["n", "1", "(n + 1)", "4", "maximum((n + 1), 4)"]
    with pytest.raises(tvm.TVMError):
        tvm.tir.stmt_functor.post_order_visit("n", print)


def test_gradients_are_compared_of_inputs_that_have_one():
    check = tvm.testing.check_numerical_grads
    inputs = [np.array([1.0, 2.0]), np.array([3.0, 4.0])]
    check(lambda x, y: (x * y).sum(), inputs, [inputs[1]])
    with pytest.raises(AssertionError, match="gradient of input 0"):
        check(lambda x, y: (x * y).sum(), inputs, [inputs[0]])


def test_a_script_has_the_names_around_its_function():
    script = te.hybrid.script(lambda_of_names())
    assert script.__globals__ is globals()


def lambda_of_names():
    def copied(a):
        b = output_tensor(a.shape, a.dtype)  # noqa: F821
        for i in range(len(a)):
            b[i] = a[i]
        return b

    return copied
