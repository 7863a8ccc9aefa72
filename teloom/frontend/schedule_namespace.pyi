"""What a user finds in `te.schedule`. Written by `python tests/stubs.py`: do not edit."""

from teloom.frontend.report.bounds import infer_bounds as InferBound
from teloom.frontend.report.compact_buffers import needs_compact_buffers as VerifyCompactBuffer
from teloom.frontend.expr.expressions import Var
from teloom.frontend.report.scan_axes import scan_fix_points as ScanFixPointAnalysis
from teloom.frontend.report.scheduled_loops import scheduled_loops as ScheduleOps
from teloom.frontend.schedule.auto_inline import auto_inline_broadcast as AutoInlineBroadcast
from teloom.frontend.schedule.auto_inline import auto_inline_elementwise as AutoInlineElemWise
from teloom.frontend.schedule.auto_inline import auto_inline_injective as AutoInlineInjective
from teloom.frontend.schedule.stage_places import attach_paths as CreateAttachPath
from teloom.frontend.tensor.read_graph import feed_graph as CreateFeedGraph
from teloom.frontend.tensor.read_graph import post_dfs_order as PostDFSOrder
from teloom.frontend.tensor.read_graph import read_graph as CreateReadGraph
from teloom.frontend.schedule.relations import Relation as Relation
from teloom.frontend.tensor.scan_steps import scan_body as ScanGetBody
from teloom.frontend.schedule.schedules import Schedule as Schedule
from teloom.frontend.schedule.stages import Stage as Stage
from teloom.frontend.schedule.schedules import create_schedule as create_schedule
from teloom.frontend.tensor.tensors import IterVar

RELATION_CLASSES: dict[str, type[Relation]]
__all__ = [
    "AutoInlineBroadcast",
    "AutoInlineElemWise",
    "AutoInlineInjective",
    "Buffer",
    "CreateAttachPath",
    "CreateFeedGraph",
    "CreateReadGraph",
    "InferBound",
    "IterVar",
    "PostDFSOrder",
    "Relation",
    "ScanFixPointAnalysis",
    "ScanGetBody",
    "Schedule",
    "ScheduleOps",
    "Stage",
    "VerifyCompactBuffer",
    "create_schedule",
    "Split",
    "Fuse",
    "Shift",
    "Singleton",
    "Reverse",
    "Skew",
    "Remap",
]

class Split(Relation):
    """Replaces an axis by an outer and an inner one: parent = outer * factor + inner."""

    parent: IterVar
    outer: IterVar
    inner: IterVar
    factor: int | Expr | None
    nparts: int | Expr | None
    tail: int | None

class Fuse(Relation):
    """Replaces adjacent axes by one that runs through them in order, the last fastest."""

    args: list[IterVar]
    fused: IterVar

class Shift(Relation):
    """Moves the coordinates of an axis: shifted = parent + offset."""

    parent: IterVar
    shifted: IterVar
    offset: int

class Singleton(Relation):
    """Makes an axis of one iteration: the outermost loop of a stage."""

    singleton: IterVar

class Reverse(Relation):
    """Reverses an axis: it runs from its end to its start."""

    parent: IterVar
    reversed: IterVar

class Skew(Relation):
    """Moves an axis along with another: skewed = parent + factor * along."""

    parent: IterVar
    along: IterVar
    skewed: IterVar
    factor: int

class Remap(Relation):
    """Replaces axes by quasi-affine functions of them, from which their values follow."""

    args: list[IterVar]
    remapped: IterVar
    map: int
