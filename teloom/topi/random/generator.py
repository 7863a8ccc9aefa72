"""Generators of random words, each of which can be split into two that never give the same.

The state is ten words of 64 bits: a key (0 to 3), a path (4 and 5), a counter (6 and 7), and where
in the path the next bit goes (8 and 9). A number depends on all of these and on its own position,
so that all can be computed at once. A split puts a bit behind the path, 0 on the left and 1 on the
right. Where the path or the counter is full, a new key is made of key, path and counter.
Source: Claessen and Palka, "Splittable pseudorandom number generators using cryptographic
hashing", 2013.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, shown, wrong
from teloom.topi.elementwise import computed
from teloom.topi.extents import as_extents, ravelled, same, total
from teloom.topi.random.threefry import threefry, word

WORDS = 10
ALL_ONES = 2**64 - 1


def _state(name: str, gen: object) -> te.Tensor:
    tensor = a_tensor(name, "gen", gen, 1)
    if tensor.dtype != "uint64" or not same(tensor.shape[0], WORDS):
        raise wrong(name, "gen", f"is {shown(tensor)}, but a state is {WORDS} words of uint64")
    return tensor


def _listed(name: str, words: Sequence[Any]) -> te.Tensor:
    """A tensor of some words, which are expressions of no axis."""

    def value(k: Any) -> Any:
        found = words[-1]
        for number in reversed(range(len(words) - 1)):
            found = te.select(k == number, words[number], found)
        return found

    return computed(name, (len(words),), value)


def _hashed(name: str, gen: te.Tensor, counter: Sequence[Any]) -> list[Any]:
    """The words of a new key, computed once."""

    def value(_: Any) -> tuple[Any, ...]:
        return tuple(threefry([gen(k) for k in range(4)], counter))

    made = te.compute((1,), value, f"{name}_key")
    return [one(0) for one in made]


def _halved(high: Any, low: Any) -> tuple[Any, Any]:
    """A number of two words of which one bit is set, over 2."""
    moved = te.select(high == 1, word(1 << 63), te.select(high == 0, low >> 1, word(0)))
    return te.select(high == 1, word(0), high >> 1), moved


def _chosen(condition: Any, some: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    return [te.select(condition, one, other) for one, other in zip(some, others, strict=True)]


def _with_room(name: str, gen: te.Tensor, count: Any) -> te.Tensor:
    """The state, or, where the counter has no room for `count` numbers, one that follows it."""
    here = [gen(k) for k in range(WORDS)]
    zero, ones = word(0), word(ALL_ONES)
    key = _hashed(name, gen, [here[4], here[5], ones, ones])
    fresh = [*key, zero, zero, zero, zero, word(1 << 63), zero]
    path = [here[4] | here[8], here[5] | here[9]]
    longer = [*here[:4], *path, zero, zero, *_halved(here[8], here[9])]
    is_full = (here[8] == 0) & (here[9] == 0)
    has_room = here[7] < ones - count
    words = _chosen(has_room, here, _chosen(is_full, fresh, longer))
    return _listed(f"{name}_state", words)


def threefry_generate(gen: te.Tensor, out_shape: Any) -> list[te.Tensor]:
    """The next state of a generator, and a tensor of `out_shape` random words of uint64.

    >>> threefry_generate(te.placeholder((10,), "uint64", name="gen"), (8, 4))
    [Tensor(shape=[10], dtype=uint64, ...), Tensor(shape=[8, 4], dtype=uint64, ...)]
    """
    name = "random.threefry_generate"
    _state(name, gen)
    shape = as_extents(name, "out_shape", out_shape)
    count = total(shape)
    blocks = (count + 3) // 4
    used = te.multiply(blocks, 4).astype("uint64")
    stage = "threefry"
    state = _with_room(stage, gen, te.multiply(count, 1).astype("uint64"))

    def block(number: Any) -> tuple[Any, ...]:
        counter = [state(4 + k) + number.astype("uint64") for k in range(4)]
        return tuple(threefry([state(k) for k in range(4)], counter))

    words = te.compute((blocks,), block, f"{stage}_blocks")

    def value(*at: Any) -> Any:
        position = ravelled(at, shape)
        found = words[3](position // 4)
        for k in reversed(range(3)):
            found = te.select(position % 4 == k, words[k](position // 4), found)
        return found

    def following(k: Any) -> Any:
        moved = te.select(k == 7, state(k) + used, state(k))
        return te.select(k == 6, word(0), moved)

    next_state = computed(name, (WORDS,), following, name="next_state")
    return [next_state, computed(name, shape, value)]


def threefry_split(gen: te.Tensor) -> list[te.Tensor]:
    """The states of two generators, which share no number with each other or with `gen`.

    >>> threefry_split(te.placeholder((10,), "uint64", name="gen"))
    [Tensor(shape=[10], dtype=uint64, name=left), Tensor(shape=[10], dtype=uint64, name=right)]
    """
    name = "random.threefry_split"
    _state(name, gen)
    here = [gen(k) for k in range(WORDS)]
    zero, first, second = word(0), word(1 << 63), word(1 << 62)
    key = _hashed("threefry_split", gen, here[4:8])
    rest = _halved(here[8], here[9])
    is_full = (here[8] == 0) & (here[9] == 0)
    left = _chosen(is_full, [*key, zero, zero, zero, zero, second, zero], [*here[:8], *rest])
    path = [here[4] | here[8], here[5] | here[9]]
    right = _chosen(
        is_full,
        [*key, first, zero, zero, zero, second, zero],
        [*here[:4], *path, *here[6:8], *rest],
    )
    return [_listed("left", left), _listed("right", right)]
