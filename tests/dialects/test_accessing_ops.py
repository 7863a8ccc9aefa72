"""An op of another dialect that says what it accesses takes part wherever accesses matter."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import Float32Type, IndexType, MemRefType, ModuleOp
from xdsl.ir import Dialect
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def
from xdsl.parser import Parser

from teloom.analysis.accesses.dependence import Dependences
from teloom.analysis.accesses.references import Direction, reference_of
from teloom.dialects import loop
from teloom.dialects.interfaces import Access, AccessingOp, identity
from teloom.dialects.upstream.accesses import accesses_of, accesses_to
from teloom.driver.runner import verify
from teloom.errors import PassError, ScheduleError
from teloom.passes.checks.check_accesses import CheckAccessesPass
from teloom.passes.copies.double_buffer import DoubleBufferPass
from teloom.passes.lanes.vectorize_loops import VectorizeLoopsPass
from teloom.passes.memory.buffer_reuse import BufferReusePass
from teloom.passes.storage.linearize_memrefs import LinearizeMemrefsPass


@irdl_op_definition
class SwapOp(IRDLOperation, AccessingOp):
    """Writes an element, and gives what was there."""

    name = "other.swap"

    value = operand_def(Float32Type())
    buffer = operand_def(MemRefType)
    index = operand_def(IndexType())
    old = result_def(Float32Type())

    assembly_format = "$value `,` $buffer `[` $index `]` attr-dict `:` type($buffer)"

    def accesses(self) -> Sequence[Access]:
        return (Access(self, 1, identity(1), reads=True, writes=True),)


@irdl_op_definition
class SpreadOp(IRDLOperation, AccessingOp):
    """Copies an element of one buffer to one of another."""

    name = "other.spread"

    source = operand_def(MemRefType)
    at = operand_def(IndexType())
    target = operand_def(MemRefType)
    to = operand_def(IndexType())

    assembly_format = (
        "$source `[` $at `]` `,` $target `[` $to `]` attr-dict `:` type($source) `,` type($target)"
    )

    def accesses(self) -> Sequence[Access]:
        return (
            Access(self, 0, identity(1), reads=True),
            Access(self, 2, identity(1), writes=True),
        )


@irdl_op_definition
class SecretOp(IRDLOperation):
    """Says nothing."""

    name = "other.secret"

    buffer = operand_def(MemRefType)

    assembly_format = "$buffer attr-dict `:` type($buffer)"


@pytest.fixture
def read(ctx: Context):
    ctx.load_dialect(Dialect("other", [SwapOp, SpreadOp, SecretOp]))

    def parse(body: str) -> ModuleOp:
        text = (
            f"func.func @f(%A: memref<?xf32>, %B: memref<?xf32>, %x: f32) {{{body}\nfunc.return }}"
        )
        module = Parser(ctx, text).parse_module()
        module.verify()
        return module

    return parse


def ops(module: ModuleOp, name: str) -> int:
    return sum(op.name == name for op in module.walk())


SHIFTED = """
loop.for %i = 0 to 64 vectorized {{
  %next = affine.apply affine_map<(d0) -> (d0 + {distance})> (%i)
  %old = other.swap %x, %A[%i] : memref<?xf32>
  %a = memref.load %{of}[%next] : memref<?xf32>
  memref.store %a, %B[%i] : memref<?xf32>
}}"""


@pytest.mark.parametrize(
    ("of", "distance", "lanes"),
    [("A", 1, 0), ("A", -1, 16), ("A", 4, 4), ("A", 16, 16), ("B", 0, 16)],
)
def test_lanes_run_it_one_by_one_and_do_not_meet(read, of: str, distance: int, lanes: int):
    module = read(SHIFTED.format(of=of, distance=distance))
    VectorizeLoopsPass(64).apply(Context(), module)
    module.verify()
    stores = [op for op in module.walk() if op.name == "vector.store"]
    assert len(stores) == (lanes > 0)
    if lanes:
        assert accesses_of(stores[0])[0].lanes == lanes
        assert ops(module, "other.swap") == 1
        swap = next(op for op in module.walk() if isinstance(op, SwapOp))
        assert isinstance(around := swap.parent_op(), loop.ForOp)
        assert around.kind.data is loop.LoopKind.UNROLLED


TWO = """
%s = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
loop.for %i = 0 to 64 {
  %v = memref.load %A[%i] : memref<?xf32>
  memref.store %v, %s[%i] : memref<64xf32>
}
%t = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
loop.for %i = 0 to 63 {
  NEXT
  other.spread %s[FROM], %t[TO] : memref<64xf32>, memref<64xf32>
}
loop.for %i = 0 to 63 {
  %v = memref.load %t[%i] : memref<64xf32>
  memref.store %v, %B[%i] : memref<?xf32>
}
memref.dealloc %s : memref<64xf32>
memref.dealloc %t : memref<64xf32>""".replace(
    "NEXT", "%next = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)"
)


@pytest.mark.parametrize(
    ("source", "target", "buffers"), [("%next", "%i", 1), ("%i", "%next", 2), ("%i", "%i", 1)]
)
def test_a_buffer_is_made_in_place_where_it_lets_it(read, source: str, target: str, buffers: int):
    module = read(TWO.replace("FROM", source).replace("TO", target))
    BufferReusePass().apply(Context(), module)
    module.verify()
    assert ops(module, "memref.alloc") == buffers


def test_a_buffer_that_an_unknown_op_sees_stays(read):
    module = read(
        TWO.replace("FROM", "%i").replace("TO", "%i") + "\nother.secret %A : memref<?xf32>"
    )
    seen = read(
        TWO.replace("FROM", "%i")
        .replace("TO", "%i")
        .replace("memref.dealloc %s", "other.secret %s : memref<64xf32>\nmemref.dealloc %s")
    )
    for one, buffers in ((module, 1), (seen, 2)):
        BufferReusePass().apply(Context(), one)
        assert ops(one, "memref.alloc") == buffers


AHEAD = """
loop.for %i = 0 to 8 {{
  %zero = arith.constant 0 : index
  %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
  %b = memref.alloca() {{loop.double_buffered}} : memref<1xf32>
  other.spread %A[%i], %b[%zero] : memref<?xf32>, memref<1xf32>
  %v = memref.load %b[%zero] : memref<1xf32>
  %old = other.swap %v, %A[{at}] : memref<?xf32>
}}"""


def test_what_is_computed_ahead_goes_to_the_other_copy(read):
    module = read(AHEAD.format(at="%i"))
    DoubleBufferPass().apply(Context(), module)
    module.verify()
    assert ops(module, "other.spread") == 2
    (buffer,) = (op.memref for op in module.walk() if isinstance(op, memref.AllocaOp))
    assert [*buffer.type.get_shape()] == [2]
    assert {use.operation.name for use in buffer.uses} == {"other.spread", "memref.load"}


def test_what_the_next_iteration_needs_is_not_computed_ahead(read):
    with pytest.raises(ScheduleError, match=r"both use A, .*: A\[1\] at i = 0 and at i = 1"):
        DoubleBufferPass().apply(Context(), read(AHEAD.format(at="%next")))
    unknown = AHEAD.format(at="%i").replace("%old", "other.secret %B : memref<?xf32>\n%old")
    with pytest.raises(PassError, match=r"other.secret stands in a loop"):
        DoubleBufferPass().apply(Context(), read(unknown))


def test_each_access_is_checked(read):
    module = read("""
      %i = arith.constant 1 : index
      %old = other.swap %x, %A[%i] : memref<?xf32>
      other.spread %A[%i], %B[%i] : memref<?xf32>, memref<?xf32>
      other.secret %B : memref<?xf32>""")
    CheckAccessesPass().apply(Context(), module)
    module.verify()
    called = [str(op.properties["callee"]) for op in module.walk() if op.name == "func.call"]
    words = [name.removeprefix("@teloom_shadow_") for name in called]
    assert words == ["fill", "fill", "read", "write", "read", "write", "fill"]


def test_the_element_that_a_map_says_is_checked(read, monkeypatch: pytest.MonkeyPatch):
    behind = AffineMap(1, 0, (AffineExpr.dimension(0) + 1,))

    def accesses(op: SwapOp) -> Sequence[Access]:
        return [Access(op, 1, map, writes=True) for map in (identity(1), behind)]

    monkeypatch.setattr(SwapOp, "accesses", accesses)
    module = read("""
      %i = arith.constant 1 : index
      %old = other.swap %x, %A[%i] : memref<?xf32>""")
    CheckAccessesPass().apply(Context(), module)
    module.verify()
    writes = [op for op in module.walk() if "teloom_shadow_write" in str(op.properties)]
    elements = [op.operands[-2].owner.name for op in writes if op.name == "func.call"]
    assert sorted(elements) == ["affine.apply", "arith.constant"]


def test_a_flat_index_takes_the_place_of_several(read):
    @irdl_op_definition
    class PairOp(IRDLOperation, AccessingOp):
        name = "other.pair"
        buffer = operand_def(MemRefType)
        row = operand_def(IndexType())
        column = operand_def(IndexType())

        def accesses(self) -> Sequence[Access]:
            return (Access(self, 0, identity(2), reads=True),)

    module = read("%i = arith.constant 2 : index\n%a = memref.alloca() : memref<4x8xf32>")
    _, alloca = (op for op in module.walk() if len(op.results) == 1)
    (index, _) = (op for op in module.walk() if len(op.results) == 1)
    pair = PairOp(operands=[alloca.results[0], index.results[0], index.results[0]])
    assert alloca.parent is not None
    alloca.parent.insert_op_after(pair, alloca)
    LinearizeMemrefsPass().apply(Context(), module)
    assert len(pair.operands) == 2


@pytest.mark.parametrize("steps", [None, 0, 1, 2, 3])
def test_the_witness_is_two_instances(read, steps: int | None):
    module = read("""
    loop.for %i = 0 to 10 {
      %j = affine.apply affine_map<(d0) -> (d0 + 2)> (%i)
      %old = other.swap %x, %A[%j] : memref<?xf32>
      %a = memref.load %A[%i] : memref<?xf32>
    }""")
    (op,) = (op for op in module.walk() if isinstance(op, loop.ForOp))
    assert op.parent is not None
    uses = sorted(accesses_to(op.parent.args[0]), key=lambda access: not access.writes)
    first, second = (reference_of(access, op.parent) for access in uses)
    conflict = Dependences(op.parent).conflict([(first, second, [Direction((), op, steps, steps)])])
    if steps not in (None, 2):
        assert conflict is None
        return
    assert conflict is not None
    assert conflict.witness is not None
    one, other = conflict.witness.first.iterations[op], conflict.witness.second.iterations[op]
    assert [one + 2] == [other] == conflict.witness.element


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (lambda op: None, "gives NoneType, no sequence of Access"),
        (lambda op: [1], "gives int in the place of an Access"),
        (lambda op: [], "says nothing of the buffer at operand 1"),
        (lambda op: [Access(op, 0)], "accesses operand 0, which is no buffer"),
        (lambda op: [Access(op, 7)], "accesses operand 7, which is no buffer"),
        (lambda op: [Access(op.value.owner, 1)], "gives an access of another op"),
        (lambda op: [Access(op, 1, 3)], "gives operand 1 int in the place of a map"),
        (lambda op: [Access(op, 1, value=3)], "gives operand 1 a value that is not its own"),
        (lambda op: [Access(op, 1, identity(3))], "has 3 subscripts for operand 1, of rank 1"),
        (
            lambda op: [Access(op, 1, AffineMap(2, 0, (AffineExpr.dimension(1),)))],
            "maps by .*, but 1 operands stand behind operand 1",
        ),
        (
            lambda op: [Access(op, 1, AffineMap(1, 0, (AffineExpr.dimension(3),)))],
            "maps by .*, which uses a dimension that it does not have",
        ),
    ],
)
def test_accesses_that_cannot_be(read, said, words: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(SwapOp, "accesses", said)
    with pytest.raises(PassError, match=rf"other\.swap, by its accesses\(\), {words}"):
        verify(read("loop.for %i = 0 to 64 { %old = other.swap %x, %A[%i] : memref<?xf32> }"))
