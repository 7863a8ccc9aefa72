"""Externs: what their code sees, numbers, and what is refused."""

import ctypes
import gc
import re
import resource
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import InterpretError, interpret
from teloom.errors import Error, KernelError, PassError, ScheduleError

KINDS = ["float16", "float32", "float64", "int8", "uint8", "int32", "uint64", "bool"]


def built(outputs, args):
    return teloom.build(te.create_schedule(outputs), args, name="f")


class Checked:
    """A program of one placeholder, compiled; it must give what the interpreter gives."""

    def __init__(self, outputs, args):
        self.s = te.create_schedule(outputs)
        self.args = args
        self.f = teloom.build(self.s, args, name="f")

    def __call__(self, *arrays):
        self.f(*arrays)
        given, computed = arrays
        program = self.s.program
        sizes = dict(zip(self.args[0].shape, given.shape, strict=True))
        (result,) = interpret(
            program.module, "main", [given], [sizes[n] for n in program.sizes], program.externals
        )
        assert np.allclose(computed.astype("float64"), result.astype("float64"))


def doubled(a, b):
    b[...] = a + a


def test_a_callback_fills_a_tensor():
    A = te.placeholder((3, 5), name="A")
    B = te.extern((3, 5), [A], lambda i, o: te.call_packed(doubled, i[0], o[0]), name="B")
    a, b = np.random.rand(3, 5).astype("float32"), np.empty((3, 5), "float32")
    Checked(B, [A, B])(a, b)
    assert (b == a + a).all()


def test_a_callback_gets_data_as_an_array():
    A = te.placeholder((3, 5), name="A")
    B = te.extern((3, 5), A, lambda i, o: te.call_packed(doubled, i[0].data, o[0].data), "B")
    a, b = np.random.rand(3, 5).astype("float32"), np.empty((3, 5), "float32")
    Checked(B, [A, B])(a, b)
    np.testing.assert_array_equal(b, a + a)


def test_an_element_of_a_buffer_is_passed():
    def scaled(x: np.ndarray, y: np.ndarray, first: int, second: int):
        y[...] = x * first + second

    A, P = te.placeholder((8,), name="A"), te.placeholder((2, 2), "int32", name="P")
    B = te.extern(
        (8,),
        [A, P],
        lambda i, o: te.call_packed(scaled, i[0], o[0], i[1][1, 0], i[1].vload([0, 1], "int32")),
        dtype="float32",
    )
    run = teloom.build(te.create_schedule(B), [A, P, B])
    a = np.arange(8, dtype="float32")
    run(a, np.array([[1, 2], [3, 4]], "int32"), b := np.empty_like(a))
    np.testing.assert_array_equal(b, a * 3 + 2)
    buffer = te.decl_buffer((2, 2), "int32", "P")
    with pytest.raises(Error, match="1 subscripts for the 2 axes of buffer 'P'"):
        buffer[0]
    with pytest.raises(Error, match="vload of int32x4 from buffer 'P' of int32; a loop that is"):
        buffer.vload((0, 0), "int32x4")


def test_a_callback_gets_pointers_as_addresses():
    def copy(target, source, count):
        ctypes.memmove(target, source, 4 * count)

    A = te.placeholder((3, 5), name="A")
    B = te.extern(
        (2, 5),
        [A],
        lambda i, o: te.call_packed(copy, o[0].access_ptr("w"), i[0].access_ptr("r", 5), 10),
        name="B",
    )
    a, b = np.random.rand(3, 5).astype("float32"), np.zeros((2, 5), "float32")
    built(B, [A, B])(a, b)
    np.testing.assert_array_equal(b, a[1:])
    (interpreted,) = interpret(
        (program := te.create_schedule(B).program).module, "main", [a], (), program.externals
    )
    np.testing.assert_array_equal(interpreted, b)


def test_externs_stand_between_equations():
    A = te.placeholder((4, 8), name="A")
    B = te.compute((4, 8), lambda i, j: A[i, j] + 1, name="B")
    C = te.extern((4, 8), B, lambda i, o: te.call_packed(doubled, i[0], o[0]), name="C")
    D = te.compute((4,), lambda i: C[i, 7 - i] * 3, name="D")
    a, d = np.random.rand(4, 8).astype("float32"), np.empty(4, "float32")
    Checked(D, [A, D])(a, d)
    assert np.allclose(d, ((a + 1) * 6)[range(4), [7, 6, 5, 4]])


@pytest.mark.parametrize("computed", [False, True])
def test_a_callback_sees_just_the_slice(computed):
    seen = []

    def look(a, b):
        seen.append((a.shape, a.strides, a.flags.writeable, b.flags.writeable))
        b[...] = a

    A = te.placeholder((6, 10), "float64", name="A")
    S = te.compute((6, 10), lambda i, j: A[i, j] * 2, name="S") if computed else A
    C = te.extern((1, 4), [S[4, 3:7]], lambda i, o: te.call_packed(look, i[0], o[0]), name="C")
    a, c = np.random.rand(6, 10), np.empty((1, 4))
    built(C, [A, C])(a, c)
    assert (c == a[4:5, 3:7] * (2 if computed else 1)).all()
    # Of a stage, only what the extern takes is computed and stored.
    row = 4 if computed else 10
    assert seen == [((1, 4), (row * 8, 8), False, True)]


