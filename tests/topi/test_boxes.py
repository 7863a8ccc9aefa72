"""Boxes in images: which are kept, which are given, and what is in them."""

import math

import numpy as np
import pytest

import teloom
from teloom import te, topi
from teloom.topi import vision
from teloom.topi.vision import rcnn, ssd

RNG = np.random.default_rng(0)


def tensor(array, name):
    return te.placeholder(array.shape, str(array.dtype), name)


def random_boxes(*shape):
    """Of sides that are multiples of 1/8, so that overlaps are the same in every precision."""
    begin = RNG.integers(0, 48, (*shape, 2)) / 8
    box = np.concatenate([begin, begin + RNG.integers(1, 32, (*shape, 2)) / 8], -1)
    turned = RNG.random(shape) < 0.3
    box[turned] = box[turned][:, [2, 3, 0, 1]]
    return box.astype("float32")


def overlap(a, b, side=0):
    (ax, bx), (ay, by) = ([sorted((one[k], one[k + 2])) for one in (a, b)] for k in (0, 1))
    width = max(0.0, min(ax[1], bx[1]) - max(ax[0], bx[0]) + side)
    height = max(0.0, min(ay[1], by[1]) - max(ay[0], by[0]) + side)
    areas = [(x[1] - x[0] + side) * (y[1] - y[0] + side) for x, y in ((ax, ay), (bx, by))]
    both = sum(areas) - width * height
    return width * height / both if both > 0 else 0.0


def valid_counts(data, threshold, of_class=0, score=1):
    rows, places = np.full_like(data, -1), np.full(data.shape[:2], -1, "int32")
    counts = []
    for b, image in enumerate(data):
        valid = (image[:, score] > threshold) & ((of_class < 0) | (image[:, of_class] >= 0))
        (at,) = np.nonzero(valid)
        rows[b, : len(at)], places[b, : len(at)] = image[at], at
        counts.append(len(at))
    return np.array(counts, "int32"), rows, places


def detections(*shape):
    classes = RNG.integers(-1, 2, shape)[..., None]
    scores = RNG.permutation(np.prod(shape)).reshape(shape)[..., None] / 16 - 0.25
    return np.concatenate([classes, scores, random_boxes(*shape)], -1).astype("float32")


def test_get_valid_counts(both):
    data, bound = detections(2, 7), np.array(0.5, "float32")
    D, T = tensor(data, "D"), tensor(bound, "T")
    E = te.placeholder((1, 0, 6), name="E")
    found = [
        *zip(vision.get_valid_counts(D), valid_counts(data, 0), strict=True),
        *zip(vision.get_valid_counts(D, T, -1), valid_counts(data, 0.5, -1), strict=True),
        *zip(vision.get_valid_counts(D, -1.0, 1, 0), valid_counts(data, -1, 1, 0), strict=True),
        *zip(vision.get_valid_counts(E), valid_counts(np.zeros((1, 0, 6)), 0), strict=True),
    ]
    wanted = [(one, np.asarray(array).astype(one.dtype)) for one, array in found]
    both({D: data, T: bound, E: np.zeros((1, 0, 6), "float32")}, wanted)


def kept(image, count, limit=-1, bound=0.5, forced=False, most=-1, of_class=0):
    """The rows in the order of their scores, and -1 in the place of those that are dropped."""
    if bound <= 0:
        return [*range(count), *[-1] * (len(image) - count)]
    order = sorted(range(count), key=lambda k: -image[k, 1])
    chosen, found = [], []
    for k in order[: most if most > 0 else None]:
        rivals = [j for j in chosen if forced or of_class < 0 or image[j, 0] == image[k, 0]]
        is_best = all(overlap(image[k, 2:], image[j, 2:]) < bound for j in rivals)
        if image[k, 1] > 0 and is_best and (limit < 0 or len(chosen) < limit):
            chosen.append(k)
            found.append(k)
        else:
            found.append(-1)
    return found + [-1] * (len(image) - len(found))


def suppressed(data, counts, how, to_front):
    places = [kept(image, count, *how) for image, count in zip(data, counts, strict=True)]
    for one in places if to_front else ():
        one.sort(key=lambda k: k < 0)
    return np.array(places)


