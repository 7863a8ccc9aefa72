"""The benchmark of bound inference still runs; its times are for people to judge."""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from teloom import te

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def bounds(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What `benchmarks/bounds.py` defines."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return runpy.run_path(str(BENCHMARKS / "bounds.py"))


@pytest.mark.parametrize(
    ("name", "stages"), [("matmul 512", 3), ("conv2d, sizes", 2), ("harris, sizes", 11)]
)
def test_a_row(bounds: dict[str, Any], name: str, stages: int):
    (found,) = bounds["measure"]([bounds["ROWS"][name]], rounds=1)
    assert found.modes == {"exact": stages}
    assert found.analysis > 0
    assert found.whole > 0


def test_every_row_has_a_program(bounds: dict[str, Any]):
    for row in bounds["ROWS"].values():
        assert isinstance(row.program(), te.Schedule)
        assert row.limit > 0


@pytest.mark.parametrize(("limit", "code", "verdict"), [(1e6, 0, " met "), (0, 1, " MISSED ")])
def test_a_missed_limit_is_the_exit_code(
    bounds: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    limit: float,
    code: int,
    verdict: str,
):
    main: Callable[[], int] = bounds["main"]
    row = bounds["ROWS"]["matmul 512"]._replace(limit=limit)
    monkeypatch.setitem(main.__globals__, "ROWS", {"matmul 512": row})
    assert main() == code
    assert verdict in capsys.readouterr().out
