"""Loops that end at a bound, or earlier where a condition on data holds."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

INDEX = IndexType()

HasEnded = Callable[[SSAValue, Builder], SSAValue]
"""Emits whether a loop has ended before an iteration, whose position it gets; an `i1`."""


def while_loop(start: SSAValue, end: SSAValue, has_ended: HasEnded) -> scf.WhileOp:
    """A loop with an empty body from `start` up to, not including, `end`."""
    after = Block(arg_types=[INDEX])
    one = arith.ConstantOp(IntegerAttr(1, INDEX))
    following = arith.AddiOp(after.args[0], one.result)
    after.add_ops([one, following, scf.YieldOp(following.result)])
    return scf.WhileOp([start], [INDEX], Region(_before(end, has_ended)), Region(after))


def inside_of(op: scf.WhileOp) -> tuple[Builder, SSAValue]:
    """A builder for the body of a `while_loop`, and the position of an iteration."""
    block = op.after_region.block
    assert block.first_op is not None
    return Builder(InsertPoint.before(block.first_op)), block.args[0]


def _before(end: SSAValue, has_ended: HasEnded) -> Block:
    """The block that says whether there is a next iteration; beyond the end nothing is asked."""
    block, inside = Block(arg_types=[INDEX]), Block()
    builder, within = (Builder(InsertPoint.at_end(one)) for one in (block, inside))
    (now,) = block.args
    ended = has_ended(now, within)
    true = within.insert(arith.ConstantOp(IntegerAttr(1, i1)))
    within.insert(scf.YieldOp(within.insert(arith.XOrIOp(ended, true.result)).result))
    false = arith.ConstantOp(IntegerAttr(0, i1))
    beyond = Region(Block([false, scf.YieldOp(false.result)]))
    is_within = builder.insert(arith.CmpiOp(now, end, "slt"))
    goes_on = builder.insert(scf.IfOp(is_within.result, [i1], Region(inside), beyond))
    builder.insert(scf.ConditionOp(goes_on.results[0], now))
    return block
