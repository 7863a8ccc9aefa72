"""Parallel loops run on threads, with the numbers of serial ones, in all circumstances."""

import ctypes
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from backend.test_native_calls import python_frames
from loop_kernels import compile_loops
from standard_kernels import compile_text, declared, lowering, parse
from xdsl.dialects import func

import teloom
from teloom import te
from teloom.analysis.signature import signature_of
from teloom.backend.call import callbacks, threads, workspace
from teloom.backend.call.callbacks import Callback, NumberParameter
from teloom.backend.call.compiled import compile_llvm
from teloom.backend.call.kernel import Kernel
from teloom.backend.machine import openmp
from teloom.driver.function import Function
from teloom.errors import KernelError, OutOfMemoryError

THREADS = (1, 2, 3, 7)
TASKS = Path("/proc/self/task")
"""Where Linux lists the threads of a process."""


def reversed_rows(chunk: str | None = None) -> Function:
    """C[i] is made of two buffers, which each iteration has for itself."""
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, m), name="A")
    B = te.compute((n, m), lambda i, j: A[i, j] + 1, name="B")
    E = te.compute((n, m), lambda i, j: B[i, m - 1 - j] * A[i, j], name="E")
    C = te.compute((n, m), lambda i, j: B[i, j] - E[i, m - 1 - j], name="C")
    s = te.create_schedule(C)
    for stage in (B, E):
        s[stage].compute_at(s[C], C.op.axis[0])
    s[C].parallel(C.op.axis[0], chunk=chunk)
    return teloom.build(s, [A, C], name="reversed_rows")


def check_rows(kernel, n: int, m: int) -> None:
    a = np.random.default_rng(n).integers(-9, 9, (n, m)).astype("float32")
    c = np.full((n, m), -1, "float32")
    kernel(a, c)
    np.testing.assert_array_equal(c, a + 1 - (a + 1) * a[:, ::-1])


@pytest.mark.parametrize("chunk", [None, "static", "dynamic"])
def test_numbers_do_not_depend_on_threads(chunk: str | None):
    kernel = reversed_rows(chunk)
    for count in THREADS:
        with teloom.num_threads(count):
            for n, m in ((0, 5), (1, 1), (5, 17), (64, 33)):
                check_rows(kernel, n, m)


def two_loops() -> Function:
    """D needs all of C, which a barrier between two loops of one team waits for."""
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    C = te.compute((n,), lambda i: A[i] + 1, name="C")
    D = te.compute((n,), lambda i: C[n - 1 - i] * 2, name="D")
    s = te.create_schedule(D)
    s[C].parallel(C.op.axis[0])
    s[D].parallel(D.op.axis[0], chunk="dynamic")
    return teloom.build(s, [A, D], name="two_loops")


def test_loops_one_after_another_share_a_team():
    kernel = two_loops()
    assert kernel.source("llvm").count("llvm.call @teloom_parallel") == 1
    for count in THREADS:
        with teloom.num_threads(count):
            for n in (0, 1, 2, 9, 1000):
                a, d = np.arange(n, dtype="float32"), np.zeros(n, "float32")
                kernel(a, d)
                np.testing.assert_array_equal(d, (a[::-1] + 1) * 2)


def ranks(kind: str = "parallel"):
    """A kernel that stores the thread which runs each iteration; `meet` waits for all threads."""
    return compile_text(f"""
        func.func @ranks(%n: index, %A: memref<?xi64>) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          "scf.parallel"(%c0, %n, %c1) <{{operandSegmentSizes = array<i32: 1, 1, 1, 0>}}> ({{
          ^bb0(%i: index):
            %t = func.call @omp_get_thread_num() : () -> i32
            %r = arith.extsi %t : i32 to i64
            memref.store %r, %A[%i] : memref<?xi64>
            scf.reduce
          }}) {{teloom.shared = "{"dynamic" if kind == "dynamic" else "static"}"}} :
            (index, index, index) -> ()
          func.return
        }}
        func.func private @omp_get_thread_num() -> i32""")


