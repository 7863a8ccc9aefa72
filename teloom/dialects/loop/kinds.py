"""Loop kinds: how the iterations of a loop run."""

from __future__ import annotations

from xdsl.dialects.utils import EnumAttribute
from xdsl.irdl import (
    irdl_attr_definition,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum


class LoopKind(StrEnum):
    """How the iterations of a loop run."""

    SERIAL = "serial"
    PARALLEL = "parallel"
    DYNAMIC = "parallel_dynamic"
    VECTORIZED = "vectorized"
    UNROLLED = "unrolled"
    BLOCK_X = "blockIdx.x"
    BLOCK_Y = "blockIdx.y"
    BLOCK_Z = "blockIdx.z"
    THREAD_X = "threadIdx.x"
    THREAD_Y = "threadIdx.y"
    THREAD_Z = "threadIdx.z"
    VIRTUAL = "vthread"

    @property
    def one_after_another(self) -> bool:
        """Whether an iteration begins only when the one before has ended."""
        return self in (LoopKind.SERIAL, LoopKind.UNROLLED)

    @property
    def at_the_same_time(self) -> bool:
        """Whether iterations may run concurrently, in threads of their own."""
        return self.is_parallel or self.thread_rank is not None

    @property
    def is_parallel(self) -> bool:
        """Whether the cores of a CPU share the iterations.

        They have equal parts, or with a dynamic kind each takes the next iteration when it has
        finished one.
        """
        return self in (LoopKind.PARALLEL, LoopKind.DYNAMIC)

    @property
    def thread_rank(self) -> int | None:
        """The rank of a thread axis: 0 for blocks, 1 for threads of a block; None for others.

        Virtual threads have that of threads: each has what is local of its own.
        """
        return {"blockIdx": 0, "threadIdx": 1, "vthread": 1}.get(self.value.partition(".")[0])


FOLDS = "loop.folds"
"""The attribute of a vectorized loop that only folds one value per iteration into an element.

The combination is associative and commutative: the values may be folded in any order.
"""


@irdl_attr_definition
class LoopKindAttr(EnumAttribute[LoopKind]):
    """The kind of a loop, or of an axis that becomes one."""

    name = "loop.kind"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> LoopKind:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(LoopKind)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data.value}>")


KINDS = {kind: LoopKindAttr(kind) for kind in LoopKind}
"""The attribute of each kind."""