def test_non_max_suppression(both):
    data, counts = detections(3, 12), np.array([12, 5, 0], "int32")
    at = RNG.integers(0, 100, (3, 12)).astype("int32")
    limit, bound = np.array([3], "int32"), np.array(0.25, "float32")
    names = dict(zip("DNILB", (data, counts, at, limit, bound), strict=True))
    D, N, I, L, B = (tensor(one, name) for name, one in names.items())  # noqa: E741
    wanted = []

    def add(given, how, to_front):
        places = suppressed(data, counts, how, to_front)
        rows = np.take_along_axis(data, np.maximum(places, 0)[..., None], 1)
        rows[places < 0] = -1
        found = vision.non_max_suppression(D, N, I, *given, return_indices=False)
        if to_front:
            found = vision.non_max_suppression(
                D, N, I, *given, return_indices=False, invalid_to_bottom=True
            )
            indices, number = vision.non_max_suppression(D, N, I, *given)
            moved = np.take_along_axis(at, np.maximum(places, 0), 1)
            wanted.append((indices, np.where(places < 0, -1, moved)))
            wanted.append((number, (places >= 0).sum(1, keepdims=True)))
        wanted.append((found, rows))

    add((), (), True)
    add((4, 0.125, True, 6), (4, 0.125, True, 6), False)
    add((L, B, False, -1, 2, 1, -1), (3, 0.25, False, -1, -1), True)
    add((-1, 0.0), (-1, 0.0), False)
    assert any(0 < (array[..., 0] >= 0).sum() < 17 for one, array in wanted if one.ndim == 3)
    both(dict(zip((D, N, I, L, B), names.values(), strict=True)), wanted)


def test_halves(interpreted):
    """Areas that float16 does not have, and positions between those that it has."""
    data = np.array([[[0, 0.9, 0, 0, 900, 900], [0, 0.5, 100, 0, 900, 900]]], "float16")
    image = (np.arange(12).reshape(1, 1, 3, 4) / 4).astype("float16")
    region = np.array([[0, 0.125, 0.25, 2.5, 1.75]], "float16")
    D, X, R = tensor(data, "D"), tensor(image, "X"), tensor(region, "R")
    N = te.placeholder((1,), "int32", name="N")
    kept_rows = np.concatenate([data[:, :1], np.full_like(data[:, :1], -1)], 1)
    expected = aligned(image.astype(float), region, (2, 2), 1, np.mean)
    wanted = [
        (vision.non_max_suppression(D, N, N, return_indices=False), kept_rows),
        (rcnn.roi_align_nchw(X, R, 2, 1.0, "avg"), expected.astype("float16")),
    ]
    interpreted({D: data, X: image, R: region, N: np.array([2], "int32")}, wanted)


def test_sizes_at_the_call():
    b, n = te.var("b"), te.var("n")
    D, N = te.placeholder((b, n, 6), name="D"), te.placeholder((b,), "int32", name="N")
    rows = vision.non_max_suppression(D, N, N, return_indices=False)
    f = teloom.build(te.create_schedule(rows), [D, N, rows])
    for shape in ((2, 9), (1, 0), (3, 1), (0, 4)):
        data, counts = detections(*shape), np.minimum(RNG.integers(0, 9, shape[0]), shape[1])
        f(data, counts.astype("int32"), found := np.empty_like(data))
        places = suppressed(data, counts, (), False).reshape(shape).astype(int)
        expected = data[np.arange(shape[0])[:, None], places]
        expected[places < 0] = -1
        np.testing.assert_array_equal(found, expected)


def selected(boxes, scores, limit, bound, least):
    """Rows (image, class, box) of each class alone."""
    rows = []
    for b, c in np.ndindex(scores.shape[:2]):
        chosen = []
        for k in sorted(range(scores.shape[2]), key=lambda k: -scores[b, c, k]):
            overlaps = [overlap(boxes[b, k], boxes[b, j]) for j in chosen]
            if (
                scores[b, c, k] > least
                and len(chosen) < limit
                and max(overlaps, default=0) <= bound
            ):
                chosen.append(k)
        rows += [[b, c, k] for k in chosen]
    return rows


