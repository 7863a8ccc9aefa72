"""From the statements of an extern's body to ops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, cf, func, memref, scf
from xdsl.dialects.builtin import (
    FunctionType,
    IndexType,
    IntegerAttr,
    LocationAttr,
    MemRefType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.dtypes import scalar_type
from teloom.backend.call.callbacks import (
    ADDRESS,
    ArrayParameter,
    NumberParameter,
    Parameter,
)
from teloom.dialects import loop
from teloom.dialects.syntax.scopes import GLOBAL
from teloom.dialects.syntax.stage_header import shape_in_type
from teloom.dialects.syntax.storage import USUAL_STORAGE
from teloom.errors import Error
from teloom.frontend.emit.emission import Emitter, LeafValues
from teloom.frontend.emit.externals import Externals
from teloom.frontend.emit.locations import location
from teloom.frontend.emit.python_calls import NUMBERS, PythonCalls
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.affine_forms import WIDE
from teloom.frontend.expr.expressions import Const, Expr, Var, walk
from teloom.frontend.expr.names import ir_string, ssa_name
from teloom.frontend.extern.statements import (
    Allocate,
    Argument,
    Branch,
    CallStatement,
    Check,
    Element,
    ExternCall,
    Keep,
    Loop,
    PackedCall,
    Statement,
    Store,
    While,
    all_of,
)
from teloom.frontend.tensor.buffers import Buffer, Pointer
from teloom.frontend.tensor.tensors import ExternOp
from teloom.lazy import loaded

INDEX = IndexType()

"""The numbers that a callback may get."""


class BodyValues:
    """The values that names in a body of `op` stand for.

    `positions` are the `index` values of sizes, axes and loops; `find` adds the strides and offsets
    of buffers that vars stand for. `buffers` are the memories of buffers. `own` are the regions of
    buffers that the body allocates; these get a memory where they are `passed` to calls.
    """

    def __init__(self, op: ExternOp, positions: dict[Expr, SSAValue], externals: Externals):
        self.op, self.externals = op, externals
        self.positions = positions
        self.scalars: dict[Expr, SSAValue] = {}
        self.buffers: dict[Buffer, SSAValue] = {}
        self.own: dict[Buffer, SSAValue] = {}
        self.passed: set[Buffer] = set()
        self._metadata: dict[Buffer, memref.ExtractStridedMetaDataOp] = {}
        self._found: dict[Var, tuple[Buffer, int]] = {}
        self._left_out: dict[Buffer, int] = {}

    def add(self, buffer: Buffer, value: SSAValue) -> None:
        """Makes `value` the memory of a buffer.

        Raises `teloom.Error` if a var for its offset or a stride belongs to another buffer.
        """
        for position, one in enumerate([buffer.elem_offset, *buffer.strides]):
            if not isinstance(one, Var):
                continue
            if one in self._found:
                raise Error(
                    f"{one} of buffer {buffer.name!r} stands for something else already, in "
                    f"{self._found[one][0].name!r}; what is found needs a te.var of its own"
                )
            self._found[one] = buffer, position
        self.buffers[buffer] = value

    def add_slice(self, whole: Buffer, buffer: Buffer) -> None:
        """Lets a buffer, which holds all axes but the first ones, stand for a whole tensor."""
        self.buffers[whole] = self.buffers[buffer]
        self._left_out[whole] = whole.ndim - buffer.ndim

    def indices(self, element: Element) -> Sequence[Expr]:
        """The subscripts of an element in the memory of its buffer."""
        return element.indices[self._left_out.get(element.buffer, 0) :]

    def metadata(self, buffer: Buffer) -> memref.ExtractStridedMetaDataOp:
        """The offset and strides of a buffer in its memory."""
        if buffer not in self._metadata:
            value = self.buffers[buffer]
            op = self._metadata[buffer] = memref.ExtractStridedMetaDataOp(value)
            made = value.owner
            assert isinstance(made, Operation)
            assert made.parent is not None
            made.parent.insert_op_after(op, made)
        return self._metadata[buffer]

    def find(self, exprs: Sequence[Expr]) -> None:
        """Adds the values of the strides and offsets that expressions name."""
        for part in walk(tuple(exprs)):
            if isinstance(part, Var) and part in self._found:
                buffer, position = self._found[part]
                metadata = self.metadata(buffer)
                self.positions[part] = [metadata.offset, *metadata.strides][position]


class StatementEmitter(Emitter):
    """Writes statements, and expressions over elements of buffers, to the end of a block."""

    def __init__(self, block: Block, body: BodyValues, outer: StatementEmitter | None = None):
        names = LeafValues({}, body.positions, body.scalars, body.externals)
        super().__init__(block, names, outer)
        self._body = body
        self._location: LocationAttr | None = None if outer is None else outer._location

    def inside(self, block: Block) -> StatementEmitter:
        return StatementEmitter(block, self._body, self)

    def add(self, op: Operation) -> None:
        if self._location is not None:
            op.location = self._location
        super().add(op)

    def write_body(self, statements: Sequence[Statement]) -> None:
        """Writes the statements of a whole body."""
        for statement in all_of(statements):
            self._body.find(statement.values())
        self._body.passed |= {
            buffer
            for statement in all_of(statements)
            if isinstance(statement, CallStatement)
            for buffer in statement.named()
        }
        self._all(statements)

    def _all(self, statements: Sequence[Statement]) -> None:
        for statement in statements:
            self._location = location(statement.location)
            self._one(statement)

    def _one(self, statement: Statement) -> None:
        match statement:
            case Store(target=target, value=value):
                self._store(target, value)
            case Keep(kept=kept, value=value):
                self.keep(kept, value)
            case Allocate(buffer=buffer):
                self._allocate(buffer)
            case Loop():
                self._loop(statement)
            case Branch(condition=condition):
                holds = self.value(condition)
                then_region, else_region = map(self._region, statement.bodies())
                self.add(scf.IfOp(holds, [], then_region, else_region))
            case While():
                self._while(statement)
            case Check(condition=condition, message=message):
                self.add(cf.AssertOp(self.value(condition), ir_string(message)))
            case CallStatement(call=ExternCall() as call):
                self._extern_call(call)
            case CallStatement(call=PackedCall() as call):
                self._packed_call(call)

    # Elements

    def _value(self, expr: Expr) -> SSAValue:
        if not isinstance(expr, Element):
            return super()._value(expr)
        forms = self.forms(self._body.indices(expr))
        if expr.buffer in self._body.own:
            return self.insert(loop.LoadOp(self._body.own[expr.buffer], forms, self.operands))
        indices = [self.position(form) for form in forms]
        return self.insert(memref.LoadOp.get(self._body.buffers[expr.buffer], indices))

    def _indices_of(self, expr: Expr) -> Sequence[Expr]:
        return self._body.indices(expr) if isinstance(expr, Element) else super()._indices_of(expr)

    def _store(self, target: Element, expr: Expr) -> None:
        value, forms = self.value(expr), self.forms(self._body.indices(target))
        if target.buffer in self._body.own:
            self.add(loop.StoreOp(value, self._body.own[target.buffer], forms, self.operands))
        else:
            indices = [self.position(form) for form in forms]
            self.add(memref.StoreOp.get(value, self._body.buffers[target.buffer], indices))

    # Blocks

    def _allocate(self, buffer: Buffer) -> None:
        element = scalar_type(buffer.dtype)
        extents = self.forms(buffer.extents)
        box = [(AffineExpr.constant(0), extent) for extent in extents]
        is_usual = buffer.scope == GLOBAL
        storage = USUAL_STORAGE if is_usual else USUAL_STORAGE.in_scope(buffer.scope)
        realize = loop.RealizeOp(buffer.name, box, self.operands, element, storage)
        realize.tensor.name_hint = ssa_name(buffer.name)
        self.add(realize)
        self._body.own[buffer] = realize.tensor
        if buffer in self._body.passed:
            type = MemRefType(element, shape_in_type(extents))
            view = loop.BufferOp(realize.tensor, box, self.operands, type)
            self.add(view)
            self._body.add(buffer, view.buffer)

    def _loop(self, statement: Loop) -> None:
        bounds = self.forms((statement.begin, statement.end))
        block = Block(arg_types=[INDEX])
        (position,) = block.args
        position.name_hint = ssa_name(statement.var.name)
        self._body.positions[statement.var] = position
        self.inside(block)._all(statement.body)
        self.add(loop.ForOp(bounds[:1], bounds[1:], self.operands, Region(block), statement.kind))

    def _while(self, statement: While) -> None:
        before = Block()
        holds = _EachTime(before, self._body, self).value(statement.condition)
        before.add_op(scf.ConditionOp(holds))
        self.add(scf.WhileOp([], [], Region(before), self._region(statement.body)))

    def _region(self, statements: Sequence[Statement]) -> Region:
        block = Block()
        self.inside(block)._all(statements)
        block.add_op(scf.YieldOp())
        return Region(block)

    # Calls

    def _extern_call(self, call: ExternCall) -> None:
        arguments = [self._widened(argument) for argument in call.arguments]
        results = [] if call.dtype is None else [scalar_type(call.dtype)]
        name = call.function
        if not isinstance(name, str):
            name = self._body.externals.name(name, call.name)
        self._call(name, arguments, results)

    def _widened(self, argument: Argument) -> SSAValue:
        """An argument as C passes it: small integers as 32 bits."""
        if isinstance(argument, Pointer):
            return self._pointer(argument)
        dtype = dtypes.of(argument.dtype)
        is_small = dtype.kind != dtypes.FLOAT and dtype.bits < 32
        return self.value(argument.astype("int32") if is_small else argument)

    def _packed_call(self, call: PackedCall) -> None:
        arguments: list[SSAValue] = []
        parameters: list[Parameter] = []
        op = self._body.op
        for argument in call.arguments:
            if isinstance(argument, Pointer) and argument.offset is not None:
                arguments.append(self._pointer(argument))
                parameters.append(ADDRESS)
                continue
            if isinstance(argument, Pointer):
                buffer = argument.buffer
                arguments += self._array(buffer)
                writable = buffer not in op.in_buffers
                parameters.append(ArrayParameter(buffer.dtype, buffer.ndim, writable))
                continue
            if argument.dtype not in NUMBERS:
                raise Error(
                    f"{call.name} gets {argument}, which is {argument.dtype}; a number that "
                    f"is passed to Python is {', '.join(NUMBERS)}"
                )
            arguments.append(self.value(argument))
            parameters.append(NumberParameter(NUMBERS[argument.dtype]))
        calls = PythonCalls(self._body.externals, self.insert, self.add)
        said = f"{call.name}, called by {op.name}, raised"
        calls.call(call.function, call.name, arguments, parameters, said)

    def _call(
        self, name: str, arguments: Sequence[SSAValue], results: Sequence[Attribute]
    ) -> Sequence[SSAValue]:
        types = [argument.type for argument in arguments]
        self._body.externals.declare(name, FunctionType.from_lists(types, results))
        call = func.CallOp(name, arguments, results)
        self.add(call)
        return call.results

    def _array(self, buffer: Buffer) -> list[SSAValue]:
        """A buffer as a callback gets it."""
        metadata = self._body.metadata(buffer)
        pointer = self._pointer(buffer.access_ptr("r"))
        numbers = [*metadata.sizes, *metadata.strides]
        return [pointer, *(self.insert(arith.IndexCastOp(one, i64)) for one in numbers)]

    def _pointer(self, pointer: Pointer) -> SSAValue:
        buffer, insert = pointer.buffer, self.insert
        metadata = self._body.metadata(buffer)
        address = insert(memref.ExtractAlignedPointerAsIndexOp.get(self._body.buffers[buffer]))
        if pointer.offset is not None:
            element = metadata.offset
            if not isinstance(pointer.offset, Const) or pointer.offset.value:
                element = insert(arith.AddiOp(element, self._index(pointer.offset)))
            width = IntegerAttr(dtypes.of(buffer.dtype).bytes, INDEX)
            bytes = insert(arith.MuliOp(element, insert(arith.ConstantOp(width))))
            address = insert(arith.AddiOp(address, bytes))
        return insert(
            loaded("xdsl.dialects.llvm", "IntToPtrOp")(insert(arith.IndexCastOp(address, i64)))
        )

    def _index(self, expr: Expr) -> SSAValue:
        value = self.value(expr if expr.dtype in WIDE else expr.astype("int64"))
        return self.insert(arith.IndexCastOp(value, INDEX))


class _EachTime(StatementEmitter):
    """Writes what is computed again and again: it uses no element that was loaded before."""

    def _known_value(self, expr: Expr) -> SSAValue | None:
        if any(isinstance(part, Element) for part in walk((expr,))):
            return self._values.get(expr)
        return super()._known_value(expr)
