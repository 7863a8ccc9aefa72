"""Checked runs say which access finds something else than it means, and let right ones be."""

import numpy as np
import pytest
from standard_kernels import declared, lowering, parse

import teloom
from teloom import te
from teloom.analysis.signature import signature_of
from teloom.backend.call.kernel import Kernel
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.interfaces import Access
from teloom.driver.compilation import compile_module
from teloom.driver.function import Function
from teloom.errors import WrongAccessError
from teloom.passes.copies.double_buffer import Doubling
from teloom.passes.memory import shared_storages

FUNCTION = (
    "func.func @f(%A: memref<8xf32>, %C: memref<8xf32>)"
    f"{declared('', ['A: float32 (8)', 'C: float32 (8)'], outputs=[1])}"
)

DECLARED = "func.func private @memcpy(memref<8xf32>, memref<8xf32>, index) -> ()\n"

COPY = """
  loop.for %i = 0 to 8 {{
    %v = memref.load {} : memref<8xf32>
    memref.store %v, {} : memref<8xf32>
  }}"""


def copy(source: str, target: str) -> str:
    return COPY.format(source, target)


def checked(body: str) -> Kernel:
    """A kernel of a function of A, which is read, and C, which is written."""
    module = parse(f"{DECLARED}{FUNCTION} {{{body}\n  func.return\n}}")
    return compile_module(module, ["f"], lowering(), signature_of, checked=True)[0]


def call(kernel: Kernel) -> np.ndarray:
    result = np.full(8, -1, "float32")
    kernel(np.arange(8, dtype="float32"), result)
    return result


def views(b_start: int, c_start: int) -> str:
    return f"""
  %storage = memref.alloc() {{alignment = 64 : i64}} : memref<128xi8>
  %b_start = arith.constant {b_start} : index
  %c_start = arith.constant {c_start} : index
  %b = memref.view %storage[%b_start][] : memref<128xi8> to memref<8xf32>
  %c = memref.view %storage[%c_start][] : memref<128xi8> to memref<8xf32>"""


END = "\n  memref.dealloc %storage : memref<128xi8>"

REALIZED = """
  %a = loop.bind %A [0 : 8] : memref<8xf32>
  %c = loop.bind %C [0 : 8] : memref<8xf32>"""

RIGHT = {
    "views apart": views(0, 32)
    + copy("%A[%i]", "%b[%i]")
    + copy("%b[%i]", "%c[%i]")
    + copy("%b[%i]", "%C[%i]")
    + END,
    "one view after another": views(0, 16)
    + copy("%A[%i]", "%b[%i]")
    + copy("%A[%i]", "%c[%i]")
    + copy("%c[%i]", "%C[%i]")
    + END,
    "an output that is read again": copy("%A[%i]", "%C[%i]") + copy("%C[%i]", "%C[%i]"),
    "memory of each iteration of a parallel loop": REALIZED
    + """
  loop.for %i = 0 to 8 parallel {
    %b = loop.realize "B" [%i : 1] : !loop.tensor<1, f32>
    %v = loop.load %a[%i] : f32
    loop.store %v, %b[%i] : f32
    %w = loop.load %b[%i] : f32
    loop.store %w, %c[%i] : f32
  }""",
    "views of other widths": """
  %storage = memref.alloc() : memref<96xi8>
  %zero = arith.constant 0 : index
  %b = memref.view %storage[%zero][] : memref<96xi8> to memref<8xf32>
  %h = memref.view %storage[%zero][] : memref<96xi8> to memref<8xi16>
  %half = arith.constant 1 : i16"""
    + copy("%A[%i]", "%b[%i]")
    + copy("%b[%i]", "%C[%i]")
    + """
  loop.for %i = 0 to 8 {
    memref.store %half, %h[%i] : memref<8xi16>
    %v = memref.load %h[%i] : memref<8xi16>
  }
  memref.dealloc %storage : memref<96xi8>""",
    "an op that is not known": """
  %b = memref.alloc() : memref<8xf32>
  %d = memref.alloc() : memref<8xf32>"""
    + copy("%A[%i]", "%b[%i]")
    + """
  %bytes = arith.constant 32 : index
  func.call @memcpy(%d, %b, %bytes) : (memref<8xf32>, memref<8xf32>, index) -> ()"""
    + copy("%d[%i]", "%C[%i]")
    + """
  memref.dealloc %b : memref<8xf32>
  memref.dealloc %d : memref<8xf32>""",
}


