"""Names that a user gives: any text is one, printed and read back; all else is refused there."""

import pickle
from collections.abc import Callable
from io import StringIO
from itertools import product

import numpy as np
import pytest
from budget import each
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer

import teloom
from teloom import te
from teloom.errors import one_line
from teloom.passes import pipelines

NAMES = ["", "3", "%0", "_1_2", 'q"q\\ ', "a\0b\n", "ä\u2028"]
LEVELS = ("te", "memref")

A = te.placeholder((8, 8), name="A")
B = te.compute((8, 8), lambda i, j: A[i, j] + 1, name="B")


def scheduled(*args: te.Tensor, name: str = "main", **options) -> Callable[[str], ModuleOp]:
    s = te.create_schedule(args[-1])
    if axes := s[args[-1]].axes:
        s[args[-1]].split(axes[0], factor=3)
    return lambda level: teloom.lower(s, args, name=name, level=level, **options)


def of_placeholder(name: str):
    X = te.placeholder((8,), name=name)
    return scheduled(X, te.compute((8,), lambda i: X[i], name="Y"))


def of_stages(name: str):
    X = te.compute((8,), lambda i: A[i, 0], name=name)
    return scheduled(A, te.compute((8,), lambda i: X[i], name=name))


def of_axes(name: str):
    r = te.reduce_axis((0, 8), name=name)
    return scheduled(
        A, te.compute((8,), lambda *i: te.sum(A(*i, r), axis=r), varargs_names=[name], name="Y")
    )


def of_size(name: str):
    n = te.var(name)
    X = te.placeholder((n,), name="X")
    return scheduled(X, te.compute((n,), lambda i: X[i] + n, name="Y"))


def of_scan(name: str):
    S = te.placeholder((8, 8), name=name)
    first = te.compute((1, 8), lambda t, j: A[t, j], name=name)
    following = te.compute((8, 8), lambda t, j: S[t - 1, j] + 1, name=name)
    return scheduled(A, te.scan(first, following, S, name=name))


def of_extern(name: str):
    def copy(a, b):
        b[...] = a

    copy.__name__ = name
    X = te.extern(
        (8, 8), [A], lambda i, o: te.call_packed(copy, i[0], o[0]), name=name, dtype="float32"
    )
    return scheduled(A, X)


def of_buffer(name: str):
    return scheduled(A, B, binds={A: te.decl_buffer((8, 8), name=name)})


def of_function(name: str):
    return scheduled(A, B, name=name)


MAKERS = [of_placeholder, of_stages, of_axes, of_size, of_scan, of_extern, of_buffer, of_function]


@pytest.mark.parametrize(
    ("make", "name", "levels"),
    [
        *((*case, LEVELS) for turn in (0, 1) for case in each(MAKERS, NAMES, turn=turn)),
        *((*case, LEVELS[:1]) for case in product(MAKERS, NAMES)),
    ],
)
def test_a_name_is_printed_and_read_back(make, name: str, levels: tuple[str, ...], ctx: Context):
    """As the equations have it each, as loops some of each maker, and each of some."""
    lower = make(name)
    for level in levels:
        module = lower(level)
        for generic in (False, True):
            text = StringIO()
            Printer(text, print_generic_format=generic).print_op(module)
            again = Parser(ctx, text.getvalue()).parse_module()
            again.verify()
            assert again.is_structurally_equivalent(module.clone())


@pytest.mark.parametrize("name", [*NAMES, "schedule"])
def test_a_function_of_any_name_runs(name: str):
    f = teloom.build(te.create_schedule(B), [A, B], name=name)
    a, b = np.ones((8, 8), "float32"), np.zeros((8, 8), "float32")
    f(a, b)
    assert (b == 2).all()
    assert f.source("asm")
    with pytest.raises(teloom.CallError) as error:
        f(a)
    assert str(error.value) == f"{f.name} takes 2 arguments (A, B), got 1"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (5, "must be a string, got 5"),
        (None, "must be a string, got None"),
        (b"x", "must be a string, got b'x'"),
        ("a\ud800", r"is 'a\ud800', which is no Unicode text"),
    ],
)
@pytest.mark.parametrize(
    ("what", "make"),
    [
        ("name of placeholder", lambda name: te.placeholder((8,), name=name)),
        ("name of compute", lambda name: te.compute((8,), lambda i: A[i, i], name=name)),
        ("name of reduce_axis", lambda name: te.reduce_axis((0, 8), name)),
        ("name of thread_axis", lambda name: te.thread_axis("threadIdx.x", name=name)),
        ("name of var", te.var),
        ("name of size_var", te.size_var),
        ("name of scan", lambda name: te.scan(A, A, A, name=name)),
        ("name of extern", lambda name: te.extern((8,), [A], lambda i, o: "", name=name)),
        ("name of decl_buffer", lambda name: te.decl_buffer((8,), name=name)),
        ("name of comm_reducer", lambda name: te.comm_reducer(max, min, name)),
        (
            "name of decl_tensor_intrin",
            lambda name: te.decl_tensor_intrin(B.op, lambda i, o: "", name),
        ),
        ("name of let", lambda name: te.ir_builder.create().let(name, 1)),
        ("name of for_range", lambda name: te.ir_builder.create().for_range(0, 1, name)),
        (
            "each of varargs_names of 'compute'",
            lambda name: te.compute((8,), lambda *i: A(*i, 0), varargs_names=[name]),
        ),
        (
            "name of the function",
            lambda name: teloom.lower(te.create_schedule(B), [A, B], name=name),
        ),
        (
            "name of the function",
            lambda name: teloom.build(te.create_schedule(B), [A, B], name=name),
        ),
        ("scope of set_scope", lambda name: te.create_schedule(B)[B].set_scope(name)),
        ("scope of cache_read", lambda name: te.create_schedule(B).cache_read(A, name, [B])),
        ("scope of buffer 'b'", lambda name: te.decl_buffer((8,), name="b", scope=name)),
    ],
)
def test_what_is_no_name_is_refused_there(what: str, make, name, words: str):
    with pytest.raises(teloom.Error) as error:
        make(name)
    assert str(error.value) == f"{what} {words}"


