"""Pass `flatten-functions`: upstream's functions take sizes and flat buffers, as ours do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from teloom.analysis.dtypes import dtype_of
from teloom.analysis.memory.storage import Allocation
from teloom.analysis.signature import SIGNATURE, Argument, Signature
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.bodies.symbols import symbols_in
from teloom.dialects.syntax.argument_names import argument_names
from teloom.dialects.syntax.names import unused_name
from teloom.dialects.syntax.placements import USUAL, Placement
from teloom.dialects.upstream.accesses import accesses_of
from teloom.dialects.upstream.functions import READONLY
from teloom.errors import PassError, placed
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.loop_code import copy_elements
from teloom.passes.upstream.layouts import strides_of

INDEX = IndexType()


def _is_flat(type: Attribute) -> bool:
    return (
        isinstance(type, MemRefType)
        and len(type.get_shape()) == 1
        and isinstance(type.layout, NoneAttr)
    )


def is_foreign(function: func.FuncOp) -> bool:
    """Whether a function takes or gives what ours do not, and this pass knows it."""
    if SIGNATURE in function.attributes or not function.body.blocks:
        return False
    inputs, outputs = function.function_type.inputs.data, function.function_type.outputs.data
    kinds = IndexType | IntegerType | AnyFloat | MemRefType
    if not all(isinstance(type, kinds) for type in (*inputs, *outputs)):
        return False
    sizes = next((k for k, type in enumerate(inputs) if type != INDEX), len(inputs))
    if outputs or not all(map(_is_flat, inputs[sizes:])):
        return True
    arguments = {*function.body.blocks[0].args}
    viewing = memref.DimOp | memref.SubviewOp | memref.CastOp | memref.CopyOp
    return any(isinstance(op, viewing) and arguments & {*op.operands} for op in preorder(function))


class _Interface:
    """The arguments of a function as ours: sizes, then flat buffers, and how it is called."""

    def __init__(self, function: func.FuncOp):
        self.function = function
        self.block = function.body.blocks[0]
        self.old = [*self.block.args]
        self.names = dict(zip(self.old, argument_names(function), strict=True))
        self.sizes: list[SSAValue] = []
        self.size_names: list[str] = []
        self.buffers: list[SSAValue] = []
        self.arguments: list[Argument] = []
        self.place: dict[SSAValue, int] = {}
        self.shapes: dict[SSAValue, list[int | SSAValue]] = {}
        self.strides: dict[SSAValue, list[int | SSAValue]] = {}

    def add_size(self, name: str) -> SSAValue:
        """A further size, in front of all buffers."""
        size = self.block.insert_arg(INDEX, len(self.sizes))
        size.name_hint = name
        self.sizes.append(size)
        self.size_names.append(unused_name(name, self.size_names))
        return size

    def add_buffer(
        self,
        name: str,
        type: MemRefType,
        shape: Iterable[int | SSAValue],
        output: bool,
        placement: Placement = USUAL,
        updated: bool = False,
    ) -> SSAValue:
        """A further buffer, whose array has this shape."""
        count = len(self.sizes) + len(self.buffers)
        buffer = self.block.insert_arg(type, count)
        buffer.name_hint = name
        self.buffers.append(buffer)
        taken = [argument.name for argument in self.arguments]
        exprs = tuple(map(self.expr, shape))
        dtype = dtype_of(type.element_type)
        name = unused_name(name, [*taken, *self.size_names])
        self.arguments.append(Argument(name, dtype, exprs, output, placement, updated))
        return buffer

    def expr(self, extent: int | SSAValue) -> AffineExpr:
        """An extent or a stride over the sizes as symbols."""
        if isinstance(extent, int):
            return AffineExpr.constant(extent)
        return AffineExpr.symbol(self.sizes.index(extent))

    def finish(self) -> None:
        """Gives the function its type and its signature; removes the old arguments."""
        types = {argument: argument.type for argument in self.old}
        for argument in self.old:
            self.block.erase_arg(argument)
        function, count = self.function, len(self.sizes)
        inputs = [argument.type for argument in self.block.args]
        function.function_type = FunctionType.from_lists(inputs, [])
        nothing = DictionaryAttr({})
        read = DictionaryAttr({READONLY: UnitAttr()})
        said = [nothing if argument.output else read for argument in self.arguments]
        function.arg_attrs = ArrayAttr([*[nothing] * count, *said])
        function.res_attrs = None
        order = [
            self.place[argument] if types[argument] == INDEX else count + self.place[argument]
            for argument in self.old
        ]
        buffers = sum(type != INDEX for type in types.values())
        order += range(count + buffers, count + len(self.buffers))
        signature = Signature(
            function.sym_name.data, tuple(self.size_names), tuple(self.arguments), tuple(order)
        )
        function.attributes[SIGNATURE] = signature.attribute()


def flatten(function: func.FuncOp) -> None:
    """Gives one function our interface."""
    last = [op for op in preorder(function.body) if isinstance(op, func.ReturnOp)]
    _check(function, last)
    interface = _Interface(function)
    for argument in interface.old:
        if argument.type == INDEX:
            interface.place[argument] = len(interface.sizes)
            argument.replace_all_uses_with(interface.add_size(interface.names[argument]))
    for argument in interface.old:
        if isinstance(argument.type, MemRefType):
            _size_extents(interface, argument)
    for argument in interface.old:
        if argument.type != INDEX:
            interface.place[argument] = len(interface.buffers)
            _add_buffer(interface, argument)
    _return_in_buffers(interface, last)
    interface.finish()


def _check(function: func.FuncOp, returns: Sequence[func.ReturnOp]) -> None:
    for type in function.function_type.outputs:
        if isinstance(type, MemRefType):
            raise PassError(
                f"{function.sym_name.data} returns a buffer; it must write one of its arguments",
                returns[0],
            )


# Extents and strides of arguments, which are sizes where they are open.


def _size_extents(interface: _Interface, argument: SSAValue) -> None:
    """Makes sizes of open extents and strides, and the shape and strides that follow."""
    type, name = argument.type, interface.names[argument]
    assert isinstance(type, MemRefType)

    def known(number: int | None, what: str) -> int | SSAValue:
        return interface.add_size(f"{name}.{what}") if number is None else number

    interface.shapes[argument] = [
        known(None if extent == DYNAMIC_INDEX else extent, f"d{axis}")
        for axis, extent in enumerate(type.get_shape())
    ]
    strides = strides_of(type)
    if strides is not None:
        interface.strides[argument] = [
            known(stride, f"stride{axis}") for axis, stride in enumerate(strides)
        ]


def _add_buffer(interface: _Interface, argument: SSAValue) -> None:
    name, type = interface.names[argument], argument.type
    if not isinstance(type, MemRefType):
        buffer = interface.add_buffer(name, MemRefType(type, [1]), [], output=False)
        code = IndexCode.before(_first(interface.block))
        load = memref.LoadOp.get(buffer, [code.constant(0)])
        argument.replace_all_uses_with(code.emit(load))
        return
    shape, strides = interface.shapes[argument], interface.strides.get(argument)
    placement = USUAL
    if strides is not None:
        placement = Placement(tuple(map(interface.expr, strides)))
    flat = _flat_type(type, shape, strides)
    accesses = [*_accesses(argument)]
    output, read = any(writes for _, writes in accesses), any(reads for reads, _ in accesses)
    buffer = interface.add_buffer(name, flat, shape, output, placement, output and read)
    _fold_dims(argument, shape)
    if _is_flat(type):
        argument.replace_all_uses_with(buffer)
    elif argument.uses.get_length():
        code = IndexCode.before(_first(interface.block))
        steps = strides if strides is not None else _row_major(code, shape)
        argument.replace_all_uses_with(code.emit(_view(code, buffer, shape, steps, type)))


def _first(block: Block) -> Operation:
    assert block.first_op is not None
    return block.first_op


def _flat_type(
    type: MemRefType,
    shape: Sequence[int | SSAValue],
    strides: Sequence[int | SSAValue] | None,
) -> MemRefType:
    extents = [extent for extent in shape if isinstance(extent, int)]
    is_known = strides is None and len(extents) == len(shape)
    count = prod(extents) if is_known else DYNAMIC_INDEX
    return MemRefType(type.element_type, [count], memory_space=type.memory_space)


def _row_major(code: IndexCode, shape: Sequence[int | SSAValue]) -> list[int | SSAValue]:
    """The strides of a row-major buffer, computed where an extent is open."""
    if not shape:
        return []
    strides: list[int | SSAValue] = [1]
    for extent in reversed(shape[1:]):
        step = strides[-1]
        if isinstance(step, int) and isinstance(extent, int):
            strides.append(step * extent)
        elif step == 1:
            strides.append(extent)
        else:
            sides = [code.constant(one) if isinstance(one, int) else one for one in (step, extent)]
            strides.append(code.multiply(*sides))
    return strides[::-1]


def _view(
    code: IndexCode,
    buffer: SSAValue,
    shape: Sequence[int | SSAValue],
    strides: Sequence[int | SSAValue],
    type: MemRefType,
) -> memref.ReinterpretCastOp:
    """The buffer as one of `type`, whose first element it begins with."""
    is_open = isinstance(type.layout, StridedLayoutAttr) and isinstance(
        type.layout.offset, NoneAttr
    )
    first = code.constant(0) if is_open else 0
    return memref.ReinterpretCastOp.from_dynamic(buffer, [first], shape, strides, type)


def _fold_dims(value: SSAValue, shape: Sequence[int | SSAValue]) -> None:
    for use in [*value.uses]:
        op = use.operation
        if isinstance(op, memref.DimOp) and isinstance(index := op.index.owner, arith.ConstantOp):
            assert isinstance(index.value, IntegerAttr)
            axis = index.value.value.data
            if axis not in range(len(shape)):
                raise PassError(f"memref.dim of axis {axis} of {value.type}", op)
            extent = shape[axis]
            new = IndexCode.before(op).constant(extent) if isinstance(extent, int) else extent
            Rewriter.replace_op(op, [], [new])


def _accesses(buffer: SSAValue) -> Iterator[tuple[bool, bool]]:
    """Whether each op that takes a buffer, or a view of it, may read and may write it."""
    pending, seen = [buffer], {buffer}
    while pending:
        for use in pending.pop().uses:
            op = use.operation
            if isinstance(op, memref.SubviewOp | memref.CastOp | memref.ReinterpretCastOp):
                (result,) = op.results
                if result not in seen:
                    seen.add(result)
                    pending.append(result)
            elif isinstance(op, memref.CopyOp):
                yield use.index == 0, use.index == 1
            elif not isinstance(op, memref.DimOp | memref.RankOp):
                known = [one for one in accesses_of(op) if one.position == use.index]
                known = known if all(one.is_known for one in known) else []
                yield (
                    not known or any(one.reads for one in known),
                    not known or any(one.writes for one in known),
                )


# Results


def _return_in_buffers(interface: _Interface, returns: Sequence[func.ReturnOp]) -> None:
    """Results become buffers of one element behind all arguments."""
    types = interface.function.function_type.outputs.data
    names = [f"result{k}" if len(types) > 1 else "result" for k in range(len(types))]
    pairs = zip(names, types, strict=True)
    made = [interface.add_buffer(name, MemRefType(type, [1]), [], True) for name, type in pairs]
    for op in returns:
        code = IndexCode.before(op)
        for value, buffer in zip(op.arguments, made, strict=True):
            code.insert(memref.StoreOp.get(value, buffer, [code.constant(0)]))
        Rewriter.replace_op(op, func.ReturnOp())


# What bodies do with buffers of several axes


def _flatten_allocation(op: Allocation) -> None:
    """An allocation with views becomes a flat one, and a view of it."""
    (value,) = op.results
    type = op.memref.type
    if _is_flat(type) or not isinstance(type.layout, NoneAttr):
        return
    viewing = memref.SubviewOp | memref.CastOp | memref.DimOp | memref.CopyOp
    if not any(isinstance(use.operation, viewing) for use in value.uses):
        return
    code = IndexCode.before(op)
    dynamic = iter(op.dynamic_sizes)
    shape = [next(dynamic) if size == DYNAMIC_INDEX else size for size in type.get_shape()]
    forms = [Polynomial.constant(e) if isinstance(e, int) else Polynomial.of(e) for e in shape]
    sizes = [code.count(forms)] if op.dynamic_sizes else []
    new = op.__class__.build(
        operands=[sizes, []],
        result_types=[_flat_type(type, shape, None)],
        properties={"alignment": op.alignment},
        attributes=op.attributes,
    )
    _fold_dims(value, shape)
    buffer = code.emit(new)
    for use in [*value.uses]:
        if isinstance(use.operation, memref.DeallocOp):
            use.operation.operands[use.index] = buffer
    view = _view(code, buffer, shape, _row_major(code, shape), type)
    Rewriter.replace_op(op, view)


def _lower_copy(op: memref.CopyOp) -> None:
    """A copy becomes loops over all axes."""
    type = op.source.type
    assert isinstance(type, MemRefType)
    code = IndexCode.before(op)
    extents: list[AffineExpr] = []
    sizes: list[SSAValue] = []
    for axis, extent in enumerate(type.get_shape()):
        if extent == DYNAMIC_INDEX:
            extents.append(AffineExpr.dimension(len(sizes)))
            sizes.append(code.emit(memref.DimOp(op.source, code.constant(axis))))
        else:
            extents.append(AffineExpr.constant(extent))
    copy_elements(code.insert, op.source, op.destination, extents, sizes)
    Rewriter.erase_op(op)


@dataclass(frozen=True)
class FlattenFunctionsPass(ModulePass):
    """Give functions of upstream's buffers and scalars the interface of ours.

    A buffer of any number of axes becomes a flat one, and a view of it; its open extents and
    strides become sizes, which a call finds from its arrays. Sizes come first; the signature keeps
    the order of the call. A scalar is an array of no axes, for which a caller may pass a number; a
    result is one, too, behind all arguments. `memref.copy` becomes loops, and an allocation that is
    viewed a flat one.

    Functions that others of the module call stay as they are, and so do those that have a
    signature, or that take what no array is.

    Order: before every pass that asks for a signature.

    Example: `flatten-functions`
    ```mlir
    func.func @scale(%A: memref<?x8xf32>, %x: f32, %i: index) {
      %a = memref.load %A[%i, %i] : memref<?x8xf32>
      %b = arith.mulf %a, %x : f32
      memref.store %b, %A[%i, %i] : memref<?x8xf32>
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @scale(%i: index, %n: index, %A: memref<?xf32>, %s: memref<1xf32> {llvm.readonly})
        attributes {te.signature = {sizes = ["i", "A.d0"], arrays = [
          {name = "A", dtype = "float32", shape = affine_map<()[s0, s1] -> (s1, 8)>,
           updated, output},
          {name = "x", dtype = "float32", shape = affine_map<()[s0, s1] -> ()>}
        ], order = array<i64: 2, 3, 0>}} {
      %zero = arith.constant 0 : index
      %x = memref.load %s[%zero] : memref<1xf32>
      %rows = memref.reinterpret_cast %A to offset: [0], sizes: [%n, 8], strides: [8, 1]
          : memref<?xf32> to memref<?x8xf32>
      %a = memref.load %rows[%i, %i] : memref<?x8xf32>
      %b = arith.mulf %a, %x : f32
      memref.store %b, %rows[%i, %i] : memref<?x8xf32>
      func.return
    }
    ```
    Refused: `flatten-functions`
    ```mlir
    func.func @same(%A: memref<4x4xf32>) -> memref<4x4xf32> {
      func.return %A : memref<4x4xf32>
    }
    ```
    with "same returns a buffer; it must write one of its arguments"
    """

    name = "flatten-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        calls = [one for one in preorder(op) if isinstance(one, func.CallOp)]
        called = {symbol for call in calls for symbol in symbols_in(call)}
        for function in [one for one in op.ops if isinstance(one, func.FuncOp)]:
            if function.sym_name.data in called or not is_foreign(function):
                continue
            for inner in [*preorder(function)]:
                if isinstance(inner, Allocation):
                    _flatten_allocation(inner)
                elif isinstance(inner, memref.CopyOp):
                    _lower_copy(inner)
            with placed(function):
                flatten(function)
