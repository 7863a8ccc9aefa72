"""A picture of memory in SVG: one bar per buffer, as wide as its live range."""

from __future__ import annotations

from itertools import cycle
from xml.sax.saxutils import escape

from teloom.analysis.memory.use import MemoryUse

_WIDTH, _HEIGHT, _MARGIN = 800.0, 400.0, 20.0
_ROW = 12.0
"""The height of memory of unknown size."""
_COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#edc948")


def picture(use: MemoryUse) -> str:
    """The allocations in a stack, each as high as its size in bytes; dashed if that is unknown."""
    known = sum(one.bytes or 0 for one in use.allocations)
    rows = sum(one.bytes is None for one in use.allocations)
    across, up = _WIDTH / (use.ops + 1), _HEIGHT / (known or 1)
    drawn = _HEIGHT * (known > 0 or not rows) + rows * _ROW
    parts: list[str] = []

    def bar(first: int, last: int, low: float, height: float, label: str, style: str) -> None:
        x, width = _MARGIN + first * across, (last - first + 1) * across
        y = _MARGIN + drawn - low - height
        parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {style}>'
            f"<title>{escape(label)}</title></rect>"
        )

    colours = cycle(_COLOURS)
    below = 0.0
    for one in use.allocations:
        height, outline = _ROW, 'fill="none" stroke="#888" stroke-dasharray="4"'
        if one.bytes is not None:
            height, outline = one.bytes * up, 'fill="none" stroke="#888"'
        size = one.size if one.bytes is None else one.bytes
        label = f"{one.name}: {size} bytes, {one.scope}, {one.place}"
        bar(one.first, one.last, below, height, label, outline)
        for buffer in one.buffers:
            colour = f'fill="{next(colours)}" fill-opacity="0.7"'
            if one.bytes is None or buffer.bytes is None or buffer.offset is None:
                label = f"{buffer.name}: {buffer.size} bytes"
                bar(buffer.first, buffer.last, below, height, label, colour)
                continue
            label = f"{buffer.name}: {buffer.bytes} bytes at {buffer.offset}"
            low = below + buffer.offset * up
            bar(buffer.first, buffer.last, low, buffer.bytes * up, label, colour)
        below += height
    width, height = _WIDTH + 2 * _MARGIN, drawn + 2 * _MARGIN
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
            f'width="{width:.0f}" height="{height:.0f}">',
            f"<title>memory of {escape(use.function)}: ops from left to right, "
            "bytes from below</title>",
            *parts,
            "</svg>",
        )
    )