def test_all_class_non_max_suppression(both):
    boxes = random_boxes(2, 9)
    scores = RNG.permutation(54).reshape(2, 3, 9).astype("float32") / 54
    X, P = tensor(boxes, "X"), tensor(scores, "P")
    rows = selected(boxes, scores, 7, 0.125, 0.2)
    together = np.zeros((54, 3), int)
    together[: len(rows)] = rows
    apart, best = np.zeros((2, 27, 2), int), np.zeros((2, 27), "float32")
    counts = [0, 0]
    for b, c, k in rows:
        apart[b, counts[b]], best[b, counts[b]] = (c, k), scores[b, c, k]
        counts[b] += 1
    assert len(rows) < 42
    wanted = [
        *vision.all_class_non_max_suppression(X, P, 7, 0.125, 0.2),
        *vision.all_class_non_max_suppression(X, P, 7, 0.125, 0.2, "tensorflow"),
    ]
    expected = [together, [len(rows)], apart, best, counts]
    both({X: boxes, P: scores}, [*zip(wanted, expected, strict=True)])


def priors(height, width, sizes, ratios, steps, offsets):
    found = []
    for i, j in np.ndindex(height, width):
        y = (i + offsets[0]) * (steps[0] if steps[0] > 0 else 1 / height)
        x = (j + offsets[1]) * (steps[1] if steps[1] > 0 else 1 / width)
        sides = [(s * height / width, s) for s in sizes]
        sides += [
            (sizes[0] * height / width * math.sqrt(r), sizes[0] / math.sqrt(r)) for r in ratios[1:]
        ]
        found += [(x - w / 2, y - h / 2, x + w / 2, y + h / 2) for w, h in sides]
    return np.array(found, "float32")[None]


def test_multibox_prior(both):
    X = te.placeholder((1, 2, 3, 5), name="X")
    one = (0.5, 0.25), (1, 2, 0.5), (-1, -1), (0.5, 0.5)
    other = (1,), (1, 3), (0.25, 0.125), (0, 1)
    clipped = ssd.multibox_prior(X, *other, clip=True)
    wanted = [
        (ssd.multibox_prior(X, *one), priors(3, 5, *one)),
        (clipped, priors(3, 5, *other).clip(0, 1)),
    ]
    both({X: np.zeros((1, 2, 3, 5), "float32")}, wanted)


def transformed(scores, moves, anchors, clip, threshold, factors):
    rows, counts = np.full((*scores.shape[::2], 6), -1.0), []
    for b in range(len(scores)):
        count = 0
        for k, (x1, y1, x2, y2) in enumerate(anchors[0]):
            which = 1 + scores[b, 1:, k].argmax()
            if scores[b, which, k] < threshold:
                continue
            dx, dy, dw, dh = moves[b, 4 * k : 4 * k + 4] * factors
            x, y = dx * (x2 - x1) + (x1 + x2) / 2, dy * (y2 - y1) + (y1 + y2) / 2
            w, h = math.exp(dw) * (x2 - x1) / 2, math.exp(dh) * (y2 - y1) / 2
            box = np.array([x - w, y - h, x + w, y + h])
            box = box.clip(0, 1) if clip else box
            rows[b, count] = [which - 1, scores[b, which, k], *box]
            count += 1
        counts.append(count)
    return rows.astype("float32"), counts


def test_multibox_detection(both):
    scores = RNG.random((2, 3, 6), "float32")
    moves, anchors = RNG.normal(size=(2, 24)), random_boxes(1, 6) / 10
    moves, factors = moves.astype("float32"), (0.1, 0.2, 0.3, 0.4)
    P, M, B = tensor(scores, "P"), tensor(moves, "M"), tensor(anchors, "B")
    rows, counts = transformed(scores, moves, anchors, True, 0.6, factors)
    places = suppressed(rows, counts, (-1, 0.5, True, -1), False)
    detected = np.take_along_axis(rows, np.maximum(places, 0)[..., None], 1)
    detected[places < 0] = -1
    # Of several sets of anchors, the first is that of all images.
    sets = np.concatenate([anchors, anchors + 1])
    S = tensor(sets, "S")
    loose = ssd.multibox_transform_loc(P, M, S, False, 0.0)
    found = ssd.multibox_transform_loc(P, M, B, True, 0.6, factors)
    wanted = [
        *zip(found, (rows, counts), strict=True),
        (loose[0], transformed(scores, moves, anchors, False, 0, (0.1, 0.1, 0.2, 0.2))[0]),
        (ssd.multibox_detection(P, M, B, True, 0.6, 0.5, True, factors), detected),
    ]
    both({P: scores, M: moves, B: anchors, S: sets}, wanted)


