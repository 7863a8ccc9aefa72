"""Random numbers: the words of the generator bit by bit, and what is made of them."""

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.topi import random

MASK = 2**64 - 1
ROTATIONS = [(14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12), (58, 22), (32, 32)]


def threefry(key, counter, last=False):
    """In Python's integers; with `last`, a key is added after the last round, as in Random123."""
    keys = [*key, 0x1BD11BDAA9FC1A22]
    for word in key:
        keys[4] ^= word
    x = list(counter)

    def inject(turn):
        for k in range(4):
            x[k] = (x[k] + keys[(turn + k) % 5] + turn * (k == 3)) & MASK

    for number in range(20):
        if number % 4 == 0:
            inject(number // 4)
        for k, rotation in enumerate(ROTATIONS[number % 8]):
            x[2 * k] = (x[2 * k] + x[2 * k + 1]) & MASK
            rotated = x[2 * k + 1] << rotation | x[2 * k + 1] >> (64 - rotation)
            x[2 * k + 1] = (rotated ^ x[2 * k]) & MASK
        x[1], x[3] = x[3], x[1]
    if last:
        inject(5)
    return x


def test_the_reference_is_threefry():
    """The first of the known answers of Random123 for threefry4x64 with 20 rounds."""
    answer = [0x09218EBDE6C85537, 0x55941F5266D86105, 0x4BD25E16282434DC, 0xEE29EC846BD2E40B]
    assert threefry([0] * 4, [0] * 4, last=True) == answer


def halved(high, low):
    both = (high << 64 | low) >> 1
    return [both >> 64, both & MASK]


def split(state):
    key, path, counter, place = state[:4], state[4:6], state[6:8], state[8:]
    if place == [0, 0]:
        key, second = threefry(key, path + counter), [1 << 62, 0]
        return [[*key, 0, 0, 0, 0, *second], [*key, 1 << 63, 0, 0, 0, *second]]
    longer = [one | bit for one, bit in zip(path, place, strict=True)]
    rest = halved(*place)
    return [[*key, *path, *counter, *rest], [*key, *longer, *counter, *rest]]


def generate(state, count):
    if state[7] >= MASK - count:
        longer = [one | bit for one, bit in zip(state[4:6], state[8:], strict=True)]
        if state[8:] == [0, 0]:
            key = threefry(state[:4], [*state[4:6], MASK, MASK])
            state = [*key, 0, 0, 0, 0, 1 << 63, 0]
        else:
            state = [*state[:4], *longer, 0, 0, *halved(*state[8:])]
    words = []
    for block in range(-(-count // 4)):
        words += threefry(state[:4], [(one + block) & MASK for one in state[4:8]])
    used = -(-count // 4) * 4
    return [*state[:6], 0, state[7] + used, *state[8:]], words[:count]


GEN = te.placeholder((10,), "uint64", name="gen")
FIRST = [0] * 8 + [1 << 63, 0]


def compiled(outputs, *inputs):
    f = teloom.build(te.create_schedule(outputs), [GEN, *inputs, *outputs])

    def run(state, *arrays):
        results = [np.zeros([int(one) for one in t.shape], t.dtype) for t in outputs]
        f(np.array(state, "uint64"), *arrays, *results)
        return results

    return run


def test_split():
    run = compiled(random.threefry_split(GEN))
    states = [FIRST, [1, 2, 3, 4, 1 << 63, 5, 6, 7, 0, 1], [9] * 8 + [1, 0], [MASK] * 8 + [0, 0]]
    left, right = split(FIRST)
    for state in [*states, left, right]:
        found = [one.tolist() for one in run(state)]
        assert found == split(state)
    state = FIRST
    for _ in range(129):  # the path has 128 bits, then there is a new key
        state = run(state)[1].tolist()
    assert state[:4] == split([0] * 4 + [MASK] * 2 + [0] * 4)[1][:4]


@pytest.mark.parametrize("shape", [(3, 4), (7,), (0,)])
def test_generate(shape):
    run = compiled(random.threefry_generate(GEN, shape))
    full = [3, 1, 4, 1, 5, 9, 0, MASK - 1]
    for state in (FIRST, [5, 6, 7, 8, 9, 1, 2, 3, 4, 5], [*full, 0, 0], [*full, 0, 1 << 5]):
        following, words = run(state)
        expected, numbers = generate(state, words.size)
        assert following.tolist() == expected
        assert words.ravel().tolist() == numbers


def fractions(state, count, bits):
    state, words = generate(state, count)
    return state, np.array([word >> (64 - bits) for word in words]) / 2.0**bits


def test_uniform_never_gives_the_end():
    """Most of these fractions are rounded to one of few floats, also to the end."""
    (_, numbers) = compiled(random.uniform(GEN, 5.0, 5.000001, (20_000,), "float32"))(FIRST)
    assert {*numbers.tolist()} == {5.0, float(np.nextafter(np.float32(5), np.float32(6)))}


def test_uniform_and_normal():
    low, scale = te.placeholder((), "float32", "low"), te.placeholder((), "float64", "scale")
    outputs = [
        *random.uniform(GEN, low, 8.0, (5, 200), "float32"),
        *random.normal(GEN, -1.0, scale, (2000,), "float64"),
    ]
    given = [np.array(5, "float32"), np.array(2, "float64")]
    run = compiled(outputs, low, scale)
    after, numbers, following, spread = run(FIRST, *given)
    state, flat = fractions(FIRST, 1000, 23)
    assert after.tolist() == state
    np.testing.assert_allclose(numbers, flat.reshape(5, 200) * 3 + 5, rtol=1e-6)
    assert numbers.min() >= 5
    assert numbers.max() < 8
    state, pairs = fractions(FIRST, 4000, 52)
    first, second = pairs.reshape(2, 2000)
    expected = np.sqrt(-2 * np.log(1 - first)) * np.sin(2 * np.pi * second) * 2 - 1
    assert following.tolist() == state
    np.testing.assert_allclose(spread, expected, rtol=1e-12, atol=1e-12)
    assert abs(spread.mean() + 1) < 0.15
    assert abs(spread.std() - 2) < 0.15


def test_multinomial():
    P = te.placeholder((3, 4), name="P")
    p = np.array([[0.5, 0, 1.5, 2], [0, 0, 7, 0], [1, 0, 0, 0]], "float32")
    after, at = compiled(random.multinomial(GEN, P, 1001), P)(FIRST, p)
    state, numbers = fractions(FIRST, 3003, 23)
    levels = numbers.astype("float32").reshape(3, 1001) * p.sum(1, keepdims=True)
    expected = [np.searchsorted(np.cumsum(row), one, "right") for row, one in zip(p, levels)]
    assert after.tolist() == state
    np.testing.assert_array_equal(at, expected)
    shares = np.bincount(at[0], minlength=4) / 1001
    np.testing.assert_allclose(shares, p[0] / 4, atol=0.05)


S = te.placeholder((9,), "uint64", name="S")
A = te.placeholder((3, 4), name="A")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: random.threefry_split(S),
            "topi.random.threefry_split: gen is S of shape (9,) and dtype uint64, but a state is",
        ),
        (lambda: random.threefry_generate(GEN, (-1,)), "out_shape is [-1], whose extent 0 is nega"),
        (
            lambda: random.uniform(GEN, 0, 1, (4,), "int32"),
            "topi.random.uniform: out_dtype is 'int32'; known are 'float32', 'float64'",
        ),
        (
            lambda: random.normal(GEN, A, 1, (4,), "float32"),
            "topi.random.normal: mean is A of shape",
        ),
        (
            lambda: random.multinomial(GEN, S, 3),
            "topi.random.multinomial: probs is S of shape (9,)",
        ),
        (lambda: random.multinomial(GEN, A, -3), "num_samples is -3, but must be at least 0"),
    ],
)
def test_refusals(make, words, refuses):
    refuses(make, words)
