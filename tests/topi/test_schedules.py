"""Schedules of operators: numbers at sizes that fit no tile, strategies, and what is refused."""

import re
from typing import Any

import numpy as np
import pytest

import teloom
from teloom import te, topi
from teloom.dialects import te as dialect
from teloom.errors import Error
from teloom.topi import nn
from teloom.topi.schedules import STRATEGIES, OpStrategy, Strategies

RNG = np.random.default_rng(0)


def random(*shape):
    return RNG.random(shape, dtype="float32") - np.float32(0.5)


def built(operator, arrays, shapes=None, reasons=None):
    """An operator under its schedule, of the shapes of arrays, or of those with sizes."""
    inputs = [
        te.placeholder(shape, one.dtype.name, name=f"in{number}")
        for number, (one, shape) in enumerate(
            zip(arrays, shapes or [one.shape for one in arrays], strict=True)
        )
    ]
    result = operator(*inputs)
    return teloom.build(topi.schedule(result, reasons=reasons), [*inputs, result])


def agrees(function, arrays, expected):
    """Sums of float32 differ by their order."""
    function(*arrays, found := np.full(expected.shape, 77, "float32"))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def convolved(image, weights, stride, border):
    padded = np.pad(image, [(0, 0), (0, 0), (border, border), (border, border)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, weights.shape[2:], (2, 3))
    return np.einsum("nihwyx,oiyx->nohw", windows[:, :, ::stride, ::stride], weights)


@pytest.mark.parametrize("rows", [3, 28, 40])
def test_a_convolution_in_blocks_whose_rows_slide_in_one_strip(rows):
    """Threads share strips; the rows in one, of which each reads the last one's, have an order."""
    image, weights = random(1, 4, rows, 17), random(32, 4, 3, 3)

    def operator(x, w):
        image = topi.layout_transform(x, "NCHW", "NCHW1c")
        found = nn.conv2d_NCHWc(image, w, 1, 1, 1, "NCHW1c", "NCHW16c", "float32")
        return topi.layout_transform(found, "NCHW16c", "NCHW")

    blocks = weights.reshape(2, 16, 4, 3, 3).transpose(0, 2, 3, 4, 1)[:, :, :, :, None].copy()
    function = built(operator, [image, blocks])
    agrees(function, [image, blocks], convolved(image, weights, 1, 1))


@pytest.mark.parametrize(
    ("channels", "side", "outputs", "size", "stride"),
    [(5, 14, 37, 3, 1), (3, 13, 40, 5, 2), (20, 57, 7, 1, 1), (4, 7, 33, 1, 2)],
)
def test_convolutions_of_sides_that_fill_vectors_badly(channels, side, outputs, size, stride):
    image, weights = random(2, channels, side, side), random(outputs, channels, size, size)
    border = size // 2
    arrays = [image, weights]
    function = built(lambda a, w: nn.relu(nn.conv2d_nchw(a, w, stride, border, 1)), arrays)
    agrees(function, arrays, np.maximum(convolved(image, weights, stride, border), 0))


def test_a_transposed_convolution_multiplies_no_zeros_between_elements():
    image, weights = random(1, 20, 9, 9), random(20, 33, 4, 4)
    function = built(
        lambda a, w: nn.conv2d_transpose_nchw(a, w, 2, 1, "float32", 0),
        [image, weights],
        [(1, 20, te.var("n"), 9), weights.shape],
        reasons=(why := []),
    )
    expected = np.zeros((1, 33, 20, 20))
    for y, x in np.ndindex(9, 9):
        window = np.einsum("nc,coyx->noyx", image[..., y, x], weights)
        expected[..., 2 * y : 2 * y + 4, 2 * x : 2 * x + 4] += window
    agrees(function, [image, weights], expected[..., 1:-1, 1:-1])
    assert sum("stay in registers for all terms" in one for one in why) == 1


@pytest.mark.filterwarnings("ignore:.*is computed as a hull")
def test_winograd_transforms_are_vectors_of_channels():
    arrays = image, weights = random(2, 20, 6, 9), random(37, 20, 3, 3)
    function = built(
        lambda a, w: nn.conv2d_winograd_nchw(a, w, 1, 1, 1, None), arrays, reasons=(why := [])
    )
    agrees(function, arrays, convolved(image, weights, 1, 1))
    assert sum("all of a tile is transformed" in one for one in why) == 3
    assert any("of conv2d_winograd_nchw_products stay in registers" in one for one in why)


@pytest.mark.parametrize(("size", "rows", "unrolled"), [(14, 5, True), (56, 6, False)])
def test_taps_are_unrolled_where_registers_are_left_for_what_rows_share(size, rows, unrolled):
    A, W = te.placeholder((1, 64, size, size), name="A"), te.placeholder((64, 64, 3, 3), name="W")
    s = te.create_schedule(nn.conv2d(A, W, 1, 1, 1))
    reasons = te.auto_schedule(s, "x86-64-v3")
    assert any(f"tiles of {rows} x 16 elements" in reason for reason in reasons)
    assert ("schedule.unroll %k1" in str(s.sequence)) is unrolled


def test_winograd_transforms_read_an_element_once_for_all_rows():
    image = te.placeholder((1, 8, 8, 8), name="A")
    weights = te.placeholder((8, 8, 3, 3), name="W")
    made = nn.conv2d_winograd_nchw(image, weights, 1, 1, 1, None)
    module = teloom.lower(topi.schedule(made), [image, weights, made], level="te")
    reads = {
        op.stage_name.data: sum(isinstance(one, dialect.ReadOp) for one in op.walk())
        for op in module.walk()
        if isinstance(op, dialect.ComputeOp)
    }
    of = "conv2d_winograd_nchw"
    lines = {f"{of}_data": 6, f"{of}_weight": 3, f"{of}_last": 6}
    for name, count in lines.items():
        assert reads[name] == reads[f"{name}_along_0"] == count


def test_lanes_are_the_channels_where_rows_of_an_image_fill_no_vectors():
    image, weights = (
        te.placeholder((1, 64, 14, 14), name="A"),
        te.placeholder((64, 64, 3, 3), name="W"),
    )
    s = topi.schedule(nn.conv2d_nchw(image, weights, 1, 1, 1), "x86-64-v4", reasons=(why := []))
    assert "tiles of 14 x 32 elements of conv2d_nchw, whose rows are contiguous" in why[0]
    assert any(line.startswith("W.global: a panel") for line in why)
    assert any(line.startswith("conv2d_nchw_padded: vectors") for line in why)
    assert s.schedule_record


@pytest.mark.parametrize(("channels", "columns"), [(64, 32), (96, 48), (100, 16), (33, 48)])
def test_tiles_whose_rows_are_contiguous_are_whole_where_that_can_be(channels, columns):
    image, weights = (
        te.placeholder((1, 16, 7, 7), name="A"),
        te.placeholder((channels, 16, 3, 3), name="W"),
    )
    made = nn.conv2d_nchw(image, weights, 1, 1, 1)
    s = topi.schedule(made, "x86-64-v4", reasons=(why := []))
    assert f"tiles of 7 x {columns} elements of conv2d_nchw, whose rows are contiguous" in why[0]
    run = teloom.build(s, [image, weights, made])
    a, w = random(1, 16, 7, 7), random(channels, 16, 3, 3)
    agrees(run, [a, w], convolved(a, w, 1, 1))


def test_a_convolution_of_images_of_any_size():
    n, side = te.var("n"), te.var("side")
    weights = random(9, 3, 3, 3)
    shapes = [(n, 3, side, side), weights.shape]
    function = built(
        lambda a, w: nn.conv2d_nchw(a, w, 1, 1, 1), [random(1, 3, 8, 8), weights], shapes
    )
    for count, extent in ((0, 8), (1, 1), (2, 19)):
        image = random(count, 3, extent, extent)
        agrees(function, [image, weights], convolved(image, weights, 1, 1))


@pytest.mark.parametrize("sizes", [(0, 3, 4), (3, 0, 4), (3, 4, 0)])
def test_products_of_no_elements(sizes):
    m, k, n = sizes
    arrays = [random(m, k), random(k, n)]
    agrees(built(topi.matmul, arrays), arrays, arrays[0] @ arrays[1])


@pytest.mark.parametrize("dtypes", [("int8", "int32"), ("uint8", "int32"), ("float64", "float64")])
def test_convolutions_of_other_dtypes(dtypes):
    given, made = dtypes
    image = RNG.integers(0, 9, (1, 5, 14, 14)).astype(given)
    weights = RNG.integers(0, 9, (37, 5, 3, 3)).astype(given)
    function = built(lambda a, w: nn.conv2d_nchw(a, w, 1, 1, 1, made), [image, weights])
    function(image, weights, found := np.empty((1, 37, 14, 14), made))
    np.testing.assert_array_equal(found, convolved(image.astype(made), weights.astype(made), 1, 1))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_running_sums(axis):
    n = te.var("n")
    function = built(lambda a: topi.cumsum(a, axis), [random(3, 5, 7)], [(n, 5, 7)])
    for extent in (0, 1, 3, 20):
        given = random(extent, 5, 7)
        agrees(function, [given], given.cumsum(axis))


@pytest.mark.parametrize("exclusive", [False, True])
def test_running_sums_of_rows(exclusive):
    given = random(20, 33)
    function = built(
        lambda a: topi.cumsum(topi.add(a, 1), 0, None, exclusive), [given], None, why := []
    )
    sums = (given + 1).cumsum(0)
    rows = np.concatenate([np.zeros((1, 33), "float32"), sums[:-1]]) if exclusive else sums
    agrees(function, [given], rows)
    assert "cumsum: vectors along i1 in each step" in why


@pytest.mark.parametrize(
    ("shape", "axis", "loops", "words"),
    [
        ((4, 8, 32, 64), 3, ["k0"], "4 of k2 go on at once, each 0 behind the other"),
        ((4, 8, 32, 64), 2, ["k0"], "vectors along k3, whose points are independent"),
        ((100, 3, 500), 1, ["k0"], "vectors along k2, whose points are independent"),
        ((1, 9, 5000), 2, ["k1.outer"], "4 of k1 go on at once, each 0 behind the other"),
        ((1, 9, 50), 2, [], "4 of k1 go on at once, each 0 behind the other"),
    ],
)
def test_lines_of_running_sums_are_lanes_or_go_on_at_once(shape, axis, loops, words):
    A = te.placeholder(shape, name="A")
    sums = topi.cumsum(A, axis)
    s = topi.schedule(sums, reasons=(why := []), num_threads=2)
    on_threads = [f"cumsum: threads share the iterations of {loop}" for loop in loops]
    assert why == ["cumsum_start: is inlined", *on_threads, f"cumsum: {words}"]
    text = str(teloom.lower(s, [A, sums], level="loop"))
    assert re.findall(r"%(\S+) = \S+ to \S+ parallel", text) == loops


def test_running_products_of_computed_elements():
    given = random(9, 13)
    function = built(lambda a: topi.cumprod(topi.add(a, 1), 1, exclusive=True), [given])
    products = np.cumprod(given + 1, axis=1)
    expected = np.concatenate([np.ones((9, 1), "float32"), products[:, :-1]], axis=1)
    agrees(function, [given], expected)


def test_softmax_and_means_row_by_row():
    given = random(37, 50) * 20

    def operator(a):
        return topi.add(
            nn.softmax(a), nn.layer_norm(a, *[te.compute((50,), lambda i: 1.0)] * 2, -1)
        )

    power = np.exp(given - given.max(axis=1, keepdims=True))
    centred = given - given.mean(axis=1, keepdims=True)
    normal = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5) + 1
    expected = power / power.sum(axis=1, keepdims=True) + normal
    agrees(built(operator, [given]), [given], expected)


