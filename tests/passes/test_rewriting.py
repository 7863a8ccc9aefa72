"""Patterns that are found by the class of the op, and walks that look for some classes."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from teloom.dialects.bodies.preorder import ops_in, ops_of
from teloom.passes.code.rewriting import of_kind, rewrite


def module_of(*numbers: int) -> ModuleOp:
    return ModuleOp([arith.ConstantOp.from_int_and_width(number, i32) for number in numbers])


def numbers_in(module: ModuleOp) -> list[int]:
    return [op.value.value.data for op in ops_in(module, arith.ConstantOp)]  # pyright: ignore


class EraseNext(RewritePattern):
    """Erases the op behind a constant that is even."""

    @of_kind
    def match_and_rewrite(self, op: arith.ConstantOp, rewriter: PatternRewriter) -> None:
        if not op.value.value.data % 2 and op.next_op is not None:  # pyright: ignore
            rewriter.erase(op.next_op)


class Negate(RewritePattern):
    """Puts another constant in the place of each."""

    @of_kind
    def match_and_rewrite(
        self, op: arith.ConstantOp | arith.AddiOp, rewriter: PatternRewriter
    ) -> None:
        assert isinstance(op, arith.ConstantOp)
        number = -op.value.value.data  # pyright: ignore
        rewriter.replace(op, arith.ConstantOp.from_int_and_width(number, i32))


class SeeAll(RewritePattern):
    """Notes the ops that it gets, and leaves them."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        self.seen.append(op.name)


def test_what_is_erased_is_not_visited_and_what_is_new_not_rewritten():
    module = module_of(2, 4, 5)
    assert rewrite(module, [EraseNext(), Negate()])
    assert numbers_in(module) == [2, -5]


def test_the_first_pattern_that_changes_an_op_is_the_last():
    module = module_of(1, 3)
    seeing = SeeAll()
    assert rewrite(module, [EraseNext(), Negate(), seeing])
    assert numbers_in(module) == [-1, -3]
    assert not seeing.seen
    assert not rewrite(module, [EraseNext(), seeing])
    assert seeing.seen == ["arith.constant"] * 2


def test_a_pattern_gets_no_other_op():
    outer = ModuleOp([ModuleOp([])])
    assert not rewrite(outer, [Negate()])
    seeing = SeeAll()
    rewrite(outer, [seeing], regions_first=True)
    assert seeing.seen == ["builtin.module"]


def test_ops_are_found_by_their_classes_and_those_above():
    inner = module_of(1)
    outer = ModuleOp([inner, arith.ConstantOp.from_int_and_width(2, i32)])
    assert ops_in(outer, ModuleOp) == [outer, inner]
    assert numbers_in(outer) == [1, 2]
    assert len(ops_in(outer, Operation)) == 4
    assert not ops_in(outer, arith.AddiOp)
    assert ops_of(outer.body.block, arith.ConstantOp, ModuleOp) == [*outer.body.block.ops]
    assert ops_of(outer.body.block, ModuleOp) == [inner]
