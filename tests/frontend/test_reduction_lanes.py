"""Vectorized reduce axes: partial results per lane give what one after the other gives."""

import re
from itertools import product

import numpy as np
import pytest
from budget import each

import teloom
from teloom import te
from teloom.backend.machine.codegen import machine_code
from teloom.backend.machine.llvm_text import llvm_text

argmax = te.comm_reducer(
    lambda x, y: (te.select(x[1] >= y[1], x[0], y[0]), te.select(x[1] >= y[1], x[1], y[1])),
    lambda t0, t1: (te.const(-1, t0), te.min_value(t1)),
    name="argmax",
)

REDUCERS = {
    "sum": (te.sum, np.sum),
    "prod": (te.prod, np.prod),
    "min": (te.min, np.min),
    "max": (te.max, np.max),
}
DTYPES = ("float32", "float64", "float16", "int8", "uint16", "int32", "int64", "uint64")
SIZES = (1, 2, 3, 15, 16, 17, 64, 100, 129)


def numbers(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Whole numbers, so small that floats add and multiply them exactly."""
    return np.random.default_rng(sum(shape)).integers(1, 3, shape).astype(dtype)


def rows_of(reducer, rows: int, length, dtype: str):
    """Rows, what each is folded to, and the axis of that."""
    A = te.placeholder((rows, length), dtype, name="A")
    k = te.reduce_axis((0, length), "k")
    return A, te.compute((rows,), lambda i: reducer(A[i, k], axis=k), name="C"), k


def row_reduction(reducer, rows: int, length, dtype: str, factor: int | None = None):
    """Each row is folded by lanes; with a factor by those of the inner axis of a split."""
    A, C, k = rows_of(reducer, rows, length, dtype)
    s = te.create_schedule(C.op)
    s[C].vectorize(k if factor is None else s[C].split(k, factor)[1])
    return teloom.build(s, [A, C])


CASES = each([*REDUCERS], DTYPES, SIZES)


@pytest.mark.parametrize("cases", [CASES[0::3], CASES[1::3], CASES[2::3]])
def test_of_rows(cases: list[tuple[str, str, int]]):
    """Each case is an output of one program."""
    inputs, outputs, arrays, wanted = [], [], [], []
    for name, dtype, size in cases:
        reducer, expected = REDUCERS[name]
        A, C, _ = rows_of(reducer, 3, size, dtype)
        inputs.append(A)
        outputs.append(C)
        a = numbers((3, size), dtype)
        if name == "prod":
            a[:, 5:] = 1
        arrays.append(a)
        kept = {"dtype": dtype} if name in ("sum", "prod") else {}
        wanted.append(expected(a, axis=1, **kept))
    s = te.create_schedule(outputs)
    for C in outputs:
        s[C].vectorize(C.op.reduce_axis[0])
    found = [np.empty(3, dtype) for _, dtype, _ in cases]
    teloom.build(s, [*inputs, *outputs])(*arrays, *found)
    for case, c, one in zip(cases, found, wanted, strict=True):
        np.testing.assert_array_equal(c, one, err_msg=str(case))


@pytest.mark.parametrize("factor", [None, 1, 5, 16, 24])
def test_of_a_length_known_at_the_call(factor: int | None):
    sums = row_reduction(te.sum, 2, te.var("n"), "float32", factor)
    for size in (0, 1, 7, 16, 33, 63, 64, 200):
        a = numbers((2, size), "float32")
        c = np.empty(2, "float32")
        sums(a, c)
        np.testing.assert_array_equal(c, a.sum(axis=1))


@pytest.mark.parametrize("size", [1, 8, 16, 37])
def test_of_what_is_computed_of_one_side_alone(size: int):
    """Lanes fold into each other: a magnitude of the first of two differs from lane to lane."""
    magnitude = te.comm_reducer(
        lambda x, y: te.max(te.abs(x), te.abs(y)), lambda dtype: te.const(0, dtype)
    )
    factors = (None, 2, 4, 8)
    inputs, outputs, axes = zip(
        *(rows_of(magnitude, size, size, "int32") for _ in factors), strict=True
    )
    s = te.create_schedule(outputs)
    for C, k, factor in zip(outputs, axes, factors, strict=True):
        s[C].vectorize(k if factor is None else s[C].split(k, factor)[1])
    a, found = np.diag(np.arange(1, size + 1, dtype="int32")) * -1, np.empty((4, size), "int32")
    teloom.build(s, [*inputs, *outputs])(a, a, a, a, *found)
    for factor, c in zip(factors, found, strict=True):
        np.testing.assert_array_equal(c, np.arange(1, size + 1), err_msg=f"factor {factor}")


@pytest.mark.parametrize("size", [1, 9, 64, 83])
def test_of_pairs(size: int):
    A = te.placeholder((4, size), "float32", name="A")
    k = te.reduce_axis((0, size), "k")
    at, most = te.compute((4,), lambda i: argmax((k, A[i, k]), axis=k), name="T")
    s = te.create_schedule(at.op)
    s[at].vectorize(k)
    largest = teloom.build(s, [A, at, most])
    a = np.random.default_rng(size).permuted(np.arange(4.0 * size).reshape(4, size), axis=1)
    a = a.astype("float32")
    i, v = np.empty(4, at.dtype), np.empty(4, "float32")
    largest(a, i, v)
    np.testing.assert_array_equal(i, a.argmax(axis=1))
    np.testing.assert_array_equal(v, a.max(axis=1))


INTEGERS = ("uint8", "int8", "int16", "uint16")
KINDS = [*product(INTEGERS, INTEGERS)]


def dot_products(*cases, wide: str = "int32"):
    """Sums of products, which the target may have an instruction for.

    Each of two dtypes and a length, an output of one program.
    """
    arguments, outputs = [], []
    for dtypes, length in cases:
        A, B = (te.placeholder((length,), dtype) for dtype in dtypes)
        k = te.reduce_axis((0, length), "k")
        product = A[k].astype(wide) * B[k].astype(wide)
        outputs.append(te.compute((1,), lambda i, p=product, k=k: te.sum(p, axis=k), name="C"))
        arguments += A, B
    s = te.create_schedule(outputs)
    for C in outputs:
        s[C].vectorize(C.op.reduce_axis[0])
    return s, [*arguments, *outputs]


def dot_product(dtypes: tuple[str, str], length):
    """One of integers."""
    return dot_products((dtypes, length))


def float_dot_product(dtype: str, length):
    return dot_products(((dtype, dtype), length), wide="float32")


@pytest.mark.parametrize("target", ["native", "x86-64"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_of_products_of_integers(dtype: str, target: str):
    """With each other type, in a length of its own."""
    those = each(KINDS, SIZES, ("native", "x86-64"))
    cases = [(kinds, size) for kinds, size, where in those if kinds[0] == dtype and where == target]
    dots = teloom.build(*dot_products(*cases), target=target)
    some, least, most = [], [], []
    for dtypes, size in cases:
        random = np.random.default_rng(size)
        for one in map(np.iinfo, dtypes):
            some.append(random.integers(one.min, one.max + 1, size, one.dtype))
            least.append(np.full(size, one.min, one.dtype))
            most.append(np.full(size, one.max, one.dtype))
    for arrays in (some, least, most):
        dots(*arrays, *(found := [np.empty(1, "int32") for _ in cases]))
        for case, a, b, c in zip(cases, arrays[::2], arrays[1::2], found, strict=True):
            assert c[0] == (a.astype("int64") @ b.astype("int64")).astype("int32"), case


@pytest.mark.parametrize("size", [4, 8, 16, 32])
def test_of_distances_of_bytes(size: int):
    A, B = (te.placeholder((size,), "uint8") for _ in range(2))
    k = te.reduce_axis((0, size), "k")
    apart = A[k].astype("int32") - B[k].astype("int32")
    C = te.compute((1,), lambda i: te.sum(te.abs(apart), axis=k), name="C")
    s = te.create_schedule(C.op)
    s[C].vectorize(k)
    a, b = np.random.default_rng(size).integers(0, 256, (2, size), "uint8")
    teloom.build(s, [A, B, C])(a, b, c := np.empty(1, "int32"))
    assert c[0] == np.abs(a.astype("int32") - b).sum()


def test_of_products_of_a_number_known_at_the_call():
    n = te.var("n")
    dot = teloom.build(*dot_product(("uint8", "int8"), n), target="native")
    for size in (0, 1, 31, 64, 65, 200, 1000):
        a, b = (np.arange(size) % 251).astype("uint8"), (np.arange(size) % 247).astype("int8")
        dot(a, b, c := np.empty(1, "int32"))
        assert c[0] == a.astype("int32") @ b.astype("int32")


@pytest.mark.parametrize(
    ("cpu", "dtypes", "instruction"),
    [
        ("znver4", ("int8", "uint8"), "vpdpbusd"),
        ("sapphirerapids", ("uint8", "int8"), "vpdpbusd"),
        ("alderlake", ("uint8", "int8"), "vpdpbusd"),
        ("skylake-avx512", ("uint8", "int8"), "vpmaddwd"),
        ("x86-64-v3", ("int16", "int8"), "vpmaddwd"),
        ("x86-64", ("int16", "int16"), "pmaddwd"),
    ],
)
def test_products_of_integers_are_one_instruction(cpu: str, dtypes, instruction: str):
    module = teloom.lower(*dot_product(dtypes, 256), level="llvm", target=cpu)
    code = machine_code.assembly(llvm_text(module), teloom.target(cpu))
    assert instruction in code
    assert "pmulld" not in code


@pytest.mark.parametrize("math", ["fast", "default", "precise"])
def test_products_of_bfloat16_are_one_instruction_at_level_fast(math: str):
    module = teloom.lower(
        *float_dot_product("bfloat16", 256), level="llvm", target="znver4", math=math
    )
    code = machine_code.assembly(llvm_text(module), teloom.target("znver4"))
    assert ("vdpbf16ps" in code) == (math == "fast")


@pytest.mark.parametrize("sizes", [SIZES[0::2], SIZES[1::2]])
def test_of_products_of_bfloat16(sizes: tuple[int, ...]):
    cases = [(("bfloat16", "bfloat16"), size) for size in sizes]
    dots = teloom.build(*dot_products(*cases, wide="float32"), target="native", math="fast")
    arrays = [numbers((size,), "float32").astype("bfloat16") for size in sizes for _ in "ab"]
    dots(*arrays, *(found := [np.empty(1, "float32") for _ in sizes]))
    for size, a, b, c in zip(sizes, arrays[::2], arrays[1::2], found, strict=True):
        # Of numbers with few bits every sum is exact.
        assert c[0] == a.astype("float64") @ b.astype("float64"), size


@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_of_products_of_bfloat16_in_short_vectors(lanes: int):
    n, m, k = te.var("n"), te.var("m"), te.var("k")
    A = te.placeholder((n, 2 * k), "bfloat16", name="A")
    B = te.placeholder((k, m, 2), "bfloat16", name="B")
    ko, ki = te.reduce_axis((0, k), "ko"), te.reduce_axis((0, 2), "ki")

    def product(i, j):
        factors = A[i, ko * 2 + ki].astype("float32"), B[ko, j, ki].astype("float32")
        return te.sum(factors[0] * factors[1], axis=[ko, ki])

    C = te.compute((n, m), product, name="C")
    s = te.create_schedule(C.op)
    outer, inner = s[C].split(C.op.axis[1], lanes, tail="predicate")
    s[C].reorder(C.op.axis[0], outer, ko, inner, ki)
    s[C].vectorize(inner)
    run = teloom.build(s, [A, B, C], target="native", math="fast")
    a, b = (numbers(shape, "float32").astype("bfloat16") for shape in ((2, 6), (3, 5, 2)))
    run(a, b, c := np.zeros((2, 5), "float32"))
    columns = b.astype("float32").transpose(0, 2, 1).reshape(6, 5)
    np.testing.assert_array_equal(c, a.astype("float32") @ columns)


def test_products_of_other_floats_are_added_one_by_one():
    module = teloom.lower(
        *float_dot_product("float16", 256), level="standard", target="znver4", math="fast"
    )
    assert "loop.dot" not in str(module)


@pytest.mark.parametrize("target", ["native", "x86-64"])
@pytest.mark.parametrize("group", [2, 4])
def test_of_products_whose_rows_are_packed(group: int, target: str):
    A, B = te.placeholder((3, 5 * group), "uint8"), te.placeholder((5, 24, group), "int8")
    ko, ki = te.reduce_axis((0, 5), "ko"), te.reduce_axis((0, group), "ki")
    C = te.compute(
        (3, 24),
        lambda i, j: te.sum(
            A[i, ko * group + ki].astype("int32") * B[ko, j, ki].astype("int32"), axis=[ko, ki]
        ),
        name="C",
    )
    s = te.create_schedule(C.op)
    i, j = C.op.axis
    s[C].reorder(i, ko, j, ki)
    s[C].vectorize(j)
    product_of = teloom.build(s, [A, B, C], target=target)
    random = np.random.default_rng(group)
    a = random.integers(0, 256, (3, 5 * group), "uint8")
    b = random.integers(-128, 128, (5, group, 24), "int8")
    product_of(a, np.ascontiguousarray(b.transpose(0, 2, 1)), c := np.empty((3, 24), "int32"))
    np.testing.assert_array_equal(c, a.astype("int32") @ b.reshape(-1, 24).astype("int32"))


@pytest.mark.parametrize("reducer", [te.any, te.all])
def test_of_truth_values(reducer):
    row = row_reduction(reducer, 64, 37, "bool")
    a = np.random.default_rng(1).random((64, 37)) < np.linspace(0, 1, 64)[:, None]
    c = np.empty(64, "bool")
    row(a, c)
    np.testing.assert_array_equal(c, getattr(np, reducer.__name__)(a, axis=1))


@pytest.mark.parametrize(("rows", "columns", "depth"), [(8, 8, 32), (7, 5, 33), (1, 1, 1)])
def test_of_a_tile(rows: int, columns: int, depth: int):
    A = te.placeholder((rows, depth), "float32", name="A")
    B = te.placeholder((columns, depth), "float32", name="B")
    k = te.reduce_axis((0, depth), "k")
    C = te.compute((rows, columns), lambda i, j: te.sum(A[i, k] * B[j, k], axis=k), name="C")
    s = te.create_schedule(C.op)
    io, jo, ii, ji = s[C].tile(*C.op.axis, 4, 2)
    ko, ki = s[C].split(k, 8)
    s[C].reorder(io, jo, ko, ii, ji, ki)
    s[C].vectorize(ki)
    product = teloom.build(s, [A, B, C])
    a, b = numbers((rows, depth), "float32"), numbers((columns, depth), "float32")
    c = np.empty((rows, columns), "float32")
    product(a, b, c)
    np.testing.assert_array_equal(c, a @ b.T)


def test_of_a_part_and_from_a_start():
    n = te.var("n")
    A = te.placeholder((n, n), "int32", name="A")
    k = te.reduce_axis((0, n), "k")
    C = te.compute((n,), lambda i: te.sum(A[i, k], k, where=k < i, init=A[i, 0]), name="C")
    s = te.create_schedule(C.op)
    s[C].vectorize(k)
    lower = teloom.build(s, [A, C])
    for size in (1, 2, 40):
        a = numbers((size, size), "int32")
        c = np.empty(size, "int32")
        lower(a, c)
        np.testing.assert_array_equal(c, np.tril(a, -1).sum(axis=1) + a[:, 0])


@pytest.mark.parametrize("known", [True, False])
def test_a_witness_says_iterations_only_where_they_are_known(known: bool):
    n, m = te.var("n"), 2 if known else te.var("m")
    A, r = te.placeholder((n, m), "int32", name="A"), te.reduce_axis((0, m), "r")
    S = te.compute((n,), lambda i: te.sum(A[i, r], axis=r), name="S")
    s = te.create_schedule(S)
    s[S].vectorize(s[S].fuse(S.op.axis[0], r))
    when, then = (
        (", at (i.r.fused = 1)", "the schedule at (i.r.fused = 0), ") if known else ("", "")
    )
    words = (
        f'stage "S" at [0, 1] overwrites S[0]{when}; the equations read it before or after it, at '
        f"[0, 0], {then}and iterations of i.r.fused, which is vectorized, have no order"
    )
    with pytest.raises(teloom.Error, match=re.escape(words)):
        teloom.lower(s, [A, S])
