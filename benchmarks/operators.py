"""Operators of topi under their schedules, beside NumPy, PyTorch and onnxruntime.

    python benchmarks/operators.py
    python benchmarks/operators.py --rows conv2d softmax --rounds 9
    python benchmarks/operators.py --threads 16

Each library is a process of its own, bound to as many cores as it has threads; in every round each
runs once, in an order that is shuffled. Results are compared with NumPy's before anything is timed.
A ratio is the time of the fastest of the three over ours: above 1, we are faster. `built` is the
time from tensors to a function with an empty cache of code, `again` in a process that finds it.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))

from operator_rows import FIRST, ROWS, Row
from peers import OURS, Failure, Library, Result, geometric_mean, measure, started

PEERS = "numpy", "torch", "onnxruntime"

TOPI = "operator_rows"


class Built(NamedTuple):
    """Seconds from tensors to a function, without and with the code on disk."""

    first: float
    again: float


def built(names: list[str]) -> dict[str, Built]:
    """How long it takes to build operators, in two processes, the first with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.environ.get("TELOOM_CACHE_DIR")
        os.environ["TELOOM_CACHE_DIR"] = folder
        try:
            first, again = (_building(names) for _ in range(2))
        finally:
            if before is None:
                del os.environ["TELOOM_CACHE_DIR"]
            else:
                os.environ["TELOOM_CACHE_DIR"] = before
    return {name: Built(first[name], again[name]) for name in names}


def _building(names: list[str]) -> dict[str, float]:
    library = Library(OURS, 1, TOPI)
    try:
        library.ask("build", program=FIRST)
        return {name: library.ask("build", program=name)["seconds"] for name in names}
    finally:
        library.stop()


def print_row(result: Result, built: Built) -> float | None:
    """One line; gives the ratio."""
    times = {name: f"{result.median(name) * 1e3:.3f}" for name in result.seconds}
    peer, ratio = result.fastest_peer, result.ratio()
    best = f"{peer} {times[peer]}" if peer else "-"
    others = ", ".join(f"{name} {time}" for name, time in times.items() if name not in (OURS, peer))
    said = "-" if ratio is None else f"{ratio:.2f}"
    building = f"{built.first * 1e3:8.0f}{built.again * 1e3:7.0f}"
    line = f"{result.row:<40}{times.get(OURS, '-'):>9}{best:>20}{said:>7}{building}   {others}"
    print(line, flush=True)
    for name, failure in result.failures.items():
        print(f"    {name}: {failure[:200]}")
    return ratio


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", nargs="+", default=[""], help="words of rows (default: all)")
    parser.add_argument("--libraries", nargs="+", default=[*PEERS], help="beside Teloom")
    parser.add_argument("--threads", type=int, default=1, help="threads and cores (default: 1)")
    parser.add_argument("--rounds", type=int, default=15, help="of each row (default: 15)")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    names = [name for name in ROWS if any(word in name for word in options.rows)]
    building = built(names)
    libraries = started([OURS, *options.libraries], options.threads, TOPI)
    # The time of a process leaves out what others do on its core, and adds up that of its threads.
    clock = "process_time" if options.threads == 1 else "perf_counter"
    ratios: dict[str, float] = {}
    try:
        print(", ".join(f"{library.name} {library.version}" for library in libraries))
        head = f"{'median of ' + str(options.rounds) + ', in ms':<40}{OURS:>9}"
        print(f"{head}{'fastest':>20}{'ratio':>7}{'built':>8}{'again':>7}   others")
        for name in names:
            result = measure(name, Row(name), libraries, options.rounds, None, clock)
            ratio = print_row(result, building[name])
            if ratio is not None:
                ratios[name] = ratio
    except Failure as failure:
        print(failure)
    finally:
        for library in libraries:
            library.stop()
    print_means(ratios, building)


def print_means(ratios: dict[str, float], building: dict[str, Built]) -> None:
    if ratios:
        least = min(ratios, key=ratios.__getitem__)
        mean = geometric_mean([*ratios.values()])
        print(f"\ngeometric mean {mean:.2f}, least {ratios[least]:.2f} ({least})")
    for kind in Built._fields:
        times = {name: getattr(one, kind) * 1e3 for name, one in building.items()}
        most = max(times, key=times.__getitem__)
        mean = geometric_mean([*times.values()])
        print(f"built {kind}: geometric mean {mean:.0f} ms, most {times[most]:.0f} ms ({most})")


if __name__ == "__main__":
    main()
