"""Rules compute once what points of an equation would compute again and again."""

import numpy as np
import pytest

import teloom
from teloom import te

AVX512, AVX2 = "x86-64-v4", "x86-64-v3"


def scheduled(tensor: te.Tensor, target: str = AVX512) -> tuple[te.Schedule, list[str]]:
    s = te.create_schedule(tensor)
    return s, te.auto_schedule(s, target, num_threads=1)


def product(left, right, n=96, terms=80, dtype="float32"):
    A, B = te.placeholder((n, terms), dtype, name="A"), te.placeholder((terms, n), dtype, name="B")
    k = te.reduce_axis((0, terms), "k")
    C = te.compute((n, n), lambda i, j: te.sum(left(A[i, k]) * right(B[k, j]), axis=k), name="C")
    return A, B, C


def parts_in(reasons: list[str]) -> list[str]:
    return [one for one in reasons if "computes of" in one]


def test_an_operand_of_a_product_that_is_a_function_is_a_stage():
    A, B, C = product(te.exp, lambda b: b)
    s, reasons = scheduled(C)
    assert parts_in(reasons) == ["C.pre: what C computes of i, k alone, once for all j"]
    a, b = np.random.default_rng(0).standard_normal((2, 96, 80)).astype("f4")
    c = np.empty((96, 96), "f4")
    teloom.build(s, [A, B, C])(a, b.T.copy(), c)
    np.testing.assert_allclose(c, np.exp(a) @ b.T, rtol=2e-4, atol=1e-3)


def test_both_operands_are():
    *_, C = product(te.tanh, te.tanh)
    assert len(parts_in(scheduled(C)[1])) == 2


def test_parts_of_as_many_points_come_in_the_order_of_the_equation():
    for _ in range(8):
        *_, C = product(te.tanh, te.tanh)
        assert parts_in(scheduled(C)[1]) == [
            "C.pre: what C computes of i, k alone, once for all j",
            "C.pre_1: what C computes of j, k alone, once for all i",
        ]


def test_what_tiles_repeat_a_few_times_stays():
    *_, C = product(lambda a: a + 1.0, lambda b: b)
    assert not parts_in(scheduled(C)[1])


def test_a_cheap_part_of_many_points_is_a_stage():
    *_, C = product(lambda a: a + 1.0, lambda b: b, n=512)
    assert parts_in(scheduled(C)[1]) == ["C.pre: what C computes of i, k alone, once for all j"]


def test_what_is_nothing_for_unsigned_integers_is_no_part():
    *_, C = product(te.abs, lambda b: b, n=300, dtype="uint32")
    s, reasons = scheduled(C)
    assert not parts_in(reasons)
    teloom.lower(s, [*s.outputs[0].input_tensors, C], level="schedule")


def test_products_of_narrow_integers_subtract_where_they_multiply():
    A, B = te.placeholder((300, 64), "uint8", name="A"), te.placeholder((300, 64), "int8", name="B")
    k = te.reduce_axis((0, 64), "k")

    def dot(i, j):
        return te.sum(A[i, k].astype("int32") * B[j, k].astype("int32"), axis=k)

    C = te.compute((300, 300), dot, name="C")
    assert not parts_in(scheduled(C)[1])


def test_a_function_of_the_last_axis_is_no_function_of_each_row():
    A, b = te.placeholder((200, 300), name="A"), te.placeholder((300,), name="b")
    C = te.compute((200, 300), lambda i, j: A[i, j] * te.exp(b[j]), name="C")
    s, reasons = scheduled(C)
    assert parts_in(reasons) == ["C.pre: what C computes of j alone, once for all i"]
    rng = np.random.default_rng(0)
    x, y, c = rng.random((200, 300), "f4"), rng.random(300, "f4"), np.empty((200, 300), "f4")
    teloom.build(s, [A, b, C])(x, y, c)
    np.testing.assert_allclose(c, x * np.exp(y), rtol=1e-6)


def test_a_function_of_an_outer_axis_is_in_the_loop_of_that():
    A, b = te.placeholder((200, 300), name="A"), te.placeholder((200,), name="b")
    C = te.compute((200, 300), lambda i, j: A[i, j] * te.exp(b[i]), name="C")
    assert not parts_in(scheduled(C)[1])


def test_so_is_one_of_all_terms_of_a_result():
    A, b = te.placeholder((200, 300), name="A"), te.placeholder((200,), name="b")
    k = te.reduce_axis((0, 300), "k")
    C = te.compute((200,), lambda i: te.sum(A[i, k] * te.exp(b[i]), axis=k), name="C")
    assert not parts_in(scheduled(C)[1])


def test_terms_of_a_row_are_computed_for_all_rows():
    A, b = te.placeholder((200, 300), name="A"), te.placeholder((300,), name="b")
    k = te.reduce_axis((0, 300), "k")
    C = te.compute((200,), lambda i: te.sum(A[i, k] * te.sqrt(b[k]), axis=k), name="C")
    assert parts_in(scheduled(C)[1]) == ["C.pre: what C computes of k alone, once for all i"]


def test_a_part_of_a_part_is_a_stage_of_its_own():
    A, B = te.placeholder((512, 512), name="A"), te.placeholder((512, 512), name="B")
    w, k = te.placeholder((512,), name="w"), te.reduce_axis((0, 512), "k")

    def term(i, j):
        return te.sum(A[i, k] * te.exp(w[k]) * B[k, j], axis=k)

    C = te.compute((512, 512), term, name="C")
    assert parts_in(scheduled(C)[1]) == [
        "C.pre: what C computes of k alone, once for all i, j",
        "C.pre_1: what C computes of i, k alone, once for all j",
    ]


@pytest.mark.parametrize("target", [AVX512, AVX2])
def test_taps_of_a_window_that_rows_share_are_a_loop(target: str):
    X, W = te.placeholder((16, 30, 30), name="X"), te.placeholder((64, 16, 3, 3), name="W")
    c, y, x = (te.reduce_axis((0, n), name) for n, name in ((16, "c"), (3, "dy"), (3, "dx")))

    def fold(o, i, j):
        return te.sum(X[c, i + y, j + x] * W[o, c, y, x], axis=[c, y, x])

    C = te.compute((64, 28, 28), fold, name="C")
    s, _ = scheduled(C, target)
    assert '"llvm.loop.unroll.disable"' in "\n".join(s.schedule_record)
    assert not {"schedule.unroll %dx", "schedule.unroll %dy"} & {*s.schedule_record}


def test_lanes_of_a_window_are_not_divided_into_panels():
    X, W = te.placeholder((16, 518), name="X"), te.placeholder((64, 16, 7), name="W")
    c, t = te.reduce_axis((0, 16), "c"), te.reduce_axis((0, 7), "t")
    C = te.compute((64, 512), lambda o, x: te.sum(X[c, x + t] * W[o, c, t], axis=[c, t]), name="C")
    s, reasons = scheduled(C, AVX2)
    assert "X.global: a panel is read once per tile, in the order of memory" in reasons
    rng = np.random.default_rng(0)
    x, w, found = (
        rng.random((16, 518), "f4"),
        rng.random((64, 16, 7), "f4"),
        np.empty((64, 512), "f4"),
    )
    teloom.build(s, [X, W, C])(x, w, found)
    windows = np.lib.stride_tricks.sliding_window_view(x, 7, 1)
    np.testing.assert_allclose(found, np.einsum("cxt,oct->ox", windows, w), rtol=1e-4)
