"""From a schedule to a function that is called: numbers, levels, and what is refused."""

import inspect
import pickle
import runpy
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.passes.pipelines import LEVELS, PIPELINES

n = te.var("n")
A = te.placeholder((n,), name="A")
B = te.compute((n,), lambda i: A[i] + 1, name="B")
C = te.compute((n,), lambda i: B[i] * 2, name="C")


def schedule() -> te.Schedule:
    return te.create_schedule(C)


@pytest.mark.parametrize("length", [0, 1, 7, 64])
def test_numbers(length: int):
    f = teloom.build(schedule(), [C, A], name="f")
    a, c = np.arange(length, dtype=np.float32), np.empty(length, np.float32)
    f(c, a)
    np.testing.assert_array_equal(c, (a + 1) * 2)


def test_an_intermediate_tensor_is_written():
    f = teloom.build(schedule(), [A, B, C])
    a, b, c = np.arange(5, dtype=np.float32), np.empty(5, np.float32), np.empty(5, np.float32)
    f(a, b, c)
    np.testing.assert_array_equal(b, a + 1)
    np.testing.assert_array_equal(c, b * 2)


def test_sizes_and_unused_arrays_are_passed():
    m = te.var("m")
    unused = te.placeholder((m, 2), "uint8", name="unused")
    D = te.compute((3,), lambda i: i + n, name="D")
    f = teloom.build(te.create_schedule(D), [n, unused, D], name="f")
    d = np.empty(3, np.int32)
    f(7, np.zeros((4, 2), np.uint8), d)
    assert d.tolist() == [7, 8, 9]


def test_several_outputs():
    low, high = te.compute((n,), lambda i: (A[i] - 1, A[i] > 2), name="T")
    f = teloom.build(te.create_schedule(low), [A, low, high])
    a = np.arange(5, dtype=np.float32)
    below, above = np.empty(5, np.float32), np.empty(5, np.bool_)
    f(a, below, above)
    np.testing.assert_array_equal(below, a - 1)
    np.testing.assert_array_equal(above, a > 2)


@pytest.mark.parametrize("level", LEVELS)
def test_lower_gives_every_level(level: str):
    s = schedule()
    s[B].compute_at(s[C], C.op.axis[0])
    before = str(s)
    module = teloom.lower(s, [A, C], name="f", level=level, target="native")
    module.verify()
    assert str(s) == before
    assert teloom.build(s, [A, C], name="f").source(level) == str(module)
    assert "@f" in str(module)


def test_a_build_is_for_this_machine_and_its_pickle_for_any(monkeypatch):
    f = teloom.build(schedule(), [A, C], name="f")
    here = teloom.target("native").cpu
    assert f'"cpu" = "{here}"' in f.source("schedule")
    assert here not in str(teloom.lower(schedule(), [A, C], name="f"))
    stored = pickle.dumps(f)
    assert here.encode() not in stored
    monkeypatch.setenv("TELOOM_CPU", "x86-64")
    assert '"vector_bytes" = 16' in pickle.loads(stored).source("loop")


@pytest.mark.parametrize("target", ["cpu", "llvm"])
def test_the_target_is_the_third_argument(target: str):
    f = teloom.build(schedule(), [A, C], target, name="f")
    assert f.name == "f"
    same = teloom.build(schedule(), [A, C], name="f", target=target)
    assert f.source("llvm") == same.source("llvm")
    assert teloom.build(schedule(), [A, C], target).name == "main"


def test_lower_stops_at_memref():
    assert str(teloom.lower(schedule(), [A, C])) == str(
        teloom.lower(schedule(), [A, C], "main", "memref")
    )


def test_machine_levels():
    f = teloom.build(schedule(), [A, C], name="f")
    assert "define" in f.source("llvm-ir")
    assert ".text" in f.source("asm")
    assert repr(f) == "Function(f)"