REGIONS = np.array(
    [[0, 0, 0, 7, 6], [1, 2, 3, 5, 4], [0, 1.4, 2.6, 3.2, 9], [1, -4, -2, 2, 2], [0, 6, 6, 5, 5]],
    "float32",
)


def between(plane, y, x):
    height, width = plane.shape
    if not (-1 <= y <= height and -1 <= x <= width):
        return 0.0
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    top, left = int(y), int(x)
    rows, columns = (top, min(top + 1, height - 1)), (left, min(left + 1, width - 1))
    parts = (1 - (y - top), y - top), (1 - (x - left), x - left)
    return sum(
        plane[r, c] * p * q
        for r, p in zip(rows, parts[0], strict=True)
        for c, q in zip(columns, parts[1], strict=True)
    )


def aligned(data, rois, sizes, scale, fold, samples=-1):
    found = np.empty((len(rois), data.shape[1], *sizes))
    for r, (image, *corners) in enumerate(rois.astype(float)):
        x1, y1, x2, y2 = (one * scale for one in corners)
        lengths = [
            max(end - begin, 1) / n for begin, end, n in ((y1, y2, sizes[0]), (x1, x2, sizes[1]))
        ]
        counts = [samples if samples > 0 else math.ceil(one) for one in lengths]
        for c, i, j in np.ndindex(*found.shape[1:]):
            points = [
                between(
                    data[int(image), c],
                    y1 + (i + (p + 0.5) / counts[0]) * lengths[0],
                    x1 + (j + (q + 0.5) / counts[1]) * lengths[1],
                )
                for p, q in np.ndindex(*counts)
            ]
            found[r, c, i, j] = fold(points)
    return found.astype("float32")


def test_roi_align(both):
    data = RNG.normal(size=(2, 2, 6, 8)).astype("float32")
    X, R = tensor(data, "X"), tensor(REGIONS, "R")
    nhwc = rcnn.roi_align_nhwc(topi.transpose(X, (0, 2, 3, 1)), R, (1, 2), 0.5, "max", 3)
    wanted = [
        (
            rcnn.roi_align_nchw(X, R, (2, 3), 1.0, "avg", 2),
            aligned(data, REGIONS, (2, 3), 1, np.mean, 2),
        ),
        (rcnn.roi_align_nchw(X, R, 2, 1.0, 0), aligned(data, REGIONS, (2, 2), 1, np.mean)),
        (
            topi.transpose(nhwc, (0, 3, 1, 2)),
            aligned(data, REGIONS, (1, 2), 0.5, np.max, 3),
        ),
    ]
    both({X: data, R: REGIONS}, wanted)


def test_roi_align_of_as_many_points_as_a_region_has_is_taken_back():
    """The means are linear in the data: its derivative has the same product with a head."""
    data = RNG.normal(size=(2, 2, 6, 8)).astype("float32")
    X, R = tensor(data, "X"), tensor(REGIONS, "R")
    out = rcnn.roi_align_nchw(X, R, 2, 1.0, "avg")
    H = te.placeholder(out.shape, name="H")
    (grad,) = te.gradient(out, [X], head=H)
    f = teloom.build([out, grad], [X, R, H, out, grad])
    head = RNG.normal(size=(len(REGIONS), 2, 2, 2)).astype("float32")
    means, by_data = np.empty_like(head), np.empty_like(data)
    f(data, REGIONS, head, means, by_data)
    np.testing.assert_allclose((means * head).sum(), (data * by_data).sum(), rtol=1e-4)


