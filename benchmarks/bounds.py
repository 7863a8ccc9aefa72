"""How long bounds take to infer, beside what they may take, and the part that proofs take.

    python benchmarks/bounds.py

The exit code is 1 if a program takes longer than its limit, if a stage computes or stores
other than it should, or if the proof that a schedule is legal takes too large a part of lowering.
"""

import math
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from bound_programs import (
    conv2d,
    flattened,
    fused_channels,
    fused_columns,
    fused_rows,
    fused_tiles,
    harris,
    matmul,
    network,
    pyramid,
    residual_block,
    strided,
    unsharp,
    windows,
)
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from teloom import te
from teloom.analysis.regions.inference import infer_regions
from teloom.dialects import schedule
from teloom.dialects.te import FuncOp
from teloom.driver.lowering import configured, passes_between
from teloom.driver.runner import without_collection
from teloom.errors import Remark
from teloom.passes.loops.infer_bounds import InferBoundsPass, size_of
from teloom.passes.schedule.apply_schedule import ApplySchedulePass

ROUNDS = 40
LOWERED = 3
"""How often a program is lowered; the least times count."""

PROVED = 20
"""How many percent of lowering `check-schedule` may take."""

_T = TypeVar("_T")

H, W, N, M, K = (te.size_var(name) for name in ("height", "width", "n", "m", "k"))


class Size(NamedTuple):
    """How many elements a stage computes in all, if they can be counted, and stores, in bytes."""

    stage: str
    computed: int | None
    stored: int


class Row(NamedTuple):
    """A program, how long inferring its bounds may take, in milliseconds, and a stage's size."""

    program: Callable[[], te.Schedule]
    limit: float
    size: Size | None = None


ROWS = {
    "matmul 512": Row(lambda: matmul(512, 512, 512), 15),
    "matmul, sizes": Row(lambda: matmul(M, N, K), 20),
    "conv2d 56x56": Row(lambda: conv2d(1, 56, 56), 20),
    "conv2d, sizes": Row(lambda: conv2d(N, H, W), 25),
    "network of 100 stages": Row(lambda: network(100, 56, 56), 600),
    "pyramid of 5 levels": Row(lambda: pyramid(5, 1024, 1024), 300),
    "pyramid of 8 levels": Row(lambda: pyramid(8, 1024, 1024), 300),
    "harris, sizes": Row(lambda: harris(H, W), 100),
    "unsharp, sizes": Row(lambda: unsharp(H, W), 100),
    "residual block 56x56": Row(lambda: residual_block(56, 56), 100),
    "flattened, parts of 1000": Row(lambda: flattened(1000), 100),
    "8x6, fused": Row(lambda: fused_columns(False), 15, Size("B", 48, 16)),
    "8x6, fused, at a row": Row(lambda: fused_columns(True), 15, Size("B", 48, 4)),
    "1080x1920, fused tiles": Row(
        lambda: fused_tiles((1080, 1920), (32, 256)), 15, Size("B", 1080 * 1920, 4 * 256)
    ),
    "1000x1000, tiles in tiles": Row(
        lambda: fused_tiles((1000, 1000), (8, 32), (2, 4)), 20, Size("B", 1000 * 1000, 4 * 32)
    ),
    "1024x30522, parts of 2048": Row(
        lambda: fused_rows(2048), 40, Size("B", 1024 * 30522, 2 * 8192)
    ),
    "convolution, fused": Row(fused_channels, 25, Size("C.local", 32 * 28 * 28, 896)),
    "128 by 64 by 32": Row(lambda: strided(128, 64, 32), 10, Size("B", 128, 4 * 97)),
    "64 by 16 by 4": Row(lambda: strided(64, 16, 4), 10, Size("B", 64, 4 * 61)),
    "harris 11x13": Row(lambda: harris(11, 13), 100, Size("Sxx", 143, 4 * 143)),
    "stacked windows": Row(windows, 80, Size("S0", 5440, 4 * 5 * 68)),
}