def test_symbolic_sizes():
    n, m = te.var("n"), te.var("m")
    seen = []

    def look(a, b):
        seen.append((a.shape, a.strides))
        b[...] = a.T

    A = te.placeholder((n, m), name="A")
    B = te.compute((n, m), lambda i, j: A[i, j] + 1, name="B")
    C = te.extern((m, n), [B], lambda i, o: te.call_packed(look, i[0], o[0]), name="C")
    D = te.compute((m, n), lambda i, j: C[i, j] * 2, name="D")
    f = built(D, [A, D])
    for sizes in [(1, 1), (5, 7), (0, 7), (5, 0)]:
        a, d = np.random.rand(*sizes).astype("float32"), np.empty(sizes[::-1], "float32")
        f(a, d)
        assert np.allclose(d, (a.T + 1) * 2)
        assert seen.pop() == (sizes, (sizes[1] * 4, 4))
        assert not seen


def test_a_slice_with_a_symbolic_begin():
    size = te.var("n")
    A = te.placeholder((size, size), "int32", name="A")

    def body(ins, outs):
        return te.call_packed(np.copyto, outs[0], ins[0])

    C = te.extern((1, size - 1), [A[size - 1, 1:size]], body, name="C")
    f = Checked(C, [A, C])
    for n in (2, 3, 9):
        a, c = np.arange(n * n, dtype="int32").reshape(n, n), np.empty((1, n - 1), "int32")
        f(a, c)
        assert (c == a[n - 1 :, 1:]).all()


@pytest.mark.parametrize("dtype", KINDS)
def test_dtypes(dtype):
    A = te.placeholder((3, 4), dtype, name="A")

    def body(ins, outs):
        return te.call_packed(lambda a, b: b.__setitem__(..., a[::-1]), *ins, *outs)

    B = te.compute((3, 4), lambda i, j: A[i, j], name="B")
    C = te.extern((3, 4), [B], body, name="C")
    a, c = (np.random.rand(3, 4) * 3).astype(dtype), np.empty((3, 4), dtype)
    Checked(C, [A, C])(a, c)
    assert (c == a[::-1]).all()


def test_several_outputs_of_several_shapes():
    def split(a, low, total):
        low[...] = a[:2]
        total[...] = a.sum()

    A = te.placeholder((5,), "int64", name="A")
    low, total = te.extern(
        [(2,), ()], [A], lambda i, o: te.call_packed(split, *i, *o), "S", dtype=["int64", "int64"]
    )
    E = te.compute((2,), lambda i: low[i] * total(), name="E")
    a, e = np.arange(5) + 1, np.empty(2, "int64")
    built(E, [A, E])(a, e)
    assert e.tolist() == [15, 30]
    t, first = np.empty((), "int64"), np.empty(2, "int64")
    built(low, [A, low, total])(a, first, t)
    assert (first.tolist(), int(t)) == ([1, 2], 15)


def test_a_scalar_tensor_and_numbers_are_passed():
    n = te.var("n")
    got = []
    F = te.placeholder((), "float64", name="F")
    A = te.placeholder((n,), "float64", name="A")

    def body(ins, outs):
        return te.call_packed(
            lambda *a: got.append(a[2:]) or np.multiply(a[0], a[1], out=a[5]),
            ins[0],
            ins[1],
            n + 1,
            te.const(2.5, "float32"),
            7,
            outs[0],
        )

    B = te.extern((n,), [A, F], body, name="B")
    a, b = np.random.rand(4), np.empty(4)
    built(B, [A, F, B])(a, np.array(3.0), b)
    assert np.allclose(b, a * 3)
    assert got[0][:3] == (5, 2.5, 7)


def test_a_function_of_libc_gets_pointers():
    A = te.placeholder((4, 8), "int32", name="A")

    def body(ins, outs):
        return te.call_extern(
            "void",
            "memcpy",
            outs[0].access_ptr("w"),
            ins[0].access_ptr("r"),
            te.const(16, "int64"),
        )

    C = te.extern((4,), [A[2, 3:7]], body, name="C", dtype="int32")
    a, c = np.arange(32, dtype="int32").reshape(4, 8), np.empty(4, "int32")
    Checked(C, [A, C])(a, c)
    assert c.tolist() == a[2, 3:7].tolist()


