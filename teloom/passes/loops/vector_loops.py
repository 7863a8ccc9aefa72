"""How far LLVM unrolls loops of vectors: it does so only where it is told to.

Left to itself it copies bodies to see what becomes simpler, which is a good part of its time, and
makes long code of what stays as slow as the memory.
"""

from collections.abc import Iterable

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Operation

from teloom.analysis.accesses.lane_counts import lanes_of_widest, largest_extent
from teloom.analysis.index.extents import constant_extent
from teloom.analysis.loops.iteration_sets import may_have
from teloom.analysis.memory.register_buffers import RegisterBuffers
from teloom.analysis.unrolled_size import MOST_ROWS
from teloom.dialects import loop
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.target import target_of
from teloom.dialects.upstream.llvm import LOOP_ANNOTATION, UNROLLED

_MOST_COPIES, _LONGEST = 4, 96
"""A short body of vectors has so many copies, as long as they are not more operations than that:
the test for the end then takes a small part of the time."""


def is_open(op: loop.ForOp) -> bool:
    """Whether nobody has said yet how far a loop is unrolled."""
    return op.kind.data is loop.LoopKind.SERIAL and LOOP_ANNOTATION not in op.attributes


def tile_loops(module: ModuleOp, loops: Iterable[loop.ForOp]) -> list[loop.ForOp]:
    """The loops over elements of small buffers, which are registers if these are unrolled."""
    loops = [op for op in loops if (constant_extent(op) or MOST_ROWS + 1) <= MOST_ROWS]
    if not loops:
        return loops
    buffers, counting = RegisterBuffers(target_of(module)), set[loop.ForOp]()
    for buffer in ops_in(module, memref.AllocaOp):
        counting.update(buffers.loops(buffer) or ())
    return [op for op in loops if op in counting]


def copies_of_short(op: loop.ForOp) -> int:
    """How many iterations of a loop become one: 1 but for short innermost loops of vectors."""
    count = _work(op)
    if count is None or not ops_in(op.body, vector.LoadOp, vector.StoreOp):
        return 1
    copies = _MOST_COPIES
    while copies > 1 and (copies * count > _LONGEST or not may_have(op, copies)):
        copies //= 2
    return copies


def fills_no_vector(op: loop.ForOp) -> bool:
    """Whether an innermost loop never has enough iterations for LLVM to make a vector of them.

    A whole tile counts as enough, however short it is.
    """
    if ops_in(op.body, loop.ForOp, vector.LoadOp, vector.StoreOp) or constant_extent(op):
        return False
    lanes, most = lanes_of_widest(op, target_of(op).vector_bytes), largest_extent(op)
    return not may_have(op, lanes if most is None else min(lanes, most))


def _work(op: loop.ForOp) -> int | None:
    """The operations of an iteration, but for those on indices; None with a loop inside."""
    total = 0
    for inner in op.body.block.ops:
        count = _work_in(inner)
        if count is None or total + count > _LONGEST:
            return None
        total += count
    return total


def _work_in(op: Operation) -> int | None:
    """The operations of an op; for an unrolled loop, those of all copies of its body."""
    if not op.regions:
        return not (op.results and isinstance(op.results[0].type, IndexType))
    if not isinstance(op, loop.ForOp) or op.attributes.get(LOOP_ANNOTATION) != UNROLLED:
        return None
    extent, inside = constant_extent(op), _work(op)
    return None if extent is None or inside is None else extent * inside
