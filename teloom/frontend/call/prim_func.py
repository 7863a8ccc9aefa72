"""`te.create_prim_func`: tensors as one function of IR, without a schedule."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp

from teloom.dialects.schedule import SequenceOp
from teloom.errors import Error
from teloom.frontend.call.sources import EXTERNALS, programs_of
from teloom.frontend.tensor.scalars import Argument, listed_arguments


def create_prim_func(ops: Sequence[Argument], index_dtype_override: str | None = None) -> ModuleOp:
    """A module with the function `main` that computes tensors and is called with `ops`, in order.

    It is of level `te`: `teloom.build` compiles it, `teloom.lower` lowers it. `ops` are
    placeholders, computed tensors and sizes, as the arguments of `lower` are. Indices have 64
    bits, whatever `index_dtype_override` says. Raises `teloom.Error` where `lower` does.
    Source: TVM's te.create_prim_func.

    >>> from teloom import te
    >>> A = te.placeholder((4,), name="A")
    >>> B = te.compute((4,), lambda i: A[i] + 1, name="B")
    >>> print(te.create_prim_func([A, B]))
    builtin.module {
      te.func @main(%A: tensor<4xf32>) -> (tensor<4xf32>) {
        %B = te.compute "B" (%i = 4) : tensor<4xf32> {
          %0 = te.read %A[%i] : f32
          %1 = arith.constant 1.000000e+00 : f32
          %2 = arith.addf %0, %1 : f32
          te.yield %2 : f32
        }
        te.return %B : tensor<4xf32>
      }
    }
    """
    if index_dtype_override not in (None, "int32", "int64"):
        raise Error(f"index_dtype_override is {index_dtype_override!r}, not int32 or int64")
    listed = listed_arguments(ops, "ops of create_prim_func")
    (made,) = programs_of(listed, None, "main")
    for op in list(made.module.ops):
        if isinstance(op, SequenceOp):
            op.detach()
            op.erase()
    made.module.verify()
    EXTERNALS[made.module] = made.externals
    return made.module
