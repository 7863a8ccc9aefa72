"""Thread axes: the blocks and threads of a device, to which `bind` gives axes."""

from __future__ import annotations

from teloom.dialects import schedule as dialect
from teloom.errors import Error, ScheduleError
from teloom.frontend.expr.expressions import Const
from teloom.frontend.expr.names import checked_text
from teloom.frontend.tensor.tensors import IterType, IterVar, checked_range


def thread_axis(dom: object = None, tag: str = "", name: str = "", span: object = None) -> IterVar:
    """A thread axis: that of the blocks or threads named by `tag`, such as "threadIdx.x".

    `dom` may be the tag itself, or a pair (0, extent) of integers. Then an axis bound to it
    must have this extent. `span` is accepted as TVM's argument: it means nothing. Raises
    `teloom.Error` for another tag or dom.
    Source: TVM's te.thread_axis.

    >>> thread_axis("threadIdx.x").thread_tag
    'threadIdx.x'
    >>> print(thread_axis((0, 32), "threadIdx.y", name="ty").dom.extent)
    32
    """
    if isinstance(dom, str):
        dom, tag = None, dom
    if checked_text(tag, "tag of thread_axis") not in dialect.THREAD_TAGS:
        raise Error(dialect.unknown_thread(tag))
    name = checked_text(name, "name of thread_axis") or tag
    if dom is None:
        return IterVar(name, None, IterType.THREAD_INDEX, tag)
    begin, extent = found = checked_range(dom, name, "thread_axis")
    if not isinstance(begin, Const) or begin.value != 0:
        raise Error(f"thread_axis {name!r} begins at {begin}; a thread axis begins at 0")
    if not isinstance(extent, Const) or extent.value < 1:
        raise Error(
            f"thread_axis {name!r} has the extent {extent}, which is no number of 1 or more; "
            f'te.thread_axis("{tag}") takes any extent'
        )
    return IterVar(name, found, IterType.THREAD_INDEX, tag)


def thread_attribute(value: object, parameter: str) -> dialect.ThreadAxisAttr:
    """The attribute of a thread axis or of its tag; raises ScheduleError for other values."""
    if isinstance(value, str):
        return dialect.ThreadAxisAttr.of(value)
    if not isinstance(value, IterVar) or not value.thread_tag:
        raise ScheduleError(
            f'{parameter} must be a thread axis, as te.thread_axis("threadIdx.x"), got {value!r}'
        )
    extent = None if value.dom is None else value.dom.extent.value
    return dialect.ThreadAxisAttr.of(value.thread_tag, extent)
