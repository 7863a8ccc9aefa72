"""`tvm.topi.nn.utils`: the padding of a convolution as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teloom.topi.windows import windows


def _padding(operator: str, padding: object, kernel: Sequence[Any]) -> tuple[Any, ...]:
    found = windows(operator, kernel, 1, padding, 1)
    return (*(one.before for one in found), *(one.after for one in found))


def get_pad_tuple1d(padding: object, kernel: Any) -> tuple[Any, ...]:
    """The padding on the left and on the right; what `padding` may be is as in `topi.nn.conv1d`.

    >>> get_pad_tuple1d("SAME", (4,))
    (2, 1)
    """
    sizes = [*kernel] if isinstance(kernel, tuple | list) else [kernel]
    return _padding("get_pad_tuple1d", padding, sizes)


def get_pad_tuple(padding: object, kernel: Sequence[Any]) -> tuple[Any, ...]:
    """The padding at the top, on the left, at the bottom, and on the right.

    >>> get_pad_tuple(1, (3, 3)), get_pad_tuple((1, 2), (3, 5)), get_pad_tuple("SAME", (3, 3))
    ((1, 1, 1, 1), (1, 2, 1, 2), (1, 1, 1, 1))
    """
    return _padding("get_pad_tuple", padding, kernel)


def get_pad_tuple3d(padding: object, kernel: Sequence[Any]) -> tuple[Any, ...]:
    """The padding in front, at the top, on the left, behind, at the bottom, and on the right.

    >>> get_pad_tuple3d((1, 2, 3), (3, 5, 7))
    (1, 2, 3, 1, 2, 3)
    """
    return _padding("get_pad_tuple3d", padding, kernel)
