"""Derivatives of any update, by a log: code that runs it, and then takes it back point by point.

What each point overwrites is logged. Going back, it is restored, so that a point finds what it
found before, and each of its derivatives is added where it belongs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any, NamedTuple

from teloom.errors import Error
from teloom.frontend.expr.expressions import (
    Apply,
    Bounded,
    Cast,
    Const,
    Expr,
    IfThenElse,
    Var,
    walk,
)
from teloom.frontend.extern import ir_builder
from teloom.frontend.extern.externs import extern
from teloom.frontend.extern.ir_builder import BufferVar, IRBuilder
from teloom.frontend.gradient.boxes import boxes_of
from teloom.frontend.gradient.derivatives import Contribution, all_of, contributions
from teloom.frontend.gradient.terms import Part, StagePart, is_float, reads
from teloom.frontend.schedule.caches import Substitution
from teloom.frontend.tensor.buffers import Buffer
from teloom.frontend.tensor.conditions import if_then_else
from teloom.frontend.tensor.tensors import IterVar, Tensor, TensorSlice, placeholder
from teloom.frontend.tensor.updates import UpdateOp, Write

_KNOWN = (Const, Var, IterVar, Apply, Cast, IfThenElse, Bounded, TensorSlice)
"""The classes of expressions that code can compute with."""

Known = Mapping[IterVar, Expr]
"""The positions on the axes of a point, and of a head."""


def by_log(
    op: UpdateOp, by: Mapping[Tensor, Tensor], prefix: Sequence[IterVar], active: set[Tensor]
) -> Iterator[Part]:
    """The parts of the derivatives by what an update reads, and by what it begins as.

    `by` has the derivatives by its tensors, and `active` are the tensors that count. Raises
    `teloom.Error` for a place or a condition that depends on what the update changes, for axes
    that do not begin at 0, and for what code does not compute.
    """
    return _Logged(op, by, prefix, active).parts()


class _Value(NamedTuple):
    """What a write puts into a tensor, and the derivatives of it, for what stands for its own."""

    write: Write
    number: int
    value: Expr
    seed: Tensor
    found: list[Contribution]


class _Logged:
    def __init__(
        self,
        op: UpdateOp,
        by: Mapping[Tensor, Tensor],
        prefix: Sequence[IterVar],
        active: set[Tensor],
    ):
        self.op, self.by, self.prefix = op, by, prefix
        self.states, self.writes = op.definition.states, op.definition.writes
        self.active = {*active, *filter(is_float, self.states)}
        self._check()
        boxes, _ = boxes_of(op)
        self.boxes = [boxes.get(axis, axis) for axis in op.reduce_axis]
        self.values = [
            self._value(write, number, value)
            for write in self.writes
            for number, value in enumerate(write.values)
            if value is not None
        ]
        leaves = [one.leaf for value in self.values for one in value.found]
        outside = [one.tensor for one in leaves if isinstance(one, TensorSlice)]
        self.outside = [one for one in dict.fromkeys(outside) if one not in self.states]
        self.floats = [number for number, one in enumerate(self.states) if is_float(one)]
        self.inputs = list(
            dict.fromkeys(
                [
                    *op.starts,
                    *op.input_tensors,
                    *(by[one] for one in op.outputs if one in by),
                ]
            )
        )

    def _check(self) -> None:
        """Raises `teloom.Error` for an update that is not taken back."""
        states = {*self.states}
        for write in self.writes:
            condition = [] if write.condition is None else [write.condition]
            for expr in (*write.indices, *condition):
                if any(map(reads(states), walk((expr,)))):
                    self._refuse(f"writes where {expr} says it, which it changes")
        for part in walk((*self.op.body,)):
            if not isinstance(part, _KNOWN):
                self._refuse(f"calls {part}")
        domain = (*self.op.output(0).domain, *(axis.dom for axis in self.prefix))
        for side in domain:
            if side and not (isinstance(side.min, Const) and side.min.value == 0):
                self._refuse(f"begins at {side.min}")

    def _refuse(self, what: str) -> None:
        raise Error(f"the gradient goes through {self.op!r}, which {what}")

    def _value(self, write: Write, number: int, value: Expr) -> _Value:
        seed = placeholder((), self.states[number].dtype, "by")
        found = (
            contributions(value, seed(), reads(self.active), self.op.name) if is_float(seed) else []
        )
        return _Value(write, number, value, seed, found)

    def parts(self) -> Iterator[Part]:
        targets = [*(self.op.starts[number] for number in self.floats), *self.outside]
        leading = [axis.dom.extent for axis in self.prefix if axis.dom]
        shapes = [(*leading, *target.extents) for target in targets]
        kinds = [target.dtype for target in targets]
        name = f"{self.op.name}.grad"
        found = extern(shapes, self.inputs, self._body, name=name, dtype=kinds)
        for target, tensor in zip(targets, found if len(targets) > 1 else [found], strict=True):
            if target in self.active:
                yield StagePart(target, tensor)

    def _body(self, ins: Sequence[Buffer], outs: Sequence[Buffer]) -> Any:
        ib = ir_builder.create()
        code = _Code(self, ib, [*map(ib.buffer_ptr, ins)], [*map(ib.buffer_ptr, outs)])
        code.begin()
        code.run()
        code.take_back()
        return ib.get()


class _Code:
    """The statements that run an update, and take it back."""

    def __init__(
        self,
        logged: _Logged,
        ib: IRBuilder,
        ins: Sequence[BufferVar],
        outs: Sequence[BufferVar],
    ):
        self.logged, self.ib = logged, ib
        self.op = logged.op
        self.given = dict(zip(logged.inputs, ins, strict=True))
        shape = self.op.output(0).extents
        self.now = {one: ib.allocate(one.dtype, shape, f"{one.name}.now") for one in logged.states}
        extents = [axis.dom.extent for axis in logged.boxes if axis.dom]
        self.logs = [
            ib.allocate(logged.states[one.number].dtype, extents, "log") for one in logged.values
        ]
        until = self.op.definition.until
        self.ends = (
            None if until is None else ib.allocate("int32", extents[: until.axes - 1], "end")
        )
        count = len(logged.floats)
        states = (logged.states[number] for number in logged.floats)
        self.grads: dict[Tensor, BufferVar] = dict(zip(states, outs[:count], strict=True))
        self.grads |= zip(logged.outside, outs[count:], strict=True)

    def begin(self) -> None:
        """What the tensors begin as, and the derivatives by what they end as."""
        for state, start, result in zip(
            self.logged.states, self.op.starts, self.op.outputs, strict=True
        ):
            self._fill(self.now[state], self.given[start])
            if state in self.grads:
                head = self.logged.by.get(result)
                self._fill(self.grads[state], None if head is None else self.given[head])
        for tensor in self.logged.outside:
            self._fill(self.grads[tensor], None)

    def _fill(self, target: BufferVar, source: BufferVar | None) -> None:
        with ExitStack() as loops:
            at = tuple(loops.enter_context(self.ib.for_range(0, n)) for n in target.shape)
            target[at] = 0.0 if source is None else source[at]

    def run(self) -> None:
        """Runs the update, and logs what it overwrites."""
        with self._points(goes_back=False) as known:
            values = [self._kept(one, known) for one in self.logged.values]
            for one, log, value in zip(self.logged.values, self.logs, values, strict=True):
                with self._where([one.write.condition], known):
                    state, place = self._element(one, known)
                    log[self._of_log(known)] = state[place]
                    state[place] = value

    def _kept(self, one: _Value, known: Known) -> Expr:
        holds, value = one.write.condition, one.value
        whole = value if holds is None else if_then_else(holds, value, Const(0, value.dtype))
        return self.ib.let("value", self._expr(whole, known))

    def take_back(self) -> None:
        """Goes through the points from the last one on."""
        with self._points(goes_back=True) as known:
            for one, log in reversed([*zip(self.logged.values, self.logs, strict=True)]):
                with self._where([one.write.condition], known):
                    state, place = self._element(one, known)
                    state[place] = log[self._of_log(known)]
            with ExitStack() as loops:
                heads = {
                    axis: loops.enter_context(self.ib.for_range(0, axis.dom.extent))
                    for axis in self.logged.prefix
                    if axis.dom
                }
                self._add_derivatives({**known, **heads})

    def _add_derivatives(self, known: Known) -> None:
        seeds: dict[Tensor, BufferVar] = {}
        for one in reversed(self.logged.values):
            state = self.logged.states[one.number]
            if state not in self.grads:
                continue
            seeds[one.seed] = own = self.ib.allocate(state.dtype, (), "by")
            own[()] = 0.0
            with self._where([one.write.condition], known):
                grad, place = self.grads[state], self._of_grad(one.write.indices, known)
                own[()] = grad[place]
                grad[place] = 0.0
        for one in self.logged.values:
            for part in one.found:
                leaf = part.leaf
                assert isinstance(leaf, TensorSlice)
                with self._where([one.write.condition, *part.conditions], known):
                    grad, place = self.grads[leaf.tensor], self._of_grad(leaf.indices, known)
                    grad[place] = grad[place] + self._expr(part.value, known, seeds)

    @contextmanager
    def _points(self, goes_back: bool) -> Iterator[dict[IterVar, Expr]]:
        """Loops over the points; gives the positions on their axes."""
        known: dict[IterVar, Expr] = {}
        with ExitStack() as loops:
            for depth, axis in enumerate(self.op.reduce_axis, 1):
                assert axis.dom is not None
                begin, end = (self._expr(one, known) for one in (axis.dom.min, axis.dom.end))
                is_last = self._ends_at(depth)
                if is_last and not goes_back:
                    self.ends[self._of_log(known)] = end
                at = loops.enter_context(self.ib.for_range(begin, end, axis.name))
                known[axis] = begin + end - 1 - at if goes_back else at
                if is_last:
                    loops.enter_context(self._before_end(axis, known, goes_back))
            yield known

    def _ends_at(self, depth: int) -> bool:
        """Whether a condition ends the loop of the last of so many axes."""
        until = self.op.definition.until
        return until is not None and until.axes == depth

    def _before_end(self, axis: IterVar, known: Known, goes_back: bool) -> AbstractContextManager:
        """A block for iterations in front of the end, which is found where the update runs."""
        until, place = self.op.definition.until, self._of_log({**known})[:-1]
        assert until is not None
        assert self.ends is not None
        if not goes_back:
            with self.ib.if_scope(known[axis] < self.ends[place]):
                with self.ib.if_scope(self._expr(until.condition, known)):
                    self.ends[place] = known[axis]
        return self.ib.if_scope(known[axis] < self.ends[place])

    def _where(
        self, conditions: Sequence[Expr | None], known: Known
    ) -> AbstractContextManager[Any]:
        holds = all_of([one for one in conditions if one is not None])
        return nullcontext() if holds is None else self.ib.if_scope(self._expr(holds, known))

    def _element(self, one: _Value, known: Known) -> tuple[BufferVar, Any]:
        places = tuple(self._expr(place, known) for place in one.write.indices)
        return self.now[self.logged.states[one.number]], places

    def _of_log(self, known: Known) -> Any:
        pairs = zip(self.op.reduce_axis, self.logged.boxes, strict=True)
        return tuple(known[axis] - box.dom.min for axis, box in pairs if box.dom and axis in known)

    def _of_grad(self, indices: Sequence[Expr], known: Known) -> Any:
        heads = (known[axis] for axis in self.logged.prefix)
        return (*heads, *(self._expr(one, known) for one in indices))

    def _expr(
        self, expr: Expr, known: Known, seeds: Mapping[Tensor, BufferVar] | None = None
    ) -> Expr:
        """An expression of a point as it is now."""
        return _Elements(known, {**self.given, **self.now, **(seeds or {})}).of(expr)


class _Elements(Substitution):
    """Elements of buffers in the place of those of tensors."""

    def __init__(self, known: Known, buffers: Mapping[Tensor, BufferVar]):
        super().__init__(known, {})
        self.buffers = buffers

    def _with_new_operands(self, expr: Any) -> Expr:
        new = super()._with_new_operands(expr)
        if isinstance(new, Bounded):
            return new.value
        if isinstance(new, TensorSlice):
            return self.buffers[new.tensor][new.indices]
        return new