def pooled(data, rois, sizes, scale):
    found = np.zeros((len(rois), data.shape[1], *sizes), "float32")
    for r, (image, *corners) in enumerate(rois):
        x1, y1, x2, y2 = (math.floor(abs(one * scale) + 0.5) * np.sign(one) for one in corners)
        for i, j in np.ndindex(*sizes):
            window = []
            for begin, end, k, n in ((y1, y2, i, sizes[0]), (x1, x2, j, sizes[1])):
                side = max(end - begin + 1, 1)
                ends = begin + math.floor(k * side / n), begin + math.ceil((k + 1) * side / n)
                window.append(slice(*(int(max(one, 0)) for one in ends)))
            part = data[int(image)][:, window[0], window[1]]
            if part.size:
                found[r, :, i, j] = part.max((1, 2))
    return found


def test_roi_pool(both):
    data = RNG.normal(size=(2, 2, 6, 8)).astype("float32") - 3
    X, R = tensor(data, "X"), tensor(REGIONS, "R")
    wanted = [
        (vision.roi_pool_nchw(X, R, (2, 3), 1.0), pooled(data, REGIONS, (2, 3), 1)),
        (vision.roi_pool_nchw(X, R, 4, 0.5), pooled(data, REGIONS, (4, 4), 0.5)),
    ]
    both({X: data, R: REGIONS}, wanted)


def proposed(scores, moves, info, boxes, stride, bound, before, after, least, by_corners):
    found = []
    for b, (high, wide, scale) in enumerate(info):
        rows = []
        for y, x in np.ndindex(scores.shape[2:]):
            for k, anchor in enumerate(boxes):
                box = np.array(anchor) + [x * stride, y * stride] * 2
                d = moves[b, 4 * k : 4 * k + 4, y, x].astype(float)
                sides = box[2:] - box[:2] + 1
                middle = box[:2] + (sides - 1) / 2 + d[:2] * sides
                half = (np.exp(d[2:]) * sides - 1) / 2
                box = box + d if by_corners else np.concatenate([middle - half, middle + half])
                box = box.clip(0, np.array([wide, high] * 2) - 1)
                inside = y < int(high / stride) and x < int(wide / stride)
                score = scores[b, len(boxes) + k, y, x] if inside else -1
                if (box[2:] - box[:2] + 1 < least * scale).any():
                    box, score = box + np.array([-1, -1, 1, 1]) * least * scale / 2, -1
                rows.append((score, box))
        rows.sort(key=lambda row: -row[0])
        chosen = []
        for _, box in rows[: before if before > 0 else None]:
            if all(overlap(box, other, 1) <= bound for other in chosen):
                chosen.append(box)
        found += [[b, *chosen[k % len(chosen)]] for k in range(after)]
    return np.array(found, "float32")


@pytest.mark.parametrize("by_corners", [False, True])
def test_proposal(by_corners, interpreted):
    scores, moves = RNG.random((2, 4, 3, 4)), RNG.normal(size=(2, 8, 3, 4)) / 5
    scores, moves = scores.astype("float32"), moves.astype("float32")
    info = np.array([[48, 64, 1], [40, 50, 0.5]], "float32")
    P, M, T = tensor(scores, "P"), tensor(moves, "M"), tensor(info, "T")
    # 3 * 16 wide and high around 7.5; and with half the area of 16 * 16, 11 wide and 22 high.
    boxes = [(-16, -16, 31, 31), (-8.5, -25, 23.5, 40)]
    wanted = []
    for before, after in ((-1, 4), (10, 9)):
        found = vision.proposal(P, M, T, [3], [1, 2], 16, 0.5, before, after, 20, by_corners)
        how = 16, 0.5, before, after, 20, by_corners
        wanted.append((found, proposed(scores, moves, info, boxes, *how)))
    interpreted({P: scores, M: moves, T: info}, wanted)


