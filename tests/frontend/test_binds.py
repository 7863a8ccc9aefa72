"""Arrays with strides, offsets and alignments of their own, given at the call."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import teloom
from teloom import CallError, Error, te
from teloom.backend.call.array_memory import laid_out

n, m, k = te.var("n"), te.var("m"), te.var("k")
s, t, o = te.var("s"), te.var("t"), te.var("o")


def scaled(shape=(n, m), dtype="float32"):
    A = te.placeholder(shape, dtype, name="A")
    B = te.compute(shape, lambda *at: A(*at) * 2 + 1, name="B")
    return te.create_schedule(B), A, B


def built(a_says: dict | None = None, b_says: dict | None = None, shape=(n, m), vectorize=True):
    schedule, A, B = scaled(shape)
    if vectorize:
        schedule[B].vectorize(B.op.axis[-1])
    binds = {}
    for tensor, says in ((A, a_says), (B, b_says)):
        if says is not None:
            binds[tensor] = te.decl_buffer(shape, name=f"{tensor.name}b", **says)
    return teloom.build(schedule, [A, B], name="f", binds=binds)


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype("f4")


@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (1, 7), (3, 1), (17, 33)])
def test_a_repeated_axis_by_its_type(shape: tuple[int, int]):
    run = built({"buffer_type": "auto_broadcast"})
    base, b = numbers(*shape), np.empty(shape, "f4")
    for a in (base, np.broadcast_to(base[:1], shape), np.broadcast_to(base[:, :1], shape)):
        run(a, b)
        np.testing.assert_array_equal(b, a * 2 + 1)


AXES = [te.size_var(name) for name in ("m0", "m1", "m2", "n0", "n1", "n2", "o0", "o1", "o2")]


def broadcast(*tensors: te.Tensor) -> dict:
    return {
        one: te.decl_buffer(one.shape, name=f"{one.name}b", buffer_type="auto_broadcast")
        for one in tensors
    }


def added(shape=AXES[6:], first=AXES[:3], second=AXES[3:6]):
    A, B = te.placeholder(first, name="A"), te.placeholder(second, name="B")
    C = te.compute(shape, lambda *at: A(*at) + B(*at), name="C")
    return te.create_schedule(C), A, B, C


PAIRS = [
    ((2, 4, 3), (2, 4, 3)),
    ((2, 4, 3), (2, 1, 1)),
    ((2, 1, 3), (2, 4, 1)),
    ((1, 1, 1), (3, 4, 17)),
    ((1, 1, 1), (1, 1, 1)),
    ((0, 4, 3), (1, 4, 3)),
]


def check_sums(run) -> None:
    for one, other in PAIRS:
        a, b = numbers(*one), numbers(*other)
        c = np.full(np.broadcast_shapes(one, other), np.nan, "f4")
        for _ in range(3):  # machine code makes the last call by itself
            run(a, b, c)
        np.testing.assert_array_equal(c, a + b)


@pytest.mark.parametrize("is_vectorized", [False, True])
def test_the_only_element_on_an_axis_is_repeated(is_vectorized: bool):
    """As in TVM's programs, each array has sizes of its own."""
    schedule, A, B, C = added()
    if is_vectorized:
        schedule[C].vectorize(C.op.axis[2])
        schedule[C].parallel(C.op.axis[0])
    run = teloom.build(schedule, [A, B, C], name="f", binds=broadcast(A, B))
    check_sums(run)
    with pytest.raises(
        CallError, match=r"B has shape \(2, 4, 3\), expected \(2, 3, 3\): its axis 1"
    ):
        run(numbers(2, 3, 3), numbers(2, 4, 3), numbers(2, 4, 3))


@pytest.mark.parametrize("sanitize", [None, "memory"])
def test_arrays_of_one_shape_are_broadcast(sanitize: str | None):
    schedule, A, B, C = added(AXES[:3], AXES[:3], AXES[:3])
    run = teloom.build(schedule, [A, B, C], name="f", binds=broadcast(A, B), sanitize=sanitize)
    check_sums(run)
    with pytest.raises(CallError, match="C has shape"):  # what is written is not
        run(numbers(3, 4, 2), numbers(3, 4, 2), numbers(1, 4, 2))


