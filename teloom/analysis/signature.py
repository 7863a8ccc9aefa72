"""How a function is called: its sizes, its arrays, and their logical shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap, AffineSymExpr
from xdsl.utils.exceptions import VerifyException

from teloom.analysis.dtypes import DTYPES, dtype_of
from teloom.analysis.stages.queries import outputs_of, result_extents
from teloom.dialects import te
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.syntax.argument_names import argument_names
from teloom.dialects.syntax.layouts import elements_in
from teloom.dialects.syntax.placements import USUAL, Placement
from teloom.dialects.upstream.functions import READONLY, said_of_arguments
from teloom.dialects.upstream.llvm import WORKSPACE
from teloom.errors import PassError, placed

SIGNATURE = "te.signature"
"""The attribute of a function over buffers that says what it was as a function of tensors.

It stays as it is from level `loop` to level `llvm`, and is built of MLIR's own attributes.
"""

Entry = te.FuncOp | func.FuncOp | llvm.FuncOp

_FUNCTIONS: tuple[type[Entry], ...] = te.FuncOp, func.FuncOp, llvm.FuncOp


@dataclass(frozen=True)
class Argument:
    """An array that a function reads or writes.

    `shape` counts elements, as affine expressions over the sizes as symbols; None is
    an array of one axis whose length the function does not say. An extent below 0 counts
    as 0. `placement` says where the elements lie. Of one with a packed layout, the last
    extent counts the rows of a triangle, whose elements are on the last axis of the array.
    One that is `updated` is an output whose elements the function may read before it writes them.
    """

    name: str
    dtype: str
    shape: tuple[AffineExpr, ...] | None
    output: bool
    placement: Placement = USUAL
    updated: bool = False

    @property
    def element_bytes(self) -> int:
        """The bytes of an element in memory; NumPy has no bfloat16 to ask."""
        bits = self.dtype.lstrip("abcdefghijklmnopqrstuvwxyz")
        return int(bits) // 8 if bits else 1

    @property
    def expressions(self) -> tuple[AffineExpr, ...]:
        """The expressions from which sizes are found: the shape, the strides and the offset."""
        return (*(self.shape or ()), *self.placement.expressions)

    @property
    def is_packed(self) -> bool:
        """Whether its layout is a packed one."""
        return self.placement.layout is not None and self.placement.layout.triangle is not None

    def shape_at(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """The shape of the array for these sizes, if the function says one."""
        assert self.shape is not None
        shape = shape_at(self.shape, sizes)
        return (*shape[:-1], elements_in(shape[-1])) if self.is_packed else shape

    @property
    def is_empty_at_first(self) -> bool:
        """Whether nothing stands in its elements but what the function writes."""
        return self.output and not self.updated

    @property
    def is_number(self) -> bool:
        """Whether it is one element that is read, for which a caller may pass a number."""
        return self.shape == () and not self.output

    def attribute(self, sizes: int) -> DictionaryAttr:
        """Its attribute at a function of so many sizes."""
        said: dict[str, Attribute] = {
            "name": StringAttr(self.name),
            "dtype": StringAttr(self.dtype),
        }
        if self.shape is not None:
            said["shape"] = AffineMapAttr(AffineMap(0, sizes, self.shape))
        said |= self.placement.attributes(sizes)
        if self.updated:
            said["updated"] = UnitAttr()
        return DictionaryAttr(said | {"output": UnitAttr()} if self.output else said)

    @staticmethod
    def of(said: DictionaryAttr) -> Argument:
        """The argument that `attribute` describes.

        Raises `KeyError`, `AttributeError` or `VerifyException` for anything else.
        """
        data = dict[str, Any](said.data)
        dtype = data["dtype"]
        if not isinstance(dtype, StringAttr) or dtype.data not in DTYPES:
            raise VerifyException(f"no array has the dtype {dtype}")
        shape = data["shape"].data.results if "shape" in data else None
        argument = Argument(
            data["name"].data,
            dtype.data,
            shape,
            "output" in data,
            Placement.of(said),
            "updated" in data,
        )
        if argument.is_packed and not shape:
            raise KeyError("shape")  # of which the last extent is that of the triangle
        return argument


_Parts = tuple[tuple[str, ...], tuple[Argument, ...], tuple[int, ...]]
"""Of a signature: its sizes, its arguments, and their order."""


@dataclass(frozen=True)
class Signature:
    """The parameters of a compiled function, in machine order and in call order.

    The machine order is all sizes, then all arguments. `order` lists what a caller
    passes, by position in the machine order; a size that is not in it is found from
    the shapes of the arrays.
    """

    name: str
    sizes: tuple[str, ...]
    arguments: tuple[Argument, ...]
    order: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of what a caller passes, in the order of the call."""
        all_names = (*self.sizes, *(argument.name for argument in self.arguments))
        return tuple(all_names[position] for position in self.order)

    def named(self, names: Sequence[str]) -> Signature:
        """The signature with these names of what a caller passes."""
        count = len(self.sizes)
        of = dict(zip(self.order, names, strict=True))
        return replace(
            self,
            sizes=tuple(of.get(number, name) for number, name in enumerate(self.sizes)),
            arguments=tuple(
                replace(argument, name=of.get(count + number, argument.name))
                for number, argument in enumerate(self.arguments)
            ),
        )

    def attribute(self) -> DictionaryAttr:
        """The attribute of a function with this signature."""
        said: dict[str, Attribute] = {}
        if self.sizes:
            said["sizes"] = ArrayAttr(map(StringAttr, self.sizes))
        count = len(self.sizes)
        said["arrays"] = ArrayAttr(argument.attribute(count) for argument in self.arguments)
        if self.order != usual_order(count, self.arguments):
            said["order"] = DenseArrayBase.from_list(i64, self.order)
        return DictionaryAttr(said)


