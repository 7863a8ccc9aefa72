"""Schedules by rules of products of narrow integers, with and without instructions for them."""

from itertools import product

import numpy as np
import pytest
from budget import chosen, each, pairs
from narrow_products import GROUPED, IN_TILES, convolution, matmul

import teloom
from teloom import te, topi

RNG = np.random.default_rng(0)

CPUS = ["native", "x86-64-v3"]


def numbers(dtype: str, *shape: int) -> np.ndarray:
    """Integers with the least and the greatest one among them."""
    info = np.iinfo(dtype)
    found = RNG.integers(info.min, info.max, shape, dtype, endpoint=True)
    ends = RNG.choice(np.array([info.min, info.max], dtype), shape)
    return np.where(RNG.random(shape) < 0.2, ends, found)


def check(run, dtypes, n, m, k, transposed):
    a, b = numbers(dtypes[0], n, k), numbers(dtypes[1], m, k)
    expected = (a.astype("int64") @ b.astype("int64").T).astype("int32")
    run(a, b if transposed else np.ascontiguousarray(b.T), found := np.zeros((n, m), "int32"))
    np.testing.assert_array_equal(found, expected)


DTYPES = [*product(("int8", "uint8"), repeat=2), ("int16", "int16"), ("int16", "uint8")]
PRODUCTS = [(13, 70, 37, True), (13, 70, 37, False), (8, 64, 64, True)]


@pytest.mark.parametrize(
    ("dtypes", "cpu", "sizes"),
    chosen(
        list(product(DTYPES, CPUS, PRODUCTS)),
        [
            (dtypes, cpu, PRODUCTS[(k + m) % 3])
            for k, dtypes in enumerate(DTYPES)
            for m, cpu in enumerate(CPUS)
        ],
    ),
)
def test_products(dtypes, cpu, sizes):
    check(teloom.build([*matmul(dtypes, *sizes)], target=cpu), dtypes, *sizes)


@pytest.mark.parametrize(
    ("dtypes", "transposed"),
    each([("uint8", "int8"), ("int8", "int8"), ("uint8", "uint8")], [False, True]),
)
def test_products_of_symbolic_extents(dtypes, transposed):
    given = matmul(dtypes, te.var("n"), te.var("m"), te.var("k"), transposed)
    run = teloom.build([*given])
    for sizes in [
        (0, 3, 4),
        (5, 0, 4),
        (3, 4, 0),
        (1, 1, 1),
        (6, 64, 4),
        (31, 65, 67),
        (64, 130, 8),
    ]:
        check(run, dtypes, *sizes, transposed)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_what_other_signs_add_is_summed_up_in_front_of_the_tiles(dtype):
    A, B, C = matmul((dtype, dtype), 60, 128, 64, True)
    s = te.create_schedule(C)
    te.auto_schedule(s, "znver4")
    code = str(teloom.lower(s, [A, B, C], level="standard", target="znver4"))
    in_front, tiles = code.split("scf.for %i.outer")
    assert in_front.count("vpdpbusd") == tiles.count("vpdpbusd") == 1
    terms = tiles[tiles.index("scf.for %r.outer") :]
    assert "arith.subi" in tiles
    assert "arith.subi" not in terms


def test_which_products_have_instructions():
    dtypes = [("uint8", "int8"), ("int8", "int8"), ("int16", "int16"), ("uint16", "int16")]
    groups = {"znver4": "442", "x86-64-v3": "222", "x86-64": "222"}
    for (cpu, expected), (which, pair) in product(groups.items(), enumerate(dtypes)):
        s = te.create_schedule(matmul(pair, 64, 64, 64, True)[-1])
        reason = te.auto_schedule(s, cpu)[0]
        assert (f"{expected[which : which + 1]} {GROUPED}" in reason) == (which < len(expected))


@pytest.mark.parametrize(
    ("n", "m", "k", "is_grouped"),
    [(64, 64, 3, False), (64, 64, 4, True), (2, 64, 64, False), (4, 64, 64, True)],
)
def test_where_packing_pays(n, m, k, is_grouped):
    s = te.create_schedule(matmul(("uint8", "int8"), n, m, k, True)[-1])
    assert (GROUPED in "".join(te.auto_schedule(s, "znver4"))) == is_grouped


@pytest.mark.parametrize(
    ("layout", "padding", "cpu", "is_read"), pairs(["NCHW", "NHWC"], [0, 1], CPUS, [False, True])
)
def test_convolutions(layout, padding, cpu, is_read):
    data, weights = numbers("uint8", 2, 8, 9, 9), numbers("int8", 20, 8, 3, 3)
    program, given, expected = convolution(layout, data, weights, padding, is_read)
    teloom.build(program, target=cpu)(*given, found := np.zeros(expected.shape, "int32"))
    np.testing.assert_array_equal(found, expected)
    s = te.create_schedule(program[-1])
    assert GROUPED in "".join(te.auto_schedule(s, "znver4"))


