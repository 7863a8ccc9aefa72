"""The statements and calls of hybrid scripts: compiled, they give what they give as Python."""

import copy
import re

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret
from teloom.errors import Error

# ruff: noqa: F821, F841, RUF040, RUF057 (scripts call what only they know, and are refused)

LOWEST = float(np.finfo("float32").min)


def tensors_of(arguments):
    """Placeholders for the arrays among the arguments of a script, and in lists."""

    def tensor(value, name):
        if isinstance(value, list):
            return [tensor(one, f"{name}{number}") for number, one in enumerate(value)]
        if not isinstance(value, np.ndarray):
            return value
        return te.placeholder(value.shape, value.dtype.name, name=name)

    return [tensor(value, f"A{number}") for number, value in enumerate(arguments)]


def flat(values, kind):
    for value in values:
        if isinstance(value, list):
            yield from flat(value, kind)
        elif isinstance(value, kind):
            yield value


def checked(script, *arguments, expected=None, **options):
    """Runs a script compiled, interpreted, as Python, and as the text of its schedule.

    All must agree. Gives its results.
    """
    tensors = tensors_of(arguments)
    outputs = script(*tensors)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    s = te.create_schedule(outputs[0])
    given = [*flat(tensors, te.Tensor)]
    arrays = [*flat(arguments, np.ndarray)]
    results = [np.full(one.shape, 77).astype(one.dtype) for one in outputs]
    teloom.build(s, [*given, *outputs], **options)(*arrays, *results)
    program = s.program
    by_tensor = dict(zip(given, arrays, strict=True))
    placed = [by_tensor[one] for one in program.tensors if one in by_tensor]
    meant = interpret(program.module, "main", placed, [], program.externals)
    if expected is None:
        expected = script(*copy.deepcopy(arguments))
    expected = expected if isinstance(expected, tuple) else (expected,)
    written = te.hybrid.build(s, given, outputs)(*arrays)
    written = written if isinstance(written, tuple) else (written,)
    for result, again in zip(results, written, strict=True):
        np.testing.assert_allclose(result, again, rtol=1e-5)
    for result, interpreted, reference in zip(results, meant, expected, strict=True):
        np.testing.assert_allclose(result, interpreted, rtol=1e-5)
        np.testing.assert_allclose(result, reference, rtol=1e-5, atol=1e-6)
    return results


def floats(*shape):
    return np.random.default_rng(0).random(shape).astype("float32")


@te.hybrid.script
def collatz(a):
    steps = output_tensor(a.shape, "int32")
    peak = output_tensor(a.shape, "int32")
    for i in range(a.shape[0]):
        now = a[i]
        count = 0
        largest = now
        while now != 1 and count < 1000:
            now = now // 2 if now % 2 == 0 else 3 * now + 1
            largest = max(largest, now)
            count += 1
        steps[i] = count
        peak[i] = largest
    return steps, peak


def test_while():
    steps, peak = checked(collatz, np.array([1, 6, 27, 7], "int32"))
    assert (steps.tolist(), peak[2]) == ([0, 8, 111, 16], 9232)


def test_while_over_elements():
    @te.hybrid.script
    def positions(sorted_values, wanted):
        """Binary search."""
        at = output_tensor(wanted.shape, "int32")
        for i in parallel(wanted.shape[0]):
            low = 0
            high = sorted_values.shape[0]
            while low < high:
                middle = (low + high) // 2
                if sorted_values[middle] < wanted[i]:
                    low = middle + 1
                else:
                    high = middle
            at[i] = low
        return at

    values, wanted = np.sort(floats(37)), floats(8)
    (found,) = checked(positions, values, wanted)
    assert (found == np.searchsorted(values, wanted)).all()


def test_a_while_that_is_known_to_end_at_once():
    @te.hybrid.script
    def never(a, more):
        b = output_tensor(a.shape, a.dtype)
        while more > 0:
            b[0] = 1.0
        for i in range(a.shape[0]):
            b[i] = a[i]
        return b

    checked(never, floats(3), 0)


