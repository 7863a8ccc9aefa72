"""Copies that hold what their readers convert each element to, also by rules."""

import re

import ml_dtypes
import numpy as np
import pytest

import teloom
from teloom import te

V3 = teloom.target("x86-64-v3")
BF16 = np.dtype(ml_dtypes.bfloat16)
WIDENED = [
    ("float16", "float32"),
    (BF16, "float32"),
    ("uint8", "float32"),
    ("int8", "float64"),
    ("float32", "float64"),
    ("int32", "int64"),
]


class Product:
    """C = A @ B of numbers of `dtype`, which it converts to `wide` ones."""

    def __init__(self, dtype, wide: str, n: object = 70, m: object = 90, terms: object = 41):
        self.dtype, self.wide = np.dtype(dtype), wide
        k = self.k = te.reduce_axis((0, terms), "k")
        A = self.A = te.placeholder((n, terms), dtype, name="A")
        B = self.B = te.placeholder((terms, m), dtype, name="B")
        self.C = te.compute(
            (n, m),
            lambda i, j: te.sum(A[i, k].astype(wide) * B[k, j].astype(wide), axis=k),
            name="C",
        )
        self.s = te.create_schedule(self.C)

    def check(self, *sizes: tuple[int, int, int]) -> None:
        """Compares with NumPy."""
        run = teloom.build(self.s, [self.A, self.B, self.C], target=V3)
        for n, m, terms in sizes or [(70, 90, 41)]:
            a = (np.arange(n * terms).reshape(n, terms) % 13).astype(self.dtype)
            b = (np.arange(terms * m).reshape(terms, m) % 7).astype(self.dtype)
            run(a, b, c := np.empty((n, m), self.wide))
            np.testing.assert_array_equal(c, a.astype(self.wide) @ b.astype(self.wide))


@pytest.mark.parametrize(("dtype", "wide"), WIDENED)
def test_a_copy_holds_what_its_readers_convert(dtype, wide: str):
    p = Product(dtype, wide)
    copy = p.s.cache_read(p.B, "global", [p.C], dtype=wide)
    assert (copy.name, copy.dtype) == ("B.global", wide)
    assert str(copy.op.body[0]) == f"{wide}(B[ax0, ax1])"
    assert str(p.s[p.C].op.body[0]) == f"sum(({wide}(A[i, k]) * B.global[k, j]), axis=[k])"
    i, j = p.C.op.axis
    outer, inner = p.s[p.C].split(j, factor=8)
    p.s[p.C].reorder(outer, i, p.k, inner)
    p.s[p.C].vectorize(inner)
    p.s[copy].compute_at(p.s[p.C], outer)
    p.check()


def test_a_copy_of_its_own_type_is_one_like_all_others():
    p = Product("float32", "float64")
    copy = p.s.cache_read(p.B, "global", [p.C], dtype="float32")
    assert " as " not in p.s.schedule_record[-1]
    assert copy.dtype == "float32"
    p.check()


def test_a_schedule_of_another_program_converts_as_well():
    p = Product("float16", "float32")
    p.s.cache_read(p.B, "global", [p.C], dtype="float32")
    copied = te.Schedule.from_sequence(Product("float16", "float32").C, p.s)
    assert copied.schedule_record == p.s.schedule_record


@pytest.mark.parametrize(
    ("dtype", "error", "words"),
    [
        (
            "int8",
            teloom.ScheduleError,
            'cannot copy "B" as i8: "C" uses elements of it in arith.extf',
        ),
        ("float1", teloom.Error, "unknown dtype 'float1'"),
    ],
)
def test_other_types_are_refused(dtype, error, words):
    p = Product("float16", "float32")

    def lowered() -> None:
        p.s.cache_read(p.B, "global", [p.C], dtype=dtype)
        teloom.lower(p.s, [p.A, p.B, p.C])

    with pytest.raises(error, match=re.escape(words)):
        lowered()


@pytest.mark.parametrize(("dtype", "wide"), WIDENED)
def test_rules_convert_what_tiles_read_again(dtype, wide: str):
    p = Product(dtype, wide)
    reasons = te.auto_schedule(p.s, V3)
    words = "A.global: elements of A are converted once, not for each tile"
    assert [one for one in reasons if "converted" in one] == [words]
    p.check()


def test_rules_convert_at_symbolic_extents():
    p = Product("float16", "float32", te.var("n"), te.var("m"), te.var("t"))
    assert any("converted once" in one for one in te.auto_schedule(p.s, V3))
    p.check((0, 3, 4), (1, 1, 1), (33, 17, 0), (65, 49, 20))


@pytest.mark.parametrize(
    ("dtype", "wide", "sizes"),
    [
        ("int8", "int32", (70, 90, 40)),  # an instruction adds products of bytes
        ("float16", "float32", (70, 12, 41)),  # no columns read a row again
    ],
)
def test_rules_copy_nothing_where_that_does_not_pay(dtype, wide: str, sizes):
    p = Product(dtype, wide, *sizes)
    reasons = te.auto_schedule(p.s, V3)
    assert not any("A are converted once" in one for one in reasons)
    p.check(sizes)


