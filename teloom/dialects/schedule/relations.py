"""Axes and relations between them: commands of a sequence and, once applied, ops of a stage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.schedule.numbers import (
    NUMBER,
    NUMBER_OR_SIZE,
    NumberAttr,
    SizeNumber,
    number,
    parse_number,
    shown,
)
from teloom.dialects.syntax.tails import Tail, verify_tail


@irdl_attr_definition
class AxisType(ParametrizedAttribute, TypeAttribute):
    """A handle to an axis of a stage."""

    name = "schedule.axis"


@irdl_attr_definition
class StageType(ParametrizedAttribute, TypeAttribute):
    """A handle to a stage."""

    name = "schedule.stage"


AXIS = AxisType()
STAGE = StageType()


def axis_name(axis: SSAValue) -> str:
    """The name of an axis for the user."""
    return axis.name_hint or "<unnamed>"


def axis_names(axes: Iterable[SSAValue]) -> str:
    """The names of axes for the user, `i, j`; `none` for no axes."""
    return ", ".join(map(axis_name, axes)) or "none"


class CommandOp(IRDLOperation):
    """Base of the commands. A command must not use an axis that an earlier one has consumed.

    One that `KEEPS_LOOPS` says nothing of the loops of the stages that it names.
    """

    KEEPS_LOOPS: ClassVar[bool] = False

    @property
    def consumed(self) -> Sequence[SSAValue]:
        """The axes that the results replace; later ops must use the results."""
        return ()

    def verify_(self) -> None:
        for operand in self.operands:
            for by in consumers_of(operand):
                if by is not self and (self.parent is None or by.is_before_in_block(self)):
                    raise VerifyException(consumed_text(operand, by))


class RootAxisCommand(CommandOp):
    """Base of the commands on a root axis, which an earlier command may have consumed."""

    axis = operand_def(AXIS)

    def verify_(self) -> None:
        pass


class StageCommand(CommandOp):
    """Base of the commands whose only operand is a stage."""

    stage = operand_def(STAGE)

    assembly_format = "$stage attr-dict"

    def __init__(self, stage: SSAValue):
        super().__init__(operands=[stage])


class LoopOfStageCommand(CommandOp):
    """Base of the commands that move a stage to the loop of an axis of another one.

    The operand `scope` is that axis: it keeps the name of TVM's parameter, as the TE method is
    derived from it. Everywhere else a scope is a memory; read `axis`.
    """

    stage = operand_def(STAGE)
    parent_ = operand_def(STAGE)
    scope = operand_def(AXIS)

    assembly_format = "$stage `,` $parent_ `,` $scope attr-dict"

    def __init__(self, stage: SSAValue, parent: SSAValue, scope: SSAValue):
        super().__init__(operands=[stage, parent, scope])

    @property
    def axis(self) -> SSAValue:
        """The axis to whose loop the stage moves."""
        return self.scope


def consumed_text(axis: SSAValue, by: Operation) -> str:
    """The message for a use of `axis` after `by` has consumed it."""
    word = by.name.removeprefix("schedule.")
    instead = f"; use {axis_names(by.results)}" if by.results else ""
    return f"axis {axis_name(axis)} was consumed by {word}{instead}"


def consumed_axes(op: Operation) -> Sequence[SSAValue]:
    """The axes that `op` consumes; none if it is no command."""
    return op.consumed if isinstance(op, CommandOp) else ()


def consumers_of(axis: SSAValue) -> list[Operation]:
    """The ops that consume `axis`: none of a leaf, one of others once commands are carried out."""
    return [use.operation for use in axis.uses if axis in consumed_axes(use.operation)]


def verify_distinct(handles: Sequence[SSAValue], word: str, noun: str = "axis") -> None:
    """Raises VerifyException if the command `word` names an axis, or another `noun`, twice."""
    for position, handle in enumerate(handles):
        if handle in handles[:position]:
            raise VerifyException(f"{word} names {noun} {axis_name(handle)} twice")


class RelationOp(CommandOp):
    """Base of the commands that become relations of a stage: the same op, moved.

    All operands of a relation are leaf axes. By default it consumes the first one. Its results
    replace the consumed axes; they are data axes or reduce axes as these, data axes if there are
    none. With `KEEPS_ORDER`, nested loops over the results run the iterations in the
    same order as loops over the consumed axes, one directly in the other, do. With `SLANTS`, the
    range of a result in one iteration of another axis can be shorter than that in all of them.
    """

    KEEPS_ORDER: ClassVar[bool] = False
    SLANTS: ClassVar[bool] = False

    @property
    def consumed(self) -> Sequence[SSAValue]:
        return self.operands[:1]

    @property
    def last_tile(self) -> Tail | None:
        """How the last tile runs, where the first result counts tiles; None where it does not."""
        return None

    @property
    def parts(self) -> int | None:
        """The extent that it gives to its first result, where that is a constant; else None."""
        return None

    @property
    def last_size(self) -> int:
        """The greatest number of a size of the function that it is by; -1 if it is by none."""
        return -1


@irdl_op_definition
class SplitOp(RelationOp):
    """Replaces an axis by an outer and an inner one: parent = outer * factor + inner.

    `factor` is the extent of the inner axis; tiles begin at multiples of it. `nparts` is the
    extent of the outer axis instead: the factor then is the parent's extent divided by nparts,
    rounded up, and parts are counted from the parent's start. Parts that are empty have no
    iteration, unless the tail is `guard` or the outer axis is bound to nparts threads. A root axis
    is counted from the start of its region at the place of computation. `factor size 1` is what
    size 1 of the function is at the call, which checks that it is at least 1, and
    `factor size affine_map<()[s0, s1] -> (s1 * 2)>` is twice that; parts are counted from the
    parent's start.

    ```mlir
    schedule.sequence @tiles on @f {
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      %io, %ii = schedule.split %i factor 8
      %jo, %ji = schedule.split %j nparts 4 tail "guard"
    }
    ```

    Shape: extents in iterations; a factor that does not divide leaves a smaller last tile,
    and a single tile ends where its axis does. `tail` says how that tile runs: see `Tail`.
    Refused: an unknown tail, a factor or nparts below 1, both or neither; a factor above 2^40,
    longer than any axis, and more than 2^20 parts of an axis of symbolic extent, which may all
    be empty.
    Like: `Stage.split` of TVM.
    """

    name = "schedule.split"

    WORDS: ClassVar = ("factor", "nparts")
    KEEPS_ORDER: ClassVar[bool] = True

    parent_ = operand_def(AXIS)
    factor = opt_prop_def(NUMBER_OR_SIZE)
    nparts = opt_prop_def(NUMBER_OR_SIZE)
    tail = opt_prop_def(StringAttr)
    outer = result_def(AXIS)
    inner = result_def(AXIS)

    def __init__(
        self,
        parent: SSAValue,
        factor: int | None = None,
        nparts: int | None = None,
        tail: str | None = None,
    ):
        super().__init__(
            operands=[parent],
            properties={
                "factor": number(factor),
                "nparts": number(nparts),
                "tail": None if tail is None else StringAttr(tail),
            },
            result_types=[AXIS, AXIS],
        )

    def verify_(self) -> None:
        super().verify_()
        name = axis_name(self.parent_)
        if (self.factor is None) == (self.nparts is None):
            given = "neither" if self.factor is None else "both"
            raise VerifyException(f"split of axis {name} needs a factor or nparts, got {given}")
        word, value = ("nparts", self.nparts) if self.factor is None else ("factor", self.factor)
        assert value is not None
        if not value.is_positive():
            raise VerifyException(
                f"split of axis {name} by {word} {value.value.data}: {word} must be at least 1"
            )
        verify_tail(self.tail)

    @property
    def size(self) -> SizeNumber | None:
        """The factor or nparts, if it is known at the call; None if it is a constant."""
        given = self.nparts if self.factor is None else self.factor
        assert given is not None
        found = given.get()
        return found if isinstance(found, SizeNumber) else None

    @property
    def parts(self) -> int | None:
        return None if self.nparts is None or self.size is not None else self.nparts.get()

    @property
    def last_size(self) -> int:
        return -1 if self.size is None else self.size

    @property
    def last_tile(self) -> Tail:
        return Tail.AUTO if self.tail is None else Tail(self.tail.data)

    @classmethod
    def parse(cls, parser: Parser) -> SplitOp:
        place = parser.pos
        parent = parser.resolve_operand(parser.parse_unresolved_operand(), AXIS)
        end = parser.pos
        found: dict[str, int] = {}
        while (word := parser.parse_optional_keyword_in(cls.WORDS)) is not None:
            found[word] = parse_number(parser)
        if not found:
            parser.raise_error("a split needs `factor` or `nparts`, with a number", place, end)
        tail = None
        if parser.parse_optional_keyword("tail") is not None:
            tail = parser.parse_str_literal(" as tail")
        split = SplitOp(parent, found.get("factor"), found.get("nparts"), tail)
        split.attributes.update(parser.parse_optional_attr_dict())
        return split

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.parent_)
        for word, given in (("factor", self.factor), ("nparts", self.nparts)):
            if given is not None:
                printer.print_string(f" {word} {shown(given)}")
        if self.tail is not None:
            printer.print_string(f' tail "{self.tail.data}"')
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class FuseOp(RelationOp):
    """Replaces adjacent axes by one that runs through them in order, the last fastest.

    A single axis becomes one with the same iterations, counted from 0. With data axes and reduce
    axes in one loop, `apply-schedule` makes the reduction an update: its elements begin in a nest
    of their own.

    ```mlir
    schedule.sequence @flat on @f {
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      %ij = schedule.fuse %i, %j
    }
    ```

    Shape: the extent is the product of the extents.
    Refused: no axis, the same axis twice; by `apply-schedule`, axes that are not adjacent
    in this order; a data axis with a reduce axis of what is no plain reduction.
    Like: `Stage.fuse` of TVM.
    """

    name = "schedule.fuse"

    KEEPS_ORDER: ClassVar[bool] = True

    args = var_operand_def(AXIS)
    fused = result_def(AXIS)

    assembly_format = "$args attr-dict"

    def __init__(self, args: Sequence[SSAValue]):
        super().__init__(operands=[args], result_types=[AXIS])

    @property
    def consumed(self) -> Sequence[SSAValue]:
        return self.args

    def verify_(self) -> None:
        super().verify_()
        if not self.args:
            raise VerifyException("fuse needs at least one axis")
        verify_distinct(self.args, "fuse")


@irdl_op_definition
class SingletonOp(RelationOp):
    """Makes an axis of one iteration: the outermost loop of a stage.

    A stage without axes gets a place in which others are computed, and which takes a kind.

    ```mlir
    schedule.sequence @around on @f {
      %C = schedule.get "C"
      %one = schedule.singleton of %C
      %P = schedule.get "P"
      schedule.compute_at %P, %C, %one
    }
    ```

    Shape: a data axis from 0, of extent 1. As a relation of a stage it names no stage.
    Refused: by `apply-schedule`, an extern, a scan, whose time is outermost, no stage.
    Like: `Stage.fuse` of no axes in TVM, the relation `Singleton` there.
    """

    name = "schedule.singleton"

    stage = opt_operand_def(STAGE)
    singleton = result_def(AXIS)

    assembly_format = "(`of` $stage^)? attr-dict"

    def __init__(self, stage: SSAValue | None = None):
        super().__init__(operands=[stage], result_types=[AXIS])

    @property
    def consumed(self) -> Sequence[SSAValue]:
        return ()


@irdl_op_definition
class ShiftOp(RelationOp):
    """Moves the coordinates of an axis: shifted = parent + offset.

    The order of the iterations stays. What depends on coordinates moves, such as the tiles of a
    later split.

    ```mlir
    schedule.sequence @late_tiles on @f {
      %C = schedule.get "C"
      %i = schedule.axes 1 of %C
      %s = schedule.shift %i by 3
      %so, %si = schedule.split %s factor 8
    }
    ```

    Shape: the same extent; the start grows by the offset, which may be negative.
    Refused: by `apply-schedule`, an axis that is no leaf or is bound to threads; by
    `infer-bounds`, an offset beyond 2^61.
    Like: `shift` of Tiramisu.
    """

    name = "schedule.shift"

    KEEPS_ORDER: ClassVar[bool] = True

    parent_ = operand_def(AXIS)
    offset = prop_def(NUMBER)
    shifted = result_def(AXIS)

    assembly_format = "$parent_ `by` $offset attr-dict"

    def __init__(self, parent: SSAValue, offset: int):
        super().__init__(
            operands=[parent],
            properties={"offset": NumberAttr.of(offset)},
            result_types=[AXIS],
        )


@irdl_op_definition
class ReverseOp(RelationOp):
    """Reverses an axis: it runs from its end to its start.

    ```mlir
    schedule.sequence @backwards on @f {
      %C = schedule.get "C"
      %i = schedule.axes 1 of %C
      %r = schedule.reverse %i
    }
    ```

    Shape: the same start and extent; the first position becomes the last.
    Refused: by `apply-schedule`, an axis that is no leaf or is bound to threads.
    Like: `loop_reversal` of Tiramisu.
    """

    name = "schedule.reverse"

    parent_ = operand_def(AXIS)
    reversed = result_def(AXIS)

    assembly_format = "$parent_ attr-dict"

    def __init__(self, parent: SSAValue):
        super().__init__(operands=[parent], result_types=[AXIS])


@irdl_op_definition
class SkewOp(RelationOp):
    """Moves an axis along with another: skewed = parent + factor * along.

    The axis `along` stays a leaf. With the skewed axis outside of it, the iterations run as a
    wavefront: one diagonal after the other.

    ```mlir
    schedule.sequence @wavefront on @f {
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      %w = schedule.skew %j along %i factor 1
      schedule.reorder %w, %i
    }
    ```

    Shape: the extent grows by |factor| for each iteration of `along` after the first.
    Refused: a factor of 0, an axis along itself; by `apply-schedule`, an axis that is no
    leaf, a parent that has a kind, a data axis with a reduce axis; by `infer-bounds`, a factor
    beyond 2^20, with which a loop over the skewed axis would do nothing for ages.
    Like: `skew` of Tiramisu; loop skewing (Wolfe, "Loop skewing: the wavefront method
    revisited", 1986).
    """

    name = "schedule.skew"

    SLANTS: ClassVar[bool] = True

    parent_ = operand_def(AXIS)
    along = operand_def(AXIS)
    factor = prop_def(NUMBER)
    skewed = result_def(AXIS)

    assembly_format = "$parent_ `along` $along `factor` $factor attr-dict"

    def __init__(self, parent: SSAValue, along: SSAValue, factor: int):
        super().__init__(
            operands=[parent, along],
            properties={"factor": NumberAttr.of(factor)},
            result_types=[AXIS],
        )

    def verify_(self) -> None:
        super().verify_()
        verify_distinct((self.parent_, self.along), "skew")
        if self.factor.value.data == 0:
            raise VerifyException(
                f"skew of axis {axis_name(self.parent_)} along {axis_name(self.along)} by "
                "factor 0: factor must not be 0"
            )
