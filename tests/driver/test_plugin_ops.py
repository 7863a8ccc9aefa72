"""An op of another package goes from an equation to machine code by the interface it implements."""

from __future__ import annotations

import ctypes
import re
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from c_functions import library, needs_compiler
from xdsl.dialects import builtin
from xdsl.dialects.builtin import i32
from xdsl.rewriter import InsertPoint

import teloom
from teloom.dialects import schedule
from teloom.driver import registry
from teloom.tools.run import main

PLUGIN = Path(__file__).parents[2] / "examples" / "plugin"

PROGRAM = """
te.func @f(%A: tensor<37xf32>, %B: tensor<37xf32>) -> (tensor<37xf32>) {
  %C = te.compute "C" (%i = 37) : tensor<37xf32> {
    %a = te.read %A[%i] : f32
    %b = te.read %B[%i] : f32
    %c = geometry.hypot %a, %b : f32
    te.yield %c : f32
  }
  te.return %C : tensor<37xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  COMMANDS
}
"""


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(PLUGIN)
    found = import_module("geometry.universe").UNIVERSE
    entry = EntryPoint("geometry", "tests:geometry", "xdsl.universe")
    monkeypatch.setattr(EntryPoint, "load", lambda self: found)
    monkeypatch.setattr(registry, "installed_plugins", lambda: [entry])


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    "commands",
    ["", "%o, %n = schedule.split %i factor 8\n  schedule.vectorize %n", "schedule.vectorize %i"],
)
def test_from_an_equation_to_machine_code(commands: str):
    function = teloom.compile(PROGRAM.replace("COMMANDS", commands))
    if "vectorize" in commands:
        assert "geometry.hypot" in function.source("standard")
        assert ": vector<" in function.source("standard").split("geometry.hypot")[1]
    a, b = np.random.default_rng(0).uniform(-1, 1, (2, 37)).astype("float32")
    c = np.empty_like(a)
    function(a, b, c)
    np.testing.assert_allclose(c, np.hypot(a, b), rtol=1e-6)


@needs_compiler
@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize("vectors", ["extension", "loops"])
def test_in_c(vectors: str):
    vectorized = "%o, %n = schedule.split %i factor 8\n  schedule.vectorize %n"
    function = teloom.compile(PROGRAM.replace("COMMANDS", vectorized))
    in_c = library(function.source("c", vectors=vectors)).f
    a, b = np.random.default_rng(0).uniform(-1, 1, (2, 37)).astype("float32")
    c = np.empty_like(a)
    assert in_c(*(ctypes.c_void_p(one.ctypes.data) for one in (a, b, c))) == 0
    np.testing.assert_allclose(c, np.hypot(a, b), rtol=1e-6)


@needs_compiler
@pytest.mark.usefixtures("plugin")
def test_an_op_on_a_buffer_in_c():
    function = teloom.compile("""
func.func @swap(%points: memref<8x3xf32>, %by: memref<8xf32>) {
  %column = arith.constant 1 : index
  loop.for %i = 0 to 8 {
    %x = memref.load %by[%i] : memref<8xf32>
    %old = memref.load %points[%i, %column] : memref<8x3xf32>
    geometry.move %points[%i, %column] by %x : memref<8x3xf32>, f32
    memref.store %old, %by[%i] : memref<8xf32>
  }
  func.return
}""")
    points, by = np.arange(24, dtype="float32").reshape(8, 3), np.arange(50, 58, dtype="float32")
    expected = points.copy()
    expected[:, 1] += by
    olds = points[:, 1].copy()
    in_c = library(function.source("c")).swap
    assert in_c(*(ctypes.c_void_p(one.ctypes.data) for one in (points, by))) == 0
    np.testing.assert_array_equal(points, expected)
    np.testing.assert_array_equal(by, olds)


@pytest.mark.usefixtures("plugin")
def test_without_a_form_in_c(monkeypatch: pytest.MonkeyPatch):
    geometry = import_module("geometry.dialect")
    monkeypatch.delattr(geometry.HypotOp, "to_c")
    with pytest.raises(teloom.Error, match=r"cannot write geometry\.hypot in C"):
        teloom.compile(PROGRAM.replace("COMMANDS", "")).source("c")


@pytest.mark.usefixtures("plugin")
def test_the_interpreter_knows_it(tmp_path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "hypot.mlir"
    file.write_text(PROGRAM.replace("COMMANDS", ""))
    assert main([str(file), "--compare", "--random", "0"]) == 0
    assert "C: " in capsys.readouterr().out


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda op, b: b.constant(1, i32), "gives i32, not f32"),
        (lambda op, b: b.constant(1, i32).owner, "gives of ConstantOp, not f32"),
        (lambda op, b: None, "gives no value, and it is used"),
    ],
)
def test_a_rule_that_gives_something_else(rule, words: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(import_module("geometry.dialect").HypotOp, "to_llvm", rule)
    with pytest.raises(teloom.Error, match=f"the rule that lowers geometry.hypot {words}"):
        teloom.compile(PROGRAM.replace("COMMANDS", ""))


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "NoneType, not to numbers of NumPy"),
        ("a + b", "str, not to numbers of NumPy"),
        (np.zeros((2, 3), "float32"), r"shape \(2, 3\), its operands have \(37,\)"),
        (np.zeros(37, "complex64"), "complex64, not to float32"),
    ],
)
def test_an_op_that_evaluates_to_something_else(
    given: object, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path, capsys
):
    kind = import_module("geometry.dialect").HypotOp
    monkeypatch.setattr(kind, "evaluate", lambda self, operands: given)
    file = tmp_path / "hypot.mlir"
    file.write_text(PROGRAM.replace("COMMANDS", ""))
    assert main([str(file), "--interpret", "--random", "0"]) == 1
    assert re.search(f"{file}:6:10: error: .*evaluates to {words}", capsys.readouterr().err)