def test_arguments_are_named_as_the_user_named_them():
    x = te.placeholder((n,), name="x_1")
    y = te.compute((n,), lambda i: x[i], name="x_2")
    f = teloom.build(te.create_schedule(y), [n, x, y], name="f")
    array = np.zeros(3, np.float32)
    with pytest.raises(teloom.CallError, match="argument x_2 has dtype float64"):
        f(3, array, np.zeros(3))
    with pytest.raises(teloom.CallError, match="size n is 'three'"):
        f("three", array, array)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: teloom.lower(schedule(), [A, C], level="mlir"), "no level 'mlir'; levels: te, "),
        (lambda: teloom.build(schedule(), [A, C]).source("d"), "levels: te, schedule, loop"),
        (
            lambda: teloom.build(schedule(), [A, C], target="cuda"),
            "no target 'cuda'; targets: cpu, llvm, native, x86-64, ",
        ),
        (
            lambda: teloom.build(schedule(), [A, C], "lvm"),
            "(a name of the function is name='lvm'); did you mean 'llvm'?",
        ),
        (lambda: teloom.build(schedule(), [A, C], ["llvm"]), "no target ['llvm']; targets: cpu"),
        (lambda: teloom.build(schedule(), [A]), "the output C is not among the arguments"),
    ],
)
def test_refuses(make, words: str):
    with pytest.raises(teloom.Error) as error:
        make()
    assert words in str(error.value)


def test_a_refused_schedule_names_the_line():
    s = schedule()
    s[C].compute_inline()
    line = inspect.stack()[0].lineno - 1
    with pytest.raises(teloom.ScheduleError) as error:
        teloom.build(s, [A, C])
    assert str(error.value).startswith(f"{__file__}:{line}: ")


@pytest.mark.parametrize(
    ("level", "shown", "hidden"),
    [
        ("0", [], ["apply-schedule"]),
        ("1", ["apply-schedule: ", "LLVM optimize: ", "LLVM link: ", " ms"], ["te.read"]),
        ("2", ["te.read", "loop.for"], ["define"]),
        ("3", ["define"], [".text"]),
        ("4", ["define", ".text"], []),
    ],
)
def test_the_debug_ladder(
    level: str,
    shown: list[str],
    hidden: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
):
    monkeypatch.setenv("TELOOM_DEBUG", level)
    monkeypatch.setenv("TELOOM_CACHE", "0")
    teloom.build(schedule(), [A, C], name="f")
    printed = capfd.readouterr()
    for words in shown:
        assert words in printed.err
    for words in hidden:
        assert words not in printed.err
    assert not printed.out


def test_the_debug_ladder_has_an_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TELOOM_DEBUG", "5")
    with pytest.raises(teloom.Error, match="TELOOM_DEBUG is '5'; it must be 0, 1, 2, 3 or 4"):
        teloom.lower(schedule(), [A, C])


def test_a_pass_that_fails_writes_a_reproducer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    class Fault(Exception):
        pass

    def apply(self, ctx, op):
        raise Fault

    monkeypatch.setattr("teloom.passes.nests.build_loops.BuildLoopsPass.apply", apply)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(Fault) as error:
        teloom.lower(schedule(), [A, C], name="f")
    (written,) = tmp_path.iterdir()
    assert error.value.__notes__ == [f"to reproduce, see {written}"]
    lines = written.read_text().splitlines()
    names = [name for name, _ in PIPELINES["te-to-loops"]]
    until = ",".join(names[: names.index("build-loops") + 1])
    assert lines[0] == f"// RUN: teloom-opt %s -p '{until}'"
    assert "te.func @f" in lines[2]


@pytest.mark.parametrize("length", [200, te.var("length")], ids=["constant", "symbolic"])
def test_temporary_buffers_are_aligned_as_asked(length):
    X = te.placeholder((length,), name="X")
    stages = [X]
    for number in range(4):
        stages.append(te.compute((length,), lambda i, of=stages[-1]: of[i] + 1, name=f"T{number}"))
    addresses = []

    def add(*arrays):
        *inputs, output = arrays
        addresses.extend(array.ctypes.data for array in inputs)
        output[...] = sum(inputs)

    Y = te.extern(
        (length,),
        stages[1:],
        lambda ins, outs: te.call_packed(add, *ins, *outs),
        name="Y",
        dtype="float32",
    )
    f = teloom.build(te.create_schedule(Y), [X, Y], name="f", alignment=256)
    x, y = np.arange(200, dtype="float32"), np.empty(200, "float32")
    f(x, y)
    np.testing.assert_array_equal(y, 4 * x + 10)
    assert addresses
    assert not any(address % 256 for address in addresses)
    assert "alignment = 256" in f.source("memref")


def test_buffers_that_share_are_aligned_as_asked():
    m = te.var("m")
    stages = [te.placeholder((m,), name="X")]
    for number in range(4):
        of = stages[-1]
        stages.append(te.compute((m,), lambda i, of=of: of[m - 1 - i] + 1, name=f"T{number}"))
    args = [stages[0], stages[-1]]
    lowered = str(teloom.lower(te.create_schedule(stages[-1]), args, alignment=512))
    assert lowered.count("memref.alloc(") == lowered.count("{alignment = 512 : i64}") == 2


