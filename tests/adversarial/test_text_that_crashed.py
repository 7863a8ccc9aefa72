"""Texts with one thing changed, that once ended in a traceback: each is one line of error."""

from pathlib import Path

import pytest

from teloom.tools import opt, run

FUNC = """\
te.func @f(%A: tensor<{extent}xf32>) -> (tensor<{extent}xf32>) {{
  %B = te.compute "B" (%i = {extent}) reduce (%r = {reduced}) : tensor<{extent}xf32> {{
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }} combine (%x: f32, %y: f32) identity [0.0 : {identity}] {{
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }}
  te.return %B : tensor<{extent}xf32>
}}
schedule.sequence @s on @f {{
  %B = schedule.get "B"
  {axes} of %B
}}
"""
PLAIN = {"extent": 4, "reduced": 3, "identity": "f32", "axes": "%i, %r = schedule.axes 2"}

BRANCHES = """\
te.func @f(%A: tensor<4xi32>) -> (tensor<4xi32>) {
  %B = te.compute "B" (%i = 4) : tensor<4xi32> {
    %c = arith.constant true
    %a = te.read %A[%i] : i32
    %f = arith.constant 1.0 : f32
    %b = scf.if %c -> (i32) {
      scf.yield %THEN
    } ELSE
    te.yield %b : i32
  }
  te.return %B : tensor<4xi32>
}
"""

BLOCK = """\
llvm.func @f() {
  llvm.br ^bb1
^bb1:
  llvm.return
^bb1:
  llvm.return
}
"""

ORDER = """\
func.func @f(%A: memref<4xf32>, %B: memref<4xf32>) attributes {te.signature = {arrays = [
    {name = "A", dtype = "float32", shape = affine_map<() -> (4)>},
    {name = "B", dtype = "float32", shape = affine_map<() -> (4)>, output}],
    order = array<i64: ORDER>}} {
  func.return
}
"""


@pytest.fixture
def failing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """What a tool that ends with exit code 1 says, for a text and arguments."""

    def failing(tool, text: str, *args: str) -> str:
        path = tmp_path / "in.mlir"
        path.write_text(text)
        assert tool.main([str(path), *args]) == 1
        return capsys.readouterr().err

    return failing


def test_what_is_changed_here_was_right(tmp_path: Path):
    path = tmp_path / "in.mlir"
    path.write_text(FUNC.format(**PLAIN))
    assert run.main([str(path), "--random", "0", "--compare"]) == 0


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"reduced": -(2**63)}, "runs from 0 to -9223372036854775808: that is never an iteration"),
        ({"reduced": 10**23}, "100000000000000000000000 is no integer of 64 bits"),
        ({"extent": 2**63}, "9223372036854775808 is no integer of 64 bits"),
        ({"identity": "f80"}, "no constant can be of type f80"),
        ({"axes": "%i = schedule.axes 9223372036854775807"}, "no stage has 9223372036854775807"),
    ],
)
def test_numbers_and_types(failing, changed: dict[str, object], words: str):
    said = failing(opt, FUNC.format(**PLAIN | changed), "-p", "te-to-llvm")
    assert "error:" in said
    assert words in said


@pytest.mark.parametrize("extent", [2**62, 2**63 - 1])
def test_more_iterations_than_the_interpreter_runs(failing, extent: int):
    text = FUNC.format(**PLAIN | {"reduced": extent})
    said = failing(run, text, "--random", "0", "--interpret")
    assert f"%r has {extent} iterations, the interpreter runs at most" in said


@pytest.mark.parametrize(
    ("then", "otherwise", "words"),
    [
        ("f : f32", "else {\n scf.yield %a : i32\n }", "the then branch gives (f32)"),
        ("a : i32", "else {\n scf.yield %f : f32\n }", "the else branch gives (f32)"),
        ("a : i32", "else {\n }", "the else branch gives ()"),
        ("a : i32", "", "the else branch gives ()"),
    ],
)
def test_branches_that_do_not_give_what_their_if_gives(failing, then, otherwise, words):
    text = BRANCHES.replace("THEN", then).replace("ELSE", otherwise)
    assert words in failing(opt, text)
    assert words in failing(run, text, "--random", "0")