def test_what_is_read_of_arrays_with_sizes_of_their_own():
    A, B = te.placeholder(AXES[:3], name="A"), te.placeholder(AXES[3:6], name="B")
    D = te.compute((4, m), lambda i, j: A[i, j + 1, 3 - i] * B[0, 2 * j, i] + A[i, j, 0], name="D")
    run = teloom.build(te.create_schedule(D), [A, B, D], name="f", binds=broadcast(A, B))
    for one, other in [((4, 6, 4), (1, 9, 4)), ((4, 1, 1), (1, 9, 1)), ((1, 6, 4), (1, 1, 4))]:
        a, b, d = numbers(*one), numbers(*other), np.empty((4, 5), "f4")
        run(a, b, d)
        a, b = np.broadcast_to(a, (4, 6, 4)), np.broadcast_to(b, (1, 9, 4))
        rows = [a[i, 1:, 3 - i] * b[0, ::2, i] + a[i, :5, 0] for i in range(4)]
        np.testing.assert_allclose(d, rows, rtol=1e-5, atol=1e-6)  # it may add and multiply at once
    with pytest.raises(
        CallError, match="its axis 1 must equal m \\+ 1 = 6, with m = 5 taken from D"
    ):
        run(numbers(4, 5, 4), numbers(1, 9, 4), np.empty((4, 5), "f4"))


@pytest.mark.parametrize(
    "read",
    [
        lambda A, i: te.if_then_else(i > 0, A[i - 1], 0.0),
        lambda A, i: A[i // 2],
        lambda A, i: A[i] + A[te.min(2 * i, 3)],
    ],
)
def test_sizes_of_which_nothing_is_known(read):
    A = te.placeholder((AXES[0],), name="A")
    B = te.compute((n,), lambda i: read(A, i), name="B")
    with pytest.raises(Error, match="reads A"):
        teloom.lower(te.create_schedule(B), [A, B], binds=broadcast(A))


def test_an_extent_of_one_says_a_size_if_nothing_else_does():
    A, r = te.placeholder((n, m), name="A"), te.reduce_axis((0, m), "r")
    B = te.compute((n,), lambda i: te.sum(A[i, r], axis=r), name="B")
    run = teloom.build(te.create_schedule(B), [A, B], name="f", binds=broadcast(A))
    for shape, wanted in [((1, 1), [1, 1, 1]), ((3, 1), [1, 1, 1]), ((1, 4), [4, 4, 4])]:
        run(np.ones(shape, "f4"), found := np.empty(3, "f4"))
        np.testing.assert_array_equal(found, wanted)


def test_strides_that_are_declared_repeat_nothing():
    A = te.placeholder((n, 4), name="A")
    B = te.compute((n, 4), lambda i, j: A[i, j] + 1, name="B")
    buffer = te.decl_buffer((n, 4), name="b", strides=[4, 1], buffer_type="auto_broadcast")
    run = teloom.build(te.create_schedule(B), [A, B], name="f", binds={A: buffer})
    with pytest.raises(CallError, match="A has shape"):
        run(numbers(1, 4), np.empty((3, 4), "f4"))


any_strides = built({"strides": [s, t]}, {"strides": [te.var("u"), te.var("v")]})


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (1, 1), (1, 7), (7, 1), (17, 33), (32, 64)])
def test_any_strides(shape: tuple[int, int]):
    base = numbers(80, 200)
    rows, columns = shape
    for a in (
        base[:rows, :columns],  # rows of a larger matrix
        base[3 : 3 + 2 * rows : 2, 5 : 5 + 3 * columns : 3],
        base.T[:rows, :columns],  # transposed
        base[:columns, :rows].T,
        np.broadcast_to(base[0, :columns], shape),
        np.broadcast_to(base[:rows, :1], shape),
    ):
        for b in (np.zeros(shape, "f4"), np.zeros(shape, "f4", "F"), np.zeros((40, 140), "f4")):
            view = b[:rows, : 2 * columns : 2] if b.shape[1] == 140 else b
            any_strides(a, view)
            np.testing.assert_array_equal(view, a * 2 + 1)
            if view is not b:
                view[...] = 0
                assert not b.any()  # nothing was written in between