def test_const_range():
    @te.hybrid.script
    def stencil(a, weights, names):
        b = output_tensor(a.shape, a.dtype)
        c = output_tensor((len(weights), len(weights[0])), "int32")
        for i in range(a.shape[0]):
            total = 0.0
            for k in const_range(-1, 2):
                if 0 <= i + k < a.shape[0]:
                    total += a[i + k] * weights[0][k + 1]
            b[i] = total
        for r in const_range(len(weights)):
            for k in const_range(len(weights[r])):
                doubled = int32(weights[r][k]) + r
                doubled += k
                c[r, k] = doubled
        return b, c

    for size in (1, 6):
        checked(stencil, floats(size), [[1.0, 2.0, 1.0], [3.0, 0.0, 4.0]], ("x", "y"))


def test_constants_of_te_are_known():
    @te.hybrid.script
    def powers(a, count):
        b = output_tensor((4,), "int32")
        for i in const_range(count):
            b[i] = a[0] ** i if i != 2 else -1
        return b

    A = te.placeholder((1,), "int32", name="A")
    B = powers(A, te.const(4))
    assert "scf.if" not in str(te.create_schedule(B).module)
    b = np.empty(4, "int32")
    teloom.build(te.create_schedule(B), [A, B])(np.array([3], "int32"), b)
    assert b.tolist() == [1, 3, -1, 27]


def test_what_stands_behind_a_decision_is_not_loaded():
    @te.hybrid.script
    def first_of_runs(a):
        b = output_tensor(a.shape, "int32")
        for i in range(a.shape[0]):
            for k in const_range(-1, 2):
                b[i] += 1 if i + k < 0 or i + k >= a.shape[0] or a[i + k] > a[i] else 0
            if i == 0 or a[i - 1] != a[i]:
                b[i] += 10
            if not (i + 1 < a.shape[0] and a[i + 1] == a[i]):
                b[i] += 100
        return b

    a = np.array([1, 1, 3, 2, 2, 2, 5], "float32")
    (b,) = checked(first_of_runs, a, sanitize="memory")
    assert b[0] == 11


def test_a_known_decision_shields_a_subscript_that_is_outside():
    @te.hybrid.script
    def edges(a):
        b = output_tensor(a.shape, "float32")
        for k in const_range(4):
            if k == 0 or a[k - 1] < a[k]:
                b[k] = 1.0
            b[k] += a[k + 1] if k < 3 else 0.0
            if 0 < k < 3 and a[k + 1] > 0:
                b[k] += 2.0
        return b

    checked(edges, floats(4))


@te.hybrid.script
def product(n, a, b):
    """As a script, and called by others."""
    c = output_tensor((n, n), a.dtype)
    for i in range(n):
        for j in range(n):
            c[i, j] = a[i] * b[j]
    return c


@te.hybrid.script
def ends(a, offset):
    first = output_tensor((1,), a.dtype)
    last = output_tensor((1,), a.dtype)
    first[0] = a[0] + offset
    last[0] = a[a.shape[0] - 1] - offset
    return first, last


@te.hybrid.script
def fill(a, value):
    """Has no result but what it stores."""
    unused = output_tensor((1,), "int32")
    for i in range(a.shape[0]):
        a[i] = value
    return unused


def test_scripts_call_scripts():
    @te.hybrid.script
    def combined(a):
        row = allocate((4,), "float32")
        fill(row, a[1])
        c = product(4, a, row)
        d = output_tensor(c.shape, c.dtype)
        first, last = ends(a, a[2])
        for i in range(4):
            low, high = ends(row, offset=1.0)
            for j in range(4):
                d[i, j] = c[i, j] + i * j + first[0] * low[0] - last[0] + high[0]
        return d

    checked(combined, floats(4))
    A = te.placeholder((4,), name="A")
    assert ends(offset=2, a=A)[0].op.input_tensors == [A]
    assert ends(offset=2.0, a=np.ones(3))[1] == -1


def test_a_result_of_another_script_is_returned():
    @te.hybrid.script
    def again(a, b):
        c = product(3, a, b)
        c[0, 0] = -1.0
        return c

    checked(again, floats(3), floats(3))


