"""The arguments of `python -m tests.replay`, and what it prints."""

from __future__ import annotations

import argparse
import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from replay.corpus import collected
from replay.record import Record, made, read, written

FOLDER = Path("build/replay")
MOST_LINES = 40


def main(arguments: Sequence[str]) -> int:
    """Records, or compares with what is recorded; 1 if a text is another."""
    parser = argparse.ArgumentParser(prog="python -m tests.replay", description=__doc__)
    add = parser.add_argument
    add("action", choices=("record", "compare"))
    add("--folder", type=Path, default=FOLDER, help="where the record lies")
    add("--jobs", type=int, default=2, help="processes")
    add("--show", type=int, default=3, help="how many differences to print whole, at each level")
    add(
        "--frontend",
        action="store_true",
        help="compare: run the tests again, for what the frontend makes of their programs",
    )
    asked = parser.parse_args(arguments)
    file: Path = asked.folder / "record.jsonl.gz"
    if asked.action == "record":
        found = made(collected(asked.jobs), asked.jobs)
        written(file, found)
        print(f"{len(found)} programs are recorded in {file}")
        return 0
    if not file.exists():
        parser.error(f"there is no {file}; run `record` before the change")
    before = read(file)
    again = collected(asked.jobs) if asked.frontend else [one.program for one in before]
    return compared(before, made(again, asked.jobs), asked.show)


def compared(before: Sequence[Record], after: Sequence[Record], show: int) -> int:
    """Prints what differs, level by level, and a line of counts; 1 if anything does."""
    now = {one.program.name: one.texts for one in after}
    changed: Counter[str] = Counter()
    for record in before:
        name = record.program.name
        for level, old in record.texts.items():
            new = now.get(name, {}).get(level)
            if new == old:
                continue
            changed[level] += 1
            if changed[level] <= show:
                print("\n".join(_difference(f"{name} at level {level}", old, new)))
            break  # later levels follow from this one
    missing = sum(one.program.name not in now for one in before)
    added = len(now) - len(before) + missing
    counts = ", ".join(f"{count} at level {level}" for level, count in changed.items())
    print(f"{len(before)} programs: {counts or 'all as before'}; {missing} gone, {added} new")
    return 1 if changed else 0


def _difference(name: str, old: str, new: str | None) -> Iterator[str]:
    if new is None:
        yield f"--- {name}\nis not there any more"
        return
    lines = difflib.unified_diff(old.split("\n"), new.split("\n"), name, "now", n=2, lineterm="")
    for count, line in enumerate(lines):
        if count == MOST_LINES:
            yield "..."
            return
        yield line
