"""`teloom demo`: what it prints, the picture it writes, and mistakes in one line."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib import cbook
from PIL import Image
from xdsl.context import Context
from xdsl.parser import Parser

from teloom.tools import demo
from teloom.tools.demo import GAP, SECTIONS, ZOOM, blur_numpy
from teloom.tools.main import main
from teloom.tools.timing import time_in_turns


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch: pytest.MonkeyPatch):
    """What the blurs take is for people to look at."""
    monkeypatch.setattr(demo, "ROUNDS", 2)


def photograph(folder: Path, shape: tuple[int, ...]) -> Path:
    """A picture of noise."""
    pixels = np.random.default_rng(0).integers(0, 256, shape, dtype="uint8")
    path = folder / "noise.png"
    Image.fromarray(pixels).save(path)
    return path


@pytest.mark.parametrize(
    "shape", [(60, 45), (37, 150, 3), (1, 1), (2, 3, 4)], ids=["gray", "colour", "one", "alpha"]
)
def test_the_picture_shows_before_and_after(
    shape: tuple[int, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path, output = photograph(tmp_path, shape), tmp_path / "out.png"
    assert main(["demo", str(path), "-o", str(output)]) == 0
    printed = capsys.readouterr().out
    assert f"noise.png, {shape[1]} x {shape[0]} pixels" in printed
    assert "agrees with NumPy" in printed

    before = np.asarray(Image.open(path))
    before = before[:, :, :3] if before.ndim == 3 else before
    both = np.asarray(Image.open(output))
    height, width = shape[:2]
    assert both.shape[1] == 2 * width + GAP
    assert both.shape[0] == height + GAP + ZOOM * -(-height // (2 * ZOOM))
    np.testing.assert_array_equal(both[:height, :width], before)
    after = both[:height, width + GAP :]
    border = ((1, 1), (1, 1), (0, 0))[: before.ndim]
    bordered = np.pad(before.astype("float32"), border, mode="edge")
    np.testing.assert_array_equal(after, np.rint(blur_numpy(bordered)))


def test_the_sample_photograph_at_every_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    printed = capsys.readouterr().out
    for words in (
        "def blur(height: int, width: int)",
        "te.compute",
        "schedule.tile %y, %x by 16, 128",
        "schedule.compute_at %bx, %by, %x.outer",
        "schedule.vectorize %x.inner",
        "schedule.parallel %y.outer",
        "schedule.range %y.inner = 0 to min(16, %y.outer * -16 + 600)",
        "loop.for %y.outer = 0 to 38 parallel",
        "memref.alloca",
        "vector.load",
        "llvm.getelementptr",
        "more lines: teloom demo --level asm",
        "NumPy's slices; the parallel loop runs on ",
    ):
        assert words in printed
    assert all(f"── {section.heading} · {section.note}" in printed for section in SECTIONS)
    assert "\033" not in printed
    assert max(map(len, printed.splitlines())) <= 120
    assert (tmp_path / "teloom-demo.png").exists()


@pytest.mark.parametrize(
    "level", ["te", "schedule", "loop", "memref", "standard", "llvm", "llvm-ir", "asm"]
)
def test_a_level_is_printed_whole(
    level: str, ctx: Context, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = photograph(tmp_path, (32, 128))
    assert main(["demo", str(path), "--level", level]) == 0
    text = capsys.readouterr().out
    if level in ("llvm-ir", "asm"):
        assert "blur" in text
    else:
        Parser(ctx, text).parse_module().verify()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.jpg"], "missing.jpg: no such file"),
        (["text.txt"], "text.txt is not a picture of a format that is known here"),
        (["."], ". cannot be read: "),
        (["cut.jpg"], "cut.jpg cannot be read: "),
        (["-o", "none/out.png"], "none/out.png cannot be written: no folder none"),
        (["noise.png", "-o", "."], ". cannot be written: "),
    ],
)
def test_a_mistake_is_one_line(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("no picture")
    photograph(tmp_path, (1, 1))
    sample = cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)
    Path("cut.jpg").write_bytes(Path(str(sample)).read_bytes()[:5000])
    assert main(["demo", *arguments]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"teloom demo: error: {words}")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["dem"],
            "teloom: error: argument COMMAND: invalid choice: 'dem' (choose from 'demo', ",
        ),
        (["demo", "--level", "5"], "teloom demo: error: argument --level: invalid choice: '5'"),
        (["demo", "a.png", "b.png"], "teloom: error: unrecognized arguments: b.png"),
    ],
)
def test_a_wrong_command_line_is_one_line(arguments: list[str], words: str):
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    assert str(raised.value).startswith(words)
    assert "\n" not in str(raised.value)


def test_without_a_command_the_help_is_printed(capsys: pytest.CaptureFixture[str]):
    assert main([]) == 0
    assert "blur a photograph" in capsys.readouterr().out


def test_every_program_has_its_turn_in_each_round():
    turns: list[str] = []
    programs = {name: lambda name=name: turns.append(name) for name in "ab"}
    times = time_in_turns(programs, rounds=3)
    assert [set(turns[k : k + 2]) for k in range(0, 10, 2)] == [{"a", "b"}] * 5
    assert all(0 <= taken.best <= taken.median for taken in times.values())
