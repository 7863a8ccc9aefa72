"""Layouts, such as NCHW or NCHW4c: which letter is which axis."""

from __future__ import annotations

import re
from typing import NamedTuple

from teloom import te
from teloom.topi.arguments import a_text, shown, wrong


class LayoutAxis(NamedTuple):
    """One axis of a layout: its letter, and for a block of it how many elements that has."""

    letter: str
    block: int

    @property
    def primal(self) -> str:
        return self.letter.upper()


def layout_sides(name: str, argument: str, layout: str) -> list[LayoutAxis]:
    """The axes of a layout, in order; raises `teloom.Error` for what is none.

    >>> [one.block for one in layout_sides("layout_transform", "src_layout", "NCHW4c")]
    [0, 0, 0, 0, 4]
    """
    parts = re.findall(r"(\d*)([A-Za-z])", a_text(name, argument, layout))
    sides = [LayoutAxis(letter, int(number or 0)) for number, letter in parts]
    letters = [one.letter for one in sides]
    well = "".join(number + letter for number, letter in parts) == layout
    well = well and all((one.block > 0) == one.letter.islower() for one in sides)
    for letter in letters:  # a block stands behind its axis
        well = well and letters.count(letter) == 1
        well = well and letter.upper() in letters[: letters.index(letter) + 1]
    if not well:
        raise wrong(name, argument, f"is {layout!r}, which is no layout such as NCHW or NCHW4c")
    return sides


def lettered_axes(name: str, layout: str, data: te.Tensor, letters: str) -> list[int]:
    """The axes of `data` that the letters are in a layout, in their order.

    Raises `teloom.Error` for a layout without one of them, or of another number of axes.

    >>> lettered_axes("resize2d", "NHWC", te.placeholder((1, 8, 8, 3), name="A"), "HW")
    [1, 2]
    """
    found = [one.letter for one in layout_sides(name, "layout", layout)]
    if not {*letters} <= {*found}:
        raise wrong(name, "layout", f"is {layout!r}, which has no {letters}")
    if len(found) != data.ndim:
        raise wrong(name, "layout", f"is {layout!r}, but data is {shown(data)}")
    return [found.index(letter) for letter in letters]
