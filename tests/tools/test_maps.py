"""What `teloom maps` prints."""

from pathlib import Path

import pytest

from teloom.tools import main

EQUATION = """\
te.func @f(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %B = te.compute "B" (%i = %n) : tensor<?xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<?xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  schedule.reverse %i
}
"""

STAGES = """\
te.func @f(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %B = schedule.stage "B" (%i = %n) : tensor<?xf32> {
    schedule.order %i
    schedule.region [0 : %n]
    schedule.range %i = 1 to %n
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %B : tensor<?xf32>
}
"""


@pytest.fixture
def maps(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """What `teloom maps` prints of a text, with these options."""

    def printed(text: str, *options: str) -> str:
        (tmp_path / "in.mlir").write_text(text)
        status = main.main(["maps", str(tmp_path / "in.mlir"), *options])
        found = capsys.readouterr()
        return found.err if status else found.out

    return printed


def test_equations_with_commands(maps):
    found = maps(EQUATION)
    assert "layer I: what is computed\n  [n] -> { B[i] : n >= 0 and 0 <= i < n }\n" in found
    assert "reads  [n] -> { B[i] -> A[i] : " in found


def test_stages_have_the_ranges_that_are_written(maps):
    found = maps(STAGES)
    assert "B[i] -> [0, i' = i, 0] : n >= 0 and 0 < i < n }" in found, found


def test_mistakes(maps):
    words = "teloom maps: error: no te.func @g; there are: @f"
    assert words in maps(STAGES, "--entry", "g")
    words = "teloom maps: error: the IR has no te.func with a body"
    assert words in maps("func.func @f() {\n func.return\n}")
    assert "in.mlir:1:13: error:" in maps("te.func @f( {")
