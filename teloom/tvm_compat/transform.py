"""`tvm.transform.PassContext`: options of builds in a `with` block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from teloom.errors import Error
from teloom.tvm_compat.blocks import Block

_KEPT = "te.keep_schedule_record"
_CHECKED = "tir.instrument_bound_checkers"
_INSTEAD = {
    "tir.add_lower_pass": "teloom.build(..., passes={'loop': [...]}) runs passes of yours",
    "tir.UnrollLoop": "s[C].unroll(axis), or its pragmas, say which loops are unrolled",
    "tir.disable_vectorize": "only the axes of s[C].vectorize(axis) become vectors",
    "tir.InjectDoubleBuffer": "s[C].double_buffer() and ring_buffer(copies) say it of a stage",
    "tir.LoopPartition": "s[C].partition(axis, policy) says it of a loop",
}


class PassContext(Block):
    """The options of the builds in a `with` block.

    `opt_level` is one of graphs of operators, which te has none of. Of `config` there are
    "tir.instrument_bound_checkers", by which each access to memory is checked, and
    "te.keep_schedule_record", which schedules always do. Raises `teloom.Error` for other options,
    with what there is instead. Source: TVM's transform.PassContext.

    >>> with PassContext(opt_level=3, config={"tir.instrument_bound_checkers": True}):
    ...     sanitizer()
    'memory'
    """

    def __init__(
        self,
        opt_level: int = 2,
        required_pass: Sequence[str] | None = None,
        disabled_pass: Sequence[str] | None = None,
        instruments: Sequence[Any] | None = None,
        config: Mapping[str, Any] | None = None,
    ):
        named = (("required_pass", required_pass), ("disabled_pass", disabled_pass))
        for name, given in (*named, ("instruments", instruments)):
            if given:
                raise Error(
                    f"{name} {list(given)!r} of a PassContext are passes of TVM; there is: "
                    "teloom.build(..., options={'name-of-a-pass': {...}})"
                )
        self.opt_level, self.config = opt_level, dict(config or {})
        for key in self.config:
            if key not in (_KEPT, _CHECKED):
                instead = f"; there is: {_INSTEAD[key]}" if key in _INSTEAD else ""
                raise Error(f"the option {key!r} of a PassContext has no meaning here{instead}")

    @staticmethod
    def current() -> PassContext:
        """That around the caller, or one without options."""
        return PassContext.innermost() or PassContext()


def sanitizer() -> str | None:
    """What checks accesses in the builds of the `with` block around the caller."""
    return "memory" if PassContext.current().config.get(_CHECKED) else None
