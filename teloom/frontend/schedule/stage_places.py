"""Where the stages of a schedule are computed, and the attributes of their loops.

The names are those of TVM's Stage and te.schedule. All is found by carrying out the commands so
far; it raises `teloom.ScheduleError` if one of them does not fit the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects.builtin import FloatAttr, IntAttr, IntegerAttr, IntegerType, StringAttr
from xdsl.ir import Attribute, SSAValue

from teloom.analysis.stages.pragmas import notes_on
from teloom.analysis.stages.queries import name_of, path, steps_of
from teloom.dialects import schedule as dialect
from teloom.dialects.loop import LoopKind
from teloom.frontend.expr.expressions import Const, StringImm, const
from teloom.frontend.tensor.tensors import IterType, IterVar, Operation, PlaceholderOp
from teloom.lazy import loaded

if TYPE_CHECKING:
    from teloom.frontend.schedule.applied import Applied
    from teloom.frontend.schedule.schedules import Schedule
    from teloom.frontend.schedule.stages import Stage


class AttachType(IntEnum):
    """Where a stage is computed, by TVM's numbers."""

    GROUP_ROOT = 1
    """At the root."""
    INLINE = 2
    """In the place of its reads."""
    SCOPE = 4
    """In a loop of another stage."""
    SCAN_UPDATE = 5
    """In a loop of time, as a step of a scan."""


class IterVarAttr(NamedTuple):
    """What commands say of an axis.

    They say how its loop runs, the thread axis that it is bound to, the alignment of its stride,
    the pragmas of its loop with their values, and the intrinsic that replaces it. Source: TVM's
    IterVarAttr.
    """

    iter_type: IterType
    bind_thread: str | None
    dim_align_factor: int
    dim_align_offset: int
    pragma_keys: tuple[StringImm, ...] = ()
    pragma_values: tuple[Const | StringImm, ...] = ()
    tensor_intrin: Any = None


_SERIAL = IterVarAttr(IterType.DATA_PAR, None, 0, 0)

_TYPES = {
    LoopKind.UNROLLED: IterType.UNROLLED,
    LoopKind.VECTORIZED: IterType.VECTORIZED,
    LoopKind.PARALLEL: IterType.PARALLELIZED,
    LoopKind.DYNAMIC: IterType.PARALLELIZED,
}


class StagePlace:
    """The part of a `Stage` that says where it is computed."""

    if TYPE_CHECKING:
        schedule: Schedule
        op: Operation
        name: str
        member_names: list[str]

        def _applied(self) -> Applied: ...

    @property
    def attach_type(self) -> AttachType:
        """Where it is computed.

        >>> from teloom import te
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
        >>> C = te.compute((64,), lambda i: B[i] * 2, name="C")
        >>> s = te.create_schedule(C)
        >>> s[B].compute_at(s[C], C.op.axis[0])
        >>> int(s[B].attach_type), s[B].attach_stage, s[B].attach_ivar.name, int(s[C].attach_type)
        (4, Stage(C), 'i', 1)
        """
        if isinstance(self.op, PlaceholderOp):
            return AttachType.GROUP_ROOT
        _, stage = _found(self)
        if stage is None:
            return AttachType.INLINE
        if stage.enclosing is None:
            return AttachType.GROUP_ROOT
        is_step = stage in steps_of(stage.enclosing)
        return AttachType.SCAN_UPDATE if is_step else AttachType.SCOPE

    @property
    def attach_stage(self) -> Stage | None:
        """The stage in whose loop it is computed; None at the root, and if it is inlined."""
        _, stage = _found(self)
        if stage is None or stage.enclosing is None:
            return None
        name = name_of(stage.enclosing)
        return next(one for one in self.schedule.stages if one.name == name)

    @property
    def attach_ivar(self) -> IterVar | None:
        """The axis in whose loop it is computed; None at the root, and if it is inlined."""
        found, stage = _found(self)
        return None if stage is None or stage.at is None else found.axes[stage.at]

    @property
    def group(self) -> Stage | None:
        """The smallest group that it is in; of a group, the smallest around all of its stages."""
        own = {*self.member_names}
        groups = [
            one
            for one in self.schedule.groups
            if (own < {*one.member_names} if own else self.name in one.member_names)
        ]
        return min(groups, key=lambda one: len(one.member_names), default=None)

    @property
    def num_child_stages(self) -> int:
        """How many stages and groups a group holds that are in no smaller one; of a stage, 0.

        >>> from teloom import te
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
        >>> C = te.compute((64,), lambda i: B[i] * 2, name="C")
        >>> D = te.compute((64,), lambda i: C[i] + 3, name="D")
        >>> s = te.create_schedule(D)
        >>> inner = s.create_group(outputs=C, inputs=B)
        >>> outer = s.create_group(outputs=C, inputs=B, include_inputs=True)
        >>> inner.num_child_stages, outer.num_child_stages, inner.group is outer
        (1, 2, True)
        """
        return sum(one.group is self for one in (*self.schedule.stages, *self.schedule.groups))

    @property
    def scope(self) -> str:
        """The memory that it is stored in, if a command has named one."""
        _, stage = _found(self)
        return "" if stage is None else stage.storage.own_scope or ""

    @property
    def iter_var_attrs(self) -> dict[IterVar, IterVarAttr]:
        """The attributes of its axes; axes without any are left out.

        >>> from teloom import te
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
        >>> s = te.create_schedule(B)
        >>> outer, inner = s[B].split(B.op.axis[0], factor=8)
        >>> s[B].vectorize(inner)
        >>> s[B].iter_var_attrs[inner].iter_type
        <IterType.VECTORIZED: 6>
        """
        found, stage = _found(self)
        if stage is None:
            return {}
        said = dict(_attributes(stage))
        for asked in dialect.tensorized_in(stage):
            intrin = self.schedule.intrinsic_named(asked.intrinsic.string_value())
            said[asked.axis] = said.get(asked.axis, _SERIAL)._replace(
                iter_type=IterType.TENSORIZED, tensor_intrin=intrin
            )
        return {found.axes[axis]: one for axis, one in said.items()}


