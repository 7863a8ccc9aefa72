"""The `schedule` dialect: commands over handles (level 1s) and scheduled stages (level 2).

A `schedule.sequence` holds commands: what to do to the stages of a `te.func`. The
pass `apply-schedule` turns the function's equations into `schedule.stage` ops and
carries the commands out on them, one by one. `split` and its like are commands in a
sequence and relations between axes in a stage: the same op, moved.
"""

from xdsl.ir import Dialect

from teloom.dialects.schedule_commands import (
    AxesOp,
    ComputeAtOp,
    ComputeInlineOp,
    ComputeRootOp,
    GetOp,
    LoopKindCommand,
    ParallelOp,
    ReorderOp,
    SequenceOp,
    SetScopeOp,
    TileOp,
    UnrollOp,
    VectorizeOp,
)
from teloom.dialects.schedule_relations import (
    AXIS,
    STAGE,
    AxisType,
    FuseOp,
    RelationOp,
    SplitOp,
    StageType,
    axis_name,
    consumed_axes,
    consumers_of,
    verify_distinct,
)
from teloom.dialects.schedule_stages import (
    EquationOp,
    GuardOp,
    Mode,
    OrderOp,
    RangeOp,
    RegionOp,
    StageOp,
    ValueOp,
)
from teloom.dialects.schedule_threads import (
    THREAD_TAGS,
    BindOp,
    ExtentOp,
    ThreadAxisAttr,
    unknown_thread,
)

Schedule = Dialect(
    "schedule",
    [
        SequenceOp,
        GetOp,
        AxesOp,
        SplitOp,
        FuseOp,
        TileOp,
        ReorderOp,
        ComputeAtOp,
        ComputeRootOp,
        ComputeInlineOp,
        VectorizeOp,
        UnrollOp,
        ParallelOp,
        BindOp,
        SetScopeOp,
        StageOp,
        ExtentOp,
        OrderOp,
        RangeOp,
        ValueOp,
        RegionOp,
        GuardOp,
        EquationOp,
    ],
    [AxisType, StageType, ThreadAxisAttr],
)

__all__ = [
    "AXIS",
    "STAGE",
    "THREAD_TAGS",
    "AxesOp",
    "AxisType",
    "BindOp",
    "ComputeAtOp",
    "ComputeInlineOp",
    "ComputeRootOp",
    "EquationOp",
    "ExtentOp",
    "FuseOp",
    "GetOp",
    "GuardOp",
    "LoopKindCommand",
    "Mode",
    "OrderOp",
    "ParallelOp",
    "RangeOp",
    "RegionOp",
    "RelationOp",
    "ReorderOp",
    "Schedule",
    "SequenceOp",
    "SetScopeOp",
    "SplitOp",
    "StageOp",
    "StageType",
    "ThreadAxisAttr",
    "TileOp",
    "UnrollOp",
    "ValueOp",
    "VectorizeOp",
    "axis_name",
    "consumed_axes",
    "consumers_of",
    "unknown_thread",
    "verify_distinct",
]
