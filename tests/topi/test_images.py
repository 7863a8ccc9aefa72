"""Images of other sizes, sampled at grids, and dilated."""

from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any

import numpy as np
import pytest
from budget import pairs

import teloom
from teloom import te, topi
from teloom.topi import image

RNG = np.random.default_rng(0)


def tensor(array, name):
    return te.placeholder(array.shape, str(array.dtype), name)


def coordinate(mode, i, extent, size, part=(0.0, 1.0)):
    """As ONNX's Resize says, without rounding."""
    half = Fraction(1, 2)
    if mode in ("half_pixel", "pytorch_half_pixel"):
        is_single = mode == "pytorch_half_pixel" and size == 1
        return Fraction(0) if is_single else (i + half) * Fraction(extent, size) - half
    if mode == "tf_half_pixel_for_nn":
        return (i + half) * Fraction(extent, size)
    if mode == "asymmetric":
        return Fraction(i * extent, size)
    if mode == "align_corners":
        return Fraction(i * (extent - 1), size - 1) if size > 1 else Fraction(0)
    begin, end = map(Fraction, part)
    if size == 1:
        return (begin + end) * (extent - 1) / 2
    return begin * (extent - 1) + i * (end - begin) * (extent - 1) / (size - 1)


ROUNDINGS = {
    "round": lambda x: floor(x + Fraction(1, 2)),
    "round_prefer_ceil": lambda x: floor(x + Fraction(1, 2)),
    "round_prefer_floor": lambda x: ceil(x - Fraction(1, 2)),
    "floor": floor,
    "ceil": ceil,
}


def keys(distance, a):
    """Keys's kernel of cubic convolution."""
    x = abs(distance)
    if x <= 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0


def matrix(method, x, extent, rounding="floor", a=-0.5, exclude=False):
    """The weights of all elements of an axis at a coordinate."""
    weights = np.zeros(extent)
    if method == "nearest_neighbor":
        weights[min(max(ROUNDINGS[rounding](x), 0), extent - 1)] = 1
        return weights
    around = (
        range(floor(x), floor(x) + 2) if method == "linear" else range(floor(x) - 1, floor(x) + 3)
    )
    for place in around:
        weight = 1 - abs(x - place) if method == "linear" else keys(float(x - place), a)
        if not exclude or 0 <= place < extent:
            weights[min(max(place, 0), extent - 1)] += weight
    return weights / weights.sum() if exclude else weights


def resized(x, axes, sizes, method, mode, part=((0, 1), (0, 1), (0, 1)), instead=0.0, **how):
    for axis, size, ends in zip(axes, sizes, part):
        extent = x.shape[axis]
        places = [coordinate(mode, i, extent, size, ends) for i in range(size)]
        weights = np.array([matrix(method, one, extent, **how) for one in places])
        x = np.moveaxis(np.tensordot(weights.reshape(size, extent), x, (1, axis)), 0, axis)
        if mode == "tf_crop_and_resize":
            outside = [not 0 <= one <= extent - 1 for one in places]
            np.moveaxis(x, axis, 0)[np.array(outside, bool)] = instead
    return x


MODES = "half_pixel pytorch_half_pixel tf_half_pixel_for_nn asymmetric align_corners".split()


@pytest.mark.parametrize("method", ["nearest_neighbor", "linear", "cubic"])
def test_resize1d(method, interpreted):
    x = RNG.normal(size=(1, 2, 5)).astype("float32")
    X, wanted = tensor(x, "X"), []
    roundings = tuple(ROUNDINGS) if method == "nearest_neighbor" else ("floor",)
    for size, mode, rounding in pairs((1, 3, 5, 10, 12), MODES, roundings):
        found = image.resize1d(X, None, size, "NCW", method, mode, rounding)
        wanted.append((found, resized(x, [2], [size], method, mode, rounding=rounding)))
    interpreted({X: x}, wanted)


