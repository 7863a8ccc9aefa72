"""How a function is called: its sizes, its arrays, and their logical shapes."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    BFloat16Type,
    DenseArrayBase,
    DictionaryAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    StringAttr,
)
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineExpr, AffineSymExpr

from teloom.dialects.syntax.placements import USUAL, Placement
from teloom.errors import PassError

FLOAT_DTYPES = {
    Float16Type: "float16",
    BFloat16Type: "bfloat16",
    Float32Type: "float32",
    Float64Type: "float64",
}
INTEGER_DTYPES = {1: "bool", 8: "int8", 16: "int16", 32: "int32", 64: "int64"}


@dataclass(frozen=True)
class Argument:
    """An array that a function reads or writes.

    `shape` counts elements, as affine expressions over the sizes as symbols; None is
    an array of one axis whose length the function does not say. An extent below 0 counts
    as 0. `placement` says where the elements lie.
    """

    name: str
    dtype: str
    shape: tuple[AffineExpr, ...] | None
    output: bool
    placement: Placement = USUAL

    @property
    def expressions(self) -> tuple[AffineExpr, ...]:
        """What sizes are found from: the shape, the strides and the offset."""
        return (*(self.shape or ()), *self.placement.expressions)


@dataclass(frozen=True)
class Signature:
    """What a compiled function takes, in machine order and in call order.

    The machine order is all sizes, then all arguments. `order` lists what a caller
    passes, by position in the machine order; a size that is not in it is found from
    the shapes of the arrays.
    """

    name: str
    sizes: tuple[str, ...]
    arguments: tuple[Argument, ...]
    order: tuple[int, ...]


def shape_at(extents: Sequence[AffineExpr], sizes: Sequence[int]) -> tuple[int, ...]:
    """The shape of an array of these extents, over the sizes as symbols."""
    return tuple(max(0, extent.eval([], sizes)) for extent in extents)


def dtype_of(type: Attribute) -> str:
    """NumPy's name of an element type; integers without a sign count as signed.

    Raises `PassError` for a type that no array has.
    """
    if isinstance(type, IndexType):
        return "int64"
    if isinstance(type, IntegerType):
        name = INTEGER_DTYPES.get(type.width.data)
    else:
        name = FLOAT_DTYPES.get(type.__class__)  # pyright: ignore
    if name is None:
        raise PassError(f"no array has elements of type {type}")
    return name


def _string(said: DictionaryAttr, key: str, default: str) -> str:
    value = said.data.get(key)
    return value.data if isinstance(value, StringAttr) else default


def _argument(type: MemRefType, said: DictionaryAttr, default_name: str) -> Argument:
    shape: tuple[AffineExpr, ...] | None
    logical = said.data.get("te.shape")
    if isinstance(logical, AffineMapAttr):
        shape = logical.data.results
    elif DYNAMIC_INDEX in type.get_shape():
        shape = None
    else:
        shape = tuple(AffineExpr.constant(extent) for extent in type.get_shape())
    return Argument(
        _string(said, "te.name", default_name),
        _string(said, "te.dtype", "") or dtype_of(type.element_type),
        shape,
        "te.output" in said.data or (logical is None and "llvm.readonly" not in said.data),
        Placement.of(said),
    )


def symbols_of(expression: AffineExpr) -> set[int]:
    """The numbers of the symbols that `expression` reads."""
    return {part.position for part in expression.dfs() if isinstance(part, AffineSymExpr)}


def signature_of(op: func.FuncOp) -> Signature:
    """The signature that a function over buffers declares by its argument attributes.

    Leading `index` arguments are sizes, the rest buffers. On an argument, `te.name`
    names it, `te.shape` is the logical shape over the sizes as symbols, `te.strides`,
    `te.offset`, `te.offset_factor`, `te.alignment` and `te.layout` are its placement, `te.dtype`
    tells unsigned integers, `te.output` marks what is written, `te.parameter` a size
    that the caller passes. The function's `te.order` is the call order. Without
    attributes an argument is a flat array, named by its position, and written unless
    it is `llvm.readonly`; a size that no shape and no placement mentions is passed.

    Raises `PassError` where an argument is neither a size nor a buffer, and for a `te.order`
    that is no order of them.
    """
    name = op.sym_name.data
    types = op.function_type.inputs.data
    said = op.arg_attrs.data if op.arg_attrs else (DictionaryAttr({}),) * len(types)
    count = next((i for i, type in enumerate(types) if not isinstance(type, IndexType)), len(types))
    arguments: list[Argument] = []
    for position in range(count, len(types)):
        type = types[position]
        if not isinstance(type, MemRefType):
            raise PassError(
                f"argument {position} of {name} is of type {type}; "
                "a function is called with sizes, then buffers",
                op,
            )
        arguments.append(_argument(type, said[position], f"arg{position}"))
    return Signature(
        name,
        tuple(_string(said[i], "te.name", f"arg{i}") for i in range(count)),
        tuple(arguments),
        _order(op, said[:count], arguments),
    )


def _order(
    op: func.FuncOp, sizes: tuple[DictionaryAttr, ...], arguments: list[Argument]
) -> tuple[int, ...]:
    order = op.attributes.get("te.order")
    if isinstance(order, DenseArrayBase):
        return _checked_order(op, [int(p) for p in order.get_values()], len(sizes), len(arguments))
    found = {
        symbol
        for argument in arguments
        for expression in argument.expressions
        for symbol in symbols_of(expression)
    }
    passed = [i for i, said in enumerate(sizes) if "te.parameter" in said.data or i not in found]
    return (*passed, *range(len(sizes), len(sizes) + len(arguments)))


def _checked_order(op: func.FuncOp, order: list[int], sizes: int, buffers: int) -> tuple[int, ...]:
    count = sizes + buffers
    given = set(order)
    if len(given) < len(order) or not set(range(sizes, count)) <= given <= set(range(count)):
        raise PassError(
            f"te.order of {op.sym_name.data} is {order}; it must name each buffer once, "
            f"{sizes}..{count - 1}, and no size twice",
            op,
        )
    return tuple(order)