def test_columns_lie_one_behind_another():
    kernel = built({"strides": [1, n]}, {"strides": [1, n]})
    a = np.asfortranarray(numbers(13, 37))
    kernel(a, b := np.zeros_like(a, order="F"))
    np.testing.assert_array_equal(b, a * 2 + 1)
    with pytest.raises(CallError, match=r"A has stride 37 on axis 0, in elements; it must equal 1"):
        kernel(np.ascontiguousarray(a), b)
    words = r"A has stride 20 on axis 1, in elements; it must equal n = 13, taken from A"
    with pytest.raises(CallError, match=words):
        kernel(np.zeros((20, 37), "f4", "F")[:13], b)


def test_constant_strides_of_vectors():
    kernel = built({"strides": [100, 1]}, {"strides": [0, 1]}, shape=(1, 40))
    a = numbers(7, 100)
    kernel(a[2:3, 5:45], b := np.zeros((1, 40), "f4"))
    np.testing.assert_array_equal(b, a[2:3, 5:45] * 2 + 1)
    assert "x float>" in kernel.source("llvm-ir")


def test_a_stride_of_64_bits():
    kernel = built({"strides": [2**40, 1], "data_alignment": 4}, shape=(n, 40))
    a = numbers(1, 40)
    kernel(a, b := np.zeros((1, 40), "f4"))
    np.testing.assert_array_equal(b, a * 2 + 1)
    words = f"A has stride 40 on axis 0, in elements; it must equal {2**40}"
    with pytest.raises(CallError, match=words):
        kernel(numbers(2, 40), np.zeros((2, 40), "f4"))


def test_one_stride_for_two_arrays():
    kernel = built({"strides": [s, 1]}, {"strides": [s, 1]})
    a, b = numbers(9, 20), np.zeros((9, 20), "f4")
    kernel(a[:, :8], b[:, :8])
    np.testing.assert_array_equal(b[:, :8], a[:, :8] * 2 + 1)
    words = "B has stride 8 on axis 0, in elements; it must equal s = 20, taken from A"
    with pytest.raises(CallError, match=words):
        kernel(a[:, :8], np.zeros((9, 8), "f4"))


def test_a_stride_that_the_caller_passes():
    schedule, A, B = scaled((4, 4))
    binds = {A: te.decl_buffer((4, 4), name="Ab", strides=[s, 1])}
    kernel = teloom.build(schedule, [A, s, B], binds=binds)
    a, b = numbers(4, 9), np.zeros((4, 4), "f4")
    kernel(a[:, 2:6], 9, b)
    np.testing.assert_array_equal(b, a[:, 2:6] * 2 + 1)
    with pytest.raises(CallError, match="stride 9 on axis 0, in elements; it must equal s = 8"):
        kernel(a[:, 2:6], 8, b)


@pytest.mark.parametrize("row", [0, 4, 8])
def test_an_offset_is_taken_from_the_array(row: int):
    kernel = built({"strides": [s, 1], "elem_offset": o, "offset_factor": 40})
    memory = laid_out(numbers(20, 10), (10, 1))
    kernel(memory[row : row + 3, :4], b := np.zeros((3, 4), "f4"))
    np.testing.assert_array_equal(b, memory[row : row + 3, :4] * 2 + 1)
    words = "A begins 41 elements behind its memory's start; that must be a multiple of 40"
    with pytest.raises(CallError, match=words):
        kernel(memory[4:, 1:], np.zeros((16, 9), "f4"))


def test_a_constant_offset():
    kernel = built({"elem_offset": 6}, shape=(5,))
    memory = laid_out(numbers(30), (1,))
    kernel(memory[6:11], b := np.zeros(5, "f4"))
    np.testing.assert_array_equal(b, memory[6:11] * 2 + 1)
    with pytest.raises(CallError, match=r"begins 7 elements behind its memory's .* must equal 6"):
        kernel(memory[7:12], b)
    shifted = memory.view("u1")[1:-3].view("f4")
    with pytest.raises(CallError, match=r"A begins 25 bytes .*, no multiple of its 4-byte"):
        kernel(shifted[6:11], b)


