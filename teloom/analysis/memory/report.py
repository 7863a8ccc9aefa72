"""The memory of a function before and after `buffer-reuse`, as text, JSON and SVG."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from teloom.analysis.memory.picture import picture
from teloom.analysis.memory.use import MemoryUse


@dataclass(frozen=True)
class MemoryReport:
    """The memory of a function before and after `buffer-reuse`."""

    before: MemoryUse
    after: MemoryUse

    @property
    def text(self) -> str:
        """A table of bytes per scope, and one of all buffers after `buffer-reuse`."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        kinds = sorted({*self.before.kinds(), *self.after.kinds()})
        rows = [("bytes at one time", "before", "after")]
        for kind in (*kinds, None):
            before, after = (_peak(use, kind) for use in (self.before, self.after))
            rows.append((", ".join(kind) if kind else "all", before, after))
        yield from _table(rows)
        yield ""
        buffers = [("buffer", "in", "scope", "place", "bytes", "offset", "ops")]
        for one in self.after.allocations:
            for buffer in one.buffers:
                size = buffer.size if buffer.bytes is None else str(buffer.bytes)
                offset = "?" if buffer.offset is None else str(buffer.offset)
                ops = f"{buffer.first}..{buffer.last}"
                buffers.append((buffer.name, one.name, one.scope, one.place, size, offset, ops))
        yield from _table(buffers)

    def __str__(self) -> str:
        return self.text

    def json(self) -> str:
        """The whole report as one JSON object."""
        uses = {"before": self.before, "after": self.after}
        data = {key: asdict(use) | {"peak": use.peak()} for key, use in uses.items()}
        return json.dumps(data, indent=2)

    def svg(self) -> str:
        """A picture of the buffers after `buffer-reuse`: addresses upwards, ops to the right."""
        return picture(self.after)

    def _repr_svg_(self) -> str:
        return self.svg()


def _peak(use: MemoryUse, kind: tuple[str, str] | None) -> str:
    peak = use.peak(kind)
    return f"at most {use.total(kind)}" if peak is None else str(peak)


def _table(rows: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
