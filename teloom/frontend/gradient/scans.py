"""Derivatives of scans: a scan that goes back in time, over the states that are stored.

Its time r counts from the last step on. All that a step computes is computed again, at all times,
from the states; those are equations outside. What goes back from step to step are the derivatives
by what steps compute, so a sum over all times, such as that by a weight, is an equation, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, Protocol

from teloom.errors import Error
from teloom.frontend.compute.equations import compute
from teloom.frontend.compute.scans import later_steps, scan
from teloom.frontend.expr.expressions import Const, Expr, alike, walk
from teloom.frontend.gradient.subscripts import limits
from teloom.frontend.gradient.terms import (
    Part,
    Term,
    add,
    an_equation,
    is_float,
    reads,
    through,
    total,
)
from teloom.frontend.schedule.caches import Substitution
from teloom.frontend.tensor.scan_steps import scan_body
from teloom.frontend.tensor.shape_forms import distance
from teloom.frontend.tensor.tensors import (
    ComputeOp,
    IterVar,
    Operation,
    Range,
    ScanOp,
    Tensor,
    TensorSlice,
    placeholder,
)


def through_scan(
    op: ScanOp, by: Mapping[Tensor, Tensor], prefix: Sequence[IterVar], active: set[Tensor]
) -> Iterator[Part]:
    """The parts of the derivatives by what the steps of a scan read, and by its inits.

    `by` has the derivatives by its tensors, and `active` are the tensors that count. Raises
    `teloom.Error` for a step that is no equation, and for one that reads a state at a time that is
    no known number of steps before.
    """
    return _Backward(op, by, prefix, active).parts()


class _Times(NamedTuple):
    """The times of a scan. Time t is `last - t` for the derivatives, which begin at `begin`."""

    end: Expr
    begin: int

    @property
    def last(self) -> Expr:
        return self.end + (self.begin - 1)

    def from_time(self, first: Expr) -> Range:
        """The positions of the times from `first` on."""
        extent = distance(self.end, first)
        return Range(Const(self.begin, "int32"), self.end - first if extent is None else extent)


class _Element(Protocol):
    """A part of a derivative at a step."""

    def element(self, prefix: Sequence[IterVar], positions: Sequence[IterVar]) -> Expr: ...


class _AtStep(NamedTuple):
    """A stage of the scan of derivatives, whose first axis is its time."""

    tensor: Tensor

    def element(self, prefix: Sequence[IterVar], positions: Sequence[IterVar]) -> Expr:
        time, *others = positions
        return self.tensor[(time, *prefix, *others)]


class _OfHead(NamedTuple):
    """The derivative by the result of a scan, which comes from its readers."""

    head: Tensor
    last: Expr

    def element(self, prefix: Sequence[IterVar], positions: Sequence[IterVar]) -> Expr:
        time, *others = positions
        return self.head[(*prefix, self.last - time, *others)]


class _Backward:
    def __init__(
        self,
        op: ScanOp,
        by: Mapping[Tensor, Tensor],
        prefix: Sequence[IterVar],
        active: set[Tensor],
    ):
        self.op, self.by, self.prefix = op, by, prefix
        self.updates = later_steps(op)
        around = {one.op for one in op.updates}.difference(one.op for one in self.updates)
        steps = [an_equation(one) for one in scan_body(op)[:-1] if one not in around]
        self.first = self._first_times(steps)
        self.times = _Times(op.states[0].extents[0], self._longest_way(steps))
        self.mirrored: dict[Tensor, Tensor] = {}
        for state, result in zip(op.states, op.outputs, strict=True):
            self.mirrored[state] = self._reversed(result)
        self.steps = {one: self._again(one) for one in steps}
        self.active = {*active, *(new for old, new in self.mirrored.items() if old in active)}
        self.states = {
            tensor: self._state(tensor)
            for step in self.steps.values()
            for tensor in step.outputs
            if tensor in self.active and is_float(tensor)
        }
        self.terms = {tensor: [*self._through(tensor)] for tensor in self.states}

    def _first_times(self, steps: Sequence[ComputeOp]) -> dict[Operation, Expr]:
        """The first times at which steps are computed."""
        found: dict[Operation, list[Expr]] = {one: [] for one in steps}
        for init, update in zip(self.op.inits, self.updates, strict=True):
            if update.op in found:
                found[update.op].append(init.extents[0])
        for step in reversed(steps):
            earliest = [_earliest(found[step], self.op)]
            found[step] = earliest
            for tensor in step.input_tensors:
                if tensor.op in found:
                    found[tensor.op] += earliest
        return {one: times[0] for one, times in found.items()}

    def _longest_way(self, steps: Sequence[ComputeOp]) -> int:
        """The greatest number of steps from what is read to its reader; at least 1."""
        longest = 1
        for step in steps:
            for read in walk((*step.body,)):
                if isinstance(read, TensorSlice) and read.tensor in self.op.states:
                    longest = max(longest, int(limits(self._way(read, step))[1]))
        firsts = [one.value for one in self.first.values() if isinstance(one, Const)]
        return max([longest, *map(int, firsts)])

    def _way(self, read: TensorSlice, step: ComputeOp) -> Expr:
        """The number of steps from what is read of a state to its reader."""
        time = step.axis[0]
        found = distance(time, read.indices[0])
        if found is None or time in walk((found,)) or math.isinf(limits(found)[1]):
            raise Error(
                f"the gradient goes through {self.op!r}, whose step {step.name!r} reads {read}; "
                "it may read a state a known number of steps before, as [t - 1]"
            )
        return found

    def _reversed(self, result: Tensor) -> Tensor:
        """A result of the scan, from its last time on."""
        every = self.times.from_time(Const(0, "int32"))
        return compute(
            [every, *result.domain[1:]],
            lambda time, *others: result[(self.times.last - time, *others)],
            name=f"{result.name}.reversed",
        )

    def _again(self, step: ComputeOp) -> ComputeOp:
        """What a step computes, at all times from the last one on, from the states."""
        new = _Mirror(self, step)
        body = new.of_body(step.body)
        again = ComputeOp(f"{step.name}.again", new.axes, body, new.reduce_axes)
        self.mirrored.update(zip(step.outputs, again.outputs, strict=True))
        return again

    def _state(self, tensor: Tensor) -> Tensor:
        """What stands for the derivatives by what a step computes, in the scan of these."""
        domain = [*(axis.dom for axis in self.prefix), *tensor.domain[1:]]
        for side in domain:
            if not (side and isinstance(side.min, Const) and side.min.value == 0):
                raise Error(
                    f"the gradient goes through {self.op!r}, whose step {tensor.name} begins at "
                    f"{side and side.min}; let it begin at 0"
                )
        extents = [self._extent(), *(side.extent for side in domain if side)]
        return placeholder(extents, tensor.dtype, f"{tensor.name}.by")

    def _extent(self) -> Expr:
        return self.times.from_time(_earliest([*self.first.values()], self.op)).end

    def _through(self, tensor: Tensor) -> Iterator[Term]:
        """The parts of the derivatives by what the equation of a tensor reads."""
        step = tensor.op
        assert isinstance(step, ComputeOp)
        time, *others = step.axis
        seed = self.states[tensor][(time, *self.prefix, *others)]
        return through(step, {tensor: seed}, self.prefix, reads(self.active))

    def parts(self) -> Iterator[Part]:
        results = self._results()
        inside = {*self.mirrored.values()}
        for term in chain(*self.terms.values()):
            if term.target not in inside:
                yield term.reading(results)
        for init, state, result in zip(self.op.inits, self.op.states, self.op.outputs, strict=True):
            if init in self.active:
                if result in self.by:
                    yield self._from_head(init, self.by[result], result)
                for term in self._by(self.mirrored[state]):
                    yield self._of_init(term, init).reading(results)

    def _from_head(self, init: Tensor, head: Tensor, result: Tensor) -> Term:
        """The part of a head in the derivative by an init, which may have more times."""
        axes = [IterVar(f"i{number}", side) for number, side in enumerate(result.domain)]
        value = head[(*self.prefix, *axes)]
        return Term(init[tuple(axes)], axes, self.prefix, (), value, "by.result")

    def _of_init(self, term: Term, init: Tensor) -> Term:
        """What a part in the derivative by a result is in that by the init."""
        back, *others = term.read.indices
        time = self.times.last - back
        found = term._replace(read=TensorSlice(init, (time, *others)))
        if not found.searches:
            return found
        return found._replace(conditions=(*term.conditions, time < init.extents[0]))

    def _by(self, tensor: Tensor) -> list[Term]:
        return [term for term in chain(*self.terms.values()) if term.target is tensor]

    def _results(self) -> dict[Tensor, Tensor]:
        """The derivatives by what steps compute, at all times, by their states."""
        grads = self._grads()
        stored = [
            tensor
            for tensor, terms in self.terms.items()
            if any(term.target not in self.states for term in terms)
        ]
        if not stored:
            return {}
        states = [self.states[tensor] for tensor in stored]
        zeros = [_zeros(self.times.begin, state) for state in states]
        name = f"{self.op.name}.grad"
        found: Any = scan(zeros, [grads[tensor] for tensor in stored], states, name=name)
        results = found if len(states) > 1 else [found]
        return dict(zip(states, results, strict=True))

    def _grads(self) -> dict[Tensor, Tensor]:
        """The derivatives by what steps compute, as steps of the scan of derivatives."""
        by_result = {
            result: self._by_result(state, result)
            for state, result in zip(self.op.states, self.op.outputs, strict=True)
            if is_float(state)
        }
        found: dict[Tensor, Tensor] = {}
        for step, again in reversed(self.steps.items()):
            for old, tensor in zip(step.outputs, again.outputs, strict=True):
                if tensor not in self.states:
                    continue
                known = {self.states[one]: grad for one, grad in found.items()}
                parts: list[Any] = [term.reading(known) for term in self._by(tensor)]
                parts += self._from_results(old, tensor, by_result)
                found[tensor] = self._made(tensor, parts, self.first[step])
        return found

    def _by_result(self, state: Tensor, result: Tensor) -> Tensor | None:
        """The derivative by a result at a step: of its readers outside, and of later steps."""
        parts: list[_Element] = []
        if result in self.by:
            parts.append(_OfHead(self.by[result], self.times.last))
        parts += self._by(self.mirrored[state])
        position = self.op.states.index(state)
        first = self.op.inits[position].extents[0]
        return self._made(self.mirrored[state], parts, first) if parts else None

    def _from_results(
        self, update: Tensor, tensor: Tensor, by_result: Mapping[Tensor, Tensor | None]
    ) -> Iterator[_Element]:
        """The parts that the results have in the derivative by an update."""
        for one, init, result in zip(self.updates, self.op.inits, self.op.outputs, strict=True):
            grad = by_result.get(result)
            if one is not update or grad is None:
                continue
            first = init.extents[0]
            if alike(first, self.first[update.op]):
                yield _AtStep(grad)
                continue
            sides = [self.times.from_time(first), *tensor.domain[1:]]
            axes = [IterVar(f"i{number}", side) for number, side in enumerate(sides)]
            value = grad[(axes[0], *self.prefix, *axes[1:])]
            yield Term(tensor[tuple(axes)], axes, self.prefix, (), value, "by.result")

    def _made(self, tensor: Tensor, parts: Sequence[_Element], first: Expr) -> Tensor:
        """The sum of parts, as a step."""
        merged: list[Any] = []
        for part in parts:
            add(merged, part)
        if len(merged) > 1:
            merged = [self._apart(tensor, part, first) for part in merged]
        if len(merged) == 1 and isinstance(merged[0], _AtStep):
            return merged[0].tensor
        return self._stage(tensor, merged, first, f"{tensor.name}.grad")

    def _apart(self, tensor: Tensor, part: _Element, first: Expr) -> _Element:
        if not isinstance(part, Term) or not part.has_sum:
            return part
        return _AtStep(self._stage(tensor, [part], first, f"{tensor.name}.{part.name}"))

    def _stage(self, tensor: Tensor, parts: Sequence[Any], first: Expr, name: str) -> Tensor:
        count = len(self.prefix)
        own = IterVar("r", self.times.from_time(first))

        def element(time: IterVar, *axes: IterVar) -> Expr:
            value = total(parts, axes[:count], (own, *axes[count:]), tensor.dtype)
            return Substitution({own: time}, {}).of_body([value])[0]

        sides = [*(axis.dom for axis in self.prefix), *tensor.domain[1:]]
        return compute([self._extent(), *sides], element, name=name)


class _Mirror(Substitution):
    """A step at the times of derivatives, in the place of its own."""

    def __init__(self, backward: _Backward, step: ComputeOp):
        super().__init__({}, {})
        times = backward.times
        self.backward, self.step = backward, step
        self.time = IterVar("r", times.from_time(backward.first[step]))
        self.known[step.axis[0]] = times.last - self.time
        self.axes = [self.time, *map(self._own, step.axis[1:])]
        self.reduce_axes = [*map(self._own, step.reduce_axis)]

    def _own(self, axis: IterVar) -> IterVar:
        dom = axis.dom and Range(self.of(axis.dom.min), self.of(axis.dom.extent))
        self.known[axis] = own = IterVar(axis.name, dom, axis.iter_type)
        return own

    def _with_new_operands(self, expr: Any) -> Expr:
        new = super()._with_new_operands(expr)
        if not isinstance(expr, TensorSlice) or expr.tensor not in self.backward.mirrored:
            return new
        assert isinstance(new, TensorSlice)
        return TensorSlice(
            self.backward.mirrored[expr.tensor], (self._time_of(expr), *new.indices[1:])
        )

    def _time_of(self, read: TensorSlice) -> Expr:
        if read.tensor in self.backward.op.states:
            return self.time + self.of(self.backward._way(read, self.step))
        if read.indices[0] is self.step.axis[0]:
            return self.time
        raise Error(
            f"the gradient goes through {self.backward.op!r}, whose step {self.step.name!r} reads "
            f"{read} of another time"
        )


def _earliest(times: Sequence[Expr], op: ScanOp) -> Expr:
    if all(alike(one, times[0]) for one in times):
        return times[0]
    numbers = [one for one in times if isinstance(one, Const)]
    if len(numbers) < len(times):
        shown = ", ".join(map(str, times))
        raise Error(
            f"the gradient goes through {op!r}, whose states have {shown} initial steps; these "
            "must be numbers, or one size"
        )
    return min(numbers, key=int)


def _zeros(count: int, like: Tensor) -> Tensor:
    zero = Const(0.0, like.dtype)
    return compute([count, *like.extents[1:]], lambda *_: zero, name=f"{like.name}.zero")
