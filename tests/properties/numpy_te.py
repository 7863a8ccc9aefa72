"""The meaning of a generated program once more, by NumPy over all points of a stage at a time.

A body's text is evaluated here with `te` standing for `Points`, tensors for `Reader`s and
axes for open grids of their subscripts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from properties.program import Program, Stage


@dataclass
class Evaluated:
    """Every tensor of a program; `magnitude` bounds what was added up in one fold of floats."""

    tensors: dict[str, np.ndarray]
    magnitude: float = 1.0
    begins: dict[str, Sequence[int]] = field(default_factory=dict)


def evaluate(program: Program, arrays: Sequence[np.ndarray]) -> Evaluated:
    """The tensors that the program computes from the values of its inputs."""
    names = [tensor.name for tensor in program.inputs]
    evaluated = Evaluated(dict(zip(names, arrays, strict=True)))
    with np.errstate(all="ignore"):
        for stage in program.stages:
            add = _add_update if stage.start else _add_stage
            add(stage, program.sizes, evaluated)
    return evaluated


def _add_stage(stage: Stage, sizes: Mapping[str, int], evaluated: Evaluated) -> None:
    axes = [*stage.axes, *(name for name, _ in stage.reduce_axes)]
    extents = [extent.value for extent in stage.extents]
    points = Points([*extents, *(extent.value for _, extent in stage.reduce_axes)], len(extents))
    grids = np.indices(points.extents, sparse=True) if axes else ()
    names: dict[str, Any] = {
        name: Reader(array, evaluated.begins.get(name, ()))
        for name, array in evaluated.tensors.items()
    }
    names |= sizes
    names |= {"te": points, "argmax": points.argmax, **dict(zip(axes, grids, strict=True))}
    for name, (lower, upper) in stage.bounds.items():
        inside = (eval(lower, names) <= names[name]) & (names[name] < eval(upper, names))
        points.inside = points.inside & inside
    values = eval(stage.body, names)
    values = values if isinstance(values, tuple) else (values,)
    for result, value in zip(stage.results, values, strict=True):
        array = np.array(np.broadcast_to(value, extents))
        assert array.dtype == result.dtype, f"{result.name} is {array.dtype}, not {result.dtype}"
        evaluated.tensors[result.name] = array
        evaluated.begins[result.name] = result.begins
        points.note(array)
    evaluated.magnitude = max(evaluated.magnitude, points.magnitude)


def _add_update(stage: Stage, sizes: Mapping[str, int], evaluated: Evaluated) -> None:
    """Runs through the points of an update, one by one."""
    (result,) = stage.results
    array = evaluated.tensors[stage.start].copy()
    points = Points([], 0)
    names: dict[str, Any] = {name: Reader(one) for name, one in evaluated.tensors.items()}
    names |= {**sizes, "te": points, "h": Reader(array)}
    code, limits = compile(stage.body, stage.name, "eval"), stage.bounds.items()
    for point in np.ndindex(*(extent.value for _, extent in stage.reduce_axes)):
        known = names | {name: at for (name, _), at in zip(stage.reduce_axes, point, strict=True)}
        if not all(eval(a, known) <= known[one] < eval(b, known) for one, (a, b) in limits):
            continue
        index, value = eval(code, known)
        array[index] = value
        points.note(np.asarray(array[index]))
    evaluated.tensors[result.name] = array
    evaluated.magnitude = max(evaluated.magnitude, points.magnitude)


class Reader:
    """A tensor that is read at arrays of subscripts.

    A subscript outside is clipped: generated programs read outside only where a condition
    drops what was read.
    """

    def __init__(self, array: np.ndarray, begins: Sequence[int] = ()):
        self.array, self.begins = array, begins

    def __getitem__(self, subscripts):
        listed = subscripts if isinstance(subscripts, tuple) else (subscripts,)
        if self.begins:
            listed = [one - begin for one, begin in zip(listed, self.begins, strict=True)]
        if 0 in self.array.shape:
            return np.zeros((1,) * max((np.ndim(s) for s in listed), default=0), self.array.dtype)
        limits = zip(listed, self.array.shape, strict=True)
        return self.array[tuple(np.clip(subscript, 0, extent - 1) for subscript, extent in limits)]


@dataclass
class Points:
    """The te functions over a stage's points: `extents` of all axes, the data axes first.

    Those that are not `inside` the bounds of reduce axes do not count.
    """

    extents: Sequence[int]
    data_axes: int
    inside: Any = True
    magnitude: float = field(default=0.0)

    exp = staticmethod(np.exp)
    tanh = staticmethod(np.tanh)
    abs = staticmethod(np.abs)
    select = staticmethod(np.where)
    if_then_else = staticmethod(np.where)

    def all(self, *conditions):
        return np.logical_and.reduce(np.broadcast_arrays(*conditions))

    def sum(self, value, axis, where=True, init=0):
        value = self._over_reduce_axes(np.where(where & self.inside, value, value.dtype.type(0)))
        # The init is open along the reduce axes, like all that is read.
        start = np.asarray(init, value.dtype).reshape(np.shape(init)[: self.data_axes])
        self.note(np.abs(value.astype(np.float64)).sum(-1) + np.abs(start))
        return value.sum(-1, dtype=value.dtype) + start

    def max(self, value, other=None, axis=None, where=True):
        if other is not None:
            return np.maximum(value, other)
        nothing = neutral(value.dtype, -1)
        return self._over_reduce_axes(np.where(where & self.inside, value, nothing)).max(
            -1, initial=nothing
        )

    def min(self, value, other=None, axis=None, where=True):
        if other is not None:
            return np.minimum(value, other)
        nothing = neutral(value.dtype, 1)
        return self._over_reduce_axes(np.where(where & self.inside, value, nothing)).min(
            -1, initial=nothing
        )

    def argmax(self, pair, axis):
        index, value = map(self._over_reduce_axes, pair)
        best = value.max(-1, initial=lowest(value.dtype))
        where = value == best[..., None]
        return index.min(-1, initial=highest(index.dtype), where=where), best

    def note(self, values: np.ndarray) -> None:
        """Takes values into account for `magnitude`."""
        finite = values[np.isfinite(values)].astype(np.float64)
        self.magnitude = max(self.magnitude, np.abs(finite).max(initial=0.0))

    def _over_reduce_axes(self, value) -> np.ndarray:
        """A value at every point, with the reduce axes as one last axis."""
        data = self.extents[: self.data_axes]
        count = int(np.prod(self.extents[self.data_axes :], dtype=int))
        return np.broadcast_to(value, self.extents).reshape([*data, count])


def neutral(dtype, sign: int):
    """What a minimum (sign 1) or maximum (sign -1) of nothing is."""
    if np.dtype(dtype).kind == "f":
        return np.dtype(dtype).type(sign * np.inf)
    return np.dtype(dtype).type(highest(dtype) if sign > 0 else lowest(dtype))


def lowest(dtype):
    """The least finite value."""
    return (np.finfo if np.dtype(dtype).kind == "f" else np.iinfo)(dtype).min


def highest(dtype):
    """The greatest finite value."""
    return (np.finfo if np.dtype(dtype).kind == "f" else np.iinfo)(dtype).max
