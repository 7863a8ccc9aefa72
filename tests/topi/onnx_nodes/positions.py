"""ONNX's gathers, scatters, orders and products, by those of topi."""

from topi.onnx_nodes.cases import Adapter, NodeCase

from teloom import te, topi

REDUCTIONS = {"none": "update", "add": "add", "mul": "mul", "min": "min", "max": "max"}


def gather(case: NodeCase) -> te.Tensor:
    at = case.tensor(1)
    return topi.take(case.tensor(0), at, case.attribute("axis", 0), mode="wrap")


def last_axis_first(at: te.Tensor) -> te.Tensor:
    """Indices as topi has them, whose first axis lists positions."""
    return topi.transpose(at, [at.ndim - 1, *range(at.ndim - 1)])


def gather_nd(case: NodeCase) -> te.Tensor:
    x, at, batch = case.tensor(0), case.tensor(1), case.attribute("batch_dims", 0)
    if not batch:
        return topi.gather_nd(x, last_axis_first(at))
    rows = [topi.arange(extent, dtype="int64") for extent in at.shape[:-1]]
    grids = topi.meshgrid(rows, "ij")[:batch]
    columns = topi.split(at, at.shape[-1], -1)
    places = [*grids, *(topi.squeeze(one, -1) for one in columns)]
    return topi.gather_nd(x, topi.stack(places, 0))


def scatter_elements(case: NodeCase) -> te.Tensor:
    x, at, updates = (case.tensor(k) for k in range(3))
    mode = REDUCTIONS[case.attribute("reduction", "none")]
    return topi.scatter_elements(x, at, updates, case.attribute("axis", 0), mode)


def scatter_nd(case: NodeCase) -> te.Tensor:
    x, at, updates = (case.tensor(k) for k in range(3))
    mode = REDUCTIONS[case.attribute("reduction", "none")]
    return topi.scatter_nd(x, last_axis_first(at), updates, mode)


def tensor_scatter(case: NodeCase) -> te.Tensor:
    """Rows of a cache along an axis, from a position for each batch on, at a ring's end again."""
    cache, update = case.tensor(0), case.tensor(1)
    axis = case.attribute("axis", -2) % cache.ndim
    offset = topi.arange(update.shape[axis], dtype="int64")
    batches = cache.shape[0]
    begin = case.tensor(2) if case.has(2) else topi.full((batches,), "int64", 0)
    rows = topi.expand_dims(begin, 1) + offset
    if case.attribute("mode", "linear") == "circular":
        rows = topi.floor_mod(rows, cache.shape[axis])
    shape = [1] * cache.ndim
    shape[0], shape[axis] = batches, update.shape[axis]
    places = topi.broadcast_to(topi.reshape(rows, shape), update.shape)
    return topi.scatter_elements(cache, places, update, axis)


def feature_columns(case: NodeCase) -> te.Tensor:
    return topi.take(case.tensor(0), case.tensor(1), -1)


def where_true(case: NodeCase) -> te.Tensor:
    (wanted,) = case.outputs
    found = topi.argwhere((wanted.shape[1], wanted.shape[0]), case.tensor(0))
    return topi.cast(topi.transpose(found), "int64")


def compressed(case: NodeCase) -> te.Tensor:
    x, condition, axis = case.tensor(0), case.tensor(1), case.attribute("axis")
    (wanted,) = case.outputs
    count = wanted.size if axis is None else wanted.shape[axis]
    at = topi.reshape(topi.argwhere((count, 1), condition), (count,))
    return topi.take(x, at, axis)


def distinct(case: NodeCase) -> list[te.Tensor]:
    """The results are as long as the data; here they are cut to what ONNX's are."""
    x = topi.reshape(case.tensor(0), (-1,))
    is_sorted = bool(case.attribute("sorted", 1))
    values, first, which, _, counts = topi.unique(x, is_sorted, True)
    results = [values, first, which, counts]
    lengths = [len(one) for one in case.outputs]
    found = [
        topi.strided_slice(one, [0], [length])
        for one, length in zip(results, lengths, strict=False)
    ]
    return [found[0], *(topi.cast(one, "int64") for one in found[1:])]


def greatest(case: NodeCase) -> list[te.Tensor]:
    (k,) = case.value(1)
    axis, is_least = case.attribute("axis", -1), not case.attribute("largest", 1)
    return topi.topk(case.tensor(0), k, axis, "both", is_least)


def matmul(a: te.Tensor, b: te.Tensor) -> te.Tensor:
    """NumPy's matmul: axes before the last two are repeated."""
    if a.ndim <= 2 and b.ndim <= 2:
        return topi.matmul(a, b)
    left = "k" if a.ndim == 1 else "...ik"
    right = "k" if b.ndim == 1 else "...kj"
    kept = "..." + "i" * (a.ndim > 1) + "j" * (b.ndim > 1)
    return topi.einsum(f"{left},{right}->{kept}", a, b)


def integer_matmul(case: NodeCase) -> te.Tensor:
    factors = []
    for k in (0, 1):
        factor = topi.cast(case.tensor(k), "int32")
        if case.has(k + 2):
            factor = factor - topi.cast(case.tensor(k + 2), "int32")
        factors.append(factor)
    return matmul(*factors)


def gemm(case: NodeCase) -> te.Tensor:
    transposed = bool(case.attribute("transA", 0)), bool(case.attribute("transB", 0))
    found = topi.matmul(case.tensor(0), case.tensor(1), *transposed)
    alpha, beta = case.attribute("alpha", 1.0), case.attribute("beta", 1.0)
    found = found if alpha == 1 else found * alpha
    if not case.has(2):
        return found
    summand = case.tensor(2)
    return found + (summand if beta == 1 else summand * beta)


POSITIONS: dict[str, Adapter] = {
    "ArrayFeatureExtractor": feature_columns,
    "Compress": compressed,
    "Einsum": lambda case: topi.einsum(case.attribute("equation"), *case.tensors()),
    "Gather": gather,
    "GatherElements": lambda case: topi.gather(
        case.tensor(0), case.attribute("axis", 0), case.tensor(1)
    ),
    "GatherND": gather_nd,
    "Gemm": gemm,
    "MatMul": lambda case: matmul(case.tensor(0), case.tensor(1)),
    "MatMulInteger": integer_matmul,
    "NonZero": where_true,
    "Scatter": scatter_elements,
    "ScatterElements": scatter_elements,
    "ScatterND": scatter_nd,
    "TensorScatter": tensor_scatter,
    "TopK": greatest,
    "Unique": distinct,
}
