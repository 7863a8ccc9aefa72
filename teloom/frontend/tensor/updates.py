"""The operation of an update: tensors that are changed element by element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from teloom.frontend.expr.expressions import Expr, walk
from teloom.frontend.tensor.tensors import (
    IterVar,
    Operation,
    PlaceholderOp,
    Range,
    Tensor,
    TensorSlice,
)


@dataclass(frozen=True)
class Write:
    """What a point of an update writes: one element of some of its tensors, at one place.

    `values` has None for a tensor that is not written. Without a condition it always happens.
    """

    indices: tuple[Expr, ...]
    values: tuple[Expr | None, ...]
    condition: Expr | None

    def exprs(self) -> list[Expr]:
        """All of its expressions."""
        found = [*self.indices, *self.values, self.condition]
        return [one for one in found if one is not None]


@dataclass(frozen=True)
class Until:
    """A condition under which the loop of the last of the first `axes` axes has ended."""

    axes: int
    condition: Expr


@dataclass(frozen=True)
class UpdateBody:
    """What happens at the points of a domain, in order; `states` stand for the tensors there."""

    states: tuple[Tensor, ...]
    writes: tuple[Write, ...]
    until: Until | None
    reorderable: bool

    def exprs(self) -> list[Expr]:
        """All of its expressions."""
        conditions = [] if self.until is None else [self.until.condition]
        return [*(expr for write in self.writes for expr in write.exprs()), *conditions]

    def with_exprs(self, changed: Callable[[Expr], Expr]) -> UpdateBody:
        """The same body with other expressions."""

        def there(one: Expr | None) -> Expr | None:
            return None if one is None else changed(one)

        writes = tuple(
            Write(
                tuple(map(changed, one.indices)),
                tuple(map(there, one.values)),
                there(one.condition),
            )
            for one in self.writes
        )
        until = self.until and replace(self.until, condition=changed(self.until.condition))
        return replace(self, writes=writes, until=until)

    def with_states(self, numbers: Sequence[int]) -> UpdateBody:
        """What happens to some of the tensors."""
        writes = (
            replace(one, values=tuple(one.values[number] for number in numbers))
            for one in self.writes
        )
        happening = tuple(one for one in writes if any(value is not None for value in one.values))
        return replace(
            self, states=tuple(self.states[number] for number in numbers), writes=happening
        )


class UpdateOp(Operation):
    """Tensors that begin as `starts`, and are changed at the points of `reduce_axis`, in order.

    `axis` runs over their elements, which are those at which all conditions of `domain` hold.
    `definition` says what happens at a point.
    """

    runs_over_elements = True

    def __init__(
        self,
        name: str,
        starts: Sequence[Tensor],
        reduce_axis: Sequence[IterVar],
        definition: UpdateBody,
        tag: str = "",
        attrs: dict[str, Any] | None = None,
        axis: Sequence[IterVar] | None = None,
        domain: Sequence[Expr] = (),
    ):
        super().__init__(name, tag, attrs)
        extents = starts[0].extents
        self.starts, self.definition = list(starts), definition
        self.axis = elements_of(starts[0].domain) if axis is None else list(axis)
        self.reduce_axis = list(reduce_axis)
        self.body, self.domain = definition.exprs(), list(domain)
        self._outputs = tuple(
            Tensor(self, index, extents, start.dtype) for index, start in enumerate(starts)
        )

    @property
    def input_tensors(self) -> list[Tensor]:
        read = dict.fromkeys([*self.starts, *self.read_by_points])
        return [tensor for tensor in read if tensor not in self.definition.states]

    @property
    def read_by_points(self) -> list[Tensor]:
        """What the points read, what stands for the tensors included."""
        return [one.tensor for one in walk(tuple(self.body)) if isinstance(one, TensorSlice)]

    def reading(self, tensor: Tensor, other: Tensor, changed: Callable[[Expr], Expr]) -> UpdateOp:
        """The same update with `other` in place of `tensor`; `changed` is this in expressions."""
        return UpdateOp(
            self.name,
            [other if one is tensor else one for one in self.starts],
            self.reduce_axis,
            self.definition.with_exprs(changed),
            self.tag,
            self.attrs,
            self.axis,
            self.domain,
        )

    def with_outputs(self, numbers: Sequence[int]) -> UpdateOp:
        """The update of some of the tensors."""
        return UpdateOp(
            self.name,
            [self.starts[number] for number in numbers],
            self.reduce_axis,
            self.definition.with_states(numbers),
            self.tag,
            self.attrs,
            self.axis,
            self.domain,
        )


def elements_of(domain: Sequence[Range]) -> list[IterVar]:
    """New axes that run over the elements of a tensor."""
    return [IterVar(f"ax{number}", dom) for number, dom in enumerate(domain)]


def state_of(tensor: Tensor, name: str) -> Tensor:
    """What stands for a tensor of an update at its points."""
    return PlaceholderOp(f"{name}.state", tensor.extents, tensor.dtype).output(0)