def usual_order(sizes: int, arguments: Sequence[Argument]) -> tuple[int, ...]:
    """The sizes that no shape and no placement mentions, then the arrays."""
    exprs = (expression for argument in arguments for expression in argument.expressions)
    found = {symbol for expression in exprs for symbol in symbols_of(expression)}
    passed = (size for size in range(sizes) if size not in found)
    return (*passed, *range(sizes, sizes + len(arguments)))


def shape_at(extents: Sequence[AffineExpr], sizes: Sequence[int]) -> tuple[int, ...]:
    """The values of extents, over the sizes as symbols; one below 0 counts as 0."""
    return tuple(max(0, extent.eval([], sizes)) for extent in extents)


def symbols_of(expression: AffineExpr) -> set[int]:
    """The numbers of the symbols that `expression` reads."""
    return {part.position for part in expression.dfs() if type(part) is AffineSymExpr}


def functions_in(module: ModuleOp) -> dict[str, Entry]:
    """The functions of a module, of whatever level, by their names."""
    return {op.sym_name.data: op for op in ops_in(module, *_FUNCTIONS)}


def signature_of(op: Entry) -> Signature:
    """The signature of a function.

    One over buffers says it by its attribute `te.signature`. Without that, leading `index`
    arguments are sizes, which are passed, and the rest flat buffers, which are written unless
    they are `llvm.readonly`, each by its name in the text. One over tensors takes its tensors,
    then its results.

    Raises `PassError` where an argument is neither a size nor a buffer, for a signature that
    does not fit the function, and for machine code that has none.
    """
    said = op.attributes.get(SIGNATURE)
    with placed(op):
        if said is not None:
            return _said(op, said)
        if isinstance(op, te.FuncOp):
            return _of_tensors(op)
        if isinstance(op, func.FuncOp):
            return _of_buffers(op)
    raise PassError(
        f"@{op.sym_name.data} is an llvm.func, which does not say what its arguments are; "
        f"give it the {SIGNATURE} that it has above, or IR of level standard",
        op,
    )


def signature_said(name: str, said: Attribute) -> Signature:
    """The signature of a function `name` that an attribute says, as `Signature.attribute` does.

    Raises `KeyError`, `AttributeError`, `TypeError` or `VerifyException` for anything else.
    """
    return Signature(name, *_read(said))


def argument_of(buffer: SSAValue) -> Argument | None:
    """The argument of a signature that describes a buffer, if there is one."""
    if not isinstance(buffer, BlockArgument):
        return None
    function = buffer.block.parent_op()
    if not isinstance(function, func.FuncOp) or SIGNATURE not in function.attributes:
        return None
    if buffer.block is not function.body.first_block:
        return None
    sizes, arguments, _ = _checked(function, function.attributes[SIGNATURE])
    # A pass may have added arguments behind them.
    number = buffer.index - len(sizes)
    return arguments[number] if number in range(len(arguments)) else None


def size_arguments(function: func.FuncOp) -> Sequence[BlockArgument]:
    """The arguments that are sizes, as the signature of a function says; none without one."""
    if SIGNATURE not in function.attributes:
        return ()
    sizes, *_ = _checked(function, function.attributes[SIGNATURE])
    return function.args[: len(sizes)]


def placement_of(buffer: SSAValue) -> Placement:
    """The placement of a buffer by the signature of its function; the usual one without it."""
    argument = argument_of(buffer)
    return USUAL if argument is None else argument.placement


def takes_workspace(function: llvm.FuncOp) -> bool:
    """Whether the last argument is a workspace."""
    attributes = said_of_arguments(function)
    return bool(attributes) and WORKSPACE in attributes[-1].data


