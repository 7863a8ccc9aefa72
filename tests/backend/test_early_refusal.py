"""A call for which there is no memory is refused before it has written anything."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from loop_kernels import compile_loops

import teloom
from teloom import te
from teloom.backend.call import workspace
from teloom.backend.call.kernel import Kernel
from teloom.errors import OutOfMemoryError

pytestmark = pytest.mark.usefixtures("empty_workspace")


@pytest.fixture
def takes(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """What a call takes at most, in bytes, with a refusal for any less; nothing is written then."""

    def measure(kernel: Kernel, *arguments) -> int:
        outputs = [
            array for array in arguments if isinstance(array, np.ndarray) and array.flags.writeable
        ]
        before = [array.copy() for array in outputs]
        teloom.release_workspace()
        kernel(*arguments)
        results = [array.copy() for array in outputs]
        least, most = 0, teloom.workspace_bytes()

        def runs(limit: int) -> bool:
            for array, values in zip(outputs, before, strict=True):
                array[...] = values
            teloom.release_workspace()
            monkeypatch.setenv(workspace.LIMIT, str(limit))
            try:
                kernel(*arguments)
            except OutOfMemoryError:
                expected = before
                return False
            else:
                expected = results
                return True
            finally:
                monkeypatch.delenv(workspace.LIMIT)
                for array, values in zip(outputs, expected, strict=True):
                    np.testing.assert_array_equal(array, values)

        assert runs(most)
        while least < most:
            middle = (least + most) // 2
            if runs(middle):
                most = middle
            else:
                least = middle + 1
        assert runs(least)
        return least

    return measure


def given(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values


N, M = te.var("n"), te.var("m")
SLACK = 128
"""What a block takes beside its buffer, in bytes: its alignment, and that of its size."""

LINE = 64
"""What is of each thread has cache lines of its own, in bytes."""


def lines(size: int) -> int:
    return -(-size // LINE) * LINE


@cache
def rows(parallel: bool) -> Kernel:
    """B is computed for each row of C, first for the first output."""
    A = te.placeholder((N, M), name="A")
    first = te.compute((N, M), lambda i, j: A[i, j] - 1, name="first")
    B = te.compute((N, M), lambda i, j: A[i, j] + 1, name="B")
    C = te.compute((N, M), lambda i, j: B[i, M - 1 - j] * 2, name="C")
    s = te.create_schedule([first, C])
    s[B].compute_at(s[C], C.op.axis[0])
    if parallel:
        s[C].parallel(C.op.axis[0])
    return teloom.build(s, [A, first, C], name="rows")


@pytest.mark.parametrize("threads", [None, 1, 3])
@pytest.mark.parametrize("shape", [(3, 1000), (1, 1), (5, 17)])
def test_a_buffer_in_a_parallel_loop(takes, threads, shape):
    a = given(np.random.default_rng(0).random(shape).astype("float32"))
    first, c = np.full((2, *shape), -1, "float32")
    size = lines(4 * shape[1]) * threads if threads else 4 * shape[1]
    with teloom.num_threads(threads or 3):
        assert size <= takes(rows(bool(threads)), a, first, c) <= size + SLACK
    np.testing.assert_array_equal(c, (a[:, ::-1] + 1) * 2)


@cache
def triangle() -> Kernel:
    """C[i] is the sum of i + 1 elements of B, which are computed there."""
    A = te.placeholder((N,), name="A")
    B = te.compute((N,), lambda i: A[i] + 1, name="B")
    k = te.reduce_axis((0, N), "k")
    C = te.compute((N,), lambda i: te.sum(B[k], axis=k, where=k <= i), name="C")
    s = te.create_schedule(C)
    s[B].compute_at(s[C], C.op.axis[0])
    return teloom.build(s, [A, C], name="triangle")


@pytest.mark.parametrize("n", [0, 1, 2, 100, 1001])
def test_a_buffer_that_grows_with_its_loop(takes, n):
    a = given(np.arange(n, dtype="float32"))
    c = np.full(n, -1, "float32")
    assert 4 * n <= takes(triangle(), a, c) <= 4 * n + SLACK
    np.testing.assert_array_equal(c, np.cumsum(a + 1))


def test_the_error_is_that_of_any_buffer(monkeypatch):
    monkeypatch.setenv(workspace.LIMIT, "1000")
    with pytest.raises(
        OutOfMemoryError,
        match=r"triangle needs 4[0-9]{3} bytes or more for temporary buffers, above the limit of "
        "1000; TELOOM_WORKSPACE_LIMIT sets another one",
    ):
        triangle()(np.zeros(1000, "float32"), c := np.full(1000, -1, "float32"))
    assert (c == -1).all()


def test_memory_is_taken_once_per_call(monkeypatch):
    taken: list[int] = []
    block = workspace._Workspace._block
    monkeypatch.setattr(
        workspace._Workspace, "_block", lambda w, size: taken.append(size) or block(w, size)
    )
    kernel = triangle()
    for n in (1000, 1000, 999, 0):
        kernel(np.ones(n, "float32"), c := np.zeros(n, "float32"))
        np.testing.assert_array_equal(c, 2 * np.arange(1, n + 1))
    assert len(taken) == 1


@cache
def two_parallel_loops() -> Kernel:
    """Each row of C is made of two buffers, each row of D of another one."""
    A = te.placeholder((N, M), name="A")
    B = te.compute((N, M), lambda i, j: A[i, j] + 1, name="B")
    E = te.compute((N, M), lambda i, j: B[i, M - 1 - j] * A[i, j], name="E")
    C = te.compute((N, M), lambda i, j: B[i, j] - E[i, M - 1 - j], name="C")
    F = te.compute((N, M), lambda i, j: A[i, j] - 1, name="F")
    D = te.compute((N, M), lambda i, j: F[i, j] * F[i, M - 1 - j], name="D")
    s = te.create_schedule([C, D])
    for made, of in ((C, B), (C, E), (D, F)):
        s[of].compute_at(s[made], made.op.axis[0])
        s[made].parallel(made.op.axis[0])
    return teloom.build(s, [A, C, D], name="two_parallel_loops")


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("shape", [(1, 1), (3, 1000), (5, 17), (0, 9)])
def test_buffers_that_lie_in_one_piece_of_memory(takes, shape, threads):
    a = given(np.random.default_rng(0).integers(-9, 9, shape).astype("float32"))
    c, d = np.full((2, *shape), -1, "float32")
    size = threads * 2 * lines(4 * shape[1]) if shape[0] else 0
    with teloom.num_threads(threads):
        assert size <= takes(two_parallel_loops(), a, c, d) <= size + 2 * SLACK
    np.testing.assert_array_equal(c, a + 1 - (a + 1) * a[:, ::-1])
    np.testing.assert_array_equal(d, (a - 1) * (a[:, ::-1] - 1))


def test_a_size_that_is_read_is_refused_where_it_is_needed(monkeypatch):
    """With a check, that puts back what is written; docs say of what else this is so."""
    text = """
        func.func @main(%N: memref<4xi64> {llvm.readonly}, %O: memref<4xi64>) {
          loop.for %i = 0 to 4 {
            %n = memref.load %N[%i] : memref<4xi64>
            %size = arith.index_cast %n : i64 to index
            %B = memref.alloc(%size) {alignment = 64 : i64} : memref<?xi64>
            memref.store %n, %B[%i] : memref<?xi64>
            %b = memref.load %B[%i] : memref<?xi64>
            memref.store %b, %O[%i] : memref<4xi64>
            memref.dealloc %B : memref<?xi64>
          }
          func.return
        }"""
    sizes = given(np.array([9, 99, 10**9, 7]))
    for check, written in (("", [9, 99, -1, -1]), ("memory", [-1, -1, -1, -1])):
        monkeypatch.setenv("TELOOM_SANITIZE", check)
        kernel = compile_loops(text)
        monkeypatch.setenv(workspace.LIMIT, "1000000")
        with pytest.raises(OutOfMemoryError):
            kernel(sizes, o := np.full(4, -1))
        np.testing.assert_array_equal(o, written)
        monkeypatch.delenv(workspace.LIMIT)


@cache
def compiled(body: str) -> Kernel:
    """A function of sizes n and m, and of an array of integers, into which it writes first."""
    return compile_loops(
        f"""
        func.func @main(%n: index, %m: index, %O: memref<?xi64>) {{
          %zero = arith.constant 0 : index
          %one = arith.constant 1 : i64
          memref.store %one, %O[%zero] : memref<?xi64>
          {body}
          func.return
        }}"""
    )


def bytes_taken(takes, body: str, n: int, m: int) -> int:
    """On two threads."""
    kernel = compiled(body)
    kernel.num_threads = 2
    return takes(kernel, n, m, np.full(4, -1, "int64"))


USED = """
  memref.store %one, %B[%zero] : memref<?xi64>
  memref.dealloc %B : memref<?xi64>