@pytest.mark.parametrize(
    ("layout", "channels", "filters", "size", "is_grouped"),
    [
        ("NCHW", 3, 32, 17, True),  # a group is padded
        ("NCHW", 20, 20, 28, True),  # rows of pixels end in a part of a vector
        ("NHWC", 20, 24, 9, True),  # filters are padded
        ("NHWC", 2, 5, 9, False),  # most products would be of padding
        ("NCHW", 1, 16, 12, False),
    ],
)
def test_convolutions_that_fill_no_groups(layout, channels, filters, size, is_grouped):
    data = numbers("uint8", 1, channels, size, size)
    weights = numbers("int8", filters, channels, 3, 3)
    program, given, expected = convolution(layout, data, weights, 1, True)
    s = te.create_schedule(program[-1])
    assert (GROUPED in "".join(te.auto_schedule(s, "znver4", 1))) == is_grouped
    teloom.build(s, program)(*given, found := np.zeros(expected.shape, "int32"))
    np.testing.assert_array_equal(found, expected)


def test_what_cannot_be_padded_has_no_groups():
    """An operand with more elements than the axis has, of a size that is no constant; phases."""
    k = te.var("k")
    A = te.placeholder((64, k + 3), "int8", name="A")
    B = te.placeholder((k, 64), "int8", name="B")
    r = te.reduce_axis((0, k), "r")
    C = te.compute(
        (64, 64),
        lambda i, j: te.sum(A[i, r].astype("int32") * B[r, j].astype("int32"), axis=r),
        name="C",
    )
    a, b = numbers("int8", 64, 10), numbers("int8", 7, 64)
    teloom.build([A, B, C])(a, b, c := np.zeros((64, 64), "int32"))
    np.testing.assert_array_equal(c, a[:, :7].astype("int32") @ b.astype("int32"))

    D = te.placeholder((1, 16, 12, 5), "uint8", name="D")
    W = te.placeholder((16, 15, 1, 1), "int8", name="W")
    T = topi.nn.conv2d_transpose_nchw(D, W, (3, 3), (0, 0), "int32", (0, 0))
    d, w = numbers("uint8", 1, 16, 12, 5), numbers("int8", 16, 15, 1, 1)
    expected = np.zeros([*map(int, T.shape)], "int32")
    expected[:, :, ::3, ::3] = np.einsum(
        "ncyx,cf->nfyx", d.astype("int32"), w[:, :, 0, 0].astype("int32")
    )
    for target in CPUS:
        teloom.build([D, W, T], target=target)(d, w, found := np.ones_like(expected))
        np.testing.assert_array_equal(found, expected)


