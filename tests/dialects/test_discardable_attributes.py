"""Attributes that an op does not know stay with it in its custom syntax."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import affine, scf
from xdsl.dialects import arith as upstream
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation

from teloom.dialects import get_all_dialects, te
from teloom.dialects.syntax.upstream_text import UpstreamParser

NAME, VALUE = "test.x", IntegerAttr(1, i32)
FILES = [path for path in Path(__file__).parent.glob("*.mlir") if "-" not in path.stem]


UPSTREAM = (
    *(upstream.CmpiOp, upstream.CmpfOp),
    *(affine.ApplyOp, affine.LoadOp, affine.StoreOp),
    *(linalg.ReduceOp, scf.ReduceOp),
)
"""Ops whose attributes xDSL does not print, or does not read."""


def is_lost(op: Operation) -> bool:
    """Not printed are attributes of `UPSTREAM`, and of what is implied: bodies, ends of regions."""
    around = op.parent_op()
    is_implied = isinstance(op, scf.YieldOp | affine.YieldOp) and not op.operands
    is_implied |= isinstance(op, te.YieldOp) and isinstance(around, te.IntrinsicOp)
    is_implied |= isinstance(around, linalg.NamedOperation | linalg.ReduceOp)
    return is_implied or isinstance(op, UPSTREAM)


def modules(ctx: Context, path: Path) -> Iterator[ModuleOp]:
    for text in re.split(r"(?m)^// -----$", path.read_text()):
        yield UpstreamParser(ctx, text).parse_module()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_they_are_printed_and_read(ctx: Context, path: Path):
    for module in modules(ctx, path):
        for op in module.walk():
            if not is_lost(op):
                op.attributes[NAME] = VALUE
        printed = str(module)
        again = UpstreamParser(ctx, printed).parse_module()
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
