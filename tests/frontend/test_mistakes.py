"""What newcomers write in place of te's own words, and what they are told."""

import math

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.frontend.missing_names import OF_STAGES, OF_TE

A, B = (te.placeholder((8, 8), name=name) for name in "AB")
V = te.placeholder((8,), name="V")
ARRAY = np.ones(8, "float32")


def equation(function):
    return lambda: te.compute((8,), function, name="C")


NO_ELEMENT = "a te.placeholder has elements, and its array is an argument of the function"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (equation(lambda i: max(A[i, 0], 0.0)), "use te.max, te.min, te.if_then_else"),
        (equation(lambda i: np.exp(V[i])), "np.exp is a function of arrays, and V[i] is none; "),
        (equation(lambda i: np.exp(V[i])), "use te.exp"),
        (equation(lambda i: np.maximum(V[i], 0)), "use te.max"),
        (equation(lambda i: np.arctan(V[i])), "use te.atan"),
        (equation(lambda i: np.where(V[i] > 0, V[i], 0)), "use te.if_then_else"),
        (equation(lambda i: np.sum(V[i])), "use te.sum"),
        (equation(lambda i: np.hypot(V[i], 1)), "np.hypot is a function of arrays, and V[i] is"),
        (lambda: np.exp(A), "is none; use topi.exp"),
        (lambda: np.arctan(A), "is none; use topi.atan"),
        (lambda: np.where(A, A, 0), "is none; use topi.where"),
        (equation(lambda i: ARRAY * V[i]), "an array of shape (8,) cannot stand in an expression"),
        (equation(lambda i: ARRAY * V[i]), NO_ELEMENT),
        (equation(lambda i: V[i] * ARRAY), "an array of shape (8,) is not a scalar expression"),
        (equation(lambda i: V[i] * ARRAY), NO_ELEMENT),
        (equation(lambda i: V[i] + np.timedelta64(1)), "np.timedelta64(1) of type timedelta64 is"),
        (equation(lambda i: np.timedelta64(1) + V[i]), "64 is not a scalar expression"),
        (equation(lambda i: V[i] < np.datetime64(5, "ns")), "type datetime64 is not a scalar expr"),
        (equation(lambda i: np.datetime64(5, "ns") - V[i]), "type datetime64 is not a scalar expr"),
        (equation(lambda i: np.array(np.timedelta64(1)) * V[i]), "of type ndarray is not a scalar"),
        (equation(lambda i: np.longdouble(1) * V[i]), "type longdouble is not a scalar expression"),
        (lambda: te.const(np.timedelta64(1)), "const wants a number, got np.timedelta64(1)"),
        (equation(lambda i: math.exp(V[i])), "V[i] is an expression, which has no value yet; use"),
        (equation(lambda i: round(V[i])), "use te.exp, te.floor, ... in place of math.exp"),
        (equation(lambda i: int(V[i])), "and astype in place of float and int"),
        (equation(lambda i: ARRAY[i]), "must be a te.placeholder, whose array is an argument"),
        (equation(lambda i: [1, 2][i]), "it is no subscript of a list or an array, and no number"),
        (equation(lambda i: [1, 2][i]), NO_ELEMENT),
        (equation(lambda i: sum(V[k] for k in range(i))), "no number of iterations"),
        (equation(lambda i: None), "the function of 'C' returns nothing"),
        (equation(max), "the parameters of <built-in function max>, the function of 'C', are not"),
        (equation(V[0]), "'C' wants a function of its axes, as in te.compute(shape, lambda"),
        (equation(lambda i: te.exp(A)), "A is a whole tensor where an element is wanted"),
        (equation(lambda i: te.sum(A)), "as in te.compute(A.shape, lambda i, j: A[i, j] + 1)"),
        (equation(lambda i: te.sum(A[i, 0], axis=1)), "as in r = te.reduce_axis((0, n)), te.sum(A"),
        (equation(lambda i: V[i] + A), "is a whole tensor where an element is wanted"),
        (equation(lambda i: A + A), "add is a whole tensor where an element is wanted"),
        (lambda: 1 if A > B else 2, "greater is a tensor, not a truth value; "),
        (lambda: te.thread_axis("thread"), "threadIdx.x, threadIdx.y, threadIdx.z, vthread"),
    ],
)
def test_a_mistake_names_what_is_meant(make, words: str):
    with pytest.raises(teloom.Error) as error:
        make()
    assert words in str(error.value)


SCALED = te.compute((8,), lambda i: V[i] * 2, name="SCALED")


def stage():
    return te.create_schedule(SCALED)[SCALED]