def test_a_c_function_is_named_by_text():
    with pytest.raises(teloom.Error, match="which is no Unicode text"):
        te.call_extern("int32", "f\ud800")
    X = te.extern(
        (8,), [], lambda i, o: te.call_extern("int32", "f\0", o[0]), name="X", dtype="float32"
    )
    with pytest.raises(teloom.Error) as error:
        teloom.build(te.create_schedule(X), [X])
    assert str(error.value) == r"main calls f\x00, which this process does not have"


def test_a_function_has_no_name_of_a_memory():
    s = te.create_schedule(B)
    s.declare_memory("global.vtcm", limit=1024)
    with pytest.raises(teloom.Error) as error:
        teloom.lower(s, [A, B], name="global.vtcm")
    assert str(error.value) == (
        "a function that uses global.vtcm, a function or a memory, cannot have that name; "
        "give it another"
    )


def raising(error: Exception):
    def f(a, x):
        raise error

    X = te.extern((8, 8), [A], lambda i, o: te.call_packed(f, i[0], o[0]), name="X")
    return teloom.build(te.create_schedule(X), [A, X])


ZEROS = np.zeros((8, 8), "float32")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: te.create_schedule(B)[B].set_scope("a\nb"),
            r'no storage scope "a\nb"; scopes: global, ',
        ),
        (lambda: te.thread_axis("a\nb"), r'no thread axis "a\nb"; thread axes: '),
        (
            lambda: te.create_schedule(B)[B].set_scope("global.ä"),
            'no storage scope "global.ä"; scopes: global, ',
        ),
        (
            lambda: raising(ValueError("a\nb\ud800"))(ZEROS, ZEROS.copy()),
            r"main: f, called by X, raised: ValueError: a\nb\ud800",
        ),
        (
            lambda: teloom.build(te.create_schedule(B), [A, B])(np.float32(3), ZEROS),
            "main: argument A is of type float32, expected an array (NumPy, ",
        ),
        (
            lambda: te.create_schedule(
                te.extern((8, 8), [A], lambda i, o: "%x = arith.constant 1 : oops\n", name="X")
            ),
            "the body of 'X' is refused: line 1, column 25: type expected",
        ),
    ],
)
def test_an_error_is_one_line(make, words: str):
    with pytest.raises(teloom.Error) as error:
        make()
    assert str(error.value).startswith(words)
    assert str(error.value) == one_line(str(error.value))


@pytest.mark.parametrize("factor", [2**62, -(2**62)])
def test_a_factor_that_is_too_large_names_axis_and_line(factor: int):
    s = te.create_schedule(B)
    i, j = B.op.axis
    s[B].skew(i, j, factor)
    with pytest.raises(teloom.PassError) as error:
        teloom.lower(s, [A, B])
    place, _, words = str(error.value).partition(": ")
    assert place.startswith(f"{__file__}:")
    assert words == f"skew of axis i by factor {factor}: factor must be at most 1048576"


VGG = [f"conv_{block}_{layer}" for block in (1, 2) for layer in (1, 2)]


SOME_LEVELS = "te", "memref", "llvm"


@pytest.mark.parametrize(
    ("names", "levels"),
    [
        (VGG, pipelines.LEVELS),
        (["conv", "conv", "conv_1_1_1"], SOME_LEVELS),
        (["x", "x_1", "x_1_1", "x"], SOME_LEVELS),
    ],
)
def test_names_of_several_numbers_are_read_back(names, levels):
    n = te.var("n")
    tensors = [te.placeholder((n,), "int32", name="A")]
    for name in names:
        r, last = te.reduce_axis((0, n), "r"), tensors[-1]
        tensors.append(te.compute((n,), lambda i, t=last, r=r: te.sum(t[r] + i, axis=r), name=name))
    s, args = te.create_schedule(tensors[-1].op), [tensors[0], tensors[-1]]
    for level in levels:
        teloom.compile(str(teloom.lower(s, args, level=level)))
    f, a = teloom.build(s, args), np.arange(3, dtype="int32")
    f(a, b := np.zeros_like(a))
    pickle.loads(pickle.dumps(f))(a, c := np.zeros_like(a))
    np.testing.assert_array_equal(b, c)