@pytest.mark.parametrize("count", THREADS)
def test_parts_are_equal_and_in_order(count: int):
    kernel = ranks()
    for n in (0, 1, 2, 7, 10):
        a = np.full(n, -1)
        with teloom.num_threads(count):
            kernel(n, a)
        parts = np.array_split(np.arange(n), min(count, n) or 1)
        np.testing.assert_array_equal(a, [k for k, part in enumerate(parts) for _ in part])


@pytest.mark.skipif(not TASKS.exists(), reason="the system does not list threads")
def test_loops_of_few_iterations_keep_the_threads_of_long_ones():
    """libgomp ends threads that a team does not need: the next one would have to make them anew.

    Those that the tests before have left may end meanwhile.
    """
    kernel, tasks = ranks(), []
    with teloom.num_threads(5):
        for n in (9, 2, 9, 3, 9):
            kernel(n, np.zeros(n, "int64"))
            tasks.append({*os.listdir(TASKS)})
    assert all(one <= tasks[0] for one in tasks)


def test_the_number_of_threads(monkeypatch: pytest.MonkeyPatch):
    for name in threads.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert threads.threads_of_call(None) == len(os.sched_getaffinity(0))
    monkeypatch.setenv("OMP_NUM_THREADS", "3,2")
    assert threads.threads_of_call(None) == 3
    monkeypatch.setenv("TELOOM_NUM_THREADS", "5")
    assert threads.threads_of_call(None) == 5
    assert threads.threads_of_call(6) == 6
    with teloom.num_threads(7):
        assert threads.threads_of_call(6) == 7
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(threads.threads_of_call, 6).result() == 6
    assert threads.threads_of_call(6) == 6


@pytest.mark.parametrize("count", [0, -1, 1025, 2.0, "2", True])
def test_a_wrong_number_of_threads_is_refused(count, monkeypatch: pytest.MonkeyPatch):
    words = f"num_threads is {count!r}; it must be an integer from 1 to 1024"
    with pytest.raises(teloom.Error, match=words), teloom.num_threads(count):
        pass
    A = te.placeholder((4,), name="A")
    C = te.compute((4,), lambda i: A[i], name="C")
    s = te.create_schedule(C)
    with pytest.raises(teloom.Error, match=words):
        teloom.build(s, [A, C], num_threads=count)
    with pytest.raises(teloom.Error, match=words):
        teloom.compile("func.func @f() { func.return }", num_threads=count)


def test_a_wrong_environment_is_refused_before_anything_is_written(
    monkeypatch: pytest.MonkeyPatch,
):
    kernel = reversed_rows()
    monkeypatch.setenv("TELOOM_NUM_THREADS", "0")
    a, c = np.ones((2, 3), "float32"), np.full((2, 3), -1, "float32")
    with pytest.raises(teloom.Error, match="TELOOM_NUM_THREADS is 0; it must be an integer"):
        kernel.kernel.run((2, 3), (a.ctypes.data, c.ctypes.data))
    assert (c == -1).all()


def test_a_pickled_function_keeps_its_threads():
    A = te.placeholder((4,), name="A")
    C = te.compute((4,), lambda i: A[i] + 1, name="C")
    s = te.create_schedule(C)
    s[C].parallel(C.op.axis[0])
    kernel = pickle.loads(pickle.dumps(teloom.build(s, [A, C], num_threads=3)))
    assert kernel.kernel.num_threads == 3


