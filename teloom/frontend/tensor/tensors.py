"""Tensors, the operations that produce them, and the axes of operations."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, overload

from teloom.errors import Error
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import (
    Apply,
    Const,
    Expr,
    Extent,
    Identity,
    StringImm,
    as_expr,
    shown_shape,
    texts,
    walk,
)
from teloom.frontend.expr.names import checked_text
from teloom.frontend.expr.numpy_operands import NumPyOperand
from teloom.frontend.expr.whole_tensors import TensorOperators, whole_tensor
from teloom.frontend.kinds import checked_kind
from teloom.frontend.source_location import user_location
from teloom.lazy import loaded


class Range(NamedTuple):
    """The `extent` integers from `min` on; in inferred ranges, constants are ints."""

    min: Any
    extent: Any

    @property
    def end(self) -> Any:
        """The first integer behind: `min + extent`, or that of which `extent` was made."""
        if isinstance(self.min, Const) and self.min.value == 0:
            return self.extent
        match self.min, self.extent:
            case _, Apply("sub", (end, begin)) if begin is self.min:
                return end
            case Const(), Const():
                return as_expr(self.min.value + self.extent.value)
        return self.min + self.extent


@dataclass(frozen=True, eq=False, repr=False)
class Inferred(Expr):
    """A number that follows from what is read of a tensor, once its readers are known."""

    dtype: str = "int32"

    def text(self, depth: int) -> str:
        return "?"


INFERRED = Range(Inferred(), Inferred())
"""The positions on an axis, all that readers read."""


class IterType(IntEnum):
    """What an axis is, or how its loop runs, by TVM's numbers."""

    DATA_PAR = 0
    """A data axis: its positions are independent of each other."""
    THREAD_INDEX = 1
    """A thread axis."""
    COMM_REDUCE = 2
    """A reduce axis."""
    ORDERED = 3
    """The time of a scan."""
    DIM_INFO = 4
    """That of a shape; no axis is one here."""
    UNROLLED = 5
    VECTORIZED = 6
    PARALLELIZED = 7
    TENSORIZED = 8

    @classmethod
    def of(cls, reduces: bool) -> IterType:
        """That of a reduce axis, or of a data axis."""
        return cls.COMM_REDUCE if reduces else cls.DATA_PAR


@dataclass(frozen=True, eq=False, repr=False)
class IterVar(Expr):
    """An axis: a data axis or reduce axis of an equation, or one that a schedule made.

    As an expression it is the position on the axis, an int32. An axis made by a schedule has no
    `dom`, and the greatest `iter_type` of the axes that it is made of. An axis with a `thread_tag`
    is a thread axis, to which others are bound. `Unrolled`, `Vectorized`, `Parallelized` and
    `Tensorized` are an `iter_type` of the `iter_var_attrs` of a stage, the others are of axes.
    """

    DataPar: ClassVar[IterType] = IterType.DATA_PAR
    ThreadIndex: ClassVar[IterType] = IterType.THREAD_INDEX
    CommReduce: ClassVar[IterType] = IterType.COMM_REDUCE
    Ordered: ClassVar[IterType] = IterType.ORDERED
    DimInfo: ClassVar[IterType] = IterType.DIM_INFO
    Unrolled: ClassVar[IterType] = IterType.UNROLLED
    Vectorized: ClassVar[IterType] = IterType.VECTORIZED
    Parallelized: ClassVar[IterType] = IterType.PARALLELIZED
    Tensorized: ClassVar[IterType] = IterType.TENSORIZED

    name: str
    dom: Range | None = None
    iter_type: IterType = IterType.DATA_PAR
    thread_tag: str = ""
    dtype: str = "int32"

    @property
    def reduces(self) -> bool:
        """Whether it is a reduce axis, or made of one."""
        return self.iter_type is IterType.COMM_REDUCE

    @property
    def var(self) -> IterVar:
        """The axis as a value: itself."""
        return self

    def text(self, depth: int) -> str:
        return self.name


