"""Schedules of operators: strategies by tag, and the rules of `te.auto_schedule` for the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from teloom import te
from teloom.topi.arguments import tensors, wrong
from teloom.topi.tag import RUNNING_FOLD

Write = Callable[[te.Schedule, te.Tensor, Any], Sequence[str]]
"""Appends the commands of a stage, for a target; gives a line for each decision, with its why."""

Suits = Callable[[te.Tensor], bool]
"""Whether a strategy is for a stage, by its shape and dtype."""


class Strategy(NamedTuple):
    """How stages of a tag are scheduled."""

    tag: str
    write: Write
    suits: Suits


class Strategies:
    """A table of strategies: of those for a stage, the one that was registered last counts.

    >>> table = Strategies()
    >>> @table.register("my_copy", lambda tensor: tensor.ndim == 1)
    ... def in_vectors(s, tensor, target):
    ...     s[tensor].vectorize(tensor.op.axis[0])
    ...     return ["vectors of a row"]
    >>> A = te.placeholder((64,), name="A")
    >>> B = te.compute((64,), lambda i: A[i], name="B", tag="my_copy")
    >>> reasons = []
    >>> s = schedule(B, strategies=table, reasons=reasons)
    >>> reasons
    ['B: vectors of a row']
    """

    def __init__(self, strategies: Iterable[Strategy] = ()):
        self._strategies = [*strategies]

    def register(self, tag: str, suits: Suits | None = None) -> Callable[[Write], Write]:
        """A decorator: the function schedules stages of a tag that it suits.

        The tag of an operation may be several, as in "injective,pad". Raises `teloom.Error` for
        what is no tag.
        """
        if not isinstance(tag, str) or not tag or "," in tag:
            raise wrong("schedule", "tag", f"is {tag!r}, which is no single tag")

        def registered(write: Write) -> Write:
            self._strategies.append(Strategy(tag, write, suits or (lambda tensor: True)))
            return write

        return registered

    def remove(self, write: Write) -> None:
        """Takes a function out of the table again; raises `teloom.Error` if it is not there."""
        left = [one for one in self._strategies if one.write is not write]
        if len(left) == len(self._strategies):
            raise wrong("schedule", "strategy", f"{write!r} is not registered")
        self._strategies = left

    def of(self, tensor: te.Tensor) -> Strategy | None:
        """The strategy for the stage of a tensor, if there is one."""
        tags = getattr(tensor.op, "tag", "").split(",")
        found = (one for one in reversed(self._strategies) if one.tag in tags and one.suits(tensor))
        return next(found, None)


def _running_fold(s: te.Schedule, tensor: te.Tensor, target: Any) -> Sequence[str]:
    """Elements begin as those of the input, in the loops of the fold; several lines at once."""
    stage, points = s[tensor], [*tensor.op.reduce_axis]
    begin = s[tensor.op.input_tensors[0]]
    if not begin.is_output and not begin.is_scheduled:
        begin.compute_inline()
    said = ["begins as its input, in the same loops"]
    stage.vectorize(tensor.op.axis[-1])
    if int(tensor.op.attrs[RUNNING_FOLD]) != tensor.ndim - 1:
        stage.vectorize(points[-1])
        return [*said, f"lanes are lines along {points[-1].name}"]
    if tensor.ndim > 1:
        outer, inner = stage.split(points[-2], factor=LINES)
        stage.reorder(outer, points[-1], inner)
        stage.unroll(inner)
        said.append(f"{LINES} lines at once, as a line waits for each of its sums")
    return said


LINES = 8
"""Lines of a running fold that go on together, while each waits for its last element."""

STRATEGIES = Strategies([Strategy(RUNNING_FOLD, _running_fold, lambda tensor: True)])
"""The strategies of `schedule`. A package of your own registers its in this table."""


def schedule(
    outs: Any,
    target: Any = None,
    strategies: Strategies = STRATEGIES,
    reasons: list[str] | None = None,
) -> te.Schedule:
    """A schedule of operators that computes the tensors `outs`, one or a list.

    A stage whose tag has a strategy in the table is scheduled by it, readers before what they
    read; all others by the rules of `te.auto_schedule`, which see from an equation what it is:
    injective ones are fused into their readers, products and convolutions tiled by registers and
    packed, folds are folded across lanes and on threads, what is read in rows is computed row by
    row. `target` is as there, by default this machine. `reasons` gets a line for each decision.
    Raises `teloom.Error` for what is no tensor. Source: the schedules of TVM's topi.

    >>> from teloom import topi
    >>> A = te.placeholder((512, 512), name="A")
    >>> s = schedule(topi.nn.relu(topi.matmul(A, A)), "x86-64-v3", reasons=(why := []))
    >>> print(*why, sep=chr(10))
    matmul: tiles of 6 x 16 elements of relu stay in registers for all terms
    A.global: a panel is read once per tile, in the order of memory
    """
    made = {one.op: None for one in tensors("schedule", "outs", outs)}
    s = te.create_schedule([*made])
    said = [] if reasons is None else reasons
    for stage in reversed([*s.stages]):
        tensor = stage.op.output(0)
        if not stage.is_scheduled and (strategy := strategies.of(tensor)) is not None:
            said += [f"{stage.name}: {why}" for why in strategy.write(s, tensor, target)]
    said += te.auto_schedule(s) if target is None else te.auto_schedule(s, target)
    return s