@pytest.mark.usefixtures("plugin")
def test_an_op_that_is_no_expression_in_c(monkeypatch: pytest.MonkeyPatch):
    kind = import_module("geometry.dialect").HypotOp
    monkeypatch.setattr(kind, "to_c", lambda self, operands, writer: "a + b")
    with pytest.raises(teloom.Error, match=r"geometry\.hypot is str in C, not a CExpr"):
        teloom.compile(PROGRAM.replace("COMMANDS", "")).source("c")


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize("given", ["a module", builtin.ModuleOp([])])
def test_a_pass_that_returns_a_module_is_refused(given, monkeypatch: pytest.MonkeyPatch):
    kind = import_module("geometry.simplify_hypot").SimplifyHypotPass
    monkeypatch.setattr(kind, "apply", lambda self, ctx, module: given)
    words = "pass simplify-hypot returns a .*; it has to change its module"
    with pytest.raises(teloom.Error, match=words):
        teloom.compile(PROGRAM.replace("COMMANDS", ""), passes={"loop": ["simplify-hypot"]})


def test_without_the_plugin_it_is_unknown():
    words = "text:6:10: error: no operation named 'geometry.hypot'; there is no dialect 'geometry'"
    with pytest.raises(teloom.Error, match=words):
        teloom.compile(PROGRAM.replace("COMMANDS", ""))


@pytest.mark.usefixtures("plugin")
def test_what_a_command_inserts_is_verified(monkeypatch: pytest.MonkeyPatch):
    lanes = import_module("geometry.dialect").LanesOp
    monkeypatch.setattr(lanes, "verify_", lambda self: None)
    words = r"geometry\.lanes inserts a wrong schedule\.split: .*factor must be at least 1"
    with pytest.raises(teloom.Error, match=words):
        teloom.compile(PROGRAM.replace("COMMANDS", "%o, %n = geometry.lanes %i by 0"))


def _nothing(op, rewriter):
    """A primitive that forgets what the command gives."""


def _in_front(op, rewriter):
    rewriter.insert(split := schedule.SplitOp(op.parent_, 4), InsertPoint.before(op))
    for old, new in zip(op.results, split.results, strict=True):
        old.replace_all_uses_with(new)


def _erased(op, rewriter):
    rewriter.replace(op, schedule.SplitOp(op.parent_, 4))


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("primitive", "words"),
    [
        (_nothing, "leaves results of the command in use: %n; others take their place by"),
        (_in_front, "inserts schedule.split in front of the command, where none is carried out"),
        (_erased, "erases the command, which stays until all are done"),
    ],
)
def test_a_primitive_that_leaves_no_place_for_the_next(
    primitive, words: str, monkeypatch: pytest.MonkeyPatch
):
    kind = import_module("geometry.dialect").LanesOp.primitive()
    monkeypatch.setattr(kind, "match_and_rewrite", lambda self, *given: primitive(*given))
    commands = "%o, %n = geometry.lanes %i by 4\n  schedule.unroll %n"
    with pytest.raises(teloom.Error, match=f"the primitive of geometry.lanes {words}"):
        teloom.compile(PROGRAM.replace("COMMANDS", commands))


@pytest.mark.usefixtures("plugin")
def test_a_command_without_a_primitive_is_refused(monkeypatch: pytest.MonkeyPatch):
    lanes = import_module("geometry.dialect").LanesOp
    monkeypatch.setattr(lanes, "primitive", staticmethod(lambda: None))
    words = r"primitive\(\) of geometry.lanes gives None, which is no class of a Primitive"
    with pytest.raises(teloom.Error, match=words):
        teloom.compile(PROGRAM.replace("COMMANDS", "%o, %n = geometry.lanes %i by 4"))


@pytest.mark.usefixtures("plugin")
def test_a_command_that_inserts_itself_is_refused(monkeypatch: pytest.MonkeyPatch):
    lanes = import_module("geometry.dialect").LanesOp

    def again(self, op, rewriter):
        split = schedule.SplitOp(op.parent_, 4)
        rewriter.insert([split, lanes(split.inner, 4)], InsertPoint.after(op))

    monkeypatch.setattr(lanes.primitive(), "match_and_rewrite", again)
    with pytest.raises(teloom.Error, match=r"geometry\.lanes inserts commands without end"):
        teloom.compile(PROGRAM.replace("COMMANDS", "%o, %n = geometry.lanes %i by 4"))
