"""Pass `lower-scf`: structured loops and branches become blocks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects import affine, arith, cf, func, scf
from xdsl.dialects.arith import IntegerOverflowAttr, IntegerOverflowFlag
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    ModuleOp,
    UnitAttr,
    i1,
    i64,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from teloom.analysis.index.values import index_value
from teloom.analysis.loops.vectorized import is_vectorized
from teloom.dialects import loop, te
from teloom.dialects.bodies.preorder import first_of
from teloom.dialects.interfaces import Rules
from teloom.dialects.quick_ir import segments
from teloom.dialects.upstream.affine import ParallelOp
from teloom.dialects.upstream.llvm import LOOP_ANNOTATION, VECTORIZED, LoopAnnotationAttr
from teloom.errors import PassError
from teloom.passes.expected_level import refuse_each
from teloom.passes.llvm.locations import give_locations, located

_SIGNED_LESS = IntegerAttr(2, i64)
_MAY_WRAP = IntegerOverflowAttr("none")
_NO_WRAP = IntegerOverflowAttr((IntegerOverflowFlag.NSW,))
_ENDS = LoopAnnotationAttr.ending()


# What these make xDSL's constructors make, too, which take several times as long.
def _branch(to: Block, values: Sequence[SSAValue]) -> cf.BranchOp:
    return cf.BranchOp.create(operands=values, successors=(to,))


def _choice(
    test: SSAValue,
    yes: Block,
    no: Block,
    to_yes: Sequence[SSAValue] = (),
    to_no: Sequence[SSAValue] = (),
) -> cf.ConditionalBranchOp:
    """A branch to one of two blocks, and the values that each of them gets."""
    sizes = segments(1, len(to_yes), len(to_no))
    return cf.ConditionalBranchOp.create(
        operands=(test, *to_yes, *to_no),
        successors=(yes, no),
        properties={"operandSegmentSizes": sizes},
    )


def _runs(op: scf.ForOp) -> bool:
    """Whether a loop over indices has an iteration by its constant bounds.

    Constants of other types may be written as unsigned numbers, and are compared as signed ones.
    """
    if not isinstance(op.lb.type, IndexType):
        return False
    lower, upper = (index_value(bound, lambda _: None) for bound in (op.lb, op.ub))
    return lower is not None and upper is not None and lower < upper


def _has_branch(op: scf.ForOp) -> bool:
    """Whether there is a branch in the body of `op` that is in no loop inside.

    Where one behind the loop tests the same, LLVM 22 jumps from one to the other past a test
    between them, but not past the head of a loop: tested at its end, the loop would have an exit
    on each way through its body, and LLVM would not know its number of iterations.
    """
    return first_of(op.body.block, scf.IfOp) is not None


class Flattener:
    """Rebuilds one region without structured ops, moving each op at most once.

    A rule of `BLOCKS` gets a structured op that stands in no block any more. It ends the
    block that is `current`, begins others, and `begin_behind` says what the op's results are.

    Not rewrite patterns: a pattern splits a block in place, which moves the rest of the
    block once per loop in it and is quadratic; here every op behind the first structured
    one goes straight to the block where it ends.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.current = Block()

    def begin(self, block: Block) -> None:
        """Make `block` the next block in order, and the place where ops go."""
        self.blocks.append(block)
        self.current = block

    def inline(self, block: Block) -> None:
        """Append the ops of `block`, where they stand or behind what came of them."""
        self.begin(block)
        for op in tuple(block.ops):
            if (rule := BLOCKS[type(op)]) is not None:
                op.detach()
                rule(self, op)
                op.drop_all_references()
                continue
            if op.regions:
                _flatten_regions(op)
            if self.current is not block:
                op.detach()
                self.current.add_op(op)

    def inline_region(self, region: Region) -> list[SSAValue]:
        """Append a single-block region, and return what it yields.

        Its terminator is dropped: the caller ends the block that is then current.
        """
        block = region.detach_block(region.block)
        self.inline(block)
        terminator = self.current.last_op
        assert terminator is not None
        terminator.detach()
        yielded = list(terminator.operands)
        terminator.drop_all_references()
        return yielded

    def repeat(self, op: Operation, branch: Operation) -> None:
        """End the current block by the branch that closes the loop `op`.

        No branch is without an annotation: LLVM 22 may close a loop by the branch that closes
        the last loop in it, and then takes the annotation of that one for both.
        """
        branch.attributes[LOOP_ANNOTATION] = op.attributes.get(LOOP_ANNOTATION, _ENDS)
        self.current.add_op(located(branch, op))

    def begin_behind(self, op: Operation, end: Block, values: Sequence[SSAValue]) -> None:
        """Begin the block behind `op`, whose results are `values`."""
        self.begin(end)
        for result, value in zip(op.results, values, strict=True):
            result.replace_all_uses_with(value)

    def lower_for(self, op: scf.ForOp) -> None:
        if _runs(op) and not _has_branch(op):
            self._loop_tested_at_end(op)
        else:
            self._loop_tested_in_front(op)

    def _loop_tested_at_end(self, op: scf.ForOp) -> None:
        body, end = op.body.block, Block()
        self.current.add_op(located(_branch(body, (op.lb, *op.iter_args)), op))
        yielded = self.inline_region(op.body)
        following = self._following(op, body.args[0])
        test = self._test(op, following)
        self.repeat(op, _choice(test, body, end, (following, *yielded)))
        self.begin_behind(op, end, yielded)

    def _loop_tested_in_front(self, op: scf.ForOp) -> None:
        body = op.body.block
        header = Block(arg_types=body.arg_types)
        end = Block()
        self.current.add_op(located(_branch(header, (op.lb, *op.iter_args)), op))
        for inner, outer in zip(body.args, header.args, strict=True):
            inner.replace_all_uses_with(outer)
        for arg in reversed(body.args):
            body.erase_arg(arg)

        self.begin(header)
        test = self._test(op, header.args[0])
        header.add_op(located(_choice(test, body, end), op))
        yielded = self.inline_region(op.body)
        following = self._following(op, header.args[0])
        self.repeat(op, _branch(header, (following, *yielded)))
        self.begin_behind(op, end, header.args[1:])

    def _following(self, op: scf.ForOp, counter: SSAValue) -> SSAValue:
        # An index counts positions in memory, so one step past a bound cannot wrap;
        # LLVM needs to hear so to know the number of iterations.
        counts = isinstance(counter.type, IndexType)
        following = arith.AddiOp.create(
            operands=(counter, op.step),
            result_types=(counter.type,),
            properties={"overflowFlags": _NO_WRAP if counts else _MAY_WRAP},
        )
        self.current.add_op(located(following, op))
        return following.result

    def _test(self, op: scf.ForOp, counter: SSAValue) -> SSAValue:
        """Whether there is an iteration of this counter."""
        test = arith.CmpiOp.create(
            operands=(counter, op.ub),
            result_types=(i1,),
            properties={"predicate": _SIGNED_LESS},
        )
        self.current.add_op(located(test, op))
        return test.result

    def lower_if(self, op: scf.IfOp) -> None:
        start = self.current
        then = op.true_region.block
        end = Block(arg_types=op.result_types)
        yielded = self.inline_region(op.true_region)
        self.current.add_op(located(_branch(end, yielded), op))
        otherwise = end
        if op.false_region.blocks:
            otherwise = op.false_region.block
            yielded = self.inline_region(op.false_region)
            self.current.add_op(located(_branch(end, yielded), op))
        start.add_op(located(_choice(op.cond, then, otherwise), op))
        self.begin_behind(op, end, end.args)

    def lower_while(self, op: scf.WhileOp) -> None:
        before = op.before_region.block
        after = op.after_region.block
        end = Block(arg_types=op.result_types)
        self.current.add_op(located(_branch(before, op.arguments), op))
        condition, *passed = self.inline_region(op.before_region)
        branch = _choice(condition, after, end, passed, passed)
        self.current.add_op(located(branch, op))
        yielded = self.inline_region(op.after_region)
        self.repeat(op, _branch(before, yielded))
        self.begin_behind(op, end, end.args)

    def refuse(self, op: Operation) -> None:
        raise PassError(f"cannot lower {op.name}", op)


