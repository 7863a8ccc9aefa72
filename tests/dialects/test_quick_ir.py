"""What is quick does what xDSL does."""

from contextlib import contextmanager

import pytest
from xdsl.builder import Builder, ImplicitBuilder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Block, Operation, Region
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    region_def,
    result_def,
    var_operand_def,
)
from xdsl.rewriter import InsertPoint

import teloom
from teloom import te
from teloom.dialects import quick_ir
from teloom.dialects.bodies.preorder import preorder
from teloom.passes.pipelines import LEVELS


@contextmanager
def as_xdsl_does():
    ours = {place: vars(place[0])[place[1]] for place in quick_ir.XDSL}

    def put(methods):
        for (kind, name), method in methods.items():
            if method is None:
                delattr(kind, name)
            else:
                setattr(kind, name, method)

    put(quick_ir.XDSL)
    try:
        yield
    finally:
        put(ours)


def _module(level: str, scheduled: bool = True) -> ModuleOp:
    A = te.placeholder((20,), "float32", name="A")
    B = te.compute((19,), lambda i: te.if_then_else(i > 3, A[i] + A[i + 1], te.exp(A[i])), name="B")
    s = te.create_schedule(B)
    if scheduled:
        outer, inner = s[B].split(B.op.axis[0], 8)
        s[B].vectorize(inner)
        s[B].parallel(outer)
    return teloom.lower(s, [A, B], level=level)


def _parts(op: Operation) -> list[object]:
    uses = [use for operand in op.operands for use in operand.uses if use.operation is op]
    return [
        [*op.operands],
        sorted(use.index for use in uses),
        [(result.type, result.index, result.op is op) for result in op.results],
        [*op.properties.items()],
        [*op.attributes.items()],
        op.location,
        [*op.successors],
        [region.parent is op for region in op.regions],
        [op.parent, op.prev_op, op.next_op],
    ]


def test_the_test_sees_xdsl_itself():
    ours = Operation.create
    with as_xdsl_does():
        assert Operation.create.__module__ == Operation.__module__
        assert Operation.create != ours
    assert Operation.create == ours


@pytest.mark.parametrize("scheduled", [False, True])
@pytest.mark.parametrize("level", LEVELS)
def test_a_program_is_lowered_to_the_same(level: str, scheduled: bool):
    with as_xdsl_does():
        theirs = str(_module(level, scheduled))
    assert str(_module(level, scheduled)) == theirs


@pytest.mark.parametrize("level", LEVELS)
def test_an_op_is_made_as_by_xdsl(level: str):
    for op in preorder(_module(level)):

        def made(op=op) -> Operation:
            return type(op).create(
                operands=[*op.operands],
                result_types=op.result_types,
                properties=op.properties,
                attributes=op.attributes,
                location=op.location,
                successors=[*op.successors],
                regions=[Region() for _ in op.regions],
            )

        ours = made()
        with as_xdsl_does():
            theirs = made()
        assert type(ours) is type(theirs)
        assert _parts(ours) == _parts(theirs)
        ours.drop_all_references()
        theirs.drop_all_references()


def test_a_value_takes_the_place_of_another():
    (number,) = AnyOp(result_types=[i32]).results
    number.name_hint = "name"

    def users() -> list[object]:
        found = [AnyOp(operands=[number] * count) for count in (1, 2, 0, 3)]
        (other,) = AnyOp(result_types=[i32]).results
        number.replace_all_uses_with(other)
        assert not number.uses
        assert all(use.operation.operands[use.index] is other for use in other.uses)
        return [other.name_hint, [found.index(use.operation) for use in other.uses]]

    ours = users()
    with as_xdsl_does():
        assert ours == users()
    number.replace_all_uses_with(number)


def test_defaults_are_filled_in():
    number = arith.ConstantOp(IntegerAttr(1, i32)).result
    made = arith.AddiOp.create(operands=(number, number), result_types=(i32,))
    assert made.properties == arith.AddiOp(number, number).properties
    assert made.is_structurally_equivalent(arith.AddiOp(number, number))


def test_a_region_has_one_op_and_an_op_one_block():
    region = Region(Block())
    op = AnyOp.create(regions=[region])
    with pytest.raises(ValueError, match="already attached"):
        AnyOp.create(regions=[region])
    with pytest.raises(ValueError, match="contained in the operation"):
        region.block.add_op(op)
    region.block.add_op(inner := AnyOp())
    with pytest.raises(ValueError, match="already attached"):
        Builder(InsertPoint.at_end(Block())).insert(inner)


def test_an_implicit_builder_takes_ops():
    block = Block()
    with ImplicitBuilder(block):
        one, other = AnyOp.create(), AnyOp()
    AnyOp.create()
    assert [*block.ops] == [one, other]


@irdl_op_definition
class _Own(IRDLOperation):
    name = "test.own"

    def __post_init__(self):
        super().__post_init__()
        self.attributes["mark"] = IntegerAttr(1, i32)


def test_a_class_may_complete_its_ops():
    assert _Own.create().attributes.keys() == {"mark"}


@irdl_op_definition
class _Parts(IRDLOperation):
    name = "test.parts"
    first = operand_def()
    more = var_operand_def()
    last = operand_def()
    result = result_def()
    other = result_def()
    body = region_def()
    rest = region_def()


@irdl_op_definition
class _Segments(IRDLOperation):
    name = "test.segments"
    irdl_options = (AttrSizedOperandSegments(),)
    first = operand_def()
    more = var_operand_def()
    perhaps = opt_operand_def()


@pytest.mark.parametrize("count", [0, 1, 3])
def test_fields_are_the_parts_that_xdsl_gives(count: int):
    values = AnyOp(result_types=[i32] * (count + 2)).results
    regions = [Region(Block()), Region(Block())]
    op = _Parts.create(operands=values, result_types=[i32, i32], regions=regions)
    sized = [_Segments(operands=[values[0], values[2:], one]) for one in (None, values[1])]

    def parts() -> list[object]:
        said = [[one.first, [*one.more], one.perhaps] for one in sized]
        return [op.first, [*op.more], op.last, op.result, op.other, op.body, op.rest, said]

    ours = parts()
    with as_xdsl_does():
        assert ours == parts()
