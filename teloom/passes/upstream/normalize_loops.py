"""Pass `normalize-loops`: affine loops, and parallel ones of any form, as loops of one axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintKind, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.index.reading import constant_of
from teloom.analysis.neutral import neutral_of
from teloom.dialects import loop
from teloom.dialects.affine.fold import over_dims
from teloom.dialects.affine.polynomials import Polynomial, of_exprs
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.upstream.affine import MaxOp, ParallelOp
from teloom.errors import PassError
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.loop_code import loop_between

INDEX = IndexType()

_FOLDS: dict[str, type[Operation]] = {
    "addf": arith.AddfOp,
    "addi": arith.AddiOp,
    "andi": arith.AndIOp,
    "maximumf": arith.MaximumfOp,
    "maxs": arith.MaxSIOp,
    "maxu": arith.MaxUIOp,
    "minimumf": arith.MinimumfOp,
    "mins": arith.MinSIOp,
    "minu": arith.MinUIOp,
    "mulf": arith.MulfOp,
    "muli": arith.MuliOp,
    "ori": arith.OrIOp,
    "xori": arith.XOrIOp,
}
"""The reductions of `affine.parallel` that have a neutral element, by upstream's names."""


def _replace(op: Operation, *new: Operation) -> None:
    """Replaces an op by others; the last one gives its results."""
    new[-1].location = op.location
    new[-1].attributes.update(op.attributes)
    Rewriter.replace_op(op, [*new])


# Accesses and values


def _lower_access(op: affine.LoadOp | affine.StoreOp) -> None:
    code = IndexCode.before(op)
    indices = [code.of(form) for form in of_exprs(over_dims(op.map.data), op.indices)]
    if isinstance(op, affine.LoadOp):
        _replace(op, memref.LoadOp.get(op.memref, indices))
    else:
        _replace(op, memref.StoreOp.get(op.value, op.memref, indices))


def _lower_max(op: MaxOp) -> None:
    code = IndexCode.before(op)
    forms = of_exprs(over_dims(op.map.data), op.operands)
    Rewriter.replace_op(op, [], [code.largest(map(code.of, forms))])


# Branches


def _lower_if(op: affine.IfOp) -> None:
    code = IndexCode.before(op)
    dims, symbols = op.condition.data.num_dims, op.condition.data.num_symbols
    truth: SSAValue | None = None
    for constraint in op.condition.data.constraints:
        (form,) = of_exprs(over_dims(AffineMap(dims, symbols, (constraint.lhs,))), op.args)
        test = code.emit(
            arith.CmpiOp(code.of(form), code.constant(0), _PREDICATES[constraint.kind])
        )
        truth = test if truth is None else code.emit(arith.AndIOp(truth, test))
    if truth is None:
        truth = code.emit(arith.ConstantOp.from_int_and_width(1, 1))
    regions = [op.detach_region(region) for region in (op.then_region, op.else_region)]
    for region in regions:
        if region.blocks:
            _yield_in_scf(region.block)
    _replace(op, scf.IfOp(truth, op.result_types, regions[0], regions[1]))


_PREDICATES = {
    AffineConstraintKind.ge: "sge",
    AffineConstraintKind.le: "sle",
    AffineConstraintKind.eq: "eq",
}


def _yield_in_scf(block: Block) -> None:
    last = block.last_op
    assert last is not None
    Rewriter.replace_op(last, scf.YieldOp(*last.operands))


# Loops


def _lower_for(op: affine.ForOp) -> None:
    lower = of_exprs(over_dims(op.lowerBoundMap.data), op.lowerBoundOperands)
    upper = of_exprs(over_dims(op.upperBoundMap.data), op.upperBoundOperands)
    step = op.step.value.data
    if op.inits:
        code = IndexCode.before(op)
        first = code.of(code.one_of(arith.MaxSIOp, lower))
        last = code.of(code.one_of(arith.MinSIOp, upper))
        _yield_in_scf(op.body.block)
        body = op.detach_region(op.body)
        _replace(op, scf.ForOp(first, last, code.constant(step), op.inits, body))
        return
    last_op = op.body.block.last_op
    if isinstance(last_op, affine.YieldOp):
        Rewriter.erase_op(last_op)
    body = op.detach_region(op.body)
    _replace(op, _counted(IndexCode.before(op), lower, upper, step, body, loop.LoopKind.SERIAL))


