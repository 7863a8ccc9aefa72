"""`OpStrategy`: several ways to compute an operator, one of which the arguments choose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from teloom import te
from teloom.topi.arguments import wrong
from teloom.topi.schedules.schedule import schedule as schedule_by_rules
from teloom.topi.schedules.strategies import PLEVEL, checked_plevel, first_of


class Implementation(NamedTuple):
    """A way to compute an operator: its tensors, of the arguments, and a schedule for these."""

    name: str
    compute: Callable[..., Any]
    schedule: Callable[[Any], te.Schedule]
    plevel: int
    suits: Callable[..., bool]


class OpStrategy:
    """Ways to compute an operator: of those for its arguments, that of the highest `plevel`.

    Of several with that level it is the one that was added last. Source: TVM's OpStrategy.

    >>> from teloom.topi import nn
    >>> conv = OpStrategy("conv")
    >>> conv.add_implementation(nn.conv2d_nchw, name="direct")
    >>> conv.add_implementation(
    ...     nn.conv2d_winograd_nchw,
    ...     name="winograd",
    ...     plevel=15,
    ...     suits=lambda data, kernel, *more: kernel.shape[2:] == (3, 3) and data.shape[1] >= 64,
    ... )
    >>> data = te.placeholder((1, 64, 14, 14), name="data")
    >>> [
    ...     conv.select(data, te.placeholder((8, 64, k, k), name="kernel"), 1, 1, 1).name
    ...     for k in (1, 3)
    ... ]
    ['direct', 'winograd']
    """

    def __init__(self, name: str):
        self.name = name
        self.implementations: list[Implementation] = []

    def add_implementation(
        self,
        compute: Callable[..., Any],
        schedule: Callable[[Any], te.Schedule] = schedule_by_rules,
        name: str = "default",
        plevel: int = PLEVEL,
        suits: Callable[..., bool] | None = None,
    ) -> None:
        """Adds a way to compute it.

        `compute` gives tensors, of the arguments of the operator; `schedule` their schedule, by
        default `topi.schedule`. `suits` tells, of the same arguments, whether it is for them.
        Raises `teloom.Error` for what is no function, and for a `plevel` that is no integer.
        """
        for argument, given in (("compute", compute), ("schedule", schedule)):
            if not callable(given):
                raise wrong(self.name, argument, f"is {given!r}, not a function")
        level = checked_plevel(plevel)
        always = suits or (lambda *args, **options: True)
        self.implementations.append(Implementation(name, compute, schedule, level, always))

    def select(self, *args: Any, **options: Any) -> Implementation:
        """The way to compute it of these arguments; raises `teloom.Error` if none suits them."""
        suited = [one for one in self.implementations if one.suits(*args, **options)]
        found = first_of(suited)
        if found is None:
            names = ", ".join(one.name for one in self.implementations) or "none"
            raise wrong(self.name, "arguments", f"suit no implementation; there are: {names}")
        return found
