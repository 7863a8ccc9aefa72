"""The calls around a program of TVM: arrays, targets, modules, functions by names."""

import pickle
import runpy
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest
from xdsl.passes import ModulePass

import teloom
import teloom.tvm_compat as tvm
import teloom.tvm_compat.testing
from teloom.tvm_compat import te
from teloom.tvm_compat.install import install


@pytest.fixture(scope="module")
def program():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1, name="B")
    return te.create_schedule(B.op), [A, B]


def refusal(attempt) -> str:
    with pytest.raises((tvm.TVMError, AttributeError)) as error:
        attempt()
    return str(error.value)


# Arrays and devices


def test_an_array_is_a_copy_with_tvms_methods():
    x = np.arange(6, dtype="int16").reshape(2, 3)
    a = tvm.nd.array(x[:, ::-1], tvm.cpu(0))
    x[0, 0] = 9
    assert (a.shape, a.dtype, a.ctypes.data % 64) == ((2, 3), "int16", 0)
    assert type(a.numpy()) is np.ndarray
    assert a.asnumpy().tolist() == [[2, 1, 0], [5, 4, 3]]
    assert a.device == tvm.device("llvm", 0) == tvm.cpu()


def test_arrays_are_copied_to_each_other():
    a, b = tvm.nd.array(np.ones(3, "float32")), tvm.nd.empty((te.const(3),))
    a.copyto(b)
    assert b.numpy().tolist() == [1, 1, 1]
    b.copyfrom([4, 5, 6])
    assert b.copyto(tvm.cpu(0)).numpy().tolist() == [4, 5, 6]
    assert refusal(lambda: a.copyto(tvm.nd.empty((4,)))) == (
        "an array of shape (3,) has no copy in one of (4,)"
    )
    assert refusal(lambda: a.copyfrom(np.ones((3, 1)))) == (
        "an array of shape (3,) takes no copy of one of (3, 1)"
    )


def test_the_cpu_is_the_only_device():
    gpu = tvm.device("cuda", 1)
    assert not gpu.exist
    assert tvm.device("llvm -mcpu=znver4").exist
    assert refusal(lambda: tvm.nd.empty((3,), device=gpu)) == (
        "there is no memory on cuda(1): functions run on tvm.cpu(0) only"
    )
    assert refusal(lambda: tvm.device("cpuu")) == "no device named cpuu; did you mean 'cpu'?"
    assert tvm.cpu(0).sync() is None


# Targets


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("llvm", "cpu"),
        ("llvm -mcpu=znver4 -num-cores=4", "llvm -mcpu=znver4"),
        ("llvm -mcpu=core-avx2 -num-cores 4", "llvm -mcpu=core-avx2"),
        ("llvm -mtriple=x86_64-linux-gnu -mattr=+avx2", None),
        ({"kind": "llvm", "mcpu": "x86-64-v3"}, "llvm -mcpu=x86-64-v3"),
    ],
)
def test_targets_of_tvm(given, asked: str | None):
    target, asked = tvm.target.Target(given, host="llvm"), asked or given
    assert (target.kind.name, target.asked, target.keys) == ("llvm", asked, ["cpu"])
    assert tvm.target.Target(target).asked == asked


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("cuda", "there is no code for the target 'cuda' yet; there is: 'llvm', the CPU"),
        (
            "c",
            "there is no code for the target 'c' yet; there is: 'llvm', the CPU; get_source('c') "
            "of a module is C",
        ),
        (
            "llvm -runtime=c",
            "the option -runtime of the target 'llvm' has no meaning here; there is: -mcpu, which "
            "names a CPU with all its instructions, -mtriple and -mattr",
        ),
        ("llvm -mcpu=znver9", "no CPU 'znver9'; CPUs: native, x86-64"),
    ],
)
def test_targets_that_are_not_there(given: str, words: str):
    assert refusal(lambda: tvm.target.Target(given)).startswith(words)


def test_the_target_around_a_build_is_its_target(program):
    s, args = program
    assert tvm.target.Target.current() is None
    assert "no target is around" in refusal(lambda: tvm.target.Target.current(False))
    with tvm.target.Target("llvm -mcpu=x86-64-v2") as target:
        assert tvm.target.Target.current(allow_none=False) is target
        text = tvm.build(s, args).entry_func.source("loop")
    assert '"cpu" = "x86-64-v2"' in text


# Modules