def test_strides_and_offset_can_be_passed_on():
    """The base, the offset and the strides say where the elements are."""
    got = []
    prototype = ctypes.CFUNCTYPE(
        ctypes.c_int32,
        ctypes.c_void_p,
        ctypes.c_int64,
        ctypes.c_int64,
        ctypes.c_int64,
        ctypes.c_void_p,
    )

    @prototype
    def look(base, offset, row, column, out):
        got.append((offset, row, column))
        ctypes.memmove(out, base + 4 * offset, 4)
        return 0

    n, m = te.var("n"), te.var("m")

    def body(ins, outs):
        (a,) = ins
        return te.call_extern("int32", look, a.data, a.elem_offset, *a.strides, outs[0])

    P = te.placeholder((n + 2, m + 3), name="P")
    C = te.extern((1,), [P[1:2, 2:3]], body, name="C")
    p, c = np.random.rand(6, 8).astype("float32"), np.empty(1, "float32")
    built(C, [P, C])(p, c)
    assert got == [(10, 8, 1)]
    assert c[0] == p[1, 2]


def test_a_c_function_sorts_in_place_by_a_callback_of_its_own():
    compare = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int)
    )
    ascending = compare(lambda x, y: (x[0] > y[0]) - (x[0] < y[0]))
    libc = ctypes.CDLL(None)
    address = ctypes.cast(ascending, ctypes.c_void_p).value
    n = te.var("n")
    A = te.placeholder((n,), "int32", name="A")

    def body(ins, outs):
        size = te.const(4, "int64")
        return [
            te.call_extern(
                "void", "memcpy", outs[0].access_ptr("w"), ins[0], n.astype("int64") * size
            ),
            te.call_extern(
                "void",
                libc.qsort,
                outs[0].access_ptr("rw"),
                n.astype("int64"),
                size,
                te.const(address, "int64"),
            ),
        ]

    B = te.extern((n,), [A], body, name="B")
    C = te.compute((n,), lambda i: B[i] * 10, name="C")
    for count in (0, 1, 7):
        a, c = np.random.randint(-50, 50, count).astype("int32"), np.empty(count, "int32")
        Checked(C, [A, C])(a, c)
        assert (c == np.sort(a) * 10).all()


def test_a_body_of_ir_has_buffers_and_sizes_by_their_names():
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, m), "float64", name="A")
    body = """
      loop.for %i = 0 to %n {
        loop.for %j = 0 to %m {
          %x = memref.load %A[%i, %j] : memref<?x?xf64>
          %y = func.call @cbrt(%x) : (f64) -> f64
          memref.store %y, %R[%i, %j] : memref<?x?xf64>
        }
      }"""
    R = te.extern((n, m), [A], lambda ins, outs: body, name="R")
    S = te.compute((n, m), lambda i, j: R[i, j] + 1, name="S")
    a, s = np.random.rand(3, 5), np.empty((3, 5))
    Checked(S, [A, S])(a, s)
    assert np.allclose(s, np.cbrt(a) + 1)


def test_what_a_callback_raises_is_the_cause():
    def fail(a, b):
        raise ValueError(f"{a.size} elements")

    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1, name="B")
    C = te.extern((n,), [B], lambda i, o: te.call_packed(fail, *i, *o), name="C")
    D = te.compute((n,), lambda i: C[i] + B[i], name="D")
    f = built(D, [A, D])
    for _ in range(3):
        with pytest.raises(
            KernelError, match="f: fail, called by C, raised: ValueError: 3 elem"
        ) as e:
            f(np.ones(3, "float32"), np.empty(3, "float32"))
        assert isinstance(e.value.__cause__, ValueError)


def test_an_interrupt_in_a_callback_is_one():
    def interrupt(b):
        raise KeyboardInterrupt

    B = te.extern((4,), [], lambda i, o: te.call_packed(interrupt, *o), dtype="float32")
    with pytest.raises(KeyboardInterrupt):
        built(B, [B])(np.empty(4, "float32"))


def test_a_callback_may_call_compiled_code():
    A = te.placeholder((4,), name="A")
    T = te.compute((4,), lambda i: A[i] * 3, name="T")
    inner = built(T, [A, T])

    def call(a, b):
        inner(a, b)

    C = te.extern((4,), [A], lambda i, o: te.call_packed(call, *i, *o), name="C")
    a, c = np.random.rand(4).astype("float32"), np.empty(4, "float32")
    built(C, [A, C])(a, c)
    assert np.allclose(c, a * 3)


def test_a_function_keeps_its_callback_alive():
    class Fill:
        def __call__(self, b):
            b[...] = 7

    fill = Fill()

    def body(ins, outs, fill=fill):
        return te.call_packed(fill, *outs)

    B = te.extern((4,), [], body, dtype="int32")
    f, alive = built(B, [B]), weakref.ref(fill)
    del fill, body, B
    gc.collect()
    assert alive() is not None
    b = np.empty(4, "int32")
    f(b)
    assert (b == 7).all()
    del f
    gc.collect()
    assert alive() is None


def test_two_functions_of_one_name_share_no_machine_code():
    """Addresses stand nowhere in the code that the cache keeps."""

    def program(value):
        def fill(b):
            b[...] = value

        B = te.extern((4,), [], lambda i, o: te.call_packed(fill, *o), name="B", dtype="int32")
        return built(B, [B])

    one, two = program(1), program(2)
    assert one.kernel.codes == two.kernel.codes
    b = np.empty(4, "int32")
    for f, value in ((one, 1), (two, 2), (one, 1)):
        f(b)
        assert (b == value).all()