def _counted(
    code: IndexCode,
    lower: Sequence[Polynomial],
    upper: Sequence[Polynomial],
    step: int,
    body: Region,
    kind: loop.LoopKind,
) -> loop.ForOp:
    """A loop that counts by 1; its body's argument, which counts by `step`, is computed there."""
    if step != 1:
        first = code.one_of(arith.MaxSIOp, lower)
        lower = [Polynomial.constant(0)]
        upper = [(bound - first).ceildiv(step) for bound in upper]
        (old,) = body.block.args
        number = body.block.insert_arg(INDEX, 0)
        number.name_hint = old.name_hint
        inside = _at_start(body.block)
        old.replace_all_uses_with(inside.of(first + Polynomial.of(number).times(step)))
        body.block.erase_arg(old)
    return loop_between(lower, upper, body, kind)


def _at_start(block: Block) -> IndexCode:
    """Code at the start of a block."""
    first = block.first_op
    return IndexCode.before(first) if first is not None else IndexCode(block.add_op)


def _lower_affine_parallel(op: ParallelOp) -> None:
    code = IndexCode.before(op)
    lower, upper = (
        [of_exprs(exprs, side.operands) for exprs in side.of_axes] for side in op.bounds
    )
    steps = [step.value.data for step in op.steps]
    if op.results:
        ranges = [
            _Range(
                code.of(code.one_of(arith.MaxSIOp, first)),
                code.of(code.one_of(arith.MinSIOp, last)),
                code.constant(step),
            )
            for first, last, step in zip(lower, upper, steps, strict=True)
        ]
        kinds = [_fold_named(op, name.data) for name in op.reductions]
        types = [result.type for result in op.results]
        inits = [_start(op, kind, type, code) for kind, type in zip(kinds, types, strict=True)]

        def combine(accumulators: Sequence[SSAValue], last: Operation) -> list[SSAValue]:
            inside = IndexCode.before(last)
            pairs = zip(kinds, accumulators, last.operands, strict=True)
            return [inside.binary(kind, old, new) for kind, old, new in pairs]

        _fold(op, ranges, inits, combine)
        return
    last = op.body.block.last_op
    assert last is not None
    Rewriter.erase_op(last)
    inner: loop.ForOp | None = None
    for axis in reversed(range(len(steps))):
        body = _of_axis(op.body.block, axis, [inner] if inner is not None else None)
        kind = loop.LoopKind.SERIAL if axis else loop.LoopKind.PARALLEL
        inner = _counted(code, lower[axis], upper[axis], steps[axis], Region(body), kind)
    assert inner is not None
    _replace(op, inner)


def _of_axis(block: Block, axis: int, ops: Sequence[Operation] | None) -> Block:
    """The body of the loop of one axis of a parallel loop: these ops, or all that it does."""
    body = Block(arg_types=[INDEX])
    argument = block.args[axis]
    body.args[0].name_hint = argument.name_hint
    argument.replace_all_uses_with(body.args[0])
    if ops is None:
        ops = [*block.ops]
        for op in ops:
            op.detach()
    body.add_ops(ops)
    return body


def _fold_named(op: ParallelOp, name: str) -> type[Operation]:
    if name not in _FOLDS:
        raise PassError(f'affine.parallel reduces by "{name}"; there are {", ".join(_FOLDS)}', op)
    return _FOLDS[name]


def _start(op: ParallelOp, kind: type[Operation], type: Attribute, code: IndexCode) -> SSAValue:
    neutral = neutral_of(kind, type)
    if neutral is None:
        raise PassError(f"affine.parallel reduces values of type {type}", op)
    return code.emit(arith.ConstantOp(neutral))


class _Range(NamedTuple):
    """From the first value on, below the last one, by a step."""

    first: SSAValue
    last: SSAValue
    step: SSAValue


Combine = Callable[[Sequence[SSAValue], Operation], Sequence[SSAValue]]
"""What accumulators become, by code in front of the terminator of a body."""


def _fold(
    op: ParallelOp | scf.ParallelOp,
    ranges: Sequence[_Range],
    inits: Sequence[SSAValue],
    combine: Combine,
) -> None:
    """Replaces a parallel loop with results by serial ones, which keep its order of iterations."""
    types = [init.type for init in inits]
    outer: Block | None = None
    accumulators = inits
    loops: list[scf.ForOp] = []
    for axis, range_ in enumerate(ranges):
        body = Block(arg_types=[INDEX, *types])
        old = op.body.block.args[axis]
        body.args[0].name_hint = old.name_hint
        old.replace_all_uses_with(body.args[0])
        made = scf.ForOp(*range_, accumulators, Region(body))
        if outer is not None:
            outer.add_ops([made, scf.YieldOp(*made.results)])
        loops.append(made)
        outer, accumulators = body, body.args[1:]
    assert outer is not None
    for inner in [*op.body.block.ops]:
        inner.detach()
        outer.add_op(inner)
    last = outer.last_op
    assert last is not None
    new = combine(accumulators, last)
    Rewriter.replace_op(last, scf.YieldOp(*new))
    _replace(op, loops[0])


