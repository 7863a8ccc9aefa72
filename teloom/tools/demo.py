"""Blurs a photograph with a compiled tensor program, and shows the program at every level.

The program is a 3x3 box blur in two stages. It is printed as Python, as tensor
expressions and schedule commands, as stages, loops, buffers and machine code; then it
runs on every colour of the photograph, beside the same blur in NumPy.
"""

import argparse
import inspect
import os
import re
import shutil
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from teloom.backend.call.threads import threads_of_call
from teloom.backend.machine.generators import MACHINE_LEVELS
from teloom.driver.function import Function
from teloom.errors import Error
from teloom.frontend import te
from teloom.frontend.call.build import build, lower
from teloom.passes.pipelines import LEVELS
from teloom.tools.timing import time_in_turns

try:
    from matplotlib import cbook
    from PIL import Image, ImageOps
except ImportError:  # the extra `demo` is not installed
    cbook = Image = ImageOps = None

HELP = "blur a photograph, and see the program at every level on the way"

ROUNDS = 50
"""The number of times that each blur is timed."""

ZOOM = 6
"""The magnification of the detail of the photograph."""

GAP = 12
"""Pixels between the parts of the picture."""

WHITE = 255


LABEL = re.compile(r"\s*\^|\.?\w+:$")
"""A line that begins a block, in the `llvm` dialect or in assembly."""


class Section(NamedTuple):
    """A level of IR: its heading, a description, and how many lines are shown."""

    level: str
    heading: str
    note: str
    lines: int
    begin: Callable[[list[str]], int] = lambda lines: 0
    """The first line of an excerpt."""


def _longest_block(lines: list[str]) -> int:
    """The first line of the longest block: an innermost loop."""
    labels = [k for k, line in enumerate(lines) if LABEL.match(line)]
    spans = [(after - label, label) for label, after in pairwise([*labels, len(lines)])]
    return max(spans)[1] if spans else 0


def _first_loop(lines: list[str]) -> int:
    return next((k for k, line in enumerate(lines) if "scf.for" in line), 0)


SECTIONS = (
    Section("te", "Tensor expressions", "what to compute: no order, no memory", 99),
    Section("commands", "Schedule", "how: the commands that the methods above recorded", 99),
    Section("schedule", "Stages", "commands applied; the range of every axis inferred", 99),
    Section("loop", "Loops", "nests over regions of tensors, in their own coordinates", 99),
    Section("memref", "Buffers", "coordinates have become addresses in flat memory", 24),
    Section("standard", "Vectors", "standard dialects of MLIR only", 24, _first_loop),
    Section("llvm", "LLVM", "blocks and pointers", 20, _longest_block),
    Section("asm", "Machine code", "of an innermost loop", 20, _longest_block),
)


def blur(height: int, width: int) -> tuple[te.Schedule, list[te.Tensor]]:
    A = te.placeholder((height + 2, width + 2), "float32", name="A")
    third = te.const(1 / 3, "float32")
    bx = te.compute(
        (height + 2, width),
        lambda y, x: (A[y, x] + A[y, x + 1] + A[y, x + 2]) * third,
        name="bx",
    )
    by = te.compute(
        (height, width),
        lambda y, x: (bx[y, x] + bx[y + 1, x] + bx[y + 2, x]) * third,
        name="by",
    )

    s = te.create_schedule(by)
    y_outer, x_outer, _, x_inner = s[by].tile(*by.op.axis, 16, 128)
    s[by].parallel(y_outer)
    s[by].vectorize(x_inner)
    s[bx].compute_at(s[by], x_outer)
    s[bx].vectorize(bx.op.axis[1])
    return s, [A, by]


