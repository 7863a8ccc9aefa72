"""How a program is called: its `te.func` with the arguments that a user lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    FunctionType,
    IndexType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import Rewriter

from teloom.dialects import te
from teloom.dialects.loop import MemoryOp
from teloom.dialects.schedule import SequenceOp
from teloom.dialects.syntax.argument_names import say_names
from teloom.dialects.syntax.names import unique_names, unused_name
from teloom.dialects.syntax.placements import USUAL
from teloom.errors import Error
from teloom.frontend.call.binds import checked_binds, placement_of, placement_sizes
from teloom.frontend.call.broadcasts import extents_read
from teloom.frontend.call.namesakes import namesake
from teloom.frontend.emit.program import EmittedProgram, OperationEmitter, tensor_type
from teloom.frontend.expr.expressions import Expr, Var, walk
from teloom.frontend.expr.names import ssa_name
from teloom.frontend.schedule.caches import copy_of
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.schedule.stage_places import AttachType
from teloom.frontend.tensor.buffers import Buffer
from teloom.frontend.tensor.shape_forms import ShapeForms, sizes_of_extent
from teloom.frontend.tensor.tensors import PlaceholderOp, Tensor

INDEX = IndexType()
_NO_BUFFERS: Mapping[Tensor, Buffer] = MappingProxyType({})


def callable_module(
    schedule: Schedule, args: Sequence[Tensor | Var], name: str, binds: object = None
) -> ModuleOp:
    """A copy of the schedule's module whose function `name` is called with `args`, in order.

    `binds` maps tensors of `args` to the buffers that say how their arrays lie in memory.

    A tensor that is computed but no output becomes one more result; one that is inlined is computed
    for it once more. One result at least is listed; outputs that are not are computed as far as
    others need them. A placeholder that nothing reads becomes one more argument, and a size in
    `args` is passed by the caller. It is not yet verified. Raises `teloom.Error` for arguments that
    are missing, twice, or not of the program, and for buffers that do not fit them.
    """
    _check(schedule, args)
    buffers = checked_binds(binds, args)
    _check_sizes(schedule, args, placement_sizes(buffers))
    return _Copy(schedule, name).called_with(args, buffers)


def _check(schedule: Schedule, args: Sequence[Tensor | Var]) -> None:
    program = schedule.program
    for position, arg in enumerate(args):
        if not isinstance(arg, Tensor | Var):
            raise Error(f"argument {position} is {arg!r}, which is no tensor and no te.var")
        if any(arg is other for other in args[:position]):
            raise Error(f"argument {position}, {arg.name}, is listed twice")
        if isinstance(arg, Tensor) and not _is_given(arg) and arg not in program.tensors:
            if arg.op in program.operations:
                reason = "of the steps of a scan, which are not kept"
            elif arg.op in schedule.stage_map:
                reason = "made by a command of the schedule, and no tensor of the program"
            else:
                reason = "not computed by this schedule"
            raise Error(f"argument {position}, {arg.name}, is {reason}")
    given = set(args)
    for tensor in program.tensors:
        if isinstance(tensor.op, PlaceholderOp) and tensor not in given:
            raise Error(
                f"the program reads {tensor.name}, which is not among the arguments"
                f"{namesake(tensor, args)}"
            )
    missing = [tensor for op in schedule.outputs for tensor in op.outputs]
    if missing and all(isinstance(arg, Var) or _is_given(arg) for arg in args):
        names = " or ".join(tensor.name for tensor in missing)
        others = next(filter(None, (namesake(tensor, args) for tensor in missing)), "")
        raise Error(f"the output {names} is not among the arguments{others}")


def _check_sizes(
    schedule: Schedule, args: Sequence[Tensor | Var], placements: Sequence[Expr]
) -> None:
    shapes = (extent for arg in args if isinstance(arg, Tensor) for extent in arg.extents)
    found = {*walk((*placements,)), *args}.union(*map(sizes_of_extent, shapes))
    for size in schedule.program.sizes:
        if size not in found:
            raise Error(
                f"the size {size.name} stands in no argument's shape; list it among the arguments"
                f"{namesake(size, args)}"
            )


def sizes_of_call(
    program: EmittedProgram,
    args: Sequence[Tensor | Var],
    buffers: Mapping[Tensor, Buffer] = _NO_BUFFERS,
) -> list[Var]:
    """The sizes of a program that is called with `args`, as its function has them in front."""
    shapes = (extent for arg in args if isinstance(arg, Tensor) for extent in arg.extents)
    passed = (arg for arg in args if isinstance(arg, Var))
    found = walk((*passed, *shapes, *placement_sizes(buffers)))
    return [*dict.fromkeys((*program.sizes, *(size for size in found if isinstance(size, Var))))]


def _is_given(tensor: Tensor) -> bool:
    return isinstance(tensor.op, PlaceholderOp)


class _Copy:
    """A copy of a schedule's module, and where the user's objects are in it."""

    def __init__(self, schedule: Schedule, name: str):
        self.schedule = schedule
        self.names = {stage.name for stage in schedule.stages}
        program = self.program = schedule.program
        copies: dict[SSAValue, SSAValue] = {}
        self.module = schedule.module.clone(copies)
        self.tensors = {tensor: copies[value] for tensor, value in program.tensors.items()}
        self.sizes = {size: copies[value] for size, value in program.sizes.items()}
        func = self.module.body.block.first_op
        sequence = self.module.body.block.last_op
        assert isinstance(func, te.FuncOp)
        assert isinstance(sequence, SequenceOp)
        taken = {op.sym_name.data for op in self.module.ops if isinstance(op, FuncOp | MemoryOp)}
        if name in taken:
            raise Error(
                f"a function that uses {name}, a function or a memory, cannot have that name; "
                "give it another"
            )
        if name == sequence.sym_name.data:
            sequence.sym_name = StringAttr(f"{name}_of_{name}")
        func.sym_name = StringAttr(name)
        sequence.target = SymbolRefAttr(name)
        self.func = func

    def called_with(
        self, args: Sequence[Tensor | Var], buffers: Mapping[Tensor, Buffer]
    ) -> ModuleOp:
        own = extents_read(self.program.operations, args, buffers)
        for size in sizes_of_call(self.program, args, buffers)[len(self.sizes) :]:
            self._add_size(size)
        for size, extent in own.items():
            self._replace(size, extent)
        outputs = {self.tensors[arg]: arg for arg in args if arg in self.program.tensors}
        results = [value for value in self.func.return_op.values if value in outputs]
        for arg in args:
            if not isinstance(arg, Tensor):
                continue
            if arg not in self.tensors:
                self._add_placeholder(arg)
            elif not _is_given(arg) and self.tensors[arg] not in results:
                if self.schedule[arg].attach_type == AttachType.INLINE:
                    self._copy(arg)
                results.append(self.tensors[arg])
        self.func.return_op.operands = results
        self._set_types()
        self._set_type(args)
        self._say_names()
        self._place(buffers)
        return self.module

    def _say_names(self) -> None:
        known = {value: size.name for size, value in self.sizes.items()}
        known |= {
            value: self.program.stage_names.get(tensor.op, tensor.name)
            for tensor, value in self.tensors.items()
            if _is_given(tensor)
        }
        arguments = self.func.body.block.args
        say_names(self.func, unique_names(ssa_name(known[argument]) for argument in arguments))

    def _add_size(self, size: Var) -> None:
        position = len(self.sizes)
        argument = self.func.body.block.insert_arg(INDEX, position)
        argument.name_hint = ssa_name(size.name)
        self.sizes[size] = argument

    def _replace(self, size: Var, extent: Expr) -> None:
        """Puts what is read of an array in the place of a size that is only its own."""
        (form,) = ShapeForms(list(self.sizes)).extents([extent], size.name)
        self.func.replace_size(list(self.sizes).index(size), form)
        del self.sizes[size]

    def _set_types(self) -> None:
        """Gives the arguments of the function the types that their shapes say."""
        for tensor, value in self.tensors.items():
            if value in self.func.tensors:
                extents = self.func.shape_of(self.func.tensors.index(value))
                type = tensor_type(extents, tensor.dtype)
                if type != value.type:
                    self.tensors[tensor] = Rewriter.replace_value_with_new_type(value, type)

    def _add_placeholder(self, tensor: Tensor) -> None:
        forms = ShapeForms(list(self.sizes))
        extents = forms.extents(tensor.extents, tensor.name)
        block = self.func.body.block
        argument = block.insert_arg(tensor_type(extents, tensor.dtype), len(block.args))
        argument.name_hint = ssa_name(tensor.name)
        self.tensors[tensor] = argument
        shape = AffineMapAttr(AffineMap(len(self.sizes), 0, extents))
        self.func.shapes = ArrayAttr([*self.func.shapes, shape])

    def _copy(self, tensor: Tensor) -> None:
        """Puts a copy, which is stored, in the place of a tensor that is inlined into it."""
        name = unused_name(f"{self.schedule[tensor].name}.copy", self.names)
        self.names.add(name)
        emitter = OperationEmitter(())
        emitter.tensors, emitter.sizes = self.tensors, self.sizes
        emitter.forms = ShapeForms(list(self.sizes))
        op = copy_of(tensor, name, tensor.dtype)
        emitter.stage_names[op] = name
        emitter.equation(op)
        self.tensors[tensor] = self.tensors[op.output(0)]
        made = emitter.block.first_op
        assert made is not None
        made.detach()
        self.func.body.block.insert_op_before(made, self.func.return_op)

    def _place(self, buffers: Mapping[Tensor, Buffer]) -> None:
        forms = ShapeForms(list(self.sizes))
        placements = {
            self.tensors[tensor]: placement_of(tensor, buffer, forms)
            for tensor, buffer in buffers.items()
        }
        placed = [*self.func.tensors, *self.func.return_op.values]
        self.func.place([placements.get(value, USUAL) for value in placed])

    def _set_type(self, args: Sequence[Tensor | Var]) -> None:
        inputs = list(self.func.body.block.args)
        results = list(self.func.return_op.values)
        self.func.function_type = FunctionType.from_lists(
            [value.type for value in inputs], [value.type for value in results]
        )
        # Sizes may have been added since the shapes were written.
        self.func.shapes = ArrayAttr(
            [
                AffineMapAttr(AffineMap(len(self.sizes), 0, shape.data.results))
                for shape in self.func.shapes
            ]
        )
        numbers = {value: number for number, value in enumerate(inputs)}
        numbers |= {value: len(inputs) + number for number, value in enumerate(results)}
        values = [self.sizes[arg] if isinstance(arg, Var) else self.tensors[arg] for arg in args]
        order = [numbers[value] for value in values]
        # Tensors in order, without sizes, is what a function says by having no order.
        usual = list(range(len(self.sizes), len(numbers)))
        self.func.order = None if order == usual else DenseArrayBase.from_list(i64, order)