def export(*arguments, **named):
    return teloom.build([V, SCALED], name="scaled").export(*arguments, **named)


def hybrid(*arguments):
    return te.hybrid.build(te.create_schedule(SCALED), *arguments)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: te.thread_axis(3, 4), "tag of thread_axis must be a string, got 4"),
        (lambda: te.extern((3,), [V], 3), "fcompute of 'extern' must be a function of lists of"),
        (
            lambda: te.extern((3,), [V], lambda ins: None, "E"),
            "fcompute of 'E' is called with (ins, outs), and has the parameters (ins)",
        ),
        (lambda: te.extern((3,), max, lambda ins, outs: None, "E"), "inputs of 'E' is <built-in"),
        (
            lambda: te.extern((3,), lambda t: [V[t]], lambda ins, outs: None, "E"),
            "is called with (ins, outs, t), and has the parameters (ins, outs)",
        ),
        (lambda: te.extern((3,), [V], "hello"), "got 'hello'"),
        (lambda: te.comm_reducer(3, 4), "fcombine of reduce must be a function, as lambda x, y:"),
        (
            lambda: te.comm_reducer(max, 4),
            "fidentity of reduce must be a function of a dtype",
        ),
        (
            lambda: te.create_schedule(SCALED)[SCALED].remap(3, SCALED.op.axis[0]),
            "the remap of SCALED must be a function of axes, got 3",
        ),
        (lambda: stage().remap(lambda i: [i], 3, V), "wants an axis for args, got 3; its axes: i"),
        (lambda: stage().remap(max), "the remap of SCALED is <built-in function max>, whose param"),
        (lambda: stage().transform_layout([0]), "the layout of SCALED must be a function of data"),
        (lambda: stage().then(SCALED), "then of stage SCALED wants a stage for other, as in s[C],"),
        (lambda: stage().then(3), "wants a stage for other, as in s[C], got 3"),
        (lambda: te.compute((3,), lambda i: V[i], attrs=3), 'a dict, as {"key": 1}, got 3'),
        (lambda: te.Schedule.from_sequence(SCALED, 3), "sequence must be a schedule or the text"),
        (lambda: te.Schedule.from_sequence(SCALED, "", 3), "parameters must be a dict of numbers"),
        (
            lambda: te.Schedule.from_sequence(SCALED, "", sizes=[3]),
            "sizes must be a list of te.var",
        ),
        (lambda: te.schedule.CreateReadGraph(3), "ops of a read graph must be a list of"),
        (lambda: te.schedule.CreateReadGraph([V]), "must be a list of operations, got Tensor("),
        (lambda: te.schedule.CreateFeedGraph(3), "graph must be what te.schedule.CreateReadGraph"),
        (lambda: te.schedule.CreateFeedGraph({V: 3}), "graph must be what te.schedule.CreateReadG"),
        (
            lambda: te.schedule.CreateFeedGraph({V.op: [V.op]}),
            "what PlaceholderOp(V) reads in the graph must be a list of tensors, got PlaceholderOp",
        ),
        (lambda: te.schedule.PostDFSOrder([V.op], {}), "graph has no PlaceholderOp(V); it must be"),
        (lambda: te.schedule.AutoInlineElemWise(3), "3 is not a schedule"),
        (lambda: te.schedule.AutoInlineBroadcast(3), "3 is not a schedule"),
        (lambda: te.schedule.AutoInlineInjective(SCALED), "is not a schedule; make one with te.c"),
        (lambda: te.schedule.ScheduleOps(te.create_schedule(SCALED), 3), "bounds must be what te."),
        (
            lambda: te.schedule.ScheduleOps(te.create_schedule(SCALED), {SCALED.op.axis[0]: 8}),
            "the bounds of i must be a range, got 8",
        ),
        (lambda: te.Schedule.from_json(SCALED, []), "trace of from_json must be a string, got []"),
        (
            lambda: te.create_schedule(SCALED).pad_einsum(SCALED, 3),
            "padding of pad_einsum must be a list of integers, one for each axis, got 3",
        ),
        (lambda: te.schedule.CreateAttachPath(3), "3 is not a schedule"),
        (lambda: te.schedule.PostDFSOrder(3, 4), "outputs must be a list of operations, got 3"),
        (lambda: te.schedule.PostDFSOrder([], 4), "graph must be what te.schedule.CreateReadGraph"),
        (lambda: te.schedule.VerifyCompactBuffer(3), "must be a schedule or a module of IR, got 3"),
        (lambda: te.create_prim_func(3), "must be a list of tensors and sizes, as [A, B], got 3"),
        (lambda: te.create_prim_func(V), "ops of create_prim_func must be a list of tensors"),
        (lambda: te.same_extents(3, 4), "a shape must be a list of extents, got 3"),
        (lambda: te.divided_extents([3], 4), "a shape must be a list of extents, got 4"),
        (lambda: te.decl_buffer((3,), strides=3), "must be a list of integers, one for each axis"),
        (lambda: teloom.num_threads("x"), "num_threads is 'x'; it must be an integer from 1 to"),
        (lambda: teloom.build([SCALED], V), "args of main must be a list of tensors and sizes, as"),
        (lambda: teloom.lower([SCALED], 3, name="f"), "args of f must be a list of tensors and"),
        (lambda: teloom.memory_report(te.create_schedule(SCALED), V), "args of main must be a"),
        (lambda: teloom.build({"f": (te.create_schedule(SCALED), V)}), "args of f must be a list"),
        (lambda: teloom.build([V, SCALED], target=[]), "no target []; targets: cpu, llvm, native"),
        (lambda: teloom.build([V, SCALED], target=""), "no target ''; targets: cpu, llvm, native"),
        (lambda: teloom.target([]), "no CPU []; CPUs: native, x86-64, "),
        (lambda: teloom.export(SCALED, "f.so"), "a library is made of compiled functions, got T"),
        (lambda: teloom.export(3, "f.so"), "a library is made of compiled functions, got 3"),
        (lambda: export(3), "path of a library must be a text or a path, got 3"),
        (lambda: export("f.so", targets=3), "no target 3; targets: cpu, llvm, native, "),
        (lambda: teloom.load(3), "path of load must be a text or a path, got 3"),
        (lambda: hybrid([V], [SCALED], 3), "name of hybrid.build must be a string, got 3"),
        (lambda: hybrid(V, [SCALED]), "inputs of hybrid.build must be a list of tensors and"),
        (lambda: hybrid([V], 3), "outputs of hybrid.build must be a list of tensors and sizes, as"),
        (lambda: te.hybrid.parse("", [], []), "symbols must be a dict of values by their names"),
        (lambda: te.hybrid.parse("", [], {}, 3), "closure_vars must be a dict of values by their"),
    ],
)
def test_an_argument_of_another_kind_is_refused_by_its_name(make, words: str):
    with pytest.raises(teloom.Error) as error:
        make()
    assert words in str(error.value)


