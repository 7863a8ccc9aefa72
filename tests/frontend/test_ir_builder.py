"""Bodies of externs from an IR builder: what they compute, and what is refused."""

import re

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret
from teloom.errors import Error

SIZES = [0, 1, 7]


def extern(shape, inputs, note, **keywords):
    """An extern whose body `note(ib, *buffers)` notes; buffers are inputs, then outputs."""

    def body(ins, outs):
        ib = te.ir_builder.create()
        note(ib, *(ib.buffer_ptr(buffer) for buffer in (*ins, *outs)))
        return ib.get()

    return te.extern(shape, inputs, body, **{"name": "E", **keywords})


def built(s, args):
    """A schedule, checked; what it gives must be what the interpreter gives."""
    f, program = teloom.build(s, args, name="f", sanitize="memory"), s.program

    def call(*arrays):
        f(*arrays)
        sizes = {
            var: extent
            for tensor, array in zip(args[:-1], arrays[:-1], strict=True)
            for var, extent in zip(tensor.shape, array.shape, strict=True)
        }
        values = [sizes[size] for size in program.sizes]
        (expected,) = interpret(program.module, "main", arrays[:-1], values, program.externals)
        np.testing.assert_allclose(arrays[-1], expected, rtol=1e-5)

    return call


def call(s, args, *arrays):
    """Runs it once."""
    built(s, args)(*arrays)


def running_sum(ib, a, b):
    total = ib.allocate(a.dtype, (), "total")
    total[()] = 0
    with ib.for_range(0, a.shape[0], "i") as i:
        total[()] = total[()] + a[i]
        b[i] = total[()]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_a_buffer_of_the_body_keeps_what_an_iteration_wrote(dtype):
    n = te.var("n")
    A = te.placeholder((n,), dtype, name="A")
    B = extern((n,), [A], running_sum)
    run = built(te.create_schedule(B), [A, B])
    for size in SIZES:
        a, b = (np.random.rand(size) * 10).astype(dtype), np.empty(size, dtype)
        run(a, b)
        np.testing.assert_allclose(b, np.cumsum(a), rtol=1e-5)


def halvings(ib, a, b):
    left = ib.allocate(a.dtype, (), "left")
    with ib.for_range(0, a.shape[0], "i") as i:
        left[()] = a[i]
        first = left[()]
        b[i] = first * 0
        with ib.while_loop(left[()] >= 1):
            left[()] = left[()] / 2
            b[i] = b[i] + 1
        ib.assert_that(b[i] < 5, "a large number")


def test_a_loop_runs_while_a_condition_holds():
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = extern((n,), [A], halvings)
    run = built(te.create_schedule(B), [A, B])
    for size in SIZES:
        a, b = np.arange(size, dtype="float32"), np.empty(size, "float32")
        run(a, b)
        assert b.tolist() == [int(value).bit_length() for value in a]


def test_a_check_that_fails_ends_the_call():
    A = te.placeholder((2,), name="A")
    B = extern((2,), [A], halvings)
    f = teloom.build(te.create_schedule(B), [A, B])
    with pytest.raises(teloom.KernelError, match="a large number"):
        f(np.array([1, 99], "float32"), np.empty(2, "float32"))


def test_an_element_from_before_a_while_is_refused_where_the_loop_stores_it():
    def body(ib, a, b):
        before = b[0]
        with ib.while_loop(b[0] < 3):
            b[0] = before + 1

    words = "E[0] is taken before 'E' is written, and used behind that; keep its value with let"
    with pytest.raises(Error, match=re.escape(words)):
        extern((2,), [te.placeholder((2,), name="A")], body)


@pytest.mark.parametrize("kind", ["serial", "unroll", "vectorize"])
def test_kinds_of_loops_change_no_number(kind):
    n = te.var("n")

    def note(ib, a, b):
        with ib.for_range(0, n, "i", kind=kind) as i:
            b[i] = a[n - 1 - i] * 2

    A = te.placeholder((n,), name="A")
    B = extern((n,), [A], note)
    run = built(te.create_schedule(B), [A, B])
    for size in SIZES:
        a, b = np.random.rand(size).astype("float32"), np.empty(size, "float32")
        run(a, b)
        assert (b == a[::-1] * 2).all()


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_a_loop_runs_above_int32(dtype):
    first = 3_000_000_000

    def note(ib, a, b):
        with ib.for_range(first, first + 9, "i", dtype) as i:
            b[i - first] = a[i - first] * 2

    A = te.placeholder((9,), name="A")
    B = extern((9,), [A], note)
    a, b = np.random.rand(9).astype("float32"), np.empty(9, "float32")
    call(te.create_schedule(B), [A, B], a, b)
    assert (b == a * 2).all()