class Operation(Identity):
    """The producer of tensors: a placeholder, an equation, an extern or a scan.

    An equation has `axis`, `reduce_axis` and `body`; `domain` are conditions that hold at its
    elements. A placeholder has none of them, and a scan only `axis`. `location` is the line of the
    user's program that created the operation.
    """

    runs_over_elements = False
    """Whether `axis` are the positions of the elements of its tensors."""

    def __init__(self, name: str, tag: str = "", attrs: dict[str, Any] | None = None):
        self.name = name
        self.tag = tag
        given = {} if attrs is None else attrs
        checked_kind(given, Mapping, f"attrs of {name!r}", 'a dict, as {"key": 1}')
        self.attrs = Attributes({key: _attribute(one) for key, one in given.items()})
        self.axis: list[IterVar] = []
        self.reduce_axis: list[IterVar] = []
        self.body: list[Expr] = []
        self.domain: list[Expr] = []
        self.location = user_location()
        self._outputs: tuple[Tensor, ...] = ()

    @property
    def num_outputs(self) -> int:
        """The number of tensors that it produces."""
        return len(self._outputs)

    def output(self, index: int) -> Tensor:
        """Output `index`; raises `teloom.Error` outside 0..num_outputs-1."""
        if not 0 <= index < len(self._outputs):
            raise Error(f"{self.name} has outputs 0..{len(self._outputs) - 1}, not {index}")
        return self._outputs[index]

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """All tensors that it produces."""
        return self._outputs

    def own_outputs(self) -> None:
        """Gives a copy of an operation outputs of its own."""
        self._outputs = tuple(
            Tensor(self, one.value_index, one.extents, one.dtype) for one in self._outputs
        )

    @property
    def input_tensors(self) -> list[Tensor]:
        """The tensors that it reads, in order of first use."""
        return []

    def root_iter_vars(self) -> list[IterVar]:
        """Its data axes and its reduce axes. Source: TVM's Operation.root_iter_vars."""
        return [*self.axis, *self.reduce_axis]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"


class Attributes(dict[str, Any]):
    """What a program says of an operation, by names; as text it is JSON, as TVM's is."""

    def __str__(self) -> str:
        return loaded("json", "dumps")(self, default=str)


def _attribute(value: Any) -> Any:
    """A value of `attrs`, in which integers and texts have a `value`, as TVM's have."""
    if isinstance(value, list | tuple):
        return [_attribute(one) for one in value]
    kind = {int: Extent, str: StringImm}.get(type(value))
    return value if kind is None else kind(value)


class PlaceholderOp(Operation):
    """A tensor that the caller passes."""

    def __init__(self, name: str, shape: tuple[Expr, ...], dtype: str):
        super().__init__(name)
        self._outputs = (Tensor(self, 0, shape, dtype),)

    @property
    def shape(self) -> tuple[Any, ...]:
        """The extents of the tensor, in elements."""
        return self.output(0).shape

    @property
    def dtype(self) -> str:
        """The dtype of the tensor."""
        return self.output(0).dtype


class BaseComputeOp(Operation):
    """An operation whose tensors are computed at the points of its axes. Source: TVM's."""


class ComputeOp(BaseComputeOp):
    """An equation: `body` holds one expression per output, over `axis` and `reduce_axis`.

    It has the elements at which all conditions of `domain`, over `axis`, hold.
    """

    runs_over_elements = True

    def __init__(
        self,
        name: str,
        axis: Sequence[IterVar],
        body: Sequence[Expr],
        reduce_axis: Sequence[IterVar] = (),
        tag: str = "",
        attrs: dict[str, Any] | None = None,
        domain: Sequence[Expr] = (),
    ):
        super().__init__(name, tag, attrs)
        self.axis = list(axis)
        self.reduce_axis = list(reduce_axis)
        self.body = list(body)
        self.domain = list(domain)
        shape = tuple(axis.dom.extent for axis in self.axis if axis.dom is not None)
        self._outputs = tuple(
            Tensor(self, index, shape, expr.dtype) for index, expr in enumerate(body)
        )

    @property
    def input_tensors(self) -> list[Tensor]:
        bounds = [bound for axis in self.reduce_axis for bound in axis.dom or ()]
        read = (expr for expr in walk((*self.body, *bounds)) if isinstance(expr, TensorSlice))
        return list(dict.fromkeys(expr.tensor for expr in read))


