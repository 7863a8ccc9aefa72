"""Calls that machine code takes by itself do what calls through Python do."""

import gc
import inspect
import re
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import teloom
from teloom import te
from teloom.backend.call import native_calls, native_code, workspace
from teloom.driver.function import Function

KNOWN = 2
"""The number of calls with the same layouts after which they are known."""


def outcome(call: Callable[..., None], *values: Any) -> str:
    """What a call raises, or an empty text."""
    try:
        call(*values)
    except teloom.Error as error:
        return re.sub("0x[0-9a-f]+", "ADDRESS", str(error))
    return ""


def python_frames(call: Callable[[], None]) -> list[str]:
    """The functions of Python that run in a call, by their names."""
    frames: list[str] = []
    sys.setprofile(lambda frame, event, _: frames.append(f"{event} {frame.f_code.co_name}"))
    try:
        call()
    finally:
        sys.setprofile(None)
    return [one.removeprefix("call ") for one in frames if one.startswith("call ")][1:]


def added(n: Any = 16, dtype: str = "float32", binds: Any = None) -> Function:
    """C = A + B, of so many elements."""
    A = te.placeholder((n,), dtype, name="A")
    B = te.placeholder((n,), dtype, name="B")
    C = te.compute((n,), lambda i: A[i] + B[i], name="C")
    buffers = None if binds is None else {A: binds(A), B: binds(B), C: binds(C)}
    return teloom.build(te.create_schedule(C), [A, B, C], name="added", binds=buffers)


def arrays(n: int = 16, dtype: str = "float32") -> list[np.ndarray]:
    return [np.arange(n).astype(dtype), np.full(n, 3, dtype), np.zeros(n, dtype)]


def made_known(f: Function, *values: Any) -> None:
    for _ in range(KNOWN):
        f(*values)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "bool", "bfloat16"])
@pytest.mark.parametrize("n", [0, 1, 16])
def test_a_known_call_runs_no_python(dtype, n):
    kind = np.dtype(ml_dtypes.bfloat16) if dtype == "bfloat16" else dtype
    A = te.placeholder((n,), dtype, name="A")
    B = te.compute((n,), lambda i: A[i], name="B")
    f = teloom.build(te.create_schedule(B), [A, B], name="copied")
    made_known(f, *(np.zeros(n, kind) for _ in range(2)))
    a, b = np.arange(n).astype(kind), np.zeros(n, kind)
    assert python_frames(lambda: f(a, b)) == []
    np.testing.assert_array_equal(a, b)


def test_a_new_layout_runs_python():
    f = added(te.var("n"))
    for n in (16, 0, 1, 33):
        a, b, c = arrays(n)
        assert "__call__" in python_frames(lambda: f(a, b, c))
        made_known(f, a, b, c)
        assert python_frames(lambda: f(a, b, c)) == []
        np.testing.assert_array_equal(c, a + b)


def test_sizes_are_values_of_a_known_call():
    n, A = te.var("n"), te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: te.if_then_else(i < n, A[i], 0), name="B")
    f = teloom.build(te.create_schedule(B), [n, A, B], name="first")
    a, b = np.arange(1, 9, dtype="float32"), np.zeros(8, "float32")
    for size in (3, 5, 3, np.int64(4), True, 0):
        made_known(f, 3, a, b)
        f(size, a, b)
        np.testing.assert_array_equal(b, np.where(np.arange(8) < size, a, 0))
    assert "sizes go from 0" in outcome(f, 2**70, a, b)
    assert "sizes go from 0" in outcome(f, -1, a, b)
    assert "expected an integer" in outcome(f, 3.0, a, b)


def test_strides_are_part_of_a_layout():
    def strided(tensor):
        return te.decl_buffer(tensor.shape, tensor.dtype, strides=[te.var("s")], name="b")

    f = added(binds=strided)
    for step in (1, 3, 1):
        a, b, c = (one[::step] for one in arrays(16 * step))
        made_known(f, a, b, c)
        assert python_frames(lambda: f(a, b, c)) == []
        np.testing.assert_array_equal(c, a + b)


ROOM = np.zeros(400, "uint8")
READ_ONLY = np.zeros(16, "float32")
READ_ONLY.flags.writeable = False


class Sub(np.ndarray):
    """An array of a class of its own."""


class Interface:
    """An object with the array interface."""

    def __init__(self, array: np.ndarray):
        self.__array_interface__ = array.__array_interface__
        self.array = array


