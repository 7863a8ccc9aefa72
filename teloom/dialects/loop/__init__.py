"""The `loop` dialect: loop nests over regions of tensors in logical coordinates (level 3)."""

from xdsl.ir import Dialect

from teloom.dialects.loop.accesses import AccessOp, LoadOp, PrefetchOp, StoreOp
from teloom.dialects.loop.control import INDEX, ForOp, IfOp
from teloom.dialects.loop.counts import ElementCountOp
from teloom.dialects.loop.kinds import LoopKind, LoopKindAttr
from teloom.dialects.loop.memory import MemoryOp
from teloom.dialects.loop.regions import (
    BindOp,
    BufferOp,
    RealizeOp,
    RegionOp,
    TensorType,
)
from teloom.dialects.syntax.layouts import LayoutAttr
from teloom.dialects.syntax.storage import AlignmentAttr, FoldAttr, StorageAttr

Loop = Dialect(
    "loop",
    [
        MemoryOp,
        ForOp,
        IfOp,
        RealizeOp,
        BindOp,
        BufferOp,
        LoadOp,
        StoreOp,
        PrefetchOp,
        ElementCountOp,
    ],
    [AlignmentAttr, FoldAttr, LayoutAttr, LoopKindAttr, StorageAttr, TensorType],
)

__all__ = [
    "INDEX",
    "AccessOp",
    "AlignmentAttr",
    "BindOp",
    "BufferOp",
    "ElementCountOp",
    "FoldAttr",
    "ForOp",
    "IfOp",
    "LoadOp",
    "Loop",
    "LoopKind",
    "LoopKindAttr",
    "MemoryOp",
    "PrefetchOp",
    "RealizeOp",
    "RegionOp",
    "StorageAttr",
    "StoreOp",
    "TensorType",
]
