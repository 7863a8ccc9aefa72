from __future__ import annotations

from typing import Any

from teloom import te


def schedule(outs: Any, target: Any = None) -> te.Schedule:
    s = te.create_schedule(outs if isinstance(outs, te.Tensor) else [one.op for one in outs])
    te.auto_schedule(s, *([] if target is None else [target]))
    return s
