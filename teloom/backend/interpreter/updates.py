"""The points of an update, in order, as the reference interpreter runs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Bounds = Callable[[Sequence[int]], range]
"""Where an axis runs, for the coordinates of the axes before it."""


def run_points(
    axes: Sequence[Bounds],
    body: Callable[[Sequence[int]], None],
    has_ended: Callable[[Sequence[int]], bool],
    until: int,
) -> None:
    """Runs `body` at the points of some axes, the first axis slowest.

    `has_ended` is asked for the first `until` coordinates, before each iteration of the last of
    these axes, whether its loop ends there; with 0 it is never asked.
    """
    # Each axis has the iterations that it still has.
    open_axes = [iter(axes[0](()))]
    point: list[int] = []
    while open_axes:
        del point[len(open_axes) - 1 :]
        index = next(open_axes[-1], None)
        if index is not None:
            point.append(index)
        if index is None or (len(point) == until and has_ended(point)):
            open_axes.pop()
        elif len(point) < len(axes):
            open_axes.append(iter(axes[len(point)](point)))
        else:
            body(point)
