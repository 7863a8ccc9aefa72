"""Temporary buffers lie in a workspace per thread, which keeps its memory."""

import ctypes
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from standard_kernels import compile_text

import teloom
from teloom import te
from teloom.backend.call import workspace, workspace_code
from teloom.backend.call.kernel import Kernel
from teloom.dialects.runtime import GIVE, TAKE
from teloom.errors import OutOfMemoryError

LINE = 64


pytestmark = pytest.mark.usefixtures("empty_workspace")


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the blocks that are allocated, in bytes."""
    sizes: list[int] = []
    block = workspace._Workspace._block
    monkeypatch.setattr(
        workspace._Workspace, "_block", lambda w, size: sizes.append(size) or block(w, size)
    )
    return sizes


def squares(name: str = "squares", between: Callable[[], None] | None = None) -> Kernel:
    """B[i] = A[i] * A[i], by way of two buffers, and `between` is called when they are full."""
    call, declared, symbols = "", "", {}
    if between:
        call, declared = "func.call @between() : () -> ()", "func.func private @between()"
        symbols["between"] = ctypes.cast(between, ctypes.c_void_p).value  # pyright: ignore
    return compile_text(
        f"""
        func.func @{name}(%n: index, %A: memref<?xf32> {{llvm.readonly}}, %B: memref<?xf32>) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %S = memref.alloc(%n) : memref<?xf32>
          %T = memref.alloc(%n) : memref<?xf32>
          scf.for %i = %c0 to %n step %c1 {{
            %a = memref.load %A[%i] : memref<?xf32>
            memref.store %a, %S[%i] : memref<?xf32>
            memref.store %a, %T[%i] : memref<?xf32>
          }}
          {call}
          scf.for %i = %c0 to %n step %c1 {{
            %s = memref.load %S[%i] : memref<?xf32>
            %t = memref.load %T[%i] : memref<?xf32>
            %r = arith.mulf %s, %t : f32
            memref.store %r, %B[%i] : memref<?xf32>
          }}
          memref.dealloc %S : memref<?xf32>
          memref.dealloc %T : memref<?xf32>
          func.return
        }}
        {declared}""",
        symbols=symbols,
    )


def check(kernel: Kernel, n: int) -> None:
    a = np.arange(n, dtype="float32")
    b = np.full(n, -1, "float32")
    kernel(n, a, b)
    np.testing.assert_array_equal(b, a * a)


def test_only_the_first_call_and_larger_ones_allocate(blocks):
    kernel = squares()
    check(kernel, 1000)
    assert len(blocks) == 2
    for n in (1000, 1, 0, 999, 1000):
        check(kernel, n)
    assert len(blocks) == 2
    check(kernel, 5000)
    assert len(blocks) == 4
    check(squares("again"), 4000)
    assert len(blocks) == 4


def test_no_memory_of_the_system_is_asked_for_by_the_code_itself():
    source = squares().source()
    assert "alloc(" not in source
    assert "free(" not in source


@pytest.mark.parametrize("n", [0, 1, 5])
def test_buffers_without_elements_are_buffers(n):
    check(squares(), n)
    assert teloom.workspace_bytes() >= 2 * LINE


def test_what_is_kept_can_be_asked_for_and_freed():
    kernel = squares()
    check(kernel, 1000)
    assert 8000 <= teloom.workspace_bytes() <= 9 / 8 * 8000 + 4 * LINE
    teloom.release_workspace()
    assert teloom.workspace_bytes() == 0
    check(kernel, 1000)


def test_threads_have_memory_of_their_own():
    kernel = squares()

    def use(seed: int) -> None:
        for n in np.random.default_rng(seed).integers(0, 30_000, 20):
            check(kernel, int(n))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, range(16)))
    assert teloom.workspace_bytes() == 0


def test_the_memory_of_a_thread_dies_with_it():
    kernel = squares()
    left: list[weakref.ref] = []

    def use() -> None:
        check(kernel, 1000)
        left.extend(weakref.ref(b) for b in workspace._mine.workspace._blocks if b is not None)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert len(left) == 2
    assert all(block() is None for block in left)


def test_a_call_within_a_call_has_memory_of_its_own(blocks):
    inner = squares("inner")
    depth = 0

    @ctypes.CFUNCTYPE(None)
    def between():
        nonlocal depth
        depth += 1
        if depth < 12:
            check(outer, 50 + depth)
        check(inner, 700)
        teloom.release_workspace()  # the running calls keep theirs

    outer = squares("outer", between)
    check(outer, 50)
    assert depth == 12
    assert workspace._mine.workspace.record.used == 0
    assert len(workspace._mine.workspace._slots) > workspace.FIRST_SLOTS
    depth = 11
    check(outer, 50)


LOOP = """
    func.func @loop(%n: index, %B: memref<1xi64>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %one = arith.constant 1 : i64
      %first = memref.alloc(%c1) : memref<?xi64>
      memref.store %one, %first[%c0] : memref<?xi64>
      scf.for %i = %c0 to %n step %c1 {
        %T = memref.alloc(%i) : memref<?xi64>
        %U = memref.alloc(%n) : memref<?xi64>
        memref.store %one, %U[%i] : memref<?xi64>
        memref.dealloc %T : memref<?xi64>
        %V = memref.alloc() : memref<8xi64>
        memref.store %one, %V[%c0] : memref<8xi64>
        %u = memref.load %U[%i] : memref<?xi64>
        %b = memref.load %B[%c0] : memref<1xi64>
        %s = arith.addi %b, %u : i64
        memref.store %s, %B[%c0] : memref<1xi64>
        memref.dealloc %U : memref<?xi64>
        memref.dealloc %V : memref<8xi64>
      }
      %x = memref.load %first[%c0] : memref<?xi64>
      %b = memref.load %B[%c0] : memref<1xi64>
      %s = arith.addi %b, %x : i64
      memref.store %s, %B[%c0] : memref<1xi64>
      memref.dealloc %first : memref<?xi64>
      func.return
    }"""


def test_a_loop_takes_the_same_memory_again_in_whatever_order_it_is_given_back(blocks):
    kernel = compile_text(LOOP)
    kernel(1000, b := np.zeros(1, "int64"))
    assert b[0] == 1001
    assert teloom.workspace_bytes() < 3 * 8000
    first = len(blocks)
    assert first < 80
    kernel(1000, b)
    assert len(blocks) == first
    assert b[0] == 2002


def test_a_failure_in_the_middle_gives_everything_back(monkeypatch):
    kernel = compile_text(LOOP)
    monkeypatch.setenv(workspace.LIMIT, "10000")
    with pytest.raises(OutOfMemoryError, match=r"loop needs .* above the limit of 10000; "):
        kernel(1000, np.zeros(1, "int64"))
    assert workspace._mine.workspace.record.used == 0
    monkeypatch.delenv(workspace.LIMIT)
    kernel(1000, b := np.zeros(1, "int64"))
    assert b[0] == 1001


def machine_code() -> tuple[Callable[[int, int], int | None], Callable[[int], None]]:
    """What takes memory from this thread's workspace, and what gives it back."""
    code, address = workspace_code.OWN.addresses(), workspace._mine.workspace.address
    take = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    give = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
    return partial(take(code[TAKE]), address), partial(give(code[GIVE]), address)


