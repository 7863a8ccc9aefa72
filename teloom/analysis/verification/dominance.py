"""Whether every value is defined before it is used, on every way to the use."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.faults import OpFault


def check_dominance(module: ModuleOp) -> None:
    """Raises `OpFault` for the first use of a value that its definition does not dominate.

    Linear in the size of the module, but for regions of many blocks, which take the depth of
    their dominator tree for each use.
    """
    order = {op: position for position, op in enumerate(preorder(module))}
    trees: dict[Region, dict[Block, Block]] = {}
    for op in order:
        for number, operand in enumerate(op.operands):
            if not _dominates(operand, op, order, trees):
                name = f"%{operand.name_hint}" if operand.name_hint else f"operand {number}"
                raise OpFault(f"{op.name} uses {name}, which is not defined there", op)


def _dominates(
    value: SSAValue,
    use: Operation,
    order: dict[Operation, int],
    trees: dict[Region, dict[Block, Block]],
) -> bool:
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    if block is use.parent:  # nearly always
        return isinstance(owner, Block) or order[owner] < order[use]
    region = block.parent if block is not None else None
    inside: Operation | None = use
    while inside is not None and inside.parent_region() is not region:
        inside = inside.parent_op()
    if inside is None or region is None:
        return False
    if inside.parent is block:
        return isinstance(owner, Block) or order[owner] < order[inside]
    if region not in trees:
        trees[region] = immediate_dominators(region)
    tree, above = trees[region], inside.parent
    assert above is not None
    if above is not region.blocks[0] and above not in tree:
        return True  # no way leads there
    while above is not block and above in tree:
        above = tree[above]
    return above is block


def immediate_dominators(region: Region) -> dict[Block, Block]:
    """The block through which each way to a block goes last, of all that the entry reaches.

    Source: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
    """
    entry = region.blocks[0]
    blocks = _reverse_postorder(entry)
    number = {block: position for position, block in enumerate(blocks)}
    before: dict[Block, list[Block]] = {block: [] for block in blocks}
    for block in blocks:
        for successor in _successors(block):
            before[successor].append(block)
    found = {entry: entry}
    changed = True
    while changed:
        changed = False
        for block in blocks[1:]:
            known = [one for one in before[block] if one in found]
            meet = known[0]
            for one in known[1:]:
                while meet is not one:
                    if number[meet] > number[one]:
                        meet = found[meet]
                    else:
                        one = found[one]
            changed |= found.get(block) is not meet
            found[block] = meet
    del found[entry]
    return found


def _successors(block: Block) -> list[Block]:
    return list(block.last_op.successors) if block.last_op is not None else []


def _reverse_postorder(entry: Block) -> list[Block]:
    """The blocks that are reached from `entry`, each before those that it alone leads to."""
    done: list[Block] = []
    seen = {entry}
    pending = [(entry, iter(_successors(entry)))]
    while pending:
        block, successors = pending[-1]
        following = next((one for one in successors if one not in seen), None)
        if following is None:
            done.append(block)
            pending.pop()
        else:
            seen.add(following)
            pending.append((following, iter(_successors(following))))
    return done[::-1]
