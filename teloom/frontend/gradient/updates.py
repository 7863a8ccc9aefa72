"""Derivatives of updates.

An update that only adds to elements changes no derivative on the way: they are gathered at the
places to which it adds. Another one that writes no element twice is taken back by an update that
runs through its points from the last one on. What an element was when a point read it is known
then: what the result has, if a point before wrote it, and what the update began as if not. All
others are taken back by a log.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain
from typing import Any, NamedTuple

from teloom.errors import Error
from teloom.frontend.compute.equations import compute
from teloom.frontend.compute.updates import update
from teloom.frontend.expr.expressions import (
    Apply,
    Const,
    Expr,
    IfThenElse,
    alike,
    walk,
)
from teloom.frontend.gradient.boxes import boxes_of
from teloom.frontend.gradient.derivatives import Contribution, all_of, contributions, where_all
from teloom.frontend.gradient.logs import by_log
from teloom.frontend.gradient.subscripts import points_of
from teloom.frontend.gradient.terms import Part, StagePart, Term, is_float, reads
from teloom.frontend.schedule.caches import Substitution
from teloom.frontend.tensor.conditions import if_then_else, select
from teloom.frontend.tensor.shape_forms import distance
from teloom.frontend.tensor.tensors import (
    IterType,
    IterVar,
    Range,
    Tensor,
    TensorSlice,
    placeholder,
)
from teloom.frontend.tensor.updates import UpdateOp, Write


def through_update(
    op: UpdateOp, by: Mapping[Tensor, Tensor], prefix: Sequence[IterVar], active: set[Tensor]
) -> Iterator[Part]:
    """The parts of the derivatives by what an update reads, and by what it begins as.

    `by` has the derivatives by its tensors, and `active` are the tensors that count. Raises
    `teloom.Error` for an update with a domain, and as `by_log` does.
    """
    if op.domain:
        raise Error(f"the gradient goes through {op!r}, which has a domain")
    if op.definition.until is not None or len(op.definition.writes) > 1:
        return by_log(op, by, prefix, active)
    write = op.definition.writes[0]
    added = _added(op, write)
    if added is not None:
        return _Adding(op, write, by, prefix, active).parts(added)
    backward = _Backward(op, write, by, prefix, active)
    return backward.parts() if backward.is_possible else by_log(op, by, prefix, active)


class _Update:
    """An update, and the axes of its points as those of a box."""

    def __init__(
        self,
        op: UpdateOp,
        write: Write,
        by: Mapping[Tensor, Tensor],
        prefix: Sequence[IterVar],
        active: set[Tensor],
    ):
        self.op, self.write, self.by, self.prefix, self.active = op, write, by, prefix, active
        self.boxes, self.inside = boxes_of(op)
        self.axes = [self.boxes.get(axis, axis) for axis in op.reduce_axis]
        self.boxed = Substitution({**self.boxes}, {}).of

    def _terms(
        self, found: Sequence[Contribution], at_points: Callable[[Expr], Expr]
    ) -> Iterator[Term]:
        """Parts by what is read at the points."""
        always = [] if self.write.condition is None else [self.write.condition]
        for leaf, conditions, value in found:
            read = at_points(leaf)
            assert isinstance(read, TensorSlice)
            holds = *self.inside, *map(at_points, (*always, *conditions))
            name = f"by.{self.op.name}"
            yield Term(read, self.axes, self.prefix, holds, at_points(value), name)


class _Adding(_Update):
    """An update that adds to elements what does not depend on these."""

    def parts(self, added: Sequence[Expr | None]) -> Iterator[Part]:
        """The parts, of what is added to each tensor; None for one that is not written."""
        for start, tensor, value in zip(self.op.starts, self.op.outputs, added, strict=True):
            if tensor not in self.by:
                continue
            head = self.by[tensor]
            if start in self.active:
                yield StagePart(start, head)
            if value is not None:
                seed = head[(*self.prefix, *self.write.indices)]
                found = contributions(value, seed, reads(self.active), self.op.name)
                yield from self._terms(found, self.boxed)


def _added(op: UpdateOp, write: Write) -> list[Expr | None] | None:
    """What is added to the element of each tensor; None if something else happens."""
    states = {*op.definition.states}
    if _reads((*write.indices, *([] if write.condition is None else [write.condition])), states):
        return None
    found: list[Expr | None] = []
    for state, value in zip(op.definition.states, write.values, strict=True):
        if value is None or not is_float(state):
            found.append(None)
            continue
        more = _beside(value, state, write.indices)
        if more is None or _reads((more,), states):
            return None
        found.append(more)
    return found


def _beside(value: Expr, state: Tensor, indices: Sequence[Expr]) -> Expr | None:
    """What is added to an element of a state; None if that is not all."""
    match value:
        case TensorSlice(tensor, at) if tensor is state:
            is_it = _are_equal(at, indices) is True
            return Const(0.0, value.dtype) if is_it else None
        case Apply("add", (one, other)):
            for first, second in ((one, other), (other, one)):
                more = _beside(first, state, indices)
                if more is not None:
                    return more + second
        case Apply("sub", (one, other)):
            more = _beside(one, state, indices)
            return None if more is None else more - other
        case Apply("select", (condition, one, other)):
            return _either(select, condition, [one, other], state, indices)
        case IfThenElse(condition, one, other):
            return _either(if_then_else, condition, [one, other], state, indices)
    return None


def _either(
    choose: Callable[..., Expr],
    condition: Expr,
    values: Sequence[Expr],
    state: Tensor,
    indices: Sequence[Expr],
) -> Expr | None:
    """What is added where one of two values is written."""
    one, other = (_beside(value, state, indices) for value in values)
    return None if one is None or other is None else choose(condition, one, other)


class _Place(NamedTuple):
    """An element of a tensor that a point reads or writes, and the derivatives by reading it."""

    indices: tuple[Expr, ...]
    found: list[Contribution]
    is_written: bool

    def value(self) -> Expr:
        """The sum of the derivatives."""
        return reduce(operator.add, [where_all(one.conditions, one.value) for one in self.found])

    def condition(self) -> Expr | None:
        """Where there is the element; None if that is everywhere."""
        if self.is_written or not all(one.conditions for one in self.found):
            return None
        guards = (all_of(one.conditions) for one in self.found)
        return reduce(operator.or_, guards)


class _Backward(_Update):
    """An update that writes each element at most once, taken back."""

    def __init__(
        self,
        op: UpdateOp,
        write: Write,
        by: Mapping[Tensor, Tensor],
        prefix: Sequence[IterVar],
        active: set[Tensor],
    ):
        super().__init__(op, write, by, prefix, active)
        self.states = op.definition.states
        self.places = [*map(self.boxed, write.indices)]
        self.floats = [k for k, one in enumerate(self.states) if is_float(one)]
        self.active = {*active, *(self.states[k] for k in self.floats)}
        self.domain = [*(axis.dom for axis in prefix), *op.output(0).domain]
        self.seeds = {k: self._seed(k) for k in self.floats}
        self.found = {k: self._contributions(k) for k in self.floats}

    @property
    def is_possible(self) -> bool:
        """Whether the place of each write says at which point it is."""
        positions = [IterVar("", side) for side in self.op.output(0).domain]
        solved = points_of(self.places, positions, self.axes).solved
        return len(solved) == len(self.axes) and not _reads(self.places, {*self.states})

    def _seed(self, number: int) -> Tensor:
        """What stands for the derivatives by what is in a tensor behind a point."""
        state = self.states[number]
        extents = [side.extent for side in self.domain if side]
        return placeholder(extents, state.dtype, f"{state.name}.by")

    def _contributions(self, number: int) -> list[Contribution]:
        value = self.write.values[number]
        if value is None:
            return []
        seed = self.seeds[number][(*self.prefix, *self.write.indices)]
        return contributions(value, seed, reads(self.active), self.op.name)

    def parts(self) -> Iterator[Part]:
        is_outside = any(map(self._is_outside, chain(*self.found.values())))
        grads, written = self._taken_back(is_outside)
        for number, grad in grads.items():
            if self.op.starts[number] in self.active:
                yield StagePart(self.op.starts[number], grad)
        seeds = {self.seeds[number]: tensor for number, tensor in written.items()}
        at_points = _AtPoint(self, self.boxes, seeds).of
        for each in self.found.values():
            yield from self._terms([*filter(self._is_outside, each)], at_points)

    def _is_outside(self, one: Contribution) -> bool:
        return isinstance(one.leaf, TensorSlice) and one.leaf.tensor not in self.states

    def _taken_back(self, is_outside: bool) -> tuple[dict[int, Tensor], dict[int, Tensor]]:
        """The derivatives by what the tensors begin as, and by what is written to each element."""
        heads = {number: self._head(number) for number in self.floats}
        written = {number: self._zeros(number, "written") for number in self.floats}
        writes = [(number, place) for number in self.floats for place in self._places(number)]
        is_changed = any(place.found for _, place in writes)
        if not is_changed or not is_outside:
            written = {}
        starts = [*heads.values(), *written.values()]
        axes, new_axes = self._reversed_axes()

        def step(*arguments: Any) -> list[Any]:
            totals = dict(zip(self.floats, arguments, strict=False))
            seeds = {self.seeds[number]: total for number, total in totals.items()}
            new = _AtPoint(self, new_axes, seeds)
            return [
                self._write(number, place, new, bool(written))
                for number, place in writes
                if written or not self._stays(number, place)
            ]

        found = update(starts, axes, step, name=f"{self.op.name}.grad")
        grads = dict(zip(self.floats, found, strict=False))
        if written:
            return grads, dict(zip(self.floats, found[len(heads) :], strict=True))
        return grads, heads

    def _head(self, number: int) -> Tensor:
        result = self.op.outputs[number]
        return self.by[result] if result in self.by else self._zeros(number, "head")

    def _zeros(self, number: int, what: str) -> Tensor:
        zero = Const(0.0, self.states[number].dtype)
        return compute(self.domain, lambda *_: zero, name=f"{self.op.name}.{what}.zero")

    def _reversed_axes(self) -> tuple[list[IterVar], dict[IterVar, Expr]]:
        """Axes over the points from the last one on, and the old ones as expressions of these."""
        known: dict[IterVar, Expr] = {}
        axes: list[IterVar] = []
        for axis in (*self.prefix, *self.op.reduce_axis):
            assert axis.dom is not None
            new = Substitution(known, {})
            dom = Range(new.of(axis.dom.min), new.of(axis.dom.extent))
            axes.append(IterVar(axis.name, dom, IterType.COMM_REDUCE))
            is_point = axis in self.op.reduce_axis
            known[axis] = dom.min + dom.end - 1 - axes[-1] if is_point else axes[-1]
        return axes, known

    def _places(self, number: int) -> list[_Place]:
        """The elements of a tensor that a point reads or writes; the one that it writes first."""
        is_written = self.write.values[number] is not None
        found = [_Place(self.write.indices, [], True)] if is_written else []
        for one in chain(*self.found.values()):
            if not isinstance(one.leaf, TensorSlice) or one.leaf.tensor is not self.states[number]:
                continue
            for place in found:
                if _are_equal(place.indices, one.leaf.indices) is True:
                    place.found.append(one)
                    break
            else:
                found.append(_Place(one.leaf.indices, [one], False))
        return found

    def _stays(self, number: int, place: _Place) -> bool:
        """Whether the derivative by what is written is that by what was there before."""
        if not place.is_written or len(place.found) != 1:
            return False
        (one,) = place.found
        others = [other for other in self._places(number) if other.indices is not place.indices]
        return (
            not one.conditions
            and isinstance(one.value, TensorSlice)
            and one.value.tensor is self.seeds[number]
            and all(_are_equal(other.indices, place.indices) is False for other in others)
        )

    def _write(
        self, number: int, place: _Place, new: _AtPoint, is_noted: bool
    ) -> tuple[Any, Any, Any]:
        """What a point does to the derivative by an element that it reads or writes."""
        at = (*self.prefix, *place.indices)
        before = self.seeds[number][at]
        parts = [] if place.is_written else [before]
        for other in self._places(number):
            is_same = _are_equal(other.indices, place.indices)
            if other.is_written and not place.is_written and is_same is not False:
                parts[0] = select(is_same, 0.0, before)
            if other.found and is_same is not False:
                more = other.value()
                parts.append(more if is_same is True else if_then_else(is_same, more, 0.0))
        value = reduce(operator.add, parts) if parts else Const(0.0, before.dtype)
        conditions = [one for one in (self.write.condition, place.condition()) if one is not None]
        values: list[Expr | None] = [None] * len(self.floats) * (1 + is_noted)
        position = self.floats.index(number)
        values[position] = new.of(value)
        if is_noted and place.is_written:
            values[position + len(self.floats)] = new.of(before)
        found = tuple(map(new.of, at)), tuple(values)
        holds = all_of(conditions)
        return found if holds is None else (*found, new.of(holds))


class _AtPoint(Substitution):
    """Expressions of an update at other axes, with what elements were before a point."""

    def __init__(
        self, backward: _Backward, axes: Mapping[IterVar, Expr], tensors: Mapping[Tensor, Tensor]
    ):
        super().__init__(axes, tensors)
        self.backward = backward

    def _with_new_operands(self, expr: Any) -> Expr:
        new = super()._with_new_operands(expr)
        if not isinstance(new, TensorSlice) or new.tensor not in self.backward.states:
            return new
        number = self.backward.states.index(new.tensor)
        op = self.backward.op
        result, start = op.outputs[number][new.indices], op.starts[number][new.indices]
        if self.backward.write.values[number] is None:
            return start
        is_written = self._is_before(new.indices)
        if isinstance(is_written, bool):
            return result if is_written else start
        return if_then_else(is_written, result, start)

    def _is_before(self, indices: Sequence[Expr]) -> Expr | bool:
        """Whether an element, if a point writes it, is written before this point."""
        axes = self.backward.axes
        solved = points_of(self.backward.places, indices, axes).solved_with({})
        found: Expr | bool = False
        for axis, boxed in reversed([*zip(self.backward.op.reduce_axis, axes, strict=True)]):
            found = _is_less(solved[boxed], self.of(axis), found)
        return found


def _is_less(one: Expr, other: Expr, then: Expr | bool) -> Expr | bool:
    """Whether a number is less than another one; `then` says it where they are equal."""
    apart = distance(one, other)
    if isinstance(apart, Const):
        return apart.value < 0 if apart.value else then
    if isinstance(then, bool):
        return one <= other if then else one < other
    return (one < other) | ((one == other) & then)


def _are_equal(some: Sequence[Expr], others: Sequence[Expr]) -> Expr | bool:
    """Whether two places are one; an expression where that is not known."""
    unknown: list[Expr] = []
    for one, other in zip(some, others, strict=True):
        apart = Const(0, "int32") if alike(one, other) else distance(one, other)
        if not isinstance(apart, Const):
            unknown.append(one == other)
        elif apart.value:
            return False
    found = all_of(unknown)
    return True if found is None else found


def _reads(exprs: Sequence[Expr], tensors: set[Tensor]) -> bool:
    return any(map(reads(tensors), walk((*exprs,))))