VALUES: dict[str, Any] = {
    "another": lambda: np.ones(16, "float32"),
    "the same room": lambda: ROOM[:64].view("float32"),
    "room that overlaps": lambda: ROOM[32:96].view("float32"),
    "room next to it": lambda: ROOM[64:128].view("float32"),
    "misaligned": lambda: ROOM[1:65].view("float32"),
    "read-only": lambda: READ_ONLY,
    "strided": lambda: np.zeros(32, "float32")[::2],
    "reversed": lambda: np.zeros(16, "float32")[::-1],
    "empty": lambda: np.zeros(0, "float32"),
    "another shape": lambda: np.zeros(17, "float32"),
    "another rank": lambda: np.zeros((4, 4), "float32"),
    "no axes": lambda: np.zeros((), "float32"),
    "another dtype": lambda: np.zeros(16, "int32"),
    "another byte order": lambda: np.zeros(16, ">f4"),
    "described": lambda: np.zeros(16, np.dtype("float32", metadata={"a": 1})),
    "of a subclass": lambda: np.zeros(16, "float32").view(Sub),
    "interface": lambda: Interface(np.ones(16, "float32")),
    "list": lambda: [1.0] * 16,
    "None": lambda: None,
    "scalar": lambda: np.float32(1),
    "int": lambda: 16,
}


@pytest.fixture(scope="module")
def known() -> Function:
    f = added()
    made_known(f, *arrays())
    return f


@given(st.lists(st.sampled_from(sorted(VALUES)), min_size=2, max_size=4))
def test_any_call_ends_as_the_same_one_in_python(known, names):
    values = [VALUES[name]() for name in names]
    ROOM[:] = 1
    expected = outcome(known.kernel, *values)
    left = ROOM.copy()
    ROOM[:] = 1
    assert outcome(known, *values) == expected
    np.testing.assert_array_equal(ROOM, left)


def test_a_known_call_may_fill_part_of_a_larger_array(known):
    room = np.zeros(48, "float32")
    a, b, _ = arrays()
    known(a, b, room[16:32])
    np.testing.assert_array_equal(room, [*[0] * 16, *(a + b), *[0] * 16])


def test_alignment_that_is_declared_is_asked_of_known_calls():
    def aligned(tensor):
        return te.decl_buffer(tensor.shape, tensor.dtype, data_alignment=64, name="b")

    f = added(binds=aligned)
    room = np.zeros(4096, "uint8")
    start = -room.ctypes.data % 64
    a, b, c, d = (room[start + 64 * i :][:64].view("float32") for i in range(4))
    made_known(f, a, b, c)
    assert python_frames(lambda: f(a, b, d)) == []
    with pytest.raises(teloom.CallError, match="not aligned to 64 bytes"):
        f(a, b, room[start + 272 :][:64].view("float32"))
    assert not room[start + 256 :].any()


def test_no_references_are_kept_or_lost(known):
    values = arrays()
    known(*values)
    before = [sys.getrefcount(one) for one in (*values, None)]
    for _ in range(1000):
        known(*values)
        assert "takes 3 arguments" in outcome(known, *values[:2])
        assert "shares" in outcome(known, values[0], values[1], values[1])
    after = [sys.getrefcount(one) for one in (*values, None)]
    assert all(abs(x - y) < 50 for x, y in zip(before, after, strict=True))


def test_keywords_are_no_arguments(known):
    with pytest.raises((TypeError, teloom.CallError), match=r"keyword|by name"):
        known(*arrays(), kernel=1)


def test_a_function_has_a_signature(known):
    assert str(inspect.signature(known)) == "(*arrays: object) -> None"
    assert callable(known)


def test_what_a_call_needs_lives_as_long_as_it():
    f = added()
    made_known(f, *arrays())
    call, bound = f.__call__, f.bind(*(kept := arrays()))
    del f
    gc.collect()
    for _ in range(KNOWN):
        call(*(values := arrays()))
        np.testing.assert_array_equal(values[2], values[0] + values[1])
    bound()
    np.testing.assert_array_equal(kept[2], kept[0] + kept[1])


def test_nothing_is_left_of_a_function_that_is_dropped():
    f = added()
    made_known(f, *arrays())
    records = f.kernel._known_calls.records
    held = sys.getrefcount(records)
    del f
    gc.collect()
    assert sys.getrefcount(records) < held


def test_known_calls_have_a_limit(monkeypatch):
    monkeypatch.setattr(native_calls, "REMEMBERED_CALLS", 3)
    f = added(te.var("n"))
    for n in [*range(1, 9), 2, 2, 2, 7]:
        a, b, c = arrays(n)
        made_known(f, a, b, c)
        f(a, b, c)
        np.testing.assert_array_equal(c, a + b)
        assert len(f.kernel._known_calls.records) <= 3


def doubled(n: Any) -> Function:
    """B = 2 * A by way of a buffer on the heap."""
    A = te.placeholder((n,), name="A")
    T = te.compute((n,), lambda i: A[n - 1 - i] * 2, name="T")
    B = te.compute((n,), lambda i: T[n - 1 - i], name="B")
    return teloom.build(te.create_schedule(B), [A, B], name="doubled")