def test_a_built_module_is_called_by_its_name_or_as_it_is(program):
    module = tvm.build(*program, target="llvm", name="add_one")
    x, y = tvm.nd.array(np.arange(8, dtype="float32")), tvm.nd.empty((8,))
    module(x, y)
    assert y.numpy().tolist() == [*range(1, 9)]
    y[:] = 0
    module["add_one"](x, y)
    assert y[7] == 8
    assert (module.entry_name, module.type_key, module.imported_modules) == ("add_one", "llvm", [])
    assert "define" in module.get_source()
    assert "ret" in module.get_source("asm")
    assert refusal(lambda: module["add_two"]) == (
        "no function named add_two; did you mean 'add_one'?"
    )
    pickle.loads(pickle.dumps(module))(x, y)


def test_modules_are_exported_linked_and_loaded(program):
    temp = tvm.contrib.utils.tempdir()
    built = tvm.build(*program, target="llvm", name="add_one")
    built.export_library(temp.relpath("whole.so"))
    built.save(temp.relpath("part.o"))
    built.save(temp.relpath("part.ll"))
    tvm.contrib.cc.create_shared(temp.relpath("linked.so"), [temp.relpath("part.o")])
    assert {"whole.so", "whole.h", "part.o", "part.ll", "linked.so"} <= set(temp.listdir())
    for name in "whole.so", "linked.so":
        loaded = tvm.runtime.load_module(temp.relpath(name))
        x, y = tvm.nd.array(np.arange(8, dtype="float32")), tvm.nd.empty((8,))
        loaded["add_one"](x, y)
        assert y.numpy().tolist() == [*range(1, 9)]
        assert loaded.time_evaluator(loaded.entry_name, number=1)(x, y).mean > 0
    assert refusal(loaded.get_source) == (
        "add_one was loaded from a library, which has no text of its code"
    )
    assert refusal(lambda: loaded.export_library(temp.relpath("again.so"))) == (
        "add_one was loaded from a library; copy that"
    )
    assert "no name of a library" in refusal(lambda: built.save(temp.relpath("add_one")))
    assert "could not link" in refusal(
        lambda: tvm.contrib.cc.create_shared(temp.relpath("none.so"), temp.relpath("missing.o"))
    )
    temp.remove()


def test_a_time_evaluator_times_calls(program):
    module = tvm.build(*program)
    arrays = [tvm.nd.empty((8,)) for _ in range(2)]
    found = module.time_evaluator(module.entry_name, tvm.cpu(), number=2, repeat=3)(*arrays)
    assert len(found.results) == 3
    assert 0 < found.min <= found.median <= found.max < 1
    assert found.min <= found.mean <= found.max
    assert found.std >= 0
    longer = module.time_evaluator(module.entry_name, min_repeat_ms=2)(*arrays)
    assert longer.mean < 2e-3
    assert refusal(lambda: module.time_evaluator(module.entry_name, number=0)) == (
        "number is 0 and repeat is 1; both must be at least 1"
    )


def test_several_functions_need_names(program):
    s, args = program
    module = tvm.lower(s, args, name="f")
    module.update(tvm.lower(s, args, name="g"))
    assert "g" in module
    built = tvm.build(module)
    assert built["f"].name == "f"
    assert refusal(lambda: built(1)) == (
        "the module has the functions f, g; module[name] says which is meant"
    )
    assert refusal(lambda: module.update(tvm.lower(s, args, name="f"))) == (
        "both modules have a function 'f'"
    )
    assert refusal(lambda: tvm.IRModule().ir()) == "the module has no function"


def test_a_module_is_as_the_schedule_was(program):
    A, B = program[1]
    s = te.create_schedule(B.op)
    before = tvm.lower(s, [A, B])
    s[B].vectorize(B.op.axis[0])
    assert "vectorized" not in str(before)
    assert "vectorized" in tvm.lower(s, [A, B], simple_mode=True).script()
    function = before["main"].with_attr("global_symbol", "other")
    assert isinstance(function, tvm.tir.PrimFunc)
    assert tvm.build(tvm.IRModule.from_expr(function)).entry_name == "other"
    words = "a function has no attribute 'tir.noalias'; there is: 'global_symbol'"
    assert refusal(lambda: function.with_attr("tir.noalias", True)) == words
    assert "its IR, a module of xDSL: module.ir('loop')" in refusal(lambda: function.body)
    assert tvm.lower(before) is before


def test_build_takes_what_create_prim_func_gives(program):
    A, B = program[1]
    x, y = np.arange(8, dtype="float32"), np.empty(8, "float32")
    tvm.build(te.create_prim_func([A, B]))(x, y)
    assert y[7] == 8
    tvm.build({"llvm": tvm.IRModule({"f": te.create_prim_func([A, B])})["f"]})["f"](x, y)
    assert tvm.build({"g": tvm.lower(*program), "h": [A, B]})["g"].name == "g"
    tvm.build({tvm.target.Target(): tvm.lower(*program)})(x, y)
    assert refusal(lambda: tvm.build({tvm.cpu(): program, tvm.cpu(1): program})) == (
        "there are 2 targets; functions are for one, the CPU"
    )
    assert refusal(lambda: tvm.build(program[0])) == (
        "a schedule needs args: tvm.build(s, [A, B, C])"
    )


