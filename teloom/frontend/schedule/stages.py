"""Stages of a schedule: their methods append its commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from copy import copy
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from teloom.analysis.stages.queries import is_reduce
from teloom.dialects import schedule as dialect
from teloom.dialects.syntax.layouts import LayoutAttr
from teloom.errors import ScheduleError
from teloom.frontend.expr.expressions import Expr
from teloom.frontend.expr.names import checked_text, ssa_name
from teloom.frontend.missing_names import OF_STAGES, missing
from teloom.frontend.schedule.caches import (
    axes_of,
)
from teloom.frontend.schedule.commands import checked_axis, checked_stage
from teloom.frontend.schedule.relations import Relation, relation_of
from teloom.frontend.schedule.savepoints import all_or_nothing, one_or_nothing
from teloom.frontend.schedule.stage_methods import StageMethods
from teloom.frontend.schedule.stage_places import StagePlace
from teloom.frontend.tensor.layouts import layout_of, map_of, splits_for
from teloom.frontend.tensor.tensors import (
    ComputeOp,
    ExternOp,
    IterType,
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
    from teloom.frontend.schedule.schedules import Schedule


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
        self._former: list[SSAValue] = []  # handles of axes whose commands still hold

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

    def forget(self, handles: AbstractSet[SSAValue]) -> None:
        """Takes back handles: those that are asked for again are made again."""
        if self._handle in handles:
            self._handle = None
        self._axes = {axis: one for axis, one in self._axes.items() if one not in handles}

    @property
    def is_output(self) -> bool:
        """Whether the schedule was created for what it computes."""
        s = self.schedule
        return any(s[tensor] is self for op in s.outputs for tensor in op.outputs)

    @property
    def is_scheduled(self) -> bool:
        """Whether a command names it, or an axis of it or of the stage whose loops it has."""
        if self._handle is None:
            return False
        handles = [self._handle, *self._axes.values(), *self._former]
        users = (use.operation for handle in handles for use in handle.uses)
        return any(not isinstance(user, dialect.AxesOp) for user in users)

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
        relations = stage.relations if stage else []
        return [relation_of(op, found.axes, found.sizes) for op in relations]

    def fuse(self, *args: IterVar) -> IterVar:
        """Fuses adjacent axes into one, the last fastest; no axes make one of one iteration.

        That is the outermost axis: what is computed in its loop is computed once. Raises
        `teloom.ScheduleError`. Source: TVM's Stage.fuse.

        >>> from teloom import te
        >>> A, k = te.placeholder((64,), name="A"), te.reduce_axis((0, 64), "k")
        >>> B = te.compute((64,), lambda i: A[i] * A[i], name="B")
        >>> C = te.compute((), lambda: te.sum(B[k], axis=k), name="C")
        >>> s = te.create_schedule(C)
        >>> around = s[C].fuse(*C.op.axis)
        >>> s[B].compute_at(s[C], around)
        >>> s[C].leaf_iter_vars
        [singleton, k]
        """
        return super().fuse(*args) if args else self.singleton()

    def split(
        self,
        parent: IterVar,
        factor: int | Expr | None = None,
        nparts: int | Expr | None = None,
        tail: str | None = None,
        disable_predication: bool = False,
    ) -> list[IterVar]:
        """Replaces an axis by an outer and an inner one: parent = outer * factor + inner.

        `disable_predication`, of TVM 0.19, changes nothing: bounds are exact, so there is nothing
        to disable. Raises `teloom.ScheduleError` for a factor or nparts below 1, both or neither.
        Source: TVM's Stage.split; `tail` is Halide's TailStrategy.

        >>> from teloom import te
        >>> A = te.placeholder((20,), name="A")
        >>> B = te.compute((20,), lambda i: A[i] + 1, name="B")
        >>> s = te.create_schedule(B)
        >>> s[B].split(B.op.axis[0], factor=8, tail="guard")
        [i.outer, i.inner]
        """
        return super().split(parent, factor, nparts, tail)

    def reorder(self, *args: IterVar) -> None:
        """Permutes axes among their positions in the order; all others stay. None is no command.

        Raises `teloom.ScheduleError`. Source: TVM's Stage.reorder.

        >>> from teloom import te
        >>> A = te.placeholder((64, 8), name="A")
        >>> B = te.compute((64, 8), lambda i, j: A[i, j] + 1, name="B")
        >>> s = te.create_schedule(B)
        >>> s[B].reorder(*reversed(B.op.axis))
        >>> s[B].leaf_iter_vars
        [j, i]
        """
        if args:
            super().reorder(*args)

    def pragma(
        self, var: IterVar, pragma_type: str, pragma_value: bool | float | str | None = None
    ) -> None:
        """Notes a value for the loop of an axis; "unroll" and "vectorize" are these commands.

        Raises `teloom.ScheduleError`. Source: TVM's Stage.pragma.

        >>> from teloom import te
        >>> A = te.placeholder((64, 8), name="A")
        >>> B = te.compute((64, 8), lambda i, j: A[i, j] + 1, name="B")
        >>> s = te.create_schedule(B)
        >>> s[B].pragma(B.op.axis[0], "auto_unroll_max_step", 16)
        >>> s[B].pragma(B.op.axis[1], "vectorize")
        >>> s.primitive_record
        ['vanilla', 'pragma', 'vectorize']
        """
        if pragma_type in ("unroll", "vectorize"):
            getattr(self, pragma_type)(var)
        else:
            super().pragma(var, pragma_type, pragma_value)

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
        checked_stage("then", self, "other", other).after(self, axis)
        return other

    def fuse_with(self, other: Stage, align: str | list[str] | None = None) -> None:
        """Runs it in the loops of `other`, as many as both have now: `compute_with` at the last.

        Raises `teloom.ScheduleError`, also for commands so far that do not fit the program. Source:
        Halide's compute_with at the innermost loop that both have.

        >>> from teloom import te
        >>> A = te.placeholder((64, 8), name="A")
        >>> B = te.compute((64, 8), lambda i, j: A[i, j] + 1, name="B")
        >>> C = te.compute((64, 8), lambda i, j: A[i, j] * 2, name="C")
        >>> s = te.create_schedule([B, C])
        >>> s[C].fuse_with(s[B])
        >>> s.schedule_record[-1]
        'schedule.compute_with %C, %B, %j'
        """
        loops = other.leaf_iter_vars if isinstance(other, Stage) else []
        shared = loops[: len(self.leaf_iter_vars)]
        if isinstance(other, Stage) and not shared:
            raise ScheduleError(f"{self.name} and {other.name} have no loops to share")
        self.compute_with(other, shared[-1] if shared else None, align)

    def transform_layout(self, mapping_function: Callable[..., Any]) -> list[IterVar]:
        """Sets the layout of its elements: row-major in the result of `mapping_function`.

        The function gets the data axes and returns a list of affine expressions of them, with
        `te.AXIS_SEPARATOR` between groups that are flattened apart. The last may be
        `te.packed(row, column)`, which stores a triangle.

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
        with all_or_nothing(self.schedule):
            self.schedule.append(dialect.TransformLayoutOp(self.handle, layout))
            return self._loops_in_layout(layout)

    def _loops_in_layout(self, layout: LayoutAttr) -> list[IterVar]:
        """Makes the loops follow a layout; returns them, or none where they stay."""
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
        with all_or_nothing(self.schedule):
            _, inner = self.split(axis, factor=number)
            return self._fold_apart(inner)

    def _fold_apart(self, inner: IterVar) -> Tensor | list[Tensor]:
        """Folds each iteration of a reduce axis into an accumulator, and then all of these."""
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
        expressions of them and of sizes, which must differ for any two points, whatever the sizes
        are. New axes count from where the expressions do; the loops run through exactly the points
        of the old ones. Raises `teloom.ScheduleError`. Source: Tiramisu's set_schedule.

        >>> from teloom import te
        >>> A = te.placeholder((8, 16), name="A")
        >>> B = te.compute((8, 16), lambda i, j: A[i, j] + 1, name="B")
        >>> s = te.create_schedule(B)
        >>> diagonal, position = s[B].remap(lambda i, j: (i + j, j))
        >>> te.infer_bounds(s)[diagonal]
        Range(min=0, extent=23)
        """
        axes = axes or tuple(self.op.axis)
        of, number = f"the remap of {self.name}", self.schedule.size_number
        with one_or_nothing(self.schedule):
            for axis in axes:
                checked_axis("remap", self, "args", axis)
            return self._remap(axes, map_of(axes, mapping_function, of, number))

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
        affine expressions of them, the outermost loop first. Its parameters are sizes of the
        program, by their names: `"[n] -> { C[i, j] -> [n - 1 - i, j] }"`. Of an update `U[i, j]`
        are the points of its domain, and `U_init[y, x]` those of its start; a map of
        `U[y, x, i, j]` is one of both. So what `te.explain(s, "maps")` says of a default schedule
        can be edited. A map may have pieces whose times differ by numbers, with conditions on
        what has numbers as bounds: `"{ C[i] -> [1, i] : i < 8; C[i] -> [0, i] : i >= 8 }"`.
        Returns the axes of these loops; a time that is a number is a loop that runs once. Raises
        `teloom.ScheduleError` for another tuple, points without a time, other pieces, and what
        `remap` refuses. Source: Tiramisu's set_schedule.

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
        loops: dict[int, IterVar] = {}
        sizes = [*self.schedule.program.sizes]
        with all_or_nothing(self.schedule):
            for axes, times, part in loops_by_times(self.name, self.op, text, sizes):
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
        self.take_loops()

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
        with one_or_nothing(self.schedule):
            self._handles()
            super().reverse_compute_at(parent, scope)
            block = self.schedule.sequence.body.block
            command = block.last_op
            assert command is not None
            *_, at = operands = command.operands
            loops = self.leaf_iter_vars
            block.erase_op(command)
            before = self._applied()
            around = [*before.stages[parent.name].order.axes].index(before.behind[at])
            inner = loops[around + 1 :]
            command = type(command)(*operands, inner=len(inner))
            self.schedule.append(command)
        self.take_loops()
        pairs = [*zip(inner, command.results, strict=True)]
        roots = self.root_axes
        for one, made in pairs:
            made.name_hint = ssa_name(one.name)
        return [
            one if one in roots else self.add_axis(one.name, made, one.iter_type)
            for one, made in pairs
        ]

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
        with one_or_nothing(self.schedule):
            handle, found = self.axis_handle(var), self._applied()
            leaves = found.stages[self.name].order.axes
            self.schedule.append(dialect.BlockizeOp(handle))
        outside = [*takewhile(lambda leaf: leaf is not found.behind[handle], leaves)]
        op = copy(self.op)
        op.runs_over_elements = False
        op.axis = [IterVar(found.axes[one].name) for one in outside if not is_reduce(one)]
        op.reduce_axis = [IterVar(found.axes[one].name) for one in outside if is_reduce(one)]
        self.change_op(op, list(self._axes))  # pyright: ignore
        # With handles, they are what its loops are called, in place of axes of a merged producer.
        return [*self._handles()]

    def change_op(
        self, op: ComputeOp | ExternOp | ScanOp | UpdateOp, made: Sequence[IterVar] = ()
    ) -> None:
        """Makes `op` its operation, and drops handles of axes that `op` does not have.

        `made` are further axes to drop, which commands made.
        """
        roots = [axis for axis in self.root_axes if axis not in (*op.axis, *op.reduce_axis)]
        gone = [*roots, *made]
        self._former += [handle for axis, handle in self._axes.items() if axis in gone]
        self._axes = {axis: handle for axis, handle in self._axes.items() if axis not in gone}
        self.op = op
        self.schedule.stage_map[op] = self

    def adopt(self, axes: Mapping[IterVar, SSAValue]) -> None:
        """Records axes that a command has given it, with their handles."""
        for axis, handle in axes.items():
            handle.name_hint = handle.name_hint or ssa_name(axis.name)
        self._axes = {**self._handles(), **axes}

    def take_layout(self, stage: Stage, moved: Sequence[IterVar]) -> None:
        """Records that its loops are those of another stage, some of whose axes it has."""
        self.adopt({axis: stage.axis_handle(axis) for axis in moved})
        self._former += [handle for _, handle in stage.axis_handles()]

    def axis_handles(self) -> list[tuple[IterVar, SSAValue]]:
        """All axes that have a handle, consumed ones included, with their handles."""
        return list(self._axes.items())

    def take_loops(self) -> None:
        """Makes axes of its producers axes of it, too, as a command has given it their loops."""
        tensors = self.op.input_tensors
        self._producers += [
            self.schedule[t] for t in tensors if not isinstance(t.op, PlaceholderOp)
        ]

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

    def add_axis(self, name: str, handle: SSAValue, kind: IterType = IterType.DATA_PAR) -> IterVar:
        """Records an axis that a command has created."""
        handle.name_hint = ssa_name(name)
        axis = IterVar(name, iter_type=kind)
        self._handles()[axis] = handle
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
