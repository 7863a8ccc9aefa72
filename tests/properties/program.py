"""A generated te program as data: its text is a Python script, so that a failure prints one."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Extent:
    """The extent of an axis: its value in this run, which is that of `base + offset`."""

    value: int
    base: str = ""
    offset: int = 0

    @property
    def text(self) -> str:
        if not self.base:
            return str(self.value)
        if not self.offset:
            return self.base
        return f"{self.base} {'+' if self.offset > 0 else '-'} {abs(self.offset)}"

    def plus(self, offset: int) -> "Extent":
        return Extent(self.value + offset, self.base, self.offset + offset)

    def halved(self) -> "Extent":
        """The number of even subscripts."""
        return Extent((self.value + 1) // 2, self.base and f"({self.plus(1).text}) // 2")


@dataclass(frozen=True)
class Tensor:
    """A name that can be read; elements lie in `low..high`, inclusive, where it is an input.

    Its axes begin at 0, or at `begins`.
    """

    name: str
    extents: tuple[Extent, ...]
    dtype: str
    low: int = 0
    high: int = 0
    begins: tuple[int, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(extent.value for extent in self.extents)


@dataclass(frozen=True)
class Stage:
    """An equation: `body` is te text over the axes `i0, i1, ...`, from 0, and the reduce axes.

    `bounds` has the (lower, upper), as te text, of reduce axes whose bounds are over other axes;
    they lie in the extents of these. It has the elements at which `domain`, te text, holds.

    With `start`, it is an update that begins as the tensor of that name: `body` is what a point
    of the reduce axes writes, and where, and reads the state `h`.
    """

    name: str
    results: tuple[Tensor, ...]
    reduce_axes: tuple[tuple[str, Extent], ...]
    body: str
    reads: tuple[str, ...]
    bounds: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    start: str = ""
    is_reorderable: bool = False
    domain: str = ""

    @property
    def extents(self) -> tuple[Extent, ...]:
        return self.results[0].extents

    @property
    def axes(self) -> list[str]:
        return [f"i{position}" for position in range(len(self.extents))]

    def update_lines(self) -> list[str]:
        """The statements that define an update; bounds are over axes before."""
        sides = [self.bounds.get(name, ("0", extent.text)) for name, extent in self.reduce_axes]
        names = [name for name, _ in self.reduce_axes]
        declared = ", reorderable=True" if self.is_reorderable else ""
        return [
            *(
                f'{name} = te.reduce_axis(({lower}, {upper}), "{name}")'
                for name, (lower, upper) in zip(names, sides, strict=True)
            ),
            f"{self.results[0].name} = te.update({self.start}, [{', '.join(names)}], "
            f'lambda h, {", ".join(names)}: {self.body}, name="{self.name}"{declared})',
        ]

    def lines(self) -> list[str]:
        """The statements that define it."""
        if self.start:
            return self.update_lines()
        lines = [
            f'{name} = te.reduce_axis((0, {extent.text}), "{name}")'
            for name, extent in self.reduce_axes
            if name not in self.bounds
        ]
        made = [
            f'{name} := te.reduce_axis(({lower}, {upper}), "{name}")'
            for name, (lower, upper) in self.bounds.items()
        ]
        begins = self.results[0].begins
        moved = [f"{axis} := b_{axis} - {begin}" for axis, begin in zip(self.axes, begins)]
        made = moved + made
        body = f"[{', '.join([*made, self.body])}][-1]" if made else self.body
        targets = ", ".join(result.name for result in self.results)
        shape = _tuple_text(extent.text for extent in self.extents)
        if begins:
            sides = zip(begins, self.extents, strict=True)
            shape = _tuple_text(f"({begin}, {begin} + {extent.text})" for begin, extent in sides)
        names = [f"b_{axis}" for axis in self.axes] if begins else self.axes
        arguments = f" {', '.join(names)}" if names else ""
        domain = f"[{', '.join([*moved, self.domain])}][-1]"
        more = f", domain=lambda{arguments}: {domain}" if self.domain else ""
        return [
            *lines,
            f'{targets} = te.compute({shape}, lambda{arguments}: {body}, name="{self.name}"{more})',
            *(
                f"{name} = {self.results[0].name}.op.reduce_axis[{number}]"
                for number, (name, _) in enumerate(self.reduce_axes)
                if name in self.bounds
            ),
        ]


@dataclass(frozen=True)
class Program:
    """Inputs and stages in order; an output is a stage that no other one reads, or is in `kept`."""

    sizes: Mapping[str, int]
    inputs: tuple[Tensor, ...]
    stages: tuple[Stage, ...]
    kept: tuple[str, ...] = ()

    @property
    def output_stages(self) -> list[Stage]:
        read = {name for stage in self.stages for name in stage.reads}
        return [
            stage
            for stage in self.stages
            if stage.name in self.kept or not read & {result.name for result in stage.results}
        ]

    @property
    def outputs(self) -> list[Tensor]:
        return [result for stage in self.output_stages for result in stage.results]

    def consumers(self, stage: Stage) -> list[Stage]:
        names = {result.name for result in stage.results}
        return [other for other in self.stages if names & set(other.reads)]

    def lines(self) -> list[str]:
        """The te script that defines every tensor and the schedule `s`."""
        lines = [f'{name} = te.size_var("{name}")' for name in self.sizes]
        for tensor in self.inputs:
            shape = _tuple_text(extent.text for extent in tensor.extents)
            lines.append(
                f'{tensor.name} = te.placeholder({shape}, "{tensor.dtype}", name="{tensor.name}")'
            )
        if any("argmax(" in stage.body for stage in self.stages):
            lines += ARGMAX
        for stage in self.stages:
            lines += stage.lines()
        operations = ", ".join(f"{stage.results[0].name}.op" for stage in self.output_stages)
        lines.append(f"s = te.create_schedule([{operations}])")
        return lines

    def __repr__(self) -> str:
        sizes = [f"# {name} is {value}" for name, value in self.sizes.items()]
        return "\n".join(["", *sizes, *self.lines(), ""])

    def _repr_pretty_(self, printer, cycle) -> None:
        printer.text(repr(self))  # Hypothesis would print the fields

    def arrays(self, seed: int = 0) -> list[np.ndarray]:
        """Values of the inputs: small integers, so that most float results are exact."""
        rng = np.random.default_rng(seed)
        return [
            rng.integers(tensor.low, tensor.high, tensor.shape, endpoint=True).astype(tensor.dtype)
            for tensor in self.inputs
        ]


# Of equal values the one of least index wins: so the combiner is commutative, as it must be.
ARGMAX = """\
def largest(x, y):
    first = (x[1] > y[1]) | ((x[1] == y[1]) & (x[0] < y[0]))
    return te.select(first, x[0], y[0]), te.select(first, x[1], y[1])
argmax = te.comm_reducer(
    largest, lambda t0, t1: (te.max_value(t0), te.min_value(t1)), name="argmax"
)""".split("\n")


def _tuple_text(texts) -> str:
    return "(" + "".join(f"{text}, " for text in texts).rstrip(" ") + ")"