def test_a_pass_context_checks_accesses():
    A = te.placeholder((4,), name="A")
    at = te.placeholder((4,), "int32", name="at")
    B = te.compute((4,), lambda i: A[at[i]], name="B")
    with tvm.transform.PassContext(config={"tir.instrument_bound_checkers": True}):
        f = tvm.build(te.create_schedule(B.op), [A, at, B])
    arrays = np.zeros(4, "float32"), np.full(4, 9, "int32"), np.zeros(4, "float32")
    with pytest.raises(teloom.WrongAccessError):
        f(*arrays)
    assert tvm.transform.PassContext.current().config == {}


def within(config: dict, *levels: str) -> list[str]:
    """IR of a chain of stages with a vectorized loop, built within a PassContext of `config`."""
    A = te.placeholder((1, 8000), name="A")
    T = A
    for name in "BCDE":
        T = te.compute((1, 8000), lambda i, j, T=T: T[i, 7999 - j] + 1, name=name)
    s = te.create_schedule(T.op)
    s[T].vectorize(T.op.axis[1])
    with tvm.transform.PassContext(opt_level=3, config=config):
        module = tvm.lower(s, [A, T], name="f")
        built = tvm.build(s, [A, T], name="f")
    of_module = tvm.build(module)
    a = np.random.default_rng(0).random((1, 8000), "float32")
    for each in (built, of_module):
        found = np.empty_like(a)
        each(a, found)
        np.testing.assert_array_equal(found, a + 1 + 1 + 1 + 1)
        for level in levels:
            assert each.get_source(level) == built.get_source(level)
    return [str(module.ir(level)) for level in levels]


def test_options_of_passes():
    standard, memref, loops = within({}, "standard", "memref", "loop")
    assert "vector<" in standard
    assert "vector<" not in within({"tir.disable_vectorize": True}, "standard")[0]
    assert "vector<" in within({"tir.disable_vectorize": False}, "standard")[0]
    (alone,) = within({"tir.disable_storage_rewrite": True}, "memref")
    assert memref.count("memref.alloc") < alone.count("memref.alloc")
    assert loops.count("loop.for") == 4
    (kept,) = within({"tir.debug_keep_trivial_loop": True}, "loop")
    assert kept.count("loop.for") == 8


def test_passes_of_the_user_run_behind_a_phase():
    seen = []

    class Note(ModulePass):
        name = "note"

        def apply(self, ctx, op):
            kinds = {one.name for one in op.walk()}
            seen.append([name for name in ("loop.load", "loop.for", "scf.for") if name in kinds])

    phases = [(phase, Note()) for phase in range(4)]
    within({"tir.add_lower_pass": phases}, "standard")
    assert seen[1:5] == [["loop.load", "loop.for"], ["loop.for"], ["scf.for"], ["scf.for"]]
    with tvm.transform.PassContext(config={"tir.add_lower_pass": [(0, len)]}):
        A = te.placeholder((4,), name="A")
        words = "is no pass; a pass is a text such as 'cse', a class, an object"
        assert refusal(lambda: tvm.lower([A, A + 1])).endswith(words)


def test_a_range_has_a_begin_and_an_end():
    k = te.reduce_axis(tvm.ir.Range(2, 6), "k")
    assert (k.dom.min.value, k.dom.extent.value) == (2, 4)
    assert te.reduce_axis(tvm.ir.Range(5)).dom.extent.value == 5
    assert te.reduce_axis(tvm.ir.Range.from_min_extent(2, 6)).dom.extent.value == 6
    assert isinstance(k.dom, tvm.ir.Range)
    assert not isinstance((2, 6), tvm.ir.Range)
    n = te.var("n")
    assert tvm.ir.Range(0, n).extent is n
    assert te.thread_axis(tvm.ir.Range(0, 32), "threadIdx.x").dom.extent.value == 32
    assert "is float32, not an integer" in refusal(lambda: tvm.ir.Range(0.5))