BLOCKS: Rules[Callable[[Flattener, Any], None]] = Rules(
    {
        scf.ForOp: Flattener.lower_for,
        scf.IfOp: Flattener.lower_if,
        scf.WhileOp: Flattener.lower_while,
        scf.ParallelOp: Flattener.refuse,
        scf.IndexSwitchOp: Flattener.refuse,
        scf.ExecuteRegionOp: Flattener.refuse,
    }
)
"""How the blocks of each structured op are joined."""


def _flatten_regions(op: Operation) -> None:
    for region in op.regions:
        flattener = Flattener()
        for block in tuple(region.blocks):
            region.detach_block(block)
            flattener.inline(block)
        region.add_block(flattener.blocks)


def lower_scf(module: ModuleOp) -> None:
    """Replace every `scf.for`, `scf.if` and `scf.while` in `module` by blocks.

    Raises `PassError` at any other structured op.
    """
    give_locations(module)
    for op in tuple(module.ops):
        # Of several blocks nobody knows which are loops: they were asked before, or are the user's.
        if isinstance(op, func.FuncOp) and len(op.body.blocks) == 1 and is_vectorized(op):
            op.attributes[VECTORIZED] = UnitAttr()
        _flatten_regions(op)


_LEVELS_ABOVE = {
    "storage-flatten": (te.FuncOp, loop.TensorRegionOp, loop.AccessOp),
    "normalize-loops": (affine.ForOp, affine.IfOp, ParallelOp),
    "lower-loops": (loop.ForOp, loop.IfOp),
}
"""The ops that this pass does not take, by the pass that removes them."""