@pytest.mark.parametrize(
    ("alignment", "words"),
    [
        (48, "alignment, 48, is no power of two up to 4294967296"),
        (0, "alignment, 0, is no power of two up to 4294967296"),
        (2**33, f"alignment, {2**33}, is no power of two up to 4294967296"),
        ("64", "alignment must be an integer, got '64'"),
        (True, "alignment must be an integer, got True"),
    ],
)
def test_other_alignments_are_refused(alignment, words: str):
    for make in (teloom.build, teloom.lower, teloom.memory_report):
        with pytest.raises(teloom.Error, match=words):
            make(schedule(), [A, C], alignment=alignment)


def test_a_reproducer_says_the_options(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def apply(self, ctx, op):
        raise ZeroDivisionError

    monkeypatch.setattr("teloom.passes.storage.flatten_views.FlattenViewsPass.apply", apply)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(ZeroDivisionError):
        teloom.lower(schedule(), [A, C], alignment=128)
    (written,) = tmp_path.iterdir()
    assert ",storage-flatten{alignment=128}," in written.read_text()


def test_importing_teloom_is_cheap():
    code = "import teloom, sys; assert 'xdsl.dialects.llvm' not in sys.modules, 'not lazy'"
    subprocess.run([sys.executable, "-c", code], check=True)
    heavy = "{'islpy', 'llvmlite', 'xdsl.dialects.llvm', 'teloom.passes.schedule.apply_schedule'}"
    code = f"from teloom import te; import sys; assert not {heavy} & {{*sys.modules}}, 'not lazy'"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="module 'teloom' has no attribute 'nothing'"):
        teloom.nothing


def test_a_function_can_be_pickled():
    m, X = te.var("n_1"), te.placeholder((te.var("k"), 8), "uint8", name="X_1")
    Y = te.compute(X.shape, lambda i, j: X[i, 7 - j] * 3 + m, name="Y")
    f = teloom.build(te.create_schedule(Y), [m, X, Y], name="f", alignment=128)
    g = pickle.loads(pickle.dumps(f))
    assert repr(g) == "Function(f)"
    for level in (*LEVELS, "asm"):
        assert g.source(level) == f.source(level)
    x, y, z = np.full((3, 8), 5, "uint8"), np.zeros((3, 8), "int32"), np.ones((3, 8), "int32")
    f(2, x, y)
    g(2, x, z)
    np.testing.assert_array_equal(y, z)
    with pytest.raises(teloom.CallError, match="size n_1 is 'two', expected an integer"):
        g("two", x, y)
    with pytest.raises(teloom.CallError, match=r"takes 3 arguments \(n_1, X_1, Y\), got 0"):
        g()


def test_a_function_that_calls_another_cannot_be_pickled():
    def negate(a, b):
        b[...] = -a

    X = te.placeholder((4,), name="X")
    Y = te.extern((4,), [X], lambda i, o: te.call_packed(negate, i[0], o[0]), name="Y")
    f = teloom.build(te.create_schedule(Y), [X, Y], name="f")
    with pytest.raises(teloom.Error) as error:
        pickle.dumps(f)
    assert str(error.value) == (
        "f cannot be pickled: it calls extern.negate, which is in this process only"
    )


def test_the_version_is_that_of_the_package():
    assert teloom.__version__ == version("teloom")


def test_the_package_is_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "argv", ["teloom", "--version"])
    with pytest.raises(SystemExit) as end:
        runpy.run_module("teloom", run_name="__main__", alter_sys=True)
    assert end.value.code in (0, None)
    assert capsys.readouterr().out == f"teloom {teloom.__version__}\n"


def test_a_bound_call_cannot_be_pickled():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] * 2, name="B")
    a, b = np.ones(4, "float32"), np.zeros(4, "float32")
    call = teloom.build([A, B], name="f").bind(a, b)
    with pytest.raises(teloom.Error, match="a call of f cannot be pickled: it is bound to arrays"):
        pickle.dumps(call)


def test_the_text_in_a_pickle_is_verified():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1, name="B")
    rebuild, (text, *others) = teloom.build([A, B]).__reduce__()[:2]
    with pytest.raises(teloom.Error, match="axis 0 has extent 5"):
        rebuild(text.replace("(%i = 4)", "(%i = 5)"), *others)
