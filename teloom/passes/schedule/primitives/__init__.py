"""The schedule primitives: one command op, one rewrite pattern, one file each.

A pattern turns one command of a `schedule.sequence` into a change of the stages; it
knows no other primitive.
"""

from xdsl.ir import Operation

from teloom.dialects import schedule
from teloom.passes.schedule.primitives.bind import ApplyBind
from teloom.passes.schedule.primitives.cache_read import ApplyCacheRead
from teloom.passes.schedule.primitives.cache_write import ApplyCacheWrite
from teloom.passes.schedule.primitives.compute_at import ApplyComputeAt
from teloom.passes.schedule.primitives.compute_inline import ApplyComputeInline
from teloom.passes.schedule.primitives.compute_root import ApplyComputeRoot
from teloom.passes.schedule.primitives.double_buffer import ApplyDoubleBuffer
from teloom.passes.schedule.primitives.fold_storage import ApplyFoldStorage
from teloom.passes.schedule.primitives.fuse import ApplyFuse
from teloom.passes.schedule.primitives.groups import ApplyGroup
from teloom.passes.schedule.primitives.handles import ApplyAxes, ApplyGet, Primitive
from teloom.passes.schedule.primitives.loop_kind import ApplyLoopKind
from teloom.passes.schedule.primitives.prefetch import ApplyPrefetch
from teloom.passes.schedule.primitives.reorder import ApplyReorder
from teloom.passes.schedule.primitives.reverse import ApplyReverse
from teloom.passes.schedule.primitives.rolling_buffer import ApplyRollingBuffer
from teloom.passes.schedule.primitives.set_mode import ApplySetMode
from teloom.passes.schedule.primitives.set_scope import ApplySetScope
from teloom.passes.schedule.primitives.shift import ApplyShift
from teloom.passes.schedule.primitives.skew import ApplySkew
from teloom.passes.schedule.primitives.split import ApplySplit
from teloom.passes.schedule.primitives.storage_align import ApplyStorageAlign
from teloom.passes.schedule.primitives.store_at import ApplyStoreAt
from teloom.passes.schedule.primitives.store_root import ApplyStoreRoot
from teloom.passes.schedule.primitives.tile import ApplyTile
from teloom.passes.schedule.primitives.transform_layout import ApplyTransformLayout

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