WRONG = {
    "views that overlap": (
        views(0, 16) + copy("%A[%i]", "%b[%i]") + copy("%b[%i]", "%c[%i]") + END,
        'stage "c" reads b[4], where c was written last; 3 more accesses are wrong',
    ),
    "views that overlap by one byte": (
        views(0, 31)
        + copy("%A[%i]", "%b[%i]")
        + copy("%A[%i]", "%c[%i]")
        + copy("%b[%i]", "%C[%i]")
        + END,
        'stage "C" reads b[7], where c was written last',
    ),
    "nothing written": (
        views(0, 32) + copy("%b[%i]", "%C[%i]") + END,
        'stage "C" reads b[0], which nothing has written; 7 more accesses are wrong',
    ),
    "an output that is not written yet": (
        copy("%C[%i]", "%C[%i]"),
        "a load reads C[0], which nothing has written; 7 more",
    ),
    "an argument that is written": (
        copy("%A[%i]", "%A[%i]"),
        "a store writes A[0], in memory that the caller only lets it read",
    ),
    "a load behind the end": (
        """
  loop.for %i = 0 to 9 {
    %v = memref.load %A[%i] : memref<8xf32>
  }""",
        "a load reads A[8], outside of the 8 elements of its buffer",
    ),
    "a store in front of the start": (
        views(64, 96)
        + """
  %minus = arith.constant -1 : index
  %one = arith.constant 1.0 : f32
  memref.store %one, %b[%minus] : memref<8xf32>"""
        + END,
        'stage "b" writes b[-1], outside of the 8 elements of its buffer',
    ),
    "coordinates outside of the region": (
        REALIZED
        + """
  %b = loop.realize "B" [0 : 2, 4 : 4] : !loop.tensor<2, f32>
  loop.for %i = 0 to 5 {
    %v = loop.load %a[%i] : f32
    loop.store %v, %b[0, %i + 4] : f32
  }""",
        'stage "B" writes B[0, 8], outside of the region that is stored',
    ),
    "memory that is freed": (
        """
  %b = memref.alloc() : memref<8xf32>"""
        + copy("%A[%i]", "%b[%i]")
        + "\n  memref.dealloc %b : memref<8xf32>"
        + copy("%b[%i]", "%C[%i]"),
        'stage "C" reads b[0], whose memory has been freed',
    ),
    "an earlier iteration": (
        """
  loop.for %k = 0 to 2 {
    %b = memref.alloca() : memref<8xf32>
    loop.if (%k == 0) {"""
        + copy("%A[%i]", "%b[%i]")
        + "\n    }"
        + copy("%b[%i]", "%C[%i]")
        + "\n  }",
        'stage "C" reads b[0], which nothing has written',
    ),
    "an earlier iteration in memory that left the loop": (
        REALIZED
        + """
  loop.for %k = 0 to 2 {
    %b = loop.realize "B" [0 : 20000] : !loop.tensor<1, f32>
    loop.if (%k == 0) {
      %v = loop.load %a[3] : f32
      loop.store %v, %b[3] : f32
    }
    %w = loop.load %b[3] : f32
    loop.store %w, %c[%k] : f32
  }""",
        'stage "C" reads B[3], where an earlier B was written last',
    ),
}


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_what_is_right_runs(body: str):
    assert (call(checked(body)) == np.arange(8)).all()


