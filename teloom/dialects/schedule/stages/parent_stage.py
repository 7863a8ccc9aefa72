"""A stage as the ops in it see it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, var_result_def


class ParentStage(IRDLOperation, ABC):
    """The stage that an order, an equation or a range is in: what they verify themselves by."""

    name = "schedule.stage"

    tensors = var_result_def(TensorType)

    @property
    @abstractmethod
    def root_axes(self) -> Sequence[SSAValue]: ...

    @property
    @abstractmethod
    def data_axis_count(self) -> int: ...

    @property
    @abstractmethod
    def data_bounded_axes(self) -> list[SSAValue]:
        """The root axes whose bounds the equation takes from data."""

    @property
    @abstractmethod
    def leaf_axes(self) -> Sequence[SSAValue]: ...
