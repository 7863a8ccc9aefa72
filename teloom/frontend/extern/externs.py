"""`te.extern`: tensors that other code fills."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from xdsl.dialects import func

from teloom.dialects.syntax.names import unique_names
from teloom.errors import Error
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Const, Expr, Var, size_var, walk
from teloom.frontend.expr.names import checked_text
from teloom.frontend.extern.ir_builder import Body
from teloom.frontend.extern.statements import (
    Allocate,
    Call,
    CallStatement,
    Statement,
    all_of,
    elements_in,
)
from teloom.frontend.kinds import signature_of, takes
from teloom.frontend.source_location import user_location
from teloom.frontend.tensor.buffers import Buffer, decl_buffer
from teloom.frontend.tensor.shape_forms import same_extents, shown_extents
from teloom.frontend.tensor.tags import tag_of
from teloom.frontend.tensor.tensors import (
    ExternOp,
    IterVar,
    Range,
    Tensor,
    TensorRegion,
    TensorSlice,
    check_leaves,
    checked_shape,
    region_of,
)

Statements = str | func.FuncOp | list[Statement]
"""What an extern does: IR as text, a function of IR, or statements."""


def extern(
    shape: object,
    inputs: object,
    fcompute: Callable[..., object],
    name: str = "extern",
    dtype: object = None,
    in_buffers: object = None,
    out_buffers: object = None,
    tag: str = "",
    attrs: dict[str, Any] | None = None,
) -> Any:  # a Tensor, or a list of them: what shape is decides
    """A tensor of `shape`, or a list of tensors for several shapes, that other code fills.

    `inputs` are tensors, or boxes of them as `A[2, 0:32]`. `fcompute(ins, outs)` gets a
    buffer for each input and output, and returns what is done with them: a `call_extern`,
    a `call_packed`, what an `ir_builder` has noted, a list of these, a `func.func` of xDSL, whose
    arguments are the buffers, or IR as text, in which buffers and sizes are values of their names.
    The code sees exactly these buffers, fills all of its outputs, and depends on nothing else; it
    may run any number of times.

    An input that is a whole tensor is a compact buffer, unless `in_buffers` says otherwise;
    the strides and the offset of a box are found. `dtype` is of the outputs, one or a list;
    without it, they have that of the inputs.

    `inputs` may also be a function of the first axes of all outputs, as `lambda t: [A[t]]`. Then
    the code runs at each point of these, in any order, and `fcompute(ins, outs, t)` gets buffers of
    what is there of each output, and the axes. Of an input, axes in front at one position over
    these axes are left out, and axes behind that have no subscript are whole. So code is a step of
    a `te.scan`.
    Raises `teloom.Error` where these rules are broken. Source: TVM's te.extern.

    >>> from teloom import te
    >>> A = te.placeholder((4, 8), name="A")
    >>> def double(a, b):
    ...     b[:] = 2 * a
    >>> te.extern((4, 8), [A], lambda ins, outs: te.call_packed(double, ins[0], outs[0]), "B")
    Tensor(shape=[4, 8], dtype=float32, name=B)
    """
    checked_text(name, "name of extern")
    what = f"fcompute of {name!r}"
    signature = signature_of(
        fcompute,
        what,
        "a function of lists of buffers, as lambda ins, outs: te.call_packed(f, ins[0], outs[0])",
    )
    shapes = [checked_shape(one, name) for one in _shapes(shape)]
    axes = _axes(inputs, shapes, name)
    given = listed(inputs(*axes) if axes and callable(inputs) else inputs)
    regions = [checked_region(_behind(one) if axes else one, name) for one in given]
    check_leaves(regions, axes, name)
    ins = _in_buffers([*map(_left, regions)], in_buffers, name)
    kinds = _dtypes(dtype, regions, len(shapes), name)
    outs = _out_buffers(
        [shape[len(axes) :] for shape in shapes], kinds, out_buffers, bool(axes), name
    )
    check_distinct([*ins, *outs], name)
    called_with = [*ins], [*outs], *axes
    if not takes(signature, *called_with):
        names = ", ".join(("ins", "outs", *(axis.name for axis in axes)))
        raise Error(f"{what} is called with ({names}), and has the parameters {signature}")
    body = fcompute(*called_with)
    statements = checked_statements(body, ins, outs, repr(name), axes)
    sizes = sizes_in(statements, [*ins, *outs])
    op = ExternOp(name, regions, ins, outs, statements, sizes, tag_of(tag, name), attrs, axes)
    return list(op.outputs) if op.num_outputs > 1 else op.output(0)


def _axes(inputs: object, shapes: Sequence[Sequence[Expr]], name: str) -> list[IterVar]:
    """The axes at whose points the code runs: the parameters of `inputs`, if that is a function."""
    if not callable(inputs) or isinstance(inputs, Tensor):
        return []
    names = [*signature_of(inputs, f"inputs of {name!r}", "a function of axes").parameters]
    fewest = min(map(len, shapes))
    if not 1 <= len(names) <= fewest:
        raise Error(
            f"the inputs of {name!r} are a function of {len(names)} axes; it has 1 to {fewest} of "
            "the first axes of all outputs"
        )
    for shape in shapes:
        if not same_extents(shape[: len(names)], shapes[0][: len(names)]):
            first, other = (f"[{shown_extents(one[: len(names)])}]" for one in (shapes[0], shape))
            raise Error(
                f"the first axes of the outputs of {name!r} are {first} and {other}; at each point "
                "of its axes the code fills a slice of every output"
            )
    zero = Const(0, "int32")
    extents = shapes[0][: len(names)]
    return [IterVar(axis, Range(zero, one)) for axis, one in zip(names, extents, strict=True)]


def _behind(value: object) -> object:
    """The box of all that is behind the positions of a subscripted tensor; other values as is."""
    return region_of(value.tensor, value.indices) if isinstance(value, TensorSlice) else value


def _left(region: TensorRegion) -> TensorRegion:
    """A box without the axes in front that are at one position over an axis, for its buffer."""
    count = 0
    for begin, extent in zip(region.begins, region.extents, strict=True):
        is_one = isinstance(extent, Const) and extent.value == 1
        if not (is_one and any(isinstance(part, IterVar) for part in walk((begin,)))):
            break
        count += 1
    return (
        region
        if not count
        else replace(region, begins=region.begins[count:], extents=region.extents[count:])
    )


def _shapes(shape: Any) -> Sequence[object]:
    """One shape or several, as a list."""
    is_sequence = isinstance(shape, tuple | list) and bool(shape)
    return shape if is_sequence and isinstance(shape[0], tuple | list) else [shape]


def listed(values: object) -> list[Any]:
    """One or several, as a list."""
    return list(values) if isinstance(values, list | tuple) else [values]


def checked_statements(
    value: object,
    ins: Sequence[Buffer],
    outs: Sequence[Buffer],
    owner: str,
    axes: Sequence[IterVar] = (),
) -> Statements:
    """The code of `owner`: IR as text, or the statements of one or several bodies and calls.

    Raises `teloom.Error` for anything else, for statements with other buffers or axes, and for
    stores to inputs. Of a text, its parser says what is not there.
    """
    if isinstance(value, str | func.FuncOp):
        return value
    statements = [one for part in listed(value) for one in _statements(part, owner)]
    _check_buffers(statements, ins, outs, owner)
    _check_axes(statements, axes, owner)
    return statements


def _statements(value: object, owner: str) -> Sequence[Statement]:
    if isinstance(value, Body):
        return value.statements
    if isinstance(value, Call):
        statement = CallStatement(value)
        statement.location = user_location()
        return [statement]
    raise Error(
        f"the body of {owner} is {value!r}; it must be te.call_extern(...), te.call_packed(...), "
        "get() of a te.ir_builder, a list of these, or IR as text"
    )


def _check_buffers(
    statements: Sequence[Statement], ins: Sequence[Buffer], outs: Sequence[Buffer], owner: str
) -> None:
    """Refuses buffers that the code does not have, and stores to inputs."""
    known = [*ins, *outs]
    known += [one.buffer for one in all_of(statements) if isinstance(one, Allocate)]
    names = ", ".join(buffer.name for buffer in known)
    for statement in all_of(statements):
        place = f"{statement.location}: "
        loaded = [element.buffer for element in elements_in(statement)]
        for buffer in (*loaded, *statement.named()):
            if buffer not in known:
                raise Error(f"{place}{buffer.name!r} is no buffer of {owner}, which has {names}")
        for buffer in statement.stored():
            if buffer in ins:
                raise Error(f"{place}{owner} may not write {buffer.name!r}, which is an input")


def _check_axes(statements: Sequence[Statement], axes: Sequence[IterVar], owner: str) -> None:
    """Refuses the axes of other operations."""
    for statement in all_of(statements):
        for part in walk(tuple(statement.values())):
            if isinstance(part, IterVar) and not any(part is axis for axis in axes):
                place = f"{statement.location}: "
                raise Error(
                    f"{place}{owner} gets {part}, which is no number in an extern; pass a buffer"
                )


def sizes_in(statements: Statements, buffers: Sequence[Buffer]) -> list[Expr]:
    """The vars that a body uses and that no buffer finds."""
    if isinstance(statements, str | func.FuncOp):
        return []
    found = [one for buffer in buffers for one in (*buffer.strides, buffer.elem_offset)]
    values = tuple(value for statement in all_of(statements) for value in statement.values())
    return [part for part in walk(values) if isinstance(part, Var) and part not in found]


def checked_region(value: object, name: str) -> TensorRegion:
    """An input of the extern `name` as a box of a tensor; raises `teloom.Error` for others."""
    if isinstance(value, Tensor):
        return region_of(value)
    if not isinstance(value, TensorRegion):
        raise Error(f"{value!r} is no input of {name!r}: give a tensor, or a slice of one")
    return value


def _dtypes(dtype: object, regions: Sequence[TensorRegion], count: int, name: str) -> list[str]:
    if dtype is None:
        found = list(dict.fromkeys(region.dtype for region in regions))
        if len(found) != 1:
            inputs = ", ".join(found) or "none"
            raise Error(f"{name!r} needs a dtype; those of its inputs are: {inputs}")
        return found * count
    kinds = [dtypes.checked_name(one) for one in listed(dtype)]
    if not isinstance(dtype, list | tuple):
        kinds *= count
    if len(kinds) != count:
        raise Error(f"{len(kinds)} dtypes for the {count} outputs of {name!r}")
    return kinds


def _in_buffers(regions: Sequence[TensorRegion], given: object, name: str) -> list[Buffer]:
    if given is None:
        return buffers_for(regions, unique_names([region.tensor.name for region in regions]))
    wanted = [Wanted(one.extents, one.dtype, f"{one} of {name!r}") for one in regions]
    return fitting_buffers(given, wanted, "input", name)


def buffers_for(regions: Sequence[TensorRegion], names: Sequence[str]) -> list[Buffer]:
    """A buffer for each box, as it lies."""
    return [_found(region, one) for region, one in zip(regions, names, strict=True)]


def _found(region: TensorRegion, name: str) -> Buffer:
    """A buffer for a box: a whole tensor is compact, anything else lies as it is found."""
    whole = region_of(region.tensor)
    is_whole = len(region.extents) == len(whole.extents)
    if is_whole and same_extents(
        (*whole.begins, *whole.extents), (*region.begins, *region.extents)
    ):
        return decl_buffer(region.extents, region.dtype, name)
    return declared_as_found(region.extents, region.dtype, name)


def declared_as_found(extents: Sequence[Expr], dtype: str, name: str) -> Buffer:
    """A buffer whose strides and offset are those of the memory that is found."""
    strides = [size_var(f"{name}_stride{axis}", "int64") for axis in range(len(extents))]
    offset = size_var(f"{name}_elem_offset", "int64")
    return decl_buffer(extents, dtype, name, strides, offset)


def _out_buffers(
    shapes: Sequence[Sequence[Expr]],
    kinds: Sequence[str],
    given: object,
    are_slices: bool,
    name: str,
) -> list[Buffer]:
    """A buffer for each output: a compact one for a whole tensor; a slice lies as it is found."""
    if given is None:
        names = [name] if len(shapes) == 1 else [f"{name}_v{k}" for k in range(len(shapes))]
        declare = declared_as_found if are_slices else decl_buffer
        return [declare(*one) for one in zip(shapes, kinds, names, strict=True)]
    wanted = [
        Wanted(shape, kind, f"output {number} of {name!r}")
        for number, (shape, kind) in enumerate(zip(shapes, kinds, strict=True))
    ]
    return fitting_buffers(given, wanted, "output", name)


class Wanted(NamedTuple):
    """The dtype and shape that a buffer has to have, and for what, in the words of a message."""

    extents: Sequence[Expr]
    dtype: str
    what: str


def fitting_buffers(given: object, wanted: Sequence[Wanted], word: str, name: str) -> list[Buffer]:
    """`given`, one buffer or a list, as one per what is wanted.

    Raises `teloom.Error` for anything else, and for a buffer that is not of that dtype and
    visibly of that shape.
    """
    buffers = listed(given)
    if len(buffers) != len(wanted) or not all(isinstance(one, Buffer) for one in buffers):
        raise Error(f"{name!r} needs one te.decl_buffer per {word}, {len(wanted)}, got {given!r}")
    for buffer, (extents, dtype, what) in zip(buffers, wanted, strict=True):
        if buffer.dtype != dtype:
            raise Error(f"buffer {buffer.name!r} holds {buffer.dtype}, {what} holds {dtype}")
        if not same_extents(buffer.extents, extents):
            raise Error(
                f"buffer {buffer.name!r} has the shape [{shown_extents(buffer.extents)}], {what} "
                f"[{shown_extents(extents)}]"
            )
    return buffers


def check_distinct(buffers: Sequence[Buffer], name: str) -> None:
    """Raises `teloom.Error` where two tensors have one buffer."""
    if len(set(buffers)) < len(buffers):
        raise Error(f"{name!r} has one buffer for two tensors; declare each of its own")