def test_an_extern_computed_in_a_loop_runs_once_per_iteration():
    calls = []

    def fill(a, b):
        calls.append(1)
        b[...] = a * 2

    A = te.placeholder((8,), name="A")
    B = te.extern((8,), [A], lambda i, o: te.call_packed(fill, *i, *o), name="B")
    C = te.compute((6, 8), lambda i, j: B[j] + i, name="C")
    s = te.create_schedule(C)
    outer, _ = s[C].split(C.op.axis[0], factor=2)
    s[B].compute_at(s[C], outer)
    s[C].vectorize(C.op.axis[1])
    a, c = np.random.rand(8).astype("float32"), np.empty((6, 8), "float32")
    teloom.build(s, [A, C])(a, c)
    assert np.allclose(c, a * 2 + np.arange(6)[:, None])
    assert len(calls) == 3
    cost = te.explain(s)[0]
    assert (cost.name, cost.times, cost.computed, cost.stored) == ("B", 3, None, 32)


def test_an_extern_reads_a_cache_and_is_cached():
    A = te.placeholder((4, 8), name="A")
    B = te.extern((4, 8), [A], lambda i, o: te.call_packed(doubled, *i, *o), name="B")
    C = te.compute((4, 8), lambda i, j: B[i, j] + 1, name="C")
    s = te.create_schedule(C)
    AL = s.cache_read(A, "local", [B])
    BL = s.cache_read(B, "local", [C])
    s[BL].compute_at(s[C], C.op.axis[0])
    assert AL in s[B].op.input_tensors
    a, c = np.random.rand(4, 8).astype("float32"), np.empty((4, 8), "float32")
    teloom.build(s, [A, C])(a, c)
    assert np.allclose(c, a * 2 + 1)


def test_declared_buffers_are_checked():
    A = te.placeholder((4, 8), name="A")
    B = te.compute((4, 8), lambda i, j: A[i, j] + 1, name="B")

    def program(**declared):
        buffer = te.decl_buffer((4, 8), name="X", **declared)
        C = te.extern(
            (4, 8), [B], lambda i, o: te.call_packed(doubled, *i, *o), "C", in_buffers=[buffer]
        )
        s = te.create_schedule(C)
        s[B].storage_align(B.op.axis[0], 16, 4)
        return teloom.build(s, [A, C])

    with pytest.raises(PassError, match="axis 0 has the stride 20, but the buffer asks for 8"):
        program()
    with pytest.raises(PassError, match="axis 0 has the stride 20, but the buffer asks for 16"):
        program(strides=[16, 1])
    for kernel in (
        program(strides=[20, 1], data_alignment=128),
        program(strides=[te.var("s"), 1], data_alignment=64, offset_factor=4),
    ):
        a, c = np.random.rand(4, 8).astype("float32"), np.empty((4, 8), "float32")
        kernel(a, c)
        assert np.allclose(c, (a + 1) * 2)


def test_an_argument_is_aligned_as_its_elements():
    A = te.placeholder((8,), name="A")
    for alignment, right in ((4, True), (64, False)):
        buffer = te.decl_buffer((8,), data_alignment=alignment)
        B = te.extern((8,), [A], lambda i, o: te.call_packed(doubled, *i, *o), in_buffers=[buffer])
        if right:
            built(B, [A, B])
        else:
            with pytest.raises(PassError, match=r"at a multiple of 4 bytes, .* asks for 64"):
                built(B, [A, B])


A = te.placeholder((4, 8), name="A")
X = te.decl_buffer((4, 8), name="X")
S = te.var("s")


