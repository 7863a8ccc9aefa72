"""Products of matrices of bytes and of bfloat16 under schedules by rules, beside PyTorch's.

    python benchmarks/narrow.py
    python benchmarks/narrow.py --sizes 512x512x512 100x768x3072 --rounds 15
    python benchmarks/narrow.py --cpu x86-64-v4

Sums are int32 and float32. Those of bfloat16 take subnormal numbers for 0 (`math="fast"`), as
PyTorch's do. Both run in one process, in turns, on one thread, and are compared with NumPy's
before anything is timed. A ratio is the time of PyTorch over ours: above 1, we are faster.
"""

import argparse
from math import exp, log

import ml_dtypes
import numpy as np
import torch

import teloom
from teloom import te
from teloom.tools.timing import time_in_turns

SUMS = {"int8": "int32", "bfloat16": "float32"}
SIZES = (
    "256x256x256",
    "512x512x512",
    "511x511x511",
    "1024x1024x1024",
    "197x768x3072",
    "32x4096x4096",
)


def product(dtype: str, n: int, m: int, k: int) -> tuple[te.Tensor, te.Tensor, te.Tensor]:
    """The tensors of a product of n x k by k x m elements."""
    A, B = te.placeholder((n, k), dtype, name="A"), te.placeholder((k, m), dtype, name="B")
    r, sums = te.reduce_axis((0, k), "r"), SUMS[dtype]
    C = te.compute(
        (n, m), lambda i, j: te.sum(A[i, r].astype(sums) * B[r, j].astype(sums), axis=r), name="C"
    )
    return A, B, C


def torch_product(dtype: str, a: np.ndarray, b: np.ndarray):
    """The product of PyTorch; it may write its result where the last one was."""
    if dtype == "int8":
        x, y = torch.from_numpy(a), torch.from_numpy(b)
        out = torch.empty((len(a), b.shape[1]), dtype=torch.int32)
        return lambda: torch._int_mm(x, y, out=out)
    x, y = (torch.from_numpy(one.astype("float32")).bfloat16() for one in (a, b))
    return lambda: torch.matmul(x, y)


def row(dtype: str, size: str, cpu: str | None, rounds: int) -> float:
    """Prints a line; gives the ratio."""
    n, m, k = map(int, size.split("x"))
    A, B, C = product(dtype, n, m, k)
    s = te.create_schedule(C)
    te.auto_schedule(s, cpu, 1, "fast")
    f = teloom.build(s, [A, B, C], target=cpu, math="fast", num_threads=1)
    rng = np.random.default_rng(0)
    kind = np.int8 if dtype == "int8" else ml_dtypes.bfloat16
    a, b = (rng.integers(-8, 8, shape).astype(kind) for shape in ((n, k), (k, m)))
    f(a, b, c := teloom.zeros((n, m), SUMS[dtype]))
    np.testing.assert_array_equal(c, a.astype(c.dtype) @ b.astype(c.dtype))
    programs = {"teloom": lambda: f(a, b, c), "torch": torch_product(dtype, a, b)}
    times = [one.median for one in time_in_turns(programs, rounds).values()]
    ours, theirs = (2 * n * m * k / seconds / 1e9 for seconds in times)
    print(f"{dtype:10}{size:18}{ours:8.0f}{theirs:8.0f}{ours / theirs:8.2f}", flush=True)
    return ours / theirs


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", nargs="+", default=SIZES, help="rows x columns x terms")
    parser.add_argument("--cpu", help="the CPU that code is for (default: this one)")
    parser.add_argument("--rounds", type=int, default=15, help="of each row (default: 15)")
    given = parser.parse_args()
    torch.set_num_threads(1)
    print(f"{'GFLOP/s':28}{'teloom':>8}{'torch':>8}{'ratio':>8}")
    for dtype in SUMS:
        ratios = [row(dtype, size, given.cpu, given.rounds) for size in given.sizes]
        print(f"{dtype}: geometric mean {exp(sum(map(log, ratios)) / len(ratios)):.2f}")


if __name__ == "__main__":
    main()
