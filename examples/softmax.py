"""Softmax over the rows of a matrix: four equations, one row at a time.

A row is read from memory once: its largest value, its exponentials and their sum are
computed at that row of the result. To sum in vectors, partial results are a stage of
their own, one per lane.

    python examples/softmax.py --size 4096x1024
"""

import argparse

import numpy as np

import teloom
from teloom import te
from teloom.tools.timing import time_in_turns

LANES = 16


def softmax(rows: int, columns: int) -> tuple[te.Schedule, list[te.Tensor]]:
    """The scheduled softmax of rows x columns, columns a multiple of 16: X and its result."""
    X = te.placeholder((rows, columns), "float32", name="X")
    steps = columns // LANES
    k, m = te.reduce_axis((0, steps), "k"), te.reduce_axis((0, LANES), "m")
    largest_in_lane = te.compute(
        (rows, LANES), lambda i, lane: te.max(X[i, k * LANES + lane], axis=k), name="lane_max"
    )
    largest = te.compute((rows,), lambda i: te.max(largest_in_lane[i, m], axis=m), name="row_max")
    power = te.compute((rows, columns), lambda i, j: te.exp(X[i, j] - largest[i]), name="power")
    q, n = te.reduce_axis((0, steps), "q"), te.reduce_axis((0, LANES), "n")
    sum_in_lane = te.compute(
        (rows, LANES), lambda i, lane: te.sum(power[i, q * LANES + lane], axis=q), name="lane_sum"
    )
    total = te.compute((rows,), lambda i: te.sum(sum_in_lane[i, n], axis=n), name="row_sum")
    Y = te.compute((rows, columns), lambda i, j: power[i, j] / total[i], name="Y")

    s = te.create_schedule(Y)
    i, j = Y.op.axis
    s[Y].parallel(i)
    s[Y].vectorize(j)
    for stage in (largest_in_lane, largest, power, sum_in_lane, total):
        s[stage].compute_at(s[Y], i)
    for stage, step in ((largest_in_lane, k), (sum_in_lane, q)):
        row, lane = stage.op.axis
        s[stage].reorder(row, step, lane)
        s[stage].vectorize(lane)
    s[power].vectorize(power.op.axis[1])
    return s, [X, Y]


def softmax_numpy(x: np.ndarray) -> np.ndarray:
    """The same with NumPy."""
    power = np.exp(x - x.max(axis=1, keepdims=True))
    return power / power.sum(axis=1, keepdims=True)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Softmax of random rows.")
    parser.add_argument(
        "--size", default="4096x1024", metavar="RxC", help="rows x columns (default: 4096x1024)"
    )
    rows, columns = map(int, parser.parse_args(arguments).size.split("x"))
    if columns % LANES:
        parser.error(f"{columns} columns are not a multiple of {LANES}")
    s, tensors = softmax(rows, columns)
    run = teloom.build(s, tensors, name="softmax")
    print(run.source("loop"))

    x = np.random.default_rng(0).standard_normal((rows, columns), dtype="float32") * 10
    y = np.empty_like(x)
    run(x, y)
    # Sums of float32 differ by their order, and two exponentials in their last bits.
    np.testing.assert_allclose(y, softmax_numpy(x), rtol=1e-5)
    print("\nagrees with NumPy; a row adds up to", y[0].sum())

    times = time_in_turns({"teloom": lambda: run(x, y), "numpy": lambda: softmax_numpy(x)}, 20)
    for name, time in times.items():
        print(f"{name}: {time.best * 1e3:.2f} ms")


if __name__ == "__main__":
    main()