def _extern(shape, inputs, body=lambda i, o: te.call_packed(doubled, *i, *o), **more):
    return te.extern(shape, inputs, body, name="C", **more)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: _extern((4,), []), "'C' needs a dtype; those of its inputs are: none"),
        (lambda: _extern((4,), [1]), "1 is no input of 'C': give a tensor, or a slice of one"),
        (lambda: _extern((4,), [A[0, 0]]), "is no input of 'C'"),
        (lambda: _extern([(4,), (4,)], [A], dtype=["int8"]), "1 dtypes for the 2 outputs of 'C'"),
        (lambda: _extern((4,), [A], lambda i, o: 3), "the body of 'C' is 3; it must be"),
        (lambda: _extern((4,), [A], lambda i, o: None), "the body of 'C' is None; it must be"),
        (lambda: A[0:2, 0:2, 0], "3 subscripts for the 2 axes of A"),
        (lambda: A[0:4:2], "a slice of A has step 2; it can have none"),
        (
            lambda: _extern((4,), [A], in_buffers=[]),
            "'C' needs one te.decl_buffer per input, 1, got []",
        ),
        (
            lambda: _extern((4,), [A], in_buffers=te.decl_buffer((8, 4), name="X")),
            "buffer 'X' has the shape [8, 4], A[0 : 4, 0 : 8] of 'C' [4, 8]",
        ),
        (
            lambda: _extern((4,), [A], out_buffers=te.decl_buffer((4,), "int8", "X")),
            "buffer 'X' holds int8, output 0 of 'C' holds float32",
        ),
        (
            lambda: _extern((4, 8), [A], in_buffers=X, out_buffers=X),
            "'C' has one buffer for two tensors; declare each of its own",
        ),
        (
            lambda: te.create_schedule(
                _extern((4, 8), [A], in_buffers=te.decl_buffer((4, 8), strides=[S, S]))
            ),
            "s of buffer 'buffer' stands for something else already, in 'buffer'",
        ),
        (
            lambda: te.create_schedule(
                _extern(
                    (4, S),
                    [te.placeholder((4, S), name="A")],
                    in_buffers=te.decl_buffer((4, S), name="Y", strides=[S, 1]),
                )
            ),
            "s of buffer 'Y' must be a number, or a te.var that is no size",
        ),
        (
            lambda: te.create_schedule(
                _extern(
                    (4, S),
                    [te.placeholder((4, S), name="A")],
                    in_buffers=te.decl_buffer((4, S), name="Y", offset_factor=4),
                )
            ),
            "buffer 'Y' is compact with a symbolic extent, and may have an offset: give it",
        ),
        (
            lambda: te.create_schedule(_extern((4,), [A], lambda i, o: te.call_packed(print, X))),
            "'X' is no buffer of 'C'",
        ),
        (lambda: te.call_extern("void", 3), "call_extern wants a name or a function of ctypes"),
        (lambda: te.call_packed("f"), "call_packed wants a function of Python, got 'f'"),
        (lambda: te.call_extern("void", "f", A[0, 0]), "f gets A[0, 0], which is no number"),
        (
            lambda: _extern(
                (4,), [A], lambda i, o: te.call_extern("void", "f", i[0].access_ptr("x"))
            ),
            'access_ptr of \'A\' is for "r", "w" or "rw", not \'x\'',
        ),
        (
            lambda: te.create_schedule(
                _extern((4,), [A], lambda i, o: te.call_extern("void", "f", i[0].access_ptr("w")))
            ),
            "'C' may not write 'A', which is an input",
        ),
        (
            lambda: te.create_schedule(_extern((4,), [A], lambda i, o: "memref.load %X[]")),
            "the body of 'C' is refused:",
        ),
        (
            lambda: te.create_schedule(te.extern((3, 4), [A], lambda i, o: "some words", "C")),
            "; a text is IR, in which buffers and sizes are values of their names",
        ),
        (
            lambda: te.create_schedule(
                te.extern((3, 4), [A], lambda i, o: "func.func @f() { func.return }", "C")
            ),
            "the body of 'C' is a text with func.func; it must be the ops inside of a function, or "
            "a func.func of xDSL",
        ),
        (
            lambda: te.create_schedule(
                _extern((4,), [A], lambda i, o: te.call_packed(print, te.const(1, "int8")))
            ),
            "print gets 1, which is int8; a number that is passed to Python is",
        ),
        (
            lambda: built(
                _extern((4,), [A], lambda i, o: te.call_extern("void", "no_such_f")), [A]
            ),
            "the output C is not among the arguments",
        ),
    ],
)
def test_refused_when_made(make, words):
    with pytest.raises(Error, match=re.escape(words)):
        make()


def test_a_function_that_is_not_there_is_refused():
    C = _extern((4,), [A], lambda i, o: te.call_extern("void", "no_such_function"))
    with pytest.raises(Error, match="f calls no_such_function, which this process does not have"):
        built(C, [A, C])


def test_a_slice_outside_its_tensor_is_refused():
    C = _extern((1, 8), [A[4, 0:8]])
    with pytest.raises(
        PassError, match=r'stage "C" takes A\[4, \d\], but axis 0 of A runs from 0 to 3'
    ):
        built(C, [A, C])


def test_a_kernel_cannot_have_the_name_of_what_it_calls():
    C = _extern((4,), [A], lambda i, o: te.call_extern("void", "abs", te.const(1)))
    with pytest.raises(
        Error, match="a function that uses abs, a function or a memory, cannot have"
    ):
        teloom.build(te.create_schedule(C), [A, C], name="abs")


def test_one_name_with_two_types_is_refused():
    def body(ins, outs):
        return [
            te.call_extern("void", "abs", te.const(1)),
            te.call_extern("int32", "abs", te.const(1)),
        ]

    with pytest.raises(Error, match=r"abs is called as .*, and elsewhere as"):
        te.create_schedule(_extern((4,), [A], body))


def test_code_fills_other_memory_first():
    m = te.var("m")
    X = te.placeholder((m, 8), name="X")
    B = te.extern((m, 8), [X], lambda i, o: te.call_packed(doubled, *i, *o), name="B")
    s = te.create_schedule(B)
    BL = s.cache_write(B, "global")
    assert (BL.op.axis, [axis.name for axis in B.op.axis], len(s[B].op.axis)) == ([], [], 2)
    s[B].vectorize(s[B].op.axis[1])
    x = np.random.rand(5, 8).astype("float32")
    teloom.build(s, [X, B])(x, found := np.empty_like(x))
    np.testing.assert_array_equal(found, x + x)