def _said(op: Entry, said: Attribute) -> Signature:
    name = op.sym_name.data
    sizes, arguments, order = _checked(op, said)
    types = op.function_type.inputs.data
    if isinstance(op, llvm.FuncOp) and takes_workspace(op):
        types = types[:-1]
    there = sum(isinstance(type, IndexType | IntegerType) for type in types)
    if (len(sizes), len(arguments)) != (there, len(types) - there):
        raise PassError(
            f"{SIGNATURE} of {name} has {len(sizes)} sizes and {len(arguments)} arrays, "
            f"the function {there} and {len(types) - there}",
            op,
        )
    for argument, type in zip(arguments, types[there:], strict=True):
        if (reason := _misfit(argument, type)) is not None:
            raise PassError(f"{SIGNATURE} of {name} says of {argument.name} that {reason}", op)
    count, given = len(types), set(order)
    if len(given) < len(order) or not {*range(there, count)} <= given <= {*range(count)}:
        raise PassError(
            f"the order of {name} is {[*order]}; it must name each buffer once, "
            f"{there}..{count - 1}, and no size twice",
            op,
        )
    return Signature(name, sizes, arguments, order)


def _misfit(argument: Argument, type: Attribute) -> str | None:
    """Why a buffer of a type cannot hold an array of the usual placement."""
    if not isinstance(type, MemRefType):
        return None
    there = dtype_of(type.element_type)
    if argument.dtype.removeprefix("u") != there.removeprefix("u"):
        return f"its elements are {argument.dtype}, and those of its buffer are {there}"
    extents = argument.shape or ()
    is_known = argument.placement == USUAL and argument.shape is not None
    if not is_known or DYNAMIC_INDEX in type.get_shape() or any(map(symbols_of, extents)):
        return None
    said, held = prod(argument.shape_at(())), prod(type.get_shape())
    return None if said == held else f"it has {said} elements, and its buffer has {held}"


_last: tuple[Attribute | None, _Parts] = None, ((), (), ())
"""The signature that was read last: passes ask for that of one function again and again."""


def _checked(op: Entry, said: Attribute) -> _Parts:
    global _last
    attribute, parts = _last
    if attribute is said:
        return parts
    try:
        parts = _read(said)
    except (KeyError, AttributeError, TypeError, VerifyException) as error:
        reason = f": {error}" if isinstance(error, VerifyException) else ""
        message = f"{SIGNATURE} of {op.sym_name.data} is {said}, which is no signature{reason}"
        raise PassError(message, op) from None
    _last = said, parts
    return parts


def _read(said: Any) -> _Parts:
    sizes = tuple(size.data for size in said.data.get("sizes", ()))
    arguments = tuple(map(Argument.of, said.data["arrays"]))
    for argument in arguments:
        read = {symbol for expression in argument.expressions for symbol in symbols_of(expression)}
        if not read <= {*range(len(sizes))}:
            raise VerifyException(f"{argument.name} is over {max(read) + 1} sizes of {len(sizes)}")
    order = usual_order(len(sizes), arguments)
    if "order" in said.data:
        order = tuple(map(int, said.data["order"].get_values()))
    return sizes, arguments, order


def _of_buffers(op: func.FuncOp) -> Signature:
    types = op.function_type.inputs.data
    said = said_of_arguments(op)
    names = argument_names(op)
    count = next((i for i, type in enumerate(types) if not isinstance(type, IndexType)), len(types))
    arguments: list[Argument] = []
    for position in range(count, len(types)):
        type = types[position]
        if not isinstance(type, MemRefType):
            raise PassError(
                f"argument {position} of {op.sym_name.data} is of type {type}; "
                "a function is called with sizes, then buffers",
                op,
            )
        extents = type.get_shape()
        shape = None if DYNAMIC_INDEX in extents else tuple(map(AffineExpr.constant, extents))
        written = READONLY not in said[position].data
        dtype = dtype_of(type.element_type)
        arguments.append(Argument(names[position], dtype, shape, written))
    order = usual_order(count, arguments)
    return Signature(op.sym_name.data, tuple(names[:count]), tuple(arguments), order)


def _of_tensors(op: te.FuncOp) -> Signature:
    sizes, results = op.sizes, outputs_of(op)
    values = [*op.tensors, *results]
    symbols = [AffineExpr.symbol(position) for position in range(len(sizes))]

    def over_symbols(expression: AffineExpr) -> AffineExpr:
        return expression.replace_dims_and_symbols(symbols, [])

    names = argument_names(op, results)
    inputs = len(op.tensors)
    arguments: list[Argument] = []
    for position, value in enumerate(values):
        is_output = position >= inputs
        extents = result_extents(op, value) if is_output else op.shape_of(position)
        assert isinstance(value.type, TensorType)
        arguments.append(
            Argument(
                names[len(sizes) + position],
                dtype_of(value.type.get_element_type()),
                tuple(map(over_symbols, extents)),
                is_output,
                op.placement_of(position).over(over_symbols),
            )
        )
    order = usual_order(len(sizes), arguments)
    if op.order is not None:
        order = tuple(map(int, op.order.get_values()))
    return Signature(op.sym_name.data, tuple(names[: len(sizes)]), tuple(arguments), order)
