"""A plugin of pytest that keeps the text of every program that a test lowers."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from replay.corpus import COLLECT
from xdsl.dialects.builtin import ModuleOp

from teloom.driver.lowering import Lowering

PER_TEST = 20
"""Programs of one test that are kept: some make hundreds at random, much alike."""


def pytest_configure(config: pytest.Config) -> None:
    """Puts the keeping before the lowering."""
    bring = Lowering.bring
    file = Path(os.environ[COLLECT]) / f"{os.getpid()}.jsonl"
    kept: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()

    def keep_and_bring(lowering: Lowering, module: ModuleOp, first: str, last: str) -> None:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
        text = str(module)
        if test and first == "te" and kept[test] < PER_TEST and (test, text) not in seen:
            seen.add((test, text))
            kept[test] += 1
            given = {name: dict(each) for name, each in lowering.steps.options.items()}
            with file.open("a") as out:
                print(json.dumps([f"{test} #{kept[test]}", text, given, []]), file=out)
        bring(lowering, module, first, last)

    Lowering.bring = keep_and_bring