def test_commands_that_need_an_equation_are_refused():
    B = te.extern((4, 8), [A], lambda i, o: te.call_packed(doubled, *i, *o), name="B")
    C = te.compute((4, 8), lambda i, j: B[i, j] + 1, name="C")
    s = te.create_schedule(C)
    assert s[B].op.axis == []
    s[B].compute_inline()
    with pytest.raises(ScheduleError, match='cannot inline "B": it is an extern, which has no eq'):
        teloom.lower(s, [A, C])
    P = te.compute((4, 8), lambda i, j: A[i, j] + 1, name="P")
    C = te.extern((4, 8), [P], lambda i, o: te.call_packed(doubled, *i, *o), name="C")
    s = te.create_schedule(C)
    s[P].compute_inline()
    with pytest.raises(
        ScheduleError, match='cannot inline "P": "C" is an extern, which takes a bu'
    ):
        teloom.lower(s, [A, C])


def test_small_integers_are_passed_as_c_does():
    """A caller extends what is narrower than 32 bits."""
    got = []
    types = (ctypes.c_int8, ctypes.c_uint8, ctypes.c_bool, ctypes.c_int16)

    @ctypes.CFUNCTYPE(None, *types)
    def look(*numbers):
        got.append(numbers)

    def body(ins, outs):
        dtypes = ("int8", "uint8", "bool", "int16")
        values = [te.const(v, d) for v, d in zip((-3, 200, True, -300), dtypes, strict=True)]
        return te.call_extern("void", look, *values)

    C = _extern((4,), [A], body)
    built(C, [A, C])(np.empty((4, 8), "float32"), np.empty(4, "float32"))
    assert got == [(-3, 200, True, -300)]


def test_an_assertion_of_a_body_stops_the_program():
    n = te.var("n")
    body = """
      %four = arith.constant 4 : index
      %small = arith.cmpi sle, %n, %four : index
      cf.assert %small, "n is at most 4"
    """
    P = te.placeholder((n,), name="P")
    B = te.compute((n,), lambda i: P[i] + 1, name="B")
    C = te.extern((n,), [B], lambda i, o: body, name="C")
    f = built(C, [P, C])
    f(np.ones(4, "float32"), np.empty(4, "float32"))
    with pytest.raises(KernelError, match=r"f: n is at most 4$"):
        f(np.ones(5, "float32"), np.empty(5, "float32"))


def test_an_extern_and_what_it_takes_are_computed_in_one_loop():
    P = te.placeholder((6, 5), name="P")
    B = te.compute((5,), lambda j: P[0, j] + 1, name="B")
    E = te.extern((5,), [B], lambda i, o: te.call_packed(doubled, *i, *o), name="E")
    C = te.compute((6, 5), lambda i, j: E[j] + P[i, j], name="C")
    s = te.create_schedule(C)
    s[E].compute_at(s[C], C.op.axis[0])
    s[B].compute_at(s[C], C.op.axis[0])
    p, c = np.random.rand(6, 5).astype("float32"), np.empty((6, 5), "float32")
    teloom.build(s, [P, C])(p, c)
    assert np.allclose(c, (p[0] + 1) * 2 + p)


def test_large_temporaries_are_not_shared_with_what_an_extern_sees():
    """Their addresses are elsewhere while the code runs."""
    P = te.placeholder((30000,), name="P")
    stages = [P]
    for number in range(6):
        last = stages[-1]
        if number % 2:

            def body(ins, outs):
                return te.call_packed(doubled, *ins, *outs)

            stages.append(te.extern((30000,), [last], body, name=f"E{number}"))
        else:
            stages.append(te.compute((30000,), lambda i, T=last: T[i] + 1, name=f"T{number}"))
    p, out = np.random.rand(30000).astype("float32"), np.empty(30000, "float32")
    built(stages[-1], [P, stages[-1]])(p, out)
    assert np.allclose(out, (((p + 1) * 2 + 1) * 2 + 1) * 2)


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


@pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux says of the process")
def test_memory_is_freed_where_a_callback_raises():
    def fail(a, b):
        raise ValueError

    count = 1 << 18
    P = te.placeholder((count,), name="P")
    B = te.compute((count,), lambda i: P[i] + 1, name="B")
    C = te.extern((count,), [B], lambda i, o: te.call_packed(fail, *i, *o), name="C")
    f = built(C, [P, C])
    p, c = np.ones(count, "float32"), np.empty(count, "float32")
    for _ in range(3):
        with pytest.raises(KernelError):
            f(p, c)
    before = resident()
    for _ in range(30):
        with pytest.raises(KernelError):
            f(p, c)
    # 30 buffers of 1 MiB would be 30 MiB more.
    assert resident() - before < 12 << 20