def test_means_of_planes_are_folds_of_one_long_axis():
    given = random(2, 6, 5, 7)
    function = built(lambda a: nn.global_pool(a, "avg"), [given], reasons=(why := []))
    agrees(function, [given], given.mean(axis=(2, 3), keepdims=True))
    assert "strips of 4 of i1" in why[0]
    assert "lanes fold k2.k3.fused" in why[1]


def test_several_outputs():
    A = te.placeholder((30, 40), name="A")
    total, least = topi.sum(A, 0), topi.min(A, 1)
    function = teloom.build(topi.schedule([total, least]), [A, total, least])
    function(a := random(30, 40), t := np.empty(40, "float32"), m := np.empty(30, "float32"))
    np.testing.assert_allclose(t, a.sum(0), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(m, a.min(1))


def test_a_package_registers_a_strategy_for_a_tag_and_shapes():
    seen = []

    @STRATEGIES.register("matmul", lambda tensor: tensor.shape[0] == 48)
    def by_hand(s, tensor, target):
        seen.append(target)
        i, j = s[tensor].op.axis
        s[tensor].tile(i, j, 4, 16)
        return ["tiles of a strategy"]

    try:
        arrays = [random(48, 10), random(10, 32)]
        function = built(topi.matmul, arrays, reasons=(why := []))
        built(topi.matmul, [random(47, 10), random(10, 32)], reasons=(others := []))
    finally:
        STRATEGIES.remove(by_hand)
    agrees(function, arrays, arrays[0] @ arrays[1])
    assert why == ["matmul: tiles of a strategy"]
    assert seen == [None]
    assert "strategy" not in others[0]
    with pytest.raises(Error, match=r"topi.schedule: strategy .*by_hand.* is not registered"):
        STRATEGIES.remove(by_hand)


def test_the_strategy_that_was_registered_last_counts():
    table = Strategies()
    A = te.placeholder((8, 8), name="A")
    B = te.compute((8, 8), lambda i, j: A[i, j] + 1, name="B", tag="injective,pad")

    @table.register("injective")
    def first(s, tensor, target):
        return ["first"]

    @table.register("pad")
    def second(s, tensor, target):
        s[tensor].unroll(tensor.op.axis[0])
        return ["second"]

    topi.schedule(B, strategies=table, reasons=(why := []))
    assert why == ["B: second"]
    assert table.of(B).tag == "pad"


def test_the_strategy_of_the_highest_level_counts():
    table = Strategies()
    A = te.placeholder((8, 8), name="A")
    B = te.compute((8, 8), lambda i, j: A[i, j] + 1, name="B", tag="mine")

    def adds(word, plevel, suits=None):
        table.register("mine", suits, plevel)(lambda s, tensor, target: [word])

    def chosen():
        topi.schedule(B, strategies=table, reasons=(why := []))
        return why[0]

    adds("middle", 10)
    adds("low", 5)
    assert chosen() == "B: middle"
    adds("high", 15)
    adds("later", 15)
    adds("for others", 20, lambda tensor: tensor.ndim == 1)
    assert chosen() == "B: later"
    assert [one.plevel for one in table.for_tags(B)] == [10, 5, 15, 15, 20]


def test_a_stage_that_no_strategy_suits_has_a_reason():
    table = Strategies()
    A = te.placeholder((8, 8), name="A")
    B = te.compute((8, 8), lambda i, j: A[i, j] + 1, name="B", tag="mine")

    @table.register("mine", lambda tensor: tensor.ndim == 1)
    def rows(s, tensor, target):
        return ["rows"]

    s = topi.schedule(B, strategies=table, reasons=(why := []))
    assert why[0] == "B: rules, as none of its strategies suits it: rows"
    assert s.schedule_record


def test_an_operator_is_computed_as_its_arguments_are():
    ways = OpStrategy("double")
    A = te.placeholder((8,), name="A")
    with pytest.raises(Error, match=r"topi.double: arguments suit no implementation; .*: none"):
        ways.select(A)
    ways.add_implementation(lambda A: A * 2)
    ways.add_implementation(lambda A: A + A, te.create_schedule, "sum", 20, lambda A: A.ndim == 2)
    assert [ways.select(te.placeholder(shape)).name for shape in [(8,), (8, 8)]] == [
        "default",
        "sum",
    ]
    way = ways.select(A)
    x = random(8)
    function = teloom.build(way.schedule(B := way.compute(A)), [A, B])
    agrees(function, [x], 2 * x)


@pytest.mark.parametrize("plevel", [1.5, "high", True, None])
def test_a_level_is_an_integer(plevel):
    words = r"topi.schedule: plevel is .*, not an integer"
    with pytest.raises(Error, match=words):
        Strategies().register("mine", plevel=plevel)
    with pytest.raises(Error, match=words):
        OpStrategy("f").add_implementation(topi.add, plevel=plevel)


@pytest.mark.parametrize("given", [None, "vectors of a row", 3])
def test_what_are_no_reasons_is_refused(given):
    table = Strategies()
    B = te.compute((8,), lambda i: i, name="B", tag="mine")

    @table.register("mine")
    def silent(s, tensor, target):
        return given

    words = f"topi.schedule: strategy silent for the tag 'mine' gives {given!r}, not a list of reas"
    with pytest.raises(Error, match=re.escape(words)):
        topi.schedule(B, strategies=table)


def test_a_strategy_is_a_function():
    table = Strategies()
    five: Any = 5
    words = "topi.schedule: strategy for the tag 'mine' is 5, not a function of schedule, tensor,"
    with pytest.raises(Error, match=words):
        table.register("mine")(five)
    with pytest.raises(Error, match=r"topi\.schedule: suits is 5, not a function of a tensor"):
        table.register("mine", five)
    with pytest.raises(Error, match=r"topi\.double: compute is 5, not a function"):
        OpStrategy("double").add_implementation(five)
    with pytest.raises(Error, match=r"topi\.double: schedule is 5, not a function"):
        OpStrategy("double").add_implementation(topi.add, five)
    assert table.for_tags(te.compute((8,), lambda i: i, name="B", tag="mine")) == []


@pytest.mark.parametrize("tag", ["", "a,b", 3])
def test_what_is_no_tag_is_refused(tag):
    with pytest.raises(Error, match=r"topi.schedule: tag is .*, which is no single tag"):
        Strategies().register(tag)


def test_what_is_no_tensor_is_refused():
    with pytest.raises(Error, match=r"topi.schedule: outs\[0\] is 3, not a tensor"):
        topi.schedule([3])
    with pytest.raises(Error, match=r"topi.schedule: outs is empty; at least one tensor is wanted"):
        topi.schedule([])


def test_reasons_that_are_no_list_are_refused():
    with pytest.raises(Error, match=r"topi.schedule: reasons is 3, not a list"):
        topi.schedule(te.placeholder((4,), name="A"), reasons=3)
