"""`te.decl_tensor_intrin`: code for slices of tensors, with which `te.compute` makes a tensor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from teloom.dialects.syntax.names import unique_names
from teloom.errors import Error
from teloom.frontend.expr.expressions import Const, Expr, Var, as_expr, walk
from teloom.frontend.expr.names import checked_text
from teloom.frontend.extern.externs import (
    Statements,
    Wanted,
    check_distinct,
    checked_statements,
    fitting_buffers,
    listed,
    sizes_in,
)
from teloom.frontend.tensor.buffers import Buffer, decl_buffer
from teloom.frontend.tensor.shape_forms import same_extents, shown_extents
from teloom.frontend.tensor.tensors import (
    BaseComputeOp,
    ComputeOp,
    ExternOp,
    IterVar,
    Operation,
    PlaceholderOp,
    SliceCode,
    Tensor,
    TensorRegion,
    TensorSlice,
    region_of,
)


@dataclass(frozen=True, eq=False, repr=False)
class TensorIntrin:
    """Code that computes what `op` does, on slices of the shapes of its tensors.

    `buffers` are those of `inputs` and then of the outputs. `body` fills the outputs;
    `reduce_init` and `reduce_update` do so in two parts, and are None where they are not given.
    """

    name: str
    op: ComputeOp
    inputs: tuple[Tensor, ...]
    buffers: tuple[Buffer, ...]
    scalar_params: tuple[Var, ...]
    body: Statements
    reduce_init: Statements | None
    reduce_update: Statements | None

    def __repr__(self) -> str:
        return f"TensorIntrin({self.name})"

    def __call__(
        self, *args: object, reduce_axis: object = None, scalar_inputs: object = None
    ) -> TensorIntrinCall:
        """The code on slices, one per input; `te.compute` takes what is returned.

        Other arguments are the `scalar_inputs`, wherever they stand. An extent of an input that is
        a var of its own is that of the slice. With a `reduce_axis`, one or a list, it runs at each
        point of that, too. Raises `teloom.Error` for slices of other shapes or dtypes than the
        inputs have.
        """
        slices = [one for one in args if isinstance(one, Tensor | TensorSlice | TensorRegion)]
        numbers = [one for one in args if all(one is not slice for slice in slices)]
        if numbers and not self.scalar_params:
            raise Error(f"{numbers[0]!r} is no input of {self.name!r}: give a slice of a tensor")
        if numbers and scalar_inputs is not None:
            raise Error(f"{self.name!r} has scalar_inputs twice: {numbers} and {scalar_inputs!r}")
        if len(slices) != len(self.inputs):
            raise Error(f"{self.name!r} takes {len(self.inputs)} slices, got {len(slices)}")
        sizes: dict[Expr, Expr] = {}
        pairs = zip(slices, self.buffers, strict=False)
        regions = [self._region(value, buffer, sizes) for value, buffer in pairs]
        axes = _axes(reduce_axis, self.name)
        if axes and (self.reduce_init is None or self.reduce_update is None):
            raise Error(
                f"{self.name!r} with a reduce_axis needs code in two parts: a function that "
                "returns (body, reset, update)"
            )
        scalars = self._scalars(numbers or _given(scalar_inputs), axes)
        return TensorIntrinCall(self, tuple(regions), tuple(axes), tuple(scalars), sizes)

    def codes(self) -> list[ExternOp]:
        """Its code on whole tensors, by what it does: `body`, `reset`, `update`."""
        count = len(self.inputs)
        ins, outs = self.buffers[:count], self.buffers[count:]
        regions = [region_of(tensor) for tensor in self.inputs]

        def code(name: str, statements: Statements | None, reads: bool) -> list[ExternOp]:
            if statements is None:
                return []
            given = (regions, ins) if reads else ([], [])
            return [ExternOp(name, *given, outs, statements, sizes_in(statements, self.buffers))]

        return [
            *code("body", self.body, True),
            *code("reset", self.reduce_init, False),
            *code("update", self.reduce_update, True),
        ]

    def _scalars(self, values: Sequence[object], reduce_axes: Sequence[IterVar]) -> list[Expr]:
        if len(values) != len(self.scalar_params):
            raise Error(
                f"{self.name!r} takes {len(self.scalar_params)} scalar_inputs, got {len(values)}"
            )
        scalars = [as_expr(value) for value in values]
        for part in walk(tuple(scalars)):
            if isinstance(part, TensorSlice | TensorRegion):
                raise Error(f"scalar_inputs of {self.name!r} read {part}; pass a slice of it")
            if part in reduce_axes:
                raise Error(
                    f"scalar_inputs of {self.name!r} are over {part}, a reduce axis, which the "
                    "reset has not"
                )
        pairs = zip(scalars, self.scalar_params, strict=True)
        return [value.astype(parameter.dtype) for value, parameter in pairs]

    def _region(
        self,
        value: Tensor | TensorSlice | TensorRegion,
        buffer: Buffer,
        sizes: dict[Expr, Expr],
    ) -> TensorRegion:
        """A slice as a box that fits a buffer, whose sizes are added to those that are known."""
        if isinstance(value, TensorSlice):
            region = region_of(value.tensor, value.indices)
        elif isinstance(value, Tensor):
            region = region_of(value)
        else:
            region = value
        if region.dtype != buffer.dtype:
            raise Error(
                f"{self.name!r} takes {buffer.dtype} for {buffer.name!r}, {region} holds "
                f"{region.dtype}"
            )
        left_out = len(region.extents) - buffer.ndim
        for size, extent in zip(buffer.extents, region.extents[max(0, left_out) :], strict=False):
            if isinstance(size, Var) and size not in self.scalar_params and left_out >= 0:
                sizes.setdefault(size, extent)
        extents = [sizes.get(extent, extent) for extent in buffer.extents]
        whole = (*[Const(1, "int32")] * left_out, *extents)
        if not same_extents(region.extents, whole):
            raise Error(
                f"{self.name!r} takes a slice of the shape [{shown_extents(buffer.extents)}] for "
                f"{buffer.name!r}, {region} has [{shown_extents(region.extents)}]"
            )
        return replace(region, extents=whole)


@dataclass(frozen=True, eq=False, repr=False)
class TensorIntrinCall(SliceCode):
    """An intrinsic on slices of tensors."""

    intrin: TensorIntrin
    regions: tuple[TensorRegion, ...]
    reduce_axis: tuple[IterVar, ...]
    scalar_inputs: tuple[Expr, ...]
    sizes: Mapping[Expr, Expr]
    """What vars in the shapes of the intrinsic's tensors are for these slices."""

    def __repr__(self) -> str:
        return f"{self.intrin.name}({', '.join(map(str, self.regions))})"

    def operation(
        self,
        name: str,
        axis: Sequence[IterVar],
        shape: Sequence[Expr],
        tag: str,
        attrs: dict[str, Any] | None,
    ) -> TensorComputeOp:
        return TensorComputeOp(name, self, axis, shape, tag, attrs)


