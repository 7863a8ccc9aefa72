"""Hybrid scripts: what they compute, compiled and as Python, and what is refused."""

import inspect
import math
import re

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret
from teloom.errors import Error

# ruff: noqa: F821, F841 (scripts call what only they know, and assign what is refused)

SIZES = [0, 1, 7]


def run(s, args, *arrays):
    """Runs a schedule, checked; it must give what the interpreter gives."""
    compiled(s, args)(*arrays)


def compiled(s, args):
    """As `run`, for several calls."""
    f = teloom.build(s, args, name="f", sanitize="memory")

    def call(*arrays):
        f(*arrays)
        compare(s, args, arrays)

    return call


def compare(s, args, arrays):
    program = s.program
    given = [tensor for tensor in program.tensors if isinstance(tensor.op, te.PlaceholderOp)]
    by_tensor = dict(zip(args, arrays, strict=True))
    sizes = {
        size: extent
        for tensor in given
        for size, extent in zip(tensor.shape, by_tensor[tensor].shape, strict=True)
    }
    results = interpret(
        program.module,
        "main",
        [by_tensor[tensor] for tensor in given],
        [sizes[size] for size in program.sizes],
        program.externals,
    )
    for op in s.outputs:
        for tensor, expected in zip(op.outputs, results, strict=True):
            np.testing.assert_allclose(by_tensor[tensor], expected, rtol=1e-5)


FIRST = 3_000_000_000


@te.hybrid.script
def far(a):
    """A loop whose positions no int32 holds."""
    c = output_tensor((4,), "float32")
    for i in range(FIRST, FIRST + 4):
        c[i - FIRST] = a[i - FIRST] * 2
    return c


def test_a_loop_runs_above_int32():
    A = te.placeholder((4,), name="A")
    C = far(A)
    a, c = np.random.rand(4).astype("float32"), np.empty(4, "float32")
    run(te.create_schedule(C.op), [A, C], a, c)
    assert (c == a * 2).all()


@te.hybrid.script
def outer(a, b):
    """The outer product of two vectors."""
    c = output_tensor((a.shape[0], len(b)), "float32")
    for i in range(len(a)):
        for j in range(b.shape[0]):
            c[i, j] = a[i] * b[j]
    return c


def test_alone():
    n, m = te.var("n"), te.var("m")
    A, B = te.placeholder((n,), name="A"), te.placeholder((m,), name="B")
    C = outer(A, B)
    assert (C.op.name, C.shape) == ("outer", (n, m))
    call = compiled(te.create_schedule(C), [A, B, C])
    for sizes in [(1, 1), (5, 3), (0, 4), (4, 0)]:
        a, b = (np.random.rand(size).astype("float32") for size in sizes)
        c = np.empty(sizes, "float32")
        call(a, b, c)
        assert (c == np.outer(a, b)).all()
        assert (c == outer(a, b)).all()


@te.hybrid.script
def statistics(a, low):
    n = a.shape[0]
    sums = output_tensor((n,), a.dtype)
    facts = output_tensor((3,), "int32")
    total = 0.0
    count = 0
    seen = False
    for i in range(n):
        if (i > 0 and a[i - 1] < a[i]) or not a[i] > low:
            count += 1
        elif i == 3:
            count += 2
        else:
            seen = True
        x = a[i] * 2
        total += exp(x) if x > low else x
        sums[i] = total
    facts[0] = count
    facts[1] = int32(max(total, 3.0, low))
    facts[2] = 1 if seen else 0
    return sums, facts


def test_scalars_branches_and_several_outputs():
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    S, F = statistics(A, 0.5)
    call = compiled(te.create_schedule(S), [A, S, F])
    for size in SIZES:
        a, s = np.random.rand(size).astype("float32"), np.empty(size, "float32")
        f = np.empty(3, "int32")
        call(a, s, f)
        sums, facts = statistics(a, 0.5)
        np.testing.assert_allclose(s, sums, rtol=1e-5)
        assert f.tolist() == facts.tolist()