def test_an_output_with_an_offset():
    kernel = built(b_says={"elem_offset": o}, shape=(n,))
    a, memory = numbers(5), laid_out(np.zeros(30, "f4"), (1,))
    kernel(a, memory[9:14])
    np.testing.assert_array_equal(memory[9:14], a * 2 + 1)
    assert not memory[:9].any()
    assert not memory[14:].any()


@pytest.mark.parametrize("alignment", [4, 64, 256])
def test_alignment_is_checked_before_any_write(alignment: int):
    kernel = built({"data_alignment": alignment}, {"data_alignment": alignment}, shape=(16,))
    values = numbers(16)
    a, b = (laid_out(one, (1,), 0, alignment) for one in (values, values))
    kernel(a, b)
    np.testing.assert_array_equal(b, values * 2 + 1)
    off = laid_out(np.zeros(17, "f4"), (1,), 0, 2 * alignment)[1:]
    if alignment == 4:
        kernel(a, off)
        return
    words = rf"f: argument B has memory at address 0x\w+, .* not aligned to {alignment} bytes"
    with pytest.raises(CallError, match=words):
        kernel(a, off)
    assert not off.any()


def test_the_alignment_of_memory_with_an_offset_is_that_of_its_start():
    kernel = built({"data_alignment": 64, "elem_offset": o}, shape=(16,))
    memory = laid_out(numbers(20), (1,), 0, 64)
    kernel(memory[3:19], b := np.zeros(16, "f4"))
    np.testing.assert_array_equal(b, memory[3:19] * 2 + 1)


def doubling_extern(**declared):
    """Code that asks for memory on 64 bytes and offsets that are multiples of 8."""
    A = te.placeholder((4, 16), name="A")
    wanted = [
        te.decl_buffer((4, 16), name="W", data_alignment=64, offset_factor=8) for _ in range(2)
    ]
    C = te.extern(
        (4, 16),
        [A],
        lambda i, c: te.call_packed(lambda a, c: np.add(a, a, out=c), *i, *c),
        name="C",
        in_buffers=wanted[:1],
        out_buffers=wanted[1:],
    )
    binds = {tensor: te.decl_buffer((4, 16), name="L", **declared) for tensor in (A, C)}
    return teloom.build(te.create_schedule(C), [A, C], name="f", binds=binds)


@pytest.mark.parametrize("offset", [None, te.var("offset")], ids=["compact", "offset"])
def test_what_is_declared_of_arrays_satisfies_an_extern(offset):
    kernel = doubling_extern(data_alignment=128, offset_factor=16, elem_offset=offset)
    first = 0 if offset is None else 32
    memory = [laid_out(np.zeros(first + 64, "f4"), (1,), 0, 128) for _ in range(2)]
    a, c = (one[first:].reshape(4, 16) for one in memory)
    a[...] = numbers(4, 16)
    kernel(a, c)
    np.testing.assert_array_equal(c, 2 * a)


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"data_alignment": 32}, "at a multiple of 32 bytes, but the buffer asks for 64"),
        (
            {"data_alignment": 64, "elem_offset": o, "offset_factor": 12},
            "the box begins at element o, which is not provably a multiple of 8",
        ),
    ],
)
def test_an_extern_that_asks_for_more_than_is_declared_is_refused(declared, words: str):
    with pytest.raises(Error, match=words):
        doubling_extern(**declared)


def test_arrays_between_each_other_do_not_overlap():
    memory = numbers(6, 10)
    evens, odds = memory[:, ::2], memory[:, 1::2]
    expected = evens * 2 + 1
    any_strides(evens, odds)
    np.testing.assert_array_equal(odds, expected)
    with pytest.raises(CallError, match="B is written, but shares memory with argument A"):
        any_strides(memory[:, :5], odds)
    np.testing.assert_array_equal(odds, expected)


axes = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 6)), min_size=2, max_size=2)