def test_arrays_by_name_are_refused():
    function = teloom.build([V, SCALED], name="scaled")
    with pytest.raises(teloom.CallError, match="arguments by name, B; it takes them by position"):
        function(ARRAY, B=ARRAY.copy())


def test_no_thread_axis_is_nearer_than_others():
    with pytest.raises(teloom.Error) as error:
        te.thread_axis("core")
    assert "did you mean" not in str(error.value)
    with pytest.raises(teloom.Error, match=r"did you mean 'threadIdx.x'\?"):
        te.thread_axis("threadidx.x")


def test_numbers_of_numpy_are_numbers():
    for made in (np.float32(2) * V[0], V[0] * np.float32(2), np.add(V[0], 2), np.int8(1) - V[0]):
        assert made.dtype == "float32"
    assert str(np.float32(2) * V[0]) == "(2.0 * V[0])"
    assert (np.int64(3) < V[0]).dtype == "bool"


def test_a_tensor_without_axes_is_an_operand():
    X = te.placeholder((), "int32", name="X")
    for expression in (X + 1, 1 - X, X * X, -X, abs(X), ~X, X << 1):
        assert expression.dtype == "int32"
    assert (X < 2).dtype == "bool"


C = te.compute((8,), lambda i: V[i], name="C")


@pytest.mark.parametrize(
    ("owner", "word", "known"),
    [
        (te, "te", OF_TE),
        (te.schedule, "te.schedule", OF_TE),
        (te.create_schedule(C)[C], "a stage", OF_STAGES),
    ],
)
def test_what_tvm_has_is_said_to_be_missing(owner, word: str, known: dict[str, str]):
    for name, instead in known.items():
        # A name that is there by now has to go from `missing_names.py`.
        assert not hasattr(owner, name)
        with pytest.raises(AttributeError) as error:
            getattr(owner, name)
        assert str(error.value).startswith(f"{word} has no {name} yet")
        assert str(error.value).endswith(instead)
        assert (error.value.name, error.value.obj) == (name, None)
    with pytest.raises(AttributeError, match=f"^{word} has no attribute 'slpit'$"):
        owner.slpit