@pytest.mark.parametrize("mode", MODES)
def test_resized_to_no_elements(mode, interpreted):
    A, E = te.placeholder((1, 2, 3, 4), name="A"), te.placeholder((1, 2, 0, 4), name="E")
    wanted = [
        (image.resize2d(one, None, (0, 5), method=m, coordinate_transformation_mode=mode), none)
        for one in (A, E)
        for m in ("nearest_neighbor", "linear", "cubic")
        for none in [np.zeros((1, 2, 0, 5), "float32")]
    ]
    interpreted({A: np.ones((1, 2, 3, 4), "float32"), E: np.ones((1, 2, 0, 4), "float32")}, wanted)


def test_resize2d_and_3d(both):
    x, y = RNG.normal(size=(1, 2, 4, 7)), RNG.normal(size=(1, 1, 3, 2, 4))
    b = RNG.integers(0, 256, (1, 5, 4, 2)).astype("uint8")  # resized by powers of 2: exact
    x, y = x.astype("float32"), y.astype("float32")
    X, Y, B = map(tensor, (x, y, b), "XYB")
    packed = topi.layout_transform(B, "NHWC", "NCHW2c")
    linear = resized(b, [1, 2], [10, 2], "linear", "half_pixel").astype("uint8")
    cubic = resized(b.astype(float), [1, 2], [2, 8], "cubic", "half_pixel", a=-0.75)
    roi, part = [0.25, -0.5, 1.5, 1], [(0.25, 1.5), (-0.5, 1)]
    cropped = {"mode": "tf_crop_and_resize", "part": part, "instead": 7.0}
    P = te.placeholder((4,), name="P")
    wanted = [
        (image.resize2d(X, None, (8, 5)), resized(x, [2, 3], [8, 5], "linear", "half_pixel")),
        (
            image.resize2d(X, roi, (5, 6), "NCHW", "linear", "tf_crop_and_resize", "", 0, 0, 7.0),
            resized(x, [2, 3], [5, 6], "linear", **cropped),
        ),
        (
            image.resize2d(X, None, (3, 14), "NCHW", "CUBIC", "align_corners", "", -0.75, 1),
            resized(x, [2, 3], [3, 14], "cubic", "align_corners", a=-0.75, exclude=True),
        ),
        (
            image.resize2d(X, P, (2, 3), "NCHW", "linear", "tf_crop_and_resize"),
            resized(x, [2, 3], [2, 3], "linear", **(cropped | {"instead": 0.0})),
        ),
        (image.resize2d(B, None, [10, 2], "NHWC"), linear),
        (
            topi.layout_transform(
                image.resize2d(packed, None, [10, 2], "NCHW2c"), "NCHW2c", "NHWC"
            ),
            linear,
        ),
        (
            image.resize2d(B, None, [2, 8], "NHWC", "cubic", bicubic_alpha=-0.75),
            np.clip(cubic, 0, 255).astype("uint8"),
        ),
        (
            image.resize3d(Y, None, (6, 1, 3)),
            resized(y, [2, 3, 4], (6, 1, 3), "nearest_neighbor", "align_corners", rounding="round"),
        ),
        (
            image.resize3d(
                Y, None, (2, 3, 5), "NCDHW", "linear", "asymmetric", out_dtype="float64"
            ),
            resized(y.astype(float), [2, 3, 4], (2, 3, 5), "linear", "asymmetric"),
        ),
    ]
    assert wanted[-1][0].dtype == "float64"
    both(
        {X: x, Y: y, B: b, P: np.array(roi, "float32")},
        [(one, np.asarray(array, one.dtype)) for one, array in wanted],
    )


def test_sizes_at_the_call(symbolic):
    def make(h, w, p, q):
        X, S = te.placeholder((1, 2, h, w), name="X"), te.placeholder((p, q), name="S")
        wanted = []
        for method in ("nearest_neighbor", "linear", "cubic"):
            found = image.resize2d(
                X, None, [S.shape[0], 3], "NCHW", method, "align_corners", "ceil"
            )

            def reference(x, s, method=method):
                sizes = [len(s), 3]
                return resized(x, [2, 3], sizes, method, "align_corners", rounding="ceil")

            wanted.append((found, reference))
        both = image.resize2d(X, None, list(S.shape))
        wanted.append((both, lambda x, s: resized(x, [2, 3], s.shape, "linear", "half_pixel")))
        return [X, S], wanted

    symbolic(make, "h w p q", [(1, 1, 3, 2), (4, 5, 2, 7), (3, 2, 0, 4)])