def test_builds_by_the_names_of_tvms_driver():
    n = te.var("n")
    A = te.placeholder((n, 4), name="A")
    B = te.compute((n, 4), lambda i, j: A[i, j] + 1, name="B")
    s = te.create_schedule(B.op)
    binds, arguments = tvm.driver.build_module.get_binds([A, B, n], compact=True, binds=None)
    assert arguments == [binds[A], binds[B], n]
    assert binds[A].buffer_type == ""
    binds, _ = tvm.driver.build_module.get_binds([A], binds={B: binds[B]})
    assert (binds[A].buffer_type, len(binds)) == ("auto_broadcast", 2)
    module = tvm.driver.build_module.schedule_to_module(s, [A, B], binds=binds)
    a, b = np.ones((4, 3), "float32").T, np.empty((3, 4), "float32")
    with pytest.raises(teloom.CallError):
        tvm.driver.build(s, [A, B])(a, b)
    tvm.driver.build(module)(a, b)
    assert (b == 2).all()
    assert "PassContext(config=" in refusal(lambda: tvm.transform.Sequential)


def test_arrays_are_broadcast():
    m0, m1, n0, n1, o0, o1 = (te.size_var(name) for name in ("m0", "m1", "n0", "n1", "o0", "o1"))
    A, B = te.placeholder((m0, m1), name="A"), te.placeholder((n0, n1), name="B")
    C = te.compute((o0, o1), lambda i, j: A[i, j] + B[i, j], name="C")
    binds = {
        one: tvm.tir.decl_buffer(one.shape, one.dtype, name=one.name, buffer_type="auto_broadcast")
        for one in (A, B)
    }
    add = tvm.build(te.create_schedule(C.op), [A, B, C], "llvm", name="add", binds=binds)
    a, b = np.ones((2, 1), "float32"), np.arange(4, dtype="float32")[None]
    add(tvm.nd.array(a), tvm.nd.array(b), c := tvm.nd.array(np.zeros((2, 4), "float32")))
    np.testing.assert_array_equal(c.numpy(), a + b)


def test_modules_of_other_options_stay_apart(program):
    module = tvm.lower(*program, name="f")
    with tvm.transform.PassContext(config={"tir.disable_vectorize": True}):
        other = tvm.lower(*program, name="g")
    words = "the modules were lowered within a PassContext of other options each"
    assert refusal(lambda: module.update(other)) == words
    together = tvm.IRModule()
    together.update(other)
    assert together.asked == other["g"].asked == other.asked != module.asked


def test_what_is_done_anyhow_may_be_asked():
    config = {
        "tir.noalias": True,
        "tir.disable_assert": False,
        "tir.disable_cse_tir": True,
        "tir.LoopPartition": {"partition_const_loop": True},
        "tir.use_async_copy": False,
        "tir.InjectDoubleBuffer": {"split_loop": 1},
        "te.keep_schedule_record": True,
    }
    assert within(config, "loop") == within({}, "loop")
    disabled = ["tir.CommonSubexprElimTIR"]
    assert tvm.transform.PassContext(disabled_pass=disabled).asked.options == {}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"config": {"tir.add_lower_pass": [(4, "cse")]}},
            "'tir.add_lower_pass' of a PassContext has (4, 'cse'); it has pairs of a phase from 0 "
            "to 3 and a pass of xDSL, as (1, 'cse')",
        ),
        (
            {"config": {"tir.noalias": False}},
            "the option 'tir.noalias' of a PassContext is False; it can only be True: a call "
            "refuses arrays that share memory with an output",
        ),
        (
            {"config": {"tir.InjectDoubleBuffer": {"split_loop": 4}}},
            "'tir.InjectDoubleBuffer' of a PassContext is {'split_loop': 4}; such as "
            "{'split_loop': 2}, or 1",
        ),
        (
            {"config": {"tir.UnrollLoop": {"auto_max_step": 16}}},
            "the option 'tir.UnrollLoop' of a PassContext has no meaning here; there is: "
            "s[C].unroll(axis), or its pragmas, say which loops are unrolled",
        ),
        ({"config": {"x": 1}}, "the option 'x' of a PassContext has no meaning here"),
        (
            {"disabled_pass": ["tir.UnrollLoop"]},
            "disabled_pass ['tir.UnrollLoop'] of a PassContext are passes of TVM; there is: "
            "teloom.build(..., options={'name-of-a-pass': {...}})",
        ),
    ],
)
def test_options_that_are_not_there(options, words: str):
    assert refusal(lambda: tvm.transform.PassContext(**options)) == words


# Functions by names