def test_an_input_that_is_stored_to_is_a_copy():
    @te.hybrid.script
    def counted(a):
        b = output_tensor(a.shape, a.dtype)
        for i in range(a.shape[0]):
            a[i] = a[i] + i
        for i in range(a.shape[0]):
            b[i] = a[a.shape[0] - 1 - i]
        return b

    a = floats(5)
    before = a.copy()
    checked(counted, a)
    assert (a == before).all()


def test_lists_of_tensors():
    @te.hybrid.script
    def summed(inputs, pairs):
        out = output_tensor(inputs[0].shape, inputs[0].dtype)
        for i in range(inputs[0].shape[0]):
            for k in const_range(len(inputs)):
                out[i] += inputs[k][i]
            for k in const_range(len(pairs)):
                out[i] += pairs[k][0][0] * pairs[k][1]
        return out

    arrays = [floats(5) * (number + 1) for number in range(3)]
    tensors = tensors_of([arrays])[0]
    assert len(summed(tensors, []).op.inputs) == 3
    checked(summed, arrays, [[floats(1), 2.0], [floats(2), 3.0]])


def test_without_tensors():
    @te.hybrid.script
    def multiples(n, factor):
        b = output_tensor((n,), "int32")
        for i in range(n):
            b[i] = i * factor
        return b

    n = te.var("n")
    B = multiples(n, 3)
    b = np.empty(5, "int32")
    teloom.build(te.create_schedule(B), [B])(b)
    assert b.tolist() == multiples(5, 3).tolist() == [0, 3, 6, 9, 12]


def test_intrinsics():
    @te.hybrid.script
    def bits(a, x):
        b = output_tensor((6,), "int32")
        c = output_tensor((4,), "float32")
        b[0] = popcount(a[0])
        b[1] = popcount(a[1])
        b[2] = ceil_div(a[0], 7)
        b[3] = inf("int32") - a[0] if likely(a[0] > 3) else ninf("int32")
        b[4] = ceil_div(9, 4) + max_num_threads() + max_num_threads(True)
        b[5] = int32(round(2.5)) + round(3)
        c[0] = round(x[0] * 7)
        c[1] = max(ninf("float32"), x[0])
        c[2] = ninf(x.dtype)
        c[3] = x[0] if isfinite(x[0]) else inf("float32")
        return b, c

    found, numbers = checked(bits, np.array([114514, -1], "int32"), floats(1))
    assert found[:5].tolist() == [11, 32, 16360, 2**31 - 1 - 114514, 5]
    assert numbers[2] == LOWEST


def test_tensors_begin_as_zeros():
    @te.hybrid.script
    def partial(a):
        b = output_tensor((4, 4), "float32")
        c = output_tensor((5,), "int32")
        for i in range(4):
            for j in range(i, 4):
                b[i, j] = a[i]
        for i in range(4):
            seen = allocate((3,), "int32")
            seen[i % 3] += 1
            c[i + 1] = seen[0] + 2 * seen[1]
        return b, c

    checked(partial, floats(4), sanitize="memory")


def test_a_loop_that_has_no_iteration_stores_nothing():
    @te.hybrid.script
    def last_row(a):
        b = output_tensor((a.shape[1],), a.dtype)
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                b[j] = a[i, j]
        return b

    n = te.var("n")
    A = te.placeholder((n, 2), name="A")
    B = last_row(A)
    f = teloom.build(te.create_schedule(B), [A, B])
    a, b = floats(3, 2), np.full(2, 7, "float32")
    f(a, b)
    assert (b == a[2]).all()
    f(a[:0], b)
    assert not b.any()


@pytest.mark.parametrize("dtype", ["float16", "bool", "uint8"])
def test_an_output_without_a_store_is_zeros(dtype):
    @te.hybrid.script
    def zeros(a):
        b = output_tensor((2, 3), dtype)
        return b

    A = te.placeholder((2,), name="A")
    B = zeros(A)
    b = np.ones((2, 3), dtype)
    teloom.build(te.create_schedule(B), [A, B])(floats(2), b)
    assert not b.any()