"""


@pytest.mark.parametrize(("n", "m"), [(9, 5), (10, 1000), (11, 1000), (1, 10**12)])
def test_a_branch_counts_where_it_is_taken(takes, n, m):
    found = bytes_taken(
        takes,
        f"""loop.if (%n - 10 >= 0) {{
          %B = memref.alloc(%m) {{alignment = 64 : i64}} : memref<?xi64>
          {USED}
        }}""",
        n,
        m,
    )
    size = 8 * m if n >= 10 else 0
    assert size <= found <= size + SLACK


@pytest.mark.parametrize(("n", "m"), [(0, 10**12), (5, 0), (5, 100)])
def test_a_loop_that_does_not_run_needs_nothing(takes, n, m):
    found = bytes_taken(
        takes,
        f"""loop.for %i = 0 to %n parallel {{
          %B = memref.alloc(%m) {{alignment = 64 : i64}} : memref<?xi64>
          {USED}
        }}""",
        n,
        m,
    )
    size = 2 * lines(8 * m) if n else 0
    assert size <= found <= size + SLACK


@pytest.mark.parametrize("n", [1, 7, 8, 9, 1000])
def test_buffers_of_two_loops_are_not_needed_together(takes, n):
    found = bytes_taken(
        takes,
        f"""loop.for %i = 0 to %n parallel {{
          %B = memref.alloc(%n) {{alignment = 64 : i64}} : memref<?xi64>
          {USED}
        }}
        loop.for %i = 0 to %n parallel {{
          %size = affine.apply affine_map<(d0, d1) -> (d1 * 3 - d0)> (%i, %n)
          %B = memref.alloc(%size) {{alignment = 64 : i64}} : memref<?xi64>
          {USED}
        }}""",
        n,
        0,
    )
    assert 2 * lines(24 * n) <= found <= 2 * lines(24 * n) + SLACK


@pytest.mark.parametrize("n", [1, 7, 8, 1000])
def test_what_loops_around_hold_counts_too(takes, n):
    found = bytes_taken(
        takes,
        f"""loop.for %i = 0 to %n {{
          %first = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
          %C = memref.alloc(%first) {{alignment = 64 : i64}} : memref<?xi64>
          memref.store %one, %C[%i] : memref<?xi64>
          loop.for %j = 0 to %i + 1 {{
            %size = affine.apply affine_map<(d0) -> (d0 * 2 + 1)> (%j)
            %B = memref.alloc(%size) {{alignment = 64 : i64}} : memref<?xi64>
            {USED}
          }}
          memref.dealloc %C : memref<?xi64>
        }}""",
        n,
        0,
    )
    size = 8 * n + 8 * (2 * n - 1)
    assert size <= found <= size + 2 * SLACK


def test_sums_that_overflow_are_refused():
    kernel = compiled(f"""
        loop.for %i = 0 to %n {{
          %size = loop.element_count [%i * 1048576 + %n]
          %C = memref.alloc(%size) {{alignment = 64 : i64}} : memref<?xi64>
          memref.store %one, %C[%i] : memref<?xi64>
          %B = memref.alloc(%size) {{alignment = 64 : i64}} : memref<?xi64>
          {USED}
          memref.dealloc %C : memref<?xi64>
        }}""")
    with pytest.raises(OutOfMemoryError, match=r"main needs [0-9]{18,19} bytes or more"):
        kernel(2**40, 0, o := np.full(4, -1, "int64"))
    assert (o == -1).all()
