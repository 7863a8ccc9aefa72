"""The `te` dialect: producer-consumer equations over index domains (level 1)."""

from xdsl.ir import Dialect

from teloom.dialects.te.extern import BufferOp, ExternOp
from teloom.dialects.te.intrinsic import Form, IntrinsicOp
from teloom.dialects.te.ops import BoundedOp, ComputeOp, FuncOp, ReadOp, ReturnOp, YieldOp
from teloom.dialects.te.scan import ScanOp
from teloom.dialects.te.update import UpdateOp, WriteOp

Te = Dialect(
    "te",
    [
        FuncOp,
        ReturnOp,
        ComputeOp,
        ReadOp,
        BoundedOp,
        YieldOp,
        ExternOp,
        BufferOp,
        IntrinsicOp,
        ScanOp,
        UpdateOp,
        WriteOp,
    ],
)

__all__ = [
    "BoundedOp",
    "BufferOp",
    "ComputeOp",
    "ExternOp",
    "Form",
    "FuncOp",
    "IntrinsicOp",
    "ReadOp",
    "ReturnOp",
    "ScanOp",
    "Te",
    "UpdateOp",
    "WriteOp",
    "YieldOp",
]