def _lower_scf_parallel(op: scf.ParallelOp) -> None:
    """Loops of several axes, steps or results; others stay as they are."""
    ranges = [_Range(*each) for each in zip(op.lowerBound, op.upperBound, op.step, strict=True)]
    if op.results:
        _fold(op, ranges, op.initVals, _combine_reduced)
    elif not counts_by_one(op):
        _split(op, ranges)


def counts_by_one(op: scf.ParallelOp) -> bool:
    """Whether a parallel loop is one that all passes know: of one axis, without results."""
    return not op.results and len(op.step) == 1 and constant_of(op.step[0]) == 1


def _combine_reduced(accumulators: Sequence[SSAValue], last: Operation) -> list[SSAValue]:
    assert isinstance(last, scf.ReduceOp)
    new: list[SSAValue] = []
    for old, value, region in zip(accumulators, last.args, last.reductions, strict=True):
        copies: dict[SSAValue, SSAValue] = {region.block.args[0]: old, region.block.args[1]: value}
        for inner in region.block.ops:
            if isinstance(inner, scf.ReduceReturnOp):
                new.append(copies.get(inner.result, inner.result))
                break
            Rewriter.insert_op(inner.clone(copies), InsertPoint.before(last))
    return new


def _split(op: scf.ParallelOp, ranges: Sequence[_Range]) -> None:
    """The first axis stays parallel and counts from 0 by 1; the others are loops in it."""
    last = op.body.block.last_op
    assert last is not None
    Rewriter.erase_op(last)
    inner: scf.ForOp | None = None
    for axis in reversed(range(1, len(ranges))):
        body = _of_axis(op.body.block, axis, [inner] if inner is not None else None)
        body.add_op(scf.YieldOp())
        inner = scf.ForOp(*ranges[axis], [], Region(body))
    body = _of_axis(op.body.block, 0, [inner] if inner is not None else None)
    code, (first, end, step) = IndexCode.before(op), ranges[0]
    count = code.binary(arith.CeilDivSIOp, code.binary(arith.SubiOp, end, first), step)
    number = body.args[0]
    inside = _at_start(body)
    place = inside.multiply(number, step)
    place = inside.add(place, first)
    number.replace_uses_with_if(place, lambda use: not _computes(place, use.operation))
    body.add_op(scf.ReduceOp())
    zero, one = code.constant(0), code.constant(1)
    _replace(op, scf.ParallelOp([zero], [count], [one], Region(body)))


def _computes(value: SSAValue, op: Operation) -> bool:
    """Whether `op` is one of the two that compute `value`."""
    owner = value.owner
    return op is owner or (isinstance(owner, Operation) and op is owner.operands[0].owner)


def normalize(op: Operation) -> None:
    """Rewrites an op that this pass knows; what is in it was rewritten before."""
    match op:
        case affine.LoadOp() | affine.StoreOp():
            _lower_access(op)
        case MaxOp():
            _lower_max(op)
        case affine.IfOp():
            _lower_if(op)
        case affine.ForOp():
            _lower_for(op)
        case ParallelOp():
            _lower_affine_parallel(op)
        case scf.ParallelOp():
            _lower_scf_parallel(op)
        case _:
            pass


@dataclass(frozen=True)
class NormalizeLoopsPass(ModulePass):
    """Write loops and branches of `affine` as those of `loop` and `scf`, and count by 1.

    `affine.for` becomes `loop.for`, or `scf.for` if it carries values. The outermost axis of
    `affine.parallel` and `scf.parallel` stays parallel; the others are serial loops in it. One
    that reduces becomes serial loops, in the order of its axes.

    Order: before every pass of loops.

    Example: `normalize-loops`
    ```mlir
    func.func @rows(%A: memref<?xf32>, %n: index, %x: f32) {
      affine.parallel (%i, %j) = (0, 0) to (%n, min(8, %n)) step (1, 2) {
        affine.store %x, %A[%i * 8 + %j] : memref<?xf32>
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @rows(%A: memref<?xf32>, %n: index, %x: f32) {
      loop.for %i = 0 to %n parallel {
        loop.for %j = 0 to min(4, (%n + 1) floordiv 2) {
          %even = affine.apply affine_map<(d0) -> (d0 * 2)> (%j)
          %p = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%i, %even)
          memref.store %x, %A[%p] : memref<?xf32>
        }
      }
      func.return
    }
    ```
    Refused: `normalize-loops`
    ```mlir
    func.func @last(%x: f32) {
      %s = affine.parallel (%i) = (0) to (10) reduce ("assign") -> (f32) {
        affine.yield %x : f32
      }
      func.return
    }
    ```
    with "affine.parallel reduces by "assign"; there are addf, addi, andi"
    """

    name = "normalize-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in reversed([*preorder(op)]):
            normalize(inner)
