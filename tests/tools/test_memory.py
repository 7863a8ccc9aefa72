"""What `teloom memory` prints."""

from pathlib import Path

import pytest

from teloom.tools import main

TEXT = """\
func.func @f(%n: index) {
  %b = loop.realize "b" [0 : %n] : !loop.tensor<1, f64>
  %x = arith.constant 1.0 : f64
  loop.store %x, %b[0] : f64
  func.return
}
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "in.mlir").write_text(TEXT)
    return str(tmp_path / "in.mlir")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "at most n * 8"),
        (("--size", "n=5"), "b       b   global  heap   40     0       "),
        (("--format=json", "--size", "n=5"), '"peak": 40'),
        (("--format=svg", "--size", "n=5"), "b: 40 bytes at 0"),
    ],
)
def test_formats(file: str, capsys, options: tuple[str, ...], words: str):
    assert main.main(["memory", file, *options]) == 0
    assert words in capsys.readouterr().out


def test_mistakes(file: str, capsys):
    assert main.main(["memory", file, "--entry", "g"]) == 1
    words = "teloom memory: error: no func.func @g; there are: @f"
    assert words in capsys.readouterr().err
    Path(file).write_text("func.func @f( {")
    assert main.main(["memory", file]) == 1
    assert "in.mlir:1:15: error:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        (("m=2",), "teloom memory: error: no size named m; there are: n"),
        (("N=2",), "teloom memory: error: no size named N; did you mean 'n'?"),
    ],
)
def test_sizes_that_there_are_not(file: str, capsys, sizes: tuple[str, ...], words: str):
    assert main.main(["memory", file, "--size", *sizes]) == 1
    assert words in capsys.readouterr().err


def test_the_cpu_may_be_named(file: str, capsys):
    assert main.main(["memory", file, "--size", "n=5", "--cpu", "znver3"]) == 0
    assert " 40 " in capsys.readouterr().out
    assert main.main(["memory", file, "--cpu", "znver33"]) == 1
    assert "no CPU 'znver33'" in capsys.readouterr().err
    assert main.main(["memory", file, "--cpu", ""]) == 1
    assert "no CPU ''; CPUs: native" in capsys.readouterr().err


def test_sizes_may_be_given_one_by_one(tmp_path: Path, capsys):
    text = TEXT.replace("%n: index", "%n: index, %m: index").replace(": %n]", ": %n + %m]")
    (tmp_path / "in.mlir").write_text(text)
    file = str(tmp_path / "in.mlir")
    assert main.main(["memory", file, "--size", "n=5", "--size", "m=2"]) == 0
    assert " 56 " in capsys.readouterr().out
    with pytest.raises(SystemExit, match="argument --size: n is given twice"):
        main.main(["memory", file, "--size", "n=5", "n=6"])


def test_mistakes_that_passes_find_have_a_place(tmp_path: Path, capsys):
    file = tmp_path / "in.mlir"
    file.write_text(
        """\
te.func @shift(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = te.compute "C" (%i = 20) : tensor<20xf32> {
    %a = te.read %A[%i + 1] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<20xf32>
}
"""
    )
    assert main.main(["memory", str(file)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f'{file}:3:10: error: infer-bounds: stage "C" at [19] reads A[20]')


def test_a_remark_is_one_line(tmp_path: Path, capsys):
    file = tmp_path / "in.mlir"
    file.write_text(
        """\
te.func @f(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<?x?xf32>) {
  %B = te.compute "B" (%x = %n, %y = %m) : tensor<?x?xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %f = schedule.fuse %i, %j
  %fo, %fi = schedule.split %f factor 8
  schedule.compute_at %B, %C, %fo
}
"""
    )
    assert main.main(["memory", str(file)]) == 0
    error = capsys.readouterr().err
    assert error.startswith(f'{file}:2:8: remark: stage "B" is computed for all of C.i, C.j')
    assert error.count("\n") == 1