@pytest.mark.filterwarnings("ignore:.*parallel")
def test_a_loop_can_be_parallel():
    def note(ib, a, b):
        with ib.for_range(0, 9, "i", "int64", kind="parallel") as i:
            b[i] = a[i] + 1

    A = te.placeholder((9,), name="A")
    B = extern((9,), [A], note)
    a, b = np.random.rand(9).astype("float32"), np.empty(9, "float32")
    call(te.create_schedule(B), [A, B], a, b)
    assert (b == a + 1).all()
    assert "parallel" in str(teloom.lower(te.create_schedule(B), [A, B]))


def test_branches_depend_on_data_and_on_positions():
    n = te.var("n")

    def note(ib, a, b):
        with ib.for_range(0, n, "i") as i:
            with ib.if_scope(a[i] > 0):
                with ib.if_scope(i == n - 1):
                    b[i] = -1
                with ib.else_scope():
                    b[i] = a[i]
            with ib.else_scope():
                b[i] = 0

    A = te.placeholder((n,), name="A")
    B = extern((n,), [A], note)
    run = built(te.create_schedule(B), [A, B])
    for size in SIZES:
        a, b = np.random.randn(size).astype("float32"), np.empty(size, "float32")
        run(a, b)
        last = np.arange(size) == size - 1
        assert (b == np.where(a > 0, np.where(last, -1, a), 0)).all()


def test_bounds_and_subscripts_are_loaded():
    """A matrix in rows, of which only the elements that are not 0 are stored."""
    rows, count = te.var("rows"), te.var("count")

    def note(ib, starts, columns, data, x, y):
        with ib.for_range(0, rows, "row") as row:
            y[row] = 0
            with ib.for_range(starts[row], starts[row + 1], "at") as at:
                y[row] = y[row] + data[at] * x[columns[at]]

    starts = te.placeholder((rows + 1,), "int32", name="starts")
    columns = te.placeholder((count,), "int32", name="columns")
    data = te.placeholder((count,), name="data")
    x = te.placeholder((5,), name="x")
    y = extern((rows,), [starts, columns, data, x], note, dtype="float32")
    f = teloom.build(te.create_schedule(y), [starts, columns, data, x, y], sanitize="memory")
    matrix = np.random.rand(6, 5).astype("float32") * (np.random.rand(6, 5) > 0.5)
    at = np.nonzero(matrix)
    begins = np.searchsorted(at[0], np.arange(7)).astype("int32")
    given, result = np.random.rand(5).astype("float32"), np.empty(6, "float32")
    f(begins, at[1].astype("int32"), matrix[at], given, result)
    np.testing.assert_allclose(result, matrix @ given, rtol=1e-5)


def test_a_kept_value_stays_what_it_was():
    n = te.var("n")

    def reverse(ib, a, b):
        with ib.for_range(0, n, "i") as i:
            b[i] = a[i]
        with ib.for_range(0, n // 2, "i") as i:
            other = ib.let("other", n - 1 - i)
            low = ib.let("low", b[i])
            b[i] = b[other]
            b[other] = low

    A = te.placeholder((n,), "int64", name="A")
    B = extern((n,), [A], reverse)
    run = built(te.create_schedule(B), [A, B])
    for size in SIZES:
        a, b = np.arange(size), np.empty(size, "int64")
        run(a, b)
        assert (b == a[::-1]).all()


def sort_rows(ib, a, b):
    """Insertion sort of each row, in a buffer with the extent of a row."""
    rows, columns = a.shape
    with ib.for_range(0, rows, "r") as r:
        row = ib.allocate("float32", (columns,), "row")
        with ib.for_range(0, columns, "i") as i:
            row[i] = a[r, i]
            with ib.for_range(0, i, "back") as back:
                at = i - back
                with ib.if_scope(row[at - 1] > row[at]):
                    held = ib.let("held", row[at])
                    row[at] = row[at - 1]
                    row[at - 1] = held
        with ib.for_range(0, columns, "i") as i:
            b[r, i] = row[i]


def test_alone_and_between_equations():
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, m), name="A")
    E = extern((n, m), [A], sort_rows)
    alone = built(te.create_schedule(E), [A, E])
    B = te.compute((n, m), lambda i, j: A[i, j] * 2, name="B")
    E = extern((n, m), [B], sort_rows)
    C = te.compute((n, m), lambda i, j: E[i, j] + B[i, j], name="C")
    between = built(te.create_schedule(C), [A, C])
    for shape in ((3, 7), (1, 1), (0, 5), (4, 0)):
        a, c = np.random.randn(*shape).astype("float32"), np.empty(shape, "float32")
        alone(a, c)
        assert (c == np.sort(a, axis=1)).all()
        between(a, c)
        np.testing.assert_allclose(c, np.sort(a * 2, axis=1) + a * 2, rtol=1e-5)