def reorganized(x, stride):
    """As Darknet's code walks through the array."""
    n, c, h, w = x.shape
    flat, inner, result = x.ravel(), c // stride**2, []
    for b, k, j, i in np.ndindex(n, c, h, w):
        offset = k // inner
        place = i * stride + offset % stride
        row = j * stride + offset // stride
        result.append(flat[place + w * stride * (row + h * stride * (k % inner + inner * b))])
    return np.array(result, x.dtype).reshape(n, c * stride**2, h // stride, w // stride)


def test_reorg(both):
    x = np.arange(2 * 8 * 4 * 6).reshape(2, 8, 4, 6).astype("int32")
    X = tensor(x, "X")
    both({X: x}, [(vision.reorg(X, 2), reorganized(x, 2)), (vision.reorg(X, 1), x)])


D, N = te.placeholder((2, 9, 6), name="D"), te.placeholder((2,), "int32", name="N")
I, X = te.placeholder((2, 9), "int32", name="I"), te.placeholder((2, 9, 4), name="X")  # noqa: E741
F, R = te.placeholder((1, 3, 8, 8), name="F"), te.placeholder((5, 5), name="R")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: vision.get_valid_counts(D, 0, 6),
            "topi.vision.get_valid_counts: id_index is 6, but data is D of shape (2, 9, 6)",
        ),
        (
            lambda: vision.non_max_suppression(D, N, I, coord_start=3),
            "topi.vision.non_max_suppression: coord_start is 3, but data is D of shape (2, 9, 6)",
        ),
        (
            lambda: vision.non_max_suppression(D, te.placeholder((3,), "int32", "M"), I),
            "valid_count is M of shape (3,) and dtype int32, but data is D",
        ),
        (lambda: vision.non_max_suppression(D, N, D), "indices is D of shape (2, 9, 6) and dtype"),
        (
            lambda: vision.non_max_suppression(D, N, I, iou_threshold=N),
            "iou_threshold is N of shape (2,) and dtype int32, but must be float",
        ),
        (
            lambda: vision.non_max_suppression(D, N, I, N),
            "max_output_size is N of shape (2,) and dtype int32, but must have one element",
        ),
        (
            lambda: vision.all_class_non_max_suppression(D, X, 1, 0.5, 0.0),
            "all_class_non_max_suppression: boxes is D of shape (2, 9, 6) and dtype float32, whose",
        ),
        (
            lambda: vision.all_class_non_max_suppression(X, X, 1, 0.5, 0.0),
            "scores is X of shape (2, 9, 4) and dtype float32, but boxes is X",
        ),
        (
            lambda: vision.reorg(F, 2),
            "topi.vision.reorg: stride is 2, which does not divide the sides, or its square the",
        ),
        (
            lambda: vision.roi_pool_nchw(F, te.placeholder((5, 4), name="Q"), 2, 1.0),
            "topi.vision.roi_pool_nchw: rois is Q of shape (5, 4) and dtype float32, whose rows",
        ),
        (
            lambda: vision.roi_align_nchw(F, R, 2, 1.0, "mean"),
            "topi.vision.roi_align_nchw: mode is 'mean'; known are 'avg' (0) and 'max' (1)",
        ),
        (lambda: vision.roi_align_nchw(F, R, 0, 1.0, "avg"), "pooled_size is 0, but must be at"),
        (
            lambda: ssd.multibox_prior(F, (0.5,), (0,)),
            "topi.vision.ssd.multibox_prior: ratios is [0.0], but must be above 0",
        ),
        (
            lambda: ssd.multibox_prior(te.placeholder((1, 3, te.var("h"), te.var("w")), name="H")),
            "data is H of shape (1, 3, h, w) and dtype float32, but h * w * 1 is no affine extent",
        ),
        (lambda: ssd.multibox_prior(F, "1"), "sizes is '1', not a list"),
        (
            lambda: ssd.multibox_detection(D, X, X),
            "topi.vision.ssd.multibox_transform_loc: loc_pred is X of shape (2, 9, 4) and dtype",
        ),
        (
            lambda: vision.proposal(F, F, R, [8], [1], 16, 0.7, -1, 9, 16, False),
            "topi.vision.proposal: cls_prob is F of shape (1, 3, 8, 8) and dtype float32, but must "
            "be of shape (1, 2, 8, 8), with 1 anchors",
        ),
        (
            lambda: vision.proposal(F, F, R, [], [1], 16, 0.7, -1, 9, 16, False),
            "scales is [], not numbers above 0",
        ),
    ],
)
def test_refusals(make, words, refuses):
    refuses(make, words)
