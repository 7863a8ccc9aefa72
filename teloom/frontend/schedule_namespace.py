"""What a user finds in `te.schedule`: schedules, relations between axes, and read graphs.

Names are those of TVM's te.schedule. `Split`, `Fuse` and the like, one class per
relation op, are what `Stage.relations` holds.
"""

# ruff: noqa: F401 (this file only gathers names)

from typing import TYPE_CHECKING, Any

from teloom.frontend.bounds import infer_bounds as InferBound
from teloom.frontend.read_graph import post_dfs_order as PostDFSOrder
from teloom.frontend.read_graph import read_graph as CreateReadGraph
from teloom.frontend.relations import RELATIONS, Relation
from teloom.frontend.scan_steps import scan_body as ScanGetBody
from teloom.frontend.schedules import Schedule, Stage, create_schedule

globals().update({relation.__name__: relation for relation in RELATIONS.values()})

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