def test_in_a_loop_of_its_reader():
    A = te.placeholder((6, 5), name="A")
    B = te.compute((6, 5), lambda i, j: A[i, j] + 1, name="B")
    E = extern((5,), [B[2, 0:5]], _copy_row, name="row")
    C = te.compute((4, 5), lambda y, x: E[x] * A[y, x], name="C")
    s = te.create_schedule(C)
    s[E].compute_at(s[C], C.op.axis[0])
    s[B].compute_at(s[C], C.op.axis[0])
    a, c = np.random.rand(6, 5).astype("float32"), np.empty((4, 5), "float32")
    call(s, [A, C], a, c)
    np.testing.assert_allclose(c, (a[2] + 1) * a[:4], rtol=1e-5)


def _copy_row(ib, b, e):
    with ib.for_range(0, 5, "i") as i:
        e[i] = b[0, i]


def test_caches_of_inputs_and_several_outputs():
    def note(ib, a, low, high):
        low[0] = a[0]
        high[0] = a[0]
        with ib.for_range(1, 8, "i") as i:
            low[0] = te.min(low[0], a[i])
            high[0] = te.max(high[0], a[i])

    A = te.placeholder((8,), name="A")
    low, high = extern([(1,), (1,)], [A], note, dtype="float32")
    C = te.compute((8,), lambda i: (A[i] - low[0]) / (high[0] - low[0]), name="C")
    s = te.create_schedule(C)
    s.cache_read(A, "local", [low])
    a, c = np.random.rand(8).astype("float32"), np.empty(8, "float32")
    call(s, [A, C], a, c)
    np.testing.assert_allclose(c, (a - a.min()) / (a.max() - a.min()), rtol=1e-5)


def test_calls_get_buffers_of_the_body():
    def note(ib, a, b):
        t = ib.allocate("float32", (2, 3), "t")
        with ib.for_range(0, 2, "i") as i:
            ib.emit(te.call_packed(halve, a.buffer, t.buffer, i))
            with ib.for_range(0, 3, "j") as j:
                b[i, j] = t[i, j] + 1

    def halve(given, out, number):
        out[...] = given / 2 + number

    A = te.placeholder((2, 3), name="A")
    B = extern((2, 3), [A], note)
    a, b = np.random.rand(2, 3).astype("float32"), np.empty((2, 3), "float32")
    call(te.create_schedule(B), [A, B], a, b)
    np.testing.assert_allclose(b, a / 2 + [[1], [2]], rtol=1e-5)


def test_strides_and_offsets_are_values():
    part = te.decl_buffer((3,), "float32", name="part", strides=[te.var("step")], offset_factor=1)

    def body(ins, outs):
        ib = te.ir_builder.create()
        out = ib.buffer_ptr(outs[0])
        with ib.for_range(0, 1, "i") as i:
            out[i] = ins[0].elem_offset
            out[i + 1] = ins[0].strides[0].astype("int64")
        return ib.get()

    A = te.placeholder((4, 3), name="A")
    B = te.extern((2,), [A[2, 0:3]], body, "B", "int64", in_buffers=None)
    C = te.extern((2,), [te.placeholder((3,), name="P")], body, "C", "int64", in_buffers=[part])
    b = np.empty(2, "int64")
    teloom.build(te.create_schedule(B), [A, B])(np.zeros((4, 3), "float32"), b)
    assert b.tolist() == [6, 3]
    P = C.op.input_tensors[0]
    teloom.build(te.create_schedule(C), [P, C])(np.zeros(3, "float32"), b)
    assert b.tolist() == [0, 1]


