"""What a user finds in `te.tensor`: tensors and the kinds of operations, by the names of TVM's."""

from teloom.frontend.extern.tensor_intrins import TensorComputeOp, TensorIntrinCall
from teloom.frontend.hybrid.axes import HybridOp
from teloom.frontend.tensor.tensors import (
    BaseComputeOp,
    ComputeOp,
    ExternOp,
    Operation,
    PlaceholderOp,
    ScanOp,
    Tensor,
    TensorSlice,
)
from teloom.frontend.tensor.updates import UpdateOp

__all__ = [
    "BaseComputeOp",
    "ComputeOp",
    "ExternOp",
    "HybridOp",
    "Operation",
    "PlaceholderOp",
    "ScanOp",
    "Tensor",
    "TensorComputeOp",
    "TensorIntrinCall",
    "TensorSlice",
    "UpdateOp",
]
