"""From the body of an extern to the ops of its region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
    TensorType,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.utils.exceptions import ParseError, VerifyException

from teloom.analysis.dtypes import scalar_type
from teloom.dialects import te
from teloom.dialects.syntax.scopes import memory_space
from teloom.dialects.syntax.stage_header import shape_in_type
from teloom.driver.reading.parsed_text import parsed, without_places
from teloom.errors import Error
from teloom.frontend.emit.externals import Externals
from teloom.frontend.emit.locations import location
from teloom.frontend.emit.statement_emission import BodyValues, StatementEmitter
from teloom.frontend.expr.expressions import Const, Expr, Var
from teloom.frontend.expr.names import ssa_name
from teloom.frontend.extern.statements import Statement
from teloom.frontend.tensor.buffers import Buffer
from teloom.frontend.tensor.shape_forms import ShapeForms
from teloom.frontend.tensor.tensors import ExternOp, IterVar, Tensor, TensorRegion

INDEX = IndexType()


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
        self.positions: dict[Expr, SSAValue] = {**sizes}
        self.values = BodyValues(op, self.positions, externals)

    def region(
        self,
        statements: str | func.FuncOp | Sequence[Statement],
        axes: Sequence[IterVar],
        inputs: Sequence[TensorRegion],
        types: Sequence[Attribute],
    ) -> Region:
        """The region that runs statements at each point of `axes`.

        It reads boxes of `inputs`, which are the first inputs of the extern, and fills results
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
            assert isinstance(type, TensorType)
            left = type.get_num_dims() - len(points)
            extents = [self.op.sizes.get(extent, extent) for extent in buffer.extents]
            begins = [*points, *[zero] * left]
            self._buffer(
                output, buffer, begins, [*[one] * len(points), *extents[len(extents) - left :]]
            )
        emitter = StatementEmitter(self.block, self.values)
        for whole, buffer in self.op.slices.items():
            self.values.add_slice(whole, buffer)
        for position, value in self.op.loops.items():
            (form,) = emitter.forms([value])
            self.positions[position] = emitter.position(form)
        for parameter, value in (*self.op.scalars.items(), *self.op.sizes.items()):
            self.values.scalars[parameter] = emitter.value(value)
        if isinstance(statements, str):
            self._text(statements)
        elif isinstance(statements, func.FuncOp):
            self._function(statements)
        else:
            StatementEmitter(self.block, self.values).write_body(statements)
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
        op.location = location(self.op.location)
        op.buffer.name_hint = ssa_name(buffer.name)
        self.block.add_op(op)
        self.values.add(buffer, op.buffer)

    def _type(self, buffer: Buffer, extents: Sequence[AffineExpr]) -> MemRefType:
        shape = shape_in_type(extents)
        offset = self._number(buffer, buffer.elem_offset)
        element = scalar_type(buffer.dtype)
        if not buffer.strides and offset == 0:
            return MemRefType(element, shape, NoneAttr(), memory_space(buffer.scope))
        strides = [self._number(buffer, stride) for stride in buffer.strides]
        if not buffer.strides:
            strides = MemRefType.strides_for_shape(shape)
            if None in strides:
                raise Error(
                    f"buffer {buffer.name!r} is compact with a symbolic extent, and may have an "
                    "offset: give it strides, or no offset"
                )
        return MemRefType(
            element, shape, StridedLayoutAttr(strides, offset), memory_space(buffer.scope)
        )

    def _number(self, buffer: Buffer, expr: Expr) -> int | None:
        """A stride or an offset, if it is constant; None if the code finds it."""
        if isinstance(expr, Const):
            return int(expr.value)
        if isinstance(expr, Var) and expr not in self.sizes:
            return None
        raise Error(
            f"{expr} of buffer {buffer.name!r} must be a number, or a te.var that is no size: it "
            "stands for what is found"
        )

    def _text(self, text: str) -> None:
        """Adds the ops of a text, in which sizes and buffers are values by their names."""
        known = {ssa_name(size.name): value for size, value in self.sizes.items()}
        known |= {ssa_name(one.name): value for one, value in self.values.buffers.items()}
        known |= {ssa_name(str(one)): value for one, value in self.values.scalars.items()}
        arguments = ", ".join(f"%{name}: {value.type}" for name, value in known.items())
        wrapped = f"func.func @body({arguments}) {{\n{text}\nfunc.return\n}}"
        try:
            name = f"the body of {self.op.name}"
            module = without_places(parsed(wrapped, name), name)
            self.externals.declare_calls(module)
            module.body.block.add_ops(self.externals.declarations())
            module.verify()
        except (ParseError, VerifyException) as error:
            raise Error(f"the body of {self.op.name!r} is refused: {_reason(error)}") from None
        function = module.body.block.first_op
        assert isinstance(function, func.FuncOp)
        for op in function.body.block.ops:
            if isinstance(op, func.FuncOp | ModuleOp):
                raise Error(
                    f"the body of {self.op.name!r} is a text with {op.name}; it must be the ops "
                    "inside of a function, or a func.func of xDSL"
                )
        self._take_body(function, [*known.values()])

    def _function(self, function: func.FuncOp) -> None:
        """Adds the ops of a function, whose arguments are the buffers."""
        function = function.clone()
        buffers = [self.values.buffers[one] for one in (*self.op.in_buffers, *self.op.out_buffers)]
        types = function.function_type.inputs.data
        if len(types) != len(buffers):
            raise Error(
                f"the body of {self.op.name!r} is a function of {len(types)} arguments, for "
                f"{len(buffers)} buffers"
            )
        self.externals.declare_calls(function)
        values = [self._cast(one, type) for one, type in zip(buffers, types, strict=True)]
        self._take_body(function, values)

    def _cast(self, buffer: SSAValue, type: Attribute) -> SSAValue:
        """A buffer as a memref of another type, which says more or less of its shape."""
        if buffer.type == type:
            return buffer
        found = buffer.type
        assert isinstance(found, MemRefType)
        if not isinstance(type, MemRefType) or not _may_be_cast(found, type):
            raise Error(
                f"an argument of the function that is the body of {self.op.name!r} is {type}; its "
                f"buffer is {found}"
            )
        cast = memref.CastOp.get(buffer, type)
        self.block.add_op(cast)
        return cast.dest

    def _take_body(self, function: func.FuncOp, values: Sequence[SSAValue]) -> None:
        """Takes the ops of a function, with `values` in the place of its arguments."""
        body = function.body.block
        for argument, value in zip(body.args, values, strict=True):
            argument.replace_all_uses_with(value)
        for op in list(body.ops):
            op.detach()
            if not isinstance(op, func.ReturnOp):
                self.block.add_op(op)


def _may_be_cast(type: MemRefType, other: MemRefType) -> bool:
    """Whether two memrefs differ in nothing but which extents their types say."""
    kinds = [(one.element_type, one.layout, one.memory_space) for one in (type, other)]
    pairs = [*zip(type.get_shape(), other.get_shape(), strict=False)]
    return (
        kinds[0] == kinds[1]
        and type.get_num_dims() == other.get_num_dims()
        and all(one == two or DYNAMIC_INDEX in (one, two) for one, two in pairs)
    )


def _reason(error: ParseError | VerifyException) -> str:
    """The message of a parser or verifier in one line, with the place if it is about a text."""
    if not isinstance(error, ParseError):
        return str(error)
    place = error.span.get_location()
    return (
        f"line {place.line - 1}, column {place.col}: {error.msg}; a text is IR, in which buffers "
        "and sizes are values of their names"
    )
