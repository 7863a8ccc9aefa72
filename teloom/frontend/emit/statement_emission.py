"""From the statements of an extern's body to ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, LocationAttr, MemRefType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.dialects import loop
from teloom.dialects.syntax.scopes import GLOBAL
from teloom.dialects.syntax.storage import USUAL_STORAGE
from teloom.frontend.emit.emission import Emitter, Names
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Expr
from teloom.frontend.expr.names import ssa_name
from teloom.frontend.extern.buffer_values import BufferValues
from teloom.frontend.extern.extern_calls import Call
from teloom.frontend.extern.statements import (
    Allocate,
    Branch,
    CallStatement,
    Element,
    Keep,
    Loop,
    Statement,
    Store,
    all_of,
    buffer_of,
    values_of,
)
from teloom.frontend.tensor.buffers import Buffer

INDEX = IndexType()

EmitCall = Callable[[Call, Emitter], None]


class ElementEmitter(Emitter):
    """An emitter of expressions over elements of buffers.

    `own` are the body's own buffers, `buffers` the others.
    """

    def __init__(
        self,
        block: Block,
        names: Names,
        buffers: BufferValues,
        own: dict[Buffer, SSAValue],
        outer: ElementEmitter | None = None,
    ):
        super().__init__(block, names, outer)
        self.buffers, self.own = buffers, own
        self.location: LocationAttr | None = None if outer is None else outer.location

    def inside(self, block: Block) -> ElementEmitter:
        return ElementEmitter(block, self._names, self.buffers, self.own, self)

    def add(self, op: Operation) -> None:
        if self.location is not None:
            op.location = self.location
        super().add(op)

    def _value(self, expr: Expr) -> SSAValue:
        if not isinstance(expr, Element):
            return super()._value(expr)
        if expr.buffer in self.own:
            forms = self.forms(expr.indices)
            return self.insert(loop.LoadOp(self.own[expr.buffer], forms, self.operands))
        return self.insert(memref.LoadOp.get(self.buffers.value(expr.buffer), self._indices(expr)))

    def _indices_of(self, expr: Expr) -> Sequence[Expr]:
        return expr.indices if isinstance(expr, Element) else super()._indices_of(expr)

    def store(self, target: Element, expr: Expr) -> None:
        """Writes an element."""
        value = self.value(expr)
        if target.buffer in self.own:
            forms = self.forms(target.indices)
            self.add(loop.StoreOp(value, self.own[target.buffer], forms, self.operands))
        else:
            buffer = self.buffers.value(target.buffer)
            self.add(memref.StoreOp.get(value, buffer, self._indices(target)))

    def _indices(self, element: Element) -> list[SSAValue]:
        return [self.position(form) for form in self.forms(element.indices)]


class StatementEmitter:
    """Writes statements over sizes at `positions` and `scalars`; `emit_call` writes calls."""

    def __init__(
        self,
        positions: dict[Expr, SSAValue],
        scalars: Mapping[Expr, SSAValue],
        buffers: BufferValues,
        emit_call: EmitCall,
    ):
        self.positions, self.scalars = positions, scalars
        self.buffers = buffers
        self.emit_call = emit_call
        self.passed: set[Buffer] = set()

    def emit(self, statements: Sequence[Statement], block: Block) -> None:
        """Writes the statements of a body to the end of its block."""
        for statement in all_of(statements):
            for value in values_of(statement):
                self.buffers.find(value)
            if isinstance(statement, CallStatement):
                arguments = statement.call.arguments
                self.passed |= {b for a in arguments if (b := buffer_of(a)) is not None}
        names = Names({}, self.positions, self.scalars)
        emitter = ElementEmitter(block, names, self.buffers, {})
        self._all(statements, emitter)

    def _all(self, statements: Sequence[Statement], emitter: ElementEmitter) -> None:
        for statement in statements:
            emitter.location = statement.location
            self._one(statement, emitter)

    def _one(self, statement: Statement, emitter: ElementEmitter) -> None:
        match statement:
            case Store():
                emitter.store(statement.target, statement.value)
            case Keep():
                emitter.keep(statement.kept, statement.value)
            case Allocate():
                self._allocate(statement.buffer, emitter)
            case Loop():
                self._loop(statement, emitter)
            case Branch():
                self._branch(statement, emitter)
            case CallStatement():
                self.emit_call(statement.call, emitter)

    def _allocate(self, buffer: Buffer, emitter: ElementEmitter) -> None:
        element = dtypes.of(buffer.dtype).scalar
        extents = emitter.forms(buffer.extents)
        box = [(AffineExpr.constant(0), extent) for extent in extents]
        is_usual = buffer.scope == GLOBAL
        storage = USUAL_STORAGE if is_usual else USUAL_STORAGE.in_scope(buffer.scope)
        realize = loop.RealizeOp(buffer.name, box, emitter.operands, element, storage)
        realize.tensor.name_hint = ssa_name(buffer.name)
        emitter.add(realize)
        emitter.own[buffer] = realize.tensor
        if buffer in self.passed:
            shape = [
                extent.value if isinstance(extent, AffineConstantExpr) else DYNAMIC_INDEX
                for extent in extents
            ]
            view = loop.BufferOp(realize.tensor, box, emitter.operands, MemRefType(element, shape))
            emitter.add(view)
            self.buffers.add(buffer, view.buffer)

    def _loop(self, statement: Loop, emitter: ElementEmitter) -> None:
        bounds = emitter.forms((statement.begin, statement.end))
        block = Block(arg_types=[INDEX])
        (position,) = block.args
        position.name_hint = ssa_name(statement.var.name)
        self.positions[statement.var] = position
        self._all(statement.body, emitter.inside(block))
        emitter.location = statement.location
        emitter.add(
            loop.ForOp(bounds[:1], bounds[1:], emitter.operands, Region(block), statement.kind)
        )

    def _branch(self, statement: Branch, emitter: ElementEmitter) -> None:
        condition = emitter.value(statement.condition)
        bodies = [statement.then_body, statement.else_body or []]
        then_region, else_region = (self._region(body, emitter) for body in bodies)
        emitter.location = statement.location
        emitter.add(scf.IfOp(condition, [], then_region, else_region))

    def _region(self, body: Sequence[Statement], emitter: ElementEmitter) -> Region:
        block = Block()
        self._all(body, emitter.inside(block))
        block.add_op(scf.YieldOp())
        return Region(block)
