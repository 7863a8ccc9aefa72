"""Nothing observable disappears, though xDSL erases each unused operation it believes harmless.

What is observable is stated here, apart from what the operations declare: an operation of ours
acts, unless it is listed as made only for its values or only holds others. The samples are the
examples of all our operations and the files in tests/dialects.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_docstrings import BLOCK, apply, documentation, our_operations, parse
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Dialect, Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, traits_def
from xdsl.traits import IsTerminator, Pure, SymbolOpInterface
from xdsl.transforms.dead_code_elimination import would_be_trivially_dead

ROOT = Path(__file__).parent.parent

ONLY_VALUES = {
    "te.compute": "an equation defines its tensors",
    "te.read": "te has no memory: an element of a tensor, or of a state at a point, never changes",
    "te.update": "its points define its tensors",
    "te.buffer": "a view of a tensor's memory",
    "loop.buffer": "a view of storage",
    "loop.dot": "arithmetic on vectors",
    "loop.realize": "storage that nothing reads or writes is not missed",
    "loop.bind": "a view of storage",
    "loop.load": "reading changes nothing",
    "shadow.region": "elements that nothing accesses are not missed",
    "shadow.stored": "says what a store means that is there",
    "affine.max": "arithmetic on indices",
    "llvm.extractelement": "arithmetic on a vector",
    "llvm.fcmp": "arithmetic",
    "llvm.fptosi": "arithmetic",
    "llvm.fptoui": "arithmetic",
    "llvm.freeze": "arithmetic",
    "llvm.getelementptr": "arithmetic on addresses",
    "llvm.intr.masked.gather": "reading changes nothing",
    "llvm.intr.masked.load": "reading changes nothing",
    "llvm.mlir.poison": "a constant",
    "llvm.select": "arithmetic",
    "llvm.uitofp": "arithmetic",
    "amx.tile_load": "reading changes nothing",
    "amx.tile_mulf": "arithmetic on tiles",
    "amx.tile_muli": "arithmetic on tiles",
    "amx.tile_zero": "a constant",
    "vector.gather": "reading changes nothing",
}
"""Our operations that may go when nothing wants their results, each with its reason."""


def observable(module: ModuleOp) -> set[Operation]:
    """The operations that act, those they need, and those they stand in."""
    found: set[Operation] = set()

    def mark(op: Operation | None):
        if op is None or op in found:
            return
        found.add(op)
        mark(op.parent_op())
        for operand in op.operands:
            if isinstance(operand.owner, Operation):
                mark(operand.owner)
        for region in op.regions:
            for block in region.blocks:
                if block.last_op is not None and block.last_op.has_trait(IsTerminator):
                    mark(block.last_op)

    for op in module.walk():
        if acts(op):
            mark(op)
    return found


def acts(op: Operation) -> bool:
    if op.has_trait(SymbolOpInterface):
        return True
    if op.regions or op.has_trait(IsTerminator):
        return False  # as much as what stands in it, or what it ends
    if type(op).__module__.startswith("xdsl."):
        return not would_be_trivially_dead(op)
    return op.name not in ONLY_VALUES and op.dialect_name() != "arith"  # which only computes


def lost(module: ModuleOp, ctx: Context) -> Counter[str]:
    """Our operations of which fewer are left than are observable, by how many."""
    needed = Counter(
        op.name for op in observable(module) if not type(op).__module__.startswith("xdsl.")
    )
    apply("canonicalize,dce", module, ctx)
    return needed - Counter(op.name for op in module.walk())


def samples() -> Iterator[tuple[str, str]]:
    for op in our_operations():
        for block in re.findall(BLOCK, documentation(op), re.DOTALL):
            yield op.name, block
    for file in sorted((ROOT / "tests" / "dialects").glob("*.mlir")):
        if not file.stem.endswith("-invalid"):
            for part in re.split(r"(?m)^// -----$", file.read_text()):
                yield file.name, part


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in samples()])
def test_nothing_observable_is_lost(text: str, ctx: Context):
    assert not lost(parse(text, ctx), ctx)


def test_list_is_about_our_operations():
    assert ONLY_VALUES.keys() <= {op.name for op in our_operations()}


@irdl_op_definition
class WrongStoreOp(IRDLOperation):
    """Claims to have no effect."""

    name = "wrong.store"
    assembly_format = "attr-dict"
    traits = traits_def(Pure())


def test_a_wrong_declaration_is_found(ctx: Context):
    ctx.load_dialect(Dialect("wrong", [WrongStoreOp]))
    module = parse("func.func @f() {\n  wrong.store\n  wrong.store\n  func.return\n}", ctx)
    assert lost(module, ctx) == {"wrong.store": 2}


def test_what_an_action_needs_is_observable(ctx: Context):
    module = parse(
        """
        func.func @f(%a: f32, %data: memref<8xf32>) {
          %A = loop.bind %data [0 : 8] : memref<8xf32>
          loop.for %i = 0 to 8 {
            %unused = loop.load %A[%i] : f32
            loop.store %a, %A[%i] : f32
          }
          func.return
        }
        """,
        ctx,
    )
    names = {op.name for op in observable(module)}
    assert names >= {"loop.bind", "loop.for", "loop.store", "func.return"}
    assert "loop.load" not in names
