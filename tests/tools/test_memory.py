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
    words = "teloom memory: error: which function is meant must be said; there are: @f"
    assert words in capsys.readouterr().err
    Path(file).write_text("func.func @f( {")
    assert main.main(["memory", file]) == 1
    assert "in.mlir:1:15: error:" in capsys.readouterr().err
