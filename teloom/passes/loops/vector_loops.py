"""How far LLVM unrolls loops of vectors: it does so only where it is told to.

Left to itself it copies bodies to see what becomes simpler, which is a good part of its time, and
makes long code of what stays as slow as the memory.
"""

from collections.abc import Iterator

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.ir import Operation

from teloom.analysis.index.extents import constant_extent
from teloom.analysis.memory.register_buffers import RegisterBuffers
from teloom.dialects import loop
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.target import target_of
from teloom.dialects.upstream.accesses import accesses_of
from teloom.dialects.upstream.llvm import LOOP_ANNOTATION, LoopAnnotationAttr

UNROLLED = LoopAnnotationAttr.unrolled()

_MOST_COPIES, _LONGEST = 4, 96
"""A short body of vectors has so many copies, as long as they are not more operations than that:
the test for the end then takes a small part of the time."""


def tile_loops(module: ModuleOp) -> Iterator[loop.ForOp]:
    """Serial loops that count elements of small buffers: unrolled, these are registers."""
    buffers = RegisterBuffers(target_of(module))
    for buffer in ops_in(module, memref.AllocaOp):
        for op in buffers.loops(buffer) or ():
            if op.kind.data is loop.LoopKind.SERIAL and LOOP_ANNOTATION not in op.attributes:
                yield op


def copies_of_short(op: loop.ForOp) -> int:
    """How many iterations of a loop become one: 1 but for short innermost loops of vectors."""
    count = _work(op)
    if count is None or not ops_in(op.body, vector.LoadOp, vector.StoreOp):
        return 1
    extent, copies = constant_extent(op), _MOST_COPIES
    while copies > 1 and (copies * count > _LONGEST or (extent or copies) < copies):
        copies //= 2
    return copies


def _work(op: loop.ForOp) -> int | None:
    """The operations on vectors, and the accesses, of an iteration; None with a loop inside."""
    parts = [_work_in(inner) for inner in op.body.block.ops]
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def _work_in(op: Operation) -> int | None:
    """The same of an op: of a loop that is unrolled, those of the copies of its body."""
    if not op.regions:
        return int(_is_work(op))
    if not isinstance(op, loop.ForOp) or op.attributes.get(LOOP_ANNOTATION) != UNROLLED:
        return None
    extent, inside = constant_extent(op), _work(op)
    return None if extent is None or inside is None else extent * inside


def _is_work(op: Operation) -> bool:
    is_vector = any(isinstance(result.type, VectorType) for result in op.results)
    return is_vector or any(one.is_needed for one in accesses_of(op))
