"""Pass `lower-loops`: loops with affine bounds become standard loops and arithmetic."""

from collections.abc import Container
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from xdsl.context import Context
from xdsl.dialects import affine, arith, func, memref, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)
from xdsl.traits import IsolatedFromAbove

from teloom.analysis.index.value_ranges import ValueRanges
from teloom.analysis.memory.held import name_of_buffer
from teloom.analysis.memory.shared_bytes import may_share
from teloom.analysis.signature import placement_of
from teloom.dialects import loop, te
from teloom.dialects.affine.fold import over_dims
from teloom.dialects.bodies.around import ops_around
from teloom.dialects.bodies.preorder import ops_in, preorder
from teloom.dialects.syntax.scopes import scope_of_buffer
from teloom.dialects.target import target_of
from teloom.dialects.upstream.accesses import accesses_to
from teloom.dialects.upstream.functions import ALIGN, NOALIAS, READONLY, said_of_arguments
from teloom.dialects.upstream.llvm import DYNAMIC, LOOP_ANNOTATION, SHARED, LoopAnnotationAttr
from teloom.errors import PassError
from teloom.passes.code.affine_to_arith import AffineCode
from teloom.passes.code.index_code import inserting_before
from teloom.passes.code.rewriting import of_kind, rewrite
from teloom.passes.dots.dot_code import dot_code
from teloom.passes.expected_level import refuse
from teloom.passes.loops.early_divisions import divide_early

_OURS = frozenset({"te", "schedule", "loop"})
"""The dialects that upstream tools do not know."""


class FunctionCode:
    """The index arithmetic of a function; each expression is emitted once per path of blocks.

    A block reuses values of the blocks around it. That is right because ops are visited in
    program order: a value emitted earlier in an enclosing block dominates this one. Constants
    stand together at the entry, where they dominate every block.
    """

    def __init__(self) -> None:
        self._of_block: dict[Block, AffineCode] = {}
        self._of_entry: dict[Block, AffineCode] = {}
        self._last_constant: dict[Block, Operation] = {}
        self._ranges = ValueRanges()

    def before(self, op: Operation) -> AffineCode:
        """Code in front of `op`."""
        assert op.parent is not None
        code = self._of(op.parent)
        code.insert = inserting_before(op)
        return code

    def _of(self, block: Block) -> AffineCode:
        found = self._of_block.get(block)
        if found is None:
            found = self._of_block[block] = self._around(block).inner()
        return found

    def _around(self, block: Block) -> AffineCode:
        region, op = block.parent, block.parent_op()
        assert region is not None
        if op is not None and op.parent is not None and not op.has_trait(IsolatedFromAbove):
            return self._of(op.parent)
        entry = region.blocks[0]
        if entry not in self._of_entry:
            insert_constant = partial(self._insert_constant, entry)
            self._of_entry[entry] = AffineCode(
                insert_constant, insert_constant, ranges=self._ranges
            )
        return self._of_entry[entry]

    def _insert_constant(self, entry: Block, op: Operation) -> None:
        if last := self._last_constant.get(entry):
            entry.insert_op_after(op, last)
        elif entry.first_op is not None:
            entry.insert_op_before(op, entry.first_op)
        else:
            entry.add_op(op)
        self._last_constant[entry] = op


@dataclass
class LowerFor(RewritePattern):
    """A loop becomes `scf.for` or `scf.parallel` from the largest to the least of its bounds."""

    code: FunctionCode
    around_guarded: Container[Operation]

    @of_kind
    def match_and_rewrite(self, op: loop.ForOp, rewriter: PatternRewriter) -> None:
        if op.kind.data.thread_rank is not None:
            if op.kind.data.value in target_of(op).thread_axes:
                return  # for a pass that makes threads
            raise PassError(
                f"axis {op.axis_name} is bound to "
                f"{op.kind.data.value}, but there is no code for thread axes on this target "
                "yet; make it parallel, or leave it serial",
                op,
            )
        code = self.code.before(op)
        lower = code.fold(arith.MaxSIOp, op.lower.data.results, op.operands_)
        upper = code.fold(arith.MinSIOp, op.upper.data.results, op.operands_)
        step = code.constant(1)
        if LOOP_ANNOTATION not in op.attributes and op in self.around_guarded:
            op.attributes[LOOP_ANNOTATION] = LoopAnnotationAttr.not_vectorized()
        new: Operation
        if op.kind.data.is_parallel:
            if op.kind.data is loop.LoopKind.DYNAMIC:
                op.attributes[SHARED] = StringAttr(DYNAMIC)
            op.body.block.add_op(scf.ReduceOp([], []))
            new = scf.ParallelOp([lower], [upper], [step], op.detach_region(op.body))
        else:
            op.body.block.add_op(scf.YieldOp.create())
            body = op.detach_region(op.body)
            new = scf.ForOp.create(operands=[lower, upper, step], regions=[body])
        _replace(op, new, rewriter)


