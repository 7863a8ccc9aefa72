"""Streamed stores write what plain ones do, whatever the addresses of the arrays."""

from typing import Any

import numpy as np
import pytest

import teloom
from teloom import te


def at(offset: int, *shape: int, dtype: str = "float32") -> tuple[np.ndarray, np.ndarray]:
    """An array that begins so many elements behind a boundary of 64 bytes, and what it lies in."""
    count = int(np.prod(shape))
    room = teloom.zeros(count + offset + 8, dtype)
    return room[offset : offset + count].reshape(shape), room


def doubled(m: Any, n: Any, dtype: str = "float32", lanes: int = 16, binds: Any = None):
    """B[i, j] = 2 * A[i, j], streamed, in vectors."""
    A = te.placeholder((m, n), dtype, name="A")
    B = te.compute((m, n), lambda i, j: A[i, j] * 2, name="B")
    s = te.create_schedule(B)
    _, ji = s[B].split(B.op.axis[1], factor=lanes)
    s[B].vectorize(ji)
    s[B].stream_stores()
    buffers = None if binds is None else {B: te.decl_buffer((m, n), dtype, name="B", **binds)}
    return teloom.build(s, [A, B], name="doubled", binds=buffers, target="x86-64")


def check(f: Any, m: int, n: int, dtype: str, offset: int) -> None:
    a, (b, room) = np.zeros((m, n), dtype), at(offset, m, n, dtype=dtype)
    a[...] = np.random.default_rng(m * n).integers(0, 99, (m, n))
    f(a, b)
    np.testing.assert_array_equal(b, a * 2)
    assert not room[:offset].any()
    assert not room[offset + m * n :].any()


def streams(f: Any) -> int:
    """The number of streamed stores in the machine code."""
    return f.source("asm").count("movnt")


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "float16"])
def test_every_address(dtype):
    f = doubled(6, 64, dtype)
    assert streams(f)
    for offset in (0, 1, 2, 4, 8, 16, 32):
        check(f, 6, 64, dtype, offset)


def test_sizes_known_at_the_call():
    f = doubled(te.var("m"), te.var("n"), lanes=4)
    for m, n in [(3, 8), (3, 7), (1, 1), (0, 5), (4, 0), (5, 64), (2, 66)]:
        for offset in (0, 1, 4):
            check(f, m, n, "float32", offset)


def test_an_alignment_that_is_declared_needs_one_version():
    declared, other = doubled(6, 64, binds={"data_alignment": 64}), doubled(6, 64)
    assert streams(declared)
    assert len(declared.source("asm")) < len(other.source("asm"))
    check(declared, 6, 64, "float32", 0)
    with pytest.raises(teloom.CallError, match="not aligned to 64 bytes"):
        check(declared, 6, 64, "float32", 4)


def test_what_cannot_begin_on_a_boundary_is_stored_plainly():
    with pytest.warns(teloom.Remark, match="no store is streamed: its vectors do not begin"):
        f = doubled(6, 63)
    assert not streams(f)
    check(f, 6, 63, "float32", 0)


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_rows_that_begin_anywhere(dtype):
    """Whole lines are streamed: of a row from its first whole one on, and of all of an array."""
    f = doubled(3, 1203, dtype)
    assert streams(f)
    for offset in (0, 1, 4, 15):
        check(f, 3, 1203, dtype, offset)


def test_rows_of_any_length():
    f = doubled(te.var("m"), te.var("n"))
    for n in (0, 1, 15, 63, 64, 79, 80, 81, 95, 96, 128, 131, 200, 513):
        for offset in (0, 3, 4):
            check(f, 2, n, "float32", offset)


def test_temporaries_are_on_a_boundary():
    A = te.placeholder((64, 64), name="A")
    T = te.compute((64, 64), lambda i, j: A[i, j] + 1, name="T")
    B = te.compute((64, 64), lambda i, j: T[j, i], name="B")
    s = te.create_schedule(B)
    s[T].vectorize(T.op.axis[1])
    s[T].stream_stores()
    f = teloom.build(s, [A, B], name="transposed")
    assert streams(f)
    assert "scf.if" not in f.source("standard")
    a, (b, _) = np.random.default_rng(0).random((64, 64), "float32"), at(1, 64, 64)
    f(a, b)
    np.testing.assert_array_equal(b, a.T + np.float32(1))


def test_parts_of_a_larger_array():
    f = doubled(4, 16, binds={"strides": [te.var("row"), 1]})
    for row, offset in [(16, 0), (32, 0), (17, 0), (20, 4), (20, 3)]:
        whole, _ = at(offset, 4, row)
        a = np.ones((4, 16), "float32")
        f(a, whole[:, :16])
        np.testing.assert_array_equal(whole[:, :16], 2)
        assert not whole[:, 16:].any()


def test_others_see_the_streams_of_a_parallel_loop():
    A = te.placeholder((64, 64), name="A")
    B = te.compute((64, 64), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((64, 64), lambda i, j: B[63 - j, i], name="C")
    s = te.create_schedule(C)
    s[B].parallel(B.op.axis[0])
    s[B].vectorize(B.op.axis[1])
    s[B].stream_stores()
    s[C].parallel(C.op.axis[0])
    f = teloom.build(s, [A, C], name="turned")
    assert streams(f)
    a, (c, _) = np.random.default_rng(0).random((64, 64), "float32"), at(0, 64, 64)
    f(a, c)
    np.testing.assert_array_equal(c, 2 * a[::-1].T)