def decl_tensor_intrin(
    op: Operation,
    fcompute: Callable[..., object],
    name: str = "tensor_intrin",
    binds: Mapping[Tensor, Buffer] | None = None,
    scalar_params: object = None,
    default_buffer_params: Mapping[str, Any] | None = None,
) -> TensorIntrin:
    """Declares code that computes what `op`, an equation over placeholders, does.

    `fcompute(ins, outs)` gets a buffer for each input and output of `op`, and returns what
    `te.extern` takes, or a tuple (body, reset, update): reset fills the outputs, update adds
    to what is there. With `scalar_params`, vars, it gets these, too. The buffers are compact
    and begin anywhere in their memory; `default_buffer_params` are further arguments of
    `te.decl_buffer`, and `binds` gives the buffers of some tensors.
    Raises `teloom.Error` where these rules are broken. Source: TVM's te.decl_tensor_intrin.

    >>> from teloom import te
    >>> x, y = te.placeholder((16,), name="x"), te.placeholder((16,), name="y")
    >>> z = te.compute((16,), lambda i: x[i] + y[i], name="z")
    >>> def add(a, b, c):
    ...     c[:] = a + b
    >>> vadd = te.decl_tensor_intrin(z.op, lambda i, o: te.call_packed(add, *i, *o), "vadd")
    >>> A, B = te.placeholder((4, 64), name="A"), te.placeholder((64,), name="B")
    >>> def block(i, j):
    ...     return vadd(A[i, j * 16 : j * 16 + 16], B[j * 16 : j * 16 + 16])
    >>> te.compute((4, 4, 16), block, name="C")
    Tensor(shape=[4, 4, 16], dtype=float32, name=C)
    """
    checked_text(name, "name of decl_tensor_intrin")
    if not isinstance(op, ComputeOp):
        raise Error(f"{name!r} wants the operation of a te.compute, as z.op, got {op!r}")
    for tensor in op.input_tensors:
        if not isinstance(tensor.op, PlaceholderOp):
            raise Error(
                f"{name!r} is one equation over placeholders, but {tensor.name} is computed"
            )
    buffers = _buffers(
        [*op.input_tensors, *op.outputs], binds or {}, default_buffer_params or {}, name
    )
    ins, outs = buffers[: len(op.input_tensors)], buffers[len(op.input_tensors) :]
    scalars = _given(scalar_params)
    for parameter in scalars:
        if not isinstance(parameter, Var):
            raise Error(f"scalar_params of {name!r} has {parameter!r}; it must be a te.var")
    parts = fcompute(ins, outs, *([scalars] if scalars else []))
    several = parts if isinstance(parts, tuple) else (parts,)
    if not 1 <= len(several) <= 3 or several[0] is None:
        raise Error(
            f"the function of {name!r} returns {parts!r}; give a body, or with two more "
            "parts (body, reset, update)"
        )
    body, reset, update = [*several, None, None][:3]
    return TensorIntrin(
        name,
        op,
        tuple(op.input_tensors),
        tuple(buffers),
        tuple(scalars),
        checked_statements(body, ins, outs, repr(name)),
        None if reset is None else checked_statements(reset, [], outs, f"the reset of {name!r}"),
        None if update is None else checked_statements(update, ins, outs, repr(name)),
    )


