"""Schedules: Python methods that append commands to a `schedule.sequence`.

A schedule is IR and nothing else: its module holds the program and the commands. Its text can be
parsed and applied again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from io import StringIO
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir import Operation as IrOperation
from xdsl.printer import Printer
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import VerifyException

from teloom.analysis.dtypes import dtype_of, element_type
from teloom.dialects import loop, te
from teloom.dialects import schedule as dialect
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.syntax.names import unused_name
from teloom.dialects.syntax.scopes import GLOBAL
from teloom.errors import Error, ScheduleError, no_stage_named, said_by_verifier
from teloom.frontend.emit.intrinsics import declare_intrinsic
from teloom.frontend.emit.locations import location
from teloom.frontend.emit.program import EmittedProgram, build_program
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Var
from teloom.frontend.expr.integers import checked_integer
from teloom.frontend.expr.names import checked_text, ssa_name
from teloom.frontend.extern.tensor_intrins import TensorIntrin
from teloom.frontend.kinds import checked_kind, checked_list
from teloom.frontend.missing_names import OF_SCHEDULES, missing
from teloom.frontend.schedule.caches import (
    Parted,
    check_all_of_one,
    cloned,
    computing,
    copy_of,
    copying,
    from_both_sides,
    parted,
    reading,
)
from teloom.frontend.schedule.precomputed import precomputed
from teloom.frontend.schedule.savepoints import all_or_nothing, one_or_nothing
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.source_location import user_location
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
from teloom.locations import give_to_rules, give_to_user

if TYPE_CHECKING:
    from teloom.frontend.schedule.text.replay import Replay

    pass

_PRIMITIVES = {dialect.TileOp.name: ["split", "split", "reorder"]}
"""The commands that are several primitives of TVM."""

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

    def __init__(self, outputs: list[Operation], program: EmittedProgram):
        self.outputs = outputs
        self.program = program
        self.sequence = dialect.SequenceOp("schedule", program.func.sym_name.data, Region(Block()))
        self.module.body.block.add_op(self.sequence)
        self.stages = [Stage(self, op, program.stage_names[op]) for op in program.operations]
        self.stage_map = {stage.op: stage for stage in self.stages}
        self.groups: list[Stage] = []
        self._moved: dict[Tensor, Tensor] = {}
        """What other stages have of the tensors of an operation, or that with fewer outputs."""
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
        printer, found = Printer(), list[str]()  # one for all: it makes their names different
        for command in self.sequence.body.block.ops:
            printer.stream = StringIO()
            printer.print_op(command)
            found.append(printer.stream.getvalue())
        return found

    @property
    def primitive_record(self) -> list[str]:
        """The words of the commands so far, behind "vanilla", as TVM's Schedule keeps them.

        A tile is two splits and a reorder.

        >>> from teloom import te
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
        >>> s = te.create_schedule(B)
        >>> s[B].vectorize(s[B].split(B.op.axis[0], factor=8)[1])
        >>> s.primitive_record
        ['vanilla', 'split', 'vectorize']
        """
        ops = self.sequence.body.block.ops
        names = [op.name for op in ops if isinstance(op, dialect.CommandOp)]
        words = (_PRIMITIVES.get(name, [name.removeprefix("schedule.")]) for name in names)
        return ["vanilla", *chain.from_iterable(words)]

    def __getitem__(self, k: Tensor | Operation) -> Stage:
        op = self._standing_in(k).op if isinstance(k, Tensor) else k
        if isinstance(op, Operation) and op in self.stage_map:
            return self.stage_map[op]
        if isinstance(op, Operation) and op.num_outputs and op.output(0) in self._moved:
            raise ScheduleError(
                f"the results of {op.name} are computed in several stages: name one of them, as "
                f"in s[T], with T of {', '.join(tensor.name for tensor in op.outputs)}"
            )
        names = ", ".join(stage.name for stage in self.stages)
        if not isinstance(k, Tensor | Operation):
            raise ScheduleError(
                f"a stage is s[T] of a tensor or an operation, not of {k!r}; stages: {names}, by "
                "their names s.stage_named(name)"
            )
        raise ScheduleError(f"{k!r} is not part of this schedule; its stages: {names}")

    @staticmethod
    def from_sequence(
        ops: Operations,
        sequence: str | Schedule,
        parameters: Mapping[str, int] = MappingProxyType({}),
        sizes: Sequence[Var] = (),
    ) -> Schedule:
        """A schedule of the program that computes `ops`, with the commands of another one.

        `sequence` is a schedule, or text with one `schedule.sequence`, the named sequences that
        it includes and the memories that it declares. Stages are found by their names.
        `parameters` are numbers for `te.param`; with some, or where the sequence includes others,
        all others have their defaults. `sizes` are those that commands of the text
        have and no equation, in their order behind the program's; a schedule brings its own.
        Raises `teloom.ScheduleError` for text that is no sequence, and for commands that do not
        fit the program.

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
        checked_kind(
            sequence, str | Schedule, "sequence", "a schedule or the text of one", ScheduleError
        )
        checked_kind(parameters, Mapping, "parameters", "a dict of numbers", ScheduleError)
        added = checked_list(sizes, Var, "sizes", "te.var")
        made = create_schedule(ops)
        text = sequence
        if isinstance(sequence, Schedule):
            text = "\n".join(map(str, [*loop.memories_in(sequence.module), sequence.sequence]))
            added += [*sequence.program.sizes][len(made.program.sizes) :]
        for size in added:
            made.size_number(size)
        loaded("teloom.frontend.schedule.text.replay", "replay")(made, text, parameters)
        return made

    def copy(self) -> Schedule:
        """A schedule of the same program with the same commands, for others to follow.

        >>> from teloom import te
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
        >>> s = te.create_schedule(B)
        >>> t = s.copy()
        >>> t[B].vectorize(B.op.axis[0])
        >>> s.primitive_record, t.primitive_record
        (['vanilla'], ['vanilla', 'vectorize'])
        """
        return Schedule.from_sequence(self.outputs, self)

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Schedule:
        return self.copy()

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
        to_json = loaded("teloom.frontend.schedule.text.trace", "to_json")
        return to_json([*loop.memories_in(self.module), *self.sequence.body.block.ops])

    @staticmethod
    def from_json(ops: Operations, trace: str, sizes: Sequence[Var] = ()) -> Schedule:
        """A schedule of the program that computes `ops`, with the commands of `to_json`.

        `sizes` are what they are to `from_sequence`. Raises what that raises, and
        `teloom.ScheduleError` for text that is no trace.
        """
        checked_text(trace, "trace of from_json", ScheduleError)
        text = loaded("teloom.frontend.schedule.text.trace", "from_json")(trace)
        return Schedule.from_sequence(ops, text, sizes=sizes)

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
        with one_or_nothing(self):
            command = dialect.CacheWriteOp(
                stage.handle, checked_text(scope, "scope of cache_write", ScheduleError)
            )
            self._verify(command)
            name, position = self._new_name(stage.name, scope), self.stages.index(stage)
            made = None
            users = (use.operation for _, one in stage.axis_handles() for use in one.uses)
            is_scheduled = not all(
                isinstance(user, dialect.CommandOp) and user.KEEPS_LOOPS for user in users
            )
            if is_scheduled and isinstance(stage.op, ExternOp):
                raise ScheduleError(
                    f"cannot compute {stage.name} in {scope!r} first: its loops are not those of "
                    "its code any more; cache_write comes before all commands on the axes of an "
                    "extern"
                )
            if is_scheduled:
                made = loaded("teloom.frontend.schedule.relayouts", "laid_out")(
                    stage, name, command
                )
            self.append(command)
        if made is None:
            computation = computing(stage.op, name)
            self._add_stage(command.cache, computation, position)
            stage.change_op(copying(stage.op, computation))
        else:
            computation = made.computation
            self._add_stage(command.cache, computation, position)
            self[computation].take_layout(stage, made.moved)
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
        factored = loaded("teloom.frontend.schedule.partial_results", "factored")
        with all_or_nothing(self):
            command = dialect.RfactorOp(stage.handle, stage.axis_handle(axis), position)
            self._verify(command)
            made = factored(stage, self._new_name(stage.name, "rf"), axis, command)
        self.append(command)
        self._add_stage(command.factored, made.partial, self.stages.index(stage))
        self[made.partial].adopt({one: stage.axis_handle(one) for one in made.moved})
        stage.change_op(made.fold, [*made.moved, *made.gone])
        stage.adopt({made.fold.reduce_axis[0]: command.v})
        return _outputs_of(made.partial)

    def symmetrize(self, tensor: Tensor, row: IterVar, column: IterVar) -> Tensor | list[Tensor]:
        """Computes half of a symmetric tensor: the elements where `column` is at most `row`.

        Returns the tensor of the new stage, which computes, or a list if the operation has several.
        The stage of `tensor` copies each element to both places. Both axes are data axes of it; the
        command comes before all others on its axes. That `tensor[i, j]` and `tensor[j, i]` are the
        same is proved when the schedule is applied. Raises `teloom.ScheduleError`. Like: xSYRK of
        BLAS.

        >>> from teloom import te
        >>> X, k = te.placeholder((8, 4), name="X"), te.reduce_axis((0, 4), "k")
        >>> C = te.compute((8, 8), lambda i, j: te.sum(X[i, k] * X[j, k], axis=k), name="C")
        >>> s = te.create_schedule(C)
        >>> T = s.symmetrize(C, *C.op.axis)
        >>> s[C].op.body
        [if_then_else((j <= i), C.triangle[i, j], C.triangle[j, i])]
        """
        stage = self[self._tensor(tensor, "symmetrize")]
        for axis in (row, column):
            if not isinstance(axis, IterVar):
                raise ScheduleError(f"symmetrize of stage {stage.name} wants axes, got {axis!r}")
        with all_or_nothing(self):
            handles = [stage.axis_handle(axis) for axis in (row, column)]
            command = dialect.SymmetrizeOp(stage.handle, *handles)
            self._verify(command)
            if not isinstance(stage.op, ComputeOp) or not {row, column} <= {*stage.op.axis}:
                raise ScheduleError(
                    f"symmetrize of stage {stage.name} wants two data axes of an equation, got "
                    f"{row} and {column}"
                )
        triangle = computing(stage.op, self._new_name(stage.name, "triangle"))
        copy = from_both_sides(stage.op, triangle, row, column)
        self.append(command)
        self._add_stage(command.triangle, triangle, self.stages.index(stage))
        stage.change_op(copy)
        return _outputs_of(triangle)

    def cache_read(
        self, tensor: Tensor, scope: str, readers: Operations, dtype: object = None
    ) -> Tensor:
        """Copies a tensor to the memory of a scope; `readers` read the copy from then on.

        Returns the copy. `readers` are tensors or operations, one or a list. With a `dtype`, the
        copy holds what the readers convert each element to. Raises `teloom.ScheduleError`. Source:
        TVM's Schedule.cache_read, for the type of its own.

        >>> from teloom import te
        >>> A = te.placeholder((66,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + A[i + 2], name="B")
        >>> s = te.create_schedule(B)
        >>> AL = s.cache_read(A, "local", [B])
        >>> outer, inner = s[B].split(B.op.axis[0], factor=8)
        >>> s[AL].compute_at(s[B], outer)
        >>> te.infer_bounds(s)[AL.op.axis[0]].extent
        10
        >>> H = te.placeholder((64, 64), "float16", name="H")
        >>> k = te.reduce_axis((0, 64), "k")
        >>> C = te.compute((64,), lambda i: te.sum(H[i, k].astype("float32"), axis=k), name="C")
        >>> s = te.create_schedule(C)
        >>> s.cache_read(H, "global", [C], dtype="float32").dtype
        'float32'
        """
        source = self._tensor(tensor, "cache_read")
        stages = dict.fromkeys(self[reader] for reader in _listed(readers))
        with one_or_nothing(self):
            handles = [stage.handle for stage in stages]
            scope = checked_text(scope, "scope of cache_read", ScheduleError)
            handle, argument, result = self.named(source, "cache_read")
            name = self._name(source)
            of_copy = source.dtype if dtype is None else dtypes.checked_name(dtype)
            element = None if of_copy == source.dtype else element_type(of_copy)
            command = dialect.CacheReadOp(
                handle, scope, handles, argument=argument, result=result, element=element
            )
            self.append(command)
        copy = copy_of(source, self._new_name(name, scope), of_copy)
        self._add_stage(command.cache, copy, self.stages.index(self[source]) + 1)
        for stage in stages:
            stage.change_op(reading(stage.op, source, copy.output(0)))
        return copy.output(0)

    def clone_in(self, tensor: Tensor, readers: Operations) -> Tensor | list[Tensor]:
        """Gives `readers` a second computation of a tensor, in a stage of its own.

        Returns the tensor of the new stage, or a list if the operation has several. The stage has
        the default schedule and axes of its own. `readers` are tensors or operations, one or a
        list. Raises `teloom.ScheduleError`. Source: Halide's Func::clone_in.

        >>> from teloom import te
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] * 2, name="B")
        >>> C = te.compute((64,), lambda i: B[i] + 1, name="C")
        >>> D = te.compute((64,), lambda i: B[i] + C[i], name="D")
        >>> s = te.create_schedule(D)
        >>> s[s.clone_in(B, [C])].compute_inline()
        >>> s[B].compute_at(s[D], D.op.axis[0])
        >>> te.infer_bounds(s)[B.op.axis[0]]
        Range(min=i, extent=1)
        """
        stage = self[self._tensor(tensor, "clone_in")]
        if isinstance(stage.op, ScanOp):
            raise ScheduleError(
                f"cannot clone {stage.name}: it is a scan, whose steps read it; clone a step, or "
                "copy the scan by cache_read"
            )
        reading_it = dict.fromkeys(self[reader] for reader in _listed(readers))
        with one_or_nothing(self):
            command = dialect.CloneInOp(stage.handle, [reader.handle for reader in reading_it])
            self.append(command)
        clone = cloned(stage.op, self._new_name(stage.name, "clone"))
        self._add_stage(command.clone_, clone, self.stages.index(stage) + 1)
        for reader in reading_it:
            for old, new in zip(stage.origin_op.outputs, clone.outputs, strict=True):
                reader.change_op(reading(reader.op, old, new))
        return _outputs_of(clone)

    def precompute(self, tensor: Tensor, axes: Sequence[IterVar]) -> Tensor | list[Tensor]:
        """Computes what an equation has of some of its axes alone once for each of their points.

        Returns the tensor of the new stage, or a list if there are several parts. Its data axes are
        as `axes`, data and reduce axes of the equation; its elements are the largest parts of the
        equation that depend on no other axis. Positions, conditions, elements that are read as
        they are, and what is in the branches of a choice, stay where they are. Raises
        `teloom.ScheduleError`. Like: loop-invariant code motion.

        >>> from teloom import te
        >>> A, B = (te.placeholder((8, 8), name=name) for name in "AB")
        >>> k = te.reduce_axis((0, 8), "k")
        >>> C = te.compute((8, 8), lambda i, j: te.sum(te.exp(A[i, k]) * B[k, j], axis=k), name="C")
        >>> s = te.create_schedule(C)
        >>> E = s.precompute(C, [C.op.axis[0], k])
        >>> E.op.body, s[C].op.body
        ([exp(A[i, k])], [sum((C.pre[i, k] * B[k, j]), axis=[k])])
        """
        stage = self[self._tensor(tensor, "precompute")]
        axes = checked_list(axes, IterVar, "axes of precompute", "axes")
        with all_or_nothing(self):
            handles = [stage.axis_handle(axis) for axis in axes]
            command = dialect.PrecomputeOp(stage.handle, handles)
            self._verify(command)
            if not isinstance(stage.op, ComputeOp):
                raise ScheduleError(
                    f"cannot precompute parts of {stage.name}: it is no equation of te"
                )
            known = [*stage.op.axis, *stage.op.reduce_axis]
            made = None
            if {*axes} <= {*known}:
                made = precomputed(stage.op, axes, self._new_name(stage.name, "pre"))
            if made is None:
                raise ScheduleError(
                    f"{stage.name} computes nothing of {', '.join(axis.name for axis in axes)} "
                    f"alone, as an equation over {', '.join(axis.name for axis in known) or 'none'}"
                )
        self.append(command)
        self._add_stage(command.parts, made.parts, self.stages.index(stage))
        stage.change_op(made.rest)
        return _outputs_of(made.parts)

    @overload
    def fission_results(self, tensor: Tensor) -> Tensor: ...

    @overload
    def fission_results(self, tensor: Sequence[Tensor]) -> list[Tensor]: ...

    def fission_results(self, tensor: Tensor | Sequence[Tensor]) -> Tensor | list[Tensor]:
        """Computes a result of an operation with several in a stage of its own.

        `s[tensor]` is that stage from then on, with the default schedule and axes of its own. Its
        tensor is returned, to name them. The stage of the other results keeps its schedule and
        its axes. Of a list of tensors, each gets a stage; one of the operation's stays. Results
        that need each other, as those of an argmax, are refused when the schedule is applied.
        Raises `teloom.ScheduleError`. Source: loop distribution; fission of Exo.

        >>> from teloom import te
        >>> A = te.placeholder((64,), name="A")
        >>> B, C = te.compute((64,), lambda i: (A[i] + 1, A[i] * 2), name="T")
        >>> s = te.create_schedule(C)
        >>> s[B] is s[C]
        True
        >>> C1 = s.fission_results(C)
        >>> outer, inner = s[C].split(C1.op.axis[0], factor=8)
        >>> s[B], s[B].leaf_iter_vars, s[C], s[C].leaf_iter_vars
        (Stage(T), [i], Stage(T.v1), [i.outer, i.inner])
        """
        several = isinstance(tensor, list | tuple)
        listed = tensor if several else [tensor]
        tensors = [self._tensor(one, "fission_results") for one in listed]
        stages = [*dict.fromkeys(self[one] for one in tensors)]
        if len(stages) != 1:
            names = ", ".join(one.name for one in tensors) or "none"
            raise ScheduleError(f"fission_results wants results of one stage, got {names}")
        (stage,), numbers = stages, [one.value_index for one in tensors]
        with one_or_nothing(self):
            handle = stage.handle
            made = parted(stage.op, {one: self._new_name(stage.name, f"v{one}") for one in numbers})
            command = dialect.FissionResultsOp(handle, numbers)
            self.append(command)
        for one, part in zip(command.parts, made.parts, strict=True):
            self._add_stage(one, part, self.stages.index(stage))
        self._move_outputs(stage, made)
        found = [part.output(0) for part in made.parts]
        return found if several else found[0]

    def _move_outputs(self, stage: Stage, made: Parted) -> None:
        """Lets all readers of a stage read the operations into which it was parted."""
        now = dict(zip(stage.origin_op.outputs, made.outputs, strict=True))
        for reader in self.stages:
            for tensor in reader.op.input_tensors:
                if tensor in now:
                    reader.change_op(reading(reader.op, tensor, now[tensor]))
        for op in [op for op, one in self.stage_map.items() if one is stage]:
            del self.stage_map[op]
            self._moved |= zip(op.outputs, made.outputs, strict=True)
        stage.origin_op = made.rest
        stage.change_op(made.rest)

    def pad_einsum(self, tensor: Tensor, padding: Sequence[int]) -> list[Tensor]:
        """Rounds the axes of an einsum up to multiples; returns what is computed, and its inputs.

        An einsum is a sum of products of elements, each read at axes as they are. A cache computes
        it, with data axes of its own and the reduce axes, all rounded up, and reads copies of its
        inputs that are zero beyond their ends; the stage of `tensor` copies what is inside.
        `padding` has a factor for each data axis, then for each reduce axis. Raises
        `teloom.ScheduleError`. Source: TVM's tir.Schedule.pad_einsum.

        >>> from teloom import te
        >>> A, B = te.placeholder((5, 7), name="A"), te.placeholder((7, 3), name="B")
        >>> k = te.reduce_axis((0, 7), "k")
        >>> C = te.compute((5, 3), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
        >>> s = te.create_schedule(C)
        >>> einsum, *inputs = s.pad_einsum(C, [4, 4, 4])
        >>> te.infer_bounds(s)[k], te.infer_bounds(s)[einsum.op.axis[0]]
        (Range(min=0, extent=8), Range(min=0, extent=8))
        """
        wanted = "a list of integers, one for each axis"
        checked_kind(padding, Iterable, "padding of pad_einsum", wanted, ScheduleError)
        factors = [checked_integer(one, "a factor of pad_einsum") for one in padding]
        count = len(self[self._tensor(tensor, "pad_einsum")].root_axes)
        if len(factors) != count:
            raise ScheduleError(
                f"pad_einsum of {tensor.name} by {len(factors)} factors: it has {count} axes"
            )
        with all_or_nothing(self):
            einsum = self.cache_write(tensor, GLOBAL)
            read = self[einsum].op.input_tensors
            inputs = [self.cache_read(one, GLOBAL, [einsum]) for one in read]
            stage = self[einsum]
            for axis, factor in zip(stage.root_axes, factors, strict=True):
                if factor != 1:
                    stage.pad_einsum(axis, factor)
        return [stage.op.output(0), *inputs]

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
        self.put_memory(loop.MemoryOp(name, **numbers))

    def put_memory(self, memory: loop.MemoryOp) -> None:
        """Adds the declaration of a memory; raises `ScheduleError` for one that is there."""
        name = memory.sym_name.data
        if SymbolTable.lookup_symbol(self.module, name) is not None:
            raise ScheduleError(f'the memory "{name}" is declared already')
        self._verify(memory)
        self.module.body.block.insert_op_before(memory, self.sequence)

    def stage_named(self, name: str) -> Stage:
        """The stage of that name; raises `ScheduleError` if there is none."""
        names = {stage.name: stage for stage in self.stages}
        if name not in names:
            raise ScheduleError(no_stage_named(name, names))
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

    def intrinsic_named(self, name: str) -> TensorIntrin | None:
        """The intrinsic that the module declares by that name; None for one of a text."""
        return next((one for one, known in self._intrinsics.items() if known == name), None)

    def _tensor(self, value: object, word: str) -> Tensor:
        """The tensor as readers know it: the output of the stage's original operation."""
        if not isinstance(value, Tensor):
            raise ScheduleError(f"{word} wants a tensor, got {value!r}")
        current = self._standing_in(value)
        return self[current].origin_op.output(current.value_index)

    def _standing_in(self, tensor: Tensor) -> Tensor:
        """The tensor that is computed in the place of one, whose operation was parted."""
        while tensor in self._moved:
            tensor = self._moved[tensor]
        return tensor

    def stage_of(self, made: Tensor | list[Tensor]) -> Stage:
        """The stage of what a command made: of a tensor, or a list of all of its outputs."""
        return self[made if isinstance(made, Tensor) else made[0]]

    def producer(self, tensor: Tensor) -> Operation:
        """The operation that computes a tensor now; commands may have changed it."""
        return self.result_now(tensor).op

    def result_now(self, tensor: Tensor) -> Tensor:
        """The result of the operation that computes a tensor now."""
        found = self._standing_in(tensor)
        if found.op not in self.stage_map:
            return found
        return self.stage_map[found.op].op.output(found.value_index)

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

    def _add_stage(self, handle: SSAValue, op: Operation, position: int) -> None:
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
        graph = {
            stage.origin_op: [*map(self._standing_in, stage.op.input_tensors)]
            for stage in self.stages
        }
        members = between(ends, starts, graph)
        if include_inputs:
            members += [op for op in starts if not isinstance(op, PlaceholderOp)]
        _check_group(ends, starts, members, graph)
        return self.add_group([stage for stage in self.stages if stage.origin_op in members])

    def add_group(self, stages: Sequence[Stage]) -> Stage:
        """Appends the group of these stages, and groups."""
        with one_or_nothing(self):
            command = dialect.GroupOp([stage.handle for stage in stages])
            self.append(command)
        command.group.name_hint = "group"
        name = f"group({', '.join(stage.name for stage in stages)})"
        self.groups.append(Stage(self, Operation(name), name, command.group))
        self.groups[-1].member_names = [stage.name for stage in stages]
        return self.groups[-1]

    def _operations(self, listed: Operations) -> list[Operation]:
        return [self[one].origin_op for one in _listed(listed)]

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Carries out at its end what is commanded within it; takes all back if that is refused.

        Other commands are carried out when something asks for what they make, or when the schedule
        is lowered. Raises `teloom.ScheduleError` as `teloom.lower` does.

        >>> import teloom
        >>> from teloom import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1, name="B")
        >>> s = te.create_schedule(B)
        >>> try:
        ...     with s.attempt():
        ...         s[B].compute_inline()
        ... except teloom.ScheduleError as error:
        ...     print("cannot inline" in str(error))
        True
        >>> [axis.var.name for axis in s[B].leaf_iter_vars]
        ['i']
        """
        with all_or_nothing(self):
            yield
            loaded("teloom.frontend.schedule.applied", "applied")(self)

    def normalize(self) -> Schedule:
        """Returns the schedule itself, unchanged.

        TVM rebases ranges and inlines here; our passes do that.
        """
        return self

    def size_number(self, size: Var) -> dialect.SizeNumber:
        """The number of a size among those of the program, of which it is one from then on."""
        sizes = self.program.sizes
        if size not in sizes:
            sizes[size] = self.program.func.add_size(ssa_name(size.name))
        return dialect.SizeNumber([*sizes].index(size))

    def append(self, command: IrOperation) -> None:
        """Appends a command; raises `ScheduleError` unless it verifies."""
        self._verify(command)
        self.sequence.body.block.add_op(command)
        if command.operands and not isinstance(command, dialect.AxesOp):
            give_to_user(self._definition(command.operands[0]))

    def give_to_rules(self, stage: Stage) -> None:
        """Says that rules scheduled a stage: it is the user's again with her next command on it."""
        give_to_rules(self._definition(stage.handle))

    def _definition(self, handle: SSAValue) -> IrOperation:
        """What makes the stage of a handle, or of that of an axis: a definition, or a command."""
        while handle.type != dialect.STAGE:
            assert isinstance(handle.owner, IrOperation)
            handle = handle.owner.operands[0]
        get = handle.owner
        assert isinstance(get, IrOperation)
        return self._definitions[get.stage_name.data] if isinstance(get, dialect.GetOp) else get

    @cached_property
    def _definitions(self) -> dict[str, IrOperation]:
        """The definitions of the program, by the names of their stages."""
        ops = ops_in(self.program.func, te.ComputeOp, te.UpdateOp, te.ScanOp, te.ExternOp)
        return {op.stage_name.data: op for op in ops}

    @staticmethod
    def _verify(command: IrOperation) -> None:
        try:
            command.verify()
        except VerifyException as error:
            command.drop_all_references()
            raise ScheduleError(said_by_verifier(error)) from None
        command.location = location(user_location())

    def __str__(self) -> str:
        return str(self.module)

    def __repr__(self) -> str:
        return f"Schedule({', '.join(stage.name for stage in self.stages)})"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise missing("a schedule", name, OF_SCHEDULES)


