"""Boxes that are worth to be kept: of those that overlap much, the one with the best score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from teloom import te
from teloom.topi.arguments import a_flag, a_number, a_tensor, an_integer, one_of, shown, wrong
from teloom.topi.dtypes import of_kind, precise
from teloom.topi.elementwise import computed
from teloom.topi.extents import affine_total, as_extents, same
from teloom.topi.points import each_point, over_buffers
from teloom.topi.sorting import argsort
from teloom.topi.transform.positions import positions
from teloom.topi.vision.boxes import Candidates, choose, true_first


def _columns_of(name: str, data: object, ids: Sequence[tuple[str, Any, int]]) -> list[int]:
    """The columns of rows of boxes that arguments give; -1 is none where that is the least."""
    tensor = of_kind(name, "data", a_tensor(name, "data", data, 3), "float")
    width = tensor.shape[2]
    if not isinstance(width, int):
        raise wrong(name, "data", f"is {shown(tensor)}, whose last extent must be constant")
    found = []
    for argument, value, least in ids:
        column = an_integer(name, argument, value, least)
        if column >= width:
            raise wrong(name, argument, f"is {column}, but data is {shown(tensor)}")
        found.append(column)
    return found


class _Setting(NamedTuple):
    """A number that is known, or the element of a tensor, which is an input."""

    tensor: te.Tensor | None
    known: Any

    def read(self, buffers: dict[te.Tensor, Any]) -> Any:
        if self.tensor is None:
            return self.known
        return buffers[self.tensor][(0,) * self.tensor.ndim]


def _setting(name: str, argument: str, value: Any, dtype: str) -> _Setting:
    """A number or a tensor of one element, as TVM takes them."""
    if not isinstance(value, te.Tensor):
        return _Setting(None, a_number(name, argument, value, dtype))
    kind = "integer" if "int" in dtype else "float"
    tensor = of_kind(name, argument, a_tensor(name, argument, value), kind)
    if not te.same_extents(tensor.shape, [1] * tensor.ndim):
        raise wrong(name, argument, f"is {shown(tensor)}, but must have one element")
    return _Setting(tensor, None)


def _front(name: str, data: te.Tensor, places: te.Tensor) -> te.Tensor:
    """The rows of `data` at places; -1 where there is none."""

    def value(b: Any, k: Any, column: Any) -> Any:
        place = places(b, k)
        here = data(b, te.bounded(place, 0, data.shape[1]), column)
        return te.if_then_else(place >= 0, here, te.const(-1, data.dtype))

    return computed(name, data.shape, value)


def get_valid_counts(
    data: te.Tensor, score_threshold: Any = 0, id_index: int = 0, score_index: int = 1
) -> list[te.Tensor]:
    """The rows of boxes with a score above a threshold, and of a class that is not below 0.

    `data` has the shape (batch, boxes, columns), of which `score_index` is the score and `id_index`
    the class; with -1 there are no classes. The result is how many rows are valid, these rows in
    front of rows of -1, and the positions where they were, in front of -1; both int32.

    >>> [one.shape for one in get_valid_counts(te.placeholder((2, 100, 6), name="A"))]
    [(2,), (2, 100, 6), (2, 100)]
    """
    name = "vision.get_valid_counts"
    given = [("id_index", id_index, -1), ("score_index", score_index, 0)]
    class_column, score_column = _columns_of(name, data, given)
    if isinstance(score_threshold, te.Tensor):
        tensor = a_tensor(name, "score_threshold", score_threshold, 0)
        threshold = of_kind(name, "score_threshold", tensor, "float")()
    else:
        threshold = a_number(name, "score_threshold", score_threshold, data.dtype)

    def is_valid(b: Any, k: Any) -> Any:
        above = data(b, k, score_column) > threshold
        return above if class_column < 0 else above & (data(b, k, class_column) >= 0)

    flags = computed(name, data.shape[:2], is_valid, name="is_valid")
    counts, places = true_first("get_valid_counts", flags)
    return [counts, _front(name, data, places), places]


def non_max_suppression(
    data: te.Tensor,
    valid_count: te.Tensor,
    indices: te.Tensor,
    max_output_size: Any = -1,
    iou_threshold: Any = 0.5,
    force_suppress: bool = False,
    top_k: int = -1,
    coord_start: int = 2,
    score_index: int = 1,
    id_index: int = 0,
    return_indices: bool = True,
    invalid_to_bottom: bool = False,
) -> Any:
    """The boxes that do not overlap much with a better one of the same class.

    `data` has the shape (batch, boxes, columns), of which the first `valid_count[b]` rows count;
    four columns from `coord_start` on are two opposite corners, `score_index` is the score and
    `id_index` the class. Boxes are taken from the highest score on, the first `top_k`, those with
    a score above 0; one is dropped if its overlap (intersection over union) with one that is kept
    is at least `iou_threshold`, and once `max_output_size` are kept. Both -1 are no limit. With
    `force_suppress`, or with -1 for `id_index`, classes do not count. With a threshold that is not
    above 0, all boxes stay, in the order of the data, whatever the other limits.

    With `return_indices`, the result is a list: the elements of `indices` at the boxes, which are
    (batch, boxes), in front of -1; and how many there are, (batch, 1); both int32. Else it is the
    rows themselves, in the order of scores, with rows of -1 in the place of those dropped, or, with
    `invalid_to_bottom`, behind.

    >>> A, n = te.placeholder((2, 100, 6), name="A"), te.placeholder((2,), "int32", name="n")
    >>> at = te.placeholder((2, 100), "int32", name="at")
    >>> [one.shape for one in non_max_suppression(A, n, at)]
    [(2, 100), (2, 1)]
    """
    name = "vision.non_max_suppression"
    known = [
        ("coord_start", coord_start, 0),
        ("score_index", score_index, 0),
        ("id_index", id_index, -1),
    ]
    first, score, class_column = _columns_of(name, data, known)
    if first + 4 > data.shape[2]:
        raise wrong(name, "coord_start", f"is {first}, but data is {shown(data)}")
    positions(name, "valid_count", a_tensor(name, "valid_count", valid_count, 1))
    if not same(valid_count.shape[0], data.shape[0]):
        raise wrong(name, "valid_count", f"is {shown(valid_count)}, but data is {shown(data)}")
    gives_indices = a_flag(name, "return_indices", return_indices)
    of_all = a_flag(name, "force_suppress", force_suppress)
    if gives_indices:
        positions(name, "indices", a_tensor(name, "indices", indices, 2))
        if not te.same_extents(indices.shape, data.shape[:2]):
            raise wrong(name, "indices", f"is {shown(indices)}, but data is {shown(data)}")
    most = an_integer(name, "top_k", top_k)
    limit = _setting(name, "max_output_size", max_output_size, "int32")
    threshold = _setting(name, "iou_threshold", iou_threshold, precise(data.dtype))
    scores = computed(name, data.shape[:2], lambda b, k: data(b, k, score), name="scores")
    order = argsort(scores, valid_count, 1, False, "int32")
    to_front = a_flag(name, "invalid_to_bottom", invalid_to_bottom) or gives_indices
    columns = _Columns(first, score, -1 if of_all else class_column)
    places, counts = _suppressed(
        (data, valid_count, order), columns, limit, threshold, most, to_front
    )
    if not gives_indices:
        return _front(name, data, places)

    def index(b: Any, k: Any) -> Any:
        place = places(b, k)
        found = indices(b, te.bounded(place, 0, data.shape[1])).astype("int32")
        return te.if_then_else(place >= 0, found, te.const(-1))

    numbers = computed(name, [data.shape[0], 1], lambda b, _: counts(b), name="valid_box_count")
    return [computed(name, data.shape[:2], index, name="box_indices"), numbers]


class _Columns(NamedTuple):
    """Where in a row the corners begin, the score and the class are; -1 if there is no class."""

    corners: int
    score: int
    of_class: int


def _candidates(element: Callable[[Any, int], Any], columns: _Columns, bound: Any) -> Candidates:
    """The rows of a batch as candidates; `element(k, column)` is one of the k-th row."""

    def are_rivals(k: Any, j: Any) -> Any:
        return element(k, columns.of_class) == element(j, columns.of_class)

    return Candidates(
        lambda k: [element(k, columns.corners + c).astype(bound.dtype) for c in range(4)],
        lambda k: element(k, columns.score) > 0,
        None if columns.of_class < 0 else are_rivals,
        lambda shared: shared >= bound,
    )


def _suppressed(
    given: tuple[te.Tensor, te.Tensor, te.Tensor],
    columns: _Columns,
    limit: _Setting,
    threshold: _Setting,
    most: int,
    to_front: bool,
) -> tuple[te.Tensor, te.Tensor]:
    """The positions of the rows that are kept, or -1, and how many they are."""
    data = given[0]
    batch, extent = data.shape[:2]
    inputs = [*given, *(one.tensor for one in (limit, threshold) if one.tensor is not None)]

    @over_buffers
    def body(ib: Any, *pointers: Any) -> None:
        *read, places, counts = pointers
        rows, valid, order = read[:3]
        buffers = dict(zip(inputs, read, strict=True))
        at_most = limit.read(buffers).astype("int32")
        dtype = precise(data.dtype)
        bound = threshold.read(buffers).astype(dtype)
        with ib.for_range(0, batch, "b") as b:
            with ib.for_range(0, extent, "k") as k:
                places[b, k] = -1
            inside = te.min(valid[b].astype("int32"), te.multiply(extent, 1).astype("int32"))
            number = ib.let("valid", te.max(inside, 0))
            end = ib.let("end", te.min(number, most) if most > 0 else number)

            def element(k: Any, column: int, b: Any = b) -> Any:
                return rows[b, order[b, k], column]

            def keep(k: Any, n: Any, b: Any = b) -> None:
                places[b, n if to_front else k] = order[b, k]

            candidates = _candidates(element, columns, bound)
            with ib.if_scope(bound > 0):
                counts[b] = choose(ib, candidates, extent, end, at_most, keep)[()]
            with ib.else_scope():
                with ib.for_range(0, number, "k") as k:
                    places[b, k] = k
                counts[b] = number

    places, counts = te.extern(
        [(batch, extent), (batch,)], inputs, body, name="suppressed", dtype=["int32", "int32"]
    )
    return places, counts


def all_class_non_max_suppression(
    boxes: te.Tensor,
    scores: te.Tensor,
    max_output_boxes_per_class: Any,
    iou_threshold: Any,
    score_threshold: Any,
    output_format: str = "onnx",
    output_shape: Any = None,
) -> list[te.Tensor]:
    """Non-maximum suppression of each class alone, as ONNX's NonMaxSuppression.

    `boxes` has the shape (batch, boxes, 4), two opposite corners, and `scores` (batch, classes,
    boxes). Boxes of a score above `score_threshold` are taken, the best first; one is dropped whose
    overlap with one that is kept is above `iou_threshold`, and once `max_output_boxes_per_class`
    are kept, of which below 1 keeps none. The three are numbers, or tensors of one element.

    With "onnx", the result is rows (batch, class, box), (batch * classes * boxes, 3), and how many
    of them there are, (1,). With "tensorflow", it is rows (class, box) for each batch, (batch,
    classes * boxes, 2), their scores, and how many there are, (batch,). Rows behind these are 0.
    Numbers are int64. `output_shape` is accepted as TVM's, and says nothing here.

    >>> A, p = te.placeholder((1, 100, 4), name="A"), te.placeholder((1, 3, 100), name="p")
    >>> [one.shape for one in all_class_non_max_suppression(A, p, 10, 0.5, 0.0)]
    [(300, 3), (1,)]
    """
    name = "vision.all_class_non_max_suppression"
    of_kind(name, "boxes", a_tensor(name, "boxes", boxes, 3), "float")
    of_kind(name, "scores", a_tensor(name, "scores", scores, 3), "float")
    if not same(boxes.shape[2], 4):
        raise wrong(name, "boxes", f"is {shown(boxes)}, whose rows are no two corners")
    if not te.same_extents([scores.shape[0], scores.shape[2]], boxes.shape[:2]):
        raise wrong(name, "scores", f"is {shown(scores)}, but boxes is {shown(boxes)}")
    settings = [
        _setting(name, "max_output_boxes_per_class", max_output_boxes_per_class, "int32"),
        _setting(name, "iou_threshold", iou_threshold, precise(boxes.dtype)),
        _setting(name, "score_threshold", score_threshold, scores.dtype),
    ]
    of_batch = one_of(name, "output_format", output_format, ("onnx", "tensorflow")) != "onnx"
    if output_shape is not None:
        as_extents(name, "output_shape", output_shape)
    affine_total(name, "scores", scores, scores.shape[int(of_batch) :])
    order = argsort(scores, None, 2, False, "int32")
    rows, numbers = _per_class((boxes, scores, order), settings, of_batch)
    if not of_batch:
        return [rows, numbers]

    def score(b: Any, k: Any) -> Any:
        of_class = te.bounded(rows(b, k, 0), 0, scores.shape[1])
        found = scores(b, of_class, te.bounded(rows(b, k, 1), 0, scores.shape[2]))
        return te.if_then_else(k < numbers(b), found, te.const(0, scores.dtype))

    return [rows, computed(name, rows.shape[:2], score, name="selected_scores"), numbers]


def _per_class(
    given: tuple[te.Tensor, te.Tensor, te.Tensor], settings: list[_Setting], of_batch: bool
) -> tuple[te.Tensor, te.Tensor]:
    """The rows of boxes that are kept, together or for each batch, and how many they are."""
    batch, classes, extent = given[1].shape
    inputs = [*given, *(one.tensor for one in settings if one.tensor is not None)]
    lines = classes * extent
    shapes = [(batch, lines, 2), (batch,)] if of_batch else [(batch * lines, 3), (1,)]

    @over_buffers
    def body(ib: Any, *pointers: Any) -> None:
        *read, rows, counts = pointers
        corners, score, order = read[:3]
        buffers = dict(zip(inputs, read, strict=True))
        limit, bound, least = (one.read(buffers) for one in settings)
        limit = te.max(limit.astype("int32"), 0)
        dtype = precise(given[0].dtype)
        bound = bound.astype(dtype)
        _zero(ib, rows, shapes[0])
        _zero(ib, counts, shapes[1])
        with ib.for_range(0, batch, "b") as b, ib.for_range(0, classes, "c") as c:

            def place(k: Any, b: Any = b, c: Any = c) -> Any:
                return order[b, c, k]

            def keep(k: Any, n: Any, b: Any = b, c: Any = c) -> None:
                counter = b if of_batch else 0
                number = ib.let("line", counts[counter])
                at = (b, number) if of_batch else (number,)
                for column, one in enumerate([c, place(k)] if of_batch else [b, c, place(k)]):
                    rows[(*at, column)] = te.multiply(one, 1).astype("int64")
                counts[counter] = number + 1

            candidates = Candidates(
                lambda k, b=b: [corners[b, place(k), side].astype(dtype) for side in range(4)],
                lambda k, b=b, c=c: score[b, c, place(k)] > least,
                None,
                lambda shared: shared > bound,
            )
            choose(ib, candidates, extent, extent, limit, keep)

    rows, counts = te.extern(shapes, inputs, body, name="selected", dtype=["int64", "int64"])
    return rows, counts


def _zero(ib: Any, buffer: Any, extents: Sequence[Any]) -> None:
    def note(at: list[Any]) -> None:
        buffer[tuple(at)] = te.const(0, "int64")

    each_point(ib, list(extents), note)