def cropped(x, boxes, images, sizes, method, instead=0.0):
    found = np.empty((len(boxes), x.shape[1], *sizes))
    for k, (y1, x1, y2, x2) in enumerate(boxes.tolist()):
        found[k] = resized(
            x[images[k] : images[k] + 1],
            [2, 3],
            sizes,
            method,
            "tf_crop_and_resize",
            [(y1, y2), (x1, x2)],
            instead,
            rounding="round",
        )
    return found


def test_each_axis_is_resized_by_sums_of_its_own():
    A = te.placeholder((1, 1, 8, 9, 10), name="A")
    made = image.resize3d(A, None, (16, 18, 20), method="cubic")
    steps = [made]
    while (read := steps[-1].op.input_tensors) != [A]:
        steps += read
    assert [step.shape[2:] for step in steps] == [(16, 18, 20), (16, 18, 10), (16, 9, 10)]


def test_crop_and_resize(both):
    x = RNG.normal(size=(2, 3, 5, 6)).astype("float32")
    boxes = np.array([[0, 0, 1, 1], [0.5, 0.25, 0, 1.5], [-0.5, 0, 2, 0.125]], "float32")
    at = np.array([1, 0, 1], "int32")
    X, B, I = tensor(x, "X"), tensor(boxes, "B"), tensor(at, "I")  # noqa: E741
    nhwc = image.crop_and_resize(topi.transpose(X, (0, 2, 3, 1)), B, I, (1, 4), "NHWC")
    nearest = image.crop_and_resize(X, B, I, (3, 5), "NCHW", "nearest_neighbor", 2.5)
    wanted = [
        (image.crop_and_resize(X, B, I, (3, 5)), cropped(x, boxes, at, (3, 5), "linear")),
        (topi.transpose(nhwc, (0, 3, 1, 2)), cropped(x, boxes, at, (1, 4), "linear")),
        (nearest, cropped(x, boxes, at, (3, 5), "nearest_neighbor", 2.5)),
    ]
    both({X: x, B: boxes, I: at}, [(one, array.astype("float32")) for one, array in wanted])


def sampled(x, grid, method, padding, aligned):
    """Of one line: each coordinate by hand."""
    found = np.zeros((*x.shape[:2], 1, len(grid)))
    extent = x.shape[-1]

    def element(place):
        if padding == "zeros":
            return x[0, :, 0, place] if 0 <= place < extent else np.zeros(x.shape[1])
        if padding == "border":
            return x[0, :, 0, min(max(place, 0), extent - 1)]
        while not 0 <= place < extent:
            first = 0 if place < 0 else extent - 1
            place = first * 2 - place if aligned else first * 2 - place + (-1 if place < 0 else 1)
        return x[0, :, 0, place]

    for k, value in enumerate(grid):
        at = (value + 1) * (extent - 1) / 2 if aligned else ((value + 1) * extent - 1) / 2
        if method == "nearest":
            found[0, :, 0, k] = element(round(at))
            continue
        reach = (
            range(floor(at), floor(at) + 2)
            if method == "bilinear"
            else range(floor(at) - 1, floor(at) + 3)
        )
        for place in reach:
            weight = 1 - abs(at - place) if method == "bilinear" else keys(at - place, -0.75)
            found[0, :, 0, k] += weight * element(place)
    return found


def test_a_box_turned_round_ends_on_the_first_element():
    """By a sum that is contracted, the last place would be a little in front of it."""
    data = np.arange(1, 3, dtype="float32").reshape(1, 1, 2, 1)
    boxes, first = np.array([[1, 0, 0, 0]], "float32"), np.zeros(1, "int32")
    args = [tensor(data, "A"), tensor(boxes, "boxes"), tensor(first, "at")]
    outs = [
        image.crop_and_resize(*args, (size, 1), extrapolation_value=-99.0) for size in range(2, 10)
    ]
    arrays = [np.empty(out.shape, "float32") for out in outs]
    teloom.build(outs, [*args, *outs])(data, boxes, first, *arrays)
    for found in arrays:
        np.testing.assert_allclose(found.ravel(), np.linspace(2, 1, found.size), rtol=1e-6)