def test_a_wrong_access_is_found_at_its_line():
    def note(ib, a, b):
        t = ib.allocate("float32", (4,), "t")
        with ib.for_range(0, 4, "i") as i:
            b[i] = t[i] + a[i]

    A = te.placeholder((4,), name="A")
    B = extern((4,), [A], note, name="B")
    f = teloom.build(te.create_schedule(B), [A, B], sanitize="memory")
    words = r'test_ir_builder.py:\d+: stage "B" reads t\[0\], which nothing has written'
    with pytest.raises(teloom.Error, match=words):
        f(np.zeros(4, "float32"), np.empty(4, "float32"))


def noted(note):
    A, B = te.placeholder((4, 4), name="A"), te.placeholder((4,), "int32", name="B")
    return extern((4,), [A, B], note, name="C", dtype="float32")


def loop_that_is_left(ib, a, b, c):
    with ib.for_range(0, 4, "i") as i:
        pass
    c[0] = i.astype("float32")


def value_of_a_branch(ib, a, b, c):
    with ib.if_scope(b[0] > 0):
        x = ib.let("x", a[0, 0])
    c[0] = x


def buffer_of_a_loop(ib, a, b, c):
    with ib.for_range(0, 4, "i"):
        t = ib.allocate("float32", (4,), "t")
    c[0] = t[0]


def buffer_of_a_loop_in_a_call(ib, a, b, c):
    with ib.for_range(0, 4, "i"):
        t = ib.allocate("float32", (4,), "t")
    ib.emit(te.call_packed(np.copyto, c.buffer, t.buffer))


def written_in_between(ib, a, b, c):
    x = c[0]
    c[0] = 1
    c[1] = x


def written_by_a_call(ib, a, b, c):
    x = c[0]
    ib.emit(te.call_extern("void", "f", c.buffer.access_ptr("w")))
    c[1] = x


def written_by_the_iteration_before(ib, a, b, c):
    x = c[0]
    with ib.for_range(1, 4, "i") as i:
        c[i] = x
        c[0] = 2


def not_closed(ib, a, b, c):
    with ib.for_range(0, 4, "i"):
        ib.get()


def second_else(ib, a, b, c):
    with ib.if_scope(b[0] > 0):
        c[0] = 1
    c[1] = 2
    with ib.else_scope():
        c[0] = 0


OTHER = te.decl_buffer((4,), name="other")
TENSOR = te.placeholder((4,), name="T")


def at(ib, buffer, *subscripts):
    return ib.buffer_ptr(buffer)[subscripts]


@pytest.mark.parametrize(
    ("note", "words"),
    [
        (loop_that_is_left, "i is used outside of the block in which it is made"),
        (value_of_a_branch, "x is used outside of the block in which it is made"),
        (buffer_of_a_loop, "buffer 't' is used outside of the block in which it is allocated"),
        (
            buffer_of_a_loop_in_a_call,
            "buffer 't' is used outside of the block in which it is allocated",
        ),
        (
            written_in_between,
            "C[0] is taken before 'C' is written, and used behind that; keep its value with let",
        ),
        (written_by_a_call, "C[0] is taken before 'C' is written"),
        (written_by_the_iteration_before, "C[0] is taken before 'C' is written"),
        (not_closed, "get() is called in the loop 'i', which is not closed"),
        (second_else, "an else_scope stands directly behind an if_scope"),
        (lambda ib, a, b, c: a.__setitem__((0, 0), 1), "'C' may not write 'A', which is an input"),
        (lambda ib, a, b, c: c.__setitem__(0, at(ib, OTHER, 0)), "'other' is no buffer of 'C'"),
        (
            lambda ib, a, b, c: ib.emit(te.call_extern("void", "f", OTHER)),
            "'other' is no buffer of 'C'",
        ),
        (lambda ib, a, b, c: a[0], "1 subscripts for the 2 axes of buffer 'A'"),
        (lambda ib, a, b, c: c[1:2], "a slice cannot stand in C[...]; give one position per axis"),
        (lambda ib, a, b, c: c[1.5], "subscript 1.5 of buffer 'C' is float32, not an integer"),
        (
            lambda ib, a, b, c: c.__setitem__(0, b[0]),
            "C[0] holds float32, but B[0] is int32; cast it to that",
        ),
        (
            lambda ib, a, b, c: c.__setitem__(0, TENSOR[0]),
            "T[0] is no value in the body of an extern; take the tensor as an input",
        ),
        (
            lambda ib, a, b, c: ib.if_scope(b[0]),
            "the condition B[0] is int32, not bool",
        ),
        (
            lambda ib, a, b, c: ib.for_range(0, 4, kind="threadIdx.x"),
            "loop 'i' has the kind 'threadIdx.x'; kinds are serial, parallel, vectorize, unroll",
        ),
        (
            lambda ib, a, b, c: ib.for_range(0, 4, dtype="int8"),
            "loop 'i' has the dtype int8; it must be int32 or int64",
        ),
        (
            lambda ib, a, b, c: ib.for_range(0, a[0, 0]),
            "end A[0, 0] of 'loop i' is float32, not an integer",
        ),
        (lambda ib, a, b, c: ib.emit(3), "emit wants te.call_extern(...) or te.call_packed(...)"),
        (lambda ib, a, b, c: ib.buffer_ptr(TENSOR), "buffer_ptr wants a buffer, as ins and outs"),
        (lambda ib, a, b, c: ib.allocate("float32", -1), "axis 0 of 'buf' has the negative extent"),
        (lambda ib, a, b, c: ib.allocate("float32", 4, scope="cache"), "cache"),
    ],
)
def test_refused(note, words):
    with pytest.raises(Error, match=re.escape(words)):
        noted(note)


