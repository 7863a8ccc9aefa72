"""Layouts of temporaries and arrays change no number, only where it lies."""

from itertools import product

import numpy as np
import pytest
from budget import chosen, each
from programs.sizes import extents, known
from programs.transposed import check, transposed_twice

from teloom import CallError, Error, ScheduleError, build, lower, te
from teloom.analysis.signature import shape_at
from teloom.backend.call.array_memory import laid_out

LAYOUTS = {
    "permuted": lambda i, j: [j, i],
    "blocked": lambda i, j: [j // 4, i, j % 4],
    "both blocked": lambda i, j: [i // 3, j // 4, i % 3, j % 4],
    "blocked twice": lambda i, j: [j // 4 // 2, i, j // 4 % 2, j % 4],
    "skewed": lambda i, j: [i + 2 * j, j],
    "reversed": lambda i, j: [-i, 2 - j],
    "interleaved": lambda i, j: [i // 2, 2 * j + i % 2],
    "padded": lambda i, j: [i, 3 * j],
    "repeated block": lambda i, j: [j // 4, i, j % 4, j // 4],
    "repeated": lambda i, j: [i, j, i],
    "all apart": lambda i, j: [j // 4, te.AXIS_SEPARATOR, i, te.AXIS_SEPARATOR, j % 4],
    "separated": lambda i, j: [j // 4, te.AXIS_SEPARATOR, i, j % 4],
}


SIZES = [(0, 3), (1, 1), (5, 7), (33, 16)]


@pytest.mark.parametrize(("layout", "sizes"), [*product(LAYOUTS, [SIZES])])
def test_temporary_agrees_with_numpy(layout, sizes):
    A, B, C = transposed_twice(*extents(sizes, "n", "m"))
    s = te.create_schedule(C)
    s[B].transform_layout(LAYOUTS[layout])
    check(s, A, C, *sizes)


@pytest.mark.parametrize(
    ("layout", "sizes"),
    [
        *each([*LAYOUTS], known(SIZES), turn=1),
        *product(chosen([*LAYOUTS], [*LAYOUTS][::2]), [SIZES]),
    ],
)
def test_in_a_tile_agrees_with_numpy(layout, sizes):
    A, B, C = transposed_twice(*extents(sizes, "n", "m"))
    s = te.create_schedule(C)
    _, outer, _, inner = s[C].tile(*C.op.axis, 8, 6)
    s[B].compute_at(s[C], outer)
    s[B].transform_layout(LAYOUTS[layout])
    s[C].vectorize(inner)
    check(s, A, C, *sizes)


def test_loops_follow_the_layout():
    A, B, C = transposed_twice(24, 16)
    s = te.create_schedule(C)
    axes = s[B].transform_layout(lambda j, i: [i // 8, te.AXIS_SEPARATOR, j, i % 8])
    assert [axis.name for axis in axes] == ["i.outer", "j", "i.inner"]
    assert s[B].leaf_iter_vars == axes
    s[B].vectorize(axes[2])
    text = str(lower(s, [A, C], level="memref"))
    assert "floordiv" not in text.partition("memref.store")[0]
    check(s, A, C, (24, 16))


@pytest.mark.parametrize(
    "layout", ["reversed", "skewed", "interleaved", "padded", "repeated", "repeated block"]
)
def test_other_layouts_leave_the_loops(layout):
    _, B, C = transposed_twice(24, 16)
    s = te.create_schedule(C)
    assert s[B].transform_layout(LAYOUTS[layout]) == []
    assert s[B].leaf_iter_vars == list(B.op.axis)


def test_after_a_split_the_loops_stay():
    A, B, C = transposed_twice(24, 16)
    s = te.create_schedule(C)
    split = s[B].split(B.op.axis[0], factor=5)
    assert s[B].transform_layout(lambda j, i: [i, j]) == []
    assert s[B].leaf_iter_vars == [*split, B.op.axis[1]]
    check(s, A, C, (24, 16))


def test_reduce_axes_keep_their_place():
    A = te.placeholder((6, 10), name="A")
    k = te.reduce_axis((0, 10), "k")
    B = te.compute((6, 4), lambda i, j: te.sum(A[i, k] * (j + 1), axis=k), name="B")
    C = te.compute((6, 4), lambda i, j: B[i, j], name="C")
    s = te.create_schedule(C)
    j, i = s[B].transform_layout(lambda i, j: [j, i])
    assert s[B].leaf_iter_vars == [j, i, k]
    a = np.arange(60, dtype="float32").reshape(6, 10)
    c = np.empty((6, 4), "float32")
    build(s, [A, C])(a, c)
    np.testing.assert_array_equal(c, np.outer(a.sum(1), np.arange(1, 5)))


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (lambda i: [i], "is a function of its 2 data axes \\(j, i\\)"),
        (lambda j, i: j, "gives a list of expressions, got j"),
        (lambda j, i: [i * j], "i \\* j\\) in the layout of B is no affine expression"),
        (lambda j, i: [te.AXIS_SEPARATOR, i, j], "must rise"),
        (lambda j, i: [i, j, te.AXIS_SEPARATOR], "must rise"),
        (lambda j, i: [i, te.AXIS_SEPARATOR, te.AXIS_SEPARATOR, j], "must rise"),
        (lambda j, i: [], "a layout has physical axes"),
    ],
)
def test_refuses_what_is_no_layout(layout, words):
    _, B, C = transposed_twice(4, 4)
    s = te.create_schedule(C)
    before = str(s)
    with pytest.raises(ScheduleError, match=words):
        s[B].transform_layout(layout)
    assert str(s) == before


def test_refuses_two_elements_at_one_place():
    A, B, C = transposed_twice(4, 4)
    s = te.create_schedule(C)
    s[B].transform_layout(lambda j, i: [i % 2, j % 2])
    with pytest.raises(Error, match="gives each element a place of its own"):
        build(s, [A, C])


def blocked(array, factor):
    """The columns of `array` in blocks, padded with NaN: axes block, row, column in the block."""
    n, m = array.shape
    blocks = -(-m // factor)
    padded = np.full((n, blocks * factor), np.nan, array.dtype)
    padded[:, :m] = array
    return np.ascontiguousarray(padded.reshape(n, blocks, factor).transpose(1, 0, 2))


@pytest.mark.parametrize("sizes", [[(3, 4)], [(5, 7)], SIZES])
def test_output_has_the_physical_shape(sizes):
    shape = extents(sizes, "n", "m")
    A = te.placeholder(shape, name="A")
    B = te.compute(shape, lambda i, j: A[i, j] * 2, name="B")
    s = te.create_schedule(B)
    *_, inner = s[B].transform_layout(lambda i, j: [j // 4, te.AXIS_SEPARATOR, i, j % 4])
    s[B].vectorize(inner)
    kernel = build(s, [A, B])
    for n, m in sizes:
        a = np.arange(n * m, dtype="float32").reshape(n, m)
        b = np.full((-(-m // 4), n, 4), np.nan, "float32")
        kernel(a, b)
        np.testing.assert_array_equal(b, blocked(a * 2, 4))


@pytest.mark.parametrize(
    ("layout", "shape"),
    [
        (lambda i, j: [i * 2, j], lambda n, m: (2 * n - 1, m)),
        (lambda i, j: [-i * 3, 2 - j], lambda n, m: (3 * n - 2, m)),
        (lambda i, j: [i + 2 * j, j], lambda n, m: (n + 2 * m - 2, m)),
        (lambda i, j: [i * 2, te.AXIS_SEPARATOR, j * 2], lambda n, m: (2 * n - 1, 2 * m - 1)),
    ],
)
def test_output_of_no_elements(layout, shape):
    sizes = te.size_var("n"), te.size_var("m")
    A = te.placeholder(sizes, name="A")
    B = te.compute(sizes, lambda i, j: A[i, j] * 2 + 1, name="B")
    s = te.create_schedule(B)
    s[B].transform_layout(layout)
    kernel = build(s, [A, B])
    for n, m in [(0, 0), (0, 3), (3, 0), (1, 0), (5, 7)]:
        physical = [max(0, extent) for extent in shape(n, m)]
        a, b = np.ones((n, m), "float32"), np.zeros(physical, "float32")
        kernel(a, b)
        assert b.sum() == 3 * n * m


def test_sizes_follow_from_an_output_of_no_elements():
    n = te.size_var("n")
    B = te.compute((n,), lambda i: i + 1, name="B")
    s = te.create_schedule(B)
    s[B].transform_layout(lambda i: [i * 2])
    kernel = build(s, [B])
    kernel(np.zeros(0, "int32"))
    kernel(b := np.zeros(5, "int32"))
    assert b.tolist() == [1, 0, 2, 0, 3]


def test_a_constant_shape_is_just_what_is_there():
    A = te.placeholder((5, 3), name="A")
    B = te.compute((5, 3), lambda i, j: A[i, j] * 2, name="B")
    s = te.create_schedule(B)
    s[B].transform_layout(lambda i, j: [j // 4, i, j % 4])
    a = np.arange(15, dtype="float32").reshape(5, 3)
    b = np.empty((1, 5, 3), "float32")
    build(s, [A, B])(a, b)
    np.testing.assert_array_equal(b[0], a * 2)


def test_an_array_of_another_shape_than_the_layout_gives_is_refused():
    A = te.placeholder((5, 7), name="A")
    B = te.compute((5, 7), lambda i, j: A[i, j] * 2, name="B")
    s = te.create_schedule(B)
    s[B].transform_layout(lambda i, j: [j, i])
    a = np.zeros((5, 7), "float32")
    with pytest.raises(CallError, match=r"argument B has shape \(5, 7\), expected \(7, 5\)"):
        build(s, [A, B])(a, a.copy())


@pytest.mark.parametrize("sizes", [[(3, 4)], [(5, 7)], [(0, 3), (5, 0), (33, 17)]])
@pytest.mark.parametrize("vectorize", [False, True])
def test_what_pads_an_input_is_not_read(sizes, vectorize):
    shape = extents(sizes, "n", "m")
    A = te.placeholder(shape, name="A")
    k = te.reduce_axis((0, shape[1]), "k")
    B = te.compute(shape[:1], lambda i: te.sum(A[i, k], axis=k), name="B")
    C = te.compute(shape, lambda i, j: A[i, j] * 2 + B[i], name="C")
    s = te.create_schedule(C)
    assert s[A].transform_layout(lambda i, j: [j // 4, te.AXIS_SEPARATOR, i, j % 4]) == []
    if vectorize:
        s[C].vectorize(s[C].split(C.op.axis[1], factor=4)[1])
    kernel = build(s, [A, C])
    for n, m in sizes:
        a = np.arange(n * m, dtype="float32").reshape(n, m)
        c = np.full((n, m), -1, "float32")
        kernel(blocked(a, 4), c)
        np.testing.assert_array_equal(c, a * 2 + a.sum(1, keepdims=True))


def test_a_convolution_of_nchw4c():
    image = te.placeholder((2, 6, 9, 11), name="image")
    weights = te.placeholder((5, 6, 3, 3), name="weights")
    c, y, x = (te.reduce_axis((0, e), name) for e, name in ((6, "c"), (3, "y"), (3, "x")))
    out = te.compute(
        (2, 5, 7, 9),
        lambda n, k, i, j: te.sum(image[n, c, i + y, j + x] * weights[k, c, y, x], axis=[c, y, x]),
        name="out",
    )
    s = te.create_schedule(out)
    s[image].transform_layout(lambda n, c, h, w: [n, c // 4, h, w, c % 4])
    s[weights].transform_layout(lambda k, c, y, x: [y, x, c, k])
    *_, inner = s[out].transform_layout(lambda n, c, h, w: [n, c // 4, h, w, c % 4])
    s[out].vectorize(inner)
    numbers = np.random.default_rng(0)
    a, w = (numbers.integers(-9, 9, shape) for shape in ((2, 6, 9, 11), (5, 6, 3, 3)))
    packed = np.full((2, 8, 9, 11), np.nan, "float32")
    packed[:, :6] = a
    packed = packed.reshape(2, 2, 4, 9, 11).transpose(0, 1, 3, 4, 2)
    found = np.full((2, 2, 7, 9, 4), -1, "float32")
    build(s, [image, weights, out])(
        np.ascontiguousarray(packed),
        np.ascontiguousarray(w.transpose(2, 3, 1, 0), "float32"),
        found,
    )
    windows = np.lib.stride_tricks.sliding_window_view(a, (3, 3), (2, 3))
    expected = np.einsum("ncijyx,kcyx->nkij", windows, w)
    blocks = found.transpose(0, 1, 4, 2, 3).reshape(2, 8, 7, 9)
    np.testing.assert_array_equal(blocks[:, :5], expected)
    assert (blocks[:, 5:] == -1).all()


@pytest.mark.parametrize(("layout", "symbolic"), each([*LAYOUTS], [False, True]))
def test_an_input_lies_as_an_output_with_its_layout(layout, symbolic):
    """What one program writes with a layout, another reads with it."""
    n, m = (te.size_var("n"), te.size_var("m")) if symbolic else (5, 7)
    A, B = te.placeholder((n, m), name="A"), te.placeholder((n, m), name="B")
    pack = te.create_schedule(te.compute((n, m), lambda i, j: A[i, j], name="P"))
    P = pack.outputs[0].output(0)
    unpack = te.create_schedule(te.compute((n, m), lambda i, j: B[i, j], name="U"))
    U = unpack.outputs[0].output(0)
    pack[P].transform_layout(LAYOUTS[layout])
    unpack[B].transform_layout(LAYOUTS[layout])
    writer, reader = build(pack, [A, P]), build(unpack, [B, U])
    shape = writer.kernel.signature.arguments[1].shape
    assert shape == reader.kernel.signature.arguments[0].shape
    a = np.arange(35, dtype="float32").reshape(5, 7)
    between = np.full(shape_at(shape, [5, 7]), np.nan, "float32")
    writer(a, between)
    reader(between, found := np.zeros((5, 7), "float32"))
    np.testing.assert_array_equal(found, a)


def test_a_size_that_a_layout_hides_is_passed():
    n = te.size_var("n")
    A = te.placeholder((n,), name="A")
    k = te.reduce_axis((0, n), "k")
    B = te.compute((), lambda: te.sum(A[k], axis=k), name="B")
    s = te.create_schedule(B)
    s[A].transform_layout(lambda i: [i // 4, i % 4])
    a, b = np.ones((2, 4), "float32"), np.zeros((), "float32")
    with pytest.raises(CallError, match="the size n does not follow from the arrays"):
        build(s, [A, B])(a, b)
    build(s, [n, A, B])(7, a, b)
    assert b == 7
    with pytest.raises(CallError, match=r"A has shape \(2, 4\), expected \(3, 4\)"):
        build(s, [n, A, B])(9, a, b)


def test_a_cache_of_an_input_with_a_layout():
    A = te.placeholder((24, 16), name="A")
    B = te.compute((24, 16), lambda i, j: A[i, j] * 2, name="B")
    s = te.create_schedule(B)
    s[A].transform_layout(lambda i, j: [j, i])
    AL = s.cache_read(A, "local", [B])
    s[AL].compute_at(s[B], s[B].tile(*B.op.axis, 8, 8)[1])
    ranges = te.infer_bounds(s)
    assert [ranges[axis].extent for axis in AL.op.axis] == [8, 8]
    a = np.arange(384, dtype="float32").reshape(16, 24)
    build(s, [A, B])(a, b := np.zeros((24, 16), "float32"))
    np.testing.assert_array_equal(b, a.T * 2)


@pytest.mark.parametrize("says", [{"data_alignment": 64}, {"elem_offset": te.var("o")}])
def test_an_input_with_a_layout_may_begin_anywhere(says):
    A, _, C = transposed_twice(5, 7)
    s = te.create_schedule(C)
    s[A].transform_layout(lambda i, j: [j // 4, i, j % 4])
    kernel = build(s, [A, C], binds={A: te.decl_buffer((5, 7), name="b", **says)})
    a = np.arange(35, dtype="float32").reshape(5, 7)
    first = 16 if "elem_offset" in says else 0
    memory = laid_out(np.full(first + 40, np.nan, "float32"), (1,), 0, 64)
    memory[first:] = blocked(a, 4).ravel()
    kernel(memory[first:].reshape(2, 5, 4), c := np.zeros((5, 7), "float32"))
    np.testing.assert_array_equal(c, a * 2 + 1)


def test_strides_beside_a_layout_are_refused():
    for number in range(2):
        A, _, C = transposed_twice(5, 7)
        s = te.create_schedule(C)
        laid = (A, C)[number]
        s[laid].transform_layout(lambda i, j: [j, i])
        binds = {laid: te.decl_buffer((5, 7), name="b", strides=[7, 1])}
        words = f"{laid.name} has a layout, which says how it lies, and strides of its own"
        with pytest.raises(Error, match=words):
            build(s, [A, C], binds=binds)


def test_a_strided_array_for_a_layout_is_refused():
    A, _, C = transposed_twice(5, 7)
    s = te.create_schedule(C)
    s[A].transform_layout(lambda i, j: [j, i])
    a, c = np.zeros((5, 7), "float32"), np.zeros((5, 7), "float32")
    with pytest.raises(CallError, match=r"A is strided: .*; use np.ascontiguousarray$"):
        build(s, [A, C])(a.T, c)


def test_an_extern_takes_no_input_with_a_layout():
    A = te.placeholder((5, 7), name="A")
    B = te.extern((5, 7), [A], lambda i, o: te.call_packed(np.copyto, o[0], i[0]), name="B")
    s = te.create_schedule(B)
    s[A].transform_layout(lambda i, j: [j, i])
    words = (
        r"the buffer of A: A has the layout affine_map<\(d0, d1\) -> \(d1, d0\)>, but the code of "
        "an extern, a hybrid script or an intrinsic takes row-major memory; cache_read gives it a "
        "copy that is"
    )
    with pytest.raises(Error, match=words):
        build(s, [A, B])
    s.cache_read(A, "global", [B])
    given = np.arange(35, dtype="float32").reshape(5, 7)
    found = np.zeros((5, 7), "float32")
    build(s, [A, B])(np.ascontiguousarray(given.T), found)
    np.testing.assert_array_equal(found, given)


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (lambda i: [i], "is a function of its 2 data axes \\(ax0, ax1\\)"),
        (lambda i, j: [i * j], "in the layout of A is no affine expression"),
        (lambda i, j: [i, j, te.AXIS_SEPARATOR], "must rise"),
    ],
)
def test_refuses_what_is_no_layout_of_an_input(layout, words):
    A, _, C = transposed_twice(4, 4)
    s = te.create_schedule(C)
    before = str(s)
    with pytest.raises(ScheduleError, match=words):
        s[A].transform_layout(layout)
    assert str(s) == before


def test_refuses_two_elements_of_an_input_at_one_place():
    A, _, C = transposed_twice(4, 4)
    s = te.create_schedule(C)
    s[A].transform_layout(lambda i, j: [i % 2, j])
    with pytest.raises(Error, match=r'of "A" puts elements .* gives each element a place of its'):
        build(s, [A, C])


def test_parameters_behind_others_are_the_last_axes():
    s = te.create_schedule(te.compute((2, 3, 4, 8), lambda *i: te.const(1), name="B"))
    axes = s.outputs[0].axis
    moved = s[s.outputs[0]].transform_layout(lambda n, *i, c: [n, c // 4, *i, c % 4])
    assert [axis.name for axis in moved] == ["i0", "i3.outer", "i1", "i2", "i3.inner"]
    assert moved[2] is axes[1]
    one = te.create_schedule(te.compute((4,), lambda i: te.const(1), name="C"))
    with pytest.raises(ScheduleError, match="is a function of its 1 data axes"):
        one[one.outputs[0]].transform_layout(lambda *i, c, d: [c])


def test_a_layout_of_an_output_is_refused_at_its_line():
    A = te.placeholder((8, 8), name="A")
    C = te.compute((8, 8), lambda i, j: A[i, j] + 1, name="C")
    s = te.create_schedule(C)
    s[C].transform_layout(lambda i, j: [i + j])
    with pytest.raises(Error, match=r"test_transform_layout\.py:\d+: the layout .* of \"C\""):
        lower(s, [A, C])
