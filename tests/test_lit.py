"""Every lit test, one by one, so that `pytest` runs all tests there are; and lit itself, once."""

import subprocess
import sys
from pathlib import Path

import lit.discovery
import lit.LitConfig
import lit.Test
import pytest
from lit_format import misspelt_directives, parse_pipe

ROOT = Path(__file__).parent.parent

CONFIG = lit.LitConfig.LitConfig(
    progname="lit",
    path=[],
    diagnostic_level="note",
    useValgrind=False,
    valgrindLeakCheck=False,
    valgrindArgs=[],
    noExecute=False,
    debug=False,
    isWindows=False,
    order="lexical",
    params={},
)


def lit_tests() -> list[lit.Test.Test]:
    """Every test that `lit tests` finds, in the order of their paths."""
    return sorted(
        lit.discovery.find_tests_for_inputs(CONFIG, [str(ROOT / "tests")]),
        key=lambda test: test.path_in_suite,
    )


@pytest.mark.parametrize("test", lit_tests(), ids=lambda test: "/".join(test.path_in_suite[1:]))
def test_lit(test: lit.Test.Test):
    result = test.config.test_format.execute(test, CONFIG)
    if result.code is lit.Test.UNSUPPORTED:
        pytest.skip(result.output)
    assert result.code.isFailure == test.isExpectedToFail(), result.output


def test_lit_reports_what_is_wrong(tmp_path: Path):
    own = 'os.path.join(os.path.dirname(__file__), "tests")'
    config = (ROOT / "lit.cfg").read_text().replace(own, repr(str(ROOT / "tests")))
    (tmp_path / "lit.cfg").write_text(config)
    run = "// RUN: teloom-opt %s | filecheck %s\nfunc.func @f() {\n  func.return\n}\n"
    (tmp_path / "passes.mlir").write_text("// CHECK: @f\n" + run)
    (tmp_path / "fails.mlir").write_text("// CHECK: @g\n" + run)
    (tmp_path / "misspelt.mlir").write_text("// CHECK: @f\n// CHEKC: @g\n" + run)
    (tmp_path / "unknown.mlir").write_text("// CHECK: @f\n" + run.replace("-opt", "-optt"))
    (tmp_path / "inverted.mlir").write_text(run.replace("teloom-opt", "not teloom-optt"))
    (tmp_path / "refused.mlir").write_text(run.replace("@f", ""))
    (tmp_path / "accepted.mlir").write_text(run.replace("teloom-opt", "not teloom-opt"))

    program = "from lit.main import main; main()"
    command = [sys.executable, "-c", program, str(tmp_path), "-v", "-j1"]
    done = subprocess.run(command, capture_output=True, text=True)

    assert done.returncode == 1, done.stdout + done.stderr
    assert "PASS: teloom :: passes.mlir" in done.stdout
    for name in ("fails", "misspelt", "unknown", "inverted", "refused", "accepted"):
        assert f"FAIL: teloom :: {name}.mlir" in done.stdout
    assert "'CHEKC:' is no directive of this test" in done.stdout
    assert "'teloom-optt': command not found" in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("// CHECK: a\n// CHECK-NEXT: b\n// CHECK-COUNT-3: c\n// CHECK{LITERAL}: d", []),
        ("// A sentence: with a colon", []),
        ("// CHEKC: a", ["line 1: 'CHEKC:' is no directive of this test"]),
        ("// CHECK-NXT: a", ["line 1: 'CHECK-NXT:' is no directive of this test"]),
        ("// CHECK : a", ["line 1: 'CHECK :' is no directive of this test"]),
        ("// OTHER: a", ["line 1: 'OTHER:' is no directive of this test"]),
        ("\n// CHECK-NEXT a", ["line 2: the check has no colon"]),
    ],
)
def test_misspelt_directives(text: str, wrong: list[str]):
    assert misspelt_directives(text, ["teloom-opt x | filecheck x"]) == wrong


def test_prefixes_come_from_the_run_lines():
    runs = ["teloom-opt x | filecheck x --check-prefixes=A,B"]
    assert misspelt_directives("// A: 1\n// B-NEXT: 2", runs) == []
    assert misspelt_directives("// CHECK: 1", runs) == [
        "line 1: 'CHECK:' is no directive of this test"
    ]


@pytest.mark.parametrize(
    "line",
    [
        "teloom-opt a | sort",
        "teloom-opt a && teloom-opt b",
        "teloom-opt *.mlir",
        "X=1 teloom-opt a",
    ],
)
def test_a_shell_runs_what_is_not_understood(line: str):
    assert parse_pipe(line) is None
