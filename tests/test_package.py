"""What is in the package that users install."""

import os
import shutil
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from zipfile import ZipFile

import pytest
from build import ProjectBuilder

ROOT = Path(__file__).parent.parent
SOURCES = ("docs", "examples", "benchmarks", "tests")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """One wheel built from the source distribution, as installers do, and one from the tree."""
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", "lit.cfg"):
        shutil.copy(ROOT / name, source)
    leave = shutil.ignore_patterns("__pycache__", "Output", ".*")
    for folder in ("teloom", *SOURCES):
        shutil.copytree(ROOT / folder, source / folder, ignore=leave, copy_function=shutil.copyfile)
    for link in ("dialects", "passes", "frontend"):
        (source / link).symlink_to(f"teloom/{link}")
    output = source.parent / "packages"
    builder = ProjectBuilder(source, runner=told)
    assert not builder.check_dependencies("sdist")
    sdist = builder.build("sdist", output)
    with tarfile.open(sdist) as archive:
        archive.extractall(output, filter="data")
    unpacked = ProjectBuilder(sdist.removesuffix(".tar.gz"), runner=told)
    from_sdist = unpacked.build("wheel", output)
    return Path(from_sdist), Path(builder.build("wheel", output / "direct"))


def told(
    command: Sequence[str], cwd: str | None = None, extra_environ: Mapping[str, str] | None = None
):
    """Runs a step of a build, of which nothing may be said that becomes an error one day."""
    environment = {**os.environ, **(extra_environ or {})}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    # What is said of the project file is a warning at first, and an error a release later.
    assert "Deprecat" not in done.stdout + done.stderr


def contents(wheel: Path) -> dict[str, bytes]:
    with ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_wheel_holds_every_module(wheels: tuple[Path, Path]):
    package = ROOT / "teloom"
    files = [*package.rglob("*.py"), *package.rglob("*.pyi"), package / "py.typed"]
    assert package / "frontend" / "schedule" / "stage_methods.pyi" in files
    wanted = {file.relative_to(ROOT).as_posix() for file in files}
    held = {name for name in contents(wheels[0]) if ".dist-info/" not in name}
    assert held == wanted


def test_sdist_gives_the_same_wheel(wheels: tuple[Path, Path]):
    from_sdist, direct = map(contents, wheels)
    assert from_sdist.keys() == direct.keys()
    # The record lists the others in the order in which they were found.
    assert {k: v for k, v in from_sdist.items() if not k.endswith("/RECORD")} == {
        k: v for k, v in direct.items() if not k.endswith("/RECORD")
    }


def test_sdist_holds_all_sources(wheels: tuple[Path, Path]):
    (sdist,) = wheels[0].parent.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    for folder in SOURCES:
        for file in (ROOT / folder).rglob("*"):
            path = file.relative_to(ROOT)
            hidden = any(part == "Output" or part.startswith((".", "__")) for part in path.parts)
            if file.is_file() and (not hidden or path.name == "__init__.py"):
                assert path.as_posix() in held
    assert {"lit.cfg", "pyproject.toml", "README.md", "LICENSE"} <= held
    assert not any(name.endswith(".pyc") for name in held)


def test_wheel_names_its_programs(wheels: tuple[Path, Path]):
    held = contents(wheels[0])
    (entry_points,) = (text for name, text in held.items() if name.endswith("/entry_points.txt"))
    for tool in ("opt", "run", "translate"):
        assert f"teloom-{tool} = teloom.tools.{tool}:main" in entry_points.decode()


@pytest.mark.parametrize("link", ["dialects", "passes", "frontend"])
def test_links_at_the_top(link: str):
    assert (ROOT / link).resolve() == ROOT / "teloom" / link