def test_what_is_computed_of_an_operand_or_of_the_results():
    A, B, C = matmul(("uint8", "int8"), 23, 70, 45, False)
    flipped = te.compute(A.shape, lambda i, k: te.const(255, "uint8") - A[i, k], name="flipped")
    r = te.reduce_axis((0, 45), "r")
    C = te.compute(
        C.shape,
        lambda i, j: te.sum(flipped[i, r].astype("int32") * B[r, j].astype("int32"), axis=r),
        name="C",
    )
    D = te.compute(C.shape, lambda i, j: te.maximum(C[i, j] // 64, 0).astype("uint8"), name="D")
    a, b = numbers("uint8", 23, 45), numbers("int8", 45, 70)
    teloom.build([A, B, D])(a, b, found := np.zeros((23, 70), "uint8"))
    product = (255 - a).astype("int32") @ b.astype("int32")
    np.testing.assert_array_equal(found, np.maximum(product // 64, 0).astype("uint8"))


def test_batches_of_products():
    A, B = (te.placeholder((3, 17, 37), "int8", name=name) for name in "AB")
    C = topi.nn.batch_matmul(A, B, None, "int32")
    a, b = numbers("int8", 3, 17, 37), numbers("int8", 3, 17, 37)
    teloom.build([A, B, C])(a, b, found := np.zeros((3, 17, 17), "int32"))
    np.testing.assert_array_equal(found, a.astype("int32") @ b.astype("int32").transpose(0, 2, 1))


def of_int8(A, B, extents, subscripts):
    k = te.reduce_axis((0, A.shape[-1]), "k")

    def term(*at):
        one, other = subscripts(*at, k)
        return te.sum(A[one].astype("int32") * B[other].astype("int32"), axis=k)

    return te.compute(extents, term, name="P")


def test_a_part_of_a_tensor_that_would_be_padded_is_not_read_in_groups():
    A, B = te.placeholder((121, 64), "int8", name="A"), te.placeholder((64, 121), "int8", name="B")
    P = of_int8(A, B, (120, 120), lambda i, j, k: ((i, k), (k, j)))
    s = te.create_schedule(P)
    te.auto_schedule(s, "cascadelake")
    a, b = numbers("int8", 121, 64), numbers("int8", 64, 121)
    teloom.build(s, [A, B, P])(a, b, found := np.zeros((120, 120), "int32"))
    np.testing.assert_array_equal(found, (a.astype("int32") @ b.astype("int32"))[:120, :120])


def test_what_is_computed_beside_tiles_is_not_padded():
    A, B = te.placeholder((15, 6), "int8", name="A"), te.placeholder((6, 16), "int8", name="B")
    D = te.compute(A.shape, lambda *at: A[at] + A[at] * A[at] - A[at] * A[at] * A[at], name="D")
    P = of_int8(D, B, (15, 16), lambda i, j, k: ((i, k), (k, j)))
    s = te.create_schedule(P)
    te.auto_schedule(s, "cascadelake")
    a, b = RNG.integers(-2, 3, (15, 6)).astype("int8"), numbers("int8", 6, 16)
    teloom.build(s, [A, B, P])(a, b, found := np.zeros((15, 16), "int32"))
    made = (a + a * a - a * a * a).astype("int32")
    np.testing.assert_array_equal(found, made @ b.astype("int32"))


READERS = {
    "bias": (lambda C, S, i, j: C[i, j] + S[j], lambda c, s: c + s),
    "scale": (lambda C, S, i, j: C[i, j].astype("float32") * S[j], lambda c, s: c.astype("f4") * s),
    "turned": (lambda C, S, i, j: C[j, i] + S[j], lambda c, s: c.T + s),
}


@pytest.mark.parametrize(
    ("reader", "sizes", "transposed", "threads", "cpu"),
    pairs([*READERS], [(64, 64, 64), (33, 129, 70), (9, 5, 4)], (False, True), (1, 2), CPUS),
)
def test_results_that_another_stage_reads_are_added_in_groups(
    reader, sizes, transposed, threads, cpu
):
    n, m, k = sizes
    A, B, C = matmul(("uint8", "int8"), n, m, k, transposed)
    value, expected = READERS[reader]
    shape = (m, n) if reader == "turned" else (n, m)
    S = te.placeholder(shape[-1:], "float32" if reader == "scale" else "int32", name="S")
    D = te.compute(shape, lambda i, j: value(C, S, i, j), name="D")
    s = te.create_schedule(D)
    reasons = te.auto_schedule(s, cpu, num_threads=threads)
    if min(sizes) == 64 and reader != "turned":
        ways = GROUPED, IN_TILES
        assert any(one.startswith("C: ") and any(way in one for way in ways) for one in reasons)
    a, b = numbers("uint8", n, k), numbers("int8", *((m, k) if transposed else (k, m)))
    c = a.astype("i4") @ (b.T if transposed else b).astype("i4")
    added = np.arange(shape[-1]).astype(S.dtype)
    run = teloom.build(s, [A, B, S, D], target=cpu, num_threads=threads)
    run(a, b, added, found := np.empty(shape, S.dtype))
    np.testing.assert_allclose(found, expected(c, added), 1e-6)


def test_rows_that_are_packed_are_not_prefetched_where_they_were():
    n, m = te.size_var("n"), te.size_var("m")
    X = te.placeholder((3, 6, n, m), "int8", name="X")
    W = te.placeholder((1, 6, 3, 3), "int8", name="W")
    C = topi.nn.conv2d_nchw(X, W, (3, 1), (2, 0, 0, 0), (1, 2), "int32")
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, "x86-64-v3", num_threads=1)
    assert any("panels of 2" in one for one in reasons)
    assert not any("prefetched" in one for one in reasons)
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-9, 9, shape, "int8") for shape in ((3, 6, 4, 14), (1, 6, 3, 3)))
    found = np.empty((3, 1, 2, 10), "int32")
    teloom.build(s, [n, m, X, W, C])(4, 14, x, w, found)
    padded = np.pad(x, ((0, 0), (0, 0), (2, 0), (0, 0))).astype("int32")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 5), (2, 3))[:, :, ::3, :, :, ::2]
    np.testing.assert_array_equal(found, np.einsum("ncyxab,ocab->noyx", windows, w))


def test_an_image_that_is_padded_where_it_is_read_is_not_padded_along_its_channels():
    X = te.placeholder((1, 10, 14, 3), "bfloat16", name="X")
    W = te.placeholder((3, 3, 3, 1), "bfloat16", name="W")
    C = topi.nn.conv2d_nhwc(X, W, 1, (2, 1, 2, 1), 1, "float32")
    s = te.create_schedule(C)
    assert "conv2d_nhwc_padded: is inlined" in te.auto_schedule(s, "znver4", 1, "fast")
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-9, 9, one.shape).astype("bfloat16") for one in (X, W))
    found = np.empty((1, 12, 14, 1), "float32")
    teloom.build(s, [X, W, C])(x, w, found)
    padded = np.pad(x.astype("f4"), ((0, 0), (2, 2), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
    np.testing.assert_array_equal(found, np.einsum("nyxcab,abco->nyxo", windows, w.astype("f4")))
