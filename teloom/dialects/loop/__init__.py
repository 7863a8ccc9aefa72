"""The `loop` dialect: loop nests over regions of tensors in logical coordinates (level 3)."""

from xdsl.ir import Dialect

from teloom.dialects.loop.accesses import AccessOp, InitOp, LoadOp, PrefetchOp, StoreOp, WriteOp
from teloom.dialects.loop.control import INDEX, ForOp, IfOp, is_counter, is_in_loop, is_in_parallel
from teloom.dialects.loop.counts import ElementCountOp
from teloom.dialects.loop.dots import DotOp
from teloom.dialects.loop.kinds import FOLDS, KINDS, LoopKind, LoopKindAttr
from teloom.dialects.loop.memory import MemoryOp, memories_in
from teloom.dialects.loop.policies import (
    drop_policies,
    partition_of,
    pragmas_of,
    set_points,
    set_policies,
    set_pragmas,
    tail_of,
    take_points,
)
from teloom.dialects.loop.reductions import ReduceOp, YieldOp, combining
from teloom.dialects.loop.regions import (
    BindOp,
    BufferOp,
    RealizeOp,
    TensorRegionOp,
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
        InitOp,
        ReduceOp,
        YieldOp,
        PrefetchOp,
        ElementCountOp,
        DotOp,
    ],
    [AlignmentAttr, FoldAttr, LayoutAttr, LoopKindAttr, StorageAttr, TensorType],
)

__all__ = [
    "FOLDS",
    "INDEX",
    "KINDS",
    "AccessOp",
    "AlignmentAttr",
    "BindOp",
    "BufferOp",
    "DotOp",
    "ElementCountOp",
    "FoldAttr",
    "ForOp",
    "IfOp",
    "InitOp",
    "LoadOp",
    "Loop",
    "LoopKind",
    "LoopKindAttr",
    "MemoryOp",
    "PrefetchOp",
    "RealizeOp",
    "ReduceOp",
    "StorageAttr",
    "StoreOp",
    "TensorRegionOp",
    "TensorType",
    "WriteOp",
    "YieldOp",
    "combining",
    "drop_policies",
    "is_counter",
    "is_in_loop",
    "is_in_parallel",
    "memories_in",
    "partition_of",
    "pragmas_of",
    "set_points",
    "set_policies",
    "set_pragmas",
    "tail_of",
    "take_points",
]
