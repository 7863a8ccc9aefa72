"""What `teloom-run` computes, stores, prints and refuses, to the letter."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.tools import opt, run

MATMUL = """\
te.func @mm(%n: index, %A: tensor<?x5xf32>[%n, 5], %B: tensor<5x3xf32>) -> (tensor<?x3xf32>) {
  %C = te.compute "C" (%i = %n, %j = 3) reduce (%k = 5) : tensor<?x3xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x3xf32>
}
"""
SCHEDULE = """\
schedule.sequence @tiled on @mm {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 2, 2
  schedule.vectorize %ji
}
"""
COUNT = """\
te.func @count(%A: tensor<4xTYPE>) -> (tensor<4xTYPE>) {
  %B = te.compute "B" (%i = 4) : tensor<4xTYPE> {
    %a = te.read %A[%i] : SCALAR
    %one = arith.constant 1 : SCALAR
    %s = arith.addi %a, %one : SCALAR
    te.yield %s : SCALAR
  }
  te.return %B : tensor<4xTYPE>
}
"""
DIVIDE = COUNT.replace("TYPE", "i32").replace("SCALAR", "i32").replace("addi", "divsi")

Tool = Callable[..., tuple[int, str, str]]


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Runs the tool on a text called in.mlir: (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def call(text: str, *args: str) -> tuple[int, str, str]:
        Path("in.mlir").write_text(text)
        try:
            status = run.main(["in.mlir", *args])
        except SystemExit as end:  # a mistake in the options
            status, message = 1, end.code
            output, errors = capsys.readouterr()
            return status, output, f"{errors}{message}\n"
        output, errors = capsys.readouterr()
        return status, output, errors

    return call


@pytest.fixture
def matrices(tmp_path: Path):
    rng = np.random.default_rng(0)
    a, b = rng.random((7, 5), np.float32), rng.random((5, 3), np.float32)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", np.asfortranarray(b))
    return a, b


GIVEN = ("--input", "A=a.npy", "B=b.npy", "--output", "C=c.npy")


@pytest.mark.parametrize("more", [("--interpret",), ()])
@pytest.mark.parametrize("text", [MATMUL, MATMUL + SCHEDULE])
def test_arrays_from_and_to_files(tool: Tool, matrices, text: str, more: tuple[str, ...]):
    assert tool(text, "--entry", "mm", *GIVEN, *more) == (0, "", "")
    a, b = matrices
    np.testing.assert_allclose(np.load("c.npy"), a @ b, rtol=1e-6)


def at_level(text: str, passes: str, capsys: pytest.CaptureFixture[str]) -> str:
    Path("at_level.mlir").write_text(text)
    assert opt.main(["at_level.mlir", "-p", passes]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "passes",
    [
        "apply-schedule",
        "apply-schedule,infer-bounds",
        "te-to-loops",
        "te-to-memref",
        "te-to-memref,vectorize-loops,align-accesses,unroll-loops,lower-loops",
        "te-to-llvm",
    ],
)
def test_levels_that_know_the_shapes(tool: Tool, matrices, capsys, passes: str):
    text = at_level(MATMUL + SCHEDULE, passes, capsys)
    assert tool(text, "--entry", "mm", *GIVEN) == (0, "", "")
    a, b = matrices
    np.testing.assert_allclose(np.load("c.npy"), a @ b, rtol=1e-6)


def test_machine_code_without_a_signature(tool: Tool, matrices, capsys):
    text = at_level(MATMUL + SCHEDULE, "te-to-llvm", capsys)
    text = re.sub(r" attributes \{te\.signature = .* \{\n", " {\n", text)
    assert "signature" not in text
    a, b = matrices
    for name, array in (("a", a), ("b", b), ("c", np.zeros((7, 3), np.float32))):
        np.save(f"{name}.npy", array.ravel())
    options = ("--entry", "mm", "--size", "n=7", *GIVEN, "--input", "C=c.npy")
    assert tool(text, *options) == (0, "", "")
    np.testing.assert_allclose(np.load("c.npy").reshape(7, 3), a @ b, rtol=1e-6)


def test_random_arrays_depend_on_seed_and_position_only(tool: Tool):
    options = ("--size", "n=2", "--interpret", "--random")
    first, again = tool(MATMUL, *options, "0"), tool(MATMUL, *options, "0")
    assert first == again
    assert first != tool(MATMUL, *options, "1")


def test_arrays_are_drawn_where_nothing_says_which_are_results(tool: Tool):
    text = """\
