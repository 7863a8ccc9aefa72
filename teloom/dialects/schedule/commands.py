"""The commands of the `schedule` dialect (level 1s), over handles.

The TE method that appends a command is derived from the op: its parameters are named as the
operands and properties. `parent_` is the parameter `parent`, as an xDSL operation already has a
`parent`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr, SymbolNameConstraint, SymbolRefAttr
from xdsl.ir import (
    Block,
    Region,
    SSAValue,
)
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsolatedFromAbove,
    NoTerminator,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.schedule.numbers import NUMBER, NumberAttr
from teloom.dialects.schedule.relations import (
    AXIS,
    STAGE,
    CommandOp,
    LoopOfStageCommand,
    StageCommand,
    axis_name,
    verify_distinct,
)
from teloom.dialects.syntax.attributes_behind import attributes_behind
from teloom.dialects.syntax.scopes import verify_scope
from teloom.dialects.syntax.tails import verify_tail

STATIC, DYNAMIC = "static", "dynamic"

MOST_AXES = 4096
"""The most axes of `schedule.axes`: the parser creates the results before any check."""


@irdl_op_definition
@attributes_behind
class SequenceOp(IRDLOperation):
    """The commands that schedule one `te.func`, in the order in which they apply.

    ```mlir
    te.func @copy(%A: tensor<20xf32>) -> (tensor<20xf32>) {
      %B = te.compute "B" (%i = 20) : tensor<20xf32> {
        %a = te.read %A[%i] : f32
        te.yield %a : f32
      }
      te.return %B : tensor<20xf32>
    }
    schedule.sequence @tiled on @copy {
      %B = schedule.get "B"
      %i = schedule.axes 1 of %B
      %io, %ii = schedule.split %i factor 8
      schedule.vectorize %ii
    }
    ```

    Shape: handles only; `on` names the function.
    Refused: a use of an axis that an earlier command consumed.
    Like: `transform.sequence`; the trace of TVM's `tir.Schedule`.
    """

    name = "schedule.sequence"

    sym_name = prop_def(SymbolNameConstraint())
    target = prop_def(SymbolRefAttr)
    body = region_def("single_block")

    traits = traits_def(NoTerminator(), IsolatedFromAbove(), SymbolOpInterface())

    def __init__(self, name: str, target: str, body: Region):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "target": SymbolRefAttr(target),
            },
            regions=[body],
        )

    @classmethod
    def parse(cls, parser: Parser) -> SequenceOp:
        name = parser.parse_symbol_name().data
        parser.parse_keyword("on")
        target = parser.parse_symbol_name().data
        body = parser.parse_region(())
        if not body.blocks:
            body.add_block(Block())
        return SequenceOp(name, target, body)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" on ")
        printer.print_symbol_name(self.target.root_reference.data)
        printer.print_string(" ")
        printer.print_region(self.body, print_empty_block=False)


@irdl_op_definition
class GetOp(IRDLOperation):
    """A handle to the stage of this name.

    ```mlir
    schedule.sequence @empty on @f {
      %C = schedule.get "C"
    }
    ```

    Shape: one stage.
    Refused: by `apply-schedule`, a name that no stage of the function has.
    Like: `transform.structured.match`.
    """

    name = "schedule.get"

    stage_name = prop_def(StringAttr)
    stage = result_def(STAGE)

    assembly_format = "$stage_name attr-dict"

    def __init__(self, stage_name: str):
        super().__init__(properties={"stage_name": StringAttr(stage_name)}, result_types=[STAGE])


@irdl_op_definition
class GroupOp(CommandOp):
    """A handle to several stages, to place them together.

    `schedule.compute_at` and `schedule.compute_root` of a group place its stages, except those
    that an earlier command has placed alone or by a smaller group.

    ```mlir
    schedule.sequence @together on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %D = schedule.get "D"
      %i, %j = schedule.axes 2 of %D
      %g = schedule.group %B, %C
      schedule.compute_at %g, %D, %i
    }
    ```

    Shape: one handle for stages and groups.
    Refused: no member, the same one twice; by `apply-schedule`, a group that overlaps another
    one without nesting, and any other command on a group.
    Like: `Schedule.create_group` of TVM.
    """

    name = "schedule.group"

    members = var_operand_def(STAGE)
    group = result_def(STAGE)

    assembly_format = "$members attr-dict"

    def __init__(self, members: Sequence[SSAValue]):
        super().__init__(operands=[members], result_types=[STAGE])

    def verify_(self) -> None:
        super().verify_()
        if not self.members:
            raise VerifyException("group needs at least one stage")
        verify_distinct(self.members, "group", "stage")


@irdl_op_definition
@attributes_behind
class AxesOp(IRDLOperation):
    """The root axes of a stage: data axes, then reduce axes.

    ```mlir
    schedule.sequence @handles on @f {
      %C = schedule.get "C"
      %i, %j, %k = schedule.axes 3 of %C
    }
    ```

    Shape: one axis per root axis.
    Refused: by `apply-schedule`, another number of results.
    Like: `op.axis` and `op.reduce_axis` of TE.
    """

    name = "schedule.axes"

    stage = operand_def(STAGE)
    axes = var_result_def(AXIS)

    def __init__(self, stage: SSAValue, count: int):
        super().__init__(operands=[stage], result_types=[[AXIS] * count])

    @classmethod
    def parse(cls, parser: Parser) -> AxesOp:
        start = parser.pos
        count = parser.parse_integer(allow_boolean=False, allow_negative=False)
        if count > MOST_AXES:  # before the results are created
            parser.raise_error(f"no stage has {count} axes", start, parser.pos)
        parser.parse_keyword("of")
        return AxesOp(parser.parse_operand(STAGE), count)

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {len(self.axes)} of ")
        printer.print_operand(self.stage)


@irdl_op_definition
class TileOp(CommandOp):
    """Splits two axes and orders the four that result: outer, outer, inner, inner.

    ```mlir
    schedule.sequence @tiles on @f {
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      %io, %jo, %ii, %ji = schedule.tile %i, %j by 8, 32
    }
    ```

    Shape: factors are the extents of the inner axes; `tail` is that of both splits.
    Refused: a factor below 1, the same axis twice, an unknown tail.
    Like: `Stage.tile` of TVM.
    """

    name = "schedule.tile"

    x_parent = operand_def(AXIS)
    y_parent = operand_def(AXIS)
    x_factor = prop_def(NUMBER)
    y_factor = prop_def(NUMBER)
    tail = opt_prop_def(StringAttr)
    x_outer = result_def(AXIS)
    y_outer = result_def(AXIS)
    x_inner = result_def(AXIS)
    y_inner = result_def(AXIS)

    assembly_format = (
        "$x_parent `,` $y_parent `by` $x_factor `,` $y_factor (`tail` $tail^)? attr-dict"
    )

    def __init__(
        self,
        x_parent: SSAValue,
        y_parent: SSAValue,
        x_factor: int,
        y_factor: int,
        tail: str | None = None,
    ):
        super().__init__(
            operands=[x_parent, y_parent],
            properties={
                "x_factor": NumberAttr.of(x_factor),
                "y_factor": NumberAttr.of(y_factor),
                "tail": None if tail is None else StringAttr(tail),
            },
            result_types=[AXIS] * 4,
        )

    @property
    def consumed(self) -> Sequence[SSAValue]:
        return (self.x_parent, self.y_parent)

    def verify_(self) -> None:
        super().verify_()
        verify_distinct((self.x_parent, self.y_parent), "tile")
        verify_tail(self.tail)
        for axis, factor in (
            (self.x_parent, self.x_factor),
            (self.y_parent, self.y_factor),
        ):
            if factor.value.data < 1:
                raise VerifyException(
                    f"tile of axis {axis_name(axis)} by {factor.value.data}: "
                    "a factor must be at least 1"
                )


@irdl_op_definition
class ReorderOp(CommandOp):
    """Permutes the named axes among their positions in the order; all other axes stay.

    ```mlir
    schedule.sequence @swap on @f {
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      schedule.reorder %j, %i
    }
    ```

    Shape: leaf axes of one stage.
    Refused: the same axis twice.
    Like: `Stage.reorder` of TVM.
    """

    name = "schedule.reorder"

    args = var_operand_def(AXIS)

    assembly_format = "$args attr-dict"

    def __init__(self, args: Sequence[SSAValue]):
        super().__init__(operands=[args])

    def verify_(self) -> None:
        super().verify_()
        verify_distinct(self.args, "reorder")


@irdl_op_definition
class ComputeAtOp(LoopOfStageCommand):
    """Computes a stage inside the loop of an axis of its consumer: exactly what is read there.

    ```mlir
    schedule.sequence @fused on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      schedule.compute_at %B, %C, %i
    }
    ```

    Shape: a stage or a group, the stage of the loop, and a leaf axis of that.
    Refused: by `apply-schedule`, a consumer outside that loop, an axis that is no leaf
    or is vectorized, a stage computed inside it, an output; the message lists the legal
    places.
    Like: `Stage.compute_at` of TVM.
    """

    name = "schedule.compute_at"


@irdl_op_definition
class ComputeRootOp(StageCommand):
    """Computes a stage as a whole, before all its readers.

    ```mlir
    schedule.sequence @apart on @f {
      %B = schedule.get "B"
      schedule.compute_root %B
    }
    ```

    Shape: a stage or a group.
    Refused: a stage that was inlined.
    Like: `Stage.compute_root` of TVM.
    """

    name = "schedule.compute_root"


PlaceCommand = ComputeAtOp | ComputeRootOp
"""The commands that set where a stage, or a group of stages, is computed."""


@irdl_op_definition
class ComputeInlineOp(StageCommand):
    """Replaces every read of a stage by its equation, and removes the stage.

    ```mlir
    schedule.sequence @inlined on @f {
      %B = schedule.get "B"
      schedule.compute_inline %B
    }
    ```

    Shape: one stage.
    Refused: by `apply-schedule`, an output, a reduction.
    Like: `Stage.compute_inline` of TVM.
    """

    name = "schedule.compute_inline"


@irdl_op_definition
class SetScopeOp(CommandOp):
    """Sets the memory in which a stage is stored.

    The scopes are `global`, `shared` (by the threads of a block), `warp` (by those of a warp)
    and `local` (to one thread). A target may need a tag behind a dot, as in `global.vtcm`.

    ```mlir
    schedule.sequence @memory on @f {
      %B = schedule.get "B"
      schedule.set_scope %B "shared"
    }
    ```

    Shape: one stage.
    Refused: an unknown scope; by `apply-schedule`, an output in any scope but `global`.
    Like: `Stage.set_scope` of TVM.
    """

    name = "schedule.set_scope"

    stage = operand_def(STAGE)
    scope = prop_def(StringAttr)

    assembly_format = "$stage $scope attr-dict"

    def __init__(self, stage: SSAValue, scope: str):
        super().__init__(operands=[stage], properties={"scope": StringAttr(scope)})

    def verify_(self) -> None:
        super().verify_()
        verify_scope(self.scope.data)


class LoopKindCommand(CommandOp):
    """Base of the commands that give a leaf axis its kind."""

    var = operand_def(AXIS)

    assembly_format = "$var attr-dict"

    def __init__(self, var: SSAValue):
        super().__init__(operands=[var])


@irdl_op_definition
class VectorizeOp(LoopKindCommand):
    """Runs the iterations of an axis as the lanes of vectors.

    ```mlir
    schedule.sequence @lanes on @f {
      %C = schedule.get "C"
      %i = schedule.axes 1 of %C
      schedule.vectorize %i
    }
    ```

    Shape: a leaf axis, of any extent.
    Refused: by `apply-schedule`, an axis of an extern, a second kind.
    Like: `Stage.vectorize` of TVM.
    """

    name = "schedule.vectorize"


@irdl_op_definition
class UnrollOp(LoopKindCommand):
    """Runs the iterations of an axis as copies of the loop's body.

    ```mlir
    schedule.sequence @copies on @f {
      %C = schedule.get "C"
      %i = schedule.axes 1 of %C
      schedule.unroll %i
    }
    ```

    Shape: a leaf axis, of any extent.
    Refused: by `apply-schedule`, an axis that is no leaf.
    Like: `Stage.unroll` of TVM.
    """

    name = "schedule.unroll"


@irdl_op_definition
class ParallelOp(LoopKindCommand):
    """Runs the iterations of an axis at the same time, on several cores.

    Each thread runs an equal part of the iterations; or, if the chunk is dynamic, takes the next
    iteration when it has finished one: that is for iterations that take different times. Those of
    a reduce axis fold in chunks, whose number does not depend on that of the threads.

    ```mlir
    schedule.sequence @cores on @f {
      %C = schedule.get "C"
      %i = schedule.axes 1 of %C
      schedule.parallel %i
      %D = schedule.get "D"
      %j = schedule.axes 1 of %D
      schedule.parallel %j chunk "dynamic"
    }
    ```

    Shape: a leaf axis, of any extent; the chunk is "static", which it is by default, or "dynamic".
    Refused: another chunk; by `apply-schedule`, a reduce axis of an extern, a second kind; by
    `check-parallel`, an axis of which two iterations touch the same element, and one of them
    writes it.
    Like: `Stage.parallel` of TVM, `schedule` of OpenMP.
    """

    name = "schedule.parallel"

    chunk = opt_prop_def(StringAttr)

    assembly_format = "$var (`chunk` $chunk^)? attr-dict"

    def __init__(self, var: SSAValue, chunk: str | None = None):
        said = None if chunk is None else StringAttr(chunk)
        CommandOp.__init__(self, operands=[var], properties={"chunk": said})

    @property
    def is_dynamic(self) -> bool:
        return self.chunk is not None and self.chunk.data == DYNAMIC

    def verify_(self) -> None:
        super().verify_()
        if self.chunk is not None and self.chunk.data not in (STATIC, DYNAMIC):
            raise VerifyException(
                f'parallel of axis {axis_name(self.var)}: no chunk "{self.chunk.data}"; '
                f'it is "{STATIC}" or "{DYNAMIC}"'
            )