def _buffers(
    tensors: Sequence[Tensor],
    binds: Mapping[Tensor, Buffer],
    params: Mapping[str, Any],
    name: str,
) -> list[Buffer]:
    """The buffers of tensors: those that are given, and others made with `params`."""
    for tensor in binds:
        if tensor not in tensors:
            raise Error(f"{name!r} binds {tensor!r}, which is none of its tensors")
    names = unique_names([_word(tensor) for tensor in tensors])
    made = [
        binds[tensor] if tensor in binds else _declared(tensor, one, params, name)
        for tensor, one in zip(tensors, names, strict=True)
    ]
    wanted = [Wanted(one.extents, one.dtype, f"{one.name} of {name!r}") for one in tensors]
    buffers = fitting_buffers(made, wanted, "tensor", name)
    check_distinct(buffers, name)
    return buffers


def _word(tensor: Tensor) -> str:
    """The name of a tensor, as the buffers of `te.extern` are called."""
    several = tensor.op.num_outputs > 1
    return f"{tensor.op.name}_v{tensor.value_index}" if several else tensor.name


def _declared(tensor: Tensor, word: str, params: Mapping[str, Any], name: str) -> Buffer:
    try:
        return decl_buffer(tensor.extents, tensor.dtype, word, **{"offset_factor": 1, **params})
    except TypeError as error:
        raise Error(f"default_buffer_params of {name!r}: {error}") from None


class TensorComputeOp(ExternOp, BaseComputeOp):
    """Tensors that the code of an intrinsic fills slice by slice, one at each point of `axis`.

    A slice has the shape of its buffer; the tensors have those of the axes in front. Where these
    are all that they have, or more, a buffer has axes of length 1 for the last ones.
    """

    def __init__(
        self,
        name: str,
        call: TensorIntrinCall,
        axis: Sequence[IterVar],
        shape: Sequence[Expr],
        tag: str,
        attrs: dict[str, Any] | None,
    ):
        """`shape` is what the tensors have, which starts with the extents of `axis`.

        Raises `teloom.Error` where what the call fills has another shape than the rest of it.
        """
        intrin, count = call.intrin, len(call.regions)
        ins, outs = intrin.buffers[:count], intrin.buffers[count:]
        left = shape[len(axis) :]
        filled = [tuple(call.sizes.get(one, one) for one in out.extents) for out in outs]
        for extents in filled:
            more = max(0, len(extents) - len(left))  # axes of length 1, which are among `axis`
            whole = (*[Const(1, "int32")] * min(more, len(axis)), *left)
            if not same_extents(extents, whole):
                raise Error(
                    f"{intrin.name!r} fills slices of the shape [{shown_extents(extents)}], "
                    f"but those of {name!r}, behind its axes, are [{shown_extents(left)}]"
                )
        reduces = bool(call.reduce_axis)
        statements = intrin.reduce_update if reduces else intrin.body
        reset = intrin.reduce_init if reduces else None
        assert statements is not None
        numbers = sizes_in(statements, intrin.buffers) + sizes_in(reset or [], outs)
        known = {*intrin.scalar_params, *call.sizes}
        numbers = [number for number in numbers if number not in known]
        numbers += [*call.scalar_inputs, *call.sizes.values()]
        super().__init__(name, call.regions, ins, outs, statements, numbers, tag, attrs)
        self.reset = reset
        self.axis = list(axis)
        self.reduce_axis = list(call.reduce_axis)
        self.scalars = dict(zip(intrin.scalar_params, call.scalar_inputs, strict=True))
        self.sizes = call.sizes
        points = tuple(shape[: len(axis)])
        self._outputs = tuple(
            Tensor(self, index, points + tuple(left), buffer.dtype)
            for index, buffer in enumerate(outs)
        )


def _given(values: object) -> list[Any]:
    return [] if values is None else listed(values)


def _axes(values: object, name: str) -> list[IterVar]:
    axes = _given(values)
    for axis in axes:
        if not isinstance(axis, IterVar) or not axis.reduces:
            raise Error(f"reduce_axis of {name!r} is {axis!r}; make one with te.reduce_axis")
        if axes.count(axis) > 1:
            raise Error(f"reduce_axis of {name!r} names {axis} twice")
    return axes
