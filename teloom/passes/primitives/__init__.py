"""The schedule primitives: one command op, one rewrite pattern, one file each.

A pattern turns one command of a `schedule.sequence` into a change of the stages; it
knows no other primitive.
"""

from xdsl.ir import Operation

from teloom.dialects import schedule
from teloom.passes.primitives.bind import ApplyBind
from teloom.passes.primitives.cache_read import ApplyCacheRead
from teloom.passes.primitives.cache_write import ApplyCacheWrite
from teloom.passes.primitives.compute_at import ApplyComputeAt
from teloom.passes.primitives.compute_inline import ApplyComputeInline
from teloom.passes.primitives.compute_root import ApplyComputeRoot
from teloom.passes.primitives.double_buffer import ApplyDoubleBuffer
from teloom.passes.primitives.fold_storage import ApplyFoldStorage
from teloom.passes.primitives.fuse import ApplyFuse
from teloom.passes.primitives.groups import ApplyGroup
from teloom.passes.primitives.handles import ApplyAxes, ApplyGet, Primitive
from teloom.passes.primitives.loop_kind import ApplyLoopKind
from teloom.passes.primitives.prefetch import ApplyPrefetch
from teloom.passes.primitives.reorder import ApplyReorder
from teloom.passes.primitives.reverse import ApplyReverse
from teloom.passes.primitives.rolling_buffer import ApplyRollingBuffer
from teloom.passes.primitives.set_mode import ApplySetMode
from teloom.passes.primitives.set_scope import ApplySetScope
from teloom.passes.primitives.shift import ApplyShift
from teloom.passes.primitives.skew import ApplySkew
from teloom.passes.primitives.split import ApplySplit
from teloom.passes.primitives.storage_align import ApplyStorageAlign
from teloom.passes.primitives.store_at import ApplyStoreAt
from teloom.passes.primitives.store_root import ApplyStoreRoot
from teloom.passes.primitives.tile import ApplyTile
from teloom.passes.primitives.transform_layout import ApplyTransformLayout

PRIMITIVES: dict[type[Operation], type[Primitive]] = {
    schedule.GetOp: ApplyGet,
    schedule.GroupOp: ApplyGroup,
    schedule.AxesOp: ApplyAxes,
    schedule.SplitOp: ApplySplit,
    schedule.FuseOp: ApplyFuse,
    schedule.ShiftOp: ApplyShift,
    schedule.ReverseOp: ApplyReverse,
    schedule.SkewOp: ApplySkew,
    schedule.TileOp: ApplyTile,
    schedule.ReorderOp: ApplyReorder,
    schedule.ComputeAtOp: ApplyComputeAt,
    schedule.ComputeRootOp: ApplyComputeRoot,
    schedule.ComputeInlineOp: ApplyComputeInline,
    schedule.VectorizeOp: ApplyLoopKind,
    schedule.UnrollOp: ApplyLoopKind,
    schedule.ParallelOp: ApplyLoopKind,
    schedule.BindOp: ApplyBind,
    schedule.SetScopeOp: ApplySetScope,
    schedule.SetModeOp: ApplySetMode,
    schedule.StorageAlignOp: ApplyStorageAlign,
    schedule.StoreAtOp: ApplyStoreAt,
    schedule.StoreRootOp: ApplyStoreRoot,
    schedule.FoldStorageOp: ApplyFoldStorage,
    schedule.RollingBufferOp: ApplyRollingBuffer,
    schedule.TransformLayoutOp: ApplyTransformLayout,
    schedule.DoubleBufferOp: ApplyDoubleBuffer,
    schedule.PrefetchOp: ApplyPrefetch,
    schedule.CacheReadOp: ApplyCacheRead,
    schedule.CacheWriteOp: ApplyCacheWrite,
}