def test_what_is_also_read_as_it_is_stays():
    p = Product("float16", "float32")
    A, C = p.A, p.C
    D = te.compute((70, 90), lambda i, j: C[i, j] + A[i, 0].astype("float32"), name="D")
    s = te.create_schedule(D)
    reasons = te.auto_schedule(s, V3)
    assert sum("converted once" in one for one in reasons) == 1
    run = teloom.build(s, [A, p.B, D], target=V3)
    a, b = np.ones((70, 41), "f2"), np.ones((41, 90), "f2")
    run(a, b, d := np.empty((70, 90), "f4"))
    np.testing.assert_array_equal(d, np.full((70, 90), 42, "f4"))


def test_what_tiles_read_in_their_loops_is_stored_as_lanes_read_it():
    A = te.placeholder((3, 70, 20), "float16", name="A")
    B = te.placeholder((3, 90, 20), "float16", name="B")
    k = te.reduce_axis((0, 20), "k")
    wide = [
        te.compute(X.shape, lambda *at, X=X: X(*at).astype("float32"), X.name + "w") for X in (A, B)
    ]
    C = te.compute(
        (3, 70, 90), lambda h, i, j: te.sum(wide[0][h, i, k] * wide[1][h, j, k], axis=k), name="C"
    )
    s = te.create_schedule(C)
    assert "Bw: computed for each j.outer, for which it is read" in te.auto_schedule(s, V3)
    assert any("transform_layout %Bw" in one for one in s.schedule_record)
    a, b = (np.arange(3 * n * 20).reshape(3, n, 20) % 11 for n in (70, 90))
    teloom.build(s, [A, B, C], target=V3)(
        a.astype("float16"), b.astype("float16"), c := np.empty((3, 70, 90), "float32")
    )
    np.testing.assert_array_equal(c, a @ b.transpose(0, 2, 1))


def test_what_reads_a_product_that_converts_finds_it():
    p = Product("float16", "float32")
    C, W = p.C, te.placeholder((90, 50), name="W")
    k = te.reduce_axis((0, 90), "k")
    D = te.compute((70, 50), lambda i, j: te.sum(C[i, k] * W[k, j], axis=k), name="D")
    copied = te.extern(
        (70, 90),
        [C],
        lambda ins, outs: te.call_packed(lambda x, y: np.copyto(y, x), *ins, *outs),
        name="copied",
        dtype="float32",
    )
    s = te.create_schedule([D.op, copied.op])
    reasons = te.auto_schedule(s, V3)
    assert sum("converted once" in one for one in reasons) == 1
    a, b = ((np.arange(n * m).reshape(n, m) % 5).astype("f2") for n, m in [(70, 41), (41, 90)])
    w = (np.arange(90 * 50).reshape(90, 50) % 3).astype("f4")
    found = np.empty((70, 50), "f4"), np.empty((70, 90), "f4")
    teloom.build(s, [p.A, p.B, W, D, copied], target=V3)(a, b, w, *found)
    c = a.astype("f4") @ b.astype("f4")
    np.testing.assert_array_equal(found[0], c @ w)
    np.testing.assert_array_equal(found[1], c)


def test_an_epilogue_of_a_product_that_converts_is_computed_in_its_tiles():
    p = Product("float16", "float32")
    C = p.C
    out = te.compute((70, 90), lambda i, j: te.max(C[i, j], 3.0), name="out")
    s = te.create_schedule(out)
    tiles = "C: tiles of 6 x 16 elements of out stay in registers for all terms"
    assert tiles in te.auto_schedule(s, V3)


def shared_element(A, B, k):
    """A product in which one expression is used as it is, and converted."""

    def term(i, j):
        a = A[i, k]
        return te.if_then_else(a > 2, a.astype("float32"), 0.0) * B[k, j].astype("float32")

    return term


@pytest.mark.parametrize(
    ("dtype", "term", "expected"),
    [
        (
            "float16",
            shared_element,
            lambda a, b: np.where(a > 2, a, 0).astype("f4") @ b.astype("f4"),
        ),
        (
            "int32",  # no op makes these of those
            lambda A, B, k: lambda i, j: A[i, k].astype("uint32") * B[k, j].astype("uint32"),
            lambda a, b: a.astype("u4") @ b.astype("u4"),
        ),
        (
            "int32",  # a comparison
            lambda A, B, k: (
                lambda i, j: te.if_then_else(
                    te.all(A[i, k].astype("bool"), B[k, j].astype("bool")), 1, 0
                )
            ),
            lambda a, b: a.astype("?").astype("i4") @ b.astype("?").astype("i4"),
        ),
        (
            BF16,  # two ops, by way of float32
            lambda A, B, k: lambda i, j: A[i, k].astype("float16") * B[k, j].astype("float16"),
            lambda a, b: a.astype("f2") @ b.astype("f2"),
        ),
    ],
)
def test_rules_leave_what_no_one_op_converts(dtype, term, expected):
    A, B = te.placeholder((70, 41), dtype, name="A"), te.placeholder((41, 90), dtype, name="B")
    k = te.reduce_axis((0, 41), "k")
    C = te.compute((70, 90), lambda i, j: te.sum(term(A, B, k)(i, j), axis=k), name="C")
    s = te.create_schedule(C)
    assert not any("A are converted once" in one for one in te.auto_schedule(s, V3))
    a, b = ((np.arange(n * m).reshape(n, m) % 4).astype(dtype) for n, m in [(70, 41), (41, 90)])
    teloom.build(s, [A, B, C], target=V3)(a, b, found := np.empty((70, 90), C.dtype))
    np.testing.assert_array_equal(found, expected(a, b))
