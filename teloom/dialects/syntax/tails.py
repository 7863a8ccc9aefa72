"""How tiles run that are not whole, and whether the iterations of a loop run apart."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from teloom.errors import did_you_mean


class Tail(StrEnum):
    """How the last tile of a split runs, where the factor does not divide the extent.

    - `auto`: as `partition-loops` finds that it pays;
    - `guard`: like all others, in one loop: bounds and guards end it, and empty parts run, too;
    - `cut`: apart from the whole tiles, which ask nothing; it is masked or ends early;
    - `predicate`: apart, as long as the others, its vectors masked where the axis has ended;
    - `round_up`: as long as the others, which computes more than was asked for, and with it what is
      computed for its tiles; temporary storage has room for it, and for other storage it begins
      earlier where it can;
    - `shift_inwards`: as long as the others and ending where the axis ends, which computes some
      elements a second time; apart if there may be no tile before it.

    Like: `TailStrategy` of Halide.
    """

    AUTO = "auto"
    GUARD = "guard"
    CUT = "cut"
    PREDICATE = "predicate"
    ROUND_UP = "round_up"
    SHIFT_INWARDS = "shift_inwards"


class Partition(StrEnum):
    """Whether the whole iterations of a loop run apart from the others. Like: Halide's."""

    AUTO = "auto"
    NEVER = "never"
    ALWAYS = "always"


def verify_tail(tail: StringAttr | None) -> None:
    """Raises VerifyException for a word that is no tail."""
    if tail is not None:
        _verify_word("tail", tail.data, [one.value for one in Tail])


def verify_partition(policy: StringAttr) -> None:
    """Raises VerifyException for a word that is no policy."""
    _verify_word("partition", policy.data, [one.value for one in Partition])


def _verify_word(what: str, word: str, words: list[str]) -> None:
    if word not in words:
        known = ", ".join(words)
        raise VerifyException(f"no {what} {word!r}{did_you_mean(word, words)}; known: {known}")
