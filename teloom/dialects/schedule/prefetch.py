"""What a loop of a stage fetches ahead of its use: a command, and what it leaves in the stage."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IntegerAttr, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.schedule.caches import verify_tensor
from teloom.dialects.schedule.relations import AXIS, NUMBER, STAGE, CommandOp, axis_name
from teloom.dialects.schedule.stages import StageOp
from teloom.dialects.syntax.attributes_behind import attributes_behind

LARGEST_OFFSET = 2**20
"""In iterations; what a cache holds is long gone by then."""

Bounds = tuple[Sequence[AffineExpr], Sequence[AffineExpr]]
"""From the largest of the lower bounds to the least of the upper ones, the end excluded."""


def _verify_offset(op: PrefetchOp | PrefetchedOp, axis: SSAValue) -> None:
    offset = op.offset.value.data
    if not 0 <= offset <= LARGEST_OFFSET:
        raise VerifyException(
            f"prefetch at axis {axis_name(axis)} with offset {offset}: it must be in "
            f"0 .. {LARGEST_OFFSET}"
        )


@irdl_op_definition
class PrefetchOp(CommandOp):
    """Brings near, in a loop of a stage, what a later iteration needs of a tensor.

    Iteration `var` prefetches the elements that iteration `var + offset` reads, in the stage
    and in those that are computed in that loop. The tensor is a stage's, `result 1` of one
    with several, or an argument of the function by its number among the tensors.

    ```mlir
    schedule.sequence @ahead on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %i, %k = schedule.axes 2 of %C
      schedule.prefetch %C, %B at %k offset 4
      schedule.prefetch %C, argument 0 at %i offset 1
    }
    ```

    Shape: the offset is in iterations of `var`.
    Refused: an offset below 0 or above 1048576, no tensor or two; by `apply-schedule`, an axis
    that is no leaf, or whose iterations do not run one after another, and a tensor that
    nothing in that loop reads, or that is stored inside of it.
    Like: `Stage.prefetch` of TVM, `prefetch` of Halide.
    """

    name = "schedule.prefetch"

    stage = operand_def(STAGE)
    tensor = opt_operand_def(STAGE)
    var = operand_def(AXIS)
    offset = prop_def(NUMBER)
    argument = opt_prop_def(NUMBER)
    result = opt_prop_def(NUMBER)

    assembly_format = (
        "$stage `,` ($tensor^)? (`argument` $argument^)? (`result` $result^)? "
        "`at` $var `offset` $offset attr-dict"
    )

    def __init__(
        self,
        stage: SSAValue,
        tensor: SSAValue | None,
        var: SSAValue,
        offset: int,
        argument: int | None = None,
        result: int | None = None,
    ):
        super().__init__(
            operands=[stage, tensor, var],
            properties={
                "offset": IntegerAttr(offset, i64),
                "argument": None if argument is None else IntegerAttr(argument, i64),
                "result": None if result is None else IntegerAttr(result, i64),
            },
        )

    def verify_(self) -> None:
        super().verify_()
        verify_tensor("prefetch", self.tensor, self.argument, self.result)
        _verify_offset(self, self.var)


@irdl_op_definition
@attributes_behind
class PrefetchedOp(IRDLOperation):
    """In a stage: what the loop of an axis prefetches, and once inferred, which elements.

    ```mlir
    te.func @double(%A: tensor<20xf32>) -> (tensor<20xf32>) {
      %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
        %io, %ii = schedule.split %i factor 4
        schedule.prefetched %A at %io offset 1 [%io * 4 + 4 to min(20, %io * 4 + 8)]
        schedule.order %io, %ii
        schedule.equation (%p) {
          %a = te.read %A[%p] : f32
          te.yield %a : f32
        }
      }
      te.return %C : tensor<20xf32>
    }
    ```

    Shape: per axis of the tensor from the largest lower bound to the least upper bound, the
    end excluded, over sizes and the axes of the loops around.
    Refused: an axis that is no leaf, an offset below 0 or above 1048576, bounds of another
    number of axes.
    Like: the prefetch of TVM's loop nests.
    """

    name = "schedule.prefetched"

    tensor = operand_def(TensorType)
    axis = operand_def(AXIS)
    operands_ = var_operand_def()
    offset = prop_def(NUMBER)
    lowers = opt_prop_def(ArrayAttr[AffineMapAttr])
    uppers = opt_prop_def(ArrayAttr[AffineMapAttr])

    traits = traits_def(HasParent(StageOp))

    def __init__(
        self,
        tensor: SSAValue,
        axis: SSAValue,
        offset: int,
        bounds: Sequence[Bounds] | None = None,
        values: Sequence[SSAValue] = (),
    ):
        """Bounds are over `values`, which are axes and sizes."""
        flat = [expr for lower, upper in bounds or () for expr in (*lower, *upper)]
        packed, operands = affine.pack(flat, values)
        exprs = iter(packed.data.results)

        lowers: list[AffineMapAttr] = []
        uppers: list[AffineMapAttr] = []
        for lower, upper in bounds or ():
            lowers.append(affine.map_of([next(exprs) for _ in lower], operands))
            uppers.append(affine.map_of([next(exprs) for _ in upper], operands))
        super().__init__(
            operands=[tensor, axis, operands],
            properties={
                "offset": IntegerAttr(offset, i64),
                "lowers": None if bounds is None else ArrayAttr(lowers),
                "uppers": None if bounds is None else ArrayAttr(uppers),
            },
        )

    @property
    def stage(self) -> StageOp:
        """The stage whose loop it is."""
        stage = self.parent_op()
        assert isinstance(stage, StageOp)
        return stage

    @property
    def bounds(self) -> list[Bounds] | None:
        """Where the elements lie on each axis, over `operands_`; None before that is inferred."""
        if self.lowers is None or self.uppers is None:
            return None
        sides = zip(self.lowers, self.uppers, strict=True)
        return [(lower.data.results, upper.data.results) for lower, upper in sides]

    def verify_(self) -> None:
        _verify_offset(self, self.axis)
        if self.axis not in self.stage.order.axes:
            raise VerifyException(
                f"prefetches at {axis_name(self.axis)}, which is no leaf axis of stage "
                f'"{self.stage.stage_name.data}"'
            )
        if self.lowers is None and self.uppers is None:
            return
        assert isinstance(self.tensor.type, TensorType)
        rank = len(self.tensor.type.get_shape())
        for maps in (self.lowers, self.uppers):
            if maps is None or len(maps) != rank:
                raise VerifyException(f"bounds of another number of axes than {self.tensor.type}")
            for map in maps:
                affine.verify_map(map, self.operands_, "bound")

    @classmethod
    def parse(cls, parser: Parser) -> PrefetchedOp:
        tensor = affine.parse_operand(parser)
        parser.parse_keyword("at")
        axis = affine.parse_operand(parser)
        parser.parse_keyword("offset")
        offset = parser.parse_integer(allow_boolean=False)
        operands = affine.OperandList()

        def parse_side() -> Bounds:
            lower = affine.parse_bound(parser, operands, "max")
            parser.parse_keyword("to")
            return lower, affine.parse_bound(parser, operands, "min")

        bounds = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, parse_side)
        return PrefetchedOp(tensor, axis, offset, bounds, operands.values)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.tensor)
        printer.print_string(" at ")
        printer.print_operand(self.axis)
        printer.print_string(f" offset {self.offset.value.data}")
        if self.bounds is None:
            return

        def print_side(side: Bounds) -> None:
            affine.print_bound(printer, side[0], self.operands_, "max")
            printer.print_string(" to ")
            affine.print_bound(printer, side[1], self.operands_, "min")

        printer.print_string(" [")
        printer.print_list(self.bounds, print_side)
        printer.print_string("]")