TAKES = st.tuples(st.sampled_from([64, 256, 4096]), st.integers(1, 50))
GIVES = st.integers(0, 100)


@given(st.lists(TAKES | GIVES, max_size=60))
def test_memory_in_use_is_apart_and_aligned(steps: list[tuple[int, int] | int]):
    take, give = machine_code()
    used: list[tuple[int, int]] = []
    for step in steps:
        if isinstance(step, int):
            if used:
                give(used.pop(step % len(used))[0])
            continue
        alignment, size = step[0], 64 * step[1]
        start = take(alignment, size)
        assert start is not None
        assert start % alignment == 0
        assert all(start + size <= other or end <= start for other, end in used)
        used.append((start, start + size))
    for start, _ in used:
        give(start)
    assert workspace._mine.workspace.record.used == 0


def test_memory_of_somebody_else_cannot_be_given_back():
    take, give = machine_code()
    ours = take(64, 64)
    assert ours
    give(ours + 64)
    assert workspace._mine.workspace.record.used == 1
    give(ours)


def test_a_limit_counts_what_is_used_not_what_is_kept(monkeypatch):
    kernel = squares()
    check(kernel, 1000)
    monkeypatch.setenv(workspace.LIMIT, "20000")
    check(kernel, 2000)
    with pytest.raises(OutOfMemoryError, match="squares needs "):
        check(kernel, 2600)
    check(kernel, 2000)


def test_a_limit_that_is_no_number_is_refused(monkeypatch):
    monkeypatch.setenv(workspace.LIMIT, "1 GB")
    with pytest.raises(
        teloom.Error, match="TELOOM_WORKSPACE_LIMIT is '1 GB'; it must be a number of bytes"
    ):
        check(squares(), 10)