def test_a_refusal_of_a_statement_names_its_line():
    words = r"test_ir_builder.py:\d+: 'C' may not write 'A'"
    with pytest.raises(Error, match=words):
        noted(lambda ib, a, b, c: a.__setitem__((0, 0), 1))


def test_the_body_can_be_a_list_of_both():
    def body(ins, outs):
        ib = te.ir_builder.create()
        out = ib.buffer_ptr(outs[0])
        with ib.for_range(0, 3, "i") as i:
            out[i] = out[i] + 1
        return [te.call_packed(np.copyto, outs[0], ins[0]), ib.get()]

    A = te.placeholder((3,), name="A")
    B = te.extern((3,), [A], body, name="B")
    a, b = np.random.rand(3).astype("float32"), np.empty(3, "float32")
    call(te.create_schedule(B), [A, B], a, b)
    assert (b == a + 1).all()


def test_what_one_branch_writes_is_not_written_in_the_other():
    """The least place in an array that rises at which a number may stand."""

    def search(ins: list[te.Buffer], outs: list[te.Buffer]):
        ib = te.ir_builder.create()
        a, q, place = map(ib.buffer_ptr, (*ins, *outs))
        with ib.for_range(0, m) as i:
            low = ib.allocate("int32", (1,), name="low")
            high = ib.allocate("int32", (1,), name="high")
            low[0], high[0] = 0, n.astype("int32")
            with ib.while_loop(low[0] < high[0]):
                middle = low[0] + (high[0] - low[0]) // 2
                with ib.if_scope(a[middle] < q[i]):
                    low[0] = middle + 1
                with ib.else_scope():
                    high[0] = middle
            place[i] = low[0]
        return ib.get()

    n, m = te.size_var("n"), te.size_var("m")
    A, Q = te.placeholder((n,), name="A"), te.placeholder((m,), name="Q")
    P = te.extern((m,), [A, Q], search, dtype="int32", name="P")
    run = teloom.build([A, Q, P])
    a = np.sort(np.random.default_rng(0).random(37, "float32"))
    q = np.random.default_rng(1).random(20, "float32")
    run(a, q, p := np.zeros(20, "int32"))
    np.testing.assert_array_equal(p, np.searchsorted(a, q))


@pytest.mark.parametrize("of_then", [True, False])
def test_behind_branches_what_either_writes_is_written(of_then: bool):
    def body(ins: list[te.Buffer], outs: list[te.Buffer]):
        ib = te.ir_builder.create()
        given, result = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
        kept, other = (ib.allocate("float32", (1,), name=name) for name in ("kept", "other"))
        kept[0] = other[0] = given[0]
        taken = kept[0] + 1
        with ib.if_scope(given[0] > 0):
            (kept if of_then else other)[0] = 1
        with ib.else_scope():
            (other if of_then else kept)[0] = 1
        result[0] = taken
        return ib.get()

    A = te.placeholder((1,), name="A")
    with pytest.raises(teloom.Error, match=r"^kept\[0\] is taken before 'kept' is written"):
        te.extern((1,), [A], body, name="B")
