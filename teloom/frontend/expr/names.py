"""The names that a user gives, and their spelling in IR."""

import re

from teloom.errors import Error, one_line


def checked_text(text: object, what: str, refusal: type[Error] = Error) -> str:
    """`text`, if it is a string; else raises `refusal`, in which `what` names it."""
    if not isinstance(text, str):
        raise refusal(f"{what} must be a string, got {text!r}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise refusal(f"{what} is {text!r}, which is no Unicode text") from None
    return text


def ir_string(text: str) -> str:
    r"""`text` as IR can print it and read it back: in ASCII, on one line.

    >>> ir_string("a b"), ir_string("ä")
    ('a b', '\\xe4')
    """
    return one_line(text).encode("ascii", "backslashreplace").decode()


def function_name(name: object) -> str:
    """The name of a function in IR; raises `teloom.Error` for a text that cannot be one."""
    return ir_string(checked_text(name, "name of the function"))


def ssa_name(name: str) -> str:
    """`name` with `_` for each character that the name of a value cannot have.

    >>> ssa_name("a b"), ssa_name("2x"), ssa_name("2")
    ('a_b', '_2x', 'v_2')
    """
    cleaned = re.sub(r"[^A-Za-z0-9_$.-]", "_", name)
    if not re.match(r"[A-Za-z_$.-]", cleaned):
        cleaned = f"_{cleaned}"
    # xDSL drops `_` and a number from the end of a name, and would leave nothing of `_2`.
    return f"v{cleaned}" if re.fullmatch(r"(_[0-9]+)+", cleaned) else cleaned
