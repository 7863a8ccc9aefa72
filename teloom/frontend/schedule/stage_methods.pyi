"""The commands as methods of a stage. Written by `python tests/stubs.py`: do not edit."""

from typing import Any, overload

from xdsl.irdl import IRDLOperation

from teloom.frontend.expr.expressions import Expr
from teloom.frontend.extern.tensor_intrins import TensorIntrin
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import IterVar, Tensor

class StageMethods:
    def command(self, op: type[IRDLOperation], *args: object, **kwargs: object) -> Any:
        """Appends a command of a plug-in, given by its op class; returns the axes that it makes."""

    def after(
        self,
        other: Stage,
        axis: IterVar | None = None,
    ) -> None:
        """Runs a stage behind another one that it does not read, maybe in loops that they share."""

    def align_bounds(
        self,
        axis: IterVar,
        modulus: int,
        remainder: int | None = None,
    ) -> None:
        """Enlarges the region of a stage to whole blocks along an axis."""

    def always_partition(
        self,
        *args: IterVar,
    ) -> None:
        """Runs the whole iterations of axes apart: `schedule.partition` with `always`."""

    def between(
        self,
        before: Stage,
        before_axis: IterVar,
        behind: Stage,
        behind_axis: IterVar,
    ) -> None:
        """Runs a stage behind a second one and in front of a third, in loops that they share."""

    def bind(
        self,
        ivar: IterVar,
        thread_ivar: IterVar | str,
    ) -> None:
        """Runs the iterations of an axis in the threads, or blocks of threads, of a thread axis."""

    def bound(
        self,
        axis: IterVar,
        min: int,
        extent: int,
    ) -> None:
        """Promises that all of a stage that is needed lies within constants along an axis."""

    def bound_extent(
        self,
        axis: IterVar,
        extent: int,
    ) -> None:
        """Promises that a region has at most so many coordinates along an axis, wherever it begins."""

    def compute_at(
        self,
        parent: Stage,
        scope: IterVar,
    ) -> None:
        """Computes a stage inside the loop of an axis of its consumer: exactly what is read there."""

    def compute_inline(
        self,
    ) -> None:
        """Replaces every read of a stage by its equation, and removes the stage."""

    def compute_root(
        self,
    ) -> None:
        """Computes a stage as a whole, before all its readers."""

    def compute_with(
        self,
        other: Stage,
        axis: IterVar,
        align: str | list[str] | None = None,
    ) -> None:
        """Runs two stages in one loop nest: they share the loops down to an axis."""

    def decompose_reduction(
        self,
        axis: IterVar,
    ) -> None:
        """Runs the init part of a reduction in front of the loop of an axis, as a nest of its own."""

    def double_buffer(
        self,
    ) -> None:
        """Stores a stage twice, so that one iteration computes what the next one reads."""

    def fission(
        self,
        axis: IterVar,
    ) -> None:
        """Distributes a loop, and those inside, over the stages that share it."""

    def fold_storage(
        self,
        axis: IterVar,
        factor: int | None = None,
    ) -> None:
        """Stores the elements along a data axis modulo a factor: a circular buffer."""

    def fuse_reduction_epilogue(
        self,
        epilogue: Stage,
    ) -> None:
        """Makes what combines the elements of a reduction with others the start of the fold."""

    def merge(
        self,
        axis: IterVar,
        other: Stage,
        other_axis: IterVar,
    ) -> None:
        """Makes one nest of two whose loops have the same extents, down to an axis of each."""

    def never_partition(
        self,
        *args: IterVar,
    ) -> None:
        """Runs all iterations of axes in one loop: `schedule.partition` with `never`."""

    def pad_einsum(
        self,
        axis: IterVar,
        factor: int,
    ) -> None:
        """Rounds the extent of an axis of an einsum up to a multiple; what it reads is padded by zeros."""

    def parallel(
        self,
        var: IterVar,
        chunk: str | None = None,
    ) -> None:
        """Runs the iterations of an axis at the same time, on several cores."""

    def partition(
        self,
        var: IterVar,
        policy: str,
    ) -> None:
        """Sets whether the whole iterations of an axis run apart: `auto`, `never` or `always`."""

    def prefetch(
        self,
        tensor: Tensor,
        var: IterVar,
        offset: int,
    ) -> None:
        """Prefetches, in a loop of a stage, the elements of a tensor that a later iteration reads."""

    def reverse(
        self,
        parent: IterVar,
    ) -> IterVar:
        """Reverses an axis: it runs from its end to its start."""

    def ring_buffer(
        self,
        copies: int,
    ) -> None:
        """Stores a stage several times, so that one iteration computes what a later one reads."""

    def rolling_buffer(
        self,
    ) -> None:
        """Stores a stage outside of the loop in which it is computed, in a circular buffer."""

    def separate_at(
        self,
        var: IterVar,
        point: int,
    ) -> None:
        """Runs an axis in two loops, one behind the other: up to a point, and from there on."""

    def set_mode(
        self,
        mode: str | None = None,
        budget: int | None = None,
    ) -> None:
        """Sets how exactly the region of a stage is computed."""

    def set_scope(
        self,
        scope: str,
    ) -> None:
        """Sets the memory in which a stage is stored."""

    def shift(
        self,
        parent: IterVar,
        offset: int,
    ) -> IterVar:
        """Moves the coordinates of an axis: shifted = parent + offset."""

    def singleton(
        self,
    ) -> IterVar:
        """Makes an axis of one iteration: the outermost loop of a stage."""

    @overload
    def skew(self, *axes_and_numbers: IterVar | int | Var) -> IterVar: ...
    @overload
    def skew(
        self,
        parent: IterVar,
        along: IterVar,
        factor: int,
    ) -> IterVar:
        """Moves an axis along with another: skewed = parent + factor * along."""

    def specialize(
        self,
        condition: Expr,
    ) -> None:
        """Gives the loops of a stage a version of their own for sizes that satisfy a condition."""

    def storage_align(
        self,
        axis: IterVar,
        factor: int,
        offset: int,
    ) -> None:
        """Pads rows so that a data axis has a stride that is `offset` modulo `factor`."""

    def store_at(
        self,
        parent: Stage,
        scope: IterVar,
    ) -> None:
        """Stores a stage in the loop of an axis around its place of computation."""

    def store_root(
        self,
    ) -> None:
        """Stores a stage outside of all loops, wherever it is computed."""

    def stream_stores(
        self,
    ) -> None:
        """Stores the elements of a stage past the caches, which keep what is read again."""

    def tensorize(
        self,
        var: IterVar,
        tensor_intrin: TensorIntrin,
    ) -> None:
        """Puts the code of an intrinsic in the place of the loop of an axis and all those inside it."""

    @overload
    def tile(self, *axes_and_numbers: IterVar | int | Var) -> list[IterVar]: ...
    @overload
    def tile(
        self,
        x_parent: IterVar,
        y_parent: IterVar,
        x_factor: int | Expr,
        y_factor: int | Expr,
        tail: str | None = None,
    ) -> list[IterVar]:
        """Splits two axes and orders the four that result: outer, outer, inner, inner."""

    def unroll(
        self,
        var: IterVar,
    ) -> None:
        """Runs the iterations of an axis as copies of the loop's body."""

    def vectorize(
        self,
        var: IterVar,
    ) -> None:
        """Runs the iterations of an axis as the lanes of vectors."""
