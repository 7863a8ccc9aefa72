"""The read graph of a program: which operation reads which tensors; its orders and subgraphs.

Source: TVM's te/schedule/graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from teloom.errors import Error
from teloom.frontend.kinds import checked_kind, checked_list
from teloom.frontend.tensor.tensors import Operation, Tensor

ReadGraph = Mapping[Operation, Sequence[Tensor]]

_GRAPH = "what te.schedule.CreateReadGraph gives"


def read_graph(ops: Iterable[Operation]) -> dict[Operation, list[Tensor]]:
    """The tensors that each operation reads, for `ops` and all that they depend on.

    >>> from teloom import te
    >>> A = te.placeholder((4,), name="A")
    >>> B = te.compute((4,), lambda i: A[i] + 1, name="B")
    >>> read_graph([B.op])[B.op]
    [Tensor(shape=[4], dtype=float32, name=A)]
    """
    graph: dict[Operation, list[Tensor]] = {}
    pending = checked_list(ops, Operation, "ops of a read graph", "operations")
    while pending:
        op = pending.pop()
        if op not in graph:
            graph[op] = op.input_tensors
            pending.extend(tensor.op for tensor in graph[op])
    return graph


def feed_graph(graph: ReadGraph) -> dict[Tensor, list[Operation]]:
    """The operations that read each tensor: the read graph the other way round.

    Raises `teloom.Error` for what is no read graph.

    >>> from teloom import te
    >>> A = te.placeholder((4,), name="A")
    >>> B = te.compute((4,), lambda i: A[i] + 1, name="B")
    >>> feed_graph(read_graph([B.op]))[A]
    [ComputeOp(B)]
    """
    _check(graph)
    fed: dict[Tensor, list[Operation]] = {}
    for op, tensors in graph.items():
        for tensor in tensors:
            fed.setdefault(tensor, []).append(op)
    return fed


def post_dfs_order(outputs: Iterable[Operation], graph: ReadGraph) -> list[Operation]:
    """`outputs` and all operations that they depend on, in topological order.

    Raises `teloom.Error` for what is no read graph of them.

    >>> from teloom import te
    >>> A = te.placeholder((4,), name="A")
    >>> B = te.compute((4,), lambda i: A[i] + 1, name="B")
    >>> post_dfs_order([B.op], read_graph([B.op]))
    [PlaceholderOp(A), ComputeOp(B)]
    """
    known = checked_list(outputs, Operation, "outputs", "operations")
    _check(graph)
    ordered: dict[Operation, None] = {}
    pending = [(op, False) for op in reversed(known)]
    while pending:
        op, inputs_done = pending.pop()
        if op in ordered:
            continue
        if inputs_done:
            ordered[op] = None
            continue
        if op not in graph:
            raise Error(f"graph has no {op}; it must be {_GRAPH} of all outputs")
        pending.append((op, True))
        pending.extend((tensor.op, False) for tensor in reversed(graph[op]))
    return list(ordered)


def _check(graph: ReadGraph) -> None:
    """Raises `teloom.Error` for what is no read graph."""
    for op, tensors in checked_kind(graph, Mapping, "graph", _GRAPH).items():
        checked_kind(op, Operation, "graph", _GRAPH)
        checked_list(tensors, Tensor, f"what {op} reads in the graph", "tensors")


def between(
    outputs: Sequence[Operation], inputs: Sequence[Operation], graph: ReadGraph
) -> list[Operation]:
    """The operations on paths from `inputs` to `outputs`, in topological order.

    Inputs are left out: a path begins behind the last input on it. Source: TVM's GetSubGraph.
    """
    cut: ReadGraph = {op: () if op in inputs else reads for op, reads in graph.items()}
    reached = set(inputs)
    found: list[Operation] = []
    for op in post_dfs_order(outputs, cut):
        if any(tensor.op in reached for tensor in cut[op]):
            reached.add(op)
            found.append(op)
    return found