def test_what_is_stored_first_is_not_set_to_zero():
    @te.hybrid.script
    def shifted(a):
        b = output_tensor((6,), "float32")
        row = allocate((6,), "float32")
        for i in range(2, 8):
            if i % 2 == 0:
                row[i - 2] = a[0]
            else:
                row[i - 2] = a[1]
        for i in range(6):
            b[i] = row[i]
        return b

    checked(shifted, floats(2))
    text = str(te.create_schedule(shifted(te.placeholder((2,), name="A"))).module)
    assert text.count("loop.for") == 2


def test_unpacking_is_at_once():
    @te.hybrid.script
    def swapped(a):
        b = output_tensor((2,), "float32")
        x, y = a[0], a[1]
        x, y = y, x + 1.0
        b[0], b[1] = x, y
        return b

    checked(swapped, floats(2))


@te.hybrid.script
def roots(a):
    b = output_tensor(a.shape, a.dtype)
    for i in range(a.shape[0]):
        assert a[i] >= 0, "a root of a negative number"
        assert i < 100
        b[i] = sqrt(a[i])
    return b


@pytest.mark.parametrize("kind", ["serial", "parallel", "vectorize"])
def test_an_assert_that_fails_ends_the_call(kind):
    A = te.placeholder((5,), name="A")
    B = roots(A)
    s = te.create_schedule(B)
    if kind != "serial":
        getattr(s[B], kind)(B.op.axis[0])
    f = teloom.build(s, [A, B])
    a, b = floats(5), np.empty(5, "float32")
    f(a, b)
    np.testing.assert_allclose(b, np.sqrt(a), rtol=1e-6)
    a[3] = -1
    with pytest.raises(teloom.KernelError, match="roots: a root of a negative number"):
        f(a, b)
    with pytest.raises(AssertionError, match="a root of a negative number"):
        roots(a)


def test_an_assert_that_is_known_to_fail_is_refused():
    @te.hybrid.script
    def square(a):
        assert a.shape[0] == a.shape[1], "no square"
        assert a.ndim == 2
        b = output_tensor(a.shape, a.dtype)
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                b[i, j] = a[j, i]
        return b

    checked(square, floats(3, 3))
    with pytest.raises(Error, match=r"test_hybrid_language.py:\d+:9: square: no square"):
        square(te.placeholder((2, 3), name="A"))


def test_an_assert_that_fails_where_it_is_not_reached():
    @te.hybrid.script
    def roots(a):
        b = output_tensor(a.shape, a.dtype)
        for i in range(len(a)):
            if a[i] < 0:
                assert False, "negative"  # noqa: PT015
            b[i] = sqrt(a[i])
        return b

    (found,) = checked(roots, np.array([1, 4, 9], "float32"))
    np.testing.assert_array_equal(found, [1, 2, 3])
    A = te.placeholder((2,), name="A")
    run = teloom.build(te.create_schedule(B := roots(A)), [A, B])
    with pytest.raises(teloom.KernelError, match="roots: negative"):
        run(np.array([1, -1], "float32"), np.empty(2, "float32"))


def test_quotients_of_the_smallest_number_and_by_0():
    @te.hybrid.script
    def divided(a, b):
        c = output_tensor((2, 5), "int8")
        d = output_tensor((5,), "int8")
        for i in range(5):
            c[0, i] = truncdiv(a[i], b[i])
            c[1, i] = truncmod(a[i], b[i])
            d[i] = truncdiv(int8(i), int8(2))
        return c, d

    a, b = np.array([[7, -128, -128, 5, -128], [0, 3, 2, 2, -1]], "int8")
    found, _ = checked(divided, a, b)
    np.testing.assert_array_equal(found, [[0, -42, -64, 2, -128], [0, -2, 0, 1, 0]])


def test_remainders_of_a_schedule_as_a_script():
    A, B = (te.placeholder((3,), "int32", name=name) for name in "AB")
    C = te.compute((3,), lambda i: A[i] % B[i], name="C")
    a, b = np.array([[-(2**31), 7, 9], [3, 0, 5]], "int32")
    found = te.hybrid.build(te.create_schedule(C), [A, B], [C])(a, b)
    np.testing.assert_array_equal(found, [1, 0, 4])


