"""What a user finds in `te.schedule`: schedules, relations between axes, and read graphs.

Names are those of TVM's te.schedule. `Split`, `Fuse` and the like, one class per
relation op, are what `Stage.relations` holds. What type checkers and editors are told,
`schedule_namespace.pyi`, is written by `python tests/stubs.py`.
"""

from typing import TYPE_CHECKING, Any

from teloom.frontend.missing_names import OF_TE, missing
from teloom.frontend.schedule.auto_inline import auto_inline_broadcast as AutoInlineBroadcast
from teloom.frontend.schedule.auto_inline import auto_inline_elementwise as AutoInlineElemWise
from teloom.frontend.schedule.auto_inline import auto_inline_injective as AutoInlineInjective
from teloom.frontend.schedule.relations import RELATIONS, Relation
from teloom.frontend.schedule.schedules import Schedule, create_schedule
from teloom.frontend.schedule.stage_places import attach_paths as CreateAttachPath
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.buffers import Buffer
from teloom.frontend.tensor.read_graph import feed_graph as CreateFeedGraph
from teloom.frontend.tensor.read_graph import post_dfs_order as PostDFSOrder
from teloom.frontend.tensor.read_graph import read_graph as CreateReadGraph
from teloom.frontend.tensor.scan_steps import scan_body as ScanGetBody
from teloom.frontend.tensor.tensors import IterVar
from teloom.lazy import loaded

if TYPE_CHECKING:
    from teloom.frontend.report.bounds import infer_bounds as InferBound
    from teloom.frontend.report.compact_buffers import needs_compact_buffers as VerifyCompactBuffer
    from teloom.frontend.report.scan_axes import scan_fix_points as ScanFixPointAnalysis
    from teloom.frontend.report.scheduled_loops import scheduled_loops as ScheduleOps

RELATION_CLASSES = {relation.__name__: relation for relation in RELATIONS.values()}

_AT_FIRST_USE = {
    "InferBound": ("bounds", "infer_bounds"),
    "ScanFixPointAnalysis": ("scan_axes", "scan_fix_points"),
    "ScheduleOps": ("scheduled_loops", "scheduled_loops"),
    "VerifyCompactBuffer": ("compact_buffers", "needs_compact_buffers"),
}
"""Names that are loaded when they are first used, with integer sets: module and name there."""

__all__ = [  # pyright: ignore[reportUnsupportedDunderAll] (the stub says what they are)
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
    *RELATION_CLASSES,
]

globals().update(RELATION_CLASSES)


def __getattr__(name: str) -> Any:
    if name in _AT_FIRST_USE:
        module, found = _AT_FIRST_USE[name]
        return loaded(f"teloom.frontend.report.{module}", found)
    raise missing("te.schedule", name, OF_TE)


def __dir__() -> list[str]:
    return __all__
