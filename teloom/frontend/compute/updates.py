"""`te.update`: tensors that are changed element by element, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

from teloom.errors import Error
from teloom.frontend.compute.equations import check_no_reduction, domain_of
from teloom.frontend.expr.expressions import Expr, as_expr
from teloom.frontend.expr.names import checked_text
from teloom.frontend.kinds import signature_of, takes
from teloom.frontend.schedule.caches import Substitution
from teloom.frontend.tensor.reductions import as_condition
from teloom.frontend.tensor.shape_forms import same_extents
from teloom.frontend.tensor.tags import tag_of
from teloom.frontend.tensor.tensors import (
    INFERRED,
    IterVar,
    Tensor,
    check_leaves,
    subscript_expr,
)
from teloom.frontend.tensor.updates import (
    Until,
    UpdateBody,
    UpdateOp,
    Write,
    elements_of,
    state_of,
)

_FUNCTION = "a function of tensors and axes, as lambda H, i: ..."


@overload
def update(
    init: Tensor,
    axis: IterVar | Sequence[IterVar],
    fupdate: Callable[..., object],
    name: str = "update",
    reorderable: bool = False,
    until: Callable[..., object] | None = None,
    tag: str = "",
    attrs: dict[str, Any] | None = None,
    domain: Callable[..., object] | None = None,
) -> Tensor: ...


@overload
def update(
    init: Sequence[Tensor],
    axis: IterVar | Sequence[IterVar],
    fupdate: Callable[..., object],
    name: str = "update",
    reorderable: bool = False,
    until: Callable[..., object] | None = None,
    tag: str = "",
    attrs: dict[str, Any] | None = None,
    domain: Callable[..., object] | None = None,
) -> list[Tensor]: ...


def update(
    init: object,
    axis: object,
    fupdate: Callable[..., object],
    name: str = "update",
    reorderable: bool = False,
    until: Callable[..., object] | None = None,
    tag: str = "",
    attrs: dict[str, Any] | None = None,
    domain: Callable[..., object] | None = None,
) -> Tensor | list[Tensor]:
    """The tensor `init`, changed at the points of some reduce axes; a list of tensors for a list.

    The points come in lexicographic order, the first axis slowest. `fupdate(H, i, j, ...)` gets
    what stands for the tensor, or for each of them, and the axes. It returns `(index, value)`:
    H[index] becomes the value, which may be made of elements of H as they are before the point.
    `(index, value, condition)` writes only where the condition holds, and only there reads what
    the value needs. A list has several writes. An index of several axes is a tuple, and so are
    the values of several tensors, with None for one that is not written.

    `reorderable` declares that the points give the same result in any order. `until(H, i, ...)`
    gets the first axes; the loop of the last of them ends before the first iteration at which
    the condition that it returns holds.

    All tensors of `init` have one shape, and begin at one place, where the result begins, too.
    `domain` is a function of their axes, which says the elements that the result has, as that of
    `te.compute` does. Without it they are those that all of `init` have. A read or a write of
    another element is refused.
    Raises `teloom.Error` where these rules are broken.
    Source: the update definitions of Halide.

    >>> from teloom import te
    >>> X, n = te.placeholder((100,), "int32", name="X"), te.reduce_axis((0, 100), "n")
    >>> zero = te.compute((10,), lambda i: te.const(0, "int32"), name="zero")
    >>> te.update(zero, n, lambda H, n: (X[n], H[X[n]] + 1), name="H", reorderable=True)
    Tensor(shape=[10], dtype=int32, name=H)
    """
    checked_text(name, "name of update")
    several = isinstance(init, list | tuple)
    starts, axes = _tensors(init, name), _axes(axis, name)
    states = [
        state_of(start, f"{name}.{number}" if several else name)
        for number, start in enumerate(starts)
    ]
    _check_parameters(fupdate, states, axes, name)
    found = fupdate(*states, *axes)
    writes = [_write(one, states, name) for one in (found if isinstance(found, list) else [found])]
    ends = None if until is None else _until(until, states, axes, name)
    definition = UpdateBody(tuple(states), tuple(writes), ends, reorderable)
    check_no_reduction(definition.exprs(), name, "the update", "an equation")
    for write in writes:
        check_leaves(write.exprs(), axes, name)
    if definition.until is not None:
        check_leaves([definition.until.condition], axes[: definition.until.axes], name)
    elements = elements_of(starts[0].domain)
    said = _inherited(starts, elements) if domain is None else domain_of(domain, elements, name)
    op = UpdateOp(name, starts, axes, definition, tag_of(tag, name), attrs, elements, said)
    return list(op.outputs) if several else op.output(0)


def _tensors(init: object, name: str) -> list[Tensor]:
    given = list(init) if isinstance(init, list | tuple) else [init]
    if not given:
        raise Error(f"{name!r} begins as no tensor")
    for one in given:
        if not isinstance(one, Tensor):
            raise Error(f"{name!r} begins as {one!r}, which is no tensor")
        if not same_extents(one.extents, given[0].extents):
            shapes = " and ".join(f"{list(one.shape)} of {one.name}" for one in (given[0], one))
            raise Error(f"the tensors of {name!r} have the shapes {shapes}; they must be one")
        _check_elements(one, given[0], name)
    return given


def _check_elements(start: Tensor, first: Tensor, name: str) -> None:
    """Raises `teloom.Error` unless a tensor has a shape, and begins where the first one does."""
    if any(side is INFERRED for side in start.domain):
        raise Error(f"{name!r} begins as {start.name}, whose shape its readers say; give it one")
    begins, firsts = ([side.min for side in one.domain] for one in (start, first))
    if not same_extents(begins, firsts):
        raise Error(
            f"the tensors of {name!r} begin at {firsts} in {first.name} and at {begins} in "
            f"{start.name}; they must begin at one place"
        )


def _inherited(starts: Sequence[Tensor], elements: Sequence[IterVar]) -> list[Expr]:
    """The conditions that hold at the elements that all of some tensors have."""
    found: list[Expr] = []
    for op in dict.fromkeys(start.op for start in starts):
        new = Substitution(dict(zip(op.axis, elements, strict=False)), {})
        found += map(new.of, op.domain)
    return found


def _axes(axis: object, name: str) -> list[IterVar]:
    axes = list(axis) if isinstance(axis, list | tuple) else [axis]
    for position, one in enumerate(axes):
        if not isinstance(one, IterVar) or not one.reduces:
            raise Error(f"the domain of {name!r} is made of te.reduce_axis, got {one!r}")
        if any(one is before for before in axes[:position]):
            raise Error(f"the domain of {name!r} has axis {one.name} twice")
    if not axes:
        raise Error(
            f"the domain of {name!r} has no axis, so that nothing says how often it writes; to "
            "write once, make it te.reduce_axis((0, 1))"
        )
    return axes


def _check_parameters(
    fupdate: Callable[..., object],
    states: Sequence[Tensor],
    axes: Sequence[IterVar],
    name: str,
) -> None:
    """Raises `teloom.Error` unless the function of an update can be called with its arguments."""
    signature = signature_of(fupdate, f"fupdate of {name!r}", _FUNCTION)
    if not takes(signature, *states, *axes):
        names = ", ".join(axis.name for axis in axes)
        raise Error(
            f"fupdate of {name!r} gets {len(states)} tensors and the axes {names}, but its "
            f"parameters are {signature}"
        )


def _write(found: object, states: Sequence[Tensor], name: str) -> Write:
    if not isinstance(found, tuple) or len(found) not in (2, 3):
        raise Error(
            f"the function of {name!r} returns (index, value) or (index, value, condition), or a "
            f"list of these, got {found!r}"
        )
    index, value, *condition = found
    indices = index if isinstance(index, tuple) else (index,)
    first = states[0]
    if len(indices) != first.ndim:
        raise Error(f"{name!r} writes at {len(indices)} subscripts for its {first.ndim} axes")
    values = value if isinstance(value, tuple) else (value,)
    if len(values) != len(states):
        raise Error(f"{name!r} writes {len(values)} values to its {len(states)} tensors")
    return Write(
        tuple(subscript_expr(one, first, name) for one in indices),
        tuple(_value(one, state, name) for one, state in zip(values, states, strict=True)),
        as_condition(condition[0]) if condition else None,
    )


def _value(value: object, state: Tensor, name: str) -> Expr | None:
    if value is None:
        return None
    expr = as_expr(value, state.dtype)
    if expr.dtype != state.dtype:
        raise Error(
            f"{name!r} writes {expr}, which is {expr.dtype}, to a tensor of {state.dtype}; cast "
            "it with astype"
        )
    return expr


def _until(
    until: Callable[..., object], states: Sequence[Tensor], axes: Sequence[IterVar], name: str
) -> Until:
    parameters = signature_of(until, f"until of {name!r}", _FUNCTION).parameters
    count = len(parameters) - len(states)
    if not 1 <= count <= len(axes):
        raise Error(
            f"until of {name!r} gets {len(states)} tensors and 1 to {len(axes)} of the first axes, "
            f"but has {count + len(states)} parameters"
        )
    return Until(count, as_condition(until(*states, *axes[:count])))