@pytest.mark.parametrize(
    "made",
    [
        lambda A, P: image.resize2d(A, None, (2, 3)),
        lambda A, P: image.resize2d(A, None, (2, 3), method="nearest_neighbor"),
        lambda A, P: image.grid_sample(A, P, "bilinear", "NCHW", "border"),
        lambda A, P: image.grid_sample(A, P, "bilinear", "NCHW", "reflection"),
    ],
)
def test_images_without_elements_are_refused_at_the_call(made):
    A, P = te.placeholder((1, 1, te.var("n"), 3), name="A"), te.placeholder((1, 2, 2, 3), name="P")
    out = made(A, P)
    f = teloom.build([out], [A, P, out])
    at, found = np.zeros((1, 2, 2, 3), "float32"), np.zeros((1, 1, 2, 3), "float32")
    f(np.ones((1, 1, 2, 3), "float32"), at, found)
    np.testing.assert_allclose(found, 1, rtol=1e-6)
    with pytest.raises(teloom.KernelError, match="that data chooses, but axis 2 of A is empty"):
        f(np.ones((1, 1, 0, 3), "float32"), at, found)


def test_grid_sample_far_outside(interpreted):
    x = RNG.normal(size=(1, 2, 1, 4)).astype("float32")
    line = np.array([-9.25, -3, -1, -0.3, 0.125, 1, 1.9, 7.5])
    grid = np.stack([line, np.zeros(8)])[None, :, None].astype("float32")
    X, G = tensor(x, "X"), tensor(grid, "G")
    wanted = []
    for method, padding, aligned in product(
        ("nearest", "bilinear", "bicubic"), ("zeros", "border", "reflection"), (False, True)
    ):
        found = image.grid_sample(X, G, method, "NCHW", padding, aligned)
        wanted.append((found, sampled(x, line, method, padding, aligned).astype("float32")))
    interpreted({X: x, G: grid}, wanted)


def test_grid_sample_of_numbers_that_are_none(both):
    x = np.array([[[[3], [4]]]], "float32")
    grid = np.array([np.nan, np.inf, -np.inf, 1e30], "float32")
    grid = np.stack([np.zeros(4, "float32"), grid])[None, :, None]
    X, G = tensor(x, "X"), tensor(grid, "G")
    inside = image.grid_sample(X, G, padding_mode="border")
    outside = image.grid_sample(topi.transpose(X, (0, 2, 3, 1)), G, layout="NHWC")
    wanted = np.array([[[[3, 4, 3, 4]]]], "float32")
    zeros = np.zeros((1, 1, 4, 1), "float32")
    both({X: x, G: grid}, [(inside, wanted), (outside, zeros)])


def test_affine_grid(both):
    theta = RNG.normal(size=(2, 2, 3)).astype("float32")
    T, wanted = tensor(theta, "T"), []
    for aligned, (height, width) in ((True, (2, 5)), (False, (1, 3))):
        ends = [1 - (0 if aligned else 1 / size) for size in (height, width)]
        y, x = (np.linspace(-end, end, size) for end, size in zip(ends, (height, width)))
        points = np.stack([*np.meshgrid(x, y), np.ones((height, width))])
        expected = np.einsum("nij,jhw->nihw", theta, points).astype("float32")
        wanted.append((image.affine_grid(T, (height, width), aligned), expected))
    both({T: theta}, wanted)


def dilated(x, w, stride, pad, apart):
    x = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)], constant_values=-np.inf)
    reach = [(size - 1) * apart + 1 for size in w.shape[1:]]
    view = np.lib.stride_tricks.sliding_window_view(x, reach, (2, 3))
    return (view[:, :, ::stride, ::stride, ::apart, ::apart] + w[:, None, None]).max((4, 5))