@te.hybrid.script
def sorted_rows(a):
    b = output_tensor(a.shape, a.dtype)
    for r in range(a.shape[0]):
        row = allocate((a.shape[1],), a.dtype)
        for i in range(a.shape[1]):
            row[i] = a[r, i]
            for back in range(i):
                at = i - back
                if row[at - 1] > row[at]:
                    held = row[at]
                    row[at] = row[at - 1]
                    row[at - 1] = held
        for i in range(a.shape[1]):
            b[r, i] = row[i]
    return b


def test_between_equations_and_externs():
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, m), name="A")
    B = te.compute((n, m), lambda i, j: A[i, j] * 2, name="B")
    H = sorted_rows(B)
    E = te.extern((n, m), [H], lambda i, o: te.call_packed(np.negative, i[0], o[0]), name="E")
    C = te.compute((n, m), lambda i, j: E[i, j] + B[i, j], name="C")
    call = compiled(te.create_schedule(C), [A, C])
    for shape in [(3, 7), (1, 1), (0, 5), (4, 0)]:
        a, c = np.random.randn(*shape).astype("float32"), np.empty(shape, "float32")
        call(a, c)
        np.testing.assert_allclose(c, a * 2 - np.sort(a * 2, axis=1), rtol=1e-5, atol=1e-6)
        assert (sorted_rows(a) == np.sort(a, axis=1)).all()


@pytest.mark.parametrize("place", [0, 1])
def test_in_a_loop_of_its_reader(place):
    A = te.placeholder((6, 5), name="A")
    B = te.compute((6, 5), lambda i, j: A[i, j] + 1, name="B")
    H = sorted_rows(B[2:4, 0:5])
    C = te.compute((4, 5), lambda y, x: H[1, x] * A[y, x], name="C")
    s = te.create_schedule(C)
    s[H].compute_at(s[C], C.op.axis[place])
    s[B].compute_at(s[C], C.op.axis[place])
    a, c = np.random.rand(6, 5).astype("float32"), np.empty((4, 5), "float32")
    run(s, [A, C], a, c)
    np.testing.assert_allclose(c, np.sort(a[3] + 1) * a[:4], rtol=1e-5)


SCALE, TAPS = 0.5, (1.0, 2.0, 1.0)


@pytest.mark.parametrize("size", [3, 9])
def test_constants_from_around(size):
    shift = np.float32(3)

    @te.hybrid.script
    def filtered(a, bias, n):
        b = output_tensor((n,), "float32")
        half = len(TAPS) // 2
        for i in range(n):
            if i < half or i >= n - half:
                b[i] = 0
            else:
                b[i] = (TAPS[0] * a[i - 1] + TAPS[1] * a[i] + TAPS[2] * a[i + 1]) * SCALE
            b[i] += shift + bias - np.pi * math.sqrt(4.0)
        return b

    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = filtered(A, 1.5, n)
    a, b = np.random.rand(size).astype("float32"), np.empty(size, "float32")
    run(te.create_schedule(B), [A, B], a, b)
    np.testing.assert_allclose(b, filtered(a, 1.5, size), rtol=1e-5, atol=1e-5)
    expected = np.zeros(size)
    expected[1:-1] = np.convolve(a, TAPS, "valid") * SCALE
    np.testing.assert_allclose(b, expected + 4.5 - 2 * np.pi, rtol=1e-5, atol=1e-5)


def test_what_is_known_is_decided_at_once():
    @te.hybrid.script
    def chosen(a, negate):
        b = output_tensor(a.shape, "float32")
        for i in range(a.shape[0]):
            if negate and a.ndim == 1:
                b[i] = -a[i]
            else:
                b[i] = a[i]
        return b

    A = te.placeholder((4,), name="A")
    for negate in (False, True):
        B = chosen(A, negate)
        assert "scf.if" not in str(te.create_schedule(B).module)
        a, b = np.random.rand(4).astype("float32"), np.empty(4, "float32")
        run(te.create_schedule(B), [A, B], a, b)
        assert (b == (-a if negate else a)).all()