@dataclass
class LowerIf(RewritePattern):
    """A branch on affine constraints becomes `scf.if`."""

    code: FunctionCode

    @of_kind
    def match_and_rewrite(self, op: loop.IfOp, rewriter: PatternRewriter) -> None:
        test = self.code.before(op).holds(op.alternatives, op.operands_)
        branches = [op.detach_region(branch) for branch in tuple(op.regions)]
        for branch in branches:
            branch.block.add_op(scf.YieldOp())
        otherwise = branches[1] if len(branches) > 1 else None
        _replace(op, scf.IfOp(test, [], branches[0], otherwise), rewriter)


@dataclass
class LowerAffineValue(RewritePattern):
    """An affine expression, or the minimum of several, becomes arithmetic."""

    code: FunctionCode

    @of_kind
    def match_and_rewrite(
        self, op: affine.ApplyOp | affine.MinOp, rewriter: PatternRewriter
    ) -> None:
        code = self.code.before(op)
        value = code.fold(arith.MinSIOp, over_dims(op.map.data), op.operands)
        if value.name_hint is None:
            value.name_hint = op.result.name_hint
        rewriter.replace(op, [], [value])


@dataclass
class LowerElementCount(RewritePattern):
    """A count of elements becomes arithmetic that does not wrap."""

    code: FunctionCode

    @of_kind
    def match_and_rewrite(self, op: loop.ElementCountOp, rewriter: PatternRewriter) -> None:
        rewriter.replace(op, [], [self.code.before(op).count_of(op)])


class LowerDot(RewritePattern):
    """A sum of products becomes the target's instruction, or the arithmetic that it stands for."""

    @of_kind
    def match_and_rewrite(self, op: loop.DotOp, rewriter: PatternRewriter) -> None:
        def emit(new: Operation) -> SSAValue:
            rewriter.insert(new)
            return new.results[0]

        rewriter.replace(op, [], [dot_code(op, emit)])


def _around_guarded_loops(module: ModuleOp) -> set[Operation]:
    """The loops around loops that contain branches.

    LLVM 22 unrolls them if they are short. Its loop vectorizer then needs time that is exponential
    in the number of branches, to find that vectors do not pay.
    """
    found: set[Operation] = set()
    for branch in ops_in(module, loop.IfOp, scf.IfOp):
        loops = (one for one in ops_around(branch) if isinstance(one, loop.ForOp | scf.ForOp))
        next(loops, None)
        for around in loops:
            if around in found:
                break
            found.add(around)
    return found


def _replace(op: Operation, new: Operation, rewriter: PatternRewriter) -> None:
    new.location = op.location
    new.attributes.update(op.attributes)
    rewriter.replace(op, new)


class DescribeArguments(RewritePattern):
    """Buffer arguments get the attributes that LLVM may rely on."""

    @of_kind
    def match_and_rewrite(self, op: func.FuncOp, rewriter: PatternRewriter) -> None:
        if not op.body.blocks:
            return
        described: list[DictionaryAttr] = []
        for attributes, argument in zip(said_of_arguments(op), op.args, strict=True):
            kept = {**attributes.data}
            if isinstance(argument.type, MemRefType):
                kept[NOALIAS] = UnitAttr()
                if (alignment := placement_of(argument).alignment) != 1:
                    kept[ALIGN] = IntegerAttr(alignment, i64)
                if not _is_written(argument):
                    kept[READONLY] = UnitAttr()
            described.append(DictionaryAttr(kept))
        if any(attributes.data for attributes in described):
            op.arg_attrs = ArrayAttr(described)
        else:
            op.arg_attrs = None
        rewriter.notify_op_modified(op)


def _is_written(buffer: SSAValue) -> bool:
    return any(access.writes for access in accesses_to(buffer))


