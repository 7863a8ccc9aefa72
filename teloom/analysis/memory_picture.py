"""A picture of memory in SVG: one bar per buffer, over the ops that need it."""

from __future__ import annotations

from xml.sax.saxutils import escape

from teloom.analysis.memory_use import MemoryUse

_WIDTH, _HEIGHT, _MARGIN = 800.0, 400.0, 20.0
_COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#edc948")


def picture(use: MemoryUse) -> str:
    """The allocations above each other, each as high as its bytes; unknown ones are left out."""
    known = [one for one in use.allocations if one.bytes]
    total = sum(one.bytes or 0 for one in known) or 1
    across, up = _WIDTH / (use.ops + 1), _HEIGHT / total
    parts: list[str] = []
    below = 0

    def bar(first: int, last: int, start: int, bytes: int, label: str, style: str) -> str:
        x, width = _MARGIN + first * across, (last - first + 1) * across
        height = bytes * up
        y = _MARGIN + _HEIGHT - start * up - height
        return (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {style}>'
            f"<title>{escape(label)}</title></rect>"
        )

    number = 0
    for one in known:
        assert one.bytes is not None
        outline = 'fill="none" stroke="#888"'
        label = f"{one.name}: {one.bytes} bytes, {one.scope}, {one.place}"
        parts.append(bar(one.first, one.last, below, one.bytes, label, outline))
        for buffer in one.buffers:
            if buffer.bytes is None or buffer.offset is None:
                continue
            colour = f'fill="{_COLOURS[number % len(_COLOURS)]}" fill-opacity="0.7"'
            label = f"{buffer.name}: {buffer.bytes} bytes at {buffer.offset}"
            start = below + buffer.offset
            parts.append(bar(buffer.first, buffer.last, start, buffer.bytes, label, colour))
            number += 1
        below += one.bytes
    width, height = _WIDTH + 2 * _MARGIN, _HEIGHT + 2 * _MARGIN
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