def test_without_a_runtime_loops_run_serially_with_one_warning(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(openmp, "_candidates", lambda: iter(["libnone.so", "libc.so.6"]))
    openmp.runtime.cache_clear()
    kernel = reversed_rows()
    words = "there is no OpenMP runtime .* so parallel loops run serially"
    try:
        with (
            teloom.num_threads(4),
            pytest.warns(openmp.SerialParallelWarning, match=words) as said,
        ):
            check_rows(kernel, 5, 7)
        assert [one.filename for one in said] == [__file__]
    finally:
        openmp.runtime.cache_clear()


def test_the_runtime_that_is_loaded_is_taken():
    assert openmp.runtime() is not None
    files = list(openmp.loaded())
    assert files
    assert next(openmp._candidates()) == files[0]


# --- calls that machine code takes ---


def used(call: Callable[..., None], a: np.ndarray) -> int:
    """How many threads a call of `ranks` uses; no Python runs in it."""
    assert python_frames(lambda: call(len(a), a)) == []
    return int(a.max()) + 1


def made_known(call: Callable[..., None], a: np.ndarray) -> None:
    for _ in range(2):
        call(len(a), a)


def test_a_known_call_asks_for_its_threads(monkeypatch: pytest.MonkeyPatch):
    kernel, a = ranks(), np.zeros(20, "int64")
    call = kernel.builtin()
    monkeypatch.setenv("TELOOM_NUM_THREADS", "3")
    made_known(call, a)
    assert used(call, a) == 3
    for count in (1, 2, 3, 7, 2):
        with teloom.num_threads(count):
            call(20, a)  # Python makes the workspaces of more threads than ever before
            assert used(call, a) == count
    assert used(call, a) == 3
    with ThreadPoolExecutor(1) as pool:
        pool.submit(made_known, call, b := np.zeros(20, "int64")).result()
        assert b.max() + 1 == 3


def test_a_known_call_sees_the_environment(monkeypatch: pytest.MonkeyPatch):
    call, a = ranks().builtin(), np.zeros(20, "int64")
    monkeypatch.delenv("TELOOM_NUM_THREADS", raising=False)
    for count in (2, 4, 1):
        monkeypatch.setenv("OMP_NUM_THREADS", str(count))
        made_known(call, a)
        assert used(call, a) == count
        monkeypatch.setenv("TELOOM_NUM_THREADS", str(count + 1))
        call(20, a)
        assert a.max() + 1 == count + 1
        monkeypatch.setenv("TELOOM_NUM_THREADS", "none")
        with pytest.raises(teloom.Error, match="TELOOM_NUM_THREADS is 'none'"):
            call(20, a)
        with teloom.num_threads(2):
            made_known(call, a)
            assert used(call, a) == 2
        with pytest.raises(teloom.Error, match="TELOOM_NUM_THREADS is 'none'"):
            call(20, a)
        monkeypatch.delenv("TELOOM_NUM_THREADS")


def test_a_bound_call_asks_for_its_threads():
    a = np.zeros(20, "int64")
    step = ranks().bind(20, a)
    for count in (1, 3, 2):
        with teloom.num_threads(count):
            step()
            assert python_frames(lambda: step()) == []
            assert a.max() + 1 == count


@pytest.mark.parametrize("count", THREADS)
def test_a_known_call_that_fails(count: int):
    seen: list[int] = []

    def visit(k: int) -> None:
        seen.append(k)
        if len(seen) > 60:
            raise ValueError(f"no {k}")

    kernel, a = visiting(visit), np.full(20, -1)
    call = kernel.builtin()
    with teloom.num_threads(count):
        for _ in range(3):
            call(a)
        assert kernel.knows_calls
        for _ in range(3):
            with pytest.raises(KernelError, match="visiting: visit failed: ValueError: no"):
                call(a)
        seen.clear()
        call(a)
    np.testing.assert_array_equal(a, np.arange(20))


# --- failures ---


def visiting(visit: Callable[[int], object], parallel: bool = True) -> Kernel:
    """Calls a Python function with the number of each iteration, and stores the number twice."""
    said = declared("n", ["A: int64 (s0)"], outputs=[0])
    module = parse(f"""
        func.func @visiting(%n: index, %A: memref<?xi64>){said} {{
          loop.for %i = 0 to %n {"parallel_dynamic" if parallel else ""} {{
            %k = arith.index_cast %i : index to i64
            %status = func.call @visit(%k) : (i64) -> i32
            %zero = arith.constant 0 : i32
            %good = arith.cmpi eq, %status, %zero : i32
            cf.assert %good, "visit failed"
            %small = arith.constant 1000 : i64
            %is_small = arith.cmpi slt, %k, %small : i64
            cf.assert %is_small, "too large"
            memref.store %k, %A[%i] : memref<?xi64>
          }}
          func.return
        }}
        func.func private @visit(i64) -> i32""")
    signature = signature_of(next(op for op in module.ops if isinstance(op, func.FuncOp)))
    lowering().bring(module, "standard", "llvm")
    callback = Callback(visit, [NumberParameter(ctypes.c_int64)])
    return compile_llvm(module, signature, externals={"visit": callback})


def called(kernel: Kernel, n: int) -> np.ndarray:
    a = np.full(n, -1)
    kernel(a)
    return a


@pytest.mark.parametrize("count", THREADS)
def test_callbacks_of_all_threads_run(count: int):
    seen: list[int] = []
    with teloom.num_threads(count):
        np.testing.assert_array_equal(called(visiting(seen.append), 20), np.arange(20))
    assert sorted(seen) == [*range(20)]


def test_threads_really_run_at_the_same_time():
    meeting = threading.Barrier(3)
    with teloom.num_threads(3):
        called(visiting(lambda k: meeting.wait(30)), 3)


@pytest.mark.parametrize("count", THREADS)
def test_what_a_callback_raises_reaches_the_caller(count: int):
    def visit(k: int) -> None:
        if k % 5 == 3:
            raise ValueError(f"no {k}")

    kernel = visiting(visit)
    with teloom.num_threads(count):
        for _ in range(5):
            with pytest.raises(
                KernelError, match="visiting: visit failed: ValueError: no "
            ) as said:
                called(kernel, 20)
            assert isinstance(said.value.__cause__, ValueError)
        # Nothing is left of it.
        np.testing.assert_array_equal(called(kernel, 3), np.arange(3))
        assert callbacks.take_error() is None


@pytest.mark.parametrize("count", THREADS)
def test_an_assertion_reaches_the_caller(count: int):
    kernel = visiting(lambda k: None)
    with teloom.num_threads(count), pytest.raises(KernelError, match=r"visiting: too large$"):
        called(kernel, 1100)


def test_an_interrupt_in_a_thread_is_one():
    def visit(k: int) -> None:
        raise KeyboardInterrupt

    with teloom.num_threads(3), pytest.raises(KeyboardInterrupt):
        called(visiting(visit), 5)


class Enough(Exception):
    """What the handler of a signal raises."""


def endless(kind: str):
    """A kernel of a loop of many short parallel loops of two iterations, or of one long loop."""
    rounds, iterations = ("%n", "%c2") if kind == "static" else ("%c1", "%n")
    operands = "operandSegmentSizes = array<i32: 1, 1, 1, 0>"
    return compile_text(f"""
        func.func @endless(%n: index, %A: memref<?xi64>) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          scf.for %k = %c0 to {rounds} step %c1 {{
            "scf.parallel"(%c0, {iterations}, %c1) <{{{operands}}}> ({{
            ^bb0(%i: index):
              %even = arith.remsi %i, %c2 : index
              %one = arith.index_cast %even : index to i64
              memref.store %one, %A[%even] : memref<?xi64>
              scf.reduce
            }}) {{teloom.shared = "{kind}"}} : (index, index, index) -> ()
          }}
          func.return
        }}""")


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("kind", ["static", "dynamic"])
def test_signals_are_handled_between_parts(kind: str, count: int):
    def stop(*_: object) -> None:
        raise Enough

    kernel, a = endless(kind), np.zeros(2, "int64")
    call, before = kernel.builtin(), signal.signal(signal.SIGALRM, stop)
    try:
        with teloom.num_threads(count):
            for _ in range(2):
                kernel(4, a)
            for run in (kernel, call):
                signal.setitimer(signal.ITIMER_REAL, 0.02)
                with pytest.raises(Enough):
                    run(10**11, a)
            call(4, a)  # nothing is left of it
    finally:
        signal.signal(signal.SIGALRM, before)
    np.testing.assert_array_equal(a, [0, 1])


@pytest.mark.parametrize("count", THREADS)
def test_a_thread_without_memory_reaches_the_caller(count: int, monkeypatch: pytest.MonkeyPatch):
    """The size is only known in the loop: each thread takes memory of its own workspace."""
    kernel = compile_loops("""
        func.func @read(%N: memref<8xi64> {llvm.readonly}, %O: memref<8xi64>) {
          loop.for %i = 0 to 8 parallel {
            %n = memref.load %N[%i] : memref<8xi64>
            %size = arith.index_cast %n : i64 to index
            %B = memref.alloc(%size) {alignment = 64 : i64} : memref<?xi64>
            %zero = arith.constant 0 : index
            memref.store %n, %B[%zero] : memref<?xi64>
            %b = memref.load %B[%zero] : memref<?xi64>
            memref.store %b, %O[%i] : memref<8xi64>
            memref.dealloc %B : memref<?xi64>
          }
          func.return
        }""")
    kernel.check = None
    sizes, out = np.arange(1, 9), np.zeros(8, int)
    with teloom.num_threads(count):
        kernel(sizes, out)
        np.testing.assert_array_equal(out, sizes)
        monkeypatch.setenv(workspace.LIMIT, "1000000")
        sizes[6] = 10**9
        with pytest.raises(OutOfMemoryError, match=r"read needs 8[0-9]{9} bytes"):
            kernel(sizes, out)
        monkeypatch.delenv(workspace.LIMIT)
        sizes[6] = 3
        kernel(sizes, out)
        np.testing.assert_array_equal(out, sizes)
    teloom.release_workspace()
    assert teloom.workspace_bytes() == 0


# --- other users of threads, and other processes ---


def test_many_threads_of_python_call_at_once():
    kernel, failures = reversed_rows("dynamic"), []

    def work(number: int) -> None:
        try:
            with teloom.num_threads(1 + number % 3):
                for size in range(1, 12):
                    check_rows(kernel, size + number, 9)
        except BaseException as error:
            failures.append(error)

    callers = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for one in callers:
        one.start()
    for one in callers:
        one.join()
    assert not failures


def test_a_loop_in_a_callback_of_a_loop():
    inner = reversed_rows()
    with teloom.num_threads(2):
        called(visiting(lambda k: check_rows(inner, 4, 5)), 4)


_known: list[Callable[..., None]] = []


def _in_child(size: int) -> bool:
    check_rows(reversed_rows(), size, 7)
    (call,) = _known
    call(8, a := np.full(8, -1))
    return threads.threads_of_call(4) == 1 and not a.any()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_runs_serially():
    _known[:] = [ranks().builtin()]
    with teloom.num_threads(2):
        check_rows(reversed_rows(), 8, 8)
        made_known(_known[0], np.zeros(8, "int64"))
        with multiprocessing.get_context("fork").Pool(1) as pool:
            assert pool.map_async(_in_child, [5, 6]).get(timeout=120) == [True, True]
        check_rows(reversed_rows(), 8, 8)


AT_EXIT = """
import threading
import numpy as np, teloom
from teloom import te
A = te.placeholder((64, 64), name="A")
C = te.compute((64, 64), lambda i, j: A[i, j] + 1, name="C")
s = te.create_schedule(C)
s[C].parallel(C.op.axis[0])
f = teloom.build(s, [A, C], num_threads=3)
a, c = np.ones((64, 64), "float32"), np.zeros((64, 64), "float32")
f(a, c)
def run():
    while True:
        f(a, c)
threading.Thread(target=run, daemon=True).start()
print(c.sum())
"""


def test_a_process_ends_while_a_thread_runs_loops():
    done = subprocess.run(
        [sys.executable, "-c", AT_EXIT], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "8192.0\n", "")
