"""`te.scan`: tensors that are computed step by step along their first axis."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any, overload

from teloom.errors import Error
from teloom.frontend.compute.equations import compute
from teloom.frontend.expr.expressions import Const, Expr, IfThenElse, Var, walk
from teloom.frontend.expr.names import checked_text
from teloom.frontend.tensor.conditions import if_then_else
from teloom.frontend.tensor.shape_forms import ShapeForms, same_extents
from teloom.frontend.tensor.tags import tag_of
from teloom.frontend.tensor.tensors import (
    IterType,
    IterVar,
    PlaceholderOp,
    Range,
    ScanOp,
    Tensor,
    TensorSlice,
)


@overload
def scan(
    init: Tensor,
    update: Tensor,
    state_placeholder: Tensor,
    inputs: Tensor | Sequence[Tensor] | None = None,
    name: str = "scan",
    tag: str = "",
    attrs: dict[str, Any] | None = None,
) -> Tensor: ...


@overload
def scan(
    init: Sequence[Tensor],
    update: Sequence[Tensor],
    state_placeholder: Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor] | None = None,
    name: str = "scan",
    tag: str = "",
    attrs: dict[str, Any] | None = None,
) -> list[Tensor]: ...


def scan(
    init: object,
    update: object,
    state_placeholder: object,
    inputs: object = None,
    name: str = "scan",
    tag: str = "",
    attrs: dict[str, Any] | None = None,
) -> Tensor | list[Tensor]:
    """The tensor of a recurrence over its first axis, or a list of tensors of several.

    `state_placeholder` stands for the result and has its shape. `init` has the elements of the
    first steps; its first extent is their number. `update`, of the shape of the result, has those
    of all other steps, and reads the state at earlier times. Several states have the same times.
    If they differ in their shapes, the axes of the scan are the first ones that all have in
    common. If they differ in these or in the numbers of their first steps, each result is computed
    by a step of its own, `NAME.STATE`, which takes elements of the init or of the update. `inputs`
    may name tensors that the updates read; it has no effect.
    Raises `teloom.Error` where these rules are broken. Source: TVM's te.scan.

    >>> from teloom import te
    >>> m, n = te.var("m"), te.var("n")
    >>> X, S = te.placeholder((m, n), name="X"), te.placeholder((m, n), name="S")
    >>> first = te.compute((1, n), lambda t, i: X[t, i], name="first")
    >>> following = te.compute((m, n), lambda t, i: S[t - 1, i] + X[t, i], name="following")
    >>> te.scan(first, following, S, name="sums")
    Tensor(shape=[m, n], dtype=float32, name=sums)
    """
    checked_text(name, "name of scan")
    inits, updates, states = (
        _tensors(given, word, name)
        for given, word in ((init, "init"), (update, "update"), (state_placeholder, "state"))
    )
    if not len(inits) == len(updates) == len(states) > 0:
        raise Error(
            f"{name!r} has {len(inits)} inits, {len(updates)} updates and {len(states)} states; "
            "there must be one of each for every result"
        )
    for one, following, state in zip(inits, updates, states, strict=True):
        _check_state(one, following, state, name)
    _check_times(states, name)
    count = _common_axes(states)
    extents = states[0].extents[:count]
    names = ["idx", *(f"i{number}" for number in range(1, len(extents)))]
    kinds = [IterType.ORDERED, *[IterType.DATA_PAR] * (len(extents) - 1)]
    axes = [
        IterVar(axis, Range(Const(0, "int32"), extent), kind)
        for axis, extent, kind in zip(names, extents, kinds, strict=True)
    ]
    read = _tensors(inputs, "input", name) if inputs is not None else []
    differ = not _are_one([init.extents[0] for init in inits])
    begins_in_steps = differ or any(state.ndim > count for state in states)
    if begins_in_steps:
        parts = zip(inits, updates, states, strict=True)
        updates = [_by_time(*part, name) for part in parts]
    tag = tag_of(tag, name)
    op = ScanOp(name, axes, inits, updates, states, read, tag, attrs, begins_in_steps)
    return list(op.outputs) if op.num_outputs > 1 else op.output(0)


def _tensors(given: object, word: str, name: str) -> list[Tensor]:
    tensors: list[Tensor] = []
    for one in given if isinstance(given, list | tuple) else [given]:
        if not isinstance(one, Tensor):
            raise Error(f"{word} {one!r} of {name!r} is no tensor")
        tensors.append(one)
    return tensors


def _check_state(init: Tensor, update: Tensor, state: Tensor, name: str) -> None:
    if not isinstance(state.op, PlaceholderOp):
        raise Error(f"the state {state.name} of {name!r} is computed; it must be a te.placeholder")
    if not state.extents:
        raise Error(f"the state {state.name} of {name!r} has no axis, so there is no time")
    for tensor, word in ((init, "init"), (update, "update")):
        if tensor.dtype != state.dtype:
            raise Error(
                f"{word} {tensor.name} of {name!r} is {tensor.dtype}, its state {state.name} is "
                f"{state.dtype}"
            )
    if not init.extents:
        raise Error(f"the init {init.name} of {name!r} has no axis, so there is no time")
    _check_affine((update, init, state), name)
    _check_shapes(update, update.extents, state, state.extents, name)
    _check_shapes(init, init.extents[1:], state, state.extents[1:], name)


def _check_times(states: Sequence[Tensor], name: str) -> None:
    for position, state in enumerate(states):
        if state in states[:position]:
            raise Error(f"{state.name} is the state of two results of {name!r}")
        _check_shapes(state, state.extents[:1], states[0], states[0].extents[:1], name)


def _common_axes(states: Sequence[Tensor]) -> int:
    """The number of first axes that all states have in common."""
    sides = zip(*(state.extents for state in states))
    return sum(1 for _ in takewhile(_are_one, sides))


def _are_one(extents: Sequence[Expr]) -> bool:
    return same_extents(extents, [extents[0]] * len(extents))


def _by_time(init: Tensor, update: Tensor, state: Tensor, name: str) -> Tensor:
    """The elements of the init at its times, and those of the update at later ones."""

    def element(time: IterVar, *others: IterVar) -> Expr:
        at = (time, *others)
        return if_then_else(time < init.extents[0], init[at], update[at])

    return compute(state.extents, element, name=f"{name}.{state.name}")


def later_steps(op: ScanOp) -> list[Tensor]:
    """The elements of a scan at later times than those of its inits, as they were given."""
    if not op.begins_in_steps:
        return op.updates
    found: list[Tensor] = []
    for one in op.updates:
        (choice,) = one.op.body
        assert isinstance(choice, IfThenElse)
        assert isinstance(choice.else_value, TensorSlice)
        found.append(choice.else_value.tensor)
    return found


def _check_affine(tensors: Sequence[Tensor], name: str) -> None:
    """Raises `teloom.Error` unless all extents are affine in sizes."""
    extents = [extent for one in tensors for extent in one.extents]
    sizes = [expr for expr in walk((*extents,)) if isinstance(expr, Var)]
    ShapeForms(sizes).extents(extents, name)


def _check_shapes(
    one: Tensor, extents: Sequence[Expr], other: Tensor, wanted: Sequence[Expr], name: str
) -> None:
    """Raises `teloom.Error` unless these extents of two tensors are the same."""
    if not same_extents(extents, wanted):
        found, needed = (f"[{', '.join(map(str, side))}]" for side in (extents, wanted))
        raise Error(
            f"{one.name} of {name!r} has the extents {found} where {other.name} has {needed}"
        )
