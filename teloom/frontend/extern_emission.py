"""From the body of an extern to the ops of its region."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects import arith, cf, func, get_all_dialects, llvm, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FunctionType,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from teloom import dialects
from teloom.backend.callbacks import (
    SUCCEEDED,
    ArrayParameter,
    Callback,
    NumberParameter,
    Parameter,
)
from teloom.dialects import te
from teloom.errors import Error
from teloom.frontend import dtypes
from teloom.frontend.affine_forms import WIDE
from teloom.frontend.buffers import Buffer, Pointer
from teloom.frontend.emission import Emitter, Names
from teloom.frontend.expressions import Const, Expr, Var, walk
from teloom.frontend.extern_calls import Argument, ExternCall, PackedCall, Statement
from teloom.frontend.externals import Externals
from teloom.frontend.shape_forms import ShapeForms
from teloom.frontend.ssa_names import ssa_name
from teloom.frontend.tensors import ExternOp, IterVar, Tensor, TensorComputeOp, TensorRegion

INDEX = IndexType()
POINTER = llvm.LLVMPointerType()
EQ = IntegerAttr(0, i64)

NUMBERS = {"float32": ctypes.c_float, "float64": ctypes.c_double, "int32": ctypes.c_int32}
NUMBERS |= {"int64": ctypes.c_int64}
"""The numbers that a callback may get."""


class ExternEmitter:
    """Writes one region of an extern."""

    def __init__(
        self,
        op: ExternOp,
        tensors: Mapping[Tensor, SSAValue],
        sizes: Mapping[Var, SSAValue],
        externals: Externals,
    ):
        self.op, self.externals = op, externals
        self.tensors, self.sizes = tensors, sizes
        self.block = Block()
        self.values: dict[Buffer, SSAValue] = {}
        self.metadata: dict[Buffer, memref.ExtractStridedMetaDataOp] = {}
        self.found: dict[Var, tuple[Buffer, int]] = {}
        self.positions: dict[Expr, SSAValue] = {**sizes}
        self.scalars: dict[Expr, SSAValue] = {}
        self.emitter = Emitter(self.block, Names(tensors, self.positions, self.scalars))

    def region(
        self,
        statements: str | Sequence[Statement],
        axes: Sequence[IterVar],
        inputs: Sequence[TensorRegion],
        types: Sequence[Attribute],
    ) -> Region:
        """The region that runs statements at each point of `axes`.

        It sees boxes of `inputs`, which are the first that the extern has, and fills results
        of these `types`.
        """
        for axis in axes:
            self.positions[axis] = self._argument_of_block(INDEX, axis.name)
        self.forms = ShapeForms(list(self.sizes), axes)
        for region, buffer in zip(inputs, self.op.in_buffers, strict=False):
            self._buffer(self.tensors[region.tensor], buffer, region.begins, region.extents)
        points: list[Expr] = [*self.op.axis]
        one, zero = Const(1, "int32"), Const(0, "int32")
        for type, buffer in zip(types, self.op.out_buffers, strict=True):
            output = self._argument_of_block(type, None)
            begins = [*points, *[zero] * buffer.ndim]
            self._buffer(output, buffer, begins, [*[one] * len(points), *buffer.shape])
        if isinstance(self.op, TensorComputeOp):
            for parameter, value in self.op.scalars.items():
                self.scalars[parameter] = self.emitter.value(value)
        if isinstance(statements, str):
            self._text(statements)
        else:
            for statement in statements:
                self._statement(statement)
        return Region(self.block)

    def _argument_of_block(self, type: Attribute, name: str | None) -> SSAValue:
        argument = self.block.insert_arg(type, len(self.block.args))
        argument.name_hint = None if name is None else ssa_name(name)
        return argument

    def _buffer(
        self, tensor: SSAValue, buffer: Buffer, begins: Sequence[Expr], extents: Sequence[Expr]
    ) -> None:
        box = [self.forms.extents(side, self.op.name) for side in (begins, extents)]
        op = te.BufferOp(
            tensor,
            list(zip(*box, strict=True)),
            list(self.positions.values()),
            self._type(buffer, box[1][len(extents) - buffer.ndim :]),
            None if buffer.data_alignment == -1 else buffer.data_alignment,
            buffer.offset_factor if buffer.offset_factor > 1 else None,
        )
        for position, one in enumerate([buffer.elem_offset, *buffer.strides]):
            if isinstance(one, Var):
                self._note(one, buffer, position)
        op.location = self.op.location
        op.buffer.name_hint = ssa_name(buffer.name)
        self.block.add_op(op)
        self.values[buffer] = op.buffer

    def _note(self, var: Var, buffer: Buffer, position: int) -> None:
        """Notes that a var stands for the offset of a buffer, or for the stride at `position`."""
        if var in self.found:
            raise Error(
                f"{var} of buffer {buffer.name!r} stands for something else already, in "
                f"{self.found[var][0].name!r}; what is found needs a te.var of its own"
            )
        self.found[var] = buffer, position

    def _type(self, buffer: Buffer, extents: Sequence[AffineExpr]) -> MemRefType:
        shape = [e.value if isinstance(e, AffineConstantExpr) else DYNAMIC_INDEX for e in extents]
        offset = self._number(buffer, buffer.elem_offset)
        element = dtypes.of(buffer.dtype).scalar
        if not buffer.strides and offset == 0:
            return MemRefType(element, shape)
        strides = [self._number(buffer, stride) for stride in buffer.strides]
        if not buffer.strides:
            strides = _compact(shape)
            if DYNAMIC_INDEX in shape[1:]:
                raise Error(
                    f"buffer {buffer.name!r} is compact with a symbolic extent, and may have an "
                    "offset: give it strides, or no offset"
                )
        return MemRefType(element, shape, StridedLayoutAttr(strides, offset), NoneAttr())

    def _number(self, buffer: Buffer, expr: Expr) -> int | None:
        """A stride or an offset, if it is constant; None for one that is found."""
        if isinstance(expr, Const):
            return int(expr.value)
        if isinstance(expr, Var) and expr not in self.sizes:
            return None
        raise Error(
            f"{expr} of buffer {buffer.name!r} must be a number, or a te.var that is no size: it "
            "stands for what is found"
        )

    def _statement(self, statement: ExternCall | PackedCall) -> None:
        if isinstance(statement, PackedCall):
            self._packed(statement)
            return
        arguments = [self._widened(argument) for argument in statement.arguments]
        results = [] if statement.dtype is None else [dtypes.of(statement.dtype).scalar]
        name = statement.function
        if not isinstance(name, str):
            name = self.externals.name(name, statement.name)
        self._call(name, arguments, results)

    def _widened(self, argument: Argument) -> SSAValue:
        """An argument as C passes it: small integers as 32 bits."""
        if isinstance(argument, Expr) and dtypes.of(argument.dtype).kind != dtypes.FLOAT:
            if dtypes.of(argument.dtype).bits < 32:
                return self._argument(argument.astype("int32"))
        return self._argument(argument)

    def _packed(self, statement: PackedCall) -> None:
        arguments: list[SSAValue] = []
        parameters: list[Parameter] = []
        for argument in statement.arguments:
            if isinstance(argument, Buffer):
                arguments += self._array(argument)
                writable = argument in self.op.out_buffers
                parameters.append(ArrayParameter(argument.dtype, argument.ndim, writable))
                continue
            assert isinstance(argument, Expr)
            if argument.dtype not in NUMBERS:
                raise Error(
                    f"{statement.name} gets {argument}, which is {argument.dtype}; a number that "
                    f"is passed to Python is {', '.join(NUMBERS)}"
                )
            arguments.append(self._argument(argument))
            parameters.append(NumberParameter(NUMBERS[argument.dtype]))
        name = self.externals.name(Callback(statement.function, parameters), statement.name)
        (status,) = self._call(name, arguments, [i32])
        succeeded = self._insert(arith.ConstantOp(IntegerAttr(SUCCEEDED, i32)))
        test = arith.CmpiOp(status, succeeded, "eq")
        message = f"{statement.name}, called by {self.op.name}, raised"
        self.block.add_ops([test, cf.AssertOp(test.result, message)])

    def _call(
        self, name: str, arguments: Sequence[SSAValue], results: Sequence[Attribute]
    ) -> Sequence[SSAValue]:
        types = [argument.type for argument in arguments]
        self.externals.declare(name, FunctionType.from_lists(types, results))
        call = func.CallOp(name, arguments, results)
        self.block.add_op(call)
        return call.results

    def _argument(self, argument: Argument) -> SSAValue:
        match argument:
            case Buffer():
                return self._pointer(argument.access_ptr("r"))
            case Pointer():
                return self._pointer(argument)
            case _:
                self._find(argument)
                return self.emitter.value(argument)

    def _find(self, expr: Expr) -> None:
        """Gives the strides and offsets that an expression names their values."""
        for part in walk((expr,)):
            if isinstance(part, Var) and part in self.found:
                buffer, position = self.found[part]
                metadata = self._metadata(buffer)
                self.positions[part] = [metadata.offset, *metadata.strides][position]

    def _metadata(self, buffer: Buffer) -> memref.ExtractStridedMetaDataOp:
        if buffer not in self.metadata:
            if buffer not in self.values:
                where = f"{self.op.name!r}"
                if buffer in self.op.in_buffers:
                    where = f"the reset of {where}, which sees only what it fills"
                raise Error(f"{buffer.name!r} is no buffer of {where}")
            self.metadata[buffer] = memref.ExtractStridedMetaDataOp(self.values[buffer])
            self.block.add_op(self.metadata[buffer])
        return self.metadata[buffer]

    def _array(self, buffer: Buffer) -> list[SSAValue]:
        """What a callback gets of a buffer."""
        metadata = self._metadata(buffer)
        pointer = self._pointer(Pointer(buffer, Const(0, "int64"), writes=False))
        numbers = [*metadata.sizes, *metadata.strides]
        return [pointer, *(self._insert(arith.IndexCastOp(one, i64)) for one in numbers)]

    def _pointer(self, pointer: Pointer) -> SSAValue:
        buffer = pointer.buffer
        metadata = self._metadata(buffer)
        if pointer.offset is not None and pointer.writes and buffer not in self.op.out_buffers:
            raise Error(f"{self.op.name!r} may not write {buffer.name!r}, which is an input")
        address = self._insert(memref.ExtractAlignedPointerAsIndexOp.get(self.values[buffer]))
        if pointer.offset is not None:
            element = metadata.offset
            if not isinstance(pointer.offset, Const) or pointer.offset.value:
                element = self._insert(arith.AddiOp(element, self._index(pointer.offset)))
            width = IntegerAttr(dtypes.of(buffer.dtype).bytes, INDEX)
            bytes = self._insert(arith.MuliOp(element, self._insert(arith.ConstantOp(width))))
            address = self._insert(arith.AddiOp(address, bytes))
        return self._insert(llvm.IntToPtrOp(self._insert(arith.IndexCastOp(address, i64))))

    def _index(self, expr: Expr) -> SSAValue:
        value = self._argument(expr if expr.dtype in WIDE else expr.astype("int64"))
        return self._insert(arith.IndexCastOp(value, INDEX))

    def _insert(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def _text(self, text: str) -> None:
        """Adds the ops of a text, in which sizes and buffers are values of their names."""
        known = {ssa_name(size.name): value for size, value in self.sizes.items()}
        known |= {ssa_name(buffer.name): value for buffer, value in self.values.items()}
        known |= {ssa_name(str(one)): value for one, value in self.scalars.items()}
        arguments = ", ".join(f"%{name}: {value.type}" for name, value in known.items())
        wrapped = f"func.func @body({arguments}) {{\n{text}\nfunc.return\n}}"
        try:
            module = Parser(_context(), wrapped, f"the body of {self.op.name}").parse_module()
            self._declare_calls(module)
            module.body.block.add_ops(self.externals.declarations())
            module.verify()
        except (ParseError, VerifyException) as error:
            raise Error(f"the body of {self.op.name!r} is refused: {error}") from None
        function = module.body.block.first_op
        assert isinstance(function, func.FuncOp)
        body = function.body.block
        for argument, value in zip(body.args, known.values(), strict=True):
            argument.replace_all_uses_with(value)
        for op in list(body.ops):
            op.detach()
            if not isinstance(op, func.ReturnOp):
                self.block.add_op(op)

    def _declare_calls(self, module: ModuleOp) -> None:
        for op in module.walk():
            if isinstance(op, func.CallOp):
                types = [operand.type for operand in op.operands]
                results = [result.type for result in op.results]
                self.externals.declare(
                    op.callee.string_value(), FunctionType.from_lists(types, results)
                )


def _compact(shape: Sequence[int]) -> list[int]:
    strides: list[int] = []
    stride = 1
    for extent in reversed(shape):
        strides.append(stride)
        stride *= extent
    return strides[::-1]


def _context() -> Context:
    context = Context()
    for name, factory in (get_all_dialects() | dialects.get_all_dialects()).items():
        context.register_dialect(name, factory)
    return context
