"""Threefry: four words of 64 bits, mixed with a key of four until nothing is left of their order.

Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011, with the
constants of Skein 1.3, section 3.3. It is as in TVM: 20 rounds, and no key after the last of them.
"""

from __future__ import annotations

import operator as python
from collections.abc import Sequence
from functools import reduce
from typing import Any

from teloom import te

ROTATIONS = ((14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12), (58, 22), (32, 32))
"""By how many bits the second word of each pair is rotated, in a round; after 8 rounds again."""

PARITY = 0x1BD11BDAA9FC1A22
"""The fifth word of a key is this, and what is odd in the four others."""

ROUNDS = 20


def word(value: int) -> Any:
    """A constant of 64 bits."""
    return te.const(value, "uint64")


def _mixed(one: Any, other: Any, rotation: int) -> tuple[Any, Any]:
    total = one + other
    return total, total ^ (other << rotation | other >> (64 - rotation))


def threefry(key: Sequence[Any], counter: Sequence[Any]) -> list[Any]:
    """Four words of 64 bits from a key and a counter of four, as expressions of uint64."""
    keys = [*key, reduce(python.xor, key, word(PARITY))]
    words = list(counter)
    for number in range(ROUNDS):
        if number % 4 == 0:
            turn = number // 4
            words = [one + keys[(turn + k) % 5] for k, one in enumerate(words)]
            words[3] = words[3] + word(turn)
        first, second = ROTATIONS[number % 8]
        a, b = _mixed(words[0], words[1], first)
        c, d = _mixed(words[2], words[3], second)
        words = [a, d, c, b]
    return words