def test_what_interrupts_an_allocation_goes_on_to_the_caller(monkeypatch):
    def interrupt(self, size):
        raise KeyboardInterrupt

    monkeypatch.setattr(workspace._Workspace, "_block", interrupt)
    with pytest.raises(KeyboardInterrupt):
        check(squares(), 10)


def test_memory_that_the_system_does_not_give_is_an_error(monkeypatch):
    monkeypatch.setenv(workspace.LIMIT, str(2**62))
    with pytest.raises(OutOfMemoryError, match="for temporary buffers, and the system has no more"):
        squares()(2**40, np.zeros(2**10, "float32"), np.zeros(2**10, "float32"))


def test_a_refused_call_has_written_nothing(monkeypatch):
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    first = te.compute((n,), lambda i: A[i] + 1, name="first")
    X = te.compute((n, n), lambda i, j: A[i] * A[j], name="X")
    last = te.compute((n,), lambda i: X[i, n - 1 - i], name="last")
    kernel = teloom.build(te.create_schedule([first, last]), [A, first, last], name="two")
    a = np.arange(1000, dtype="float32")
    outputs = np.full((2, 1000), -1, "float32")
    monkeypatch.setenv(workspace.LIMIT, "3999999")
    with pytest.raises(OutOfMemoryError, match=r"two needs 40[0-9]{5} bytes"):
        kernel(a, *outputs)
    assert (outputs == -1).all()
    monkeypatch.delenv(workspace.LIMIT)
    kernel(a, *outputs)
    np.testing.assert_array_equal(outputs, [a + 1, a * a[::-1]])


def test_sizes_that_overflow_are_refused():
    n, m, k = te.var("n"), te.var("m"), te.var("k")
    A = te.placeholder((1,), name="A")
    X = te.compute((n, m, k), lambda x, y, z: A[0] + 1, name="X")
    axes = [te.reduce_axis((0, size)) for size in (n, m, k)]
    B = te.compute((1,), lambda i: te.sum(X[tuple(axes)], axis=axes), name="B")
    kernel = teloom.build(te.create_schedule(B), [n, m, k, A, B])
    for sizes in (
        (2**31, 2**31, 1),
        (2**21, 2**20, 2**20),
        (2**40, 2**20, 2),
        (2**22, 2**22, 2**22),
    ):
        with pytest.raises(OutOfMemoryError, match=r"main needs 9[0-9]{18} bytes or more"):
            kernel(*sizes, np.ones(1, "float32"), b := np.zeros(1, "float32"))
        assert b[0] == 0, sizes


@pytest.mark.parametrize("count", [2**61, 2**62, 2**62 + 16])
def test_a_constant_size_that_overflows_is_refused(count):
    type = f"memref<{count}xf32>"
    kernel = teloom.compile(f"""
        func.func @far(%A: memref<1xf32>, %n: index) {{
          %far = memref.alloc() : {type}
          %x = memref.load %A[%n] : memref<1xf32>
          memref.store %x, %far[%n] : {type}
          %y = memref.load %far[%n] : {type}
          memref.store %y, %A[%n] : memref<1xf32>
          memref.dealloc %far : {type}
          func.return
        }}
    """)
    with pytest.raises(OutOfMemoryError, match=r"far needs 9[0-9]{18} bytes or more"):
        kernel(np.ones(1, "float32"), 0)


AT_THE_END = """
import os
import threading
import numpy as np
import teloom
from teloom import te

n = 1 << 19
A = te.placeholder((n,), name="A")
B = te.compute((n,), lambda i: A[n - 1 - i] * 2, name="B")
C = te.compute((n,), lambda i: B[i] + B[n - 1 - i], name="C")
f = teloom.build(te.create_schedule(C), [A, C], num_threads=1)
a = np.ones(n, "float32")
has_run = threading.Semaphore(0)


def work():
    c = np.zeros_like(a)
    while True:
        f(a, c)
        has_run.release()


# The process that compiles, and two like it: the interpreter of each ends for itself.
parent, others = os.getpid(), []
while len(others) < 2 and (other := os.fork()):
    others.append(other)
if os.getpid() == parent:
    for other in others:
        assert os.waitpid(other, 0)[1] == 0
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
for _ in range(12):
    has_run.acquire()
"""


def test_daemon_threads_keep_their_memory_when_the_interpreter_ends():
    environment = os.environ | {"TELOOM_SANITIZE": ""}
    subprocess.run([sys.executable, "-c", AT_THE_END], env=environment, check=True)