class Measured(NamedTuple):
    """The least milliseconds of the analysis and of the pass, and the stages of each mode."""

    analysis: float
    whole: float
    modes: Counter[str]


def measure(rows: Sequence[Row], rounds: int = ROUNDS) -> list[Measured]:
    """Infers the bounds of each program `rounds` times, by the analysis and by the pass.

    All programs run once in a round: a machine that is slow for seconds is so for all of them.
    """
    modules = [_scheduled(row) for row in rows]
    modes: list[Counter[str]] = [Counter()] * len(rows)
    analysis, whole = ([math.inf] * len(rows) for _ in range(2))
    for _ in range(rounds):
        for number, module in enumerate(modules):
            taken, modes[number] = _timed(_analysis, module)
            analysis[number] = min(analysis[number], taken)
            taken, _ = _timed(_whole, module)
            whole[number] = min(whole[number], taken)
    return [Measured(*found) for found in zip(analysis, whole, modes, strict=True)]


def _scheduled(row: Row) -> ModuleOp:
    module = row.program().module.clone()
    ApplySchedulePass().apply(Context(), module)
    return module


def _analysis(module: ModuleOp) -> Counter[str]:
    (func,) = (op for op in module.ops if isinstance(op, FuncOp))
    regions = infer_regions(func, partial(size_of, func))
    return Counter(region.computed.mode for region in regions.values())


def _whole(module: ModuleOp) -> None:
    InferBoundsPass().apply(Context(), module)


def _timed(run: Callable[[ModuleOp], _T], module: ModuleOp) -> tuple[float, _T]:
    """The milliseconds of this process for one run on a copy of the module, and what it gives."""
    copy = module.clone()
    start = time.process_time()
    found = run(copy)
    return (time.process_time() - start) * 1e3, found


class Proof(NamedTuple):
    """The least milliseconds of `check-schedule`, and of all passes up to level memref."""

    check: float
    lowering: float

    @property
    def share(self) -> float:
        """In percent."""
        return self.check / self.lowering * 100


def proof(row: Row) -> Proof:
    """How long a program takes to be proved legal, beside all of lowering it."""
    source, passes = row.program().module, passes_between("te", "memref")
    rounds: list[dict[str, float]] = []
    for _ in range(LOWERED):
        module, taken = source.clone(), dict.fromkeys(passes, 0.0)
        with without_collection():
            for name in passes:
                start = time.process_time()
                configured(name).apply(Context(), module)
                taken[name] += (time.process_time() - start) * 1e3
        rounds.append(taken)
    check = min(taken["check-schedule"] for taken in rounds)
    return Proof(check, min(sum(taken.values()) for taken in rounds))


def size(row: Row) -> Size | None:
    """What the stage computes and stores whose size matters."""
    if row.size is None:
        return None
    cost = next(cost for cost in te.explain(row.program()) if cost.name == row.size.stage)
    return Size(cost.name, cost.computed, cost.stored)


def main() -> int:
    warnings.simplefilter("ignore", Remark)  # the table says which regions are not exact
    modes = list(schedule.Mode)
    words = ("analysis", "pass", "limit", "check", "share", "", "stages", *modes)
    head = "".join(f"{word:>9}" for word in words)
    print(f"{f'best of {ROUNDS}, in ms':<28}{head}")
    missed = 0
    for (name, row), found in zip(ROWS.items(), measure([*ROWS.values()]), strict=True):
        sized, proved = size(row), proof(row)
        met = found.whole <= row.limit and sized == row.size and proved.share <= PROVED
        missed += not met
        verdict = "met" if met else "MISSED"
        counts = [found.modes.total(), *(found.modes[mode] for mode in modes)]
        print(
            f"{name:<28}{found.analysis:>9.1f}{found.whole:>9.1f}{row.limit:>9g}"
            f"{proved.check:>9.1f}{proved.share:>8.0f}%{verdict:>9}"
            + "".join(f"{count:>9}" for count in counts)
            + (
                f"  {sized.stage}: {sized.computed} computed, {sized.stored} bytes" if sized else ""
            ),
            flush=True,
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