def test_a_packed_call_finds_its_function_when_it_runs():
    A = te.placeholder((4,), name="A")
    B = te.extern(
        (4,),
        [A],
        lambda ins, outs: tvm.tir.call_packed("tests.scale", ins[0], outs[0], 3, True),
        dtype="float32",
    )
    module = tvm.lower(te.create_schedule(B.op), [A, B])
    f = tvm.build(module)
    x, y = np.ones(4, "float32"), tvm.nd.empty((4,))
    with pytest.raises(teloom.KernelError, match=r"no function 'tests\.scale' is registered"):
        f(x, y)

    @tvm.register_func("tests.scale")
    def scale(x, y, factor, offset):
        tvm.nd.array(x.numpy() * factor + offset).copyto(y)

    f(x, y)
    assert y.numpy().tolist() == [4, 4, 4, 4]
    assert tvm.get_global_func("tests.scale") is scale
    assert refusal(lambda: tvm.register_func("tests.scale", scale)) == (
        "a function 'tests.scale' is registered already; override=True replaces it"
    )
    assert refusal(lambda: tvm.get_global_func("tests.scales")).endswith(
        "tvm.register_func('tests.scales', f) does it; did you mean 'tests.scale'?"
    )


def test_a_function_may_be_registered_by_its_own_name():
    @tvm.register_func
    def tests_by_name(x):
        return x

    assert tvm.get_global_func("tests_by_name")(2) == 2
    assert refusal(lambda: tvm.tir.call_packed(3)).startswith("call_packed wants a function")


def test_a_trace_of_a_registered_function():
    A = te.placeholder((3,), name="A")
    B = te.compute((3,), lambda i: tvm.tir.trace([i, A[i] * 2], "tests.seen") + 1, name="B")
    f = tvm.build(te.create_schedule(B.op), [A, B])
    x, y, seen = np.arange(3, dtype="float32"), tvm.nd.empty((3,)), []
    with pytest.raises(teloom.KernelError, match=r"no function 'tests\.seen' is registered"):
        f(x, y)

    @tvm.register_func("tests.seen")
    def note(i, value):
        seen.append((i, value))

    f(x, y)
    assert seen == [(0, 0.0), (1, 2.0), (2, 4.0)]
    assert y.numpy().tolist() == [1, 3, 5]
    assert refusal(lambda: tvm.tir.trace([A[0]], 3)).endswith("as its action, got 3")
    assert refusal(lambda: tvm.tir.trace([], "tests.seen")).startswith("trace wants a list of val")


def test_the_default_action_of_a_trace(capfd):
    A = te.placeholder((1,), "int32", name="A")
    B = te.compute((1,), lambda i: tvm.tir.trace([A[i]]), name="B")
    tvm.build(te.create_schedule(B.op), [A, B])(np.array([7], "int32"), tvm.nd.empty((1,), "int32"))
    assert capfd.readouterr().out == "[7]\n"


# Expressions


