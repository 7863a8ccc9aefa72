"""The comparison of texts before and after a change finds what is another."""

from pathlib import Path

import pytest
from replay.command import compared
from replay.corpus import Program
from replay.record import Record, made, read, written

PROGRAM = """
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %0 = te.read %A[%i] : f32
    te.yield %0 : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @schedule on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %o, %n = schedule.split %i factor FACTOR
}
"""


def program(factor: int, commands: list[str] | None = None) -> Program:
    return Program("program.mlir", PROGRAM.replace("FACTOR", str(factor)), {}, commands or [])


def test_every_level_is_recorded():
    (record,) = made([program(4)], 1)
    assert [*record.texts] == ["te", "schedule", "loop", "memref", "standard", "llvm"]
    assert "schedule.split %i factor 4" in record.texts["te"]
    assert "llvm.func @f" in record.texts["llvm"]


def test_a_program_that_is_refused_ends_with_the_words():
    (record,) = made([program(0)], 1)
    (text,) = record.texts.values()
    assert text.startswith("refused: ")
    assert "factor must be at least 1" in text


def test_commands_are_run_on_the_text():
    line = "teloom-opt %s -p apply-schedule"
    (record,) = made([program(4, [line, f"not {line} 2>&1"])], 1)
    printed, not_refused = record.texts.values()
    assert printed.startswith("exit code 0\nbuiltin.module")
    assert not_refused.startswith("exit code 1\n")


def test_records_are_read_as_they_were_written(tmp_path: Path):
    records = made([program(4)], 1)
    written(tmp_path / "records" / "file.gz", records)
    assert read(tmp_path / "records" / "file.gz") == records


def test_the_first_level_that_differs_is_shown(capsys: pytest.CaptureFixture[str]):
    before, after = made([program(4), program(2)], 1)
    assert compared([before], [before], 3) == 0
    assert capsys.readouterr().out == "1 programs: all as before; 0 gone, 0 new\n"
    other = Record(before.program, {**before.texts, "loop": after.texts["loop"], "llvm": ""})
    assert compared([before], [other], 3) == 1
    out = capsys.readouterr().out
    assert "--- program.mlir at level loop" in out
    assert "at level llvm" not in out
    assert out.endswith("1 programs: 1 at level loop; 0 gone, 0 new\n")