class ExternOp(Operation):
    """Tensors that an opaque body fills from boxes of others, its `inputs`.

    The body sees inputs and outputs as `in_buffers` and `out_buffers`. `statements` are its code,
    and `numbers` the expressions of sizes in it. With a reduce axis, `reset` fills the outputs, and
    `statements` update them at each point. `scalars` are the values of vars in both, `sizes` those
    of vars in the shapes of buffers. Where they name a whole tensor, `slices` has the one of the
    buffers that a point of the axes uses; `loops` are the positions, over the axes, of loops that
    are not among the statements.
    """

    reset: Any = None
    scalars: Mapping[Expr, Expr] = MappingProxyType({})
    sizes: Mapping[Expr, Expr] = MappingProxyType({})
    slices: Mapping[Any, Any] = MappingProxyType({})
    loops: Mapping[Expr, Expr] = MappingProxyType({})

    def __init__(
        self,
        name: str,
        inputs: Sequence[TensorRegion],
        in_buffers: Sequence[Any],
        out_buffers: Sequence[Any],
        statements: Any,
        numbers: Sequence[Expr] = (),
        tag: str = "",
        attrs: dict[str, Any] | None = None,
        axis: Sequence[IterVar] = (),
    ):
        super().__init__(name, tag, attrs)
        self.axis = list(axis)
        self.inputs = list(inputs)
        self.in_buffers = list(in_buffers)
        self.out_buffers = list(out_buffers)
        self.statements = statements
        self.numbers = list(numbers)
        points = tuple(axis.dom.extent for axis in self.axis if axis.dom is not None)
        self._outputs = tuple(
            Tensor(self, index, (*points, *buffer.extents), buffer.dtype)
            for index, buffer in enumerate(out_buffers)
        )

    @property
    def input_tensors(self) -> list[Tensor]:
        return list(dict.fromkeys(region.tensor for region in self.inputs))

    def with_inputs(self, inputs: Sequence[TensorRegion]) -> ExternOp:
        """The same body with other inputs."""
        other = copy(self)
        other.inputs = list(inputs)
        other.own_outputs()
        return other


class SliceCode(ABC):
    """Code that fills slices of tensors; at which points it runs, `te.compute` says.

    It reads `regions` and `scalar_inputs`, over the axes of a stage and `reduce_axis`.
    """

    regions: tuple[TensorRegion, ...]
    reduce_axis: tuple[IterVar, ...]
    scalar_inputs: tuple[Expr, ...]

    @abstractmethod
    def operation(
        self,
        name: str,
        axis: Sequence[IterVar],
        shape: Sequence[Expr],
        tag: str,
        attrs: dict[str, Any] | None,
    ) -> ExternOp:
        """The operation that runs it at each point of `axis`.

        `shape` is what the tensors have, which starts with the extents of `axis`. Raises
        `teloom.Error` where what the code fills has another shape than the rest of it.
        """


class ScanOp(Operation):
    """Tensors whose first axis is time. Steps read earlier times by placeholders, the `states`.

    At times below the first extent of `inits`, elements are those of `inits`; at later times,
    those of `updates`. States of different shapes have more axes than `axis`, which they have in
    common. If states differ in their shapes or their numbers of initial times, the scan
    `begins_in_steps`: `updates` have the elements of all times, and read the `inits` themselves.
    `inputs` are the tensors that the user declared as read.
    """

    def __init__(
        self,
        name: str,
        axis: Sequence[IterVar],
        inits: Sequence[Tensor],
        updates: Sequence[Tensor],
        states: Sequence[Tensor],
        inputs: Sequence[Tensor] = (),
        tag: str = "",
        attrs: dict[str, Any] | None = None,
        begins_in_steps: bool = False,
    ):
        super().__init__(name, tag, attrs)
        self.begins_in_steps = begins_in_steps
        self.axis = list(axis)
        self.inits, self.updates = list(inits), list(updates)
        self.states, self.inputs = list(states), list(inputs)
        self._outputs = tuple(
            Tensor(self, index, state.extents, state.dtype) for index, state in enumerate(states)
        )

    @property
    def scan_axis(self) -> IterVar:
        """The axis of time, from 0 on."""
        return self.axis[0]

    @property
    def spatial_axis_(self) -> list[IterVar]:
        """The other axes of the first result, by TVM's name."""
        return self.axis[1:]

    @property
    def has_shapes(self) -> bool:
        """Whether its states have shapes of their own."""
        return any(state.ndim > len(self.axis) for state in self.states)

    @property
    def input_tensors(self) -> list[Tensor]:
        inits = [] if self.begins_in_steps else self.inits
        return list(dict.fromkeys([*inits, *self.updates]))

    def reading(self, tensor: Tensor, other: Tensor) -> ScanOp:
        """The same scan with `other` in place of `tensor`."""
        inits, updates = (
            [other if one is tensor else one for one in given]
            for given in (self.inits, self.updates)
        )
        return ScanOp(
            self.name,
            self.axis,
            inits,
            updates,
            self.states,
            self.inputs,
            self.tag,
            self.attrs,
            self.begins_in_steps,
        )