def test_classes_of_expressions():
    n, A = te.var("n"), te.placeholder((4, te.var("m")), name="A")
    tir = tvm.tir
    kinds = {"Add": n + 1, "LT": n < 2, "Var": n, "IntImm": A.shape[0], "SizeVar": A.shape[1]}
    for name, one in kinds.items():
        assert isinstance(one, getattr(tir, name)), name
    assert not isinstance(n + 1, tir.Sub)
    assert not isinstance(n + 1, tir.Var)
    assert isinstance(te.const(1.5, "float32"), tir.FloatImm)
    assert not isinstance(te.const(1.5, "float32"), tir.IntImm)
    assert all(isinstance(one, tir.PrimExpr) for one in (n, n + 1, A.shape[0]))
    assert tvm.ir.structural_equal(tir.Add(n, 1), n + 1)
    assert tvm.ir.structural_equal(tir.FloorDiv(n, 2), n // 2)
    assert isinstance(tir.Cast("float32", n), tir.Cast)
    assert (tir.IntImm("int8", 3).dtype, tir.Var("x", "float32").dtype) == ("int8", "float32")
    assert tir.max is te.max
    for some in (tir.all, tir.any):
        assert str(some(n > 1)) == "(n > 1)"
        with pytest.raises(ValueError, match="wants at least one condition"):
            some()
    assert "For" in refusal(lambda: tir.For)
    assert "makes no expression" in refusal(lambda: tir.PrimExpr(1))
    with pytest.raises(ValueError, match="are not the same"):
        tvm.ir.assert_structural_equal(n, n + 1)


def test_values_of_the_runtime():
    assert [str(one) for one in tvm.convert([1, (2.5,), "x"])] == ["1", "[2.5]", "x"]
    assert tvm.convert({"k": 3})["k"] == 3
    numbers = (True, 1, 2**40, 1.5, np.uint8(1), np.float16(1))
    kinds = ["bool", "int32", "int64", "float32", "uint8", "float16"]
    assert [tvm.convert(one).dtype for one in numbers] == kinds
    assert tvm.tir.const(1, "int8").dtype == "int8"
    assert tvm.testing.device_enabled("llvm")
    assert not tvm.runtime.enabled("vulkan")
    with pytest.raises(AssertionError):
        tvm.testing.assert_allclose(np.ones(2), np.ones((2, 1)))


@pytest.mark.parametrize(
    ("given", "name", "code", "bits", "lanes"),
    [
        ("float32", "float32", "FLOAT", 32, 1),
        ("bfloat16", "bfloat16", "BFLOAT", 16, 1),
        ("int8x16", "int8x16", "INT", 8, 16),
        ("uint", "uint32", "UINT", 32, 1),
        ("bool", "bool", "UINT", 1, 1),
    ],
)
def test_a_data_type_has_parts(given: str, name: str, code: str, bits: int, lanes: int):
    for found in (tvm.DataType(given), pickle.loads(pickle.dumps(tvm.DataType(given)))):
        assert isinstance(found, tvm.runtime.DataType)
        assert found == name
        assert (found.type_code, found.bits) == (tvm.DataTypeCode[code], bits)
        assert found.lanes == lanes
    if lanes == 1:
        assert te.placeholder((4,), tvm.DataType(given)).dtype == name


def test_data_types_that_are_not_there():
    assert refusal(lambda: tvm.DataType("flot32")) == (
        "unknown dtype 'flot32'; did you mean 'float32'?"
    )
    assert refusal(lambda: tvm.DataType("int8x")).endswith("behind the x stands a number of lanes")
    assert refusal(lambda: te.placeholder((4,), tvm.DataType("int8x4"))).startswith(
        "unknown dtype 'int8x4'"
    )


@pytest.mark.parametrize(
    ("attempt", "words"),
    [
        (lambda: tvm.relay, "tvm has no relay yet; there is: operators: teloom.topi"),
        (lambda: tvm.contrib.clang, "tvm.contrib has no clang yet; there is: an intrinsic's code"),
        (lambda: tvm.topi.cuda.dense(None), "topi.cuda.dense is for a machine that has no code"),
        (lambda: tvm.topi.x86.spam, "tvm.topi.x86 has no attribute 'spam'"),
        (lambda: tvm.tir.Schedule, "tvm.tir has no Schedule yet; there is: te.create_schedule"),
        (lambda: tvm.arith.IntSet, "tvm.arith has no IntSet yet; there is: te.infer_bounds(s)"),
        (lambda: tvm.autotvm.task, "tvm.autotvm has no task yet; there is: te.auto_schedule(s)"),
        (lambda: tvm.testing.spam, "tvm.testing has no attribute 'spam'"),
        (
            lambda: tvm.topi.testing.softmax_python,
            "tvm.topi.testing has no softmax_python yet; there is: functions of NumPy",
        ),
        (
            lambda: tvm.target.cuda(),
            "tvm.target has no cuda yet; there is: tvm.target.Target('llvm'), the CPU, and no code "
            "for GPUs",
        ),
        (lambda: tvm.target.spam, "tvm.target has no attribute 'spam'"),
        (
            lambda: tvm.tir.call_llvm_pure_intrin,
            "tvm.tir has no call_llvm_pure_intrin yet; there is: te.call_intrin(dtype, 'tir.exp', ",
        ),
        (lambda: tvm.topi.generic.other, "tvm.topi.generic has no attribute 'other'"),
        (lambda: tvm.spam, "tvm has no attribute 'spam'"),
    ],
)
def test_parts_that_are_not_there(attempt, words: str):
    assert refusal(attempt).startswith(words)


# Programs that are not changed

PROGRAM = """
import sys
import numpy as np
import beside
import tvm
import tvm.testing
from tvm import te, topi
from tvm.te import hybrid
from tvm.topi.utils import get_const_tuple

A = te.placeholder((beside.EXTENT,), name="A")
B = topi.add(A, 1)
f = tvm.build(te.create_schedule(B.op), [A, B], "llvm")
b = tvm.nd.empty(get_const_tuple(B.shape))
f(tvm.nd.array(np.zeros(4, "float32")), b)
tvm.testing.assert_allclose(b.numpy(), np.ones(4))
print(__name__, sys.argv[1:], tvm.__version__)
"""


def test_without_a_program_the_help_is_printed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "argv", ["tvm_compat"])
    with pytest.raises(SystemExit, match="FILE"):
        runpy.run_module("teloom.tvm_compat", run_name="__main__")


