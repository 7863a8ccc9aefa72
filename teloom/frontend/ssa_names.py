"""The names of values in IR, from those that a user gives."""

import re


def ssa_name(name: str) -> str:
    """`name` with what cannot stand in the name of a value replaced by `_`."""
    cleaned = re.sub(r"[^A-Za-z0-9_$.-]", "_", name)
    return cleaned if re.match(r"[A-Za-z_$.-]", cleaned) else f"_{cleaned}"