BODIES = {
    "loops that carry values": (
        """
        %zero = arith.constant 0 : index
        %one = arith.constant 1 : index
        %start = arith.constant 0.0 : f32
        %sum = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> (f32) {
          %x = memref.load %P[%i] : memref<?xf32>
          %t = arith.addf %s, %x : f32
          scf.yield %t : f32
        }
        loop.for %i = 0 to %n {
          memref.store %sum, %C[%i] : memref<?xf32>
        }
        """
    ),
    "branches": (
        """
        loop.for %i = 0 to %n {
          %x = memref.load %P[%i] : memref<?xf32>
          %two = arith.constant 2 : index
          %early = arith.cmpi slt, %i, %two : index
          %y = scf.if %early -> (f32) {
            %z = arith.addf %x, %x : f32
            scf.yield %z : f32
          } else {
            scf.yield %x : f32
          }
          memref.store %y, %C[%i] : memref<?xf32>
          loop.if (%i - 3 >= 0) {
            memref.store %x, %C[%i] : memref<?xf32>
          }
        }
        """
    ),
    "metadata": (
        """
        %zero = arith.constant 0 : index
        %d = memref.dim %P, %zero : memref<?xf32>
        %b, %o, %size, %stride = memref.extract_strided_metadata %P
          : memref<?xf32> -> memref<f32>, index, index, index
        %s = arith.addi %size, %stride : index
        %t = arith.addi %s, %d : index
        %u = arith.addi %t, %o : index
        %v = arith.index_cast %u : index to i32
        %w = arith.sitofp %v : i32 to f32
        loop.for %i = 0 to %n {
          memref.store %w, %C[%i] : memref<?xf32>
        }
        """
    ),
}


@pytest.mark.parametrize("scope", ["shared", "local", "global.vtcm"])
def test_a_buffer_of_another_scope(scope: str):
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] * 2, name="B")
    body = f"""
        %zero = arith.constant 0 : index
        %x = vector.load %X[%zero] : memref<8xf32, "{scope}">, vector<8xf32>
        vector.store %x, %Y[%zero] : memref<8xf32, "{scope}">, vector<8xf32>
    """
    X, Y = (te.decl_buffer((8,), name=name, scope=scope) for name in "XY")
    C = te.extern((8,), [B], lambda i, o: body, name="C", in_buffers=[X], out_buffers=[Y])
    D = te.compute((8,), lambda i: C[i] + 1, name="D")
    s = te.create_schedule(D)
    s[C].set_scope(scope)
    with pytest.raises(PassError, match=f'in scope "global", but the buffer asks for "{scope}"'):
        teloom.build(s, [A, D])
    s[B].set_scope(scope)
    a, d = np.arange(8, dtype="float32"), np.zeros(8, "float32")
    teloom.build(s, [A, D])(a, d)
    assert (d == a * 2 + 1).all()


BODIES_OF_ROWS = {
    "vectors": """
        %four = arith.constant 4 : index
        loop.for %i = 0 to %n {
          loop.for %j = 0 to 2 {
            %at = arith.muli %j, %four : index
            %v = vector.load %X[%i, %at] : memref<?x9xf32>, vector<4xf32>
            %w = arith.addf %v, %v : vector<4xf32>
            vector.store %w, %C[%i, %at] : memref<?x9xf32>, vector<4xf32>
          }
          %last = arith.constant 8 : index
          %x = memref.load %X[%i, %last] : memref<?x9xf32>
          %y = vector.broadcast %x : f32 to vector<1xf32>
          vector.store %y, %C[%i, %last] : memref<?x9xf32>, vector<1xf32>
        }
        """,
    "rows of a part": """
        %zero = arith.constant 0 : index
        loop.for %i = 0 to %n {
          %from = memref.subview %X[%i, 1] [1, 4] [1, 2]
            : memref<?x9xf32> to memref<4xf32, strided<[2], offset: ?>>
          %to = memref.subview %C[%i, 0] [1, 9] [1, 1]
            : memref<?x9xf32> to memref<1x9xf32, strided<[9, 1], offset: ?>>
          loop.for %j = 0 to 9 {
            %k = affine.apply affine_map<(d0) -> (d0 floordiv 3)> (%j)
            %x = memref.load %from[%k] : memref<4xf32, strided<[2], offset: ?>>
            memref.store %x, %to[%zero, %j] : memref<1x9xf32, strided<[9, 1], offset: ?>>
          }
        }
        """,
    "a part of a part by another type": """
        %steps = memref.subview %X[0, 0] [%n, 5] [1, 2]
            : memref<?x9xf32> to memref<?x5xf32, strided<[9, 2]>>
        %column = memref.subview %steps[0, 2] [%n, 1] [1, 1]
            : memref<?x5xf32, strided<[9, 2]>> to memref<?xf32, strided<[9], offset: 4>>
        %any = "memref.cast"(%column) : (memref<?xf32, strided<[9], offset: 4>>)
            -> memref<?xf32, strided<[?], offset: ?>>
        %zero = arith.constant 0 : index
        %size = memref.dim %any, %zero : memref<?xf32, strided<[?], offset: ?>>
        %base, %offset, %count, %stride = memref.extract_strided_metadata %any
            : memref<?xf32, strided<[?], offset: ?>> -> memref<f32>, index, index, index
        %sum = arith.addi %offset, %stride : index
        %number = arith.index_cast %sum : index to i32
        %float = arith.sitofp %number : i32 to f32
        loop.for %i = 0 to %n {
          %x = memref.load %any[%i] : memref<?xf32, strided<[?], offset: ?>>
          %y = arith.addf %x, %float : f32
          loop.for %j = 0 to 9 {
            memref.store %y, %C[%i, %j] : memref<?x9xf32>
          }
        }
        """,
}


