"""How long it takes from a schedule to a callable, pass by pass, in fresh processes.

The program is the matrix product of `examples/matmul.py`. Modules are imported before
the clock starts. Half of the processes find an empty cache, half the object code.
"""

import json
import os
import subprocess
import sys
import tempfile
from statistics import median

PROCESSES = 7
"""Of each kind; medians are printed, and the best of the whole."""

ONE = """
import contextlib, io, json, os, time
start = time.perf_counter()
import teloom
from matmul import matmul
from teloom.passes import get_all_passes
teloom.build
for factory in get_all_passes().values():
    factory()
imported = time.perf_counter()
os.environ["TELOOM_DEBUG"] = "1"
with contextlib.redirect_stderr(io.StringIO()) as printed:
    begin = time.perf_counter()
    s, tensors = matmul(512, 512, 512)
    scheduled = time.perf_counter()
    teloom.build(s, tensors, name="matmul")
    end = time.perf_counter()
times = {"import": imported - start, "whole": end - begin, "te and schedule": scheduled - begin}
for line in printed.getvalue().splitlines():
    name, _, milliseconds = line.partition(": ")
    if milliseconds.endswith(" ms"):  # not a remark
        times[name] = float(milliseconds.removesuffix(" ms")) / 1e3
print(json.dumps(times))
"""


def one_process(cache: str) -> dict[str, float]:
    """Seconds by part of the work, in a fresh process with the cache in the folder `cache`."""
    environment = os.environ | {"TELOOM_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", ONE], env=environment, check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def medians(runs: list[dict[str, float]]) -> dict[str, float]:
    """The median of each part, and what no part accounts for."""
    parts = {name: median(run[name] for run in runs) for name in runs[0]}
    known = sum(parts.values()) - parts["import"] - parts["whole"]
    return parts | {"LLVM, cache, linking": parts["whole"] - known}


def main() -> None:
    cold: list[dict[str, float]] = []
    warm: list[dict[str, float]] = []
    for _ in range(PROCESSES):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(one_process(cache))
            warm.append(one_process(cache))
    first, second = medians(cold), medians(warm)
    print(f"\n{'compiling matmul 512, in ms':<32}{'empty cache':>16}{'second process':>18}")
    names = [name for name in first if name not in ("import", "whole")]
    for name in names:
        print(f"  {name:<30}{first[name] * 1e3:>16.1f}{second[name] * 1e3:>18.1f}")
    for label, name in (("schedule to callable", "whole"), ("(import, not included)", "import")):
        columns = [
            f"{parts[name] * 1e3:.0f} ({min(run[name] for run in runs) * 1e3:.0f})"
            for parts, runs in ((first, cold), (second, warm))
        ]
        print(f"{label:<32}{columns[0]:>16}{columns[1]:>18}")


if __name__ == "__main__":
    main()
