"""Definitions of several results: which of these need each other, and those of some alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.dialects import cf, func, scf
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from teloom.dialects import schedule, te
from teloom.dialects.bodies.around import ops_between
from teloom.dialects.bodies.equation import yielded
from teloom.dialects.bodies.extern import outputs_in
from teloom.dialects.bodies.postorder import postorder
from teloom.dialects.bodies.preorder import ops_in, preorder

Sliceable = schedule.EquationOp | schedule.UpdateOp

_EFFECTS = (te.WriteOp, func.CallOp, cf.AssertOp)


def needed_results(definition: Sliceable, count: int) -> list[set[int]]:
    """For each of so many results, the numbers of the others that its fold or its points read."""
    if isinstance(definition, schedule.UpdateOp):
        seen = [outputs_in(region.block) for region in definition.update_regions()]
        ends = yielded(definition.until) if definition.has_until else ()
        roots = [[*_written(definition, number), *ends] for number in range(count)]
    elif definition.is_reduction:
        arguments = definition.combine.block.args
        seen = [arguments[:count], arguments[count : 2 * count]]
        roots = [[value] for value in yielded(definition.combine)]
    else:
        return [set() for _ in range(count)]
    numbers: dict[SSAValue, int] = {
        value: number for values in seen for number, value in enumerate(values)
    }
    read = [{numbers[one] for one in postorder(of, _made_of) if one in numbers} for of in roots]
    return [of - {number} for number, of in enumerate(read)]


def _written(update: schedule.UpdateOp, number: int) -> Iterator[SSAValue]:
    """The values that the writes to a state use: values, subscripts, and conditions around."""
    for write in _writes_to(update, [number]):
        yield from write.operands
        for around in ops_between(write, update):
            yield from around.operands


def _writes_to(update: schedule.UpdateOp, numbers: Iterable[int]) -> list[te.WriteOp]:
    states = outputs_in(update.body.block)
    tensors = [states[number] for number in numbers]
    writes = ops_in(update.body, te.WriteOp)
    return [write for write in writes if write.tensor in tensors]


def _made_of(value: SSAValue) -> Sequence[SSAValue]:
    """The values from which the op of a value computes it; none for an argument."""
    op = value.owner
    if isinstance(op, Block):
        return ()
    if isinstance(op, scf.IfOp):
        number = op.results.index(value)
        return [op.cond, *(yielded(branch)[number] for branch in op.regions)]
    return [operand for inner in preorder(op) for operand in inner.operands]


def with_results(definition: Sliceable, kept: Sequence[int], count: int) -> Sliceable:
    """A detached copy that says some of the results alone, which need none of the others."""
    copy = definition.clone()
    gone = [number for number in range(count) if number not in kept]
    if isinstance(copy, schedule.UpdateOp):
        for write in _writes_to(copy, gone):
            Rewriter.erase_op(write)
        for region in copy.update_regions():
            _drop_unneeded(region)
            _erase_arguments(region.block, [outputs_in(region.block)[number] for number in gone])
        _keep_yielded(copy.init, kept)
        return copy
    _keep_yielded(copy.body, [*kept, *range(count, len(yielded(copy.body)))])
    if copy.is_reduction:
        if copy.identity is not None:
            copy.identity = ArrayAttr([copy.starts[number] for number in kept])
        _keep_yielded(copy.combine, kept)
        pairs = [copy.combine.block.args[at] for n in gone for at in (n, count + n)]
        _erase_arguments(copy.combine.block, pairs)
    if copy.has_init:
        _keep_yielded(copy.init, kept)
    return copy


def _erase_arguments(block: Block, arguments: Sequence[BlockArgument]) -> None:
    for argument in arguments:
        block.erase_arg(argument)


def _keep_yielded(region: Region, kept: Sequence[int]) -> None:
    values, last = yielded(region), region.block.last_op
    assert last is not None
    last.operands = [values[number] for number in kept]
    _drop_unneeded(region)


def _drop_unneeded(region: Region) -> None:
    """Erases what neither yields nor writes need, and no call of code that hears of values."""
    pending = [*region.block.ops]
    while pending:  # users before what they use, and an op before those inside of it
        op = pending.pop()
        if not _is_needed(op):
            Rewriter.erase_op(op)
            continue
        if isinstance(op, scf.IfOp):
            op = _with_used_results(op)
        pending += [inner for one in op.regions for block in one.blocks for inner in block.ops]


def _is_needed(op: Operation) -> bool:
    if op.has_trait(IsTerminator) or any(one.first_use for one in op.results):
        return True
    return any(isinstance(inner, _EFFECTS) for inner in preorder(op))


def _with_used_results(op: scf.IfOp) -> scf.IfOp:
    """A choice between the values that are used."""
    used = [number for number, result in enumerate(op.results) if result.first_use]
    if len(used) == len(op.results):
        return op
    then, otherwise = Region(), Region()
    for branch, moved in zip(op.regions, (then, otherwise), strict=True):
        last, values = branch.block.last_op, yielded(branch)
        assert last is not None
        last.operands = [values[number] for number in used]
        branch.move_blocks(moved)
    new = scf.IfOp(op.cond, [op.results[number].type for number in used], then, otherwise)
    Rewriter.insert_op(new, InsertPoint.before(op))
    for number, result in zip(used, new.results, strict=True):
        result.name_hint = op.results[number].name_hint
        op.results[number].replace_all_uses_with(result)
    Rewriter.erase_op(op)
    return new