func.func @copy(%a: memref<4xf32>, %b: memref<4xf32>) {
  loop.for %i = 0 to 4 {
    %x = memref.load %a[%i] : memref<4xf32>
    memref.store %x, %b[%i] : memref<4xf32>
  }
  func.return
}
"""
    options = ("--output", "a=a.npy", "b=b.npy")
    assert tool(text, *options, "--random", "0") == (0, "", "")
    np.testing.assert_array_equal(np.load("a.npy"), np.load("b.npy"))
    assert np.load("a.npy").all()
    assert tool(text, *options) == (0, "", "")
    assert not np.load("b.npy").any()


@pytest.mark.parametrize(
    ("type", "dtype"),
    [("ui8", "uint8"), ("i8", "int8"), ("i32", "int32"), ("i64", "int64"), ("i1", "bool")],
)
def test_random_integers_are_small(tool: Tool, type: str, dtype: str):
    text = COUNT.replace("TYPE", type).replace("SCALAR", type.replace("ui", "i"))
    status, output, errors = tool(text, "--random", "0", "--interpret", "--output", "B=b.npy")
    assert (status, output, errors) == (0, "", "")
    result = np.load("b.npy")
    assert result.dtype == dtype
    assert result.min() >= 0
    assert result.max() <= 10


def test_bfloat16_goes_through_files(tool: Tool):
    text = COUNT.replace("TYPE", "bf16").replace("SCALAR", "bf16").replace("addi", "addf")
    text = text.replace("constant 1 ", "constant 1.0 ")
    assert tool(text, "--random", "0", "--interpret", "--output", "B=b.npy") == (0, "", "")
    assert tool(text, "--input", "A=b.npy", "--interpret")[0] == 0


def test_results_are_printed_unless_something_else_is_asked_for(tool: Tool):
    text = COUNT.replace("TYPE", "i32").replace("SCALAR", "i32")
    np.save("a.npy", np.arange(4, dtype=np.int32))
    printed = "B: int32 (4,)\n[1 2 3 4]\n"
    given = ("--input", "A=a.npy", "--interpret")
    assert tool(text, *given) == (0, printed, "")
    assert tool(text, *given, "--output", "B=b.npy") == (0, "", "")
    assert tool(text, *given, "--output", "B=b.npy", "--print") == (0, printed, "")


def test_times(tool: Tool):
    options = ("--size", "n=2", "--random", "0", "--time", "3")
    for more in ((), ("--interpret",)):
        status, output, errors = tool(MATMUL, *options, *more)
        assert (status, errors) == (0, "")
        assert re.fullmatch(r"best [\d.]+ ms, median [\d.]+ ms of 3 runs\n", output)


def test_compiled_code_is_compared_with_the_interpreter(tool: Tool):
    options = ("--size", "n=6", "--random", "0", "--compare")
    status, output, errors = tool(MATMUL + SCHEDULE, *options)
    assert (status, errors) == (0, "")
    assert output.startswith("C: ")
    text = COUNT.replace("TYPE", "ui8").replace("SCALAR", "i8")
    assert tool(text, "--random", "0", "--compare") == (0, "B: equal to the interpreter's\n", "")


LAYOUT = """
te.func @f() -> (tensor<2x3xi32>) {
  %C = te.compute "C" (%i = 2, %j = 3) : tensor<2x3xi32> {
    %p = affine.apply affine_map<(d0, d1) -> (d0 * 3 + d1)> (%i, %j)
    %v = arith.index_cast %p : index to i32
    te.yield %v : i32
  }
  te.return %C : tensor<2x3xi32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.transform_layout %C affine_map<(d0, d1) -> (d1 floordiv 2, d0, d1 mod 2)>
}
"""


def test_a_result_with_a_layout_has_the_physical_shape(tool: Tool):
    code, printed, _ = tool(LAYOUT)
    assert code == 0
    assert printed == "C: int32 (2, 2, 2)\n[[[0 1]\n  [3 4]]\n\n [[2 0]\n  [5 0]]]\n"
    assert tool(LAYOUT, "--compare") == (
        1,
        "C: not compared, for its layout gives it the shape (2, 2, 2)\n",
        "",
    )


def test_a_result_with_a_layout_may_be_empty(tool: Tool):
    text = """