def checked_schedule(s: object) -> Schedule:
    """`s`, if it is a schedule; else raises `teloom.Error`."""
    if not isinstance(s, Schedule):
        raise Error(f"{s!r} is not a schedule; make one with te.create_schedule")
    return s


def create_schedule(ops: Operations) -> Schedule:
    """A schedule, with no commands yet, of the program that computes `ops`.

    `ops` is an operation, a tensor or a list of them; all tensors of these operations are
    outputs; of an empty list there is no stage. The module is built here. Its
    arguments are the sizes and the placeholders, in order of first use. Raises `teloom.Error` for
    other objects.
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
    dtype = None if command.element is None else dtype_of(command.element.element)
    made = s.cache_read(tensor, command.scope.data, readers, dtype)
    return [replay.known(command.cache, s[made])]


def _outputs_of(op: Operation) -> Tensor | list[Tensor]:
    """The output of an operation, or a list of all if there are several."""
    return op.output(0) if op.num_outputs == 1 else list(op.outputs)


def _replay_cloned(replay: Replay, command: dialect.CloneInOp) -> list[SSAValue]:
    readers = [replay.stages[one].op for one in command.readers]
    return _replay_made(replay, command, replay.schedule.clone_in, readers)


def _replay_made(
    replay: Replay,
    command: dialect.CloneInOp | dialect.SymmetrizeOp | dialect.PrecomputeOp,
    method: Callable[..., Tensor | list[Tensor]],
    *arguments: object,
) -> list[SSAValue]:
    """Calls the method of a command that makes one stage of another one."""
    made = method(replay.stages[command.stage].origin_op.output(0), *arguments)
    return [replay.known(command.results[0], replay.schedule.stage_of(made))]


def _replay_parted(replay: Replay, command: dialect.FissionResultsOp) -> list[SSAValue]:
    s, op = replay.schedule, replay.stages[command.stage].origin_op
    made = s.fission_results([op.output(number) for number in command.named])
    return [replay.known(part, s[one]) for part, one in zip(command.parts, made, strict=True)]


def _replay_computed(replay: Replay, command: dialect.CacheWriteOp) -> list[SSAValue]:
    tensors = list(replay.stages[command.stage].origin_op.outputs)
    made = replay.schedule.cache_write(tensors, command.scope.data)
    return [replay.known(command.cache, replay.schedule[made[0]])]


def _replay_factored(replay: Replay, command: dialect.RfactorOp) -> list[SSAValue]:
    s, stage = replay.schedule, replay.stages[command.stage]
    tensor, axis = stage.origin_op.output(0), replay.axis(command.axis)
    made = s.rfactor(tensor, axis, command.factor_axis.get())
    folded = stage.axis_handle(stage.op.reduce_axis[0])
    return [replay.known(command.factored, s.stage_of(made)), folded]


def _replay_symmetric(replay: Replay, command: dialect.SymmetrizeOp) -> list[SSAValue]:
    axes = [replay.axis(axis) for axis in (command.row, command.column)]
    return _replay_made(replay, command, replay.schedule.symmetrize, *axes)


def _replay_precomputed(replay: Replay, command: dialect.PrecomputeOp) -> list[SSAValue]:
    axes = [replay.axis(axis) for axis in command.axes]
    return _replay_made(replay, command, replay.schedule.precompute, axes)


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
    dialect.CloneInOp: _replay_cloned,
    dialect.FissionResultsOp: _replay_parted,
    dialect.RfactorOp: _replay_factored,
    dialect.SymmetrizeOp: _replay_symmetric,
    dialect.PrecomputeOp: _replay_precomputed,
    dialect.BlockizeOp: _replay_block,
    dialect.DecomposePaddingOp: _replay_padding,
}
"""What replays the commands that change the operations of stages; they return the results."""