def blur_numpy(a: np.ndarray) -> np.ndarray:
    """The same blur with slices of arrays."""
    third = np.float32(1 / 3)
    bx = (a[:, :-2] + a[:, 1:-1] + a[:, 2:]) * third
    return (bx[:-2] + bx[1:-1] + bx[2:]) * third


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `teloom demo`."""
    levels = ", ".join((*LEVELS, *MACHINE_LEVELS))
    parser.add_argument(
        "image",
        nargs="?",
        metavar="IMAGE",
        help="a photograph, gray or in colour (default: the sample that matplotlib ships)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="teloom-demo.png",
        help="where to write the picture of both, as PNG (default: %(default)s)",
    )
    parser.add_argument(
        "--level",
        choices=(*LEVELS, *MACHINE_LEVELS),
        metavar="LEVEL",
        help=f"only print the program at this level, whole: {levels}",
    )


def run(options: argparse.Namespace) -> None:
    """Runs the demo; raises `teloom.Error` for what the user can mend."""
    if Image is None:
        raise Error("matplotlib is missing; install it with: pip install 'teloom[demo]'")
    output = Path(options.output)
    if not output.parent.is_dir():
        raise Error(f"{output} cannot be written: no folder {output.parent}")
    name, pixels = _read(options.image)
    height, width, _ = pixels.shape
    s, args = blur(height, width)
    if options.level:
        print(build(s, args, name="blur").source(options.level))
        return
    start = time.perf_counter()
    kernel = build(s, args, name="blur")
    seconds = time.perf_counter() - start
    colours = "gray" if pixels.shape[2] == 1 else "in colour"
    print(f"A 3x3 box blur of {name}, {width} x {height} pixels, {colours}.")
    _show_levels(s, args, kernel)
    _heading("Run", "on this machine")
    print(f"  built in {seconds * 1e3:.0f} ms")
    blurred = _run_beside_numpy(kernel, pixels)
    _write(output, pixels, blurred)


# --- pictures ---


def _read(path: str | None) -> tuple[str, np.ndarray]:
    """The name of a picture and its pixels: height x width x 1 or 3, uint8."""
    assert Image is not None
    assert ImageOps is not None
    assert cbook is not None
    place = Path(path or str(cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)))
    try:
        with Image.open(place) as file:
            picture = ImageOps.exif_transpose(file)
            picture = picture.convert("L" if picture.mode in ("1", "L", "LA") else "RGB")
    except FileNotFoundError:
        raise Error(f"{place}: no such file") from None
    except Image.UnidentifiedImageError:
        raise Error(f"{place} is not a picture of a format that is known here") from None
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        words = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise Error(f"{place} cannot be read: {words}") from None
    pixels = np.asarray(picture)
    return place.name, pixels.reshape(*pixels.shape[:2], -1)


def _write(path: Path, before: np.ndarray, after: np.ndarray) -> None:
    """Writes both pictures side by side, and below an enlarged detail of each."""
    assert Image is not None
    place = _liveliest(np.abs(before.astype(int) - after).sum(axis=2))
    sides = [np.vstack([pixels, _detail(pixels, place)]) for pixels in (before, after)]
    gap = np.full((len(sides[0]), GAP, before.shape[2]), WHITE, np.uint8)
    both = np.hstack([sides[0], gap, sides[1]])
    try:
        Image.fromarray(both.squeeze(axis=2) if both.shape[2] == 1 else both).save(path, "PNG")
    except OSError as error:
        raise Error(f"{path} cannot be written: {error.strerror or error}") from None
    print(f"  wrote {path}: before, after, and a detail of each, {ZOOM} times enlarged")


def _liveliest(change: np.ndarray) -> tuple[slice, slice]:
    """The part in which the pictures differ most; enlarged, it is as wide and half as high."""
    height, width = change.shape
    rows, columns = -(-height // (2 * ZOOM)), -(-width // ZOOM)
    parts = [
        (slice(top, top + rows), slice(left, left + columns))
        for top in range(0, height - rows + 1, rows)
        for left in range(0, width - columns + 1, columns)
    ]
    return max(parts, key=lambda part: int(change[part].sum()))


def _detail(pixels: np.ndarray, place: tuple[slice, slice]) -> np.ndarray:
    """A part of a picture, enlarged to the width of the whole, below a gap."""
    width, colours = pixels.shape[1:]
    large = pixels[place].repeat(ZOOM, axis=0).repeat(ZOOM, axis=1)[:, :width]
    return np.vstack([np.full((GAP, width, colours), WHITE, np.uint8), large])


# --- the run ---


def _run_beside_numpy(kernel: Function, pixels: np.ndarray) -> np.ndarray:
    """Blurs every colour, checks and times it; returns the blurred pixels."""
    bordered = np.pad(pixels, ((1, 1), (1, 1), (0, 0)), mode="edge")
    planes = np.ascontiguousarray(bordered.transpose(2, 0, 1), dtype="float32")
    height, width, colours = pixels.shape
    blurred = np.empty((colours, height, width), "float32")

    def ours() -> None:
        for plane, out in zip(planes, blurred, strict=True):
            kernel(plane, out)

    def numpys() -> list[np.ndarray]:
        return [blur_numpy(plane) for plane in planes]

    ours()
    difference = float(np.max(np.abs(blurred - np.stack(numpys()))))
    # Values up to 255, each rounded six times.
    if difference > 255 * 6 * np.finfo("float32").eps:
        raise AssertionError(f"the result differs from NumPy's by {difference}")
    print(f"  agrees with NumPy in all {blurred.size:,} values (largest difference {difference:g})")

    times = {
        name: taken.median
        for name, taken in time_in_turns({"Teloom": ours, "NumPy": numpys}, ROUNDS).items()
    }
    slowest = max(times.values())
    print()
    for name, seconds in times.items():
        bar = "█" * max(1, round(40 * seconds / slowest))
        print(f"  {name:<7} {seconds * 1e3:8.2f} ms  {bar}")
    ratio = times["NumPy"] / times["Teloom"]
    if ratio >= 1:
        verdict = f"{ratio:.1f} times as fast as NumPy's slices"
    else:
        verdict = f"{1 / ratio:.1f} times as slow as NumPy's slices"
    count = threads_of_call(None)
    print(f"  {verdict}; the parallel loop runs on {count} thread{'s' * (count > 1)}\n")
    return np.rint(blurred).astype(np.uint8).transpose(1, 2, 0)


# --- what is printed ---


def _show_levels(s: te.Schedule, args: list[te.Tensor], kernel: Function) -> None:
    _heading("Python", "what a user writes")
    for line in inspect.getsource(blur).splitlines():
        print(f"  {line}".rstrip())
    modules: dict[str, ModuleOp] = {}
    for section in SECTIONS:
        _heading(section.heading, section.note)
        if section.level in MACHINE_LEVELS:
            text = kernel.source(section.level)
        else:
            level = "te" if section.level == "commands" else section.level
            if level not in modules:
                modules[level] = lower(s, args, name="blur", level=level)
            ops = list(modules[level].body.block.ops)
            # At level 6 the loop is in a function of its own, the longest.
            longest = max((str(op) for op in ops[: 1 if level == "te" else None]), key=len)
            text = str(ops[-1]) if section.level == "commands" else longest
        _excerpt(text, section)


def _excerpt(text: str, section: Section) -> None:
    lines = [line.expandtabs(4) for line in text.splitlines()]
    begin = section.begin(lines)
    shown = lines[begin : begin + section.lines]
    indent = min(len(line) - len(line.lstrip()) for line in shown if line.strip())
    width = _width()
    for line in shown:
        line = "  " + line[indent:]
        print(line if len(line) <= width else line[: width - 1] + "…")
    if left := len(lines) - len(shown):
        print(_dim(f"  … {left} more lines: teloom demo --level {section.level}"))


def _heading(title: str, note: str) -> None:
    line = f"── {title} "
    print(
        f"\n{_bold(line)}{_dim(f'· {note} ')}{'─' * max(0, _width() - len(line) - len(note) - 3)}"
    )


def _width() -> int:
    return min(shutil.get_terminal_size((100, 24)).columns, 120)


def _styled(text: str, code: int) -> str:
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ
    return text if plain else f"\033[{code}m{text}\033[0m"


def _bold(text: str) -> str:
    return _styled(text, 1)


def _dim(text: str) -> str:
    return _styled(text, 2)