te.func @f(%n: index) -> (tensor<?xi32>) {
  %C = te.compute "C" (%i = %n) : tensor<?xi32> {
    %v = arith.index_cast %i : index to i32
    te.yield %v : i32
  }
  te.return %C : tensor<?xi32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.transform_layout %C affine_map<(d0) -> (d0 * 2)>
}
"""
    assert tool(text, "--size", "n=0") == (0, "C: int32 (0,)\n[]\n", "")
    assert tool(text, "--size", "n=3") == (0, "C: int32 (5,)\n[0 0 1 0 2]\n", "")
    assert tool(text, "--size", "n=0", "--compare") == (0, "C: equal to the interpreter's\n", "")


ROWS = """
te.func @f(%n: index, %m: index, %A: tensor<?x?xi32>[%n, %m]) -> (tensor<?xi32>) {
  %B = te.compute "B" (%i = %n) reduce (%j = %m) : tensor<?xi32> {
    %0 = te.read %A[%i, %j] : i32
    te.yield %0 : i32
  } combine (%x: i32, %y: i32) identity [0 : i32] {
    %s = arith.addi %x, %y : i32
    te.yield %s : i32
  }
  te.return %B : tensor<?xi32>
}
schedule.sequence @s on @f {
  schedule.transform_layout argument 0 affine_map<(i, j) -> (j floordiv 4, j - 2 * i, j mod 4)>
}
"""


@pytest.mark.parametrize(("n", "m"), [(0, 3), (1, 1), (5, 7)])
def test_an_argument_with_a_layout_is_given_as_the_tensor(tool: Tool, n: int, m: int):
    np.save("a.npy", a := np.arange(n * m, dtype="int32").reshape(n, m))
    given = ("--input", "A=a.npy")
    printed = f"B: int32 ({n},)\n{a.sum(1)}\n"
    assert tool(ROWS, *given) == (0, printed, "")
    assert tool(ROWS, *given, "--interpret") == (0, printed, "")
    assert tool(ROWS, *given, "--compare") == (0, "B: equal to the interpreter's\n", "")


PACKED = """
te.func @f(%n: index, %A: tensor<?x?xi32>[%n, %n]) -> (tensor<?xi32>) {
  %B = te.compute "B" (%i = %n) reduce (%j = 0 to %i + 1) : tensor<?xi32> {
    %0 = te.read %A[%i, %j] : i32
    te.yield %0 : i32
  } combine (%x: i32, %y: i32) identity [0 : i32] {
    %s = arith.addi %x, %y : i32
    te.yield %s : i32
  }
  te.return %B : tensor<?xi32>
}
schedule.sequence @s on @f {
  schedule.transform_layout argument 0 affine_map<(i, j) -> (i, j)> packed lower
}
"""


PACKED_FROM_ITS_END = PACKED.replace("(i, j)> packed", "(-j, -i)> packed")


@pytest.mark.parametrize("text", [PACKED, PACKED_FROM_ITS_END])
@pytest.mark.parametrize("n", [0, 1, 4])
def test_an_argument_that_is_packed_is_given_as_the_tensor(tool: Tool, text: str, n: int):
    np.save("a.npy", a := np.arange(n * n, dtype="int32").reshape(n, n))
    given = ("--input", "A=a.npy")
    assert tool(text, *given) == (0, f"B: int32 ({n},)\n{np.tril(a).sum(1)}\n", "")
    assert tool(text, *given, "--compare") == (0, "B: equal to the interpreter's\n", "")


@pytest.mark.parametrize(
    ("found", "agree", "said"),
    [
        ([1.0, 2.0, np.nan], True, "C: equal to the interpreter's"),
        (
            [1.0, 2.00001, np.nan],
            True,
            "C: differs from the interpreter's by at most 1e-05, "
            "at [1]: 2.00001 instead of 2.0; allowed is 2e-05",
        ),
        (
            [1.5, 2.0, np.nan],
            False,
            "C: differs from the interpreter's by at most 0.5, "
            "at [0]: 1.5 instead of 1.0; allowed is 2e-05",
        ),
        (
            [1.0, 2.0, 3.0],
            False,
            "C: differs from the interpreter's by at most inf, "
            "at [2]: 3.0 instead of nan; allowed is 2e-05",
        ),
    ],
)
def test_what_comparing_says(capsys, found: list[float], agree: bool, said: str):
    array, expected = np.array([found, [1.0, 2.0, np.nan]], np.float32)
    assert run.compare({"C": array}, [expected]) is agree
    assert capsys.readouterr().out == said + "\n"


def test_comparing_results_without_elements(capsys):
    empty = np.zeros((0, 3), np.float32)
    assert run.compare({"C": empty}, [empty])
    assert capsys.readouterr().out == "C: equal to the interpreter's\n"


def difference_of_numbered_names() -> str:
    n = te.var("n_0")
    A, B = te.placeholder((n,), name="x_1"), te.placeholder((n,), name="x_2")
    D = te.compute((n,), lambda i: A[i] - B[i], name="x_4")
    return str(teloom.lower(te.create_schedule(D), [A, B, D], level="te"))


NUMBERED = """\
te.func @f(%n_0: index, %x_1: tensor<?xf32>[%n_0], %x_2: tensor<?xf32>[%n_0]) -> (tensor<?xf32>) {
  %d = te.compute "x_4" (%i = %n_0) : tensor<?xf32> {
    %a = te.read %x_1[%i] : f32
    %b = te.read %x_2[%i] : f32
    %c = arith.subf %a, %b : f32
    te.yield %c : f32
  }
  te.return %d : tensor<?xf32>
}
"""


@pytest.mark.parametrize(
    ("text", "name"), [(difference_of_numbered_names(), "x_4"), (NUMBERED, "d")]
)
def test_names_that_end_in_numbers(tool: Tool, text: str, name: str):
    np.save("ten.npy", np.full(2, 10, "float32"))
    np.save("one.npy", np.full(2, 1, "float32"))
    given = ("--input", "x_1=ten.npy", "--input", "x_2=one.npy")
    expected = 0, f"{name}: float32 (2,)\n[9. 9.]\n", ""
    assert tool(text, *given, "--size", "n_0=2") == expected
    opt.main(["in.mlir", "-p", "te-to-memref", "-o", "lowered.mlir"])
    assert tool(Path("lowered.mlir").read_text(), *given) == expected


def test_names_that_do_not_fit(tool: Tool):
    text = f'{NUMBERED.strip()} {{te.names = ["n"]}}'
    code, _, said = tool(text, "--random", "0", "--size", "n=2")
    assert code == 1
    assert 'error: te.names must be 3 names of arguments, got ["n"]' in said


def test_sizes_follow_from_shapes_and_are_checked(tool: Tool, matrices):
    status, _, errors = tool(MATMUL, *GIVEN, "--size", "n=6")
    assert status == 1
    assert errors == (
        "teloom-run: error: mm: argument A has shape (7, 5), expected (6, 5): "
        "its axis 0 must equal n = 6, taken from the call\n"
    )


SIZED = ("--size", "n=2", "--random", "0", "--interpret")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--entry", "mmm"), "no function @mmm; did you mean @mm?"),
        (("--entry", "xyz"), "no function @xyz; there are: @mm"),
        (("--random", "0"), "the size n is not known; give it with --size n=N"),
        (("--size", "n=2"), "no values for A; give --input A=FILE.npy or --random SEED"),
        ((*SIZED, "--size", "m=2"), "no size named m; there are: n"),
        ((*SIZED, "--output", "D=d.npy"), "no result named D; there are: C"),
        ((*SIZED, "--input", "X=flat.npy"), "no argument named X; there are: A, B, C"),
        ((*SIZED, "--input", "A=none.npy"), "none.npy cannot be read: No such file or directory"),
        ((*SIZED, "--input", "A=in.mlir"), "in.mlir is no .npy file of numbers"),
        ((*SIZED, "--output", "C=."), ". cannot be written: Is a directory"),
        ((*SIZED, "--input", "A=flat.npy"), "A has 1 axes, expected 2"),
        (
            (*SIZED, "--input", "A=double.npy"),
            'A has dtype float64, expected float32; convert it with array.astype("float32")',
        ),
        (("--size", "n=x"), "argument --size: 'x' is not an integer"),
        (("--size", "n=-1"), "argument --size: -1 is negative"),
        (("--size", f"n={2**63}"), f"argument --size: {2**63} does not fit 64 bits"),
        (
            ("--size", f"n={2**40}", "--random", "0"),
            "A of shape (1099511627776, 5) does not fit in memory",
        ),
        (("--random", "-1"), "argument --random: -1 is negative"),
        (
            (*SIZED, "--input", "A=archive.npz"),
            "archive.npz is no .npy file but an .npz archive; save one array by itself",
        ),
        (("--size", "n"), "argument --size: 'n' is not of the form n=17"),
        (("--input", "=a.npy"), "argument --input: '=a.npy' is not of the form A=a.npy"),
        (("--size", "n=1", "n=2"), "argument --size: n is given twice"),
        (("--time", "0"), "argument --time: 0 runs have no time"),
        (("--sizes", "n=1"), "unrecognized arguments: --sizes n=1; did you mean '--size'?"),
        (
            ("--interpret", "--compare"),
            "--compare compares compiled code with the interpreter's; drop --interpret",
        ),
    ],
)
def test_mistakes_in_options(tool: Tool, options: tuple[str, ...], message: str):
    np.save("flat.npy", np.zeros(10, np.float32))
    np.save("double.npy", np.zeros((2, 5)))
    np.savez("archive.npz", A=np.zeros((2, 5)))
    assert tool(MATMUL, *options) == (1, "", f"teloom-run: error: {message}\n")


def test_an_array_that_begins_too_far(tool: Tool):
    offset = 2**63 - 1
    text = f"te.func @f(%A: tensor<4xf32> offset {offset}) -> () {{\n  te.return\n}}\n"
    message = f"A of shape (4,), with strides (1,) and offset {offset}, does not fit in memory"
    assert tool(text, "--random", "0") == (1, "", f"teloom-run: error: {message}\n")


@pytest.mark.parametrize(
    ("text", "options", "error"),
    [
        (
            MATMUL.replace("mulf %a, %b", "mulf %a, %q"),
            (),
            "in.mlir:5:25: error: value %q is not defined\n"
            "    %p = arith.mulf %a, %q : f32\n"
            "                        ^^\n",
        ),
        (
            DIVIDE.replace("%A[%i]", "%A[%i + 1]"),
            ("--random", "0", "--interpret"),
            'in.mlir:3:10: error: subscript 0 of %A is 4, outside its extent 4, in stage "B" '
            "at %i = 3\n"
            "    %a = te.read %A[%i + 1] : i32\n"
            "         ^\n",
        ),
    ],
)
def test_mistakes_in_the_program(tool: Tool, text: str, options: tuple[str, ...], error: str):
    assert tool(text, *options) == (1, "", error)


def test_a_schedule_that_does_not_fit_is_refused(tool: Tool):
    text = MATMUL + SCHEDULE.replace("axes 3", "axes 2").replace(", %k =", " =")
    status, output, errors = tool(text, "--size", "n=2", "--random", "0")
    assert (status, output) == (1, "")
    assert errors.startswith("in.mlir:15:")
    assert "Traceback" not in errors


PLACED = """\
te.func @rows(%n: index, %s: index, %o: index,
    %A: tensor<?x4xf32>[%n, 4] strides [1, %s] offset %o factor 2 aligned 64)
    -> (tensor<?x4xf32> strides [%s * 3 + 1, 3]) {
  %B = te.compute "B" (%i = %n, %j = 4) : tensor<?x4xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<?x4xf32>
}
"""


@pytest.mark.parametrize(
    "options", [("n=3", "s=5"), ("n=3", "s=7", "o=6"), ("n=0", "s=9"), ("n=1", "s=4")]
)
@pytest.mark.parametrize("passes", ["", "te-to-loops", "te-to-memref"])
def test_arrays_lie_as_the_program_says(tool: Tool, capsys, passes: str, options: tuple[str, ...]):
    _, expected, _ = tool(PLACED, "--size", *options, "--random", "0", "--interpret")
    text = at_level(PLACED, passes, capsys) if passes else PLACED
    assert tool(text, "--size", *options, "--random", "0") == (0, expected, "")


def test_strides_are_those_of_a_given_array(tool: Tool):
    np.save("A.npy", a := np.arange(12, dtype="f4").reshape(4, 3).T)
    assert tool(PLACED, "--input", "A=A.npy", "--output", "B=B.npy") == (0, "", "")
    np.testing.assert_array_equal(np.load("B.npy"), a)


def test_an_offset_that_does_not_fit(tool: Tool):
    status, _, error = tool(PLACED, "--size", "n=3", "s=5", "o=3", "--random", "0")
    assert status == 1
    assert "A begins 3 elements behind its memory's start; that must be a multiple of 2" in error


def test_memory_is_checked(tool: Tool):
    text = """\
