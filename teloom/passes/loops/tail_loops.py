"""Makes loops that end early as long as the others: masked, rounded up, or shifted inwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import islpy as isl
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.loops.longer_loops import Longer, harm_of, reads_nothing
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.tails import Tail
from teloom.errors import ScheduleError
from teloom.passes.code.code_motion import only_computes
from teloom.passes.code.index_code import IndexCode
from teloom.passes.lanes.lanes import may_trap
from teloom.passes.loops.loop_parts import LeftOver
from teloom.passes.loops.loop_tests import set_bounds
from teloom.passes.loops.shifted_tails import shift_of
from teloom.passes.loops.tiles import Tile, name_of, tile_of

_ACCESSES = (loop.AccessOp, loop.ReduceOp)
_OTHERS = (loop.ForOp, loop.IfOp, loop.YieldOp, loop.RealizeOp, scf.IfOp, scf.YieldOp)


@dataclass
class Mask:
    """A tile that becomes as long as the others, and the accesses that its extra lanes skip.

    `longer` are its extra iterations, around each of its accesses.
    """

    tile: Tile
    longer: dict[Operation, Longer]
    skipped: list[Operation] = field(default_factory=list)

    def write(self) -> None:
        op, tile = self.tile.op, self.tile
        values = [*op.operands_]
        if self.skipped:
            holds = _condition(tile, values)
            for access in self.skipped:
                _skip(access, holds)
        set_bounds(op, [tile.lower], [tile.upper], values)

    def kept(self) -> Iterator[tuple[Operation, Longer]]:
        """The accesses that its extra lanes do not skip."""
        return (one for one in self.longer.items() if one[0] not in self.skipped)


def has_unit_strides(mask: Mask) -> bool:
    """Whether the lanes of what is skipped are neighbours in memory, as masks of vectors want."""
    counter, forms = mask.tile.op.induction_variable, AffineIndexForms()
    for access in mask.skipped:
        assert isinstance(access, loop.AccessOp | loop.ReduceOp)
        *others, last = [Polynomial({}), *forms.of_exprs(access.subscripts, access.operands_)]
        if any(one.uses(counter) for one in others) or last.terms.get((counter,)) != 1:
            return False
    return True


def _condition(tile: Tile, values: Sequence[SSAValue]) -> SSAValue:
    """Whether the iteration is none of the extra ones, at the start of the body."""
    start = InsertPoint.at_start(tile.op.body.block)
    code = IndexCode(lambda new: Rewriter.insert_op(new, start))
    counter = tile.op.induction_variable
    found = [code.emit(arith.CmpiOp(counter, code.expr(end, values), "slt")) for end in tile.ends]
    return code.joined(arith.AndIOp, found)


def _skip(access: Operation, holds: SSAValue) -> None:
    """Puts an access into a branch; what it reads is zero elsewhere."""
    types = [result.type for result in access.results]
    then, otherwise = Block(), Region()
    if types:
        zeros = [_zero(type) for type in types]
        otherwise = Region(Block([*zeros, scf.YieldOp(*zeros)]))
    branch = scf.IfOp(holds, types, Region(then), otherwise)
    branch.location = access.location
    Rewriter.insert_op(branch, InsertPoint.before(access))
    for old, new in zip(access.results, branch.results, strict=True):
        old.replace_all_uses_with(new)
    access.detach()
    then.add_ops([access, scf.YieldOp(*access.results)])


def _zero(type: Attribute) -> Operation:
    if isinstance(type, IntegerType | IndexType):
        return arith.ConstantOp(IntegerAttr(0, type))
    return arith.ConstantOp(FloatAttr(0.0, type))  # pyright: ignore


def finish_tails(body: Block, left_over: Sequence[LeftOver]) -> None:
    """Makes the tiles of a function that end early what the schedule says.

    Where it says nothing, vectorized ones in the parts that are left over are masked, if lanes
    in a row are. Raises ScheduleError for what would do harm, with an element of it.
    """
    tiles = [tile for op in preorder(body) if isinstance(op, loop.ForOp) and (tile := tile_of(op))]
    # All are decided before one is changed: what extra lanes read of each other is of no use.
    shifts = [
        shift_of(tile, left_over) for tile in tiles if loop.tail_of(tile.op) is Tail.SHIFT_INWARDS
    ]
    context = isl.Context()
    lengthened = [tile for tile in tiles if _may_be_longer(tile, left_over)]
    masks = _skipping_what_is_not_there(
        [mask for tile in lengthened if (mask := _mask_of(tile, lengthened, context)) is not None],
        context,
    )
    for change in [*shifts, *masks]:
        change.write()


def _may_be_longer(tile: Tile, left_over: Sequence[LeftOver]) -> bool:
    tail, op = loop.tail_of(tile.op), tile.op
    if tail is Tail.AUTO and op.kind.data is LoopKind.VECTORIZED:
        return any(part.body.find_ancestor_op_in_block(op) for part in left_over)
    return tail in (Tail.PREDICATE, Tail.ROUND_UP)


def _mask_of(tile: Tile, tiles: Sequence[Tile], context: isl.Context) -> Mask | None:
    """A tile with masks where its extra lanes would do harm; None if it has none on its own."""
    mask, tail = Mask(tile, {}), loop.tail_of(tile.op)
    for inner in preorder(tile.op.body.block):
        if isinstance(inner, _ACCESSES):
            others = [one for one in tiles if one is not tile and one.op.is_ancestor(inner)]
            longer = mask.longer[inner] = tile.longer(others)
            harm = harm_of(inner, longer, context)
            if harm is not None and tail is Tail.ROUND_UP:
                raise _not_rounded_up(tile, harm.text, inner)
            if harm is not None:
                mask.skipped.append(inner)
        elif may_trap(inner) or not (isinstance(inner, _OTHERS) or only_computes(inner)):
            if tail is Tail.AUTO:
                return None
            raise ScheduleError(
                f"cannot mask axis {name_of(tile)}: its loop holds code that must not run for "
                'elements that do not exist; use tail "guard" or "cut"',
                tile.op,
            )
    return mask if tail is not Tail.AUTO or has_unit_strides(mask) else None


def _skipping_what_is_not_there(masks: Sequence[Mask], context: isl.Context) -> list[Mask]:
    """The masks, which skip as well what reads elements that nobody has written.

    What is skipped writes less: so it is a fixed point.
    """
    found, changed = [*masks], True
    while changed:
        changed = False
        kept = [one for mask in found for one in mask.kept()]
        for mask in [*found]:
            for access, longer in [*mask.kept()]:
                others = (one for one in kept if one[0] is not access)
                if not reads_nothing(access, longer, others, context):
                    continue
                changed = True
                mask.skipped.append(access)
                if loop.tail_of(mask.tile.op) is Tail.ROUND_UP:
                    raise _not_rounded_up(mask.tile, "it reads what is not computed", access)
            if loop.tail_of(mask.tile.op) is Tail.AUTO and not has_unit_strides(mask):
                found.remove(mask)
    return found


def _not_rounded_up(tile: Tile, why: str, access: Operation) -> ScheduleError:
    return ScheduleError(
        f'cannot round up axis {name_of(tile)}: {why}; use tail "predicate", "guard" or "cut"',
        access,
    )