@dataclass(frozen=True)
class LowerScfPass(ModulePass):
    """Turn structured loops and branches into blocks.

    A loop tests in front of each iteration whether there is one; a loop that has an iteration by
    its constant bounds, and no branch in its body, tests behind each whether there is another one,
    as LLVM wants it.

    The attribute `llvm.loop_annotation` of a loop moves to the branch that closes it. Without the
    attribute, the branch gets `mustProgress`: the loop ends. Of a function none of whose innermost
    loops computes scalars alone, `teloom.vectorized` says so: if that holds for all of a module,
    LLVM makes no vectors, and unrolls only what is annotated.
    An induction variable of type `index` is assumed not to wrap.

    Order: after every pass that wants to see loops; `lower-to-llvm` does this first,
    so a pipeline that ends there need not name it.

    Example: `lower-scf`
    ```mlir
    func.func @zero(%n: index, %A: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %z = arith.constant 0.0 : f32
      scf.for %i = %c0 to %n step %c1 {
        memref.store %z, %A[%i] : memref<?xf32>
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @zero(%n: index, %A: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %z = arith.constant 0.0 : f32
      cf.br ^header(%c0 : index)
    ^header(%i: index):
      %more = arith.cmpi slt, %i, %n : index
      cf.cond_br %more, ^body, ^end
    ^body:
      memref.store %z, %A[%i] : memref<?xf32>
      %next = arith.addi %i, %c1 overflow<nsw> : index
      cf.br ^header(%next : index) {
        llvm.loop_annotation = #llvm.loop_annotation<mustProgress = true>
      }
    ^end:
      func.return
    }
    ```
    Refused: `lower-scf`
    ```mlir
    func.func @region() {
      scf.execute_region {
        scf.yield
      }
      func.return
    }
    ```
    with "cannot lower scf.execute_region"
    """

    name = "lower-scf"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse_each(op, _LEVELS_ABOVE)
        lower_scf(op)