def _found(place: StagePlace) -> tuple[Applied, dialect.StageOp | None]:
    """The program with the commands so far, and the stage there; of a group, its last one."""
    found = place._applied()
    name = place.member_names[-1] if place.member_names else place.name
    return found, found.stages.get(name)


def _attributes(stage: dialect.StageOp) -> Iterator[tuple[SSAValue, IterVarAttr]]:
    """The axes with attributes, and these."""
    kinds = dict(stage.order.leaves)
    aligned = {stage.root_axes[one.axis.data]: one for one in stage.storage.alignments}
    notes = notes_on(stage)
    for axis in dict.fromkeys([*kinds, *aligned, *notes]):
        kind, alignment = kinds.get(axis, LoopKind.SERIAL), aligned.get(axis)
        if kind is not LoopKind.SERIAL or alignment is not None or axis in notes:
            thread = kind.value if kind.thread_rank is not None else None
            factor = alignment.factor.data if alignment is not None else 0
            offset = alignment.offset.data if alignment is not None else 0
            pragmas = notes[axis].values.data if axis in notes else {}
            keys, values = map(StringImm, pragmas), map(_pragma_value, pragmas.values())
            said = _TYPES.get(kind, IterType.DATA_PAR)
            yield axis, IterVarAttr(said, thread, factor, offset, (*keys,), (*values,))


def _pragma_value(said: Attribute) -> Const | StringImm:
    """What a pragma says, which has a `value`, as in TVM; one that says nothing is true."""
    match said:
        case StringAttr():
            return StringImm(said.data)
        case IntegerAttr(type=IntegerType(width=IntAttr(data=1))):
            return const(bool(said.value.data), "bool")
        case IntegerAttr():
            return const(said.value.data, "int64")
        case _:
            assert isinstance(said, FloatAttr)
            return const(said.value.data, "float64")


def attach_paths(s: Schedule) -> dict[Operation, list[IterVar]]:
    """The loops around the place of each stage that is computed, from the innermost outwards.

    Raises `teloom.Error` for what is no schedule. Source: TVM's CreateAttachPath.

    >>> from teloom import te
    >>> A = te.placeholder((4, 4), name="A")
    >>> B = te.compute((4, 4), lambda i, j: A[i, j] + 1, name="B")
    >>> C = te.compute((4, 4), lambda y, x: B[y, x] * 2, name="C")
    >>> s = te.create_schedule(C)
    >>> s[B].compute_at(s[C], C.op.axis[1])
    >>> [axis.name for axis in attach_paths(s)[B.op]]
    ['x', 'y']
    """
    checked = loaded("teloom.frontend.schedule.schedules", "checked_schedule")(s)
    found = checked.stages[0]._applied()
    return {
        stage.op: [found.axes[axis] for axis in reversed(path(found.stages[stage.name]))]
        for stage in s.stages
        if stage.name in found.stages
    }