func.func @f(%C: memref<4xf32>) attributes {te.signature = {arrays = [{name = "C", SHAPE}]}} {
  %0 = arith.constant 0 : index
  %v = memref.load %C[%0] : memref<4xf32>
  memref.store %v, %C[%0] : memref<4xf32>
  func.return
}
"""
    shape = 'dtype = "float32", shape = affine_map<() -> (4)>, output'
    status, _, error = tool(text.replace("SHAPE", shape), "--sanitize=memory")
    words = "teloom-run: error: in.mlir:3: a load reads C[0], which nothing has written\n"
    assert (status, error) == (1, words)


@pytest.mark.parametrize(
    ("sanitizer", "message"),
    [
        ("memory", "sanitize=memory needs IR of level standard or above; @f is an llvm.func"),
        ("thread", "no sanitizer 'thread'; sanitizers: memory"),
    ],
)
def test_what_cannot_be_checked(tool: Tool, sanitizer: str, message: str):
    text = """\
llvm.func @f() -> i32 {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
"""
    status, _, error = tool(text, f"--sanitize={sanitizer}")
    assert (status, error) == (1, f"teloom-run: error: {message}\n")


def test_only_te_functions_are_interpreted(tool: Tool):
    text = "func.func @f(%A: memref<4xf32>) {\n  func.return\n}\n"
    assert tool(text, "--interpret") == (
        1,
        "",
        "teloom-run: error: only te.func can be interpreted; @f is func.func\n",
    )


def test_several_functions_need_a_name(tool: Tool):
    text = MATMUL + MATMUL.replace("@mm", "@other")
    status, _, errors = tool(text, "--size", "n=2", "--random", "0")
    assert (status, errors) == (
        1,
        "teloom-run: error: which function is meant must be said, by --entry or name=; "
        "there are: @mm, @other\n",
    )


@pytest.mark.parametrize("passes", ["", "te-to-memref", "te-to-llvm"])
def test_functions_that_are_not_called_need_nothing(
    passes: str, tool: Tool, capsys: pytest.CaptureFixture[str]
):
    parallel = COUNT.replace("@count", "@other").replace("TYPE", "i32").replace("SCALAR", "i32")
    command = """schedule.sequence @s on @other {
      %B = schedule.get "B"
      %i = schedule.axes 1 of %B
      schedule.parallel %i
    }"""
    serial = COUNT.replace("TYPE", "f32").replace("SCALAR", "f32").replace("addi", "addf")
    text = serial.replace("constant 1 ", "constant 1.0 ") + parallel + command
    if passes:
        text = at_level(text, passes, capsys)
    code, out, err = tool(text, "--entry", "count", "--random", "0", "--print")
    assert (code, err) == (0, "")
    assert out.startswith("B: float32 (4,)")


def test_machine_code_does_not_describe_its_arrays(tool: Tool):
    text = "llvm.func @f(%p: !llvm.ptr) {\n  llvm.return\n}\n"
    assert tool(text, "--random", "0") == (
        1,
        "",
        "teloom-run: error: machine code does not say what p is; give it with --input p=FILE.npy\n",
    )


def test_a_missing_file():
    with pytest.raises(SystemExit, match="required: FILE"):
        run.main([])
    assert run.main(["nowhere.mlir"]) == 1


def test_a_missing_file_is_named(capsys):
    run.main(["nowhere.mlir"])
    assert capsys.readouterr().err == (
        "nowhere.mlir:1:1: error: cannot be read: No such file or directory\n"
    )


def test_help_shows_every_option(capsys):
    with pytest.raises(SystemExit):
        run.main(["--help"])
    text = capsys.readouterr().out
    options = "--entry --size --input --random --output --interpret --compare --time --print"
    for option in options.split():
        assert option in text


PLANE = """\
func.func @plane(%A: memref<2x3xf32>, %x: f32) -> f32 {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  memref.store %x, %A[%0, %2] : memref<2x3xf32>
  func.return %x : f32
}
"""


@pytest.mark.parametrize("more", [(), ("--sanitize", "memory")])
def test_buffers_of_several_dimensions_and_numbers_are_passed(tool: Tool, more: tuple[str, ...]):
    np.save("A.npy", np.ones((2, 3), "float32"))
    np.save("x.npy", np.float32(7))
    status, found, _ = tool(PLANE, "--input", "A=A.npy", "x=x.npy", *more)
    assert status == 0
    assert found == "A: float32 (2, 3)\n[[1. 1. 7.]\n [1. 1. 1.]]\nresult: float32 ()\n7.0\n"


def test_buffers_without_dimensions_are_checked_too(tool: Tool):
    text = """\
func.func @f(%A: memref<f32>, %B: memref<3xf32>) {
  %0 = arith.constant 0 : index
  %x = memref.load %A[] : memref<f32>
  %b = memref.alloca() : memref<f32>
  memref.store %x, %b[] : memref<f32>
  %y = memref.load %b[] : memref<f32>
  memref.store %y, %B[%0] : memref<3xf32>
  func.return
}
"""
    status, output, errors = tool(text, "--random", "0", "--sanitize", "memory")
    assert (status, errors) == (0, "")
    assert "B: float32 (3,)" in output


def test_what_is_interpreted_has_no_memory_to_check(tool: Tool):
    options = ("--random", "0", "--interpret", "--sanitize", "memory")
    words = "--sanitize checks machine code, and --interpret makes none; drop one of them"
    assert tool(MATMUL, *options) == (1, "", f"teloom-run: error: {words}\n")


def test_the_debug_ladder_ends_with_assembly(tool: Tool, matrices, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TELOOM_DEBUG", "4")
    _, _, errors = tool(MATMUL, "--entry", "mm", *GIVEN)
    assert errors.count("define") == 1
    assert ".text" in errors


def test_the_debug_ladder_of_machine_code(tool: Tool, capsys, monkeypatch: pytest.MonkeyPatch):
    text = at_level("func.func @f(%n: index) {\n  func.return\n}\n", "te-to-llvm", capsys)
    monkeypatch.setenv("TELOOM_DEBUG", "4")
    _, _, errors = tool(text, "--size", "n=1", "--time", "1")
    assert errors.count("define") == 1
    assert ".text" in errors


def test_a_schedule_comes_from_another_file(tool: Tool):
    Path("s.mlir").write_text(
        """schedule.sequence @s on @other {
          %C = schedule.get "C"
          %i = schedule.axes 1 of %C
          %io, %ii = schedule.split %i factor width = 4
          schedule.set_scope %C "shared"
        }"""
    )
    program = """te.func @f() -> (tensor<4xf32>) {
      %C = te.compute "C" (%i = 4) : tensor<4xf32> {
        %one = arith.constant 1.0 : f32
        te.yield %one : f32
      }
      te.return %C : tensor<4xf32>
    }"""
    assert tool(program) == (0, "C: float32 (4,)\n[1. 1. 1. 1.]\n", "")
    place = 's.mlir:5:11: error: apply-schedule: cannot store "C" in "shared": it is an output'
    assert place in tool(program, "--schedule", "s.mlir")[2]
    assert (
        "split of axis i by factor 0"
        in tool(program, "--schedule", "s.mlir", "--parameter", "width=0")[2]
    )
    assert "no sequence has the parameter 'wide'" in tool(program, "--parameter", "wide=0")[2]
    assert tool(program, "--schedule", "t.mlir")[2].startswith("t.mlir:1:1: error: cannot be read")
    assert "in.mlir has no schedule.sequence" in tool(program, "--schedule", "in.mlir")[2]