class Tensor(TensorOperators, Identity, NumPyOperand):
    """One output of an operation; `A[i, j]` or `A(i, j)` reads an element.

    Two tensors are equal if they are the same output of the same operation. `extents` is the
    `shape` as expressions. Operators between tensors are those of `topi`.
    """

    __iter__ = None

    def __init__(self, op: Operation, value_index: int, extents: tuple[Expr, ...], dtype: str):
        self.op = op
        self.value_index = value_index
        self.extents = extents
        self.dtype = dtype

    @property
    def shape(self) -> tuple[Any, ...]:
        """The extents, in elements: integers, and expressions where they are symbolic."""
        return shown_shape(self.extents)

    @property
    def domain(self) -> list[Range]:
        """The positions of its axes, as expressions: from 0 on, if its operation says no others."""
        if self.op.runs_over_elements:
            return [axis.dom for axis in self.op.axis if axis.dom is not None]
        return [Range(Const(0, "int32"), extent) for extent in self.extents]

    @property
    def name(self) -> str:
        """The name of the operation; with `.v1` for output 1 if it has several."""
        if self.op.num_outputs == 1:
            return self.op.name
        return f"{self.op.name}.v{self.value_index}"

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.extents)

    @property
    def axis(self) -> list[IterVar]:
        """The data axes of its equation; a placeholder has none."""
        return self.op.axis

    @overload
    def __getitem__(  # pyright: ignore[reportOverlappingOverload]
        self, subscripts: slice
    ) -> TensorRegion: ...

    @overload  # also of a tuple with slices, which no type tells from one without
    def __getitem__(self, subscripts: Any) -> TensorSlice: ...

    def __getitem__(self, subscripts: Any) -> TensorSlice | TensorRegion:
        listed = subscripts if isinstance(subscripts, tuple) else (subscripts,)
        if any(isinstance(subscript, slice) for subscript in listed):
            return region_of(self, listed)
        return TensorSlice(self, ())[subscripts]

    def __call__(self, *subscripts: object) -> TensorSlice:
        return TensorSlice(self, ())[subscripts].checked()

    def as_scalar(self) -> Expr:
        """The only element of a tensor without axes; raises `teloom.Error` for others."""
        if self.extents:
            raise whole_tensor(self.name, self.ndim)
        return TensorSlice(self, ()).checked()

    def __repr__(self) -> str:
        shape = ", ".join(str(extent) for extent in self.extents)
        return f"Tensor(shape=[{shape}], dtype={self.dtype}, name={self.name})"


@dataclass(frozen=True, eq=False, repr=False)
class TensorSlice(Expr):
    """A tensor with subscripts; with one per axis it is an element, which is an expression."""

    __iter__ = None

    tensor: Tensor
    indices: tuple[Expr, ...]

    @property
    def dtype(self) -> str:  # type: ignore[override]
        return self.tensor.dtype

    def operands(self) -> tuple[Expr, ...]:
        return self.indices

    def __getitem__(self, subscripts: object) -> TensorSlice:
        if not isinstance(subscripts, tuple):
            subscripts = (subscripts,)
        more = tuple(subscript_expr(one, self, self.tensor.name) for one in subscripts)
        found = TensorSlice(self.tensor, self.indices + more)
        if len(found.indices) > self.tensor.ndim:
            raise found.wrong_rank()
        return found

    def wrong_rank(self) -> Error:
        """The refusal of more or fewer subscripts than axes."""
        return Error(
            f"{self} has {len(self.indices)} subscripts for the {self.tensor.ndim} axes of "
            f"{self.tensor.name}, which has the shape {self.tensor.shape}"
        )

    def checked(self) -> TensorSlice:
        """Returns itself; raises `teloom.Error` unless it has one subscript per axis."""
        if len(self.indices) != self.tensor.ndim:
            raise self.wrong_rank()
        return self

    def as_scalar(self) -> Expr:
        """The element; raises `teloom.Error` for too few subscripts."""
        return self.checked()

    def text(self, depth: int) -> str:
        return f"{self.tensor.name}[{', '.join(texts(self.indices, depth))}]"