def test_a_block_that_is_defined_twice(failing):
    assert "block ^bb1 is defined twice" in failing(opt, BLOCK)


@pytest.mark.parametrize("order", ["0", "0, 0", "0, 2", "0, -1", "0, 1, 1"])
def test_an_order_of_other_arguments(failing, order: str):
    said = failing(run, ORDER.replace("ORDER", order), "--random", "0")
    assert f"the order of f is [{order}]; it must name each buffer once, 0..1" in said


INDICES = """\
func.func @f(%A: memref<4xf32>, %i: index) {
  %a = memref.load %A[LOAD] : memref<4xf32>
  memref.store %a, %A[STORE] : memref<4xf32>
  func.return
}
"""


@pytest.mark.parametrize(("load", "store"), [("", "%i"), ("%i", ""), ("%i, %i", "%i")])
def test_another_number_of_indices_than_axes(failing, load: str, store: str):
    said = failing(opt, INDICES.replace("LOAD", load).replace("STORE", store))
    assert "indices for the 1 axes of memref<4xf32>" in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"memref.load"() : () -> f32', "expected at least 1"),
        ('"memref.store"() : () -> ()', "expected at least 2"),
        ('"scf.if"() : () -> f32', "expected 1"),
    ],
)
def test_another_number_of_operands(failing, text: str, words: str):
    said = failing(opt, text)
    assert ":1:1: error:" in said
    assert words in said


SHUFFLE = """\
func.func @f(%a: vector<2xf32>) {
  %b = llvm.shufflevector %a, %a [0, 99999999999999999999999] : vector<2xf32>
  func.return
}
"""


def test_a_lane_beyond_all_integers(failing):
    assert ":2:" in failing(opt, SHUFFLE)


SQUARE = """\
te.func @f(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?x?xf32>) {
  %B = te.compute "B" (%i = %n, %j = %n) : tensor<?x?xf32> {
    %a = te.read %A[SUBSCRIPT] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<?x?xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %i, %j = schedule.axes 2 of %B
  %f = schedule.fuse %i, %j
}
"""


def test_a_read_outside_names_no_size_that_the_user_has_not(failing):
    said = failing(opt, SQUARE.replace("SUBSCRIPT", "%j + 1"), "-p", "te-to-loops")
    assert "reads A[" in said
    assert "None" not in said


ATTACHED = """\
te.func @f(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %B = te.compute "B" (%i = 20) : tensor<20xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 20) : tensor<20xf32> {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<20xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 8
  schedule.compute_at %B, %C, %io
}
"""


def test_a_region_that_depends_on_a_loop_further_in(failing, tmp_path: Path, capsys):
    path = tmp_path / "right.mlir"
    path.write_text(ATTACHED)
    assert opt.main([str(path), "-p", "apply-schedule,infer-bounds"]) == 0
    right = capsys.readouterr().out
    wrong = right.replace("schedule.region [%io", "schedule.region [%ii")
    assert wrong != right
    assert "axis ii is used outside its loop" in failing(opt, wrong, "-p", "build-loops")


@pytest.mark.parametrize("removed", ["schedule.order %io", "schedule.range %j"])
def test_a_stage_that_lacks_a_line(failing, tmp_path: Path, capsys, removed: str):
    path = tmp_path / "right.mlir"
    fused = SQUARE.replace("SUBSCRIPT", "%j")
    path.write_text(ATTACHED if "order" in removed else fused)
    assert opt.main([str(path), "-p", "apply-schedule,infer-bounds"]) == 0
    right = capsys.readouterr().out
    kept = [line for line in right.splitlines() if removed not in line]
    wrong = "\n".join([*kept, ""])
    assert wrong != right
    assert "error:" in failing(opt, wrong, "-p", "build-loops")