@pytest.mark.parametrize("body", BODIES_OF_ROWS.values(), ids=BODIES_OF_ROWS)
def test_bodies_of_ir_on_parts_of_buffers(body):
    n = te.var("n")
    P = te.placeholder((n, 9), name="P")
    X = te.compute((n, 9), lambda i, j: P[i, j] + 1, name="X")
    C = te.extern((n, 9), [X], lambda i, o: body, name="C")
    f = Checked(C, [P, C])
    for count in (0, 1, 5):
        f(np.random.rand(count, 9).astype("float32"), np.empty((count, 9), "float32"))


def test_a_vector_outside_of_its_buffer_is_found():
    body = """
        %two = arith.constant 2 : index
        %x = vector.load %A[%two] : memref<4xf32>, vector<4xf32>
        vector.store %x, %C[%two] : memref<4xf32>, vector<4xf32>
    """
    A = te.placeholder((4,), name="A")
    C = te.extern((4,), [A], lambda i, o: body, name="C")
    s = te.create_schedule(C)
    f = teloom.build(s, [A, C], sanitize="memory")
    with pytest.raises(teloom.WrongAccessError, match=r"a load reads A\[4\], outside of the 4 el"):
        f(np.zeros(4, "float32"), np.zeros(4, "float32"))
    with pytest.raises(InterpretError, match="a vector of a buffer ends at 6, outside its extent"):
        interpret(s.program.module, "main", [np.zeros(4, "float32")], [])


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_bodies_of_ir(body):
    n = te.var("n")
    P = te.placeholder((n,), name="P")
    C = te.extern((n,), [P], lambda i, o: body, name="C")
    f = Checked(C, [P, C])
    for count in (0, 1, 5):
        f(np.random.rand(count).astype("float32"), np.empty(count, "float32"))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "%i = arith.constant 4 : index\n%x = memref.load %C[%i] : memref<4xf32>",
            "subscript 0 of a buffer is 4, outside its extent 4",
        ),
        ('%no = arith.constant false\ncf.assert %no, "no"', 'no in stage "C"'),
        ("func.call @no_such() : () -> ()", "there is no function no_such in this process"),
        (
            "%i = arith.constant 1.0 : f16\nfunc.call @abs(%i) : (f16) -> ()",
            "the interpreter passes no f16 to a function",
        ),
    ],
)
def test_the_interpreter_refuses(body, words):
    s = te.create_schedule(te.extern((4,), [], lambda i, o: body, name="C", dtype="float32"))
    with pytest.raises(InterpretError, match=re.escape(words)):
        interpret(s.module, "main", [])


def test_the_interpreter_refuses_a_box_outside_its_tensor():
    s = te.create_schedule(_extern((1, 8), [A[4, 0:8]]))
    with pytest.raises(InterpretError, match=r"axis 0 of a te.buffer runs from 4 to 5, outside"):
        interpret(s.module, "main", [np.ones((4, 8), "float32")], (), s.program.externals)


def test_what_a_callback_raises_is_the_cause_in_the_interpreter():
    def fail(b):
        raise ValueError("no")

    s = te.create_schedule(
        te.extern((4,), [], lambda i, o: te.call_packed(fail, *o), "C", dtype="float32")
    )
    with pytest.raises(InterpretError, match="fail, called by C, raised in stage") as error:
        interpret(s.module, "main", [], (), s.program.externals)
    assert isinstance(error.value.__cause__, ValueError)


def test_a_while_loop_reads_what_earlier_iterations_have_not_overwritten():
    A = te.placeholder((8,), name="A")
    X = te.compute((8,), lambda i: A[i] * 2, name="X")

    def mirror(ins, outs):
        ib = te.ir_builder.create()
        x, b = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
        at = ib.allocate("int32", (), name="at")
        at[()] = 0
        with ib.while_loop(at[()] < 8):
            b[at[()]] = x[7 - at[()]]
            at[()] = at[()] + 1
        return ib.get()

    B = te.extern((8,), [X], mirror, name="B")
    C = te.compute((8,), lambda i: B[i] + 1, name="C")
    a = np.arange(8, dtype="float32")
    teloom.build([A, C])(a, result := np.empty_like(a))
    np.testing.assert_array_equal(result, (a * 2)[::-1] + 1)