def test_names_of_functions_that_stand_for_something_else():
    @te.hybrid.script
    def round(x):
        r = output_tensor((), "float32")
        r[()] = floor(x + 0.5)
        return r

    ninf = 2.5

    @te.hybrid.script
    def rounded(a):
        b = output_tensor(a.shape, a.dtype)
        for i in range(len(a)):
            half = round(a[i])
            b[i] = half
            b[i] += round(ninf)
        return b

    (found,) = checked(rounded, np.array([0.5, 1.5, 2.5], "float32"))
    np.testing.assert_array_equal(found, [4, 5, 6])


def test_tensors_without_axes_are_stored():
    @te.hybrid.script
    def filled(a, b):
        c = output_tensor(a.shape, a.dtype)
        t = allocate((), a.dtype)
        t[()] = b
        for i in range(len(a)):
            c[i] = b
            c[i] = c[i] + t
        return c

    (found,) = checked(filled, np.zeros(2, "float32"), np.array(3, "float32"))
    np.testing.assert_array_equal(found, [6, 6])


def test_dtypes_are_compared():
    @te.hybrid.script
    def bits(a):
        b = output_tensor(a.shape, "int32")
        for i in range(len(a)):
            if a.dtype == "float32":
                b[i] = 32
            elif a.dtype != "float16":
                b[i] = 64
        return b

    for dtype, expected in (("float16", 0), ("float32", 32), ("float64", 64)):
        np.testing.assert_array_equal(checked(bits, np.zeros(2, dtype))[0], [expected] * 2)


def test_bfloat16_as_python():
    ml_dtypes = pytest.importorskip("ml_dtypes")

    @te.hybrid.script
    def doubled(a):
        b = output_tensor(a.shape, "bfloat16")
        for i in range(len(a)):
            b[i] = bfloat16(a[i] * 2)
        return b

    checked(doubled, np.array([1, 2], ml_dtypes.bfloat16))


def test_lines_less_indented_than_the_function():
    # fmt: off
    @te.hybrid.script
    def copied(a):
        """Copies,
element by element."""
        b = output_tensor(a.shape,
a.dtype)
        for i in range(len(a)):
            b[i] = a[i]
        return b
    # fmt: on

    checked(copied, floats(3))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("o[0] = 2**100000", "<script>:3:5: a number of 30103 digits does not fit float32"),
        ("o[0] = round(1e400)", r"<script>:3:12: round\(inf\): cannot convert float infinity to"),
        (f"o[0] = {'-' * 3000}a[0]", "too deeply"),
        (f"o[0] = {' + '.join(['a[0]'] * 3000)}", "too deeply"),
        ("o[0] = a", "<script>:3:5: a is a whole tensor, where one of its elements is wanted"),
        ("o[0] = a[0] % 2", "use fmod on floats"),
        ("min = a[0]\n    o[0] = min(a[0], 2)", "min is called, which is a value here that is no"),
        ("o[0] = popcount(a[0])", "popcount is called, which is a function here that is no script"),
        ("o[0] = 1 if a[0] in (1, 2) else 0", "the operator In is not supported in a script"),
    ],
)
def test_numbers_names_and_depths_that_are_refused(text, words):
    whole = f"def f(a):\n    o = output_tensor((1,))\n    {text}\n    return o\n"
    with pytest.raises(Error, match=words):
        te.hybrid.parse(whole, [te.placeholder((3,), name="A")], {"popcount": lambda x: x})


@pytest.mark.parametrize("default", ["zzz", "1 / 0"])
def test_defaults_that_fail(default):
    text = f"def f(a, k={default}):\n    return output_tensor((1,))\n"
    with pytest.raises(Error, match="<script>: the defaults of f fail: "):
        te.hybrid.HybridModule(text)


TEXT = """
@te.hybrid.script
def halved(a, n):
    b = output_tensor((n,), a.dtype)
    for i in range(n):
        b[i] = a[i] * HALF + OFFSET
    return b
"""


