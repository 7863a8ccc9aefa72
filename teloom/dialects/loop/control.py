"""Loops and branches of the `loop` dialect."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    IndexType,
)
from xdsl.ir import (
    Block,
    BlockArgument,
    Operation,
    Region,
    SSAValue,
)
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_region_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    NoTerminator,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.constraints import ConditionOp, pack_condition, parse_condition
from teloom.dialects.bodies.around import ops_around
from teloom.dialects.loop.kinds import KINDS, LoopKind, LoopKindAttr
from teloom.dialects.loop.policies import verify_policies
from teloom.dialects.syntax.attributes_behind import attributes_behind

INDEX = IndexType()


@irdl_op_definition
class ForOp(IRDLOperation):
    """A loop from the maximum of its lower bounds to the minimum of its upper bounds.

    The end is excluded, the step is 1. With an upper bound not above the lower one, nothing
    runs. The kind is how the iterations run: serially by default, `parallel` (in any order, at
    the same time), `vectorized` (as lanes), `unrolled` (as copies), or over a thread axis such
    as `threadIdx.x` (each in a thread or block of its own).

    ```mlir
    func.func @steps(%n: index, %A: memref<?xf32>) {
      %a = loop.bind %A [0 : %n] : memref<?xf32>
      %one = arith.constant 1.0 : f32
      loop.for %io = 0 to %n ceildiv 8 {
        loop.for %ii = 0 to min(8, %io * -8 + %n) unrolled {
          loop.store %one, %a[%io * 8 + %ii] : f32
        }
      }
      func.return
    }
    ```

    Shape: bounds are in iterations of the axis; operands are `index` values.
    Refused: a bound without results, a map that does not fit its operands.
    Like: `affine.for`.
    """

    name = "loop.for"

    operands_ = var_operand_def(INDEX)
    lower = prop_def(AffineMapAttr)
    upper = prop_def(AffineMapAttr)
    kind = prop_def(LoopKindAttr)
    body = region_def("single_block")

    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

    def __init__(
        self,
        lower: Sequence[AffineExpr],
        upper: Sequence[AffineExpr],
        values: Sequence[SSAValue],
        body: Region,
        kind: LoopKind = LoopKind.SERIAL,
    ):
        """Bounds are expressions of `values`: dimension k is `values[k]`."""
        (first, end), operands = affine.pack_lists([lower, upper], values)
        Operation.__init__(
            self,
            operands=operands,
            properties={"lower": first, "upper": end, "kind": KINDS[kind]},
            regions=[body],
        )

    @property
    def induction_variable(self) -> BlockArgument:
        return self.body.block.args[0]

    @property
    def axis_name(self) -> str:
        """The name of its axis, for the user."""
        return self.induction_variable.name_hint or "<unnamed>"

    def verify_(self) -> None:
        for map, what in ((self.lower, "lower bound"), (self.upper, "upper bound")):
            affine.verify_map(map, self.operands_, what)
            if not map.data.results:
                raise VerifyException(f"the {what} has no result")
        arguments = self.body.block.args
        if [argument.type for argument in arguments] != [INDEX]:
            raise VerifyException("the body needs one index argument")
        verify_policies(self)

    @classmethod
    def parse(cls, parser: Parser) -> ForOp:
        variable = parser.parse_argument(expect_type=False).resolve(INDEX)
        parser.parse_punctuation("=")
        operands = affine.OperandList()
        lower, upper = affine.parse_range(parser, operands)
        word = parser.parse_optional_keyword_in([kind.value for kind in LoopKind])
        kind = LoopKind(word) if word is not None else LoopKind.SERIAL
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = _parse_body(parser, variable)
        loop = ForOp(lower, upper, operands.values, body, kind)
        if attributes is not None:
            loop.attributes.update(attributes.data)
        return loop

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.induction_variable)
        printer.print_string(" = ")
        affine.print_range(printer, self.lower, self.upper, self.operands_)
        if self.kind.data is not LoopKind.SERIAL:
            printer.print_string(f" {self.kind.data.value}")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)


def _parse_body(parser: Parser, *arguments: Parser.Argument) -> Region:
    """Parses a region of one block, which may be empty."""
    region = parser.parse_region(arguments)
    if not region.blocks:
        region.add_block(Block(arg_types=[argument.type for argument in arguments]))
    return region


@irdl_op_definition
@attributes_behind
class IfOp(ConditionOp):
    """Runs its first region if its condition holds, otherwise its second, if it has one.

    A condition is a list of constraints, all of which must hold; or several lists with `or`
    between them, one of which must hold.

    ```mlir
    func.func @last(%n: index, %A: memref<?xf32>) {
      %a = loop.bind %A [0 : %n] : memref<?xf32>
      %one = arith.constant 1.0 : f32
      loop.for %i = 0 to %n {
        loop.if (%i - %n + 1 == 0, %i >= 0) {
          loop.store %one, %a[%i] : f32
        } else {
          loop.store %one, %a[0] : f32
        }
      }
      func.return
    }
    ```

    Shape: every constraint compares an affine expression of `index` values with 0.
    Refused: no constraint, a map that does not fit its operands.
    Like: `affine.if`.
    """

    name = "loop.if"

    then_body = region_def("single_block")
    else_body = opt_region_def("single_block")

    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

    def __init__(
        self,
        alternatives: Sequence[Conjunction],
        values: Sequence[SSAValue],
        then_body: Region,
        else_body: Region | None = None,
    ):
        """The condition is an expression of `values`."""
        operands, constraints, counts = pack_condition(alternatives, values)
        super().__init__(
            operands=[operands],
            properties={"constraints": constraints, "counts": counts},
            regions=[then_body, else_body],
        )

    def verify_(self) -> None:
        super().verify_()
        if any(operand.type != INDEX for operand in self.operands_):
            raise VerifyException("a constraint is over index values")

    @classmethod
    def parse(cls, parser: Parser) -> IfOp:
        operands = affine.OperandList()
        alternatives = parse_condition(parser, operands)
        then_body = _parse_body(parser)
        else_body = None
        if parser.parse_optional_keyword("else"):
            else_body = _parse_body(parser)
        return IfOp(alternatives, operands.values, then_body, else_body)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_condition(printer)
        printer.print_string(" ")
        printer.print_region(self.then_body, print_empty_block=False)
        if self.else_body is not None:
            printer.print_string(" else ")
            printer.print_region(self.else_body, print_empty_block=False)


def is_counter(value: SSAValue) -> bool:
    """Whether a value is the counter of a loop."""
    return isinstance(value, BlockArgument) and isinstance(value.owner.parent_op(), ForOp)


def is_in_loop(op: Operation) -> bool:
    """Whether a loop is around `op`, which runs it again and again."""
    return any(isinstance(around, ForOp) for around in ops_around(op))


def is_in_parallel(op: Operation) -> bool:
    """Whether a parallel loop is around `op`; a parallel loop that is in one runs serially."""
    loops = (around for around in ops_around(op) if isinstance(around, ForOp))
    return any(around.kind.data.is_parallel for around in loops)
