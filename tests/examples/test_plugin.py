"""The plug-in of the examples: installed into a fresh environment, its tests pass."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "examples" / "plugin"

SCRIPTS = {
    "teloom-opt": "from teloom.tools.opt import main; sys.exit(main())",
    "teloom-run": "from teloom.tools.run import main; sys.exit(main())",
    "filecheck": "from filecheck.main import main; main(sys.argv)",
}


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, capture_output=True, text=True, env=environment()
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def environment() -> dict[str, str]:
    """This one, without what the suite has set for itself."""
    own = ("TELOOM_", "PYTEST_", "PYTHONPATH")
    return {name: value for name, value in os.environ.items() if not name.startswith(own)}


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """The Python of an environment that has what this one has, and the plug-in."""
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "env", cwd=tmp_path)
    python = tmp_path / "env" / "bin" / "python"
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run(python, "-c", code, cwd=tmp_path).strip())
    (packages / "around.pth").write_text(f"{sysconfig.get_path('purelib')}\n{ROOT}\n")
    copy = tmp_path / "plugin"
    run("cp", "-r", PLUGIN, copy, cwd=tmp_path)
    install = ("-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", copy)
    run(python, *install, cwd=tmp_path)
    for name, code in SCRIPTS.items():
        script = python.parent / name
        script.write_text(f"#!{python}\nimport sys\n{code}\n")
        script.chmod(0o755)
    return python


OWN_TESTS = f"""
import sys
import pytest
sys.path.append({str(ROOT / "tests")!r})
import lit.discovery
import test_lit
from lit_format import TeloomFormat
tests = lit.discovery.find_tests_for_inputs(test_lit.CONFIG, ["tests"])
for test in tests:
    result = TeloomFormat().execute(test, test_lit.CONFIG)
    print(test.path_in_suite, result.code.name, result.output)
sys.exit(pytest.main(["-q", "tests"]))
"""


def test_its_own_tests_pass(python: Path, tmp_path: Path):
    """One of lit's by lit, which starts the programs, and all of them in one process."""
    lit = "from lit.main import main; main()"
    folder = tmp_path / "plugin" / "tests"
    shown = run(python, "-c", lit, "-v", folder / "lanes-invalid.mlir", cwd=tmp_path)
    assert "Passed: 1" in shown
    assert "Failed" not in shown
    shown = run(python, "-c", OWN_TESTS, cwd=tmp_path / "plugin")
    assert shown.count(" PASS ") == 5
    assert "FAIL" not in shown
    assert "4 passed" in shown