def test_what_is_no_device_target_or_module_is_refused(program):
    s, args = program
    assert "no device named ''" in refusal(lambda: tvm.device(""))
    assert "target ''" in refusal(lambda: tvm.target.Target(""))
    assert "target ''" in refusal(lambda: tvm.build(s, args, ""))
    assert tvm.nd.array([1.5], "cpu").device == tvm.nd.empty((1,), "int8", "llvm").device
    assert "no memory on cuda(0)" in refusal(lambda: tvm.nd.array([1.5], "cuda"))
    assert "binds is 'x'" in refusal(lambda: tvm.build(s, args, binds="x"))
    module = tvm.lower(s, args)
    assert not tvm.ir.structural_equal(module, args[0])
    assert "is no module" in refusal(lambda: tvm.IRModule().update(None))
    assert "save_json" in refusal(lambda: tvm.ir.load_json(None))
    with pytest.raises(tvm.TVMError, match="an array of float32 has no copy in one of int8"):
        tvm.nd.array(np.ones(2, "float32")).copyto(tvm.nd.empty((2,), "int8"))


def test_a_module_is_built_for_the_target_behind_it(program):
    s, args = program
    out = np.zeros(8, "float32")
    tvm.build(tvm.lower(s, args), "llvm")(np.ones(8, "float32"), out)
    assert (out == 2).all()
    assert "a schedule needs args" in refusal(lambda: tvm.build(s, "llvm"))


def test_cblas_takes_two_matrices_that_fit():
    matmul = tvm.contrib.cblas.matmul
    A, B = te.placeholder((2, 3), name="A"), te.placeholder((5, 4), name="B")
    assert matmul(A, te.placeholder((3, 4)), dtype="float64").dtype == "float64"
    assert "sums over 3 and 5" in refusal(lambda: matmul(A, B))
    assert "two tensors of 2 axes" in refusal(lambda: matmul(A, te.placeholder((3,))))
    assert "two tensors of 2 axes" in refusal(lambda: matmul(A, te.placeholder((3, 4), "float64")))


def test_cblas_takes_a_matrix_for_all_others():
    batch_matmul = tvm.contrib.cblas.batch_matmul
    name = f"{tvm.contrib.cblas.__name__}.batch_matmul"
    assert tvm.get_global_func(name, True) is not None
    a, b = np.random.default_rng(0).random((2, 3, 4)), np.random.default_rng(1).random((1, 5, 4))
    A, B = te.placeholder(a.shape, "float64", "A"), te.placeholder(b.shape, "float64", "B")
    C = batch_matmul(A, B, transb=True)
    tvm.build(te.create_schedule(C.op), [A, B, C])(a, b, c := np.empty((2, 3, 5)))
    np.testing.assert_allclose(c, a @ b.transpose(0, 2, 1), rtol=1e-12)
    words = refusal(lambda: batch_matmul(A, te.placeholder((3, 4, 5), "float64")))
    assert "as many matrices of both" in words


def test_a_function_of_ir_calls_functions_of_python():
    @tvm.register_func("tests.twice", override=True)
    def twice(x, y):
        tvm.nd.array(2 * x.numpy()).copyto(y)

    A = te.placeholder((8,), name="A")
    B = te.extern(
        (8,),
        [A],
        lambda ins, outs: tvm.tir.call_packed("tests.twice", ins[0], outs[0]),
        dtype="float32",
    )
    a = np.arange(8, dtype="float32")
    for program in (te.create_prim_func([A, B]), tvm.IRModule({"f": te.create_prim_func([A, B])})):
        tvm.build(program)(a, b := np.empty(8, "float32"))
        np.testing.assert_array_equal(b, 2 * a)


def test_bits_of_bfloat16():
    A = te.placeholder((4,), dtype="bfloat16", name="A")
    B = te.compute((4,), lambda i: A[i] + A[i], name="B")
    run = tvm.build(te.create_schedule(B.op), [A, B])
    a = tvm.nd.empty((4,), "bfloat16").copyfrom(np.array([0x3F80] * 4, "uint16"))
    run(a, b := tvm.nd.empty((4,), "bfloat16"))
    assert b.numpy().tolist() == [0x4000] * 4
    run(np.array([0x3F80, 0x4000, 0, 0], "uint16"), bits := tvm.nd.empty((4,), "uint16"))
    assert bits.numpy().tolist() == [0x4000, 0x4080, 0, 0]
    with pytest.raises(teloom.Error, match="has dtype uint32, expected bfloat16"):
        run(np.zeros(4, "uint32"), bits)


def test_names_of_the_same_operators():
    assert tvm.topi.x86.dense_nopack is tvm.topi.nn.dense
    assert tvm.topi.x86.roi_align_nchw is tvm.topi.vision.rcnn.roi_align_nchw
    assert tvm.topi.x86.concatenate is tvm.topi.concatenate
    assert isinstance(tvm.te.schedule.InferBound(te.create_schedule([])), tvm.container.Map)
    assert issubclass(tvm._ffi.base.TVMError, RuntimeError)
    assert [tvm.runtime.enabled(name) for name in ("cpu", "c", "stackvm")] == [True, False, False]
    assert not tvm.device("sdaccel", 0).exist


