"""The tensors of a scan while the reference interpreter runs through its steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from teloom.backend.interpreter.scalars import Lanes, Undefined

Subscripts = tuple[Lanes, ...]


class OnDemand:
    """A tensor of a step whose elements are evaluated when they are first read.

    An element that nothing reads may depend on what no step has computed yet. `evaluate` takes
    points, by axis, and their count, and returns all results of the equation; `number` says which
    of them is this tensor.
    """

    def __init__(
        self,
        extents: Sequence[int],
        dtype: np.dtype,
        evaluate: Callable[[int, list[Lanes]], list[Lanes]],
        number: int,
    ):
        self.shape = tuple(extents)
        self.values, self._known = np.zeros(extents, dtype), np.zeros(extents, bool)
        self._evaluate, self._number = evaluate, number

    def __getitem__(self, subscripts: Subscripts) -> Lanes:
        missing = np.atleast_1d(~self._known[subscripts])
        if missing.any():
            points = [np.broadcast_to(one, missing.shape)[missing] for one in subscripts]
            if points:
                points = list(np.unique(np.stack(points), axis=1))
            found = self._evaluate(len(points[0]) if points else 1, points)[self._number]
            self.values[tuple(points)] = found if points else found[0]
            self._known[tuple(points)] = True
        return self.values[subscripts]


class State:
    """A result of a scan; the steps so far have computed the times below `now`."""

    def __init__(self, name: str, values: np.ndarray):
        self.name, self.values = name, values
        self.shape, self.now = values.shape, 0

    def __getitem__(self, subscripts: Subscripts) -> Lanes:
        times = np.atleast_1d(subscripts[0])
        late = times >= self.now
        if late.any():
            lane = int(late.argmax())
            raise Undefined(
                f"step {self.now} reads {self.name} at time {times[lane]}, not before its own,",
                lane,
            )
        return self.values[subscripts]


Elements = np.ndarray | OnDemand | State


def contiguous(tensor: Elements) -> Elements:
    """A tensor whose elements lie row-major, without gaps."""
    return np.asarray(tensor, order="C") if isinstance(tensor, np.ndarray) else tensor


def memory_of(tensor: Elements, parts: Sequence[range]) -> np.ndarray:
    """The memory of a tensor, in which the elements of a box are there."""
    if isinstance(tensor, np.ndarray):
        return tensor
    if all(parts):
        _ = tensor[tuple(axis.ravel() for axis in np.meshgrid(*parts, indexing="ij"))]
    return tensor.values


def run_steps(
    states: Sequence[State],
    until: int,
    inits: Sequence[Elements],
    updates: Sequence[Elements],
    points: Sequence[Sequence[Lanes]],
) -> None:
    """Computes the states, one time after the other.

    `points` are those of the axes of each state but time. `inits` give the times below `until`.
    Raises `Undefined` if they have too few.
    """
    counts = [len(axes[0]) if axes else 1 for axes in points]
    for time in range(states[0].shape[0] if any(counts) else 0):
        places = [
            (np.full(count, time, np.int64), *axes)
            for count, axes in zip(counts, points, strict=True)
        ]
        given = inits if time < until else updates
        new = [
            _elements(tensor, at) if count else None
            for tensor, at, count in zip(given, places, counts, strict=True)
        ]
        for state, at, values in zip(states, places, new, strict=True):
            if values is not None:
                state.values[at] = values
            state.now = time + 1


def _elements(tensor: Elements, at: Subscripts) -> Lanes:
    for axis, (subscript, extent) in enumerate(zip(at, tensor.shape, strict=True)):
        if subscript.max() >= extent:
            raise Undefined(f"subscript {axis} is {extent}, outside the extent {extent},", 0)
    return tensor[at]
