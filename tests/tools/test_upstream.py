"""Programs whose text upstream MLIR has rewritten: they read back and compute the same."""

from pathlib import Path

import pytest
from upstream_tools import needs_mlir_opt, through_mlir_opt

from teloom.driver.lowering import passes_between
from teloom.tools import opt, run

PIPELINES = sorted((Path(__file__).parents[1] / "pipelines").glob("*.mlir"))

COMPUTED = {"argmax": ["m=5", "n=13"], "conv2d": [], "matmul": ["m=9", "n=17", "k=5"]}
"""Programs that are also run, with their sizes."""

TO_STANDARD = ",".join(passes_between("schedule", "standard"))


def at_standard(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert opt.main([str(path), "-p", TO_STANDARD]) == 0
    return capsys.readouterr().out


@needs_mlir_opt
@pytest.mark.parametrize("path", PIPELINES, ids=lambda path: path.stem)
def test_text_comes_back(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    text = at_standard(path, capsys)
    options = "-canonicalize", "-cse", "-mlir-print-debuginfo"
    there = tmp_path / "there.mlir"
    there.write_text(through_mlir_opt(text, *options))
    assert opt.main([str(there), "-p", "canonicalize"]) == 0
    assert through_mlir_opt(capsys.readouterr().out)


@needs_mlir_opt
@pytest.mark.parametrize("name", COMPUTED)
def test_same_results(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    own, there = tmp_path / "own.mlir", tmp_path / "there.mlir"
    own.write_text(at_standard(PIPELINES[0].with_stem(name), capsys))
    there.write_text(through_mlir_opt(own.read_text(), "-canonicalize", "-cse"))
    sizes = ["--size", *COMPUTED[name]] if COMPUTED[name] else []
    printed = []
    for file in (own, there):
        assert run.main([str(file), *sizes, "--random", "0"]) == 0
        printed.append(capsys.readouterr().out)
    assert "float32" in printed[0]
    assert printed[0] == printed[1]
