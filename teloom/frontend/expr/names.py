"""The names that a user gives, and what they are in IR."""

import re

from teloom.errors import Error, one_line


def checked_text(text: object, what: str, refusal: type[Error] = Error) -> str:
    """`text`, if it is that; raises `refusal`, with `what` it is, for anything else."""
    if not isinstance(text, str):
        raise refusal(f"{what} must be a string, got {text!r}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise refusal(f"{what} is {text!r}, which is no Unicode text") from None
    return text


def ir_string(text: str) -> str:
    r"""`text` as IR can hold it and read it back: in ASCII, on one line.

    >>> ir_string("a b"), ir_string("ä")
    ('a b', '\\xe4')
    """
    return one_line(text).encode("ascii", "backslashreplace").decode()


def function_name(name: object) -> str:
    """The name of a function of IR; raises `teloom.Error` for what is no name."""
    return ir_string(checked_text(name, "name of the function"))


def ssa_name(name: str) -> str:
    """`name` with what cannot stand in the name of a value replaced by `_`.

    >>> ssa_name("a b"), ssa_name("2x"), ssa_name("2")
    ('a_b', '_2x', 'v_2')
    """
    cleaned = re.sub(r"[^A-Za-z0-9_$.-]", "_", name)
    if not re.match(r"[A-Za-z_$.-]", cleaned):
        cleaned = f"_{cleaned}"
    # A number behind `_` is no part of a name, and `_2` would have no other part.
    return f"v{cleaned}" if re.fullmatch(r"(_[0-9]+)+", cleaned) else cleaned
