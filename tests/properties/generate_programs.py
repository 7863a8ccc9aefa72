"""Random te programs: chains and graphs of one to four stages, one function per kind of stage."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from hypothesis import strategies as st
from properties.program import Extent, Program, Stage, Tensor

DTYPES = ("float32", "float32", "float64", "int32", "int64", "uint8", "int8")
VALUES = (0, 1, 2, 3, 4, 5, 7, 8, 13)
MOST_POINTS = 5000  # of one stage, reduce axes included: the interpreter is slow

RARELY = (True, *[False] * 5)

T = TypeVar("T")
Draw = Callable[[st.SearchStrategy[Any]], Any]


@st.composite
def terms(
    draw: Draw,
    leaves: Sequence[Callable[..., Any]],
    operations: Sequence[Callable[[Any, Any], Any]],
    depth: int,
) -> Callable[..., Any]:
    """A function of what leaves are functions of: a tree of operations on leaves."""
    if not depth or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(leaves))
    operation = draw(st.sampled_from(operations))
    left, right = (draw(terms(leaves, operations, depth - 1)) for _ in range(2))
    return lambda *of: operation(left(*of), right(*of))


@st.composite
def programs(draw: Draw) -> Program:
    """A program; its repr is the script that builds it."""
    return _Generator(draw).program()


class _Generator:
    def __init__(self, draw: Draw):
        self.draw = draw
        self.sizes: dict[str, int] = {}
        self.extents: list[Extent] = []
        self.inputs: list[Tensor] = []
        self.tensors: list[Tensor] = []
        self.stages: list[Stage] = []

    def program(self) -> Program:
        for name in ("n", "m"):
            value = self.pick(VALUES)
            if self.pick((True, False, False)):
                self.sizes[name] = value
                self.extents.append(Extent(value, name))
            else:
                self.extents.append(Extent(value))
        self.new_input(self.pick((1, 2, 2, 3)))
        for _ in range(self.pick((1, 2, 2, 3, 4))):
            while not self.pick(KINDS)(self, self.source()):
                pass  # that kind does not fit this tensor
        read = {name for stage in self.stages for name in stage.reads}
        inputs = tuple(tensor for tensor in self.inputs if tensor.name in read)
        used = "".join(e.text for t in (*inputs, *self.results()) for e in t.extents)
        used += "".join(e.text for stage in self.stages for _, e in stage.reduce_axes)
        sizes = {name: value for name, value in self.sizes.items() if name in used}
        return Program(sizes, inputs, tuple(self.stages))

    def pick(self, choices: Sequence[T]) -> T:
        return self.draw(st.sampled_from(choices))

    def results(self) -> list[Tensor]:
        return [result for stage in self.stages for result in stage.results]

    def new_input(
        self,
        rank: int,
        dtype: str | None = None,
        extents: Sequence[Extent] | None = None,
        limits: tuple[int, int] | None = None,
    ) -> Tensor:
        """One more input; without the optional arguments they are drawn."""
        dtype = dtype or self.pick(DTYPES)
        if extents is None:
            extents = [self.pick(self.extents) for _ in range(rank)]
        low, high = limits or (0 if dtype.startswith("u") else -4, 4)
        name = "ABCDEFGHIJKLMN"[len(self.inputs)]
        tensor = Tensor(name, tuple(extents), dtype, low, high)
        self.inputs.append(tensor)
        self.tensors.append(tensor)
        return tensor

    def source(self) -> Tensor:
        """A tensor to read, mostly the latest."""
        return self.tensors[-1] if self.pick((True, True, False)) else self.pick(self.tensors)

    def stage(
        self,
        extents: Sequence[Extent],
        dtype: str,
        body: str,
        reads: Sequence[Tensor],
        reduce_axes: Sequence[tuple[str, Extent]] = (),
        bounds: Mapping[str, tuple[str, str]] = MappingProxyType({}),
    ) -> bool:
        """Adds a stage of one result; False if it has too many points."""
        return self.stage_of_several(extents, {"": dtype}, body, reads, reduce_axes, bounds)

    def stage_of_several(
        self,
        extents: Sequence[Extent],
        dtypes: dict[str, str],
        body: str,
        reads: Sequence[Tensor],
        reduce_axes: Sequence[tuple[str, Extent]] = (),
        bounds: Mapping[str, tuple[str, str]] = MappingProxyType({}),
    ) -> bool:
        return self.add(extents, dtypes, body, reads, reduce_axes, bounds=bounds)

    def add(
        self,
        extents: Sequence[Extent],
        dtypes: dict[str, str],
        body: str,
        reads: Sequence[Tensor],
        reduce_axes: Sequence[tuple[str, Extent]] = (),
        **more: Any,
    ) -> bool:
        """Adds a stage; False if it has too many points."""
        points = 1
        for extent in (*extents, *(extent for _, extent in reduce_axes)):
            points *= extent.value
        if points > MOST_POINTS:
            return False
        name = self.next_name()
        may_begin = "start" not in more and self.pick(RARELY)
        begins = tuple(self.pick((-3, -1, 0, 2)) for _ in extents) if may_begin else ()
        results = tuple(
            Tensor(name + end, tuple(extents), dtype, begins=begins)
            for end, dtype in dtypes.items()
        )
        self.tensors += results
        read = tuple(tensor.name for tensor in reads)
        self.stages.append(Stage(name, results, tuple(reduce_axes), body, read, **more))
        return True

    def next_name(self) -> str:
        return f"S{len(self.stages)}"

    def next_axis(self, number: int = 0) -> str:
        return f"k{len(self.stages)}_{number}"


def axes(count: int) -> list[str]:
    return [f"i{position}" for position in range(count)]


def read(tensor: Tensor, subscripts: Sequence[str]) -> str:
    if tensor.begins:
        pairs = zip(subscripts, tensor.begins, strict=True)
        subscripts = [f"{one} + ({begin})" if begin else one for one, begin in pairs]
    return f"{tensor.name}[{', '.join(subscripts) or '()'}]"


def cast(text: str, source: str, target: str) -> str:
    return text if source == target else f'{text}.astype("{target}")'


def is_float(dtype: str) -> bool:
    return dtype.startswith("float")


def elementwise(g: _Generator, x: Tensor) -> bool:
    """An operation on a tensor, and on another one broadcast to it."""
    at = axes(len(x.extents))
    value = read(x, at)
    fits = [(y, s) for y in g.tensors if (s := _broadcast(g, y, x)) is not None]
    if at and fits and g.pick((True, True, False)):
        y, subscripts = g.pick(fits)
        dtype = y.dtype if is_float(y.dtype) and not is_float(x.dtype) else x.dtype
        value, other = cast(value, x.dtype, dtype), cast(read(y, subscripts), y.dtype, dtype)
        form = g.pick(
            (
                "{0} + {1}",
                "{0} - {1}",
                "{0} * {1}",
                "te.max({0}, {1})",
                "te.min({0}, {1})",
                "te.select(i0 % 2 == 0, {0}, {1})",
                "te.if_then_else(i0 < 3, {0}, {1})",
            )
        )
        return g.stage(x.extents, dtype, form.format(value, other), [x, y])
    forms = ["{0} + 1", "{0} * 3 - 1", "te.max({0}, 3 - {0})"]
    if is_float(x.dtype):
        forms += ["te.tanh({0})", "te.exp(te.min({0}, 2))", "te.abs({0})"]
    else:
        forms += ["{0} // 3", "{0} % 5", '{0}.astype("float32")']
    if at:
        forms += [f'{{0}} + i0.astype("{x.dtype}")']
    form = g.pick(forms)
    dtype = "float32" if "float32" in form else x.dtype
    return g.stage(x.extents, dtype, form.format(value), [x])


def _broadcast(g: _Generator, y: Tensor, x: Tensor) -> list[str] | None:
    """Subscripts at which y can be read at every point of x, if there are any."""
    subscripts = []
    for extent in y.extents:
        fitting = [f"i{axis}" for axis, other in enumerate(x.extents) if other == extent]
        if extent == Extent(1):
            fitting.append("0")
        if not fitting:
            return None
        subscripts.append(g.pick(fitting))
    return subscripts


def stencil(g: _Generator, x: Tensor) -> bool:
    """A sum of shifted reads along one axis, which loses two points."""
    wide = [axis for axis, extent in enumerate(x.extents) if extent.value >= 2]
    if not wide:
        return False
    axis = g.pick(wide)
    extents = list(x.extents)
    extents[axis] = extents[axis].plus(-2)
    terms = []
    for shift in g.pick(((0, 1, 2), (0, 2), (2, 1))):
        at = axes(len(extents))
        at[axis] += f" + {shift}" if shift else ""
        terms.append(read(x, at))
    return g.stage(extents, x.dtype, " + ".join(terms), [x])


def pad(g: _Generator, x: Tensor) -> bool:
    """A border of one point of zeros around one axis."""
    if not x.extents:
        return False
    axis = g.pick(range(len(x.extents)))
    extents = list(x.extents)
    extents[axis] = extents[axis].plus(2)
    at = axes(len(extents))
    inside = f"te.all({at[axis]} >= 1, {at[axis]} < {extents[axis].plus(-1).text})"
    at[axis] += " - 1"
    zero = "0.0" if is_float(x.dtype) else "0"
    body = f"te.if_then_else({inside}, {read(x, at)}, {zero})"
    return g.stage(extents, x.dtype, body, [x])


def part(g: _Generator, x: Tensor) -> bool:
    """A part of a tensor, and then all of it, with zeros where that has no elements."""
    if not x.extents:
        return False
    forms = ["i0 >= 1", "i0 % 3 == 1"]
    if len(x.extents) > 1:
        forms += ["i1 <= i0", "i0 < i1", "i0 + i1 <= 5, i0 >= 1", "i0 - i1 <= 1, i1 - i0 <= 2"]
        forms += ["i1 <= i0 // 2", "(i0 + i1) % 2 == 0"]
    inside = f"te.all({g.pick(forms)})"
    at = axes(len(x.extents))
    if not g.add(x.extents, {"": x.dtype}, f"{read(x, at)} * 2", [x], domain=inside):
        return False
    some = g.tensors.pop()  # no other stage may read all of it
    zero = "0.0" if is_float(x.dtype) else "0"
    body = f"te.if_then_else({inside}, {read(some, at)}, {zero})"
    return g.stage(x.extents, x.dtype, body, [some])


def transpose(g: _Generator, x: Tensor) -> bool:
    """The axes in another order."""
    if len(x.extents) < 2:
        return False
    order = g.draw(st.permutations(range(len(x.extents))))
    at = [f"i{order.index(axis)}" for axis in range(len(order))]
    return g.stage([x.extents[axis] for axis in order], x.dtype, read(x, at), [x])


def every_other(g: _Generator, x: Tensor) -> bool:
    """The even subscripts of one axis, or all of them backwards."""
    if not x.extents:
        return False
    axis = g.pick(range(len(x.extents)))
    extents, at = list(x.extents), axes(len(x.extents))
    if g.pick((True, False)):
        extents[axis] = extents[axis].halved()
        at[axis] += " * 2"
    else:
        at[axis] = f"{extents[axis].text} - 1 - {at[axis]}"
    return g.stage(extents, x.dtype, read(x, at), [x])


def reduction(g: _Generator, x: Tensor) -> bool:
    """A sum, maximum or minimum over one or two axes, of a tensor or of a product."""
    if not x.extents:
        return False
    count = min(g.pick((1, 1, 2)), len(x.extents))
    reduced = sorted(g.draw(st.permutations(range(len(x.extents))))[:count])
    names = {axis: g.next_axis(number) for number, axis in enumerate(reduced)}
    kept = [axis for axis in range(len(x.extents)) if axis not in names]
    subscripts = names | {axis: f"i{position}" for position, axis in enumerate(kept)}
    value = read(x, [subscripts[axis] for axis in range(len(x.extents))])
    value += g.pick(("", "", " * 2", " * 3"))
    word, axes_text = g.pick(("sum", "max", "min")), ", ".join(names.values())
    where = g.pick(("", "", f", where={axes_text.split(', ')[0]} % 2 == 0"))
    body = f"te.{word}({value}, axis=[{axes_text}]{where})"
    return g.stage(
        [x.extents[axis] for axis in kept],
        x.dtype,
        body,
        [x],
        [(name, x.extents[axis]) for axis, name in names.items()],
    )


def triangle(g: _Generator, x: Tensor) -> bool:
    """A sum or maximum over one or two axes with bounds over the axes before, or from data."""
    if not x.extents:
        return False
    count = min(g.pick((1, 1, 2)), len(x.extents))
    reduced, kept = x.extents[:count], list(x.extents[count:])
    if not all(extent.value for extent in reduced):
        return False  # bounds that are none anywhere are refused
    if not kept or g.pick((True, False)):
        kept.append(g.pick(x.extents))
    names = [g.next_axis(number) for number in range(count)]
    before = {f"i{position}": extent for position, extent in enumerate(kept)}
    bounds: dict[str, tuple[str, str]] = {}
    reads = [x]
    for name, extent in zip(names, reduced, strict=True):
        axis = g.pick(sorted(before))
        forms = [(axis, extent.text), (f"{axis} // 2", extent.text), (f"{axis} * 2", extent.text)]
        forms += [("0", f"{extent.text} - {axis}"), (axis, f"{extent.text} - {axis}")]
        if before[axis] == extent:
            forms += [("0", f"{axis} + 1"), (f"{axis} // 3", axis)] * 2
        bounds[name] = g.pick(forms)
        if axis.startswith("i") and g.pick((True, False)):
            sides = [*bounds[name]]
            for side in g.pick(((0,), (1,), (0, 1))):
                reads.append(g.new_input(1, "int32", [before[axis]], (0, extent.value)))
                sides[side] = read(reads[-1], [axis])
            bounds[name] = (sides[0], sides[1])
        before[name] = extent
    at = [*names, *axes(len(x.extents) - count)]
    body = f"te.{g.pick(('sum', 'max'))}({read(x, at)}, axis=[{', '.join(names)}])"
    return g.stage(kept, x.dtype, body, reads, [*zip(names, reduced, strict=True)], bounds)


def matmul(g: _Generator, x: Tensor) -> bool:
    """The product with a matrix that is a new input, perhaps added to a row that is one too."""
    if len(x.extents) != 2:
        return False
    y = g.new_input(2, x.dtype, [x.extents[1], g.pick(g.extents)])
    k = g.next_axis()
    reads, init = [x, y], ""
    if g.pick((True, False, False)):
        reads.append(g.new_input(1, x.dtype, [y.extents[1]]))
        init = f", init={reads[-1].name}[i1]"
    body = f"te.sum({read(x, ['i0', k])} * {read(y, [k, 'i1'])}, axis=[{k}]{init})"
    return g.stage([x.extents[0], y.extents[1]], x.dtype, body, reads, [(k, x.extents[1])])


def window_sum(g: _Generator, x: Tensor) -> bool:
    """A sum over a window of three that slides along one axis."""
    wide = [axis for axis, extent in enumerate(x.extents) if extent.value >= 2]
    if not wide:
        return False
    axis, k = g.pick(wide), g.next_axis()
    extents, at = list(x.extents), axes(len(x.extents))
    extents[axis] = extents[axis].plus(-2)
    at[axis] += f" + {k}"
    body = f"te.sum({read(x, at)}, axis=[{k}])"
    return g.stage(extents, x.dtype, body, [x], [(k, Extent(3))])


def two_values(g: _Generator, x: Tensor) -> bool:
    """Two tensors that do not need each other."""
    element, dtypes = read(x, axes(len(x.extents))), {"_twice": x.dtype, "_once": x.dtype}
    return g.stage_of_several(x.extents, dtypes, f"({element} * 2, {element})", [x])


def arg_reduction(g: _Generator, x: Tensor) -> bool:
    """The greatest value along the last axis of an input, and where it is."""
    # Of an input: a float computed in another order may lose a tie.
    if not x.extents or (is_float(x.dtype) and x not in g.inputs):
        return False
    k = g.next_axis()
    at = [*axes(len(x.extents) - 1), k]
    body = f'argmax(({k}.astype("int32"), {read(x, at)}), axis=[{k}])'
    dtypes = {"_at": "int32", "_max": x.dtype}
    return g.stage_of_several(x.extents[:-1], dtypes, body, [x], [(k, x.extents[-1])])


def gather(g: _Generator, x: Tensor) -> bool:
    """Rows of a tensor, chosen by a new input."""
    if not x.extents or x.extents[0].value == 0:
        return False
    limits = (0, x.extents[0].value - 1)
    rows = g.new_input(1, g.pick(("int32", "int64", "uint8")), limits=limits)
    # Behind a narrow type, a place below 0 would be none.
    row = cast(f"{rows.name}[i0]", rows.dtype, "int64" if x.begins else rows.dtype)
    at = [row, *axes(len(x.extents))[1:]]
    return g.stage([rows.extents[0], *x.extents[1:]], x.dtype, read(x, at), [x, rows])


def recurrence(g: _Generator, x: Tensor) -> bool:
    """Each element in terms of neighbours that come before it, or after it, along some axes."""
    wide = [axis for axis, extent in enumerate(x.extents) if extent.value >= 2]
    if not wide or any(x.begins):  # the elements of an update are counted from 0
        return False
    along = {axis: g.pick((1, 1, -1)) for axis in wide[-g.pick((1, 2)) :]}
    names = {axis: g.next_axis(axis) for axis in range(len(x.extents))}
    here, near = [], []
    for axis, extent in enumerate(x.extents):
        match along.get(axis):
            case None:
                here.append(names[axis])
            case 1:
                here.append(f"{names[axis]} + 1")
            case _:
                here.append(f"{extent.plus(-2).text} - {names[axis]}")
        near.append(names[axis] if along.get(axis) == 1 else f"{here[axis]} + 1")
    value = read_state(here)
    for axis in along:
        at = [near[axis] if one == axis else here[one] for one in range(len(here))]
        value = f"te.max({value}, {read_state(at)} - 1)"
    if g.pick((True, False)):
        value += f" + {read(x, here)}"
    domain = [
        (names[axis], extent.plus(-1) if axis in along else extent)
        for axis, extent in enumerate(x.extents)
    ]
    # The order of the axes of the domain makes another order of the points.
    domain = g.draw(st.permutations(domain))
    body = f"(({', '.join(here)},), {value})"
    bounds = {}
    if len(domain) > 1 and domain[0][1] == domain[1][1] and g.pick((True, False)):
        (first, extent), (second, _) = domain[:2]
        bounds[second] = g.pick(((f"{first}", extent.text), ("0", f"{first} + 1")))
    return g.add(x.extents, {"": x.dtype}, body, [x], domain, bounds=bounds, start=x.name)


def scatter(g: _Generator, x: Tensor) -> bool:
    """Rows of a tensor, chosen by a new input, to each of which a row of another is added."""
    if not x.extents or x.extents[0].value == 0 or any(x.begins):
        return False
    limits = (0, x.extents[0].value - 1)
    rows = g.new_input(1, g.pick(("int32", "int64", "uint8")), limits=limits)
    added = g.new_input(1, x.dtype, [rows.extents[0], *x.extents[1:]])
    domain = [(g.next_axis(k), extent) for k, extent in enumerate(added.extents)]
    at = [f"{rows.name}[{domain[0][0]}]", *(name for name, _ in domain[1:])]
    body = f"(({', '.join(at)},), {read_state(at)} + {read(added, [name for name, _ in domain])})"
    return g.add(
        x.extents,
        {"": x.dtype},
        body,
        [x, rows, added],
        domain,
        start=x.name,
        is_reorderable=g.pick((True, False)),
    )


def read_state(subscripts: Sequence[str]) -> str:
    return f"h[{', '.join(subscripts)}]"


KINDS = [
    elementwise,
    elementwise,
    stencil,
    pad,
    part,
    transpose,
    every_other,
    reduction,
    triangle,
    matmul,
    window_sum,
    arg_reduction,
    two_values,
    gather,
    recurrence,
    scatter,
]