def test_functions_and_operators():
    @te.hybrid.script
    def functions(a, k):
        b = output_tensor((6, a.shape[0]), "float32")
        c = output_tensor((a.shape[0],), "int32")
        for i in range(a.shape[0]):
            b[0, i] = sqrt(a[i]) + abs(-a[i]) ** 2
            b[1, i] = sigmoid(a[i]) / tanh(a[i] + 1)
            b[2, i] = floor(a[i] * 10) + ceil(a[i]) - nearbyint(a[i] * 7)
            b[3, i] = float32(k[i] // 3) + float32(k[i] % 3)
            b[4, i] = min(a[i], 0.5, a[0]) if 0.2 < a[i] <= 0.7 else pow(a[i], 3.0)
            b[5, i] = np.exp(a[i]) - math.log(a[i] + 1)
            c[i] = (k[i] << 2) ^ (k[i] & 5) | ~k[i]
        return b, c

    n = te.var("n")
    A, K = te.placeholder((n,), name="A"), te.placeholder((n,), "int32", name="K")
    B, C = functions(A, K)
    call = compiled(te.create_schedule(B), [A, K, B, C])
    for size in SIZES:
        a, k = np.random.rand(size).astype("float32"), np.arange(size, dtype="int32") - 3
        b, c = np.empty((6, size), "float32"), np.empty(size, "int32")
        call(a, k, b, c)
        expected, integers = functions(a, k)
        np.testing.assert_allclose(b, expected, rtol=1e-5, atol=1e-5)
        assert (c == integers).all()


@pytest.mark.filterwarnings("ignore:.*parallel")
def test_kinds_of_loops():
    @te.hybrid.script
    def tiled(a):
        b = output_tensor(a.shape, "float32")
        for i in parallel(a.shape[0]):
            for j in vectorize(2, a.shape[1]):
                b[i, j] = a[i, j] + 1
            for j in unroll(2):
                b[i, j] = a[i, j] - 1
            for j in serial(0):
                b[i, j] = 0.0
        return b

    n = te.var("n")
    A = te.placeholder((n, 9), name="A")
    B = tiled(A)
    text = str(teloom.lower(te.create_schedule(B), [A, B], level="loop"))
    assert all(f" {kind} {{" in text for kind in ("parallel", "vectorized", "unrolled"))
    call = compiled(te.create_schedule(B), [A, B])
    for size in SIZES:
        a, b = np.random.rand(size, 9).astype("float32"), np.empty((size, 9), "float32")
        call(a, b)
        assert (b == tiled(a)).all()


def test_positions_and_bounds_from_data():
    @te.hybrid.script
    def products(starts, columns, data, x):
        y = output_tensor((starts.shape[0] - 1,), "float32")
        for row in range(starts.shape[0] - 1):
            total = 0.0
            for at in range(starts[row], starts[row + 1]):
                total += data[at] * x[columns[at]]
            y[row] = total
        return y

    rows, count = te.var("rows"), te.var("count")
    starts = te.placeholder((rows + 1,), "int32", name="starts")
    columns = te.placeholder((count,), "int32", name="columns")
    data, x = te.placeholder((count,), name="data"), te.placeholder((5,), name="x")
    y = products(starts, columns, data, x)
    f = teloom.build(te.create_schedule(y), [starts, columns, data, x, y], sanitize="memory")
    matrix = np.random.rand(6, 5).astype("float32") * (np.random.rand(6, 5) > 0.5)
    at = np.nonzero(matrix)
    begins = np.searchsorted(at[0], np.arange(7)).astype("int32")
    given, result = np.random.rand(5).astype("float32"), np.empty(6, "float32")
    f(begins, at[1].astype("int32"), matrix[at], given, result)
    np.testing.assert_allclose(result, matrix @ given, rtol=1e-5)
    assert np.allclose(products(begins, at[1], matrix[at], given), result)


def test_a_tensor_without_axes_is_a_scalar():
    @te.hybrid.script
    def scaled(f, a):
        b = output_tensor((), "float32")
        b[()] = a[0] * f + f[()]
        return b

    F, A = te.placeholder((), name="F"), te.placeholder((1,), name="A")
    B = scaled(F, A)
    b = np.empty((), "float32")
    run(te.create_schedule(B), [F, A, B], np.array(3, "float32"), np.ones(1, "float32"), b)
    assert b == 6


def scripted(function, shape, tmp_path, monkeypatch):
    """The body as that of a script whose `b` is an output, from line 7 of its file on."""
    _, *body = inspect.getsource(function).splitlines()
    text = "\n".join(
        [
            "@te.hybrid.script",
            "def script(a):",
            f"    b = output_tensor({shape}, 'float32')",
            *body,
        ]
    )
    file = tmp_path / "scripts.py"
    file.write_text(f"from teloom import te\nfrom around import *\n\n{text}\n")
    (tmp_path / "around.py").write_text(
        "import numpy as np\nfrom teloom import te\n"
        "TABLE, TENSOR = np.zeros(3), te.placeholder((3,), name='T')\n"
    )
    found = {}
    monkeypatch.syspath_prepend(str(tmp_path))
    exec(compile(file.read_text(), str(file), "exec"), found)
    return found["script"]


def element_behind(a, b):
    for i in range(a.shape[0]):
        b[i] = a[i + 1]
    return b


def element_before(a, b):
    for i in range(a.shape[0]):
        if i != 3:
            b[i] = a[i - 1]
    return b


def element_of_an_empty_tensor(a, b):
    b[0] = a[0]
    return b


def element_of_a_part(a, b):
    n = a.shape[0]
    half = allocate((n // 2,), "float32")
    for i in range(n):
        if i % 2 == 0:
            half[i // 2] = a[i]
    return b


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (element_behind, 'stage "script" loads a[{n}], but axis 0 of a runs from 0 to'),
        (element_before, 'stage "script" loads a[-1], but axis 0 of a runs from 0 to'),
        (element_of_an_empty_tensor, 'stage "script" loads a[0], but axis 0 of a is empty (n = 0)'),
        (element_of_a_part, 'stage "script" stores half[0], but axis 0 of half is empty (n = 1'),
    ],
)
def test_accesses_outside_are_refused_at_their_line(function, words, tmp_path, monkeypatch):
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = scripted(function, "a.shape", tmp_path, monkeypatch)(A)
    with pytest.raises(teloom.errors.PassError) as raised:
        teloom.lower(te.create_schedule(B), [A, B])
    message = str(raised.value)
    assert re.search(r"scripts.py:\d+: ", message)
    assert words.split("{n}")[0] in message


def test_what_is_not_known_is_not_refused():
    @te.hybrid.script
    def guarded(a, at):
        b = output_tensor(a.shape, "float32")
        for i in range(a.shape[0]):
            b[i] = a[i - 1] if i > 0 else a[at[i]]
            if i + 1 < a.shape[0] and a[i] > 0.5:
                b[i] += a[i + 1]
        return b

    n = te.var("n")
    A, P = te.placeholder((n,), name="A"), te.placeholder((n,), "int32", name="P")
    B = guarded(A, P)
    a, b = np.random.rand(7).astype("float32"), np.empty(7, "float32")
    run(te.create_schedule(B), [A, P, B], a, np.arange(7, dtype="int32")[::-1].copy(), b)
    np.testing.assert_allclose(b, guarded(a, np.arange(7)[::-1]))


def a_while(a, b):
    while True:
        pass
    return b


def a_break(a, b):
    for i in range(4):
        break
    return b


def a_step(a, b):
    for i in range(0, 4, 2):
        b[i] = 0
    return b


def an_iteration_over_a_tensor(a, b):
    for x in enumerate(a):
        b[0] = x
    return b


def a_loop_over_threads(a, b):
    for i in bind("threadIdx.x", 4):
        b[i] = 0
    return b


def a_script_as_a_value(a, b):
    b[0] = script
    return b


def an_else_of_a_loop(a, b):
    for i in range(4):
        b[i] = 0
    else:
        b[0] = 1
    return b


def a_name_that_is_not_there(a, b):
    width = 3
    b[0] = float32(widht)
    return b


def a_scalar_of_a_branch(a, b):
    if a[0] > 0:
        x = a[1]
    b[0] = x
    return b


def a_position_after_its_loop(a, b):
    for i in range(4):
        b[i] = 0
    b[0] = float32(i)
    return b


def a_scalar_of_another_dtype(a, b):
    total = 0
    total += a[0]
    return b


def an_input_that_is_assigned(a, b):
    a = 3
    return b


def a_position_that_is_assigned(a, b):
    for i in range(3):
        i = 4
    return b


def a_position_of_two_loops(a, b):
    for i in range(3):
        for i in range(3):
            b[i] = 0
    return b


def an_output_that_is_replaced(a, b):
    c = output_tensor((4,), "float32")
    c = allocate((4,), "float32")
    return b


def an_output_in_a_loop(a, b):
    for i in range(4):
        c = output_tensor((4,), "float32")
    return b


def an_output_of_data(a, b):
    c = output_tensor((int32(a[0]),), "float32")
    return b, c


def an_input_that_is_returned(a, b):
    return a


def an_output_that_is_not_returned(a, b):
    c = output_tensor((4,), "float32")
    return b


def an_output_twice(a, b):
    return b, b


def nothing(a, b):
    return


def an_empty_tuple(a, b):
    return ()


def no_return(a, b):
    b[0] = 1


def an_early_return(a, b):
    if a[0] > 0:
        return b
    return b


def a_slice(a, b):
    b[0] = a[0:2]
    return b


def a_negative_subscript(a, b):
    b[0] = a[-1]
    return b


def a_subscript_beyond(a, b):
    b[4] = 0
    return b


def too_few_subscripts(a, b):
    t = allocate((2, 2), "float32")
    t[0] = 1
    return b


def an_unknown_function(a, b):
    b[0] = expp(a[0])
    return b


def a_method(a, b):
    b[0] = a.sum()
    return b


def an_attribute(a, b):
    b[0] = a.size
    return b


def a_tensor_as_a_scalar(a, b):
    b[0] = a + 1
    return b


def two_targets(a, b):
    x = y = 1
    return b


def an_unpacking(a, b):
    x, y = 1.0, 2.0, 3.0
    return b


def a_call_alone(a, b):
    exp(a[0])
    return b


def a_condition_on_a_number(a, b):
    if a[0]:
        b[0] = 1
    return b


def the_truth_of_a_number(a, b):
    if a[0] and a[1] > 0:
        b[0] = 1
    return b


def an_array_from_around(a, b):
    b[0] = TABLE[0]
    return b


def a_tensor_from_around(a, b):
    b[0] = TENSOR[0]
    return b


def a_division_by_zero(a, b):
    b[0] = 1 // 0
    return b


def a_lambda(a, b):
    f = lambda x: x  # noqa: E731
    return b


def a_membership(a, b):
    if a[0] in (1, 2):
        b[0] = 1
    return b


def a_matrix_product(a, b):
    b[0] = a[0] @ a[1]
    return b


def too_many_arguments(a, b):
    b[0] = exp(a[0], a[1])
    return b


def a_keyword(a, b):
    b[0] = exp(x=a[0])
    return b


def an_unknown_dtype(a, b):
    t = allocate((4,), "float31")
    return b


def an_unknown_argument(a, b):
    t = allocate((4,), kind="float32")
    return b


TABLE, TENSOR = np.zeros(3), te.placeholder((3,), name="T")


@pytest.mark.parametrize(
    ("function", "line", "words"),
    [
        (a_while, 1, "`while True:` (While) never ends: its condition is known to hold"),
        (a_break, 2, "`break` (Break) is not supported in a script; supported are assignments"),
        (a_step, 1, "range(0, 4, 2): a loop has a begin and an end, and steps of 1"),
        (
            an_iteration_over_a_tensor,
            1,
            "a for runs over range, serial, parallel, vectorize, unroll, const_range, not over",
        ),
        (
            a_loop_over_threads,
            1,
            "not over bind('threadIdx.x', 4); no target has threads of a device yet, parallel runs",
        ),
        (a_script_as_a_value, 1, "te.hybrid.script(script) of type HybridScript is not a scalar"),
        (an_else_of_a_loop, 1, "`for i in range(4):` (For) is not supported in a script"),
        (a_name_that_is_not_there, 2, "widht is not defined; did you mean 'width'?"),
        (
            a_scalar_of_a_branch,
            3,
            "x is made in line 8, in a loop or branch that has ended; assign it before that",
        ),
        (a_position_after_its_loop, 3, "i is made in line 7, in a loop or branch that has ended"),
        (
            a_scalar_of_another_dtype,
            2,
            "total[] holds int32, but (float32(total[]) + a[0]) is float32; cast it to that",
        ),
        (an_input_that_is_assigned, 1, "a is an argument, a tensor or the position of a loop"),
        (a_position_that_is_assigned, 2, "i is an argument, a tensor or the position of a loop"),
        (a_position_of_two_loops, 2, "i has a value already; give the position of a loop its own"),
        (an_output_that_is_replaced, 1, "c stands for something else, too; a tensor has its own"),
        (an_output_in_a_loop, 2, "an output_tensor is made outside of loops and branches"),
        (an_output_of_data, 1, "the shape of an output depends on sizes alone, not on a[0]"),
        (an_input_that_is_returned, 1, "a is returned, which is no output_tensor"),
        (an_output_that_is_not_returned, 2, "c is not returned; allocate makes what is no output"),
        (an_output_twice, 1, "b is returned twice"),
        (nothing, 1, "nothing is returned, which is no output_tensor"),
        (an_empty_tuple, 1, "nothing is returned, which is no output_tensor"),
        (no_return, 1, "script does not end in a return of its outputs"),
        (an_early_return, 2, "a return is the last statement of a script"),
        (a_slice, 1, "[0:2] has a slice; give one position per axis"),
        (a_negative_subscript, 1, "subscript 0 of buffer 'a' is -1, outside of its 4"),
        (a_subscript_beyond, 1, "subscript 0 of buffer 'b' is 4, outside of its 4"),
        (too_few_subscripts, 2, "1 subscripts for the 2 axes of buffer 't'"),
        (an_unknown_function, 1, "expp cannot be called here; did you mean 'exp'?; functions are"),
        (a_method, 1, "a.sum cannot be called in a script"),
        (an_attribute, 1, "has no size in a script; a tensor has shape, dtype and ndim"),
        (a_tensor_as_a_scalar, 1, "a is no scalar"),
        (two_targets, 1, "`x = y = 1` (Assign) is not supported in a script"),
        (an_unpacking, 1, "3 values for 2 names"),
        (a_call_alone, 1, "`exp(a[0])` (Expr) is not supported in a script"),
        (a_condition_on_a_number, 1, "the condition a[0] is float32, not bool"),
        (the_truth_of_a_number, 1, "the condition a[0] is float32, not bool"),
        (an_array_from_around, 1, "TABLE is ndarray, which a script cannot use; it uses numbers"),
        (a_tensor_from_around, 1, "TENSOR is Tensor, which a script cannot use"),
        (a_division_by_zero, 1, "1, 0: integer division or modulo by zero"),
        (a_lambda, 1, "`lambda x: x` (Lambda) is not supported in a script; supported are numbers"),
        (a_membership, 1, "the operator In is not supported in a script"),
        (a_matrix_product, 1, "the operator MatMult is not supported in a script"),
        (too_many_arguments, 1, "exp does not take 2 arguments"),
        (a_keyword, 1, "exp takes no x="),
        (an_unknown_dtype, 1, "unknown dtype 'float31'"),
        (an_unknown_argument, 1, "allocate: got an unexpected keyword argument 'kind'"),
    ],
)
def test_refused_at_a_line(function, line, words, tmp_path, monkeypatch):
    script = scripted(function, "(4,)", tmp_path, monkeypatch)
    A = te.placeholder((4,), name="A")
    with pytest.raises(Error, match=rf"scripts.py:{6 + line}:\d+: ") as raised:
        script(A)
    assert words in str(raised.value)