@pytest.mark.parametrize(("body", "words"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_named(body: str, words: str):
    with pytest.raises(WrongAccessError) as error:
        call(checked(body))
    assert words in str(error.value)


def test_a_check_leaves_the_arrays_as_they_were():
    kernel = checked(copy("%C[%i]", "%C[%i]"))
    result = np.arange(8, dtype="float32")
    with pytest.raises(WrongAccessError):
        kernel(np.zeros(8, "float32"), result)
    assert (result == np.arange(8)).all()


def stages():
    """B is needed by C and, after C is computed, by D."""
    shape = (20000, 2)
    A = te.placeholder(shape, name="A")
    B = te.compute(shape, lambda i, j: A[i, j] + 1, name="B")
    C = te.compute(shape, lambda i, j: B[i, j] * 2, name="C")
    D = te.compute(shape, lambda i, j: C[i, j] + B[i, j], name="D")
    return te.create_schedule(D), [A, D]


def called(function: Function) -> np.ndarray:
    result = np.zeros((20000, 2), "float32")
    function(np.ones_like(result), result)
    return result


def test_a_program_that_is_planned_right():
    assert (called(teloom.build(*stages(), sanitize="memory")) == 6).all()


def test_a_plan_that_is_wrong(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shared_storages, "plan", lambda demands, in_place: [0] * len(demands))
    function = teloom.build(*stages(), sanitize="memory")
    words = r'test_memory_check.py:\d+: stage "D" reads B\[0, 0\], where C was written last; 39999'
    with pytest.raises(WrongAccessError, match=words):
        called(function)


def test_the_wrong_copy(monkeypatch: pytest.MonkeyPatch):
    """Every load is from the first copy; each second iteration finds there what is for the next."""
    use = Doubling._use_copy

    def use_first(doubling: Doubling, access: Access, copy: Polynomial):
        use(doubling, access, Polynomial({}) if access.reads else copy)

    monkeypatch.setattr(Doubling, "_use_copy", use_first)
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1, name="B")
    C = te.compute((8,), lambda i: B[i] * 2, name="C")
    s = te.create_schedule(C)
    outer, _ = s[C].split(C.op.axis[0], factor=2)
    s[B].compute_at(s[C], outer)
    s[B].double_buffer()
    function = teloom.build(s, [A, C], sanitize="memory")
    words = r'stage "C" reads B\[1, 0\], where another element of B was written last; 3 more'
    with pytest.raises(WrongAccessError, match=words):
        function(np.ones(8, "float32"), np.empty(8, "float32"))


def test_memory_that_leaves_a_parallel_loop(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shared_storages, "can_hand_over", lambda scope, kind: True)
    A = te.placeholder((4, 20000), name="A")
    B = te.compute(A.shape, lambda i, j: A[i, j] + 1, name="B")
    C = te.compute(A.shape, lambda i, j: B[i, j] * 2, name="C")
    s = te.create_schedule(C)
    s[B].compute_at(s[C], C.op.axis[0])
    s[C].parallel(C.op.axis[0])
    function = teloom.build(s, [A, C], sanitize="memory")
    result = np.zeros((4, 20000), "float32")
    words = r'stage "B" writes B\[1, 0\], where another iteration of a parallel loop has B'
    with pytest.raises(WrongAccessError, match=words):
        function(np.ones_like(result), result)


def test_refuses_another_sanitizer():
    with pytest.raises(teloom.Error, match="no sanitizer 'thread'; sanitizers: memory"):
        teloom.build(*stages(), sanitize="thread")


@pytest.mark.parametrize("n", [2, 3, 9])
def test_what_is_computed_ahead_without_loops(n: int):
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1, name="B")
    C = te.compute((n,), lambda i: B[i] * B[i], name="C")
    s = te.create_schedule(C)
    copy = s.cache_write(B, "local")
    s[B].compute_at(s[C], C.op.axis[0])
    s[B].double_buffer()
    s[copy].compute_at(s[B], B.op.axis[0])
    a, c = np.arange(n, dtype="float32"), np.empty(n, "float32")
    teloom.build(s, [A, C], sanitize="memory")(a, c)
    np.testing.assert_array_equal(c, (a + 1) ** 2)
