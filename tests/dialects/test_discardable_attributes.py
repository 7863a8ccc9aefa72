"""Attributes that an op does not know stay with it in its custom syntax."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import arith as upstream
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.ir import Operation
from xdsl.parser import Parser

from teloom.dialects import get_all_dialects, te

NAME, VALUE = "test.x", IntegerAttr(1, i32)
FILES = [path for path in Path(__file__).parent.glob("*.mlir") if "-" not in path.stem]


def is_lost(op: Operation) -> bool:
    """Not printed are attributes of scalar comparisons, and ends of regions that are implied."""
    is_implied = isinstance(op, scf.YieldOp) and not op.operands
    is_implied |= isinstance(op, te.YieldOp) and isinstance(op.parent_op(), te.IntrinsicOp)
    return is_implied or isinstance(op, upstream.CmpiOp | upstream.CmpfOp)


def modules(ctx: Context, path: Path) -> Iterator[ModuleOp]:
    for text in re.split(r"(?m)^// -----$", path.read_text()):
        yield Parser(ctx, text).parse_module()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_they_are_printed_and_read(ctx: Context, path: Path):
    for module in modules(ctx, path):
        for op in module.walk():
            if not is_lost(op):
                op.attributes[NAME] = VALUE
        printed = str(module)
        again = Parser(ctx, printed).parse_module()
        for op, read in zip(module.walk(), again.walk(), strict=True):
            assert read.attributes.get(NAME) == op.attributes.get(NAME), op.name
        assert str(again) == printed


def test_each_op_is_tried(ctx: Context):
    tried: set[type[Operation]] = set()
    for path in FILES:
        for module in modules(ctx, path):
            tried |= {type(op) for op in module.walk()}
    ours = {
        op
        for load in get_all_dialects().values()
        for op in load().operations
        if op.__module__.startswith("teloom.")
    }
    assert {op.name for op in ours - tried} == set()
