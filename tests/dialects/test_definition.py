"""Ops are made, and asked for their parts, as xDSL does it."""

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Block, Operation, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    region_def,
    result_def,
    var_operand_def,
)

import teloom
from teloom import te
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.definition import create_op, op_definition
from teloom.dialects.loop import ForOp
from teloom.passes.pipelines import LEVELS


def _module(level: str):
    A = te.placeholder((20,), "float32", name="A")
    B = te.compute((19,), lambda i: te.if_then_else(i > 3, A[i] + A[i + 1], te.exp(A[i])), name="B")
    s = te.create_schedule(B)
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


@pytest.mark.parametrize("level", LEVELS)
def test_an_op_is_what_xdsl_makes(level: str):
    for op in preorder(_module(level)):

        def made(create, op=op) -> Operation:
            return create(
                type(op),
                operands=[*op.operands],
                result_types=op.result_types,
                properties=op.properties,
                attributes=op.attributes,
                location=op.location,
                successors=[*op.successors],
                regions=[Region() for _ in op.regions],
            )

        ours, theirs = made(create_op), made(Operation.create.__func__)
        assert type(ours) is type(theirs)
        assert _parts(ours) == _parts(theirs)
        ours.drop_all_references()
        theirs.drop_all_references()


def test_defaults_are_filled_in():
    number = arith.ConstantOp(IntegerAttr(1, i32)).result
    made = create_op(arith.AddiOp, operands=(number, number), result_types=(i32,))
    assert made.properties == arith.AddiOp(number, number).properties
    assert made.is_structurally_equivalent(arith.AddiOp(number, number))


def test_a_region_has_one_op():
    region = Region(Block())
    create_op(AnyOp, regions=[region])
    with pytest.raises(ValueError, match="already attached"):
        create_op(AnyOp, regions=[region])


class _Own(IRDLOperation):
    name = "test.own"

    def __post_init__(self):
        super().__post_init__()
        self.attributes["mark"] = IntegerAttr(1, i32)


def test_a_class_may_complete_its_ops():
    own = op_definition(_Own)
    assert own.create().attributes.keys() == create_op(own).attributes.keys() == {"mark"}


class _Parts(IRDLOperation):
    name = "test.parts"
    first = operand_def()
    more = var_operand_def()
    last = operand_def()
    result = result_def()
    other = result_def()
    body = region_def()
    rest = region_def()


@pytest.mark.parametrize("count", [0, 1, 3])
def test_fields_are_the_parts_that_xdsl_gives(count: int):
    theirs = irdl_op_definition(type("Theirs", (_Parts,), {**vars(_Parts)}))
    ours = op_definition(type("Ours", (_Parts,), {**vars(_Parts)}))
    values = AnyOp(result_types=[i32] * (count + 2)).results
    parts = [
        kind.create(
            operands=values, result_types=[i32, i32], regions=[Region(Block()), Region(Block())]
        )
        for kind in (theirs, ours)
    ]
    for name in ("first", "last"):
        one, other = (getattr(op, name) for op in parts)
        assert one is other
    assert [*parts[0].more] == [*parts[1].more]
    assert parts[1].other is parts[1].results[1]
    assert parts[1].rest is parts[1].regions[1]


def test_all_operands_are_one_field():
    loop = next(op for op in preorder(_module("loop")) if isinstance(op, ForOp))
    assert [*loop.operands_] == [*loop.operands]