def test_parse():
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.hybrid.parse(TEXT, [A, n], {"HALF": 2, "OFFSET": 1}, {"HALF": 0.5})
    assert (B.op.name, B.op.axis[0].name) == ("halved", "i")
    a, b = floats(7), np.empty(7, "float32")
    teloom.build(te.create_schedule(B), [A, B])(a, b)
    np.testing.assert_allclose(b, a / 2 + 1, rtol=1e-6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(a:\n", "<script>:1:6: the script is no Python"),
        ("x = 1\n", "<script> has 0 functions; the text of a script has one"),
        ("def f(a):\n    b = outputs(a)\n    return b\n", "<script>:2:9: outputs cannot be called"),
        (TEXT, "halved: missing a required argument: 'n'"),
        (None, "hybrid.parse wants the text of a function, got None"),
    ],
)
def test_texts_that_are_refused(text, words):
    with pytest.raises(Error, match=re.escape(words)):
        te.hybrid.parse(text, [te.placeholder((3,), name="A")])


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: te.hybrid.script(3), "hybrid.script wants a function of Python, got 3"),
        (lambda: te.hybrid.script(eval("lambda a: a")), "is not found; a script is read from a"),
        (lambda: te.hybrid.script(lambda a: a), "a script is a function, made by def, not"),
    ],
)
def test_functions_that_are_refused(made, words):
    with pytest.raises(Error, match=re.escape(words)):
        made()(te.placeholder((3,), name="A"))


def recursion():
    @te.hybrid.script
    def countdown(a):
        b = output_tensor(a.shape, a.dtype)
        c = countdown(a)
        return b

    return countdown


def a_fault_of_a_callee():
    @te.hybrid.script
    def inner(a):
        b = output_tensor((1,), "float32")
        b[0] = a[0, 0]
        return b

    @te.hybrid.script
    def outer(a):
        b = inner(a)
        return b

    return outer


def a_long_const_range():
    @te.hybrid.script
    def long(a):
        b = output_tensor((1,), "float32")
        for i in const_range(100000):
            b[0] = 1.0
        return b

    return long


def an_unknown_const_range():
    @te.hybrid.script
    def unknown(a):
        b = output_tensor((1,), "float32")
        for i in const_range(int32(a[0])):
            b[0] = 1.0
        return b

    return unknown


def a_message_that_is_no_text():
    @te.hybrid.script
    def asserted(a):
        b = output_tensor((1,), "float32")
        assert a[0] > 0, 3
        return b

    return asserted


def too_few_arguments():
    @te.hybrid.script
    def calling(a):
        b = ends(a)
        return b

    return calling


@pytest.mark.parametrize(
    ("made", "column", "words"),
    [
        (recursion, 13, "countdown calls itself; a script is written out where it is called"),
        (a_fault_of_a_callee, 16, "2 subscripts for the 1 axes of buffer 'a'"),
        (a_long_const_range, 9, "const_range of 100000 positions writes its body out for each; it"),
        (an_unknown_const_range, 30, "int32(a[0]) is no integer that is known before the script"),
        (a_message_that_is_no_text, 9, "the message of an assert is a text, not 3"),
        (too_few_arguments, 13, "ends: missing a required argument: 'offset'"),
    ],
)
def test_refused_at_a_column(made, column, words):
    pattern = rf"test_hybrid_language.py:\d+:{column}: {re.escape(words)}"
    with pytest.raises(Error, match=pattern):
        made()(te.placeholder((4,), name="A"))


def test_constants_of_nested_lists():
    """`b[i, j]` is `b[i][j]`, as a stage and as Python."""

    @te.hybrid.script
    def added(a, b):
        c = output_tensor(a.shape, a.dtype)
        for i in const_range(len(b)):
            for j in const_range(len(b[0])):
                c[i, j] = a[i, j] + b[i, j] * b[1][0]
        return c

    checked(added, np.arange(6, dtype="int32").reshape(2, 3), [[1, 2, 3], [4, 5, 6]])


def test_a_place_outside_of_a_nested_list():
    @te.hybrid.script
    def outside(a, b):
        c = output_tensor((1,), "int32")
        c[0] = a[0] + b[0, 7]
        return c

    with pytest.raises(Error, match=r"\[7\] of 3 elements"):
        outside(te.placeholder((1,), "int32", name="A"), [[1, 2, 3]])
