"""`schedule`: strategies by tag, and the rules of `te.auto_schedule` for the rest."""

from __future__ import annotations

from typing import Any

from teloom import te
from teloom.topi.arguments import tensors, wrong
from teloom.topi.schedules.strategies import Strategies, Strategy
from teloom.topi.schedules.winograd import write_transform
from teloom.topi.tag import WINOGRAD_TRANSFORM

STRATEGIES = Strategies([Strategy(WINOGRAD_TRANSFORM, write_transform, lambda tensor: True)])
"""The strategies of `schedule`. A package of your own registers its in this table."""


def schedule(
    outs: Any,
    target: Any = None,
    strategies: Strategies = STRATEGIES,
    reasons: list[str] | None = None,
    num_threads: int | None = None,
    math: str | None = None,
) -> te.Schedule:
    """A schedule of operators that computes the tensors `outs`, one or a list.

    A stage whose tag has a strategy in the table that suits it is scheduled by the one of the
    highest level, readers before what they read; all others by the rules of `te.auto_schedule`,
    which see from an equation what it is: injective ones are fused into their readers, products
    and convolutions tiled by registers and packed, folds are folded across lanes and on threads,
    what is read in rows is computed row by row. `target`, `num_threads` and `math` are as there, by
    default this machine, its threads and no level.
    `reasons` gets a line for each decision. Raises `teloom.Error` for what is no tensor,
    and for a strategy that gives no list of reasons. Source: the schedules of TVM's topi.

    >>> from teloom import topi
    >>> A, B = (te.placeholder((512, 512), name=name) for name in "AB")
    >>> C = topi.nn.relu(topi.matmul(A, B))
    >>> s = schedule(C, "x86-64-v3", reasons=(why := []), num_threads=2)
    >>> print(*why, sep=chr(10))
    matmul: tiles of 6 x 16 elements of relu stay in registers for all terms
    B.global: 4 panels are packed at a time
    relu: threads share the iterations of i1.outer.outer
    """
    if not isinstance(reasons, list | None):
        raise wrong("schedule", "reasons", f"is {reasons!r}, not a list")
    made = {one.op: None for one in tensors("schedule", "outs", outs)}
    s = te.create_schedule([*made])
    said = [] if reasons is None else reasons
    for stage in reversed([*s.stages]):
        tensor = stage.op.output(0)
        if stage.is_scheduled:
            continue
        if (strategy := strategies.of(tensor)) is not None:
            said += [f"{stage.name}: {why}" for why in strategy.reasons(s, tensor, target)]
        elif unsuited := strategies.for_tags(tensor):
            names = ", ".join(one.name for one in unsuited)
            said.append(f"{stage.name}: rules, as none of its strategies suits it: {names}")
    given = () if target is None else (target,)
    said += te.auto_schedule(s, *given, num_threads=num_threads, math=math)
    return s
