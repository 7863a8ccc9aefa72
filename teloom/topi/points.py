"""Bodies of externs: code over buffers, and loops over the points of a box."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teloom import te
from teloom.topi.extents import are_many, is_one

LONGEST = 2**16
"""The most elements of a line for which each thread has memory of its own."""


def over_buffers(write: Callable[..., None]) -> Callable[[Any, Any], Any]:
    """The body of an extern: `write` gets a builder, and the buffers of inputs and outputs."""

    def body(ins: Any, outs: Any) -> Any:
        ib = te.ir_builder.create()
        write(ib, *map(ib.buffer_ptr, (*ins, *outs)))
        return ib.get()

    return body


def each_point(
    ib: Any,
    extents: list[Any],
    note: Callable[[list[Any]], None],
    *at: Any,
    kind: str = "serial",
) -> None:
    """Loops of a kind around what `note` notes, one per extent."""
    if len(at) == len(extents):
        note([*at])
        return
    with ib.for_range(0, extents[len(at)], kind=kind) as index:
        each_point(ib, extents, note, *at, index, kind=kind)


Place = Callable[[Any], tuple[Any, ...]]
"""The point at a position on a line."""


def each_line(ib: Any, extents: Sequence[Any], along: int, note: Callable[[Place], None]) -> None:
    """Loops around what `note` notes of each line along an axis.

    Threads share several lines if each has room for one of its own.
    """
    others = [extent for axis, extent in enumerate(extents) if axis != along]
    has_room = isinstance(extents[along], int) and extents[along] <= LONGEST
    are_several = not all(map(is_one, others))

    def note_line(at: list[Any]) -> None:
        note(lambda k: (*at[:along], k, *at[along:]))

    kind = kind_for(extents) if has_room and are_several else "serial"
    each_point(ib, others, note_line, kind=kind)


def kind_for(extents: Sequence[object]) -> str:
    """The kind of loops over so many points, of which none asks what another one finds."""
    return "parallel" if are_many(extents) else "serial"
