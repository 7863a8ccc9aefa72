"""The steps of the scans of a program: the operations that read a state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter

from teloom.errors import Error
from teloom.frontend.tensor.read_graph import post_dfs_order, read_graph
from teloom.frontend.tensor.tensors import ComputeOp, ExternOp, Operation, ScanOp, Tensor

Step = ComputeOp | ExternOp

Steps = Mapping[Step, ScanOp]

Producer = Callable[[Tensor], Operation]
"""Gives the operation that computes a tensor."""

OWN: Producer = attrgetter("op")
"""The one that computes it where commands have changed nothing."""


def scan_of_states(operations: Sequence[Operation]) -> dict[Tensor, ScanOp]:
    """The scans among `operations` by their states; raises `teloom.Error` for a shared state."""
    found: dict[Tensor, ScanOp] = {}
    for scan in (op for op in operations if isinstance(op, ScanOp)):
        for state in scan.states:
            if state in found:
                raise Error(
                    f"{state.name} is the state of two scans, {found[state].name} and {scan.name}; "
                    "give each a placeholder of its own"
                )
            found[state] = scan
    return found


def steps_of_scans(operations: Sequence[Operation], producer: Producer = OWN) -> dict[Step, ScanOp]:
    """The steps among `operations`, which are in topological order, with their scans.

    Raises `teloom.Error` for a step that is neither an equation nor code at each point, or that
    belongs to two scans.
    """
    scan_of = scan_of_states(operations)
    steps: dict[Operation, ScanOp] = {}

    def scans_in(tensors: Sequence[Tensor]) -> list[ScanOp]:
        found = (scan_of.get(one) or steps.get(producer(one)) for one in tensors)
        return list(dict.fromkeys(scan for scan in found if scan is not None))

    for op in operations:
        if isinstance(op, ScanOp):
            _check_scan(op, scans_in(op.inits), scans_in(op.updates))
        elif found := scans_in(op.input_tensors):
            _check_step(op, found)
            steps[op] = found[0]
    return {op: scan for op, scan in steps.items() if isinstance(op, Step)}


def _check_scan(scan: ScanOp, of_inits: Sequence[ScanOp], of_updates: Sequence[ScanOp]) -> None:
    if scan in of_inits:
        raise Error(f"the init of {scan.name} depends on its state, which begins with the init")
    for other in (*of_inits, *of_updates):
        if other is not scan:
            raise Error(
                f"{scan.name} depends on the state of {other.name}: a scan cannot be a step of "
                "another"
            )


def _check_step(op: Operation, scans: Sequence[ScanOp]) -> None:
    names = " and ".join(scan.name for scan in scans)
    if isinstance(op, ExternOp) and not op.axis:
        raise Error(
            f"{op.name} depends on the state of {names}, which has only the elements of earlier "
            "steps, but is an extern of all times; code that runs at each time gets its inputs as "
            "a function of it, as in te.extern(shape, lambda t: [state[t - 1]], ...)"
        )
    if not isinstance(op, Step) or not op.axis:
        raise Error(
            f"{op.name} depends on the state of {names}, which has only the elements of earlier "
            "steps; a step is an equation, or code that runs at each time"
        )
    if len(scans) > 1:
        raise Error(f"{op.name} depends on the states of {names}; a step is one of one scan")


def check_steps(outputs: Sequence[Operation], steps: Steps) -> None:
    """Raises `teloom.Error` for a step that is read from outside, or is an output."""
    for scan in dict.fromkeys(steps.values()):
        inside = post_dfs_order((update.op for update in scan.updates), read_graph([scan]))
        for op in steps:
            if steps[op] is scan and op not in inside:
                raise Error(
                    f"{op.name} reads the state of {scan.name}, or what is computed from it, but "
                    f"is none of its steps; read {scan.name} itself"
                )
    for op in outputs:
        if isinstance(op, Step) and op in steps:
            raise Error(
                f"{op.name} is one of the steps of {steps[op].name}, of which only the last is "
                f"kept; {steps[op].name} is what can be an output"
            )


def scan_body(op: Operation) -> list[Operation]:
    """The operations that are the steps of a scan, in topological order.

    The scan itself is the last. Raises `teloom.Error` for any other operation. Source: TVM's
    ScanGetBody.

    >>> from teloom import te
    >>> X, S = te.placeholder((8,), name="X"), te.placeholder((8,), name="S")
    >>> first = te.compute((1,), lambda t: X[t], name="first")
    >>> following = te.compute((8,), lambda t: S[t - 1] + X[t], name="following")
    >>> scan_body(te.scan(first, following, S).op)
    [ComputeOp(following), ScanOp(scan)]
    """
    if not isinstance(op, ScanOp):
        raise Error(f"{op!r} is no scan")
    steps = steps_of_scans(post_dfs_order([op], read_graph([op])))
    return [*(step for step, scan in steps.items() if scan is op), op]