@given(axes, axes, st.integers(0, 12))
def test_overlaps_are_refused_exactly(of_a, of_b, first: int):
    memory = np.arange(80, dtype="f4")

    def view(axes, first: int) -> np.ndarray:
        shape, strides = [extent for extent, _ in axes], [4 * stride for _, stride in axes]
        return np.lib.stride_tricks.as_strided(memory[first:], shape, strides)

    shape = [extent for extent, _ in of_a]
    b = view([(extent, stride) for extent, (_, stride) in zip(shape, of_b, strict=True)], first)
    a = view(of_a, 0)
    places = {int(number) for number in b.flat}
    apart = len(places) == b.size and not places & {int(number) for number in a.flat}
    expected = memory.copy()
    if not apart:
        with pytest.raises(CallError, match=r"shares .* with|two of its elements share"):
            any_strides(a, b)
    else:
        expected[b.astype(int)] = a * 2 + 1
        any_strides(a, b)
    np.testing.assert_array_equal(memory, expected)


def test_only_usual_arrays_without_binds():
    kernel = built()
    words = "strides (4, 12); use np.ascontiguousarray, or declare strides"
    with pytest.raises(CallError, match=re.escape(words)):
        kernel(numbers(5, 3).T, np.zeros((3, 5), "f4"))


def test_no_negative_strides():
    words = "f: argument A has the negative stride -20 on axis 0; pass a copy"
    with pytest.raises(CallError, match=words):
        any_strides(numbers(3, 5)[::-1], np.zeros((3, 5), "f4"))


@pytest.mark.parametrize(
    ("says", "words"),
    [
        ({"shape": (4, 5)}, "buffer 'b', to which binds gives A, has shape (4, 5), the tensor (n"),
        ({"dtype": "int8"}, "buffer 'b', to which binds gives A, has dtype int8, the tensor float"),
        ({"scope": "shared"}, "is in scope 'shared'; arrays of a call are global"),
        ({"elem_offset": 6, "offset_factor": 4}, "offset 6 of b is no multiple of 4"),
        ({"strides": [n * m, 1]}, "extent (n * m) of 'b' is not affine in its sizes"),
    ],
)
def test_buffers_that_do_not_fit(says: dict, words: str):
    schedule, A, B = scaled()
    buffer = te.decl_buffer(**({"shape": (n, m), "name": "b"} | says))
    with pytest.raises(Error, match=re.escape(words)):
        teloom.lower(schedule, [A, B], binds={A: buffer})


def test_an_output_has_no_stride_0():
    schedule, A, B = scaled()
    buffer = te.decl_buffer((n, m), name="b", strides=[0, 1])
    with pytest.raises(Error, match="stride 0 of axis 0 of b, which is written"):
        teloom.lower(schedule, [A, B], binds={B: buffer})


def test_binds_of_something_else():
    schedule, A, B = scaled()
    buffer = te.decl_buffer((n, m), name="b")
    for binds, words in (
        ([A], "is [Tensor(shape=[n, m], dtype=float32, name=A)], not a dict from tensors to"),
        ({A: B}, "not a buffer for a tensor"),
        ({te.placeholder((n, m), name="X"): buffer}, "binds names X, which is not among the arg"),
        (
            {te.placeholder((n, m), name="A"): buffer},
            "binds names A, which is not among the arguments; argument 0 is another tensor of",
        ),
    ):
        with pytest.raises(Error, match=re.escape(words)):
            teloom.lower(schedule, [A, B], binds=binds)  # pyright: ignore


def test_strides_of_a_matrix_product():
    A, B = te.placeholder((n, k), name="A"), te.placeholder((k, m), name="B")
    r = te.reduce_axis((0, k), "r")
    C = te.compute((n, m), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C")
    schedule = te.create_schedule(C)
    schedule[C].vectorize(schedule[C].split(C.op.axis[1], factor=16)[1])
    binds = {
        A: te.decl_buffer((n, k), name="Ab", strides=[1, s]),
        B: te.decl_buffer((k, m), name="Bb", strides=[t, 1]),
        C: te.decl_buffer((n, m), name="Cb", strides=[te.var("u"), 1]),
    }
    kernel = teloom.build(schedule, [A, B, C], binds=binds)
    a, b, c = numbers(9, 13).T, numbers(9, 40)[:, 3:37], np.zeros((13, 50), "f4")
    kernel(a, b, c[:, 8:42])
    np.testing.assert_allclose(c[:, 8:42], a @ b, rtol=1e-5, atol=1e-5)
    assert not c[:, :8].any()