PATHS = """
from PREFIX._ffi.base import TVMError
from PREFIX.arith import Analyzer
from PREFIX.contrib.nvcc import have_fp16
from PREFIX.contrib.pickle_memoize import memoize
from PREFIX.ir.container import Array
from PREFIX.te.hybrid.runtime import HYBRID_GLOBALS
from PREFIX.testing.plugin import dev
from PREFIX.tir.stmt_functor import substitute
from PREFIX.topi.generic.injective import schedule_injective
from PREFIX.topi.x86.dense import dense_nopack
from PREFIX.ir.module import IRModule
from PREFIX.ir.transform import PassContext
from PREFIX.te import hybrid, schedule
from PREFIX.te.operation import compute
from PREFIX.te.tensor import ComputeOp, Tensor
from PREFIX.tir.expr import IntImm
from PREFIX.tir.op import call_intrin
from PREFIX.tir.ir_builder import create
from PREFIX.topi.image.resize import resize2d
from PREFIX.topi.math import exp
from PREFIX.topi.nn import conv2d
from PREFIX.topi.nn.conv2d import conv2d_nchw
from PREFIX.topi.nn.utils import get_pad_tuple
from PREFIX.topi.signal import stft
from PREFIX.topi.sparse.csrmv import csrmv
from PREFIX.topi.vision.nms import non_max_suppression
from PREFIX.topi.vision.rcnn import roi_align_nchw
from PREFIX.topi.x86 import schedule_injective
import PREFIX.topi.nn
import PREFIX.topi.nn.elemwise as elemwise
import PREFIX.te.operation as operation
from PREFIX.topi.nn import utils
assert operation.compute is compute and utils.get_pad_tuple is get_pad_tuple and elemwise.relu
print(PREFIX.topi.nn.conv2d is conv2d, PREFIX.topi.transform.reshape is PREFIX.topi.reshape)
"""


def test_a_program_that_imports_tvm_runs(tmp_path):
    """Also with what is beside it, and by the paths of all modules."""
    (tmp_path / "beside.py").write_text("import tvm\nEXTENT = 4")
    paths = [PATHS.replace("PREFIX", prefix) for prefix in ("tvm", "teloom.tvm_compat")]
    file = tmp_path / "program.py"
    file.write_text(PROGRAM + "".join(paths))
    command = [sys.executable, "-m", "teloom.tvm_compat", str(file), "--flag"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "__main__ ['--flag'] 0.14.0\nTrue True\nTrue True\n"


def test_bound_buffers_stand_for_their_tensors():
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    binds, args = tvm.driver.build_module.get_binds([A, B], compact=True)
    assert "@f(" in str(tvm.lower(s, args, name="f", binds=binds))
    b = tvm.nd.empty((3,))
    tvm.build(s, args, binds=binds)(tvm.nd.array(np.zeros(3, "float32")), b)
    assert b.numpy().tolist() == [1, 1, 1]


def test_what_other_tools_of_tvm_ask_for(tmp_path):
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
    f = tvm.build(te.create_schedule(B.op), [A, B], "llvm -keys=cpu")
    a, b = (tvm.nd.array(np.zeros(4, "float32")) for _ in range(2))
    timed = f.time_evaluator(
        f.entry_name, tvm.cpu(), 1, repeat=3, cooldown_interval_ms=1, repeats_to_cooldown=2
    )
    assert len(timed(a, b).results) == 3
    assert a.same_as(a)
    assert not a.same_as(b)
    f.export_library(tmp_path / "f.o", tvm.contrib.cc.create_shared)
    with pytest.raises(tvm.TVMError, match=r"fcompile is not tvm\.contrib\.cc\.create_shared"):
        f.export_library(tmp_path / "f.o", print)
    with pytest.raises(AttributeError, match="an ir_builder has no scope_attr yet; there is: the"):
        tvm.tir.ir_builder.create().scope_attr("x", "pragma_scope", "y")
    with pytest.raises(AttributeError, match="a buffer has no vstore yet; there is: the elements"):
        tvm.tir.decl_buffer((4,), "float32").vstore(0, 1.0)


def test_another_tvm_is_not_replaced(monkeypatch: pytest.MonkeyPatch):
    other = ModuleType("tvm")
    other.__file__ = "tvm/__init__.py"
    monkeypatch.setitem(sys.modules, "tvm", other)
    with pytest.raises(teloom.Error, match="tvm is imported already, from tvm/__init__"):
        install()
    assert sys.modules["tvm"] is other
