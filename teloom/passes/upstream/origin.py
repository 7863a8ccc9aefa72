"""Whether a program is one of upstream's."""

from xdsl.dialects import affine, func, scf
from xdsl.dialects.builtin import ModuleOp

from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.upstream.affine import ParallelOp
from teloom.passes.upstream.flatten_functions import is_foreign
from teloom.passes.upstream.normalize_loops import counts_by_one

_AFFINE = affine.ForOp | affine.IfOp | affine.LoadOp | affine.StoreOp | ParallelOp


def is_from_upstream(module: ModuleOp) -> bool:
    """Whether a function of buffers or tensors has what `from-mlir` rewrites."""
    functions = [op for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks]
    return any(
        is_foreign(function)
        or any(
            isinstance(op, _AFFINE)
            or op.name.startswith("linalg.")
            or (isinstance(op, scf.ParallelOp) and not counts_by_one(op))
            for op in preorder(function)
        )
        for function in functions
    )
