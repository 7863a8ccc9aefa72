"""Every example runs, at sizes that its tiles divide and at others; each checks itself."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

ARGUMENTS = {
    "matmul": (["--size", "64"], ["--size", "45"], ["--size", "1"]),
    "blur": (["--size", "64x256"], ["--size", "45x67"], ["--size", "1x1"]),
    "softmax": (["--size", "8x64"], ["--size", "1x16"]),
    "conv2d": (["--size", "28x28", "--channels", "32"], ["--size", "9x5", "--channels", "3"]),
}


def test_every_example_is_listed():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(ARGUMENTS)


@pytest.mark.parametrize(
    ("name", "arguments"), [(name, given) for name, runs in ARGUMENTS.items() for given in runs]
)
def test_example(name: str, arguments: list[str], capsys: pytest.CaptureFixture[str]):
    runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](arguments)
    printed = capsys.readouterr().out
    assert "loop.for" in printed or arguments[-1].startswith("1")
    assert "agrees with NumPy" in printed
    assert "teloom: " in printed