class ForgetMemory(RewritePattern):
    """Drops `loop.memory`: no later pass reads it."""

    @of_kind
    def match_and_rewrite(self, op: loop.MemoryOp, rewriter: PatternRewriter) -> None:
        rewriter.erase(op)


def refuse_unknown(module: ModuleOp) -> None:
    """Raises `PassError` at the first op that upstream tools cannot read.

    Also at the first allocation in a scope that the target does not have.
    """
    first_of_kind: dict[type[Operation], Operation] = {}
    for op in preorder(module):
        first_of_kind.setdefault(type(op), op)
    for op in first_of_kind.values():
        if op.dialect_name() in _OURS:
            raise PassError(f"no rule for {op.name}", op)
    target = target_of(module)
    for op in ops_in(module, memref.AllocOp, memref.AllocaOp):
        scope = scope_of_buffer(op.memref.type)
        if scope is not None and not target.has_memory(scope):
            raise PassError(
                f'there is no memory "{scope}" on {target.name}; '
                f"it has {', '.join(target.memories) or 'none'}",
                op,
            )


def refuse_shared_arguments(module: ModuleOp) -> None:
    """Raises `PassError` at a call with two buffers of one memory, of which a function writes one.

    All passes take the buffers that a function gets to be apart.
    """
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
    for call in ops_in(module, func.CallOp):
        name = call.callee.string_value()
        if name not in functions or not functions[name].body.blocks:
            continue
        passed = zip(functions[name].args, call.operands, strict=True)
        buffers = [pair for pair in passed if isinstance(pair[1].type, MemRefType)]
        for (a, one), (b, other) in combinations(buffers, 2):
            if may_share(one, other) and (_is_written(a) or _is_written(b)):
                given, wanted = (
                    " and ".join(dict.fromkeys(map(name_of_buffer, two)))
                    for two in ((one, other), (a, b))
                )
                raise PassError(
                    f"the memory of {given} is passed for {wanted} of @{name}, which writes there: "
                    "buffers that a function gets have no element in common; copy one",
                    call,
                )


@dataclass(frozen=True)
class LowerLoopsPass(ModulePass):
    """Turn loops and affine expressions into `scf` and `arith`.

    Every index expression is computed once per block that needs it, and constants once per
    function. Buffer arguments do not alias, so each is marked `llvm.noalias`; a call that passes
    one memory twice, where the function writes it, is refused. An argument is also marked
    `llvm.readonly` if nothing writes to it, and `llvm.align` if the signature declares an
    alignment. Upstream tools can read the result.

    Sums and products that constants and bounds of loops show not to wrap say so.

    A loop-invariant division in a branch moves in front of the loop.

    `loop.dot` becomes a call of the target's intrinsic, or vectors of products that are added.

    A loop of kind `parallel` becomes `scf.parallel`. A loop over a thread axis is refused, as no
    target has code for these yet.

    Order: after `vectorize-loops` and `unroll-loops`, which read loop kinds; before
    `lower-to-llvm`.

    Example: `lower-loops`
    ```mlir
    func.func @fill(%n: index, %A: memref<?xf32>) {
      %one = arith.constant 1.0 : f32
      loop.for %i = 0 to min(%n, 64) {
        %j = affine.apply affine_map<(d0) -> (d0 floordiv 4)> (%i)
        memref.store %one, %A[%j] : memref<?xf32>
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @fill(%n: index, %A: memref<?xf32> {llvm.noalias}) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %one = arith.constant 1.0 : f32
      %end = arith.minsi %n, %c64 : index
      scf.for %i = %c0 to %end step %c1 {
        %j = arith.shrsi %i, %c2 : index
        memref.store %one, %A[%j] : memref<?xf32>
      }
      func.return
    }
    ```
    Refused: `lower-loops`
    ```mlir
    func.func @early() {
      %b = loop.realize "b" [0 : 8] : !loop.tensor<1, f32>
      func.return
    }
    ```
    with "loop.realize is left here; run storage-flatten first"
    """

    name = "lower-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp, loop.TensorRegionOp, loop.AccessOp), "storage-flatten")
        refuse_shared_arguments(op)
        code = FunctionCode()
        patterns: list[RewritePattern] = [
            DescribeArguments(),
            ForgetMemory(),
            LowerFor(code, _around_guarded_loops(op)),
            LowerIf(code),
            LowerAffineValue(code),
            LowerElementCount(code),
            LowerDot(),
        ]
        rewrite(op, patterns)
        divide_early(op)
        refuse_unknown(op)
