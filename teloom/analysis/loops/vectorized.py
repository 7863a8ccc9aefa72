"""Which functions leave nothing for LLVM's loop vectorizer."""

from xdsl.dialects import func, memref, scf, vector
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation

from teloom.dialects.bodies.around import ops_around
from teloom.dialects.bodies.preorder import is_of, preorder
from teloom.dialects.upstream.llvm import LOOP_ANNOTATION, UNROLLED, LoopAnnotationAttr

_CAN_LOOP = is_of((scf.ForOp, scf.WhileOp))
_IS_SCALAR = is_of((memref.StoreOp,))
_IS_VECTOR = is_of((vector.LoadOp, vector.StoreOp))


def is_vectorized(function: func.FuncOp) -> bool:
    """Whether no innermost loop of a function computes scalars alone.

    Time is spent in innermost loops. One that computes scalars stores a scalar or passes it on to
    the next iteration; where it loads or stores vectors, too, LLVM makes no vectors of it. A
    function without loops counts as one loop, and loops that LLVM unrolls do not count.
    """
    with_loops: set[Operation] = set()
    with_scalars: set[Operation] = set()
    with_vectors: set[Operation] = set()
    for op in preorder(function.body):
        if _is_loop(op):
            with_loops.add(_loop_around(op))
            if not all(isinstance(result.type, VectorType) for result in op.results):
                with_scalars.add(op)
            if _stays_scalar(op):
                with_vectors.add(op)
        elif _IS_SCALAR[type(op)]:
            with_scalars.add(_loop_around(op))
        elif _IS_VECTOR[type(op)]:
            with_vectors.add(_loop_around(op))
    return with_scalars <= with_loops | with_vectors


def _is_loop(op: Operation) -> bool:
    return _CAN_LOOP[type(op)] and op.attributes.get(LOOP_ANNOTATION) != UNROLLED


def _stays_scalar(op: Operation) -> bool:
    said = op.attributes.get(LOOP_ANNOTATION)
    return isinstance(said, LoopAnnotationAttr) and not said.may_be_vectorized


def _loop_around(op: Operation) -> Operation:
    """The loop, or the function, that an op is in."""
    return next(one for one in ops_around(op) if _is_loop(one) or isinstance(one, func.FuncOp))
