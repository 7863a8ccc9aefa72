"""Words that are no names in C, in C++, or behind the headers that declarations need."""

import re

KEYWORDS = frozenset(
    (
        # of C, up to C23, and of its compilers
        "alignas alignof asm auto bool break case char const constexpr continue default do double "
        "else enum extern false float for goto if inline int long nullptr register restrict return "
        "short signed sizeof static static_assert struct switch thread_local true typedef typeof "
        "typeof_unqual union unsigned void volatile while i386 linux unix "
        # of C++ alone
        "and and_eq bitand bitor catch char16_t char32_t char8_t class co_await co_return co_yield "
        "compl concept const_cast consteval constinit decltype delete dynamic_cast explicit export "
        "friend mutable namespace new noexcept not not_eq operator or or_eq private protected "
        "public reinterpret_cast requires static_cast template this throw try typeid typename "
        "using virtual wchar_t xor xor_eq"
    ).split()
)

_OF_HEADERS = re.compile(
    r"u?int(_least|_fast)?\d+_t|u?int(max|ptr)_t|(size|ptrdiff|max_align)_t|[A-Z0-9_]+_(MAX|MIN)"
    r"|U?INT[A-Z0-9]+_C|NULL|offsetof"
    r"|NAN|INFINITY|HUGE_VAL(\w*[A-Z0-9])?|M_\w*[A-Z0-9]|FP_\w*[A-Z0-9]|math_errhandling"
    r"|EXIT_(SUCCESS|FAILURE)|EOF|BUFSIZ|SEEK_(CUR|END|SET)|L_tmpnam|errno"
)
"""What stdint.h, stdbool.h and stddef.h define, and macros of math.h, stdlib.h and stdio.h.

None of these ends in an underscore: one behind a name makes another one of it.
"""

_TAKEN_BEGINNINGS = re.compile(r"__|_[A-Z]|teloom_|TELOOM_")
"""Of names that C keeps for compilers, and of those of our headers."""


def is_taken(name: str) -> bool:
    """Whether a name means something of its own in a header."""
    return name in KEYWORDS or _OF_HEADERS.fullmatch(name) is not None or begins_as_taken(name)


def begins_as_taken(name: str) -> bool:
    """Whether a name begins as others do that are not the user's."""
    return _TAKEN_BEGINNINGS.match(name) is not None