def subscript_expr(value: object, shown: object, owner: str) -> Expr:
    """A subscript in `shown[...]`; raises `teloom.Error` for a slice, and for no integer."""
    if isinstance(value, slice):
        raise Error(f"a slice cannot stand in {shown}[...]; give one position per axis")
    expr = as_expr(value)
    if dtypes.of(expr.dtype).kind not in (dtypes.INT, dtypes.UINT):
        raise Error(
            f"subscript {expr} of {owner} is {expr.dtype}, not an integer; divide with // or "
            "cast it"
        )
    return expr


@dataclass(frozen=True, eq=False, repr=False)
class TensorRegion(Expr):
    """A box of a tensor, such as `A[2, 0:32]`: an input of an extern, and no element."""

    __iter__ = None

    tensor: Tensor
    begins: tuple[Expr, ...]
    extents: tuple[Expr, ...]

    @property
    def dtype(self) -> str:  # type: ignore[override]
        return self.tensor.dtype

    def operands(self) -> tuple[Expr, ...]:
        return (*self.begins, *self.extents)

    def as_scalar(self) -> Expr:
        """Refused: a box is no element."""
        raise Error(f"a slice cannot stand in {self} here; give one position per axis")

    def text(self, depth: int) -> str:
        sides = zip(texts(self.begins, depth), texts(self.extents, depth), strict=True)
        return f"{self.tensor.name}[{', '.join(f'{b} : {e}' for b, e in sides)}]"


def region_of(tensor: Tensor, subscripts: Sequence[object] = ()) -> TensorRegion:
    """The box given by slices and positions; a position is a slice of one element.

    Axes without a subscript are taken whole. Raises `teloom.Error` for a step, and for more
    subscripts than axes.
    """
    if len(subscripts) > tensor.ndim:
        raise Error(f"{len(subscripts)} subscripts for the {tensor.ndim} axes of {tensor.name}")
    whole = [slice(None)] * (tensor.ndim - len(subscripts))
    sides = [
        _side(tensor, side, subscript)
        for side, subscript in zip(tensor.domain, [*subscripts, *whole], strict=True)
    ]
    begins, extents = tuple(side[0] for side in sides), tuple(side[1] for side in sides)
    return TensorRegion(tensor, begins, extents)


def _side(tensor: Tensor, whole: Range, subscript: object) -> tuple[Expr, Expr]:
    if not isinstance(subscript, slice):
        return integer_expr(subscript, "position", tensor.name), Const(1, "int32")
    if subscript.step is not None:
        raise Error(f"a slice of {tensor.name} has step {subscript.step}; it can have none")
    first = whole.min if subscript.start is None else subscript.start
    last = whole.end if subscript.stop is None else subscript.stop
    return _begin_and_extent(first, last, tensor.name)


def placeholder(shape: object, dtype: object = None, name: str = "placeholder") -> Tensor:
    """A tensor that the caller passes, of `shape` in elements; float32 by default.

    An extent is an integer or an affine expression of `te.var`s. Raises
    `teloom.Error` for another extent. Source: TVM's te.placeholder.

    >>> placeholder((8, 4), name="A")
    Tensor(shape=[8, 4], dtype=float32, name=A)
    """
    checked_text(name, "name of placeholder")
    known = "float32" if dtype is None else dtypes.checked_name(dtype)
    return PlaceholderOp(name, checked_shape(shape, name), known).output(0)


def reduce_axis(
    dom: object, name: str = "rv", thread_tag: str = "", span: object = None
) -> IterVar:
    """An axis to reduce over: the positions from `dom[0]` up to, not including, `dom[1]`.

    `thread_tag` is accepted as TVM's argument, and must be empty; so is `span`, which means
    nothing. Raises `teloom.Error` when `dom` is no pair of integers.

    >>> reduce_axis((1, 4), "k").dom.extent
    3
    """
    checked_text(name, "name of reduce_axis")
    if thread_tag:
        raise Error(f"reduce_axis {name!r} cannot be bound to the thread {thread_tag!r} here")
    return IterVar(name, checked_range(dom, name, "reduce_axis"), IterType.COMM_REDUCE)