@pytest.mark.usefixtures("empty_workspace")
def test_threads_have_workspaces_of_their_own():
    n = 5000
    f = doubled(te.var("n"))
    a = np.arange(n, dtype="float32")
    made_known(f, a, np.zeros(n, "float32"))
    assert teloom.workspace_bytes() > 0, "the program has no buffer on the heap"

    def use(_: int) -> None:
        b = np.zeros(n, "float32")
        for _ in range(5):
            b[:] = 0
            f(a, b)
            np.testing.assert_array_equal(b, 2 * a)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, range(64)))


@pytest.mark.usefixtures("empty_workspace")
def test_a_known_call_without_memory_fails_and_frees(monkeypatch):
    n = 5000
    f = doubled(te.var("n"))
    a, b = np.ones(n, "float32"), np.zeros(n, "float32")
    made_known(f, a, b)
    bound = f.bind(a, b)
    monkeypatch.setenv(workspace.LIMIT, "100")
    teloom.release_workspace()
    b[:] = 0
    for call in (lambda: f(a, b), bound):
        with pytest.raises(teloom.OutOfMemoryError, match="doubled needs 20"):
            call()
        assert workspace._mine.workspace.record.used == 0
        assert not b.any()
    monkeypatch.delenv(workspace.LIMIT)
    f(a, b)
    np.testing.assert_array_equal(b, 2)


def test_a_function_that_raises_in_a_known_call():
    calls = []

    def shout(x: np.ndarray, y: np.ndarray) -> None:
        calls.append(1)
        if len(calls) > KNOWN:
            raise ValueError("enough")
        y[...] = x

    A = te.placeholder((4,), name="A")
    B = te.extern((4,), [A], lambda ins, outs: te.call_packed(shout, *ins, *outs), name="B")
    f = teloom.build(te.create_schedule(B), [A, B], name="shouts")
    values = [np.ones(4, "float32"), np.zeros(4, "float32")]
    made_known(f, *values)
    for call in (lambda: f(*values), f.bind(*values)):
        with pytest.raises(teloom.KernelError, match="ValueError: enough"):
            call()


def test_long_calls_let_other_threads_run():
    n = te.var("n")
    r = te.reduce_axis((0, n), "r")
    A = te.placeholder((1,), "int64", name="A")
    B = te.compute((1,), lambda i: te.sum((A[i] + r * r) % (r + 1), axis=r), name="B")
    f = teloom.build(te.create_schedule(B), [n, A, B], name="long")
    a, b = np.zeros(1, "int64"), np.zeros(1, "int64")
    size = 20_000_000
    made_known(f, size, a, b)
    counted, ended = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not ended.is_set():
            counted += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    before = counted
    f(size, a, b)
    during = counted - before
    ended.set()
    other.join()
    assert during >= 2


def test_one_function_in_many_threads(known):
    def use(seed: int) -> None:
        a, b, c = arrays()
        a += seed
        for _ in range(150):
            c[:] = -1
            known(a, b, c)
            assert c[3] == a[3] + b[3]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, range(16)))


def test_new_layouts_in_many_threads(monkeypatch):
    monkeypatch.setattr(native_calls, "REMEMBERED_CALLS", 4)
    f = added(te.var("n"))

    def use(seed: int) -> None:
        for n in np.random.default_rng(seed).integers(0, 12, 400):
            a, b, c = arrays(int(n))
            f(a, b, c)
            np.testing.assert_array_equal(c, a + b)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, range(16)))


def test_a_bound_call_is_checked_once():
    f = added()
    a, b, c = arrays()
    bound = f.bind(a, b, c)
    for _ in range(2):
        c[:] = 0
        bound()
        np.testing.assert_array_equal(c, a + b)
    a += 1
    assert python_frames(bound) == []
    np.testing.assert_array_equal(c, a + b)
    with pytest.raises(teloom.CallError, match="argument B has shape"):
        f.bind(a, b[1:], c)
    with pytest.raises(TypeError, match="no arguments"):
        bound(a)  # pyright: ignore


@pytest.mark.parametrize("reason", ["3.13.0 free-threading build", "fields"])
def test_where_machine_code_cannot_read_arrays_python_takes_all_calls(reason, monkeypatch):
    if reason == "fields":
        monkeypatch.setattr(native_code, "RANK", native_code.FLAGS)
    else:
        monkeypatch.setattr(sys, "version", reason)
    native_calls._library.cache_clear()
    try:
        assert not native_calls.are_possible()
        f = added()
        for call in (f, f.bind):
            a, b, c = arrays()
            made_known(f, a, b, c)
            made = call(a, b, c)
            if made is not None:
                made()
            np.testing.assert_array_equal(c, a + b)
        assert "__call__" in python_frames(lambda: f(a, b, c))
    finally:
        native_calls._library.cache_clear()
