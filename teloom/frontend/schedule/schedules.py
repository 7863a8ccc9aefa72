"""Schedules: Python methods that append commands to a `schedule.sequence`.

A schedule is IR and nothing else: its module holds the program and the commands. Its text can be
parsed and applied again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from itertools import takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from xdsl.dialects.builtin import AffineMapAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir import Operation as IrOperation
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import VerifyException

from teloom.analysis.stages.queries import is_reduce
from teloom.dialects import loop
from teloom.dialects import schedule as dialect
from teloom.dialects.syntax.names import unused_name
from teloom.errors import Error, ScheduleError, did_you_mean
from teloom.frontend.emit.intrinsics import declare_intrinsic
from teloom.frontend.emit.program import Program, build_program
from teloom.frontend.expr.integers import checked_integer
from teloom.frontend.expr.names import checked_text, ssa_name
from teloom.frontend.extern.tensor_intrins import TensorIntrin
from teloom.frontend.missing_names import OF_STAGES, missing
from teloom.frontend.schedule.caches import (
    axes_of,
    check_all_of_one,
    computing,
    copy_of,
    copying,
    reading,
)
from teloom.frontend.schedule.relations import Relation, relation_of
from teloom.frontend.schedule.stage_methods import StageMethods
from teloom.frontend.schedule.stage_places import StagePlace
from teloom.frontend.source_location import user_location
from teloom.frontend.tensor.layouts import layout_of, map_of, splits_for
from teloom.frontend.tensor.read_graph import ReadGraph, between, post_dfs_order
from teloom.frontend.tensor.tensors import (
    ComputeOp,
    ExternOp,
    IterVar,
    Operation,
    PlaceholderOp,
    ScanOp,
    Tensor,
)
from teloom.frontend.tensor.updates import UpdateOp
from teloom.lazy import loaded

if TYPE_CHECKING:
    from teloom.frontend.schedule.applied import Applied
    from teloom.frontend.schedule.replay import Replay

Operations = Operation | Tensor | Sequence[Operation | Tensor]
"""Operations, or tensors of them; one or a list."""


class TensorHandle(NamedTuple):
    """The form in which commands name a tensor: a result of a stage, or an argument."""

    stage: SSAValue | None
    argument: int | None
    result: int | None


class Schedule:
    """A program and the commands that schedule it; `s[C]` is the stage of tensor C.

    `module` is the IR: one `te.func` and one `schedule.sequence`. `outputs` are the operations
    that it was created for. `stages` has one stage per operation and per cache, producers first.
    `stage_map` maps operations to stages. `groups` are the results of `create_group`.
    """

    def __init__(self, outputs: list[Operation], program: Program):
        self.outputs = outputs
        self.program = program
        self.sequence = dialect.SequenceOp("schedule", program.func.sym_name.data, Region(Block()))
        self.module.body.block.add_op(self.sequence)
        self.stages = [Stage(self, op, program.stage_names[op]) for op in program.operations]
        self.stage_map = {stage.op: stage for stage in self.stages}
        self.groups: list[Stage] = []
        self._intrinsics: dict[TensorIntrin, str] = {}

    @property
    def module(self) -> ModuleOp:
        """The IR of the program and its commands so far."""
        return self.program.module

    @property
    def schedule_record(self) -> list[str]:
        """The commands so far, one by one, as text. Source: TVM's Schedule.

        >>> from teloom import te
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
        >>> s = te.create_schedule(B)
        >>> outer, inner = s[B].split(B.op.axis[0], factor=8)
        >>> s.schedule_record[-1]
        '%i.outer, %i.inner = schedule.split %i factor 8'
        """
        return [str(command) for command in self.sequence.body.block.ops]

    def __getitem__(self, k: Tensor | Operation) -> Stage:
        op = k.op if isinstance(k, Tensor) else k
        if isinstance(op, Operation) and op in self.stage_map:
            return self.stage_map[op]
        names = ", ".join(stage.name for stage in self.stages)
        raise ScheduleError(f"{k!r} is not part of this schedule; its stages: {names}")

    @staticmethod
    def from_sequence(
        ops: Operations,
        sequence: str | Schedule,
        parameters: Mapping[str, int] = MappingProxyType({}),
    ) -> Schedule:
        """A schedule of the program that computes `ops`, with the commands of another one.

        `sequence` is a schedule, or text with one `schedule.sequence` and the named sequences
        that it includes. Stages are found by their names. `parameters` are numbers for
        `te.param`; all others have their defaults. Raises `teloom.ScheduleError` for text that
        is no sequence, and for commands that do not fit the program.

        >>> from teloom import te
        >>> def scaled(n):
        ...     A = te.placeholder((n,), name="A")
        ...     return te.compute((n,), lambda i: A[i] * 2, name="B")
        >>> B = scaled(64)
        >>> s = te.create_schedule(B)
        >>> outer, inner = s[B].split(B.op.axis[0], factor=te.param("tile", 8))
        >>> other = te.Schedule.from_sequence(scaled(100), s, {"tile": 10})
        >>> other.stages[-1].relations
        [Split(parent=i, outer=i.outer, inner=i.inner, factor=10, nparts=None, tail=None)]
        """
        made = create_schedule(ops)
        text = str(sequence.sequence) if isinstance(sequence, Schedule) else sequence
        loaded("teloom.frontend.schedule.replay", "replay")(made, text, parameters)
        return made

    def to_json(self) -> str:
        """Its commands in JSON: a list of steps, each with kind, inputs, attributes and outputs.

        Inputs and outputs are names of handles, attributes are text of the IR. Raises
        `teloom.ScheduleError` for a command that has others in it. Source: the trace of TVM's
        tir.Schedule.

        >>> from teloom import te
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
        >>> s = te.create_schedule(B)
        >>> outer, inner = s[B].split(B.op.axis[0], factor=8)
        >>> te.Schedule.from_json(B, s.to_json()).to_json() == s.to_json()
        True
        """
        return loaded("teloom.frontend.schedule.trace", "to_json")(self.sequence)

    @staticmethod
    def from_json(ops: Operations, trace: str) -> Schedule:
        """A schedule of the program that computes `ops`, with the commands of `to_json`.

        Raises what `from_sequence` raises, and `teloom.ScheduleError` for text that is no trace.
        """
        text = loaded("teloom.frontend.schedule.trace", "from_json")(trace)
        return Schedule.from_sequence(ops, text)

    @overload
    def cache_write(self, tensor: Tensor, scope: str) -> Tensor: ...

    @overload
    def cache_write(self, tensor: Sequence[Tensor], scope: str) -> list[Tensor]: ...

    def cache_write(self, tensor: Tensor | Sequence[Tensor], scope: str) -> Tensor | list[Tensor]:
        """Computes a tensor in the memory of a scope first; its stage becomes a copy of that.

        Returns the tensor of the new stage, which computes. That stage has the reduce axes, and
        data axes of its own. For an operation with several tensors, pass a list of all of them,
        and get a list. If commands have changed the loops of the stage, the cache has them, with
        a data axis for each loop that is no reduce axis, and the stage begins anew. Raises
        `teloom.ScheduleError`. Source: TVM's Schedule.cache_write.

        >>> from teloom import te
        >>> A, k = te.placeholder((64, 32), name="A"), te.reduce_axis((0, 32), "k")
        >>> C = te.compute((64,), lambda i: te.sum(A[i, k], axis=k), name="C")
        >>> s = te.create_schedule(C)
        >>> CL = s.cache_write(C, "local")
        >>> outer, inner = s[C].split(C.op.axis[0], factor=8)
        >>> s[CL].compute_at(s[C], outer)
        >>> s[CL].reorder(k, CL.op.axis[0])
        >>> te.infer_bounds(s)[CL.op.axis[0]].extent
        8
        """
        several = isinstance(tensor, list | tuple)
        tensors = [self._tensor(one, "cache_write") for one in (tensor if several else [tensor])]
        check_all_of_one(tensors)
        stage = self[tensors[0]]
        if isinstance(stage.op, ExternOp):
            raise ScheduleError(
                f"cannot compute {stage.name} in {scope!r} first: it is an extern, whose body "
                "fills a buffer of its own; set_scope says where that is"
            )
        if isinstance(stage.op, ScanOp):
            raise ScheduleError(
                f"cannot compute {stage.name} in {scope!r} first: it is a scan, whose steps read "
                "it; set_scope says where it is"
            )
        if isinstance(stage.op, UpdateOp):
            raise ScheduleError(
                f"cannot compute {stage.name} in {scope!r} first: it is an update, whose points "
                "read it; set_scope says where it is"
            )
        command = dialect.CacheWriteOp(
            stage.handle, checked_text(scope, "scope of cache_write", ScheduleError)
        )
        self._verify(command)
        name, position = self._new_name(stage.name, scope), self.stages.index(stage)
        made = None
        if any(handle.uses for _, handle in stage.axis_handles()):
            made = loaded("teloom.frontend.schedule.relayouts", "laid_out")(stage, name, command)
        self.append(command)
        if made is None:
            computation = computing(stage.op, name)
            self._add_stage(command.cache, computation, position)
            stage.change_op(copying(stage.op, computation))
        else:
            computation = made.computation
            moved = {axis: stage.axis_handle(axis) for axis in made.moved}
            self._add_stage(command.cache, computation, position)
            self[computation].adopt(moved)
            stage.change_op(made.copy, [axis for axis, _ in stage.axis_handles()])
        caches = [computation.output(one.value_index) for one in tensors]
        return caches if several else caches[0]

    def rfactor(self, tensor: Tensor, axis: IterVar, factor_axis: int = 0) -> Tensor | list[Tensor]:
        """Computes partial results of a reduction, one for each position on a reduce axis of it.

        Returns the tensor of the new stage, or a list if the operation has several. The axis,
        which may be made by split and fuse, is data axis `factor_axis` there; a negative number
        counts from the end. The stage of `tensor` keeps its data axes and what is said of them,
        and folds the partial results along `s[tensor].op.reduce_axis[0]`. Other reduce axes are
        those of the new stage, `op.reduce_axis`. Raises `teloom.ScheduleError`. Source: TVM's
        Schedule.rfactor.

        >>> from teloom import te
        >>> A, k = te.placeholder((64,), name="A"), te.reduce_axis((0, 64), "k")
        >>> B = te.compute((), lambda: te.sum(A[k], axis=k), name="B")
        >>> s = te.create_schedule(B)
        >>> outer, inner = s[B].split(k, factor=16)
        >>> s.rfactor(B, inner).op.body
        [sum(A[((k.outer * 16) + k.inner)], axis=[k.outer])]
        >>> s[B].op.body
        [sum(B.rf[k.inner.v], axis=[k.inner.v])]
        """
        stage = self[self._tensor(tensor, "rfactor")]
        if not isinstance(axis, IterVar):
            raise ScheduleError(f"rfactor of stage {stage.name} wants an axis, got {axis!r}")
        position = checked_integer(factor_axis, "factor_axis of rfactor")
        if position < 0:
            position += len(stage.op.axis) + 1
        command = dialect.RfactorOp(stage.handle, stage.axis_handle(axis), position)
        self._verify(command)
        factored = loaded("teloom.frontend.schedule.partial_results", "factored")
        made = factored(stage, self._new_name(stage.name, "rf"), axis, command)
        self.append(command)
        self._add_stage(command.factored, made.partial, self.stages.index(stage))
        self[made.partial].adopt({one: stage.axis_handle(one) for one in made.moved})
        stage.change_op(made.fold, [*made.moved, *made.gone])
        stage.adopt({made.fold.reduce_axis[0]: command.v})
        partial = made.partial.outputs
        return partial[0] if len(partial) == 1 else list(partial)

    def cache_read(self, tensor: Tensor, scope: str, readers: Operations) -> Tensor:
        """Copies a tensor to the memory of a scope; `readers` read the copy from then on.

        Returns the copy. `readers` are tensors or operations, one or a list. Raises
        `teloom.ScheduleError`. Source: TVM's Schedule.cache_read.

        >>> from teloom import te
        >>> A = te.placeholder((66,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + A[i + 2], name="B")
        >>> s = te.create_schedule(B)
        >>> AL = s.cache_read(A, "local", [B])
        >>> outer, inner = s[B].split(B.op.axis[0], factor=8)
        >>> s[AL].compute_at(s[B], outer)
        >>> te.infer_bounds(s)[AL.op.axis[0]].extent
        10
        """
        source = self._tensor(tensor, "cache_read")
        stages = dict.fromkeys(self[reader] for reader in _listed(readers))
        handles = [stage.handle for stage in stages]
        scope = checked_text(scope, "scope of cache_read", ScheduleError)
        handle, argument, result = self.named(source, "cache_read")
        name = self._name(source)
        command = dialect.CacheReadOp(handle, scope, handles, argument=argument, result=result)
        self.append(command)
        copy = copy_of(source, self._new_name(name, scope))
        self._add_stage(command.cache, copy, self.stages.index(self[source]) + 1)
        for stage in stages:
            stage.change_op(reading(stage.op, source, copy.output(0)))
        return copy.output(0)

    def declare_memory(
        self, scope: str, limit: int | None = None, alignment: int | None = None
    ) -> None:
        """Declares the limit and the alignment of the memory of a tagged scope.

        `limit` is in bytes: lowering refuses a program that needs more of that memory at one
        time. Buffers begin at multiples of `alignment` bytes; without it, of as many as other
        buffers do. Raises `teloom.ScheduleError`. Source: TVM's MemoryInfo, which counts in bits.

        >>> from teloom import te
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
        >>> s = te.create_schedule(B)
        >>> s.declare_memory("global.vtcm", limit=1024, alignment=128)
        >>> AL = s.cache_read(A, "global.vtcm", [B])
        """
        name = checked_text(scope, "scope of declare_memory", ScheduleError)
        numbers = {
            word: checked_integer(value, f"{word} of declare_memory")
            for word, value in (("limit", limit), ("alignment", alignment))
            if value is not None
        }
        memory = loop.MemoryOp(name, **numbers)
        if SymbolTable.lookup_symbol(self.module, name) is not None:
            raise ScheduleError(f'the memory "{name}" is declared already')
        self._verify(memory)
        self.module.body.block.insert_op_before(memory, self.sequence)

    def stage_named(self, name: str) -> Stage:
        """The stage of that name; raises `ScheduleError` if there is none."""
        names = {stage.name: stage for stage in self.stages}
        if name not in names:
            raise ScheduleError(
                f'no stage is named "{name}" (stages: {", ".join(names)})'
                + did_you_mean(name, names)
            )
        return names[name]

    def declared(self, intrin: object, word: str) -> str:
        """The name of an intrinsic in the module, which declares it at its first use.

        Raises `ScheduleError` for the command `word` if it is none, or none that stands alone.
        """
        if not isinstance(intrin, TensorIntrin):
            raise ScheduleError(f"{word} wants a te.decl_tensor_intrin, got {intrin!r}")
        if intrin not in self._intrinsics:
            symbols = (op.properties.get("sym_name") for op in self.module.ops)
            taken = [name.data for name in symbols if isinstance(name, StringAttr)]
            name = unused_name(ssa_name(intrin.name), taken)
            declare_intrinsic(self.program, intrin, name)
            self._intrinsics[intrin] = name
        return self._intrinsics[intrin]

    def _tensor(self, value: object, word: str) -> Tensor:
        """The tensor as readers know it: that of the stage's original operation."""
        if not isinstance(value, Tensor):
            raise ScheduleError(f"{word} wants a tensor, got {value!r}")
        return self[value].origin_op.output(value.value_index)

    def argument_number(self, placeholder: Tensor) -> int:
        """The number of a placeholder among the tensor arguments of the function.

        Raises `ScheduleError` for the state of a scan, which is no argument.
        """
        if placeholder not in self.program.tensors:
            raise ScheduleError(
                f"{placeholder.name} is the state of a scan, no tensor of its own: name the scan, "
                "or a stage that reads it"
            )
        return list(self.program.func.tensors).index(self.program.tensors[placeholder])

    def argument(self, number: int) -> Tensor:
        """The placeholder of that number; raises `ScheduleError` if there is none."""
        arguments = list(self.program.func.tensors)
        found = [one for one, value in self.program.tensors.items() if value in arguments]
        found.sort(key=lambda one: arguments.index(self.program.tensors[one]))
        if number >= len(found):
            raise ScheduleError(f"there is no argument {number}: the program has {len(found)}")
        return found[number]

    def _name(self, tensor: Tensor) -> str:
        """The name of a tensor in the IR."""
        if not isinstance(tensor.op, PlaceholderOp):
            stage = self[tensor].name
            return stage if tensor.op.num_outputs == 1 else f"{stage}.v{tensor.value_index}"
        argument = self.program.tensors[tensor]
        assert argument.name_hint is not None
        return argument.name_hint

    def named(self, tensor: object, word: str) -> TensorHandle:
        """The handle of a tensor for the command `word`; raises `ScheduleError` if it is none."""
        source = self._tensor(tensor, word)
        if not isinstance(source.op, PlaceholderOp):
            result = source.value_index if source.op.num_outputs > 1 else None
            return TensorHandle(self[source].handle, None, result)
        return TensorHandle(None, self.argument_number(source), None)

    def _new_name(self, tensor: str, suffix: str) -> str:
        """The name for a new stage that is made of a tensor."""
        taken = [stage.name for stage in self.stages if not isinstance(stage.op, PlaceholderOp)]
        return dialect.derived_name(tensor, suffix, taken)

    def _add_stage(self, handle: SSAValue, op: ComputeOp, position: int) -> None:
        """Records the stage that a command has created."""
        handle.name_hint = ssa_name(op.name)
        stage = Stage(self, op, op.name, handle)
        self.stages.insert(position, stage)
        self.stage_map[op] = stage

    def create_group(
        self, outputs: Operations, inputs: Operations, include_inputs: bool = False
    ) -> Stage:
        """A group of the stages on all paths from `inputs` to `outputs`, to place them together.

        `compute_at` and `compute_root` of the group place all of its stages that have no place
        of their own. Both arguments are operations or tensors, or lists of them.
        `include_inputs` adds the inputs that are computed.
        Raises `teloom.ScheduleError` for an input that no output depends on, and for an
        output that is not in the group. Source: TVM's Schedule.create_group.

        >>> from teloom import te
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
        >>> C = te.compute((64,), lambda i: B[i] * 2, name="C")
        >>> D = te.compute((64,), lambda i: C[i] + 3, name="D")
        >>> s = te.create_schedule(D)
        >>> outer, inner = s[D].split(D.op.axis[0], factor=8)
        >>> s.create_group(outputs=C, inputs=A).compute_at(s[D], outer)
        """
        ends, starts = self._operations(outputs), self._operations(inputs)
        graph = {stage.origin_op: stage.op.input_tensors for stage in self.stages}
        members = between(ends, starts, graph)
        if include_inputs:
            members += [op for op in starts if not isinstance(op, PlaceholderOp)]
        _check_group(ends, starts, members, graph)
        return self.add_group([stage for stage in self.stages if stage.origin_op in members])

    def add_group(self, stages: Sequence[Stage]) -> Stage:
        """Appends the group of these stages, and groups."""
        command = dialect.GroupOp([stage.handle for stage in stages])
        self.append(command)
        command.group.name_hint = "group"
        name = f"group({', '.join(stage.name for stage in stages)})"
        self.groups.append(Stage(self, Operation(name), name, command.group))
        self.groups[-1].member_names = [stage.name for stage in stages]
        return self.groups[-1]

    def _operations(self, listed: Operations) -> list[Operation]:
        return [self[one].origin_op for one in _listed(listed)]

    def normalize(self) -> Schedule:
        """Returns the schedule itself, unchanged.

        TVM rebases ranges and inlines here; our passes do that.
        """
        return self

    def append(self, command: IrOperation) -> None:
        """Appends a command; raises `ScheduleError` unless it verifies."""
        self._verify(command)
        self.sequence.body.block.add_op(command)

    @staticmethod
    def _verify(command: IrOperation) -> None:
        try:
            command.verify()
        except VerifyException as error:
            command.drop_all_references()
            raise ScheduleError(str(error).removeprefix("Operation does not verify: ")) from None
        command.location = user_location()

    def __str__(self) -> str:
        return str(self.module)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise missing("a schedule", name, {})


class Stage(StagePlace, StageMethods):
    """An operation in a schedule, or a group of them; its methods append commands.

    Every command op of the `schedule` dialect is a method of the same name, with the op's
    operands and properties as parameters. It returns new axes. A command that is never legal
    raises `ScheduleError` here; a command that does not fit the program raises it when the
    schedule is applied.

    `op` is the current operation: a cache changes those around it. `origin_op` is the original
    one. The `op` of a group has no tensors and no axes, and `member_names` has its stages.
    """

    def __init__(
        self, schedule: Schedule, op: Operation, name: str, handle: SSAValue | None = None
    ):
        self.schedule = schedule
        self.op = op
        self.origin_op = op
        self.name = name
        self.member_names: list[str] = []
        self._handle = handle
        self._axes: dict[IterVar, SSAValue] = {}
        self._producers: list[Stage] = []

    @property
    def handle(self) -> SSAValue:
        """The handle of the stage, from a `schedule.get` that is appended at first use."""
        if self._handle is None:
            self._check_computed()
            get = dialect.GetOp(self.name)
            self.schedule.append(get)
            get.stage.name_hint = ssa_name(self.name)
            self._handle = get.stage
        return self._handle

    def _check_computed(self) -> None:
        if isinstance(self.op, PlaceholderOp):
            raise ScheduleError(f"{self.name} is a placeholder: it is given, not computed")

    @property
    def axes(self) -> list[IterVar]:
        """The axes that no command has consumed, in order of creation."""
        return [
            axis for axis, handle in self._handles().items() if not dialect.consumers_of(handle)
        ]

    @property
    def root_axes(self) -> list[IterVar]:
        """The axes of the equation: data axes, then reduce axes."""
        return [*self.op.axis, *self.op.reduce_axis]

    @property
    def all_iter_vars(self) -> list[IterVar]:
        """All axes: those of the equation, then those that commands made, in order."""
        made = [axis for axis in self._axes if axis not in self.root_axes]
        return self.root_axes + made

    def _applied(self) -> Applied:
        """The program with the commands so far; the passes that carry them out are loaded now."""
        return loaded("teloom.frontend.schedule.applied", "applied")(self.schedule, unfinished=True)

    @property
    def leaf_iter_vars(self) -> list[IterVar]:
        """The axes that become loops, outermost first; none for an inlined stage.

        Raises `teloom.ScheduleError` if a command so far does not fit the program.
        """
        found = self._applied()
        stage = found.stages.get(self.name)
        return [found.axes[leaf] for leaf in stage.order.axes] if stage else []

    @property
    def relations(self) -> list[Relation]:
        """The relations between its axes, in order; none for an inlined stage.

        A tile is two splits. Raises what `leaf_iter_vars` raises.

        >>> from teloom import te
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
        >>> s = te.create_schedule(B)
        >>> outer, inner = s[B].split(B.op.axis[0], factor=8)
        >>> s[B].relations
        [Split(parent=i, outer=i.outer, inner=i.inner, factor=8, nparts=None, tail=None)]
        """
        found = self._applied()
        stage = found.stages.get(self.name)
        return [relation_of(op, found.axes) for op in stage.relations] if stage else []

    def then(self, other: Stage, axis: IterVar | None = None) -> Stage:
        """Runs `other` behind this stage: `other.after(self, axis)`; returns `other`.

        Raises `teloom.ScheduleError`. Source: Tiramisu's `then`.

        >>> from teloom import te
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
        >>> C = te.compute((64,), lambda i: A[i] * 2, name="C")
        >>> D = te.compute((64,), lambda i: A[i] - 3, name="D")
        >>> s = te.create_schedule([B, C, D])
        >>> s[D].then(s[B], D.op.axis[0]).then(s[C])
        Stage(C)
        """
        other.after(self, axis)
        return other

    def transform_layout(self, mapping_function: Callable[..., Any]) -> list[IterVar]:
        """Sets the layout of its elements: row-major in the result of `mapping_function`.

        The function gets the data axes and returns a list of affine expressions of them, with
        `te.AXIS_SEPARATOR` between groups that are flattened apart.

        The loops follow the layout if the list holds each axis once, or its quotient and
        remainder by a constant, and no data axis was split or fused before. Then the axes are
        split and reordered to the order of the list, and returned. Otherwise the loops stay, and
        the result is empty.

        The layout of a placeholder is that of the caller's array. Raises
        `teloom.ScheduleError`. Source: TVM's Stage.transform_layout.

        >>> from teloom import te
        >>> A = te.placeholder((8, 16), name="A")
        >>> B = te.compute((8, 16), lambda i, c: A[i, c] + 1, name="B")
        >>> s = te.create_schedule(B)
        >>> s[B].transform_layout(lambda i, c: [c // 4, i, c % 4])
        [c.outer, i, c.inner]
        """
        if isinstance(self.op, PlaceholderOp):
            tensor = self.op.output(0)
            layout = layout_of(axes_of(tensor), mapping_function, self.name)
            number = self.schedule.argument_number(tensor)
            self.schedule.append(dialect.TransformLayoutOp(None, layout, number))
            return []
        layout = layout_of(self.op.axis, mapping_function, self.name)
        self.schedule.append(dialect.TransformLayoutOp(self.handle, layout))
        splits = splits_for(layout)
        if splits is None or not set(self.op.axis) <= set(self.axes):
            return []
        if isinstance(self.op, ScanOp):  # time stays its outermost loop
            return []
        made = {AffineExpr.dimension(k): axis for k, axis in enumerate(self.op.axis)}
        for axis, factor in splits:
            made[axis // factor], made[axis % factor] = self.split(made[axis], factor=factor)
        loops = [made[expr] for expr in layout.exprs]
        self.reorder(*loops)
        return loops

    def partial_results(self, axis: IterVar, number: int) -> Tensor | list[Tensor]:
        """Folds a reduction into so many accumulators at a time; returns what `rfactor` returns.

        Of `number` iterations of a reduce axis in a row, each folds into an accumulator of its
        own: a fold waits for the one before it, and these do not wait for each other. It is a
        split of the axis by `number`, an `rfactor` of the inner one, computed in the innermost
        loop around, and both loops over accumulators unrolled. The loops of the new stage are in
        the order of those of this one, those over accumulators behind all reduce axes. Raises
        `teloom.ScheduleError`. Source: accumulators of ATLAS, Whaley and Dongarra, 1998.

        >>> from teloom import te
        >>> A, k = te.placeholder((8, 99), name="A"), te.reduce_axis((0, 99), "k")
        >>> B = te.compute((8,), lambda i: te.max(A[i, k], axis=k), name="B")
        >>> s = te.create_schedule(B)
        >>> BF = s[B].partial_results(k, 4)
        >>> s[BF].leaf_iter_vars
        [i.rf, k.outer, k.inner]
        """
        _, inner = self.split(axis, factor=number)
        made = self.schedule.rfactor(self.op.output(0), inner)
        partial = self.schedule[made if isinstance(made, Tensor) else made[0]]
        (v,) = self.op.reduce_axis
        around, data_inside = loaded("teloom.frontend.schedule.partial_results", "around")(self, v)
        if around is not None:
            partial.compute_at(self, around)
        accumulators, *data = partial.op.axis
        inside = [data[position] for position in data_inside]
        loops = [axis for axis in partial.leaf_iter_vars if axis not in (accumulators, *inside)]
        partial.reorder(*loops, accumulators, *inside)
        partial.unroll(accumulators)
        self.unroll(v)
        return made

    def remap(self, mapping_function: Callable[..., Any], *axes: IterVar) -> list[IterVar]:
        """Replaces axes by affine functions of them; returns the new axes, in the order of loops.

        `mapping_function` gets the axes, by default the data axes, and returns a list of affine
        expressions of them. They must differ for any two points. New axes count from where the
        expressions do; the loops run through exactly the points of the old ones. Raises
        `teloom.ScheduleError`. Source: Tiramisu's set_schedule.

        >>> from teloom import te
        >>> A = te.placeholder((8, 16), name="A")
        >>> B = te.compute((8, 16), lambda i, j: A[i, j] + 1, name="B")
        >>> s = te.create_schedule(B)
        >>> diagonal, position = s[B].remap(lambda i, j: (i + j, j))
        >>> te.infer_bounds(s)[diagonal]
        Range(min=0, extent=23)
        """
        axes = axes or tuple(self.op.axis)
        return self._remap(axes, map_of(axes, mapping_function, f"the remap of {self.name}"))

    def _remap(self, axes: Sequence[IterVar], map: AffineMap) -> list[IterVar]:
        made: Any = super().remap(*axes, map=AffineMapAttr(map))
        return made if isinstance(made, list) else [made]

    def decompose_padding(self) -> list[IterVar]:
        """Fills a padded stage with its constant, and then copies the inside, which is a box.

        Returns the axes of the inside, one for each data axis; those are `op.axis` of the stage.
        No command may have changed the axes before. Raises `teloom.ScheduleError`. Source:
        decompose_padding of TVM's TensorIR.

        >>> from teloom import te
        >>> A = te.placeholder((64,), name="A")
        >>> inside = lambda i: te.all(i >= 1, i < 65)
        >>> P = te.compute((66,), lambda i: te.if_then_else(inside(i), A[i - 1], 0.0), name="P")
        >>> s = te.create_schedule(P)
        >>> (i,) = s[P].decompose_padding()
        >>> te.infer_bounds(s)[i]
        Range(min=1, extent=64)
        """
        self.schedule.append(dialect.DecomposePaddingOp(self.handle))
        op = copy(self.op)
        op.axis = [IterVar(axis.name) for axis in self.op.axis]
        op.reduce_axis = [IterVar(f"{axis.name}.inside") for axis in self.op.axis]
        self.change_op(op, list(self._axes))  # pyright: ignore
        return op.reduce_axis

    def transform_block_layout(self, index_map: Callable[..., Any]) -> list[IterVar]:
        """Replaces the data axes by affine functions of them: `remap` by TVM's name.

        Returns the new axes and raises what `remap` does. Source: TVM's
        tir.Schedule.transform_block_layout.

        >>> from teloom import te
        >>> A = te.placeholder((8, 16), name="A")
        >>> B = te.compute((8, 16), lambda i, j: A[i, j] + 1, name="B")
        >>> s = te.create_schedule(B)
        >>> len(s[B].transform_block_layout(lambda i, j: [i // 4, j, i % 4]))
        3
        """
        return self.remap(index_map)

    def set_schedule(self, map: str) -> list[IterVar]:
        """Sets the loops by a map from the points of the equation to time, in isl's language.

        The map is as `"{ C[i, j] -> [i + j, j] }"`: in order of the axes of the equation, to
        affine expressions of them, the outermost loop first. Returns the axes of these loops; a
        time that is a number is a loop that runs once. Raises `teloom.ScheduleError` for another
        tuple, a condition, and what `remap` refuses. Source: Tiramisu's set_schedule.

        >>> from teloom import te
        >>> A = te.placeholder((8, 16), name="A")
        >>> B = te.compute((8, 16), lambda i, j: A[i, j] + 1, name="B")
        >>> s = te.create_schedule(B)
        >>> diagonal, position = s[B].set_schedule("{ B[i, j] -> [i + j, j] }")
        >>> te.infer_bounds(s)[diagonal]
        Range(min=0, extent=23)
        """
        loops_by_times = loaded("teloom.frontend.schedule.time_maps", "loops_by_times")
        text = checked_text(map, "map of set_schedule", ScheduleError)
        parts = (self.op.axis, self.op.reduce_axis)
        loops: dict[int, IterVar] = {}
        for axes, times, part in [*loops_by_times(self.name, parts, text)]:
            loops |= zip(times, self._remap(axes, part), strict=True)
        found = [loops[time] for time in range(len(loops))]
        self.reorder(*found)
        return found

    def reverse_compute_inline(self) -> None:
        """Merges it into its only producer: its equation runs in the loops of that.

        Axes of the producer, which is gone, are axes of both stages from then on. Raises
        `teloom.ScheduleError` when the schedule is applied. Source: TVM's
        tir.Schedule.reverse_compute_inline.

        >>> from teloom import te
        >>> A = te.placeholder((32, 64), name="A")
        >>> B = te.compute((32, 64), lambda i, j: A[i, j] * 2, name="B")
        >>> C = te.compute((64, 32), lambda j, i: B[i, j] + 1, name="C")
        >>> s = te.create_schedule(C)
        >>> outer, inner = s[B].split(B.op.axis[0], factor=8)
        >>> s[C].reverse_compute_inline()
        >>> s[C].leaf_iter_vars
        [i.outer, i.inner, j]
        """
        super().reverse_compute_inline()
        tensors = self.op.input_tensors
        self._producers += [
            self.schedule[t] for t in tensors if not isinstance(t.op, PlaceholderOp)
        ]

    def reverse_compute_at(self, parent: Stage, scope: IterVar) -> list[IterVar]:
        """Computes it in a loop of its only producer, behind the part that this computes there.

        The loops of `parent` down to the axis `scope` become its own; returns its loops further
        in. Raises `teloom.ScheduleError`, also for commands so far that do not fit the program.
        Source: TVM's tir.Schedule.reverse_compute_at.

        >>> from teloom import te
        >>> A = te.placeholder((32, 64), name="A")
        >>> B = te.compute((32, 64), lambda i, j: A[i, j] * 2, name="B")
        >>> C = te.compute((64, 32), lambda j, i: B[i, j] + 1, name="C")
        >>> s = te.create_schedule(C)
        >>> outer, inner = s[B].split(B.op.axis[0], factor=8)
        >>> s[C].reverse_compute_at(s[B], outer)
        [i.inner, j]
        >>> te.infer_bounds(s)[B.op.axis[0]].extent
        8
        """
        self._handles()
        loops = parent.leaf_iter_vars if isinstance(parent, Stage) else []
        super().reverse_compute_at(parent, scope)
        block = self.schedule.sequence.body.block
        command = block.last_op
        assert command is not None
        operands = command.operands
        try:
            inner = self.leaf_iter_vars[loops.index(scope) + 1 :]
        finally:
            block.erase_op(command)
        command = type(command)(*operands, inner=len(inner))
        self.schedule.append(command)
        self._producers.append(parent)
        pairs = zip(inner, command.results, strict=True)
        roots = self.root_axes
        return [one if one in roots else self.add_axis(one.name, made) for one, made in pairs]

    def blockize(self, var: IterVar) -> list[IterVar]:
        """Makes one block of the loop of an axis and of all those inside it.

        Returns the axes of the loops outside, data axes first: they are the axes of the stage from
        then on, and at each point of them a block is computed as a whole. All earlier axes are
        gone. Raises `teloom.ScheduleError`. Source: blockize of TVM's TensorIR.

        >>> from teloom import te
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
        >>> C = te.compute((64,), lambda i: B[i] * 2, name="C")
        >>> s = te.create_schedule(C)
        >>> outer, inner = s[B].split(B.op.axis[0], factor=8)
        >>> (block,) = s[B].blockize(inner)
        >>> s[B].compute_at(s[C], s[C].split(C.op.axis[0], factor=32)[0])
        >>> te.infer_bounds(s)[block]
        Range(min=(i.outer * 4), extent=4)
        """
        handle, found = self.axis_handle(var), self._applied()
        leaves = found.stages[self.name].order.axes
        command = dialect.BlockizeOp(handle)
        self.schedule.append(command)
        outside = list(takewhile(lambda leaf: found.axes[leaf] is not var, leaves))
        op = copy(self.op)
        op.axis = [IterVar(found.axes[one].name) for one in outside if not is_reduce(one)]
        op.reduce_axis = [IterVar(found.axes[one].name) for one in outside if is_reduce(one)]
        self.change_op(op, list(self._axes))  # pyright: ignore
        return [*op.axis, *op.reduce_axis]

    def change_op(
        self, op: ComputeOp | ExternOp | ScanOp | UpdateOp, made: Sequence[IterVar] = ()
    ) -> None:
        """Makes `op` its operation, and drops handles of axes that `op` does not have.

        `made` are further axes to drop, which commands made.
        """
        roots = [axis for axis in self.root_axes if axis not in (*op.axis, *op.reduce_axis)]
        gone = [*roots, *made]
        self._axes = {axis: handle for axis, handle in self._axes.items() if axis not in gone}
        self.op = op
        self.schedule.stage_map[op] = self

    def adopt(self, axes: Mapping[IterVar, SSAValue]) -> None:
        """Records axes that a command has given it, with their handles."""
        for axis, handle in axes.items():
            handle.name_hint = handle.name_hint or ssa_name(axis.name)
        self._axes = self._handles() | axes

    def axis_handles(self) -> list[tuple[IterVar, SSAValue]]:
        """All axes that have a handle, consumed ones included, with their handles."""
        return list(self._axes.items())

    def has_axis(self, axis: IterVar) -> bool:
        """Whether an axis is one of the stage, or of a producer whose loops it has."""
        return axis in self.all_iter_vars or any(one.has_axis(axis) for one in self._producers)

    def has_handle(self, handle: SSAValue) -> bool:
        """Whether a handle is one of its axes."""
        return any(handle is one for one in self._axes.values())

    def axis_handle(self, axis: IterVar) -> SSAValue:
        """The handle of one of its axes, or of a producer whose loops it has.

        Raises `ScheduleError` for any other axis.
        """
        handles = self._handles()
        if axis not in handles:
            for producer in self._producers:
                if producer.has_axis(axis):
                    return producer.axis_handle(axis)
            names = ", ".join(axis.name for axis in self.axes) or "none"
            owners = [stage.name for stage in self.schedule.stages if stage.has_axis(axis)]
            whose = f" of stage {owners[0]}" if owners else ""
            raise ScheduleError(
                f"axis {axis}{whose} is not an axis of stage {self.name}; its axes: {names}"
            )
        return handles[axis]

    def add_axis(self, name: str, handle: SSAValue) -> IterVar:
        """Records an axis that a command has created."""
        handle.name_hint = ssa_name(name)
        axis = IterVar(name)
        self._axes[axis] = handle
        return axis

    def _handles(self) -> dict[IterVar, SSAValue]:
        handle = self.handle
        if not self._axes and self.root_axes:
            axes = dialect.AxesOp(handle, len(self.root_axes))
            self.schedule.append(axes)
            for root, result in zip(self.root_axes, axes.axes, strict=True):
                result.name_hint = ssa_name(root.name)
                self._axes[root] = result
        return self._axes

    def __repr__(self) -> str:
        return f"Stage({self.name})"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise missing("a stage", name, OF_STAGES)


def create_schedule(ops: Operations) -> Schedule:
    """A schedule, with no commands yet, of the program that computes `ops`.

    `ops` is an operation, a tensor or a list of them; all tensors of these operations are
    outputs. The module is built and verified here. Its arguments are the sizes and the
    placeholders, in order of first use. Raises `teloom.Error` for other objects.
    Source: TVM's te.create_schedule.

    >>> from teloom import te
    >>> A = te.placeholder((64,), name="A")
    >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
    >>> s = te.create_schedule(B)
    >>> s[B].split(B.op.axis[0], factor=8)
    [i.outer, i.inner]
    """
    outputs: dict[Operation, None] = {}
    for one in _listed(ops):
        op = one.op if isinstance(one, Tensor) else one
        if not isinstance(op, Operation):
            raise Error(f"create_schedule wants operations or tensors, got {one!r}")
        if isinstance(op, PlaceholderOp):
            raise Error(f"{op.name} is a placeholder: there is nothing to compute")
        outputs[op] = None
    if not outputs:
        raise Error("create_schedule needs at least one operation")
    return Schedule(list(outputs), build_program(list(outputs)))


def _listed(ops: Operations) -> list[Operation | Tensor]:
    return list(ops) if isinstance(ops, list | tuple) else [ops]  # type: ignore


def _check_group(
    outputs: Sequence[Operation],
    inputs: Sequence[Operation],
    members: Sequence[Operation],
    graph: ReadGraph,
) -> None:
    needed = post_dfs_order(outputs, graph)
    for op in inputs:
        if op not in needed:
            raise ScheduleError(
                f"no output of the group depends on the input {op.name} (outputs: "
                f"{_names(outputs)})"
            )
    for op in outputs:
        if op in members:
            continue
        if isinstance(op, PlaceholderOp):
            reason = "it is a placeholder, which is given, not computed"
        elif op in inputs:
            reason = "it is an input; include_inputs=True makes inputs members"
        else:
            reason = f"it depends on no input (inputs: {_names(inputs)})"
        raise ScheduleError(f"{op.name} is an output of the group but cannot be in it: {reason}")


def _names(ops: Sequence[Operation]) -> str:
    return ", ".join(op.name for op in ops) or "none"


def _replay_get(replay: Replay, command: dialect.GetOp) -> list[SSAValue]:
    return [replay.known(command.stage, replay.schedule.stage_named(command.stage_name.data))]


def _replay_group(replay: Replay, command: dialect.GroupOp) -> list[SSAValue]:
    made = replay.schedule.add_group([replay.stages[member] for member in command.members])
    return [replay.known(command.group, made)]


def _replay_copied(replay: Replay, command: dialect.CacheReadOp) -> list[SSAValue]:
    s = replay.schedule
    if command.stage is not None:
        number = 0 if command.result is None else command.result.get()
        tensor = replay.stages[command.stage].origin_op.output(number)
    else:
        assert command.argument is not None
        tensor = s.argument(command.argument.get())
    readers = [replay.stages[reader].op for reader in command.readers]
    made = s.cache_read(tensor, command.scope.data, readers)
    return [replay.known(command.cache, s[made])]


def _replay_computed(replay: Replay, command: dialect.CacheWriteOp) -> list[SSAValue]:
    tensors = list(replay.stages[command.stage].origin_op.outputs)
    made = replay.schedule.cache_write(tensors, command.scope.data)
    return [replay.known(command.cache, replay.schedule[made[0]])]


def _replay_factored(replay: Replay, command: dialect.RfactorOp) -> list[SSAValue]:
    s, stage = replay.schedule, replay.stages[command.stage]
    tensor, axis = stage.origin_op.output(0), replay.axis(command.axis)
    made = s.rfactor(tensor, axis, command.factor_axis.get())
    first = made[0] if isinstance(made, list) else made
    folded = stage.axis_handle(stage.op.reduce_axis[0])
    return [replay.known(command.factored, s[first]), folded]


def _replay_block(replay: Replay, command: dialect.BlockizeOp) -> list[SSAValue]:
    axis = replay.axis(command.var)
    next(one for one in replay.schedule.stages if one.has_axis(axis)).blockize(axis)
    return []


def _replay_padding(replay: Replay, command: dialect.DecomposePaddingOp) -> list[SSAValue]:
    replay.stages[command.stage].decompose_padding()
    return []


REPLAYED: Mapping[type[IrOperation], Callable[[Replay, Any], Sequence[SSAValue]]] = {
    dialect.GetOp: _replay_get,
    dialect.AxesOp: lambda replay, command: replay.axes(command),
    dialect.GroupOp: _replay_group,
    dialect.CacheReadOp: _replay_copied,
    dialect.CacheWriteOp: _replay_computed,
    dialect.RfactorOp: _replay_factored,
    dialect.BlockizeOp: _replay_block,
    dialect.DecomposePaddingOp: _replay_padding,
}
"""What replays the commands that change the operations of stages; they return the results."""