def checked_range(dom: object, name: str, what: str) -> Range:
    """A `Range` or a pair (begin, end) as a range; raises `teloom.Error` for others."""
    if isinstance(dom, Range):
        begin, extent = (
            integer_expr(dom.min, "begin", name),
            integer_expr(dom.extent, "extent", name),
        )
    elif isinstance(dom, tuple | list) and len(dom) == 2:
        begin, extent = _begin_and_extent(dom[0], dom[1], name)
    else:
        raise Error(f"{what} {name!r} wants a pair (begin, end), got {dom!r}")
    if isinstance(extent, Const) and extent.value < 0:
        end = begin + extent
        raise Error(f"axis {name} runs from {begin} to {end}: that is never an iteration")
    return Range(begin, extent)


def _begin_and_extent(first: object, last: object, name: str) -> tuple[Expr, Expr]:
    begin, end = integer_expr(first, "begin", name), integer_expr(last, "end", name)
    if isinstance(begin, Const) and isinstance(end, Const):
        return begin, integer_expr(end.value - begin.value, "extent", name)
    return begin, end if isinstance(begin, Const) and begin.value == 0 else end - begin


def checked_domain(shape: object, name: str) -> list[Range]:
    """`shape`, whose extents may also be pairs (begin, end), as ranges.

    Raises `teloom.Error` for what is no extent and no such pair.
    """
    sides = shape if isinstance(shape, tuple | list) else (shape,)
    ranges: list[Range] = []
    for axis, side in enumerate(sides):
        if isinstance(side, Range | tuple | list):
            ranges.append(checked_range(side, name, f"axis {axis} of"))
        else:
            (extent,) = checked_shape(side, name, axis)
            ranges.append(Range(Const(0, "int32"), extent))
    return ranges


def checked_shape(shape: object, name: str, first: int = 0) -> tuple[Expr, ...]:
    """`shape` as expressions; raises `teloom.Error` for negative or non-integer extents.

    They are those of the axes from the `first` on.
    """
    extents = shape if isinstance(shape, tuple | list) else (shape,)
    checked = tuple(integer_expr(extent, "extent", name) for extent in extents)
    for axis, extent in enumerate(checked, first):
        if isinstance(extent, Const) and extent.value < 0:
            raise Error(f"axis {axis} of {name!r} has the negative extent {extent.value}")
    return checked


def integer_expr(value: object, word: str, name: str) -> Expr:
    """`value` as an integer expression; raises `teloom.Error`, as the `word` of `name`.

    `word` is begin, end, extent or alike.
    """
    unbounded = f"{word} {value} of {name!r} is not an integer: no axis is unbounded"
    if value is None:
        raise Error(unbounded)
    try:
        expr = as_expr(value)
    except Error as error:
        is_name = isinstance(value, str) and value.isidentifier()
        meant = f"; te.var({value!r}) is a size of that name" if is_name else ""
        raise Error(
            f"{word} {value!r} of {name!r} is not an integer of 32 or 64 bits: {error}{meant}"
        ) from error
    if isinstance(expr, Const) and math.isinf(expr.value):
        raise Error(unbounded)
    if expr.dtype not in ("int32", "int64"):
        raise Error(f"{word} {expr} of {name!r} is {expr.dtype}, not an integer of 32 or 64 bits")
    return expr


def check_leaves(body: Sequence[Expr], axes: Sequence[IterVar], name: str) -> None:
    """Raises `teloom.Error` for an axis that is none of these, and for an incomplete read."""
    known = set(map(id, axes))
    for expr in walk(tuple(body)):
        if isinstance(expr, TensorSlice):
            expr.checked()
        if not isinstance(expr, IterVar) or id(expr) in known:
            continue
        own = ", ".join(axis.name for axis in axes) or "none"
        hint = "; name it in the axis= of a reduction" if expr.reduces else ""
        raise Error(f"{name!r} uses axis {expr}, which is not one of its axes ({own}){hint}")