def test_dilation2d(both):
    x, w = RNG.normal(size=(2, 3, 7, 6)) - 5, RNG.normal(size=(3, 2, 3))
    x, w = x.astype("float32"), w.astype("float32")
    X, W = tensor(x, "X"), tensor(w, "W")
    nhwc = topi.transpose(X, (0, 2, 3, 1)), topi.transpose(W, (1, 2, 0))
    wanted = [
        (image.dilation2d_nchw(X, W, 1, 0, 2), dilated(x, w, 1, 0, 2)),
        (image.dilation2d_nchw(X, W, (2, 2), 1, 1, "float32"), dilated(x, w, 2, 1, 1)),
        (image.dilation2d_nhwc(*nhwc, 1, 1, 1), dilated(x, w, 1, 1, 1).transpose(0, 2, 3, 1)),
    ]
    both({X: x, W: w}, wanted)


WRONG: Any = None
A, E = te.placeholder((1, 3, 8, 8), name="A"), te.placeholder((1, 3, 0, 8), name="E")
G, B = te.placeholder((1, 3, 4, 4), name="G"), te.placeholder((5, 4), name="B")
I = te.placeholder((5,), "int32", name="I")  # noqa: E741


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: image.resize2d(A, None, (4,)),
            "topi.image.resize2d: size is [4], but there are 2 axes to resize",
        ),
        (
            lambda: image.resize2d(A, None, (4, 4), "NCW"),
            "topi.image.resize2d: layout is 'NCW', which has no HW",
        ),
        (
            lambda: image.resize1d(A, None, 4),
            "layout is 'NCW', but data is A of shape (1, 3, 8, 8)",
        ),
        (lambda: image.resize2d(E, None, (4, 4)), "which has no elements on axis 2"),
        (
            lambda: image.resize2d(A, None, (4, 4), method="area"),
            "method is 'area'; known are 'nearest_neighbor', 'linear', 'cubic'",
        ),
        (
            lambda: image.resize2d(A, None, (4, 4), "NCHW", "linear", "corners"),
            "coordinate_transformation_mode is 'corners'; known are 'half_pixel', ",
        ),
        (
            lambda: image.resize2d(
                A, None, (4, 4), "NCHW", "nearest_neighbor", rounding_method="up"
            ),
            "rounding_method is 'up'; known are 'round', ",
        ),
        (
            lambda: image.resize2d(A, [0, 1], (4, 4), "NCHW", "linear", "tf_crop_and_resize"),
            "roi is [0, 1], but must be 2 begins and then 2 ends",
        ),
        (
            lambda: image.resize2d(A, None, (4, 4), bicubic_alpha=WRONG),
            "bicubic_alpha is None, not a",
        ),
        (
            lambda: image.resize2d(A, None, (4, 4), output_shape=(1, 3, 4, 5)),
            "output_shape is (1, 3, 4, 5), but the result has (1, 3, 4, 4)",
        ),
        (
            lambda: image.crop_and_resize(A, I, I, (4, 4)),
            "topi.image.crop_and_resize: boxes is I of shape (5,) and dtype int32, but must have 2",
        ),
        (
            lambda: image.crop_and_resize(A, te.placeholder((5, 3), name="C"), I, (4, 4)),
            "boxes is C of shape (5, 3) and dtype float32, whose rows are no (y1, x1, y2, x2)",
        ),
        (
            lambda: image.crop_and_resize(A, B, te.placeholder((4,), "int32", name="J"), (4, 4)),
            "box_indices is J of shape (4,) and dtype int32, but boxes is B of shape (5, 4)",
        ),
        (
            lambda: image.grid_sample(A, G),
            "topi.image.grid_sample: grid is G of shape (1, 3, 4, 4) and dtype float32, but must",
        ),
        (lambda: image.grid_sample(A, A, padding_mode="wrap"), "but must begin with (1, 2)"),
        (
            lambda: image.affine_grid(A, (4, 4)),
            "topi.image.affine_grid: data is A of shape (1, 3, 8, 8) and dtype float32, but must",
        ),
        (
            lambda: image.affine_grid(te.placeholder((1, 2, 3), name="T"), (1, 4)),
            "target_shape is 1, but must be at least 2",
        ),
        (
            lambda: image.dilation2d_nchw(A, te.placeholder((2, 3, 3), name="w"), 1, 0, 1),
            "topi.image.dilation2d_nchw: filter has the extent 2 on axis 0, but input has 3",
        ),
    ],
)
def test_refusals(make, words, refuses):
    refuses(make, words)
